package json

import "errors"

// errSyntax says that a record is not JSON of the dialect: all of it is lost.
var errSyntax = errors.New("not JSON")

// errText says that a text has a bad escape or a control character. Spark loses only the value when what follows the
// character at fault goes on as JSON (it does when a quote is taken for a digit of \u); pos is behind that character.
var errText = errors.New("not a JSON text")

// maxDepth bounds how deeply values nest, so that no text exhausts the stack. It is Jackson's limit.
const maxDepth = 1000

// scanner walks over one record. Its methods expect pos at the first character of what they are named after and leave it
// behind the last.
type scanner struct {
	*dialect
	b       []byte
	pos     int
	depth   int
	scratch []byte // texts with escapes
}

func (s *scanner) reset(b []byte) {
	s.b, s.pos, s.depth, s.scratch = b, 0, 0, s.scratch[:0]
}

// peek is the next character that is no blank, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.b) {
		c := s.b[s.pos]
		if c > ' ' {
			if c == '/' && s.comments && s.comment() {
				continue
			}
			return c
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// comment skips a comment; false when there is none.
func (s *scanner) comment() bool {
	rest := s.b[s.pos:]
	if len(rest) < 2 {
		return false
	}
	switch rest[1] {
	case '/':
		for i, c := range rest {
			if c == '\n' || c == '\r' {
				s.pos += i
				return true
			}
		}
		s.pos = len(s.b)
		return true
	case '*':
		for i := 2; i+1 < len(rest); i++ {
			if rest[i] == '*' && rest[i+1] == '/' {
				s.pos += i + 2
				return true
			}
		}
	}
	return false
}

// classes of characters within texts.
const (
	plain = iota
	special
	control
)

var class = func() (t [256]uint8) {
	for i := range 0x20 {
		t[i] = control
	}
	t['"'], t['\''], t['\\'] = special, special, special
	return t
}()

// text reads a quoted text. The result is valid until the record's end; it is a part of the record unless it has
// escapes.
func (s *scanner) text() ([]byte, error) {
	quote := s.b[s.pos]
	if quote != '"' && (quote != '\'' || !s.singleQuotes) {
		return nil, errSyntax
	}
	start := s.pos + 1
	for i := start; i < len(s.b); i++ {
		c := s.b[i]
		if class[c] == plain {
			continue
		}
		switch {
		case c == quote:
			s.pos = i + 1
			return s.b[start:i], nil
		case c == '\\':
			return s.escaped(start, i, quote)
		case class[c] == control && !s.controlChars:
			s.pos = i + 1
			return nil, errText
		}
	}
	return nil, errSyntax
}

// skipText skips a quoted text.
func (s *scanner) skipText() error {
	quote := s.b[s.pos]
	if quote != '"' && (quote != '\'' || !s.singleQuotes) {
		return errSyntax
	}
	for i := s.pos + 1; i < len(s.b); i++ {
		c := s.b[i]
		if class[c] == plain {
			continue
		}
		switch {
		case c == quote:
			s.pos = i + 1
			return nil
		case c == '\\':
			n, _, err := s.escape(i)
			if err != nil {
				return err
			}
			i += n - 1
		case class[c] == control && !s.controlChars:
			return errSyntax
		}
	}
	return errSyntax
}

// digits skips digits and reports how many there were.
func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.b) && s.b[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos - start
}

// numeral is a number as it stands in the record.
type numeral struct {
	b     []byte
	whole bool // without fraction and exponent
	// special is one of NaN, Infinity, -Infinity in any of its spellings; b is then the canonical one.
	special bool
}

