// Command inprocess measures what a client of the command line cannot see: discovery, pruning and the memory of a
// partition set, each without the rest of a statement. It reads one command a line and answers each with one JSON line,
// so that the driver (bench.py) can alternate it with other programs:
//
//	discover DIR   scan.Discover of the tree DIR (dt DATE, h INT)
//	walkdir DIR    the same partitions found with the standard library's filepath.WalkDir
//	bytes DIR      memory of the partition set of the tree DIR
//	commit MODE DIR PARTITIONS   package write overwrites every partition of a table in DIR with one staged file each; only
//	               Job.Commit is timed, and "each" has the seconds of its phases. MODE is sealed, catalog, union or exchange
//	prune ROWS     partition.Set.Prune over ROWS partitions of three columns, the slowest of several predicates and each
//	delta MODE DIR the log of the Delta table in DIR. MODE is open (nothing is remembered), update (what was read by the last
//	               update is brought up to date), checkpoint (of what was opened before), bytes (of memory that an open
//	               table takes), or close (forgets what update remembers)
//	bind FILE      parses and binds the statements of a JSON file; "each" has the quickest of some rounds
//
// An answer has "seconds", "cpu" (processor seconds), "count" and, for trees, "sum": an order-free checksum of the relative paths found.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
)

var columns = []partition.Column{{Name: "dt", Type: types.Of(types.Date)}, {Name: "h", Type: types.Of(types.Int)}}

type answer struct {
	Seconds float64            `json:"seconds"`
	CPU     float64            `json:"cpu"`
	Count   int                `json:"count"`
	Sum     string             `json:"sum,omitempty"`
	Bytes   int64              `json:"bytes,omitempty"`
	Each    map[string]float64 `json:"each,omitempty"`
	Error   string             `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		verb, arg, _ := strings.Cut(in.Text(), " ")
		a, err := run(verb, arg)
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verb, arg string) (answer, error) {
	// What an earlier command left must not be collected on this one's time.
	runtime.GC()
	switch verb {
	case "discover":
		var found *partition.Found
		a, err := timed(func() (err error) {
			found, err = discover(arg)
			return err
		})
		if err != nil {
			return a, err
		}
		var sum uint64
		for i := range found.Len() {
			sum += hash(found.Path(i))
		}
		a.Count, a.Sum = found.Len(), strconv.FormatUint(sum, 16)
		return a, nil
	case "walkdir":
		return walkDir(arg)
	case "bytes":
		found, err := discover(arg)
		if err != nil {
			return answer{}, err
		}
		set := found.Set()
		return answer{Count: set.Len(), Bytes: set.Bytes()}, nil
	case "prune":
		rows, err := strconv.Atoi(arg)
		if err != nil {
			return answer{}, err
		}
		return prune(rows)
	case "commit":
		return commit(arg)
	case "delta":
		return deltaLog(arg)
	case "bind":
		return bindTexts(arg)
	}
	return answer{}, fmt.Errorf("no command %q", verb)
}

func discover(dir string) (*partition.Found, error) {
	stores := storage.NewStores(map[string]storage.Factory{"file": local.Open})
	root, err := storage.ParseLocation(dir, "")
	if err != nil {
		return nil, err
	}
	found, err := scan.Discover(context.Background(), stores, root, columns, scan.DiscoverOptions{})
	if err != nil {
		return nil, err
	}
	if found.RootMissing || len(found.Skipped) > 0 {
		return nil, fmt.Errorf("%s: root missing: %v, skipped: %d", dir, found.RootMissing, len(found.Skipped))
	}
	return found, nil
}

// walkDir finds the directories of the second level as Go programs usually do.
func walkDir(root string) (answer, error) {
	var paths []string
	a, err := timed(func() error {
		return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && len(path) > len(root) {
				if rel := path[len(root)+1:]; strings.Count(rel, "/") == 1 {
					paths = append(paths, rel)
				}
			}
			return nil
		})
	})
	var sum uint64
	for _, p := range paths {
		sum += hash(p)
	}
	a.Count, a.Sum = len(paths), strconv.FormatUint(sum, 16)
	return a, err
}

// timed measures a call: the clock's and the processors' seconds.
func timed(f func() error) (answer, error) {
	before := processors()
	start := time.Now()
	err := f()
	took := time.Since(start)
	return answer{Seconds: took.Seconds(), CPU: (processors() - before).Seconds()}, err
}

// processors is the time that this process has had on processors.
func processors() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash never fails
	return h.Sum64()
}

// prune measures predicates over a made-up set of 100 buckets in 10 regions on each day.
func prune(rows int) (answer, error) {
	days := max(rows/1000, 1)
	cols := []partition.Column{columns[0], {Name: "region", Type: types.Of(types.String)}, {Name: "k", Type: types.Of(types.Int)}}
	found := &partition.Found{Columns: cols, Levels: make([][]partition.Spelling, 3), Codes: make([][]uint32, 3)}
	for c, n := range []int{days, 10, 100} {
		for i := range n {
			var v types.Value = int64(i)
			if c == 1 {
				v = string(rune('a' + i))
			}
			found.Levels[c] = append(found.Levels[c], partition.Spelling{Dir: partition.Segment(cols[c], v), Value: v})
		}
	}
	for i := range days * 1000 {
		for c, code := range []int{i / 1000, i / 100 % 10, i % 100} {
			found.Codes[c] = append(found.Codes[c], uint32(code))
		}
	}
	set := found.Set()
	a := answer{Count: set.Len(), Bytes: set.Bytes(), Each: map[string]float64{}}
	ids := []expr.ColumnID{1, 2, 3}
	ref := func(c int) expr.Expr { return &expr.Column{ID: ids[c], Name: cols[c].Name, T: cols[c].Type} }
	lit := func(c int, v types.Value) expr.Expr { return &expr.Literal{Value: v, T: cols[c].Type} }
	var failed error
	call := func(name string, args ...expr.Expr) expr.Expr {
		e, err := expr.Resolve(name, args, expr.ResolveOptions{})
		failed = errors.Join(failed, err)
		return e
	}
	predicates := map[string]expr.Expr{
		"leading =":  call("=", ref(0), lit(0, int64(days/2))),
		"trailing =": call("=", ref(2), lit(2, int64(7))),
		"function":   call("=", call("%", ref(2), lit(2, int64(7))), lit(2, int64(2))),
		"or":         call("or", call("=", ref(1), lit(1, "c")), call("=", ref(2), lit(2, int64(7)))),
	}
	if failed != nil {
		return a, failed
	}
	want := map[string]int{"leading =": 1000, "trailing =": 10 * days, "function": 140 * days, "or": 109 * days}
	for name, e := range predicates {
		best := time.Hour
		for range 9 {
			start := time.Now()
			sel, err := set.Prune([]expr.Expr{e}, ids, &expr.Context{Zone: time.UTC, ANSI: true})
			best = min(best, time.Since(start))
			if err != nil {
				return a, err
			}
			if sel.Len() != want[name] {
				return a, fmt.Errorf("%s kept %d of %d partitions, not %d", name, sel.Len(), set.Len(), want[name])
			}
		}
		a.Each[name] = best.Seconds()
		a.Seconds = max(a.Seconds, best.Seconds())
	}
	return a, nil
}
