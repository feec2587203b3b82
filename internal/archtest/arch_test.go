// Package archtest holds the rules of the architecture as tests: which way imports point, which package may touch a
// heavy dependency, and that every package says what it owns.
package archtest

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tarnlake/tarn/"

// layers lists the packages from the bottom up. A package imports packages of rows below its own, and of its own row
// only those to its left. The longest prefix wins.
var layers = [][]string{
	{"internal/sqlerr", "internal/ident", "internal/types/pattern", "internal/types", "internal/vector", "internal/conf", "internal/sql/token", "internal/sql/ast", "internal/sql/parser", "internal/expr", "internal/partition"},
	{"internal/parallel", "internal/storage", "internal/catalog", "internal/format/delta", "internal/format", "internal/plan", "internal/engine"},
	{"internal/catalog/catalogtest", "internal/storage/storagetest", "internal/storage/faulty", "internal/liveness", "internal/catalog/sqlstore", "internal/catalog/memstore", "internal/storage/local", "internal/storage/mem", "internal/format/text", "internal/format/parquet", "internal/format/csv", "internal/format/json", "internal/engine/duckdb"},
	{"internal/delta", "internal/scan", "internal/repair", "internal/write", "internal/migrate", "internal/bind", "internal/session", "internal/exec"},
	{"internal/demo", "internal/cli"},
	{"cmd/tarn"},
}

// adapters never import one another; these pairs are the exceptions, each for a reason.
var adapterPairs = map[string]string{
	"internal/format/csv → internal/format/text":  "both text formats open, decompress and decode files alike",
	"internal/format/json → internal/format/text": "both text formats open, decompress and decode files alike",
}

// only says which packages may import a dependency that is kept behind one door.
var only = map[string][]string{
	"github.com/duckdb/":               {"internal/engine/duckdb"},
	"github.com/mattn/go-sqlite3":      {"internal/catalog/sqlstore"},
	"github.com/pressly/goose":         {"internal/catalog/sqlstore"},
	"github.com/parquet-go/parquet-go": {"internal/format/parquet", "internal/format/delta", "internal/demo"},
	"github.com/RoaringBitmap/roaring": {"internal/format/delta"},
	"github.com/reeflective/readline":  {"internal/cli"},
	"github.com/spf13/cobra":           {"internal/cli"},
	"golang.org/x/sys/unix":            {"internal/storage/local", "internal/liveness", "internal/cli"},
}

// testOnly packages are imported by tests and by one another.
var testOnly = []string{"internal/catalog/catalogtest", "internal/storage/storagetest", "internal/storage/faulty"}

// pure packages know no I/O, no clock and no third party.
var pure = []string{"internal/sqlerr", "internal/ident", "internal/types", "internal/vector", "internal/sql/", "internal/expr", "internal/partition", "internal/conf"}

var impure = []string{"context", "os", "net", "net/http", "database/sql", "io/fs", "path/filepath", "syscall"}

type pkg struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
}

func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,CgoFiles", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles)+len(p.CgoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) < 10 {
		t.Fatalf("found %d packages only", len(pkgs))
	}
	return pkgs
}

// place returns the row and column of a package.
func place(path string) (row, col int, ok bool) {
	best := -1
	for r, names := range layers {
		for c, n := range names {
			if (path == n || strings.HasPrefix(path, n+"/")) && len(n) > best {
				row, col, ok, best = r, c, true, len(n)
			}
		}
	}
	return row, col, ok
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(from, "test") || strings.HasPrefix(from, "bench") || from == "internal/archtest" {
			continue
		}
		r, c, ok := place(from)
		if !ok {
			t.Errorf("%s is in no layer: add it to layers, and say in its package comment why it exists", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			r2, c2, ok := place(to)
			switch {
			case !ok:
				t.Errorf("%s imports %s, which is in no layer", from, to)
			case r2 > r, r2 == r && c2 > c:
				t.Errorf("%s imports %s, which is above it", from, to)
			case r2 == 2 && r == 2 && c2 != c && adapterPairs[from+" → "+to] == "":
				t.Errorf("%s imports %s: adapters do not know one another", from, to)
			case r2 == 2 && r == 3:
				t.Errorf("%s imports %s: a use case sees ports, cmd/tarn hands it the adapter", from, to)
			}
		}
	}
}

func TestHeavyDependenciesHaveOneDoor(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(from, "test") || strings.HasPrefix(from, "bench") {
			continue
		}
		for _, imp := range p.Imports {
			for dep, doors := range only {
				if !strings.HasPrefix(imp, dep) {
					continue
				}
				allowed := false
				for _, d := range doors {
					allowed = allowed || from == d || strings.HasPrefix(from, d+"/")
				}
				if !allowed {
					t.Errorf("%s imports %s, which only %v may", from, imp, doors)
				}
			}
		}
	}
}

func TestTestPackagesStayOutOfTheProgram(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(from, "test") || strings.HasPrefix(from, "bench") || slices.Contains(testOnly, from) {
			continue
		}
		for _, imp := range p.Imports {
			if slices.Contains(testOnly, strings.TrimPrefix(imp, module)) {
				t.Errorf("%s imports %s, which is for tests", from, imp)
			}
		}
	}
}

func TestVocabularyIsPure(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		for _, name := range pure {
			if from != strings.TrimSuffix(name, "/") && !strings.HasPrefix(from, strings.TrimSuffix(name, "/")+"/") {
				continue
			}
			for _, imp := range p.Imports {
				for _, bad := range impure {
					if imp == bad {
						t.Errorf("%s imports %s: vocabulary is pure", from, imp)
					}
				}
				if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && !strings.HasPrefix(imp, module) {
					t.Errorf("%s imports %s: vocabulary knows the standard library only", from, imp)
				}
			}
		}
	}
}

func TestPackagesSayWhatTheyOwn(t *testing.T) {
	banned := map[string]bool{"util": true, "utils": true, "common": true, "helpers": true, "models": true, "manager": true, "service": true, "core": true, "pkg": true}
	for _, p := range list(t) {
		name := p.ImportPath[strings.LastIndexByte(p.ImportPath, '/')+1:]
		if banned[name] {
			t.Errorf("%s: the noun is missing", p.ImportPath)
		}
		comments := 0
		for _, f := range append(p.GoFiles, p.CgoFiles...) {
			file, err := parser.ParseFile(token.NewFileSet(), p.Dir+"/"+f, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if hasComment(file) {
				comments++
			}
		}
		if comments != 1 {
			t.Errorf("%s has %d package comments, want one that says what it owns and must not import", p.ImportPath, comments)
		}
	}
}

func hasComment(f *ast.File) bool { return f.Doc != nil && strings.TrimSpace(f.Doc.Text()) != "" }
