package bind

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Change is a bound DELETE, UPDATE or MERGE, which replaces the files that hold rows it changes by copies. It is run in two
// queries: Find says which files these are, then Copy, whose scans of the target are confined to them, makes the rows of
// the new ones. The target's scans in both have Scan.Changed set.
type Change struct {
	// Find yields the name of each file to replace (plan.FileField), and how many of its rows are updated and deleted
	// (BIGINT). It is nil for a MERGE that only adds rows: no file is replaced then, and Copy's scans are not confined.
	Find plan.Node
	// Whole tells that every row that Find's scan reads is deleted: its files go, and nothing need be read.
	Whole bool
	// Copy yields the rows to write as Insert.Root does, without static partition columns. It is nil for Whole.
	Copy plan.Node
	// Inserts tells that Copy yields rows of a MERGE's source even when no file is replaced.
	Inserts bool
}

// BindDelete binds DELETE FROM. target describes the table that the statement names, which must be a relation that is
// scanned. The condition may hold sub-queries, but nothing random (INVALID_NON_DETERMINISTIC_EXPRESSIONS): it is computed
// twice.
func BindDelete(ctx context.Context, n *ast.Delete, target InsertTarget, env Env) (*Change, error) {
	c, err := newChanger(ctx, n.With, n.Table, n.Alias, target, env)
	if err != nil {
		return nil, err
	}
	rows, err := c.target()
	if err != nil {
		return nil, err
	}
	node, err := c.matching(rows, n.Where)
	if err != nil {
		return nil, err
	}
	out := &Change{}
	if out.Find, err = c.found(node, rows, number(changeDelete)); err != nil {
		return nil, err
	}
	out.Whole = wholeFiles(out.Find)
	if out.Whole {
		return out, nil
	}
	if rows, err = c.target(); err != nil {
		return nil, err
	}
	goes, err := c.holds(n.Where, rows.scope)
	if err != nil {
		return nil, err
	}
	stays, err := c.b.resolve("not", []expr.Expr{goes})
	if err != nil {
		return nil, err
	}
	out.Copy, err = c.written(&plan.Filter{Input: rows.scan, Cond: stays}, rows.fields())
	return out, err
}

// BindUpdate binds UPDATE: see BindDelete. A column, or a struct and a field of it, that is assigned twice is
// DELTA_CONFLICT_SET_COLUMN; values are stored by the rules of INSERT, but that fields of structs go by their names, and that a
// number out of range is DELTA_CAST_OVERFLOW_IN_TABLE_WRITE.
func BindUpdate(ctx context.Context, n *ast.Update, target InsertTarget, policy expr.StorePolicy, env Env) (*Change, error) {
	c, err := newChanger(ctx, n.With, n.Table, n.Alias, target, env)
	if err != nil {
		return nil, err
	}
	c.policy = policy
	rows, err := c.target()
	if err != nil {
		return nil, err
	}
	node, err := c.matching(rows, n.Where)
	if err != nil {
		return nil, err
	}
	out := &Change{}
	if out.Find, err = c.found(node, rows, number(changeUpdate)); err != nil {
		return nil, err
	}
	if rows, err = c.target(); err != nil {
		return nil, err
	}
	set, err := c.assign(n.Set, rows, rows.scope, "UPDATE")
	if err != nil {
		return nil, err
	}
	if n.Where != nil {
		goes, err := c.holds(n.Where, rows.scope)
		if err != nil {
			return nil, err
		}
		for i, old := range rows.fields() {
			if sameColumn(set[i], old) {
				continue
			}
			if set[i], err = caseOf([]expr.Expr{goes}, []expr.Expr{set[i]}, old); err != nil {
				return nil, err
			}
		}
	}
	out.Copy, err = c.written(rows.scan, set)
	return out, err
}

// What happens to a row of the target.
const (
	changeNone = iota
	changeUpdate
	changeDelete
)

// changer binds one statement that changes rows.
type changer struct {
	b      *binder
	frame  *frame
	ref    *ast.TableRef
	into   InsertTarget
	policy expr.StorePolicy
}

