package catalogtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/types"
)

func testBootstrap(t *testing.T, s catalog.Store) {
	ctx := context.Background()
	for range 2 { // the second time changes nothing
		if err := catalog.Bootstrap(ctx, s, "file:/home/x/warehouse/"); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	read(t, s, func(tx catalog.ReadTx) error {
		cats, err := tx.Catalogs()
		for _, c := range cats {
			got[c.Name] = string(c.Rules) + " " + c.Location
			schemas, err := tx.Schemas(c.ID)
			if err != nil {
				return err
			}
			for _, sc := range schemas {
				got[c.Name+"."+sc.Name] = sc.Location
			}
		}
		return err
	})
	diff(t, "catalogs and schemas", got, map[string]string{
		"main":                   "unity file:/home/x/warehouse/main",
		"main.default":           "file:/home/x/warehouse/main/default",
		"hive_metastore":         "hive file:/home/x/warehouse/hive_metastore",
		"hive_metastore.default": "file:/home/x/warehouse/hive_metastore/default",
		"system":                 "system ",
	})
	// What a user dropped does not come back.
	write(t, s, func(tx catalog.WriteTx) error {
		c, err := tx.Catalog("main")
		if err != nil {
			return err
		}
		sc, err := tx.Schema(c.ID, "default")
		if err != nil {
			return err
		}
		return tx.DeleteSchema(sc.ID)
	})
	if err := catalog.Bootstrap(ctx, s, "file:/elsewhere"); err != nil {
		t.Fatal(err)
	}
	read(t, s, func(tx catalog.ReadTx) error {
		c, err := tx.Catalog("MAIN")
		if err != nil {
			return err
		}
		_, err = tx.Schema(c.ID, "default")
		wantErr(t, "a dropped schema after another start", err, catalog.ErrNotFound)
		alias, err := tx.Catalog("Spark_Catalog")
		if err != nil || alias.Name != "hive_metastore" {
			t.Errorf("spark_catalog: %v, %v", alias, err)
		}
		return nil
	})
	err := s.Write(ctx, func(tx catalog.WriteTx) error {
		return tx.CreateCatalog(&catalog.Catalog{Securable: catalog.Securable{Name: "spark_catalog"}})
	})
	wantErr(t, "a catalog with the alias's name", err, catalog.ErrExists)
}

func testStamps(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	for _, sec := range []catalog.Securable{f.catalog.Securable, f.schema.Securable, f.table.Securable} {
		if len(sec.ID) != 36 || sec.Owner != Actor || sec.CreatedBy != Actor || sec.UpdatedBy != Actor ||
			!sec.CreatedAt.After(Start) || !sec.UpdatedAt.Equal(sec.CreatedAt) || sec.CreatedAt.Location() != time.UTC {
			t.Errorf("a new securable: %+v", sec)
		}
	}
	created := f.schema.CreatedAt
	write(t, s, func(tx catalog.WriteTx) error {
		f.schema.Comment = "changed"
		return tx.UpdateSchema(f.schema)
	})
	if !f.schema.CreatedAt.Equal(created) || !f.schema.UpdatedAt.After(created) {
		t.Errorf("after a change: created %v, updated %v", f.schema.CreatedAt, f.schema.UpdatedAt)
	}
	given := catalog.Securable{
		ID: catalog.NewID(), Name: "given", Owner: "anna", Comment: "c", CreatedBy: "ben",
		CreatedAt: Start.Add(-time.Hour), UpdatedBy: "cleo", UpdatedAt: Start.Add(-time.Minute),
	}
	c := &catalog.Catalog{Securable: given, Rules: catalog.UnityRules, Location: "file:/g"}
	write(t, s, func(tx catalog.WriteTx) error { return tx.CreateCatalog(c) })
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.CatalogByID(given.ID)
		diff(t, "a securable that brings its stamps", got, &catalog.Catalog{Securable: given, Rules: catalog.UnityRules, Location: "file:/g"})
		return err
	})
}

