package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// higherOrderFunctions take lambdas. In DuckDB a lambda has one parameter, the element, and perhaps its number from 1; so
// functions of several parameters run over lists of structs, and the parameters become fields of these.
func higherOrderFunctions() []Overload {
	integer, boolean := types.Of(types.Int), types.Of(types.Boolean)
	element := func(call *callSite) ([]Expr, [][]types.Type, error) {
		if err := wantKind(call, 0, types.Array); err != nil {
			return nil, nil, err
		}
		return call.args, [][]types.Type{{*call.args[0].Type().Elem}}, nil
	}
	numbered := func(call *callSite) ([]Expr, [][]types.Type, error) {
		args, params, err := element(call)
		if err != nil {
			return nil, nil, err
		}
		return args, [][]types.Type{append(params[0], integer)}, nil
	}
	entry := func(call *callSite) ([]Expr, [][]types.Type, error) {
		if err := wantKind(call, 0, types.Map); err != nil {
			return nil, nil, err
		}
		t := call.args[0].Type()
		return call.args, [][]types.Type{{*t.Key, *t.Elem}}, nil
	}
	bodyArray := func(place int) func([]Expr) (types.Type, error) {
		return func(args []Expr) (types.Type, error) { return types.ArrayOf(plain(args[place].Type())), nil }
	}
	rows := []Overload{
		{Name: "transform", Result: bodyArray(1), HigherOrder: &HigherOrder{Functions: []int{1}, Least: 1, Prepare: numbered, Duck: transformSQL}},
		{Name: "filter", Result: typeOfFirst, HigherOrder: &HigherOrder{Functions: []int{1}, Least: 1, Prepare: numbered, Check: booleanBody, Duck: filterSQL}},
		{Name: "exists", Returns: boolean, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: element, Check: booleanBody, Duck: quantifierSQL("OR")}},
		{Name: "forall", Returns: boolean, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: element, Check: booleanBody, Duck: quantifierSQL("AND")}},
		{Name: "zip_with", Result: bodyArray(2), HigherOrder: &HigherOrder{Functions: []int{2}, Prepare: twoArrays, Duck: zipSQL}},
		{Name: "array_sort", Result: typeOfFirst, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: comparedElements, Check: intBody, Duck: comparatorSQL}},
		{Name: "map_filter", Result: typeOfFirst, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: entry, Check: booleanBody, Duck: mapFilterSQL}},
		{Name: "transform_values", Result: func(args []Expr) (types.Type, error) {
			return types.MapOf(*args[0].Type().Key, plain(args[1].Type())), nil
		}, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: entry, Duck: transformValuesSQL}},
		{Name: "transform_keys", Result: func(args []Expr) (types.Type, error) {
			return types.MapOf(plain(args[1].Type()), *args[0].Type().Elem), nil
		}, HigherOrder: &HigherOrder{Functions: []int{1}, Prepare: entry, Check: keyBody, Duck: transformKeysSQL}},
		{Name: "map_zip_with", Result: func(args []Expr) (types.Type, error) {
			return types.MapOf(*args[0].Type().Key, plain(args[2].Type())), nil
		}, HigherOrder: &HigherOrder{Functions: []int{2}, Prepare: twoMaps, Duck: mapZipSQL}},
	}
	for _, name := range []string{"aggregate", "reduce"} {
		rows = append(rows,
			Overload{Name: name, Result: func(args []Expr) (types.Type, error) { return plain(args[1].Type()), nil }, HigherOrder: &HigherOrder{Functions: []int{2}, Prepare: folded, Check: mergedBody, Duck: foldSQL}},
			Overload{Name: name, Result: func(args []Expr) (types.Type, error) { return plain(args[3].Type()), nil }, HigherOrder: &HigherOrder{Functions: []int{2, 3}, Prepare: folded, Check: mergedBody, Duck: finishedSQL}})
	}
	for i := range rows {
		h := rows[i].HigherOrder
		n := h.Functions[len(h.Functions)-1] + 1
		rows[i].Params = make([]Class, n)
		rows[i].Prepare = prepareLambdas(h)
	}
	return append(rows, lastWinning(rows)...)
}

// wantKind refuses an argument of another kind; a NULL without a type is no array and no map here.
func wantKind(call *callSite, i int, k types.Kind) error {
	if a := call.args[i]; a.Type().Kind != k {
		required := AnyArray
		if k == types.Map {
			required = AnyMap
		}
		return sqlerr.UnexpectedInputType(call.sql(), i+1, required.String(), Print(a), a.Type().SQL())
	}
	return nil
}

// booleanBody asks for a BOOLEAN, or a NULL without a type.
func booleanBody(call *callSite, _, bodies []Expr) error {
	boolean := types.Of(types.Boolean)
	if k := bodies[0].Type().Kind; k != types.Boolean && k != types.Void {
		return sqlerr.UnexpectedInputType(call.sql(), 2, BooleanOnly.String(), Print(call.args[1]), bodies[0].Type().SQL())
	}
	bodies[0] = implicit(bodies[0], boolean)
	return nil
}

