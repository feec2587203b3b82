// Package parquet looks at Parquet files before any engine does: footers, the Spark schema they stand for, which
// of their types may be read as which table type, and a reader of its own for files the engine cannot read. It imports the
// format port and what lies below it, and no other adapter.
//
// Footers and pages are parsed here and not by a library: a listing may hold a hundred thousand footers, and files may
// be damaged on purpose, so sizes are checked before anything is allocated.
package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

const (
	// tailSize is how much of a file's end is read at first: most footers fit.
	tailSize = 16 << 10
	// maxFooter bounds a footer: beyond it the length itself is damaged.
	maxFooter = 128 << 20
	// trailer is the length of the footer's length and of the magic behind it.
	trailer = 8
)

var (
	magic          = []byte("PAR1")
	magicEncrypted = []byte("PARE")
)

// file is an open Parquet file whose metadata has been checked.
type file struct {
	storage.File
	meta   *metadata
	root   *node
	leaves []*node
	// farTimes is set when a file that is small enough to be in memory has INT96 values that DuckDB takes for others.
	farTimes bool
}

func (f *file) location() string { return f.Location().String() }

// ReadFooter reads and checks the footer of a file with one or two reads. Failures are *sqlerr.Error that name the
// file: FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER when it is not Parquet, cut short, damaged or encrypted, FILE_NOT_EXIST
// when it is gone. A column of a type that has no SQL equal is no failure here: its type in Schema is VOID, its comment says which
// Parquet type it has, and Compatible and Infer refuse it.
func ReadFooter(ctx context.Context, in storage.File) (format.Footer, error) {
	r, err := in.OpenAt(ctx)
	if err != nil {
		return format.Footer{}, failure(in, err)
	}
	f, err := openFile(ctx, in, r)
	if closeErr := r.Close(); err == nil && closeErr != nil {
		err = failure(in, closeErr)
	}
	if err != nil {
		return format.Footer{}, err
	}
	out := f.footer()
	if out.NeedsGo == "" && f.farTimes {
		out.NeedsGo = "INT96 timestamps beyond the year 9999"
	}
	return out, nil
}

// failure turns what went wrong with a file into what the user sees.
func failure(in storage.File, err error) error { return format.Failure(in, err, err.Error()) }

func openFile(ctx context.Context, in storage.File, r storage.ReaderAt) (*file, error) {
	if err := ctx.Err(); err != nil {
		return nil, failure(in, err)
	}
	location := in.Location().String()
	b, err := readMetadata(in, r)
	if err != nil {
		return nil, err
	}
	damaged := func(why string) error { return sqlerr.ReadFooter(location, why, nil) }
	f := &file{File: in}
	if f.meta, err = parseMetadata(b.meta); err != nil {
		return nil, damaged(err.Error())
	}
	if f.root, f.leaves, err = buildTree(f.meta.elements); err != nil {
		return nil, damaged(err.Error())
	}
	if why := f.check(r.Size()); why != "" {
		return nil, damaged(why)
	}
	if err := f.checkPages(b.all); err != nil {
		return nil, sqlerr.ReadFile(location, err.Error(), err)
	}
	return f, nil
}

// ending is what is read of a file to know it.
type ending struct {
	meta []byte // the footer's metadata
	all  []byte // the whole file when it is small, else nil
}

