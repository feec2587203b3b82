package write

import (
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// chooseSwaps decides which directories are exchanged as a whole.
func (p *preparer) chooseSwaps(ctx context.Context) error {
	j := p.j
	if j.target.Layout != InPlace || j.target.Strategy == "union" || len(j.target.Columns) == 0 {
		return nil
	}
	asked := false
	for i := range j.plan.Parts {
		part := &j.plan.Parts[i]
		if part.Action != actReplace || len(p.dirs[i]) != 1 || len(part.Old) == 0 || len(part.New) == 0 || !p.dirs[i][0].Equal(part.dir()) {
			continue
		}
		// What is put aside must not lie in what is exchanged, and what goes must lie there.
		if part.Base != j.plan.Root || part.dir().Contains(j.target.Root) || !part.allIn(part.dir().DirKey()) {
			continue
		}
		if !asked {
			// Tried in a directory of this transaction, so that nothing is left in the table when the process dies meanwhile.
			own := j.target.Root.Join(ownDir + "/" + wipDir + "/" + j.txn.ID).DirKey()
			if err := j.bucket.EnsureDir(ctx, own); err != nil {
				return err
			}
			can, err := j.bucket.CanExchange(ctx, own)
			if err != nil {
				return err
			}
			if !can && j.target.Strategy == "exchange" {
				return sqlerr.Unsupported("EXCHANGE", "tarn.inplace.strategy = exchange: the file system of "+j.target.Root.String()+" cannot swap directories. Use union")
			}
			if !can {
				return nil
			}
			asked = true
		}
		// A directory that holds anything but the files that go stays where it is: what is not known is not moved. So does one
		// that is a symbolic link.
		link, err := p.isLink(ctx, part.dir())
		if err != nil {
			return err
		}
		if !link {
			if part.Swap, err = j.holdsOnly(ctx, part.dir(), part.Old); err != nil {
				return err
			}
		}
	}
	return nil
}

// allIn reports whether the files that go lie right in a directory.
func (p *part) allIn(key string) bool {
	return !slices.ContainsFunc(p.Old, func(f old) bool { return f.Dir != key })
}

// isLink reports whether a directory is a symbolic link.
func (p *preparer) isLink(ctx context.Context, dir storage.Location) (bool, error) {
	parent := dir.Parent().DirKey()
	names, ok := p.linked[parent]
	if !ok {
		names = map[string]bool{}
		err := p.j.bucket.ReadDir(ctx, parent, false, func(e *storage.Entry) error {
			if e.Link {
				names[string(e.Name)] = true
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		if p.linked == nil {
			p.linked = map[string]map[string]bool{}
		}
		p.linked[parent] = names
	}
	return names[dir.Name()], nil
}

// holdsOnly reports whether a directory's entries are exactly the given files.
func (j *Job) holdsOnly(ctx context.Context, dir storage.Location, files []old) (bool, error) {
	key := dir.DirKey()
	known := make(map[string]bool, len(files))
	for i := range files {
		known[files[i].key()] = true
	}
	only := true
	err := j.bucket.ReadDir(ctx, key, false, func(e *storage.Entry) error {
		if e.Type != storage.FileEntry || e.Link || !known[key+string(e.Name)] {
			only = false
		}
		return nil
	})
	return only, err
}

// swapped reports whether a directory has been exchanged: the new files are where the old ones were, or, should somebody have
// deleted those since, the old ones are where the new ones were made.
func (j *Job) swapped(ctx context.Context, p *part) (bool, error) {
	there, err := j.bucket.Exists(ctx, p.dir().DirKey()+j.name(&p.New[0]))
	if err != nil || there {
		return there, err
	}
	known := make(map[string]bool, len(p.Old))
	for i := range p.Old {
		known[p.Old[i].Name] = true
	}
	found := false
	err = j.bucket.ReadDir(ctx, p.away(j.txn.ID, swapDir).DirKey(), false, func(e *storage.Entry) error {
		found = found || known[string(e.Name)]
		return nil
	})
	if storage.KindOf(err) == storage.NotFound || storage.KindOf(err) == storage.NotADirectory {
		return false, nil
	}
	return found, err
}

// exchange swaps the complete new directories with the old ones.
func (j *Job) exchange(ctx context.Context) error {
	var swaps []*part
	parents := map[string]bool{}
	for i := range j.plan.Parts {
		if p := &j.plan.Parts[i]; p.Swap {
			swaps = append(swaps, p)
			parents[p.away(j.txn.ID, swapDir).Parent().DirKey()], parents[p.dir().Parent().DirKey()] = true, true
		}
	}
	// Who lists directories sees some partitions old and others new while this lasts, so only what has to be done then is.
	done := make([]bool, len(swaps))
	err := parallel.Each(ctx, workers(), len(swaps), func(i int) (err error) {
		done[i], err = j.swapped(ctx, swaps[i])
		return err
	})
	if err != nil {
		return err
	}
	err = parallel.Each(ctx, workers(), len(swaps), func(i int) error {
		p := swaps[i]
		if done[i] {
			return nil
		}
		// A second exchange would undo the first one, and bring old files back.
		if err := j.owns(ctx); err != nil {
			return err
		}
		if err := j.bucket.Exchange(ctx, p.away(j.txn.ID, swapDir).DirKey(), p.dir().DirKey()); err != nil {
			if ok, lookErr := j.swapped(ctx, p); lookErr != nil || !ok {
				return err
			}
		}
		j.w.point("exchanged")
		return nil
	})
	if err != nil {
		return err
	}
	err = parallel.Each(ctx, workers(), len(swaps), func(i int) error {
		return j.bringBack(ctx, swaps[i], swaps[i].away(j.txn.ID, swapDir))
	})
	if err != nil {
		return err
	}
	if len(parents) == 0 {
		return nil
	}
	var list []string
	for d := range parents {
		list = append(list, d)
	}
	return j.syncDirs(ctx, list)
}

// bringBack returns to a directory what arrived in it after the plan was made, and files that were replaced since by others of
// the same name: nobody said that they should go.
func (j *Job) bringBack(ctx context.Context, p *part, away storage.Location) error {
	known := make(map[string]*old, len(p.Old))
	for i := range p.Old {
		known[p.Old[i].Name] = &p.Old[i]
	}
	return j.moveForeign(ctx, away, p.dir(), func(name string, o storage.Object) bool {
		f, ok := known[name]
		return ok && storage.Same(f.object(), o)
	})
}

// moveForeign moves what is not ours from one directory to another. What has a namesake there stays.
func (j *Job) moveForeign(ctx context.Context, from, to storage.Location, ours func(name string, o storage.Object) bool) error {
	type entry struct {
		name   string
		object storage.Object
		isFile bool
	}
	var foreign []entry
	key := from.DirKey()
	err := j.bucket.ReadDir(ctx, key, true, func(e *storage.Entry) error {
		name := string(e.Name)
		o := storage.Object{Key: key + name, Size: e.Size, ModTime: e.ModTime, ID: e.ID}
		if isFile := e.Type == storage.FileEntry; !isFile || !ours(name, o) {
			foreign = append(foreign, entry{name, o, isFile})
		}
		return nil
	})
	if err != nil {
		if storage.KindOf(err) == storage.NotFound {
			return nil
		}
		return err
	}
	for _, f := range foreign {
		if f.isFile {
			_, err = j.bucket.MoveFile(ctx, f.object.Key, to.DirKey()+f.name, f.object)
		} else if err = j.bucket.Move(ctx, f.object.Key, to.DirKey()+f.name); storage.KindOf(err) == storage.AlreadyExists || storage.KindOf(err) == storage.NotFound {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// swapBack exchanges a directory once more when it has been exchanged. Files that somebody put into the new directory meanwhile
// go with it to the old one.
func (j *Job) swapBack(ctx context.Context, p *part) error {
	if len(p.New) == 0 {
		return nil
	}
	away := p.away(j.txn.ID, swapDir)
	done, err := j.swapped(ctx, p)
	if err != nil {
		return err
	}
	if done {
		if err := j.owns(ctx); err != nil {
			return err
		}
		if err := j.bucket.Exchange(ctx, away.DirKey(), p.dir().DirKey()); err != nil {
			return err
		}
		j.w.point("exchanged back")
	}
	names := make(map[string]bool, len(p.New))
	for i := range p.New {
		names[j.name(&p.New[i])] = true
	}
	if err := j.moveForeign(ctx, away, p.dir(), func(name string, _ storage.Object) bool { return names[name] }); err != nil {
		return err
	}
	return j.bucket.Sync(ctx, nil, []string{away.Parent().DirKey(), p.dir().Parent().DirKey(), p.dir().DirKey()})
}
