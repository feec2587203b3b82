package delta_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/delta"
)

// TestVacuum lays files around a table: only what nobody needs and what died writes have left goes.
func TestVacuum(t *testing.T) {
	const old, young = 30 * time.Hour, time.Minute
	files := []struct {
		path string
		age  time.Duration
		goes bool
	}{
		{"named.parquet", old, false},
		{"orphan.parquet", old, true},
		{"p=1/orphan.parquet", old, true},
		{"young.parquet", young, false},
		{"_tarn_staging/dead/1.parquet", old, true},
		{"_tarn_staging/alive/1.parquet", old, false},
		{"_tarn_staging/alive/2.parquet", young, false},
		{".tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, true},
		{".tarn-YOUNGBME6MKJRHWOJ7RAPVOSD2.tmp", young, false},
		{"p=1/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, true},
		{"_delta_log/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, true},
		{"_delta_log/.tarn-YOUNGBME6MKJRHWOJ7RAPVOSD2.tmp", young, false},
		{"_delta_log/_sidecars/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, true},
		{"_delta_log/.part.crc", old, false},
		{".other.tmp", old, false},
		{"_other/orphan.parquet", old, false},
		{"inner/_delta_log/00000000000000000000.json", old, false},
		{"inner/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, false},
		{"inner/_delta_log/.tarn-HFEZBME6MKJRHWOJ7RAPVOSD2X.tmp", old, false},
	}
	b := newTable(t)
	b.commit(0, 1000, strings.ReplaceAll(start, "%s", ""), add("named.parquet"))
	var goes, stays []string
	for _, f := range files {
		at := filepath.Join(b.dir, f.path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-f.age)
		if err := os.Chtimes(at, when, when); err != nil {
			t.Fatal(err)
		}
		if f.goes {
			goes = append(goes, f.path)
		} else {
			stays = append(stays, f.path)
		}
	}
	link := "_delta_log/.tarn-LINKEDE6MKJRHWOJ7RAPVOSD2X.tmp"
	if err := os.Symlink(filepath.Join(b.dir, "named.parquet"), filepath.Join(b.dir, link)); err != nil {
		t.Fatal(err)
	}
	stays = append(stays, link, "_delta_log/00000000000000000000.json")
	dirs := map[string]bool{
		"p=1": false, "_tarn_staging/dead": false, "_delta_log": true,
		"p=2/q=1": false, "p=2": false, "_tarn_staging/dead/2/p=a": false, "_tarn_staging/dead/2": false, "p=1/q=empty": false, "p=3/young": true, "p=3/old": false, "_tarn_staging/died": false, "_tarn_staging/lives": true, ".hidden": true, "inner/p=1": true,
	}
	for dir, lives := range dirs {
		at := filepath.Join(b.dir, dir)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if when := time.Now().Add(-old); !lives || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "inner") {
			if err := os.Chtimes(at, when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, dir := range []string{"p=2", "p=1", "_tarn_staging/dead/2", "_tarn_staging/dead"} { // which the loop has made younger
		when := time.Now().Add(-old)
		if err := os.Chtimes(filepath.Join(b.dir, dir), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, dry := range []bool{true, false} {
		s, err := b.log.Snapshot(t.Context(), delta.At{})
		if err != nil {
			t.Fatal(err)
		}
		gone, err := s.Vacuum(t.Context(), delta.Vacuuming{Retain: time.Hour, DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, o := range gone {
			told = append(told, strings.TrimPrefix("/"+strings.TrimPrefix(o.Key, "/"), b.dir+"/"))
		}
		same(t, "what is told", told, goes)
		want := stays
		if dry {
			want = slices.Concat(stays, goes)
		}
		same(t, "what is there", filesBelow(t, b.dir), want)
	}
	for dir, want := range dirs {
		if _, err := os.Stat(filepath.Join(b.dir, dir)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, want)
		}
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
