// Package randomsql asks a running tarn statements that nobody would write: queries of a seeded grammar over small tables,
// calls of every function with arguments of every type, and statements of the test files with tokens moved, lost or
// doubled. Whatever comes, the answer is rows or a named error in Tarn's own words.
//
// It must not import anything of Tarn's.
package randomsql

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Setup makes the tables that generated statements read.
var Setup = []string{
	"CREATE TABLE t (id INT, s STRING, x DOUBLE, n DECIMAL(10,2), dt DATE, ts TIMESTAMP, nt TIMESTAMP_NTZ, b BOOLEAN, a ARRAY<INT>, m MAP<STRING,INT>, " +
		"o STRUCT<f:INT,g:STRING>, bin BINARY, l BIGINT, y TINYINT, p INT) USING parquet PARTITIONED BY (p)",
	"INSERT INTO t VALUES (1, 'one', 1.5D, 1.50, DATE'2024-02-29', TIMESTAMP'2024-02-29 10:11:12.5', TIMESTAMP_NTZ'2024-02-29 10:11:12', true, array(1,2), map('k',1), " +
		"named_struct('f',1,'g','z'), X'00ff', 10L, 1Y, 1), " +
		"(2, '', 0D, -0.01, DATE'1969-12-31', TIMESTAMP'1969-12-31 23:59:59', TIMESTAMP_NTZ'1969-12-31 23:59:59', false, array(), map(), " +
		"named_struct('f',NULL,'g',''), X'', -1L, -128Y, 2), " +
		"(3, NULL, double('NaN'), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), " +
		"(4, 'é😀 x', -1e300, 99999999.99, DATE'9999-12-31', TIMESTAMP'0001-01-01 00:00:00', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', true, array(NULL,3), map('a',NULL), " +
		"named_struct('f',-2147483648,'g',NULL), X'c3a9', 9223372036854775807L, 127Y, 1)",
	"CREATE TABLE u (k INT, v STRING, w DECIMAL(5,1)) USING parquet",
	"INSERT INTO u VALUES (1, 'one', 1.0), (1, 'two', NULL), (3, NULL, -2.5), (NULL, 'x', 0)",
	"CREATE TABLE tc USING csv AS SELECT id, s, x, n, dt, ts, b, p FROM t",
	"CREATE TABLE tj USING json PARTITIONED BY (p) AS SELECT id, s, dt, a, m, o, p FROM t",
	"CREATE TABLE odd (`a b` INT, `$1` STRING, `x'y\"z` STRUCT<`f.g`:INT,c1:INT,`q\"r`:STRING>, c1 INT, h1 STRING, `é` MAP<STRING,STRUCT<`'`:INT>>, `sel;ect` DATE) USING parquet",
	"INSERT INTO odd VALUES (1, '$1', named_struct('f.g', 1, 'c1', 2, 'q\"r', 'x'), 5, 'v1', map('\\'', named_struct('\\'', 3)), DATE'2024-01-01')",
	"CREATE TABLE w_t (id INT, s STRING, q INT) USING parquet PARTITIONED BY (q)",
	"INSERT OVERWRITE DIRECTORY 'files/csv' USING csv OPTIONS (header 'true') SELECT id, s, p FROM t",
	"INSERT OVERWRITE DIRECTORY 'files/json' USING json SELECT id, s, a, o, p FROM t",
	"INSERT OVERWRITE DIRECTORY 'files/parquet/p=1' USING parquet SELECT id, s, a, m, o, l, dt FROM t",
}

