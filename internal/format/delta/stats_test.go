package delta

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/types"
)

func TestStatsBounds(t *testing.T) {
	const text = `{"numRecords":10,"minValues":{"i":1,"s":"ab","t":"2020-01-01T00:00:00.123Z","old":"1969-12-31T23:59:59.123Z","n":"2020-01-01T00:00:00.5","d":1.50,"f":"NaN","g":-0.0,"day":"2020-01-01","st":{"x":3}},
		"maxValues":{"i":9,"s":"zz","t":"2020-01-01T00:00:00.123Z","old":"1969-12-31T23:59:59.123Z","n":"2020-01-01T00:00:00.5","d":2,"f":"NaN","g":7.5,"day":"2020-02-01","st":{"x":4}},"nullCount":{"i":0,"s":10,"d":3,"st":{"x":2}}}`
	s, ok := ParseStats(text)
	if !ok || s.NumRecords != 10 || !s.TightBounds {
		t.Fatalf("%+v", s)
	}
	show := func(typ types.Type, path ...string) string {
		b := s.Column(path, typ)
		side := func(v types.Value) string {
			if v == nil {
				return "?"
			}
			return types.Format(typ, v, time.UTC)
		}
		out := side(b.Min) + " " + side(b.Max) + " " + itoa(b.Nulls)
		if b.Exact {
			out += " exact"
		}
		return out
	}
	for want, got := range map[string]string{
		"1 9 0 exact": show(types.Of(types.BigInt), "i"),
		"ab zz 10":    show(types.Of(types.String), "s"),
		"2020-01-01 00:00:00.123 2020-01-01 00:00:00.123999 -1":    show(types.Of(types.Timestamp), "t"),
		"1969-12-31 23:59:59.122001 1969-12-31 23:59:59.123999 -1": show(types.Of(types.Timestamp), "old"),
		"2020-01-01 00:00:00.5 2020-01-01 00:00:00.500999 -1":      show(types.Of(types.TimestampNTZ), "n"),
		"1.50 2 3 exact":                 show(types.DecimalOf(10, 2), "d"),
		"? ? -1":                         show(types.Of(types.Double), "f"),
		"-0.0 7.5 -1":                    show(types.Of(types.Double), "g"),
		"2020-01-01 2020-02-01 -1 exact": show(types.Of(types.Date), "day"),
		"3 4 2 exact":                    show(types.Of(types.Int), "st", "x"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := show(types.Of(types.Int), "absent"); got != "? ? -1" {
		t.Error(got)
	}
	loose, _ := ParseStats(`{"numRecords":10,"tightBounds":false,"minValues":{"i":1},"maxValues":{"i":9},"nullCount":{"i":3,"j":0,"k":10}}`)
	if b := loose.Column([]string{"i"}, types.Of(types.Int)); b.Nulls != -1 || b.Exact || b.Min != int64(1) {
		t.Errorf("%+v", b)
	}
	if a, b := loose.Column([]string{"j"}, types.Of(types.Int)), loose.Column([]string{"k"}, types.Of(types.Int)); a.Nulls != 0 || b.Nulls != 10 {
		t.Errorf("%+v %+v", a, b)
	}
	for _, bad := range []string{"", "{", "[]", `{"numRecords":-5}`, `{"numRecords":"x"}`, `{"minValues":3} x`} {
		if s, ok := ParseStats(bad); ok && s.NumRecords >= 0 {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func TestVectorLoosensBounds(t *testing.T) {
	d := &DeletionVector{StorageType: "i", Cardinality: 2}
	for text, want := range map[string]string{
		`{"numRecords":5,"minValues":{}}`:     `{"numRecords":5,"minValues":{},"tightBounds":false}`,
		`{"tightBounds":true,"numRecords":5}`: `{"tightBounds":false,"numRecords":5}`,
	} {
		a, err := (&Add{Stats: text}).WithVector(d)
		if err != nil || a.Stats != want {
			t.Errorf("%+v, %v", a, err)
			continue
		}
		if n, ok := a.LiveRows(); n != 3 || !ok {
			t.Errorf("%d", n)
		}
	}
	if _, err := (&Add{Stats: `{"minValues":{}}`}).WithVector(d); err == nil {
		t.Error("a file without a row count")
	}
}

// TestSkippingNeverLosesRows makes files of random rows, their honest statistics, and random conditions: a file that is
// skipped has no row for which the condition is true.
func TestSkippingNeverLosesRows(t *testing.T) {
	col := []string{"a"}
	typ := types.Of(types.Int)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) types.Value {
			if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
				return nil
			}
			return int64(rapid.IntRange(0, 5).Draw(t, "v"))
		})
		rows := rapid.SliceOfN(value, 1, 5).Draw(t, "rows")
		b := Bounds{Rows: int64(len(rows))}
		for _, v := range rows {
			if v == nil {
				b.Nulls++
				continue
			}
			if b.Min == nil || v.(int64) < b.Min.(int64) {
				b.Min = v
			}
			if b.Max == nil || v.(int64) > b.Max.(int64) {
				b.Max = v
			}
		}
		if rapid.Bool().Draw(t, "forget") {
			b.Nulls, b.Min = -1, nil
		}
		var predicate func(depth int) Predicate
		predicate = func(depth int) Predicate {
			switch n := rapid.IntRange(0, 6).Draw(t, "kind"); {
			case n == 0:
				return IsNull(col)
			case n == 1:
				return In(col, rapid.SliceOfN(value, 1, 3).Draw(t, "list"))
			case n == 2 && depth > 0:
				return Not(predicate(depth - 1))
			case n == 3 && depth > 0:
				return And(predicate(depth-1), predicate(depth-1))
			case n == 4 && depth > 0:
				return Or(predicate(depth-1), predicate(depth-1))
			}
			return Compare(col, Op(rapid.IntRange(0, int(SafeEq)).Draw(t, "op")), value.Draw(t, "v"))
		}
		p := predicate(3)
		got := p.outcomes(func([]string) (Bounds, types.Type, bool) { return b, typ, true })
		for _, v := range rows {
			// The bounds of one row are exact, so that its outcome is its result.
			one := p.outcomes(func([]string) (Bounds, types.Type, bool) { return constant(v), typ, true })
			if one != mayTrue && one != mayFalse && one != mayNull || got&one == 0 {
				t.Fatalf("%v gives %b, the file %b (%+v)", v, one, got, b)
			}
		}
	})
}

