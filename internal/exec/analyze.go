package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxAnalyzed is how many partitions one ANALYZE TABLE … PARTITION takes: their statistics are kept in one row of the catalog.
const maxAnalyzed = 10_000

// analyze is ANALYZE TABLE and ANALYZE TABLES. Queries do not need the statistics: they are for DESCRIBE.
func (r *run) analyze(ctx context.Context, n *ast.Analyze) (*Result, error) {
	if n.Table.IsZero() {
		return r.analyzeSchema(ctx, n)
	}
	if v, ok := r.s.View(n.Table.Ident()); ok {
		return nil, sqlerr.ExpectPermanentView(ident.Name{v.Name}.Quoted(), "ANALYZE TABLE").At(n.Table.Span())
	}
	var rel relation
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		rel, err = r.relation(tx, n.Table)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rel.table.Kind == catalog.View {
		return nil, sqlerr.Unsupported("ANALYZE_VIEW", "ANALYZE TABLE of a view").At(n.Table.Span())
	}
	if err := errors.Join(writable(rel.place), r.gate(rel)); err != nil {
		return nil, at(err, n.Table)
	}
	switch {
	case n.AllColumns || len(n.Columns) > 0:
		err = r.analyzeColumns(ctx, rel, n)
	case n.Spec != nil:
		err = r.analyzePartitions(ctx, rel, n)
	default:
		err = r.analyzeTable(ctx, rel, n.NoScan)
	}
	return none(), err
}

func (r *run) analyzeSchema(ctx context.Context, n *ast.Analyze) (*Result, error) {
	p, tables, err := r.tablesIn(ctx, n.In, func(t *catalog.Table) bool { return t.Kind != catalog.View })
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if t.Kind == catalog.View {
			continue
		}
		if err := r.analyzeTable(ctx, relation{place: p, table: t}, n.NoScan); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			// One table that cannot be read must not keep the others from being analyzed.
			r.s.Warn("NOT_ANALYZED", fmt.Sprintf("Table %s was not analyzed: %s", t.Name, sqlerr.As(err).Message), map[string]string{"tableName": t.Name})
		}
	}
	return none(), nil
}

func (r *run) analyzeTable(ctx context.Context, rel relation, noScan bool) error {
	found, err := r.measure(ctx, rel, "", noScan)
	if err != nil {
		return err
	}
	if known, ok := rel.table.Statistics(); ok && noScan && known.Bytes == found.Bytes {
		found.Rows = known.Rows
	}
	return r.saveStatistics(ctx, rel, func(t *catalog.Table) { t.SetStatistics(found) })
}

// saveStatistics changes the statistics of a table in one commit; it fails when the table changed since they were taken.
func (r *run) saveStatistics(ctx context.Context, rel relation, change func(t *catalog.Table)) error {
	return r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		t := rel.table.Clone()
		t.KeepStatistics()
		change(t)
		return r.saveTable(tx, t, "ANALYZE TABLE")
	})
}

// measure is the size of the files of a table, or of its rows that a condition leaves, and unless noScan how many these are.
func (r *run) measure(ctx context.Context, rel relation, where string, noScan bool) (catalog.Statistics, error) {
	out := catalog.Statistics{Rows: -1}
	node, rels, err := r.internalQuery(ctx, rel, "*", where)
	if err != nil {
		return out, err
	}
	err = plan.Walk(node, func(n plan.Node) error {
		s, ok := n.(*plan.Scan)
		if !ok {
			return nil
		}
		src, err := rels.source(s.Relation)
		if err != nil {
			return err
		}
		_, looked, err := r.x.Scans.Resolve(ctx, s, src, r.scanSettings())
		out.Bytes += looked.Bytes
		return err
	})
	if err != nil || noScan {
		return out, err
	}
	row, err := r.internalRow(ctx, rel, "count(*)", where)
	if err == nil {
		out.Rows, _ = row[0].(int64)
	}
	return out, err
}

