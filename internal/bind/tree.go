package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
)

// mapExpr rebuilds e from the bottom up with f applied to every node; a subtree that does not change is shared. It goes
// into the argument of a sub-query but not into its plan: see mapPlanExprs. Before the children are visited, stop may
// replace a node as a whole.
func mapExpr(e expr.Expr, stop func(expr.Expr) (expr.Expr, bool), f func(expr.Expr) expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	if stop != nil {
		if r, ok := stop(e); ok {
			return r
		}
	}
	one := func(x expr.Expr) expr.Expr { return mapExpr(x, stop, f) }
	e = mapChildren(e, one)
	if f == nil {
		return e
	}
	return f(e)
}

// mapChildren rebuilds a node with its children replaced; it returns e itself when none changed.
func mapChildren(e expr.Expr, one func(expr.Expr) expr.Expr) expr.Expr {
	changed := false
	get := func(x expr.Expr) expr.Expr {
		if x == nil {
			return nil
		}
		y := one(x)
		changed = changed || y != x
		return y
	}
	list := func(xs []expr.Expr) []expr.Expr {
		var out []expr.Expr
		for i, x := range xs {
			y := one(x)
			if y != x && out == nil {
				out = append(make([]expr.Expr, 0, len(xs)), xs[:i]...)
				changed = true
			}
			if out != nil {
				out = append(out, y)
			}
		}
		if out == nil {
			return xs
		}
		return out
	}
	keys := func(xs []expr.SortKey) []expr.SortKey {
		out := make([]expr.SortKey, len(xs))
		for i, k := range xs {
			k.Expr = get(k.Expr)
			out[i] = k
		}
		return out
	}
	switch n := e.(type) {
	case *expr.Call:
		if args := list(n.Args); changed {
			c := *n
			c.Args = args
			return &c
		}
	case *expr.Cast:
		if arg := get(n.Arg); changed {
			c := *n
			c.Arg = arg
			return &c
		}
	case *expr.Case:
		whens, thens, els := list(n.Whens), list(n.Thens), get(n.Else)
		if changed {
			return &expr.Case{Whens: whens, Thens: thens, Else: els, T: n.T}
		}
	case *expr.In:
		arg, l := get(n.Arg), list(n.List)
		if changed {
			return &expr.In{Arg: arg, List: l}
		}
	case *expr.Tuple:
		if l := list(n.Elems); changed {
			return &expr.Tuple{Elems: l, T: n.T}
		}
	case *expr.GetField:
		if arg := get(n.Arg); changed {
			c := *n
			c.Arg = arg
			return &c
		}
	case *expr.Lambda:
		if body := get(n.Body); changed {
			return &expr.Lambda{Params: n.Params, Body: body}
		}
	case *expr.Subquery:
		if arg := get(n.Arg); changed {
			c := *n
			c.Arg = arg
			return &c
		}
	case *expr.Aggregate:
		args, filter, order := list(n.Args), get(n.Filter), keys(n.OrderBy)
		if changed {
			c := *n
			c.Args, c.Filter, c.OrderBy = args, filter, order
			return &c
		}
	case *expr.Window:
		args, filter, part, order, within := list(n.Args), get(n.Filter), list(n.PartitionBy), keys(n.OrderBy), keys(n.Within)
		frame := n.Frame
		if frame != nil {
			f := *frame
			f.Start.Offset, f.End.Offset = get(f.Start.Offset), get(f.End.Offset)
			frame = &f
		}
		if changed {
			c := *n
			c.Args, c.Filter, c.PartitionBy, c.OrderBy, c.Frame, c.Within = args, filter, part, order, frame, within
			return &c
		}
	}
	return e
}

// exists reports whether some node of e satisfies f.
func exists(e expr.Expr, f func(expr.Expr) bool) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		found = found || f(x)
		return !found
	})
	return found
}

func isAggregate(e expr.Expr) bool { _, ok := e.(*expr.Aggregate); return ok }
func isWindow(e expr.Expr) bool    { _, ok := e.(*expr.Window); return ok }
func isOuter(e expr.Expr) bool     { c, ok := e.(*expr.Column); return ok && c.Outer }
func isSubquery(e expr.Expr) bool  { _, ok := e.(*expr.Subquery); return ok }

// volatile reports whether e gives a new value for each row even for equal inputs.
func volatile(e expr.Expr) bool {
	return exists(e, func(x expr.Expr) bool {
		c, ok := x.(*expr.Call)
		return ok && c.Fn != nil && c.Fn.Volatile
	})
}

