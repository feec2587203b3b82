package partition_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// short is an action in few words: "add p=1 @p=01 NEW".
func short(a partition.Action) string {
	return strings.TrimRight(string(a.Kind)+" "+a.Partition+" @"+a.Rel+a.Abs+" "+string(a.Reason), " ")
}

func shorts(r *partition.Result) []string {
	var out []string
	for a := range r.Actions() {
		out = append(out, short(a))
	}
	return out
}

func TestDiff(t *testing.T) {
	n := []partition.Column{col("n", of(types.Int))}
	nm := []partition.Column{col("n", of(types.Int)), col("m", of(types.Int))}
	type known struct {
		values []string
		place  partition.Place
	}
	dirs := func(s string) partition.Place { return partition.Place{Dirs: strings.Split(s, "/")} }
	for _, c := range []struct {
		name    string
		cols    []partition.Column
		known   []known
		found   []string
		skipped []partition.Skip
		mode    partition.Mode
		root    string
		gone    []string // specs
		want    []string
		after   []string // paths
	}{
		{
			name: "new ones, in string order", cols: n, found: []string{"n=2", "n=10", "n=1"},
			want: []string{"add n=1 @n=1 NEW", "add n=10 @n=10 NEW", "add n=2 @n=2 NEW"}, after: []string{"n=1", "n=2", "n=10"},
		},
		{
			name: "nothing to do", cols: nm, known: []known{{values: []string{"1", "2"}}}, found: []string{"n=1/m=2"},
			mode: partition.SyncMode, after: []string{"n=1/m=2"},
		},
		{
			name: "plain add tells of stale ones", cols: n, known: []known{{values: []string{"1"}}}, found: []string{"n=2"},
			want: []string{"add n=2 @n=2 NEW", "stale n=1 @n=1 MISSING"}, after: []string{"n=1", "n=2"},
		},
		{
			name: "drop only drops", cols: n, known: []known{{values: []string{"1"}}}, found: []string{"n=2"}, mode: partition.DropMode,
			want: []string{"drop n=1 @n=1 MISSING"},
		},
		{
			name: "sync does both", cols: n, known: []known{{values: []string{"1"}}}, found: []string{"n=2"}, mode: partition.SyncMode,
			want: []string{"drop n=1 @n=1 MISSING", "add n=2 @n=2 NEW"}, after: []string{"n=2"},
		},
		{
			name: "another spelling is the same partition", cols: n, known: []known{{[]string{"7"}, dirs("n=07")}}, found: []string{"N=07", "n=07"},
			mode: partition.SyncMode, want: []string{"skip n=7 @N=07 DUPLICATE_VALUE"}, after: []string{"n=07"},
		},
		{
			name: "the registered directory stays", cols: n, known: []known{{[]string{"7"}, dirs("n=07")}}, found: []string{"n=7", "n=07"},
			mode: partition.SyncMode, want: []string{"skip n=7 @n=7 DUPLICATE_VALUE"}, after: []string{"n=07"},
		},
		{
			name: "the canonical spelling wins", cols: n, found: []string{"n=007", "n=07", "n=7"},
			want: []string{"add n=7 @n=7 NEW", "skip n=7 @n=007 DUPLICATE_VALUE", "skip n=7 @n=07 DUPLICATE_VALUE"}, after: []string{"n=7"},
		},
		{
			name: "else the first in byte order", cols: n, found: []string{"n=07", "n=007"},
			want: []string{"add n=7 @n=007 NEW", "skip n=7 @n=07 DUPLICATE_VALUE"}, after: []string{"n=007"},
		},
		{
			name: "renamed on disk, sync", cols: n, known: []known{{[]string{"7"}, dirs("n=07")}}, found: []string{"n=7"}, mode: partition.SyncMode,
			want: []string{"drop n=7 @n=07 MISSING", "add n=7 @n=7 NEW"}, after: []string{"n=7"},
		},
		{
			name: "renamed on disk, add", cols: n, known: []known{{[]string{"7"}, dirs("n=07")}}, found: []string{"n=7"},
			want: []string{"stale n=7 @n=07 MISSING", "skip n=7 @n=7 DUPLICATE_VALUE"}, after: []string{"n=07"},
		},
		{
			name: "renamed on disk, drop", cols: n, known: []known{{[]string{"7"}, dirs("n=07")}}, found: []string{"n=7"}, mode: partition.DropMode,
			want: []string{"drop n=7 @n=07 MISSING", "skip n=7 @n=7 DUPLICATE_VALUE"},
		},
		{
			name: "renamed partition claims its directory", cols: n, known: []known{{[]string{"2"}, dirs("n=1")}}, found: []string{"n=1"},
			mode: partition.SyncMode, want: []string{"skip n=1 @n=1 CLAIMED"}, after: []string{"n=1"},
		},
		{
			name: "claimed beside its value's own directory", cols: n, known: []known{{[]string{"2"}, dirs("n=1")}}, found: []string{"n=1", "n=2"},
			mode: partition.SyncMode, want: []string{"skip n=1 @n=1 CLAIMED", "skip n=2 @n=2 DUPLICATE_VALUE"}, after: []string{"n=1"},
		},
		{
			name: "a location below a leaf claims it", cols: n, known: []known{{[]string{"7"}, dirs("n=3/sub")}}, found: []string{"n=3", "n=4"},
			mode: partition.SyncMode, want: []string{"add n=4 @n=4 NEW", "skip n=3 @n=3 CLAIMED"}, after: []string{"n=4", "n=3/sub"},
		},
		{
			name: "a location above a leaf claims it", cols: []partition.Column{col("a", of(types.Int)), col("b", of(types.Int))},
			known: []known{{[]string{"9", "9"}, dirs("a=1")}}, found: []string{"a=1/b=1", "a=2/b=1"},
			mode: partition.SyncMode, want: []string{"add a=2/b=1 @a=2/b=1 NEW", "skip a=1/b=1 @a=1/b=1 CLAIMED"}, after: []string{"a=2/b=1", "a=1"},
		},
		{
			name: "absolute location inside the root claims", cols: n, root: "file:/t", known: []known{{[]string{"2"}, partition.Place{Location: "file:/t/n=1"}}},
			found: []string{"n=1"}, mode: partition.SyncMode, want: []string{"skip n=1 @n=1 CLAIMED"}, after: []string{"file:/t/n=1"},
		},
		{
			name: "absolute location that is the canonical one", cols: n, root: "file:/t/", known: []known{{[]string{"1"}, partition.Place{Location: "file:/t/n=1"}}},
			found: []string{"n=1"}, mode: partition.SyncMode, after: []string{"file:/t/n=1"},
		},
		{
			name: "custom locations stay", cols: n, known: []known{{[]string{"1"}, partition.Place{Location: "s3://b/x"}}, {[]string{"2"}, dirs("misc/jan")}},
			mode: partition.SyncMode, after: []string{"s3://b/x", "misc/jan"},
		},
		{
			name: "custom locations that are gone go", cols: n, known: []known{{[]string{"1"}, partition.Place{Location: "s3://b/x"}}, {[]string{"2"}, dirs("misc/jan")}},
			mode: partition.SyncMode, gone: []string{"n=1", "n=2"}, want: []string{"drop n=1 @s3://b/x MISSING", "drop n=2 @misc/jan MISSING"},
		},
		{
			name: "the default directory of a custom location", cols: n, known: []known{{[]string{"1"}, partition.Place{Location: "s3://b/x"}}},
			found: []string{"n=1"}, mode: partition.SyncMode, want: []string{"skip n=1 @n=1 DUPLICATE_VALUE"}, after: []string{"s3://b/x"},
		},
		{
			name: "the custom location is gone, the default directory is there", cols: n, known: []known{{[]string{"1"}, partition.Place{Location: "s3://b/x"}}},
			found: []string{"n=1"}, mode: partition.SyncMode, gone: []string{"n=1"},
			want: []string{"drop n=1 @s3://b/x MISSING", "add n=1 @n=1 NEW"}, after: []string{"n=1"},
		},
		{
			name: "skipped directories are told", cols: n, found: []string{"n=x", "n=", "m=1", "foo", "n=3"},
			want:  []string{"add n=3 @n=3 NEW", "skip  @foo NOT_A_PARTITION", "skip  @m=1 WRONG_COLUMN", "skip  @n= EMPTY_VALUE", "skip  @n=x BAD_VALUE"},
			after: []string{"n=3"},
		},
		{
			name: "what was not looked into is not missing", cols: nm, known: []known{{values: []string{"1", "2"}}, {values: []string{"2", "2"}}},
			skipped: []partition.Skip{{Path: "n=1", Reason: partition.LinkLoop}}, mode: partition.SyncMode,
			want: []string{"drop n=2/m=2 @n=2/m=2 MISSING", "skip  @n=1 LINK_LOOP"}, after: []string{"n=1/m=2"},
		},
		{
			name: "an empty inner directory is missing its partitions", cols: nm, known: []known{{values: []string{"1", "2"}}},
			skipped: []partition.Skip{{Path: "n=1", Reason: partition.TooShallow}}, mode: partition.DropMode,
			want: []string{"drop n=1/m=2 @n=1/m=2 MISSING", "skip  @n=1 TOO_SHALLOW"},
		},
		{
			name: "NULL directories", cols: nm, found: []string{"n=1/m=__HIVE_DEFAULT_PARTITION__"}, known: []known{{values: []string{"1", "__HIVE_DEFAULT_PARTITION__"}}},
			mode: partition.SyncMode, after: []string{"n=1/m=__HIVE_DEFAULT_PARTITION__"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := &partition.Changes{}
			for _, k := range c.known {
				ch.Add(partition.AddEntry{Values: parse(t, c.cols, k.values...), Place: k.place})
			}
			s := mustApply(t, partition.NewSet(c.cols), ch, 1)
			found := discover(t, c.cols, c.found...)
			found.Skipped = append(found.Skipped, c.skipped...)
			r := partition.Diff(s, found, partition.DiffOptions{Mode: c.mode, Root: c.root, Gone: func(row int) bool {
				return slices.Contains(c.gone, s.Spec(row))
			}})
			if diff := cmp.Diff(c.want, shorts(r)); diff != "" {
				t.Fatalf("actions (-want +got):\n%s", diff)
			}
			if n := r.Adds + r.Drops + r.Stales + r.Skips; n != len(c.want) {
				t.Errorf("counts add up to %d, want %d", n, len(c.want))
			}
			if r.Scope != len(c.known) {
				t.Errorf("scope %d", r.Scope)
			}
			after := mustApply(t, s, r.Changes, 2)
			var paths []string
			for i := range after.Len() {
				rel, abs := after.Path(i)
				paths = append(paths, rel+abs)
			}
			if diff := cmp.Diff(c.after, paths); diff != "" {
				t.Errorf("after (-want +got):\n%s", diff)
			}
			// A repair is idempotent.
			again := partition.Diff(after, found, partition.DiffOptions{Mode: c.mode, Root: c.root})
			if !again.Changes.Empty() {
				t.Errorf("a second repair changes something: %v", shorts(again))
			}
		})
	}
}

