package json

import (
	"encoding/base64"
	"math"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/types"
)

// outcome says how much of a value could be read.
type outcome uint8

const (
	good    outcome = iota
	partial         // some nested part is not of its type; the rest is there
	failed          // not of the type: NULL
)

// converter turns values of a record into those of the schema.
type converter struct {
	scanner
	opts *options
	// rewrite is set when a value that becomes a STRING without being one is written anew and not taken as it stands.
	rewrite bool
}

// scalar is a value of a type without parts, in the field that vector.StorageOf names.
type scalar struct {
	null  bool
	b     bool
	n     int64
	f     float64
	bytes []byte
	any   types.Value
}

// scalar reads a value of a type without parts. Whatever it is, it is consumed.
func (c *converter) scalar(t types.Type) (v scalar, o outcome, err error) {
	ch := c.peek()
	start := c.pos
	if ch == 'n' {
		return scalar{null: true}, good, c.word("null")
	}
	switch t.Kind {
	case types.String, types.Char, types.Varchar:
		if ch == '"' || ch == '\'' {
			if v.bytes, err = c.text(); err == errText {
				return v, failed, nil
			}
			return v, good, err
		}
		if err := c.skip(); err != nil {
			return v, failed, err
		}
		v.bytes = c.b[start:c.pos]
		if c.rewrite {
			if s, ok := expr.CompactJSON(string(v.bytes)); ok {
				v.bytes = []byte(s)
			}
		}
		return v, good, nil
	case types.Boolean:
		if ch == 't' {
			return scalar{b: true}, good, c.word("true")
		}
		if ch == 'f' {
			return scalar{}, good, c.word("false")
		}
		return v, failed, c.skip()
	}
	switch {
	case ch == '"' || ch == '\'':
		s, err := c.text()
		if err == errText {
			return v, failed, nil
		}
		// Of the types that are not text, empty text is a value of BINARY alone.
		if err != nil || len(s) == 0 && t.Kind != types.Binary || !c.fromText(t, s, &v) {
			return v, failed, err
		}
		return v, good, nil
	case ch == '-' || ch == '+' || ch >= '0' && ch <= '9' || ch == 'N' || ch == 'I':
		n, err := c.number()
		if err != nil || !fromNumber(t, n, &v) {
			return v, failed, err
		}
		return v, good, nil
	}
	return v, failed, c.skip()
}

// fromNumber converts a number.
func fromNumber(t types.Type, n numeral, v *scalar) (ok bool) {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		if !n.whole {
			return false
		}
		lo, hi := text.IntRange(t.Kind)
		if t.Kind == types.TinyInt {
			hi = math.MaxUint8 // Jackson takes an unsigned byte and wraps it
		}
		if v.n, ok = text.ParseInt(n.b, lo, hi); ok && t.Kind == types.TinyInt {
			v.n = int64(int8(v.n))
		}
		return ok
	case types.Float, types.Double:
		bits := 64
		if t.Kind == types.Float {
			bits = 32
		}
		v.f, ok = text.ParseFloat(n.b, bits)
		if n.whole && v.f == 0 {
			v.f = 0 // a whole number has no negative zero
		}
		return ok
	case types.Decimal:
		return !n.special && decimal(t, n.b, v)
	case types.Timestamp:
		if !n.whole {
			return false
		}
		sec, ok := text.ParseInt(n.b, math.MinInt64/types.MicrosPerSecond, math.MaxInt64/types.MicrosPerSecond)
		v.n = sec * types.MicrosPerSecond
		return ok
	}
	return false
}

func decimal(t types.Type, b []byte, v *scalar) bool {
	small, large, ok := text.ParseDecimal(b, t)
	if !ok {
		return false
	}
	if t.Precision > 18 {
		v.any = types.Dec{Unscaled: large, Scale: t.Scale}
	}
	v.n = small
	return true
}

// fromText converts a quoted text that is not empty.
func (c *converter) fromText(t types.Type, s []byte, v *scalar) (ok bool) {
	switch t.Kind {
	case types.Float, types.Double:
		if !c.nonNumbers {
			return false
		}
		switch string(s) {
		case "NaN":
			v.f = math.NaN()
		case "+INF", "+Infinity", "Infinity":
			v.f = math.Inf(1)
		case "-INF", "-Infinity":
			v.f = math.Inf(-1)
		default:
			return false
		}
		return true
	case types.Decimal:
		return decimal(t, withoutCommas(s), v)
	case types.Date:
		v.n, ok = c.opts.times.Date(s)
		return ok
	case types.Timestamp:
		v.n, ok = c.opts.times.Timestamp(s)
		return ok
	case types.TimestampNTZ:
		v.n, ok = c.opts.times.TimestampNTZ(s)
		return ok
	case types.Binary:
		raw := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
		n, err := base64.StdEncoding.Decode(raw, s)
		v.bytes = raw[:n]
		return err == nil
	case types.Time:
		v.n, ok = c.opts.times.Time(s)
		return ok
	case types.CalendarInterval:
		got, err := types.Cast(string(s), types.Of(types.String), t, types.CastOptions{Mode: types.Try})
		v.any = got
		return err == nil && got != nil
	case types.YearMonthInterval, types.DayTimeInterval:
		got, err := types.Cast(string(s), types.Of(types.String), t, types.CastOptions{Mode: types.Try})
		n, isInt := got.(int64)
		v.n = n
		return err == nil && isInt
	}
	return false
}

