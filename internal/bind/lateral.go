package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// lateralKinds are the names of the joins whose right side cannot be lateral.
var lateralKinds = map[ast.JoinKind]string{
	ast.RightJoin: "RIGHT OUTER", ast.FullJoin: "FULL OUTER", ast.SemiJoin: "LEFT SEMI", ast.AntiJoin: "LEFT ANTI",
}

// checkLateral refuses what a lateral join cannot be computed for. r is nil for a comma.
func (b *binder) checkLateral(n *plan.Join, r *ast.Join, right ast.Relation) error {
	if !n.Lateral {
		return nil
	}
	if r != nil {
		if kind, ok := lateralKinds[r.Kind]; ok {
			return sqlerr.LateralJoinType(kind).At(right.Span())
		}
		if n.Cond != nil && volatile(n.Cond) {
			return sqlerr.LateralCondition(b.text(r.On)).At(r.On.Span())
		}
	}
	if volatilePlan(n.Right) && !atMostOne(n.Left) {
		return sqlerr.RandomLateral().At(right.Span())
	}
	return nil
}

// volatilePlan reports a plan that gives new rows each time.
func volatilePlan(n plan.Node) bool {
	found := false
	_ = plan.Walk(n, func(n plan.Node) error {
		if s, ok := n.(*plan.Sample); ok {
			found = found || !s.Seeded && s.Fraction > 0 && s.Fraction < 1
		}
		for _, e := range plan.Exprs(n) {
			found = found || random(e)
		}
		return nil
	})
	return found
}

// atMostOne reports a plan that is known to give no more than one row.
func atMostOne(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.OneRow:
		return true
	case *plan.Values:
		return len(n.Rows) <= 1
	case *plan.Supplied:
		return len(n.Rows) <= 1
	case *plan.Aggregate:
		return len(n.Keys) == 0
	case *plan.Limit:
		if l, ok := n.Count.(*expr.Literal); ok {
			if v, ok := l.Value.(int64); ok && v <= 1 {
				return true
			}
		}
		return atMostOne(n.Input)
	case *plan.Filter, *plan.Project, *plan.Sort, *plan.Distinct, *plan.Windows, *plan.Sample:
		return atMostOne(children(n)[0])
	}
	return false
}

// inlineLateral computes a lateral query that reads nothing but the row it is for in place: LATERAL explode(t.a) takes
// the rows of t apart, without a join.
func inlineLateral(_ *binder, n plan.Node) plan.Node {
	return mapPlan(n, func(n plan.Node) plan.Node {
		j, ok := n.(*plan.Join)
		if !ok || !j.Lateral {
			return n
		}
		switch j.Kind {
		case plan.InnerJoin, plan.CrossJoin:
			in := graft(j.Right, j.Left)
			if in == nil {
				return n
			}
			return filter(in, expr.Conjuncts(j.Cond))
		case plan.LeftJoin:
			if j.Cond != nil && !isTrue(j.Cond) {
				return n
			}
			right := keepingRows(j.Right)
			if right != nil && j.Cond == nil {
				// Without ON, Spark computes such a join in place too, and loses the rows that the function makes none for.
				right = j.Right
			}
			if right == nil {
				return n
			}
			if in := graft(right, j.Left); in != nil {
				return in
			}
		}
		return n
	})
}

// graft is a chain of operators over no relation put on top of left, or nil when the plan is something else. Its output is
// left's, then its own.
func graft(n, left plan.Node) plan.Node {
	mine := outputSet(left)
	local := func(e expr.Expr) expr.Expr {
		return mapExpr(e, nil, func(x expr.Expr) expr.Expr {
			if c, ok := x.(*expr.Column); ok && c.Outer && mine[c.ID] {
				return &expr.Column{ID: c.ID, Name: c.Name, T: c.T}
			}
			return x
		})
	}
	var on func(n plan.Node) plan.Node
	on = func(n plan.Node) plan.Node {
		switch n := n.(type) {
		case *plan.OneRow:
			return left
		case *plan.Filter:
			if in := on(n.Input); in != nil {
				return &plan.Filter{Input: in, Cond: local(n.Cond)}
			}
		case *plan.Unnest:
			if in := on(n.Input); in != nil {
				u := withExprs(n, local).(*plan.Unnest)
				c := *u
				c.Input = in
				return &c
			}
		case *plan.Project:
			in := on(n.Input)
			if in == nil {
				return nil
			}
			p := passing(in)
			have := outputSet(in)
			for i, c := range n.Out {
				if !have[c.ID] {
					p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, local(n.Exprs[i]))
				}
			}
			return p
		}
		return nil
	}
	return on(n)
}

// keepingRows is the right side of a lateral left join, made to give a row of NULLs where it gave none; nil when that
// cannot be said of it.
func keepingRows(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Unnest:
		if _, ok := n.Input.(*plan.OneRow); !ok {
			if p, ok := n.Input.(*plan.Project); !ok {
				return nil
			} else if _, ok := p.Input.(*plan.OneRow); !ok {
				return nil
			}
		}
		c := *n
		c.Outer = true
		return &c
	case *plan.Project:
		for _, e := range n.Exprs {
			if f, ok := e.(*expr.GetField); ok {
				e = f.Arg
			}
			if c, ok := e.(*expr.Column); !ok || c.Outer {
				return nil
			}
		}
		if in := keepingRows(n.Input); in != nil {
			return &plan.Project{Input: in, Out: n.Out, Exprs: n.Exprs}
		}
	}
	return nil
}
