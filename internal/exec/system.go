package exec

import (
	"context"
	"sort"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/types"
)

// systemTable is a table of information_schema: its columns, and how its rows follow from the catalog.
type systemTable struct {
	fields []types.Field
	rows   func(v *systemView) ([][]types.Value, error)
}

// systemView is one catalog transaction and the catalogs that information_schema shows: all of them in system, its own in
// each other catalog.
type systemView struct {
	tx       catalog.ReadTx
	catalogs []*catalog.Catalog
}

func textFields(names ...string) []types.Field {
	out := make([]types.Field, len(names))
	for i, n := range names {
		out[i] = types.Field{Name: n, Type: types.Of(types.String)}
	}
	return out
}

func typed(fields []types.Field, kinds map[string]types.Kind) []types.Field {
	for i, f := range fields {
		if k, ok := kinds[f.Name]; ok {
			fields[i].Type = types.Of(k)
		}
	}
	return fields
}

var created = map[string]types.Kind{"created": types.Timestamp, "last_altered": types.Timestamp, "ordinal_position": types.Int, "partition_ordinal_position": types.Int, "version": types.BigInt}

// system are the tables of information_schema, by name.
var system = map[string]systemTable{
	"catalogs": {typed(textFields("catalog_name", "catalog_owner", "comment", "rules", "created", "created_by"), created), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		for _, c := range v.catalogs {
			rows = append(rows, []types.Value{c.Name, c.Owner, orNull(c.Comment), string(c.Rules), c.CreatedAt.UnixMicro(), c.CreatedBy})
		}
		return rows, nil
	}},
	"schemata": {typed(textFields("catalog_name", "schema_name", "schema_owner", "comment", "location", "created", "created_by"), created), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		err := v.schemas(func(c *catalog.Catalog, s *catalog.Schema) error {
			rows = append(rows, []types.Value{c.Name, s.Name, s.Owner, orNull(s.Comment), s.Location, s.CreatedAt.UnixMicro(), s.CreatedBy})
			return nil
		})
		return rows, err
	}},
	"tables": {typed(textFields("table_catalog", "table_schema", "table_name", "table_type", "data_source_format", "storage_path", "partition_mode", "table_owner", "comment", "version", "created", "created_by", "last_altered", "last_altered_by"), created), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		err := v.tables(func(c *catalog.Catalog, s *catalog.Schema, t *catalog.Table) error {
			rows = append(rows, []types.Value{c.Name, s.Name, t.Name, string(t.Kind), orNull(t.Format), orNull(t.Location), orNull(string(t.Mode)), t.Owner, orNull(t.Comment), t.Version, t.CreatedAt.UnixMicro(), t.CreatedBy, t.UpdatedAt.UnixMicro(), t.UpdatedBy})
			return nil
		})
		return rows, err
	}},
	"views": {textFields("table_catalog", "table_schema", "table_name", "view_definition"), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		err := v.tables(func(c *catalog.Catalog, s *catalog.Schema, t *catalog.Table) error {
			if t.Kind == catalog.View {
				rows = append(rows, []types.Value{c.Name, s.Name, t.Name, t.ViewText})
			}
			return nil
		})
		return rows, err
	}},
	"columns": {typed(textFields("table_catalog", "table_schema", "table_name", "column_name", "ordinal_position", "is_nullable", "full_data_type", "partition_ordinal_position", "comment"), created), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		err := v.tables(func(c *catalog.Catalog, s *catalog.Schema, t *catalog.Table) error {
			for i, f := range t.Columns {
				var level, comment types.Value
				if k := i - (len(t.Columns) - len(t.Partition)); k >= 0 {
					level = int64(k + 1)
				}
				if f.HasComment {
					comment = f.Comment
				}
				nullable := "YES"
				if f.NotNull {
					nullable = "NO"
				}
				rows = append(rows, []types.Value{c.Name, s.Name, t.Name, f.Name, int64(i + 1), nullable, f.Type.String(), level, comment})
			}
			return nil
		})
		return rows, err
	}},
	"volumes": {textFields("volume_catalog", "volume_schema", "volume_name", "volume_type", "volume_owner", "comment", "storage_location"), func(v *systemView) ([][]types.Value, error) {
		var rows [][]types.Value
		err := v.schemas(func(c *catalog.Catalog, s *catalog.Schema) error {
			vs, err := v.tx.Volumes(s.ID)
			for _, x := range vs {
				rows = append(rows, []types.Value{c.Name, s.Name, x.Name, string(x.Kind), x.Owner, orNull(x.Comment), x.Location})
			}
			return err
		})
		return rows, err
	}},
	"external_locations": {textFields("external_location_name", "external_location_owner", "url", "comment"), func(v *systemView) ([][]types.Value, error) {
		es, err := v.tx.ExternalLocations()
		var rows [][]types.Value
		for _, e := range es {
			rows = append(rows, []types.Value{e.Name, e.Owner, e.URL, orNull(e.Comment)})
		}
		return rows, err
	}},
}

func orNull(s string) types.Value {
	if s == "" {
		return nil
	}
	return s
}

func (v *systemView) schemas(fn func(*catalog.Catalog, *catalog.Schema) error) error {
	for _, c := range v.catalogs {
		ss, err := v.tx.Schemas(c.ID)
		if err != nil {
			return err
		}
		for _, s := range ss {
			if err := fn(c, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *systemView) tables(fn func(*catalog.Catalog, *catalog.Schema, *catalog.Table) error) error {
	return v.schemas(func(c *catalog.Catalog, s *catalog.Schema) error {
		ts, err := v.tx.Tables(s.ID)
		if err != nil {
			return err
		}
		for _, t := range ts {
			if err := fn(c, s, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// systemTables lists the names of information_schema's tables.
func systemTables() []string {
	out := make([]string, 0, len(system))
	for name := range system {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// system answers for <catalog>.information_schema.<table>; nil when the name is something else.
func (q *relations) system(ctx context.Context, full ident.Name) (*bind.Relation, error) {
	if !ident.Equal(full[1], catalog.InformationSchema) {
		return nil, nil
	}
	t, ok := system[ident.Fold(full[2])]
	if !ok {
		return nil, nil
	}
	var rows [][]types.Value
	var found bool
	err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		c, err := tx.Catalog(full[0])
		if err != nil {
			return nil // an unknown catalog is reported as an unknown table
		}
		found = true
		v := &systemView{tx: tx, catalogs: []*catalog.Catalog{c}}
		if c.Rules == catalog.SystemRules {
			if v.catalogs, err = tx.Catalogs(); err != nil {
				return err
			}
		}
		rows, err = t.rows(v)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return &bind.Relation{Name: full, Supplied: &bind.Supplied{Fields: t.fields, Rows: rows, Label: full.String()}}, nil
}

// systemFields are the columns of a table of information_schema, nil for another name.
func (r *run) systemFields(ctx context.Context, name ident.Name) ([]types.Field, error) {
	rel, err := newRelations(r).system(ctx, r.complete(name))
	if rel == nil || err != nil {
		return nil, err
	}
	return rel.Supplied.Fields, nil
}
