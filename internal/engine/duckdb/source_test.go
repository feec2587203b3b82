package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// source is a Go source of rows blocks of full batches.
type source struct {
	types []types.Type
	gen   func(row int) []types.Value
	rows  int
	at    atomic.Int64
	fail  func(row int) error
	open  atomic.Int64 // readers opened less readers closed
	mu    sync.Mutex
	asked [][]int
	wait  chan struct{} // when set, Next blocks until it closes or the context ends
}

func (s *source) Rows() int64 { return int64(s.rows) }

func (s *source) Rewind() { s.at.Store(0) }

func (s *source) Open(_ context.Context, cols []int) (format.BatchReader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, cols)
	s.open.Add(1)
	return &sourceReader{s: s, cols: cols}, nil
}

type sourceReader struct {
	s    *source
	cols []int
}

func (r *sourceReader) Close() error { r.s.open.Add(-1); return nil }

func (r *sourceReader) Next(ctx context.Context) (*vector.Batch, error) {
	if r.s.wait != nil {
		select {
		case <-r.s.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	at := int(r.s.at.Add(1)-1) * vector.MaxRows
	if at >= r.s.rows {
		return nil, nil
	}
	var ts []types.Type
	for _, c := range r.cols {
		ts = append(ts, r.s.types[c])
	}
	b := vector.NewBatch(ts)
	for i := at; i < min(at+vector.MaxRows, r.s.rows); i++ {
		if r.s.fail != nil {
			if err := r.s.fail(i); err != nil {
				return nil, err
			}
		}
		full := r.s.gen(i)
		var vals []types.Value
		for _, c := range r.cols {
			vals = append(vals, full[c])
		}
		b.Append(vals)
	}
	return b, nil
}

func sourceScan(n *ids, src *source) (*plan.Scan, map[*plan.Scan]engine.Input) {
	s := &plan.Scan{Relation: &plan.Relation{Format: "csv"}}
	for i, t := range src.types {
		name := fmt.Sprintf("f%d", i)
		s.Relation.Schema = append(s.Relation.Schema, types.Field{Name: name, Type: t})
		s.Fields = append(s.Fields, i)
		s.Out = append(s.Out, n.col(name, t))
	}
	return s, map[*plan.Scan]engine.Input{s: {Source: src}}
}

func TestSourceRows(t *testing.T) {
	e := open(t)
	long := strings.Repeat("long text ", 3)
	src := &source{types: []types.Type{tInt, tStr, tBool, tDouble}, rows: 10_000, gen: func(i int) []types.Value {
		if i%10 == 9 {
			return row{i64(int64(i)), nil, nil, nil}
		}
		return row{i64(int64(i)), fmt.Sprint(long[:i%len(long)], i), i%2 == 0, float64(i) / 4}
	}}
	var n ids
	s, in := sourceScan(&n, src)
	got := mustRun(t, e, engine.Query{Root: byFirst(s), Inputs: in})
	if len(got) != src.rows {
		t.Fatalf("got %d rows", len(got))
	}
	for i, r := range got {
		if diff := gocmp.Diff(src.gen(i), r); diff != "" {
			t.Fatalf("row %d (-want +got):\n%s", i, diff)
		}
	}
	if open := src.open.Load(); open != 0 {
		t.Errorf("%d readers left open", open)
	}
}

func TestSourceProjection(t *testing.T) {
	e := open(t)
	gen := func(i int) []types.Value { return row{i64(int64(i)), "s", i64(int64(2 * i))} }
	count := agg("count", "count(*)", tBig)
	t.Run("one column", func(t *testing.T) {
		src := &source{types: []types.Type{tInt, tStr, tBig}, rows: 5000, gen: gen}
		var n ids
		s, in := sourceScan(&n, src)
		sum := agg("sum", "CAST(sum($1) AS BIGINT)", tBig, ref(s.Out[2]))
		got := mustRun(t, e, engine.Query{Inputs: in, Root: &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("s", tBig)}, Aggs: []expr.Expr{sum}}})
		if diff := gocmp.Diff([]row{{i64(5000 * 4999)}}, got); diff != "" {
			t.Error(diff)
		}
		for _, cols := range src.asked {
			if diff := gocmp.Diff([]int{2}, cols); diff != "" {
				t.Errorf("columns read (-want +got):\n%s", diff)
			}
		}
	})
	t.Run("without columns", func(t *testing.T) {
		src := &source{rows: 5000, gen: func(int) []types.Value { return nil }}
		var n ids
		s, in := sourceScan(&n, src)
		got := mustRun(t, e, engine.Query{Inputs: in, Root: &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("n", tBig)}, Aggs: []expr.Expr{count}}})
		if diff := gocmp.Diff([]row{{i64(5000)}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSourceErrors(t *testing.T) {
	e := open(t)
	failing := func(err error) error {
		src := &source{types: []types.Type{tInt}, rows: 10_000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
		src.fail = func(i int) error {
			if i == 5000 {
				if err == nil {
					panic("a bug")
				}
				return err
			}
			return nil
		}
		var n ids
		s, in := sourceScan(&n, src)
		_, got := all(t.Context(), e, engine.Query{Root: byFirst(s), Inputs: in})
		if open := src.open.Load(); open != 0 {
			t.Errorf("%d readers left open", open)
		}
		return got
	}
	own := sqlerr.CastInvalidInput("'x'", "STRING", "INT")
	if got := failing(own); !errors.Is(got, own) && got != error(own) {
		t.Errorf("got %v instead of the source's own error", got)
	}
	if got := condition(failing(errors.New("disk on fire"))); got != "INTERNAL_ERROR" {
		t.Errorf("got %s", got)
	}
	if got := condition(failing(nil)); got != "INTERNAL_ERROR" {
		t.Errorf("a panic became %s", got)
	}
}

// TestFailureWhileRowsAreFetched: DuckDB tells of a failure on another thread as an interrupt at times, which is no reason.
func TestFailureWhileRowsAreFetched(t *testing.T) {
	e := open(t)
	for range 100 {
		var n ids
		in := &plan.Range{Out: n.col("id", tBig), End: 200000, Step: 1}
		root := &plan.Project{Input: in, Out: []plan.Column{n.col("x", tBig)}, Exprs: []expr.Expr{
			op("f", "CASE WHEN $1 = 150000 THEN error('[DIVIDE_BY_ZERO]') ELSE $1 END", tBig, ref(in.Out)),
		}}
		if _, err := all(t.Context(), e, engine.Query{Root: root}); condition(err) != "DIVIDE_BY_ZERO" {
			t.Fatal(err)
		}
	}
}

// TestFailureOverASource: rows that a Go source gave are there again when the query is run for its reason.
func TestFailureOverASource(t *testing.T) {
	e := open(t)
	for range 100 {
		var n ids
		src := &source{types: []types.Type{tInt}, rows: 200000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
		s, in := sourceScan(&n, src)
		root := &plan.Project{Input: s, Out: []plan.Column{n.col("x", tInt)}, Exprs: []expr.Expr{
			op("f", "CASE WHEN $1 = 150000 THEN error('[DIVIDE_BY_ZERO]') ELSE $1 END", tInt, ref(s.Out[0])),
		}}
		if _, err := all(t.Context(), e, engine.Query{Root: root, Inputs: in}); condition(err) != "DIVIDE_BY_ZERO" {
			t.Fatal(err)
		}
	}
}

func TestCancel(t *testing.T) {
	e := open(t)
	var n ids
	big := func() (*plan.Scan, map[*plan.Scan]engine.Input, *source) {
		src := &source{types: []types.Type{tInt}, rows: 2000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
		s, in := sourceScan(&n, src)
		return s, in, src
	}
	count := func(in plan.Node) plan.Node {
		return &plan.Aggregate{Input: in, AggOut: []plan.Column{n.col("n", tBig)}, Aggs: []expr.Expr{agg("count", "count(*)", tBig)}}
	}
	t.Run("inside the engine", func(t *testing.T) {
		a, ia, _ := big()
		b, ib, _ := big()
		c, ic, _ := big()
		d, id, _ := big()
		for _, m := range []map[*plan.Scan]engine.Input{ib, ic, id} {
			for k, v := range m {
				ia[k] = v
			}
		}
		root := count(&plan.Filter{
			Cond: cmp(">", op("f", "sqrt($1::DOUBLE*$2::DOUBLE)+sqrt($3::DOUBLE)", tDouble, ref(a.Out[0]), ref(b.Out[0]), ref(c.Out[0])), lit(1e9, tDouble)),
			Input: &plan.Join{
				Kind: plan.CrossJoin, Left: &plan.Join{Kind: plan.CrossJoin, Left: a, Right: b},
				Right: &plan.Join{Kind: plan.CrossJoin, Left: c, Right: d},
			},
		})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := all(ctx, e, engine.Query{Root: root, Inputs: ia})
		if condition(err) != "OPERATION_CANCELED" || time.Since(start) > 1200*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
	t.Run("inside a source", func(t *testing.T) {
		s, in, src := big()
		src.wait = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := all(ctx, e, engine.Query{Root: count(s), Inputs: in})
		if condition(err) != "OPERATION_CANCELED" || time.Since(start) > 1100*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if open := src.open.Load(); open != 0 {
			t.Errorf("%d readers left open", open)
		}
	})
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s, in, _ := big()
		if _, err := all(ctx, e, engine.Query{Root: s, Inputs: in}); condition(err) != "OPERATION_CANCELED" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("between batches", func(t *testing.T) {
		src := &source{types: []types.Type{tInt}, rows: 5_000_000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
		s, in := sourceScan(&n, src)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := e.Query(ctx, engine.Query{Root: s, Inputs: in})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := r.Next(ctx); err != nil || b == nil {
			t.Fatalf("first batch: %v %v", b, err)
		}
		cancel()
		if _, err := r.Next(ctx); condition(err) != "OPERATION_CANCELED" {
			t.Errorf("got %v", err)
		}
		r.Close()
		if open := src.open.Load(); open != 0 {
			t.Errorf("%d readers left open", open)
		}
	})
	s, in, _ := big()
	if got := mustRun(t, e, engine.Query{Root: count(s), Inputs: in}); !gocmp.Equal(got, []row{{i64(2000)}}) {
		t.Errorf("after cancels: %v", got)
	}
}

func TestCloseEarly(t *testing.T) {
	e := open(t)
	for range 20 {
		src := &source{types: []types.Type{tInt}, rows: 1_000_000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
		var n ids
		s, in := sourceScan(&n, src)
		r, err := e.Query(t.Context(), engine.Query{Root: s, Inputs: in})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Close()
		at := src.at.Load()
		if open := src.open.Load(); open != 0 {
			t.Fatalf("%d readers left open", open)
		}
		runtime.Gosched()
		if src.at.Load() != at {
			t.Fatal("the source is read after Close")
		}
	}
}

func TestConcurrentQueries(t *testing.T) {
	e := open(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range 20 {
				rows := 3000 + 10*g + k
				src := &source{types: []types.Type{tInt}, rows: rows, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
				var n ids
				s, in := sourceScan(&n, src)
				root := &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("n", tBig)}, Aggs: []expr.Expr{agg("count", "count($1)", tBig, ref(s.Out[0]))}}
				got, err := all(t.Context(), e, engine.Query{Root: root, Inputs: in})
				if err != nil || !gocmp.Equal(got, []row{{i64(int64(rows))}}) {
					t.Errorf("got %v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
