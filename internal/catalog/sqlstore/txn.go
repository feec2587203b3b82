package sqlstore

import (
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
)

// txnColumns are the columns of txns, in the order of txnArgs and scanTxn.
const txnColumns = "id, table_id, table_name, location, operation, statement, actor, process, state, epoch, base_version, version, strategy, touched, reason, began, changed"

const (
	selectTxn = "SELECT " + txnColumns + " FROM txns "
	// unfinished is spelled as the condition of the index txns_unfinished is, so that queries use it.
	unfinished = "state NOT IN ('DONE', 'ABORTED')"
)

var (
	insertTxn = "INSERT INTO txns (" + txnColumns + ") VALUES (?" + strings.Repeat(", ?", strings.Count(txnColumns, ",")) + ")"
	updateTxn = "UPDATE txns SET " + strings.ReplaceAll(strings.TrimPrefix(txnColumns, "id, "), ",", " = ?,") +
		" = ? WHERE id = ? AND state = ? AND epoch = ?"
)

func txnArgs(t *catalog.Txn) []any {
	return []any{
		t.ID, string(t.Table), t.TableName, t.Location, t.Operation, t.Statement, t.Actor, t.Process, string(t.State), t.Epoch,
		t.BaseVersion, t.Version, t.Strategy, blob(t.Touched), t.Reason, toMicros(t.Began), toMicros(t.Changed),
	}
}

// blob is bytes to bind: nil would be NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func scanTxn(row scanner) (*catalog.Txn, error) {
	var t catalog.Txn
	var began, changed int64
	err := row.Scan(&t.ID, &t.Table, &t.TableName, &t.Location, &t.Operation, &t.Statement, &t.Actor, &t.Process, &t.State, &t.Epoch,
		&t.BaseVersion, &t.Version, &t.Strategy, &t.Touched, &t.Reason, &began, &changed)
	if err != nil {
		return nil, err
	}
	t.Began, t.Changed = fromMicros(began), fromMicros(changed)
	return &t, nil
}

func scanBlob(row scanner) (b []byte, err error) { return b, row.Scan(&b) }

func (tx *readTx) Txn(id string) (*catalog.Txn, error) {
	return one(tx, scanTxn, selectTxn+"WHERE id = ?", id)
}

func (tx *readTx) TxnOwned(id string) (catalog.TxnState, int64, error) {
	scan := func(row scanner) (*catalog.Txn, error) {
		var t catalog.Txn
		return &t, row.Scan(&t.State, &t.Epoch)
	}
	t, err := one(tx, scan, "SELECT state, epoch FROM txns WHERE id = ?", id)
	if err != nil {
		return "", 0, err
	}
	return t.State, t.Epoch, nil
}

func (tx *readTx) Txns(table catalog.ID, finished bool) ([]*catalog.Txn, error) {
	query, args := txnsQuery(table, finished)
	return all(tx, scanTxn, query, args...)
}

func txnsQuery(table catalog.ID, finished bool) (query string, args []any) {
	query = selectTxn
	switch {
	case table == "" && finished:
	case table == "":
		query += "WHERE " + unfinished
	case finished:
		query += "WHERE table_id = ?"
	default:
		// The plus keeps SQLite from going through all of the table's transactions: those of all tables that are unfinished are fewer.
		query += "WHERE +table_id = ? AND " + unfinished
	}
	if table != "" {
		args = []any{string(table)}
	}
	return query + " ORDER BY id", args
}

func (tx *readTx) TxnPlan(id string) ([]byte, error) {
	return one(tx, scanBlob, "SELECT bytes FROM txn_plans WHERE id = ?", id)
}

func (tx *writeTx) AddTxn(t *catalog.Txn) error {
	t.StampNew(tx.now, tx.st.actor)
	_, err := tx.exec(insertTxn, txnArgs(t)...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) UpdateTxn(t *catalog.Txn, from catalog.TxnState) error {
	next := t.Clone()
	next.StampChanged(tx.now)
	n, err := tx.exec(updateTxn, append(asUpdate(txnArgs(next)), string(from), t.Epoch)...)
	if err := tx.txnChanged(t.ID, n, err); err != nil {
		return err
	}
	t.Changed = next.Changed
	return nil
}

func (tx *writeTx) TakeTxn(t *catalog.Txn, process string) error {
	next := t.Clone()
	next.StampChanged(tx.now)
	n, err := tx.exec("UPDATE txns SET epoch = epoch + 1, process = ?, changed = ? WHERE id = ? AND epoch = ?",
		process, toMicros(next.Changed), t.ID, t.Epoch)
	if err := tx.txnChanged(t.ID, n, err); err != nil {
		return err
	}
	t.Epoch, t.Process, t.Changed = t.Epoch+1, process, next.Changed
	return nil
}

// txnChanged makes an update of a transaction that found no row what it means: there is none, or it is no longer as it was.
func (tx *writeTx) txnChanged(id string, n int64, err error) error {
	if err != nil || n > 0 {
		return err
	}
	if _, err := one(&tx.readTx, scanInt, "SELECT epoch FROM txns WHERE id = ?", id); err != nil {
		return err
	}
	return catalog.ErrTxnChanged
}

func (tx *writeTx) SetTxnPlan(id string, plan []byte) error {
	_, err := tx.exec("INSERT INTO txn_plans (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes", id, blob(plan))
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteTxn(id string) error {
	n, err := tx.exec("DELETE FROM txns WHERE id = ?", id)
	return changed(n, err, catalog.ErrNotEmpty)
}
