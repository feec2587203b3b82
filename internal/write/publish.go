package write

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
	"golang.org/x/time/rate"
)

// syncBatch is how many files are made durable with one call.
const syncBatch = 1 << 14

// syncStaged makes the staged files durable before anything refers to them.
func (j *Job) syncStaged(ctx context.Context) error {
	var files []string
	// The names in the staging need no sync: the files are renamed away, and until then nobody needs them after a crash.
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		for k := range p.New {
			if files = append(files, j.src(p, &p.New[k])); len(files) == syncBatch {
				if err := j.bucket.Sync(ctx, files, nil); err != nil {
					return err
				}
				files = files[:0]
			}
		}
	}
	if len(files) == 0 {
		return nil
	}
	return j.bucket.Sync(ctx, files, nil)
}

// publish puts the staged files at their final names, in parallel, and makes the names durable.
func (j *Job) publish(ctx context.Context) error {
	if err := j.owns(ctx); err != nil {
		return err
	}
	if err := j.dropMarker(ctx); err != nil {
		return err
	}
	j.w.point("marker dropped")
	keys := make([]string, len(j.plan.Parts)) // where the files of each part go; "" for nowhere
	err := parallel.Each(ctx, workers(), len(keys), func(i int) error {
		p := &j.plan.Parts[i]
		switch {
		case p.Action == actRemove:
		case p.Swap:
			done, err := j.swapped(ctx, p)
			if err != nil || done {
				return err
			}
			keys[i] = p.away(j.txn.ID, swapDir).DirKey()
		default:
			keys[i] = p.dir().DirKey()
		}
		return nil
	})
	if err != nil {
		return err
	}
	var limit *rate.Limiter
	if n := j.target.Rate; n > 0 {
		limit = rate.NewLimiter(rate.Limit(n), int(max(1, n/10)))
	}
	if err := j.fill(ctx, keys, limit); err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, k := range keys {
		if k != "" {
			dirs[k] = true
		}
	}
	names := make([]string, 0, len(dirs)+1)
	for d := range dirs {
		names = append(names, d)
	}
	if j.plan.HadMarker {
		names = append(names, j.target.Root.DirKey())
	}
	if err := j.syncDirs(ctx, names); err != nil {
		return err
	}
	j.w.point("exchanging")
	return j.exchange(ctx)
}

