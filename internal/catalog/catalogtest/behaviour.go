package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

func testHistory(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	at := Start.Add(24 * time.Hour)
	params := map[string]string{"mode": "SYNC"}
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.AddCommit(f.table, catalog.Commit{Operation: "CREATE TABLE", Statement: "CREATE TABLE t …", At: at, Actor: "anna", Parameters: params})
	})
	// The clock of this one is behind, and its version has a row already.
	write(t, s, func(tx catalog.WriteTx) error { return tx.AddCommit(f.table, catalog.Commit{Operation: "WRITE"}) })
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{Operation: "ADD", At: at.Add(time.Hour)})
	})
	want := []catalog.Commit{
		{Version: 2, At: at.Add(time.Hour), Actor: Actor, Operation: "ADD", Added: 1},
		{Version: 1, At: at, Actor: Actor, Operation: "WRITE"},
		{Version: 1, At: at, Actor: "anna", Operation: "CREATE TABLE", Statement: "CREATE TABLE t …", Parameters: params},
	}
	read(t, s, func(tx catalog.ReadTx) error {
		all, err := tx.History(f.table.ID, 0)
		if err != nil {
			return err
		}
		diff(t, "history", all, want)
		last, err := tx.History(f.table.ID, 2)
		diff(t, "the last two", last, want[:2])
		return err
	})
}

// places makes things in many places, under both kinds of rules.
func places(t *testing.T, s catalog.Store) (main *catalog.Catalog, schema *catalog.Schema) {
	t.Helper()
	write(t, s, func(tx catalog.WriteTx) error {
		for _, c := range []struct {
			name  string
			rules catalog.Rules
		}{{"main", catalog.UnityRules}, {"hive_metastore", catalog.HiveRules}} {
			cat := &catalog.Catalog{Rules: c.rules, Location: "file:/wh/" + c.name}
			cat.Name = c.name
			if err := tx.CreateCatalog(cat); err != nil {
				return err
			}
			sc := &catalog.Schema{CatalogID: cat.ID, Location: cat.Location + "/s"}
			sc.Name = "s"
			if err := tx.CreateSchema(sc); err != nil {
				return err
			}
			if c.rules == catalog.UnityRules {
				main, schema = cat, sc
			}
			for _, loc := range []string{"s3://b/lake/t1", "s3://b/lake/t1x", "file:/d/a%20b", ""} {
				if loc != "" && c.rules == catalog.HiveRules {
					loc += "/hive"
				}
				table := newTable(sc.ID, fmt.Sprintf("t %d", len(loc)))
				table.Location = loc
				if err := tx.CreateTable(table); err != nil {
					return err
				}
			}
		}
		volume := &catalog.Volume{SchemaID: schema.ID, Kind: catalog.External, Location: "s3://b/lake/vol/"}
		volume.Name = "v"
		if err := tx.CreateVolume(volume); err != nil {
			return err
		}
		volume = &catalog.Volume{SchemaID: schema.ID, Kind: catalog.External, Location: "gs://ü/日本/\U0010ffff"}
		volume.Name = "last"
		if err := tx.CreateVolume(volume); err != nil {
			return err
		}
		ext := &catalog.ExternalLocation{URL: "s3a://b/lake"}
		ext.Name = "e"
		return tx.CreateExternalLocation(ext)
	})
	return main, schema
}

func testOverlapping(t *testing.T, s catalog.Store) {
	places(t, s)
	for loc, want := range map[string][]string{
		"s3://b/lake/t1":              {"external location e unity", "table main.s.`t 14` unity", "table hive_metastore.s.`t 19` hive"},
		"s3://b/lake/t1/":             {"external location e unity", "table main.s.`t 14` unity", "table hive_metastore.s.`t 19` hive"},
		"s3n://b/lake/t1/hive/part=1": {"external location e unity", "table main.s.`t 14` unity", "table hive_metastore.s.`t 19` hive"},
		"s3://b/lake/t":               {"external location e unity"},
		"s3://b/lake/vol/x":           {"external location e unity", "volume main.s.v unity"},
		"s3://b": {
			"external location e unity", "table main.s.`t 14` unity", "table hive_metastore.s.`t 19` hive",
			"table main.s.`t 15` unity", "table hive_metastore.s.`t 20` hive", "volume main.s.v unity",
		},
		"s3://bb":         {},
		"file:/wh/main/s": {"managed storage main unity", "managed storage main.s unity"},
		"file:///wh":      {"managed storage hive_metastore hive", "managed storage hive_metastore.s hive", "managed storage main unity", "managed storage main.s unity"},
		"file:/d/a b":     {},
		"file:/d/a%20b/c": {"table main.s.`t 13` unity"},
		"file:/":          {"table main.s.`t 13` unity", "table hive_metastore.s.`t 18` hive", "managed storage hive_metastore hive", "managed storage hive_metastore.s hive", "managed storage main unity", "managed storage main.s unity"},
		"gs://b/lake/t1":  {},
		"gs://ü":          {"volume main.s.last unity"},
		"gs://ü/日本":       {"volume main.s.last unity"},
		"gs://ü/日":        {},
	} {
		var got []string
		read(t, s, func(tx catalog.ReadTx) error {
			hits, err := tx.Overlapping(loc)
			for _, h := range hits {
				if h.ID == "" {
					t.Errorf("%s: %s has no id", loc, h.Name)
				}
				got = append(got, fmt.Sprintf("%s %s %s", h.What, h.Name, h.Rules))
			}
			return err
		})
		diff(t, loc, got, want)
	}
}

