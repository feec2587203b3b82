package exec

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// insertDelta runs INSERT INTO and INSERT OVERWRITE of a Delta table, in one commit.
func (r *run) insertDelta(ctx context.Context, n *ast.Insert, t *deltaTarget) (*Result, error) {
	if len(n.PartitionedBy) > 0 {
		return nil, sqlerr.Unsupported("TABLE_CLAUSE", "PARTITIONED BY in an INSERT into a table, whose partition columns are known").At(n.PartitionedBy[0].Span())
	}
	into, err := t.into()
	if err != nil {
		return nil, err
	}
	in := &deltaInsertion{run: r, stmt: n, target: t, into: into}
	if err := in.keys(ctx); err != nil {
		return nil, err
	}
	if err := in.evolveInsert(ctx); err != nil {
		return nil, err
	}
	return in.perform(ctx)
}

// deltaInsertion is an INSERT into a Delta table.
type deltaInsertion struct {
	*run
	stmt   *ast.Insert
	target *deltaTarget
	into   bind.InsertTarget
	static []types.Value
	fixed  []bool
	root   plan.Node // the rows, as they were bound last
}

// keys resolves the PARTITION clause.
func (in *deltaInsertion) keys(ctx context.Context) error {
	in.static, in.fixed = make([]types.Value, len(in.into.Keys)), make([]bool, len(in.into.Keys))
	if in.stmt.Spec == nil {
		return nil
	}
	given := &ast.PartitionSpec{At: in.stmt.Spec.At}
	for _, item := range in.stmt.Spec.Items {
		if !slices.ContainsFunc(in.into.Keys, func(k int) bool { return in.sameColumn(in.into.Columns[k].Name, item.Name.Name) }) {
			return sqlerr.NonPartitionColumn(ident.Quote(item.Name.Name), in.target.name).At(item.Span())
		}
		if item.Op != "" {
			given.Items = append(given.Items, item)
		}
	}
	if len(given.Items) == 0 {
		return nil
	}
	spec, err := in.spec(ctx, in.target.rel, given, true)
	if err != nil {
		return err
	}
	for _, m := range spec.Matchers {
		v := m.Value
		if v == "" {
			v = nil // what the log cannot tell from NULL
		}
		in.static[m.Col], in.fixed[m.Col] = v, true
	}
	in.into.Static = in.static
	return nil
}

func (in *deltaInsertion) perform(ctx context.Context) (*Result, error) {
	n, t := in.stmt, in.target
	dynamic, err := in.dynamic(n.Options)
	if err != nil {
		return nil, err
	}
	rows := t.rows()
	rows.static, rows.fixed = in.static, in.fixed
	rows.bind = func(ctx context.Context) (plan.Node, bool, error) {
		bound, err := bind.BindInsert(ctx, n, in.into, in.deltaAssignment(), in.bindEnv(t.rels))
		if err != nil {
			return nil, false, err
		}
		in.root = bound.Root
		return bound.Root, bound.Ordered, nil
	}
	if _, _, err := rows.bind(ctx); err != nil {
		return nil, err
	}
	c := &delta.Change{}
	if n.IfNotExists {
		old, err := in.oldFiles(nil)
		if err != nil {
			return nil, err
		}
		if len(old) > 0 {
			return in.deltaAnswer(t, write.Result{Nothing: true, Untouched: -1}, "nothing to do"), nil
		}
	}
	files, err := in.writeDeltaFiles(ctx, t.log, rows)
	if err != nil {
		return nil, err
	}
	if err := in.change(ctx, c, files, dynamic); err != nil {
		files.discard(ctx)
		return nil, err
	}
	if t.readsItself(in.root) {
		c.Reads.WholeTable = true
	}
	t.evolveBy(c)
	if _, err := in.commitDelta(ctx, t, c); err != nil {
		files.discard(ctx)
		return nil, err
	}
	res, told := reachOf(t.snap, c)
	return in.deltaAnswer(t, res, told), nil
}

