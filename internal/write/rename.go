package write

import (
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Moved prepares a table's directory for being moved as a whole, in the transaction that decides it: replaced files that wait
// for VACUUM move along. A write under way refuses it, since its files would be on both sides.
func Moved(tx catalog.WriteTx, t *catalog.Table, name, to string) error {
	txns, err := tx.Txns(t.ID, false)
	if err != nil {
		return err
	}
	if len(txns) > 0 {
		return sqlerr.ConcurrentWriteConflict(name, "the transaction "+txns[0].ID+" writes to the table", nil)
	}
	from, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return err
	}
	target, err := storage.ParseLocation(to, "")
	if err != nil {
		return err
	}
	rows, err := tx.Retired(t.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		list, err := decodeRetired(r.Files)
		if err != nil {
			return err
		}
		for i := range list {
			if below, ok := strings.CutPrefix(list[i].Key, from.DirKey()); ok {
				list[i].Key = target.DirKey() + below
			}
		}
		r.Location, r.Files = to, encodeRetired(list)
		if err := tx.DeleteRetired(r.Txn); err != nil {
			return err
		}
		if err := tx.AddRetired(r); err != nil {
			return err
		}
	}
	return nil
}

// Rename adds to ch what gives a partition whose files are recorded other values: its files stay where they are, and are recorded
// anew under the new values.
func Rename(tx catalog.WriteTx, t *catalog.Table, set *partition.Set, row int, to partition.Values, ch *partition.Changes) error {
	cols, from, content := set.Columns(), set.Values(row), set.Content(row)
	var ids []int64
	for _, id := range content.Filesets {
		data, err := tx.Fileset(id)
		if err != nil {
			return err
		}
		list, err := partition.DecodeFileset(cols, data)
		if err != nil {
			return err
		}
		part, ok := list.Of(from)
		if !ok {
			continue
		}
		part.Values = to
		moved, err := tx.AddFileset(t.ID, "", partition.EncodeFileset(cols, []partition.PartitionFiles{part}))
		if err != nil {
			return err
		}
		ids = append(ids, moved)
	}
	rel, _ := set.Path(row)
	e := partition.AddEntry{Values: to, Place: placeOf(set, row), Properties: set.Properties(row), Content: content}
	if rel != "" && e.Place.Location == "" {
		e.Place = partition.Place{Dirs: splitSpec(rel)}
	}
	e.Content.Filesets = ids
	ch.Drop(from)
	ch.Add(e)
	return nil
}
