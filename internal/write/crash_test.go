package write_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/write"
)

// trial is a statement that goes wrong at one place.
type trial struct {
	name   string
	faults faults
	// crash tells that the process dies; otherwise one operation fails and the process lives on.
	crash bool
}

// course is what a statement without faults does: the points that it passes, and how many operations on storage and transactions
// of the catalog it takes.
type course struct {
	points   []string
	ops, txs int
}

var (
	coursesMu sync.Mutex
	courses   = map[string]course{}
)

func courseOf(t testing.TB, sh shape, strategy string, s statement) course {
	key := sh.name + "/" + strategy + "/" + s.name
	coursesMu.Lock()
	c, ok := courses[key]
	coursesMu.Unlock()
	if ok {
		return c
	}
	w := newWorld(t, sh)
	w.strategy = strategy
	w.seed(seeded(sh))
	l := w.start(nil)
	must(l.run(s))(t)
	c = course{l.points, len(l.disk.Trace()), l.txs}
	coursesMu.Lock()
	defer coursesMu.Unlock()
	courses[key] = c
	return c
}

// trials are all places at which a statement can go wrong, as a run without faults shows them.
func trials(t testing.TB, sh shape, strategy string, s statement) []trial {
	c := courseOf(t, sh, strategy, s)
	var out []trial
	for _, p := range c.points {
		out = append(out, trial{"die at " + p, faults{point: func(name string, n int) bool { return fmt.Sprintf("%s#%d", name, n) == p }}, true})
	}
	kinds := []faulty.Fault{faulty.CrashBefore, faulty.CrashAfter, faulty.FailBefore, faulty.FailAfter}
	for n := 1; n <= c.ops; n++ {
		for _, f := range kinds {
			out = append(out, trial{fmt.Sprintf("operation %d, %v", n, f), faults{disk: faulty.At(map[int]faulty.Fault{n: f})}, f == faulty.CrashBefore || f == faulty.CrashAfter})
		}
	}
	for n := 1; n <= c.txs; n++ {
		for _, f := range kinds {
			out = append(out, trial{fmt.Sprintf("transaction %d, %v", n, f), faults{catalog: txAt(n, f)}, f == faulty.CrashBefore || f == faulty.CrashAfter})
		}
	}
	return out
}

// txAt lets one transaction of the catalog go wrong.
func txAt(n int, f faulty.Fault) func(k int, _ bool) faulty.Fault {
	return func(k int, _ bool) faulty.Fault {
		if k == n {
			return f
		}
		return faulty.None
	}
}

// share is which part of the trials runs when the enumeration is not whole.
const share = 40

func sampled(name string) bool { return long || oneOf(name, share) }

// oneOf picks every nth name.
func oneOf(name string, n uint32) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()%n == 0
}

// TestEveryCrashLeavesAllOrNothing lets a statement go wrong at every place: at each named point, before and after each operation
// on storage and each transaction of the catalog, by the end of the process and by an error that it lives through. After
// recovery the table is all old or all new.
func TestEveryCrashLeavesAllOrNothing(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		for _, tr := range trials(t, sh, strategy, s) {
			if name := sh.name + strategy + s.name + tr.name; sampled(name) {
				if !t.Run(tr.name, func(t *testing.T) { try(t, sh, strategy, s, tr) }) && !long {
					return
				}
			}
		}
	})
}

// TestCancelLeavesAllOrNothing cancels a statement at every point and operation. Before the commit point it fails and leaves the
// table as it was; after it nothing stops it any more.
func TestCancelLeavesAllOrNothing(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		c := courseOf(t, sh, strategy, s)
		places := slices.Clone(c.points)
		for n := 1; n <= c.ops; n++ {
			places = append(places, fmt.Sprintf("operation %d", n))
		}
		for _, place := range places {
			tr := trial{"cancel at " + place, faults{cancel: func(at string) bool { return at == place }}, false}
			if name := sh.name + strategy + s.name + tr.name; sampled(name) {
				if !t.Run(tr.name, func(t *testing.T) { try(t, sh, strategy, s, tr) }) && !long {
					return
				}
			}
		}
	})
}

