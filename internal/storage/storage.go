// Package storage is the port to places that hold files: local disks now, object stores later. It owns locations
// (absolute URIs), the portable Bucket over a small Driver, and the kinds of failure a store can report. Nothing outside
// this package and its drivers knows a particular store.
//
// It imports the standard library only.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// Kind says what went wrong, for callers that decide by it.
type Kind uint8

// The kinds of failure.
const (
	Other Kind = iota
	NotFound
	PermissionDenied
	AlreadyExists
	PreconditionFailed
	NotADirectory
	NameTooLong
	LinkLoop
	NoSpace
)

// Error is a failure of a store: what was tried, where, and its kind.
type Error struct {
	Op    string // list, read, put, delete, stat, rename
	Where string // location
	Kind  Kind
	Err   error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Where, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the *Error in err's chain, or Other.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Other
}

// Object is one entry of a listing.
type Object struct {
	Key string // from the bucket's root, '/' between parts, no leading '/'
	// IsPrefix marks a group of keys (a directory); Key then ends with '/'.
	IsPrefix bool
	// IsLink marks a symbolic link of a local disk; Size and ModTime are the target's, and IsPrefix tells whether the target is
	// a directory.
	IsLink  bool
	Size    int64
	ModTime time.Time
	ETag    string
}

// Condition makes a Put fail rather than replace. The zero Condition always writes.
type Condition struct {
	IfAbsent bool
	IfMatch  string // ETag
}

// Driver is what a store implements. Keys are UTF-8 where the store says so, use '/', and never start with it. Every
// method is safe for concurrent use, honours ctx, and reports failures as *Error.
type Driver interface {
	// List yields the entries under prefix in ascending byte order of keys, after the key "after" when it is set. With flat
	// false, keys are grouped at the next '/' and a group comes once with IsPrefix set. A prefix that does not
	// exist is NotFound where the store can tell (local, HDFS) and yields nothing where it cannot.
	List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[Object, error]
	// Stat looks at one key, or at a directory when key ends with '/' (which then exists when any key lies below it).
	Stat(ctx context.Context, key string) (Object, error)
	// Read opens n bytes from off; n < 0 reads to the end, off < 0 counts from the end.
	Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, Object, error)
	// Put writes the whole object or nothing.
	Put(ctx context.Context, key string, body io.Reader, cond Condition) (Object, error)
	// Delete removes keys; a missing key is not an error. A key that ends with '/' removes everything below it.
	Delete(ctx context.Context, keys ...string) error
	Close() error
}

// Renamer is implemented by drivers whose store renames without copying. Renaming onto an existing key is
// AlreadyExists.
type Renamer interface {
	Rename(ctx context.Context, src, dst string) error
}

// DirMaker is implemented by drivers whose store has real directories.
type DirMaker interface {
	MakeDir(ctx context.Context, key string) error
}

// LocalPather is implemented by drivers whose objects are files of this machine.
type LocalPather interface {
	LocalPath(key string) string
}

// File is one data file: where it is and the identity it was listed with.
type File struct {
	Bucket *Bucket
	Object
}
