package randomsql_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/randomsql"
	"github.com/tarnlake/tarn/test/slt"
)

var (
	count   = flag.Int("random.n", 600, "statements of each kind")
	seed    = flag.Uint64("random.seed", 1, "the first seed")
	forTime = flag.Duration("random.time", 0, "goes on with the next seeds for so long")
)

// foreign are words of the engine below, which no error may have.
var foreign = regexp.MustCompile(`(?i)\b(Binder|Catalog|Parser|Conversion|Out of Range|Invalid Input|Not implemented|Constraint|Invalid Type|Mismatch Type|Executor|Serialization) Error\b|` +
	`\bLINE \d+:|Candidate (functions|macros)|Candidates:|No function matches|explicit type casts|duckdb|` +
	`\b(read_parquet|list_transform|list_filter|list_concat|struct_pack|struct_extract|array_extract|list_value|strptime|strftime|regexp_matches|make_timestamptz|epoch_us|error|HUGEINT|UHUGEINT|UBIGINT|UINTEGER|TIMESTAMP WITH TIME ZONE|TIMESTAMP_S)\b *\(`)

// queries are the statements that may run with anything in them: they only read.
var queries = regexp.MustCompile(`(?is)^\s*(SELECT|WITH|VALUES|FROM|EXPLAIN|TABLE|\()`)

// heavy are calls whose argument is a number of rows or characters.
var heavy = regexp.MustCompile("(?i)\\b(range|sequence|repeat|space|[lr]pad|array_repeat)\\b|CROSS|`(csv|json|text|parquet)`|\\d{7}|INSERT|OVERWRITE|DIRECTORY")

type failing struct {
	t      *testing.T
	seen   map[string]bool
	asked  int
	errors map[string]int
}

// ask runs one statement on a shell and judges the answer; it reports whether the shell lives.
func (f *failing) ask(s *binary.Shell, seed uint64, sql string) bool {
	f.asked++
	a := s.SQL(sql)
	if a.Error == nil {
		return true
	}
	f.errors[a.Error.Class]++
	bad := ""
	switch {
	case a.Error.Class == "ENGINE_DIED":
		bad = "no answer"
	case a.Error.Class == "INTERNAL_ERROR" || a.Error.SQLState == "XX000":
		bad = a.Error.Message
	case a.Error.Class == "" || a.Error.SQLState == "":
		bad = "an error without a name or state"
	case foreign.MatchString(a.Error.Message):
		bad = "words of the engine: " + a.Error.Message
	case a.Error.Position != nil && (a.Error.Position.Offset < 0 || a.Error.Position.Offset > len(sql)):
		bad = "a place outside the text"
	}
	shape := regexp.MustCompile(`[0-9]+|'[^']*'`).ReplaceAllString(bad, "#")
	if a.Error.Class == "INTERNAL_ERROR" {
		shape = fmt.Sprint(bad, f.errors[a.Error.Class]/5) // all have one text: the first of each five
	}
	if bad != "" && !f.seen[shape] {
		f.seen[shape] = true
		f.t.Errorf("seed %d: %s\n    %s: %s", seed, sql, a.Error.Class, bad)
	}
	return a.Error.Class != "ENGINE_DIED"
}

// shell is a process with the tables of generated statements.
func shell(t *testing.T) *binary.Shell {
	dir := t.TempDir()
	s := binary.StartIn(t, dir, filepath.Join(dir, "home"), "--memory", "1GB")
	prepare(t, s, randomsql.Setup)
	return s
}

// prepare asks statements that must succeed.
func prepare(t *testing.T, s *binary.Shell, statements []string) {
	for _, sql := range statements {
		if a := s.SQL(sql); a.Error != nil {
			t.Fatalf("%s: %s: %s", sql, a.Error.Class, a.Error.Message)
		}
	}
}

// TestStatements asks statements of the grammar and mutants of the statements in the test files.
func TestStatements(t *testing.T) {
	s := shell(t)
	corpus, functions := corpus(t), functions(t, s)
	corpus = append(corpus, examples(t, s, functions)...)
	f := &failing{t: t, seen: map[string]bool{}, errors: map[string]int{}}
	end := time.Now().Add(*forTime)
	for n := *seed; n == *seed || time.Now().Before(end); n++ {
		g := randomsql.New(n, functions, corpus)
		session := g.Session()
		prepare(t, s, session)
		for range *count {
			statements := []string{g.Statement()}
			if m := g.Mutant(corpus); queries.MatchString(m) && randomsql.Whole(m) && !(heavy.MatchString(m) && strings.Contains(m, "1000")) {
				statements = append(statements, m)
			}
			for _, sql := range statements {
				if !f.ask(s, n, sql) {
					s = shell(t)
					prepare(t, s, session)
				}
			}
		}
	}
	total := 0
	for class, n := range f.errors {
		total += n
		t.Logf("%6d %s", n, class)
	}
	t.Logf("%d statements, %d of them errors", f.asked, total)
	if f.asked < *count {
		t.Errorf("only %d statements were asked", f.asked)
	}
}

// functions are the names that SHOW FUNCTIONS tells.
func functions(t *testing.T, s *binary.Shell) []string {
	a := s.SQL("SHOW FUNCTIONS")
	if a.Error != nil {
		t.Fatal(a.Error.Message)
	}
	var out []string
	word := regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	for _, row := range a.Rows {
		if name, ok := row[0].(string); ok && word.MatchString(name) && !heavy.MatchString(name) && name != "java_method" && name != "reflect" {
			out = append(out, name)
		}
	}
	if len(out) < 100 {
		t.Fatalf("only %d functions", len(out))
	}
	return out
}

// examples are the calls that DESCRIBE FUNCTION EXTENDED shows: there is one of each function.
func examples(t *testing.T, s *binary.Shell, functions []string) []string {
	var out []string
	call := regexp.MustCompile(`(?m)^\s*> (SELECT .*);$`)
	for _, f := range functions {
		for _, row := range s.SQL("DESCRIBE FUNCTION EXTENDED " + f).Rows {
			for _, m := range call.FindAllStringSubmatch(fmt.Sprint(row...), -1) {
				out = append(out, m[1])
			}
		}
	}
	if len(out) < len(functions)/2 {
		t.Fatalf("only %d examples for %d functions", len(out), len(functions))
	}
	return out
}

// corpus are the queries of testdata/slt and of the golden expressions.
func corpus(t *testing.T) []string {
	var out []string
	root := filepath.Join(binary.Root(), "testdata", "slt")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".slt") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := slt.Parse(string(text))
		if err != nil {
			return err
		}
		for _, r := range f.Records {
			if queries.MatchString(r.SQL) && len(r.SQL) < 2000 {
				out = append(out, r.SQL)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(binary.Root(), "test", "golden", "expressions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct{ SQL string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c.SQL)
	}
	out = slices.DeleteFunc(out, heavy.MatchString)
	if len(out) < 1000 {
		t.Fatalf("only %d statements in the corpus", len(out))
	}
	return out
}
