package write

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

// Vacuumed is one file that VACUUM deleted, would delete, or leaves for a reason.
type Vacuumed struct {
	Location string
	Bytes    int64
	// Why: REPLACED (a commit took it out of the table), ORPHAN (a write that did not commit left it), KEPT (its grace has not
	// passed), CHANGED (another file is at its name by now and stays).
	Why string
	Txn string
}

// Vacuum deletes the files that commits took out of a table and whose grace has passed, and what writes that did not commit
// left in Tarn's own directories. retain, when not negative, replaces the grace that the commits gave. A file that Tarn has
// no record of is never touched: each goes by its name and identity.
func (w *Writer) Vacuum(ctx context.Context, table *catalog.Table, retain time.Duration, dry bool) ([]Vacuumed, error) {
	root, err := storage.ParseLocation(table.Location, "")
	if err != nil {
		return nil, err
	}
	bucket, _, err := w.Stores.Open(root)
	if err != nil {
		return nil, err
	}
	v := &vacuum{w: w, bucket: bucket, root: root, table: table, retain: retain, dry: dry, now: w.Now().UTC()}
	// First the listing, then the catalog: a file that a write adds in between is not in the listing.
	if err := v.list(ctx); err != nil {
		return nil, err
	}
	if err := v.retired(ctx); err != nil {
		return v.out, err
	}
	if err := v.orphans(ctx); err != nil || dry {
		return v.out, err
	}
	return v.out, v.emptyDirs(ctx)
}

type vacuum struct {
	w      *Writer
	bucket *storage.Bucket
	root   storage.Location
	table  *catalog.Table
	retain time.Duration
	dry    bool
	now    time.Time
	found  []storage.Object // what lies below _tarn
	kept   map[string]bool  // keys that a retired row keeps
	out    []Vacuumed
}

func (v *vacuum) list(ctx context.Context) error {
	for o, err := range v.bucket.List(ctx, v.root.Join(ownDir).DirKey(), "", true) {
		if storage.KindOf(err) == storage.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if !o.IsPrefix && !o.IsLink {
			v.found = append(v.found, o)
		}
	}
	return nil
}

// retired deletes what commits took out.
func (v *vacuum) retired(ctx context.Context) error {
	var rows []catalog.Retired
	var unfinished []*catalog.Txn
	err := v.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if rows, err = tx.Retired(v.table.ID); err != nil {
			return err
		}
		unfinished, err = tx.Txns("", false)
		return err
	})
	if err != nil {
		return err
	}
	busy := map[string]bool{}
	for _, t := range unfinished {
		busy[t.ID] = true
	}
	v.kept = map[string]bool{}
	for _, r := range rows {
		list, err := decodeRetired(r.Files)
		if err != nil {
			return err
		}
		due := r.After
		if v.retain >= 0 {
			due = r.At.Add(v.retain)
		}
		if busy[r.Txn] || due.After(v.now) {
			for _, f := range list {
				v.kept[f.Key] = true
				v.tell(f.Key, f.Size, "KEPT", r.Txn)
			}
			continue
		}
		if err := v.delete(ctx, r, list); err != nil {
			return err
		}
	}
	return nil
}

func (v *vacuum) delete(ctx context.Context, r catalog.Retired, list []old) error {
	dirs := map[string]bool{}
	for _, f := range list {
		if v.dry {
			v.kept[f.Key] = true
			v.tell(f.Key, f.Size, "REPLACED", r.Txn)
			continue
		}
		outcome, err := v.deleteOne(ctx, f)
		if err != nil {
			return err
		}
		// The directory of a file that is gone already is looked at, too: who deleted it may have died before that.
		dirs[f.Key[:strings.LastIndexByte(f.Key, '/')+1]] = true
		switch outcome {
		case storage.Done:
			v.tell(f.Key, f.Size, "REPLACED", r.Txn)
		case storage.Conflict:
			v.kept[f.Key] = true
			v.tell(f.Key, f.Size, "CHANGED", r.Txn)
		}
		v.w.point("vacuumed")
	}
	if v.dry {
		return nil
	}
	for d := range dirs {
		if err := v.removeEmpty(ctx, v.bucket.Location(strings.TrimSuffix(d, "/"))); err != nil {
			return err
		}
	}
	return v.w.Store.Write(ctx, func(tx catalog.WriteTx) error { return ignoreNotFound(tx.DeleteRetired(r.Txn)) })
}

// deleteOne deletes a file that is still the one that was retired. What a commit recorded of its own files is name, size and
// time: since the name carries the transaction, nobody else's file has it.
func (v *vacuum) deleteOne(ctx context.Context, f old) (storage.Outcome, error) {
	want := f.object()
	if want.ID == (storage.Identity{}) && want.ETag == "" {
		if _, own := scan.TxnOf(f.Key[strings.LastIndexByte(f.Key, '/')+1:]); own {
			now, err := v.bucket.Stat(ctx, f.Key)
			if storage.KindOf(err) == storage.NotFound {
				return storage.AlreadyDone, nil
			}
			if err != nil {
				return storage.Failed, err
			}
			if now.Size != f.Size {
				return storage.Conflict, nil
			}
			want = now
		}
	}
	return v.bucket.DeleteIf(ctx, want)
}

