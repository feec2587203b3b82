package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// logicOps are AND, OR, NOT and the IS tests.
func logicOps() []Overload {
	boolean := types.Of(types.Boolean)
	is := func(name, duck string, f func(types.Value) bool) Overload {
		return Overload{
			Name: name, Params: one(BooleanOnly), Returns: boolean, NullAware: true, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(a[0]), nil
			},
		}
	}
	not := func(name string) Overload {
		return Overload{
			Name: name, Params: one(BooleanOnly), Returns: boolean, Duck: "(NOT $1)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return a[0] != true, nil
			},
		}
	}
	null := func(name, duck string, want bool) Overload {
		return Overload{
			Name: name, Params: one(AnyValue), Returns: boolean, NullAware: true, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return (a[0] == nil) == want, nil
			},
		}
	}
	// Eval of and, or is special: see evalLogic. The function here only says that there is one.
	lazy := func(*Context, []types.Value, []types.Type, types.Type) (types.Value, error) { return nil, nil }
	return []Overload{
		{Name: "and", Params: two(BooleanOnly), Returns: boolean, NullAware: true, DuckFunc: logicSQL("AND"), Eval: lazy},
		{Name: "or", Params: two(BooleanOnly), Returns: boolean, NullAware: true, DuckFunc: logicSQL("OR"), Eval: lazy},
		not("not"), not("!"),
		null("isnull", "($1 IS NULL)", true), null("isnotnull", "($1 IS NOT NULL)", false),
		is("istrue", "($1 IS TRUE)", func(v types.Value) bool { return v == true }),
		is("isnottrue", "($1 IS NOT TRUE)", func(v types.Value) bool { return v != true }),
		is("isfalse", "($1 IS FALSE)", func(v types.Value) bool { return v == false }),
		is("isnotfalse", "($1 IS NOT FALSE)", func(v types.Value) bool { return v != false }),
		is("isunknown", "($1 IS NULL)", func(v types.Value) bool { return v == nil }),
		is("isnotunknown", "($1 IS NOT NULL)", func(v types.Value) bool { return v != nil }),
	}
}

// logicSQL keeps Spark's order of evaluation where the right side might fail: DuckDB evaluates both sides of AND and
// OR outside a plain WHERE.
func logicSQL(word string) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, _ types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		if !mayFail(args[1]) {
			return "(" + a + " " + word + " " + b + ")"
		}
		if word == "AND" {
			return "CASE WHEN " + a + " THEN " + b + " WHEN NOT " + a + " THEN false ELSE (" + b + " AND NULL) END"
		}
		return "CASE WHEN NOT " + a + " THEN " + b + " WHEN " + a + " THEN true ELSE (" + b + " OR NULL) END"
	}
}

// mayFail reports whether evaluating the text could raise an error.
func mayFail(s string) bool {
	return strings.Contains(s, "error(") || strings.Contains(s, "tarn_") || strings.Contains(s, "sp_")
}
