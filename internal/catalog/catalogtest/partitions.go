package catalogtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

func testVersions(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	if f.table.Version != 1 {
		t.Errorf("a new table has version %d", f.table.Version)
	}
	stale := f.table.Clone()
	write(t, s, func(tx catalog.WriteTx) error {
		f.table.Comment = "newer"
		return tx.UpdateTable(f.table)
	})
	if f.table.Version != 2 {
		t.Errorf("a changed table has version %d", f.table.Version)
	}
	write(t, s, func(tx catalog.WriteTx) error {
		wantErr(t, "UpdateTable", tx.UpdateTable(stale.Clone()), catalog.ErrVersionChanged)
		wantErr(t, "ApplyPartitions", tx.ApplyPartitions(stale.Clone(), adds(values("a", 1)), catalog.Commit{}), catalog.ErrVersionChanged)
		wantErr(t, "ReplacePartitions", tx.ReplacePartitions(stale.Clone(), partition.NewSet(stale.PartitionLayout()), catalog.Commit{}), catalog.ErrVersionChanged)
		return nil
	})
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{})
	})
	if f.table.Version != 3 {
		t.Errorf("after adding a partition: version %d", f.table.Version)
	}
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.TableByID(f.table.ID)
		diff(t, "the table", got, f.table)
		return err
	})
}

func testPartitions(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	apply := func(ch *partition.Changes, op string) {
		t.Helper()
		write(t, s, func(tx catalog.WriteTx) error { return tx.ApplyPartitions(f.table, ch, catalog.Commit{Operation: op}) })
	}
	apply(adds(values("b", 2), values("a", 10), values("a", 9)), "add")
	apply(drops(values("a", 10)), "drop")
	ch := adds(values("a b/c", 1))
	ch.Relocate(partition.RelocateEntry{Values: values("b", 2), Place: partition.Place{Location: "file:/elsewhere/b"}})
	apply(ch, "both")
	v2 := []string{"dt=a/hh=9 at dt=a/hh=9 gen 2", "dt=a/hh=10 at dt=a/hh=10 gen 2", "dt=b/hh=2 at dt=b/hh=2 gen 2"}
	v4 := []string{"dt=a/hh=9 at dt=a/hh=9 gen 2", "dt=a b%2Fc/hh=1 at dt=a b%2Fc/hh=1 gen 4", "dt=b/hh=2 at file:/elsewhere/b gen 4"}
	diff(t, "version 1", partitions(t, s, f.table.ID, 1), nil)
	diff(t, "version 2", partitions(t, s, f.table.ID, 2), v2)
	diff(t, "version 3", partitions(t, s, f.table.ID, 3), []string{v2[0], v2[2]})
	diff(t, "version 4", partitions(t, s, f.table.ID, 4), v4)
	diff(t, "now", partitions(t, s, f.table.ID, 0), v4)

	err := s.Write(context.Background(), func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table.Clone(), adds(values("a", 9)), catalog.Commit{})
	})
	wantErr(t, "adding what is there", err, partition.ErrExists)
	err = s.Write(context.Background(), func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table.Clone(), drops(values("zz", 9)), catalog.Commit{})
	})
	wantErr(t, "dropping what is not there", err, partition.ErrMissing)

	// Back to version 2.
	write(t, s, func(tx catalog.WriteTx) error {
		old, err := tx.Partitions(f.table.ID, 2)
		if err != nil {
			return err
		}
		return tx.ReplacePartitions(f.table, old, catalog.Commit{Operation: "restore"})
	})
	diff(t, "restored", partitions(t, s, f.table.ID, 0), v2)
	diff(t, "version 4 after that", partitions(t, s, f.table.ID, 4), v4)
	var counts []string
	read(t, s, func(tx catalog.ReadTx) error {
		rows, err := tx.History(f.table.ID, 0)
		for _, c := range rows {
			counts = append(counts, fmt.Sprintf("%d %s +%d -%d ~%d", c.Version, c.Operation, c.Added, c.Dropped, c.Changed))
		}
		return err
	})
	diff(t, "history", counts, []string{"5 restore +1 -1 ~1", "4 both +1 -0 ~1", "3 drop +0 -1 ~0", "2 add +3 -0 ~0"})
}

