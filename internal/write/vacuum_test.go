package write_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/write"
)

// reasons counts what VACUUM said, by reason.
func reasons(list []write.Vacuumed) map[string]int {
	out := map[string]int{}
	for _, v := range list {
		out[v.Why]++
	}
	return out
}

func put(t testing.TB, path, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o644))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// age makes a file or directory look as if it had been there for long.
func age(t testing.TB, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	check(t, os.Chtimes(path, then, then))
}

func TestVacuumKeepsWhatItsGraceCovers(t *testing.T) {
	for _, sh := range shapes {
		if sh.byPath {
			continue
		}
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l := w.start(nil)
			s := statements(sh)[3] // an overwrite
			if !sh.partitioned {
				s = statements(sh)[2]
			}
			res := must(l.run(s))(t)
			want := w.answer()
			table := w.tableNow(t)
			vacuum := func(retain time.Duration, dry bool) map[string]int {
				t.Helper()
				before := len(files(t, w.dir))
				out := must(l.writer.Vacuum(t.Context(), table, retain, dry))(t)
				for _, v := range out {
					if v.Txn != res.Txn || v.Bytes == 0 {
						t.Errorf("VACUUM says %+v", v)
					}
				}
				if after := len(files(t, w.dir)); dry && after != before {
					t.Errorf("a dry run took %d files", before-after)
				}
				return reasons(out)
			}
			n := vacuum(-1, false)["KEPT"]
			if n == 0 {
				t.Fatal("nothing is kept")
			}
			if got := vacuum(time.Minute, false); got["KEPT"] != n || len(got) != 1 {
				t.Errorf("retaining a minute: %v", got)
			}
			if got := vacuum(0, true); got["REPLACED"] != n || len(got) != 1 {
				t.Errorf("the dry run said %v, %d were kept", got, n)
			}
			w.now.Store(int64(2 * time.Hour)) // the grace of the test's target is one
			if got := vacuum(-1, true); got["REPLACED"] != n || len(got) != 1 {
				t.Errorf("after the grace the dry run said %v", got)
			}
			if got := vacuum(-1, false); got["REPLACED"] != n || len(got) != 1 {
				t.Errorf("after the grace VACUUM said %v", got)
			}
			if got := vacuum(-1, false); len(got) != 0 {
				t.Errorf("the second VACUUM said %v", got)
			}
			checkVacuumed(t, w, l, want)
		})
	}
}

// TestVacuumLeavesWhatIsNotTarns puts files of others everywhere.
func TestVacuumLeavesWhatIsNotTarns(t *testing.T) {
	for _, sh := range []shape{listing, logInPlace, sealed, filesets} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			root := w.path(w.root)
			const unknown = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
			foreign := []string{
				"_other/x.csv", ".hidden", "_tarn/notes.txt", "_tarn/trash/notes.txt", "_tarn/data/" + unknown + "/a=1/b=x/part-" + unknown + "-00000-00-000.csv",
				"_tarn/wip/" + unknown + "/f.csv", ".tarn-probe-young/in/x", "a=1/b=x/_hidden.csv", ".tarn-abc.tmpx",
			}
			for _, f := range foreign {
				put(t, filepath.Join(root, f), "foreign")
				age(t, filepath.Join(root, f), 1000*time.Hour)
			}
			l := w.start(nil)
			must(l.run(statement{kind: write.ReplaceMatching, rows: map[string][]string{"a=1/b=x": {"n1"}}}))(t)
			w.now.Store(int64(1000 * time.Hour))
			must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t)
			for _, f := range foreign {
				if !exists(filepath.Join(root, f)) {
					t.Errorf("%s is gone", f)
				}
			}
		})
	}
}

