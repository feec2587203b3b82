package catalogtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// txnID is the id of the n-th transaction.
func txnID(n int) string { return fmt.Sprintf("01K6Z3V5H8QJ2M4N6P8R0S2T%02d", n) }

func newTxn(n int, table catalog.ID, state catalog.TxnState) *catalog.Txn {
	return &catalog.Txn{
		ID: txnID(n), Table: table, TableName: "c.s.t", Location: "file:/data/t", Operation: "INSERT", Statement: "INSERT INTO t …",
		Process: "host 1", State: state, BaseVersion: 1, Strategy: "in place", Touched: []byte{0, 1, 0xff},
	}
}

// puts is changes that record content.
func puts(content partition.Content, vs ...partition.Values) *partition.Changes {
	ch := &partition.Changes{}
	for _, v := range vs {
		ch.Put(partition.AddEntry{Values: v, Content: content})
	}
	return ch
}

func testTxns(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	states := []catalog.TxnState{
		catalog.TxnWriting, catalog.TxnPrepared, catalog.TxnCommitting, catalog.TxnCommitted, catalog.TxnDone,
		catalog.TxnAborting, catalog.TxnAborted, catalog.TxnStuck,
	}
	var all []*catalog.Txn
	write(t, s, func(tx catalog.WriteTx) error {
		for i, state := range states {
			txn := newTxn(i, f.table.ID, state)
			all = append(all, txn)
		}
		byPath := newTxn(len(all), "", catalog.TxnWriting)
		byPath.Touched, byPath.Began, byPath.Actor = nil, Start, "anna"
		other := newTxn(len(all)+1, "gone", catalog.TxnStuck)
		all = append(all, byPath, other)
		for i := range all { // ids order them, not the time of addition
			if err := tx.AddTxn(all[len(all)-1-i]); err != nil {
				return err
			}
		}
		wantErr(t, "adding one again", tx.AddTxn(newTxn(0, "", catalog.TxnWriting)), catalog.ErrExists)
		return nil
	})
	first := all[0]
	if first.Epoch != 1 || first.Actor != Actor || !first.Began.After(Start) || !first.Changed.Equal(first.Began) {
		t.Errorf("a new transaction: %+v", first)
	}
	if byPath := all[8]; byPath.Actor != "anna" || !byPath.Began.Equal(Start) {
		t.Errorf("what is given is kept: %+v", byPath)
	}
	unfinished := append(append(append([]*catalog.Txn{}, all[:4]...), all[5]), all[7:]...)
	read(t, s, func(tx catalog.ReadTx) error {
		for _, c := range []struct {
			table catalog.ID
			all   bool
			want  []*catalog.Txn
		}{
			{"", true, all},
			{"", false, unfinished},
			{f.table.ID, true, all[:8]},
			{f.table.ID, false, unfinished[:6]},
			{"gone", false, all[9:]},
			{"none", true, nil},
		} {
			got, err := tx.Txns(c.table, c.all)
			if err != nil {
				return err
			}
			diff(t, fmt.Sprintf("transactions of %q, all %v", c.table, c.all), got, c.want)
		}
		got, err := tx.Txn(first.ID)
		diff(t, "the transaction", got, first)
		return err
	})
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.Txn("none")
		wantErr(t, "Txn", err, catalog.ErrNotFound)
		_, _, err = tx.TxnOwned("none")
		wantErr(t, "TxnOwned", err, catalog.ErrNotFound)
		_, err = tx.TxnPlan(first.ID)
		wantErr(t, "TxnPlan of one without", err, catalog.ErrNotFound)
		return nil
	})
	for _, plan := range [][]byte{{1, 2, 0, 3}, {}, []byte("another")} {
		write(t, s, func(tx catalog.WriteTx) error { return tx.SetTxnPlan(first.ID, plan) })
		read(t, s, func(tx catalog.ReadTx) error {
			got, err := tx.TxnPlan(first.ID)
			diff(t, "the plan", got, plan)
			return err
		})
	}
	write(t, s, func(tx catalog.WriteTx) error {
		wantErr(t, "a plan of no transaction", tx.SetTxnPlan("none", nil), catalog.ErrNotFound)
		wantErr(t, "deleting what is not there", tx.DeleteTxn("none"), catalog.ErrNotFound)
		return tx.DeleteTxn(first.ID)
	})
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.Txn(first.ID)
		wantErr(t, "a deleted transaction", err, catalog.ErrNotFound)
		_, err = tx.TxnPlan(first.ID)
		wantErr(t, "its plan", err, catalog.ErrNotFound)
		return nil
	})
}

