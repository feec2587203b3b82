package exec

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"

	"github.com/tarnlake/tarn/internal/plan"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

var describeColumns = stringColumns("col_name", "data_type", "comment")

// describeTable is DESCRIBE TABLE in all its forms.
func (r *run) describeTable(ctx context.Context, n *ast.DescribeTable) (*Result, error) {
	if n.AsJSON {
		return nil, sqlerr.Unsupported("STATEMENT", "DESCRIBE … AS JSON").At(n.Span())
	}
	if v, ok := r.s.View(n.Table.Ident()); ok {
		return r.describeTempView(ctx, n, v)
	}
	rel, err := r.found(ctx, n.Table)
	if err != nil {
		if supplied, serr := r.systemFields(ctx, n.Table.Ident()); serr == nil && supplied != nil {
			return r.describeFields(n, supplied, nil, nil)
		}
		return nil, err
	}
	rel = r.withQuerySchema(ctx, rel)
	t := rel.table
	if !n.Column.IsZero() {
		if n.Spec != nil {
			return nil, sqlerr.Unsupported("DESC_TABLE_COLUMN_PARTITION", "DESCRIBE of a column of one partition").At(n.Column.Span())
		}
		return r.describeColumn(n, t.Columns, t)
	}
	if t.Mode == catalog.Unpartitioned && t.Kind == catalog.External && rel.catalog.Rules == catalog.HiveRules {
		t = r.withInferredKeys(ctx, n, t)
	}
	if t.Format == deltaFormat && n.Spec != nil {
		return nil, sqlerr.PartitionManagementOfDelta(rel.quoted(), "DESCRIBE … PARTITION").At(n.Spec.Span())
	}
	if t.Kind == catalog.View && n.Spec != nil {
		return nil, sqlerr.ForbiddenOperation("DESC PARTITION", "VIEW", rel.quoted()).At(n.Spec.Span())
	}
	var detail [][]types.Value
	if n.Spec != nil {
		if detail, err = r.partitionDetail(ctx, rel, n); err != nil {
			return nil, err
		}
	} else if n.Extended {
		detail = append(detail, []types.Value{"", "", ""}, []types.Value{"# Detailed Table Information", "", ""})
		for _, kv := range r.tableInfo(rel) {
			detail = append(detail, []types.Value{kv[0], kv[1], ""})
		}
		detail = append(detail, defaultRows(t.Columns)...)
	} else {
		detail = defaultRows(t.Columns)
	}
	return r.describeFields(n, t.Columns, t.PartitionColumns(), detail)
}

// withInferredKeys is an unpartitioned table of the legacy catalog with the key=value columns that a query of it shows
// besides the declared ones. Without files, or with files that no query could read, the declared columns are all.
func (r *run) withInferredKeys(ctx context.Context, n *ast.DescribeTable, t *catalog.Table) *catalog.Table {
	q, err := parser.Parse("SELECT * FROM " + n.Table.String())
	if err != nil {
		return t
	}
	query, ok := q.(*ast.Query)
	if !ok {
		return t
	}
	node, _, err := r.bindQuery(ctx, query)
	if err != nil {
		return t
	}
	shown := *t
	shown.Columns = nil
	for _, c := range node.Output() {
		f := types.Field{Name: c.Name, Type: c.Type}
		if i, err := r.column(t.Columns, ident.Name{c.Name}); err == nil {
			f = t.Columns[i]
		}
		shown.Columns = append(shown.Columns, f)
	}
	return &shown
}

// describeFields lists columns, then the partition columns once more, then what else there is to say.
func (r *run) describeFields(n *ast.DescribeTable, fields, partitioned []types.Field, detail [][]types.Value) (*Result, error) {
	if !n.Column.IsZero() {
		return r.describeColumn(n, fields, nil)
	}
	rows := fieldRows(fields)
	if len(partitioned) > 0 {
		rows = append(rows, []types.Value{"# Partition Information", "", ""}, []types.Value{"# col_name", "data_type", "comment"})
		rows = append(rows, fieldRows(partitioned)...)
	}
	return table(describeColumns, append(rows, detail...)), nil
}

// defaultRows lists the columns that have defaults.
func defaultRows(fields []types.Field) [][]types.Value {
	var rows [][]types.Value
	for _, f := range fields {
		if f.Default == "" {
			continue
		}
		if rows == nil {
			rows = append(rows, []types.Value{"", "", ""}, []types.Value{"# Column Default Values", "", ""})
		}
		rows = append(rows, []types.Value{f.Name, f.Type.String(), f.Default})
	}
	return rows
}

