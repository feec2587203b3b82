package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/catalogtest"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
)

// open opens a store that is closed when the test ends.
func open(t testing.TB, path string, o sqlstore.Options) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "catalog.db") }

func TestConformance(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalog.Store {
		return open(t, file(t), sqlstore.Options{Now: catalogtest.Clock(), Actor: catalogtest.Actor})
	})
}

// TestConformanceWithoutCache has every read of partitions decode the file.
func TestConformanceWithoutCache(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalog.Store {
		return open(t, file(t), sqlstore.Options{Now: catalogtest.Clock(), Actor: catalogtest.Actor, CacheBytes: -1})
	})
}
