package duckdb_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

func byFirst(n plan.Node) plan.Node {
	return &plan.Sort{Input: n, Keys: []expr.SortKey{{Expr: ref(n.Output()[0]), NullsFirst: true}}}
}

func scanOf(s *plan.Scan, files ...engine.ParquetFile) map[*plan.Scan]engine.Input {
	return map[*plan.Scan]engine.Input{s: {Parquet: files}}
}

func TestScanParquet(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	a := writeParquet(t, filepath.Join(dir, "a.parquet"), `SELECT 1::INTEGER AS "ID", 'x' AS name, 9 AS extra`)
	b := writeParquet(t, filepath.Join(dir, "b.parquet"), `SELECT 2::BIGINT AS id`)
	var n ids
	fields := []types.Field{{Name: "id", Type: tBig}, {Name: "Name", Type: tStr}, {Name: "dt", Type: tDate}, {Name: "k", Type: tStr}}
	s := table(&n, fields, "dt", "k")
	in := scanOf(s,
		engine.ParquetFile{Path: a, Partition: row{i64(19000), "q'uote"}},
		engine.ParquetFile{Path: b, Partition: row{nil, "q'uote"}})
	got := mustRun(t, e, engine.Query{Root: byFirst(s), Inputs: in})
	want := []row{{i64(1), "x", i64(19000), "q'uote"}, {i64(2), nil, nil, "q'uote"}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}

	cnt := n.col("n", tBig)
	count := func(s *plan.Scan, cond expr.Expr) plan.Node {
		var input plan.Node = s
		if cond != nil {
			input = &plan.Filter{Input: s, Cond: cond}
		}
		return &plan.Aggregate{Input: input, AggOut: []plan.Column{cnt}, Aggs: []expr.Expr{agg("count", "count(*)", tBig)}}
	}
	got = mustRun(t, e, engine.Query{Root: count(s, cmp("=", ref(s.Out[2]), lit(i64(19000), tDate))), Inputs: in})
	if diff := gocmp.Diff([]row{{i64(1)}}, got); diff != "" {
		t.Errorf("filter on a partition column (-want +got):\n%s", diff)
	}

	bare := &plan.Scan{Relation: s.Relation}
	opened := 0
	got = mustRun(t, e, engine.Query{
		Root: count(bare, nil), Inputs: scanOf(bare, engine.ParquetFile{Path: a}, engine.ParquetFile{Path: b}),
		Opened: func(n int) { opened = n },
	})
	if diff := gocmp.Diff([]row{{i64(2)}}, got); diff != "" || opened != 2 {
		t.Errorf("count of a scan without columns (-want +got):\n%s, %d files opened", diff, opened)
	}

	for name, files := range map[string][]engine.ParquetFile{"no file": nil} {
		if got := mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, files...)}); len(got) != 0 {
			t.Errorf("%s: got %v", name, got)
		}
		if got := mustRun(t, e, engine.Query{Root: count(bare, nil), Inputs: scanOf(bare)}); !gocmp.Equal(got, []row{{i64(0)}}) {
			t.Errorf("%s: counted %v", name, got)
		}
	}
}

