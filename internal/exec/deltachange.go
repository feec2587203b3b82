package exec

import (
	"context"
	"strconv"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// deltaChange replaces files of a Delta table by copies with some rows changed: DELETE, UPDATE, MERGE and REPLACE WHERE.
type deltaChange struct {
	*run
	target *deltaTarget
	into   bind.InsertTarget
	commit *delta.Change
	// files are the copies, nil when there are none.
	files *deltaFiles
	// updated and deleted count rows; before is how many rows the replaced files had.
	updated, deleted, before int64
	gone                     []*protocol.Add
}

// changing is a DELETE, UPDATE or MERGE that is bound, and its name for messages.
type changing struct {
	*deltaChange
	operation string
	bound     *bind.Change
	again     func(context.Context) (*bind.Change, error)
}

// planChange binds DELETE, UPDATE and MERGE.
func (r *run) planChange(ctx context.Context, stmt ast.Statement) (*changing, error) {
	var name ast.Name
	p := &changing{}
	var bound func(ctx context.Context, into bind.InsertTarget, env bind.Env) (*bind.Change, error)
	switch n := stmt.(type) {
	case *ast.Delete:
		name, p.operation = n.Table, "DELETE FROM"
		bound = func(ctx context.Context, into bind.InsertTarget, env bind.Env) (*bind.Change, error) {
			return bind.BindDelete(ctx, n, into, env)
		}
	case *ast.Update:
		name, p.operation = n.Table, "UPDATE"
		bound = func(ctx context.Context, into bind.InsertTarget, env bind.Env) (*bind.Change, error) {
			return bind.BindUpdate(ctx, n, into, r.deltaAssignment(), env)
		}
	case *ast.Merge:
		if r.s.Conf.Bool(conf.AutoMerge) && !n.Evolve {
			evolving := *n
			evolving.Evolve = true
			return r.planChange(ctx, &evolving)
		}
		name, p.operation = n.Table, "MERGE INTO"
		bound = func(ctx context.Context, into bind.InsertTarget, env bind.Env) (*bind.Change, error) {
			return bind.BindMerge(ctx, n, into, r.deltaAssignment(), env)
		}
	}
	t, ok, err := r.deltaTargetOf(ctx, name, p.operation)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sqlerr.Unsupported("TABLE_OPERATION", p.operation+" of a table that is not a Delta table").At(name.Span())
	}
	p.deltaChange = &deltaChange{run: r, target: t, commit: &delta.Change{}}
	if p.into, err = t.into(); err != nil {
		return nil, err
	}
	if n, ok := stmt.(*ast.Merge); ok {
		if err := p.evolveMerge(ctx, n); err != nil {
			return nil, err
		}
	}
	p.again = func(ctx context.Context) (*bind.Change, error) { return bound(ctx, p.into, r.bindEnv(t.rels)) }
	p.bound, err = p.again(ctx)
	return p, err
}

// changeTable runs DELETE, UPDATE and MERGE up to the commit.
func (r *run) changeTable(ctx context.Context, stmt ast.Statement) (*deltaChange, error) {
	p, err := r.planChange(ctx, stmt)
	if err != nil {
		return nil, err
	}
	return p.deltaChange, p.apply(ctx, p.bound, p.again)
}

