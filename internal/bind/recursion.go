package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Spark's bounds of recursion where the session says nothing.
const (
	defaultLevels = 100
	defaultRows   = 1_000_000
)

// loopPart is what part of a recursive query is being bound, which decides what a reference to the query itself means.
type loopPart uint8

const (
	outsideStep  loopPart = iota // a reference is an error
	distinctStep                 // the right side of UNION: a reference is an error of its own
	insideStep
)

// loop is a recursive common table expression while it is being bound.
type loop struct {
	id      plan.LoopID
	part    loopPart
	columns []plan.Column // the anchor's, by the names that the definition gives
	refs    int
}

// definition binds what a common table expression stands for.
func (b *binder) definition(c *cte) (plan.Node, error) {
	if err := b.expand(); err != nil {
		return nil, at(err, c.def.Span())
	}
	if c.within != nil {
		// What a recursive query defines for itself is outside of its step, wherever it is used.
		defer func(part loopPart) { c.within.part = part }(c.within.part)
		c.within.part = outsideStep
	}
	if !c.recursive {
		if c.def.MaxLevel != nil {
			return nil, sqlerr.InvalidStatement("MAX RECURSION LEVEL without WITH RECURSIVE").At(c.def.Span())
		}
		return b.query(c.def.Query, c.from)
	}
	defer func(l *loop) { c.loop = l }(c.loop)
	b.loops++
	c.loop = &loop{id: b.loops}
	q := c.def.Query
	op, ok := q.Body.(*ast.SetOp)
	if !ok || op.Kind != ast.Union || len(ordering(q)) > 0 || len(q.DistributeBy) > 0 || q.Limit != nil || q.Offset != nil {
		return b.query(q, c.from)
	}
	return b.recursiveUnion(c, op)
}

// recursiveUnion binds anchor UNION ALL step. Without a reference to itself it is a union like any other.
func (b *binder) recursiveUnion(c *cte, op *ast.SetOp) (plan.Node, error) {
	l := c.loop
	f, defined, err := b.with(c.def.Query.With, c.from)
	if err != nil {
		return nil, err
	}
	for _, d := range defined {
		d.within = l
	}
	within := *f
	within.start = false
	anchor, err := b.body(op.L, &within)
	if err != nil {
		return nil, err
	}
	l.columns = anchor.Output()
	if n := len(c.def.Columns); n > 0 && n != len(l.columns) {
		return nil, sqlerr.ArityMismatch(n, len(l.columns)).At(c.def.Span())
	}
	l.part = distinctStep
	if op.All {
		l.part = insideStep
	}
	step, err := b.body(op.R, &within)
	if err != nil {
		return nil, err
	}
	l.part = outsideStep
	if err := b.unused(defined); err != nil {
		return nil, err
	}
	if l.refs == 0 {
		return b.combine(op, anchor, step)
	}
	return b.closeLoop(c, op, anchor, step)
}

