package token

import (
	"unicode"
	"unicode/utf8"
)

// MaxText is the longest text that can be cut into tokens, in bytes.
const MaxText = 1 << 30

// Lex appends the tokens of src to buf and ends them with EOF. Comments and white space give no tokens. Text that is
// no token gives Illegal ones, so Lex never fails. src must not be longer than MaxText.
func Lex(src string, buf []Token) []Token {
	l := lexer{src: src, out: buf}
	for l.next() {
	}
	return append(l.out, Token{Kind: EOF, Start: int32(len(src)), End: int32(len(src))})
}

type lexer struct {
	src    string
	pos    int
	out    []Token
	inHint bool
}

// byte classes of the first byte of a token.
const (
	classOther = iota
	classSpace
	classLetter // ASCII letters and _
	classDigit
	classHigh // a byte of a multi-byte character
	classOp   // a byte that is a token by itself
)

var class = func() (t [256]uint8) {
	for c := 0; c < 256; c++ {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			t[c] = classSpace
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			t[c] = classLetter
		case c >= '0' && c <= '9':
			t[c] = classDigit
		case c >= 0x80:
			t[c] = classHigh
		}
	}
	for c := range single {
		if single[c] != EOF {
			t[c] = classOp
		}
	}
	return t
}()

var single = [256]Kind{
	'(': LParen, ')': RParen, '[': LBracket, ']': RBracket, ',': Comma, ';': Semicolon, '+': Plus, '%': Percent,
	'~': Tilde, '&': Amp, '^': Caret, '?': Question,
}

func (l *lexer) emit(k Kind, n int) bool {
	l.out = append(l.out, Token{Kind: k, Start: int32(l.pos), End: int32(l.pos + n)})
	l.pos += n
	return true
}

// at is the byte n places ahead, or 0 beyond the end.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// next emits one token or skips one stretch of white space or comment; it is false at the end of the text.
func (l *lexer) next() bool {
	if l.pos >= len(l.src) {
		return false
	}
	c := l.src[l.pos]
	switch class[c] {
	case classSpace:
		for l.pos < len(l.src) && class[l.src[l.pos]] == classSpace {
			l.pos++
		}
		return true
	case classLetter:
		if (c == 'r' || c == 'R') && (l.at(1) == '\'' || l.at(1) == '"') {
			return l.rawString()
		}
		return l.word(1)
	case classDigit:
		return l.number()
	case classHigh:
		return l.high()
	case classOp:
		return l.emit(single[c], 1)
	}
	return l.operator(c)
}

// word reads a word whose first letter takes so many bytes.
func (l *lexer) word(first int) bool {
	end := l.pos + first
	ascii := first == 1
	for end < len(l.src) {
		cl := class[l.src[end]]
		if cl == classLetter || cl == classDigit {
			end++
			continue
		}
		if cl == classHigh {
			r, n := utf8.DecodeRuneInString(l.src[end:])
			if unicode.IsLetter(r) {
				ascii = false
				end += n
				continue
			}
		}
		break
	}
	var k Keyword
	if ascii {
		k = Lookup(l.src[l.pos:end])
	}
	l.out = append(l.out, Token{Kind: Word, Keyword: k, Start: int32(l.pos), End: int32(end)})
	l.pos = end
	return true
}

// high is a character beyond ASCII: a letter begins a word, Unicode spaces are white space.
func (l *lexer) high() bool {
	r, n := utf8.DecodeRuneInString(l.src[l.pos:])
	switch {
	case unicode.IsLetter(r):
		return l.word(n)
	case unicode.IsSpace(r) || r == '\uFEFF' || unicode.Is(unicode.Zs, r):
		l.pos += n
		return true
	}
	return l.emit(Illegal, n)
}

// operator handles the tokens that begin with a byte of several meanings.
func (l *lexer) operator(c byte) bool {
	n := l.at(1)
	switch c {
	case '\'', '"':
		return l.quoted(c)
	case '`':
		return l.backquoted()
	case '.':
		if class[n] == classDigit {
			return l.number()
		}
		return l.emit(Dot, 1)
	case '-':
		switch n {
		case '-':
			l.lineComment()
			return true
		case '>':
			return l.emit(Arrow, 2)
		}
		return l.emit(Minus, 1)
	case '/':
		if n == '*' {
			if l.at(2) == '+' {
				l.inHint = true
				return l.emit(HintStart, 3)
			}
			return l.blockComment()
		}
		return l.emit(Slash, 1)
	case '*':
		if n == '/' && l.inHint {
			l.inHint = false
			return l.emit(HintEnd, 2)
		}
		return l.emit(Star, 1)
	case ':':
		if n == ':' {
			return l.emit(DoubleColon, 2)
		}
		return l.emit(Colon, 1)
	case '|':
		switch n {
		case '|':
			return l.emit(PipePipe, 2)
		case '>':
			return l.emit(PipeGreater, 2)
		}
		return l.emit(Pipe, 1)
	}
	return l.comparison(c, n)
}

