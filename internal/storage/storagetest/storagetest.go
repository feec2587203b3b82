// Package storagetest is the conformance suite of storage.Driver: each driver's own tests run it. It imports package storage
// and the testing packages only.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/storage"
)

// Run checks a driver against its port. open returns an empty store each time; keys count from its root.
func Run(t *testing.T, open func(t *testing.T) storage.Driver) {
	t.Helper()
	checks := map[string]func(t *testing.T, b *storage.Bucket){
		"a written object is read back": readBack,
		"ranges":                        ranges,
		"conditions":                    conditions,
		"absence":                       absence,
		"deleting":                      deleting,
		"listing":                       listing,
		"directories as children":       readDir,
		"renaming":                      renaming,
		"a canceled context":            canceled,
		"a failing body leaves nothing": failingBody,
		"odd names":                     oddNames,
	}
	maps.Copy(checks, moveChecks)
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			root, err := storage.ParseLocation("test:/", "")
			if err != nil {
				t.Fatal(err)
			}
			b := storage.NewBucket(open(t), root)
			t.Cleanup(func() {
				if err := b.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			check(t, b)
		})
	}
	t.Run("listing agrees with a model", func(t *testing.T) { model(t, open) })
}

func put(t testing.TB, b *storage.Bucket, content string, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, err := b.Put(context.Background(), key, strings.NewReader(content), storage.Condition{}); err != nil {
			t.Fatalf("put %q: %v", key, err)
		}
	}
}

func wantKind(t *testing.T, what string, err error, want storage.Kind) {
	t.Helper()
	var failure *storage.Error
	if !errors.As(err, &failure) {
		t.Errorf("%s: got %v, want a *storage.Error of kind %q", what, err, want)
		return
	}
	if failure.Kind != want {
		t.Errorf("%s: kind %q, want %q (%v)", what, failure.Kind, want, err)
	}
	if failure.Where == "" || failure.Op == "" {
		t.Errorf("%s: the error does not say what was tried where: %+v", what, failure)
	}
}

func readBack(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	stored, err := b.Put(ctx, "a/b/c.txt", strings.NewReader("hello"), storage.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	data, read, err := b.ReadAll(ctx, "a/b/c.txt")
	if err != nil || string(data) != "hello" {
		t.Fatalf("read %q, %v", data, err)
	}
	looked, err := b.Stat(ctx, "a/b/c.txt")
	if err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]storage.Object{"put": stored, "read": read, "stat": looked} {
		if o.Key != "a/b/c.txt" || o.Size != 5 || o.ETag == "" || o.ETag != looked.ETag || o.IsPrefix || !o.ModTime.Equal(looked.ModTime) {
			t.Errorf("%s: %+v, want what stat says: %+v", what, o, looked)
		}
	}
	again, err := b.Put(ctx, "a/b/c.txt", strings.NewReader("other"), storage.Condition{})
	if err != nil || again.ETag == stored.ETag {
		t.Errorf("a new content of the same size has the ETag %q of the old one (%v)", again.ETag, err)
	}
	dir, err := b.Stat(ctx, "a/b/")
	if err != nil || !dir.IsPrefix {
		t.Errorf("stat of the directory: %+v, %v", dir, err)
	}
	if root, err := b.Stat(ctx, ""); err != nil || !root.IsPrefix {
		t.Errorf("stat of the root: %+v, %v", root, err)
	}
}

func ranges(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "0123456789", "f")
	for _, c := range []struct {
		off, n int64
		want   string
	}{
		{0, -1, "0123456789"},
		{3, 4, "3456"},
		{3, -1, "3456789"},
		{8, 10, "89"},
		{0, 0, ""},
		{-3, -1, "789"},
		{-3, 2, "78"},
		{-30, -1, "0123456789"},
		{10, -1, ""},
		{99, 5, ""},
	} {
		r, o, err := b.Read(ctx, "f", c.off, c.n)
		if err != nil {
			t.Fatalf("read %d+%d: %v", c.off, c.n, err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != c.want || o.Size != 10 {
			t.Errorf("read %d+%d of %d bytes: %q, %v, want %q of 10", c.off, c.n, o.Size, got, err, c.want)
		}
	}
	at, err := b.OpenAt(ctx, "f")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4)
	if n, err := at.ReadAt(buf, 8); n != 2 || !errors.Is(err, io.EOF) || string(buf[:n]) != "89" {
		t.Errorf("ReadAt past the end: %q, %v", buf[:n], err)
	}
	if n, err := at.ReadAt(buf, 2); n != 4 || err != nil || string(buf) != "2345" || at.Size() != 10 {
		t.Errorf("ReadAt: %q, %v, size %d", buf, err, at.Size())
	}
	if err := at.Close(); err != nil {
		t.Error(err)
	}
}

