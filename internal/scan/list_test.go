package scan_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

func list(t testing.TB, l *lake, opts scan.FileOptions, dirs ...string) *scan.Listing {
	t.Helper()
	var locs []storage.Location
	for _, d := range dirs {
		locs = append(locs, l.root.Join(d))
	}
	listing, err := scan.Files(context.Background(), l.stores, locs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return listing
}

func TestFiles(t *testing.T) {
	const txn = "part-01ARZ3NDEKTSV4RRFFQ69G5FAV-00000-00-000.zstd.parquet"
	for _, c := range []struct {
		name    string
		entries []string
		opts    scan.FileOptions
		view    func(key func(string) string, v *scan.Visibility)
		dirs    []string
		want    []string
		deep    int
		empty   int
		ignored int
		missing []int
	}{
		{name: "several directories, in order", entries: []string{"k=1/b", "k=1/a", "k=2/c", "k=3/"}, dirs: []string{"k=2", "k=1", "k=3"}, want: []string{"k=2/c", "k=1/a", "k=1/b"}},
		{name: "missing", entries: []string{"k=1/a", "f"}, dirs: []string{"k=0", "k=1", "k=2", "f"}, want: []string{"k=1/a"}, missing: []int{0, 2, 3}},
		{
			name: "what is no data", entries: []string{"k=1/a", "k=1/e!", "k=1/_SUCCESS!", "k=1/.a.crc", "k=1/_temporary/0/x", "k=1/_TEMPORARY/x", "k=1/c._COPYING_", "k=1/.h/x"},
			dirs: []string{"k=1"}, want: []string{"k=1/a"}, empty: 1, ignored: 3,
		},
		{
			name: "sub-directories", entries: []string{"k=1/u2/x", "k=1/u1/y", "k=1/u1/v/z", "k=1/h=1/w", "k=1/u1/h=2/w", "k=1/a"}, dirs: []string{"k=1"},
			want: []string{"k=1/a", "k=1/u1/v/z", "k=1/u1/y", "k=1/u2/x"}, deep: 2,
		},
		{name: "direct files only", entries: []string{"a", "sub/b", "k=1/c"}, opts: scan.FileOptions{Direct: true}, dirs: []string{""}, want: []string{"a"}},
		{name: "an unknown transaction is another catalog's", entries: []string{"k=1/" + txn, "k=1/part-00000-foreign.parquet"}, dirs: []string{"k=1"}, want: []string{"k=1/part-00000-foreign.parquet", "k=1/" + txn}},
		{
			name: "a transaction under way", entries: []string{"k=1/" + txn, "k=1/a"}, dirs: []string{"k=1"}, want: []string{"k=1/a"},
			view: func(_ func(string) string, v *scan.Visibility) { v.Hide("01ARZ3NDEKTSV4RRFFQ69G5FAV") },
		},
		{
			name: "retired", entries: []string{"k=1/a", "k=1/b"}, dirs: []string{"k=1"}, want: []string{"k=1/b"},
			view: func(key func(string) string, v *scan.Visibility) { v.Retire(key("k=1/a")) },
		},
		{
			name: "exchanged directories", entries: []string{"k=1/" + txn, "_tarn/swap/k=1/a", "_tarn/swap/k=1/b"}, dirs: []string{"k=1"}, want: []string{"_tarn/swap/k=1/a", "_tarn/swap/k=1/b"},
			view: func(key func(string) string, v *scan.Visibility) {
				v.Hide("01ARZ3NDEKTSV4RRFFQ69G5FAV")
				v.Swap(key("k=1/"), key("_tarn/swap/k=1/"))
			},
		},
		{
			name: "directories not exchanged yet", entries: []string{"k=1/a", "k=1/b", "_tarn/swap/k=1/" + txn}, dirs: []string{"k=1"}, want: []string{"k=1/a", "k=1/b"},
			view: func(key func(string) string, v *scan.Visibility) {
				v.Hide("01ARZ3NDEKTSV4RRFFQ69G5FAV")
				v.Swap(key("k=1/"), key("_tarn/swap/k=1/"))
			},
		},
		{name: "all that an overwrite replaces", entries: []string{"a", "e!", "k=1/b", "_SUCCESS", "k=1/h=2/c"}, opts: scan.FileOptions{Empty: true, Keys: true}, dirs: []string{""}, want: []string{"a", "e", "k=1/b", "k=1/h=2/c"}, empty: 1, ignored: 1},
		{
			name: "links", entries: []string{"../else/x", "k=1/a", "k=1/out -> ../../else", "k=1/b -> a", "k=1/c -> ../../else/x", "k=1/gone -> nowhere", "k=1/self -> self"}, dirs: []string{"k=1"},
			want: []string{"k=1/a", "k=1/c"},
		},
		{
			name: "loops", entries: []string{"k=1/a", "k=1/up -> ..", "k=1/me -> .", "k=1/top -> ../..", "k=1/s/b", "k=1/s/up -> ..", "k=1/again -> s"}, dirs: []string{"k=1"},
			want: []string{"k=1/a", "k=1/s/b"},
		},
		{
			name: "a link to a directory with a link back", entries: []string{"../else/x", "../else/sub/back -> ../../t", "k=1/out -> ../../else"}, dirs: []string{"k=1"},
			want: []string{"k=1/out/x"},
		},
		{name: "one partition is a link to another", entries: []string{"k=1/a", "k=2 -> k=1"}, dirs: []string{"k=1", "k=2"}, want: []string{"k=1/a", "k=2/a"}},
		{name: "names with any byte", entries: []string{"k=1/\xff\n'%*?", "k=1/é"}, dirs: []string{"k=1"}, want: []string{"k=1/é", "k=1/\xff\n'%*?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := onDisk(t, c.entries...)
			if c.view != nil {
				c.opts.View = &scan.Visibility{}
				c.view(func(rel string) string { return l.root.DirKey() + rel }, c.opts.View)
			}
			got := list(t, l, c.opts, c.dirs...)
			if diff := cmp.Diff(c.want, names(t, l.root, got.Files)); diff != "" {
				t.Errorf("files: %s", diff)
			}
			if diff := cmp.Diff(c.missing, got.Missing); diff != "" {
				t.Errorf("missing: %s", diff)
			}
			if len(got.TooDeep) != c.deep || got.Empty != c.empty || got.Ignored != c.ignored {
				t.Errorf("too deep %v, empty %d, ignored %d, want %d, %d, %d", got.TooDeep, got.Empty, got.Ignored, c.deep, c.empty, c.ignored)
			}
			bytes := int64(len(c.want)) // of one byte each, but for the empty ones
			if c.opts.Empty {
				bytes -= int64(c.empty)
			}
			var size int64
			for _, f := range got.Files {
				size += f.Size
			}
			if size != bytes || len(got.Starts) != len(c.dirs)+1 {
				t.Errorf("%d bytes, starts %v", size, got.Starts)
			}
		})
	}
}

func TestHardLinksAreFilesOfTheirOwn(t *testing.T) {
	l := onDisk(t, "k=1/a", "k=1/c -> a")
	if err := os.Link(l.dir+"/k=1/a", l.dir+"/k=1/b"); err != nil {
		t.Skipf("NO HARD LINKS HERE, so nobody checks that each is a file of its own: %v", err)
	}
	if diff := cmp.Diff([]string{"k=1/a", "k=1/b"}, names(t, l.root, list(t, l, scan.FileOptions{}, "k=1").Files)); diff != "" {
		t.Error(diff)
	}
}

func TestFilesOfAnUnreadableDirectory(t *testing.T) {
	l := inMemory(t, "k=1/a", "k=2/sub/b")
	l.mem.Fail("list", "t/k=2/sub/", storage.PermissionDenied)
	_, err := scan.Files(context.Background(), l.stores, []storage.Location{l.root.Join("k=1"), l.root.Join("k=2")}, scan.FileOptions{})
	if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE")) || !strings.Contains(err.Error(), "k=2/sub") {
		t.Error(err)
	}
}

func TestTxnOf(t *testing.T) {
	const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for name, want := range map[string]string{
		"part-" + id + "-00012-03-456.zstd.parquet":                                       id,
		"part-" + id + "-00012-03-456.":                                                   id,
		"part-" + id + "-00012-03-456":                                                    "",
		"part-" + id + "-0001-03-456.csv":                                                 "",
		"part-" + id + "-0001a-03-456.csv":                                                "",
		"part-" + strings.ToLower(id) + "-00012-03-456.csv":                               "",
		"part-" + strings.Replace(id, "A", "I", 1) + "-00012-03-456.csv":                  "",
		"part-00000-3f6b6f5e-6f2e-4c3c-9a64-2a6f0f0e7a54-c000.snappy.parquet":             "",
		"part-00000-3f6b6f5e-6f2e-4c3c-9a64-2a6f0f0e7a54.c000.snappy.parquet.and.more.of": "",
		"": "",
	} {
		if got, ok := scan.TxnOf(name); got != want || ok != (want != "") {
			t.Errorf("TxnOf(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
}
