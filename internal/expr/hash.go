package expr

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// hashSeed is the seed of hash and xxhash64; each argument's hash seeds the next.
const hashSeed = 42

// hashFunctions are Spark's hash (Murmur3, 32 bits) and xxhash64.
func hashFunctions() []Overload {
	row := func(name string, t types.Type, wide bool) Overload {
		return Overload{
			Name: name, Params: one(AnyValue), Variadic: true, Prepare: hashable, Returns: t, NullAware: true,
			DuckFunc: hashSQL("tarn_" + name),
			Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
				h := hasher{wide: wide, seed: hashSeed}
				for i, v := range a {
					h.value(v, ts[i])
				}
				return h.result(), nil
			},
		}
	}
	return []Overload{row("hash", types.Of(types.Int), false), row("xxhash64", types.Of(types.BigInt), true)}
}

func hashable(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return nil, sqlerr.WrongNumArgs(call.name, "> 0", 0)
	}
	for _, a := range call.args {
		if a.Type().HasMap() {
			return nil, sqlerr.HashOfMap(call.sql(), call.name)
		}
	}
	return call.args, nil
}

// hasher folds values into the seed. NULLs and empty collections leave it as it is.
type hasher struct {
	wide bool
	seed uint64
}

func (h *hasher) result() types.Value {
	if h.wide {
		return int64(h.seed)
	}
	return int64(int32(h.seed))
}

func (h *hasher) value(v types.Value, t types.Type) {
	if v == nil {
		return
	}
	switch k := t.Kind; k {
	case types.Boolean:
		n := int64(0)
		if v == true {
			n = 1
		}
		h.word(n)
	case types.TinyInt, types.SmallInt, types.Int, types.Date, types.YearMonthInterval:
		h.word(intOf(v))
	case types.BigInt, types.Timestamp, types.TimestampNTZ, types.DayTimeInterval:
		h.long(intOf(v))
	case types.CalendarInterval:
		iv := intervalOf(v)
		h.long(iv.Micros)
		h.word(int64(iv.Days))
		h.word(int64(iv.Months))
	case types.Time: // Spark keeps nanoseconds
		h.long(intOf(v) * 1000)
	case types.Float:
		f := float32(floatOf(v)) + 0
		if f != f {
			h.word(0x7fc00000)
			return
		}
		h.word(int64(int32(math.Float32bits(f))))
	case types.Double:
		f := floatOf(v) + 0
		if f != f {
			h.long(0x7ff8000000000000)
			return
		}
		h.long(int64(math.Float64bits(f)))
	case types.Decimal:
		d := decOf(v).Rescale(t.Scale)
		if t.Precision <= 18 {
			h.long(d.Unscaled.Int64())
			return
		}
		h.bytes(twosComplement(d))
	case types.Array:
		for _, e := range listOf(v) {
			h.value(e, *t.Elem)
		}
	case types.Struct:
		for i, e := range listOf(v) {
			if i < len(t.Fields) {
				h.value(e, t.Fields[i].Type)
			}
		}
	default:
		h.bytes([]byte(textOf(v)))
	}
}

// twosComplement is BigInteger.toByteArray: big-endian, as short as the sign allows.
func twosComplement(d types.Dec) []byte {
	n := d.Unscaled
	if n.Sign() >= 0 {
		b := n.Bytes()
		if len(b) == 0 || b[0] >= 0x80 {
			b = append([]byte{0}, b...)
		}
		return b
	}
	// -n = ^(n-1): the bytes of |n|-1, inverted.
	b := new(big.Int).Not(n).Bytes()
	for i := range b {
		b[i] = ^b[i]
	}
	if len(b) == 0 || b[0] < 0x80 {
		b = append([]byte{0xff}, b...)
	}
	return b
}

func (h *hasher) word(n int64) {
	if h.wide {
		h.seed = xxWord(uint32(n), h.seed)
		return
	}
	h.seed = uint64(murmurEnd(murmurMix(uint32(h.seed), uint32(n)), 4))
}

func (h *hasher) long(n int64) {
	if h.wide {
		h.seed = xxLong(uint64(n), h.seed)
		return
	}
	h.seed = uint64(murmurEnd(murmurMix(murmurMix(uint32(h.seed), uint32(n)), uint32(uint64(n)>>32)), 8))
}

