package mem_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/storage/storagetest"
)

func TestDriver(t *testing.T) {
	storagetest.Run(t, func(*testing.T) storage.Driver { return mem.New() })
}

func TestFaultsAndCalls(t *testing.T) {
	d := mem.New()
	d.Write("x", "t/k=1/f", "t/k=2/")
	d.Fail("list", "t/k=1/", storage.PermissionDenied)
	ctx := context.Background()
	for _, err := range d.List(ctx, "t/k=1/", "", false) {
		if storage.KindOf(err) != storage.PermissionDenied {
			t.Errorf("the fault came as %v", err)
		}
	}
	for _, err := range d.List(ctx, "t/", "", false) {
		if err != nil {
			t.Errorf("another key failed: %v", err)
		}
	}
	want := []string{"list t/k=1/", "list t/"}
	if got := d.Calls(); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}