// internalQuery binds a query of one table.
func (r *run) internalQuery(ctx context.Context, rel relation, items, where string) (plan.Node, *relations, error) {
	text := "SELECT " + items + " FROM " + ident.Name{rel.catalog.Name, rel.schema.Name, rel.table.Name}.Quoted()
	if where != "" {
		text += " WHERE " + where
	}
	q, err := parser.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	query, ok := q.(*ast.Query)
	if !ok {
		return nil, nil, sqlerr.Internal(errors.New("the query of ANALYZE TABLE is none"))
	}
	return r.bindQuery(ctx, query)
}

// internalRow is the one row of an aggregate over a table.
func (r *run) internalRow(ctx context.Context, rel relation, items, where string) ([]types.Value, error) {
	node, rels, err := r.internalQuery(ctx, rel, items, where)
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(ctx, node, rels, 1)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, sqlerr.Internal(errors.New("an aggregate gave no row"))
	}
	return rows[0], nil
}

// analyzePartitions takes the statistics of the partitions that a spec means: a prefix of the partition columns with values,
// further ones without.
func (r *run) analyzePartitions(ctx context.Context, rel relation, n *ast.Analyze) error {
	spec := &ast.PartitionSpec{At: n.Spec.At}
	for _, item := range n.Spec.Items {
		known := false
		for _, f := range rel.table.PartitionColumns() {
			known = known || r.sameColumn(f.Name, item.Name.Name)
		}
		if !known {
			return sqlerr.PartitionsNotFound([]string{ident.Quote(item.Name.Name)}, rel.quoted()).At(item.Span())
		}
		if item.Value() != nil {
			spec.Items = append(spec.Items, item)
		}
	}
	for _, f := range rel.table.PartitionColumns()[:len(spec.Items)] {
		prefix := false
		for _, item := range spec.Items {
			prefix = prefix || r.sameColumn(f.Name, item.Name.Name)
		}
		if !prefix {
			return sqlerr.PartitionSpecNotPrefix(f.Name, rel.quoted()).At(n.Spec.Span())
		}
	}
	set, err := r.partitionSet(ctx, rel, 0)
	if err != nil {
		return err
	}
	sel, err := r.matching(ctx, rel, set, spec)
	if err != nil {
		return err
	}
	switch count := sel.Len(); {
	case count == 0 && len(spec.Items) > 0:
		return sqlerr.PartitionsNotFound([]string{specText(n.Spec)}, twoPart(rel)).At(n.Spec.Span())
	case count > maxAnalyzed:
		return sqlerr.Unsupported("ANALYZE_MANY_PARTITIONS", fmt.Sprintf("statistics of %d partitions at once: at most %d", count, maxAnalyzed)).At(n.Spec.Span())
	}
	type piece struct {
		spec  string
		gen   int64
		found catalog.Statistics
	}
	var pieces []piece
	for row := range set.BySpec(sel) {
		found, err := r.measure(ctx, rel, partitionCondition(set, row), n.NoScan)
		if err != nil {
			return err
		}
		p := piece{set.Spec(row), set.Gen(row), found}
		if known, ok := rel.table.PartitionStatistics(p.spec, p.gen); ok && n.NoScan && known.Bytes == found.Bytes {
			p.found.Rows = known.Rows
		}
		pieces = append(pieces, p)
	}
	return r.saveStatistics(ctx, rel, func(t *catalog.Table) {
		for _, p := range pieces {
			t.SetPartitionStatistics(p.spec, p.gen, p.found)
		}
	})
}

// partitionCondition is the SQL of a condition that one partition fulfils.
func partitionCondition(set *partition.Set, row int) string {
	var parts []string
	for i, c := range set.Columns() {
		v := set.Value(row, i)
		if v == nil {
			parts = append(parts, ident.Quote(c.Name)+" IS NULL")
			continue
		}
		text := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(partition.Text(c, v))
		parts = append(parts, ident.Quote(c.Name)+" = CAST('"+text+"' AS "+c.Type.SQL()+")")
	}
	return strings.Join(parts, " AND ")
}

