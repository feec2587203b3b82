package scan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// treeCase is a read of paths below the root ("" is the root itself). want lists "file: values"; a failure is the condition,
// and text that the message must hold.
type treeCase struct {
	name    string
	entries []string
	paths   []string
	opts    scan.TreeOptions
	base    string // opts.BasePath below the root
	columns string // "a int, b string"
	want    []string
	skips   []string
	err     string
	says    []string
}

func (c *treeCase) run(t *testing.T, l *lake) {
	t.Helper()
	if c.paths == nil {
		c.paths = []string{""}
	}
	if c.base != "" {
		c.opts.BasePath = l.root.Join(strings.TrimPrefix(c.base, "."))
	}
	var roots []storage.Location
	for _, p := range c.paths {
		roots = append(roots, l.root.Join(p))
	}
	tree, err := scan.ReadTree(context.Background(), l.stores, roots, c.opts)
	if c.err != "" {
		if !errors.Is(err, sqlerr.Condition(c.err)) {
			t.Fatalf("got %v, want %s", err, c.err)
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%v does not name %s", err, s)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var cols, got []string
	for _, col := range tree.Found.Columns {
		cols = append(cols, col.Name+" "+strings.ToLower(col.Type.SQL()))
	}
	if cols := strings.Join(cols, ", "); cols != c.columns {
		t.Errorf("columns %q, want %q", cols, c.columns)
	}
	for r := range tree.Len() {
		var values []string
		for level, col := range tree.Found.Columns {
			values = append(values, partition.Text(col, tree.Value(r, level)))
		}
		for _, name := range names(t, l.root, tree.Of(r)) {
			got = append(got, name+": "+strings.Join(values, ", "))
		}
	}
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("files: %s", diff)
	}
	if diff := cmp.Diff(c.skips, reasons(tree.Found.Skipped)); diff != "" {
		t.Errorf("skipped: %s", diff)
	}
}

// What Spark 4.3 reads from the same trees, but for data beside partitions: Spark drops a file in the root without a word.
func TestInferredTree(t *testing.T) {
	ignore := scan.TreeOptions{IgnoreInvalid: true}
	for _, c := range []treeCase{
		{name: "one level", entries: []string{"a=1/f", "a=2/f"}, columns: "a int", want: []string{"a=1/f: 1", "a=2/f: 2"}},
		{
			name: "types", entries: []string{"a=1/b=x/f", "a=1.5/b=__HIVE_DEFAULT_PARTITION__/f"}, columns: "a double, b string",
			want: []string{"a=1.5/b=__HIVE_DEFAULT_PARTITION__/f: 1.5, __HIVE_DEFAULT_PARTITION__", "a=1/b=x/f: 1.0, x"},
		},
		{name: "no inference", entries: []string{"a=01/f"}, opts: scan.TreeOptions{Infer: partition.InferOptions{Disabled: true}}, columns: "a string", want: []string{"a=01/f: 01"}},
		{name: "leading zeros", entries: []string{"a=01/f"}, columns: "a int", want: []string{"a=01/f: 1"}},
		{name: "escapes", entries: []string{"a=x%2Fy/f", "a=%zz/f"}, columns: "a string", want: []string{"a=%zz/f: %zz", "a=x%2Fy/f: x/y"}},
		{name: "a file beside partitions", entries: []string{"a=1/f", "g"}, err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/g"}},
		{name: "an empty file beside partitions", entries: []string{"a=1/f", "g!"}, columns: "a int", want: []string{"a=1/f: 1"}},
		{name: "ignored file beside partitions", entries: []string{"a=1/f", "g"}, opts: ignore, columns: "a int", want: []string{"a=1/f: 1"}, skips: []string{" NOT_A_PARTITION"}},
		{name: "a plain directory beside partitions", entries: []string{"a=1/f", "inv/f"}, err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/inv"}},
		{name: "only an empty file in it", entries: []string{"a=1/f", "inv/z!"}, err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/inv"}},
		{name: "nothing in it", entries: []string{"a=1/f", "inv/", "inv2/_SUCCESS!"}, columns: "a int", want: []string{"a=1/f: 1"}},
		{name: "ignored", entries: []string{"a=1/f", "inv/f"}, opts: ignore, columns: "a int", want: []string{"a=1/f: 1"}, skips: []string{"inv NOT_A_PARTITION"}},
		{name: "a file above the last level", entries: []string{"a=1/f", "a=1/b=2/f"}, err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"(a, b)", "(a)", "/t/a=1/b=2", "/t/a=1"}},
		{name: "an empty file above the last level", entries: []string{"c1=a/c2=b/f", "c1=a/dummy!"}, err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"c1=a"}},
		{name: "different keys", entries: []string{"a=1/f", "b=1/f", "a=2/f"}, err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"/t/b=1", "(b)"}},
		{
			name: "sub-directories of a partition", entries: []string{"a=1/u1/f", "a=1/u2/f", "a=1/f", "a=1-x/f"}, columns: "a string",
			want: []string{"a=1-x/f: 1-x", "a=1/f: 1", "a=1/u1/f: 1", "a=1/u2/f: 1"},
		},
		{name: "a plain level between", entries: []string{"a=1/u1/b=2/f"}, columns: "b int", want: []string{"a=1/u1/b=2/f: 2"}},
		{name: "a plain level between in places", entries: []string{"a=1/u1/b=2/f", "a=2/b=2/f"}, err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/a=1/u1"}},
		{name: "a base below the root", entries: []string{"sub/k=1/f"}, columns: "k int", want: []string{"sub/k=1/f: 1"}},
		{name: "two bases", entries: []string{"sub/k=1/f", "sub2/k=1/f"}, err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/sub", "/t/sub2"}},
		{name: "no value", entries: []string{"a=/f", "a=1/f"}, err: "EMPTY_PARTITION_COLUMN_VALUE", says: []string{"a="}},
		{name: "no value, nothing there", entries: []string{"a=/", "a=1/f"}, columns: "a int", want: []string{"a=1/f: 1"}},
		{name: "no value, ignored", entries: []string{"a=/f", "a=1/f"}, opts: ignore, columns: "a int", want: []string{"a=1/f: 1"}, skips: []string{"a= EMPTY_VALUE"}},
		{name: "no name", entries: []string{"=1/f"}, err: "EMPTY_PARTITION_COLUMN_NAME"},
		{name: "one key twice", entries: []string{"a=1/A=2/f"}, err: "COLUMN_ALREADY_EXISTS"},
		{name: "letter case", entries: []string{"a=1/f", "A=2/f"}, columns: "a int", want: []string{"A=2/f: 2", "a=1/f: 1"}},
		{name: "letter case when it counts", entries: []string{"a=1/f", "A=2/f"}, opts: scan.TreeOptions{CaseSensitive: true}, err: "CONFLICTING_PARTITION_COLUMN_NAMES"},
		{name: "no keys at all", entries: []string{"f", "sub/g"}, want: []string{"f: "}},
		{name: "recursive", entries: []string{"f", "sub/g", "sub/k=1/h"}, opts: scan.TreeOptions{Recursive: true}, want: []string{"f: ", "sub/g: ", "sub/k=1/h: "}},
		{name: "hidden names", entries: []string{"p=0/f", "_hidden/f", "p=1/_TeMpOrArY/g", "p=2/.x/f", "p=2/g._COPYING_"}, columns: "p int", want: []string{"p=0/f: 0"}},
		{name: "an underscore key", entries: []string{"_cd=123/f"}, columns: "_cd int", want: []string{"_cd=123/f: 123"}},
		{name: "a root that is hidden by name", entries: []string{"_h/a=1/f"}, paths: []string{"_h"}, columns: "a int", want: []string{"_h/a=1/f: 1"}},
		{name: "a root in scratch space", entries: []string{"_temporary/0/f"}, paths: []string{"_temporary/0"}, want: []string{"_temporary/0/f: "}},
		{name: "a partition with empty files only", entries: []string{"a=1/z!"}, columns: "a int"},
		{name: "a file", entries: []string{"a=1/f", "a=1/g"}, paths: []string{"a=1/f"}, want: []string{"a=1/f: "}},
		{name: "a file with a base", entries: []string{"a=1/f", "a=1/g"}, paths: []string{"a=1/f"}, base: ".", columns: "a int", want: []string{"a=1/f: 1"}},
		{name: "an ignored file", entries: []string{"_f"}, paths: []string{"_f"}},
		{name: "a partition directory", entries: []string{"a=1/f"}, paths: []string{"a=1"}, want: []string{"a=1/f: "}},
		{name: "a partition directory with a base", entries: []string{"a=1/f", "a=2/f"}, paths: []string{"a=1"}, base: ".", columns: "a int", want: []string{"a=1/f: 1"}},
		{name: "two paths", entries: []string{"a=1/f", "a=2/f"}, paths: []string{"a=1", "a=2"}, want: []string{"a=1/f: ", "a=2/f: "}},
		{name: "one path twice", entries: []string{"a=1/f"}, paths: []string{"a=1", "a=1"}, want: []string{"a=1/f: ", "a=1/f: "}},
		{name: "one path inside another", entries: []string{"a=1/f", "a=2/f"}, paths: []string{"", "a=1"}, err: "CONFLICTING_DIRECTORY_STRUCTURES"},
		{name: "a base that is a file", entries: []string{"a=1/f"}, paths: []string{"a=1"}, base: "a=1/f", err: "INVALID_PARAMETER_VALUE.BASE_PATH"},
		{name: "a base that is not there", entries: []string{"a=1/f"}, paths: []string{"a=1"}, base: "zz", err: "INVALID_PARAMETER_VALUE.BASE_PATH"},
		{name: "a base elsewhere", entries: []string{"a=1/f", "b/"}, paths: []string{"a=1"}, base: "b", err: "INVALID_PARAMETER_VALUE.BASE_PATH"},
		{name: "nothing", paths: []string{"nope"}, err: "PATH_NOT_FOUND", says: []string{"/t/nope"}},
		{name: "below a file", entries: []string{"f"}, paths: []string{"f/x"}, err: "PATH_NOT_FOUND"},
		{name: "nothing, as a table", paths: []string{"nope"}, opts: scan.TreeOptions{MissingOK: true}},
		{name: "an empty directory", entries: []string{"e/"}, paths: []string{"e"}},
		{
			name: "a stated type", entries: []string{"A=1/f"}, opts: scan.TreeOptions{Schema: []types.Field{{Name: "v", Type: types.Of(types.Int)}, {Name: "a", Type: types.Of(types.String)}}},
			columns: "a string", want: []string{"A=1/f: 1"},
		},
		{
			name: "a stated type that does not fit", entries: []string{"a=1/f", "a=foo/f"}, opts: scan.TreeOptions{Schema: []types.Field{{Name: "a", Type: types.Of(types.Int)}}},
			err: "INVALID_PARTITION_VALUE", says: []string{"'foo'", "INT", "/t/a=foo"},
		},
		{
			name: "a stated type that does not fit, read as NULL", entries: []string{"a=1/f", "a=foo/f"},
			opts:    scan.TreeOptions{Lenient: true, Schema: []types.Field{{Name: "a", Type: types.Of(types.Int)}}},
			columns: "a int", want: []string{"a=1/f: 1", "a=foo/f: __HIVE_DEFAULT_PARTITION__"},
		},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, onDisk(t, c.entries...)) })
		t.Run(c.name+" in memory", func(t *testing.T) { c.run(t, inMemory(t, c.entries...)) })
	}
}

