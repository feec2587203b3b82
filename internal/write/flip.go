package write

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// flip is the commit point: one catalog transaction changes the partitions with their statistics, the history, what is
// retired and the transaction's state.
func (j *Job) flip(ctx context.Context) error {
	return j.advance(ctx, catalog.TxnCommitted, func(tx catalog.WriteTx, next *catalog.Txn) error {
		if j.plan.Layout != InPlace {
			if err := j.mayCommit(tx); err != nil {
				return err
			}
		}
		version, err := j.change(tx)
		if err != nil {
			return err
		}
		next.Version = max(version, 1)
		if j.txn.Table == "" && j.target.Table != nil {
			next.Table = j.target.Table.ID
		}
		j.w.point("flipping")
		return nil
	})
}

// change does to the catalog what the plan says, and returns the table's new version (0 for a write by path).
func (j *Job) change(tx catalog.WriteTx) (int64, error) {
	t := j.target.Table
	switch {
	case j.create != nil:
		made, err := j.create(tx)
		if err != nil {
			return 0, err
		}
		j.target.Table = made
		t = made
	case t != nil:
		var err error
		if t, err = tx.TableByID(t.ID); err != nil {
			return 0, err
		}
	}
	if err := j.retired(tx, t); err != nil {
		return 0, err
	}
	if t == nil {
		return 0, nil
	}
	ch, err := j.changes(tx, t)
	if err != nil {
		return 0, err
	}
	if len(j.plan.Loads) > 0 {
		if err := tx.AddLoads(t.ID, j.plan.Loads); err != nil {
			return 0, err
		}
	}
	commit := j.plan.Commit
	commit.Parameters = j.parameters()
	now := t.Clone()
	if err := tx.ApplyPartitions(now, ch, commit); err != nil {
		return 0, err
	}
	return now.Version, nil
}

// parameters are what DESCRIBE HISTORY shows of a write.
func (j *Job) parameters() map[string]string {
	r := j.plan.Result
	out := map[string]string{
		"transaction": j.txn.ID, "mode": string(j.scope.Kind), "rows": strconv.FormatInt(r.Rows, 10), "files": strconv.FormatInt(r.Files, 10), "bytes": strconv.FormatInt(r.Bytes, 10),
	}
	if r.Replaced > 0 {
		out["partitionsReplaced"] = strconv.FormatInt(r.Replaced, 10)
	}
	if r.Removed > 0 {
		out["partitionsRemoved"] = strconv.FormatInt(r.Removed, 10)
	}
	return out
}

// changes are what the plan changes about registered partitions.
func (j *Job) changes(tx catalog.WriteTx, t *catalog.Table) (*partition.Changes, error) {
	ch := &partition.Changes{}
	if !j.plan.Registered {
		return ch, nil
	}
	set, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return nil, err
	}
	cols := set.Columns()
	merged, err := j.merged(tx, set, cols)
	if err != nil {
		return nil, err
	}
	id, err := j.addFileset(tx, t, cols, merged)
	if err != nil {
		return nil, err
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		values, err := p.valuesOf(cols)
		if err != nil {
			return nil, err
		}
		row, there := set.Find(values)
		if p.Action == actRemove {
			if there {
				ch.Drop(values)
			}
			continue
		}
		e := partition.AddEntry{Values: values}
		if there {
			e.Place, e.Properties, e.Content = placeOf(set, row), set.Properties(row), set.Content(row)
		}
		if err := j.record(&e, p, set, row, there, id); err != nil {
			return nil, err
		}
		if _, ok := merged[i]; ok {
			e.Content.Filesets = []int64{id}
		}
		ch.Put(e)
	}
	return ch, nil
}

