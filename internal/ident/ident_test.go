package ident_test

import (
	"testing"

	"github.com/tarnlake/tarn/internal/ident"
)

func TestQuoting(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "a_1": "a_1", "1a": "1a", "12": "`12`", "": "``", "a b": "`a b`", "a`b": "`a``b`", "é": "`é`", "a.b": "`a.b`"} {
		if got := ident.QuoteIfNeeded(name); got != want {
			t.Errorf("QuoteIfNeeded(%q) = %s, want %s", name, got, want)
		}
	}
	n := ident.Name{"main", "my schema", "t"}
	if n.String() != "main.`my schema`.t" || n.Quoted() != "`main`.`my schema`.`t`" || n.Last() != "t" || (ident.Name{}).Last() != "" {
		t.Errorf("%s %s %s", n, n.Quoted(), n.Last())
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"events", "EVENTS", 0}, {"evnts", "events", 1}, {"abc", "", 3}, {"kitten", "sitting", 3}} {
		if got := ident.Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestTwice(t *testing.T) {
	if name, ok := ident.Twice([]string{"a", "b", "A", "b"}); name != "A" || !ok {
		t.Errorf("%s, %v", name, ok)
	}
	if name, ok := ident.Twice([]string{"a", "b"}); ok {
		t.Error(name)
	}
}
