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
	for _, sql := range []string{
		"SELECT a, explode(array(a, 1)) AS x, x + 1 FROM u",
		"SELECT explode(array(b, a)) AS b, explode(array(b)), posexplode(map(1, 2)) AS (p, k, v) FROM u LIMIT 2",
		"SELECT stack(2, a, count(*), 3) AS (x, y), a FROM u GROUP BY a HAVING x > 1 ORDER BY y",
		"SELECT inline(collect_list(struct(a))) FROM u GROUP BY ALL",
		"SELECT x, v.* FROM u LATERAL VIEW OUTER explode(array(a)) v AS x LATERAL VIEW json_tuple('{}', 'a', 'b') w WHERE x > 1",
		"SELECT * FROM u, LATERAL explode(array(u.a)) AS e(x), LATERAL (SELECT explode(array(x)) AS y) WHERE y = a",
		"SELECT * FROM u LEFT JOIN LATERAL posexplode_outer(collection => array(u.a)) ON col = u.a",
		"SELECT * FROM u LEFT JOIN LATERAL (SELECT max(v.a) FROM u AS v WHERE v.a < u.a) ON true",
		"SELECT * FROM u JOIN u AS v APPROX NEAREST 2 BY DISTANCE u.a - v.a",
		"SELECT * FROM u TABLESAMPLE (10 PERCENT) REPEATABLE (1) JOIN range(0, 5, 2) TABLESAMPLE",
		"SELECT mask('a', lowerChar => 'x'), (SELECT count(*) FROM explode(array(u.a))) FROM u",
		"SELECT * FROM u PIVOT (sum(a) FOR b IN (1, 2 AS x)) UNPIVOT (v FOR n IN (`1`, x))",
	} {
		f.Add(sql)
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
