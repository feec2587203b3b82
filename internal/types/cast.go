package types

import (
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// CastMode says what becomes of a value that does not cast.
type CastMode uint8

// The cast modes.
const (
	ANSI   CastMode = iota // an error
	Try                    // NULL, as TRY_CAST
	Legacy                 // Hive's rules, as with spark.sql.ansi.enabled=false: NULL, or wrap-around between numbers
)

// CastOptions is what a cast depends on besides the types.
type CastOptions struct {
	Zone *time.Location // the session's; nil is UTC
	Mode CastMode
	// Today is the day number of the current date, for text that is a time of day alone; nil when it is not known.
	Today *int64
}

// Cast converts a value from one type to another with Spark's meaning. The types must satisfy CanCast; otherwise the
// error is DATATYPE_MISMATCH. Errors of ANSI mode are CAST_INVALID_INPUT, CAST_OVERFLOW and
// NUMERIC_VALUE_OUT_OF_RANGE.
func Cast(v Value, from, to Type, opt CastOptions) (Value, error) {
	if v == nil || from.Kind == Void || to.Kind == Void {
		return nil, nil
	}
	if !CanCast(from, to, opt.Mode) {
		return nil, ErrCannotCast(from, to, opt.Mode, FormatLiteral(from, v, opt.Zone))
	}
	opt.Mode = ModeOf(from, to, opt.Mode)
	r, err := castValue(v, from, to, opt)
	if err != nil && opt.Mode != ANSI {
		return nil, nil
	}
	return r, err
}

// ModeOf is the mode that a cast really has: between numbers and intervals ANSI's rules hold even in Legacy mode, and a
// time of day that does not fit a number is NULL.
func ModeOf(from, to Type, mode CastMode) CastMode {
	interval := func(k Kind) bool { return k == YearMonthInterval || k == DayTimeInterval }
	switch {
	case mode != Legacy:
	case interval(from.Kind) && to.Kind.IsNumeric(), from.Kind.IsNumeric() && interval(to.Kind):
		return ANSI
	case from.Kind == Time:
		return Try
	}
	return mode
}

func castValue(v Value, from, to Type, opt CastOptions) (Value, error) {
	switch to.Kind {
	case String, Char, Varchar:
		if from.Kind == Decimal && opt.Mode == Legacy {
			return legacyDecimalText(asDec(v)), nil
		}
		return Format(from, v, opt.Zone), nil
	case Binary:
		return castToBinary(v, from)
	case Boolean:
		return castToBoolean(v, from, opt)
	case TinyInt, SmallInt, Int, BigInt:
		return castToInteger(v, from, to, opt)
	case Float, Double:
		return castToFloat(v, from, to, opt)
	case Decimal:
		return castToDecimal(v, from, to, opt)
	case Date:
		return castToDate(v, from, to, opt)
	case Timestamp, TimestampNTZ:
		return castToTimestamp(v, from, to, opt)
	case CalendarInterval:
		// Text that is no interval is NULL in every mode.
		if iv, err := ParseCalendar(asText(v)); from.Kind.IsText() && err == nil {
			return iv, nil
		}
		return nil, nil
	case Time:
		return castToTime(v, from, to, opt)
	case YearMonthInterval, DayTimeInterval:
		return castToInterval(v, from, to, opt)
	case Array, Map, Struct:
		return castNested(v, from, to, opt)
	}
	return v, nil
}

func invalidInput(v Value, from, to Type, opt CastOptions) error {
	return sqlerr.CastInvalidInput(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
}

func castToBinary(v Value, from Type) (Value, error) {
	switch from.Kind {
	case TinyInt:
		return Bytes([]byte{byte(asInt(v))}), nil
	case SmallInt:
		n := uint16(asInt(v))
		return Bytes([]byte{byte(n >> 8), byte(n)}), nil
	case Int:
		n := uint32(asInt(v))
		return Bytes([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), nil
	case BigInt:
		n := uint64(asInt(v))
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(n >> (56 - 8*i))
		}
		return Bytes(b), nil
	}
	return Bytes(asText(v)), nil
}

func castToBoolean(v Value, from Type, opt CastOptions) (Value, error) {
	switch {
	case from.Kind.IsText():
		if b, ok := ParseBoolean(asText(v)); ok {
			return b, nil
		}
		return nil, invalidInput(v, from, Of(Boolean), opt)
	case from.Kind.IsIntegral(), from.Kind == Timestamp:
		return asInt(v) != 0, nil
	case from.Kind == Float, from.Kind == Double:
		return asFloat(v) != 0, nil
	case from.Kind == Decimal:
		return asDec(v).Sign() != 0, nil
	}
	return v, nil
}

// ParseBoolean reads a boolean as Spark's cast does: t, true, y, yes, 1 and f, false, n, no, 0 in any case.
func ParseBoolean(s string) (value, ok bool) {
	s = trimControls(s)
	if len(s) > 5 {
		return false, false
	}
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 32
		}
	}
	switch string(lower) {
	case "t", "true", "y", "yes", "1":
		return true, true
	case "f", "false", "n", "no", "0":
		return false, true
	}
	return false, false
}