func testTxnUpdates(t *testing.T, s catalog.Store) {
	txn := newTxn(1, "some", catalog.TxnWriting)
	write(t, s, func(tx catalog.WriteTx) error { return tx.AddTxn(txn) })
	stored := func() (got *catalog.Txn) {
		t.Helper()
		read(t, s, func(tx catalog.ReadTx) (err error) {
			if got, err = tx.Txn(txn.ID); err != nil {
				return err
			}
			state, epoch, err := tx.TxnOwned(txn.ID)
			if state != got.State || epoch != got.Epoch {
				t.Errorf("TxnOwned tells %s at epoch %d, Txn %s at %d", state, epoch, got.State, got.Epoch)
			}
			return err
		})
		return got
	}
	before := txn.Clone()
	txn.State, txn.Version, txn.Reason, txn.Touched = catalog.TxnPrepared, 7, "because", []byte("x")
	write(t, s, func(tx catalog.WriteTx) error { return tx.UpdateTxn(txn, catalog.TxnWriting) })
	if !txn.Changed.After(before.Changed) {
		t.Errorf("Changed is %v, before %v", txn.Changed, before.Changed)
	}
	diff(t, "updated", stored(), txn)

	late := before.Clone()
	late.State = catalog.TxnAborting
	write(t, s, func(tx catalog.WriteTx) error {
		wantErr(t, "from a state that it has left", tx.UpdateTxn(late, catalog.TxnWriting), catalog.ErrTxnChanged)
		wantErr(t, "of no transaction", tx.UpdateTxn(newTxn(2, "", catalog.TxnDone), catalog.TxnWriting), catalog.ErrNotFound)
		return nil
	})
	diff(t, "not updated", stored(), txn)

	// Another process takes it over: what the first one still wants to do fails.
	first := txn.Clone()
	write(t, s, func(tx catalog.WriteTx) error { return tx.TakeTxn(txn, "host 2") })
	if txn.Epoch != 2 || txn.Process != "host 2" || !txn.Changed.After(first.Changed) {
		t.Errorf("taken: %+v", txn)
	}
	diff(t, "taken", stored(), txn)
	write(t, s, func(tx catalog.WriteTx) error {
		first.State = catalog.TxnCommitting
		wantErr(t, "an update by the first process", tx.UpdateTxn(first.Clone(), catalog.TxnPrepared), catalog.ErrTxnChanged)
		wantErr(t, "taking it twice", tx.TakeTxn(first.Clone(), "host 3"), catalog.ErrTxnChanged)
		wantErr(t, "taking none", tx.TakeTxn(newTxn(2, "", catalog.TxnDone), "host 3"), catalog.ErrNotFound)
		return nil
	})
	diff(t, "still", stored(), txn)
	txn.State = catalog.TxnCommitting
	write(t, s, func(tx catalog.WriteTx) error { return tx.UpdateTxn(txn, catalog.TxnPrepared) })
	diff(t, "updated by the second process", stored(), txn)
}

func testFilesets(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	other := newTable(f.schema.ID, "other")
	blobs := [][]byte{{0, 1, 2}, {}, []byte("three")}
	var ids []int64
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateTable(other); err != nil {
			return err
		}
		for _, b := range blobs {
			id, err := tx.AddFileset(f.table.ID, txnID(1), b)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		id, err := tx.AddFileset(other.ID, txnID(2), []byte("other"))
		ids = append(ids, id)
		_, none := tx.AddFileset("none", txnID(2), nil)
		wantErr(t, "a file set of no table", none, catalog.ErrNotFound)
		return err
	})
	read(t, s, func(tx catalog.ReadTx) error {
		for i, want := range blobs {
			got, err := tx.Fileset(ids[i])
			if err != nil {
				return err
			}
			diff(t, "a file set", got, want)
		}
		got, err := tx.Filesets(f.table.ID)
		diff(t, "file sets of the table", got, ids[:3])
		_, none := tx.Filesets("none")
		wantErr(t, "file sets of no table", none, catalog.ErrNotFound)
		_, none = tx.Fileset(ids[3] + 1)
		wantErr(t, "a number not given", none, catalog.ErrNotFound)
		return err
	})
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.DeleteFilesets(f.table.ID, ids[0], ids[2], ids[3], 12345) // one of another table, one that is not there
	})
	var later int64
	write(t, s, func(tx catalog.WriteTx) (err error) {
		if err := tx.DeleteFilesets(other.ID, ids[3]); err != nil {
			return err
		}
		later, err = tx.AddFileset(other.ID, txnID(3), nil)
		return err
	})
	if later <= ids[3] {
		t.Errorf("number %d is given again", later)
	}
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Filesets(f.table.ID)
		diff(t, "what is left", got, ids[1:2])
		_, gone := tx.Fileset(ids[0])
		wantErr(t, "a deleted one", gone, catalog.ErrNotFound)
		return err
	})
}

