package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/csv"
	"github.com/tarnlake/tarn/internal/format/json"
	"github.com/tarnlake/tarn/internal/format/parquet"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/types"
)

// openWriting returns an engine that writes the text formats too.
func openWriting(t testing.TB) *duckdb.Engine {
	t.Helper()
	e, err := duckdb.Open(duckdb.Config{
		Threads: 2, TempDir: t.TempDir(),
		Writers: map[string]format.Writer{"csv": csv.Writer{}, "json": json.Writer{}},
	})
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

// supplied are rows of columns of the given types.
func supplied(rows [][]types.Value, ts ...types.Type) *plan.Supplied {
	n := &plan.Supplied{Rows: rows}
	for i, t := range ts {
		n.Out = append(n.Out, plan.Column{ID: expr.ColumnID(i + 1), Name: fmt.Sprintf("c%d", i), Type: t})
	}
	return n
}

// writing is a write of a plan with the columns named a, b, c, …
func writing(t testing.TB, root plan.Node, form string, partition ...int) engine.Write {
	t.Helper()
	w := engine.Write{Query: engine.Query{Root: root, Zone: time.UTC}, Format: form, Dir: t.TempDir(), Partition: partition}
	for i := range root.Output() {
		if !slices.Contains(partition, i) {
			w.Names = append(w.Names, string(rune('a'+len(w.Names))))
		}
	}
	return w
}

func mustWrite(t testing.TB, e *duckdb.Engine, w engine.Write) *engine.Written {
	t.Helper()
	out, err := e.Write(t.Context(), w)
	if err != nil {
		t.Fatalf("%v (cause: %v)", err, errCause(err))
	}
	checkFiles(t, w, out)
	return out
}

// checkFiles compares what a write tells with the directory, and asks that nothing in it is open.
func checkFiles(t testing.TB, w engine.Write, out *engine.Written) {
	t.Helper()
	told := map[string]int64{}
	rows := int64(0)
	for _, f := range out.Files {
		told[f.Path] = f.Bytes
		rows += f.Rows
		if f.Rows == 0 {
			t.Errorf("%s has no row", f.Path)
		}
	}
	if rows != out.Rows {
		t.Errorf("%d rows in files, %d in all", rows, out.Rows)
	}
	found := 0
	err := filepath.WalkDir(w.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		found++
		if bytes, ok := told[path]; !ok || bytes != info.Size() {
			t.Errorf("%s of %d bytes is told as %d", path, info.Size(), bytes)
		}
		return nil
	})
	if err != nil || found != len(out.Files) {
		t.Errorf("%d files, %d told: %v", found, len(out.Files), err)
	}
	noOpenFile(t, w.Dir)
}

// noOpenFile fails when the process has a file below dir open.
func noOpenFile(t testing.TB, dir string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(links) == 0 {
		t.Log("NO /proc HERE, so nobody checks that files are closed: run the tests on Linux.")
		return
	}
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && strings.HasPrefix(target, dir) {
			t.Errorf("%s is open", target)
		}
	}
}

// readBack scans Parquet files of a write as columns of the given types.
func readBack(t testing.TB, e *duckdb.Engine, files []engine.WrittenFile, names []string, ts ...types.Type) [][]types.Value {
	t.Helper()
	var n ids
	var fields []types.Field
	for i, name := range names {
		fields = append(fields, types.Field{Name: name, Type: ts[i]})
	}
	s := table(&n, fields)
	var in []engine.ParquetFile
	for _, f := range files {
		in = append(in, engine.ParquetFile{Path: f.Path})
	}
	return mustRun(t, e, engine.Query{Root: s, Inputs: scanOf(s, in...)})
}

// flatTypes are types of columns, each with values.
func flatTypes() map[string]struct {
	t      types.Type
	values []types.Value
} {
	type typed = struct {
		t      types.Type
		values []types.Value
	}
	return map[string]typed{
		"boolean":         {tBool, row{true, false}},
		"tinyint":         {types.Of(types.TinyInt), row{i64(-128), i64(127)}},
		"smallint":        {types.Of(types.SmallInt), row{i64(-32768), i64(7)}},
		"int":             {tInt, row{i64(math.MinInt32), i64(5)}},
		"bigint":          {tBig, row{i64(math.MinInt64), i64(math.MaxInt64)}},
		"float":           {types.Of(types.Float), row{1.5, math.Inf(1)}},
		"double":          {tDouble, row{0.1, math.Inf(-1), 4.9e-324}},
		"small decimal":   {types.DecimalOf(4, 2), row{dec("1.23", 2), dec("-99.99", 2)}},
		"long decimal":    {types.DecimalOf(18, 2), row{dec("1234567890123456.78", 2), dec("-0.01", 2)}},
		"wide decimal":    {types.DecimalOf(38, 10), row{dec("-1234567890123456789012345678.0123456789", 10), dec("0.0000000001", 10)}},
		"string":          {tStr, row{"x", "a'b\"\n\\,é😀 \x00", " blanks "}},
		"char":            {types.Type{Kind: types.Char, Precision: 4}, row{"ab  ", "é   "}},
		"varchar":         {types.Type{Kind: types.Varchar, Precision: 4}, row{"ab", " "}},
		"binary":          {types.Of(types.Binary), row{types.Bytes("\x00\xff"), types.Bytes("a")}},
		"date":            {tDate, row{i64(-719162), i64(2932896), i64(0), i64(-141714)}},
		"timestamp":       {types.Of(types.Timestamp), row{i64(1714566600123456), i64(-62135596800000000)}},
		"timestamp_ntz":   {types.Of(types.TimestampNTZ), row{i64(1714566600123456), i64(-1)}},
		"interval months": {types.IntervalOf(types.FieldYear, types.FieldMonth), row{i64(-13), i64(5)}},
		"interval micros": {types.IntervalOf(types.FieldDay, types.FieldSecond), row{i64(-1), i64(86400000001)}},
	}
}

