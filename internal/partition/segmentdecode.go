package partition

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
)

// maxSegmentRows bounds the rows of a segment that is read: runs of equal codes take no bytes per row, so the size of the
// bytes does not bound them.
const maxSegmentRows = 1 << 18

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// segment is a decoded segment.
type segment struct {
	info    SegmentInfo
	rows    *block
	dropped *block
}

func decodeSegment(cols []Column, raw []byte) (*segment, error) {
	r, magic, err := newDecoder(raw, segmentMagic, contentMagic)
	if err != nil {
		return nil, err
	}
	info, typeNames := r.header()
	if r.err != nil {
		return nil, r.err
	}
	if len(typeNames) != len(cols) {
		return nil, corrupt("it has %d columns, the table %d", len(typeNames), len(cols))
	}
	for c, col := range cols {
		if name := col.Type.String(); typeNames[c] != name {
			return nil, corrupt("column %s has type %s, in the table %s", col.Name, typeNames[c], name)
		}
	}
	seg := &segment{info: info, rows: r.block(cols, false)}
	if info.Delta {
		seg.dropped = r.block(cols, true)
		seg.dropped.dropped = true
	}
	r.sections(seg.rows, magic == contentMagic)
	if r.err == nil && len(r.buf) > 0 {
		r.fail("bytes are left over")
	}
	if r.err != nil {
		return nil, r.err
	}
	total := seg.rows.n
	if seg.dropped != nil {
		total += seg.dropped.n
	}
	if total != info.Rows || total == 0 {
		return nil, corrupt("it holds %d rows, its header says %d", total, info.Rows)
	}
	return seg, nil
}

// decoder takes a segment or file set apart. The first failure sticks; after it every read gives zero.
type decoder struct {
	buf []byte
	err error
}

// newDecoder checks that b has one of the magics, which it returns, and the right checksum.
func newDecoder(b []byte, magics ...string) (r *decoder, magic string, err error) {
	if len(b) < headerSize || !slices.Contains(magics, string(b[:magicSize])) {
		return nil, "", corrupt("it does not begin with %s", strings.Join(magics, " or "))
	}
	if binary.LittleEndian.Uint32(b[magicSize:]) != crc32.Checksum(b[headerSize:], castagnoli()) {
		return nil, "", corrupt("the checksum is wrong")
	}
	return &decoder{buf: b[headerSize:]}, string(b[:magicSize]), nil
}

// sections reads the optional parts of a segment. Tags that a later version adds are passed over; the content of rows is there
// exactly when the magic says so.
func (r *decoder) sections(rows *block, recorded bool) {
	for range r.length(len(r.buf)) {
		tag := r.uint()
		part := decoder{buf: r.bytes(r.length(len(r.buf)))}
		if tag != contentSection {
			continue
		}
		if !recorded || rows.content.codes != nil || r.err != nil {
			r.fail("content where there should be none")
			return
		}
		rows.content = part.contents(rows.n)
		if part.err == nil && len(part.buf) > 0 {
			part.fail("bytes are left over")
		}
		if part.err != nil {
			r.err, r.buf = part.err, nil
			return
		}
	}
	if recorded && rows.content.codes == nil {
		r.fail("its content is missing")
	}
}

func (r *decoder) fail(format string, args ...any) {
	if r.err == nil {
		r.err = corrupt(format, args...)
	}
	r.buf = nil
}

func (r *decoder) byte() byte {
	if len(r.buf) == 0 {
		r.fail("it ends early")
		return 0
	}
	b := r.buf[0]
	r.buf = r.buf[1:]
	return b
}

func (r *decoder) uint() uint64 {
	n, size := binary.Uvarint(r.buf)
	if size <= 0 {
		r.fail("it has a broken number")
		return 0
	}
	r.buf = r.buf[size:]
	return n
}

func (r *decoder) int() int64 {
	n, size := binary.Varint(r.buf)
	if size <= 0 {
		r.fail("it has a broken number")
		return 0
	}
	r.buf = r.buf[size:]
	return n
}

// length reads a number that may be at most limit.
func (r *decoder) length(limit int) int {
	n := r.uint()
	if n > uint64(limit) {
		r.fail("a length of %d is more than there can be", n)
		return 0
	}
	return int(n)
}

func (r *decoder) string() string { return string(r.bytes(r.length(len(r.buf)))) }

func (r *decoder) bytes(n int) []byte {
	if n > len(r.buf) {
		r.fail("it ends early")
		return nil
	}
	b := r.buf[:n]
	r.buf = r.buf[n:]
	return b
}

func (r *decoder) header() (info SegmentInfo, typeNames []string) {
	flags := r.byte()
	if flags&^deltaFlag != 0 {
		r.fail("it has flags that this version does not know")
	}
	info.Delta = flags&deltaFlag != 0
	info.Version = int64(r.uint() & math.MaxInt64)
	info.Rows = r.length(2 * maxSegmentRows)
	columns := r.length(len(r.buf))
	info.First = []byte(r.string())
	for range columns {
		if r.err != nil {
			break
		}
		typeNames = append(typeNames, r.string())
		var z Zone
		has := r.byte()
		z.HasNull = has&2 != 0
		if has&1 != 0 {
			z.Min, z.Max = []byte(r.string()), []byte(r.string())
		}
		info.Zones = append(info.Zones, z)
	}
	return info, typeNames
}

