package sqlstore

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
)

const (
	selectCatalog = "SELECT " + securableColumns + ", rules, location FROM catalogs "
	selectSchema  = "SELECT " + securableColumns + ", catalog_id, location, properties FROM schemas "
	selectTable   = "SELECT " + securableColumns + `, schema_id, kind, format, location, columns, partition, mode, options, properties,
		version, view_text, view_catalog, view_schema, infer_partitions FROM tables `
	selectVolume   = "SELECT " + securableColumns + ", schema_id, kind, location FROM volumes "
	selectFunction = "SELECT " + securableColumns + ", schema_id, text, at_catalog, at_schema, returns, is_table, ansi FROM functions "
	selectExternal = "SELECT " + securableColumns + ", location FROM external_locations "
)

func scanCatalog(row scanner) (*catalog.Catalog, error) {
	var c catalog.Catalog
	var s securable
	if err := row.Scan(append(s.dest(&c.Securable), &c.Rules, &c.Location)...); err != nil {
		return nil, err
	}
	s.finish(&c.Securable)
	return &c, nil
}

func scanSchema(row scanner) (*catalog.Schema, error) {
	var c catalog.Schema
	var s securable
	var properties string
	err := row.Scan(append(s.dest(&c.Securable), &c.CatalogID, &c.Location, &properties)...)
	if err != nil {
		return nil, err
	}
	s.finish(&c.Securable)
	c.Properties, err = decodeMap(properties)
	return &c, err
}

func scanTable(row scanner) (*catalog.Table, error) {
	var t catalog.Table
	var s securable
	var columns, part, options, properties string
	err := row.Scan(append(s.dest(&t.Securable), &t.SchemaID, &t.Kind, &t.Format, &t.Location, &columns, &part, &t.Mode,
		&options, &properties, &t.Version, &t.ViewText, &t.ViewCatalog, &t.ViewSchema, &t.InferPartitions)...)
	if err != nil {
		return nil, err
	}
	s.finish(&t.Securable)
	if t.Columns, err = decodeColumns(columns); err != nil {
		return nil, err
	}
	if t.Partition, err = decodeList(part); err != nil {
		return nil, err
	}
	if len(t.Partition) > len(t.Columns) {
		return nil, fmt.Errorf("%w: table %s has more partition columns than columns", errDamaged, t.ID)
	}
	if t.Options, err = decodeMap(options); err != nil {
		return nil, err
	}
	t.Properties, err = decodeMap(properties)
	return &t, err
}

func scanVolume(row scanner) (*catalog.Volume, error) {
	var v catalog.Volume
	var s securable
	if err := row.Scan(append(s.dest(&v.Securable), &v.SchemaID, &v.Kind, &v.Location)...); err != nil {
		return nil, err
	}
	s.finish(&v.Securable)
	return &v, nil
}

func scanFunction(row scanner) (*catalog.Function, error) {
	var f catalog.Function
	var s securable
	var returns string
	err := row.Scan(append(s.dest(&f.Securable), &f.SchemaID, &f.Text, &f.AtCatalog, &f.AtSchema, &returns, &f.Table, &f.ANSI)...)
	if err != nil {
		return nil, err
	}
	s.finish(&f.Securable)
	f.Returns, err = decodeColumns(returns)
	return &f, err
}

func scanExternal(row scanner) (*catalog.ExternalLocation, error) {
	var e catalog.ExternalLocation
	var s securable
	if err := row.Scan(append(s.dest(&e.Securable), &e.URL)...); err != nil {
		return nil, err
	}
	s.finish(&e.Securable)
	return &e, nil
}

func (tx *readTx) Catalogs() ([]*catalog.Catalog, error) {
	return all(tx, scanCatalog, selectCatalog+"ORDER BY fold")
}

func (tx *readTx) Catalog(name string) (*catalog.Catalog, error) {
	return one(tx, scanCatalog, selectCatalog+"WHERE fold = ?", catalog.FoldCatalog(name))
}

func (tx *readTx) CatalogByID(id catalog.ID) (*catalog.Catalog, error) {
	return one(tx, scanCatalog, selectCatalog+"WHERE id = ?", string(id))
}

func (tx *readTx) Schemas(c catalog.ID) ([]*catalog.Schema, error) {
	return all(tx, scanSchema, selectSchema+"WHERE catalog_id = ? ORDER BY fold", string(c))
}

func (tx *readTx) Schema(c catalog.ID, name string) (*catalog.Schema, error) {
	return one(tx, scanSchema, selectSchema+"WHERE catalog_id = ? AND fold = ?", string(c), ident.Fold(name))
}

func (tx *readTx) SchemaByID(id catalog.ID) (*catalog.Schema, error) {
	return one(tx, scanSchema, selectSchema+"WHERE id = ?", string(id))
}

func (tx *readTx) Tables(s catalog.ID) ([]*catalog.Table, error) {
	return all(tx, scanTable, selectTable+"WHERE schema_id = ? ORDER BY fold", string(s))
}

func (tx *readTx) Table(s catalog.ID, name string) (*catalog.Table, error) {
	return one(tx, scanTable, selectTable+"WHERE schema_id = ? AND fold = ?", string(s), ident.Fold(name))
}

func (tx *readTx) TableByID(id catalog.ID) (*catalog.Table, error) {
	return one(tx, scanTable, selectTable+"WHERE id = ?", string(id))
}

