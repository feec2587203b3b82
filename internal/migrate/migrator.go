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

// Runner runs the statements of a migration.
type Runner interface {
	// Run runs one statement and returns the first row of its answer by the names of its columns; nil when there is none.
	Run(ctx context.Context, sql string) (map[string]types.Value, error)
	// Files counts the files that a query of a table reads, and their bytes.
	Files(ctx context.Context, name ident.Name) (files, bytes int64, err error)
	// Builtin tells the names of built-in functions.
	Builtin(name string) bool
}

// Migrator brings a legacy catalog over, thing by thing. It may be stopped anywhere and run again: what is done is told by the
// target itself.
type Migrator struct {
	Syncer *Syncer
	Runner Runner
}

// Status is what came of a thing.
type Status string

// The statuses.
const (
	Migrated Status = "MIGRATED"
	UpToDate Status = "UP_TO_DATE"
	// Stale: a copy that an earlier run made, and its source has changed since. It is not made anew, because people may have
	// written to it.
	Stale   Status = "STALE"
	Would   Status = "WOULD_MIGRATE"
	Skipped Status = "SKIPPED"
	Failed  Status = "FAILED"
)

// Outcome is a row of the report. Counts are -1 when nobody counted.
type Outcome struct {
	Item
	Status                Status
	Files, Bytes          int64
	RowsBefore, RowsAfter int64
	Detail                string
}

// Run migrates everything that the options take and hands each outcome to report as it comes. Its error means that nothing
// more can be done; what is wrong with one thing is an outcome.
func (m *Migrator) Run(ctx context.Context, o Options, report func(Outcome) error) error {
	items, legacy, err := m.inventory(ctx, o)
	if err != nil {
		return err
	}
	names := newMapping(legacy, m.Runner.Builtin)
	if err := m.arrived(ctx, names); err != nil {
		return err
	}
	made := map[string]bool{}
	var later []*Item
	for _, it := range items {
		if it.Category == ViewCategory || it.Category == FunctionThing {
			later = append(later, it)
			continue
		}
		out := m.step(ctx, o, it, made, func() Outcome { return m.table(ctx, o, it) })
		if out.Status == Failed || out.Status == Skipped {
			delete(names.relations, folded(it.Source))
		} else {
			names.relations[folded(it.Source)] = it.Target
		}
		if err := finish(ctx, out, report); err != nil {
			return err
		}
	}
	return m.texts(ctx, o, later, names, made, report)
}

// step does one thing, after the schema of its target.
func (m *Migrator) step(ctx context.Context, o Options, it *Item, made map[string]bool, do func() Outcome) Outcome {
	if it.Way == NoWay {
		out := m.outcome(it, Skipped, it.Why)
		if it.Category != Dataset && !strings.EqualFold(it.table.Properties[skipProperty], "true") {
			out.Status = Failed
		}
		return out
	}
	schema := it.Target[:2]
	if !o.DryRun && !made[folded(schema)] {
		if _, err := m.Runner.Run(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema.String()); err != nil {
			return m.outcome(it, Failed, sqlerr.As(err).Error())
		}
		made[folded(schema)] = true
	}
	m.Syncer.point("migrate.before")
	out := do()
	m.Syncer.point("migrate.after")
	return out
}

func (m *Migrator) outcome(it *Item, s Status, detail string) Outcome {
	return Outcome{Item: *it, Status: s, Files: -1, Bytes: -1, RowsBefore: -1, RowsAfter: -1, Detail: detail}
}

// finish hands an outcome over, unless the migration was stopped: its last failure tells nothing about the thing then.
func finish(ctx context.Context, out Outcome, report func(Outcome) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report(out)
}

// table migrates one table.
func (m *Migrator) table(ctx context.Context, o Options, it *Item) Outcome {
	out := m.outcome(it, Failed, "")
	if it.Way == BySync {
		m.sync(ctx, o, &out)
	} else {
		m.copyOver(ctx, o, &out)
	}
	m.measure(ctx, o, &out)
	return out
}

