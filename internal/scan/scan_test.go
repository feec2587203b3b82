package scan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/types"
)

// lake is a tree of files to look at: on disk below a temporary directory, or in memory.
type lake struct {
	stores *storage.Stores
	root   storage.Location
	mem    *mem.Driver
	dir    string
}

func location(t testing.TB, text string) storage.Location {
	t.Helper()
	loc, err := storage.ParseLocation(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// onDisk makes a tree on the local disk. Each entry is a file with one byte, "path!" an empty file, "path/" a directory, or
// "path -> target" a symbolic link.
func onDisk(t testing.TB, entries ...string) *lake {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lake{dir: filepath.Join(dir, "t"), stores: storage.NewStores(map[string]storage.Factory{"file": local.Open})}
	l.root = location(t, l.dir)
	l.add(t, append([]string{"./"}, entries...)...)
	return l
}

func (l *lake) add(t testing.TB, entries ...string) {
	t.Helper()
	for _, entry := range entries {
		path, target, isLink := strings.Cut(entry, " -> ")
		content := "x"
		if trimmed, empty := strings.CutSuffix(path, "!"); empty {
			path, content = trimmed, ""
		}
		full := l.dir + "/" + path
		var err error
		if strings.HasSuffix(path, "/") {
			err = os.MkdirAll(full, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(full), 0o755); err == nil {
			if isLink {
				err = os.Symlink(target, full)
			} else {
				err = os.WriteFile(full, []byte(content), 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inMemory makes a tree in a memory store, whose root is mem://lake/t.
func inMemory(t testing.TB, entries ...string) *lake {
	t.Helper()
	d := mem.New()
	d.Write("x", "t/")
	for _, entry := range entries {
		if name, empty := strings.CutSuffix(entry, "!"); empty {
			d.Write("", "t/"+name)
		} else {
			d.Write("x", "t/"+entry)
		}
	}
	return &lake{mem: d, root: location(t, "mem://lake/t"), stores: storage.NewStores(map[string]storage.Factory{"mem": d.Open})}
}

func columns(spec ...string) []partition.Column {
	kinds := map[string]types.Kind{"int": types.Int, "string": types.String, "date": types.Date}
	var cols []partition.Column
	for _, s := range spec {
		name, kind, _ := strings.Cut(s, " ")
		cols = append(cols, partition.Column{Name: name, Type: types.Of(kinds[kind])})
	}
	return cols
}

// paths are the directories of what was found, unsorted.
func paths(f *partition.Found) []string {
	var out []string
	for r := range f.Len() {
		var parts []string
		for level := range f.Levels {
			parts = append(parts, f.Levels[level][f.Codes[level][r]].Dir)
		}
		out = append(out, strings.Join(parts, "/"))
	}
	return out
}

// reasons are "path REASON" of what was skipped.
func reasons(skips []partition.Skip) []string {
	var out []string
	for _, s := range skips {
		out = append(out, s.Path+" "+string(s.Reason))
	}
	return out
}

// names are the files relative to root.
func names(t testing.TB, root storage.Location, files []storage.File) []string {
	t.Helper()
	var out []string
	for _, f := range files {
		rel, ok := root.Rel(f.Location())
		if !ok {
			rel = f.Location().String()
		}
		out = append(out, rel)
	}
	return out
}
