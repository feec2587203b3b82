package write_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/write"
)

func isConflict(err error) bool {
	return errors.Is(err, sqlerr.Condition("CONCURRENT_WRITE_CONFLICT"))
}

// operation is what a client asked of one partition. A whole statement, or a read of the table, is one of them per partition.
type operation struct {
	spec string
	kind string // overwrite, append or read
	rows string
}

// cell is one partition as a sequential machine: its rows, sorted.
var cell = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, o := range history {
			spec := o.Input.(operation).spec
			by[spec] = append(by[spec], o)
		}
		var out [][]porcupine.Operation
		for _, spec := range sortedKeys(by) {
			out = append(out, by[spec])
		}
		return out
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		in := input.(operation)
		switch in.kind {
		case "overwrite":
			return true, in.rows
		case "append":
			rows := append(strings.Fields(state.(string)), strings.Fields(in.rows)...)
			slices.Sort(rows)
			return true, strings.Join(rows, " ")
		}
		return output.(string) == state.(string), state
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprint(input, " ", output) },
}

// TestConcurrentWritersAndReadersAreInOneOrder lets processes append, overwrite and read at the same time, and looks for an order
// of all that explains every answer.
func TestConcurrentWritersAndReadersAreInOneOrder(t *testing.T) {
	for _, sh := range shapes {
		strategies := []string{"auto"}
		if sh.inPlace() && sh.partitioned {
			strategies = []string{"union", "exchange"}
		}
		for _, strategy := range strategies {
			t.Run(sh.name+"/"+strategy, func(t *testing.T) { runClients(t, sh, strategy) })
		}
	}
}

