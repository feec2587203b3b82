package write

import (
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
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
