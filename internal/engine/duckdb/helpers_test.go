package duckdb_test

import (
	"context"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

var (
	tInt    = types.Of(types.Int)
	tBig    = types.Of(types.BigInt)
	tStr    = types.Of(types.String)
	tBool   = types.Of(types.Boolean)
	tDouble = types.Of(types.Double)
	tDate   = types.Of(types.Date)
)

func open(t testing.TB) *duckdb.Engine {
	t.Helper()
	e, err := duckdb.Open(duckdb.Config{Threads: 2, TempDir: t.TempDir(), Formats: baseContext.Formats})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// all runs a query to its end and returns its rows.
func all(ctx context.Context, e *duckdb.Engine, q engine.Query) ([][]types.Value, error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r, err := e.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out [][]types.Value
	for {
		b, err := r.Next(ctx)
		if err != nil || b == nil {
			return out, err
		}
		for i := range b.Len {
			row := make([]types.Value, len(b.Cols))
			for k := range b.Cols {
				row[k] = b.Cols[k].Value(i)
			}
			out = append(out, row)
		}
	}
}

func mustRun(t testing.TB, e *duckdb.Engine, q engine.Query) [][]types.Value {
	t.Helper()
	rows, err := all(t.Context(), e, q)
	if err != nil {
		t.Fatalf("%v (cause: %v)", err, errors.Unwrap(err))
	}
	return rows
}

// condition is the condition of an error, and the text of its cause for the log of a failing test.
func condition(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return "not a condition: " + errText(err)
	}
	return string(e.Condition)
}

func errText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

// ids hands out column identities.
type ids struct{ last expr.ColumnID }

func (n *ids) col(name string, t types.Type) plan.Column {
	n.last++
	return plan.Column{ID: n.last, Name: name, Type: t}
}

func ref(c plan.Column) expr.Expr { return &expr.Column{ID: c.ID, Name: c.Name, T: c.Type} }

func outer(c plan.Column) expr.Expr {
	return &expr.Column{ID: c.ID, Name: c.Name, T: c.Type, Outer: true}
}

func lit(v types.Value, t types.Type) expr.Expr { return &expr.Literal{Value: v, T: t} }

func num(n int64) expr.Expr { return lit(n, tInt) }

// op is an operator or function with a template.
func op(name, template string, t types.Type, args ...expr.Expr) expr.Expr {
	return &expr.Call{Fn: &expr.Overload{Name: name, Duck: template}, Args: args, T: t}
}

func cmp(name string, a, b expr.Expr) expr.Expr { return op(name, "$1 "+name+" $2", tBool, a, b) }

func and(a, b expr.Expr) expr.Expr { return op("and", "$1 AND $2", tBool, a, b) }
func or(a, b expr.Expr) expr.Expr  { return op("or", "$1 OR $2", tBool, a, b) }
func not(a expr.Expr) expr.Expr    { return op("not", "NOT $1", tBool, a) }

// divide raises as Spark's division does.
func divide(a, b expr.Expr) expr.Expr {
	return op("/", "CASE WHEN $2 = 0 AND $1 IS NOT NULL THEN error('[DIVIDE_BY_ZERO]') ELSE CAST($1 AS DOUBLE) / $2 END", tDouble, a, b)
}

func agg(name, template string, t types.Type, args ...expr.Expr) *expr.Aggregate {
	return &expr.Aggregate{Fn: &expr.Overload{Name: name, Kind: expr.Agg, Duck: template}, Args: args, T: t}
}

// values is a VALUES node over one column of integers; nil stands for NULL.
func values(c plan.Column, vs ...types.Value) *plan.Values {
	n := &plan.Values{Out: []plan.Column{c}}
	for _, v := range vs {
		n.Rows = append(n.Rows, []expr.Expr{lit(v, c.Type)})
	}
	return n
}

// table is a relation with a scan of all its columns.
func table(n *ids, fields []types.Field, partition ...string) *plan.Scan {
	s := &plan.Scan{Relation: &plan.Relation{Format: "parquet", Schema: fields, Partition: partition}}
	for i, f := range fields {
		s.Out = append(s.Out, n.col(f.Name, f.Type))
		s.Fields = append(s.Fields, i)
	}
	return s
}

// writeParquet writes the rows of a DuckDB query to a new file.
func writeParquet(t testing.TB, path, query string) string {
	t.Helper()
	plainName := filepath.Join(t.TempDir(), "out.parquet")
	sqlRun(t, "COPY ("+query+") TO '"+plainName+"' (FORMAT parquet)")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(plainName, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// sqlRun runs a statement in a DuckDB of its own.
func sqlRun(t testing.TB, sql string) {
	t.Helper()
	var db bindings.Database
	if bindings.Open(":memory:", &db) == bindings.StateError {
		t.Fatal("no database")
	}
	defer bindings.Close(&db)
	var c bindings.Connection
	if bindings.Connect(db, &c) == bindings.StateError {
		t.Fatal("no connection")
	}
	defer bindings.Disconnect(&c)
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c, sql, &res) == bindings.StateError {
		t.Fatalf("%s: %s", sql, bindings.ResultError(&res))
	}
}

// dec is a decimal of a scale from its digits.
func dec(text string, scale int) types.Dec {
	n, ok := new(big.Int).SetString(strings.ReplaceAll(text, ".", ""), 10)
	if !ok {
		panic(text)
	}
	return types.Dec{Unscaled: n, Scale: scale}
}

// errCause is what the engine said, for the log of a failing test.
func errCause(err error) string { return errText(errors.Unwrap(err)) }
