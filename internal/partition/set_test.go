package partition_test

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

var yearMonth = []partition.Column{col("year", of(types.Int)), col("month", of(types.Int))}

func TestSetRows(t *testing.T) {
	ch := &partition.Changes{}
	ch.Add(
		partition.AddEntry{Values: parse(t, yearMonth, "2024", "10")},
		partition.AddEntry{Values: parse(t, yearMonth, "2024", "2"), Place: partition.Place{Dirs: []string{"Year=2024", "month=02"}}},
		partition.AddEntry{Values: parse(t, yearMonth, partition.DefaultPartition, "1")},
		partition.AddEntry{
			Values: parse(t, yearMonth, "2023", "1"), Place: partition.Place{Location: "s3://b/x"},
			Properties: map[string]string{"k": "v"},
		},
		partition.AddEntry{Values: parse(t, yearMonth, "2023", "2"), Place: partition.Place{Dirs: []string{"year=2023", "month=3"}}},
		partition.AddEntry{Values: parse(t, yearMonth, "2023", "4"), Place: partition.Place{Dirs: []string{"_tarn", "data", "T", "year=2023", "month=4"}}},
		partition.AddEntry{Values: parse(t, yearMonth, "2023", "5"), Place: partition.Place{Dirs: []string{"year=2023", "month=5"}}},
	)
	s := mustApply(t, partition.NewSet(yearMonth), ch, 7)
	null := "year=" + partition.DefaultPartition + "/month=1"
	want := []entry{
		{Spec: null, Rel: null, Gen: 7},
		{Spec: "year=2023/month=1", Abs: "s3://b/x", Gen: 7, Props: "map[k:v]"},
		{Spec: "year=2023/month=2", Rel: "year=2023/month=3", Gen: 7},
		{Spec: "year=2023/month=4", Rel: "_tarn/data/T/year=2023/month=4", Gen: 7},
		{Spec: "year=2023/month=5", Rel: "year=2023/month=5", Gen: 7},
		{Spec: "year=2024/month=2", Rel: "Year=2024/month=02", Gen: 7},
		{Spec: "year=2024/month=10", Rel: "year=2024/month=10", Gen: 7},
	}
	if diff := cmp.Diff(want, dump(s)); diff != "" {
		t.Fatal(diff)
	}
	var canonical []int
	for i := range s.Len() {
		if s.Canonical(i) {
			canonical = append(canonical, i)
		}
	}
	if diff := cmp.Diff([]int{0, 4, 6}, canonical); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"year=2023/month=1", "year=2023/month=2", "year=2023/month=4", "year=2023/month=5",
		"year=2024/month=10", "year=2024/month=2", null,
	}, specs(s)); diff != "" {
		t.Errorf("string order: %s", diff)
	}
	if i, ok := s.Find(parse(t, yearMonth, "2023", "4")); !ok || i != 3 {
		t.Errorf("Find = %d, %v", i, ok)
	}
	if _, ok := s.Find(parse(t, yearMonth, "2025", "4")); ok {
		t.Error("found what is not there")
	}
}

