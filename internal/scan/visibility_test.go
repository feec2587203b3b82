package scan_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/storage/local"
)

const (
	pending = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
	ended   = "01BX5ZZKBKACTAV9WEVGEMMVS0"
)

// TestWhatWritesUnderWayHide reads a directory in the midst of writes, and while its content moves between two directories.
func TestWhatWritesUnderWayHide(t *testing.T) {
	ours, theirs := "part-"+pending+"-00000-00-000.csv", "part-"+ended+"-00000-00-000.csv"
	move := func(from, to string) func(t *testing.T, base string) {
		return func(t *testing.T, base string) {
			if err := os.Rename(filepath.Join(base, from), filepath.Join(base, to)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		files []string
		view  func(v *scan.Visibility, base string)
		// between is called before the second directory is read.
		between func(t *testing.T, base string)
		want    []string
	}{
		{"nothing is under way", []string{"d/a", "d/" + ours}, nil, nil, []string{"a", ours}},
		{"a write has not committed", []string{"d/a", "d/" + ours, "d/" + theirs}, func(v *scan.Visibility, _ string) { v.Hide(pending) }, nil, []string{"a", theirs}},
		{"a commit has retired", []string{"d/a", "d/b"}, func(v *scan.Visibility, base string) { v.Retire(base + "d/a") }, nil, []string{"b"}},
		{"before an exchange", []string{"d/a", "swap/" + ours}, swap, nil, []string{"a"}},
		{"after an exchange", []string{"swap/a", "d/" + ours}, swap, nil, []string{"a"}},
		{"an exchange in between", []string{"d/a", "swap/" + ours}, swap, move("d/a", "swap/a"), []string{"a"}},
		{"a file is brought back in between", []string{"swap/a", "swap/foreign", "d/" + ours}, swap, move("swap/foreign", "d/foreign"), []string{"a", "foreign"}},
		{"the other directory is not there", []string{"d/a"}, swap, nil, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			for _, f := range c.files {
				path := filepath.Join(base, f)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			driver, err := local.Open(storage.Location{})
			if err != nil {
				t.Fatal(err)
			}
			key := base[1:] + "/"
			disk := faulty.New(driver, func(op, at string, _ int) faulty.Fault {
				if op == "readdir" && at == key+"swap/" && c.between != nil {
					c.between(t, base)
				}
				return faulty.None
			})
			view := &scan.Visibility{}
			if c.view != nil {
				c.view(view, key)
			}
			dir, err := storage.ParseLocation(filepath.Join(base, "d"), "")
			if err != nil {
				t.Fatal(err)
			}
			list, err := scan.Files(context.Background(), storage.NewStores(map[string]storage.Factory{"file": disk.Open}), []storage.Location{dir}, scan.FileOptions{View: view})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range list.Files {
				got = append(got, filepath.Base(f.Key))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("the files are %v, want %v", got, c.want)
			}
		})
	}
}

// swap is an exchange of the directories d and swap that may be at any step.
func swap(v *scan.Visibility, base string) {
	v.Hide(pending)
	v.Swap(base+"d/", base+"swap/")
}

func TestVisibilitiesAreTheSame(t *testing.T) {
	at := func(state string, epoch int64) *scan.Visibility {
		v := &scan.Visibility{}
		v.See(pending, state, epoch)
		return v
	}
	quiet := &scan.Visibility{}
	for _, c := range []struct {
		a, b *scan.Visibility
		same bool
	}{
		{quiet, &scan.Visibility{}, true},
		{at("COMMITTING", 1), at("COMMITTING", 1), true},
		{at("COMMITTING", 1), at("COMMITTED", 1), false},
		{at("COMMITTING", 1), at("COMMITTING", 2), false},
		{at("COMMITTING", 1), quiet, false},
	} {
		if got := c.a.Same(c.b); got != c.same {
			t.Errorf("%+v and %+v: %v", c.a, c.b, got)
		}
	}
	if !quiet.Quiet() || at("WRITING", 1).Quiet() {
		t.Error("Quiet")
	}
}
