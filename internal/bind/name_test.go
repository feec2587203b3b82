package bind_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNames holds the names and types of columns that real Spark 4.3 gives, over u (a INT, b STRING, c INT) and
// t (o STRUCT<f: INT, g: STRING>, p INT, d DATE).
func TestNames(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT A, u.a, `a` FROM u", "A:int|a:int|a:int"},
		{"SELECT a AS x, b y FROM u", "x:int|y:string"},
		{
			"SELECT CAST(1 AS STRING), CAST(a AS STRING), CAST(a + 1 AS STRING), a::bigint, try_cast(b AS INT) FROM u",
			"CAST(1 AS STRING):string|a:string|CAST((a + 1) AS STRING):string|a:bigint|b:int",
		},
		{"SELECT int(b), string(1) FROM u", "b:int|1:string"},
		{"SELECT CAST(array('1') AS ARRAY<INT>), CAST('a' AS CHAR(5)) || 'b'", "array(1):array<int>|concat(CAST(a AS STRING), b):string"},
		{
			"SELECT from_unixtime(1), from_json('{}', 'a INT'), overlay('abc', 'x', 2), make_dt_interval(1), ceil(1.25, 1), mask('a', 'b')",
			"from_unixtime(1, yyyy-MM-dd HH:mm:ss):string|from_json({}):struct<a:int>|overlay(abc, x, 2, -1):string|" +
				"make_dt_interval(1, 0, 0, 0.000000):interval day to second|ceil(1.25, 1):decimal(3,1)|mask(a, b, x, n, NULL):string",
		},
		{
			"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC), string_agg(b, ',') WITHIN GROUP (ORDER BY b) FROM u",
			"percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC):double|listagg(b, ,) WITHIN GROUP (ORDER BY b ASC NULLS FIRST):string",
		},
		{
			"SELECT MAX(A), count(*), count(1), COUNT(DISTINCT a, b), sum(a) FILTER (WHERE a > 1) FROM u",
			"max(A):int|count(1):bigint|count(1):bigint|count(DISTINCT a, b):bigint|sum(a) FILTER (WHERE (a > 1)):bigint",
		},
		{"SELECT count(DISTINCT *), count(1, *) FROM u", "count(DISTINCT a, b, c):bigint|count(1, a, b, c):bigint"},
		{
			"SELECT a+1, -a, +a, a % 2, a div 2, NOT (a = 1), a != 1, a <> 1, a == 1, a <=> 1, ~a FROM u",
			"(a + 1):int|(- a):int|(+ a):int|(a % 2):int|(a div 2):bigint|(NOT (a = 1)):boolean|(NOT (a = 1)):boolean|(NOT (a = 1)):boolean|(a = 1):boolean|(a <=> 1):boolean|~a:int",
		},
		{
			"SELECT 'abc', 1.5, 1.5D, 1L, 1S, 1e3, X'1F', true, NULL, date'2020-01-01', interval '1' day, .5, 1., -1, - 1, -(1)",
			"abc:string|1.5:decimal(2,1)|1.5:double|1:bigint|1:smallint|1000.0:double|X'1F':binary|true:boolean|NULL:void|DATE '2020-01-01':date|INTERVAL '1' DAY:interval day|0.5:decimal(1,1)|1:decimal(1,0)|-1:int|-1:int|(- 1):int",
		},
		{
			"SELECT a = 1 AND b = 'x' OR a IS NULL, a IS NOT NULL, a IN (1,2), a NOT IN (1,2), a BETWEEN 1 AND 2 FROM u",
			"(((a = 1) AND (b = x)) OR (a IS NULL)):boolean|(a IS NOT NULL):boolean|(a IN (1, 2)):boolean|(NOT (a IN (1, 2))):boolean|between(a, 1, 2):boolean",
		},
		{
			"SELECT CASE WHEN a = 1 THEN 'y' ELSE 'n' END, CASE a WHEN 1 THEN 'y' END, if(a = 1, 'a', 'b'), coalesce(a, 1) FROM u",
			"CASE WHEN (a = 1) THEN y ELSE n END:string|CASE WHEN (a = 1) THEN y END:string|(IF((a = 1), a, b)):string|coalesce(a, 1):int",
		},
		{"SELECT o.f, o.F, t.o.f, o.f + 1, o['f'], (o).f FROM t", "f:int|F:int|f:int|(o.f + 1):int|o.f:int|f:int"},
		{"SELECT a IS TRUE, a IS NOT TRUE, a IS UNKNOWN FROM (SELECT true AS a)", "(a <=> true):boolean|(NOT (a <=> true)):boolean|(a IS NULL):boolean"},
		{"SELECT (a, b) = (1, 'x') FROM u", "(named_struct(a, a, b, b) = named_struct(col1, 1, col2, x)):boolean"},
		{
			"SELECT row_number() OVER (PARTITION BY a ORDER BY b), sum(a) OVER (), rank() OVER (ORDER BY a DESC NULLS LAST) FROM u",
			"row_number() OVER (PARTITION BY a ORDER BY b ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW):int|" +
				"sum(a) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING):bigint|" +
				"RANK() OVER (ORDER BY a DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW):int",
		},
		{
			"SELECT lag(a) OVER (ORDER BY a), sum(a) OVER w FROM u WINDOW w AS (ORDER BY a ROWS 2 PRECEDING)",
			"lag(a, 1, NULL) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN -1 FOLLOWING AND -1 FOLLOWING):int|" +
				"sum(a) OVER (ORDER BY a ASC NULLS FIRST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW):bigint",
		},
		{
			"SELECT (SELECT max(a) FROM u), EXISTS (SELECT 1 FROM e WHERE e.p = u.a), a IN (SELECT a FROM u) FROM u",
			"scalarsubquery():int|exists(a):boolean|(a IN (listquery())):boolean",
		},
		{"SELECT a AS x, x + 1, x FROM u", "x:int|(lateralAliasReference(x) + 1):int|x:int"},
		{"SELECT a + '1', b || 1, d + 1, d - date'2019-01-01' FROM u, t", "(a + 1):bigint|concat(b, 1):string|date_add(d, 1):date|(d - DATE '2019-01-01'):interval day"},
		{"VALUES (1, 'a'), (2L, NULL)", "col1:bigint|col2:string"},
		{"SELECT * FROM range(3)", "id:bigint"},
		{"SELECT 1 AS a UNION ALL SELECT 2.5", "a:decimal(11,1)"},
		{"SELECT NULL UNION ALL SELECT 1", "NULL:int"},
		{"SELECT * FROM u JOIN e ON u.a = e.p", "a:int|b:string|c:int|n:bigint|p:int"},
		{"SELECT * FROM (SELECT a AS k, b FROM u) x FULL JOIN (SELECT n AS k, p FROM e) y USING (k)", "k:bigint|b:string|p:int"},
		{"SELECT y.* FROM (SELECT a AS k, b FROM u) x JOIN (SELECT p, n AS k FROM e) y USING (k)", "k:bigint|p:int"},
		{"SELECT * FROM (SELECT a AS k, b FROM u) x NATURAL JOIN (SELECT p, a AS k FROM e, u) y", "k:int|b:string|p:int"},
		{"SELECT * EXCEPT (a), o.* FROM u, t", "b:string|c:int|id:int|s:string|x:double|o:struct<f:int,g:string>|arr:array<int>|m:map<string,int>|p:int|d:date|f:int|g:string"},
		{"SELECT p, grouping(p), grouping_id() FROM t GROUP BY CUBE (p)", "p:int|grouping(p):tinyint|grouping_id():bigint"},
		{"SELECT a FROM (SELECT a, a FROM u)", "a:int"},
		{"TABLE u", "a:int|b:string|c:int"},
		{"SELECT * FROM v AS w(x, y)", "x:int|y:bigint"},
		{
			"SELECT INTERVAL '1 day 2 hours', INTERVAL 3 WEEKS, INTERVAL '1.5' SECOND, INTERVAL 1 YEAR 2 MONTHS",
			"INTERVAL '1 02' DAY TO HOUR:interval day to hour|INTERVAL '21' DAY:interval day|INTERVAL '01.5' SECOND:interval second|INTERVAL '1-2' YEAR TO MONTH:interval year to month",
		},
	} {
		n, err := bindSQL(t, fixture(t), c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var got []string
		for _, o := range n.Output() {
			got = append(got, o.Name+":"+o.Type.String())
		}
		if d := cmp.Diff(c.want, strings.Join(got, "|")); d != "" {
			t.Errorf("%s\n%s", c.sql, d)
		}
	}
}
