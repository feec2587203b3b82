package migrate

import (
	"errors"
	"testing"

	"github.com/tarnlake/tarn/internal/ident"
)

func testMapping() *mapping {
	m := newMapping("hive_metastore", func(name string) bool { return ident.Fold(name) == "max" })
	for _, n := range []string{"t", "u", "odd name"} {
		m.relations[folded(ident.Name{"hive_metastore", "s", n})] = ident.Name{"main", "new", n}
	}
	for _, n := range []string{"f", "max"} {
		m.functions[folded(ident.Name{"hive_metastore", "s", n})] = ident.Name{"main", "new", n}
	}
	return m
}

func TestViewsAreRewrittenInPlace(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"SELECT * FROM t", "SELECT * FROM main.new.t"},
		{"SELECT t.a, s.t.a, hive_metastore.s.t.a.b, `s`.`t`.* FROM s.t", "SELECT t.a, main.new.t.a, main.new.t.a.b, main.new.t.* FROM main.new.t"},
		{"SELECT s.t FROM s.t AS s", "SELECT s.t FROM main.new.t AS s"},
		{"SELECT 't', /* t */ \"s.t\" FROM T -- t", "SELECT 't', /* t */ \"s.t\" FROM main.new.t -- t"},
		{"WITH t AS (SELECT * FROM t) SELECT * FROM t, u", "WITH t AS (SELECT * FROM main.new.t) SELECT * FROM t, main.new.u"},
		{"WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a FROM t) SELECT a FROM t", "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a FROM t) SELECT a FROM t"},
		{"WITH x AS (SELECT 1 AS a), y AS (SELECT * FROM x) SELECT * FROM y WHERE EXISTS (SELECT 1 FROM u WHERE u.a IN (SELECT a FROM x))", "WITH x AS (SELECT 1 AS a), y AS (SELECT * FROM x) SELECT * FROM y WHERE EXISTS (SELECT 1 FROM main.new.u WHERE u.a IN (SELECT a FROM x))"},
		{"SELECT f(a), s.f(1), max(a), hive_metastore.s.max(a) FROM (TABLE t)", "SELECT main.new.f(a), main.new.f(1), max(a), main.new.max(a) FROM (TABLE main.new.t)"},
		{"SELECT * FROM spark_catalog.s.`odd name` o", "SELECT * FROM main.new.`odd name` o"},
		{"SELECT * FROM parquet.`/data/t`, main.x.y, other.z.t", "SELECT * FROM parquet.`/data/t`, main.x.y, other.z.t"},
		{"SELECT (SELECT count(*) FROM u) AS n FROM t UNION SELECT a FROM t ORDER BY 1", "SELECT (SELECT count(*) FROM main.new.u) AS n FROM main.new.t UNION SELECT a FROM main.new.t ORDER BY 1"},
		{"FROM t |> WHERE a > 1 |> SELECT a", "FROM main.new.t |> WHERE a > 1 |> SELECT a"},
		{"SELECT `é`.a, 'é' FROM t AS `é`", "SELECT `é`.a, 'é' FROM main.new.t AS `é`"},
	} {
		p, err := parseView(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		got, err := p.rewrite(home{"hive_metastore", "s"}, testMapping())
		if err != nil || got != c.want {
			t.Errorf("%s\n became %s\n not    %s (%v)", c.in, got, c.want, err)
		}
	}
}

func TestWhatHasNotMovedIsNamed(t *testing.T) {
	for _, text := range []string{"SELECT * FROM nothing", "SELECT a FROM t WHERE a IN (SELECT a FROM other.t)"} {
		p, err := parseView(text)
		if err != nil {
			t.Fatal(err)
		}
		var m missing
		if _, err := p.rewrite(home{"hive_metastore", "s"}, testMapping()); !errors.As(err, &m) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// The same names in another catalog are not the migration's business, and become full.
	p, err := parseView("SELECT * FROM nothing JOIN a.b USING (x)")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.rewrite(home{"main", "s"}, testMapping()); err != nil || got != "SELECT * FROM main.s.nothing JOIN main.a.b USING (x)" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFunctionsAreRewritten(t *testing.T) {
	p, err := parseFunction("CREATE OR REPLACE FUNCTION s.g(x INT DEFAULT f(1)) RETURNS INT COMMENT 'of t' RETURN (SELECT f(x) + count(*) FROM t);")
	if err != nil {
		t.Fatal(err)
	}
	body, err := p.rewrite(home{"hive_metastore", "s"}, testMapping())
	if err != nil {
		t.Fatal(err)
	}
	want := "CREATE FUNCTION main.new.g(x INT DEFAULT main.new.f(1)) RETURNS INT COMMENT 'of t' RETURN (SELECT main.new.f(x) + count(*) FROM main.new.t)"
	if got := functionStatement(p, body, ident.Name{"main", "new", "g"}); got != want {
		t.Errorf("%s", got)
	}
	if needs := p.needs(home{"hive_metastore", "s"}, testMapping()); len(needs) != 3 {
		t.Errorf("%q", needs)
	}
}

func TestComputedNamesAreNotGuessed(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * FROM IDENTIFIER('s.t')":  "SELECT * FROM main.new.t",
		"SELECT IDENTIFIER('f')(1) FROM t": "SELECT main.new.f(1) FROM main.new.t",
	} {
		p, err := parseView(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.rewrite(home{"hive_metastore", "s"}, testMapping()); err == nil && got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
	p, err := parseView("SELECT * FROM IDENTIFIER(concat('a', 'b'))")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.rewrite(home{"hive_metastore", "s"}, testMapping()); err == nil {
		t.Errorf("a computed name became %s", got)
	}
}
