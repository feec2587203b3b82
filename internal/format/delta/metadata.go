package delta

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// With is the metadata with properties set; m stays as it is.
func (m *Metadata) With(set map[string]string) *Metadata {
	out := *m
	out.Configuration = maps.Clone(m.Configuration)
	if out.Configuration == nil {
		out.Configuration = map[string]string{}
	}
	maps.Copy(out.Configuration, set)
	return &out
}

// Without is the metadata without some properties; m stays as it is.
func (m *Metadata) Without(keys ...string) *Metadata {
	out := *m
	out.Configuration = maps.Clone(m.Configuration)
	for _, k := range keys {
		delete(out.Configuration, k)
	}
	return &out
}

// WithSchema is the metadata with another schema; m stays as it is.
func (m *Metadata) WithSchema(s Schema) *Metadata {
	out := *m
	out.SchemaString = s.JSON()
	return &out
}

// Wishes are what a statement's table properties ask for.
type Wishes struct {
	Properties map[string]string // to be stored
	Features   []string          // asked for by name
	Reader     int               // the least reader version; 0 when none is asked for
	Writer     int               // the least writer version; 0 when none is asked for
}

// SplitProperties takes the properties that change the protocol, and are not stored, out of those of a statement. The errors
// are DELTA_UNSUPPORTED_FEATURES_IN_CONFIG and DELTA_PROTOCOL_PROPERTY_NOT_INT, DELTA_UNKNOWN_CONFIGURATION for a name delta.… that
// nobody knows, and those of values that a property does not take. Names are stored as Delta spells them.
func SplitProperties(properties map[string]string) (Wishes, error) {
	w := Wishes{Properties: map[string]string{}}
	var bad []string
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		value := properties[key]
		lower := strings.ToLower(key)
		switch {
		case strings.HasPrefix(lower, "delta.feature."):
			name := featureName(key[len("delta.feature."):])
			if _, ok := KnownFeature(name); !ok || !strings.EqualFold(value, "supported") && !strings.EqualFold(value, "enabled") {
				bad = append(bad, name)
			}
			w.Features = append(w.Features, name)
		case lower == "delta.minreaderversion" || lower == "delta.minwriterversion":
			most, into := readerWithFeatures, &w.Reader
			if lower == "delta.minwriterversion" {
				most, into = writerWithFeatures, &w.Writer
			}
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 1 || n > most {
				return w, sqlerr.DeltaVersionProperty(key, value)
			}
			*into = n
		default:
			known, err := checkProperty(key, value)
			if err != nil {
				return w, err
			}
			w.Properties[known] = value
		}
	}
	if len(bad) > 0 {
		return w, sqlerr.DeltaUnknownFeatureProperty(bad)
	}
	return w, nil
}

// featureName finds a feature whatever the case of its letters: catalogs fold the case of properties.
func featureName(text string) string {
	for _, f := range features {
		if strings.EqualFold(f.name, text) {
			return f.name
		}
	}
	return text
}

// Raise is the protocol that meets the wishes and the needs of a table's metadata and schema.
func (p *Protocol) Raise(w Wishes, m *Metadata, s Schema) *Protocol {
	out := p
	if w.Reader > out.MinReader || w.Writer > out.MinWriter {
		next := &Protocol{MinReader: max(w.Reader, out.MinReader), MinWriter: max(w.Writer, out.MinWriter)}
		if next.MinReader == readerWithFeatures {
			next.MinWriter = writerWithFeatures
		}
		if next.MinWriter == writerWithFeatures {
			// The features of the old versions are listed from now on.
			next.WriterFeatures = out.Features()
			if next.MinReader == readerWithFeatures {
				next.ReaderFeatures = []string{}
				for _, name := range next.WriterFeatures {
					if f := findFeature(name); f != nil && f.forReaders {
						next.ReaderFeatures = append(next.ReaderFeatures, name)
					}
				}
			}
		}
		out = next
	}
	return out.With(append(slices.Clone(w.Features), RequiredFeatures(m, s)...)...)
}

// CheckNames refuses a schema with two columns of one name, ignoring case, at any level; and without column mapping, names that
// Parquet files of old writers cannot hold. The errors are DELTA_DUPLICATE_COLUMNS_FOUND and
// DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES.
func CheckNames(s Schema, mode MappingMode) error {
	var twice string
	var odd []string
	var walk func(fields []Field, path string)
	var inside func(t *Type, path string)
	inside = func(t *Type, path string) {
		if t != nil {
			walk(t.Fields, path)
			inside(t.Key, path+"key.")
			inside(t.Elem, path+"element.")
		}
	}
	walk = func(fields []Field, path string) {
		seen := map[string]bool{}
		for i := range fields {
			f := &fields[i]
			if lower := strings.ToLower(f.Name); seen[lower] && twice == "" {
				twice = path + f.Name
			} else {
				seen[lower] = true
			}
			if strings.ContainsAny(f.Name, " ,;{}()\n\t=") {
				odd = append(odd, f.Name)
			}
			inside(&f.Type, path+f.Name+".")
		}
	}
	walk(s.Fields, "")
	switch {
	case twice != "":
		return sqlerr.DeltaDuplicateColumns(twice)
	case mode == MappingNone && len(odd) > 0:
		return sqlerr.DeltaColumnCharacters(odd)
	}
	return nil
}

// voidOnly is for writers of data: void has no place inside of arrays and maps, in a struct of nothing else, or as a table's only
// columns.
func voidOnly(fields []Field) bool {
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(f Field) bool { return f.Type.Kind != types.Void })
}

// HoldsUnwritableVoid reports whether data cannot be written with the schema because of where it has VOID.
func (s Schema) HoldsUnwritableVoid() bool {
	return voidOnly(s.Fields) || s.any(func(f Field) bool { return f.Type.unwritable() })
}

func (t *Type) unwritable() bool {
	switch {
	case t == nil:
		return false
	case t.Kind == types.Struct && voidOnly(t.Fields):
		return true
	case t.Key != nil && t.Key.Kind == types.Void, t.Elem != nil && t.Elem.Kind == types.Void:
		return true
	}
	return t.Key.unwritable() || t.Elem.unwritable()
}