// TestVacuumLeavesFilesThatWereReplaced puts another file at the name of one that was retired.
func TestVacuumLeavesFilesThatWereReplaced(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed, filesets} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l := w.start(nil)
			must(l.run(statement{kind: write.ReplaceMatching}))(t)
			kept := must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, true))(t)
			path := strings.TrimPrefix(kept[0].Location, "file:")
			check(t, os.Remove(path))
			put(t, path, strings.Repeat("x", int(kept[0].Bytes)))
			got := reasons(must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t))
			if got["CHANGED"] != 1 || got["REPLACED"] != len(kept)-1 || !exists(path) {
				t.Errorf("VACUUM said %v of %d files", got, len(kept))
			}
		})
	}
}

// TestVacuumLeavesNoDirectoryOfAnEmptiedPartition: one that was emptied has a directory without files; where the files that it
// gets later lie in the directory of their own commit, nothing lies there any more.
func TestVacuumLeavesNoDirectoryOfAnEmptiedPartition(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed, filesets} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l := w.start(nil)
			must(l.run(statement{kind: write.Empty}))(t)
			must(l.run(statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"n1"}}}))(t)
			must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t)
			s := must(w.reader().snap(t.Context()))(t)
			row, _ := s.set.Find(valuesOf(t, "a=1/b=x"))
			place, _ := s.set.Path(row)
			if entries, err := os.ReadDir(filepath.Join(w.path(w.root), place)); err != nil || len(entries) != 1 {
				t.Errorf("where the partition lies are %v, %v, not its file:\n%s", entries, err, tree(t, w.path(w.root)))
			}
		})
	}
}

// TestVacuumTakesOrphans lets what belongs to a transaction that was undone appear afterwards, as from a process that was slow.
func TestVacuumTakesOrphans(t *testing.T) {
	w := newWorld(t, sealed)
	w.seed(seeded(sealed))
	l := w.start(nil)
	job := must(l.writer.Begin(t.Context(), must(l.target(statement{}))(t), write.Scope{Kind: write.Append}, catalog.Commit{}))(t)
	job.Abort(t.Context())
	late := filepath.Join(w.path(w.root), "_tarn", "wip", job.ID(), "d0", "f0.csv")
	put(t, late, "late")
	want := w.answer()
	if got := must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, false))(t); len(got) != 0 {
		t.Errorf("a young orphan: %+v", got)
	}
	w.now.Store(int64(25 * time.Hour))
	if got := must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, true))(t); reasons(got)["ORPHAN"] != 1 || !exists(late) {
		t.Errorf("the dry run: %+v", got)
	}
	got := must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, false))(t)
	if len(got) != 1 || got[0].Why != "ORPHAN" || got[0].Txn != job.ID() || exists(filepath.Join(w.path(w.root), "_tarn", "wip")) {
		t.Errorf("an old orphan: %+v\n%s", got, tree(t, w.dir))
	}
	checkVacuumed(t, w, l, want)
}

// TestVacuumTakesScraps: what Tarn makes for a moment stays behind when the process dies in that moment.
func TestVacuumTakesScraps(t *testing.T) {
	w := newWorld(t, logInPlace)
	w.seed(seeded(logInPlace))
	root := w.path(w.root)
	for _, dir := range []string{".tarn-probe-A/in", ".tarn-probe-A-2", ".tarn-probe-B", ".tarn-probe-B-2/in"} {
		check(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	put(t, filepath.Join(root, ".tarn-A.tmp"), "half")
	l := w.start(nil)
	if got := must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t); len(got) != 0 {
		t.Errorf("young scraps: %+v", got)
	}
	w.now.Store(int64(25 * time.Hour))
	if got := reasons(must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, false))(t)); got["ORPHAN"] != 5 {
		t.Errorf("old scraps: %v", got)
	}
	entries := must(os.ReadDir(root))(t)
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".tarn") }) {
		t.Error(tree(t, w.dir))
	}
}

