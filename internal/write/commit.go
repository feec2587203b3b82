package write

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// maxMoves is how often a commit starts its placing over because a partition that it appends to has moved.
const maxMoves = 8

// Commit makes the staged files part of the target: all of them or none. When it fails the transaction has been taken back,
// or is STUCK, which the error says. Canceling ctx ends it before its point of no return only. What fails after the commit
// point is told in Result.Left, without an error.
func (j *Job) Commit(ctx context.Context, files []File) (Result, error) {
	j.ended = true
	defer j.w.release(j.txn.ID)
	err := j.commit(ctx, files)
	undoing := context.WithoutCancel(ctx)
	if err != nil && !isTaken(err) && j.txn.Version == 0 && !j.txn.State.Finished() && j.txn.State != catalog.TxnStuck {
		err = j.translate(err)
		// When it cannot be undone now, it stays as it is for recovery; what the user can act on is the first reason.
		if undoErr := j.undo(undoing, err.Error()); isTaken(undoErr) {
			err = undoErr
		}
	}
	if isTaken(err) {
		err = j.lost(undoing)
	}
	res := j.plan.Result
	if j.txn.Version == 0 {
		return res, err
	}
	res.Left = err
	if j.target.Table != nil {
		res.Version = j.txn.Version
	}
	j.w.forget(undoing)
	return res, nil
}

// lost tells what became of a transaction that another process has taken over.
func (j *Job) lost(ctx context.Context) error {
	var now *catalog.Txn
	err := j.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		now, err = tx.Txn(j.txn.ID)
		return err
	})
	if err != nil {
		return err
	}
	*j.txn = *now
	switch {
	case now.Version > 0:
		return nil // it was finished
	case now.State == catalog.TxnAborting, now.State == catalog.TxnAborted:
		j.txn.State = catalog.TxnAborted // which is not this process's business any more
		// Directories that were made since, where others look, go as far as nothing is in them.
		for i := range j.plan.Parts {
			p := &j.plan.Parts[i]
			if rel, ok := j.target.Root.Rel(p.dir()); ok && rel != "" && p.Fresh && p.Action != actRemove {
				if err := j.removeEmpty(ctx, p.dir(), strings.Count(rel, "/")+1); err != nil {
					return err
				}
			}
		}
		return sqlerr.ConcurrentWriteConflict(j.target.Name, "another process took this one for dead and undid the write", nil)
	}
	j.txn.State = catalog.TxnStuck
	return j.stuck("another process took this one for dead and works on it")
}

func (j *Job) commit(ctx context.Context, files []File) error {
	if err := j.prepare(ctx, files); err != nil {
		return err
	}
	j.w.point("prepared")
	if j.idle() {
		j.plan.Result.Nothing = true
		return j.undo(ctx, "there was nothing to do")
	}
	if err := j.syncStaged(ctx); err != nil {
		return err
	}
	j.w.point("staged")
	for range maxMoves {
		err := j.decide(ctx)
		if err != nil {
			return err
		}
		// From here on what has begun is finished: a commit that is half placed helps nobody.
		ctx = context.WithoutCancel(ctx)
		if err := j.forward(ctx); !errors.Is(err, errMoved) {
			return err
		}
		if err := j.replace(ctx, files); err != nil {
			return err
		}
	}
	return sqlerr.ConcurrentWriteConflict(j.target.Name, "another writer kept moving the partition", nil)
}

// idle reports whether the plan changes nothing: a dynamic overwrite or an append without rows.
func (j *Job) idle() bool {
	return len(j.plan.Parts) == 0 && len(j.plan.Old) == 0 && j.create == nil && len(j.plan.Loads) == 0
}

// replace takes the placed files back to the staging and plans anew against the present partitions.
func (j *Job) replace(ctx context.Context, files []File) error {
	if err := j.unplace(ctx); err != nil {
		return err
	}
	err := j.w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if j.target.Table, err = tx.TableByID(j.target.Table.ID); err != nil {
			return err
		}
		j.target.Set, err = tx.Partitions(j.target.Table.ID, 0)
		return err
	})
	if err != nil {
		return err
	}
	return j.prepare(ctx, files)
}

// decide keeps the plan and, for a write in place, settles the conflict with other writers: from here on the partitions are
// this transaction's until it ends.
func (j *Job) decide(ctx context.Context) error {
	if j.target.Marker && !j.plan.Marker {
		if err := j.readMarker(ctx); err != nil {
			return err
		}
	}
	data, err := encodePlan(j.plan)
	if err != nil {
		return err
	}
	to := catalog.TxnPrepared
	if j.plan.Layout == InPlace {
		to = catalog.TxnCommitting
	}
	touched := j.touched().encode()
	err = j.advance(ctx, to, func(tx catalog.WriteTx, next *catalog.Txn) error {
		next.Touched = touched
		if to == catalog.TxnCommitting {
			if err := j.mayCommit(tx); err != nil {
				return err
			}
		}
		return tx.SetTxnPlan(j.txn.ID, data)
	})
	if err != nil {
		if !j.txn.State.Finished() && j.txn.State != catalog.TxnCommitting {
			j.plan.HadMarker = false // it has not been touched, so there is nothing to put back
		}
		return err
	}
	j.w.point("planned")
	return nil
}

