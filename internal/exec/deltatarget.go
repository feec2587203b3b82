package exec

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// deltaTarget is a Delta table that a statement changes: one of the catalog, or one by its path.
type deltaTarget struct {
	name   string // quoted, for messages
	log    *delta.Log
	snap   *delta.Snapshot // what the statement reads; nil for a table that it makes
	rels   *relations      // under which the statement's names are resolved
	scan   *plan.Relation
	source *scan.Source
	rel    relation // with the columns of the log
	// table is the catalog's entry, nil for a table by its path.
	table *catalog.Table
	// silent writes answer without a row.
	silent bool
	// evolved is what the table becomes, nil when it stays as it is.
	evolved *deltaEvolution
}

// changesRows reports whether an operation is one of those that Spark itself plans, so that it looks for the path first.
func changesRows(operation string) bool {
	for _, begins := range []string{"INSERT", "DELETE", "UPDATE", "MERGE"} {
		if strings.HasPrefix(operation, begins) {
			return true
		}
	}
	return false
}

// deltaTargetOf finds the Delta table that a statement changes; ok is false when the name means something else.
func (r *run) deltaTargetOf(ctx context.Context, n ast.Name, operation string) (t *deltaTarget, ok bool, err error) {
	name := n.Ident()
	t = &deltaTarget{rels: newRelations(r)}
	t.rels.columnless = true
	var rel relation
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		rel, err = r.table(tx, n, operation)
		return err
	})
	switch {
	case err == nil && rel.table.Format == deltaFormat:
		if err := writable(rel.place); err != nil {
			return nil, true, at(err, n)
		}
		t.table, t.silent, t.name = rel.table, silent(rel.place), rel.quoted()
	case err == nil:
		return nil, false, nil
	case isNotFound(err) && n.Computed == nil && isDeltaPath(name):
		t.name = name.Quoted()
		if changesRows(operation) {
			// As in Spark: other statements say only that there is no Delta table.
			if _, err := r.existingLog(ctx, name[1]); errors.Is(err, sqlerr.Condition("PATH_NOT_FOUND")) {
				return nil, true, at(err, n)
			}
		}
	default:
		return nil, false, err
	}
	if t.rel, err = r.found(ctx, n); err != nil {
		return nil, true, at(err, n)
	}
	found, err := t.rels.Relation(ctx, name, bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema})
	if err != nil {
		return nil, true, at(err, n)
	}
	t.scan = found.Scan
	if t.source, err = t.rels.source(t.scan); err != nil {
		return nil, true, err
	}
	t.snap = t.source.Delta
	t.log = t.snap.Log
	err = protocol.CheckWrite(t.name, t.snap.Protocol, t.snap.Metadata, t.snap.Schema)
	return t, true, at(err, n)
}

// into describes the target for binding.
func (t *deltaTarget) into() (bind.InsertTarget, error) {
	out := bind.InsertTarget{Name: t.name, Columns: t.scan.Schema, Delta: true, NotNull: true}
	for _, p := range t.scan.Partition {
		out.Keys = append(out.Keys, slices.IndexFunc(t.scan.Schema, func(f types.Field) bool { return f.Name == p }))
	}
	var err error
	if out.Checks, err = checksOf(t.snap.State); err != nil {
		return out, err
	}
	for _, f := range t.snap.Schema.Fields {
		text, ok := f.Metadata.Text(protocol.KeyGeneration)
		i := slices.IndexFunc(out.Columns, func(c types.Field) bool { return c.Name == f.Name })
		if !ok || i < 0 {
			continue
		}
		out.Generated = append(out.Generated, bind.Generated{Column: i, SQL: text})
		out.Checks = append(out.Checks, bind.Check{Name: "Generated Column", SQL: ident.Quote(f.Name) + " <=> CAST((" + text + ") AS " + out.Columns[i].Type.SQL() + ")"})
	}
	return out, nil
}

// constraintPrefix is how the properties begin that hold CHECK constraints.
const constraintPrefix = "delta.constraints."

