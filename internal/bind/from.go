package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// from binds the FROM clause: a comma list is a chain of cross joins.
func (b *binder) from(list []ast.Relation, f *frame) (plan.Node, *scope, error) {
	if len(list) == 0 {
		return &plan.OneRow{}, &scope{parent: f.outer}, nil
	}
	node, s, err := b.relation(list[0], f, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range list[1:] {
		// A comma binds as tightly as JOIN does: the joins of a later element take in all that stands before them.
		chain := joinChain(r)
		if len(chain) > 0 {
			r = chain[len(chain)-1].L
		}
		right, rs, err := b.relation(r, f, s)
		if err != nil {
			return nil, nil, err
		}
		node = &plan.Join{Kind: plan.CrossJoin, Left: node, Right: right, Lateral: isLateral(r)}
		joined := &scope{parent: f.outer}
		joined.add(s.columns...)
		joined.add(rs.columns...)
		s = joined
		for i := len(chain) - 1; i >= 0; i-- {
			if node, s, err = b.joinOne(chain[i], node, s, f); err != nil {
				return nil, nil, err
			}
		}
	}
	s.parent = f.outer
	return node, s, nil
}

func isLateral(r ast.Relation) bool {
	switch r := r.(type) {
	case *ast.SubqueryRef:
		return r.Lateral
	case *ast.FunctionRef:
		return r.Lateral
	}
	return false
}

// relation binds one relation. left is what stands to its left, for LATERAL.
func (b *binder) relation(r ast.Relation, f *frame, left *scope) (plan.Node, *scope, error) {
	switch r := r.(type) {
	case *ast.TableRef:
		return b.tableRef(r, f)
	case *ast.SubqueryRef:
		if r.Sample != nil {
			return nil, nil, unsupportedSample(r.Sample)
		}
		inner := *f
		if r.Lateral && left != nil {
			inner.outer = &scope{parent: f.outer, columns: left.columns}
		}
		node, err := b.query(r.Query, &inner)
		if err != nil {
			return nil, nil, err
		}
		s := b.outputScope(node, nil, f)
		return b.alias(node, s, r.Alias, r.Span())
	case *ast.FunctionRef:
		return b.tableFunction(r, f, left)
	case *ast.ValuesRef:
		return b.values(r.Values, f)
	case *ast.ParenRef:
		if r.Sample != nil {
			return nil, nil, unsupportedSample(r.Sample)
		}
		node, s, err := b.relation(r.Input, f, left)
		if err != nil {
			return nil, nil, err
		}
		return b.alias(node, s, r.Alias, r.Span())
	case *ast.Join:
		return b.join(r, f, left)
	case *ast.Pivot:
		return b.pivot(r, f, left)
	case *ast.Unpivot:
		return b.unpivot(r, f, left)
	}
	return nil, nil, sqlerr.Unsupported("RELATION", "this form of relation").At(r.Span())
}

func unsupportedSample(s *ast.Sample) error {
	return sqlerr.Unsupported("TABLESAMPLE", "TABLESAMPLE").At(s.Span())
}

// outputScope makes the columns of a node nameable under a qualifier.
func (b *binder) outputScope(node plan.Node, qualifier ident.Name, f *frame) *scope {
	s := &scope{parent: f.outer}
	out := node.Output()
	for i, o := range origins(node) {
		s.add(column{Column: out[i], qualifier: qualifier, origin: o})
	}
	return s
}

// alias renames a relation, and its columns when names are given.
func (b *binder) alias(node plan.Node, s *scope, a *ast.TableAlias, span sqlerr.Span) (plan.Node, *scope, error) {
	if a == nil {
		return node, s, nil
	}
	cols := s.visible()
	if len(a.Columns) > 0 && len(a.Columns) != len(cols) {
		return nil, nil, sqlerr.ArityMismatch(len(a.Columns), len(cols)).At(span)
	}
	out := &scope{parent: s.parent}
	for i, c := range cols {
		if a.Name.Name != "" {
			c.qualifier = ident.Name{a.Name.Name}
		}
		if len(a.Columns) > 0 {
			c.Name = a.Columns[i].Name
		}
		out.add(c)
	}
	if scan, ok := node.(*plan.Scan); ok && a.Name.Name != "" {
		scan.Alias = a.Name.Name
	}
	return node, out, nil
}

// tableRef binds a name in FROM: a common table expression, or what Relations knows.
func (b *binder) tableRef(r *ast.TableRef, f *frame) (plan.Node, *scope, error) {
	name := r.Name.Ident()
	switch {
	case r.AsOf != nil:
		return nil, nil, sqlerr.Unsupported("TIME_TRAVEL", "reading "+name.Quoted()+" as of an earlier version").At(r.Span())
	case r.Sample != nil:
		return nil, nil, unsupportedSample(r.Sample)
	}
	var node plan.Node
	var s *scope
	var err error
	if c := b.findCTE(f, name.Last()); c != nil && len(name) == 1 {
		node, s, err = b.cteRef(c, name, f)
	} else {
		node, s, err = b.stored(r, name, f)
	}
	if err != nil {
		return nil, nil, err
	}
	return b.alias(node, s, r.Alias, r.Span())
}

func (b *binder) cteRef(c *cte, name ident.Name, f *frame) (plan.Node, *scope, error) {
	c.used = true
	node, err := b.query(c.def.Query, c.from)
	if err != nil {
		return nil, nil, err
	}
	s := b.outputScope(node, ident.Name{name.Last()}, f)
	if len(c.def.Columns) == 0 {
		return node, s, nil
	}
	return b.alias(node, s, &ast.TableAlias{Columns: c.def.Columns}, c.def.Span())
}

// stored binds a table, path, view or supplied relation.
func (b *binder) stored(r *ast.TableRef, name ident.Name, f *frame) (plan.Node, *scope, error) {
	var rel *Relation
	var err error
	if b.env.Relations != nil {
		rel, err = b.env.Relations.Relation(b.ctx, name, f.namespace)
	}
	if err != nil {
		return nil, nil, at(err, r.Name.Span())
	}
	if rel == nil {
		var near []string
		if b.env.Relations != nil {
			for _, n := range b.env.Relations.Near(b.ctx, name, f.namespace) {
				near = append(near, n.Quoted())
			}
		}
		return nil, nil, sqlerr.TableOrViewNotFound(name.Quoted(), near).At(r.Name.Span())
	}
	if len(r.Options) > 0 {
		return nil, nil, sqlerr.Unsupported("TABLE_OPTIONS", "options after a table's name").At(r.Span())
	}
	switch {
	case rel.View != nil:
		node, err := b.view(rel, name, f, r.Name.Span())
		if err != nil {
			return nil, nil, err
		}
		return node, b.outputScope(node, rel.Name, f), nil
	case rel.Supplied != nil:
		n := &plan.Supplied{Rows: rel.Supplied.Rows, Label: rel.Supplied.Label}
		for _, c := range rel.Supplied.Fields {
			n.Out = append(n.Out, b.newColumn(c.Name, c.Type))
		}
		return n, b.outputScope(n, rel.Name, f), nil
	}
	n := &plan.Scan{Relation: rel.Scan, Alias: name.Last()}
	for i, c := range rel.Scan.Schema {
		n.Out = append(n.Out, b.newColumn(c.Name, c.Type))
		n.Fields = append(n.Fields, i)
	}
	return n, b.outputScope(n, rel.Name, f), nil
}

// tableFunction binds a function in FROM.
func (b *binder) tableFunction(r *ast.FunctionRef, f *frame, left *scope) (plan.Node, *scope, error) {
	name := strings.ToLower(r.Call.Name.Ident().Last())
	if name != "range" || len(r.Call.Name.Parts) != 1 {
		if _, known := expr.Lookup(name); known || generators[name] {
			return nil, nil, sqlerr.Unsupported("TABLE_FUNCTION", "the function "+name+" in FROM").At(r.Span())
		}
		fn, err := b.sqlFunction(r.Call.Name.Ident(), f)
		if err != nil {
			return nil, nil, at(err, r.Call.Name.Span())
		}
		if fn != nil {
			return b.tableRoutine(fn, r, f, left)
		}
		return nil, nil, sqlerr.TableFunctionNotFound(r.Call.Name.Ident().Quoted()).At(r.Span())
	}
	node, err := b.rangeFunction(r.Call, f)
	if err != nil {
		return nil, nil, at(err, r.Call.Span())
	}
	s := b.outputScope(node, nil, f)
	return b.alias(node, s, r.Alias, r.Span())
}

var generators = map[string]bool{
	"explode": true, "explode_outer": true, "posexplode": true, "posexplode_outer": true, "inline": true,
	"inline_outer": true, "stack": true, "json_tuple": true, "collations": true, "sql_keywords": true, "variant_explode": true,
}

// rangeFunction is range(end), range(start, end[, step[, partitions]]): BIGINT numbers in the column id.
func (b *binder) rangeFunction(c *ast.Call, f *frame) (plan.Node, error) {
	if len(c.Args) < 1 || len(c.Args) > 4 {
		return nil, sqlerr.WrongNumArgs("range", "[1, 2, 3, 4]", len(c.Args))
	}
	vals := []int64{0, 0, 1, 0}
	for i, a := range c.Args {
		x, err := b.expr(a.Expr, &exprScope{frame: f, scope: &scope{}, clause: "range"})
		if err != nil {
			return nil, err
		}
		if x, err = expr.NewCast(x, types.Of(types.BigInt), expr.CastANSI); err != nil {
			return nil, err
		}
		if !expr.CanEval(x) {
			return nil, sqlerr.Unsupported("TABLE_FUNCTION", "range over values that are not constant")
		}
		v, err := expr.Eval(x, b.env.Context, nil)
		if err != nil {
			return nil, err
		}
		n, ok := v.(int64)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(b.text(c), i+1, `"BIGINT"`, b.text(a.Expr), "VOID")
		}
		if len(c.Args) == 1 {
			vals[1] = n
		} else {
			vals[i] = n
		}
	}
	if vals[2] == 0 {
		return nil, sqlerr.Unsupported("TABLE_FUNCTION", "range with a step of 0")
	}
	return &plan.Range{Out: b.newColumn("id", types.Of(types.BigInt)), Start: vals[0], End: vals[1], Step: vals[2]}, nil
}
