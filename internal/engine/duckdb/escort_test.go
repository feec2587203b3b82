package duckdb_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// deaf is a source that hears nothing while it makes a row: neither of the context nor of an interrupt, like the functions of
// DuckDB that compute one long value. begun is closed when it has begun; it goes on when release is closed.
func deaf(begun, release chan struct{}) *source {
	return &source{types: []types.Type{tInt}, rows: 1, gen: func(i int) []types.Value {
		close(begun)
		<-release
		return row{i64(int64(i))}
	}}
}

// soon waits for something that another goroutine brings about.
func soon(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("in half a minute it did not come about that " + what)
}

// usable runs a query on an engine that had to leave another one behind.
func usable(t *testing.T, e *duckdb.Engine) {
	t.Helper()
	var n ids
	one := &plan.Project{Input: &plan.OneRow{}, Out: []plan.Column{n.col("a", tBig)}, Exprs: []expr.Expr{num(7)}}
	if got := mustRun(t, e, engine.Query{Root: one}); !gocmp.Equal(got, []row{{i64(7)}}) {
		t.Errorf("after a query that was left behind: %v", got)
	}
}

func TestCanceledQueryThatHearsNothingIsLeftBehind(t *testing.T) {
	for _, between := range []bool{false, true} {
		e := open(t)
		var n ids
		begun, release := make(chan struct{}), make(chan struct{})
		src := deaf(begun, release)
		s, in := sourceScan(&n, src)
		var root plan.Node = s
		if !between { // an aggregate is computed before there are rows to fetch
			root = byFirst(s)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		if _, err := all(ctx, e, engine.Query{Root: root, Inputs: in}); condition(err) != "OPERATION_CANCELED" {
			t.Errorf("got %v", err)
		}
		usable(t, e)
		close(release)
		soon(t, "what was left behind closed its reader", func() bool { return src.open.Load() == 0 })
	}
}

func TestClosingRowsDoesNotWaitForWhatHearsNothing(t *testing.T) {
	e := open(t)
	var n ids
	begun, release := make(chan struct{}), make(chan struct{})
	quick := &source{types: []types.Type{tInt}, rows: 5_000_000, gen: func(i int) []types.Value { return row{i64(int64(i))} }}
	slow := deaf(begun, release)
	a, in := sourceScan(&n, quick)
	b, more := sourceScan(&n, slow)
	for k, v := range more {
		in[k] = v
	}
	r, err := e.Query(t.Context(), engine.Query{
		Root: &plan.SetOp{Kind: plan.Union, All: true, Left: a, Right: b, Out: []plan.Column{n.col("f", tInt)}}, Inputs: in,
	})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Next(t.Context()); b == nil || err != nil {
		t.Fatal(b, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	usable(t, e)
	close(release)
	soon(t, "the readers were closed", func() bool { return quick.open.Load() == 0 && slow.open.Load() == 0 })
}

func TestCanceledWriteThatHearsNothingIsLeftBehind(t *testing.T) {
	for _, form := range []string{"parquet", "csv", "json"} {
		e := openWriting(t)
		var n ids
		begun, release := make(chan struct{}), make(chan struct{})
		src := deaf(begun, release)
		s, in := sourceScan(&n, src)
		w := writing(t, s, form)
		w.Inputs = in
		w.Dir = filepath.Join(w.Dir, "staging")
		if err := os.Mkdir(w.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		if _, err := e.Write(ctx, w); condition(err) != "OPERATION_CANCELED" {
			t.Errorf("%s: got %v", form, err)
		}
		usable(t, e)
		close(release)
		soon(t, "the directory of the write went", func() bool {
			_, err := os.Stat(w.Dir)
			return os.IsNotExist(err)
		})
	}
}
