package duckdb

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// shape is the layout of a DuckDB vector.
type shape struct {
	id       bindings.Type
	internal bindings.Type // of a DECIMAL: the integer that holds it
	scale    int           // of a DECIMAL
	children []shape       // LIST: the element; STRUCT: the fields; MAP: key and value
	fixed    int           // of an ARRAY: its length
}

// shapeOf reads a logical type. The caller destroys lt.
func shapeOf(lt bindings.LogicalType) shape {
	s := shape{id: bindings.GetTypeId(lt)}
	child := func(t bindings.LogicalType) {
		s.children = append(s.children, shapeOf(t))
		bindings.DestroyLogicalType(&t)
	}
	switch s.id {
	case bindings.TypeDecimal:
		s.internal = bindings.DecimalInternalType(lt)
		s.scale = int(bindings.DecimalScale(lt))
	case bindings.TypeList:
		child(bindings.ListTypeChildType(lt))
	case bindings.TypeArray:
		s.fixed = int(bindings.ArrayTypeArraySize(lt))
		child(bindings.ArrayTypeChildType(lt))
	case bindings.TypeMap:
		child(bindings.MapTypeKeyType(lt))
		child(bindings.MapTypeValueType(lt))
	case bindings.TypeStruct:
		for i := range bindings.StructTypeChildCount(lt) {
			child(bindings.StructTypeChildType(lt, i))
		}
	}
	return s
}

// reader copies vectors of one result column into batches. What DuckDB yields may be wider than the column's type
// (an intermediate HUGEINT): values are checked, never cut.
type reader struct {
	shape shape
	typ   types.Type
	into  vector.Storage
	text  []byte // reused to gather the bytes of a chunk
	ends  []int
}

// newReader checks that vectors of type lt can become values of type t.
func newReader(lt bindings.LogicalType, t types.Type) (reader, error) {
	r := reader{shape: shapeOf(lt), typ: t, into: vector.StorageOf(t)}
	if !r.shape.yields(t) {
		return r, sqlerr.Internal(fmt.Errorf("a column of type %s arrived as engine type %d", t.String(), r.shape.id))
	}
	return r, nil
}

