package partition_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

func col(name string, t types.Type) partition.Column { return partition.Column{Name: name, Type: t} }

func of(k types.Kind) types.Type { return types.Of(k) }

// entry is one row of a Set, in full.
type entry struct {
	Spec, Rel, Abs string
	Gen            int64
	Props          string
	Content        partition.Content
}

func dump(s *partition.Set) []entry {
	out := make([]entry, 0, s.Len())
	for i := range s.Len() {
		rel, abs := s.Path(i)
		e := entry{Spec: s.Spec(i), Rel: rel, Abs: abs, Gen: s.Gen(i), Content: s.Content(i)}
		if p := s.Properties(i); p != nil {
			e.Props = fmt.Sprint(p)
		}
		out = append(out, e)
	}
	return out
}

func sameSet(t interface{ Fatalf(string, ...any) }, got, want *partition.Set) {
	if diff := cmp.Diff(dump(want), dump(got), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("sets differ (-want +got):\n%s", diff)
	}
}

func specs(s *partition.Set) []string {
	out := []string{}
	for i := range s.BySpec(nil) {
		out = append(out, s.Spec(i))
	}
	return out
}

func mustApply(t testing.TB, s *partition.Set, ch *partition.Changes, gen int64) *partition.Set {
	t.Helper()
	out, err := s.Apply(ch, gen)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// build makes a set of canonical directories from the texts of values.
func build(t testing.TB, cols []partition.Column, rows ...[]string) *partition.Set {
	t.Helper()
	ch := &partition.Changes{}
	for _, texts := range rows {
		ch.Add(partition.AddEntry{Values: parse(t, cols, texts...)})
	}
	return mustApply(t, partition.NewSet(cols), ch, 1)
}

func parse(t testing.TB, cols []partition.Column, texts ...string) partition.Values {
	t.Helper()
	v := make(partition.Values, len(cols))
	for i, text := range texts {
		got, err := partition.ParseValue(cols[i], text)
		if err != nil {
			t.Fatal(err)
		}
		v[i] = got
	}
	return v
}

// discover makes a Found of directories, each a path below the root.
func discover(t interface{ Fatalf(string, ...any) }, cols []partition.Column, paths ...string) *partition.Found {
	layout := partition.NewLayout(cols, false)
	f := &partition.Found{Columns: cols, Codes: make([][]uint32, len(cols))}
	var dicts []*partition.Dict
	for l := range cols {
		dicts = append(dicts, partition.NewDict(layout, l))
	}
	for _, p := range paths {
		parts := strings.Split(p, "/")
		if len(parts) != len(cols) {
			t.Fatalf("%s: wrong depth", p)
		}
		codes := make([]uint32, len(cols))
		reason := partition.Reason("")
		for l, name := range parts {
			code, ok, why := dicts[l].Code([]byte(name))
			if !ok {
				if reason = why; reason == "" {
					reason = "IGNORED"
				}
				break
			}
			codes[l] = code
		}
		if reason != "" {
			f.Skipped = append(f.Skipped, partition.Skip{Path: p, Reason: reason})
			continue
		}
		for l := range cols {
			f.Codes[l] = append(f.Codes[l], codes[l])
		}
	}
	for _, d := range dicts {
		f.Levels = append(f.Levels, d.Spellings())
	}
	return f
}

var columnTypes = []types.Type{
	of(types.Boolean), of(types.TinyInt), of(types.Int), of(types.BigInt), of(types.Float), of(types.Double),
	types.DecimalOf(9, 2), types.DecimalOf(30, 3), of(types.String),
	{Kind: types.Char, Precision: 3},
	{Kind: types.Varchar, Precision: 9},
	of(types.Binary), of(types.Date), of(types.Timestamp), of(types.TimestampNTZ),
	types.IntervalOf(types.FieldYear, types.FieldMonth), types.IntervalOf(types.FieldDay, types.FieldSecond),
}

// value draws a value of a type in canonical form, from a small range so that values meet again.
func value(t types.Type) *rapid.Generator[types.Value] {
	c := col("k", t)
	return rapid.Custom(func(r *rapid.T) types.Value {
		if rapid.IntRange(0, 9).Draw(r, "null") == 0 {
			return nil
		}
		var v types.Value
		switch t.Kind {
		case types.Boolean:
			v = rapid.Bool().Draw(r, "bool")
		case types.TinyInt:
			v = rapid.Int64Range(-128, 127).Draw(r, "tinyint")
		case types.Int:
			v = rapid.OneOf(rapid.Int64Range(-3, 12), rapid.Int64Range(math.MinInt32, math.MaxInt32)).Draw(r, "int")
		case types.BigInt:
			v = rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()).Draw(r, "bigint")
		case types.Float:
			v = float64(rapid.Float32().Draw(r, "float"))
		case types.Double:
			v = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
				0, math.Copysign(0, -1), math.NaN(), math.Inf(1),
				math.Inf(-1), 1e7, 1e-3,
			})).Draw(r, "double")
		case types.Decimal:
			n := big.NewInt(rapid.Int64Range(-99999, 99999).Draw(r, "unscaled"))
			if t.Precision > 18 && rapid.Bool().Draw(r, "wide") {
				n.Mul(n, types.Pow10(20))
			}
			v = types.Dec{Unscaled: n, Scale: t.Scale}
		case types.String, types.Varchar, types.Char:
			v = rapid.OneOf(rapid.StringN(0, 3, 9), rapid.SampledFrom([]string{"a", "b", "a/b", "10", "1", "a b", "%41", "=", "n-"})).Draw(r, "text")
		case types.Binary:
			v = types.Bytes(rapid.StringN(0, 3, 9).Draw(r, "binary"))
		case types.Date:
			v = rapid.Int64Range(-30, 20000).Draw(r, "date")
		case types.YearMonthInterval:
			v = rapid.Int64Range(-40, 40).Draw(r, "months")
		case types.DayTimeInterval:
			v = rapid.Int64Range(-1e12, 1e12).Draw(r, "micros")
		default:
			v = rapid.OneOf(rapid.Int64Range(0, 2e15), rapid.SampledFrom([]int64{0, 1, 1500000, 1710037800000000, 1710041400000000})).Draw(r, "timestamp")
		}
		return partition.Canonical(c, v)
	})
}

