package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// managesPartitions refuses tables whose partitions are not registered.
func managesPartitions(rel relation, operation string) error {
	if rel.table.Format == deltaFormat {
		return sqlerr.PartitionManagementOfDelta(rel.quoted(), operation)
	}
	switch rel.table.Mode {
	case catalog.Log:
		return nil
	case catalog.Listing:
		return sqlerr.PartitionManagementUnsupported(rel.quoted(), operation)
	}
	return sqlerr.NotAPartitionedTable(operation, rel.quoted())
}

// changePartitions runs change inside a write transaction until nobody else got in between.
func (r *run) changePartitions(ctx context.Context, n ast.Name, operation string, change func(tx catalog.WriteTx, rel relation, set *partition.Set) (*partition.Changes, error)) (relation, error) {
	var rel relation
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) (err error) {
		if rel, err = r.table(tx, n, operation); err != nil {
			return err
		}
		if err := r.gate(rel); err != nil {
			return at(err, n)
		}
		if err := managesPartitions(rel, operation); err != nil {
			return at(err, n)
		}
		set, err := currentSet(tx, rel)
		if err != nil {
			return err
		}
		ch, err := change(tx, rel, set)
		if err != nil || ch.Empty() {
			return err
		}
		t := rel.table.Clone()
		return tx.ApplyPartitions(t, ch, r.commit(operation))
	})
	return rel, err
}