// apply finds the files to replace and writes their copies. Nothing is committed.
func (m *deltaChange) apply(ctx context.Context, c *bind.Change, again func(context.Context) (*bind.Change, error)) error {
	t := m.target
	t.source.Confined = nil
	counts, err := m.find(ctx, c)
	if err != nil {
		return err
	}
	confined := map[string]bool{}
	for a := range t.snap.Adds() {
		n, ok := counts[a.Path]
		if !ok {
			continue
		}
		m.gone = append(m.gone, a)
		m.updated, m.deleted = m.updated+n.updated, m.deleted+n.deleted
		rows, known := a.LiveRows()
		if known {
			m.before += rows
		}
		// A file of which every row goes has no copy.
		if !(known && n.deleted == rows) {
			confined[a.Path] = true
		}
	}
	copies := c.Copy != nil && (len(confined) > 0 || c.Inserts)
	if copies {
		t.source.Confined = confined
		if c.Find == nil {
			t.source.Confined = nil
		}
		rows := t.rows()
		first := c
		rows.bind = func(ctx context.Context) (plan.Node, bool, error) {
			c := first
			if first = nil; c == nil {
				var err error
				if c, err = again(ctx); err != nil {
					return nil, false, err
				}
			}
			return c.Copy, false, nil
		}
		m.rest(ctx, c.Copy)
		if m.files, err = m.writeDeltaFiles(ctx, t.log, rows); err != nil {
			return err
		}
		m.commit.Adds = append(m.commit.Adds, m.files.adds...)
	}
	for _, a := range m.gone {
		m.commit.Removes = append(m.commit.Removes, protocol.RemoveOf(a, m.now.UnixMilli(), true))
	}
	return nil
}

// rowsOf counts what happens to the rows of a file.
type rowsOf struct{ updated, deleted int64 }

// find says which files hold rows that change. The commit rests on all files that were looked at.
func (m *deltaChange) find(ctx context.Context, c *bind.Change) (map[string]rowsOf, error) {
	t := m.target
	out := map[string]rowsOf{}
	if c.Find == nil {
		return out, nil
	}
	m.rest(ctx, c.Find)
	if c.Whole {
		known := true
		for a := range t.snap.Adds() {
			n, ok := a.LiveRows()
			out[a.Path], known = rowsOf{deleted: n}, known && ok
		}
		if known {
			return out, nil
		}
	}
	inputs, err := m.steadyInputs(ctx, c.Find, t.rels)
	if err != nil {
		return nil, err
	}
	rows, err := m.x.Engine.Query(ctx, m.engineQuery(c.Find, inputs, "looking for rows to change"))
	if err != nil {
		return nil, err
	}
	for {
		b, err := rows.Next(ctx)
		if err != nil {
			_ = rows.Close()
			return nil, err
		}
		if b == nil {
			return out, rows.Close()
		}
		for i := range b.Len {
			out[b.Cols[0].Value(i).(string)] = rowsOf{b.Cols[1].Int[i], b.Cols[2].Int[i]}
		}
	}
}

// rest notes what the commit rests on: the files that scans of the target read, and those that they would have read.
func (m *deltaChange) rest(ctx context.Context, root plan.Node) {
	t := m.target
	reads := &m.commit.Reads
	if t.readsItself(root) {
		reads.WholeTable = true
	}
	_ = plan.Walk(root, func(n plan.Node) error {
		scan, ok := n.(*plan.Scan)
		if !ok || !scan.Changed || scan.Relation != t.scan {
			return nil
		}
		matches := m.x.Scans.DeltaMatches(ctx, scan, t.source, m.scanSettings())
		before := reads.Matches
		reads.Matches = func(a *protocol.Add) (bool, error) {
			if before != nil {
				if hit, err := before(a); hit || err != nil {
					return hit, err
				}
			}
			return matches(a)
		}
		if reads.Files == nil {
			reads.Files = map[string]bool{}
		}
		for a := range t.snap.Adds() {
			if hit, err := matches(a); hit || err != nil {
				reads.Files[a.Key().Path] = true
			}
		}
		return nil
	})
}

