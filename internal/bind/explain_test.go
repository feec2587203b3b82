package bind_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/bind"
)

// plans are statements with the tree that they become. "\n" and two spaces of indent are as Explain prints them.
var plans = []struct{ name, sql, want string }{
	{"columns wanted", "SELECT id FROM t", `
Project [id]
  Scan parquet t  columns=[id]  partition filters=[]`},
	{"partition filter", "SELECT id FROM t WHERE p = 1 AND id > 2", `
Project [id]
  Filter ((p = 1) AND (id > 2))
    Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]`},
	{"constant folded", "SELECT id FROM t WHERE p = 1 + 1 AND true", `
Project [id]
  Filter (p = 2)
    Scan parquet t  columns=[id, p]  partition filters=[(p = 2)]`},
	{"or with other columns is weakened", "SELECT id FROM t WHERE (p = 1 AND id > 2) OR (p = 2 AND s = 'x')", `
Project [id]
  Filter (((p = 1) AND (id > 2)) OR ((p = 2) AND (s = 'x')))
    Scan parquet t  columns=[id, s, p]  partition filters=[((p = 1) OR (p = 2))]`},
	{"or without partition column prunes nothing", "SELECT id FROM t WHERE p = 1 OR id = 2", `
Project [id]
  Filter ((p = 1) OR (id = 2))
    Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"rows of partition columns", "SELECT id FROM t WHERE (p, d) IN ((1, DATE'2024-01-01'), (2, DATE'2024-01-02'))", `
Project [id]
  Filter ((p, d) IN ({1, 2024-01-01}, {2, 2024-01-02}))
    Scan parquet t  columns=[id, p, d]  partition filters=[((p, d) IN ({1, 2024-01-01}, {2, 2024-01-02}))]`},
	{"rows of mixed columns", "SELECT id FROM t WHERE (p, id) IN ((1, 10), (2, 20))", `
Project [id]
  Filter ((p, id) IN ({1, 10}, {2, 20}))
    Scan parquet t  columns=[id, p]  partition filters=[(p IN (1, 2))]`},
	{"through a sub-query", "SELECT * FROM (SELECT id, p + 1 AS q FROM t) WHERE q = 3", `
Project [id, q]
  Project [id, (p + 1) AS q]
    Filter ((p + 1) = 3)
      Scan parquet t  columns=[id, p]  partition filters=[((p + 1) = 3)]`},
	{"through a join", "SELECT id, c FROM t JOIN u ON t.id = u.a WHERE p = 1 AND c > 2", `
Project [id, c]
  Join inner on (id = a)
    Filter (p = 1)
      Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]
    Filter (c > 2)
      Scan parquet u  columns=[a, c]`},
	{"a comma is a join", "SELECT id FROM t, u WHERE t.id = u.a", `
Project [id]
  Join inner on (id = a)
    Scan parquet t  columns=[id]  partition filters=[]
    Scan parquet u  columns=[a]`},
	{"over an equality", "SELECT id FROM t JOIN e ON t.p = e.p WHERE e.p = 3", `
Project [id]
  Join inner on (p = p)
    Filter (p = 3)
      Scan parquet t  columns=[id, p]  partition filters=[(p = 3)]
    Filter (p = 3)
      Scan parquet e  columns=[p]  partition filters=[(p = 3)]`},
	{"left join keeps the right filter above", "SELECT id FROM t LEFT JOIN e ON t.id = e.n WHERE e.p = 3 AND t.p = 1", `
Project [id]
  Filter (p = 3)
    Join left on (CAST(id AS BIGINT) = n)
      Filter (p = 1)
        Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]
      Scan parquet e  columns=[n, p]  partition filters=[]`},
	{"left join's own condition", "SELECT id FROM t LEFT JOIN e ON t.id = e.n AND e.p = 3 AND t.p = 1", `
Project [id]
  Join left on ((CAST(id AS BIGINT) = n) AND (p = 1))
    Scan parquet t  columns=[id, p]  partition filters=[]
    Filter (p = 3)
      Scan parquet e  columns=[n, p]  partition filters=[(p = 3)]`},
	{"full join keeps both", "SELECT id FROM t FULL JOIN e ON t.p = e.p WHERE t.p = 1", `
Project [id]
  Filter (p = 1)
    Join full on (p = p)
      Scan parquet t  columns=[id, p]  partition filters=[]
      Scan parquet e  columns=[p]  partition filters=[]`},
	{"anti join keeps its left condition", "SELECT id FROM t ANTI JOIN u ON t.id = u.a AND t.p = 1 AND u.c = 2", `
Project [id]
  Join anti on ((id = a) AND (p = 1))
    Scan parquet t  columns=[id, p]  partition filters=[]
    Filter (c = 2)
      Scan parquet u  columns=[a, c]`},
	{"through keys of a group", "SELECT * FROM (SELECT p, sum(id) AS n FROM t GROUP BY p) WHERE p = 1 AND n > 5", `
