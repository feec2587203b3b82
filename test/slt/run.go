package slt

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tarnlake/tarn/test/binary"
	"github.com/tarnlake/tarn/test/lake"
	"github.com/tarnlake/tarn/test/roworder"
)

// Runner runs one statement of a session.
type Runner interface {
	SQL(text string) binary.Answer
}

// Env is where a file runs.
type Env struct {
	// Dir stands for {D}: an empty directory; paths of directives lie below it.
	Dir string
	// Open begins the session of a name; sessions share one catalog.
	Open func(name string) Runner
	// Rewrite takes the rows that come instead of comparing them.
	Rewrite bool

	sessions map[string]Runner
	current  Runner
	names    *strings.Replacer // {D} → the directory
	places   *strings.Replacer // and back
}

// Run runs a file. It returns one error a record that does not hold, and with Rewrite the file's new text.
func (e *Env) Run(f *File) (rewritten string, faults []error) {
	e.sessions = map[string]Runner{}
	e.session("main")
	warehouse, err := e.warehouse()
	if err != nil {
		return "", []error{err}
	}
	e.names = strings.NewReplacer("{D}", e.Dir, "{WH}", warehouse)
	e.places = strings.NewReplacer(warehouse, "{WH}", e.Dir, "{D}")
	fresh := map[*Record][]string{}
	for _, r := range f.Records {
		rows, err := e.record(r)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", r.Line, err))
			if !keepGoing(r) {
				break
			}
		}
		if rows != nil {
			fresh[r] = rows
		}
	}
	return f.Rewrite(fresh), faults
}

// keepGoing is false after a failure that makes what follows meaningless.
func keepGoing(r *Record) bool {
	return r.Verb == "query" || r.Verb == "statement" || r.listName() != ""
}

func (e *Env) session(name string) {
	s, ok := e.sessions[name]
	if !ok {
		s = e.Open(name)
		e.sessions[name] = s
	}
	e.current = s
}

// warehouse is the directory of the schema hive_metastore.default.
func (e *Env) warehouse() (string, error) {
	a := e.current.SQL("DESCRIBE SCHEMA hive_metastore.default")
	if a.Error != nil {
		return "", errors.New(a.Error.Message)
	}
	for _, row := range a.Rows {
		if row[0] == "Location" {
			return strings.TrimPrefix(fmt.Sprint(row[1]), "file:"), nil
		}
	}
	return "", errors.New("DESCRIBE SCHEMA has no row Location")
}

// NeedsUser reports whether a file makes something unreadable, which it is not to root: require user.
func (f *File) NeedsUser() bool {
	for _, r := range f.Records {
		if r.Verb == "require" && r.Args == "user" {
			return true
		}
	}
	return false
}

func (e *Env) path(p string) string {
	p = e.names.Replace(p)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// record runs one directive. The rows are what a query gave, when they are to replace those of the file.
func (e *Env) record(r *Record) ([]string, error) {
	args := strings.Fields(r.Args)
	need := func(n int) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %d arguments", r.Verb, n)
		}
		return nil
	}
	switch r.Verb {
	case "statement":
		return nil, e.statement(r, args)
	case "query":
		return e.query(r, args)
	case "tree":
		lines, err := tree(e.path(r.Args))
		if err != nil {
			return nil, err
		}
		return e.compare(r, lines)
	case "file":
		lines, err := content(e.path(r.Args))
		if err != nil {
			return nil, err
		}
		return e.compare(r, lines)
	case "session":
		e.session(r.Args)
		return nil, nil
	case "require":
		return nil, nil // see Requires
	case "write":
		return nil, lake.Write(e.path(r.Args), e.names.Replace(r.Text))
	case "gzip":
		return nil, lake.Gzip(e.path(r.Args), e.names.Replace(r.Text))
	case "parquet":
		name, spec, _ := strings.Cut(r.Args, " {")
		p := e.path(name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return nil, err
		}
		return nil, lake.WriteParquet(p, "{"+spec)
	case "mkdir":
		return nil, os.MkdirAll(e.path(r.Args), 0o755)
	case "touch":
		return nil, lake.Touch(e.path(r.Args))
	case "rm":
		return nil, os.RemoveAll(e.path(r.Args))
	case "exists", "absent":
		_, err := os.Lstat(e.path(r.Args))
		if exists := err == nil; exists != (r.Verb == "exists") {
			return nil, fmt.Errorf("%s %s does not hold", r.Verb, r.Args)
		}
		return nil, nil
	}
	if err := need(2); err != nil {
		return nil, err
	}
	switch r.Verb {
	case "mv":
		return nil, os.Rename(e.path(args[0]), e.path(args[1]))
	case "symlink":
		return nil, lake.Symlink(e.path(args[0]), e.names.Replace(args[1]))
	case "chmod":
		mode, err := strconv.ParseUint(args[0], 8, 12)
		if err != nil {
			return nil, err
		}
		return nil, os.Chmod(e.path(args[1]), os.FileMode(mode))
	}
	return nil, fmt.Errorf("unknown directive %s", r.Verb)
}

