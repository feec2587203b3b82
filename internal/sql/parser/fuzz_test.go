package parser_test

import (
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// FuzzParse: no text makes the parser panic, every error has a condition and a place inside the text, and what parses
// prints as SQL that means the same.
func FuzzParse(f *testing.F) {
	for _, sql := range corpus {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		st, err := parser.Parse(sql)
		if err != nil {
			e := sqlerr.As(err)
			if e.Condition == "INTERNAL_ERROR" || e.SQLState() == "XX000" {
				t.Fatalf("Parse(%q): %v", sql, err)
			}
			if e.Span.Start < 0 || e.Span.End > len(sql) || e.Span.Start > e.Span.End {
				t.Fatalf("Parse(%q): %v at %v", sql, err, e.Span)
			}
			return
		}
		if strings.Contains(sql, "?") || len(sql) > 2000 {
			_ = st.String() // printing may put ? markers into another order
			return
		}
		roundTrip(t, sql)
	})
}

// FuzzSplit: pieces are parts of the text in order, and agree with the lexer.
func FuzzSplit(f *testing.F) {
	for _, sql := range corpus {
		f.Add(sql + ";" + sql)
	}
	f.Add("r'\\';'")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, p := range parser.Split(text) {
			if p.Offset < end || text[p.Offset:p.Offset+len(p.Text)] != p.Text || p.Text == "" {
				t.Fatalf("%q: piece %q at %d", text, p.Text, p.Offset)
			}
			end = p.Offset + len(p.Text)
		}
		agree(t, text)
	})
}
