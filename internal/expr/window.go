package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// windowFunctions stand only over a window.
func windowFunctions() []Overload {
	integer, double := types.Of(types.Int), types.Of(types.Double)
	var rows []Overload
	// Spark takes arguments of rank, dense_rank and percent_rank, and has no use for them.
	ranks := func(n string) ([]Class, int, bool) {
		if n == "row_number" || n == "cume_dist" {
			return nil, 0, false
		}
		return one(AnyValue), 1, true
	}
	for _, n := range []string{"row_number", "rank", "dense_rank"} {
		params, optional, variadic := ranks(n)
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Params: params, Optional: optional, Variadic: variadic, Returns: integer, Duck: "CAST(" + n + "()$W AS INTEGER)"})
	}
	for _, n := range []string{"percent_rank", "cume_dist"} {
		params, optional, variadic := ranks(n)
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Params: params, Optional: optional, Variadic: variadic, Returns: double, Duck: n + "()$W"})
	}
	rows = append(rows, Overload{Name: "ntile", Kind: WindowOnly, Params: one(AnyValue), Optional: 1, Prepare: ntileArg, Returns: integer, Duck: "CAST(ntile($1)$W AS INTEGER)"})
	for _, n := range []string{"lag", "lead"} {
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Params: []Class{AnyValue, AnyValue, AnyValue, AnyValue}, Optional: 4, Prepare: offsetArgs, Result: typeOfFirst, DuckFunc: skippingSQL(n+"($1,$2,$3", 3)})
	}
	return append(rows, Overload{Name: "nth_value", Kind: WindowOnly, Params: []Class{AnyValue, AnyValue, AnyValue}, Optional: 1, Prepare: nthArgs, Result: typeOfFirst, DuckFunc: skippingSQL("nth_value($1,$2", 2)})
}

// skippingSQL ignores NULLs where the call says so, or its last argument, at i, does.
func skippingSQL(call string, i int) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, _ types.Type) string {
		if len(args) > i && args[i] == "true" {
			return call + " IGNORE NULLS)$W"
		}
		return call + "$I)$W"
	}
}

// nullsFlag reads argument i, TRUE to ignore NULLs.
func nullsFlag(call *callSite, i int) (Expr, error) {
	l, ok := call.args[i].(*Literal)
	if !ok || l.T.Kind != types.Boolean || l.Value == nil {
		return nil, sqlerr.BooleanParameter(call.name, "ignoreNulls", Print(call.args[i]))
	}
	return l, nil
}

// constantInt reads an argument that must be a constant integer; with whole, any constant that casts to one.
func constantInt(call *callSite, i int, param string, whole bool) (int64, error) {
	a := call.args[i]
	if k := a.Type().Kind; !k.IsIntegral() && k != types.Void && !(whole && (k.IsNumeric() || k.IsText())) {
		return 0, sqlerr.UnexpectedInputType(call.sql(), i+1, `"INT"`, Print(a), a.Type().SQL())
	}
	if !isConstant(a) {
		return 0, sqlerr.NonFoldableInput(call.sql(), param, "INT", Print(a))
	}
	l, err := foldedInt(call, a)
	if err != nil {
		return 0, err
	}
	if l == nil {
		return 0, sqlerr.UnexpectedInputType(call.sql(), i+1, `"INT"`, Print(a), a.Type().SQL())
	}
	return intOf(l), nil
}

// foldedInt is the value of a constant as an INT, nil when it is NULL.
func foldedInt(call *callSite, a Expr) (types.Value, error) {
	n := implicit(a, types.Of(types.Int))
	if c, ok := n.(*Cast); ok && call.legacy() {
		c.Mode = CastLegacy // now, since what the call means depends on its value
	}
	folded, err := foldConstant(n, call.context())
	if err != nil {
		return nil, err
	}
	l, ok := folded.(*Literal)
	if !ok {
		return nil, nil
	}
	return l.Value, nil
}

func intLiteral(n int64) Expr { return &Literal{Value: n, T: types.Of(types.Int)} }

func ntileArg(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return []Expr{intLiteral(1)}, nil
	}
	n, err := constantInt(call, 0, "buckets", false)
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, sqlerr.ArgumentOutOfRange(call.sql(), "buckets", "(0, 2147483647]", itoa(int(n)))
	}
	return []Expr{intLiteral(n)}, nil
}

// offsetArgs fills in the offset 1 and the default NULL of lag and lead.
func offsetArgs(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return []Expr{&Literal{}, intLiteral(1), &Literal{}}, nil
	}
	t := plain(call.args[0].Type())
	out := []Expr{call.args[0], intLiteral(1), &Literal{T: t}}
	if len(call.args) > 1 {
		n, err := constantInt(call, 1, "offset", false)
		if err != nil {
			return nil, err
		}
		out[1] = intLiteral(n)
	}
	if len(call.args) > 2 {
		d, err := Coerce(call.args[2], t)
		if err != nil {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 3, `"`+t.SQL()+`"`, Print(call.args[2]), call.args[2].Type().SQL())
		}
		out[2] = d
	}
	if len(call.args) > 3 {
		flag, err := nullsFlag(call, 3)
		if err != nil {
			return nil, err
		}
		out = append(out, flag)
	}
	return out, nil
}

func nthArgs(call *callSite) ([]Expr, error) {
	a := call.args[1]
	if k := a.Type().Kind; !k.IsNumeric() && !k.IsText() && k != types.Void {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, IntNumber.String(), Print(a), a.Type().SQL())
	}
	if !isConstant(a) {
		return nil, sqlerr.NonFoldableInput(call.sql(), "offset", "INT", Print(a))
	}
	v, err := foldedInt(call, a)
	if err != nil {
		return nil, err
	}
	n := int64(0) // NULL counts as no place at all
	if v != nil {
		n = intOf(v)
	}
	if n <= 0 {
		return nil, sqlerr.ArgumentOutOfRange(call.sql(), "offset", "(0, 9223372036854775807]", itoa(int(n)))
	}
	out := []Expr{call.args[0], intLiteral(n)}
	if len(call.args) > 2 {
		flag, err := nullsFlag(call, 2)
		if err != nil {
			return nil, err
		}
		out = append(out, flag)
	}
	return out, nil
}