// sync registers a table where it is.
func (m *Migrator) sync(ctx context.Context, o Options, out *Outcome) {
	row, err := m.Syncer.Sync(ctx, Request{Source: out.Source, Target: out.Target, DryRun: o.DryRun, NewSchema: o.DryRun, Actor: o.Actor, Statement: "tarn migrate"})
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
	case !row.OK():
		out.Detail = row.Description
	case o.DryRun:
		out.Status, out.Detail = Would, row.Description
		if !row.Changed {
			out.Status = UpToDate
		}
	default:
		out.Status, out.Detail = Migrated, row.Description
		if !row.Changed {
			out.Status = UpToDate
		}
	}
}

// copyOver migrates a table by a statement that makes another one of its rows or files.
func (m *Migrator) copyOver(ctx context.Context, o Options, out *Outcome) {
	there, err := m.copied(ctx, out)
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
		return
	case there == stale:
		out.Status, out.Detail = Stale, "It was copied before, and the source has changed since. DROP TABLE "+out.Target.String()+" to have it copied again."
		return
	case there == current:
		out.Status, out.Detail = UpToDate, "It was copied before."
		return
	case o.DryRun && there == absent:
		// Whether its rows can be read is what a copy fails at, if at all.
		if _, err := m.Runner.Run(ctx, "EXPLAIN SELECT * FROM "+out.Source.String()); err != nil {
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
		statement := copyStatement(&out.Item, o)
		if m.cloned(ctx, o, &out.Item) {
			statement = "CREATE TABLE " + out.Target.String() + " USING delta LOCATION " + literal(o.cloneLocation(&out.Item))
		}
		if _, err := m.Runner.Run(ctx, statement); err != nil {
			out.Detail = sqlerr.As(err).Error()
			return
		}
		m.Syncer.point("migrate.copied")
	}
	if err := m.comments(ctx, &out.Item); err != nil {
		out.Detail = sqlerr.As(err).Error()
		return
	}
	if out.Way != ByCopy {
		m.linkClone(ctx, out)
		return
	}
	if err := m.link(ctx, o, &out.Item); err != nil {
		out.Detail = sqlerr.As(err).Error()
		return
	}
	out.Status, out.Detail = Migrated, out.Why
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
func (m *Migrator) copied(ctx context.Context, out *Outcome) (is presence, err error) {
	err = m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) error {
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
		source, err := tx.TableByID(out.table.ID)
		if err != nil {
			return err
		}
		version, _ := syncVersion(t)
		switch {
		case hasLog(t.Format):
			is = current // its log says from which version of the source it is
		case !ident.Equal(source.Properties[UpgradedTo], out.Target.String()):
			is = unlinked
		case version == source.Version:
			is = current
		default:
			is = stale
		}
		return nil
	})
	return is, err
}

