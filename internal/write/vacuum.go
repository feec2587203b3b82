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
	if err := v.orphans(ctx); err != nil {
		return v.out, err
	}
	if !dry {
		if err := v.emptyDirs(ctx); err != nil {
			return v.out, err
		}
	}
	return v.out, v.scraps(ctx)
}

// VacuumPath is Vacuum for a directory that no table has, which was written to by path.
func (w *Writer) VacuumPath(ctx context.Context, root storage.Location, retain time.Duration, dry bool) ([]Vacuumed, error) {
	return w.Vacuum(ctx, &catalog.Table{Location: root.String()}, retain, dry)
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

// retired deletes what commits took out, and what writes by path took out below the table.
func (v *vacuum) retired(ctx context.Context) error {
	var rows []catalog.Retired
	var unfinished []*catalog.Txn
	err := v.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		all, err := tx.Retired("")
		if err != nil {
			return err
		}
		for _, r := range all {
			if r.Table != "" && r.Table == v.table.ID || r.Table == "" && catalog.Contains(v.table.Location, r.Location) {
				rows = append(rows, r)
			}
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
		due := r.After
		if v.retain >= 0 {
			due = r.At.Add(v.retain)
		}
		if !busy[r.Txn] && !due.After(v.now) {
			if err := v.delete(ctx, r); err != nil {
				return err
			}
			continue
		}
		err := decodeRetired(r.Files, func(files []old) error {
			for i := range files {
				v.keep(&files[i], "KEPT", r.Txn)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *vacuum) keep(f *old, why, txn string) {
	v.kept[f.key()] = true
	v.tell(f.key(), f.Size, why, txn)
}

// delete deletes the files of one commit that are due, the directories that are empty then, and last the note of them.
func (v *vacuum) delete(ctx context.Context, r catalog.Retired) error {
	dirs := map[string]bool{}
	err := decodeRetired(r.Files, func(files []old) error {
		for i := range files {
			f := &files[i]
			if v.dry {
				v.keep(f, "REPLACED", r.Txn)
				continue
			}
			outcome, err := v.deleteOne(ctx, f)
			if err != nil {
				return err
			}
			switch outcome {
			case storage.Done:
				v.tell(f.key(), f.Size, "REPLACED", r.Txn)
				dirs[f.Dir] = true
			case storage.AlreadyDone: // by a run that was interrupted, which may have left the directories
				dirs[f.Dir] = true
			case storage.Conflict:
				v.keep(f, "CHANGED", r.Txn)
			}
			v.w.point("vacuumed")
		}
		return nil
	})
	if err != nil || v.dry {
		return err
	}
	for d := range dirs {
		if err := v.removeEmpty(ctx, d); err != nil {
			return err
		}
	}
	return v.w.Store.Write(ctx, func(tx catalog.WriteTx) error { return ignoreNotFound(tx.DeleteRetired(r.Txn)) })
}

// deleteOne deletes a file that is still the one that was retired.
func (v *vacuum) deleteOne(ctx context.Context, f *old) (storage.Outcome, error) {
	now, err := v.bucket.Stat(ctx, f.key())
	switch storage.KindOf(err) {
	case storage.NotFound, storage.NotADirectory:
		return storage.AlreadyDone, nil
	case storage.IsADirectory:
		return storage.Conflict, nil
	}
	if err != nil {
		return storage.Failed, err
	}
	if !f.is(now) {
		return storage.Conflict, nil
	}
	return v.bucket.DeleteIf(ctx, now)
}

// removeEmpty removes the directory of a deleted file when nothing is in it any more, and those above it: up to the table's
// location, or, in a partition that lies elsewhere, up to its own.
func (v *vacuum) removeEmpty(ctx context.Context, dir string) error {
	j := &Job{bucket: v.bucket}
	loc := v.bucket.Location(dir)
	if rel, ok := v.root.Rel(loc); ok {
		if rel == "" {
			return nil
		}
		return j.removeEmpty(ctx, loc, strings.Count(rel, "/")+1)
	}
	if i := strings.LastIndex(dir, "/"+ownDir+"/"); i >= 0 {
		return j.removeEmpty(ctx, loc, strings.Count(dir[i+1:], "/"))
	}
	return j.removeEmpty(ctx, loc, 1)
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
			if err := v.removeEmpty(ctx, o.Key[:strings.LastIndexByte(o.Key, '/')+1]); err != nil {
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
	var kinds []storage.Location
	for _, kind := range []string{wipDir, dataDir, swapDir, trashDir} {
		kinds = append(kinds, v.root.Join(ownDir+"/"+kind))
	}
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
		if v.table.ID == "" {
			return nil
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
		if err := v.removeEmpty(ctx, dir.DirKey()); err != nil {
			return err
		}
	}
	return nil
}

// scraps removes what Tarn makes in a directory for a moment and a crash may leave: directories that try whether exchange works,
// and files that were not written to their end. Their names are Tarn's own, and no writer needs one for a day.
func (v *vacuum) scraps(ctx context.Context) error {
	var found []storage.Object
	key := v.root.DirKey()
	err := v.bucket.ReadDir(ctx, key, true, func(e *storage.Entry) error {
		name := string(e.Name)
		switch {
		case e.Link:
		case e.Type == storage.DirEntry && storage.IsProbe(name):
			found = append(found, storage.Object{Key: key + name + "/"})
		case e.Type == storage.FileEntry && storage.IsUnfinished(name):
			found = append(found, storage.Object{Key: key + name, Size: e.Size, ModTime: e.ModTime, ID: e.ID})
		}
		return nil
	})
	if err != nil {
		if storage.KindOf(err) == storage.NotFound {
			return nil
		}
		return err
	}
	for _, o := range found {
		now, err := v.bucket.Stat(ctx, o.Key)
		if storage.KindOf(err) == storage.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if now.ModTime.Add(orphanAge).After(v.now) {
			continue
		}
		v.tell(strings.TrimSuffix(o.Key, "/"), now.Size, "ORPHAN", "")
		switch {
		case v.dry:
		case now.IsPrefix:
			// They hold at most one directory, which is empty.
			for _, dir := range []string{o.Key + "in/", o.Key} {
				if err := v.bucket.RemoveDir(ctx, dir); err != nil && storage.KindOf(err) != storage.NotEmpty {
					return err
				}
			}
		default:
			if _, err := v.bucket.DeleteIf(ctx, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// references are the files that the table's present version names.
func (v *vacuum) references(ctx context.Context, into map[string]bool) error {
	if v.table.ID == "" {
		return nil
	}
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
	v := &vacuum{w: w, bucket: bucket, root: root, now: w.Now().UTC(), kept: map[string]bool{}}
	return v.delete(ctx, *row)
}