func TestInferredTreeLinks(t *testing.T) {
	for _, c := range []treeCase{
		{name: "a linked partition", entries: []string{"../store/f", "k=1/f", "k=2 -> ../store"}, columns: "k int", want: []string{"k=1/f: 1", "k=2/f: 2"}},
		{name: "a partition linked to another", entries: []string{"k=1/f", "k=2 -> k=1"}, columns: "k int", want: []string{"k=1/f: 1", "k=2/f: 2"}},
		{name: "loops", entries: []string{"k=1/f", "k=1/up -> ..", "k=1/me -> .", "k=3 -> .", "k=1/top -> ../.."}, columns: "k int", want: []string{"k=1/f: 1"}},
		{name: "crossed links end", entries: []string{"a=1/f", "a=2/f", "a=1/x -> ../a=2", "a=2/y -> ../a=1"}, columns: "a int", want: []string{"a=1/f: 1", "a=2/f: 2"}},
		{
			name: "crossed partition links end", entries: []string{"a=1/b=1/f", "a=2/b=1/f", "a=1/b=2 -> ../a=2/b=1", "a=2/b=3 -> ../a=1/b=1"}, columns: "a int, b int",
			want: []string{"a=1/b=1/f: 1, 1", "a=1/b=2/f: 1, 2", "a=2/b=1/f: 2, 1", "a=2/b=3/f: 2, 3"},
		},
		{name: "a linked file", entries: []string{"../store/f", "k=1/g -> ../../store/f", "k=1/h -> nowhere"}, columns: "k int", want: []string{"k=1/g: 1"}},
		{name: "a linked root", entries: []string{"k=1/f", "here -> ."}, paths: []string{"here"}, columns: "k int", want: []string{"here/k=1/f: 1"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, onDisk(t, c.entries...)) })
	}
}

