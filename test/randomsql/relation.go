package randomsql

import "fmt"

// relation is what may stand in FROM besides plain tables: generators, files, functions, sampled, pivoted and joined ones.
func (g *Generator) relation(depth int) string {
	inner := "t"
	if depth > 0 {
		inner = "(" + g.query(depth-1) + ")"
	}
	switch g.r.IntN(12) {
	case 0:
		return inner + " TABLESAMPLE (" + g.pick("50 PERCENT", "2 ROWS", "BUCKET 1 OUT OF 2", "0 PERCENT", "0.5 PERCENT", "-1 ROWS", "BUCKET 3 OUT OF 2", "BUCKET 1 OUT OF 2 ON id", "(1 + 1) ROWS", "300 PERCENT", "1K") + ")" + g.pick("", " REPEATABLE (7)") + g.pick("", " AS z")
	case 1:
		return g.pick("csv", "json", "parquet") + ".`" + g.pick("files/csv", "files/json", "files/parquet", "files/*", "files/none", "", "files/parquet/p=1") + "`"
	case 2:
		return "range(" + g.pick("3", "0, 5", "0, 5, 2", "5, 0, -1", "0, 4, 1, 2", "0, 1, 0", "NULL", "'3'", "1.5", "id", "-3") + ")" + g.pick("", " AS r(id)", " r")
	case 3:
		return "t, LATERAL " + g.pick("explode(a)", "posexplode(t.a)", "inline(array(o))", "stack(2, id, s, p, NULL)", "json_tuple(s, 'a')", "explode_outer(m)", "explode("+g.expr("array", 1)+")", "range(3)") + g.pick("", " AS e", " AS e(c)", " AS e(c, d)")
	case 4:
		return "t " + g.pick("", "LEFT ", "CROSS ", "INNER ") + "JOIN LATERAL (" + g.pick("SELECT max(k) AS k, max(v) AS v FROM u WHERE k <= t.id", "SELECT t.id + k AS k, v FROM u LIMIT 1", "SELECT * FROM u WHERE u.k IN (SELECT t.p)", "VALUES (t.id, t.s) AS w(k, v)", "SELECT explode(t.a) AS k", "SELECT t.o.*", g.query(0)) + ") w" + g.pick("", " ON true", " ON w.k = t.id")
	case 5:
		return "t JOIN u USING (" + g.pick("id", "k", "s", "id, id", "nothing") + ")"
	case 6:
		return inner + " " + g.unpivot()
	case 7:
		return g.pick("t, u", "t a1, t a2", "t JOIN (u JOIN u u2 ON u.k = u2.k) ON id = u.k", "(t CROSS JOIN u) q", "t FULL JOIN u ON id = k AND "+g.atom(), "t LEFT ANTI JOIN u ON "+g.atom(), "t JOIN u NEAREST 1 BY DISTANCE id - k", "t LEFT JOIN u APPROX NEAREST 2 BY SIMILARITY id + k")
	case 8:
		return "(VALUES " + g.row() + ", " + g.row() + ") AS q(id, s)"
	case 9:
		return "t LATERAL VIEW " + g.pick("", "OUTER ") + g.pick("explode(", "posexplode(", "inline(", "explode_outer(") + g.expr(g.pick("array", "map", "struct", "null"), 1) + ") lv" + g.pick("", " AS c", " AS c, d") +
			g.pick("", " LATERAL VIEW explode(array(id, p)) l2 AS z")
	case 10:
		return g.pick("f_table(2)", "f_table(id)", "f_table()", "f_table(1, 2)", "t, LATERAL f_table(t.id)", "identifier('t')", "IDENTIFIER('u')", "v_t", "t VERSION AS OF 0", "information_schema.tables", "(FROM t)", "(TABLE t)", "w_t", "tc", "tj")
	}
	return inner
}

func (g *Generator) row() string {
	return "(" + g.expr(g.kind(), 0) + ", " + g.expr(g.kind(), 0) + ")"
}

