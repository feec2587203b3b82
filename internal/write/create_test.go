package write_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/write"
)

// creates begins CREATE [OR REPLACE] TABLE AS SELECT of the world's table, and returns its commit.
func (l *life) creates(s statement, replace bool) (commit func() (write.Result, error), err error) {
	w := l.w
	old := w.table
	def := w.definition("t")
	target := write.Target{
		Table: def, Name: "main.s.t", Root: w.root, Layout: w.shape.layout, Columns: w.cols(), Registered: w.shape.registered, Strategy: "auto",
		Marker: w.shape.inPlace(), NewRoot: !replace,
	}
	if target.Registered {
		target.Set = partition.NewSet(def.PartitionLayout())
	}
	if replace {
		err := l.writer.Store.Read(w.t.Context(), func(tx catalog.ReadTx) error {
			now, err := tx.TableByID(old)
			if err != nil {
				return err
			}
			def.ID, def.Version = now.ID, now.Version
			if !w.shape.inPlace() {
				target.Replaced, err = tx.Partitions(old, 0)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		target.Tree = w.shape.inPlace()
	}
	job, err := l.writer.Begin(w.t.Context(), target, write.Scope{Kind: write.Append}, catalog.Commit{Operation: "CREATE TABLE AS SELECT"})
	if err != nil {
		return nil, err
	}
	job.Creates(func(tx catalog.WriteTx) (*catalog.Table, error) {
		made := def.Clone()
		if replace {
			err := tx.ReplaceTable(made, catalog.Commit{Operation: "CREATE OR REPLACE TABLE"})
			return made, err
		}
		err := tx.CreateTable(made)
		return made, err
	})
	files, err := l.stage(job, s)
	if err != nil {
		job.Abort(w.t.Context())
		return nil, err
	}
	return func() (write.Result, error) {
		defer job.Abort(w.t.Context())
		return job.Commit(w.t.Context(), files)
	}, nil
}

func (l *life) create(s statement, replace bool) (write.Result, error) {
	commit, err := l.creates(s, replace)
	if err != nil {
		return write.Result{}, err
	}
	return commit()
}

// find looks for the table by name: a new one has its own id.
func (w *world) find() bool {
	found := false
	check(w.t, w.store.Read(w.t.Context(), func(tx catalog.ReadTx) error {
		t, err := tx.Table(w.schema, "t")
		if errors.Is(err, catalog.ErrNotFound) {
			return nil
		}
		if err == nil {
			found, w.table = true, t.ID
		}
		return err
	}))
	return found
}

// TestCreatedWithRows makes or replaces a table together with its rows, and goes wrong at every place.
func TestCreatedWithRows(t *testing.T) {
	for _, sh := range shapes {
		if sh.byPath || sh.custom {
			continue
		}
		for _, replace := range []bool{false, true} {
			s := statement{rows: map[string][]string{"a=1/b=x": {"n1"}, "a=4/b=x": {"n2", "n3"}}}
			if !sh.partitioned {
				s.rows = map[string][]string{"": {"n1", "n2"}}
			}
			want := answer{}
			for spec, rows := range s.rows {
				want.add(spec, rows...)
			}
			prepare := func(t *testing.T) (*world, answer) {
				w := newWorld(t, sh)
				if replace {
					w.seed(seeded(sh))
					return w, w.answer()
				}
				check(t, w.store.Write(t.Context(), func(tx catalog.WriteTx) error { return tx.DeleteTable(w.table) }))
				check(t, os.Remove(w.path(w.root)))
				return w, nil
			}
			t.Run(fmt.Sprintf("%s/replace %v", sh.name, replace), func(t *testing.T) {
				w, _ := prepare(t)
				clean := w.start(nil)
				must(clean.create(s, replace))(t)
				if !w.find() {
					t.Fatal("there is no table")
				}
				if got := w.answer(); !same(got, want) {
					t.Errorf("the table holds\n%vwant\n%v", got, want)
				}
				if sh.inPlace() {
					if listed := w.listed(); !same(listed.rows(), want.rows()) {
						t.Errorf("a listing sees\n%v", listed)
					}
				}
				checkVacuumed(t, w, clean, want)
				ops, txs := len(clean.disk.Trace()), clean.txs
				for n := 1; n <= ops+txs; n++ {
					for _, f := range []faulty.Fault{faulty.CrashBefore, faulty.CrashAfter, faulty.FailBefore, faulty.FailAfter} {
						name := fmt.Sprintf("step %d of %d, %v", n, ops+txs, f)
						if !sampled("create" + sh.name + name) {
							continue
						}
						t.Run(name, func(t *testing.T) { tryCreate(t, prepare, s, want, replace, n, ops, f) })
					}
				}
			})
		}
	}
}

func tryCreate(t *testing.T, prepare func(*testing.T) (*world, answer), s statement, want answer, replace bool, n, ops int, f faulty.Fault) {
	w, before := prepare(t)
	bad := faults{disk: faulty.At(map[int]faulty.Fault{n: f})}
	if n > ops {
		bad = faults{catalog: txAt(n-ops, f)}
	}
	l := w.start(&bad)
	_, err := l.create(s, replace)
	next := l
	l.faults = faults{} // how many steps there are is not always the same
	if l.dead.Load() {
		l.stop()
		next = w.start(nil)
	}
	recovered(t, w, next)
	if !w.find() {
		if replace || err == nil {
			t.Fatalf("the statement ended with %v, and there is no table", err)
		}
		if exists(w.path(w.root)) {
			t.Errorf("there is no table, and left are\n%s", tree(t, w.path(w.root)))
		}
		return
	}
	got := w.answer()
	if !same(got, want) && (!replace || !same(got, before)) || err == nil && !same(got, want) {
		t.Errorf("the statement ended with %v, and the table holds\n%v", err, got)
	}
	if w.shape.inPlace() {
		if listed := w.listed(); !same(listed.rows(), got.rows()) {
			t.Errorf("a listing sees\n%vand the catalog\n%v", listed, got)
		}
	}
	checkVacuumed(t, w, w.start(nil), got)
}

// TestReplacingATableMindsWriters: rows that are on their way into a table when it is replaced do not end up in the new one.
func TestReplacingATableMindsWriters(t *testing.T) {
	rows := map[string][]string{"a=1/b=x": {"n1"}}
	for _, sh := range []shape{listing, logInPlace, sealed} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l, sleeps, wake := w.sleeper(func(name string, n int) bool { return name == "published" && n == 1 })
			ended := make(chan error, 1)
			go func() {
				_, err := l.run(statement{kind: write.Append, rows: rows})
				ended <- err
			}()
			<-sleeps
			_, replaceErr := w.start(nil).create(statement{rows: map[string][]string{"a=1/b=x": {"r1"}}}, true)
			wake()
			appendErr := <-ended
			got := w.answer()
			switch {
			case sh.inPlace() && (!isConflict(replaceErr) || appendErr != nil):
				t.Errorf("the replacement ended with %v, the append with %v", replaceErr, appendErr)
			case !sh.inPlace() && (replaceErr != nil || len(got["a=1/b=x"]) > 2):
				t.Errorf("the replacement ended with %v, the append with %v, the table holds\n%v", replaceErr, appendErr, got)
			}
			if sh.inPlace() {
				if listed := w.listed(); !same(listed.rows(), got.rows()) {
					t.Errorf("a listing sees\n%vand the catalog\n%v", listed, got)
				}
			}
		})
	}
}
