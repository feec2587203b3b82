package exec

import (
	"context"
	"fmt"
	"sync"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// truncateDelta removes all rows of a Delta table; ok is false for other tables.
func (r *run) truncateDelta(ctx context.Context, n *ast.Truncate) (ok bool, err error) {
	t, c, ok, err := r.planTruncateDelta(ctx, n)
	if err != nil || !ok {
		return ok, err
	}
	_, err = r.commitDelta(ctx, t, c)
	return true, at(err, n.Table)
}

// planTruncateDelta makes the commit that removes all rows of a Delta table; ok is false for other tables.
func (r *run) planTruncateDelta(ctx context.Context, n *ast.Truncate) (t *deltaTarget, c *delta.Change, ok bool, err error) {
	const operation = "TRUNCATE TABLE"
	t, ok, err = r.deltaTargetOf(ctx, n.Table, operation)
	if err != nil || !ok {
		return nil, nil, ok, err
	}
	if n.Spec != nil {
		return nil, nil, true, sqlerr.DeltaTruncatePartition(t.name).At(n.Spec.Span())
	}
	c = &delta.Change{}
	c.Reads.WholeTable = true
	for a := range t.snap.Adds() {
		c.Removes = append(c.Removes, protocol.RemoveOf(a, r.now.UnixMilli(), true))
	}
	c.Info = r.deltaInfo("TRUNCATE", []protocol.Parameter{}, map[string]string{"numRemovedFiles": decimal(int64(len(c.Removes)))})
	return t, c, true, nil
}

// restoration is a RESTORE TABLE before its commit.
type restoration struct {
	target *deltaTarget
	travel bind.TimeTravel
	old    *delta.Snapshot
	commit *delta.Change
	done   cloned
}

// planRestore makes the commit of RESTORE TABLE, which makes a Delta table what it was at an earlier version: rows, columns and
// properties.
func (r *run) planRestore(ctx context.Context, n *ast.Restore) (*restoration, error) {
	t, ok, err := r.deltaTargetOf(ctx, n.Table, "RESTORE TABLE")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.Unsupported("STATEMENT", "RESTORE TABLE of a table that is not a Delta table").At(n.Span())
	}
	travel, err := bind.BindTimeTravel(ctx, n.AsOf, r.bindEnv(t.rels))
	if err != nil {
		return nil, err
	}
	to, err := travelTo(travel)
	if err != nil {
		return nil, at(err, n.AsOf)
	}
	old, err := t.log.Snapshot(ctx, to)
	if err != nil {
		return nil, at(sqlerr.DeltaCannotRestore(err), n.AsOf)
	}
	c, done := restoreChange(t.snap, old, r.now.UnixMilli())
	if err := protocol.CheckWrite(t.name, t.snap.Protocol, c.Metadata, old.Schema); err != nil {
		return nil, at(err, n.Table)
	}
	if err := r.filesThere(ctx, t, c.Adds, old.Version); err != nil {
		return nil, at(err, n.AsOf)
	}
	return &restoration{t, travel, old, c, done}, nil
}

// restore is RESTORE TABLE.
func (r *run) restore(ctx context.Context, n *ast.Restore) (*Result, error) {
	p, err := r.planRestore(ctx, n)
	if err != nil {
		return nil, err
	}
	t, travel, old, c, done := p.target, p.travel, p.old, p.commit, p.done
	parameters := []protocol.Parameter{protocol.LongParameter("version", old.Version)}
	if travel.Micros != nil {
		parameters = []protocol.Parameter{protocol.TextParameter("timestamp", types.Format(types.Of(types.Timestamp), *travel.Micros, r.s.Conf.Location()))}
	}
	metrics := map[string]string{}
	var cols []plan.Column
	var row []types.Value
	for _, m := range []struct {
		column, metric string
		n              int64
	}{
		{"table_size_after_restore", "tableSizeAfterRestore", old.SizeInBytes()},
		{"num_of_files_after_restore", "numOfFilesAfterRestore", int64(old.NumFiles())},
		{"num_removed_files", "numRemovedFiles", int64(len(c.Removes))},
		{"num_restored_files", "numRestoredFiles", int64(len(c.Adds))},
		{"removed_files_size", "removedFilesSize", done.removedSize},
		{"restored_files_size", "restoredFilesSize", done.copiedSize},
	} {
		metrics[m.metric] = decimal(m.n)
		cols, row = append(cols, longColumn(m.column)), append(row, m.n)
	}
	if old.Version == t.snap.Version {
		return table(cols, nil), nil // it is what it was: no version that says so, and no numbers
	}
	c.Info = r.deltaInfo("RESTORE", parameters, metrics)
	if _, err := r.commitDelta(ctx, t, c); err != nil {
		return nil, at(err, n.Table)
	}
	return table(cols, [][]types.Value{row}), nil
}

