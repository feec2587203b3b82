package expr

import (
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// collectionFunctions make arrays and look into them.
func collectionFunctions() []Overload {
	integer, long, boolean, text := types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Boolean), types.Of(types.String)
	elem := func(args []Expr) (types.Type, error) { return *args[0].Type().Elem, nil }
	same := typeOfFirst
	rows := []Overload{
		{Name: "array", Params: one(Common), Variadic: true, Optional: 1, Result: arrayResult, NullAware: true, Duck: "CAST([$*] AS $T)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return append([]types.Value{}, a...), nil
		}},
		{Name: "getitem", Params: two(AnyValue), Prepare: itemArgs, Result: itemResult, DuckFunc: itemSQL, Eval: evalItem},
		{Name: "get", Params: []Class{AnyArray, IntNumber}, Prepare: getArgs, Result: elem, Duck: "CASE WHEN $2 >= 0 THEN list_extract($1, $2::BIGINT + 1) END", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			l, i := listOf(a[0]), intOf(a[1])
			if i < 0 || i >= int64(len(l)) {
				return nil, nil
			}
			return l[i], nil
		}},
		{Name: "array_size", Params: one(AnyArray), Returns: integer, Duck: "CAST(len($1) AS INTEGER)", Eval: evalSize},
		{Name: "array_compact", Params: one(AnyArray), Result: same, Duck: "list_filter($1, lambda x: x IS NOT NULL)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, v := range listOf(a[0]) {
				if v != nil {
					out = append(out, v)
				}
			}
			return out, nil
		}},
		{Name: "array_contains", Params: two(AnyValue), Prepare: soughtElement, Returns: boolean, Duck: "CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_contains($1, $2) THEN true WHEN len($1) <> list_count($1) THEN NULL ELSE false END", Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			unknown := false
			for _, v := range listOf(a[0]) {
				if v == nil {
					unknown = true
				} else if types.Compare(ts[1], v, a[1]) == 0 {
					return true, nil
				}
			}
			if unknown {
				return nil, nil
			}
			return false, nil
		}},
		{Name: "array_position", Params: two(AnyValue), Prepare: soughtElement, Returns: long, Duck: "CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE coalesce(list_position($1, $2), 0)::BIGINT END", Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			for i, v := range listOf(a[0]) {
				if v != nil && types.Compare(ts[1], v, a[1]) == 0 {
					return int64(i + 1), nil
				}
			}
			return int64(0), nil
		}},
		{Name: "array_remove", Params: two(AnyValue), Prepare: removedElement, Result: same, Duck: "CASE WHEN $2 IS NOT NULL THEN list_filter($1, lambda x: x IS NULL OR x <> $2) END", Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, v := range listOf(a[0]) {
				if v == nil || types.Compare(ts[1], v, a[1]) != 0 {
					out = append(out, v)
				}
			}
			return out, nil
		}},
		{Name: "array_append", Params: two(AnyValue), Prepare: addedElement, Result: same, NullAware: true, Duck: "CASE WHEN $1 IS NOT NULL THEN list_append($1, $2) END", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			if a[0] == nil {
				return nil, nil
			}
			return append(append([]types.Value{}, listOf(a[0])...), a[1]), nil
		}},
		{Name: "array_prepend", Params: two(AnyValue), Prepare: addedElement, Result: same, NullAware: true, Duck: "CASE WHEN $1 IS NOT NULL THEN list_prepend($2, $1) END", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			if a[0] == nil {
				return nil, nil
			}
			return append([]types.Value{a[1]}, listOf(a[0])...), nil
		}},
		{Name: "array_distinct", Params: one(AnyArray), Prepare: orderedArray, Result: same, DuckFunc: distinctSQL("sp_array_distinct($1)"), Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			return distinctValues(listOf(a[0]), *ts[0].Elem), nil
		}},
		{Name: "array_union", Params: two(AnyValue), Prepare: arrayPair, Result: same, DuckFunc: distinctSQL("CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN sp_array_distinct(list_concat($1, $2)) END"), Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			return distinctValues(append(append([]types.Value{}, listOf(a[0])...), listOf(a[1])...), *ts[0].Elem), nil
		}},
		{Name: "array_except", Params: two(AnyValue), Prepare: arrayPair, Result: same, Duck: "sp_array_except($1, $2)", Eval: evalSetOp(false)},
		{Name: "array_intersect", Params: two(AnyValue), Prepare: arrayPair, Result: same, Duck: "sp_array_intersect($1, $2)", Eval: evalSetOp(true)},
		{Name: "arrays_overlap", Params: two(AnyValue), Prepare: arrayPair, Returns: boolean, Duck: "sp_arrays_overlap($1, $2)"},
		{Name: "array_repeat", Params: []Class{AnyValue, IntNumber}, Prepare: repeatArgs, Result: arrayOfFirst, NullAware: true, Duck: "CASE WHEN $2 > 2147483632 THEN " + raise("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "'array_repeat'", "$2") + " WHEN $2 IS NOT NULL THEN list_transform(range(greatest($2, 0)), lambda i: $1) END", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			if a[1] == nil {
				return nil, nil
			}
			n := intOf(a[1])
			if n > 2147483632 || n > 1<<24 {
				return nil, sqlerr.CollectionTooLarge(itoa(int(n)), "array_repeat")
			}
			out := make([]types.Value, max(n, 0))
			for i := range out {
				out[i] = a[0]
			}
			return out, nil
		}},
		{Name: "array_insert", Params: []Class{AnyArray, IntNumber, AnyValue}, Prepare: insertArgs, Result: same, Duck: "sp_array_insert($1, $2, $3)"},
		{Name: "flatten", Params: one(AnyArray), Prepare: nestedArray, Result: elem, Duck: "CAST(CASE WHEN len($1) = list_count($1) THEN flatten($1) END AS $T)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			out := []types.Value{}
			for _, v := range listOf(a[0]) {
				if v == nil {
					return nil, nil
				}
				out = append(out, listOf(v)...)
			}
			return out, nil
		}},
		{Name: "slice", Params: []Class{AnyArray, IntNumber, IntNumber}, Result: same, Duck: "sp_slice($1, $2, $3)", Eval: evalSlice},
		{Name: "sort_array", Params: []Class{AnyArray, BooleanOnly}, Optional: 1, Prepare: sortArgs, Result: same, DuckFunc: sortArraySQL, Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			desc := len(a) > 1 && a[1] == false
			return sortValues(listOf(a[0]), *ts[0].Elem, desc, !desc), nil
		}},
		{Name: "array_sort", Params: one(AnyArray), Prepare: sortedArray, Result: same, DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			return sortSQL(wrapArg(args, 0), ts[0], "ASC", "NULLS LAST")
		}, Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			return sortValues(listOf(a[0]), *ts[0].Elem, false, false), nil
		}},
		{Name: "array_join", Params: []Class{TextArray, PlainText}, Returns: text, Duck: "sp_array_join($1, $2)", Eval: evalArrayJoin},
		{Name: "array_join", Params: []Class{TextArray, PlainText, PlainText}, Returns: text, Duck: "CASE WHEN $3 IS NOT NULL THEN sp_array_join(list_transform($1, lambda x: coalesce(x, $3)), $2) END", Eval: evalArrayJoin},
		{Name: "element_at", Params: []Class{AnyArray, IntNumber}, Prepare: indexArg, Result: elem, Duck: "sp_element_at($1, $2)", Eval: evalElementAt(true)},
		{Name: "try_element_at", Params: []Class{AnyArray, IntNumber}, Prepare: indexArg, Result: elem, Duck: "sp_try_element_at($1, $2)", Eval: evalElementAt(false)},
		{Name: "arrays_zip", Params: one(AnyValue), Variadic: true, Optional: 1, Prepare: onlyArrays, Result: zipResult, NullAware: true, DuckFunc: zipArraysSQL, Eval: evalZipArrays},
		{Name: "arrays_zip named", Params: one(AnyValue), Variadic: true, Optional: 1, Rewrite: rewriteNamedZip},
		{Name: "struct", Params: one(AnyValue), Variadic: true, Optional: 1, Result: structResult, NullAware: true, DuckFunc: structSQL, Eval: evalStruct},
		{Name: "named_struct", Params: one(AnyValue), Variadic: true, Optional: 1, Rewrite: rewriteNamedStruct},
	}
	for name, want := range map[string]int{"array_max": 1, "array_min": -1} {
		way := "DESC"
		if want < 0 {
			way = "ASC"
		}
		rows = append(rows, Overload{
			Name: name, Params: one(AnyArray), Prepare: orderedArray, Result: elem,
			DuckFunc: func(args []string, ts []types.Type, _ types.Type) string {
				a := wrapArg(args, 0)
				if !ts[0].Elem.Kind.IsNested() {
					return "list_" + strings.TrimPrefix(name, "array_") + "(" + a + ")"
				}
				return sortSQL("list_filter("+a+", lambda f_: f_ IS NOT NULL)", ts[0], way, "NULLS LAST") + "[1]"
			},
			Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
				return evalExtreme(want)(nil, listOf(a[0]), nil, *ts[0].Elem)
			},
		})
	}
	for _, n := range []string{"size", "cardinality"} {
		rows = append(rows, Overload{Name: n, Params: one(ArrayOrMap), Returns: integer, DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			if ts[0].Kind == types.Map {
				return fill("CAST(cardinality($1) AS INTEGER)", args, ts, t, nil)
			}
			return fill("CAST(len($1) AS INTEGER)", args, ts, t, nil)
		}, Eval: evalSize})
	}
	return append(append(rows, sequenceFunctions()...), shuffleFunctions()...)
}