func TestDiffInScope(t *testing.T) {
	s := build(t, yearMonth, []string{"2023", "1"}, []string{"2024", "1"}, []string{"2024", "2"})
	found := discover(t, yearMonth, "year=2024/month=3", "year=2025/month=1")
	y2024 := []partition.Matcher{{Col: 0, Op: partition.Eq, Value: int64(2024)}}
	r := partition.Diff(s, found, partition.DiffOptions{Mode: partition.SyncMode, Known: s.Match(y2024), Leaves: found.Match(y2024)})
	if diff := cmp.Diff([]string{
		"drop year=2024/month=1 @year=2024/month=1 MISSING", "drop year=2024/month=2 @year=2024/month=2 MISSING",
		"add year=2024/month=3 @year=2024/month=3 NEW",
	}, shorts(r)); diff != "" {
		t.Error(diff)
	}
	if r.Scope != 2 {
		t.Errorf("scope %d", r.Scope)
	}
}

func TestRootMissing(t *testing.T) {
	s := build(t, yearMonth, []string{"2023", "1"})
	r := partition.Diff(s, &partition.Found{Columns: yearMonth, RootMissing: true}, partition.DiffOptions{Mode: partition.DropMode})
	if r.Drops != 1 {
		t.Errorf("drops %d", r.Drops)
	}
}

