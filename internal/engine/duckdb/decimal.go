package duckdb

import (
	"cmp"
	"fmt"
	"runtime/cgo"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// decimalFunction is expr.DecimalOp or expr.TryDecimalOp; the digits are a HUGEINT. It works on the vectors themselves, since the way of
// all other functions, by one Value for each number, and DuckDB's casts between decimals and text take many times as long.
type decimalFunction struct {
	try bool // a failure is NULL
}

// registerDecimals makes the functions of decimal arithmetic known to the database of c.
func registerDecimals(c bindings.Connection) error {
	for _, d := range []*decimalFunction{{}, {try: true}} {
		name := expr.DecimalOp
		if d.try {
			name = expr.TryDecimalOp
		}
		f := bindings.CreateScalarFunction()
		bindings.ScalarFunctionSetName(f, name)
		for _, id := range []bindings.Type{bindings.TypeVarchar, bindings.TypeAny, bindings.TypeAny, bindings.TypeInteger, bindings.TypeInteger} {
			lt := bindings.CreateLogicalType(id)
			bindings.ScalarFunctionAddParameter(f, lt)
			bindings.DestroyLogicalType(&lt)
		}
		lt := bindings.CreateLogicalType(bindings.TypeHugeInt)
		bindings.ScalarFunctionSetReturnType(f, lt)
		bindings.DestroyLogicalType(&lt)
		setScalarCallbacks(f, cell(cgo.NewHandle(d)))
		state := bindings.RegisterScalarFunction(c, f)
		bindings.DestroyScalarFunction(&f)
		if state == bindings.StateError {
			return fmt.Errorf("the function %s was refused", name)
		}
	}
	return nil
}

// run computes the operator for the rows of a chunk. The operator, the precision and the scale are constants.
func (f *decimalFunction) run(chunk bindings.DataChunk, out bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(chunk))
	if n == 0 {
		return nil
	}
	column := func(i int) bindings.Vector { return bindings.DataChunkGetVector(chunk, bindings.IdxT(i)) }
	constant := func(i int) int { return int(*(*int32)(bindings.VectorGetData(column(i)))) }
	op := string((*stringT)(bindings.VectorGetData(column(0))).bytes())
	precision, scale := constant(3), constant(4)
	x, y := digitsOf(column(1)), digitsOf(column(2))
	if err := cmp.Or(x.refused(), y.refused()); err != nil {
		return err
	}
	to := unsafe.Slice((*[2]uint64)(bindings.VectorGetData(out)), n)
	var null []bool
	for i := range n {
		if !x.valid.has(i) || !y.valid.has(i) {
			null = marked(null, n, i)
			continue
		}
		v, err := expr.DecimalDigits(op, x.at(i), x.shape.scale, y.at(i), y.shape.scale, precision, scale)
		switch {
		case err != nil && f.try:
			null = marked(null, n, i)
			continue
		case err != nil:
			return err
		}
		to[i] = [2]uint64{v.Lo, uint64(v.Hi)}
	}
	if null != nil {
		setNulls(out, n, func(i int) bool { return null[i] })
	}
	return nil
}

// marked sets one of n marks, which are made when the first is set.
func marked(marks []bool, n, i int) []bool {
	if marks == nil {
		marks = make([]bool, n)
	}
	marks[i] = true
	return marks
}

// digits reads the digits of a vector of decimals or whole numbers.
type digits struct {
	shape shape
	data  unsafe.Pointer
	valid validity
	id    bindings.Type // the integer that holds the digits
}

func digitsOf(vec bindings.Vector) digits {
	lt := bindings.VectorGetColumnType(vec)
	defer bindings.DestroyLogicalType(&lt)
	d := digits{shape: shapeOf(lt), data: bindings.VectorGetData(vec), valid: validityOf(vec)}
	if d.id = d.shape.id; d.id == bindings.TypeDecimal {
		d.id = d.shape.internal
	}
	return d
}

// refused is an error for a vector of something else.
func (d *digits) refused() error {
	switch d.id {
	case bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt, bindings.TypeHugeInt:
		return nil
	}
	return sqlerr.Internal(fmt.Errorf("decimal arithmetic was given the engine type %d", d.shape.id))
}

func (d *digits) at(i int) expr.Int128 {
	var v int64
	switch d.id {
	case bindings.TypeSmallInt:
		v = int64(*(*int16)(unsafe.Add(d.data, 2*i)))
	case bindings.TypeInteger:
		v = int64(*(*int32)(unsafe.Add(d.data, 4*i)))
	case bindings.TypeBigInt:
		v = *(*int64)(unsafe.Add(d.data, 8*i))
	default:
		return expr.Int128{Lo: *(*uint64)(unsafe.Add(d.data, 16*i)), Hi: *(*int64)(unsafe.Add(d.data, 16*i+8))}
	}
	return expr.Int128{Hi: v >> 63, Lo: uint64(v)}
}
