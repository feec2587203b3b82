package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// What decides between an fsync for each path and one syncfs. Measured on ext4 over flash with files of 4 KiB, ten to a
// directory (32 fsync calls at once; one syncfs), in ms: 1 file 0.4, 0.3; 100 files 8, 1.3; 1,000 files 60, 7; 10,000 files
// 520, 62. But syncfs waits for whatever others have written too: with 1 GB of that it took 800 ms where 1,000 calls of
// fsync took 100. So it must not have more to write than what the calls would cost instead.
const (
	// fewPaths are not worth the question.
	fewPaths = 8
	// dirtyPerPath is how many bytes a disk writes in the time of one of many fsync calls: 50 µs at 1 GB/s.
	dirtyPerPath = 48 << 10
)

// manySmall reports whether syncing whole file systems costs less than syncing n paths.
func manySmall(n int) bool {
	if n < fewPaths || !tellsFailures() {
		return false
	}
	dirty, ok := dirtyBytes("/proc/meminfo")
	return ok && dirty <= int64(n)*dirtyPerPath
}

// dirtyBytes reads how much this machine has yet to write to its disks.
func dirtyBytes(meminfo string) (n int64, ok bool) {
	text, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "Dirty" && string(name) != "Writeback" {
			continue
		}
		kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
		if err != nil {
			return 0, false
		}
		n, ok = n+kib<<10, true
	}
	return n, ok
}

// tellsFailures reports whether syncfs fails when a file could not be written, as it does since Linux 5.8.
var tellsFailures = sync.OnceValue(func() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	return atLeast(unix.ByteSliceToString(name.Release[:]), 5, 8)
})

// atLeast compares the first two numbers of a release such as "6.1.0-13-amd64".
func atLeast(release string, major, minor int) bool {
	var x, y int
	if n, _ := fmt.Sscanf(release, "%d.%d", &x, &y); n != 2 {
		return false
	}
	return x > major || x == major && y >= minor
}

// wholeSystem returns a directory on each file system that dirs lie on. ok is false when one is of a kind whose syncfs is not
// known to do all that fsync does: FUSE, for one, does nothing.
func wholeSystem(dirs []string) (systems []string, ok bool) {
	seen := map[uint64]bool{}
	for _, dir := range dirs {
		var st unix.Stat_t
		err := unix.Stat(dir, &st)
		switch {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR): // nothing there to sync
			continue
		case err != nil:
			return nil, false
		case seen[st.Dev]:
			continue
		}
		var fs unix.Statfs_t
		if err := unix.Statfs(dir, &fs); err != nil {
			return nil, false
		}
		switch int64(fs.Type) {
		case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		default:
			return nil, false
		}
		seen[st.Dev] = true
		systems = append(systems, dir)
	}
	return systems, true
}

// syncSystems makes all that is on some file systems durable.
func syncSystems(systems []string) error {
	for _, dir := range systems {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = unix.Syncfs(int(f.Fd()))
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	return nil
}