// TestVacuumLeavesUnfinishedTransactions: what a commit retired is not deleted before that commit is done.
func TestVacuumLeavesUnfinishedTransactions(t *testing.T) {
	for _, sh := range []shape{logInPlace, sealed} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l := w.start(&faults{point: func(name string, _ int) bool { return name == "committed" }})
			_, _ = l.run(statement{kind: write.ReplaceMatching, rows: map[string][]string{"a=1/b=x": {"n1"}}})
			l.stop()
			got := reasons(must(w.start(nil).writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t))
			if got["KEPT"] == 0 || len(got) != 1 {
				t.Errorf("VACUUM said %v", got)
			}
			recovered(t, w, w.start(nil))
			checkVacuumed(t, w, w.start(nil), w.answer())
		})
	}
}

// TestVacuumTakesWhatWritesByPathRetired: they have no table of their own.
func TestVacuumTakesWhatWritesByPathRetired(t *testing.T) {
	w := newWorld(t, listing)
	w.seed(seeded(listing))
	l := w.start(nil)
	target := must(l.target(statement{}))(t)
	target.Table = nil
	must(l.runOn(statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}, target))(t)
	if got := reasons(must(l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t)); got["REPLACED"] != 2 {
		t.Errorf("VACUUM said %v", got)
	}
	checkVacuumed(t, w, l, w.answer())
}

// TestVacuumCrashes stops VACUUM at every operation and runs it again.
func TestVacuumCrashes(t *testing.T) {
	for _, sh := range []shape{logInPlace, hiveCustom, sealed} {
		for n := 1; ; n++ {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			must(w.start(nil).run(statement{kind: write.ReplaceMatching, rows: map[string][]string{"a=1/b=x": {"n1"}}}))(t)
			want := w.answer()
			l := w.start(&faults{disk: failAt(n)})
			_, err := l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false)
			if got := w.answer(); !same(got, want) {
				t.Fatalf("VACUUM made of the table\n%v", got)
			}
			checkVacuumed(t, w, w.start(nil), want)
			if err == nil {
				break
			}
		}
	}
}

func TestPurgeTakesOneCommit(t *testing.T) {
	for _, sh := range []shape{logInPlace, hiveCustom, sealed, filesets} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.seed(seeded(sh))
			l := w.start(nil)
			must(l.run(statement{kind: write.Remove, matchers: onA(2)}))(t)
			second := must(l.run(statement{kind: write.Remove, matchers: onA(1)}))(t)
			check(t, l.writer.Purge(t.Context(), second.Txn, w.table))
			check(t, l.writer.Purge(t.Context(), second.Txn, w.table))
			got := reasons(must(l.writer.Vacuum(t.Context(), w.tableNow(t), -1, false))(t))
			if got["KEPT"] != 3 || len(got) != 1 {
				t.Errorf("after the purge VACUUM said %v", got)
			}
		})
	}
}

// TestEndedTransactionsAreForgotten: the catalog does not keep a row for every write there ever was.
func TestEndedTransactionsAreForgotten(t *testing.T) {
	w := newWorld(t, sealed)
	w.seed(seeded(sealed))
	l := w.start(nil)
	for range 40 {
		must(l.run(statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"n"}}}))(t)
	}
	kept := must(l.run(statement{kind: write.ReplaceMatching, matchers: onA(2)}))(t)
	if n := len(w.txns(t)); n < 41 {
		t.Fatalf("%d transactions", n)
	}
	old := must(w.start(nil).writer.Begin(t.Context(), must(l.target(statement{}))(t), write.Scope{Kind: write.Append}, catalog.Commit{}))(t)
	during := must(l.run(statement{kind: write.Append, rows: map[string][]string{"a=1/b=x": {"n"}}}))(t)
	w.now.Store(int64(25 * time.Hour))
	must(w.start(nil).writer.Recover(t.Context(), false))(t)
	var left []string
	for _, txn := range w.txns(t) {
		left = append(left, txn.ID)
	}
	// What still has retired files, what runs, and what ended while that ran.
	want := []string{kept.Txn, old.ID(), during.Txn}
	slices.Sort(want)
	slices.Sort(left)
	if !slices.Equal(left, want) {
		t.Errorf("the transactions are %v, want %v", left, want)
	}
}
