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
		g.codes[c] = codes{b32: f.Codes[c]}
		g.sizes[c] = len(f.Levels[c])
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
		scanCodes(out.words, c.b8, hits, skip)
	case c.b16 != nil:
		scanCodes(out.words, c.b16, hits, skip)
	default:
		scanCodes(out.words, c.b32, hits, skip)
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

// scanCodes fills words with the rows whose codes are hits, leaving out words that mask has empty.
func scanCodes[T uint8 | uint16 | uint32](words []uint64, column []T, hits []bool, mask []uint64) {
	lut := make([]uint8, len(hits))
	for i, h := range hits {
		if h {
			lut[i] = 1
		}
	}
	for w := range words {
		if mask != nil && mask[w] == 0 {
			continue
		}
		part := column[w<<6 : min(len(column), w<<6+64)]
		var word uint64
		for i := len(part) - 1; i >= 0; i-- {
			word = word<<1 | uint64(lut[part[i]])
		}
		if mask != nil {
			word &= mask[w]
		}
		words[w] = word
	}
}