func TestTooMany(t *testing.T) {
	for _, c := range []struct {
		scope, drops int
		want         bool
	}{{19, 19, false}, {20, 10, false}, {20, 11, true}, {1000, 500, false}, {1000, 501, true}, {0, 0, false}} {
		if got := partition.TooMany(c.scope, c.drops, 0.5, 20); got != c.want {
			t.Errorf("TooMany(%d, %d) = %v", c.scope, c.drops, got)
		}
	}
}

// SYNC makes the log what an empty log's first repair of the same tree would be, whatever it held; and says what it did.
func TestSyncIsDiscovery(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cols := tableOf(1).Draw(r, "table")
		tree := func(label string) []string {
			var out []string
			for range rapid.IntRange(0, 15).Draw(r, label) {
				v := row(r, cols)
				var dirs []string
				for c := range cols {
					dir := partition.Segment(cols[c], v[c])
					if rapid.IntRange(0, 4).Draw(r, "spell") == 0 {
						dir = strings.ToUpper(cols[c].Name) + dir[len(cols[c].Name):]
					}
					dirs = append(dirs, dir)
				}
				if p := strings.Join(dirs, "/"); !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
			return out
		}
		known := discover(r, cols, tree("known")...).Set()
		paths := tree("found")
		found := discover(r, cols, paths...)
		res := partition.Diff(known, found, partition.DiffOptions{Mode: partition.SyncMode})
		after, err := known.Apply(res.Changes, 2)
		if err != nil {
			r.Fatal(err)
		}
		fresh := found.Set()
		if diff := cmp.Diff(specs(fresh), specs(after)); diff != "" {
			r.Fatalf("(-fresh +after):\n%s", diff)
		}
		var drops, adds []string
		for a := range res.Actions() {
			switch a.Kind {
			case partition.ActionDrop:
				drops = append(drops, a.Partition)
			case partition.ActionAdd:
				adds = append(adds, a.Partition)
			}
		}
		if !slices.IsSorted(drops) || !slices.IsSorted(adds) {
			r.Fatalf("out of order: %v %v", drops, adds)
		}
		if a, d, _ := res.Changes.Counts(known); a != len(adds) || d != len(drops) {
			r.Fatalf("counts %d, %d; rows %d, %d", a, d, len(adds), len(drops))
		}
		for i := range after.Len() {
			if rel, _ := after.Path(i); !slices.Contains(paths, rel) {
				r.Fatalf("registered %s, which was not found", rel)
			}
		}
		if again := partition.Diff(after, found, partition.DiffOptions{Mode: partition.SyncMode}); !again.Changes.Empty() {
			r.Fatalf("a second repair changes something: %v", shorts(again))
		}
	})
}

