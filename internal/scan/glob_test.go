package scan_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

func TestGlob(t *testing.T) {
	l := onDisk(t, "a=1/f.json", "a=2/f.json", "a=2/g.csv", "b/f.json", "_x/f.json", "lit[1]/f", "é/f", "br,ace}/f", "link -> b")
	for pattern, want := range map[string][]string{
		"a=*":                     {"a=1", "a=2"},
		"a=*/*.json":              {"a=1/f.json", "a=2/f.json"},
		"a=?":                     {"a=1", "a=2"},
		"a=[1-2]/f.json":          {"a=1/f.json", "a=2/f.json"},
		"a=[^1]":                  {"a=2"},
		"{a=1,b}/f.json":          {"a=1/f.json", "b/f.json"},
		"{a=1/f.json,b}":          {"a=1/f.json", "b"},
		"{a={1,2},b}":             {"a=1", "a=2", "b"},
		"*/*.csv":                 {"a=2/g.csv"},
		"lit[1]":                  {"lit[1]"},
		"lit\\[1\\]":              {"lit[1]"},
		"?/f":                     {"é/f"},
		"b*":                      {"b", "br,ace}"},
		"_*":                      {"_x"},
		"lin?":                    {"link"},
		"lin?/f.json":             {"link/f.json"},
		"":                        {""},
		"a=1":                     {"a=1"},
		"nope":                    nil,
		"nop*":                    nil,
		"a=*/nothing":             nil,
		"b/f.json/*":              nil,
		"a=*/f.json/x":            nil,
		strings.Repeat("x*", 200): nil,
	} {
		got, err := scan.Glob(context.Background(), l.stores, l.root.Join(pattern))
		if want == nil {
			if !errors.Is(err, sqlerr.Condition("PATH_NOT_FOUND")) {
				t.Errorf("%s: %v, %v, want PATH_NOT_FOUND", pattern, got, err)
			}
			continue
		}
		var rel []string
		for _, loc := range got {
			r, _ := l.root.Rel(loc)
			rel = append(rel, r)
		}
		if diff := cmp.Diff(want, rel); diff != "" || err != nil {
			t.Errorf("%s: %s %v", pattern, diff, err)
		}
	}
	for _, pattern := range []string{"{a", "{a,{b}", strings.Repeat("{a,b}", 20)} {
		if got, err := scan.Glob(context.Background(), l.stores, l.root.Join(pattern)); !errors.Is(err, sqlerr.Condition("INVALID_PARAMETER_VALUE")) {
			t.Errorf("%s: %v, %v", pattern, got, err)
		}
	}
}

func TestGlobbedTree(t *testing.T) {
	for _, c := range []treeCase{
		{name: "partitions", entries: []string{"a=1/f", "a=2/f"}, paths: []string{"a=*"}, opts: scan.TreeOptions{Glob: true}, want: []string{"a=1/f: ", "a=2/f: "}},
		{
			name: "partitions with a base", entries: []string{"a=1/f", "a=2/f", "a=3/f"}, paths: []string{"a={1,2}"}, base: ".", opts: scan.TreeOptions{Glob: true}, columns: "a int",
			want: []string{"a=1/f: 1", "a=2/f: 2"},
		},
		{name: "everything in the root", entries: []string{"a=1/f", "_x/f", "_f", "f"}, paths: []string{"*"}, opts: scan.TreeOptions{Glob: true}, want: []string{"_x/f: ", "a=1/f: ", "f: "}},
		{name: "nothing", entries: []string{"a=1/f"}, paths: []string{"b=*"}, opts: scan.TreeOptions{Glob: true}, err: "PATH_NOT_FOUND", says: []string{"b=*"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, onDisk(t, c.entries...)) })
	}
}

// TestGlobAgreesWithRegexp compares stars, question marks and sets with regular expressions.
func TestGlobAgreesWithRegexp(t *testing.T) {
	l := inMemory(t, "a", "b", "ab", "ba", "aab", "abab", "abc", "c-a", "a]b")
	all := []string{"a", "a]b", "aab", "ab", "abab", "abc", "b", "ba", "c-a"}
	part := rapid.SampledFrom([]string{"a", "b", "c", "*", "?", "[ab]", "[^a]", "[a-c]", "[]a]", "-"})
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(part, 1, 6).Draw(rt, "pattern")
		expr := "^"
		for _, p := range parts {
			switch p {
			case "*":
				expr += ".*"
			case "?":
				expr += "."
			case "[]a]":
				expr += `[\]a]`
			default:
				expr += p
			}
		}
		re := regexp.MustCompile(expr + "$")
		var want []string
		for _, name := range all {
			if re.MatchString(name) {
				want = append(want, name)
			}
		}
		locs, err := scan.Glob(context.Background(), l.stores, l.root.Join(strings.Join(parts, "")))
		var got []string
		for _, loc := range locs {
			got = append(got, loc.Name())
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil && want != nil {
			rt.Fatalf("%s: %s %v", strings.Join(parts, ""), diff, err)
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"*", "{a,b}*", "[a-", "[^]", `\`, "{", "}", "{{a,b},c}", "a[b{c,d]e}", "\xff?"} {
		f.Add(seed)
	}
	l := inMemory(f, "a/b", "ab", "c")
	f.Fuzz(func(t *testing.T, pattern string) {
		if strings.ContainsRune(pattern, 0) {
			return
		}
		locs, err := scan.Glob(context.Background(), l.stores, l.root.Join(pattern))
		if err == nil && len(locs) == 0 {
			t.Fatalf("%q matches nothing, and says so nowhere", pattern)
		}
		for _, loc := range locs {
			if err == nil && !l.root.Contains(loc) && !strings.ContainsAny(pattern, ".{") {
				t.Fatalf("%q matches %s", pattern, loc)
			}
		}
	})
}
