package partition_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// store keeps segments as a catalog store does.
type store struct {
	next int64
	live []partition.SegmentInfo
	raw  map[int64][]byte
}

func (s *store) add(segs []partition.EncodedSegment) {
	if s.raw == nil {
		s.raw = map[int64][]byte{}
	}
	for _, seg := range segs {
		s.next++
		info := seg.Info
		info.ID = s.next
		s.live = append(s.live, info)
		s.raw[s.next] = seg.Bytes
	}
}

func (s *store) retire(ids []int64) {
	gone := map[int64]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	var live []partition.SegmentInfo
	for _, info := range s.live {
		if !gone[info.ID] {
			live = append(live, info)
		}
	}
	s.live = live
}

func (s *store) load(t interface{ Fatalf(string, ...any) }, cols []partition.Column) *partition.Set {
	var raw [][]byte
	for i := range s.live { // any order will do
		raw = append(raw, s.raw[s.live[len(s.live)-1-i].ID])
	}
	set, err := partition.Load(cols, raw)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return set
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cols := table().Draw(r, "table")
		s := randomSet(r, cols, 40)
		st := &store{}
		st.add(partition.EncodeSegments(s))
		sameSet(r, st.load(r, cols), s)
		for _, raw := range st.raw {
			if magic := string(raw[:4]); (magic == "TPS2") != s.Recorded() {
				r.Fatalf("magic %s of a set that is recorded: %v", magic, s.Recorded())
			}
		}
	})
}

func randomSet(r *rapid.T, cols []partition.Column, n int) *partition.Set {
	s := partition.NewSet(cols)
	for gen := int64(1); gen <= 2; gen++ {
		ch := &partition.Changes{}
		seen := map[string]bool{}
		for range rapid.IntRange(0, n/2).Draw(r, "rows") {
			v := row(r, cols)
			spec := partition.SpecText(cols, v)
			if _, ok := s.Find(v); ok || seen[spec] {
				continue
			}
			seen[spec] = true
			a := partition.AddEntry{Values: v, Place: place(r, cols, v), Content: content(r)}
			if rapid.IntRange(0, 4).Draw(r, "props") == 0 {
				a.Properties = map[string]string{"x": "1", "y": spec}
			}
			ch.Add(a)
		}
		next, err := s.Apply(ch, gen)
		if err != nil {
			r.Fatal(err)
		}
		s = next
	}
	return s
}

// bulk is n partitions of two levels, on directories of a second spelling for one in ten of the second level.
func bulk(t testing.TB, n, fan int) *partition.Found {
	t.Helper()
	cols := []partition.Column{col("dt", of(types.Date)), col("h", of(types.Int))}
	f := &partition.Found{Columns: cols, Levels: make([][]partition.Spelling, 2), Codes: make([][]uint32, 2)}
	for d := range (n + fan - 1) / fan {
		f.Levels[0] = append(f.Levels[0], partition.Spelling{Dir: partition.Segment(cols[0], int64(d)), Value: int64(d)})
	}
	for h := range fan {
		dir := fmt.Sprintf("h=%d", h)
		if h%10 == 0 {
			dir = fmt.Sprintf("h=%04d", h)
		}
		f.Levels[1] = append(f.Levels[1], partition.Spelling{Dir: dir, Value: int64(h)})
	}
	for i := range n {
		f.Codes[0] = append(f.Codes[0], uint32(i/fan))
		f.Codes[1] = append(f.Codes[1], uint32(i%fan))
	}
	return f
}

