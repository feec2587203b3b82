package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// idempotent are the aggregates that do not care how often a value occurs.
var idempotent = map[string]bool{
	"min": true, "max": true, "bool_and": true, "bool_or": true, "every": true, "some": true, "any": true,
	"bit_and": true, "bit_or": true,
}

// partitionAggregate finds queries over partition columns alone and answers them with one row per partition that is
// not empty: MIN, MAX and DISTINCT do not care how often a value occurs, and COUNT adds the partitions' rows up.
func partitionAggregate(b *binder, n plan.Node) plan.Node {
	return mapPlan(n, func(n plan.Node) plan.Node {
		switch n := n.(type) {
		case *plan.Aggregate:
			if m := b.metadataAggregate(n); m != nil {
				return m
			}
			if m := b.statisticsAggregate(n); m != nil {
				return m
			}
		case *plan.Distinct:
			if m := b.metadataDistinct(n); m != nil {
				return m
			}
		}
		return n
	})
}

// partitionScan is the scan at the bottom of projections and filters over partition columns, or nil.
func partitionScan(n plan.Node) *plan.Scan {
	for {
		switch x := n.(type) {
		case *plan.Filter:
			if volatile(x.Cond) {
				return nil
			}
			n = x.Input
		case *plan.Project:
			for _, e := range x.Exprs {
				if volatile(e) {
					return nil
				}
			}
			n = x.Input
		case *plan.Scan:
			if len(x.Relation.Partition) == 0 && !x.Relation.Counted || len(partitionOutputs(x)) != len(x.Out) {
				return nil
			}
			return x
		default:
			return nil
		}
	}
}

// source makes the node's rows, one per partition, and puts them in place of the scan. With rows the number of rows is
// handed up through the projections.
func (b *binder) source(n plan.Node, scan *plan.Scan, rows bool) (plan.Node, *plan.Supplied, plan.Column) {
	count := plan.BigIntColumn(b.newID(), "rows")
	s := &plan.Supplied{Out: append(append([]plan.Column(nil), scan.Out...), count), Label: "partitions"}
	var build func(plan.Node) plan.Node
	build = func(n plan.Node) plan.Node {
		switch x := n.(type) {
		case *plan.Filter:
			return &plan.Filter{Input: build(x.Input), Cond: x.Cond}
		case *plan.Project:
			p := &plan.Project{Input: build(x.Input), Out: x.Out, Exprs: x.Exprs}
			if rows {
				p.Out = append(append([]plan.Column(nil), x.Out...), count)
				p.Exprs = append(append([]expr.Expr(nil), x.Exprs...), columnRef(count))
			}
			return p
		}
		return s
	}
	return build(n), s, count
}

func (b *binder) metadataDistinct(n *plan.Distinct) plan.Node {
	scan := partitionScan(n.Input)
	if scan == nil || len(n.Input.Output()) == 0 {
		return nil
	}
	in, src, count := b.source(n.Input, scan, false)
	cols := make([]column, 0, len(n.Output()))
	for _, c := range n.Output() {
		cols = append(cols, column{Column: c})
	}
	return &plan.PartitionAggregate{
		Input: &plan.Distinct{Input: projectColumns(in, cols)}, Scan: scan, Source: src, Rows: count,
		Original: n, Label: "distinct(" + names(n.Output()) + ")",
	}
}

