package randomsql

import "strings"

// Session is what a process is told before the statements of a seed: settings, variables, functions and views.
func (g *Generator) Session() []string {
	return []string{
		"SET spark.sql.ansi.enabled = " + g.pick("true", "false"),
		"SET spark.sql.session.timeZone = " + g.pick("UTC", "UTC", "America/Los_Angeles", "Asia/Kathmandu", "+05:30"),
		"SET spark.sql.legacy.interval.enabled = " + g.pick("false", "false", "false", "true"),
		"SET spark.sql.caseSensitive = " + g.pick("false", "false", "false", "true"),
		"DECLARE OR REPLACE VARIABLE v1 INT DEFAULT 3",
		"DECLARE OR REPLACE VARIABLE v2 = " + g.pick("'x'", "NULL", "array(1, 2)", "named_struct('f', 1)", "DATE'2024-01-01'", "1.5", "INTERVAL '1' DAY", "X'00'", "map('a', 1)"),
		"CREATE OR REPLACE TEMPORARY FUNCTION f_one(q INT) RETURNS INT RETURN q + 1",
		"CREATE OR REPLACE TEMPORARY FUNCTION f_any(q STRING DEFAULT 'd', z INT DEFAULT 1) RETURN concat(q, z, (SELECT max(k) FROM u))",
		"CREATE OR REPLACE TEMPORARY FUNCTION f_table(q INT) RETURNS TABLE (k INT, v STRING) RETURN SELECT k, v FROM u WHERE k < q",
		"CREATE OR REPLACE TEMPORARY VIEW v_t AS SELECT id, s, p, a FROM t",
	}
}

