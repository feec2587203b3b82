package csv

import (
	"context"
	"math"
	"strings"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/format/text"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Infer implements format.Reader. The first file with a record gives the names; without the option inferSchema every
// column is STRING and no other file is opened. All records are looked at, whatever the option samplingRatio says.
func (Reader) Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	o, err := parseOptions(opts, s.Zone)
	if err != nil {
		return nil, err
	}
	var in inference
	for _, f := range files {
		if err := in.file(ctx, f, o, s); err != nil {
			return nil, err
		}
		if in.names != nil && !o.inferSchema {
			break
		}
	}
	fields := make([]types.Field, len(in.names))
	for i, n := range in.names {
		t := types.Of(types.String)
		if o.inferSchema && in.kinds[i].Kind != types.Void {
			t = in.kinds[i]
		}
		fields[i] = types.Field{Name: n, Type: t}
	}
	return fields, nil
}

// inference collects the narrowest types that hold all values seen.
type inference struct {
	names []string
	kinds []types.Type // VOID before the first value
}

func (in *inference) file(ctx context.Context, f storage.File, o *options, s format.Settings) error {
	r, err := openRecords(ctx, f, o)
	if err != nil {
		return err
	}
	defer r.close()
	ok, err := r.next(-1)
	if !ok || err != nil {
		return err
	}
	names := o.columnNames(r.cut.fields, s.CaseSensitive)
	if in.names == nil {
		if err := unique(names, s.CaseSensitive); err != nil {
			return err
		}
		in.names = names
		in.kinds = make([]types.Type, len(names))
	}
	if !o.inferSchema {
		return nil
	}
	schema := make([]types.Field, len(in.names))
	want := make([]int, len(in.names))
	for i, n := range in.names {
		schema[i].Name, want[i] = n, i
	}
	l := byPosition(schema, want, -1)
	if o.header {
		if named, _, known := byName(names, schema, want, -1, s.CaseSensitive); known {
			l = named
		}
		ok, err = r.next(-1)
	}
	for n := 0; ok && err == nil; n++ {
		in.row(r.cut.fields, l, o)
		if n&1023 == 0 && ctx.Err() != nil {
			return text.Failure(f, ctx.Err())
		}
		ok, err = r.next(-1)
	}
	return err
}

// unique refuses two columns of one name.
func unique(names []string, caseSensitive bool) error {
	seen := map[string]bool{}
	for _, n := range names {
		key := n
		if !caseSensitive {
			key = strings.ToLower(n)
		}
		if seen[key] {
			return sqlerr.ColumnAlreadyExists(n)
		}
		seen[key] = true
	}
	return nil
}

func (in *inference) row(fields []field, l layout, o *options) {
	for i, at := range l.at {
		if at < 0 || at >= len(fields) || in.kinds[i].Kind == types.String {
			continue
		}
		b, ok := o.text(fields[at])
		if !ok || len(b) == 0 {
			continue
		}
		in.kinds[i] = o.common(in.kinds[i], o.typeOf(in.kinds[i].Kind, b))
	}
}

// typeOf is the narrowest type that holds b, among those not narrower than so far.
func (o *options) typeOf(soFar types.Kind, b []byte) types.Type {
	switch soFar {
	case types.Void, types.Int:
		if _, ok := text.ParseInt(b, math.MinInt32, math.MaxInt32); ok {
			return types.Of(types.Int)
		}
		fallthrough
	case types.BigInt:
		if _, ok := text.ParseInt(b, math.MinInt64, math.MaxInt64); ok {
			return types.Of(types.BigInt)
		}
		fallthrough
	case types.Decimal:
		if p, s, ok := text.DecimalShape(b); ok && s == 0 && p <= 38 {
			return types.DecimalOf(p, 0)
		}
		fallthrough
	case types.Double:
		if _, ok := o.float(b, types.Double); ok {
			return types.Of(types.Double)
		}
		if !o.preferDate {
			return o.timestampOrLess(b)
		}
		fallthrough
	case types.Date:
		if o.isDate(b) {
			return types.Of(types.Date)
		}
		return o.timestampOrLess(b)
	case types.Timestamp:
		return o.timestampOrLess(b)
	case types.Boolean:
		return booleanOrLess(b)
	}
	return types.Of(types.String)
}

// isDate reports whether b is a date by the option dateFormat, by default yyyy-MM-dd exactly.
func (o *options) isDate(b []byte) bool {
	if !o.times.HasDateFormat() && len(b) != len("yyyy-MM-dd") {
		return false
	}
	_, ok := o.times.Date(b)
	return ok && (o.times.HasDateFormat() || b[4] == '-' && b[7] == '-')
}

func (o *options) timestampOrLess(b []byte) types.Type {
	if _, ok := o.times.Timestamp(b); ok {
		return types.Of(types.Timestamp)
	}
	return booleanOrLess(b)
}

func booleanOrLess(b []byte) types.Type {
	if _, ok := boolean(b); ok {
		return types.Of(types.Boolean)
	}
	return types.Of(types.String)
}

// common is the narrowest type that holds the values of both.
func (o *options) common(a, b types.Type) types.Type {
	if a.Kind > b.Kind {
		a, b = b, a
	}
	switch {
	case a.Kind == types.Void, a.Kind == b.Kind && a.Kind != types.Decimal:
		return b
	case a.Kind == types.Int && b.Kind == types.BigInt, a.Kind.IsNumeric() && b.Kind == types.Double:
		return b
	case a.Kind == types.Double && b.Kind == types.Decimal:
		return a
	case a.Kind == types.Int && b.Kind == types.Decimal:
		return widest(types.DecimalOf(10, 0), b)
	case a.Kind == types.BigInt && b.Kind == types.Decimal:
		return widest(types.DecimalOf(20, 0), b)
	case a.Kind == types.Decimal && b.Kind == types.Decimal:
		return widest(a, b)
	case a.Kind == types.Date && b.Kind == types.Timestamp && o.dateIsTimestamp():
		return b
	}
	return types.Of(types.String)
}

func widest(a, b types.Type) types.Type {
	scale := max(a.Scale, b.Scale)
	whole := max(a.Precision-a.Scale, b.Precision-b.Scale)
	if whole+scale > 38 {
		return types.Of(types.Double)
	}
	return types.DecimalOf(whole+scale, scale)
}

// dateIsTimestamp reports whether dates as the option dateFormat writes them can be read as timestamps too.
func (o *options) dateIsTimestamp() bool {
	if !o.times.HasDateFormat() {
		return true
	}
	_, ok := o.times.Timestamp([]byte(o.times.FormatDate(0)))
	return ok
}
