package expr

import (
	"strings"
	"unicode"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// numberFormat is a compiled number format of to_number and to_char: 0 9 . D , G $ S MI PR, in any case.
type numberFormat struct {
	text   string
	tokens []formatToken
}

// formatToken is one element of a number format.
type formatToken struct {
	kind   tokenKind
	groups []digitGroup // of tokenDigits, from left to right
}

// digitGroup is a run of digits between thousands separators. With exact the text has just so many digits, else at most.
type digitGroup struct {
	n     int
	exact bool
}

type tokenKind uint8

const (
	tokenDigits tokenKind = iota
	tokenPoint
	tokenDollar
	tokenSign  // S: + or -
	tokenMinus // MI: - or a blank
	tokenOpen  // < of PR
	tokenClose // > of PR
	tokenUnknown
)

// parseNumberFormat compiles a format. Its mistakes are INVALID_FORMAT.…, looked for in the order in which Spark looks.
func parseNumberFormat(text string) (*numberFormat, error) {
	bad := func(sub string) (*numberFormat, error) { return nil, sqlerr.BadNumberFormat(sub, text) }
	if text == "" {
		return bad("EMPTY")
	}
	f := &numberFormat{text: text}
	upper := strings.ToUpper(text)
	separators, afterPoint := false, false // of thousands, in a wrong place
	point, brackets := false, false
	for i := 0; i < len(upper); {
		switch c := upper[i]; {
		case c == '0' || c == '9' || c == ',' || c == 'G':
			var t formatToken
			beside := true // where a separator must not be: at the ends and beside another
			for i < len(upper) && strings.IndexByte("09,G", upper[i]) >= 0 {
				if upper[i] == ',' || upper[i] == 'G' {
					separators = separators || beside
					afterPoint = afterPoint || point
					beside = true
					i++
					continue
				}
				g := digitGroup{exact: upper[i] == '0'}
				for ; i < len(upper) && (upper[i] == '0' || upper[i] == '9'); i++ {
					g.n++
				}
				t.groups = append(t.groups, g)
				beside = false
			}
			separators = separators || beside
			f.tokens = append(f.tokens, t)
			continue
		case c == '.' || c == 'D':
			f.add(tokenPoint)
			point = true
		case c == '$':
			f.add(tokenDollar)
		case c == 'S':
			f.add(tokenSign)
		case strings.HasPrefix(upper[i:], "MI"):
			f.add(tokenMinus)
			i++
		case strings.HasPrefix(upper[i:], "PR"):
			f.add(tokenClose)
			brackets = true
			i++
		default:
			f.add(tokenUnknown)
		}
		i++
	}
	if brackets { // more than one PR is refused below
		f.tokens = append([]formatToken{{kind: tokenOpen}}, f.tokens...)
	}
	digits, dollar, pointAt := f.index(tokenDigits), f.index(tokenDollar), f.index(tokenPoint)
	switch {
	case digits < 0:
		return bad("WRONG_NUM_DIGIT")
	case dollar > digits:
		return bad("CUR_MUST_BEFORE_DIGIT")
	case dollar > pointAt && pointAt >= 0:
		return bad("CUR_MUST_BEFORE_DEC")
	case afterPoint:
		return bad("THOUSANDS_SEPS_MUST_BEFORE_DEC")
	case separators:
		return bad("CONT_THOUSANDS_SEPS")
	}
	for k := tokenPoint; k < tokenUnknown; k++ {
		if k != tokenOpen && f.count(k) > 1 {
			return bad("WRONG_NUM_TOKEN")
		}
	}
	next := 0
	for _, allowed := range [][]tokenKind{
		{tokenOpen}, {tokenSign, tokenMinus}, {tokenDollar}, {tokenDigits}, {tokenPoint}, {tokenDigits}, {tokenSign, tokenMinus, tokenClose},
	} {
		for _, k := range allowed {
			if next < len(f.tokens) && f.tokens[next].kind == k {
				next++
				break
			}
		}
	}
	if next < len(f.tokens) {
		return bad("UNEXPECTED_TOKEN")
	}
	return f, nil
}

func (f *numberFormat) add(k tokenKind) { f.tokens = append(f.tokens, formatToken{kind: k}) }

func (f *numberFormat) index(k tokenKind) int {
	for i, t := range f.tokens {
		if t.kind == k {
			return i
		}
	}
	return -1
}

func (f *numberFormat) count(k tokenKind) int {
	n := 0
	for _, t := range f.tokens {
		if t.kind == k {
			n++
		}
	}
	return n
}

// digits counts the digits before and after the point.
func (f *numberFormat) digits() (before, after int) {
	reached := false
	for _, t := range f.tokens {
		reached = reached || t.kind == tokenPoint
		for _, g := range t.groups {
			if reached {
				after += g.n
			} else {
				before += g.n
			}
		}
	}
	return before, after
}

// decimalType is the type of to_number.
func (f *numberFormat) decimalType() (types.Type, error) {
	before, after := f.digits()
	if p := before + after; p > types.MaxPrecision {
		return types.Type{}, sqlerr.DecimalPrecision(itoa(p), itoa(types.MaxPrecision))
	}
	return types.DecimalOf(before+after, after), nil
}

// parse reads a number as the format says; the result is plain decimal text. Blanks among the digits do not count.
func (f *numberFormat) parse(s string) (string, bool) {
	var before, after strings.Builder
	negative, open, reached, fraction := false, false, false, false
	take := func(c byte) bool {
		if s != "" && s[0] == c {
			s = s[1:]
			return true
		}
		return false
	}
	for _, t := range f.tokens {
		switch t.kind {
		case tokenDigits:
			into := &before
			if reached {
				into = &after
			}
			var ok bool
			if s, ok = t.take(s, into, fraction); !ok {
				return "", false
			}
		case tokenPoint:
			fraction = true
			reached = take('.')
		case tokenDollar:
			if !take('$') {
				return "", false
			}
		case tokenSign:
			negative = take('-') || negative
			if !negative {
				take('+')
			}
		case tokenMinus:
			negative = take('-') || negative
		case tokenOpen:
			open = take('<')
		case tokenClose:
			closed := take('>')
			if closed != open {
				return "", false
			}
			negative = negative || closed
		}
	}
	if s != "" || before.Len()+after.Len() == 0 {
		return "", false
	}
	out := before.String()
	if out == "" {
		out = "0"
	}
	if after.Len() > 0 {
		out += "." + after.String()
	}
	return minus(negative) + out, true
}

// take reads groups of digits off the front of s and compares them with those of the token, from the right.
func (t formatToken) take(s string, into *strings.Builder, fraction bool) (rest string, ok bool) {
	counts := []int{0}
	end := len(s)
	for i, r := range s {
		v, isDigit := digitValue(r)
		switch {
		case isDigit:
			into.WriteByte('0' + v)
			counts[len(counts)-1]++
		case r == ',' && len(t.groups) > 1:
			counts = append(counts, 0)
		case !unicode.IsSpace(r):
			end = i
		}
		if end < len(s) {
			break
		}
	}
	if len(counts) > len(t.groups) {
		return "", false
	}
	for i := range t.groups {
		g, n := t.groups[len(t.groups)-1-i], 0
		if i < len(counts) {
			n = counts[len(counts)-1-i]
		}
		if n > g.n || g.exact && n < g.n && !fraction {
			return "", false
		}
	}
	return s[end:], true
}

// digitValue is the value of a decimal digit of any script.
func digitValue(r rune) (byte, bool) {
	if r >= '0' && r <= '9' {
		return byte(r - '0'), true
	}
	if r < 0x80 || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, g := range unicode.Nd.R16 {
		if r >= rune(g.Lo) && r <= rune(g.Hi) {
			return byte((r - rune(g.Lo)) % 10), true
		}
	}
	for _, g := range unicode.Nd.R32 {
		if r >= rune(g.Lo) && r <= rune(g.Hi) {
			return byte((r - rune(g.Lo)) % 10), true
		}
	}
	return 0, false
}

// format prints a number given as plain decimal text. Digits that do not fit all become #.
func (f *numberFormat) format(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(s, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	negative = negative && whole+fraction != ""
	before, after := f.digits()
	if len(whole) > before || len(fraction) > after {
		whole, fraction = strings.Repeat("#", before), strings.Repeat("#", after)
	}
	whole = strings.Repeat(" ", before-len(whole)) + whole
	fraction += strings.Repeat("0", after-len(fraction))
	out := make([]byte, 0, before+after+8)
	last := func() byte {
		if len(out) == 0 {
			return 0
		}
		return out[len(out)-1]
	}
	// blank stands before a sign that was just written, sign before blanks.
	blank := func() {
		out = append(out, ' ')
		if n := len(out) - 1; n > 0 && strings.IndexByte("+-<", out[n-1]) >= 0 {
			out[n-1], out[n] = ' ', out[n-1]
		}
	}
	sign := func(c byte) {
		out = append(out, c)
		for n := len(out) - 1; n > 0 && out[n-1] == ' '; n-- {
			out[n-1], out[n] = c, ' '
		}
	}
	lonePoint := func() {
		if last() == '.' {
			out[len(out)-1] = ' '
		}
	}
	reached := false
	for _, t := range f.tokens {
		switch t.kind {
		case tokenDigits:
			if reached {
				out = append(out, fraction...)
				continue
			}
			at := 0
			for i, g := range t.groups {
				if i > 0 {
					if c := last(); c >= '0' && c <= '9' {
						out = append(out, ',')
					} else {
						blank()
					}
				}
				for range g.n {
					switch c := whole[at]; {
					case c != ' ':
						out = append(out, c)
					case g.exact:
						out = append(out, '0')
					default:
						blank()
					}
					at++
				}
			}
		case tokenPoint:
			if last() == ' ' {
				out[len(out)-1] = '0'
			}
			out = append(out, '.')
			reached = true
		case tokenDollar:
			out = append(out, '$')
		case tokenSign:
			lonePoint()
			if negative {
				sign('-')
			} else {
				sign('+')
			}
		case tokenMinus:
			if !negative {
				out = append(out, ' ')
				continue
			}
			lonePoint()
			sign('-')
		case tokenOpen:
			if negative {
				out = append(out, '<')
			}
		case tokenClose:
			lonePoint()
			if negative {
				sign('>')
			} else {
				out = append(out, ' ', ' ')
			}
		}
	}
	lonePoint()
	return string(out)
}