func arrayResult(args []Expr) (types.Type, error) {
	if len(args) == 0 {
		return types.ArrayOf(types.Type{}), nil
	}
	return types.ArrayOf(plain(args[0].Type())), nil
}

func evalSize(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	if m, ok := a[0].([]types.MapEntry); ok {
		return int64(len(m)), nil
	}
	return int64(len(listOf(a[0]))), nil
}

// itemArgs are a[i] and m[k].
func itemArgs(call *callSite) ([]Expr, error) {
	a, i := call.args[0], call.args[1]
	switch t := a.Type(); t.Kind {
	case types.Array:
		if k := i.Type().Kind; !k.IsIntegral() && k != types.Void {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 2, `"INTEGRAL"`, Print(i), i.Type().SQL())
		}
		return []Expr{a, implicit(i, types.Of(types.BigInt))}, nil
	case types.Map:
		if !canCoerce(i.Type(), *t.Key) {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 2, `"`+t.Key.SQL()+`"`, Print(i), i.Type().SQL())
		}
		return []Expr{a, implicit(i, *t.Key)}, nil
	}
	return nil, sqlerr.UnexpectedInputType(call.sql(), 1, ArrayOrMap.String(), Print(a), a.Type().SQL())
}

func itemResult(args []Expr) (types.Type, error) { return *args[0].Type().Elem, nil }

