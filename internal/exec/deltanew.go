package exec

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// newDelta is a Delta table that CREATE or REPLACE makes, with its log.
type newDelta struct {
	*run
	stmt *ast.CreateTable
	full ident.Name
	t    *catalog.Table // the draft of the catalog's entry
	log  *delta.Log
	base *delta.Snapshot // the table at the location that is replaced, nil for none
	old  *catalog.Table  // the catalog's entry of the name, nil for none

	columns []types.Field
	keys    []ast.Ident
	silent  bool
}

// makeDelta makes or replaces a Delta table. The log's commit comes first, then the catalog's: a table that is in the
// catalog has a log.
func (r *run) makeDelta(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table, loc *storage.Location) (*Result, error) {
	d, err := r.planDelta(ctx, n, full, t, loc)
	if err != nil {
		return nil, err
	}
	c, done, err := d.commit(ctx)
	if err != nil {
		return nil, err
	}
	r.x.Deltas.Reached("delta-entry")
	comment := t.Comment
	fromLog(t, done.Snapshot)
	t.Comment = comment
	if err := r.writeTable(ctx, n, full, t); err != nil {
		return nil, err
	}
	if n.Query == nil {
		return none(), nil
	}
	res, told := reachOf(d.base, c)
	return r.writtenRow(res, told, res.Untouched, d.silent), nil
}

// commit makes the log's commit.
func (d *newDelta) commit(ctx context.Context) (*delta.Change, *delta.Committed, error) {
	if d.base == nil && d.stmt.Query != nil {
		if err := d.log.Claim(ctx); err != nil {
			return nil, nil, err
		}
		defer d.log.Release(ctx)
	}
	c, files, err := d.change(ctx)
	if err != nil {
		return nil, nil, err
	}
	target := &deltaTarget{name: d.full.Quoted(), log: d.log, snap: d.base, rels: newRelations(d.run), silent: d.silent}
	done, err := d.commitDelta(ctx, target, c)
	if err != nil && files != nil {
		files.discard(ctx)
	}
	return c, done, err
}

// planDelta finds out what a table that is to be made or replaced will be.
func (r *run) planDelta(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table, loc *storage.Location) (*newDelta, error) {
	d := &newDelta{run: r, stmt: n, full: full, t: t, keys: slices.Clone(n.PartitionNames)}
	if err := d.place(ctx, loc); err != nil {
		return nil, err
	}
	return d, d.describe(ctx)
}

// place finds where the table goes and what is there.
func (d *newDelta) place(ctx context.Context, loc *storage.Location) error {
	n := d.stmt
	var p place
	err := d.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if p, err = findSchema(tx, d.full[0], d.full[1]); err != nil {
			return at(err, n.Name)
		}
		d.old, err = tx.Table(p.schema.ID, d.full[2])
		if errors.Is(err, catalog.ErrNotFound) {
			d.old, err = nil, nil
		}
		if err != nil || loc == nil || p.catalog.Rules != catalog.UnityRules {
			return err
		}
		except := []catalog.ID{d.t.ID}
		if d.old != nil {
			except = append(except, d.old.ID)
		}
		return at(catalog.CheckOverlap(tx, catalog.LocatedTable, loc.String(), except...), n.LocationAt)
	})
	if err != nil {
		return err
	}
	d.silent = silent(p)
	if err := catalog.ValidateName(p.catalog.Rules, "table", d.t.Name); err != nil {
		return at(err, n.Name)
	}
	if d.old != nil {
		d.t.ID, d.t.Version = d.old.ID, d.old.Version
		if d.old.Format != deltaFormat && d.old.Kind == catalog.Managed {
			return sqlerr.Unsupported("REPLACE_FORMAT", "replacing a managed table of the format "+d.old.Format+" by a Delta table: drop it first").At(n.Name.Span())
		}
	}
	if loc != nil {
		d.t.Kind, d.t.Location = catalog.External, loc.String()
	} else {
		d.t.Kind, d.t.Location = catalog.Managed, catalog.ManagedLocation(p.catalog.Rules, p.schema, d.t.Name, d.t.ID)
		if d.old != nil && d.old.Kind == catalog.Managed {
			d.t.Location = d.old.Location
		}
	}
	if d.log, err = d.deltaLog(d.t.Location); err != nil {
		return err
	}
	there, err := d.log.Exists(ctx)
	if err != nil {
		return err
	}
	if there {
		if !n.Replace {
			return at(sqlerr.DeltaLocationNotEmpty(d.full.Quoted(), d.t.Location), n.LocationAt)
		}
		d.base, err = d.log.Snapshot(ctx, delta.At{})
		return err
	}
	holds, err := d.log.HoldsFiles(ctx)
	if err == nil && holds {
		err = at(sqlerr.DeltaLocationNotEmpty(d.full.Quoted(), d.t.Location), n.LocationAt)
	}
	return err
}

