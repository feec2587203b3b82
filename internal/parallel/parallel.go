// Package parallel runs independent pieces of work on several goroutines, and work that cannot be stopped on one that can be
// left. It owns how they are handed out, how a failure stops the rest, and that a panic reaches the caller. It must not import
// other packages of Tarn.
package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls work for 0 … n-1, at most workers at once, and returns the first failure; after it, or when ctx has ended, no
// piece is begun. With one worker, or one piece, the caller does the work itself, in order. A panic of work is raised again in
// the caller with the stack that it came from, since nobody could recover it on a goroutine of its own.
func Each(ctx context.Context, workers, n int, work func(i int) error) error {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	var stop atomic.Bool
	var once sync.Once
	var first error
	var raised any
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					stop.Store(true)
					stack := debug.Stack()
					once.Do(func() { raised = fmt.Sprintf("%v\n\n%s", v, stack) })
				}
			}()
			for !stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = work(i)
				}
				if err != nil {
					stop.Store(true)
					once.Do(func() { first = err })
				}
			}
		})
	}
	group.Wait()
	if raised != nil {
		panic(raised)
	}
	return first
}

// Await runs work that knows no context, and returns what it makes and true, or false when ctx ends first. The work goes on
// then, though nobody waits for it: it must not change anything that others see. A panic of it is raised again in the caller.
func Await[T any](ctx context.Context, work func() T) (made T, ended bool) {
	if ctx.Done() == nil {
		return work(), true
	}
	type outcome struct {
		made   T
		raised any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if v := recover(); v != nil {
				o.raised = fmt.Sprintf("%v\n\n%s", v, debug.Stack())
			}
			done <- o
		}()
		o.made = work()
	}()
	select {
	case o := <-done:
		if o.raised != nil {
			panic(o.raised)
		}
		return o.made, true
	case <-ctx.Done():
		return made, false
	}
}