// change fills in the commit: what is added and what goes.
func (in *deltaInsertion) change(ctx context.Context, c *delta.Change, files *deltaFiles, dynamic bool) error {
	n := in.stmt
	c.Adds = append(c.Adds, files.adds...)
	mode := "Append"
	var parameters []protocol.Parameter
	whole := true // every partition column has its value from the PARTITION clause
	for _, f := range in.fixed {
		whole = whole && f
	}
	switch {
	case n.ReplaceWhere != nil:
		mode = "Overwrite"
		parameters = append(parameters, protocol.TextParameter("predicate", n.ReplaceWhere.String()))
		return in.replaceMatching(ctx, c, files, parameters)
	case n.ReplaceUsing != nil:
		mode = "Overwrite"
		levels, err := in.usingLevels()
		if err != nil {
			return err
		}
		if err := in.replace(c, func() ([]*protocol.Add, error) { return in.oldFiles(in.sameValues(files.adds, levels)) }); err != nil {
			return err
		}
	case n.Overwrite && dynamic && len(in.into.Keys) > 0 && !whole:
		mode = "Overwrite"
		parameters = append(parameters, protocol.BoolParameter("isDynamicPartitionOverwrite", true))
		if err := in.replace(c, func() ([]*protocol.Add, error) { return in.oldFiles(in.sameValues(files.adds, nil)) }); err != nil {
			return err
		}
	case n.Overwrite:
		mode = "Overwrite"
		if err := in.replace(c, func() ([]*protocol.Add, error) { return in.oldFiles(nil) }); err != nil {
			return err
		}
	}
	c.Info = in.writeInfo(mode, c, files, parameters)
	return nil
}

// writeInfo is what the commit c says of itself. As in Delta, partitionBy names columns only where the write chooses them.
func (r *run) writeInfo(mode string, c *delta.Change, files *deltaFiles, more []protocol.Parameter) protocol.CommitInfo {
	parameters := append([]protocol.Parameter{protocol.TextParameter("mode", mode), protocol.ListParameter("partitionBy", nil)}, more...)
	metrics := map[string]string{
		"numFiles": decimal(int64(len(files.adds))), "numOutputRows": decimal(files.rows), "numOutputBytes": decimal(files.bytes),
	}
	if mode == "Overwrite" {
		var removed int64
		for _, x := range c.Removes {
			if x.Size != nil {
				removed += *x.Size
			}
		}
		metrics["numRemovedFiles"], metrics["numRemovedBytes"] = decimal(int64(len(c.Removes))), decimal(removed)
	}
	return r.deltaInfo("WRITE", parameters, metrics)
}

// replace removes what old gives, and rests the commit on it.
func (in *deltaInsertion) replace(c *delta.Change, old func() ([]*protocol.Add, error)) error {
	list, err := old()
	if err != nil {
		return err
	}
	for _, a := range list {
		c.Removes = append(c.Removes, protocol.RemoveOf(a, in.now.UnixMilli(), true))
	}
	if len(in.into.Keys) == 0 || !in.anyFixed() {
		c.Reads.WholeTable = len(in.into.Keys) == 0 || in.stmt.ReplaceUsing == nil && len(list) == in.target.snap.NumFiles()
	}
	if c.Reads.WholeTable {
		return nil
	}
	// Files that others add to the partitions that are replaced would have been replaced too.
	physical := protocol.PhysicalPartitionColumns(in.target.snap.Schema, in.target.snap.Metadata)
	gone := map[string]bool{}
	for _, a := range slices.Concat(list, c.Adds) {
		values, err := in.canonical(a, physical)
		if err != nil {
			return err
		}
		gone[valuesKey(values)] = true
	}
	c.Reads.Matches = func(a *protocol.Add) (bool, error) {
		values, err := in.canonical(a, physical)
		return gone[valuesKey(values)], err
	}
	c.Reads.Files = map[string]bool{}
	for _, a := range list {
		c.Reads.Files[a.Key().Path] = true
	}
	return nil
}

func (in *deltaInsertion) anyFixed() bool {
	for _, f := range in.fixed {
		if f {
			return true
		}
	}
	return false
}

