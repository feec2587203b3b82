package partition

import (
	"iter"
	"sort"
)

// FileEntry is one file of a file set.
type FileEntry struct {
	Name string // of the file, below Dir
	Size int64  // bytes on storage
	Rows int64
	// ModTime is when the file was last changed, as it was listed after it was published: nanoseconds since 1970-01-01 00:00:00 UTC;
	// 0 when unknown.
	ModTime int64
}

// PartitionFiles are the files that one commit wrote for one partition.
type PartitionFiles struct {
	Values Values
	// Dir is the directory below the table's location, its parts joined by '/'; "" for the location itself.
	Dir   string
	Files []FileEntry
}

// Fileset is the files that one commit wrote, partition by partition in the order of their values. It is immutable. Names are
// taken out of the stored form when they are asked for. The bytes are described in docs/format/fileset.md.
type Fileset struct {
	cols    []Column
	n       int
	domains []domain
	keys    []codes
	chunks  []chunk
	// raw are the chunks' bytes, one after the other; they have been read once, so reading them cannot fail.
	raw []byte
}

// chunk is some partitions whose names build on one another: to read one, those before it in the chunk are read.
type chunk struct {
	row   int // first partition
	start int // in the bytes of all chunks
}

// Of is what the commit wrote for the partition with these values, one per column, in canonical form.
func (f *Fileset) Of(v Values) (PartitionFiles, bool) {
	row, ok := findRow(f.cols, f.domains, f.keys, f.n, v)
	if !ok {
		return PartitionFiles{}, false
	}
	at := sort.Search(len(f.chunks), func(i int) bool { return f.chunks[i].row > row }) - 1
	r := f.reader(at)
	for range row - f.chunks[at].row {
		r.partition(nil)
	}
	return f.read(r, row), true
}

// All yields the partitions in the order of their values, NULL first; the files of each in the order of their names.
func (f *Fileset) All() iter.Seq[PartitionFiles] {
	return func(yield func(PartitionFiles) bool) {
		for k, c := range f.chunks {
			end := f.n
			if k+1 < len(f.chunks) {
				end = f.chunks[k+1].row
			}
			r := f.reader(k)
			for row := c.row; row < end; row++ {
				if !yield(f.read(r, row)) {
					return
				}
			}
		}
	}
}

func (f *Fileset) reader(chunk int) *chunkReader {
	return &chunkReader{decoder: decoder{buf: f.raw[f.chunks[chunk].start:]}}
}

func (f *Fileset) read(r *chunkReader, row int) PartitionFiles {
	p := PartitionFiles{Values: make(Values, len(f.cols))}
	for c, col := range f.cols {
		p.Values[c] = f.domains[c].value(col.Type, f.keys[c].at(row))
	}
	r.partition(&p)
	return p
}
