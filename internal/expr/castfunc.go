package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// castFunctions are the functions named like types: int(x) is CAST(x AS INT).
func castFunctions() []Overload {
	var rows []Overload
	for name, t := range map[string]types.Type{
		"boolean": types.Of(types.Boolean), "tinyint": types.Of(types.TinyInt), "smallint": types.Of(types.SmallInt),
		"int": types.Of(types.Int), "bigint": types.Of(types.BigInt), "float": types.Of(types.Float),
		"double": types.Of(types.Double), "decimal": types.DecimalOf(10, 0), "string": types.Of(types.String),
		"binary": types.Of(types.Binary), "date": types.Of(types.Date), "timestamp": types.Of(types.Timestamp),
	} {
		rows = append(rows, Overload{Name: name, Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) {
			return NewCast(args[0], t, CastANSI)
		}})
	}
	return append(rows, Overload{Name: "typeof", Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) {
		// The argument is never evaluated.
		return textLiteral(withoutLengths(args[0].Type()).String()), nil
	}})
}

// conditionFunctions are coalesce, if, nullif and their kin.
func conditionFunctions() []Overload {
	lazy := func(*Context, []types.Value, []types.Type, types.Type) (types.Value, error) { return nil, nil }
	boolean := types.Of(types.Boolean)
	var rows []Overload
	for _, n := range []string{"nvl", "ifnull"} {
		rows = append(rows, Overload{Name: n, Params: two(Common), Result: typeOfFirst, NullAware: true, Duck: "coalesce($*)", Eval: lazy})
	}
	for name, want := range map[string]int{"greatest": 1, "least": -1} {
		rows = append(rows, Overload{
			Name: name, Params: two(Common), Variadic: true, Prepare: extremeArgs, Result: typeOfFirst, NullAware: true,
			DuckFunc: extremeSQL(name), Eval: evalExtreme(want),
		})
	}
	return append(rows,
		Overload{Name: "coalesce", Params: one(Common), Variadic: true, Result: typeOfFirst, NullAware: true, Duck: "coalesce($*)", Eval: lazy},
		Overload{Name: "if", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: trueCondition, Rewrite: func(args []Expr) (Expr, error) { return Cond(args[0], args[1], args[2]) }},
		Overload{Name: "nvl2", Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: func(c *callSite) ([]Expr, error) { return c.branches(1, 2), nil }, Rewrite: func(args []Expr) (Expr, error) {
			test, err := Resolve("isnotnull", args[:1], ResolveOptions{})
			if err != nil {
				return nil, err
			}
			return Cond(test, args[1], args[2])
		}},
		Overload{Name: "nullif", Params: two(AnyValue), Rewrite: func(args []Expr) (Expr, error) {
			same, err := Resolve("=", args, ResolveOptions{})
			if err != nil {
				return nil, err
			}
			return Cond(same, &Literal{T: args[0].Type()}, args[0])
		}},
		Overload{Name: "nullifzero", Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) {
			return Resolve("nullif", []Expr{args[0], &Literal{Value: int64(0), T: types.Of(types.Int)}}, ResolveOptions{})
		}},
		Overload{Name: "zeroifnull", Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) {
			return Resolve("coalesce", []Expr{args[0], &Literal{Value: int64(0), T: types.Of(types.Int)}}, ResolveOptions{})
		}},
		Overload{
			Name: "nanvl", Params: two(DoubleNumber), Returns: types.Of(types.Double), NullAware: true, Duck: "CASE WHEN isnan($1) THEN $2 ELSE $1 END",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				if f := floatOf(a[0]); f != f {
					return a[1], nil
				}
				return a[0], nil
			},
		},
		Overload{
			Name: "isnan", Params: one(DoubleNumber), Returns: boolean, NullAware: true, Duck: "coalesce(isnan($1),false)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				f := floatOf(a[0])
				return f != f, nil
			},
		},
		Overload{Name: "decode", Params: []Class{AnyValue, AnyValue, AnyValue}, Variadic: true, Prepare: decodeBranches, Rewrite: rewriteDecode},
		Overload{Name: "raise_error", Params: one(Text), Returns: types.Type{}, NullAware: true, Volatile: true, Duck: "error('[USER_RAISED_EXCEPTION]'||coalesce($1,''))"},
		Overload{Name: "assert_true", Params: []Class{BooleanOnly, Text}, Optional: 1, Prepare: trueCondition, Rewrite: rewriteAssert},
	)
}