// random reports an expression that has new values each time it is computed. One that fails is volatile, and no more.
func random(e expr.Expr) bool {
	return exists(e, func(x expr.Expr) bool {
		c, ok := x.(*expr.Call)
		return ok && c.Fn != nil && c.Fn.Volatile && c.Fn.Name != "raise_error"
	})
}

// children are the inputs of a plan node.
func children(n plan.Node) []plan.Node {
	switch n := n.(type) {
	case *plan.Filter:
		return []plan.Node{n.Input}
	case *plan.Project:
		return []plan.Node{n.Input}
	case *plan.Aggregate:
		return []plan.Node{n.Input}
	case *plan.Windows:
		return []plan.Node{n.Input}
	case *plan.Join:
		return []plan.Node{n.Left, n.Right}
	case *plan.Sort:
		return []plan.Node{n.Input}
	case *plan.Limit:
		return []plan.Node{n.Input}
	case *plan.Distinct:
		return []plan.Node{n.Input}
	case *plan.Unnest:
		return []plan.Node{n.Input}
	case *plan.Sample:
		return []plan.Node{n.Input}
	case *plan.SetOp:
		return []plan.Node{n.Left, n.Right}
	case *plan.Recursion:
		return []plan.Node{n.Anchor, n.Step}
	case *plan.Once:
		return n.Inputs()
	case *plan.PartitionAggregate:
		return []plan.Node{n.Input}
	}
	return nil
}

// withChildren is n with other inputs; n itself when they are the same.
func withChildren(n plan.Node, in []plan.Node) plan.Node {
	same := true
	for i, c := range children(n) {
		same = same && c == in[i]
	}
	if same {
		return n
	}
	switch n := n.(type) {
	case *plan.Filter:
		return &plan.Filter{Input: in[0], Cond: n.Cond}
	case *plan.Project:
		return &plan.Project{Input: in[0], Out: n.Out, Exprs: n.Exprs}
	case *plan.Aggregate:
		c := *n
		c.Input = in[0]
		return &c
	case *plan.Windows:
		return &plan.Windows{Input: in[0], WinOut: n.WinOut, Wins: n.Wins}
	case *plan.Join:
		c := *n
		c.Left, c.Right = in[0], in[1]
		return &c
	case *plan.Sort:
		return &plan.Sort{Input: in[0], Keys: n.Keys}
	case *plan.Limit:
		c := *n
		c.Input = in[0]
		return &c
	case *plan.Distinct:
		return &plan.Distinct{Input: in[0]}
	case *plan.Unnest:
		c := *n
		c.Input = in[0]
		return &c
	case *plan.Sample:
		c := *n
		c.Input = in[0]
		return &c
	case *plan.SetOp:
		c := *n
		c.Left, c.Right = in[0], in[1]
		return &c
	case *plan.Recursion:
		c := *n
		c.Anchor, c.Step = in[0], in[1]
		return &c
	case *plan.Once:
		return n.WithInputs(in)
	case *plan.PartitionAggregate:
		c := *n
		c.Input = in[0]
		return &c
	}
	return n
}

// withExprs is n with f applied to each of its own expressions; n itself when none changed.
func withExprs(n plan.Node, f func(expr.Expr) expr.Expr) plan.Node {
	changed := false
	one := func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		x := f(e)
		changed = changed || x != e
		return x
	}
	list := func(es []expr.Expr) []expr.Expr {
		out := make([]expr.Expr, len(es))
		for i, e := range es {
			out[i] = one(e)
		}
		return out
	}
	switch n := n.(type) {
	case *plan.Filter:
		if cond := one(n.Cond); changed {
			return &plan.Filter{Input: n.Input, Cond: cond}
		}
	case *plan.Project:
		if l := list(n.Exprs); changed {
			return &plan.Project{Input: n.Input, Out: n.Out, Exprs: l}
		}
	case *plan.Aggregate:
		keys, aggs := list(n.Keys), list(n.Aggs)
		if changed {
			c := *n
			c.Keys, c.Aggs = keys, aggs
			return &c
		}
	case *plan.Windows:
		if l := list(n.Wins); changed {
			return &plan.Windows{Input: n.Input, WinOut: n.WinOut, Wins: l}
		}
	case *plan.Join:
		if cond := one(n.Cond); changed {
			c := *n
			c.Cond = cond
			return &c
		}
	case *plan.Sort:
		keys := make([]expr.SortKey, len(n.Keys))
		for i, k := range n.Keys {
			k.Expr = one(k.Expr)
			keys[i] = k
		}
		if changed {
			return &plan.Sort{Input: n.Input, Keys: keys}
		}
	case *plan.Limit:
		count, offset := one(n.Count), one(n.Offset)
		if changed {
			return &plan.Limit{Input: n.Input, Count: count, Offset: offset, All: n.All}
		}
	case *plan.Unnest:
		if l := list(n.Lists); changed {
			c := *n
			c.Lists = l
			return &c
		}
	case *plan.Values:
		rows := make([][]expr.Expr, len(n.Rows))
		for i, r := range n.Rows {
			rows[i] = list(r)
		}
		if changed {
			return &plan.Values{Out: n.Out, Rows: rows}
		}
	}
	return n
}

