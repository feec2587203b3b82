package csv

import (
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// checkTypes refuses columns of types that a CSV field cannot hold.
func checkTypes(schema []types.Field) error {
	for _, f := range schema {
		switch k := f.Type.Kind; {
		case k >= types.Boolean && k <= types.DayTimeInterval, k == types.Time:
		default:
			return sqlerr.FileType("CSV", f.Name, f.Type.SQL())
		}
	}
	return nil
}

// clean is b as UTF-8: sequences that are none become U+FFFD.
func clean(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(types.ReplaceInvalid(string(b)))
}

// convert sets column i of the current row from a field's text; false when the text is no value of the type.
func (r *reader) convert(i int, t types.Type, b []byte) bool {
	switch t.Kind {
	case types.String, types.Char, types.Varchar:
		r.cols.Text(i, clean(b))
	case types.Binary:
		r.cols.Text(i, b)
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		lo, hi := text.IntRange(t.Kind)
		n, ok := text.ParseInt(b, lo, hi)
		if !ok {
			return false
		}
		r.cols.Int(i, n)
	case types.Float, types.Double:
		v, ok := r.opts.float(b, t.Kind)
		if !ok {
			return false
		}
		r.cols.Float(i, v)
	case types.Decimal:
		return r.decimal(i, t, b)
	case types.Boolean:
		v, ok := boolean(b)
		if !ok {
			return false
		}
		r.cols.Bool(i, v)
	case types.Date:
		d, ok := r.opts.times.Date(b)
		if !ok {
			return false
		}
		r.cols.Int(i, d)
	case types.Timestamp:
		at, ok := r.opts.times.Timestamp(b)
		if !ok {
			return false
		}
		r.cols.Int(i, at)
	case types.TimestampNTZ:
		at, ok := r.opts.times.TimestampNTZ(b)
		if !ok {
			return false
		}
		r.cols.Int(i, at)
	case types.Time:
		at, ok := r.opts.times.Time(b)
		if !ok {
			return false
		}
		r.cols.Int(i, at)
	default: // the intervals
		v, err := types.Cast(string(b), types.Of(types.String), t, types.CastOptions{Zone: r.settings.Zone, Mode: types.Try})
		if err != nil || v == nil {
			return false
		}
		r.cols.Value(i, v)
	}
	return true
}

func (o *options) float(b []byte, k types.Kind) (float64, bool) {
	switch string(b) {
	case o.nan:
		return math.NaN(), true
	case o.positiveInf:
		return math.Inf(1), true
	case o.negativeInf:
		return math.Inf(-1), true
	}
	bits := 64
	if k == types.Float {
		bits = 32
	}
	return text.ParseFloat(b, bits)
}

func boolean(b []byte) (v, ok bool) {
	switch len(b) {
	case 4:
		return true, b[0]|0x20 == 't' && b[1]|0x20 == 'r' && b[2]|0x20 == 'u' && b[3]|0x20 == 'e'
	case 5:
		return false, b[0]|0x20 == 'f' && b[1]|0x20 == 'a' && b[2]|0x20 == 'l' && b[3]|0x20 == 's' && b[4]|0x20 == 'e'
	}
	return false, false
}

func (r *reader) decimal(i int, t types.Type, b []byte) bool {
	small, large, ok := parseDecimal(b, t)
	switch {
	case !ok:
		return false
	case t.Precision <= 18:
		r.cols.Int(i, small)
	default:
		r.cols.Value(i, types.Dec{Unscaled: large, Scale: t.Scale})
	}
	return true
}

// parseDecimal reads a DECIMAL; commas that group digits are left out.
func parseDecimal(b []byte, t types.Type) (int64, *big.Int, bool) {
	for i, c := range b {
		if c != ',' {
			continue
		}
		plain := append(make([]byte, 0, len(b)), b[:i]...)
		for _, c := range b[i:] {
			if c != ',' {
				plain = append(plain, c)
			}
		}
		b = plain
		break
	}
	return text.ParseDecimal(b, t)
}
