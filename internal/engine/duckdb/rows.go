package duckdb

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/vector"
)

// interruptEvery is how often a canceled query is told to stop: DuckDB forgets an interrupt that arrives between two
// of its calls.
const interruptEvery = 20 * time.Millisecond

// rows are a streaming result: one chunk is held at a time.
type rows struct {
	ctx   context.Context
	conn  *conn
	query *query
	cols  []plan.Column

	stmt    bindings.PreparedStatement
	pending bindings.PendingResult
	result  bindings.Result
	chunk   bindings.DataChunk
	readers []reader
	batch   vector.Batch

	mu     sync.Mutex // guards closed against share and interrupts
	closed bool
	stop   func() bool // of the watch on ctx
	ended  bool        // the result was read to its end
	// borrowed rows leave the connection and the query to whoever runs more statements with them.
	borrowed bool
	err      error // sticky
}

// start says the plan in SQL and begins to execute it. It owns c from here on.
func start(ctx context.Context, c *conn, q engine.Query) (*rows, error) {
	qs := newQuery(ctx, q, c.db)
	text, err := qs.emit(q.Root)
	return begin(ctx, c, qs, q.Root.Output(), text, err)
}

// begin executes the SQL of a query, unless saying it failed with err. It owns c and qs from here on.
func begin(ctx context.Context, c *conn, qs *query, cols []plan.Column, text string, err error) (*rows, error) {
	r := &rows{ctx: ctx, conn: c, query: qs, cols: cols}
	if err != nil {
		r.shut(true)
		return nil, err
	}
	if qs.q.Opened != nil {
		qs.q.Opened(qs.files)
	}
	r.stop = context.AfterFunc(ctx, r.interrupt)
	if err := r.run(text); err != nil {
		r.shut(false)
		return nil, err
	}
	return r, nil
}

func (r *rows) run(text string) error {
	text, parameters := used(text, r.query.parameters)
	if err := r.conn.setZone(r.query.q.Zone); err != nil {
		return err
	}
	if err := r.conn.setToday(text, r.query.q.Now, r.query.q.Zone); err != nil {
		return err
	}
	if err := r.conn.db.define(r.conn, text); err != nil {
		return r.fail(err.Error())
	}
	if bindings.Prepare(r.conn.c, text, &r.stmt) == bindings.StateError {
		return r.fail(bindings.PrepareError(r.stmt))
	}
	if r.ctx.Err() != nil { // the interrupt of a statement that is being prepared does not reach its execution
		return sqlerr.Canceled()
	}
	for i := range parameters {
		if err := parameters[i].bind(r.stmt, i+1); err != nil {
			return err
		}
	}
	if bindings.PendingPreparedStreaming(r.stmt, &r.pending) == bindings.StateError {
		return r.fail(bindings.PendingError(r.pending))
	}
	if r.query.q.Started != nil {
		r.query.q.Started(r.share)
	}
	if text := r.work(); text != "" {
		return r.fail(text)
	}
	if bindings.ExecutePending(r.pending, &r.result) == bindings.StateError {
		return r.fail(bindings.ResultError(&r.result))
	}
	n := int(bindings.ColumnCount(&r.result))
	if n < len(r.cols) {
		return sqlerr.Internal(fmt.Errorf("the engine yields %d columns instead of %d", n, len(r.cols)))
	}
	r.readers = make([]reader, len(r.cols))
	r.batch.Cols = make([]vector.Column, len(r.cols))
	for i, c := range r.cols {
		lt := bindings.ColumnLogicalType(&r.result, bindings.IdxT(i))
		rd, err := newReader(lt, c.Type)
		bindings.DestroyLogicalType(&lt)
		if err != nil {
			return err
		}
		r.readers[i] = rd
		r.batch.Cols[i].Type = c.Type
	}
	return nil
}

// How long a thread without work waits before it asks again: it asks a few times at once, since a small query is over by then.
const (
	asksAtOnce            = 16
	firstPause, lastPause = 20 * time.Microsecond, time.Millisecond
)

// work runs tasks of the pending statement until it has a result, or returns the words of its failure. ExecutePending could do
// all of it, but while other threads have every task that there is, it asks for one without a pause: a processor's time for
// nothing, and each question takes the lock of the progress bar, which those threads need.
func (r *rows) work() (failure string) {
	pause := firstPause
	for idle := 0; ; idle++ {
		switch bindings.PendingExecuteTask(r.pending) {
		case bindings.PendingStateResultNotReady:
			idle, pause = 0, firstPause
			continue
		case bindings.PendingStateNoTasksAvailable:
		case bindings.PendingStateError:
			return bindings.PendingError(r.pending)
		default:
			return ""
		}
		if idle >= asksAtOnce {
			time.Sleep(pause)
			pause = min(2*pause, lastPause)
		}
	}
}