// kinds are the types of generated expressions, with their columns and literals.
var kinds = map[string][]string{
	"int":       {"id", "p", "0", "1", "-1", "7", "2147483647", "CAST(NULL AS INT)", "y", "CAST(3 AS SMALLINT)"},
	"bigint":    {"l", "10L", "-9223372036854775807L"},
	"double":    {"x", "0D", "1.5D", "double('NaN')", "CAST(2 AS FLOAT)"},
	"decimal":   {"n", "1.5", "-0.001", "CAST(1 AS DECIMAL(38,10))", "99999999999999999999.5"},
	"string":    {"s", "'one'", "''", "'2024-01-31'", "'a,b'", "'%o%'", "'{\"a\":1}'", "'yyyy-MM-dd'", "CAST(NULL AS STRING)", "'$1'", "'\\0'", "'$F$W'", "'\"'", "'\\''", "'\\\\'", "'lambda x: c1'"},
	"boolean":   {"b", "true", "false", "NULL IS NULL"},
	"date":      {"dt", "DATE'2024-01-31'", "current_date()"},
	"timestamp": {"ts", "TIMESTAMP'2024-01-31 10:00:00'", "nt"},
	"binary":    {"bin", "X'616263'"},
	"array":     {"a", "array(1,2,NULL)", "array('a','b')", "array()", "array(array(1))", "sequence(1,3)"},
	"map":       {"m", "map('a',1)", "map(1,'x')", "map()"},
	"struct":    {"o", "named_struct('f',1,'g','y')", "struct(1,'a')"},
	"interval":  {"INTERVAL '1' DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL 1 MONTH"},
	"null":      {"NULL"},
	"time":      {"TIME'10:11:12.5'", "CAST(ts AS TIME)", "CAST(nt AS TIME(3))", "NULL::TIME"},
	"calendar":  {"make_interval(1, 2, 3, 4)", "CAST('1 year 2 days' AS INTERVAL)", "make_interval()", "make_interval(0, 0, 0, id)"},
	"nested": {
		"array(o)", "array(m, map('z', 9))", "map(id, array(s))", "struct(a, m)", "named_struct('a', o, 'b', array(dt))", "array(NULL)", "map('a', NULL)", "struct(NULL)", "array(x, NULL)", "array(array(id, p), NULL)",
		"map(dt, o)", "array(ts)", "array(bin)", "map(o, 1)", "array(INTERVAL '1' DAY)", "array(n, 1.5)", "collect_list(o)", "array(y, b)",
	},
}

var kindNames = []string{"int", "bigint", "double", "decimal", "string", "boolean", "date", "timestamp", "binary", "array", "map", "struct", "interval", "null", "time", "calendar", "nested"}

// Generator makes statements from a seed.
type Generator struct {
	r *rand.Rand
	// functions are the names that calls take; the words of operators and clauses are known here.
	functions []string
	// known are expressions that are sound, from statements of the corpus that only compute.
	known []string
	// patterns are those of them that call one function, by its name; patternNames are the names.
	patterns     map[string][]pattern
	patternNames []string
}

// New is a generator whose statements depend on its arguments alone: a seed, names of functions, and statements.
func New(seed uint64, functions, corpus []string) *Generator {
	g := &Generator{r: rand.New(rand.NewPCG(seed, 77)), functions: functions, patterns: map[string][]pattern{}}
	for _, text := range plain {
		g.learn(text)
	}
	for _, sql := range corpus {
		if m := computes.FindStringSubmatch(sql); m != nil && !clause.MatchString(m[1]) {
			text := strings.TrimSuffix(m[1], " AS v")
			g.known = append(g.known, text)
			g.learn(text)
		}
	}
	return g
}

var (
	computes = regexp.MustCompile(`(?is)^SELECT\s+(.+)$`)
	clause   = regexp.MustCompile(`(?i)\b(FROM|WHERE|ORDER|LIMIT|GROUP|HAVING|OVER|SELECT|AS\s+\w+$)\b`)
)

// transplant is a known expression with some of its literals replaced by columns and others of their kind.
func (g *Generator) transplant() string {
	parts := token.FindAllString(g.pick(g.known...), -1)
	for i, p := range parts {
		if g.r.IntN(2) == 0 {
			continue
		}
		typed := i > 0 && word.MatchString(parts[i-1]) // DATE'…'
		switch {
		case typed:
		case p[0] == '\'':
			parts[i] = g.pick("s", "s", "s", "s", "'é'", "CAST(NULL AS STRING)", "v", p)
		case p[0] >= '0' && p[0] <= '9' && (i+1 == len(parts) || !word.MatchString(parts[i+1])) && (i == 0 || parts[i-1] != "(" || i < 2 || !sized.MatchString(parts[i-2])):
			parts[i] = g.pick("id", "id", "p", "p", "0", "CAST(NULL AS INT)", "k", p)
		}
	}
	return strings.Join(parts, "")
}

