package parser_test

import (
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sql/parser"
)

var benchmarks = []struct{ name, sql string }{
	{"simple", "SELECT a, b FROM t WHERE id = 1"},
	{"max", "SELECT max(dt) FROM main.default.events"},
	{"join", "SELECT u.id, u.name, count(*) AS n FROM users u JOIN orders o ON u.id = o.user_id WHERE o.created >= DATE '2024-01-01' AND u.status IN ('a', 'b') GROUP BY u.id, u.name HAVING count(*) > 3 ORDER BY n DESC LIMIT 10"},
	{"repair", "MSCK REPAIR TABLE main.default.events SYNC PARTITIONS"},
	{"addpartitions", "ALTER TABLE t ADD IF NOT EXISTS" + strings.Repeat(" PARTITION (dt = '2024-01-01', hh = 05) LOCATION '/data/x'", 100)},
	{"or1000", "SELECT * FROM t WHERE " + strings.Repeat("a = 1 OR ", 1000) + "b = 2"},
	{"values10000", "INSERT INTO t VALUES " + strings.Repeat("(1, 'abc', 2.5), ", 10_000) + "(2, 'b', 1)"},
}

func BenchmarkParse(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parser.Parse(c.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	text := []byte(strings.Repeat("SELECT a, 'x;y' FROM t -- comment; \nWHERE b = 1;\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var s parser.Splitter
		s.Feed(text)
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
}
