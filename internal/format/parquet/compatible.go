package parquet

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Compatible reports whether the columns of a file may be read as those of a table, matched by name (in any case unless
// the session says otherwise). Only columns in schema are looked at. The error is a *sqlerr.Error naming file and column:
// FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH, or PARQUET_TYPE_ILLEGAL for a type that has no SQL equal.
//
// Spark's reader decides which pairs are good, except where it hands out the bits of one type as another (a DATE as INT,
// a DECIMAL's unscaled value): those are mismatches here.
func Compatible(location string, f format.Footer, schema []types.Field, s format.Settings) error {
	for _, want := range schema {
		got, ok := find(f.Schema, want.Name, s.CaseSensitive)
		if !ok {
			continue
		}
		if got.Type.Kind == types.Void {
			return refused(location, got)
		}
		if !readable(got.Type, want.Type, s.CaseSensitive) || fixedAsText(f, got, want) {
			return sqlerr.ParquetColumnMismatch(location, want.Name, want.Type.String(), fileType(f, got))
		}
	}
	return nil
}

func find(fields []types.Field, name string, caseSensitive bool) (types.Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	if !caseSensitive {
		for _, f := range fields {
			if strings.EqualFold(f.Name, name) {
				return f, true
			}
		}
	}
	return types.Field{}, false
}

// refused is the error for a column of a type that has no SQL equal.
func refused(location string, column types.Field) error {
	if strings.Contains(column.Comment, "(VARIANT)") {
		return sqlerr.ParquetTypeNotSupported(location, column.Name, column.Comment)
	}
	return sqlerr.ParquetTypeIllegal(location, column.Name, column.Comment)
}

// fileType is the type of a file's column for messages.
func fileType(f format.Footer, column types.Field) string {
	for _, l := range f.Leaves {
		if len(l.Path) == 1 && l.Path[0] == column.Name {
			if l.Logical == "" {
				return l.Physical
			}
			return l.Physical + " (" + l.Logical + ")"
		}
	}
	return column.Type.String()
}

// fixedAsText reports whether bytes of fixed length are wanted as text, which Spark refuses: they are no text.
func fixedAsText(f format.Footer, got, want types.Field) bool {
	return got.Type.Kind == types.Binary && want.Type.Kind.IsText() && strings.HasPrefix(fileType(f, got), "FIXED_LEN_BYTE_ARRAY")
}

// readable reports whether values of a file's type can be read as a table's type.
func readable(got, want types.Type, caseSensitive bool) bool {
	switch got.Kind {
	case types.TinyInt, types.SmallInt, types.Int:
		return want.Kind.IsIntegral() || want.Kind == types.Double || wholeDecimal(want, 10) || want.Kind == types.YearMonthInterval
	case types.BigInt:
		return want.Kind == types.BigInt || wholeDecimal(want, 20) || want.Kind == types.DayTimeInterval
	case types.Float:
		return want.Kind == types.Float || want.Kind == types.Double
	case types.Decimal:
		return want.Kind == types.Decimal && want.Scale >= got.Scale && want.Precision-want.Scale >= got.Precision-got.Scale
	case types.String, types.Binary:
		return want.Kind.IsText() || want.Kind == types.Binary
	case types.Date:
		return want.Kind == types.Date || want.Kind == types.TimestampNTZ
	case types.Timestamp, types.TimestampNTZ:
		return want.Kind == types.Timestamp || want.Kind == types.TimestampNTZ
	case types.Array:
		return want.Kind == types.Array && readable(*got.Elem, *want.Elem, caseSensitive)
	case types.Map:
		return want.Kind == types.Map && readable(*got.Key, *want.Key, caseSensitive) && readable(*got.Elem, *want.Elem, caseSensitive)
	case types.Struct:
		if want.Kind != types.Struct {
			return false
		}
		for _, w := range want.Fields {
			if g, ok := find(got.Fields, w.Name, caseSensitive); ok && !readable(g.Type, w.Type, caseSensitive) {
				return false
			}
		}
		return true
	}
	return got.Kind == want.Kind
}

// wholeDecimal reports whether t is a DECIMAL with room for that many digits before the point.
func wholeDecimal(t types.Type, digits int) bool {
	return t.Kind == types.Decimal && t.Precision-t.Scale >= digits
}

// Infer returns the schema of files: the first one's, or with the option mergeSchema that of all merged. Failures are
// *sqlerr.Error: those of ReadFooter, PARQUET_TYPE_ILLEGAL for a column of a type that has no SQL equal, and
// CANNOT_MERGE_SCHEMAS.
func Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	var out []types.Field
	for i, in := range files {
		f, err := ReadFooter(ctx, in)
		if err != nil {
			return nil, err
		}
		location := in.Location().String()
		for _, c := range f.Schema {
			if c.Type.Kind == types.Void {
				return nil, refused(location, c)
			}
		}
		if i == 0 {
			out = f.Schema
		} else if out, err = mergeFields(location, "", out, f.Schema, s.CaseSensitive); err != nil {
			return nil, err
		}
		if !opts.Is("mergeSchema") {
			break
		}
	}
	return out, nil
}

func mergeFields(location, prefix string, a, b []types.Field, caseSensitive bool) ([]types.Field, error) {
	out := append([]types.Field(nil), a...)
next:
	for _, f := range b {
		for i := range out {
			if out[i].Name != f.Name && (caseSensitive || !strings.EqualFold(out[i].Name, f.Name)) {
				continue
			}
			t, err := mergeTypes(location, prefix+f.Name, out[i].Type, f.Type, caseSensitive)
			if err != nil {
				return nil, err
			}
			out[i].Type = t
			continue next
		}
		out = append(out, f)
	}
	return out, nil
}

func mergeTypes(location, column string, a, b types.Type, caseSensitive bool) (types.Type, error) {
	mismatch := func() (types.Type, error) {
		return types.Type{}, sqlerr.MergeSchemas(location, column, a.String(), b.String())
	}
	switch {
	case a.Kind != b.Kind:
		return mismatch()
	case a.Kind == types.Struct:
		fields, err := mergeFields(location, column+".", a.Fields, b.Fields, caseSensitive)
		return types.StructOf(fields...), err
	case a.Kind == types.Array, a.Kind == types.Map:
		elem, err := mergeTypes(location, column, *a.Elem, *b.Elem, caseSensitive)
		if err != nil || a.Kind == types.Array {
			a.Elem = &elem
			return a, err
		}
		key, err := mergeTypes(location, column, *a.Key, *b.Key, caseSensitive)
		a.Key, a.Elem = &key, &elem
		return a, err
	case a.Kind == types.Decimal && a.Scale == b.Scale:
		return types.DecimalOf(max(a.Precision, b.Precision), a.Scale), nil
	case !types.Equal(a, b):
		return mismatch()
	}
	return a, nil
}
