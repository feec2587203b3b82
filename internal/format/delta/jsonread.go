package delta

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader walks a JSON text once, without building a tree. Keys are compared exactly as they are spelled, which the
// log demands and encoding/json does not do. After the first fault every call does nothing: callers check fault at the end.
type jsonReader struct {
	text  string
	at    int
	fault string
	depth int
	shelf *shelf // where texts are kept; nil leaves them parts of text
	buf   []byte // for texts with escapes, used again
}

// reset makes the reader read another text.
func (r *jsonReader) reset(text string) {
	r.text, r.at, r.fault, r.depth = text, 0, "", 0
}

// maxDepth bounds the nesting of a JSON text, so that no text can exhaust the stack.
const maxDepth = 512

func (r *jsonReader) fail(why string) {
	if r.fault == "" {
		r.fault = why + " at byte " + strconv.Itoa(r.at)
	}
}

func (r *jsonReader) ok() bool { return r.fault == "" }

func (r *jsonReader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek is the first byte of the next value, 0 at the end.
func (r *jsonReader) peek() byte {
	r.space()
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *jsonReader) take(c byte) bool {
	if r.peek() == c {
		r.at++
		return true
	}
	return false
}

// end fails unless nothing follows.
func (r *jsonReader) end() {
	if r.ok() && r.peek() != 0 {
		r.fail("more text follows the value")
	}
}

// null takes a null when one is next.
func (r *jsonReader) null() bool {
	return r.word("null")
}

// object calls fn for each member; fn must consume the value. A null is an object without members.
func (r *jsonReader) object(fn func(key string)) {
	if !r.ok() || r.null() {
		return
	}
	if !r.enter('{', "an object is wanted") {
		return
	}
	defer r.leave()
	for first := true; r.ok(); first = false {
		if r.take('}') {
			return
		}
		if !first && !r.take(',') {
			r.fail("a comma is missing")
			return
		}
		key := r.token()
		if !r.take(':') {
			r.fail("a colon is missing")
			return
		}
		if r.ok() {
			fn(key)
		}
	}
}

// array calls fn for each element; fn must consume it. A null is an empty array.
func (r *jsonReader) array(fn func()) {
	if !r.ok() || r.null() {
		return
	}
	if !r.enter('[', "an array is wanted") {
		return
	}
	defer r.leave()
	for first := true; r.ok(); first = false {
		if r.take(']') {
			return
		}
		if !first && !r.take(',') {
			r.fail("a comma is missing")
			return
		}
		fn()
	}
}

func (r *jsonReader) enter(c byte, why string) bool {
	if !r.take(c) {
		r.fail(why)
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.fail("the text is nested too deeply")
	}
	return r.ok()
}

func (r *jsonReader) leave() { r.depth-- }

// str reads a string that its caller keeps.
func (r *jsonReader) str() string {
	s, own := r.scan()
	if own {
		return s
	}
	return r.shelf.keep(s)
}

// token reads a string that its caller only looks at.
func (r *jsonReader) token() string {
	s, _ := r.scan()
	return s
}

// scan reads a string. Text without escapes is a part of the input, not a copy of its own.
func (r *jsonReader) scan() (s string, own bool) {
	if !r.ok() {
		return "", false
	}
	if !r.take('"') {
		r.fail("a string is wanted")
		return "", false
	}
	start := r.at
	r.at = r.plain(start)
	switch {
	case r.at == len(r.text):
		r.fail("a string does not end")
	case r.text[r.at] == '"':
		r.at++
		return r.text[start : r.at-1], false
	case r.text[r.at] == '\\':
		return r.escaped(start), true
	default:
		r.fail("a control character stands in a string")
	}
	return "", false
}

// plain is where the characters that stand for themselves end.
func (r *jsonReader) plain(at int) int {
	for at < len(r.text) && (plainJSON[r.text[at]] || r.text[at] >= utf8.RuneSelf) {
		at++
	}
	return at
}

// escaped reads the rest of a string from its first backslash on.
func (r *jsonReader) escaped(start int) string {
	out := append(r.buf[:0], r.text[start:r.at]...)
	defer func() { r.buf = out }()
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == '"':
			r.at++
			return r.shelf.keepBytes(out)
		case c < ' ':
			r.fail("a control character stands in a string")
			return ""
		case c != '\\':
			end := r.plain(r.at)
			out = append(out, r.text[r.at:end]...)
			r.at = end
			continue
		}
		if r.at+1 >= len(r.text) {
			break
		}
		e := r.text[r.at+1]
		r.at += 2
		switch e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			out = utf8.AppendRune(out, r.unicode())
		default:
			r.fail("an escape has no meaning")
			return ""
		}
		if !r.ok() {
			return ""
		}
	}
	r.fail("a string does not end")
	return ""
}