// Whatever sequence of changes went through Rewrite, the segments hold the set.
func TestRewrite(t *testing.T) {
	start := bulk(t, 40000, 100).Set()
	v := func(d, h int) partition.Values { return partition.Values{int64(d), int64(h)} }
	rapid.Check(t, func(r *rapid.T) {
		s := start
		st := &store{}
		st.add(partition.EncodeSegments(s))
		if len(st.live) != 3 {
			r.Fatalf("%d segments", len(st.live))
		}
		for gen := int64(10); gen < 10+int64(rapid.IntRange(1, 24).Draw(r, "commits")); gen++ {
			ch := &partition.Changes{}
			many := rapid.IntRange(0, 15).Draw(r, "size")
			size := rapid.IntRange(1, 6).Draw(r, "few")
			if many == 0 {
				size = 700
			}
			touched := map[string]bool{}
			at := rapid.IntRange(0, 450).Draw(r, "at")
			for k := range size {
				val := v(at+k/100, (k*7)%130)
				if spec := partition.SpecText(s.Columns(), val); touched[spec] {
					continue
				} else {
					touched[spec] = true
				}
				row, there := s.Find(val)
				switch {
				case !there:
					ch.Add(partition.AddEntry{Values: val})
				case rapid.Bool().Draw(r, "relocate") && size < 10:
					ch.Relocate(partition.RelocateEntry{Values: val, Place: partition.Place{Location: fmt.Sprint("s3://b/", gen)}})
				case rapid.Bool().Draw(r, "put"):
					ch.Put(partition.AddEntry{Values: val, Content: partition.Content{Recorded: true, Filesets: []int64{gen, 1}, Files: gen, Rows: int64(k)}})
				case size < 10 && !s.Content(row).Recorded && rapid.Bool().Draw(r, "rename"):
					to := v(2000+int(gen), k)
					ch.Rename(partition.RenameEntry{From: val, To: to})
				default:
					ch.Drop(val)
				}
			}
			after, err := s.Apply(ch, gen)
			if err != nil {
				r.Fatal(err)
			}
			retire, add := partition.Rewrite(st.live, s, after, ch, gen)
			st.retire(retire)
			st.add(add)
			s = after
			deltas := 0
			for _, info := range st.live {
				if info.Delta {
					deltas++
				}
			}
			if deltas > 16 {
				r.Fatalf("%d deltas", deltas)
			}
			if rapid.IntRange(0, 4).Draw(r, "look") == 0 {
				same(r, st.load(r, s.Columns()), s)
			}
		}
		same(r, st.load(r, s.Columns()), s)
	})
}

func sameContent(a, b partition.Content) bool {
	return a.Recorded == b.Recorded && slices.Equal(a.Filesets, b.Filesets) && a.Files == b.Files && a.Bytes == b.Bytes && a.Rows == b.Rows
}

// same compares big sets cheaply.
func same(t interface{ Fatalf(string, ...any) }, got, want *partition.Set) {
	if got.Len() != want.Len() {
		t.Fatalf("%d rows, want %d", got.Len(), want.Len())
	}
	for i := range want.Len() {
		r1, a1 := got.Path(i)
		r2, a2 := want.Path(i)
		if got.Value(i, 0) != want.Value(i, 0) || got.Value(i, 1) != want.Value(i, 1) || r1 != r2 || a1 != a2 || got.Gen(i) != want.Gen(i) ||
			!sameContent(got.Content(i), want.Content(i)) {
			t.Fatalf("row %d: %s %s%s %d, want %s %s%s %d", i, got.Spec(i), r1, a1, got.Gen(i), want.Spec(i), r2, a2, want.Gen(i))
		}
	}
}

func TestRewriteTouchesLittle(t *testing.T) {
	s := bulk(t, 100000, 100).Set()
	st := &store{}
	st.add(partition.EncodeSegments(s))
	ch := &partition.Changes{}
	ch.Add(partition.AddEntry{Values: partition.Values{int64(5), int64(1000)}})
	after := mustApply(t, s, ch, 5)
	retire, add := partition.Rewrite(st.live, s, after, ch, 5)
	if len(retire) != 0 || len(add) != 1 || !add[0].Info.Delta || len(add[0].Bytes) > 200 {
		t.Errorf("one change: retired %v, added %d", retire, len(add))
	}
	ch = &partition.Changes{}
	for h := range 300 {
		ch.Add(partition.AddEntry{Values: partition.Values{int64(5), int64(1000 + h)}})
	}
	after = mustApply(t, s, ch, 5)
	retire, add = partition.Rewrite(st.live, s, after, ch, 5)
	if len(retire) != 1 || len(add) != 1 || add[0].Info.Delta {
		t.Errorf("300 changes in one place: retired %v, added %d", retire, len(add))
	}
	// Dropping everything leaves nothing.
	ch = &partition.Changes{}
	ch.DropRows(s, s.All())
	after = mustApply(t, s, ch, 6)
	retire, add = partition.Rewrite(st.live, s, after, ch, 6)
	if len(retire) != len(st.live) || len(add) != 0 {
		t.Errorf("drop all: retired %v, added %d", retire, len(add))
	}
}

