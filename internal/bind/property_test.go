package bind_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// query draws a query with two columns, k (INT) and n (INT), of limited depth.
func query(t *rapid.T, depth int) string {
	cond := func() string {
		return rapid.SampledFrom([]string{
			"k = 1", "n > 2", "k = 1 OR n = 2", "k IN (1, 2)", "k + n < 7", "k IS NULL", "NOT k = n", "(k, n) IN ((1, 2), (3, 4))",
			"k = (SELECT max(p) FROM t)", "EXISTS (SELECT 1 FROM u WHERE a = k)", "n NOT IN (SELECT c FROM u)", "true", "1 = 2",
		}).Draw(t, "condition")
	}
	if depth == 0 {
		return rapid.SampledFrom([]string{
			"SELECT p AS k, id AS n FROM t", "SELECT a AS k, c AS n FROM u", "SELECT p AS k, p + 1 AS n FROM e", "SELECT p AS k, id AS n FROM k",
			"SELECT * FROM VALUES (1, 2), (NULL, 3) AS v(k, n)", "SELECT 1 AS k, 2 AS n", "SELECT part AS k, CAST(rows AS INT) AS n FROM v",
		}).Draw(t, "leaf")
	}
	in := func() string { return "(" + query(t, depth-1) + ")" }
	switch rapid.IntRange(0, 9).Draw(t, "shape") {
	case 0:
		return "SELECT k, n FROM " + in() + " WHERE " + cond() + " AND " + cond()
	case 1:
		return "SELECT k, CAST(sum(n) AS INT) AS n FROM " + in() + " GROUP BY k HAVING count(*) > 0"
	case 2:
		return "SELECT DISTINCT k, n FROM " + in() + " WHERE " + cond()
	case 3:
		kind := rapid.SampledFrom([]string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"}).Draw(t, "join")
		return "SELECT x.k, y.n FROM " + in() + " x " + kind + " " + in() + " y ON x.k = y.k AND x.n > 1 AND y.n < 9"
	case 4:
		kind := rapid.SampledFrom([]string{"SEMI", "ANTI"}).Draw(t, "join")
		return "SELECT x.k, x.n FROM " + in() + " x " + kind + " JOIN " + in() + " y ON x.k = y.k AND y.n = 3 WHERE x.k > 0"
	case 5:
		op := rapid.SampledFrom([]string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"}).Draw(t, "set")
		return in() + " " + op + " " + in()
	case 6:
		return "SELECT k, n FROM " + in() + " ORDER BY n DESC, k LIMIT 3"
	case 7:
		return "SELECT k, CAST(row_number() OVER (PARTITION BY k ORDER BY n) AS INT) AS n FROM " + in()
	case 8:
		return "SELECT max(k) AS k, min(n) AS n FROM " + in() + " WHERE " + cond()
	}
	return "SELECT k, n FROM (SELECT k, n + 1 AS n, n AS unused FROM " + in() + ") WHERE " + cond()
}

// TestRewritesKeepOutput checks that rewriting leaves a query's columns alone and yields a plan in which every column
// that is used is there.
func TestRewritesKeepOutput(t *testing.T) {
	env := fixture(t)
	rapid.Check(t, func(rt *rapid.T) {
		sql := query(rt, rapid.IntRange(0, 4).Draw(rt, "depth"))
		before, err := bind.BindOnly(parse(t, sql), env)
		if err != nil {
			rt.Fatalf("%s: %v", sql, err)
		}
		after, err := bindSQL(t, env, sql)
		if err != nil {
			rt.Fatalf("%s: %v", sql, err)
		}
		if got, want := fmt.Sprint(shape(after.Output())), fmt.Sprint(shape(before.Output())); got != want {
			rt.Fatalf("%s: columns %s became %s", sql, want, got)
		}
		for _, n := range []plan.Node{before, after} {
			if err := check(n, nil); err != nil {
				rt.Fatalf("%s: %v\n%s", sql, err, bind.Explain(n, nil))
			}
		}
	})
}

func shape(cols []plan.Column) []string {
	var out []string
	for _, c := range cols {
		out = append(out, c.Name+" "+c.Type.String())
	}
	return out
}

// check reports a node whose expressions use a column that its inputs (or enclosing queries) do not yield.
func check(n plan.Node, outer map[expr.ColumnID]bool) error {
	have := map[expr.ColumnID]bool{}
	for id := range outer {
		have[id] = true
	}
	var inputs []plan.Node
	var exprs []expr.Expr
	switch n := n.(type) {
	case *plan.Filter:
		inputs, exprs = []plan.Node{n.Input}, []expr.Expr{n.Cond}
	case *plan.Project:
		inputs, exprs = []plan.Node{n.Input}, n.Exprs
	case *plan.Aggregate:
		inputs, exprs = []plan.Node{n.Input}, append(append([]expr.Expr{}, n.Keys...), n.Aggs...)
	case *plan.Windows:
		inputs, exprs = []plan.Node{n.Input}, n.Wins
	case *plan.Join:
		inputs, exprs = []plan.Node{n.Left, n.Right}, []expr.Expr{n.Cond}
	case *plan.Sort:
		inputs = []plan.Node{n.Input}
		for _, k := range n.Keys {
			exprs = append(exprs, k.Expr)
		}
	case *plan.Limit:
		inputs = []plan.Node{n.Input}
	case *plan.Distinct:
		inputs = []plan.Node{n.Input}
	case *plan.Sample:
		inputs = []plan.Node{n.Input}
	case *plan.Unnest:
		inputs, exprs = []plan.Node{n.Input}, n.Lists
		if len(n.Lists) != len(n.Out) || len(n.Lists) == 0 {
			return fmt.Errorf("%d lists give %d columns", len(n.Lists), len(n.Out))
		}
	case *plan.SetOp:
		inputs = []plan.Node{n.Left, n.Right}
		if len(n.Left.Output()) != len(n.Out) || len(n.Right.Output()) != len(n.Out) {
			return fmt.Errorf("a set operation of %d columns over %d and %d", len(n.Out), len(n.Left.Output()), len(n.Right.Output()))
		}
	case *plan.PartitionAggregate:
		inputs = []plan.Node{n.Input}
		if len(n.Output()) != len(n.Original.Output()) {
			return fmt.Errorf("%d columns for %d", len(n.Output()), len(n.Original.Output()))
		}
	case *plan.Scan:
		exprs = n.Prune
		for _, c := range n.Out {
			have[c.ID] = true
		}
	}
	for _, in := range inputs {
		for _, c := range in.Output() {
			have[c.ID] = true
		}
	}
	for _, e := range exprs {
		var missing error
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Column:
				if !have[x.ID] {
					missing = fmt.Errorf("%T uses %s, which is not there", n, x.Name)
				}
			case *expr.Subquery:
				if err := check(x.Query.(plan.Node), have); err != nil {
					missing = err
				}
			}
			return true
		})
		if missing != nil {
			return missing
		}
	}
	for i, in := range inputs {
		sees := outer
		if j, ok := n.(*plan.Join); ok && j.Lateral && i == 1 {
			sees = have
		}
		if err := check(in, sees); err != nil {
			return err
		}
	}
	return nil
}

