package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarnlake/tarn/internal/exec"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/vector"
)

// repairFlags are the flags of tarn repair.
type repairFlags struct {
	add, drop, sync bool
	partition       string
	where           string
	dryRun, force   bool
	home            string
	format          string
	known           knownFlags
}

func (p *Program) repairCommand() *cobra.Command {
	var f repairFlags
	c := &cobra.Command{
		Use: "repair TABLE|DIR", Short: "Make a table's partitions agree with its directories", Args: cobra.ExactArgs(1),
		Long: "Repairs a table of the catalog, by its name or by its directory (which has a slash or a scheme).\n" +
			"With --known it needs no catalog: it compares a directory with the partitions that another engine knows\n" +
			"(the output of its SHOW PARTITIONS) and prints the ALTER TABLE statements that would make that engine agree.\n" +
			"Exit status: 4 when --dry-run found something to change.",
		Example: "  tarn repair events --sync --dry-run\n  tarn repair ./lake/events --sync\n" +
			"  hive -e 'SHOW PARTITIONS old.events' | tarn repair ./lake/events --known - --emit hive --table old.events > fix.sql",
		RunE: func(c *cobra.Command, args []string) error { return p.runRepair(c.Context(), args[0], f) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.add, "add", false, "add what is on storage and not registered (the default)")
	fl.BoolVar(&f.drop, "drop", false, "drop entries whose directory is gone")
	fl.BoolVar(&f.sync, "sync", false, "both")
	fl.StringVar(&f.partition, "partition", "", "repair only these, such as \"year=2021, month=1\"")
	fl.StringVar(&f.where, "where", "", "repair only partitions for which this holds, such as \"dt >= '2024-01-01'\"")
	fl.BoolVar(&f.dryRun, "dry-run", false, "change nothing, show what would change")
	fl.BoolVar(&f.force, "force", false, "drop even when most entries would go")
	fl.StringVar(&f.home, "home", "", "directory of the catalog (default $TARN_HOME, else ~/.tarn)")
	fl.StringVar(&f.format, "format", "", "table, csv, tsv or json (default table on a terminal, else tsv)")
	fl.StringVar(&f.known.file, "known", "", "file with another engine's SHOW PARTITIONS output, - for standard input")
	fl.StringVar(&f.known.emit, "emit", "spark", "with --known, the dialect of the statements: spark, hive or athena")
	fl.StringVar(&f.known.types, "types", "", "with --known, types of partition columns, such as \"hh INT, dt DATE\" (default: text)")
	fl.StringVar(&f.known.table, "table", "", "with --known, the table's name in the statements (default: the directory's)")
	fl.StringVar(&f.known.location, "location", "", "with --known, the table's location in that engine, when the directory is reached by another path here")
	return c
}

// mode is ADD, DROP or SYNC.
func (f repairFlags) mode() (string, error) {
	n := 0
	for _, set := range []bool{f.add, f.drop, f.sync} {
		if set {
			n++
		}
	}
	switch {
	case n > 1:
		return "", usage("--add, --drop and --sync exclude one another")
	case f.drop:
		return "DROP", nil
	case f.sync:
		return "SYNC", nil
	}
	return "ADD", nil
}

// isDirectory tells a directory from a table's name: it has a slash or a scheme.
func isDirectory(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || strings.Contains(arg, ":") || arg == "." || arg == ".."
}

func (p *Program) runRepair(ctx context.Context, arg string, f repairFlags) error {
	mode, err := f.mode()
	if err != nil {
		return err
	}
	if f.partition != "" && f.where != "" {
		return usage("--partition and --where exclude one another")
	}
	if f.known.file != "" {
		if !isDirectory(arg) {
			return usage("--known compares a directory: write %s as ./%s", arg, arg)
		}
		return p.repairKnown(ctx, arg, mode, f)
	}
	home, config, s, err := p.begin(f.home, userName())
	if err != nil {
		return err
	}
	if f.format == "" {
		f.format = p.defaultFormat()
	}
	to := &sink{w: p.Stdout}
	out, err := newOutput(f.format, to, p.Stderr, s.Conf.Location)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	c := &client{program: p, session: s, out: out, sink: to}
	if isTerminal(p.Stderr) {
		c.progress = newProgressLine(p.Stderr)
	}
	x, closeAll, err := p.open(ctx, OpenOptions{Home: home, Mounts: config.Mounts, Progress: c.progress.note})
	if err != nil {
		return err
	}
	defer closeAll()
	c.exec = x
	table, err := p.tableFor(ctx, x, arg)
	if err != nil {
		return p.outcome(err, false)
	}
	watch := &driftOutput{output: out}
	c.out = watch
	err, interrupted := interruptible(ctx, func(ctx context.Context) error { return c.statement(ctx, f.statement(table, mode), origin{}) })
	switch {
	case interrupted:
		return status{code: exitInterrupted, silent: true}
	case err != nil:
		var lost outputError
		if errors.As(err, &lost) {
			return status{code: exitFailed, err: err}
		}
		return status{code: exitFailed, silent: true}
	case f.dryRun && watch.drift:
		return status{code: exitDrift, silent: true}
	}
	return nil
}

// statement is the MSCK that the flags mean.
func (f repairFlags) statement(table, mode string) string {
	text := "MSCK REPAIR TABLE " + table
	if f.partition != "" {
		spec := strings.TrimSpace(f.partition)
		if !strings.HasPrefix(strings.ToUpper(spec), "PARTITION") {
			spec = "PARTITION (" + strings.TrimSuffix(strings.TrimPrefix(spec, "("), ")") + ")"
		}
		text += " " + spec
	}
	if f.where != "" {
		text += " WHERE " + f.where
	}
	text += " " + mode + " PARTITIONS"
	if f.dryRun {
		text += " DRY RUN"
	}
	if f.force {
		text += " FORCE"
	}
	return text
}

// tableFor is the table to repair: the one named, or the one whose location a directory is.
func (p *Program) tableFor(ctx context.Context, x *exec.Executor, arg string) (string, error) {
	if !isDirectory(arg) {
		return arg, nil
	}
	place, _ := x.Mounts.Resolve(arg)
	loc, err := location(place)
	if err != nil {
		return "", err
	}
	names, err := x.TablesAt(ctx, loc.String())
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", sqlerr.NoTableAt(loc.String())
	}
	if len(names) > 1 {
		return "", sqlerr.SeveralTablesAt(loc.String(), names)
	}
	return names[0], nil
}

// driftOutput notes whether the answer of a repair holds a change.
type driftOutput struct {
	output
	drift bool
}

func (o *driftOutput) batch(b *vector.Batch) error {
	for i := range b.Len {
		if action, ok := b.Cols[0].Value(i).(string); ok && action != "skip" {
			o.drift = true
		}
	}
	return o.output.batch(b)
}