var (
	word  = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*$`)
	sized = regexp.MustCompile(`(?i)^(DECIMAL|CHAR|VARCHAR)$`)
)

func (g *Generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

// maybe is the text, one time of n.
func (g *Generator) maybe(n int, text func() string) string {
	if g.r.IntN(n) == 0 {
		return text()
	}
	return ""
}

// Statement is a query: most are sound, many have types that do not fit.
func (g *Generator) Statement() string {
	switch g.r.IntN(26) {
	case 10, 11:
		return "SELECT " + g.bent(1) + g.pick("", " AS r, id") + " FROM t" + g.pick("", "", " WHERE p = 1", " GROUP BY ALL", " ORDER BY 1", ", u WHERE k = id")
	case 12:
		return "SELECT id FROM t WHERE " + g.bent(1) + g.pick(" IS NOT NULL", " = "+g.bent(0), " IN ("+g.bent(0)+")", "")
	case 13:
		return "SELECT " + g.bentOf(windowed, 1) + g.maybe(3, func() string { return " FILTER (WHERE " + g.atom() + ")" }) + g.pick("", " IGNORE NULLS", "") + g.over() + " FROM t"
	case 14:
		return g.pipes()
	case 15:
		return g.recursive()
	case 16:
		return "SELECT " + g.pick("* ", "count(*) ", "id, "+g.expr(g.kind(), 1)+" ") + "FROM " + g.relation(1) + g.pick("", " WHERE "+g.atom())
	case 17:
		return "SELECT " + g.bentOf(windowed, 1) + g.maybe(3, func() string { return " FILTER (WHERE " + g.atom() + ")" }) + ", " + g.aggregateOf(g.bent(1)) + " FROM t GROUP BY " + g.pick("p", "ALL", "id", "ROLLUP (p, id)")
	case 22:
		return "SELECT " + g.oddly() + ", " + g.oddly() + " FROM odd" + g.pick("", " WHERE "+g.oddly()+" IS NOT NULL", " GROUP BY ALL", " ORDER BY "+g.oddly(), ", t")
	case 18:
		return "SELECT " + g.special() + ", " + g.special() + " FROM t"
	case 19, 20, 21:
		return g.Script()
	case 0:
		return g.setOperation()
	case 1:
		return g.with()
	case 2:
		return "SELECT " + g.call(1) + " FROM t"
	case 3, 7, 8:
		return "SELECT " + g.transplant() + g.pick("", " AS r, id") + " FROM t" + g.pick("", "", " JOIN u ON id = k", " LEFT JOIN u ON id = k WHERE s IS NOT NULL", " WHERE "+g.atom(), " GROUP BY ALL")
	case 9:
		return "SELECT * FROM t JOIN u ON id >= k WHERE " + g.transplant() + g.pick(" IS NOT NULL", " IS NULL", " = "+g.transplant())
	case 4:
		return "SELECT " + g.call(1)
	case 5:
		return g.generated()
	case 6:
		return g.pivot()
	}
	return g.query(2)
}

// oddly is an expression over columns and fields whose names look like something else.
func (g *Generator) oddly() string {
	name := g.pick("`a b`", "`$1`", "`x'y\"z`", "`x'y\"z`.`f.g`", "`x'y\"z`.`q\"r`", "c1", "h1", "`é`", "`é`['\\''].`'`", "`sel;ect`", "`x'y\"z`.c1", "'$1'", "struct(c1, `$1`)", "named_struct('\\0', c1, '', h1, 'C1', 2, '$1', `$1`)")
	switch g.r.IntN(5) {
	case 0:
		return name + g.pick("", " AS `o\"'`", " || '$1'")
	case 1:
		return g.pick("transform", "filter", "exists") + "(array(" + name + "), c1 -> c1" + g.pick("", " = "+name, " IS NULL", " || h1") + ")"
	case 2:
		return g.pick("max", "first", "collect_list", "count", "listagg") + "(" + name + ")" + g.pick("", g.over(), " OVER (PARTITION BY `$1`)", " FILTER (WHERE h1 <> '$F')")
	}
	return g.pick(g.functions...) + "(" + name + g.pick("", ", '$1'", ", "+g.expr(g.kind(), 0)) + ")"
}

