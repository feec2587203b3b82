package expr

import (
	"math/bits"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// bitOps are & | ^ ~ << >> >>> and the functions on bits.
func bitOps() []Overload {
	integer, long := types.Of(types.Int), types.Of(types.BigInt)
	var rows []Overload
	pair := func(name, duck string, f func(a, b int64) int64) {
		rows = append(rows, Overload{
			Name: name, Params: two(Integral), Prepare: bitPair, Result: typeOfFirst, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(intOf(a[0]), intOf(a[1])), nil
			},
		})
	}
	pair("&", "($1 & $2)", func(a, b int64) int64 { return a & b })
	pair("|", "($1 | $2)", func(a, b int64) int64 { return a | b })
	pair("^", "xor($1, $2)", func(a, b int64) int64 { return a ^ b })
	rows = append(rows, Overload{
		Name: "~", Params: one(Integral), Result: typeOfFirst, Duck: "(~$1)",
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return ^intOf(a[0]), nil
		},
	})
	shift := func(name, duck32, duck64 string, f func(a int64, n uint, wide bool) int64) {
		eval := func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
			wide := t.Kind == types.BigInt
			n := uint(intOf(a[1])) & 31
			if wide {
				n = uint(intOf(a[1])) & 63
			}
			return f(intOf(a[0]), n, wide), nil
		}
		rows = append(rows,
			Overload{Name: name, Params: []Class{IntNumber, IntNumber}, Prepare: shiftedInt, Returns: integer, Duck: duck32, Eval: eval},
			Overload{Name: name, Params: []Class{LongNumber, IntNumber}, Returns: long, Duck: duck64, Eval: eval})
	}
	for _, n := range []string{"shiftleft", "<<"} {
		shift(n, "sp_shl32($1,$2)", "sp_shl64($1,$2)", func(a int64, n uint, wide bool) int64 {
			if wide {
				return a << n
			}
			return int64(int32(a) << n)
		})
	}
	for _, n := range []string{"shiftright", ">>"} {
		shift(n, "CAST($1 >> ($2 & 31) AS INTEGER)", "($1 >> ($2 & 63))", func(a int64, n uint, _ bool) int64 { return a >> n })
	}
	for _, n := range []string{"shiftrightunsigned", ">>>"} {
		shift(n, "sp_ushr32($1,$2)", "sp_ushr64($1,$2)", func(a int64, n uint, wide bool) int64 {
			if wide {
				return int64(uint64(a) >> n)
			}
			return int64(int32(uint32(a) >> n))
		})
	}
	rows = append(rows,
		Overload{
			Name: "bit_count", Params: one(Integral), Prepare: bitsOfWhole, Returns: integer, Duck: "CAST(bit_count(CAST($1 AS BIGINT)) AS INTEGER)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return int64(bits.OnesCount64(uint64(intOf(a[0])))), nil
			},
		},
		Overload{
			Name: "bit_count", Params: one(BooleanOnly), Prepare: bitsOfBoolean, Returns: integer, Duck: "CAST($1 AS INTEGER)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				if a[0] == true {
					return int64(1), nil
				}
				return int64(0), nil
			},
		},
	)
	for _, n := range []string{"bit_get", "getbit"} {
		rows = append(rows, Overload{
			Name: n, Params: []Class{Integral, IntNumber}, Prepare: bitOfWhole, Returns: types.Of(types.TinyInt),
			DuckFunc: func(args []string, argTypes []types.Type, _ types.Type) string {
				a, b := wrapArg(args, 0), wrapArg(args, 1)
				return "CASE WHEN " + b + "<0 OR " + b + ">=" + itoa(widthOf(argTypes[0].Kind)) + " THEN CAST(" + raise("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE", "'pos'", "'getbit'", b) + " AS TINYINT) ELSE CAST((CAST(" + a + " AS BIGINT) >> " + b + ") & 1 AS TINYINT) END"
			},
			Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
				n := intOf(a[1])
				if n < 0 || n >= int64(widthOf(ts[0].Kind)) {
					return nil, sqlerr.InvalidParameter("BIT_POSITION_RANGE", "pos", "getbit", itoa(int(n)), "The position of a bit must be from 0 to "+itoa(widthOf(ts[0].Kind)-1)+", not "+itoa(int(n))+".")
				}
				return intOf(a[0]) >> uint(n) & 1, nil
			},
		})
	}
	return rows
}

func widthOf(k types.Kind) int {
	switch k {
	case types.TinyInt:
		return 8
	case types.SmallInt:
		return 16
	case types.Int:
		return 32
	}
	return 64
}

func bitPair(call *callSite) ([]Expr, error) {
	a, b := textAsNumber(call)
	if call.args[0].Type().Kind == types.Void && call.args[1].Type().Kind == types.Void {
		a, b = implicit(call.args[0], types.Of(types.Int)), implicit(call.args[1], types.Of(types.Int))
	}
	if !a.Type().Kind.IsIntegral() || !b.Type().Kind.IsIntegral() {
		return nil, wrongPair(call, `"INTEGRAL"`)
	}
	t := commonNumber(a.Type(), b.Type())
	return []Expr{implicit(a, t), implicit(b, t)}, nil
}

// bitsOfWhole and bitsOfBoolean take integers and booleans as they are: text has no bits to count.
func bitsOfWhole(c *callSite) ([]Expr, error) {
	if c.args[0].Type().Kind == types.Boolean {
		return nil, errNextRow
	}
	args, err := wholeNumber(c)
	if err != nil {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 1, `("INTEGRAL" or "BOOLEAN")`, Print(c.args[0]), c.args[0].Type().SQL())
	}
	return args, nil
}

func bitsOfBoolean(c *callSite) ([]Expr, error) {
	if c.args[0].Type().Kind != types.Boolean {
		return nil, errNextRow
	}
	return c.args, nil
}

// bitOfWhole takes an integer and the place of a bit.
func bitOfWhole(c *callSite) ([]Expr, error) {
	whole, err := wholeNumber(&callSite{name: c.name, args: c.args[:1], opts: c.opts})
	if err != nil {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 1, Integral.String(), Print(c.args[0]), c.args[0].Type().SQL())
	}
	to, _, ok := IntNumber.fit(c.args[1].Type(), isConstant(c.args[1]))
	if !ok {
		return nil, sqlerr.UnexpectedInputType(c.sql(), 2, IntNumber.String(), Print(c.args[1]), c.args[1].Type().SQL())
	}
	return []Expr{whole[0], implicit(c.args[1], to)}, nil
}

// shiftedInt takes any number but a BIGINT as an INT.
func shiftedInt(c *callSite) ([]Expr, error) {
	out := make([]Expr, 2)
	for i, a := range c.args {
		if i == 0 && a.Type().Kind == types.BigInt {
			return nil, errNextRow
		}
		to, _, ok := IntNumber.fit(a.Type(), isConstant(a))
		if !ok {
			required := IntNumber.String()
			if i == 0 {
				required = `("INT" or "BIGINT")`
			}
			return nil, sqlerr.UnexpectedInputType(c.sql(), i+1, required, Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, to)
	}
	return out, nil
}
