package parser_test

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
)

// sameTree compares trees without the places of their nodes.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(ast.At{}),
	cmpopts.IgnoreFields(ast.Binary{}, "OpPos"),
	cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 }),
}

// roundTrip parses sql, prints it, parses that, and wants the same tree and the same text again.
func roundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, sql string,
) {
	t.Helper()
	first, err := parser.Parse(sql)
	if err != nil {
		t.Fatalf("Parse(%q): %v", sql, err)
	}
	text := first.String()
	second, err := parser.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q), printed from %q: %v", text, sql, err)
	}
	if d := cmp.Diff(first, second, sameTree); d != "" {
		t.Fatalf("%q prints as %q, which parses differently (-first +second):\n%s", sql, text, d)
	}
	if again := second.String(); again != text {
		t.Fatalf("printing is not stable: %q, then %q", text, again)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, sql := range corpus {
		t.Run(sql, func(t *testing.T) { roundTrip(t, sql) })
	}
}
