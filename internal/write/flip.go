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
	var id int64
	if j.plan.Layout != InPlace {
		if id, err = j.addFileset(tx, t, cols); err != nil {
			return nil, err
		}
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
		if j.plan.Layout != InPlace {
			if err := j.record(&e, p, set, row, there, id); err != nil {
				return nil, err
			}
		}
		ch.Put(e)
	}
	return ch, nil
}

// record is what an entry holds after the commit, when the catalog names the files.
func (j *Job) record(e *partition.AddEntry, p *part, set *partition.Set, row int, there bool, id int64) error {
	files, bytes, rows := p.totals()
	dirs, err := j.below(p.Dir)
	if err != nil {
		return err
	}
	switch {
	case p.Action == actAppend && there && !e.Content.Recorded:
		// The directory is listed when it is read, so the new files count by being there.
		if !sameDirs(set, row, dirs) {
			return errMoved
		}
	case p.Action == actAppend && there:
		if j.plan.Layout == Sealed && !sameDirs(set, row, dirs) {
			return errMoved
		}
		e.Content.Filesets = append(append([]int64(nil), e.Content.Filesets...), id)
		e.Content.Files += files
		e.Content.Bytes += bytes
		e.Content.Rows += rows
	case p.Action == actAppend && !p.Fresh:
		return errMoved // it was there when the files were placed
	default:
		e.Place = partition.Place{Dirs: dirs}
		e.Content = partition.Content{Recorded: true, Files: files, Bytes: bytes, Rows: rows}
		if files > 0 {
			e.Content.Filesets = []int64{id}
		}
	}
	return nil
}

func (p *part) totals() (files, bytes, rows int64) {
	for _, f := range p.New {
		files++
		bytes += f.Size
		rows += f.Rows
	}
	return files, bytes, rows
}

// below is a location as the names of directories below the root.
func (j *Job) below(location string) ([]string, error) {
	loc, err := storage.ParseLocation(location, "")
	if err != nil {
		return nil, err
	}
	rel, ok := j.target.Root.Rel(loc)
	if !ok {
		return nil, fmt.Errorf("%s is not below %s", location, j.target.Root)
	}
	if rel == "" {
		return nil, nil
	}
	return strings.Split(rel, "/"), nil
}

func sameDirs(set *partition.Set, row int, dirs []string) bool {
	rel, abs := set.Path(row)
	return abs == "" && rel == strings.Join(dirs, "/")
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

// addFileset stores the list of files that this transaction adds.
func (j *Job) addFileset(tx catalog.WriteTx, t *catalog.Table, cols []partition.Column) (int64, error) {
	var parts []partition.PartitionFiles
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if len(p.New) == 0 {
			continue
		}
		values, err := p.valuesOf(cols)
		if err != nil {
			return 0, err
		}
		dirs, err := j.below(p.Dir)
		if err != nil {
			return 0, err
		}
		pf := partition.PartitionFiles{Values: values, Dir: strings.Join(dirs, "/")}
		for _, f := range p.New {
			pf.Files = append(pf.Files, partition.FileEntry{Name: f.Name, Size: f.Size, Rows: f.Rows, ModTime: f.ModTime})
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
	list := j.putAside()
	if len(list) == 0 {
		return nil
	}
	r := catalog.Retired{
		Txn: j.txn.ID, Location: j.plan.Root, At: j.w.Now().UTC(), After: j.w.Now().UTC().Add(time.Duration(j.plan.Grace) * time.Second), Files: encodeRetired(list),
	}
	if t != nil {
		r.Table = t.ID
	}
	return tx.AddRetired(r)
}

// putAside lists the files that go with the places where they end up: in the trash when directories are listed, where they
// are when the catalog says which files count.
func (j *Job) putAside() []old {
	var out []old
	for _, f := range j.plan.Old {
		if j.plan.Layout == InPlace {
			f.Key = j.trashKey(f.Key)
		}
		out = append(out, f)
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for _, f := range p.Old {
			if j.plan.Layout == InPlace {
				f.Key = j.asideKey(p, f.Key)
			}
			out = append(out, f)
		}
	}
	return out
}

// asideKey is where an old file of a part goes.
func (j *Job) asideKey(p *part, key string) string {
	name := key[strings.LastIndexByte(key, '/')+1:]
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
