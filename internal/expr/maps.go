package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// mapFunctions make maps and look into them.
func mapFunctions() []Overload {
	boolean := types.Of(types.Boolean)
	key := func(args []Expr) (types.Type, error) { return types.ArrayOf(*args[0].Type().Key), nil }
	value := func(args []Expr) (types.Type, error) { return types.ArrayOf(*args[0].Type().Elem), nil }
	lookup := func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		return mapValue(entriesOf(a[0]), a[1], ts[1]), nil
	}
	rows := []Overload{
		{Name: "map", Params: one(AnyValue), Variadic: true, Optional: 1, Prepare: mapArgs, Result: mapResult, NullAware: true, DuckFunc: mapSQL, Eval: evalMap},
		{Name: "element_at", Params: two(AnyValue), Prepare: keyArg, Result: itemResult, Duck: "map_extract_value($1, $2)", Eval: lookup},
		{Name: "try_element_at", Params: two(AnyValue), Prepare: keyArg, Result: itemResult, Duck: "map_extract_value($1, $2)", Eval: lookup},
		{Name: "map_keys", Params: one(AnyMap), Result: key, Duck: "map_keys($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, e := range entriesOf(a[0]) {
				out = append(out, e.Key)
			}
			return out, nil
		}},
		{Name: "map_values", Params: one(AnyMap), Result: value, Duck: "map_values($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, e := range entriesOf(a[0]) {
				out = append(out, e.Value)
			}
			return out, nil
		}},
		{Name: "map_entries", Params: one(AnyMap), Result: func(args []Expr) (types.Type, error) {
			t := args[0].Type()
			return types.ArrayOf(types.StructOf(types.Field{Name: "key", Type: *t.Key, NotNull: true}, types.Field{Name: "value", Type: *t.Elem})), nil
		}, Duck: "map_entries($1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, e := range entriesOf(a[0]) {
				out = append(out, []types.Value{e.Key, e.Value})
			}
			return out, nil
		}},
		{Name: "map_contains_key", Params: two(AnyValue), Prepare: soughtKey, Returns: boolean, Duck: "CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN map_contains($1, $2) END", Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			for _, e := range entriesOf(a[0]) {
				if types.Compare(ts[1], e.Key, a[1]) == 0 {
					return true, nil
				}
			}
			return false, nil
		}},
		{Name: "map_from_arrays", Params: two(AnyArray), Prepare: keysAndValues, Result: func(args []Expr) (types.Type, error) {
			return types.MapOf(*args[0].Type().Elem, *args[1].Type().Elem), nil
		}, Duck: "sp_map($1, $2)"},
		{Name: "map_from_entries", Params: one(AnyArray), Prepare: entryArray, Result: func(args []Expr) (types.Type, error) {
			f := args[0].Type().Elem.Fields
			return types.MapOf(f[0].Type, f[1].Type), nil
		}, DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			field := func(i int) string {
				return "list_transform($1, lambda e_: struct_extract(e_, " + verbatimText(DuckString(DuckFieldName(*ts[0].Elem, i))) + "))"
			}
			keys := field(0)
			if f := ts[0].Elem.Fields; len(f) > 0 {
				keys = positiveZeros(keys, f[0].Type.Kind)
			}
			return fill("CASE WHEN len($1) = list_count($1) THEN CAST(sp_map("+keys+", "+field(1)+") AS $T) END", args, ts, t, nil)
		}},
		{Name: "str_to_map", Params: []Class{PlainText, PlainText, PlainText}, Optional: 2, Returns: types.MapOf(types.Of(types.String), types.Of(types.String)), DuckFunc: strToMapSQL, Eval: evalStrToMap},
		{Name: "map_concat", Params: one(Common), Variadic: true, Optional: 1, Prepare: sameMaps, Result: func(args []Expr) (types.Type, error) {
			if len(args) == 0 {
				return types.MapOf(types.Of(types.String), types.Of(types.String)), nil
			}
			return typeOfFirst(args)
		}, DuckFunc: func(args []string, _ []types.Type, t types.Type) string {
			if len(args) == 0 {
				return "CAST(MAP {} AS " + DuckType(t) + ")"
			}
			m := args[0]
			for _, a := range args[1:] {
				m = "sp_map_concat(" + m + "," + a + ")"
			}
			return m
		}},
	}
	return append(rows, lastWinning(rows)...)
}

// lastWin is what the names of the rows end in that spark.sql.mapKeyDedupPolicy = LAST_WIN puts in place of others.
const lastWin = " last win"