func newChanger(ctx context.Context, with *ast.With, table ast.Name, alias *ast.TableAlias, target InsertTarget, env Env) (*changer, error) {
	// How many rows a file has of which kind is a question about rows, which no metadata answers.
	env.NoMetadata = true
	b := newBinder(ctx, env)
	f, _, err := b.with(with, b.top())
	if err != nil {
		return nil, err
	}
	return &changer{b: b, frame: f, ref: &ast.TableRef{At: table.At, Name: table, Alias: alias}, into: target}, nil
}

// changed is one scan of the target.
type changed struct {
	scan      *plan.Scan
	scope     *scope
	columns   []plan.Column // of the target, in its order
	fresh     int           // of the last of them nothing is there but their types
	file, row plan.Column
}

// fields are the values of the target's columns as they are.
func (r *changed) fields() []expr.Expr {
	out := make([]expr.Expr, len(r.columns))
	for i, c := range r.columns {
		if i >= len(r.columns)-r.fresh {
			out[i] = &expr.Literal{T: c.Type}
			continue
		}
		out[i] = columnRef(c)
	}
	return out
}

// target scans the target anew.
func (c *changer) target() (*changed, error) {
	b := c.b
	// The target is a table, even when a common table expression has its name.
	top := b.top()
	node, s, err := b.tableRef(c.ref, top)
	if err != nil {
		return nil, err
	}
	scan, ok := node.(*plan.Scan)
	if !ok {
		return nil, sqlerr.Unsupported("TABLE_OPERATION", "changing rows of "+c.into.Name+", which is no table").At(c.ref.Span())
	}
	scan.Changed = true
	r := &changed{scan: scan, scope: s}
	r.fresh = c.into.Fresh
	for k, f := range c.into.Columns {
		if k >= len(c.into.Columns)-r.fresh {
			r.columns = append(r.columns, plan.Column{Name: f.Name, Type: f.Type})
			continue
		}
		i := b.fieldNamed(scan.Relation.Schema, f.Name)
		if i < 0 {
			return nil, sqlerr.Internal(fmt.Errorf("the relation of %s lacks its column %s", c.into.Name, f.Name))
		}
		r.columns = append(r.columns, scan.Out[i])
	}
	r.file = b.newColumn("file", types.Of(types.String))
	r.row = b.newColumn("row", types.Of(types.BigInt))
	scan.Out = append(scan.Out, r.file, r.row)
	scan.Fields = append(scan.Fields, plan.FileField, plan.RowField)
	return r, nil
}

// matching are the rows of the target that a condition holds for; nil is all.
func (c *changer) matching(rows *changed, where ast.Expr) (plan.Node, error) {
	if where == nil {
		return rows.scan, nil
	}
	cond, err := c.condition(where, rows.scope, "WHERE")
	if err != nil {
		return nil, err
	}
	return &plan.Filter{Input: rows.scan, Cond: cond}, nil
}

// condition binds a condition that is computed once for each of the two queries.
func (c *changer) condition(e ast.Expr, s *scope, clause string) (expr.Expr, error) {
	cond, err := c.b.condition(e, &exprScope{frame: c.frame, scope: s, clause: clause}, sqlerr.FilterNotBoolean)
	if err != nil {
		return nil, err
	}
	if volatile(cond) {
		return nil, sqlerr.NonDeterministic(c.b.text(e)).At(e.Span())
	}
	return cond, nil
}

// holds is whether a condition is TRUE: never NULL. No condition holds always.
func (c *changer) holds(e ast.Expr, s *scope) (expr.Expr, error) {
	if e == nil {
		return truth(true), nil
	}
	cond, err := c.condition(e, s, "WHERE")
	if err != nil {
		return nil, err
	}
	return c.b.isTrue(cond)
}

// isTrue is whether a condition is TRUE rather than FALSE or NULL.
func (b *binder) isTrue(cond expr.Expr) (expr.Expr, error) {
	return b.resolve("coalesce", []expr.Expr{cond, truth(false)})
}