func (h *hasher) bytes(b []byte) {
	if h.wide {
		h.seed = xxBytes(b, h.seed)
		return
	}
	s := uint32(h.seed)
	i := 0
	for ; i+4 <= len(b); i += 4 {
		s = murmurMix(s, binary.LittleEndian.Uint32(b[i:]))
	}
	// Spark mixes each byte that is left as a signed word of its own, unlike Murmur3's own tail.
	for ; i < len(b); i++ {
		s = murmurMix(s, uint32(int32(int8(b[i]))))
	}
	h.seed = uint64(murmurEnd(s, uint32(len(b))))
}

// jvmNumberSQL is a value that Spark keeps as a whole number, x, as BIGINT; width is 32 or 64 bits, 0 for a type of other values.
func jvmNumberSQL(x string, t types.Type) (number string, width int) {
	switch t.Kind {
	case types.TinyInt, types.SmallInt, types.Int, types.YearMonthInterval:
		return "CAST(" + x + " AS BIGINT)", 32
	case types.Date:
		return "CAST(" + x + " - DATE '1970-01-01' AS BIGINT)", 32
	case types.BigInt, types.DayTimeInterval:
		return "CAST(" + x + " AS BIGINT)", 64
	case types.Timestamp, types.TimestampNTZ:
		return "epoch_us(" + x + ")", 64
	}
	return "", 0
}

func murmurMix(h, k uint32) uint32 {
	k = bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h, n uint32) uint32 {
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// The primes of XXH64.
const (
	xx1 uint64 = 0x9E3779B185EBCA87
	xx2 uint64 = 0xC2B2AE3D27D4EB4F
	xx3 uint64 = 0x165667B19E3779F9
	xx4 uint64 = 0x85EBCA77C2B2AE63
	xx5 uint64 = 0x27D4EB2F165667C5
)

func xxEnd(h uint64) uint64 {
	h = (h ^ h>>33) * xx2
	h = (h ^ h>>29) * xx3
	return h ^ h>>32
}

func xxWord(n uint32, seed uint64) uint64 {
	h := seed + xx5 + 4
	h ^= uint64(n) * xx1
	return xxEnd(bits.RotateLeft64(h, 23)*xx2 + xx3)
}

func xxLong(n, seed uint64) uint64 {
	h := seed + xx5 + 8
	h ^= bits.RotateLeft64(n*xx2, 31) * xx1
	return xxEnd(bits.RotateLeft64(h, 27)*xx1 + xx4)
}

func xxBytes(b []byte, seed uint64) uint64 {
	n := uint64(len(b))
	var h uint64
	if len(b) >= 32 {
		v := [4]uint64{seed, seed, seed, seed}
		v[0] += xx1
		v[0] += xx2
		v[1] += xx2
		v[3] -= xx1
		for len(b) >= 32 {
			for i := range v {
				v[i] = bits.RotateLeft64(v[i]+binary.LittleEndian.Uint64(b[8*i:])*xx2, 31) * xx1
			}
			b = b[32:]
		}
		h = bits.RotateLeft64(v[0], 1) + bits.RotateLeft64(v[1], 7) + bits.RotateLeft64(v[2], 12) + bits.RotateLeft64(v[3], 18)
		for _, x := range v {
			h = (h^bits.RotateLeft64(x*xx2, 31)*xx1)*xx1 + xx4
		}
	} else {
		h = seed + xx5
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^bits.RotateLeft64(binary.LittleEndian.Uint64(b)*xx2, 31)*xx1, 27)*xx1 + xx4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*xx1, 23)*xx2 + xx3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*xx5, 11) * xx1
	}
	return xxEnd(h)
}

// hashSQL hands the leaves of all arguments over as text, with a letter for the kind of each: the hashing is Go's.
func hashSQL(fn string) func([]string, []types.Type, types.Type) string {
	return func(args []string, ts []types.Type, _ types.Type) string {
		lists := make([]string, len(args))
		for i := range args {
			lists[i] = hashLeaves(wrapArg(args, i), ts[i], 0)
		}
		return fn + "(flatten([" + strings.Join(lists, ",") + "]))"
	}
}