func fieldRows(fields []types.Field) [][]types.Value {
	var rows [][]types.Value
	for _, f := range fields {
		var comment types.Value
		if f.HasComment {
			comment = f.Comment
		}
		rows = append(rows, []types.Value{f.Name, f.Type.String(), comment})
	}
	return rows
}

// describeColumn is DESCRIBE of one column; of is the table that may have statistics of it, or nil.
func (r *run) describeColumn(n *ast.DescribeTable, fields []types.Field, of *catalog.Table) (*Result, error) {
	name := n.Column.Ident()
	for _, f := range fields {
		if len(name) != 1 || !r.sameColumn(f.Name, name[0]) {
			continue
		}
		comment := "NULL"
		if f.HasComment {
			comment = f.Comment
		}
		rows := [][]types.Value{{"col_name", name[0]}, {"data_type", f.Type.String()}, {"comment", comment}}
		if n.Extended {
			rows = append(rows, columnStatisticsRows(of, f.Name)...)
		}
		return table(stringColumns("info_name", "info_value"), rows), nil
	}
	return nil, sqlerr.ColumnNotFound(name.Quoted()).At(n.Column.Span())
}

// columnStatisticsRows are the lines of DESCRIBE EXTENDED t column that ANALYZE TABLE fills.
func columnStatisticsRows(t *catalog.Table, column string) [][]types.Value {
	names := []string{"min", "max", "num_nulls", "distinct_count", "avg_col_len", "max_col_len", "histogram"}
	texts := make([]string, len(names))
	if t != nil {
		if s, ok := t.ColumnStatistics(column); ok {
			texts = []string{s.Min, s.Max, strconv.FormatInt(s.Nulls, 10), strconv.FormatInt(s.Distinct, 10), strconv.FormatInt(s.AvgLength, 10), strconv.FormatInt(s.MaxLength, 10), ""}
		}
	}
	var rows [][]types.Value
	for i, k := range names {
		if texts[i] == "" {
			texts[i] = "NULL"
		}
		rows = append(rows, []types.Value{k, texts[i]})
	}
	return rows
}

func (r *run) describeTempView(ctx context.Context, n *ast.DescribeTable, v *session.TempView) (*Result, error) {
	if n.Spec != nil {
		return nil, sqlerr.ForbiddenOperation("DESC PARTITION", "TEMPORARY VIEW", ident.Name{v.Name}.Quoted()).At(n.Spec.Span())
	}
	fields, err := r.tempViewFields(ctx, v)
	if err != nil {
		return nil, err
	}
	return r.describeFields(n, fields, nil, nil)
}

// partitionDetail checks that the partition exists and, for DESCRIBE EXTENDED, describes it.
func (r *run) partitionDetail(ctx context.Context, rel relation, n *ast.DescribeTable) ([][]types.Value, error) {
	set, row, err := r.onePartition(ctx, rel, n.Spec, "DESC PARTITION")
	if err != nil || !n.Extended {
		return nil, err
	}
	rows := [][]types.Value{{"", "", ""}, {"# Detailed Partition Information", "", ""}, {"Database", rel.schema.Name, ""}, {"Table", rel.table.Name, ""}}
	for _, kv := range r.partitionInfo(ctx, rel, set, row) {
		rows = append(rows, []types.Value{kv[0], kv[1], ""})
	}
	rows = append(rows, []types.Value{"", "", ""}, []types.Value{"# Storage Information", "", ""})
	for _, kv := range bucketInfo(rel.table) {
		rows = append(rows, []types.Value{kv[0], kv[1], ""})
	}
	rows = append(rows, []types.Value{"Location", rel.table.Location, ""})
	if o := rel.table.Options; len(o) > 0 {
		rows = append(rows, []types.Value{"Storage Properties", "[" + joinProperties(o) + "]", ""})
	}
	return rows, nil
}

// onePartition finds the partition that a complete spec names, registered or (for a listing table) on storage.
func (r *run) onePartition(ctx context.Context, rel relation, spec *ast.PartitionSpec, operation string) (*partition.Set, int, error) {
	if rel.table.Format == deltaFormat {
		return nil, 0, sqlerr.PartitionManagementOfDelta(rel.quoted(), operation+" … PARTITION").At(spec.Span())
	}
	if rel.table.Mode == catalog.Unpartitioned {
		return nil, 0, sqlerr.NotAPartitionedTable(operation, rel.quoted()).At(spec.Span())
	}
	s, err := r.spec(ctx, rel, spec, false)
	if err != nil {
		return nil, 0, err
	}
	set, err := r.partitionSet(ctx, rel, 0)
	if err != nil {
		return nil, 0, err
	}
	row, ok := set.Find(s.Values)
	if !ok {
		return nil, 0, sqlerr.PartitionsNotFound([]string{specText(spec)}, twoPart(rel)).At(spec.Span())
	}
	return set, row, nil
}

