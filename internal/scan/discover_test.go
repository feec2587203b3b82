package scan_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

func discover(t testing.TB, l *lake, cols []partition.Column, opts scan.DiscoverOptions) *partition.Found {
	t.Helper()
	found, err := scan.Discover(context.Background(), l.stores, l.root, cols, opts)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDiscover(t *testing.T) {
	long := "k=" + strings.Repeat("n", 253)
	for _, c := range []struct {
		name    string
		cols    []partition.Column
		entries []string
		opts    scan.DiscoverOptions
		want    []string
		skips   []string
	}{
		{
			name: "two levels", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/f", "y=1/m=2/", "y=2/m=1/f"},
			want: []string{"y=1/m=1", "y=1/m=2", "y=2/m=1"},
		},
		{name: "an empty root", cols: columns("y int")},
		{
			name: "plain names and files", cols: columns("y int"), entries: []string{"y=1/", "archive/f", "notes.csv", "empty.csv!"},
			want: []string{"y=1"}, skips: []string{"archive NOT_A_PARTITION", "notes.csv TOO_SHALLOW"},
		},
		{
			name: "ignored names are not spoken of", cols: columns("y int"),
			entries: []string{"y=1/", "_SUCCESS!", "_temporary/0/f", "_TEMPORARY/f", ".hidden/f", ".f", "_delta_log/f", "y=55_$folder$!", "a.crc", "b._COPYING_"},
			want:    []string{"y=1"},
		},
		{name: "an underscore column", cols: columns("_b string"), entries: []string{"_b=x/f", "_c/f"}, want: []string{"_b=x"}},
		{
			name: "wrong key and wrong order", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/", "m=2/y=1/f", "y=3/d=1/f"},
			want: []string{"y=1/m=1"}, skips: []string{"m=2 WRONG_COLUMN", "y=3/d=1 WRONG_COLUMN"},
		},
		{name: "letter case", cols: columns("y int"), entries: []string{"Y=1/", "y=2/"}, want: []string{"Y=1", "y=2"}},
		{
			name: "letter case when it counts", cols: columns("y int"), entries: []string{"Y=1/", "y=2/"}, opts: scan.DiscoverOptions{CaseSensitive: true},
			want: []string{"y=2"}, skips: []string{"Y=1 WRONG_COLUMN"},
		},
		{
			name: "values", cols: columns("y int"), entries: []string{"y=/", "y=spring/", "y=07/", "y=7/", "y=__HIVE_DEFAULT_PARTITION__/"},
			want: []string{"y=07", "y=7", "y=__HIVE_DEFAULT_PARTITION__"}, skips: []string{"y= EMPTY_VALUE", "y=spring BAD_VALUE"},
		},
		{
			name: "a branch without the last level", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/", "y=2027/a.csv", "y=2028/", "y=2029/_SUCCESS!"},
			want: []string{"y=1/m=1"}, skips: []string{"y=2027 TOO_SHALLOW", "y=2028 TOO_SHALLOW", "y=2029 TOO_SHALLOW"},
		},
		{name: "a branch with only other names", cols: columns("y int", "m int"), entries: []string{"y=1/x=1/f"}, skips: []string{"y=1/x=1 WRONG_COLUMN"}},
		{
			name: "a file beside the last level", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/", "y=1/notes.csv", "y=1/empty.csv!", "y=1/m=3"},
			want: []string{"y=1/m=1"}, skips: []string{"y=1/m=3 TOO_SHALLOW", "y=1/notes.csv TOO_SHALLOW"},
		},
		{name: "leaves are not looked into", cols: columns("y int"), entries: []string{"y=1/z=1/f", "y=1/sub/f"}, want: []string{"y=1"}},
		{
			name: "odd names", cols: columns("k string"), entries: []string{"k=a b/", "k=a%2Fb/", "k==/", "k='\"/", "k=\n/", "k=é日本/", "k=%zz/", long + "/"},
			want: []string{"k=\n", "k=%zz", "k='\"", "k==", "k=a b", "k=a%2Fb", long, "k=é日本"},
		},
		{name: "names that are no UTF-8", cols: columns("k string"), entries: []string{"k=\xff/", "k=ok/"}, want: []string{"k=ok"}, skips: []string{"k=\xff BAD_NAME"}},
		{
			name: "links", cols: columns("y int", "m int"),
			entries: []string{"../else/m=5/f", "y=1/m=1/f", "y=2 -> ../else", "y=3 -> nowhere", "y=1/m=2 -> ../../else/m=5", "y=4 -> y=4", "link.csv -> y=1/m=1/f"},
			want:    []string{"y=1/m=1", "y=1/m=2", "y=2/m=5"}, skips: []string{"link.csv TOO_SHALLOW", "y=3 NOT_A_PARTITION", "y=4 LINK_LOOP"},
		},
		{
			name: "links that lead up", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/f", "y=1/m=2 -> ../../", "y=1/m=3 -> ../..", "y=2 -> .", "y=3 -> ..", "y=1/m=4 -> ../y=1"},
			want: []string{"y=1/m=1"}, skips: []string{"y=1/m=2 LINK_LOOP", "y=1/m=3 LINK_LOOP", "y=1/m=4 LINK_LOOP", "y=2 LINK_LOOP", "y=3 LINK_LOOP"},
		},
		{
			name: "pruned", cols: columns("y int", "m int"), entries: []string{"y=1/m=1/", "y=1/m=2/", "y=2/m=2/", "y=3/"},
			opts: scan.DiscoverOptions{Prune: func(level int, v types.Value) bool { return level == 0 && v == int64(1) || level == 1 && v == int64(2) }},
			want: []string{"y=1/m=2"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, threads := range []int{1, 3} {
				c.opts.Threads = threads
				found := discover(t, onDisk(t, c.entries...), c.cols, c.opts)
				got := paths(found)
				slices.Sort(got)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("partitions with %d threads: %s", threads, diff)
				}
				if diff := cmp.Diff(c.skips, reasons(found.Skipped)); diff != "" {
					t.Errorf("skipped: %s", diff)
				}
				for level, spellings := range found.Levels {
					for code, sp := range spellings {
						if !slices.Contains(found.Codes[level], uint32(code)) {
							t.Errorf("no partition has the spelling %q", sp.Dir)
						}
					}
				}
				for _, s := range found.Skipped {
					if s.Detail == "" || len(s.Detail) > 310 || !utf8.ValidString(s.Detail) {
						t.Errorf("%q: the detail is %q", s.Path, s.Detail)
					}
				}
			}
		})
	}
}