// hashLeaves is the list of the leaves of a, in their order. The leaf of a NULL is NULL, and a NULL list has none.
func hashLeaves(a string, t types.Type, depth int) string {
	none := "CAST([] AS VARCHAR[])"
	switch t.Kind {
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = hashLeaves("struct_extract("+a+", "+DuckString(DuckFieldName(t, i))+")", f.Type, depth)
		}
		if len(parts) == 0 {
			return none
		}
		return "flatten([" + strings.Join(parts, ",") + "])"
	case types.Array:
		v := "h" + itoa(depth) + "_"
		if t.Elem.Kind.IsNested() || t.Elem.Kind == types.CalendarInterval {
			return "flatten(coalesce(list_transform(" + a + ", lambda " + v + ": " + hashLeaves(v, *t.Elem, depth+1) + "),CAST([] AS VARCHAR[][])))"
		}
		return "coalesce(list_transform(" + a + ", lambda " + v + ": " + hashLeaf(v, *t.Elem) + ")," + none + ")"
	case types.CalendarInterval:
		field := func(kind, name string) string {
			return "'" + kind + "'||CAST(tarn_calendar_field(" + a + ",'" + name + "') AS VARCHAR)"
		}
		return "[" + field("l", "micros") + "," + field("i", "days") + "," + field("i", "months") + "]"
	}
	return "[" + hashLeaf(a, t) + "]"
}

func hashLeaf(a string, t types.Type) string {
	return "'" + string(leafKind(t)) + "'||" + leafText(a, t)
}

// leafKind is the letter of a type for hashing: i word, l long, f float, d double, s bytes as hexadecimal, 1 decimal of
// more than 18 digits.
func leafKind(t types.Type) byte {
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.Date, types.YearMonthInterval, types.Void:
		return 'i'
	case types.BigInt, types.Timestamp, types.TimestampNTZ, types.DayTimeInterval, types.Time:
		return 'l'
	case types.Float:
		return 'f'
	case types.Double:
		return 'd'
	case types.Decimal:
		if t.Precision <= 18 {
			return 'l'
		}
		return '1'
	}
	return 's'
}

func leafText(a string, t types.Type) string {
	switch t.Kind {
	case types.Boolean:
		return "CAST(CAST(" + a + " AS INTEGER) AS VARCHAR)"
	case types.Date:
		return "CAST(" + a + " - DATE '1970-01-01' AS VARCHAR)"
	case types.Timestamp, types.TimestampNTZ:
		return "CAST(epoch_us(" + a + ") AS VARCHAR)"
	case types.Time:
		return "CAST(epoch_us(" + a + ")*1000 AS VARCHAR)"
	case types.Decimal:
		return "replace(CAST(" + a + " AS VARCHAR),'.','')"
	case types.String, types.Char, types.Varchar, types.Binary:
		return "hex(" + a + ")"
	}
	return "CAST(" + a + " AS VARCHAR)"
}

// hashGoFunctions are the GoFunctions behind hash and xxhash64: a list of leaves, each its letter and its text.
func hashGoFunctions() []GoFunction {
	fn := func(name string, t types.Type, wide bool) GoFunction {
		return GoFunction{name, []types.Type{types.ArrayOf(types.Of(types.String))}, t, func(a []types.Value) (types.Value, error) {
			h := hasher{wide: wide, seed: hashSeed}
			for _, v := range listOf(a[0]) {
				if s := textOf(v); v != nil && s != "" {
					h.leaf(s[0], s[1:])
				}
			}
			return h.result(), nil
		}}
	}
	return []GoFunction{fn("tarn_hash", types.Of(types.Int), false), fn("tarn_xxhash64", types.Of(types.BigInt), true)}
}

func (h *hasher) leaf(kind byte, s string) {
	switch kind {
	case 'i', 'l':
		n, _ := strconv.ParseInt(s, 10, 64)
		if kind == 'i' {
			h.word(n)
		} else {
			h.long(n)
		}
	case 'f', 'd':
		f, _ := types.ParseDouble(strings.Replace(s, "-nan", "nan", 1))
		t := types.Of(types.Double)
		if kind == 'f' {
			t = types.Of(types.Float)
		}
		h.value(f, t)
	case '1':
		if d, ok := types.ParseDec(s); ok {
			h.bytes(twosComplement(d))
		}
	default:
		b, _ := hex.DecodeString(s)
		h.bytes(b)
	}
}
