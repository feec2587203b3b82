package partition

import "github.com/tarnlake/tarn/internal/types"

// MaxNonEmpty is the greatest value of col that occurs in a partition of sel (nil for all) with at least one row, or NULL
// when there is none; NULL itself takes no part. rows counts the rows of a partition and may read footers.
//
// Counting a partition without rows would be wrong, not merely stale: the newest directory may hold only empty files. rows is
// called from the greatest value down and not after the first hit, so a healthy table costs one call.
func (s *Set) MaxNonEmpty(col int, sel *Selection, rows func(row int) (int64, error)) (types.Value, error) {
	return s.extreme(col, sel, true, rows)
}

// MinNonEmpty is MaxNonEmpty for the least value.
func (s *Set) MinNonEmpty(col int, sel *Selection, rows func(row int) (int64, error)) (types.Value, error) {
	return s.extreme(col, sel, false, rows)
}

func (s *Set) extreme(col int, sel *Selection, greatest bool, rows func(row int) (int64, error)) (types.Value, error) {
	size := s.domains[col].size()
	order, ends := s.byCode(col, sel)
	for k := 1; k < size; k++ {
		code := k
		if greatest {
			code = size - k
		}
		for _, row := range order[ends[code]:ends[code+1]] {
			n, err := rows(int(row))
			if err != nil {
				return nil, err
			}
			if n > 0 {
				return s.domains[col].value(s.cols[col].Type, uint32(code)), nil
			}
		}
	}
	return nil, nil
}

// byCode is the selected rows grouped by their code in col: order[ends[c]:ends[c+1]] hold code c.
func (s *Set) byCode(col int, sel *Selection) (order, ends []uint32) {
	if sel == nil {
		sel = s.All()
	}
	ends = make([]uint32, s.domains[col].size()+1)
	for i := range sel.Rows() {
		ends[s.keys[col].at(i)+1]++
	}
	for c := 1; c < len(ends); c++ {
		ends[c] += ends[c-1]
	}
	next := append([]uint32(nil), ends...)
	order = make([]uint32, ends[len(ends)-1])
	for i := range sel.Rows() {
		c := s.keys[col].at(i)
		order[next[c]] = uint32(i)
		next[c]++
	}
	return order, ends
}

// Distinct lists the distinct values of col in sel (nil for all), in order, NULL (nil) first when it occurs.
func (s *Set) Distinct(col int, sel *Selection) []types.Value {
	used := make([]bool, s.domains[col].size())
	if sel == nil {
		sel = s.All()
	}
	for i := range sel.Rows() {
		used[s.keys[col].at(i)] = true
	}
	var out []types.Value
	for c, u := range used {
		if u {
			out = append(out, s.domains[col].value(s.cols[col].Type, uint32(c)))
		}
	}
	return out
}