func (r *run) addPartitions(ctx context.Context, n *ast.AlterTable, a *ast.AddPartitions) (*Result, error) {
	const operation = "ALTER TABLE ... ADD PARTITION ..."
	// The directories are made before the commit: an empty directory without an entry harms nobody, an entry without
	// its directory would be reported as missing.
	rel, err := r.readTable(ctx, n.Name, operation)
	if err != nil {
		return nil, err
	}
	if err := managesPartitions(rel, operation); err != nil {
		return nil, at(err, n.Name)
	}
	var entries []partition.AddEntry
	for _, p := range a.Partitions {
		e, err := r.newEntry(ctx, rel, p)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	check := func(set *partition.Set) ([]partition.AddEntry, error) {
		if err := apart(rel, set, a, entries); err != nil {
			return nil, err
		}
		return r.freshEntries(rel, set, entries, a)
	}
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		set, err := currentSet(tx, rel)
		if err != nil {
			return err
		}
		fresh, err := check(set)
		if err != nil {
			return err
		}
		for _, e := range fresh {
			if err := r.makeDir(ctx, entryLocation(rel, e)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, err = r.changePartitions(ctx, n.Name, operation, func(_ catalog.WriteTx, now relation, set *partition.Set) (*partition.Changes, error) {
		if now.table.ID != rel.table.ID || now.table.Location != rel.table.Location {
			return nil, sqlerr.ConcurrentConflict(rel.quoted())
		}
		fresh, err := check(set)
		ch := &partition.Changes{}
		ch.Add(fresh...)
		return ch, err
	})
	return none(), err
}

// apart refuses a location that overlaps the one of another partition, since the files below both would count twice. Tables
// of hive_metastore may do as they like. Two directories that their own values name never overlap, so only pairs in which
// one lies elsewhere are compared.
func apart(rel relation, set *partition.Set, a *ast.AddPartitions, entries []partition.AddEntry) error {
	if rel.catalog.Rules == catalog.HiveRules {
		return nil
	}
	var odd []int // registered partitions that do not lie where their values say
	for row := range set.Len() {
		if !set.Canonical(row) {
			odd = append(odd, row)
		}
	}
	// With IF NOT EXISTS a partition that is there stays as it is: the location given for it is not used.
	kept := func(i int) bool {
		_, exists := set.Find(entries[i].Values)
		return exists && a.IfNotExists
	}
	var placed []int // entries with a LOCATION
	for i := range entries {
		if a.Partitions[i].Location != nil && !kept(i) {
			placed = append(placed, i)
		}
	}
	for i, e := range entries {
		if kept(i) {
			continue
		}
		at := entryLocation(rel, e)
		for _, k := range placed {
			if other := entries[k]; k != i && overlap(at, entryLocation(rel, other)) {
				return sqlerr.LocationOverlap("partition", at, "partition", specOf(rel, other.Values), entryLocation(rel, other)).At(a.Partitions[i].Span())
			}
		}
		var err *sqlerr.Error
		if own, exists := set.Find(e.Values); a.Partitions[i].Location != nil {
			err = clash(rel, set, at, e.Values)
		} else if !exists {
			for _, row := range odd {
				if there := rowLocation(rel, set, row); row != own && overlap(at, there) {
					err = sqlerr.LocationOverlap("partition", at, "partition", set.Spec(row), there)
					break
				}
			}
		}
		if err != nil {
			return err.At(a.Partitions[i].Span())
		}
	}
	return nil
}

// clash finds a registered partition, other than the one with these values, whose location overlaps the given one.
func clash(rel relation, set *partition.Set, at string, values partition.Values) *sqlerr.Error {
	own, exists := set.Find(values)
	for row := range set.Len() {
		if exists && row == own {
			continue
		}
		if there := rowLocation(rel, set, row); overlap(at, there) {
			return sqlerr.LocationOverlap("partition", at, "partition", set.Spec(row), there)
		}
	}
	return nil
}

func overlap(a, b string) bool { return catalog.Contains(a, b) || catalog.Contains(b, a) }

// newEntry resolves one PARTITION (…) [LOCATION …] of ADD PARTITION.
func (r *run) newEntry(ctx context.Context, rel relation, p ast.NewPartition) (partition.AddEntry, error) {
	s, err := r.spec(ctx, rel, p.Spec, false)
	if err != nil {
		return partition.AddEntry{}, err
	}
	e := partition.AddEntry{Values: s.Values}
	if p.Location != nil {
		if e.Place, err = r.placeOf(rel, *p.Location, s.Values); err != nil {
			return e, at(err, p)
		}
	}
	return e, nil
}

// placeOf resolves the location of a partition: relative ones lie below the table; in Unity-style catalogs it must lie
// inside the table.
func (r *run) placeOf(rel relation, text string, values partition.Values) (partition.Place, error) {
	if strings.TrimSpace(text) == "" {
		return partition.Place{}, sqlerr.EmptyLocation()
	}
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return partition.Place{}, err
	}
	loc, err := storage.ParseLocation(r.resolved(text), root.String())
	if err != nil {
		return partition.Place{}, scan.StorageFailure(err)
	}
	inside, isInside := root.Rel(loc)
	if !isInside && rel.catalog.Rules != catalog.HiveRules {
		return partition.Place{}, sqlerr.PartitionOutsideTable(loc.String(), rel.quoted(), rel.table.Location)
	}
	if isInside {
		if dirs, ok := spelledBy(partitionColumns(rel.table), inside, values, r.s.Conf.Bool(conf.CaseSensitive)); ok {
			return partition.Place{Dirs: dirs}, nil
		}
	}
	return partition.Place{Location: loc.String()}, nil
}

// spelledBy reports whether a path below the table is made of one key=value directory a level that stand for values; dirs is
// nil when they are the canonical ones.
func spelledBy(cols []partition.Column, rel string, values partition.Values, caseSensitive bool) (dirs []string, ok bool) {
	dirs = strings.Split(rel, "/")
	if len(dirs) != len(cols) {
		return nil, false
	}
	layout := partition.NewLayout(cols, caseSensitive)
	canonical := true
	for i, d := range dirs {
		sp, ok, _, _ := layout.Classify(i, d, partition.Dir)
		if !ok || !sameValue(cols[i].Type, sp.Value, values[i]) {
			return nil, false
		}
		canonical = canonical && d == partition.Segment(cols[i], values[i])
	}
	if canonical {
		return nil, true
	}
	return dirs, true
}

func sameValue(t types.Type, a, b types.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return types.Compare(t, a, b) == 0
}

// entryLocation is the absolute location of an entry to be added.
func entryLocation(rel relation, e partition.AddEntry) string {
	if e.Place.Location != "" {
		return e.Place.Location
	}
	dirs := e.Place.Dirs
	if dirs == nil {
		for i, c := range partitionColumns(rel.table) {
			dirs = append(dirs, partition.Segment(c, e.Values[i]))
		}
	}
	return catalog.Join(rel.table.Location, strings.Join(dirs, "/"))
}

// rowLocation is the absolute location of a registered partition.
func rowLocation(rel relation, set *partition.Set, row int) string {
	below, abs := set.Path(row)
	if abs != "" {
		return abs
	}
	return catalog.Join(rel.table.Location, below)
}

// freshEntries leaves out what is there already, or refuses when IF NOT EXISTS was not said. With it, an entry whose
// location differs from the one asked for is kept as it is, and the user is told.
func (r *run) freshEntries(rel relation, set *partition.Set, entries []partition.AddEntry, a *ast.AddPartitions) ([]partition.AddEntry, error) {
	var fresh []partition.AddEntry
	var taken []string
	seen := map[string]bool{}
	for i, e := range entries {
		row, exists := set.Find(e.Values)
		key := specOf(rel, e.Values)
		switch {
		case !exists && !seen[key]:
			fresh = append(fresh, e)
		case !a.IfNotExists:
			taken = append(taken, specText(a.Partitions[i].Spec))
		case exists && a.Partitions[i].Location != nil:
			if have, want := rowLocation(rel, set, row), entryLocation(rel, e); have != want {
				r.s.Warn("PARTITION_LOCATION_KEPT", fmt.Sprintf("The partition %s exists already at %s, which differs from the location %s given; it stays as it is. Use SET LOCATION to move it.", key, have, want),
					map[string]string{"partition": key, "location": have})
			}
		}
		seen[key] = true
	}
	if len(taken) > 0 {
		return nil, sqlerr.PartitionsAlreadyExist(taken, twoPart(rel)).At(a.Span())
	}
	return fresh, nil
}

// specOf is the canonical text of values, as SHOW PARTITIONS prints it.
func specOf(rel relation, values partition.Values) string {
	var out []string
	for i, c := range partitionColumns(rel.table) {
		out = append(out, partition.Segment(c, values[i]))
	}
	return strings.Join(out, "/")
}

func (r *run) dropPartitions(ctx context.Context, n *ast.AlterTable, a *ast.DropPartitions) (*Result, error) {
	const operation = "ALTER TABLE ... DROP PARTITION ..."
	rel, err := r.readTable(ctx, n.Name, operation)
	if err != nil {
		return nil, err
	}
	if err := managesPartitions(rel, operation); err != nil {
		return nil, at(err, n.Name)
	}
	inHive := rel.table.Kind == catalog.Managed && rel.catalog.Rules == catalog.HiveRules
	if !inHive && (rel.table.Kind == catalog.Managed || a.DeleteFiles) {
		return r.removePartitions(ctx, n, a, rel)
	}
	if a.Purge && rel.table.Kind == catalog.External {
		r.s.Warn("PURGE_KEEPS_FILES", "PURGE does nothing for an external table: its files stay. Write DELETE FILES to delete them, too.", nil)
	}
	var rows [][]types.Value
	_, err = r.changePartitions(ctx, n.Name, operation, func(tx catalog.WriteTx, rel relation, set *partition.Set) (*partition.Changes, error) {
		rows = nil
		drop, err := r.dropped(ctx, rel, set, a)
		if err != nil {
			return nil, err
		}
		ch := &partition.Changes{}
		ch.DropRows(set, drop)
		for i := range set.BySpec(drop) {
			loc := rowLocation(rel, set, i)
			rows = append(rows, []types.Value{set.Spec(i), loc})
			if inHive {
				if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingDelete, From: loc, To: rel.table.Location, At: r.now}); err != nil {
					return nil, err
				}
			}
		}
		return ch, nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.settle(ctx); err != nil {
		return nil, err
	}
	if inHive {
		err = r.dropEmptyAbove(ctx, rel, rows)
	}
	return table(droppedColumns(), rows), err
}

// dropEmptyAbove removes the directories between a table and partitions that were dropped when nothing is left in them: a
// repair would report each as no partition. One that cannot be removed harms nobody and stays.
func (r *run) dropEmptyAbove(ctx context.Context, rel relation, dropped [][]types.Value) error {
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return err
	}
	bucket, _, err := r.x.Stores.Open(root)
	if err != nil {
		return err
	}
	tried := map[string]bool{}
	for _, row := range dropped {
		loc, err := storage.ParseLocation(row[1].(string), "")
		if err != nil {
			return err
		}
		for dir := loc.Parent(); root.Contains(dir) && !dir.Equal(root) && !tried[dir.String()]; dir = dir.Parent() {
			tried[dir.String()] = true
			if bucket.RemoveDir(ctx, dir.DirKey()) != nil {
				break
			}
		}
	}
	return nil
}

func (r *run) renamePartition(ctx context.Context, n *ast.AlterTable, a *ast.RenamePartition) (*Result, error) {
	const operation = "ALTER TABLE ... RENAME TO PARTITION"
	_, err := r.changePartitions(ctx, n.Name, operation, func(tx catalog.WriteTx, rel relation, set *partition.Set) (*partition.Changes, error) {
		from, err := r.spec(ctx, rel, a.From, false)
		if err != nil {
			return nil, err
		}
		to, err := r.spec(ctx, rel, a.To, false)
		if err != nil {
			return nil, err
		}
		if _, taken := set.Find(to.Values); taken {
			return nil, sqlerr.PartitionsAlreadyExist([]string{specText(a.To)}, twoPart(rel)).At(a.To.Span())
		}
		row, ok := set.Find(from.Values)
		if !ok {
			return nil, sqlerr.PartitionsNotFound([]string{specText(a.From)}, twoPart(rel)).At(a.From.Span())
		}
		moves := rel.table.Kind == catalog.Managed && rel.catalog.Rules == catalog.HiveRules
		if moves {
			// The data of a managed partition of hive_metastore lies at the path of its values, so it moves along.
			target := catalog.Join(rel.table.Location, specOf(rel, to.Values))
			taken, err := r.exists(ctx, target)
			if err != nil {
				return nil, err
			}
			if taken {
				return nil, sqlerr.LocationAlreadyExists(rel.quoted(), "'"+target+"'")
			}
			if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingRename, From: rowLocation(rel, set, row), To: target, At: r.now}); err != nil {
				return nil, err
			}
		}
		ch := &partition.Changes{}
		if set.Content(row).Recorded {
			return ch, write.Rename(tx, rel.table, set, row, to.Values, ch)
		}
		ch.Rename(partition.RenameEntry{From: from.Values, To: to.Values, Moved: moves})
		return ch, nil
	})
	if err != nil {
		return nil, err
	}
	return none(), r.settle(ctx)
}

