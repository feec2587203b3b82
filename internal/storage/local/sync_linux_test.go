package local

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDirtyBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:       24684720 kB\nDirty:               120 kB\nWriteback:             8 kB\nWritebackTmp:         50 kB\n": 128 << 10,
		"Dirty:                 0 kB\n": 0,
		"MemTotal:       24684720 kB\n": -1,
		"Dirty: a lot\n":                -1,
		"":                              -1,
	} {
		file := filepath.Join(t.TempDir(), "meminfo")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := dirtyBytes(file); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
	if _, ok := dirtyBytes(filepath.Join(t.TempDir(), "none")); ok {
		t.Error("a missing file was read")
	}
}

func TestAtLeast(t *testing.T) {
	for release, want := range map[string]bool{"5.8.0": true, "5.7.19-generic": false, "6.1.0-13-amd64": true, "4.19": false, "10.0": true, "5": false, "": false} {
		if got := atLeast(release, 5, 8); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

// Only file systems whose syncfs is known to be an fsync of everything are trusted with it.
func TestWholeSystem(t *testing.T) {
	dir := t.TempDir()
	if systems, ok := wholeSystem([]string{dir, dir, filepath.Join(dir, "none")}); ok && len(systems) != 1 {
		t.Errorf("one file system came as %q", systems)
	}
	if systems, ok := wholeSystem([]string{dir, "/proc"}); ok {
		t.Errorf("/proc is to be synced as a whole: %q", systems)
	}
}

func TestRenameCheckedNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := renameChecked(filepath.Join(dir, "a"), filepath.Join(dir, "b")); !os.IsExist(err) {
		t.Errorf("got %v", err)
	}
	if err := renameChecked(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "b")); string(data) != "b" || err != nil {
		t.Errorf("b is %q, %v", data, err)
	}
}