// table draws the columns of a table, none for one that is not partitioned.
func table() *rapid.Generator[[]partition.Column] { return tableOf(0) }

// content draws recorded content: few lists of file sets, which rows share.
func content(r *rapid.T) partition.Content {
	if rapid.IntRange(0, 2).Draw(r, "recorded") == 0 {
		return partition.Content{}
	}
	return partition.Content{
		Recorded: true,
		Filesets: rapid.SampledFrom([][]int64{nil, {1}, {1, 2}, {7, 3, 900}}).Draw(r, "filesets"),
		Files:    rapid.Int64Range(0, 3).Draw(r, "files"),
		Bytes:    rapid.Int64Range(0, 1<<40).Draw(r, "bytes"),
		Rows:     rapid.Int64().Draw(r, "rows"),
	}
}

// tableOf is table with some columns at least.
func tableOf(least int) *rapid.Generator[[]partition.Column] {
	return rapid.Custom(func(r *rapid.T) []partition.Column {
		n := rapid.IntRange(least, 3).Draw(r, "columns")
		cols := make([]partition.Column, n)
		for i := range cols {
			cols[i] = col(string(rune('a'+i)), rapid.SampledFrom(columnTypes).Draw(r, "type"))
		}
		return cols
	})
}

func row(r *rapid.T, cols []partition.Column) partition.Values {
	v := make(partition.Values, len(cols))
	for i, c := range cols {
		v[i] = value(c.Type).Draw(r, "value")
	}
	return v
}

// place draws a place for values: mostly canonical.
func place(r *rapid.T, cols []partition.Column, v partition.Values) partition.Place {
	switch rapid.IntRange(0, 9).Draw(r, "place") {
	case 0:
		return partition.Place{Location: "s3://elsewhere/" + rapid.StringMatching(`[a-z]{1,4}`).Draw(r, "location")}
	case 1:
		return partition.Place{Dirs: []string{"misc", rapid.StringMatching(`[a-z]{1,4}`).Draw(r, "dir")}}
	case 2, 3:
		p := partition.Place{}
		if rapid.Bool().Draw(r, "prefix") {
			p.Dirs = append(p.Dirs, "_tarn", "data", rapid.SampledFrom([]string{"T1", "T2"}).Draw(r, "txn"))
		}
		for i, c := range cols {
			dir := partition.Segment(c, v[i])
			if rapid.Bool().Draw(r, "spell") {
				dir = strings.ToUpper(c.Name) + dir[len(c.Name):]
			}
			p.Dirs = append(p.Dirs, dir)
		}
		return p
	}
	return partition.Place{}
}