func (tx *readTx) Volumes(s catalog.ID) ([]*catalog.Volume, error) {
	return all(tx, scanVolume, selectVolume+"WHERE schema_id = ? ORDER BY fold", string(s))
}

func (tx *readTx) Volume(s catalog.ID, name string) (*catalog.Volume, error) {
	return one(tx, scanVolume, selectVolume+"WHERE schema_id = ? AND fold = ?", string(s), ident.Fold(name))
}

func (tx *readTx) Functions(s catalog.ID) ([]*catalog.Function, error) {
	return all(tx, scanFunction, selectFunction+"WHERE schema_id = ? ORDER BY fold", string(s))
}

func (tx *readTx) Function(s catalog.ID, name string) (*catalog.Function, error) {
	return one(tx, scanFunction, selectFunction+"WHERE schema_id = ? AND fold = ?", string(s), ident.Fold(name))
}

func (tx *readTx) FunctionByID(id catalog.ID) (*catalog.Function, error) {
	return one(tx, scanFunction, selectFunction+"WHERE id = ?", string(id))
}

func (tx *readTx) ExternalLocations() ([]*catalog.ExternalLocation, error) {
	return all(tx, scanExternal, selectExternal+"ORDER BY fold")
}

func (tx *readTx) ExternalLocation(name string) (*catalog.ExternalLocation, error) {
	return one(tx, scanExternal, selectExternal+"WHERE fold = ?", ident.Fold(name))
}

func (tx *readTx) History(table catalog.ID, limit int) ([]catalog.Commit, error) {
	if _, err := tx.version(table); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1 // no limit, for SQLite
	}
	return all(tx, scanCommit, `SELECT version, at, actor, operation, statement, added, dropped, changed, parameters
		FROM history WHERE table_id = ? ORDER BY id DESC LIMIT ?`, string(table), limit)
}

func scanCommit(row scanner) (catalog.Commit, error) {
	var c catalog.Commit
	var at int64
	var parameters string
	err := row.Scan(&c.Version, &at, &c.Actor, &c.Operation, &c.Statement, &c.Added, &c.Dropped, &c.Changed, &parameters)
	if err != nil {
		return c, err
	}
	c.At = fromMicros(at)
	c.Parameters, err = decodeMap(parameters)
	return c, err
}

func (tx *readTx) Pendings() ([]catalog.Pending, error) {
	return all(tx, func(row scanner) (catalog.Pending, error) {
		var p catalog.Pending
		var at int64
		err := row.Scan(&p.ID, &p.Kind, &p.From, &p.To, &at)
		p.At = fromMicros(at)
		return p, err
	}, "SELECT id, kind, from_loc, to_loc, at FROM pendings ORDER BY seq")
}

// version is the current version of a table.
func (tx *readTx) version(table catalog.ID) (int64, error) {
	return one(tx, scanInt, "SELECT version FROM tables WHERE id = ?", string(table))
}

func scanInt(row scanner) (int64, error) {
	var n int64
	return n, row.Scan(&n)
}

// located finds everything of every kind whose location's key meets a condition, written KEY(alias).
const located = `
SELECT 'managed storage', c.id, c.name, '', '', c.rules, c.location FROM catalogs c WHERE KEY(c)
UNION ALL
SELECT 'managed storage', s.id, c.name, s.name, '', c.rules, s.location
FROM schemas s JOIN catalogs c ON c.id = s.catalog_id WHERE KEY(s)
UNION ALL
SELECT 'table', t.id, c.name, s.name, t.name, c.rules, t.location
FROM tables t JOIN schemas s ON s.id = t.schema_id JOIN catalogs c ON c.id = s.catalog_id WHERE KEY(t)
UNION ALL
SELECT 'volume', v.id, c.name, s.name, v.name, c.rules, v.location
FROM volumes v JOIN schemas s ON s.id = v.schema_id JOIN catalogs c ON c.id = s.catalog_id WHERE KEY(v)
UNION ALL
SELECT 'external location', e.id, e.name, '', '', 'unity', e.location FROM external_locations e WHERE KEY(e)`

var keyCondition = regexp.MustCompile(`KEY\((\w)\)`)

// overlapping asks for the ancestors of a place and the place itself by a list of keys, and for what lies below it by a
// range of keys: an index answers either, and the work is that of the depth and the hits.
var overlapping = keyCondition.ReplaceAllString(located, "$1.loc_key IN (SELECT value FROM json_each(?1))") +
	"\nUNION ALL" + keyCondition.ReplaceAllString(located, "$1.loc_key >= ?2 AND $1.loc_key < ?3")

func (tx *readTx) Overlapping(loc string) ([]catalog.Located, error) {
	key := catalog.LocationKey(loc)
	ancestors, err := json.Marshal(catalog.Ancestors(key))
	if err != nil {
		return nil, err
	}
	// '0' is the character after '/': the range holds what begins with the key and a slash.
	hits, err := all(tx, scanLocated, overlapping, string(ancestors), key+"/", key+"0")
	catalog.SortLocated(hits)
	return hits, err
}

func scanLocated(row scanner) (catalog.Located, error) {
	var l catalog.Located
	var parts [3]string
	if err := row.Scan(&l.What, &l.ID, &parts[0], &parts[1], &parts[2], &l.Rules, &l.Location); err != nil {
		return l, err
	}
	name := ident.Name{parts[0]}
	for _, p := range parts[1:] {
		if p != "" {
			name = append(name, p)
		}
	}
	l.Name = name.String()
	return l, nil
}