func try(t *testing.T, sh shape, strategy string, s statement, tr trial) {
	w := newWorld(t, sh)
	w.strategy = strategy
	w.seed(seeded(sh))
	before := w.answer()
	want, wantCounts := apply(t, sh, before, s)
	was := files(t, w.dir)
	l := w.start(&tr.faults)
	res, err := l.run(s)
	defer func() {
		if t.Failed() {
			t.Logf("the statement ended with %v\nthe table was\n%vthe disk is\n%s", err, before, tree(t, w.dir))
			for _, o := range l.disk.Trace() {
				t.Log(strings.ReplaceAll(o.String(), strings.TrimPrefix(w.dir, "/"), ""))
			}
		}
	}()
	oldOrNew := func(when string) answer {
		t.Helper()
		got := w.answer()
		if when == "before recovery" {
			got = seen(sh, got, before, want)
		}
		if !same(got, before) && !same(got, want) {
			t.Fatalf("%s the table holds\n%vwhich is neither the old\n%vnor the new\n%v", when, got, before, want)
		}
		return got
	}
	first := oldOrNew("before recovery")
	if err == nil && !same(first.rows(), want.rows()) {
		t.Fatalf("the statement succeeded and the table holds\n%v", first)
	}
	if !tr.crash && err != nil && !same(first.rows(), before.rows()) {
		t.Fatalf("the statement failed and the table holds\n%v", first)
	}
	if err == nil && countsOf(res) != wantCounts {
		t.Errorf("the result says %v, want %v", countsOf(res), wantCounts)
	}
	checkListed(t, w, strategy, before, want)
	if tr.crash {
		l.stop()
	}
	// A living process recovers what its own failed statements left, too. How many steps there are is not always the same.
	next := l
	l.faults = faults{}
	if tr.crash {
		next = w.start(nil)
	}
	recovered(t, w, next)
	end := oldOrNew("after recovery")
	if (err == nil || same(first, want)) && !same(end, want) {
		t.Fatalf("what was committed is gone:\n%v", end)
	}
	if !tr.crash && err != nil && !same(end, before) {
		t.Fatalf("the statement failed and recovery made the table\n%v", end)
	}
	if sh.inPlace() {
		if listed := w.listed(); !same(listed.rows(), end.rows()) {
			t.Errorf("a listing sees\n%vand the catalog\n%v", listed, end)
		}
		checkMarkerAfter(t, w, same(end, want) && !same(before, want))
	}
	keeps(t, w, was, untouched(t, sh, before, s))
	// Recovery of what is recovered changes nothing.
	disk, txns := tree(t, w.path(w.root)), states(w.txns(t))
	recovered(t, w, w.start(nil))
	if again := tree(t, w.path(w.root)); again != disk {
		t.Errorf("a second recovery made of\n%s\n%s", disk, again)
	}
	if again := states(w.txns(t)); again != txns {
		t.Errorf("a second recovery made of %s %s", txns, again)
	}
	checkVacuumed(t, w, w.start(nil), end)
	// The table can be written as ever.
	more := statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"m1"}}}
	if !sh.partitioned {
		more.rows = map[string][]string{"": {"m1"}}
	}
	after, _ := apply(t, sh, end, more)
	must(w.start(nil).run(more))(t)
	if got := w.answer(); !same(got, after) {
		t.Errorf("a later append made of\n%v\n%v", end, got)
	}
}

// seen is an answer in the midst of a write: where directories are listed, partitions without rows come and go, and rows alone
// tell old from new.
func seen(sh shape, got, before, want answer) answer {
	if sh.registered {
		return got
	}
	for _, a := range []answer{before, want} {
		if same(got.rows(), a.rows()) {
			return a
		}
	}
	return got
}

func states(txns []*catalog.Txn) string {
	var b strings.Builder
	for _, t := range txns {
		fmt.Fprintf(&b, "%s %s %d, ", t.ID, t.State, t.Epoch)
	}
	return b.String()
}