func (e *Env) statement(r *Record, args []string) error {
	a := e.current.SQL(e.names.Replace(r.SQL))
	switch {
	case len(args) == 1 && args[0] == "ok":
		if a.Error != nil {
			return failed(r, a)
		}
		return e.heads(r, a)
	case len(args) >= 1 && args[0] == "error":
		return e.failure(r, args[1:], a)
	}
	return fmt.Errorf("expected statement ok or statement error [CONDITION [SQLSTATE]]")
}

func failed(r *Record, a binary.Answer) error {
	return fmt.Errorf("%s\n\tfailed: [%s] %s SQLSTATE: %s", r.SQL, a.Error.Class, a.Error.Message, a.Error.SQLState)
}

// failure judges an error that is wanted. The death of the process, and internal errors, never are.
func (e *Env) failure(r *Record, want []string, a binary.Answer) error {
	switch {
	case a.Error == nil:
		return fmt.Errorf("%s\n\tdid not fail; rows: %v", r.SQL, a.Rows)
	case a.Error.Class == "ENGINE_DIED" || a.Error.Class == "NOT_JSON" || a.Error.Class == "INTERNAL_ERROR":
		return failed(r, a)
	case len(want) > 0 && a.Error.Class != want[0]:
		return fmt.Errorf("%s\n\twanted %s, got [%s] %s", r.SQL, want[0], a.Error.Class, a.Error.Message)
	case len(want) > 1 && a.Error.SQLState != want[1]:
		return fmt.Errorf("%s\n\twanted SQLSTATE %s, got %s", r.SQL, want[1], a.Error.SQLState)
	}
	return e.heads(r, a)
}

// heads judges warnings, the error's text and its position. The classes of warnings are compared as a whole, so that a
// statement that warns without need fails too.
func (e *Env) heads(r *Record, a binary.Answer) error {
	var want, got []string
	for _, w := range a.Warnings {
		got = append(got, w.Class)
	}
	for _, h := range r.Heads {
		word, rest, _ := strings.Cut(h, " ")
		switch word {
		case "warning":
			class, pattern, _ := strings.Cut(rest, " ")
			want = append(want, class)
			if pattern != "" && !e.warned(class, pattern, a) {
				return fmt.Errorf("%s\n\tno warning %s is like /%s/: %+v", r.SQL, class, pattern, a.Warnings)
			}
		case "like":
			if a.Error == nil || !like(e.names.Replace(rest), a.Error.Message) {
				return fmt.Errorf("%s\n\tthe message is not like /%s/: %+v", r.SQL, rest, a.Error)
			}
		case "at":
			got := "nowhere"
			if a.Error != nil && a.Error.Position != nil {
				got = fmt.Sprintf("%d:%d", a.Error.Position.Line, a.Error.Position.Column)
			}
			if got != rest {
				return fmt.Errorf("%s\n\tthe error should point to %s, not %s: %+v", r.SQL, rest, got, a.Error)
			}
		}
	}
	sort.Strings(want)
	sort.Strings(got)
	if a.Error == nil && !slices.Equal(want, got) {
		return fmt.Errorf("%s\n\twanted warnings %v, got %+v", r.SQL, want, a.Warnings)
	}
	return nil
}

func (e *Env) warned(class, pattern string, a binary.Answer) bool {
	for _, w := range a.Warnings {
		if w.Class == class && like(e.names.Replace(pattern), w.Message) {
			return true
		}
	}
	return false
}

func like(pattern, s string) bool {
	re, err := regexp.Compile("(?s)" + pattern)
	return err == nil && re.MatchString(s)
}

// letters are the kinds of columns, by the first word of their type.
var letters = map[string]string{
	"string": "T", "char": "T", "varchar": "T",
	"tinyint": "I", "smallint": "I", "int": "I", "bigint": "I", "decimal": "N", "float": "R", "double": "R", "boolean": "B",
	"date": "D", "timestamp": "S", "timestamp_ntz": "S", "binary": "X", "array": "A", "map": "M", "struct": "O", "void": "V",
}

func kinds(a binary.Answer) string {
	var b strings.Builder
	for _, c := range a.Columns {
		word, _, _ := strings.Cut(strings.ToLower(c.Type), "(")
		word, _, _ = strings.Cut(word, "<")
		if l, ok := letters[word]; ok {
			b.WriteString(l)
		} else {
			b.WriteString("?")
		}
	}
	return b.String()
}