// record is what an entry holds after the commit.
func (j *Job) record(e *partition.AddEntry, p *part, set *partition.Set, row int, there bool, id int64) error {
	place, err := j.place(p.Dir)
	if err != nil {
		return err
	}
	if p.Action == actAppend && !there && !p.Fresh {
		return errMoved // it was there when the files were placed
	}
	files, bytes, rows := p.totals()
	switch {
	case !there:
		e.Place = place
		e.Content = p.content(id, files, bytes, rows)
	case p.Action == actAppend && e.Content.Recorded:
		if !p.Recorded || j.plan.Layout != Filesets && !j.liesAt(set, row, p.Dir) {
			return errMoved
		}
		if e.Content.Files == 0 {
			e.Place = place // nothing is left at the directory of one that was emptied, and VACUUM removes it
		}
		e.Content.Filesets = append(append([]int64(nil), e.Content.Filesets...), id)
		e.Content.Files += files
		e.Content.Bytes += bytes
		e.Content.Rows += rows
	case p.Action == actAppend:
		// The directory is listed when it is read, so the new files count by being there.
		if p.Recorded || !j.liesAt(set, row, p.Dir) {
			return errMoved
		}
	default:
		e.Place = place
		e.Content = p.content(id, files, bytes, rows)
	}
	return nil
}

// content is what is recorded of a part that replaces what was there.
func (p *part) content(id, files, bytes, rows int64) partition.Content {
	if !p.Recorded {
		return partition.Content{}
	}
	c := partition.Content{Recorded: true, Files: files, Bytes: bytes, Rows: rows}
	if files > 0 {
		c.Filesets = []int64{id}
	}
	return c
}

// maxFilesets is how many file sets an entry has at most: the commit that would add one more puts the files of all into its
// own, so that thousands of small appends leave a short list behind.
const maxFilesets = 64

// merged are, by part, the files of entries whose file sets are joined into the one of this commit.
func (j *Job) merged(tx catalog.WriteTx, set *partition.Set, cols []partition.Column) (map[int]partition.PartitionFiles, error) {
	var out map[int]partition.PartitionFiles
	lists := map[int64]*partition.Fileset{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if p.Action != actAppend || !p.Recorded || len(p.New) == 0 {
			continue
		}
		values, err := p.valuesOf(cols)
		if err != nil {
			return nil, err
		}
		row, there := set.Find(values)
		if !there || len(set.Content(row).Filesets) < maxFilesets {
			continue
		}
		all := partition.PartitionFiles{Values: values}
		for _, id := range set.Content(row).Filesets {
			if lists[id] == nil {
				data, err := tx.Fileset(id)
				if err != nil {
					return nil, err
				}
				if lists[id], err = partition.DecodeFileset(cols, data); err != nil {
					return nil, err
				}
			}
			part, ok := lists[id].Of(values)
			if !ok {
				continue
			}
			// The files lie in several directories, so their names count from the table's location.
			for _, f := range part.Files {
				f.Name = strings.TrimPrefix(part.Dir+"/"+f.Name, "/")
				all.Files = append(all.Files, f)
			}
		}
		if out == nil {
			out = map[int]partition.PartitionFiles{}
		}
		out[i] = all
	}
	return out, nil
}

func (p *part) totals() (files, bytes, rows int64) {
	for _, f := range p.New {
		files++
		bytes += f.Size
		rows += f.Rows
	}
	return files, bytes, rows
}

// place is a location as an entry has it: names of directories below the root, or the location itself for one that lies
// elsewhere.
func (j *Job) place(location string) (partition.Place, error) {
	loc, err := storage.ParseLocation(location, "")
	if err != nil {
		return partition.Place{}, err
	}
	rel, ok := j.target.Root.Rel(loc)
	switch {
	case !ok:
		return partition.Place{Location: loc.String()}, nil
	case rel == "":
		return partition.Place{}, nil
	}
	return partition.Place{Dirs: strings.Split(rel, "/")}, nil
}

// liesAt reports whether an entry's directory is a location.
func (j *Job) liesAt(set *partition.Set, row int, location string) bool {
	want, err := storage.ParseLocation(location, "")
	if err != nil {
		return false
	}
	rel, abs := set.Path(row)
	if abs == "" {
		return want.Equal(j.target.Root.Join(rel))
	}
	loc, err := storage.ParseLocation(abs, "")
	return err == nil && want.Equal(loc)
}

