package duckdb

import (
	"fmt"
	"runtime/cgo"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// goFunction is a scalar function in Go that DuckDB calls.
type goFunction struct {
	fn     expr.GoFunction
	shapes []shape
}

// registerGo makes a Go function known to the database of c.
func registerGo(c bindings.Connection, fn expr.GoFunction) error {
	g := &goFunction{fn: fn}
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	bindings.ScalarFunctionSetName(f, fn.Name)
	for _, p := range fn.Params {
		lt, err := logicalType(p)
		if p.Kind == types.Void {
			lt, err = bindings.CreateLogicalType(bindings.TypeAny), nil
		}
		if err != nil {
			return err
		}
		bindings.ScalarFunctionAddParameter(f, lt)
		g.shapes = append(g.shapes, shapeOf(lt))
		bindings.DestroyLogicalType(&lt)
	}
	lt, err := logicalType(fn.Result)
	if err != nil {
		return err
	}
	bindings.ScalarFunctionSetReturnType(f, lt)
	bindings.DestroyLogicalType(&lt)
	setScalarCallbacks(f, cell(cgo.NewHandle(g)))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the function %s was refused", fn.Name)
	}
	return nil
}

// run computes the function for the rows of a chunk.
func (g *goFunction) run(chunk bindings.DataChunk, out bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(chunk))
	in := vector.Batch{Len: n, Cols: make([]vector.Column, len(g.shapes))}
	// From the last on: a value of any type stands before the name of its type.
	for i := len(g.shapes) - 1; i >= 0; i-- {
		t, s := g.fn.Params[i], g.shapes[i]
		vec := bindings.DataChunkGetVector(chunk, bindings.IdxT(i))
		if t.Kind == types.Void {
			var err error
			if t, s, err = g.anyType(vec, &in.Cols[i+1]); err != nil {
				return err
			}
		}
		in.Cols[i].Type = t
		r := reader{shape: s, typ: t, into: vector.StorageOf(t)}
		if err := r.read(vec, n, &in.Cols[i]); err != nil {
			return err
		}
	}
	result := vector.NewBatch([]types.Type{g.fn.Result})
	args, row := make([]types.Value, len(in.Cols)), make([]types.Value, 1)
	for i := range n {
		v, err := g.call(&in, args, i)
		if err != nil {
			return err
		}
		row[0] = v
		result.Append(row)
	}
	w := writer{typ: g.fn.Result}
	return w.write(out, &result.Cols[0], n)
}

// anyType is the type of a parameter that takes any: the DDL in the rows of the next argument, and how the vector is laid
// out.
func (g *goFunction) anyType(vec bindings.Vector, ddl *vector.Column) (types.Type, shape, error) {
	lt := bindings.VectorGetColumnType(vec)
	defer bindings.DestroyLogicalType(&lt)
	name, _ := ddl.Value(0).(string)
	t, err := expr.ParseSchema(name)
	if err != nil {
		return t, shape{}, sqlerr.Internal(fmt.Errorf("%s was given a value of the type %q: %w", g.fn.Name, name, err))
	}
	return t, shapeOf(lt), nil
}

// call computes one row; a NULL argument makes the result NULL.
func (g *goFunction) call(in *vector.Batch, args []types.Value, i int) (types.Value, error) {
	for k := range args {
		if args[k] = in.Cols[k].Value(i); args[k] == nil {
			return nil, nil
		}
	}
	return g.fn.Call(args)
}

// vectorFunction computes a function for the rows of a chunk.
type vectorFunction interface {
	run(chunk bindings.DataChunk, out bindings.Vector) error
}

// runScalar is the callback of every Go function. Its failure travels as text that sqlerr.FromEngine reads back.
func runScalar(info bindings.FunctionInfo, chunk bindings.DataChunk, out bindings.Vector) error {
	f := handleIn(bindings.ScalarFunctionGetExtraInfo(info)).Value().(vectorFunction)
	if err := f.run(chunk, out); err != nil {
		return fmt.Errorf("%s", sqlerr.EngineText(sqlerr.As(err)))
	}
	return nil
}