func conditions(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	o, err := b.Put(ctx, "d/f", strings.NewReader("one"), storage.Condition{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Put(ctx, "d/f", strings.NewReader("two"), storage.Condition{IfAbsent: true})
	wantKind(t, "put over an object", err, storage.AlreadyExists)
	_, err = b.Put(ctx, "d/f", strings.NewReader("two"), storage.Condition{IfMatch: o.ETag + "x"})
	wantKind(t, "put with another ETag", err, storage.PreconditionFailed)
	_, err = b.Put(ctx, "d/new", strings.NewReader("two"), storage.Condition{IfMatch: o.ETag})
	wantKind(t, "put with an ETag where nothing is", err, storage.PreconditionFailed)
	if data, _, err := b.ReadAll(ctx, "d/f"); string(data) != "one" {
		t.Errorf("a refused put left %q, %v", data, err)
	}
	if _, err := b.Put(ctx, "d/f", strings.NewReader("two"), storage.Condition{IfMatch: o.ETag}); err != nil {
		t.Errorf("put with the right ETag: %v", err)
	}
}

func absence(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "x", "dir/file")
	_, err := b.Stat(ctx, "nothing")
	wantKind(t, "stat of nothing", err, storage.NotFound)
	_, err = b.Stat(ctx, "nothing/")
	wantKind(t, "stat of no directory", err, storage.NotFound)
	_, err = b.Stat(ctx, "dir/file/")
	wantKind(t, "stat of a file as a directory", err, storage.NotADirectory)
	_, err = b.Stat(ctx, "dir")
	wantKind(t, "stat of a directory as a file", err, storage.IsADirectory)
	_, _, err = b.Read(ctx, "nothing", 0, -1)
	wantKind(t, "read of nothing", err, storage.NotFound)
	_, _, err = b.Read(ctx, "dir", 0, -1)
	wantKind(t, "read of a directory", err, storage.IsADirectory)
	_, err = b.Put(ctx, "dir/file/below", strings.NewReader("x"), storage.Condition{})
	wantKind(t, "put below a file", err, storage.NotADirectory)
	_, err = b.Put(ctx, "dir/", strings.NewReader("x"), storage.Condition{})
	wantKind(t, "put of a directory's key", err, storage.BadLocation)
	_, err = collect(b.List(ctx, "nothing/", "", false))
	wantKind(t, "list of nothing", err, storage.NotFound)
	_, err = collect(b.List(ctx, "dir/file/", "", false))
	wantKind(t, "list of a file", err, storage.NotADirectory)
	for key, want := range map[string]bool{"": true, "dir/": true, "dir/file": true, "dir": false, "dir/file/": false, "no": false} {
		if got, err := b.Exists(ctx, key); got != want || err != nil {
			t.Errorf("exists %q: %v, %v, want %v", key, got, err, want)
		}
	}
}

func deleting(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "x", "a/1", "a/2", "a/b/3", "ab/4")
	if err := b.Delete(ctx, "a/1", "a/none", "none/at/all"); err != nil {
		t.Errorf("delete: %v", err)
	}
	wantKind(t, "delete of a directory as a file", b.Delete(ctx, "a"), storage.IsADirectory)
	wantKind(t, "delete of the root", b.Delete(ctx, ""), storage.BadLocation)
	if err := b.Delete(ctx, "a/", "none/"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if there, err := b.Exists(ctx, "a/"); there || err != nil {
		t.Errorf("the directory is still there (%v)", err)
	}
	got, err := collect(b.List(ctx, "", "", true))
	if diff := cmp.Diff([]string{"ab/4"}, got); diff != "" || err != nil {
		t.Errorf("what is left: %s %v", diff, err)
	}
}

func collect(seq iter.Seq2[storage.Object, error]) ([]string, error) {
	var keys []string
	for o, err := range seq {
		if err != nil {
			return keys, err
		}
		if o.IsPrefix != strings.HasSuffix(o.Key, "/") {
			return keys, fmt.Errorf("the entry %q has IsPrefix %v", o.Key, o.IsPrefix)
		}
		keys = append(keys, o.Key)
	}
	return keys, nil
}

func listing(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "x", "t/a", "t/a-b", "t/a.b/1", "t/az", "t/c/d/e", "t/c/f", "u")
	if b.HasDirs() {
		if err := b.MakeDir(ctx, "t/empty"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		prefix, after string
		flat          bool
		want          []string
	}{
		{"", "", true, []string{"t/a", "t/a-b", "t/a.b/1", "t/az", "t/c/d/e", "t/c/f", "u"}},
		{"t/", "", true, []string{"t/a", "t/a-b", "t/a.b/1", "t/az", "t/c/d/e", "t/c/f"}},
		{"t/", "", false, []string{"t/a", "t/a-b", "t/a.b/", "t/az", "t/c/", "t/empty/"}},
		{"t/a", "", false, []string{"t/a", "t/a-b", "t/a.b/", "t/az"}},
		{"t/a.", "", true, []string{"t/a.b/1"}},
		{"t/c", "", false, []string{"t/c/"}},
		{"t/", "t/a.b/1", true, []string{"t/az", "t/c/d/e", "t/c/f"}},
		{"t/", "t/c/d/e", true, []string{"t/c/f"}},
		{"t/", "t/a.b/", false, []string{"t/az", "t/c/", "t/empty/"}},
		{"t/", "t/zzz", true, nil},
		{"t/x", "", false, nil},
	} {
		if !b.HasDirs() {
			c.want = slices.DeleteFunc(c.want, func(key string) bool { return key == "t/empty/" })
		}
		got, err := collect(b.List(ctx, c.prefix, c.after, c.flat))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("list %q after %q flat %v: %s %v", c.prefix, c.after, c.flat, diff, err)
		}
	}
	for o, err := range b.List(ctx, "t/", "", true) {
		if err != nil || o.Size != 1 || o.ModTime.IsZero() {
			t.Errorf("an entry: %+v, %v", o, err)
		}
		break // a consumer that stops early
	}
}

