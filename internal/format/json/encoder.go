package json

import (
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// Writer writes JSON files of one object a line, byte for byte as Spark does, but for the keys of maps that are BINARY or maps: those
// are written as a cast to STRING shows them, where Spark writes an address in memory. The zero Writer is ready to use and safe for
// concurrent use.
type Writer struct{}

var _ format.Writer = Writer{}

// Encoder implements format.Writer.
func (Writer) Encoder(fields []types.Field, opts format.Options, s format.Settings) (format.Encoder, error) {
	e := &encoder{lineSep: "\n"}
	for _, f := range fields {
		if !writable(f.Type, false) {
			return nil, sqlerr.FileType("JSON", f.Name, f.Type.SQL())
		}
		e.names = append(e.names, append(appendString(nil, f.Name), ':'))
	}
	var err error
	if e.Output, err = text.NewOutput(opts); err != nil {
		return nil, err
	}
	if e.print, err = text.NewPrinter(opts, s.Zone); err != nil {
		return nil, err
	}
	if e.ignoreNulls, err = text.Bool(opts, "ignoreNullFields", true); err != nil {
		return nil, err
	}
	if v, ok := opts.Get("lineSep"); ok {
		if e.lineSep = v; v == "" {
			return nil, sqlerr.LineSeparatorEmpty()
		}
	}
	return e, nil
}

// writable reports whether JSON has a form for values of a type. Only functions write calendar intervals.
func writable(t types.Type, intervals bool) bool {
	return !t.Holds(func(p types.Type) bool {
		return p.Kind == types.CalendarInterval && !intervals || p.Kind == types.Variant
	})
}

// encoder implements format.Encoder.
type encoder struct {
	*text.Output
	print       *text.Printer
	names       [][]byte // of the fields, quoted, with the colon
	ignoreNulls bool
	sortKeys    bool // of maps
	lineSep     string
}

// Head implements format.Encoder.
func (e *encoder) Head() []byte { return e.Mark() }

// Append implements format.Encoder.
func (e *encoder) Append(dst []byte, b *vector.Batch, row int) []byte {
	begin := len(dst)
	dst = append(dst, '{')
	first := true
	for i := range b.Cols {
		col := &b.Cols[i]
		null := col.IsNull(row)
		if null && e.ignoreNulls {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, e.names[i]...)
		if null {
			dst = append(dst, "null"...)
			continue
		}
		dst = e.cell(dst, col, row)
	}
	dst = append(append(dst, '}'), e.lineSep...)
	return e.Encode(dst, begin)
}

// cell appends a value of a column that is not NULL.
func (e *encoder) cell(dst []byte, col *vector.Column, row int) []byte {
	if col.Const {
		row = 0
	}
	switch vector.StorageOf(col.Type) {
	case vector.InBool:
		return strconv.AppendBool(dst, col.Bool[row])
	case vector.InInt:
		return e.integer(dst, col.Type, col.Int[row])
	case vector.InFloat:
		return e.float(dst, col.Type, col.Float[row])
	case vector.InStr:
		if col.Type.Kind == types.Binary {
			return appendBase64(dst, col.Str[row])
		}
		return appendString(dst, col.Str[row])
	}
	return e.value(dst, col.Type, col.Any[row])
}

// integer appends a value that vector keeps as an integer: times and intervals are text.
func (e *encoder) integer(dst []byte, t types.Type, v int64) []byte {
	switch t.Kind {
	case types.Date, types.Timestamp, types.TimestampNTZ, types.Time, types.YearMonthInterval, types.DayTimeInterval:
		// A pattern may hold anything, quotes included.
		var buf [64]byte
		return appendString(dst, string(e.print.AppendInt(buf[:0], t, v)))
	}
	return e.print.AppendInt(dst, t, v)
}

// float appends a number; what JSON has no number for is text.
func (e *encoder) float(dst []byte, t types.Type, v float64) []byte {
	if v-v != 0 { // NaN or infinite
		dst = e.print.AppendFloat(append(dst, '"'), t, v)
		return append(dst, '"')
	}
	return e.print.AppendFloat(dst, t, v)
}

func appendBase64(dst []byte, b string) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, []byte(b))
	return append(dst, '"')
}

// value appends a value inside a nested one.
func (e *encoder) value(dst []byte, t types.Type, v types.Value) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, x)
	case int64:
		return e.integer(dst, t, x)
	case float64:
		return e.float(dst, t, x)
	case types.Dec:
		return e.print.AppendDecimal(dst, x)
	case types.Bytes:
		return appendBase64(dst, string(x))
	case string:
		return appendString(dst, x)
	case types.Interval:
		return appendString(dst, types.Format(t, x, nil))
	case []types.MapEntry:
		if e.sortKeys {
			x = slices.Clone(x)
			slices.SortFunc(x, func(a, b types.MapEntry) int { return types.Compare(*t.Key, a.Key, b.Key) })
		}
		dst = append(dst, '{')
		for i, entry := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, e.key(*t.Key, entry.Key)), ':')
			dst = e.value(dst, *t.Elem, entry.Value)
		}
		return append(dst, '}')
	case []types.Value:
		if t.Kind == types.Struct {
			return e.object(dst, t, x)
		}
		dst = append(dst, '[')
		for i, elem := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.value(dst, *t.Elem, elem)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

// key is a map's key as text: as Spark keeps it, dates as days and times as microseconds.
func (e *encoder) key(t types.Type, v types.Value) string {
	switch x := v.(type) {
	case types.Dec:
		return string(e.print.AppendDecimal(nil, x))
	case bool, string, types.Bytes:
		return types.Format(t, v, e.print.Zone())
	}
	return expr.InternalText(v, t)
}

// object appends a STRUCT.
func (e *encoder) object(dst []byte, t types.Type, values []types.Value) []byte {
	dst = append(dst, '{')
	first := true
	for i, v := range values {
		if v == nil && e.ignoreNulls || i >= len(t.Fields) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, t.Fields[i].Name), ':')
		dst = e.value(dst, t.Fields[i].Type, v)
	}
	return append(dst, '}')
}

// shortEscapes are the escapes of JSON that are one letter.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendString appends a text in quotes, with only the escapes that JSON requires. Bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, '"')
	s = types.ReplaceInvalid(s)
	begin := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[begin:i]...)
		begin = i + 1
		if short := shortEscapes[c]; short != 0 {
			dst = append(dst, '\\', short)
			continue
		}
		dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return append(append(dst, s[begin:]...), '"')
}
