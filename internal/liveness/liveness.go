// Package liveness tells whether the process that owns a write transaction still lives. Each process that owns one holds an
// exclusive lock on a file of its own until it ends, however it ends: the system frees the lock of a process that was killed, at
// once, and knows nothing of numbers that are given again, of containers that number their processes apart, or of clocks. See
// docs/format/home.md.
//
// It imports the standard library and the operating system only.
package liveness

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// suffix ends the names of lock files: nonce + suffix.
const suffix = ".lock"

// Process is how this process shows that it lives. It is safe for concurrent use.
type Process struct {
	dir string

	mu     sync.Mutex
	name   string   // "" until it is asked for
	lock   *os.File // held until Close
	closed bool
}

// Open returns what shows to those who use the same directory that this process lives. Nothing is made before Name is called;
// dir itself is made then.
func Open(dir string) (*Process, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the directory of lock files %q is not absolute", dir)
	}
	return &Process{dir: dir}, nil
}

// Name is host-pid-nonce: unique for ever, and for Alive to be asked about. The first call makes and locks the file, and removes
// those of processes that are dead.
func (p *Process) Name() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return "", fs.ErrClosed
	case p.name != "":
		return p.name, nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // the nonce makes the name unique, the host is for people
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return "", err
	}
	for p.lock == nil {
		nonce := rand.Text()
		name := host + "-" + strconv.Itoa(os.Getpid()) + "-" + nonce
		if p.lock, err = hold(filepath.Join(p.dir, nonce+suffix), name+"\n"); err != nil {
			return "", err
		}
		p.name = name
	}
	p.sweep()
	return p.name, nil
}

// hold makes and locks a file. Until it is locked it looks like one that a dead process left: when another process has removed
// it, nil is returned. content is for people.
func hold(path, content string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644) // others must open it to try the lock
	if err != nil {
		return nil, err
	}
	mine := false
	if err = lock(f); err == nil {
		mine, err = isAt(f, path)
	}
	if err == nil && mine {
		if _, err = f.WriteString(content); err == nil {
			return f, nil
		}
	}
	_ = os.Remove(path) // best effort: without a lock it is swept
	_ = f.Close()       // nothing in it matters
	return nil, err
}

// isAt reports whether path still names the open file f.
func isAt(f *os.File, path string) (bool, error) {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(now, open), err
}

// Alive reports whether the process of that name lives. It does not when its lock can be taken, or its file is gone; the file is
// removed then. A stopped process lives. What could not be found out, or is no name of a process, is an error.
func (p *Process) Alive(name string) (bool, error) {
	nonce, err := nonceOf(name)
	if err != nil {
		return false, err
	}
	p.mu.Lock()
	own := !p.closed && name == p.name
	p.mu.Unlock()
	if own {
		return true, nil
	}
	return alive(filepath.Join(p.dir, nonce+suffix))
}

// nonceOf returns the last part of a name: 26 letters of base 32, and nothing that could lead out of a directory.
func nonceOf(name string) (string, error) {
	parts := strings.Split(name, "-") // a host may hold '-' too
	nonce := parts[len(parts)-1]
	if len(parts) < 3 || len(nonce) != 26 || strings.Trim(nonce, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return "", fmt.Errorf("%q does not name a process", name)
	}
	return nonce, nil
}

// alive tries the lock of a file. It shares the lock with others who try at the same time, which so do not take one another for
// the owner. Names never repeat, so removing the file by its name removes no other.
func alive(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // this frees the lock; nothing was written
	free, err := tryShared(f)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	if free {
		_ = os.Remove(path) // best effort: it may be another user's, and is seen to be free the next time
	}
	return !free, nil
}

// sweep removes the files of dead processes. Those that cannot be looked at stay: nothing depends on their going.
func (p *Process) sweep() {
	children, err := os.ReadDir(p.dir)
	if err != nil {
		return
	}
	for _, c := range children {
		path := filepath.Join(p.dir, c.Name())
		if strings.HasSuffix(path, suffix) && path != p.lock.Name() {
			_, _ = alive(path)
		}
	}
}

// Close ends the ownership of everything under this name: others see it as dead.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.lock == nil {
		p.closed = true
		return nil
	}
	p.closed = true
	return errors.Join(os.Remove(p.lock.Name()), p.lock.Close())
}