// placeOf is where an entry's directory is, for an entry that takes its place.
func placeOf(set *partition.Set, row int) partition.Place {
	rel, abs := set.Path(row)
	switch {
	case abs != "":
		return partition.Place{Location: abs}
	case rel == "" || set.Canonical(row):
		return partition.Place{}
	}
	return partition.Place{Dirs: strings.Split(rel, "/")}
}

// addFileset stores the list of files that this transaction adds, where entries name their files; 0 when none does.
func (j *Job) addFileset(tx catalog.WriteTx, t *catalog.Table, cols []partition.Column, merged map[int]partition.PartitionFiles) (int64, error) {
	var parts []partition.PartitionFiles
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if len(p.New) == 0 || !p.Recorded {
			continue
		}
		values, err := p.valuesOf(cols)
		if err != nil {
			return 0, err
		}
		dir := p.dir()
		rel, ok := j.target.Root.Rel(dir)
		if !ok {
			return 0, fmt.Errorf("%s is not below %s", dir, j.target.Root)
		}
		pf, joins := merged[i]
		prefix := ""
		if joins {
			if prefix = rel; prefix != "" {
				prefix += "/"
			}
		} else {
			pf = partition.PartitionFiles{Values: values, Dir: rel, Files: make([]partition.FileEntry, 0, len(p.New))}
		}
		for k := range p.New {
			f := &p.New[k]
			pf.Files = append(pf.Files, partition.FileEntry{Name: prefix + j.name(f), Size: f.Size, Rows: f.Rows, ModTime: f.ModTime})
		}
		parts = append(parts, pf)
	}
	if len(parts) == 0 {
		return 0, nil
	}
	return tx.AddFileset(t.ID, j.txn.ID, partition.EncodeFileset(cols, parts))
}

// retired notes the files that go, for VACUUM: where they will lie once they have been put aside.
func (j *Job) retired(tx catalog.WriteTx, t *catalog.Table) error {
	if !j.retires() {
		return nil
	}
	files, err := encodeRetired(j.putAside)
	if err != nil {
		return err
	}
	now := j.w.Now().UTC()
	r := catalog.Retired{Txn: j.txn.ID, Location: j.plan.Root, At: now, After: now.Add(time.Duration(j.plan.Grace) * time.Second), Files: files}
	if t != nil {
		r.Table = t.ID
	}
	return tx.AddRetired(r)
}

// retires reports whether any file goes.
func (j *Job) retires() bool {
	for range j.outgoing {
		return true
	}
	return false
}

// putAside yields the files that go with the places where they end up: in the trash when directories are listed, where they
// are when the catalog says which files count.
func (j *Job) putAside(yield func(old) bool) {
	for p, f := range j.outgoing {
		moved := *f
		if j.plan.Layout == InPlace {
			moved = f.at(j.asideKey(p, f.key()))
		}
		if !yield(moved) {
			return
		}
	}
}

// asideKey is where an old file of a part goes; p is nil for one that no part has.
func (j *Job) asideKey(p *part, key string) string {
	if p == nil {
		return j.trashKey(key)
	}
	_, name := splitKey(key)
	if p.Swap {
		return p.away(j.txn.ID, swapDir).DirKey() + name
	}
	dir := p.dir().DirKey()
	if below, ok := strings.CutPrefix(key, dir); ok {
		name = below // files of plain sub-directories keep their place
	} else if strings.HasPrefix(key, j.target.Root.DirKey()) {
		return j.trashKey(key)
	}
	return p.away(j.txn.ID, trashDir).DirKey() + name
}

// trashKey is where a file below the root goes, at the same path below the trash.
func (j *Job) trashKey(key string) string {
	return j.target.Root.Join(ownDir+"/"+trashDir+"/"+j.txn.ID).DirKey() + key[len(j.target.Root.DirKey()):]
}