// restoreChange is the commit that makes a table what it was.
func restoreChange(now, old *delta.Snapshot, at int64) (*delta.Change, cloned) {
	var done cloned
	c := &delta.Change{}
	c.Reads.WholeTable = true
	for a := range old.Adds() {
		if _, there := now.Find(a.Key()); !there {
			b := *a
			b.DataChange = true
			c.Adds = append(c.Adds, &b)
			done.copiedSize += a.Size
		}
	}
	for a := range now.Adds() {
		if _, stays := old.Find(a.Key()); !stays {
			c.Removes = append(c.Removes, protocol.RemoveOf(a, at, true))
			done.removedSize += a.Size
		}
	}
	c.Metadata = old.Metadata
	if last := now.Metadata.Configuration[protocol.PropertyMaxColumnID]; last != "" && protocol.MappingModeOf(old.Metadata) != protocol.MappingNone {
		// No column gets an id that another one has had.
		c.Metadata = c.Metadata.With(map[string]string{protocol.PropertyMaxColumnID: last})
	}
	if p := now.Protocol.Raise(protocol.Wishes{}, c.Metadata, old.Schema); !p.Equal(now.Protocol) {
		c.Protocol = p
	}
	for _, d := range old.Domains() {
		if was := now.Domain(d.Domain); d.Domain != "delta.rowTracking" && (was == nil || was.Configuration != d.Configuration) {
			c.Domains = append(c.Domains, d)
		}
	}
	for _, d := range now.Domains() {
		if d.Domain != "delta.rowTracking" && old.Domain(d.Domain) == nil {
			c.Domains = append(c.Domains, &protocol.Domain{Domain: d.Domain, Configuration: d.Configuration, Removed: true})
		}
	}
	return c, done
}

// filesThere looks whether files that come back are still there: VACUUM may have deleted them.
func (r *run) filesThere(ctx context.Context, t *deltaTarget, adds []*protocol.Add, version int64) error {
	var mu sync.Mutex
	var missing []string
	root := t.log.Root().String()
	err := parallel.Each(ctx, 8, len(adds), func(i int) error {
		a := adds[i]
		places := []string{protocol.ResolvePath(root, a.Path)}
		if a.DeletionVector != nil && !a.DeletionVector.IsInline() {
			vector, err := a.DeletionVector.Location(root)
			if err != nil {
				return err
			}
			places = append(places, vector)
		}
		for k, place := range places {
			loc, err := storage.ParseLocation(place, "")
			if err != nil {
				return err
			}
			bucket, _, err := r.x.Stores.Open(loc)
			if err != nil {
				return err
			}
			there, err := bucket.Exists(ctx, loc.Key())
			if err == nil && !there && k == 0 && !protocol.IsAbsolutePath(a.Path) {
				there, err = bucket.Exists(ctx, t.log.Root().DirKey()+a.Path) // a path that its writer has not escaped
			}
			if err != nil {
				return err
			}
			if !there {
				mu.Lock()
				missing = append(missing, loc.String())
				mu.Unlock()
			}
		}
		return nil
	})
	if err == nil && len(missing) > 0 {
		first := missing[0]
		for _, m := range missing {
			first = min(first, m)
		}
		err = sqlerr.DeltaRestoreMissing(t.name, version, fmt.Sprint(len(missing)), first)
	}
	return err
}
