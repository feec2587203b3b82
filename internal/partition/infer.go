package partition

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/types"
)

// InferOptions says how types are inferred from directory names.
type InferOptions struct {
	// Disabled makes every column STRING (spark.sql.sources.partitionColumnTypeInference.enabled=false).
	Disabled bool
	// NTZ makes timestamps TIMESTAMP_NTZ (spark.sql.timestampType).
	NTZ bool
}

// Infer is the type of a column whose directories carry these texts, raw as on storage. A column of NULLs alone is STRING. Of a
// STRING column the raw text (unescaped) is the value, whatever the other types that met were.
func Infer(raw []string, opts InferOptions) types.Type {
	all := types.Type{}
	for _, text := range raw {
		if all = Widen(all, InferOne(text, opts)); all.Kind == types.String {
			break
		}
	}
	return Settle(all)
}

// Settle is the type of a column once all its texts are seen: VOID becomes STRING.
func Settle(t types.Type) types.Type {
	if t.Kind == types.Void {
		return types.Of(types.String)
	}
	return t
}

// InferOne is the type that one raw text alone suggests, VOID for DefaultPartition. The first that fits counts: INT, BIGINT,
// integral DECIMAL, DOUBLE, TIMESTAMP, DATE, STRING. Only timestamps are unescaped first, as in Spark. Unlike Java's numbers,
// 5d and 1f are text: names like these are shorthands of people.
func InferOne(raw string, opts InferOptions) types.Type {
	switch {
	case raw == DefaultPartition:
		return types.Type{}
	case opts.Disabled:
		return types.Of(types.String)
	case raw == "":
		return types.Of(types.String)
	}
	if t, ok := inferNumber(raw); ok {
		return t
	}
	if isTimestamp(Unescape(raw)) {
		if opts.NTZ {
			return types.Of(types.TimestampNTZ)
		}
		return types.Of(types.Timestamp)
	}
	if isDate(raw) {
		return types.Of(types.Date)
	}
	return types.Of(types.String)
}

// number is a decimal number taken apart: [sign] whole [. fraction] [e exponent].
type number struct {
	negative        bool
	whole, fraction string
	exponent        string // with its sign; "" for none
	point           bool
}

func splitNumber(s string) (n number, ok bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		n.negative = s[0] == '-'
		s = s[1:]
	}
	n.whole, s = digits(s)
	if s != "" && s[0] == '.' {
		n.point = true
		n.fraction, s = digits(s[1:])
	}
	if n.whole == "" && n.fraction == "" {
		return n, false
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		e := s[1:]
		rest := strings.TrimLeft(e, "+-")
		if len(e)-len(rest) > 1 {
			return n, false
		}
		d, left := digits(rest)
		if d == "" {
			return n, false
		}
		n.exponent, s = e[:len(e)-len(rest)]+d, left
	}
	return n, s == ""
}