// removeEmpty removes directories below _tarn that hold nothing any more, and the old directory of a partition.
func (v *vacuum) removeEmpty(ctx context.Context, dir storage.Location) error {
	j := &Job{bucket: v.bucket}
	rel, ok := v.root.Rel(dir)
	if !ok || rel == "" {
		return nil
	}
	return j.removeEmpty(ctx, dir, strings.Count(rel, "/")+1)
}

func (v *vacuum) tell(key string, size int64, why, txn string) {
	v.out = append(v.out, Vacuumed{Location: v.bucket.Location(key).String(), Bytes: size, Why: why, Txn: txn})
}

// orphanAge is how old a file of an unknown transaction has to be: one that is younger may belong to a write whose row a
// slow reader of the catalog has not seen.
const orphanAge = 24 * time.Hour

// orphans deletes files in Tarn's own directories that no version of the table refers to, of transactions that ended without
// committing. What the catalog does not know at all stays: it may be another catalog's.
func (v *vacuum) orphans(ctx context.Context) error {
	if len(v.found) == 0 {
		return nil
	}
	own := v.root.Join(ownDir).DirKey()
	states := map[string]*catalog.Txn{}
	referenced := map[string]bool{}
	err := v.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		for _, o := range v.found {
			id := txnIn(o.Key[len(own):])
			if id == "" || states[id] != nil {
				continue
			}
			t, err := tx.Txn(id)
			if errors.Is(err, catalog.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			states[id] = t
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := v.references(ctx, referenced); err != nil {
		return err
	}
	for _, o := range v.found {
		t := states[txnIn(o.Key[len(own):])]
		if t == nil || t.State != catalog.TxnAborted || referenced[o.Key] || v.kept[o.Key] {
			continue
		}
		if t.Changed.Add(orphanAge).After(v.now) && v.retain < 0 {
			continue
		}
		if !v.dry {
			if _, err := v.bucket.DeleteIf(ctx, o); err != nil {
				return err
			}
			if err := v.removeEmpty(ctx, v.bucket.Location(o.Key).Parent()); err != nil {
				return err
			}
		}
		v.tell(o.Key, o.Size, "ORPHAN", t.ID)
	}
	return nil
}

// emptyDirs removes the directories of ended transactions that hold nothing and where no partition lies: a partition that was
// emptied and then replaced had one without files, and a VACUUM that died may have left others.
func (v *vacuum) emptyDirs(ctx context.Context) error {
	j := &Job{bucket: v.bucket}
	kinds := []storage.Location{v.root.Join(ownDir + "/" + dataDir), v.root.Join(ownDir + "/" + swapDir), v.root.Join(ownDir + "/" + trashDir)}
	found := make([][]string, len(kinds))
	for i, dir := range kinds {
		var err error
		if found[i], err = j.dirsIn(ctx, dir); err != nil {
			return err
		}
	}
	ended, lies := map[string]bool{}, map[string]bool{}
	err := v.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		for _, names := range found {
			for _, name := range names {
				t, err := tx.Txn(name)
				if err := ignoreNotFound(err); err != nil {
					return err
				}
				ended[name] = err == nil && t.State.Finished()
			}
		}
		set, err := tx.Partitions(v.table.ID, 0)
		if err != nil {
			return err
		}
		for row := range set.Len() {
			if below, _ := set.Path(row); below != "" {
				lies[v.root.Join(below).DirKey()] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, dir := range kinds {
		for _, name := range found[i] {
			if !ended[name] {
				continue
			}
			if err := j.removeEmptyTree(ctx, dir.Join(name), lies); err != nil {
				return err
			}
		}
		if err := v.removeEmpty(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// references are the files that the table's present version names.
func (v *vacuum) references(ctx context.Context, into map[string]bool) error {
	var set *partition.Set
	err := v.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		set, err = tx.Partitions(v.table.ID, 0)
		return err
	})
	if err != nil || !set.Recorded() {
		return err
	}
	var rows []int
	for row := range set.Len() {
		if set.Content(row).Recorded {
			rows = append(rows, row)
		}
	}
	lists, err := v.w.Lists.Of(ctx, v.bucket, v.root, set, rows)
	if err != nil {
		return err
	}
	for _, l := range lists {
		for _, f := range l {
			into[f.Key] = true
		}
	}
	return nil
}

// txnIn is the transaction in a path below _tarn: kind/<txn>/…, or that of a file's own name.
func txnIn(rel string) string {
	segments := strings.Split(rel, "/")
	if len(segments) >= 2 && scan.IsTxn(segments[1]) {
		return segments[1]
	}
	if id, ok := scan.TxnOf(segments[len(segments)-1]); ok {
		return id
	}
	return ""
}

// Purge deletes at once the files that one commit took out of a table.
func (w *Writer) Purge(ctx context.Context, txn string, table catalog.ID) error {
	var row *catalog.Retired
	err := w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		rows, err := tx.Retired(table)
		for i := range rows {
			if rows[i].Txn == txn {
				row = &rows[i]
			}
		}
		return err
	})
	if err != nil || row == nil {
		return err
	}
	root, err := storage.ParseLocation(row.Location, "")
	if err != nil {
		return err
	}
	bucket, _, err := w.Stores.Open(root)
	if err != nil {
		return err
	}
	list, err := decodeRetired(row.Files)
	if err != nil {
		return err
	}
	v := &vacuum{w: w, bucket: bucket, root: root, now: w.Now().UTC(), kept: map[string]bool{}}
	return v.delete(ctx, *row, list)
}
