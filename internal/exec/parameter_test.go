package exec

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// TestValuesAsTextReadBack: a value that is put into a text in the place of a parameter is that value, of that type.
func TestValuesAsTextReadBack(t *testing.T) {
	integer, text := types.Of(types.Int), types.Of(types.String)
	ctx := &expr.Context{ANSI: true, Zone: time.FixedZone("", 3600)}
	for _, c := range []struct {
		value types.Value
		t     types.Type
	}{
		{nil, types.Of(types.Void)},
		{nil, integer},
		{nil, types.ArrayOf(text)},
		{true, types.Of(types.Boolean)},
		{int64(-128), types.Of(types.TinyInt)},
		{int64(7), types.Of(types.SmallInt)},
		{int64(-2147483648), integer},
		{int64(-9223372036854775808), types.Of(types.BigInt)},
		{1.5, types.Of(types.Double)},
		{1e300, types.Of(types.Double)},
		{float64(float32(3.14)), types.Of(types.Float)},
		{types.Dec{Unscaled: big.NewInt(-150), Scale: 2}, types.DecimalOf(3, 2)},
		{"it's \\ \"here\"\n\t;-- /* :x ? ü", text},
		{"", text},
		{types.Bytes("\x00\xff"), types.Of(types.Binary)},
		{int64(19000), types.Of(types.Date)},
		{int64(1_600_000_000_123_456), types.Of(types.Timestamp)},
		{int64(1_600_000_000_123_456), types.Of(types.TimestampNTZ)},
		{int64(14), types.IntervalOf(types.FieldYear, types.FieldMonth)},
		{int64(-90_061_000_000), types.IntervalOf(types.FieldDay, types.FieldSecond)},
	} {
		sql := sqlText(c.value, c.t, ctx.Zone)
		e, err := parser.ParseExpr(sql)
		if err != nil {
			t.Errorf("%v: %s: %v", c.value, sql, err)
			continue
		}
		bound, err := bind.BindExpr(context.Background(), e, nil, bind.Env{Context: ctx})
		if err != nil {
			t.Errorf("%v: %s: %v", c.value, sql, err)
			continue
		}
		got, err := expr.Eval(bound, ctx, nil)
		if err != nil {
			t.Errorf("%v: %s: %v", c.value, sql, err)
			continue
		}
		if d := cmp.Diff(c.value, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); d != "" || bound.Type().String() != c.t.String() {
			t.Errorf("%s is %v of %s, want %v of %s", sql, got, bound.Type(), c.value, c.t)
		}
	}
}

// TestPlacesBehindParameters: an error points at the text that was given, not at the one with the values in it.
func TestPlacesBehindParameters(t *testing.T) {
	const given = "SELECT :a, nope, ? + 1, :b"
	in, err := parser.ParseStatement(given)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{}
	text, err := r.putParams(given, in.Markers, map[string]string{"a": "'a long text'", "_0": "-1", "b": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "SELECT 'a long text', nope,  -1 + 1, x"; text != want {
		t.Fatalf("%q, want %q", text, want)
	}
	for inText, want := range map[string]string{"nope": "nope", "'a long text'": ":a", "long": ":a", "-1": "?", "-1 + 1": "? + 1", "x": ":b", "1, x": "1, :b"} {
		at := strings.LastIndex(text, inText)
		e := sqlerr.Internal(nil).At(sqlerr.Span{Start: at, End: at + len(inText)})
		placed := sqlerr.As(r.place(e)).Span
		if got := given[placed.Start:placed.End]; got != want {
			t.Errorf("%q becomes %q, want %q", inText, got, want)
		}
	}
	if _, err := r.putParams(given, in.Markers, nil); sqlerr.As(err).Condition != "UNBOUND_SQL_PARAMETER" {
		t.Errorf("a parameter without value: %v", err)
	}
}
