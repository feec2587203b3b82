package partition

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
)

// BySpec yields the rows of sel (nil for all) in plain string order of Spec, the order of SHOW PARTITIONS: n=1, n=10, n=2.
func (s *Set) BySpec(sel *Selection) iter.Seq[int] {
	return func(yield func(int) bool) {
		var rows []uint32
		if sel == nil {
			rows = count(s.n)
		} else {
			for i := range sel.Rows() {
				rows = append(rows, uint32(i))
			}
		}
		for _, r := range s.bySpec(rows) {
			if !yield(int(r)) {
				return
			}
		}
	}
}

// bySpec puts rows in string order of their specs.
func (s *Set) bySpec(rows []uint32) []uint32 {
	return textOrder(s.cols, s.domains, func(c int, rows []uint32) []uint32 {
		out := make([]uint32, len(rows))
		for i, r := range rows {
			out[i] = s.keys[c].at(int(r))
		}
		return out
	}, rows)
}

// textOrder puts rows in string order of their specs, without making the specs: it ranks the texts of each column's
// distinct values and sorts rows by ranks. Every column but the last is followed by a '/', which no escaped text holds, so the
// order of the joined texts is the order of the tuples of ranks.
func textOrder(cols []Column, domains []domain, codesOf func(col int, rows []uint32) []uint32, rows []uint32) []uint32 {
	columns, sizes := make([][]uint32, len(cols)), make([]int, len(cols))
	for c, col := range cols {
		column := codesOf(c, rows)
		used, _ := usage(column, domains[c].size())
		columns[c] = remapped(column, textRanks(col, &domains[c], used, c == len(cols)-1))
		sizes[c] = len(used)
	}
	sortRows(packKeys(columns, sizes, len(rows)), rows)
	return rows
}

// textRanks is the rank of each used code among the texts of the used ones.
func textRanks(col Column, d *domain, used []bool, last bool) []uint32 {
	var arena []byte
	var order []uint32
	ends := make([]int, len(used)+1)
	for code := range used {
		if used[code] {
			arena = appendCode(arena, col, d, uint32(code))
			if !last {
				arena = append(arena, '/')
			}
			order = append(order, uint32(code))
		}
		ends[code+1] = len(arena)
	}
	text := func(code uint32) []byte { return arena[ends[code]:ends[code+1]] }
	byText := func(a, b uint32) int { return cmp.Or(bytes.Compare(text(a), text(b)), cmp.Compare(a, b)) }
	if !slices.IsSortedFunc(order, byText) {
		slices.SortFunc(order, byText)
	}
	ranks := make([]uint32, len(used))
	for rank, code := range order {
		ranks[code] = uint32(rank)
	}
	return ranks
}
