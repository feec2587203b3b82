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