// analyzeColumns takes the statistics of columns, and those of the whole table with them.
func (r *run) analyzeColumns(ctx context.Context, rel relation, n *ast.Analyze) error {
	t := rel.table
	fields := t.Columns
	if len(n.Columns) > 0 {
		fields = nil
		for _, name := range n.Columns {
			i, err := r.column(t.Columns, ident.Name{name.Name})
			if err != nil {
				return sqlerr.ColumnNotFound(ident.Quote(name.Name)).At(name.Span())
			}
			for _, f := range fields {
				if f.Name == t.Columns[i].Name {
					return sqlerr.ColumnAlreadyExists(ident.Quote(name.Name)).At(name.Span())
				}
			}
			fields = append(fields, t.Columns[i])
		}
	}
	items := []string{"count(*)"}
	for _, f := range fields {
		if !hasStatistics(f.Type.Kind) {
			return sqlerr.Unsupported("ANALYZE_UNSUPPORTED_COLUMN_TYPE", fmt.Sprintf("statistics of columns of type %s, such as %s", f.Type.SQL(), f.Name)).At(n.Span())
		}
		c := ident.Quote(f.Name)
		items = append(items, "count("+c+")", "approx_count_distinct("+c+")")
		if f.Type.Kind.IsText() || f.Type.Kind == types.Binary {
			items = append(items, "ceil(avg(length("+c+")))", "max(length("+c+"))")
		} else {
			items = append(items, "min("+c+")", "max("+c+")")
		}
	}
	found, err := r.measure(ctx, rel, "", true)
	if err != nil {
		return err
	}
	row, err := r.internalRow(ctx, rel, strings.Join(items, ", "), "")
	if err != nil {
		return err
	}
	found.Rows, _ = row[0].(int64)
	return r.saveStatistics(ctx, rel, func(t *catalog.Table) {
		t.SetStatistics(found)
		for i, f := range fields {
			v := row[1+4*i:]
			filled, _ := v[0].(int64)
			distinct, _ := v[1].(int64)
			s := catalog.ColumnStatistics{Nulls: found.Rows - filled, Distinct: min(distinct, filled)}
			if f.Type.Kind.IsText() || f.Type.Kind == types.Binary {
				s.AvgLength, s.MaxLength = wholeOf(v[2]), wholeOf(v[3])
			} else {
				s.Min, s.Max = statisticText(f.Type, v[2]), statisticText(f.Type, v[3])
				s.AvgLength = widthOf(f.Type)
				s.MaxLength = s.AvgLength
			}
			t.SetColumnStatistics(f.Name, s)
		}
	})
}

// hasStatistics tells the types whose columns Spark analyzes.
func hasStatistics(k types.Kind) bool {
	return k.IsNumeric() || k.IsText() || k == types.Boolean || k == types.Binary || k == types.Date || k == types.Timestamp || k == types.TimestampNTZ
}

// widthOf is the size in bytes of Spark's values of a type of fixed width.
func widthOf(t types.Type) int64 {
	switch t.Kind {
	case types.Boolean, types.TinyInt:
		return 1
	case types.SmallInt:
		return 2
	case types.Int, types.Float, types.Date:
		return 4
	case types.Decimal:
		if t.Precision > 18 {
			return 16
		}
	}
	return 8
}

// statisticText is the least or greatest value of a column as DESCRIBE shows it, "" for none: instants in UTC.
func statisticText(t types.Type, v types.Value) string {
	switch {
	case v == nil:
		return ""
	case t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ:
		if micros, ok := v.(int64); ok {
			return time.UnixMicro(micros).UTC().Format("2006-01-02 15:04:05.000000 -0700")
		}
	}
	return types.Format(t, v, time.UTC)
}

// wholeOf is a number as an integer, 0 for NULL.
func wholeOf(v types.Value) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case float64:
		return int64(math.Ceil(x))
	}
	return 0
}

// statisticsText is how DESCRIBE shows statistics.
func statisticsText(s catalog.Statistics) string {
	if s.Rows < 0 {
		return fmt.Sprintf("%d bytes", s.Bytes)
	}
	return fmt.Sprintf("%d bytes, %d rows", s.Bytes, s.Rows)
}
