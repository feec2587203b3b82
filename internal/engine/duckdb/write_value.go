package duckdb

import (
	"encoding/binary"
	"math/big"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// values writes the rows of a vector from values: nested types, and what does not fit 64 bits.
func (w *writer) values(vec bindings.Vector, t types.Type, vals []types.Value) error {
	nulls := false
	for _, v := range vals {
		nulls = nulls || v == nil
	}
	if nulls {
		setNulls(vec, len(vals), func(i int) bool { return vals[i] == nil })
	}
	switch t.Kind {
	case types.Array:
		return w.lists(vec, vals, func(all []types.Value, child bindings.Vector) error {
			return w.values(child, *t.Elem, all)
		})
	case types.Map:
		return w.maps(vec, t, vals)
	case types.Struct:
		return w.structs(vec, t, vals)
	case types.Void:
		return nil
	case types.Decimal:
		if widthOf(t) == 16 {
			return hugeInts(bindings.VectorGetData(vec), vals)
		}
	case types.CalendarInterval:
		return intervals(bindings.VectorGetData(vec), vals)
	case types.Variant:
		return internal("a VARIANT can't be given to the engine")
	}
	flat := vector.Column{Type: t}
	b := vector.Batch{Cols: []vector.Column{flat}}
	row := make([]types.Value, 1)
	for _, v := range vals {
		row[0] = v
		b.Append(row)
	}
	if len(vals) == 0 {
		return nil
	}
	inner := writer{typ: t}
	return inner.write(vec, &b.Cols[0], len(vals))
}

// lists writes a LIST: the spans, then all elements at once into the child.
func (w *writer) lists(vec bindings.Vector, vals []types.Value, elems func([]types.Value, bindings.Vector) error) error {
	spans := unsafe.Slice((*uint64)(bindings.VectorGetData(vec)), 2*len(vals))
	var all []types.Value
	for i, v := range vals {
		list, ok := v.([]types.Value)
		if v != nil && !ok {
			return internal("a value of an array is a %T", v)
		}
		spans[2*i], spans[2*i+1] = uint64(len(all)), uint64(len(list))
		all = append(all, list...)
	}
	n := bindings.IdxT(len(all))
	if bindings.ListVectorReserve(vec, n) == bindings.StateError || bindings.ListVectorSetSize(vec, n) == bindings.StateError {
		return internal("no room for %d elements", len(all))
	}
	return elems(all, bindings.ListVectorGetChild(vec))
}

// maps writes a MAP, which is a LIST of key and value.
func (w *writer) maps(vec bindings.Vector, t types.Type, vals []types.Value) error {
	pairs := make([]types.Value, len(vals))
	for i, v := range vals {
		if v == nil {
			continue
		}
		entries, ok := v.([]types.MapEntry)
		if !ok {
			return internal("a value of a map is a %T", v)
		}
		list := make([]types.Value, len(entries))
		for k, e := range entries {
			list[k] = []types.Value{e.Key, e.Value}
		}
		pairs[i] = list
	}
	entry := types.StructOf(types.Field{Name: "key", Type: *t.Key}, types.Field{Name: "value", Type: *t.Elem})
	return w.lists(vec, pairs, func(all []types.Value, child bindings.Vector) error {
		return w.structs(child, entry, all)
	})
}

func (w *writer) structs(vec bindings.Vector, t types.Type, vals []types.Value) error {
	for k, f := range t.Fields {
		col := make([]types.Value, len(vals))
		for i, v := range vals {
			if v == nil {
				continue
			}
			fields, ok := v.([]types.Value)
			if !ok || len(fields) != len(t.Fields) {
				return internal("a value of %s is a %T", t.String(), v)
			}
			col[i] = fields[k]
		}
		if err := w.values(bindings.StructVectorGetChild(vec, bindings.IdxT(k)), f.Type, col); err != nil {
			return err
		}
	}
	return nil
}

func hugeInts(data unsafe.Pointer, vals []types.Value) error {
	dst := unsafe.Slice((*[2]uint64)(data), len(vals))
	for i, v := range vals {
		d, ok := v.(types.Dec)
		if !ok {
			if v != nil {
				return internal("a value of a decimal is a %T", v)
			}
			continue
		}
		dst[i][0], dst[i][1] = twoWords(d.Unscaled)
	}
	return nil
}

func intervals(data unsafe.Pointer, vals []types.Value) error {
	dst := unsafe.Slice((*[16]byte)(data), len(vals))
	for i, v := range vals {
		iv, ok := v.(types.Interval)
		if !ok {
			if v != nil {
				return internal("a value of an interval is a %T", v)
			}
			continue
		}
		binary.NativeEndian.PutUint32(dst[i][:], uint32(iv.Months))
		binary.NativeEndian.PutUint32(dst[i][4:], uint32(iv.Days))
		binary.NativeEndian.PutUint64(dst[i][8:], uint64(iv.Micros))
	}
	return nil
}

// twoWords is v in two's complement of 128 bits.
func twoWords(v *big.Int) (lower, upper uint64) {
	mask := new(big.Int).SetUint64(^uint64(0))
	return new(big.Int).And(v, mask).Uint64(), uint64(new(big.Int).Rsh(v, 64).Int64())
}