func digits(s string) (head, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// inferNumber tries the numeric types.
func inferNumber(raw string) (types.Type, bool) {
	// Only DOUBLE takes blanks around the number.
	text := strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	switch strings.TrimLeft(text, "+-") {
	case "NaN", "Infinity":
		if len(text)-len(strings.TrimLeft(text, "+-")) <= 1 {
			return types.Of(types.Double), true
		}
	}
	n, ok := splitNumber(text)
	if !ok {
		return types.Type{}, false
	}
	if text != raw {
		return types.Of(types.Double), true
	}
	if !n.point && n.exponent == "" {
		if v, ok := new(big.Int).SetString(n.whole, 10); ok && v.BitLen() <= 64 {
			if n.negative {
				v.Neg(v)
			}
			switch {
			case v.IsInt64() && v.Int64() >= math.MinInt32 && v.Int64() <= math.MaxInt32:
				return types.Of(types.Int), true
			case v.IsInt64():
				return types.Of(types.BigInt), true
			}
		}
	}
	if p, ok := integralPrecision(n); ok {
		return types.DecimalOf(p, 0), true
	}
	return types.Of(types.Double), true
}

// integralPrecision is the number of digits of a DECIMAL without a fraction (a scale of at most 0 once the exponent is
// counted), when it is at most 38.
func integralPrecision(n number) (int, bool) {
	exponent := 0
	if n.exponent != "" {
		sign, d := 1, strings.TrimLeft(n.exponent, "+-")
		if n.exponent[0] == '-' {
			sign = -1
		}
		d = strings.TrimLeft(d, "0")
		if len(d) > 3 {
			return 0, false // beyond 38 digits, or a fraction, whatever the rest
		}
		for _, c := range d {
			exponent = exponent*10 + int(c-'0')
		}
		exponent *= sign
	}
	if scale := len(n.fraction) - exponent; scale > 0 {
		return 0, false
	} else {
		significant := strings.TrimLeft(n.whole+n.fraction, "0")
		p := max(len(significant), 1) - scale
		return p, p <= 38
	}
}

// isTimestamp reports whether text is a timestamp as Spark writes it in directories: yyyy-MM-dd HH:mm:ss with at most one
// digit of fraction. (Spark's writer gives up to six; its reader takes one, and longer ones are text.)
func isTimestamp(text string) bool {
	date, clock, ok := cutAt(text, ' ')
	if !ok || !isDate(date) {
		return false
	}
	if len(clock) == 10 && clock[8] == '.' && clock[9] >= '0' && clock[9] <= '9' {
		clock = clock[:8]
	}
	if len(clock) != 8 || clock[2] != ':' || clock[5] != ':' {
		return false
	}
	h, m, s := twoDigits(clock[0:2]), twoDigits(clock[3:5]), twoDigits(clock[6:8])
	return h >= 0 && h < 24 && m >= 0 && m < 60 && s >= 0 && s < 60
}

func cutAt(s string, c byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, c)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func twoDigits(s string) int {
	if len(s) != 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

// isDate reports whether text is a day of the calendar written yyyy-MM-dd; a year of more than four digits needs a '+'.
func isDate(text string) bool {
	year := text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		year = text[1:]
	}
	y, rest := digits(year)
	if len(rest) != 6 || rest[0] != '-' || rest[3] != '-' || !utf8.ValidString(text) {
		return false
	}
	switch {
	case len(y) < 4 || len(y) > 6:
		return false
	case len(y) > 4 && text[0] != '+' || len(y) == 4 && text[0] == '+':
		return false
	}
	if twoDigits(rest[1:3]) < 0 || twoDigits(rest[4:6]) < 0 {
		return false
	}
	_, ok := types.ParseDate(text)
	return ok
}

// Widen is the type of a column of which some directories suggest a and others b, both as InferOne gives them: the wider one
// where no value changes its meaning, else STRING.
func Widen(a, b types.Type) types.Type {
	switch {
	case a.Kind == types.Void:
		return b
	case b.Kind == types.Void || types.Equal(a, b):
		return a
	}
	if a.Kind > b.Kind {
		a, b = b, a // Int < BigInt < Double < Decimal < Date < Timestamp
	}
	switch {
	case a.Kind == types.Int && (b.Kind == types.BigInt || b.Kind == types.Double):
		return b
	case a.Kind == types.Int && b.Kind == types.Decimal:
		return types.DecimalOf(max(b.Precision, 10), 0)
	case a.Kind == types.BigInt && b.Kind == types.Decimal:
		return types.DecimalOf(max(b.Precision, 20), 0)
	case a.Kind == types.Decimal && b.Kind == types.Decimal:
		return types.DecimalOf(max(a.Precision, b.Precision), 0)
	case a.Kind == types.Date && (b.Kind == types.Timestamp || b.Kind == types.TimestampNTZ):
		return b
	}
	return types.Of(types.String)
}