// IntRange is the least and greatest value of an integer kind.
func IntRange(k Kind) (lo, hi int64) {
	switch k {
	case TinyInt:
		return math.MinInt8, math.MaxInt8
	case SmallInt:
		return math.MinInt16, math.MaxInt16
	case Int:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// wrap cuts an integer to the width of the kind, as Java's narrowing does.
func wrap(n int64, k Kind) int64 {
	switch k {
	case TinyInt:
		return int64(int8(n))
	case SmallInt:
		return int64(int16(n))
	case Int:
		return int64(int32(n))
	}
	return n
}

// ParseInteger reads `[+-]digits` as Spark's cast does. Legacy mode also takes a fraction, which it cuts.
func ParseInteger(s string, k Kind, mode CastMode) (int64, bool) {
	s = trimControls(s)
	if mode == Legacy {
		for i := 0; i < len(s); i++ {
			if s[i] == '.' {
				if _, rest := cutDigits(s[i+1:]); rest != "" || i == 0 && len(s) == 1 {
					return 0, false
				}
				if s = s[:i]; s == "" || s == "+" || s == "-" {
					return 0, true
				}
				break
			}
		}
	}
	if s != "" && s[0] == '+' {
		if s = s[1:]; s != "" && (s[0] < '0' || s[0] > '9') {
			return 0, false
		}
	}
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && (i > 0 || s[i] != '-') {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	lo, hi := IntRange(k)
	return n, err == nil && n >= lo && n <= hi
}

func castToInteger(v Value, from, to Type, opt CastOptions) (Value, error) {
	lo, hi := IntRange(to.Kind)
	overflow := func() (Value, error) {
		return nil, sqlerr.CastOverflow(FormatLiteral(from, v, opt.Zone), from.SQL(), to.SQL())
	}
	integer := func(n int64) (Value, error) {
		if n >= lo && n <= hi {
			return n, nil
		}
		if opt.Mode == Legacy {
			return wrap(n, to.Kind), nil
		}
		return overflow()
	}
	switch {
	case from.Kind.IsText():
		if n, ok := ParseInteger(asText(v), to.Kind, opt.Mode); ok {
			return n, nil
		}
		return nil, invalidInput(v, from, to, opt)
	case from.Kind == Boolean:
		if asBool(v) {
			return int64(1), nil
		}
		return int64(0), nil
	case from.Kind.IsIntegral():
		return integer(asInt(v))
	case from.Kind == Float, from.Kind == Double:
		f := asFloat(v)
		if opt.Mode == Legacy {
			return legacyFloatToInt(f, to.Kind), nil
		}
		t := math.Trunc(f)
		if to.Kind == BigInt {
			// 2^63 is let through and saturates, as Java's range check with a double bound does.
			if t == 1<<63 {
				return int64(math.MaxInt64), nil
			}
			if !(t >= -1<<63 && t < 1<<63) {
				return overflow()
			}
			return int64(t), nil
		}
		if !(t >= float64(lo) && t <= float64(hi)) {
			return overflow()
		}
		return int64(t), nil
	case from.Kind == Decimal:
		n := asDec(v).Trunc()
		if !n.IsInt64() {
			if opt.Mode == Legacy {
				return wrap(int64(new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()), to.Kind), nil
			}
			return overflow()
		}
		return integer(n.Int64())
	case from.Kind == Timestamp:
		return integer(floorDiv(asInt(v), MicrosPerSecond))
	case from.Kind == Time:
		return integer(asInt(v) / MicrosPerSecond)
	case from.Kind == YearMonthInterval:
		if from.Scale == FieldYear {
			return integer(asInt(v) / 12)
		}
		return integer(asInt(v))
	case from.Kind == DayTimeInterval:
		return integer(asInt(v) / dayTimeUnit(from.Scale))
	}
	return nil, ErrCannotCast(from, to, opt.Mode, FormatLiteral(from, v, opt.Zone))
}

// legacyFloatToInt is Java's narrowing: NaN is 0, doubles saturate at int or long first, then the width is cut.
func legacyFloatToInt(f float64, k Kind) int64 {
	lo, hi := IntRange(BigInt)
	if k != BigInt {
		lo, hi = IntRange(Int)
	}
	switch {
	case math.IsNaN(f):
		return 0
	case f >= float64(hi):
		return wrap(hi, k)
	case f <= float64(lo):
		return wrap(lo, k)
	}
	return wrap(int64(f), k)
}

func dayTimeUnit(field int) int64 {
	switch field {
	case FieldDay:
		return MicrosPerDay
	case FieldHour:
		return MicrosPerHour
	case FieldMinute:
		return MicrosPerMinute
	}
	return MicrosPerSecond
}

func castToFloat(v Value, from, to Type, opt CastOptions) (Value, error) {
	var f float64
	switch {
	case from.Kind.IsText():
		p, ok := ParseDouble(asText(v))
		if !ok {
			return nil, invalidInput(v, from, to, opt)
		}
		f = p
		if to.Kind == Float {
			// Rounding twice, through a double, could give the neighbour.
			if p32, err := strconv.ParseFloat(trimControls(asText(v)), 32); err == nil {
				return p32, nil
			}
		}
	case from.Kind == Boolean:
		if asBool(v) {
			f = 1
		}
	case from.Kind.IsIntegral():
		if to.Kind == Float {
			return float64(float32(asInt(v))), nil
		}
		f = float64(asInt(v))
	case from.Kind == Float, from.Kind == Double:
		f = asFloat(v)
	case from.Kind == Decimal:
		f = asDec(v).Float()
	case from.Kind == Timestamp:
		f = float64(asInt(v)) / MicrosPerSecond
	}
	if to.Kind == Float {
		return float64(float32(f)), nil
	}
	return f, nil
}

func castToDecimal(v Value, from, to Type, opt CastOptions) (Value, error) {
	var d Dec
	switch {
	case from.Kind.IsText():
		p, ok := ParseDec(trimControls(asText(v)))
		if !ok {
			return nil, invalidInput(v, from, to, opt)
		}
		d = p
	case from.Kind == Boolean:
		if asBool(v) {
			d = DecOf(1)
		} else {
			d = DecOf(0)
		}
	case from.Kind.IsIntegral():
		d = DecOf(asInt(v))
	case from.Kind == Float, from.Kind == Double:
		f := asFloat(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, nil
		}
		d, _ = ParseDec(strconv.FormatFloat(f, 'e', -1, 64))
	case from.Kind == Decimal:
		d = asDec(v)
	case from.Kind == Timestamp, from.Kind == Time:
		d = NewDec(asInt(v), 6)
	case from.Kind == YearMonthInterval:
		d = DecOf(asInt(v))
		if from.Scale == FieldYear {
			d = DecOf(asInt(v) / 12)
		}
	case from.Kind == DayTimeInterval:
		if from.Scale == FieldSecond {
			d = NewDec(asInt(v), 6)
		} else {
			d = DecOf(asInt(v) / dayTimeUnit(from.Scale))
		}
	}
	if r, ok := d.Fit(to.Precision, to.Scale); ok {
		return r, nil
	}
	return nil, sqlerr.DecimalOutOfRange(d.shortText(), strconv.Itoa(to.Precision), strconv.Itoa(to.Scale))
}

// shortText is the decimal for a message: a huge exponent is not written out.
func (d Dec) shortText() string {
	if d.Scale < -MaxPrecision || d.Scale > 4*MaxPrecision {
		return d.int().String() + "E" + strconv.Itoa(-d.Scale)
	}
	return d.String()
}

// legacyDecimalText is BigDecimal.toString: an exponent when the scale is far beyond the digits.
func legacyDecimalText(d Dec) string {
	if adjusted := d.Digits() - 1 - d.Scale; d.Scale < 0 || adjusted < -6 {
		digits := new(big.Int).Abs(d.int()).String()
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		if d.Sign() < 0 {
			digits = "-" + digits
		}
		sign := ""
		if adjusted > 0 {
			sign = "+"
		}
		return digits + "E" + sign + strconv.Itoa(adjusted)
	}
	return d.String()
}

func castNested(v Value, from, to Type, opt CastOptions) (Value, error) {
	switch to.Kind {
	case Array:
		elems, _ := v.([]Value)
		out := make([]Value, len(elems))
		for i, e := range elems {
			c, err := Cast(e, from.elem(), to.elem(), opt)
			if err != nil {
				return nil, err
			}
			out[i] = c
		}
		return out, nil
	case Struct:
		elems, _ := v.([]Value)
		out := make([]Value, len(elems))
		for i, e := range elems {
			c, err := Cast(e, from.Fields[i].Type, to.Fields[i].Type, opt)
			if err != nil {
				return nil, err
			}
			out[i] = c
		}
		return out, nil
	}
	entries, _ := v.([]MapEntry)
	out := make([]MapEntry, len(entries))
	for i, e := range entries {
		k, err := Cast(e.Key, from.key(), to.key(), opt)
		if err != nil {
			return nil, err
		}
		x, err := Cast(e.Value, from.elem(), to.elem(), opt)
		if err != nil {
			return nil, err
		}
		out[i] = MapEntry{k, x}
	}
	return out, nil
}
