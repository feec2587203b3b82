package parser_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sql/token"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"SELECT 1", []string{"SELECT 1"}},
		{"SELECT 1; SELECT 2;", []string{"SELECT 1", "SELECT 2"}},
		{" ; ;; -- nothing\n/* ; */;", nil},
		{"SELECT ';' , \";\", `;`; x", []string{"SELECT ';' , \";\", `;`", "x"}},
		{`SELECT 'a\';b'; x`, []string{`SELECT 'a\';b'`, "x"}},
		{`SELECT r'a\'; x`, []string{`SELECT r'a\'`, "x"}},
		{`SELECT bar'a\'; x'`, []string{`SELECT bar'a\'; x'`}},
		{"SELECT 'it''s;'; x", []string{"SELECT 'it''s;'", "x"}},
		{"SELECT 1 -- a; b\n; x", []string{"SELECT 1 -- a; b", "x"}},
		{"SELECT 1 -- a \\\n; b\n; x", []string{"SELECT 1 -- a \\\n; b", "x"}},
		{"SELECT /* a /* b; */ c; */ 1; x", []string{"SELECT /* a /* b; */ c; */ 1", "x"}},
		{"SELECT /* a /*+ b; */ c; x", []string{"SELECT /* a /*+ b; */ c", "x"}},
		{"SELECT /**/ 1; SELECT /***/ 2", []string{"SELECT /**/ 1", "SELECT /***/ 2"}},
		{"SELECT 1 - 2 / 3; -;/;", []string{"SELECT 1 - 2 / 3", "-", "/"}},
		{"SELECT 'open; x", []string{"SELECT 'open; x"}},
		{"/* open; x", []string{"/* open; x"}},
		{"/* open *", []string{"/* open *"}},
		{"-- only a comment", nil},
	} {
		var got []string
		for _, p := range parser.Split(c.text) {
			got = append(got, p.Text)
			if c.text[p.Offset:p.Offset+len(p.Text)] != p.Text {
				t.Errorf("%q: %q is not at %d", c.text, p.Text, p.Offset)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", c.text, d)
		}
	}
}

func TestPending(t *testing.T) {
	for text, want := range map[string]parser.Pending{
		"": parser.PendingNothing, " -- x": parser.PendingNothing, "a; ": parser.PendingNothing, "/* x */": parser.PendingNothing,
		"a": parser.PendingStatement, "a;b": parser.PendingStatement, "-": parser.PendingStatement,
		"'a": parser.PendingString, "`a": parser.PendingString, `"a\"`: parser.PendingString, "'a\\": parser.PendingString,
		"/* a": parser.PendingComment, "a /* /* */": parser.PendingComment,
	} {
		var s parser.Splitter
		s.Feed([]byte(text))
		for {
			if _, ok := s.Next(); !ok {
				break
			}
		}
		if got := s.Pending(); got != want {
			t.Errorf("Pending after %q = %d, want %d", text, got, want)
		}
	}
}

// pieces feeds text to a splitter in chunks of the given sizes.
func pieces(text string, sizes func() int) []parser.Piece {
	var s parser.Splitter
	var out []parser.Piece
	for len(text) > 0 {
		n := min(len(text), sizes())
		s.Feed([]byte(text[:n]))
		text = text[n:]
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			out = append(out, p)
		}
	}
	if p, ok := s.Rest(); ok {
		out = append(out, p)
	}
	return out
}

var splitText = rapid.StringOf(rapid.SampledFrom([]rune("a r'\"`;;-/*+\\\n R_1é")))

// TestSplitPiecemeal: how the text arrives changes nothing.
func TestSplitPiecemeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := splitText.Draw(t, "text")
		whole := pieces(text, func() int { return len(text) })
		parts := pieces(text, func() int { return rapid.IntRange(1, 4).Draw(t, "size") })
		if d := cmp.Diff(whole, parts); d != "" {
			t.Fatalf("%q (-whole +parts):\n%s", text, d)
		}
	})
}

// agree checks that the splitter and the lexer see the same semicolons and the same emptiness.
func agree(t interface{ Fatalf(string, ...any) }, text string) {
	toks := token.Lex(text, nil)
	for _, k := range toks {
		if k.Kind == token.Illegal || k.Kind == token.UnclosedComment || k.Kind == token.HintStart {
			return // an open quote hides the rest from one of them
		}
	}
	var want []bool // of each piece: does it have tokens?
	solid := false
	for _, k := range toks {
		switch k.Kind {
		case token.Semicolon:
			want = append(want, solid)
			solid = false
		case token.EOF:
			if solid {
				want = append(want, true)
			}
		default:
			solid = true
		}
	}
	var got []bool
	for _, p := range pieces(text, func() int { return max(1, len(text)) }) {
		got = append(got, !p.Empty)
	}
	if n := len(got); n > 0 && !got[n-1] && len(want) < n {
		got = got[:n-1] // comments behind the last semicolon
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("lexer and splitter disagree on %q (-lexer +splitter):\n%s", text, d)
	}
}

func TestSplitAgreesWithLexer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, splitText.Draw(t, "text")) })
}

func TestSplitIsLinear(t *testing.T) {
	var s parser.Splitter
	line := []byte(strings.Repeat("x", 60) + ",\n")
	for range 50_000 { // 3 MB of one statement, line by line
		s.Feed(line)
		if _, ok := s.Next(); ok {
			t.Fatal("a statement ended without a semicolon")
		}
	}
	s.Feed([]byte(";"))
	p, ok := s.Next()
	if !ok || len(p.Text) != 50_000*len(line)-1 {
		t.Fatalf("got %d bytes, %v", len(p.Text), ok)
	}
}
