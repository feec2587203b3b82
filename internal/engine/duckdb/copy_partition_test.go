package duckdb_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/engine/duckdb"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// TestPartitionValues writes rows of one partition column of each type and asks for the groups and their values.
func TestPartitionValues(t *testing.T) {
	e := openWriting(t)
	type test struct {
		t    types.Type
		rows row // values of the partition column
		want row // of the partitions, in order of appearance
	}
	tests := map[string]test{
		"text":             {tStr, row{"", nil, "__HIVE_DEFAULT_PARTITION__", " ", "x/y=%", "é", strings.Repeat("l", 300)}, row{nil, " ", "x/y=%", "é", strings.Repeat("l", 300)}},
		"varchar":          {types.Type{Kind: types.Varchar, Precision: 9}, row{"a", "a ", ""}, row{"a", "a ", nil}},
		"char":             {types.Type{Kind: types.Char, Precision: 3}, row{"a", "a  ", "b  ", nil}, row{"a  ", "b  ", nil}},
		"double":           {tDouble, row{0.0, math.Copysign(0, -1), math.NaN(), -math.NaN(), 1.5, math.Inf(1)}, row{0.0, math.NaN(), 1.5, math.Inf(1)}},
		"float":            {types.Of(types.Float), row{math.Copysign(0, -1), 0.0, math.NaN()}, row{0.0, math.NaN()}},
		"empty binary":     {types.Of(types.Binary), row{types.Bytes(""), nil, types.Bytes("\x00"), types.Bytes("__HIVE_DEFAULT_PARTITION__")}, row{nil, types.Bytes("\x00")}},
		"NULL of integers": {tInt, row{nil, i64(0), i64(1), i64(0)}, row{nil, i64(0), i64(1)}},
		"two instants of one wall clock": {
			types.Of(types.Timestamp),
			row{i64(1730610000000000), i64(1730613600000000), i64(0)},
			row{i64(1730595600000000), i64(-18000000000)},
		},
	}
	for name, c := range flatTypes() {
		if _, ok := tests[name]; !ok {
			tests["all of "+name] = test{c.t, append(slices.Clone(row(c.values)), c.values...), row(c.values)}
		}
	}
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	same := gocmp.Options{decimals, gocmp.Comparer(func(a, b float64) bool { return types.CompareFloats(a, b) == 0 && math.Signbit(a) == math.Signbit(b) })}
	for name, c := range tests {
		for _, form := range []string{"parquet", "csv", "json"} {
			t.Run(name+" "+form, func(t *testing.T) {
				var rows [][]types.Value
				for i, v := range c.rows {
					rows = append(rows, row{i64(int64(i)), v})
				}
				w := writing(t, supplied(rows, tInt, c.t), form, 1)
				w.Ordered = true
				if strings.HasPrefix(name, "two instants") {
					w.Zone = newYork
				} else if c.t.Kind == types.Timestamp {
					w.Zone = time.UTC
				}
				var told []types.Value
				w.NewPartition = func(v []types.Value) error {
					told = append(told, v[0])
					return nil
				}
				out := mustWrite(t, e, w)
				var got []types.Value
				for _, f := range out.Files {
					got = append(got, f.Partition[0])
				}
				if diff := gocmp.Diff([]types.Value(c.want), got, same); diff != "" {
					t.Errorf("partitions (-want +got):\n%s", diff)
				}
				if diff := gocmp.Diff([]types.Value(c.want), told, same); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// manyRows is a scan of n rows: id, its partition (scattered) and a text, in descending order of id.
func manyRows(t testing.TB, n, partitions int) (plan.Node, map[*plan.Scan]engine.Input) {
	t.Helper()
	path := writeParquet(t, filepath.Join(t.TempDir(), "in.parquet"),
		fmt.Sprintf("SELECT i AS id, ((i*7919)%%%d)::INTEGER AS p, 'text number ' || (i%%1000) AS s FROM range(%d) t(i)", partitions, n))
	var c ids
	s := table(&c, []types.Field{{Name: "id", Type: tBig}, {Name: "p", Type: tInt}, {Name: "s", Type: tStr}})
	root := &plan.Sort{Input: s, Keys: []expr.SortKey{{Expr: ref(s.Out[0]), Desc: true}}}
	return root, scanOf(s, engine.ParquetFile{Path: path, Rows: int64(n)})
}

// TestWriteManyPartitions checks every row of writes with few and with many partitions, ordered and not.
func TestWriteManyPartitions(t *testing.T) {
	e := openWriting(t)
	for _, partitions := range []int{3, 256, 257, 900} {
		for _, ordered := range []bool{false, true} {
			for _, form := range []string{"parquet", "csv"} {
				t.Run(fmt.Sprintf("%d %v %s", partitions, ordered, form), func(t *testing.T) {
					const n = 200_000
					root, in := manyRows(t, n, partitions)
					w := writing(t, root, form, 1)
					w.Inputs, w.Ordered, w.Names = in, ordered, []string{"id", "s"}
					told := map[types.Value]int{}
					w.NewPartition = func(v []types.Value) error {
						told[v[0]]++
						return nil
					}
					out := mustWrite(t, e, w)
					if out.Rows != n || len(told) != partitions {
						t.Fatalf("%d rows in %d partitions", out.Rows, len(told))
					}
					for v, times := range told {
						if times != 1 {
							t.Errorf("%v was told %d times", v, times)
						}
					}
					checkRows(t, e, out, form, n, partitions, ordered)
				})
			}
		}
	}
}

func checkRows(t *testing.T, e *duckdb.Engine, out *engine.Written, form string, n, partitions int, ordered bool) {
	t.Helper()
	seen := make([]bool, n)
	last := map[types.Value]int64{}
	check := func(f engine.WrittenFile, id int64, s string) {
		p := f.Partition[0].(int64)
		if before, ok := last[p]; ordered && ok && before <= id {
			t.Fatalf("%s: %d comes after %d", f.Path, id, before)
		}
		last[p] = id
		if id < 0 || id >= int64(n) || seen[id] || (id*7919)%int64(partitions) != p || s != fmt.Sprintf("text number %d", id%1000) {
			t.Fatalf("%s: the row %d %q is wrong or here twice", f.Path, id, s)
		}
		seen[id] = true
	}
	for _, f := range out.Files {
		rows := int64(0)
		if form == "csv" {
			data, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
				var id int64
				number, s, _ := strings.Cut(line, ",")
				if _, err := fmt.Sscan(number, &id); err != nil {
					t.Fatal(err)
				}
				check(f, id, s)
				rows++
			}
		} else {
			for _, r := range readBack(t, e, []engine.WrittenFile{f}, []string{"id", "s"}, tBig, tStr) {
				check(f, r[0].(int64), r[1].(string))
				rows++
			}
		}
		if rows != f.Rows {
			t.Fatalf("%s has %d rows, told %d", f.Path, rows, f.Rows)
		}
	}
	if slices.Contains(seen, false) {
		t.Error("rows are missing")
	}
}

// TestWriteOrderedUnpartitioned asks for the order of rows over all files.
func TestWriteOrderedUnpartitioned(t *testing.T) {
	e := openWriting(t)
	for _, form := range []string{"parquet", "csv"} {
		for _, limit := range []int64{0, 300_000} {
			t.Run(fmt.Sprintf("%s %d", form, limit), func(t *testing.T) {
				const n = 400_000
				root, in := manyRows(t, n, 1)
				w := writing(t, root, form)
				w.Inputs, w.Ordered, w.Names, w.MaxFileBytes, w.RowGroupRows = in, true, []string{"id", "p", "s"}, limit, 10_000
				out := mustWrite(t, e, w)
				if limit > 0 != (len(out.Files) > 1) || out.Rows != n {
					t.Fatalf("%d files of %d rows", len(out.Files), out.Rows)
				}
				next := int64(n - 1)
				for _, f := range out.Files {
					if form == "parquet" {
						for _, r := range readBack(t, e, []engine.WrittenFile{f}, []string{"id"}, tBig) {
							if r[0] != next {
								t.Fatalf("%s: %v comes instead of %d", f.Path, r[0], next)
							}
							next--
						}
						continue
					}
					data, err := os.ReadFile(f.Path)
					if err != nil {
						t.Fatal(err)
					}
					for line := range strings.Lines(string(data)) {
						if !strings.HasPrefix(line, fmt.Sprintf("%d,", next)) {
							t.Fatalf("%s: %q comes instead of %d", f.Path, line, next)
						}
						next--
					}
				}
				if next != -1 {
					t.Errorf("rows from %d on are missing", next)
				}
			})
		}
	}
}
