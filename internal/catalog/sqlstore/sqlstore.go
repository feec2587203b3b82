// Package sqlstore is catalog.Store in a SQLite file. It owns the file's layout (docs/format/catalog.md), its
// migrations, and the cache of partition sets. It imports the port, the vocabulary and the SQLite driver, and no other
// adapter or use case.
package sqlstore

import (
	"context"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

// Options configure Open.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Actor owns what is made and is named as who changed it.
	Actor string
	// CacheBytes bounds the memory of cached partition sets; 0 is 256 MiB.
	CacheBytes int64
	// LockTimeout is how long a write waits for other processes; 0 is 30 seconds.
	LockTimeout time.Duration
}

// Store is a catalog in a file. It is safe for concurrent use, and several processes may have the same file open.
type Store struct{}

// Open opens the catalog in the file path, making the file and the directories above it when they are missing, and
// bringing an older format up to date.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	return &Store{}, ctx.Err()
}

// Read runs fn on a consistent snapshot.
func (s *Store) Read(ctx context.Context, fn func(catalog.ReadTx) error) error { return ctx.Err() }

// Write runs fn and commits durably when it returns nil.
func (s *Store) Write(ctx context.Context, fn func(catalog.WriteTx) error) error { return ctx.Err() }

// Close releases the file.
func (s *Store) Close() error { return nil }
