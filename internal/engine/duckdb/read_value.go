package duckdb

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// value is row i of vec as a value of type t. The row is not NULL.
func (s *shape) value(vec bindings.Vector, i int, t types.Type) (types.Value, error) {
	data := bindings.VectorGetData(vec)
	switch t.Kind {
	case types.Boolean:
		return *(*bool)(unsafe.Add(data, i)), nil
	case types.Float, types.Double:
		if s.id == bindings.TypeFloat {
			return float64(*(*float32)(unsafe.Add(data, 4*i))), nil
		}
		return *(*float64)(unsafe.Add(data, 8*i)), nil
	case types.String, types.Char, types.Varchar:
		return string((*stringT)(unsafe.Add(data, 16*i)).bytes()), nil
	case types.Binary:
		return types.Bytes((*stringT)(unsafe.Add(data, 16*i)).bytes()), nil
	case types.Decimal:
		v, err := rescaled(s.int(data, i), s.scale, t)
		if err != nil {
			return nil, err
		}
		return types.Dec{Unscaled: v, Scale: t.Scale}, nil
	case types.CalendarInterval:
		return intervalValue(unsafe.Slice((*byte)(unsafe.Add(data, 16*i)), 16)), nil
	case types.Array:
		return s.list(vec, data, i, *t.Elem)
	case types.Map:
		return s.entries(vec, data, i, t)
	case types.Struct:
		return s.fields(vec, i, t)
	case types.Void:
		return nil, nil
	}
	v := s.int(data, i)
	switch s.id {
	case bindings.TypeTimestampS:
		v.Mul(v, big.NewInt(1_000_000))
	case bindings.TypeTimestampMS:
		v.Mul(v, big.NewInt(1_000))
	case bindings.TypeTimestampNS:
		return types.FloorDiv(v.Int64(), 1_000), nil
	}
	if lo, hi := intRange(t.Kind); !v.IsInt64() || v.Int64() < lo || v.Int64() > hi {
		return nil, sqlerr.ArithmeticOverflow("", "")
	}
	return v.Int64(), nil
}

// int is the integer in row i, of any width.
func (s *shape) int(data unsafe.Pointer, i int) *big.Int {
	id := s.id
	if id == bindings.TypeDecimal {
		id = s.internal
	}
	switch id {
	case bindings.TypeTinyInt:
		return big.NewInt(int64(*(*int8)(unsafe.Add(data, i))))
	case bindings.TypeSmallInt:
		return big.NewInt(int64(*(*int16)(unsafe.Add(data, 2*i))))
	case bindings.TypeInteger, bindings.TypeDate:
		return big.NewInt(int64(*(*int32)(unsafe.Add(data, 4*i))))
	case bindings.TypeUTinyInt:
		return big.NewInt(int64(*(*uint8)(unsafe.Add(data, i))))
	case bindings.TypeUSmallInt:
		return big.NewInt(int64(*(*uint16)(unsafe.Add(data, 2*i))))
	case bindings.TypeUInteger:
		return big.NewInt(int64(*(*uint32)(unsafe.Add(data, 4*i))))
	case bindings.TypeUBigInt:
		return new(big.Int).SetUint64(*(*uint64)(unsafe.Add(data, 8*i)))
	case bindings.TypeHugeInt:
		lower := *(*uint64)(unsafe.Add(data, 16*i))
		upper := *(*int64)(unsafe.Add(data, 16*i+8))
		v := new(big.Int).Lsh(big.NewInt(upper), 64)
		return v.Add(v, new(big.Int).SetUint64(lower))
	}
	return big.NewInt(*(*int64)(unsafe.Add(data, 8*i)))
}

// span is the offset and length of row i of a LIST.
func span(data unsafe.Pointer, i int) (offset, length int) {
	e := unsafe.Slice((*uint64)(unsafe.Add(data, 16*i)), 2)
	return int(e[0]), int(e[1])
}

// at is row i of vec, NULL included.
func (s *shape) at(vec bindings.Vector, valid validity, i int, t types.Type) (types.Value, error) {
	if !valid.has(i) {
		return nil, nil
	}
	return s.value(vec, i, t)
}

func (s *shape) list(vec bindings.Vector, data unsafe.Pointer, i int, elem types.Type) (types.Value, error) {
	var child bindings.Vector
	var offset, length int
	if s.id == bindings.TypeArray {
		child, offset, length = bindings.ArrayVectorGetChild(vec), i*s.fixed, s.fixed
	} else {
		child = bindings.ListVectorGetChild(vec)
		offset, length = span(data, i)
	}
	valid := validityOf(child)
	out := make([]types.Value, length)
	for k := range out {
		v, err := s.children[0].at(child, valid, offset+k, elem)
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

func (s *shape) entries(vec bindings.Vector, data unsafe.Pointer, i int, t types.Type) (types.Value, error) {
	pairs := bindings.ListVectorGetChild(vec)
	keys, vals := bindings.StructVectorGetChild(pairs, 0), bindings.StructVectorGetChild(pairs, 1)
	validKeys, validVals := validityOf(keys), validityOf(vals)
	offset, length := span(data, i)
	out := make([]types.MapEntry, length)
	for k := range out {
		var err error
		if out[k].Key, err = s.children[0].at(keys, validKeys, offset+k, *t.Key); err != nil {
			return nil, err
		}
		if out[k].Value, err = s.children[1].at(vals, validVals, offset+k, *t.Elem); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *shape) fields(vec bindings.Vector, i int, t types.Type) (types.Value, error) {
	if len(t.Fields) != len(s.children) {
		return nil, sqlerr.Internal(fmt.Errorf("a struct of %d fields arrived with %d", len(t.Fields), len(s.children)))
	}
	out := make([]types.Value, len(t.Fields))
	for k := range out {
		child := bindings.StructVectorGetChild(vec, bindings.IdxT(k))
		v, err := s.children[k].at(child, validityOf(child), i, t.Fields[k].Type)
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

// intervalValue splits DuckDB's interval: months and days of 32 bits, then microseconds.
func intervalValue(b []byte) types.Value {
	return types.Interval{
		Months: int32(binary.NativeEndian.Uint32(b)),
		Days:   int32(binary.NativeEndian.Uint32(b[4:])),
		Micros: int64(binary.NativeEndian.Uint64(b[8:])),
	}
}
