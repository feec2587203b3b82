package bind

import (
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Check is a condition that each written row must satisfy: FALSE and NULL fail.
type Check struct {
	Name string
	SQL  string
}

// checked makes rows fail that break the target's rules: NULL where it is NOT NULL (if it asks for that), and its checks. A
// check that cannot be understood is an error: a rule that is not looked at would be broken.
// fields are the columns that rows has.
func (b *binder) checked(rows *plan.Project, fields []types.Field, target InsertTarget) (plan.Node, error) {
	if len(target.Checks) == 0 && !target.NotNull {
		return rows, nil
	}
	out := &plan.Project{Input: rows}
	for _, c := range rows.Out {
		out.Out, out.Exprs = append(out.Out, b.newColumn(c.Name, c.Type)), append(out.Exprs, columnRef(c))
	}
	if len(out.Exprs) == 0 {
		return out, nil
	}
	// What the rows do not have is the same in all of them.
	columns, fixed := slices.Clone(rows.Out), map[expr.ColumnID]expr.Expr{}
	for level, k := range target.Keys {
		f := target.Columns[k]
		if level < len(target.Static) && b.fieldNamed(fields, f.Name) < 0 {
			c := b.newColumn(f.Name, f.Type)
			columns = append(columns, c)
			fixed[c.ID] = &expr.Literal{Value: target.Static[level], T: f.Type}
		}
	}
	// All hang on the first column, the NULLs around the rest: they are looked at first.
	for _, check := range target.Checks {
		e, err := parser.ParseExpr(check.SQL)
		if err != nil {
			return nil, err
		}
		cond, err := b.standalone(e, columns)
		if err != nil {
			return nil, err
		}
		if k := cond.Type().Kind; k != types.Boolean && k != types.Void {
			return nil, sqlerr.FilterNotBoolean(check.SQL, cond.Type().SQL())
		}
		cond = expr.Transform(cond, func(x expr.Expr) expr.Expr {
			if c, ok := x.(*expr.Column); ok && fixed[c.ID] != nil {
				return fixed[c.ID]
			}
			return x
		})
		out.Exprs[0] = expr.Require(cond, out.Exprs[0], sqlerr.CheckViolated(check.Name, check.SQL))
	}
	for i := len(fields) - 1; i >= 0 && target.NotNull; i-- {
		if err := b.notNull(out, columnRef(rows.Out[i]), fields[i], ident.Name{fields[i].Name}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// notNull makes rows fail in which a column or a field, at a path, is NULL and must not be, or a field inside it. As in Delta a
// struct that is NULL has no field that is not.
func (b *binder) notNull(out *plan.Project, x expr.Expr, f types.Field, path ident.Name) error {
	if f.Type.Kind == types.Struct {
		for i := len(f.Type.Fields) - 1; i >= 0; i-- {
			inner := f.Type.Fields[i]
			field := &expr.GetField{Arg: x, Ordinal: i, Name: inner.Name, T: inner.Type}
			if err := b.notNull(out, field, inner, append(path[:len(path):len(path)], inner.Name)); err != nil {
				return err
			}
		}
	}
	if !f.NotNull {
		return nil
	}
	there, err := b.resolve("isnotnull", []expr.Expr{x})
	if err != nil {
		return err
	}
	out.Exprs[0] = expr.Require(there, out.Exprs[0], sqlerr.NotNullViolated(path.Quoted()))
	return nil
}
