package local_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
)

// A file that others write while it is read must not pass for a shorter or a mixed one.
func TestFileChangedWhileRead(t *testing.T) {
	const size = 1 << 20
	old := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name   string
		change func(path string) error
		fails  bool
	}{
		{"nothing", func(string) error { return nil }, false},
		{"truncated", func(p string) error { return os.Truncate(p, 10) }, true},
		{"emptied", func(p string) error { return os.Truncate(p, 0) }, true},
		{"rewritten", func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("y", size)), 0o600) }, true},
		{"grown", func(p string) error {
			f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("more")
			return err
		}, false},
		{"replaced", func(p string) error {
			if err := os.WriteFile(p+".new", []byte("z"), 0o600); err != nil {
				return err
			}
			return os.Rename(p+".new", p)
		}, false},
		{"removed", os.Remove, false},
	} {
		for _, when := range []string{"before it is opened", "while it is read"} {
			if c.name == "removed" && when == "before it is opened" {
				continue // NotFound, which is another test's
			}
			t.Run(c.name+" "+when, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "f.csv")
				if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
				driver, err := local.OpenDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				root, err := storage.ParseLocation(dir, "")
				if err != nil {
					t.Fatal(err)
				}
				o, err := driver.Stat(context.Background(), "f.csv")
				if err != nil {
					t.Fatal(err)
				}
				file := storage.File{Bucket: storage.NewBucket(driver, root), Object: o}
				if when == "before it is opened" {
					if err := c.change(path); err != nil {
						t.Fatal(err)
					}
				}
				err = func() error {
					in, err := file.Open(context.Background())
					if err != nil {
						return err
					}
					defer in.Close()
					if when == "while it is read" {
						if _, err := io.ReadFull(in, make([]byte, 1000)); err != nil {
							return err
						}
						if err := c.change(path); err != nil {
							t.Fatal(err)
						}
					}
					_, err = io.Copy(io.Discard, in)
					return err
				}()
				switch {
				case c.fails && storage.KindOf(err) != storage.PreconditionFailed:
					t.Errorf("got %v, want a failure of kind PreconditionFailed", err)
				case !c.fails && err != nil:
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