func testPartitionLayout(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{})
	})
	// A change that is none of the partition columns' names and types keeps the partitions.
	write(t, s, func(tx catalog.WriteTx) error {
		f.table.Columns[0].Name = "renamed"
		f.table.Columns[1].Comment = "a day"
		return tx.UpdateTable(f.table)
	})
	kept := []string{"dt=a/hh=1 at dt=a/hh=1 gen 2"}
	diff(t, "after a change of other columns", partitions(t, s, f.table.ID, 0), kept)
	// As CREATE OR REPLACE does.
	write(t, s, func(tx catalog.WriteTx) error {
		f.table.Columns = []types.Field{{Name: "day", Type: types.Of(types.Date)}}
		f.table.Partition = []string{"day"}
		return tx.UpdateTable(f.table)
	})
	diff(t, "after a change of partition columns", partitions(t, s, f.table.ID, 0), nil)
	diff(t, "the version before", partitions(t, s, f.table.ID, 3), kept)
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(partition.Values{int64(20000)}), catalog.Commit{})
	})
	diff(t, "new partitions", partitions(t, s, f.table.ID, 0), []string{"day=2024-10-04 at day=2024-10-04 gen 5"})
	read(t, s, func(tx catalog.ReadTx) error {
		set, err := tx.Partitions(f.table.ID, 3)
		if err != nil {
			return err
		}
		diff(t, "columns of the version before", set.Columns(), []partition.Column{{Name: "dt", Type: types.Of(types.String)}, {Name: "hh", Type: types.Of(types.Int)}})
		return nil
	})
	wrong := partition.NewSet([]partition.Column{{Name: "dt", Type: types.Of(types.String)}})
	if err := s.Write(context.Background(), func(tx catalog.WriteTx) error {
		return tx.ReplacePartitions(f.table.Clone(), wrong, catalog.Commit{})
	}); err == nil {
		t.Error("a set with other columns was accepted")
	}
}

// testManyPartitions goes over the size of one segment, and changes a few of many.
func testManyPartitions(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	const days, hours = 2000, 24
	ch := &partition.Changes{}
	for d := range days {
		for h := range hours {
			ch.Add(partition.AddEntry{Values: values(fmt.Sprintf("d%04d", d), int64(h))})
		}
	}
	write(t, s, func(tx catalog.WriteTx) error { return tx.ApplyPartitions(f.table, ch, catalog.Commit{}) })
	for i := range int64(40) {
		ch := drops(values(fmt.Sprintf("d%04d", i*40), i%hours))
		ch.Add(partition.AddEntry{Values: values(fmt.Sprintf("d%04d", i*40), 100+i)})
		write(t, s, func(tx catalog.WriteTx) error { return tx.ApplyPartitions(f.table, ch, catalog.Commit{}) })
	}
	for _, at := range []int64{2, 3, 20, 42} {
		read(t, s, func(tx catalog.ReadTx) error {
			set, err := tx.Partitions(f.table.ID, at)
			if err != nil {
				return err
			}
			if set.Len() != days*hours {
				t.Fatalf("version %d has %d partitions", at, set.Len())
			}
			for i := range int64(40) {
				_, old := set.Find(values(fmt.Sprintf("d%04d", i*40), i%hours))
				_, added := set.Find(values(fmt.Sprintf("d%04d", i*40), 100+i))
				if done := i < at-2; old == done || added != done {
					t.Errorf("version %d, change %d: the dropped one is there: %v, the added one: %v", at, i, old, added)
				}
			}
			return nil
		})
	}
	// An empty table and a full one again.
	var all *partition.Set
	write(t, s, func(tx catalog.WriteTx) (err error) {
		if all, err = tx.Partitions(f.table.ID, 0); err != nil {
			return err
		}
		if err := tx.ReplacePartitions(f.table, partition.NewSet(f.table.PartitionLayout()), catalog.Commit{}); err != nil {
			return err
		}
		return tx.ReplacePartitions(f.table, all, catalog.Commit{})
	})
	read(t, s, func(tx catalog.ReadTx) error {
		for at, want := range map[int64]int{42: days * hours, 43: 0, 44: days * hours} {
			set, err := tx.Partitions(f.table.ID, at)
			if err != nil {
				return err
			}
			if set.Len() != want {
				t.Errorf("version %d has %d partitions, want %d", at, set.Len(), want)
			}
		}
		return nil
	})
}

func testDeleteTable(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{})
	})
	write(t, s, func(tx catalog.WriteTx) error { return tx.DeleteTable(f.table.ID) })
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.Partitions(f.table.ID, 0)
		wantErr(t, "partitions of a dropped table", err, catalog.ErrNotFound)
		_, err = tx.History(f.table.ID, 0)
		wantErr(t, "history of a dropped table", err, catalog.ErrNotFound)
		return nil
	})
	// The name is free, even with the old id: nothing of the old table shows.
	again := newTable(f.schema.ID, "t")
	again.ID = f.table.ID
	write(t, s, func(tx catalog.WriteTx) error { return tx.CreateTable(again) })
	diff(t, "partitions of the new table", partitions(t, s, again.ID, 0), nil)
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(again, adds(values("b", 1)), catalog.Commit{})
	})
	diff(t, "partitions added to it", partitions(t, s, again.ID, 2), []string{"dt=b/hh=1 at dt=b/hh=1 gen 2"})
	read(t, s, func(tx catalog.ReadTx) error {
		rows, err := tx.History(again.ID, 0)
		if len(rows) != 1 {
			t.Errorf("history of the new table: %v", rows)
		}
		return err
	})
}
