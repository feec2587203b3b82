package expr

import (
	"math/big"
	"math/bits"

	"github.com/tarnlake/tarn/internal/types"
)

// Int128 is an integer of 128 bits in two's complement: the digits of a DECIMAL as an engine keeps them.
type Int128 struct {
	Hi int64
	Lo uint64
}

// magnitude is the absolute value as two words.
func (x Int128) magnitude() (hi, lo uint64) {
	if x.Hi >= 0 {
		return uint64(x.Hi), x.Lo
	}
	lo, carry := bits.Add64(^x.Lo, 1, 0)
	return ^uint64(x.Hi) + carry, lo
}

func (x Int128) dec(scale int) types.Dec {
	v := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return types.Dec{Unscaled: v.Add(v, new(big.Int).SetUint64(x.Lo)), Scale: scale}
}

// int128Of is a whole number of at most 38 digits.
func int128Of(v *big.Int) Int128 {
	low := new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0)))
	return Int128{Hi: new(big.Int).Rsh(v, 64).Int64(), Lo: low.Uint64()}
}

// withSign gives a magnitude below 10^38 its sign.
func withSign(hi, lo uint64, negative bool) Int128 {
	if negative {
		var carry uint64
		lo, carry = bits.Add64(^lo, 1, 0)
		hi = ^hi + carry
	}
	return Int128{Hi: int64(hi), Lo: lo}
}

// powers128 are the powers of ten that 128 bits hold.
var powers128 = func() (out [types.MaxPrecision + 1][2]uint64) {
	hi, lo := uint64(0), uint64(1)
	for i := range out {
		out[i] = [2]uint64{hi, lo}
		over, next := bits.Mul64(lo, 10)
		hi, lo = hi*10+over, next
	}
	return out
}()

// wordPower is the greatest power of ten that one word holds.
const wordPower = 19

// fits reports whether a magnitude has at most so many digits.
func fits(hi, lo uint64, digits int) bool {
	limit := powers128[digits]
	return hi < limit[0] || hi == limit[0] && lo < limit[1]
}

// DecimalOp and TryDecimalOp are functions of the engine's: (op, x, y, precision, scale) gives what DecimalDigits does, and
// TryDecimalOp NULL for an error. x and y are decimals of any types, or whole numbers.
const (
	DecimalOp    = "tarn_decimal_op"
	TryDecimalOp = "tarn_try_decimal_op"
)

// DecimalDigits computes op, one of those of decimals, on two numbers given by their digits and scales. The result are
// the digits of a DECIMAL(precision, scale); errors are Spark's. Quotients and products that two words hold take no
// memory.
func DecimalDigits(op string, x Int128, xScale int, y Int128, yScale, precision, scale int) (Int128, error) {
	switch op {
	case "/":
		if r, ok := quotient128(x, y, scale-xScale+yScale, precision); ok {
			return r, nil
		}
	case "*":
		if r, ok := product128(x, y, precision); ok && scale == xScale+yScale {
			return r, nil
		}
	}
	r, err := decimalOp(op, x.dec(xScale), y.dec(yScale), precision, scale)
	if err != nil {
		return Int128{}, err
	}
	return int128Of(r.Unscaled), nil
}

// quotient128 is x*10^shift / y, rounded half away from zero. It answers where one word holds x and y, and two the rest.
func quotient128(x, y Int128, shift, precision int) (Int128, bool) {
	xHi, n := x.magnitude()
	yHi, d := y.magnitude()
	if xHi != 0 || yHi != 0 || d == 0 || shift < 0 {
		return Int128{}, false
	}
	for ; shift > wordPower; shift-- {
		over, next := bits.Mul64(n, 10)
		if over != 0 {
			return Int128{}, false
		}
		n = next
	}
	hi, lo := bits.Mul64(n, powers128[shift][1])
	qHi := hi / d
	qLo, rest := bits.Div64(hi%d, lo, d)
	if rest >= d-rest {
		var carry uint64
		qLo, carry = bits.Add64(qLo, 1, 0)
		qHi += carry
	}
	if !fits(qHi, qLo, precision) {
		return Int128{}, false
	}
	return withSign(qHi, qLo, x.Hi < 0 != (y.Hi < 0)), true
}

// product128 is x*y where one word holds each.
func product128(x, y Int128, precision int) (Int128, bool) {
	xHi, a := x.magnitude()
	yHi, b := y.magnitude()
	hi, lo := bits.Mul64(a, b)
	if xHi != 0 || yHi != 0 || !fits(hi, lo, precision) {
		return Int128{}, false
	}
	return withSign(hi, lo, x.Hi < 0 != (y.Hi < 0)), true
}
