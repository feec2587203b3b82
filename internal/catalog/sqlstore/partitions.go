package sqlstore

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// open is the to_version of a segment that is valid until further notice.
const open = math.MaxInt64

// snapshot is the row that says since when a table has the partitions it has at some version.
type snapshot struct {
	current int64 // version of the table now
	id      int64
	version int64 // the version that made these partitions
	rows    int64
	columns string
}

func (tx *readTx) Partitions(table catalog.ID, at int64) (*partition.Set, error) {
	if at < 0 {
		return nil, catalog.ErrNotFound
	}
	snap, err := one(tx, func(row scanner) (s snapshot, err error) {
		return s, row.Scan(&s.current, &s.id, &s.version, &s.rows, &s.columns)
	}, `SELECT t.version, s.id, s.version, s.rows, s.columns FROM tables t JOIN snapshots s ON s.table_id = t.id
		WHERE t.id = ?1 AND s.version <= CASE ?2 WHEN 0 THEN t.version ELSE ?2 END ORDER BY s.version DESC LIMIT 1`, string(table), at)
	if err != nil {
		return nil, err
	}
	if at > snap.current {
		return nil, catalog.ErrNotFound
	}
	if c, ok := tx.fresh[snap.id]; ok {
		return c.set, nil
	}
	if set := tx.st.sets.get(snap.id); set != nil {
		return set, nil
	}
	set, err := tx.load(table, snap)
	if err != nil {
		return nil, err
	}
	tx.st.sets.put(snap.id, weigh(set))
	return set, nil
}

// loadSQL reads the segments of a table that are valid at a version: those of the base in the order of their partitions,
// then the deltas in the order they were written.
const loadSQL = `SELECT d.bytes FROM segments s JOIN segment_data d ON d.id = s.id
	WHERE s.table_id = ?1 AND s.to_version > ?2 AND s.from_version <= ?2 ORDER BY s.delta, s.first, s.id`

// load reads the segments that are valid at a snapshot.
func (tx *readTx) load(table catalog.ID, snap snapshot) (*partition.Set, error) {
	fields, err := decodeColumns(snap.columns)
	if err != nil {
		return nil, err
	}
	cols := make([]partition.Column, len(fields))
	for i, f := range fields {
		cols[i] = partition.Column{Name: f.Name, Type: f.Type}
	}
	segments, err := all(tx, func(row scanner) (b []byte, err error) { return b, row.Scan(&b) }, loadSQL, string(table), snap.version)
	if err != nil {
		return nil, err
	}
	set, err := partition.Load(cols, segments)
	if err != nil {
		return nil, fmt.Errorf("partitions of table %s at version %d: %w", table, snap.version, err)
	}
	if int64(set.Len()) != snap.rows {
		return nil, fmt.Errorf("%w: table %s has %d partitions at version %d, its segments hold %d",
			errDamaged, table, snap.rows, snap.version, set.Len())
	}
	return set, nil
}

// live lists the segments that are valid now, in the order of load.
func (tx *readTx) live(table catalog.ID) ([]partition.SegmentInfo, error) {
	return all(tx, func(row scanner) (partition.SegmentInfo, error) {
		var s partition.SegmentInfo
		var zones []byte
		err := row.Scan(&s.ID, &s.Delta, &s.Version, &s.Rows, &s.First, &zones)
		if err == nil {
			s.Zones, err = decodeZones(zones)
		}
		return s, err
	}, `SELECT id, delta, written, rows, first, zones FROM segments WHERE table_id = ? AND to_version = ? ORDER BY delta, first, id`, string(table), int64(open))
}

