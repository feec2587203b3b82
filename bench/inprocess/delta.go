package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
)

// opened are the logs that stay open between commands, by directory.
var opened = map[string]*delta.Logs{}

// deltaLog runs "MODE DIR" on the Delta table at DIR. The answer's count is the number of files, its sum their bytes.
func deltaLog(arg string) (answer, error) {
	mode, dir, _ := strings.Cut(arg, " ")
	logs := opened[dir]
	if logs == nil {
		logs = delta.NewLogs(storage.NewStores(map[string]storage.Factory{"file": local.Open}))
	}
	root, err := storage.ParseLocation(dir, "")
	if err != nil {
		return answer{}, err
	}
	log, err := logs.Open(root)
	if err != nil {
		return answer{}, err
	}
	ctx := context.Background()
	var snap *delta.Snapshot
	look := func() (err error) {
		snap, err = log.Snapshot(ctx, delta.At{})
		return err
	}
	var a answer
	switch mode {
	case "open":
		log.Forget()
		a, err = timed(look)
	case "update":
		opened[dir] = logs
		a, err = timed(look)
	case "checkpoint":
		if err = look(); err == nil {
			a, err = timed(func() error { return snap.Checkpoint(ctx) })
		}
	case "bytes":
		before := heap()
		a, err = timed(look)
		a.Bytes = heap() - before
	case "close":
		delete(opened, dir)
		return answer{}, nil
	default:
		return answer{}, fmt.Errorf("no mode %q", mode)
	}
	if err != nil {
		return answer{}, err
	}
	a.Count, a.Sum = snap.NumFiles(), fmt.Sprint(snap.SizeInBytes())
	return a, nil
}

// heap is the bytes that are in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
