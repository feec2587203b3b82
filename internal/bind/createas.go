package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// CreateAs is a bound query that makes a table, or a directory of files, with the query's columns.
type CreateAs struct {
	// Root yields the rows: the data columns in the query's order, then the partition columns in level order.
	Root plan.Node
	// Columns are the columns of Root. CHAR and VARCHAR columns of what the query reads keep their types.
	Columns []types.Field
	// Ordered is that of Insert.
	Ordered bool
}

// BindCreateAs binds CREATE TABLE … AS SELECT, INSERT … DIRECTORY and INSERT by path: what is written has the query's
// columns, of which keys are the partition columns in level order. table is the quoted name for messages.
//
// Errors: COLUMN_ALREADY_EXISTS for two columns of one name or a key named twice, COLUMN_NOT_DEFINED_IN_TABLE for a key
// that the query lacks, ALL_PARTITION_COLUMNS_NOT_ALLOWED, INVALID_PARTITION_COLUMN_DATA_TYPE, and those of the query.
// Whether the format can hold the columns is the caller's to check.
func BindCreateAs(ctx context.Context, q *ast.Query, keys []ast.Ident, table string, env Env) (*CreateAs, error) {
	b := newBinder(ctx, env)
	node, err := b.query(q, b.top())
	if err != nil {
		return nil, err
	}
	data := node.Output()
	seen := map[string]bool{}
	for i, c := range data {
		if seen[b.fold(c.Name)] {
			return nil, sqlerr.ColumnAlreadyExists(ident.Quote(c.Name)).At(columnSpan(q, i, len(data)))
		}
		seen[b.fold(c.Name)] = true
	}
	order, err := b.keysLast(data, keys, table)
	if err != nil {
		return nil, err
	}
	out := &CreateAs{Ordered: endsOrdered(q)}
	cols := make([]column, len(order))
	for i, c := range order {
		cols[i] = column{Column: data[c]}
		out.Columns = append(out.Columns, types.Field{Name: data[c].Name, Type: data[c].Type})
	}
	out.Root, err = b.rewrite(projectColumns(node, cols))
	return out, err
}

// keysLast orders the positions of columns: those that are no key as they are, then the keys in their order.
func (b *binder) keysLast(data []plan.Column, keys []ast.Ident, table string) ([]int, error) {
	isKey := make([]bool, len(data))
	var last []int
	for _, id := range keys {
		c := -1
		for i, d := range data {
			if b.same(d.Name, id.Name) {
				c = i
			}
		}
		if c < 0 {
			return nil, sqlerr.ColumnNotDefined("partition", ident.Quote(id.Name), table, dataNames(data)).At(id.Span())
		}
		if isKey[c] {
			return nil, sqlerr.ColumnAlreadyExists(ident.Quote(data[c].Name)).At(id.Span())
		}
		if t := data[c].Type; t.Kind.IsNested() || t.Kind == types.Variant || t.Kind == types.CalendarInterval || t.Kind == types.Void {
			return nil, sqlerr.InvalidPartitionColumnType(`"` + t.SQL() + `"`).At(id.Span())
		}
		isKey[c] = true
		last = append(last, c)
	}
	var order []int
	for i := range data {
		if !isKey[i] {
			order = append(order, i)
		}
	}
	if len(order) == 0 && len(keys) > 0 {
		return nil, sqlerr.AllPartitionColumns().At(keys[0].Span())
	}
	return append(order, last...), nil
}