func TestLayout(t *testing.T) {
	cols := []partition.Column{col("dt", of(types.Date)), col("Region", of(types.String))}
	for _, c := range []struct {
		level         int
		name          string
		kind          partition.Kind
		caseSensitive bool
		ok            bool
		reason        partition.Reason
		detail        string
	}{
		{level: 0, name: "dt=2024-01-01", ok: true},
		{level: 0, name: "DT=2024-1-1", ok: true},
		{level: 0, name: "DT=2024-1-1", caseSensitive: true, reason: partition.WrongColumn, detail: "expected column dt"},
		{level: 0, name: "region=x", reason: partition.WrongColumn, detail: "expected column dt"},
		{level: 1, name: "region=x", ok: true},
		{level: 1, name: "region=", reason: partition.EmptyValue, detail: "Region"},
		{level: 1, name: "region=%2F", ok: true},
		{level: 0, name: "dt=foo", reason: partition.BadValue, detail: "DATE"},
		{level: 0, name: "foo", reason: partition.NotAPartition, detail: "dt=value"},
		{level: 0, name: "a.csv", kind: partition.File, reason: partition.TooShallow, detail: "dt=value"},
		{level: 0, name: "dt=2024-01-01", kind: partition.File, reason: partition.TooShallow},
		{level: 1, name: "region=a\xff", reason: partition.BadName},
		{level: 1, name: "region=a\nb", ok: true},
		{level: 0, name: "_SUCCESS", kind: partition.File},
		{level: 0, name: "_temporary"},
		{level: 0, name: ".x=1"},
		{level: 0, name: "_dt=1", reason: partition.WrongColumn},
	} {
		_, ok, reason, detail := partition.NewLayout(cols, c.caseSensitive).Classify(c.level, c.name, c.kind)
		if ok != c.ok || reason != c.reason || !strings.Contains(detail, c.detail) {
			t.Errorf("%q at level %d: %v %q %q", c.name, c.level, ok, reason, detail)
		}
	}
}

func TestDictAbsorb(t *testing.T) {
	layout := partition.NewLayout(yearMonth, false)
	a, b := partition.NewDict(layout, 0), partition.NewDict(layout, 0)
	a.Code([]byte("year=1"))
	b.Code([]byte("year=2"))
	b.Code([]byte("year=1"))
	if _, ok, reason := b.Code([]byte("x=1")); ok || reason != partition.WrongColumn {
		t.Errorf("reason %q", reason)
	}
	if diff := cmp.Diff([]uint32{1, 0}, a.Absorb(b)); diff != "" {
		t.Error(diff)
	}
	if a.Len() != 2 || a.Spellings()[1].Value != int64(2) {
		t.Errorf("%v", a.Spellings())
	}
}

func TestGroup(t *testing.T) {
	f := discover(t, yearMonth, "year=2024/month=02", "year=2023/month=1", "year=2024/month=2", "year=02024/month=2", "year=2024/month=1")
	s, leaves, ends := f.Group()
	var got []string
	for i := range s.Len() {
		for _, leaf := range leaves[ends[i]:ends[i+1]] {
			got = append(got, s.Spec(i)+" "+f.Path(int(leaf)))
		}
	}
	want := []string{
		"year=2023/month=1 year=2023/month=1", "year=2024/month=1 year=2024/month=1",
		"year=2024/month=2 year=2024/month=02", "year=2024/month=2 year=2024/month=2", "year=2024/month=2 year=02024/month=2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s, leaves, ends := (&partition.Found{Columns: yearMonth}).Group(); s.Len() != 0 || len(leaves) != 0 || len(ends) != 1 {
		t.Errorf("nothing found: %d, %v, %v", s.Len(), leaves, ends)
	}
}
