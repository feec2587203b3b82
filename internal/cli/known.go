package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// knownFlags are the flags of tarn repair DIR --known.
type knownFlags struct {
	file, emit, types, table, location string
}

// emitBatch is how many partitions one emitted statement adds or drops: what Spark sends to a metastore at once, and below
// Athena's limit on the length of a statement.
const emitBatch = 100

// repairKnown compares a directory with the partitions that another engine knows.
func (p *Program) repairKnown(ctx context.Context, arg, mode string, f repairFlags) error {
	k := f.known
	if k.emit != "spark" && k.emit != "hive" && k.emit != "athena" {
		return usage("unknown dialect %q: use spark, hive or athena", k.emit)
	}
	if f.partition != "" || f.where != "" {
		return usage("--partition and --where need a table of the catalog, not --known")
	}
	root, err := location(arg)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	specs, err := p.readKnown(k.file)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	cols, err := knownColumns(specs, k.types)
	if err != nil {
		return status{code: exitUsage, err: err}
	}
	if !f.add && !f.drop {
		mode = "SYNC"
	}
	err, interrupted := interruptible(ctx, func(ctx context.Context) error {
		if cols == nil {
			// Nothing is known, so nothing names the columns: the directories do.
			in, err := p.Scans.Inspect(ctx, root, plainSettings())
			if err != nil {
				return err
			}
			for _, c := range in.Partition {
				cols = append(cols, partition.Column{Name: c.Name, Type: types.Of(types.String)})
			}
		}
		return p.emitRepair(ctx, root, cols, specs, mode, f)
	})
	return p.passStatus(err, interrupted)
}

// passStatus keeps an error that has an exit status already.
func (p *Program) passStatus(err error, interrupted bool) error {
	if s, ok := err.(status); ok && !interrupted { //nolint:errorlint // made right here
		return s
	}
	return p.outcome(err, interrupted)
}

// readKnown reads specs such as year=2021/month=01, one a line. Headers, borders and blank lines of the tools that print them
// are passed over.
func (p *Program) readKnown(path string) ([]string, error) {
	in := p.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	return knownSpecs(in)
}

func knownSpecs(in io.Reader) ([]string, error) {
	var out []string
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if rest, ok := strings.CutPrefix(text, "|"); ok {
			text = strings.TrimSpace(strings.TrimSuffix(rest, "|"))
		}
		text = strings.Trim(text, `"'`)
		switch {
		case text == "" || strings.EqualFold(text, "partition") || strings.HasPrefix(text, "+--") || strings.HasPrefix(text, "OK") && !strings.Contains(text, "="):
			continue
		case !strings.Contains(text, "="):
			return nil, fmt.Errorf("line %d: %q is no partition; expected lines such as year=2021/month=01", n, text)
		}
		out = append(out, text)
	}
	return out, lines.Err()
}