// extremeArgs unifies without letting text become a number, which greatest and least refuse.
func extremeArgs(call *callSite) ([]Expr, error) {
	text, other := false, false
	for _, a := range call.args {
		k := a.Type().Kind
		text = text || k.IsText()
		other = other || !k.IsText() && k != types.Void
	}
	out, t, ok := Unify(call.args...)
	if !ok || text && other {
		return nil, sqlerr.DataDiffTypes(call.sql(), call.name, typeNames(call.args))
	}
	if len(call.args) < 2 {
		return nil, sqlerr.WrongNumArgs(call.name, "> 1", len(call.args))
	}
	if !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	return out, nil
}

// extremeSQL adds zero to floating values, for Spark's greatest(-0.0, 0.0) is 0.0.
func extremeSQL(name string) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		if result.Kind.IsNested() {
			// A NULL inside counts as the least value.
			way := map[string]string{"greatest": "DESC", "least": "ASC"}[name]
			list := "list_filter([" + strings.Join(args, ", ") + "], lambda f_: f_ IS NOT NULL)"
			return sortSQL(list, types.ArrayOf(result), way, "NULLS LAST") + "[1]"
		}
		return fill(name+"($*)", args, argTypes, result, nil)
	}
}

func evalExtreme(want int) EvalFunc {
	return func(_ *Context, args []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
		var best types.Value
		for _, v := range args {
			if v != nil && (best == nil || types.Compare(t, v, best)*want > 0) {
				best = v
			}
		}
		return best, nil
	}
}

// branches are the arguments of a call; those at the given places are what it may be, and without ANSI have their common type already
// when that is another one than under ANSI rules, which hold for what the call stands for.
func (c *callSite) branches(places ...int) []Expr {
	if !c.legacy() {
		return c.args
	}
	var some []Expr
	for _, i := range places {
		some = append(some, c.args[i])
	}
	unified, _, ok := UnifyIn(c.opts.Context, some...)
	if !ok {
		return c.args
	}
	out := append([]Expr{}, c.args...)
	for k, i := range places {
		out[i] = unified[k]
	}
	return out
}

// trueCondition takes a first argument that is BOOLEAN itself: text is no condition.
func trueCondition(c *callSite) ([]Expr, error) {
	cond := c.args[0]
	if k := cond.Type().Kind; k != types.Boolean && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 1, BooleanOnly.String(), Print(cond), cond.Type().SQL())
	}
	args := c.args
	if c.name == "if" {
		args = c.branches(1, 2)
	}
	out := append([]Expr{implicit(cond, types.Of(types.Boolean))}, args[1:]...)
	if c.name == "assert_true" && len(out) > 1 {
		to, _, ok := Text.fit(out[1].Type(), true)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(c.sql(), 2, Text.String(), Print(out[1]), out[1].Type().SQL())
		}
		out[1] = implicit(out[1], to)
	}
	return out, nil
}

// decodeBranches gives the results of decode, and its default, their common type: see branches.
func decodeBranches(c *callSite) ([]Expr, error) {
	var places []int
	for i := 2; i < len(c.args); i += 2 {
		places = append(places, i)
	}
	if len(c.args)%2 == 0 {
		places = append(places, len(c.args)-1)
	}
	return c.branches(places...), nil
}

// rewriteDecode is decode(x, search, result, …, default) with NULL equal to NULL.
func rewriteDecode(args []Expr) (Expr, error) {
	var whens, thens []Expr
	i := 1
	for ; i+1 < len(args); i += 2 {
		same, err := Resolve("<=>", []Expr{args[0], args[i]}, ResolveOptions{})
		if err != nil {
			return nil, err
		}
		whens, thens = append(whens, same), append(thens, args[i+1])
	}
	var els Expr
	if i < len(args) {
		els = args[i]
	}
	return NewCase(nil, whens, thens, els)
}

func rewriteAssert(args []Expr) (Expr, error) {
	message := Expr(&Literal{Value: "'" + Print(args[0]) + "' is not true!", T: types.Of(types.String)})
	if len(args) > 1 {
		message = args[1]
	}
	bad, err := Resolve("raise_error", []Expr{message}, ResolveOptions{})
	if err != nil {
		return nil, err
	}
	return Cond(args[0], &Literal{}, bad)
}