// query is a SELECT with as many levels of sub-queries as depth says.
func (g *Generator) query(depth int) string {
	n := 1 + g.r.IntN(3)
	items := make([]string, n)
	grouped := g.r.IntN(4) == 0
	for i := range items {
		switch {
		case grouped && i > 0:
			items[i] = g.aggregate()
		case g.r.IntN(7) == 0:
			items[i] = g.window()
		default:
			items[i] = g.expr(g.kind(), 2)
		}
		items[i] += g.maybe(3, func() string { return fmt.Sprintf(" AS c%d", i) })
	}
	text := "SELECT " + g.pick("", "", "", "DISTINCT ") + strings.Join(items, ", ") + " FROM " + g.from(depth)
	text += g.maybe(2, func() string { return " WHERE " + g.predicate(depth) })
	if grouped {
		text += " GROUP BY " + g.pick("1", "ALL", items[0], "ROLLUP("+items[0]+", id)", "CUBE(id, p)", "GROUPING SETS ((1), ())")
		text += g.maybe(3, func() string { return " HAVING " + g.aggregate() + " IS NOT NULL" })
	}
	text += g.maybe(12, func() string { return " QUALIFY " + g.window() + " IS NOT NULL" })
	text += g.maybe(3, func() string { return " ORDER BY " + g.pick("1", "1 DESC NULLS LAST", "ALL", items[0], "id, p") })
	text += g.maybe(5, func() string { return fmt.Sprintf(" LIMIT %d", g.r.IntN(5)) })
	return text + g.maybe(9, func() string { return fmt.Sprintf(" OFFSET %d", g.r.IntN(3)) })
}

func (g *Generator) from(depth int) string {
	join := g.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "NATURAL JOIN")
	on := " ON " + g.pick("id = k", "id <=> k", "s = v AND k > 0", "p < k", "true", "EXISTS (SELECT 1)", g.atom())
	if join == "CROSS JOIN" || join == "NATURAL JOIN" {
		on = ""
	}
	switch g.r.IntN(10) {
	case 6, 7:
		return g.relation(depth)
	case 0:
		return "t " + join + " u" + on
	case 1:
		return "t, LATERAL (SELECT k, v FROM u WHERE k = t.id)"
	case 2:
		if depth > 0 {
			return "(" + g.query(depth-1) + ") q"
		}
	case 3:
		return "VALUES (1, 'a', 1), (2, NULL, 2) AS t(id, s, p)"
	case 4:
		return "t LATERAL VIEW " + g.pick("", "OUTER ") + g.pick("explode(a)", "posexplode(a)", "explode(m)", "inline(array(o))", "stack(2, id, p)") + " lv"
	case 5:
		return "t TABLESAMPLE (" + g.pick("50 PERCENT", "2 ROWS", "100 PERCENT") + ")"
	}
	return "t"
}

func (g *Generator) predicate(depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return "(" + g.predicate(depth-1) + g.pick(" AND ", " OR ") + g.atom() + ")"
	case 1:
		return "NOT (" + g.atom() + ")"
	case 2:
		if depth > 0 {
			return g.pick("id IN (SELECT k FROM u)", "EXISTS (SELECT 1 FROM u WHERE k = id)", "id = (SELECT max(k) FROM u)", "(id, s) NOT IN (SELECT k, v FROM u)",
				"NOT EXISTS ("+g.query(depth-1)+")", "id > (SELECT count(*) FROM u WHERE v = s)", "p IN ("+g.query(0)+")")
		}
	}
	return g.atom()
}

func (g *Generator) atom() string {
	k := g.kind()
	switch g.r.IntN(7) {
	case 0:
		return g.expr(k, 1) + " IN (" + g.expr(k, 0) + ", " + g.expr(k, 0) + ")"
	case 1:
		return g.expr(k, 1) + " BETWEEN " + g.expr(k, 0) + " AND " + g.expr(k, 0)
	case 2:
		return g.expr("string", 1) + g.pick(" LIKE ", " RLIKE ", " ILIKE ", " NOT LIKE ") + g.expr("string", 0)
	case 3:
		return g.expr(k, 1) + " IS " + g.pick("NULL", "NOT NULL", "DISTINCT FROM "+g.expr(k, 0))
	case 4:
		return g.expr("boolean", 1)
	}
	return g.expr(k, 1) + " " + g.pick("=", "<", ">=", "<>", "<=>") + " " + g.expr(k, 1)
}

func (g *Generator) kind() string { return g.pick(kindNames...) }

