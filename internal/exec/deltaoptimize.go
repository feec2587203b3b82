package exec

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/expr"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// optimize is OPTIMIZE of a Delta table: small files of a partition become larger ones, and files with deletion vectors are written
// without the rows that are gone. No row changes.
func (r *run) optimize(ctx context.Context, n *ast.Optimize) (*Result, error) {
	o, bins, err := r.planOptimize(ctx, n)
	if err != nil {
		return nil, err
	}
	for _, bin := range bins {
		if err := o.compact(ctx, n.Table, bin); err != nil {
			o.discard(ctx)
			return nil, err
		}
	}
	if len(bins) > 0 {
		if err := o.save(ctx, n.Where); err != nil {
			o.discard(ctx)
			return nil, at(err, n.Table)
		}
	}
	return o.answer(len(bins)), nil
}

// planOptimize finds the files that become one, group by group.
func (r *run) planOptimize(ctx context.Context, n *ast.Optimize) (*optimization, [][]*protocol.Add, error) {
	if len(n.ZOrder) > 0 {
		return nil, nil, sqlerr.Unsupported("OPTIMIZE_ZORDER", "ZORDER BY: OPTIMIZE without it compacts small files").At(n.ZOrder[0].Span())
	}
	t, ok, err := r.deltaTargetOf(ctx, n.Table, "OPTIMIZE")
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, sqlerr.Unsupported("STATEMENT", "OPTIMIZE of a table that is not a Delta table").At(n.Span())
	}
	keep, err := r.partitionFilter(ctx, t, n.Where)
	if err != nil {
		return nil, nil, err
	}
	o := &optimization{run: r, target: t, commit: &delta.Change{}, began: r.x.Now().UnixMilli()}
	bins, err := o.bins(keep)
	return o, bins, err
}

// optimization is one OPTIMIZE.
type optimization struct {
	*run
	target     *deltaTarget
	commit     *delta.Change
	written    []*deltaFiles
	considered int
	partitions map[string]bool
	vectors    int64 // deletion vectors that go
	vectorRows int64
	removed    []*protocol.Add
	began      int64
}

func (o *optimization) discard(ctx context.Context) {
	for _, f := range o.written {
		f.discard(ctx)
	}
}

// partitionFilter says which files a predicate over partition columns selects.
func (r *run) partitionFilter(ctx context.Context, t *deltaTarget, where ast.Expr) (func(*protocol.Add) (bool, error), error) {
	if where == nil {
		return func(*protocol.Add) (bool, error) { return true, nil }, nil
	}
	names := deltaPartition(t.snap)
	other := ""
	look := func(e ast.Expr) (ast.Expr, error) {
		if c, ok := e.(*ast.ColumnRef); ok && other == "" {
			name := c.Parts[len(c.Parts)-1].Name
			if !slices.ContainsFunc(names, func(p string) bool { return strings.EqualFold(p, name) }) {
				other = name
			}
		}
		return e, nil
	}
	_, _ = look(where)
	if err := ast.Rewrite(where, nil, look); err != nil {
		return nil, err
	}
	if other != "" {
		return nil, sqlerr.DeltaNotPartitionReference(other, strings.Join(names, ", ")).At(where.Span())
	}
	table := t.rel.table.Clone()
	table.Columns, table.Partition = t.snap.Schema.Columns(), names
	conjuncts, ids, err := r.predicate(ctx, relation{t.rel.place, table}, where)
	if err != nil {
		return nil, err
	}
	cols := columnsNamed(table.Columns, names)
	physical := protocol.PhysicalPartitionColumns(t.snap.Schema, t.snap.Metadata)
	return func(a *protocol.Add) (bool, error) {
		values := map[expr.ColumnID]types.Value{}
		for i, c := range cols {
			v, err := protocol.ParsePartitionValue(c.Name, c.Type, a.PartitionValues.Get(physical[i]), r.s.Conf.Location())
			if err != nil {
				return false, err
			}
			values[ids[i]] = v
		}
		for _, c := range conjuncts {
			v, err := expr.Eval(c, r.context(), func(id expr.ColumnID) types.Value { return values[id] })
			if err != nil || v != true {
				return false, err
			}
		}
		return true, nil
	}, nil
}

// bins groups the files that are worth it: those of one partition that make up a file of the size that is aimed at. A file that is
// alone stays, unless it has a deletion vector.
func (o *optimization) bins(keep func(*protocol.Add) (bool, error)) ([][]*protocol.Add, error) {
	size := o.s.Conf.Bytes(conf.TargetFileSize)
	if size <= 0 {
		size = 1 << 30
	}
	groups := map[string][]*protocol.Add{}
	for a := range o.target.snap.Adds() {
		ok, err := keep(a)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		o.considered++
		if a.Size < size || a.DeletionVector != nil {
			key := a.PartitionValues.String()
			groups[key] = append(groups[key], a)
		}
	}
	var keys []string
	for k := range groups {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	o.partitions = map[string]bool{}
	var out [][]*protocol.Add
	for _, k := range keys {
		files := groups[k]
		slices.SortFunc(files, func(a, b *protocol.Add) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.Path, b.Path)) })
		var bin []*protocol.Add
		var sum int64
		done := func() {
			if len(bin) > 1 || len(bin) == 1 && bin[0].DeletionVector != nil {
				out = append(out, bin)
				o.partitions[k] = true
			}
			bin, sum = nil, 0
		}
		for _, f := range files {
			if sum+f.Size > size {
				done()
			}
			bin, sum = append(bin, f), sum+f.Size
		}
		done()
	}
	return out, nil
}