// lastWinning are the forms of the functions among rows that make maps in which the last value of a key that comes several
// times wins; the key stays where it came first. Their texts differ by the macro that puts a map together.
func lastWinning(rows []Overload) []Overload {
	macros := strings.NewReplacer("sp_map(", "sp_map_last(", "sp_map_concat(", "sp_map_concat_last(")
	var out []Overload
	for _, o := range rows {
		o := o
		plain := o
		switch o.Name {
		case "map":
			o.DuckFunc = lastMapSQL
		case "transform_keys":
			h := *o.HigherOrder
			h.Duck = func(c *HigherOrderText) string { return transformKeysText(c, "sp_map_last") }
			o.HigherOrder = &h
		case "map_from_arrays", "map_from_entries", "map_concat", "str_to_map":
			o.Duck, o.DuckFunc = "", func(args []string, ts []types.Type, t types.Type) string {
				// The arguments may say anything: only the function's own text is changed.
				marks := make([]string, len(args))
				for i := range marks {
					marks[i] = "$" + itoa(i+1)
				}
				return fill(macros.Replace(CallSQL(&plain, marks, ts, t)), args, ts, t, nil)
			}
		default:
			continue
		}
		switch o.Name {
		case "map":
			o.Eval = evalLastMap
		case "str_to_map":
			o.Eval = func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return mapOfText(a, true)
			}
		}
		o.Name += lastWin
		out = append(out, o)
	}
	return out
}

func lastMapSQL(args []string, ts []types.Type, t types.Type) string {
	if len(args) == 0 {
		return mapSQL(args, ts, t)
	}
	var keys, values []string
	for i := 0; i+1 < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	return "CAST(sp_map_last(" + positiveZeros("["+strings.Join(keys, ", ")+"]", ts[0].Kind) + ", [" + strings.Join(values, ", ") + "]) AS " + DuckType(t) + ")"
}

// mapArgs casts keys to one type and values to another.
func mapArgs(call *callSite) ([]Expr, error) {
	if len(call.args)%2 != 0 {
		return nil, sqlerr.WrongNumArgs("map", "2n (n > 0)", len(call.args))
	}
	var keys, values []Expr
	for i := 0; i < len(call.args); i += 2 {
		keys, values = append(keys, call.args[i]), append(values, call.args[i+1])
	}
	k, kt, ok := UnifyIn(call.opts.Context, keys...)
	if !ok {
		return nil, sqlerr.CreateMapDiffTypes("KEY", call.sql(), typeNames(keys))
	}
	if kt.HasMap() {
		return nil, sqlerr.InvalidMapKeyType(call.sql(), kt.SQL())
	}
	v, _, ok := UnifyIn(call.opts.Context, values...)
	if !ok {
		return nil, sqlerr.CreateMapDiffTypes("VALUE", call.sql(), typeNames(values))
	}
	out := make([]Expr, len(call.args))
	for i := range k {
		out[2*i], out[2*i+1] = k[i], v[i]
	}
	return out, nil
}

func mapResult(args []Expr) (types.Type, error) {
	if len(args) == 0 {
		return types.MapOf(types.Type{}, types.Type{}), nil
	}
	return types.MapOf(plain(args[0].Type()), plain(args[1].Type())), nil
}

func mapSQL(args []string, ts []types.Type, t types.Type) string {
	var keys, values []string
	for i := 0; i+1 < len(args); i += 2 {
		key := args[i]
		if isFloating(ts[i].Kind) {
			key = wrapArg(args, i) + "+0"
		}
		keys, values = append(keys, key), append(values, args[i+1])
	}
	made := "CAST(MAP([" + strings.Join(keys, ", ") + "], [" + strings.Join(values, ", ") + "]) AS " + DuckType(t) + ")"
	if len(keys) == 0 {
		return made
	}
	nulls := make([]string, len(keys))
	for i := range keys {
		nulls[i] = wrapArg(keys, i) + " IS NULL"
	}
	s := "CASE WHEN " + strings.Join(nulls, " OR ") + " THEN " + raise("NULL_MAP_KEY")
	if len(keys) > 1 {
		s += " WHEN len(list_distinct([" + strings.Join(keys, ", ") + "]))<>" + itoa(len(keys)) + " THEN " + raise("DUPLICATED_MAP_KEY")
	}
	return s + " ELSE " + made + " END"
}

func evalMap(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	return mapOf(a, ts, false)
}

func evalLastMap(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	return mapOf(a, ts, true)
}

// mapOf is the map of keys and values that take turns; last lets the last value of a key win.
func mapOf(a []types.Value, ts []types.Type, last bool) (types.Value, error) {
	out := []types.MapEntry{}
next:
	for i := 0; i+1 < len(a); i += 2 {
		key := a[i]
		if key == nil {
			return nil, sqlerr.NullMapKey()
		}
		if f, ok := key.(float64); ok {
			key = f + 0 // -0.0 is stored as 0.0
		}
		for at, e := range out {
			if types.Compare(ts[i], e.Key, key) == 0 {
				if last {
					out[at].Value = a[i+1]
					continue next
				}
				return nil, sqlerr.DuplicatedMapKey(types.Format(ts[i], key, nil))
			}
		}
		out = append(out, types.MapEntry{Key: key, Value: a[i+1]})
	}
	return out, nil
}

// soughtKey is a map and a key that is no NULL without a type.
func soughtKey(call *callSite) ([]Expr, error) {
	m, k := call.args[0].Type(), call.args[1].Type()
	switch {
	case k.Kind == types.Void:
		return nil, sqlerr.NullType(call.sql(), call.name)
	case m.Kind != types.Map:
		return nil, sqlerr.CollectionDiffTypes("MAP", call.sql(), call.name, m.SQL(), k.SQL())
	}
	return keyArg(call)
}

