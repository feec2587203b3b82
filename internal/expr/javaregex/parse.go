package javaregex

import (
	"strconv"
	"strings"
	"unicode"
)

// parser reads a pattern by Java's grammar.
type parser struct {
	in     []rune
	pos    int
	flags  flags
	groups int
	names  map[string]int
	depth  int
}

// flags are those of (?idmsux).
type flags struct {
	fold, unicodeFold, unixLines, multiline, dotAll, comments bool
}

func (f flags) foldMode() foldMode {
	switch {
	case f.fold && f.unicodeFold:
		return foldUnicode
	case f.fold:
		return foldASCII
	}
	return exact
}

// maxNesting bounds groups within groups.
const maxNesting = 500

const end = rune(-1)

func (p *parser) parse() (node, error) {
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.in) {
		return nil, ErrSyntax // a closing parenthesis without an opening one
	}
	return n, nil
}

// raw is the character at hand, blanks and comments included.
func (p *parser) raw() rune {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return end
}

// peek is the next character that counts.
func (p *parser) peek() rune {
	if p.flags.comments {
		p.skipComments()
	}
	return p.raw()
}

func (p *parser) skipComments() {
	for p.pos < len(p.in) {
		switch r := p.in[p.pos]; {
		case r < 0x80 && (r == ' ' || r >= '\t' && r <= '\r'):
			p.pos++
		case r == '#':
			for p.pos < len(p.in) && !strings.ContainsRune("\n\r\u0085\u2028\u2029", p.in[p.pos]) {
				p.pos++
			}
		default:
			return
		}
	}
}

func (p *parser) at(text string) bool {
	rs := []rune(text)
	if p.pos+len(rs) > len(p.in) {
		return false
	}
	for i, r := range rs {
		if p.in[p.pos+i] != r {
			return false
		}
	}
	return true
}

func (p *parser) accept(text string) bool {
	if p.at(text) {
		p.pos += len([]rune(text))
		return true
	}
	return false
}

func (p *parser) alternatives() (node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, &UnsupportedError{"a pattern of so many nested groups"}
	}
	defer func() { p.depth-- }()
	var items []node
	for {
		s, err := p.sequence()
		if err != nil {
			return nil, err
		}
		items = append(items, s)
		if p.peek() != '|' {
			break
		}
		p.pos++
	}
	if len(items) == 1 {
		return items[0], nil
	}
	return &alternation{items}, nil
}

func (p *parser) sequence() (node, error) {
	s := &sequence{}
	for {
		switch r := p.peek(); r {
		case end, '|', ')':
			return s, nil
		case '*', '+', '?':
			return nil, ErrSyntax
		}
		n, repeats, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue // flags for what follows
		}
		if repeats {
			if n, err = p.repetition(n); err != nil {
				return nil, err
			}
		}
		s.items = append(s.items, n)
	}
}

// atom reads what a repetition may follow. Flags give no node.
func (p *parser) atom() (n node, repeats bool, err error) {
	switch r := p.raw(); r {
	case '(':
		n, err = p.parenthesis()
		return n, n != nil, err
	case '[':
		p.pos++
		c, err := p.class()
		return &set{c}, true, err
	case '.':
		p.pos++
		switch {
		case p.flags.dotAll:
			return &set{rangesOf("\x00\U0010ffff", false)}, true, nil
		case p.flags.unixLines:
			return &set{rangesOf("\n\n", true)}, true, nil
		}
		return &set{rangesOf(notDot, true)}, true, nil
	case '^':
		p.pos++
		switch {
		case p.flags.multiline && p.flags.unixLines:
			return &assertion{unixLineStart}, true, nil
		case p.flags.multiline:
			return &assertion{lineStart}, true, nil
		}
		return &assertion{textStart}, true, nil
	case '$':
		p.pos++
		switch {
		case p.flags.multiline && p.flags.unixLines:
			return &assertion{unixLineEnd}, true, nil
		case p.flags.multiline:
			return &assertion{lineEnd}, true, nil
		case p.flags.unixLines:
			return &assertion{unixFinalEnd}, true, nil
		}
		return &assertion{finalEnd}, true, nil
	case '{':
		return &sequence{}, true, nil // nothing, which a count may repeat
	case '\\':
		return p.escape()
	default:
		p.pos++
		return &char{r, p.flags.foldMode()}, true, nil
	}
}

func (p *parser) repetition(n node) (node, error) {
	least, most := 0, -1
	switch p.peek() {
	case '*':
	case '+':
		least = 1
	case '?':
		most = 1
	case '{':
		var err error
		if least, most, err = p.count(); err != nil {
			return nil, err
		}
	default:
		return n, nil
	}
	p.pos++
	kind := greedy
	switch p.peek() {
	case '?':
		kind = lazy
		p.pos++
	case '+':
		kind = possessive
		p.pos++
	}
	return &repeat{n, least, most, kind}, nil
}

