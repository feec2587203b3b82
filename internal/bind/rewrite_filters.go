package bind

import (
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// pushFilters moves the conjuncts of filters down, as near to the scans as the answer allows.
func pushFilters(_ *binder, n plan.Node) plan.Node {
	p := pusher{partition: partitionColumns(n)}
	return p.push(n, nil)
}

// pusher knows the partition columns of all scans, to which conditions are worth being carried over an equality.
type pusher struct{ partition idSet }

func partitionColumns(n plan.Node) idSet {
	ids := idSet{}
	mapPlan(n, func(n plan.Node) plan.Node {
		if s, ok := n.(*plan.Scan); ok {
			for _, i := range partitionOutputs(s) {
				ids[s.Out[i].ID] = true
			}
		}
		return n
	})
	return ids
}

// push returns n filtered by conds, with conds as low as they can go.
func (p pusher) push(n plan.Node, conds []expr.Expr) plan.Node {
	switch n := n.(type) {
	case *plan.Filter:
		return p.push(n.Input, append(expr.Conjuncts(n.Cond), conds...))
	case *plan.Project:
		return p.throughProject(n, conds)
	case *plan.Join:
		return p.throughJoin(n, conds)
	case *plan.Aggregate:
		return p.throughAggregate(n, conds)
	case *plan.Windows:
		return p.throughWindows(n, conds)
	case *plan.Sort:
		down, stay := split(conds, func(e expr.Expr) bool { return !volatile(e) })
		return filter(&plan.Sort{Input: p.push(n.Input, down), Keys: n.Keys}, stay)
	case *plan.Distinct:
		down, stay := split(conds, func(e expr.Expr) bool { return !volatile(e) && !correlated(e) })
		return filter(&plan.Distinct{Input: p.push(n.Input, down)}, stay)
	case *plan.SetOp:
		return p.throughSetOp(n, conds)
	case *plan.Unnest:
		return p.throughUnnest(n, conds)
	}
	kids := children(n)
	for i, k := range kids {
		kids[i] = p.push(k, nil)
	}
	return filter(withChildren(n, kids), conds)
}

func split(conds []expr.Expr, ok func(expr.Expr) bool) (yes, no []expr.Expr) {
	for _, c := range conds {
		if ok(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}

// throughProject replaces computed columns by what they are computed from, unless that would compute something random
// or a sub-query a second time.
func (p pusher) throughProject(n *plan.Project, conds []expr.Expr) plan.Node {
	with := map[expr.ColumnID]expr.Expr{}
	fixed := idSet{}
	for i, c := range n.Out {
		e := n.Exprs[i]
		if ref, ok := e.(*expr.Column); ok && ref.ID == c.ID {
			continue
		}
		with[c.ID] = e
		if volatile(e) || exists(e, isSubquery) {
			fixed[c.ID] = true
		}
	}
	down, stay := split(conds, func(e expr.Expr) bool {
		free := !volatile(e)
		columnsOf(e, func(c *expr.Column) { free = free && !fixed[c.ID] })
		return free
	})
	for i := range down {
		down[i] = replaceColumns(down[i], with)
	}
	return filter(&plan.Project{Input: p.push(n.Input, down), Out: n.Out, Exprs: n.Exprs}, stay)
}

// sides tells which inputs of a join a condition reads.
func sides(e expr.Expr, left, right idSet) (l, r bool) {
	columnsOf(e, func(c *expr.Column) {
		l = l || left[c.ID]
		r = r || right[c.ID]
	})
	return l, r
}

// throughJoin hands conditions to the side that they are about. What an outer join would fill with NULLs afterwards
// cannot be filtered before.
func (p pusher) throughJoin(n *plan.Join, conds []expr.Expr) plan.Node {
	left, right := outputSet(n.Left), outputSet(n.Right)
	on := expr.Conjuncts(n.Cond)
	var toLeft, toRight, onStay, stay []expr.Expr
	inner := n.Kind == plan.InnerJoin || n.Kind == plan.CrossJoin
	keepLeft := inner || n.Kind == plan.LeftJoin || n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin
	for _, c := range conds {
		l, r := sides(c, left, right)
		switch {
		case volatile(c) || !l && !r || asksPerRow(c):
			stay = append(stay, c)
		case l && !r && keepLeft:
			toLeft = append(toLeft, c)
		case r && !l && (inner || n.Kind == plan.RightJoin):
			toRight = append(toRight, c)
		case inner && !exists(c, isSubquery):
			onStay = append(onStay, c)
		default:
			stay = append(stay, c)
		}
	}
	for _, c := range on {
		l, r := sides(c, left, right)
		switch {
		case volatile(c):
			onStay = append(onStay, c)
		case l && !r && (inner || n.Kind == plan.RightJoin || n.Kind == plan.SemiJoin):
			toLeft = append(toLeft, c)
		case r && !l && (inner || n.Kind == plan.LeftJoin || n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin):
			toRight = append(toRight, c)
		default:
			onStay = append(onStay, c)
		}
	}
	toLeft, toRight = p.carry(n.Kind, onStay, toLeft, toRight, left)
	j := *n
	j.Left, j.Right = p.push(n.Left, toLeft), p.push(n.Right, toRight)
	j.Cond = expr.And(onStay...)
	switch {
	case inner && j.Cond == nil:
		j.Kind = plan.CrossJoin
	case inner:
		j.Kind = plan.InnerJoin
	case j.Cond == nil && n.Cond != nil:
		// Everything went down; what joins is the rest, whatever it is.
		j.Cond = &expr.Literal{Value: true, T: types.Of(types.Boolean)}
	}
	return filter(&j, stay)
}

// carry copies what one side's column is known to be over an equality to the other side's partition column: with
// t.p = u.p and u.p = 3, the partitions of t are pruned too.
func (p pusher) carry(kind plan.JoinKind, on, toLeft, toRight []expr.Expr, left idSet) ([]expr.Expr, []expr.Expr) {
	both := kind == plan.InnerJoin || kind == plan.CrossJoin || kind == plan.SemiJoin
	if !both && kind != plan.LeftJoin && kind != plan.AntiJoin {
		return toLeft, toRight
	}
	known := map[string]bool{}
	for _, c := range append(slices.Clone(toLeft), toRight...) {
		known[keyOf(c)] = true
	}
	l, r := toLeft, toRight
	for _, c := range on {
		call, ok := c.(*expr.Call)
		if !ok || call.Fn.Name != "=" && call.Fn.Name != "==" {
			continue
		}
		x, xok := call.Args[0].(*expr.Column)
		y, yok := call.Args[1].(*expr.Column)
		if !xok || !yok || x.Outer || y.Outer || !types.Equal(x.T, y.T) || !interchangeable(x.T.Kind) {
			continue
		}
		if !left[x.ID] {
			x, y = y, x
		}
		if p.partition[y.ID] {
			r = append(r, copies(toLeft, x, y, known)...)
		}
		if p.partition[x.ID] && both {
			l = append(l, copies(toRight, y, x, known)...)
		}
	}
	return l, r
}

// interchangeable reports whether equal values of a kind are alike in every respect: 0.0 and -0.0 are not, nor are a
// CHAR and the same with more blanks.
func interchangeable(k types.Kind) bool {
	return k.IsIntegral() || k == types.String || k == types.Date || k == types.Timestamp || k == types.TimestampNTZ || k == types.Boolean
}

// correlated reports a reference to an enclosing query. Such conditions stay where they were written: engines take
// sub-queries apart best there.
func correlated(e expr.Expr) bool {
	return exists(e, func(x expr.Expr) bool {
		c, ok := x.(*expr.Column)
		return ok && c.Outer
	})
}

// asksPerRow reports a sub-query about the row at hand. It becomes a join, which is best done last: the other joins may
// leave few rows to ask about.
func asksPerRow(e expr.Expr) bool {
	return exists(e, func(x expr.Expr) bool {
		s, ok := x.(*expr.Subquery)
		if !ok {
			return false
		}
		in, ok := s.Query.(plan.Node)
		if !ok {
			return false
		}
		found := false
		planColumns(in, func(c *expr.Column) { found = found || c.Outer })
		return found
	})
}

// copies are the conditions about from alone, said of to.
func copies(conds []expr.Expr, from, to *expr.Column, known map[string]bool) []expr.Expr {
	var out []expr.Expr
	for _, c := range conds {
		if ids := expr.Columns(c); len(ids) != 1 || ids[0] != from.ID || !expr.CanEval(c) {
			continue
		}
		e := replaceColumns(c, map[expr.ColumnID]expr.Expr{from.ID: to})
		if k := keyOf(e); !known[k] {
			known[k] = true
			out = append(out, e)
		}
	}
	return out
}

// throughAggregate lets pass what is said about keys alone: whole groups go or stay.
func (p pusher) throughAggregate(n *plan.Aggregate, conds []expr.Expr) plan.Node {
	with := map[expr.ColumnID]expr.Expr{}
	fixed := idSet{}
	fixed.addAll(n.AggOut)
	for i, c := range n.KeyOut {
		with[c.ID] = n.Keys[i]
		if volatile(n.Keys[i]) || exists(n.Keys[i], isSubquery) || n.Sets != nil {
			fixed[c.ID] = true
		}
	}
	if n.Grouping != nil {
		fixed[n.Grouping.ID] = true
	}
	down, stay := split(conds, func(e expr.Expr) bool {
		free, any := !volatile(e) && !correlated(e), false
		columnsOf(e, func(c *expr.Column) {
			free = free && !fixed[c.ID]
			_, key := with[c.ID]
			any = any || key
		})
		return free && any && len(n.Keys) > 0
	})
	for i := range down {
		down[i] = replaceColumns(down[i], with)
	}
	a := *n
	a.Input = p.push(n.Input, down)
	return filter(&a, stay)
}

// throughWindows lets pass what is said about columns that every window is partitioned by: whole partitions go or stay.
func (p pusher) throughWindows(n *plan.Windows, conds []expr.Expr) plan.Node {
	var common idSet
	for _, e := range n.Wins {
		ids := idSet{}
		if w, ok := e.(*expr.Window); ok {
			for _, k := range w.PartitionBy {
				if c, ok := k.(*expr.Column); ok {
					ids[c.ID] = true
				}
			}
		}
		if common == nil {
			common = ids
			continue
		}
		for id := range common {
			if !ids[id] {
				delete(common, id)
			}
		}
	}
	mine := outputSet(n)
	down, stay := split(conds, func(e expr.Expr) bool {
		free, any := !volatile(e) && !correlated(e), false
		columnsOf(e, func(c *expr.Column) {
			free = free && (common[c.ID] || !mine[c.ID])
			any = any || common[c.ID]
		})
		return free && any
	})
	return filter(&plan.Windows{Input: p.push(n.Input, down), WinOut: n.WinOut, Wins: n.Wins}, stay)
}

// throughUnnest lets pass what is not about the elements.
func (p pusher) throughUnnest(n *plan.Unnest, conds []expr.Expr) plan.Node {
	made := idSet{}
	made.addAll(n.Out)
	if n.Position != nil {
		made[n.Position.ID] = true
	}
	down, stay := split(conds, func(e expr.Expr) bool {
		free := !volatile(e)
		columnsOf(e, func(c *expr.Column) { free = free && !made[c.ID] })
		return free
	})
	u := *n
	u.Input = p.push(n.Input, down)
	return filter(&u, stay)
}

// throughSetOp says the condition of both inputs: equal rows pass or fail together.
func (p pusher) throughSetOp(n *plan.SetOp, conds []expr.Expr) plan.Node {
	down, stay := split(conds, func(e expr.Expr) bool { return !volatile(e) && !correlated(e) && !exists(e, isSubquery) })
	side := func(in plan.Node) plan.Node {
		out := in.Output()
		with := map[expr.ColumnID]expr.Expr{}
		for i, c := range n.Out {
			with[c.ID] = columnRef(out[i])
		}
		conds := make([]expr.Expr, len(down))
		for i := range down {
			conds[i] = replaceColumns(down[i], with)
		}
		return p.push(in, conds)
	}
	s := *n
	s.Left, s.Right = side(n.Left), side(n.Right)
	return filter(&s, stay)
}
