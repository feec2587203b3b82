package partition

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// SpecKey is one key of a PARTITION (…) clause.
type SpecKey struct {
	Name string
	Op   Op
	// Text is the literal's text: the source text of an unquoted one (05 stays 05), the content of a quoted one.
	Text string
	Null bool
}

// SpecOptions says what a statement accepts.
type SpecOptions struct {
	Table         string // quoted name for messages
	CaseSensitive bool
	// Partial allows some keys to be missing.
	Partial bool
	// Lenient turns a value that does not cast into NULL (spark.sql.storeAssignmentPolicy=LEGACY).
	Lenient bool
	// Zone is the session's: a TIMESTAMP's text that names a zone is the wall-clock time there. Nil is UTC.
	Zone *time.Location
}

// Spec is a resolved PARTITION clause.
type Spec struct {
	// Matchers has one element per key.
	Matchers []Matcher
	// Values holds the values when the spec is complete and only has '='; else nil.
	Values Values
}

// ResolveSpec resolves the names and values of a PARTITION clause: names are those of partition columns, each value is
// cast to its column's type. Errors: PARTITIONS_NOT_FOUND for an unknown key, COLUMN_ALREADY_EXISTS for one named
// twice, INVALID_PARTITION_SPEC for an empty value or missing keys, CAST_INVALID_INPUT, EXCEED_LIMIT_LENGTH.
func ResolveSpec(cols []Column, keys []SpecKey, opts SpecOptions) (*Spec, error) {
	spec := &Spec{}
	values := make(Values, len(cols))
	given := make([]bool, len(cols))
	plain := true
	for _, k := range keys {
		c := columnNamed(cols, k.Name, opts.CaseSensitive)
		if c < 0 {
			names := make([]string, len(cols))
			for i := range cols {
				names[i] = ident.Quote(cols[i].Name)
			}
			return nil, sqlerr.NoPartitionColumn(ident.Quote(k.Name), opts.Table, names)
		}
		// Comparators may bound one column from both sides.
		if given[c] && (k.Op == Eq || plain) {
			return nil, sqlerr.ColumnAlreadyExists(ident.Quote(cols[c].Name))
		}
		given[c] = true
		v, err := specValue(cols[c], k, keys, opts)
		if err != nil {
			return nil, err
		}
		plain = plain && k.Op == Eq
		values[c] = v
		spec.Matchers = append(spec.Matchers, Matcher{Col: c, Op: k.Op, Value: v})
	}
	complete := true
	for _, g := range given {
		complete = complete && g
	}
	if !complete && !opts.Partial {
		return nil, sqlerr.IncompletePartitionSpec(keyNames(keys), columnNames(cols), opts.Table)
	}
	if complete && plain {
		spec.Values = values
	}
	return spec, nil
}

func columnNamed(cols []Column, name string, caseSensitive bool) int {
	for c, col := range cols {
		if col.Name == name || !caseSensitive && strings.EqualFold(col.Name, name) {
			return c
		}
	}
	return -1
}

func keyNames(keys []SpecKey) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Name
	}
	return out
}

func columnNames(cols []Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

func specValue(col Column, k SpecKey, keys []SpecKey, opts SpecOptions) (types.Value, error) {
	if k.Null || k.Text == DefaultPartition {
		return nil, nil
	}
	switch {
	case k.Text == "" && (col.Type.Kind.IsText() || col.Type.Kind == types.Binary):
		return nil, sqlerr.EmptySpecValue(specAsWritten(keys))
	case col.Type.Kind == types.Char || col.Type.Kind == types.Varchar:
		text, err := fitLength(k.Text, col.Type.Precision)
		if err != nil {
			return nil, err
		}
		return Canonical(col, text), nil
	case col.Type.Kind == types.Timestamp && namesZone(k.Text):
		zone := opts.Zone
		if zone == nil {
			zone = time.UTC
		}
		if instant, ok := types.ParseTimestamp(k.Text, zone); ok {
			return types.ToLocal(instant, zone), nil
		}
	}
	v, err := ParseValue(col, k.Text)
	if err != nil && opts.Lenient {
		return nil, nil
	}
	return v, err
}

// fitLength checks the length that CHAR and VARCHAR values may have; blanks beyond it fall off.
func fitLength(text string, limit int) (string, error) {
	if utf8.RuneCountInString(text) <= limit {
		return text, nil
	}
	runes := []rune(text)
	if strings.Trim(string(runes[limit:]), " ") != "" {
		return "", sqlerr.CharLengthExceeded(limit)
	}
	return string(runes[:limit]), nil
}

// specAsWritten is how Spark prints a spec in details: [a=1, b=].
func specAsWritten(keys []SpecKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		text := k.Text
		if k.Null {
			text = "null"
		}
		parts[i] = k.Name + "=" + text
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