// found counts the rows by file; action is what happens to each: an INT over the columns of node.
func (c *changer) found(node plan.Node, rows *changed, action expr.Expr) (plan.Node, error) {
	a := c.b.newColumn("action", types.Of(types.Int))
	acts := &plan.Project{Input: node, Out: []plan.Column{rows.file, a}, Exprs: []expr.Expr{columnRef(rows.file), action}}
	return c.counted(acts, rows.file, a)
}

// counted groups actions by file.
func (c *changer) counted(node plan.Node, file, action plan.Column) (plan.Node, error) {
	b := c.b
	agg := &plan.Aggregate{Input: node, KeyOut: []plan.Column{b.newColumn("file", file.Type)}, Keys: []expr.Expr{columnRef(file)}}
	for _, kind := range []int{changeUpdate, changeDelete} {
		is, err := b.resolve("=", []expr.Expr{columnRef(action), number(kind)})
		if err != nil {
			return nil, err
		}
		count, err := b.resolve("count_if", []expr.Expr{is})
		if err != nil {
			return nil, err
		}
		agg.AggOut = append(agg.AggOut, b.newColumn("n", count.Type()))
		agg.Aggs = append(agg.Aggs, count)
	}
	return b.rewrite(agg)
}

// wholeFiles reports whether a rewritten plan counts all rows that its scan selects.
func wholeFiles(n plan.Node) bool {
	for {
		switch x := n.(type) {
		case *plan.Aggregate:
			n = x.Input
		case *plan.Project:
			n = x.Input
		case *plan.Scan:
			return true
		default:
			return false
		}
	}
}

// written puts the values of the target's columns on top, data columns first as Insert.Root has them, and checks them.
func (c *changer) written(node plan.Node, values []expr.Expr) (plan.Node, error) {
	of := map[int]expr.Expr{}
	for i, v := range values {
		of[i] = v
	}
	rows, err := c.b.storedRows(node, of, c.into)
	if err != nil {
		return nil, err
	}
	return c.b.rewrite(rows)
}

