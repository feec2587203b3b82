package text

import (
	"bytes"
	"errors"
	"io"
)

// maxLine bounds the memory that one line or record may take.
const maxLine = 1 << 30

var errLine = errors.New("a record is longer than 1 GiB")

// Window is a sliding view of a stream. It grows with the longest record, not with the file.
type Window struct {
	r          io.Reader
	buf        []byte
	start, end int
	eof        bool
}

// NewWindow returns a Window over r.
func NewWindow(r io.Reader) *Window { return &Window{r: r, buf: make([]byte, 128<<10)} }

// Bytes is what has been read and not yet consumed; it is valid until the next call of Fill.
func (w *Window) Bytes() []byte { return w.buf[w.start:w.end] }

// EOF reports whether Bytes ends where the stream does.
func (w *Window) EOF() bool { return w.eof }

// Consume drops the first n bytes.
func (w *Window) Consume(n int) { w.start += n }

// Fill reads more; it moves what Bytes returned.
func (w *Window) Fill() error {
	if w.eof {
		return nil
	}
	if w.start > 0 {
		copy(w.buf, w.buf[w.start:w.end])
		w.start, w.end = 0, w.end-w.start
	}
	if w.end == len(w.buf) {
		if len(w.buf) >= maxLine {
			return errLine
		}
		bigger := make([]byte, 2*len(w.buf))
		copy(bigger, w.buf[:w.end])
		w.buf = bigger
	}
	for tries := 0; tries < 100; tries++ {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if err == io.EOF {
			w.eof = true
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// Lines cuts a stream into lines: at sep or, when it is empty, at \n, \r\n and \r.
type Lines struct {
	*Window
	sep  []byte
	scan int // how far into Bytes no separator was found
}

// NewLines returns the lines of r.
func NewLines(r io.Reader, sep string) *Lines {
	return &Lines{Window: NewWindow(r), sep: []byte(sep)}
}

// Next returns the next line without its separator, valid until the following call; ok is false at the end.
func (l *Lines) Next() (line []byte, ok bool, err error) {
	for {
		b := l.Bytes()
		if n, skip := l.find(b); n >= 0 {
			l.scan = 0
			l.Consume(n + skip)
			return b[:n], true, nil
		}
		if l.eof {
			if len(b) == 0 {
				return nil, false, nil
			}
			l.scan = 0
			l.Consume(len(b))
			if len(l.sep) == 0 && b[len(b)-1] == '\r' {
				b = b[:len(b)-1]
			}
			return b, true, nil
		}
		if err := l.Fill(); err != nil {
			return nil, false, err
		}
	}
}

// find returns where the first line of b ends and how long its separator is, or -1.
func (l *Lines) find(b []byte) (n, skip int) {
	if len(l.sep) > 0 {
		from := max(l.scan-len(l.sep)+1, 0)
		if i := bytes.Index(b[from:], l.sep); i >= 0 {
			return from + i, len(l.sep)
		}
		l.scan = len(b)
		return -1, 0
	}
	i := bytes.IndexByte(b[l.scan:], '\n')
	if i < 0 {
		// Without a line feed in sight a carriage return ends a line, unless it is the last byte: a line feed may follow.
		if j := bytes.IndexByte(b[l.scan:], '\r'); j >= 0 && l.scan+j < len(b)-1 {
			return l.scan + j, 1
		} else if j < 0 {
			l.scan = len(b)
		}
		return -1, 0
	}
	i += l.scan
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		if j == i-1 {
			return j, 2
		}
		return j, 1
	}
	return i, 1
}
