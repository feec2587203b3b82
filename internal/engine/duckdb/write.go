package duckdb

import (
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// writer copies columns of batches into vectors of a chunk that DuckDB has reset.
type writer struct {
	typ        types.Type
	text       []byte
	rows, ends []uint64
}

// write puts the n rows of col into vec, whose type is logicalType(w.typ).
func (w *writer) write(vec bindings.Vector, col *vector.Column, n int) error {
	if vector.StorageOf(w.typ) == vector.InAny {
		vals := col.Any
		if col.Const {
			vals = make([]types.Value, n)
			for i := range vals {
				vals[i] = col.Any[0]
			}
		}
		return w.values(vec, w.typ, vals[:n])
	}
	if col.Const && col.IsNull(0) {
		setNulls(vec, n, func(int) bool { return true })
		return nil
	}
	if !col.Const && col.Nulls != nil {
		setNulls(vec, n, func(i int) bool { return col.Nulls[i] })
	}
	data := bindings.VectorGetData(vec)
	switch vector.StorageOf(w.typ) {
	case vector.InBool:
		fill(data, col.Bool, n, col.Const, func(v bool) bool { return v })
	case vector.InInt:
		w.ints(data, col.Int, n, col.Const)
	case vector.InFloat:
		if w.typ.Kind == types.Float {
			fill(data, col.Float, n, col.Const, func(v float64) float32 { return float32(v) })
		} else {
			fill(data, col.Float, n, col.Const, func(v float64) float64 { return v })
		}
	case vector.InStr:
		w.strings(vec, data, n, col)
	}
	return nil
}

// ints writes integers at the width that DuckDB has for the type.
func (w *writer) ints(data unsafe.Pointer, src []int64, n int, constant bool) {
	switch widthOf(w.typ) {
	case 1:
		fill(data, src, n, constant, func(v int64) int8 { return int8(v) })
	case 2:
		fill(data, src, n, constant, func(v int64) int16 { return int16(v) })
	case 4:
		fill(data, src, n, constant, func(v int64) int32 { return int32(v) })
	default:
		fill(data, src, n, constant, func(v int64) int64 { return v })
	}
}

// widthOf is the size in bytes of a type that vector keeps as integers.
func widthOf(t types.Type) int {
	switch t.Kind {
	case types.TinyInt:
		return 1
	case types.SmallInt:
		return 2
	case types.Int, types.Date, types.YearMonthInterval:
		return 4
	case types.Decimal:
		switch {
		case t.Precision <= 4:
			return 2
		case t.Precision <= 9:
			return 4
		case t.Precision <= 18:
			return 8
		}
		return 16
	}
	return 8
}

func fill[S, D any](data unsafe.Pointer, src []S, n int, constant bool, as func(S) D) {
	dst := unsafe.Slice((*D)(data), n)
	if constant {
		v := as(src[0])
		for i := range dst {
			dst[i] = v
		}
		return
	}
	for i := range dst {
		dst[i] = as(src[i])
	}
}

// setNulls marks rows NULL. The vector has been reset, so all its rows are valid before.
func setNulls(vec bindings.Vector, n int, null func(i int) bool) {
	bindings.VectorEnsureValidityWritable(vec)
	mask := unsafe.Slice((*uint64)(bindings.VectorGetValidity(vec)), (n+63)/64)
	for i := range n {
		if null(i) {
			mask[i/64] &^= 1 << (i % 64)
		}
	}
}

// strings writes text. Short strings are built in place; long ones cross into C together, once for each vector.
func (w *writer) strings(vec bindings.Vector, data unsafe.Pointer, n int, col *vector.Column) {
	dst := unsafe.Slice((*stringT)(data), n)
	w.begin()
	if col.Const {
		w.put(dst, 0, col.Str[0])
		w.flush(vec)
		for i := 1; i < n; i++ {
			dst[i] = dst[0]
		}
		return
	}
	for i, s := range col.Str[:n] {
		if col.Nulls != nil && col.Nulls[i] {
			dst[i] = stringT{}
			continue
		}
		w.put(dst, i, s)
	}
	w.flush(vec)
}

func (w *writer) begin() { w.text, w.rows, w.ends = w.text[:0], w.rows[:0], w.ends[:0] }

func (w *writer) put(dst []stringT, i int, s string) {
	if w.typ.Kind != types.Binary {
		s = validText(s)
	}
	if len(s) <= inlineMax {
		var t stringT
		t.length = uint32(len(s))
		k := copy(t.prefix[:], s)
		copy(t.rest[:], s[k:])
		dst[i] = t
		return
	}
	w.text = append(w.text, s...)
	w.rows = append(w.rows, uint64(i))
	w.ends = append(w.ends, uint64(len(w.text)))
}

func (w *writer) flush(vec bindings.Vector) { assignStrings(vec, w.text, w.rows, w.ends) }
