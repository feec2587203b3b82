package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// GoFunction is a scalar function that DuckDB lacks and that templates and casts call by name. An engine registers
// each before the first query: Params and Result by DuckType, a NULL argument giving NULL without a call. A parameter
// without a type takes a value of any; the next argument, the same for all rows, is the DDL of its type. A failure is
// raised inside the engine with the text of sqlerr.EngineText, so that sqlerr.FromEngine finds it again. The functions
// depend on nothing but their arguments and are safe for concurrent use.
type GoFunction struct {
	Name   string
	Params []types.Type
	Result types.Type
	Call   func(args []types.Value) (types.Value, error)
}

// GoFunctions lists the functions that an engine must register, besides running Macros, which call them. A format that is
// nil has none.
func GoFunctions(formats TextFormats) []GoFunction {
	text, binary, long, integer := types.Of(types.String), types.Of(types.Binary), types.Of(types.BigInt), types.Of(types.Int)
	double, boolean, date := types.Of(types.Double), types.Of(types.Boolean), types.Of(types.Date)
	instant, local := types.Of(types.Timestamp), types.Of(types.TimestampNTZ)
	params := func(ts ...types.Type) []types.Type { return ts }
	list := []GoFunction{
		{"tarn_text", params(binary), text, func(a []types.Value) (types.Value, error) {
			return types.ReplaceInvalid(string(bytesOf(a[0]))), nil
		}},
		{"tarn_float_text", params(types.Of(types.Float)), text, func(a []types.Value) (types.Value, error) {
			return types.FormatFloat(floatOf(a[0])), nil
		}},
		{"tarn_double_text", params(double), text, func(a []types.Value) (types.Value, error) {
			return types.FormatDouble(floatOf(a[0])), nil
		}},
		{"tarn_date_text", params(date), text, func(a []types.Value) (types.Value, error) {
			return types.FormatDate(intOf(a[0])), nil
		}},
		{"tarn_timestamp_text", params(local), text, func(a []types.Value) (types.Value, error) {
			return types.FormatTimestampNTZ(intOf(a[0])), nil
		}},
		{"tarn_interval_text", params(long, integer, integer), text, func(a []types.Value) (types.Value, error) {
			t := types.IntervalOf(int(intOf(a[1])), int(intOf(a[2])))
			return types.Format(t, a[0], nil), nil
		}},
		{"tarn_text_double", params(text), double, func(a []types.Value) (types.Value, error) {
			if f, ok := types.ParseDouble(textOf(a[0])); ok {
				return f, nil
			}
			return nil, nil
		}},
		{"tarn_text_decimal", params(text, integer, integer), text, func(a []types.Value) (types.Value, error) {
			d, ok := types.ParseDec(strings.TrimFunc(textOf(a[0]), isControl))
			if !ok {
				return nil, nil
			}
			return fitText(d, a[1], a[2]), nil
		}},
		{"tarn_double_decimal", params(double, integer, integer), text, func(a []types.Value) (types.Value, error) {
			d, ok := types.ParseDec(strconv.FormatFloat(floatOf(a[0]), 'e', -1, 64))
			if !ok {
				return nil, nil
			}
			return fitText(d, a[1], a[2]), nil
		}},
		{"tarn_double_int", params(double, boolean), long, func(a []types.Value) (types.Value, error) {
			to := types.Of(types.Int)
			if a[1] == true {
				to = types.Of(types.BigInt)
			}
			return types.Cast(a[0], types.Of(types.Double), to, types.CastOptions{Mode: types.Legacy})
		}},
		{"tarn_text_date", params(text), date, func(a []types.Value) (types.Value, error) {
			if d, ok := types.ParseDate(textOf(a[0])); ok {
				return d, nil
			}
			return nil, nil
		}},
		{"tarn_text_timestamp", params(text, text), instant, func(a []types.Value) (types.Value, error) {
			zone, _ := types.ParseZone(textOf(a[1]))
			if t, ok := types.ParseTimestamp(textOf(a[0]), zone); ok {
				return t, nil
			}
			return nil, nil
		}},
		{"tarn_text_ntz", params(text), local, func(a []types.Value) (types.Value, error) {
			if t, ok := types.ParseTimestampNTZ(textOf(a[0])); ok {
				return t, nil
			}
			return nil, nil
		}},
		{"tarn_text_time", params(text), fullTime(), func(a []types.Value) (types.Value, error) {
			if t, ok := types.ParseTime(textOf(a[0])); ok {
				return t, nil
			}
			return nil, nil
		}},
		{"tarn_text_clock", params(text), fullTime(), func(a []types.Value) (types.Value, error) {
			if t, ok := types.ParseClock(textOf(a[0])); ok {
				return t, nil
			}
			return nil, nil
		}},
		{"tarn_text_interval", params(text, integer, integer), long, func(a []types.Value) (types.Value, error) {
			if n, ok := types.ParseInterval(textOf(a[0]), types.IntervalOf(int(intOf(a[1])), int(intOf(a[2])))); ok {
				return n, nil
			}
			return nil, nil
		}},
		{"tarn_read_interval", params(text, integer, integer), long, func(a []types.Value) (types.Value, error) {
			return readInterval(textOf(a[0]), types.IntervalOf(int(intOf(a[1])), int(intOf(a[2]))))
		}},
		{"tarn_decimal_legacy_text", params(text), text, func(a []types.Value) (types.Value, error) {
			d, ok := types.ParseDec(textOf(a[0]))
			if !ok {
				return nil, nil
			}
			return types.Cast(d, types.DecimalOf(types.MaxPrecision, max(d.Scale, 0)), types.Of(types.String), types.CastOptions{Mode: types.Legacy})
		}},
		{"tarn_decimal_div_int", params(text, text), long, func(a []types.Value) (types.Value, error) {
			x, ok := types.ParseDec(textOf(a[0]))
			y, ok2 := types.ParseDec(textOf(a[1]))
			if !ok || !ok2 {
				return nil, nil
			}
			return decimalDiv(x, y)
		}},
	}
	list = append(list, textGoFunctions()...)
	list = append(list, conversionGoFunctions()...)
	list = append(append(list, timeGoFunctions()...), calendarGoFunctions()...)
	list = append(list, urlGoFunctions()...)
	list = append(list, hashGoFunctions()...)
	list = append(list, percentileGoFunction(), sortOrderGoFunction())
	list = append(list, histogramGoFunction())
	list = append(list, modeGoFunctions()...)
	list = append(list, shuffleGoFunction())
	list = append(list, bitmapGoFunctions()...)
	list = append(list, collectGoFunctions()...)
	list = append(list, hllGoFunctions()...)
	list = append(list, textFormatGoFunctions(formats)...)
	return append(list, dateGoFunctions()...)
}

