package scan

import (
	"context"
	"sync/atomic"

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
}

func newFileSource(sc *Scanner, n *plan.Scan, src *Source, groups []group, s Settings) *fileSource {
	fs := &fileSource{sc: sc, scan: n, src: src, groups: groups, settings: s}
	fs.data, fs.at = src.dataColumns()
	for g := range groups {
		for _, f := range groups[g].files {
			fs.tasks = append(fs.tasks, task{f, g})
		}
	}
	return fs
}

// Rows implements engine.Source: text files tell nothing about their number of rows.
func (fs *fileSource) Rows() int64 { return -1 }

// Open implements engine.Source.
func (fs *fileSource) Open(_ context.Context, cols []int) (format.BatchReader, error) {
	r := &fileReader{fs: fs, cols: cols}
	for _, c := range cols {
		field := fs.scan.Fields[c]
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
	open, err := r.fs.sc.openFile(ctx, r.fs.src, t.file, r.fs.data, r.want, r.fs.settings)
	if err != nil {
		if r.fs.settings.IgnoreMissing && storage.KindOf(err) == storage.NotFound {
			return true, nil
		}
		return false, err
	}
	r.open = open
	values := r.fs.groups[t.group].values
	r.out.Cols = make([]vector.Column, len(r.cols))
	for k, c := range r.cols {
		field := r.fs.scan.Fields[c]
		if level := r.fs.src.partitionOf(field); level >= 0 {
			p := r.fs.src.Partition[level]
			r.out.Cols[k] = vector.ConstColumn(r.fs.scan.Out[c].Type, Instant(p.Type, values[level], r.fs.settings.Context))
		}
	}
	return true, nil
}

// openFile opens one file with the reader of its format.
func (sc *Scanner) openFile(ctx context.Context, src *Source, f storage.File, data []types.Field, want []int, s Settings) (format.BatchReader, error) {
	if src.Format == "parquet" {
		return sc.parquet.OpenRows(ctx, f, data, want, s.format())
	}
	return sc.readers[src.Format].Open(ctx, f, data, want, src.Options, s.format())
}

// merge puts the columns that were read beside the partition columns.
func (r *fileReader) merge(b *vector.Batch) {
	r.out.Len = b.Len
	next := 0
	for k, c := range r.cols {
		if r.fs.at[r.fs.scan.Fields[c]] >= 0 {
			r.out.Cols[k] = b.Cols[next]
			next++
		}
	}
}