// unicode reads the digits after \u, and the second half of a surrogate pair.
func (r *jsonReader) unicode() rune {
	first := r.hex4()
	if utf16.IsSurrogate(first) && strings.HasPrefix(r.text[r.at:], `\u`) {
		back := r.at
		r.at += 2
		if c := utf16.DecodeRune(first, r.hex4()); c != utf8.RuneError {
			return c
		}
		r.at = back
	}
	return first
}

func (r *jsonReader) hex4() rune {
	if r.at+4 > len(r.text) {
		r.fail("an escape is cut short")
		return 0
	}
	n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
	if err != nil {
		r.fail("an escape has no meaning")
		return 0
	}
	r.at += 4
	return rune(n)
}

// strOr reads a string, or takes null as the empty string.
func (r *jsonReader) strOr() string {
	if r.null() {
		return ""
	}
	return r.str()
}

// number is the text of a number.
func (r *jsonReader) number() string {
	r.space()
	start := r.at
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			r.at++
			continue
		}
		break
	}
	if start == r.at {
		r.fail("a number is wanted")
	}
	return r.text[start:r.at]
}

// long reads a whole number; null is 0. Text in quotes is taken as Jackson does.
func (r *jsonReader) long() int64 {
	n, _ := r.whole()
	return n
}

func (r *jsonReader) longOrNil() *int64 {
	if n, ok := r.whole(); ok {
		return &n
	}
	return nil
}

// whole reads a whole number; ok is false for null and after a fault.
func (r *jsonReader) whole() (n int64, ok bool) {
	if !r.ok() || r.null() {
		return 0, false
	}
	var text string
	if r.peek() == '"' {
		text = r.token()
	} else {
		text = r.number()
	}
	if !r.ok() {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(text, 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			r.fail("a whole number is wanted")
			return 0, false
		}
		n = int64(f)
	}
	return n, true
}

// integer reads a number that an int32 holds; null is 0.
func (r *jsonReader) integer() int {
	n := r.long()
	if n < math.MinInt32 || n > math.MaxInt32 {
		r.fail("a number is out of range")
		return 0
	}
	return int(n)
}

// truth reads a boolean; null is false.
func (r *jsonReader) truth() bool {
	switch {
	case !r.ok() || r.null():
		return false
	case r.word("true"):
		return true
	case !r.word("false"):
		r.fail("true or false is wanted")
	}
	return false
}

// word takes a word when it is next.
func (r *jsonReader) word(w string) bool {
	r.space()
	if !strings.HasPrefix(r.text[r.at:], w) {
		return false
	}
	r.at += len(w)
	return true
}

// raw takes any value and gives its text.
func (r *jsonReader) raw() string {
	r.space()
	start := r.at
	r.skip()
	if !r.ok() {
		return ""
	}
	return r.text[start:r.at]
}

// skip takes any value.
func (r *jsonReader) skip() {
	switch c := r.peek(); {
	case !r.ok():
	case c == '{':
		r.object(func(string) { r.skip() })
	case c == '[':
		r.array(r.skip)
	case c == '"':
		r.token()
	case c == 't', c == 'f':
		r.truth()
	case c == 'n':
		if !r.null() {
			r.fail("the value has no meaning")
		}
	default:
		text := r.number()
		if !r.ok() || isDigits(text) {
			return
		}
		// Infinities and the like never stand here: number takes only what a number has.
		if _, err := strconv.ParseFloat(text, 64); err != nil && !strings.Contains(err.Error(), "range") {
			r.fail("the number has no meaning")
		}
	}
}

// isDigits reports whether a number is one whatever else holds: most numbers of a log are.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// texts reads an object of strings. Members that are null are left out.
func (r *jsonReader) texts() map[string]string {
	var out map[string]string
	if r.null() {
		return nil
	}
	out = map[string]string{}
	r.object(func(key string) {
		if r.null() {
			return
		}
		if r.peek() != '"' {
			// A foreign writer's number or boolean: Jackson reads its text.
			out[r.shelf.name(key)] = r.shelf.keep(r.raw())
			return
		}
		out[r.shelf.name(key)] = r.str()
	})
	return out
}

// list reads an array of strings; null is nil, and an empty array is not.
func (r *jsonReader) list() []string {
	if r.null() {
		return nil
	}
	out := []string{}
	r.array(func() { out = append(out, r.strOr()) })
	return out
}
