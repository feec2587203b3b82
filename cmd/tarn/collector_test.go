package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestGrowthKeepsTheFloorAndBoundsLargeHeaps(t *testing.T) {
	for live := uint64(0); live < 4*heapLarge; live += 1 << 20 {
		goal := live + max(live, emptyHeap)*uint64(growth(live))/100
		if goal > max(heapFloor, 2*live) || live >= heapLarge && goal > live*3/2 {
			t.Errorf("a live heap of %d may grow to %d", live, goal)
		}
		if goal < live+live/2 || live <= emptyHeap && goal < heapFloor*9/10 {
			t.Errorf("a live heap of %d is collected at %d already", live, goal)
		}
	}
}

func TestTheGoalFollowsEachCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	old := debug.SetGCPercent(100)
	defer debug.SetGCPercent(old)
	paceCollector()
	ballast := make([]byte, 2*heapLarge)
	for range 100 {
		runtime.GC()
		if p := debug.SetGCPercent(-1); p == 50 {
			runtime.KeepAlive(ballast)
			return
		} else {
			debug.SetGCPercent(p)
		}
		runtime.Gosched()
	}
	t.Error("the goal did not follow a large heap")
}