func itemSQL(args []string, ts []types.Type, t types.Type) string {
	if ts[0].Kind == types.Map {
		return fill("map_extract_value($1, $2)", args, ts, t, nil)
	}
	return fill("CASE WHEN $2 < 0 OR $2 >= len($1) THEN "+raise("INVALID_ARRAY_INDEX", "$2", "len($1)")+" ELSE list_extract($1, $2::BIGINT + 1) END", args, ts, t, nil)
}

func evalItem(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
	if ts[0].Kind == types.Map {
		return mapValue(entriesOf(a[0]), a[1], ts[1]), nil
	}
	l, i := listOf(a[0]), intOf(a[1])
	if i < 0 || i >= int64(len(l)) {
		return nil, sqlerr.InvalidArrayIndex(itoa(int(i)), itoa(len(l)))
	}
	return l[i], nil
}

func mapValue(m []types.MapEntry, key types.Value, t types.Type) types.Value {
	for _, e := range m {
		if types.Compare(t, e.Key, key) == 0 {
			return e.Value
		}
	}
	return nil
}

// insertArgs are an array, an INT or shorter position, and an element.
func insertArgs(call *callSite) ([]Expr, error) {
	a, i, e := call.args[0], call.args[1], call.args[2]
	differ := sqlerr.CollectionDiffTypes("ARRAY", call.sql(), call.name, a.Type().SQL(), e.Type().SQL())
	if a.Type().Kind != types.Array {
		return nil, differ
	}
	if k := i.Type().Kind; !k.IsIntegral() || k == types.BigInt {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(i), i.Type().SQL())
	}
	t, ok := tightestOf(*a.Type().Elem, e.Type())
	if !ok {
		return nil, differ
	}
	at := implicit(i, types.Of(types.Int))
	if c := call.opts.Context; c != nil && c.InsertBeforeLast {
		var err error
		if at, err = beforeLast(at); err != nil {
			return nil, err
		}
	}
	return []Expr{implicit(a, types.ArrayOf(t)), at, implicit(e, t)}, nil
}

