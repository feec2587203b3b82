package types

import (
	"math/big"
	"strings"
)

// MaxPrecision is the most digits a DECIMAL can have.
const MaxPrecision = 38

// Pow10 is 10^n for n ≥ 0.
func Pow10(n int) *big.Int {
	if n < 0 {
		n = 0
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// DecOf is the whole number n as a decimal of scale 0.
func DecOf(n int64) Dec { return Dec{Unscaled: big.NewInt(n)} }

// NewDec is unscaled × 10^-scale.
func NewDec(unscaled int64, scale int) Dec { return Dec{Unscaled: big.NewInt(unscaled), Scale: scale} }

// int gives the unscaled value, never nil.
func (d Dec) int() *big.Int {
	if d.Unscaled == nil {
		return new(big.Int)
	}
	return d.Unscaled
}

// Sign is -1, 0 or 1.
func (d Dec) Sign() int { return d.int().Sign() }

// Cmp compares two decimals of any scales by value.
func (d Dec) Cmp(o Dec) int {
	if d.Scale == o.Scale {
		return d.int().Cmp(o.int())
	}
	if d.Scale < o.Scale {
		return new(big.Int).Mul(d.int(), Pow10(o.Scale-d.Scale)).Cmp(o.int())
	}
	return d.int().Cmp(new(big.Int).Mul(o.int(), Pow10(d.Scale-o.Scale)))
}

// Digits is the number of decimal digits of the unscaled value; zero has one.
func (d Dec) Digits() int {
	s := new(big.Int).Abs(d.int()).String()
	return len(s)
}

// Rescale gives the decimal with another scale, rounding half away from zero when digits go.
func (d Dec) Rescale(scale int) Dec {
	switch {
	case scale == d.Scale:
		return Dec{d.int(), scale}
	case scale > d.Scale:
		return Dec{new(big.Int).Mul(d.int(), Pow10(scale-d.Scale)), scale}
	}
	return Dec{RoundQuo(d.int(), Pow10(d.Scale-scale)), scale}
}

// RoundQuo is a / b rounded half away from zero; b is not zero.
func RoundQuo(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	r.Abs(r).Lsh(r, 1)
	if r.CmpAbs(b) >= 0 {
		if a.Sign() < 0 != (b.Sign() < 0) {
			q.Sub(q, big.NewInt(1))
		} else {
			q.Add(q, big.NewInt(1))
		}
	}
	return q
}

// Fit rescales to the type's scale and reports whether the value has no more digits than its precision allows.
func (d Dec) Fit(precision, scale int) (Dec, bool) {
	// A number far beyond the precision need not be multiplied out first.
	if d.Sign() != 0 && d.Digits()-d.Scale > precision-scale+1 {
		return Dec{}, false
	}
	r := d.Rescale(scale)
	return r, r.int().CmpAbs(Pow10(precision)) < 0
}

// Trunc is the whole part, cut toward zero.
func (d Dec) Trunc() *big.Int {
	if d.Scale <= 0 {
		return new(big.Int).Mul(d.int(), Pow10(-d.Scale))
	}
	return new(big.Int).Quo(d.int(), Pow10(d.Scale))
}

// Float is the nearest double.
func (d Dec) Float() float64 {
	f, _ := new(big.Rat).SetFrac(d.int(), Pow10(d.Scale)).Float64()
	return f
}

// String writes all digits of the scale, without an exponent: 1.50, -0.05, 0.00.
func (d Dec) String() string {
	s := new(big.Int).Abs(d.int()).String()
	if d.Scale > 0 {
		if len(s) <= d.Scale {
			s = strings.Repeat("0", d.Scale-len(s)+1) + s
		}
		s = s[:len(s)-d.Scale] + "." + s[len(s)-d.Scale:]
	} else if d.Scale < 0 {
		s += strings.Repeat("0", -d.Scale)
	}
	if d.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// ParseDec reads `[+-]digits[.digits][e[+-]digits]` exactly. Exponents beyond ±100,000 are refused, since their
// digits would not fit in memory.
func ParseDec(s string) (Dec, bool) {
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	exp := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, ok := parseSmallInt(s[i+1:])
		if !ok {
			return Dec{}, false
		}
		exp, s = n, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole + frac
	if digits == "" {
		return Dec{}, false
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return Dec{}, false
		}
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return Dec{}, false
	}
	if neg {
		n.Neg(n)
	}
	scale := len(frac) - exp
	if n.Sign() == 0 {
		return Dec{n, max(scale, 0)}, true
	}
	return Dec{n, scale}, true
}

// parseSmallInt reads a signed number of at most six digits.
func parseSmallInt(s string) (int, bool) {
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	if len(s) > 6 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	if n > 100_000 {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}
