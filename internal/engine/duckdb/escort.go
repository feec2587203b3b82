package duckdb

import (
	"context"
	"time"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// patience is how long a call into DuckDB may go on after its statement was canceled. DuckDB looks for an interrupt between two
// vectors of rows and nowhere else: while it plans, folds constants, or computes one long value (a lambda over a list of
// millions), it hears nothing.
const patience = 400 * time.Millisecond

// escort makes the calls into DuckDB of one query, one after the other, on a goroutine of its own: a statement that is canceled
// can then leave behind a call that does not end.
type escort struct {
	calls chan func()
	ended chan struct{} // a value for each call that has ended
	tidy  chan func()   // what is left to do once the call that was left behind ends
	left  bool
}

func newEscort() *escort {
	e := &escort{calls: make(chan func()), ended: make(chan struct{}, 1), tidy: make(chan func(), 1)}
	go e.run()
	return e
}

func (e *escort) run() {
	for f := range e.calls {
		f()
		e.ended <- struct{}{}
	}
	if f, ok := <-e.tidy; ok {
		f()
	}
}

// call runs f and reports whether it has ended. When either context ends first, f has patience left; then it is left behind,
// whatever it changes is its own, and tidy follows it, on the same goroutine. After that call does nothing.
func (e *escort) call(ctx, other context.Context, f, tidy func()) bool {
	if e.left {
		return false
	}
	e.calls <- f
	select {
	case <-e.ended:
		return true
	case <-ctx.Done():
	case <-other.Done():
	}
	return e.wait(tidy)
}

// last is call for the end of the query, which has patience from the beginning.
func (e *escort) last(f func()) bool {
	if e.left {
		return true
	}
	e.calls <- f
	ok := e.wait(func() {})
	e.end()
	return ok
}

func (e *escort) wait(tidy func()) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-e.ended:
		return true
	case <-timer.C:
	}
	e.tidy <- tidy
	e.end()
	return false
}

// end lets the goroutine go. Nothing is called after it.
func (e *escort) end() {
	if !e.left {
		e.left = true
		close(e.calls)
		close(e.tidy)
	}
}

// escortedRows implements engine.Rows: rows whose calls go through an escort.
type escortedRows struct {
	*rows
	escort *escort
}

// escorted starts a query. It owns c from here on.
func escorted(ctx context.Context, c *conn, q engine.Query) (engine.Rows, error) {
	e := newEscort()
	var r *rows
	var err error
	begin := func() { r, err = start(ctx, c, q) }
	tidy := func() {
		if r != nil {
			r.close()
		}
	}
	if !e.call(ctx, ctx, begin, tidy) {
		c.db.markBroken()
		return nil, sqlerr.Canceled()
	}
	if err != nil {
		e.end()
		return nil, err
	}
	return &escortedRows{rows: r, escort: e}, nil
}

// Columns implements engine.Rows.
func (r *escortedRows) Columns() []plan.Column { return r.cols }

// Next implements engine.Rows.
func (r *escortedRows) Next(ctx context.Context) (*engine.Batch, error) {
	var next struct {
		batch *engine.Batch
		err   error
	}
	if !r.escort.call(ctx, r.ctx, func() { next.batch, next.err = r.rows.Next(ctx) }, r.close) {
		r.conn.db.markBroken()
		return nil, sqlerr.Canceled()
	}
	return next.batch, next.err
}

// Close implements engine.Rows.
func (r *escortedRows) Close() error {
	if !r.escort.last(r.close) {
		r.conn.db.markBroken() // its threads are busy with what nobody waits for
	}
	return nil
}