func TestDeclaredTree(t *testing.T) {
	ym := columns("y int", "m int")
	with := func(cols []partition.Column, change func(*scan.TreeOptions)) scan.TreeOptions {
		opts := scan.TreeOptions{Columns: cols}
		if change != nil {
			change(&opts)
		}
		return opts
	}
	ignore := func(o *scan.TreeOptions) { o.IgnoreInvalid = true }
	lenient := func(o *scan.TreeOptions) { o.Lenient = true }
	for _, c := range []treeCase{
		{
			name: "two levels", entries: []string{"y=1/m=1/f", "y=1/m=02/g", "y=1/m=2/h"}, opts: with(ym, nil), columns: "y int, m int",
			want: []string{"y=1/m=02/g: 1, 2", "y=1/m=1/f: 1, 1", "y=1/m=2/h: 1, 2"},
		},
		{
			name: "sub-directories are read, deeper keys are not", entries: []string{"y=1/m=1/u/f", "y=1/m=1/d=1/f"}, opts: with(ym, nil), columns: "y int, m int",
			want: []string{"y=1/m=1/u/f: 1, 1"}, skips: []string{"y=1/m=1/d=1 TOO_DEEP"},
		},
		{name: "a stray file below a key", entries: []string{"y=2026/m=1/f", "y=2026/notes.csv"}, opts: with(ym, nil), err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"/t/y=2026", "(y, m)", "(y)"}},
		{name: "an empty stray file below a key", entries: []string{"y=2026/m=1/f", "y=2026/z!"}, opts: with(ym, nil), err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"/t/y=2026"}},
		{name: "a level is missing", entries: []string{"y=2026/m=1/f", "y=2027/f"}, opts: with(ym, nil), err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"/t/y=2027"}},
		{name: "a level is missing, nothing there", entries: []string{"y=2026/m=1/f", "y=2027/"}, opts: with(ym, nil), columns: "y int, m int", want: []string{"y=2026/m=1/f: 2026, 1"}},
		{name: "a plain directory", entries: []string{"y=1/m=1/f", "archive/f"}, opts: with(ym, nil), err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/archive"}},
		{name: "a plain directory without files", entries: []string{"y=1/m=1/f", "archive/sub/"}, opts: with(ym, nil), columns: "y int, m int", want: []string{"y=1/m=1/f: 1, 1"}},
		{
			name: "a plain directory, ignored", entries: []string{"y=1/m=1/f", "archive/sub/f", "x.csv"}, opts: with(ym, ignore), columns: "y int, m int", want: []string{"y=1/m=1/f: 1, 1"},
			skips: []string{"archive NOT_A_PARTITION", "x.csv TOO_SHALLOW"},
		},
		{name: "a file in the root", entries: []string{"y=1/m=1/f", "x.csv"}, opts: with(ym, nil), err: "CONFLICTING_DIRECTORY_STRUCTURES", says: []string{"/t/x.csv"}},
		{name: "an empty file in the root", entries: []string{"y=1/m=1/f", "x.csv!"}, opts: with(ym, nil), columns: "y int, m int", want: []string{"y=1/m=1/f: 1, 1"}},
		{name: "wrong order", entries: []string{"m=1/y=1/f"}, opts: with(ym, nil), err: "CONFLICTING_PARTITION_COLUMN_NAMES", says: []string{"/t/m=1"}},
		{name: "no value", entries: []string{"y=/m=1/f"}, opts: with(ym, nil), err: "EMPTY_PARTITION_COLUMN_VALUE", says: []string{"y="}},
		{name: "a value that does not cast", entries: []string{"floor=2/f", "floor=attic/f"}, opts: with(columns("floor int"), nil), err: "INVALID_PARTITION_VALUE", says: []string{"floor", "attic", "INT"}},
		{name: "a value that does not cast, without files", entries: []string{"floor=2/f", "floor=attic/"}, opts: with(columns("floor int"), nil), columns: "floor int", want: []string{"floor=2/f: 2"}},
		{name: "a value that does not cast is not ignored", entries: []string{"floor=attic/f"}, opts: with(columns("floor int"), ignore), err: "INVALID_PARTITION_VALUE"},
		{
			name: "a value that does not cast, read as NULL", entries: []string{"floor=2/f", "floor=attic/f"}, opts: with(columns("floor int"), lenient), columns: "floor int",
			want: []string{"floor=2/f: 2", "floor=attic/f: __HIVE_DEFAULT_PARTITION__"},
		},
		{
			name: "links", entries: []string{"../store/f", "y=1/m=1/f", "y=1/m=2 -> ../../store", "y=2 -> .", "y=3 -> nowhere"}, opts: with(ym, nil), columns: "y int, m int",
			want: []string{"y=1/m=1/f: 1, 1", "y=1/m=2/f: 1, 2"}, skips: []string{"y=2 LINK_LOOP"},
		},
		{name: "no root", entries: nil, paths: []string{"none"}, opts: with(ym, nil), err: "PATH_NOT_FOUND"},
		{name: "no root, as a table", paths: []string{"none"}, opts: with(ym, func(o *scan.TreeOptions) { o.MissingOK = true }), columns: "y int, m int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, onDisk(t, c.entries...))
		})
	}
}

