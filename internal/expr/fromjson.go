package expr

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// fromJSONFunctions read JSON text by a schema. In DuckDB, Go turns the text into JSON of exactly the schema's shape,
// which a cast then takes apart.
func fromJSONFunctions() []Overload {
	return []Overload{{
		Name: "from_json", Params: two(Text), Prepare: schemaArg, Result: schemaType,
		DuckFunc: func(args []string, _ []types.Type, t types.Type) string {
			return "CAST(CAST(tarn_from_json(" + args[0] + "," + DuckString(t.SQL()) + ",current_setting('TimeZone')) AS JSON) AS " + DuckType(t) + ")"
		},
		Eval: func(ctx *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
			return fromJSON(textOf(a[0]), t, zoneOf(ctx)), nil
		},
	}}
}

// schemaArg folds the schema, a constant text: a type, or columns as in CREATE TABLE.
func schemaArg(call *callSite) ([]Expr, error) {
	to, _, ok := Text.fit(call.args[0].Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Text.String(), Print(call.args[0]), call.args[0].Type().SQL())
	}
	l, ok := Fold(call.args[1], &Context{ANSI: true}).(*Literal)
	text, isText := "", false
	if ok {
		text, isText = l.Value.(string)
	}
	if !isText {
		return nil, sqlerr.NonFoldableInput(call.sql(), "schema", "STRING", Print(call.args[1]))
	}
	t, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	if !t.Kind.IsNested() {
		return nil, sqlerr.InvalidJSONSchema(call.sql(), t.SQL())
	}
	if holdsInterval(t) {
		return nil, sqlerr.Unsupported("JSON_INTERVAL", "intervals in the schema of from_json")
	}
	return []Expr{implicit(call.args[0], to), textLiteral(t.SQL())}, nil
}

// holdsInterval reports an interval at any depth of a type.
func holdsInterval(t types.Type) bool {
	switch t.Kind {
	case types.YearMonthInterval, types.DayTimeInterval, types.CalendarInterval:
		return true
	case types.Array:
		return holdsInterval(*t.Elem)
	case types.Map:
		return holdsInterval(*t.Key) || holdsInterval(*t.Elem)
	}
	for _, f := range t.Fields {
		if holdsInterval(f.Type) {
			return true
		}
	}
	return false
}

func schemaType(args []Expr) (types.Type, error) {
	l, _ := args[1].(*Literal)
	if l == nil {
		return types.Type{}, sqlerr.Internal(errNotEvaluable)
	}
	return parseSchema(textOf(l.Value))
}

// parseSchema reads a type, or a list of columns as the fields of a STRUCT.
func parseSchema(text string) (types.Type, error) {
	t, err := parser.ParseType(text)
	if err == nil {
		return withoutLengths(t), nil
	}
	cols, colErr := parser.ParseColumns(text)
	if colErr != nil {
		return types.Type{}, err
	}
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name().Name, Type: withoutLengths(c.Type.T)}
	}
	return types.StructOf(fields...), nil
}

// corruptRecord is the field that gets the whole text when it is no JSON.
const corruptRecord = "_corrupt_record"

// fromJSON never fails: a field that does not read is NULL, text that is no JSON gives a STRUCT of NULLs, or NULL where
// the schema is an ARRAY or a MAP.
func fromJSON(s string, t types.Type, zone *time.Location) types.Value {
	if strings.TrimFunc(s, isControl) == "" {
		return nil
	}
	r := jsonReader{zone: zone}
	v, ok := parseJSON(s)
	if t.Kind == types.Struct {
		if list, isList := v.(jsonArray); isList && len(list) == 1 {
			v = list[0]
		}
		if d, isDict := v.(jsonDict); ok && isDict {
			return r.fields(d, t)
		}
		out := make([]types.Value, len(t.Fields))
		for i, f := range t.Fields {
			if !ok && f.Name == corruptRecord && f.Type.Kind.IsText() {
				out[i] = s
			}
		}
		return out
	}
	if !ok {
		return nil
	}
	if d, isDict := v.(jsonDict); isDict && t.Kind == types.Array && t.Elem.Kind == types.Struct {
		v = jsonArray{d}
	}
	out, ok := r.value(v, t)
	if !ok {
		return nil
	}
	return out
}

// jsonReader turns parsed JSON into values of a type. There is no conversion between JSON's types, except of anything to
// STRING and of text to DECIMAL.
type jsonReader struct{ zone *time.Location }

// fields reads the members that the STRUCT names; of equal keys the last counts.
func (r jsonReader) fields(d jsonDict, t types.Type) []types.Value {
	out := make([]types.Value, len(t.Fields))
	for i, f := range t.Fields {
		for _, m := range d {
			if m.key == f.Name {
				v, ok := r.value(m.value, f.Type)
				if out[i] = v; !ok {
					out[i] = nil
				}
			}
		}
	}
	return out
}

