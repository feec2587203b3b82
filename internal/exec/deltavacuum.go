package exec

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// vacuumDelta is VACUUM of a Delta table. It answers as Delta does: with the table's path, or with the files that would go.
func (r *run) vacuumDelta(ctx context.Context, n *ast.Vacuum, t *deltaTarget, retain time.Duration) (*Result, error) {
	gone, err := r.vacuumLog(ctx, t.name, t.snap, retain, n.DryRun)
	if err != nil {
		return nil, at(err, n)
	}
	rows := [][]types.Value{}
	if !n.DryRun {
		return table(stringColumns("path"), append(rows, []types.Value{t.log.Root().String()})), nil
	}
	for _, o := range gone {
		rows = append(rows, []types.Value{t.log.File(o).Location().String()})
	}
	return table(stringColumns("path"), rows), nil
}

// vacuumEntry is VACUUM of a Delta table among the others of a schema.
func (r *run) vacuumEntry(ctx context.Context, rel relation, retain time.Duration, n *ast.Vacuum) ([][]types.Value, error) {
	snap, err := r.deltaSnapshot(ctx, rel.table)
	if err == nil {
		err = protocol.CheckWrite(rel.quoted(), snap.Protocol, snap.Metadata, snap.Schema)
	}
	if err != nil {
		return nil, at(err, n.Schema)
	}
	gone, err := r.vacuumLog(ctx, rel.quoted(), snap, retain, n.DryRun)
	if err != nil {
		return nil, at(err, n)
	}
	var rows [][]types.Value
	for _, o := range gone {
		rows = append(rows, []types.Value{snap.Log.File(o).Location().String(), o.Size, "UNREFERENCED", nil})
	}
	return rows, nil
}

// vacuumLog deletes what a Delta table does not need any more; a negative retain is what the table says.
func (r *run) vacuumLog(ctx context.Context, name string, snap *delta.Snapshot, retain time.Duration, dry bool) ([]storage.Object, error) {
	least := delta.FileRetention(snap.Metadata)
	if retain < 0 {
		retain = least
	}
	if retain < least && r.s.Conf.Bool(conf.RetentionCheck) {
		hours := func(d time.Duration) string { return strconv.FormatFloat(d.Hours(), 'f', -1, 64) }
		return nil, sqlerr.VacuumRetention(hours(retain), hours(least))
	}
	// Clones are read when the first file would go: most often none would.
	clones := sync.OnceValues(func() ([]clone, error) { return r.clonesOf(ctx, snap.Log.Root()) })
	kept := map[string]bool{}
	gone, err := snap.Vacuum(ctx, delta.Vacuuming{Retain: retain, DryRun: dry, Kept: func(l storage.Location) (bool, error) {
		found, err := clones()
		needed := false
		for _, c := range found {
			if c.files[l.String()] {
				kept[c.name], needed = true, true
			}
		}
		return needed, err
	}})
	if len(kept) > 0 {
		names := slices.Sorted(maps.Keys(kept))
		r.s.Warn("VACUUM_KEPT_FOR_CLONES", "Files of "+name+" that it does not need any more stay, because shallow clones read them: "+strings.Join(names, ", ")+".", map[string]string{"clones": strings.Join(names, ", ")})
	}
	return gone, err
}

// clone is a Delta table of the catalog that reads files of another one.
type clone struct {
	name  string
	files map[string]bool
}

// clonesOf finds the Delta tables of the catalog that name files below a root that is not theirs, or have removed them too short a
// time ago.
func (r *run) clonesOf(ctx context.Context, root storage.Location) ([]clone, error) {
	var tables []relation
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		catalogs, err := tx.Catalogs()
		if err != nil {
			return err
		}
		for _, c := range catalogs {
			schemas, err := tx.Schemas(c.ID)
			if err != nil {
				return err
			}
			for _, s := range schemas {
				ts, err := tx.Tables(s.ID)
				if err != nil {
					return err
				}
				for _, t := range ts {
					if t.Format == deltaFormat {
						tables = append(tables, relation{place{c, s}, t})
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []clone
	for _, rel := range tables {
		if catalog.LocationKey(rel.table.Location) == catalog.LocationKey(root.String()) {
			continue
		}
		c := clone{name: rel.quoted(), files: map[string]bool{}}
		err := r.foreignFiles(ctx, rel.table, root, c.files)
		if errors.Is(err, sqlerr.Condition("DELTA_PATH_DOES_NOT_EXIST")) {
			continue // the table's own files are gone
		}
		if err != nil {
			return nil, err
		}
		if len(c.files) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

// clonesOfDropped reports whether clones read files of a managed table that was dropped, and says so.
func (r *run) clonesOfDropped(ctx context.Context, location string) (bool, error) {
	root, err := storage.ParseLocation(location, "")
	if err != nil {
		return false, err
	}
	clones, err := r.clonesOf(ctx, root)
	if err != nil || len(clones) == 0 {
		return false, err
	}
	var names []string
	for _, c := range clones {
		names = append(names, c.name)
	}
	r.s.Warn("VACUUM_KEPT_FOR_CLONES", "The files of a dropped table at "+location+" stay, because shallow clones read them: "+strings.Join(names, ", ")+".", map[string]string{"clones": strings.Join(names, ", ")})
	return true, nil
}

// foreignFiles notes the files below a root that a table elsewhere needs.
func (r *run) foreignFiles(ctx context.Context, t *catalog.Table, root storage.Location, into map[string]bool) error {
	snap, err := r.deltaSnapshot(ctx, t)
	if err != nil {
		return err
	}
	own := snap.Log.Root().String()
	note := func(path string, vector *protocol.DeletionVector) error {
		if loc, err := storage.ParseLocation(protocol.ResolvePath(own, path), ""); err == nil && root.Contains(loc) {
			into[loc.String()] = true
		}
		if vector == nil || vector.IsInline() {
			return nil
		}
		place, err := vector.Location(own)
		if err != nil {
			return err
		}
		if loc, err := storage.ParseLocation(place, ""); err == nil && root.Contains(loc) {
			into[loc.String()] = true
		}
		return nil
	}
	for a := range snap.Adds() {
		if err := note(a.Path, a.DeletionVector); err != nil {
			return err
		}
	}
	if snap.Version == 0 {
		return nil // nothing was removed yet: a clone that was made once has no tombstones to look for
	}
	removes, err := snap.Tombstones(ctx, r.now.Add(-delta.FileRetention(snap.Metadata)))
	if err != nil {
		return err
	}
	for _, old := range removes {
		if err := note(old.Path, old.DeletionVector); err != nil {
			return err
		}
	}
	return nil
}
