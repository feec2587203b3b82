package memstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
)

// fileset is a stored file set.
type fileset struct {
	table catalog.ID
	bytes []byte
}

func (tx *readTx) Txn(id string) (*catalog.Txn, error) {
	if t, ok := tx.st.txns[id]; ok {
		return t.Clone(), nil
	}
	return nil, catalog.ErrNotFound
}

func (tx *readTx) TxnOwned(id string) (catalog.TxnState, int64, error) {
	if t, ok := tx.st.txns[id]; ok {
		return t.State, t.Epoch, nil
	}
	return "", 0, catalog.ErrNotFound
}

func (tx *readTx) Txns(table catalog.ID, all bool) ([]*catalog.Txn, error) {
	var out []*catalog.Txn
	for _, t := range tx.st.txns {
		if (table == "" || t.Table == table) && (all || !t.State.Finished()) {
			out = append(out, t.Clone())
		}
	}
	slices.SortFunc(out, func(a, b *catalog.Txn) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func (tx *readTx) TxnPlan(id string) ([]byte, error) {
	if plan, ok := tx.st.plans[id]; ok {
		return slices.Clone(plan), nil
	}
	return nil, catalog.ErrNotFound
}

func (tx *readTx) Fileset(id int64) ([]byte, error) {
	if f, ok := tx.st.filesets[id]; ok {
		return slices.Clone(f.bytes), nil
	}
	return nil, catalog.ErrNotFound
}

func (tx *readTx) Filesets(table catalog.ID) ([]int64, error) {
	if _, ok := tx.st.tables[table]; !ok {
		return nil, catalog.ErrNotFound
	}
	var out []int64
	for id, f := range tx.st.filesets {
		if f.table == table {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (tx *readTx) Retired(table catalog.ID) ([]catalog.Retired, error) {
	var out []catalog.Retired
	for _, r := range tx.st.retired {
		if table == "" || r.Table == table {
			out = append(out, r.Clone())
		}
	}
	slices.SortFunc(out, func(a, b catalog.Retired) int { return strings.Compare(a.Txn, b.Txn) })
	return out, nil
}

func (tx *readTx) Loads(table catalog.ID) ([]catalog.Load, error) {
	if _, ok := tx.st.tables[table]; !ok {
		return nil, catalog.ErrNotFound
	}
	return slices.Clone(tx.st.loads[table]), nil
}

func (tx *writeTx) AddTxn(t *catalog.Txn) error {
	if _, ok := tx.st.txns[t.ID]; ok {
		return catalog.ErrExists
	}
	t.StampNew(tx.now, tx.actor)
	tx.st.txns[t.ID] = t.Clone()
	return nil
}

// txnAt is a copy of the transaction with t's ID, provided that it has t's epoch.
func (tx *writeTx) txnAt(t *catalog.Txn) (*catalog.Txn, error) {
	old, err := tx.Txn(t.ID)
	if err == nil && old.Epoch != t.Epoch {
		return nil, catalog.ErrTxnChanged
	}
	return old, err
}

func (tx *writeTx) UpdateTxn(t *catalog.Txn, from catalog.TxnState) error {
	old, err := tx.txnAt(t)
	if err != nil {
		return err
	}
	if old.State != from {
		return catalog.ErrTxnChanged
	}
	t.StampChanged(tx.now)
	tx.st.txns[t.ID] = t.Clone()
	return nil
}

func (tx *writeTx) TakeTxn(t *catalog.Txn, process string) error {
	next, err := tx.txnAt(t)
	if err != nil {
		return err
	}
	next.Epoch++
	next.Process = process
	next.StampChanged(tx.now)
	tx.st.txns[t.ID] = next
	t.Epoch, t.Process, t.Changed = next.Epoch, next.Process, next.Changed
	return nil
}

func (tx *writeTx) SetTxnPlan(id string, plan []byte) error {
	if _, ok := tx.st.txns[id]; !ok {
		return catalog.ErrNotFound
	}
	tx.st.plans[id] = slices.Clone(plan)
	return nil
}

func (tx *writeTx) DeleteTxn(id string) error {
	if _, ok := tx.st.txns[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.txns, id)
	delete(tx.st.plans, id)
	return nil
}

func (tx *writeTx) AddFileset(table catalog.ID, _ string, b []byte) (int64, error) {
	if _, ok := tx.st.tables[table]; !ok {
		return 0, catalog.ErrNotFound
	}
	tx.st.lastFileset++
	tx.st.filesets[tx.st.lastFileset] = fileset{table, slices.Clone(b)}
	return tx.st.lastFileset, nil
}

func (tx *writeTx) DeleteFilesets(table catalog.ID, ids ...int64) error {
	for _, id := range ids {
		if tx.st.filesets[id].table == table {
			delete(tx.st.filesets, id)
		}
	}
	return nil
}

func (tx *writeTx) AddRetired(r catalog.Retired) error {
	if _, ok := tx.st.retired[r.Txn]; ok {
		return catalog.ErrExists
	}
	r = r.Clone()
	r.Stamp(tx.now)
	tx.st.retired[r.Txn] = r
	return nil
}

func (tx *writeTx) DeleteRetired(txn string) error {
	if _, ok := tx.st.retired[txn]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.retired, txn)
	return nil
}

func (tx *writeTx) AddLoads(table catalog.ID, loads []catalog.Load) error {
	if _, ok := tx.st.tables[table]; !ok {
		return catalog.ErrNotFound
	}
	byPath := map[string]catalog.Load{}
	for _, l := range slices.Concat(tx.st.loads[table], loads) {
		l.ModTime = l.ModTime.UTC()
		byPath[l.Path] = l
	}
	var out []catalog.Load
	for _, l := range byPath {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b catalog.Load) int { return cmp.Compare(a.Path, b.Path) })
	tx.st.loads[table] = out
	return nil
}

// forgetWrites deletes what belongs to a table that is deleted.
func (tx *writeTx) forgetWrites(table catalog.ID) {
	delete(tx.st.loads, table)
	for id, f := range tx.st.filesets {
		if f.table == table {
			delete(tx.st.filesets, id)
		}
	}
	for id, t := range tx.st.txns {
		if t.Table == table && t.State.Finished() {
			delete(tx.st.txns, id)
			delete(tx.st.plans, id)
		}
	}
}