// recovered lets a process recover, and ends the transactions that are stuck, which a single failure must not bring about.
func recovered(t testing.TB, w *world, l *life) {
	t.Helper()
	outcomes, err := l.writer.Recover(t.Context(), false)
	check(t, err)
	for _, o := range outcomes {
		if o.Err != nil || o.Did != "undone" && o.Did != "finished" {
			t.Errorf("recovery of the transaction that was %s: %s, %v", o.Txn.State, o.Did, o.Err)
		}
	}
	for _, txn := range w.txns(t) {
		if !txn.State.Finished() {
			t.Errorf("the transaction is still %s: %s", txn.State, txn.Reason)
		}
	}
}

// checkListed fails when a program that lists directories misses rows in the midst of a write.
func checkListed(t testing.TB, w *world, strategy string, before, want answer) {
	t.Helper()
	if !w.shape.inPlace() {
		return
	}
	listed := w.listed()
	for spec := range before {
		if !holds(listed[spec], before[spec]) && !holds(listed[spec], want[spec]) {
			t.Errorf("of %s, which was %v and becomes %v, a listing sees %v", spec, before[spec], want[spec], listed[spec])
		}
	}
}

// holds reports whether all of some rows are among others.
func holds(all, some []string) bool {
	n := map[string]int{}
	for _, r := range all {
		n[r]++
	}
	for _, r := range some {
		if n[r]--; n[r] < 0 {
			return false
		}
	}
	return true
}

func checkMarkerAfter(t testing.TB, w *world, committed bool) {
	t.Helper()
	done := "old"
	for _, txn := range w.txns(t) {
		if txn.State == catalog.TxnDone {
			done = txn.ID
		}
	}
	if got := w.marker(); got != done {
		t.Errorf("the marker is of %q, the last write that was done is %q (committed: %v)", got, done, committed)
	}
}

// TestTwoRecoveriesAtOnce lets several processes recover one transaction at the same time, wherever its own died.
func TestTwoRecoveriesAtOnce(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		for _, tr := range trials(t, sh, strategy, s) {
			if !tr.crash || !sampled("two"+sh.name+strategy+s.name+tr.name) {
				continue
			}
			t.Run(tr.name, func(t *testing.T) {
				w := newWorld(t, sh)
				w.strategy = strategy
				w.seed(seeded(sh))
				before := w.answer()
				want, _ := apply(t, sh, before, s)
				l := w.start(&tr.faults)
				_, err := l.run(s)
				l.stop()
				var group sync.WaitGroup
				for range 3 {
					l := w.start(nil)
					group.Go(func() {
						outcomes, err := l.writer.Recover(t.Context(), false)
						if err != nil {
							t.Error(err)
						}
						for _, o := range outcomes {
							if o.Err != nil {
								t.Error(o.Did, o.Err)
							}
						}
					})
				}
				group.Wait()
				got := w.answer()
				if !same(got, before) && !same(got, want) || err == nil && !same(got, want) {
					t.Errorf("the table holds\n%vit was\n%vand was to be\n%v", got, before, want)
				}
				for _, txn := range w.txns(t) {
					if !txn.State.Finished() {
						t.Errorf("the transaction is still %s", txn.State)
					}
				}
				checkVacuumed(t, w, w.start(nil), got)
			})
		}
	})
}

