package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// setDefault gives a column of a table the default that a statement writes: SQL without columns, sub-queries and chance, whose
// value may be stored in the column. A column that is added has that value in the files that are there.
func (r *run) setDefault(ctx context.Context, statement string, f *types.Field, e ast.Expr, text string, added bool) error {
	column := ident.Quote(f.Name)
	refuse := func(why, because string) error {
		return sqlerr.InvalidDefault(why, statement, column, text, because).At(e.Span())
	}
	x, err := bind.BindExpr(ctx, e, nil, r.bindEnv(nil))
	var known *sqlerr.Error
	switch {
	case errors.As(err, &known) && strings.HasPrefix(string(known.Condition), "UNRESOLVED_"):
		return refuse("UNRESOLVED_EXPRESSION", "it names something that is not there")
	case err != nil:
		return err
	}
	hasQuery, chance := false, false
	expr.Walk(x, func(y expr.Expr) bool {
		switch y := y.(type) {
		case *expr.Subquery:
			hasQuery = true
		case *expr.Call:
			chance = chance || y.Fn.Volatile
		}
		return true
	})
	if hasQuery {
		return refuse("SUBQUERY_EXPRESSION", "it holds a sub-query")
	}
	if chance {
		return refuse("NOT_CONSTANT", "it is not the same each time")
	}
	stored, err := expr.Store(x, f.Type, f.Name, expr.StoreOptions{Policy: expr.StoreANSI})
	if err != nil {
		return refuse("DATA_TYPE", "its type is "+quoteType(x.Type())+", that of the column "+quoteType(f.Type))
	}
	value, err := r.value(ctx, stored)
	if err != nil {
		return at(err, e)
	}
	f.Default = text
	if !added {
		return nil
	}
	literal, ok := literalText(value, f.Type, r.context())
	if !ok {
		return sqlerr.Unsupported("TABLE_CLAUSE", "DEFAULT values of columns of type "+f.Type.SQL()+" as they are added").At(e.Span())
	}
	f.Exists = literal
	return nil
}

// value computes an expression without columns.
func (r *run) value(ctx context.Context, x expr.Expr) (types.Value, error) {
	if expr.CanEval(x) {
		return expr.Eval(x, r.context(), func(expr.ColumnID) types.Value { return nil })
	}
	out := plan.Column{ID: 1, Name: "value", Type: x.Type()}
	rows, err := r.x.Engine.Query(ctx, r.engineQuery(&plan.Project{Input: &plan.OneRow{}, Out: []plan.Column{out}, Exprs: []expr.Expr{x}}, nil, "running"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	batch, err := rows.Next(ctx)
	if err != nil || batch == nil || batch.Len != 1 {
		return nil, errors.Join(err, rows.Close())
	}
	return batch.Cols[0].Value(0), nil
}

// literalText is a value as SQL, for the types whose values all readers can fill in.
func literalText(v types.Value, t types.Type, c *expr.Context) (string, bool) {
	if v == nil {
		return "", true
	}
	if !t.Kind.IsNumeric() && !t.Kind.IsText() {
		switch t.Kind {
		case types.Boolean, types.Date, types.Timestamp, types.TimestampNTZ:
		default:
			return "", false
		}
	}
	s, err := types.Cast(v, t, types.Of(types.String), types.CastOptions{Zone: c.Zone})
	text, ok := s.(string)
	if err != nil || !ok {
		return "", false
	}
	return "CAST(" + quoteSQL(text) + " AS " + t.SQL() + ")", true
}

// withMissing fills in what columns are in files that lack them.
func (r *run) withMissing(ctx context.Context, fields []types.Field) ([]types.Field, error) {
	if !slices.ContainsFunc(fields, func(f types.Field) bool { return f.Exists != "" }) {
		return fields, nil
	}
	out := slices.Clone(fields)
	for i := range out {
		f := &out[i]
		if f.Exists == "" {
			continue
		}
		e, err := parser.ParseExpr(f.Exists)
		if err != nil {
			return nil, err
		}
		x, err := bind.BindExpr(ctx, e, nil, r.bindEnv(nil))
		if err != nil {
			return nil, err
		}
		if x, err = expr.Store(x, f.Type, f.Name, expr.StoreOptions{Policy: expr.StoreANSI}); err != nil {
			return nil, err
		}
		if f.Missing, err = r.value(ctx, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}
