package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// windowFunctions stand only over a window.
func windowFunctions() []Overload {
	integer, double := types.Of(types.Int), types.Of(types.Double)
	var rows []Overload
	for _, n := range []string{"row_number", "rank", "dense_rank"} {
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Returns: integer, Duck: "CAST(" + n + "()$W AS INTEGER)"})
	}
	for _, n := range []string{"percent_rank", "cume_dist"} {
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Returns: double, Duck: n + "()$W"})
	}
	rows = append(rows, Overload{Name: "ntile", Kind: WindowOnly, Params: one(AnyValue), Optional: 1, Prepare: ntileArg, Returns: integer, Duck: "CAST(ntile($1)$W AS INTEGER)"})
	for _, n := range []string{"lag", "lead"} {
		rows = append(rows, Overload{Name: n, Kind: WindowOnly, Params: []Class{AnyValue, AnyValue, AnyValue}, Optional: 2, Prepare: offsetArgs, Result: typeOfFirst, Duck: n + "($1,$2,$3$I)$W"})
	}
	return append(rows, Overload{Name: "nth_value", Kind: WindowOnly, Params: []Class{AnyValue, AnyValue, AnyValue}, Optional: 1, Prepare: nthArgs, Result: typeOfFirst, Duck: "nth_value($1,$2$I)$W"})
}

// constantInt reads an argument that must be a constant integer.
func constantInt(call *callSite, i int, param string) (int64, error) {
	a := call.args[i]
	if !isConstant(a) {
		return 0, sqlerr.NonFoldableInput(call.sql(), param, "INT", Print(a))
	}
	ctx := call.opts.Context
	if ctx == nil {
		ctx = &Context{ANSI: true}
	}
	cast := implicit(a, types.Of(types.Int))
	l, ok := Fold(cast, ctx).(*Literal)
	if !ok || l.Value == nil || !a.Type().Kind.IsIntegral() {
		return 0, sqlerr.UnexpectedInputType(call.sql(), i+1, `"INT"`, Print(a), a.Type().SQL())
	}
	return intOf(l.Value), nil
}

func intLiteral(n int64) Expr { return &Literal{Value: n, T: types.Of(types.Int)} }

func ntileArg(call *callSite) ([]Expr, error) {
	if len(call.args) == 0 {
		return []Expr{intLiteral(1)}, nil
	}
	n, err := constantInt(call, 0, "buckets")
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
	t := plain(call.args[0].Type())
	out := []Expr{call.args[0], intLiteral(1), &Literal{T: t}}
	if len(call.args) > 1 {
		n, err := constantInt(call, 1, "offset")
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
	return out, nil
}

func nthArgs(call *callSite) ([]Expr, error) {
	n, err := constantInt(call, 1, "offset")
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, sqlerr.ArgumentOutOfRange(call.sql(), "offset", "(0, 9223372036854775807]", itoa(int(n)))
	}
	return []Expr{call.args[0], intLiteral(n)}, nil
}
