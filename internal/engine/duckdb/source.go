package duckdb

import (
	"context"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"sync/atomic"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// sourceFunction is the table function by which emitted SQL reads a Go source: tarn_source(id).
const sourceFunction = "tarn_source"

// registry holds what belongs to running queries (sources, writes) by the number that emitted SQL calls it.
type registry[T any] struct {
	mu   sync.Mutex
	last int64
	live map[int64]T
}

func newRegistry[T any]() *registry[T] { return &registry[T]{live: map[int64]T{}} }

func (r *registry[T]) add(e T) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.live[r.last] = e
	return r.last
}

func (r *registry[T]) remove(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, id)
}

// get is the zero T for a number that is not live.
func (r *registry[T]) get(id int64) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[id]
}

// sourceContext is what the table function knows of its database.
type sourceContext struct {
	registry *registry[*sourceEntry]
	threads  int
}

// sourceEntry is one source within one query.
type sourceEntry struct {
	query  *query
	source engine.Source
	cols   []plan.Column
	// ordered sources are read by one reader: their rows keep their order. They are at hand and may be scanned again.
	ordered bool
	scanned atomic.Bool
}

// scanState is one execution of a source: which columns it reads.
type scanState struct {
	entry *sourceEntry
	cols  []int // indexes into entry.cols
	slots []int // the output column of each of cols
	width int   // output columns in all; those that no slot names are left NULL
}

// scanReader is one thread's reader.
type scanReader struct {
	state  *scanState
	reader format.BatchReader
	writer []writer
}

func (r *scanReader) closeReader() {
	if r.reader != nil {
		_ = r.reader.Close()
		r.reader = nil
	}
}

func bindSource(info bindings.BindInfo) error {
	ctx := handleIn(bindings.BindGetExtraInfo(info)).Value().(*sourceContext)
	v := bindings.BindGetParameter(info, 0)
	id := bindings.GetInt64(v)
	bindings.DestroyValue(&v)
	e := ctx.registry.get(id)
	if e == nil {
		return fmt.Errorf("source %d is not live", id)
	}
	for _, c := range e.cols {
		lt, err := logicalType(c.Type)
		if err != nil {
			return e.query.note(err)
		}
		bindings.BindAddResultColumn(info, columnName(c.ID), lt)
		bindings.DestroyLogicalType(&lt)
	}
	if len(e.cols) == 0 {
		// DuckDB refuses a table function without columns; nothing refers to this one.
		lt := bindings.CreateLogicalType(bindings.TypeBoolean)
		bindings.BindAddResultColumn(info, "none", lt)
		bindings.DestroyLogicalType(&lt)
	}
	if n := e.source.Rows(); n >= 0 {
		bindings.BindSetCardinality(info, bindings.IdxT(n), false)
	}
	bindings.BindSetBindData(info, cell(cgo.NewHandle(e)), release())
	return nil
}

func initSource(info bindings.InitInfo) error {
	ctx := handleIn(bindings.InitGetExtraInfo(info)).Value().(*sourceContext)
	e := handleIn(bindings.InitGetBindData(info)).Value().(*sourceEntry)
	s := stateOf(info, e)
	threads := ctx.threads
	if e.ordered {
		threads = 1
	} else if e.scanned.Swap(true) {
		// The readers of both scans would share the rows: each would miss some.
		return e.query.note(internal("a source is scanned twice"))
	}
	bindings.InitSetMaxThreads(info, bindings.IdxT(threads))
	bindings.InitSetInitData(info, cell(cgo.NewHandle(s)), release())
	return nil
}

// stateOf reads which columns DuckDB wants. A column index beyond the source's columns is DuckDB's row id, asked for
// when only the number of rows counts.
func stateOf(info bindings.InitInfo, e *sourceEntry) *scanState {
	s := &scanState{entry: e, width: int(bindings.InitGetColumnCount(info))}
	for i := range s.width {
		if c := bindings.InitGetColumnIndex(info, bindings.IdxT(i)); c < bindings.IdxT(len(e.cols)) {
			s.cols = append(s.cols, int(c))
			s.slots = append(s.slots, i)
		}
	}
	return s
}

