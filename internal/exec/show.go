package exec

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// tablesIn lists the tables of a schema whose kind is wanted.
func (r *run) tablesIn(ctx context.Context, in ast.Name, wanted func(*catalog.Table) bool) (place, []*catalog.Table, error) {
	catalogName, schemaName, err := r.schemaOrCurrent(in)
	if err != nil {
		return place{}, nil, err
	}
	var p place
	var out []*catalog.Table
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		if ident.Equal(schemaName, catalog.InformationSchema) {
			c, err := findCatalog(tx, catalogName)
			p = place{c, &catalog.Schema{Securable: catalog.Securable{Name: catalog.InformationSchema}}}
			for _, name := range systemTables() {
				out = append(out, &catalog.Table{Securable: catalog.Securable{Name: name}, Kind: catalog.View})
			}
			return err
		}
		var err error
		if p, err = findSchema(tx, catalogName, schemaName); err != nil {
			return err
		}
		all, err := tx.Tables(p.schema.ID)
		for _, t := range all {
			if wanted == nil || wanted(t) {
				out = append(out, t)
			}
		}
		return err
	})
	return p, out, at(err, in)
}

func (r *run) tableColumns() []plan.Column {
	first := "namespace"
	if r.legacyOutput() {
		first = "database"
	}
	cols := stringColumns(first, "tableName", "isTemporary")
	cols[2].Type = types.Of(types.Boolean)
	return cols
}

func (r *run) showTables(ctx context.Context, n *ast.ShowTables) (*Result, error) {
	rows, err := r.relationRows(ctx, n.In, n.Like, nil)
	if err != nil {
		return nil, err
	}
	return table(r.tableColumns(), rows), nil
}

// relationRows are the rows of SHOW TABLES and SHOW VIEWS: the relations of a schema that keep accepts, nil for all, then the
// temporary views.
func (r *run) relationRows(ctx context.Context, in ast.Name, pattern *ast.Pattern, keep func(*catalog.Table) bool) ([][]types.Value, error) {
	var rows [][]types.Value
	if r.inGlobalTemp(in) {
		rows = r.viewRows(pattern, true, session.GlobalTemp)
	} else {
		p, ts, err := r.tablesIn(ctx, in, keep)
		if err != nil {
			return nil, err
		}
		for _, t := range ts {
			if like(pattern, t.Name) {
				rows = append(rows, []types.Value{p.schema.Name, t.Name, false})
			}
		}
	}
	return append(rows, r.viewRows(pattern, false, "")...), nil
}

func (r *run) inGlobalTemp(in ast.Name) bool {
	name := in.Ident()
	return len(name) == 1 && ident.Equal(name[0], session.GlobalTemp)
}

// viewRows are the rows of SHOW TABLES and SHOW VIEWS for temporary views.
func (r *run) viewRows(p *ast.Pattern, global bool, namespace string) [][]types.Value {
	var rows [][]types.Value
	for _, v := range r.s.Views(global) {
		if like(p, v.Name) {
			rows = append(rows, []types.Value{namespace, v.Name, true})
		}
	}
	return rows
}

func (r *run) showViews(ctx context.Context, n *ast.ShowViews) (*Result, error) {
	cols := stringColumns("namespace", "viewName", "isTemporary")
	cols[2].Type = types.Of(types.Boolean)
	rows, err := r.relationRows(ctx, n.In, n.Like, func(t *catalog.Table) bool { return t.Kind == catalog.View })
	if err != nil {
		return nil, err
	}
	return table(cols, rows), nil
}

func (r *run) showTableExtended(ctx context.Context, n *ast.ShowTableExtended) (*Result, error) {
	cols := append(r.tableColumns(), stringColumns("information")...)
	if n.Spec != nil {
		return r.showPartitionExtended(ctx, n, cols)
	}
	p, ts, err := r.tablesIn(ctx, n.In, nil)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, t := range ts {
		if like(n.Like, t.Name) {
			rows = append(rows, []types.Value{p.schema.Name, t.Name, false, r.information(relation{p, t})})
		}
	}
	for _, v := range r.s.Views(false) {
		if like(n.Like, v.Name) {
			fields, err := r.tempViewFields(ctx, v)
			if err != nil {
				return nil, err
			}
			text := fmt.Sprintf("Table: %s\nType: VIEW\nView Text: %s\nSchema: %s", v.Name, v.Text, schemaTree(fields))
			rows = append(rows, []types.Value{"", v.Name, true, text})
		}
	}
	return table(cols, rows), nil
}

