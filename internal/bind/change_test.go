package bind_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/types"
)

// change binds a DELETE, UPDATE or MERGE of a table of the fixture.
func change(t testing.TB, sql string, more func(*bind.InsertTarget)) (*bind.Change, error) {
	t.Helper()
	s, err := parser.Parse(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	env := fixture(t)
	into := func(n ast.Name) bind.InsertTarget {
		rel, err := env.Relations.Relation(context.Background(), n.Ident(), env.Namespace)
		if err != nil || rel == nil {
			t.Fatalf("%s: %v", n.Ident(), err)
		}
		target := bind.InsertTarget{Name: rel.Name.Quoted()}
		if rel.Scan != nil {
			target.Columns, target.Keys = rel.Scan.Schema, rel.Scan.Table.Keys()
		}
		if more != nil {
			more(&target)
		}
		return target
	}
	ctx := context.Background()
	switch s := s.(type) {
	case *ast.Delete:
		return bind.BindDelete(ctx, s, into(s.Table), env)
	case *ast.Update:
		return bind.BindUpdate(ctx, s, into(s.Table), expr.StoreANSI, env)
	case *ast.Merge:
		return bind.BindMerge(ctx, s, into(s.Table), expr.StoreANSI, env)
	}
	t.Fatalf("%s is a %T", sql, s)
	return nil, nil
}

func explainOr(n plan.Node) string {
	if n == nil {
		return "nothing\n"
	}
	return bind.Explain(n, nil)
}

var changes = []struct{ name, sql, want string }{
	{"delete", "DELETE FROM u WHERE a > 1", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, 2 AS action]
    Filter (a > 1)
      Scan parquet u  columns=[a, file]
copy Project [a, b, c]
  Filter (NOT coalesce((a > 1), false))
    Scan parquet u  columns=[a, b, c]`},
	{"delete all", "DELETE FROM u", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, 2 AS action]
    Scan parquet u  columns=[file]
copy nothing
whole`},
	{"delete in", "WITH k AS (SELECT n FROM e) DELETE FROM u AS x WHERE x.a IN (SELECT n FROM k)", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, 2 AS action]
    Filter (CAST(a AS BIGINT) IN (subquery))
      Subquery
        Project [n]
          Project [n]
            Scan parquet e  columns=[n]  partition filters=[]
      Scan parquet u AS x  columns=[a, file]
copy Project [a, b, c]
  Filter (NOT coalesce((CAST(a AS BIGINT) IN (subquery)), false))
    Subquery
      Project [n]
        Project [n]
          Scan parquet e  columns=[n]  partition filters=[]
    Scan parquet u AS x  columns=[a, b, c]`},
	{"update", "UPDATE u SET b = c, u.c = DEFAULT WHERE a = 1", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, 1 AS action]
    Filter (a = 1)
      Scan parquet u  columns=[a, file]
copy Project [a, CASE WHEN coalesce((a = 1), false) THEN CAST(c AS STRING) ELSE b END AS b, CASE WHEN coalesce((a = 1), false) THEN NULL ELSE c END AS c]
  Scan parquet u  columns=[a, b, c]`},
	{"update a field", "UPDATE t SET o.f = 2", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, 1 AS action]
    Scan parquet t  columns=[file]  partition filters=[]
