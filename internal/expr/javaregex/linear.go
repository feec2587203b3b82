package javaregex

import (
	"strconv"
	"strings"
	"unicode"
)

// linearizer says a pattern in RE2's syntax. lacks is set when RE2 cannot mean the same.
type linearizer struct {
	b                          strings.Builder
	lacks, endsLine, asciiOnly bool
}

// mostCopies is the largest count that RE2 takes.
const mostCopies = 1000

func (l *linearizer) node(n node) {
	if l.lacks {
		return
	}
	switch n := n.(type) {
	case *char:
		l.class(single(n))
	case *set:
		l.class(n.class)
	case *sequence:
		for _, x := range n.items {
			l.node(x)
		}
	case *alternation:
		l.b.WriteString("(?:")
		for i, x := range n.items {
			if i > 0 {
				l.b.WriteByte('|')
			}
			l.node(x)
		}
		l.b.WriteByte(')')
	case *group:
		l.b.WriteByte('(')
		l.node(n.body)
		l.b.WriteByte(')')
	case *repeat:
		l.repeat(n)
	case *assertion:
		switch n.kind {
		case textStart:
			l.b.WriteString(`\A`)
		case textEnd:
			l.b.WriteString(`\z`)
		case finalEnd:
			l.endsLine = true
			l.b.WriteString(`\z`)
		case wordEdge:
			l.asciiOnly = true
			l.b.WriteString(`\b`)
		case notWordEdge:
			l.asciiOnly = true
			l.b.WriteString(`\B`)
		default:
			l.lacks = true
		}
	default:
		l.lacks = true
	}
}

func (l *linearizer) repeat(n *repeat) {
	least, _ := width(n.body)
	// What a round without characters does differs.
	if n.kind == possessive || least == 0 || n.most > mostCopies || n.least > mostCopies {
		l.lacks = true
		return
	}
	l.b.WriteString("(?:")
	l.node(n.body)
	l.b.WriteByte(')')
	switch {
	case n.least == 0 && n.most < 0:
		l.b.WriteByte('*')
	case n.least == 1 && n.most < 0:
		l.b.WriteByte('+')
	case n.least == 0 && n.most == 1:
		l.b.WriteByte('?')
	case n.most < 0:
		l.b.WriteString("{" + strconv.Itoa(n.least) + ",}")
	default:
		l.b.WriteString("{" + strconv.Itoa(n.least) + "," + strconv.Itoa(n.most) + "}")
	}
	if n.kind == lazy {
		l.b.WriteByte('?')
	}
}

// class writes a class. A union of classes that are not negated is one list; anything else with parts lacks.
func (l *linearizer) class(c *class) {
	if c.not && len(c.ranges) == 0 && len(c.tables) == 0 && len(c.parts) == 0 || c.both != nil {
		l.lacks = true
		return
	}
	l.b.WriteByte('[')
	if c.not {
		l.b.WriteByte('^')
	}
	begin := l.b.Len()
	l.members(c)
	if l.b.Len() == begin {
		l.lacks = true // the empty class
	}
	l.b.WriteByte(']')
}

func (l *linearizer) members(c *class) {
	if c.fold == foldUnicode || len(c.tables) > 0 && !l.tables(c) {
		l.lacks = true
		return
	}
	for _, r := range c.ranges {
		l.bounds(r.lo, r.hi)
		if c.fold == foldASCII {
			for x := max(r.lo, 'A'); x <= min(r.hi, 'z'); x++ {
				if isLetter(x) {
					l.bounds(x^0x20, x^0x20)
				}
			}
		}
	}
	for _, p := range c.parts {
		switch {
		case p.both != nil, p.not && !l.inverted(p):
			l.lacks = true
			return
		case !p.not:
			l.members(p)
		}
	}
}

// inverted writes the characters that a negated class of plain ranges has.
func (l *linearizer) inverted(c *class) bool {
	if len(c.tables) > 0 || len(c.parts) > 0 || c.fold != exact {
		return false
	}
	at := rune(0)
	for at <= unicode.MaxRune {
		next, in := unicode.MaxRune+1, false
		for _, r := range c.ranges {
			if at >= r.lo && at <= r.hi {
				at, in = r.hi+1, true
				break
			}
			if r.lo > at {
				next = min(next, r.lo)
			}
		}
		if !in {
			l.bounds(at, next-1)
			at = next
		}
	}
	return true
}

func (l *linearizer) bounds(lo, hi rune) {
	l.b.WriteString(`\x{` + strconv.FormatInt(int64(lo), 16) + `}`)
	if hi > lo {
		l.b.WriteString(`-\x{` + strconv.FormatInt(int64(hi), 16) + `}`)
	}
}

// tables writes tables by the name that RE2 has for them.
func (l *linearizer) tables(c *class) bool {
	for _, t := range c.tables {
		name := ""
		for n, x := range unicode.Categories {
			if x == t && len(n) <= 2 {
				name = n
			}
		}
		for n, x := range unicode.Scripts {
			if x == t {
				name = n
			}
		}
		if name == "" {
			return false
		}
		l.b.WriteString(`\p{` + name + `}`)
	}
	return true
}
