package pattern

import (
	"fmt"
	"strings"
)

// item is one element of a pattern: a run of one letter, literal text, or an optional section.
type item struct {
	letter byte // 0 for literal text, '[' for an optional section
	count  int
	text   string
	inner  []item
	// min and max are the digits of a number when parsed; reserve is how many digits of the same run of digits belong to
	// the numbers that follow without anything between ("yyyyMMdd").
	min, max, reserve int
}

// forever is the most digits Java reads for a number of no fixed width.
const forever = 19

type compiler struct {
	pattern string
	pos     int
	noParse string
}

func (c *compiler) fail(format string, args ...any) error {
	return &Error{c.pattern, fmt.Sprintf(format, args...)}
}

func (c *compiler) sequence(depth int) ([]item, error) {
	if depth > 16 {
		return nil, c.fail("optional sections nest too deeply")
	}
	var items []item
	// Literal text is gathered and becomes an item once: a pattern may be a long text that is no pattern at all.
	var text strings.Builder
	add := func(more ...item) []item {
		if text.Len() > 0 {
			items = append(items, item{text: text.String()})
			text.Reset()
		}
		items = append(items, more...)
		return items
	}
	for c.pos < len(c.pattern) {
		b := c.pattern[c.pos]
		switch {
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			start := c.pos
			for c.pos < len(c.pattern) && c.pattern[c.pos] == b {
				c.pos++
			}
			it, err := c.letter(b, c.pos-start)
			if err != nil {
				return nil, err
			}
			add(it)
		case b == '\'':
			quoted, err := c.quoted()
			if err != nil {
				return nil, err
			}
			text.WriteString(quoted)
		case b == '[':
			c.pos++
			inner, err := c.sequence(depth + 1)
			if err != nil {
				return nil, err
			}
			if c.pos >= len(c.pattern) {
				// Java takes a section that is not closed as closed at the end.
				return add(item{letter: '[', inner: inner}), nil
			}
			c.pos++
			add(item{letter: '[', inner: inner})
		case b == ']':
			if depth == 0 {
				return nil, c.fail("it has a ']' without a '['")
			}
			return add(), nil
		case b == '{' || b == '}' || b == '#':
			return nil, c.fail("the character '%c' is reserved: quote it", b)
		default:
			text.WriteByte(b)
			c.pos++
		}
	}
	return add(), nil
}

// quoted reads text in single quotes; two of them are one quote, inside and outside of text.
func (c *compiler) quoted() (string, error) {
	rest := c.pattern[c.pos+1:]
	var text strings.Builder
	for i := 0; i < len(rest); i++ {
		if rest[i] != '\'' {
			text.WriteByte(rest[i])
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '\'' && i > 0 {
			text.WriteByte('\'')
			i++
			continue
		}
		c.pos += i + 2
		if i == 0 {
			return "'", nil
		}
		return text.String(), nil
	}
	return "", c.fail("a quote is not closed")
}

// longest is the longest run of a letter that Spark admits.
var longest = map[byte]int{
	'G': 4, 'y': 6, 'M': 4, 'L': 4, 'd': 2, 'D': 3, 'H': 2, 'h': 2, 'k': 2, 'K': 2, 'm': 2, 's': 2, 'S': 9, 'a': 1, 'E': 4,
	'F': 1, 'Q': 4, 'q': 4, 'X': 5, 'x': 5, 'Z': 5, 'z': 4, 'V': 2, 'O': 4, 'g': 19,
}

func (c *compiler) letter(b byte, n int) (item, error) {
	most, ok := longest[b]
	switch {
	case strings.IndexByte("YWwuec", b) >= 0:
		return item{}, c.fail("the week-based letter '%c' is not supported: use y, and weekofyear() for weeks", b)
	case !ok:
		return item{}, c.fail("the letter '%c' is not supported", b)
	case n > most:
		return item{}, c.fail("'%s' has too many letters: at most %d", strings.Repeat(string(b), n), most)
	case b == 'V' && n != 2, b == 'O' && n != 1 && n != 4:
		return item{}, c.fail("'%s' is not the right length", strings.Repeat(string(b), n))
	case strings.IndexByte("EFQqg", b) >= 0:
		c.noParse = fmt.Sprintf("the letter '%c' can be printed, not parsed", b)
	}
	it := item{letter: b, count: n}
	switch b {
	case 'y':
		it.min, it.max = n, forever
		if n == 2 {
			it.max = 2
		}
	case 'M', 'L':
		if n <= 2 {
			it.min, it.max = width(n)
		}
	case 'd', 'H', 'h', 'k', 'K', 'm', 's':
		it.min, it.max = width(n)
	case 'D':
		it.min, it.max = n, 3
		if n == 1 {
			it.max = forever
		}
	case 'S':
		it.min, it.max = 1, n
	}
	return it, nil
}

// width is Java's: one letter reads any number of digits, two letters two.
func width(n int) (lo, hi int) {
	if n == 1 {
		return 1, forever
	}
	return n, n
}

// reserve notes how many digits a number must leave for the fixed-width numbers right after it.
func reserve(items []item) {
	for i := range items {
		if items[i].letter == '[' {
			reserve(items[i].inner)
			continue
		}
		if items[i].max != forever {
			continue
		}
		for j := i + 1; j < len(items) && items[j].max > 0 && items[j].min == items[j].max && items[j].letter != 'S'; j++ {
			items[i].reserve += items[j].max
		}
	}
}
