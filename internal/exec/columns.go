package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// columns fills the columns and partition columns of a new table: as declared, or inferred from its files.
func (r *run) columns(ctx context.Context, n *ast.CreateTable, t *catalog.Table, full ident.Name, loc *storage.Location) error {
	declared, err := r.declared(ctx, "CREATE TABLE", n.Columns)
	if err != nil {
		return err
	}
	typed, err := r.declared(ctx, "CREATE TABLE", n.PartitionColumns)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range n.PartitionNames {
		names = append(names, p.Name)
	}
	for _, f := range typed {
		names = append(names, f.Name)
	}
	if dup, ok := duplicate(append(slices.Clone(declared), typed...)); ok {
		return sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(dup))).At(n.Span())
	}
	if dup, ok := ident.Twice(names); ok {
		return sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(dup))).At(n.Span())
	}
	if !n.HasColumns {
		if loc == nil {
			return sqlerr.UnableToInferSchema(strings.ToUpper(t.Format), "no LOCATION, and no columns").At(n.Span())
		}
		return r.inferred(ctx, n, t, *loc, names, typed)
	}
	return r.arrange(ctx, n, t, full, loc, append(declared, typed...), names)
}

// arrange puts declared columns in order: partition columns last, in the order of PARTITIONED BY.
func (r *run) arrange(ctx context.Context, n *ast.CreateTable, t *catalog.Table, full ident.Name, loc *storage.Location, fields []types.Field, names []string) error {
	at := func(name string) int {
		return slices.IndexFunc(fields, func(f types.Field) bool { return r.sameColumn(f.Name, name) })
	}
	var last []types.Field
	isPartition := map[int]bool{}
	for i, name := range names {
		k := at(name)
		if k < 0 {
			var have []string
			for _, f := range fields {
				have = append(have, ident.Quote(f.Name))
			}
			span := n.Span()
			if i < len(n.PartitionNames) {
				span = n.PartitionNames[i].Span()
			}
			return sqlerr.ColumnNotDefined("partition", ident.Quote(name), full.Quoted(), have).At(span)
		}
		if !canPartition(fields[k].Type) {
			return sqlerr.InvalidPartitionColumnType(quoteType(fields[k].Type)).At(n.Span())
		}
		isPartition[k] = true
		last = append(last, fields[k])
		t.Partition = append(t.Partition, fields[k].Name)
	}
	if len(names) > 0 && len(names) == len(fields) {
		return sqlerr.AllPartitionColumns().At(n.Span())
	}
	for k, f := range fields {
		if !isPartition[k] {
			t.Columns = append(t.Columns, f)
		}
	}
	t.Columns = append(t.Columns, last...)
	if len(names) == 0 && loc != nil {
		// key=value directories under a table that declares no partitions are read as Spark reads them: their keys are
		// inferred at each read. They must make sense now.
		t.InferPartitions = true
		_, err := r.x.Scans.Infer(ctx, scan.InferRequest{
			Paths: []storage.Location{*loc}, Format: t.Format, Options: t.Options, Columns: t.Columns, Settings: r.scanSettings(),
		})
		if err != nil && storage.KindOf(err) != storage.NotFound {
			return err
		}
	}
	return nil
}

// inferred takes the columns of a table from its files and the partition columns from its directories.
func (r *run) inferred(ctx context.Context, n *ast.CreateTable, t *catalog.Table, loc storage.Location, names []string, typed []types.Field) error {
	var user []partition.Column
	for _, f := range typed {
		user = append(user, partition.Column{Name: f.Name, Type: f.Type})
	}
	in, err := r.x.Scans.Infer(ctx, scan.InferRequest{
		Paths: []storage.Location{loc}, Format: t.Format, Options: t.Options, PartitionNames: names, PartitionColumns: user, Settings: r.scanSettings(),
	})
	if err != nil {
		return at(err, n.LocationAt)
	}
	t.Columns, t.Partition = in.Columns, in.Partition
	for _, f := range t.PartitionColumns() {
		if !canPartition(f.Type) {
			return sqlerr.InvalidPartitionColumnType(quoteType(f.Type)).At(n.Span())
		}
	}
	if len(t.Columns) == len(t.Partition) {
		return sqlerr.AllPartitionColumns().At(n.Span())
	}
	return nil
}

// declared turns column definitions of a statement into fields.
func (r *run) declared(ctx context.Context, statement string, defs []*ast.ColumnDef) ([]types.Field, error) {
	var out []types.Field
	for _, d := range defs {
		// NOT NULL is taken and forgotten, as Spark does for tables of files: nobody checks what files hold.
		f := types.Field{Name: d.Name().Name, Type: d.Type.T}
		if d.Comment != nil {
			f.Comment, f.HasComment = *d.Comment, true
		}
		if d.Default != nil {
			if err := r.setDefault(ctx, statement, &f, d.Default, d.DefaultText, true); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

func (r *run) sameColumn(a, b string) bool {
	if r.s.Conf.Bool(conf.CaseSensitive) {
		return a == b
	}
	return ident.Equal(a, b)
}

func duplicate(fs []types.Field) (string, bool) {
	var names []string
	for _, f := range fs {
		names = append(names, f.Name)
	}
	return ident.Twice(names)
}

// canPartition reports whether a directory name can hold values of a type.
func canPartition(t types.Type) bool {
	switch t.Kind {
	case types.Array, types.Map, types.Struct, types.Variant, types.CalendarInterval, types.Void:
		return false
	}
	return true
}

func quoteType(t types.Type) string { return `"` + t.SQL() + `"` }

// partitionColumns are a table's partition columns as the partition package knows them.
func partitionColumns(t *catalog.Table) []partition.Column {
	var out []partition.Column
	for _, f := range t.PartitionColumns() {
		out = append(out, partition.Column{Name: f.Name, Type: f.Type})
	}
	return out
}
