package partition_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

func decode(t interface{ Fatalf(string, ...any) }, cols []partition.Column, raw []byte) *partition.Fileset {
	f, err := partition.DecodeFileset(cols, raw)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return f
}

func fileEntry(r *rapid.T) partition.FileEntry {
	return partition.FileEntry{
		Name: rapid.OneOf(
			rapid.StringMatching(`part-0000[0-9]-00-00[0-9]\.(zstd|snappy)\.parquet`), rapid.String(),
			rapid.StringMatching(`(a{300}|b{3})x?(a{300})?`),
		).Draw(r, "name"),
		Size: rapid.Int64().Draw(r, "size"), Rows: rapid.Int64Range(0, 1000).Draw(r, "rows"), ModTime: rapid.Int64().Draw(r, "modified"),
	}
}

// A file set gives back what was put into it: all of it in order, and each partition by its values.
func TestFileset(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cols := table().Draw(r, "table")
		model := map[string]partition.PartitionFiles{}
		var parts []partition.PartitionFiles
		for range rapid.IntRange(0, 12).Draw(r, "parts") {
			p := partition.PartitionFiles{Values: row(r, cols), Files: rapid.SliceOfN(rapid.Custom(fileEntry), 0, 4).Draw(r, "files")}
			spec := partition.SpecText(cols, p.Values)
			p.Dir = strings.Trim(rapid.SampledFrom([]string{"", "_tarn/data/T/", "x/"}).Draw(r, "lead")+spec, "/")
			if old, ok := model[spec]; ok {
				p.Dir = old.Dir
			}
			parts = append(parts, p)
			joined := p
			joined.Files = append(slices.Clip(model[spec].Files), p.Files...)
			model[spec] = joined
		}
		if many := rapid.IntRange(0, 15).Draw(r, "many"); many == 0 && len(parts) > 0 {
			p := parts[0]
			p.Files = nil
			for i := range 700 {
				p.Files = append(p.Files, partition.FileEntry{Name: fmt.Sprintf("f%05d", i), Rows: int64(i)})
			}
			spec := partition.SpecText(cols, p.Values)
			parts = append(parts, p)
			joined := model[spec]
			joined.Files = append(slices.Clip(joined.Files), p.Files...)
			model[spec] = joined
		}
		for spec, p := range model {
			p.Files = slices.Clone(p.Files)
			slices.SortStableFunc(p.Files, func(a, b partition.FileEntry) int { return strings.Compare(a.Name, b.Name) })
			model[spec] = p
		}
		f := decode(r, cols, partition.EncodeFileset(cols, parts))
		got := map[string]partition.PartitionFiles{}
		var last partition.Values
		for p := range f.All() {
			if last != nil && compare(cols, last, p.Values) >= 0 {
				r.Fatalf("%v before %v", last, p.Values)
			}
			last = p.Values
			got[partition.SpecText(cols, p.Values)] = p
		}
		if d := cmp.Diff(model, got, cmpopts.EquateEmpty(), noValues); d != "" {
			r.Fatalf("(-want +got):\n%s", d)
		}
		for spec, want := range model {
			p, ok := f.Of(want.Values)
			if d := cmp.Diff(want, p, cmpopts.EquateEmpty(), noValues); !ok || d != "" {
				r.Fatalf("Of(%s): %v\n%s", spec, ok, d)
			}
		}
		v := row(r, cols)
		_, want := model[partition.SpecText(cols, v)]
		if _, ok := f.Of(v); ok != want {
			r.Fatalf("Of(%v): %v, want %v", v, ok, want)
		}
	})
}

// noValues leaves values to the specs by which the test compares: NaN does not equal itself.
var noValues = cmpopts.IgnoreFields(partition.PartitionFiles{}, "Values")

// Partitions of more than one chunk, some of them with many files or none.
func TestFilesetChunks(t *testing.T) {
	var parts []partition.PartitionFiles
	for d := range 600 {
		p := partition.PartitionFiles{Values: partition.Values{int64(2000 + d/12), int64(d % 12)}, Dir: fmt.Sprint("d", d)}
		for i := range []int{1, 0, 3, 600}[min(d%7, 3)] / (1 + d%2) {
			p.Files = append(p.Files, partition.FileEntry{Name: fmt.Sprintf("f-%d-%04d", d, i), Size: int64(d)})
		}
		parts = append(parts, p)
	}
	shuffled := slices.Clone(parts)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	f := decode(t, yearMonth, partition.EncodeFileset(yearMonth, shuffled))
	i := 0
	for p := range f.All() {
		if d := cmp.Diff(parts[i], p, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		i++
		if i == 400 {
			break
		}
	}
	for i := 0; i < len(parts); i += 11 {
		p, ok := f.Of(parts[i].Values)
		if d := cmp.Diff(parts[i], p, cmpopts.EquateEmpty()); !ok || d != "" {
			t.Fatalf("%v %s", ok, d)
		}
	}
}

func TestFilesetRefuses(t *testing.T) {
	parts := []partition.PartitionFiles{
		{Values: partition.Values{int64(1), int64(2)}, Dir: "a", Files: []partition.FileEntry{{Name: "x", Size: 1}}},
		{Values: partition.Values{int64(1), int64(3)}, Dir: "b", Files: []partition.FileEntry{{Name: "xyz", Size: 1}, {Name: "xyzz"}}},
	}
	raw := partition.EncodeFileset(yearMonth, parts)
	for _, cols := range [][]partition.Column{nil, yearMonth[:1], {yearMonth[0], col("month", of(types.String))}} {
		if _, err := partition.DecodeFileset(cols, raw); !errors.Is(err, partition.ErrCorrupt) {
			t.Errorf("columns %v: %v", cols, err)
		}
	}
	for i := range raw {
		bad := slices.Clone(raw)
		bad[i] ^= 0x10
		if _, err := partition.DecodeFileset(yearMonth, bad); !errors.Is(err, partition.ErrCorrupt) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		if i >= 8 {
			if _, err := partition.DecodeFileset(yearMonth, sealed("TFS1", raw[8:i])); !errors.Is(err, partition.ErrCorrupt) {
				t.Fatalf("cut at %d: %v", i, err)
			}
		}
	}
	if _, err := partition.DecodeFileset(yearMonth, sealed("TFS1", append(raw[8:], 0))); !errors.Is(err, partition.ErrCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("one partition in two directories was accepted")
		}
	}()
	parts[1].Values = parts[0].Values
	partition.EncodeFileset(yearMonth, parts)
}