// oddNames fold and sort in ways that a store could get wrong.
var oddNames = []string{"Alpha", "beta", "a`b", `q"uo'te`, "Ünïcödé", "日本", "_x", "1", "%_", strings.Repeat("n", catalog.MaxNameLength)}

func testNamesFold(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	for _, name := range oddNames {
		write(t, s, func(tx catalog.WriteTx) error { return tx.CreateTable(newTable(f.schema.ID, name)) })
		for _, spelled := range []string{name, strings.ToUpper(name), strings.ToLower(name)} {
			read(t, s, func(tx catalog.ReadTx) error {
				got, err := tx.Table(f.schema.ID, spelled)
				if err != nil {
					t.Errorf("table %q as %q: %v", name, spelled, err)
				} else if got.Name != name {
					t.Errorf("table %q lost its spelling: %q", name, got.Name)
				}
				return nil
			})
			err := s.Write(context.Background(), func(tx catalog.WriteTx) error { return tx.CreateTable(newTable(f.schema.ID, spelled)) })
			wantErr(t, "creating "+spelled+" again", err, catalog.ErrExists)
		}
	}
	var names []string
	read(t, s, func(tx catalog.ReadTx) error {
		tables, err := tx.Tables(f.schema.ID)
		for _, table := range tables {
			names = append(names, table.Name)
		}
		return err
	})
	diff(t, "tables in order", names, []string{
		"%_", "1", "_x", "a`b", "Alpha", "beta", strings.Repeat("n", catalog.MaxNameLength),
		`q"uo'te`, "t", "Ünïcödé", "日本",
	})
	// The same name in another schema, and for a volume, is free.
	other := &catalog.Schema{CatalogID: f.catalog.ID, Location: "file:/wh/c/other"}
	other.Name = "Other"
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateSchema(other); err != nil {
			return err
		}
		if err := tx.CreateVolume(&catalog.Volume{Securable: catalog.Securable{Name: "alpha"}, SchemaID: f.schema.ID, Kind: catalog.External, Location: "file:/vol"}); err != nil {
			return err
		}
		return tx.CreateTable(newTable(other.ID, "alpha"))
	})
}

