package bind

import (
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/parser"
)

// Generated is a column of a target whose value is computed from the others of its row: SQL over the target's columns. A statement
// that gives the column no value has it computed; that given ones are right is for the target's Checks to say.
type Generated struct {
	Column int
	SQL    string
}

// generatedAt is how a column of the target is generated.
func (t *InsertTarget) generatedAt(column int) (Generated, bool) {
	i := slices.IndexFunc(t.Generated, func(g Generated) bool { return g.Column == column })
	if i < 0 {
		return Generated{}, false
	}
	return t.Generated[i], true
}

// generated is the value of a generated column in a row; value gives those of the target's other columns. uses tells which of them it
// is made of.
func (b *binder) generated(g Generated, target InsertTarget, value func(column int) expr.Expr) (x expr.Expr, uses []int, err error) {
	e, err := parser.ParseExpr(g.SQL)
	if err != nil {
		return nil, nil, err
	}
	columns, place := make([]plan.Column, len(target.Columns)), map[expr.ColumnID]int{}
	for i, f := range target.Columns {
		columns[i] = b.newColumn(f.Name, f.Type)
		place[columns[i].ID] = i
	}
	if x, err = b.standalone(e, columns); err != nil {
		return nil, nil, err
	}
	f := target.Columns[g.Column]
	if x, err = expr.Store(x, f.Type, f.Name, expr.StoreOptions{Table: target.Name, Policy: expr.StoreANSI, CaseSensitive: b.env.CaseSensitive}); err != nil {
		return nil, nil, err
	}
	x = expr.Transform(x, func(y expr.Expr) expr.Expr {
		if c, ok := y.(*expr.Column); ok {
			if i, ok := place[c.ID]; ok {
				uses = append(uses, i)
				return value(i)
			}
		}
		return y
	})
	return x, uses, nil
}

// withGenerated puts the generated columns that a statement gives no value into its rows. rows has the columns of the target at the
// places have, in their order; want are the places to yield.
func (b *binder) withGenerated(rows *plan.Project, have, want []int, target InsertTarget) (*plan.Project, error) {
	value := func(column int) expr.Expr {
		if i := slices.Index(have, column); i >= 0 {
			return columnRef(rows.Out[i])
		}
		f := target.Columns[column]
		lit := &expr.Literal{T: f.Type}
		if level := target.level(column); level >= 0 && level < len(target.Static) {
			lit.Value = target.Static[level]
		}
		return lit
	}
	out := &plan.Project{Input: rows}
	for _, c := range want {
		f := target.Columns[c]
		e := value(c)
		if g, ok := target.generatedAt(c); ok && !slices.Contains(have, c) {
			var err error
			if e, _, err = b.generated(g, target, value); err != nil {
				return nil, err
			}
		}
		out.Out, out.Exprs = append(out.Out, b.newColumn(f.Name, f.Type)), append(out.Exprs, e)
	}
	return out, nil
}

// regenerate computes those generated columns anew that a statement has not assigned, although columns that they are made of were.
func (b *binder) regenerate(values []expr.Expr, assigned func(column int) bool, target InsertTarget) error {
	given := slices.Clone(values)
	for _, g := range target.Generated {
		if assigned(g.Column) {
			continue
		}
		x, uses, err := b.generated(g, target, func(column int) expr.Expr { return given[column] })
		if err != nil {
			return err
		}
		if slices.ContainsFunc(uses, assigned) {
			values[g.Column] = x
		}
	}
	return nil
}
