package partition_test

import (
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// million is a table of three levels with a million partitions: 1,000 days, 10 regions, 100 buckets.
func million(b *testing.B) (*partition.Found, []partition.Column) {
	cols := []partition.Column{col("dt", of(types.Date)), col("region", of(types.String)), col("k", of(types.Int))}
	sizes := []int{1000, 10, 100}
	f := &partition.Found{Columns: cols, Levels: make([][]partition.Spelling, 3), Codes: make([][]uint32, 3)}
	for c, n := range sizes {
		for i := range n {
			var v types.Value = int64(i)
			if c == 1 {
				v = string(rune('a' + i))
			}
			f.Levels[c] = append(f.Levels[c], partition.Spelling{Dir: partition.Segment(cols[c], v), Value: v})
		}
	}
	for i := range 1_000_000 {
		// Days come in the order of a hashed directory.
		f.Codes[0] = append(f.Codes[0], uint32(i/1000*7919%1000))
		f.Codes[1] = append(f.Codes[1], uint32(i/100%10))
		f.Codes[2] = append(f.Codes[2], uint32(i%100))
	}
	return f, cols
}

func BenchmarkPrune1M(b *testing.B) {
	f, cols := million(b)
	s := f.Set()
	b.Logf("%.1f bytes per partition", float64(s.Bytes())/float64(s.Len()))
	ctx := &expr.Context{Zone: time.UTC, ANSI: true}
	day, n := of(types.Date), of(types.Int)
	eq := func(c int, v types.Value) expr.Expr { return call(b, "=", ref(cols, c), lit(cols[c].Type, v)) }
	for name, e := range map[string][]expr.Expr{
		"LeadingEq":    {eq(0, int64(500))},
		"LeadingRange": {call(b, ">=", ref(cols, 0), lit(day, int64(990)))},
		"TrailingEq":   {eq(2, int64(7))},
		"TwoTrailing":  {eq(1, "c"), eq(2, int64(7))},
		"Function":     {call(b, "=", call(b, "%", ref(cols, 2), lit(n, int64(7))), lit(n, int64(2)))},
		"OrAcross":     {call(b, "or", eq(1, "c"), eq(2, int64(7)))},
		"TwoColumns": {&expr.In{
			Arg:  expr.NewTuple([]expr.Expr{ref(cols, 1), ref(cols, 2)}),
			List: []expr.Expr{expr.NewTuple([]expr.Expr{lit(cols[1].Type, "c"), lit(cols[2].Type, int64(7))})},
		}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Prune(e, ids(cols), ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Find", func(b *testing.B) {
		v := partition.Values{int64(500), "c", int64(7)}
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := s.Find(v); !ok {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkDiff100k(b *testing.B) {
	f := bulk(b, 100_000, 100)
	full, empty := f.Set(), partition.NewSet(f.Columns)
	b.Run("NoChange", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := partition.Diff(full, f, partition.DiffOptions{Mode: partition.SyncMode}); !r.Changes.Empty() {
				b.Fatal("changes")
			}
		}
	})
	b.Run("AddAll", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := partition.Diff(empty, f, partition.DiffOptions{}); r.Adds != 100_000 {
				b.Fatal(r.Adds)
			}
		}
	})
	b.Run("Actions", func(b *testing.B) {
		r := partition.Diff(empty, f, partition.DiffOptions{})
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for range r.Actions() {
				n++
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	f := bulk(b, 100_000, 100)
	empty := partition.NewSet(f.Columns)
	all := partition.Diff(empty, f, partition.DiffOptions{}).Changes
	full := f.Set()
	one := &partition.Changes{}
	one.Add(partition.AddEntry{Values: partition.Values{int64(5), int64(1000)}})
	b.Run("All100k", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mustApply(b, empty, all, 1)
		}
	})
	b.Run("OneOf100k", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mustApply(b, full, one, 2)
		}
	})
}

func BenchmarkEncode100k(b *testing.B) {
	s := bulk(b, 100_000, 100).Set()
	size := 0
	b.ReportAllocs()
	for b.Loop() {
		size = 0
		for _, seg := range partition.EncodeSegments(s) {
			size += len(seg.Bytes)
		}
	}
	b.ReportMetric(float64(size)/100_000, "B/partition")
}

func BenchmarkLoad1M(b *testing.B) {
	f, cols := million(b)
	s := f.Set()
	var raw [][]byte
	for _, seg := range partition.EncodeSegments(s) {
		raw = append(raw, seg.Bytes)
	}
	b.Run("Base", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := partition.Load(cols, raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	ch := &partition.Changes{}
	ch.Drop(s.Values(77))
	ch.Add(partition.AddEntry{Values: partition.Values{int64(5000), "c", int64(7)}})
	_, add := partition.Rewrite([]partition.SegmentInfo{{}}, s, mustApply(b, s, ch, 2), ch, 2)
	b.Run("Delta", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := partition.Load(cols, append(raw[:len(raw):len(raw)], add[0].Bytes)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSpec(b *testing.B) {
	s := bulk(b, 100_000, 100).Set()
	b.Run("Spec", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			s.Spec(i % s.Len())
			i++
		}
	})
	b.Run("BySpec100k", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range s.BySpec(nil) {
			}
		}
	})
}

// BenchmarkDict classifies names: each seen before, or each new.
func BenchmarkDict(b *testing.B) {
	for _, t := range []types.Type{of(types.Int), of(types.String), of(types.Date), of(types.Timestamp)} {
		cols := []partition.Column{col("k", t)}
		var names [][]byte
		for i := range 4096 {
			var v types.Value = int64(i)
			switch t.Kind {
			case types.String:
				v = "value " + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
			case types.Timestamp:
				v = int64(i) * 3600_000_000
			}
			names = append(names, []byte(partition.Segment(cols[0], v)))
		}
		layout := partition.NewLayout(cols, false)
		b.Run("New/"+t.String(), func(b *testing.B) {
			d, i := partition.NewDict(layout, 0), 0
			b.ReportAllocs()
			for b.Loop() {
				if i%len(names) == 0 {
					d = partition.NewDict(layout, 0)
				}
				d.Code(names[i%len(names)])
				i++
			}
		})
		b.Run("Seen/"+t.String(), func(b *testing.B) {
			d, i := partition.NewDict(layout, 0), 0
			b.ReportAllocs()
			for b.Loop() {
				d.Code(names[i%len(names)])
				i++
			}
		})
	}
}
