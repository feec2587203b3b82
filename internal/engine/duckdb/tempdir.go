package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// tempPrefix begins the names of the engines' directories.
const tempPrefix = "tarn-engine-"

// lockName is a file in an engine's directory that its process keeps locked, so that others can tell whether the process
// still lives.
const lockName = "owner"

// tempDir is the private directory of one database. The operating system gives its lock back when the process ends, however
// that comes about.
type tempDir struct {
	path string
	lock *os.File
}

// newTempDir makes a directory below base ("" is the system's), and removes those that killed processes left there: they may
// hold gigabytes of spilled data.
func newTempDir(base string) (*tempDir, error) {
	if base == "" {
		base = os.TempDir()
	}
	sweep(base)
	path, err := os.MkdirTemp(base, tempPrefix)
	if err != nil {
		return nil, err
	}
	// The file gets its name once it is locked: a sweep never sees it free.
	lock, err := os.CreateTemp(path, "new-")
	if err == nil {
		err = errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), os.Rename(lock.Name(), filepath.Join(path, lockName)))
	}
	if err != nil {
		if lock != nil {
			lock.Close()
		}
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return &tempDir{path: path, lock: lock}, nil
}

func (t *tempDir) remove() {
	_ = os.RemoveAll(t.path)
	_ = t.lock.Close()
}

// sweep removes the directories of processes that have ended. What it cannot look at or remove stays.
func sweep(base string) {
	found, _ := filepath.Glob(filepath.Join(base, tempPrefix+"*"))
	for _, dir := range found {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
