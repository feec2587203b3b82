package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/types"
)

// RunModel does random things to two stores, transaction by transaction, and compares what they answer and hold.
func RunModel(t *testing.T, openReference, openStore Opener) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: rt, reference: openReference(t), store: openStore(t), ids: []catalog.ID{"none"}}
		for range rapid.IntRange(1, 12).Draw(rt, "transactions") {
			m.transaction()
		}
		m.compare()
	})
}

type model struct {
	t                *rapid.T
	reference, store catalog.Store
	ids              []catalog.ID // of everything made so far, which things to come refer to
	txns             int          // how many ids of transactions were given
}

// step is one call with everything about it decided, so that both stores get the same.
type step struct {
	name string
	do   func(catalog.WriteTx) error
}

func (m *model) transaction() {
	var steps []step
	for range rapid.IntRange(1, 6).Draw(m.t, "steps") {
		steps = append(steps, m.step())
	}
	fails := rapid.IntRange(0, 4).Draw(m.t, "fails") == 0
	run := func(s catalog.Store) []string {
		var results []string
		err := s.Write(context.Background(), func(tx catalog.WriteTx) error {
			for _, st := range steps {
				results = append(results, st.name+": "+kind(st.do(tx)))
			}
			if fails {
				return errStop
			}
			return nil
		})
		if fails != errors.Is(err, errStop) || !fails && err != nil {
			m.t.Fatalf("Write: %v", err)
		}
		return results
	}
	want, got := run(m.reference), run(m.store)
	if d := cmp.Diff(want, got); d != "" {
		m.t.Fatalf("the stores answer differently (-reference +store):\n%s", d)
	}
}

// kind is what an error is to callers.
func kind(err error) string {
	if err == nil {
		return "ok"
	}
	for _, k := range []error{
		catalog.ErrNotFound, catalog.ErrExists, catalog.ErrNotEmpty, catalog.ErrVersionChanged, catalog.ErrTxnChanged,
		partition.ErrExists, partition.ErrMissing,
	} {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return "another failure: " + err.Error()
}

func (m *model) id() catalog.ID { return rapid.SampledFrom(m.ids).Draw(m.t, "id") }

// newID decides the id of something to be made; the stores must not make up their own, which would differ.
func (m *model) newID() catalog.ID {
	id := catalog.ID(fmt.Sprintf("id-%d", len(m.ids)))
	m.ids = append(m.ids, id)
	return id
}

var modelNames = []string{"a", "A", "b", "ü", "Ü", "c d"}

func (m *model) securable(id catalog.ID) catalog.Securable {
	return catalog.Securable{ID: id, Name: rapid.SampledFrom(modelNames).Draw(m.t, "name")}
}

func (m *model) location() string {
	return rapid.SampledFrom([]string{"", "file:/a", "file:/a/b", "file:/a/b/c", "file:/ab", "file:/", "s3://b/a", "s3a://b/a/b/"}).Draw(m.t, "location")
}

func (m *model) values() partition.Values {
	return values(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(m.t, "dt"), rapid.Int64Range(0, 3).Draw(m.t, "hh"))
}

func (m *model) step() step {
	makers := []func() step{
		m.createCatalog, m.createSchema, m.createTable, m.createTable, m.createVolume, m.createFunction, m.createExternal,
		m.updateTable, m.updateSchema, m.apply, m.apply, m.apply, m.restore, m.addCommit, m.remove, m.pending,
		m.put, m.put, m.addTxn, m.updateTxn, m.takeTxn, m.planTxn, m.deleteTxn, m.addFileset, m.deleteFileset, m.retire, m.load,
	}
	return makers[rapid.IntRange(0, len(makers)-1).Draw(m.t, "step")]()
}

func (m *model) createCatalog() step {
	c := catalog.Catalog{Securable: m.securable(m.newID()), Rules: catalog.UnityRules, Location: m.location()}
	return step{"CreateCatalog", func(tx catalog.WriteTx) error { return tx.CreateCatalog(c.Clone()) }}
}

func (m *model) createSchema() step {
	s := catalog.Schema{Securable: m.securable(m.newID()), CatalogID: m.id(), Location: m.location(), Properties: map[string]string{"k": "v"}}
	return step{"CreateSchema", func(tx catalog.WriteTx) error { return tx.CreateSchema(s.Clone()) }}
}

func (m *model) createTable() step {
	id := m.newID()
	t := newTable(m.id(), "")
	t.Securable, t.Location = m.securable(id), m.location()
	return step{"CreateTable", func(tx catalog.WriteTx) error { return tx.CreateTable(t.Clone()) }}
}

func (m *model) createVolume() step {
	v := catalog.Volume{Securable: m.securable(m.newID()), SchemaID: m.id(), Kind: catalog.External, Location: m.location()}
	return step{"CreateVolume", func(tx catalog.WriteTx) error { return tx.CreateVolume(v.Clone()) }}
}

func (m *model) createFunction() step {
	f := catalog.Function{Securable: m.securable(m.newID()), SchemaID: m.id(), Text: "CREATE FUNCTION f() RETURN 1", Returns: []types.Field{{Name: "r", Type: types.Of(types.Int)}}}
	return step{"CreateFunction", func(tx catalog.WriteTx) error { return tx.CreateFunction(f.Clone()) }}
}

func (m *model) createExternal() step {
	e := catalog.ExternalLocation{Securable: m.securable(m.newID()), URL: m.location()}
	return step{"CreateExternalLocation", func(tx catalog.WriteTx) error { return tx.CreateExternalLocation(e.Clone()) }}
}

// stale is how far the version that a change is based on is behind.
func (m *model) stale() int64 {
	return rapid.SampledFrom([]int64{0, 0, 0, 1}).Draw(m.t, "stale")
}

func (m *model) updateTable() step {
	id, sec, stale := m.id(), m.securable(""), m.stale()
	relayout := rapid.IntRange(0, 3).Draw(m.t, "relayout") == 0
	return step{"UpdateTable", func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(id)
		if err != nil {
			return err
		}
		t.Name, t.Version = sec.Name, t.Version-stale
		if relayout {
			t.Columns[1].Name += "x"
			t.Partition[0] += "x"
		}
		return tx.UpdateTable(t)
	}}
}