// intBody asks for the INT of a comparator.
func intBody(call *callSite, _, bodies []Expr) error {
	if t := bodies[0].Type(); t.Kind != types.Int {
		return sqlerr.UnexpectedReturnType(call.sql(), "lambdafunction", "INT", t.SQL())
	}
	return nil
}

// keyBody asks for something that can be the key of a map.
func keyBody(call *callSite, _, bodies []Expr) error {
	if t := bodies[0].Type(); t.HasMap() {
		return sqlerr.InvalidMapKeyType(call.sql(), t.SQL())
	}
	return nil
}

// comparedElements are the two elements that a comparator gets.
func comparedElements(call *callSite) ([]Expr, [][]types.Type, error) {
	if err := wantKind(call, 0, types.Array); err != nil {
		return nil, nil, err
	}
	elem := *call.args[0].Type().Elem
	return call.args, [][]types.Type{{elem, elem}}, nil
}

func twoArrays(call *callSite) ([]Expr, [][]types.Type, error) {
	for i := range 2 {
		if err := wantKind(call, i, types.Array); err != nil {
			return nil, nil, err
		}
	}
	return call.args, [][]types.Type{{*call.args[0].Type().Elem, *call.args[1].Type().Elem}}, nil
}

// twoMaps gives both maps keys of one type; text and numbers do not mix.
func twoMaps(call *callSite) ([]Expr, [][]types.Type, error) {
	for i := range 2 {
		if err := wantKind(call, i, types.Map); err != nil {
			return nil, nil, err
		}
	}
	a, b := call.args[0], call.args[1]
	ta, tb := a.Type(), b.Type()
	key, ok := elementType(*ta.Key, *tb.Key)
	if !ok {
		return nil, nil, sqlerr.MapZipDiffTypes(call.sql(), ta.Key.SQL(), tb.Key.SQL())
	}
	args := append([]Expr{}, call.args...)
	args[0], args[1] = implicit(a, types.MapOf(key, *ta.Elem)), implicit(b, types.MapOf(key, *tb.Elem))
	return args, [][]types.Type{{key, *ta.Elem, *tb.Elem}}, nil
}

// folded are the accumulator, which has the type of the start value, and the element.
func folded(call *callSite) ([]Expr, [][]types.Type, error) {
	if err := wantKind(call, 0, types.Array); err != nil {
		return nil, nil, err
	}
	acc := plain(call.args[1].Type())
	params := [][]types.Type{{acc, *call.args[0].Type().Elem}}
	if len(call.args) == 4 {
		params = append(params, []types.Type{acc})
	}
	return call.args, params, nil
}

// mergedBody asks for exactly the type of the start value: nothing is widened. Names of fields do not count.
func mergedBody(call *callSite, args, bodies []Expr) error {
	acc, t := plain(args[1].Type()), plain(bodies[0].Type())
	if t.Kind != types.Void && !sameShape(acc, t) {
		return sqlerr.UnexpectedInputType(call.sql(), 3, `"`+acc.SQL()+`"`, Print(call.args[2]), t.SQL())
	}
	bodies[0] = implicit(bodies[0], acc)
	return nil
}

