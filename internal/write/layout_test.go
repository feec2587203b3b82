package write_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/write"
)

// TestManyAppendsLeaveAShortList: an entry does not collect a file set for each append there ever was.
func TestManyAppendsLeaveAShortList(t *testing.T) {
	for _, sh := range []shape{sealed, filesets, plainSealed} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			l := w.start(nil)
			spec := "a=1/b=x"
			if !sh.partitioned {
				spec = ""
			}
			want := answer{}
			for i := range 150 {
				row := fmt.Sprint("r", i)
				rows := map[string][]string{spec: {row}}
				if sh.partitioned && i%3 == 0 {
					rows["a=2/b=x"] = []string{row}
				}
				must(l.run(statement{kind: write.Append, rows: rows}))(t)
				for spec := range rows {
					want.add(spec, row)
				}
			}
			if got := w.answer(); !same(got, want) {
				t.Fatalf("the table holds\n%vwant\n%v", got, want)
			}
			s := must(w.reader().snap(t.Context()))(t)
			row, _ := s.set.Find(valuesOf(t, spec))
			c := s.set.Content(row)
			if len(c.Filesets) > 64 || c.Files != 150 || c.Rows != 150 {
				t.Errorf("the entry has %d file sets, %d files, %d rows", len(c.Filesets), c.Files, c.Rows)
			}
			// What is replaced afterwards is all of it.
			res := must(l.run(statement{kind: write.ReplaceMatching, rows: map[string][]string{spec: {"n"}}}))(t)
			if res.Rows != 1 {
				t.Errorf("%+v", res)
			}
			n := 150
			if sh.partitioned {
				n += 50
			}
			if got := reasons(must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t)); got["REPLACED"] != n {
				t.Errorf("VACUUM said %v, %d files were replaced", got, n)
			}
		})
	}
}

// TestATableThatChangesItsLayout writes a table under one layout, then under another.
func TestATableThatChangesItsLayout(t *testing.T) {
	layouts := []shape{logInPlace, sealed, filesets}
	for _, from := range layouts {
		for _, to := range layouts {
			if from.layout == to.layout {
				continue
			}
			t.Run(from.name+" to "+to.name, func(t *testing.T) {
				for _, s := range statements(to) {
					w := newWorld(t, from)
					w.seed(seeded(from))
					before := w.answer()
					w.shape = to
					l := w.start(nil)
					must(l.run(s))(t)
					want, _ := apply(t, to, before, s)
					if got := w.answer(); !same(got, want) {
						t.Errorf("after %s the table holds\n%vwant\n%v", s.name, got, want)
					}
					// And once more, on what the first statement made.
					more := statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"m1"}, "a=2/b=x": {"m2"}}}
					must(l.run(more))(t)
					want, _ = apply(t, to, want, more)
					if got := w.answer(); !same(got, want) {
						t.Errorf("after %s and an append the table holds\n%vwant\n%v", s.name, got, want)
					}
					gone, err := l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false)
					check(t, err)
					for _, v := range gone {
						if v.Why != "REPLACED" {
							t.Errorf("VACUUM says %+v", v)
						}
					}
					if got := w.answer(); !same(got, want) {
						t.Errorf("after %s, an append and VACUUM the table holds\n%vwant\n%v", s.name, got, want)
					}
				}
			})
		}
	}
}

// TestWritesByPathMindTables: a write that goes around a table, and one into the table, do not both replace the same files.
func TestWritesByPathMindTables(t *testing.T) {
	dynamic := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}
	appends := statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"n2"}}}
	for _, c := range []struct {
		first, second statement
		conflict      bool
	}{
		{dynamic, dynamic, true}, {appends, dynamic, true}, {dynamic, appends, false}, {appends, appends, false},
	} {
		for _, pathFirst := range []bool{true, false} {
			for _, sh := range []shape{listing, logInPlace} {
				t.Run(fmt.Sprint(sh.name, c.first.kind, c.second.kind, pathFirst), func(t *testing.T) {
					w := newWorld(t, sh)
					w.seed(seeded(sh))
					begin := func(s statement, path bool) func() (write.Result, error) {
						l := w.start(nil)
						target := must(l.target(s))(t)
						if path {
							target.Table, target.Registered, target.Set = nil, false, nil
						}
						job := must(l.writer.Begin(t.Context(), target, s.scope(t, columns), catalog.Commit{}))(t)
						files := must(l.stage(job, s))(t)
						return func() (write.Result, error) { return job.Commit(t.Context(), files) }
					}
					first, second := begin(c.first, pathFirst), begin(c.second, !pathFirst)
					must(first())(t)
					if _, err := second(); isConflict(err) != c.conflict || err != nil && !c.conflict {
						t.Errorf("the second ended with %v", err)
					}
				})
			}
		}
	}
}

