package write

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// recorded lists the old files of an entry whose files the catalog names.
func (p *preparer) recorded(ctx context.Context, part *part, row int) error {
	if part.Action == actAppend {
		return nil
	}
	files, err := p.j.w.FilesOf(ctx, p.j.target.Table, p.j.target.Set, row)
	if err != nil {
		return err
	}
	part.Old = appendOld(part.Old, files)
	return nil
}

// findOld lists the files that go, and decides which directories are exchanged as a whole.
func (p *preparer) findOld(ctx context.Context) error {
	j := p.j
	if err := p.replaced(ctx); err != nil {
		return err
	}
	var dirs []storage.Location
	var owner []int
	for i := range j.plan.Parts {
		for _, d := range p.dirs[i] {
			dirs, owner = append(dirs, d), append(owner, i)
		}
	}
	for len(dirs) > 0 {
		n := min(len(dirs), listBatch)
		list, err := p.list(ctx, dirs[:n], scan.FileOptions{Direct: len(j.target.Columns) == 0, Empty: true})
		if err != nil {
			return err
		}
		for d := range n {
			part := &j.plan.Parts[owner[d]]
			files := list.Of(d)
			for i := range files {
				if own := j.bucket.Location(files[i].Key); !dirs[d].Contains(own) {
					// It was found where a writer that exchanges directories had put it: that one is first.
					return p.replacing(ctx, partition.SpecText(j.target.Columns, p.values[owner[d]]))
				}
			}
			part.Old = appendOld(part.Old, files)
		}
		dirs, owner = dirs[n:], owner[n:]
	}
	return p.chooseSwaps(ctx)
}

// replacing is the error for a partition whose files lie where an exchange has put them: a stuck write of the table, or one
// that will end.
func (p *preparer) replacing(ctx context.Context, spec string) error {
	j := p.j
	err := j.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		txns, err := tx.Txns(j.txn.Table, false)
		for _, t := range txns {
			if t.Table == j.txn.Table && j.sharesPlace(t) && err == nil {
				err = stuckError(tx, t.ID)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return sqlerr.ConcurrentWriteConflict(j.target.Name, "another writer is replacing the partition", []string{spec})
}

// listBatch is how many directories are listed at once: what is kept of a file is a third of what a listing tells.
const listBatch = 64

// list lists data files that readers see now.
func (p *preparer) list(ctx context.Context, dirs []storage.Location, opts scan.FileOptions) (*scan.Listing, error) {
	err := p.j.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		opts.View, err = Visible(tx, p.j.txn.Table, p.j.target.Root)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := scan.Files(ctx, p.j.w.Stores, dirs, opts)
	if err == nil && len(list.Linked) > 0 {
		err = sqlerr.Unsupported("OVERWRITE_THROUGH_LINK", "replacing files behind the symbolic link "+list.Linked[0].String()+": remove the link first")
	}
	return list, err
}

// appendOld adds listed files. Their names are copied, and those of directories shared, so that the listing can be forgotten.
func appendOld(list []old, files []storage.File) []old {
	list = slices.Grow(list, len(files))
	dir := ""
	for i := range files {
		o := &files[i].Object
		d, name := splitKey(o.Key)
		if d != dir {
			dir = strings.Clone(d)
		}
		list = append(list, old{Dir: dir, Name: strings.Clone(name), Size: o.Size, ModTime: o.ModTime.UnixNano(), ID: o.ID, ETag: strings.Clone(etagOf(*o))})
	}
	return list
}

// replaced lists the files of a tree, or of a table, that goes as a whole.
func (p *preparer) replaced(ctx context.Context) error {
	j := p.j
	if j.target.Tree {
		list, err := p.list(ctx, []storage.Location{j.target.Root}, scan.FileOptions{Empty: true, Keys: true})
		if err != nil {
			return err
		}
		j.plan.Old = appendOld(j.plan.Old, list.Files)
		for i := range p.dirs {
			p.dirs[i] = nil
		}
	}
	set := j.target.Replaced
	if set == nil || !set.Recorded() {
		return nil
	}
	var rows []int
	for row := range set.Len() {
		if set.Content(row).Recorded {
			rows = append(rows, row)
		}
	}
	lists, err := j.w.Lists.Of(ctx, j.bucket, j.target.Root, set, rows)
	if err != nil {
		return err
	}
	for _, files := range lists {
		j.plan.Old = appendOld(j.plan.Old, files)
	}
	return nil
}

// outgoing yields the files that go, with the part that each belongs to, nil for those that no part has.
func (j *Job) outgoing(yield func(p *part, f *old) bool) {
	for i := range j.plan.Old {
		if !yield(nil, &j.plan.Old[i]) {
			return
		}
	}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range p.Old {
			if !yield(p, &p.Old[k]) {
				return
			}
		}
	}
}
