// Package slt reads and runs the SQL tests of testdata/slt: statements with the answer that each must give, and the
// files that they run over. testdata/slt/README.md has the grammar.
//
// It must not import anything of Tarn's: what runs a statement is handed in as a Runner.
package slt

import (
	"errors"
	"fmt"
	"strings"
)

// Record is one directive of a file with what belongs to it.
type Record struct {
	// Line is where it begins, from 1.
	Line int
	// Verb and Args are its first line: "query", ["IT", "rowsort"].
	Verb string
	Args string
	// Heads are the lines between the first one and the SQL: "warning CLASS", "like REGEX", "at LINE:COLUMN".
	Heads []string
	// SQL is the statement, Rows the lines after ----.
	SQL  string
	Rows []string
	// Text is the body of write and gzip.
	Text string
	// first and last bound the lines of the answer in the file (0-based, last excluded), for rewriting.
	first, last int
}

// File is a parsed file.
type File struct {
	Records []*Record
	lines   []string
}

// verbs says what follows the first line of a directive.
var verbs = map[string]string{
	"statement": "sql", "query": "rows", "tree": "list", "file": "list",
	"write": "text", "gzip": "text",
	"parquet": "", "mkdir": "", "touch": "", "rm": "", "mv": "", "chmod": "", "symlink": "", "exists": "", "absent": "", "session": "", "require": "",
}

// Parse reads a file. Records are separated by empty lines; lines that begin with # are comments.
func Parse(text string) (*File, error) {
	f := &File{lines: strings.Split(text, "\n")}
	if n := len(f.lines); f.lines[n-1] == "" {
		f.lines = f.lines[:n-1]
	}
	for i := 0; i < len(f.lines); {
		line := f.lines[i]
		if line == "" || strings.HasPrefix(line, "#") {
			i++
			continue
		}
		r := &Record{Line: i + 1}
		r.Verb, r.Args, _ = strings.Cut(line, " ")
		kind, ok := verbs[r.Verb]
		if !ok {
			return nil, fmt.Errorf("line %d: unknown directive %q", i+1, r.Verb)
		}
		var err error
		switch kind {
		case "":
			i++
		case "text":
			i, err = f.body(r, i)
		default:
			i, err = f.statement(r, i, kind)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.Line, err)
		}
		f.Records = append(f.Records, r)
	}
	return f, nil
}

// body reads the lines of a here-document: write PATH <<WORD … WORD. The last newline is not part of the text when the word
// is preceded by a minus: <<-WORD.
func (f *File) body(r *Record, i int) (int, error) {
	path, word, ok := strings.Cut(r.Args, " <<")
	if !ok {
		return i, errors.New("expected PATH <<WORD")
	}
	bare := strings.HasPrefix(word, "-")
	word = strings.TrimPrefix(word, "-")
	r.Args = strings.TrimSpace(path)
	for k := i + 1; k < len(f.lines); k++ {
		if f.lines[k] == word {
			r.Text = strings.Join(f.lines[i+1:k], "\n")
			if !bare && k > i+1 {
				r.Text += "\n"
			}
			return k + 1, nil
		}
	}
	return i, fmt.Errorf("no line %q ends the text", word)
}

// statement reads heads, SQL and, for a query, the rows after ----, up to an empty line. A list has rows only.
func (f *File) statement(r *Record, i int, kind string) (int, error) {
	rows := kind != "sql"
	k := i + 1
	for ; k < len(f.lines) && isHead(f.lines[k]); k++ {
		r.Heads = append(r.Heads, f.lines[k])
	}
	from := k
	for k < len(f.lines) && f.lines[k] != "" && f.lines[k] != "----" {
		k++
	}
	if r.SQL = strings.Join(f.lines[from:k], "\n"); (r.SQL == "") != (kind == "list") {
		return i, errors.New("no SQL, or SQL where none belongs")
	}
	r.first, r.last = k, k
	if k < len(f.lines) && f.lines[k] == "----" {
		if !rows {
			return i, errors.New("a statement has no rows: use query")
		}
		k++
		r.first = k
		for k < len(f.lines) && f.lines[k] != "" {
			k++
		}
		r.Rows = f.lines[r.first:k]
		r.last = k
	} else if rows {
		return i, errors.New("a query and a tree need ---- before their rows")
	}
	return k, nil
}

func isHead(line string) bool {
	for _, h := range []string{"warning ", "like ", "at "} {
		if strings.HasPrefix(line, h) {
			return true
		}
	}
	return false
}

// Rewrite is the text of the file with the rows of some records replaced.
func (f *File) Rewrite(rows map[*Record][]string) string {
	var out []string
	at := 0
	for _, r := range f.Records {
		fresh, ok := rows[r]
		if !ok {
			continue
		}
		out = append(append(out, f.lines[at:r.first]...), fresh...)
		at = r.last
	}
	return strings.Join(append(out, f.lines[at:]...), "\n") + "\n"
}
