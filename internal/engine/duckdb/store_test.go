package duckdb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TestStoreMeansTheSame: what a write stores is the same whether Go or the engine computes it, for every pair of types
// and every policy, inside collections too. That Go's is Spark's is proven in package expr.
func TestStoreMeansTheSame(t *testing.T) {
	e := open(t)
	r := rand.New(rand.NewPCG(7, 8))
	char, varchar := types.Type{Kind: types.Char, Precision: 3}, types.Type{Kind: types.Varchar, Precision: 2}
	struct2 := func(a, b string, x, y types.Type) types.Type {
		return types.StructOf(types.Field{Name: a, Type: x}, types.Field{Name: b, Type: y})
	}
	targets := append([]types.Type{
		char, varchar, types.DecimalOf(3, 0), types.ArrayOf(types.Of(types.TinyInt)), types.ArrayOf(char), types.MapOf(varchar, types.Of(types.TinyInt)),
		struct2("b", "A", types.Of(types.SmallInt), char),
	}, pool...)
	sources := append([]types.Type{struct2("a", "b", tStr, tBig), struct2("B", "a", tBig, tStr)}, pool...)
	pairs := 0
	for _, policy := range []expr.StorePolicy{expr.StoreANSI, expr.StoreStrict, expr.StoreLegacy} {
		for _, from := range sources {
			for _, to := range targets {
				col := plan.Column{ID: 1, Name: "c0", Type: from}
				stored, err := expr.Store(ref(col), to, "v]'x", expr.StoreOptions{Policy: policy, ByName: r.IntN(2) == 0})
				if err != nil || types.Equal(from, to) && !to.Kind.IsNested() {
					continue
				}
				// The name of a cast: what is known of casts holds for stored values.
				tr := &trial{name: "cast[store as " + to.String() + "]", e: stored, cols: []plan.Column{col}, ctx: &baseContext}
				for range 12 {
					v := sample(r, from)
					if from.Kind == types.Struct && v == nil && r.IntN(4) > 0 {
						v = []types.Value{sample(r, from.Fields[0].Type), sample(r, from.Fields[1].Type)}
					}
					tr.rows = append(tr.rows, []types.Value{v})
				}
				pairs++
				report(t, "cast", tr.run(t, e))
			}
		}
	}
	if pairs < 500 {
		t.Errorf("only %d pairs", pairs)
	}
}

// TestRequire: a row whose condition is not TRUE fails with the error given, parameters and all.
func TestRequire(t *testing.T) {
	e := open(t)
	cols, args := columns([]types.Type{tBool, tInt})
	bad := sqlerr.ReplaceWhereMismatch(`dt = 'it''s' AND "x]" > 1`)
	tr := &trial{name: "require", e: expr.Require(args[0], args[1], bad), cols: cols, ctx: &baseContext}
	tr.rows = [][]types.Value{{true, int64(1)}, {true, nil}, {false, int64(3)}, {nil, int64(4)}}
	report(t, "require", tr.run(t, e))
	for _, row := range tr.rows[2:] {
		_, err := all(t.Context(), e, tr.query([][]types.Value{row}))
		var got *sqlerr.Error
		if !errors.As(err, &got) || got.Error() != bad.Error() || len(got.Params) != 1 || got.Params[0] != bad.Params[0] {
			t.Errorf("%v: %v", row, err)
		}
	}
}

// TestStoreErrors: what the engine raises for stored values comes back with its parameters.
func TestStoreErrors(t *testing.T) {
	e := open(t)
	for _, c := range []struct {
		from, to types.Type
		value    types.Value
		want     *sqlerr.Error
	}{
		{tBig, types.Of(types.TinyInt), int64(300), sqlerr.CastOverflowInInsert("BIGINT", "TINYINT", "`it's``]`")},
		{tDouble, types.DecimalOf(5, 2), 1e9, sqlerr.CastOverflowInInsert("DOUBLE", "DECIMAL(5,2)", "`it's``]`")},
		{types.ArrayOf(tBig), types.ArrayOf(tInt), []types.Value{int64(1) << 40}, sqlerr.CastOverflowInInsert("BIGINT", "INT", "`it's``]`.`element`")},
		{tStr, types.Type{Kind: types.Varchar, Precision: 3}, "abcd", sqlerr.CharLengthExceeded(3)},
	} {
		col := plan.Column{ID: 1, Name: "c0", Type: c.from}
		stored, err := expr.Store(ref(col), c.to, "it's`]", expr.StoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tr := &trial{e: stored, cols: []plan.Column{col}, ctx: &baseContext}
		_, err = all(t.Context(), e, tr.query([][]types.Value{{c.value}}))
		var got *sqlerr.Error
		if !errors.As(err, &got) || got.Error() != c.want.Error() || fmt.Sprint(got.Params) != fmt.Sprint(c.want.Params) {
			t.Errorf("%v into %s: %v", c.value, c.to, err)
		}
	}
}
