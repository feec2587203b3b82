package duckdb_test

import (
	"os"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/types"
)

// TestWriteOtherNames: files may call the fields of structs at any depth otherwise than the rows do, and carry ids.
func TestWriteOtherNames(t *testing.T) {
	st := func(a, b string) types.Type {
		return types.StructOf(types.Field{Name: a, Type: tInt}, types.Field{Name: b, Type: types.ArrayOf(types.StructOf(types.Field{Name: a, Type: tStr}))}, types.Field{Name: "m", Type: types.MapOf(tStr, types.StructOf(types.Field{Name: a, Type: tInt}))})
	}
	rows := [][]types.Value{{i64(1), row{i64(7), row{row{"x"}, nil}, []types.MapEntry{{Key: "k", Value: row{i64(9)}}}}, i64(5)}, {i64(2), nil, i64(6)}}
	for _, partition := range [][]int{nil, {2}} {
		ts := []types.Type{tInt, st("x", "y"), tInt}
		w := writing(t, supplied(rows, ts...), "parquet", partition...)
		w.Names = []string{"col-1", "col-2", "col-5"}[:3-len(partition)]
		w.Stored = []types.Type{tInt, st("p", "q"), tInt}[:len(w.Names)]
		w.FieldIDs = []engine.FieldID{{ID: 1}, {ID: 2, Inside: map[string]engine.FieldID{
			"p": {ID: 3}, "m": {ID: 8, Inside: map[string]engine.FieldID{"key": {}, "value": {Inside: map[string]engine.FieldID{"p": {ID: 9}}}}}, "q": {ID: 4, Inside: map[string]engine.FieldID{"element": {ID: 6, Inside: map[string]engine.FieldID{"p": {ID: 7}}}}},
		}}, {ID: 5}}[:len(w.Names)]
		e := open(t)
		out := mustWrite(t, e, w)
		ids := map[string]int{}
		for _, f := range out.Files {
			in, err := os.Open(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			p, err := pq.OpenFile(in, f.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			for _, el := range p.Metadata().Schema {
				if el.FieldID != 0 {
					ids[el.Name] = int(el.FieldID)
				}
			}
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]int{"col-1": 1, "col-2": 2, "p": 9, "q": 4, "m": 8, "element": 6, "col-5": 5}
		if len(partition) > 0 {
			delete(want, "col-5")
		}
		if d := gocmp.Diff(want, ids); d != "" {
			t.Error(d)
		}
		got := readBack(t, e, out.Files, w.Names, w.Stored...)
		if len(got) != 2 {
			t.Fatalf("%d rows", len(got))
		}
		for _, r := range got {
			if d := gocmp.Diff(rows[r[0].(int64)-1][:len(r)], r); d != "" {
				t.Error(d)
			}
		}
	}
}
