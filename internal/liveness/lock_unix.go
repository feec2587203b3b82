//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package liveness

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock of the owner, and waits for those who only try it.
func lock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// tryShared reports whether nobody holds the lock of the owner. The lock is shared until f is closed.
func tryShared(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
