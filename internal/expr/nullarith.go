package expr

import "github.com/tarnlake/tarn/internal/types"

// untypedNull is the value of an arithmetic operator between NULL without a type and an interval, date or timestamp,
// which Spark types after the other side; nil for all other operands.
func untypedNull(op string, args []Expr) Expr {
	if len(args) != 2 || len(op) != 1 {
		return nil
	}
	a, b := args[0].Type(), args[1].Type()
	other, nullFirst := a, false
	switch {
	case b.Kind == types.Void:
	case a.Kind == types.Void:
		other, nullFirst = b, true
	default:
		return nil
	}
	null := func(t types.Type) Expr { return &Literal{T: t} }
	isInterval := isDayTime(other) || isYearMonth(other)
	switch op {
	case "+", "-":
		switch {
		case isInterval:
			return null(other)
		case op == "+" && isTemporal(other.Kind) && other.Kind == types.TimestampNTZ:
			return null(other)
		case op == "+" && isTemporal(other.Kind):
			return null(types.Of(types.Timestamp))
		case other.Kind == types.Date:
			return null(types.IntervalOf(types.FieldDay, types.FieldDay))
		case isTemporal(other.Kind):
			return null(types.IntervalOf(types.FieldDay, types.FieldSecond))
		}
	case "*", "/":
		switch {
		case op == "/" && nullFirst:
		case isDayTime(other):
			return null(types.IntervalOf(types.FieldDay, types.FieldSecond))
		case isYearMonth(other):
			return null(types.IntervalOf(types.FieldYear, types.FieldMonth))
		}
	}
	return nil
}
