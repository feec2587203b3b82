package partition

import "math"

// DecodeFileset reads what EncodeFileset wrote, for a table with the same types of partition columns. Other bytes are an error
// that wraps ErrCorrupt. The Fileset keeps b, which must not change.
func DecodeFileset(cols []Column, b []byte) (*Fileset, error) {
	r, _, err := newDecoder(b, filesetMagic)
	if err != nil {
		return nil, err
	}
	if n := r.length(math.MaxInt32); r.err == nil && n != len(cols) {
		return nil, corrupt("it has %d columns, the table %d", n, len(cols))
	}
	for _, col := range cols {
		if name := r.string(); r.err == nil && name != col.Type.String() {
			return nil, corrupt("column %s has type %s, in the table %s", col.Name, name, col.Type)
		}
	}
	f := &Fileset{cols: cols, domains: make([]domain, len(cols)), keys: make([]codes, len(cols))}
	f.n = r.length(len(r.buf) / minPartition)
	columns, sizes := make([][]uint32, len(cols)), make([]int, len(cols))
	for c, col := range cols {
		f.domains[c].form = formOf(col.Type)
		if f.n == 0 {
			continue
		}
		r.domain(&f.domains[c])
		sizes[c] = f.domains[c].size()
		columns[c] = r.codes(f.n, sizes[c])
		f.keys[c] = packCodes(columns[c], sizes[c])
	}
	lengths := r.chunks(f)
	for range r.length(len(r.buf)) { // sections of later versions
		r.uint()
		r.bytes(r.length(len(r.buf)))
	}
	f.raw = r.buf
	if r.err != nil {
		return nil, r.err
	}
	if !inOrder(columns, sizes, f.n) {
		return nil, corrupt("partitions are out of order or twice there")
	}
	if err := f.verify(lengths); err != nil {
		return nil, err
	}
	return f, nil
}

// minPartition is the fewest bytes that a partition takes in a chunk: three for its directory, one for the number of files.
const minPartition = 4

// chunks reads where the chunks of a file set are, and returns how long they are.
func (r *decoder) chunks(f *Fileset) (lengths []int) {
	row, start := 0, 0
	for range r.length(min(f.n, len(r.buf))) {
		f.chunks = append(f.chunks, chunk{row: row, start: start})
		partitions := r.length(f.n - row)
		if partitions == 0 {
			r.fail("a chunk without partitions")
		}
		if r.err != nil {
			return nil
		}
		row += partitions
		lengths = append(lengths, r.length(max(0, len(r.buf)-start)))
		start += lengths[len(lengths)-1]
	}
	if row != f.n {
		r.fail("%d partitions have no files' list", f.n-row)
	}
	return lengths
}

// verify reads all chunks, without keeping a name: later readers can rely on them.
func (f *Fileset) verify(lengths []int) error {
	var r chunkReader
	end := 0
	for k, c := range f.chunks {
		rows := f.n - c.row
		if k+1 < len(f.chunks) {
			rows = f.chunks[k+1].row - c.row
		}
		end = c.start + lengths[k]
		if end > len(f.raw) {
			return corrupt("it ends early")
		}
		r.reset(f.raw[c.start:end])
		for range rows {
			r.partition(nil)
		}
		if r.err == nil && len(r.buf) > 0 {
			r.fail("bytes are left over")
		}
		if r.err != nil {
			return r.err
		}
	}
	if end != len(f.raw) {
		return corrupt("bytes are left over")
	}
	return nil
}

// chunkReader reads the partitions of a chunk one after the other.
type chunkReader struct {
	decoder
	dir, name, spare []byte // the last directory and name, and room for the next
	modTime          int64
}

func (r *chunkReader) reset(chunk []byte) {
	r.decoder = decoder{buf: chunk}
	r.dir, r.name, r.modTime = r.dir[:0], r.name[:0], 0
}

// partition reads the next partition, into p unless it is nil.
func (r *chunkReader) partition(p *PartitionFiles) {
	r.dir = r.between(r.dir)
	n := r.length(len(r.buf))
	if p != nil {
		p.Dir = string(r.dir)
		p.Files = make([]FileEntry, n)
	}
	for i := 0; i < n && r.err == nil; i++ {
		r.name = r.between(r.name)
		size, rows := r.int(), r.int()
		r.modTime += r.int()
		if p != nil {
			p.Files[i] = FileEntry{Name: string(r.name), Size: size, Rows: rows, ModTime: r.modTime}
		}
	}
}

// between reads the text that encoder.between wrote after last, whose bytes it reuses.
func (r *chunkReader) between(last []byte) []byte {
	head, tail := int(r.byte()), int(r.byte())
	middle := r.bytes(r.length(len(r.buf)))
	if head+tail > len(last) {
		r.fail("a text shares more than there is")
		return last
	}
	next := append(r.spare[:0], last[:head]...)
	next = append(next, middle...)
	next = append(next, last[len(last)-tail:]...)
	r.spare = last
	return next
}
