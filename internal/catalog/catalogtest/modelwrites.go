package catalogtest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

// The steps of the model that are about writes.

func (m *model) put() step {
	id := m.id()
	ch := &partition.Changes{}
	for range rapid.IntRange(1, 3).Draw(m.t, "puts") {
		ch.Put(partition.AddEntry{Values: m.values(), Content: partition.Content{
			Recorded: rapid.Bool().Draw(m.t, "recorded"), Filesets: rapid.SliceOfN(rapid.Int64Range(1, 3), 0, 2).Draw(m.t, "filesets"),
			Files: rapid.Int64Range(0, 5).Draw(m.t, "files"),
		}})
	}
	return step{"ApplyPartitions that put", func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(id)
		if err != nil {
			return err
		}
		return tx.ApplyPartitions(t, ch, catalog.Commit{Operation: "write"})
	}}
}

func (m *model) txnID() string { return txnID(rapid.IntRange(0, m.txns).Draw(m.t, "txn")) }

func (m *model) state(label string) catalog.TxnState {
	return rapid.SampledFrom([]catalog.TxnState{catalog.TxnWriting, catalog.TxnPrepared, catalog.TxnDone, catalog.TxnAborted}).Draw(m.t, label)
}

func (m *model) addTxn() step {
	if rapid.IntRange(0, 4).Draw(m.t, "new") > 0 {
		m.txns++
	}
	txn := newTxn(m.txns, rapid.SampledFrom(append([]catalog.ID{""}, m.ids...)).Draw(m.t, "table"), m.state("state"))
	return step{"AddTxn", func(tx catalog.WriteTx) error { return tx.AddTxn(txn.Clone()) }}
}

func (m *model) updateTxn() step {
	id, from, to := m.txnID(), m.state("from"), m.state("to")
	behind := m.stale()
	return step{"UpdateTxn", func(tx catalog.WriteTx) error {
		txn, err := tx.Txn(id)
		if err != nil {
			return err
		}
		txn.State, txn.Epoch, txn.Reason = to, txn.Epoch-behind, string(from)
		return tx.UpdateTxn(txn, from)
	}}
}

func (m *model) takeTxn() step {
	id, behind := m.txnID(), m.stale()
	return step{"TakeTxn", func(tx catalog.WriteTx) error {
		txn, err := tx.Txn(id)
		if err != nil {
			return err
		}
		txn.Epoch -= behind
		txn.Reason = "not written"
		return tx.TakeTxn(txn, "another")
	}}
}

func (m *model) planTxn() step {
	id, plan := m.txnID(), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(m.t, "plan")
	return step{"SetTxnPlan", func(tx catalog.WriteTx) error { return tx.SetTxnPlan(id, plan) }}
}

func (m *model) deleteTxn() step {
	id := m.txnID()
	return step{"DeleteTxn", func(tx catalog.WriteTx) error { return tx.DeleteTxn(id) }}
}

func (m *model) addFileset() step {
	id, txn, b := m.id(), m.txnID(), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(m.t, "bytes")
	return step{"AddFileset", func(tx catalog.WriteTx) error {
		_, err := tx.AddFileset(id, txn, b)
		return err
	}}
}

// deleteFileset deletes a table's first file set, by the number that the store gave it.
func (m *model) deleteFileset() step {
	id := m.id()
	return step{"DeleteFilesets", func(tx catalog.WriteTx) error {
		ids, err := tx.Filesets(id)
		if err != nil || len(ids) == 0 {
			return err
		}
		return tx.DeleteFilesets(id, ids[0])
	}}
}

// filesets are the bytes of a table's file sets, in the order of their numbers.
func filesets(tx catalog.ReadTx, table catalog.ID) ([][]byte, error) {
	ids, err := tx.Filesets(table)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, id := range ids {
		b, err := tx.Fileset(id)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func (m *model) retire() step {
	txn := m.txnID()
	if rapid.IntRange(0, 2).Draw(m.t, "delete") == 0 {
		return step{"DeleteRetired", func(tx catalog.WriteTx) error { return tx.DeleteRetired(txn) }}
	}
	r := catalog.Retired{Txn: txn, Table: m.id(), Location: m.location(), After: Start.Add(time.Hour), Files: []byte{1}}
	return step{"AddRetired", func(tx catalog.WriteTx) error { return tx.AddRetired(r) }}
}

func (m *model) load() step {
	id, txn := m.id(), m.txnID()
	var loads []catalog.Load
	for range rapid.IntRange(0, 3).Draw(m.t, "loads") {
		loads = append(loads, catalog.Load{
			Path: rapid.SampledFrom([]string{"a", "b", "ü"}).Draw(m.t, "path"), Size: rapid.Int64().Draw(m.t, "size"),
			ModTime: Start.Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(m.t, "modified"))), Txn: txn,
		})
	}
	return step{"AddLoads", func(tx catalog.WriteTx) error { return tx.AddLoads(id, loads) }}
}