// TestWhatIsDurableBefore follows the operations of an overwrite: nothing is recorded before what it refers to is durable.
func TestWhatIsDurableBefore(t *testing.T) {
	for _, sh := range []shape{listing, logInPlace, hiveCustom, sealed, plainInPlace, plainSealed} {
		for _, strategy := range []string{"union", "exchange"} {
			t.Run(sh.name+"/"+strategy, func(t *testing.T) {
				w := newWorld(t, sh)
				w.strategy = strategy
				w.seed(seeded(sh))
				at := map[string]int{} // how many operations there had been at each point, the last time
				l := w.start(nil)
				var mu sync.Mutex
				l.faults.point = func(name string, _ int) bool {
					mu.Lock()
					defer mu.Unlock()
					at[name] = len(l.disk.Trace())
					return false
				}
				s := statement{kind: write.ReplaceMatching, rows: map[string][]string{"a=1/b=x": {"n1"}, "a=5/b=x": {"n2"}}}
				if sh.custom {
					s.rows[elsewhereSpec] = []string{"n3"}
				}
				if !sh.partitioned {
					s.rows = map[string][]string{"": {"n1"}}
				}
				must(l.run(s))(t)
				ops := l.disk.Trace()
				synced := func(from, to int, key string) bool {
					for _, o := range ops[from:to] {
						if o.Name == "sync" && slices.Contains(o.Keys, key) {
							return true
						}
					}
					return false
				}
				root := w.root.DirKey()
				// above checks that the directory of a key, and all above it, are synced between two points.
				above := func(from, to int, key, what string) {
					t.Helper()
					for {
						key = key[:strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/')+1]
						if !strings.HasPrefix(key, root) {
							return
						}
						if !synced(from, to, key) {
							t.Errorf("%s: the directory %s is not synced", what, filepath.Base(key))
						}
					}
				}
				moves := 0
				adopted := map[string]bool{} // staged directories whose files got their final names in place
				for i, o := range ops {
					if o.Fault != faulty.None {
						t.Fatal(o)
					}
					switch {
					case o.Name == "move" && strings.Contains(o.Keys[0], "/_tarn/wip/"):
						moves++
						if adopted[o.Keys[0]] { // the whole directory moves: its names, and those above, have to last
							above(i, at["flipping"], o.Keys[1]+"/file", "an adopted directory")
							if strings.Contains(o.Keys[1], "/swap/") {
								exchanged := slices.IndexFunc(ops[i:], func(o faulty.Operation) bool { return o.Name == "exchange" })
								above(i, i+exchanged, o.Keys[1]+"/file", "an adopted directory that is exchanged")
							}
							continue
						}
						if !synced(0, at["planned"], o.Keys[0]) {
							t.Errorf("%s was not durable when the plan was kept", o.Keys[0])
						}
						if strings.Contains(o.Keys[1], "/_tarn/wip/") {
							adopted[filepath.Dir(o.Keys[1])] = true
							continue
						}
						above(i, at["flipping"], o.Keys[1], "a published file")
						if strings.Contains(o.Keys[1], "/swap/") {
							exchanged := slices.IndexFunc(ops[i:], func(o faulty.Operation) bool { return o.Name == "exchange" })
							above(i, i+exchanged, o.Keys[1], "a file of a directory that is exchanged")
						}
					case o.Name == "exchange" && !strings.Contains(o.Keys[0], ".tarn-probe"):
						above(i, at["flipping"], o.Keys[0], "an exchange")
						above(i, at["flipping"], o.Keys[1], "an exchange")
					case o.Name == "move": // into the trash
						above(i, at["retired"], o.Keys[1], "a retired file")
						if dir := o.Keys[0][:strings.LastIndexByte(o.Keys[0], '/')+1]; !synced(i, at["retired"], dir) {
							t.Errorf("the directory that %s was moved out of is not synced", o.Keys[0])
						}
					case o.Name == "delete" && strings.HasSuffix(o.Keys[0], "_SUCCESS"):
						above(i, at["flipping"], o.Keys[0], "the marker")
					}
				}
				if moves == 0 {
					t.Error("nothing was published")
				}
			})
		}
	}
}

// TestNoPartIsTwoEntries: the specs that parts are told apart by are those of typed values.
func TestNoPartIsTwoEntries(t *testing.T) {
	w := newWorld(t, logInPlace)
	l := w.start(nil)
	job := must(l.writer.Begin(t.Context(), must(l.target(statement{}))(t), write.Scope{Kind: write.Append}, catalog.Commit{}))(t)
	dir := must(job.Stage(t.Context()))(t)
	put(t, filepath.Join(dir, "f1"), "r1\n")
	put(t, filepath.Join(dir, "f2"), "r2\n")
	res := must(job.Commit(t.Context(), []write.File{
		{Name: "f1", Suffix: ".csv", Values: partition.Values{int64(1), ""}, Rows: 1, Bytes: 3},
		{Name: "f2", Suffix: ".csv", Values: partition.Values{int64(1), nil}, Rows: 1, Bytes: 3},
	}))(t)
	if got := w.answer(); res.Added != 1 || len(got) != 1 || len(got["a=1/b=__HIVE_DEFAULT_PARTITION__"]) != 2 {
		t.Errorf("%+v\n%v", res, got)
	}
}