// describe finds the columns of the table.
func (d *newDelta) describe(ctx context.Context) error {
	n := d.stmt
	if len(n.PartitionTransforms) > 0 {
		return sqlerr.Unsupported("PARTITION_TRANSFORM", "partitioning by an expression").At(n.PartitionTransforms[0].Span())
	}
	if n.Query != nil {
		if n.HasColumns || len(n.PartitionColumns) > 0 {
			return sqlerr.SchemaWithAsSelect().At(n.Name.Span())
		}
		made, err := bind.BindCreateAs(ctx, n.Query, nil, d.full.Quoted(), d.bindEnv(newRelations(d.run)))
		if err != nil {
			return err
		}
		d.columns = made.Columns
	} else {
		for _, defs := range [][]*ast.ColumnDef{n.Columns, n.PartitionColumns} {
			fields, err := d.declared(ctx, "CREATE TABLE", defs)
			if err != nil {
				return err
			}
			for i := range fields {
				fields[i].NotNull, fields[i].Generated = defs[i].NotNull, defs[i].GeneratedText
			}
			d.columns = append(d.columns, fields...)
		}
		for _, c := range n.PartitionColumns {
			d.keys = append(d.keys, c.Name())
		}
	}
	for _, k := range d.keys {
		i := slices.IndexFunc(d.columns, func(f types.Field) bool { return ident.Equal(f.Name, k.Name) })
		if i < 0 {
			return sqlerr.UnresolvedColumn(ident.Quote(k.Name), fieldNames(d.columns)).At(k.Span())
		}
		switch d.columns[i].Type.Kind {
		case types.Array, types.Map, types.Struct, types.Void, types.Variant:
			return sqlerr.InvalidPartitionColumnType(d.columns[i].Type.SQL()).At(k.Span())
		}
	}
	for _, f := range d.columns {
		if what, ok := nestedNotNull(f.Type, ""); ok {
			return sqlerr.DeltaNestedNotNull(what, ident.Quote(f.Name)).At(n.Name.Span())
		}
	}
	switch {
	case len(d.columns) > 0 || n.Query == nil && !n.Replace:
	case n.Query == nil:
		return sqlerr.DeltaSchemaNotProvided().At(n.Name.Span())
	default:
		return sqlerr.DeltaEmptyData().At(n.Name.Span())
	}
	if len(d.columns) > 0 && len(d.keys) == len(d.columns) {
		return sqlerr.AllPartitionColumns().At(n.Name.Span())
	}
	return nil
}

// nestedNotNull finds a field that is NOT NULL inside of an array or a map, which Delta does not keep, and says in which part of it;
// inside is that of the types around, "" for none.
func nestedNotNull(t types.Type, inside string) (what string, found bool) {
	switch t.Kind {
	case types.Array:
		return nestedNotNull(*t.Elem, "element type")
	case types.Map:
		if what, found = nestedNotNull(*t.Key, "key type"); found {
			return what, found
		}
		return nestedNotNull(*t.Elem, "value type")
	}
	for _, f := range t.Fields {
		if f.NotNull && inside != "" {
			return inside, true
		}
		if what, found = nestedNotNull(f.Type, inside); found {
			return what, found
		}
	}
	return "", false
}

