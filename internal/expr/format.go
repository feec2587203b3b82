package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// formatFunctions print numbers.
func formatFunctions() []Overload {
	text := types.Of(types.String)
	number := func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		return formatNumberText(numberExactText(a[0], ts[0]), intOf(a[1])), nil
	}
	return []Overload{
		{Name: "format_number", Params: []Class{Numeric, IntNumber}, Returns: text, Eval: number, DuckFunc: func(args []string, ts []types.Type, _ types.Type) string {
			return "tarn_format_number(CAST(" + args[0] + " AS VARCHAR)," + args[1] + ")"
		}},
		{
			Name: "format_string", Params: []Class{Text, AnyValue}, Variadic: true, Optional: 1, Returns: text, NullAware: true, DuckFunc: formatStringSQL,
			Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
				if a[0] == nil {
					return nil, nil
				}
				return formatString(textOf(a[0]), a[1:], ts[1:])
			},
		},
	}
}

// numberExactText is a number as text that ParseDec or ParseDouble reads back.
func numberExactText(v types.Value, t types.Type) string {
	if f, ok := v.(float64); ok {
		bits := 64
		if t.Kind == types.Float {
			bits = 32
		}
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
	return types.Format(t, v, nil)
}

// formatNumberText groups the whole digits by commas and rounds half even, on the exact value of a double.
func formatNumberText(s string, digits int64) types.Value {
	if digits < 0 {
		return nil
	}
	f, isFloat := types.ParseDouble(s)
	switch {
	case isFloat && math.IsNaN(f):
		return "NaN"
	case isFloat && math.IsInf(f, 1) && !strings.ContainsAny(s, "0123456789"):
		return "∞"
	case isFloat && math.IsInf(f, -1) && !strings.ContainsAny(s, "0123456789"):
		return "-∞"
	}
	d, ok := types.ParseDec(s)
	if !ok {
		return nil
	}
	n := int(min(digits, 400))
	var text string
	switch {
	case d.Scale <= n:
		text = d.Rescale(n).String()
	default:
		unscaled := halfEven(d.Unscaled, types.Pow10(d.Scale-n))
		// A tie in the shortest text need not be one in the binary value.
		if strings.ContainsAny(s, ".eE") && isFloat {
			unscaled = exactHalfEven(f, d, n, unscaled)
		}
		text = types.Dec{Unscaled: unscaled, Scale: n}.String()
	}
	if strings.HasPrefix(s, "-") && !strings.HasPrefix(text, "-") {
		text = "-" + text // a negative number that rounds to zero keeps its sign
	}
	return group(text)
}

// exactHalfEven rounds the binary value when the text is a tie and the double is not exactly that tie.
func exactHalfEven(f float64, d types.Dec, n int, rounded *big.Int) *big.Int {
	exact := new(big.Rat).SetFloat64(f)
	shown := new(big.Rat).SetFrac(d.Unscaled, types.Pow10(d.Scale))
	if exact == nil || exact.Cmp(shown) == 0 || d.Digits() > 15 {
		return rounded
	}
	scaled := exact.Mul(exact, new(big.Rat).SetInt(types.Pow10(n)))
	q, r := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if new(big.Int).Lsh(new(big.Int).Abs(r), 1).Cmp(scaled.Denom()) > 0 {
		if scaled.Sign() < 0 {
			return q.Sub(q, big.NewInt(1))
		}
		return q.Add(q, big.NewInt(1))
	}
	return q
}

// group puts commas between each three whole digits.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, has := strings.Cut(s, ".")
	var b strings.Builder
	for i := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if has {
		b.WriteString("." + frac)
	}
	return sign + b.String()
}

