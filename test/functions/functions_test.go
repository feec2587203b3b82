// Package functions runs the cases of testdata/functions: one expression each, over literals and over columns.
package functions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/roworder"
)

// testCase is one line of a file.
type testCase struct {
	line       int
	mark, expr string
	want       []string
}

// TestFunctions runs every case through one process per file.
func TestFunctions(t *testing.T) {
	binary.Path(t)
	files, err := filepath.Glob(filepath.Join(binary.Root(), "testdata", "functions", "*.tsv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tsv"), func(t *testing.T) {
			t.Parallel()
			cases := parse(t, file)
			dir := t.TempDir()
			p := binary.StartIn(t, dir, filepath.Join(dir, "home"))
			p.SQL("SET spark.sql.session.timeZone=UTC")
			for _, c := range cases {
				for _, text := range c.statements(t) {
					want := strings.Join(c.want, "\t")
					if got := answer(text, p.SQL(text)); got != want && (!setOrder.MatchString(text) || elements(got) != elements(want)) {
						t.Errorf("line %d: %s\n  gives %s\n  not   %s", c.line, text, got, want)
					}
				}
			}
		})
	}
}

func parse(t *testing.T, file string) []testCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []testCase
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) < 3 || len(parts) > 4 || !strings.Contains("*1.", parts[0]) {
			t.Fatalf("%s, line %d: not a case: %s", file, i+1, line)
		}
		out = append(out, testCase{i + 1, parts[0], parts[1], parts[2:]})
	}
	return out
}

// statements are the expression as it stands and, as the mark says, over columns.
func (c testCase) statements(t *testing.T) []string {
	out := []string{"SELECT " + c.expr}
	if c.mark == "." {
		return out
	}
	name, rest, ok := strings.Cut(c.expr, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		t.Fatalf("line %d: %s is not a call", c.line, c.expr)
	}
	args := split(strings.TrimSuffix(rest, ")"))
	var values, columns []string
	for i, a := range args {
		if isLiteral(a) && (c.mark == "*" || i == 0) {
			values = append(values, a)
			columns = append(columns, fmt.Sprintf("c%d", len(values)))
			args[i] = columns[len(columns)-1]
		}
	}
	if len(values) == 0 {
		t.Fatalf("line %d: %s has no literal to make a column of", c.line, c.expr)
	}
	return append(out, fmt.Sprintf("SELECT %s(%s) FROM VALUES (%s) AS t(%s)", name, strings.Join(args, ", "), strings.Join(values, ", "), strings.Join(columns, ", ")))
}

// split divides arguments at the commas outside quotes and brackets.
func split(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '"':
			for i++; i < len(s) && s[i] != c; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

var literal = regexp.MustCompile(`(?s)^(NULL|null|true|false|-?[\d.]+[A-Za-z]*|[A-Za-z_]*\s*'([^'\\]|\\.)*'|(array|map|struct|named_struct|cast|CAST)\(.*\)|INTERVAL '.*' [A-Z ]+)$`)

func isLiteral(s string) bool { return literal.MatchString(s) }

// setOrder finds the aggregate whose array has no order that anyone promises.
var setOrder = regexp.MustCompile(`(?i)\bcollect_set\(`)

// elements writes an answer that is one array with its elements sorted by their JSON.
func elements(answer string) string {
	kind, text, ok := strings.Cut(answer, "\t")
	var list []json.RawMessage
	if !ok || json.Unmarshal([]byte(text), &list) != nil {
		return answer
	}
	slices.SortFunc(list, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	return fmt.Sprintf("%s\t%s", kind, list)
}

// answer writes what came in the form of the files: the rows of one column, those that come in no order of their own sorted
// by their JSON.
func answer(query string, a binary.Answer) string {
	if a.Error != nil {
		return "!" + a.Error.Class
	}
	var cells []string
	for _, r := range a.Rows {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r[0]); err != nil {
			return err.Error()
		}
		cells = append(cells, strings.TrimSpace(b.String()))
	}
	if roworder.Free(query) {
		sort.Strings(cells)
	}
	text := strings.Join(cells, ",")
	if len(cells) != 1 {
		text = "[" + text + "]"
	}
	return a.Columns[0].Type + "\t" + text
}
