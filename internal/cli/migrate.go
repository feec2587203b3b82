package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/migrate"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// migrateFlags are the flags of tarn migrate.
type migrateFlags struct {
	to, clones       string
	include, exclude []string
	views, dryRun    bool
	noCount          bool
	home, format     string
}

func (p *Program) migrateCommand() *cobra.Command {
	var f migrateFlags
	c := &cobra.Command{
		Use: "migrate hive_metastore[.SCHEMA] --to CATALOG[.SCHEMA]", Short: "Bring tables of hive_metastore into a Unity-style catalog", Args: cobra.ExactArgs(1),
		Long: "Registers each table where it is (SYNC) when that is possible, and clones or copies it when it is not.\n" +
			"Prints a row for each table, and one line that sums up to standard error. It may be stopped and run\n" +
			"again: what is there and agrees is left as it is.\n" +
			"Exit status: 0 all is there (or would be), 1 something could not be migrated, 2 wrong usage,\n" +
			"3 the catalog cannot be used, 130 interrupted.",
		Example: "  tarn migrate hive_metastore --to main --views --dry-run\n  tarn migrate hive_metastore.sales --to main.sales --exclude 'tmp_*'",
		RunE:    func(c *cobra.Command, args []string) error { return p.runMigrate(c.Context(), args[0], f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.to, "to", "", "catalog, or catalog and schema, that the tables go to")
	fl.StringVar(&f.clones, "clone-location", "", "make shallow clones of Delta tables that cannot stay where they are below this place, instead of copies")
	fl.StringArrayVar(&f.include, "include", nil, "migrate only names like this, such as \"events_*\" or \"sales.*\" (may be repeated)")
	fl.StringArrayVar(&f.exclude, "exclude", nil, "leave out names like this (may be repeated)")
	fl.BoolVar(&f.views, "views", false, "migrate views and SQL functions, too")
	fl.BoolVar(&f.dryRun, "dry-run", false, "change nothing, show what would be done")
	fl.BoolVar(&f.noCount, "no-count", false, "do not count rows before and after")
	fl.StringVar(&f.home, "home", "", "directory of the catalog (default $TARN_HOME, else ~/.tarn)")
	fl.StringVar(&f.format, "format", "", "table, csv, tsv or json (default table on a terminal, else tsv)")
	return c
}

// options reads the names and patterns of the command line.
func (f migrateFlags) options(from string) (migrate.Options, error) {
	o := migrate.Options{CloneLocation: f.clones, Include: f.include, Exclude: f.exclude, Views: f.views, Count: !f.noCount, DryRun: f.dryRun, Actor: userName()}
	name := func(what, text string) (ident.Name, error) {
		n, err := parser.ParseName(text)
		if err != nil || len(n.Parts) == 0 || len(n.Parts) > 2 {
			return nil, usage("%s is written as catalog or catalog.schema, and %q is neither", what, text)
		}
		return n.Ident(), nil
	}
	var err error
	if o.From, err = name("what is migrated", from); err != nil {
		return o, err
	}
	if f.to == "" {
		return o, usage("--to CATALOG[.SCHEMA] says where the tables go")
	}
	if o.To, err = name("--to", f.to); err != nil {
		return o, err
	}
	if len(o.To) > len(o.From) {
		return o, usage("--to names a schema, so name the schema that is migrated, too: %s.SCHEMA", from)
	}
	if isRelative := o.CloneLocation != "" && !strings.HasPrefix(o.CloneLocation, "/") && !strings.Contains(o.CloneLocation, ":/"); isRelative {
		if o.CloneLocation, err = filepath.Abs(o.CloneLocation); err != nil {
			return o, usage("--clone-location: %v", err)
		}
	}
	if err := o.CheckPatterns(); err != nil {
		return o, usage("%v", err)
	}
	return o, nil
}

func (p *Program) runMigrate(ctx context.Context, from string, f migrateFlags) error {
	o, err := f.options(from)
	if err != nil {
		return err
	}
	home, config, s, err := p.begin(f.home, o.Actor)
	if err != nil {
		return err
	}
	if f.format == "" {
		f.format = p.defaultFormat()
	}
	out, err := newOutput(f.format, p.Stdout, p.Stderr, s.Conf.Location)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	o.KeepSource, o.WantLog, o.CaseSensitive = s.Conf.Bool(conf.KeepSyncSource), s.Conf.Bool(conf.PartitionLog), s.Conf.Bool(conf.CaseSensitive)
	x, closeAll, err := p.open(ctx, OpenOptions{Home: home, Mounts: config.Mounts})
	if err != nil {
		return err
	}
	defer closeAll()
	m := &migrate.Migrator{Syncer: x.Syncer(s), Runner: &statements{x, s}}
	rep := &report{out: out}
	err, interrupted := interruptible(ctx, func(ctx context.Context) error { return m.Run(ctx, o, rep.add) })
	if err == nil || rep.begun {
		if werr := rep.end(); werr != nil {
			return status{code: exitFailed, err: outputError{werr}}
		}
	}
	fmt.Fprintln(p.Stderr, rep.summary(o.DryRun, err))
	var lost outputError
	switch {
	case interrupted:
		return status{code: exitInterrupted, silent: true}
	case errors.As(err, &lost):
		return status{code: exitFailed, err: err}
	case err != nil:
		return p.outcome(err, false)
	case rep.counts[migrate.Failed] > 0:
		return status{code: exitFailed, silent: true}
	}
	return nil
}

// statements runs statements for a migration in one session.
type statements struct {
	x *exec.Executor
	s *session.Session
}

// Run implements migrate.Runner.
func (r *statements) Run(ctx context.Context, sql string) (map[string]types.Value, error) {
	res, err := r.x.Execute(ctx, r.s, sql)
	if err != nil {
		return nil, err
	}
	var row map[string]types.Value
	for {
		b, err := res.Next(ctx)
		if err != nil {
			return nil, errors.Join(err, res.Close())
		}
		if b == nil {
			return row, res.Close()
		}
		if row == nil && b.Len > 0 {
			row = map[string]types.Value{}
			for i, c := range res.Columns {
				row[c.Name] = b.Cols[i].Value(0)
			}
		}
	}
}

// RunUnder implements migrate.Runner.
func (r *statements) RunUnder(ctx context.Context, settings map[string]string, sql string) error {
	res, err := r.x.Execute(ctx, session.New(settings, r.s.User, r.s.WorkDir), sql)
	if err != nil {
		return err
	}
	return res.Close()
}

// Files implements migrate.Runner.
func (r *statements) Files(ctx context.Context, name ident.Name) (files, bytes int64, err error) {
	return r.x.Files(ctx, r.s, name)
}

// Builtin implements migrate.Runner.
func (r *statements) Builtin(name string) bool {
	_, ok := expr.Lookup(name)
	return ok
}

// report prints the outcomes as they come and counts them.
type report struct {
	out    output
	begun  bool
	counts map[migrate.Status]int
	total  int
}

var reportTypes = []struct {
	name string
	kind types.Kind
}{
	{"source", types.String},
	{"target", types.String},
	{"category", types.String},
	{"way", types.String},
	{"status", types.String},
	{"files", types.BigInt},
	{"bytes", types.BigInt},
	{"rows_before", types.BigInt},
	{"rows_after", types.BigInt},
	{"detail", types.String},
}

func reportColumns() []plan.Column {
	cols := make([]plan.Column, len(reportTypes))
	for i, t := range reportTypes {
		cols[i] = plan.Column{Name: t.name, Type: types.Of(t.kind)}
	}
	return cols
}

func (r *report) begin() error {
	if r.begun {
		return nil
	}
	r.begun = true
	return r.out.begin(reportColumns(), time.Now())
}

// add prints one outcome.
func (r *report) add(o migrate.Outcome) error {
	if err := r.begin(); err != nil {
		return outputError{err}
	}
	if r.counts == nil {
		r.counts = map[migrate.Status]int{}
	}
	r.counts[o.Status]++
	r.total++
	counted := func(n int64) types.Value {
		if n < 0 {
			return nil
		}
		return n
	}
	row := []types.Value{
		o.Source.String(), o.Target.String(), string(o.Category), string(o.Way), string(o.Status),
		counted(o.Files), counted(o.Bytes), counted(o.RowsBefore), counted(o.RowsAfter), o.Detail,
	}
	kinds := make([]types.Type, len(row))
	for i, c := range reportColumns() {
		kinds[i] = c.Type
	}
	b := vector.NewBatch(kinds)
	b.Append(row)
	if err := r.out.batch(b); err != nil {
		return outputError{err}
	}
	return nil
}

func (r *report) end() error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.out.end(nil, nil)
}

// summary is the one line for people and for the mail of cron.
func (r *report) summary(dry bool, err error) string {
	verb, did := "migrated", r.counts[migrate.Migrated]
	if dry {
		verb, did = "to migrate", r.counts[migrate.Would]
	}
	line := fmt.Sprintf("tarn migrate: %s: %d %s, %d up to date, %d stale, %d skipped, %d failed; no grants (this catalog has none)",
		count(int64(r.total), "object"), did, verb, r.counts[migrate.UpToDate], r.counts[migrate.Stale], r.counts[migrate.Skipped], r.counts[migrate.Failed])
	if err != nil {
		line += "; stopped before the end"
	}
	return strings.TrimSpace(line)
}
