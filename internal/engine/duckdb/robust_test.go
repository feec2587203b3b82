package duckdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// resident is the process's resident memory in bytes.
func resident(t testing.TB) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("NO /proc HERE, so nobody checks that a streaming read needs little memory: run the tests on Linux.")
	}
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmRSS in /proc/self/status")
	return 0
}

func TestStreamingIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short LEAVES OUT 20 million rows, so nobody checks that a streaming read needs little memory.")
	}
	e := open(t)
	path := writeParquet(t, filepath.Join(t.TempDir(), "a.parquet"), `SELECT i AS id, i*2 AS v, 'row number ' || i AS s FROM range(1000000) t(i)`)
	var n ids
	s := table(&n, []types.Field{{Name: "id", Type: tBig}, {Name: "v", Type: tBig}, {Name: "s", Type: tStr}})
	var files []engine.ParquetFile
	for range 20 {
		files = append(files, engine.ParquetFile{Path: path})
	}
	r, err := e.Query(t.Context(), engine.Query{Root: s, Inputs: scanOf(s, files...)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, before, peak := 0, resident(t), int64(0)
	for i := 0; ; i++ {
		b, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		rows += b.Len
		if i%500 == 0 {
			peak = max(peak, resident(t))
		}
	}
	if rows != 20_000_000 {
		t.Errorf("got %d rows", rows)
	}
	if grown := peak - before; grown > 100<<20 {
		t.Errorf("reading grew the process by %d MB", grown>>20)
	}
}

func TestOutOfMemory(t *testing.T) {
	e := open(t)
	var n ids
	src := &source{types: []types.Type{tStr}, rows: 300_000, gen: func(i int) []types.Value { return row{strings.Repeat("x", 200) + strconv.Itoa(i)} }}
	s, in := sourceScan(&n, src)
	list := agg("collect_list", "list($1)", types.ArrayOf(tStr), ref(s.Out[0]))
	root := &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("l", list.T)}, Aggs: []expr.Expr{list}}
	_, err := all(t.Context(), e, engine.Query{Root: root, Inputs: in, MemoryLimit: 20 << 20})
	if condition(err) != "UNABLE_TO_ACQUIRE_MEMORY" {
		t.Fatalf("got %v (cause %v)", err, errors.Unwrap(err))
	}
	if !strings.Contains(err.Error(), "--memory") {
		t.Errorf("no advice in %q", err)
	}
	src2 := &source{types: src.types, rows: src.rows, gen: src.gen}
	s, in = sourceScan(&n, src2)
	mustRun(t, e, engine.Query{Root: &plan.Limit{Input: s, Count: num(1)}, Inputs: in})
}

func TestReopensAfterFatalError(t *testing.T) {
	e := open(t)
	one := &plan.Project{Input: &plan.OneRow{}, Out: []plan.Column{{ID: 1, Type: tInt}}, Exprs: []expr.Expr{num(1)}}
	mustRun(t, e, engine.Query{Root: one})
	for range 3 {
		duckdb.Break(e)
		mustRun(t, e, engine.Query{Root: one})
	}
}

