package types

import (
	"strings"
	"unicode/utf8"
)

// ReplaceInvalid is s with one U+FFFD in place of each longest part that could have begun a character and of each byte that
// begins none, as Java decodes UTF-8 (Unicode, chapter 3: U+FFFD substitution of maximal subparts).
func ReplaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r != utf8.RuneError || n > 1 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		b.WriteRune(utf8.RuneError)
		s = s[subpart(s):]
	}
	return b.String()
}

// subpart is the length of the longest beginning of s that some character begins with; at least 1.
func subpart(s string) int {
	n, lo, hi := 0, byte(0x80), byte(0xbf)
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		n = 1
	case c == 0xe0:
		n, lo = 2, 0xa0
	case c == 0xed:
		n, hi = 2, 0x9f
	case c >= 0xe1 && c <= 0xef:
		n = 2
	case c == 0xf0:
		n, lo = 3, 0x90
	case c == 0xf4:
		n, hi = 3, 0x8f
	case c >= 0xf1 && c <= 0xf3:
		n = 3
	}
	length := 1
	for ; length <= n && length < len(s); length++ {
		if s[length] < lo || s[length] > hi {
			break
		}
		lo, hi = 0x80, 0xbf
	}
	return length
}
