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

func sorted(in plan.Node) plan.Node {
	s := &plan.Sort{Input: in}
	for _, c := range in.Output() {
		s.Keys = append(s.Keys, expr.SortKey{Expr: ref(c), NullsFirst: true})
	}
	return s
}

func TestJoins(t *testing.T) {
	e := open(t)
	var n ids
	l, r := n.col("l", tInt), n.col("r", tInt)
	left, right := values(l, i64(1), i64(2), i64(2), nil), values(r, i64(2), i64(3), nil)
	eq, lt := cmp("=", ref(l), ref(r)), cmp("<", ref(l), ref(r))
	odd := or(eq, cmp(">", op("+", "$1+$2", tInt, ref(l), ref(r)), num(4)))
	none := cmp("=", num(1), num(2))
	tests := []struct {
		name string
		kind plan.JoinKind
		cond expr.Expr
		want []row
	}{
		{"inner", plan.InnerJoin, eq, []row{{i64(2), i64(2)}, {i64(2), i64(2)}}},
		{"left", plan.LeftJoin, eq, []row{{nil, nil}, {i64(1), nil}, {i64(2), i64(2)}, {i64(2), i64(2)}}},
		{"right", plan.RightJoin, eq, []row{{nil, nil}, {nil, i64(3)}, {i64(2), i64(2)}, {i64(2), i64(2)}}},
		{"full", plan.FullJoin, eq, []row{{nil, nil}, {nil, nil}, {nil, i64(3)}, {i64(1), nil}, {i64(2), i64(2)}, {i64(2), i64(2)}}},
		{"full, no equality", plan.FullJoin, lt, []row{{nil, nil}, {nil, nil}, {i64(1), i64(2)}, {i64(1), i64(3)}, {i64(2), i64(3)}, {i64(2), i64(3)}}},
		{"semi", plan.SemiJoin, eq, []row{{i64(2)}, {i64(2)}}},
		{"semi, no equality", plan.SemiJoin, odd, []row{{i64(2)}, {i64(2)}}},
		{"anti", plan.AntiJoin, eq, []row{{nil}, {i64(1)}}},
		{"anti, no equality", plan.AntiJoin, lt, []row{{nil}}},
		{"anti without condition", plan.AntiJoin, nil, nil},
		{"semi, never", plan.SemiJoin, none, nil},
		{"left, never", plan.LeftJoin, none, []row{{nil, nil}, {i64(1), nil}, {i64(2), nil}, {i64(2), nil}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := sorted(&plan.Join{Kind: tt.kind, Left: left, Right: right, Cond: tt.cond})
			if diff := gocmp.Diff(tt.want, mustRun(t, e, engine.Query{Root: root})); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("sub-query in an outer join's condition", func(t *testing.T) {
		z := n.col("z", tInt)
		query := values(z, i64(2), nil)
		in := &expr.Subquery{Kind: expr.InSubquery, Arg: ref(r), Query: query, T: tBool}
		exists := &expr.Subquery{Kind: expr.ExistsSubquery, Query: &plan.Filter{Input: query, Cond: cmp("=", ref(z), outer(l))}, T: tBool}
		two := []row{{nil, nil}, {i64(1), nil}, {i64(2), i64(2)}, {i64(2), i64(2)}}
		for name, tt := range map[string]struct {
			cond expr.Expr
			want []row
		}{
			"in":     {and(eq, in), two},
			"exists": {and(eq, exists), two},
			"not in": {and(eq, not(in)), []row{{nil, nil}, {i64(1), nil}, {i64(2), nil}, {i64(2), nil}}},
		} {
			got := mustRun(t, e, engine.Query{Root: sorted(&plan.Join{Kind: plan.LeftJoin, Left: left, Right: right, Cond: tt.cond})})
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: rows differ (-want +got):\n%s", name, diff)
			}
		}
		anti := mustRun(t, e, engine.Query{Root: sorted(&plan.Join{Kind: plan.AntiJoin, Left: left, Right: right, Cond: and(eq, exists)})})
		if diff := gocmp.Diff([]row{{nil}, {i64(1)}}, anti); diff != "" {
			t.Errorf("anti: rows differ (-want +got):\n%s", diff)
		}
	})
	t.Run("cross of joins", func(t *testing.T) {
		x := n.col("x", tInt)
		inner := &plan.Join{Kind: plan.InnerJoin, Left: right, Right: values(x, i64(3)), Cond: cmp("=", ref(r), ref(x))}
		got := mustRun(t, e, engine.Query{Root: sorted(&plan.Join{Kind: plan.CrossJoin, Left: values(l, i64(1), i64(2)), Right: inner})})
		if diff := gocmp.Diff([]row{{i64(1), i64(3), i64(3)}, {i64(2), i64(3), i64(3)}}, got); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
	})
	t.Run("lateral", func(t *testing.T) {
		twice := n.col("twice", tBig)
		lateral := &plan.Project{
			Input: &plan.Filter{Input: &plan.OneRow{}, Cond: cmp(">", outer(l), num(1))}, Out: []plan.Column{twice},
			Exprs: []expr.Expr{op("+", "$1+$2::BIGINT", tBig, outer(l), outer(l))},
		}
		for kind, want := range map[plan.JoinKind][]row{
			plan.CrossJoin: {{i64(2), i64(4)}, {i64(2), i64(4)}},
			plan.LeftJoin:  {{nil, nil}, {i64(1), nil}, {i64(2), i64(4)}, {i64(2), i64(4)}},
		} {
			got := mustRun(t, e, engine.Query{Root: sorted(&plan.Join{Kind: kind, Left: left, Right: lateral, Lateral: true})})
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("kind %d: rows differ (-want +got):\n%s", kind, diff)
			}
		}
	})
}

func TestSubqueries(t *testing.T) {
	e := open(t)
	var n ids
	x, y := n.col("x", tInt), n.col("y", tInt)
	in := values(x, i64(1), i64(2), nil)
	query := values(y, i64(1), i64(3), nil)
	noNull := &plan.Filter{Input: query, Cond: op("isnotnull", "$1 IS NOT NULL", tBool, ref(y))}
	sub := func(kind expr.SubqueryKind, arg expr.Expr, q plan.Node, t types.Type) expr.Expr {
		return &expr.Subquery{Kind: kind, Arg: arg, Query: q, T: t}
	}
	inSub := func(q plan.Node) expr.Expr { return sub(expr.InSubquery, ref(x), q, tBool) }
	correlated := &plan.Filter{Input: query, Cond: cmp("=", ref(y), outer(x))}
	count := &plan.Aggregate{Input: correlated, AggOut: []plan.Column{n.col("n", tBig)}, Aggs: []expr.Expr{agg("count", "count(*)", tBig)}}
	pair := &expr.Tuple{Elems: []expr.Expr{ref(x), num(7)}, T: types.StructOf(types.Field{Name: "col1", Type: tInt}, types.Field{Name: "col2", Type: tInt})}
	z := n.col("z", tInt)
	two := &plan.Project{Input: query, Out: []plan.Column{z, n.col("w", tInt)}, Exprs: []expr.Expr{ref(y), num(7)}}
	pairs := &plan.Project{Input: correlated, Out: []plan.Column{n.col("p", tInt), n.col("q", tInt)}, Exprs: []expr.Expr{ref(y), num(7)}}
	where := []struct {
		name string
		cond expr.Expr
		want []row
	}{
		{"in", inSub(query), []row{{i64(1)}}},
		{"not in, with NULL", not(inSub(query)), nil},
		{"not in", not(inSub(noNull)), []row{{i64(2)}}},
		{"exists", sub(expr.ExistsSubquery, nil, correlated, tBool), []row{{i64(1)}}},
		{"not exists", not(sub(expr.ExistsSubquery, nil, correlated, tBool)), []row{{nil}, {i64(2)}}},
		{"scalar", cmp("=", ref(x), sub(expr.ScalarSubquery, nil, &plan.Limit{Input: noNull, Count: num(1)}, tInt)), []row{{i64(1)}}},
		{"correlated scalar", cmp("=", sub(expr.ScalarSubquery, nil, count, tBig), num(0)), []row{{nil}, {i64(2)}}},
		{"row in", sub(expr.InSubquery, pair, two, tBool), []row{{i64(1)}}},
		{"row in, correlated", sub(expr.InSubquery, pair, pairs, tBool), []row{{i64(1)}}},
		{"row not in, correlated", not(sub(expr.InSubquery, pair, pairs, tBool)), []row{{nil}, {i64(2)}}},
		{"not in or", or(not(inSub(noNull)), cmp("=", ref(x), num(1))), []row{{i64(1)}, {i64(2)}}},
		{"in or", or(inSub(query), cmp("=", ref(x), num(2))), []row{{i64(1)}, {i64(2)}}},
	}
	for _, tt := range where {
		t.Run(tt.name, func(t *testing.T) {
			got := mustRun(t, e, engine.Query{Root: sorted(&plan.Filter{Input: in, Cond: tt.cond})})
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("in as a value has no NULL", func(t *testing.T) {
		out := []plan.Column{n.col("a", tBool), n.col("b", tBool), n.col("c", tBool)}
		exprs := []expr.Expr{inSub(query), not(inSub(query)), not(inSub(noNull))}
		got := mustRun(t, e, engine.Query{Root: &plan.Project{Input: in, Out: out, Exprs: exprs}})
		if diff := gocmp.Diff([]row{{true, false, false}, {false, false, true}, {false, false, false}}, got); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
	})
}

func TestAggregates(t *testing.T) {
	e := open(t)
	var n ids
	k, v := n.col("k", tDouble), n.col("v", tInt)
	in := &plan.Values{Out: []plan.Column{k, v}}
	negZero, nan := math.Copysign(0, -1), math.NaN()
	for _, r := range []row{{negZero, i64(0)}, {0.0, i64(1)}, {nan, i64(2)}, {nan, i64(3)}, {nil, i64(4)}, {nil, nil}, {2.5, i64(0)}} {
		in.Rows = append(in.Rows, []expr.Expr{lit(r[0], tDouble), lit(r[1], tInt)})
	}
	key, sum, grouping := n.col("k", tDouble), n.col("s", tBig), n.col("g", tBig)
	total := agg("sum", "CAST(sum($1) AS BIGINT)", tBig, ref(v))
	t.Run("zero, NaN and NULL are one group each", func(t *testing.T) {
		got := mustRun(t, e, engine.Query{Root: sorted(&plan.Aggregate{Input: in, KeyOut: []plan.Column{key}, Keys: []expr.Expr{ref(k)}, AggOut: []plan.Column{sum}, Aggs: []expr.Expr{total}})})
		want := [][2]types.Value{{nil, i64(4)}, {0.0, i64(1)}, {2.5, i64(0)}, {nan, i64(5)}}
		if len(got) != len(want) {
			t.Fatalf("got %v", got)
		}
		for i, w := range want {
			f, isFloat := got[i][0].(float64)
			wf, _ := w[0].(float64)
			if isFloat != (w[0] != nil) || isFloat && (math.Signbit(f) != math.Signbit(wf) || f != wf && !(math.IsNaN(f) && math.IsNaN(wf))) || got[i][1] != w[1] {
				t.Errorf("group %d is %v, want %v", i, got[i], w)
			}
		}
	})
	t.Run("distinct shows 0.0", func(t *testing.T) {
		got := mustRun(t, e, engine.Query{Root: sorted(&plan.Distinct{Input: values(k, negZero, 0.0)})})
		if len(got) != 1 || math.Signbit(got[0][0].(float64)) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the filter guards the argument", func(t *testing.T) {
		inverse, err := expr.Resolve("sum", []expr.Expr{divide(num(6), ref(v))}, expr.ResolveOptions{Filter: cmp("<>", ref(v), num(0))})
		if err != nil {
			t.Fatal(err)
		}
		got := mustRun(t, e, engine.Query{Root: &plan.Aggregate{Input: in, AggOut: []plan.Column{n.col("i", tDouble)}, Aggs: []expr.Expr{inverse}}})
		if diff := gocmp.Diff([]row{{6.0 + 3 + 2 + 1.5}}, got); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
	})
	t.Run("distinct and order within", func(t *testing.T) {
		count, err := expr.Resolve("count", []expr.Expr{ref(v)}, expr.ResolveOptions{Distinct: true})
		if err != nil {
			t.Fatal(err)
		}
		got := mustRun(t, e, engine.Query{Root: &plan.Aggregate{Input: in, AggOut: []plan.Column{n.col("c", tBig)}, Aggs: []expr.Expr{count}}})
		if diff := gocmp.Diff([]row{{i64(5)}}, got); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
	})
	sets := func(input plan.Node, sets ...[]int) plan.Node {
		return sorted(&plan.Aggregate{
			Input: input, KeyOut: []plan.Column{v}, Keys: []expr.Expr{ref(v)}, AggOut: []plan.Column{sum},
			Aggs: []expr.Expr{total}, Sets: sets, Grouping: &grouping,
		})
	}
	t.Run("grouping sets", func(t *testing.T) {
		got := mustRun(t, e, engine.Query{Root: sets(values(v, i64(1), i64(1), nil), []int{0}, nil)})
		want := []row{{nil, nil, i64(0)}, {nil, i64(2), i64(1)}, {i64(1), i64(2), i64(0)}}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
		empty := &plan.Filter{Input: values(v, i64(1)), Cond: lit(false, tBool)}
		if got := mustRun(t, e, engine.Query{Root: sets(empty, []int{0}, nil)}); len(got) != 0 {
			t.Errorf("rollup over no rows gives %v", got)
		}
		if got := mustRun(t, e, engine.Query{Root: sets(empty, []int{})}); len(got) != 1 {
			t.Errorf("the single empty set over no rows gives %v", got)
		}
	})
}

func TestWindows(t *testing.T) {
	e := open(t)
	var n ids
	k, v, d := n.col("k", tStr), n.col("v", tInt), n.col("d", tDate)
	in := &plan.Values{Out: []plan.Column{k, v, d}}
	for i, r := range []row{{"a", i64(1)}, {"a", i64(2)}, {"a", nil}, {"b", i64(5)}} {
		in.Rows = append(in.Rows, []expr.Expr{lit(r[0], tStr), lit(r[1], tInt), lit(i64(int64(i)), tDate)})
	}
	window := func(name string, opts expr.ResolveOptions, args ...expr.Expr) *expr.Window {
		ex, err := expr.Resolve(name, args, opts)
		if err != nil {
			t.Fatal(err)
		}
		w := &expr.Window{}
		switch ex := ex.(type) {
		case *expr.Window:
			w = ex
		case *expr.Aggregate:
			w = &expr.Window{Fn: ex.Fn, Args: ex.Args, T: ex.T, Filter: ex.Filter}
		}
		w.IgnoreNulls = opts.IgnoreNulls
		w.PartitionBy = []expr.Expr{ref(k)}
		w.OrderBy = []expr.SortKey{{Expr: ref(d)}}
		return w
	}
	frame := func(w *expr.Window, rows bool, start, end expr.Bound) *expr.Window {
		w.Frame = &expr.Frame{Rows: rows, Start: start, End: end}
		return w
	}
	one := expr.Bound{Kind: expr.Preceding, Offset: num(1)}
	day := expr.Bound{Kind: expr.Preceding, Offset: lit(i64(86_400_000_000), types.IntervalOf(types.FieldDay, types.FieldSecond))}
	current := expr.Bound{Kind: expr.CurrentRow}
	tests := []struct {
		name string
		w    *expr.Window
		want []types.Value
	}{
		{"row_number", window("row_number", expr.ResolveOptions{}), []types.Value{i64(1), i64(2), i64(3), i64(1)}},
		{"sum", window("sum", expr.ResolveOptions{}, ref(v)), []types.Value{i64(1), i64(3), i64(3), i64(5)}},
		{"rows frame", frame(window("sum", expr.ResolveOptions{}, ref(v)), true, one, current), []types.Value{i64(1), i64(3), i64(2), i64(5)}},
		{"range of days", frame(window("sum", expr.ResolveOptions{}, ref(v)), false, one, current), []types.Value{i64(1), i64(3), i64(2), i64(5)}},
		{"range of an interval", frame(window("count", expr.ResolveOptions{}, ref(v)), false, day, current), []types.Value{i64(1), i64(2), i64(1), i64(1)}},
		{"lag", window("lag", expr.ResolveOptions{}, ref(v)), []types.Value{nil, i64(1), i64(2), nil}},
		{"last value, nulls ignored", frame(window("last_value", expr.ResolveOptions{IgnoreNulls: true}, ref(v)), true,
			expr.Bound{Kind: expr.UnboundedPreceding}, current), []types.Value{i64(1), i64(2), i64(2), i64(5)}},
		{"filter", window("sum", expr.ResolveOptions{Filter: cmp(">", ref(v), num(1))}, ref(v)), []types.Value{nil, i64(2), i64(2), i64(5)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := n.col("w", tt.w.T)
			root := &plan.Sort{Input: &plan.Windows{Input: in, WinOut: []plan.Column{out}, Wins: []expr.Expr{tt.w}}, Keys: []expr.SortKey{{Expr: ref(d)}}}
			var got []types.Value
			for _, r := range mustRun(t, e, engine.Query{Root: root}) {
				got = append(got, r[3])
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("values differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLazyLogic(t *testing.T) {
	e := open(t)
	var n ids
	x := n.col("x", tInt)
	in := values(x, i64(0), i64(1), i64(2), nil)
	safe := cmp("<>", ref(x), num(0))
	risky := cmp(">", divide(num(1), ref(x)), lit(0.6, tDouble))
	zero := cmp("=", ref(x), num(0))
	tests := []struct {
		name string
		e    expr.Expr
		want []types.Value
	}{
		{"and", and(safe, risky), []types.Value{false, true, false, nil}},
		{"or", or(zero, risky), []types.Value{true, true, false, nil}},
		{"chain", and(and(lit(true, tBool), safe), and(risky, risky)), []types.Value{false, true, false, nil}},
		{"null and false", and(lit(nil, tBool), op("f", "error('[DIVIDE_BY_ZERO]')::BOOLEAN", tBool)), nil},
		{"nested", not(and(safe, risky)), []types.Value{true, false, true, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := all(t.Context(), e, engine.Query{Root: &plan.Project{Input: in, Out: []plan.Column{{ID: 900, Type: tBool}}, Exprs: []expr.Expr{tt.e}}})
			if tt.want == nil {
				if condition(err) != "DIVIDE_BY_ZERO" {
					t.Errorf("got %v, %v", rows, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []types.Value
			for _, r := range rows {
				got = append(got, r[0])
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("values differ (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("where", func(t *testing.T) {
		for name, cond := range map[string]expr.Expr{"conjuncts": and(safe, risky), "or": and(or(zero, risky), not(zero)), "not": not(or(zero, not(risky)))} {
			got := mustRun(t, e, engine.Query{Root: &plan.Filter{Input: in, Cond: cond}})
			if diff := gocmp.Diff([]row{{i64(1)}}, got); diff != "" {
				t.Errorf("%s: rows differ (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestZones(t *testing.T) {
	e := open(t)
	instant := types.Of(types.Timestamp)
	for _, name := range []string{"UTC", "America/New_York", "Asia/Kolkata", "+05:30", "-08:00", "GMT+3"} {
		zone, ok := types.ParseZone(name)
		if !ok {
			t.Fatalf("no zone %s", name)
		}
		in := lit(i64(1714566600123456), instant)
		cast, err := expr.NewCast(in, tStr, expr.CastANSI)
		if err != nil {
			t.Fatal(err)
		}
		x := plan.Column{ID: 1, Type: instant}
		col, err := expr.NewCast(ref(x), tStr, expr.CastANSI)
		if err != nil {
			t.Fatal(err)
		}
		root := &plan.Project{Input: values(x, i64(1714566600123456)), Out: []plan.Column{{ID: 2, Type: tStr}, {ID: 3, Type: tStr}}, Exprs: []expr.Expr{cast, col}}
		got, err := all(t.Context(), e, engine.Query{Root: root, Zone: zone})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := types.FormatTimestamp(1714566600123456, zone)
		if diff := gocmp.Diff([]row{{want, want}}, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}
