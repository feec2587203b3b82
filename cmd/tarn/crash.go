package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// crashVariable names the point of a commit at which the process kills itself, as point or point:n for the n-th time it is
// passed. The tests of recovery set it; the points are named in the packages write, delta and exec.
const crashVariable = "TARN_CRASH_AT"

// crashPoint makes the hook of the packages write and delta: nil when no point is named.
func crashPoint(spec string) func(name string) {
	if spec == "" {
		return nil
	}
	point, times, _ := strings.Cut(spec, ":")
	n, err := strconv.ParseInt(times, 10, 64)
	if err != nil {
		n = 1
	}
	var passed atomic.Int64
	return func(name string) {
		if name == point && passed.Add(1) == n {
			// Not even deferred work is done: this is what pulling the plug of a process means.
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
