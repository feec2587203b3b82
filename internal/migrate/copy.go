package migrate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// copyOver migrates a table by a statement that makes another one of its rows or files.
func (m *Migrator) copyOver(ctx context.Context, o Options, out *Outcome) {
	there, err := m.copied(ctx, o, out)
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
		return
	case there == stale:
		m.stale(out)
		return
	case there == current:
		out.Status, out.Detail = UpToDate, "It was copied before."
		return
	case o.DryRun && there == absent:
		if err := m.couldCopy(ctx, o, out); err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		out.Status, out.Detail = Would, out.Why
		return
	case o.DryRun:
		out.Status, out.Detail = Would, "It is copied; the link to its source is missing."
		return
	}
	if there == absent {
		statement, err := m.copyStatement(ctx, o, out)
		if err == nil {
			_, err = m.Runner.Run(ctx, statement)
		}
		if err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		out.made = true
		m.Syncer.point("migrate.copied")
	}
	if err := m.comments(ctx, o, &out.Item); err != nil {
		out.Detail = sqlerr.As(err).Error()
		return
	}
	out.Status, out.Detail = Migrated, out.Why
	switch {
	case o.KeepSource:
	case hasLog(out.table.Format):
		err = m.linkClone(ctx, o, &out.Item)
	default:
		err = m.link(ctx, o, &out.Item)
	}
	if err != nil {
		out.Status, out.Detail = Failed, sqlerr.As(err).Error()
	}
}

func (m *Migrator) stale(out *Outcome) {
	out.Status = Stale
	out.Detail = "It was copied before, and the source has changed since. DROP TABLE " + out.Target.String() + " to have it copied again."
}

// couldCopy says why a copy would fail, as far as nothing has to be written for it: rows that cannot be read, a place that is taken.
func (m *Migrator) couldCopy(ctx context.Context, o Options, out *Outcome) error {
	if _, err := m.Runner.Run(ctx, "EXPLAIN SELECT * FROM "+out.Source.String()); err != nil {
		return err
	}
	if out.Way != ByShallow {
		return nil
	}
	location, _ := m.Syncer.Mounts.Resolve(o.cloneLocation(&out.Item))
	err := m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error { return catalog.CheckOverlap(tx, catalog.LocatedTable, location) })
	if err != nil {
		return err
	}
	return m.plan(location, out.Target)
}

// presence is what is known of a copy.
type presence uint8

const (
	absent   presence = iota
	unlinked          // it is there, and the source does not say so yet: a migration was stopped
	current
	stale // it is there, and the source has changed since
)

// copied looks whether the target is the copy of the source, and how far it is. A target that is something else is an error.
func (m *Migrator) copied(ctx context.Context, o Options, out *Outcome) (presence, error) {
	var source, target *catalog.Table
	err := m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
		source, target = nil, nil
		_, schema, err := namespace(tx, out.Target)
		if errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
			return nil // of a dry run
		} else if err != nil {
			return err
		}
		t, err := tx.Table(schema.ID, out.Target[2])
		if errors.Is(err, catalog.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		if !ident.Equal(t.Properties[UpgradedFrom], out.Source.String()) || t.Kind == catalog.View {
			return sqlerr.TableAlreadyExists(out.Target.Quoted())
		}
		target = t
		source, err = tx.TableByID(out.table.ID)
		return err
	})
	if err != nil || target == nil {
		return absent, err
	}
	version, known := syncVersion(target)
	changed := known && version != source.Version
	linked := ident.Equal(source.Properties[UpgradedTo], out.Target.String())
	if m.Syncer.described(source) {
		// The log has versions of its own, from 0 on, and what it says may be newer than the catalog's copy.
		d, err := m.Syncer.Logs.Definition(ctx, source)
		if err != nil {
			return absent, err
		}
		linked = linked || ident.Equal(d.Properties[UpgradedTo], out.Target.String())
		changed = false
		if known {
			if changed, err = m.Syncer.Logs.ChangedSince(ctx, source, version); err != nil {
				return absent, err
			}
		}
	}
	switch {
	case !linked && !o.KeepSource:
		return unlinked, nil
	case changed:
		return stale, nil
	}
	return current, nil
}

