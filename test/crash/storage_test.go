package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/parquet-go/parquet-go"
)

// What follows reads storage without Tarn: directories by the names that the values give, files by parquet-go or as text.

// file is a file as it lies on storage; two that are equal are the same bytes in the same inode.
type file struct {
	size, mtime int64
	inode       uint64
	sum         [sha256.Size]byte
}

// tree is everything below a directory: files by their path below it, and directories.
type tree struct {
	files map[string]file
	dirs  []string
}

func readTree(root string) (tree, error) {
	t := tree{files: map[string]file{}}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			t.dirs = append(t.dirs, rel)
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("%s: no inode", path)
		}
		t.files[rel] = file{info.Size(), info.ModTime().UnixNano(), st.Ino, sha256.Sum256(data)}
		return nil
	})
	return t, err
}

// hidden reports whether a reader of directories passes a path by: a name in it begins with _ or a dot.
func hidden(rel string) bool {
	for name := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") && name != "." {
			return true
		}
	}
	return false
}

var (
	specIn = regexp.MustCompile(`(?:^|/)(d=[^/]+/p=[^/]+)(?:/|$)`)
	txnIn  = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)
)

// specOf is the partition spec in a path, "" for none.
func specOf(rel string) string {
	if m := specIn.FindStringSubmatch(rel); m != nil {
		return m[1]
	}
	return ""
}

// isData reports whether a file below a table's root holds rows.
func isData(rel string) bool { return filepath.Base(rel) != "_SUCCESS" }

// rowsIn reads the rows of some files below a root by partition.
func rowsIn(t *table, root string, rels []string) (state, error) {
	out := state{}
	for _, rel := range rels {
		spec := specOf(rel)
		if (spec != "") != t.partitioned {
			return nil, fmt.Errorf("the file %s lies where no partition can be", filepath.Join(root, rel))
		}
		rows, err := readRows(filepath.Join(root, rel), t.format)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(root, rel), err)
		}
		for _, r := range rows {
			if of := strings.Split(r, "/"); t.partitioned && spec != fmt.Sprintf("d=%s/p=%s", of[1], of[2]) {
				return nil, fmt.Errorf("%s: the row %s belongs to another partition", filepath.Join(root, rel), r)
			}
		}
		out[spec] = append(out[spec], rows...)
	}
	return out, nil
}

// readRows reads the column v of one file of the workload.
func readRows(path, format string) ([]string, error) {
	rows, err := readColumn(path, format)
	for _, r := range rows {
		if strings.Count(r, "/") != 3 {
			return nil, fmt.Errorf("%q is no row of this workload", r)
		}
	}
	return rows, err
}

// readColumn reads the column v of one file.
func readColumn(path, format string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if format == "parquet" {
		return readParquet(data)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if format == "json" {
			var row struct{ V string }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				return nil, err
			}
			line = row.V
		}
		out = append(out, line)
	}
	return out, nil
}

func readParquet(data []byte) ([]string, error) {
	type row struct {
		V *string `parquet:"v,optional"`
	}
	r := parquet.NewGenericReader[row](bytes.NewReader(data))
	defer r.Close()
	var out []string
	buf := make([]row, 256)
	for {
		n, err := r.Read(buf)
		for _, x := range buf[:n] {
			if x.V == nil {
				return nil, errors.New("a row is NULL")
			}
			out = append(out, *x.V)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// visible is what a reader of directories sees: the data files that are not hidden.
func (tr tree) visible() []string {
	var out []string
	for _, rel := range slices.Sorted(maps.Keys(tr.files)) {
		if !hidden(rel) && isData(rel) {
			out = append(out, rel)
		}
	}
	return out
}

// all is every data file, wherever it lies.
func (tr tree) all() []string {
	var out []string
	for _, rel := range slices.Sorted(maps.Keys(tr.files)) {
		if isData(rel) {
			out = append(out, rel)
		}
	}
	return out
}

// empty are the directories that hold nothing.
func (tr tree) empty() []string {
	var out []string
	for _, d := range tr.dirs {
		holds := slices.ContainsFunc(tr.dirs, func(o string) bool { return strings.HasPrefix(o, d+"/") })
		for rel := range tr.files {
			holds = holds || strings.HasPrefix(rel, d+"/") || d == "."
		}
		if !holds {
			out = append(out, d)
		}
	}
	return out
}
