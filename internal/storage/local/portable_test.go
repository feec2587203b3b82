package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/storage"
)

// TestPortableReadDirAgrees compares the reader of directories that works everywhere with this system's own.
func TestPortableReadDirAgrees(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a=1", "a=2", "_x"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"f", "ü\n", ".hidden"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"dir": "a=1", "file": "f", "gone": "nowhere", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	type reader func(context.Context, string, bool, func(*storage.Entry) error) error
	read := func(r reader, info bool) []string {
		var out []string
		err := r(context.Background(), "", info, func(e *storage.Entry) error {
			text := fmt.Sprintf("%q %d link=%t", e.Name, e.Type, e.Link)
			if info || e.Link {
				text += fmt.Sprintf(" size=%d time=%v id=%v", e.Size, e.ModTime, e.ID)
			}
			if e.Type == storage.DirEntry {
				text = fmt.Sprintf("%q %d link=%t", e.Name, e.Type, e.Link) // what a directory's size means differs
			}
			out = append(out, text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sort.Strings(out)
		return out
	}
	for _, info := range []bool{false, true} {
		if diff := cmp.Diff(read(d.ReadDir, info), read(d.readDirPortable, info)); diff != "" {
			t.Errorf("info=%t (-own +portable):\n%s", info, diff)
		}
	}
	missing := d.readDirPortable(context.Background(), "nowhere/", false, func(*storage.Entry) error { return nil })
	if storage.KindOf(missing) != storage.NotFound {
		t.Errorf("a missing directory: %v", missing)
	}
}
