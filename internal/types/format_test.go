package types_test

import (
	"math"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

func TestFormat(t *testing.T) {
	la, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	nested := types.StructOf(types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "b", Type: types.ArrayOf(types.Of(types.String))})
	for _, c := range []struct {
		t    types.Type
		v    types.Value
		want string
	}{
		{types.Of(types.Boolean), true, "true"},
		{types.Of(types.BigInt), int64(math.MinInt64), "-9223372036854775808"},
		{types.Of(types.Double), 1.0, "1.0"},
		{types.Of(types.Double), 1e7, "1.0E7"},
		{types.Of(types.Double), 9999999.0, "9999999.0"},
		{types.Of(types.Double), 0.001, "0.001"},
		{types.Of(types.Double), 0.00099, "9.9E-4"},
		{types.Of(types.Double), math.Copysign(0, -1), "-0.0"},
		{types.Of(types.Double), math.NaN(), "NaN"},
		{types.Of(types.Double), math.Inf(-1), "-Infinity"},
		{types.Of(types.Double), math.SmallestNonzeroFloat64, "4.9E-324"},
		{types.Of(types.Float), float64(float32(0.1)), "0.1"},
		{types.Of(types.Float), float64(float32(1.5e10)), "1.5E10"},
		{types.DecimalOf(10, 2), types.NewDec(-5, 2), "-0.05"},
		{types.DecimalOf(10, 0), types.NewDec(120, 0), "120"},
		{types.Of(types.Date), int64(0), "1970-01-01"},
		{types.Of(types.Date), types.DaysOf(0, 3, 1), "0000-03-01"},
		{types.Of(types.Date), types.DaysOf(-1, 12, 31), "-0001-12-31"},
		{types.Of(types.Date), types.DaysOf(12345, 1, 1), "+12345-01-01"},
		{types.Of(types.Timestamp), int64(0), "1969-12-31 16:00:00"},
		{types.Of(types.TimestampNTZ), int64(-1), "1969-12-31 23:59:59.999999"},
		{types.Of(types.TimestampNTZ), int64(250_000), "1970-01-01 00:00:00.25"},
		{types.IntervalOf(types.FieldYear, types.FieldMonth), int64(-11), "INTERVAL '-0-11' YEAR TO MONTH"},
		{types.IntervalOf(types.FieldYear, types.FieldYear), int64(24), "INTERVAL '2' YEAR"},
		{types.IntervalOf(types.FieldDay, types.FieldSecond), int64(-93_784_500_000), "INTERVAL '-1 02:03:04.5' DAY TO SECOND"},
		{types.IntervalOf(types.FieldSecond, types.FieldSecond), int64(-1_500_000), "INTERVAL '-01.5' SECOND"},
		{types.IntervalOf(types.FieldDay, types.FieldSecond), int64(math.MinInt64), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
		{types.Of(types.Binary), types.Bytes("ab"), "ab"},
		{types.ArrayOf(types.Of(types.Int)), []types.Value{int64(1), nil}, "[1, null]"},
		{nested, []types.Value{int64(1), []types.Value{"x", "y"}}, "{1, [x, y]}"},
		{types.MapOf(types.Of(types.String), types.Of(types.Int)), []types.MapEntry{{Key: "a", Value: int64(1)}}, "{a -> 1}"},
		{types.Of(types.CalendarInterval), types.Interval{Months: 14, Days: -3, Micros: 3_600_000_000 + 1_500_000}, "1 years 2 months -3 days 1 hours 1.5 seconds"},
	} {
		if got := types.Format(c.t, c.v, la); got != c.want {
			t.Errorf("Format(%s, %v) = %q, want %q", c.t, c.v, got, c.want)
		}
	}
}

func TestTypeNames(t *testing.T) {
	s := types.StructOf(
		types.Field{Name: "a", Type: types.Of(types.Int), NotNull: true},
		types.Field{Name: "B c", Type: types.MapOf(types.Of(types.String), types.DecimalOf(10, 2)), HasComment: true, Comment: "it's"},
	)
	for _, c := range []struct{ got, want string }{
		{s.String(), "struct<a:int,B c:map<string,decimal(10,2)>>"},
		{s.SQL(), `STRUCT<a: INT NOT NULL, ` + "`B c`" + `: MAP<STRING, DECIMAL(10,2)> COMMENT 'it\'s'>`},
		{types.IntervalOf(types.FieldDay, types.FieldSecond).String(), "interval day to second"},
		{types.IntervalOf(types.FieldYear, types.FieldYear).SQL(), "INTERVAL YEAR"},
		{types.Type{}.String(), "void"},
		{types.Type{Kind: types.Varchar, Precision: 3}.SQL(), "VARCHAR(3)"},
		{types.Of(types.TimestampNTZ).String(), "timestamp_ntz"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
