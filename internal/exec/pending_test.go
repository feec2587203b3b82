package exec_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/write"
)

// alone is the only process that there ever was.
type alone struct{}

func (alone) Name() (string, error)           { return "test", nil }
func (alone) Alive(name string) (bool, error) { return name == "test", nil }

// lake is an executor over a catalog in memory and a warehouse on disk, without an engine.
func lake(t *testing.T) (run func(sql string), x *exec.Executor, warehouse string) {
	t.Helper()
	warehouse = t.TempDir()
	store := memstore.New(memstore.Options{})
	if err := catalog.Bootstrap(t.Context(), store, "file:"+warehouse); err != nil {
		t.Fatal(err)
	}
	stores := storage.NewStores(map[string]storage.Factory{"file": local.Open})
	x = &exec.Executor{
		Writes: &write.Writer{Store: store, Stores: stores, Processes: alone{}, Lists: &write.FileLists{Store: store}, Now: time.Now},
		Store:  store, Stores: stores, Scans: scan.NewScanner(stores, nil, nil), Version: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: func() time.Time { return time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC) },
	}
	s := session.New(nil, "tester", warehouse)
	run = func(sql string) {
		t.Helper()
		res, err := x.Execute(t.Context(), s, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if err := res.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return run, x, warehouse
}

// TestLateDeleteSparesWhatIsInUse leaves work behind that an interrupted process would, and uses the place again first.
func TestLateDeleteSparesWhatIsInUse(t *testing.T) {
	run, x, warehouse := lake(t)
	run("CREATE TABLE hive_metastore.default.m (v INT, p INT, q INT) USING parquet PARTITIONED BY (p, q)")
	run("ALTER TABLE hive_metastore.default.m ADD PARTITION (p=1, q=1)")
	table := filepath.Join(warehouse, "hive_metastore", "default", "m")
	file := filepath.Join(table, "p=1", "q=1", "data")
	for _, f := range []string{file, filepath.Join(table, "p=2", "q=1", "data"), filepath.Join(table, "p=1", "q=2", "data")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir  string
		kept bool
	}{
		{"p=1/q=1", true},    // registered again
		{"p=1/q=1/x", true},  // below a registered partition
		{"p=1", true},        // above one
		{".", true},          // the table itself
		{"..", true},         // the schema, above the table
		{"p=1/q=2", false},   // of the table, and not registered
		{"p=2", false},       // likewise
		{"p=1/q=1-x", false}, // a name that only begins like one
	} {
		dir := filepath.Join(table, c.dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		err := x.Store.Write(t.Context(), func(tx catalog.WriteTx) error {
			return tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: "delete", From: "file:" + dir})
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Recover(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != c.kept {
			t.Errorf("%s: kept %v, want %v", c.dir, err == nil, c.kept)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the data of a registered partition: %v", err)
	}
}