// count reads {n}, {n,} or {n,m} up to the brace.
func (p *parser) count() (least, most int, err error) {
	p.pos++
	number := func() (int, bool) {
		start := p.pos
		for p.pos < len(p.in) && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
			p.pos++
		}
		v, err := strconv.ParseInt(string(p.in[start:p.pos]), 10, 32)
		return int(v), err == nil
	}
	least, ok := number()
	if !ok {
		return 0, 0, ErrSyntax
	}
	most = least
	if p.raw() == ',' {
		p.pos++
		most = -1
		if p.raw() != '}' {
			if most, ok = number(); !ok {
				return 0, 0, ErrSyntax
			}
		}
	}
	if p.raw() != '}' || most >= 0 && most < least {
		return 0, 0, ErrSyntax
	}
	return least, most, nil
}

// parenthesis reads a group of any kind; nil for flags that hold from here on.
func (p *parser) parenthesis() (node, error) {
	p.pos++
	saved := p.flags
	wrap := func(body node) node { return body }
	switch {
	case !p.at("?"):
		p.groups++
		index := p.groups
		wrap = func(body node) node { return &group{index, body} }
	case p.accept("?:"):
	case p.accept("?="):
		wrap = func(body node) node { return &look{body: body} }
	case p.accept("?!"):
		wrap = func(body node) node { return &look{body: body, not: true} }
	case p.accept("?>"):
		wrap = func(body node) node { return &atomic{body} }
	case p.at("?<=") || p.at("?<!"):
		not := p.in[p.pos+2] == '!'
		p.pos += 3
		wrap = func(body node) node { return &look{body: body, behind: true, not: not} }
	case p.accept("?<"):
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		if _, twice := p.names[name]; twice {
			return nil, ErrSyntax
		}
		p.groups++
		index := p.groups
		p.names[name] = index
		wrap = func(body node) node { return &group{index, body} }
	default:
		p.pos++
		if err := p.readFlags(); err != nil {
			return nil, err
		}
		if p.accept(")") {
			return nil, nil
		}
		p.pos++ // the colon
	}
	body, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.raw() != ')' {
		return nil, ErrSyntax
	}
	p.pos++
	p.flags = saved
	n := wrap(body)
	if l, ok := n.(*look); ok && l.behind {
		if _, most := width(l.body); most < 0 {
			return nil, ErrSyntax // Java wants to know how far to look back
		}
	}
	return n, nil
}

// readFlags reads up to the colon or the closing parenthesis.
func (p *parser) readFlags() error {
	on := true
	for {
		switch p.raw() {
		case 'i':
			p.flags.fold = on
		case 'u':
			p.flags.unicodeFold = on
		case 'd':
			p.flags.unixLines = on
		case 'm':
			p.flags.multiline = on
		case 's':
			p.flags.dotAll = on
		case 'x':
			p.flags.comments = on
		case 'U':
			return &UnsupportedError{"the flag (?U)"}
		case 'c':
			return &UnsupportedError{"the flag (?c)"}
		case '-':
			if !on {
				return ErrSyntax
			}
			on = false
		case ':', ')':
			return nil
		default:
			return ErrSyntax
		}
		p.pos++
	}
}

func (p *parser) groupName() (string, error) {
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] != '>' {
		r := p.in[p.pos]
		if r >= 0x80 || !isLetter(r) && (r < '0' || r > '9' || p.pos == start) {
			return "", ErrSyntax
		}
		p.pos++
	}
	if p.pos == start || p.raw() != '>' {
		return "", ErrSyntax
	}
	p.pos++
	return string(p.in[start : p.pos-1]), nil
}