func TestLoadRefuses(t *testing.T) {
	s := build(t, yearMonth, []string{"2024", "1"})
	raw := partition.EncodeSegments(s)[0].Bytes
	if _, err := partition.Load(yearMonth, [][]byte{raw, raw}); !errors.Is(err, partition.ErrCorrupt) {
		t.Errorf("the same segment twice: %v", err)
	}
	if _, err := partition.Load(yearMonth[:1], [][]byte{raw}); !errors.Is(err, partition.ErrCorrupt) {
		t.Errorf("other columns: %v", err)
	}
	for i := range raw {
		bad := append([]byte(nil), raw...)
		bad[i] ^= 0x10
		if _, err := partition.Load(yearMonth, [][]byte{bad}); !errors.Is(err, partition.ErrCorrupt) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		if _, err := partition.Load(yearMonth, [][]byte{raw[:i]}); !errors.Is(err, partition.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if got, err := partition.Load(yearMonth, nil); err != nil || got.Len() != 0 {
		t.Errorf("no segments: %v, %v", got, err)
	}
}

// sealed is a body with its magic and checksum.
func sealed(magic string, body []byte) []byte {
	raw := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(raw, body...)
}

func FuzzDecodeSegment(f *testing.F) {
	cols := []partition.Column{col("a", of(types.Int)), col("b", of(types.String))}
	ch := &partition.Changes{}
	for i := range 5 {
		ch.Add(partition.AddEntry{Values: partition.Values{int64(i / 2), fmt.Sprint("x", i)}})
	}
	ch.Add(partition.AddEntry{Values: partition.Values{nil, nil}, Place: partition.Place{Location: "s3://b/k"}, Properties: map[string]string{"k": "v"}})
	s := mustApply(f, partition.NewSet(cols), ch, 3)
	for _, seg := range partition.EncodeSegments(s) {
		f.Add(seg.Bytes[8:])
	}
	big := bulk(f, 1000, 10).Set()
	ch = &partition.Changes{}
	ch.Drop(big.Values(3))
	ch.Add(partition.AddEntry{Values: partition.Values{int64(-1), nil}})
	after := mustApply(f, big, ch, 4)
	_, add := partition.Rewrite([]partition.SegmentInfo{{ID: 1}}, big, after, ch, 4)
	f.Add(add[0].Bytes[8:])
	recorded := &partition.Changes{}
	for i := range 3 {
		recorded.Put(partition.AddEntry{Values: partition.Values{int64(i), "x"}, Content: partition.Content{Recorded: i > 0, Filesets: []int64{5, int64(i)}, Rows: 9}})
	}
	f.Add(partition.EncodeSegments(mustApply(f, s, recorded, 5))[0].Bytes[8:])
	one := &partition.Changes{}
	one.Put(partition.AddEntry{Place: partition.Place{Dirs: []string{"_tarn", "data", "T"}}, Content: partition.Content{Recorded: true}})
	f.Add(partition.EncodeSegments(mustApply(f, partition.NewSet(nil), one, 5))[0].Bytes[8:])
	f.Fuzz(func(t *testing.T, body []byte) {
		for k, c := range [][]partition.Column{cols, cols, big.Columns(), big.Columns(), nil, nil} {
			raw := sealed([]string{"TPS1", "TPS2"}[k%2], body)
			set, err := partition.Load(c, [][]byte{raw})
			if err != nil {
				if !errors.Is(err, partition.ErrCorrupt) {
					t.Fatalf("error %v", err)
				}
				continue
			}
			for i := range set.Len() {
				set.Path(i)
				set.Spec(i)
				set.Gen(i)
				set.Content(i)
			}
			set.Totals(nil)
			again, err := partition.Load(c, [][]byte{raw})
			if err != nil || again.Len() != set.Len() {
				t.Fatalf("second load: %v", err)
			}
		}
	})
}
