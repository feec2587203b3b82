package javaregex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/expr/javaregex"
)

// TestFindAll has answers of Java 17, a match per pair of brackets.
func TestFindAll(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{`a*`, "baac", "[][aa][][]"},
		{`(a)\1`, "aab", "[aa]"},
		{`(?<x>a)b\k<x>`, "abab", "[aba]"},
		{`a(?=b)`, "abac", "[a]"},
		{`(?<!a)b`, "abb", "[b]"},
		{`(?<=a{1,2})b`, "aab", "[b]"},
		{`(?<=a+)b`, "aab", "[b]"},
		{`a++a`, "aaa", ""},
		{`(?>a|ab)c`, "abc", ""},
		{`(?m)^`, "a\nb\n", "[][]"},
		{`(?m)$`, "a\nb\n", "[][][]"},
		{`$`, "a\r\n", "[][]"},
		{`a$`, "a\n", "[a]"},
		{`a.b`, "a\rb", ""},
		{`(?s)a.b`, "a\rb", "[a\rb]"},
		{`(?d)a.b`, "a\rb", "[a\rb]"},
		{`\bé`, "é aé", "[é]"},
		{`(?i)É`, "é", ""},
		{`(?iu)É`, "é", "[é]"},
		{`(?i)kA`, "Ka\u212aa", "[Ka]"},
		{`[a-z&&[^b]]+`, "abc", "[a][c]"},
		{`[a[bc]]+`, "abcd", "[abc]"},
		{`[]a]+`, "a]b", "[a]]"},
		{`(?x) a b # c`, "ab", "[ab]"},
		{`\Qa.b\E+`, "a.bb", "[a.bb]"},
		{`(a|b*)+`, "ab", "[ab][]"},
		{`\R`, "a\r\nb\u2028", "[\r\n][\u2028]"},
		{`\Ga`, "aaba", "[a][a]"},
		{`a{2}{3}`, "aaaa", "[aa][aa]"},
		{`\x{1F600}|\u0041|\0102|\cA`, "😀AB\x01", "[😀][A][B][\x01]"},
		{`\p{Lower}+|\p{IsGreek}`, "abα", "[ab][α]"},
	} {
		re, err := javaregex.Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		all, err := re.FindAll(c.text, -1)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		}
		var got strings.Builder
		for _, m := range all {
			fmt.Fprintf(&got, "[%s]", c.text[m[0]:m[1]])
		}
		if got.String() != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.pattern, c.text, got.String(), c.want)
		}
		if ok, _ := re.Match(c.text); ok != (c.want != "") {
			t.Errorf("%q in %q: Match says %v", c.pattern, c.text, ok)
		}
	}
}

func TestGroups(t *testing.T) {
	re, err := javaregex.Compile(`(?<year>\d+)-(x)?(?=(b))`)
	if err != nil {
		t.Fatal(err)
	}
	m, err := re.Find("at 12-b")
	if err != nil || fmt.Sprint(m) != "[3 6 3 5 -1 -1 6 7]" {
		t.Errorf("got %v %v", m, err)
	}
	if n, ok := re.Name("year"); n != 1 || !ok || re.Groups() != 3 {
		t.Errorf("year is group %d of %d", n, re.Groups())
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, p := range []string{"(", "a)", "[a", `\`, `\q`, "*a", "a**", "a{,2}", "a{", "{", "a{3,2}", `[a-\d]`, "[z-a]", "(?P<n>a)", "(?<n>a)(?<n>b)", `\k<y>`, `\p{Foo}`, "(?q)a", "(?<=(a+)+)b", `\N`} {
		if _, err := javaregex.Compile(p); !errors.Is(err, javaregex.ErrSyntax) {
			t.Errorf("%s: got %v", p, err)
		}
	}
	for _, p := range []string{`\X`, `\p{InGreek}`, "(?U)a", strings.Repeat("(", 600)} {
		var lacks *javaregex.UnsupportedError
		if _, err := javaregex.Compile(p); !errors.As(err, &lacks) {
			t.Errorf("%.20s: got %v", p, err)
		}
	}
}

func TestMatchIsBounded(t *testing.T) {
	re, err := javaregex.Compile(`(?=(a|aa)+$)b`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := re.Match(strings.Repeat("a", 100) + "c"); !errors.Is(err, javaregex.ErrTooComplex) {
		t.Errorf("got %v", err)
	}
}

// FuzzEnginesAgree compares what RE2 finds with what the machine finds, for patterns that both take.
func FuzzEnginesAgree(f *testing.F) {
	for _, p := range []string{`a+?b|c`, `(a|b)*c`, `[^\d\s]{2,3}`, `\bx\B`, `^a|b$`, `(?i)k[a-c]`, `\p{L}+`, `(a(b)?)+`} {
		f.Add(p, "abc xkA 12\nb")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 60 {
			return
		}
		text = strings.ToValidUTF8(text, "")
		plain, err := javaregex.Compile(pattern)
		if err != nil {
			return
		}
		// Look-ahead for nothing changes nothing but the engine.
		other, err := javaregex.Compile("(?=)(?:" + pattern + ")")
		if err != nil {
			return
		}
		a, errA := plain.FindAll(text, -1)
		b, errB := other.FindAll(text, -1)
		if errA == nil && errB == nil && fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%q in %q: %v and %v", pattern, text, a, b)
		}
	})
}

func BenchmarkMachine(b *testing.B) {
	re, err := javaregex.Compile(`(?=[^ ]*[a-z])(?=[^ ]*[0-9])[^ ]+`)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := re.FindAll("passwd7 plain A1234 a1234", -1); err != nil {
			b.Fatal(err)
		}
	}
}
