package cli

import (
	"context"
	"errors"
	"io"
	"time"
)

// sinkPatience is how long a write of an answer may still wait for its reader after the statement was canceled.
const sinkPatience = 400 * time.Millisecond

// errLeft is the failure of a write that was left behind.
var errLeft = errors.New("nobody reads it")

// sink writes answers to where they go, and does not wait forever: a pipe whose reader has stopped would otherwise keep a
// canceled statement. Once it has left a write behind it writes nothing any more.
type sink struct {
	w    io.Writer
	ctx  context.Context //nolint:containedctx // an io.Writer is given none
	left bool
}

// until makes the writes that follow those of the statement of ctx.
func (s *sink) until(ctx context.Context) {
	if s != nil {
		s.ctx = ctx
	}
}

// Write implements io.Writer. Bytes of a write that was left behind must not be changed: bufio, which gives them, takes nothing
// after an error.
func (s *sink) Write(p []byte) (int, error) {
	if s.left {
		return 0, errLeft
	}
	if s.ctx == nil || s.ctx.Done() == nil {
		return s.w.Write(p)
	}
	type outcome struct {
		n   int
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		n, err := s.w.Write(p)
		done <- outcome{n, err}
	}()
	select {
	case o := <-done:
		return o.n, o.err
	case <-s.ctx.Done():
	}
	timer := time.NewTimer(sinkPatience)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.n, o.err
	case <-timer.C:
		s.left = true
		return 0, errLeft
	}
}
