package partition_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// The characters that Spark 4 escapes in directory names, and their neighbours that it does not.
func TestEscapeSet(t *testing.T) {
	const escaped = "\"#%'*/:=?\\\x7F{[]^"
	for c := rune(1); c < 0x100; c++ {
		want := string(c)
		if c < 0x20 || c < 0x80 && strings.ContainsRune(escaped, c) {
			const hex = "0123456789ABCDEF"
			want = "%" + string(hex[c>>4]) + string(hex[c&15])
		}
		if got := partition.EscapeValue(string(c)); got != want {
			t.Errorf("EscapeValue(%q) = %q, want %q", c, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"", partition.DefaultPartition},
		{"2017-03-03 12:13%3A14", "2017-03-03 12%3A13%253A14"},
		{"a b", "a b"},
		{"München", "München"},
		{"a\nb", "a%0Ab"},
		{"naïve 🐦", "naïve 🐦"},
		{"}<>|,&+@!$()~`;", "}<>|,&+@!$()~`;"},
	} {
		if got := partition.EscapeValue(c.in); got != c.out {
			t.Errorf("EscapeValue(%q) = %q, want %q", c.in, got, c.out)
		}
	}
	if got := partition.EscapeName("a%b"); got != "a%25b" {
		t.Errorf("EscapeName = %q", got)
	}
}

func TestUnescape(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"a%2", "a%2"},
		{"a%F ", "a%F "},
		{"%0", "%0"},
		{"0%", "0%"},
		{"%", "%"},
		{"%%41", "%A"},
		{"%2f%2F", "//"},
		{"a%20b", "a b"},
		{"%C3%BC", "ü"},
		{"%FC", "ü"},
		{"x%FCy%C3", "xüyÃ"},
		{"%E2%82%AC", "€"},
		{"ü%41", "üA"},
		{"%XX", "%XX"},
	} {
		if got := partition.Unescape(c.in); got != c.out {
			t.Errorf("Unescape(%q) = %q, want %q", c.in, got, c.out)
		}
	}
}

func TestUnescapeUndoesEscape(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.String().Draw(r, "s")
		if got := partition.Unescape(partition.EscapeName(s)); got != s {
			r.Fatalf("%q came back as %q", s, got)
		}
	})
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{"", "a%2", "%C3%BC", "%FC", "a=b%3Dc", "\xff%41", "%%%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := partition.Unescape(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("Unescape(%q) = %q is not UTF-8", s, got)
		}
		if again := partition.Unescape(partition.EscapeName(got)); again != got {
			t.Fatalf("%q came back as %q", got, again)
		}
		layout := partition.NewLayout([]partition.Column{col("a", of(types.Date))}, false)
		if sp, ok, reason, detail := layout.Classify(0, s, partition.Dir); !ok && reason != "" && detail == "" {
			t.Fatalf("no detail for %v %q", sp, s)
		}
	})
}

func TestSplitSegment(t *testing.T) {
	for _, c := range []struct {
		in, key, value, raw string
		ok                  bool
	}{
		{"a=b", "a", "b", "b", true},
		{"a=b=c", "a", "b=c", "b=c", true},
		{"a%3Db=%41", "a=b", "A", "%41", true},
		{"a=", "a", "", "", true},
		{"=x", "", "x", "x", true},
		{"ab", "", "", "", false},
	} {
		key, value, raw, ok := partition.SplitSegment(c.in)
		if key != c.key || value != c.value || raw != c.raw || ok != c.ok {
			t.Errorf("SplitSegment(%q) = %q, %q, %q, %v", c.in, key, value, raw, ok)
		}
	}
}

func TestIgnored(t *testing.T) {
	for name, want := range map[string]bool{
		"_SUCCESS": true, "_temporary": true, ".hidden": true, "_delta_log": true, "_batch=x": false, "a.csv._COPYING_": true,
		".a=1": true, "x.crc": true, "dir_$folder$": true, "a=1": false, "plain": false, "_": true, "": true, "_a": true,
	} {
		if got := partition.Ignored(name); got != want {
			t.Errorf("Ignored(%q) = %v", name, got)
		}
	}
	if !partition.IsTemporary("_Temporary") || partition.IsTemporary("temporary") {
		t.Error("IsTemporary")
	}
}
