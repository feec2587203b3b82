package scan

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Summarize fills n.Source.Rows: one row for each partition of n.Scan that holds a row, with what the aggregates above it
// need. A partition without rows must not count (max(dt) over a table whose newest directory is empty is the day before), so
// each is looked at: a Parquet footer tells, of other formats the first row is read. fast takes every partition as it
// is listed, which is what spark.sql.optimizer.metadataOnly=true asks for.
func (sc *Scanner) Summarize(ctx context.Context, n *plan.PartitionAggregate, src *Source, fast bool, s Settings) (Looked, error) {
	if err := sc.readable(src.Format); err != nil {
		return Looked{}, err
	}
	s = s.with(src.Options)
	m := &summary{sc: sc, n: n, src: src, settings: s}
	m.data, _ = src.dataColumns()
	n.Source.Rows, n.Read = nil, false
	if len(n.Facts) > 0 {
		return m.facts(ctx)
	}
	fast = fast && !n.NeedRows
	if n.Extreme != nil && !fast {
		return m.extreme(ctx)
	}
	if fast && src.Kind == FromLog {
		return m.everyEntry()
	}
	if looked, ok, err := m.recorded(); ok || err != nil {
		return looked, err
	}
	if src.Kind == FromDelta && !fast {
		groups, rows, looked, ok, err := sc.deltaCounts(ctx, n.Scan, src, s)
		looked.Summary = true
		if ok {
			m.addAll(groups, rows)
		}
		if ok || err != nil {
			return looked, err
		}
	}
	groups, looked, err := sc.groups(ctx, n.Scan, src, s)
	looked.Summary = true
	if err != nil {
		return looked, err
	}
	rows := make([]int64, len(groups))
	if fast {
		for i := range rows {
			rows[i] = 1
		}
	} else if err := m.count(ctx, groups, rows); err != nil {
		return looked, err
	}
	m.addAll(groups, rows)
	looked.Opened = int(m.opened.Load())
	return looked, nil
}

// summary is one PartitionAggregate on its way.
type summary struct {
	sc       *Scanner
	n        *plan.PartitionAggregate
	src      *Source
	settings Settings
	data     []types.Field
	opened   atomic.Int64
}

func (m *summary) add(g group, rows int64) {
	row := outputValues(m.n.Scan, m.src, g.values, m.settings.Context)
	m.n.Source.Rows = append(m.n.Source.Rows, append(row, types.Value(rows)))
}

// addAll adds the groups that hold a row.
func (m *summary) addAll(groups []group, rows []int64) {
	for i, g := range groups {
		if rows[i] > 0 {
			m.add(g, rows[i])
		}
	}
}

// everyEntry takes the registered partitions without a look at storage.
func (m *summary) everyEntry() (Looked, error) {
	sel, err := m.src.Set.Prune(m.n.Scan.Prune, columnIDs(m.n.Scan, m.src), m.settings.Context)
	if err != nil {
		return Looked{}, err
	}
	for row := range sel.Rows() {
		m.add(group{values: m.src.Set.Values(row)}, 1)
	}
	return Looked{Known: m.src.Set.Len(), Selected: sel.Len(), Summary: true}, nil
}

// recorded answers from what commits have recorded, when it is recorded for every partition that the predicates leave: no
// file is opened and no directory listed.
func (m *summary) recorded() (looked Looked, ok bool, err error) {
	if m.src.Kind != FromLog || !m.src.Set.Recorded() || !m.countsHold() {
		return Looked{}, false, nil
	}
	sel, err := m.src.Set.Prune(m.n.Scan.Prune, columnIDs(m.n.Scan, m.src), m.settings.Context)
	if err != nil {
		return Looked{}, false, err
	}
	if _, _, _, all := m.src.Set.Totals(sel); !all {
		return Looked{}, false, nil
	}
	for row := range sel.Rows() {
		if n := m.src.Set.Content(row).Rows; n > 0 {
			m.add(group{values: m.src.Set.Values(row)}, n)
		}
	}
	return Looked{Known: m.src.Set.Len(), Selected: sel.Len(), Summary: true}, true, nil
}

// countsHold reports whether as many rows are read as were written. Of CSV it is a matter of the options and the values: a text
// with an end of line in it reads as two rows without multiLine.
func (m *summary) countsHold() bool { return m.src.Format != "csv" }

