package parser_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/types"
)

func parse[T ast.Statement](t *testing.T, sql string) T {
	t.Helper()
	st, err := parser.Parse(sql)
	if err != nil {
		t.Fatalf("Parse(%q): %v", sql, err)
	}
	out, ok := st.(T)
	if !ok {
		t.Fatalf("Parse(%q) is a %T", sql, st)
	}
	return out
}

// TestPartitionText: a partition value keeps the text that it was written with.
func TestPartitionText(t *testing.T) {
	a := parse[*ast.AlterTable](t, `ALTER TABLE t ADD PARTITION (a = 05, b = '0''5', c = -007, d = 1.50, e = NULL, f = True, g = date '2020-1-1', h = 1e3, i = 5L, J = :p)`)
	var got []string
	for _, it := range a.Action.(*ast.AddPartitions).Partitions[0].Spec.Items {
		text := it.Value().Text
		if it.Value().Null {
			text = "(null)"
		}
		got = append(got, it.Name.Name+it.Op+text)
	}
	want := []string{"a=05", "b=0'5", "c=-007", "d=1.50", "e=(null)", "f=True", "g=2020-1-1", "h=1e3", "i=5L", "J="}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	spec := parse[*ast.Insert](t, "INSERT INTO t PARTITION (a = 1, b) SELECT 1").Spec
	if spec.Items[1].Value() != nil || spec.Items[1].Op != "" {
		t.Errorf("a key without value has %+v", spec.Items[1])
	}
}

func TestSet(t *testing.T) {
	for sql, want := range map[string]ast.Set{
		"SET":                     {List: true},
		"set -V;":                 {List: true, Verbose: true},
		"SET a.b-c":               {Key: "a.b-c"},
		"SET a.b = c  d ;":        {Key: "a.b", Value: "c  d", HasValue: true},
		"SET a=":                  {Key: "a", HasValue: true},
		"SET a='x'":               {Key: "a", Value: "'x'", HasValue: true},
		"SET `a b` = `x;``y`":     {Key: "a b", Value: "x;`y", HasValue: true},
		"SET a=it's (odd)":        {Key: "a", Value: "it's (odd)", HasValue: true},
		"SET spark.x=s3://b/c=d":  {Key: "spark.x", Value: "s3://b/c=d", HasValue: true},
		"SET time.zone=UTC":       {Key: "time.zone", Value: "UTC", HasValue: true},
		"SET catalog.x = 1":       {Key: "catalog.x", Value: "1", HasValue: true},
		"SET tarn.readers=\nnone": {Key: "tarn.readers", Value: "none", HasValue: true},
	} {
		got := *parse[*ast.Set](t, sql)
		if d := cmp.Diff(want, got, sameTree); d != "" {
			t.Errorf("%s:\n%s", sql, d)
		}
	}
}

func TestStrings(t *testing.T) {
	for text, want := range map[string]string{
		`'a'`: "a", `"a"`: "a", `'it''s'`: "it's", `"a""b"`: `a"b`, `'a' "b" 'c'`: "abc", `r'\n'`: `\n`, `'\n\t\r\0\b\Z'`: "\n\t\r\x00\b\x1a",
		`'\a\\\''`: `a\'`, `'\%\_'`: `\%\_`, `'\u00e9\U0001F600'`: "é😀", `'\uD83D\uDE00'`: "😀", `'\101'`: "A", `'\x41'`: "x41", `'\u12'`: "u12",
		`'\400'`: "400", `''`: "", `'é\é'`: "éé",
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if s, ok := e.(*ast.StringLit); !ok || s.Value != want {
			t.Errorf("%s = %v, want %q", text, e, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1": "INT", "-2147483648": "INT", "2147483648": "BIGINT", "9223372036854775808": "DECIMAL(19,0)", "1L": "BIGINT", "1S": "SMALLINT", "-128Y": "TINYINT",
		"1.50": "DECIMAL(3,2)", ".05": "DECIMAL(2,2)", "1.": "DECIMAL(1,0)", "0.0": "DECIMAL(1,1)", "1e2": "DOUBLE", "1F": "FLOAT", "1D": "DOUBLE", "1e2BD": "DECIMAL(3,0)", "1.5BD": "DECIMAL(2,1)",
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if n, ok := e.(*ast.NumberLit); !ok || strings.ReplaceAll(n.Type.SQL(), " ", "") != want || n.Text != text {
			t.Errorf("%s = %#v, want %s", text, e, want)
		}
	}
	e, _ := parser.ParseExpr("- 5")
	if n, ok := e.(*ast.NumberLit); !ok || n.Value != types.Value(int64(-5)) || n.Text != "-5" {
		t.Errorf("- 5 = %#v", e)
	}
}

func TestPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		"a OR b AND NOT c = d":        "(a OR (b AND (NOT (c = d))))",
		"a + b * c - d":               "((a + (b * c)) - d)",
		"a || b + c":                  "((a || b) + c)",
		"a | b ^ c & d << e + f":      "(a | (b ^ (c & (d << (e + f)))))",
		"a < b = c":                   "((a < b) = c)",
		"- a + b":                     "((-a) + b)",
		"a BETWEEN b AND c AND d":     "((a BETWEEN b AND c) AND d)",
		"NOT a IS NULL":               "(NOT (a IS NULL))",
		"a >> b > c":                  "((a >> b) > c)",
		"a::int + b":                  "(CAST(a AS INT) + b)",
		"x -> x > 1 OR y":             "x -> ((x > 1) OR y)",
		"a DIV b % c":                 "((a DIV b) % c)",
		"NOT a AND b":                 "((NOT a) AND b)",
		"a = b IS NULL":               "((a = b) IS NULL)",
		"a IN (1) AND b NOT LIKE 'c'": "((a IN (1)) AND (b NOT LIKE 'c'))",
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		full, err := parser.ParseExpr(want)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if d := cmp.Diff(full, e, sameTree); d != "" {
			t.Errorf("%s is not %s:\n%s", text, want, d)
		}
	}
}

func TestViewText(t *testing.T) {
	v := parse[*ast.CreateView](t, "CREATE VIEW v AS  SELECT  a -- why\n FROM t ; ")
	if v.Text != "SELECT  a -- why\n FROM t" {
		t.Errorf("text is %q", v.Text)
	}
}

func TestUnsupportedIsNamed(t *testing.T) {
	for sql, want := range map[string]string{
		"GRANT SELECT ON t TO u":                   "GRANT",
		"CREATE OR REPLACE TEMP FUNCTION f AS 'x'": "CREATE FUNCTION … AS 'class'", "SHOW GRANTS ON t": "SHOW GRANTS",
		"CREATE STREAMING TABLE t": "CREATE STREAMING TABLE",
	} {
		u := parse[*ast.Unsupported](t, sql)
		if u.What != want || u.Text != sql {
			t.Errorf("%s: %q, %q", sql, u.What, u.Text)
		}
	}
}
