package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// statisticsAggregate finds queries that count rows or values, or want the smallest or largest value, of data columns whose
// relation has statistics by file, over whole partitions: they are answered from the statistics if these tell it exactly, which is seen
// when the query runs. It gives nil for all other queries.
func (b *binder) statisticsAggregate(n *plan.Aggregate) plan.Node {
	if len(n.Aggs) == 0 {
		return nil
	}
	s := b.statisticsOf(n)
	if s == nil {
		return nil
	}
	agg := *n
	agg.Keys, agg.Aggs, agg.AggOut = nil, nil, nil
	top := &plan.Project{}
	for i, k := range n.Keys {
		if k = replaceColumns(k, s.through); volatile(k) || exists(k, isSubquery) || !onlyColumns(k, s.partition) {
			return nil
		}
		agg.Keys = append(agg.Keys, k)
		top.Out, top.Exprs = append(top.Out, n.KeyOut[i]), append(top.Exprs, columnRef(n.KeyOut[i]))
	}
	for i, e := range n.Aggs {
		a, ok := e.(*expr.Aggregate)
		if !ok {
			return nil
		}
		sum, x := b.ofFacts(s, a, n.AggOut[i])
		if sum == nil {
			return nil
		}
		agg.Aggs, agg.AggOut = append(agg.Aggs, sum.Exprs[0]), append(agg.AggOut, sum.Out[0])
		top.Out, top.Exprs = append(top.Out, n.AggOut[i]), append(top.Exprs, x)
	}
	if n.Grouping != nil {
		top.Out, top.Exprs = append(top.Out, *n.Grouping), append(top.Exprs, columnRef(*n.Grouping))
	}
	s.source.Out = append(append(append([]plan.Column(nil), s.scan.Out...), s.rows), s.columns...)
	agg.Input = filter(s.source, s.conds)
	top.Input = &agg
	label := join(printed(n.Aggs))
	if len(n.Keys) > 0 {
		label += " by (" + join(printed(n.Keys)) + ")"
	}
	return &plan.PartitionAggregate{Input: top, Scan: s.scan, Source: s.source, Rows: s.rows, NeedRows: true, Facts: s.facts, Original: n, Label: label}
}

// statistics is what a query asks of the statistics of a scan.
type statistics struct {
	scan      *plan.Scan // its partition columns alone
	source    *plan.Supplied
	rows      plan.Column
	conds     []expr.Expr                 // over partition columns
	through   map[expr.ColumnID]expr.Expr // what the columns of the aggregate's input are in columns of the scan
	partition idSet
	data      map[expr.ColumnID]int // fields of the relation
	facts     []plan.Fact
	columns   []plan.Column // of the facts
}

// statisticsOf looks at what is below an aggregate: projections and filters over partition columns above a scan with statistics.
// References to an enclosing query are refused: later rewrites replace them in Input, and would not find them in Original.
func (b *binder) statisticsOf(n *plan.Aggregate) *statistics {
	var chain []plan.Node
	in := n.Input
	for {
		switch x := in.(type) {
		case *plan.Filter:
			chain, in = append(chain, x), x.Input
			continue
		case *plan.Project:
			chain, in = append(chain, x), x.Input
			continue
		}
		break
	}
	scan, ok := in.(*plan.Scan)
	if !ok || !scan.Relation.Statistics || scan.Changed {
		return nil
	}
	s := &statistics{partition: idSet{}, data: map[expr.ColumnID]int{}, through: map[expr.ColumnID]expr.Expr{}, rows: plan.BigIntColumn(b.newID(), "rows")}
	part := *scan
	part.Out, part.Fields, part.Skip = nil, nil, nil
	for _, i := range partitionOutputs(scan) {
		part.Out, part.Fields = append(part.Out, scan.Out[i]), append(part.Fields, scan.Fields[i])
		s.partition[scan.Out[i].ID] = true
	}
	for i, c := range scan.Out {
		if f := scan.Fields[i]; f >= 0 && !s.partition[c.ID] {
			s.data[c.ID] = f
		}
	}
	s.scan, s.source = &part, &plan.Supplied{Label: "statistics"}
	for i := len(chain) - 1; i >= 0; i-- {
		switch x := chain[i].(type) {
		case *plan.Filter:
			cond := replaceColumns(x.Cond, s.through)
			if volatile(cond) || exists(cond, isSubquery) || !onlyColumns(cond, s.partition) {
				return nil
			}
			s.conds = append(s.conds, cond)
		case *plan.Project:
			through := map[expr.ColumnID]expr.Expr{}
			for k, e := range x.Exprs {
				if e = replaceColumns(e, s.through); volatile(e) || exists(e, isSubquery) {
					return nil
				}
				through[x.Out[k].ID] = e
			}
			s.through = through
		}
	}
	return s
}