// readMetadata reads the end of a file.
func readMetadata(in storage.File, r storage.ReaderAt) (ending, error) {
	location := in.Location().String()
	size := r.Size()
	if size < int64(len(magic)+trailer) {
		return ending{}, sqlerr.ReadFooter(location, fmt.Sprintf("it is not a Parquet file: it has %d bytes only", size), nil)
	}
	tail := make([]byte, min(size, tailSize))
	if err := readAt(r, tail, size-int64(len(tail))); err != nil {
		return ending{}, failure(in, err)
	}
	end := tail[len(tail)-trailer:]
	switch {
	case bytes.Equal(end[4:], magicEncrypted):
		return ending{}, sqlerr.ReadFooter(location, "it is encrypted, which Tarn does not support", nil)
	case !bytes.Equal(end[4:], magic):
		return ending{}, sqlerr.ReadFooter(location, fmt.Sprintf("it is not a Parquet file, or it is cut short: it ends with %q", end[4:]), nil)
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > size-int64(len(magic)+trailer) || n > maxFooter || n == 0 {
		return ending{}, sqlerr.ReadFooter(location, fmt.Sprintf("its footer claims %d bytes, of a file of %d", n, size), nil)
	}
	have := tail[:len(tail)-trailer]
	if n <= int64(len(have)) {
		e := ending{meta: have[len(have)-int(n):]}
		if int64(len(tail)) == size {
			e.all = tail
		}
		return e, nil
	}
	b := make([]byte, n)
	copy(b[n-int64(len(have)):], have)
	if err := readAt(r, b[:n-int64(len(have))], size-trailer-n); err != nil {
		return ending{}, failure(in, err)
	}
	return ending{meta: b}, nil
}

// readAt fills p; a file that has become shorter is an error.
func readAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// check looks for what is impossible in the metadata; it returns why the file is damaged, "" when it is sound.
func (f *file) check(size int64) string {
	total := int64(0)
	for g := range f.meta.groups {
		rg := &f.meta.groups[g]
		if len(rg.chunks) != len(f.leaves) {
			return fmt.Sprintf("row group %d has %d columns, the schema %d", g, len(rg.chunks), len(f.leaves))
		}
		if total += rg.rows; total < 0 {
			return errThrift.Error()
		}
		for i := range rg.chunks {
			c, leaf := &rg.chunks[i], f.leaves[i]
			name := columnName(leaf)
			switch {
			case c.encrypted:
				return "its column " + name + " is encrypted, which Tarn does not support"
			case c.elsewhere:
				return "its column " + name + " lies in another file"
			case !c.described, c.values < 0, c.compressed < 0, c.dataOffset < 0, c.dictOffset < 0:
				return errThrift.Error()
			case c.codec < 0 || c.codec == codecLZO || int(c.codec) >= len(codecNames):
				return "its column " + name + " is compressed with " + codecName(c.codec) + ", which Tarn does not support"
			case c.physical != leaf.physical:
				return "its column " + name + " has two types"
			case c.start() > size || c.compressed > size-c.start():
				return "its column " + name + " lies beyond the end of the file"
			case c.values < rg.rows:
				return fmt.Sprintf("its column %s has %d values in a row group of %d rows", name, c.values, rg.rows)
			}
		}
	}
	return ""
}

func columnName(n *node) string {
	return "`" + (&refusal{node: n}).name() + "`"
}

// checkPages looks at the page headers of nested columns of a file that is small enough to be in memory: engines answer
// some whose headers contradict the footer.
func (f *file) checkPages(all []byte) error {
	if all == nil {
		return nil
	}
	for g := range f.meta.groups {
		for i := range f.meta.groups[g].chunks {
			c := &f.meta.groups[g].chunks[i]
			if c.physical == physInt96 && f.hasFarTimes(i, c, all) {
				f.farTimes = true
			}
			if f.leaves[i].rep == 0 {
				continue
			}
			values := int64(0)
			for data := all[c.start():min(c.start()+c.compressed, int64(len(all)))]; len(data) > 0 && values < c.values; {
				t := &thrift{b: data}
				h, err := parsePageHeader(t)
				if err == nil && int(h.packed) > len(data)-t.pos {
					err = errPage
				}
				if err != nil {
					return fmt.Errorf("its column %s is damaged: %w", columnName(f.leaves[i]), err)
				}
				if h.kind == pageData || h.kind == pageDataV2 {
					values += int64(max(h.values, 0))
				}
				data = data[t.pos+int(h.packed):]
			}
			first := &cursor{leaf: f.leaves[i], chunk: c, data: all[c.start():min(c.start()+c.compressed, int64(len(all)))], left: c.values}
			if more, err := first.more(); err == nil && more && first.rep() != 0 {
				return fmt.Errorf("its column %s is damaged: its first row begins inside another", columnName(f.leaves[i]))
			}
			if values != c.values {
				return fmt.Errorf("its column %s is damaged: its pages have %d values, the footer says %d", columnName(f.leaves[i]), values, c.values)
			}
		}
	}
	return nil
}

// hasFarTimes reports whether an INT96 column has values beyond the year 9999.
func (f *file) hasFarTimes(leaf int, c *chunk, all []byte) bool {
	const year10000 = 2_932_897 // days since 1970
	pages := &cursor{leaf: f.leaves[leaf], chunk: c, data: all[c.start():min(c.start()+c.compressed, int64(len(all)))], left: c.values}
	for pages.left > 0 {
		if err := pages.nextPage(); err != nil {
			return false // reading will say so
		}
		for _, b := range pages.page.bytes {
			if days := julianDays(b); days >= year10000 || days < -year10000 {
				return true
			}
		}
	}
	return false
}

// start is where the pages of a chunk begin.
func (c *chunk) start() int64 {
	if c.dictOffset > 0 && c.dictOffset < c.dataOffset {
		return c.dictOffset
	}
	return c.dataOffset
}

func (f *file) footer() format.Footer {
	out := format.Footer{Rows: f.rows(), NeedsGo: f.needsGo()}
	identified := false
	for i := range f.meta.elements {
		identified = identified || f.meta.elements[i].fieldID != 0
	}
	for _, c := range f.root.children {
		t, r := c.sparkType()
		field := types.Field{Name: c.name, Type: t}
		if r != nil {
			field.Type, field.Comment, field.HasComment = types.Of(types.Void), r.text(c), true
		}
		out.Schema = append(out.Schema, field)
		if identified {
			out.IDs = append(out.IDs, c.ids())
		}
	}
	out.Leaves = make([]format.Leaf, len(f.leaves))
	for i, l := range f.leaves {
		out.Leaves[i] = format.Leaf{Path: l.path(), Physical: physicalNames[l.physical], Logical: l.annotation()}
	}
	return out
}

// rows is the number of rows of all row groups; what the footer says of the whole file may differ, and readers do not use
// it.
func (f *file) rows() int64 {
	n := int64(0)
	for i := range f.meta.groups {
		n += f.meta.groups[i].rows
	}
	return n
}

// needsGo says why DuckDB cannot read the file, "" when it can.
func (f *file) needsGo() string {
	for g := range f.meta.groups {
		for i, c := range f.meta.groups[g].chunks {
			leaf := f.leaves[i]
			switch {
			case c.codec == codecLZ4Hadoop:
				return "the codec LZ4 in Hadoop's framing"
			case c.encodings&(1<<encByteStreamSplit) != 0 && c.physical != physFloat && c.physical != physDouble:
				return "the encoding BYTE_STREAM_SPLIT of " + physicalNames[leaf.physical]
			}
		}
	}
	return ""
}
