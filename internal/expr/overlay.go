package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func evalOverlay(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
	r, pos, n := textOf(a[1]), intOf(a[2]), int64(-1)
	if len(a) > 3 {
		n = intOf(a[3])
	}
	if n < 0 {
		n = int64(runeCount(r))
	}
	head, err := evalSubstring(ctx, []types.Value{a[0], int64(1), pos - 1}, ts, t)
	if err != nil {
		return nil, err
	}
	tail, err := evalSubstring(ctx, []types.Value{a[0], pos + n}, ts, t)
	if err != nil {
		return nil, err
	}
	return textOf(head) + r + textOf(tail), nil
}

// binaryOverlay is overlay of BINARY by BINARY, with or without a length: done on the digits of both.
func binaryOverlay(args int) Overload {
	length := "-1"
	if args == 4 {
		length = "CASE WHEN $4<0 THEN -1 ELSE 2*$4 END"
	}
	return Overload{
		Name: "overlay", Params: []Class{AnyValue, AnyValue, IntNumber, IntNumber}[:args], Returns: types.Of(types.Binary),
		Prepare: func(c *callSite) ([]Expr, error) {
			a, b := c.args[0].Type().Kind, c.args[1].Type().Kind
			if (a == types.Binary) != (b == types.Binary) && a != types.Void && b != types.Void {
				return nil, sqlerr.DataDiffTypes(c.sql(), "overlay", typeNames(c.args[:2]))
			}
			if a != types.Binary || b != types.Binary {
				return nil, errNextRow
			}
			out := append([]Expr{}, c.args...)
			for i := 2; i < len(out); i++ {
				to, _, ok := IntNumber.fit(out[i].Type(), isConstant(out[i]))
				if !ok {
					return nil, sqlerr.UnexpectedInputType(c.sql(), i+1, IntNumber.String(), Print(out[i]), out[i].Type().SQL())
				}
				out[i] = implicit(out[i], to)
			}
			return out, nil
		},
		Duck: "unhex(sp_overlay(hex($1),hex($2),CASE WHEN $3>0 THEN 2*$3-1 ELSE 2*$3 END," + length + "))",
	}
}
