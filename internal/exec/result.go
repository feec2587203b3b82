package exec

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// Result is the answer of one statement: a header and a stream of rows. A command without rows has no columns.
type Result struct {
	Columns []plan.Column
	rows    engine.Rows
}

// Next returns the next batch of rows, valid until the following call, or nil at the end. A bug that makes it panic ends the
// statement alone, as in Execute.
func (r *Result) Next(ctx context.Context) (b *vector.Batch, err error) {
	if r.rows == nil {
		return nil, nil
	}
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, sqlerr.Internal(fmt.Errorf("panic while rows are read: %v\n%s", p, debug.Stack()))
		}
	}()
	return r.rows.Next(ctx)
}

// Close ends the statement. It must be called.
func (r *Result) Close() error {
	if r.rows == nil {
		return nil
	}
	return r.rows.Close()
}

// stringColumns names the columns of a command's answer, all STRING.
func stringColumns(names ...string) []plan.Column {
	out := make([]plan.Column, len(names))
	for i, n := range names {
		out[i] = plan.Column{Name: n, Type: types.Of(types.String)}
	}
	return out
}

// none is the answer of a command without rows.
func none() *Result { return &Result{} }

// table is the answer of a command that has its rows at hand.
func table(cols []plan.Column, rows [][]types.Value) *Result {
	i := 0
	return stream(cols, func() ([]types.Value, bool, error) {
		if i == len(rows) {
			return nil, false, nil
		}
		i++
		return rows[i-1], true, nil
	}, nil)
}

// stream is the answer of a command that produces its rows one by one; next reports false at the end.
func stream(cols []plan.Column, next func() ([]types.Value, bool, error), onClose func()) *Result {
	return &Result{Columns: cols, rows: &rowStream{cols: cols, next: next, onClose: onClose}}
}

// rowStream packs rows of values into batches.
type rowStream struct {
	cols    []plan.Column
	next    func() ([]types.Value, bool, error)
	onClose func()
	done    bool
}

func (s *rowStream) Columns() []plan.Column { return s.cols }

func (s *rowStream) Close() error {
	if s.onClose != nil {
		s.onClose()
		s.onClose = nil
	}
	return nil
}

func (s *rowStream) Next(ctx context.Context) (*vector.Batch, error) {
	if s.done {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, canceled(err)
	}
	ts := make([]types.Type, len(s.cols))
	for i, c := range s.cols {
		ts[i] = c.Type
	}
	b := vector.NewBatch(ts)
	for b.Len < vector.MaxRows {
		row, ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			s.done = true
			break
		}
		b.Append(row)
	}
	if b.Len == 0 {
		return nil, nil
	}
	return b, nil
}