// fill puts the new files of the parts into the directories with the given keys, "" for parts that have theirs.
func (j *Job) fill(ctx context.Context, keys []string, limit *rate.Limiter) error {
	wait := func(files int) error {
		for range files {
			if limit == nil {
				break
			}
			if err := limit.Wait(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	staged := j.stagedDirs()
	parents := map[string]bool{}
	for i, k := range keys {
		if k != "" && staged[i] != "" && j.hidden(&j.plan.Parts[i], k) {
			above, _ := splitKey(strings.TrimSuffix(k, "/"))
			parents[above] = true
		}
	}
	if err := j.ensureDirs(ctx, parents); err != nil {
		return err
	}
	adopted := make([]bool, len(keys))
	err := parallel.Each(ctx, workers(), len(keys), func(i int) error {
		p := &j.plan.Parts[i]
		if keys[i] == "" || staged[i] == "" || !j.hidden(p, keys[i]) {
			return nil
		}
		if err := wait(len(p.New)); err != nil {
			return err
		}
		adopted[i] = j.adopt(ctx, p, staged[i], keys[i])
		return nil
	})
	if err != nil {
		return err
	}
	dirs, at := map[string]bool{}, map[*part]string{}
	for i, k := range keys {
		if k != "" && !adopted[i] {
			dirs[k], at[&j.plan.Parts[i]] = true, k
		}
	}
	if err := j.ensureDirs(ctx, dirs); err != nil {
		return err
	}
	starts, total := j.plan.newStarts(func(p *part) bool { return at[p] != "" })
	return parallel.Each(ctx, workers(), total, func(n int) error {
		p, f := j.plan.fileAt(starts, n)
		if err := wait(1); err != nil {
			return err
		}
		src := j.src(p, f)
		err := j.moveFile(ctx, src, at[p], j.name(f), f)
		if dir, _ := splitKey(src); isGone(err) {
			// It may have got its final name in the staging: see adopt.
			err = j.moveFile(ctx, dir+j.name(f), at[p], j.name(f), f)
		}
		if err != nil {
			return err
		}
		j.w.point("file published")
		return nil
	})
}

// ensureDirs makes directories, many at once.
func (j *Job) ensureDirs(ctx context.Context, keys map[string]bool) error {
	list := slices.Sorted(maps.Keys(keys))
	return parallel.Each(ctx, workers(), len(list), func(i int) error {
		if err := j.bucket.EnsureDir(ctx, list[i]); err != nil {
			return err
		}
		j.w.point("directory made")
		return nil
	})
}

// maxMade is how often a directory that others remove because it is empty is made again.
const maxMade = 5

// moveFile moves a file, that may have been moved already, into a directory.
func (j *Job) moveFile(ctx context.Context, src, dir, name string, f *added) error {
	for made := 0; ; made++ {
		outcome, err := j.bucket.MoveFile(ctx, src, dir+name, f.object(src))
		switch {
		case err == nil && (outcome == storage.Done || outcome == storage.AlreadyDone):
			return nil
		case err == nil && outcome == storage.Conflict:
			return &conflictError{where: j.bucket.Location(dir + name).String(), why: "another file is there"}
		case err == nil:
			return &conflictError{where: j.bucket.Location(src).String(), why: "the staged file is gone, and it is not at its final name either", gone: true}
		case storage.KindOf(err) != storage.NotFound || made == maxMade:
			return err
		}
		// Another writer that was undone, or that removed the partition, may have taken the empty directory away.
		if err := j.bucket.EnsureDir(ctx, dir); err != nil {
			return err
		}
	}
}

// syncDirs makes names in directories durable, and the directories' own names up to the root, or to the location of the
// partition for one that lies elsewhere.
func (j *Job) syncDirs(ctx context.Context, keys []string) error {
	bases, err := j.bases()
	if err != nil {
		return err
	}
	all := map[string]bool{}
	for _, k := range keys {
		top := j.target.Root
		for _, b := range bases[1:] {
			if strings.HasPrefix(k, b.DirKey()) {
				top = b
			}
		}
		root := top.DirKey()
		for !all[k] && strings.HasPrefix(k, root) {
			all[k] = true
			if k == root {
				all[top.Parent().DirKey()] = true
				break
			}
			k, _ = splitKey(strings.TrimSuffix(k, "/"))
		}
		all[k] = true
	}
	if len(all) == 0 {
		return nil
	}
	list := make([]string, 0, len(all))
	for k := range all {
		list = append(list, k)
	}
	return j.bucket.Sync(ctx, nil, list)
}

// unpublish takes back what a commit has put at final names before its commit point.
func (j *Job) unpublish(ctx context.Context) error {
	touched := map[string]bool{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if p.Swap {
			if err := j.swapBack(ctx, p); err != nil {
				return err
			}
			continue
		}
		dir := p.dir()
		for k := range p.New {
			f := &p.New[k]
			// The name carries the transaction, so nobody else's file has it.
			outcome, err := j.bucket.DeleteIf(ctx, f.object(dir.DirKey()+j.name(f)))
			if err != nil {
				return err
			}
			if outcome == storage.Done {
				touched[dir.DirKey()] = true
			}
		}
		if p.Fresh && p.Action != actRemove && p.Dir != j.plan.Root {
			// Directories that this write made for partitions that there are not go when nothing is in them.
			rel, _ := j.target.Root.Rel(dir)
			if err := j.removeEmpty(ctx, dir, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	if len(touched) > 0 {
		dirs := make([]string, 0, len(touched))
		for d := range touched {
			dirs = append(dirs, d)
		}
		if err := j.bucket.Sync(ctx, nil, dirs); err != nil {
			return err
		}
	}
	return j.restoreMarker(ctx)
}

// unplace moves placed files back to the staging, for a commit that is planned anew, and removes the directories that were
// made for them.
func (j *Job) unplace(ctx context.Context) error {
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		dir := p.dir()
		for k := range p.New {
			f := &p.New[k]
			src := j.src(p, f)
			stage, name := splitKey(src)
			if err := j.moveFile(ctx, dir.DirKey()+j.name(f), stage, name, f); err != nil {
				return err
			}
		}
		if rel, ok := j.target.Root.Rel(dir); ok && p.Fresh && j.plan.Layout != InPlace {
			if err := j.removeEmpty(ctx, dir, strings.Count(rel, "/")+1); err != nil {
				return err
			}
		}
	}
	return nil
}
