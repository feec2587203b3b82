package local

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNoReplace renames in one step that fails when the target exists.
func renameNoReplace(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // a file system that lacks the flag
		return renameChecked(from, to)
	}
	return err
}

// exchange swaps two names in one step, or fails with errors.ErrUnsupported.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) { // a file system that lacks the flag
		return errors.ErrUnsupported
	}
	return err
}
