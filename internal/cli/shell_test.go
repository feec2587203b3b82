package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The history of a new home has to last: the library makes no file by itself.
func TestHistoryLasts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	first, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write("SELECT 1;"); err != nil {
		t.Fatal(err)
	}
	second, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := second.GetLine(0); err != nil || line != "SELECT 1;" {
		t.Errorf("got %q, %v", line, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestKeywordsAreCompleted(t *testing.T) {
	for before, want := range map[string][]string{
		"":                         nil,
		"SEL":                      {"SELECT"},
		"show tab":                 {"tables"},
		"SHOW ":                    {"CREATE TABLE", "DRIFT", "PARTITIONS", "SCHEMAS", "TABLES"},
		"MSCK REPAIR TABLE t SY":   {"SYNC PARTITIONS"},
		"SELECT * FROM t ORDER B":  {"BY"},
		"CREATE OR REPLACE TABLE ": nil,
		"SELECT é":                 nil,
	} {
		got := keywords(before, strings.LastIndexAny(before, " \t\n(,")+1)
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%q: %s", before, diff)
		}
	}
}
