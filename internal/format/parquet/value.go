package parquet

import (
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/tarnlake/tarn/internal/types"
)

// sparkValue is value i of a page as a value of the leaf's SQL type.
func (n *node) sparkValue(v *values, i int) (types.Value, error) {
	t, r := n.primitive()
	if r != nil {
		return nil, errors.New("a type without an SQL equal")
	}
	switch n.physical {
	case physBoolean:
		return v.ints[i] != 0, nil
	case physFloat, physDouble:
		return v.floats[i], nil
	case physInt96:
		return int96(v.bytes[i]), nil
	case physByteArray, physFixed:
		switch t.Kind {
		case types.Decimal:
			return types.Dec{Unscaled: twosComplement(v.bytes[i]), Scale: t.Scale}, nil
		case types.String:
			return types.ReplaceInvalid(string(v.bytes[i])), nil
		}
		return types.Bytes(v.bytes[i]), nil
	}
	x := v.ints[i]
	switch {
	case t.Kind == types.Decimal && n.integer(64, false):
		return types.Dec{Unscaled: new(big.Int).SetUint64(uint64(x))}, nil
	case t.Kind == types.Decimal:
		return types.NewDec(x, t.Scale), nil
	case n.integer(8, false):
		x = int64(uint8(x))
	case n.integer(16, false):
		x = int64(uint16(x))
	case n.integer(32, false):
		x = int64(uint32(x))
	case n.integer(8, true):
		x = int64(int8(x))
	case n.integer(16, true):
		x = int64(int16(x))
	case (t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ) && n.millis():
		if x > maxMillis || x < -maxMillis {
			return nil, errTime
		}
		x *= 1000
	}
	return x, nil
}

const maxMillis = 1<<63/1000 - 1

var errTime = errors.New("a timestamp is beyond the years that SQL has")

// millis reports whether a timestamp counts milliseconds.
func (e *element) millis() bool {
	return e.logical == logTimestamp && e.unit == unitMillis || e.logical == logNone && e.converted == convTimestampMillis
}

// int96 turns nanoseconds of the day and a Julian day into microseconds since 1970. It wraps around beyond 64 bits, as
// Spark does both when it writes and when it reads: far years come back that way.
func int96(b []byte) types.Value {
	nanos := int64(binary.LittleEndian.Uint64(b))
	return julianDays(b)*types.MicrosPerDay + types.FloorDiv(nanos, 1000)
}

// julianDays is the day of an INT96, since 1970.
func julianDays(b []byte) int64 {
	const epoch = 2440588
	return int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epoch
}

// twosComplement is a big-endian signed number.
func twosComplement(b []byte) *big.Int {
	out := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		out.Sub(out, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return out
}

var errNarrow = errors.New("a value does not fit the table's type")

// convert turns a value of the file's type into one of the table's; readable has said that the types go together.
func convert(v types.Value, got, want types.Type) (types.Value, error) {
	if got.Kind == want.Kind && got.Kind != types.Decimal {
		return v, nil
	}
	switch x := v.(type) {
	case int64:
		switch {
		case want.Kind.IsIntegral():
			out, ok := fit(x, want.Kind)
			if !ok {
				return nil, errNarrow
			}
			return out, nil
		case want.Kind == types.Double:
			return float64(x), nil
		case want.Kind == types.Decimal:
			return types.NewDec(x, 0).Rescale(want.Scale), nil
		case got.Kind == types.Date:
			return x * types.MicrosPerDay, nil
		}
	case types.Dec:
		if d, ok := x.Fit(want.Precision, want.Scale); ok {
			return d, nil
		}
		return nil, errNarrow
	case string:
		if want.Kind == types.Binary {
			return types.Bytes(x), nil
		}
	case types.Bytes:
		if want.Kind.IsText() {
			return types.ReplaceInvalid(string(x)), nil
		}
	}
	return v, nil
}

func fit(x int64, k types.Kind) (int64, bool) {
	bits := map[types.Kind]int{types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64}[k]
	shift := 64 - bits
	return x, x<<shift>>shift == x
}
