package partition

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// What is known of a combination of codes.
const (
	unknown = iota
	miss
	hit
)

// maxTable bounds the table of all combinations of some columns' codes; beyond it, those that occur are kept in a map.
const maxTable = 1 << 22

// combinations evaluates e once per distinct combination of the columns it uses.
func (p *pruner) combinations(e expr.Expr, want bool, cols []int, mask *Selection) *Selection {
	c := &combiner{
		pruner: p, e: e, want: want, cols: cols, at: make([]uint32, len(p.cols)),
		values: make([][]types.Value, len(p.cols)),
	}
	for _, col := range cols {
		c.values[col] = make([]types.Value, p.sizes[col])
	}
	out := newSelection(p.n)
	product := 1
	for _, col := range cols {
		if product *= max(p.sizes[col], 1); product > maxTable {
			c.byMap(mask, out)
			return out
		}
	}
	c.byTable(make([]uint8, product), mask, out)
	return out
}

// combiner evaluates one expression over several columns.
type combiner struct {
	*pruner
	e      expr.Expr
	want   bool
	cols   []int
	at     []uint32        // codes of the row in hand, by column
	values [][]types.Value // by column and code, made when first read
}

// state evaluates the expression for the codes of row i.
func (c *combiner) state(i int) uint8 {
	for _, col := range c.cols {
		c.at[col] = c.codes[col].at(i)
	}
	if c.holds(c.e, c.value, c.want) {
		return hit
	}
	return miss
}

func (c *combiner) value(col int) types.Value {
	v := &c.values[col][c.at[col]]
	if *v == nil {
		*v = c.read(col, c.at[col])
	}
	return *v
}

// byTable looks rows up in a table of all combinations, a word of the selection at a time.
func (c *combiner) byTable(table []uint8, mask, out *Selection) {
	var buf [64]uint32
	for w := range out.words {
		if mask != nil && mask.words[w] == 0 {
			continue
		}
		lo := w << 6
		index := buf[:min(64, c.n-lo)]
		clear(index)
		for _, col := range c.cols {
			c.codes[col].mix(index, lo, uint32(c.sizes[col]))
		}
		var word uint64
		for k, i := range index {
			if mask != nil && mask.words[w]>>k&1 == 0 {
				continue
			}
			if table[i] == unknown {
				table[i] = c.state(lo + k)
			}
			word |= uint64(table[i]>>1) << k
		}
		out.words[w] = word
	}
}

// byMap is byTable for combinations that are too many for a table.
func (c *combiner) byMap(mask, out *Selection) {
	seen := map[string]uint8{}
	var buf []byte
	for i := range c.n {
		if mask != nil && !mask.Contains(i) {
			continue
		}
		buf = buf[:0]
		for _, col := range c.cols {
			buf = appendCode32(buf, c.codes[col].at(i))
		}
		state, ok := seen[string(buf)]
		if !ok {
			state = c.state(i)
			seen[string(buf)] = state
		}
		if state == hit {
			out.set(i)
		}
	}
}