func (r *run) information(rel relation) string {
	info := r.tableInfo(rel)
	for i := range info {
		if info[i][0] == "Location" {
			info[i][1] = r.dbfsName(rel)
		}
	}
	if len(rel.table.Partition) > 0 {
		var names []string
		for _, c := range rel.table.Partition {
			names = append(names, ident.Quote(c))
		}
		info = append(info, [2]string{"Partition Columns", "[" + strings.Join(names, ", ") + "]"})
	}
	info = append(info, [2]string{"Schema", schemaTree(rel.table.Columns)})
	return lines(info)
}

// lines prints keys and values one a line; a key without a value stands alone.
func lines(info [][2]string) string {
	var b strings.Builder
	for _, kv := range info {
		b.WriteString(kv[0])
		if kv[1] != "" {
			b.WriteString(": " + kv[1])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// showPartitionExtended is SHOW TABLE EXTENDED … PARTITION: the pattern is then the exact name of a table.
func (r *run) showPartitionExtended(ctx context.Context, n *ast.ShowTableExtended, cols []plan.Column) (*Result, error) {
	if n.In.IsZero() {
		if v, ok := r.s.View(ident.Name{n.Like.Text}); ok {
			return nil, sqlerr.ExpectTableNotView(ident.Quote(v.Name), "SHOW TABLE EXTENDED ... PARTITION ...").At(n.Like.Span())
		}
	}
	p, ts, err := r.tablesIn(ctx, n.In, func(t *catalog.Table) bool { return ident.Equal(t.Name, n.Like.Text) })
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, sqlerr.TableOrViewNotFound(ident.Quote(n.Like.Text), nil).At(n.Like.Span())
	}
	rel := relation{p, ts[0]}
	if rel.table.Kind == catalog.View {
		return nil, sqlerr.ExpectTableNotView(rel.quoted(), "SHOW TABLE EXTENDED ... PARTITION ...").At(n.Like.Span())
	}
	if err := r.gate(rel); err != nil {
		return nil, at(err, n.Like)
	}
	set, row, err := r.onePartition(ctx, rel, n.Spec, "SHOW TABLE EXTENDED")
	if err != nil {
		return nil, err
	}
	return table(cols, [][]types.Value{{rel.schema.Name, rel.table.Name, false, lines(r.partitionInfo(ctx, rel, set, row))}}), nil
}

func (r *run) showColumns(ctx context.Context, n *ast.ShowColumns) (*Result, error) {
	name := n.Table
	if !n.In.IsZero() {
		if len(name.Parts) == 2 && !ident.Equal(name.Parts[0].Name, n.In.Ident().Last()) {
			return nil, sqlerr.ShowColumnsConflict(n.In.Ident().Quoted(), ident.Quote(name.Parts[0].Name)).At(n.In.Span())
		}
		name = ast.Name{At: name.At, Parts: append(append([]ast.Ident(nil), n.In.Parts...), name.Parts[len(name.Parts)-1])}
	}
	fields, err := r.fieldsOf(ctx, name)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, f := range fields {
		rows = append(rows, []types.Value{f.Name})
	}
	return table(stringColumns("col_name"), rows), nil
}

// fieldsOf are the columns of whatever a name means: a temporary view, a table or a view.
func (r *run) fieldsOf(ctx context.Context, n ast.Name) ([]types.Field, error) {
	if v, ok := r.s.View(n.Ident()); ok {
		return r.tempViewFields(ctx, v)
	}
	rel, err := r.found(ctx, n)
	if err != nil {
		if fields, serr := r.systemFields(ctx, n.Ident()); serr == nil && fields != nil {
			return fields, nil
		}
		return nil, err
	}
	return r.withQuerySchema(ctx, rel).table.Columns, nil
}

func (r *run) showPartitions(ctx context.Context, n *ast.ShowPartitions) (*Result, error) {
	rel, err := r.deltaOperand(ctx, n.Table, "SHOW PARTITIONS")
	if err != nil {
		return nil, err
	}
	if rel.table.Format == deltaFormat {
		return r.deltaPartitions(ctx, n, rel)
	}
	if rel.table.Mode == catalog.Unpartitioned {
		return nil, sqlerr.PartitionSchemaEmpty(rel.quoted()).At(n.Table.Span())
	}
	version, err := r.versionOf(ctx, rel, n.AsOf)
	if err != nil {
		return nil, err
	}
	var spec *partition.Spec
	if n.Spec != nil {
		if spec, err = r.spec(ctx, rel, n.Spec, true); err != nil {
			return nil, err
		}
	}
	set, err := r.partitionSet(ctx, rel, version)
	if err != nil {
		return nil, err
	}
	sel := set.All()
	if spec != nil {
		sel = set.Match(spec.Matchers)
	}
	return r.partitionRows(set, sel), nil
}

// partitionRows streams the specs of partitions in string order.
func (r *run) partitionRows(set *partition.Set, sel *partition.Selection) *Result {
	next, stop := iter.Pull(set.BySpec(sel))
	return stream(stringColumns("partition"), func() ([]types.Value, bool, error) {
		i, ok := next()
		if !ok {
			return nil, false, nil
		}
		return []types.Value{set.Spec(i)}, true, nil
	}, stop)
}

// versionOf resolves VERSION AS OF and TIMESTAMP AS OF of a log table; 0 is the current version.
func (r *run) versionOf(ctx context.Context, rel relation, n *ast.AsOf) (int64, error) {
	if n == nil {
		return 0, nil
	}
	if rel.table.Mode != catalog.Log {
		return 0, sqlerr.Unsupported("TIME_TRAVEL", "time travel of a table without a partition log").At(n.Span())
	}
	var commits []catalog.Commit
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		commits, err = tx.History(rel.table.ID, 0)
		return err
	})
	if err != nil {
		return 0, err
	}
	if n.Timestamp == nil {
		for _, c := range commits {
			if fmt.Sprint(c.Version) == n.Version {
				return c.Version, nil
			}
		}
		return 0, sqlerr.VersionNotFound(rel.quoted(), n.Version).At(n.Span())
	}
	v, err := r.constant(ctx, n.Timestamp, types.Of(types.Timestamp))
	if err != nil {
		return 0, err
	}
	micros, ok := v.(int64)
	if !ok {
		return 0, sqlerr.VersionNotFound(rel.quoted(), "NULL").At(n.Span())
	}
	if at, ok := catalog.VersionAt(commits, time.UnixMicro(micros)); ok {
		return at, nil
	}
	return 0, sqlerr.VersionNotFound(rel.quoted(), "as of "+types.FormatTimestamp(micros, r.s.Conf.Location())).At(n.Span())
}

