package delta

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// packedText is what a packer gives back of a text.
func packedText(p *textPacker, text string) string {
	const after = "rest"
	got, rest := p.unpack(nil, append(p.add(nil, text), after...))
	if string(rest) != after {
		return fmt.Sprintf("%q and then %q", got, rest)
	}
	return string(got)
}

func TestPackedTexts(t *testing.T) {
	p := newTextPacker()
	texts := []string{
		"", "0", "00", "007", "7", "a", "\x00", "x\x01y", "\xff", "-", "=", `"`, `:"`, `:"\`, `:"\"`, `{"a":"b\"c"}`, `{"a":""}`, "a=/b", "a=b", "a=b/c=1/d",
		"123456789012345678", "1234567890123456789", "0123456789012345678", strings.Repeat("9", 60), strings.Repeat("0", 40), "1.0E-10", "-0.5",
		"dt=2021-05-03/part-00012-3993f031-a1f6-ee2c-40fa-51fd638be262.c000.snappy.parquet",
		"dt=2021-10-13/part-00012-3993F031-a1f6-ee2c-40fa-51fd638be262.c000.snappy.parquet",
		"3993f031-a1f6-ee2c-40fa-51fd638be262", "3993f031-a1f6-ee2c-40fa-51fd638be26", "3993f031-a1f6-ee2c-40fa-51fd638be2620", "13993f031-a1f6-ee2c-40fa-51fd638be262",
		`{"numRecords":1000,"minValues":{"id":5000,"x":625.0},"maxValues":{"id":5999,"x":749.875},"nullCount":{"id":0,"x":0}}`,
		`{"numRecords":1,"minValues":{"s":"2024-01-01T00:00:00.000Z","t":"ünï"}}`, "s=\xc3/é",
	}
	for range 3 { // the first time for the form, and then by it
		for _, text := range texts {
			if got := packedText(&p, text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for range 2 * maxForms { // more than are kept
		text := "x" + strings.Repeat("y", p.texts%97) + fmt.Sprint(p.texts)
		if got := packedText(&p, text); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	}
	p.done()
}

// textsLikePaths draws texts that are alike in part: numbers and identifiers of several widths, and anything else.
func textsLikePaths() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom([]string{"a=", "/", `":"`, `"`, "0", "-", "\\", "part-", "\x02", "3993f031-a1f6-ee2c-40fa-51fd638be262"}),
		rapid.StringMatching(`[0-9]{1,20}`), rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), rapid.String())
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "") })
}

func TestPackedTextsOfAnyKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newTextPacker()
		for _, text := range rapid.SliceOfN(textsLikePaths(), 1, 20).Draw(t, "texts") {
			if got := packedText(&p, text); got != text {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

// TestPackedFiles packs files with some of everything, and finds each of them.
func TestPackedFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.Custom(func(t *rapid.T) *Add {
			number := func(name string) *int64 { return rapid.Ptr(rapid.Int64(), true).Draw(t, name) }
			a := &Add{
				Path: textsLikePaths().Draw(t, "path"), Size: rapid.Int64().Draw(t, "size"), ModificationTime: rapid.Int64().Draw(t, "time"),
				DataChange: rapid.Bool().Draw(t, "change"), Stats: textsLikePaths().Draw(t, "stats"), BaseRowID: number("row"), DefaultRowCommitVersion: number("version"),
				ClusteringProvider: rapid.SampledFrom([]string{"", "liquid"}).Draw(t, "clustering"),
				Tags:               rapid.SampledFrom([]map[string]string{nil, {}, {"a": "b", "": "", "c": "\x00"}}).Draw(t, "tags"),
			}
			for i := range rapid.IntRange(0, 2).Draw(t, "columns") {
				a.PartitionValues = append(a.PartitionValues, PartitionText{fmt.Sprint("p", i), rapid.SampledFrom([]string{"", "1", "x"}).Draw(t, "value")})
			}
			if rapid.Bool().Draw(t, "vector") {
				a.DeletionVector = &DeletionVector{
					StorageType: "u", PathOrInline: rapid.String().Draw(t, "place"), Offset: rapid.Ptr(rapid.Int32(), true).Draw(t, "offset"),
					SizeInBytes: rapid.Int32().Draw(t, "bytes"), Cardinality: rapid.Int64().Draw(t, "rows"), MaxRowIndex: number("last"),
				}
			}
			return a
		})
		files := rapid.SliceOfN(file, 0, 3*blockFiles).Draw(t, "files")
		text := func(a *Add) string { return string(Action{Add: a}.AppendJSON(nil)) }
		s := fileSetOf(files)
		got := slices.Collect(s.all())
		if len(got) != len(files) || s.len() != len(files) {
			t.Fatalf("%d files became %d", len(files), len(got))
		}
		last := map[FileKey]*Add{}
		for i, a := range files {
			if text(a) != text(got[i]) || text(a) != text(s.base.at(i)) {
				t.Fatalf("file %d: %swas %s", i, text(got[i]), text(a))
			}
			last[a.Key()] = a
		}
		for k, a := range last {
			if found, ok := s.find(k); !ok || text(found) != text(a) {
				t.Fatalf("of %v was found %v", k, found)
			}
		}
		if found, ok := s.find(FileKey{Path: "none of them", DV: "x"}); ok {
			t.Fatalf("%v was found", found)
		}
		vectors := func(a *Add) bool { return a.DeletionVector != nil }
		with := slices.Collect(s.those(func(PartitionTexts) bool { return true }, true))
		if want := slices.DeleteFunc(slices.Clone(files), func(a *Add) bool { return !vectors(a) }); len(with) != len(want) || !slices.ContainsFunc(with, vectors) && len(with) > 0 {
			t.Fatalf("%d files have deletion vectors, not %d", len(want), len(with))
		}
		first := func(p PartitionTexts) bool { return p.Get("p0") == "1" }
		for a := range s.those(first, false) {
			if !first(a.PartitionValues) {
				t.Fatalf("%v is not wanted", a)
			}
		}
	})
}

