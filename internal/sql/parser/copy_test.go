package parser_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/sql/ast"
)

func TestCopyInto(t *testing.T) {
	table := ast.Name{Parts: []ast.Ident{{Name: "t"}}}
	pattern := "*.csv"
	for sql, want := range map[string]ast.CopyInto{
		"COPY INTO t FROM '/x' FILEFORMAT = CSV":          {Table: table, Path: "/x", Format: ast.Ident{Name: "CSV"}},
		"COPY INTO t FROM parquet.`/x y`":                 {Table: table, Path: "/x y", Format: ast.Ident{Name: "parquet"}},
		"copy into t (a) from 'b' 'c' fileformat = json;": {Table: table, Columns: []ast.Ident{{Name: "a"}}, Path: "bc", Format: ast.Ident{Name: "json"}},
		"COPY INTO t BY POSITION FROM csv.`/x` FILEFORMAT = csv PATTERN = '*.csv'": {
			Table: table, ByPosition: true, Path: "/x", Format: ast.Ident{Name: "csv"}, Pattern: &pattern,
		},
		"COPY INTO t FROM (SELECT *, a x FROM '/x') FILEFORMAT = csv FILES = ('1', '2') FORMAT_OPTIONS (header true) COPY_OPTIONS ('force' = 'true')": {
			Table: table, Path: "/x", Format: ast.Ident{Name: "csv"}, Files: []string{"1", "2"},
			Items: []*ast.SelectItem{
				{Expr: &ast.Star{}},
				{Expr: &ast.ColumnRef{Parts: []ast.Ident{{Name: "a"}}}, Aliases: []ast.Ident{{Name: "x"}}},
			},
			FormatOptions: []ast.Property{{Key: "header", Value: "true", HasValue: true}},
			CopyOptions:   []ast.Property{{Key: "force", Value: "true", HasValue: true}},
		},
	} {
		got := *parse[*ast.CopyInto](t, sql)
		if d := cmp.Diff(want, got, sameTree); d != "" {
			t.Errorf("%s (-want +got):\n%s", sql, d)
		}
	}
}

func TestVacuum(t *testing.T) {
	name := func(n string) ast.Name { return ast.Name{Parts: []ast.Ident{{Name: n}}} }
	for sql, want := range map[string]ast.Vacuum{
		"VACUUM t":                          {Table: name("t")},
		"VACUUM TABLE t RETAIN 0.5 HOURS":   {Table: name("t"), Hours: "0.5"},
		"VACUUM t RETAIN 168 HOURS DRY RUN": {Table: name("t"), Hours: "168", DryRun: true},
		"VACUUM SCHEMA s DRY RUN":           {Schema: name("s"), DryRun: true},
		"VACUUM schema DRY RUN":             {Table: name("schema"), DryRun: true},
		"VACUUM schema RETAIN 1 HOUR":       {Table: name("schema"), Hours: "1"},
		"VACUUM table":                      {Table: name("table")},
	} {
		got := *parse[*ast.Vacuum](t, sql)
		if d := cmp.Diff(want, got, sameTree); d != "" {
			t.Errorf("%s (-want +got):\n%s", sql, d)
		}
	}
}

// TestInsertIntoPath: the clauses of a write by path, and where its options may stand.
func TestInsertIntoPath(t *testing.T) {
	i := parse[*ast.Insert](t, "INSERT OVERWRITE parquet.`/p` WITH ('partitionOverwriteMode' 'dynamic') PARTITIONED BY (y, m) SELECT 1")
	if d := cmp.Diff([]ast.Ident{{Name: "y"}, {Name: "m"}}, i.PartitionedBy, sameTree); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]ast.Property{{Key: "partitionOverwriteMode", Value: "dynamic", HasValue: true}}, i.Options, sameTree); d != "" {
		t.Error(d)
	}
	if !i.Overwrite || i.Table.Parts[1].Name != "/p" {
		t.Errorf("%+v", i)
	}
}
