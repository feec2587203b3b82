package csv

import (
	"bytes"
	"errors"
)

var (
	errColumns   = errors.New("it has more fields than the option maxColumns allows")
	errLength    = errors.New("a field is longer than the option maxCharsPerColumn allows")
	errStray     = errors.New("a quoted field has a quote inside that is not escaped")
	errNeedMore  = errors.New("the record goes on beyond the data at hand")
	errEndOfData = errors.New("end of data")
)

// field is one field of a record. Its bytes are valid until the next record is cut.
type field struct {
	b []byte
	// missing is a field of no characters outside of quotes, which is NULL.
	missing bool
	// empty is a field of no characters inside of quotes.
	empty bool
}

// cutter cuts a record into fields as the dialect says. One cutter serves one reader.
type cutter struct {
	*dialect
	fields []field
	// newline ends a record, -1 when the data is one record without its end (files read line by line).
	newline int
	// crlf is set when \r\n ends records; newline is then \n, and a \r before it is not part of the record.
	crlf bool
	// normalize makes line ends within quotes \n.
	normalize bool
	data      []byte
	pos       int // of the character being looked at
	eof       bool
	nextLine  int // where the next newline is, or len(data); valid while ≥ pos
	scratch   []byte
}

func newCutter(d *dialect) *cutter {
	c := &cutter{dialect: d, newline: -1}
	return c
}

// line cuts one record that is all of data. Only the first most fields are needed when most ≥ 0.
func (c *cutter) line(data []byte, most int) error {
	c.data, c.pos, c.eof, c.newline, c.nextLine = data, 0, true, -1, len(data)
	return c.record(most)
}

// next cuts the record at the start of data, which ends where the stream does when eof is set, and returns its
// length with the line end. It fails with errNeedMore when the record may go on beyond data.
func (c *cutter) next(data []byte, eof bool, most int) (n int, err error) {
	c.data, c.pos, c.eof, c.nextLine = data, 0, eof, -1
	err = c.record(most)
	return c.pos, err
}

func (c *cutter) record(most int) error {
	c.fields = c.fields[:0]
	c.scratch = c.scratch[:0]
	for {
		if c.trimLeft {
			c.skipBlanks()
		}
		if most >= 0 && len(c.fields) >= most && c.newline < 0 {
			return nil
		}
		if len(c.fields) >= c.maxColumns {
			return errColumns
		}
		if c.pos >= len(c.data) {
			if !c.eof {
				return errNeedMore
			}
			c.fields = append(c.fields, field{missing: true})
			return nil
		}
		if c.quote != 0 && c.data[c.pos] == c.quote {
			if err := c.quoted(); err != nil {
				return err
			}
		} else {
			end := c.fieldEnd(c.pos)
			if end == len(c.data) && !c.eof {
				return errNeedMore
			}
			b := c.data[c.pos:end]
			if c.crlf && end < len(c.data) && c.data[end] == '\n' && len(b) > 0 && b[len(b)-1] == '\r' {
				b = b[:len(b)-1]
			}
			c.pos = end
			c.unquoted(b)
		}
		if c.maxCharacters >= 0 && len(c.fields) > 0 && len(c.fields[len(c.fields)-1].b) > c.maxCharacters {
			return errLength
		}
		switch {
		case c.pos >= len(c.data):
			if !c.eof {
				return errNeedMore
			}
			return nil
		case c.atNewline(c.pos):
			c.pos++
			if c.crlf && c.pos < len(c.data) && c.data[c.pos-1] == '\r' {
				c.pos++
			}
			return nil
		}
		c.pos += len(c.sep)
	}
}

func (c *cutter) atNewline(i int) bool {
	if c.newline < 0 || i >= len(c.data) {
		return false
	}
	if c.data[i] == byte(c.newline) {
		return true
	}
	return c.crlf && c.data[i] == '\r' && i+1 < len(c.data) && c.data[i+1] == '\n'
}

func (c *cutter) atSep(i int) bool {
	if len(c.sep) == 1 {
		return i < len(c.data) && c.data[i] == c.sep[0]
	}
	return bytes.HasPrefix(c.data[min(i, len(c.data)):], c.sep)
}

func (c *cutter) skipBlanks() {
	for c.pos < len(c.data) && c.data[c.pos] <= ' ' && !c.atSep(c.pos) && !c.atNewline(c.pos) && c.data[c.pos] != c.quote {
		c.pos++
	}
}

// fieldEnd is where the unquoted text at i ends: at a delimiter, a line end or the end of data.
func (c *cutter) fieldEnd(i int) int {
	limit := len(c.data)
	if c.newline >= 0 {
		if c.nextLine < i {
			if n := bytes.IndexByte(c.data[i:], byte(c.newline)); n >= 0 {
				c.nextLine = i + n
			} else {
				c.nextLine = len(c.data)
			}
		}
		limit = c.nextLine
	}
	rest := c.data[i:limit]
	if len(c.sep) == 1 {
		// Most fields are short: a plain loop beats a call.
		sep := c.sep[0]
		for j := 0; j < len(rest) && j < 16; j++ {
			if rest[j] == sep {
				return i + j
			}
		}
		if len(rest) > 16 {
			if n := bytes.IndexByte(rest[16:], sep); n >= 0 {
				return i + 16 + n
			}
		}
		return limit
	}
	if n := bytes.Index(rest, c.sep); n >= 0 {
		return i + n
	}
	return limit
}

func (c *cutter) unquoted(b []byte) {
	if c.trimRight {
		for len(b) > 0 && b[len(b)-1] <= ' ' {
			b = b[:len(b)-1]
		}
	}
	c.fields = append(c.fields, field{b: b, missing: len(b) == 0})
}

// simple reports whether the text up to the next quote stands for itself: it holds no escape and no line end to be
// normalised.
func (c *cutter) simple(b []byte) bool {
	escaped := c.escape != c.quote && c.escape != 0 && bytes.IndexByte(b, c.escape) >= 0 ||
		c.escapeEscape != 0 && c.escapeEscape != c.escape && bytes.IndexByte(b, c.escapeEscape) >= 0
	return !escaped && !(c.normalize && bytes.IndexByte(b, '\r') >= 0)
}

// quoted cuts the field whose opening quote is at pos.
func (c *cutter) quoted() error {
	start := c.pos + 1
	if n := bytes.IndexByte(c.data[start:], c.quote); n >= 0 && c.simple(c.data[start:start+n]) {
		after := start + n + 1
		if after >= len(c.data) && !c.eof {
			return errNeedMore
		}
		if after >= len(c.data) || c.atSep(after) || c.atNewline(after) {
			c.pos = after
			c.fields = append(c.fields, field{b: c.data[start : start+n], empty: n == 0})
			return nil
		}
	}
	if !c.eof && bytes.IndexByte(c.data[start:], c.quote) < 0 {
		return errNeedMore
	}
	return c.slowQuoted()
}