// number reads a number, or a word for one that is none.
func (s *scanner) number() (numeral, error) {
	start := s.pos
	c := s.b[s.pos]
	if c == '-' || c == '+' {
		s.pos++
		if s.pos >= len(s.b) {
			return numeral{}, errSyntax
		}
		if next := s.b[s.pos]; next == 'I' {
			return s.infinity(c == '-')
		}
		if c == '+' {
			return numeral{}, errSyntax
		}
	}
	switch s.b[s.pos] {
	case 'N':
		if c == '-' || !s.nonNumbers {
			return numeral{}, errSyntax
		}
		return numeral{b: []byte("NaN"), special: true}, s.word("NaN")
	case 'I':
		return s.infinity(false)
	}
	first := s.pos
	n := s.digits()
	if n == 0 || n > 1 && s.b[first] == '0' && !s.leadingZeros {
		return numeral{}, errSyntax
	}
	whole := true
	if s.pos < len(s.b) && s.b[s.pos] == '.' {
		whole = false
		s.pos++
		if s.digits() == 0 {
			return numeral{}, errSyntax
		}
	}
	if s.pos < len(s.b) && s.b[s.pos]|0x20 == 'e' {
		whole = false
		s.pos++
		if s.pos < len(s.b) && (s.b[s.pos] == '-' || s.b[s.pos] == '+') {
			s.pos++
		}
		if s.digits() == 0 {
			return numeral{}, errSyntax
		}
	}
	return numeral{b: s.b[start:s.pos], whole: whole}, nil
}

func (s *scanner) infinity(negative bool) (numeral, error) {
	if !s.nonNumbers {
		return numeral{}, errSyntax
	}
	signed := s.pos > 0 && (s.b[s.pos-1] == '-' || s.b[s.pos-1] == '+')
	n := numeral{b: []byte("Infinity"), special: true}
	if negative {
		n.b = []byte("-Infinity")
	}
	if err := s.word("Infinity"); err == nil {
		return n, nil
	}
	if !signed {
		return numeral{}, errSyntax
	}
	return n, s.word("INF")
}

// word reads one of the language's words.
func (s *scanner) word(w string) error {
	end := s.pos + len(w)
	if end > len(s.b) || string(s.b[s.pos:end]) != w {
		return errSyntax
	}
	if end < len(s.b) {
		if c := s.b[end]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80 {
			return errSyntax
		}
	}
	s.pos = end
	return nil
}

// name reads the name of a member and the colon after it.
func (s *scanner) name() ([]byte, error) {
	var name []byte
	var err error
	switch c := s.peek(); {
	case c == '"', c == '\'' && s.singleQuotes:
		name, err = s.text()
	case s.unquotedNames && nameChar(c):
		start := s.pos
		for s.pos < len(s.b) && nameChar(s.b[s.pos]) {
			s.pos++
		}
		name = s.b[start:s.pos]
	default:
		return nil, errSyntax
	}
	if err != nil || s.peek() != ':' {
		return nil, errSyntax
	}
	s.pos++
	return name, nil
}

// nameChar reports whether c may stand in a name without quotes.
func nameChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '$' || c == '@' || c == '#' || c == '*' || c == '-' || c == '+'
}

// more is called behind a member or element: it reads a comma (true) or the closing character (false).
func (s *scanner) more(closing byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	return false, errSyntax
}

// open enters an object or array; empty is true when it closes at once.
func (s *scanner) open(closing byte) (empty bool, err error) {
	if s.depth++; s.depth > maxDepth {
		return false, errSyntax
	}
	s.pos++
	if s.peek() == closing {
		s.pos++
		return true, nil
	}
	return false, nil
}

// skip skips any value, which must be well formed.
func (s *scanner) skip() error {
	switch c := s.peek(); c {
	case '"', '\'':
		return s.skipText()
	case '{':
		empty, err := s.open('}')
		for more := !empty; more && err == nil; {
			if _, err = s.skipName(); err == nil {
				if err = s.skip(); err == nil {
					more, err = s.more('}')
				}
			}
		}
		s.depth--
		return err
	case '[':
		empty, err := s.open(']')
		for more := !empty; more && err == nil; {
			if err = s.skip(); err == nil {
				more, err = s.more(']')
			}
		}
		s.depth--
		return err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	case 0:
		return errSyntax
	}
	_, err := s.number()
	return err
}

func (s *scanner) skipName() ([]byte, error) {
	if s.peek() != '"' {
		return s.name()
	}
	if err := s.skipText(); err != nil {
		return nil, err
	}
	if s.peek() != ':' {
		return nil, errSyntax
	}
	s.pos++
	return nil, nil
}
