package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func (b *binder) replaceWhere(e ast.Expr, columns []plan.Column) (expr.Expr, error) {
	x, err := b.standalone(e, columns)
	if err != nil {
		return nil, err
	}
	if k := x.Type().Kind; k != types.Boolean && k != types.Void {
		return nil, sqlerr.FilterNotBoolean(b.text(e), x.Type().SQL()).At(e.Span())
	}
	if volatile(x) || exists(x, isSubquery) {
		return nil, sqlerr.Unsupported("REPLACE_WHERE_PREDICATE", "REPLACE WHERE with a sub-query or a random function").At(e.Span())
	}
	return x, nil
}

// requireReplaced makes rows fail that the predicate of REPLACE WHERE does not hold for.
func (b *binder) requireReplaced(node plan.Node, n *ast.Insert, target InsertTarget) (plan.Node, error) {
	if n.Spec != nil {
		return nil, sqlerr.InvalidStatement("INSERT INTO ... PARTITION ... REPLACE WHERE").At(n.Spec.Span())
	}
	rows := node.Output()
	cond, err := b.replaceWhere(n.ReplaceWhere, rows)
	if err != nil {
		return nil, err
	}
	mismatch := sqlerr.ReplaceWhereMismatch
	if target.Delta {
		mismatch = sqlerr.DeltaReplaceWhereMismatch
	}
	out := &plan.Project{Input: node}
	for i, c := range rows {
		e := expr.Expr(columnRef(c))
		if i > 0 {
			out.Out, out.Exprs = append(out.Out, c), append(out.Exprs, e)
			continue
		}
		out.Out = append(out.Out, b.newColumn(c.Name, c.Type))
		out.Exprs = append(out.Exprs, expr.Require(cond, e, mismatch(b.text(n.ReplaceWhere))))
	}
	return out, nil
}

// ReplaceUsing finds the columns of INSERT … REPLACE USING (…) among the target's: their positions, in the order
// written. The errors are UNRESOLVED_COLUMN and COLUMN_ALREADY_EXISTS.
func ReplaceUsing(columns []ast.Ident, target InsertTarget, env Env) ([]int, error) {
	b := newBinder(context.Background(), env)
	var out []int
	seen := map[int]bool{}
	for _, id := range columns {
		c := b.fieldNamed(target.Columns, id.Name)
		if c < 0 {
			return nil, unknownColumn(id, target.Columns)
		}
		if seen[c] {
			return nil, sqlerr.ColumnAlreadyExists(ident.Quote(id.Name)).At(id.Span())
		}
		seen[c] = true
		out = append(out, c)
	}
	return out, nil
}