func openReader(info bindings.InitInfo) error {
	e := handleIn(bindings.InitGetBindData(info)).Value().(*sourceEntry)
	s := stateOf(info, e)
	r, err := e.query.open(e.source, s.cols)
	if err != nil {
		return e.query.note(err)
	}
	sr := &scanReader{state: s, reader: r, writer: make([]writer, len(s.cols))}
	for i, c := range s.cols {
		sr.writer[i].typ = e.cols[c].Type
	}
	e.query.track(sr)
	bindings.InitSetInitData(info, cell(cgo.NewHandle(sr)), release())
	return nil
}

func fillChunk(info bindings.FunctionInfo, chunk bindings.DataChunk) (err error) {
	r := handleIn(bindings.FunctionGetLocalInitData(info)).Value().(*scanReader)
	q := r.state.entry.query
	defer func() {
		if v := recover(); v != nil {
			err = q.note(sqlerr.Internal(fmt.Errorf("panic in a source: %v\n%s", v, debug.Stack())))
		}
	}()
	for {
		b, err := r.next()
		if err != nil {
			return q.note(err)
		}
		if b == nil {
			q.untrack(r)
			r.closeReader()
			bindings.DataChunkSetSize(chunk, 0)
			return nil
		}
		if b.Len == 0 {
			continue
		}
		if b.Len > vector.MaxRows {
			return q.note(sqlerr.Internal(fmt.Errorf("a source gave a batch of %d rows", b.Len)))
		}
		for i := range r.writer {
			vec := bindings.DataChunkGetVector(chunk, bindings.IdxT(r.state.slots[i]))
			if err := r.writer[i].write(vec, &b.Cols[i], b.Len); err != nil {
				return q.note(err)
			}
		}
		bindings.DataChunkSetSize(chunk, bindings.IdxT(b.Len))
		return nil
	}
}

func (r *scanReader) next() (*vector.Batch, error) {
	if r.reader == nil {
		return nil, nil
	}
	ctx := r.state.entry.query.ctx
	if err := ctx.Err(); err != nil {
		return nil, sqlerr.Canceled()
	}
	return r.reader.Next(ctx)
}

// fixedSource yields rows that are at hand: a Supplied node, or a VALUES list too long for a text.
type fixedSource struct {
	cols []plan.Column
	rows [][]types.Value
}

var _ engine.Source = (*fixedSource)(nil)

// Rows implements engine.Source.
func (s *fixedSource) Rows() int64 { return int64(len(s.rows)) }

// Rewind implements engine.Source. Each reader begins with the first row.
func (s *fixedSource) Rewind() {}

// Open implements engine.Source. Only one reader is opened, as the source is ordered.
func (s *fixedSource) Open(_ context.Context, cols []int) (format.BatchReader, error) {
	return &fixedReader{source: s, cols: cols}, nil
}

type fixedReader struct {
	source *fixedSource
	cols   []int
	at     int
}

// Next implements format.BatchReader.
func (r *fixedReader) Next(context.Context) (*vector.Batch, error) {
	n := min(len(r.source.rows)-r.at, vector.MaxRows)
	if n <= 0 {
		return nil, nil
	}
	ts := make([]types.Type, len(r.cols))
	for i, c := range r.cols {
		ts[i] = r.source.cols[c].Type
	}
	b := vector.NewBatch(ts)
	row := make([]types.Value, len(r.cols))
	for _, full := range r.source.rows[r.at : r.at+n] {
		for i, c := range r.cols {
			row[i] = full[c]
		}
		b.Append(row)
	}
	r.at += n
	return b, nil
}

// Close implements format.BatchReader.
func (r *fixedReader) Close() error { return nil }
