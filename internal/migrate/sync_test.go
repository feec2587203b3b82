package migrate

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

var column = []partition.Column{{Name: "p", Type: types.Of(types.Int)}}

// entries is a set of partitions: value and location, "" for the usual one.
func entries(t *testing.T, all map[int64]string) *partition.Set {
	t.Helper()
	ch := &partition.Changes{}
	for v, at := range all {
		ch.Add(partition.AddEntry{Values: partition.Values{v}, Place: partition.Place{Location: at}})
	}
	set, err := partition.NewSet(column).Apply(ch, 1)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestEntriesAreMergedFromThreeSides(t *testing.T) {
	for _, c := range []struct {
		why                    string
		want, have, base, then map[int64]string
	}{
		{"all are new", map[int64]string{1: "", 2: "file:/x"}, nil, nil, map[int64]string{1: "", 2: "file:/x"}},
		{"its own stays", map[int64]string{1: ""}, map[int64]string{1: "", 9: ""}, map[int64]string{1: ""}, map[int64]string{1: "", 9: ""}},
		{"dropped by the source", map[int64]string{1: ""}, map[int64]string{1: "", 2: ""}, map[int64]string{1: "", 2: ""}, map[int64]string{1: ""}},
		{"dropped by nobody knows whom", map[int64]string{1: ""}, map[int64]string{1: "", 2: ""}, nil, map[int64]string{1: "", 2: ""}},
		{"moved by the source", map[int64]string{1: "file:/new"}, map[int64]string{1: ""}, map[int64]string{1: ""}, map[int64]string{1: "file:/new"}},
		{"moved by the target", map[int64]string{1: ""}, map[int64]string{1: "file:/own"}, map[int64]string{1: ""}, map[int64]string{1: "file:/own"}},
	} {
		var base *partition.Set
		if c.base != nil {
			base = entries(t, c.base)
		}
		have := entries(t, c.have)
		got, err := have.Apply(merge(entries(t, c.want), have, base), 2)
		if err != nil || !sameEntries(got, entries(t, c.then)) {
			t.Errorf("%s: %d entries (%v)", c.why, got.Len(), err)
		}
	}
}

// legacy is a store with tables of hive_metastore.s, of formats that no statement makes, and the schema main.s.
func legacy(t *testing.T, tables ...*catalog.Table) *Migrator {
	t.Helper()
	store := memstore.New(memstore.Options{Actor: "me"})
	ctx := context.Background()
	if err := catalog.Bootstrap(ctx, store, "file:/h/warehouse"); err != nil {
		t.Fatal(err)
	}
	err := store.Write(ctx, func(tx catalog.WriteTx) error {
		for _, name := range []string{catalog.HiveCatalog, catalog.MainCatalog} {
			c, err := tx.Catalog(name)
			if err != nil {
				return err
			}
			s := &catalog.Schema{Securable: catalog.Securable{Name: "s"}, CatalogID: c.ID, Location: c.Location + "/s"}
			if err := tx.CreateSchema(s); err != nil {
				return err
			}
			if name == catalog.MainCatalog {
				continue
			}
			for i, table := range tables {
				table.Name, table.SchemaID = fmt.Sprintf("t%02d", i), s.ID
				table.Columns = []types.Field{{Name: "a", Type: types.Of(types.Int)}}
				if err := tx.CreateTable(table); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	place := func(text string) storage.Location {
		loc, err := storage.ParseLocation(text, "")
		if err != nil {
			t.Fatal(err)
		}
		return loc
	}
	mounts, err := storage.NewMounts(map[string]string{"/mnt/m": "s3://b/m"}, place("file:/h/dbfs"), place("file:/h/warehouse/hive_metastore"))
	if err != nil {
		t.Fatal(err)
	}
	return &Migrator{Syncer: &Syncer{Store: store, Stores: storage.NewStores(nil), Mounts: mounts, Now: time.Now}, Runner: nil}
}

func TestCategoriesAndCodes(t *testing.T) {
	external := func(format, location string) *catalog.Table {
		return &catalog.Table{Kind: catalog.External, Format: format, Location: location}
	}
	cases := []struct {
		table    *catalog.Table
		category Category
		way      Way
		code     string
	}{
		{external("jdbc", "file:/x/0"), ExternalNoSync, ByCopy, "UNSUPPORTED_PROVIDER"},
		{external("binaryfile", "file:/x/1"), ExternalNoSync, ByCopy, "UNSUPPORTED_PROVIDER"},
		{external("hive", "file:/x/2"), ExternalSerde, ByCopy, "HIVE_SERDE"},
		{external("Avro", "file:/x/3"), ExternalSync, BySync, Success},
		{external("delta", "s3a://b/m/x"), ExternalSync, BySync, Success},
		{external("delta", "file:/h/dbfs/x"), RootDelta, ByDeep, "DBFS_ROOT_LOCATION"},
		{external("text", "file:/h/dbfs/y"), RootOther, ByCopy, "DBFS_ROOT_LOCATION"},
		{external("parquet", "file:/h/dbfs/mnt/y"), ExternalSync, NoWay, "UNSUPPORTED_DBFS_LOC"},
		{external("parquet", "dbfs:/mnt/z"), ExternalSync, NoWay, "UNSUPPORTED_DBFS_LOC"},
		{external("parquet", "/no/scheme"), ExternalSync, NoWay, "MISSING_FILE_SCHEME"},
		{external("parquet", "adl://x/y"), ExternalSync, NoWay, "UNSUPPORTED_FILE_SCHEME"},
		{external("csv", "file:/h/dbfs/databricks-datasets/x"), Dataset, NoWay, "DBFS_ROOT_LOCATION"},
		{&catalog.Table{Kind: catalog.View, ViewText: "SELECT 1"}, ViewCategory, ByView, "UNSUPPORTED_TABLE_TYPE"},
		{&catalog.Table{Kind: catalog.Managed, Format: "delta", Location: "file:/h/warehouse/hive_metastore/s/t13"}, RootDelta, ByDeep, "NOT_EXTERNAL"},
		{&catalog.Table{Kind: catalog.Managed, Format: "delta", Location: "file:/elsewhere/t14"}, ExternalSync, ByDeep, "NOT_EXTERNAL"},
	}
	var tables []*catalog.Table
	for _, c := range cases {
		tables = append(tables, c.table)
	}
	m := legacy(t, tables...)
	items, _, err := m.inventory(context.Background(), Options{From: ident.Name{"hive_metastore"}, To: ident.Name{"main"}})
	if err != nil || len(items) != len(cases) {
		t.Fatalf("%d items, %v", len(items), err)
	}
	byName := map[string]*Item{}
	for _, it := range items {
		byName[it.Source[2]] = it
	}
	for i, c := range cases {
		name := fmt.Sprintf("t%02d", i)
		it := byName[name]
		row, err := m.Syncer.Sync(context.Background(), Request{Source: it.Source, Target: it.Target})
		if err != nil || it.Category != c.category || it.Way != c.way || row.Status != c.code {
			t.Errorf("%s (%s at %s): %s, %s, %s: %s; want %v (%v)", name, c.table.Format, c.table.Location, it.Category, it.Way, row.Status, row.Description, c, err)
		}
	}
	if it := byName["t05"]; it != nil {
		it.table.Format = "delta"
		m.classify(it, Options{CloneLocation: "/mnt/m/clones/"}, "s")
		m.Syncer.Logs = fakeLogs{&fakeLog{Definition: Definition{Version: 7}}}
		got, err := m.copyStatement(context.Background(), Options{CloneLocation: "/mnt/m/clones/"}, &Outcome{Item: *it})
		want := "CREATE TABLE main.s.t05 SHALLOW CLONE hive_metastore.s.t05 VERSION AS OF 7 TBLPROPERTIES ('upgraded_from' = 'hive_metastore.s.t05', 'upgraded_from_version' = '7') LOCATION '/mnt/m/clones/s/t05'"
		if err != nil || it.Way != ByShallow || got != want {
			t.Errorf("%s: %s, %v", it.Way, got, err)
		}
	}
}

// fakeLog is the log of one table.
type fakeLog struct {
	Definition
	written int
}

type fakeLogs struct{ log *fakeLog }

func (f fakeLogs) Definition(context.Context, *catalog.Table) (Definition, error) {
	return f.log.Definition, nil
}

func (f fakeLogs) ChangedSince(_ context.Context, _ *catalog.Table, version int64) (bool, error) {
	return version != f.log.Version, nil
}

func (f fakeLogs) SetProperties(_ context.Context, _ *catalog.Table, properties map[string]string) error {
	maps.Copy(f.log.Properties, properties)
	f.log.written++
	return nil
}

func TestTablesWithALogAreWhatItSays(t *testing.T) {
	m := legacy(t, &catalog.Table{Kind: catalog.External, Format: "delta", Location: "s3://b/m/x"})
	log := &fakeLog{Definition: Definition{Columns: []types.Field{{Name: "a", Type: types.Of(types.Int)}, {Name: "p", Type: types.Of(types.Int)}}, Partition: []string{"p"}, Properties: map[string]string{"x": "1"}}}
	m.Syncer.Logs, m.Syncer.Notes = fakeLogs{log}, fakeLogs{log}
	ctx := context.Background()
	req := Request{Source: ident.Name{"hive_metastore", "s", "t00"}, Target: ident.Name{"main", "s", "t"}, Actor: "me"}
	sync := func(changed bool) *catalog.Table {
		t.Helper()
		row, err := m.Syncer.Sync(ctx, req)
		if err != nil || row.Status != Success || row.Changed != changed {
			t.Fatalf("%+v, %v", row, err)
		}
		got, err := m.find(ctx, req.Target)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := sync(true)
	if got.Mode != catalog.Unpartitioned || len(got.Columns) != 2 || got.Properties["x"] != "1" || got.Properties[UpgradedFrom] != "hive_metastore.s.t00" || log.Properties[UpgradedTo] != "main.s.t" {
		t.Errorf("%+v, %+v", got, log)
	}
	sync(false)
	req.DryRun = true
	if row, err := m.Syncer.Sync(ctx, req); err != nil || row.Status != DryRunSuccess || row.Changed || row.Description != upToDate {
		t.Errorf("a dry run says %+v, %v", row, err)
	}
	req.DryRun = false
	if log.written != 1 {
		t.Errorf("the log was written %d times", log.written)
	}
	// The log changes, and the catalog knows nothing of it.
	log.Properties["x"] = "2"
	log.Columns = append(log.Columns[:1:1], types.Field{Name: "b", Type: types.Of(types.String)}, log.Columns[1])
	if got := sync(true); len(got.Columns) != 3 || got.Properties["x"] != "2" {
		t.Errorf("%+v", got)
	}
	sync(false)
}

func TestNothingIsWrittenToTheSource(t *testing.T) {
	m := legacy(t, &catalog.Table{Kind: catalog.External, Format: "parquet", Location: "s3://b/m/x"})
	ctx := context.Background()
	req := Request{Source: ident.Name{"hive_metastore", "s", "T00"}, Target: ident.Name{"main", "s", "x"}, KeepSource: true, Actor: "me"}
	for run, changed := range []bool{true, false} {
		row, err := m.Syncer.Sync(ctx, req)
		if err != nil || row.Status != Success || row.Changed != changed || row.SourceName != "t00" {
			t.Errorf("run %d: %+v, %v", run, row, err)
		}
	}
	source, err := m.find(ctx, req.Source)
	if err != nil || source.Version != 1 || len(source.Properties) != 0 {
		t.Errorf("%+v, %v", source, err)
	}
}
