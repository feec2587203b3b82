package bind

import (
	"math"
	"math/big"
	"strconv"
	"strings"

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
		return intervalLiteral(e)
	}
	return nil, sqlerr.Unsupported("LITERAL", "this form of literal")
}

// typedLiteral reads DATE '…' and the timestamps. TIMESTAMP '…' is an instant in the session's zone.
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

var intervalFields = map[string]int{
	"YEAR": types.FieldYear, "MONTH": types.FieldMonth, "DAY": types.FieldDay,
	"HOUR": types.FieldHour, "MINUTE": types.FieldMinute, "SECOND": types.FieldSecond,
}

// unitMicros is how long a unit of a day-time interval is, and unitField the field it counts for.
var unitMicros = map[string]int64{
	"WEEK": 7 * types.MicrosPerDay, "DAY": types.MicrosPerDay, "HOUR": types.MicrosPerHour, "MINUTE": types.MicrosPerMinute,
	"SECOND": types.MicrosPerSecond, "MILLISECOND": 1000, "MICROSECOND": 1,
}

var unitField = map[string]int{
	"WEEK": types.FieldDay, "DAY": types.FieldDay, "HOUR": types.FieldHour, "MINUTE": types.FieldMinute,
	"SECOND": types.FieldSecond, "MILLISECOND": types.FieldSecond, "MICROSECOND": types.FieldSecond, "NANOSECOND": types.FieldSecond,
}

func intervalLiteral(e *ast.IntervalLit) (expr.Expr, error) {
	if e.To != "" && len(e.Parts) == 1 {
		start, ok := intervalFields[e.Parts[0].Unit]
		end, ok2 := intervalFields[e.To]
		if !ok || !ok2 || start >= end || (start <= types.FieldMonth) != (end <= types.FieldMonth) {
			return nil, sqlerr.CannotParseInterval(e.Parts[0].Value + " " + e.Parts[0].Unit + " TO " + e.To)
		}
		v, ok := types.ParseIntervalBody(e.Parts[0].Value, start, end)
		if !ok {
			return nil, sqlerr.InvalidIntervalText(e.Parts[0].Value, types.IntervalOf(start, end).SQL())
		}
		return intervalOf(v, start, end), nil
	}
	parts := e.Parts
	if len(parts) == 0 {
		words := strings.Fields(e.Text)
		if len(words) > 0 && strings.EqualFold(words[0], "interval") {
			words = words[1:]
		}
		if len(words) == 0 || len(words)%2 != 0 {
			return nil, sqlerr.InvalidTypedLiteral("INTERVAL", e.Text)
		}
		for i := 0; i < len(words); i += 2 {
			unit := strings.TrimSuffix(strings.ToUpper(words[i+1]), "S")
			parts = append(parts, ast.IntervalPart{Value: words[i], Unit: unit})
		}
	}
	bad := func() error {
		if e.Text != "" {
			return sqlerr.InvalidTypedLiteral("INTERVAL", e.Text)
		}
		var words []string
		for _, p := range parts {
			words = append(words, p.Value, p.Unit)
		}
		return sqlerr.CannotParseInterval(strings.Join(words, " "))
	}
	var months, micros int64
	var isMonths, isMicros bool
	lo, hi := types.FieldSecond, types.FieldYear
	for _, p := range parts {
		value := strings.TrimSpace(p.Value)
		var field int
		switch {
		case p.Unit == "YEAR" || p.Unit == "MONTH":
			n, err := strconv.ParseInt(strings.TrimPrefix(value, "+"), 10, 64)
			if err != nil {
				return nil, bad()
			}
			field = intervalFields[p.Unit]
			if p.Unit == "YEAR" {
				if n > math.MaxInt32/12 || n < -math.MaxInt32/12 {
					return nil, bad()
				}
				n *= 12
			}
			if months += n; months > math.MaxInt32 || months < math.MinInt32 {
				return nil, bad()
			}
			isMonths = true
		default:
			f, ok := unitField[p.Unit]
			if !ok {
				return nil, bad()
			}
			n, ok := microsOf(value, p.Unit)
			if !ok || (n > 0 && micros > math.MaxInt64-n) || (n < 0 && micros < math.MinInt64-n) {
				return nil, bad()
			}
			field = f
			micros += n
			isMicros = true
		}
		lo, hi = min(lo, field), max(hi, field)
	}
	if isMonths && isMicros {
		return nil, sqlerr.Unsupported("CALENDAR_INTERVAL", "intervals that mix months with days or hours")
	}
	if isMonths {
		return intervalOf(months, lo, hi), nil
	}
	return intervalOf(micros, lo, hi), nil
}

// microsOf is a number of units in microseconds. Only seconds take a fraction.
func microsOf(value, unit string) (int64, bool) {
	if unit == "NANOSECOND" {
		n, err := strconv.ParseInt(strings.TrimPrefix(value, "+"), 10, 64)
		return n / 1000, err == nil
	}
	if unit != "SECOND" && strings.Contains(value, ".") {
		return 0, false
	}
	d, ok := types.ParseDec(strings.TrimPrefix(value, "+"))
	if !ok {
		return 0, false
	}
	n := new(big.Int).Mul(d.Unscaled, big.NewInt(unitMicros[unit]))
	for i := 0; i < d.Scale; i++ {
		n.Quo(n, big.NewInt(10))
	}
	return n.Int64(), n.IsInt64()
}

func intervalOf(v int64, start, end int) *expr.Literal {
	kind := types.DayTimeInterval
	if end <= types.FieldMonth {
		kind = types.YearMonthInterval
	}
	return &expr.Literal{Value: v, T: types.Type{Kind: kind, Precision: start, Scale: end}}
}

// param is a parameter marker that no value was put in the place of.
func (b *binder) param(e *ast.Param) (expr.Expr, error) {
	name := e.Name
	if name == "" {
		name = "_" + itoa(e.Index)
	}
	return nil, sqlerr.UnboundParameter(name)
}
