package token_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/sql/token"
)

func kinds(src string) (ks []token.Kind, texts []string) {
	for _, t := range token.Lex(src, nil) {
		if t.Kind == token.EOF {
			break
		}
		ks = append(ks, t.Kind)
		texts = append(texts, src[t.Start:t.End])
	}
	return ks, texts
}

func TestLex(t *testing.T) {
	for _, c := range []struct {
		src   string
		texts string // joined by |
		kinds []token.Kind
	}{
		{"a_1 1a `b``c`", "a_1 1a `b``c`", []token.Kind{token.Word, token.Word, token.QuotedName}},
		{"12 1.5 1. .5 1e5 1.5E-3", "12 1.5 1. .5 1e5 1.5E-3", []token.Kind{token.Integer, token.Decimal, token.Decimal, token.Decimal, token.Exponent, token.Exponent}},
		{"1L 1s 1Y 1f 1.5D 1BD 1e2bd", "1L 1s 1Y 1f 1.5D 1BD 1e2bd", []token.Kind{token.Suffixed, token.Suffixed, token.Suffixed, token.Suffixed, token.Suffixed, token.Suffixed, token.Suffixed}},
		{"1.a", "1 . a", []token.Kind{token.Integer, token.Dot, token.Word}},
		{"a.1b", "a . 1b", []token.Kind{token.Word, token.Dot, token.Word}},
		{"1e 1e+ 1.5L", "1e 1e + 1 . 5L", []token.Kind{token.Word, token.Word, token.Plus, token.Integer, token.Dot, token.Suffixed}},
		{`'a''b' "c" r'\' R"x" x'1'`, `'a''b' "c" r'\' R"x" x '1'`, []token.Kind{token.String, token.String, token.RawString, token.RawString, token.Word, token.String}},
		{
			"<=> <= <> < << >= >> != !> !< ! == = => -> - -- x", "<=> <= <> < << >= > > != !> !< ! == = => -> -",
			[]token.Kind{
				token.NullEqual, token.LessEqual, token.NotEqual, token.Less, token.ShiftLeft, token.GreaterEqual, token.Greater,
				token.Greater, token.NotEqual, token.LessEqual, token.GreaterEqual, token.Bang, token.Equal, token.Equal, token.FatArrow, token.Arrow, token.Minus,
			},
		},
		{"|| | |> : :: ; ? ~ ^ & %", "|| | |> : :: ; ? ~ ^ & %", []token.Kind{
			token.PipePipe, token.Pipe, token.PipeGreater, token.Colon, token.DoubleColon,
			token.Semicolon, token.Question, token.Tilde, token.Caret, token.Amp, token.Percent,
		}},
		{"/* a /* b */ c */ x /*+ h */ * /", "x /*+ h */ * /", []token.Kind{token.Word, token.HintStart, token.Word, token.HintEnd, token.Star, token.Slash}},
		{"'open", "' open", []token.Kind{token.Illegal, token.Word}},
		{"`open", "` open", []token.Kind{token.Illegal, token.Word}},
		{"a /* open", "a|/* open", []token.Kind{token.Word, token.UnclosedComment}},
		{"größe\u00a0x #", "größe x #", []token.Kind{token.Word, token.Word, token.Illegal}},
	} {
		ks, texts := kinds(c.src)
		if d := cmp.Diff(c.kinds, ks); d != "" {
			t.Errorf("%q: kinds (-want +got):\n%s", c.src, d)
		}
		want := strings.Split(c.texts, " ")
		if strings.Contains(c.texts, "|/") {
			want = strings.Split(c.texts, "|")
		}
		if d := cmp.Diff(want, texts); d != "" {
			t.Errorf("%q: texts (-want +got):\n%s", c.src, d)
		}
	}
}

func TestKeywords(t *testing.T) {
	n := 0
	for k := token.Keyword(1); k.String() != ""; k++ {
		n++
		for _, s := range []string{k.String(), strings.ToLower(k.String())} {
			if got := token.Lookup(s); got != k {
				t.Errorf("Lookup(%q) = %v", s, got)
			}
		}
		if got := token.Lookup(k.String() + "X"); got != token.NoKeyword && got.String() != k.String()+"X" {
			t.Errorf("Lookup(%qX) = %v", k, got)
		}
	}
	if n < 250 {
		t.Errorf("only %d keywords", n)
	}
	if !token.LEFT.IsStrict() || token.SELECT.IsStrict() {
		t.Error("LEFT is strict and SELECT is not")
	}
}

// FuzzLexer: tokens are in order, within the text, and nothing but white space and comments lies between them.
func FuzzLexer(f *testing.F) {
	for _, s := range []string{"SELECT 'a', \"b\", `c`, r'd' -- e\n, 1.5e3L /* f */ + x'1F'", "'", "/*", "/*+ a */", "1.e5", "é", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		toks := token.Lex(src, nil)
		end := int32(0)
		for _, k := range toks {
			if k.Start < end || k.End < k.Start || int(k.End) > len(src) || k.End == k.Start && k.Kind != token.EOF {
				t.Fatalf("%q: token %+v after %d", src, k, end)
			}
			between := strings.TrimSpace(src[end:k.Start])
			if between != "" && !strings.HasPrefix(strings.TrimLeft(between, "\ufeff"), "--") && !strings.HasPrefix(strings.TrimLeft(between, "\ufeff"), "/*") &&
				strings.Trim(between, "\ufeff\u180e\u200b") != "" && !strings.ContainsAny(between, "-*") {
				t.Fatalf("%q: %q is lost", src, between)
			}
			end = k.End
		}
		if len(toks) == 0 || toks[len(toks)-1].Kind != token.EOF {
			t.Fatalf("%q does not end with EOF", src)
		}
	})
}

func BenchmarkLex(b *testing.B) {
	src := strings.Repeat("SELECT a, b.c, 'text' FROM t WHERE x >= 1.5 AND y IN (1, 2, 3) -- comment\n", 100)
	buf := token.Lex(src, nil)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		buf = token.Lex(src, buf[:0])
	}
}
