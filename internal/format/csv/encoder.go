package csv

import (
	"bytes"
	"encoding/hex"
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// Writer writes CSV files byte for byte as Spark does, but for this: a row that would be an empty line, which readers skip, is
// written as an empty quoted value. The zero Writer is ready to use and safe for concurrent use.
type Writer struct{}

var _ format.Writer = Writer{}

// Encoder implements format.Writer.
func (Writer) Encoder(fields []types.Field, opts format.Options, s format.Settings) (format.Encoder, error) {
	for _, f := range fields {
		if k := f.Type.Kind; k.IsNested() || k == types.Void || k == types.CalendarInterval || k == types.Variant {
			return nil, sqlerr.FileType("CSV", f.Name, f.Type.SQL())
		}
	}
	e := &encoder{lineSep: "\n", emptyValue: `""`}
	var err error
	if e.Output, err = text.NewOutput(opts); err != nil {
		return nil, err
	}
	if e.print, err = text.NewPrinter(opts, s.Zone); err != nil {
		return nil, err
	}
	if err := e.readDialect(opts); err != nil {
		return nil, err
	}
	header, err := text.Bool(opts, "header", false)
	if err != nil {
		return nil, err
	}
	e.header = append(e.header, e.Mark()...)
	if header {
		for i, f := range fields {
			if i > 0 {
				e.header = append(e.header, e.sep...)
			}
			e.header = e.field(append(e.header, f.Name...), len(e.header), i, f.Name == "")
		}
		e.header = append(e.header, e.lineSep...)
		e.header = e.Encode(e.header, len(e.Mark()))
	}
	return e, nil
}

// encoder implements format.Encoder.
type encoder struct {
	*text.Output
	print                 *text.Printer
	sep                   []byte
	quote, escape         byte
	escapeEscape, comment byte
	trimLeft, trimRight   bool
	quoteAll              bool
	nullValue, emptyValue string
	lineSep               string
	header                []byte
	triggers              [256]bool // bytes that a value is quoted for, and the first byte of a long separator
	longSep               bool
	newLine               string // what a line feed inside quotes is written as
}

// readDialect reads the options that say how fields are cut and quoted.
func (e *encoder) readDialect(opts format.Options) error {
	escapeQuotes := true
	for _, f := range []struct {
		name      string
		byDefault bool
		to        *bool
	}{
		{"quoteAll", false, &e.quoteAll},
		{"escapeQuotes", true, &escapeQuotes},
		{"ignoreLeadingWhiteSpace", true, &e.trimLeft},
		{"ignoreTrailingWhiteSpace", true, &e.trimRight},
	} {
		var err error
		if *f.to, err = text.Bool(opts, f.name, f.byDefault); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		name      string
		byDefault byte
		to        *byte
	}{
		{"quote", '"', &e.quote},
		{"escape", '\\', &e.escape},
		{"comment", 0, &e.comment},
		{"charToEscapeQuoteEscaping", 0, &e.escapeEscape},
	} {
		var err error
		if *c.to, err = oneChar(opts, c.name, c.byDefault); err != nil {
			return err
		}
	}
	if e.comment == 0 {
		e.comment = '#' // what Spark's writer has until it is told otherwise
	}
	if e.escapeEscape == 0 && e.quote != e.escape {
		e.escapeEscape = e.escape
	}
	for name, to := range map[string]*string{"nullValue": &e.nullValue, "emptyValue": &e.emptyValue, "lineSep": &e.lineSep} {
		if v, ok := opts.Get(name); ok {
			*to = v
		}
	}
	switch n := len([]rune(e.lineSep)); {
	case n == 0:
		return sqlerr.LineSeparatorEmpty()
	case n > 2:
		return sqlerr.LineSeparatorLength(e.lineSep)
	}
	var err error
	if e.sep, err = delimiter(opts); err != nil {
		return err
	}
	e.longSep = len(e.sep) > 1
	e.newLine = "\n"
	if len([]rune(e.lineSep)) == 2 {
		e.newLine = e.lineSep // Spark's writer takes the line feed for its sign of a line's end
	}
	for _, c := range []byte(e.lineSep + "\n\r") {
		e.triggers[c] = true
	}
	if escapeQuotes {
		e.triggers[e.quote] = true
	}
	e.triggers[e.sep[0]] = true
	return nil
}

// Head implements format.Encoder.
func (e *encoder) Head() []byte { return e.header }

// Append implements format.Encoder.
func (e *encoder) Append(dst []byte, b *vector.Batch, row int) []byte {
	begin := len(dst)
	for i := range b.Cols {
		if i > 0 {
			dst = append(dst, e.sep...)
		}
		at := len(dst)
		col := &b.Cols[i]
		if col.IsNull(row) {
			dst = e.special(append(dst, e.nullValue...), at, i)
			continue
		}
		dst = e.value(dst, col, row)
		dst = e.field(dst, at, i, len(dst) == at)
	}
	if len(dst) == begin {
		dst = append(dst, e.quote, e.quote)
	}
	dst = append(dst, e.lineSep...)
	return e.Encode(dst, begin)
}

// value appends the text of a value that is not NULL, not quoted.
func (e *encoder) value(dst []byte, col *vector.Column, row int) []byte {
	if col.Const {
		row = 0
	}
	t := col.Type
	switch vector.StorageOf(t) {
	case vector.InBool:
		if col.Bool[row] {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case vector.InInt:
		return e.print.AppendInt(dst, t, col.Int[row])
	case vector.InFloat:
		return e.print.AppendFloat(dst, t, col.Float[row])
	case vector.InStr:
		if t.Kind == types.Binary {
			return appendHex(dst, col.Str[row])
		}
		return append(dst, col.Str[row]...)
	}
	d, _ := col.Any[row].(types.Dec)
	return e.print.AppendDecimal(dst, d)
}

// appendHex writes bytes as Spark shows them: [00 FF].
func appendHex(dst []byte, b string) []byte {
	dst = append(dst, '[')
	for i := range len(b) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, strings.ToUpper(hex.EncodeToString([]byte{b[i]}))...)
	}
	return append(dst, ']')
}

