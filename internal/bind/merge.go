package bind

import (
	"context"
	"errors"
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// BindMerge binds MERGE INTO: see BindDelete. Several rows of the source to which a clause applies for one row of the
// target are DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE when Find runs, unless all that clauses do is delete. The
// source is read several times, so that it cannot hold a random function.
func BindMerge(ctx context.Context, n *ast.Merge, target InsertTarget, policy expr.StorePolicy, env Env) (*Change, error) {
	c, err := newChanger(ctx, n.With, n.Table, n.Alias, target, env)
	if err != nil {
		return nil, err
	}
	c.policy = policy
	m := &merger{changer: c, stmt: n}
	for _, clause := range n.Clauses {
		m.of[clause.Rows] = append(m.of[clause.Rows], clause)
	}
	out := &Change{Inserts: len(m.of[ast.NotMatched]) > 0}
	if len(m.of[ast.Matched])+len(m.of[ast.NotMatchedBySource]) > 0 {
		if out.Find, err = m.find(); err != nil {
			return nil, err
		}
	}
	out.Copy, err = m.copied(out.Find != nil)
	return out, err
}

// MergeSource gives the columns of the source of a MERGE.
func MergeSource(ctx context.Context, n *ast.Merge, env Env) ([]types.Field, error) {
	b := newBinder(ctx, env)
	f, _, err := b.with(n.With, b.top())
	if err != nil {
		return nil, err
	}
	_, s, err := b.relation(n.Source, f, nil)
	if err != nil {
		return nil, err
	}
	var out []types.Field
	for _, c := range s.columns {
		out = append(out, types.Field{Name: c.Name, Type: c.Type})
	}
	return out, nil
}

// merger binds a MERGE. Each way in which rows of the target and the source meet is a branch of its own, so that a row of
// the target comes once whatever matches it:
//
//   - rows of the target, with the row of the source to which a MATCHED clause applies beside them if there is one;
//   - where NOT MATCHED BY SOURCE matters, those without any row of the source apart from the others;
//   - rows of the source without one of the target.
type merger struct {
	*changer
	stmt *ast.Merge
	of   [3][]*ast.MergeClause // by MergeRows
}

// source reads the source anew.
func (m *merger) source() (plan.Node, *scope, error) {
	node, s, err := m.b.relation(m.stmt.Source, m.frame, nil)
	if err != nil {
		return nil, nil, err
	}
	if volatilePlan(node) {
		return nil, nil, sqlerr.MergeSourceNotDeterministic().At(m.stmt.Source.Span())
	}
	return node, s, nil
}

// pair is the target and the source, both read anew, with the ON condition over their columns.
type pair struct {
	rows *changed
	node plan.Node // the source
	src  *scope
	both *scope
	on   expr.Expr
}

func (m *merger) pair() (*pair, error) {
	rows, err := m.target()
	if err != nil {
		return nil, err
	}
	p := &pair{rows: rows}
	if p.node, p.src, err = m.source(); err != nil {
		return nil, err
	}
	p.both = &scope{parent: m.frame.outer}
	p.both.add(rows.scope.columns...)
	p.both.add(p.src.columns...)
	p.on, err = m.mergeCondition(m.stmt.On, p.both, "SEARCH")
	return p, err
}

// mergeCondition binds ON, or the condition of a clause; name is SEARCH, UPDATE, DELETE or INSERT.
func (m *merger) mergeCondition(e ast.Expr, s *scope, name string) (expr.Expr, error) {
	cond, err := m.b.condition(e, &exprScope{frame: m.frame, scope: s, clause: "MERGE"}, sqlerr.FilterNotBoolean)
	if err != nil {
		return nil, err
	}
	switch {
	case exists(cond, isSubquery):
		return nil, sqlerr.MergeSubquery(name, m.b.text(e)).At(e.Span())
	case volatile(cond):
		return nil, sqlerr.MergeNotDeterministic(name, m.b.text(e)).At(e.Span())
	}
	return cond, nil
}

var mergeActionNames = [...]string{ast.MergeDelete: "DELETE", ast.MergeUpdate: "UPDATE", ast.MergeInsert: "INSERT"}

// conditions are those of clauses, TRUE for a clause without one.
func (m *merger) conditions(clauses []*ast.MergeClause, s *scope) ([]expr.Expr, error) {
	var out []expr.Expr
	for _, c := range clauses {
		if c.Cond == nil {
			out = append(out, truth(true))
			continue
		}
		cond, err := m.mergeCondition(c.Cond, s, mergeActionNames[c.Action])
		if err != nil {
			return nil, err
		}
		out = append(out, cond)
	}
	return out, nil
}

// applies is whether any of clauses applies, FALSE without clauses.
func (m *merger) applies(clauses []*ast.MergeClause, s *scope) (expr.Expr, error) {
	conds, err := m.conditions(clauses, s)
	if err != nil {
		return nil, err
	}
	var any expr.Expr = truth(false)
	for i, c := range conds {
		if clauses[i].Cond == nil {
			return truth(true), nil
		}
		if any, err = m.b.resolve("or", []expr.Expr{any, c}); err != nil {
			return nil, err
		}
	}
	return m.b.isTrue(m.b.foldTree(any))
}

// action is what the first clause that applies does to a row of the target: changeNone without one.
func (m *merger) action(clauses []*ast.MergeClause, s *scope) (expr.Expr, error) {
	conds, err := m.conditions(clauses, s)
	if err != nil {
		return nil, err
	}
	var thens []expr.Expr
	for _, c := range clauses {
		kind := changeUpdate
		if c.Action == ast.MergeDelete {
			kind = changeDelete
		}
		thens = append(thens, number(kind))
	}
	return caseOf(conds, thens, number(changeNone))
}

// find says which files hold rows that change, or, when rows may be added, that match at all: the rows of the source are
// looked for among them again.
func (m *merger) find() (plan.Node, error) {
	b := m.b
	p, err := m.pair()
	if err != nil {
		return nil, err
	}
	act, err := m.action(m.of[ast.Matched], p.both)
	if err != nil {
		return nil, err
	}
	joined := &plan.Join{Kind: plan.InnerJoin, Left: p.rows.scan, Right: p.node, Cond: p.on}
	acts, err := m.actions(joined, p.rows, act, len(m.of[ast.NotMatched]) == 0)
	if err != nil {
		return nil, err
	}
	if len(m.of[ast.NotMatchedBySource]) > 0 {
		alone, rows, err := m.unmatched()
		if err != nil {
			return nil, err
		}
		act, err := m.action(m.of[ast.NotMatchedBySource], rows.scope)
		if err != nil {
			return nil, err
		}
		more, err := m.actions(alone, rows, act, true)
		if err != nil {
			return nil, err
		}
		acts = b.unionAll(acts, more)
	}
	// One row for each of the target: several clauses that apply to it are an error.
	out := acts.Output()
	file, row, action := out[0], out[1], out[2]
	each := &plan.Aggregate{
		Input: acts, Keys: []expr.Expr{columnRef(file), columnRef(row)},
		KeyOut: []plan.Column{b.newColumn("file", file.Type), b.newColumn("row", row.Type)},
	}
	changes, err := b.resolve("!=", []expr.Expr{columnRef(action), number(changeNone)})
	if err != nil {
		return nil, err
	}
	count, err := b.resolve("count_if", []expr.Expr{changes})
	if err != nil {
		return nil, err
	}
	most, err := b.resolve("max", []expr.Expr{columnRef(action)})
	if err != nil {
		return nil, err
	}
	n, kind := b.newColumn("n", count.Type()), b.newColumn("action", most.Type())
	each.AggOut, each.Aggs = []plan.Column{n, kind}, []expr.Expr{count, most}
	once := expr.Expr(columnRef(kind))
	if !m.deletesOnly() {
		one, err := b.resolve("<=", []expr.Expr{columnRef(n), &expr.Literal{Value: int64(1), T: n.Type}})
		if err != nil {
			return nil, err
		}
		once = expr.Require(one, once, sqlerr.MergeManySources())
	}
	file, action = b.newColumn("file", file.Type), b.newColumn("action", kind.Type)
	node := &plan.Project{Input: each, Out: []plan.Column{file, action}, Exprs: []expr.Expr{columnRef(each.KeyOut[0]), once}}
	return m.counted(node, file, action)
}

// deletesOnly reports whether all that happens to rows that match is that they go: how many matches they have does not
// matter then.
func (m *merger) deletesOnly() bool {
	for _, c := range m.of[ast.Matched] {
		if c.Action != ast.MergeDelete {
			return false
		}
	}
	return true
}

// actions are file, row and action; onlyChanged leaves out rows that stay as they are.
func (m *merger) actions(node plan.Node, rows *changed, act expr.Expr, onlyChanged bool) (plan.Node, error) {
	a := m.b.newColumn("action", types.Of(types.Int))
	p := &plan.Project{
		Input: node, Out: []plan.Column{rows.file, rows.row, a},
		Exprs: []expr.Expr{columnRef(rows.file), columnRef(rows.row), act},
	}
	if !onlyChanged {
		return p, nil
	}
	some, err := m.b.resolve("!=", []expr.Expr{columnRef(a), number(changeNone)})
	if err != nil {
		return nil, err
	}
	return &plan.Filter{Input: p, Cond: some}, nil
}

// unmatched are the rows of the target that no row of the source matches.
func (m *merger) unmatched() (plan.Node, *changed, error) {
	p, err := m.pair()
	if err != nil {
		return nil, nil, err
	}
	return &plan.Join{Kind: plan.AntiJoin, Left: p.rows.scan, Right: p.node, Cond: p.on}, p.rows, nil
}

func (b *binder) unionAll(left, right plan.Node) plan.Node {
	s := &plan.SetOp{Kind: plan.Union, All: true, Left: left, Right: right}
	for _, c := range left.Output() {
		s.Out = append(s.Out, b.newColumn(c.Name, c.Type))
	}
	return s
}

// copied makes the rows of the new files; replaces tells that files of the target are replaced.
func (m *merger) copied(replaces bool) (plan.Node, error) {
	var branches []plan.Node
	if replaces {
		list, err := m.kept()
		if err != nil {
			return nil, err
		}
		branches = append(branches, list...)
	}
	if len(m.of[ast.NotMatched]) > 0 {
		added, err := m.added(replaces)
		if err != nil {
			return nil, err
		}
		branches = append(branches, added)
	}
	node := branches[0]
	for _, n := range branches[1:] {
		node = m.b.unionAll(node, n)
	}
	var values []expr.Expr
	for _, c := range node.Output() {
		values = append(values, columnRef(c))
	}
	return m.written(node, values)
}

// kept are the rows of the files to replace, changed and without those that are deleted.
func (m *merger) kept() ([]plan.Node, error) {
	var branches []plan.Node
	p, err := m.pair()
	if err != nil {
		return nil, err
	}
	left := plan.Node(p.rows.scan)
	if len(m.of[ast.NotMatchedBySource]) > 0 {
		alone, rows, err := m.unmatched()
		if err != nil {
			return nil, err
		}
		branch, err := m.changedRows(alone, rows, m.of[ast.NotMatchedBySource], rows.scope, nil)
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
		if left, err = m.matched(p); err != nil {
			return nil, err
		}
	}
	applies, err := m.applies(m.of[ast.Matched], p.both)
	if err != nil {
		return nil, err
	}
	// The source's rows carry a mark, which is NULL where none applies.
	mark := m.b.newColumn("there", types.Of(types.Boolean))
	marked := passing(p.node)
	marked.Out, marked.Exprs = append(marked.Out, mark), append(marked.Exprs, truth(true))
	joined := &plan.Join{Kind: plan.LeftJoin, Left: left, Right: marked, Cond: expr.And(p.on, applies)}
	branch, err := m.changedRows(joined, p.rows, m.of[ast.Matched], p.both, &mark)
	if err != nil {
		return nil, err
	}
	return append(branches, branch), nil
}

// matched are the rows of the target of p that some row of the source, read anew, matches.
func (m *merger) matched(p *pair) (plan.Node, error) {
	node, s, err := m.source()
	if err != nil {
		return nil, err
	}
	both := &scope{parent: m.frame.outer}
	both.add(p.rows.scope.columns...)
	both.add(s.columns...)
	on, err := m.mergeCondition(m.stmt.On, both, "SEARCH")
	if err != nil {
		return nil, err
	}
	return &plan.Join{Kind: plan.SemiJoin, Left: p.rows.scan, Right: node, Cond: on}, nil
}

// changedRows applies clauses to rows of the target. there, when not nil, is NULL in rows that they are not for.
func (m *merger) changedRows(node plan.Node, rows *changed, clauses []*ast.MergeClause, s *scope, there *plan.Column) (plan.Node, error) {
	b := m.b
	conds, err := m.conditions(clauses, s)
	if err != nil {
		return nil, err
	}
	which := b.newColumn("clause", types.Of(types.Int))
	var thens []expr.Expr
	for i, c := range clauses {
		if there != nil {
			if conds[i], err = b.resolve("and", []expr.Expr{columnRef(*there), conds[i]}); err != nil {
				return nil, err
			}
		}
		k := i + 1
		if c.Action == ast.MergeDelete {
			k = -1
		}
		thens = append(thens, number(k))
	}
	first, err := caseOf(conds, thens, number(0))
	if err != nil {
		return nil, err
	}
	chosen := passing(node)
	chosen.Out, chosen.Exprs = append(chosen.Out, which), append(chosen.Exprs, first)
	stays, err := b.resolve(">=", []expr.Expr{columnRef(which), number(0)})
	if err != nil {
		return nil, err
	}
	values := make([][]expr.Expr, len(clauses))
	for i, c := range clauses {
		if c.Action != ast.MergeUpdate {
			continue
		}
		if c.Star {
			values[i], err = m.byName(s, rows)
		} else {
			values[i], err = m.assign(c.Set, rows, s, "MERGE")
		}
		if err != nil {
			return nil, err
		}
	}
	out := &plan.Project{Input: &plan.Filter{Input: chosen, Cond: stays}}
	for k, old := range rows.fields() {
		var whens, thens []expr.Expr
		for i := range clauses {
			if values[i] == nil || sameColumn(values[i][k], old) {
				continue
			}
			is, err := b.resolve("=", []expr.Expr{columnRef(which), number(i + 1)})
			if err != nil {
				return nil, err
			}
			whens, thens = append(whens, is), append(thens, values[i][k])
		}
		v, err := caseOf(whens, thens, old)
		if err != nil {
			return nil, err
		}
		f := m.into.Columns[k]
		out.Out, out.Exprs = append(out.Out, b.newColumn(f.Name, f.Type)), append(out.Exprs, v)
	}
	return out, nil
}

// byName are the values of UPDATE SET * and INSERT *: of each column of the target, the source's of that name. rows is
// the target, whose columns are in s as well, or nil.
func (m *merger) byName(s *scope, rows *changed) ([]expr.Expr, error) {
	theirs := s
	if rows != nil {
		own := idSet{}
		for _, c := range rows.columns {
			own[c.ID] = true
		}
		theirs = &scope{parent: s.parent}
		for _, c := range s.columns {
			if !own[c.ID] {
				theirs.add(c)
			}
		}
	}
	var out []expr.Expr
	lacks := make([]bool, len(m.into.Columns))
	for i, f := range m.into.Columns {
		// What the source lacks stays as it is, when the table may take its columns, or is computed.
		if m.stmt.Evolve && !slices.ContainsFunc(theirs.columns, func(c column) bool { return m.b.same(c.Name, f.Name) }) {
			lacks[i] = true
			if rows != nil {
				out = append(out, rows.fields()[i])
				continue
			}
			v, err := m.b.defaultOf(f)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
			continue
		}
		ref := &ast.ColumnRef{Parts: []ast.Ident{{Name: f.Name, Quoted: true}}}
		v, err := m.value(ref, f, ident.Name{f.Name}, theirs, "MERGE")
		if err != nil {
			return nil, at(err, m.stmt.Source.Span())
		}
		out = append(out, v)
	}
	return out, m.generate(out, func(column int) bool { return !lacks[column] })
}

// generate computes the generated columns that are not given from the other values of a row.
func (m *merger) generate(values []expr.Expr, given func(column int) bool) error {
	others := slices.Clone(values)
	for _, g := range m.into.Generated {
		if given(g.Column) {
			continue
		}
		var err error
		if values[g.Column], _, err = m.b.generated(g, m.into, func(i int) expr.Expr { return others[i] }); err != nil {
			return err
		}
	}
	return nil
}

// added are the rows of the source that no row of the target matches, as the clauses make them.
func (m *merger) added(confined bool) (plan.Node, error) {
	b := m.b
	p, err := m.pair()
	if err != nil {
		return nil, err
	}
	p.rows.scan.Changed = confined
	alone := &plan.Join{Kind: plan.AntiJoin, Left: p.node, Right: p.rows.scan, Cond: p.on}
	clauses := m.of[ast.NotMatched]
	conds, err := m.conditions(clauses, p.src)
	if err != nil {
		return nil, err
	}
	which := b.newColumn("clause", types.Of(types.Int))
	var thens []expr.Expr
	for i := range clauses {
		thens = append(thens, number(i))
	}
	first, err := caseOf(conds, thens, number(-1))
	if err != nil {
		return nil, err
	}
	chosen := passing(alone)
	chosen.Out, chosen.Exprs = append(chosen.Out, which), append(chosen.Exprs, first)
	some, err := b.resolve(">=", []expr.Expr{columnRef(which), number(0)})
	if err != nil {
		return nil, err
	}
	values := make([][]expr.Expr, len(clauses))
	for i, c := range clauses {
		if c.Star {
			values[i], err = m.byName(p.src, nil)
		} else {
			values[i], err = m.insertValues(c, p.src)
		}
		if err != nil {
			return nil, err
		}
	}
	out := &plan.Project{Input: &plan.Filter{Input: chosen, Cond: some}}
	last := len(clauses) - 1
	for k, f := range m.into.Columns {
		var whens, thens []expr.Expr
		for i := range last {
			is, err := b.resolve("=", []expr.Expr{columnRef(which), number(i)})
			if err != nil {
				return nil, err
			}
			whens, thens = append(whens, is), append(thens, values[i][k])
		}
		v, err := caseOf(whens, thens, values[last][k])
		if err != nil {
			return nil, err
		}
		out.Out, out.Exprs = append(out.Out, b.newColumn(f.Name, f.Type)), append(out.Exprs, v)
	}
	return out, nil
}

// insertValues are the values of INSERT (…) VALUES (…); a column that it does not name has its default.
func (m *merger) insertValues(c *ast.MergeClause, s *scope) ([]expr.Expr, error) {
	tree := &assignments{}
	for i := range c.Columns {
		a := &ast.Assignment{At: c.Columns[i].At, Column: c.Columns[i], Value: c.Values[i]}
		if k, ok := m.column(a.Column.Ident()); ok && len(a.Column.Ident()) > k+1 {
			return nil, sqlerr.DeltaNestedInsert(a.Column.Ident().Quoted()).At(a.Column.Span())
		}
		if err := m.place(tree, a); err != nil {
			if errors.Is(err, sqlerr.Condition("DELTA_CONFLICT_SET_COLUMN")) {
				err = sqlerr.MergeInsertTwice(a.Column.Ident().Quoted()).At(a.Column.Span())
			}
			return nil, err
		}
	}
	var out []expr.Expr
	for i, f := range m.into.Columns {
		var v expr.Expr
		var err error
		if a, ok := tree.inside[i]; ok {
			v, err = m.value(a.set.Value, f, ident.Name{f.Name}, s, "MERGE")
		} else {
			v, err = m.b.defaultOf(f)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, m.generate(out, func(column int) bool { return tree.inside[column] != nil })
}
