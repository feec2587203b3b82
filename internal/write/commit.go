package write

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// maxMoves is how often a commit starts its placing over because a partition that it appends to has moved.
const maxMoves = 8

// Commit makes the staged files part of the target: all of them or none. When it fails the transaction has been taken back,
// or is STUCK, which the error says. Canceling ctx ends it before its point of no return only.
func (j *Job) Commit(ctx context.Context, files []File) (Result, error) {
	j.ended = true
	res, err := j.commit(ctx, files)
	if err == nil {
		return res, nil
	}
	err = j.translate(err)
	if j.txn.State.Finished() || j.txn.State == catalog.TxnStuck || j.txn.Version > 0 {
		return res, err
	}
	if undoErr := j.undo(context.WithoutCancel(ctx), err.Error()); undoErr != nil {
		// The transaction stays as it is for recovery; the reason that the user can act on is the first one.
		return res, err
	}
	return res, err
}

func (j *Job) commit(ctx context.Context, files []File) (Result, error) {
	if err := j.prepare(ctx, files); err != nil {
		return Result{}, err
	}
	j.w.point("prepared")
	if j.idle() {
		j.plan.Result.Nothing = true
		return j.plan.Result, j.undo(ctx, "there was nothing to do")
	}
	if err := j.syncStaged(ctx); err != nil {
		return Result{}, err
	}
	j.w.point("staged")
	for range maxMoves {
		err := j.decide(ctx)
		if err != nil {
			return Result{}, err
		}
		// From here on what has begun is finished: a commit that is half placed helps nobody.
		ctx = context.WithoutCancel(ctx)
		if err := j.forward(ctx); !errors.Is(err, errMoved) {
			return j.plan.Result, err
		}
		if err := j.replace(ctx, files); err != nil {
			return Result{}, err
		}
	}
	return Result{}, sqlerr.ConcurrentWriteConflict(j.target.Name, "another writer kept moving the partition", nil)
}

// idle reports whether the plan changes nothing: a dynamic overwrite or an append without rows.
func (j *Job) idle() bool { return len(j.plan.Parts) == 0 && j.create == nil && len(j.plan.Loads) == 0 }

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
	if j.target.Marker {
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
	if err == nil {
		j.w.point("planned")
	}
	return err
}

// mayCommit refuses when the table is not what the statement saw, or another writer was first.
func (j *Job) mayCommit(tx catalog.ReadTx) error {
	if j.create != nil {
		return nil // the table is made by the commit itself, under its name's own check
	}
	var now *catalog.Table
	if j.target.Table != nil {
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
			who = "the transaction " + other + " writes there or committed first"
		}
		return sqlerr.ConcurrentWriteConflict(j.target.Name, who, parts)
	}
	return nil
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
		if err := j.publish(ctx); err != nil {
			return j.givesUp(ctx, err)
		}
		j.w.point("published")
		if err := j.flip(ctx); err != nil {
			return j.givesUp(ctx, err)
		}
		j.w.point("committed")
	}
	// The write has happened. What is left is tidying, which recovery repeats if it fails.
	return j.finish(ctx)
}

