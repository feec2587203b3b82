package text

import (
	"math"
	"math/big"
	"strconv"

	"github.com/tarnlake/tarn/internal/types"
)

// ParseInt reads [+-]digits, nothing else, as Java's Long.parseLong does; lo and hi bound the value.
func ParseInt(b []byte, lo, hi int64) (n int64, ok bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	var u uint64
	for _, c := range b {
		d := c - '0'
		if d > 9 || u > (math.MaxUint64-9)/10 {
			return 0, false
		}
		u = u*10 + uint64(d)
	}
	switch {
	case !neg && u <= math.MaxInt64:
		n = int64(u)
	case neg && u <= 1<<63:
		n = -int64(u)
	default:
		return 0, false
	}
	return n, n >= lo && n <= hi
}

// IntRange is the range of an integer type.
func IntRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.TinyInt:
		return math.MinInt8, math.MaxInt8
	case types.SmallInt:
		return math.MinInt16, math.MaxInt16
	case types.Int:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// ParseFloat reads a number as Java's Double.parseDouble does: blanks around it, NaN and Infinity so spelled, a
// suffix d or f, hexadecimal with an exponent. bits is 32 or 64.
func ParseFloat(b []byte, bits int) (float64, bool) {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	digits := b
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	if c := digits[0]; c == 'N' || c == 'I' {
		switch {
		case string(digits) == "NaN":
			return math.NaN(), true
		case string(digits) == "Infinity" && b[0] == '-':
			return math.Inf(-1), true
		case string(digits) == "Infinity":
			return math.Inf(1), true
		}
		return 0, false
	}
	hex := len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x'
	for _, c := range digits {
		switch {
		case c == '_', c|0x20 == 'n', c|0x20 == 'i' && !hex:
			return 0, false
		}
	}
	if last := b[len(b)-1] | 0x20; (last == 'd' || last == 'f') && len(digits) > 1 && (!hex || hasExponent(digits)) {
		b = b[:len(b)-1]
	}
	f, err := strconv.ParseFloat(view(b), bits)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

func hasExponent(b []byte) bool {
	for _, c := range b {
		if c|0x20 == 'p' {
			return true
		}
	}
	return false
}

// ParseDecimal reads a number as Java's BigDecimal does, rounded half up to t's scale; ok is false for text that is no
// number and for one that needs more than t's precision. The unscaled value is small when t.Precision ≤ 18, else big.
func ParseDecimal(b []byte, t types.Type) (small int64, large *big.Int, ok bool) {
	var scratch [40]byte
	d, ok := scanDecimal(b, scratch[:0])
	if !ok {
		return 0, nil, false
	}
	shift := t.Scale - d.scale // digits to append; cut when negative
	if n := len(d.digits); n == 0 || n+shift < 0 {
		return 0, new(big.Int), true
	} else if n+shift > t.Precision+1 {
		return 0, nil, false
	}
	digits, up := d.digits, false
	if shift < 0 {
		up = digits[len(digits)+shift] >= '5'
		digits = digits[:len(digits)+shift]
		shift = 0
	}
	if len(digits)+shift <= 18 {
		for _, c := range digits {
			small = small*10 + int64(c-'0')
		}
		for ; shift > 0; shift-- {
			small *= 10
		}
		if up {
			small++
		}
		if t.Precision <= 18 && small >= pow10[t.Precision] {
			return 0, nil, false
		}
		if d.neg {
			small = -small
		}
		if t.Precision > 18 {
			large = big.NewInt(small)
		}
		return small, large, true
	}
	large = new(big.Int)
	if _, ok := large.SetString(string(digits), 10); !ok {
		return 0, nil, false
	}
	ten := big.NewInt(10)
	large.Mul(large, new(big.Int).Exp(ten, big.NewInt(int64(shift)), nil))
	if up {
		large.Add(large, big.NewInt(1))
	}
	if large.Cmp(new(big.Int).Exp(ten, big.NewInt(int64(t.Precision)), nil)) >= 0 {
		return 0, nil, false
	}
	if d.neg {
		large.Neg(large)
	}
	return large.Int64(), large, true
}

var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// decimal is a scanned number: its digits without leading zeros, and how many of them are behind the point.
type decimal struct {
	digits []byte
	scale  int
	neg    bool
}

// DecimalShape returns the precision and scale that Java's BigDecimal gives a number; ok is false when b is none.
func DecimalShape(b []byte) (precision, scale int, ok bool) {
	d, ok := scanDecimal(b, nil)
	return max(len(d.digits), 1), d.scale, ok
}

// maxExponent keeps scales within an int; no DECIMAL comes near.
const maxExponent = 1 << 20

// scanDecimal scans b; scratch takes the digits of a number with a point.
func scanDecimal(b, scratch []byte) (decimal, bool) {
	var d decimal
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		d.neg = b[0] == '-'
		b = b[1:]
	}
	i, point := 0, -1
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c < '0' || c > '9' {
			break
		}
	}
	mantissa := b[:i]
	if len(mantissa) == 0 || point == 0 && len(mantissa) == 1 {
		return d, false
	}
	if point >= 0 {
		d.scale = len(mantissa) - point - 1
		scratch = append(append(scratch, mantissa[:point]...), mantissa[point+1:]...)
		mantissa = scratch
	}
	for len(mantissa) > 0 && mantissa[0] == '0' {
		mantissa = mantissa[1:]
	}
	d.digits = mantissa
	if i == len(b) {
		return d, true
	}
	if b[i]|0x20 != 'e' {
		return d, false
	}
	exp, ok := ParseInt(b[i+1:], -maxExponent, maxExponent)
	d.scale -= int(exp)
	return d, ok
}