// closeLoop makes the recursion of a bound anchor and step. The anchor's types hold; a step that needs wider ones is refused.
func (b *binder) closeLoop(c *cte, op *ast.SetOp, anchor, step plan.Node) (plan.Node, error) {
	have, give := anchor.Output(), step.Output()
	if len(have) != len(give) {
		return nil, sqlerr.NumColumnsMismatch("UNION ALL", len(have), len(give)).At(op.Span())
	}
	want := make([]types.Type, len(have))
	r := &plan.Recursion{ID: c.loop.id, Anchor: anchor, Levels: b.env.RecursionLevels, Rows: b.env.RecursionRows, Limit: -1}
	for i, col := range have {
		t, ok := expr.CommonType(col.Type, give[i].Type)
		if !ok || !types.Equal(t, col.Type) {
			return nil, sqlerr.RecursionTypes(col.Type.SQL(), give[i].Type.SQL()).At(op.Span())
		}
		want[i] = t
		r.Out = append(r.Out, b.newColumn(col.Name, t))
	}
	var err error
	if r.Step, err = b.widen(step, want); err != nil {
		return nil, at(err, op.Span())
	}
	if misplaced(r.Step, r.ID) {
		return nil, sqlerr.RecursivePlace(ident.Quote(c.def.Name.Name)).At(op.Span())
	}
	if len(free(r)) > 0 {
		return nil, sqlerr.SubqueryPlace("ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED", "a recursive query cannot use columns of the query around it").At(op.Span())
	}
	if r.Levels == 0 {
		r.Levels = defaultLevels
	}
	if r.Rows == 0 {
		r.Rows = defaultRows
	}
	if c.def.MaxLevel != nil {
		if r.Levels, err = b.maxLevel(c.def.MaxLevel); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// maxLevel is the number of MAX RECURSION LEVEL.
func (b *binder) maxLevel(e ast.Expr) (int64, error) {
	if n, ok := ordinal(e); ok {
		return n, nil
	}
	return 0, sqlerr.InvalidStatement("MAX RECURSION LEVEL of anything but a number").At(e.Span())
}

// ownRows is a reference of a recursive query to itself.
func (b *binder) ownRows(c *cte, name ident.Name, r *ast.TableRef, f *frame) (plan.Node, *scope, error) {
	l := c.loop
	switch l.part {
	case outsideStep:
		return nil, nil, sqlerr.InvalidRecursiveCTE(ident.Quote(c.def.Name.Name)).At(r.Span())
	case distinctStep:
		return nil, nil, sqlerr.UnionInRecursiveCTE().At(c.def.Query.Span())
	}
	l.refs++
	ref := &plan.RecursionRef{Loop: l.id}
	for i, col := range l.columns {
		if len(c.def.Columns) > 0 {
			col.Name = c.def.Columns[i].Name
		}
		ref.Out = append(ref.Out, b.newColumn(col.Name, col.Type))
	}
	return ref, b.outputScope(ref, ident.Name{name.Last()}, f), nil
}

// misplaced reports a reference to a loop where the rows of a single step do not tell the answer.
func misplaced(n plan.Node, loop plan.LoopID) bool {
	if !plan.RefersTo(n, loop) {
		return false
	}
	in := func(n plan.Node) bool { return plan.RefersTo(n, loop) }
	switch n := n.(type) {
	case *plan.Aggregate, *plan.Windows, *plan.Sort, *plan.Recursion:
		return true
	case *plan.Join:
		switch n.Kind {
		case plan.LeftJoin, plan.SemiJoin, plan.AntiJoin:
			if in(n.Right) {
				return true
			}
		case plan.RightJoin:
			if in(n.Left) {
				return true
			}
		case plan.FullJoin:
			return true
		}
	}
	found := false
	for _, c := range children(n) {
		found = found || misplaced(c, loop)
	}
	mapSubqueries(n, func(q plan.Node) plan.Node {
		found = found || misplaced(q, loop)
		return q
	})
	return found
}

// pushLimits tells recursions how many rows are asked for, through what gives a row at least for each of theirs: a recursion
// without an end is cut short where its own rows are limited, as in Spark, and nowhere else.
func pushLimits(b *binder, n plan.Node) plan.Node {
	if b.loops == 0 {
		return n
	}
	return mapPlan(n, func(n plan.Node) plan.Node {
		n = withExprs(n, func(e expr.Expr) expr.Expr {
			return mapExpr(e, nil, func(x expr.Expr) expr.Expr {
				q, ok := x.(*expr.Subquery)
				if !ok || q.Kind != expr.ExistsSubquery || len(freeOf(q)) > 0 {
					return x
				}
				c := *q
				c.Query = limited(q.Query.(plan.Node), 1)
				return &c
			})
		})
		l, ok := n.(*plan.Limit)
		switch {
		case !ok:
			return n
		case l.All:
			return limited(l.Input, allRows)
		case l.Count == nil:
			return n
		}
		return &plan.Limit{Input: limited(l.Input, constantCount(l.Count)+constantCount(l.Offset)), Count: l.Count, Offset: l.Offset}
	})
}

// allRows is the limit of LIMIT ALL: the rows of a recursion are not counted.
const allRows = -1

func constantCount(e expr.Expr) int64 {
	if l, ok := e.(*expr.Literal); ok {
		n, _ := l.Value.(int64)
		return n
	}
	return 0
}

func limited(n plan.Node, count int64) plan.Node {
	switch n := n.(type) {
	case *plan.Recursion:
		r := *n
		r.Rows = -1
		if count != allRows && (r.Limit < 0 || count < r.Limit) {
			r.Limit = count
		}
		return &r
	case *plan.Project:
		return &plan.Project{Input: limited(n.Input, count), Out: n.Out, Exprs: n.Exprs}
	case *plan.Limit:
		if n.Count == nil && count != allRows {
			return &plan.Limit{Input: limited(n.Input, count+constantCount(n.Offset)), Offset: n.Offset}
		}
	case *plan.SetOp:
		if n.Kind == plan.Union && n.All {
			s := *n
			s.Left, s.Right = limited(n.Left, count), limited(n.Right, count)
			return &s
		}
	case *plan.Join:
		j := *n
		switch {
		case n.Lateral:
			return n
		case n.Kind == plan.CrossJoin || n.Kind == plan.InnerJoin && n.Cond == nil:
			j.Left, j.Right = limited(n.Left, count), limited(n.Right, count)
		case n.Kind == plan.LeftJoin:
			j.Left = limited(n.Left, count)
		case n.Kind == plan.RightJoin:
			j.Right = limited(n.Right, count)
		}
		return &j
	}
	return n
}