func withoutCommas(s []byte) []byte {
	for i, c := range s {
		if c == ',' {
			out := append(make([]byte, 0, len(s)), s[:i]...)
			for _, c := range s[i:] {
				if c != ',' {
					out = append(out, c)
				}
			}
			return out
		}
	}
	return s
}

// value reads a value of any type in the form of types.Value; nil is NULL. Whatever it is, it is consumed.
func (c *converter) value(s *shape) (types.Value, outcome, error) {
	switch s.Kind {
	case types.Struct, types.Map, types.Array:
	default:
		return c.scalarValue(s.Type)
	}
	want := byte('{')
	if s.Kind == types.Array {
		want = '['
	}
	start, depth := c.pos, c.depth
	switch ch := c.peek(); {
	case ch == 'n':
		return nil, good, c.word("null")
	case ch != want:
		return nil, failed, c.skip()
	}
	var v types.Value
	var o outcome
	var err error
	switch s.Kind {
	case types.Struct:
		v, o, err = c.structure(s)
	case types.Map:
		v, o, err = c.mapping(s)
	default:
		v, o, err = c.array(s)
	}
	if o == failed && err == nil {
		// Reading stopped inside: the rest must be well formed all the same.
		c.pos, c.depth = start, depth
		return nil, failed, c.skip()
	}
	return v, o, err
}

func (c *converter) scalarValue(t types.Type) (types.Value, outcome, error) {
	v, o, err := c.scalar(t)
	if err != nil || o != good || v.null {
		return nil, o, err
	}
	switch t.Kind {
	case types.Boolean:
		return v.b, good, nil
	case types.Float, types.Double:
		return v.f, good, nil
	case types.Decimal:
		if v.any == nil {
			return types.NewDec(v.n, t.Scale), good, nil
		}
		return v.any, good, nil
	case types.CalendarInterval:
		return v.any, good, nil
	case types.Binary:
		return types.Bytes(v.bytes), good, nil
	case types.String, types.Char, types.Varchar:
		return string(v.bytes), good, nil
	}
	return v.n, good, nil
}

func (c *converter) structure(s *shape) (types.Value, outcome, error) {
	out := make([]types.Value, len(s.members))
	worst := good
	empty, err := c.open('}')
	guess := 0
	for more := !empty; more && err == nil; {
		var name []byte
		if name, err = c.name(); err != nil {
			break
		}
		i := s.find(name, guess)
		if i < 0 {
			err = c.skip()
		} else {
			guess = i + 1
			var v types.Value
			var o outcome
			v, o, err = c.value(s.members[i].shape)
			if o != good {
				worst = partial
			}
			if o != failed {
				out[i] = v
			}
		}
		if err == nil {
			more, err = c.more('}')
		}
	}
	c.depth--
	return out, worst, err
}

func (c *converter) array(s *shape) (types.Value, outcome, error) {
	out := []types.Value{}
	worst := good
	empty, err := c.open(']')
	for more := !empty; more && err == nil; {
		var v types.Value
		var o outcome
		v, o, err = c.value(s.elem)
		if err != nil {
			break
		}
		if o == failed {
			return nil, failed, nil
		}
		worst = max(worst, o)
		out = append(out, v)
		more, err = c.more(']')
	}
	c.depth--
	return out, worst, err
}

func (c *converter) mapping(s *shape) (types.Value, outcome, error) {
	out := []types.MapEntry{}
	at := map[string]int{} // of two entries with one key the later value counts
	worst := good
	empty, err := c.open('}')
	for more := !empty; more && err == nil; {
		var name []byte
		if name, err = c.name(); err != nil {
			break
		}
		key := string(name)
		var v types.Value
		var o outcome
		v, o, err = c.value(s.elem)
		if err != nil {
			break
		}
		if o == failed {
			return nil, failed, nil
		}
		worst = max(worst, o)
		if i, ok := at[key]; ok {
			out[i].Value = v
		} else {
			at[key] = len(out)
			out = append(out, types.MapEntry{Key: key, Value: v})
		}
		more, err = c.more('}')
	}
	c.depth--
	return out, worst, err
}
