// Package faulty makes a store fail on purpose: it wraps a driver, and a Plan says for each operation whether it fails before
// it is applied, is applied and loses its answer, or is the last before a crash. What was asked, and what failed, is kept, so
// that a failing test prints it.
//
// It is for tests, and only they import it. It imports package storage and the standard library only.
package faulty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/tarnlake/tarn/internal/storage"
)

// Fault is what happens to one operation.
type Fault uint8

// The faults.
const (
	None Fault = iota
	// FailBefore fails with ErrInjected and does nothing.
	FailBefore
	// FailAfter does it and then fails with ErrInjected: the answer is lost.
	FailAfter
	// CrashBefore does nothing and fails with ErrCrashed, as every later operation does.
	CrashBefore
	// CrashAfter does it, and fails with ErrCrashed, as every later operation does.
	CrashAfter
)

// String names the fault.
func (f Fault) String() string {
	return [...]string{"none", "fail before", "fail after", "crash before", "crash after"}[f]
}

// ErrInjected is the cause of a failure that a plan asked for; ErrCrashed that of every operation since a crash. Both come in a
// *storage.Error of kind Other.
var (
	ErrInjected = errors.New("a fault was injected")
	ErrCrashed  = errors.New("the process crashed")
)

// Plan decides the fault of operation number n (from 1, in the order in which they begin). op is one of list, readdir, stat,
// read, open, put, delete, rename, mkdir, move, exchange, ensuredir, rmdir, sync; key is the first of its keys. A nil Plan
// never fails. A Plan is called by one goroutine at a time.
type Plan func(op, key string, n int) Fault

// Seeded fails a share of all operations (0 to 1), each with one of faults. The same seed decides the same for the same number:
// runs are alike when the store is used by one goroutine.
func Seeded(seed uint64, share float64, faults ...Fault) Plan {
	return func(_, _ string, n int) Fault {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		if r.Float64() >= share {
			return None
		}
		return faults[r.IntN(len(faults))]
	}
}

// At fails the operations of some numbers.
func At(faults map[int]Fault) Plan {
	return func(_, _ string, n int) Fault { return faults[n] }
}

// Operation is one thing that was asked of the store.
type Operation struct {
	Number int
	Name   string
	Keys   []string // src and dst of a rename or move; the files and then the directories of a sync
	Fault  Fault
}

// String is a line of a trace.
func (o Operation) String() string {
	s := fmt.Sprintf("%d %s %s", o.Number, o.Name, strings.Join(o.Keys, " "))
	if o.Fault != None {
		s += " [" + o.Fault.String() + "]"
	}
	return s
}

// Store is a store that fails on purpose. It is safe for concurrent use. Operations under way when it crashes in another
// goroutine may still be applied, but their answer is lost; what was opened can be read on.
type Store struct {
	inner storage.Driver
	plain *storage.Bucket // inner, for what its driver may lack

	mu      sync.Mutex
	plan    Plan
	trace   []Operation
	crashed bool

	gate sync.RWMutex // held for reading by each operation that changes something
}

// New wraps a driver.
func New(inner storage.Driver, plan Plan) *Store {
	return &Store{inner: inner, plain: storage.NewBucket(inner, storage.Location{}), plan: plan}
}

// Trace lists the operations so far.
func (s *Store) Trace() []Operation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Operation(nil), s.trace...)
}

// Crashed reports whether the plan made it crash. What the process of a test does beside this store must then have no effect
// either.
func (s *Store) Crashed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crashed
}

// Hold stops the process of a test as a stopped machine would: it waits for the operations under way that change something, and
// others do not begin before release. Who calls it must not be within an operation.
func (s *Store) Hold() (release func()) {
	s.gate.Lock()
	return s.gate.Unlock
}

// Open is a storage.Factory that always opens this store.
func (s *Store) Open(storage.Location) (storage.Driver, error) { return s.Driver(), nil }

// Driver is the store as a driver, with the abilities that the wrapped one has: all that change something or none of them.
func (s *Store) Driver() storage.Driver {
	_, renames := s.inner.(storage.Renamer)
	_, makes := s.inner.(storage.DirMaker)
	_, moves := s.inner.(storage.Mover)
	local, isLocal := s.inner.(storage.LocalPather)
	switch {
	case !renames && !makes && !moves && !isLocal:
		return objects{s}
	case renames && makes && moves && !isLocal:
		return files{objects{s}}
	case renames && makes && moves:
		return localFiles{files{objects{s}}, local}
	default:
		panic(fmt.Sprintf("faulty: %T has abilities that are not known to come alone", s.inner))
	}
}

// reads are the operations that change nothing. Their callers do other operations meanwhile.
var reads = map[string]bool{"list": true, "readdir": true, "stat": true, "read": true, "open": true}

// do runs one operation, or what its fault makes of it.
func (s *Store) do(op string, keys []string, apply func() error) error {
	if !reads[op] {
		s.gate.RLock()
		defer s.gate.RUnlock()
	}
	key := ""
	if len(keys) > 0 {
		key = keys[0]
	}
	failure := func(cause error) error {
		return &storage.Error{Op: op, Where: "faulty:/" + key, Kind: storage.Other, Err: cause}
	}
	fault := s.begin(op, key, keys)
	switch fault {
	case FailBefore:
		return failure(ErrInjected)
	case CrashBefore:
		return failure(ErrCrashed)
	}
	err := apply()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case fault == CrashAfter, s.crashed:
		s.crashed = true
		return failure(ErrCrashed)
	case fault == FailAfter:
		return failure(ErrInjected)
	default:
		return err
	}
}