func TestWriteParquetTypes(t *testing.T) {
	e := openWriting(t)
	for name, c := range flatTypes() {
		t.Run(name, func(t *testing.T) {
			nested := types.StructOf(types.Field{Name: "x", Type: types.ArrayOf(c.t)}, types.Field{Name: "Y", Type: types.MapOf(tStr, c.t)})
			var rows [][]types.Value
			for _, v := range append(row{nil}, c.values...) {
				rows = append(rows, row{v, []types.Value{[]types.Value{v, nil}, []types.MapEntry{{Key: "k", Value: v}}}})
			}
			rows = append(rows, row{nil, nil}, row{nil, []types.Value{nil, nil}})
			w := writing(t, supplied(rows, c.t, nested), "parquet")
			w.Ordered = true
			out := mustWrite(t, e, w)
			if len(out.Files) != 1 || out.Rows != int64(len(rows)) {
				t.Fatalf("%+v", out)
			}
			got := readBack(t, e, out.Files, w.Names, c.t, nested)
			if diff := gocmp.Diff(rows, got, decimals); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteRefusesTypes(t *testing.T) {
	e := openWriting(t)
	for _, ty := range []types.Type{types.Of(types.Void), types.Of(types.CalendarInterval), types.ArrayOf(types.Of(types.CalendarInterval))} {
		_, err := e.Write(t.Context(), writing(t, supplied(nil, ty), "parquet"))
		if condition(err) != "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE" {
			t.Errorf("%s: %v", ty, err)
		}
	}
	_, err := e.Write(t.Context(), writing(t, supplied(nil, types.ArrayOf(tInt)), "csv"))
	if condition(err) != "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE" {
		t.Errorf("csv: %v", err)
	}
	if _, err = e.Write(t.Context(), writing(t, supplied(nil, tInt), "orc")); condition(err) != "UNSUPPORTED_FEATURE.FILE_FORMAT" {
		t.Errorf("orc: %v", err)
	}
	for _, form := range []string{"parquet", "csv", "json"} {
		w := writing(t, supplied(nil, tInt), form)
		w.Options = map[string]string{"Compression": "xz"}
		if _, err = e.Write(t.Context(), w); condition(err) != "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION" {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func TestWriteNothing(t *testing.T) {
	e := openWriting(t)
	for _, form := range []string{"parquet", "csv", "json"} {
		for _, partition := range [][]int{nil, {1}} {
			w := writing(t, supplied(nil, tInt, tStr), form, partition...)
			w.Options = map[string]string{"header": "true"}
			if out := mustWrite(t, e, w); out.Rows != 0 || len(out.Files) != 0 {
				t.Errorf("%s %v: %+v", form, partition, out)
			}
		}
	}
}

// TestWriteFromSources writes rows that a Go source hands out only once into many partitions.
func TestWriteFromSources(t *testing.T) {
	e := openWriting(t)
	for _, form := range []string{"parquet", "json"} {
		src := &source{types: []types.Type{tInt, tInt}, rows: 50_000, gen: func(i int) []types.Value { return row{i64(int64(i)), i64(int64(i % 700))} }}
		var n ids
		s, in := sourceScan(&n, src)
		w := writing(t, s, form, 1)
		w.Inputs = in
		out := mustWrite(t, e, w)
		if out.Rows != 50_000 {
			t.Errorf("%s: %d rows", form, out.Rows)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	e := openWriting(t)
	own := errors.New("own")
	for _, form := range []string{"parquet", "csv"} {
		for _, partitions := range []int{10, 2000} {
			t.Run(fmt.Sprintf("%s %d", form, partitions), func(t *testing.T) {
				root, in := manyRows(t, 300_000, partitions)
				w := writing(t, root, form, 1)
				w.Inputs = in
				calls := 0
				w.NewPartition = func([]types.Value) error {
					if calls++; calls == partitions-1 {
						return own
					}
					return nil
				}
				if _, err := e.Write(t.Context(), w); err != own { //nolint:errorlint // as it is
					t.Errorf("got %v", err)
				}
				noOpenFile(t, w.Dir)

				// An error of an expression after many rows.
				w = writing(t, root, form, 1)
				w.Inputs = in
				out := root.Output()
				w.Root = &plan.Project{Input: root, Out: []plan.Column{{ID: 800, Type: tDouble}, out[1], {ID: 801, Type: tStr}}, Exprs: []expr.Expr{
					divide(ref(out[1]), op("-", "$1 - $2", tBig, ref(out[0]), num(7))), ref(out[1]), ref(out[2]),
				}}
				if _, err := e.Write(t.Context(), w); condition(err) != "DIVIDE_BY_ZERO" {
					t.Errorf("got %v (cause %v)", err, errCause(err))
				}
				noOpenFile(t, w.Dir)

				ctx, cancel := context.WithCancel(t.Context())
				w = writing(t, root, form, 1)
				w.Inputs = in
				w.NewPartition = func([]types.Value) error {
					cancel()
					return nil
				}
				start := time.Now()
				if _, err := e.Write(ctx, w); condition(err) != "OPERATION_CANCELED" {
					t.Errorf("got %v (cause %v)", err, errCause(err))
				}
				t.Logf("canceled after %v", time.Since(start))
				noOpenFile(t, w.Dir)
			})
		}
	}
}

// TestWriteFullDisk writes into a device that is always full, and into a directory that is gone.
func TestWriteFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("NO /dev/full HERE, so nobody checks what a full disk is told as: run the tests on Linux.")
	}
	e := openWriting(t)
	for form, name := range map[string]string{"parquet": "1.parquet", "csv": "0.csv", "json": "0.json"} {
		root, in := manyRows(t, 100_000, 1)
		w := writing(t, root, form)
		w.Inputs = in
		if err := os.Symlink("/dev/full", filepath.Join(w.Dir, name)); err != nil {
			t.Fatal(err)
		}
		_, err := e.Write(t.Context(), w)
		if condition(err) != "WRITE_FAILED.NO_SPACE" || !strings.Contains(err.Error(), w.Dir) {
			t.Errorf("%s: %v (cause %v)", form, err, errCause(err))
		}
		w.Dir = filepath.Join(w.Dir, "gone")
		_, err = e.Write(t.Context(), w)
		if condition(err) != "WRITE_FAILED" || !strings.Contains(err.Error(), w.Dir) || strings.Contains(err.Error(), "rror:") {
			t.Errorf("%s: %v (cause %v)", form, err, errCause(err))
		}
	}
}

// TestWriteOddNames writes below directories and into columns whose names mean something to SQL or to patterns.
func TestWriteOddNames(t *testing.T) {
	e := openWriting(t)
	base := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		odd := rapid.StringOfN(rapid.RuneFrom([]rune("a*?[]{}'\"%=;$`~\\é \n-:,#&")), 1, 20, 60)
		name := odd.Draw(rt, "directory")
		column := odd.Draw(rt, "column")
		dir, err := os.MkdirTemp(base, "w")
		if err != nil {
			rt.Fatal(err)
		}
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			rt.Fatal(err)
		}
		value := rapid.String().Draw(rt, "value")
		w := engine.Write{
			Query: engine.Query{Root: supplied([][]types.Value{{value, value}, {nil, "k"}}, tStr, tStr), Zone: time.UTC},
			Names: []string{column}, Format: rapid.SampledFrom([]string{"parquet", "csv", "json"}).Draw(rt, "format"), Dir: dir,
		}
		if rapid.Bool().Draw(rt, "partitioned") {
			w.Partition = []int{1}
		} else {
			w.Names = append(w.Names, "k")
			if strings.EqualFold(column, "k") {
				w.Names[1] = "l"
			}
		}
		out, err := e.Write(t.Context(), w)
		if err != nil {
			rt.Fatalf("%v (cause %v)", err, errCause(err))
		}
		checkFiles(t, w, out)
		if w.Format == "parquet" {
			var got []types.Value
			for _, r := range readBack(t, e, out.Files, []string{column}, tStr) {
				got = append(got, r[0])
			}
			if len(got) != 2 || !slices.Contains(got, types.Value(value)) || !slices.Contains(got, nil) {
				rt.Errorf("%q reads back as %v", value, got)
			}
		}
	})
}

func TestWriteCodecs(t *testing.T) {
	e := openWriting(t)
	for form, codecs := range map[string]map[string]string{
		"parquet": {"": "PAR1", "SNAPPY": "PAR1", "gzip": "PAR1", "none": "PAR1", "lz4_raw": "PAR1", "brotli": "PAR1"},
		"csv":     {"": "0,", "gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd", "None": "0,"},
		"json":    {"": "{", "gzip": "\x1f\x8b", "ZSTD": "\x28\xb5\x2f\xfd"},
	} {
		for codec, magic := range codecs {
			w := writing(t, supplied([][]types.Value{{i64(0), "x"}}, tInt, tStr), form)
			if codec != "" {
				w.Options = map[string]string{"compression": codec}
			}
			out := mustWrite(t, e, w)
			data, err := os.ReadFile(out.Files[0].Path)
			if err != nil || !strings.HasPrefix(string(data), magic) {
				t.Errorf("%s %s: %q %v", form, codec, data, err)
			}
			// Spark knows the codec of text by the name alone.
			ending := "." + form
			if form != "parquet" {
				ending += map[string]string{"gzip": ".gz", "zstd": ".zst"}[strings.ToLower(codec)]
			}
			if name := filepath.Base(out.Files[0].Path); !strings.HasSuffix(name, ending) {
				t.Errorf("%s %s: the file is called %s", form, codec, name)
			}
		}
	}
}

// TestWriteParquetSchema asks for the physical types that Spark has, and for the schema in the metadata.
func TestWriteParquetSchema(t *testing.T) {
	e := openWriting(t)
	char := types.Type{Kind: types.Char, Precision: 3}
	ts := []types.Type{
		types.Of(types.TinyInt), types.DecimalOf(9, 2), types.DecimalOf(38, 2), types.Of(types.Timestamp), types.Of(types.TimestampNTZ), tDate,
		types.Of(types.Binary), types.IntervalOf(types.FieldYear, types.FieldMonth), types.IntervalOf(types.FieldDay, types.FieldSecond), char,
		types.ArrayOf(types.Type{Kind: types.Varchar, Precision: 2}), types.MapOf(tStr, types.StructOf(types.Field{Name: "x", Type: tBig})),
	}
	null := make([]types.Value, len(ts))
	filled := slices.Clone(null)
	filled[9] = "é"
	w := writing(t, supplied([][]types.Value{null, filled}, ts...), "parquet")
	w.Ordered = true
	out := mustWrite(t, e, w)
	data, err := os.ReadFile(out.Files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"name":"a","type":"byte","nullable":true,"metadata":{}},{"name":"b","type":"decimal(9,2)"`,
		`{"name":"e","type":"timestamp_ntz",`, `{"name":"h","type":"interval year to month",`, `{"name":"i","type":"interval day to second",`,
		`{"name":"j","type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"char(3)"}}`,
		`{"name":"k","type":{"type":"array","elementType":"string","containsNull":true},"nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"array<varchar(2)>"}}`,
		`{"name":"l","type":{"type":"map","keyType":"string","valueType":{"type":"struct","fields":[{"name":"x","type":"long","nullable":true,"metadata":{}}]},"valueContainsNull":true},"nullable":true,"metadata":{}}`,
		"org.apache.spark.version",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the file has no %s", want)
		}
	}
	d := mem.New()
	d.Write(string(data), "f.parquet")
	root, err := storage.ParseLocation("file:/", "")
	if err != nil {
		t.Fatal(err)
	}
	bucket := storage.NewBucket(d, root)
	o, err := bucket.Stat(t.Context(), "f.parquet")
	if err != nil {
		t.Fatal(err)
	}
	footer, err := parquet.ReadFooter(t.Context(), storage.File{Bucket: bucket, Object: o})
	if err != nil {
		t.Fatal(err)
	}
	var leaves []string
	for _, l := range footer.Leaves {
		leaves = append(leaves, strings.Join(l.Path, ".")+" "+l.Physical+" "+l.Logical)
	}
	want := []string{
		"a INT32 INT_8", "b INT32 DECIMAL(9,2)", "c FIXED_LEN_BYTE_ARRAY DECIMAL(38,2)", "d INT64 TIMESTAMP(MICROS,true)",
		"e INT64 TIMESTAMP(MICROS,false)", "f INT32 DATE", "g BYTE_ARRAY ", "h INT32 INT_32", "i INT64 INT_64",
		"j BYTE_ARRAY UTF8", "k.list.element BYTE_ARRAY UTF8", "l.key_value.key BYTE_ARRAY UTF8", "l.key_value.value.x INT64 INT_64",
	}
	if diff := gocmp.Diff(want, leaves); diff != "" {
		t.Errorf("leaves (-want +got):\n%s", diff)
	}
	got := readBack(t, e, out.Files, []string{"j"}, tStr) // as STRING nobody pads it
	if diff := gocmp.Diff([][]types.Value{{nil}, {"é  "}}, got); diff != "" {
		t.Errorf("CHAR (-want +got):\n%s", diff)
	}
}