func (b *binder) metadataAggregate(n *plan.Aggregate) plan.Node {
	scan := partitionScan(n.Input)
	if scan == nil || len(n.Aggs) == 0 && len(n.Keys) == 0 {
		return nil
	}
	for _, k := range n.Keys {
		if volatile(k) {
			return nil
		}
	}
	counts := make([]bool, len(n.Aggs))
	needRows := false
	for i, e := range n.Aggs {
		a, ok := e.(*expr.Aggregate)
		if !ok || len(a.OrderBy) > 0 || volatile(a) {
			return nil
		}
		switch {
		case a.Distinct, idempotent[a.Fn.Name]:
		case a.Fn.Name == "count":
			counts[i] = true
			needRows = true
		default:
			return nil
		}
	}
	in, src, count := b.source(n.Input, scan, true)
	agg := *n
	agg.Input = in
	agg.Aggs = append([]expr.Expr(nil), n.Aggs...)
	agg.AggOut = append([]plan.Column(nil), n.AggOut...)
	top := &plan.Project{Input: &agg}
	for _, c := range n.KeyOut {
		top.Out, top.Exprs = append(top.Out, c), append(top.Exprs, columnRef(c))
	}
	for i, e := range n.Aggs {
		out := n.AggOut[i]
		x := expr.Expr(columnRef(out))
		if counts[i] {
			sum, err := b.sumRows(e.(*expr.Aggregate), count)
			if err != nil {
				return nil
			}
			agg.Aggs[i] = sum
			agg.AggOut[i] = b.newColumn(out.Name, sum.Type())
			if x, err = b.resolve("coalesce", []expr.Expr{columnRef(agg.AggOut[i]), &expr.Literal{Value: int64(0), T: types.Of(types.BigInt)}}); err != nil {
				return nil
			}
		}
		top.Out, top.Exprs = append(top.Out, out), append(top.Exprs, x)
	}
	if n.Grouping != nil {
		top.Out, top.Exprs = append(top.Out, *n.Grouping), append(top.Exprs, columnRef(*n.Grouping))
	}
	label := join(printed(n.Aggs))
	if len(n.Keys) > 0 {
		label += " by (" + join(printed(n.Keys)) + ")"
	}
	var input plan.Node = top
	if !needRows {
		input = &agg
	}
	return &plan.PartitionAggregate{Input: input, Scan: scan, Source: src, Rows: count, NeedRows: needRows, Extreme: extreme(n, scan), Original: n, Label: label}
}

// sumRows is count(…) as a sum over partitions: of the rows whose counted values are not NULL.
func (b *binder) sumRows(a *expr.Aggregate, rows plan.Column) (expr.Expr, error) {
	conds := expr.Conjuncts(a.Filter)
	for _, arg := range a.Args {
		if l, ok := arg.(*expr.Literal); ok && l.Value != nil {
			continue
		}
		c, err := b.resolve("isnotnull", []expr.Expr{arg})
		if err != nil {
			return nil, err
		}
		conds = append(conds, c)
	}
	return expr.Resolve("sum", []expr.Expr{columnRef(rows)}, expr.ResolveOptions{Filter: expr.And(conds...), Context: b.env.Context})
}

// extreme recognises a lone max or min of a partition column whose filters, if any, prune exactly.
func extreme(n *plan.Aggregate, scan *plan.Scan) *plan.Extreme {
	if len(n.Keys) > 0 || len(n.Aggs) != 1 || n.Sets != nil {
		return nil
	}
	a := n.Aggs[0].(*expr.Aggregate)
	if a.Filter != nil || len(a.Args) != 1 || a.Fn.Name != "max" && a.Fn.Name != "min" {
		return nil
	}
	arg := a.Args[0]
	ids := outputSet(scan)
	for in := n.Input; in != plan.Node(scan); {
		switch x := in.(type) {
		case *plan.Project:
			with := map[expr.ColumnID]expr.Expr{}
			for i, c := range x.Out {
				with[c.ID] = x.Exprs[i]
			}
			arg = replaceColumns(arg, with)
			in = x.Input
		case *plan.Filter:
			// Every condition must be among those that the scan prunes by.
			if !onlyColumns(x.Cond, ids) || !expr.CanEval(x.Cond) {
				return nil
			}
			in = x.Input
		default:
			return nil
		}
	}
	c, ok := arg.(*expr.Column)
	if !ok || c.Outer {
		return nil
	}
	for i, o := range scan.Out {
		if o.ID == c.ID {
			return &plan.Extreme{Column: o, Field: scan.Fields[i], Min: a.Fn.Name == "min"}
		}
	}
	return nil
}
