// Package delta keeps the logs of Delta tables over storage: it lists a log, reads what a version is made of, finds versions
// by number and by time, tells a table's history, and remembers what it has read. What the bytes mean is package
// format/delta's to say, and what a query wants of a snapshot its caller's.
//
// It imports format/delta, the storage port and the nouns of the catalog; never an engine, a parser, bind or exec.
package delta

import (
	"context"
	"errors"
	"strings"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Logs are the logs of all tables of the process, with what was read of them. It is safe for concurrent use.
type Logs struct {
	// Now is the clock, and Point is told each named point of a commit that is reached; nil for none. Tests die there.
	Now   func() time.Time
	Point func(name string)

	stores  *storage.Stores
	cache   *cache
	vectors *vectors
}

// NewLogs makes Logs over stores.
func NewLogs(stores *storage.Stores) *Logs {
	return &Logs{Now: time.Now, stores: stores, cache: newCache(maxCached), vectors: newVectors()}
}

// Log is the log of one table. It is safe for concurrent use.
type Log struct {
	logs   *Logs
	root   storage.Location
	bucket *storage.Bucket
	dir    string // the key of _delta_log, with a slash at its end
}

// Reached tells that a named point outside of this package was reached, between a commit and what its caller does next.
func (l *Logs) Reached(name string) { l.point(name) }

func (l *Logs) point(name string) {
	if l != nil && l.Point != nil {
		l.Point(name)
	}
}

// Open returns the log of the table at a location. Nothing is read: a table that is not there is found out later.
func (l *Logs) Open(root storage.Location) (*Log, error) {
	bucket, _, err := l.stores.Open(root)
	if err != nil {
		return nil, failure(err)
	}
	return &Log{logs: l, root: root, bucket: bucket, dir: root.Join(protocol.LogDir).DirKey()}, nil
}

// Root is the table's location.
func (l *Log) Root() storage.Location { return l.root }

// Exists reports whether there is a Delta table: a log with a commit or a checkpoint.
func (l *Log) Exists(ctx context.Context) (bool, error) {
	for o, err := range l.bucket.List(ctx, l.dir, "", false) {
		if err != nil {
			if absent(err) {
				return false, nil
			}
			return false, failure(err)
		}
		if kind := protocol.ParseLogName(o.Key[len(l.dir):]).Kind; kind == protocol.CommitFile || o.Key != l.dir && protocol.ParseLogName(o.Key[len(l.dir):]).IsCheckpoint() {
			return true, nil
		}
	}
	return false, nil
}

// claim is the file, in the staging directory, by which the files at a location without a log are known to be Tarn's: of a
// statement that was making the table and died before its commit.
const claim = "making"

// Claim says, before files are written for a table that has no log yet, that they are ours. Release takes that back.
func (l *Log) Claim(ctx context.Context) error {
	_, err := l.bucket.Put(ctx, l.root.Join(stagingDir).Join(claim).Key(), strings.NewReader(""), storage.Condition{})
	return failure(err)
}

// Release ends a claim. What it cannot remove does no harm: VACUUM removes it.
func (l *Log) Release(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	_ = l.bucket.Delete(ctx, l.root.Join(stagingDir).Join(claim).Key())
	_ = l.bucket.RemoveDir(ctx, l.root.Join(stagingDir).DirKey())
}

// HoldsFiles reports whether anything lies at the table's location that is not of a write of ours that died.
func (l *Log) HoldsFiles(ctx context.Context) (bool, error) {
	staging := l.root.Join(stagingDir).DirKey()
	if _, err := l.bucket.Stat(ctx, staging+claim); err == nil {
		return false, nil
	}
	for o, err := range l.bucket.List(ctx, l.root.DirKey(), "", false) {
		switch {
		case err != nil && absent(err):
			return false, nil
		case err != nil:
			return false, failure(err)
		case !strings.HasPrefix(o.Key, staging):
			return true, nil
		}
	}
	return false, nil
}

// Forget drops what is remembered of a table, so that the next look reads it anew.
func (l *Log) Forget() { l.logs.cache.drop(l.root.String()) }

// name is what errors call the table.
func (l *Log) name() string { return l.root.String() }

// absent reports whether a directory of a store is not there.
func absent(err error) bool {
	kind := storage.KindOf(err)
	return kind == storage.NotFound || kind == storage.NotADirectory
}

// failure gives a failure of a store its condition; what has one, and the end of the context, passes as it is.
func failure(err error) error {
	var known *sqlerr.Error
	var stored *storage.Error
	if err == nil || errors.As(err, &known) || !errors.As(err, &stored) {
		return err
	}
	switch stored.Kind {
	case storage.BadLocation:
		return sqlerr.InvalidLocation(stored.Where, stored.Err.Error())
	case storage.Unsupported:
		if loc, parseErr := storage.ParseLocation(stored.Where, ""); parseErr == nil {
			return sqlerr.UnsupportedLocation(stored.Where, loc.Scheme())
		}
		return sqlerr.InvalidLocation(stored.Where, stored.Err.Error())
	case storage.NotFound:
		e := sqlerr.DeltaFileMissing(stored.Where)
		e.Cause = err
		return e
	}
	return sqlerr.DirectoryUnreadable(stored.Where, stored.Kind.String(), err)
}