// partitionInfo are the lines that describe one partition.
func (r *run) partitionInfo(ctx context.Context, rel relation, set *partition.Set, row int) [][2]string {
	var values []string
	for i, c := range set.Columns() {
		values = append(values, c.Name+"="+partition.Text(c, set.Value(row, i)))
	}
	created := "UNKNOWN"
	if at, ok := r.versionTime(ctx, rel, set.Gen(row)); ok {
		created = at
	}
	info := [][2]string{{"Partition Values", "[" + strings.Join(values, ", ") + "]"}, {"Location", rowLocation(rel, set, row)}}
	if o := rel.table.Options; len(o) > 0 {
		info = append(info, [2]string{"Storage Properties", "[" + joinProperties(o) + "]"})
	}
	if ps := set.Properties(row); len(ps) > 0 {
		info = append(info, [2]string{"Partition Parameters", "{" + joinProperties(ps) + "}"})
	}
	info = append(info, [2]string{"Created Time", created}, [2]string{"Last Access", "UNKNOWN"})
	if s, ok := rel.table.PartitionStatistics(set.Spec(row), set.Gen(row)); ok {
		info = append(info, [2]string{"Partition Statistics", statisticsText(s)})
	}
	return info
}

// versionTime is when a version of a table was committed.
func (r *run) versionTime(ctx context.Context, rel relation, version int64) (string, bool) {
	if rel.table.Mode != catalog.Log {
		return "", false
	}
	text, found := "", false
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		commits, err := tx.History(rel.table.ID, 0)
		for _, c := range commits {
			if c.Version == version {
				text, found = c.At.In(r.s.Conf.Location()).Format(infoTime), true
			}
		}
		return err
	})
	return text, found && err == nil
}

// infoTime is how Spark prints times in DESCRIBE EXTENDED.
const infoTime = "Mon Jan 02 15:04:05 MST 2006"

// tableInfo are the lines of DESCRIBE EXTENDED and SHOW TABLE EXTENDED, in Spark's order.
func (r *run) tableInfo(rel relation) [][2]string {
	t := rel.table
	info := [][2]string{
		{"Catalog", rel.catalog.Name},
		{"Database", rel.schema.Name},
		{"Table", t.Name},
	}
	if t.ID != "" { // of a table that is named by its path the catalog knows nothing
		info = append(info, [][2]string{
			{"Owner", t.Owner},
			{"Created Time", t.CreatedAt.In(r.s.Conf.Location()).Format(infoTime)},
			{"Last Access", "UNKNOWN"},
			{"Created By", "Tarn " + r.x.Version},
		}...)
	}
	info = append(info, [2]string{"Type", string(t.Kind)})
	add := func(k, v string) {
		if v != "" {
			info = append(info, [2]string{k, v})
		}
	}
	add("Provider", t.Format)
	info = append(info, bucketInfo(t)...)
	add("Comment", t.Comment)
	if t.Kind == catalog.View {
		add("View Text", t.ViewText)
		add("View Original Text", t.ViewText)
		add("View Schema Mode", schemaMode(t))
		add("View Catalog and Namespace", ident.Name{t.ViewCatalog, t.ViewSchema}.String())
		if names, err := parser.ParseName(t.Options[catalog.ViewColumnsOption]); err == nil {
			var out []string
			for _, n := range names.Ident() {
				out = append(out, ident.Quote(n))
			}
			add("View Query Output Columns", "["+strings.Join(out, ", ")+"]")
		}
	}
	if own := t.OwnProperties(); len(own) > 0 {
		add("Table Properties", "["+joinProperties(own)+"]")
	}
	if s, ok := t.Statistics(); ok {
		add("Statistics", statisticsText(s))
	}
	add("Location", t.Location)
	if len(t.Options) > 0 && t.Kind != catalog.View {
		add("Storage Properties", "["+joinProperties(t.Options)+"]")
	}
	switch t.Mode {
	case catalog.Log:
		add("Partition Provider", "Catalog")
	case catalog.Listing:
		add("Partition Provider", "Listing")
	}
	return info
}