// formatStringSQL hands the arguments over as text, with a letter for the family of each: formatting itself is Go's.
func formatStringSQL(args []string, ts []types.Type, _ types.Type) string {
	texts := make([]string, 0, len(args))
	kinds := make([]byte, 0, len(args))
	for i := 1; i < len(args); i++ {
		kinds = append(kinds, formatFamily(ts[i]))
		a := args[i]
		switch ts[i].Kind {
		case types.Date:
			a = "CAST(" + a + " - DATE '1970-01-01' AS VARCHAR)"
		case types.Timestamp, types.TimestampNTZ:
			a = "CAST(epoch_us(" + a + ") AS VARCHAR)"
		default:
			a = CastSQL(a, ts[i], types.Of(types.String), CastANSI)
		}
		texts = append(texts, a)
	}
	return "tarn_format_string(" + wrapArg(args, 0) + ",CAST([" + strings.Join(texts, ", ") + "] AS VARCHAR[])," + DuckString(string(kinds)) + ")"
}

func formatFamily(t types.Type) byte {
	switch k := t.Kind; {
	case k == types.Boolean:
		return 'b'
	case k == types.TinyInt, k == types.SmallInt, k == types.Int, k == types.Date:
		return 'i'
	case k == types.BigInt, k == types.Timestamp, k == types.TimestampNTZ:
		return 'l'
	case isFloating(k):
		return 'f'
	}
	return 's'
}

func formatString(format string, args []types.Value, ts []types.Type) (types.Value, error) {
	texts := make([]types.Value, len(args))
	kinds := make([]byte, len(args))
	for i, v := range args {
		kinds[i] = formatFamily(ts[i])
		switch {
		case v == nil:
		case isTemporal(ts[i].Kind):
			texts[i] = strconv.FormatInt(intOf(v), 10) // days or microseconds, as Spark shows them here
		default:
			texts[i] = types.Format(ts[i], v, nil)
		}
	}
	return formatStringTexts(format, texts, string(kinds))
}

