package repair_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/repair"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/mem"
	"github.com/tarnlake/tarn/internal/types"
)

// lake is a table on a disk in memory.
type lake struct {
	t     *testing.T
	disk  *mem.Driver
	store catalog.Store
	r     *repair.Repairer
	table *catalog.Table
}

func newLake(t *testing.T) *lake {
	t.Helper()
	l := &lake{t: t, disk: mem.New(), store: memstore.New(memstore.Options{Actor: "me"})}
	stores := storage.NewStores(map[string]storage.Factory{"file": l.disk.Open})
	l.r = &repair.Repairer{Store: l.store, Stores: stores}
	ctx := context.Background()
	if err := catalog.Bootstrap(ctx, l.store, "file:/wh"); err != nil {
		t.Fatal(err)
	}
	err := l.store.Write(ctx, func(tx catalog.WriteTx) error {
		c, err := tx.Catalog("main")
		if err != nil {
			return err
		}
		s, err := tx.Schema(c.ID, "default")
		if err != nil {
			return err
		}
		l.table = &catalog.Table{
			Securable: catalog.Securable{ID: catalog.NewID(), Name: "t"}, SchemaID: s.ID, Kind: catalog.External, Format: "csv", Location: "file:/t",
			Columns:   []types.Field{{Name: "id", Type: types.Of(types.Int)}, {Name: "y", Type: types.Of(types.Int)}, {Name: "m", Type: types.Of(types.Int)}},
			Partition: []string{"y", "m"}, Mode: catalog.Log,
		}
		return tx.CreateTable(l.table)
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lake) files(keys ...string) {
	l.t.Helper()
	for _, k := range keys {
		if _, err := l.disk.Put(context.Background(), k, strings.NewReader("id\n1\n"), storage.Condition{}); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *lake) remove(keys ...string) {
	l.t.Helper()
	if err := l.disk.Delete(context.Background(), keys...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lake) request(mode partition.Mode) repair.Request {
	return repair.Request{Table: l.table.ID, Name: "`t`", Mode: mode, MaxDropFraction: 0.5, Commit: catalog.Commit{Operation: "MSCK", Actor: "me"}}
}

func (l *lake) run(req repair.Request) []string {
	l.t.Helper()
	report, err := l.r.Run(context.Background(), req)
	if err != nil {
		l.t.Fatal(err)
	}
	return rows(report)
}

func rows(report *repair.Report) []string {
	var out []string
	for a := range report.Actions() {
		out = append(out, fmt.Sprintf("%s %s %s%s %s", a.Kind, a.Partition, a.Rel, a.Abs, a.Reason))
	}
	return out
}

func (l *lake) registered() []string {
	l.t.Helper()
	var out []string
	err := l.store.Read(context.Background(), func(tx catalog.ReadTx) error {
		set, err := tx.Partitions(l.table.ID, 0)
		for i := range set.BySpec(set.All()) {
			rel, abs := set.Path(i)
			out = append(out, set.Spec(i)+" @ "+rel+abs)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func (l *lake) apply(ch *partition.Changes) {
	l.t.Helper()
	err := l.store.Write(context.Background(), func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(l.table.ID)
		if err != nil {
			return err
		}
		return tx.ApplyPartitions(t, ch, catalog.Commit{Operation: "ALTER"})
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("differs (-want +got):\n%s", d)
	}
}

func TestSyncAddsAndDropsInOneCommit(t *testing.T) {
	l := newLake(t)
	l.files("t/y=2024/m=01/a.csv", "t/y=2024/m=2/a.csv", "t/y=2024/x=3/a.csv", "t/_SUCCESS")
	same(t, l.run(l.request(partition.SyncMode)), []string{"add y=2024/m=1 y=2024/m=01 NEW", "add y=2024/m=2 y=2024/m=2 NEW", "skip  y=2024/x=3 WRONG_COLUMN"})
	l.remove("t/y=2024/m=01/")
	l.files("t/y=2025/m=1/a.csv")
	same(t, l.run(l.request(partition.SyncMode)), []string{"drop y=2024/m=1 y=2024/m=01 MISSING", "add y=2025/m=1 y=2025/m=1 NEW", "skip  y=2024/x=3 WRONG_COLUMN"})
	same(t, l.registered(), []string{"y=2024/m=2 @ y=2024/m=2", "y=2025/m=1 @ y=2025/m=1"})
	err := l.store.Read(context.Background(), func(tx catalog.ReadTx) error {
		h, err := tx.History(l.table.ID, 0)
		if err == nil && (len(h) != 2 || h[0].Added != 1 || h[0].Dropped != 1 || h[1].Added != 2) {
			t.Errorf("history: %+v", h)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv")
	req := l.request(partition.SyncMode)
	req.DryRun = true
	same(t, l.run(req), []string{"add y=1/m=1 y=1/m=1 NEW"})
	same(t, l.registered(), nil)
}

func TestNoLeafIsListed(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "t/y=1/m=2/a.csv")
	l.disk.Calls()
	l.run(l.request(partition.SyncMode))
	for _, call := range l.disk.Calls() {
		if strings.Contains(call, "m=") {
			t.Errorf("a partition directory was looked at: %s", call)
		}
	}
}

func TestUnreadableDirectoryIsNoAbsence(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "t/y=2/m=1/a.csv")
	l.run(l.request(partition.SyncMode))
	l.disk.Fail("list", "t/y=2/", storage.PermissionDenied)
	for _, force := range []bool{false, true} {
		req := l.request(partition.SyncMode)
		req.Force = force
		if _, err := l.r.Run(context.Background(), req); err == nil || !strings.Contains(err.Error(), "y=2") {
			t.Errorf("force=%t: want an error that names the directory, got %v", force, err)
		}
	}
	if got := l.registered(); len(got) != 2 {
		t.Errorf("entries were dropped: %v", got)
	}
}

func TestGuardAgainstEmptyingATable(t *testing.T) {
	l := newLake(t)
	for i := range 25 {
		l.files(fmt.Sprintf("t/y=1/m=%d/a.csv", i))
	}
	l.run(l.request(partition.SyncMode))
	for i := range 13 {
		l.remove(fmt.Sprintf("t/y=1/m=%d/", i))
	}
	refused := func(req repair.Request, want sqlerr.Condition) {
		t.Helper()
		if _, err := l.r.Run(context.Background(), req); !errors.Is(err, want) {
			t.Errorf("want %s, got %v", want, err)
		}
		if got := len(l.registered()); got != 25 {
			t.Errorf("%d entries are left", got)
		}
	}
	refused(l.request(partition.SyncMode), "REPAIR_WOULD_DROP_MOST")
	refused(l.request(partition.DropMode), "REPAIR_WOULD_DROP_MOST")
	loose := l.request(partition.DropMode)
	loose.MaxDropFraction = 0.6
	loose.DryRun = true
	if got := len(l.run(loose)); got != 13 {
		t.Errorf("a dry run shows %d rows", got)
	}
	l.remove("t/")
	refused(l.request(partition.DropMode), "REPAIR_WOULD_DROP_MOST")
	forced := l.request(partition.SyncMode)
	forced.Force = true
	if got := len(l.run(forced)); got != 25 || len(l.registered()) != 0 {
		t.Errorf("forced: %d rows, left %v", got, l.registered())
	}
}

func TestScopeLimitsWhatIsRepairedAndCounted(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "t/y=1/m=2/a.csv", "t/y=2/m=1/a.csv")
	req := l.request(partition.SyncMode)
	req.Matchers = []partition.Matcher{{Col: 0, Op: partition.Eq, Value: int64(2)}}
	same(t, l.run(req), []string{"add y=2/m=1 y=2/m=1 NEW"})
	l.remove("t/y=2/m=1/")
	req.Matchers[0].Value = int64(1)
	req.Mode = partition.DropMode
	same(t, l.run(req), nil)
	same(t, l.registered(), []string{"y=2/m=1 @ y=2/m=1"})
}

func TestEntriesOffTheLayoutAreLookedAtOneByOne(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "t/far/b.csv", "other/c.csv")
	ch := &partition.Changes{}
	ch.Add(partition.AddEntry{Values: partition.Values{int64(8), int64(1)}, Place: partition.Place{Location: "file:/t/far"}},
		partition.AddEntry{Values: partition.Values{int64(9), int64(1)}, Place: partition.Place{Location: "file:/other"}})
	l.apply(ch)
	same(t, l.run(l.request(partition.SyncMode)), []string{"add y=1/m=1 y=1/m=1 NEW", "skip  far NOT_A_PARTITION"})
	l.remove("other/", "t/far/")
	same(t, l.run(l.request(partition.SyncMode)), []string{"drop y=8/m=1 file:/t/far MISSING", "drop y=9/m=1 file:/other MISSING"})
}

func TestLookErrorAtACustomLocationIsNoAbsence(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "other/c.csv")
	ch := &partition.Changes{}
	ch.Add(partition.AddEntry{Values: partition.Values{int64(9), int64(1)}, Place: partition.Place{Location: "file:/other"}})
	l.apply(ch)
	l.disk.Fail("stat", "other/", storage.PermissionDenied)
	if _, err := l.r.Run(context.Background(), l.request(partition.DropMode)); err == nil || !strings.Contains(err.Error(), "/other") {
		t.Errorf("want an error that names the location, got %v", err)
	}
	same(t, l.registered(), []string{"y=9/m=1 @ file:/other"})
}

func TestMissingRoot(t *testing.T) {
	l := newLake(t)
	if _, err := l.r.Run(context.Background(), l.request(partition.AddMode)); !errors.Is(err, sqlerr.Condition("PATH_NOT_FOUND")) {
		t.Errorf("ADD: %v", err)
	}
	same(t, l.run(l.request(partition.DropMode)), nil)
}

// racing is a store to which somebody else commits right before each of the first writes.
type racing struct {
	catalog.Store
	left  int
	other func()
}

func (s *racing) Write(ctx context.Context, fn func(catalog.WriteTx) error) error {
	if s.left > 0 {
		s.left--
		s.other()
	}
	return s.Store.Write(ctx, fn)
}

func TestRepairStartsAgainWhenTheTableChanged(t *testing.T) {
	l := newLake(t)
	l.files("t/y=1/m=1/a.csv", "t/y=1/m=2/a.csv")
	n := int64(100)
	race := &racing{Store: l.store, left: 2, other: func() {
		n++
		ch := &partition.Changes{}
		ch.Add(partition.AddEntry{Values: partition.Values{n, int64(1)}})
		l.apply(ch)
	}}
	l.r.Store = race
	same(t, l.run(l.request(partition.AddMode)), []string{
		"add y=1/m=1 y=1/m=1 NEW", "add y=1/m=2 y=1/m=2 NEW", "stale y=101/m=1 y=101/m=1 MISSING", "stale y=102/m=1 y=102/m=1 MISSING",
	})
	if got := len(l.registered()); got != 4 {
		t.Errorf("%d entries: %v", got, l.registered())
	}
	race.left = 100
	l.files("t/y=1/m=3/a.csv")
	if _, err := l.r.Run(context.Background(), l.request(partition.AddMode)); !errors.Is(err, sqlerr.Condition("CONCURRENT_WRITE_CONFLICT")) {
		t.Errorf("want CONCURRENT_WRITE_CONFLICT, got %v", err)
	}
}