// finish commits, and answers with the counts of the statement.
func (m *deltaChange) finish(ctx context.Context, operation string, parameters []protocol.Parameter, counts []deltaCount) (*Result, error) {
	metrics := m.metrics(operation)
	row, columns := []types.Value{}, []plan.Column{}
	for _, c := range counts {
		if c.metric != "" {
			metrics[c.metric] = decimal(c.n)
		}
		if c.column != "" {
			columns, row = append(columns, longColumn(c.column)), append(row, c.n)
		}
	}
	m.target.evolveBy(m.commit)
	if len(m.commit.Removes)+len(m.commit.Adds) > 0 || m.commit.Metadata != nil {
		m.commit.Info = m.deltaInfo(operation, parameters, metrics)
		if _, err := m.commitDelta(ctx, m.target, m.commit); err != nil {
			if m.files != nil {
				m.files.discard(ctx)
			}
			return nil, err
		}
	}
	return table(columns, [][]types.Value{row}), nil
}

// metrics are those of the files, by the names that Delta has for an operation.
func (m *deltaChange) metrics(operation string) map[string]string {
	var removed, added int64
	for _, a := range m.gone {
		removed += a.Size
	}
	for _, a := range m.commit.Adds {
		added += a.Size
	}
	out := map[string]string{"executionTimeMs": decimal(m.x.Now().Sub(m.now).Milliseconds())}
	names := []string{"numRemovedFiles", "numAddedFiles", "numRemovedBytes", "numAddedBytes", "numAddedChangeFiles"}
	vectors := "numDeletionVectors"
	if operation == "MERGE" {
		names = []string{"numTargetFilesRemoved", "numTargetFilesAdded", "numTargetBytesRemoved", "numTargetBytesAdded", "numTargetChangeFilesAdded"}
		vectors = "numTargetDeletionVectors"
	}
	for i, n := range []int64{int64(len(m.gone)), int64(len(m.commit.Adds)), removed, added, 0} {
		out[names[i]] = decimal(n)
	}
	// Rows are never marked as deleted: their files are copied.
	for _, what := range []string{"Added", "Removed", "Updated"} {
		out[vectors+what] = "0"
	}
	return out
}

// deltaCount is a number of rows: a column of the answer, and a metric of the commit.
type deltaCount struct {
	column, metric string
	n              int64
}

func predicate(e ast.Expr) []protocol.Parameter {
	var list []string
	if e != nil {
		list = append(list, e.String())
	}
	return []protocol.Parameter{protocol.ListParameter("predicate", list)}
}

// deleteRows runs DELETE FROM.
func (r *run) deleteRows(ctx context.Context, n *ast.Delete) (*Result, error) {
	m, err := r.changeTable(ctx, n)
	if err != nil {
		return nil, err
	}
	return m.finish(ctx, "DELETE", predicate(n.Where), []deltaCount{
		{"num_affected_rows", "numDeletedRows", m.deleted}, {"", "numCopiedRows", m.copied()},
	})
}

// copied is how many rows the copies have that did not change.
func (m *deltaChange) copied() int64 { return max(0, m.before-m.deleted-m.updated) }

// updateRows runs UPDATE.
func (r *run) updateRows(ctx context.Context, n *ast.Update) (*Result, error) {
	m, err := r.changeTable(ctx, n)
	if err != nil {
		return nil, err
	}
	return m.finish(ctx, "UPDATE", predicate(n.Where), []deltaCount{
		{"num_affected_rows", "numUpdatedRows", m.updated}, {"", "numCopiedRows", m.copied()},
	})
}

// mergeRows runs MERGE INTO.
func (r *run) mergeRows(ctx context.Context, n *ast.Merge) (*Result, error) {
	m, err := r.changeTable(ctx, n)
	if err != nil {
		return nil, err
	}
	inserted := int64(0)
	if m.files != nil {
		inserted = m.files.rows
	}
	inserted -= max(0, m.before-m.deleted)
	return m.finish(ctx, "MERGE", mergeParameters(n), append(m.perKind(n), []deltaCount{
		{"", "numOutputRows", inserted + m.copied() + m.updated},
		{"num_affected_rows", "", m.updated + m.deleted + inserted},
		{"num_updated_rows", "numTargetRowsUpdated", m.updated},
		{"num_deleted_rows", "numTargetRowsDeleted", m.deleted},
		{"num_inserted_rows", "numTargetRowsInserted", inserted},
		{"", "numTargetRowsCopied", m.copied()},
	}...))
}

