package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// links give files whose names DuckDB would expand as patterns another name: a symbolic link in a private directory.
// A nil links has none.
type links struct {
	dir     string
	targets map[string]string // link → file
}

// isPattern reports whether DuckDB would take a path for a pattern.
func isPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// isText reports whether DuckDB takes a path as a text: it has no text that is not UTF-8, and ends one at a zero byte
// when it opens a file.
func isText(path string) bool { return utf8.ValidString(path) && strings.IndexByte(path, 0) < 0 }

// add makes a link to path, which is absolute, below base.
func (l *links) add(base, path string) (string, error) {
	if l.dir == "" {
		dir, err := os.MkdirTemp(base, "links-")
		if err != nil {
			return "", sqlerr.EngineStart(err)
		}
		l.dir, l.targets = dir, map[string]string{}
	}
	name := filepath.Join(l.dir, fmt.Sprintf("%d.parquet", len(l.targets)))
	if err := os.Symlink(path, name); err != nil {
		return "", sqlerr.EngineStart(err)
	}
	l.targets[name] = path
	return name, nil
}

// target is the file behind the link that text names, or "".
func (l *links) target(text string) string {
	if l == nil || l.dir == "" || !strings.Contains(text, l.dir) {
		return ""
	}
	for name, path := range l.targets {
		if strings.Contains(text, name) {
			return path
		}
	}
	return ""
}

func (l *links) remove() {
	if l != nil && l.dir != "" {
		_ = os.RemoveAll(l.dir)
	}
}
