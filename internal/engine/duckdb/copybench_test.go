package duckdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// BenchmarkWrite writes rows of a Parquet file into files of each format; "plain COPY" is what DuckDB does with the same rows,
// the partition's number computed by an expression. Each line tells the peak of the process's memory so far.
func BenchmarkWrite(b *testing.B) {
	path := filepath.Join(b.TempDir(), "in.parquet")
	const n = 3_000_000
	sqlRun(b, fmt.Sprintf(`COPY (SELECT i AS id, i*7 AS v, 'text number ' || (i%%1000) AS s, i*1.5e0 AS d, DATE '2024-01-01'+(i%%50)::INTEGER AS day,
		((i*7919)%%10000)::INTEGER AS p FROM range(%d) t(i)) TO '%s'`, n, path))
	list := "id,v,s,d,day"
	// The rows are read in the way in which the engine reads them, so that only the writing differs.
	scan := "read_parquet('" + path + "',schema=MAP{"
	for i, c := range []string{"id BIGINT", "v BIGINT", "s VARCHAR", "d DOUBLE", "day DATE", "p INTEGER"} {
		name, typ, _ := strings.Cut(c, " ")
		if i > 0 {
			scan += ","
		}
		scan += fmt.Sprintf("'%s':{'name':'%s','type':'%s','default_value':NULL}", name, name, typ)
	}
	scan += "})"
	run := func(name, form string, rows, partitions int, ordered bool, memory int64, options map[string]string) {
		b.Run(name, func(b *testing.B) {
			e := openWriting(b)
			var c ids
			s := table(&c, []types.Field{
				{Name: "id", Type: tBig},
				{Name: "v", Type: tBig},
				{Name: "s", Type: tStr},
				{Name: "d", Type: tDouble},
				{Name: "day", Type: tDate},
				{Name: "p", Type: tInt},
			})
			p := c.col("part", tInt)
			filtered := &plan.Filter{Input: s, Cond: cmp("<", ref(s.Out[0]), num(int64(rows)))}
			root := &plan.Project{Input: filtered, Out: append(s.Out[:5:5], p)}
			for _, o := range s.Out[:5] {
				root.Exprs = append(root.Exprs, ref(o))
			}
			root.Exprs = append(root.Exprs, op("%", "CAST($1 % $2 AS INTEGER)", tInt, ref(s.Out[5]), num(int64(max(partitions, 1)))))
			in := scanOf(s, engine.ParquetFile{Path: path, Rows: n})
			for range b.N {
				w := engine.Write{
					Query: engine.Query{Root: root, Inputs: in, MemoryLimit: memory}, Format: form, Ordered: ordered, Options: options,
					Names: strings.Split(list, ","), Dir: b.TempDir(),
				}
				if partitions > 0 {
					w.Partition = []int{5}
				} else {
					w.Names = append(w.Names, "part")
				}
				out, err := e.Write(b.Context(), w)
				if err != nil {
					b.Fatal(err, errCause(err))
				}
				if out.Rows != int64(min(rows, n)) || len(out.Files) < partitions {
					b.Fatalf("%d rows in %d files", out.Rows, len(out.Files))
				}
				os.RemoveAll(w.Dir)
			}
			b.ReportMetric(peak(b), "MB-peak")
		})
	}
	plain := func(name, options string, rows, partitions int) {
		b.Run(name, func(b *testing.B) {
			db := duckdb.OpenPlain(b)
			for range b.N {
				dir := b.TempDir()
				cols := list + fmt.Sprintf(",CAST(p %% %d AS INTEGER) AS k", max(partitions, 1))
				db(fmt.Sprintf("COPY (SELECT %s FROM %s WHERE id<%d) TO '%s/x' (%s)", cols, scan, rows, dir, options))
				os.RemoveAll(dir)
			}
		})
	}
	plain("parquet/DuckDB", "FORMAT parquet,COMPRESSION zstd", n, 0)
	run("parquet/tarn", "parquet", n, 0, false, 0, nil)
	run("parquet/tarn ordered", "parquet", n, 0, true, 0, nil)
	plain("csv/DuckDB", "FORMAT csv", n, 0)
	run("csv/tarn", "csv", n, 0, false, 0, nil)
	plain("json/DuckDB", "FORMAT json", n, 0)
	run("json/tarn", "json", n, 0, false, 0, nil)
	plain("csv gzip/DuckDB", "FORMAT csv,COMPRESSION gzip", n, 0)
	run("csv gzip/tarn", "csv", n, 0, false, 0, map[string]string{"compression": "gzip"})
	plain("parquet 64 partitions/DuckDB", "FORMAT parquet,COMPRESSION zstd,PARTITION_BY (k),WRITE_PARTITION_COLUMNS false", n, 64)
	run("parquet 64 partitions/tarn", "parquet", n, 64, false, 0, nil)
	run("parquet 64 partitions/tarn ordered", "parquet", n, 64, true, 0, nil)
	plain("csv 64 partitions/DuckDB", "FORMAT csv,PARTITION_BY (k),WRITE_PARTITION_COLUMNS false", n, 64)
	run("csv 64 partitions/tarn", "csv", n, 64, false, 0, nil)
	run("parquet 1000 partitions of 2/tarn", "parquet", 2000, 1000, false, 0, nil)
	run("parquet 1000 partitions of 2/tarn ordered", "parquet", 2000, 1000, true, 0, nil)
	run("csv 1000 partitions of 2/tarn", "csv", 2000, 1000, false, 0, nil)
	run("csv gzip 10000 partitions/tarn", "csv", n, 10_000, false, 500<<20, map[string]string{"compression": "gzip"})
	run("parquet 10000 partitions/tarn", "parquet", n, 10_000, false, 500<<20, nil)
	run("parquet 10000 partitions/tarn ordered", "parquet", n, 10_000, true, 500<<20, nil)
}

// peak is the process's largest resident memory so far, in megabytes.
func peak(t testing.TB) float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kb float64
			_, _ = fmt.Sscan(rest, &kb)
			return kb / 1024
		}
	}
	t.Log("no VmHWM in /proc/self/status")
	return 0
}