copy Project [id, s, x, struct(2, o.g) AS o, arr, m, p, d]
  Scan parquet t  columns=[id, s, x, o, arr, m, p, d]  partition filters=[]`},
	{"upsert", "MERGE INTO u USING e ON u.a = e.n WHEN MATCHED THEN UPDATE SET c = e.p WHEN NOT MATCHED THEN INSERT (a, b) VALUES (p, 'x')", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, require((n <= 1), action) AS action]
    Aggregate by [file, row] [count_if((action != 0)), max(action)]
      Project [file, row, 1 AS action]
        Join inner on (CAST(a AS BIGINT) = n)
          Scan parquet u  columns=[a, file, row]
          Scan parquet e  columns=[n]  partition filters=[]
copy Project [a, b, c]
  Union all [a, b, c]
    Project [a, b, CASE WHEN (clause = 1) THEN p ELSE c END AS c]
      Project [a, b, c, p, CASE WHEN there THEN 1 ELSE 0 END AS clause]
        Filter (CASE WHEN there THEN 1 ELSE 0 END >= 0)
          Join left on (CAST(a AS BIGINT) = n)
            Scan parquet u  columns=[a, b, c]
            Project [n, p, true AS there]
              Scan parquet e  columns=[n, p]  partition filters=[]
    Project [p AS a, 'x' AS b, NULL AS c]
      Project [p]
        Join anti on (CAST(a AS BIGINT) = n)
          Scan parquet e  columns=[n, p]  partition filters=[]
          Scan parquet u  columns=[a]`},
	{"insert only", "MERGE INTO u USING (SELECT 1 AS a, 'x' AS b, 2 AS c) s ON u.a = s.a WHEN NOT MATCHED THEN INSERT *", `
find nothing
copy Project [a, b, c]
  Project [a, b, c]
    Project [a, b, c]
      Join anti on (a = a)
        Project [1 AS a, 'x' AS b, 2 AS c]
          OneRow
        Scan parquet u  columns=[a]`},
	{"every clause", "MERGE INTO u AS x USING u AS s ON x.a = s.a WHEN MATCHED AND s.c > 1 THEN DELETE WHEN MATCHED AND s.c = 0 THEN UPDATE SET * WHEN NOT MATCHED AND s.c = 5 THEN INSERT * WHEN NOT MATCHED BY SOURCE AND x.c = 9 THEN UPDATE SET b = 'gone' WHEN NOT MATCHED BY SOURCE AND x.c = 10 THEN DELETE", `
find Aggregate by [file] [count_if((action = 1)), count_if((action = 2))]
  Project [file, require((n <= 1), action) AS action]
    Aggregate by [file, row] [count_if((action != 0)), max(action)]
      Union all [file, row, action]
        Project [file, row, CASE WHEN (c > 1) THEN 2 WHEN (c = 0) THEN 1 ELSE 0 END AS action]
          Join inner on (a = a)
            Scan parquet u AS x  columns=[a, file, row]
            Scan parquet u AS s  columns=[a, c]
        Project [file, row, CASE WHEN (c = 9) THEN 1 WHEN (c = 10) THEN 2 ELSE 0 END AS action]
          Join anti on (a = a)
            Filter (CASE WHEN (c = 9) THEN 1 WHEN (c = 10) THEN 2 ELSE 0 END != 0)
              Scan parquet u AS x  columns=[a, c, file, row]
            Scan parquet u AS s  columns=[a]
copy Project [a, b, c]
  Union all [a, b, c]
    Union all [a, b, c]
      Project [a, CASE WHEN (clause = 1) THEN 'gone' ELSE b END AS b, c]
        Project [a, b, c, CASE WHEN (c = 9) THEN 1 WHEN (c = 10) THEN -1 ELSE 0 END AS clause]
          Join anti on (a = a)
            Filter (CASE WHEN (c = 9) THEN 1 WHEN (c = 10) THEN -1 ELSE 0 END >= 0)
              Scan parquet u AS x  columns=[a, b, c]
            Scan parquet u AS s  columns=[a]
      Project [CASE WHEN (clause = 2) THEN a ELSE a END AS a, CASE WHEN (clause = 2) THEN b ELSE b END AS b, CASE WHEN (clause = 2) THEN c ELSE c END AS c]
        Project [a, b, c, a, b, c, CASE WHEN (there AND (c > 1)) THEN -1 WHEN (there AND (c = 0)) THEN 2 ELSE 0 END AS clause]
          Filter (CASE WHEN (there AND (c > 1)) THEN -1 WHEN (there AND (c = 0)) THEN 2 ELSE 0 END >= 0)
            Join left on (a = a)
              Join semi on (a = a)
                Scan parquet u AS x  columns=[a, b, c]
                Scan parquet u AS s  columns=[a]
              Project [a, b, c, true AS there]
                Filter coalesce(((c > 1) OR (c = 0)), false)
                  Scan parquet u AS s  columns=[a, b, c]
    Project [a, b, c]
      Project [a, b, c]
        Join anti on (a = a)
          Filter (CASE WHEN (c = 5) THEN 0 ELSE -1 END >= 0)
            Scan parquet u AS s  columns=[a, b, c]
          Scan parquet u AS x  columns=[a]`},
}

