package scan_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

// benchDir is an empty directory, in memory where the machine has one: what is measured is the walk, not a disk.
func benchDir(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tarn-bench-")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			b.Error(err)
		}
	})
	return dir
}

// grow makes outer × inner partition directories, with files data files in each.
func grow(b *testing.B, root string, outer, inner, files int) {
	b.Helper()
	for o := range outer {
		for i := range inner {
			dir := filepath.Join(root, fmt.Sprintf("dt=2024-%02d-%02d-%d", o/28%12+1, o%28+1, o/336), fmt.Sprintf("h=%d", i))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
			for f := range files {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.parquet", f)), []byte("x"), 0o600); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func benchRoot(b *testing.B, dir string) (*storage.Stores, storage.Location) {
	b.Helper()
	root, err := storage.ParseLocation(dir, "")
	if err != nil {
		b.Fatal(err)
	}
	return storage.NewStores(map[string]storage.Factory{"file": local.Open}), root
}

var twoLevels = []partition.Column{{Name: "dt", Type: types.Of(types.String)}, {Name: "h", Type: types.Of(types.Int)}}

func BenchmarkDiscover(b *testing.B) {
	for _, size := range []struct{ outer, inner int }{{100, 10}, {100, 100}, {1000, 100}, {10, 10000}} {
		b.Run(fmt.Sprintf("%dx%d", size.outer, size.inner), func(b *testing.B) {
			dir := benchDir(b)
			grow(b, dir, size.outer, size.inner, 0)
			stores, root := benchRoot(b, dir)
			b.ReportAllocs()
			for b.Loop() {
				found, err := scan.Discover(context.Background(), stores, root, twoLevels, scan.DiscoverOptions{})
				if err != nil || found.Len() != size.outer*size.inner || len(found.Skipped) != 0 {
					b.Fatalf("found %d partitions, %v", found.Len(), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.outer*size.inner), "ns/part")
		})
	}
}

func BenchmarkDiscoverFlat(b *testing.B) {
	const parts = 100_000
	dir := benchDir(b)
	for i := range parts {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("id=%d", i)), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	stores, root := benchRoot(b, dir)
	cols := []partition.Column{{Name: "id", Type: types.Of(types.Int)}}
	b.ReportAllocs()
	for b.Loop() {
		found, err := scan.Discover(context.Background(), stores, root, cols, scan.DiscoverOptions{})
		if err != nil || found.Len() != parts {
			b.Fatalf("found %d partitions, %v", found.Len(), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/parts, "ns/part")
}

func BenchmarkTree(b *testing.B) {
	dir := benchDir(b)
	grow(b, dir, 100, 100, 1)
	stores, root := benchRoot(b, dir)
	for name, opts := range map[string]scan.TreeOptions{
		"declared": {Columns: twoLevels},
		"inferred": {},
		"pruned":   {Columns: twoLevels, Prune: func(level int, v types.Value) bool { return level == 0 || v == int64(7) }},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tree, err := scan.ReadTree(context.Background(), stores, []storage.Location{root}, opts)
				if err != nil || len(tree.Files) == 0 {
					b.Fatalf("%d files, %v", len(tree.Files), err)
				}
			}
		})
	}
}