func (g *Generator) unpivot() string {
	return g.pick(
		"UNPIVOT (v FOR k IN (id, p))", "UNPIVOT INCLUDE NULLS (v FOR k IN (id AS a, p AS 'b'))", "UNPIVOT ((v, w) FOR k IN ((id, s), (p, s) AS z))", "UNPIVOT EXCLUDE NULLS (v FOR k IN (s, dt))", "UNPIVOT (v FOR k IN ())",
		"PIVOT (count(*) FOR (id, p) IN ((1, 1), (2, 2) AS two))", "PIVOT (sum("+g.expr("int", 1)+") AS x, max("+g.expr(g.kind(), 1)+") FOR p IN (1, NULL, 'x'))", "PIVOT ("+g.aggregate()+" FOR s IN ('one', ''))",
		"PIVOT (id FOR p IN (1))", "PIVOT (first(id) FOR o IN (named_struct('f', 1, 'g', 'z')))", "PIVOT (max(id) FOR p IN (ANY))")
}

// pipes is a query of pipe operators.
func (g *Generator) pipes() string {
	text := g.pick("FROM t", "FROM u", "SELECT * FROM t", "TABLE t", "VALUES (1, 'a') AS t(id, s)", "FROM t JOIN u ON id = k")
	for range 1 + g.r.IntN(4) {
		e := g.expr(g.kind(), 1)
		text += " |> " + g.pick("SELECT "+e+" AS id, s", "EXTEND "+e+" AS e1", "WHERE "+g.atom(), "SET id = "+e, "DROP s", "AS z", "AGGREGATE "+g.aggregate()+" AS id GROUP BY "+g.pick("s", e, "ALL", "1"), "AGGREGATE "+g.aggregate(),
			"ORDER BY "+g.pick("1", "id", e), "LIMIT 2", "OFFSET 1", "TABLESAMPLE (1 ROWS)", "UNION ALL SELECT * FROM t", "EXCEPT VALUES (1, 'a')", "LEFT JOIN u ON id = k", "SELECT "+g.window()+" AS id", "EXTEND "+g.window()+" AS w1",
			g.unpivot(), "LATERAL VIEW explode(array(1, 2)) lv AS ex", "SELECT DISTINCT id", "WINDOW w AS (ORDER BY id)", "JOIN LATERAL (SELECT k FROM u) ON true")
	}
	return text
}

// recursive is a query with a recursive table, which ends by itself or by the limit.
func (g *Generator) recursive() string {
	step := g.pick("SELECT n + 1, x FROM r WHERE n < 4", "SELECT n + 1, "+g.expr(g.kind(), 1)+" FROM r, t WHERE n < 2 AND id = 1", "SELECT k, v FROM r JOIN u ON n = k - 2", "SELECT n * 2, concat(x, 'y') FROM r WHERE n < 20",
		"SELECT max(n) + 1, '' FROM r", "SELECT n + 1, x FROM r", "(SELECT n + 1, x FROM r WHERE n < 3 LIMIT 2)", "SELECT r.n + 1, r.x FROM r JOIN r r2 ON r.n = r2.n WHERE r.n < 3", "SELECT n + 1, x FROM (SELECT * FROM r WHERE n < 3) q",
		"SELECT n + 1, x FROM r WHERE n < (SELECT max(k) FROM u)", "SELECT DISTINCT n + 1, x FROM r WHERE n < 3")
	return "WITH RECURSIVE r(n, x)" + g.pick("", "", " MAX RECURSION LEVEL 5") + " AS (SELECT 1, " + g.expr(g.kind(), 0) + g.pick("", " FROM u") + g.pick(" UNION ALL ", " UNION ALL ", " UNION ", " EXCEPT ") + step + ") " +
		g.pick("SELECT * FROM r", "SELECT count(*), max(n) FROM r", "SELECT * FROM r JOIN t ON n = id", "SELECT * FROM r LIMIT 3", "SELECT * FROM t WHERE id IN (SELECT n FROM r)", fmt.Sprintf("SELECT * FROM r WHERE n = %d", g.r.IntN(4)))
}