// sameShape reports whether two types are equal but for the names of fields.
func sameShape(a, b types.Type) bool {
	if a.Kind != b.Kind || len(a.Fields) != len(b.Fields) {
		return false
	}
	switch a.Kind {
	case types.Array:
		return sameShape(*a.Elem, *b.Elem)
	case types.Map:
		return sameShape(*a.Key, *b.Key) && sameShape(*a.Elem, *b.Elem)
	case types.Struct:
		for i := range a.Fields {
			if !sameShape(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return types.Equal(a, b)
}

// eachSQL is "lambda x: body" or, for a lambda with an index, which counts from 0 in Spark, "lambda x, i: body".
func eachSQL(c *HigherOrderText) string {
	x := c.Fresh()
	if c.Params[0] < 2 {
		return "lambda " + x + ": " + c.Apply(0, x)
	}
	i := c.Fresh()
	return "lambda " + x + ", " + i + ": " + c.Apply(0, x, "CAST("+i+" - 1 AS INTEGER)")
}

func transformSQL(c *HigherOrderText) string {
	return "list_transform(" + c.Args[0] + ", " + eachSQL(c) + ")"
}

func filterSQL(c *HigherOrderText) string {
	return "list_filter(" + c.Args[0] + ", " + eachSQL(c) + ")"
}

// quantifierSQL is exists or forall: a chain of OR or AND, NULL when undecided. Spark stops at the element that decides,
// which shows when a later one would raise.
func quantifierSQL(op string) func(*HigherOrderText) string {
	start, decided := "false", ""
	if op == "AND" {
		start, decided = "true", "NOT "
	}
	return func(c *HigherOrderText) string {
		if !c.Raises(0) {
			a, x, p, q := c.Args[0], c.Fresh(), c.Fresh(), c.Fresh()
			return "list_reduce(list_transform(" + a + ", lambda " + x + ": " + c.Apply(0, x) + "), lambda " + p + ", " + q + ": " + p + " " + op + " " + q + ", " + start + ")"
		}
		return reduceSQL(c, "BOOLEAN", start, func(was, value string) string {
			return "CASE WHEN " + decided + was + " THEN " + was + " ELSE (" + c.Apply(0, value) + " " + op + " " + was + ") END"
		})
	}
}

func zipSQL(c *HigherOrderText) string {
	a, b, e := c.Args[0], c.Args[1], c.Fresh()
	return "CASE WHEN " + a + " IS NOT NULL AND " + b + " IS NOT NULL THEN list_transform(list_zip(" + a + ", " + b + "), lambda " + e + ": " +
		c.Apply(0, "struct_extract_at("+e+", 1)", "struct_extract_at("+e+", 2)") + ") END"
}

// entrySQL is a lambda over the entries of a map.
func entrySQL(c *HigherOrderText) string {
	e := c.Fresh()
	return "lambda " + e + ": " + c.Apply(0, "struct_extract("+e+", 'key')", "struct_extract("+e+", 'value')")
}

func mapFilterSQL(c *HigherOrderText) string {
	m := c.Args[0]
	return "CASE WHEN " + m + " IS NOT NULL THEN map_from_entries(list_filter(map_entries(" + m + "), " + entrySQL(c) + ")) END"
}

func transformValuesSQL(c *HigherOrderText) string {
	m := c.Args[0]
	return "CASE WHEN " + m + " IS NOT NULL THEN MAP(map_keys(" + m + "), list_transform(map_entries(" + m + "), " + entrySQL(c) + ")) END"
}

func transformKeysSQL(c *HigherOrderText) string { return transformKeysText(c, "sp_map") }

// transformKeysText puts the map together with a macro.
func transformKeysText(c *HigherOrderText, macro string) string {
	m, r := c.Args[0], c.Fresh()
	keys := "list_transform(map_entries(" + m + "), " + entrySQL(c) + ")"
	return "list_transform([{'k': " + positiveZeros(keys, c.Result.Key.Kind) + ", 'v': map_values(" + m + ")}], lambda " + r + ": " + macro + "(struct_extract(" + r + ", 'k'), struct_extract(" + r + ", 'v')))[1]"
}

// positiveZeros makes 0.0 of -0.0 in a list, as Spark does in the keys of maps.
func positiveZeros(list string, k types.Kind) string {
	if !isFloating(k) {
		return list
	}
	return "list_transform(" + list + ", lambda f_: CAST(f_ + 0e0 AS " + DuckType(types.Of(k)) + "))"
}

// mapZipSQL runs over the keys of the first map, then the further ones of the second.
func mapZipSQL(c *HigherOrderText) string {
	m, n, k, ks, other := c.Args[0], c.Args[1], c.Fresh(), c.Fresh(), c.Fresh()
	keys := "list_concat(map_keys(" + m + "), list_filter(map_keys(" + n + "), lambda " + other + ": NOT map_contains(" + m + ", " + other + ")))"
	values := "list_transform(" + ks + ", lambda " + k + ": " + c.Apply(0, k, "map_extract_value("+m+", "+k+")", "map_extract_value("+n+", "+k+")") + ")"
	return "CASE WHEN " + m + " IS NOT NULL AND " + n + " IS NOT NULL THEN list_transform([" + keys + "], lambda " + ks + ": MAP(" + ks + ", " + values + "))[1] END"
}

// reduceSQL runs over an array with an accumulator of a DuckDB type. As list_reduce wants accumulator and element of one
// type, a struct carries both; and what the lambda uses from outside besides, for list_reduce mixes that up when
// arrays of different lengths meet.
func reduceSQL(c *HigherOrderText, acc, start string, step func(acc, value string) string) string {
	a, x, p, q := c.Args[0], c.Fresh(), c.Fresh(), c.Fresh()
	values, nulls := c.Carry(0, q)
	nulls = ", 'x': CAST(NULL AS " + DuckType(*c.Types[0].Elem) + ")" + nulls
	return "struct_extract(list_reduce(list_transform(" + a + ", lambda " + x + ": {'a': CAST(NULL AS " + acc + "), 'x': " + x + values + "}), lambda " + p + ", " + q +
		": {'a': " + step("struct_extract("+p+", 'a')", "struct_extract("+q+", 'x')") + nulls + "}, {'a': CAST(" + start + " AS " + acc + ")" + nulls + "}), 'a')"
}

func foldSQL(c *HigherOrderText) string {
	acc := DuckType(c.Types[1])
	return reduceSQL(c, acc, c.Args[1], func(was, value string) string {
		return "CAST(" + c.Apply(0, was, value) + " AS " + acc + ")"
	})
}

// finishedSQL does not call the last function for a NULL array.
func finishedSQL(c *HigherOrderText) string {
	acc := c.Fresh()
	return "CASE WHEN " + c.Args[0] + " IS NOT NULL THEN list_transform([" + foldSQL(c) + "], lambda " + acc + ": " + c.Apply(1, acc) + ")[1] END"
}