// TestSizeOfFiles holds the memory of a file to what docs promise, and of one without a form to what its texts take.
func TestSizeOfFiles(t *testing.T) {
	const files = 20_000
	for _, c := range []struct {
		name string
		most int64
		add  func(i int) *Add
	}{
		{"of a writer", 80, func(i int) *Add {
			return &Add{
				Path:            fmt.Sprintf("dt=2021-05-%02d/part-%05d-%08x-a1f6-ee2c-40fa-51fd638be262.c000.snappy.parquet", i%28+1, i%200, i*7919),
				PartitionValues: PartitionTexts{{"dt", fmt.Sprintf("2021-05-%02d", i%28+1)}}, Size: int64(1_000_000 + i), ModificationTime: int64(1_700_000_000_000 + i), DataChange: true,
				Stats: fmt.Sprintf(`{"numRecords":1000,"minValues":{"id":%d,"x":%g},"maxValues":{"id":%d,"x":%g},"nullCount":{"id":0,"x":0}}`, i, float64(i)/8, i+999, float64(i)/4),
			}
		}},
		{"of no form", 130, func(i int) *Add {
			return &Add{Path: strings.Map(func(r rune) rune { return 'g' + r%20 }, fmt.Sprintf("%0100b", i*104729))}
		}},
	} {
		all := make([]*Add, files)
		for i := range all {
			all[i] = c.add(i)
		}
		heap := func() int64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := heap()
		p := packFiles(all)
		if each := (heap() - before) / files; each > c.most {
			t.Errorf("a file %s takes %d bytes", c.name, each)
		}
		runtime.KeepAlive(p)
		runtime.KeepAlive(all)
	}
}

func TestKeyIndex(t *testing.T) {
	const keys = 1000
	key := func(n int) FileKey { return FileKey{Path: fmt.Sprint(n % keys)} }
	x := newKeyIndex(2 * keys)
	x.slots = x.slots[:keys+1] // nearly full
	for n := range 2 * keys {
		x.put(key(n), n, key)
	}
	for n := range keys {
		if got, ok := x.get(key(n), key); !ok || got != n+keys {
			t.Errorf("%d: %d, %v", n, got, ok)
		}
	}
	if _, ok := x.get(FileKey{Path: "0", DV: "x"}, key); ok {
		t.Error("a key that is not there was found")
	}
}

func FuzzPackedText(f *testing.F) {
	f.Add("dt=2021-05-03/part-00012-3993f031-a1f6-ee2c-40fa-51fd638be262.c000", `{"a":"b","c":007}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		p := newTextPacker()
		for _, text := range []string{a, b, a, a + b} {
			if got := packedText(&p, text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

func BenchmarkPackFiles(b *testing.B) {
	files := slices.Collect(bigState(b, 10_000).Adds())
	for b.Loop() {
		packFiles(files)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(files)), "ns/file")
}
