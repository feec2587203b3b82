package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// heapFloor is the size of heap, in bytes, up to which garbage is not collected. A statement that repairs a hundred thousand
	// partitions starts from a few megabytes; with Go's own rule, which collects whenever the heap has doubled, it would be
	// interrupted half a dozen times on its way to a size that nobody minds.
	heapFloor = 32 << 20
	// heapLarge is the live heap from which on memory counts for more than time: garbage is then collected when the heap has grown
	// by half instead of when it has doubled.
	heapLarge = 48 << 20
	// emptyHeap is the heap for which Go computes its first goal.
	emptyHeap = 4 << 20
)

// paceCollector makes the collector follow heapFloor and heapLarge. A GOGC in the environment is obeyed instead.
func paceCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(heapFloor * 100 / emptyHeap)
	afterCollection()
}

// afterCollection sets the goal of the next collection after each one: an object that nobody refers to is finalized once a
// collection.
func afterCollection() {
	mark := new([16]byte)
	runtime.SetFinalizer(mark, func(*[16]byte) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 {
			debug.SetGCPercent(growth(live[0].Value.Uint64()))
		}
		afterCollection()
	})
}

// growth is by how many percent a live heap may grow until the next collection.
func growth(live uint64) int {
	switch {
	case live >= heapLarge:
		return 50
	case live >= heapFloor/2:
		return 100
	}
	return int((heapFloor - live) * 100 / max(live, emptyHeap))
}