// TestLarge binds statements far larger than people write, in far less time than they would wait.
func TestLarge(t *testing.T) {
	env := fixture(t)
	repeat := func(n int, sep string, f func(int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, sep)
	}
	var wide []types.Field
	for i := 0; i < 1000; i++ {
		wide = append(wide, col(fmt.Sprintf("c%d", i), of(types.Int)))
	}
	env.Relations.(lake)["wide"] = table("wide", []string{"c999"}, wide...)
	const n = 10000
	for name, sql := range map[string]string{
		"or":       "SELECT id FROM t WHERE " + repeat(n, " OR ", func(i int) string { return fmt.Sprintf("p = %d", i) }),
		"and":      "SELECT id FROM t WHERE " + repeat(n, " AND ", func(i int) string { return fmt.Sprintf("p <> %d", i) }),
		"in":       "SELECT id FROM t WHERE p IN (" + repeat(n, ", ", func(i int) string { return fmt.Sprint(i) }) + ")",
		"rows":     "SELECT id FROM t WHERE (p, id) IN (" + repeat(n, ", ", func(i int) string { return fmt.Sprintf("(%d, %d)", i, i) }) + ")",
		"sum":      "SELECT " + repeat(n, " + ", func(i int) string { return "id" }) + " AS x FROM t",
		"unnamed":  "SELECT " + repeat(n, " + ", func(i int) string { return "id" }) + " FROM t",
		"values":   "SELECT * FROM VALUES " + repeat(n, ", ", func(i int) string { return fmt.Sprintf("(%d, 'x')", i) }),
		"star":     "SELECT * FROM wide w1 JOIN wide w2 USING (c999) WHERE w1.c1 = 1",
		"grouped":  "SELECT " + repeat(1000, ", ", func(i int) string { return fmt.Sprintf("c%d", i) }) + ", count(*) FROM wide GROUP BY ALL",
		"sums":     "SELECT " + repeat(1000, ", ", func(i int) string { return fmt.Sprintf("sum(c%d)", i) }) + " FROM wide",
		"unions":   repeat(1000, " UNION ALL ", func(i int) string { return "SELECT a, c FROM u" }),
		"joins":    "SELECT count(*) FROM u u0 " + repeat(200, " ", func(i int) string { return fmt.Sprintf("JOIN u u%d ON u%d.a = u%d.a", i+1, i, i+1) }),
		"chain":    "WITH q0 AS (SELECT a FROM u)" + repeat(200, "", func(i int) string { return fmt.Sprintf(", q%d AS (SELECT a + 1 AS a FROM q%d)", i+1, i) }) + " SELECT a FROM q200 WHERE a = 3",
		"branches": "SELECT CASE " + repeat(5000, " ", func(i int) string { return fmt.Sprintf("WHEN id = %d THEN %d", i, i) }) + " END AS c FROM t",
	} {
		t.Run(name, func(t *testing.T) {
			q := parse(t, sql)
			start := time.Now()
			if _, err := bind.Bind(t.Context(), q, env); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			} else {
				t.Logf("took %v", took)
			}
		})
	}
}
