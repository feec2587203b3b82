package cli

import (
	"bufio"
	"io"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// textOutput writes rows as separated values with a header line. Warnings and errors go to errw.
type textOutput struct {
	w     *bufio.Writer
	errw  io.Writer
	zone  func() *time.Location
	quote func(b []byte, s string) []byte
	sep   byte
	null  string
	buf   []byte
}

func (o *textOutput) begin(cols []plan.Column, _ time.Time) error {
	if len(cols) == 0 {
		return nil
	}
	b := o.buf[:0]
	for i, c := range cols {
		if i > 0 {
			b = append(b, o.sep)
		}
		b = o.quote(b, c.Name)
	}
	o.buf = append(b, '\n')
	_, err := o.w.Write(o.buf)
	return err
}

func (o *textOutput) batch(b *vector.Batch) error {
	zone := o.zone()
	for r := range b.Len {
		buf := o.buf[:0]
		for i := range b.Cols {
			if i > 0 {
				buf = append(buf, o.sep)
			}
			c := &b.Cols[i]
			if c.IsNull(r) {
				buf = append(buf, o.null...)
				continue
			}
			buf = o.quote(buf, cellText(c, r, zone))
		}
		o.buf = append(buf, '\n')
		if _, err := o.w.Write(o.buf); err != nil {
			return err
		}
	}
	return nil
}

// cellText is a value as CAST(x AS STRING) gives it; BINARY as hexadecimal digits, since it may not be text.
func cellText(c *vector.Column, r int, zone *time.Location) string {
	v := c.Value(r)
	switch x := v.(type) {
	case string:
		return x
	case types.Bytes:
		var b strings.Builder
		for i := range len(x) {
			b.WriteByte(hexDigits[x[i]>>4])
			b.WriteByte(hexDigits[x[i]&15])
		}
		return b.String()
	}
	return types.Format(c.Type, v, zone)
}

func (o *textOutput) end(ws []session.Warning, f *failure) error {
	if err := o.w.Flush(); err != nil {
		return err
	}
	writeWarnings(o.errw, ws)
	if f != nil {
		writeFailure(o.errw, f)
	}
	return nil
}

func (o *textOutput) fail(f *failure, ws []session.Warning) error {
	writeWarnings(o.errw, ws)
	writeFailure(o.errw, f)
	return nil
}

// quoteTSV escapes what would break a line or a column: tab, newline, carriage return and the backslash itself.
func quoteTSV(b []byte, s string) []byte {
	if !strings.ContainsAny(s, "\t\n\r\\") {
		return append(b, s...)
	}
	for i := range len(s) {
		switch s[i] {
		case '\t':
			b = append(b, '\\', 't')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\\':
			b = append(b, '\\', '\\')
		default:
			b = append(b, s[i])
		}
	}
	return b
}

// quoteCSV follows RFC 4180. The empty string is quoted, so that it differs from NULL, which is nothing at all.
func quoteCSV(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\n\r") {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
