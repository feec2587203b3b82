package expr

import (
	"strings"
	"unicode"
)

// upperText is Unicode's full upper-case mapping for the root locale, as Java's toUpperCase has it: some letters become
// several.
func upperText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if m, ok := specialUpper(r); ok {
			b.WriteString(m)
		} else {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}

// lowerText is the full lower-case mapping: capital I with a dot becomes two characters, and a sigma that ends a word
// takes its final form.
func lowerText(s string) string {
	r := []rune(s)
	var b strings.Builder
	for i, c := range r {
		switch {
		case c == 'İ':
			b.WriteString("i\u0307")
		case c == 'Σ' && finalSigma(r, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

// finalSigma reports whether the sigma at i ends a word: a letter stands before it, none after, case-ignorable
// characters between them not counted.
func finalSigma(r []rune, i int) bool {
	before := i - 1
	for before >= 0 && caseIgnorable(r[before]) {
		before--
	}
	if before < 0 || !cased(r[before]) {
		return false
	}
	after := i + 1
	for after < len(r) && caseIgnorable(r[after]) {
		after++
	}
	return after == len(r) || !cased(r[after])
}

func cased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '·', '\u2018', '\u2019', '\u2024', '\u2027', '^', '`', '¨', '\u00AD', '¯', '´', '¸':
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// initcap lower-cases each word and gives its first character title case. Only a blank ends a word.
func initcap(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		low := []rune(lowerText(w))
		if len(low) == 0 {
			continue
		}
		first := string(unicode.ToTitle(low[0]))
		if m, ok := specialUpper(low[0]); ok {
			// Only the first of the letters it becomes is upper case.
			u := []rune(m)
			first = string(u[0]) + lowerText(string(u[1:]))
		}
		words[i] = first + string(low[1:])
	}
	return strings.Join(words, " ")
}

// specialUpper holds the letters whose upper case is more than one letter (Unicode's SpecialCasing).
func specialUpper(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "SS", true
	case 'ŉ':
		return "ʼN", true
	case 'ǰ':
		return "J\u030C", true
	case '\u0390':
		return "\u0399\u0308\u0301", true
	case '\u03B0':
		return "\u03A5\u0308\u0301", true
	case '\u0587':
		return "\u0535\u0552", true
	case '\u1E96':
		return "H\u0331", true
	case '\u1E97':
		return "T\u0308", true
	case '\u1E98':
		return "W\u030A", true
	case '\u1E99':
		return "Y\u030A", true
	case '\u1E9A':
		return "A\u02BE", true
	case '\uFB00':
		return "FF", true
	case '\uFB01':
		return "FI", true
	case '\uFB02':
		return "FL", true
	case '\uFB03':
		return "FFI", true
	case '\uFB04':
		return "FFL", true
	case '\uFB05', '\uFB06':
		return "ST", true
	case '\uFB13':
		return "\u0544\u0546", true
	case '\uFB14':
		return "\u0544\u0535", true
	case '\uFB15':
		return "\u0544\u053B", true
	case '\uFB16':
		return "\u054E\u0546", true
	case '\uFB17':
		return "\u0544\u053D", true
	}
	return greekUpper(r)
}

// greekUpper spells out the Greek letters with breathings, circumflex or iota subscript.
func greekUpper(r rune) (string, bool) {
	iota := func(base rune) (string, bool) { return string(base) + "\u0399", true }
	switch {
	case r >= 0x1F80 && r <= 0x1F87:
		return iota(r - 0x1F80 + 0x1F08)
	case r >= 0x1F88 && r <= 0x1F8F:
		return iota(r - 0x1F88 + 0x1F08)
	case r >= 0x1F90 && r <= 0x1F97:
		return iota(r - 0x1F90 + 0x1F28)
	case r >= 0x1F98 && r <= 0x1F9F:
		return iota(r - 0x1F98 + 0x1F28)
	case r >= 0x1FA0 && r <= 0x1FA7:
		return iota(r - 0x1FA0 + 0x1F68)
	case r >= 0x1FA8 && r <= 0x1FAF:
		return iota(r - 0x1FA8 + 0x1F68)
	}
	switch r {
	case 0x1F50:
		return "\u03A5\u0313", true
	case 0x1F52:
		return "\u03A5\u0313\u0300", true
	case 0x1F54:
		return "\u03A5\u0313\u0301", true
	case 0x1F56:
		return "\u03A5\u0313\u0342", true
	case 0x1FB2:
		return iota(0x1FBA)
	case 0x1FB3, 0x1FBC:
		return iota(0x0391)
	case 0x1FB4:
		return iota(0x0386)
	case 0x1FB6:
		return "\u0391\u0342", true
	case 0x1FB7:
		return "\u0391\u0342\u0399", true
	case 0x1FC2:
		return iota(0x1FCA)
	case 0x1FC3, 0x1FCC:
		return iota(0x0397)
	case 0x1FC4:
		return iota(0x0389)
	case 0x1FC6:
		return "\u0397\u0342", true
	case 0x1FC7:
		return "\u0397\u0342\u0399", true
	case 0x1FD2:
		return "\u0399\u0308\u0300", true
	case 0x1FD3:
		return "\u0399\u0308\u0301", true
	case 0x1FD6:
		return "\u0399\u0342", true
	case 0x1FD7:
		return "\u0399\u0308\u0342", true
	case 0x1FE2:
		return "\u03A5\u0308\u0300", true
	case 0x1FE3:
		return "\u03A5\u0308\u0301", true
	case 0x1FE4:
		return "\u03A1\u0313", true
	case 0x1FE6:
		return "\u03A5\u0342", true
	case 0x1FE7:
		return "\u03A5\u0308\u0342", true
	case 0x1FF2:
		return iota(0x1FFA)
	case 0x1FF3, 0x1FFC:
		return iota(0x03A9)
	case 0x1FF4:
		return iota(0x038F)
	case 0x1FF6:
		return "\u03A9\u0342", true
	case 0x1FF7:
		return "\u03A9\u0342\u0399", true
	}
	return "", false
}
