package scan

import (
	"context"

	"github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// facts answers what is asked of data columns from the statistics of a Delta table's files. One file that does not tell it exactly is
// enough for the rows to be read.
func (m *summary) facts(ctx context.Context) (Looked, error) {
	looked := Looked{Summary: true, Delta: true}
	m.n.Read = true
	if m.src.Delta == nil {
		looked.Untold = true
		return looked, nil
	}
	r := m.sc.deltaReader(ctx, m.n.Scan, m.src, m.settings)
	var known []*told
	for add := range m.src.Delta.AddsOf(r.wants) {
		if err := ctx.Err(); err != nil {
			return looked, err
		}
		g, err := r.groupOf(add.PartitionValues)
		if err != nil {
			return looked, err
		}
		if g < 0 {
			continue
		}
		for len(known) <= g {
			known = append(known, &told{values: make([]types.Value, len(m.n.Facts))})
		}
		if !known[g].add(m.n, r.deltaTable, add) {
			looked.Untold = true
			return looked, nil
		}
	}
	for g, t := range known {
		if t.rows > 0 {
			row := outputValues(m.n.Scan, m.src, r.groups[g].values, m.settings.Context)
			m.n.Source.Rows = append(m.n.Source.Rows, append(append(row, t.rows), t.values...))
		}
	}
	m.n.Read = false
	looked.Known, looked.Selected = len(r.index), len(known)
	return looked, nil
}

// told is what is known of the files of one partition so far.
type told struct {
	rows   int64
	values []types.Value // by fact
}

// add takes a file in; it reports false when the file's statistics leave something open.
func (t *told) add(n *plan.PartitionAggregate, table *deltaTable, file *delta.Add) bool {
	stats, ok := delta.ParseStats(file.Stats)
	live, counted := file.LiveRows()
	if !ok || !counted {
		return false
	}
	t.rows += live
	for i, f := range n.Facts {
		column := table.fields[table.at[f.Field]]
		typ := n.Scan.Relation.Schema[f.Field].Type
		e := stats.Exact(column.PhysicalName(table.mode), typ, file.DeletionVector)
		if f.Kind == plan.FactValues {
			if e.Values < 0 {
				return false
			}
			sum, _ := t.values[i].(int64)
			t.values[i] = sum + e.Values
			continue
		}
		if !e.Limits {
			return false
		}
		v := e.Min
		if f.Kind == plan.FactMax {
			v = e.Max
		}
		if v == nil {
			continue
		}
		if old := t.values[i]; old == nil || (types.Compare(typ, v, old) < 0) == (f.Kind == plan.FactMin) {
			t.values[i] = v
		}
	}
	return true
}