func testRoundTrip(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	str := types.Of(types.String)
	table := &catalog.Table{
		SchemaID: f.schema.ID, Kind: catalog.View, Location: "s3://b/k", Format: "csv", Mode: catalog.Listing,
		Columns: []types.Field{
			{Name: "Void", Type: types.Of(types.Void)},
			{Name: "b", Type: types.Of(types.Boolean), NotNull: true},
			{Name: "i8", Type: types.Of(types.TinyInt)},
			{Name: "i16", Type: types.Of(types.SmallInt)},
			{Name: "f", Type: types.Of(types.Float)},
			{Name: "d", Type: types.Of(types.Double)},
			{Name: "dec", Type: types.DecimalOf(38, 18), Comment: "money \"quoted\"", HasComment: true},
			{Name: "c", Type: types.Type{Kind: types.Char, Precision: 3}, HasComment: true},
			{Name: "vc", Type: types.Type{Kind: types.Varchar, Precision: 20}},
			{Name: "bin", Type: types.Of(types.Binary)},
			{Name: "date", Type: types.Of(types.Date)},
			{Name: "ts", Type: types.Of(types.Timestamp)},
			{Name: "ntz", Type: types.Of(types.TimestampNTZ)},
			{Name: "ym", Type: types.Type{Kind: types.YearMonthInterval, Precision: types.FieldYear, Scale: types.FieldMonth}},
			{Name: "dts", Type: types.Type{Kind: types.DayTimeInterval, Precision: types.FieldDay, Scale: types.FieldSecond}},
			{Name: "hour", Type: types.Type{Kind: types.DayTimeInterval, Precision: types.FieldHour, Scale: types.FieldHour}},
			{Name: "cal", Type: types.Of(types.CalendarInterval)},
			{Name: "var", Type: types.Of(types.Variant)},
			{Name: "arr", Type: types.Type{Kind: types.Array, Elem: &str, NotNull: true}},
			{Name: "m", Type: types.MapOf(str, types.ArrayOf(types.Of(types.Int)))},
			{Name: "st", Type: types.StructOf(types.Field{Name: "x.y", Type: str, NotNull: true, Comment: "in", HasComment: true})},
			{Name: "p", Type: types.Of(types.Date)},
			{Name: "Q", Type: types.Type{Kind: types.Char, Precision: 2}},
		},
		Partition: []string{"p", "Q"}, Options: map[string]string{"header": "true", "sep": "\t"},
		Properties: map[string]string{"a.b": "", "ü": "\"\\\n"},
		ViewText:   "SELECT 'x' -- ü", ViewCatalog: "Main", ViewSchema: "Default", InferPartitions: true,
	}
	table.Name, table.Comment = "All", "what ü"
	volume := &catalog.Volume{SchemaID: f.schema.ID, Kind: catalog.Managed, Location: "file:/v"}
	volume.Name = "V"
	function := &catalog.Function{
		SchemaID: f.schema.ID, Text: "CREATE FUNCTION F() RETURNS TABLE (A DATE) RETURN SELECT 'ü' -- why", AtCatalog: "Main", AtSchema: "Default", Table: true, ANSI: true,
		Returns: []types.Field{{Name: "A", Type: types.Of(types.Date), Comment: "c", HasComment: true}, {Name: "", Type: types.ArrayOf(str)}},
	}
	function.Name, function.Comment = "F", "what ü"
	external := &catalog.ExternalLocation{URL: "s3://bucket/root"}
	external.Name = "E"
	f.schema.Properties = map[string]string{"k": "v"}
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateTable(table); err != nil {
			return err
		}
		if err := tx.CreateVolume(volume); err != nil {
			return err
		}
		if err := tx.CreateFunction(function); err != nil {
			return err
		}
		if err := tx.UpdateSchema(f.schema); err != nil {
			return err
		}
		return tx.CreateExternalLocation(external)
	})
	read(t, s, func(tx catalog.ReadTx) error {
		byName, err := tx.Table(f.schema.ID, "ALL")
		if err != nil {
			return err
		}
		diff(t, "the table by name", byName, table)
		byID, err := tx.TableByID(table.ID)
		if err != nil {
			return err
		}
		diff(t, "the table by id", byID, table)
		gotVolume, err := tx.Volume(f.schema.ID, "v")
		if err != nil {
			return err
		}
		diff(t, "the volume", gotVolume, volume)
		volumes, err := tx.Volumes(f.schema.ID)
		if err != nil {
			return err
		}
		diff(t, "the volumes", volumes, []*catalog.Volume{volume})
		gotFunction, err := tx.Function(f.schema.ID, "f")
		if err != nil {
			return err
		}
		diff(t, "the function", gotFunction, function)
		gotFunction, err = tx.FunctionByID(function.ID)
		if err != nil {
			return err
		}
		diff(t, "the function by id", gotFunction, function)
		functions, err := tx.Functions(f.schema.ID)
		if err != nil {
			return err
		}
		diff(t, "the functions", functions, []*catalog.Function{function})
		gotExternal, err := tx.ExternalLocation("e")
		if err != nil {
			return err
		}
		diff(t, "the external location", gotExternal, external)
		externals, err := tx.ExternalLocations()
		if err != nil {
			return err
		}
		diff(t, "the external locations", externals, []*catalog.ExternalLocation{external})
		schema, err := tx.SchemaByID(f.schema.ID)
		if err != nil {
			return err
		}
		diff(t, "the schema", schema, f.schema)
		schema, err = tx.Schema(f.catalog.ID, "S")
		diff(t, "the schema by name", schema, f.schema)
		return err
	})
}