// value reads one value; ok is false when it has the wrong type.
func (r jsonReader) value(v jsonValue, t types.Type) (types.Value, bool) {
	if v == nil {
		return nil, true
	}
	text, isText := v.(string)
	number, isNumber := v.(jsonNumber)
	whole := isNumber && !strings.ContainsAny(string(number), ".eE")
	switch k := t.Kind; {
	case k.IsText():
		if isText {
			return text, true
		}
		var b strings.Builder
		writeJSON(&b, v)
		return b.String(), true
	case k == types.Boolean:
		b, ok := v.(bool)
		return b, ok
	case k.IsIntegral():
		n, err := strconv.ParseInt(string(number), 10, 64)
		lo, hi := types.IntRange(k)
		return n, whole && err == nil && n >= lo && n <= hi
	case isFloating(k):
		var f float64
		switch {
		case isNumber:
			f, _ = strconv.ParseFloat(string(number), 64)
		case isText && text == "NaN":
			f = math.NaN()
		case isText && (text == "Infinity" || text == "+INF" || text == "INF" || text == "+Infinity"):
			f = math.Inf(1)
		case isText && (text == "-Infinity" || text == "-INF"):
			f = math.Inf(-1)
		default:
			return nil, false
		}
		if k == types.Float {
			f = float64(float32(f))
		}
		return f, true
	case k == types.Decimal:
		if isNumber {
			text = string(number)
		}
		d, ok := types.ParseDec(text)
		if !ok || !isNumber && !isText {
			return nil, false
		}
		d, ok = d.Fit(t.Precision, t.Scale)
		return d, ok
	case k == types.Date:
		d, ok := types.ParseDate(text)
		return d, isText && ok
	case k == types.Timestamp:
		if whole {
			n, err := strconv.ParseInt(string(number), 10, 64)
			return n * types.MicrosPerSecond, err == nil && n < math.MaxInt64/types.MicrosPerSecond && n > math.MinInt64/types.MicrosPerSecond
		}
		n, ok := types.ParseTimestamp(text, r.zone)
		return n, isText && ok
	case k == types.TimestampNTZ:
		n, ok := types.ParseTimestampNTZ(text)
		return n, isText && ok
	case k == types.Binary:
		b, err := base64.StdEncoding.DecodeString(text)
		return types.Bytes(b), isText && err == nil
	case k == types.Struct:
		d, ok := v.(jsonDict)
		if !ok {
			return nil, false
		}
		return r.fields(d, t), true
	case k == types.Array:
		list, ok := v.(jsonArray)
		if !ok {
			return nil, false
		}
		out := []types.Value{}
		for _, e := range list {
			x, ok := r.value(e, *t.Elem)
			if !ok {
				return nil, false
			}
			out = append(out, x)
		}
		return out, true
	case k == types.Map:
		d, ok := v.(jsonDict)
		if !ok {
			return nil, false
		}
		out := []types.MapEntry{}
		for _, m := range d {
			x, ok := r.value(m.value, *t.Elem)
			if !ok {
				return nil, false
			}
			key, err := types.Cast(m.key, types.Of(types.String), *t.Key, types.CastOptions{Zone: r.zone, Mode: types.Try})
			if err != nil || key == nil {
				return nil, false
			}
			out = putEntry(out, *t.Key, key, x)
		}
		return out, true
	}
	return nil, false
}

// putEntry adds an entry, or replaces the value of an equal key.
func putEntry(m []types.MapEntry, t types.Type, key, value types.Value) []types.MapEntry {
	for i := range m {
		if types.Compare(t, m[i].Key, key) == 0 {
			m[i].Value = value
			return m
		}
	}
	return append(m, types.MapEntry{Key: key, Value: value})
}

// shapeJSON writes a value so that DuckDB's cast from JSON reads it back: every field is there, under the name it has in
// DuckDB, and all but the collections, booleans and integers are text.
func shapeJSON(b *strings.Builder, v types.Value, t types.Type) {
	if v == nil {
		b.WriteString("null")
		return
	}
	switch k := t.Kind; {
	case k == types.Struct:
		b.WriteByte('{')
		for i, e := range listOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			quoteJSON(b, DuckFieldName(t, i))
			b.WriteByte(':')
			shapeJSON(b, e, t.Fields[i].Type)
		}
		b.WriteByte('}')
	case k == types.Array:
		b.WriteByte('[')
		for i, e := range listOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			shapeJSON(b, e, *t.Elem)
		}
		b.WriteByte(']')
	case k == types.Map:
		b.WriteByte('{')
		for i, e := range entriesOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			quoteJSON(b, types.Format(*t.Key, e.Key, time.UTC))
			b.WriteByte(':')
			shapeJSON(b, e.Value, *t.Elem)
		}
		b.WriteByte('}')
	case k == types.Boolean, k.IsIntegral():
		b.WriteString(types.Format(t, v, time.UTC))
	case k == types.Timestamp:
		quoteJSON(b, types.Format(t, v, time.UTC)+"+00")
	case k == types.Binary:
		const digits = "0123456789ABCDEF"
		var hex strings.Builder
		for _, c := range []byte(textOf(v)) {
			hex.WriteString(`\x` + string(digits[c>>4]) + string(digits[c&15]))
		}
		quoteJSON(b, hex.String())
	default:
		quoteJSON(b, types.Format(t, v, time.UTC))
	}
}

// fromJSONGoFunction is what the template of from_json calls: JSON text, the schema as DDL, and the zone.
func fromJSONGoFunction() GoFunction {
	text := types.Of(types.String)
	schemas := newCache(parseSchema)
	zones := newCache(func(name string) (*time.Location, error) {
		z, ok := types.ParseZone(name)
		if !ok {
			return nil, sqlerr.InvalidTimezone(name)
		}
		return z, nil
	})
	return GoFunction{"tarn_from_json", []types.Type{text, text, text}, text, func(a []types.Value) (types.Value, error) {
		t, err := schemas.get(textOf(a[1]))
		if err != nil {
			return nil, err
		}
		zone, err := zones.get(textOf(a[2]))
		if err != nil {
			return nil, err
		}
		v := fromJSON(textOf(a[0]), t, zone)
		if v == nil {
			return nil, nil
		}
		var b strings.Builder
		shapeJSON(&b, v, t)
		return b.String(), nil
	}}
}