// copyStatement makes the copy. It carries the link to the source, so that a copy is never there without it. A clone is one of the
// version that it says, so that what comes later is known to be later.
func (m *Migrator) copyStatement(ctx context.Context, o Options, out *Outcome) (string, error) {
	it := &out.Item
	t := it.table
	properties := map[string]string{}
	at, version := "", t.Version
	switch {
	case !hasLog(t.Format):
		properties = ownProperties(t.OwnProperties())
	case m.Syncer.Logs != nil:
		d, err := m.Syncer.Logs.Definition(ctx, t)
		if err != nil {
			return "", err
		}
		at, version = fmt.Sprintf(" VERSION AS OF %d", d.Version), d.Version
		out.at = at
	}
	properties[UpgradedFrom] = it.Source.String()
	properties[syncedVersion] = strconv.FormatInt(version, 10)
	b := &strings.Builder{}
	fmt.Fprintf(b, "CREATE TABLE %s", it.Target)
	switch it.Way {
	case ByShallow:
		there, outdated := m.cloned(ctx, o, it)
		if there && !outdated {
			return "CREATE TABLE " + it.Target.String() + " USING delta LOCATION " + literal(o.cloneLocation(it)), nil
		}
		if outdated { // the table over it was dropped, to have it made again
			b.Reset()
			fmt.Fprintf(b, "CREATE OR REPLACE TABLE %s", it.Target)
		}
		fmt.Fprintf(b, " SHALLOW CLONE %s%s TBLPROPERTIES %s LOCATION %s", it.Source, at, propertyList(properties), literal(o.cloneLocation(it)))
		return b.String(), nil
	case ByDeep:
		fmt.Fprintf(b, " DEEP CLONE %s%s TBLPROPERTIES %s", it.Source, at, propertyList(properties))
		return b.String(), nil
	}
	b.WriteString(" USING parquet")
	if len(t.Partition) > 0 {
		var names []string
		for _, c := range t.Partition {
			names = append(names, ident.Quote(c))
		}
		fmt.Fprintf(b, " PARTITIONED BY (%s)", strings.Join(names, ", "))
	}
	if t.Comment != "" {
		b.WriteString(" COMMENT " + literal(t.Comment))
	}
	fmt.Fprintf(b, " TBLPROPERTIES %s AS SELECT * FROM %s", propertyList(properties), it.Source)
	return b.String(), nil
}

// cloned reports whether the log of a shallow clone is there, and no table: a migration was stopped between the two, or the table was
// dropped. The log tells by its properties what it is a clone of, and of which version; outdated tells that the source has changed since.
func (m *Migrator) cloned(ctx context.Context, o Options, it *Item) (there, outdated bool) {
	if it.Way != ByShallow || m.Syncer.Logs == nil {
		return false, false
	}
	place, _ := m.Syncer.Mounts.Resolve(o.cloneLocation(it))
	clone := &catalog.Table{Format: it.table.Format, Location: place}
	d, err := m.Syncer.Logs.Definition(ctx, clone)
	if err != nil || d.Properties[UpgradedFrom] != it.Source.String() {
		return false, false
	}
	clone.Properties = d.Properties
	if version, known := syncVersion(clone); known {
		outdated, err = m.Syncer.Logs.ChangedSince(ctx, it.table, version)
	}
	return true, outdated && err == nil
}

// cloneLocation is the directory of a shallow clone.
func (o Options) cloneLocation(it *Item) string {
	return strings.TrimRight(o.CloneLocation, "/") + "/" + ident.Fold(it.Source[1]) + "/" + ident.Fold(it.Source[2])
}

