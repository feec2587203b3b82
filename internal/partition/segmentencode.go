package partition

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// The format is described in docs/format/partition-segment.md.
const (
	segmentMagic = "TPS1"
	// contentMagic is that of segments with recorded content: a reader that passed over it would list directories whose files are
	// those of file sets only.
	contentMagic = "TPS2"
	magicSize    = 4
	headerSize   = magicSize + 4 // magic, CRC-32C of the rest

	deltaFlag = 1

	// How a column of codes is stored: in this many bytes each, or…
	codesSame = 0 // one code for all rows
	codesRuns = 8 // pairs of code and number of rows

	relFlag   = 1
	absFlag   = 2
	propsFlag = 4

	// maxShared bounds the prefix that a text shares with the one before it, and so how much longer than its stored form
	// a dictionary can get.
	maxShared = 255
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func encodeSegment(cols []Column, rows, dropped *block, delta bool, version int64) EncodedSegment {
	info := SegmentInfo{Delta: delta, Version: version, Rows: rows.n}
	if dropped != nil {
		info.Rows += dropped.n
	}
	first := rows
	if rows.n == 0 && dropped != nil {
		first = dropped
	}
	if first.n > 0 {
		for c := range cols {
			info.First = appendOrdered(info.First, &first.domains[c], first.codes[c][0])
		}
	}
	for c := range cols {
		info.Zones = append(info.Zones, zoneOf(rows, dropped, c))
	}
	w := &encoder{buf: make([]byte, headerSize, headerSize+64+rows.n*4)}
	if rows.content.codes == nil {
		copy(w.buf, segmentMagic)
	} else {
		copy(w.buf, contentMagic)
	}
	flags := byte(0)
	if delta {
		flags |= deltaFlag
	}
	w.byte(flags)
	w.uint(uint64(version))
	w.uint(uint64(info.Rows))
	w.uint(uint64(len(cols)))
	w.string(string(info.First))
	for c, col := range cols {
		w.string(col.Type.String())
		z := info.Zones[c]
		w.byte(flag(z.Min != nil, 1) | flag(z.HasNull, 2))
		if z.Min != nil {
			w.string(string(z.Min))
			w.string(string(z.Max))
		}
	}
	w.block(rows, false)
	if delta {
		w.block(dropped, true)
	}
	w.sections(rows)
	w.sum()
	return EncodedSegment{Info: info, Bytes: w.buf}
}

func flag(on bool, bit byte) byte {
	if on {
		return bit
	}
	return 0
}

// zoneOf is the range of a column over the rows and the dropped ones.
func zoneOf(rows, dropped *block, c int) Zone {
	var z Zone
	for _, b := range []*block{rows, dropped} {
		if b == nil || b.n == 0 {
			continue
		}
		d := &b.domains[c]
		z.HasNull = z.HasNull || slices.Contains(b.codes[c], 0)
		if d.size() == 1 {
			continue
		}
		lo, hi := d.key(1).bytes(d.form), d.key(uint32(d.size()-1)).bytes(d.form)
		if z.Min == nil || slices.Compare(lo, z.Min) < 0 {
			z.Min = lo
		}
		if z.Max == nil || slices.Compare(hi, z.Max) > 0 {
			z.Max = hi
		}
	}
	return z
}

// encoder appends the parts of a segment or file set.
type encoder struct{ buf []byte }

func (w *encoder) byte(b byte)     { w.buf = append(w.buf, b) }
func (w *encoder) uint(n uint64)   { w.buf = binary.AppendUvarint(w.buf, n) }
func (w *encoder) int(n int64)     { w.buf = binary.AppendVarint(w.buf, n) }
func (w *encoder) string(s string) { w.uint(uint64(len(s))); w.buf = append(w.buf, s...) }

// sum writes the checksum after the magic.
func (w *encoder) sum() {
	binary.LittleEndian.PutUint32(w.buf[magicSize:], crc32.Checksum(w.buf[headerSize:], castagnoli()))
}

// sections writes the optional parts of a segment.
func (w *encoder) sections(rows *block) {
	if rows.content.codes == nil {
		w.uint(0)
		return
	}
	w.uint(1)
	w.uint(contentSection)
	var part encoder
	part.contents(&rows.content)
	w.string(string(part.buf))
}

// block writes rows; of dropped ones only the keys.
func (w *encoder) block(b *block, keysOnly bool) {
	w.uint(uint64(b.n))
	if b.n == 0 {
		return
	}
	for c := range b.domains {
		w.domain(&b.domains[c])
		w.codes(b.codes[c], b.domains[c].size())
	}
	if keysOnly {
		return
	}
	for c := range b.spellings {
		w.labels(&b.spellings[c])
	}
	w.labels(&b.prefix)
	w.uint(uint64(len(b.gens.values)))
	last := int64(0)
	for _, v := range b.gens.values {
		w.uint(uint64(v - last))
		last = v
	}
	if len(b.gens.values) > 1 {
		w.codes(b.gens.codes, len(b.gens.values))
	}
	w.odd(b.odd)
}

func (w *encoder) domain(d *domain) {
	n := d.size() - 1
	w.uint(uint64(n))
	if d.form == numForm {
		last := int64(0)
		for i, v := range d.nums {
			if i == 0 {
				w.int(v)
			} else {
				w.uint(uint64(v) - uint64(last)) // rises, and may span more than an int64
			}
			last = v
		}
		return
	}
	last := ""
	for i := range n {
		last = w.front(last, d.str(i))
	}
}

// front writes a text as what it shares with the one before it and the rest.
func (w *encoder) front(last, s string) string {
	shared := 0
	for shared < len(s) && shared < len(last) && shared < maxShared && s[shared] == last[shared] {
		shared++
	}
	w.byte(byte(shared))
	w.string(s[shared:])
	return s
}

// codes writes a column of codes below size in the shortest of its forms.
func (w *encoder) codes(column []uint32, size int) {
	runs := 1
	for i := 1; i < len(column); i++ {
		if column[i] != column[i-1] {
			runs++
		}
	}
	width := 4
	switch {
	case size <= 1<<8:
		width = 1
	case size <= 1<<16:
		width = 2
	}
	switch {
	case runs == 1:
		w.byte(codesSame)
		w.uint(uint64(column[0]))
	case runs*(width+2) < len(column)*width:
		w.byte(codesRuns)
		start := 0
		for i := 1; i <= len(column); i++ {
			if i == len(column) || column[i] != column[start] {
				w.uint(uint64(column[start]))
				w.uint(uint64(i - start))
				start = i
			}
		}
	default:
		w.byte(byte(width))
		w.buf = appendFixed(w.buf, column, width)
	}
}

func appendFixed(dst []byte, column []uint32, width int) []byte {
	at := len(dst)
	dst = slices.Grow(dst, len(column)*width)[:at+len(column)*width]
	out := dst[at:]
	switch width {
	case 1:
		for i, c := range column {
			out[i] = byte(c)
		}
	case 2:
		for i, c := range column {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(c))
		}
	default:
		for i, c := range column {
			binary.LittleEndian.PutUint32(out[4*i:], c)
		}
	}
	return dst
}

func (w *encoder) labels(l *labels) {
	w.uint(uint64(len(l.names)))
	if len(l.names) == 0 {
		return
	}
	last := ""
	for _, name := range l.names {
		last = w.front(last, name)
	}
	w.codes(l.codes, len(l.names)+1)
}

func (w *encoder) odd(odd []oddity) {
	w.uint(uint64(len(odd)))
	last := uint32(0)
	for _, o := range odd {
		w.uint(uint64(o.row - last))
		last = o.row
		w.byte(flag(o.rel != "", relFlag) | flag(o.abs != "", absFlag) | flag(len(o.properties) > 0, propsFlag))
		if o.rel != "" {
			w.string(o.rel)
		}
		if o.abs != "" {
			w.string(o.abs)
		}
		if len(o.properties) > 0 {
			w.uint(uint64(len(o.properties)))
			keys := make([]string, 0, len(o.properties))
			for k := range o.properties {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				w.string(k)
				w.string(o.properties[k])
			}
		}
	}
}
