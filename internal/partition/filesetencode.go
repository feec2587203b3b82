package partition

import (
	"cmp"
	"slices"

	"github.com/tarnlake/tarn/internal/types"
)

// The format is described in docs/format/fileset.md.
const (
	filesetMagic = "TFS1"
	// chunkFiles is how many files, or partitions without any, a chunk has at least: what reading one partition reads besides.
	// 256 cost some 10 µs, and make the names that are written in full not count.
	chunkFiles = 256
)

// EncodeFileset is the stored form of what one commit wrote. It sorts partitions by values and files by name, in copies. What
// is given of one partition in several parts is joined; parts in different directories are the caller's mistake and panic, since one
// of the two would be lost.
func EncodeFileset(cols []Column, parts []PartitionFiles) []byte {
	values := make([]Values, len(parts))
	for i, p := range parts {
		values[i] = CanonicalValues(cols, p.Values)
	}
	b := &block{n: len(parts), domains: make([]domain, len(cols)), codes: make([][]uint32, len(cols))}
	for c, col := range cols {
		b.domains[c], b.codes[c] = buildDomain(col.Type, len(parts), func(i int) types.Value { return values[i][c] })
	}
	keys, order := packKeys(b.codes, b.sizes(), b.n), count(b.n)
	sortRows(keys, order)

	w := chunkWriter{}
	var firsts []uint32 // of each partition, the first part
	for i := 0; i < len(order); {
		end := i + 1
		for end < len(order) && keys[end] == keys[i] {
			end++
		}
		firsts = append(firsts, order[i])
		w.partition(joinParts(cols, parts, order[i:end]))
		i = end
	}
	w.cut()

	out := &encoder{buf: make([]byte, headerSize, headerSize+64+len(w.buf)+4*len(firsts))}
	copy(out.buf, filesetMagic)
	out.uint(uint64(len(cols)))
	for _, col := range cols {
		out.string(col.Type.String())
	}
	out.uint(uint64(len(firsts)))
	if len(firsts) > 0 {
		for c := range cols {
			out.domain(&b.domains[c])
			out.codes(take(b.codes[c], firsts), b.domains[c].size())
		}
	}
	out.uint(uint64(len(w.cuts)))
	for _, c := range w.cuts {
		out.uint(uint64(c.partitions))
		out.uint(uint64(c.bytes))
	}
	out.uint(0) // optional sections
	out.buf = append(out.buf, w.buf...)
	out.sum()
	return out.buf
}

// joinParts is the parts of one partition as one, its files in the order of their names.
func joinParts(cols []Column, parts []PartitionFiles, of []uint32) PartitionFiles {
	p := parts[of[0]]
	for _, i := range of[1:] {
		if parts[i].Dir != p.Dir {
			panic("a file set has partition " + SpecText(cols, p.Values) + " in two directories: " + p.Dir + " and " + parts[i].Dir)
		}
		p.Files = append(slices.Clip(p.Files), parts[i].Files...)
	}
	byName := func(a, b FileEntry) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(p.Files, byName) {
		p.Files = slices.Clone(p.Files)
		slices.SortStableFunc(p.Files, byName)
	}
	return p
}

// chunkWriter writes partitions, each name as what differs from the one before it in its chunk.
type chunkWriter struct {
	encoder
	cuts []cut

	// Of the chunk in hand:
	start, partitions, files int
	dir, name                string
	modTime                  int64
}

// cut is the size of a chunk.
type cut struct{ partitions, bytes int }

func (w *chunkWriter) partition(p PartitionFiles) {
	w.dir = w.between(w.dir, p.Dir)
	w.uint(uint64(len(p.Files)))
	for _, f := range p.Files {
		w.name = w.between(w.name, f.Name)
		w.int(f.Size)
		w.int(f.Rows)
		w.int(f.ModTime - w.modTime)
		w.modTime = f.ModTime
	}
	w.partitions++
	if w.files += max(1, len(p.Files)); w.files >= chunkFiles {
		w.cut()
	}
}

// cut ends the chunk in hand.
func (w *chunkWriter) cut() {
	if w.partitions == 0 {
		return
	}
	w.cuts = append(w.cuts, cut{w.partitions, len(w.buf) - w.start})
	w.start, w.partitions, w.files = len(w.buf), 0, 0
	w.dir, w.name, w.modTime = "", "", 0
}

// between writes a text as how much of the one before it begins and ends it, and what is between.
func (w *encoder) between(last, s string) string {
	most := min(len(last), len(s))
	head := 0
	for head < most && head < maxShared && s[head] == last[head] {
		head++
	}
	tail := 0
	for head+tail < most && tail < maxShared && s[len(s)-1-tail] == last[len(last)-1-tail] {
		tail++
	}
	w.byte(byte(head))
	w.byte(byte(tail))
	w.string(s[head : len(s)-tail])
	return s
}
