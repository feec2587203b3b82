package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Outcome is what recovery did, or would do, with one transaction.
type Outcome struct {
	Txn *catalog.Txn
	// Did says it in a word: undone, finished, stuck, alive, left.
	Did string
	// Err is why it was left.
	Err error
}

// Recover undoes or finishes the transactions of processes that are gone, and those of this process that no job holds any
// more. What belongs to a living process is left alone. With dry nothing is changed.
func (w *Writer) Recover(ctx context.Context, dry bool) ([]Outcome, error) {
	var txns []*catalog.Txn
	err := w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		txns, err = tx.Txns("", false)
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, t := range txns {
		o := Outcome{Txn: t}
		runs, err := w.runs(t)
		switch {
		case err != nil:
			o.Did, o.Err = "left", err
		case t.State == catalog.TxnStuck:
			o.Did = "stuck"
		case runs:
			o.Did = "alive"
		case dry:
			o.Did, o.Err = w.wouldDo(ctx, t)
		default:
			o.Did, o.Err = w.settle(ctx, t, settleDefault)
		}
		if isTaken(o.Err) {
			continue // another process was quicker
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out = append(out, o)
	}
	if !dry {
		w.forget(ctx)
	}
	return out, nil
}

// direction is which way a transaction is settled.
type direction int

const (
	settleDefault direction = iota
	settleForward
	settleBack
	settleAccept
)

// Settle ends one transaction the way a person says: forward (finish it), back (undo it), accept (take the files as they
// are now: forget the transaction).
func (w *Writer) Settle(ctx context.Context, id, way string) (Outcome, error) {
	dirs := map[string]direction{"forward": settleForward, "back": settleBack, "accept": settleAccept, "": settleDefault}
	var t *catalog.Txn
	err := w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		t, err = tx.Txn(id)
		return err
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return Outcome{}, sqlerr.TransactionNotFound(id)
	}
	if err != nil {
		return Outcome{}, err
	}
	if t.State.Finished() {
		return Outcome{Txn: t, Did: "ended before"}, nil
	}
	runs, err := w.runs(t)
	if err != nil {
		return Outcome{}, err
	}
	if runs && t.State != catalog.TxnStuck {
		return Outcome{}, sqlerr.TransactionRunning(id, t.Process)
	}
	did, err := w.settle(ctx, t, dirs[way])
	return Outcome{Txn: t, Did: did, Err: err}, err
}

// wouldDo says what settle would do.
func (w *Writer) wouldDo(ctx context.Context, t *catalog.Txn) (string, error) {
	j, err := w.resume(ctx, t)
	if err != nil {
		return "left", err
	}
	if j.goesForward() {
		return "would be finished", nil
	}
	return "would be undone", nil
}

// goesForward reports whether a transaction is finished rather than undone.
func (j *Job) goesForward() bool {
	switch j.txn.State {
	case catalog.TxnCommitted:
		return true
	case catalog.TxnCommitting:
		return j.plan.swaps()
	case catalog.TxnStuck:
		return j.txn.Version > 0
	}
	return false
}

// canGoForward reports whether a person may have a transaction finished: it has to have settled its conflicts with others, and
// nothing of it may have been taken back.
func (j *Job) canGoForward() bool {
	switch j.txn.State {
	case catalog.TxnCommitted:
		return true
	case catalog.TxnCommitting, catalog.TxnStuck:
		return j.txn.Version > 0 || !j.plan.Creates && j.plan.Layout == InPlace
	}
	return false
}

// settle takes a transaction over and ends it.
func (w *Writer) settle(ctx context.Context, t *catalog.Txn, way direction) (string, error) {
	// Taking it over makes every later step of its former owner fail.
	process, err := w.Processes.Name()
	if err != nil {
		return "left", err
	}
	w.hold(t.ID)
	defer w.release(t.ID)
	err = w.Store.Write(ctx, func(tx catalog.WriteTx) error { return tx.TakeTxn(t, process) })
	if err != nil {
		return "left", err
	}
	j, err := w.resume(ctx, t)
	if err != nil {
		return "left", err
	}
	committed := t.Version > 0
	switch {
	case way == settleAccept:
		return "accepted", j.accept(ctx)
	case way == settleForward && !j.canGoForward():
		return "left", sqlerr.TransactionStuck(t.ID, t.TableName, "it had not decided to commit, so it can only go back")
	case way == settleBack && committed:
		return "left", sqlerr.TransactionStuck(t.ID, t.TableName, "it has committed, so it can only go forward; to get the old rows back, see what it replaced in the trash")
	case way == settleBack, way == settleDefault && !j.goesForward():
		if t.State == catalog.TxnStuck {
			if err := j.advance(ctx, catalog.TxnAborting, nil); err != nil {
				return "left", err
			}
		}
		if err := j.undo(ctx, "undone by recovery"); err != nil {
			return "left", err
		}
		return "undone", nil
	}
	if t.State == catalog.TxnStuck {
		to := catalog.TxnCommitting
		if committed {
			to = catalog.TxnCommitted
		}
		if err := j.advance(ctx, to, nil); err != nil {
			return "left", err
		}
	}
	if err := j.forward(ctx); err != nil {
		var conflict *conflictError
		switch {
		case j.txn.State == catalog.TxnStuck:
			return "stuck", err
		case way == settleDefault && j.txn.Version == 0 && errors.As(err, &conflict):
			// It cannot go on, now or later, and nobody has seen anything of it yet.
			if undoErr := j.undo(ctx, "undone by recovery: "+conflict.Error()); undoErr != nil {
				return "left", undoErr
			}
			return "undone", nil
		}
		return "left", err
	}
	return "finished", nil
}

// accept ends a transaction without touching a file: what lies at final names counts from now on, what does not is left to
// VACUUM.
func (j *Job) accept(ctx context.Context) error {
	to := catalog.TxnDone
	if j.txn.Version == 0 {
		to = catalog.TxnAborted
	}
	return j.advance(ctx, to, func(_ catalog.WriteTx, next *catalog.Txn) error {
		next.Reason = "accepted as it is"
		return nil
	})
}

// resume makes a Job of a transaction that is in the catalog.
func (w *Writer) resume(ctx context.Context, t *catalog.Txn) (*Job, error) {
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, err
	}
	bucket, _, err := w.Stores.Open(root)
	if err != nil {
		return nil, err
	}
	j := &Job{w: w, txn: t, bucket: bucket, ended: true, target: Target{Name: t.TableName, Root: root, Layout: Layout(t.Strategy)}}
	j.plan = &plan{Layout: j.target.Layout, Root: t.Location}
	var data []byte
	err = w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		if t.Table != "" {
			table, err := tx.TableByID(t.Table)
			if err := ignoreNotFound(err); err != nil {
				return err
			}
			j.target.Table = table
			if table != nil {
				j.target.Columns = table.PartitionLayout()
			}
		}
		var err error
		data, err = tx.TxnPlan(t.ID)
		return ignoreNotFound(err)
	})
	if err != nil {
		return nil, err
	}
	if data == nil {
		if t.State == catalog.TxnCommitting || t.State == catalog.TxnCommitted {
			return nil, fmt.Errorf("transaction %s has no plan", t.ID)
		}
		return j, nil
	}
	if j.plan, err = decodePlan(data); err != nil {
		return nil, err
	}
	j.target.Layout, j.target.Registered = j.plan.Layout, j.plan.Registered
	j.scope.Kind = j.plan.Kind
	if j.stage, err = storage.ParseLocation(j.plan.Staging, ""); err != nil {
		return nil, err
	}
	return j, nil
}
