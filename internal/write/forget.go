package write

import (
	"context"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

const (
	// keepEnded is how long the catalog remembers a transaction that has ended.
	keepEnded = 24 * time.Hour
	// forgetEvery is how often a process looks for older ones, and forgetMost how many it deletes then.
	forgetEvery = time.Hour
	forgetMost  = 1000
	// forgetFew are not worth reading what is retired.
	forgetFew = 32
)

// forget deletes the rows of transactions that ended long ago. Those stay that took out files which are still kept, and those
// that ended since a running one began: a table that keeps no log has nothing else to tell a conflict by. It is a courtesy:
// what fails now is done another time.
func (w *Writer) forget(ctx context.Context) {
	now := w.Now()
	w.mu.Lock()
	due := w.forgot.IsZero() || now.Sub(w.forgot) >= forgetEvery
	if due {
		w.forgot = now
	}
	w.mu.Unlock()
	if !due {
		return
	}
	var ids []string
	err := w.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		ids, err = ended(tx, now.Add(-keepEnded))
		return err
	})
	if err != nil || len(ids) == 0 {
		return
	}
	_ = w.Store.Write(ctx, func(tx catalog.WriteTx) error {
		for _, id := range ids {
			if err := ignoreNotFound(tx.DeleteTxn(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// ended lists transactions that ended before a time and that nothing needs any more.
func ended(tx catalog.ReadTx, before time.Time) ([]string, error) {
	all, err := tx.Txns("", true)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if (t.State == catalog.TxnWriting || t.State == catalog.TxnPrepared) && t.Began.Before(before) {
			before = t.Began
		}
	}
	var old []*catalog.Txn
	tables := map[catalog.ID]bool{}
	for _, t := range all {
		if t.State.Finished() && t.Changed.Before(before) && len(old) < forgetMost {
			old = append(old, t)
			tables[t.Table] = true
		}
	}
	if len(old) < forgetFew {
		return nil, nil
	}
	kept := map[string]bool{}
	for id := range tables {
		rows, err := tx.Retired(id)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			kept[rows[i].Txn] = true
		}
	}
	var ids []string
	for _, t := range old {
		if !kept[t.ID] {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}