// escape reads what a backslash begins, outside of a class.
func (p *parser) escape() (node, bool, error) {
	p.pos++
	r := p.raw()
	if r == end {
		return nil, false, ErrSyntax
	}
	kinds := map[rune]assertKind{'A': textStart, 'z': textEnd, 'Z': finalEnd, 'b': wordEdge, 'B': notWordEdge, 'G': lastEnd}
	if k, ok := kinds[r]; ok {
		p.pos++
		if k == finalEnd && p.flags.unixLines {
			k = unixFinalEnd
		}
		if k == wordEdge && p.at("{") {
			return nil, false, &UnsupportedError{`\b{g}`}
		}
		return &assertion{k}, true, nil
	}
	switch {
	case r == 'Q':
		p.pos++
		return p.quoted()
	case r == 'R':
		p.pos++
		crlf := &sequence{[]node{&char{'\r', exact}, &char{'\n', exact}}}
		return &alternation{[]node{crlf, &set{rangesOf(vertical, false)}}}, true, nil
	case r == 'N' && !p.at("N{"):
		return nil, false, ErrSyntax
	case r == 'X' || r == 'N':
		return nil, false, &UnsupportedError{`\` + string(r)}
	case r == 'k':
		p.pos++
		if !p.accept("<") {
			return nil, false, ErrSyntax
		}
		name, err := p.groupName()
		if err != nil {
			return nil, false, err
		}
		index, ok := p.names[name]
		if !ok {
			return nil, false, ErrSyntax
		}
		return &backref{index, p.flags.foldMode()}, true, nil
	case r >= '1' && r <= '9':
		index := int(r - '0')
		p.pos++
		// More digits belong to the number as long as there is such a group.
		for p.raw() >= '0' && p.raw() <= '9' && index*10+int(p.raw()-'0') <= p.groups {
			index = index*10 + int(p.raw()-'0')
			p.pos++
		}
		return &backref{index, p.flags.foldMode()}, true, nil
	}
	c, err := p.escapedClass()
	if c != nil || err != nil {
		return &set{c}, true, err
	}
	lit, err := p.escapedChar()
	if err != nil {
		return nil, false, err
	}
	return &char{lit, p.flags.foldMode()}, true, nil
}

// quoted reads up to \E; a repetition belongs to the last character.
func (p *parser) quoted() (node, bool, error) {
	s := &sequence{}
	for p.pos < len(p.in) && !p.at(`\E`) {
		s.items = append(s.items, &char{p.in[p.pos], p.flags.foldMode()})
		p.pos++
	}
	p.accept(`\E`)
	if n := len(s.items); n > 0 {
		last, err := p.repetition(s.items[n-1])
		if err != nil {
			return nil, false, err
		}
		s.items[n-1] = last
	}
	return s, false, nil
}

// escapedClass reads \d, \p{…} and the like, behind the backslash; nil when it is another escape.
func (p *parser) escapedClass() (*class, error) {
	r := p.raw()
	if c := predefined(r); c != nil {
		p.pos++
		return c, nil
	}
	if r != 'p' && r != 'P' {
		return nil, nil
	}
	p.pos++
	name := string(p.raw())
	switch p.raw() {
	case end:
		return nil, ErrSyntax
	case '{':
		start := p.pos + 1
		for p.pos < len(p.in) && p.in[p.pos] != '}' {
			p.pos++
		}
		if p.raw() != '}' {
			return nil, ErrSyntax
		}
		name = string(p.in[start:p.pos])
	}
	p.pos++
	c, lacks := property(name, r == 'P', p.flags.foldMode())
	switch {
	case lacks:
		return nil, &UnsupportedError{`\p{` + name + `}`}
	case c == nil:
		return nil, ErrSyntax
	}
	return c, nil
}

// escapedChar reads an escape that is one character, behind the backslash.
func (p *parser) escapedChar() (rune, error) {
	r := p.raw()
	p.pos++
	switch r {
	case 't':
		return '\t', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 'f':
		return '\f', nil
	case 'a':
		return 7, nil
	case 'e':
		return 27, nil
	case 'c':
		if p.raw() == end {
			return 0, ErrSyntax
		}
		p.pos++
		return p.in[p.pos-1] ^ 64, nil
	case '0':
		return p.octal()
	case 'x':
		if p.accept("{") {
			start := p.pos
			for p.pos < len(p.in) && p.in[p.pos] != '}' {
				p.pos++
			}
			v, err := strconv.ParseUint(string(p.in[start:p.pos]), 16, 32)
			if p.raw() != '}' || err != nil || v > unicode.MaxRune {
				return 0, ErrSyntax
			}
			p.pos++
			return rune(v), nil
		}
		return p.hex(2)
	case 'u':
		v, err := p.hex(4)
		if err == nil && v >= 0xd800 && v < 0xdc00 && p.at(`\u`) {
			saved := p.pos
			p.pos += 2
			low, err := p.hex(4)
			if err == nil && low >= 0xdc00 && low < 0xe000 {
				return (v-0xd800)<<10 | (low - 0xdc00) + 0x10000, nil
			}
			p.pos = saved
		}
		return v, err
	}
	if r < 0x80 && isLetter(r) {
		return 0, ErrSyntax
	}
	return r, nil
}

func (p *parser) hex(n int) (rune, error) {
	if p.pos+n > len(p.in) {
		return 0, ErrSyntax
	}
	v, err := strconv.ParseUint(string(p.in[p.pos:p.pos+n]), 16, 32)
	if err != nil {
		return 0, ErrSyntax
	}
	p.pos += n
	return rune(v), nil
}

// octal reads up to three digits, up to 377.
func (p *parser) octal() (rune, error) {
	v, n := rune(0), 0
	for n < 3 && p.raw() >= '0' && p.raw() <= '7' && v*8+p.raw()-'0' <= 0o377 {
		v = v*8 + p.raw() - '0'
		p.pos++
		n++
	}
	if n == 0 {
		return 0, ErrSyntax
	}
	return v, nil
}
