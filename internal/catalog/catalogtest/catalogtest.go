// Package catalogtest is the conformance suite of catalog.Store: what every store has to do, as tests that a store's own
// tests run. It imports the port and the vocabulary only.
package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// Actor is whom a store under test must be opened for.
const Actor = "tester"

// Start is when a Clock begins.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)

// Clock is a clock for Options.Now that moves on by a second with every look at it.
func Clock() func() time.Time {
	now := Start
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

// Opener makes an empty store whose clock is Clock and whose actor is Actor; the store is closed when the test ends.
type Opener func(t *testing.T) catalog.Store

// Run runs the suite.
func Run(t *testing.T, open Opener) {
	for name, test := range map[string]func(*testing.T, catalog.Store){
		"Bootstrap":           testBootstrap,
		"Stamps":              testStamps,
		"NamesFold":           testNamesFold,
		"RoundTrip":           testRoundTrip,
		"NotFound":            testNotFound,
		"NotEmpty":            testNotEmpty,
		"Rename":              testRename,
		"Versions":            testVersions,
		"Partitions":          testPartitions,
		"PartitionLayout":     testPartitionLayout,
		"ManyPartitions":      testManyPartitions,
		"DeleteTable":         testDeleteTable,
		"History":             testHistory,
		"Overlapping":         testOverlapping,
		"CheckOverlap":        testCheckOverlap,
		"Pendings":            testPendings,
		"Snapshots":           testSnapshots,
		"Rollback":            testRollback,
		"PanicRollsBack":      testPanicRollsBack,
		"Cancel":              testCancel,
		"ArgumentsAreCopied":  testArgumentsAreCopied,
		"ConcurrentWriters":   testConcurrentWriters,
		"ReadYourOwnWrites":   testReadYourOwnWrites,
		"FailedCallsContinue": testFailedCallsContinue,

		"Txns":                    testTxns,
		"TxnUpdates":              testTxnUpdates,
		"Filesets":                testFilesets,
		"Retired":                 testRetired,
		"Loads":                   testLoads,
		"DeleteTableWithWrites":   testDeleteTableWithWrites,
		"RecordedContent":         testRecordedContent,
		"ManyRecorded":            testManyRecorded,
		"DefinitionAndPartitions": testDefinitionAndPartitions,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func read(t testing.TB, s catalog.Store, fn func(catalog.ReadTx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatalf("Read: %v", err)
	}
}

func write(t testing.TB, s catalog.Store, fn func(catalog.WriteTx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

// wantErr checks that a call failed for the right reason.
func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func diff[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// fixture is a catalog with a schema and a partitioned log table.
type fixture struct {
	catalog *catalog.Catalog
	schema  *catalog.Schema
	table   *catalog.Table
}

func newTable(schema catalog.ID, name string) *catalog.Table {
	t := &catalog.Table{
		SchemaID: schema, Kind: catalog.External, Format: "parquet", Location: "file:/data/" + name, Mode: catalog.Log,
		Columns: []types.Field{
			{Name: "v", Type: types.Of(types.BigInt)},
			{Name: "dt", Type: types.Of(types.String)},
			{Name: "hh", Type: types.Of(types.Int)},
		},
		Partition: []string{"dt", "hh"},
	}
	t.Name = name
	return t
}

func setUp(t testing.TB, s catalog.Store) fixture {
	t.Helper()
	f := fixture{catalog: &catalog.Catalog{Rules: catalog.UnityRules, Location: "file:/wh/c"}, schema: &catalog.Schema{Location: "file:/wh/c/s"}}
	f.catalog.Name, f.schema.Name = "c", "s"
	write(t, s, func(tx catalog.WriteTx) error {
		if err := tx.CreateCatalog(f.catalog); err != nil {
			return err
		}
		f.schema.CatalogID = f.catalog.ID
		if err := tx.CreateSchema(f.schema); err != nil {
			return err
		}
		f.table = newTable(f.schema.ID, "t")
		return tx.CreateTable(f.table)
	})
	return f
}

// values are the values of a partition of newTable's table.
func values(dt string, hh int64) partition.Values { return partition.Values{dt, hh} }

func adds(vs ...partition.Values) *partition.Changes {
	ch := &partition.Changes{}
	for _, v := range vs {
		ch.Add(partition.AddEntry{Values: v})
	}
	return ch
}

func drops(vs ...partition.Values) *partition.Changes {
	ch := &partition.Changes{}
	ch.Drop(vs...)
	return ch
}

// lines describes a set: a line per partition, with its directory, its generation and what is recorded of its content.
func lines(set *partition.Set) []string {
	var out []string
	for i := range set.Len() {
		rel, abs := set.Path(i)
		line := fmt.Sprintf("%s at %s gen %d", set.Spec(i), rel+abs, set.Gen(i))
		if c := set.Content(i); c.Recorded {
			line += fmt.Sprintf(" files %d bytes %d rows %d of %v", c.Files, c.Bytes, c.Rows, c.Filesets)
		}
		out = append(out, line)
	}
	return out
}

func partitions(t testing.TB, s catalog.Store, table catalog.ID, at int64) []string {
	t.Helper()
	var out []string
	read(t, s, func(tx catalog.ReadTx) error {
		set, err := tx.Partitions(table, at)
		if err == nil {
			out = lines(set)
		}
		return err
	})
	return out
}