func testNotFound(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	const none = catalog.ID("00000000-0000-4000-8000-000000000000")
	read(t, s, func(tx catalog.ReadTx) error {
		_, err := tx.Catalog("x")
		wantErr(t, "Catalog", err, catalog.ErrNotFound)
		_, err = tx.CatalogByID(none)
		wantErr(t, "CatalogByID", err, catalog.ErrNotFound)
		_, err = tx.Schema(f.catalog.ID, "x")
		wantErr(t, "Schema", err, catalog.ErrNotFound)
		_, err = tx.SchemaByID(none)
		wantErr(t, "SchemaByID", err, catalog.ErrNotFound)
		_, err = tx.Table(f.schema.ID, "x")
		wantErr(t, "Table", err, catalog.ErrNotFound)
		_, err = tx.TableByID(none)
		wantErr(t, "TableByID", err, catalog.ErrNotFound)
		_, err = tx.Volume(f.schema.ID, "x")
		wantErr(t, "Volume", err, catalog.ErrNotFound)
		_, err = tx.Function(f.schema.ID, "x")
		wantErr(t, "Function", err, catalog.ErrNotFound)
		_, err = tx.FunctionByID(none)
		wantErr(t, "FunctionByID", err, catalog.ErrNotFound)
		_, err = tx.ExternalLocation("x")
		wantErr(t, "ExternalLocation", err, catalog.ErrNotFound)
		_, err = tx.Partitions(none, 0)
		wantErr(t, "Partitions", err, catalog.ErrNotFound)
		_, err = tx.Partitions(f.table.ID, 2)
		wantErr(t, "Partitions of a version to come", err, catalog.ErrNotFound)
		_, err = tx.Partitions(f.table.ID, -1)
		wantErr(t, "Partitions of a version before all", err, catalog.ErrNotFound)
		_, err = tx.History(none, 0)
		wantErr(t, "History", err, catalog.ErrNotFound)
		for _, list := range []func() (int, error){
			func() (int, error) { l, err := tx.Schemas(none); return len(l), err },
			func() (int, error) { l, err := tx.Tables(none); return len(l), err },
			func() (int, error) { l, err := tx.Volumes(none); return len(l), err },
			func() (int, error) { l, err := tx.Functions(none); return len(l), err },
		} {
			if n, err := list(); n != 0 || err != nil {
				t.Errorf("a list of nothing: %d, %v", n, err)
			}
		}
		return nil
	})
	write(t, s, func(tx catalog.WriteTx) error {
		lost := newTable(f.schema.ID, "lost")
		lost.ID = none
		wantErr(t, "UpdateTable", tx.UpdateTable(lost), catalog.ErrNotFound)
		wantErr(t, "ApplyPartitions", tx.ApplyPartitions(lost, adds(values("a", 1)), catalog.Commit{}), catalog.ErrNotFound)
		wantErr(t, "AddCommit", tx.AddCommit(lost, catalog.Commit{}), catalog.ErrNotFound)
		wantErr(t, "UpdateCatalog", tx.UpdateCatalog(&catalog.Catalog{Securable: catalog.Securable{ID: none, Name: "n"}}), catalog.ErrNotFound)
		wantErr(t, "UpdateSchema", tx.UpdateSchema(&catalog.Schema{Securable: catalog.Securable{ID: none, Name: "n"}, CatalogID: f.catalog.ID}), catalog.ErrNotFound)
		wantErr(t, "DeleteCatalog", tx.DeleteCatalog(none), catalog.ErrNotFound)
		wantErr(t, "DeleteSchema", tx.DeleteSchema(none), catalog.ErrNotFound)
		wantErr(t, "DeleteTable", tx.DeleteTable(none), catalog.ErrNotFound)
		wantErr(t, "DeleteVolume", tx.DeleteVolume(none), catalog.ErrNotFound)
		wantErr(t, "DeleteFunction", tx.DeleteFunction(none), catalog.ErrNotFound)
		wantErr(t, "a function of no schema", tx.CreateFunction(&catalog.Function{Securable: catalog.Securable{Name: "n"}, SchemaID: none}), catalog.ErrNotFound)
		wantErr(t, "DeleteExternalLocation", tx.DeleteExternalLocation(none), catalog.ErrNotFound)
		wantErr(t, "DeletePending", tx.DeletePending(none), catalog.ErrNotFound)
		wantErr(t, "a schema of no catalog", tx.CreateSchema(&catalog.Schema{Securable: catalog.Securable{Name: "n"}, CatalogID: none}), catalog.ErrNotFound)
		wantErr(t, "a table of no schema", tx.CreateTable(newTable(none, "n")), catalog.ErrNotFound)
		wantErr(t, "a volume of no schema", tx.CreateVolume(&catalog.Volume{Securable: catalog.Securable{Name: "n"}, SchemaID: none}), catalog.ErrNotFound)
		return nil
	})
}

