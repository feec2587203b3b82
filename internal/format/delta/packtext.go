package delta

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// textPacker keeps the texts of many files short. Paths and statistics of a table differ in their numbers, their identifiers and
// little else: a text is the number of its form, which many texts share, and what fills the form's holes. What does not fit is
// kept as it is, so that every text comes back to the byte.
type textPacker struct {
	forms [][]piece
	ids   map[string]int // by the form's text, only while texts are added
	texts int

	form, args []byte // scratch
	recent     []int  // forms that were used last, the latest first
}

// piece is a part of a form: what stands before a hole, and the hole.
type piece struct {
	before string
	kind   byte
	width  int // of a number with zeros before it
}

// The kinds of holes, which stand as bytes in the text of a form. A text that holds such a byte has no form.
const (
	noHole  = iota
	number  // of decimal digits, without zeros before it
	padded0 // of decimal digits; the width follows
	uuid    // lower case, with its hyphens
	wording // other text
	kinds
)

const (
	maxDigits  = 18 // that surely fit
	uuidLength = 36
	maxForms   = 4096
	fewForms   = 64 // that a table may have before forms must be worth it
)

func newTextPacker() textPacker { return textPacker{ids: map[string]int{}} }

// done forgets what only adding needs.
func (p *textPacker) done() { *p = textPacker{forms: p.forms} }

// recentForms is how many forms a text is compared with before its own is looked for, which takes several times as long.
const recentForms = 6

// add appends a packed text.
func (p *textPacker) add(dst []byte, text string) []byte {
	p.texts++
	for i, id := range p.recent {
		if p.fill(p.forms[id], text) {
			copy(p.recent[1:i+1], p.recent)
			p.recent[0] = id
			return append(binary.AppendUvarint(dst, uint64(id)+1), p.args...)
		}
	}
	if p.parse(text) {
		id, ok := p.ids[string(p.form)]
		if !ok && len(p.forms) < min(fewForms+p.texts/16, maxForms) {
			id, ok = len(p.forms), true
			p.ids[string(p.form)] = id
			p.forms = append(p.forms, piecesOf(p.form))
		}
		if ok {
			if len(p.recent) < recentForms {
				p.recent = append(p.recent, 0)
			}
			copy(p.recent[1:], p.recent)
			p.recent[0] = id
			return append(binary.AppendUvarint(dst, uint64(id)+1), p.args...)
		}
	}
	return appendText(append(dst, 0), text)
}

// fill finds what fills the holes of a form so that it gives a text, and reports whether something does.
func (p *textPacker) fill(form []piece, text string) bool {
	args := p.args[:0]
	at := 0
	for i := range form {
		f := &form[i]
		end := at + len(f.before)
		if end > len(text) || text[at:end] != f.before {
			return false
		}
		at = end
		switch f.kind {
		case number, padded0:
			n := uint64(0)
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				n = n*10 + uint64(text[end]-'0')
				end++
			}
			size := end - at
			if f.kind == padded0 && size != f.width || size == 0 || size > maxDigits || f.kind == number && size > 1 && text[at] == '0' {
				return false
			}
			args = binary.AppendUvarint(args, n)
		case uuid:
			var ok bool
			if args, ok = appendUUID(args, text, at); !ok {
				return false
			}
			end = at + uuidLength
		case wording:
			if end = wordEnd(text, at); end == 0 {
				return false
			}
			args = appendText(args, text[at:end])
		}
		at = end
	}
	p.args = args
	return at == len(text)
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// parse finds the form of a text and what fills it.
func (p *textPacker) parse(text string) bool {
	form, args := p.form[:0], p.args[:0]
	ok := true
	for i := 0; i < len(text); {
		c := text[i]
		if more, is := appendUUID(args, text, i); is {
			form, args = append(form, uuid), more
			i += uuidLength
			continue
		}
		switch {
		case c < kinds:
			ok = false
			i = len(text)
		case c >= '0' && c <= '9':
			start, n := i, uint64(0)
			for i < len(text) && i-start < maxDigits && text[i] >= '0' && text[i] <= '9' {
				n = n*10 + uint64(text[i]-'0')
				i++
			}
			if c == '0' && i-start > 1 {
				form = append(form, padded0, byte(i-start))
			} else {
				form = append(form, number)
			}
			args = binary.AppendUvarint(args, n)
		default:
			form = append(form, c)
			i++
			if end := wordEnd(text, i); end > i {
				form = append(form, wording)
				args = appendText(args, text[i:end])
				i = end
			}
		}
	}
	p.form, p.args = form, args
	return ok
}