// expr is an expression, in two of three cases of that kind.
func (g *Generator) expr(kind string, depth int) string {
	if depth <= 0 || g.r.IntN(3) == 0 {
		return g.pick(kinds[kind]...)
	}
	switch g.r.IntN(18) {
	case 0:
		return g.call(depth - 1)
	case 9, 10, 11:
		return g.bent(depth - 1)
	case 12:
		return g.special()
	case 8:
		return "(" + g.transplant() + ")"
	case 1:
		return "CASE WHEN " + g.atom() + " THEN " + g.expr(kind, depth-1) + g.maybe(2, func() string { return " ELSE " + g.expr(kind, depth-1) }) + " END"
	case 2:
		return g.pick("coalesce", "nvl", "nullif", "ifnull") + "(" + g.expr(kind, depth-1) + ", " + g.expr(kind, depth-1) + ")"
	case 3:
		return g.pick("CAST", "try_cast") + "(" + g.expr(g.kind(), depth-1) + " AS " + g.typeName(kind) + ")"
	case 4:
		return "(" + g.expr(kind, depth-1) + " " + g.operator(kind) + " " + g.expr(kind, depth-1) + ")"
	case 5:
		return g.pick("if(", "iff(") + g.atom() + ", " + g.expr(kind, depth-1) + ", " + g.expr(kind, depth-1) + ")"
	case 6:
		return g.pick("(SELECT max(k) FROM u)", "(SELECT v FROM u WHERE k = 3)", "a[0]", "m['k']", "o.f", "o.g", "element_at(a, 1)", "(id, s)", "-n", "~l", "array(o)[0].f")
	case 7:
		return g.pick("transform", "filter", "exists", "forall", "array_sort", "aggregate", "zip_with", "transform_values") + "(" + g.pick("a", "m", "array(1,2)", "a, 0", "a, a") + ", " +
			g.pick("e -> e + 1", "e -> e > 1", "(e, i) -> e", "(e, i) -> e + i", "e -> "+g.expr(kind, 0), "(k, v) -> v", "e -> NULL", g.lambda()) + ")"
	}
	return g.expr(kind, depth-1)
}

// operator is one that takes operands of the kind, most of the time.
func (g *Generator) operator(kind string) string {
	if g.r.IntN(12) > 0 {
		switch kind {
		case "int", "bigint":
			return g.pick("+", "-", "*", "/", "%", "div", "&", "|", "^")
		case "double", "decimal", "interval":
			return g.pick("+", "-", "*", "/", "%")
		case "boolean":
			return g.pick("AND", "OR", "=")
		case "date", "timestamp":
			return g.pick("-", "<", "=")
		default:
			return g.pick("||", "=", "<=>")
		}
	}
	return g.pick("+", "-", "*", "/", "%", "div", "||", "&", "|", "^")
}

