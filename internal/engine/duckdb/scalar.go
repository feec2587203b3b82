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
	for i := range g.shapes {
		t := g.fn.Params[i]
		in.Cols[i].Type = t
		r := reader{shape: g.shapes[i], typ: t, into: vector.StorageOf(t)}
		if err := r.read(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)), n, &in.Cols[i]); err != nil {
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

// call computes one row; a NULL argument makes the result NULL.
func (g *goFunction) call(in *vector.Batch, args []types.Value, i int) (types.Value, error) {
	for k := range args {
		if args[k] = in.Cols[k].Value(i); args[k] == nil {
			return nil, nil
		}
	}
	return g.fn.Call(args)
}

// runScalar is the callback of every Go function. Its failure travels as text that sqlerr.FromEngine reads back.
func runScalar(info bindings.FunctionInfo, chunk bindings.DataChunk, out bindings.Vector) error {
	g := handleIn(bindings.ScalarFunctionGetExtraInfo(info)).Value().(*goFunction)
	if err := g.run(chunk, out); err != nil {
		return fmt.Errorf("%s", sqlerr.EngineText(sqlerr.As(err)))
	}
	return nil
}
