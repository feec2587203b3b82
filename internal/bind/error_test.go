package bind_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// failures are statements with the condition that they raise, the text it points at, and some parameters.
var failures = []struct {
	sql, condition, state, at string
	params                    map[string]string
}{
	{"SELECT z FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "z", map[string]string{"objectName": "`z`", "proposal": "`a`, `b`, `c`"}},
	{
		"SELECT u.z FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "u.z",
		map[string]string{"objectName": "`u`.`z`", "proposal": "`main`.`default`.`u`.`a`, `main`.`default`.`u`.`b`, `main`.`default`.`u`.`c`"},
	},
	{"SELECT x.z FROM u AS x", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "x.z", map[string]string{"proposal": "`x`.`a`, `x`.`b`, `x`.`c`"}},
	{"SELECT nosuchcol FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuchcol", map[string]string{"proposal": "`c`, `a`, `b`"}},
	{"SELECT z", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "42703", "z", map[string]string{"objectName": "`z`"}},
	{"SELECT a FROM u WHERE a IN (SELECT nosuch FROM e)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", nil},
	{"SELECT a FROM u ORDER BY nosuch", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", map[string]string{"proposal": "`a`"}},
	{"SELECT a FROM u DISTRIBUTE BY nosuch SORT BY a", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", map[string]string{"proposal": "`a`"}},
	{"SELECT a FROM u UNION ALL SELECT c FROM u DISTRIBUTE BY c", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "c", nil},
	{"SELECT a FROM u DISTRIBUTE BY sum(a)", "UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E", "sum(a)", nil},
	{"SELECT a FROM u CLUSTER BY nosuch", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", nil},
	{"SELECT DEFAULT FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "DEFAULT", nil},
	{"SELECT sum(c) FROM u ORDER BY a", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "a", map[string]string{"proposal": "`sum(c)`"}},
	{"SELECT DISTINCT a FROM u ORDER BY b", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "b", nil},
	{"SELECT a FROM u UNION SELECT a FROM u ORDER BY c", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "c", nil},
	{
		"SELECT p FROM t, e", "AMBIGUOUS_REFERENCE", "42704", "p",
		map[string]string{"name": "`p`", "referenceNames": "[`main`.`default`.`t`.`p`, `main`.`default`.`e`.`p`]"},
	},
	{"SELECT x.a FROM u x JOIN u x ON true", "AMBIGUOUS_REFERENCE", "42704", "x.a", nil},
	{"SELECT o.nosuch FROM t", "FIELD_NOT_FOUND", "42704", "o.nosuch", map[string]string{"fieldName": "`nosuch`", "fields": "`f`, `g`"}},
	{"SELECT o.f.z FROM t", "INVALID_EXTRACT_BASE_FIELD_TYPE", "42000", "o.f.z", map[string]string{"base": `"o.f"`, "other": `"INT"`}},
	{"SELECT id[0] FROM t", "INVALID_EXTRACT_BASE_FIELD_TYPE", "42000", "id[0]", nil},
	{"SELECT z.* FROM u", "CANNOT_RESOLVE_STAR_EXPAND", "42704", "z.*", nil},
	{"SELECT * EXCEPT (z) FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "* EXCEPT (z)", nil},
	{"SELECT * EXCEPT (a, a) FROM u", "EXCEPT_OVERLAPPING_COLUMNS", "42702", "* EXCEPT (a, a)", map[string]string{"columns": "a, a"}},
	{"SELECT count(u.*) FROM u", "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT", "42000", "count(u.*)", nil},
	{"SELECT * FROM nosuch", "TABLE_OR_VIEW_NOT_FOUND", "42P01", "nosuch", map[string]string{"relationName": "`nosuch`"}},
	{"SELECT * FROM other.nosuch AS x", "TABLE_OR_VIEW_NOT_FOUND", "42P01", "other.nosuch", map[string]string{"relationName": "`other`.`nosuch`"}},
	{"SELECT * FROM nosuch(1)", "UNRESOLVABLE_TABLE_VALUED_FUNCTION", "42883", "nosuch(1)", nil},
	{"SELECT * FROM range()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", "range()", nil},
	{"SELECT nosuch(a) FROM u", "UNRESOLVED_ROUTINE", "42883", "nosuch(a)", nil},
	{"SELECT abs(a, 1) FROM u", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605", "abs(a, 1)", nil},
	{"SELECT count() FROM u", "WRONG_NUM_ARGS.WITH_SUGGESTION", "42605", "count()", nil},
	{"SELECT arr + 1 FROM t", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "42K09", "arr + 1", nil},
	{"SELECT cast(arr AS INT) FROM t", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09", "cast(arr AS INT)", nil},
	{"SELECT a, sum(c) FROM u GROUP BY b", "MISSING_AGGREGATION", "42803", "a", map[string]string{"expression": `"a"`, "expressionAnyValue": `"any_value(a)"`}},
	{"SELECT a, sum(c) FROM u", "MISSING_GROUP_BY", "42803", "a", nil},
	{"SELECT a FROM u GROUP BY sum(a)", "GROUP_BY_AGGREGATE", "42903", "sum(a)", nil},
	{"SELECT sum(a) AS s FROM u GROUP BY s", "GROUP_BY_AGGREGATE", "42903", "s", nil},
	{"SELECT sum(sum(a)) FROM u", "NESTED_AGGREGATE_FUNCTION", "42607", "sum(a)", nil},
	{"SELECT sum(c) + b FROM u GROUP BY ALL", "UNRESOLVED_ALL_IN_GROUP_BY", "42803", "GROUP BY ALL", nil},
	{"SELECT a FROM u GROUP BY 3", "GROUP_BY_POS_OUT_OF_RANGE", "42805", "3", map[string]string{"index": "3", "size": "1"}},
	{"SELECT a, sum(c) FROM u GROUP BY 2", "GROUP_BY_POS_AGGREGATE", "42903", "2", nil},
	{"SELECT a FROM u ORDER BY 3", "ORDER_BY_POS_OUT_OF_RANGE", "42805", "3", nil},
	{"SELECT m FROM t ORDER BY m", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "42K09", "m", nil},
	{"SELECT grouping(a) FROM u GROUP BY a", "UNSUPPORTED_GROUPING_EXPRESSION", "42K0E", "grouping(a)", nil},
	{"SELECT grouping(a) FROM u", "UNSUPPORTED_GROUPING_EXPRESSION", "42K0E", "grouping(a)", nil},
	{"SELECT grouping(c) FROM u GROUP BY ROLLUP(a)", "GROUPING_COLUMN_MISMATCH", "42803", "grouping(c)", nil},
	{"SELECT grouping_id(b) FROM u GROUP BY ROLLUP(a, b)", "GROUPING_ID_COLUMN_MISMATCH", "42803", "grouping_id(b)", nil},
	{"SELECT a FROM u WHERE sum(a) > 1", "INVALID_WHERE_CONDITION", "42903", "sum(a)", nil},
	{"SELECT a FROM u WHERE a", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", "a", map[string]string{"filter": `"a"`, "type": `"INT"`}},
	{"SELECT * FROM u JOIN e ON u.a", "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", "42K0E", "u.a", nil},
	{"SELECT * FROM u JOIN e ON sum(u.a) > 1", "UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E", "sum(u.a)", nil},
	{"SELECT * FROM u JOIN e USING (n)", "UNRESOLVED_USING_COLUMN_FOR_JOIN", "42703", "n", map[string]string{"side": "left"}},
	{"SELECT * FROM u JOIN e USING (c)", "UNRESOLVED_USING_COLUMN_FOR_JOIN", "42703", "c", map[string]string{"side": "right", "suggestion": "`n`, `p`"}},
	{
		"SELECT a FROM u UNION SELECT a, b FROM u", "NUM_COLUMNS_MISMATCH", "42826", "SELECT a FROM u UNION SELECT a, b FROM u",
		map[string]string{"operator": "UNION", "firstNumColumns": "1", "invalidNumColumns": "2"},
	},
	{
		"SELECT a FROM u UNION ALL SELECT arr FROM t", "INCOMPATIBLE_COLUMN_TYPE", "42825", "SELECT a FROM u UNION ALL SELECT arr FROM t",
		map[string]string{"columnOrdinalNumber": "first", "dataType1": `"ARRAY<INT>"`, "dataType2": `"INT"`},
	},
	{"SELECT DISTINCT m FROM t", "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", "0A000", "SELECT DISTINCT m FROM t", nil},
	{"SELECT a FROM u LIMIT -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "42K0E", "-1", nil},
	{"SELECT a FROM u LIMIT 'x'", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "42K0E", "'x'", nil},
	{"SELECT a FROM u LIMIT 1L", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "42K0E", "1L", nil},
	{"SELECT a FROM u LIMIT a", "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", "42K0E", "a", nil},
	{"SELECT a FROM u LIMIT CAST(NULL AS INT)", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", "42K0E", "CAST(NULL AS INT)", nil},
	{"SELECT a FROM u LIMIT 1 OFFSET -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "42K0E", "-1", map[string]string{"name": "offset"}},
	{"SELECT (SELECT a, b FROM u)", "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", "42823", "(SELECT a, b FROM u)", nil},
	{"SELECT a IN (SELECT a, b FROM u) FROM u", "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "42K09", "a IN (SELECT a, b FROM u)", nil},
	{"SELECT a IN (SELECT arr FROM t) FROM u", "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "42K09", "a IN (SELECT arr FROM t)", nil},
	{"SELECT (SELECT sum(u.a)) FROM u", "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE", "0A000", "sum(u.a)", nil},
	{
		"SELECT a, (SELECT max(n) FROM e WHERE e.p = u.c) FROM u GROUP BY a", "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", "0A000",
		"(SELECT max(n) FROM e WHERE e.p = u.c)", nil,
	},
	{"SELECT * FROM u AS q(x)", "ASSIGNMENT_ARITY_MISMATCH", "42802", "u AS q(x)", nil},
	{"SELECT * FROM VALUES (1, 2), (3) AS v(a, b)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "42000", "VALUES (1, 2), (3) AS v(a, b)", map[string]string{"rowIndex": "1"}},
	{"SELECT * FROM VALUES (1), ('x')", "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", "42000", "VALUES (1), ('x')", map[string]string{"colName": "`col1`"}},
	{"SELECT * FROM VALUES (1), (CAST('x' AS INT))", "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION", "42000", "CAST('x' AS INT)", nil},
	{"SELECT * FROM VALUES (sum(1))", "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", "42000", "sum(1)", nil},
	{"WITH q AS (SELECT nosuch FROM u) SELECT 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "nosuch", nil},
	{"WITH RECURSIVE q AS (SELECT n FROM q) SELECT * FROM q", "INVALID_RECURSIVE_CTE", "42836", "q", nil},
	{"SELECT row_number() FROM u", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "42601", "row_number()", nil},
	{"SELECT sum(a) OVER w FROM u", "MISSING_WINDOW_SPECIFICATION", "42P20", "w", map[string]string{"windowName": "w"}},
	{"SELECT rank() OVER () FROM u", "WINDOW_FUNCTION_FRAME_NOT_ORDERED", "42601", "rank() OVER ()", nil},
	{"SELECT abs(a) OVER () FROM u", "UNSUPPORTED_EXPR_FOR_WINDOW", "42P20", "abs(a) OVER ()", nil},
	{"SELECT sum(DISTINCT a) OVER () FROM u", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "0A000", "sum(DISTINCT a) OVER ()", nil},
	{"SELECT a FROM u WHERE rank() OVER (ORDER BY a) > 1", "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", "42601", "rank() OVER (ORDER BY a)", map[string]string{"clauseName": "WHERE"}},
	{
		"SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM u", "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", "42K09",
		"(ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING)", nil,
	},
	{"SELECT sum(a) OVER (ORDER BY a, b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM u", "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", "42K09", "", nil},
	{"SELECT sum(a) OVER (RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM u", "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", "42K09", "", nil},
	{"SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN a PRECEDING AND CURRENT ROW) FROM u", "INVALID_SQL_SYNTAX.INVALID_WINDOW_FRAME_BOUND", "42000", "a PRECEDING", nil},
	{"SELECT a FROM u QUALIFY a = 1", "QUALIFY_REQUIRES_WINDOW_FUNCTION", "42903", "a = 1", nil},
	{"SELECT monotonically_increasing_id() AS r, a FROM u GROUP BY ALL", "UNSUPPORTED_FEATURE.ROW_NUMBERS", "0A000", "GROUP BY ALL", nil},
	{"SELECT 1 FROM u QUALIFY max(count(*)) OVER () > 0", "MISSING_GROUP_BY", "42803", "max(count(*)) OVER () > 0", nil},
	{"SELECT a AS x, b AS x, x + 1 FROM u", "AMBIGUOUS_LATERAL_COLUMN_ALIAS", "42702", "x", map[string]string{"n": "2"}},
	{"SELECT a AS s, sum(s) FROM u GROUP BY a", "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC", "0A000", "s", nil},
	{"SELECT sum(a) FILTER (WHERE a) FROM u", "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", "42903", "a", nil},
	{"SELECT sum(a) FILTER (WHERE sum(a) > 1) FROM u", "INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE", "42903", "sum(a)", nil},
	{"SELECT DATE'x'", "INVALID_TYPED_LITERAL", "42604", "DATE'x'", map[string]string{"valueType": `"DATE"`, "value": "'x'"}},
	{"SELECT INTERVAL '1 day foo'", "INVALID_TYPED_LITERAL", "42604", "INTERVAL '1 day foo'", nil},
	{"SELECT INTERVAL '1-x' YEAR TO MONTH", "INVALID_INTERVAL_FORMAT", "22006", "INTERVAL '1-x' YEAR TO MONTH", nil},
	{"SELECT :p", "UNBOUND_SQL_PARAMETER", "42P02", ":p", map[string]string{"name": "p"}},
	{"SELECT * FROM u TABLESAMPLE (110 PERCENT)", "INVALID_TABLESAMPLE_FRACTION", "22023", "TABLESAMPLE (110 PERCENT)", nil},
	{"SELECT * FROM u VERSION AS OF 3", "UNSUPPORTED_FEATURE.TIME_TRAVEL", "0A000", "u VERSION AS OF 3", nil},
	{"SELECT * FROM u UNPIVOT (v FOR n IN (a, b))", "UNPIVOT_VALUE_DATA_TYPE_MISMATCH", "42K09", "", nil},
	{"SELECT * FROM u PIVOT (sum(c) FOR zz IN (1))", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "zz", nil},
	{"SELECT * FROM u PIVOT (c FOR a IN (1))", "UNSUPPORTED_FEATURE.PIVOT_WITHOUT_AGGREGATE", "0A000", "c", nil},
	{"SELECT * FROM loop", "RECURSIVE_VIEW", "42K0H", "loop", nil},
	{"SELECT 1 FROM u, broken", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "broken", map[string]string{"objectName": "`nosuch`"}},
	{"SELECT * FROM narrow", "INCOMPATIBLE_VIEW_SCHEMA_CHANGE", "51024", "narrow", nil},
}

func TestErrors(t *testing.T) {
	for _, c := range failures {
		t.Run(c.sql, func(t *testing.T) {
			_, err := bindSQL(t, fixture(t), c.sql)
			if err == nil {
				t.Fatal("no error")
			}
			e := asError(t, err)
			if string(e.Condition) != c.condition && !strings.HasPrefix(string(e.Condition), c.condition+".") {
				t.Errorf("condition %s, want %s: %s", e.Condition, c.condition, e.Message)
			}
			if e.SQLState() != c.state {
				t.Errorf("SQLSTATE %s, want %s", e.SQLState(), c.state)
			}
			if e.Span.End > len(c.sql) || e.Span.Start >= e.Span.End {
				t.Fatalf("no place: %v", e.Span)
			}
			if got := c.sql[e.Span.Start:e.Span.End]; c.at != "" && got != c.at {
				t.Errorf("points at %q, want %q", got, c.at)
			}
			for name, want := range c.params {
				found := false
				for _, p := range e.Params {
					if p.Name == name {
						found = true
						if p.Value != want {
							t.Errorf("%s is %s, want %s", name, p.Value, want)
						}
					}
				}
				if !found {
					t.Errorf("no parameter %s in %v", name, e.Params)
				}
			}
		})
	}
}

func TestViewDepth(t *testing.T) {
	env := fixture(t)
	l := env.Relations.(lake)
	l["v0"] = view(t, "v0", "SELECT a FROM u", col("a", of(types.Int)))
	name := func(i int) string { return "v" + strings.Repeat("x", i) }
	for i := 1; i <= 101; i++ {
		from := name(i - 1)
		if i == 1 {
			from = "v0"
		}
		l[name(i)] = view(t, name(i), "SELECT a FROM "+from, col("a", of(types.Int)))
	}
	if _, err := bindSQL(t, env, "SELECT * FROM "+name(99)); err != nil {
		t.Errorf("100 views deep: %v", err)
	}
	_, err := bindSQL(t, env, "SELECT * FROM "+name(100))
	if err == nil {
		t.Fatal("101 views deep: no error")
	}
	if e := asError(t, err); e.Condition != "VIEW_EXCEED_MAX_NESTED_DEPTH" {
		t.Errorf("101 views deep: %v", e)
	}
}

func TestBindExpr(t *testing.T) {
	columns := []plan.Column{{ID: 7, Name: "p", Type: of(types.Int)}, {ID: 9, Name: "d", Type: of(types.Date)}}
	for _, c := range []struct{ sql, want, condition string }{
		{"p = 1 + 1 AND d >= '2024-01-01'", "((p = 2) AND (d >= DATE '2024-01-01'))", ""},
		{"P IN (1, 2)", "(p IN (1, 2))", ""},
		{"q = 1", "", "UNRESOLVED_COLUMN.WITH_SUGGESTION"},
		{"max(p) = 1", "", "UNSUPPORTED_EXPR_FOR_OPERATOR"},
		{"row_number() OVER (ORDER BY p) = 1", "", "UNSUPPORTED_EXPR_FOR_OPERATOR"},
	} {
		e, err := parser.ParseExpr(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		x, err := bind.BindExpr(context.Background(), e, columns, fixture(t))
		if c.condition != "" {
			if err == nil {
				t.Errorf("%s: no error", c.sql)
			} else if got := asError(t, err).Condition; string(got) != c.condition {
				t.Errorf("%s: %s, want %s", c.sql, got, c.condition)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if got := expr.Print(x); got != c.want {
			t.Errorf("%s: %s, want %s", c.sql, got, c.want)
		}
	}
}

// constants are the variables of a session.
type constants map[string]*expr.Literal

func (c constants) Variable(name string) *expr.Literal { return c[name] }

func (c constants) Function(context.Context, ident.Name, bind.Namespace, bool) (*bind.Function, error) {
	return nil, nil
}

func TestVariables(t *testing.T) {
	env := fixture(t)
	env.Routines = constants{"day": {Value: "2024-01-01", T: of(types.String)}, "three": {Value: int64(3), T: of(types.Int)}}
	n, err := bindSQL(t, env, "SELECT id FROM t WHERE d = day AND p = session.three")
	if err != nil {
		t.Fatal(err)
	}
	want := "Project [id]\n  Filter ((d = DATE '2024-01-01') AND (p = 3))\n    Scan parquet t  columns=[id, p, d]  partition filters=[(d = DATE '2024-01-01'), (p = 3)]\n"
	if got := bind.Explain(n, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := bindSQL(t, env, "SELECT :day"); !errors.Is(err, sqlerr.Condition("UNBOUND_SQL_PARAMETER")) {
		t.Errorf("a marker without a value: %v", err)
	}
}
