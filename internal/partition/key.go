package partition

import (
	"math"
	"math/big"

	"github.com/tarnlake/tarn/internal/types"
)

// form is how the values of a column are held: as integers or as byte strings. Either way the natural order of the held keys is
// the order of types.Compare, and two values are one partition value exactly when their keys are equal. So sorting,
// searching, merging and zone maps never look at types.
type form uint8

const (
	numForm form = iota
	textForm
)

// wideDecimal is the precision above which an unscaled DECIMAL does not fit an int64.
const wideDecimal = 18

func formOf(t types.Type) form {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Date,
		types.Timestamp, types.TimestampNTZ, types.Time, types.YearMonthInterval, types.DayTimeInterval:
		return numForm
	case types.Decimal:
		if t.Precision <= wideDecimal {
			return numForm
		}
	}
	return textForm
}

// key is one held value; which member counts follows from the column's form.
type key struct {
	num  int64
	text string
}

// keyOf is the key of a canonical value that is not NULL. A value of a wrong Go type gives the zero key.
func keyOf(t types.Type, v types.Value) key {
	switch x := v.(type) {
	case bool:
		if x {
			return key{num: 1}
		}
	case int64:
		return key{num: x}
	case float64:
		return key{num: orderFloat(x)}
	case types.Dec:
		return decimalKey(t, x)
	case string:
		if t.Kind == types.Char {
			return key{text: trimBlanks(x)}
		}
		return key{text: x}
	case types.Bytes:
		return key{text: string(x)}
	}
	return key{}
}

// value is the canonical value of a key.
func (k key) value(t types.Type) types.Value {
	switch t.Kind {
	case types.Boolean:
		return k.num != 0
	case types.Float, types.Double:
		return unorderFloat(k.num)
	case types.Decimal:
		if t.Precision <= wideDecimal {
			return types.Dec{Unscaled: big.NewInt(k.num), Scale: t.Scale}
		}
		return types.Dec{Unscaled: wideUnscaled(k.text), Scale: t.Scale}
	case types.Binary:
		return types.Bytes(k.text)
	case types.Char:
		return padTo(k.text, t.Precision)
	}
	if formOf(t) == numForm {
		return k.num
	}
	return k.text
}

// orderFloat maps doubles to integers of the same order: -0.0 as 0.0, every NaN as one that is greatest.
func orderFloat(f float64) int64 {
	switch {
	case math.IsNaN(f):
		f = math.NaN()
	case f == 0:
		f = 0 // not -0.0
	}
	n := int64(math.Float64bits(f))
	if n < 0 {
		n ^= math.MaxInt64
	}
	return n
}

func unorderFloat(n int64) float64 {
	if n < 0 {
		n ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(n))
}

func decimalKey(t types.Type, d types.Dec) key {
	u := rescaled(d, t.Scale)
	if t.Precision <= wideDecimal {
		if !u.IsInt64() {
			return key{}
		}
		return key{num: u.Int64()}
	}
	// 38 digits need 127 bits: two's complement in 16 bytes, biased so that bytes order as numbers.
	biased := new(big.Int).Add(u, wideBias())
	if biased.Sign() < 0 || biased.BitLen() > 128 {
		return key{text: string(make([]byte, 16))}
	}
	return key{text: string(biased.FillBytes(make([]byte, 16)))}
}

func wideBias() *big.Int { return new(big.Int).Lsh(big.NewInt(1), 127) }

func wideUnscaled(text string) *big.Int {
	return new(big.Int).Sub(new(big.Int).SetBytes([]byte(text)), wideBias())
}

// rescaled is d's unscaled value at another scale; digits that do not fit are cut, which canonical values never need.
func rescaled(d types.Dec, scale int) *big.Int {
	switch {
	case d.Unscaled == nil:
		return new(big.Int)
	case d.Scale == scale:
		return d.Unscaled
	case d.Scale < scale:
		return new(big.Int).Mul(d.Unscaled, types.Pow10(scale-d.Scale))
	}
	return new(big.Int).Quo(d.Unscaled, types.Pow10(d.Scale-scale))
}

// bytes is the key in bytes whose order is the key's, for zone maps: eight big-endian bytes with the sign flipped, or
// the text.
func (k key) bytes(f form) []byte {
	if f == textForm {
		return []byte(k.text)
	}
	var b [8]byte
	for i, u := 7, uint64(k.num)^(1<<63); i >= 0; i, u = i-1, u>>8 {
		b[i] = byte(u)
	}
	return b[:]
}
