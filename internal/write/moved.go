package write

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
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
		if err := stuckError(tx, txns[0].ID); err != nil {
			return err
		}
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
		var moved []old
		err := decodeRetired(r.Files, func(files []old) error {
			for _, f := range files {
				if below, ok := strings.CutPrefix(f.Dir, from.DirKey()); ok {
					f.Dir = target.DirKey() + below
				}
				moved = append(moved, f)
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.Location = to
		if r.Files, err = encodeRetired(slices.Values(moved)); err != nil {
			return err
		}
		if err := tx.DeleteRetired(r.Txn); err != nil {
			return err
		}
		if err := tx.AddRetired(r); err != nil {
			return err
		}
	}
	return nil
}
