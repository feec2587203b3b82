package types

import (
	"math"
	"math/big"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

func castToDate(v Value, from, to Type, opt CastOptions) (Value, error) {
	switch {
	case from.Kind.IsText():
		if d, ok := ParseDate(asText(v)); ok {
			return d, nil
		}
		return nil, invalidInput(v, from, to, opt)
	case from.Kind == Timestamp:
		return floorDiv(ToLocal(asInt(v), opt.Zone), MicrosPerDay), nil
	case from.Kind == TimestampNTZ:
		return floorDiv(asInt(v), MicrosPerDay), nil
	}
	return v, nil
}

func castToTimestamp(v Value, from, to Type, opt CastOptions) (Value, error) {
	switch {
	case from.Kind.IsText():
		var n int64
		var ok bool
		if to.Kind == Timestamp {
			if n, ok = ParseTimestamp(asText(v), opt.Zone); !ok && opt.Today != nil {
				if n, ok = ParseClock(asText(v)); ok {
					n = FromLocal(*opt.Today*MicrosPerDay+n, opt.Zone)
				}
			}
		} else {
			n, ok = ParseTimestampNTZ(asText(v))
		}
		if !ok {
			return nil, invalidInput(v, from, to, opt)
		}
		return n, nil
	case from.Kind == Date:
		local := asInt(v)
		if local > math.MaxInt64/MicrosPerDay-1 || local < math.MinInt64/MicrosPerDay+1 {
			return nil, sqlerr.CastOverflow(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
		}
		if local *= MicrosPerDay; to.Kind == Timestamp {
			return FromLocal(local, opt.Zone), nil
		}
		return local, nil
	case from.Kind == Timestamp && to.Kind == TimestampNTZ:
		return ToLocal(asInt(v), opt.Zone), nil
	case from.Kind == TimestampNTZ && to.Kind == Timestamp:
		return FromLocal(asInt(v), opt.Zone), nil
	case from.Kind == Boolean:
		if asBool(v) {
			return int64(1), nil
		}
		return int64(0), nil
	case from.Kind.IsIntegral():
		// Seconds beyond the range stay at its end, as Java's TimeUnit does.
		n := asInt(v)
		switch {
		case n > math.MaxInt64/MicrosPerSecond:
			return int64(math.MaxInt64), nil
		case n < math.MinInt64/MicrosPerSecond:
			return int64(math.MinInt64), nil
		}
		return n * MicrosPerSecond, nil
	case from.Kind == Float, from.Kind == Double:
		f := asFloat(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			if opt.Mode == ANSI {
				return nil, invalidInput(v, from, to, opt)
			}
			return nil, nil
		}
		m := math.Trunc(f * MicrosPerSecond)
		switch {
		case m >= math.MaxInt64, m <= math.MinInt64:
			if opt.Mode != Legacy {
				return nil, sqlerr.CastOverflow(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
			}
			if m > 0 {
				return int64(math.MaxInt64), nil
			}
			return int64(math.MinInt64), nil
		}
		return int64(m), nil
	case from.Kind == Decimal:
		d := asDec(v)
		n := new(big.Int).Mul(d.int(), big.NewInt(MicrosPerSecond))
		n.Quo(n, Pow10(d.Scale))
		if !n.IsInt64() {
			return nil, sqlerr.CastOverflow(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
		}
		return n.Int64(), nil
	}
	return v, nil
}

func castToInterval(v Value, from, to Type, opt CastOptions) (Value, error) {
	switch {
	case from.Kind.IsText():
		n, err := ReadInterval(asText(v), to)
		if err != nil {
			return nil, err
		}
		return n, nil
	case from.Kind.IsIntegral(), from.Kind == Decimal:
		n := asDec(v)
		if from.Kind != Decimal {
			n = DecOf(asInt(v))
		}
		unit, limit := int64(1), int64(math.MaxInt32)
		if to.Kind == DayTimeInterval {
			unit, limit = dayTimeUnit(to.Scale), math.MaxInt64
		} else if to.Scale == FieldYear {
			unit = 12
		}
		r := new(big.Int).Mul(n.int(), big.NewInt(unit))
		r = RoundQuo(r, Pow10(n.Scale))
		if !r.IsInt64() || r.Int64() > limit || r.Int64() < -limit-1 {
			return nil, sqlerr.CastOverflow(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
		}
		return r.Int64(), nil
	case from.Kind == YearMonthInterval && to.Scale == FieldYear:
		return asInt(v) / 12 * 12, nil
	case from.Kind == DayTimeInterval && to.Scale < FieldSecond:
		u := dayTimeUnit(to.Scale)
		return asInt(v) / u * u, nil
	}
	return v, nil
}

// CanCast reports whether an explicit cast from one type to another is legal in the mode. Try has ANSI's rules.
func CanCast(from, to Type, mode CastMode) bool {
	if from.Kind == Void || Equal(from, to) {
		return true
	}
	f, t := from.Kind, to.Kind
	switch {
	case t.IsText():
		return f != Variant
	case t == Void:
		return false
	case f == Array && t == Array:
		return CanCast(from.elem(), to.elem(), mode)
	case f == Map && t == Map:
		if mode != ANSI && MayNull(from.key(), to.key()) {
			return false // a key is never NULL
		}
		return CanCast(from.key(), to.key(), mode) && CanCast(from.elem(), to.elem(), mode)
	case f == Struct && t == Struct:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !CanCast(from.Fields[i].Type, to.Fields[i].Type, mode) {
				return false
			}
		}
		return true
	case f.IsText():
		switch t {
		case Binary, Boolean, Date, Timestamp, TimestampNTZ, Time, YearMonthInterval, DayTimeInterval, CalendarInterval:
			return true
		}
		return t.IsNumeric()
	case t == Binary:
		return f.IsIntegral() && mode == Legacy
	case f == Boolean:
		return t.IsNumeric() || t == Timestamp && mode == Legacy
	case f.IsNumeric():
		switch t {
		case Boolean, Timestamp:
			return true
		case YearMonthInterval, DayTimeInterval:
			return f.IsIntegral() || f == Decimal
		}
		return t.IsNumeric()
	case f == Date:
		return t == Timestamp || t == TimestampNTZ || t == Date
	case f == Timestamp:
		return t == Date || t == TimestampNTZ || t == Time || t.IsNumeric() || t == Boolean && mode == Legacy
	case f == TimestampNTZ:
		return t == Date || t == Timestamp || t == Time
	case f == Time:
		return t == Time || t.IsIntegral() || t == Decimal
	case f == YearMonthInterval:
		return t == YearMonthInterval || t.IsIntegral() || t == Decimal
	case f == DayTimeInterval:
		return t == DayTimeInterval || t.IsIntegral() || t == Decimal
	}
	return false
}

// MayNull reports whether a cast that never fails gives NULL for some values that are not NULL, which Spark tells from the
// types (Cast.forceNullable).
func MayNull(from, to Type) bool {
	f, t := from.Kind, to.Kind
	switch {
	case f == Void || Equal(from, to) || f.IsText() && (t.IsText() || t == Binary):
		return false
	case f == Variant, f.IsText():
		return true
	case t.IsText():
		return false
	case f == Timestamp:
		return t == TinyInt || t == SmallInt || t == Int || t == Decimal
	case f == Float || f == Double:
		return t == Timestamp || t.IsIntegral() || t == Decimal
	case t == Date:
		return true
	case f == Date:
		return t != Timestamp
	case t == CalendarInterval:
		return true
	case t == Decimal:
		return !fitsDecimal(from, to)
	}
	return f == Decimal && t.IsIntegral()
}

// fitsDecimal reports whether each value of a type is one of a DECIMAL type, or rounds to one.
func fitsDecimal(from, to Type) bool {
	whole := to.Precision - to.Scale
	switch from.Kind {
	case Boolean:
		return whole >= 1
	case TinyInt:
		return whole >= 3
	case SmallInt:
		return whole >= 5
	case Int:
		return whole >= 10
	case BigInt:
		return whole >= 20
	case Decimal:
		had := from.Precision - from.Scale
		return whole > had || whole == had && to.Scale >= from.Scale
	}
	return false
}

// ErrCannotCast is the error of an illegal cast; sql is the expression that was to be cast.
func ErrCannotCast(from, to Type, mode CastMode, sql string) error {
	call := "CAST(" + sql + " AS " + to.SQL() + ")"
	if mode == Try {
		call = "TRY_" + call
	}
	if mode == ANSI {
		switch {
		case from.Kind.IsNumeric() && to.Kind == Date:
			return sqlerr.CannotCast("WITH_FUNC_SUGGESTION", call, from.SQL(), to.SQL(), "`DATE_FROM_UNIX_DATE`")
		case from.Kind == Date && to.Kind.IsNumeric():
			return sqlerr.CannotCast("WITH_FUNC_SUGGESTION", call, from.SQL(), to.SQL(), "`UNIX_DATE`")
		case CanCast(from, to, Legacy):
			return sqlerr.CannotCast("WITH_CONF_SUGGESTION", call, from.SQL(), to.SQL(), "")
		}
	}
	return sqlerr.CannotCast("WITHOUT_SUGGESTION", call, from.SQL(), to.SQL(), "")
}
