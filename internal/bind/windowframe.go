package bind

import (
	"math"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// windowFrame binds ROWS or RANGE. The order of the checks is Spark's.
func (b *binder) windowFrame(spec *ast.WindowSpec, w *expr.Window, es *exprScope) (*expr.Frame, error) {
	f := spec.Frame
	end := ast.FrameBound{Kind: ast.CurrentRow}
	if f.Upper != nil {
		end = *f.Upper
	}
	frame := &frameBinder{b: b, spec: spec, es: es, rows: f.Rows}
	if len(w.OrderBy) == 1 {
		key := w.OrderBy[0].Expr.Type()
		frame.key = &key
	}
	start, err := frame.bound(f.Lower, "lower")
	if err != nil {
		return nil, err
	}
	stop, err := frame.bound(end, "upper")
	if err != nil {
		return nil, err
	}
	if start.Kind == expr.UnboundedFollowing || stop.Kind == expr.UnboundedPreceding {
		return nil, sqlerr.FrameBoundOrder(frameText(b, f))
	}
	hasOffset := start.Offset != nil || stop.Offset != nil
	if start.Offset != nil && stop.Offset != nil {
		x, y := start.Offset.Type(), stop.Offset.Type()
		if !types.Equal(x, y) {
			return nil, sqlerr.FrameBoundTypes(frameText(b, f), x.SQL(), y.SQL())
		}
		if b.above(start, stop) {
			return nil, sqlerr.FrameBounds(frameText(b, f))
		}
	}
	switch {
	case f.Rows:
	case len(w.OrderBy) == 0 && (hasOffset || f.Lower.Kind != ast.UnboundedPreceding || end.Kind != ast.UnboundedFollowing):
		return nil, sqlerr.RangeFrameWithoutOrder(windowText(b, spec, "", nil))
	case hasOffset && len(w.OrderBy) > 1:
		var keys []string
		for _, k := range spec.OrderBy {
			keys = append(keys, b.text(k.Expr))
		}
		return nil, sqlerr.RangeFrameMultiOrder(windowText(b, spec, "", nil), strings.Join(keys, ", "))
	case hasOffset:
		for _, x := range []expr.Bound{start, stop} {
			if x.Offset != nil && !frameType(*frame.key, x.Offset.Type()) {
				return nil, sqlerr.RangeFrameType(windowText(b, spec, "", nil), frame.key.SQL(), x.Offset.Type().SQL())
			}
		}
	}
	return b.plainFrame(&expr.Frame{Rows: f.Rows, Start: start, End: stop})
}

// frameBinder binds the bounds of one frame.
type frameBinder struct {
	b    *binder
	spec *ast.WindowSpec
	es   *exprScope
	rows bool
	key  *types.Type // of the only key of ORDER BY, nil when there are none or several
}

// bound binds one end of the frame: an offset becomes a constant of the key's type where it can be cast to that.
func (f *frameBinder) bound(x ast.FrameBound, where string) (expr.Bound, error) {
	b := f.b
	out := expr.Bound{Kind: expr.BoundKind(x.Kind)}
	if x.Offset == nil {
		return out, nil
	}
	if _, named := x.Offset.(*ast.ColumnRef); named {
		return out, sqlerr.InvalidFrameBound().At(x.Span())
	}
	constant := &exprScope{frame: f.es.frame, scope: f.es.scope, clause: "a window frame"}
	e, err := b.expr(x.Offset, constant)
	if err != nil {
		return out, err
	}
	e = b.foldTree(e)
	lit, ok := e.(*expr.Literal)
	if !ok || lit.T.Kind.IsNested() {
		return out, sqlerr.InvalidFrameBound().At(x.Span())
	}
	if f.rows {
		if lit.T.Kind != types.Int {
			return out, sqlerr.FrameBoundType(where, lit.T.SQL(), "INT").At(x.Span())
		}
		out.Offset = &expr.Literal{Value: lit.Value, T: types.Of(types.BigInt)}
		return out, nil
	}
	if out.Kind == expr.Preceding {
		// Spark takes x PRECEDING for -x FOLLOWING, and the operator casts text.
		switch k := lit.T.Kind; {
		case k.IsText():
			if e, err = b.castOffset(e, types.Of(types.Double)); err != nil {
				return out, at(err, x.Span())
			}
		case !isDistance(k) && k != types.Void:
			return out, sqlerr.UnexpectedInputType("(- "+b.text(x.Offset)+")", 1, distances, b.text(x.Offset), lit.T.SQL()).At(x.Span())
		}
	}
	if f.key != nil && !isDay(f.key.Kind) && !types.Equal(e.Type(), *f.key) && (e.Type().Kind == types.Void || types.CanCast(e.Type(), *f.key, types.ANSI)) {
		if e, err = b.castOffset(e, *f.key); err != nil {
			return out, at(err, x.Span())
		}
	}
	if k := e.Type().Kind; !isDistance(k) && k != types.Void {
		return out, sqlerr.FrameBoundType(where, e.Type().SQL(), distances).At(x.Span())
	}
	if lit, ok := e.(*expr.Literal); ok && lit.Value == nil {
		return out, sqlerr.Unsupported("WINDOW_FRAME_NULL", "a window frame with a bound that is NULL").At(x.Span())
	}
	out.Offset = e
	return out, nil
}

// distances are the types of the offsets of a RANGE frame, as Spark's messages name them.
const distances = `("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")`

func isDistance(k types.Kind) bool {
	return k.IsNumeric() || k == types.YearMonthInterval || k == types.DayTimeInterval || k == types.CalendarInterval
}

// isDay tells the types of a key to which distances are added as they are.
func isDay(k types.Kind) bool {
	return k == types.Date || k == types.Timestamp || k == types.TimestampNTZ
}

// frameType reports whether a RANGE frame over a key may have offsets of a type.
func frameType(key, offset types.Type) bool {
	switch key.Kind {
	case types.Date:
		days := types.IntervalOf(types.FieldDay, types.FieldDay)
		return offset.Kind == types.Int || offset.Kind == types.YearMonthInterval || types.Equal(offset, days)
	case types.Timestamp, types.TimestampNTZ:
		return offset.Kind == types.YearMonthInterval || offset.Kind == types.DayTimeInterval
	}
	return types.Equal(key, offset)
}

// castOffset is an offset as another type.
func (b *binder) castOffset(e expr.Expr, to types.Type) (expr.Expr, error) {
	x, err := expr.NewCast(e, to, types.ANSI)
	if err != nil {
		return nil, err
	}
	return b.foldTree(x), nil
}

// signed is the offset of a bound as a number, below zero when it precedes; ok is false when it is not known before the query
// runs.
func (b *binder) signed(x expr.Bound) (lit *expr.Literal, ok bool) {
	if x.Kind == expr.Following {
		lit, ok = x.Offset.(*expr.Literal)
		return lit, ok
	}
	return b.negative(x.Offset)
}

func (b *binder) negative(e expr.Expr) (*expr.Literal, bool) {
	neg, err := b.resolve("neg", []expr.Expr{e})
	if err != nil {
		return nil, false
	}
	lit, ok := b.foldTree(neg).(*expr.Literal)
	return lit, ok
}

// above reports whether one bound certainly lies behind the other.
func (b *binder) above(x, y expr.Bound) bool {
	l, ok := b.signed(x)
	r, ok2 := b.signed(y)
	return ok && ok2 && types.Equal(l.T, r.T) && types.Compare(l.T, l.Value, r.Value) > 0
}

// plainFrame writes a frame as the engine takes it: no distance is below zero, none is 0, and a frame that ends before it
// starts, which Spark allows next to the current row, is an empty one.
func (b *binder) plainFrame(f *expr.Frame) (*expr.Frame, error) {
	for _, x := range []*expr.Bound{&f.Start, &f.End} {
		lit, ok := x.Offset.(*expr.Literal)
		if !ok {
			continue
		}
		if v, float := lit.Value.(float64); float && math.IsNaN(v) {
			// Everything is below NaN, and nothing but NaN is not.
			if x != &f.End {
				return nil, sqlerr.Unsupported("WINDOW_FRAME_NAN", "a window frame that begins at NaN")
			}
			*x = expr.Bound{Kind: expr.UnboundedFollowing}
			continue
		}
		neg, ok := b.negative(lit)
		if !ok {
			continue
		}
		switch c := types.Compare(lit.T, lit.Value, neg.Value); {
		case c == 0:
			*x = expr.Bound{Kind: expr.CurrentRow}
		case c < 0 && x.Kind == expr.Preceding:
			*x = expr.Bound{Kind: expr.Following, Offset: neg}
		case c < 0:
			*x = expr.Bound{Kind: expr.Preceding, Offset: neg}
		}
	}
	if f.Start.Kind == expr.Following && (f.End.Kind == expr.CurrentRow || f.End.Kind == expr.Preceding) || f.Start.Kind == expr.CurrentRow && f.End.Kind == expr.Preceding {
		rows := func(n int64) expr.Bound {
			return expr.Bound{Kind: expr.Following, Offset: &expr.Literal{Value: n, T: types.Of(types.BigInt)}}
		}
		return &expr.Frame{Rows: true, Start: rows(2), End: rows(1)}, nil
	}
	return f, nil
}