func (s *Store) begin(op, key string, keys []string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return CrashBefore
	}
	o := Operation{Number: len(s.trace) + 1, Name: op, Keys: append([]string(nil), keys...)}
	if s.plan != nil {
		o.Fault = s.plan(op, key, o.Number)
	}
	s.trace = append(s.trace, o)
	s.crashed = o.Fault == CrashBefore
	return o.Fault
}

// objects is the driver of a store that has only objects.
type objects struct{ s *Store }

// List implements storage.Driver. With FailAfter the entries come before the failure.
func (d objects) List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		stopped := false
		err := d.s.do("list", []string{prefix}, func() error {
			for o, err := range d.s.inner.List(ctx, prefix, after, flat) {
				if err != nil {
					return err
				}
				if !yield(o, nil) {
					stopped = true
					return nil
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(storage.Object{}, err)
		}
	}
}

// ReadDir implements storage.DirReader. With FailAfter the entries come before the failure.
func (d objects) ReadDir(ctx context.Context, key string, info bool, yield func(*storage.Entry) error) error {
	return d.s.do("readdir", []string{key}, func() error { return d.s.plain.ReadDir(ctx, key, info, yield) })
}

// Stat implements storage.Driver.
func (d objects) Stat(ctx context.Context, key string) (o storage.Object, err error) {
	err = d.s.do("stat", []string{key}, func() error {
		o, err = d.s.inner.Stat(ctx, key)
		return err
	})
	if err != nil {
		return storage.Object{}, err
	}
	return o, nil
}

// Read implements storage.Driver.
func (d objects) Read(ctx context.Context, key string, off, n int64) (r io.ReadCloser, o storage.Object, err error) {
	err = d.s.do("read", []string{key}, func() error {
		r, o, err = d.s.inner.Read(ctx, key, off, n)
		return err
	})
	if err != nil {
		return nil, storage.Object{}, closed(r, err)
	}
	return r, o, nil
}

// Open implements storage.Opener.
func (d objects) Open(ctx context.Context, key string) (r storage.ReaderAt, err error) {
	err = d.s.do("open", []string{key}, func() error {
		r, err = d.s.plain.OpenAt(ctx, key)
		return err
	})
	if err != nil {
		return nil, closed(r, err)
	}
	return r, nil
}

// closed closes what was opened in vain.
func closed(c io.Closer, err error) error {
	if c != nil {
		return errors.Join(err, c.Close())
	}
	return err
}

// Put implements storage.Driver.
func (d objects) Put(ctx context.Context, key string, body io.Reader, cond storage.Condition) (o storage.Object, err error) {
	err = d.s.do("put", []string{key}, func() error {
		o, err = d.s.inner.Put(ctx, key, body, cond)
		return err
	})
	if err != nil {
		return storage.Object{}, err
	}
	return o, nil
}

// Delete implements storage.Driver.
func (d objects) Delete(ctx context.Context, keys ...string) error {
	return d.s.do("delete", keys, func() error { return d.s.inner.Delete(ctx, keys...) })
}

// Close implements storage.Driver. It never fails on purpose.
func (d objects) Close() error { return d.s.inner.Close() }

// files is the driver of a store that has files in directories.
type files struct{ objects }

// Rename implements storage.Renamer.
func (d files) Rename(ctx context.Context, src, dst string) error {
	return d.s.do("rename", []string{src, dst}, func() error { return d.s.plain.Rename(ctx, src, dst) })
}

// MakeDir implements storage.DirMaker.
func (d files) MakeDir(ctx context.Context, key string) error {
	return d.s.do("mkdir", []string{key}, func() error { return d.s.plain.MakeDir(ctx, key) })
}

// Move implements storage.Mover.
func (d files) Move(ctx context.Context, src, dst string) error {
	return d.s.do("move", []string{src, dst}, func() error { return d.s.plain.Move(ctx, src, dst) })
}

// Exchange implements storage.Mover.
func (d files) Exchange(ctx context.Context, a, b string) error {
	return d.s.do("exchange", []string{a, b}, func() error { return d.s.plain.Exchange(ctx, a, b) })
}

// EnsureDir implements storage.Mover.
func (d files) EnsureDir(ctx context.Context, key string) error {
	return d.s.do("ensuredir", []string{key}, func() error { return d.s.plain.EnsureDir(ctx, key) })
}

// RemoveDir implements storage.Mover.
func (d files) RemoveDir(ctx context.Context, key string) error {
	return d.s.do("rmdir", []string{key}, func() error { return d.s.plain.RemoveDir(ctx, key) })
}

// Sync implements storage.Mover.
func (d files) Sync(ctx context.Context, names, dirs []string) error {
	keys := append(append([]string(nil), names...), dirs...)
	return d.s.do("sync", keys, func() error { return d.s.plain.Sync(ctx, names, dirs) })
}

// localFiles is the driver of a store on this machine. Paths are told without a fault: they touch nothing.
type localFiles struct {
	files
	storage.LocalPather
}