func (m *model) updateSchema() step {
	id, sec, loc := m.id(), m.securable(""), m.location()
	return step{"UpdateSchema", func(tx catalog.WriteTx) error {
		s, err := tx.SchemaByID(id)
		if err != nil {
			return err
		}
		s.Name, s.Location = sec.Name, loc
		return tx.UpdateSchema(s)
	}}
}

func (m *model) apply() step {
	id, stale := m.id(), m.stale()
	added := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) partition.Values {
		return values(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "dt"), rapid.Int64Range(0, 3).Draw(t, "hh"))
	}), 0, 3, func(v partition.Values) string { return fmt.Sprint(v) }).Draw(m.t, "adds")
	dropped := rapid.IntRange(-4, 1).Draw(m.t, "drops")
	gone := m.values()
	return step{"ApplyPartitions", func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(id)
		if err != nil {
			return err
		}
		t.Version -= stale
		ch := adds(added...)
		if dropped > 0 {
			ch.Drop(gone)
		}
		return tx.ApplyPartitions(t, ch, catalog.Commit{Operation: "op"})
	}}
}

func (m *model) restore() step {
	id, back := m.id(), rapid.Int64Range(0, 3).Draw(m.t, "back")
	return step{"ReplacePartitions", func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(id)
		if err != nil {
			return err
		}
		set, err := tx.Partitions(id, max(1, t.Version-back))
		if err != nil {
			return err
		}
		if !catalog.SameLayout(set.Columns(), t.PartitionLayout()) {
			return nil
		}
		return tx.ReplacePartitions(t, set, catalog.Commit{Operation: "restore", Parameters: map[string]string{"k": "v"}})
	}}
}

