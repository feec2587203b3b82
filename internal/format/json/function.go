package json

import (
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Functions is JSON in single values: what from_json, to_json and schema_of_json are made of. The zero Functions is ready
// to use and safe for concurrent use.
type Functions struct{}

var _ expr.TextFormat = Functions{}

// Decoder implements expr.TextFormat. What follows the first value of a text does not count, as in Spark.
func (Functions) Decoder(t types.Type, options map[string]string, zone *time.Location) (expr.Decoder, error) {
	opts := format.Options(options)
	o, err := parseOptions(opts, zone)
	if err != nil {
		return nil, err
	}
	if o.mode == text.DropMalformed {
		return nil, sqlerr.ParseModeUnsupported("from_json", "DROPMALFORMED")
	}
	if err := checkTypes("value", t, true); err != nil {
		return nil, err
	}
	d := &decoder{converter: converter{opts: o, rewrite: true}, root: newShape(t), corrupt: -1}
	d.dialect = &o.dialect
	if t.Kind == types.Struct {
		for i, f := range t.Fields {
			if f.Name != o.corrupt {
				continue
			}
			if f.Type.Kind != types.String {
				return nil, sqlerr.CorruptRecordType(f.Name, f.Type.SQL())
			}
			d.corrupt = i
			d.root.members[i].name = "\x00" // no member is read into it
			delete(d.root.index, f.Name)
		}
	}
	return d.decode, nil
}

// decoder reads texts as values of one type.
type decoder struct {
	converter
	root    *shape
	corrupt int // the field that takes the text of a malformed record, -1 for none
}

func (d *decoder) decode(record string) (types.Value, error) {
	b := []byte(record)
	d.reset(b)
	first := d.peek()
	if d.pos == len(b) {
		return nil, nil
	}
	v, o, err := d.read(first)
	if err == nil && !utf8.Valid(b) {
		err = errSyntax
	}
	if err == nil && o == good {
		return v, nil
	}
	if d.opts.mode == text.FailFast {
		return nil, sqlerr.MalformedText(text.Excerpt(b))
	}
	if d.root.Kind != types.Struct {
		if err != nil || o == failed {
			return nil, nil
		}
		return v, nil
	}
	fields, ok := v.([]types.Value)
	if err != nil || !ok {
		fields = make([]types.Value, len(d.root.members))
	}
	if d.corrupt >= 0 {
		fields[d.corrupt] = record
	}
	return fields, nil
}

// read reads the value at pos. Where an ARRAY of STRUCT is wanted, an object is the only element.
func (d *decoder) read(first byte) (types.Value, outcome, error) {
	switch {
	case d.root.Kind == types.Struct && first == 'n':
		return make([]types.Value, len(d.root.members)), good, d.word("null")
	case d.root.Kind == types.Array && d.root.elem.Kind == types.Struct && first == '{':
		v, o, err := d.value(d.root.elem)
		if err != nil || o == failed {
			return nil, o, err
		}
		return []types.Value{v}, o, nil
	}
	return d.value(d.root)
}

// Encoder implements expr.TextFormat.
func (Functions) Encoder(t types.Type, options map[string]string, zone *time.Location) (expr.Encoder, error) {
	opts := format.Options(options)
	if !writable(t, true) {
		return nil, sqlerr.FileType("JSON", "value", t.SQL())
	}
	e := &encoder{}
	var err error
	if e.print, err = text.NewPrinter(opts, zone); err != nil {
		return nil, err
	}
	if e.ignoreNulls, err = text.Bool(opts, "ignoreNullFields", true); err != nil {
		return nil, err
	}
	pretty, escaped := false, false
	for _, o := range []struct {
		name string
		to   *bool
	}{{"pretty", &pretty}, {"writeNonAsciiCharacterAsCodePoint", &escaped}, {"sortKeys", &e.sortKeys}} {
		if *o.to, err = text.Bool(opts, o.name, false); err != nil {
			return nil, err
		}
	}
	var buf []byte
	return func(v types.Value) (types.Value, error) {
		buf = e.value(buf[:0], t, v)
		s := string(buf)
		if pretty {
			s = indented(s)
		}
		if escaped {
			s = codePoints(s)
		}
		return s, nil
	}, nil
}

// Infer implements expr.TextFormat: what follows the first value does not count.
func (Functions) Infer(record string, options map[string]string, zone *time.Location) (types.Type, error) {
	o, err := parseOptions(format.Options(options), zone)
	if err != nil {
		return types.Type{}, err
	}
	in := inference{opts: o, caseSensitive: true}
	in.dialect = &o.dialect
	b := []byte(record)
	in.reset(b)
	in.peek()
	root := &node{}
	if start := in.pos; start < len(b) {
		err := in.skip()
		if in.pos, in.depth = start, 0; err == nil {
			err = in.value(root)
		}
		if err != nil || !utf8.Valid(b) {
			return types.Type{}, sqlerr.SchemaOfMalformed("schema_of_json", text.Excerpt(b))
		}
	}
	t, _ := root.final(o)
	return t, nil
}

// indented spreads compact JSON over lines: members of objects stand on their own, arrays on one.
func indented(s string) string {
	out := make([]byte, 0, 2*len(s))
	depth, quoted := 0, false
	var within []byte // the brackets that are open
	for i := range len(s) {
		c := s[i]
		switch {
		case quoted || c == '"':
			out = append(out, c)
			if c == '"' && (!quoted || !escapedAt(s, i)) {
				quoted = !quoted
			}
		case c == '{' && s[i+1] == '}', c == '[' && s[i+1] == ']', c == '[':
			out = append(out, c, ' ')
		case c == '{':
			depth++
			out = newLine(append(out, c), depth)
		case c == '}' && s[i-1] == '{':
			out = append(out, c)
		case c == '}':
			depth--
			out = append(newLine(out, depth), c)
		case c == ']' && s[i-1] == '[':
			out = append(out, c)
		case c == ']':
			out = append(out, ' ', c)
		case c == ':':
			out = append(out, " : "...)
		case c == ',' && within[len(within)-1] == '[':
			out = append(out, ", "...)
		case c == ',':
			out = newLine(append(out, c), depth)
		default:
			out = append(out, c)
		}
		switch {
		case quoted:
		case c == '{' || c == '[':
			within = append(within, c)
		case c == '}' || c == ']':
			within = within[:len(within)-1]
		}
	}
	return string(out)
}

func newLine(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// escapedAt reports whether the character at i stands behind a backslash that is not itself escaped.
func escapedAt(s string, i int) bool {
	n := 0
	for i > n && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// codePoints writes all that is not ASCII as \uXXXX.
func codePoints(s string) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			out = append(out, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
		}
	}
	return string(out)
}
