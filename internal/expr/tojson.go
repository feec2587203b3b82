package expr

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/types/pattern"
)

// toJSONFunctions write collections as JSON text.
func toJSONFunctions() []Overload {
	return []Overload{{
		Name: "to_json", Params: one(AnyValue), Prepare: jsonArg, Returns: types.Of(types.String),
		DuckFunc: func(args []string, ts []types.Type, _ types.Type) string { return jsonSQL(wrapArg(args, 0), ts[0]) },
		Eval: func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			var b strings.Builder
			jsonText(&b, a[0], ts[0], zoneOf(ctx))
			return b.String(), nil
		},
	}}
}

func jsonArg(call *callSite) ([]Expr, error) {
	if t := call.args[0].Type(); !t.Kind.IsNested() {
		return nil, sqlerr.InvalidJSONSchema(call.sql(), t.SQL())
	}
	return call.args, nil
}

// The patterns that Spark writes times with: milliseconds are cut, not rounded.
const (
	jsonTimestamp = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
	jsonLocalTime = "yyyy-MM-dd'T'HH:mm:ss.SSS"
)

// jsonText writes a value; NULL fields of structs drop out, NULLs in arrays and maps are null.
func jsonText(b *strings.Builder, v types.Value, t types.Type, zone *time.Location) {
	if v == nil {
		b.WriteString("null")
		return
	}
	switch k := t.Kind; {
	case k == types.Struct:
		b.WriteByte('{')
		first := true
		for i, e := range listOf(v) {
			if e == nil || i >= len(t.Fields) {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			quoteJSON(b, t.Fields[i].Name)
			b.WriteByte(':')
			jsonText(b, e, t.Fields[i].Type, zone)
		}
		b.WriteByte('}')
	case k == types.Array:
		b.WriteByte('[')
		for i, e := range listOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			jsonText(b, e, *t.Elem, zone)
		}
		b.WriteByte(']')
	case k == types.Map:
		b.WriteByte('{')
		for i, e := range entriesOf(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			quoteJSON(b, types.Format(*t.Key, e.Key, zone))
			b.WriteByte(':')
			jsonText(b, e.Value, *t.Elem, zone)
		}
		b.WriteByte('}')
	case k == types.Timestamp, k == types.TimestampNTZ:
		p := jsonTimestamp
		if k == types.TimestampNTZ {
			p, zone = jsonLocalTime, time.UTC
		}
		if f, err := pattern.Parse(p); err == nil {
			quoteJSON(b, f.Format(intOf(v), zone))
		}
	case k == types.Binary:
		quoteJSON(b, base64.StdEncoding.EncodeToString([]byte(textOf(v))))
	case k == types.Boolean, k.IsIntegral(), k == types.Decimal:
		b.WriteString(types.Format(t, v, zone))
	case isFloating(k):
		text := types.Format(t, v, zone)
		if strings.ContainsAny(text, "Ny") {
			text = `"` + text + `"`
		}
		b.WriteString(text)
	default:
		quoteJSON(b, types.Format(t, v, zone))
	}
}

// jsonSQL says the same for DuckDB, by the type of the value.
func jsonSQL(a string, t types.Type) string {
	text := types.Of(types.String)
	quotedText := func(s string) string { return "CAST(to_json(" + s + ") AS VARCHAR)" }
	switch k := t.Kind; {
	case k == types.Struct:
		parts := []string{"','"}
		for i, f := range t.Fields {
			var name strings.Builder
			quoteJSON(&name, f.Name)
			field := "struct_extract(" + a + ", " + DuckString(DuckFieldName(t, i)) + ")"
			parts = append(parts, DuckString(name.String()+":")+"||"+jsonSQL(field, f.Type))
		}
		body := "''"
		if len(t.Fields) > 0 {
			body = "concat_ws(" + strings.Join(parts, ",") + ")"
		}
		return "CASE WHEN " + a + " IS NOT NULL THEN '{'||" + body + "||'}' END"
	case k == types.Array:
		x := lambdaVar(a)
		return "CASE WHEN " + a + " IS NOT NULL THEN '['||coalesce(array_to_string(list_transform(" + a + ", lambda " + x + ": coalesce(" + jsonSQL(x, *t.Elem) + ",'null')),','),'')||']' END"
	case k == types.Map:
		x := lambdaVar(a)
		key := quotedText(CastSQL(x+".key", *t.Key, text, CastANSI))
		return "CASE WHEN " + a + " IS NOT NULL THEN '{'||coalesce(array_to_string(list_transform(map_entries(" + a + "), lambda " + x + ": " + key + "||':'||coalesce(" + jsonSQL(x+".value", *t.Elem) + ",'null')),','),'')||'}' END"
	case k == types.Timestamp:
		return "'\"'||tarn_format_time(" + a + "," + DuckString(jsonTimestamp) + ",current_setting('TimeZone'))||'\"'"
	case k == types.TimestampNTZ:
		return "'\"'||strftime(" + a + ",'%Y-%m-%dT%H:%M:%S.%g')||'\"'"
	case k == types.Binary:
		return "'\"'||to_base64(" + a + ")||'\"'"
	case k == types.Boolean, k.IsIntegral(), k == types.Decimal:
		return CastSQL(a, t, text, CastANSI)
	case isFloating(k):
		s := CastSQL(a, t, text, CastANSI)
		return "CASE WHEN isfinite(" + a + ") THEN " + s + " ELSE '\"'||" + s + "||'\"' END"
	case k == types.Void:
		return "NULL"
	}
	return quotedText(CastSQL(a, t, text, CastANSI))
}