func runClients(t *testing.T, sh shape, strategy string) {
	w := newWorld(t, sh)
	w.strategy = strategy
	specs := []string{"a=1/b=x", "a=1/b=y", "a=2/b=x"}
	if !sh.partitioned {
		specs = []string{""}
	}
	begin := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation
	committed, conflicts := 0, 0
	note := func(client int, call time.Time, ops []operation, outputs []string) {
		mu.Lock()
		defer mu.Unlock()
		for i, op := range ops {
			history = append(history, porcupine.Operation{
				ClientId: client, Input: op, Output: outputs[i], Call: call.Sub(begin).Nanoseconds(), Return: time.Since(begin).Nanoseconds(),
			})
		}
	}
	rounds := 8
	if long {
		rounds = 40
	}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for client := range 4 {
		l := w.start(nil)
		random := rand.New(rand.NewPCG(uint64(client), 7))
		writers.Go(func() {
			for round := range rounds {
				s := statement{kind: write.Append, rows: map[string][]string{}}
				kind := "append"
				if random.IntN(2) == 0 {
					s.kind, kind = write.ReplaceWritten, "overwrite"
					if !sh.partitioned {
						s.kind = write.ReplaceMatching
					}
				}
				var ops []operation
				for _, spec := range specs {
					if len(specs) > 1 && random.IntN(2) == 0 {
						continue
					}
					rows := []string{fmt.Sprintf("%d.%d.a", client, round), fmt.Sprintf("%d.%d.b", client, round)}
					s.rows[spec] = rows
					ops = append(ops, operation{spec, kind, strings.Join(rows, " ")})
				}
				if len(ops) == 0 {
					continue
				}
				call := time.Now()
				_, err := l.run(s)
				mu.Lock()
				if err == nil {
					committed++
				} else if isConflict(err) {
					conflicts++
				}
				mu.Unlock()
				switch {
				case err == nil:
					note(client, call, ops, make([]string, len(ops)))
				case !isConflict(err):
					t.Errorf("%s of client %d: %v", kind, client, err)
				}
			}
		})
	}
	for reader := range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				call := time.Now()
				got, err := w.reader().read(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				var ops []operation
				var outputs []string
				for _, spec := range specs {
					ops, outputs = append(ops, operation{spec, "read", ""}), append(outputs, strings.Join(got[spec], " "))
				}
				note(10+reader, call, ops, outputs)
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	call := time.Now()
	got := w.answer()
	for _, spec := range specs {
		note(20, call, []operation{{spec, "read", ""}}, []string{strings.Join(got[spec], " ")})
	}
	if res := porcupine.CheckOperationsTimeout(cell, history, 20*time.Second); res == porcupine.Illegal {
		t.Errorf("no order of the statements explains what was read:\n%s", described(history))
	}
	if committed == 0 {
		t.Error("nothing was committed")
	}
	t.Logf("%d committed, %d conflicts, %d reads", committed, conflicts, len(history)/len(specs)-committed)
	for _, txn := range w.txns(t) {
		if !txn.State.Finished() {
			t.Errorf("a transaction is %s: %s", txn.State, txn.Reason)
		}
	}
	if sh.inPlace() {
		if listed := w.listed(); !same(listed.rows(), got.rows()) {
			t.Errorf("a listing sees\n%vand the catalog\n%v", listed, got)
		}
	}
	checkVacuumed(t, w, w.start(nil), got)
}

func described(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range history {
		fmt.Fprintf(&b, "%9d %9d client %d %v %v\n", o.Call/1000, o.Return/1000, o.ClientId, o.Input, o.Output)
	}
	return b.String()
}

// held begins a statement, stages its rows and stops before the commit.
func (l *life) held(s statement) (commit func() (write.Result, error)) {
	l.w.t.Helper()
	target := must(l.target(s))(l.w.t)
	job := must(l.writer.Begin(l.w.t.Context(), target, s.scope(l.w.t, target.Columns), catalog.Commit{Operation: "INSERT"}))(l.w.t)
	files := must(l.stage(job, s))(l.w.t)
	return func() (write.Result, error) {
		defer job.Abort(l.w.t.Context())
		return job.Commit(l.w.t.Context(), files)
	}
}

// TestWhichWritesConflict begins two statements, commits the first and then the second.
func TestWhichWritesConflict(t *testing.T) {
	rows := func(spec string) map[string][]string { return map[string][]string{spec: {"n" + spec[2:3]}} }
	dynamic := func(spec string) statement { return statement{kind: write.ReplaceWritten, rows: rows(spec)} }
	static := func(a int64) statement { return statement{kind: write.ReplaceMatching, matchers: onA(a)} }
	appends := func(spec string) statement { return statement{kind: write.Append, rows: rows(spec)} }
	all := statement{kind: write.ReplaceMatching}
	endsInX := statement{kind: write.ReplaceMatching, selects: func(spec string) bool { return spec[len(spec)-1] == 'x' }}
	atLeast2 := statement{kind: write.ReplaceMatching, matchers: []partition.Matcher{{Col: 0, Op: partition.Ge, Value: int64(2)}}}
	for _, c := range []struct {
		name          string
		first, second statement
		conflict      bool
	}{
		{"two overwrites of one partition", dynamic("a=1/b=x"), dynamic("a=1/b=x"), true},
		{"two overwrites of a partition that there was not", dynamic("a=9/b=x"), dynamic("a=9/b=x"), true},
		{"overwrites of different partitions", dynamic("a=1/b=x"), dynamic("a=1/b=y"), false},
		{"overwrites of different prefixes", static(1), static(2), false},
		{"a prefix and a partition that appears in it", dynamic("a=2/b=new"), static(2), true},
		{"a prefix and a partition outside of it", dynamic("a=1/b=new"), static(2), false},
		{"a partition, and the prefix around it went", static(2), dynamic("a=2/b=x"), false},
		{"all, and a new partition", dynamic("a=9/b=x"), all, true},
		{"an append to a partition, and its overwrite", appends("a=1/b=x"), dynamic("a=1/b=x"), true},
		{"an append to another partition, and an overwrite", appends("a=2/b=x"), dynamic("a=1/b=x"), false},
		{"an overwrite, and an append to what it wrote", dynamic("a=1/b=x"), appends("a=1/b=x"), false},
		{"two appends", appends("a=1/b=x"), appends("a=1/b=x"), false},
		{"two appends to a partition that there was not", appends("a=9/b=x"), appends("a=9/b=x"), false},
		{"a condition, and a partition that appears under it", dynamic("a=9/b=x"), endsInX, true},
		{"a condition, and a partition that appears beside it", dynamic("a=9/b=y"), endsInX, false},
		{"a comparison, and a partition that appears under it", dynamic("a=9/b=x"), atLeast2, true},
		{"a truncated table, and an append before", appends("a=1/b=x"), statement{kind: write.Empty}, true},
	} {
		for _, sh := range []shape{listing, logInPlace, sealed, filesets, byPath} {
			t.Run(c.name+"/"+sh.name, func(t *testing.T) {
				conflict := c.conflict
				if !sh.registered {
					switch c.name {
					case "a condition, and a partition that appears beside it":
						conflict = true // without a log nothing tells which partitions a condition has met
					case "a partition, and the prefix around it went":
						conflict = true // its files went while they were to be replaced
					}
				}
				w := newWorld(t, sh)
				w.seed(seeded(sh))
				before := w.answer()
				one, two := w.start(nil), w.start(nil)
				first, second := one.held(c.first), two.held(c.second)
				must(first())(t)
				want, _ := apply(t, sh, before, c.first)
				_, err := second()
				switch {
				case conflict && !isConflict(err):
					t.Errorf("the second ended with %v, want a conflict", err)
				case !conflict && err != nil:
					t.Error(err)
				case !conflict:
					want, _ = apply(t, sh, want, c.second)
				}
				if got := w.answer(); !same(got, want) {
					t.Errorf("the table holds\n%vwant\n%v", got, want)
				}
				if sh.inPlace() {
					if listed := w.listed(); !same(listed.rows(), want.rows()) {
						t.Errorf("a listing sees\n%vwant\n%v", listed, want)
					}
				}
				checkVacuumed(t, w, w.start(nil), want)
			})
		}
	}
}

// TestIfNotExistsIsCheckedByTheCommit begins two INSERT … IF NOT EXISTS of one partition.
func TestIfNotExistsIsCheckedByTheCommit(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed, filesets} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			s := statement{kind: write.ReplaceMatching, isOne: true, one: "a=9/b=x", ifNotExists: true, rows: map[string][]string{"a=9/b=x": {"n1"}}}
			first, second := w.start(nil).held(s), w.start(nil).held(s)
			must(first())(t)
			if _, err := second(); !isConflict(err) {
				t.Errorf("the second ended with %v", err)
			}
		})
	}
}

