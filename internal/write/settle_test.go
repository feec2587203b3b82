package write_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/write"
)

// overwriteTwo replaces two partitions of the seeded table.
var overwriteTwo = statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=2/b=x": {"n2"}}}

// stuck is a table with a write that cannot go on: one of two directories is exchanged, and the other cannot be.
func stuck(t *testing.T, sh shape) (w *world, before answer, id string) {
	t.Helper()
	w = newWorld(t, sh)
	w.strategy = "exchange"
	w.seed(seeded(sh))
	before = w.answer()
	done := 0
	l := w.start(&faults{disk: func(op, _ string, _ int) faulty.Fault {
		if op == "exchange" {
			if done++; done > 2 { // the first is the one that tries whether it works
				return faulty.FailBefore
			}
		}
		return faulty.None
	}})
	_, err := l.run(overwriteTwo)
	if !errors.Is(err, sqlerr.Condition("TRANSACTION_STUCK")) {
		t.Fatalf("the write ended with %v", err)
	}
	for _, txn := range w.txns(t) {
		if txn.State == catalog.TxnStuck {
			id = txn.ID
		}
	}
	if id == "" {
		t.Fatal("nothing is stuck")
	}
	return w, before, id
}

func TestStuckTransactions(t *testing.T) {
	for _, sh := range []shape{listing, logInPlace, hiveCustom} {
		for _, way := range []string{"forward", "", "back", "accept"} {
			t.Run(sh.name+"/"+way, func(t *testing.T) {
				w, before, id := stuck(t, sh)
				// Readers see what was there, and recovery leaves the decision to a person.
				if got := w.answer(); !same(got, before) {
					t.Errorf("readers see\n%v", got)
				}
				l := w.start(nil)
				outcomes := must(l.writer.Recover(t.Context(), false))(t)
				if len(outcomes) != 1 || outcomes[0].Did != "stuck" {
					t.Errorf("recovery says %+v", outcomes)
				}
				// Others write around it, and not into it.
				if _, err := l.run(overwriteTwo); !errors.Is(err, sqlerr.Condition("TRANSACTION_STUCK")) {
					t.Errorf("a write to the same partitions ended with %v", err)
				}
				other := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=y": {"l1"}}}
				must(l.run(other))(t)
				before, _ = apply(t, sh, before, other)
				want := before
				switch way {
				case "forward":
					want, _ = apply(t, sh, before, overwriteTwo)
				case "accept":
					// One directory was exchanged, the other one was not.
					first, second := slices.Equal(w.listed()["a=1/b=x"], []string{"n1"}), slices.Equal(w.listed()["a=2/b=x"], []string{"n2"})
					if first == second {
						t.Errorf("both directories were exchanged, or none: %v, %v", first, second)
					}
					if first {
						want["a=1/b=x"] = []string{"n1"}
					} else {
						want["a=2/b=x"] = []string{"n2"}
					}
				}
				o, err := l.writer.Settle(t.Context(), id, way)
				check(t, err)
				if did := map[string]string{"forward": "finished", "": "undone", "back": "undone", "accept": "accepted"}[way]; o.Did != did {
					t.Errorf("it was %s, want %s", o.Did, did)
				}
				if got := w.answer(); !same(got, want) {
					t.Errorf("the table holds\n%vwant\n%v", got, want)
				}
				if listed := w.listed(); !same(listed.rows(), want.rows()) {
					t.Errorf("a listing sees\n%vwant\n%v", listed, want)
				}
				if o, err := l.writer.Settle(t.Context(), id, way); err != nil || o.Did != "ended before" {
					t.Errorf("settled again: %s, %v", o.Did, err)
				}
				checkVacuumed(t, w, l, want)
			})
		}
	}
}

// TestSettlingCrashes stops the undoing of an exchange at every operation.
func TestSettlingCrashes(t *testing.T) {
	for _, way := range []string{"back", "forward"} {
		for n := 1; ; n++ {
			if !sampled(way+string(rune(n))) && n < 60 {
				continue
			}
			w, before, id := stuck(t, logInPlace)
			want := before
			if way == "forward" {
				want, _ = apply(t, logInPlace, before, overwriteTwo)
			}
			// Somebody adds a file to the exchanged directory, which has to survive both ways.
			put(t, filepath.Join(w.path(w.root), "a=1", "b=x", "late.csv"), "late\n")
			before.add("a=1/b=x", "late")
			if way == "forward" {
				want.add("a=1/b=x", "late")
			}
			l := w.start(&faults{disk: faulty.At(map[int]faulty.Fault{n: faulty.CrashAfter})})
			_, err := l.writer.Settle(t.Context(), id, way)
			if got := w.answer(); !same(got, before) && !same(got, want) {
				t.Fatalf("%s, operation %d: the table holds\n%v", way, n, got)
			}
			ended := err == nil
			if !ended {
				l.stop()
				recovered(t, w, w.start(nil))
			}
			if got := w.answer(); !same(got, want) {
				t.Fatalf("%s, operation %d: the table holds\n%vwant\n%v%s", way, n, got, want, tree(t, w.dir))
			}
			checkVacuumed(t, w, w.start(nil), want)
			if ended {
				break
			}
		}
	}
}

