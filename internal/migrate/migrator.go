package migrate

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Runner runs the statements of a migration.
type Runner interface {
	// Run runs one statement and returns the first row of its answer by the names of its columns; nil when there is none.
	Run(ctx context.Context, sql string) (map[string]types.Value, error)
	// RunUnder runs one statement that has no answer under these settings, and the defaults of all others.
	RunUnder(ctx context.Context, settings map[string]string, sql string) error
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

	planned []place // of a dry run
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

	made bool   // by a statement of this run
	at   string // which version of the source was copied, as SQL says it; "" for a table without versions
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
	m.planned = nil
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
			names.arrives(it.Source, it.Target, it.Way != BySync, out.Status != Migrated)
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
		if err := m.makeSchema(ctx, it); err != nil {
			return m.outcome(it, Failed, sqlerr.As(err).Error())
		}
		made[folded(schema)] = true
	}
	m.Syncer.point("migrate.before")
	out := do()
	m.Syncer.point("migrate.after")
	return out
}

// makeSchema makes the schema of a target, with the comment and properties of the source's, unless there is one.
func (m *Migrator) makeSchema(ctx context.Context, it *Item) error {
	var from *catalog.Schema
	err := m.Syncer.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		_, from, err = namespace(tx, it.Source)
		return err
	})
	if err != nil {
		return err
	}
	statement := "CREATE SCHEMA IF NOT EXISTS " + it.Target[:2].String()
	if from.Comment != "" {
		statement += " COMMENT " + literal(from.Comment)
	}
	if len(from.Properties) > 0 {
		statement += " WITH DBPROPERTIES " + propertyList(from.Properties)
	}
	_, err = m.Runner.Run(ctx, statement)
	return err
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
	row, err := m.Syncer.Sync(ctx, Request{
		Source: out.Source, Target: out.Target, DryRun: o.DryRun, NewSchema: o.DryRun, KeepSource: o.KeepSource, KeepOthers: true,
		WantLog: o.WantLog, CaseSensitive: o.CaseSensitive, Actor: o.Actor, Statement: "tarn migrate",
	})
	if err == nil && row.Status == tableExists {
		if there, err := m.copied(ctx, o, out); err == nil && there != absent {
			m.copyOver(ctx, o, out) // an earlier run has copied it, when it could not stay where it is
			return
		}
	}
	if err == nil && o.DryRun && row.OK() && row.Changed {
		err = m.plan(out.table.Location, out.Target)
	}
	switch {
	case err != nil:
		out.Detail = sqlerr.As(err).Error()
	case !row.OK():
		out.Detail = row.Description
	case !row.Changed:
		out.Status, out.Detail = UpToDate, row.Description
	case o.DryRun:
		out.Status, out.Detail = Would, row.Description
	default:
		out.Status, out.Detail = Migrated, row.Description
	}
}

// place is where a dry run would put a table.
type place struct {
	location storage.Location
	name     ident.Name
}

// plan notes where a table would be, unless another one would be in its way, which the catalog does not know of yet.
func (m *Migrator) plan(location string, name ident.Name) error {
	loc, err := storage.ParseLocation(location, "")
	if err != nil {
		return err
	}
	loc = loc.Modern()
	for _, p := range m.planned {
		if p.location.Overlaps(loc) {
			return sqlerr.LocationOverlap(catalog.LocatedTable, loc.String(), catalog.LocatedTable, p.name.String(), p.location.String())
		}
	}
	m.planned = append(m.planned, place{loc, name})
	return nil
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
