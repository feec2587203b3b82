package json

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escaped reads the rest of a text that began at start and has its first escape at i, into scratch.
func (s *scanner) escaped(start, i int, quote byte) ([]byte, error) {
	from := len(s.scratch)
	s.scratch = append(s.scratch, s.b[start:i]...)
	for i < len(s.b) {
		c := s.b[i]
		switch {
		case c == quote:
			s.pos = i + 1
			return s.scratch[from:len(s.scratch):len(s.scratch)], nil
		case c == '\\':
			n, r, err := s.escape(i)
			if err != nil {
				s.pos = i + n
				return nil, errText
			}
			if r == loneSurrogate {
				s.scratch = append(s.scratch, '?') // what Java writes for a half of a pair
			} else {
				s.scratch = utf8.AppendRune(s.scratch, r)
			}
			i += n
		case class[c] == control && !s.controlChars:
			s.pos = i + 1
			return nil, errText
		default:
			s.scratch = append(s.scratch, c)
			i++
		}
	}
	return nil, errSyntax
}

const loneSurrogate = -1

// escape decodes the escape at i: its length and the character it stands for. On an error the length reaches to the
// character at fault.
func (s *scanner) escape(i int) (n int, r rune, err error) {
	if i+1 >= len(s.b) {
		return 1, 0, errSyntax
	}
	switch c := s.b[i+1]; c {
	case '"', '\\', '/':
		return 2, rune(c), nil
	case 'b':
		return 2, '\b', nil
	case 'f':
		return 2, '\f', nil
	case 'n':
		return 2, '\n', nil
	case 'r':
		return 2, '\r', nil
	case 't':
		return 2, '\t', nil
	case 'u':
		return s.unicode(i)
	case '\'':
		if s.singleQuotes || s.anyEscape {
			return 2, '\'', nil
		}
	default:
		if s.anyEscape {
			r, size := utf8.DecodeRune(s.b[i+1:])
			return 1 + size, r, nil
		}
	}
	return 2, 0, errSyntax
}

func (s *scanner) unicode(i int) (n int, r rune, err error) {
	hi, ok := s.hex(i)
	if !ok {
		n = 2
		for n < 6 && i+n < len(s.b) && isHex(s.b[i+n]) {
			n++
		}
		return min(n+1, len(s.b)-i), 0, errSyntax
	}
	if !utf16.IsSurrogate(hi) {
		return 6, hi, nil
	}
	if lo, ok := s.hex(i + 6); ok {
		if r := utf16.DecodeRune(hi, lo); r != utf8.RuneError {
			return 12, r, nil
		}
	}
	return 6, loneSurrogate, nil
}

// hex decodes \uXXXX at i.
func (s *scanner) hex(i int) (r rune, ok bool) {
	if i+6 > len(s.b) || s.b[i] != '\\' || s.b[i+1] != 'u' {
		return 0, false
	}
	for _, c := range s.b[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
