package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// partitionOutputs are the positions in s.Out that are partition columns.
func partitionOutputs(s *plan.Scan) []int {
	var out []int
	for i, f := range s.Fields {
		if f < 0 {
			continue
		}
		for _, p := range s.Relation.Partition {
			if strings.EqualFold(p, s.Relation.Schema[f].Name) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// pruneScan gives scans the conditions that say which partitions matter. The filter keeps them all: Prune may be
// answered loosely.
func pruneScan(_ *binder, n plan.Node) plan.Node {
	return mapPlan(n, func(n plan.Node) plan.Node {
		f, ok := n.(*plan.Filter)
		if !ok {
			return n
		}
		s, ok := f.Input.(*plan.Scan)
		if !ok {
			return n
		}
		ids := idSet{}
		for _, i := range partitionOutputs(s) {
			ids[s.Out[i].ID] = true
		}
		if len(ids) == 0 && !s.Relation.Statistics {
			return n
		}
		c := *s
		if s.Relation.Statistics {
			c.Skip = append(append([]expr.Expr(nil), s.Skip...), expr.Conjuncts(f.Cond)...)
		}
		c.Prune = append([]expr.Expr(nil), s.Prune...)
		for _, cond := range expr.Conjuncts(f.Cond) {
			if w := weaken(cond, ids); w != nil {
				c.Prune = append(c.Prune, w)
			}
		}
		return &plan.Filter{Input: &c, Cond: f.Cond}
	})
}

// weaken is a condition over the given columns alone that is true wherever e is, or nil when there is none to speak of.
func weaken(e expr.Expr, ids idSet) expr.Expr {
	if onlyColumns(e, ids) && expr.CanEval(e) {
		return e
	}
	switch n := e.(type) {
	case *expr.Call:
		if len(n.Args) != 2 {
			return nil
		}
		switch n.Fn.Name {
		case "and":
			return expr.And(weaken(n.Args[0], ids), weaken(n.Args[1], ids))
		case "or":
			l := weaken(n.Args[0], ids)
			if l == nil {
				return nil
			}
			if r := weaken(n.Args[1], ids); r != nil {
				return expr.Or(l, r)
			}
		case "=", "==":
			// (a, b) = (1, 'x') is a = 1 and b = 'x'.
			l, r, ok := tuples(n.Args[0], n.Args[1])
			if !ok {
				return nil
			}
			return weakenRows(l, []expr.Expr{r}, ids)
		}
	case *expr.In:
		if t, ok := n.Arg.(*expr.Tuple); ok {
			return weakenRows(t, n.List, ids)
		}
	}
	return nil
}

func onlyColumns(e expr.Expr, ids idSet) bool {
	ok := true
	columnsOf(e, func(c *expr.Column) { ok = ok && ids[c.ID] && !c.Outer })
	return ok
}

// weakenRows keeps the positions of (a, b) IN ((1, 'x'), …) that are about the columns.
func weakenRows(arg *expr.Tuple, list []expr.Expr, ids idSet) expr.Expr {
	var keep []int
	for j := range arg.Elems {
		usable := func(e expr.Expr) bool { return onlyColumns(e, ids) && expr.CanEval(e) }
		ok := usable(arg.Elems[j])
		for _, r := range list {
			t, isTuple := rowElems(r)
			ok = ok && isTuple && len(t) == len(arg.Elems) && usable(t[j])
		}
		if ok {
			keep = append(keep, j)
		}
	}
	if len(keep) == 0 {
		return nil
	}
	pick := func(elems []expr.Expr) expr.Expr {
		if len(keep) == 1 {
			return elems[keep[0]]
		}
		var out []expr.Expr
		for _, j := range keep {
			out = append(out, elems[j])
		}
		return expr.NewTuple(out)
	}
	in := &expr.In{Arg: pick(arg.Elems)}
	for _, r := range list {
		elems, _ := rowElems(r)
		in.List = append(in.List, pick(elems))
	}
	return in
}

// rowElems are the elements of a row, also of one that was folded to a constant.
func rowElems(e expr.Expr) ([]expr.Expr, bool) {
	switch n := e.(type) {
	case *expr.Tuple:
		return n.Elems, true
	case *expr.Literal:
		vals, ok := n.Value.([]types.Value)
		if !ok || len(vals) != len(n.T.Fields) {
			return nil, false
		}
		out := make([]expr.Expr, len(vals))
		for i, v := range vals {
			out[i] = &expr.Literal{Value: v, T: n.T.Fields[i].Type}
		}
		return out, true
	}
	return nil, false
}

// pruneColumns drops the columns that nothing reads, down to the scans.
func pruneColumns(b *binder, n plan.Node) plan.Node {
	n = shortExists(b, n)
	return need(n, outputSet(n))
}

// shortExists lets EXISTS (SELECT …) read no columns: only whether there is a row counts.
func shortExists(b *binder, n plan.Node) plan.Node {
	return mapPlan(n, func(n plan.Node) plan.Node {
		return withExprs(n, func(e expr.Expr) expr.Expr {
			return mapExpr(e, nil, func(x expr.Expr) expr.Expr {
				q, ok := x.(*expr.Subquery)
				if !ok || q.Kind != expr.ExistsSubquery {
					return x
				}
				p, ok := q.Query.(*plan.Project)
				if !ok || len(p.Exprs) == 1 && isLiteral(p.Exprs[0]) {
					return x
				}
				one := &plan.Project{
					Input: p.Input, Out: []plan.Column{b.newColumn("1", types.Of(types.Int))},
					Exprs: []expr.Expr{&expr.Literal{Value: int64(1), T: types.Of(types.Int)}},
				}
				c := *q
				c.Query = need(one, outputSet(one))
				return &c
			})
		})
	})
}

func isLiteral(e expr.Expr) bool { _, ok := e.(*expr.Literal); return ok }

// need returns n with at least the wanted columns of its output, and as few others as it can.
func need(n plan.Node, want idSet) plan.Node {
	// more is want and what the node's own expressions read.
	more := func(es ...expr.Expr) idSet {
		s := idSet{}
		for id := range want {
			s[id] = true
		}
		for _, e := range es {
			if e != nil {
				s.addExpr(e)
			}
		}
		return s
	}
	switch n := n.(type) {
	case *plan.Scan:
		return needScan(n, more(n.Prune...))
	case *plan.Filter:
		return &plan.Filter{Input: need(n.Input, more(n.Cond)), Cond: n.Cond}
	case *plan.Project:
		p := &plan.Project{}
		ids := idSet{}
		for i, c := range n.Out {
			if want[c.ID] {
				p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, n.Exprs[i])
				ids.addExpr(n.Exprs[i])
			}
		}
		p.Input = need(n.Input, ids)
		return p
	case *plan.Aggregate:
		return needAggregate(n, want)
	case *plan.Windows:
		w := &plan.Windows{}
		ids := more()
		for i, c := range n.WinOut {
			if want[c.ID] {
				w.WinOut, w.Wins = append(w.WinOut, c), append(w.Wins, n.Wins[i])
				ids.addExpr(n.Wins[i])
			}
		}
		w.Input = need(n.Input, ids)
		if len(w.Wins) == 0 {
			return w.Input
		}
		return w
	case *plan.Join:
		j := *n
		ids := more(n.Cond)
		j.Right = need(n.Right, ids)
		if n.Lateral {
			planColumns(j.Right, func(c *expr.Column) { ids[c.ID] = true })
		}
		j.Left = need(n.Left, ids)
		return &j
	case *plan.Sort:
		var keys []expr.Expr
		for _, k := range n.Keys {
			keys = append(keys, k.Expr)
		}
		return &plan.Sort{Input: need(n.Input, more(keys...)), Keys: n.Keys}
	case *plan.Limit:
		return &plan.Limit{Input: need(n.Input, more(n.Count, n.Offset)), Count: n.Count, Offset: n.Offset, All: n.All}
	case *plan.Distinct:
		return &plan.Distinct{Input: need(n.Input, outputSet(n.Input))}
	case *plan.SetOp:
		return needSetOp(n, want)
	case *plan.Unnest:
		return needUnnest(n, want, more)
	case *plan.Sample:
		c := *n
		c.Input = need(n.Input, want)
		return &c
	case *plan.Once:
		in := n.Inputs()
		for i, p := range n.Parts { // references take any of a part's columns, by their places
			in[i] = need(p.Query, outputSet(p.Query))
		}
		in[len(n.Parts)] = need(n.Input, want)
		return n.WithInputs(in)
	case *plan.Recursion:
		// A step may read any column of the rows before.
		r := *n
		r.Anchor, r.Step = need(n.Anchor, outputSet(n.Anchor)), need(n.Step, outputSet(n.Step))
		return &r
	}
	return n
}

func needScan(n *plan.Scan, want idSet) plan.Node {
	s := *n
	s.Out, s.Fields = nil, nil
	for i, c := range n.Out {
		if want[c.ID] {
			s.Out, s.Fields = append(s.Out, c), append(s.Fields, n.Fields[i])
		}
	}
	return &s
}

// needUnnest drops lists whose elements nothing reads; one must stay, which says how many rows there are.
func needUnnest(n *plan.Unnest, want idSet, more func(...expr.Expr) idSet) plan.Node {
	u := *n
	u.Lists, u.Out = nil, nil
	for i, c := range n.Out {
		if want[c.ID] || len(u.Out) == 0 && i == len(n.Out)-1 {
			u.Lists, u.Out = append(u.Lists, n.Lists[i]), append(u.Out, c)
		}
	}
	if n.Position != nil && !want[n.Position.ID] {
		u.Position = nil
	}
	u.Input = need(n.Input, more(u.Lists...))
	return &u
}

func needAggregate(n *plan.Aggregate, want idSet) plan.Node {
	a := *n
	a.Aggs, a.AggOut = nil, nil
	ids := idSet{}
	for i, c := range n.AggOut {
		if want[c.ID] {
			a.Aggs, a.AggOut = append(a.Aggs, n.Aggs[i]), append(a.AggOut, c)
			ids.addExpr(n.Aggs[i])
		}
	}
	for _, k := range n.Keys {
		ids.addExpr(k)
	}
	a.Input = need(n.Input, ids)
	return &a
}

// needSetOp drops columns of UNION ALL on both sides; the other set operations compare whole rows.
func needSetOp(n *plan.SetOp, want idSet) plan.Node {
	s := *n
	if n.Kind != plan.Union || !n.All {
		s.Left, s.Right = need(n.Left, outputSet(n.Left)), need(n.Right, outputSet(n.Right))
		return &s
	}
	s.Out = nil
	var at []int
	for i, c := range n.Out {
		if want[c.ID] {
			at = append(at, i)
			s.Out = append(s.Out, c)
		}
	}
	side := func(in plan.Node) plan.Node {
		out := in.Output()
		cols := make([]column, len(at))
		ids := idSet{}
		for k, i := range at {
			cols[k] = column{Column: out[i]}
			ids[out[i].ID] = true
		}
		return projectColumns(need(in, ids), cols)
	}
	s.Left, s.Right = side(n.Left), side(n.Right)
	return &s
}
