package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
)

// Bucket is the portable face of a store: what is common to all drivers is written once here, and the abilities that
// only some have are found here, so that nobody else asks for them. It is safe for concurrent use.
type Bucket struct {
	driver Driver
	root   Location

	renamer Renamer
	maker   DirMaker
	local   LocalPather
	dirs    DirReader
	opener  Opener
	mover   Mover

	exchangeMu sync.Mutex
	exchange   map[mount]bool // what CanExchange found out
}

// NewBucket wraps a driver whose keys count from root.
func NewBucket(driver Driver, root Location) *Bucket {
	b := &Bucket{driver: driver, root: root.Root()}
	b.renamer, _ = driver.(Renamer)
	b.maker, _ = driver.(DirMaker)
	b.local, _ = driver.(LocalPather)
	b.dirs, _ = driver.(DirReader)
	b.opener, _ = driver.(Opener)
	b.mover, _ = driver.(Mover)
	return b
}

// Root is the location that keys count from.
func (b *Bucket) Root() Location { return b.root }

// Location is the location of a key.
func (b *Bucket) Location(key string) Location { return b.root.Join(key) }

// List yields the entries under prefix: see Driver.List.
func (b *Bucket) List(ctx context.Context, prefix, after string, flat bool) iter.Seq2[Object, error] {
	return b.driver.List(ctx, prefix, after, flat)
}

// ReadDir calls yield for each child of the directory key ("" or ending with '/'), in no particular order: see
// DirReader.ReadDir. Stores that cannot do it cheaply are listed.
func (b *Bucket) ReadDir(ctx context.Context, key string, info bool, yield func(*Entry) error) error {
	if b.dirs != nil {
		return b.dirs.ReadDir(ctx, key, info, yield)
	}
	var e Entry
	for o, err := range b.driver.List(ctx, key, "", false) {
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(o.Key[len(key):], "/")
		if name == "" { // the marker object of the directory itself
			continue
		}
		e = Entry{Name: append(e.Name[:0], name...), Link: o.IsLink, Size: o.Size, ModTime: o.ModTime, ID: o.ID}
		if o.IsPrefix {
			e.Type = DirEntry
		}
		if err := yield(&e); err != nil {
			return err
		}
	}
	return nil
}

// Stat looks at one key: see Driver.Stat.
func (b *Bucket) Stat(ctx context.Context, key string) (Object, error) {
	return b.driver.Stat(ctx, key)
}

// Exists reports whether key (a file, or a directory when it ends with '/') exists. What cannot be looked at is an
// error, never an absence.
func (b *Bucket) Exists(ctx context.Context, key string) (bool, error) {
	_, err := b.driver.Stat(ctx, key)
	switch {
	case err == nil:
		return true, nil
	case KindOf(err) == NotFound, KindOf(err) == NotADirectory, KindOf(err) == IsADirectory:
		return false, nil
	default:
		return false, err
	}
}

// Read opens a range of an object: see Driver.Read.
func (b *Bucket) Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, Object, error) {
	return b.driver.Read(ctx, key, off, n)
}

// ReadAll reads a whole object, which must be small enough for memory.
func (b *Bucket) ReadAll(ctx context.Context, key string) ([]byte, Object, error) {
	r, o, err := b.driver.Read(ctx, key, 0, -1)
	if err != nil {
		return nil, Object{}, err
	}
	// ReadFrom wants some room beyond the end; a store that claims a great size is not taken at its word.
	const most = 256 << 20
	var data bytes.Buffer
	if n := o.Size; n > 0 {
		data.Grow(int(min(n, most)) + bytes.MinRead)
	}
	_, err = data.ReadFrom(r)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, Object{}, b.fail("read", key, KindOf(err), err)
	}
	return data.Bytes(), o, nil
}

// OpenAt opens an object for reads at random places.
func (b *Bucket) OpenAt(ctx context.Context, key string) (ReaderAt, error) {
	if b.opener != nil {
		return b.opener.Open(ctx, key)
	}
	o, err := b.driver.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	return &rangeReader{ctx: ctx, driver: b.driver, key: key, size: o.Size}, nil
}

// Put writes an object: see Driver.Put.
func (b *Bucket) Put(ctx context.Context, key string, body io.Reader, cond Condition) (Object, error) {
	return b.driver.Put(ctx, key, body, cond)
}

// Delete removes keys, and whole directories for keys that end with '/': see Driver.Delete.
func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	return b.driver.Delete(ctx, keys...)
}

// CanRename reports whether the store renames without copying.
func (b *Bucket) CanRename() bool { return b.renamer != nil }

// Rename moves a file or a directory, durably (both keys without a trailing '/'). It fails with Unsupported where the store
// cannot.
func (b *Bucket) Rename(ctx context.Context, src, dst string) error {
	if b.renamer == nil {
		return b.fail("rename", src, Unsupported, errors.New("the store cannot rename"))
	}
	return b.renamer.Rename(ctx, src, dst)
}

// HasDirs reports whether the store has real directories, which exist without a file in them.
func (b *Bucket) HasDirs() bool { return b.maker != nil }

// MakeDir makes a directory and those above it. Where directories are only parts of names it does nothing.
func (b *Bucket) MakeDir(ctx context.Context, key string) error {
	if b.maker == nil {
		return nil
	}
	return b.maker.MakeDir(ctx, key)
}

// LocalPath is the path of a key on this machine, for stores that are one.
func (b *Bucket) LocalPath(key string) (string, bool) {
	if b.local == nil {
		return "", false
	}
	return b.local.LocalPath(key), true
}

// Close ends the use of the store.
func (b *Bucket) Close() error { return b.driver.Close() }

func (b *Bucket) fail(op, key string, kind Kind, err error) error {
	return &Error{Op: op, Where: b.Location(key).String(), Kind: kind, Err: err}
}

// rangeReader reads at random places by one request each. It keeps the context of the statement that opened it, since
// io.ReaderAt has no place for one.
type rangeReader struct {
	ctx    context.Context
	driver Driver
	key    string
	size   int64
}

func (r *rangeReader) Size() int64 { return r.size }

func (r *rangeReader) Close() error { return nil }

func (r *rangeReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= r.size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), r.size-off)]
	body, _, err := r.driver.Read(r.ctx, r.key, off, int64(len(want)))
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(body, want)
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
