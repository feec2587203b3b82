package memstore_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/catalogtest"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
)

func TestConformance(t *testing.T) {
	catalogtest.Run(t, func(*testing.T) catalog.Store {
		return memstore.New(memstore.Options{Now: catalogtest.Clock(), Actor: catalogtest.Actor})
	})
}
