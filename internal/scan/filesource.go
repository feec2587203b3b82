package scan

import (
	"context"
	"sync/atomic"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// fileSource gives the engine the rows of files that Tarn reads itself. Files are the tasks: each reader takes the next
// one until none is left.
type fileSource struct {
	sc       *Scanner
	scan     *plan.Scan
	src      *Source
	groups   []group
	tasks    []task
	next     atomic.Int64
	settings Settings
	data     []types.Field
	at       []int // column of the source → index into data, -1 for a partition column
}

type task struct {
	file  storage.File
	group int
	facts fileFacts
}

// fileFacts is what is known of a file beyond where it lies.
type fileFacts struct {
	// name is what plan.FileField says for its rows.
	name string
	// mask leaves out deleted rows; nil when there are none. deleted is their number.
	mask    engine.RowMask
	deleted int64
	// rows is the number of rows without the deleted ones, -1 when it is not known without a look at the file.
	rows int64
}

func newFileSource(sc *Scanner, n *plan.Scan, src *Source, groups []group, s Settings) *fileSource {
	fs := &fileSource{sc: sc, scan: n, src: src, groups: groups, settings: s}
	fs.data, fs.at = src.dataColumns()
	for g := range groups {
		for i, f := range groups[g].files {
			fs.tasks = append(fs.tasks, task{f, g, groups[g].factsOf(i)})
		}
	}
	return fs
}

// Rows implements engine.Source: text files tell nothing about their number of rows.
func (fs *fileSource) Rows() int64 { return -1 }

// Rewind implements engine.Source.
func (fs *fileSource) Rewind() { fs.next.Store(0) }

// Open implements engine.Source.
func (fs *fileSource) Open(_ context.Context, cols []int) (format.BatchReader, error) {
	r := &fileReader{fs: fs, cols: cols}
	for _, c := range cols {
		field := fs.scan.Fields[c]
		if field < 0 {
			continue
		}
		if k := fs.at[field]; k >= 0 {
			r.want = append(r.want, k)
		}
	}
	return r, nil
}

// fileReader reads one file after another.
type fileReader struct {
	fs   *fileSource
	cols []int // of the scan's output, in the order of the batches
	want []int // of the data columns
	open format.BatchReader
	out  vector.Batch
	// mask and row, the number of the next row, are those of the open file; rows and keep are for a batch.
	mask engine.RowMask
	row  int64
	rows []int64
	keep []bool
}

// Close implements format.BatchReader.
func (r *fileReader) Close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}

// Next implements format.BatchReader.
func (r *fileReader) Next(ctx context.Context) (*vector.Batch, error) {
	for {
		if r.open == nil {
			more, err := r.take(ctx)
			if !more || err != nil {
				return nil, err
			}
			continue
		}
		b, err := r.open.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			if err := r.Close(); err != nil {
				return nil, err
			}
			continue
		}
		if err := r.number(ctx, b); err != nil {
			return nil, err
		}
		r.merge(b)
		return &r.out, nil
	}
}

// take opens the next file. A file that is gone is left out when the session says so.
func (r *fileReader) take(ctx context.Context) (bool, error) {
	i := int(r.fs.next.Add(1)) - 1
	if i >= len(r.fs.tasks) {
		return false, nil
	}
	t := r.fs.tasks[i]
	data, err := r.fs.columnsOf(ctx, t)
	if err != nil {
		return false, err
	}
	open, err := r.fs.sc.openFile(ctx, r.fs.src, t.file, data, r.want, r.fs.settings)
	if err != nil {
		if r.fs.settings.IgnoreMissing && storage.KindOf(err) == storage.NotFound {
			return true, nil
		}
		return false, err
	}
	r.open, r.mask, r.row = open, t.facts.mask, 0
	values := r.fs.src.instants(r.fs.groups[t.group].values, r.fs.settings.Context)
	r.out.Cols = make([]vector.Column, len(r.cols))
	for k, c := range r.cols {
		field := r.fs.scan.Fields[c]
		switch field {
		case plan.FileField:
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, t.facts.name)
		case plan.URIField:
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, t.file.Location().JavaURI())
		case plan.BlockStartField:
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, int64(0))
		case plan.BlockLengthField:
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, t.file.Size)
		}
		if level := r.fs.src.partitionOf(field); level >= 0 {
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, values[level])
		}
	}
	return true, nil
}

// columnsOf are the data columns as a file names them.
func (fs *fileSource) columnsOf(ctx context.Context, t task) ([]types.Field, error) {
	if fs.src.Kind != FromDelta {
		return fs.data, nil
	}
	foot, _, err := fs.sc.footerOf(ctx, t.file, fs.settings)
	if err != nil || foot.shape == nil {
		return fs.data, err
	}
	columns, err := newDeltaTable(fs.src).fileColumns(t.file.Location().String(), foot.shape)
	if columns == nil {
		columns = fs.data
	}
	return columns, err
}

// openFile opens one file with the reader of its format.
func (sc *Scanner) openFile(ctx context.Context, src *Source, f storage.File, data []types.Field, want []int, s Settings) (format.BatchReader, error) {
	if src.Format == "parquet" {
		return sc.parquet.OpenRows(ctx, f, data, want, s.format())
	}
	return sc.readers[src.Format].Open(ctx, f, data, want, src.Options, s.format())
}

// number finds the numbers that the rows of a batch have in their file, and drops those that the file's mask leaves out.
func (r *fileReader) number(ctx context.Context, b *vector.Batch) error {
	r.rows, r.keep = r.rows[:0], append(r.keep[:0], make([]bool, b.Len)...)
	for i := range b.Len {
		r.rows = append(r.rows, r.row+int64(i))
	}
	r.row += int64(b.Len)
	if r.mask == nil {
		return nil
	}
	if err := r.mask.Mask(ctx, r.rows, r.keep); err != nil {
		return err
	}
	n := 0
	for i, row := range r.rows {
		if r.keep[i] {
			r.rows[n] = row
			n++
		}
	}
	r.rows = r.rows[:n]
	b.Keep(r.keep)
	return nil
}

// merge puts the columns that were read beside those that are the same for the whole file.
func (r *fileReader) merge(b *vector.Batch) {
	r.out.Len = b.Len
	next := 0
	for k, c := range r.cols {
		field := r.fs.scan.Fields[c]
		switch {
		case field == plan.RowField:
			r.out.Cols[k] = vector.Column{Type: r.fs.scan.Out[c].Type, Int: r.rows}
		case field >= 0 && r.fs.at[field] >= 0:
			r.out.Cols[k] = b.Cols[next]
			next++
		}
	}
}