func TestApply(t *testing.T) {
	start := build(t, yearMonth, []string{"2024", "1"}, []string{"2024", "2"}, []string{"2025", "1"})
	v := func(y, m string) partition.Values { return parse(t, yearMonth, y, m) }
	for _, c := range []struct {
		name   string
		change func(*partition.Changes)
		want   []entry
		err    error
		specs  []string
	}{
		{
			name: "drop", change: func(c *partition.Changes) { c.Drop(v("2024", "2")) },
			want: []entry{{Spec: "year=2024/month=1", Gen: 1}, {Spec: "year=2025/month=1", Gen: 1}},
		},
		{
			name: "drop twice is once", change: func(c *partition.Changes) { c.Drop(v("2024", "2"), v("2024", "2")) },
			want: []entry{{Spec: "year=2024/month=1", Gen: 1}, {Spec: "year=2025/month=1", Gen: 1}},
		},
		{name: "drop and add", change: func(c *partition.Changes) {
			c.Drop(v("2024", "2"))
			c.Add(partition.AddEntry{Values: v("2024", "2"), Place: partition.Place{Dirs: []string{"year=2024", "month=02"}}})
		}, want: []entry{
			{Spec: "year=2024/month=1", Gen: 1},
			{Spec: "year=2024/month=2", Rel: "year=2024/month=02", Gen: 2},
			{Spec: "year=2025/month=1", Gen: 1},
		}},
		{name: "rename keeps the directory", change: func(c *partition.Changes) {
			c.Rename(partition.RenameEntry{From: v("2024", "2"), To: v("2026", "2")})
		}, want: []entry{
			{Spec: "year=2024/month=1", Gen: 1},
			{Spec: "year=2025/month=1", Gen: 1},
			{Spec: "year=2026/month=2", Rel: "year=2024/month=2", Gen: 2},
		}},
		{name: "rename of a moved directory", change: func(c *partition.Changes) {
			c.Rename(partition.RenameEntry{From: v("2024", "2"), To: v("2026", "2"), Moved: true})
		}, want: []entry{
			{Spec: "year=2024/month=1", Gen: 1},
			{Spec: "year=2025/month=1", Gen: 1},
			{Spec: "year=2026/month=2", Gen: 2},
		}},
		{name: "relocate", change: func(c *partition.Changes) {
			c.Relocate(partition.RelocateEntry{Values: v("2025", "1"), Place: partition.Place{Location: "file:/x"}})
		}, want: []entry{
			{Spec: "year=2024/month=1", Gen: 1},
			{Spec: "year=2024/month=2", Gen: 1},
			{Spec: "year=2025/month=1", Abs: "file:/x", Gen: 2},
		}},
		{name: "swap", change: func(c *partition.Changes) {
			c.Rename(partition.RenameEntry{From: v("2024", "1"), To: v("2024", "2")}, partition.RenameEntry{From: v("2024", "2"), To: v("2024", "1")})
		}, want: []entry{
			{Spec: "year=2024/month=1", Rel: "year=2024/month=2", Gen: 2},
			{Spec: "year=2024/month=2", Rel: "year=2024/month=1", Gen: 2},
			{Spec: "year=2025/month=1", Gen: 1},
		}},
		{name: "add what is there", change: func(c *partition.Changes) {
			c.Add(partition.AddEntry{Values: v("2024", "1")}, partition.AddEntry{Values: v("2023", "1")}, partition.AddEntry{Values: v("2025", "1")})
		}, err: partition.ErrExists, specs: []string{"year=2024/month=1", "year=2025/month=1"}},
		{name: "add twice", change: func(c *partition.Changes) {
			c.Add(partition.AddEntry{Values: v("2023", "1")}, partition.AddEntry{Values: v("2023", "1")})
		}, err: partition.ErrExists, specs: []string{"year=2023/month=1"}},
		{
			name: "drop what is not there", change: func(c *partition.Changes) { c.Drop(v("2020", "1"), v("2024", "1")) },
			err: partition.ErrMissing, specs: []string{"year=2020/month=1"},
		},
		{name: "rename what is not there", change: func(c *partition.Changes) {
			c.Rename(partition.RenameEntry{From: v("2020", "1"), To: v("2020", "2")})
		}, err: partition.ErrMissing, specs: []string{"year=2020/month=1"}},
		{name: "rename onto another", change: func(c *partition.Changes) {
			c.Rename(partition.RenameEntry{From: v("2024", "1"), To: v("2025", "1")})
		}, err: partition.ErrExists, specs: []string{"year=2025/month=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := &partition.Changes{}
			c.change(ch)
			got, err := start.Apply(ch, 2)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				var e *partition.EntryError
				if !errors.As(err, &e) {
					t.Fatalf("error %T", err)
				}
				if diff := cmp.Diff(c.specs, e.Specs); diff != "" {
					t.Error(diff)
				}
				return
			}
			for i := range c.want {
				if c.want[i].Rel == "" && c.want[i].Abs == "" {
					c.want[i].Rel = c.want[i].Spec
				}
			}
			if diff := cmp.Diff(c.want, dump(got)); diff != "" {
				t.Error(diff)
			}
			if start.Len() != 3 || start.Gen(1) != 1 {
				t.Error("Apply changed the set it was called on")
			}
		})
	}
}