// keyArg is a map and a key of its type; text and numbers do not mix.
func keyArg(call *callSite) ([]Expr, error) {
	m, k := call.args[0], call.args[1]
	t := m.Type()
	if t.Kind != types.Map {
		if call.name == "element_at" || call.name == "try_element_at" {
			if t.Kind == types.Array {
				return nil, errNextRow
			}
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, ArrayOrMap.String(), Print(m), t.SQL())
		}
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, AnyMap.String(), Print(m), t.SQL())
	}
	common := tightestOf
	if call.name == "map_contains_key" {
		common = elementType
	}
	kt, ok := common(*t.Key, k.Type())
	if !ok {
		return nil, sqlerr.CollectionDiffTypes("MAP", call.sql(), call.name, t.SQL(), k.Type().SQL())
	}
	return []Expr{implicit(m, types.MapOf(kt, *t.Elem)), implicit(k, kt)}, nil
}

// strToMapSQL gets keys and values from Go as two lists.
func strToMapSQL(args []string, _ []types.Type, _ types.Type) string {
	rest := ",',',':')"
	switch len(args) {
	case 2:
		rest = "," + args[1] + ",':')"
	case 3:
		rest = "," + args[1] + "," + args[2] + ")"
	}
	return "sp_map(tarn_str_to_map_keys(" + args[0] + rest + ",tarn_str_to_map_values(" + args[0] + rest + ")"
}

func evalStrToMap(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return mapOfText(a, false)
}

// mapOfText is str_to_map; last lets the last value of a key win.
func mapOfText(a []types.Value, last bool) (types.Value, error) {
	pair, kv := ",", ":"
	if len(a) > 1 {
		pair = textOf(a[1])
	}
	if len(a) > 2 {
		kv = textOf(a[2])
	}
	keys, values, err := strToMap(textOf(a[0]), pair, kv)
	if err != nil {
		return nil, err
	}
	out := []types.MapEntry{}
next:
	for i, k := range keys {
		for at, e := range out {
			if e.Key == k {
				if last {
					out[at].Value = values[i]
					continue next
				}
				return nil, sqlerr.DuplicatedMapKey(textOf(k))
			}
		}
		out = append(out, types.MapEntry{Key: k, Value: values[i]})
	}
	return out, nil
}

// strToMap splits text into pairs and each pair, once, into key and value. Both delimiters are regular expressions;
// trailing empty pairs stay, and a pair without a delimiter has no value.
func strToMap(s, pair, kv string) (keys, values []types.Value, err error) {
	p, err := compileRegex("str_to_map", pair)
	if err != nil {
		return nil, nil, err
	}
	d, err := compileRegex("str_to_map", kv)
	if err != nil {
		return nil, nil, err
	}
	pieces, err := splitRegex(p, s, -1)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range listOf(pieces) {
		pair, err := splitRegex(d, textOf(e), 2)
		if err != nil {
			return nil, nil, err
		}
		parts := listOf(pair)
		keys = append(keys, parts[0])
		if len(parts) > 1 {
			values = append(values, parts[1])
		} else {
			values = append(values, nil)
		}
	}
	return keys, values, nil
}

// sameMaps are maps of one type; text and numbers do not mix.
func sameMaps(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return nil, nil
	}
	for _, a := range call.args {
		if a.Type().Kind != types.Map {
			return nil, sqlerr.MapConcatTypes(call.sql(), typeNames(call.args))
		}
	}
	out, t, ok := UnifyIn(call.opts.Context, call.args...)
	if ok && !call.legacy() {
		for _, a := range call.args {
			if m := a.Type(); m.Key.Kind.IsText() != t.Key.Kind.IsText() || m.Elem.Kind.IsText() != t.Elem.Kind.IsText() {
				ok = m.Key.Kind == types.Void || m.Elem.Kind == types.Void
			}
		}
	}
	if !ok {
		return nil, sqlerr.DataDiffTypes(call.sql(), call.name, typeNames(call.args))
	}
	return out, nil
}

func entryArray(call *callSite) ([]Expr, error) {
	t := call.args[0].Type()
	if t.Kind != types.Array || t.Elem.Kind != types.Struct || len(t.Elem.Fields) != 2 {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"ARRAY" of pair "STRUCT"`, Print(call.args[0]), t.SQL())
	}
	if key := t.Elem.Fields[0].Type; key.HasMap() {
		return nil, sqlerr.InvalidMapKeyType(call.sql(), key.SQL())
	}
	return call.args, nil
}

// keysAndValues are two arrays; a map is no key.
func keysAndValues(call *callSite) ([]Expr, error) {
	out, err := onlyArrays(call)
	if err == nil {
		if key := *out[0].Type().Elem; key.HasMap() {
			err = sqlerr.InvalidMapKeyType(call.sql(), key.SQL())
		}
	}
	return out, err
}
