package memstore

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
)

type readTx struct{ st *state }

// byName orders by folded name.
func byName[T any](name func(T) string) func(a, b T) int {
	return func(a, b T) int { return strings.Compare(ident.Fold(name(a)), ident.Fold(name(b))) }
}

// collect copies the members of m that keep accepts, sorted by name.
func collect[T interface{ Clone() T }](m map[catalog.ID]T, name func(T) string, keep func(T) bool) []T {
	var out []T
	for _, v := range m {
		if keep(v) {
			out = append(out, v.Clone())
		}
	}
	slices.SortFunc(out, byName(name))
	return out
}

// find copies the member of m that keep accepts.
func find[T interface{ Clone() T }](m map[catalog.ID]T, keep func(T) bool) (T, error) {
	for _, v := range m {
		if keep(v) {
			return v.Clone(), nil
		}
	}
	var none T
	return none, catalog.ErrNotFound
}

func byID[T interface{ Clone() T }](m map[catalog.ID]T, id catalog.ID) (T, error) {
	if v, ok := m[id]; ok {
		return v.Clone(), nil
	}
	var none T
	return none, catalog.ErrNotFound
}

func catalogName(c *catalog.Catalog) string           { return c.Name }
func schemaName(s *catalog.Schema) string             { return s.Name }
func tableName(t *catalog.Table) string               { return t.Name }
func volumeName(v *catalog.Volume) string             { return v.Name }
func functionName(f *catalog.Function) string         { return f.Name }
func externalName(e *catalog.ExternalLocation) string { return e.Name }

func (tx *readTx) Catalogs() ([]*catalog.Catalog, error) {
	return collect(tx.st.catalogs, catalogName, func(*catalog.Catalog) bool { return true }), nil
}

func (tx *readTx) Catalog(name string) (*catalog.Catalog, error) {
	f := catalog.FoldCatalog(name)
	return find(tx.st.catalogs, func(c *catalog.Catalog) bool { return catalog.FoldCatalog(c.Name) == f })
}

func (tx *readTx) CatalogByID(id catalog.ID) (*catalog.Catalog, error) {
	return byID(tx.st.catalogs, id)
}

func (tx *readTx) Schemas(c catalog.ID) ([]*catalog.Schema, error) {
	return collect(tx.st.schemas, schemaName, func(s *catalog.Schema) bool { return s.CatalogID == c }), nil
}

func (tx *readTx) Schema(c catalog.ID, name string) (*catalog.Schema, error) {
	f := ident.Fold(name)
	return find(tx.st.schemas, func(s *catalog.Schema) bool { return s.CatalogID == c && ident.Fold(s.Name) == f })
}

func (tx *readTx) SchemaByID(id catalog.ID) (*catalog.Schema, error) { return byID(tx.st.schemas, id) }

func (tx *readTx) Tables(s catalog.ID) ([]*catalog.Table, error) {
	return collect(tx.st.tables, tableName, func(t *catalog.Table) bool { return t.SchemaID == s }), nil
}

func (tx *readTx) Table(s catalog.ID, name string) (*catalog.Table, error) {
	f := ident.Fold(name)
	return find(tx.st.tables, func(t *catalog.Table) bool { return t.SchemaID == s && ident.Fold(t.Name) == f })
}

func (tx *readTx) TableByID(id catalog.ID) (*catalog.Table, error) { return byID(tx.st.tables, id) }

func (tx *readTx) Functions(s catalog.ID) ([]*catalog.Function, error) {
	return collect(tx.st.functions, functionName, func(f *catalog.Function) bool { return f.SchemaID == s }), nil
}

func (tx *readTx) Function(s catalog.ID, name string) (*catalog.Function, error) {
	fold := ident.Fold(name)
	return find(tx.st.functions, func(f *catalog.Function) bool { return f.SchemaID == s && ident.Fold(f.Name) == fold })
}

func (tx *readTx) FunctionByID(id catalog.ID) (*catalog.Function, error) {
	return byID(tx.st.functions, id)
}

func (tx *readTx) Volumes(s catalog.ID) ([]*catalog.Volume, error) {
	return collect(tx.st.volumes, volumeName, func(v *catalog.Volume) bool { return v.SchemaID == s }), nil
}

func (tx *readTx) Volume(s catalog.ID, name string) (*catalog.Volume, error) {
	f := ident.Fold(name)
	return find(tx.st.volumes, func(v *catalog.Volume) bool { return v.SchemaID == s && ident.Fold(v.Name) == f })
}

func (tx *readTx) ExternalLocations() ([]*catalog.ExternalLocation, error) {
	return collect(tx.st.externals, externalName, func(*catalog.ExternalLocation) bool { return true }), nil
}

func (tx *readTx) ExternalLocation(name string) (*catalog.ExternalLocation, error) {
	f := ident.Fold(name)
	return find(tx.st.externals, func(e *catalog.ExternalLocation) bool { return ident.Fold(e.Name) == f })
}

func (tx *readTx) Overlapping(loc string) ([]catalog.Located, error) {
	var out []catalog.Located
	add := func(what string, id catalog.ID, name ident.Name, rules catalog.Rules, location string) {
		if location != "" && (catalog.Contains(location, loc) || catalog.Contains(loc, location)) {
			out = append(out, catalog.Located{What: what, ID: id, Name: name.String(), Rules: rules, Location: location})
		}
	}
	inSchema := func(schema catalog.ID, name string) (ident.Name, catalog.Rules) {
		s := tx.st.schemas[schema]
		c := tx.st.catalogs[s.CatalogID]
		return ident.Name{c.Name, s.Name, name}, c.Rules
	}
	for id, c := range tx.st.catalogs {
		add(catalog.LocatedManaged, id, ident.Name{c.Name}, c.Rules, c.Location)
	}
	for id, s := range tx.st.schemas {
		c := tx.st.catalogs[s.CatalogID]
		add(catalog.LocatedManaged, id, ident.Name{c.Name, s.Name}, c.Rules, s.Location)
	}
	for id, t := range tx.st.tables {
		name, rules := inSchema(t.SchemaID, t.Name)
		add(catalog.LocatedTable, id, name, rules, t.Location)
	}
	for id, v := range tx.st.volumes {
		name, rules := inSchema(v.SchemaID, v.Name)
		add(catalog.LocatedVolume, id, name, rules, v.Location)
	}
	for id, e := range tx.st.externals {
		add(catalog.LocatedExternal, id, ident.Name{e.Name}, catalog.UnityRules, e.URL)
	}
	catalog.SortLocated(out)
	return out, nil
}

func (tx *readTx) Partitions(table catalog.ID, at int64) (*partition.Set, error) {
	t, ok := tx.st.tables[table]
	if !ok || at > t.Version || at < 0 {
		return nil, catalog.ErrNotFound
	}
	if at == 0 {
		at = t.Version
	}
	for _, v := range slices.Backward(tx.st.partitions[table]) {
		if v.from <= at {
			return v.set, nil
		}
	}
	return nil, catalog.ErrNotFound
}

func (tx *readTx) History(table catalog.ID, limit int) ([]catalog.Commit, error) {
	if _, ok := tx.st.tables[table]; !ok {
		return nil, catalog.ErrNotFound
	}
	var out []catalog.Commit
	for _, c := range slices.Backward(tx.st.history[table]) {
		if limit > 0 && len(out) == limit {
			break
		}
		out = append(out, c.Clone())
	}
	return out, nil
}

func (tx *readTx) Pendings() ([]catalog.Pending, error) { return slices.Clone(tx.st.pendings), nil }
