package javaregex

import (
	"strings"
	"unicode"
)

// class is a set of characters: those in ranges, tables and parts, or not; and, when given, those of another one besides.
type class struct {
	not    bool
	fold   foldMode
	ranges []runeRange
	tables []*unicode.RangeTable
	parts  []*class
	both   *class // the right side of &&
}

type runeRange struct{ lo, hi rune }

func (c *class) has(r rune) bool {
	in := c.listed(r)
	if in && c.both != nil {
		in = c.both.has(r)
	}
	return in != c.not
}

func (c *class) listed(r rune) bool {
	if c.inRanges(r) {
		return true
	}
	switch {
	case c.fold == foldASCII && r < 0x80:
		if isLetter(r) && c.inRanges(r^0x20) {
			return true
		}
	case c.fold == foldUnicode:
		up := unicode.ToUpper(r)
		if c.inRanges(up) || c.inRanges(unicode.ToLower(up)) {
			return true
		}
	}
	for _, t := range c.tables {
		if unicode.Is(t, r) {
			return true
		}
	}
	for _, p := range c.parts {
		if p.has(r) {
			return true
		}
	}
	return false
}

func (c *class) inRanges(r rune) bool {
	for _, x := range c.ranges {
		if r >= x.lo && r <= x.hi {
			return true
		}
	}
	return false
}

func (c *class) add(lo, hi rune) { c.ranges = append(c.ranges, runeRange{lo, hi}) }

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// rangesOf makes a class of pairs of bounds.
func rangesOf(bounds string, not bool) *class {
	c := &class{not: not}
	rs := []rune(bounds)
	for i := 0; i+1 < len(rs); i += 2 {
		c.add(rs[i], rs[i+1])
	}
	return c
}

// The predefined classes, as pairs of bounds.
const (
	digits     = "09"
	wordChars  = "azAZ09__"
	spaces     = "\t\r  "
	horizontal = "\t\t  \u00a0\u00a0\u1680\u1680\u180e\u180e\u2000\u200a\u202f\u202f\u205f\u205f\u3000\u3000"
	vertical   = "\n\r\u0085\u0085\u2028\u2029"
	notDot     = "\n\n\r\r\u0085\u0085\u2028\u2029"
)

// predefined is the class of an escape such as \d, nil when the letter is none.
func predefined(letter rune) *class {
	not := unicode.IsUpper(letter)
	switch unicode.ToLower(letter) {
	case 'd':
		return rangesOf(digits, not)
	case 'w':
		return rangesOf(wordChars, not)
	case 's':
		return rangesOf(spaces, not)
	case 'h':
		return rangesOf(horizontal, not)
	case 'v':
		return rangesOf(vertical, not)
	}
	return nil
}

// posix are the classes of POSIX, which hold ASCII only.
var posix = map[string]string{
	"Lower": "az", "Upper": "AZ", "ASCII": "\x00\x7f", "Alpha": "azAZ", "Digit": "09", "Alnum": "azAZ09",
	"Punct": "!/:@[`{~", "Graph": "!~", "Print": " ~", "Blank": "\t\t  ", "Cntrl": "\x00\x1f\x7f\x7f", "XDigit": "09afAF", "Space": "\t\r  ",
}

// javaMethods are the classes of java.lang.Character's methods.
var javaMethods = map[string][]*unicode.RangeTable{
	"javaLowerCase": {unicode.Ll, unicode.Other_Lowercase}, "javaUpperCase": {unicode.Lu, unicode.Other_Uppercase}, "javaTitleCase": {unicode.Lt},
	"javaAlphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic}, "javaLetter": {unicode.L}, "javaDigit": {unicode.Nd},
	"javaLetterOrDigit": {unicode.L, unicode.Nd}, "javaIdeographic": {unicode.Ideographic}, "javaSpaceChar": {unicode.Z},
}

// property is the class of \p{name}, nil when Java knows none of that name; lacks tells that only this package does not.
func property(name string, not bool, fold foldMode) (c *class, lacks bool) {
	if key, value, ok := strings.Cut(name, "="); ok {
		switch strings.ToLower(key) {
		case "sc", "script":
			return script(value, not), false
		case "gc", "general_category":
			name = value
		default:
			return nil, strings.EqualFold(key, "blk") || strings.EqualFold(key, "block")
		}
	}
	if bounds, ok := posix[name]; ok {
		if fold != exact && (name == "Lower" || name == "Upper") {
			bounds = "azAZ"
		}
		return rangesOf(bounds, not), false
	}
	short := strings.TrimPrefix(name, "Is")
	if t := unicode.Categories[short]; t != nil {
		if fold != exact && (short == "Lu" || short == "Ll" || short == "Lt") {
			return &class{not: not, tables: []*unicode.RangeTable{unicode.Lu, unicode.Ll, unicode.Lt}}, false
		}
		return &class{not: not, tables: []*unicode.RangeTable{t}}, false
	}
	switch short {
	case "LC":
		return &class{not: not, tables: []*unicode.RangeTable{unicode.Lu, unicode.Ll, unicode.Lt}}, false
	case "LD":
		return &class{not: not, tables: []*unicode.RangeTable{unicode.L, unicode.Nd}}, false
	case "L1":
		return rangesOf("\x00\u00ff", not), false
	case "all":
		return rangesOf("\x00\U0010ffff", not), false
	}
	if t, ok := javaMethods[name]; ok {
		return &class{not: not, tables: t}, false
	}
	if strings.HasPrefix(name, "In") || strings.HasPrefix(name, "java") {
		return nil, true
	}
	if short == name {
		return nil, false
	}
	tables := map[string][]*unicode.RangeTable{
		"alphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic}, "letter": {unicode.L}, "digit": {unicode.Nd},
		"lowercase": {unicode.Ll, unicode.Other_Lowercase}, "uppercase": {unicode.Lu, unicode.Other_Uppercase}, "titlecase": {unicode.Lt},
		"white_space": {unicode.White_Space}, "punctuation": {unicode.P}, "control": {unicode.Cc}, "ideographic": {unicode.Ideographic},
		"hex_digit": {unicode.Hex_Digit}, "noncharacter_code_point": {unicode.Noncharacter_Code_Point}, "join_control": {unicode.Join_Control},
	}
	if t, ok := tables[strings.ToLower(short)]; ok {
		return &class{not: not, tables: t}, false
	}
	return script(short, not), false
}

func script(name string, not bool) *class {
	for s, t := range unicode.Scripts {
		if strings.EqualFold(s, name) {
			return &class{not: not, tables: []*unicode.RangeTable{t}}
		}
	}
	return nil
}

// isWord reports a character that \b takes for part of a word.
func isWord(r rune) bool {
	return r == '_' || r < 0x80 && (isLetter(r) || r >= '0' && r <= '9') || r >= 0x80 && (unicode.IsLetter(r) || unicode.Is(unicode.Nd, r))
}

func sameFolded(a, b rune, fold foldMode) bool {
	switch {
	case a == b:
		return true
	case fold == foldASCII:
		return a < 0x80 && b < 0x80 && isLetter(a) && a^0x20 == b
	case fold == foldUnicode:
		x, y := unicode.ToUpper(a), unicode.ToUpper(b)
		return x == y || unicode.ToLower(x) == unicode.ToLower(y)
	}
	return false
}
