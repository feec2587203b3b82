package partition

import (
	"github.com/tarnlake/tarn/internal/types"
)

// grid is what pruning sees of a Set or a Found: rows of codes, and the value of each code.
type grid struct {
	cols    []Column
	n       int
	sizes   []int // codes per column
	codes   []codes
	value   func(col int, code uint32) types.Value
	domains []domain // nil when codes are in no order
}

func (s *Set) grid() *grid {
	g := &grid{cols: s.cols, n: s.n, codes: s.keys, domains: s.domains, sizes: make([]int, len(s.cols))}
	for c := range s.cols {
		g.sizes[c] = s.domains[c].size()
	}
	g.value = func(col int, code uint32) types.Value { return s.domains[col].value(s.cols[col].Type, code) }
	return g
}

func (f *Found) grid() *grid {
	g := &grid{cols: f.Columns, n: f.Len(), codes: make([]codes, len(f.Columns)), sizes: make([]int, len(f.Columns))}
	for c := range f.Columns {
		spellings, column := f.level(c)
		g.codes[c] = codes{b32: column}
		g.sizes[c] = len(spellings)
	}
	g.value = func(col int, code uint32) types.Value {
		return Canonical(f.Columns[col], f.Levels[col][code].Value)
	}
	return g
}

// rows selects, of the rows in mask (nil for all), those whose code in col is a hit.
func (g *grid) rows(col int, hits []bool, mask *Selection) *Selection {
	out := newSelection(g.n)
	if g.domains != nil && col == 0 && g.leading(hits, out) {
		if mask != nil {
			for i := range out.words {
				out.words[i] &= mask.words[i]
			}
		}
		return out
	}
	var skip []uint64
	if mask != nil {
		skip = mask.words
	}
	c := &g.codes[col]
	switch {
	case c.b8 != nil:
		var lut [1 << 8]uint8
		fillLut(lut[:], hits)
		scanWords(out.words, skip, g.n, func(lo, n int) uint64 { return word8(&lut, c.b8[lo:lo+n]) })
	case c.b16 != nil:
		lut := new([1 << 16]uint8)
		fillLut(lut[:], hits)
		scanWords(out.words, skip, g.n, func(lo, n int) uint64 { return word16(lut, c.b16[lo:lo+n]) })
	default:
		scanWords(out.words, skip, g.n, func(lo, n int) uint64 { return word32(hits, c.b32[lo:lo+n]) })
	}
	return out
}

// leading selects by the first column, in which rows are in order: a run of codes is a run of rows. It declines when there
// are so many runs that a scan is cheaper.
func (g *grid) leading(hits []bool, out *Selection) bool {
	runs := 0
	for i, h := range hits {
		if h && (i == 0 || !hits[i-1]) {
			runs++
		}
	}
	if runs*64 > g.n+64 {
		return false
	}
	lo := 0
	for i := 0; i < len(hits); i++ {
		if !hits[i] {
			continue
		}
		end := i
		for end < len(hits) && hits[end] {
			end++
		}
		lo = g.codes[0].lower(lo, g.n, uint32(i))
		hi := g.codes[0].lower(lo, g.n, uint32(end))
		out.setRange(lo, hi)
		lo, i = hi, end
	}
	return true
}

func fillLut(lut []uint8, hits []bool) {
	for i, h := range hits {
		if h {
			lut[i] = 1
		}
	}
}

// scanWords fills words, 64 rows each, leaving out those that mask has empty.
func scanWords(words, mask []uint64, n int, word func(lo, n int) uint64) {
	for w := range words {
		if mask == nil {
			words[w] = word(w<<6, min(64, n-w<<6))
		} else if mask[w] != 0 {
			words[w] = word(w<<6, min(64, n-w<<6)) & mask[w]
		}
	}
}

// word8 is the hits among up to 64 codes, as bits. Eight lookups at a time do not wait for one another.
func word8(lut *[1 << 8]uint8, column []uint8) uint64 {
	var word uint64
	k := 0
	for ; k+8 <= len(column); k += 8 {
		c := column[k : k+8 : k+8]
		b := lut[c[0]] | lut[c[1]]<<1 | lut[c[2]]<<2 | lut[c[3]]<<3 | lut[c[4]]<<4 | lut[c[5]]<<5 | lut[c[6]]<<6 | lut[c[7]]<<7
		word |= uint64(b) << k
	}
	for ; k < len(column); k++ {
		word |= uint64(lut[column[k]]) << k
	}
	return word
}

func word16(lut *[1 << 16]uint8, column []uint16) uint64 {
	var word uint64
	k := 0
	for ; k+8 <= len(column); k += 8 {
		c := column[k : k+8 : k+8]
		b := lut[c[0]] | lut[c[1]]<<1 | lut[c[2]]<<2 | lut[c[3]]<<3 | lut[c[4]]<<4 | lut[c[5]]<<5 | lut[c[6]]<<6 | lut[c[7]]<<7
		word |= uint64(b) << k
	}
	for ; k < len(column); k++ {
		word |= uint64(lut[column[k]]) << k
	}
	return word
}

func word32(hits []bool, column []uint32) uint64 {
	var word uint64
	for k, c := range column {
		if hits[c] {
			word |= 1 << k
		}
	}
	return word
}
