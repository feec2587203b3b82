package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// restarts counts how often a statement starts over because a file that it reads was replaced after it was listed: the files of
// tables that are written in place move when a write commits. The zero value is of a statement that has not.
type restarts struct {
	done, same int
	last       string
}

// What is enough: other files each time are the work of busy writers, the same one again is gone for good.
const maxRestarts, maxSame = 20, 4

// again reports whether to start over after an error, nil being none.
func (r *restarts) again(err error) bool {
	if err == nil || !vanished(err) || r.done == maxRestarts {
		return false
	}
	r.done++
	if text := err.Error(); text != r.last {
		r.last, r.same = text, 0
	}
	r.same++
	return r.same <= maxSame
}

// vanished reports whether a file that was listed was gone when it was to be read.
func vanished(err error) bool {
	return errors.Is(err, sqlerr.Condition("FAILED_READ_FILE.FILE_NOT_EXIST")) || storage.KindOf(err) == storage.NotFound
}

// restarting are the rows of a query that starts over as long as no row has been handed out.
type restarting struct {
	engine.Rows
	start    func() (engine.Rows, error)
	restarts restarts
	begun    bool
}

// begin starts, as often as it takes.
func (r *restarting) begin() error {
	for {
		rows, err := r.start()
		if err == nil {
			r.Rows = rows
			return nil
		}
		if !r.restarts.again(err) {
			return err
		}
	}
}

// Next implements engine.Rows.
func (r *restarting) Next(ctx context.Context) (*engine.Batch, error) {
	for {
		b, err := r.Rows.Next(ctx)
		if err == nil || r.begun || !r.restarts.again(err) {
			r.begun = true
			return b, err
		}
		failed := r.Rows
		if err := r.begin(); err != nil {
			return nil, err
		}
		_ = failed.Close()
	}
}