func plainNames(fields []types.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

// fieldNames are the names of fields in back-quotes, for messages.
func fieldNames(fields []types.Field) []string {
	out := plainNames(fields)
	for i, n := range out {
		out[i] = ident.Quote(n)
	}
	return out
}

// draftDelta is the first half of the commit that makes a table: all but its files.
type draftDelta struct {
	commit   *delta.Change
	metadata *protocol.Metadata
	schema   protocol.Schema
	given    map[string]string // the properties that the statement gives
}

// draft says what the table will be, without its rows.
func (d *newDelta) draft() (*draftDelta, error) {
	n := d.stmt
	wishes, err := protocol.SplitProperties(properties(n.Properties))
	if err != nil {
		return nil, err
	}
	if c := slices.IndexFunc(n.Columns, func(c *ast.ColumnDef) bool { return c.Default != nil }); c >= 0 &&
		!slices.Contains(wishes.Features, protocol.FeatureColumnDefaults) && (d.base == nil || !d.base.Protocol.Supports(protocol.FeatureColumnDefaults)) {
		return nil, sqlerr.DeltaDefaultsOff("CREATE TABLE").At(n.Columns[c].Default.Span())
	}
	now := d.now.UnixMilli()
	m := &protocol.Metadata{ID: string(catalog.NewID()), Provider: "parquet", CreatedTime: &now, Configuration: wishes.Properties}
	for _, k := range d.keys {
		i := slices.IndexFunc(d.columns, func(f types.Field) bool { return ident.Equal(f.Name, k.Name) })
		m.PartitionColumns = append(m.PartitionColumns, d.columns[i].Name)
	}
	if n.Comment != nil {
		m.Description = *n.Comment
	}
	old := protocol.NewProtocol()
	edit := &protocol.Change{Metadata: m, Schema: protocol.SchemaOf(d.columns), NewID: func() string { return string(catalog.NewID()) }}
	if d.base != nil {
		old, m.ID, m.CreatedTime = d.base.Protocol, d.base.Metadata.ID, d.base.Metadata.CreatedTime
		if mode := protocol.MappingModeOf(d.base.Metadata); mode != protocol.MappingNone && protocol.MappingModeOf(m) == mode {
			// Columns of the same name keep their ids, and no physical name is used a second time.
			m.Configuration[protocol.PropertyMaxColumnID] = d.base.Metadata.Configuration[protocol.PropertyMaxColumnID]
			edit.Schema = d.base.Schema
			if err := edit.Replace(protocol.SchemaOf(d.columns)); err != nil {
				return nil, err
			}
		}
	}
	if mode := protocol.MappingModeOf(m); mode != protocol.MappingNone {
		if err := edit.MapColumns(mode, true); err != nil {
			return nil, err
		}
	}
	m = edit.Result()
	if dup, ok := ident.Twice(plainNames(d.columns)); ok {
		return nil, sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(dup))).At(n.Name.Span())
	}
	if err := protocol.CheckNames(edit.Schema, protocol.MappingModeOf(m)); err != nil {
		return nil, at(err, n.Name)
	}
	if err := checkRetention(m, wishes.Properties); err != nil {
		return nil, at(err, n)
	}
	if err := protocol.CheckStatsColumns(m, edit.Schema); err != nil {
		return nil, at(err, n)
	}
	p := old.Raise(wishes, m, edit.Schema)
	if err := protocol.CheckWrite(d.full.Quoted(), p, m, edit.Schema); err != nil {
		return nil, at(err, n.Name)
	}
	c := &delta.Change{Once: true}
	c.Metadata, c.Reads.WholeTable = m, true
	if d.base == nil || !p.Equal(old) {
		c.Protocol = p
	}
	return &draftDelta{c, m, edit.Schema, wishes.Properties}, nil
}

// change is the commit that makes the table, and the files that its query's rows were written to.
func (d *newDelta) change(ctx context.Context) (*delta.Change, *deltaFiles, error) {
	draft, err := d.draft()
	if err != nil {
		return nil, nil, err
	}
	c, m := draft.commit, draft.metadata
	metrics := map[string]string{}
	var files *deltaFiles
	if d.stmt.Query != nil {
		if files, err = d.writeDeltaFiles(ctx, d.log, d.rows(m, draft.schema)); err != nil {
			return nil, nil, err
		}
		c.Adds = files.adds
		metrics = map[string]string{"numFiles": decimal(int64(len(files.adds))), "numOutputRows": decimal(files.rows), "numOutputBytes": decimal(files.bytes)}
	}
	if d.base != nil {
		for a := range d.base.Adds() {
			c.Removes = append(c.Removes, protocol.RemoveOf(a, d.now.UnixMilli(), true))
		}
	}
	c.Info = d.deltaInfo(d.operation(), []protocol.Parameter{
		protocol.BoolParameter("isManaged", d.t.Kind == catalog.Managed), describedAs(m),
		protocol.ListParameter("partitionBy", m.PartitionColumns), protocol.ListParameter("clusterBy", nil), protocol.TextParameter("properties", propertiesJSON(draft.given)),
	}, metrics)
	return c, files, nil
}

// describedAs is the comment of a table as a parameter: null when there is none.
func describedAs(m *protocol.Metadata) protocol.Parameter {
	if m.Description == "" {
		return protocol.NullParameter("description")
	}
	return protocol.TextParameter("description", m.Description)
}

// operation is what the history calls the statement.
func (d *newDelta) operation() string {
	what := "CREATE TABLE"
	switch {
	case d.stmt.MustExist:
		what = "REPLACE TABLE"
	case d.stmt.Replace:
		what = "CREATE OR REPLACE TABLE"
	}
	if d.stmt.Query != nil {
		what += " AS SELECT"
	}
	return what
}

// rows are the rows of the query.
func (d *newDelta) rows(m *protocol.Metadata, s protocol.Schema) deltaRows {
	rows := deltaRows{schema: s, metadata: m, rels: newRelations(d.run), fixed: make([]bool, len(m.PartitionColumns))}
	rows.bind = func(ctx context.Context) (plan.Node, bool, error) {
		made, err := bind.BindCreateAs(ctx, d.stmt.Query, d.keys, d.full.Quoted(), d.bindEnv(rows.rels))
		if err != nil {
			return nil, false, err
		}
		return made.Root, made.Ordered, nil
	}
	return rows
}

// propertiesJSON is a map as the text of a JSON object, its keys sorted.
func propertiesJSON(m map[string]string) string {
	if m == nil {
		return "{}"
	}
	return plainJSON(m)
}

// plainJSON is a value of texts in JSON, in which no text is escaped for HTML: people read conditions in a history.
func plainJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and lists of them always can be
	return strings.TrimSuffix(b.String(), "\n")
}
