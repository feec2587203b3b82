package sqlstore

import (
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
)

// writeTx changes what its embedded readTx reads. Uniqueness and references are constraints of the file: they hold
// whatever program writes to it.
type writeTx struct {
	readTx
	now time.Time
}

// insertInto builds INSERT INTO table (securable columns, fold, more…) VALUES (?, …).
func insertInto(table, more string) string {
	columns := securableColumns + ", fold, " + more
	return "INSERT INTO " + table + " (" + columns + ") VALUES (?" + strings.Repeat(", ?", strings.Count(columns, ",")) + ")"
}

// update builds UPDATE table SET every column but the id, for the row with the id, which comes last in the arguments.
func update(table, more string) string {
	columns := strings.TrimPrefix(securableColumns, "id, ") + ", fold, " + more
	return "UPDATE " + table + " SET " + strings.ReplaceAll(columns, ",", " = ?,") + " = ? WHERE id = ?"
}

const (
	catalogFields  = "rules, location, loc_key"
	schemaFields   = "catalog_id, location, loc_key, properties"
	tableFields    = "schema_id, kind, format, location, loc_key, columns, partition, mode, options, properties, version, view_text, view_catalog, view_schema, infer_partitions"
	volumeFields   = "schema_id, kind, location, loc_key"
	functionFields = "schema_id, text, at_catalog, at_schema, returns, is_table, ansi"
	externalFields = "location, loc_key"
)

var (
	insertCatalog  = insertInto("catalogs", catalogFields)
	updateCatalog  = update("catalogs", catalogFields)
	insertSchema   = insertInto("schemas", schemaFields)
	updateSchema   = update("schemas", schemaFields)
	insertTable    = insertInto("tables", tableFields)
	updateTable    = update("tables", tableFields)
	insertVolume   = insertInto("volumes", volumeFields)
	insertFunction = insertInto("functions", functionFields)
	insertExternal = insertInto("external_locations", externalFields)
)

func catalogArgs(c *catalog.Catalog) []any {
	return append(securableArgs(&c.Securable), catalog.FoldCatalog(c.Name), string(c.Rules), c.Location, locKey(c.Location))
}

func schemaArgs(s *catalog.Schema) []any {
	return append(securableArgs(&s.Securable), ident.Fold(s.Name), string(s.CatalogID), s.Location, locKey(s.Location), encodeMap(s.Properties))
}

func tableArgs(t *catalog.Table) ([]any, error) {
	columns, err := encodeColumns(t.Columns)
	if err != nil {
		return nil, err
	}
	return append(securableArgs(&t.Securable), ident.Fold(t.Name), string(t.SchemaID), string(t.Kind), t.Format, t.Location,
		locKey(t.Location), columns, encodeList(t.Partition), string(t.Mode), encodeMap(t.Options), encodeMap(t.Properties),
		t.Version, t.ViewText, t.ViewCatalog, t.ViewSchema, t.InferPartitions), nil
}

// asUpdate moves the id, which the arguments of an insert have first, to the end.
func asUpdate(args []any) []any { return append(args[1:len(args):len(args)], args[0]) }

// changed makes an update or delete of a row that is not there ErrNotFound.
func changed(n int64, err, dangling error) error {
	if err != nil {
		return constraint(err, dangling)
	}
	if n == 0 {
		return catalog.ErrNotFound
	}
	return nil
}

