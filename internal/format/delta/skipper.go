package delta

import (
	"slices"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

// Skipper decides which files of a state can hold a row for which a condition is true, by partition values and statistics.
// It is safe for concurrent use.
type Skipper struct {
	predicate Predicate
	zone      *time.Location
	columns   map[string]skipColumn // by path joined with NUL
}

type skipColumn struct {
	physical  []string
	typ       types.Type
	partition bool
}

// NewSkipper prepares a condition over the columns of a state; zone is that of ParsePartitionValue. Columns that the state
// does not have, or that are nested in arrays and maps, are taken as unknown.
func NewSkipper(s *State, p Predicate, zone *time.Location) *Skipper {
	out := &Skipper{predicate: p, zone: zone, columns: map[string]skipColumn{}}
	mode := MappingModeOf(s.Metadata)
	p.Columns(func(path []string) {
		if c, ok := s.Schema.leaf(path, mode); ok {
			c.partition = len(path) == 1 && slices.ContainsFunc(s.Metadata.PartitionColumns, func(n string) bool { return strings.EqualFold(n, path[0]) })
			out.columns[strings.Join(path, "\x00")] = c
		}
	})
	return out
}

// leaf resolves a logical path to a leaf and its physical path.
func (s Schema) leaf(path []string, mode MappingMode) (skipColumn, bool) {
	var c skipColumn
	fields := s.Fields
	for i, name := range path {
		at := findField(fields, name)
		if at < 0 {
			return c, false
		}
		f := fields[at]
		c.physical = append(c.physical, f.PhysicalName(mode))
		if i == len(path)-1 {
			c.typ = f.column().Type
			return c, !c.typ.Kind.IsNested()
		}
		if f.Type.Kind != types.Struct {
			return c, false
		}
		fields = f.Type.Fields
	}
	return c, false
}

// Keep reports whether the file may hold a row for which the condition is true. A partition value that does not have the
// column's type is an error.
func (k *Skipper) Keep(a *Add) (bool, error) {
	var stats Stats
	parsed, some := false, false
	var fault error
	o := k.predicate.outcomes(func(path []string) (Bounds, types.Type, bool) {
		c, ok := k.columns[strings.Join(path, "\x00")]
		if !ok {
			return unknownBounds, types.Type{}, false
		}
		if c.partition {
			v, err := ParsePartitionValue(path[0], c.typ, a.PartitionValues.Get(c.physical[0]), k.zone)
			if err != nil {
				fault = err
				return unknownBounds, c.typ, false
			}
			return constant(v), c.typ, true
		}
		if !parsed {
			stats, some = ParseStats(a.Stats)
			parsed = true
		}
		if !some {
			return unknownBounds, c.typ, true
		}
		return stats.Column(c.physical, c.typ), c.typ, true
	})
	if fault != nil {
		return false, fault
	}
	return o&mayTrue != 0, nil
}

// constant is the bounds of a column with one value.
func constant(v types.Value) Bounds {
	if v == nil {
		return Bounds{Rows: 1, Nulls: 1}
	}
	return Bounds{Rows: 1, Nulls: 0, Min: v, Max: v, Exact: true}
}
