package delta

import (
	"fmt"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

func TestExact(t *testing.T) {
	const text = `{"numRecords":10,"minValues":{"i":1,"big":-9223372036854775808,"tiny":-129,"s":"ab","t":"2020-01-01T00:00:00.123Z","d":1.5,"dd":1.555,"w":1.50,"f":1.0,"b":false,"day":"2020-01-01","julian":"1582-10-14","up":9,"odd":1,"one":1},
		"maxValues":{"i":9,"big":9223372036854775807,"tiny":1,"s":"ab","t":"2020-01-01T00:00:00.123Z","d":2E+0,"dd":2,"w":2.50,"f":7.5,"b":true,"day":"2020-02-01","julian":"2020-01-01","up":1,"odd":1},
		"nullCount":{"i":0,"big":3,"tiny":0,"s":1,"t":0,"d":2,"w":0,"f":0,"b":0,"day":0,"none":10,"odd":10,"many":11,"up":0}}`
	show := func(text string, typ types.Type, name string, v *DeletionVector) string {
		s, _ := ParseStats(text)
		e := s.Exact(name, typ, v)
		if !e.Limits {
			return fmt.Sprint(e.Values)
		}
		if e.Min == nil && e.Max == nil {
			return fmt.Sprint(e.Values, " none")
		}
		return fmt.Sprint(e.Values, " ", types.Format(typ, e.Min, time.UTC), " ", types.Format(typ, e.Max, time.UTC))
	}
	intType := types.Of(types.Int)
	some := &DeletionVector{Cardinality: 4}
	for _, c := range []struct {
		name   string
		typ    types.Type
		vector *DeletionVector
		want   string
	}{
		{"i", intType, nil, "10 1 9"},
		{"big", types.Of(types.BigInt), nil, "7 -9223372036854775808 9223372036854775807"},
		{"tiny", types.Of(types.TinyInt), nil, "10"}, // no TINYINT
		{"s", types.Of(types.String), nil, "9"},      // cut
		{"t", types.Of(types.Timestamp), nil, "10"},
		{"d", types.DecimalOf(10, 2), nil, "8 1.50 2.00"},
		{"dd", types.DecimalOf(10, 2), nil, "-1"}, // more digits than the type has
		{"w", types.DecimalOf(16, 2), nil, "10"},  // may be a rounded double
		{"f", types.Of(types.Double), nil, "10"},  // NaN may be there
		{"b", types.Of(types.Boolean), nil, "10"},
		{"day", types.Of(types.Date), nil, "10 2020-01-01 2020-02-01"},
		{"julian", types.Of(types.Date), nil, "-1"},
		{"none", intType, nil, "0 none"},
		{"odd", intType, nil, "-1"},  // all NULL, and has limits
		{"many", intType, nil, "-1"}, // more NULLs than rows
		{"up", intType, nil, "10"},   // the smallest is above the largest
		{"one", intType, nil, "-1"},
		{"absent", intType, nil, "-1"},
		// Deletions: counts hold at their ends alone, limits no longer.
		{"i", intType, some, "6"},
		{"big", types.Of(types.BigInt), some, "-1"},
		{"none", intType, some, "0 none"},
		{"absent", intType, &DeletionVector{Cardinality: 10}, "0 none"},
		{"i", intType, &DeletionVector{Cardinality: 11}, "-1"},
	} {
		if got := show(text, c.typ, c.name, c.vector); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.typ.SQL(), got, c.want)
		}
	}
	for _, c := range [][2]string{
		{`{"numRecords":10,"tightBounds":false,"minValues":{"i":1},"maxValues":{"i":9},"nullCount":{"i":3}}`, "-1"},
		{`{"numRecords":10,"tightBounds":false,"minValues":{"i":1},"maxValues":{"i":9},"nullCount":{"i":0}}`, "10"},
		{`{"minValues":{"i":1},"maxValues":{"i":9},"nullCount":{"i":0}}`, "-1"},
		{`{"numRecords":0}`, "0 none"},
		{`{"numRecords":10,"minValues":{"i":1},"maxValues":{"i":9}}`, "-1 1 9"},
		{`{"numRecords":10,"minValues":{"i":1.5},"maxValues":{"i":9},"nullCount":{"i":0}}`, "10"},
		{`{"numRecords":10,"minValues":{"i":"1"},"maxValues":{"i":9},"nullCount":{"i":null}}`, "-1"},
		{"", "-1"},
	} {
		if got := show(c[0], intType, "i", nil); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// TestRoundedDecimals: delta-rs keeps the limits of decimals as doubles. The values of this file are 12345678901234567890.12 and
// 12345678901234567899.99, and both limits lie below them.
func TestRoundedDecimals(t *testing.T) {
	s, _ := ParseStats(`{"numRecords":2,"minValues":{"d":1.2345678901234567e+19,"e":-99999999999999.99,"whole":100000000000000000},"maxValues":{"d":1.2345678901234567e+19,"e":0.01,"whole":100000000000000000.0}}`)
	wide := s.Column([]string{"d"}, types.DecimalOf(38, 2))
	for _, text := range []string{"12345678901234567890.12", "12345678901234567899.99"} {
		v, _ := types.ParseDec(text)
		if wide.Exact || types.Compare(types.DecimalOf(38, 2), wide.Min, v) > 0 || types.Compare(types.DecimalOf(38, 2), wide.Max, v) < 0 {
			t.Errorf("%s lies outside of %v and %v", text, wide.Min, wide.Max)
		}
	}
	whole := s.Column([]string{"whole"}, types.DecimalOf(20, 2))
	if v, _ := types.ParseDec("100000000000000000.01"); types.Compare(types.DecimalOf(20, 2), whole.Max, v) < 0 {
		t.Errorf("%v", whole.Max)
	}
	if narrow := s.Column([]string{"e"}, types.DecimalOf(15, 2)); !narrow.Exact || narrow.Max.(types.Dec).String() != "0.01" {
		t.Errorf("%+v", narrow)
	}
}