// mayCommit refuses when the table is not what the statement saw, or another writer was first.
func (j *Job) mayCommit(tx catalog.ReadTx) error {
	var now *catalog.Table
	// A table that the commit makes or replaces is under its name's own check.
	if j.target.Table != nil && j.create == nil {
		var err error
		if now, err = tx.TableByID(j.target.Table.ID); err != nil {
			return err
		}
		if !sameShape(now, j.target.Table) {
			return sqlerr.ConcurrentWriteConflict(j.target.Name, "the table was changed by another statement", nil)
		}
		if j.scope.IfNotExists {
			set, err := tx.Partitions(now.ID, 0)
			if err != nil {
				return err
			}
			if _, there := set.Find(j.scope.One); there && j.target.Registered {
				return sqlerr.ConcurrentWriteConflict(j.target.Name, "another writer made the partition", []string{partition.SpecText(j.target.Columns, j.scope.One)})
			}
		}
	}
	other, parts, err := j.conflict(tx, now)
	if err != nil {
		return err
	}
	if len(parts) > 0 {
		who := "another writer committed first"
		if other != "" {
			if err := stuckError(tx, other); err != nil {
				return err
			}
			who = "the transaction " + other + " writes there or committed first"
		}
		return sqlerr.ConcurrentWriteConflict(j.target.Name, who, parts)
	}
	return nil
}

// stuckError is the error for those whom a transaction keeps from writing, when it is stuck: running the statement once more,
// which is what a conflict asks for, would not help. It is nil for one that will end by itself.
func stuckError(tx catalog.ReadTx, id string) error {
	t, err := tx.Txn(id)
	if err != nil {
		return err
	}
	if t.State != catalog.TxnStuck {
		return nil
	}
	return sqlerr.TransactionStuck(t.ID, t.TableName, t.Reason)
}

// sameShape reports whether rows written for one definition of a table fit the other.
func sameShape(a, b *catalog.Table) bool {
	if a.Format != b.Format || a.Location != b.Location || a.Mode != b.Mode || len(a.Columns) != len(b.Columns) || len(a.Partition) != len(b.Partition) {
		return false
	}
	for i := range a.Columns {
		if a.Columns[i].Name != b.Columns[i].Name || !types.Equal(a.Columns[i].Type, b.Columns[i].Type) {
			return false
		}
	}
	return true
}

// forward carries the plan out from the state that the transaction is in. Every step may be repeated.
func (j *Job) forward(ctx context.Context) error {
	if j.txn.State == catalog.TxnPrepared || j.txn.State == catalog.TxnCommitting {
		err := j.put(ctx)
		if err != nil && j.halfway(ctx, err) {
			if err = j.put(ctx); err != nil {
				return j.getStuck(ctx, err)
			}
		}
		if err != nil {
			return err
		}
	}
	// The write has happened. What is left is tidying, which recovery repeats if it fails twice.
	err := j.finish(ctx)
	if err != nil && !isTaken(err) {
		err = j.finish(ctx)
	}
	return err
}

// put goes from the kept plan over the commit point.
func (j *Job) put(ctx context.Context) error {
	if err := j.publish(ctx); err != nil {
		return err
	}
	j.w.point("published")
	if err := j.flip(ctx); err != nil {
		return err
	}
	j.w.point("committed")
	return nil
}

// halfway reports whether a failure came when directories had been exchanged: programs that list them have seen the new ones,
// so the way is forward. Before that the write is undone like any other.
func (j *Job) halfway(ctx context.Context, err error) bool {
	if j.plan.Layout != InPlace || j.txn.Version > 0 || isTaken(err) || errors.Is(err, errMoved) {
		return false
	}
	for i := range j.plan.Parts {
		if p := &j.plan.Parts[i]; p.Swap {
			if done, lookErr := j.swapped(ctx, p); lookErr != nil || done {
				return true
			}
		}
	}
	return false
}

// getStuck leaves a commit that can neither go on nor may be undone by itself to a person.
func (j *Job) getStuck(ctx context.Context, err error) error {
	if isTaken(err) {
		return err
	}
	why := err.Error()
	stuckErr := j.advance(ctx, catalog.TxnStuck, func(_ catalog.WriteTx, next *catalog.Txn) error {
		next.Reason = why
		return nil
	})
	if stuckErr != nil {
		return errors.Join(err, stuckErr)
	}
	return j.stuck("%s", why)
}

// conflictError tells that storage shows what the plan does not explain.
type conflictError struct {
	where, why string
	gone       bool // the file is not where it was, nor where it should go
}

func isGone(err error) bool {
	var conflict *conflictError
	return errors.As(err, &conflict) && conflict.gone
}

func (e *conflictError) Error() string { return e.where + ": " + e.why }

// workers is how many files are placed at once.
func workers() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// each runs n pieces of work at once and returns the first failure.
func each(ctx context.Context, n int, work func(i int) error) error {
	var next, failed atomic.Int64
	var first error
	var once sync.Once
	var group sync.WaitGroup
	for range min(workers(), n) {
		group.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = work(i)
				}
				if err != nil {
					failed.Store(1)
					once.Do(func() { first = err })
				}
			}
		})
	}
	group.Wait()
	return first
}

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
	err := each(ctx, len(keys), func(i int) error {
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
	err := each(ctx, len(keys), func(i int) error {
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
	return each(ctx, total, func(n int) error {
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
	return each(ctx, len(list), func(i int) error {
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
	err := each(ctx, len(swaps), func(i int) (err error) {
		done[i], err = j.swapped(ctx, swaps[i])
		return err
	})
	if err != nil {
		return err
	}
	err = each(ctx, len(swaps), func(i int) error {
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
	err = each(ctx, len(swaps), func(i int) error {
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
