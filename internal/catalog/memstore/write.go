package memstore

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
)

type writeTx struct {
	readTx
	now   time.Time
	actor string
}

func (tx *writeTx) CreateCatalog(c *catalog.Catalog) error {
	if _, err := tx.Catalog(c.Name); err == nil {
		return catalog.ErrExists
	}
	if _, ok := tx.st.catalogs[c.ID]; ok {
		return catalog.ErrExists
	}
	c.StampNew(tx.now, tx.actor)
	tx.st.catalogs[c.ID] = c.Clone()
	return nil
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
	if _, err := tx.Schema(s.CatalogID, s.Name); err == nil {
		return catalog.ErrExists
	}
	if _, ok := tx.st.schemas[s.ID]; ok {
		return catalog.ErrExists
	}
	s.StampNew(tx.now, tx.actor)
	tx.st.schemas[s.ID] = s.Clone()
	return nil
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
	if _, err := tx.Table(t.SchemaID, t.Name); err == nil {
		return catalog.ErrExists
	}
	if _, ok := tx.st.tables[t.ID]; ok {
		return catalog.ErrExists
	}
	t.StampNew(tx.now, tx.actor)
	t.Version = 1
	tx.st.tables[t.ID] = t.Clone()
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
	if _, err := tx.Volume(v.SchemaID, v.Name); err == nil {
		return catalog.ErrExists
	}
	if _, ok := tx.st.volumes[v.ID]; ok {
		return catalog.ErrExists
	}
	v.StampNew(tx.now, tx.actor)
	tx.st.volumes[v.ID] = v.Clone()
	return nil
}

func (tx *writeTx) DeleteVolume(id catalog.ID) error {
	if _, ok := tx.st.volumes[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.volumes, id)
	return nil
}

func (tx *writeTx) CreateFunction(f *catalog.Function) error {
	if _, ok := tx.st.schemas[f.SchemaID]; !ok {
		return catalog.ErrNotFound
	}
	if _, err := tx.Function(f.SchemaID, f.Name); err == nil {
		return catalog.ErrExists
	}
	if _, ok := tx.st.functions[f.ID]; ok {
		return catalog.ErrExists
	}
	f.StampNew(tx.now, tx.actor)
	tx.st.functions[f.ID] = f.Clone()
	return nil
}

func (tx *writeTx) DeleteFunction(id catalog.ID) error {
	if _, ok := tx.st.functions[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.functions, id)
	return nil
}

func (tx *writeTx) CreateExternalLocation(e *catalog.ExternalLocation) error {
	for _, other := range tx.st.externals {
		if ident.Fold(other.Name) == ident.Fold(e.Name) || other.ID == e.ID {
			return catalog.ErrExists
		}
	}
	e.StampNew(tx.now, tx.actor)
	tx.st.externals[e.ID] = e.Clone()
	return nil
}

func (tx *writeTx) DeleteExternalLocation(id catalog.ID) error {
	if _, ok := tx.st.externals[id]; !ok {
		return catalog.ErrNotFound
	}
	delete(tx.st.externals, id)
	return nil
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
