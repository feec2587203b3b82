package delta

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// PropertyStatsColumns lists the columns of which statistics are kept, in place of the first few: names with dots for fields, and
// back-quotes around odd ones.
const PropertyStatsColumns = "delta.dataSkippingStatsColumns"

// statNames are the columns that the table's property lists; a struct stands for all of its fields.
func statNames(m *Metadata) ([][]string, bool) {
	text, ok := m.Configuration[PropertyStatsColumns]
	if !ok {
		return nil, false
	}
	var out [][]string
	var path []string
	var part strings.Builder
	quoted, wasQuoted := false, false
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && !quoted:
			if name := strings.TrimSpace(part.String()); name != "" || wasQuoted {
				out = append(out, append(path, name))
			}
			path, wasQuoted = nil, false
			part.Reset()
		case text[i] == '`':
			quoted, wasQuoted = !quoted, true
		case text[i] == '.' && !quoted:
			path = append(path, strings.TrimSpace(part.String()))
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	return out, true
}

// withStatNames is the metadata with another list of columns.
func withStatNames(m *Metadata, names [][]string) *Metadata {
	texts := make([]string, len(names))
	for i, path := range names {
		parts := make([]string, len(path))
		for j, p := range path {
			if parts[j] = p; strings.ContainsAny(p, ".,`") {
				parts[j] = ident.Quote(p)
			}
		}
		texts[i] = strings.Join(parts, ".")
	}
	return m.With(map[string]string{PropertyStatsColumns: strings.Join(texts, ",")})
}

// renameStats follows a column or field to its new name; path has the old one.
func renameStats(m *Metadata, path []string, name string) *Metadata {
	names, ok := statNames(m)
	if !ok || !slices.ContainsFunc(names, func(n []string) bool { return isBelow(n, path) }) {
		return m
	}
	for _, n := range names {
		if isBelow(n, path) {
			n[len(path)-1] = name
		}
	}
	return withStatNames(m, names)
}

// dropStats takes a column or field, and what is below it, off the list.
func dropStats(m *Metadata, path []string) *Metadata {
	names, ok := statNames(m)
	gone := func(n []string) bool { return isBelow(n, path) }
	if !ok || !slices.ContainsFunc(names, gone) {
		return m
	}
	return withStatNames(m, slices.DeleteFunc(names, gone))
}

// isBelow reports whether a path is another one, or leads to a field of it.
func isBelow(path, root []string) bool {
	return len(root) <= len(path) && slices.EqualFunc(root, path[:len(root)], strings.EqualFold)
}

func named(names [][]string, path []string) bool {
	return slices.ContainsFunc(names, func(n []string) bool { return isBelow(path, n) })
}

// CheckStatsColumns refuses delta.dataSkippingStatsColumns with names that cannot be chosen by: of no column, of partition columns, of
// columns without an order, and of one column twice. The errors are DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_COLUMN_PATH_NOT_NESTED,
// DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN, DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE and
// DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS. As in Delta, fields of structs may have any type, and names that differ in case alone are
// not the same.
func CheckStatsColumns(m *Metadata, s Schema) error {
	names, _ := statNames(m)
	seen := map[string]bool{}
	for _, path := range names {
		fields := s.Fields
		var f Field
		for i, name := range path {
			at := findField(fields, name)
			if at < 0 {
				return sqlerr.DeltaColumnNotFound(strings.Join(path, "."), strings.Join(namesOf(s.Fields), ", "))
			}
			f = fields[at]
			if i < len(path)-1 && f.Type.Kind != types.Struct {
				return sqlerr.DeltaNotNested(strings.Join(path[:i+1], "."), f.Type.Name(), path[i+1])
			}
			fields = f.Type.Fields
		}
		switch {
		case len(path) == 1 && m.isPartition(f.Name):
			return sqlerr.DeltaStatsOfPartition(f.Name)
		case len(path) == 1 && f.Type.Kind != types.Struct && !ordered(f.Type.Kind):
			return sqlerr.DeltaStatsOfType(f.Name, f.Type.Name())
		}
		var twice string
		var leaves func(f Field, path string)
		leaves = func(f Field, path string) {
			if f.Type.Kind == types.Struct {
				for _, inner := range f.Type.Fields {
					leaves(inner, path+"."+inner.Name)
				}
				return
			}
			if seen[path] {
				twice = path
			}
			seen[path] = true
		}
		if leaves(f, strings.Join(path, ".")); twice != "" {
			return sqlerr.DeltaStatsTwice(twice)
		}
	}
	return nil
}

// ordered reports whether Delta chooses files by bounds of a type.
func ordered(k types.Kind) bool {
	switch k {
	case types.Date, types.Timestamp, types.TimestampNTZ, types.String:
		return true
	}
	return k.IsNumeric()
}

func namesOf(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