// wordEnd is where a text ends that begins after a character, the value of a JSON member or of a partition in a path; 0 when none
// begins there, or one of numbers.
func wordEnd(text string, at int) int {
	if at >= len(text) || text[at] >= '0' && text[at] <= '9' || text[at] == '-' || text[at] == '"' {
		return 0
	}
	switch {
	case text[at-1] == '=':
		if n := strings.IndexByte(text[at:], '/'); n > 0 {
			return at + n
		}
	case text[at-1] == '"' && at > 1 && text[at-2] == ':':
		for i := at; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i
			}
		}
	}
	return 0
}

// appendUUID appends the bytes of the identifier that begins at a place of a text; ok is false when none does.
func appendUUID(dst []byte, text string, at int) (out []byte, ok bool) {
	if len(text)-at < uuidLength || text[at+8] != '-' || text[at+13] != '-' || text[at+18] != '-' || text[at+23] != '-' {
		return dst, false
	}
	out = dst
	for _, part := range [...][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, uuidLength}} {
		for i := at + part[0]; i < at+part[1]; i += 2 {
			high, low := digitOf[text[i]], digitOf[text[i+1]]
			if high|low > 0xf {
				return dst, false
			}
			out = append(out, high<<4|low)
		}
	}
	return out, true
}

// digitOf are the values of the digits in lower case, and more than a digit has for all else.
var digitOf = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range hexDigits {
		t[c] = byte(i)
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// piecesOf cuts the text of a form at its holes.
func piecesOf(form []byte) []piece {
	var out []piece
	start := 0
	for i := 0; i < len(form); i++ {
		if form[i] >= kinds {
			continue
		}
		p := piece{before: string(form[start:i]), kind: form[i]}
		if p.kind == padded0 {
			i++
			p.width = int(form[i])
		}
		out = append(out, p)
		start = i + 1
	}
	return append(out, piece{before: string(form[start:])})
}

// unpack appends the text that stands at the front of data, and gives what follows it.
func (p *textPacker) unpack(dst, data []byte) (text, rest []byte) {
	id, data := takeUvarint(data)
	if id == 0 {
		return takeText(dst, data)
	}
	for _, f := range p.forms[id-1] {
		dst = append(dst, f.before...)
		switch f.kind {
		case number:
			var n uint64
			n, data = takeUvarint(data)
			dst = strconv.AppendUint(dst, n, 10)
		case padded0:
			var n uint64
			n, data = takeUvarint(data)
			end := len(dst) + f.width
			for range f.width {
				dst = append(dst, '0')
			}
			for i := end - 1; n > 0; i-- {
				dst[i] = byte('0' + n%10)
				n /= 10
			}
		case uuid:
			for i, n := range [...]int{4, 2, 2, 2, 6} {
				if i > 0 {
					dst = append(dst, '-')
				}
				for _, b := range data[:n] {
					dst = append(dst, hexDigits[b>>4], hexDigits[b&0xf])
				}
				data = data[n:]
			}
		case wording:
			dst, data = takeText(dst, data)
		}
	}
	return dst, data
}

func takeUvarint(data []byte) (uint64, []byte) {
	if data[0] < 0x80 {
		return uint64(data[0]), data[1:]
	}
	n, size := binary.Uvarint(data)
	return n, data[size:]
}

func takeText(dst, data []byte) (text, rest []byte) {
	n, data := takeUvarint(data)
	return append(dst, data[:n]...), data[n:]
}
