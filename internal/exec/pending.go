package exec

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/storage"
)

// The kinds of work on directories that commits leave behind.
const (
	pendingDelete = "delete" // remove From and what lies below it, and the directories between it and To that are empty then
	pendingEmpty  = "empty"  // remove From when nothing lies below it
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
	users := &users{known: map[catalog.ID]registered{}}
	for _, p := range todo {
		if p.Kind == pendingVacuum {
			continue
		}
		r.x.Deltas.Reached("directory-work")
		if err := r.settleOne(ctx, p, users); err != nil {
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

func (r *run) settleOne(ctx context.Context, p catalog.Pending, users *users) error {
	from, err := storage.ParseLocation(p.From, "")
	if err != nil {
		return err
	}
	bucket, _, err := r.x.Stores.Open(from)
	if err != nil {
		return err
	}
	switch p.Kind {
	case pendingDelete:
		if err := r.deleteTree(ctx, bucket, from, p, users); err != nil || p.To == "" {
			return err
		}
		to, err := storage.ParseLocation(p.To, "")
		if err != nil {
			return err
		}
		return removeEmptyAbove(ctx, bucket, from, to)
	case pendingEmpty:
		holds, err := r.holdsAnything(ctx, p.From)
		if holds || err != nil {
			return err
		}
		return bucket.Delete(ctx, from.DirKey())
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
// the same place is not caught by the slow removal of the old files; then what was renamed is removed. A place that
// somebody else uses is left alone. The look and the rename are one write transaction, so that no statement that gives the
// place to another table or partition comes in between.
func (r *run) deleteTree(ctx context.Context, bucket *storage.Bucket, from storage.Location, p catalog.Pending, users *users) error {
	trash := from.Parent().Join(".tarn-deleted-" + string(p.ID))
	moved := false
	if bucket.CanRename() {
		var err error
		if moved, err = bucket.Exists(ctx, trash.DirKey()); err != nil {
			return err
		}
	}
	if !moved {
		user := ""
		err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) (err error) {
			if user, err = users.of(tx, p.From); user != "" || err != nil || !bucket.CanRename() {
				return err
			}
			err = bucket.Rename(ctx, from.DirKey(), trash.DirKey())
			if storage.KindOf(err) == storage.NotFound {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		if user != "" {
			r.s.Warn("DIRECTORY_KEPT", fmt.Sprintf("The directory %s is left as it is, since %s uses it.", p.From, user), map[string]string{"location": p.From, "usedBy": user})
			return nil
		}
	}
	if !bucket.CanRename() {
		return bucket.Delete(ctx, from.DirKey())
	}
	return bucket.Delete(ctx, trash.DirKey())
}

// removeEmptyAbove removes the directories above one, up to a root that stays, as long as they are empty.
func removeEmptyAbove(ctx context.Context, bucket *storage.Bucket, dir, root storage.Location) error {
	for {
		dir = dir.Parent()
		if rel, ok := root.Rel(dir); !ok || rel == "" {
			return nil
		}
		if err := bucket.RemoveDir(ctx, dir.DirKey()); err != nil {
			if storage.KindOf(err) == storage.NotEmpty {
				return nil
			}
			return err
		}
	}
}

// users finds out who uses a directory that is to be deleted. It remembers the locations of a table's partitions, since many
// partitions of one table may go at once.
type users struct {
	known map[catalog.ID]registered
}

// registered are the keys of the locations of a table's partitions, sorted, at one version.
type registered struct {
	version int64
	keys    []string
}

// of names what uses a directory, "" for nothing: a table, volume or managed storage there or below it; the table that it
// lies in, unless that is a managed table of hive_metastore which has no partition there (any more).
func (u *users) of(tx catalog.ReadTx, location string) (string, error) {
	near, err := tx.Overlapping(location)
	if err != nil {
		return "", err
	}
	for _, l := range near {
		switch {
		case l.What == catalog.LocatedExternal:
			continue
		case catalog.Contains(location, l.Location):
			return l.What + " " + l.Name, nil
		case l.What == catalog.LocatedManaged:
			continue
		}
		if l.What == catalog.LocatedTable && l.Rules == catalog.HiveRules {
			t, err := tx.TableByID(l.ID)
			if err != nil {
				return "", err
			}
			if t.Kind == catalog.Managed && t.Mode == catalog.Log {
				uses, err := u.partitionAt(tx, t, location)
				if err != nil {
					return "", err
				}
				if !uses {
					continue
				}
			}
		}
		return l.What + " " + l.Name, nil
	}
	return "", nil
}

// partitionAt reports whether a partition of a table lies at, above or below a location.
func (u *users) partitionAt(tx catalog.ReadTx, t *catalog.Table, location string) (bool, error) {
	reg, ok := u.known[t.ID]
	if !ok || reg.version != t.Version {
		set, err := tx.Partitions(t.ID, 0)
		if err != nil {
			return false, err
		}
		reg = registered{version: t.Version, keys: make([]string, set.Len())}
		for i := range reg.keys {
			reg.keys[i] = catalog.LocationKey(rowLocation(relation{table: t}, set, i))
		}
		sort.Strings(reg.keys)
		u.known[t.ID] = reg
	}
	return reg.overlaps(catalog.LocationKey(location)), nil
}

func (reg registered) overlaps(key string) bool {
	below := key + "/"
	if i := sort.SearchStrings(reg.keys, below); i < len(reg.keys) && strings.HasPrefix(reg.keys[i], below) {
		return true
	}
	for at := key; ; {
		if i := sort.SearchStrings(reg.keys, at); i < len(reg.keys) && reg.keys[i] == at {
			return true
		}
		end := strings.LastIndexByte(at, '/')
		if end < 0 {
			return false
		}
		at = at[:end]
	}
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
