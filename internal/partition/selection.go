package partition

import "iter"

// Selection is a set of row numbers of one Set, or of leaf numbers of one Found.
type Selection struct {
	n     int
	words []uint64
}

// All selects every row of s.
func (s *Set) All() *Selection { return nil }

// Len is the number of rows selected.
func (x *Selection) Len() int { return 0 }

// Universe is the number of rows of the Set it was made from.
func (x *Selection) Universe() int { return x.n }

// Contains reports whether row i is selected.
func (x *Selection) Contains(i int) bool { return false }

// Rows yields the selected rows in ascending order.
func (x *Selection) Rows() iter.Seq[int] { return func(func(int) bool) {} }
