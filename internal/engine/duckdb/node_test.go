package duckdb_test

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

type row = []types.Value

func i64(v int64) types.Value { return v }

func TestOperators(t *testing.T) {
	e := open(t)
	var n ids
	x := n.col("x", tInt)
	in := values(x, i64(3), i64(1), nil, i64(2))
	y := n.col("y", tBig)
	sortX := func(input plan.Node, desc, first bool) plan.Node {
		return &plan.Sort{Input: input, Keys: []expr.SortKey{{Expr: ref(x), Desc: desc, NullsFirst: first}}}
	}
	double := []expr.Expr{op("+", "CAST($1 AS BIGINT) + $2", tBig, ref(x), ref(x))}
	other := n.col("z", tInt)
	out := n.col("u", tInt)
	cnt := n.col("n", tBig)
	tests := []struct {
		name string
		root plan.Node
		want []row
	}{
		{"one row", &plan.Project{Input: &plan.OneRow{}, Out: []plan.Column{y}, Exprs: []expr.Expr{lit(i64(7), tBig)}}, []row{{i64(7)}}},
		{"values keep order", in, []row{{i64(3)}, {i64(1)}, {nil}, {i64(2)}}},
		{"nulls first", sortX(in, false, true), []row{{nil}, {i64(1)}, {i64(2)}, {i64(3)}}},
		{"descending, nulls last", sortX(in, true, false), []row{{i64(3)}, {i64(2)}, {i64(1)}, {nil}}},
		{
			"sort below project", &plan.Project{Input: sortX(in, true, false), Out: []plan.Column{y}, Exprs: double},
			[]row{{i64(6)}, {i64(4)}, {i64(2)}, {nil}},
		},
		{
			"limit and offset below project", &plan.Project{
				Input: &plan.Limit{Input: sortX(in, true, false), Count: num(2), Offset: num(1)}, Out: []plan.Column{y}, Exprs: double,
			},
			[]row{{i64(4)}, {i64(2)}},
		},
		{
			"limit of a limit", &plan.Limit{Input: &plan.Limit{Input: sortX(in, true, false), Count: num(3)}, Count: num(1), Offset: num(1)},
			[]row{{i64(2)}},
		},
		{
			"filter above a limit", &plan.Filter{Input: &plan.Limit{Input: sortX(in, true, false), Count: num(2)}, Cond: cmp("<", ref(x), num(3))},
			[]row{{i64(2)}},
		},
		{"filter keeps what is true", &plan.Filter{Input: sortX(in, false, true), Cond: cmp(">", ref(x), num(1))}, []row{{i64(2)}, {i64(3)}}},
		{"distinct", sortX(&plan.Distinct{Input: values(x, i64(1), nil, i64(1), nil)}, false, true), []row{{nil}, {i64(1)}}},
		{"count of nothing", &plan.Aggregate{
			Input: &plan.Filter{Input: in, Cond: lit(false, tBool)}, AggOut: []plan.Column{cnt},
			Aggs: []expr.Expr{agg("count", "count(*)", tBig)},
		}, []row{{i64(0)}}},
		{"no aggregate, no key", &plan.Aggregate{Input: in}, []row{{}}},
		{
			"union all", &plan.SetOp{Kind: plan.Union, All: true, Left: in, Right: values(other, i64(3)), Out: []plan.Column{out}},
			[]row{{i64(3)}, {i64(1)}, {nil}, {i64(2)}, {i64(3)}},
		},
		{"except all", &plan.Sort{Input: &plan.SetOp{
			Kind: plan.Except, All: true, Left: values(x, i64(1), i64(1), i64(2)), Right: values(other, i64(1)),
			Out: []plan.Column{out},
		}, Keys: []expr.SortKey{{Expr: ref(out)}}}, []row{{i64(1)}, {i64(2)}}},
		{"intersect", &plan.SetOp{Kind: plan.Intersect, Left: values(x, nil, nil, i64(2)), Right: values(other, nil, nil), Out: []plan.Column{out}}, []row{{nil}}},
		{
			"intersect all", &plan.SetOp{Kind: plan.Intersect, All: true, Left: values(x, nil, nil, i64(2)), Right: values(other, nil, nil), Out: []plan.Column{out}},
			[]row{{nil}, {nil}},
		},
		{"supplied", &plan.Supplied{Out: []plan.Column{x, y}, Rows: [][]types.Value{{i64(1), nil}, {nil, i64(5)}}}, []row{{i64(1), nil}, {nil, i64(5)}}},
		{"range", &plan.Range{Out: y, Start: 1, End: 8, Step: 3}, []row{{i64(1)}, {i64(4)}, {i64(7)}}},
		{"range down", &plan.Range{Out: y, Start: 3, End: 0, Step: -2}, []row{{i64(3)}, {i64(1)}}},
		{"range away from its end", &plan.Range{Out: y, Start: 1, End: 8, Step: -1}, nil},
		{"range to the last number", &plan.Range{Out: y, Start: math.MaxInt64 - 2, End: math.MaxInt64, Step: 5}, []row{{i64(math.MaxInt64 - 2)}}},
		{
			"range over all numbers", &plan.Limit{Input: &plan.Range{Out: y, Start: math.MinInt64, End: math.MaxInt64, Step: math.MaxInt64}, Count: num(5)},
			[]row{{i64(math.MinInt64)}, {i64(-1)}, {i64(math.MaxInt64 - 1)}},
		},
		{"empty values", &plan.Values{Out: []plan.Column{x}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := gocmp.Diff(tt.want, mustRun(t, e, engine.Query{Root: tt.root})); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}