// A Set under random changes is the map that the same changes give.
func TestSetIsAMap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cols := table().Draw(r, "table")
		s := partition.NewSet(cols)
		model := map[string]entry{}
		for gen := int64(1); gen <= 4; gen++ {
			next := map[string]entry{}
			for k, e := range model {
				next[k] = e
			}
			ch := &partition.Changes{}
			for i := range s.Len() {
				if rapid.IntRange(0, 3).Draw(r, "drop") == 0 {
					ch.Drop(s.Values(i))
					delete(next, s.Spec(i))
				}
			}
			for range rapid.IntRange(0, 12).Draw(r, "adds") {
				v := row(r, cols)
				spec := partition.SpecText(cols, v)
				if _, ok := next[spec]; ok {
					continue
				}
				a := partition.AddEntry{Values: v, Place: place(r, cols, v)}
				e := at(spec, a, gen)
				if rapid.IntRange(0, 5).Draw(r, "props") == 0 {
					a.Properties = map[string]string{"n": fmt.Sprint(gen)}
					e.Props = fmt.Sprint(a.Properties)
				}
				e.Content = content(r)
				a.Content = e.Content
				if rapid.Bool().Draw(r, "put") {
					ch.Put(a)
				} else {
					ch.Add(a)
				}
				next[spec] = e
			}
			for i := range s.Len() {
				e, ok := next[s.Spec(i)]
				if !ok || e.Gen == gen || rapid.IntRange(0, 3).Draw(r, "again") > 0 {
					continue
				}
				a := partition.AddEntry{Values: s.Values(i), Place: place(r, cols, s.Values(i)), Content: content(r)}
				ch.Put(a)
				next[e.Spec] = at(e.Spec, a, gen)
			}
			got, err := s.Apply(ch, gen)
			if err != nil {
				r.Fatal(err)
			}
			check(r, cols, got, next)
			counted(r, ch, s, got, gen)
			s, model = got, next
		}
	})
}

// at is what an entry becomes.
func at(spec string, a partition.AddEntry, gen int64) entry {
	e := entry{Spec: spec, Rel: spec, Gen: gen, Content: a.Content}
	if a.Place.Location != "" {
		e.Rel, e.Abs = "", a.Place.Location
	} else if len(a.Place.Dirs) > 0 {
		e.Rel = strings.Join(a.Place.Dirs, "/")
	}
	return e
}

// counted checks that the counts of changes without renames and relocations account for all that differs.
func counted(r *rapid.T, ch *partition.Changes, before, after *partition.Set, gen int64) {
	added, dropped, changed := ch.Counts(before)
	if before.Len()+added-dropped != after.Len() {
		r.Fatalf("%d partitions, %d added, %d dropped; then %d", before.Len(), added, dropped, after.Len())
	}
	newer := 0
	for i := range after.Len() {
		if after.Gen(i) == gen {
			newer++
		}
	}
	if added+changed != newer {
		r.Fatalf("%d added, %d changed; %d are newer", added, changed, newer)
	}
}

func check(r *rapid.T, cols []partition.Column, s *partition.Set, model map[string]entry) {
	var want []entry
	for _, e := range model {
		want = append(want, e)
	}
	sort.Slice(want, func(i, j int) bool { return want[i].Spec < want[j].Spec })
	var got []entry
	all := dump(s)
	for i := range s.BySpec(nil) {
		got = append(got, all[i])
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		r.Fatalf("(-want +got):\n%s", diff)
	}
	for i := range s.Len() {
		if at, ok := s.Find(s.Values(i)); !ok || at != i {
			r.Fatalf("Find(%s) = %d, %v; want %d", s.Spec(i), at, ok, i)
		}
		if i > 0 && compare(cols, s.Values(i-1), s.Values(i)) >= 0 {
			r.Fatalf("rows %d and %d are out of order", i-1, i)
		}
	}
	for c := range cols {
		var distinct []types.Value
		for i := range s.Len() {
			distinct = append(distinct, s.Value(i, c))
		}
		slices.SortFunc(distinct, func(a, b types.Value) int { return compare(cols[c:], partition.Values{a}, partition.Values{b}) })
		distinct = slices.CompactFunc(distinct, func(a, b types.Value) bool {
			return compare(cols[c:], partition.Values{a}, partition.Values{b}) == 0
		})
		if got := s.Distinct(c, nil); fmt.Sprint(got) != fmt.Sprint(distinct) {
			r.Fatalf("Distinct(%d) = %v, want %v", c, got, distinct)
		}
	}
}

func compare(cols []partition.Column, a, b partition.Values) int {
	for c := range a {
		switch {
		case a[c] == nil && b[c] == nil:
		case a[c] == nil:
			return -1
		case b[c] == nil:
			return 1
		default:
			if r := types.Compare(cols[c].Type, a[c], b[c]); r != 0 {
				return r
			}
		}
	}
	return 0
}

