package cli

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a terminal of one line: it keeps what was shown, and what is left on it.
type screen struct {
	mu    sync.Mutex
	shown []string
	line  string
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := range strings.SplitSeq(string(p), "\r\x1b[K") {
		if s.line = text; text != "" {
			s.shown = append(s.shown, text)
		}
	}
	return len(p), nil
}

func (s *screen) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line
}

func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w screen
		p := newProgressLine(&w)
		see := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := w.now(); got != want {
				t.Errorf("the line is %q, want %q", got, want)
			}
		}

		// What is over soon needs no line, and leaves none.
		p.start()
		time.Sleep(progressDelay - time.Millisecond)
		p.stop()
		see("")
		if len(w.shown) != 0 {
			t.Errorf("a short statement showed %q", w.shown)
		}

		p.start()
		time.Sleep(time.Second)
		see("running, 0.9s")
		p.note("looking up files", nil)
		time.Sleep(150 * time.Millisecond)
		see("looking up files, 1.1s")
		share := -1.0
		p.note("writing", func() float64 { return share })
		time.Sleep(150 * time.Millisecond)
		see("writing, 1.2s")
		share = 41.6
		time.Sleep(150 * time.Millisecond)
		see("writing 42%, 1.4s")
		// A new phase has no share of its own until it is given one.
		p.note("committing", nil)
		time.Sleep(150 * time.Millisecond)
		see("committing, 1.5s")
		p.stop()
		see("")

		// The next statement knows nothing of it, and stopping twice does no harm.
		p.start()
		time.Sleep(time.Second)
		see("running, 0.9s")
		p.stop()
		p.stop()
		see("")
	})
}

func TestNoProgressLine(t *testing.T) {
	var p *progressLine
	p.start()
	p.note("writing", func() float64 { return 1 })
	p.stop()
}

// blocked is a pipe whose reader has stopped.
type blocked struct{ release chan struct{} }

func (b blocked) Write(p []byte) (int, error) {
	<-b.release
	return len(p), nil
}

func TestAnswersDoNotWaitForAReaderForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &sink{w: blocked{release}}
		ctx, cancel := context.WithCancel(t.Context())
		s.until(ctx)
		time.AfterFunc(time.Hour, cancel)
		since := time.Now()
		if _, err := s.Write([]byte("a")); err != errLeft { //nolint:errorlint // as it is
			t.Errorf("got %v", err)
		}
		if took := time.Since(since); took < time.Hour {
			t.Errorf("it was left after %v, though nobody had canceled", took)
		}
		// Bytes after those would come in the middle of them.
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		s.until(ctx)
		if _, err := s.Write([]byte("b")); err != errLeft { //nolint:errorlint // as it is
			t.Errorf("the next write: %v", err)
		}
		close(release)

		var w bytes.Buffer
		quick := &sink{w: &w}
		for _, text := range []string{"a", "b"} {
			if n, err := quick.Write([]byte(text)); n != 1 || err != nil {
				t.Error(n, err)
			}
			quick.until(ctx)
		}
		if w.String() != "ab" {
			t.Errorf("wrote %q", w.String())
		}
	})
}
