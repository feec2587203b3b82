package duckdb_test

import (
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/types"
)

// TestExactFile reads a file that the engine binds by itself: by the relation's names and types, in its order.
func TestExactFile(t *testing.T) {
	e := open(t)
	path := writeParquet(t, filepath.Join(t.TempDir(), "x.parquet"),
		`SELECT 2::TINYINT AS "Small", 7 AS other, 'a' AS "a "" b'c", 1.25::DECIMAL(10,2) AS d, TIMESTAMPTZ '2024-05-01 12:30:00+00' AS "read_parquet"`)
	zone, ok := types.ParseZone("America/New_York")
	if !ok {
		t.Fatal("no zone")
	}
	for _, exact := range []bool{true, false} {
		var n ids
		s := table(&n, []types.Field{
			{Name: "d", Type: types.DecimalOf(10, 2)},
			{Name: "read_parquet", Type: types.Of(types.Timestamp)},
			{Name: `a " b'c`, Type: tStr},
			{Name: "SMALL", Type: types.Of(types.TinyInt)},
			{Name: "p", Type: tStr},
		}, "p")
		in := scanOf(s, engine.ParquetFile{Path: path, Rows: 1, Partition: row{"part"}, Exact: exact})
		got := mustRun(t, e, engine.Query{Root: s, Inputs: in, Zone: zone})
		want := []row{{types.NewDec(125, 2), i64(1714566600000000), "a", i64(2), "part"}}
		if diff := gocmp.Diff(want, got, gocmp.Comparer(func(a, b types.Dec) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("exact %v: rows differ (-want +got):\n%s", exact, diff)
		}
	}
}
