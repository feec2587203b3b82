package repair_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/repair"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

// BenchmarkSync is a durable SYNC of a new table on a real disk: listing, comparison, commit, and reading the rows of the
// answer.
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkSync(b, n) })
	}
}

func benchmarkSync(b *testing.B, n int) {
	root := filepath.Join(b.TempDir(), "t")
	for i := range n {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprintf("dt=d%04d/h=%d", i/100, i%100)), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, filepath.Join(b.TempDir(), "catalog.db"), sqlstore.Options{Actor: "me"})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	if err := catalog.Bootstrap(ctx, store, "file:/wh"); err != nil {
		b.Fatal(err)
	}
	r := &repair.Repairer{Store: store, Stores: storage.NewStores(map[string]storage.Factory{"file": local.Open})}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		id := newTable(b, store, fmt.Sprintf("t%d", i), "file:"+root)
		b.StartTimer()
		report, err := r.Run(ctx, repair.Request{Table: id, Name: "t", Mode: partition.SyncMode, MaxDropFraction: 0.5, Commit: catalog.Commit{Operation: "MSCK"}})
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		for range report.Actions() {
			rows++
		}
		if rows != n {
			b.Fatalf("%d rows, want %d", rows, n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/partition")
}

func newTable(b *testing.B, store catalog.Store, name, location string) catalog.ID {
	b.Helper()
	var t *catalog.Table
	err := store.Write(context.Background(), func(tx catalog.WriteTx) error {
		c, err := tx.Catalog("hive_metastore")
		if err != nil {
			return err
		}
		s, err := tx.Schema(c.ID, "default")
		if err != nil {
			return err
		}
		t = &catalog.Table{
			Securable: catalog.Securable{ID: catalog.NewID(), Name: name}, SchemaID: s.ID, Kind: catalog.External, Format: "csv", Location: location,
			Columns:   []types.Field{{Name: "id", Type: types.Of(types.Int)}, {Name: "dt", Type: types.Of(types.String)}, {Name: "h", Type: types.Of(types.Int)}},
			Partition: []string{"dt", "h"}, Mode: catalog.Log,
		}
		return tx.CreateTable(t)
	})
	if err != nil {
		b.Fatal(err)
	}
	return t.ID
}