func TestErrorsOfExpressions(t *testing.T) {
	e := open(t)
	var n ids
	x := n.col("x", tInt)
	in := values(x, i64(0), i64(1), i64(2))
	s := n.col("s", tStr)
	text := &plan.Values{Out: []plan.Column{s}, Rows: [][]expr.Expr{{lit("12", tStr)}, {lit("x'[DIVIDE_BY_ZERO]", tStr)}}}
	one := func(input plan.Node, ex expr.Expr) plan.Node {
		return &plan.Project{Input: input, Out: []plan.Column{{ID: 900, Type: ex.Type()}}, Exprs: []expr.Expr{ex}}
	}
	tests := []struct {
		name, want, params string
		root               plan.Node
	}{
		{"raised", "DIVIDE_BY_ZERO", "", one(in, divide(num(1), ref(x)))},
		{"overflow of arithmetic", "ARITHMETIC_OVERFLOW", "", one(in, op("+", "$1+$2", tInt, ref(x), num(2147483647)))},
		{"overflow of a sum", "ARITHMETIC_OVERFLOW", "", &plan.Aggregate{
			Input: in, AggOut: []plan.Column{{ID: 901, Type: tBig}},
			Aggs: []expr.Expr{agg("sum", "CAST(sum($1+9223372036854775806::HUGEINT) AS BIGINT)", tBig, ref(x))},
		}},
		{"text to number", "CAST_INVALID_INPUT", "'x'[DIVIDE_BY_ZERO]'", one(text, op("f", "CAST($1 AS INTEGER)", tInt, ref(s)))},
		{
			"sub-query of two rows", "SCALAR_SUBQUERY_TOO_MANY_ROWS", "",
			one(&plan.OneRow{}, &expr.Subquery{Kind: expr.ScalarSubquery, Query: in, T: tInt}),
		},
		{"a word DuckDB lacks", "INTERNAL_ERROR", "", one(in, op("f", "no_such_function($1)", tInt, ref(x)))},
		{"a function without words", "UNSUPPORTED_FEATURE.FUNCTION", "", one(in, op("f", "", tInt, ref(x)))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := all(t.Context(), e, engine.Query{Root: tt.root})
			if condition(err) != tt.want {
				t.Fatalf("got %v (cause %v)", err, errors.Unwrap(err))
			}
			for _, word := range []string{"Error:", "DuckDB", "no_such_function", "INT32", "LINE"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("the message lets the engine speak: %v", err)
				}
			}
			if !strings.Contains(err.Error(), tt.params) {
				t.Errorf("%q is not in %v", tt.params, err)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	e := open(t)
	src := &source{types: []types.Type{tInt}, rows: 3_000_000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
	var n ids
	s, in := sourceScan(&n, src)
	var share func() float64
	r, err := e.Query(t.Context(), engine.Query{Root: s, Inputs: in, Started: func(percent func() float64) { share = percent }})
	if err != nil {
		t.Fatal(err)
	}
	if share == nil {
		t.Fatal("nobody was told how far the query is")
	}
	if p := share(); p < -1 || p > 100 {
		t.Errorf("progress is %v", p)
	}
	r.Close()
	if p := share(); p != -1 {
		t.Errorf("progress of a closed query is %v", p)
	}
}

func TestDeepExpressions(t *testing.T) {
	e := open(t)
	var n ids
	x := n.col("x", tInt)
	in := values(x, i64(0), i64(9999))
	ors, ands := cmp("=", ref(x), num(0)), cmp("<>", ref(x), num(0))
	var sum, notted expr.Expr = ref(x), cmp("=", ref(x), num(0))
	for i := 1; i < 10_000; i++ {
		ors = or(ors, cmp("=", ref(x), num(int64(i))))
		if i < 3000 {
			ands = and(ands, cmp("<>", ref(x), num(int64(-i))))
		}
		sum = op("+", "CAST($1 AS BIGINT) + $2", tBig, sum, num(1))
		notted = not(notted)
	}
	timed := func(name string, run func(t *testing.T)) {
		start := time.Now()
		t.Run(name, run)
		t.Logf("%s took %v", name, time.Since(start))
	}
	timed("or in where", func(t *testing.T) {
		if got := mustRun(t, e, engine.Query{Root: &plan.Filter{Input: in, Cond: ors}}); len(got) != 2 {
			t.Errorf("kept %v", got)
		}
	})
	timed("or of two columns", func(t *testing.T) {
		y := n.col("y", tBig)
		two := &plan.Project{Input: in, Out: []plan.Column{x, y}, Exprs: []expr.Expr{ref(x), op("f", "CAST($1+1 AS BIGINT)", tBig, ref(x))}}
		mixed := or(or(ors, cmp("=", ref(y), lit(i64(-1), tBig))), cmp("<", ref(x), num(0)))
		if got := mustRun(t, e, engine.Query{Root: &plan.Filter{Input: two, Cond: not(mixed)}}); len(got) != 0 {
			t.Errorf("kept %v", got)
		}
	})
	timed("and in where", func(t *testing.T) {
		if got := mustRun(t, e, engine.Query{Root: &plan.Filter{Input: in, Cond: ands}}); len(got) != 1 {
			t.Errorf("kept %v", got)
		}
	})
	value := func(ex expr.Expr) engine.Query {
		return engine.Query{Root: &plan.Project{Input: in, Out: []plan.Column{{ID: 900, Type: ex.Type()}}, Exprs: []expr.Expr{ex}}}
	}
	timed("or as a value", func(t *testing.T) {
		if got := mustRun(t, e, value(ors)); len(got) != 2 || got[0][0] != true || got[1][0] != true {
			t.Errorf("got %v", got)
		}
	})
	for name, ex := range map[string]expr.Expr{"sum": sum, "not": notted} {
		timed(name, func(t *testing.T) {
			if _, err := all(t.Context(), e, value(ex)); condition(err) != "FAILED_TO_PARSE_TOO_COMPLEX" {
				t.Errorf("%v (cause %.200s)", err, errText(errors.Unwrap(err)))
			}
		})
	}
	timed("200 levels", func(t *testing.T) {
		deep := expr.Expr(ref(x))
		for range 200 {
			deep = op("+", "CAST($1 AS BIGINT) + $2", tBig, deep, num(1))
		}
		if got := mustRun(t, e, value(deep)); len(got) != 2 || got[0][0] != i64(200) {
			t.Errorf("got %v", got)
		}
	})
	timed("unions", func(t *testing.T) {
		u := plan.Node(in)
		for i := range 2000 {
			u = &plan.SetOp{Kind: plan.Union, All: true, Left: u, Right: values(n.col("y", tInt), i64(int64(i))), Out: []plan.Column{n.col("z", tInt)}}
		}
		if got := mustRun(t, e, engine.Query{Root: u}); len(got) != 2002 {
			t.Errorf("got %d rows", len(got))
		}
	})
}
