package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// comparisonOps are = == <=> != <> < <= > >=, between, in and IS [NOT] DISTINCT FROM.
func comparisonOps() []Overload {
	boolean := types.Of(types.Boolean)
	tests := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "==": func(c int) bool { return c == 0 },
		"!=": func(c int) bool { return c != 0 }, "<>": func(c int) bool { return c != 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}
	duck := map[string]string{"==": "=", "!=": "<>"}
	var rows []Overload
	for _, name := range []string{"=", "==", "!=", "<>", "<", "<=", ">", ">="} {
		symbol := name
		if s, ok := duck[name]; ok {
			symbol = s
		}
		rows = append(rows, Overload{Name: name, Params: two(Common), Prepare: comparePair, Returns: boolean, DuckFunc: compareSQL(symbol), Eval: evalCompare(tests[name])})
	}
	for _, name := range []string{"<=>", "is not distinct from", "equal_null"} {
		rows = append(rows, Overload{Name: name, Params: two(Common), Prepare: comparePair, Returns: boolean, NullAware: true, Duck: "($1 IS NOT DISTINCT FROM $2)", Eval: evalSameOrNull(true)})
	}
	return append(rows,
		Overload{Name: "is distinct from", Params: two(Common), Prepare: comparePair, Returns: boolean, NullAware: true, Duck: "($1 IS DISTINCT FROM $2)", Eval: evalSameOrNull(false)},
		Overload{Name: "between", Params: []Class{AnyValue, AnyValue, AnyValue}, Rewrite: rewriteBetween},
		Overload{Name: "in", Params: two(AnyValue), Variadic: true, Rewrite: func(args []Expr) (Expr, error) { return NewIn(nil, args[0], args[1:]) }},
	)
}

func comparePair(call *callSite) ([]Expr, error) {
	a, b := charKey(call.args[0], call.args), charKey(call.args[1], call.args)
	t, ok := CommonType(a.Type(), b.Type())
	if ok && t.Kind.IsNested() {
		_, ok = tightestOf(a.Type(), b.Type())
	}
	if !ok && sameShape(a.Type(), b.Type()) {
		t, ok = a.Type(), true // structs compare by position, whatever their fields are called
	}
	if !ok {
		return nil, sqlerr.BinaryOpDiffTypes(call.sql(), call.args[0].Type().SQL(), call.args[1].Type().SQL())
	}
	if !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	return []Expr{implicit(a, t), implicit(b, t)}, nil
}

// compareSQL compares; arrays and structs go through keys that put a nested NULL lowest, as Spark does.
func compareSQL(symbol string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, _ types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		if argTypes[0].Kind.IsNested() && symbol != "=" && symbol != "<>" {
			// DuckDB would join two of them to a BETWEEN, which it cannot do with keys.
			return "((" + OrderKeySQL(a, argTypes[0]) + " " + symbol + " " + OrderKeySQL(b, argTypes[1]) + ")=true)"
		}
		return "(" + a + " " + symbol + " " + b + ")"
	}
}

// OrderKeySQL is DuckDB text that orders like Spark orders values of type t: inside arrays and structs NULL is the
// least value, where DuckDB has it greatest. Values of other types are their own keys.
func OrderKeySQL(arg string, t types.Type) string {
	switch {
	case t.Kind == types.Array && t.Elem != nil:
		x := lambdaVar(arg)
		return "list_transform(" + arg + ", lambda " + x + ": {'n': " + x + " IS NOT NULL, 'v': " + OrderKeySQL(x, *t.Elem) + "})"
	case t.Kind == types.Struct:
		text := "CASE WHEN " + arg + " IS NOT NULL THEN {"
		for i, f := range t.Fields {
			if i > 0 {
				text += ", "
			}
			field := "struct_extract(" + arg + ", " + DuckString(DuckFieldName(t, i)) + ")"
			text += "'n" + itoa(i) + "': " + field + " IS NOT NULL, 'v" + itoa(i) + "': " + OrderKeySQL(field, f.Type)
		}
		return text + "} END"
	}
	return arg
}

func evalCompare(test func(int) bool) EvalFunc {
	return func(_ *Context, args []types.Value, argTypes []types.Type, _ types.Type) (types.Value, error) {
		return test(types.Compare(argTypes[0], args[0], args[1])), nil
	}
}

func evalSameOrNull(same bool) EvalFunc {
	return func(_ *Context, args []types.Value, argTypes []types.Type, _ types.Type) (types.Value, error) {
		if args[0] == nil || args[1] == nil {
			return (args[0] == nil && args[1] == nil) == same, nil
		}
		return (types.Compare(argTypes[0], args[0], args[1]) == 0) == same, nil
	}
}

// rewriteBetween is a >= low AND a <= high, each side with its own common type.
func rewriteBetween(args []Expr) (Expr, error) {
	low, err := Resolve(">=", []Expr{args[0], args[1]}, ResolveOptions{})
	if err != nil {
		return nil, err
	}
	high, err := Resolve("<=", []Expr{args[0], args[2]}, ResolveOptions{})
	if err != nil {
		return nil, err
	}
	return And(low, high), nil
}
