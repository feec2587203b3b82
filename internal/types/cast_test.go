package types_test

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"pgregory.net/rapid"
)

var (
	str   = types.Of(types.String)
	tiny  = types.Of(types.TinyInt)
	integ = types.Of(types.Int)
	long  = types.Of(types.BigInt)
	dbl   = types.Of(types.Double)
	date  = types.Of(types.Date)
	inst  = types.Of(types.Timestamp)
	ntz   = types.Of(types.TimestampNTZ)
	boole = types.Of(types.Boolean)
)

// cast gives the value as text, NULL, or the condition of the error.
func cast(v types.Value, from, to types.Type, mode types.CastMode) string {
	r, err := types.Cast(v, from, to, types.CastOptions{Zone: time.UTC, Mode: mode})
	var e *sqlerr.Error
	switch {
	case errors.As(err, &e):
		return string(e.Condition)
	case r == nil:
		return "NULL"
	}
	return types.Format(to, r, time.UTC)
}

func TestCast(t *testing.T) {
	for _, c := range []struct {
		v        types.Value
		from, to types.Type
		want     string
	}{
		{" 12\n", str, integ, "12"},
		{"+5", str, integ, "5"},
		{"1.5", str, integ, "CAST_INVALID_INPUT"},
		{"0x10", str, integ, "CAST_INVALID_INPUT"},
		{"", str, integ, "CAST_INVALID_INPUT"},
		{"+-5", str, integ, "CAST_INVALID_INPUT"},
		{"2147483648", str, integ, "CAST_INVALID_INPUT"},
		{"1d", str, dbl, "1.0"},
		{"INF", str, dbl, "Infinity"},
		{"1_0", str, dbl, "CAST_INVALID_INPUT"},
		{"1e400", str, dbl, "Infinity"},
		{"1.255", str, types.DecimalOf(3, 2), "1.26"},
		{"-1.255", str, types.DecimalOf(3, 2), "-1.26"},
		{"99", str, types.DecimalOf(3, 2), "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{"1e-6", str, types.DecimalOf(6, 6), "0.000001"},
		{"1e999999999", str, types.DecimalOf(6, 6), "CAST_INVALID_INPUT"},
		{"1e99999", str, types.DecimalOf(6, 6), "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{" Yes ", str, boole, "true"},
		{"2", str, boole, "CAST_INVALID_INPUT"},
		{int64(300), integ, tiny, "CAST_OVERFLOW"},
		{1.9, dbl, integ, "1"},
		{math.NaN(), dbl, integ, "CAST_OVERFLOW"},
		{9.223372036854775807e18, dbl, long, "9223372036854775807"},
		{types.NewDec(-19, 1), types.DecimalOf(2, 1), integ, "-1"},
		{math.NaN(), dbl, types.DecimalOf(5, 2), "NULL"},
		{float64(float32(1.005)), types.Of(types.Float), types.DecimalOf(3, 2), "1.00"},
		{"2020-1-5Tgarbage", str, date, "2020-01-05"},
		{"2020", str, date, "2020-01-01"},
		{"2020-02-30", str, date, "CAST_INVALID_INPUT"},
		{"+12345-01-01", str, date, "+12345-01-01"},
		{"2020-01-01T00:00:00.1+02:00", str, inst, "2019-12-31 22:00:00.1"},
		{"2020-01-01 1:2", str, inst, "2020-01-01 01:02:00"},
		{"2020-01-01 10:11Z", str, inst, "CAST_INVALID_INPUT"},
		{"2020-01-01 24:00", str, inst, "CAST_INVALID_INPUT"},
		{"2020-01-01 00:00:00 europe/paris", str, inst, "CAST_INVALID_INPUT"},
		{"2020-01-01 00:00:00 Europe/Paris", str, inst, "2019-12-31 23:00:00"},
		{"2020-01-01 00:00:00.1234567", str, inst, "2020-01-01 00:00:00.123456"},
		{"2020-01-01 00:00:00+19:00", str, inst, "CAST_INVALID_INPUT"},
		{"2020-01-01 00:00:00+02:00", str, ntz, "2020-01-01 00:00:00"},
		{"INTERVAL '1 02:03:04' DAY TO SECOND", str, types.IntervalOf(types.FieldDay, types.FieldSecond), "INTERVAL '1 02:03:04' DAY TO SECOND"},
		{"-1-2", str, types.IntervalOf(types.FieldYear, types.FieldMonth), "INTERVAL '-1-2' YEAR TO MONTH"},
		{"x", str, types.IntervalOf(types.FieldYear, types.FieldMonth), "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"},
		{int64(-1), inst, long, "-1"},
		{int64(1), date, integ, "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION"},
		{int64(1), integ, types.Of(types.Binary), "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION"},
		{true, boole, date, "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"},
		{[]types.Value{"1", nil}, types.ArrayOf(str), types.ArrayOf(integ), "[1, null]"},
		{[]types.Value{"x"}, types.ArrayOf(str), types.ArrayOf(integ), "CAST_INVALID_INPUT"},
	} {
		if got := cast(c.v, c.from, c.to, types.ANSI); got != c.want {
			t.Errorf("cast(%v: %s as %s) = %s, want %s", c.v, c.from, c.to, got, c.want)
		}
	}
}

func TestCastWithoutANSI(t *testing.T) {
	for _, c := range []struct {
		v           types.Value
		from, to    types.Type
		try, legacy string
	}{
		{"1.5", str, integ, "NULL", "1"},
		{"abc", str, integ, "NULL", "NULL"},
		{int64(300), integ, tiny, "NULL", "44"},
		{1e10, dbl, integ, "NULL", "2147483647"},
		{math.NaN(), dbl, integ, "NULL", "0"},
		{300.7, dbl, tiny, "NULL", "44"},
		{"2020-02-30", str, date, "NULL", "NULL"},
		{types.NewDec(0, 18), types.DecimalOf(38, 18), str, "0.000000000000000000", "0E-18"},
	} {
		if got := cast(c.v, c.from, c.to, types.Try); got != c.try {
			t.Errorf("try_cast(%v: %s as %s) = %s, want %s", c.v, c.from, c.to, got, c.try)
		}
		if got := cast(c.v, c.from, c.to, types.Legacy); got != c.legacy {
			t.Errorf("legacy cast(%v: %s as %s) = %s, want %s", c.v, c.from, c.to, got, c.legacy)
		}
	}
}

// anyValue draws a scalar type and a value of it.
func anyValue(t *rapid.T, label string) (types.Type, types.Value) {
	ty := rapid.SampledFrom([]types.Type{
		boole, tiny, integ, long, dbl, types.DecimalOf(20, 4), str, date, inst, ntz, types.Of(types.Float),
		types.IntervalOf(types.FieldDay, types.FieldSecond), types.IntervalOf(types.FieldYear, types.FieldMonth),
	}).Draw(t, label+" type")
	return ty, valueOf(t, ty, label)
}

func valueOf(t *rapid.T, ty types.Type, label string) types.Value {
	switch ty.Kind {
	case types.Boolean:
		return rapid.Bool().Draw(t, label)
	case types.Double:
		return rapid.Float64().Draw(t, label)
	case types.Float:
		return float64(rapid.Float32().Draw(t, label))
	case types.Decimal:
		return types.Dec{Unscaled: big.NewInt(rapid.Int64().Draw(t, label)), Scale: ty.Scale}
	case types.String:
		return rapid.String().Draw(t, label)
	case types.TinyInt, types.Int, types.BigInt:
		lo, hi := types.IntRange(ty.Kind)
		return rapid.Int64Range(lo, hi).Draw(t, label)
	case types.Date:
		return rapid.Int64Range(-719_162, 2_932_896).Draw(t, label)
	case types.YearMonthInterval:
		return rapid.Int64Range(math.MinInt32, math.MaxInt32).Draw(t, label)
	case types.DayTimeInterval:
		return rapid.Int64().Draw(t, label)
	}
	return rapid.Int64Range(-62_135_596_800_000_000, 253_402_300_799_999_999).Draw(t, label)
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty, v := anyValue(t, "v")
		text := types.Format(ty, v, time.UTC)
		back, err := types.Cast(text, str, ty, types.CastOptions{Zone: time.UTC})
		if err != nil || types.Compare(ty, v, back) != 0 {
			t.Fatalf("%s %v prints %q and reads back %v (%v)", ty, v, text, back, err)
		}
	})
}

func TestCompareIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ty, a := anyValue(t, "a")
		b, c := valueOf(t, ty, "b"), valueOf(t, ty, "c")
		sign := func(n int) int {
			switch {
			case n < 0:
				return -1
			case n > 0:
				return 1
			}
			return 0
		}
		if types.Compare(ty, a, a) != 0 || sign(types.Compare(ty, a, b)) != -sign(types.Compare(ty, b, a)) {
			t.Fatalf("%v and %v", a, b)
		}
		if types.Compare(ty, a, b) <= 0 && types.Compare(ty, b, c) <= 0 && types.Compare(ty, a, c) > 0 {
			t.Fatalf("%v, %v, %v", a, b, c)
		}
	})
	nan, zero, minus := math.NaN(), 0.0, math.Copysign(0, -1)
	if types.Compare(dbl, nan, nan) != 0 || types.Compare(dbl, nan, math.Inf(1)) <= 0 || types.Compare(dbl, zero, minus) != 0 {
		t.Error("NaN and -0.0 do not compare as Spark's")
	}
	pair := types.StructOf(types.Field{Name: "a", Type: integ}, types.Field{Name: "b", Type: integ})
	if types.Compare(pair, []types.Value{int64(1), nil}, []types.Value{int64(1), int64(2)}) >= 0 {
		t.Error("NULL inside a struct is not the least")
	}
}