func testRetired(t *testing.T, s catalog.Store) {
	one := catalog.Retired{Txn: txnID(1), Table: "a", Location: "file:/data/t", At: Start, After: Start.Add(time.Hour), Files: []byte{0, 1}}
	two := catalog.Retired{Txn: txnID(2), Location: "file:/data/p", After: Start.Add(time.Minute)}
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.AddRetired(two); err != nil {
			return err
		}
		if err := tx.AddRetired(one); err != nil {
			return err
		}
		wantErr(t, "the same transaction again", tx.AddRetired(one), catalog.ErrExists)
		return nil
	})
	read(t, s, func(tx catalog.ReadTx) error {
		all, err := tx.Retired("")
		if err != nil {
			return err
		}
		if len(all) != 2 || !all[1].At.After(Start) {
			t.Fatalf("retired: %+v", all)
		}
		two.At = all[1].At
		diff(t, "all", all, []catalog.Retired{one, two})
		of, err := tx.Retired("a")
		diff(t, "of a table", of, []catalog.Retired{one})
		return err
	})
	write(t, s, func(tx catalog.WriteTx) error {
		wantErr(t, "deleting what is not there", tx.DeleteRetired(txnID(7)), catalog.ErrNotFound)
		return tx.DeleteRetired(one.Txn)
	})
	read(t, s, func(tx catalog.ReadTx) error {
		all, err := tx.Retired("")
		diff(t, "what is left", all, []catalog.Retired{two})
		return err
	})
}

func testLoads(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	at := Start.Add(123 * time.Nanosecond)
	first := []catalog.Load{
		{Path: "file:/in/b", Size: 2, ModTime: at, Txn: txnID(1)},
		{Path: "file:/in/a", Size: 1 << 40, Txn: txnID(1)},
	}
	again := catalog.Load{Path: "file:/in/b", Size: 3, ModTime: at.Add(1).In(time.FixedZone("", 3600)), Txn: txnID(2)}
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.AddLoads(f.table.ID, first); err != nil {
			return err
		}
		wantErr(t, "loads of no table", tx.AddLoads("none", first), catalog.ErrNotFound)
		wantErr(t, "no loads of no table", tx.AddLoads("none", nil), catalog.ErrNotFound)
		return tx.AddLoads(f.table.ID, []catalog.Load{again})
	})
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Loads(f.table.ID)
		diff(t, "loads", got, []catalog.Load{first[1], again})
		_, none := tx.Loads("none")
		wantErr(t, "loads of no table", none, catalog.ErrNotFound)
		return err
	})
	write(t, s, func(tx catalog.WriteTx) error {
		now, err := tx.TableByID(f.table.ID)
		if err != nil {
			return err
		}
		return tx.ReplaceTable(now, catalog.Commit{Operation: "REPLACE"})
	})
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Loads(f.table.ID)
		if len(got) != 0 {
			t.Errorf("a replaced table has loaded %v", got)
		}
		return err
	})
}

// testDeleteTableWithWrites: what is left to do on storage outlives the table.
func testDeleteTableWithWrites(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	var fileset int64
	running, done := newTxn(1, f.table.ID, catalog.TxnCommitted), newTxn(2, f.table.ID, catalog.TxnDone)
	write(t, s, func(tx catalog.WriteTx) (err error) {
		for _, txn := range []*catalog.Txn{running, done, newTxn(3, "", catalog.TxnDone)} {
			if err := tx.AddTxn(txn); err != nil {
				return err
			}
			if err := tx.SetTxnPlan(txn.ID, []byte("plan")); err != nil {
				return err
			}
		}
		if err := tx.AddRetired(catalog.Retired{Txn: done.ID, Table: f.table.ID}); err != nil {
			return err
		}
		if err := tx.AddLoads(f.table.ID, []catalog.Load{{Path: "file:/in/a"}}); err != nil {
			return err
		}
		fileset, err = tx.AddFileset(f.table.ID, done.ID, nil)
		return err
	})
	write(t, s, func(tx catalog.WriteTx) error { return tx.DeleteTable(f.table.ID) })
	again := newTable(f.schema.ID, "t")
	again.ID = f.table.ID
	write(t, s, func(tx catalog.WriteTx) error { return tx.CreateTable(again) })
	read(t, s, func(tx catalog.ReadTx) error {
		txns, err := tx.Txns("", true)
		if err != nil {
			return err
		}
		if len(txns) != 2 || txns[0].ID != running.ID || txns[1].Table != "" {
			t.Errorf("transactions: %+v", txns)
		}
		if _, err := tx.TxnPlan(running.ID); err != nil {
			t.Errorf("the plan of an unfinished transaction: %v", err)
		}
		_, err = tx.TxnPlan(done.ID)
		wantErr(t, "the plan of a finished one", err, catalog.ErrNotFound)
		_, err = tx.Fileset(fileset)
		wantErr(t, "a file set of the table", err, catalog.ErrNotFound)
		loads, err := tx.Loads(again.ID)
		if len(loads) != 0 || err != nil {
			t.Errorf("loads: %v, %v", loads, err)
		}
		retired, err := tx.Retired(again.ID)
		if len(retired) != 1 {
			t.Errorf("retired: %v", retired)
		}
		return err
	})
}