// comments gives a copy the comments that its statement cannot: those of the columns of a query, and that of a clone.
func (m *Migrator) comments(ctx context.Context, o Options, it *Item) error {
	if hasLog(it.table.Format) {
		if it.table.Comment == "" {
			return nil
		}
		_, err := m.Runner.Run(ctx, "COMMENT ON TABLE "+it.Target.String()+" IS "+literal(it.table.Comment))
		if errors.Is(err, sqlerr.Condition("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")) {
			return nil // the clone may be read, and somebody else has to describe it
		}
		return err
	}
	comments := map[string]types.Field{}
	for _, c := range it.table.Columns {
		if c.HasComment {
			comments[c.Name] = c
		}
	}
	if len(comments) == 0 {
		return nil
	}
	return m.Syncer.Store.Write(ctx, func(tx catalog.WriteTx) error {
		_, schema, err := namespace(tx, it.Target)
		if err != nil {
			return err
		}
		target, err := tx.Table(schema.ID, it.Target[2])
		if err != nil {
			return err
		}
		changed := false
		for i, c := range target.Columns {
			if from, ok := comments[c.Name]; ok && c.Comment != from.Comment {
				target.Columns[i].Comment, target.Columns[i].HasComment, changed = from.Comment, true, true
			}
		}
		if !changed {
			return nil
		}
		target.StampChanged(m.Syncer.Now(), o.Actor)
		return errors.Join(tx.UpdateTable(target), tx.AddCommit(target, m.commit(o)))
	})
}

// linkClone tells a source that has a log of its own where its clone is. When the log is one that nobody here may write, the catalog
// alone knows.
func (m *Migrator) linkClone(ctx context.Context, o Options, it *Item) error {
	m.Syncer.point("migrate.link")
	if m.Syncer.Notes != nil {
		if err := m.Syncer.Notes.SetProperties(ctx, it.table, map[string]string{UpgradedTo: it.Target.String()}); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return m.Syncer.Store.Write(ctx, func(tx catalog.WriteTx) error {
		source, err := tx.TableByID(it.table.ID)
		if err != nil {
			return err
		}
		return m.linkSource(tx, o, source, it)
	})
}

// linkSource writes into the catalog where the source's image is.
func (m *Migrator) linkSource(tx catalog.WriteTx, o Options, source *catalog.Table, it *Item) error {
	if ident.Equal(source.Properties[UpgradedTo], it.Target.String()) {
		return nil
	}
	if source.Properties == nil {
		source.Properties = map[string]string{}
	}
	source.Properties[UpgradedTo] = it.Target.String()
	source.StampChanged(m.Syncer.Now(), o.Actor)
	return errors.Join(tx.UpdateTable(source), tx.AddCommit(source, m.commit(o)))
}

func (m *Migrator) commit(o Options) catalog.Commit {
	return catalog.Commit{At: m.Syncer.Now(), Actor: o.Actor, Operation: "MIGRATE", Statement: "tarn migrate"}
}

// link tells the source where its copy is, and the copy which version of the source it has, in one step.
func (m *Migrator) link(ctx context.Context, o Options, it *Item) error {
	m.Syncer.point("migrate.link")
	return m.Syncer.Store.Write(ctx, func(tx catalog.WriteTx) error {
		source, err := tx.TableByID(it.table.ID)
		if err != nil {
			return err
		}
		_, schema, err := namespace(tx, it.Target)
		if err != nil {
			return err
		}
		target, err := tx.Table(schema.ID, it.Target[2])
		if err != nil {
			return err
		}
		version, _ := syncVersion(target)
		unchanged := version == source.Version
		if err := m.linkSource(tx, o, source, it); err != nil {
			return err
		}
		if !unchanged {
			return nil // it changed while it was copied
		}
		target.Properties[syncedVersion] = strconv.FormatInt(source.Version, 10)
		target.StampChanged(m.Syncer.Now(), o.Actor)
		return errors.Join(tx.UpdateTable(target), tx.AddCommit(target, m.commit(o)))
	})
}
