package expr

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// schemaType is the type that the second argument of from_json and from_csv says.
func schemaType(args []Expr) (types.Type, error) {
	l, _ := args[1].(*Literal)
	if l == nil {
		return types.Type{}, sqlerr.Internal(errNotEvaluable)
	}
	return ParseSchema(textOf(l.Value))
}

// ParseSchema reads a type, or a list of columns as the fields of a STRUCT.
func ParseSchema(text string) (types.Type, error) {
	if strings.TrimSpace(text) == "" {
		return types.Type{}, sqlerr.EmptyStatement()
	}
	t, err := parser.ParseType(text)
	if err != nil {
		cols, colErr := parser.ParseColumns(text)
		if colErr != nil {
			return types.Type{}, schemaError(text, err, colErr)
		}
		fields := make([]types.Field, len(cols))
		for i, c := range cols {
			fields[i] = types.Field{Name: c.Name().Name, Type: c.Type.T}
		}
		t = types.StructOf(fields...)
	}
	if t.HasLength() {
		return types.Type{}, sqlerr.CharOrVarcharAsString()
	}
	return nullable(t), nil
}

// schemaError is the error of a text that is neither a type nor a list of columns. Words that name no type are a mistake
// of syntax where more than one stand.
func schemaError(text string, asType, asColumns error) error {
	var c *sqlerr.Error
	words := strings.Fields(text)
	if errors.As(asColumns, &c) && c.Condition == "UNSUPPORTED_DATATYPE" && len(words) > 1 && !strings.ContainsAny(words[0], "<(") {
		return sqlerr.Syntax(words[1], "")
	}
	return asType
}

// nullable drops NOT NULL: a text may lack any field.
func nullable(t types.Type) types.Type {
	switch t.Kind {
	case types.Array:
		return types.ArrayOf(nullable(*t.Elem))
	case types.Map:
		return types.MapOf(nullable(*t.Key), nullable(*t.Elem))
	case types.Struct:
		fields := append([]types.Field{}, t.Fields...)
		for i := range fields {
			fields[i].Type, fields[i].NotNull = nullable(fields[i].Type), false
		}
		return types.StructOf(fields...)
	}
	return t
}

// shapedJSON is shapeJSON into a text of its own.
func shapedJSON(v types.Value, t types.Type) string {
	var b strings.Builder
	shapeJSON(&b, v, t)
	return b.String()
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
	case k == types.YearMonthInterval, k == types.DayTimeInterval:
		b.WriteString(strconv.FormatInt(intOf(v), 10))
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
