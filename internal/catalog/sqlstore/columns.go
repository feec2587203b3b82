package sqlstore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// Columns are kept as the JSON form of Spark's StructType, which other tools read too: it is what Delta logs and the
// property spark.sql.sources.schema of Hive tables hold.

type structJSON struct {
	Type   string      `json:"type"` // "struct"
	Fields []fieldJSON `json:"fields"`
}

type fieldJSON struct {
	Name     string          `json:"name"`
	Type     json.RawMessage `json:"type"`
	Nullable bool            `json:"nullable"`
	Metadata metadataJSON    `json:"metadata"`
}

type metadataJSON struct {
	Comment *string `json:"comment,omitempty"`
	// Default and Exists have the names that Spark gives them.
	Default string `json:"CURRENT_DEFAULT,omitempty"`
	Exists  string `json:"EXISTS_DEFAULT,omitempty"`
	// Generated has the name that Delta gives it.
	Generated string `json:"delta.generationExpression,omitempty"`
}

type arrayJSON struct {
	Type         string          `json:"type"` // "array"
	ElementType  json.RawMessage `json:"elementType"`
	ContainsNull bool            `json:"containsNull"`
}

type mapJSON struct {
	Type              string          `json:"type"` // "map"
	KeyType           json.RawMessage `json:"keyType"`
	ValueType         json.RawMessage `json:"valueType"`
	ValueContainsNull bool            `json:"valueContainsNull"`
}

// simpleNames are the types without parameters.
var simpleNames = map[types.Kind]string{
	types.Void: "void", types.Boolean: "boolean", types.TinyInt: "byte", types.SmallInt: "short", types.Int: "integer",
	types.BigInt: "long", types.Float: "float", types.Double: "double", types.String: "string", types.Binary: "binary",
	types.Date: "date", types.Timestamp: "timestamp", types.TimestampNTZ: "timestamp_ntz",
	types.CalendarInterval: "interval", types.Variant: "variant",
}

var simpleKinds = func() map[string]types.Kind {
	m := map[string]types.Kind{"null": types.Void}
	for k, n := range simpleNames {
		m[n] = k
	}
	return m
}()

// intervalFields are the names of the fields of interval types, by their number.
var intervalFields = []string{"year", "month", "day", "hour", "minute", "second"}

func encodeColumns(fields []types.Field) (string, error) {
	raw, err := structText(fields)
	return string(raw), err
}

func decodeColumns(text string) ([]types.Field, error) {
	t, err := parseType([]byte(text), 0)
	if err != nil {
		return nil, fmt.Errorf("%w: columns: %v", errDamaged, err)
	}
	if t.Kind != types.Struct {
		return nil, fmt.Errorf("%w: columns are no struct", errDamaged)
	}
	return t.Fields, nil
}

func structText(fields []types.Field) (json.RawMessage, error) {
	s := structJSON{Type: "struct", Fields: make([]fieldJSON, len(fields))}
	for i, f := range fields {
		t, err := typeText(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		s.Fields[i] = fieldJSON{Name: f.Name, Type: t, Nullable: !f.NotNull}
		if f.HasComment || f.Comment != "" {
			s.Fields[i].Metadata.Comment = &f.Comment
		}
		s.Fields[i].Metadata.Default, s.Fields[i].Metadata.Exists = f.Default, f.Exists
		s.Fields[i].Metadata.Generated = f.Generated
	}
	return json.Marshal(s)
}

func typeText(t types.Type) (json.RawMessage, error) {
	if n, ok := simpleNames[t.Kind]; ok {
		return quoted(n), nil
	}
	switch t.Kind {
	case types.Decimal:
		return quoted(fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)), nil
	case types.Char:
		return quoted(fmt.Sprintf("char(%d)", t.Precision)), nil
	case types.Varchar:
		return quoted(fmt.Sprintf("varchar(%d)", t.Precision)), nil
	case types.Time:
		return quoted(fmt.Sprintf("time(%d)", t.Precision)), nil
	case types.YearMonthInterval, types.DayTimeInterval:
		return intervalText(t)
	case types.Struct:
		return structText(t.Fields)
	case types.Array:
		if t.Elem == nil {
			break
		}
		elem, err := typeText(*t.Elem)
		if err != nil {
			return nil, err
		}
		return json.Marshal(arrayJSON{"array", elem, !t.NotNull})
	case types.Map:
		if t.Elem == nil || t.Key == nil {
			break
		}
		key, err := typeText(*t.Key)
		if err != nil {
			return nil, err
		}
		value, err := typeText(*t.Elem)
		if err != nil {
			return nil, err
		}
		return json.Marshal(mapJSON{"map", key, value, !t.NotNull})
	}
	return nil, fmt.Errorf("type %v cannot be kept", t.Kind)
}

