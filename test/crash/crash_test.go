// Package crash kills the real binary in the middle of its writes, at every named point and at random times, and checks what is
// there afterwards: each statement happened as a whole or not at all, and did when it was answered; nothing else has
// changed; nothing is left behind; and a reader that is not Tarn sees the same rows.
//
// A killed process loses its memory and keeps what it has handed to the operating system, so this is not a loss of power: whether
// files and names are synced in the right order is out of reach here. What is checked instead is that every step that a
// transaction's state promises has been made by the time that the state is in the catalog.
package crash

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
)

var (
	trials = flag.Int("crash.n", 0, "number of random trials")
	seed   = flag.Uint64("crash.seed", 0, "seed of the random trials, 0 for one of the clock")
)

// points are the named points of a commit, as they stand in the source of package write.
func points(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(binary.Root(), "internal", "write", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fun.Sel.Name != "point" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s: a point without a constant name", path)
			}
			name, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
			return true
		})
	}
	if len(out) < 15 {
		t.Fatalf("only %d points: %q", len(out), out)
	}
	slices.Sort(out)
	return out
}

// kindFor is the kind of statement that passes a point; most overwrites pass most.
func kindFor(point string) string {
	switch point {
	case "aborting", "staging dropped", "undone":
		return "fail"
	case "exchanged":
		return "rewrite"
	case "vacuumed":
		return "vacuum"
	}
	return "overwrite"
}

// TestPoints kills a process once at each named point on a table of each layout.
func TestPoints(t *testing.T) {
	names := points(t)
	groups := [][]string{
		{"listing_union", "sealed_parts"},
		{"log_exchange", "path_parts"},
	}
	reached := make([]map[string]bool, len(groups))
	t.Run("group", func(t *testing.T) {
		for g, group := range groups {
			reached[g] = map[string]bool{}
			t.Run(strconv.Itoa(g), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, uint64(g))
				i := 0
				for _, target := range r.tables {
					if !slices.ContainsFunc(group, func(name string) bool {
						return filepath.Base(target.root) == name || target.name == "main.default."+name
					}) {
						continue
					}
					for _, point := range names {
						kind := kindFor(point)
						if !slices.Contains(target.kinds(), kind) {
							continue
						}
						i++
						if kind == "vacuum" {
							r.trial(r.next(target, "overwrite"), cut{}, byCommand, nil, false)
						}
						s := r.next(target, kind)
						var other *statement
						if target.log && i%2 == 0 && kind != "vacuum" {
							other = r.repairs(target)
						}
						if r.trial(s, cut{point: point, n: 1}, recovery(i)%recoveries, other, i%3 == 0) {
							reached[g][point] = true
						}
					}
				}
			})
		}
	})
	for _, point := range names {
		if passed := reached[0][point] || reached[1][point]; passed == elsewhere[point] {
			t.Errorf("point %q: passed by a statement here: %v", point, passed)
		}
	}
}

// elsewhere are points that no statement here passes: package write's own tests stop there. Directories are exchanged back when
// a person says so or a disk fails, and files are copied for a partition on another file system.
var elsewhere = map[string]bool{"exchanged back": true, "file copied": true}

// TestKinds runs every kind of statement on every table, without a death: the checks hold then, too.
func TestKinds(t *testing.T) {
	for lane := range 2 {
		t.Run(fmt.Sprintf("lane %d", lane), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, uint64(lane))
			for i, target := range r.tables {
				if i%2 != lane {
					continue
				}
				kinds := target.kinds()
				// Partitions without a file are where directories are left.
				for _, kind := range append(slices.Clone(kinds), "append", "truncate", "replace", "append", "truncate some", "drop", "append", "truncate some", "overwrite", "vacuum") {
					if slices.Contains(kinds, kind) {
						r.trial(r.next(target, kind), cut{}, byCommand, nil, kind == "vacuum" || kind == "drop")
					}
				}
			}
		})
	}
}

// TestRandom kills processes at points and times that a seed decides, -crash.n times.
func TestRandom(t *testing.T) {
	n, s := *trials, *seed
	switch {
	case n == 0:
		n, s = 12, 1
	case s == 0:
		s = uint64(time.Now().UnixNano()) % 1_000_000
	}
	names := points(t)
	for lane := range 2 {
		t.Run(fmt.Sprintf("lane %d", lane), func(t *testing.T) {
			t.Parallel()
			t.Logf("repeat with: make crash N=%d SEED=%d", n, s)
			random(t, names, s+uint64(lane)*1_000_003, n/2)
		})
	}
}

func random(t *testing.T, names []string, seed uint64, n int) {
	r := newRig(t, seed)
	choice := rand.New(rand.NewPCG(seed, 2))
	// missed are how often a kind of statement did not pass a point so many times, by the layout of the table; once it has, it
	// is tried for ever.
	missed := map[string]int{}
	const misses = 3
	died, done := 0, 0
	for done < n {
		target := r.tables[choice.IntN(len(r.tables))]
		kinds := target.kinds()
		kind := kinds[choice.IntN(len(kinds))]
		c := cut{after: time.Duration(choice.Int64N(int64(r.slowest)))}
		key := ""
		if choice.IntN(10) < 7 {
			c = cut{point: names[choice.IntN(len(names))], n: 1 + choice.IntN(1+choice.IntN(5))}
			key = fmt.Sprint(target.layout, target.registered, target.partitioned, strings.Contains(target.clauses, "'exchange'"), kind, c.point, c.n)
			if missed[key] == misses {
				continue
			}
		}
		done++
		s := r.next(target, kind)
		var other *statement
		if choice.IntN(4) == 0 && !s.again && kind != "create" && kind != "replace" {
			other = r.next(target, "append")
			if target.registered && target.partitioned && choice.IntN(3) == 0 {
				other = r.repairs(target)
			}
		}
		killed := r.trial(s, c, recovery(choice.IntN(int(recoveries))), other, choice.IntN(3) == 0)
		if killed {
			died++
			missed[key] = -1
		} else if missed[key] >= 0 {
			missed[key]++
		}
	}
	for _, target := range r.tables {
		if !target.path {
			r.what = target.name + ": at the end"
			r.vacuumed(target)
		}
	}
	t.Logf("%d of %d processes were killed before they ended", died, done)
}
