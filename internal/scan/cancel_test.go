package scan_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

// wideLake is a table of outer times inner partitions of one file each.
func wideLake(t *testing.T, outer, inner int) *lake {
	var entries []string
	for y := range outer {
		for m := range inner {
			entries = append(entries, fmt.Sprintf("y=%d/m=%d/a.parquet", y, m))
		}
	}
	return onDisk(t, entries...)
}

// onBusyWorkers is more operations than may be under way when a statement is canceled.
const onBusyWorkers = 600

// TestCancelEndsListing cancels a statement at one of the directories that it reads: of the thousands after it, no more are
// begun than workers were busy with.
func TestCancelEndsListing(t *testing.T) {
	l := wideLake(t, 20, 100)
	for name, look := range map[string]func(ctx context.Context, stores *storage.Stores) error{
		"discovery": func(ctx context.Context, stores *storage.Stores) error {
			_, err := scan.Discover(ctx, stores, l.root, columns("y int", "m int"), scan.DiscoverOptions{})
			return err
		},
		"tree": func(ctx context.Context, stores *storage.Stores) error {
			_, err := scan.ReadTree(ctx, stores, []storage.Location{l.root}, scan.TreeOptions{Columns: columns("y int", "m int")})
			return err
		},
		"inferred tree": func(ctx context.Context, stores *storage.Stores) error {
			_, err := scan.ReadTree(ctx, stores, []storage.Location{l.root}, scan.TreeOptions{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		driver, err := local.Open(storage.Location{})
		if err != nil {
			t.Fatal(err)
		}
		disk := faulty.New(driver, func(_, _ string, n int) faulty.Fault {
			if n == 3 {
				cancel()
			}
			return faulty.None
		})
		err = look(ctx, storage.NewStores(map[string]storage.Factory{"file": disk.Open}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(disk.Trace()); n > onBusyWorkers {
			t.Errorf("%s: %d operations after the third", name, n-3)
		}
	}
}

// ending is a format whose first footer ends the statement.
type ending struct {
	scan.Parquet
	cancel context.CancelFunc
	read   chan struct{}
}

func (e ending) ReadFooter(ctx context.Context, _ storage.File) (format.Footer, error) {
	e.cancel()
	e.read <- struct{}{}
	return format.Footer{Rows: 1}, ctx.Err()
}

func TestCancelEndsReadingFooters(t *testing.T) {
	l := wideLake(t, 20, 100)
	ctx, cancel := context.WithCancel(t.Context())
	read := make(chan struct{}, 2000)
	sc := scan.NewScanner(l.stores, ending{cancel: cancel, read: read}, nil)
	n := &plan.Scan{Fields: []int{0}, Out: []plan.Column{{ID: 1, Name: "v", Type: types.Of(types.Int)}}}
	src := &scan.Source{Roots: []storage.Location{l.root}, Format: "parquet", Columns: []types.Field{{Name: "v", Type: types.Of(types.Int)}}, Partition: columns("y int", "m int"), Kind: scan.FromListing}
	_, _, err := sc.Resolve(ctx, n, src, scan.Settings{Context: &expr.Context{Zone: time.UTC}, Warn: func(string, string, map[string]string) {}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := len(read); n == 0 || n > onBusyWorkers {
		t.Errorf("%d footers were read", n)
	}
}
