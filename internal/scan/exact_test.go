package scan_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

// described is a format whose files all have one schema.
type described struct {
	scan.Parquet
	schema []types.Field
}

func (d described) ReadFooter(context.Context, storage.File) (format.Footer, error) {
	return format.Footer{Rows: 1, Schema: d.schema}, nil
}

func (described) Compatible(string, format.Footer, []types.Field, format.Settings) error { return nil }

// TestExactFiles tells which files the engine may bind by itself.
func TestExactFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.parquet"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := storage.ParseLocation("file:"+dir, "")
	if err != nil {
		t.Fatal(err)
	}
	integer, long := types.Of(types.Int), types.Of(types.BigInt)
	field := func(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }
	for _, c := range []struct {
		name   string
		column types.Field
		inFile []types.Field
		want   bool
	}{
		{"the same", field("v", integer), []types.Field{field("w", long), field("v", integer)}, true},
		{"another case", field("v", integer), []types.Field{field("V", integer)}, true},
		{"a wider type", field("v", long), []types.Field{field("v", integer)}, false},
		{"no such column", field("v", integer), []types.Field{field("w", integer)}, false},
		{"two in different case", field("v", integer), []types.Field{field("v", integer), field("V", long)}, false},
		{"letters beyond ASCII", field("ü", integer), []types.Field{field("ü", integer)}, false},
		{"nested", field("v", types.ArrayOf(integer)), []types.Field{field("v", types.ArrayOf(integer))}, false},
		{"text of a length", field("v", types.Type{Kind: types.Char, Precision: 3}), []types.Field{field("v", types.Of(types.String))}, false},
	} {
		sc := scan.NewScanner(storage.NewStores(map[string]storage.Factory{"file": local.Open}), described{schema: c.inFile}, nil)
		n := &plan.Scan{Fields: []int{0}, Out: []plan.Column{{ID: 1, Name: c.column.Name, Type: c.column.Type}}}
		src := &scan.Source{Kind: scan.FromPath, Roots: []storage.Location{root}, Format: "parquet", Columns: []types.Field{c.column}}
		in, _, err := sc.Resolve(t.Context(), n, src, scan.Settings{Context: &expr.Context{Zone: time.UTC}})
		if err != nil || len(in.Parquet) != 1 {
			t.Fatalf("%s: %d files, %v", c.name, len(in.Parquet), err)
		}
		if got := in.Parquet[0].Exact; got != c.want {
			t.Errorf("%s: exact %v, want %v", c.name, got, c.want)
		}
	}
}
