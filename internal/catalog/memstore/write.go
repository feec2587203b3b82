package memstore

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

type writeTx struct {
	readTx
	now   time.Time
	actor string
}

// create adds a securable to those of its kind. found is what looking for its name said: nil when the name is taken.
func create[T interface{ Clone() T }](tx *writeTx, all map[catalog.ID]T, v T, s *catalog.Securable, found error) error {
	if _, ok := all[s.ID]; ok || found == nil {
		return catalog.ErrExists
	}
	s.StampNew(tx.now, tx.actor)
	all[s.ID] = v.Clone()
	return nil
}

// remove deletes a securable that nothing else belongs to.
func remove[T any](all map[catalog.ID]T, id catalog.ID) error {
	if _, ok := all[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(all, id)
	return nil
}

func (tx *writeTx) CreateCatalog(c *catalog.Catalog) error {
	_, err := tx.Catalog(c.Name)
	return create(tx, tx.st.catalogs, c, &c.Securable, err)
}

func (tx *writeTx) UpdateCatalog(c *catalog.Catalog) error {
	if _, ok := tx.st.catalogs[c.ID]; !ok {
		return catalog.ErrNotFound
	}
	if other, err := tx.Catalog(c.Name); err == nil && other.ID != c.ID {
		return catalog.ErrExists
	}
	c.StampChanged(tx.now, tx.actor)
	tx.st.catalogs[c.ID] = c.Clone()
	return nil
}

func (tx *writeTx) DeleteCatalog(id catalog.ID) error {
	if _, ok := tx.st.catalogs[id]; !ok {
		return catalog.ErrNotFound
	}
	for _, s := range tx.st.schemas {
		if s.CatalogID == id {
			return catalog.ErrNotEmpty
		}
	}
	delete(tx.st.catalogs, id)
	return nil
}

func (tx *writeTx) CreateSchema(s *catalog.Schema) error {
	if _, ok := tx.st.catalogs[s.CatalogID]; !ok {
		return catalog.ErrNotFound
	}
	_, err := tx.Schema(s.CatalogID, s.Name)
	return create(tx, tx.st.schemas, s, &s.Securable, err)
}

func (tx *writeTx) UpdateSchema(s *catalog.Schema) error {
	if _, ok := tx.st.schemas[s.ID]; !ok {
		return catalog.ErrNotFound
	}
	if _, ok := tx.st.catalogs[s.CatalogID]; !ok {
		return catalog.ErrNotFound
	}
	if other, err := tx.Schema(s.CatalogID, s.Name); err == nil && other.ID != s.ID {
		return catalog.ErrExists
	}
	s.StampChanged(tx.now, tx.actor)
	tx.st.schemas[s.ID] = s.Clone()
	return nil
}

func (tx *writeTx) DeleteSchema(id catalog.ID) error {
	if _, ok := tx.st.schemas[id]; !ok {
		return catalog.ErrNotFound
	}
	for _, t := range tx.st.tables {
		if t.SchemaID == id {
			return catalog.ErrNotEmpty
		}
	}
	for _, v := range tx.st.volumes {
		if v.SchemaID == id {
			return catalog.ErrNotEmpty
		}
	}
	for _, f := range tx.st.functions {
		if f.SchemaID == id {
			return catalog.ErrNotEmpty
		}
	}
	delete(tx.st.schemas, id)
	return nil
}

func (tx *writeTx) CreateTable(t *catalog.Table) error {
	if _, ok := tx.st.schemas[t.SchemaID]; !ok {
		return catalog.ErrNotFound
	}
	_, err := tx.Table(t.SchemaID, t.Name)
	if err := create(tx, tx.st.tables, t, &t.Securable, err); err != nil {
		return err
	}
	t.Version, tx.st.tables[t.ID].Version = 1, 1
	tx.st.partitions[t.ID] = []version{{1, partition.NewSet(t.PartitionLayout())}}
	return nil
}

// current is the stored table, provided that t is about its present version.
func (tx *writeTx) current(t *catalog.Table) (*catalog.Table, error) {
	old, ok := tx.st.tables[t.ID]
	if !ok {
		return nil, catalog.ErrNotFound
	}
	if old.Version != t.Version {
		return nil, catalog.ErrVersionChanged
	}
	return old, nil
}

func (tx *writeTx) UpdateTable(t *catalog.Table) error {
	old, err := tx.current(t)
	if err != nil {
		return err
	}
	if _, ok := tx.st.schemas[t.SchemaID]; !ok {
		return catalog.ErrNotFound
	}
	if other, err := tx.Table(t.SchemaID, t.Name); err == nil && other.ID != t.ID {
		return catalog.ErrExists
	}
	t.StampChanged(tx.now, tx.actor)
	t.Version++
	tx.st.tables[t.ID] = t.Clone()
	if !catalog.SameLayout(old.PartitionLayout(), t.PartitionLayout()) {
		tx.setPartitions(t.ID, t.Version, partition.NewSet(t.PartitionLayout()))
	}
	return nil
}

func (tx *writeTx) ReplaceTable(t *catalog.Table, c catalog.Commit) error {
	before, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return err
	}
	if err := tx.UpdateTable(t); err != nil {
		return err
	}
	tx.setPartitions(t.ID, t.Version, partition.NewSet(t.PartitionLayout()))
	delete(tx.st.loads, t.ID)
	c.Added, c.Dropped, c.Changed = 0, int64(before.Len()), 0
	tx.addHistory(t.ID, t.Version, c)
	return nil
}

