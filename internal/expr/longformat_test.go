package expr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
)

// TestLongFormats gives functions formats of a million characters: the time must not grow with the square of the length,
// which would take minutes.
func TestLongFormats(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct {
		name string
		args []any
	}{
		{"to_char", []any{454, strings.Repeat("x,", n/2)}},
		{"to_number", []any{"454", strings.Repeat("$,", n/2)}},
		{"to_char", []any{454, strings.Repeat("PR", n/2)}},
		{"format_number", []any{12.5, strings.Repeat("0", n)}},
		{"format_number", []any{12.5, "0." + strings.Repeat("0", 10_000) + "E" + strings.Repeat("0", n)}},
		{"format_string", []any{"%01000000d", 1}},
		{"try_to_timestamp", []any{"3", strings.Repeat("1, ", n/3)}},
		{"date_format", []any{ts("2024-01-02 00:00:00"), strings.Repeat("1, ", n/3)}},
		{"instr", []any{strings.Repeat("a", n), "b", -1}},
		{"instr", []any{strings.Repeat("a", n), "a", -1, n}},
		{"instr", []any{strings.Repeat("é", n), "é", 1, n}},
	} {
		begun := time.Now()
		args := make([]expr.Expr, len(c.args))
		for i, a := range c.args {
			args[i] = lit(a)
		}
		if e, err := expr.Resolve(c.name, args, expr.ResolveOptions{Context: testContext}); err == nil {
			result(e, testContext)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s took %v", c.name, took)
		}
	}
}