// oldFiles are the live files that the PARTITION clause names and that keep, when not nil, is true for.
func (in *deltaInsertion) oldFiles(keep func(values []string) bool) ([]*protocol.Add, error) {
	t := in.target
	physical := protocol.PhysicalPartitionColumns(t.snap.Schema, t.snap.Metadata)
	var out []*protocol.Add
	known := map[string]bool{}
	for a := range t.snap.Adds() {
		key := a.PartitionValues.Key()
		hit, ok := known[key]
		if !ok {
			texts, err := in.canonical(a, physical)
			if err != nil {
				return nil, err
			}
			hit = keep == nil || keep(texts)
			for level, text := range texts {
				if in.fixed[level] && text != in.staticText(level) {
					hit = false
				}
			}
			known[key] = hit
		}
		if hit {
			out = append(out, a)
		}
	}
	return out, nil
}

// staticText is a value of the PARTITION clause as the log holds it.
func (in *deltaInsertion) staticText(level int) string {
	f := in.into.Columns[in.into.Keys[level]]
	v := in.static[level]
	if wall, ok := v.(int64); ok && f.Type.Kind == types.Timestamp {
		v = instant(wall, in.s.Conf.Location())
	}
	return protocol.FormatPartitionValue(f.Type, v)
}

// canonical are the partition values of a file as Tarn writes them: writers spell one value in several ways.
func (in *deltaInsertion) canonical(a *protocol.Add, physical []string) ([]string, error) {
	out := make([]string, len(physical))
	for level, p := range physical {
		f := in.into.Columns[in.into.Keys[level]]
		v, err := protocol.ParsePartitionValue(f.Name, f.Type, a.PartitionValues.Get(p), in.s.Conf.Location())
		if err != nil {
			return nil, err
		}
		out[level] = protocol.FormatPartitionValue(f.Type, v)
	}
	return out, nil
}

// valuesKey tells lists of as many values apart.
func valuesKey(values []string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strconv.Itoa(len(v)))
		b.WriteByte(':')
		b.WriteString(v)
	}
	return b.String()
}

// sameValues says which values new files have, in the given levels alone; nil is all.
func (in *deltaInsertion) sameValues(adds []*protocol.Add, levels []int) func([]string) bool {
	physical := protocol.PhysicalPartitionColumns(in.target.snap.Schema, in.target.snap.Metadata)
	if levels == nil {
		for level := range physical {
			levels = append(levels, level)
		}
	}
	key := func(get func(level int) string) string {
		values := make([]string, len(levels))
		for i, level := range levels {
			values[i] = get(level)
		}
		return valuesKey(values)
	}
	written := map[string]bool{}
	for _, a := range adds {
		written[key(func(level int) string { return a.PartitionValues.Get(physical[level]) })] = true
	}
	return func(values []string) bool { return written[key(func(level int) string { return values[level] })] }
}

// usingLevels are the partition levels that REPLACE USING compares: other columns would need files to be copied.
func (in *deltaInsertion) usingLevels() ([]int, error) {
	columns, err := bind.ReplaceUsing(in.stmt.ReplaceUsing, in.into, in.bindEnv(nil))
	if err != nil {
		return nil, err
	}
	var out []int
	for i, c := range columns {
		level := -1
		for l, k := range in.into.Keys {
			if k == c {
				level = l
			}
		}
		if level < 0 {
			return nil, sqlerr.Unsupported("REPLACE_USING_DATA_COLUMN", "REPLACE USING a column that is no partition column: use MERGE").At(in.stmt.ReplaceUsing[i].Span())
		}
		out = append(out, level)
	}
	return out, nil
}

// replaceMatching is REPLACE WHERE: the rows that the predicate holds for go, which copies the other rows of their files.
func (in *deltaInsertion) replaceMatching(ctx context.Context, c *delta.Change, files *deltaFiles, parameters []protocol.Parameter) error {
	t := in.target
	bound, err := bind.BindDelete(ctx, &ast.Delete{At: in.stmt.At, Table: in.stmt.Table, Where: in.stmt.ReplaceWhere}, in.into, in.bindEnv(t.rels))
	if err != nil {
		return err
	}
	m := &deltaChange{run: in.run, target: t, into: in.into, commit: c}
	if err := m.apply(ctx, bound, func(ctx context.Context) (*bind.Change, error) { return bound, nil }); err != nil {
		return err
	}
	c.Info = in.writeInfo("Overwrite", c, files, parameters)
	c.Info.OperationMetrics["numDeletedRows"], c.Info.OperationMetrics["numCopiedRows"] = decimal(m.deleted), decimal(m.copied())
	return nil
}