func (tx *writeTx) DeleteTable(id catalog.ID) error {
	if _, ok := tx.st.tables[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.tables, id)
	delete(tx.st.partitions, id)
	delete(tx.st.history, id)
	tx.forgetWrites(id)
	return nil
}

func (tx *writeTx) CreateVolume(v *catalog.Volume) error {
	if _, ok := tx.st.schemas[v.SchemaID]; !ok {
		return catalog.ErrNotFound
	}
	_, err := tx.Volume(v.SchemaID, v.Name)
	return create(tx, tx.st.volumes, v, &v.Securable, err)
}

func (tx *writeTx) DeleteVolume(id catalog.ID) error {
	return remove(tx.st.volumes, id)
}

func (tx *writeTx) CreateFunction(f *catalog.Function) error {
	if _, ok := tx.st.schemas[f.SchemaID]; !ok {
		return catalog.ErrNotFound
	}
	_, err := tx.Function(f.SchemaID, f.Name)
	return create(tx, tx.st.functions, f, &f.Securable, err)
}

func (tx *writeTx) DeleteFunction(id catalog.ID) error {
	return remove(tx.st.functions, id)
}

func (tx *writeTx) CreateExternalLocation(e *catalog.ExternalLocation) error {
	_, err := tx.ExternalLocation(e.Name)
	return create(tx, tx.st.externals, e, &e.Securable, err)
}

func (tx *writeTx) DeleteExternalLocation(id catalog.ID) error {
	return remove(tx.st.externals, id)
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
	after, err := before.Apply(ch, old.Version+1)
	if err != nil {
		return err
	}
	added, dropped, changed := ch.Counts(before)
	c.Added, c.Dropped, c.Changed = int64(added), int64(dropped), int64(changed)
	tx.commitPartitions(t, old, after, c)
	return nil
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
	c.Added, c.Dropped, c.Changed = catalog.CountChanges(before, set)
	tx.commitPartitions(t, old, set, c)
	return nil
}

// commitPartitions makes set the partitions of the next version of t.
func (tx *writeTx) commitPartitions(t, old *catalog.Table, set *partition.Set, c catalog.Commit) {
	next := old.Clone()
	next.Version++
	next.StampChanged(tx.now, tx.actor)
	tx.st.tables[t.ID] = next
	tx.setPartitions(t.ID, next.Version, set)
	t.Version, t.UpdatedAt, t.UpdatedBy = next.Version, next.UpdatedAt, next.UpdatedBy
	tx.addHistory(t.ID, next.Version, c)
}

func (tx *writeTx) setPartitions(id catalog.ID, from int64, set *partition.Set) {
	// Clip makes append copy: the old slice belongs to published states.
	tx.st.partitions[id] = append(slices.Clip(tx.st.partitions[id]), version{from, set})
}

func (tx *writeTx) AddCommit(t *catalog.Table, c catalog.Commit) error {
	old, ok := tx.st.tables[t.ID]
	if !ok {
		return catalog.ErrNotFound
	}
	tx.addHistory(t.ID, old.Version, c)
	return nil
}

func (tx *writeTx) addHistory(id catalog.ID, version int64, c catalog.Commit) {
	rows := tx.st.history[id]
	var last time.Time
	if len(rows) > 0 {
		last = rows[len(rows)-1].At
	}
	c = c.Clone()
	c.Stamp(version, tx.now, last, tx.actor)
	tx.st.history[id] = append(slices.Clip(rows), c)
}

func (tx *writeTx) AddPending(p catalog.Pending) error {
	if p.ID == "" {
		p.ID = catalog.NewID()
	}
	if p.At.IsZero() {
		p.At = tx.now
	}
	p.At = p.At.UTC().Truncate(time.Microsecond)
	for _, other := range tx.st.pendings {
		if other.ID == p.ID {
			return catalog.ErrExists
		}
	}
	tx.st.pendings = append(tx.st.pendings, p)
	return nil
}

func (tx *writeTx) DeletePending(id catalog.ID) error {
	i := slices.IndexFunc(tx.st.pendings, func(p catalog.Pending) bool { return p.ID == id })
	if i < 0 {
		return catalog.ErrNotFound
	}
	tx.st.pendings = slices.Delete(tx.st.pendings, i, i+1)
	return nil
}