func (e *Env) query(r *Record, args []string) ([]string, error) {
	sorted, names := false, false
	if len(args) == 0 {
		return nil, errors.New("expected query TYPES [rowsort] [colnames]")
	}
	for _, w := range args[1:] {
		switch w {
		case "rowsort":
			sorted = true
		case "colnames":
			names = true
		default:
			return nil, fmt.Errorf("unknown word %q", w)
		}
	}
	a := e.current.SQL(e.names.Replace(r.SQL))
	if a.Error != nil {
		return nil, failed(r, a)
	}
	if err := e.heads(r, a); err != nil {
		return nil, err
	}
	if k := kinds(a); k != args[0] && !e.Rewrite {
		return nil, fmt.Errorf("%s\n\twanted columns of types %s, got %s: %+v", r.SQL, args[0], k, a.Columns)
	}
	got := make([][]string, 0, len(a.Rows))
	for _, row := range a.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = e.places.Replace(cell(v))
		}
		got = append(got, cells)
	}
	lines := join(got)
	if sorted {
		sort.Strings(lines)
	} else if roworder.Free(r.SQL) {
		// The file has one order of many: the rows are put into it as far as they are the same.
		want := r.Rows
		if names && len(want) > 0 {
			want = want[1:]
		}
		lines = inOrderOf(want, lines)
	}
	if names {
		var head []string
		for _, c := range a.Columns {
			head = append(head, c.Name)
		}
		lines = append([]string{strings.Join(head, " | ")}, lines...)
	}
	return e.compare(r, lines)
}

// compare judges the lines that came, or returns them when they are to replace those of the file.
func (e *Env) compare(r *Record, lines []string) ([]string, error) {
	want := r.Rows
	if same(want, lines) {
		return nil, nil
	}
	if e.Rewrite {
		for i := range lines {
			if i < len(want) && sameLine(want[i], lines[i]) {
				lines[i] = want[i] // with its patterns
			}
		}
		return lines, nil
	}
	return nil, fmt.Errorf("%s\n\twanted\n\t\t%s\n\tgot\n\t\t%s", r.SQL+r.listName(), strings.Join(want, "\n\t\t"), strings.Join(lines, "\n\t\t"))
}

func (r *Record) listName() string {
	if r.Verb != "tree" && r.Verb != "file" {
		return ""
	}
	return r.Verb + " " + r.Args
}

// content is what the one file of a pattern holds, line by line; a file whose name ends in .gz or .zst is decompressed.
func content(pattern string) ([]string, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("%d files are called %s", len(names), pattern)
	}
	f, err := os.Open(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	switch filepath.Ext(names[0]) {
	case ".gz":
		in, err = gzip.NewReader(f)
	case ".zst":
		in, err = zstd.NewReader(f)
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(in)
	if err != nil || len(text) == 0 {
		return []string{}, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// transaction is what the names of files and directories carry of the write that made them.
var transaction = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)

// tree lists the files below a directory, one a line and in byte order, and the directories that hold nothing, with a slash
// at their end. Transactions are called <1>, <2>, … in the order in which they began. A directory that does not exist has no
// lines.
func tree(root string) ([]string, error) {
	lines := []string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			inside, err := os.ReadDir(path)
			if err != nil || len(inside) > 0 {
				return err
			}
			if name == "." {
				return nil
			}
			name += "/"
		}
		lines = append(lines, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var txns []string
	for _, l := range lines {
		txns = append(txns, transaction.FindAllString(l, -1)...)
	}
	sort.Strings(txns) // their names begin with the time
	txns = slices.Compact(txns)
	for i, l := range lines {
		lines[i] = transaction.ReplaceAllStringFunc(l, func(id string) string {
			return fmt.Sprintf("<%d>", slices.Index(txns, id)+1)
		})
	}
	sort.Strings(lines)
	return lines, nil
}

func join(rows [][]string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.Join(r, " | ")
	}
	return out
}

// cell is a value as the files write it.
func cell(v any) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case string:
		if x == "" {
			return "''"
		}
		return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(x)
	case bool:
		return strconv.FormatBool(x)
	case json.Number:
		return x.String()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// same compares lines; <any> and <re:…> in a wanted cell match what they say.
func same(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !sameLine(want[i], got[i]) {
			return false
		}
	}
	return true
}

// inOrderOf puts lines, which may come in any order, into that of the lines wanted; what none of them is like stays behind.
func inOrderOf(want, lines []string) []string {
	rest := slices.Clone(lines)
	out := make([]string, 0, len(lines))
	for _, w := range want {
		if i := slices.IndexFunc(rest, func(l string) bool { return sameLine(w, l) }); i >= 0 {
			out = append(out, rest[i])
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return append(out, rest...)
}

func sameLine(want, got string) bool {
	if want == got {
		return true
	}
	a, b := strings.Split(want, " | "), strings.Split(got, " | ")
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if re, ok := strings.CutPrefix(a[k], "<re:"); ok {
			if !like("^(?:"+strings.TrimSuffix(re, ">")+")$", b[k]) {
				return false
			}
		} else if a[k] != "<any>" && a[k] != b[k] {
			return false
		}
	}
	return true
}
