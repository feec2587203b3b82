package delta

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/types"
)

// statCharacters is how many characters of a text its bounds keep.
const statCharacters = 32

// StatsBuilder makes the statistics of one file of what its writer knows, such as the row groups of a footer. It is used by
// one goroutine at a time.
type StatsBuilder struct {
	rows   int64
	leaves []*statLeaf
	byPath map[string]*statLeaf
}

type statLeaf struct {
	path       []string
	typ        types.Type
	min, max   types.Value
	nulls      int64
	known      bool // bounds are known for all parts so far
	countKnown bool
	parts      int
}

// NewStatsBuilder begins the statistics of a file of a table: which leaves have some is what the table's properties say,
// delta.dataSkippingStatsColumns or delta.dataSkippingNumIndexedCols.
func NewStatsBuilder(s Schema, m *Metadata) *StatsBuilder {
	b := &StatsBuilder{byPath: map[string]*statLeaf{}}
	most := 32
	if text, ok := m.Configuration["delta.dataSkippingNumIndexedCols"]; ok {
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
			most = n
		}
	}
	names, byName := statNames(m)
	mode := MappingModeOf(m)
	count := 0
	var walk func(fields []Field, logical, physical []string)
	walk = func(fields []Field, logical, physical []string) {
		for _, f := range fields {
			if len(logical) == 0 && m.isPartition(f.Name) || f.Type.Kind == types.Void {
				continue
			}
			l := append(slices.Clone(logical), f.Name)
			p := append(slices.Clone(physical), f.PhysicalName(mode))
			if f.Type.Kind == types.Struct {
				walk(f.Type.Fields, l, p)
				continue
			}
			count++
			if byName && !named(names, l) || !byName && most >= 0 && count > most {
				continue
			}
			leaf := &statLeaf{path: p, typ: f.column().Type, known: true, countKnown: true}
			b.leaves = append(b.leaves, leaf)
			b.byPath[strings.Join(p, "\x00")] = leaf
		}
	}
	walk(s.Fields, nil, nil)
	return b
}

// Leaves calls fn with each leaf that has statistics, by physical path. Arrays, maps and binaries have no bounds, but a
// number of NULLs.
func (b *StatsBuilder) Leaves(fn func(path []string, t types.Type)) {
	for _, l := range b.leaves {
		fn(l.path, l.typ)
	}
}

// Rows adds rows, such as those of a row group.
func (b *StatsBuilder) Rows(n int64) { b.rows += n }

// Bounds adds what is known of a leaf in one part of the file: its limits, nil for a part of NULLs alone; nulls is -1 and known
// false for what the part does not tell. Leaves without statistics are ignored.
func (b *StatsBuilder) Bounds(path []string, lo, hi types.Value, nulls int64, known bool) {
	l := b.byPath[strings.Join(path, "\x00")]
	if l == nil {
		return
	}
	l.parts++
	if nulls < 0 {
		l.countKnown = false
	} else {
		l.nulls += nulls
	}
	switch {
	case !known:
		l.known = false
		return
	case lo == nil || hi == nil || !l.known || !hasBounds(l.typ.Kind):
		return
	}
	if isNaN(lo) || isNaN(hi) {
		l.known = false
		return
	}
	if l.min == nil || types.Compare(l.typ, lo, l.min) < 0 {
		l.min = lo
	}
	if l.max == nil || types.Compare(l.typ, hi, l.max) > 0 {
		l.max = hi
	}
}

// hasBounds reports whether Spark keeps bounds of a kind.
func hasBounds(k types.Kind) bool {
	return k.IsNumeric() || k.IsText() || k == types.Date || k == types.Timestamp || k == types.TimestampNTZ
}

// JSON is the text of add.stats. Leaves that no part told of are left out: no statistics are no claim.
func (b *StatsBuilder) JSON() string {
	w := &jsonWriter{}
	w.open('{')
	w.long("numRecords", b.rows)
	b.object(w, "minValues", func(l *statLeaf) (string, bool) { return l.bound(l.min, false) })
	b.object(w, "maxValues", func(l *statLeaf) (string, bool) { return l.bound(l.max, true) })
	b.object(w, "nullCount", func(l *statLeaf) (string, bool) { return itoa(l.nulls), l.countKnown && l.parts > 0 })
	w.close('}')
	return string(w.buf)
}

// object writes one member, nested as the schema is. Leaves are in the schema's order, so that those of one struct are neighbours.
func (b *StatsBuilder) object(w *jsonWriter, name string, value func(*statLeaf) (string, bool)) {
	w.key(name)
	w.open('{')
	var open []string
	for _, l := range b.leaves {
		text, ok := value(l)
		if !ok {
			continue
		}
		above := l.path[:len(l.path)-1]
		same := 0
		for same < len(open) && same < len(above) && open[same] == above[same] {
			same++
		}
		for range len(open) - same {
			w.close('}')
		}
		for _, p := range above[same:] {
			w.key(p)
			w.open('{')
		}
		open = above
		w.key(l.path[len(l.path)-1])
		w.raw(text)
	}
	for range open {
		w.close('}')
	}
	w.close('}')
}

func (l *statLeaf) bound(v types.Value, upper bool) (string, bool) {
	if v == nil || !l.known {
		return "", false
	}
	switch x := v.(type) {
	case string:
		if x, ok := cutText(x, upper); ok {
			return string(appendJSONString(nil, x)), true
		}
		return "", false
	case float64:
		if math.IsInf(x, 0) {
			return "", false
		}
	case int64:
		if l.typ.Kind == types.Timestamp || l.typ.Kind == types.TimestampNTZ {
			// Readers know that instants are cut to milliseconds.
			const millisecond = 1000
			return `"` + statTime(l.typ.Kind, types.FloorDiv(x, millisecond)*millisecond) + `"`, true
		}
	case types.Dec:
		return x.Rescale(l.typ.Scale).String(), true
	}
	return statText(l.typ, v), true
}

// cutText shortens a limit: a lower one to its first characters, an upper one besides with a character that sorts after
// all. Text that is no UTF-8 has no limit, since JSON cannot hold it.
func cutText(s string, upper bool) (string, bool) {
	if !utf8.ValidString(s) {
		return "", false
	}
	n := 0
	for i := range s {
		if n == statCharacters {
			if upper {
				return s[:i] + string(utf8.MaxRune), true
			}
			return s[:i], true
		}
		n++
	}
	return s, true
}
