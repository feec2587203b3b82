// Package lake makes the directories and files that black-box tests read: plain and gzipped text, Parquet from a
// description in JSON, links, and trees that go away again. It knows nothing of Tarn.
package lake

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Step does one change of files, written as the black-box cases write it: MKDIR p, RM p, RMDIR p, TOUCH p, WRITE p <<text,
// GZIP p <<text, PARQUET p <<{…}, SYMLINK p -> target. known is false for a text that is none of these.
func Step(step string) (known bool, err error) {
	verb, rest, _ := strings.Cut(step, " ")
	path, text, _ := strings.Cut(rest, " <<")
	path = strings.TrimSpace(path)
	switch verb {
	case "MKDIR":
		err = os.MkdirAll(path, 0o755)
	case "RM", "RMDIR":
		err = os.RemoveAll(path)
	case "TOUCH":
		err = Touch(path)
	case "WRITE":
		err = Write(path, text)
	case "GZIP":
		err = Gzip(path, text)
	case "PARQUET":
		if err = parent(path); err == nil {
			err = WriteParquet(path, text)
		}
	case "SYMLINK":
		link, target, _ := strings.Cut(rest, " -> ")
		err = Symlink(strings.TrimSpace(link), strings.TrimSpace(target))
	default:
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", step, err)
	}
	return true, nil
}

func parent(path string) error { return os.MkdirAll(filepath.Dir(path), 0o755) }

// Touch makes an empty file, and the directories above it, unless the file is there.
func Touch(path string) error {
	if err := parent(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// Write makes a file of exactly that text, and the directories above it.
func Write(path, text string) error {
	if err := parent(path); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// Gzip is Write, compressed.
func Gzip(path, text string) error {
	if err := parent(path); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := gzip.NewWriter(f)
	_, err = w.Write([]byte(text))
	return errors.Join(err, w.Close(), f.Close())
}

// Symlink makes path a link to target, which may be relative and need not exist.
func Symlink(path, target string) error {
	if err := parent(path); err != nil {
		return err
	}
	return os.Symlink(target, path)
}
