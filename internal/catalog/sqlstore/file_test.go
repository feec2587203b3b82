package sqlstore_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/catalogtest"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

func logTable(t testing.TB, s catalog.Store) *catalog.Table { return catalogtest.NewTable(t, s) }

// TestModel has the file do what the reference in memory does.
func TestModel(t *testing.T) {
	catalogtest.RunModel(t,
		func(t *testing.T) catalog.Store {
			return memstore.New(memstore.Options{Now: catalogtest.Clock(), Actor: catalogtest.Actor})
		},
		func(t *testing.T) catalog.Store {
			return open(t, file(t), sqlstore.Options{Now: catalogtest.Clock(), Actor: catalogtest.Actor, CacheBytes: 4096})
		})
}

func TestHeader(t *testing.T) {
	path := file(t)
	bootstrapped(t, path)
	db := sqlstore.Raw(path)
	defer db.Close()
	application, format, err := sqlstore.Migrated(ctx, db)
	if err != nil || application != 0x5461726e || format != sqlstore.Format {
		t.Errorf("application %#x, format %d, %v", application, format, err)
	}
	var mode, fresh string
	if err := db.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %s, %v", mode, err)
	}
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&fresh); err != nil || fresh != "ok" {
		t.Errorf("integrity: %s, %v", fresh, err)
	}
}

// TestFailedMigration: of several migrations the last of which fails, nothing is left; and without the fault all
// are there.
func TestFailedMigration(t *testing.T) {
	path := file(t)
	raw(t, path)
	steps := fstest.MapFS{
		"00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (x);\nPRAGMA application_id = 1415672430;\nPRAGMA user_version = 1;")},
		"00002_b.sql": {Data: []byte("-- +goose Up\nCREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);")},
	}
	tables := func() (n int) {
		t.Helper()
		db := sqlstore.Raw(path)
		defer db.Close()
		if _, format, err := sqlstore.Migrated(ctx, db); err != nil {
			t.Fatal(err)
		} else if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").Scan(&n); err != nil {
			t.Fatal(err)
		} else if (format == 0) != (n == 0) {
			t.Errorf("format %d with %d tables", format, n)
		}
		return n
	}
	if err := sqlstore.Migrate(ctx, path, steps); err == nil {
		t.Error("a migration that fails does not")
	}
	if n := tables(); n != 0 {
		t.Errorf("a failed migration left %d tables", n)
	}
	delete(steps, "00002_b.sql")
	if err := sqlstore.Migrate(ctx, path, steps); err != nil {
		t.Fatal(err)
	}
	if n := tables(); n != 2 { // and the tool's own
		t.Errorf("%d tables", n)
	}
}

// TestOddPaths: characters that mean something in a URI are names of directories.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b", "a%20b", "a?b=c", "a#b", "ü", "a&b;c"} {
		path := filepath.Join(t.TempDir(), name, "deeper", "catalog.db")
		bootstrapped(t, path)
		s := open(t, path, sqlstore.Options{})
		if err := s.Read(ctx, func(tx catalog.ReadTx) error { _, err := tx.Catalog("main"); return err }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if found, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(found) == 0 {
			t.Errorf("%s: the file is elsewhere", name)
		}
	}
}

// TestOpenTogether makes one new file from many sides at once.
func TestOpenTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "catalog.db")
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := sqlstore.Open(ctx, path, sqlstore.Options{})
			if err == nil {
				err = errors.Join(catalog.Bootstrap(ctx, s, "file:/wh"), s.Close())
			}
			errs <- err
		}()
	}
	wg.Wait()
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestTwoStores has two stores on one file see each other's commits at once, cached sets included.
func TestTwoStores(t *testing.T) {
	path := file(t)
	a, b := open(t, path, sqlstore.Options{}), open(t, path, sqlstore.Options{})
	table := logTable(t, a)
	stores := []catalog.Store{a, b}
	for i := range 6 {
		if err := catalogtest.AddPartitions(ctx, stores[i%2], table.ID, i, 1); err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			catalogtest.CheckPartitions(t, s, table.ID, i+1, 1)
		}
	}
}