// partitionSet is what is known of a table's partitions: its log, at a version when that is not 0, or a listing.
func (r *run) partitionSet(ctx context.Context, rel relation, version int64) (*partition.Set, error) {
	if rel.table.Mode == catalog.Log {
		var set *partition.Set
		err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
			set, err = tx.Partitions(rel.table.ID, version)
			return err
		})
		return set, err
	}
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return nil, err
	}
	settings := r.scanSettings()
	if settings.View, err = r.visible(ctx, rel.table.ID, root); err != nil {
		return nil, err
	}
	for range maxLooks {
		set, err := r.x.Scans.ListPartitions(ctx, rel.table, settings)
		if err != nil {
			return nil, err
		}
		view, err := r.visible(ctx, rel.table.ID, root)
		if err != nil || view.Same(settings.View) {
			return set, err
		}
		settings.View = view // a writer has moved files meanwhile: what was listed may be half of each
	}
	return r.x.Scans.ListPartitions(ctx, rel.table, settings)
}

// visible is what readers of a table must not see of writes that are under way.
func (r *run) visible(ctx context.Context, table catalog.ID, root storage.Location) (view *scan.Visibility, err error) {
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		view, err = write.Visible(tx, table, root)
		return err
	})
	return view, err
}

func (r *run) showCreateTable(ctx context.Context, n *ast.ShowCreateTable) (*Result, error) {
	if v, ok := r.s.View(n.Table.Ident()); ok {
		return nil, sqlerr.ShowCreateTempView(ident.Quote(v.Name)).At(n.Table.Span())
	}
	rel, err := r.found(ctx, n.Table)
	if err != nil {
		return nil, err
	}
	return table(stringColumns("createtab_stmt"), [][]types.Value{{createText(r.withQuerySchema(ctx, rel))}}), nil
}