func testCheckOverlap(t *testing.T, s catalog.Store) {
	main, schema := places(t, s)
	const ok = ""
	for _, c := range []struct {
		what, loc, inTheWay string
		except              []catalog.ID
	}{
		{catalog.LocatedTable, "s3://b/lake/new", ok, nil},
		{catalog.LocatedTable, "s3://b/lake/t1", "main.s.`t 14`", nil},
		{catalog.LocatedTable, "s3://b/lake/t1/part=1", "main.s.`t 14`", nil},
		{catalog.LocatedTable, "s3://b/lake/vol/x", "main.s.v", nil},
		{catalog.LocatedVolume, "s3://b/lake/t1/x", "main.s.`t 14`", nil},
		{catalog.LocatedTable, "s3://b/lake", "main.s.`t 14`", nil},
		{catalog.LocatedTable, "s3://b", "e", nil},
		{catalog.LocatedTable, "s3://b/lake/t1y", ok, nil},
		{catalog.LocatedTable, "file:/wh/main/s/x", "main", nil},
		{catalog.LocatedTable, "file:/wh", "main", nil},
		{catalog.LocatedTable, "file:/wh/hive_metastore/s/x", ok, nil},
		{catalog.LocatedTable, "file:/d/a%20b/hive", "main.s.`t 13`", nil},
		{catalog.LocatedExternal, "s3://b/lake", "e", nil},
		{catalog.LocatedExternal, "s3://b/lake/deep", "e", nil},
		{catalog.LocatedExternal, "s3://b", "e", nil},
		{catalog.LocatedExternal, "file:/", ok, nil},
		{catalog.LocatedExternal, "file:/d/a%20b", ok, nil},
		{catalog.LocatedExternal, "file:/d/a%20b/x", "main.s.`t 13`", nil},
		{catalog.LocatedExternal, "file:/wh/main/s", "main", nil},
		{catalog.LocatedManaged, "file:/wh/main/other", ok, []catalog.ID{main.ID}},
		{catalog.LocatedManaged, "file:/wh/main/other", "main", nil},
		{catalog.LocatedManaged, "file:/wh/main/s/deeper", "main.s", []catalog.ID{main.ID}},
		{catalog.LocatedManaged, "file:/wh/main/s", ok, []catalog.ID{main.ID, schema.ID}},
		{catalog.LocatedManaged, "s3://b/lake/managed", ok, nil},
		{catalog.LocatedManaged, "s3://b/lake/t1", "main.s.`t 14`", nil},
	} {
		read(t, s, func(tx catalog.ReadTx) error {
			err := catalog.CheckOverlap(tx, c.what, c.loc, c.except...)
			if c.inTheWay == ok {
				if err != nil {
					t.Errorf("%s at %s: %v", c.what, c.loc, err)
				}
				return nil
			}
			if !errors.Is(err, sqlerr.Condition("LOCATION_OVERLAP")) {
				t.Errorf("%s at %s: got %v, want LOCATION_OVERLAP", c.what, c.loc, err)
				return nil
			}
			e := sqlerr.As(err)
			if e.SQLState() != "42710" || e.Params[2].Value != c.inTheWay {
				t.Errorf("%s at %s: %v, want %s in the way", c.what, c.loc, err, c.inTheWay)
			}
			return nil
		})
	}
}

func testPendings(t *testing.T, s catalog.Store) {
	given := catalog.Pending{ID: "p-1", Kind: "rename", From: "file:/a", To: "file:/b", At: Start}
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.AddPending(given); err != nil {
			return err
		}
		wantErr(t, "adding it again", tx.AddPending(given), catalog.ErrExists)
		return tx.AddPending(catalog.Pending{Kind: "delete", From: "file:/c"})
	})
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Pendings()
		if err != nil {
			return err
		}
		if len(got) != 2 || got[1].ID == "" || got[1].At.IsZero() || got[1].From != "file:/c" {
			t.Fatalf("pendings: %+v", got)
		}
		diff(t, "the given one", got[0], given)
		return nil
	})
	write(t, s, func(tx catalog.WriteTx) error { return tx.DeletePending("p-1") })
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Pendings()
		if len(got) != 1 || got[0].Kind != "delete" {
			t.Errorf("pendings after one is done: %+v", got)
		}
		return err
	})
}

