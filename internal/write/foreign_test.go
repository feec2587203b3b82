package write_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/write"
)

// failAt lets one operation fail.
func failAt(n int) faulty.Plan { return faulty.At(map[int]faulty.Fault{n: faulty.FailBefore}) }

// TestForeignFilesStay lets another program change a partition at each point of an overwrite: what it adds stays, and so does a
// file that it writes anew under an old name.
func TestForeignFilesStay(t *testing.T) {
	s := statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1", "n2"}}, filesEach: 2}
	// Files are retired one by one, or go with the directory that is exchanged.
	points := []string{"planned", "marker dropped", "directory made", "file published", "published", "committed", "retired"}
	own := map[string]string{"union": "file retired", "exchange": "exchanged"}
	for _, sh := range []shape{listing, logInPlace, byPath} {
		for _, strategy := range []string{"union", "exchange"} {
			for _, point := range append([]string{own[strategy]}, points...) {
				for _, die := range []bool{false, true} {
					name := sh.name + "/" + strategy + "/" + point
					if die {
						name += ", and the process dies"
					}
					t.Run(name, func(t *testing.T) {
						w := newWorld(t, sh)
						w.strategy = strategy
						w.seed(seeded(sh))
						dir := filepath.Join(w.path(w.root), "a=1", "b=x")
						done := false
						l := w.start(&faults{point: func(name string, n int) bool {
							if name != point || n != 1 {
								return false
							}
							done = true
							put(t, filepath.Join(dir, "late.csv"), "late\n")
							put(t, filepath.Join(dir, "sub", "below.csv"), "below\n")
							check(t, os.WriteFile(filepath.Join(dir, "tmp"), []byte("again\n"), 0o644))
							check(t, os.Rename(filepath.Join(dir, "tmp"), filepath.Join(dir, "foreign-0.csv")))
							return die
						}})
						_, err := l.run(s)
						if !done {
							t.Fatal("the write did not pass this point")
						}
						if die {
							l.stop()
							recovered(t, w, w.start(nil))
						} else if err != nil {
							t.Error(err)
						}
						got := strings.Join(w.answer()["a=1/b=x"], " ")
						if old, now := "again below late o2", "again below late n1 n2"; got != now && (got != old || !die) {
							t.Errorf("the partition holds %s", got)
						}
						if listed := strings.Join(append(w.listed()["a=1/b=x"], w.listed()["a=1/b=x/sub"]...), " "); len(listed) != len(got) {
							t.Errorf("a listing sees %s, the catalog %s", listed, got)
						}
						if !sh.byPath {
							must(w.start(nil).writer.Vacuum(t.Context(), w.tableNow(t), 0, false))(t)
						}
						if now := strings.Join(w.answer()["a=1/b=x"], " "); now != got {
							t.Errorf("VACUUM made of %s %s", got, now)
						}
					})
				}
			}
		}
	}
}

