package bind_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// FuzzBind binds whatever parses: there is a sound plan, or a named error with a place inside the text.
func FuzzBind(f *testing.F) {
	for _, c := range plans {
		f.Add(c.sql)
	}
	for _, c := range failures {
		f.Add(c.sql)
	}
	env := fixture(f)
	f.Fuzz(func(t *testing.T, sql string) {
		s, err := parser.Parse(sql)
		q, ok := s.(*ast.Query)
		if err != nil || !ok {
			return
		}
		n, err := bind.Bind(context.Background(), q, env)
		if err == nil {
			if err := check(n, nil); err != nil {
				t.Fatalf("%s: %v\n%s", sql, err, bind.Explain(n, nil))
			}
			return
		}
		var e *sqlerr.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", sql, err)
		}
		if e.Condition == "INTERNAL_ERROR" || e.SQLState() == "XX000" {
			t.Fatalf("%s: %v", sql, e)
		}
		if e.Span.Start < 0 || e.Span.End > len(sql) || e.Span.Start > e.Span.End {
			t.Fatalf("%s: place %v", sql, e.Span)
		}
	})
}
