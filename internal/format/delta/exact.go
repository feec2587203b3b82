package delta

import (
	"github.com/tarnlake/tarn/internal/types"
)

// Exact is what statistics tell of a column of one file beyond doubt.
type Exact struct {
	// Values is the number of rows that are not deleted and have a value; -1 when it is not known.
	Values int64
	// Min and Max are the smallest and the largest of those values, both nil when there is none; Limits tells whether they are known.
	Min, Max types.Value
	Limits   bool
}

// gregorian is 1582-10-15: files of old writers may count earlier days by another calendar than their statistics.
const gregorian = -141427

// Exact gives what is certain of a top-level column by its physical name; vector is the file's deletion vector, nil for none. Whatever does
// not fit together, or may have been cut, rounded or widened by deletions, is not known.
func (s Stats) Exact(physical string, t types.Type, vector *DeletionVector) Exact {
	unknown := Exact{Values: -1}
	if s.NumRecords < 0 {
		return unknown
	}
	live := s.NumRecords
	if vector != nil {
		// Limits and counts may be those of the time before the deletions, whatever tightBounds says.
		s.TightBounds = false
		live -= vector.Cardinality
	}
	if live < 0 {
		return unknown
	}
	if live == 0 {
		return Exact{Limits: true}
	}
	b := s.Column([]string{physical}, t)
	out := unknown
	switch {
	case b.Nulls < 0 || b.Nulls > s.NumRecords:
	case b.Nulls == 0:
		out.Values = live
	case b.Nulls == s.NumRecords:
		if b.Min != nil || b.Max != nil {
			return unknown
		}
		return Exact{Limits: true}
	default:
		out.Values = live - b.Nulls
	}
	if b.Exact && trusted(t, b.Min) && trusted(t, b.Max) && types.Compare(t, b.Min, b.Max) <= 0 {
		out.Min, out.Max, out.Limits = b.Min, b.Max, true
		if d, ok := b.Min.(types.Dec); ok {
			out.Min = d.Rescale(t.Scale)
		}
		if d, ok := b.Max.(types.Dec); ok {
			out.Max = d.Rescale(t.Scale)
		}
	}
	return out
}

// trusted reports a limit that is a value of the column's type and was written as it is.
func trusted(t types.Type, v types.Value) bool {
	switch v := v.(type) {
	case int64:
		if t.Kind == types.Date {
			return v >= gregorian
		}
		bits := map[types.Kind]int{types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64}[t.Kind]
		return bits > 0 && v>>(bits-1) == v>>63
	case types.Dec:
		fit, ok := v.Fit(t.Precision, t.Scale)
		return ok && t.Precision <= doubleDigits && fit.Rescale(max(t.Scale, v.Scale)).Cmp(v.Rescale(max(t.Scale, v.Scale))) == 0
	}
	return false
}