func TestDates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Int64Range(-100_000_000, 100_000_000).Draw(t, "d")
		y, m, n := types.DateOf(d)
		if types.DaysOf(y, m, n) != d || m < 1 || m > 12 || n < 1 || n > types.DaysInMonth(y, m) {
			t.Fatalf("%d is %d-%d-%d", d, y, m, n)
		}
		if y > 0 && y < 9999 {
			if got, want := types.FormatDate(d), time.Unix(d*86400, 0).UTC().Format("2006-01-02"); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	})
}

func TestZones(t *testing.T) {
	la, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int64{
		"2021-11-07 01:30:00": 1636273800, // occurs twice: the earlier
		"2021-03-14 02:30:00": 1615717800, // does not occur: an hour later
		"2021-07-01 00:00:00": 1625122800,
	} {
		if got, ok := types.ParseTimestamp(text, la); !ok || got != want*1_000_000 {
			t.Errorf("%s is %d, want %d", text, got/1_000_000, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 2_000_000_000).Draw(t, "seconds") * 1_000_000
		local := types.ToLocal(v, la)
		if back := types.FromLocal(local, la); back != v && types.ToLocal(back, la) != local {
			t.Fatalf("%d shows %d, which means %d", v, local, back)
		}
	})
	for _, bad := range []string{"", "Local", "europe/paris", "+19:00", "UTC+", "X/../Y", "Mars/Base"} {
		if _, ok := types.ParseZone(bad); ok {
			t.Errorf("%q is a zone", bad)
		}
	}
	for _, good := range []string{"Z", "UTC", "+2", "-05:30", "GMT+3", "Europe/Paris", "EST", "PST", "Etc/GMT+5", "UTC+05:30"} {
		if _, ok := types.ParseZone(good); !ok {
			t.Errorf("%q is no zone", good)
		}
	}
}

func FuzzCast(f *testing.F) {
	for _, s := range []string{"", " ", "-", "+", "1", "1e5", "-1.5d", "0x1p3", "2020-02-29 23:59:59.999999 America/New_York", "INTERVAL '-1-2' YEAR TO MONTH", "t", "1e-99999", "+-1", "\x00", "99999999999999999999-01-01"} {
		f.Add(s)
	}
	targets := []types.Type{
		boole, tiny, types.Of(types.SmallInt), integ, long, types.Of(types.Float), dbl, types.DecimalOf(38, 18), types.DecimalOf(1, 0), types.Of(types.Binary), date, inst, ntz,
		types.IntervalOf(types.FieldYear, types.FieldYear), types.IntervalOf(types.FieldYear, types.FieldMonth), types.IntervalOf(types.FieldDay, types.FieldDay), types.IntervalOf(types.FieldMinute, types.FieldSecond), types.IntervalOf(types.FieldSecond, types.FieldSecond),
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, to := range targets {
			for _, mode := range []types.CastMode{types.ANSI, types.Try, types.Legacy} {
				v, err := types.Cast(s, str, to, types.CastOptions{Zone: time.UTC, Mode: mode})
				if mode != types.ANSI && err != nil {
					t.Fatalf("%q as %s: %v", s, to, err)
				}
				if v != nil {
					types.Format(to, v, time.UTC)
				}
			}
		}
		types.ParseZone(s)
	})
}
