package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// truncate removes the rows of a managed table or of some of its partitions, which stay registered.
func (r *run) truncate(ctx context.Context, n *ast.Truncate) (*Result, error) {
	if ok, err := r.truncateDelta(ctx, n); ok || err != nil {
		return none(), err // whose rows are looked at when there is no error
	}
	in, err := r.planTruncate(ctx, n)
	if err != nil {
		return nil, err
	}
	if _, err := r.commitFiles(ctx, in); err != nil {
		return nil, err
	}
	return none(), nil
}

func (r *run) planTruncate(ctx context.Context, n *ast.Truncate) (*insertion, error) {
	const operation = "TRUNCATE TABLE"
	rel, err := r.readTable(ctx, n.Table, operation)
	if err != nil {
		return nil, err
	}
	if rel.table.Kind == catalog.External {
		return nil, sqlerr.CannotTruncateExternal(rel.quoted()).At(n.Table.Span())
	}
	if err := writable(rel.place); err != nil {
		return nil, at(err, n.Table)
	}
	if n.Spec != nil && len(rel.table.Partition) == 0 {
		return nil, sqlerr.NotAPartitionedTable("TRUNCATE TABLE ... PARTITION", rel.quoted()).At(n.Table.Span())
	}
	target, err := r.writeTarget(ctx, rel)
	if err != nil {
		return nil, at(err, n.Table)
	}
	in := &insertion{operation: operation, target: target, scope: write.Scope{Kind: write.Empty}}
	if n.Spec == nil {
		return in, nil
	}
	s, err := r.spec(ctx, rel, n.Spec, true)
	if err != nil {
		return nil, err
	}
	in.scope.Matchers = s.Matchers
	if target.Registered && target.Set.Match(s.Matchers).Len() == 0 && len(s.Matchers) == len(rel.table.Partition) {
		return nil, sqlerr.PartitionsNotFound([]string{specText(n.Spec)}, twoPart(rel)).At(n.Spec.Span())
	}
	return in, nil
}

// removePartitions drops partitions together with their files: PURGE of a managed table, DELETE FILES of an external one, and
// any managed table whose entries name their files, since nothing else would ever find them again.
func (r *run) removePartitions(ctx context.Context, n *ast.AlterTable, a *ast.DropPartitions, rel relation) (*Result, error) {
	const operation = "ALTER TABLE ... DROP PARTITION ..."
	if err := writable(rel.place); err != nil {
		return nil, at(err, n.Name)
	}
	target, err := r.writeTarget(ctx, rel)
	if err != nil {
		return nil, at(err, n.Name)
	}
	drop, err := r.dropped(ctx, rel, target.Set, a)
	if err != nil {
		return nil, err
	}
	rows := [][]types.Value{}
	for i := range target.Set.BySpec(drop) {
		rows = append(rows, []types.Value{target.Set.Spec(i), rowLocation(rel, target.Set, i)})
	}
	answer := table(droppedColumns(), rows)
	if drop.Len() == 0 {
		return answer, nil
	}
	gone := map[string]bool{}
	for i := range drop.Rows() {
		gone[target.Set.Spec(i)] = true
	}
	cols := target.Columns
	in := &insertion{operation: operation, target: target, scope: write.Scope{Kind: write.Remove, Selects: func(v partition.Values) (bool, error) {
		return gone[partition.SpecText(cols, v)], nil
	}}}
	if a.Purge || a.DeleteFiles {
		in.target.Grace = 0
	}
	res, err := r.commitFiles(ctx, in)
	if err != nil {
		return nil, err
	}
	if a.Purge || a.DeleteFiles {
		if err := r.x.Writes.Purge(ctx, res.Txn, rel.table.ID); err != nil {
			r.s.Warn("FILES_LEFT", "The partitions are dropped. Some of their files could not be deleted and wait for VACUUM: "+err.Error(), nil)
		}
	}
	return answer, nil
}

func droppedColumns() []plan.Column { return stringColumns("partition", "location") }

// dropped selects the partitions that ALTER TABLE … DROP names.
func (r *run) dropped(ctx context.Context, rel relation, set *partition.Set, a *ast.DropPartitions) (*partition.Selection, error) {
	drop := set.SelectRows()
	var absent []string
	for _, s := range a.Specs {
		sel, err := r.matching(ctx, rel, set, s)
		if err != nil {
			return nil, err
		}
		if sel.Len() == 0 {
			absent = append(absent, specText(s))
		}
		drop = drop.Or(sel)
	}
	if len(absent) > 0 && !a.IfExists {
		return nil, sqlerr.PartitionsNotFound(absent, twoPart(rel)).At(a.Span())
	}
	return drop, nil
}
