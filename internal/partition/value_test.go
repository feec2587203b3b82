package partition_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// What ALTER TABLE … ADD PARTITION and SHOW PARTITIONS of Spark 4.3 make of a directory's text.
func TestSegmentOfText(t *testing.T) {
	ym := types.IntervalOf(types.FieldYear, types.FieldYear)
	dt := types.IntervalOf(types.FieldDay, types.FieldSecond)
	for _, c := range []struct {
		t    types.Type
		text string
		dir  string // "" when it does not cast
	}{
		{of(types.Int), "01", "k=1"},
		{of(types.Int), " 7 ", "k=7"},
		{of(types.Int), "-0", "k=0"},
		{of(types.Int), "1.5", ""},
		{of(types.Int), "foo", ""},
		{of(types.Int), "", ""},
		{of(types.TinyInt), "300", ""},
		{of(types.BigInt), "9223372036854775807", "k=9223372036854775807"},
		{of(types.Date), "2020-1-1", "k=2020-01-01"},
		{of(types.Date), "foo", ""},
		{of(types.Boolean), "T", "k=true"},
		{of(types.Double), "1", "k=1.0"},
		{of(types.Double), "-0.0", "k=0.0"},
		{of(types.Double), "NaN", "k=NaN"},
		{of(types.Double), "1e7", "k=1.0E7"},
		{of(types.Float), "3.14", "k=3.14"},
		{types.DecimalOf(10, 2), "1", "k=1.00"},
		{types.DecimalOf(10, 2), "1.005", "k=1.01"},
		{types.DecimalOf(38, 2), "-123456789012345678901234567890.5", "k=-123456789012345678901234567890.50"},
		{of(types.Timestamp), "2024-01-01 10:11:12.500", "k=2024-01-01 10%3A11%3A12.5"},
		{of(types.Timestamp), "2024-01-01", "k=2024-01-01 00%3A00%3A00"},
		{of(types.Timestamp), "2024-03-10 02:30:00", "k=2024-03-10 02%3A30%3A00"},
		{of(types.Timestamp), "2024-01-01T10:11:12Z", ""},
		{of(types.TimestampNTZ), "2024-01-01 10:11:12", "k=2024-01-01 10%3A11%3A12"},
		{of(types.Binary), "ab", "k=ab"},
		{of(types.String), "05", "k=05"},
		{of(types.String), "", "k=" + partition.DefaultPartition},
		{of(types.String), partition.DefaultPartition, "k=" + partition.DefaultPartition},
		{of(types.Int), partition.DefaultPartition, "k=" + partition.DefaultPartition},
		{types.Type{Kind: types.Char, Precision: 4}, "a", "k=a   "},
		{types.Type{Kind: types.Char, Precision: 4}, "a   ", "k=a   "},
		{types.Type{Kind: types.Varchar, Precision: 4}, "a", "k=a"},
		{ym, "INTERVAL '100' YEAR", "k=INTERVAL %27100%27 YEAR"},
		{dt, "1 02:03:04", "k=INTERVAL %271 02%3A03%3A04%27 DAY TO SECOND"},
	} {
		k := col("k", c.t)
		v, err := partition.ParseValue(k, c.text)
		if c.dir == "" {
			if !errors.Is(err, sqlerr.Condition("CAST_INVALID_INPUT")) {
				t.Errorf("%s %q: %v, %v", c.t, c.text, v, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", c.t, c.text, err)
		} else if got := partition.Segment(k, v); got != c.dir {
			t.Errorf("%s %q is %s, want %s", c.t, c.text, got, c.dir)
		}
	}
}

// A value's own directory reads back as the value, and values that compare equal are one partition.
func TestIdentity(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := col("k", rapid.SampledFrom(columnTypes).Draw(r, "type"))
		a, b := value(k.Type).Draw(r, "a"), value(k.Type).Draw(r, "b")
		dir := partition.Segment(k, a)
		_, text, _, _ := partition.SplitSegment(dir)
		back, err := partition.ParseValue(k, text)
		if err != nil {
			r.Fatalf("%s: %v", dir, err)
		}
		if partition.Segment(k, back) != dir {
			r.Fatalf("%s came back as %s", dir, partition.Segment(k, back))
		}
		if a == nil || b == nil {
			return
		}
		ch := &partition.Changes{}
		ch.Add(partition.AddEntry{Values: partition.Values{a}}, partition.AddEntry{Values: partition.Values{b}})
		s, err := partition.NewSet([]partition.Column{k}).Apply(ch, 1)
		switch c := types.Compare(k.Type, a, b); {
		case c == 0:
			if !errors.Is(err, partition.ErrExists) {
				r.Fatalf("%v and %v are equal, but two partitions", a, b)
			}
		case err != nil:
			r.Fatal(err)
		case (types.Compare(k.Type, s.Value(0, 0), s.Value(1, 0)) < 0) != true:
			r.Fatalf("%v and %v are out of order", s.Value(0, 0), s.Value(1, 0))
		}
	})
}
