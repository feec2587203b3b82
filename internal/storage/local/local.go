// Package local keeps objects as files of this machine. Keys are paths from a root directory ("/" for the bucket of all
// file: locations), and may hold any byte that the file system lets them.
//
// It implements every ability that package storage knows, and imports only that package and the operating system.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/tarnlake/tarn/internal/storage"
)

// Driver is a storage.Driver over the file system. It is safe for concurrent use.
type Driver struct {
	base string // "" for the root of the file system, else an absolute path without a trailing slash
	// touchesAccessTime is set once a directory turned out to be another user's: only owners may read without a trace.
	touchesAccessTime atomic.Bool
}

// Open is the storage.Factory of the "file" scheme: its keys are absolute paths without the first slash.
func Open(storage.Location) (storage.Driver, error) { return &Driver{}, nil }

// OpenDir is a driver whose keys count from a directory, which must be an absolute path.
func OpenDir(dir string) (*Driver, error) {
	if !filepath.IsAbs(dir) {
		return nil, &storage.Error{Op: "open", Where: dir, Kind: storage.BadLocation, Err: errors.New("the path is not absolute")}
	}
	return &Driver{base: strings.TrimRight(dir, "/")}, nil
}

// Close implements storage.Driver. There is nothing to close.
func (d *Driver) Close() error { return nil }

// LocalPath implements storage.LocalPather.
func (d *Driver) LocalPath(key string) string {
	if key == "" && d.base == "" {
		return "/"
	}
	return strings.TrimSuffix(d.base+"/"+key, "/")
}

// Stat implements storage.Driver. Symbolic links are followed.
func (d *Driver) Stat(ctx context.Context, key string) (storage.Object, error) {
	if err := ctx.Err(); err != nil {
		return storage.Object{}, err
	}
	path := d.LocalPath(key)
	info, err := os.Stat(path)
	if err != nil {
		return storage.Object{}, fail("stat", path, err)
	}
	wantDir := key == "" || strings.HasSuffix(key, "/")
	switch {
	case wantDir && !info.IsDir():
		return storage.Object{}, fail("stat", path, syscall.ENOTDIR)
	case !wantDir && info.IsDir():
		return storage.Object{}, fail("stat", path, syscall.EISDIR)
	}
	return object(key, info), nil
}

func object(key string, info fs.FileInfo) storage.Object {
	o := storage.Object{Key: key, ModTime: info.ModTime().UTC(), ID: identity(info)}
	if info.IsDir() {
		o.IsPrefix = true
	} else {
		o.Size = info.Size()
		o.ETag = etag(info)
	}
	return o
}

// etag names a content by what changes with it: the file's number, size and time. A writer that keeps all three while
// it changes bytes in place goes unseen, as with every tool that trusts times.
func etag(info fs.FileInfo) string {
	return fmt.Sprintf("%x-%x-%x", identity(info).Number, info.Size(), info.ModTime().UnixNano())
}

// Read implements storage.Driver.
func (d *Driver) Read(ctx context.Context, key string, off, n int64) (io.ReadCloser, storage.Object, error) {
	f, info, err := d.open(ctx, "read", key)
	if err != nil {
		return nil, storage.Object{}, err
	}
	size := info.Size()
	if off < 0 {
		off = max(0, size+off)
	}
	off = min(off, size)
	if n < 0 || n > size-off {
		n = size - off
	}
	return &rangeFile{section: io.NewSectionReader(f, off, n), left: n, file: f, opened: info}, object(key, info), nil
}

// rangeFile is an open range of a file. A file that is truncated or rewritten while it is read ends in an error instead of
// early, or with a mixture of its contents. One that grows is read as long as it was when it was opened.
type rangeFile struct {
	section *io.SectionReader
	left    int64
	file    *os.File
	opened  fs.FileInfo
}

// Read implements io.Reader.
func (r *rangeFile) Read(p []byte) (int, error) {
	n, err := r.section.Read(p)
	r.left -= int64(n)
	if err == io.EOF && (r.left > 0 || r.changed()) {
		err = fail("read", r.file.Name(), errChanged)
	}
	return n, err
}

func (r *rangeFile) changed() bool {
	now, err := r.file.Stat()
	return err == nil && (now.Size() < r.opened.Size() || now.Size() == r.opened.Size() && !now.ModTime().Equal(r.opened.ModTime()))
}

// Close implements io.Closer.
func (r *rangeFile) Close() error { return r.file.Close() }

// Open implements storage.Opener.
func (d *Driver) Open(ctx context.Context, key string) (storage.ReaderAt, error) {
	f, info, err := d.open(ctx, "open", key)
	if err != nil {
		return nil, err
	}
	return &openFile{File: f, size: info.Size()}, nil
}

// openFile is a storage.ReaderAt.
type openFile struct {
	*os.File
	size int64
}

func (f *openFile) Size() int64 { return f.size }

// open opens a regular file. Anything else is refused before a read could block on it.
func (d *Driver) open(ctx context.Context, op, key string) (*os.File, fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	path := d.LocalPath(key)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fail(op, path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = syscall.EISDIR
	case !info.Mode().IsRegular():
		err = errors.New("it is a device, socket or pipe")
	default:
		return f, info, nil
	}
	_ = f.Close() // the failure that matters is err
	return nil, nil, fail(op, path, err)
}

// fail wraps a failure of the operating system with its kind.
func fail(op, path string, err error) error {
	var known *storage.Error
	if errors.As(err, &known) {
		return err
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		err = linkErr.Err
	}
	return &storage.Error{Op: op, Where: "file:" + path, Kind: kindOf(err), Err: err}
}

// errChanged is the failure to read a file that others write at the same time.
var errChanged = errors.New("the file was changed while it was read")

func kindOf(err error) storage.Kind {
	switch {
	case errors.Is(err, errChanged):
		return storage.PreconditionFailed
	case errors.Is(err, syscall.ENOTDIR):
		return storage.NotADirectory
	case errors.Is(err, syscall.EISDIR):
		return storage.IsADirectory
	case errors.Is(err, fs.ErrNotExist):
		return storage.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return storage.PermissionDenied
	case errors.Is(err, syscall.ENOTEMPTY): // before fs.ErrExist, which it passes for
		return storage.NotEmpty
	case errors.Is(err, fs.ErrExist):
		return storage.AlreadyExists
	case errors.Is(err, syscall.ELOOP):
		return storage.LinkLoop
	case errors.Is(err, syscall.ENAMETOOLONG):
		return storage.NameTooLong
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return storage.NoSpace
	default:
		return storage.Other
	}
}
