// Package memstore is catalog.Store in memory: the reference that other stores are compared with, and the store of
// tests. It keeps nothing when the process ends. It imports the port and the vocabulary only.
package memstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

// Options configure a store.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Actor owns what is made and is named as who changed it.
	Actor string
}

// Store keeps one immutable state. A reader takes the state of the moment; a writer changes a copy and puts it in place.
type Store struct {
	now   func() time.Time
	actor string
	write sync.Mutex // one writer at a time
	state atomic.Pointer[state]
}

var _ catalog.Store = (*Store)(nil)

// New makes an empty store.
func New(o Options) *Store {
	s := &Store{now: o.Now, actor: o.Actor}
	if s.now == nil {
		s.now = time.Now
	}
	s.state.Store(newState())
	return s
}

// Read runs fn on the state of the moment.
func (s *Store) Read(ctx context.Context, fn func(catalog.ReadTx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(&readTx{s.state.Load()})
}

// Write runs fn on a copy of the state, which takes its place when fn returns nil.
func (s *Store) Write(ctx context.Context, fn func(catalog.WriteTx) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	st := s.state.Load().clone()
	// Microseconds are what other stores keep.
	tx := &writeTx{readTx: readTx{st}, now: s.now().UTC().Truncate(time.Microsecond), actor: s.actor}
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.state.Store(st)
	return nil
}

// Close does nothing: there is nothing to release.
func (s *Store) Close() error { return nil }