func (m *model) addCommit() step {
	id := m.id()
	return step{"AddCommit", func(tx catalog.WriteTx) error {
		return tx.AddCommit(&catalog.Table{Securable: catalog.Securable{ID: id}}, catalog.Commit{Operation: "note"})
	}}
}

func (m *model) remove() step {
	id, what := m.id(), rapid.IntRange(0, 6).Draw(m.t, "what")
	return step{fmt.Sprint("delete ", what), func(tx catalog.WriteTx) error {
		return []func(catalog.ID) error{
			tx.DeleteCatalog, tx.DeleteSchema, tx.DeleteTable, tx.DeleteVolume,
			tx.DeleteExternalLocation, tx.DeletePending, tx.DeleteFunction,
		}[what](id)
	}}
}

func (m *model) pending() step {
	p := catalog.Pending{ID: m.newID(), Kind: "delete", From: m.location()}
	return step{"AddPending", func(tx catalog.WriteTx) error { return tx.AddPending(p) }}
}

// compare compares everything that the two stores hold.
func (m *model) compare() {
	dump := func(s catalog.Store) any {
		var out any
		if err := s.Read(context.Background(), func(tx catalog.ReadTx) (err error) {
			out, err = everything(tx)
			return err
		}); err != nil {
			m.t.Fatalf("reading everything: %v", err)
		}
		return out
	}
	if d := cmp.Diff(dump(m.reference), dump(m.store), cmpopts.EquateEmpty()); d != "" {
		m.t.Fatalf("the stores hold different things (-reference +store):\n%s", d)
	}
}

// everything reads all that a store holds through the port.
func everything(tx catalog.ReadTx) (map[string]any, error) {
	out := map[string]any{}
	var failed error
	put := func(key string, v any, err error) {
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", key, err)
		}
		out[key] = v
	}
	catalogs, err := tx.Catalogs()
	put("catalogs", catalogs, err)
	externals, err := tx.ExternalLocations()
	put("externals", externals, err)
	pendings, err := tx.Pendings()
	put("pendings", pendings, err)
	txns, err := tx.Txns("", true)
	put("transactions", txns, err)
	unfinished, err := tx.Txns("", false)
	put("unfinished transactions", unfinished, err)
	for _, t := range txns {
		plan, err := tx.TxnPlan(t.ID)
		if !errors.Is(err, catalog.ErrNotFound) {
			put("plan of "+t.ID, plan, err)
		}
	}
	retired, err := tx.Retired("")
	put("retired", retired, err)
	for _, loc := range []string{"file:/", "file:/a", "file:/a/b", "s3://b", "s3://b/a/b"} {
		hits, err := tx.Overlapping(loc)
		put("overlapping "+loc, hits, err)
	}
	for _, c := range catalogs {
		schemas, err := tx.Schemas(c.ID)
		put("schemas of "+c.Name, schemas, err)
		for _, s := range schemas {
			name := ident.Name{c.Name, s.Name}.String()
			volumes, err := tx.Volumes(s.ID)
			put("volumes of "+name, volumes, err)
			functions, err := tx.Functions(s.ID)
			put("functions of "+name, functions, err)
			tables, err := tx.Tables(s.ID)
			put("tables of "+name, tables, err)
			for _, t := range tables {
				rows, err := tx.History(t.ID, 0)
				put("history of "+string(t.ID), rows, err)
				loads, err := tx.Loads(t.ID)
				put("loads of "+string(t.ID), loads, err)
				own, err := tx.Txns(t.ID, false)
				put("unfinished transactions of "+string(t.ID), own, err)
				sets, err := filesets(tx, t.ID)
				put("file sets of "+string(t.ID), sets, err)
				for at := range t.Version + 1 {
					set, err := tx.Partitions(t.ID, at)
					if err == nil {
						put(fmt.Sprintf("partitions of %s at %d", t.ID, at), append(lines(set), fmt.Sprint(set.Columns())), nil)
					} else {
						put(fmt.Sprintf("partitions of %s at %d", t.ID, at), nil, err)
					}
				}
			}
		}
	}
	return out, failed
}