// mapPlan rebuilds a plan from the bottom up with f applied to every node.
func mapPlan(n plan.Node, f func(plan.Node) plan.Node) plan.Node {
	kids := children(n)
	if len(kids) > 0 {
		in := make([]plan.Node, len(kids))
		for i, k := range kids {
			in[i] = mapPlan(k, f)
		}
		n = withChildren(n, in)
	}
	return f(n)
}

// mapSubqueries applies f to the plan of every sub-query in the node's own expressions.
func mapSubqueries(n plan.Node, f func(plan.Node) plan.Node) plan.Node {
	return withExprs(n, func(e expr.Expr) expr.Expr {
		if !exists(e, isSubquery) {
			return e
		}
		return mapExpr(e, nil, func(x expr.Expr) expr.Expr {
			q, ok := x.(*expr.Subquery)
			if !ok {
				return x
			}
			in, ok := q.Query.(plan.Node)
			if !ok {
				return x
			}
			if out := f(in); out != in {
				c := *q
				c.Query = out
				return &c
			}
			return x
		})
	})
}

// replaceColumns rebuilds e with columns replaced by expressions, also where a sub-query refers to them from inside.
func replaceColumns(e expr.Expr, with map[expr.ColumnID]expr.Expr) expr.Expr {
	if len(with) == 0 {
		return e
	}
	return mapExpr(e, nil, func(x expr.Expr) expr.Expr {
		switch n := x.(type) {
		case *expr.Column:
			if r, ok := with[n.ID]; ok {
				return r
			}
		case *expr.Subquery:
			in, ok := n.Query.(plan.Node)
			if !ok {
				return x
			}
			if out := replaceOuter(in, with); out != in {
				c := *n
				c.Query = out
				return &c
			}
		}
		return x
	})
}

// replaceOuter replaces references to columns of an enclosing query within a plan. The columns of a replacement become
// references to the enclosing query.
func replaceOuter(n plan.Node, with map[expr.ColumnID]expr.Expr) plan.Node {
	outer := make(map[expr.ColumnID]expr.Expr, len(with))
	for id, e := range with {
		outer[id] = mapExpr(e, nil, func(x expr.Expr) expr.Expr {
			if c, ok := x.(*expr.Column); ok && !c.Outer {
				return &expr.Column{ID: c.ID, Name: c.Name, T: c.T, Outer: true}
			}
			return x
		})
	}
	return mapPlan(n, func(n plan.Node) plan.Node {
		return withExprs(n, func(e expr.Expr) expr.Expr { return replaceColumns(e, outer) })
	})
}

// columnsOf calls f for every column that e refers to, also from inside its sub-queries (where columns of the
// sub-query itself are reported too: their IDs occur nowhere else).
func columnsOf(e expr.Expr, f func(*expr.Column)) {
	expr.Walk(e, func(x expr.Expr) bool {
		switch n := x.(type) {
		case *expr.Column:
			f(n)
		case *expr.Subquery:
			if in, ok := n.Query.(plan.Node); ok {
				planColumns(in, f)
			}
		}
		return true
	})
}

// planColumns calls f for every column that an expression within the plan refers to.
func planColumns(n plan.Node, f func(*expr.Column)) {
	mapPlan(n, func(n plan.Node) plan.Node {
		return withExprs(n, func(e expr.Expr) expr.Expr {
			columnsOf(e, f)
			return e
		})
	})
}

// idSet is a set of columns.
type idSet map[expr.ColumnID]bool

func (s idSet) addExpr(e expr.Expr) { columnsOf(e, func(c *expr.Column) { s[c.ID] = true }) }

// meets reports a column that both sets have.
func (s idSet) meets(t idSet) bool {
	for id := range s {
		if t[id] {
			return true
		}
	}
	return false
}

func (s idSet) addAll(cols []plan.Column) {
	for _, c := range cols {
		s[c.ID] = true
	}
}

func outputSet(n plan.Node) idSet {
	s := idSet{}
	s.addAll(n.Output())
	return s
}
