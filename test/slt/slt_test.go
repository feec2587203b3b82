package slt_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/slt"
	"github.com/tarnlake/tarn/test/unprivileged"
)

var rewrite = flag.Bool("rewrite", false, "replace the rows of queries in the files by those that come")

// TestFiles runs every file of testdata/slt through a process of its own.
func TestFiles(t *testing.T) {
	binary.Path(t)
	root := filepath.Join(binary.Root(), "testdata", "slt")
	ran := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".slt") {
			return err
		}
		ran++
		rel, err := filepath.Rel(root, path)
		t.Run(strings.TrimSuffix(rel, ".slt"), func(t *testing.T) {
			t.Parallel()
			run(t, path)
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran == 0 {
		t.Error("no .slt files in " + root)
	}
}

func run(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := slt.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	open, temp := binary.StartIn, t.TempDir
	if f.NeedsUser() {
		open, temp = binary.StartUnprivileged, func() string { return unprivileged.Dir(t) }
	}
	root, err := filepath.EvalSymlinks(temp())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "d")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	e := &slt.Env{Dir: dir, Rewrite: *rewrite, Open: func(string) slt.Runner {
		return open(t, dir, filepath.Join(root, "home"))
	}}
	out, faults := e.Run(f)
	for _, fault := range faults {
		t.Errorf("%s: %v", path, fault)
	}
	if *rewrite && out != string(text) {
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