// fail turns DuckDB's words into the statement's error. An error of a Go source, or a canceled context, explains the
// failure better than what DuckDB made of it.
func (r *rows) fail(text string) error {
	if isFatal(text) {
		r.conn.db.markBroken()
	}
	if err := r.query.failure(); err != nil {
		return err
	}
	if r.ctx.Err() != nil {
		return sqlerr.Canceled()
	}
	return translate(text, r.query)
}

// Next is engine.Rows' Next.
func (r *rows) Next(ctx context.Context) (*engine.Batch, error) {
	if r.err != nil || r.ended {
		return nil, r.err
	}
	if ctx.Err() != nil || r.ctx.Err() != nil {
		r.err = sqlerr.Canceled()
		return nil, r.err
	}
	if ctx != r.ctx && ctx.Done() != nil {
		stop := context.AfterFunc(ctx, r.interrupt)
		defer stop()
	}
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
	}
	for {
		r.chunk = bindings.FetchChunk(r.result)
		if r.chunk.Ptr == nil {
			return nil, r.end(ctx)
		}
		n := int(bindings.DataChunkGetSize(r.chunk))
		if n > 0 {
			return r.fill(n)
		}
		bindings.DestroyDataChunk(&r.chunk)
	}
}

// end tells the end of the rows from a failure: DuckDB answers both without a chunk.
func (r *rows) end(ctx context.Context) error {
	if text := bindings.ResultError(&r.result); text != "" {
		if strings.HasPrefix(text, prefixInterrupt) {
			text = r.reason(ctx, text)
		}
		r.err = r.fail(text)
		if ctx.Err() != nil {
			r.err = sqlerr.Canceled()
		}
		return r.err
	}
	if err := r.query.failure(); err != nil {
		r.err = err
		return err
	}
	r.ended = true
	return nil
}

// reasonTries bounds how often a query is run again to learn why it failed. About one in ten fails without a reason.
const reasonTries = 10

// reason finds the words of the failure behind an interrupt. When one of DuckDB's threads fails while rows are fetched, it
// interrupts the others, and at times the fetch answers with that interrupt instead of the failure, which is lost. So the query
// is run again for its failure alone. An interrupt that somebody asked for is its own reason.
func (r *rows) reason(ctx context.Context, text string) string {
	for range reasonTries {
		if ctx.Err() != nil || r.ctx.Err() != nil || r.query.failure() != nil || r.conn.db.isRetired() {
			return text
		}
		bindings.DestroyResult(&r.result)
		bindings.DestroyPending(&r.pending)
		if len(r.query.ids) > 0 {
			// Another statement on the connection makes DuckDB end what is left of this one, whose readers share the rows.
			if err := r.conn.exec("SELECT 1"); err != nil {
				return err.Error()
			}
			r.query.rewind()
		}
		if bindings.PendingPreparedStreaming(r.stmt, &r.pending) == bindings.StateError {
			return bindings.PendingError(r.pending)
		}
		if failure := r.work(); failure != "" {
			return failure
		}
		if bindings.ExecutePending(r.pending, &r.result) == bindings.StateError {
			return bindings.ResultError(&r.result)
		}
		for {
			chunk := bindings.FetchChunk(r.result)
			if chunk.Ptr == nil {
				break
			}
			bindings.DestroyDataChunk(&chunk)
			if ctx.Err() != nil || r.ctx.Err() != nil {
				return text
			}
		}
		if failure := bindings.ResultError(&r.result); !strings.HasPrefix(failure, prefixInterrupt) {
			if failure == "" { // it depends on chance or time, and does not fail now
				return "the query failed for a reason that is lost"
			}
			return failure
		}
	}
	return text
}

func (r *rows) fill(n int) (*engine.Batch, error) {
	r.batch.Len = n
	for i := range r.readers {
		vec := bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i))
		if err := r.readers[i].read(vec, n, &r.batch.Cols[i]); err != nil {
			r.err = err
			return nil, err
		}
	}
	return &r.batch, nil
}

// share is what Query.Started is given.
func (r *rows) share() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return -1
	}
	p := bindings.QueryProgress(r.conn.c)
	pct, _, _ := bindings.QueryProgressTypeMembers(&p)
	if pct < 0 || pct > 100 {
		return -1
	}
	return pct
}

// interrupt stops the query, until it is closed.
func (r *rows) interrupt() {
	t := time.NewTicker(interruptEvery)
	defer t.Stop()
	for {
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			return
		}
		bindings.Interrupt(r.conn.c)
		r.mu.Unlock()
		<-t.C
	}
}

// close frees what the query holds.
func (r *rows) close() { r.shut(r.ended) }

// shut frees what the query holds. clean says that the connection ran nothing or everything, so that it may serve
// the next query; else DuckDB has to be made to drop what still runs, which closing the connection does.
func (r *rows) shut(clean bool) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.closed = true
	r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
	if !clean && !r.ended {
		bindings.Interrupt(r.conn.c)
	}
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
	}
	bindings.DestroyResult(&r.result)
	bindings.DestroyPending(&r.pending)
	bindings.DestroyPrepare(&r.stmt)
	if r.borrowed {
		return
	}
	r.conn.db.put(r.conn, clean)
	r.query.close()
}