func readDir(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "xyz", "t/f", "t/k=1/g")
	for _, info := range []bool{false, true} {
		got := map[string]storage.EntryType{}
		err := b.ReadDir(ctx, "t/", info, func(e *storage.Entry) error {
			got[string(e.Name)] = e.Type
			if info && e.Type == storage.FileEntry && (e.Size != 3 || e.ModTime.IsZero()) {
				t.Errorf("no information on %s: %+v", e.Name, e)
			}
			return nil
		})
		want := map[string]storage.EntryType{"f": storage.FileEntry, "k=1": storage.DirEntry}
		if !maps.Equal(got, want) || err != nil {
			t.Errorf("children %v, %v, want %v", got, err, want)
		}
	}
	stop := errors.New("stop")
	if err := b.ReadDir(ctx, "t/", false, func(*storage.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the consumer's error came back as %v", err)
	}
	wantKind(t, "read of no directory", b.ReadDir(ctx, "none/", false, func(*storage.Entry) error { return nil }), storage.NotFound)
	wantKind(t, "read of a file", b.ReadDir(ctx, "t/f/", false, func(*storage.Entry) error { return nil }), storage.NotADirectory)
}

func renaming(t *testing.T, b *storage.Bucket) {
	if !b.CanRename() {
		t.Skip("THIS STORE CANNOT RENAME, so nothing is checked of renames in it: it says so itself with CanRename.")
	}
	ctx := context.Background()
	put(t, b, "x", "a/1", "a/2", "c/3")
	if err := b.Rename(ctx, "a/1", "new/dir/1"); err != nil {
		t.Errorf("rename of a file: %v", err)
	}
	wantKind(t, "rename onto a file", b.Rename(ctx, "a/2", "new/dir/1"), storage.AlreadyExists)
	wantKind(t, "rename onto a directory", b.Rename(ctx, "a", "c"), storage.AlreadyExists)
	wantKind(t, "rename of nothing", b.Rename(ctx, "none", "d"), storage.NotFound)
	if err := b.Rename(ctx, "a", "moved"); err != nil {
		t.Errorf("rename of a directory: %v", err)
	}
	got, err := collect(b.List(ctx, "", "", true))
	if diff := cmp.Diff([]string{"c/3", "moved/2", "new/dir/1"}, got); diff != "" || err != nil {
		t.Errorf("after the renames: %s %v", diff, err)
	}
}

