package write_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/write"
)

// keeps fails unless the files that were there and that the statement is not about are what they were, to the inode.
func keeps(t testing.TB, w *world, before map[uint64]inode, stays func(spec string) bool) {
	t.Helper()
	now := files(t, w.dir)
	for id, f := range before {
		if strings.HasSuffix(f.path, "_SUCCESS") || strings.Contains(f.path, "catalog.db") {
			continue
		}
		after, ok := now[id]
		switch {
		case !ok:
			t.Errorf("%s was deleted", f.path)
		case after.size != f.size || !after.modTime.Equal(f.modTime):
			t.Errorf("%s was changed", f.path)
		case stays(w.specOf(f.path)) && after.path != f.path:
			t.Errorf("%s was moved to %s, though the statement is not about it", f.path, after.path)
		}
	}
}

// specOf is the partition that a path lies in.
func (w *world) specOf(path string) string {
	if strings.HasPrefix(path, w.path(w.elsewhere)) {
		return elsewhereSpec
	}
	dir := filepath.Dir(path)
	if i := strings.Index(dir, "/a="); i >= 0 {
		return dir[i+1:]
	}
	return ""
}

// untouched tells the partitions that a statement leaves as they are.
func untouched(t testing.TB, sh shape, before answer, s statement) func(spec string) bool {
	after, _ := apply(t, sh, before, s)
	return func(spec string) bool {
		_, was := before[spec]
		_, is := after[spec]
		return was && is && len(s.rows[spec]) == 0 && strings.Join(before[spec], " ") == strings.Join(after[spec], " ")
	}
}

func eachStatement(t *testing.T, run func(t *testing.T, sh shape, strategy string, s statement)) {
	for _, sh := range shapes {
		strategies := []string{"auto"}
		if sh.inPlace() && sh.partitioned {
			strategies = []string{"union", "exchange"}
		}
		for _, strategy := range strategies {
			t.Run(sh.name+"/"+strategy, func(t *testing.T) {
				t.Parallel()
				for _, s := range statements(sh) {
					t.Run(s.name, func(t *testing.T) { run(t, sh, strategy, s) })
				}
			})
		}
	}
}

func TestStatementsDoWhatTheirKindSays(t *testing.T) {
	eachStatement(t, func(t *testing.T, sh shape, strategy string, s statement) {
		w := newWorld(t, sh)
		w.strategy = strategy
		w.seed(seeded(sh))
		before := w.answer()
		if !same(before, answer(seeded(sh)).clone()) {
			t.Fatalf("seeded with\n%v", before)
		}
		was := files(t, w.dir)
		want, wantCounts := apply(t, sh, before, s)
		l := w.start(nil)
		res, err := l.run(s)
		check(t, err)
		got := w.answer()
		if !same(got, want) {
			t.Errorf("the table holds\n%vwant\n%v%s", got, want, tree(t, w.dir))
		}
		if got := countsOf(res); got != wantCounts {
			t.Errorf("the result says %v, want %v", got, wantCounts)
		}
		if sh.inPlace() {
			if listed := w.listed(); !same(listed.rows(), want.rows()) {
				t.Errorf("a listing sees\n%vwant\n%v", listed, want)
			}
		}
		keeps(t, w, was, untouched(t, sh, before, s))
		for _, txn := range w.txns(t) {
			if !txn.State.Finished() {
				t.Errorf("the transaction is %s", txn.State)
			}
		}
		if _, err := os.Stat(filepath.Join(w.path(w.root), "_tarn", "wip")); err == nil {
			t.Errorf("the staging is left:\n%s", tree(t, w.dir))
		}
		if res.Nothing != same(before, want) && !res.Nothing && s.kind == write.Append {
			t.Errorf("the result says that there was nothing to do: %v", res.Nothing)
		}
		checkMarker(t, w, res)
		checkVacuumed(t, w, l, want)
	})
}
