// Package docs checks what the Markdown files of the repository say: commands, flags, configuration keys, conditions, files,
// links and make targets that they mention must exist.
package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/test/binary"
)

// page is one Markdown file, line by line.
type page struct {
	name  string
	lines []string
}

func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	err := filepath.WalkDir(binary.Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != binary.Root() && (strings.HasPrefix(name, ".") && name != ".ci" || name == "node_modules" || name == "mylake") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(binary.Root(), path)
		out = append(out, page{rel, strings.Split(string(text), "\n")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 3 {
		t.Fatalf("only %d Markdown files", len(out))
	}
	return out
}

// each calls fn for every match of a pattern in code: in back-quotes or in a fenced block.
func each(t *testing.T, pattern string, fn func(fail func(format string, args ...any), match []string)) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	inline := regexp.MustCompile("`[^`]+`")
	for _, p := range pages(t) {
		fenced := false
		for i, line := range p.lines {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				continue
			}
			spans := []string{line}
			if !fenced {
				spans = inline.FindAllString(line, -1)
			}
			for _, span := range spans {
				for _, m := range re.FindAllStringSubmatch(span, -1) {
					fn(func(format string, args ...any) {
						t.Errorf("%s:%d: "+format, append([]any{p.name, i + 1}, args...)...)
					}, m)
				}
			}
		}
	}
}

// help is what a command says of itself, by its name.
func help(t *testing.T) map[string]string {
	t.Helper()
	run := func(args ...string) string {
		out, err := exec.Command(binary.Path(t), append(args, "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("tarn %v --help: %v\n%s", args, err, out)
		}
		return string(out)
	}
	out := map[string]string{}
	top := run()
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) {2,}`).FindAllStringSubmatch(top, -1) {
		out[m[1]] = run(m[1])
	}
	if out["sql"] == "" || out["repair"] == "" {
		t.Fatalf("no commands found in:\n%s", top)
	}
	return out
}

func TestCommandsAndFlags(t *testing.T) {
	commands := help(t)
	all := "--help --version"
	for _, h := range commands {
		all += h
	}
	each(t, `(?:^|[\s`+"`"+`/|&(])tarn ([a-z][a-z-]*)([^;|>#&]*)`, func(fail func(string, ...any), m []string) {
		h, ok := commands[m[1]]
		if !ok {
			fail("there is no command tarn %s", m[1])
			return
		}
		for _, f := range flags(m[2]) {
			if !strings.Contains(h, f) {
				fail("tarn %s has no flag %s", m[1], f)
			}
		}
	})
	each(t, "^`(--[a-z][a-z-]*)", func(fail func(string, ...any), m []string) {
		if !strings.Contains(all, m[1]) {
			fail("no command has a flag %s", m[1])
		}
	})
}

func flags(s string) []string {
	return regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(s, -1)
}

func TestConfigurationKeys(t *testing.T) {
	properties := map[string]bool{} // of tables
	sources(t, func(text string) {
		for _, m := range regexp.MustCompile(`(?m)^\s*\w+Property\s*=\s*"(tarn\.[A-Za-z.]+)"`).FindAllStringSubmatch(text, -1) {
			properties[m[1]] = true
		}
	})
	if len(properties) < 3 {
		t.Errorf("only these table properties were found: %v", properties)
	}
	each(t, `\b((?:tarn|spark|hive)(?:\.[A-Za-z_][A-Za-z0-9_]*){2,})\b`, func(fail func(string, ...any), m []string) {
		if strings.HasPrefix(m[1], "spark.apache.") {
			return
		}
		if _, ok := conf.Find(m[1]); !ok && !properties[m[1]] {
			fail("there is no setting %s", m[1])
		}
	})
}

// TestConditions takes every word in capitals with an underscore for a condition, a reason of a repair or the class of a
// warning, but for the few that are something else.
func TestConditions(t *testing.T) {
	known := map[string]bool{
		"TARN_HOME": true, "TARN_BIN": true, "TARN_SHARED": true, "UPDATE_SCRIPTS": true, "TARN_CRASH_AT": true, "__HIVE_DEFAULT_PARTITION__": true,
		"_HIVE_DEFAULT_PARTITION__": true, "GET_JSON": true,
	}
	for _, c := range sqlerr.Conditions() {
		known[string(c)] = true
		// A class stands for its sub-classes.
		if class, _, ok := strings.Cut(string(c), "."); ok {
			known[class] = true
		}
	}
	for _, r := range []partition.Reason{
		partition.NotAPartition, partition.WrongColumn, partition.EmptyValue, partition.BadValue, partition.DuplicateValue, partition.TooDeep,
		partition.TooShallow, partition.LinkLoop, partition.BadName,
	} {
		known[string(r)] = true
	}
	sources(t, func(text string) {
		for _, m := range regexp.MustCompile(`(?:Warn\(|= )"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"`).FindAllStringSubmatch(text, -1) {
			known[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`Unsupported\("([A-Z_]+)"`).FindAllStringSubmatch(text, -1) {
			known["UNSUPPORTED_FEATURE."+m[1]] = true
		}
	})
	each(t, `\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:\.[A-Z][A-Z0-9_]*)?)\b`, func(fail func(string, ...any), m []string) {
		if !known[m[1]] {
			fail("there is no condition, reason or warning %s", m[1])
		}
	})
}

// sources calls fn with the text of every Go file that is no test.
func sources(t *testing.T, fn func(text string)) {
	t.Helper()
	for _, top := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(binary.Root(), top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			fn(string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// placeholder is a path of which the reader fills in a part: internal/NAME.
var placeholder = regexp.MustCompile(`/[A-Z]{2,}(/|$)`)

// TestPaths checks links between pages, and files of the repository that are mentioned.
func TestPaths(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	for _, p := range pages(t) {
		for i, line := range p.lines {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
					continue
				}
				if !exists(filepath.Join(binary.Root(), filepath.Dir(p.name), m[1])) {
					t.Errorf("%s:%d: the link leads to nothing: %s", p.name, i+1, m[1])
				}
			}
		}
	}
	each(t, `(?:^|[\s`+"`"+`(])((?:\./)?(?:internal|cmd|docs|test|testdata|bench|tools|\.ci)/[A-Za-z0-9_./-]*[A-Za-z0-9_/-])`, func(fail func(string, ...any), m []string) {
		if placeholder.MatchString(m[1]) {
			return
		}
		if !exists(filepath.Join(binary.Root(), m[1])) {
			fail("there is no file %s", m[1])
		}
	})
}

func TestMakeTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(binary.Root(), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(text), -1) {
		targets[m[1]] = true
	}
	each(t, `(?:^|[\s`+"`"+`])make ([a-z][a-z-]*)`, func(fail func(string, ...any), m []string) {
		if !targets[m[1]] {
			fail("there is no make target %s", m[1])
		}
	})
}