// checksOf are the CHECK constraints of a table, and the invariants of its columns.
func checksOf(s *protocol.State) ([]bind.Check, error) {
	var out []bind.Check
	for k, v := range s.Metadata.Configuration {
		if strings.HasPrefix(strings.ToLower(k), constraintPrefix) {
			out = append(out, bind.Check{Name: k[len(constraintPrefix):], SQL: v})
		}
	}
	slices.SortFunc(out, func(a, b bind.Check) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range s.Schema.Fields {
		text, ok := f.Metadata.Text(protocol.KeyInvariants)
		if !ok {
			continue
		}
		var rule struct {
			Expression struct{ Expression string }
		}
		if err := json.Unmarshal([]byte(text), &rule); err != nil || rule.Expression.Expression == "" {
			return nil, sqlerr.DeltaUnsupportedWrite(f.Name, []string{protocol.FeatureInvariants})
		}
		out = append(out, bind.Check{Name: f.Name, SQL: rule.Expression.Expression})
	}
	return out, nil
}

// info is what a commit of this statement says of itself.
func (r *run) deltaInfo(operation string, parameters []protocol.Parameter, metrics map[string]string) protocol.CommitInfo {
	return protocol.CommitInfo{
		Operation: operation, OperationParameters: parameters, OperationMetrics: metrics, TxnID: string(catalog.NewID()),
		EngineInfo: "Tarn/" + r.x.Version, UserName: r.s.User,
	}
}

// commitDelta makes a change of the target its next version, and brings what the catalog keeps of the table in line.
func (r *run) commitDelta(ctx context.Context, t *deltaTarget, c *delta.Change) (*delta.Committed, error) {
	r.progress("committing")
	c.Base = t.snap
	if t.snap != nil {
		read := t.snap.Version
		c.Info.ReadVersion = &read
		c.Info.IsolationLevel = protocol.IsolationOf(t.snap.Metadata, &c.Commit).String()
	} else {
		c.Info.IsolationLevel = protocol.Serializable.String()
	}
	blind := c.Reads.Blind() && len(c.Removes) == 0 && c.Metadata == nil && c.Protocol == nil
	c.Info.IsBlindAppend = &blind
	done, err := t.log.Commit(ctx, c)
	if err != nil {
		return nil, err
	}
	if done.Left != nil {
		r.s.Warn("WRITE_TIDYING_LEFT", "The write is committed. Its checkpoint could not be made, which a later commit does: "+done.Left.Error(), nil)
	}
	if t.table == nil {
		return done, nil
	}
	// The copy may be behind because a process died between a commit and this, or because others have written.
	copied := t.table.Clone()
	fromLog(copied, done.Snapshot)
	if c.Metadata != nil || c.Protocol != nil || len(metadataChanges(t.table, copied)) > 0 {
		return done, r.syncDelta(ctx, t.table.ID, done.Snapshot)
	}
	return done, nil
}

// readsItself reports whether a plan reads the table that the statement changes, other than to change its rows.
func (t *deltaTarget) readsItself(root plan.Node) bool {
	found := false
	_ = plan.Walk(root, func(n plan.Node) error {
		scan, ok := n.(*plan.Scan)
		if !ok || scan.Changed {
			return nil
		}
		if src := t.rels.sources[scan.Relation]; src != nil && src.Delta != nil && src.Delta.Log.Root().String() == t.log.Root().String() {
			found = true
		}
		return nil
	})
	return found
}

// syncDelta copies what the catalog keeps of a Delta table from its log.
func (r *run) syncDelta(ctx context.Context, id catalog.ID, snap *delta.Snapshot) error {
	return r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		t, err := tx.TableByID(id)
		if err != nil {
			return err
		}
		fromLog(t, snap)
		r.touch(&t.Securable)
		return tx.UpdateTable(t)
	})
}

// instant is a moment of a wall clock in the session's zone, both in microseconds since 1970.
func instant(wall int64, zone *time.Location) int64 {
	t := time.UnixMicro(wall).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone).UnixMicro()
}