// testSnapshots writes while a reader is at work: the reader sees nothing of it.
func testSnapshots(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	read(t, s, func(tx catalog.ReadTx) error {
		write(t, s, func(tx catalog.WriteTx) error {
			if err := tx.CreateTable(newTable(f.schema.ID, "later")); err != nil {
				return err
			}
			return tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{})
		})
		_, err := tx.Table(f.schema.ID, "later")
		wantErr(t, "a table made later", err, catalog.ErrNotFound)
		got, err := tx.TableByID(f.table.ID)
		if err != nil {
			return err
		}
		set, err := tx.Partitions(f.table.ID, 0)
		if err != nil {
			return err
		}
		if got.Version != 1 || set.Len() != 0 {
			t.Errorf("the snapshot shows version %d with %d partitions", got.Version, set.Len())
		}
		_, err = tx.Partitions(f.table.ID, 2)
		wantErr(t, "a version made later", err, catalog.ErrNotFound)
		// Another reader, at the same time, sees it all.
		diff(t, "partitions now", partitions(t, s, f.table.ID, 0), []string{"dt=a/hh=1 at dt=a/hh=1 gen 2"})
		return nil
	})
}

var errStop = errors.New("stop")

func testRollback(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	doomed := f.table.Clone()
	err := s.Write(context.Background(), func(tx catalog.WriteTx) error {
		if err := tx.ApplyPartitions(doomed, adds(values("a", 1)), catalog.Commit{}); err != nil {
			return err
		}
		if set, err := tx.Partitions(f.table.ID, 0); err != nil || set.Len() != 1 {
			t.Errorf("within the transaction: %v", err)
		}
		if err := tx.CreateTable(newTable(f.schema.ID, "x")); err != nil {
			return err
		}
		if err := tx.AddPending(catalog.Pending{Kind: "delete"}); err != nil {
			return err
		}
		return errStop
	})
	wantErr(t, "Write", err, errStop)
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.Table(f.schema.ID, "x")
		wantErr(t, "a table of a failed transaction", err, catalog.ErrNotFound)
		got, err := tx.TableByID(f.table.ID)
		if err != nil {
			return err
		}
		pendings, err := tx.Pendings()
		if got.Version != 1 || len(pendings) != 0 {
			t.Errorf("after a failed transaction: version %d, pendings %v", got.Version, pendings)
		}
		return err
	})
	// The version that was not reached is reached by something else, and shows that.
	write(t, s, func(tx catalog.WriteTx) error {
		return tx.ApplyPartitions(f.table, adds(values("b", 2)), catalog.Commit{})
	})
	diff(t, "version 2", partitions(t, s, f.table.ID, 2), []string{"dt=b/hh=2 at dt=b/hh=2 gen 2"})
}

func testPanicRollsBack(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.Write(context.Background(), func(tx catalog.WriteTx) error {
			if err := tx.DeleteTable(f.table.ID); err != nil {
				return err
			}
			panic("in the middle")
		})
	}()
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.TableByID(f.table.ID)
		return err
	})
	write(t, s, func(tx catalog.WriteTx) error { return tx.DeleteTable(f.table.ID) })
}

func testCancel(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	err := s.Write(ctx, func(tx catalog.WriteTx) error {
		if err := tx.DeleteTable(f.table.ID); err != nil {
			return err
		}
		cancel()
		return nil
	})
	wantErr(t, "a write canceled at its end", err, context.Canceled)
	wantErr(t, "a canceled write", s.Write(ctx, func(catalog.WriteTx) error { return nil }), context.Canceled)
	wantErr(t, "a canceled read", s.Read(ctx, func(catalog.ReadTx) error { return nil }), context.Canceled)
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.TableByID(f.table.ID)
		return err
	})
}

func testArgumentsAreCopied(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	table := newTable(f.schema.ID, "copied")
	table.Properties = map[string]string{"k": "v"}
	write(t, s, func(tx catalog.WriteTx) error { return tx.CreateTable(table) })
	want := table.Clone()
	table.Properties["k"], table.Columns[0].Name, table.Partition[0] = "changed", "changed", "changed"
	for range 2 {
		read(t, s, func(tx catalog.ReadTx) error {
			got, err := tx.TableByID(table.ID)
			if err != nil {
				return err
			}
			diff(t, "the stored table", got, want)
			got.Properties["k"], got.Columns[0].Name, got.Comment = "changed", "changed", "changed"
			return nil
		})
	}
}

