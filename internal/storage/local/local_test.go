package local_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/storage/storagetest"
	"github.com/tarnlake/tarn/test/unprivileged"
)

func open(t *testing.T) *local.Driver {
	t.Helper()
	d, err := local.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDriver(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Driver { return open(t) })
}

func TestOpenDirWantsAnAbsolutePath(t *testing.T) {
	if _, err := local.OpenDir("here"); storage.KindOf(err) != storage.BadLocation {
		t.Errorf("got %v", err)
	}
}

func TestRootKeysAreAbsolutePaths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	stores := storage.NewStores(map[string]storage.Factory{"file": local.Open})
	loc, err := storage.ParseLocation(path, "")
	if err != nil {
		t.Fatal(err)
	}
	b, key, err := stores.Open(loc)
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.ReadAll(context.Background(), key)
	if string(data) != "hello" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if got, ok := b.LocalPath(key); got != path || !ok {
		t.Errorf("local path %q, %v", got, ok)
	}
	if got, _ := b.LocalPath(""); got != "/" {
		t.Errorf("local path of the root: %q", got)
	}
}

// Entry types of everything that a directory can hold; names with any byte.
func TestReadDirTypes(t *testing.T) {
	d := open(t)
	dir := d.LocalPath("")
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "dir"), 0o755),
		os.WriteFile(filepath.Join(dir, "file"), []byte("xy"), 0o600),
		os.WriteFile(filepath.Join(dir, "bad\xff\xfename"), nil, 0o600),
		os.Symlink("dir", filepath.Join(dir, "to-dir")),
		os.Symlink("file", filepath.Join(dir, "to-file")),
		os.Symlink("nothing", filepath.Join(dir, "broken")),
		os.Symlink("file/below", filepath.Join(dir, "broken-below")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]storage.EntryType{
		"dir": storage.DirEntry, "file": storage.FileEntry, "bad\xff\xfename": storage.FileEntry, "to-dir": storage.DirEntry,
		"to-file": storage.FileEntry, "broken": storage.BrokenEntry, "broken-below": storage.BrokenEntry, "loop": storage.LoopEntry, "pipe": storage.OtherEntry,
	}
	for _, info := range []bool{false, true} {
		got := map[string]storage.EntryType{}
		ids := map[string]storage.Identity{}
		err := d.ReadDir(context.Background(), "", info, func(e *storage.Entry) error {
			name := string(e.Name)
			got[name], ids[name] = e.Type, e.ID
			isLink := strings.HasPrefix(name, "to-") || strings.HasPrefix(name, "broken") || name == "loop"
			if e.Link != isLink {
				t.Errorf("%s: link %v", name, e.Link)
			}
			if name == "to-file" && e.Size != 2 {
				t.Errorf("the link's target has %d bytes, want 2", e.Size)
			}
			return nil
		})
		if !maps.Equal(got, want) || err != nil {
			t.Errorf("info %v: %v, %v, want %v", info, got, err, want)
		}
		if info && ids["file"] != ids["to-file"] {
			t.Errorf("a link's identity %v is not its target's %v", ids["to-file"], ids["file"])
		}
	}
	for _, key := range []string{"pipe", "broken"} {
		if _, _, err := d.Read(context.Background(), key, 0, -1); err == nil {
			t.Errorf("read of %s succeeded", key)
		}
	}
}

func TestFlatListingDoesNotFollowLinks(t *testing.T) {
	d := open(t)
	for _, err := range []error{
		os.MkdirAll(d.LocalPath("a/b"), 0o755),
		os.WriteFile(d.LocalPath("a/b/f"), []byte("x"), 0o600),
		os.Symlink("..", d.LocalPath("a/up")),
		os.Symlink("b/f", d.LocalPath("a/g")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for o, err := range d.List(context.Background(), "", "", true) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Key)
	}
	if want := "a/b/f a/g a/up/"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Deleting a directory that holds links leaves what they point at.
	if err := d.Delete(context.Background(), "a/up/"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.LocalPath("a/b/f")); err != nil {
		t.Error(err)
	}
}

// Directories with many others in them are removed by several at once.
func TestDeleteOfManyDirectories(t *testing.T) {
	d := open(t)
	ctx := context.Background()
	if err := errors.Join(os.MkdirAll(d.LocalPath("kept/k=1"), 0o755), os.WriteFile(d.LocalPath("kept/k=1/f"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		dir := d.LocalPath("go/2/k=" + strconv.Itoa(i))
		err := errors.Join(os.MkdirAll(dir+"/in", 0o755), os.WriteFile(dir+"/f", []byte("x"), 0o600), os.Symlink("../../../kept/k=1", dir+"/link"))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../kept", d.LocalPath("go/2/all")); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(ctx, "go/"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(d.LocalPath("go")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	if _, err := os.Stat(d.LocalPath("kept/k=1/f")); err != nil {
		t.Errorf("a file behind a link went, too: %v", err)
	}
}

func TestPutLeavesNoTemporaryFile(t *testing.T) {
	d := open(t)
	ctx := context.Background()
	if _, err := d.Put(ctx, "f", strings.NewReader("x"), storage.Condition{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put(ctx, "f", strings.NewReader("y"), storage.Condition{IfAbsent: true}); storage.KindOf(err) != storage.AlreadyExists {
		t.Fatal(err)
	}
	children, err := os.ReadDir(d.LocalPath(""))
	if err != nil || len(children) != 1 || children[0].Name() != "f" {
		t.Errorf("left: %v, %v", children, err)
	}
}

func TestKinds(t *testing.T) {
	d := open(t)
	ctx := context.Background()
	if err := os.Symlink("loop", d.LocalPath("loop")); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]storage.Kind{
		strings.Repeat("n", 300): storage.NameTooLong,
		"loop":                   storage.LinkLoop,
		"none":                   storage.NotFound,
	} {
		if _, err := d.Stat(ctx, key); storage.KindOf(err) != want {
			t.Errorf("stat %.20s: %v, want %v", key, err, want)
		}
	}
}

func TestClosedDirectory(t *testing.T) {
	if !unprivileged.Here(t) {
		return
	}
	ctx, d := context.Background(), open(t)
	if err := os.Mkdir(d.LocalPath("closed"), 0); err != nil {
		t.Fatal(err)
	}
	if err := d.ReadDir(ctx, "closed/", false, func(*storage.Entry) error { return nil }); storage.KindOf(err) != storage.PermissionDenied {
		t.Errorf("a closed directory: %v", err)
	}
}