func (r *run) setLocation(ctx context.Context, n *ast.AlterTable, a *ast.SetLocation) (*Result, error) {
	if a.Spec == nil {
		return r.setTableLocation(ctx, n, a)
	}
	const operation = "ALTER TABLE ... SET LOCATION ..."
	_, err := r.changePartitions(ctx, n.Name, operation, func(_ catalog.WriteTx, rel relation, set *partition.Set) (*partition.Changes, error) {
		s, err := r.spec(ctx, rel, a.Spec, false)
		if err != nil {
			return nil, err
		}
		row, ok := set.Find(s.Values)
		if !ok {
			return nil, sqlerr.PartitionsNotFound([]string{specText(a.Spec)}, twoPart(rel)).At(a.Spec.Span())
		}
		if set.Content(row).Recorded {
			return nil, sqlerr.Unsupported("SET_LOCATION_RECORDED", "SET LOCATION of the partition "+set.Spec(row)+", whose files the catalog names. Drop it and ADD it at the location").At(a.Spec.Span())
		}
		place, err := r.placeOf(rel, a.Location, s.Values)
		if err != nil {
			return nil, at(err, a)
		}
		if rel.catalog.Rules != catalog.HiveRules {
			at := entryLocation(rel, partition.AddEntry{Values: s.Values, Place: place})
			if err := clash(rel, set, at, s.Values); err != nil {
				return nil, err.At(a.Span())
			}
		}
		ch := &partition.Changes{}
		ch.Relocate(partition.RelocateEntry{Values: s.Values, Place: place})
		return ch, nil
	})
	return none(), err
}

