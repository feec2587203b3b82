package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
)

// Put implements storage.Driver: it writes beside the target, syncs, and then links or renames into place. IfMatch
// compares and replaces in two steps, so it protects against writers that are done, not against one at the same instant.
func (d *Driver) Put(ctx context.Context, key string, body io.Reader, cond storage.Condition) (storage.Object, error) {
	if err := ctx.Err(); err != nil {
		return storage.Object{}, err
	}
	path := d.LocalPath(key)
	if key == "" || strings.HasSuffix(key, "/") {
		return storage.Object{}, &storage.Error{Op: "put", Where: "file:" + path, Kind: storage.BadLocation, Err: errors.New("the key names a directory")}
	}
	dir := filepath.Dir(path)
	f, err := createIn(dir)
	if err != nil {
		return storage.Object{}, fail("put", path, err)
	}
	temp, err := writeTemp(ctx, f, body)
	if err != nil {
		return storage.Object{}, fail("put", path, err)
	}
	defer func() { _ = os.Remove(temp) }() // gone already when it was renamed
	if err := d.place(ctx, temp, key, path, cond); err != nil {
		return storage.Object{}, fail("put", path, err)
	}
	if err := syncDir(dir); err != nil {
		return storage.Object{}, fail("put", path, err)
	}
	return d.Stat(ctx, key)
}

// createIn makes a file of a temporary name, and its directory when it is not there. Nothing is synced before the file is there:
// until then others may remove the directory as empty.
func createIn(dir string) (f *os.File, err error) {
	unsynced := map[string]bool{}
	err = untilMade(func() (err error) {
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
				break
			}
			unsynced[filepath.Dir(at)] = true
		}
		if err = os.MkdirAll(dir, 0o755); err == nil {
			f, err = os.OpenFile(filepath.Join(dir, storage.UnfinishedName()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // less the umask
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for parent := range unsynced {
		if err := syncDir(parent); err != nil {
			return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return f, nil
}

func (d *Driver) place(ctx context.Context, temp, key, path string, cond storage.Condition) error {
	switch {
	case cond.IfAbsent:
		return os.Link(temp, path) // fails when path exists, in one step
	case cond.IfMatch != "":
		o, err := d.Stat(ctx, key)
		if err == nil && o.ETag != cond.IfMatch || storage.KindOf(err) == storage.NotFound {
			return &storage.Error{Op: "put", Where: "file:" + path, Kind: storage.PreconditionFailed, Err: errors.New("the file changed")}
		}
		if err != nil {
			return err
		}
	}
	return os.Rename(temp, path)
}

func writeTemp(ctx context.Context, f *os.File, body io.Reader) (name string, err error) {
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = os.Remove(f.Name()) // best effort: hidden by its name anyhow
		}
	}()
	if _, err = io.Copy(f, &contextReader{ctx: ctx, r: body}); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// contextReader ends a copy when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// makeDirs makes a directory and those above it, and syncs each parent that gained an entry.
func makeDirs(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if info.IsDir() {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: dir, Err: errNotDir}
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// MakeDir implements storage.DirMaker.
func (d *Driver) MakeDir(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.LocalPath(key)
	if err := untilMade(func() error { return makeDirs(path) }); err != nil {
		return fail("mkdir", path, err)
	}
	return nil
}

// Delete implements storage.Driver.
func (d *Driver) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := d.LocalPath(key)
		if key == "" {
			return &storage.Error{Op: "delete", Where: "file:" + path, Kind: storage.BadLocation, Err: errors.New("the root of a store is never deleted")}
		}
		var err error
		if strings.HasSuffix(key, "/") {
			err = removeTree(path)
		} else {
			err = os.Remove(path)
			if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.IsDir() {
				err = errIsDir
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && kindOf(err) != storage.NotADirectory {
			return fail("delete", path, err)
		}
	}
	return nil
}

// removeTree removes a directory and all below it; a file of that name stays, since it is another key.
func removeTree(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() && info.Mode()&os.ModeSymlink == 0 {
		return nil
	}
	if !info.IsDir() {
		return os.Remove(path) // the link, not what it leads to
	}
	return removeAll(path)
}

const (
	// removers is how many directories are removed at once: a file system that tells its disk what is free, or commits its journal,
	// makes each removal wait.
	removers = 8
	// manyDirs are worth removing at once.
	manyDirs = 16
)

// removeAll is os.RemoveAll, which removes the directories of a level with many of them at once.
func removeAll(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return os.RemoveAll(path)
	}
	dirs := entries[:0]
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, e)
		}
	}
	if len(dirs) < manyDirs {
		for _, e := range dirs {
			if err := removeAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
		return os.RemoveAll(path)
	}
	_ = parallel.Each(context.Background(), removers, len(dirs), func(i int) error {
		// What fails here fails once more below, and is told then.
		_ = os.RemoveAll(filepath.Join(path, dirs[i].Name()))
		return nil
	})
	return os.RemoveAll(path)
}

// Rename implements storage.Renamer. Both names are synced.
func (d *Driver) Rename(ctx context.Context, src, dst string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, to := d.LocalPath(src), d.LocalPath(dst)
	if _, err := os.Lstat(from); err != nil {
		return fail("rename", from, err)
	}
	if err := makeDirs(filepath.Dir(to)); err != nil {
		return fail("rename", to, err)
	}
	if err := renameNoReplace(from, to); err != nil {
		return fail("rename", to, err)
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return fail("rename", to, err)
	}
	if err := syncDir(filepath.Dir(from)); err != nil {
		return fail("rename", from, err)
	}
	return nil
}

// syncDir makes the names in a directory durable. File systems that cannot sync a directory say EINVAL; there the names are
// as durable as they get.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if errors.Is(err, errInvalid) {
		return nil
	}
	return err
}