// beforeLast moves a position that counts from the end by one.
func beforeLast(at Expr) (Expr, error) {
	number := func(n int64) Expr { return &Literal{Value: n, T: types.Of(types.Int)} }
	fromEnd, err := Resolve("<", []Expr{at, number(0)}, ResolveOptions{})
	if err != nil {
		return nil, err
	}
	moved, err := Resolve("-", []Expr{at, number(1)}, ResolveOptions{})
	if err != nil {
		return nil, err
	}
	return Cond(fromEnd, moved, at)
}

// repeatArgs take an INT and nothing else for the count.
func repeatArgs(call *callSite) ([]Expr, error) {
	n := call.args[1]
	if k := n.Type().Kind; k != types.Int && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(n), n.Type().SQL())
	}
	return []Expr{call.args[0], implicit(n, types.Of(types.Int))}, nil
}

// arrayPair are two arrays one of whose element types holds the values of the other, and whose elements can be compared.
func arrayPair(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	differ := sqlerr.BinaryArrayDiffTypes(call.sql(), call.name, a.SQL(), b.SQL())
	if a.Kind != types.Array || b.Kind != types.Array {
		return nil, differ
	}
	t, ok := tightestOf(a, b)
	if !ok {
		return nil, differ
	}
	if !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	return []Expr{implicit(call.args[0], t), implicit(call.args[1], t)}, nil
}

// orderedArray is an array whose elements can be compared.
func orderedArray(call *callSite) ([]Expr, error) {
	t := call.args[0].Type()
	to, asIs, ok := AnyArray.fit(t, false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, AnyArray.String(), Print(call.args[0]), t.SQL())
	}
	if !to.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	if asIs {
		return call.args, nil
	}
	return []Expr{implicit(call.args[0], to)}, nil
}

// sortedArray is orderedArray without a NULL that has no type.
func sortedArray(call *callSite) ([]Expr, error) {
	if err := wantKind(call, 0, types.Array); err != nil {
		return nil, err
	}
	return orderedArray(call)
}

// getArgs are an array, no NULL without a type, and a number.
func getArgs(call *callSite) ([]Expr, error) {
	if err := wantKind(call, 0, types.Array); err != nil {
		return nil, err
	}
	i := call.args[1]
	to, _, ok := IntNumber.fit(i.Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(i), i.Type().SQL())
	}
	return []Expr{call.args[0], implicit(i, to)}, nil
}

