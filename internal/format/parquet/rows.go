package parquet

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// dictionaryHeader is the most that the header of a dictionary's page takes.
const dictionaryHeader = 100

// rows is a format.BatchReader over one file. It holds the wanted columns of one row group, as they lie in the file, in
// memory.
type rows struct {
	*file
	in      storage.ReaderAt
	kinds   []types.Type
	targets []*target     // nil where the file lacks the column
	missing []types.Value // what those columns are
	group   int           // the next row group
	left    int64         // rows of the current one
	asm     assembler
	row     []types.Value
}

// OpenRows reads one file without the engine; the arguments are those of format.Reader.Open. It is slower than the engine:
// it is for files with a NeedsGo. Failures are *sqlerr.Error: those of ReadFooter and Compatible, and FAILED_READ_FILE
// for pages that are damaged.
func OpenRows(ctx context.Context, in storage.File, schema []types.Field, want []int, s format.Settings) (format.BatchReader, error) {
	at, err := in.OpenAt(ctx)
	if err != nil {
		return nil, failure(in, err)
	}
	r, err := openRows(ctx, in, at, schema, want, s)
	if err != nil {
		at.Close()
		return nil, err
	}
	return r, nil
}

func openRows(ctx context.Context, in storage.File, at storage.ReaderAt, schema []types.Field, want []int, s format.Settings) (*rows, error) {
	f, err := openFile(ctx, in, at)
	if err != nil {
		return nil, err
	}
	r := &rows{file: f, in: at, row: make([]types.Value, len(want))}
	var wanted []types.Field
	for _, w := range want {
		wanted = append(wanted, schema[w])
	}
	if err := Compatible(f.location(), f.footer(), wanted, s); err != nil {
		return nil, err
	}
	for _, w := range wanted {
		r.kinds = append(r.kinds, w.Type)
		r.missing = append(r.missing, w.Missing)
		n := f.root.child(w.Name, s.CaseSensitive)
		if n == nil {
			r.targets = append(r.targets, nil)
			continue
		}
		t, refusal := newTarget(n, w.Type, false, s.CaseSensitive)
		if refusal != nil {
			return nil, sqlerr.ParquetTypeIllegal(f.location(), refusal.name(), refusal.node.text())
		}
		r.targets = append(r.targets, t)
	}
	return r, nil
}

// Close implements format.BatchReader.
func (r *rows) Close() error { return r.in.Close() }

// Next implements format.BatchReader.
func (r *rows) Next(ctx context.Context) (*vector.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, failure(r.File, err)
	}
	for r.left == 0 {
		if r.group >= len(r.meta.groups) {
			return nil, nil
		}
		if err := r.openGroup(); err != nil {
			return nil, err
		}
	}
	b := vector.NewBatch(r.kinds)
	n := int(min(r.left, vector.MaxRows))
	r.left -= int64(n)
	if len(r.targets) == 0 {
		b.Len = n
		return b, nil
	}
	for range n {
		for i, t := range r.targets {
			r.row[i] = r.missing[i]
			if t == nil {
				continue
			}
			v, err := r.asm.value(t)
			if err != nil {
				return nil, r.damaged(t.node, err)
			}
			r.row[i] = v
		}
		b.Append(r.row)
	}
	if r.left == 0 {
		return b, r.leftOver()
	}
	return b, nil
}

func (r *rows) damaged(n *node, err error) error {
	return sqlerr.ReadFile(r.location(), fmt.Sprintf("its column %s is damaged: %v", columnName(n), err), err)
}

// leftOver checks at the end of a row group that no column has values beyond its rows.
func (r *rows) leftOver() error {
	for _, c := range r.asm.cursors {
		if c == nil {
			continue
		}
		if more, err := c.more(); more || err != nil {
			if err == nil {
				err = fmt.Errorf("it has more values than rows")
			}
			return r.damaged(c.leaf, err)
		}
	}
	return nil
}

// openGroup reads the wanted columns of the next row group.
func (r *rows) openGroup() error {
	g := &r.meta.groups[r.group]
	r.group++
	r.left = g.rows
	r.asm.cursors = make([]*cursor, len(r.leaves))
	if g.rows == 0 {
		return nil
	}
	for _, t := range r.targets {
		if t == nil {
			continue
		}
		for _, l := range t.leaves {
			if r.asm.cursors[l] != nil {
				continue
			}
			c := &g.chunks[l]
			// Old writers left the dictionary's page header out of the size; the values are counted, so more does no harm.
			data := make([]byte, min(c.compressed+dictionaryHeader, r.in.Size()-c.start()))
			if err := readAt(r.in, data, c.start()); err != nil {
				return failure(r.File, err)
			}
			r.asm.cursors[l] = &cursor{leaf: r.leaves[l], chunk: c, data: data, left: c.values}
		}
	}
	return nil
}
