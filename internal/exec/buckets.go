package exec

import (
	"strconv"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// maxBuckets is Spark's spark.sql.sources.bucketing.maxBuckets.
const maxBuckets = 100000

// setBuckets keeps CLUSTERED BY in the catalog: tables that other engines wrote in buckets are read like all others, and only
// statements that would write rows into the wrong files are refused.
func (r *run) setBuckets(n *ast.CreateTable, t *catalog.Table, full ident.Name) error {
	if n.Buckets == nil {
		return nil
	}
	if n.Query != nil {
		return refuseBuckets().At(n.Buckets.Span())
	}
	count, err := strconv.Atoi(n.Buckets.Count)
	if err != nil || count <= 0 || count > maxBuckets {
		return sqlerr.InvalidBucketCount(n.Buckets.Count, maxBuckets).At(n.Buckets.Span())
	}
	b := catalog.Buckets{Count: count}
	find := func(kind, name string, node ast.Node) (string, error) {
		i, err := r.column(t.Columns, ident.Name{name})
		if err != nil {
			var have []string
			for _, f := range t.Columns {
				have = append(have, ident.Quote(f.Name))
			}
			return "", sqlerr.ColumnNotDefined(kind, ident.Quote(name), full.Quoted(), have).At(node.Span())
		}
		if isPartitionColumn(t, i) {
			return "", sqlerr.Unsupported("TABLE_CLAUSE", "buckets by the partition column "+ident.Quote(name)).At(node.Span())
		}
		return t.Columns[i].Name, nil
	}
	for _, c := range n.Buckets.Columns {
		name, err := find("bucket", c.Name, c)
		if err != nil {
			return err
		}
		b.Columns = append(b.Columns, name)
	}
	for _, s := range n.Buckets.Sorted {
		col, ok := s.Expr.(*ast.ColumnRef)
		if !ok || s.Desc || len(col.Parts) != 1 {
			return sqlerr.Unsupported("TABLE_CLAUSE", "SORTED BY of anything but ascending columns").At(s.Span())
		}
		name, err := find("sort", col.Parts[0].Name, s)
		if err != nil {
			return err
		}
		b.Sorted = append(b.Sorted, name)
	}
	t.SetBuckets(b)
	return nil
}

func refuseBuckets() *sqlerr.Error {
	return sqlerr.Unsupported("TABLE_CLAUSE", "writing a table that is CLUSTERED BY … INTO … BUCKETS: another engine must write its files")
}
