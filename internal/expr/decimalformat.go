package expr

import (
	"math/big"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// decimalFormat is a compiled pattern of java.text.DecimalFormat with the symbols of the United States.
type decimalFormat struct {
	prefix, suffix                 string
	negativePrefix, negativeSuffix string
	leastWhole, mostWhole          int // mostWhole counts for exponents only
	leastFraction, mostFraction    int
	group                          int // digits between commas, 0 for none
	shift                          int // powers of ten for % and ‰
	exponent                       int // least digits of the exponent, 0 for none
	point                          bool
	pointShown                     bool // also before no digits
}

// parseDecimalFormat compiles a pattern such as #,##0.00, 0.0% or 0.###E0; the empty one is #,###.
func parseDecimalFormat(text string) (*decimalFormat, error) {
	if text == "" {
		text = "#,###"
	}
	f := &decimalFormat{}
	rest, err := f.parse(text, &f.prefix, &f.suffix)
	if err != nil {
		return nil, err
	}
	f.negativePrefix, f.negativeSuffix = "-"+f.prefix, f.suffix
	if rest != "" {
		var prefix, suffix string
		if rest, err = (&decimalFormat{}).parse(rest[1:], &prefix, &suffix); err != nil || rest != "" {
			return nil, badDecimalFormat(text)
		}
		if prefix != f.prefix || suffix != f.suffix {
			f.negativePrefix, f.negativeSuffix = prefix, suffix
		}
	}
	return f, nil
}

func badDecimalFormat(text string) error {
	return sqlerr.InvalidParameter("PATTERN", "pattern", "format_number", "'"+text+"'", "'"+text+"' is not a pattern for numbers such as '#,##0.00'.")
}

// parse reads one of the two halves of a pattern; what is left begins with the semicolon.
func (f *decimalFormat) parse(text string, prefix, suffix *string) (rest string, err error) {
	bad := func() (string, error) { return "", badDecimalFormat(text) }
	var affix strings.Builder
	phase := 0 // before, in and behind the number
	hashes, zeros, hashesAfter := 0, 0, 0
	fractionZeros, fractionHashes := 0, 0
	sinceComma := -1
	i := 0
	rs := []rune(text)
loop:
	for ; i < len(rs); i++ {
		r := rs[i]
		if phase == 1 {
			switch {
			case r == '#' && f.point:
				fractionHashes++
				continue
			case r == '0' && f.point:
				if fractionHashes > 0 {
					return bad()
				}
				fractionZeros++
				continue
			case r == '#':
				if zeros > 0 {
					hashesAfter++
				} else {
					hashes++
				}
				if sinceComma >= 0 {
					sinceComma++
				}
				continue
			case r == '0':
				if hashesAfter > 0 {
					return bad()
				}
				zeros++
				if sinceComma >= 0 {
					sinceComma++
				}
				continue
			case r == ',' && !f.point:
				sinceComma = 0
				continue
			case r == '.' && !f.point:
				f.point = true
				continue
			case r == 'E' && f.exponent == 0:
				for i+1 < len(rs) && rs[i+1] == '0' {
					f.exponent++
					i++
				}
				if f.exponent == 0 {
					return bad()
				}
				phase = 2
				continue
			}
			phase = 2
		}
		switch {
		case r == ';':
			break loop
		case strings.ContainsRune("#0,.", r):
			if phase == 2 {
				return bad()
			}
			*prefix = affix.String()
			affix.Reset()
			phase = 1
			i--
		case r == '\'':
			if i+1 < len(rs) && rs[i+1] == '\'' {
				affix.WriteByte('\'')
				i++
				continue
			}
			for i++; i < len(rs) && rs[i] != '\''; i++ {
				affix.WriteRune(rs[i])
			}
			if i == len(rs) {
				return bad() // nothing closes the quote
			}
		case r == '%' || r == '‰':
			if f.shift != 0 {
				return bad()
			}
			if f.shift = 2; r == '‰' {
				f.shift = 3
			}
			affix.WriteRune(r)
		case r == '¤':
			affix.WriteByte('$')
		default:
			affix.WriteRune(r)
		}
	}
	if phase == 0 {
		*prefix = affix.String()
		affix.Reset()
	}
	*suffix = affix.String()
	if hashesAfter > 0 || sinceComma == 0 {
		return bad()
	}
	if zeros+fractionZeros == 0 && f.point {
		// As Java does, a pattern with a point and no 0 gets one: #.## is 0.##, and .## is .0#.
		if hashes > 0 {
			zeros, hashes = 1, hashes-1
		} else if fractionHashes > 0 {
			fractionZeros, fractionHashes = 1, fractionHashes-1
		}
	}
	f.pointShown = f.point && (zeros+hashes == 0 || fractionZeros+fractionHashes == 0)
	f.leastWhole, f.mostWhole = zeros, hashes+zeros
	f.leastFraction, f.mostFraction = fractionZeros, fractionZeros+fractionHashes
	if sinceComma > 0 {
		f.group = sinceComma
	}
	if f.exponent > 0 && f.group > 0 {
		return bad()
	}
	return string(rs[i:]), nil
}

// format prints an exact decimal, rounded half even; negative is its sign, which a zero may have, too.
func (f *decimalFormat) format(d types.Dec, negative bool) string {
	n := new(big.Int).Abs(d.Unscaled)
	scale := d.Scale - f.shift
	var body string
	if f.exponent > 0 {
		body = f.scientific(n, scale)
	} else {
		body = f.plain(n, scale)
	}
	if negative {
		return f.negativePrefix + body + f.negativeSuffix
	}
	return f.prefix + body + f.suffix
}

// rounded is n / 10^scale with digits places, as digits without a point.
func rounded(n *big.Int, scale, places int) string {
	switch {
	case scale > places:
		n = halfEven(n, types.Pow10(scale-places))
	case scale < places:
		n = new(big.Int).Mul(n, types.Pow10(places-scale))
	}
	return n.String()
}

func (f *decimalFormat) plain(n *big.Int, scale int) string {
	s := rounded(n, scale, f.mostFraction)
	s = zeroPadded(s, f.mostFraction+1)
	whole, fraction := s[:len(s)-f.mostFraction], s[len(s)-f.mostFraction:]
	for len(fraction) > f.leastFraction && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	whole = strings.TrimLeft(whole, "0")
	whole = zeroPadded(whole, f.leastWhole)
	if whole == "" && fraction == "" {
		whole = "0"
	}
	if f.group > 0 {
		whole = grouped(whole, f.group)
	}
	if fraction != "" || f.pointShown {
		return whole + "." + fraction
	}
	return whole
}

// zeroPadded has zeros before the digits of s up to a length.
func zeroPadded(s string, length int) string {
	return strings.Repeat("0", max(length-len(s), 0)) + s
}

func grouped(s string, size int) string {
	var b strings.Builder
	for i := range s {
		if i > 0 && (len(s)-i)%size == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// scientific is the algorithm of java.text.DecimalFormat: mostWhole+mostFraction digits count, and an exponent is a multiple of
// mostWhole where that is more than leastWhole.
func (f *decimalFormat) scientific(n *big.Int, scale int) string {
	digits, at := "", 0 // the value is 0.digits × 10^at
	if n.Sign() != 0 {
		digits = n.String()
		at = len(digits) - scale
		if most := f.mostWhole + f.mostFraction; most > 0 && len(digits) > most {
			s := halfEven(n, types.Pow10(len(digits)-most)).String()
			at += len(s) - most // rounding may make another digit
			digits = s
		}
		digits = strings.TrimRight(digits, "0")
	}
	exponent, whole := at, f.leastWhole
	if f.mostWhole > 1 && f.mostWhole > f.leastWhole {
		if exponent >= 1 {
			exponent = (exponent - 1) / f.mostWhole * f.mostWhole
		} else {
			exponent = (exponent - f.mostWhole) / f.mostWhole * f.mostWhole
		}
		whole = 1
	} else {
		exponent -= f.leastWhole
	}
	least := f.leastWhole + f.leastFraction
	if digits == "" {
		exponent = 0
	} else {
		whole = at - exponent
	}
	digits += strings.Repeat("0", max(least-len(digits), whole-len(digits), 0))
	out := digits[:whole]
	if whole < len(digits) || f.pointShown {
		out += "." + digits[whole:]
	}
	power := zeroPadded(itoa(max(exponent, -exponent)), f.exponent)
	return out + "E" + minus(exponent < 0) + power
}

// decimalFormats are the compiled patterns of running queries.
var decimalFormats = newCache(parseDecimalFormat)

// formatPattern is format_number with a pattern, of a number given as text: that of a double when binary is set, else of an
// exact number.
func formatPattern(s, pattern string, binary bool) (types.Value, error) {
	f, err := decimalFormats.get(pattern)
	if err != nil {
		return nil, err
	}
	x, isFloat := types.ParseDouble(s)
	negative := strings.HasPrefix(s, "-")
	switch {
	case isFloat && x != x:
		return "NaN", nil
	case !strings.ContainsAny(s, "0123456789"):
		if negative {
			return f.negativePrefix + "∞" + f.negativeSuffix, nil
		}
		return f.prefix + "∞" + f.suffix, nil
	}
	d, ok := types.ParseDec(s)
	if !ok {
		return nil, nil
	}
	// A tie in the shortest text of a double need not be one in its binary value.
	if cut := d.Scale - f.shift - f.mostFraction; cut > 0 && binary && isFloat && strings.ContainsAny(s, ".eE") && d.Digits() <= 17 {
		half := types.Pow10(cut)
		if rest := new(big.Int).Mod(new(big.Int).Abs(d.Unscaled), half); rest.Lsh(rest, 1).Cmp(half) == 0 {
			if exact, ok := types.ParseDec(new(big.Float).SetFloat64(x).Text('f', 1074)); ok {
				d = exact
			}
		}
	}
	return f.format(d, negative), nil
}

// whenPattern takes a number with a text.
func whenPattern(call *callSite) ([]Expr, error) {
	if !call.args[1].Type().Kind.IsText() {
		return nil, errNextRow
	}
	x, err := numberToFormat(call)
	if err != nil {
		return nil, err
	}
	return []Expr{x, call.args[1]}, nil
}

// numberToFormat is the first argument, a number or NULL: text is not cast. Java's formats read a FLOAT as the double it is.
func numberToFormat(call *callSite) (Expr, error) {
	x := call.args[0]
	k := x.Type().Kind
	if !k.IsNumeric() && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Numeric.String(), Print(x), x.Type().SQL())
	}
	to, _, _ := Numeric.fit(x.Type(), false)
	if k == types.Float {
		to = types.Of(types.Double)
	}
	return implicit(x, to), nil
}

// numberAndDigits takes a number with an INT; whenPattern has the texts.
func numberAndDigits(call *callSite) ([]Expr, error) {
	x, err := numberToFormat(call)
	if err != nil {
		return nil, err
	}
	n := call.args[1]
	to, _, ok := SmallCount.fit(n.Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, `("INT" or "STRING")`, Print(n), n.Type().SQL())
	}
	return []Expr{x, implicit(n, to)}, nil
}