func TestDiscoverValues(t *testing.T) {
	found := discover(t, onDisk(t, "d=2024-01-02/k=a%20b/", "d=__HIVE_DEFAULT_PARTITION__/k=x/"), columns("d date", "k string"), scan.DiscoverOptions{})
	got := map[string]types.Value{}
	for _, level := range found.Levels {
		for _, sp := range level {
			got[sp.Dir] = sp.Value
		}
	}
	want := map[string]types.Value{"d=2024-01-02": int64(19724), "d=__HIVE_DEFAULT_PARTITION__": nil, "k=a%20b": "a b", "k=x": "x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestManyStrayFilesAreOneRow(t *testing.T) {
	entries := []string{"y=1/m=1/"}
	for i := range 40 {
		entries = append(entries, fmt.Sprintf("y=1/f%02d", i))
	}
	found := discover(t, onDisk(t, entries...), columns("y int", "m int"), scan.DiscoverOptions{})
	if diff := cmp.Diff([]string{"y=1/f00 TOO_SHALLOW"}, reasons(found.Skipped)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(found.Skipped[0].Detail, "others") {
		t.Errorf("the detail hides the other files: %q", found.Skipped[0].Detail)
	}
}

func TestDiscoverMissingRoot(t *testing.T) {
	l := onDisk(t)
	l.root = l.root.Join("nothing/here")
	if found := discover(t, l, columns("y int"), scan.DiscoverOptions{}); !found.RootMissing || found.Len() != 0 {
		t.Errorf("found %+v", found)
	}
	if found := discover(t, onDisk(t), columns("y int"), scan.DiscoverOptions{}); found.RootMissing {
		t.Error("an empty root counts as missing")
	}
	l = onDisk(t, "f")
	l.root = l.root.Join("f")
	if _, err := scan.Discover(context.Background(), l.stores, l.root, columns("y int"), scan.DiscoverOptions{}); !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE")) {
		t.Errorf("a root that is a file: %v", err)
	}
}

func TestUnreadableDirectoryIsAnError(t *testing.T) {
	for _, dir := range []string{"t/", "t/y=2/"} {
		l := inMemory(t, "y=1/m=1/f", "y=2/m=1/f", "y=3/m=1/f")
		l.mem.Fail("list", dir, storage.PermissionDenied)
		_, err := scan.Discover(context.Background(), l.stores, l.root, columns("y int", "m int"), scan.DiscoverOptions{})
		if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE")) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	l := inMemory(t, "y=1/m=1/f", "y=2/m=1/f")
	l.mem.Fail("list", "t/y=2/", storage.NotFound) // it vanished after it was named
	if diff := cmp.Diff([]string{"y=1/m=1"}, paths(discover(t, l, columns("y int", "m int"), scan.DiscoverOptions{}))); diff != "" {
		t.Error(diff)
	}
}

func TestDiscoverListsInnerDirectoriesOnly(t *testing.T) {
	l := inMemory(t, "y=1/m=1/f", "y=2/m=1/f", "y=2/m=2/f", "x/m=1/f")
	found := discover(t, l, columns("y int", "m int"), scan.DiscoverOptions{Threads: 1})
	if diff := cmp.Diff([]string{"list t/", "list t/y=1/", "list t/y=2/"}, l.mem.Calls()); diff != "" {
		t.Error(diff)
	}
	if found.Len() != 3 {
		t.Errorf("found %v", paths(found))
	}
	discover(t, l, columns("y int", "m int"), scan.DiscoverOptions{Prune: func(level int, v types.Value) bool { return v == int64(2) }})
	if diff := cmp.Diff([]string{"list t/", "list t/y=2/"}, l.mem.Calls()); diff != "" {
		t.Errorf("pruned: %s", diff)
	}
}

func TestDiscoverProgressAndCancel(t *testing.T) {
	l := onDisk(t, "y=1/m=1/", "y=2/m=1/", "y=2/m=2/")
	var dirs, parts int
	discover(t, l, columns("y int", "m int"), scan.DiscoverOptions{Progress: func(d, p int) { dirs, parts = d, p }})
	if dirs != 3 || parts != 3 {
		t.Errorf("progress ended at %d directories and %d partitions", dirs, parts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scan.Discover(ctx, l.stores, l.root, columns("y int", "m int"), scan.DiscoverOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestUnsupportedSchemeIsNamed(t *testing.T) {
	l := onDisk(t)
	_, err := scan.Discover(context.Background(), l.stores, location(t, "s3://bucket/t"), columns("y int"), scan.DiscoverOptions{})
	if !errors.Is(err, sqlerr.Condition("UNSUPPORTED_FEATURE")) || !strings.Contains(err.Error(), "s3://bucket/t") {
		t.Error(err)
	}
}

// TestDiscoverAgreesWithAPlainWalk compares discovery of random trees with the obvious implementation.
func TestDiscoverAgreesWithAPlainWalk(t *testing.T) {
	segment := rapid.SampledFrom([]string{"a=1", "a=2", "A=3", "a=01", "b=x", "b=y", "b=%2F", "a=", "a=z", "c=1", "plain", "_tmp", "_temporary", ".h", "f", "g"})
	rapid.Check(t, func(rt *rapid.T) {
		l := onDisk(t)
		for _, p := range rapid.SliceOfN(rapid.SliceOfN(segment, 1, 4), 0, 12).Draw(rt, "paths") {
			path := filepath.Join(l.dir, filepath.Join(p...))
			if rapid.Bool().Draw(rt, "file") {
				if os.MkdirAll(filepath.Dir(path), 0o755) == nil { // a file may be in the way
					_ = os.WriteFile(path, []byte("x"), 0o600)
				}
			} else {
				_ = os.MkdirAll(path, 0o755)
			}
		}
		cols := columns("a int", "b string")
		found := discover(t, l, cols, scan.DiscoverOptions{Threads: rapid.IntRange(1, 4).Draw(rt, "threads")})
		got := paths(found)
		slices.Sort(got)
		wantPaths, wantSkips := plainWalk(rt, l.dir, cols)
		if diff := cmp.Diff(wantPaths, got); diff != "" {
			rt.Errorf("partitions: %s", diff)
		}
		var skips []string
		for _, s := range reasons(found.Skipped) {
			if !strings.HasSuffix(s, string(partition.TooShallow)) {
				skips = append(skips, s)
			}
		}
		if diff := cmp.Diff(wantSkips, skips); diff != "" {
			rt.Errorf("skipped: %s", diff)
		}
	})
}

func plainWalk(t *rapid.T, dir string, cols []partition.Column) (found, skipped []string) {
	layout := partition.NewLayout(cols, false)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !d.IsDir() {
			return err
		}
		level := strings.Count(rel, "/")
		_, ok, reason, _ := layout.Classify(level, d.Name(), partition.Dir)
		switch {
		case !ok && reason != "":
			skipped = append(skipped, rel+" "+string(reason))
			return fs.SkipDir
		case !ok:
			return fs.SkipDir
		case level == len(cols)-1:
			found = append(found, rel)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	slices.SortFunc(skipped, func(a, b string) int {
		pathA, _, _ := strings.Cut(a, " ")
		pathB, _, _ := strings.Cut(b, " ")
		return strings.Compare(pathA, pathB)
	})
	return found, skipped
}

func TestDrifted(t *testing.T) {
	l := onDisk(t, "y=1/f", "y=2/f", "y=03/f", "x/f", "f", "_SUCCESS!")
	known := func(v types.Value) bool { return v == int64(1) }
	d, err := scan.Drifted(context.Background(), l.stores, l.root, columns("y int"), false, known)
	if err != nil || d.Unknown != 2 || d.Example != "y=03" {
		t.Errorf("%+v, %v", d, err)
	}
	d, err = scan.Drifted(context.Background(), l.stores, l.root.Join("none"), columns("y int"), false, known)
	if err != nil || d.Unknown != 0 {
		t.Errorf("a missing root: %+v, %v", d, err)
	}
}