func TestPruningListsOnlyWhatIsWanted(t *testing.T) {
	l := inMemory(t, "y=1/m=1/f", "y=1/m=2/f", "y=2/m=1/f", "y=bad/m=1/f")
	opts := scan.TreeOptions{
		Columns: columns("y int", "m int"), Lenient: true, Threads: 1,
		Prune: func(level int, v types.Value) bool { return level == 0 && v == int64(1) || level == 1 && v == int64(2) },
	}
	tree, err := scan.ReadTree(context.Background(), l.stores, []storage.Location{l.root}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"y=1/m=2/f"}, names(t, l.root, tree.Files)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"list t/", "list t/y=1/", "list t/y=1/m=2/"}, l.mem.Calls()); diff != "" {
		t.Error(diff)
	}
}

func TestTreeUnreadable(t *testing.T) {
	for name, opts := range map[string]scan.TreeOptions{"declared": {Columns: columns("y int")}, "inferred": {}, "recursive": {Recursive: true}} {
		l := inMemory(t, "y=1/f", "y=2/f")
		l.mem.Fail("list", "t/y=2/", storage.PermissionDenied)
		_, err := scan.ReadTree(context.Background(), l.stores, []storage.Location{l.root}, opts)
		if !errors.Is(err, sqlerr.Condition("FAILED_READ_FILE")) || !strings.Contains(err.Error(), "y=2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWideTreeKeepsItsRows(t *testing.T) {
	var entries []string
	for i := range 30 {
		for j := range 7 {
			entries = append(entries, fmt.Sprintf("a=%d/b=%d/f", i, j))
		}
	}
	for _, opts := range []scan.TreeOptions{{Columns: columns("a int", "b int"), Threads: 4}, {Threads: 4}} {
		l := inMemory(t, entries...)
		tree, err := scan.ReadTree(context.Background(), l.stores, []storage.Location{l.root}, opts)
		if err != nil || tree.Len() != 210 || len(tree.Files) != 210 {
			t.Fatalf("%d rows, %v", tree.Len(), err)
		}
		for r := range tree.Len() {
			want := fmt.Sprintf("t/a=%v/b=%v/f", tree.Value(r, 0), tree.Value(r, 1))
			if got := tree.Of(r); len(got) != 1 || got[0].Key != want {
				t.Fatalf("row %d: %v, want %s", r, got, want)
			}
		}
	}
}
