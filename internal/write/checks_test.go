package write_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/write"
)

// marker is the job that _SUCCESS names, "" when there is no marker.
func (w *world) marker() string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.path(w.root), "_SUCCESS"))
	if err != nil {
		return ""
	}
	var m struct {
		JobID string `json:"jobId"`
	}
	check(w.t, json.Unmarshal(data, &m))
	return m.JobID
}

func checkMarker(t testing.TB, w *world, res write.Result) {
	t.Helper()
	if !w.shape.inPlace() {
		return
	}
	want := res.Txn
	if res.Nothing {
		want = "old"
	}
	if got := w.marker(); got != want {
		t.Errorf("the marker is of %q, want %q", got, want)
	}
}

// checkVacuumed lets VACUUM take all that it may, and fails when rows are lost by it, or anything of a transaction is left that no
// entry refers to.
func checkVacuumed(t testing.TB, w *world, l *life, want answer) {
	t.Helper()
	if w.shape.byPath {
		return // a write by path has no table whose VACUUM it could be
	}
	gone, err := l.writer.Vacuum(t.Context(), w.tableNow(t), 0, false)
	check(t, err)
	for _, v := range gone {
		if v.Why != "REPLACED" && v.Why != "ORPHAN" {
			t.Errorf("VACUUM says %s of %s", v.Why, v.Location)
		}
	}
	if got := w.answer(); !same(got, want) {
		t.Errorf("after VACUUM the table holds\n%vwant\n%v%s", got, want, tree(t, w.dir))
	}
	referenced := map[string]bool{}
	s := must(w.reader().snap(t.Context()))(t)
	for _, list := range must(w.reader().find(t.Context(), s))(t) {
		for _, f := range list {
			referenced["/"+f.Key] = true
		}
	}
	dirs := map[string]bool{}
	if s.set != nil && w.shape.registered {
		for row := range s.set.Len() {
			if rel, abs := s.set.Path(row); abs == "" {
				dirs[filepath.Join(w.path(w.root), rel)] = true
			}
		}
	}
	for _, txn := range w.txns(t) {
		err := filepath.Walk(w.dir, func(path string, info os.FileInfo, err error) error {
			if err != nil || !strings.Contains(path, txn.ID) || referenced[path] || strings.Contains(path, "catalog.db") {
				return err
			}
			if info.IsDir() {
				for r := range referenced {
					if strings.HasPrefix(r, path+"/") {
						return nil
					}
				}
				for d := range dirs {
					if d == path || strings.HasPrefix(d, path+"/") {
						return nil
					}
				}
			}
			t.Errorf("%s of the transaction that is %s is left", path, txn.State)
			return nil
		})
		check(t, err)
	}
	for _, dir := range []string{w.path(w.root), w.path(w.elsewhere)} {
		for _, kind := range []string{"wip", "swap", "trash"} {
			if _, err := os.Stat(filepath.Join(dir, "_tarn", kind)); err == nil {
				t.Errorf("%s/_tarn/%s is left:\n%s", dir, kind, tree(t, w.dir))
			}
		}
	}
	var retired []catalog.Retired
	check(t, w.store.Read(t.Context(), func(tx catalog.ReadTx) (err error) {
		retired, err = tx.Retired("")
		return err
	}))
	if len(retired) > 0 {
		t.Errorf("%d commits still have retired files", len(retired))
	}
}