Project [p, n]
  Project [p, agg1 AS n]
    Filter (n > 5)
      Aggregate by [p] [sum(id)]
        Filter (p = 1)
          Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]`},
	{"not through grouping sets", "SELECT * FROM (SELECT p, sum(id) AS n FROM t GROUP BY ROLLUP (p)) WHERE p = 1", `
Project [p, n]
  Project [p, agg1 AS n]
    Filter (p = 1)
      Aggregate by [p] sets [(p), ()] [sum(id)]
        Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"through windows by the partition", "SELECT * FROM (SELECT p, id, row_number() OVER (PARTITION BY p ORDER BY id) AS r FROM t) WHERE p = 1 AND r = 1", `
Project [p, id, r]
  Project [p, id, window1 AS r]
    Filter (r = 1)
      Window [row_number() OVER (PARTITION BY p ORDER BY id ASC NULLS FIRST)]
        Filter (p = 1)
          Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]`},
	{"not through other windows", "SELECT * FROM (SELECT p, sum(id) OVER (PARTITION BY s) AS r FROM t) WHERE p = 1", `
Project [p, r]
  Project [p, window1 AS r]
    Filter (p = 1)
      Window [sum(id) OVER (PARTITION BY s)]
        Scan parquet t  columns=[id, s, p]  partition filters=[]`},
	{"into both inputs of a union", "SELECT * FROM (SELECT id, p FROM t UNION ALL SELECT a, c FROM u) WHERE p = 1", `
Project [id, p]
  Union all [id, p]
    Project [id, p]
      Filter (p = 1)
        Scan parquet t  columns=[id, p]  partition filters=[(p = 1)]
    Project [a, c]
      Filter (c = 1)
        Scan parquet u  columns=[a, c]`},
	{"columns of a union", "SELECT id FROM (SELECT id, s FROM t UNION ALL SELECT a, b FROM u)", `
Project [id]
  Union all [id]
    Project [id]
      Scan parquet t  columns=[id]  partition filters=[]
    Project [a]
      Scan parquet u  columns=[a]`},
	{"not through a limit", "SELECT * FROM (SELECT id, p FROM t LIMIT 5) WHERE p = 1", `
Project [id, p]
  Filter (p = 1)
    Limit 5
      Project [id, p]
        Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"a random value stays", "SELECT * FROM (SELECT id, rand() AS r FROM t) WHERE r < 0.5 AND id = 1", `
Project [id, r]
  Filter (r < 0.5)
    Project [id, rand() AS r]
      Filter (id = 1)
        Scan parquet t  columns=[id]  partition filters=[]`},
	{"order by what is not selected", "SELECT id FROM t ORDER BY s DESC, p LIMIT 3", `
Project [id]
  Limit 3
    Sort [s DESC NULLS LAST, p ASC NULLS FIRST]
      Project [id, s, p]
        Scan parquet t  columns=[id, s, p]  partition filters=[]`},
	{"alias before column in order by", "SELECT -id AS id FROM t ORDER BY id + 0", `
Project [id]
  Sort [sort1 ASC NULLS FIRST]
    Project [(- id) AS id, ((- id) + 0) AS sort1]
      Scan parquet t  columns=[id]  partition filters=[]`},
	{"count of rows reads nothing of u", "SELECT count(*) FROM u", `
Project [agg1 AS count(1)]
  Aggregate [count(*)]
    Scan parquet u  columns=[]`},
	{"exists reads nothing", "SELECT a FROM u WHERE EXISTS (SELECT * FROM e)", `
Project [a]
  Filter exists(subquery)
    Subquery
      Project [1 AS 1]
        Scan parquet e  columns=[]  partition filters=[]
    Scan parquet u  columns=[a]`},
	{"max of a partition column", "SELECT max(p) FROM t", `
Project [agg1 AS max(p)]
  PartitionAggregate max(p)  of Scan parquet t  columns=[p]  partition filters=[]
    Aggregate [max(p)]
      Supplied partitions [p, rows]`},
	{"max behind an expression", "SELECT max(p) FROM (SELECT p + 1 AS p FROM t)", `
Project [agg1 AS max(p)]
  PartitionAggregate max(p)  of Scan parquet t  columns=[p]  partition filters=[]
    Aggregate [max(p)]
      Project [(p + 1) AS p, rows]
        Supplied partitions [p, rows]`},
	{"counts add rows up", "SELECT count(*), count(p), count(DISTINCT d), min(d) FROM t WHERE p > 1", `
Project [agg1 AS count(1), agg2 AS count(p), agg3 AS count(DISTINCT d), agg4 AS min(d)]
  PartitionAggregate count(*), count(p), count(DISTINCT d), min(d)  of Scan parquet t  columns=[p, d]  partition filters=[(p > 1)]
    Project [coalesce(agg1, 0) AS agg1, coalesce(agg2, 0) AS agg2, agg3, agg4]
      Aggregate [sum(rows), sum(rows) FILTER (WHERE (p IS NOT NULL)), count(DISTINCT d), min(d)]
        Filter (p > 1)
          Supplied partitions [p, d, rows]`},
	{"groups of partition columns", "SELECT p, count(*) FROM t GROUP BY p HAVING count(*) > 2", `
Project [p, agg1 AS count(1)]
  Filter (agg1 > 2)
    PartitionAggregate count(*) by (p)  of Scan parquet t  columns=[p]  partition filters=[]
      Project [p, coalesce(agg1, 0) AS agg1]
        Aggregate by [p] [sum(rows)]
          Supplied partitions [p, rows]`},
	{"distinct partition columns", "SELECT DISTINCT d FROM t WHERE p = 1 ORDER BY d", `
Sort [d ASC NULLS FIRST]
  PartitionAggregate distinct(d)  of Scan parquet t  columns=[p, d]  partition filters=[(p = 1)]
    Distinct
      Project [d]
        Filter (p = 1)
          Supplied partitions [p, d, rows]`},
	{"not when a data column takes part", "SELECT max(p) FROM t WHERE id > 1", `
Project [agg1 AS max(p)]
  Aggregate [max(p)]
    Filter (id > 1)
      Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"not for a sum", "SELECT sum(p) FROM t", `
Project [agg1 AS sum(p)]
  Aggregate [sum(p)]
    Scan parquet t  columns=[p]  partition filters=[]`},
	{"not under a join", "SELECT max(t.p) FROM t JOIN u ON t.p = u.a", `
Project [agg1 AS max(p)]
  Aggregate [max(p)]
    Join inner on (p = a)
      Scan parquet t  columns=[p]  partition filters=[]
      Scan parquet u  columns=[a]`},
	{"data columns by statistics", "SELECT p, count(*), count(s), max(id), min(p) FROM k WHERE p > 1 GROUP BY p", `
Project [p, agg1 AS count(1), agg2 AS count(s), agg3 AS max(id), agg4 AS min(p)]
  PartitionAggregate count(*), count(s), max(id), min(p) by (p)  of Scan parquet k  columns=[p]  partition filters=[(p > 1)]
    Project [p, coalesce(agg1, 0) AS agg1, coalesce(agg2, 0) AS agg2, agg3, agg4]
      Aggregate by [p] [sum(rows), sum(values(s)), max(max(id)), min(p)]
        Filter (p > 1)
          Supplied statistics [p, rows, values(s), max(id)]`},
	{"statistics through projections", "SELECT max(a), max(a) FILTER (WHERE b = 2) FROM (SELECT id AS a, p + 1 AS b FROM k) WHERE b < 7", `
Project [agg1 AS max(a), agg2 AS max(a) FILTER (WHERE (b = 2))]
  PartitionAggregate max(a), max(a) FILTER (WHERE (b = 2))  of Scan parquet k  columns=[p]  partition filters=[((p + 1) < 7)]
    Project [agg1, agg2]
      Aggregate [max(max(id)), max(max(id)) FILTER (WHERE ((p + 1) = 2))]
        Filter ((p + 1) < 7)
          Supplied statistics [p, rows, max(id)]`},
	{"no statistics of text", "SELECT max(s), count(o) FROM k", `
Project [agg1 AS max(s), agg2 AS count(o)]
  Aggregate [max(s), count(o)]
    Scan parquet k  columns=[s, o]  partition filters=[]`},
	{"no statistics of some rows", "SELECT max(id) FROM k WHERE s = 'a'", `
Project [agg1 AS max(id)]
  Aggregate [max(id)]
    Filter (s = 'a')
      Scan parquet k  columns=[id, s]  partition filters=[]`},
	{"no statistics of an enclosing query's row", "SELECT a, (SELECT max(id) FROM k WHERE p = a) FROM u", `
Project [a, scalarsubquery() AS scalarsubquery(a)]
  Subquery
    Project [agg1 AS max(id)]
      Aggregate [max(id)]
        Filter (p = a)
          Scan parquet k  columns=[id, p]  partition filters=[]
  Scan parquet u  columns=[a]`},
	{"in a sub-query", "SELECT id FROM t WHERE p = (SELECT max(p) FROM t)", `
Project [id]
  Filter (p = scalarsubquery())
    Subquery
      Project [agg1 AS max(p)]
        PartitionAggregate max(p)  of Scan parquet t  columns=[p]  partition filters=[]
          Aggregate [max(p)]
            Supplied partitions [p, rows]
    Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"view", "SELECT part FROM v WHERE rows > 3 AND part = 1", `
Project [part]
  Project [p AS part]
    Project [p]
      Filter (rows > 3)
        PartitionAggregate count(*) by (p)  of Scan parquet t  columns=[p]  partition filters=[(p = 1)]
          Project [p, coalesce(agg1, 0) AS agg1]
            Aggregate by [p] [sum(rows)]
              Filter (p = 1)
                Supplied partitions [p, rows]`},
	{"common table expressions", "WITH a AS (SELECT id FROM t), b(x) AS (SELECT id + 1 FROM a) SELECT * FROM b, a", `
Project [x, id]
  Join cross
    Project [(id + 1) AS (id + 1)]
      Project [id]
        Scan parquet t  columns=[id]  partition filters=[]
    Project [id]
      Scan parquet t  columns=[id]  partition filters=[]`},
	{"lateral", "SELECT * FROM u, LATERAL (SELECT id FROM t WHERE t.p = u.c) AS z", `
Project [a, b, c, id]
  Join cross lateral
    Scan parquet u  columns=[a, b, c]
    Project [id]
      Filter (p = c)
        Scan parquet t  columns=[id, p]  partition filters=[]`},
	{"supplied rows", "SELECT upper.k FROM info AS upper WHERE k = 'one'", `
Project [k]
  Filter (k = 'one')
    Supplied info [k]`},
	{"range and values", "SELECT * FROM range(1, 9, 2) CROSS JOIN VALUES (1, 'a'), (2L, NULL) AS v(x, y)", `
Project [id, x, y]
  Join cross
    Range (1, 9, 2)
    Values [x, y]  rows=2`},
	{"grouping sets", "SELECT p, grouping(d) AS g, count(s) FROM t GROUP BY GROUPING SETS ((p, d), (p), ())", `
Project [p, CAST(((grouping_id >> 0) & 1) AS TINYINT) AS g, agg1 AS count(s)]
  Aggregate by [p, d] sets [(p, d), (p), ()] [count(s)]
    Scan parquet t  columns=[s, p, d]  partition filters=[]`},
	{"qualify", "SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY p ORDER BY d) = 1", `
Project [id]
  Filter (window1 = 1)
    Window [row_number() OVER (PARTITION BY p ORDER BY d ASC NULLS FIRST)]
      Scan parquet t  columns=[id, p, d]  partition filters=[]`},
	{"joins after a comma", "SELECT u.a FROM u, e LEFT JOIN t ON u.a = t.id", `
Project [a]
  Join left on (a = id)
    Join cross
      Scan parquet u  columns=[a]
      Scan parquet e  columns=[]  partition filters=[]
    Scan parquet t  columns=[id]  partition filters=[]`},
	{"a join in parentheses", "SELECT u.a FROM u, (e LEFT JOIN t ON e.p = t.id)", `
Project [a]
  Join cross
    Scan parquet u  columns=[a]
    Join left on (p = id)
      Scan parquet e  columns=[p]  partition filters=[]
      Scan parquet t  columns=[id]  partition filters=[]`},
	{"pivot", "SELECT * FROM u PIVOT (sum(c) FOR a IN (1, 2 AS two))", `
Project [b, 1, two]
  Project [b, CASE WHEN (agg1 > 0) THEN agg2 END AS 1, CASE WHEN (agg3 > 0) THEN agg4 END AS two]
    Aggregate by [b] [count(*) FILTER (WHERE (a <=> 1)), sum(c) FILTER (WHERE (a <=> 1)), count(*) FILTER (WHERE (a <=> 2)), sum(c) FILTER (WHERE (a <=> 2))]
      Scan parquet u  columns=[a, b, c]`},
	{"unpivot", "SELECT * FROM u UNPIVOT (v FOR name IN (a, c AS sea))", `
Project [b, name, v]
  Project [b, name, CASE WHEN (set = 0) THEN a WHEN (set = 1) THEN c END AS v]
    Join inner on (CASE WHEN (set = 0) THEN a WHEN (set = 1) THEN c END IS NOT NULL)
      Scan parquet u  columns=[a, b, c]
      Values [set, name]  rows=2`},
	{"no from", "SELECT 1 + 1 AS two WHERE false", `
Project [2 AS two]
  Filter false
    OneRow`},
}

func TestExplain(t *testing.T) {
	for _, c := range plans {
		t.Run(c.name, func(t *testing.T) {
			n, err := bindSQL(t, fixture(t), c.sql)
			if err != nil {
				t.Fatalf("%s: %v", c.sql, err)
			}
			if d := cmp.Diff(strings.TrimPrefix(c.want, "\n")+"\n", bind.Explain(n, nil)); d != "" {
				t.Errorf("%s\n%s", c.sql, d)
			}
		})
	}
}