// TestRecoveryCrashes lets recovery itself die, and another process finish what both left. All pairs of places are a million: some of
// them are tried.
func TestRecoveryCrashes(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		var deaths []trial
		for _, tr := range trials(t, sh, strategy, s) {
			if strings.HasPrefix(tr.name, "die at") && oneOf("recover"+sh.name+strategy+s.name+tr.name, 40) {
				deaths = append(deaths, tr)
			}
		}
		for _, tr := range deaths {
			// How many operations a recovery takes shows when none fails.
			begin := func(t *testing.T) (*world, answer, answer) {
				w := newWorld(t, sh)
				w.strategy = strategy
				w.seed(seeded(sh))
				before := w.answer()
				want, _ := apply(t, sh, before, s)
				l := w.start(&tr.faults)
				_, _ = l.run(s)
				l.stop()
				return w, before, want
			}
			w, _, _ := begin(t)
			l := w.start(nil)
			_, err := l.writer.Recover(t.Context(), false)
			check(t, err)
			for n := 1; n <= len(l.disk.Trace())+l.txs; n++ {
				for _, f := range []faulty.Fault{faulty.CrashBefore, faulty.CrashAfter, faulty.FailBefore, faulty.FailAfter} {
					name := fmt.Sprintf("%s, then step %d, %v", tr.name, n, f)
					if !sampled(sh.name + strategy + s.name + name) {
						continue
					}
					t.Run(name, func(t *testing.T) {
						w, before, want := begin(t)
						bad := faults{disk: faulty.At(map[int]faulty.Fault{n: f})}
						if ops := len(l.disk.Trace()); n > ops {
							bad = faults{catalog: txAt(n-ops, f)}
						}
						second := w.start(&bad)
						_, _ = second.writer.Recover(t.Context(), false)
						got := seen(sh, w.answer(), before, want)
						if !same(got, before) && !same(got, want) {
							t.Fatalf("in the midst of recovery the table holds\n%vit was\n%vand was to be\n%v", got, before, want)
						}
						third := second
						second.faults = faults{}
						if second.dead.Load() {
							second.stop()
							third = w.start(nil)
						}
						if txns := w.txns(t); len(txns) > 0 && txns[len(txns)-1].State == catalog.TxnStuck {
							o, err := third.writer.Settle(t.Context(), txns[len(txns)-1].ID, "forward")
							if err != nil {
								t.Fatal(o.Did, err)
							}
						}
						recovered(t, w, third)
						got = w.answer()
						if !same(got, before) && !same(got, want) {
							t.Fatalf("the table holds\n%vit was\n%vand was to be\n%v", got, before, want)
						}
						if sh.inPlace() {
							if listed := w.listed(); !same(listed.rows(), got.rows()) {
								t.Errorf("a listing sees\n%vand the catalog\n%v", listed, got)
							}
						}
						checkVacuumed(t, w, w.start(nil), got)
					})
				}
			}
		}
	})
}

// TestCrashesOfACatalogInAFile runs a few trials on the store that people have.
func TestCrashesOfACatalogInAFile(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed} {
		s := statements(sh)[3]
		for _, tr := range trials(t, sh, "auto", s) {
			if !strings.HasPrefix(tr.name, "transaction") && !sampled("sql"+tr.name) {
				continue
			}
			t.Run(sh.name+"/"+tr.name, func(t *testing.T) {
				dir := scratch(t)
				w := newWorldIn(t, sh, dir, true)
				w.seed(seeded(sh))
				before := w.answer()
				want, _ := apply(t, sh, before, s)
				l := w.start(&tr.faults)
				_, err := l.run(s)
				next := l
				l.faults = faults{}
				if tr.crash {
					l.stop()
					next = w.start(nil)
				}
				recovered(t, w, next)
				got := w.answer()
				if !same(got, before) && !same(got, want) || err == nil && !same(got, want) || err != nil && !tr.crash && !same(got, before) {
					t.Errorf("the statement ended with %v, the table holds\n%v", err, got)
				}
			})
		}
	}
}

// TestDirectoriesOfTheScratch guards the tests themselves: what they call a directory of the lake has to be one.
func TestDirectoriesOfTheScratch(t *testing.T) {
	w := newWorld(t, listing)
	w.seed(seeded(listing))
	if _, err := os.Stat(filepath.Join(w.path(w.root), "a=1", "b=x", "foreign-0.csv")); err != nil {
		t.Fatal(err)
	}
	if got := w.listed(); !same(got, answer(seeded(listing)).clone()) {
		t.Fatalf("a listing sees\n%v", got)
	}
}