func canceled(t *testing.T, b *storage.Bucket) {
	put(t, b, "x", "a/1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, statErr := b.Stat(ctx, "a/1")
	_, listErr := collect(b.List(ctx, "a/", "", false))
	_, _, readErr := b.Read(ctx, "a/1", 0, -1)
	_, putErr := b.Put(ctx, "a/2", strings.NewReader("x"), storage.Condition{})
	for what, err := range map[string]error{"stat": statErr, "list": listErr, "read": readErr, "put": putErr, "delete": b.Delete(ctx, "a/1")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", what, err)
		}
	}
}

// brokenBody fails in the middle.
type brokenBody struct{ read bool }

func (r *brokenBody) Read(p []byte) (int, error) {
	if r.read {
		return 0, errors.New("the sender went away")
	}
	r.read = true
	return copy(p, "half"), nil
}

func failingBody(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	put(t, b, "old", "d/f")
	for _, key := range []string{"d/f", "d/g"} {
		if _, err := b.Put(ctx, key, &brokenBody{}, storage.Condition{}); err == nil {
			t.Errorf("put %s of a body that breaks succeeded", key)
		}
	}
	if data, _, err := b.ReadAll(ctx, "d/f"); string(data) != "old" || err != nil {
		t.Errorf("the old object is %q, %v", data, err)
	}
	got, err := collect(b.List(ctx, "", "", true))
	if diff := cmp.Diff([]string{"d/f"}, got); diff != "" || err != nil {
		t.Errorf("left behind: %s %v", diff, err)
	}
}

func oddNames(t *testing.T, b *storage.Bucket) {
	ctx := context.Background()
	names := []string{"k=a b", "k=%2F", "k=é日本", "k=\n", "k='\"", "k=*?[x]{y}", `k=\`, "k=" + strings.Repeat("n", 253), "k==", "k=#:;"}
	want := make([]string, len(names))
	for i, name := range names {
		want[i] = "t/" + name + "/f"
		put(t, b, name, want[i])
	}
	slices.Sort(want)
	got, err := collect(b.List(ctx, "t/", "", true))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("names: %s %v", diff, err)
	}
	for _, name := range names {
		if data, _, err := b.ReadAll(ctx, "t/"+name+"/f"); string(data) != name || err != nil {
			t.Errorf("read %q: %q, %v", name, data, err)
		}
	}
}

// model compares listings of random trees with what sorting and cutting the keys gives.
func model(t *testing.T, open func(t *testing.T) storage.Driver) {
	rapid.Check(t, func(rt *rapid.T) {
		root, err := storage.ParseLocation("test:/", "")
		if err != nil {
			rt.Fatal(err)
		}
		b := storage.NewBucket(open(t), root)
		name := rapid.StringMatching(`[ab\-.=]{1,2}`).Filter(func(s string) bool { return s != "." && s != ".." })
		paths := rapid.SliceOfN(rapid.SliceOfN(name, 1, 3), 1, 8).Draw(rt, "paths")
		objects := map[string]bool{}
		ctx := context.Background()
		for _, p := range paths {
			key := strings.Join(p, "/")
			_, err := b.Put(ctx, key, strings.NewReader("x"), storage.Condition{})
			kind := storage.KindOf(err)
			if err != nil && kind != storage.NotADirectory && kind != storage.IsADirectory && kind != storage.AlreadyExists {
				rt.Fatalf("put %q: %v", key, err)
			}
			if err == nil {
				objects[key] = true
			}
		}
		all := slices.Sorted(maps.Keys(objects))
		prefix := strings.Join(paths[0][:len(paths[0])-1], "/")
		if prefix != "" {
			prefix += "/"
		}
		after := rapid.SampledFrom(append([]string{""}, all...)).Draw(rt, "after")
		var flat, grouped []string
		for _, key := range all {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			if key > after {
				flat = append(flat, key)
			}
			rest := key[len(prefix):]
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				rest = rest[:i+1]
			}
			if g := prefix + rest; g > after && !slices.Contains(grouped, g) {
				grouped = append(grouped, g)
			}
		}
		slices.Sort(grouped)
		for isFlat, want := range map[bool][]string{true: flat, false: grouped} {
			got, err := collect(b.List(ctx, prefix, after, isFlat))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				rt.Fatalf("list %q after %q flat %v of %q: %s %v", prefix, after, isFlat, all, diff, err)
			}
		}
	})
}
