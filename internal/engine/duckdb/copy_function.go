package duckdb

import (
	"encoding/binary"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// The functions by which emitted SQL calls a running write: tarn_partition(id, columns…) is the number of the
// combination of partition values as INTEGER, tarn_line(id, columns…) the row as bytes of its file.
const (
	partitionFunction = "tarn_partition"
	lineFunction      = "tarn_line"
)

// rowWrite is what the functions of one write work with.
type rowWrite struct {
	query      *query
	partitions *partitioner   // nil without dynamic partition columns
	partition  []plan.Column  // the arguments of tarn_partition
	encoder    format.Encoder // nil for Parquet
	data       []plan.Column  // the arguments of tarn_line
	joined     bool           // tarn_line gives the lines of a vector as one value in its first row, and empty ones after it
	scratch    [2]sync.Pool   // *writeScratch, by function: DuckDB's threads call at the same time
}

// writeScratch is what one call of a function works with.
type writeScratch struct {
	readers    []reader
	batch      vector.Batch
	text       []byte
	rows, ends []uint64
	key, last  []byte
}

// writeFunction is one of the two functions within a database.
type writeFunction struct {
	writes *registry[*rowWrite]
	lines  bool
}

// registerWrite makes the functions of writes known to the database of c.
func registerWrite(c bindings.Connection, writes *registry[*rowWrite]) error {
	for name, lines := range map[string]bool{partitionFunction: false, lineFunction: true} {
		f := bindings.CreateScalarFunction()
		defer bindings.DestroyScalarFunction(&f)
		bindings.ScalarFunctionSetName(f, name)
		id, anything, result := bindings.CreateLogicalType(bindings.TypeBigInt), bindings.CreateLogicalType(bindings.TypeAny), bindings.LogicalType{}
		if lines {
			result = bindings.CreateLogicalType(bindings.TypeBlob)
		} else {
			result = bindings.CreateLogicalType(bindings.TypeInteger)
		}
		bindings.ScalarFunctionAddParameter(f, id)
		bindings.ScalarFunctionSetVarargs(f, anything)
		bindings.ScalarFunctionSetReturnType(f, result)
		for _, lt := range []*bindings.LogicalType{&id, &anything, &result} {
			bindings.DestroyLogicalType(lt)
		}
		// NULLs are values here, and every row counts: a constant argument must not make one call stand for all rows.
		bindings.ScalarFunctionSetSpecialHandling(f)
		bindings.ScalarFunctionSetVolatile(f)
		setWriteCallbacks(f, cell(cgo.NewHandle(&writeFunction{writes: writes, lines: lines})))
		if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
			return fmt.Errorf("the function %s was refused", name)
		}
	}
	return nil
}

// runWrite is the callback of both functions.
func runWrite(info bindings.FunctionInfo, chunk bindings.DataChunk, out bindings.Vector) (err error) {
	f := handleIn(bindings.ScalarFunctionGetExtraInfo(info)).Value().(*writeFunction)
	n := int(bindings.DataChunkGetSize(chunk))
	if n == 0 {
		return nil
	}
	id := *(*int64)(bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)))
	w := f.writes.get(id)
	if w == nil {
		return fmt.Errorf("write %d is not live", id)
	}
	defer func() {
		if v := recover(); v != nil {
			err = w.query.note(sqlerr.Internal(fmt.Errorf("panic in a write: %v\n%s", v, debug.Stack())))
		}
	}()
	cols, pool := w.partition, &w.scratch[0]
	if f.lines {
		cols, pool = w.data, &w.scratch[1]
	}
	s, _ := pool.Get().(*writeScratch)
	if s == nil {
		if s, err = newWriteScratch(chunk, cols); err != nil {
			return w.query.note(err)
		}
	}
	defer pool.Put(s)
	s.batch.Len = n
	for i := range s.readers {
		if err := s.readers[i].read(bindings.DataChunkGetVector(chunk, bindings.IdxT(i+1)), n, &s.batch.Cols[i]); err != nil {
			return w.query.note(err)
		}
	}
	if f.lines {
		s.lines(w.encoder, n, w.joined, out)
		return nil
	}
	if err := w.partitions.number(s, unsafe.Slice((*int32)(bindings.VectorGetData(out)), n)); err != nil {
		return w.query.note(err)
	}
	return nil
}

// newWriteScratch makes readers for the arguments of a call after the first, which is the number of the write.
func newWriteScratch(chunk bindings.DataChunk, cols []plan.Column) (*writeScratch, error) {
	s := &writeScratch{readers: make([]reader, len(cols))}
	s.batch.Cols = make([]vector.Column, len(cols))
	for i, c := range cols {
		lt := bindings.VectorGetColumnType(bindings.DataChunkGetVector(chunk, bindings.IdxT(i+1)))
		r, err := newReader(lt, c.Type)
		bindings.DestroyLogicalType(&lt)
		if err != nil {
			return nil, err
		}
		s.readers[i] = r
		s.batch.Cols[i].Type = c.Type
	}
	return s, nil
}

// lines encodes the rows of the batch and hands all of them to DuckDB in one crossing.
func (s *writeScratch) lines(e format.Encoder, n int, joined bool, out bindings.Vector) {
	s.text, s.rows, s.ends = s.text[:0], s.rows[:0], s.ends[:0]
	if joined {
		for i := range n {
			s.text = e.Append(s.text, &s.batch, i)
		}
		clear(unsafe.Slice((*stringT)(bindings.VectorGetData(out)), n))
		assignStrings(out, s.text, append(s.rows, 0), append(s.ends, uint64(len(s.text))))
		return
	}
	for i := range n {
		s.text = e.Append(s.text, &s.batch, i)
		s.rows = append(s.rows, uint64(i))
		s.ends = append(s.ends, uint64(len(s.text)))
	}
	assignStrings(out, s.text, s.rows, s.ends)
}

// appendKey appends what tells a value of row i from the others of its column.
func appendKey(dst []byte, col *vector.Column, i int, p *partitioner) []byte {
	if col.IsNull(i) {
		return append(dst, 0)
	}
	switch vector.StorageOf(col.Type) {
	case vector.InBool:
		if col.Bool[i] {
			return append(dst, 1, 1)
		}
		return append(dst, 1, 0)
	case vector.InInt:
		v := col.Int[i]
		if col.Type.Kind == types.Timestamp {
			v = types.ToLocal(v, p.zone)
		}
		return binary.LittleEndian.AppendUint64(append(dst, 1), uint64(v))
	case vector.InFloat:
		return binary.LittleEndian.AppendUint64(append(dst, 1), floatKey(col.Float[i]))
	case vector.InStr:
		s := col.Str[i]
		if isNullText(s) {
			return append(dst, 0)
		}
		if col.Type.Kind == types.Char {
			s = trimBlanks(s)
		}
		return append(binary.AppendUvarint(append(dst, 1), uint64(len(s))), s...)
	}
	d, _ := col.Any[i].(types.Dec)
	text := d.String()
	return append(binary.AppendUvarint(append(dst, 1), uint64(len(text))), text...)
}
