package expr

import "slices"

// children lists the direct sub-expressions, NULLs of optional parts left out. The query of a Subquery is not one.
func children(e Expr) []Expr {
	var out []Expr
	add := func(es ...Expr) {
		for _, x := range es {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	keys := func(ks []SortKey) {
		for _, k := range ks {
			add(k.Expr)
		}
	}
	switch n := e.(type) {
	case *Call:
		return n.Args
	case *Cast:
		add(n.Arg)
	case *Case:
		for i := range n.Whens {
			add(n.Whens[i], n.Thens[i])
		}
		add(n.Else)
	case *In:
		add(n.Arg)
		add(n.List...)
	case *Tuple:
		return n.Elems
	case *GetField:
		add(n.Arg)
	case *Lambda:
		add(n.Body)
	case *Subquery:
		add(n.Arg)
	case *Aggregate:
		add(n.Args...)
		add(n.Filter)
		keys(n.OrderBy)
	case *Window:
		add(n.Args...)
		add(n.Filter)
		keys(n.Within)
		add(n.PartitionBy...)
		keys(n.OrderBy)
		if n.Frame != nil {
			add(n.Frame.Start.Offset, n.Frame.End.Offset)
		}
	}
	return out
}

// Walk calls visit for e and, while visit answers true, for everything below it, parents first. It keeps its own stack:
// chains of any length are safe.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil {
		return
	}
	stack := []Expr{e}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !visit(x) {
			continue
		}
		c := children(x)
		for i := len(c) - 1; i >= 0; i-- {
			stack = append(stack, c[i])
		}
	}
}

// Transform rebuilds e from the leaves up: f sees each node after its children were replaced and gives what stands
// there instead. Nodes whose children did not change are not copied.
func Transform(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	changed := false
	one := func(x Expr) Expr {
		if x == nil {
			return nil
		}
		y := Transform(x, f)
		changed = changed || y != x
		return y
	}
	list := func(xs []Expr) []Expr {
		var out []Expr
		for i, x := range xs {
			if y := one(x); out == nil && y != x {
				out = slices.Clone(xs)
				out[i] = y
			} else if out != nil {
				out[i] = y
			}
		}
		if out == nil {
			return xs
		}
		return out
	}
	keys := func(ks []SortKey) []SortKey {
		out := slices.Clone(ks)
		for i := range out {
			out[i].Expr = one(out[i].Expr)
		}
		return out
	}
	var made Expr
	switch n := e.(type) {
	case *Call:
		c := *n
		c.Args = list(n.Args)
		made = &c
	case *Cast:
		c := *n
		c.Arg = one(n.Arg)
		made = &c
	case *Case:
		c := *n
		c.Whens, c.Thens, c.Else = list(n.Whens), list(n.Thens), one(n.Else)
		made = &c
	case *In:
		c := *n
		c.Arg, c.List = one(n.Arg), list(n.List)
		made = &c
	case *Tuple:
		c := *n
		c.Elems = list(n.Elems)
		made = &c
	case *GetField:
		c := *n
		c.Arg = one(n.Arg)
		made = &c
	case *Lambda:
		made = &Lambda{Params: n.Params, Body: one(n.Body)}
	case *Subquery:
		c := *n
		c.Arg = one(n.Arg)
		made = &c
	case *Aggregate:
		c := *n
		c.Args, c.Filter, c.OrderBy = list(n.Args), one(n.Filter), keys(n.OrderBy)
		made = &c
	case *Window:
		c := *n
		c.Args, c.Filter, c.PartitionBy, c.OrderBy = list(n.Args), one(n.Filter), list(n.PartitionBy), keys(n.OrderBy)
		c.Within = keys(n.Within)
		if n.Frame != nil {
			frame := *n.Frame
			frame.Start.Offset, frame.End.Offset = one(frame.Start.Offset), one(frame.End.Offset)
			c.Frame = &frame
		}
		made = &c
	}
	if !changed {
		made = e
	}
	return f(made)
}

// Columns lists the columns that e reads, each once, in order of appearance; columns of enclosing queries are left
// out.
func Columns(e Expr) []ColumnID {
	var out []ColumnID
	seen := map[ColumnID]bool{}
	Walk(e, func(x Expr) bool {
		if c, ok := x.(*Column); ok && !c.Outer && !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, c.ID)
		}
		return true
	})
	return out
}

// Conjuncts splits a predicate at its ANDs, in order.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	var out []Expr
	stack := []Expr{e}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c, ok := x.(*Call); ok && c.Fn.Name == "and" {
			for i := len(c.Args) - 1; i >= 0; i-- {
				stack = append(stack, c.Args[i])
			}
			continue
		}
		out = append(out, x)
	}
	return out
}

// And joins predicates by AND, as a balanced tree; none give nil.
func And(es ...Expr) Expr { return join("and", es) }

// Or joins predicates by OR, as a balanced tree; none give nil.
func Or(es ...Expr) Expr { return join("or", es) }

func join(name string, es []Expr) Expr {
	es = slices.DeleteFunc(slices.Clone(es), func(e Expr) bool { return e == nil })
	switch len(es) {
	case 0:
		return nil
	case 1:
		return es[0]
	}
	mid := len(es) / 2
	row := registry[name][0]
	return &Call{Fn: row, Args: []Expr{join(name, es[:mid]), join(name, es[mid:])}, T: row.Returns}
}