func testRecordedContent(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	apply := func(ch *partition.Changes) {
		t.Helper()
		write(t, s, func(tx catalog.WriteTx) error {
			return tx.ApplyPartitions(f.table, ch, catalog.Commit{Operation: "op"})
		})
	}
	apply(adds(values("a", 1), values("b", 1)))
	apply(puts(partition.Content{Recorded: true, Filesets: []int64{1}, Files: 2, Bytes: 300, Rows: 4}, values("a", 1), values("a", 2)))
	apply(puts(partition.Content{Recorded: true}, values("a", 2)))
	moved := &partition.Changes{}
	moved.Relocate(partition.RelocateEntry{Values: values("a", 1), Place: partition.Place{Location: "file:/x"}})
	apply(moved)
	renamed := &partition.Changes{}
	renamed.Rename(partition.RenameEntry{From: values("a", 2), To: values("a", 3)})
	err := s.Write(context.Background(), func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table.Clone(), renamed, catalog.Commit{})
	})
	wantErr(t, "renaming one with recorded content", err, partition.ErrRecorded)
	b := "dt=b/hh=1 at dt=b/hh=1 gen 2"
	v3 := []string{
		"dt=a/hh=1 at dt=a/hh=1 gen 3 files 2 bytes 300 rows 4 of [1]",
		"dt=a/hh=2 at dt=a/hh=2 gen 3 files 2 bytes 300 rows 4 of [1]", b,
	}
	empty := "dt=a/hh=2 at dt=a/hh=2 gen 4 files 0 bytes 0 rows 0 of []"
	diff(t, "version 3", partitions(t, s, f.table.ID, 3), v3)
	diff(t, "version 4", partitions(t, s, f.table.ID, 4), []string{v3[0], empty, b})
	diff(t, "now", partitions(t, s, f.table.ID, 0), []string{"dt=a/hh=1 at file:/x gen 5", empty, b})
	write(t, s, func(tx catalog.WriteTx) error {
		old, err := tx.Partitions(f.table.ID, 3)
		if err != nil {
			return err
		}
		return tx.ReplacePartitions(f.table, old, catalog.Commit{Operation: "restore"})
	})
	diff(t, "restored", partitions(t, s, f.table.ID, 0), v3)
	var counts []string
	read(t, s, func(tx catalog.ReadTx) error {
		rows, err := tx.History(f.table.ID, 0)
		for _, c := range rows {
			counts = append(counts, fmt.Sprintf("%d +%d -%d ~%d", c.Version, c.Added, c.Dropped, c.Changed))
		}
		return err
	})
	diff(t, "history", counts, []string{"6 +0 -0 ~2", "5 +0 -0 ~1", "4 +0 -0 ~1", "3 +1 -0 ~1", "2 +2 -0 ~0"})
}

// testManyRecorded goes over the size of one segment with content, and changes few and many of it.
func testManyRecorded(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	ch := &partition.Changes{}
	const days, hours = 1000, 24
	for d := range days {
		for h := range hours {
			ch.Put(partition.AddEntry{
				Values:  values(fmt.Sprintf("d%04d", d), int64(h)),
				Content: partition.Content{Recorded: true, Filesets: []int64{1}, Files: 1, Bytes: int64(d), Rows: int64(h)},
			})
		}
	}
	apply := func(ch *partition.Changes) {
		t.Helper()
		write(t, s, func(tx catalog.WriteTx) error { return tx.ApplyPartitions(f.table, ch, catalog.Commit{}) })
	}
	apply(ch)
	content := partition.Content{Recorded: true, Filesets: []int64{2}, Files: 10, Rows: 100}
	for i := range int64(20) {
		apply(puts(content, values("d0500", i)))
	}
	ch = &partition.Changes{}
	for d := range 20 {
		for h := range int64(hours) {
			ch.Put(partition.AddEntry{Values: values(fmt.Sprintf("d%04d", 900+d), h), Content: content})
		}
	}
	apply(ch)
	read(t, s, func(tx catalog.ReadTx) error {
		for at, replaced := range map[int64]int64{2: 0, 12: 10, 22: 20, 23: 500} {
			set, err := tx.Partitions(f.table.ID, at)
			if err != nil {
				return err
			}
			files, _, _, all := set.Totals(nil)
			if set.Len() != days*hours || files != days*hours+9*replaced || !all {
				t.Errorf("version %d: %d partitions, %d files, all %v", at, set.Len(), files, all)
			}
		}
		return nil
	})
}

