package parser

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

const maxPrecision = 38

func isString(t token.Token) bool { return t.Kind == token.String || t.Kind == token.RawString }

// stringLit reads one or more adjacent strings.
func (p *parser) stringLit() *ast.StringLit {
	t := p.cur()
	if !isString(t) && !p.isMarker() {
		p.syntax("Expected a string.")
		return &ast.StringLit{At: tokenAt(t)}
	}
	if !isString(t) {
		return p.stringsFrom(t.Start, "")
	}
	p.advance()
	s := decodeString(p.text(t), t.Kind)
	if isString(p.cur()) || p.isMarker() {
		return p.stringsFrom(t.Start, s)
	}
	return p.strings.put(ast.StringLit{At: p.since(t.Start), Value: s})
}

// stringsFrom reads the strings that follow one another, which are one string; first is what was read of it. Parameters
// among them stand for no text: the statement is parsed again with their values in their place.
func (p *parser) stringsFrom(start int32, first string) *ast.StringLit {
	var b strings.Builder
	b.WriteString(first)
	for {
		switch {
		case isString(p.cur()):
			n := p.advance()
			b.WriteString(decodeString(p.text(n), n.Kind))
		case p.isMarker():
			p.marker()
		default:
			return p.strings.put(ast.StringLit{At: p.since(start), Value: b.String()})
		}
	}
}

// isMarker reports whether a parameter marker comes next: ? or :name.
func (p *parser) isMarker() bool {
	return p.isKind(token.Question) || p.isKind(token.Colon) && isName(p.peek(1)) && p.peek(1).Start == p.cur().End
}

// marker reads a parameter marker.
func (p *parser) marker() *ast.Param {
	t := p.advance()
	m := &ast.Param{Index: p.params}
	if t.Kind == token.Question {
		p.params++
	} else {
		m.Index, m.Name = 0, p.identOf(p.advance()).Name
	}
	m.At = p.since(t.Start)
	p.markers = append(p.markers, m)
	return m
}

// stringValue is stringLit's text.
func (p *parser) stringValue() string { return p.stringLit().Value }

// stringPtr is stringLit's text, for clauses that may be absent.
func (p *parser) stringPtr() *string {
	s := p.stringValue()
	return &s
}

