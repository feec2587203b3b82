package sqlstore

import (
	"encoding/json"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

func (tx *readTx) Fileset(id int64) ([]byte, error) {
	return one(tx, scanBlob, "SELECT bytes FROM filesets WHERE id = ?", id)
}

func (tx *readTx) Filesets(table catalog.ID) ([]int64, error) {
	if _, err := tx.version(table); err != nil {
		return nil, err
	}
	return all(tx, scanInt, "SELECT id FROM filesets WHERE table_id = ? ORDER BY id", string(table))
}

func (tx *writeTx) AddFileset(table catalog.ID, txn string, b []byte) (int64, error) {
	id, err := tx.insert("INSERT INTO filesets (table_id, txn, bytes) VALUES (?, ?, ?)", string(table), txn, blob(b))
	return id, constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteFilesets(table catalog.ID, ids ...int64) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = tx.exec("DELETE FROM filesets WHERE id IN (SELECT value FROM json_each(?)) AND table_id = ?", string(list), string(table))
	return err
}

func (tx *readTx) Retired(table catalog.ID) ([]catalog.Retired, error) {
	const query = "SELECT txn, table_id, location, at, after, files FROM retired "
	if table == "" {
		return all(tx, scanRetired, query+"ORDER BY txn")
	}
	return all(tx, scanRetired, query+"WHERE table_id = ? ORDER BY txn", string(table))
}

func scanRetired(row scanner) (catalog.Retired, error) {
	var r catalog.Retired
	var at, after int64
	err := row.Scan(&r.Txn, &r.Table, &r.Location, &at, &after, &r.Files)
	r.At, r.After = fromMicros(at), fromMicros(after)
	return r, err
}

func (tx *writeTx) AddRetired(r catalog.Retired) error {
	r.Stamp(tx.now)
	_, err := tx.exec("INSERT INTO retired (txn, table_id, location, at, after, files) VALUES (?, ?, ?, ?, ?, ?)",
		r.Txn, string(r.Table), r.Location, toMicros(r.At), toMicros(r.After), blob(r.Files))
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteRetired(txn string) error {
	n, err := tx.exec("DELETE FROM retired WHERE txn = ?", txn)
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *readTx) Loads(table catalog.ID) ([]catalog.Load, error) {
	if _, err := tx.version(table); err != nil {
		return nil, err
	}
	return all(tx, scanLoad, "SELECT path, size, mod_time, txn FROM loads WHERE table_id = ? ORDER BY path", string(table))
}

func scanLoad(row scanner) (catalog.Load, error) {
	var l catalog.Load
	var nanos *int64
	err := row.Scan(&l.Path, &l.Size, &nanos, &l.Txn)
	if nanos != nil {
		l.ModTime = time.Unix(0, *nanos).UTC()
	}
	return l, err
}

func (tx *writeTx) AddLoads(table catalog.ID, loads []catalog.Load) error {
	if _, err := tx.version(table); err != nil {
		return err
	}
	for _, l := range loads {
		var nanos any // NULL when unknown
		if !l.ModTime.IsZero() {
			nanos = l.ModTime.UnixNano()
		}
		_, err := tx.exec("INSERT OR REPLACE INTO loads (table_id, path, size, mod_time, txn) VALUES (?, ?, ?, ?, ?)",
			string(table), l.Path, l.Size, nanos, l.Txn)
		if err != nil {
			return err
		}
	}
	return nil
}
