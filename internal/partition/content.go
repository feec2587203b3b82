package partition

import (
	"encoding/binary"
	"slices"
)

// Content is what commits recorded about the files of a partition. The zero Content means that nothing is recorded: the
// directory is listed when it is read.
type Content struct {
	// Recorded tells that the entry's files are exactly those of Filesets, possibly none.
	Recorded bool
	// Filesets are numbers of file sets in the catalog, oldest first.
	Filesets []int64
	// Files, Bytes and Rows count the files, their bytes on storage and their rows.
	Files, Bytes, Rows int64
}

// The columns of numbers that recorded content has.
const (
	filesTotal = iota
	bytesTotal
	rowsTotal
	totalKinds
)

// contents is the column of what is recorded: code 0 is nothing, code c stands for the file sets lists[c-1]. One commit gives
// the same list to all it wrote, so there are few lists. Nil codes mean that nothing is recorded for any row.
type contents struct {
	lists [][]int64
	codes []uint32
	// totals hold a number per row, 0 where nothing is recorded. They are not written to once made: blocks and sets share them.
	totals [totalKinds][]int64
}

// records is contents with narrow codes, as a Set holds them.
type records struct {
	lists  [][]int64
	codes  codes
	totals [totalKinds][]int64
}

// Recorded reports whether any partition has recorded content.
func (s *Set) Recorded() bool { return s.content.any() }

// Content is what is recorded of row i. Its list of file sets is shared.
func (s *Set) Content(i int) Content { return s.content.at(i) }

// Totals sums what is recorded of the rows of sel (nil for all). all is false when one of them is not recorded; the sums are
// then those of the others.
func (s *Set) Totals(sel *Selection) (files, bytes, rows int64, all bool) {
	if sel == nil {
		sel = s.All()
	}
	if !s.Recorded() {
		return 0, 0, 0, sel.Len() == 0
	}
	all = true
	for i := range sel.Rows() {
		files += s.content.totals[filesTotal][i]
		bytes += s.content.totals[bytesTotal][i]
		rows += s.content.totals[rowsTotal][i]
		all = all && s.content.codes.at(i) > 0
	}
	return files, bytes, rows, all
}

func (r *records) any() bool { return len(r.lists) > 0 }

func (r *records) at(i int) Content {
	if !r.any() {
		return Content{}
	}
	code := r.codes.at(i)
	if code == 0 {
		return Content{}
	}
	return Content{
		Recorded: true, Filesets: r.lists[code-1],
		Files: r.totals[filesTotal][i], Bytes: r.totals[bytesTotal][i], Rows: r.totals[rowsTotal][i],
	}
}

// wide is rows [lo, hi) in the working form.
func (r *records) wide(lo, hi int) contents {
	if !r.any() {
		return contents{}
	}
	out := contents{lists: r.lists, codes: r.codes.wide(lo, hi)}
	for k := range r.totals {
		out.totals[k] = r.totals[k][lo:hi]
	}
	return out
}

// take is some rows in the working form.
func (r *records) take(rows []uint32) contents {
	if !r.any() {
		return contents{}
	}
	out := contents{lists: r.lists, codes: r.codes.take(rows)}
	for k := range r.totals {
		out.totals[k] = take(r.totals[k], rows)
	}
	return out
}

func (r *records) memory() int64 {
	total := r.codes.memory()
	for _, list := range r.lists {
		total += int64(24 + 8*len(list))
	}
	for k := range r.totals {
		total += int64(8 * len(r.totals[k]))
	}
	return total
}

func (c contents) freeze() records {
	if c.codes == nil || len(c.lists) == 0 {
		return records{}
	}
	return records{lists: c.lists, codes: packCodes(c.codes, len(c.lists)+1), totals: c.totals}
}

func (c contents) gather(rows []uint32) contents {
	if c.codes == nil {
		return contents{}
	}
	out := contents{lists: c.lists, codes: take(c.codes, rows)}
	for k := range c.totals {
		out.totals[k] = take(c.totals[k], rows)
	}
	return out
}

func concatContents(parts []*contents, from []int) contents {
	if len(parts) == 1 {
		return *parts[0]
	}
	if !slices.ContainsFunc(parts, func(c *contents) bool { return c.codes != nil }) {
		return contents{}
	}
	n := from[len(parts)]
	out := contents{codes: make([]uint32, n)}
	for k := range out.totals {
		out.totals[k] = make([]int64, n)
	}
	var in interner
	for i, c := range parts {
		if c.codes == nil {
			continue
		}
		m := make([]uint32, len(c.lists)+1)
		for k, list := range c.lists {
			m[k+1] = in.code(list)
		}
		translateCodes(out.codes[from[i]:from[i+1]], c.codes, m)
		for k := range c.totals {
			copy(out.totals[k][from[i]:], c.totals[k])
		}
	}
	out.lists = in.lists
	return out
}

