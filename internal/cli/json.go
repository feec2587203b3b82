package cli

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// jsonOutput writes one JSON object a line for each statement, flushed at its end.
type jsonOutput struct {
	w    *bufio.Writer
	zone func() *time.Location
	cols []plan.Column
	rows int
	buf  []byte
}

func (o *jsonOutput) begin(cols []plan.Column, _ time.Time) error {
	o.cols, o.rows = cols, 0
	o.buf = append(o.buf[:0], `{"columns":[`...)
	for i, c := range cols {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = append(o.buf, `{"name":`...)
		o.buf = appendJSONString(o.buf, c.Name)
		o.buf = append(o.buf, `,"type":`...)
		o.buf = appendJSONString(o.buf, c.Type.String())
		o.buf = append(o.buf, '}')
	}
	o.buf = append(o.buf, `],"rows":[`...)
	_, err := o.w.Write(o.buf)
	return err
}

func (o *jsonOutput) batch(b *vector.Batch) error {
	zone := o.zone()
	o.buf = o.buf[:0]
	for r := range b.Len {
		if o.rows > 0 {
			o.buf = append(o.buf, ',')
		}
		o.rows++
		o.buf = append(o.buf, '[')
		for i := range b.Cols {
			if i > 0 {
				o.buf = append(o.buf, ',')
			}
			o.buf = appendCell(o.buf, &b.Cols[i], r, zone)
		}
		o.buf = append(o.buf, ']')
		if len(o.buf) > 32<<10 {
			if _, err := o.w.Write(o.buf); err != nil {
				return err
			}
			o.buf = o.buf[:0]
		}
	}
	_, err := o.w.Write(o.buf)
	return err
}

func (o *jsonOutput) end(warnings []session.Warning, f *failure) error {
	b := append(o.buf[:0], `],"warnings":`...)
	b = appendWarnings(b, warnings)
	if f != nil {
		b = append(b, `,"error":`...)
		b = appendFailure(b, f)
	}
	o.buf = append(b, '}', '\n')
	if _, err := o.w.Write(o.buf); err != nil {
		return err
	}
	return o.w.Flush()
}

func (o *jsonOutput) fail(f *failure, _ []session.Warning) error {
	o.buf = append(o.buf[:0], `{"error":`...)
	o.buf = appendFailure(o.buf, f)
	o.buf = append(o.buf, '}', '\n')
	if _, err := o.w.Write(o.buf); err != nil {
		return err
	}
	return o.w.Flush()
}

func appendWarnings(b []byte, ws []session.Warning) []byte {
	if ws == nil {
		ws = []session.Warning{}
	}
	text, err := json.Marshal(ws)
	if err != nil {
		return append(b, "[]"...)
	}
	return append(b, text...)
}

func appendFailure(b []byte, f *failure) []byte {
	b = append(b, `{"class":`...)
	b = appendJSONString(b, string(f.err.Condition))
	b = append(b, `,"sqlState":`...)
	b = appendJSONString(b, f.err.SQLState())
	b = append(b, `,"message":`...)
	b = appendJSONString(b, f.err.Message)
	b = append(b, `,"parameters":{`...)
	for i, p := range f.err.Params {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSONString(b, p.Name)
		b = append(b, ':')
		b = appendJSONString(b, p.Value)
	}
	b = append(b, `},"position":`...)
	if pos, ok := f.position(); ok {
		b = append(b, `{"line":`...)
		b = strconv.AppendInt(b, int64(pos.line), 10)
		b = append(b, `,"column":`...)
		b = strconv.AppendInt(b, int64(pos.column), 10)
		b = append(b, `,"offset":`...)
		b = strconv.AppendInt(b, int64(pos.offset), 10)
		b = append(b, '}')
	} else {
		b = append(b, "null"...)
	}
	return append(b, '}')
}

// appendCell writes the value of row r. The common types avoid boxing the value.
func appendCell(b []byte, c *vector.Column, r int, zone *time.Location) []byte {
	if c.IsNull(r) {
		return append(b, "null"...)
	}
	i := r
	if c.Const {
		i = 0
	}
	switch c.Type.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return strconv.AppendInt(b, c.Int[i], 10)
	case types.Boolean:
		return strconv.AppendBool(b, c.Bool[i])
	case types.String, types.Char, types.Varchar:
		return appendJSONString(b, c.Str[i])
	}
	return appendValue(b, c.Type, c.Value(r), zone)
}

func appendValue(b []byte, t types.Type, v types.Value, zone *time.Location) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return strconv.AppendInt(b, v.(int64), 10)
	case types.Boolean:
		return strconv.AppendBool(b, v.(bool))
	case types.Float, types.Double:
		if f := v.(float64); math.IsNaN(f) || math.IsInf(f, 0) {
			return appendJSONString(b, types.Format(t, v, zone))
		}
		return append(b, types.Format(t, v, zone)...)
	case types.Binary:
		b = append(b, '"')
		b = hex.AppendEncode(b, []byte(v.(types.Bytes)))
		return append(b, '"')
	case types.Array:
		b = append(b, '[')
		for i, e := range v.([]types.Value) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, *t.Elem, e, zone)
		}
		return append(b, ']')
	case types.Struct:
		b = append(b, '{')
		for i, e := range v.([]types.Value) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSONString(b, t.Fields[i].Name)
			b = append(b, ':')
			b = appendValue(b, t.Fields[i].Type, e, zone)
		}
		return append(b, '}')
	case types.Map:
		b = append(b, '{')
		for i, e := range v.([]types.MapEntry) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSONString(b, types.Format(*t.Key, e.Key, zone))
			b = append(b, ':')
			b = appendValue(b, *t.Elem, e.Value, zone)
		}
		return append(b, '}')
	}
	return appendJSONString(b, types.Format(t, v, zone))
}

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand for themselves in a JSON string whatever is around them.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendJSONString quotes s. Bytes that are not UTF-8 become U+FFFD, since JSON text is Unicode.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	i := plainPrefix(s)
	b = append(b, s[:i]...)
	if i < len(s) {
		b = appendEscaped(b, s[i:])
	}
	return append(b, '"')
}

// plainPrefix is how many bytes of s, from the first, are plain. It looks at eight of them at a time.
func plainPrefix(s string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		p := s[i : i+8]
		w := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
			uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
		// A byte less a greater one borrows into its high bit; a byte that is another's exclusive or is zero when they are equal.
		// A borrow from a byte below may mark a byte that is plain, which costs time only.
		quote, slash := w^'"'*ones, w^'\\'*ones
		if (w|(w-0x20*ones)|(quote-ones)|(slash-ones))&highs != 0 {
			break
		}
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// appendEscaped writes what is left of a string from its first byte that is not plain.
func appendEscaped(b []byte, s string) []byte {
	s = types.ReplaceInvalid(s)
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		start = i + 1
	}
	return append(b, s[start:]...)
}