// TestFilesPutInPlaceAtTheLastMomentStay replaces each old file when it is about to be moved into the trash.
func TestFilesPutInPlaceAtTheLastMomentStay(t *testing.T) {
	for _, sh := range []shape{listing, logInPlace, byPath} {
		t.Run(sh.name, func(t *testing.T) {
			w := newWorld(t, sh)
			w.strategy = "union"
			w.seed(seeded(sh))
			dir := filepath.Join(w.path(w.root), "a=1", "b=x")
			replaced := map[string]bool{}
			l := w.start(&faults{disk: func(op, key string, _ int) faulty.Fault {
				at := "/" + key
				if op == "move" && filepath.Dir(at) == dir && !replaced[key] {
					replaced[key] = true
					check(t, os.WriteFile(at+".new", []byte("again\n"), 0o644))
					check(t, os.Rename(at+".new", at))
				}
				return faulty.None
			}})
			_ = must(l.run(statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1", "n2"}}}))(t)
			if len(replaced) == 0 {
				t.Fatal("no file was moved")
			}
			want := strings.Repeat("again ", len(replaced)) + "n1 n2"
			if got := strings.Join(w.listed()["a=1/b=x"], " "); got != want {
				t.Errorf("a listing sees %s, want %s", got, want)
			}
		})
	}
}

// TestHiddenThingsKeepADirectoryInPlace: a directory that holds what a listing does not tell is not exchanged, and keeps it.
func TestHiddenThingsKeepADirectoryInPlace(t *testing.T) {
	w := newWorld(t, logInPlace)
	w.strategy = "exchange"
	w.seed(seeded(logInPlace))
	hidden := filepath.Join(w.path(w.root), "a=1", "b=x", "_checkpoint")
	put(t, hidden, "x")
	must(w.start(nil).run(statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}))(t)
	if !exists(hidden) {
		t.Error(tree(t, w.dir))
	}
}

// TestSpellings overwrites a partition that several directories spell.
func TestSpellings(t *testing.T) {
	for _, strategy := range []string{"union", "exchange"} {
		for _, sh := range []shape{listing, byPath} {
			w := newWorld(t, sh)
			w.strategy = strategy
			w.seed(seeded(sh))
			put(t, filepath.Join(w.path(w.root), "a=01", "b=x", "f.csv"), "p1\n")
			put(t, filepath.Join(w.path(w.root), "a=001", "b=x", "f.csv"), "p2\n")
			put(t, filepath.Join(w.path(w.root), "a=01", "b=y", "f.csv"), "p3\n")
			must(w.start(nil).run(statement{kind: write.ReplaceWritten, rows: map[string][]string{"a=1/b=x": {"n1"}}}))(t)
			got := w.answer()
			if strings.Join(got["a=1/b=x"], " ") != "n1" || strings.Join(got["a=1/b=y"], " ") != "o3 p3" {
				t.Errorf("the table holds\n%v", got)
			}
			if exists(filepath.Join(w.path(w.root), "a=001")) {
				t.Errorf("an empty spelling is left:\n%s", tree(t, w.dir))
			}
		}
	}
}

// elsewhereDisk is a directory on another file system than the scratch directory, or the test is skipped.
func elsewhereDisk(t *testing.T, w *world) string {
	t.Helper()
	for _, base := range []string{"/dev/shm", os.TempDir(), "/var/tmp"} {
		dir, err := os.MkdirTemp(base, "tarn-disk-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		probe := filepath.Join(dir, "probe")
		if err := os.Rename(filepath.Join(w.dir, "lake"), probe); err != nil {
			return dir
		}
		check(t, os.Rename(probe, filepath.Join(w.dir, "lake")))
	}
	t.Skip("NO SECOND FILE SYSTEM HERE, so nobody checks that partitions on another disk are written: mount one at /dev/shm or /var/tmp.")
	return ""
}

// TestPartitionsOnAnotherDisk writes a partition whose location, or whose directory behind a symbolic link, is on another file
// system, to which nothing can be moved; and stages on another one.
func TestPartitionsOnAnotherDisk(t *testing.T) {
	for _, how := range []string{"location", "link", "staging"} {
		sh := hiveCustom
		if how != "location" {
			sh = logInPlace
		}
		run := func(t *testing.T, s statement, f *faults) (*world, answer, *life, error) {
			w := newWorld(t, sh)
			disk := elsewhereDisk(t, w)
			switch how {
			case "location":
				check(t, os.MkdirAll(filepath.Dir(w.path(w.elsewhere)), 0o755))
				check(t, os.Mkdir(filepath.Join(disk, "p"), 0o755))
				check(t, os.Symlink(filepath.Join(disk, "p"), w.path(w.elsewhere)))
			case "link":
				check(t, os.Mkdir(filepath.Join(disk, "x"), 0o755))
				check(t, os.Mkdir(filepath.Join(w.path(w.root), "a=1"), 0o755))
				check(t, os.Symlink(filepath.Join(disk, "x"), filepath.Join(w.path(w.root), "a=1", "b=x")))
			}
			w.seed(seeded(sh))
			before := w.answer()
			l := w.start(f)
			target := must(l.target(s))(t)
			if how == "staging" {
				target.Staging = w.root.Root().Join(disk)
			}
			_, err := l.runOn(s, target)
			return w, before, l, err
		}
		spec := "a=1/b=x"
		if how == "location" {
			spec = elsewhereSpec
		}
		for _, s := range []statement{
			{name: "append", kind: write.Append, rows: map[string][]string{spec: {"n1"}, "a=2/b=x": {"n2"}}},
			{name: "overwrite", kind: write.ReplaceWritten, rows: map[string][]string{spec: {"n1", "n2"}, "a=2/b=x": {"n3"}}, filesEach: 2},
			{name: "all", kind: write.ReplaceMatching, rows: map[string][]string{spec: {"n1"}}},
			{name: "truncate", kind: write.Empty},
			{name: "remove", kind: write.Remove},
		} {
			t.Run(how+"/"+s.name, func(t *testing.T) {
				w, before, l, err := run(t, s, nil)
				check(t, err)
				want, _ := apply(t, sh, before, s)
				if got := w.answer(); !same(got, want) {
					t.Errorf("the table holds\n%vwant\n%v", got, want)
				}
				for _, txn := range w.txns(t) {
					if !txn.State.Finished() {
						t.Errorf("the transaction is %s", txn.State)
					}
				}
				checkVacuumed(t, w, w.start(nil), want)
				for n := 1; n <= len(l.disk.Trace()); n++ {
					if !sampled(how + s.name + string(rune(n))) {
						continue
					}
					for _, f := range []faulty.Fault{faulty.CrashBefore, faulty.CrashAfter} {
						w, _, l, err := run(t, s, &faults{disk: faulty.At(map[int]faulty.Fault{n: f})})
						l.stop()
						recovered(t, w, w.start(nil))
						got := w.answer()
						if !same(got, before) && !same(got, want) || err == nil && !same(got, want) {
							t.Errorf("after a crash at operation %d the table holds\n%v", n, got)
						}
						checkVacuumed(t, w, w.start(nil), got)
					}
				}
			})
		}
	}
}
