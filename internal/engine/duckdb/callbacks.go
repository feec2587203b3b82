package duckdb

/*
#include <stdint.h>
#include <stdlib.h>

extern void tarnSourceBind(void *info);
extern void tarnSourceInit(void *info);
extern void tarnSourceLocalInit(void *info);
extern void tarnSourceFunction(void *info, void *output);
extern void tarnScalarFunction(void *info, void *input, void *output);
extern void tarnWriteFunction(void *info, void *input, void *output);
extern void tarnMaskFunction(void *info, void *input, void *output);
extern void tarnReleaseHandle(void *cell);

extern void duckdb_unsafe_vector_assign_string_element_len(void *vector, uint64_t index, const char *str, uint64_t len);

// One crossing for all long strings of a vector: rows[k] takes the bytes from ends[k-1] (or 0) to ends[k].
static void tarn_assign_strings(void *vector, const char *text, const uint64_t *rows, const uint64_t *ends, uint64_t n) {
	uint64_t begin = 0;
	for (uint64_t k = 0; k < n; k++) {
		duckdb_unsafe_vector_assign_string_element_len(vector, rows[k], text + begin, ends[k] - begin);
		begin = ends[k];
	}
}
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// assignStrings gives the rows of a VARCHAR or BLOB vector their text: row rows[k] the bytes of text that end at
// ends[k] and begin where the one before ended.
func assignStrings(vec bindings.Vector, text []byte, rows, ends []uint64) {
	if len(rows) == 0 {
		return
	}
	C.tarn_assign_strings(vec.Ptr, (*C.char)(unsafe.Pointer(unsafe.SliceData(text))),
		(*C.uint64_t)(unsafe.SliceData(rows)), (*C.uint64_t)(unsafe.SliceData(ends)), C.uint64_t(len(rows)))
}

// cell puts a handle where C can hold it. The memory is C's, so that no Go pointer crosses; release frees both.
func cell(h cgo.Handle) unsafe.Pointer {
	p := C.malloc(C.size_t(unsafe.Sizeof(uintptr(0))))
	*(*uintptr)(p) = uintptr(h)
	return p
}

func handleIn(p unsafe.Pointer) cgo.Handle { return cgo.Handle(*(*uintptr)(p)) }

// release is the C function that DuckDB calls when it drops a cell.
func release() unsafe.Pointer { return C.tarnReleaseHandle }

//export tarnReleaseHandle
func tarnReleaseHandle(p unsafe.Pointer) {
	handleIn(p).Delete()
	C.free(p)
}

// registerSource makes the table function tarn_source(id) known to the database of c. h is a handle of its registry.
func registerSource(c bindings.Connection, h cgo.Handle, threads int) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, sourceFunction)
	id := bindings.CreateLogicalType(bindings.TypeBigInt)
	bindings.TableFunctionAddParameter(f, id)
	bindings.DestroyLogicalType(&id)
	own := cgo.NewHandle(&sourceContext{registry: h.Value().(*registry[*sourceEntry]), threads: threads})
	bindings.TableFunctionSetExtraInfo(f, cell(own), release())
	bindings.TableFunctionSetBind(f, C.tarnSourceBind)
	bindings.TableFunctionSetInit(f, C.tarnSourceInit)
	bindings.TableFunctionSetLocalInit(f, C.tarnSourceLocalInit)
	bindings.TableFunctionSetFunction(f, C.tarnSourceFunction)
	bindings.TableFunctionSupportsProjectionPushdown(f, true)
	if bindings.RegisterTableFunction(c, f) == bindings.StateError {
		return fmt.Errorf("the table function of sources was refused")
	}
	return nil
}

//export tarnSourceBind
func tarnSourceBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	guard(func() error { return bindSource(info) }, func(text string) { bindings.BindSetError(info, text) })
}

//export tarnSourceInit
func tarnSourceInit(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	guard(func() error { return initSource(info) }, func(text string) { bindings.InitSetError(info, text) })
}

//export tarnSourceLocalInit
func tarnSourceLocalInit(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	guard(func() error { return openReader(info) }, func(text string) { bindings.InitSetError(info, text) })
}

//export tarnSourceFunction
func tarnSourceFunction(p, output unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	chunk := bindings.DataChunk{Ptr: output}
	guard(func() error { return fillChunk(info, chunk) }, func(text string) {
		bindings.DataChunkSetSize(chunk, 0)
		bindings.FunctionSetError(info, text)
	})
}

// setScalarCallbacks gives a scalar function its code; data is the cell of its vectorFunction.
func setScalarCallbacks(f bindings.ScalarFunction, data unsafe.Pointer) {
	bindings.ScalarFunctionSetExtraInfo(f, data, release())
	bindings.ScalarFunctionSetFunction(f, C.tarnScalarFunction)
}

//export tarnScalarFunction
func tarnScalarFunction(p, input, output unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	guard(func() error {
		return runScalar(info, bindings.DataChunk{Ptr: input}, bindings.Vector{Ptr: output})
	}, func(text string) { bindings.ScalarFunctionSetError(info, text) })
}

// setWriteCallbacks gives a function of running writes its code; data is the cell of its writeFunction.
func setWriteCallbacks(f bindings.ScalarFunction, data unsafe.Pointer) {
	bindings.ScalarFunctionSetExtraInfo(f, data, release())
	bindings.ScalarFunctionSetFunction(f, C.tarnWriteFunction)
}

//export tarnWriteFunction
func tarnWriteFunction(p, input, output unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	guard(func() error {
		return runWrite(info, bindings.DataChunk{Ptr: input}, bindings.Vector{Ptr: output})
	}, func(text string) { bindings.ScalarFunctionSetError(info, text) })
}

// setMaskCallbacks gives the predicate of deleted rows its code; data is the cell of the registry of masks.
func setMaskCallbacks(f bindings.ScalarFunction, data unsafe.Pointer) {
	bindings.ScalarFunctionSetExtraInfo(f, data, release())
	bindings.ScalarFunctionSetFunction(f, C.tarnMaskFunction)
}

//export tarnMaskFunction
func tarnMaskFunction(p, input, output unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	guard(func() error {
		return runMask(info, bindings.DataChunk{Ptr: input}, bindings.Vector{Ptr: output})
	}, func(text string) { bindings.ScalarFunctionSetError(info, text) })
}

// guard runs a callback and reports its failure to DuckDB. A panic must not unwind into C++, where it would end the
// process: it becomes an error of the query too.
func guard(run func() error, report func(text string)) {
	defer func() {
		if v := recover(); v != nil {
			report(fmt.Sprintf("panic in a source: %v", v))
		}
	}()
	if err := run(); err != nil {
		report(err.Error())
	}
}