// testConcurrentWriters has goroutines add partitions to one table, each trying again when another was faster.
func testConcurrentWriters(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	const writers, each = 4, 10
	var wg sync.WaitGroup
	errs := make(chan error, writers)
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- AddPartitions(context.Background(), s, f.table.ID, w, each)
		}()
	}
	wg.Wait()
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	CheckPartitions(t, s, f.table.ID, writers, each)
}

// AddPartitions adds n partitions to a table made by NewTable, one commit each, for the writer of a number. It reads the
// version outside the writing transaction and tries again when somebody else committed in between.
func AddPartitions(ctx context.Context, s catalog.Store, table catalog.ID, writer, n int) error {
	for i := 0; i < n; {
		var current *catalog.Table
		err := s.Read(ctx, func(tx catalog.ReadTx) (err error) {
			current, err = tx.TableByID(table)
			return err
		})
		if err != nil {
			return err
		}
		err = s.Write(ctx, func(tx catalog.WriteTx) error {
			ch := adds(values(fmt.Sprintf("w%d", writer), int64(i)))
			return tx.ApplyPartitions(current, ch, catalog.Commit{Operation: fmt.Sprintf("w%d", writer)})
		})
		if errors.Is(err, catalog.ErrVersionChanged) {
			continue
		}
		if err != nil {
			return err
		}
		i++
	}
	return nil
}

// CheckPartitions checks that all commits of AddPartitions by a number of writers are there, and nothing else.
func CheckPartitions(t testing.TB, s catalog.Store, table catalog.ID, writers, each int) {
	t.Helper()
	read(t, s, func(tx catalog.ReadTx) error {
		current, err := tx.TableByID(table)
		if err != nil {
			return err
		}
		set, err := tx.Partitions(table, 0)
		if err != nil {
			return err
		}
		rows, err := tx.History(table, 0)
		if err != nil {
			return err
		}
		if total := writers * each; set.Len() != total || len(rows) != total || current.Version != int64(total)+1 {
			t.Errorf("%d partitions, %d commits, version %d after %d commits", set.Len(), len(rows), current.Version, total)
		}
		for w := range writers {
			for i := range each {
				if _, ok := set.Find(values(fmt.Sprintf("w%d", w), int64(i))); !ok {
					t.Errorf("partition %d of writer %d is lost", i, w)
				}
			}
		}
		for i, c := range rows {
			if want := current.Version - int64(i); c.Version != want {
				t.Errorf("commit %d has version %d, want %d", i, c.Version, want)
			}
			old, err := tx.Partitions(table, c.Version)
			if err != nil {
				return err
			}
			if int64(old.Len()) != c.Version-1 {
				t.Errorf("version %d has %d partitions", c.Version, old.Len())
			}
		}
		return nil
	})
}

// NewTable makes the table that AddPartitions adds to, in an empty store.
func NewTable(t testing.TB, s catalog.Store) *catalog.Table { return setUp(t, s).table }

func testReadYourOwnWrites(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.ApplyPartitions(f.table, adds(values("a", 1)), catalog.Commit{Operation: "one"}); err != nil {
			return err
		}
		if err := tx.ApplyPartitions(f.table, adds(values("a", 2)), catalog.Commit{Operation: "two"}); err != nil {
			return err
		}
		for at, want := range map[int64]int{0: 2, 1: 0, 2: 1, 3: 2} {
			set, err := tx.Partitions(f.table.ID, at)
			if err != nil {
				return err
			}
			if set.Len() != want {
				t.Errorf("within the transaction, version %d has %d partitions, want %d", at, set.Len(), want)
			}
		}
		rows, err := tx.History(f.table.ID, 1)
		if err != nil {
			return err
		}
		if len(rows) != 1 || rows[0].Operation != "two" || rows[0].Version != 3 {
			t.Errorf("within the transaction, the last commit is %+v", rows)
		}
		hits, err := tx.Overlapping(f.table.Location)
		if len(hits) != 1 {
			t.Errorf("within the transaction, %v overlaps", hits)
		}
		return err
	})
	diff(t, "afterwards", partitions(t, s, f.table.ID, 2), []string{"dt=a/hh=1 at dt=a/hh=1 gen 2"})
}

// testFailedCallsContinue: a call that fails for a reason of the port changes nothing, and the transaction goes on.
func testFailedCallsContinue(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateTable(newTable(f.schema.ID, "one")); err != nil {
			return err
		}
		wantErr(t, "the same again", tx.CreateTable(newTable(f.schema.ID, "ONE")), catalog.ErrExists)
		wantErr(t, "a full schema", tx.DeleteSchema(f.schema.ID), catalog.ErrNotEmpty)
		return tx.CreateTable(newTable(f.schema.ID, "two"))
	})
	read(t, s, func(tx catalog.ReadTx) error {
		tables, err := tx.Tables(f.schema.ID)
		if len(tables) != 3 {
			t.Errorf("%d tables", len(tables))
		}
		return err
	})
}
