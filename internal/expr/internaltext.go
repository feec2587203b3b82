package expr

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// InternalText shows a value as Spark keeps it: dates as days, times as microseconds, structs as lists. Some functions print
// this form of nested values and of keys.
func InternalText(v types.Value, t types.Type) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case int64:
		if t.Kind == types.Time {
			x *= 1000 // Spark keeps a time of day in nanoseconds
		}
		return strconv.FormatInt(x, 10)
	case []types.Value:
		parts := make([]string, len(x))
		for i, p := range x {
			if t.Kind == types.Struct {
				parts[i] = InternalText(p, t.Fields[i].Type)
			} else {
				parts[i] = InternalText(p, *t.Elem)
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	case []types.MapEntry:
		keys, values := make([]string, len(x)), make([]string, len(x))
		for i, e := range x {
			keys[i], values[i] = InternalText(e.Key, *t.Key), InternalText(e.Value, *t.Elem)
		}
		return "keys: [" + strings.Join(keys, ",") + "], values: [" + strings.Join(values, ",") + "]"
	}
	return types.Format(t, v, nil)
}