// perKind counts the rows of the target that changed by whether a row of the source matched them, where the clauses tell.
func (m *deltaChange) perKind(n *ast.Merge) []deltaCount {
	has := [3]bool{}
	for _, c := range n.Clauses {
		has[c.Rows] = true
	}
	if has[ast.Matched] && has[ast.NotMatchedBySource] {
		return nil
	}
	kind, other := "Matched", "NotMatchedBySource"
	if has[ast.NotMatchedBySource] {
		kind, other = other, kind
	}
	return []deltaCount{
		{"", "numTargetRows" + kind + "Updated", m.updated},
		{"", "numTargetRows" + kind + "Deleted", m.deleted},
		{"", "numTargetRows" + other + "Updated", 0},
		{"", "numTargetRows" + other + "Deleted", 0},
	}
}

// mergeParameters are the conditions of a MERGE and of its clauses.
func mergeParameters(n *ast.Merge) []protocol.Parameter {
	type clause struct {
		Predicate string `json:"predicate,omitempty"`
		Action    string `json:"actionType"`
	}
	of := [3][]clause{{}, {}, {}}
	actions := map[ast.MergeAction]string{ast.MergeDelete: "delete", ast.MergeUpdate: "update", ast.MergeInsert: "insert"}
	for _, c := range n.Clauses {
		x := clause{Action: actions[c.Action]}
		if c.Cond != nil {
			x.Predicate = c.Cond.String()
		}
		of[c.Rows] = append(of[c.Rows], x)
	}
	out := predicate(n.On)
	for _, k := range []struct {
		rows ast.MergeRows
		name string
	}{{ast.Matched, "matchedPredicates"}, {ast.NotMatched, "notMatchedPredicates"}, {ast.NotMatchedBySource, "notMatchedBySourcePredicates"}} {
		out = append(out, protocol.TextParameter(k.name, plainJSON(of[k.rows])))
	}
	return out
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// reachOf says how far a write of a Delta table went.
func reachOf(snap *delta.Snapshot, c *delta.Change) (write.Result, string) {
	res := write.Result{Files: int64(len(c.Adds)), Untouched: -1}
	added, removed := map[string]bool{}, map[string]bool{}
	for _, a := range c.Adds {
		n, _ := a.LiveRows()
		res.Rows, res.Bytes = res.Rows+n, res.Bytes+a.Size
		added[a.PartitionValues.Key()] = true
	}
	for _, x := range c.Removes {
		removed[x.PartitionValues.Key()] = true
	}
	if snap == nil || len(snap.Metadata.PartitionColumns) == 0 {
		if len(removed) > 0 {
			return res, "replaced the whole table"
		}
		return res, "added " + counted(res.Rows, "row")
	}
	before := map[string]bool{}
	for a := range snap.Adds() {
		before[a.PartitionValues.Key()] = true
	}
	for k := range added {
		switch {
		case removed[k]:
			res.Replaced++
		case !before[k]:
			res.Added++
		}
	}
	for k := range removed {
		if !added[k] {
			res.Removed++
		}
	}
	if len(removed) == 0 {
		return res, "added " + counted(res.Rows, "row")
	}
	res.Untouched = int64(len(before)) - res.Replaced - res.Removed
	text := "replaced " + decimal(res.Replaced) + " of " + decimal(int64(len(before))) + " partitions"
	if res.Removed > 0 {
		text += ", removed " + decimal(res.Removed)
	}
	if res.Added > 0 {
		text += ", added " + decimal(res.Added)
	}
	return res, text
}

// deltaAnswer is the row that a write answers with.
func (r *run) deltaAnswer(t *deltaTarget, res write.Result, told string) *Result {
	return r.writtenRow(res, told, res.Untouched, t.silent)
}
