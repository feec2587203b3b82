package partition

import "github.com/tarnlake/tarn/internal/types"

// Op is a comparison in a partition spec.
type Op uint8

// The comparisons. Only Eq matches NULL, and only NULL with NULL: NULL and DefaultPartition are one value.
const (
	Eq Op = iota
	Ne
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

// Matches reports whether a value (in canonical form) of type t satisfies the matcher. Only Eq matches NULL.
func (m Matcher) Matches(t types.Type, v types.Value) bool {
	if v == nil || m.Value == nil {
		return m.Op == Eq && v == nil && m.Value == nil
	}
	c := types.Compare(t, v, m.Value)
	switch m.Op {
	case Eq:
		return c == 0
	case Ne:
		return c != 0
	case Lt:
		return c < 0
	case Le:
		return c <= 0
	case Gt:
		return c > 0
	}
	return c >= 0
}

// Match selects the rows that satisfy all matchers.
func (s *Set) Match(ms []Matcher) *Selection {
	g := s.grid()
	out := fullSelection(g.n)
	for _, m := range ms {
		hits := make([]bool, g.sizes[m.Col])
		hitRange(&s.domains[m.Col], s.cols[m.Col].Type, m.Op, m.Value, hits)
		out = g.rows(m.Col, hits, out)
	}
	return out
}

// Match selects the leaves that satisfy all matchers.
func (f *Found) Match(ms []Matcher) *Selection {
	g := f.grid()
	out := fullSelection(g.n)
	for _, m := range ms {
		d, code := f.domain(m.Col)
		of := make([]bool, d.size())
		hitRange(&d, f.Columns[m.Col].Type, m.Op, m.Value, of)
		hits := make([]bool, g.sizes[m.Col])
		for k := range hits {
			hits[k] = of[code[k]]
		}
		out = g.rows(m.Col, hits, out)
	}
	return out
}

// hitRange adds marks for the codes whose values compare so with v. Codes keep the order of values: each comparison is a
// range.
func hitRange(d *domain, t types.Type, op Op, v types.Value, hits []bool) {
	if v == nil {
		if op == Eq {
			hits[0] = true
		}
		return
	}
	at, exact := d.seek(keyOf(t, v))
	after := at
	if exact {
		after++
	}
	lo, hi := uint32(1), uint32(len(hits))
	switch op {
	case Eq:
		lo, hi = at, after
	case Lt:
		hi = at
	case Le:
		hi = after
	case Gt:
		lo = after
	case Ge:
		lo = at
	case Ne:
		for c := lo; c < hi; c++ {
			hits[c] = hits[c] || c < at || c >= after
		}
		return
	}
	for c := lo; c < hi; c++ {
		hits[c] = true
	}
}