// sortArgs are an array whose elements can be compared, and a constant that tells the direction.
func sortArgs(call *callSite) ([]Expr, error) {
	out, err := orderedArray(&callSite{name: call.name, args: call.args[:1], opts: call.opts})
	if err != nil || len(call.args) == 1 {
		return out, err
	}
	way := call.args[1]
	if k := way.Type().Kind; k != types.Boolean && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, BooleanOnly.String(), Print(way), way.Type().SQL())
	}
	if !isConstant(way) {
		return nil, sqlerr.NonFoldableInput(call.sql(), "ascendingOrder", "BOOLEAN", Print(way))
	}
	return append(out, implicit(way, types.Of(types.Boolean))), nil
}

func nestedArray(call *callSite) ([]Expr, error) {
	t := call.args[0].Type()
	if t.Kind != types.Array || t.Elem.Kind != types.Array {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"ARRAY" of "ARRAY"`, Print(call.args[0]), t.SQL())
	}
	return call.args, nil
}

// indexArg is the INT index of element_at on an array.
func indexArg(call *callSite) ([]Expr, error) {
	a, i := call.args[0], call.args[1]
	if k := a.Type().Kind; k != types.Array {
		return nil, errNextRow
	}
	if k := i.Type().Kind; !k.IsIntegral() || k == types.BigInt {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(i), i.Type().SQL())
	}
	return []Expr{a, implicit(i, types.Of(types.Int))}, nil
}

func evalElementAt(strict bool) EvalFunc {
	return func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		l, i := listOf(a[0]), intOf(a[1])
		n := int64(len(l))
		switch {
		case i == 0:
			return nil, sqlerr.InvalidIndexOfZero()
		case i > n || i < -n:
			if strict {
				return nil, sqlerr.InvalidArrayIndexInElementAt(itoa(int(i)), itoa(len(l)))
			}
			return nil, nil
		case i < 0:
			return l[n+i], nil
		}
		return l[i-1], nil
	}
}

func evalSlice(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	l, start, n := listOf(a[0]), intOf(a[1]), intOf(a[2])
	size := int64(len(l))
	switch {
	case start == 0:
		return nil, sqlerr.InvalidParameter("START", "start", "slice", "0", "The start of slice counts from 1, or from -1 at the end: it cannot be 0.")
	case n < 0:
		return nil, sqlerr.InvalidParameter("LENGTH", "length", "slice", itoa(int(n)), "The length of slice cannot be negative.")
	case start < 0:
		start += size + 1
	}
	if start < 1 || start > size {
		return []types.Value{}, nil
	}
	return l[start-1 : min(start-1+n, size)], nil
}

func distinctValues(l []types.Value, t types.Type) []types.Value {
	out := []types.Value{}
	for _, v := range l {
		if f, ok := v.(float64); ok {
			v = f + 0 // -0.0 comes out as 0.0
		}
		if !containsValue(out, v, t) {
			out = append(out, v)
		}
	}
	return out
}

func containsValue(l []types.Value, v types.Value, t types.Type) bool {
	for _, x := range l {
		if x == nil || v == nil {
			if x == nil && v == nil {
				return true
			}
			continue
		}
		if types.Compare(t, x, v) == 0 {
			return true
		}
	}
	return false
}

func evalSetOp(keep bool) EvalFunc {
	return func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		out := []types.Value{}
		for _, v := range distinctValues(listOf(a[0]), *ts[0].Elem) {
			if containsValue(listOf(a[1]), v, *ts[0].Elem) == keep {
				out = append(out, v)
			}
		}
		return out, nil
	}
}

// distinctSQL turns -0.0 into 0.0 first, as Spark does.
func distinctSQL(template string) func([]string, []types.Type, types.Type) string {
	return func(args []string, ts []types.Type, t types.Type) string {
		if ts[0].Elem != nil && isFloating(ts[0].Elem.Kind) {
			norm := make([]string, len(args))
			for i, a := range args {
				norm[i] = "list_transform(" + a + ", lambda f_: CAST(f_ + 0e0 AS " + DuckType(*ts[0].Elem) + "))"
			}
			args = norm
		}
		return "CAST(" + fill(template, args, ts, t, nil) + " AS " + DuckType(t) + ")"
	}
}

// sortSQL sorts a list; elements that are collections by keys, with the values carried along.
func sortSQL(a string, t types.Type, way, nulls string) string {
	if !t.Elem.Kind.IsNested() {
		return "CAST(list_sort(" + a + ", '" + way + "', '" + nulls + "') AS " + DuckType(t) + ")"
	}
	x := lambdaVar(a)
	first := nulls == "NULLS FIRST"
	if way == "DESC" {
		first = !first
	}
	null := x + " IS NULL"
	if first {
		null = x + " IS NOT NULL"
	}
	return "list_transform(list_sort(list_transform(" + a + ", lambda " + x + ": {'p': " + null + ", 'k': " + OrderKeySQL(x, *t.Elem) + ", 'v': " + x + "}), '" + way + "', 'NULLS FIRST'), lambda s_: s_.v)"
}

func sortArraySQL(args []string, ts []types.Type, _ types.Type) string {
	a := wrapArg(args, 0)
	asc := sortSQL(a, ts[0], "ASC", "NULLS FIRST")
	if len(args) == 1 {
		return asc
	}
	return "CASE WHEN " + wrapArg(args, 1) + " THEN " + asc + " WHEN NOT " + wrapArg(args, 1) + " THEN " + sortSQL(a, ts[0], "DESC", "NULLS LAST") + " END"
}

func sortValues(l []types.Value, t types.Type, desc, nullsFirst bool) []types.Value {
	out := append([]types.Value{}, l...)
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a == nil || b == nil {
			return (a == nil) != (b == nil) && (a == nil) == nullsFirst
		}
		if desc {
			a, b = b, a
		}
		return types.Compare(t, a, b) < 0
	})
	return out
}

func evalArrayJoin(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	var parts []string
	for _, v := range listOf(a[0]) {
		switch {
		case v != nil:
			parts = append(parts, textOf(v))
		case len(a) > 2:
			parts = append(parts, textOf(a[2]))
		}
	}
	return strings.Join(parts, textOf(a[1])), nil
}

// structResult names the fields after the columns, else col1, col2, ….
func structResult(args []Expr) (types.Type, error) {
	if len(args) == 0 {
		return types.Type{}, sqlerr.Unsupported("EMPTY_STRUCT", "a STRUCT without fields")
	}
	fields := make([]types.Field, len(args))
	for i, a := range args {
		fields[i] = types.Field{Name: "col" + itoa(i+1), Type: plain(a.Type())}
		switch n := a.(type) {
		case *Column:
			fields[i].Name = n.Name
		case *Variable:
			fields[i].Name = n.Name
		case *GetField:
			fields[i].Name = n.Name
		}
	}
	return types.StructOf(fields...), nil
}

func structSQL(args []string, _ []types.Type, t types.Type) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = DuckIdent(DuckFieldName(t, i)) + ": " + a
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func evalStruct(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return append([]types.Value{}, a...), nil
}

// rewriteNamedStruct takes constant names and values in turn. The binder makes STRUCTs with aliases of it.
func rewriteNamedStruct(args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, sqlerr.WrongNumArgs("named_struct", "2n (n > 0)", len(args))
	}
	if len(args) == 0 {
		return nil, sqlerr.Unsupported("EMPTY_STRUCT", "a STRUCT without fields")
	}
	var fields []types.Field
	var values []Expr
	for i := 0; i < len(args); i += 2 {
		l, ok := Fold(args[i], &Context{ANSI: true}).(*Literal)
		if !ok {
			return nil, sqlerr.StructNames(callText("named_struct", args), Print(args[i]))
		}
		name, ok := l.Value.(string)
		if !ok {
			return nil, sqlerr.StructNames(callText("named_struct", args), Print(args[i]))
		}
		fields = append(fields, types.Field{Name: name, Type: plain(args[i+1].Type())})
		values = append(values, args[i+1])
	}
	return &Call{Fn: registry["struct"][0], Args: values, T: types.StructOf(fields...)}, nil
}
