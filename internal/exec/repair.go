package exec

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/repair"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/vector"
)

// repairModes maps the clause of MSCK to what it does.
var repairModes = map[ast.RepairMode]partition.Mode{
	ast.RepairDefault: partition.AddMode, ast.RepairAdd: partition.AddMode, ast.RepairDrop: partition.DropMode, ast.RepairSync: partition.SyncMode,
}

func repairLabel(m ast.RepairMode) string {
	switch m {
	case ast.RepairAdd:
		return "MSCK REPAIR TABLE ... ADD PARTITIONS"
	case ast.RepairDrop:
		return "MSCK REPAIR TABLE ... DROP PARTITIONS"
	case ast.RepairSync:
		return "MSCK REPAIR TABLE ... SYNC PARTITIONS"
	}
	return "MSCK REPAIR TABLE"
}

func (r *run) repair(ctx context.Context, n *ast.Repair) (*Result, error) {
	if n.Mode == ast.RepairSyncMetadata {
		return r.syncMetadata(ctx, n)
	}
	return r.repairTable(ctx, n.Table, n.Spec, n.Where, repairTask{
		label: repairLabel(n.Mode), mode: repairModes[n.Mode], dryRun: n.DryRun, force: n.Force,
	})
}

// recoverPartitions is ALTER TABLE … RECOVER PARTITIONS, which means MSCK … ADD PARTITIONS.
func (r *run) recoverPartitions(ctx context.Context, n *ast.AlterTable) (*Result, error) {
	return r.repairTable(ctx, n.Name, nil, nil, repairTask{label: "ALTER TABLE ... RECOVER PARTITIONS", mode: partition.AddMode})
}

func (r *run) showDrift(ctx context.Context, n *ast.ShowDrift) (*Result, error) {
	return r.repairTable(ctx, n.Table, n.Spec, n.Where, repairTask{label: "SHOW DRIFT", mode: partition.SyncMode, dryRun: true})
}

// repairTask is what a statement asks of a repair.
type repairTask struct {
	label         string
	mode          partition.Mode
	dryRun, force bool
}

func (r *run) repairTable(ctx context.Context, name ast.Name, spec *ast.PartitionSpec, where ast.Expr, task repairTask) (*Result, error) {
	rel, err := r.readTable(ctx, name, task.label)
	if err != nil {
		return nil, err
	}
	if rel.table.Format == deltaFormat {
		return nil, sqlerr.DeltaNeedsNoRepair(rel.quoted(), task.label).At(name.Span())
	}
	if len(rel.table.Partition) == 0 {
		return nil, sqlerr.NotAPartitionedTable(task.label, rel.quoted()).At(name.Span())
	}
	req := repair.Request{
		Table: rel.table.ID, Name: rel.quoted(), Mode: task.mode, DryRun: task.dryRun, Force: task.force, Context: r.context(),
		MaxDropFraction: r.s.Conf.Fraction(conf.RepairMaxDropFraction), CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive),
		Commit: r.commit(task.label), Progress: func(dirs, parts int) {
			r.progress(fmt.Sprintf("%d directories read, %d partitions found", dirs, parts))
		},
	}
	req.Visible = func(ctx context.Context, root storage.Location) (*scan.Visibility, error) {
		return r.visible(ctx, rel.table.ID, root)
	}
	switch {
	case spec != nil:
		s, err := r.spec(ctx, rel, spec, true)
		if err != nil {
			return nil, err
		}
		req.Matchers = s.Matchers
	case where != nil:
		if req.Conjuncts, req.IDs, err = r.predicate(ctx, rel, where); err != nil {
			return nil, err
		}
	}
	if rel.table.Mode == catalog.Listing {
		return r.repairListing(ctx, rel, task)
	}
	rep := &repair.Repairer{Store: r.x.Store, Stores: r.x.Stores}
	report, err := rep.Run(ctx, req)
	if err != nil {
		return nil, at(err, name)
	}
	return actions(rel, report.Actions(), report.Applied), nil
}

// repairListing answers for a table whose partitions are not registered: there is nothing to repair.
func (r *run) repairListing(ctx context.Context, rel relation, task repairTask) (*Result, error) {
	r.s.Warn("NOTHING_TO_REPAIR", fmt.Sprintf("Each query of %s lists its directories, so it has no entries to repair. To keep a partition log instead, run CREATE OR REPLACE TABLE with TBLPROPERTIES ('%s'='true').", rel.fullName(), logProperty),
		map[string]string{"tableName": rel.quoted()})
	found, err := r.discover(ctx, rel)
	if err != nil {
		return nil, err
	}
	known := partition.NewSet(partitionColumns(rel.table))
	return actions(rel, partition.Diff(known, &partition.Found{Columns: known.Columns(), Codes: emptyCodes(known), Skipped: found.Skipped}, partition.DiffOptions{Mode: partition.SyncMode, Root: rel.table.Location}).Actions(), false), nil
}

func emptyCodes(s *partition.Set) [][]uint32 { return make([][]uint32, len(s.Columns())) }