func TestSkipper(t *testing.T) {
	text := strings.Replace(startOfTable, `"partitionColumns":[]`, `"partitionColumns":["p"]`, 1)
	s, err := replayed(t, strings.Replace(text, `fields\":[`, `fields\":[{\"name\":\"p\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"s\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"f\",\"type\":\"double\",\"nullable\":true,\"metadata\":{}},`, 1))
	if err != nil {
		t.Fatal(err)
	}
	a := &Add{PartitionValues: PartitionTexts{{"p", "3"}}, Stats: `{"numRecords":2,"minValues":{"a":10,"s":"k","f":1.0},"maxValues":{"a":20,"s":"m","f":2.0},"nullCount":{"a":0,"s":1,"f":0}}`}
	bare := &Add{PartitionValues: PartitionTexts{{"p", ""}}}
	for _, c := range []struct {
		p          Predicate
		full, none bool // whether the file with statistics and the one without are kept
	}{
		{Compare([]string{"P"}, Eq, int64(3)), true, false},
		{Compare([]string{"p"}, Eq, int64(4)), false, false},
		{IsNull([]string{"p"}), false, true},
		{Compare([]string{"a"}, Gt, int64(20)), false, true},
		{Compare([]string{"a"}, Ge, int64(20)), true, true},
		{IsNull([]string{"a"}), false, true},
		{And(Compare([]string{"p"}, Eq, int64(3)), Compare([]string{"a"}, Lt, int64(10))), false, false},
		{Or(Compare([]string{"p"}, Eq, int64(9)), Compare([]string{"a"}, Lt, int64(11))), true, true},
		{StartsWith([]string{"s"}, "l"), true, true},
		{StartsWith([]string{"s"}, "n"), false, true},
		{StartsWith([]string{"s"}, "kk"), true, true},
		{Compare([]string{"f"}, Gt, 2.0), true, true}, // NaN is greater
		{Compare([]string{"f"}, Eq, 3.0), false, true},
		{Compare([]string{"f"}, Lt, 1.0), false, true},
		{Compare([]string{"unknown"}, Eq, int64(1)), true, true},
		{Unknown(), true, true},
		{Not(Compare([]string{"a"}, Le, int64(20))), false, true},
	} {
		k := NewSkipper(s, c.p, time.UTC)
		for add, want := range map[*Add]bool{a: c.full, bare: c.none} {
			if got, err := k.Keep(add); got != want || err != nil {
				t.Errorf("%+v on %+v: %v, %v", c.p, add, got, err)
			}
		}
	}
	if _, err := NewSkipper(s, IsNull([]string{"p"}), time.UTC).Keep(&Add{PartitionValues: PartitionTexts{{"p", "x"}}}); err == nil {
		t.Error("a partition value that is no number was taken")
	}
}

func TestTypeChanges(t *testing.T) {
	field := func(changes string) Schema {
		s, err := ParseSchema(`{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{"delta.typeChanges":` + changes + `}}]}`)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for changes, ok := range map[string]bool{
		`[{"fromType":"integer","toType":"long","tableVersion":2}]`:     true,
		`[{"fromType":"byte","toType":"double","fieldPath":"element"}]`: true,
		`[{"fromType":"decimal(5,2)","toType":"decimal(7,3)"}]`:         true,
		`[{"fromType":"decimal(5,2)","toType":"decimal(6,4)"}]`:         false,
		`[{"fromType":"long","toType":"decimal(20,0)"}]`:                true,
		`[{"fromType":"long","toType":"decimal(19,0)"}]`:                false,
		`[{"fromType":"date","toType":"timestamp_ntz"}]`:                true,
		`[{"fromType":"date","toType":"timestamp"}]`:                    false,
		`[{"fromType":"long","toType":"integer"}]`:                      false,
		`[{"fromType":"long","toType":"double"}]`:                       false,
		`[{"fromType":"string","toType":"geometry"}]`:                   false,
	} {
		if err := CheckTypeChanges(field(changes)); (err == nil) != ok {
			t.Errorf("%s: %v", changes, err)
		}
	}
}