func TestScanOnlyPartitionColumns(t *testing.T) {
	e := open(t)
	a := writeParquet(t, filepath.Join(t.TempDir(), "a.parquet"), `SELECT * FROM range(3) t(id)`)
	var n ids
	s := table(&n, []types.Field{{Name: "dt", Type: tStr}}, "dt")
	got := mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, engine.ParquetFile{Path: a, Partition: row{"p"}})})
	if diff := gocmp.Diff([]row{{"p"}, {"p"}, {"p"}}, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

func TestScanManyFiles(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	one := writeParquet(t, filepath.Join(dir, "one.parquet"), `SELECT 1::INTEGER AS id`)
	var n ids
	decimal := types.DecimalOf(30, 2)
	fields := []types.Field{{Name: "id", Type: tInt}, {Name: "dt", Type: tDate}, {Name: "h", Type: tInt}, {Name: "d", Type: decimal}}
	s := table(&n, fields, "dt", "h", "d")
	var files []engine.ParquetFile
	for i := range 1000 {
		path := filepath.Join(dir, fmt.Sprintf("f%d.parquet", i))
		if err := os.Link(one, path); err != nil {
			t.Fatal(err)
		}
		var h types.Value
		if i%7 > 0 {
			h = i64(int64(i % 7))
		}
		files = append(files, engine.ParquetFile{Path: path, Partition: row{i64(int64(i)), h, dec("-12345678901234567890123456.78", 2)}})
	}
	got := mustRun(t, e, engine.Query{Root: &plan.Sort{Input: s, Keys: []expr.SortKey{{Expr: ref(s.Out[1])}}}, Inputs: scanOf(s, files...)})
	if len(got) != 1000 {
		t.Fatalf("got %d rows", len(got))
	}
	for i, r := range got {
		if diff := gocmp.Diff(row{i64(1), files[i].Partition[0], files[i].Partition[1]}, r[:3]); diff != "" {
			t.Fatalf("row %d (-want +got):\n%s", i, diff)
		}
		if d := r[3].(types.Dec); d.Unscaled.String() != "-1234567890123456789012345678" {
			t.Fatalf("row %d: decimal %s", i, d.Unscaled)
		}
	}
}

func TestFileNamesAreLiteral(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	// A decoy for each pattern: were the name expanded, its rows would be counted too.
	writeParquet(t, filepath.Join(dir, "fx.parquet"), `SELECT -1::INTEGER AS id`)
	writeParquet(t, filepath.Join(dir, "adb", "f.parquet"), `SELECT -1::INTEGER AS id`)
	names := []string{
		"f?.parquet", "f*.parquet", "[f]x.parquet", "f[x].parquet", "a*b/f.parquet", "q'uo\"te.parquet", "new\nline.parquet",
		"ünïcødé 日本.parquet", "sp ace%20.parquet", "hive=1/k=v/f.parquet", "back\\slash.parquet", "{a,b}.parquet", "~.parquet", "semi;colon--.parquet",
		"latin1 \xfc.parquet", "b=\xff\xfe/f.parquet",
	}
	var n ids
	s := table(&n, []types.Field{{Name: "id", Type: tInt}, {Name: "k", Type: tStr}}, "k")
	var all []engine.ParquetFile
	for i, name := range names {
		path := writeParquet(t, filepath.Join(dir, name), fmt.Sprintf(`SELECT %d::INTEGER AS id`, i))
		// A value that is no text reads as one, whatever the name of the file.
		names[i] = types.ReplaceInvalid(name)
		f := engine.ParquetFile{Path: path, Partition: row{name}}
		all = append(all, f)
		got := mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, f)})
		if diff := gocmp.Diff([]row{{i64(int64(i)), names[i]}}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	got := mustRun(t, e, engine.Query{Root: byFirst(s), Inputs: scanOf(s, all...)})
	if len(got) != len(names) {
		t.Fatalf("got %d rows of %d files", len(got), len(names))
	}
	for i, r := range got {
		if r[0] != i64(int64(i)) || r[1] != names[i] {
			t.Errorf("row %d is %v", i, r)
		}
	}
	// Many values travel as a parameter, which holds texts only.
	var many []engine.ParquetFile
	for i := range 300 {
		many = append(many, engine.ParquetFile{Path: all[0].Path, Partition: row{fmt.Sprintf("\xff%d", i)}})
	}
	for _, r := range mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, many...)}) {
		if text, ok := r[1].(string); !ok || !strings.HasPrefix(text, "\uFFFD") {
			t.Fatalf("a value that is no text reads as %q", r[1])
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	good := writeParquet(t, filepath.Join(dir, "good.parquet"), `SELECT i::INTEGER AS id, 'text ' || i AS s FROM range(5000) t(i)`)
	bytes, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noise := append([]byte(nil), bytes...)
	for i := 20; i < len(noise)/2; i++ {
		noise[i] ^= 0xA5
	}
	tests := map[string]struct{ path, want string }{
		"missing":        {filepath.Join(dir, "gone.parquet"), "FAILED_READ_FILE.FILE_NOT_EXIST"},
		"empty":          {write("empty.parquet", nil), "FAILED_READ_FILE.NO_HINT"},
		"text":           {write("text.parquet", []byte("id,s\n1,a\n")), "FAILED_READ_FILE.NO_HINT"},
		"cut":            {write("cut[1].parquet", bytes[:len(bytes)/2]), "FAILED_READ_FILE.NO_HINT"},
		"damaged pages":  {write("noise.parquet", noise), "FAILED_READ_FILE.NO_HINT"},
		"missing, glob":  {filepath.Join(dir, "gone*.parquet"), "FAILED_READ_FILE.FILE_NOT_EXIST"},
		"damaged footer": {write("footer.parquet", append(append([]byte("PAR1"), noise[20:200]...), bytes[len(bytes)-8:]...)), "FAILED_READ_FILE.NO_HINT"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var n ids
			s := table(&n, []types.Field{{Name: "id", Type: tInt}, {Name: "s", Type: tStr}})
			_, err := all(t.Context(), e, engine.Query{Root: s, Inputs: scanOf(s, engine.ParquetFile{Path: tt.path})})
			if condition(err) != tt.want {
				t.Errorf("got %v (cause %v), want %s", err, errors.Unwrap(err), tt.want)
			}
			if got := mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, engine.ParquetFile{Path: good})}); len(got) != 5000 {
				t.Errorf("the next statement read %d rows", len(got))
			}
		})
	}
}
