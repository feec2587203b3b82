package delta

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Stats are the statistics of a file. Bounds stay text until a column is asked for.
type Stats struct {
	// NumRecords is the number of rows in the file, deleted ones included; -1 when it is not known.
	NumRecords int64
	// TightBounds is false when deleted rows may have held the bounds, which then are outer limits only.
	TightBounds      bool
	min, max, counts string // JSON objects; "" when absent
}

// ParseStats reads the text of add.stats. Text that is damaged means no statistics, never no rows; ok is false then, and
// for the empty text.
func ParseStats(text string) (s Stats, ok bool) {
	s = Stats{NumRecords: -1, TightBounds: true}
	if text == "" {
		return s, false
	}
	r := &jsonReader{text: text}
	r.object(func(key string) {
		switch key {
		case "numRecords":
			if n := r.longOrNil(); n != nil {
				s.NumRecords = *n
			}
		case "tightBounds":
			if !r.null() {
				s.TightBounds = r.truth()
			}
		case "minValues":
			s.min = r.raw()
		case "maxValues":
			s.max = r.raw()
		case "nullCount":
			s.counts = r.raw()
		default:
			r.skip()
		}
	})
	r.end()
	if !r.ok() || s.NumRecords < -1 {
		return Stats{NumRecords: -1, TightBounds: true}, false
	}
	return s, true
}

// Bounds is what is known of one column of one file.
type Bounds struct {
	// Rows is the number of rows, -1 when it is not known.
	Rows int64
	// Nulls is the number of rows that are null; -1 when it is not known.
	Nulls int64
	// Min and Max are limits of the values that are not null; nil when they are not known. Every value lies between them, but
	// for NaN, which may be there whatever Max says.
	Min, Max types.Value
	// Exact reports whether Min and Max are values of the column.
	Exact bool
}

// AllNull reports whether no row has a value.
func (b Bounds) AllNull() bool { return b.Rows >= 0 && b.Nulls >= 0 && b.Nulls >= b.Rows }

// unknownBounds is what is known without statistics.
var unknownBounds = Bounds{Rows: -1, Nulls: -1}

// Column gives the bounds of a leaf by its physical path. The limits are widened by what writers cut or round: an instant to
// milliseconds, a text to its first characters, a decimal to a double.
func (s Stats) Column(path []string, t types.Type) Bounds {
	b := Bounds{Rows: s.NumRecords, Nulls: -1}
	if raw, ok := jsonAt(s.counts, path); ok {
		r := &jsonReader{text: raw}
		if n := r.longOrNil(); n != nil && r.ok() && *n >= 0 {
			// After deletions the count is an outer limit, which means something at its ends only.
			if s.TightBounds || *n == 0 || *n == s.NumRecords {
				b.Nulls = *n
			}
		}
	}
	lo, cutLo, ok1 := s.bound(s.min, path, t)
	hi, cutHi, ok2 := s.bound(s.max, path, t)
	if ok1 {
		b.Min = widen(t, lo, false)
	}
	if ok2 {
		b.Max = widen(t, hi, true)
	}
	if isNaN(b.Min) || isNaN(b.Max) {
		b.Min, b.Max = nil, nil
	}
	b.Exact = ok1 && ok2 && s.TightBounds && !cutLo && !cutHi && exactBounds(t.Kind)
	return b
}

// exactBounds reports whether writers store the bounds of a kind as they are. Floats are not among them, for NaN, nor text
// and instants, which are cut.
func exactBounds(k types.Kind) bool {
	return k.IsIntegral() || k == types.Date || k == types.Decimal
}

func isNaN(v types.Value) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}