// bucketInfo are the lines that describe the buckets of a table.
func bucketInfo(t *catalog.Table) [][2]string {
	b, ok := t.Buckets()
	if !ok {
		return nil
	}
	list := func(names []string) string {
		var out []string
		for _, n := range names {
			out = append(out, ident.Quote(n))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	return [][2]string{{"Num Buckets", strconv.Itoa(b.Count)}, {"Bucket Columns", list(b.Columns)}, {"Sort Columns", list(b.Sorted)}}
}

func joinProperties(m map[string]string) string {
	m = redact(m)
	var out []string
	for _, k := range sortedKeys(m) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ", ")
}

// schemaTree prints columns as Spark's printSchema does.
func schemaTree(fields []types.Field) string {
	var b strings.Builder
	b.WriteString("root\n")
	writeTree(&b, fields, " |")
	return b.String()
}

func writeTree(b *strings.Builder, fields []types.Field, indent string) {
	for _, f := range fields {
		writeTreeNode(b, f.Name, f.Type, !f.NotNull, indent)
	}
}

func writeTreeNode(b *strings.Builder, name string, t types.Type, nullable bool, indent string) {
	kind := t.String()
	switch t.Kind {
	case types.Struct:
		kind = "struct"
	case types.Array:
		kind = "array"
	case types.Map:
		kind = "map"
	case types.TinyInt:
		kind = "byte"
	case types.SmallInt:
		kind = "short"
	case types.Int:
		kind = "integer"
	case types.BigInt:
		kind = "long"
	}
	fmt.Fprintf(b, "%s-- %s: %s (nullable = %t)\n", indent, name, kind, nullable)
	deeper := indent + "    |"
	switch t.Kind {
	case types.Struct:
		writeTree(b, t.Fields, deeper)
	case types.Array:
		writeTreeNode(b, "element", *t.Elem, !t.NotNull, deeper)
	case types.Map:
		writeTreeNode(b, "key", *t.Key, false, deeper)
		writeTreeNode(b, "value", *t.Elem, !t.NotNull, deeper)
	}
}

func (r *run) describeQuery(ctx context.Context, n *ast.DescribeQuery) (*Result, error) {
	node, _, err := r.bindQuery(ctx, n.Query)
	if err != nil {
		return nil, err
	}
	fields, err := outputFields(node)
	if err != nil {
		return nil, err
	}
	return table(describeColumns, fieldRows(fields)), nil
}

// outputFields are the columns of a query; one that is a table's own keeps its comment.
func outputFields(node plan.Node) ([]types.Field, error) {
	fields := map[expr.ColumnID]types.Field{}
	err := plan.Walk(node, func(n plan.Node) error {
		if s, ok := n.(*plan.Scan); ok {
			for i, c := range s.Out {
				if s.Fields[i] < 0 {
					continue
				}
				f := s.Relation.Schema[s.Fields[i]]
				fields[c.ID] = types.Field{Comment: f.Comment, HasComment: f.HasComment}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var shown []types.Field
	for _, c := range node.Output() {
		f := fields[c.ID]
		f.Name, f.Type = c.Name, c.Type
		shown = append(shown, f)
	}
	return shown, nil
}

func (r *run) describeHistory(ctx context.Context, n *ast.DescribeHistory) (*Result, error) {
	limit := 0
	if n.Limit != nil {
		v, err := r.constantInt(ctx, n.Limit)
		if err != nil {
			return nil, err
		}
		limit = v
	}
	rel, err := r.deltaOperand(ctx, n.Table, "DESCRIBE HISTORY")
	if err != nil {
		return nil, err
	}
	if rel.table.Format == deltaFormat {
		return r.deltaHistory(ctx, rel, limit)
	}
	var rows [][]types.Value
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		commits, err := tx.History(rel.table.ID, limit)
		if err != nil {
			return err
		}
		for _, c := range commits {
			rows = append(rows, []types.Value{c.Version, c.At.UnixMicro(), c.Actor, c.Operation, c.Statement, c.Added, c.Dropped, c.Changed})
		}
		return nil
	})
	cols := stringColumns("version", "timestamp", "userName", "operation", "statement", "partitionsAdded", "partitionsDropped", "partitionsChanged")
	for i, k := range map[int]types.Kind{0: types.BigInt, 1: types.Timestamp, 5: types.BigInt, 6: types.BigInt, 7: types.BigInt} {
		cols[i].Type = types.Of(k)
	}
	return table(cols, rows), err
}

// isNotFound reports whether a relation does not exist.
func isNotFound(err error) bool { return errors.Is(err, sqlerr.Condition("TABLE_OR_VIEW_NOT_FOUND")) }