func (tx *writeTx) ApplyPartitions(t *catalog.Table, ch *partition.Changes, c catalog.Commit) error {
	old, err := tx.current(t)
	if err != nil {
		return err
	}
	before, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return err
	}
	version := old.Version + 1
	after, err := before.Apply(ch, version)
	if err != nil {
		return err
	}
	live, err := tx.live(t.ID)
	if err != nil {
		return err
	}
	retire, add := partition.Rewrite(live, before, after, ch, version)
	if err := tx.retire(retire, version); err != nil {
		return err
	}
	added, dropped, changed := ch.Counts(before)
	c.Added, c.Dropped, c.Changed = int64(added), int64(dropped), int64(changed)
	return tx.commitPartitions(t, version, after, add, c)
}

func (tx *writeTx) ReplacePartitions(t *catalog.Table, set *partition.Set, c catalog.Commit) error {
	old, err := tx.current(t)
	if err != nil {
		return err
	}
	if !catalog.SameLayout(old.PartitionLayout(), set.Columns()) {
		return fmt.Errorf("replacing the partitions of table %s: the set has other partition columns", old.Name)
	}
	before, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return err
	}
	version := old.Version + 1
	if err := tx.retireAll(t.ID, version); err != nil {
		return err
	}
	c.Added, c.Dropped, c.Changed = catalog.CountChanges(before, set)
	return tx.commitPartitions(t, version, set, partition.EncodeSegments(set), c)
}

// commitPartitions makes set, whose new segments are add, the partitions of t from the version on.
func (tx *writeTx) commitPartitions(t *catalog.Table, version int64, set *partition.Set, add []partition.EncodedSegment, c catalog.Commit) error {
	for _, s := range add {
		first := s.Info.First
		if first == nil {
			first = []byte{} // bound as an empty blob, where nil would be NULL
		}
		id, err := tx.insert("INSERT INTO segments (table_id, from_version, to_version, delta, written, rows, first, zones) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			string(t.ID), version, int64(open), s.Info.Delta, s.Info.Version, s.Info.Rows, first, encodeZones(s.Info.Zones))
		if err != nil {
			return err
		}
		if _, err := tx.exec("INSERT INTO segment_data (id, bytes) VALUES (?, ?)", id, s.Bytes); err != nil {
			return err
		}
	}
	if err := tx.addSnapshot(t.ID, version, set); err != nil {
		return err
	}
	if err := tx.addHistory(t.ID, version, c); err != nil {
		return err
	}
	sec := t.Securable
	sec.StampChanged(tx.now, tx.st.actor)
	n, err := tx.exec("UPDATE tables SET version = ?, updated_at = ?, updated_by = ? WHERE id = ?",
		version, toMicros(sec.UpdatedAt), sec.UpdatedBy, string(t.ID))
	if err := changed(n, err, catalog.ErrNotFound); err != nil {
		return err
	}
	t.Version, t.UpdatedAt, t.UpdatedBy = version, sec.UpdatedAt, sec.UpdatedBy
	return nil
}

// retire ends the validity of segments with a version: they stay readable at the versions before.
func (tx *writeTx) retire(ids []int64, version int64) error {
	if len(ids) == 0 {
		return nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = tx.exec("UPDATE segments SET to_version = ? WHERE id IN (SELECT value FROM json_each(?))", version, string(list))
	return err
}

// retireAll ends the validity of all segments of a table.
func (tx *writeTx) retireAll(table catalog.ID, version int64) error {
	_, err := tx.exec("UPDATE segments SET to_version = ? WHERE table_id = ? AND to_version = ?", version, string(table), int64(open))
	return err
}

// addSnapshot notes that a table has the partitions of set from a version on.
func (tx *writeTx) addSnapshot(table catalog.ID, version int64, set *partition.Set) error {
	fields := make([]types.Field, len(set.Columns()))
	for i, c := range set.Columns() {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	columns, err := encodeColumns(fields)
	if err != nil {
		return err
	}
	id, err := tx.insert("INSERT INTO snapshots (table_id, version, columns, rows) VALUES (?, ?, ?, ?)",
		string(table), version, columns, set.Len())
	if err != nil {
		return err
	}
	tx.fresh[id] = weigh(set)
	return nil
}