// bound reads a limit; cut reports whether its text says that it is not the value itself.
func (s Stats) bound(object string, path []string, t types.Type) (v types.Value, cut, ok bool) {
	raw, ok := jsonAt(object, path)
	if !ok || raw == "null" {
		return nil, false, false
	}
	r := &jsonReader{text: raw}
	text := raw
	if raw[0] == '"' {
		text = r.str()
	}
	switch t.Kind {
	case types.String, types.Char, types.Varchar:
		return text, true, raw[0] == '"'
	case types.Boolean:
		return raw == "true", false, raw == "true" || raw == "false"
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		n := r.longOrNil()
		if n == nil || !r.ok() {
			return nil, false, false
		}
		return *n, false, true
	case types.Float, types.Double:
		f, ok := types.ParseDouble(text)
		return f, false, ok
	case types.Decimal:
		d, ok := types.ParseDec(text)
		return d, ok && rounded(t, d), ok
	case types.Date:
		day, _, _ := strings.Cut(text, "T")
		n, ok := types.ParseDate(day)
		return n, false, ok && raw[0] == '"'
	case types.Timestamp:
		n, ok := types.ParseTimestamp(text, time.UTC)
		return n, true, ok && raw[0] == '"'
	case types.TimestampNTZ:
		n, ok := types.ParseTimestampNTZ(text)
		return n, true, ok && raw[0] == '"'
	}
	return nil, false, false
}

// doubleDigits is how many digits of a decimal come through a double unharmed; shortest text of a double has at most two more.
const doubleDigits = 15

// rounded reports a limit of a decimal column that may have been through a double, as delta-rs keeps them, and come out as another
// number.
func rounded(t types.Type, d types.Dec) bool {
	return t.Precision > doubleDigits && len(strings.Trim(d.Rescale(d.Scale).Unscaled.String(), "-0")) <= doubleDigits+2
}

// widenDec moves a limit by four of the steps that doubles of its size make: it may have been computed in several roundings.
func widenDec(t types.Type, d types.Dec, up bool) types.Dec {
	const bits, digits = 50, 400
	if d.Digits()-d.Scale > digits {
		return d // beyond doubles
	}
	d = d.Rescale(max(d.Scale, t.Scale))
	step := new(big.Int).Abs(d.Unscaled)
	step.Rsh(step, bits).Add(step, big.NewInt(1))
	if !up {
		step.Neg(step)
	}
	return types.Dec{Unscaled: step.Add(step, d.Unscaled), Scale: d.Scale}
}

// widen moves a limit outward by what may have been cut off. Writers cut an instant down to milliseconds; some cut
// toward 1970.
func widen(t types.Type, v types.Value, up bool) types.Value {
	if d, ok := v.(types.Dec); ok && rounded(t, d) {
		return widenDec(t, d, up)
	}
	const cut = 999
	n, ok := v.(int64)
	if !ok || t.Kind != types.Timestamp && t.Kind != types.TimestampNTZ {
		return v
	}
	switch {
	case up && n <= math.MaxInt64-cut:
		return n + cut
	case !up && n < 0 && n >= math.MinInt64+cut:
		return n - cut
	}
	return v
}

// jsonAt is the text of the value at a path of an object.
func jsonAt(object string, path []string) (string, bool) {
	for _, name := range path {
		if object == "" || object[0] != '{' {
			return "", false
		}
		r := &jsonReader{text: object}
		found := ""
		r.object(func(key string) {
			if key == name && found == "" {
				found = r.raw()
				r.stop()
				return
			}
			r.skip()
		})
		if found == "" {
			return "", false
		}
		object = found
	}
	return object, len(path) > 0
}

// stopped ends a walk whose answer is found.
const stopped = "stopped"

// stop ends the walk over an object: the rest of the text does not matter.
func (r *jsonReader) stop() {
	if r.fault == "" {
		r.fault = stopped
	}
}

// LiveRows is the number of rows that a file has and no deletion vector takes away; ok is false when statistics do not
// tell.
func (a *Add) LiveRows() (n int64, ok bool) {
	s, ok := ParseStats(a.Stats)
	if !ok || s.NumRecords < 0 {
		return 0, false
	}
	n = s.NumRecords
	if a.DeletionVector != nil {
		n -= a.DeletionVector.Cardinality
	}
	return n, n >= 0
}

// WithVector is the file with some of its rows deleted: its bounds become outer limits. The number of its rows must be known;
// the error is DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS.
func (a *Add) WithVector(d *DeletionVector) (*Add, error) {
	s, ok := ParseStats(a.Stats)
	if !ok || s.NumRecords < 0 {
		return nil, sqlerr.DeltaVectorWithoutRows(a.Path)
	}
	out := *a
	out.DeletionVector = d
	out.Stats = string(Properties(a.Stats).With("tightBounds", "false"))
	return &out, nil
}