// block reads what encoder.block wrote. It always returns a block with all columns.
func (r *decoder) block(cols []Column, keysOnly bool) *block {
	b := &block{
		domains: make([]domain, len(cols)), codes: make([][]uint32, len(cols)),
		spellings: make([]labels, len(cols)),
	}
	for c, col := range cols {
		b.domains[c].form = formOf(col.Type)
	}
	n := r.length(maxSegmentRows)
	if n == 0 || r.err != nil {
		return b
	}
	for c := range cols {
		r.domain(&b.domains[c])
		b.codes[c] = r.codes(n, b.domains[c].size())
		if r.err != nil {
			return b
		}
	}
	b.n = n
	b.gens.values = []int64{0}
	if keysOnly {
		return b
	}
	for c := range cols {
		b.spellings[c] = r.labels(n)
	}
	b.prefix = r.labels(n)
	b.gens = r.gens(n)
	b.odd = r.odd(n)
	return b
}

func (r *decoder) domain(d *domain) {
	n := r.length(len(r.buf)) // an entry takes a byte at least
	if d.form == numForm {
		d.nums = make([]int64, 0, n)
		last := int64(0)
		for i := range n {
			if i == 0 {
				last = r.int()
			} else {
				next := int64(uint64(last) + r.uint())
				if next <= last {
					r.fail("a dictionary is out of order")
				}
				last = next
			}
			if r.err != nil {
				return
			}
			d.nums = append(d.nums, last)
		}
		return
	}
	d.ends = make([]uint32, 0, n)
	var text []byte
	last := 0
	for i := range n {
		start := len(text)
		text = r.front(text, last)
		if r.err != nil {
			return
		}
		if i > 0 && string(text[start:]) <= string(text[last:start]) || len(text) > math.MaxUint32 {
			r.fail("a dictionary is out of order")
			return
		}
		d.ends = append(d.ends, uint32(len(text)))
		last = start
	}
	d.text = string(text)
}

// front appends to text the one that encoder.front wrote; the one before it starts at last.
func (r *decoder) front(text []byte, last int) []byte {
	shared := int(r.byte())
	if shared > len(text)-last {
		r.fail("a text shares more than there is")
		return text
	}
	text = append(text, text[last:last+shared]...)
	return append(text, r.bytes(r.length(len(r.buf)))...)
}

// codes reads n codes below size.
func (r *decoder) codes(n, size int) []uint32 {
	if r.err != nil {
		return nil
	}
	column := make([]uint32, n)
	switch width := r.byte(); width {
	case codesSame:
		c := r.code(size)
		for i := range column {
			column[i] = c
		}
	case codesRuns:
		for i := 0; i < n && r.err == nil; {
			c := r.code(size)
			run := r.length(n - i)
			if run == 0 {
				r.fail("an empty run of codes")
			}
			for end := i + run; i < end; i++ {
				column[i] = c
			}
		}
	case 1, 2, 4:
		raw := r.bytes(n * int(width))
		if raw == nil {
			return column
		}
		if readFixed(column, raw, int(width)) >= uint32(size) {
			r.fail("a code is out of range")
		}
	default:
		r.fail("codes in an unknown form")
	}
	return column
}

func (r *decoder) code(size int) uint32 {
	c := r.length(math.MaxInt32)
	if c >= size {
		r.fail("a code is out of range")
		return 0
	}
	return uint32(c)
}

// readFixed fills column and returns its greatest code.
func readFixed(column []uint32, raw []byte, width int) uint32 {
	greatest := uint32(0)
	switch width {
	case 1:
		raw = raw[:len(column)]
		for i := range column {
			c := uint32(raw[i])
			column[i] = c
			greatest = max(greatest, c)
		}
	case 2:
		for i := range column {
			c := uint32(binary.LittleEndian.Uint16(raw[2*i:]))
			column[i] = c
			greatest = max(greatest, c)
		}
	default:
		for i := range column {
			c := binary.LittleEndian.Uint32(raw[4*i:])
			column[i] = c
			greatest = max(greatest, c)
		}
	}
	return greatest
}

func (r *decoder) labels(n int) labels {
	count := r.length(len(r.buf))
	if count == 0 || r.err != nil {
		return labels{}
	}
	l := labels{names: make([]string, 0, count)}
	var text []byte
	last := 0
	for range count {
		start := len(text)
		text = r.front(text, last)
		if r.err != nil {
			return labels{}
		}
		l.names = append(l.names, string(text[start:]))
		last = start
	}
	l.codes = r.codes(n, count+1)
	return l
}

func (r *decoder) gens(n int) gens {
	count := r.length(len(r.buf))
	if count == 0 && r.err == nil {
		r.fail("it has no versions")
	}
	var g gens
	last := int64(0)
	for i := range count {
		next := int64(uint64(last) + r.uint())
		if i > 0 && next <= last {
			r.fail("versions are out of order")
		}
		if r.err != nil {
			return gens{values: []int64{0}}
		}
		last = next
		g.values = append(g.values, last)
	}
	if count > 1 {
		g.codes = r.codes(n, count)
	}
	return g
}

func (r *decoder) odd(n int) []oddity {
	count := r.length(min(n, len(r.buf)))
	var out []oddity
	row := -1
	for i := range count {
		step := r.length(n)
		if i == 0 {
			row = step
		} else {
			row += step
		}
		if row >= n || i > 0 && step == 0 {
			r.fail("an exception for a row that does not exist")
		}
		o := oddity{row: uint32(row)}
		has := r.byte()
		if has&relFlag != 0 {
			o.rel = r.string()
		}
		if has&absFlag != 0 {
			o.abs = r.string()
		}
		if has&propsFlag != 0 {
			o.properties = map[string]string{}
			for range r.length(len(r.buf)) {
				k := r.string()
				o.properties[k] = r.string()
				if r.err != nil {
					return nil
				}
			}
		}
		if r.err != nil {
			return nil
		}
		out = append(out, o)
	}
	return out
}