func TestExtremes(t *testing.T) {
	cols := []partition.Column{col("a", of(types.Int)), col("b", of(types.String))}
	s := build(t, cols, []string{"1", "x"}, []string{"2", "y"}, []string{"3", "x"}, []string{partition.DefaultPartition, "z"})
	rows := map[string]int64{"a=1/b=x": 5, "a=2/b=y": 1, "a=3/b=x": 0, "a=" + partition.DefaultPartition + "/b=z": 9}
	calls := 0
	count := func(i int) (int64, error) { calls++; return rows[s.Spec(i)], nil }
	if v, err := s.MaxNonEmpty(0, nil, count); v != int64(2) || err != nil || calls != 2 {
		t.Errorf("max %v, %v after %d calls", v, err, calls)
	}
	if v, _ := s.MinNonEmpty(0, nil, count); v != int64(1) {
		t.Errorf("min %v", v)
	}
	if v, _ := s.MaxNonEmpty(1, nil, count); v != "z" {
		t.Errorf("max b %v", v)
	}
	sel := s.Match([]partition.Matcher{{Col: 1, Op: partition.Eq, Value: "x"}})
	if v, _ := s.MaxNonEmpty(0, sel, count); v != int64(1) {
		t.Errorf("max of x %v", v)
	}
	if v, err := s.MaxNonEmpty(0, nil, func(int) (int64, error) { return 0, nil }); v != nil || err != nil {
		t.Errorf("max of nothing %v, %v", v, err)
	}
	boom := errors.New("boom")
	if _, err := s.MinNonEmpty(0, nil, func(int) (int64, error) { return 0, boom }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
}

// Five columns of many values: codes of four bytes, and keys of more than 64 bits.
func TestWideSet(t *testing.T) {
	const n = 70_000
	cols := make([]partition.Column, 5)
	for c := range cols {
		cols[c] = col(string(rune('a'+c)), of([]types.Kind{types.Int, types.String}[c%2]))
	}
	entries := make([]partition.AddEntry, n)
	for i := range entries {
		v := make(partition.Values, len(cols))
		for c := range v {
			x := int64(uint32(i+1) * [...]uint32{2654435761, 40503, 7, 2246822519, 3266489917}[c] >> 3)
			if v[c] = x; c%2 == 1 {
				v[c] = fmt.Sprintf("v%06d", x%100_000)
			}
		}
		entries[i] = partition.AddEntry{Values: v}
	}
	ch := &partition.Changes{}
	ch.Add(entries...)
	s := mustApply(t, partition.NewSet(cols), ch, 1)
	if s.Len() != n {
		t.Fatalf("%d rows", s.Len())
	}
	for i := 1; i < n; i++ {
		if compare(cols, s.Values(i-1), s.Values(i)) >= 0 {
			t.Fatalf("row %d is out of order", i)
		}
	}
	for i := 0; i < n; i += 97 {
		row, ok := s.Find(entries[i].Values)
		if !ok || s.Spec(row) != partition.SpecText(cols, entries[i].Values) {
			t.Fatalf("entry %d: row %d, %v", i, row, ok)
		}
	}
	if got := specs(s); !slices.IsSorted(got) || len(got) != n {
		t.Error("BySpec is out of order")
	}
	sel := s.Match([]partition.Matcher{{Col: 1, Op: partition.Lt, Value: "v050000"}, {Col: 4, Op: partition.Ge, Value: s.Value(n/2, 4)}})
	for i := range n {
		want := s.Value(i, 1).(string) < "v050000" && s.Value(i, 4).(int64) >= s.Value(n/2, 4).(int64)
		if sel.Contains(i) != want {
			t.Fatalf("row %d: %v", i, sel.Contains(i))
		}
	}
	st := &store{}
	st.add(partition.EncodeSegments(s))
	if loaded := st.load(t, cols); loaded.Len() != n || loaded.Spec(12345) != s.Spec(12345) {
		t.Error("the set does not load")
	}
	drop := &partition.Changes{}
	drop.DropRows(s, sel)
	if left := mustApply(t, s, drop, 2); left.Len() != n-sel.Len() {
		t.Errorf("%d rows left, want %d", left.Len(), n-sel.Len())
	}
}