// createText is the statement that would make the table again.
func createText(rel relation) string {
	t := rel.table
	var b strings.Builder
	if t.Kind == catalog.View {
		name := rel.fullName()
		if rel.catalog.Rules == catalog.HiveRules {
			name = ident.Name{ident.Fold(rel.schema.Name), ident.Fold(t.Name)} // as a Hive metastore knows it
		}
		fmt.Fprintf(&b, "CREATE VIEW %s (\n", name)
		for i, f := range t.Columns {
			b.WriteString("  " + ident.QuoteIfNeeded(f.Name) + commentText(f))
			b.WriteString(map[bool]string{true: ",\n", false: ")\n"}[i < len(t.Columns)-1])
		}
		if t.Comment != "" {
			b.WriteString("COMMENT " + quoteSQL(t.Comment) + "\n")
		}
		writeProperties(&b, "TBLPROPERTIES", t.OwnProperties())
		b.WriteString("WITH SCHEMA " + schemaMode(t) + "\nAS " + t.ViewText + "\n")
		return b.String()
	}
	fmt.Fprintf(&b, "CREATE TABLE %s", rel.fullName())
	b.WriteString(map[bool]string{true: " (\n", false: "\n"}[len(t.Columns) > 0])
	for i, f := range t.Columns {
		b.WriteString("  " + ident.QuoteIfNeeded(f.Name) + " " + f.Type.SQL())
		if f.NotNull {
			b.WriteString(" NOT NULL")
		}
		if f.Default != "" {
			b.WriteString(" DEFAULT " + f.Default)
		}
		if f.Generated != "" {
			b.WriteString(" GENERATED ALWAYS AS (" + f.Generated + ")")
		}
		b.WriteString(commentText(f))
		b.WriteString(map[bool]string{true: ",\n", false: ")\n"}[i < len(t.Columns)-1])
	}
	fmt.Fprintf(&b, "USING %s\n", t.Format)
	writeProperties(&b, "OPTIONS", t.Options)
	if len(t.Partition) > 0 {
		var names []string
		for _, c := range t.Partition {
			names = append(names, ident.QuoteIfNeeded(c))
		}
		fmt.Fprintf(&b, "PARTITIONED BY (%s)\n", strings.Join(names, ", "))
	}
	if k, ok := t.Buckets(); ok {
		fmt.Fprintf(&b, "CLUSTERED BY (%s)\n", quotedList(k.Columns))
		if len(k.Sorted) > 0 {
			fmt.Fprintf(&b, "SORTED BY (%s)\n", quotedList(k.Sorted))
		}
		fmt.Fprintf(&b, "INTO %d BUCKETS\n", k.Count)
	}
	if t.Comment != "" {
		b.WriteString("COMMENT " + quoteSQL(t.Comment) + "\n")
	}
	if t.Kind == catalog.External {
		b.WriteString("LOCATION " + quoteSQL(t.Location) + "\n")
	}
	writeProperties(&b, "TBLPROPERTIES", withLogProperty(rel))
	return b.String()
}

func quotedList(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, ident.QuoteIfNeeded(n))
	}
	return strings.Join(out, ", ")
}

// withLogProperty is the properties of a table, with the one that asks for its partition log when a setting did so as it was
// created: without it, the statement would make another kind of table.
func withLogProperty(rel relation) map[string]string {
	t := rel.table
	if t.Mode != catalog.Log || t.Kind != catalog.External || rel.catalog.Rules == catalog.HiveRules {
		return t.OwnProperties()
	}
	for k := range t.Properties {
		if strings.EqualFold(k, logProperty) {
			return t.OwnProperties()
		}
	}
	all := t.OwnProperties()
	if all == nil {
		all = map[string]string{}
	}
	all[logProperty] = "true"
	return all
}

func commentText(f types.Field) string {
	if !f.HasComment {
		return ""
	}
	return " COMMENT " + quoteSQL(f.Comment)
}

// quoteSQL is a SQL string literal.
func quoteSQL(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\0`).Replace(s) + "'"
}

func writeProperties(b *strings.Builder, clause string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	b.WriteString(clause + " (\n")
	m = redact(m)
	for i, k := range sortedKeys(m) {
		b.WriteString("  " + quoteSQL(k) + " = " + quoteSQL(m[k]))
		b.WriteString(map[bool]string{true: ",\n", false: ")\n"}[i < len(m)-1])
	}
}

func (r *run) showTblProperties(ctx context.Context, n *ast.ShowTblProperties) (*Result, error) {
	cols := stringColumns("key", "value")
	if _, ok := r.s.View(n.Table.Ident()); ok {
		return table(cols, nil), nil // it has none
	}
	rel, err := r.found(ctx, n.Table)
	if err != nil {
		return nil, err
	}
	all := redact(rel.table.OwnProperties())
	if rel.table.Format == deltaFormat {
		snap, err := r.deltaSnapshot(ctx, rel.table)
		if err != nil {
			return nil, err
		}
		all = redact(deltaProperties(rel.table, snap))
	}
	if n.Key != nil {
		v, ok := all[*n.Key]
		if !ok {
			v = fmt.Sprintf("Table %s does not have property: %s", rel.fullName(), *n.Key)
		}
		return table(cols, [][]types.Value{{*n.Key, v}}), nil
	}
	var rows [][]types.Value
	for _, k := range sortedKeys(all) {
		rows = append(rows, []types.Value{k, all[k]})
	}
	return table(cols, rows), nil
}