// formatStringTexts is java.util.Formatter over values given as text.
func formatStringTexts(format string, args []types.Value, kinds string) (types.Value, error) {
	var b strings.Builder
	next, last := 0, -1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		spec, end, ok := parseFormatSpec(format, i+1)
		if !ok {
			return nil, badFormat(format)
		}
		i = end
		switch spec.verb {
		case '%':
			b.WriteString(pad("%", spec))
			continue
		case 'n':
			b.WriteByte('\n')
			continue
		}
		at := next
		switch {
		case spec.zeroIndex:
			return nil, sqlerr.InvalidParameter("ZERO_INDEX", "strfmt", "format_string", format, "Arguments of format_string count from 1: %0$ names none.")
		case spec.again:
			at = last
		case spec.index > 0:
			at = spec.index - 1
		default:
			next++
		}
		if at < 0 || at >= len(args) || at >= len(kinds) {
			return nil, badFormat(format)
		}
		last = at
		text, ok := formatOne(args[at], kinds[at], spec)
		if !ok {
			return nil, badFormat(format)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func badFormat(format string) error {
	return sqlerr.InvalidParameter("FORMAT", "strfmt", "format_string", format, "The format '"+format+"' does not fit its arguments.")
}

// formatSpec is %[index$][flags][width][.precision]verb.
type formatSpec struct {
	index            int
	zeroIndex, again bool
	flags            string
	width, precision int
	verb             byte
}

func parseFormatSpec(f string, i int) (formatSpec, int, bool) {
	s := formatSpec{precision: -1}
	number := func() (int, bool) {
		start := i
		for i < len(f) && f[i] >= '0' && f[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(f[start:i])
		return n, err == nil && n < 100_000
	}
	start := i
	if n, ok := number(); ok && i < len(f) && f[i] == '$' {
		s.index, s.zeroIndex = n, n == 0
		i++
	} else {
		i = start
	}
	if i < len(f) && f[i] == '<' {
		s.again = true
		i++
	}
	for i < len(f) && strings.IndexByte("-+ 0,(#", f[i]) >= 0 {
		s.flags += string(f[i])
		i++
	}
	if n, ok := number(); ok {
		s.width = n
	}
	if i < len(f) && f[i] == '.' {
		i++
		n, ok := number()
		if !ok {
			return s, i, false
		}
		s.precision = n
	}
	if i >= len(f) {
		return s, i, false
	}
	s.verb = f[i]
	return s, i, true
}

func (s formatSpec) has(flag byte) bool { return strings.IndexByte(s.flags, flag) >= 0 }

func formatOne(v types.Value, kind byte, s formatSpec) (string, bool) {
	upper := s.verb >= 'A' && s.verb <= 'Z'
	verb := s.verb | 32
	text := textOf(v)
	if v == nil {
		text = "null"
		if verb == 'b' {
			text = "false"
		}
	}
	switch {
	case verb == 's' || verb == 'b' || v == nil:
		if verb == 'b' && v != nil && kind != 'b' {
			text = "true"
		}
		if r := runesOf(text); s.precision >= 0 && s.precision < len(r) {
			text = string(r[:s.precision])
		}
	case verb == 'd' && (kind == 'i' || kind == 'l'):
		text = signed(text, s)
	case (verb == 'x' || verb == 'o') && (kind == 'i' || kind == 'l'):
		n, _ := strconv.ParseInt(text, 10, 64)
		u := uint64(n)
		if kind == 'i' {
			u = uint64(uint32(n))
		}
		base, prefix := 16, "0x"
		if verb == 'o' {
			base, prefix = 8, "0"
		}
		text = strconv.FormatUint(u, base)
		if s.has('#') {
			text = prefix + text
		}
		text = zeroFill(text, s)
	case verb == 'c' && kind == 'i':
		n, _ := strconv.Atoi(text)
		text = string(rune(n))
	case (verb == 'f' || verb == 'e') && kind == 'f':
		text = floatText(text, verb, s)
	default:
		return "", false
	}
	if upper {
		text = upperText(text)
	}
	return pad(text, s), true
}

// floatText rounds the shortest text half up, unlike C.
func floatText(text string, verb byte, s formatSpec) string {
	f, _ := types.ParseDouble(text)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if math.IsInf(f, 1) && s.has('+') {
			return "+Infinity"
		}
		return text
	}
	p := s.precision
	if p < 0 {
		p = 6
	}
	d, ok := types.ParseDec(text)
	if !ok {
		return text
	}
	neg := math.Signbit(f)
	if verb == 'e' {
		exp := 0
		if d.Sign() != 0 {
			exp = d.Digits() - 1 - d.Scale
		}
		m := types.Dec{Unscaled: new(big.Int).Abs(d.Unscaled), Scale: d.Scale + exp}.Rescale(p)
		if m.Cmp(types.DecOf(10)) >= 0 {
			exp++
			m = types.Dec{Unscaled: m.Unscaled, Scale: m.Scale + 1}.Rescale(p)
		}
		sign := "+"
		if exp < 0 {
			sign, exp = "-", -exp
		}
		return signed(minus(neg)+m.String()+"e"+sign+string(appendTwo(exp)), s)
	}
	r := types.Dec{Unscaled: new(big.Int).Abs(d.Unscaled), Scale: d.Scale}.Rescale(p)
	return signed(minus(neg)+r.String(), s)
}

func minus(neg bool) string {
	if neg {
		return "-"
	}
	return ""
}

func appendTwo(n int) []byte {
	if n < 10 {
		return []byte{'0', byte('0' + n)}
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

// signed applies the flags for signs, groups and leading zeros.
func signed(text string, s formatSpec) string {
	neg := strings.HasPrefix(text, "-")
	body := strings.TrimPrefix(text, "-")
	if s.has(',') {
		body = group(body)
	}
	lead, tail := "", ""
	switch {
	case neg && s.has('('):
		lead, tail = "(", ")"
	case neg:
		lead = "-"
	case s.has('+'):
		lead = "+"
	case s.has(' '):
		lead = " "
	}
	if s.has('0') {
		for len(lead)+len(body)+len(tail) < s.width {
			body = "0" + body
		}
	}
	return lead + body + tail
}

func zeroFill(text string, s formatSpec) string {
	if s.has('0') {
		for len(text) < s.width {
			text = "0" + text
		}
	}
	return text
}

// pad fills up to the width, which counts UTF-16 units.
func pad(text string, s formatSpec) string {
	n := s.width - len(utf16.Encode(runesOf(text)))
	if n <= 0 {
		return text
	}
	if s.has('-') {
		return text + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + text
}
