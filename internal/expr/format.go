package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// formatFunctions print numbers.
func formatFunctions() []Overload {
	text := types.Of(types.String)
	number := func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		return formatNumberText(numberExactText(a[0], ts[0]), intOf(a[1]), isFloating(ts[0].Kind)), nil
	}
	return []Overload{
		{Name: "format_number", Params: []Class{Numeric, PlainText}, Prepare: whenPattern, Returns: text, Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			return formatPattern(numberExactText(a[0], ts[0]), textOf(a[1]), isFloating(ts[0].Kind))
		}, DuckFunc: func(args []string, ts []types.Type, _ types.Type) string {
			return "tarn_format_pattern(CAST(" + args[0] + " AS VARCHAR)," + args[1] + "," + strconv.FormatBool(isFloating(ts[0].Kind)) + ")"
		}},
		{Name: "format_number", Params: []Class{Numeric, SmallCount}, Prepare: numberAndDigits, Returns: text, Eval: number, DuckFunc: func(args []string, ts []types.Type, _ types.Type) string {
			return "tarn_format_number(CAST(" + args[0] + " AS VARCHAR)," + args[1] + "," + strconv.FormatBool(isFloating(ts[0].Kind)) + ")"
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

// formatNumberText groups the whole digits by commas and rounds half even: the value as the text gives it, or with binary the
// exact one of the double that it stands for.
func formatNumberText(s string, digits int64, binary bool) types.Value {
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
		if binary && strings.ContainsAny(s, ".eE") && isFloat {
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
		case types.Array, types.Struct, types.Map:
			a = "tarn_internal_text(" + a + "," + DuckString(withoutLengths(ts[i]).SQL()) + ")"
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
	case k == types.Float:
		return 'g'
	case k == types.Double:
		return 'f'
	case k.IsText():
		return 't'
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
		case isTemporal(ts[i].Kind), ts[i].Kind.IsNested():
			texts[i] = InternalText(v, ts[i]) // days or microseconds, as Spark shows them here
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
		if !spec.valid() {
			return nil, badFormat(format)
		}
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
	time             bool // %t… and %T…
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
	if i < len(f) && (f[i] == 't' || f[i] == 'T') {
		i++ // dates and times have a second letter
		s.time = true
	}
	if i >= len(f) {
		return s, i, false
	}
	s.verb = f[i]
	return s, i, true
}

func (s formatSpec) has(flag byte) bool { return strings.IndexByte(s.flags, flag) >= 0 }

// valid reports whether the flags, width and precision go with the conversion, by the rules of java.util.Formatter.
func (s formatSpec) valid() bool {
	if s.time {
		return (!s.has('-') || s.width > 0) && !strings.ContainsAny(s.flags, "#+ 0,(") && s.precision < 0
	}
	for i := range s.flags {
		if strings.IndexByte(s.flags[i+1:], s.flags[i]) >= 0 {
			return false
		}
	}
	none := func(flags string) bool { return !strings.ContainsAny(s.flags, flags) }
	justified := !s.has('-') || s.width > 0
	numeric := justified && (!s.has('0') || s.width > 0) && !(s.has('+') && s.has(' ')) && !(s.has('-') && s.has('0'))
	switch s.verb {
	case 'b', 'B', 'h', 'H':
		return justified && none("#+ 0,(")
	case 's', 'S':
		return justified && none("#+ 0,(")
	case 'c', 'C':
		return justified && none("#+ 0,(") && s.precision < 0
	case 'd':
		return numeric && none("#") && s.precision < 0
	case 'o', 'x', 'X':
		return numeric && none(",") && s.precision < 0
	case 'e', 'E':
		return numeric && none(",")
	case 'f':
		return numeric
	case 'g', 'G':
		return numeric && none("#")
	case 'a', 'A':
		return numeric && none(",(")
	case '%':
		return justified && none("#+ 0,(") && s.precision < 0
	case 'n':
		return s.flags == "" && s.width == 0 && s.precision < 0
	}
	return false
}

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
	case !s.time && (verb == 's' || verb == 'b' || verb == 'h') || v == nil:
		switch {
		case verb == 'b' && v != nil && kind != 'b':
			text = "true"
		case verb == 'h' && v != nil:
			var ok bool
			if text, ok = javaHash(text, kind); !ok {
				return "", false
			}
		}
		if r := runesOf(text); s.precision >= 0 && s.precision < len(r) {
			text = string(r[:s.precision])
		}
	case s.time || (verb == 'x' || verb == 'o') && strings.ContainsAny(s.flags, "+ ("):
		return "", false // times are not formatted; these flags go with NULL only
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
		if n < 0 || n > utf8.MaxRune {
			return "", false
		}
		text = string(rune(n))
	case (verb == 'f' || verb == 'e' || verb == 'g') && (kind == 'f' || kind == 'g'):
		text = floatText(text, verb, s)
	case verb == 'a' && (kind == 'f' || kind == 'g') && s.precision < 0:
		text = hexFloat(text)
	default:
		return "", false
	}
	if upper {
		text = upperText(text)
	}
	return pad(text, s), true
}

// javaHash is the hash code of a value in Java, in hexadecimal.
func javaHash(text string, kind byte) (string, bool) {
	fold := func(u uint64) uint32 { return uint32(u ^ u>>32) }
	var h uint32
	switch kind {
	case 'b':
		if h = 1237; text == "true" {
			h = 1231
		}
	case 'i':
		n, _ := strconv.ParseInt(text, 10, 64)
		h = uint32(n)
	case 'l':
		n, _ := strconv.ParseInt(text, 10, 64)
		h = fold(uint64(n))
	case 'f':
		f, _ := types.ParseDouble(text)
		h = fold(math.Float64bits(f))
	case 'g':
		f, _ := types.ParseDouble(text)
		h = math.Float32bits(float32(f))
	case 't':
		m := hasher{seed: 42} // of Spark's own kind of text
		m.bytes([]byte(text))
		h = uint32(m.seed)
	default:
		return "", false
	}
	return strconv.FormatUint(uint64(h), 16), true
}

// hexFloat is Double.toHexString.
func hexFloat(text string) string {
	f, _ := types.ParseDouble(text)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return text
	case f == 0:
		return minus(math.Signbit(f)) + "0x0.0p0"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'x', -1, 64), "p")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "p" + strconv.Itoa(n)
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
	if verb == 'g' {
		verb, p = generalFloat(d, s.precision)
	}
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

// generalFloat is how %g shows a number: with precision digits, and an exponent where it is small or large.
func generalFloat(d types.Dec, precision int) (verb byte, digits int) {
	switch precision {
	case -1:
		precision = 6
	case 0:
		precision = 1
	}
	if d.Sign() == 0 {
		return 'f', precision - 1
	}
	exponent := d.Digits() - 1 - d.Scale
	// Rounding to that many digits may make another one.
	r := types.Dec{Unscaled: new(big.Int).Abs(d.Unscaled), Scale: d.Scale}.Rescale(precision - 1 - exponent)
	if r.Digits() > precision {
		exponent++
	}
	if exponent < -4 || exponent >= precision {
		return 'e', precision - 1
	}
	return 'f', precision - 1 - exponent
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
		body = zeroPadded(body, s.width-len(lead)-len(tail))
	}
	return lead + body + tail
}

func zeroFill(text string, s formatSpec) string {
	if s.has('0') {
		return zeroPadded(text, s.width)
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
