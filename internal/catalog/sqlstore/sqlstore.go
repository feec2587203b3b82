// Package sqlstore is catalog.Store in a SQLite file. It owns the file's layout (docs/format/catalog.md), its
// migrations, and the cache of partition sets. It imports the port, the vocabulary and the SQLite driver, and no other
// adapter or use case.
//
// Readers and writers work at the same time (WAL): a reader sees the file as it was when its transaction began, writers
// take turns, also with those of other processes.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

// Options configure Open.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Actor owns what is made and is named as who changed it.
	Actor string
	// CacheBytes bounds the memory of cached partition sets; 0 is 256 MiB, less than 0 none.
	CacheBytes int64
	// LockTimeout is how long a transaction waits for other processes; 0 is 30 seconds.
	LockTimeout time.Duration
}

const (
	defaultCacheBytes  = 256 << 20
	defaultLockTimeout = 30 * time.Second
	// maxReaders bounds file handles. It is far above the number of processors because a reader may start another one
	// within its own transaction, and two of those must not wait for each other's connections.
	maxReaders = 256
)

// Store is a catalog in a file. It is safe for concurrent use, and several processes may have the same file open.
type Store struct {
	path    string
	now     func() time.Time
	actor   string
	wait    time.Duration
	readers *sql.DB
	writer  *sql.DB // one connection, opened by the first write
	sets    *setCache
}

var _ catalog.Store = (*Store)(nil)

// Open opens the catalog in the file path, making the file and the directories above it when they are missing, and
// bringing an older format up to date. A file that is damaged, of another program, made by a newer Tarn, locked or out
// of reach is a *catalog.StoreError.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s := &Store{path: path, now: o.Now, actor: o.Actor, wait: o.LockTimeout}
	if s.now == nil {
		s.now = time.Now
	}
	if s.wait == 0 {
		s.wait = defaultLockTimeout
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	s.sets = newSetCache(o.CacheBytes)
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	s.readers = pool(path, "rw", maxReaders, 2*runtime.GOMAXPROCS(0))
	s.writer = pool(path, "rw", 1, 1)
	migrate := false
	err := s.retry(ctx, func() (err error) {
		migrate, err = s.look(ctx)
		return err
	})
	if err == nil && migrate {
		var all fs.FS
		if all, err = steps(); err == nil {
			err = s.retry(ctx, func() error { return s.migrate(ctx, all) })
		}
	}
	if err != nil {
		s.Close()
		return nil, s.failure(err)
	}
	return s, nil
}

// look inspects the file as it was at one moment: another process may be making the catalog, and its tables must not be seen
// with the header of the empty file.
func (s *Store) look(ctx context.Context) (migrate bool, err error) {
	tx, err := s.readers.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	migrate, err = s.inspect(ctx, tx)
	return migrate, errors.Join(err, tx.Rollback())
}

// prepare sees to it that there is a file to open.
func (s *Store) prepare(ctx context.Context) error {
	info, err := os.Stat(s.path)
	switch {
	case err == nil && info.IsDir():
		return notCreatable(s.path, errors.New("it is a directory"))
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return notCreatable(s.path, err)
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return notCreatable(dir, err)
	}
	// An empty file is an empty database. Making it here gives the system's own words when that fails.
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return notCreatable(s.path, err)
	}
	return f.Close()
}

// Close waits for running transactions and releases the file.
func (s *Store) Close() error {
	return errors.Join(s.writer.Close(), s.readers.Close())
}

// Read runs fn on a consistent snapshot: the catalog as it was when Read was called.
func (s *Store) Read(ctx context.Context, fn func(catalog.ReadTx) error) error {
	conn, err := s.begin(ctx, s.readers, "BEGIN", "min_reader")
	if err != nil {
		return err
	}
	defer s.end(ctx, conn)
	return s.failure(fn(&readTx{ctx: ctx, conn: conn, st: s}))
}

// Write runs fn and commits durably when it returns nil; else nothing changed. It waits its turn, for at most the lock
// timeout when it is another process that holds the catalog (catalog.ErrLocked). fn may call Read, and sees there
// what was committed before it; it must not call Write, which would wait for itself.
func (s *Store) Write(ctx context.Context, fn func(catalog.WriteTx) error) error {
	conn, err := s.begin(ctx, s.writer, "BEGIN IMMEDIATE", "min_writer")
	if err != nil {
		return err
	}
	tx := &writeTx{readTx: readTx{ctx: ctx, conn: conn, st: s, fresh: map[int64]cached{}}, now: s.now().UTC()}
	defer s.end(ctx, conn)
	if err := fn(tx); err != nil {
		return s.failure(err)
	}
	if tx.broken != nil { // fn passed over a failure after which SQLite may have ended the transaction
		return s.failure(tx.broken)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// From here on the outcome must not depend on the caller's patience: it is committed, or it is not.
	ctx = context.WithoutCancel(ctx)
	err = s.retry(ctx, func() error {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
	if err != nil {
		return s.failure(err)
	}
	for id, c := range tx.fresh {
		s.sets.put(id, c)
	}
	return nil
}

// begin starts a transaction on a connection of the pool. It returns when the transaction has its snapshot, and has
// seen that the file still is of a format that we understand: another process may have migrated it.
func (s *Store) begin(ctx context.Context, db *sql.DB, statement, need string) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, s.failure(err)
	}
	err = s.retry(ctx, func() error {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
		var format int64
		err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format)
		if err == nil && format > currentFormat {
			err = s.checkNewer(ctx, conn, format, need)
		}
		if err != nil {
			rollback(ctx, conn)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(s.failure(err), conn.Close())
	}
	return conn, nil
}

// end rolls back what was not committed and gives the connection back; it also runs when fn panics.
func (s *Store) end(ctx context.Context, conn *sql.Conn) {
	rollback(ctx, conn)
	conn.Close()
}

// rollback ends a transaction, if there still is one: SQLite ends it by itself after some failures, and then, as after
// a commit, says that there is none.
func rollback(ctx context.Context, conn *sql.Conn) {
	_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
}

// retry runs fn again while another connection's lock is in the way, until the lock timeout or ctx ends. The pauses
// grow from a tenth of a millisecond to ten, with a random part so that processes that wait together part.
func (s *Store) retry(ctx context.Context, fn func() error) error {
	deadline := time.Now().Add(s.wait)
	pause := 100 * time.Microsecond
	for {
		err := fn()
		if err == nil || !busy(err) {
			return err
		}
		if time.Now().After(deadline) {
			return err
		}
		t := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
		pause = min(2*pause, 10*time.Millisecond)
	}
}