func FuzzDecodeFileset(f *testing.F) {
	cols := []partition.Column{col("a", of(types.Int)), col("b", of(types.String))}
	var parts []partition.PartitionFiles
	for i := range 5 {
		p := partition.PartitionFiles{Values: partition.Values{int64(i / 2), fmt.Sprint("x", i)}, Dir: fmt.Sprint("a=", i/2, "/b=x", i)}
		for k := range i {
			p.Files = append(p.Files, partition.FileEntry{Name: fmt.Sprintf("part-%d-%d.parquet", i, k), Size: 100, Rows: 5, ModTime: 1e18 + int64(i)})
		}
		parts = append(parts, p)
	}
	f.Add(partition.EncodeFileset(cols, parts)[8:])
	f.Add(partition.EncodeFileset(cols, nil)[8:])
	f.Add(partition.EncodeFileset(nil, parts[3:4])[8:])
	many := partition.PartitionFiles{Values: partition.Values{nil, nil}}
	for i := range 300 {
		many.Files = append(many.Files, partition.FileEntry{Name: fmt.Sprint(i)})
	}
	f.Add(partition.EncodeFileset(cols, append(parts, many))[8:])
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, c := range [][]partition.Column{cols, nil} {
			set, err := partition.DecodeFileset(c, sealed("TFS1", body))
			if err != nil {
				if !errors.Is(err, partition.ErrCorrupt) {
					t.Fatalf("error %v", err)
				}
				continue
			}
			all := slices.Collect(set.All())
			for i, p := range all {
				if i%97 == 0 {
					if got, ok := set.Of(p.Values); !ok || len(got.Files) != len(p.Files) || got.Dir != p.Dir {
						t.Fatalf("Of(%v) is not what All says", p.Values)
					}
				}
			}
			again := decode(t, c, partition.EncodeFileset(c, all))
			if got := slices.Collect(again.All()); len(got) != len(all) {
				t.Fatalf("%d partitions, then %d", len(all), len(got))
			}
		}
	})
}

// BenchmarkFileset writes and reads a million files: of 1,000 partitions, and of a million.
func BenchmarkFileset(b *testing.B) {
	for _, perPartition := range []int{1000, 100, 1} {
		var parts []partition.PartitionFiles
		rng := rand.New(rand.NewPCG(1, 2))
		cols := []partition.Column{col("dt", of(types.Date)), col("h", of(types.Int))}
		now := int64(1_760_000_000_000_000_000)
		for i := range 1_000_000 / perPartition {
			p := partition.PartitionFiles{Values: partition.Values{int64(i / 100), int64(i % 100)}}
			p.Dir = "_tarn/data/01K6Z3V5H8QJ2M4N6P8R0S2T4V/" + partition.SpecText(cols, p.Values)
			for k := range perPartition {
				now += rng.Int64N(2_000_000)
				p.Files = append(p.Files, partition.FileEntry{
					Name: fmt.Sprintf("part-01K6Z3V5H8QJ2M4N6P8R0S2T4V-%05d-00-%03d.zstd.parquet", k%100, i%1000),
					Size: 1000 + rng.Int64N(200_000_000), Rows: rng.Int64N(1_000_000), ModTime: now,
				})
			}
			parts = append(parts, p)
		}
		raw := partition.EncodeFileset(cols, parts)
		b.Run(fmt.Sprintf("Encode%dPer", perPartition), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				partition.EncodeFileset(cols, parts)
			}
			b.ReportMetric(float64(len(raw))/1_000_000, "B/file")
		})
		b.Run(fmt.Sprintf("Decode%dPer", perPartition), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decode(b, cols, raw)
			}
		})
		f := decode(b, cols, raw)
		b.Run(fmt.Sprintf("All%dPer", perPartition), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range f.All() {
				}
			}
		})
		b.Run(fmt.Sprintf("Of%dPer", perPartition), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 7919) % len(parts)
				if p, ok := f.Of(parts[i].Values); !ok || len(p.Files) != perPartition {
					b.Fatal("not found")
				}
			}
		})
	}
}