func (g *Generator) typeName(kind string) string {
	switch kind {
	case "decimal":
		return g.pick("DECIMAL(10,2)", "DECIMAL(38,0)", "DECIMAL(3,3)")
	case "array":
		return g.pick("ARRAY<INT>", "ARRAY<STRING>")
	case "map":
		return "MAP<STRING,INT>"
	case "struct":
		return "STRUCT<f:INT,g:STRING>"
	case "interval":
		return g.pick("INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "INTERVAL HOUR")
	case "null":
		return g.pick("VOID", "STRING", "TINYINT", "FLOAT", "TIMESTAMP_NTZ", "VARCHAR(3)", "CHAR(2)", "SMALLINT", "BIGINT")
	case "time":
		return g.pick("TIME", "TIME(0)", "TIME(6)")
	case "calendar":
		return "INTERVAL"
	case "nested":
		return g.pick("ARRAY<STRUCT<f:INT,g:STRING>>", "MAP<INT,ARRAY<STRING>>", "STRUCT<a:ARRAY<INT>,m:MAP<STRING,INT>>", "ARRAY<ARRAY<BIGINT>>", "MAP<STRING,STRING>", "ARRAY<DECIMAL(10,2)>", "ARRAY<TIMESTAMP>")
	}
	return strings.ToUpper(kind)
}

// call is any function with arguments of any type.
func (g *Generator) call(depth int) string {
	n := []int{0, 1, 1, 1, 2, 2, 2, 3, 3, 4}[g.r.IntN(10)]
	args := make([]string, n)
	for i := range args {
		args[i] = g.expr(g.kind(), depth)
	}
	return g.pick(g.functions...) + "(" + g.maybe(20, func() string { return "DISTINCT " }) + strings.Join(args, ", ") + ")" +
		g.maybe(25, func() string { return " FILTER (WHERE " + g.atom() + ")" }) + g.maybe(25, func() string { return g.over() })
}

func (g *Generator) aggregate() string {
	f := g.pick("count", "sum", "avg", "min", "max", "collect_list", "collect_set", "first", "last", "stddev", "bool_and", "approx_count_distinct", "median", "mode", "any_value")
	return f + "(" + g.maybe(5, func() string { return "DISTINCT " }) + g.expr(g.kind(), 1) + ")" + g.maybe(6, func() string { return " FILTER (WHERE " + g.atom() + ")" })
}

// aggregateOf is an aggregate of a text.
func (g *Generator) aggregateOf(text string) string {
	return g.pick("count", "sum", "max", "min", "first", "collect_list", "collect_set", "any_value", "mode", "count_if", "approx_count_distinct", "try_sum", "array_agg", "listagg", "median", "max_by", "histogram_numeric", "kurtosis", "regr_slope",
		"approx_top_k", "percentile_approx", "bit_xor", "every", "grouping", "last_value", "try_avg", "hll_sketch_agg", "bitmap_construct_agg", "count_min_sketch") + "(" + g.pick("", "", "", "DISTINCT ") + text + g.pick("", "", "", ", id", ", 0.5") + ")" +
		g.pick("", "", "", " FILTER (WHERE "+g.atom()+")", " WITHIN GROUP (ORDER BY id)", " WITHIN GROUP (ORDER BY "+g.expr(g.kind(), 1)+" DESC)")
}

func (g *Generator) window() string {
	if g.r.IntN(3) == 0 {
		return g.aggregateOf(g.expr(g.kind(), 1)) + g.over()
	}
	f := g.pick("row_number()", "rank()", "dense_rank()", "ntile(2)", "percent_rank()", "cume_dist()", "lag("+g.expr(g.kind(), 1)+")", "lead(id, 2, 0)",
		"first_value("+g.expr(g.kind(), 0)+") IGNORE NULLS", "nth_value(s, 2)", g.aggregate())
	return f + g.over()
}

func (g *Generator) over() string {
	frame := g.pick("", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING", " ROWS UNBOUNDED PRECEDING",
		" RANGE BETWEEN "+g.expr(g.pick("int", "interval", "decimal"), 0)+" PRECEDING AND CURRENT ROW", " ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING", " ROWS BETWEEN 2 FOLLOWING AND 1 PRECEDING", " RANGE CURRENT ROW")
	return " OVER (" + g.pick("", "PARTITION BY p ", "PARTITION BY s ") + g.pick("", "ORDER BY id", "ORDER BY dt DESC", "ORDER BY "+g.expr(g.kind(), 0)) + frame + ")"
}

func (g *Generator) setOperation() string {
	k := g.kind()
	side := func() string { return "SELECT " + g.expr(k, 1) + " FROM t" }
	return side() + g.pick(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " MINUS ", " EXCEPT ALL ") + side() + g.maybe(3, func() string { return " ORDER BY 1" })
}

func (g *Generator) with() string {
	return "WITH q AS (" + g.query(1) + "), r AS (SELECT * FROM q) SELECT * FROM q " + g.pick("", "JOIN r", "UNION ALL SELECT * FROM r", ", t", "WHERE EXISTS (SELECT 1 FROM r)")
}

func (g *Generator) generated() string {
	f := g.pick("explode(", "posexplode(", "explode_outer(", "inline(", "stack(2, ", "json_tuple(", "posexplode_outer(") + g.expr(g.pick("array", "map", "string"), 1) + ")"
	return "SELECT " + g.pick("", "id, ") + f + g.pick("", " AS e", " AS (k, v)") + " FROM t"
}

func (g *Generator) pivot() string {
	return "SELECT * FROM (SELECT id, p, s FROM t) " + g.pick(
		"PIVOT (count("+g.pick("*", "s")+") FOR p IN (1, 2))", "PIVOT (max(s) AS a, min("+g.expr("int", 1)+") FOR p IN (1 AS one, 2 AS two))",
		"UNPIVOT (v FOR k IN (id, p))", "UNPIVOT INCLUDE NULLS (v FOR k IN (id AS a, s))")
}