// setTableLocation points an external table elsewhere. Under Hive's rules the registered partitions stay where they are, as
// in Spark; elsewhere a partition lies inside its table, so entries go with it.
func (r *run) setTableLocation(ctx context.Context, n *ast.AlterTable, a *ast.SetLocation) (*Result, error) {
	const operation = "ALTER TABLE ... SET LOCATION ..."
	loc, err := r.location(a.Location)
	if err != nil {
		return nil, at(err, a)
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.table(tx, n.Name, operation)
		if err != nil {
			return err
		}
		if err := errors.Join(writable(rel.place), r.gate(rel)); err != nil {
			return at(err, n.Name)
		}
		t := rel.table.Clone()
		if t.Format == deltaFormat {
			snap, err := r.deltaAtLocation(ctx, rel, loc)
			if err != nil {
				return at(err, a)
			}
			fromLog(t, snap)
		}
		if set, err := tx.Partitions(t.ID, 0); err != nil {
			return err
		} else if set.Recorded() {
			return sqlerr.Unsupported("SET_LOCATION_RECORDED", "SET LOCATION of "+rel.quoted()+", whose files the catalog names below its present location").At(n.Name.Span())
		}
		if rel.catalog.Rules != catalog.HiveRules {
			if t.Kind == catalog.Managed {
				return sqlerr.ForbiddenOperation("ALTER TABLE ... SET LOCATION", "managed table", rel.quoted()).At(n.Name.Span())
			}
			if err := catalog.CheckOverlap(tx, catalog.LocatedTable, loc.String(), t.ID); err != nil {
				return at(err, a)
			}
			if err := r.rebase(tx, rel, t, loc.String(), operation); err != nil {
				return err
			}
		} else if t.Mode == catalog.Log {
			set, err := currentSet(tx, rel)
			if err != nil {
				return err
			}
			ch := &partition.Changes{}
			for i := range set.Len() {
				if _, abs := set.Path(i); abs == "" {
					ch.Relocate(partition.RelocateEntry{Values: set.Values(i), Place: partition.Place{Location: rowLocation(rel, set, i)}})
				}
			}
			if !ch.Empty() {
				if err := tx.ApplyPartitions(t, ch, r.commit(operation)); err != nil {
					return err
				}
			}
		}
		t.Location = loc.String()
		return r.saveTable(tx, t, operation)
	})
	return none(), err
}