// yields reports whether vectors of shape s hold values of type t.
func (s *shape) yields(t types.Type) bool {
	switch t.Kind {
	case types.Void:
		return true
	case types.Boolean:
		return s.id == bindings.TypeBoolean
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.YearMonthInterval, types.DayTimeInterval:
		return s.isInteger()
	case types.Decimal:
		return s.id == bindings.TypeDecimal || s.isInteger()
	case types.Float, types.Double:
		return s.id == bindings.TypeFloat || s.id == bindings.TypeDouble
	case types.String, types.Char, types.Varchar, types.Binary:
		return s.id == bindings.TypeVarchar || s.id == bindings.TypeBlob
	case types.Date:
		return s.id == bindings.TypeDate
	case types.Timestamp, types.TimestampNTZ:
		switch s.id {
		case bindings.TypeTimestamp, bindings.TypeTimestampTZ, bindings.TypeTimestampS, bindings.TypeTimestampMS,
			bindings.TypeTimestampNS:
			return true
		}
		return false
	case types.Time:
		return s.id == bindings.TypeTime
	case types.CalendarInterval:
		return s.id == bindings.TypeInterval
	case types.Array:
		return (s.id == bindings.TypeList || s.id == bindings.TypeArray) && s.children[0].yields(*t.Elem)
	case types.Map:
		return s.id == bindings.TypeMap && s.children[0].yields(*t.Key) && s.children[1].yields(*t.Elem)
	case types.Struct:
		if s.id != bindings.TypeStruct || len(s.children) != len(t.Fields) {
			return false
		}
		for i := range t.Fields {
			if !s.children[i].yields(t.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

func (s *shape) isInteger() bool {
	switch s.id {
	case bindings.TypeTinyInt, bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt, bindings.TypeUTinyInt,
		bindings.TypeUSmallInt, bindings.TypeUInteger, bindings.TypeUBigInt, bindings.TypeHugeInt:
		return true
	}
	return false
}

// read copies n rows of vec into col, whose slices it reuses.
func (r *reader) read(vec bindings.Vector, n int, col *vector.Column) error {
	valid := validityOf(vec)
	col.Nulls = nullsOf(valid, n, col.Nulls)
	data := bindings.VectorGetData(vec)
	switch r.into {
	case vector.InBool:
		col.Bool = resize(col.Bool, n)
		copy(col.Bool, unsafe.Slice((*bool)(data), n))
	case vector.InInt:
		col.Int = resize(col.Int, n)
		return r.readInts(data, n, col)
	case vector.InFloat:
		col.Float = resize(col.Float, n)
		if r.shape.id == bindings.TypeDouble {
			copy(col.Float, unsafe.Slice((*float64)(data), n))
			return nil
		}
		for i, v := range unsafe.Slice((*float32)(data), n) {
			col.Float[i] = float64(v)
		}
	case vector.InStr:
		col.Str = r.readStrings(data, valid, n, col.Str)
	default:
		col.Any = resize(col.Any, n)
		clear(col.Any)
		if r.typ.Kind == types.Void {
			return nil
		}
		for i := range n {
			if valid.has(i) {
				v, err := r.shape.value(vec, i, r.typ)
				if err != nil {
					return err
				}
				col.Any[i] = v
			}
		}
	}
	return nil
}

func (r *reader) readInts(data unsafe.Pointer, n int, col *vector.Column) error {
	id, div, mul := r.shape.id, int64(1), int64(1)
	switch id {
	case bindings.TypeDecimal:
		id = r.shape.internal
		if r.shape.scale != r.typ.Scale {
			for i := range n {
				d, err := rescaled(r.shape.int(data, i), r.shape.scale, r.typ)
				if err != nil && !col.IsNull(i) {
					return err
				}
				if d != nil {
					col.Int[i] = d.Int64()
				}
			}
			return nil
		}
	case bindings.TypeTimestampS:
		mul = 1_000_000
	case bindings.TypeTimestampMS:
		mul = 1_000
	case bindings.TypeTimestampNS:
		div = 1_000
	}
	switch id {
	case bindings.TypeTinyInt:
		widen(col.Int, unsafe.Slice((*int8)(data), n))
	case bindings.TypeSmallInt:
		widen(col.Int, unsafe.Slice((*int16)(data), n))
	case bindings.TypeInteger, bindings.TypeDate:
		widen(col.Int, unsafe.Slice((*int32)(data), n))
	case bindings.TypeUTinyInt:
		widen(col.Int, unsafe.Slice((*uint8)(data), n))
	case bindings.TypeUSmallInt:
		widen(col.Int, unsafe.Slice((*uint16)(data), n))
	case bindings.TypeUInteger:
		widen(col.Int, unsafe.Slice((*uint32)(data), n))
	case bindings.TypeHugeInt, bindings.TypeUBigInt:
		for i := range n {
			if col.IsNull(i) {
				continue
			}
			v := r.shape.int(data, i)
			if !v.IsInt64() {
				return sqlerr.ArithmeticOverflow("", "")
			}
			col.Int[i] = v.Int64()
		}
	default:
		copy(col.Int, unsafe.Slice((*int64)(data), n))
	}
	for i := range col.Int {
		if mul != 1 {
			col.Int[i] *= mul
		}
		if div != 1 {
			col.Int[i] = types.FloorDiv(col.Int[i], div)
		}
	}
	return r.checkRange(id, col)
}

// checkRange refuses integers that the column's type can't hold, where the vector was wider.
func (r *reader) checkRange(id bindings.Type, col *vector.Column) error {
	lo, hi := intRange(r.typ.Kind)
	switch id {
	case bindings.TypeTinyInt, bindings.TypeBigInt:
		if r.typ.Kind == types.BigInt || id == bindings.TypeTinyInt {
			return nil
		}
	case bindings.TypeInteger:
		if r.typ.Kind == types.Int {
			return nil
		}
	}
	if lo == math.MinInt64 {
		return nil
	}
	for i, v := range col.Int {
		if (v < lo || v > hi) && !col.IsNull(i) {
			return sqlerr.ArithmeticOverflow("", "")
		}
	}
	return nil
}

// intRange is the range of an integer kind; other kinds take every int64.
func intRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.TinyInt:
		return math.MinInt8, math.MaxInt8
	case types.SmallInt:
		return math.MinInt16, math.MaxInt16
	case types.Int, types.YearMonthInterval:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32](dst []int64, src []T) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

// rescaled is the unscaled value of a decimal given at another scale than t's.
func rescaled(v *big.Int, scale int, t types.Type) (*big.Int, error) {
	for ; scale < t.Scale; scale++ {
		v = new(big.Int).Mul(v, big.NewInt(10))
	}
	for ; scale > t.Scale; scale-- {
		q, rem := new(big.Int).QuoRem(v, big.NewInt(10), new(big.Int))
		if rem.Sign() != 0 {
			return nil, sqlerr.ArithmeticOverflow("", "")
		}
		v = q
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision)), nil)
	if v.CmpAbs(limit) >= 0 {
		return nil, sqlerr.ArithmeticOverflow("", "")
	}
	return v, nil
}

// stringT is DuckDB's string of 16 bytes: up to 12 bytes lie inside, longer ones behind a pointer.
type stringT struct {
	length uint32
	prefix [4]byte
	rest   [8]byte
}

const inlineMax = 12

func (s *stringT) bytes() []byte {
	if s.length <= inlineMax {
		return unsafe.Slice(&s.prefix[0], s.length)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s.rest)), s.length)
}

// readStrings copies the strings of a chunk into one Go string and cuts it: one allocation for a chunk.
func (r *reader) readStrings(data unsafe.Pointer, valid validity, n int, out []string) []string {
	out = resize(out, n)
	r.ends = resize(r.ends, n)
	r.text = r.text[:0]
	src := unsafe.Slice((*stringT)(data), n)
	for i := range src {
		if valid.has(i) {
			r.text = append(r.text, src[i].bytes()...)
		}
		r.ends[i] = len(r.text)
	}
	all := strings.Clone(unsafe.String(unsafe.SliceData(r.text), len(r.text)))
	begin := 0
	for i, end := range r.ends {
		out[i] = all[begin:end]
		begin = end
	}
	return out
}

// validity is DuckDB's bit mask of rows that are not NULL; nil means that all are.
type validity struct{ bits *uint64 }

func validityOf(vec bindings.Vector) validity {
	return validity{(*uint64)(bindings.VectorGetValidity(vec))}
}

func (v validity) has(i int) bool {
	if v.bits == nil {
		return true
	}
	word := *(*uint64)(unsafe.Add(unsafe.Pointer(v.bits), i/64*8))
	return word>>(i%64)&1 == 1
}

// nullsOf spreads a bit mask over a slice; it is nil when no row is NULL.
func nullsOf(v validity, n int, nulls []bool) []bool {
	if v.bits == nil {
		return nil
	}
	any := false
	nulls = resize(nulls, n)
	for i := range nulls {
		nulls[i] = !v.has(i)
		any = any || nulls[i]
	}
	if !any {
		return nil
	}
	return nulls
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, vector.MaxRows))
	}
	return s[:n]
}