var actionColumns = stringColumns("action", "partition", "location", "reason", "detail")

// actions is the answer of a repair: one row for each change and each name that was skipped. A new table may have as many as it
// has partitions, so the rows are made on a goroutine of their own while the ones before are printed.
func actions(rel relation, seq iter.Seq[partition.Action], applied bool) *Result {
	s := &actionRows{applied: applied, batches: make(chan *actionBatch, 4), spent: make(chan *actionBatch, 6), quit: make(chan struct{})}
	go s.produce(rel.table.Location, seq)
	return &Result{Columns: actionColumns, rows: s}
}

// actionRows is a running answer of a repair.
type actionRows struct {
	batches chan *actionBatch
	// spent are batches that were read, to be filled again; read is the one that the reader has now.
	spent  chan *actionBatch
	read   *actionBatch
	quit   chan struct{}
	closed bool
	err    error // why the producer ended early; read after batches is closed
	// applied tells that the changes are committed: what is interrupted is only the telling.
	applied bool
}

func (s *actionRows) canceled(cause error) error {
	if !s.applied {
		return canceled(cause)
	}
	e := sqlerr.CanceledAfterCommit()
	e.Cause = cause
	return e
}

func (s *actionRows) Columns() []plan.Column { return actionColumns }

func (s *actionRows) Close() error {
	if !s.closed {
		s.closed = true
		close(s.quit)
	}
	return nil
}

func (s *actionRows) Next(ctx context.Context) (*vector.Batch, error) {
	if s.read != nil {
		select {
		case s.spent <- s.read:
		default:
		}
		s.read = nil
	}
	select {
	case b, more := <-s.batches:
		if !more {
			return nil, s.err
		}
		s.read = b
		return &b.Batch, nil
	case <-ctx.Done():
		return nil, s.canceled(ctx.Err())
	}
}

// produce makes the batches until there are no more actions or the answer is closed.
func (s *actionRows) produce(root string, seq iter.Seq[partition.Action]) {
	defer close(s.batches)
	defer func() {
		if p := recover(); p != nil {
			s.err = sqlerr.Internal(fmt.Errorf("panic: %v", p))
		}
	}()
	root = strings.TrimRight(root, "/") + "/"
	send := func(b *actionBatch) bool {
		b.finish()
		select {
		case s.batches <- b:
			return true
		case <-s.quit:
			return false
		}
	}
	b := s.blank()
	for a := range seq {
		b.add(root, &a)
		if b.Len == vector.MaxRows {
			if !send(b) {
				return
			}
			b = s.blank()
		}
	}
	if b.Len > 0 {
		send(b)
	}
}

// blank is an empty batch.
func (s *actionRows) blank() *actionBatch {
	select {
	case b := <-s.spent:
		b.reset()
		return b
	default:
		return newActionBatch()
	}
}

// actionBatch is a batch of a repair's answer. Its locations share one string: one each would cost more than writing them
// does.
type actionBatch struct {
	vector.Batch
	locations []byte
	ends      []int // where each location ends
}

func newActionBatch() *actionBatch {
	b := &actionBatch{Batch: vector.Batch{Cols: make([]vector.Column, len(actionColumns))}, ends: make([]int, 0, vector.MaxRows)}
	for i := range b.Cols {
		b.Cols[i].Type = actionColumns[i].Type
		b.Cols[i].Str = make([]string, 0, vector.MaxRows)
	}
	return b
}

func (b *actionBatch) reset() {
	b.Len, b.locations, b.ends = 0, b.locations[:0], b.ends[:0]
	for i := range b.Cols {
		c := &b.Cols[i]
		c.Str, c.Nulls = c.Str[:0], c.Nulls[:0]
	}
}

func (b *actionBatch) add(root string, a *partition.Action) {
	if a.Abs != "" {
		b.locations = append(b.locations, a.Abs...)
	} else {
		b.locations = append(append(b.locations, root...), a.Rel...)
	}
	b.ends = append(b.ends, len(b.locations))
	c := b.Cols
	c[0].Str = append(c[0].Str, string(a.Kind))
	c[1].Str = append(c[1].Str, a.Partition)
	c[1].Nulls = append(c[1].Nulls, a.Partition == "")
	c[3].Str = append(c[3].Str, string(a.Reason))
	c[4].Str = append(c[4].Str, a.Detail)
	b.Len++
}

// finish makes the locations. The string is the batch's own and never written again, so that a reader may keep its parts.
func (b *actionBatch) finish() {
	start, joined := 0, string(b.locations)
	for _, end := range b.ends {
		b.Cols[2].Str = append(b.Cols[2].Str, joined[start:end])
		start = end
	}
}

// discover lists a table's partition directories.
func (r *run) discover(ctx context.Context, rel relation) (*partition.Found, error) {
	root, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return nil, err
	}
	return scan.Discover(ctx, r.x.Stores, root, partitionColumns(rel.table), scan.DiscoverOptions{CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive)})
}
