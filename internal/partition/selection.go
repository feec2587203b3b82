package partition

import (
	"iter"
	"math/bits"
)

// Selection is a set of row numbers of one Set, or of leaf numbers of one Found.
type Selection struct {
	n     int
	words []uint64
}

func newSelection(n int) *Selection { return &Selection{n: n, words: make([]uint64, (n+63)/64)} }

func fullSelection(n int) *Selection {
	x := newSelection(n)
	x.setRange(0, n)
	return x
}

// All selects every row of s.
func (s *Set) All() *Selection { return fullSelection(s.n) }

// SelectRows selects some rows of s.
func (s *Set) SelectRows(rows ...int) *Selection {
	x := newSelection(s.n)
	for _, r := range rows {
		if r >= 0 && r < s.n {
			x.set(r)
		}
	}
	return x
}

// Len is the number of rows selected.
func (x *Selection) Len() int {
	n := 0
	for _, w := range x.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Universe is the number of rows of the Set it was made from.
func (x *Selection) Universe() int { return x.n }

// Contains reports whether row i is selected.
func (x *Selection) Contains(i int) bool {
	return i >= 0 && i < x.n && x.words[i>>6]>>(i&63)&1 != 0
}

// Rows yields the selected rows in ascending order.
func (x *Selection) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range x.words {
			for ; word != 0; word &= word - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// And is what both of two selections of one Set select.
func (x *Selection) And(o *Selection) *Selection {
	out := newSelection(x.n)
	for i := range out.words {
		out.words[i] = x.words[i] & o.words[i]
	}
	return out
}

// Or is what either of two selections of one Set selects.
func (x *Selection) Or(o *Selection) *Selection {
	out := newSelection(x.n)
	for i := range out.words {
		out.words[i] = x.words[i] | o.words[i]
	}
	return out
}

func (x *Selection) clone() *Selection {
	return &Selection{n: x.n, words: append([]uint64(nil), x.words...)}
}

func (x *Selection) set(i int) { x.words[i>>6] |= 1 << (i & 63) }

func (x *Selection) clear(i int) { x.words[i>>6] &^= 1 << (i & 63) }

// setRange selects the rows [lo, hi).
func (x *Selection) setRange(lo, hi int) {
	if lo >= hi {
		return
	}
	first, last := lo>>6, (hi-1)>>6
	head, tail := ^uint64(0)<<(lo&63), ^uint64(0)>>(63-(hi-1)&63)
	if first == last {
		x.words[first] |= head & tail
		return
	}
	x.words[first] |= head
	for w := first + 1; w < last; w++ {
		x.words[w] = ^uint64(0)
	}
	x.words[last] |= tail
}
