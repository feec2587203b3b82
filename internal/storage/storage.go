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
	// NotEmpty: a directory that was to be empty holds something.
	NotEmpty
	// IsADirectory: a file was expected and a directory found.
	IsADirectory
	// BadLocation: the text is not a location, or not one that the store can hold.
	BadLocation
	// Unsupported: no driver serves the location's scheme, or the store lacks the ability that was asked for.
	Unsupported
)

// String names the kind in words that can end a sentence, such as "permission denied".
func (k Kind) String() string {
	switch k {
	case NotFound:
		return "not found"
	case PermissionDenied:
		return "permission denied"
	case AlreadyExists:
		return "already exists"
	case PreconditionFailed:
		return "changed in the meantime"
	case NotADirectory:
		return "not a directory"
	case NameTooLong:
		return "name too long"
	case LinkLoop:
		return "symbolic links form a loop"
	case NoSpace:
		return "no space left"
	case NotEmpty:
		return "not empty"
	case IsADirectory:
		return "is a directory"
	case BadLocation:
		return "not a valid location"
	case Unsupported:
		return "not supported by this store"
	default:
		return "input/output failure"
	}
}

// Error is a failure of a store: what was tried, where, and its kind.
type Error struct {
	Op    string // list, read, put, delete, stat, rename, mkdir, open, parse, move, exchange, rmdir, sync
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

// Identity tells files of one store apart, whatever name they are reached by. The zero Identity means that the store has
// none.
type Identity struct{ Device, Number uint64 }

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
	// ETag names the content. Stat, Read and Put fill it; a listing fills it where that costs nothing.
	ETag string
	ID   Identity
}

// Condition makes a Put fail rather than replace. The zero Condition always writes.
type Condition struct {
	IfAbsent bool
	IfMatch  string // ETag
}

// Driver is what a store implements. Keys are UTF-8 where the store says so, use '/', and never start with it. Every
// method is safe for concurrent use, honours ctx, and reports failures as *Error.
type Driver interface {
	// List yields the entries whose key begins with prefix, in ascending byte order of keys, after the key "after" when it
	// is set. With flat false, keys are grouped at the next '/' and a group comes once with IsPrefix set; with flat true,
	// only objects come, and symbolic links to directories as groups that are not entered. A prefix whose directory (the
	// part up to its last '/') does not exist is NotFound where the store can tell (local, HDFS) and yields nothing where
	// it cannot.
	List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[Object, error]
	// Stat looks at one key, or at a directory when key is "" or ends with '/' (which then exists when any key lies below
	// it).
	Stat(ctx context.Context, key string) (Object, error)
	// Read opens n bytes from off; n < 0 reads to the end, off < 0 counts from the end. A range that begins at or after
	// the end reads as empty.
	Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, Object, error)
	// Put writes the whole object or nothing, durably, and makes the directories above it where the store has them. A
	// Condition that does not hold leaves the old object in place: AlreadyExists for IfAbsent, PreconditionFailed for
	// IfMatch.
	Put(ctx context.Context, key string, body io.Reader, cond Condition) (Object, error)
	// Delete removes keys; a missing key is not an error. A key that ends with '/' removes everything below it, and the
	// directory itself; a symbolic link is removed, never what it points at.
	Delete(ctx context.Context, keys ...string) error
	Close() error
}

// Renamer is implemented by drivers whose store renames without copying, durably. Renaming onto an existing key is
// AlreadyExists. Directories above dst are made. Mover is for those who rename much at once.
type Renamer interface {
	Rename(ctx context.Context, src, dst string) error
}

// DirMaker is implemented by drivers whose store has real directories. Making one that exists is not an error.
type DirMaker interface {
	MakeDir(ctx context.Context, key string) error
}

// LocalPather is implemented by drivers whose objects are files of this machine.
type LocalPather interface {
	LocalPath(key string) string
}

// DirReader is implemented by drivers that can name the children of a directory more cheaply than List: unsorted,
// without a look at each.
type DirReader interface {
	// ReadDir calls yield for each child of the directory key ("" is the root, else it ends with '/') and stops at the
	// first error that yield returns, which it returns as it is. With info, files carry their size, time and identity. A
	// symbolic link always carries its target's. Errors are those of List.
	ReadDir(ctx context.Context, key string, info bool, yield func(*Entry) error) error
}

// Opener is implemented by drivers that keep an object open for reads at random places.
type Opener interface {
	Open(ctx context.Context, key string) (ReaderAt, error)
}

// ReaderAt reads an open object at any place. It is safe for concurrent use.
type ReaderAt interface {
	io.ReaderAt
	io.Closer
	// Size is the object's size in bytes when it was opened.
	Size() int64
}

// EntryType says what a child of a directory is.
type EntryType uint8

// The types of a child.
const (
	FileEntry EntryType = iota
	DirEntry
	OtherEntry  // a device, socket or pipe: never data
	BrokenEntry // a symbolic link to nothing
	LoopEntry   // a symbolic link that leads to itself
)

// Entry is one child of a directory, as told by ReadDir. It is valid until the callback returns.
type Entry struct {
	Name []byte // without '/'; any byte but '/' and NUL
	Type EntryType
	// Link marks a symbolic link; Type and what follows are then the target's.
	Link    bool
	Size    int64
	ModTime time.Time
	ID      Identity
}
