package bind_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// lake is a small set of relations. Names resolve in main.default.
type lake map[string]*bind.Relation

func (l lake) Relation(_ context.Context, name ident.Name, ns bind.Namespace) (*bind.Relation, error) {
	full := name
	switch len(name) {
	case 1:
		full = ident.Name{ns.Catalog, ns.Schema, name[0]}
	case 2:
		full = append(ident.Name{ns.Catalog}, name...)
	}
	if len(full) != 3 || !ident.Equal(full[0], "main") || !ident.Equal(full[1], "default") {
		return nil, nil
	}
	return l[ident.Fold(full[2])], nil
}

func (l lake) AsOf(context.Context, ident.Name, bind.Namespace, bind.TimeTravel) (*bind.Relation, error) {
	return nil, sqlerr.TimeTravel("`t`")
}

func (l lake) Near(context.Context, ident.Name, bind.Namespace) []ident.Name {
	return []ident.Name{{"main", "default", "t"}}
}

func of(k types.Kind) types.Type { return types.Of(k) }

// table is a relation with columns given as name, type, name, type, ….
func table(name string, partition []string, cols ...types.Field) *bind.Relation {
	t := &catalog.Table{Securable: catalog.Securable{Name: name}, Format: "parquet", Columns: cols, Partition: partition}
	return &bind.Relation{
		Name: ident.Name{"main", "default", name},
		Scan: &plan.Relation{Table: t, Format: "parquet", Paths: []string{"file:/lake/" + name}, Schema: cols, Partition: partition},
	}
}

func col(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func view(t testing.TB, name, sql string, cols ...types.Field) *bind.Relation {
	t.Helper()
	return &bind.Relation{
		Name: ident.Name{"main", "default", name},
		View: &bind.View{Query: parse(t, sql), Namespace: bind.Namespace{Catalog: "main", Schema: "default"}, Columns: cols},
	}
}

func parse(t testing.TB, sql string) *ast.Query {
	t.Helper()
	s, err := parser.Parse(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	q, ok := s.(*ast.Query)
	if !ok {
		t.Fatalf("%s: a %T", sql, s)
	}
	return q
}

// fixture: t is partitioned by p (INT) and d (DATE), k by p with statistics by file; u and e are not; v is a view.
func fixture(t testing.TB) bind.Env {
	l := lake{
		"t": table("t", []string{"p", "d"}, col("id", of(types.Int)), col("s", of(types.String)), col("x", of(types.Double)),
			col("o", types.StructOf(col("f", of(types.Int)), col("g", of(types.String)))), col("arr", types.ArrayOf(of(types.Int))),
			col("m", types.MapOf(of(types.String), of(types.Int))), col("p", of(types.Int)), col("d", of(types.Date))),
		"u": table("u", nil, col("a", of(types.Int)), col("b", of(types.String)), col("c", of(types.Int))),
		"e": table("e", []string{"p"}, col("n", of(types.BigInt)), col("p", of(types.Int))),
		"info": {Name: ident.Name{"main", "default", "info"}, Supplied: &bind.Supplied{
			Fields: []types.Field{col("k", of(types.String))},
			Rows:   [][]types.Value{{"one"}}, Label: "info",
		}},
	}
	l["k"] = table("k", []string{"p"}, col("id", of(types.Int)), col("s", of(types.String)), col("x", of(types.Double)),
		col("o", types.StructOf(col("f", of(types.Int)))), col("p", of(types.Int)))
	l["k"].Scan.Statistics, l["k"].Scan.Counted = true, true
	l["v"] = view(t, "v", "SELECT p, count(*) AS n FROM t GROUP BY p", col("part", of(types.Int)), col("rows", of(types.BigInt)))
	l["loop"] = view(t, "loop", "SELECT * FROM loop2")
	l["loop2"] = view(t, "loop2", "SELECT * FROM loop")
	l["broken"] = view(t, "broken", "SELECT nosuch FROM u")
	l["narrow"] = view(t, "narrow", "SELECT a, b FROM u", col("a", of(types.Int)))
	return bind.Env{
		Relations: l, Namespace: bind.Namespace{Catalog: "main", Schema: "default"},
		Context: &expr.Context{ANSI: true, Zone: time.UTC, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), User: "ann", Catalog: "main", Schema: "default"},
	}
}

func bindSQL(t testing.TB, env bind.Env, sql string) (plan.Node, error) {
	t.Helper()
	return bind.Bind(context.Background(), parse(t, sql), env)
}

func asError(t testing.TB, err error) *sqlerr.Error {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("not a *sqlerr.Error: %v", err)
	}
	return e
}
