package delta

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// jsonWriter appends one JSON text. It writes members in the order of the calls, and strings as Jackson does: only what
// JSON demands is escaped, so that an action read and written again keeps its bytes.
type jsonWriter struct {
	buf   []byte
	comma bool
}

func (w *jsonWriter) open(c byte) {
	w.sep()
	w.buf = append(w.buf, c)
	w.comma = false
}

func (w *jsonWriter) close(c byte) {
	w.buf = append(w.buf, c)
	w.comma = true
}

func (w *jsonWriter) sep() {
	if w.comma {
		w.buf = append(w.buf, ',')
	}
	w.comma = true
}

func (w *jsonWriter) key(name string) {
	w.sep()
	w.buf = append(appendJSONString(w.buf, name), ':')
	w.comma = false
}

func (w *jsonWriter) raw(text string) {
	w.sep()
	w.buf = append(w.buf, text...)
}

func (w *jsonWriter) str(s string) {
	w.sep()
	w.buf = appendJSONString(w.buf, s)
}

// member writes one member of the object that is open.
func (w *jsonWriter) member(name, value string) {
	w.key(name)
	w.str(value)
}

// optional writes a member unless its value is empty.
func (w *jsonWriter) optional(name, value string) {
	if value != "" {
		w.member(name, value)
	}
}

func (w *jsonWriter) long(name string, n int64) {
	w.key(name)
	w.sep()
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

func (w *jsonWriter) optionalLong(name string, n *int64) {
	if n != nil {
		w.long(name, *n)
	}
}

func (w *jsonWriter) truth(name string, v bool) {
	w.key(name)
	w.raw(strconv.FormatBool(v))
}

// texts writes an object of strings, keys sorted.
func (w *jsonWriter) texts(name string, m map[string]string) {
	w.key(name)
	w.open('{')
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.member(k, m[k])
	}
	w.close('}')
}

func (w *jsonWriter) list(name string, values []string) {
	w.key(name)
	w.open('[')
	for _, v := range values {
		w.str(v)
	}
	w.close(']')
}

// plainJSON are the bytes that stand for themselves in a JSON string: most of what a log holds.
var plainJSON = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainJSON[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				// JSON holds characters: a stray byte becomes the replacement character, as in Java.
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