func TestSettleRefuses(t *testing.T) {
	w := newWorld(t, logInPlace)
	w.seed(seeded(logInPlace))
	l := w.start(nil)
	if _, err := l.writer.Settle(t.Context(), "01BX5ZZKBKACTAV9WEVGEMMVRZ", "forward"); !errors.Is(err, sqlerr.Condition("TRANSACTION_NOT_FOUND")) {
		t.Errorf("an unknown transaction: %v", err)
	}
	job := must(l.writer.Begin(t.Context(), must(l.target(statement{}))(t), write.Scope{Kind: write.Append}, catalog.Commit{}))(t)
	for _, other := range []*life{l, w.start(nil)} {
		if _, err := other.writer.Settle(t.Context(), job.ID(), "back"); !errors.Is(err, sqlerr.Condition("TRANSACTION_RUNNING")) {
			t.Errorf("a running transaction: %v", err)
		}
		if out := must(other.writer.Recover(t.Context(), false))(t); len(out) != 1 || out[0].Did != "alive" {
			t.Errorf("recovery says %+v", out)
		}
	}
	// One that had not decided to commit can only go back.
	l.stop()
	next := w.start(nil)
	if o, err := next.writer.Settle(t.Context(), job.ID(), "forward"); err == nil {
		t.Errorf("a write that had not been prepared was %s", o.Did)
	}
	if out := must(w.start(nil).writer.Recover(t.Context(), true))(t); len(out) != 1 || !strings.HasPrefix(out[0].Did, "alive") && !strings.HasPrefix(out[0].Did, "would be") {
		t.Errorf("a dry recovery says %+v", out)
	}
	if o := must(next.writer.Settle(t.Context(), job.ID(), "back"))(t); o.Did != "undone" {
		t.Errorf("it was %s", o.Did)
	}
	// One that has committed can only go forward.
	dies := w.start(&faults{point: func(name string, _ int) bool { return name == "committed" }})
	_, _ = dies.run(overwriteTwo)
	dies.stop()
	var id string
	for _, txn := range w.txns(t) {
		if txn.State == catalog.TxnCommitted {
			id = txn.ID
		}
	}
	if o, err := next.writer.Settle(t.Context(), id, "back"); err == nil {
		t.Errorf("a committed write was %s", o.Did)
	}
	if o := must(next.writer.Settle(t.Context(), id, "forward"))(t); o.Did != "finished" {
		t.Errorf("it was %s", o.Did)
	}
}

// TestRecoveryAsks: a dry run says what would be done, and does nothing.
func TestRecoveryAsks(t *testing.T) {
	for point, want := range map[string]string{"planned": "would be undone", "committed": "would be finished", "exchanged": "would be finished"} {
		w := newWorld(t, logInPlace)
		w.strategy = "exchange"
		w.seed(seeded(logInPlace))
		s := overwriteTwo
		if point != "exchanged" {
			w.strategy = "union"
		}
		l := w.start(&faults{point: func(name string, _ int) bool { return name == point }})
		_, _ = l.run(s)
		l.stop()
		before := tree(t, w.dir)
		out := must(w.start(nil).writer.Recover(t.Context(), true))(t)
		if len(out) != 1 || out[0].Did != want || out[0].Err != nil {
			t.Errorf("at %s: %+v", point, out)
		}
		if now := tree(t, w.dir); now != before {
			t.Errorf("a dry run made of\n%s\n%s", before, now)
		}
	}
}

// TestWhatFailsAfterTheCommitPoint is no failure of the statement: it is told beside the result, and recovery of the same process
// does it.
func TestWhatFailsAfterTheCommitPoint(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed, plainInPlace} {
		w := newWorld(t, sh)
		w.seed(seeded(sh))
		before := w.answer()
		var committed atomic.Bool // points are passed and operations done by several at once
		l := w.start(nil)
		l.faults = faults{
			point: func(name string, _ int) bool {
				if name == "committed" {
					committed.Store(true)
				}
				return false
			},
			disk: func(string, string, int) faulty.Fault {
				if committed.Load() {
					return faulty.FailBefore
				}
				return faulty.None
			},
		}
		s := statements(sh)[2]
		if sh.partitioned {
			s = overwriteTwo
		}
		want, _ := apply(t, sh, before, s)
		res, err := l.run(s)
		if err != nil || res.Left == nil || res.Version == 0 {
			t.Errorf("%s: %+v, %v", sh.name, res, err)
		}
		if got := w.answer(); !same(got, want) {
			t.Errorf("%s: the table holds\n%v", sh.name, got)
		}
		l.faults.disk = nil
		recovered(t, w, l)
		if sh.inPlace() {
			checkMarkerAfter(t, w, true)
		}
		checkVacuumed(t, w, l, want)
	}
}

// TestStagingIsEmptiedAnew is what a statement does that starts over.
func TestStagingIsEmptiedAnew(t *testing.T) {
	w := newWorld(t, sealed)
	l := w.start(nil)
	job := must(l.writer.Begin(t.Context(), must(l.target(statement{}))(t), write.Scope{Kind: write.Append}, catalog.Commit{}))(t)
	dir := must(job.Stage(t.Context()))(t)
	put(t, filepath.Join(dir, "x"), "x")
	check(t, job.Restage(t.Context()))
	if entries := must(os.ReadDir(dir))(t); len(entries) != 0 {
		t.Error("the staging is not empty")
	}
	put(t, filepath.Join(dir, "y"), "y1\n")
	files := []write.File{{Name: "y", Suffix: ".csv", Values: valuesOf(t, "a=1/b=x"), Rows: 1, Bytes: 3}}
	must(job.Commit(t.Context(), files))(t)
	job.Abort(t.Context()) // does nothing any more
	if got := w.answer()["a=1/b=x"]; !slices.Equal(got, []string{"y1"}) {
		t.Errorf("the table holds %v", got)
	}
}