// tidy drops lists that no row uses and orders the others, so that sets with equal partitions are equal.
func (c *contents) tidy() {
	if c.codes == nil {
		*c = contents{}
		return
	}
	used, all := usage(c.codes, len(c.lists)+1)
	if all && len(c.lists) > 0 && slices.IsSortedFunc(c.lists, slices.Compare[[]int64]) {
		return
	}
	var order []uint32 // codes in the order of their lists
	for k := range c.lists {
		if used[k+1] {
			order = append(order, uint32(k+1))
		}
	}
	if len(order) == 0 {
		*c = contents{}
		return
	}
	slices.SortFunc(order, func(a, b uint32) int { return slices.Compare(c.lists[a-1], c.lists[b-1]) })
	lists, remap := make([][]int64, len(order)), make([]uint32, len(c.lists)+1)
	for k, code := range order {
		lists[k] = c.lists[code-1]
		remap[code] = uint32(k + 1)
	}
	c.lists, c.codes = lists, remapped(c.codes, remap)
}

// recorder fills a contents column row by row.
type recorder struct {
	contents
	interner
}

func (r *recorder) set(row, n int, c Content) {
	if !c.Recorded {
		return
	}
	if r.contents.codes == nil {
		r.contents.codes = make([]uint32, n)
		for k := range r.totals {
			r.totals[k] = make([]int64, n)
		}
	}
	r.contents.codes[row] = r.code(c.Filesets)
	r.totals[filesTotal][row], r.totals[bytesTotal][row], r.totals[rowsTotal][row] = c.Files, c.Bytes, c.Rows
}

func (r *recorder) done() contents {
	r.contents.lists = r.interner.lists
	return r.contents
}

// interner gives equal lists of file sets one code, from 1.
type interner struct {
	lists [][]int64
	codes map[string]uint32
	buf   []byte
	last  uint32 // neighbours mostly have the same list
}

func (in *interner) code(list []int64) uint32 {
	if in.last > 0 && slices.Equal(in.lists[in.last-1], list) {
		return in.last
	}
	in.buf = in.buf[:0]
	for _, n := range list {
		in.buf = binary.BigEndian.AppendUint64(in.buf, uint64(n))
	}
	code, ok := in.codes[string(in.buf)]
	if !ok {
		if in.codes == nil {
			in.codes = map[string]uint32{}
		}
		in.lists = append(in.lists, slices.Clone(list))
		code = uint32(len(in.lists))
		in.codes[string(in.buf)] = code
	}
	in.last = code
	return code
}

// contentSection is the tag of the section that holds the content of a segment's partitions.
const contentSection = 1

// contents writes what is recorded of some rows: the lists of file sets, the column of codes, and the three numbers of each row that
// has some, column by column.
func (w *encoder) contents(c *contents) {
	w.uint(uint64(len(c.lists)))
	for _, list := range c.lists {
		w.uint(uint64(len(list)))
		last := int64(0)
		for _, n := range list {
			w.int(n - last)
			last = n
		}
	}
	w.codes(c.codes, len(c.lists)+1)
	for k := range c.totals {
		for i, code := range c.codes {
			if code > 0 {
				w.int(c.totals[k][i])
			}
		}
	}
}

// contents reads what encoder.contents wrote, of n rows.
func (r *decoder) contents(n int) contents {
	var c contents
	for range r.length(len(r.buf)) {
		var list []int64
		last := int64(0)
		for range r.length(len(r.buf)) {
			last += r.int()
			list = append(list, last)
		}
		if r.err != nil {
			return contents{}
		}
		c.lists = append(c.lists, list)
	}
	c.codes = r.codes(n, len(c.lists)+1)
	recorded := 0
	for _, code := range c.codes {
		if code > 0 {
			recorded++
		}
	}
	// Each number takes a byte at least.
	if recorded == 0 || recorded > len(r.buf)/totalKinds {
		r.fail("its content is of other rows")
		return contents{}
	}
	for k := range c.totals {
		c.totals[k] = make([]int64, n)
		for i, code := range c.codes {
			if code > 0 {
				c.totals[k][i] = r.int()
			}
		}
	}
	if r.err != nil {
		return contents{}
	}
	return c
}
