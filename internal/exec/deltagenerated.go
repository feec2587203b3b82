package exec

import (
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// isGenerated reports whether a column is declared with GENERATED ALWAYS AS.
func isGenerated(d *ast.ColumnDef) bool { return d.Generated != nil }

// checkGenerated checks what the columns of a table are computed from, before anything else of CREATE TABLE: as in Spark the statement is
// wrong whatever is there. Tables that are not Delta tables have no such columns.
func (r *run) checkGenerated(ctx context.Context, n *ast.CreateTable, table ident.Name) error {
	if n.Query != nil || !slices.ContainsFunc(n.Columns, isGenerated) {
		return nil
	}
	var plain []plan.Column
	var generated []string
	for i, d := range slices.Concat(n.Columns, n.PartitionColumns) {
		switch {
		case !isGenerated(d):
			plain = append(plain, plan.Column{ID: expr.ColumnID(i + 1), Name: d.Name().Name, Type: d.Type.T})
		case d.Default != nil:
			return sqlerr.GeneratedWithDefault(d.Name().Name, d.DefaultText, d.GeneratedText).At(d.Span())
		case !isDelta(r.sourceName(n)):
			return sqlerr.GeneratedColumnsUnsupported(table.Quoted()).At(d.Span())
		default:
			generated = append(generated, d.Name().Name)
		}
	}
	for _, d := range n.Columns {
		if !isGenerated(d) {
			continue
		}
		f := types.Field{Name: d.Name().Name, Type: d.Type.T, Generated: d.GeneratedText}
		if err := bind.CheckGenerated(ctx, bind.NewGenerated{Column: f, Expr: d.Generated, Others: plain, Generated: generated}, r.bindEnv(nil)); err != nil {
			return at(err, d.Generated)
		}
	}
	return nil
}