// field finishes the value that dst holds from at on: trimmed, and quoted where need be. col is the number of the column.
func (e *encoder) field(dst []byte, at, col int, empty bool) []byte {
	if empty {
		return e.special(append(dst, e.emptyValue...), at, col)
	}
	dst = e.finish(dst, at, col)
	if len(dst) == at {
		return e.special(append(dst, e.emptyValue...), at, col) // nothing but blanks
	}
	return dst
}

// finish trims and quotes the text from at on, which is not empty. What is cut off at its end still counts for whether it is
// quoted.
func (e *encoder) finish(dst []byte, at, col int) []byte {
	first := dst[at]
	if e.trimLeft {
		n := at
		for n < len(dst) && dst[n] <= ' ' {
			n++
		}
		dst = append(dst[:at], dst[n:]...)
	}
	if len(dst) == at {
		return dst
	}
	quote := e.quoteAll || dst[at] == e.quote || col == 0 && first == e.comment || e.triggered(dst[at:])
	for e.trimRight && len(dst) > at && dst[len(dst)-1] <= ' ' {
		dst = dst[:len(dst)-1]
	}
	if quote && len(dst) > at {
		return e.quoted(dst, at)
	}
	return dst
}

// special finishes what stands for NULL or for an empty value: it may have its quotes already.
func (e *encoder) special(dst []byte, at, col int) []byte {
	raw := dst[at:]
	if n := len(raw); n >= 2 && raw[0] == e.quote && raw[n-1] == e.quote {
		return dst
	}
	if len(raw) == 0 {
		if e.quoteAll {
			return append(dst, e.quote, e.quote)
		}
		return dst
	}
	return e.finish(dst, at, col)
}

// triggered reports whether a value has to be quoted for what is in it.
func (e *encoder) triggered(v []byte) bool {
	for i, c := range v {
		if e.triggers[c] && (!e.longSep || c != e.sep[0] || e.endsValue(v, i)) {
			return true
		}
	}
	return false
}

// endsValue tells what the first byte of a long separator means at i.
func (e *encoder) endsValue(v []byte, i int) bool {
	return bytes.HasPrefix(v[i:], e.sep) || v[i] == '\n' || v[i] == '\r' || v[i] == e.quote || strings.IndexByte(e.lineSep, v[i]) >= 0
}

// quoted puts the value from at on into quotes.
func (e *encoder) quoted(dst []byte, at int) []byte {
	plain := true
	for _, c := range dst[at:] {
		if c == e.quote || c == e.escape || c == '\n' && len(e.newLine) > 1 {
			plain = false
			break
		}
	}
	if plain {
		dst = append(dst, 0, e.quote)
		copy(dst[at+1:], dst[at:len(dst)-2])
		dst[at] = e.quote
		return dst
	}
	raw := bytes.Clone(dst[at:])
	dst = append(dst[:at], e.quote)
	for _, c := range raw {
		switch {
		case c == e.quote:
			dst = append(dst, e.escape, c)
		case c == e.escape && e.escapeEscape != 0:
			dst = append(dst, e.escapeEscape, c)
		case c == '\n':
			dst = append(dst, e.newLine...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, e.quote)
}
