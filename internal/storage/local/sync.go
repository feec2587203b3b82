package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tarnlake/tarn/internal/parallel"
)

// syncWorkers is how many fsync calls are made at once: the file system joins those that wait at the same time into one
// commit of its journal. 16 to 64 are alike on ext4 over flash.
const syncWorkers = 32

// Sync implements storage.Mover. Many small files are left to syncfs where that is safe and cheaper: see wholeSystem.
func (d *Driver) Sync(ctx context.Context, files, dirs []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	paths := make([]string, 0, len(files)+len(dirs))
	for _, key := range files {
		paths = append(paths, d.LocalPath(key))
	}
	for _, key := range dirs {
		paths = append(paths, d.LocalPath(key))
	}
	if manySmall(len(paths)) {
		if systems, ok := wholeSystem(parents(paths[:len(files)], paths[len(files):])); ok && syncSystems(systems) == nil {
			return nil
		}
		// A failure of a whole file system may be about files of others, and names none: the files themselves tell.
	}
	return parallel.Each(ctx, syncWorkers, len(paths), func(i int) error { return syncPath(paths[i]) })
}

// parents lists the directories of files, and dirs, each once.
func parents(files, dirs []string) []string {
	all := slices.Clone(dirs)
	last := ""
	for _, f := range files {
		if dir := filepath.Dir(f); dir != last {
			all, last = append(all, dir), dir
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// syncPath makes a file's content, or the names in a directory, durable. File systems that cannot sync a directory say EINVAL;
// there the names are as durable as they get.
func syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil
	}
	if err == nil {
		err = f.Sync()
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil && !errors.Is(err, errInvalid) {
		return fail("sync", path, err)
	}
	return nil
}
