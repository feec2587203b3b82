package plan

import "github.com/tarnlake/tarn/internal/expr"

// Walk calls visit for every node of a plan, a node before its inputs, and enters the queries of sub-queries in
// expressions. The scan that a PartitionAggregate stands for is not visited unless it is read, which visit may decide. It stops at
// the first error.
func Walk(n Node, visit func(Node) error) error {
	if n == nil {
		return nil
	}
	if err := visit(n); err != nil {
		return err
	}
	for _, e := range Exprs(n) {
		if err := walkExpr(e, visit); err != nil {
			return err
		}
	}
	for _, in := range Inputs(n) {
		if err := Walk(in, visit); err != nil {
			return err
		}
	}
	return nil
}

func walkExpr(e expr.Expr, visit func(Node) error) error {
	var failed error
	expr.Walk(e, func(x expr.Expr) bool {
		if sub, ok := x.(*expr.Subquery); ok && failed == nil {
			if q, ok := sub.Query.(Node); ok {
				failed = Walk(q, visit)
			}
		}
		return failed == nil
	})
	return failed
}

// Inputs are the nodes that a node reads.
func Inputs(n Node) []Node {
	switch n := n.(type) {
	case *Filter:
		return []Node{n.Input}
	case *Project:
		return []Node{n.Input}
	case *Aggregate:
		return []Node{n.Input}
	case *Windows:
		return []Node{n.Input}
	case *Join:
		return []Node{n.Left, n.Right}
	case *Sort:
		return []Node{n.Input}
	case *Limit:
		return []Node{n.Input}
	case *Distinct:
		return []Node{n.Input}
	case *Unnest:
		return []Node{n.Input}
	case *Sample:
		return []Node{n.Input}
	case *SetOp:
		return []Node{n.Left, n.Right}
	case *Recursion:
		return []Node{n.Anchor, n.Step}
	case *Once:
		return n.Inputs()
	case *PartitionAggregate:
		return []Node{n.Running()}
	}
	return nil
}

// Exprs are the expressions of a node, not those of its inputs.
func Exprs(n Node) []expr.Expr {
	var out []expr.Expr
	add := func(es ...expr.Expr) {
		for _, e := range es {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	switch n := n.(type) {
	case *Values:
		for _, row := range n.Rows {
			add(row...)
		}
	case *Filter:
		add(n.Cond)
	case *Project:
		add(n.Exprs...)
	case *Aggregate:
		add(n.Keys...)
		add(n.Aggs...)
	case *Windows:
		add(n.Wins...)
	case *Join:
		add(n.Cond)
	case *Sort:
		for _, k := range n.Keys {
			add(k.Expr)
		}
	case *Limit:
		add(n.Count, n.Offset)
	case *Unnest:
		add(n.Lists...)
	}
	return out
}