func readInterval(s string, t types.Type) (types.Value, error) {
	n, err := types.ReadInterval(s, t)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// fitText is the decimal rounded to the type, or empty text when it does not fit: the caller knows what to raise.
func fitText(d types.Dec, precision, scale types.Value) types.Value {
	if r, ok := d.Fit(int(intOf(precision)), int(intOf(scale))); ok {
		return r.String()
	}
	return ""
}

func isControl(r rune) bool { return r <= ' ' || r == 0x7f }

// The …Of functions read a value of a known type; a value of another Go type reads as zero, so that nothing panics.

func intOf(v types.Value) int64 { n, _ := v.(int64); return n }

func floatOf(v types.Value) float64 { f, _ := v.(float64); return f }

func textOf(v types.Value) string {
	switch s := v.(type) {
	case string:
		return s
	case types.Bytes:
		return string(s)
	}
	return ""
}

func bytesOf(v types.Value) types.Bytes { return types.Bytes(textOf(v)) }

func decOf(v types.Value) types.Dec {
	if d, ok := v.(types.Dec); ok && d.Unscaled != nil {
		return d
	}
	return types.DecOf(intOf(v))
}

func listOf(v types.Value) []types.Value { l, _ := v.([]types.Value); return l }

func entriesOf(v types.Value) []types.MapEntry { m, _ := v.([]types.MapEntry); return m }

// runesOf splits text into code points; a byte that is no UTF-8 counts as one.
func runesOf(s string) []rune { return []rune(s) }

func runeCount(s string) int { return utf8.RuneCountInString(s) }

// decimalOp computes + - * / % on decimals exactly and rounds to the result type half up.
func decimalOp(op string, x, y types.Dec, precision, scale int) (types.Dec, error) {
	var r types.Dec
	s := max(x.Scale, y.Scale)
	switch op {
	case "+":
		r = types.Dec{Unscaled: new(big.Int).Add(x.Rescale(s).Unscaled, y.Rescale(s).Unscaled), Scale: s}
	case "-":
		r = types.Dec{Unscaled: new(big.Int).Sub(x.Rescale(s).Unscaled, y.Rescale(s).Unscaled), Scale: s}
	case "*":
		r = types.Dec{Unscaled: new(big.Int).Mul(x.Unscaled, y.Unscaled), Scale: x.Scale + y.Scale}
	case "%":
		if y.Sign() == 0 {
			return r, sqlerr.RemainderByZero()
		}
		r = types.Dec{Unscaled: new(big.Int).Rem(x.Rescale(s).Unscaled, y.Rescale(s).Unscaled), Scale: s}
	case "pmod":
		if y.Sign() == 0 {
			return r, sqlerr.RemainderByZero()
		}
		a, b := x.Rescale(s).Unscaled, y.Rescale(s).Unscaled
		m := new(big.Int).Rem(a, b)
		if m.Sign() < 0 {
			m.Rem(m.Add(m, b), b)
		}
		r = types.Dec{Unscaled: m, Scale: s}
	default:
		if y.Sign() == 0 {
			return r, sqlerr.DivideByZero()
		}
		// x/y at the wanted scale: shift the numerator until the quotient has scale digits.
		n, d := new(big.Int).Set(x.Unscaled), new(big.Int).Set(y.Unscaled)
		if shift := scale - x.Scale + y.Scale; shift >= 0 {
			n.Mul(n, types.Pow10(shift))
		} else {
			d.Mul(d, types.Pow10(-shift))
		}
		r = types.Dec{Unscaled: types.RoundQuo(n, d), Scale: scale}
	}
	fitted, ok := r.Fit(precision, scale)
	if !ok {
		return r, sqlerr.DecimalOutOfRange(r.String(), strconv.Itoa(precision), strconv.Itoa(scale))
	}
	return fitted, nil
}

// decimalDiv is the whole quotient. Spark keeps the low 64 bits of it without an error.
func decimalDiv(x, y types.Dec) (types.Value, error) {
	if y.Sign() == 0 {
		return nil, sqlerr.DivideByZero()
	}
	s := max(x.Scale, y.Scale)
	q := new(big.Int).Quo(x.Rescale(s).Unscaled, y.Rescale(s).Unscaled)
	if (types.Dec{Unscaled: q}).Digits() > types.MaxPrecision {
		return nil, sqlerr.DecimalOutOfRange(q.String(), strconv.Itoa(types.MaxPrecision), "0")
	}
	low := new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64))
	return int64(low.Uint64()), nil
}