func testNotEmpty(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	volume := &catalog.Volume{SchemaID: f.schema.ID, Kind: catalog.External, Location: "file:/v"}
	volume.Name = "v"
	write(t, s, func(tx catalog.WriteTx) error {
		wantErr(t, "a schema with a table", tx.DeleteSchema(f.schema.ID), catalog.ErrNotEmpty)
		wantErr(t, "a catalog with a schema", tx.DeleteCatalog(f.catalog.ID), catalog.ErrNotEmpty)
		if err := tx.DeleteTable(f.table.ID); err != nil {
			return err
		}
		if err := tx.CreateVolume(volume); err != nil {
			return err
		}
		wantErr(t, "a schema with a volume", tx.DeleteSchema(f.schema.ID), catalog.ErrNotEmpty)
		if err := tx.DeleteVolume(volume.ID); err != nil {
			return err
		}
		function := &catalog.Function{Securable: catalog.Securable{Name: "v"}, SchemaID: f.schema.ID, Text: "x"}
		if err := tx.CreateFunction(function); err != nil {
			return err
		}
		wantErr(t, "a function whose name is taken", tx.CreateFunction(&catalog.Function{Securable: catalog.Securable{Name: "V"}, SchemaID: f.schema.ID}), catalog.ErrExists)
		wantErr(t, "a schema with a function", tx.DeleteSchema(f.schema.ID), catalog.ErrNotEmpty)
		if err := tx.DeleteFunction(function.ID); err != nil {
			return err
		}
		if err := tx.DeleteSchema(f.schema.ID); err != nil {
			return err
		}
		return tx.DeleteCatalog(f.catalog.ID)
	})
	read(t, s, func(tx catalog.ReadTx) error {
		cats, err := tx.Catalogs()
		if len(cats) != 0 {
			t.Errorf("%d catalogs are left", len(cats))
		}
		return err
	})
}

func testRename(t *testing.T, s catalog.Store) {
	f := setUp(t, s)
	other := &catalog.Schema{CatalogID: f.catalog.ID, Location: "file:/wh/c/o"}
	other.Name = "o"
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateSchema(other); err != nil {
			return err
		}
		if err := tx.CreateTable(newTable(f.schema.ID, "taken")); err != nil {
			return err
		}
		f.table.Name = "T" // another spelling of its own name
		if err := tx.UpdateTable(f.table); err != nil {
			return err
		}
		clash := f.table.Clone()
		clash.Name = "TAKEN"
		wantErr(t, "renaming to a taken name", tx.UpdateTable(clash), catalog.ErrExists)
		f.table.Name, f.table.SchemaID = "taken", other.ID
		if err := tx.UpdateTable(f.table); err != nil {
			return err
		}
		s2 := other.Clone()
		s2.Name = "S"
		wantErr(t, "renaming a schema to a taken name", tx.UpdateSchema(s2), catalog.ErrExists)
		gone := f.table.Clone()
		gone.SchemaID = "00000000-0000-4000-8000-000000000000"
		wantErr(t, "moving to no schema", tx.UpdateTable(gone), catalog.ErrNotFound)
		return nil
	})
	read(t, s, func(tx catalog.ReadTx) error {
		got, err := tx.Table(other.ID, "taken")
		if err != nil {
			return err
		}
		if got.ID != f.table.ID || got.Version != 3 {
			t.Errorf("the moved table: %+v", got)
		}
		_, err = tx.Table(f.schema.ID, "t")
		wantErr(t, "the old name", err, catalog.ErrNotFound)
		return nil
	})
}