// assign gives the value of each of the target's columns after SET. s is what the values are made of; clause names it.
func (c *changer) assign(set []ast.Assignment, rows *changed, s *scope, clause string) ([]expr.Expr, error) {
	tree := &assignments{}
	for i := range set {
		if err := c.place(tree, &set[i]); err != nil {
			return nil, err
		}
	}
	out := rows.fields()
	for i, f := range c.into.Columns {
		at, ok := tree.inside[i]
		if !ok {
			continue
		}
		v, err := c.assigned(at, out[i], f, ident.Name{f.Name}, s, clause)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, c.b.regenerate(out, func(i int) bool { return tree.inside[i] != nil }, c.into)
}

// assignments are those to a column or a field, or to fields inside it by position.
type assignments struct {
	set    *ast.Assignment
	inside map[int]*assignments
}

// place finds the column, or the field of one, that an assignment is to.
func (c *changer) place(tree *assignments, a *ast.Assignment) error {
	parts := a.Column.Ident()
	first, ok := c.column(parts)
	if !ok {
		var near []column
		for _, f := range c.into.Columns {
			near = append(near, column{Column: plan.Column{Name: f.Name}})
		}
		return sqlerr.UnresolvedColumn(parts.Quoted(), suggest(parts, near)).At(a.Column.Span())
	}
	fields := types.Type{Kind: types.Struct, Fields: c.into.Columns}
	for _, name := range parts[first:] {
		if fields.Kind == types.Array || fields.Kind == types.Map {
			return sqlerr.DeltaNestedField(parts.Quoted(), fields.SQL()).At(a.Column.Span())
		}
		if fields.Kind != types.Struct {
			return sqlerr.InvalidExtractBase(parts.Quoted(), fields.SQL()).At(a.Column.Span())
		}
		i, err := c.b.fieldOf(fields, name)
		if err != nil {
			return at(err, a.Column.Span())
		}
		if tree.set != nil {
			return sqlerr.SetConflict(parts.Quoted()).At(a.Column.Span())
		}
		if tree.inside == nil {
			tree.inside = map[int]*assignments{}
		}
		if tree.inside[i] == nil {
			tree.inside[i] = &assignments{}
		}
		tree, fields = tree.inside[i], fields.Fields[i].Type
	}
	if tree.set != nil || tree.inside != nil {
		return sqlerr.SetConflict(parts.Quoted()).At(a.Column.Span())
	}
	tree.set = a
	return nil
}

// column is the place in a name where the column's begins: behind the table's name or alias, if that is in front.
func (c *changer) column(parts ident.Name) (int, bool) {
	known := func(k int) bool { return k < len(parts) && c.b.fieldNamed(c.into.Columns, parts[k]) >= 0 }
	if known(0) {
		return 0, true
	}
	qualifier := c.ref.Name.Ident()
	if c.ref.Alias != nil && c.ref.Alias.Name.Name != "" {
		qualifier = ident.Name{c.ref.Alias.Name.Name}
	}
	for n := min(len(qualifier), len(parts)-1); n > 0; n-- {
		same := known(n)
		for i := range n {
			same = same && c.b.same(qualifier[len(qualifier)-n+i], parts[i])
		}
		if same {
			return n, true
		}
	}
	return 0, false
}

// assigned is the value of a column or a field after SET; old is what it was.
func (c *changer) assigned(a *assignments, old expr.Expr, f types.Field, path ident.Name, s *scope, clause string) (expr.Expr, error) {
	if a.set != nil {
		return c.value(a.set.Value, f, path, s, clause)
	}
	args := make([]expr.Expr, 0, 2*len(f.Type.Fields))
	for i, inner := range f.Type.Fields {
		var v expr.Expr = &expr.GetField{Arg: old, Ordinal: i, Name: inner.Name, T: inner.Type}
		if set, ok := a.inside[i]; ok {
			var err error
			if v, err = c.assigned(set, v, inner, append(path[:len(path):len(path)], inner.Name), s, clause); err != nil {
				return nil, err
			}
		}
		args = append(args, text(inner.Name), v)
	}
	made, err := c.b.resolve("named_struct", args)
	if err != nil {
		return nil, err
	}
	return expr.Store(made, f.Type, f.Name, c.storing())
}

// value is what is stored in a column; the word DEFAULT is the column's.
func (c *changer) value(e ast.Expr, f types.Field, path ident.Name, s *scope, clause string) (expr.Expr, error) {
	if _, ok := e.(*ast.DefaultLit); ok {
		return c.b.defaultOf(f)
	}
	x, err := c.b.expr(e, &exprScope{frame: c.frame, scope: s, clause: clause})
	if err != nil {
		return nil, err
	}
	if x, err = expr.Store(x, f.Type, path.String(), c.storing()); err != nil {
		return nil, at(err, e.Span())
	}
	return x, nil
}

// storing is how values are stored: other than by INSERT, the fields of structs go by their names.
func (c *changer) storing() expr.StoreOptions {
	return expr.StoreOptions{Table: c.into.Name, Policy: c.policy, ByName: true, CaseSensitive: c.b.env.CaseSensitive, Change: true}
}

// sameColumn reports whether two expressions are one column.
func sameColumn(x, y expr.Expr) bool {
	a, ok := x.(*expr.Column)
	b, also := y.(*expr.Column)
	return ok && also && a.ID == b.ID
}

// caseOf is the value of the first condition that is TRUE; all values have the type of els.
func caseOf(whens, thens []expr.Expr, els expr.Expr) (expr.Expr, error) {
	if len(whens) == 0 {
		return els, nil
	}
	return expr.NewCase(nil, whens, thens, els)
}

func number(i int) *expr.Literal {
	return &expr.Literal{Value: int64(i), T: types.Of(types.Int)}
}

func truth(b bool) *expr.Literal {
	return &expr.Literal{Value: b, T: types.Of(types.Boolean)}
}