// ofFacts is an aggregate over what is known of partitions, as the one column of a projection, and what the query's aggregate, whose
// column is out, is of that; nil when it asks what statistics do not tell.
func (b *binder) ofFacts(s *statistics, a *expr.Aggregate, out plan.Column) (*plan.Project, expr.Expr) {
	if a.Distinct || len(a.OrderBy) > 0 || volatile(a) || exists(a, isSubquery) {
		return nil, nil
	}
	keep := a.Filter
	if keep != nil {
		if keep = replaceColumns(keep, s.through); !onlyColumns(keep, s.partition) {
			return nil, nil
		}
	}
	args := make([]expr.Expr, len(a.Args))
	for i, e := range a.Args {
		args[i] = replaceColumns(e, s.through)
	}
	var arg expr.Expr
	name := a.Fn.Name
	switch {
	case name == "count" && len(args) == 1 && s.isData(args[0]):
		if arg = s.fact(b, args[0].(*expr.Column), plan.FactValues); arg == nil {
			return nil, nil
		}
	case name == "count":
		for _, e := range args {
			if !onlyColumns(e, s.partition) {
				return nil, nil
			}
		}
		count := *a
		count.Args, count.Filter = args, keep
		sum, err := b.sumRows(&count, s.rows)
		if err != nil {
			return nil, nil
		}
		return b.countOf(sum, out)
	case (name == "min" || name == "max") && len(args) == 1 && s.isData(args[0]):
		kind := plan.FactMin
		if name == "max" {
			kind = plan.FactMax
		}
		if arg = s.fact(b, args[0].(*expr.Column), kind); arg == nil {
			return nil, nil
		}
		e, err := expr.Resolve(name, []expr.Expr{arg}, expr.ResolveOptions{Filter: keep, Context: b.env.Context})
		if err != nil || !types.Equal(e.Type(), a.T) {
			return nil, nil
		}
		return &plan.Project{Out: []plan.Column{out}, Exprs: []expr.Expr{e}}, columnRef(out)
	case idempotent[name]:
		for _, e := range args {
			if !onlyColumns(e, s.partition) {
				return nil, nil
			}
		}
		same := *a
		same.Args, same.Filter = args, keep
		return &plan.Project{Out: []plan.Column{out}, Exprs: []expr.Expr{&same}}, columnRef(out)
	default:
		return nil, nil
	}
	sum, err := expr.Resolve("sum", []expr.Expr{arg}, expr.ResolveOptions{Filter: keep, Context: b.env.Context})
	if err != nil {
		return nil, nil
	}
	return b.countOf(sum, out)
}

// countOf makes a count of a sum, which is NULL over no partitions.
func (b *binder) countOf(sum expr.Expr, out plan.Column) (*plan.Project, expr.Expr) {
	col := b.newColumn(out.Name, sum.Type())
	x, err := b.resolve("coalesce", []expr.Expr{columnRef(col), &expr.Literal{Value: int64(0), T: types.Of(types.BigInt)}})
	if err != nil {
		return nil, nil
	}
	return &plan.Project{Out: []plan.Column{col}, Exprs: []expr.Expr{sum}}, x
}

// isData reports a data column of the scan.
func (s *statistics) isData(e expr.Expr) bool {
	c, ok := e.(*expr.Column)
	if !ok || c.Outer {
		return false
	}
	_, ok = s.data[c.ID]
	return ok
}

// fact is the column of something to know of a data column, or nil when it can never be known exactly.
func (s *statistics) fact(b *binder, c *expr.Column, kind plan.FactKind) expr.Expr {
	t := types.Of(types.BigInt)
	if kind != plan.FactValues {
		if t = c.T; !t.Kind.IsIntegral() && t.Kind != types.Date && t.Kind != types.Decimal {
			return nil // writers cut text and instants, and NaN has no place among bounds
		}
	} else if c.T.Kind.IsNested() || c.T.Kind == types.Void {
		return nil
	}
	want := plan.Fact{Field: s.data[c.ID], Kind: kind}
	for i, f := range s.facts {
		if f == want {
			return columnRef(s.columns[i])
		}
	}
	col := b.newColumn([]string{plan.FactValues: "values", plan.FactMin: "min", plan.FactMax: "max"}[kind]+"("+c.Name+")", t)
	s.facts, s.columns = append(s.facts, want), append(s.columns, col)
	return columnRef(col)
}
