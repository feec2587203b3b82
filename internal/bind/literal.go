package bind

import (
	"strconv"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func itoa(i int) string { return strconv.Itoa(i) }

// literal binds a constant.
func (b *binder) literal(e ast.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *ast.NullLit:
		return &expr.Literal{}, nil
	case *ast.BoolLit:
		return &expr.Literal{Value: e.Value, T: types.Of(types.Boolean)}, nil
	case *ast.StringLit:
		return text(e.Value), nil
	case *ast.NumberLit:
		return &expr.Literal{Value: e.Value, T: e.Type}, nil
	case *ast.BinaryLit:
		return &expr.Literal{Value: e.Value, T: types.Of(types.Binary)}, nil
	case *ast.Unit:
		return text(e.Name), nil
	case *ast.TypedLit:
		return b.typedLiteral(e)
	case *ast.IntervalLit:
		return b.intervalLiteral(e)
	}
	return nil, sqlerr.Unsupported("LITERAL", "this form of literal")
}

// typedLiteral reads DATE '…', TIME '…' and the timestamps. TIMESTAMP '…' is an instant in the session's zone.
func (b *binder) typedLiteral(e *ast.TypedLit) (expr.Expr, error) {
	var v int64
	var ok bool
	t := types.Of(types.Timestamp)
	name := e.Kind
	switch e.Kind {
	case "DATE":
		t = types.Of(types.Date)
		v, ok = types.ParseDate(e.Text)
	case "TIMESTAMP_NTZ":
		t = types.Of(types.TimestampNTZ)
		v, ok = types.ParseTimestampNTZ(e.Text)
	case "TIME":
		if v, ok = types.ParseTime(e.Text); !ok {
			return nil, sqlerr.InvalidTypedLiteral(name, e.Text)
		}
		t = types.TimeOf(types.MaxTimePrecision)
	case "TIMESTAMP", "TIMESTAMP_LTZ":
		v, ok = types.ParseTimestamp(e.Text, b.env.Context.Zone)
	default:
		return nil, sqlerr.UnsupportedTypedLiteral(e.Kind)
	}
	if ok {
		return &expr.Literal{Value: v, T: t}, nil
	}
	// The special words (today, now, …) are casts that fold.
	cast := b.foldTree(&expr.Cast{Arg: text(e.Text), T: t})
	if lit, folded := cast.(*expr.Literal); folded {
		return lit, nil
	}
	return nil, sqlerr.InvalidTypedLiteral(name, e.Text)
}

// param is a parameter marker that no value was put in the place of.
func (b *binder) param(e *ast.Param) (expr.Expr, error) {
	name := e.Name
	if name == "" {
		name = "_" + itoa(e.Index)
	}
	return nil, sqlerr.UnboundParameter(name)
}