func (l *lexer) comparison(c, n byte) bool {
	switch c {
	case '=':
		switch n {
		case '=':
			return l.emit(Equal, 2)
		case '>':
			return l.emit(FatArrow, 2)
		}
		return l.emit(Equal, 1)
	case '<':
		switch n {
		case '=':
			if l.at(2) == '>' {
				return l.emit(NullEqual, 3)
			}
			return l.emit(LessEqual, 2)
		case '>':
			return l.emit(NotEqual, 2)
		case '<':
			return l.emit(ShiftLeft, 2)
		}
		return l.emit(Less, 1)
	case '>':
		// >> and >>> are put together by the parser: ARRAY<ARRAY<INT>> has them too.
		if n == '=' {
			return l.emit(GreaterEqual, 2)
		}
		return l.emit(Greater, 1)
	case '!':
		switch n {
		case '=':
			return l.emit(NotEqual, 2)
		case '<':
			return l.emit(GreaterEqual, 2)
		case '>':
			return l.emit(LessEqual, 2)
		}
		return l.emit(Bang, 1)
	}
	return l.emit(Illegal, 1)
}

// quoted is a string; a backslash takes the next byte with it. A doubled quote is two adjacent strings to Spark's
// grammar, and one quote inside the string to its users: the string goes on.
func (l *lexer) quoted(q byte) bool {
	for i := l.pos + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case q:
			if i+1 < len(l.src) && l.src[i+1] == q {
				i++
				continue
			}
			return l.emit(String, i+1-l.pos)
		}
	}
	return l.emit(Illegal, 1)
}

func (l *lexer) rawString() bool {
	q := l.src[l.pos+1]
	for i := l.pos + 2; i < len(l.src); i++ {
		if l.src[i] == q {
			return l.emit(RawString, i+1-l.pos)
		}
	}
	return l.word(1)
}

func (l *lexer) backquoted() bool {
	for i := l.pos + 1; i < len(l.src); i++ {
		if l.src[i] != '`' {
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == '`' {
			i++
			continue
		}
		return l.emit(QuotedName, i+1-l.pos)
	}
	return l.emit(Illegal, 1)
}

// lineComment runs to the end of the line; a backslash before the line's end carries it on.
func (l *lexer) lineComment() {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == '\\' && l.at(1) == '\n' {
			l.pos += 2
			continue
		}
		l.pos++
		if c == '\n' || c == '\r' {
			return
		}
	}
}

// blockComment skips a comment, which may hold others. A hint inside a comment is no comment of its own.
func (l *lexer) blockComment() bool {
	depth := 1
	i := l.pos + 2
	for i+1 < len(l.src) {
		switch {
		case l.src[i] == '*' && l.src[i+1] == '/':
			i += 2
			if depth--; depth == 0 {
				l.pos = i
				return true
			}
		case l.src[i] == '/' && l.src[i+1] == '*' && !(i+2 < len(l.src) && l.src[i+2] == '+'):
			i += 2
			depth++
		default:
			i++
		}
	}
	return l.emit(UnclosedComment, len(l.src)-l.pos)
}

// number takes the longest number, unless letters follow that make it a name (1day) or make a decimal point a dot
// (1.a is the integer 1, a dot, and a).
func (l *lexer) number() bool {
	s, i := l.src, l.pos
	digits := func() {
		for i < len(s) && class[s[i]] == classDigit {
			i++
		}
	}
	digits()
	kind := Integer
	whole := i // end of the digits before the point
	if i < len(s) && s[i] == '.' {
		kind = Decimal
		i++
		digits()
	}
	mantissa := i
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if exp := i; exp < len(s) && class[s[exp]] == classDigit {
			digits()
			kind = Exponent
		} else {
			i = mantissa
		}
	}
	if n := suffix(s[i:], kind); n > 0 && !wordAt(s, i+n) {
		kind = Suffixed
		i += n
	}
	if wordAt(s, i) {
		if class[s[l.pos]] != classDigit { // .5x: a dot, then a name
			return l.emit(Dot, 1)
		}
		if whole < len(s) && s[whole] == '.' {
			return l.emit(Integer, whole-l.pos)
		}
		return l.word(1)
	}
	return l.emit(kind, i-l.pos)
}

// suffix is the length of a type suffix at the start of s, or 0. L, S and Y belong to integers only.
func suffix(s string, kind Kind) int {
	if s == "" {
		return 0
	}
	switch upper(s[0]) {
	case 'L', 'S', 'Y':
		if kind == Integer {
			return 1
		}
	case 'F', 'D':
		return 1
	case 'B':
		if len(s) > 1 && upper(s[1]) == 'D' {
			return 2
		}
	}
	return 0
}

// wordAt reports whether a letter, digit or underscore stands at i.
func wordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	switch class[s[i]] {
	case classLetter, classDigit:
		return true
	case classHigh:
		r, _ := utf8.DecodeRuneInString(s[i:])
		return unicode.IsLetter(r)
	}
	return false
}
