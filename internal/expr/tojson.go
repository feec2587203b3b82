package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// The pattern that Spark writes times with: milliseconds are cut, not rounded.
const jsonTimestamp = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"

// jsonInSQL reports types whose values jsonSQL writes: the keys of maps must be text or whole numbers.
func jsonInSQL(t types.Type) bool {
	return !t.Holds(func(p types.Type) bool {
		return p.Kind == types.Map && !p.Key.Kind.IsText() && !p.Key.Kind.IsIntegral()
	})
}

// jsonSQL is to_json without options for DuckDB, by the type of the value: NULL fields of structs drop out, NULLs in arrays
// and maps are null.
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