// count finds the number of rows of each group, or whether there is one.
func (m *summary) count(ctx context.Context, groups []group, rows []int64) error {
	if m.n.NeedRows {
		// Files, not partitions, are what is shared out: one partition may hold most of them.
		var files []storage.File
		var owner []int
		var facts []fileFacts
		for g := range groups {
			for i, f := range groups[g].files {
				files, owner, facts = append(files, f), append(owner, g), append(facts, groups[g].factsOf(i))
			}
		}
		counts := make([]int64, len(files))
		err := parallel.Each(ctx, threadCount(0), len(files), func(i int) (err error) {
			counts[i], err = m.fileRows(ctx, files[i], facts[i], true)
			return err
		})
		for i, c := range counts {
			rows[owner[i]] += c
		}
		return err
	}
	return parallel.Each(ctx, threadCount(0), len(groups), func(i int) (err error) {
		rows[i], err = m.groupRows(ctx, groups[i])
		return err
	})
}

// groupRows is a positive number when one of the group's files holds a row.
func (m *summary) groupRows(ctx context.Context, g group) (int64, error) {
	for i, f := range g.files {
		n, err := m.fileRows(ctx, f, g.factsOf(i), false)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// fileRows counts the rows of a file; unless all are wanted, text files are read up to the first.
func (m *summary) fileRows(ctx context.Context, f storage.File, known fileFacts, all bool) (int64, error) {
	if known.rows >= 0 {
		return known.rows, nil
	}
	if m.src.Format == "parquet" {
		foot, opened, err := m.sc.footerOf(ctx, f, m.settings)
		if opened {
			m.opened.Add(1)
		}
		return max(foot.rows-known.deleted, 0), err
	}
	m.opened.Add(1)
	r, err := m.sc.openFile(ctx, m.src, f, m.data, nil, m.settings)
	if err != nil {
		if m.settings.IgnoreMissing && storage.KindOf(err) == storage.NotFound {
			return 0, nil
		}
		return 0, err
	}
	n, err := drain(ctx, r, all)
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	return n, err
}

func drain(ctx context.Context, r format.BatchReader, all bool) (int64, error) {
	var n int64
	for {
		b, err := r.Next(ctx)
		if b == nil || err != nil {
			return n, err
		}
		n += int64(b.Len)
		if !all && n > 0 {
			return n, nil
		}
	}
}

// extreme looks at partitions from the end where the answer is, until one holds a row.
func (m *summary) extreme(ctx context.Context) (Looked, error) {
	x := m.n.Extreme
	level := m.src.partitionOf(x.Field)
	if m.src.Kind != FromLog {
		return m.extremeOfTree(ctx, level)
	}
	looked := Looked{Known: m.src.Set.Len(), Summary: true}
	sel, err := m.src.Set.Prune(m.n.Scan.Prune, columnIDs(m.n.Scan, m.src), m.settings.Context)
	if err != nil {
		return looked, err
	}
	looked.Selected = sel.Len()
	var winner group
	won := false
	rows := func(row int) (int64, error) {
		if c := m.src.Set.Content(row); c.Recorded && m.countsHold() {
			if c.Rows > 0 {
				winner, won = group{values: m.src.Set.Values(row)}, true
			}
			return c.Rows, nil
		}
		groups, err := m.sc.filesOf(ctx, m.src, m.src.Set.SelectRows(row), m.settings)
		if err != nil {
			return 0, err
		}
		n, err := m.groupRows(ctx, groups[0])
		if n > 0 {
			winner, won = groups[0], true
		}
		return n, err
	}
	if x.Min {
		_, err = m.src.Set.MinNonEmpty(level, sel, rows)
	} else {
		_, err = m.src.Set.MaxNonEmpty(level, sel, rows)
	}
	if won && err == nil {
		m.add(winner, 1)
	}
	looked.Opened = int(m.opened.Load())
	return looked, err
}

func (m *summary) extremeOfTree(ctx context.Context, level int) (Looked, error) {
	groups, looked, err := m.sc.groups(ctx, m.n.Scan, m.src, m.settings)
	looked.Summary = true
	if err != nil {
		return looked, err
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return g.values[level] == nil })
	t := m.src.Partition[level].Type
	slices.SortStableFunc(groups, func(a, b group) int {
		c := types.Compare(t, a.values[level], b.values[level])
		if m.n.Extreme.Min {
			return c
		}
		return -c
	})
	for _, g := range groups {
		n, err := m.groupRows(ctx, g)
		if err != nil {
			return looked, err
		}
		if n > 0 {
			m.add(g, 1)
			break
		}
	}
	looked.Opened = int(m.opened.Load())
	return looked, nil
}
