package parser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

func TestErrors(t *testing.T) {
	const syntax = "PARSE_SYNTAX_ERROR"
	for _, c := range []struct {
		sql       string
		condition string
		at        string // the text that the error points at
		found     string // of PARSE_SYNTAX_ERROR
	}{
		{"", "PARSE_EMPTY_STATEMENT", "", ""},
		{" ; -- nothing\n ;", "PARSE_EMPTY_STATEMENT", "", ""},
		{"SELECT 1 /* open", "UNCLOSED_BRACKETED_COMMENT", "/* open", ""},
		{"SELEC 1", syntax, "SELEC", "'SELEC'"},
		{"SELECT", syntax, "", "end of input"},
		{"SELECT (1", syntax, "", "end of input"},
		{"SELECT 'open", syntax, "'", "'''"},
		{"SELECT a FROM t WHERE", syntax, "", "end of input"},
		{"SELECT a FROM t GROUP a", syntax, "a", "'a'"},
		{"SELECT a, FROM t", "TRAILING_COMMA_IN_SELECT", ",", ""},
		{"SELECT 1; SELECT 2", syntax, "SELECT", "'SELECT'"},
		{"SELECT a ^^ b", syntax, "^", "'^'"},
		{"SELECT a IN ()", "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", ")", ""},
		{"SELECT CASE END", syntax, "", "end of input"},
		{"SELECT 300Y", "INVALID_NUMERIC_LITERAL_RANGE", "300Y", ""},
		{"SELECT 40000S", "INVALID_NUMERIC_LITERAL_RANGE", "40000S", ""},
		{"SELECT 9223372036854775808L", "INVALID_NUMERIC_LITERAL_RANGE", "9223372036854775808L", ""},
		{"SELECT 1e400D", "INVALID_NUMERIC_LITERAL_RANGE", "1e400D", ""},
		{"SELECT 123456789012345678901234567890123456789", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "123456789012345678901234567890123456789", ""},
		{"SELECT X'zz'", "INVALID_TYPED_LITERAL", "'zz'", ""},
		{"SELECT CAST(a AS foo)", "UNSUPPORTED_DATATYPE", "foo", ""},
		{"SELECT CAST(a AS INT(5))", "UNSUPPORTED_DATATYPE", "INT(5)", ""},
		{"CREATE TABLE t (a VARCHAR)", "DATATYPE_MISSING_SIZE", "VARCHAR", ""},
		{"CREATE TABLE t (a ARRAY)", "INCOMPLETE_TYPE_DEFINITION.ARRAY", "ARRAY", ""},
		{"CREATE TABLE t (a DECIMAL(39, 1))", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "DECIMAL(39, 1)", ""},
		{"WITH a AS (SELECT 1), A AS (SELECT 2) SELECT 1", "DUPLICATED_CTE_NAMES", "A", ""},
		{"SELECT a FROM t ORDER BY a SORT BY a", "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", "ORDER BY a SORT BY a", ""},
		{"SELECT * FROM my-db.t", "INVALID_IDENTIFIER", "my-db", ""},
		{"SELECT größe FROM t", "INVALID_IDENTIFIER", "größe", ""},
		{"SELECT a FROM t |> GROUP BY a", syntax, "GROUP", "'GROUP'"},
		{"ALTER TABLE RECOVER PARTITIONS", syntax, "PARTITIONS", "'PARTITIONS'"},
		{"SHOW TABLE EXTENDED", syntax, "", "end of input"},
		{"SHOW TABLE EXTENDED PARTITION (a=1)", syntax, "PARTITION", "'PARTITION'"},
		{"MERGE INTO t USING s ON a", "MERGE_WITHOUT_WHEN", "MERGE INTO t USING s ON a", ""},
		{"MERGE INTO t USING s ON a WHEN MATCHED THEN DELETE WHEN MATCHED AND b THEN DELETE", "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", "WHEN MATCHED THEN DELETE", ""},
		{"MERGE INTO t USING s ON a WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY TARGET THEN INSERT *", "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION", "WHEN NOT MATCHED THEN INSERT *", ""},
		{"MERGE INTO t USING s ON a WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE", "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", "WHEN NOT MATCHED BY SOURCE THEN DELETE", ""},
		{"MERGE INTO t USING s ON a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1)", "MERGE_INSERT_VALUE_COUNT_MISMATCH", "VALUES (1)", ""},
		{"MERGE INTO t USING s ON a WHEN NOT MATCHED THEN DELETE", syntax, "DELETE", "'DELETE'"},
		{"MERGE INTO t USING s ON a WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *", syntax, "*", "'*'"},
		{"DELETE FROM t AS x (a, b)", "COLUMN_ALIASES_NOT_ALLOWED", "AS x (a, b)", ""},
		{"CREATE TABLE t CLONE s LOCATION '/a' LOCATION '/b'", "DUPLICATE_CLAUSES", "LOCATION", ""},
		{"MSCK REPAIR TABLE t DELETE PARTITIONS", syntax, "DELETE", "'DELETE'"},
		{"ALTER TABLE t DROP PARTITION (a=1) PARTITION (b=1)", syntax, "PARTITION", "'PARTITION'"},
		{"ALTER TABLE t ADD PARTITION (a=1), PARTITION (b=1)", syntax, ",", "','"},
		{"ALTER TABLE t ADD PARTITION (a > 1)", syntax, ">", "'>'"},
		{"SHOW PARTITIONS t PARTITION (a, b = 1)", "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE", "a", ""},
		{"ALTER TABLE t DROP PARTITION (a = 1, B)", "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE", "B", ""},
		{"SHOW PARTITIONS t PARTITION (yr = 1, YR = 2)", "DUPLICATE_KEY", "YR = 2", ""},
		{"ALTER TABLE t ADD PARTITION (a = DEFAULT)", "REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", "DEFAULT", ""},
		{"ALTER TABLE t ADD PARTITION (a = b)", syntax, "b", "'b'"},
		{"INSERT INTO t PARTITION (a = 1) IF NOT EXISTS SELECT 1", "INVALID_STATEMENT_OR_CLAUSE", "IF", ""},
		{"INSERT OVERWRITE t PARTITION (a = 1, b) IF NOT EXISTS SELECT 1", "INVALID_STATEMENT_OR_CLAUSE", "IF", ""},
		{"ALTER VIEW v ADD PARTITION (a = 1)", "INVALID_STATEMENT_OR_CLAUSE", "ADD", ""},
		{"ALTER VIEW v DROP IF EXISTS PARTITION (a = 1)", "INVALID_STATEMENT_OR_CLAUSE", "DROP", ""},
		{"ALTER TABLE t EXCHANGE PARTITION (a = 1) WITH TABLE u", "INVALID_STATEMENT_OR_CLAUSE", "EXCHANGE", ""},
		{"CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a) NOT NULL GENERATED ALWAYS AS (1))", "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "GENERATED", ""},
		{"ALTER TABLE t ADD COLUMN a INT COMMENT 'x' COMMENT 'y'", "ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "COMMENT", ""},
		{"ALTER TABLE t ADD COLUMN a INT GENERATED ALWAYS AS (1)", syntax, "GENERATED", "'GENERATED'"},
		{"CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS a)", syntax, "a", "'a'"},
		{"CREATE TABLE t (a INT, b INT GENERATED BY DEFAULT AS (a))", syntax, "(", "'('"},
		{"CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS IDENTITY)", "UNSUPPORTED_FEATURE.IDENTITY_COLUMN", "GENERATED", ""},
		{"CREATE TABLE t (a INT) LOCATION '/x' LOCATION '/y'", "DUPLICATE_CLAUSES", "LOCATION", ""},
		{"CREATE TABLE t (a INT) PARTITIONED BY (a, b INT)", "INVALID_STATEMENT_OR_CLAUSE", "(a, b INT)", ""},
		{"CREATE TABLE t (a INT) TBLPROPERTIES ('a'='b', 'a'='c')", "DUPLICATE_KEY", "'a'='c'", ""},
		{"CREATE TABLE t (a INT) TBLPROPERTIES ('a'='b', 'location'='/x')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "'location'='/x'", ""},
		{"CREATE TABLE t (a INT) USING csv OPTIONS (provider 'x')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "provider 'x'", ""},
		{"CREATE TABLE t LIKE s TBLPROPERTIES ('owner'='me')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "'owner'='me'", ""},
		{"CREATE TABLE t DEEP CLONE s TBLPROPERTIES ('owner'='me')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "'owner'='me'", ""},
		{"CREATE OR REPLACE TABLE t TBLPROPERTIES (external = true) AS SELECT 1", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "external = true", ""},
		{"ALTER TABLE t SET TBLPROPERTIES ('is_managed_location'='true')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "'is_managed_location'='true'", ""},
		{"ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', 'table_type')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "UNSET TBLPROPERTIES IF EXISTS ('a', 'table_type')", ""},
		{"ALTER VIEW t SET TBLPROPERTIES ('collation'='x')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "'collation'='x'", ""},
		{"ALTER VIEW t UNSET TBLPROPERTIES ('provider')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "UNSET TBLPROPERTIES ('provider')", ""},
		{"CREATE SCHEMA s WITH DBPROPERTIES ('location'='/x')", "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", "'location'='/x'", ""},
		{"ALTER SCHEMA s SET DBPROPERTIES ('owner'='me')", "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", "'owner'='me'", ""},
		{"ALTER SCHEMA s UNSET DBPROPERTIES ('owner')", "UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", "UNSET DBPROPERTIES ('owner')", ""},
		{"CREATE TABLE t (a INT, PRIMARY KEY (a))", "UNSUPPORTED_FEATURE.TABLE_CONSTRAINT", "PRIMARY", ""},
		{"CREATE OR REPLACE TABLE IF NOT EXISTS t (a INT)", syntax, "NOT", "'NOT'"},
		{"SET a b", "INVALID_SET_SYNTAX", "SET a b", ""},
		{"SET =1", "INVALID_SET_SYNTAX", "SET =1", ""},
		{"SET a=1;b", "INVALID_SET_SYNTAX", "SET a=1;b", ""},
		{"RESET a b", "INVALID_RESET_COMMAND_FORMAT", "RESET a b", ""},
		{"REFRESH", syntax, "", "end of input"},
		{"SELECT a LIKE ANY ()", "INVALID_SQL_SYNTAX.EMPTY_QUANTIFIED_PATTERN", ")", ""},
		{"(SELECT 1) |> WHERE", syntax, "", "end of input"},
		{"DESCRIBE t AS JSON", "DESCRIBE_JSON_NOT_EXTENDED", "AS", ""},
		{"DESC EXTENDED t a AS JSON", "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON", "AS", ""},
		{"SELECT a FROM t GROUP BY ROLLUP (a, ())", "INVALID_STATEMENT_OR_CLAUSE", ")", ""},
		{"SELECT * FROM a NATURAL JOIN LATERAL (SELECT 1)", "INCOMPATIBLE_JOIN_TYPES", "LATERAL", ""},
		{"SELECT * FROM a JOIN LATERAL (SELECT 1) USING (x)", "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING", "USING", ""},
		{"SELECT * FROM rank() OVER (ORDER BY a)", syntax, "BY", "'BY'"},
		{"FROM s INSERT INTO t VALUES (1)", syntax, "VALUES", "'VALUES'"},
		{"SELECT * FROM (FROM s INSERT INTO t SELECT a)", syntax, "INSERT", "'INSERT'"},
		{"SELECT a:b", "UNSUPPORTED_FEATURE.SEMI_STRUCTURED_EXTRACT", ":", ""},
		{"SELECT 1e400", "INVALID_NUMERIC_LITERAL_RANGE", "1e400", ""},
		{"SELECT CAST(a AS DECIMAL(3, 5))", "DECIMAL_SCALE_EXCEEDS_PRECISION", "DECIMAL(3, 5)", ""},
		{"SELECT CAST(a AS INTERVAL DAY TO MONTH)", syntax, "TO", "'TO'"},
		{"SELECT a LIKE 'x' ESCAPE 'ab'", "INVALID_ESC", "'ab'", ""},
		{"SELECT * FROM a NATURAL CROSS JOIN b", "INCOMPATIBLE_JOIN_TYPES", "JOIN", ""},
		{"SELECT date_add('day', 1, d)", "INVALID_PARAMETER_VALUE.DATETIME_UNIT", "'day'", ""},
		{"SELECT INTERVAL 1 FOO", syntax, "FOO", "'FOO'"},
		{"CREATE TABLE t ()", syntax, ")", "')'"},
		{"CREATE TABLE t (a: INT)", syntax, ":", "':'"},
		{"CREATE TABLE t PARTITIONED BY (a INT) AS SELECT 1", "INVALID_STATEMENT_OR_CLAUSE", "PARTITIONED BY (a INT) AS", ""},
		{"CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1", "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE", "v", ""},
		{"DESC t PARTITION (a = 1) b", "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_PARTITION", "b", ""},
		{"INSERT OVERWRITE INTO t SELECT 1", syntax, "t", "'t'"},
		{"ALTER TABLE t ADD PARTITION (a = +5)", syntax, "+", "'+'"},
		{"USE a.", syntax, "", "end of input"},
		{"SELECT a FROM a JOIN LEFT b", syntax, "LEFT", "'LEFT'"},
		{"SELECT interval 1", syntax, "", "end of input"},
		{"ALTER TABLE t DROP PARTITION (a = 1) PURGE DELETE FILES", syntax, "DELETE", "'DELETE'"},
		{"ALTER TABLE t DROP PARTITION (a = 1) DELETE", syntax, "", "end of input"},
		{"COPY INTO t FROM '/x'", syntax, "", "end of input"},
		{"COPY INTO t FROM x FILEFORMAT = csv", syntax, "x", "'x'"},
		{"COPY INTO t FROM json.`/x` FILEFORMAT = csv", syntax, "csv", "'csv'"},
		{"COPY INTO t FROM '/x' FILEFORMAT = csv FILES = ('a' 'b')", syntax, "'b'", "''b''"},
		{"COPY INTO t FROM '/x' FILEFORMAT = csv FILES = ('a') PATTERN = 'b'", syntax, "PATTERN", "'PATTERN'"},
		{"COPY INTO t FROM '/x' FILEFORMAT = csv VALIDATE ALL", "UNSUPPORTED_FEATURE.COPY_INTO_VALIDATE", "VALIDATE", ""},
		{"COPY INTO t FROM '/x' WITH (CREDENTIAL c) FILEFORMAT = csv", "UNSUPPORTED_FEATURE.COPY_INTO_CREDENTIAL", "WITH", ""},
		{"COPY INTO t FROM (SELECT a FROM '/x' WHERE a > 1) FILEFORMAT = csv", syntax, "WHERE", "'WHERE'"},
		{"COPY INTO t FROM '/x' FILEFORMAT = csv COPY_OPTIONS (force = true) FORMAT_OPTIONS (a = 1)", syntax, "FORMAT_OPTIONS", "'FORMAT_OPTIONS'"},
		{"VACUUM t RETAIN -1 HOURS", syntax, "-", "'-'"},
		{"VACUUM t RETAIN 1e3 HOURS", syntax, "1e3", "'1e3'"},
		{"VACUUM t RETAIN 5", syntax, "", "end of input"},
		{"VACUUM t DRY", syntax, "", "end of input"},
		{"INSERT INTO t OPTIONS ('a' = 'b') SELECT 1", syntax, "OPTIONS", "'OPTIONS'"},
		{"INSERT INTO t BY NAME (a) SELECT 1 AS a", syntax, "a", "'a'"},
	} {
		t.Run(c.sql, func(t *testing.T) {
			st, err := parser.Parse(c.sql)
			if err == nil {
				t.Fatalf("parsed as %s", st)
			}
			e := sqlerr.As(err)
			if string(e.Condition) != c.condition {
				t.Fatalf("got %v, want %s", err, c.condition)
			}
			if e.SQLState() == "XX000" {
				t.Errorf("%s has no SQLSTATE", e.Condition)
			}
			if got := c.sql[e.Span.Start:e.Span.End]; got != c.at {
				t.Errorf("points at %q, want %q", got, c.at)
			}
			if c.found != "" && e.Params[0].Value != c.found {
				t.Errorf("error = %s, want %s", e.Params[0].Value, c.found)
			}
			if c.at == "" && c.sql != "" && c.condition == syntax && e.Span.Start != len(c.sql) {
				t.Errorf("at %d, want the end of the text", e.Span.Start)
			}
		})
	}
}

func TestNestingIsBounded(t *testing.T) {
	const n = 10_000
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"open":        "SELECT " + strings.Repeat("(", n),
		"not":         "SELECT " + strings.Repeat("NOT ", n) + "a",
		"minus":       "SELECT " + strings.Repeat("- ", n) + "a",
		"queries":     strings.Repeat("(", n) + "SELECT 1" + strings.Repeat(")", n),
		"from":        "SELECT * FROM " + strings.Repeat("(", n) + "t" + strings.Repeat(")", n),
		"subqueries":  strings.Repeat("SELECT * FROM (", n) + "t" + strings.Repeat(")", n),
		"types":       "SELECT CAST(a AS " + strings.Repeat("ARRAY<", n) + "INT" + strings.Repeat(">", n) + ")",
		"calls":       "SELECT " + strings.Repeat("trim(", n) + "a" + strings.Repeat(")", n),
		"case":        "SELECT " + strings.Repeat("CASE WHEN ", n),
		"lambda":      "SELECT f(" + strings.Repeat("x -> ", n) + "x)",
		"explain":     strings.Repeat("EXPLAIN ", n) + "SELECT 1",
		"grouping":    "SELECT a FROM t GROUP BY " + strings.Repeat("GROUPING SETS (", n),
		"computed":    "SELECT * FROM " + strings.Repeat("IDENTIFIER(", n),
		"chain":       "SELECT 1" + strings.Repeat("+1", 10*n),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parser.Parse(sql)
			if !errors.Is(err, sqlerr.Condition("FAILED_TO_PARSE_TOO_COMPLEX")) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestNestingIsLinear guards against productions that read their operand twice.
func TestNestingIsLinear(t *testing.T) {
	for name, part := range map[string][2]string{
		"trim": {"trim(", ")"}, "substring": {"substring(", ", 1)"}, "position": {"position(", ", 'a')"}, "parentheses": {"(", ")"},
		"dateadd": {"dateadd(DAY, 1, ", ")"}, "exists": {"exists(", ")"}, "row": {"(1, ", ")"}, "subquery": {"(SELECT ", ")"},
		"in": {"a IN (", ")"}, "cast": {"CAST(", " AS INT)"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			sql := "SELECT " + strings.Repeat(part[0], 300) + "a" + strings.Repeat(part[1], 300)
			if _, err := parser.Parse(sql); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Fatalf("took %v", d)
			}
		})
	}
}

func TestLongLists(t *testing.T) {
	const n = 10_000
	ints := strings.Repeat("1, ", n-1) + "1"
	for name, sql := range map[string]string{
		"or":     "SELECT * FROM t WHERE " + strings.Repeat("a = 1 OR ", n) + "b",
		"and":    "SELECT * FROM t WHERE " + strings.Repeat("a = 1 AND ", n) + "b",
		"in":     "SELECT * FROM t WHERE a IN (" + ints + ")",
		"values": "INSERT INTO t VALUES " + strings.Repeat("(1, 'a'), ", n) + "(2, 'b')",
		"plus":   "SELECT 1" + strings.Repeat(" + 1", n),
		"union":  "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 4000), // the most: see maxQueries
		"join":   "SELECT * FROM t" + strings.Repeat(" JOIN t", n),
	} {
		t.Run(name, func(t *testing.T) {
			st, err := parser.Parse(sql)
			if err != nil {
				t.Fatal(err)
			}
			if st2, err := parser.Parse(st.String()); err != nil || st2.String() != st.String() {
				t.Fatalf("does not print: %v", err)
			}
		})
	}
	e, err := parser.ParseExpr(strings.Repeat("a OR ", n) + "a")
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := e.(*ast.Logical); !ok || len(l.Args) != n+1 {
		t.Fatalf("a chain of OR is %T, not flat", e)
	}
}

func TestSpans(t *testing.T) {
	sql := "SELECT a . b + f ( 1 ) AS x FROM  c.`t` WHERE y"
	st, err := parser.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	s := st.(*ast.Query).Body.(*ast.Select)
	sum := s.Items[0].Expr.(*ast.Binary)
	for _, c := range []struct {
		node ast.Node
		want string
	}{
		{st, sql},
		{s.Items[0], "a . b + f ( 1 ) AS x"},
		{sum, "a . b + f ( 1 )"},
		{sum.L, "a . b"},
		{sum.R, "f ( 1 )"},
		{s.From[0], "c.`t`"},
		{s.Where, "y"},
		{&s.Items[0].Aliases[0], "x"},
		{&s.From[0].(*ast.TableRef).Name.Parts[1], "`t`"},
	} {
		if got := sql[c.node.Pos():c.node.End()]; got != c.want {
			t.Errorf("%T spans %q, want %q", c.node, got, c.want)
		}
	}
	if sql[sum.OpPos] != '+' {
		t.Errorf("the operator is at %d", sum.OpPos)
	}
}

func ExampleParse() {
	st, err := parser.Parse("show partitions sales partition (dt = '2024-01-01')")
	fmt.Println(st, err)
	// Output: SHOW PARTITIONS sales PARTITION (dt = '2024-01-01') <nil>
}
