package expr

import (
	"math/bits"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// A bitmap of Spark has 4096 bytes: number n stands at bit (n-1) % 32768 of bitmap 1 + (n-1) / 32768.
const (
	bitmapBytes = 4096
	bitmapBits  = 8 * bitmapBytes
)

// bitmapFunctions count many different numbers in bitmaps.
func bitmapFunctions() []Overload {
	long, binary := types.Of(types.BigInt), types.Of(types.Binary)
	number := func(name, duck string, eval func(int64) int64) Overload {
		return Overload{Name: name, Params: one(LongNumber), Returns: long, Duck: duck, Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return eval(intOf(a[0])), nil
		}}
	}
	collect := func(name, fn string, class Class) Overload {
		o := Overload{Name: name, Kind: Agg, Params: one(class), Returns: binary, Duck: fn + "(coalesce(list(DISTINCT $1)$N$W,[]))"}
		if class == AnyValue {
			o.Prepare = typed(types.Binary, BinaryOnly)
		}
		return o
	}
	return []Overload{
		number("bitmap_bit_position", "CASE WHEN $1>0 THEN ($1-1)%32768 ELSE -($1%32768) END", func(n int64) int64 {
			if n > 0 {
				return (n - 1) % bitmapBits
			}
			return -(n % bitmapBits)
		}),
		number("bitmap_bucket_number", "CASE WHEN $1>0 THEN 1+($1-1)//32768 ELSE $1//32768 END", func(n int64) int64 {
			if n > 0 {
				return 1 + (n-1)/bitmapBits
			}
			return n / bitmapBits
		}),
		{Name: "bitmap_count", Params: one(AnyValue), Prepare: typed(types.Binary, BinaryOnly), Returns: long, Duck: "tarn_bitmap_count($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return bitsOf(textOf(a[0])), nil
		}},
		collect("bitmap_construct_agg", "tarn_bitmap", LongNumber),
		collect("bitmap_or_agg", "tarn_bitmap_or", AnyValue),
		collect("bitmap_and_agg", "tarn_bitmap_and", AnyValue),
	}
}

func bitsOf(s string) int64 {
	n := 0
	for i := range len(s) {
		n += bits.OnesCount8(s[i])
	}
	return int64(n)
}

func bitmapGoFunctions() []GoFunction {
	long, binary := types.Of(types.BigInt), types.Of(types.Binary)
	merge := func(name string, start byte, join func(a, b byte) byte) GoFunction {
		return GoFunction{name, []types.Type{types.ArrayOf(binary)}, binary, func(a []types.Value) (types.Value, error) {
			out := []byte(strings.Repeat(string([]byte{start}), bitmapBytes))
			for _, v := range listOf(a[0]) {
				more := textOf(v)
				for i := range out {
					b := byte(0)
					if i < len(more) {
						b = more[i]
					}
					out[i] = join(out[i], b)
				}
			}
			return types.Bytes(out), nil
		}}
	}
	return []GoFunction{
		{"tarn_bitmap_count", []types.Type{binary}, long, func(a []types.Value) (types.Value, error) { return bitsOf(textOf(a[0])), nil }},
		{"tarn_bitmap", []types.Type{types.ArrayOf(long)}, binary, func(a []types.Value) (types.Value, error) {
			out := make([]byte, bitmapBytes)
			for _, v := range listOf(a[0]) {
				n := intOf(v)
				if n < 0 || n >= bitmapBits {
					return nil, sqlerr.BitmapPosition(itoa(int(n)))
				}
				out[n/8] |= 1 << (n % 8)
			}
			return types.Bytes(out), nil
		}},
		merge("tarn_bitmap_or", 0, func(a, b byte) byte { return a | b }),
		merge("tarn_bitmap_and", 0xff, func(a, b byte) byte { return a & b }),
	}
}