// knownColumns takes the partition columns from the first spec, and their types from --types.
func knownColumns(specs []string, typeText string) ([]partition.Column, error) {
	typed := map[string]types.Type{}
	if typeText != "" {
		defs, err := parser.ParseColumns(typeText)
		if err != nil {
			return nil, fmt.Errorf("--types %q: %w", typeText, err)
		}
		for _, d := range defs {
			typed[ident.Fold(d.Name().Name)] = d.Type.T
		}
	}
	if len(specs) == 0 {
		return nil, nil
	}
	var cols []partition.Column
	for dir := range strings.SplitSeq(specs[0], "/") {
		key, _, _, ok := partition.SplitSegment(dir)
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is no partition; expected year=2021/month=01", specs[0])
		}
		c := partition.Column{Name: key, Type: types.Of(types.String)}
		if t, ok := typed[ident.Fold(key)]; ok {
			c.Type = t
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// emitRepair diffs and prints the statements.
func (p *Program) emitRepair(ctx context.Context, root storage.Location, cols []partition.Column, specs []string, mode string, f repairFlags) error {
	if _, err := knownSet(cols, specs, nil); err != nil {
		return status{code: exitUsage, err: err}
	}
	found, err := scan.Discover(ctx, p.Stores, root, cols, scan.DiscoverOptions{})
	if err != nil {
		return err
	}
	known, err := knownSet(cols, specs, found)
	if err != nil {
		return err
	}
	modes := map[string]partition.Mode{"ADD": partition.AddMode, "DROP": partition.DropMode, "SYNC": partition.SyncMode}
	diff := partition.Diff(known, found, partition.DiffOptions{Mode: modes[mode], Root: root.String()})
	if !f.force && (found.RootMissing && diff.Drops > 0 || partition.TooMany(diff.Scope, diff.Drops, 0.5, 20)) {
		return status{code: exitFailed, err: fmt.Errorf("%d of %d known partitions have no directory below %s. If that is right, use --force", diff.Drops, diff.Scope, root)}
	}
	e := &emitter{w: bufio.NewWriter(p.Stdout), cols: cols, dialect: f.known.emit, table: f.known.table, root: root.String()}
	if e.table == "" {
		e.table = tableName(root)
	}
	if f.known.location != "" {
		e.root = strings.TrimRight(f.known.location, "/")
	}
	e.comment("Table %s: %s to add, %s to drop, %s skipped.", e.table, count(int64(diff.Adds), "partition"), count(int64(diff.Drops), "partition"), count(int64(diff.Skips), "name"))
	for a := range diff.Actions() {
		switch a.Kind {
		case partition.ActionDrop:
			e.drop(a)
		case partition.ActionAdd:
			e.add(a)
		case partition.ActionSkip:
			fmt.Fprintf(p.Stderr, "skipped [%s] %s: %s\n", a.Reason, visiblePath(a.Rel), a.Detail)
		case partition.ActionStale:
			fmt.Fprintf(p.Stderr, "missing %s: its directory does not exist; --drop or --sync drops it\n", a.Partition)
		}
	}
	if err := e.flush(); err != nil {
		return status{code: exitFailed, err: err}
	}
	if f.dryRun && diff.Adds+diff.Drops+diff.Stales > 0 {
		return status{code: exitDrift, silent: true}
	}
	return nil
}

// knownSet is the partition set that another engine's list stands for. The list does not tell locations: a partition is taken
// to be at the directory that was found for its values, however that is spelled, else at the one that the list spells.
func knownSet(cols []partition.Column, specs []string, found *partition.Found) (*partition.Set, error) {
	ch := &partition.Changes{}
	seen := map[string]bool{}
	at := directories(found)
	for _, spec := range specs {
		dirs := strings.Split(spec, "/")
		if len(dirs) != len(cols) {
			return nil, fmt.Errorf("%q has %d keys, the first line has %d", spec, len(dirs), len(cols))
		}
		values := make(partition.Values, len(cols))
		for i, d := range dirs {
			key, text, _, ok := partition.SplitSegment(d)
			if !ok || !ident.Equal(key, cols[i].Name) {
				return nil, fmt.Errorf("%q: expected the key %s, found %q", spec, cols[i].Name, d)
			}
			v, err := partition.ParseValue(cols[i], text)
			if err != nil {
				return nil, fmt.Errorf("%q: %q is no %s", spec, text, cols[i].Type.SQL())
			}
			values[i] = v
		}
		var canon []string
		for i, c := range cols {
			canon = append(canon, partition.Segment(c, values[i]))
		}
		key := strings.Join(canon, "/")
		if seen[key] {
			continue
		}
		seen[key] = true
		e := partition.AddEntry{Values: values}
		switch place, ok := at[key]; {
		case ok && place != key:
			e.Place.Dirs = strings.Split(place, "/")
		case !ok && key != spec:
			e.Place.Dirs = dirs
		}
		ch.Add(e)
	}
	return partition.NewSet(cols).Apply(ch, 1)
}

// directories maps the canonical text of what was found to its directory: the canonical one, else the first in byte order.
func directories(found *partition.Found) map[string]string {
	out := map[string]string{}
	if found == nil {
		return out
	}
	for leaf := range found.Len() {
		spec, path := found.Spec(leaf), found.Path(leaf)
		if have, ok := out[spec]; !ok || path == spec || have != spec && path < have {
			out[spec] = path
		}
	}
	return out
}

// emitter prints ALTER TABLE statements in batches.
type emitter struct {
	w       *bufio.Writer
	cols    []partition.Column
	dialect string
	table   string
	root    string
	drops   []string
	adds    []string
}

func (e *emitter) comment(format string, args ...any) {
	fmt.Fprintf(e.w, "-- "+format+"\n", args...)
}

// spec is the PARTITION clause of an action.
func (e *emitter) spec(a partition.Action) string {
	var out []string
	for i, d := range strings.Split(a.Partition, "/") {
		_, text, _, _ := partition.SplitSegment(d)
		value := "'" + strings.NewReplacer(`\`, `\\`, `'`, e.quote()).Replace(text) + "'"
		if text == partition.DefaultPartition && e.dialect == "spark" {
			value = "null"
		}
		name := e.cols[i].Name
		if q := ident.QuoteIfNeeded(name); q != name {
			name = q
		}
		out = append(out, name+"="+value)
	}
	return "PARTITION (" + strings.Join(out, ", ") + ")"
}

// quote is a single quote inside a string: Athena doubles it, the others escape it.
func (e *emitter) quote() string {
	if e.dialect == "athena" {
		return "''"
	}
	return `\'`
}

func (e *emitter) drop(a partition.Action) {
	e.drops = append(e.drops, e.spec(a))
	if len(e.drops) == emitBatch {
		e.flushDrops()
	}
}

func (e *emitter) add(a partition.Action) {
	e.flushDrops()
	text := e.spec(a)
	if a.Rel != a.Partition {
		// The directory is not spelled as the engine would spell it, so it must be told.
		text += " LOCATION '" + strings.NewReplacer(`\`, `\\`, `'`, e.quote()).Replace(e.root+"/"+a.Rel) + "'"
	}
	e.adds = append(e.adds, text)
	if len(e.adds) == emitBatch {
		e.flushAdds()
	}
}

func (e *emitter) flushDrops() {
	if len(e.drops) > 0 {
		fmt.Fprintf(e.w, "ALTER TABLE %s DROP IF EXISTS\n  %s;\n", e.table, strings.Join(e.drops, ",\n  "))
		e.drops = e.drops[:0]
	}
}

func (e *emitter) flushAdds() {
	if len(e.adds) > 0 {
		fmt.Fprintf(e.w, "ALTER TABLE %s ADD IF NOT EXISTS\n  %s;\n", e.table, strings.Join(e.adds, "\n  "))
		e.adds = e.adds[:0]
	}
}

func (e *emitter) flush() error {
	e.flushDrops()
	e.flushAdds()
	return e.w.Flush()
}
