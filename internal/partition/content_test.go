package partition_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarnlake/tarn/internal/partition"
)

func recorded(files, rows int64, filesets ...int64) partition.Content {
	return partition.Content{Recorded: true, Filesets: filesets, Files: files, Bytes: 10 * files, Rows: rows}
}

func put(v partition.Values, c partition.Content, dirs ...string) *partition.Changes {
	ch := &partition.Changes{}
	ch.Put(partition.AddEntry{Values: v, Place: partition.Place{Dirs: dirs}, Content: c})
	return ch
}

func TestPut(t *testing.T) {
	start := build(t, yearMonth, []string{"2024", "1"}, []string{"2024", "2"})
	v := func(y, m string) partition.Values { return parse(t, yearMonth, y, m) }
	if start.Recorded() {
		t.Error("a set without content is recorded")
	}
	ch := put(v("2024", "2"), recorded(3, 30, 1), "_tarn", "data", "T", "year=2024", "month=2")
	ch.Put(
		partition.AddEntry{Values: v("2024", "3"), Content: recorded(9, 9, 9)},
		partition.AddEntry{Values: v("2024", "3"), Content: recorded(1, 5, 1), Properties: map[string]string{"k": "v"}},
		partition.AddEntry{Values: v("2024", "4"), Content: recorded(0, 0)},
	)
	if a, d, c := ch.Counts(start); a != 2 || d != 0 || c != 1 {
		t.Errorf("counts %d, %d, %d", a, d, c)
	}
	s := mustApply(t, start, ch, 2)
	want := []entry{
		{Spec: "year=2024/month=1", Rel: "year=2024/month=1", Gen: 1},
		{Spec: "year=2024/month=2", Rel: "_tarn/data/T/year=2024/month=2", Gen: 2, Content: recorded(3, 30, 1)},
		{Spec: "year=2024/month=3", Rel: "year=2024/month=3", Gen: 2, Props: "map[k:v]", Content: recorded(1, 5, 1)},
		{Spec: "year=2024/month=4", Rel: "year=2024/month=4", Gen: 2, Content: recorded(0, 0)},
	}
	if d := cmp.Diff(want, dump(s), cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	if !s.Recorded() || start.Recorded() {
		t.Error("Recorded is wrong")
	}
	for _, c := range []struct {
		sel                *partition.Selection
		files, bytes, rows int64
		all                bool
	}{
		{nil, 4, 40, 35, false},
		{s.SelectRows(1, 2, 3), 4, 40, 35, true},
		{s.SelectRows(3), 0, 0, 0, true},
		{s.SelectRows(0), 0, 0, 0, false},
		{s.SelectRows(), 0, 0, 0, true},
	} {
		files, bytes, rows, all := s.Totals(c.sel)
		if files != c.files || bytes != c.bytes || rows != c.rows || all != c.all {
			t.Errorf("totals of %v: %d %d %d %v", c.sel, files, bytes, rows, all)
		}
	}
	if _, _, _, all := start.Totals(nil); all {
		t.Error("totals of a set without content")
	}

	// What is put where something is leaves nothing of it.
	s = mustApply(t, s, put(v("2024", "3"), partition.Content{}), 3)
	if d := cmp.Diff(entry{Spec: "year=2024/month=3", Rel: "year=2024/month=3", Gen: 3}, dump(s)[2]); d != "" {
		t.Error(d)
	}
	// A partition that these changes take away first is added.
	ch = put(v("2024", "1"), recorded(1, 1, 4))
	ch.Drop(v("2024", "1"))
	ch.DropRows(s, s.SelectRows(1))
	ch.Put(partition.AddEntry{Values: v("2024", "2"), Content: recorded(1, 1, 4)})
	if a, d, c := ch.Counts(s); a != 2 || d != 2 || c != 0 {
		t.Errorf("counts %d, %d, %d", a, d, c)
	}
	s = mustApply(t, s, ch, 4)
	if s.Len() != 4 || s.Content(0).Files != 1 || s.Content(1).Filesets[0] != 4 {
		t.Errorf("dropped and put: %v", dump(s))
	}
	// And one that they add is replaced.
	ch = put(v("2025", "1"), recorded(2, 2, 5))
	ch.Add(partition.AddEntry{Values: v("2025", "1")})
	if a, _, c := ch.Counts(s); a != 1 || c != 0 {
		t.Errorf("counts %d, %d", a, c)
	}
	if s = mustApply(t, s, ch, 5); s.Len() != 5 || s.Content(4).Files != 2 {
		t.Errorf("added and put: %v", dump(s))
	}
}

func TestRecordedEntriesChange(t *testing.T) {
	v := func(y, m string) partition.Values { return parse(t, yearMonth, y, m) }
	s := mustApply(t, build(t, yearMonth, []string{"2024", "1"}), put(v("2024", "2"), recorded(3, 30, 1)), 2)
	ch := &partition.Changes{}
	ch.Rename(partition.RenameEntry{From: v("2024", "1"), To: v("2025", "1")}, partition.RenameEntry{From: v("2024", "2"), To: v("2025", "2")})
	_, err := s.Apply(ch, 3)
	var e *partition.EntryError
	if !errors.Is(err, partition.ErrRecorded) || !errors.As(err, &e) || fmt.Sprint(e.Specs) != "[year=2024/month=2]" {
		t.Errorf("rename: %v", err)
	}
	ch = &partition.Changes{}
	ch.Relocate(partition.RelocateEntry{Values: v("2024", "2"), Place: partition.Place{Location: "file:/x"}})
	after := mustApply(t, s, ch, 3)
	if c := after.Content(1); c.Recorded || after.Recorded() || after.Bytes() >= s.Bytes() {
		t.Errorf("relocated: %+v", c)
	}
}

// A table without partition columns has one entry at most, which goes through all that partitions do.
func TestUnpartitioned(t *testing.T) {
	empty := partition.NewSet(nil)
	if _, ok := empty.Find(partition.Values{}); ok || empty.Len() != 0 {
		t.Error("an empty set has something")
	}
	s := mustApply(t, empty, put(partition.Values{}, recorded(2, 20, 1)), 2)
	s = mustApply(t, s, put(nil, recorded(3, 30, 1, 2), "_tarn", "data", "T"), 3)
	if d := cmp.Diff([]entry{{Rel: "_tarn/data/T", Gen: 3, Content: recorded(3, 30, 1, 2)}}, dump(s)); d != "" {
		t.Fatal(d)
	}
	if row, ok := s.Find(partition.Values{}); !ok || row != 0 {
		t.Errorf("Find: %d, %v", row, ok)
	}
	if s.Match(nil).Len() != 1 || s.Canonical(0) || !mustApply(t, empty, put(nil, partition.Content{}), 2).Canonical(0) {
		t.Error("Match or Canonical")
	}
	again := &partition.Changes{}
	again.Add(partition.AddEntry{})
	if _, err := s.Apply(again, 4); !errors.Is(err, partition.ErrExists) {
		t.Errorf("a second entry: %v", err)
	}

	st := &store{}
	before := empty
	for gen, ch := range []*partition.Changes{put(nil, recorded(1, 1, 1)), put(nil, recorded(2, 2, 1, 2), "d"), put(nil, partition.Content{}), {}, put(nil, recorded(2, 2, 3))} {
		if gen == 3 {
			ch.Drop(partition.Values{})
		}
		after := mustApply(t, before, ch, int64(gen+1))
		retire, add := partition.Rewrite(st.live, before, after, ch, int64(gen+1))
		st.retire(retire)
		st.add(add)
		sameSet(t, st.load(t, nil), after)
		before = after
	}
	raw := partition.EncodeSegments(s)
	if _, err := partition.Load(nil, [][]byte{raw[0].Bytes, raw[0].Bytes}); !errors.Is(err, partition.ErrCorrupt) {
		t.Errorf("two entries: %v", err)
	}
}

// A reader that does not know recorded content must not read a segment that has it; and no other segment may claim it.
func TestContentHasItsMagic(t *testing.T) {
	plain := build(t, yearMonth, []string{"2024", "1"})
	full := mustApply(t, plain, put(parse(t, yearMonth, "2024", "2"), recorded(3, 30, 1)), 2)
	for _, c := range []struct {
		s            *partition.Set
		magic, other string
	}{{plain, "TPS1", "TPS2"}, {full, "TPS2", "TPS1"}} {
		raw := partition.EncodeSegments(c.s)[0].Bytes
		if string(raw[:4]) != c.magic {
			t.Errorf("magic %s, want %s", raw[:4], c.magic)
		}
		if _, err := partition.Load(yearMonth, [][]byte{sealed(c.other, raw[8:])}); !errors.Is(err, partition.ErrCorrupt) {
			t.Errorf("with magic %s: %v", c.other, err)
		}
		for i := range raw {
			bad := sealed(c.magic, raw[8:])
			bad[i] ^= 0x10
			if _, err := partition.Load(yearMonth, [][]byte{bad}); !errors.Is(err, partition.ErrCorrupt) {
				t.Fatalf("byte %d flipped: %v", i, err)
			}
			if i >= 8 {
				if _, err := partition.Load(yearMonth, [][]byte{sealed(c.magic, raw[8:i])}); !errors.Is(err, partition.ErrCorrupt) {
					t.Fatalf("cut at %d: %v", i, err)
				}
			}
		}
	}
}
