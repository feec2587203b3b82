package scan

import (
	"context"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Drift tells that a table's root holds directories which its log does not know.
type Drift struct {
	Unknown int      // directories of the first level whose value the log has nowhere
	Example string   // the first of their names in byte order
	Dirs    []string // their names, in the order of the listing
}

// Drifted looks for drift as cheaply as can be: one listing of the root. It compares the values of the first partition
// column only, so it says "nothing" of what a repair would find deeper down. known is asked once per directory. A root
// that does not exist has no drift.
func Drifted(ctx context.Context, stores *storage.Stores, root storage.Location, cols []partition.Column, caseSensitive bool, known func(v types.Value) bool) (Drift, error) {
	if len(cols) == 0 {
		return Drift{}, nil
	}
	bucket, key, err := OpenRoot(stores, root)
	if err != nil {
		return Drift{}, err
	}
	layout := partition.NewLayout(cols, caseSensitive)
	var d Drift
	err = bucket.ReadDir(ctx, key, false, func(e *storage.Entry) error {
		if e.Type != storage.DirEntry {
			return nil
		}
		sp, ok, _, _ := layout.Classify(0, string(e.Name), partition.Dir)
		if !ok || known(sp.Value) {
			return nil
		}
		if d.Unknown == 0 || sp.Dir < d.Example {
			d.Example = sp.Dir
		}
		d.Unknown++
		d.Dirs = append(d.Dirs, sp.Dir)
		return nil
	})
	if gone(err) {
		return Drift{}, nil
	}
	return d, translate(err)
}
