package parallel

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEachDoesEveryPieceOnce(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 7, 100} {
		for _, n := range []int{0, 1, 2, 50, 1000} {
			done := make([]atomic.Int64, n)
			if err := Each(t.Context(), workers, n, func(i int) error { done[i].Add(1); return nil }); err != nil {
				t.Fatal(err)
			}
			for i := range done {
				if got := done[i].Load(); got != 1 {
					t.Errorf("%d workers did piece %d of %d %d times", workers, i, n, got)
				}
			}
		}
	}
}

// TestEachBoundsTheWorkers lets the first pieces wait for one another, so that as many run as may, and counts what runs.
func TestEachBoundsTheWorkers(t *testing.T) {
	const workers = 5
	var first sync.WaitGroup
	first.Add(workers)
	var now, over atomic.Int64
	err := Each(t.Context(), workers, 200, func(i int) error {
		if now.Add(1) > workers {
			over.Add(1)
		}
		if i < workers {
			first.Done()
			first.Wait()
		}
		now.Add(-1)
		return nil
	})
	if err != nil || over.Load() > 0 {
		t.Errorf("%d pieces were more than may run at once, %v", over.Load(), err)
	}
}

// TestEachStopsAtAFailure would not end if the failure stopped nothing.
func TestEachStopsAtAFailure(t *testing.T) {
	bad := errors.New("bad")
	for _, workers := range []int{1, 4} {
		err := Each(t.Context(), workers, math.MaxInt, func(i int) error {
			if i == 3 {
				return bad
			}
			return nil
		})
		if !errors.Is(err, bad) {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

func TestEachStopsWithItsContext(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var after atomic.Int64
		err := Each(ctx, workers, 1000, func(i int) error {
			if ctx.Err() != nil {
				after.Add(1)
			}
			if i == 10 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || after.Load() > int64(workers) {
			t.Errorf("%d workers: %v, %d pieces begun after the end", workers, err, after.Load())
		}
	}
}

func TestEachPassesAPanicOn(t *testing.T) {
	for _, workers := range []int{1, 4} {
		func() {
			defer func() {
				v := recover()
				if text, ok := v.(string); !ok || !strings.Contains(text, "ouch") || workers > 1 && !strings.Contains(text, "parallel_test.go") {
					t.Errorf("%d workers: recovered %v", workers, v)
				}
			}()
			_ = Each(t.Context(), workers, 8, func(i int) error {
				if i == 5 {
					panic("ouch")
				}
				return nil
			})
			t.Errorf("%d workers: no panic", workers)
		}()
	}
}

func TestAwait(t *testing.T) {
	if v, ended := Await(t.Context(), func() int { return 7 }); v != 7 || !ended {
		t.Errorf("got %d, %v", v, ended)
	}
	if v, ended := Await(context.Background(), func() int { return 7 }); v != 7 || !ended {
		t.Errorf("without an end of the context: %d, %v", v, ended)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	go func() {
		<-begun
		cancel()
	}()
	if v, ended := Await(ctx, func() int { close(begun); <-release; return 7 }); v != 0 || ended {
		t.Errorf("work that does not end: %d, %v", v, ended)
	}
	defer func() {
		if v, _ := recover().(string); !strings.Contains(v, "boom") || !strings.Contains(v, "parallel_test.go") {
			t.Errorf("the caller saw the panic %q", v)
		}
	}()
	Await(t.Context(), func() int { panic("boom") })
}