func (tx *writeTx) CreateCatalog(c *catalog.Catalog) error {
	c.StampNew(tx.now, tx.st.actor)
	_, err := tx.exec(insertCatalog, catalogArgs(c)...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) UpdateCatalog(c *catalog.Catalog) error {
	c.StampChanged(tx.now, tx.st.actor)
	n, err := tx.exec(updateCatalog, asUpdate(catalogArgs(c))...)
	return changed(n, err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteCatalog(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM catalogs WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *writeTx) CreateSchema(s *catalog.Schema) error {
	s.StampNew(tx.now, tx.st.actor)
	_, err := tx.exec(insertSchema, schemaArgs(s)...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) UpdateSchema(s *catalog.Schema) error {
	s.StampChanged(tx.now, tx.st.actor)
	n, err := tx.exec(updateSchema, asUpdate(schemaArgs(s))...)
	return changed(n, err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteSchema(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM schemas WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *writeTx) CreateTable(t *catalog.Table) error {
	t.StampNew(tx.now, tx.st.actor)
	t.Version = 1
	args, err := tableArgs(t)
	if err != nil {
		return err
	}
	if _, err := tx.exec(insertTable, args...); err != nil {
		return constraint(err, catalog.ErrNotFound)
	}
	return tx.addSnapshot(t.ID, t.Version, partition.NewSet(t.PartitionLayout()))
}

func (tx *writeTx) UpdateTable(t *catalog.Table) error {
	return tx.updateTable(t, false)
}

func (tx *writeTx) ReplaceTable(t *catalog.Table, c catalog.Commit) error {
	before, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return err
	}
	if err := tx.updateTable(t, true); err != nil {
		return err
	}
	if _, err := tx.exec("DELETE FROM loads WHERE table_id = ?", string(t.ID)); err != nil {
		return err
	}
	c.Added, c.Dropped, c.Changed = 0, int64(before.Len()), 0
	return tx.addHistory(t.ID, t.Version, c)
}

// updateTable replaces a table's definition. Its partitions end with the old version when their columns change, or when
// empty asks for it.
func (tx *writeTx) updateTable(t *catalog.Table, empty bool) error {
	old, err := tx.current(t)
	if err != nil {
		return err
	}
	next := t.Clone()
	next.StampChanged(tx.now, tx.st.actor)
	next.Version++
	args, err := tableArgs(next)
	if err != nil {
		return err
	}
	n, err := tx.exec(updateTable, asUpdate(args)...)
	if err := changed(n, err, catalog.ErrNotFound); err != nil {
		return err
	}
	if layout := next.PartitionLayout(); empty || !catalog.SameLayout(old.PartitionLayout(), layout) {
		if err := tx.retireAll(t.ID, next.Version); err != nil {
			return err
		}
		if err := tx.addSnapshot(t.ID, next.Version, partition.NewSet(layout)); err != nil {
			return err
		}
	}
	t.Version, t.UpdatedAt, t.UpdatedBy = next.Version, next.UpdatedAt, next.UpdatedBy
	return nil
}

// current is the stored table, provided that t is about its present version.
func (tx *writeTx) current(t *catalog.Table) (*catalog.Table, error) {
	old, err := tx.TableByID(t.ID)
	if err != nil {
		return nil, err
	}
	if old.Version != t.Version {
		return nil, catalog.ErrVersionChanged
	}
	return old, nil
}

func (tx *writeTx) DeleteTable(id catalog.ID) error {
	// Segments, snapshots, history, file sets and loads go with it, by the file's own rules.
	n, err := tx.exec("DELETE FROM tables WHERE id = ?", string(id))
	if err := changed(n, err, catalog.ErrNotEmpty); err != nil {
		return err
	}
	_, err = tx.exec("DELETE FROM txns WHERE table_id = ? AND NOT ("+unfinished+")", string(id))
	return err
}

func (tx *writeTx) CreateVolume(v *catalog.Volume) error {
	v.StampNew(tx.now, tx.st.actor)
	_, err := tx.exec(insertVolume, append(securableArgs(&v.Securable), ident.Fold(v.Name), string(v.SchemaID), string(v.Kind),
		v.Location, locKey(v.Location))...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteVolume(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM volumes WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *writeTx) CreateFunction(f *catalog.Function) error {
	f.StampNew(tx.now, tx.st.actor)
	returns, err := encodeColumns(f.Returns)
	if err != nil {
		return err
	}
	_, err = tx.exec(insertFunction, append(securableArgs(&f.Securable), ident.Fold(f.Name), string(f.SchemaID), f.Text,
		f.AtCatalog, f.AtSchema, returns, f.Table, f.ANSI)...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteFunction(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM functions WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *writeTx) CreateExternalLocation(e *catalog.ExternalLocation) error {
	e.StampNew(tx.now, tx.st.actor)
	_, err := tx.exec(insertExternal, append(securableArgs(&e.Securable), ident.Fold(e.Name), e.URL, locKey(e.URL))...)
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeleteExternalLocation(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM external_locations WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}

func (tx *writeTx) AddCommit(t *catalog.Table, c catalog.Commit) error {
	version, err := tx.version(t.ID)
	if err != nil {
		return err
	}
	return tx.addHistory(t.ID, version, c)
}

func (tx *writeTx) addHistory(id catalog.ID, version int64, c catalog.Commit) error {
	last, err := one(&tx.readTx, scanInt, "SELECT coalesce((SELECT at FROM history WHERE table_id = ? ORDER BY id DESC LIMIT 1), 0)", string(id))
	if err != nil {
		return err
	}
	c.Stamp(version, tx.now, fromMicros(last), tx.st.actor)
	_, err = tx.exec(`INSERT INTO history (table_id, version, at, actor, operation, statement, added, dropped, changed, parameters)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, string(id), c.Version, toMicros(c.At), c.Actor, c.Operation, c.Statement,
		c.Added, c.Dropped, c.Changed, encodeMap(c.Parameters))
	return err
}

func (tx *writeTx) AddPending(p catalog.Pending) error {
	if p.ID == "" {
		p.ID = catalog.NewID()
	}
	if p.At.IsZero() {
		p.At = tx.now
	}
	_, err := tx.exec("INSERT INTO pendings (id, kind, from_loc, to_loc, at) VALUES (?, ?, ?, ?, ?)",
		string(p.ID), p.Kind, p.From, p.To, toMicros(p.At))
	return constraint(err, catalog.ErrNotFound)
}

func (tx *writeTx) DeletePending(id catalog.ID) error {
	n, err := tx.exec("DELETE FROM pendings WHERE id = ?", string(id))
	return changed(n, err, catalog.ErrNotEmpty)
}
