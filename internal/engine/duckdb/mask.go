package duckdb

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"strconv"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/vector"
)

// maskFunction is the predicate by which emitted SQL leaves out deleted rows: tarn_kept(id, file, row), where file is the
// number of the file within the list of its read_parquet.
const maskFunction = "tarn_kept"

// masks are the masks of the files of one read_parquet, in the order of its list.
type masks struct {
	query *query
	files []engine.RowMask
	keep  sync.Pool // *[]bool: DuckDB's threads call at the same time
}

// masked emits the predicate for files, all of which have a mask.
func (s *query) masked(files []engine.ParquetFile) string {
	m := &masks{query: s, files: make([]engine.RowMask, len(files))}
	for i := range files {
		m.files[i] = files[i].Mask
	}
	id := s.db.masks.add(m)
	s.masks = append(s.masks, id)
	return maskFunction + "(" + strconv.FormatInt(id, 10) + ",file_index::BIGINT,file_row_number)"
}

// registerMask makes the predicate known to the database of c.
func registerMask(c bindings.Connection, live *registry[*masks]) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	bindings.ScalarFunctionSetName(f, maskFunction)
	number, result := bindings.CreateLogicalType(bindings.TypeBigInt), bindings.CreateLogicalType(bindings.TypeBoolean)
	for range 3 {
		bindings.ScalarFunctionAddParameter(f, number)
	}
	bindings.ScalarFunctionSetReturnType(f, result)
	bindings.DestroyLogicalType(&number)
	bindings.DestroyLogicalType(&result)
	setMaskCallbacks(f, cell(cgo.NewHandle(live)))
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the function %s was refused", maskFunction)
	}
	return nil
}

// runMask is the callback of the predicate.
func runMask(info bindings.FunctionInfo, chunk bindings.DataChunk, out bindings.Vector) (err error) {
	live := handleIn(bindings.ScalarFunctionGetExtraInfo(info)).Value().(*registry[*masks])
	n := int(bindings.DataChunkGetSize(chunk))
	if n == 0 {
		return nil
	}
	column := func(i int) []int64 {
		return unsafe.Slice((*int64)(bindings.VectorGetData(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))), n)
	}
	id, files, rows := column(0)[0], column(1), column(2)
	m := live.get(id)
	if m == nil {
		return fmt.Errorf("mask %d is not live", id)
	}
	defer func() {
		if v := recover(); v != nil {
			err = m.query.note(sqlerr.Internal(fmt.Errorf("panic in a mask: %v\n%s", v, debug.Stack())))
		}
	}()
	keep, _ := m.keep.Get().(*[]bool)
	if keep == nil {
		keep = new([]bool)
		*keep = make([]bool, vector.MaxRows)
	}
	defer m.keep.Put(keep)
	result := unsafe.Slice((*bool)(bindings.VectorGetData(out)), n)
	for i := 0; i < n; {
		end := i + 1
		for end < n && end-i < len(*keep) && files[end] == files[i] {
			end++
		}
		if f := files[i]; f < 0 || f >= int64(len(m.files)) {
			return m.query.note(internal("mask %d has %d files, and was asked for number %d", id, len(m.files), f))
		}
		if err := m.files[files[i]].Mask(m.query.ctx, rows[i:end], (*keep)[:end-i]); err != nil {
			return m.query.note(err)
		}
		copy(result[i:end], *keep)
		i = end
	}
	return nil
}
