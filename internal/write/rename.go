package write

import (
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

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