// decodeString takes the quotes and Spark's escapes off a string token.
func decodeString(text string, kind token.Kind) string {
	if kind == token.RawString {
		return text[2 : len(text)-1]
	}
	q := text[0]
	body := text[1 : len(text)-1]
	if strings.IndexByte(body, '\\') < 0 && strings.IndexByte(body, q) < 0 {
		return body
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		c := body[i]
		switch {
		case c == q: // doubled
			out = append(out, q)
			i += 2
		case c == '\\' && i+1 < len(body):
			var n int
			out, n = appendEscape(out, body[i+1:])
			i += 1 + n
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// appendEscape decodes what follows a backslash and tells how many bytes it took.
func appendEscape(out []byte, s string) ([]byte, int) {
	switch c := s[0]; c {
	case 'n':
		return append(out, '\n'), 1
	case 't':
		return append(out, '\t'), 1
	case 'r':
		return append(out, '\r'), 1
	case 'b':
		return append(out, '\b'), 1
	case 'Z':
		return append(out, 0x1A), 1
	case '%', '_': // kept for LIKE
		return append(out, '\\', c), 1
	case 'u':
		if r, ok := hexRune(s[1:], 4); ok {
			// A pair of surrogates is one character.
			if r >= 0xD800 && r < 0xDC00 && len(s) >= 11 && s[5] == '\\' && s[6] == 'u' {
				if lo, ok := hexRune(s[7:], 4); ok && lo >= 0xDC00 && lo < 0xE000 {
					return utf8.AppendRune(out, (r-0xD800)<<10|(lo-0xDC00)+0x10000), 11
				}
			}
			return utf8.AppendRune(out, r), 5
		}
	case 'U':
		if r, ok := hexRune(s[1:], 8); ok {
			return utf8.AppendRune(out, r), 9
		}
	case '0', '1':
		if len(s) >= 3 && isOctal(s[1]) && isOctal(s[2]) {
			return utf8.AppendRune(out, rune(c-'0')<<6|rune(s[1]-'0')<<3|rune(s[2]-'0')), 3
		}
		if c == '0' {
			return append(out, 0), 1
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return append(out, s[:n]...), n
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func hexRune(s string, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(s[:n], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, false
	}
	return rune(v), true
}

// numberLit reads a number; minus is the token of a minus sign before it, if there is one.
func (p *parser) numberLit(minus *token.Token) *ast.NumberLit {
	t := p.advance()
	text := p.text(t)
	start := t.Start
	if minus != nil {
		text = "-" + text
		start = minus.Start
	}
	n := p.numbers.put(ast.NumberLit{At: ast.At{Start: int(start), Stop: int(t.End)}, Text: text})
	switch t.Kind {
	case token.Integer:
		p.integer(n)
	case token.Decimal:
		p.decimal(n, text)
	case token.Exponent:
		p.double(n, text)
	default:
		p.suffixed(n)
	}
	return n
}

// integer gives the smallest of INT, BIGINT and DECIMAL that holds the number.
func (p *parser) integer(n *ast.NumberLit) {
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil {
		p.decimal(n, n.Text)
		return
	}
	n.Value = v
	n.Type = types.Of(types.BigInt)
	if v >= -1<<31 && v < 1<<31 {
		n.Type = types.Of(types.Int)
	}
}

// decimal gives the DECIMAL that has just the digits of text.
func (p *parser) decimal(n *ast.NumberLit, text string) {
	// A placeholder that the rest of the parser can hold when the number is too long.
	n.Type, n.Value = types.DecimalOf(1, 0), types.Dec{Unscaled: new(big.Int)}
	mantissa, exp := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > 10_000 || e < -10_000 {
			p.fail(sqlerr.DecimalPrecision(text, strconv.Itoa(maxPrecision)), n.Span())
			return
		}
		mantissa, exp = text[:i], e
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := whole + frac
	if len(digits) > 10_000 {
		p.fail(sqlerr.DecimalPrecision(strconv.Itoa(len(digits)), strconv.Itoa(maxPrecision)), n.Span())
		return
	}
	u := new(big.Int)
	if small, err := strconv.ParseInt(digits, 10, 64); err == nil {
		u.SetInt64(small)
	} else {
		u.SetString(digits, 10) // the lexer let only digits through
	}
	precision, scale := len(strings.TrimLeft(strings.TrimPrefix(digits, "-"), "0")), len(frac)-exp
	zeros := 0 // that the exponent puts behind the digits
	if scale < 0 {
		if u.Sign() != 0 {
			zeros = -scale
		}
		scale = 0
	}
	precision = max(precision+zeros, scale, 1)
	if precision > maxPrecision {
		p.fail(sqlerr.DecimalPrecision(strconv.Itoa(precision), strconv.Itoa(maxPrecision)), n.Span())
		return
	}
	if zeros > 0 {
		u.Mul(u, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil))
	}
	n.Type, n.Value = types.DecimalOf(precision, scale), types.Dec{Unscaled: u, Scale: scale}
}

// suffixed reads a number whose last letters name its type.
func (p *parser) suffixed(n *ast.NumberLit) {
	last := len(n.Text) - 1
	body := n.Text[:last]
	switch n.Text[last] {
	case 'L', 'l':
		p.bounded(n, body, types.BigInt, "BIGINT", 64)
	case 'S', 's':
		p.bounded(n, body, types.SmallInt, "SMALLINT", 16)
	case 'Y', 'y':
		p.bounded(n, body, types.TinyInt, "TINYINT", 8)
	case 'F', 'f':
		v, err := strconv.ParseFloat(body, 32)
		if err != nil {
			p.fail(sqlerr.NumericLiteralRange(body, "-3.4028234663852886E+38", "3.4028234663852886E+38", "float"), n.Span())
		}
		n.Type, n.Value = types.Of(types.Float), v
	default: // D, or BD
		if c := n.Text[last-1]; c == 'B' || c == 'b' {
			p.decimal(n, n.Text[:last-1])
			return
		}
		p.double(n, body)
	}
}

func (p *parser) double(n *ast.NumberLit, text string) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail(sqlerr.NumericLiteralRange(text, "-1.7976931348623157E+308", "1.7976931348623157E+308", "double"), n.Span())
	}
	n.Type, n.Value = types.Of(types.Double), v
}

func (p *parser) bounded(n *ast.NumberLit, body string, kind types.Kind, name string, bits int) {
	v, err := strconv.ParseInt(body, 10, bits)
	if err != nil {
		low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
		p.fail(sqlerr.NumericLiteralRange(body, strconv.FormatInt(low, 10), strconv.FormatInt(high, 10),
			strings.ToLower(name)), n.Span())
	}
	n.Type, n.Value = types.Of(kind), v
}

// typedLit reads DATE '…', TIMESTAMP '…', X'…' and their kind, when a word and a string come next. ok is false when the
// word is none of these.
func (p *parser) typedLit() (e ast.Expr, ok bool) {
	t := p.cur()
	word := strings.ToUpper(p.text(t))
	switch word {
	case "DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "TIME":
		p.advance()
		s := p.stringLit()
		return &ast.TypedLit{At: p.since(t.Start), Kind: word, Text: s.Value}, true
	case "X":
		p.advance()
		s := p.stringLit()
		b, good := decodeHex(s.Value)
		if !good {
			p.fail(sqlerr.InvalidTypedLiteral("X", s.Value), s.Span())
		}
		return &ast.BinaryLit{At: p.since(t.Start), Value: b}, true
	case "INTERVAL":
		return p.interval(), true
	}
	return nil, false
}

// decodeHex reads hexadecimal digits; an odd one out stands first, as if a 0 came before it.
func decodeHex(s string) (types.Bytes, bool) {
	if len(s)%2 == 1 {
		s = "0" + s
	}
	out := make([]byte, len(s)/2)
	for i := range out {
		v, err := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
		if err != nil {
			return "", false
		}
		out[i] = byte(v)
	}
	return types.Bytes(out), true
}

// units maps the words for a unit to the singular.
func unitOf(word string) string {
	w := strings.TrimSuffix(strings.ToUpper(word), "S")
	switch w {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND",
		"NANOSECOND":
		return w
	}
	return ""
}

// intervalUnit is unitOf for the units that an interval literal takes.
func intervalUnit(word string) string {
	if u := unitOf(word); u != "QUARTER" && u != "DAYOFYEAR" {
		return u
	}
	return ""
}

// intervalStarts reports whether the word INTERVAL, which comes next, begins a literal.
func (p *parser) intervalStarts() bool {
	n := 1
	if k := p.peek(n).Kind; k == token.Minus || k == token.Plus {
		n++
	}
	t := p.peek(n)
	if isString(t) {
		return true
	}
	if t.Kind == token.Colon && isName(p.peek(n+1)) {
		return intervalUnit(p.text(p.peek(n+2))) != "" // a parameter in the place of the number
	}
	if t.Kind == token.Question {
		return intervalUnit(p.text(p.peek(n+1))) != ""
	}
	return t.IsNumber() && (n == 1 || intervalUnit(p.text(p.peek(n+1))) != "")
}

// interval reads an interval literal.
func (p *parser) interval() *ast.IntervalLit {
	start := p.advance().Start
	iv := &ast.IntervalLit{}
	if isString(p.cur()) && intervalUnit(p.wordAfterStrings()) == "" {
		iv.Text = p.stringValue()
		iv.At = p.since(start)
		return iv
	}
	for {
		sign := ""
		if p.isKind(token.Minus) {
			sign = "-"
		}
		if p.isKind(token.Minus) || p.isKind(token.Plus) {
			p.advance()
		}
		t := p.cur()
		var value string
		switch {
		case isString(t):
			value = p.stringValue()
		case t.Kind == token.Integer || t.Kind == token.Decimal:
			value = p.text(p.advance())
		case p.isMarker():
			p.marker()
			value = "0" // it is not known yet
		default:
			p.syntax("Expected a number.")
			return iv
		}
		unit := intervalUnit(p.text(p.cur()))
		if !p.isKind(token.Word) || unit == "" {
			p.syntax("Expected a unit such as DAY.")
			return iv
		}
		p.advance()
		iv.Parts = append(iv.Parts, ast.IntervalPart{Value: signed(sign, value), Unit: unit})
		if len(iv.Parts) == 1 && p.is(token.TO) && intervalUnit(p.text(p.peek(1))) != "" {
			p.advance()
			iv.To = intervalUnit(p.text(p.advance()))
			break
		}
		if !p.intervalGoesOn() {
			break
		}
	}
	iv.At = p.since(start)
	return iv
}

// signed puts a minus before value, or takes away the one it has.
func signed(sign, value string) string {
	if sign == "" {
		return value
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(value), "-"); ok {
		return rest
	}
	return sign + value
}

// wordAfterStrings is the text of the token behind the adjacent strings that come next.
func (p *parser) wordAfterStrings() string {
	n := 0
	for isString(p.peek(n)) {
		n++
	}
	return p.text(p.peek(n))
}

// intervalGoesOn reports whether another value with a unit follows, with or without a sign.
func (p *parser) intervalGoesOn() bool {
	n := 0
	if k := p.cur().Kind; k == token.Minus || k == token.Plus {
		n++
	}
	switch t := p.peek(n); {
	case t.Kind == token.Integer || t.Kind == token.Decimal:
		n++
	case isString(t):
		for isString(p.peek(n)) {
			n++
		}
	default:
		return false
	}
	return p.peek(n).Kind == token.Word && intervalUnit(p.text(p.peek(n))) != ""
}
