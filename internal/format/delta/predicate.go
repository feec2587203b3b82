package delta

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// Op compares a column with a value.
type Op uint8

// The operators of Compare.
const (
	Eq Op = iota
	Ne
	Lt
	Le
	Gt
	Ge
	SafeEq // <=>: true for two NULLs, never NULL
)

// Predicate is a condition over columns of a table, for deciding which files cannot hold a row that satisfies it. The zero
// Predicate is one that nothing is known of.
type Predicate struct {
	kind   predicateKind
	column []string // logical path: a column and fields below it
	op     Op
	values []types.Value
	parts  []Predicate
}

type predicateKind uint8

const (
	unknown predicateKind = iota
	compare
	isNull
	in
	prefix
	and
	or
	not
)

// Unknown is a condition that statistics say nothing about.
func Unknown() Predicate { return Predicate{} }

// Compare is column op value; the value has the column's type, or is nil for NULL.
func Compare(column []string, op Op, v types.Value) Predicate {
	return Predicate{kind: compare, column: column, op: op, values: []types.Value{v}}
}

// IsNull is column IS NULL.
func IsNull(column []string) Predicate { return Predicate{kind: isNull, column: column} }

// In is column IN (values), which have the column's type; nil among them is NULL.
func In(column []string, values []types.Value) Predicate {
	return Predicate{kind: in, column: column, values: values}
}

// StartsWith is true for texts that begin with one, as LIKE 'text%' is.
func StartsWith(column []string, text string) Predicate {
	return Predicate{kind: prefix, column: column, values: []types.Value{text}}
}

// And is true when all parts are.
func And(parts ...Predicate) Predicate { return Predicate{kind: and, parts: parts} }

// Or is true when a part is.
func Or(parts ...Predicate) Predicate { return Predicate{kind: or, parts: parts} }

// Not is NOT p.
func Not(p Predicate) Predicate { return Predicate{kind: not, parts: []Predicate{p}} }

// outcome is a set of results that rows of a file may have.
type outcome uint8

const (
	mayTrue outcome = 1 << iota
	mayFalse
	mayNull
	mayAny = mayTrue | mayFalse | mayNull
)

// Columns calls fn with the logical path of each column that the condition mentions.
func (p Predicate) Columns(fn func(path []string)) {
	if p.column != nil {
		fn(p.column)
	}
	for _, q := range p.parts {
		q.Columns(fn)
	}
}

// outcomes is what the condition may be for the rows of one file; bounds tells of a column and its type, and ok false is a
// column of which nothing is known.
func (p Predicate) outcomes(bounds func(path []string) (Bounds, types.Type, bool)) outcome {
	switch p.kind {
	case and:
		out := mayTrue
		for _, q := range p.parts {
			out = conjunction(out, q.outcomes(bounds))
		}
		return out
	case or:
		// De Morgan: a OR b is NOT (NOT a AND NOT b).
		out := mayTrue
		for _, q := range p.parts {
			out = conjunction(out, negation(q.outcomes(bounds)))
		}
		return negation(out)
	case not:
		return negation(p.parts[0].outcomes(bounds))
	case unknown:
		return mayAny
	}
	b, t, ok := bounds(p.column)
	if !ok {
		return mayAny
	}
	switch p.kind {
	case isNull:
		return nullness(b)
	case compare:
		return comparison(b, t, p.op, p.values[0])
	case in:
		return membership(b, t, p.values)
	case prefix:
		return beginning(b, p.values[0])
	}
	return mayAny
}

func negation(o outcome) outcome {
	out := o & mayNull
	if o&mayTrue != 0 {
		out |= mayFalse
	}
	if o&mayFalse != 0 {
		out |= mayTrue
	}
	return out
}

// conjunction is the results of a AND b for any pair of results.
func conjunction(a, b outcome) outcome {
	if a == 0 || b == 0 {
		return 0
	}
	out := (a | b) & mayFalse
	if a&mayTrue != 0 && b&mayTrue != 0 {
		out |= mayTrue
	}
	if a&mayNull != 0 && b&(mayNull|mayTrue) != 0 || b&mayNull != 0 && a&mayTrue != 0 {
		out |= mayNull
	}
	return out
}

func nullness(b Bounds) outcome {
	switch {
	case b.AllNull():
		return mayTrue
	case b.Nulls == 0:
		return mayFalse
	}
	return mayTrue | mayFalse
}

// presence is NULL for the rows that are null, and what of the others.
func presence(b Bounds, what outcome) outcome {
	switch {
	case b.AllNull():
		return mayNull
	case b.Nulls == 0:
		return what
	}
	return what | mayNull
}

func comparison(b Bounds, t types.Type, op Op, v types.Value) outcome {
	if v == nil {
		if op == SafeEq {
			return nullness(b)
		}
		return mayNull
	}
	if op == SafeEq {
		o := presence(b, values(b, t, Eq, v))
		if o&mayNull != 0 {
			o = o&^mayNull | mayFalse
		}
		return o
	}
	return presence(b, values(b, t, op, v))
}

// values is what x op v may be for the values x between the bounds.
func values(b Bounds, t types.Type, op Op, v types.Value) outcome {
	// Where a float's value may be NaN, it is above every limit.
	float := t.Kind == types.Float || t.Kind == types.Double
	below, above, equal := true, true, true // some x may be less than v, greater, the same
	if b.Min != nil {
		c := types.Compare(t, b.Min, v)
		below = c < 0
		equal = c <= 0
	}
	if b.Max != nil {
		c := types.Compare(t, b.Max, v)
		above = c > 0 || float && !isNaN(v)
		equal = equal && (c >= 0 || float && isNaN(v))
	}
	var yes, no bool
	switch op {
	case Eq, SafeEq:
		yes, no = equal, below || above
	case Ne:
		yes, no = below || above, equal
	case Lt:
		yes, no = below, equal || above
	case Le:
		yes, no = below || equal, above
	case Gt:
		yes, no = above, equal || below
	case Ge:
		yes, no = above || equal, below
	}
	var out outcome
	if yes {
		out |= mayTrue
	}
	if no {
		out |= mayFalse
	}
	return out
}

func membership(b Bounds, t types.Type, list []types.Value) outcome {
	some, all, null := false, false, false
	for _, v := range list {
		if v == nil {
			null = true
			continue
		}
		o := values(b, t, Eq, v)
		some = some || o&mayTrue != 0
		all = all || o == mayTrue
	}
	var out outcome
	if some {
		out |= mayTrue
	}
	if !all {
		// A NULL in the list makes NULL of what is in none of its values.
		if null {
			out |= mayNull
		} else {
			out |= mayFalse
		}
	}
	return presence(b, out)
}

func beginning(b Bounds, v types.Value) outcome {
	text, ok := v.(string)
	if !ok {
		return mayNull
	}
	lo, okLo := b.Min.(string)
	hi, okHi := b.Max.(string)
	out := mayTrue | mayFalse
	// Texts with the prefix lie between it and all that sorts after every text that begins so.
	if okLo && lo > text && !strings.HasPrefix(lo, text) || okHi && hi < text {
		out = mayFalse
	}
	return presence(b, out)
}