// testDefinitionAndPartitions changes what a table is and what it holds in one transaction, as CREATE TABLE … AS SELECT does.
func testDefinitionAndPartitions(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	content := partition.Content{Recorded: true, Filesets: []int64{1}, Files: 1, Bytes: 2, Rows: 3}
	made := newTable(f.schema.ID, "made")
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateTable(made); err != nil {
			return err
		}
		if err := tx.AddCommit(made, catalog.Commit{Operation: "CREATE TABLE"}); err != nil {
			return err
		}
		return tx.ApplyPartitions(made, puts(content, values("a", 1)), catalog.Commit{Operation: "WRITE"})
	})
	v2 := []string{"dt=a/hh=1 at dt=a/hh=1 gen 2 files 1 bytes 2 rows 3 of [1]"}
	diff(t, "a new table", partitions(t, s, made.ID, 0), v2)

	// Replaced by one with other partition columns, then by one without.
	write(t, s, func(tx catalog.WriteTx) error {
		made.Columns, made.Partition = []types.Field{{Name: "v", Type: types.Of(types.BigInt)}, {Name: "n", Type: types.Of(types.Int)}}, []string{"n"}
		if err := tx.ReplaceTable(made, catalog.Commit{Operation: "REPLACE"}); err != nil {
			return err
		}
		return tx.ApplyPartitions(made, puts(content, partition.Values{int64(7)}, partition.Values{int64(5)}), catalog.Commit{Operation: "WRITE"})
	})
	v4 := []string{"n=5 at n=5 gen 4 files 1 bytes 2 rows 3 of [1]", "n=7 at n=7 gen 4 files 1 bytes 2 rows 3 of [1]"}
	diff(t, "other partitions", partitions(t, s, made.ID, 0), v4)
	write(t, s, func(tx catalog.WriteTx) error {
		made.Partition, made.Mode = nil, catalog.Unpartitioned
		if err := tx.ReplaceTable(made, catalog.Commit{Operation: "REPLACE"}); err != nil {
			return err
		}
		ch := &partition.Changes{}
		ch.Put(partition.AddEntry{Content: content, Place: partition.Place{Dirs: []string{"_tarn", "data", txnID(1)}}})
		return tx.ApplyPartitions(made, ch, catalog.Commit{Operation: "WRITE"})
	})
	write(t, s, func(tx catalog.WriteTx) error {
		content.Filesets = []int64{1, 2}
		return tx.ApplyPartitions(made, puts(content, nil), catalog.Commit{Operation: "APPEND"})
	})
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(made, drops(nil), catalog.Commit{Operation: "TRUNCATE"})
	})
	for at, want := range map[int64][]string{
		1: nil, 2: v2, 3: nil, 4: v4, 5: nil,
		6: {" at _tarn/data/" + txnID(1) + " gen 6 files 1 bytes 2 rows 3 of [1]"},
		7: {" at  gen 7 files 1 bytes 2 rows 3 of [1 2]"},
		8: nil, 0: nil,
	} {
		diff(t, fmt.Sprint("version ", at), partitions(t, s, made.ID, at), want)
	}
	var history []string
	read(t, s, func(tx catalog.ReadTx) error {
		rows, err := tx.History(made.ID, 0)
		for _, c := range rows {
			history = append(history, fmt.Sprintf("%d %s +%d -%d ~%d", c.Version, c.Operation, c.Added, c.Dropped, c.Changed))
		}
		return err
	})
	diff(t, "history", history, []string{
		"8 TRUNCATE +0 -1 ~0", "7 APPEND +0 -0 ~1", "6 WRITE +1 -0 ~0", "5 REPLACE +0 -2 ~0",
		"4 WRITE +2 -0 ~0", "3 REPLACE +0 -1 ~0", "2 WRITE +1 -0 ~0", "1 CREATE TABLE +0 -0 ~0",
	})
}
