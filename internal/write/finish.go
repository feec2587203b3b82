package write

import (
	"context"
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
)

// finish does what is left after the commit point: old files are put aside, the marker is written, the staging goes. It may be
// repeated.
func (j *Job) finish(ctx context.Context) error {
	if j.plan.Layout == InPlace {
		if err := j.retire(ctx); err != nil {
			return err
		}
	}
	j.w.point("retired")
	if err := j.owns(ctx); err != nil {
		return err
	}
	if err := j.writeMarker(ctx); err != nil {
		return err
	}
	j.w.point("marked")
	if err := j.dropOwn(ctx, wipDir); err != nil {
		return err
	}
	return j.advance(ctx, catalog.TxnDone, nil)
}

// retireBatch is how many files are put aside at once.
const retireBatch = 1 << 12

// retire moves old files into the trash. A file that is not the one that was listed is somebody else's by now, and stays.
func (j *Job) retire(ctx context.Context) error {
	type move struct {
		from *old
		to   string
	}
	var batch []move
	made, touched := map[string]bool{}, map[string]bool{}
	flush := func() error {
		missing := map[string]bool{}
		for i := range batch {
			if dir, _ := splitKey(batch[i].to); !made[dir] {
				made[dir], touched[dir], missing[dir] = true, true, true
			}
		}
		if err := j.ensureDirs(ctx, missing); err != nil {
			return err
		}
		err := parallel.Each(ctx, workers(), len(batch), func(i int) error {
			if err := j.putAway(ctx, batch[i].from, batch[i].to); err != nil {
				return err
			}
			j.w.point("file retired")
			return nil
		})
		batch = batch[:0]
		return err
	}
	for p, f := range j.outgoing {
		if p != nil && p.Swap {
			continue
		}
		touched[f.Dir] = true
		if batch = append(batch, move{f, j.asideKey(p, f.key())}); len(batch) == retireBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	dirs := make([]string, 0, len(touched))
	for d := range touched {
		dirs = append(dirs, d)
	}
	if err := j.syncDirs(ctx, dirs); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range j.plan.Old {
		dir := j.plan.Old[i].Dir
		if seen[dir] {
			continue
		}
		seen[dir] = true
		loc := j.bucket.Location(dir)
		if rel, ok := j.target.Root.Rel(loc); ok && rel != "" {
			if err := j.removeEmpty(ctx, loc, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	if j.plan.Tree {
		// Partitions without a file had directories, too.
		if err := j.removeEmptyTree(ctx, j.target.Root, j.kept()); err != nil {
			return err
		}
	}
	var emptied []*part
	for i := range j.plan.Parts {
		if p := &j.plan.Parts[i]; !p.Swap && (len(p.Old) > 0 || p.Action == actRemove) {
			emptied = append(emptied, p)
		}
	}
	return j.removeEmptied(ctx, emptied)
}

// putAway moves one old file into the trash.
func (j *Job) putAway(ctx context.Context, f *old, to string) error {
	now, err := j.bucket.Stat(ctx, f.key())
	switch {
	case err == nil && !f.is(now):
		return nil
	case err == nil:
		if outcome, err := j.bucket.MoveFile(ctx, f.key(), to, now); err != nil || outcome != storage.Done {
			return err
		}
		return j.giveBack(ctx, f.key(), to, now)
	}
	switch storage.KindOf(err) {
	case storage.NotFound, storage.NotADirectory, storage.IsADirectory:
		return nil // it has been moved before, or somebody deleted it
	}
	return err
}

// giveBack moves a file out of the trash again that is not the one that was to go there: somebody put it in the old one's place
// just before the move. One that has found a successor there by now stays.
func (j *Job) giveBack(ctx context.Context, key, trash string, want storage.Object) error {
	moved, err := j.bucket.Stat(ctx, trash)
	switch {
	case storage.KindOf(err) == storage.NotFound: // another process does the same work, and is further
		return nil
	case err != nil:
		return err
	case storage.Same(moved, want):
		return nil
	}
	if err := j.bucket.Move(ctx, trash, key); storage.KindOf(err) != storage.AlreadyExists {
		return err
	}
	return nil
}

// kept are the directories that stay though nothing may be in them: the root, and those of the plan's partitions.
func (j *Job) kept() map[string]bool {
	keep := map[string]bool{j.target.Root.DirKey(): true}
	for i := range j.plan.Parts {
		keep[j.plan.Parts[i].dir().DirKey()] = true
	}
	return keep
}

// removeEmptied removes the directories of partitions that are gone, and of plain sub-directories and other spellings that
// lost their last file.
func (j *Job) removeEmptied(ctx context.Context, parts []*part) error {
	for _, p := range parts {
		dirs := map[string]bool{}
		for k := range p.Old {
			dirs[p.Old[k].Dir] = true
		}
		own := p.dir()
		if p.Action == actRemove {
			dirs[own.DirKey()] = true
		}
		for key := range dirs {
			if key == own.DirKey() && p.Action != actRemove {
				continue
			}
			loc := j.bucket.Location(key)
			levels := 1
			if below, ok := own.Rel(loc); ok && below != "" && p.Action != actRemove {
				levels = strings.Count(below, "/") + 1 // the partition's own directory stays
			} else if rel, ok := j.target.Root.Rel(loc); ok {
				if rel == "" {
					continue // the root itself stays
				}
				levels = strings.Count(rel, "/") + 1
			}
			if err := j.removeEmpty(ctx, loc, levels); err != nil {
				return err
			}
		}
	}
	return nil
}

// isTaken reports whether somebody else took the transaction over.
func isTaken(err error) bool { return errors.Is(err, catalog.ErrTxnChanged) }