// compact writes the rows of some files of one partition anew.
func (o *optimization) compact(ctx context.Context, name ast.Name, bin []*protocol.Add) error {
	t := o.target
	confined := map[string]bool{}
	for _, a := range bin {
		confined[a.Path] = true
		o.removed = append(o.removed, a)
		o.commit.Removes = append(o.commit.Removes, protocol.RemoveOf(a, o.now.UnixMilli(), false))
		if a.DeletionVector != nil {
			o.vectors, o.vectorRows = o.vectors+1, o.vectorRows+a.DeletionVector.Cardinality
		}
	}
	t.source.Confined = confined
	into, err := t.into()
	if err != nil {
		return err
	}
	into.Checks, into.NotNull = nil, false // the rows are those that are there
	rows := deltaRows{schema: t.snap.Schema, metadata: t.snap.Metadata, rels: t.rels}
	rows.bind = func(ctx context.Context) (plan.Node, bool, error) {
		nothing := &ast.Delete{At: name.At, Table: name, Where: &ast.BoolLit{Value: false}}
		c, err := bind.BindDelete(ctx, nothing, into, o.bindEnv(t.rels))
		if err != nil {
			return nil, false, err
		}
		return c.Copy, false, nil
	}
	files, err := o.writeDeltaFiles(ctx, t.log, rows)
	if err != nil {
		return err
	}
	o.written = append(o.written, files)
	for _, a := range files.adds {
		a.DataChange = false
	}
	o.commit.Adds = append(o.commit.Adds, files.adds...)
	return nil
}

func (o *optimization) save(ctx context.Context, where ast.Expr) error {
	var predicate []string
	if where != nil {
		predicate = append(predicate, where.String())
	}
	o.commit.Reads.Files = map[string]bool{}
	var removed, added int64
	for _, a := range o.removed {
		o.commit.Reads.Files[a.Path] = true
		removed += a.Size
	}
	for _, a := range o.commit.Adds {
		added += a.Size
	}
	o.commit.Info = o.deltaInfo("OPTIMIZE", []protocol.Parameter{
		protocol.ListParameter("predicate", predicate), protocol.ListParameter("zOrderBy", nil), protocol.BoolParameter("auto", false),
	}, map[string]string{
		"numRemovedFiles": decimal(int64(len(o.removed))), "numAddedFiles": decimal(int64(len(o.commit.Adds))),
		"numRemovedBytes": decimal(removed), "numAddedBytes": decimal(added), "numDeletionVectorsRemoved": decimal(o.vectors),
	})
	_, err := o.commitDelta(ctx, o.target, o.commit)
	return err
}

// optimizeMetrics are those of Delta that say something here, by its names.
var optimizeMetrics = types.StructOf(
	types.Field{Name: "numFilesAdded", Type: types.Of(types.BigInt)},
	types.Field{Name: "numFilesRemoved", Type: types.Of(types.BigInt)},
	types.Field{Name: "filesAdded", Type: optimizeSizes},
	types.Field{Name: "filesRemoved", Type: optimizeSizes},
	types.Field{Name: "partitionsOptimized", Type: types.Of(types.BigInt)},
	types.Field{Name: "numBatches", Type: types.Of(types.BigInt)},
	types.Field{Name: "totalConsideredFiles", Type: types.Of(types.BigInt)},
	types.Field{Name: "totalFilesSkipped", Type: types.Of(types.BigInt)},
	types.Field{Name: "startTimeMs", Type: types.Of(types.BigInt)},
	types.Field{Name: "endTimeMs", Type: types.Of(types.BigInt)},
	types.Field{Name: "deletionVectorStats", Type: types.StructOf(
		types.Field{Name: "numDeletionVectorsRemoved", Type: types.Of(types.BigInt)},
		types.Field{Name: "numDeletionVectorRowsRemoved", Type: types.Of(types.BigInt)},
	)},
)

var optimizeSizes = types.StructOf(
	types.Field{Name: "min", Type: types.Of(types.BigInt)},
	types.Field{Name: "max", Type: types.Of(types.BigInt)},
	types.Field{Name: "avg", Type: types.Of(types.Double)},
	types.Field{Name: "totalFiles", Type: types.Of(types.BigInt)},
	types.Field{Name: "totalSize", Type: types.Of(types.BigInt)},
)

func sizesOf(files []*protocol.Add) []types.Value {
	if len(files) == 0 {
		return []types.Value{nil, nil, float64(0), int64(0), int64(0)}
	}
	least, most, sum := files[0].Size, files[0].Size, int64(0)
	for _, f := range files {
		least, most, sum = min(least, f.Size), max(most, f.Size), sum+f.Size
	}
	return []types.Value{least, most, float64(sum) / float64(len(files)), int64(len(files)), sum}
}

func (o *optimization) answer(bins int) *Result {
	var vectors types.Value
	if o.vectors > 0 {
		vectors = []types.Value{o.vectors, o.vectorRows}
	}
	metrics := []types.Value{
		int64(len(o.commit.Adds)), int64(len(o.removed)), sizesOf(o.commit.Adds), sizesOf(o.removed), int64(len(o.partitions)), int64(min(bins, 1)),
		int64(o.considered), int64(o.considered - len(o.removed)), o.began, o.x.Now().UnixMilli(), vectors,
	}
	cols := append(stringColumns("path"), plan.Column{Name: "metrics", Type: optimizeMetrics})
	return table(cols, [][]types.Value{{o.target.log.Root().String(), metrics}})
}
