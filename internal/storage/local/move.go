package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/tarnlake/tarn/internal/storage"
)

// Move implements storage.Mover.
func (d *Driver) Move(ctx context.Context, src, dst string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, to := d.LocalPath(src), d.LocalPath(dst)
	if strings.HasPrefix(to, from+"/") {
		return badPlace("move", to, "it lies in what is moved")
	}
	err := renameNoReplace(from, to)
	if err == nil {
		return nil
	}
	where := to
	if _, lookErr := os.Lstat(from); lookErr != nil {
		where, err = from, lookErr
	}
	return failMove("move", where, err)
}

// Exchange implements storage.Mover.
func (d *Driver) Exchange(ctx context.Context, a, b string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	first, second := d.LocalPath(a), d.LocalPath(b)
	if strings.HasPrefix(first+"/", second+"/") || strings.HasPrefix(second+"/", first+"/") {
		return badPlace("exchange", first, "one directory holds the other")
	}
	for _, path := range []string{first, second} {
		info, err := os.Lstat(path)
		if err == nil && !info.IsDir() {
			err = errNotDir
		}
		if err != nil {
			return fail("exchange", path, err)
		}
	}
	if err := exchange(first, second); err != nil {
		return failMove("exchange", second, err)
	}
	return nil
}

func badPlace(op, path, why string) error {
	return &storage.Error{Op: op, Where: "file:" + path, Kind: storage.BadLocation, Err: errors.New(why)}
}

// failMove is fail, for what renames: other file systems cannot be reached by it.
func failMove(op, path string, err error) error {
	if errors.Is(err, errCrossDevice) || errors.Is(err, errors.ErrUnsupported) {
		return &storage.Error{Op: op, Where: "file:" + path, Kind: storage.Unsupported, Err: err}
	}
	return fail(op, path, err)
}

// EnsureDir implements storage.Mover.
func (d *Driver) EnsureDir(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.LocalPath(key)
	err := untilMade(func() error {
		err := os.MkdirAll(path, 0o755)
		if errors.Is(err, fs.ErrExist) { // it was there, and perhaps is not any more
			if _, err = os.Lstat(path); err == nil {
				err = errExists
			}
		}
		return err
	})
	if err != nil {
		return fail("mkdir", path, err)
	}
	return nil
}

// maxMakeTries bounds untilMade.
const maxMakeTries = 1000

// untilMade makes directories, again when one of those above was removed in between: others remove directories that are empty, as
// one that was just made is.
func untilMade(make func() error) error {
	var err error
	for range maxMakeTries {
		if err = make(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// RemoveDir implements storage.Mover.
func (d *Driver) RemoveDir(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.LocalPath(key)
	if key == "" {
		return badPlace("rmdir", path, "the root of a store is never deleted")
	}
	err := syscall.Rmdir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errNotDir):
		if _, lookErr := os.Lstat(path); lookErr != nil { // a file above it: then there is no such directory
			return nil
		}
	case errors.Is(err, errExists): // how some systems say that it is not empty
		err = errNotEmpty
	}
	if err != nil {
		return fail("rmdir", path, err)
	}
	return nil
}

// renameChecked is the fallback of renameNoReplace: it looks first, so a name made in between is replaced.
func renameChecked(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Rename(from, to)
	if errors.Is(err, errNotEmpty) { // a directory made in between
		return fs.ErrExist
	}
	return err
}