func intervalText(t types.Type) (json.RawMessage, error) {
	if t.Precision < 0 || t.Scale >= len(intervalFields) || t.Precision > t.Scale {
		return nil, fmt.Errorf("interval of fields %d to %d", t.Precision, t.Scale)
	}
	s := "interval " + intervalFields[t.Precision]
	if t.Scale != t.Precision {
		s += " to " + intervalFields[t.Scale]
	}
	return quoted(s), nil
}

func quoted(s string) json.RawMessage { return json.RawMessage(strconv.Quote(s)) }

// maxDepth bounds the nesting of types that are read back, so that a damaged row cannot exhaust the stack.
const maxDepth = 200

func parseType(raw json.RawMessage, depth int) (types.Type, error) {
	if depth > maxDepth {
		return types.Type{}, fmt.Errorf("types nest too deep")
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return parseSimple(name)
	}
	var tag struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &tag); err != nil {
		return types.Type{}, err
	}
	switch tag.Type {
	case "struct":
		return parseStruct(raw, depth)
	case "array":
		var a arrayJSON
		if err := json.Unmarshal(raw, &a); err != nil {
			return types.Type{}, err
		}
		elem, err := parseType(a.ElementType, depth+1)
		t := types.ArrayOf(elem)
		t.NotNull = !a.ContainsNull
		return t, err
	case "map":
		var m mapJSON
		if err := json.Unmarshal(raw, &m); err != nil {
			return types.Type{}, err
		}
		key, err := parseType(m.KeyType, depth+1)
		if err != nil {
			return types.Type{}, err
		}
		value, err := parseType(m.ValueType, depth+1)
		t := types.MapOf(key, value)
		t.NotNull = !m.ValueContainsNull
		return t, err
	}
	return types.Type{}, fmt.Errorf("unknown type %q", tag.Type)
}

func parseStruct(raw json.RawMessage, depth int) (types.Type, error) {
	var s structJSON
	if err := json.Unmarshal(raw, &s); err != nil {
		return types.Type{}, err
	}
	fields := make([]types.Field, len(s.Fields))
	for i, f := range s.Fields {
		t, err := parseType(f.Type, depth+1)
		if err != nil {
			return types.Type{}, fmt.Errorf("%s: %w", f.Name, err)
		}
		fields[i] = types.Field{Name: f.Name, Type: t, NotNull: !f.Nullable}
		if c := f.Metadata.Comment; c != nil {
			fields[i].Comment, fields[i].HasComment = *c, true
		}
		fields[i].Default, fields[i].Exists = f.Metadata.Default, f.Metadata.Exists
		fields[i].Generated = f.Metadata.Generated
	}
	return types.StructOf(fields...), nil
}

func parseSimple(name string) (types.Type, error) {
	if k, ok := simpleKinds[name]; ok {
		return types.Of(k), nil
	}
	if rest, ok := strings.CutPrefix(name, "interval "); ok {
		return parseIntervalType(rest)
	}
	base, args, ok := strings.Cut(name, "(")
	args, closed := strings.CutSuffix(args, ")")
	if !ok || !closed {
		return types.Type{}, fmt.Errorf("unknown type %q", name)
	}
	first, second, two := strings.Cut(args, ",")
	n, err := strconv.Atoi(first)
	if err != nil {
		return types.Type{}, fmt.Errorf("unknown type %q", name)
	}
	switch {
	case base == "decimal" && two:
		scale, err := strconv.Atoi(second)
		return types.DecimalOf(n, scale), err
	case base == "char" && !two:
		return types.Type{Kind: types.Char, Precision: n}, nil
	case base == "time" && !two:
		return types.TimeOf(n), nil
	case base == "varchar" && !two:
		return types.Type{Kind: types.Varchar, Precision: n}, nil
	}
	return types.Type{}, fmt.Errorf("unknown type %q", name)
}

func parseIntervalType(fields string) (types.Type, error) {
	from, to, ranged := strings.Cut(fields, " to ")
	if !ranged {
		to = from
	}
	start, end := -1, -1
	for i, n := range intervalFields {
		if n == from {
			start = i
		}
		if n == to {
			end = i
		}
	}
	if start < 0 || end < start || (start <= types.FieldMonth) != (end <= types.FieldMonth) {
		return types.Type{}, fmt.Errorf("unknown type %q", "interval "+fields)
	}
	kind := types.DayTimeInterval
	if end <= types.FieldMonth {
		kind = types.YearMonthInterval
	}
	return types.Type{Kind: kind, Precision: start, Scale: end}, nil
}
