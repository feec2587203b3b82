package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// without is a mask that leaves out some rows.
type without struct {
	rows  map[int64]bool
	err   error
	calls atomic.Int64
}

func (w *without) Mask(_ context.Context, rows []int64, keep []bool) error {
	w.calls.Add(1)
	for i, r := range rows {
		keep[i] = !w.rows[r]
	}
	return w.err
}

func mask(rows ...int64) *without {
	w := &without{rows: map[int64]bool{}}
	for _, r := range rows {
		w.rows[r] = true
	}
	return w
}

// fileColumns adds the columns that say where a row comes from.
func fileColumns(n *ids, s *plan.Scan) *plan.Scan {
	c := *s
	c.Out = append(append([]plan.Column(nil), s.Out...), n.col("file", tStr), n.col("row", tBig))
	c.Fields = append(append([]int(nil), s.Fields...), plan.FileField, plan.RowField)
	return &c
}

func TestScanMasked(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	var files []engine.ParquetFile
	deleted := map[int][]int64{1: {0, 2047, 2048, 9999}, 2: {}, 3: {5}}
	for i := range 4 {
		path := writeParquet(t, filepath.Join(dir, fmt.Sprintf("%d.parquet", i)), fmt.Sprintf(`SELECT (%d*10000+range)::BIGINT AS id, CASE WHEN range IN (0,5,2047,2048,9999) THEN 'bad' ELSE range::VARCHAR END AS s FROM range(10000)`, i))
		f := engine.ParquetFile{Path: path, Name: fmt.Sprintf("f%d", i), Rows: 10000, Partition: row{fmt.Sprintf("p%d", i%3)}}
		if rows, ok := deleted[i]; ok {
			f.Mask = mask(rows...)
		}
		files = append(files, f)
	}
	var n ids
	s := fileColumns(&n, table(&n, []types.Field{{Name: "id", Type: tBig}, {Name: "s", Type: tStr}, {Name: "p", Type: tStr}}, "p"))
	cond := cmp("<", ref(s.Out[0]), lit(i64(3), tBig))
	for _, from := range []int64{10000, 12040, 19990, 30000} {
		cond = op("or", "$1 OR $2", tBool, cond, op("and", "$1 AND $2", tBool, cmp(">=", ref(s.Out[0]), lit(i64(from), tBig)), cmp("<", ref(s.Out[0]), lit(i64(from+10), tBig))))
	}
	got := mustRun(t, e, engine.Query{Root: byFirst(&plan.Filter{Input: s, Cond: cond}), Inputs: scanOf(s, files...)})
	var want []row
	for _, id := range []int64{0, 1, 2, 10000, 10001, 12047, 12048, 12049, 19998, 19999, 30004, 30005, 30006} {
		for _, d := range deleted[int(id/10000)] {
			if d == id%10000 {
				id = -1
			}
		}
		if id >= 0 {
			want = append(want, row{i64(id), nil, fmt.Sprintf("p%d", id/10000%3), fmt.Sprintf("f%d", id/10000), i64(id % 10000)})
		}
	}
	index := map[types.Value]row{}
	for _, r := range got {
		r[1] = nil
		index[r[0]] = r
	}
	for _, w := range want {
		if diff := gocmp.Diff(w, row(index[w[0]])); diff != "" {
			t.Errorf("row %v (-want +got):\n%s", w[0], diff)
		}
	}
	if len(got) != 3+9+8+9+9 {
		t.Errorf("got %d rows", len(got))
	}

	// The rows that are left out must not be looked at: a cast of their text would fail.
	for i := range files {
		files[i].Mask = mask(0, 5, 2047, 2048, 9999)
	}
	number := &expr.Call{Fn: &expr.Overload{Name: "cast", Duck: "CAST($1 AS INTEGER)"}, Args: []expr.Expr{ref(s.Out[1])}, T: tInt}
	cnt := n.col("n", tBig)
	root := &plan.Aggregate{Input: &plan.Filter{Input: s, Cond: op("and", "$1 AND $2", tBool, cmp("<", number, num(10)), cond)}, AggOut: []plan.Column{cnt}, Aggs: []expr.Expr{agg("count", "count(*)", tBig)}}
	if got := mustRun(t, e, engine.Query{Root: root, Inputs: scanOf(s, files...)}); !gocmp.Equal(got, []row{{i64(2 + 8 + 8)}}) {
		t.Errorf("counted %v", got)
	}

	bare := &plan.Scan{Relation: s.Relation}
	for i := range files {
		files[i].Partition = nil
	}
	whole := &plan.Aggregate{Input: bare, AggOut: []plan.Column{cnt}, Aggs: []expr.Expr{agg("count", "count(*)", tBig)}}
	if got := mustRun(t, e, engine.Query{Root: whole, Inputs: scanOf(bare, files...)}); !gocmp.Equal(got, []row{{i64(4 * 9995)}}) {
		t.Errorf("counted %v without columns", got)
	}

	files[3].Mask = &without{err: errors.New("broken vector")}
	if _, err := all(t.Context(), e, engine.Query{Root: whole, Inputs: scanOf(bare, files...)}); condition(err) != "INTERNAL_ERROR" {
		t.Errorf("a failing mask: %v", err)
	}
}

// TestScanRenamed reads files whose columns and members have other names than the table's, at every level, beside one that has
// the table's own.
func TestScanRenamed(t *testing.T) {
	e := open(t)
	dir := t.TempDir()
	a := writeParquet(t, filepath.Join(dir, "a.parquet"), `SELECT 1::INTEGER AS "col-1", {'col-3': [{'col-4': 7::INTEGER, 'gone': 1}], 'gone': 2} AS "col-2", MAP {'k': {'col-6': 'v'}} AS "col-5", 'decoy' AS id`)
	b := writeParquet(t, filepath.Join(dir, "b.parquet"), `SELECT 2::BIGINT AS id, {'l': [{'x': 8::BIGINT, 'y': 'y'}]} AS s, MAP {'k': {'v': 'w'}} AS m`)
	member := func(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }
	shape := func(l, x, y, v string) []types.Type {
		return []types.Type{
			types.StructOf(member(l, types.ArrayOf(types.StructOf(member(x, tBig), member(y, tStr))))),
			types.MapOf(tStr, types.StructOf(member(v, tStr))),
		}
	}
	want, stored := shape("l", "x", "y", "v"), shape("col-3", "col-4", "col-9", "col-6")
	var n ids
	s := table(&n, []types.Field{{Name: "id", Type: tBig}, {Name: "s", Type: want[0]}, {Name: "m", Type: want[1]}})
	got := mustRun(t, e, engine.Query{Root: byFirst(s), Inputs: scanOf(s,
		engine.ParquetFile{Path: a, Names: map[int]string{0: "col-1", 1: "col-2", 2: "col-5"}, Stored: map[int]types.Type{1: stored[0], 2: stored[1]}},
		engine.ParquetFile{Path: b})})
	rows := []row{
		{i64(1), []types.Value{[]types.Value{[]types.Value{i64(7), nil}}}, []types.MapEntry{{Key: "k", Value: []types.Value{"v"}}}},
		{i64(2), []types.Value{[]types.Value{[]types.Value{i64(8), "y"}}}, []types.MapEntry{{Key: "k", Value: []types.Value{"w"}}}},
	}
	if diff := gocmp.Diff(rows, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}