// quoted is a text as a literal.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// Script is a statement that is more than a query: dynamic, with parameters, about variables and functions, or one that
// writes to the scratch table w_t.
func (g *Generator) Script() string {
	switch g.r.IntN(22) {
	case 0:
		return "EXECUTE IMMEDIATE " + quoted(g.query(1))
	case 1:
		return "EXECUTE IMMEDIATE " + quoted("SELECT :x, "+g.pick("? + 1", ":y = :x", "CAST(:x AS STRING)", "id + :x FROM t", "s LIKE :x FROM t WHERE id = :y", "* FROM t LIMIT :x", "a[:x] FROM t", ":x || :x", "IDENTIFIER(:y) FROM t")) +
			" USING " + g.expr(g.kind(), 1) + g.pick("", " AS x") + g.pick("", ", "+g.expr(g.kind(), 1)+g.pick("", " AS y"))
	case 2:
		return "EXECUTE IMMEDIATE " + quoted("SELECT "+g.expr(g.kind(), 1)+g.pick("", " FROM t", " FROM t WHERE false", " FROM u LIMIT 1")) + " INTO " + g.pick("v1", "v2", "v1, v2", "nothing")
	case 3:
		return "SET VARIABLE " + g.pick("v1 = ", "v2 = ", "v1 = v1 + ") + g.expr(g.kind(), 2)
	case 4:
		return "SET VARIABLE (v1, v2) = (" + g.query(1) + ")"
	case 5:
		return "DECLARE OR REPLACE VARIABLE v2 " + g.pick("", g.typeName(g.kind())) + g.pick(" = ", " DEFAULT ") + g.expr(g.kind(), 2)
	case 6:
		return "SELECT " + g.pick("v1 + ", "v2 || ", "session.v1 = ", "f_one(v1) + ", "f_any(", "coalesce(v2, ", "array(v1, v2, ") + "(" + g.expr(g.kind(), 1) + ")" + g.pick("", ")") + g.pick("", " FROM t", " FROM t WHERE id = v1")
	case 7:
		return "SELECT " + g.pick("f_one(", "f_any(", "f_any(z => ", "f_bad(", "f_one(q => ") + g.expr(g.kind(), 1) + g.pick("", ", "+g.expr("int", 1)) + ") FROM t" + g.pick("", " WHERE f_one(p) = 2", " GROUP BY ALL")
	case 8:
		return "CREATE OR REPLACE TEMPORARY FUNCTION f_bad(" + g.pick("", "q INT", "q STRING, z "+g.typeName(g.kind()), "q INT DEFAULT "+g.expr("int", 1)) + ")" + g.pick("", " RETURNS "+g.typeName(g.kind())) + g.pick("", " DETERMINISTIC") + " RETURN " +
			g.pick(g.expr(g.kind(), 2), "(SELECT max(q) FROM t)", "q", "f_bad(q)", "("+g.query(1)+")", "sum(q)", "explode(array(q))")
	case 9:
		return g.pick("DESCRIBE ", "DESCRIBE QUERY ", "EXPLAIN ", "EXPLAIN EXTENDED ", "EXPLAIN FORMATTED ") + g.query(2)
	case 10:
		return "DESCRIBE " + g.pick("t", "EXTENDED t", "t id", "t nothing", "t PARTITION (p = 1)", "EXTENDED t PARTITION (p = "+g.expr("int", 0)+")", "FUNCTION EXTENDED "+g.pick(g.functions...), "v_t", "TABLE EXTENDED u AS JSON", "QUERY VALUES (1, NULL)")
	case 11:
		return "CREATE OR REPLACE TABLE w_t USING " + g.pick("parquet", "csv", "json") + g.pick("", " PARTITIONED BY (id)", " PARTITIONED BY (q)") + " AS " + g.query(1)
	case 12:
		return "CREATE OR REPLACE TABLE w_t (id " + g.typeName(g.kind()) + ", s STRING" + g.pick("", " DEFAULT "+g.expr("string", 1)) + ", q " + g.typeName(g.kind()) + ") USING " + g.pick("parquet", "json", "csv") + g.pick("", " PARTITIONED BY (q)")
	case 13:
		return "INSERT " + g.pick("INTO w_t ", "OVERWRITE w_t ", "INTO w_t BY NAME ", "INTO w_t (id, s) ", "INTO w_t PARTITION (q = "+g.expr(g.kind(), 0)+") ", "OVERWRITE w_t PARTITION (q) ", "INTO w_t REPLACE WHERE "+g.atom()+" ") +
			g.pick(g.query(1), "VALUES "+g.row(), "VALUES ("+g.expr(g.kind(), 1)+", 's', "+g.expr(g.kind(), 1)+")", "SELECT 1 AS q, "+g.expr(g.kind(), 1)+" AS id, 'a' AS s", "VALUES (DEFAULT, 'a', DEFAULT)", "TABLE u")
	case 14:
		return "MERGE INTO w_t USING u ON id = k WHEN MATCHED" + g.pick("", " AND "+g.atom()) + " THEN " + g.pick("DELETE", "UPDATE SET s = "+g.expr("string", 1), "UPDATE SET *") + " WHEN NOT MATCHED THEN INSERT " + g.pick("*", "(id, s) VALUES (k, "+g.expr("string", 1)+")")
	case 15:
		return g.pick("DELETE FROM w_t WHERE ", "UPDATE w_t SET s = 'x' WHERE ", "UPDATE w_t SET id = id + 1 WHERE ") + g.atom()
	case 16:
		return "CREATE OR REPLACE TEMPORARY VIEW w_v AS " + g.query(2)
	case 17:
		return "SELECT * FROM w_v" + g.pick("", " WHERE "+g.atom(), ", t", " LIMIT 1")
	case 18:
		return "SELECT " + g.expr(g.kind(), 1) + " FROM w_t" + g.pick("", " WHERE "+g.atom(), " GROUP BY ALL")
	case 19:
		return "ALTER TABLE w_t " + g.pick("ADD COLUMN n"+g.pick("1", "2")+" "+g.typeName(g.kind())+g.pick("", " DEFAULT "+g.expr(g.kind(), 1)), "DROP IF EXISTS PARTITION (q "+g.pick("=", "<", ">=", "<>")+" "+g.expr(g.kind(), 0)+")",
			"ADD IF NOT EXISTS PARTITION (q = "+g.expr(g.kind(), 0)+")", "RENAME COLUMN s TO s2", "SET TBLPROPERTIES ('a' = 'b')", "ALTER COLUMN id TYPE "+g.typeName(g.kind()), "ALTER COLUMN s SET DEFAULT "+g.expr(g.kind(), 1))
	case 20:
		return "SHOW " + g.pick("PARTITIONS t", "PARTITIONS t PARTITION (p = "+g.expr(g.kind(), 0)+")", "PARTITIONS w_t", "COLUMNS IN t", "TABLES LIKE "+g.expr("string", 0), "FUNCTIONS LIKE 'a*'", "TBLPROPERTIES t", "CREATE TABLE w_t", "TABLE EXTENDED LIKE 't*'", "VIEWS")
	}
	return "FROM t INSERT INTO w_t SELECT id, s, p INSERT OVERWRITE w_t SELECT " + g.expr(g.kind(), 1) + ", s, id"
}