// TestAnAppendFollowsAPartitionThatMoved commits an append whose partition another writer has moved to another directory.
func TestAnAppendFollowsAPartitionThatMoved(t *testing.T) {
	for _, sh := range []shape{sealed, sealedCustom, filesets, plainSealed, logInPlace, hiveCustom} {
		for _, where := range []string{"a=1/b=x", "a=9/b=x", elsewhereSpec} {
			first := statement{kind: write.ReplaceMatching, isOne: true, one: where, rows: map[string][]string{where: {"n1", "n2"}}}
			late := statement{kind: write.Append, rows: map[string][]string{where: {"n3", "n4"}}, filesEach: 2}
			if where == "a=9/b=x" {
				first.kind = write.Append // it makes the partition, which both took for new
			}
			if !sh.partitioned {
				first = statement{kind: write.ReplaceMatching, rows: map[string][]string{"": {"n1", "n2"}}}
				late.rows = map[string][]string{"": {"n3", "n4"}}
			}
			t.Run(sh.name+"/"+where, func(t *testing.T) {
				w := newWorld(t, sh)
				w.seed(seeded(sh))
				before := w.answer()
				commit := w.start(nil).held(late)
				must(w.start(nil).run(first))(t)
				must(commit())(t)
				want, _ := apply(t, sh, before, first)
				want, _ = apply(t, sh, want, late)
				if got := w.answer(); !same(got, want) {
					t.Errorf("the table holds\n%vwant\n%v%s", got, want, tree(t, w.dir))
				}
				checkVacuumed(t, w, w.start(nil), want)
			})
		}
	}
}

// TestAnAppendFollowsAPartitionThatWasDropped commits an append whose partition, which lay elsewhere, is gone.
func TestAnAppendFollowsAPartitionThatWasDropped(t *testing.T) {
	for _, sh := range []shape{hiveCustom, sealedCustom, sealed, filesets, logInPlace} {
		spec := "a=1/b=x"
		if sh.custom {
			spec = elsewhereSpec
		}
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			late := statement{kind: write.Append, rows: map[string][]string{spec: {"n1"}}}
			commit := w.start(nil).held(late)
			gone := statement{kind: write.Remove, selects: func(s string) bool { return s == spec }}
			before := w.answer()
			must(w.start(nil).run(gone))(t)
			want, _ := apply(t, sh, before, gone)
			want, _ = apply(t, sh, want, late)
			must(commit())(t)
			if got := w.answer(); !same(got, want) {
				t.Errorf("the table holds\n%vwant\n%v%s", got, want, tree(t, w.dir))
			}
		})
	}
}

// TestAnUndoneOverwriteIsOutOfTheWay begins an overwrite while another one is being undone: the second must not plan, or commit,
// on directories that still change.
func TestAnUndoneWriteIsInTheWayUntilItIsUndone(t *testing.T) {
	for _, strategy := range []string{"union", "exchange"} {
		t.Run(strategy, func(t *testing.T) {
			w := newWorld(t, logInPlace)
			w.strategy = strategy
			w.seed(seeded(logInPlace))
			before := w.answer()
			s := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}
			second := w.start(nil).held(s)
			died := w.start(&faults{point: func(name string, _ int) bool { return name == "published" }})
			if _, err := died.run(s); err == nil {
				t.Fatal("it did not die")
			}
			died.stop()
			if _, err := second(); !isConflict(err) {
				t.Fatalf("the second ended with %v while the first is unfinished", err)
			}
			recovered(t, w, w.start(nil))
			want := before
			if strategy == "exchange" {
				want, _ = apply(t, logInPlace, before, s)
			}
			if got := w.answer(); !same(got, want) {
				t.Errorf("the table holds\n%vwant\n%v", got, want)
			}
		})
	}
}
