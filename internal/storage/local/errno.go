package local

import "syscall"

// The failures that this package raises or looks for itself.
const (
	errNotDir      = syscall.ENOTDIR
	errIsDir       = syscall.EISDIR
	errInvalid     = syscall.EINVAL
	errExists      = syscall.EEXIST
	errNotEmpty    = syscall.ENOTEMPTY
	errCrossDevice = syscall.EXDEV
)
