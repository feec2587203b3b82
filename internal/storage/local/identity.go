//go:build unix

package local

import (
	"io/fs"
	"syscall"

	"github.com/tarnlake/tarn/internal/storage"
)

// identity is the device and inode of a file.
func identity(info fs.FileInfo) storage.Identity {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return storage.Identity{Device: uint64(st.Dev), Number: uint64(st.Ino)}
	}
	return storage.Identity{}
}
