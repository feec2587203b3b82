package local

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarnlake/tarn/internal/storage"
)

// direntBuffer is what one getdents64 call fills: large enough that a directory of a few thousand names costs two calls, the
// second of which says that it is done.
const direntBuffer = 256 << 10

var direntBuffers = sync.Pool{New: func() any { return new([direntBuffer]byte) }}

// Offsets in struct linux_dirent64.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// ReadDir implements storage.DirReader with raw getdents64: no sorting, no allocation per name and, unless info is asked
// for, no look at a file.
func (d *Driver) ReadDir(ctx context.Context, key string, info bool, yield func(*storage.Entry) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.LocalPath(key)
	fd, err := d.openDir(path)
	if err != nil {
		return fail("list", path, err)
	}
	defer closeDir(fd)
	buf := direntBuffers.Get().(*[direntBuffer]byte)
	defer direntBuffers.Put(buf)
	r := dirReader{fd: fd, path: path, info: info, yield: yield}
	for {
		n, err := unix.Getdents(fd, buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fail("list", path, err)
		}
		if n <= 0 {
			return nil
		}
		if err := r.entries(buf[:n]); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// openDir opens a directory without touching its access time where that is allowed: only an owner may ask for it. After
// one refusal it is not tried again, which saves a call per directory.
func (d *Driver) openDir(path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	noatime := unix.O_NOATIME
	if d.touchesAccessTime.Load() {
		noatime = 0
	}
	for {
		fd, err := unix.Open(path, flags|noatime, 0)
		switch {
		case err == nil:
			return fd, nil
		case errors.Is(err, unix.EINTR):
		case noatime != 0 && errors.Is(err, unix.EPERM):
			noatime = 0
			d.touchesAccessTime.Store(true)
		default:
			return -1, err
		}
	}
}

func closeDir(fd int) { _ = unix.Close(fd) } // nothing was written: a failure to close loses nothing

// dirReader reads one directory.
type dirReader struct {
	fd    int
	path  string
	info  bool
	yield func(*storage.Entry) error
	entry storage.Entry
}

// entries yields the entries of one filled buffer.
func (r *dirReader) entries(buf []byte) error {
	e := &r.entry
	for len(buf) > direntName {
		length := int(*(*uint16)(unsafe.Pointer(&buf[direntLength])))
		if length <= direntName || length > len(buf) {
			return fail("list", r.path, errors.New("the system returned a malformed directory entry"))
		}
		kind, name := buf[direntType], buf[direntName:length]
		buf = buf[length:]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if len(name) <= 2 && (string(name) == "." || string(name) == "..") {
			continue
		}
		*e = storage.Entry{Name: name}
		switch kind {
		case unix.DT_DIR:
			e.Type = storage.DirEntry
		case unix.DT_REG:
			e.Type = storage.FileEntry
		case unix.DT_LNK, unix.DT_UNKNOWN:
		default:
			e.Type = storage.OtherEntry
		}
		if kind == unix.DT_LNK || kind == unix.DT_UNKNOWN || r.info && kind == unix.DT_REG {
			gone, err := r.look(e, kind)
			if err != nil {
				return err
			}
			if gone {
				continue
			}
		}
		if err := r.yield(e); err != nil {
			return err
		}
	}
	return nil
}

// look completes an entry by stat: of the target for a symbolic link. gone tells that the name is no more.
func (r *dirReader) look(e *storage.Entry, kind byte) (gone bool, err error) {
	var st unix.Stat_t
	name := string(e.Name)
	if kind != unix.DT_LNK {
		err = fstatat(r.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) {
			return true, nil
		}
		if err != nil {
			return false, fail("stat", r.path+"/"+name, err)
		}
	}
	if kind == unix.DT_LNK || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		e.Link = true
		err = fstatat(r.fd, name, &st, 0)
		switch {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
			e.Type = storage.BrokenEntry
			return false, nil
		case errors.Is(err, unix.ELOOP):
			e.Type = storage.LoopEntry
			return false, nil
		case err != nil:
			return false, fail("stat", r.path+"/"+name, err)
		}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		e.Type = storage.DirEntry
	case unix.S_IFREG:
		e.Type = storage.FileEntry
	default:
		e.Type = storage.OtherEntry
	}
	e.Size = st.Size
	e.ModTime = time.Unix(st.Mtim.Unix()).UTC()
	e.ID = storage.Identity{Device: uint64(st.Dev), Number: st.Ino}
	return false, nil
}

func fstatat(fd int, name string, st *unix.Stat_t, flags int) error {
	for {
		err := unix.Fstatat(fd, name, st, flags)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