func TestChanges(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			got, err := change(t, c.sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := "\nfind " + explainOr(got.Find) + "copy " + explainOr(got.Copy)
			if got.Whole {
				text += "whole\n"
			}
			if diff := cmp.Diff(strings.TrimRight(c.want, "\n"), strings.TrimRight(text, "\n")); diff != "" {
				t.Errorf("%s\n%s", text, diff)
			}
		})
	}
}

func TestChangeErrors(t *testing.T) {
	for _, c := range []struct{ sql, condition, text string }{
		{"DELETE FROM u WHERE rand() > 0.5", "INVALID_NON_DETERMINISTIC_EXPRESSIONS", "rand() > 0.5"},
		{"DELETE FROM u WHERE a", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "a"},
		{"DELETE FROM u WHERE nosuch = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nosuch"},
		{"DELETE FROM u WHERE max(a) = 1", "INVALID_WHERE_CONDITION", ""},
		{"DELETE FROM v WHERE part = 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION", "v"},
		{"UPDATE u SET nosuch = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nosuch"},
		{"UPDATE u SET a = 1, A = 2", "DELTA_CONFLICT_SET_COLUMN", "A"},
		{"UPDATE t SET o.f = 1, o = NULL", "DELTA_CONFLICT_SET_COLUMN", "o"},
		{"UPDATE t SET o = NULL, o.f = 1", "DELTA_CONFLICT_SET_COLUMN", "o.f"},
		{"UPDATE t SET o.nosuch = 1", "FIELD_NOT_FOUND", "o.nosuch"},
		{"UPDATE t SET id.f = 1", "INVALID_EXTRACT_BASE_FIELD_TYPE", "id.f"},
		{"UPDATE u SET a = array(1)", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "array(1)"},
		{"MERGE INTO u USING e ON u.a = (SELECT 1) WHEN MATCHED THEN DELETE", "DELTA_UNSUPPORTED_SUBQUERY", "u.a = (SELECT 1)"},
		{"MERGE INTO u USING e ON u.a = e.n WHEN MATCHED AND rand() > 1 THEN DELETE", "DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED", "rand() > 1"},
		{"MERGE INTO u USING (SELECT rand() AS a) s ON u.a = s.a WHEN MATCHED THEN DELETE", "DELTA_SOURCE_NOT_DETERMINISTIC_IN_MERGE", "(SELECT rand() AS a) s"},
		{"MERGE INTO u USING e ON u.a = e.n WHEN NOT MATCHED THEN INSERT *", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "e"},
		{"MERGE INTO u USING e ON u.a = e.n WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "u.a"},
		{"MERGE INTO u USING e ON u.a = e.n WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = e.n", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "e.n"},
	} {
		_, err := change(t, c.sql, nil)
		if err == nil {
			t.Errorf("%s is bound", c.sql)
			continue
		}
		e := asError(t, err)
		at := ""
		if e.Span.End > 0 {
			at = c.sql[e.Span.Start:e.Span.End]
		}
		if string(e.Condition) != c.condition || c.text != "" && at != c.text {
			t.Errorf("%s: [%s] at %q: %v", c.sql, e.Condition, at, e)
		}
	}
}

func TestChecks(t *testing.T) {
	got, err := change(t, "UPDATE u SET a = 1", func(target *bind.InsertTarget) {
		target.NotNull = true
		target.Columns = append([]types.Field(nil), target.Columns...)
		target.Columns[1].NotNull = true
		target.Checks = []bind.Check{{Name: "positive", SQL: "a > 0"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	text := explainOr(got.Copy)
	for _, want := range []string{"require((a > 0)", "require((b IS NOT NULL)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, bad := range []string{"nosuch > 0", "a >", "a"} {
		if _, err := change(t, "UPDATE u SET a = 1", func(target *bind.InsertTarget) {
			target.Checks = []bind.Check{{Name: "c", SQL: bad}}
		}); err == nil {
			t.Errorf("a rule that cannot be understood is passed over: %s", bad)
		}
	}
}