// givesUp decides about a commit that cannot go on: one that has exchanged directories is not undone by itself, since readers
// have seen the new ones.
func (j *Job) givesUp(ctx context.Context, err error) error {
	if errors.Is(err, errMoved) || j.plan.Layout != InPlace || !j.plan.swaps() {
		return err
	}
	var conflict *conflictError
	why := err.Error()
	if errors.As(err, &conflict) {
		why = conflict.Error()
	}
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
type conflictError struct{ where, why string }

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

// syncStaged makes the staged files durable before anything refers to them.
func (j *Job) syncStaged(ctx context.Context) error {
	var files []string
	for i := range j.plan.Parts {
		for _, f := range j.plan.Parts[i].New {
			files = append(files, f.Src)
		}
	}
	// The names in the staging need no sync: the files are renamed away, and until then nobody needs them after a crash.
	return j.bucket.Sync(ctx, files, nil)
}

// publish puts the staged files at their final names, in parallel, and makes the names durable.
func (j *Job) publish(ctx context.Context) error {
	if err := j.dropMarker(ctx); err != nil {
		return err
	}
	j.w.point("marker dropped")
	type move struct {
		part *part
		file *added
		dir  string
	}
	var moves []move
	dirs := map[string]bool{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		to := p.dir()
		if p.Swap {
			done, err := j.swapped(ctx, p)
			if err != nil {
				return err
			}
			if done {
				continue
			}
			to = p.away(j.txn.ID, swapDir)
		}
		if p.Action == actRemove {
			continue
		}
		key := to.DirKey()
		if !dirs[key] {
			if err := j.bucket.EnsureDir(ctx, key); err != nil {
				return err
			}
			dirs[key] = true
			j.w.point("directory made")
		}
		for k := range p.New {
			moves = append(moves, move{p, &p.New[k], key})
		}
	}
	err := each(ctx, len(moves), func(i int) error {
		m := moves[i]
		if j.w.Limit != nil {
			if err := j.w.Limit.Wait(ctx); err != nil {
				return err
			}
		}
		if err := j.moveFile(ctx, m.file.Src, m.dir+m.file.Name, m.file.object()); err != nil {
			return err
		}
		j.w.point("file published")
		return nil
	})
	if err != nil {
		return err
	}
	var names []string
	for d := range dirs {
		names = append(names, d)
	}
	if err := j.syncDirs(ctx, names); err != nil {
		return err
	}
	return j.exchange(ctx)
}

// maxMakes is how often a directory is made again that others remove.
const maxMakes = 20

// moveFile moves a file that may have been moved already.
func (j *Job) moveFile(ctx context.Context, src, dst string, want storage.Object) error {
	want.Key = src
	outcome, err := j.bucket.MoveFile(ctx, src, dst, want)
	for range maxMakes {
		if storage.KindOf(err) != storage.NotFound {
			break
		}
		// The directory is gone: another write that made it, too, was undone and found it empty.
		if err := j.bucket.EnsureDir(ctx, dst[:strings.LastIndexByte(dst, '/')+1]); err != nil {
			return err
		}
		outcome, err = j.bucket.MoveFile(ctx, src, dst, want)
	}
	if err != nil {
		return err
	}
	switch outcome {
	case storage.Done, storage.AlreadyDone:
		return nil
	case storage.Conflict:
		return &conflictError{dst, "another file is there"}
	default:
		return &conflictError{src, "the staged file is gone, and it is not at its final name either"}
	}
}

func (f *added) object() storage.Object {
	return storage.Object{Key: f.Src, Size: f.Size, ID: f.ID, ETag: f.ETag, ModTime: time.Unix(0, f.ModTime)}
}

func (f *old) object() storage.Object {
	return storage.Object{Key: f.Key, Size: f.Size, ID: f.ID, ETag: f.ETag, ModTime: time.Unix(0, f.ModTime)}
}

// syncDirs makes names in directories durable, and the directories' own names up to the root.
func (j *Job) syncDirs(ctx context.Context, keys []string) error {
	root := j.target.Root.DirKey()
	all := map[string]bool{}
	for _, k := range keys {
		for len(k) >= len(root) && !all[k] {
			all[k] = true
			if k == root || k == "" {
				break
			}
			k = k[:strings.LastIndexByte(strings.TrimSuffix(k, "/"), '/')+1]
		}
		all[k] = true
	}
	if parent := j.target.Root.Parent(); len(all) > 0 {
		all[parent.DirKey()] = true
	}
	list := make([]string, 0, len(all))
	for k := range all {
		list = append(list, k)
	}
	return j.bucket.Sync(ctx, nil, list)
}

// swapped reports whether a directory has been exchanged: the new files are where the old ones were.
func (j *Job) swapped(ctx context.Context, p *part) (bool, error) {
	return j.bucket.Exists(ctx, p.dir().DirKey()+p.New[0].Name)
}

// exchange swaps the complete new directories with the old ones.
func (j *Job) exchange(ctx context.Context) error {
	parents := map[string]bool{}
	for i := range j.plan.Parts {
		p := &j.plan.Parts[i]
		if !p.Swap {
			continue
		}
		done, err := j.swapped(ctx, p)
		if err != nil {
			return err
		}
		away := p.away(j.txn.ID, swapDir)
		if !done {
			if err := j.bucket.Exchange(ctx, away.DirKey(), p.dir().DirKey()); err != nil {
				if ok, lookErr := j.swapped(ctx, p); lookErr != nil || !ok {
					return err
				}
			}
			j.w.point("exchanged")
		}
		parents[away.Parent().DirKey()], parents[p.dir().Parent().DirKey()] = true, true
		if err := j.bringBack(ctx, p, away); err != nil {
			return err
		}
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

// bringBack returns files to a directory that arrived in it after the plan was made: nobody said that they should go.
func (j *Job) bringBack(ctx context.Context, p *part, away storage.Location) error {
	known := make(map[string]bool, len(p.Old))
	for _, f := range p.Old {
		known[f.Key[strings.LastIndexByte(f.Key, '/')+1:]] = true
	}
	var foreign []storage.Object
	key := away.DirKey()
	err := j.bucket.ReadDir(ctx, key, true, func(e *storage.Entry) error {
		if name := string(e.Name); !known[name] && e.Type == storage.FileEntry {
			foreign = append(foreign, storage.Object{Key: key + name, Size: e.Size, ModTime: e.ModTime, ID: e.ID})
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
		if _, err := j.bucket.MoveFile(ctx, f.Key, p.dir().DirKey()+f.Key[len(key):], f); err != nil {
			return err
		}
	}
	return nil
}
