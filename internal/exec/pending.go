package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/storage"
)

// The kinds of work on directories that commits leave behind.
const (
	pendingDelete = "delete" // remove From and what lies below it
	pendingRename = "rename" // move From to To
	pendingVacuum = "vacuum" // From belongs to nothing any more; VACUUM removes it when its grace has passed
)

// settle does the work on directories that commits left: each piece is done, then forgotten, so that a process that dies
// in between does it again, which changes nothing. What fails stays for the next time, with a warning.
func (r *run) settle(ctx context.Context) error {
	var todo []catalog.Pending
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		todo, err = tx.Pendings()
		return err
	})
	if err != nil {
		return err
	}
	var done []catalog.ID
	for _, p := range todo {
		if p.Kind == pendingVacuum {
			continue
		}
		if err := r.x.settle(ctx, p); err != nil {
			if ctx.Err() != nil {
				return err
			}
			r.s.Warn("DIRECTORY_WORK_LEFT", "The catalog has changed, but the work on directories is not done and will be tried again: "+err.Error(), map[string]string{"location": p.From})
			continue
		}
		done = append(done, p.ID)
	}
	if len(done) == 0 {
		return nil
	}
	return r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		for _, id := range done {
			if err := tx.DeletePending(id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *Executor) settle(ctx context.Context, p catalog.Pending) error {
	from, err := storage.ParseLocation(p.From, "")
	if err != nil {
		return err
	}
	bucket, _, err := x.Stores.Open(from)
	if err != nil {
		return err
	}
	switch p.Kind {
	case pendingDelete:
		return x.deleteTree(ctx, bucket, from, p)
	case pendingRename:
		to, err := storage.ParseLocation(p.To, "")
		if err != nil {
			return err
		}
		err = bucket.Rename(ctx, from.DirKey(), to.DirKey())
		// Gone already, or never made: an earlier try did it, or there is nothing to move.
		if k := storage.KindOf(err); k == storage.NotFound {
			return nil
		}
		return err
	}
	return nil
}

// deleteTree removes a directory in two steps: it is renamed out of the way, which takes no time, so that a table made anew at
// the same place is not caught by the slow removal of the old files; then what was renamed is removed. A place that a
// table has taken in the meantime is left alone.
func (x *Executor) deleteTree(ctx context.Context, bucket *storage.Bucket, from storage.Location, p catalog.Pending) error {
	trash := from.Parent().Join(".tarn-deleted-" + string(p.ID))
	if !bucket.CanRename() {
		return bucket.Delete(ctx, from.DirKey())
	}
	moved, err := bucket.Exists(ctx, trash.DirKey())
	if err != nil {
		return err
	}
	if !moved {
		taken := false
		err := x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			near, err := tx.Overlapping(p.From)
			for _, l := range near {
				taken = taken || l.What == catalog.LocatedTable && catalog.Contains(p.From, l.Location)
			}
			return err
		})
		if taken || err != nil {
			return err
		}
		err = bucket.Rename(ctx, from.DirKey(), trash.DirKey())
		if storage.KindOf(err) == storage.NotFound {
			return nil
		} else if err != nil {
			return err
		}
	}
	return bucket.Delete(ctx, trash.DirKey())
}

// makeDir makes the directory of something that a statement created. Stores without directories have nothing to do.
func (r *run) makeDir(ctx context.Context, location string) error {
	loc, err := storage.ParseLocation(location, "")
	if err != nil {
		return err
	}
	bucket, _, err := r.x.Stores.Open(loc)
	if err != nil {
		return err
	}
	return bucket.MakeDir(ctx, loc.DirKey())
}
