package duckdb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// drain runs a query to its end.
func drain(b testing.TB, e *duckdb.Engine, q engine.Query) (rows int) {
	b.Helper()
	r, err := e.Query(context.Background(), q)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for {
		batch, err := r.Next(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if batch == nil {
			return rows
		}
		rows += batch.Len
	}
}

// BenchmarkSmallFile is a filtered query over one file of 2,000 rows: what a query by partition comes down to.
func BenchmarkSmallFile(b *testing.B) {
	e := open(b)
	path := writeParquet(b, filepath.Join(b.TempDir(), "a.parquet"), `SELECT i AS id, 'n' || i AS s FROM range(2000) t(i)`)
	var n ids
	s := table(&n, []types.Field{{Name: "id", Type: tBig}, {Name: "s", Type: tStr}, {Name: "dt", Type: tDate}}, "dt")
	root := &plan.Filter{Input: s, Cond: and(cmp("<", ref(s.Out[0]), lit(i64(10), tBig)), cmp("=", ref(s.Out[2]), lit(i64(19000), tDate)))}
	q := engine.Query{Root: root, Inputs: scanOf(s, engine.ParquetFile{Path: path, Partition: row{i64(19000)}})}
	drain(b, e, q)
	for b.Loop() {
		drain(b, e, q)
	}
}

// BenchmarkSmallFileByHand is DuckDB alone, given the file: what BenchmarkSmallFile is compared with.
func BenchmarkSmallFileByHand(b *testing.B) {
	path := writeParquet(b, filepath.Join(b.TempDir(), "a.parquet"), `SELECT i AS id, 'n' || i AS s FROM range(2000) t(i)`)
	var db bindings.Database
	if bindings.Open(":memory:", &db) == bindings.StateError {
		b.Fatal("no database")
	}
	defer bindings.Close(&db)
	var c bindings.Connection
	if bindings.Connect(db, &c) == bindings.StateError {
		b.Fatal("no connection")
	}
	defer bindings.Disconnect(&c)
	for b.Loop() {
		var res bindings.Result
		if bindings.Query(c, "SELECT id, s, DATE '2022-01-08' AS dt FROM read_parquet('"+path+"') WHERE id < 10", &res) == bindings.StateError {
			b.Fatal(bindings.ResultError(&res))
		}
		bindings.DestroyResult(&res)
	}
}

// BenchmarkManyFiles scans files of one row each.
func BenchmarkManyFiles(b *testing.B) {
	for _, files := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			e := open(b)
			dir := b.TempDir()
			one := writeParquet(b, filepath.Join(dir, "one.parquet"), `SELECT 1::INTEGER AS id`)
			var n ids
			s := table(&n, []types.Field{{Name: "id", Type: tInt}, {Name: "dt", Type: tDate}}, "dt")
			var list []engine.ParquetFile
			for i := range files {
				path := filepath.Join(dir, fmt.Sprintf("f%d.parquet", i))
				if err := os.Link(one, path); err != nil {
					b.Fatal(err)
				}
				list = append(list, engine.ParquetFile{Path: path, Partition: row{i64(int64(i))}})
			}
			sum := agg("sum", "CAST(sum($1) AS BIGINT)", tBig, ref(s.Out[0]))
			last := agg("max", "max($1)", tDate, ref(s.Out[1]))
			root := &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("s", tBig), n.col("d", tDate)}, Aggs: []expr.Expr{sum, last}}
			q := engine.Query{Root: root, Inputs: scanOf(s, list...)}
			for b.Loop() {
				drain(b, e, q)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(files), "µs/file")
		})
	}
}

// BenchmarkSource reads a Go source of a million rows with a string column.
func BenchmarkSource(b *testing.B) {
	e := open(b)
	ts := []types.Type{tBig, tStr}
	text := make([]string, 100)
	for i := range text {
		text[i] = fmt.Sprintf("some longer text %d", i)
	}
	for b.Loop() {
		src := &source{types: ts, rows: 1_000_000, gen: func(i int) []types.Value { return row{i64(int64(i)), text[i%100]} }}
		var n ids
		s, in := sourceScan(&n, src)
		length := agg("sum", "CAST(sum(length($2)+$1) AS BIGINT)", tBig, ref(s.Out[0]), ref(s.Out[1]))
		drain(b, e, engine.Query{Root: &plan.Aggregate{Input: s, AggOut: []plan.Column{n.col("s", tBig)}, Aggs: []expr.Expr{length}}, Inputs: in})
	}
}

// BenchmarkStream streams 5 million rows of two columns.
func BenchmarkStream(b *testing.B) {
	e := open(b)
	path := writeParquet(b, filepath.Join(b.TempDir(), "a.parquet"), `SELECT i AS id, 'row number ' || i AS s FROM range(5000000) t(i)`)
	var n ids
	s := table(&n, []types.Field{{Name: "id", Type: tBig}, {Name: "s", Type: tStr}})
	for b.Loop() {
		if rows := drain(b, e, engine.Query{Root: s, Inputs: scanOf(s, engine.ParquetFile{Path: path})}); rows != 5_000_000 {
			b.Fatal(rows)
		}
	}
}

// BenchmarkOpen opens an engine and runs one query that needs the macros.
func BenchmarkOpen(b *testing.B) {
	for name, ex := range map[string]expr.Expr{"plain": num(1), "macros": op("f", "'sp_'", tStr)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e, err := duckdb.Open(duckdb.Config{TempDir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				drain(b, e, engine.Query{Root: &plan.Project{Input: &plan.OneRow{}, Out: []plan.Column{{ID: 1, Type: ex.Type()}}, Exprs: []expr.Expr{ex}}})
				if err := e.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