// copyStatement makes the copy. It carries the link to the source, so that a copy is never there without it.
func copyStatement(it *Item, o Options) string {
	t := it.table
	properties := ownProperties(t.OwnProperties())
	properties[UpgradedFrom] = it.Source.String()
	properties[syncedVersion] = strconv.FormatInt(t.Version, 10)
	b := &strings.Builder{}
	fmt.Fprintf(b, "CREATE TABLE %s", it.Target)
	switch it.Way {
	case ByShallow:
		fmt.Fprintf(b, " SHALLOW CLONE %s TBLPROPERTIES %s LOCATION %s", it.Source, propertyList(properties), literal(o.cloneLocation(it)))
		return b.String()
	case ByDeep:
		fmt.Fprintf(b, " DEEP CLONE %s TBLPROPERTIES %s", it.Source, propertyList(properties))
		return b.String()
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
	return b.String()
}

// cloned reports whether the log of a shallow clone is there, and no table: a migration was stopped between the two. The log tells by
// its properties what it is a clone of.
func (m *Migrator) cloned(ctx context.Context, o Options, it *Item) bool {
	if it.Way != ByShallow || m.Syncer.Logs == nil {
		return false
	}
	place, _ := m.Syncer.Mounts.Resolve(o.cloneLocation(it))
	d, err := m.Syncer.Logs.Definition(ctx, &catalog.Table{Format: it.table.Format, Location: place})
	return err == nil && d.Properties[UpgradedFrom] == it.Source.String()
}

// cloneLocation is the directory of a shallow clone.
func (o Options) cloneLocation(it *Item) string {
	return strings.TrimRight(o.CloneLocation, "/") + "/" + ident.Fold(it.Source[1]) + "/" + ident.Fold(it.Source[2])
}

// comments gives the columns of a copy the comments of the source: a query's columns have none.
func (m *Migrator) comments(ctx context.Context, it *Item) error {
	if it.Way != ByCopy {
		return nil
	}
	for _, c := range it.table.DataColumns() {
		if !c.HasComment {
			continue
		}
		if _, err := m.Runner.Run(ctx, "ALTER TABLE "+it.Target.String()+" ALTER COLUMN "+ident.Quote(c.Name)+" COMMENT "+literal(c.Comment)); err != nil {
			return err
		}
	}
	return nil
}

// linkClone tells a source that has a log of its own where its clone is. The log may be one that nobody here may write: the clone is
// there all the same.
func (m *Migrator) linkClone(ctx context.Context, out *Outcome) {
	out.Status, out.Detail = Migrated, out.Why
	if _, err := m.Runner.Run(ctx, "ALTER TABLE "+out.Source.String()+" SET TBLPROPERTIES ("+literal(UpgradedTo)+" = "+literal(out.Target.String())+")"); err != nil {
		out.Detail = "The clone is there; the source could not be told so: " + sqlerr.As(err).Error()
	}
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
		commit := catalog.Commit{At: m.Syncer.Now(), Actor: o.Actor, Operation: "MIGRATE", Statement: "tarn migrate"}
		version, _ := syncVersion(target)
		unchanged := version == source.Version
		if !ident.Equal(source.Properties[UpgradedTo], it.Target.String()) {
			if source.Properties == nil {
				source.Properties = map[string]string{}
			}
			source.Properties[UpgradedTo] = it.Target.String()
			source.StampChanged(m.Syncer.Now(), o.Actor)
			if err := errors.Join(tx.UpdateTable(source), tx.AddCommit(source, commit)); err != nil {
				return err
			}
		}
		if !unchanged {
			return nil // it changed while it was copied
		}
		target.Properties[syncedVersion] = strconv.FormatInt(source.Version, 10)
		target.StampChanged(m.Syncer.Now(), o.Actor)
		return errors.Join(tx.UpdateTable(target), tx.AddCommit(target, commit))
	})
}

// measure fills in the counts of a table: the files and rows that a query of the target reads, and the rows of the source. A copy
// that has other rows than its source is a failure.
func (m *Migrator) measure(ctx context.Context, o Options, out *Outcome) {
	if out.Status == Failed {
		return
	}
	read := out.Target
	if out.Status == Would {
		read = out.Source
	}
	if files, bytes, err := m.Runner.Files(ctx, read); err == nil {
		out.Files, out.Bytes = files, bytes
	}
	if !o.Count {
		return
	}
	out.RowsBefore = m.count(ctx, out.Source)
	if out.Status == Would {
		return
	}
	out.RowsAfter = m.count(ctx, out.Target)
	if out.Status == Migrated && out.RowsBefore >= 0 && out.RowsBefore != out.RowsAfter {
		out.Status = Failed
		out.Detail = fmt.Sprintf("The target has %d rows and the source %d: one of them changed meanwhile, or the target reads other files. Look at both, then drop the target and run again.", out.RowsAfter, out.RowsBefore)
	}
}

// count is the number of rows, or -1 when they cannot be read.
func (m *Migrator) count(ctx context.Context, name ident.Name) int64 {
	row, err := m.Runner.Run(ctx, "SELECT count(*) AS n FROM "+name.String())
	if err != nil {
		return -1
	}
	n, ok := row["n"].(int64)
	if !ok {
		return -1
	}
	return n
}

// literal is a SQL string.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\0`).Replace(s) + "'"
}

func propertyList(m map[string]string) string {
	var out []string
	for _, k := range sorted(m) {
		out = append(out, literal(k)+" = "+literal(m[k]))
	}
	return "(" + strings.Join(out, ", ") + ")"
}
