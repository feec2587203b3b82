package duckdb

import (
	"os"
	"path/filepath"
	"testing"
)

// What a killed process left is removed by the next one; what a living one uses stays, and so does what is not ours.
func TestSweepOfTemporaryDirectories(t *testing.T) {
	base := t.TempDir()
	living, err := newTempDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer living.remove()
	killed, err := newTempDir(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed.path, "spill"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	killed.lock.Close() // as the end of a process does
	foreign := filepath.Join(base, tempPrefix+"foreign")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(foreign, lockName)); err != nil {
		t.Fatal(err)
	}
	next, err := newTempDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer next.remove()
	for path, want := range map[string]bool{living.path: true, killed.path: false, foreign: true, next.path: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: exists is %t, want %t", filepath.Base(path), err == nil, want)
		}
	}
}
