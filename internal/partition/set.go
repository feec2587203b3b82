package partition

import (
	"iter"

	"github.com/tarnlake/tarn/internal/types"
)

// Set is all partitions of one table at one version, held as dictionary codes. It is immutable, so that readers share
// it without locks; a writer makes a new Set. Rows are numbered from 0 in the order of the typed values, NULL first.
type Set struct{ cols []Column }

// NewSet is the empty set of a table partitioned by cols.
func NewSet(cols []Column) *Set { return &Set{cols: cols} }

// Len is the number of partitions.
func (s *Set) Len() int { return 0 }

// Columns are the partition columns, outermost first.
func (s *Set) Columns() []Column { return s.cols }

// Value is one value of row i.
func (s *Set) Value(i, col int) types.Value { return nil }

// Values are all values of row i.
func (s *Set) Values(i int) Values { return nil }

// Spec is the canonical, escaped text of row i, as SHOW PARTITIONS prints it: year=2021/month=1.
func (s *Set) Spec(i int) string { return "" }

// Path is where row i's directory is: rel below the table's location, such as "year=2021/month=01", or else an absolute
// location in abs.
func (s *Set) Path(i int) (rel, abs string) { return "", "" }

// Canonical reports whether row i's directory is the one that its values alone give.
func (s *Set) Canonical(i int) bool { return true }

// Properties are the properties of row i, nil for none.
func (s *Set) Properties(i int) map[string]string { return nil }

// Gen is the table version that last changed row i.
func (s *Set) Gen(i int) int64 { return 0 }

// Find is the row with these values (in canonical form).
func (s *Set) Find(v Values) (row int, ok bool) { return 0, false }

// BySpec yields the rows of sel in plain string order of Spec, the order of SHOW PARTITIONS (n=1, n=10, n=2).
func (s *Set) BySpec(sel *Selection) iter.Seq[int] { return func(func(int) bool) {} }

// Bytes estimates the memory that the set holds.
func (s *Set) Bytes() int64 { return 0 }

// MaxNonEmpty is the greatest value of col that occurs in a partition of sel with at least one row, or NULL when there
// is none; NULL itself takes no part. rows counts the rows of a partition and may read footers.
func (s *Set) MaxNonEmpty(col int, sel *Selection, rows func(row int) (int64, error)) (types.Value, error) {
	return nil, nil
}

// MinNonEmpty is MaxNonEmpty for the least value.
func (s *Set) MinNonEmpty(col int, sel *Selection, rows func(row int) (int64, error)) (types.Value, error) {
	return nil, nil
}

// Distinct lists the distinct values of col in sel, in order, NULL (nil) first when it occurs.
func (s *Set) Distinct(col int, sel *Selection) []types.Value { return nil }