func TestQueriesUseIndexes(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	for name, q := range map[string]struct {
		sql  string
		args []any
	}{
		"overlapping": {sqlstore.OverlappingSQL(), []any{`["a"]`, "a/", "a0"}},
		"load":        {sqlstore.LoadSQL, []any{"id", 1}},
		"txns":        {sqlstore.TxnsSQL("id", true), []any{"id"}},
	} {
		rows, err := s.Readers().QueryContext(ctx, "EXPLAIN QUERY PLAN "+q.sql, q.args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(detail, "SCAN") && !strings.Contains(detail, "json_each") {
				t.Errorf("%s: %s", name, detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnfinishedTxns looks for the few unfinished transactions among many that are finished: by the index that has them alone.
func TestUnfinishedTxns(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	for query, args := range map[string][]any{sqlstore.TxnsSQL("", false): nil, sqlstore.TxnsSQL("id", false): {"id"}} {
		var id, parent, unused int
		var detail string
		if err := s.Readers().QueryRowContext(ctx, "EXPLAIN QUERY PLAN "+query, args...).Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(detail, "txns_unfinished") {
			t.Errorf("%s: %s", query, detail)
		}
	}
}

// TestMigrateFormat1 opens a file that a Tarn of format 1 left, and finds all of it.
func TestMigrateFormat1(t *testing.T) {
	path := file(t)
	raw(t, path)
	all, err := sqlstore.Steps()
	if err != nil {
		t.Fatal(err)
	}
	first, err := fs.ReadFile(all, "00001_catalog.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlstore.Migrate(ctx, path, fstest.MapFS{"00001_catalog.sql": {Data: first}}); err != nil {
		t.Fatal(err)
	}
	const stamps = "'o', '', 1, 'o', 1, 'o'"
	raw(t, path,
		"INSERT INTO catalogs VALUES ('c', 'c', 'c', "+stamps+", 'unity', '', NULL)",
		"INSERT INTO schemas VALUES ('s', 's', 's', "+stamps+", 'c', '', NULL, '{}')",
		"INSERT INTO tables VALUES ('t', 't', 't', "+stamps+`, 's', 'EXTERNAL', 'csv', '', NULL, '{"type":"struct","fields":[]}', '[]', '', '{}', '{}', 1, '', '', '', 0)`,
		`INSERT INTO snapshots (table_id, version, columns, rows) VALUES ('t', 1, '{"type":"struct","fields":[]}', 0)`,
	)
	s := open(t, path, sqlstore.Options{})
	db := sqlstore.Raw(path)
	defer db.Close()
	if _, format, err := sqlstore.Migrated(ctx, db); err != nil || format != sqlstore.Format {
		t.Errorf("format %d, %v", format, err)
	}
	for _, key := range []string{"min_reader", "min_writer"} {
		var needed int
		if err := db.QueryRow("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", key).Scan(&needed); err != nil || needed != 2 {
			t.Errorf("%s is %d, %v", key, needed, err)
		}
	}
	if err := s.Write(ctx, func(tx catalog.WriteTx) error {
		table, err := tx.Table("s", "T")
		if err != nil {
			return err
		}
		id, err := tx.AddFileset(table.ID, "x", []byte("files"))
		if err != nil {
			return err
		}
		ch := &partition.Changes{}
		ch.Put(partition.AddEntry{Content: partition.Content{Recorded: true, Filesets: []int64{id}}})
		return tx.ApplyPartitions(table, ch, catalog.Commit{})
	}); err != nil {
		t.Error(err)
	}
}

func TestSetsAreShared(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	table := logTable(t, s)
	if err := catalogtest.AddPartitions(ctx, s, table.ID, 0, 2); err != nil {
		t.Fatal(err)
	}
	var sets []*partition.Set
	if err := s.Write(ctx, func(tx catalog.WriteTx) error {
		current, err := tx.TableByID(table.ID)
		if err != nil {
			return err
		}
		ch := &partition.Changes{}
		ch.Add(partition.AddEntry{Values: partition.Values{"x", int64(1)}})
		if err := tx.ApplyPartitions(current, ch, catalog.Commit{}); err != nil {
			return err
		}
		set, err := tx.Partitions(table.ID, 0)
		sets = append(sets, set)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Read(ctx, func(tx catalog.ReadTx) error {
			for _, at := range []int64{0, 4} {
				set, err := tx.Partitions(table.ID, at)
				if err != nil {
					return err
				}
				sets = append(sets, set)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range sets {
		if set != sets[0] {
			t.Error("a set was decoded again")
		}
	}
}

// TestUntouchedSegmentsStay changes much in one place of a big table: what lies elsewhere is not written again.
func TestUntouchedSegmentsStay(t *testing.T) {
	s := open(t, file(t), sqlstore.Options{})
	table := logTable(t, s)
	count := func() (live, ended int) {
		t.Helper()
		if err := s.Readers().QueryRow("SELECT sum(to_version > 1000), sum(to_version <= 1000) FROM segments").Scan(&live, &ended); err != nil {
			t.Fatal(err)
		}
		return live, ended
	}
	apply := func(ch *partition.Changes) {
		t.Helper()
		if err := s.Write(ctx, func(tx catalog.WriteTx) error { return tx.ApplyPartitions(table, ch, catalog.Commit{}) }); err != nil {
			t.Fatal(err)
		}
	}
	apply(manyAdds(100_000))
	before, _ := count()
	ch := &partition.Changes{}
	for i := range 1000 {
		ch.Add(partition.AddEntry{Values: partition.Values{"d00000", int64(1000 + i)}})
	}
	apply(ch)
	live, ended := count()
	if before < 4 || ended != 1 || live < before || live > before+1 {
		t.Errorf("of %d segments %d ended, %d are live", before, ended, live)
	}
}

func TestColumnsCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfN(fieldGen(2), 0, 5).Draw(t, "fields")
		text, err := sqlstore.EncodeColumns(fields)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sqlstore.DecodeColumns(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(got) == 0 && len(fields) == 0 {
			return
		}
		if d := cmp.Diff(fields, got); d != "" {
			t.Fatalf("%s\n%s", text, d)
		}
	})
}

func fieldGen(depth int) *rapid.Generator[types.Field] {
	return rapid.Custom(func(t *rapid.T) types.Field {
		f := types.Field{Name: rapid.String().Draw(t, "name"), Type: typeGen(depth).Draw(t, "type"), NotNull: rapid.Bool().Draw(t, "not null")}
		if f.HasComment = rapid.Bool().Draw(t, "has comment"); f.HasComment {
			f.Comment = rapid.String().Draw(t, "comment")
		}
		f.Generated = rapid.SampledFrom([]string{"", "a + 1"}).Draw(t, "generated")
		return f
	})
}

func typeGen(depth int) *rapid.Generator[types.Type] {
	return rapid.Custom(func(t *rapid.T) types.Type {
		kinds := []types.Kind{types.Void, types.Boolean, types.BigInt, types.String, types.Variant, types.Decimal, types.Char, types.Varchar, types.DayTimeInterval, types.YearMonthInterval}
		if depth > 0 {
			kinds = append(kinds, types.Array, types.Map, types.Struct)
		}
		ty := types.Of(rapid.SampledFrom(kinds).Draw(t, "kind"))
		switch ty.Kind {
		case types.Decimal:
			ty.Precision, ty.Scale = rapid.IntRange(1, 38).Draw(t, "p"), rapid.IntRange(0, 38).Draw(t, "s")
		case types.Char, types.Varchar:
			ty.Precision = rapid.IntRange(1, 1000).Draw(t, "n")
		case types.DayTimeInterval:
			ty.Precision = rapid.IntRange(types.FieldDay, types.FieldSecond).Draw(t, "start")
			ty.Scale = rapid.IntRange(ty.Precision, types.FieldSecond).Draw(t, "end")
		case types.YearMonthInterval:
			ty.Scale = rapid.IntRange(0, types.FieldMonth).Draw(t, "end")
		case types.Array:
			ty = types.ArrayOf(typeGen(depth-1).Draw(t, "elem"))
			ty.NotNull = rapid.Bool().Draw(t, "elem not null")
		case types.Map:
			ty = types.MapOf(typeGen(depth-1).Draw(t, "key"), typeGen(depth-1).Draw(t, "value"))
			ty.NotNull = rapid.Bool().Draw(t, "value not null")
		case types.Struct:
			ty = types.StructOf(rapid.SliceOfN(fieldGen(depth-1), 1, 3).Draw(t, "fields")...)
		}
		return ty
	})
}

func FuzzDecodeColumns(f *testing.F) {
	for _, s := range []string{
		`{"type":"struct","fields":[]}`, `"decimal(10,2)"`, `{"type":"array","elementType":"long","containsNull":true}`,
		`{"type":"struct","fields":[{"name":"a","type":{"type":"map","keyType":"string","valueType":"interval day to second","valueContainsNull":false},"nullable":true,"metadata":{"comment":"c"}}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := sqlstore.DecodeColumns(text)
		if err != nil {
			return
		}
		again, err := sqlstore.EncodeColumns(fields)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", text, err)
		}
		got, err := sqlstore.DecodeColumns(again)
		if err != nil || !cmp.Equal(got, fields) {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}

func FuzzDecodeZones(f *testing.F) {
	f.Add(sqlstore.EncodeZones([]partition.Zone{{Min: []byte("a"), Max: []byte("b"), HasNull: true}, {HasNull: true}, {Min: []byte{}, Max: []byte{}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		zones, err := sqlstore.DecodeZones(b)
		if err != nil {
			return
		}
		again, err := sqlstore.DecodeZones(sqlstore.EncodeZones(zones))
		if err != nil || !cmp.Equal(zones, again) {
			t.Fatalf("%x: %v, then %v, %v", b, zones, again, err)
		}
	})
}
