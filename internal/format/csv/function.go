package csv

import (
	"strconv"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Functions is CSV in single values: what from_csv, to_csv and schema_of_csv are made of. A text is one record, line ends
// in it included. The zero Functions is ready to use and safe for concurrent use.
type Functions struct{}

var _ expr.TextFormat = Functions{}

// Decoder implements expr.TextFormat for a STRUCT.
func (Functions) Decoder(t types.Type, options map[string]string, zone *time.Location) (expr.Decoder, error) {
	o, err := parseOptions(format.Options(options), zone)
	if err != nil {
		return nil, err
	}
	if o.mode == text.DropMalformed {
		return nil, sqlerr.ParseModeUnsupported("from_csv", "DROPMALFORMED")
	}
	d := &decoder{opts: o, cut: newCutter(&o.dialect), fields: t.Fields, corrupt: -1}
	for i, f := range t.Fields {
		switch k := f.Type.Kind; {
		case k >= types.Boolean && k <= types.DayTimeInterval, k == types.Time, k == types.CalendarInterval:
		default:
			return nil, sqlerr.UnsupportedDatatype(f.Type.SQL())
		}
		if f.Name == o.corrupt {
			if f.Type.Kind != types.String {
				return nil, sqlerr.CorruptRecordType(f.Name, f.Type.SQL())
			}
			d.corrupt = i
		}
	}
	return d.decode, nil
}

// decoder reads records as structs.
type decoder struct {
	opts    *options
	cut     *cutter
	fields  []types.Field
	corrupt int // the field that takes the text of a malformed record, -1 for none
}

func (d *decoder) decode(record string) (types.Value, error) {
	b := []byte(record)
	out := make([]types.Value, len(d.fields))
	bad := len(b) == 0 || d.opts.comment != 0 && b[0] == d.opts.comment
	if !bad {
		if err := d.cut.line(b, -1); err != nil {
			bad = true
		} else {
			bad = d.row(out)
		}
	}
	if !bad {
		return out, nil
	}
	if d.opts.mode == text.FailFast {
		return nil, sqlerr.MalformedText(text.Excerpt(b))
	}
	if d.corrupt >= 0 {
		out[d.corrupt] = record
	}
	return out, nil
}

// row converts the fields that were cut; bad tells that there are too few or too many, or that one is no value of its type.
func (d *decoder) row(out []types.Value) (bad bool) {
	at := 0
	for i, f := range d.fields {
		if i == d.corrupt {
			continue
		}
		if at >= len(d.cut.fields) {
			bad = true
			break
		}
		if b, ok := d.opts.text(d.cut.fields[at]); ok {
			v, ok := d.opts.value(f.Type, b)
			if ok {
				out[i] = v
			}
			bad = bad || !ok
		}
		at++
	}
	return bad || at < len(d.cut.fields)
}

// value is a field's text as a value; false when the text is no value of the type.
func (o *options) value(t types.Type, b []byte) (types.Value, bool) {
	switch t.Kind {
	case types.String:
		return string(clean(b)), true
	case types.Binary:
		return types.Bytes(b), true
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		lo, hi := text.IntRange(t.Kind)
		n, ok := text.ParseInt(b, lo, hi)
		return n, ok
	case types.Float, types.Double:
		v, ok := o.float(b, t.Kind)
		return v, ok
	case types.Decimal:
		small, large, ok := parseDecimal(b, t)
		if ok && t.Precision <= 18 {
			return types.NewDec(small, t.Scale), true
		}
		return types.Dec{Unscaled: large, Scale: t.Scale}, ok
	case types.Boolean:
		v, ok := boolean(b)
		return v, ok
	case types.Date:
		d, ok := o.times.Date(b)
		return d, ok
	case types.Timestamp:
		at, ok := o.times.Timestamp(b)
		return at, ok
	case types.TimestampNTZ:
		at, ok := o.times.TimestampNTZ(b)
		return at, ok
	case types.Time:
		at, ok := o.times.Time(b)
		return at, ok
	}
	v, err := types.Cast(string(b), types.Of(types.String), t, types.CastOptions{Mode: types.Try})
	return v, err == nil && v != nil
}

// Encoder implements expr.TextFormat for a STRUCT. A record without any character is NULL.
func (Functions) Encoder(t types.Type, options map[string]string, zone *time.Location) (expr.Encoder, error) {
	e := &encoder{lineSep: "\n", emptyValue: `""`}
	opts := format.Options(options)
	var err error
	if e.print, err = text.NewPrinter(opts, zone); err != nil {
		return nil, err
	}
	if err := e.readDialect(opts); err != nil {
		return nil, err
	}
	var buf []byte
	return func(v types.Value) (types.Value, error) {
		values, _ := v.([]types.Value)
		buf = buf[:0]
		for i, x := range values {
			if i > 0 {
				buf = append(buf, e.sep...)
			}
			at := len(buf)
			if x == nil {
				buf = e.special(append(buf, e.nullValue...), at, i)
				continue
			}
			buf = e.nested(buf, t.Fields[i].Type, x)
			buf = e.field(buf, at, i, len(buf) == at)
		}
		if len(buf) == 0 {
			return nil, nil
		}
		return string(buf), nil
	}, nil
}

// nested appends a value that is not NULL. Collections look as Spark shows them, NULLs in them left out.
func (e *encoder) nested(dst []byte, t types.Type, v types.Value) []byte {
	list := func(dst []byte, values []types.Value, typeOf func(i int) types.Type) []byte {
		for i, x := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			if x == nil {
				continue
			}
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = e.nested(dst, typeOf(i), x)
		}
		return dst
	}
	switch x := v.(type) {
	case bool:
		return strconv.AppendBool(dst, x)
	case int64:
		return e.print.AppendInt(dst, t, x)
	case float64:
		return e.print.AppendFloat(dst, t, x)
	case types.Dec:
		return e.print.AppendDecimal(dst, x)
	case types.Interval:
		return append(dst, types.Format(t, x, nil)...)
	case types.Bytes:
		return appendHex(dst, string(x))
	case string:
		return append(dst, x...)
	case []types.MapEntry:
		dst = append(dst, '{')
		for i, entry := range x {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(e.nested(dst, *t.Key, entry.Key), " ->"...)
			if entry.Value != nil {
				dst = e.nested(append(dst, ' '), *t.Elem, entry.Value)
			}
		}
		return append(dst, '}')
	case []types.Value:
		if t.Kind == types.Struct {
			return append(list(append(dst, '{'), x, func(i int) types.Type { return t.Fields[i].Type }), '}')
		}
		return append(list(append(dst, '['), x, func(int) types.Type { return *t.Elem }), ']')
	}
	return dst
}

// Infer implements expr.TextFormat: a STRUCT of the fields _c0, _c1, ….
func (Functions) Infer(record string, options map[string]string, zone *time.Location) (types.Type, error) {
	o, err := parseOptions(format.Options(options), zone)
	if err != nil {
		return types.Type{}, err
	}
	b := []byte(record)
	cut := newCutter(&o.dialect)
	if len(b) == 0 || cut.line(b, -1) != nil {
		return types.Type{}, sqlerr.SchemaOfMalformed("schema_of_csv", text.Excerpt(b))
	}
	fields := make([]types.Field, len(cut.fields))
	for i, f := range cut.fields {
		t := types.Of(types.String)
		if b, ok := o.text(f); ok && len(b) > 0 {
			t = o.typeOf(types.Void, b)
		}
		fields[i] = types.Field{Name: "_c" + strconv.Itoa(i), Type: t}
	}
	return types.StructOf(fields...), nil
}
