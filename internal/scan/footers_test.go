package scan_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
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

// counted is a format whose files hold their number of rows as text.
type counted struct{ scan.Parquet }

func (counted) ReadFooter(ctx context.Context, f storage.File) (format.Footer, error) {
	r, err := f.Open(ctx)
	if err != nil {
		return format.Footer{}, err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return format.Footer{}, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return format.Footer{Rows: n}, err
}

func (counted) Infer(context.Context, []storage.File, format.Options, format.Settings) ([]types.Field, error) {
	return []types.Field{{Name: "v", Type: types.Of(types.Int)}}, nil
}

// TestReplacedFile puts a file of the same size and time in another's place, as tools that copy trees do.
func TestReplacedFile(t *testing.T) {
	dir := t.TempDir()
	sc := scan.NewScanner(storage.NewStores(map[string]storage.Factory{"file": local.Open}), counted{}, nil)
	root, err := storage.ParseLocation("file:"+filepath.Join(dir, "t"), "")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Mkdir(filepath.Join(dir, "t"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{3, 4} {
		fresh, final := filepath.Join(dir, "fresh"), filepath.Join(dir, "t", "a.parquet")
		if err := os.WriteFile(fresh, []byte(strconv.FormatInt(want, 10)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(fresh, at, at); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fresh, final); err != nil {
			t.Fatal(err)
		}
		in, err := sc.Inspect(t.Context(), root, scan.Settings{
			Context: &expr.Context{Zone: time.UTC}, InferTypes: true, Validate: true, Warn: func(string, string, map[string]string) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		if in.Rows != want {
			t.Errorf("%d rows, want %d", in.Rows, want)
		}
	}
}

// vanishing is a format whose files are gone when they are opened.
type vanishing struct{ scan.Parquet }

func (vanishing) ReadFooter(_ context.Context, f storage.File) (format.Footer, error) {
	return format.Footer{}, &storage.Error{Op: "open", Where: f.Location().String(), Kind: storage.NotFound, Err: os.ErrNotExist}
}

// TestVanishedFile reads a Parquet file that is gone between the listing and the look at its footer.
func TestVanishedFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.parquet"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := storage.ParseLocation("file:"+dir, "")
	if err != nil {
		t.Fatal(err)
	}
	sc := scan.NewScanner(storage.NewStores(map[string]storage.Factory{"file": local.Open}), vanishing{}, nil)
	n := &plan.Scan{Fields: []int{0}, Out: []plan.Column{{ID: 1, Name: "v", Type: types.Of(types.Int)}}}
	for _, c := range []struct {
		name    string
		setting bool
		options map[string]string
		fails   bool
	}{
		{name: "by default it is an error", fails: true},
		{name: "the setting leaves it out", setting: true},
		{name: "the option leaves it out", options: map[string]string{"ignoreMissingFiles": "true"}},
	} {
		src := &scan.Source{Kind: scan.FromPath, Roots: []storage.Location{root}, Format: "parquet", Options: c.options, Columns: []types.Field{{Name: "v", Type: types.Of(types.Int)}}}
		in, _, err := sc.Resolve(t.Context(), n, src, scan.Settings{Context: &expr.Context{Zone: time.UTC}, IgnoreMissing: c.setting})
		if (err != nil) != c.fails || len(in.Parquet) > 0 {
			t.Errorf("%s: %d files, error %v", c.name, len(in.Parquet), err)
		}
	}
}
