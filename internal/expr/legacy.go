package expr

import (
	"math/big"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// With spark.sql.ansi.enabled=false nothing overflows or fails: integers wrap around, what has no value is NULL, and
// implicit casts follow Hive's rules. Resolve builds calls as ever and then exchanges the parts that could fail.

func isImplicit(e Expr) bool {
	c, ok := e.(*Cast)
	return ok && c.Implicit
}

// withoutANSI exchanges one node: an implicit cast for one that gives NULL, a call for one that cannot fail.
func withoutANSI(e Expr) Expr {
	switch n := e.(type) {
	case *Cast:
		if n.Implicit && n.Mode == CastANSI {
			c := *n
			c.Mode = CastLegacy
			return &c
		}
	case *Call:
		if n.Fn.HigherOrder != nil {
			return e // what its lambdas do is theirs; it fails by itself in both modes
		}
		c := *n
		c.Fn = legacyOverload(n.Fn, n.T)
		return &c
	}
	return e
}

// legacyOverload is the form of a function that gives NULL, or wraps around, instead of failing.
func legacyOverload(fn *Overload, result types.Type) *Overload {
	o := *fn
	o.Prepare, o.Rewrite = nil, nil
	if result.Kind.IsIntegral() {
		if wrapped, ok := wrappingOverload(&o, result); ok {
			return wrapped
		}
	}
	if fn.Name == "size" || fn.Name == "cardinality" {
		return sizeOfNull(&o)
	}
	if fn.Eval != nil {
		o.Eval = nullInstead(fn.Eval)
	}
	if fn.Name == "conv" {
		o.Eval = func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return conv(textOf(a[0]), intOf(a[1]), intOf(a[2]), true)
		}
	}
	if fn.Name == "ceil" || fn.Name == "ceiling" || fn.Name == "floor" {
		return saturatedWhole(&o, fn)
	}
	if fn.Volatile || fn.Duck == "" && fn.DuckFunc == nil {
		return &o
	}
	o.Duck = ""
	o.DuckFunc = func(args []string, argTypes []types.Type, result types.Type) string {
		return quietSQL(fn, args, argTypes, result)
	}
	return &o
}

// quietSQL is the text of a call whose own errors are NULL. It is made with placeholders: the errors of arguments, and
// what their constants say, stay.
func quietSQL(fn *Overload, args []string, argTypes []types.Type, result types.Type) string {
	marks, given := make([]string, len(args)), verbatim(args)
	for i, a := range args {
		marks[i] = "$" + itoa(i+1)
		if !triable(args[i : i+1]) {
			marks[i] += untriable
		}
		_, constant := literalOf(a)
		if constant && withoutErrors(a) == a || len(args) > 9 {
			marks[i] = given[i] // for functions that look at their constants
		}
	}
	text := withoutErrors(CallSQL(fn, marks, verbatimTypes(argTypes), verbatimType(result)))
	return fill(strings.ReplaceAll(text, untriable, ""), args, argTypes, result, nil)
}

// untriable stands behind the placeholder of an argument that must not come to stand in a TRY, and tells triable so.
const untriable = "/*SELECT */"

// saturatedWhole is ceil and floor, which stop at the ends of BIGINT.
func saturatedWhole(o, fn *Overload) *Overload {
	o.Eval = func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
		v, err := fn.Eval(ctx, a, ts, t)
		if err == nil || t.Kind != types.BigInt {
			return v, nil
		}
		lo, hi := types.IntRange(types.BigInt)
		if floatOf(a[0]) < 0 {
			return lo, nil
		}
		return hi, nil
	}
	o.Duck, o.DuckFunc = "", func(args []string, ts []types.Type, t types.Type) string {
		if !isFloating(ts[0].Kind) || t.Kind != types.BigInt {
			return quietSQL(fn, args, ts, t)
		}
		x := wrapArg(args, 0)
		return "CASE WHEN " + x + ">=9223372036854775807 AND NOT isnan(" + x + ") THEN 9223372036854775807 WHEN " + x + "<=-9223372036854775808::DOUBLE THEN -9223372036854775807-1 ELSE " + quietSQL(fn, args, ts, t) + " END"
	}
	return o
}

// ansiOnly are the conditions that only ANSI rules raise: without them the value is NULL. All others stay errors.
var ansiOnly = map[sqlerr.Condition]bool{
	"CAST_INVALID_INPUT": true, "CAST_OVERFLOW": true, "NUMERIC_VALUE_OUT_OF_RANGE": true, "DIVIDE_BY_ZERO": true, "REMAINDER_BY_ZERO": true,
	"ARITHMETIC_OVERFLOW": true, "BINARY_ARITHMETIC_OVERFLOW": true, "INVALID_ARRAY_INDEX": true, "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": true,
	"DATETIME_FIELD_OUT_OF_BOUNDS": true, "INVALID_FRACTION_OF_SECOND": true, "CANNOT_PARSE_TIMESTAMP": true, "ILLEGAL_DAY_OF_WEEK": true,
	"INVALID_URL": true,
}

// nullInstead is a function whose ANSI errors are NULL.
func nullInstead(f EvalFunc) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		v, err := f(ctx, args, argTypes, result)
		if err != nil && isANSIOnly(string(sqlerr.As(err).Condition)) {
			return nil, nil
		}
		return v, err
	}
}

// isANSIOnly tells a condition, or one with something after it, by its part before the first point or bracket.
func isANSIOnly(condition string) bool {
	root := strings.FieldsFunc(condition, func(r rune) bool { return r == '.' || r == ']' })
	return len(root) > 0 && ansiOnly[sqlerr.Condition(root[0])]
}

// withoutErrors replaces each error(…) of ANSI rules in a text by NULL, and helpers that raise by those that do not.
func withoutErrors(s string) string {
	s = strings.NewReplacer("tarn_parse_time", "tarn_try_parse_time", DecimalOp+"(", TryDecimalOp+"(",
		"tarn_conv(", "tarn_conv_saturated(",
		"sp_element_at(", "sp_try_element_at(", "tarn_make_date(", "tarn_try_make_date(", "tarn_make_timestamp(", "tarn_try_make_timestamp(",
		"tarn_make_interval(", "tarn_try_make_interval(", "tarn_parse_url", "tarn_try_parse_url").Replace(s)
	for from := 0; ; {
		i := strings.Index(s[from:], "error('[")
		if i < 0 {
			return s
		}
		if i += from; !isANSIOnly(s[i+len("error('["):]) {
			from = i + 1
			continue
		}
		end := i + len("error(")
		for depth := 1; end < len(s) && depth > 0; end++ {
			switch s[end] {
			case '(':
				depth++
			case ')':
				depth--
			case '\'':
				if j := strings.IndexByte(s[end+1:], '\''); j >= 0 {
					end += 1 + j
				}
			}
		}
		s = s[:i] + "NULL" + s[end:]
	}
}

// sizeOfNull is size with -1 for NULL, which Hive gives.
func sizeOfNull(o *Overload) *Overload {
	text, eval := o.DuckFunc, o.Eval
	o.NullAware = true
	o.DuckFunc = func(args []string, argTypes []types.Type, result types.Type) string {
		return "coalesce(" + text(args, argTypes, result) + ", -1)"
	}
	o.Eval = func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		if args[0] == nil {
			return int64(-1), nil
		}
		return eval(ctx, args, argTypes, result)
	}
	return o
}

// roundingOverload is round and bround of integers, cut to the width of the type.
func roundingOverload(o *Overload, name string) *Overload {
	o.DuckFunc = func(args []string, _ []types.Type, t types.Type) string {
		a, n := wrapArg(args, 0), wrapArg(args, 1)
		return "CASE WHEN " + n + ">=0 THEN " + a + " ELSE " + wrapSQL("CAST(tarn_round_decimal('"+name+"',CAST("+a+" AS VARCHAR),"+n+",38,0) AS HUGEINT)", t) + " END"
	}
	o.Eval = func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
		if intOf(a[1]) >= 0 {
			return a[0], nil
		}
		wide := types.DecimalOf(types.MaxPrecision, 0)
		r, err := roundDecimal(name, types.DecOf(intOf(a[0])), intOf(a[1]), wide)
		if err != nil {
			return nil, nil
		}
		return types.Cast(r, wide, t, types.CastOptions{Mode: types.Legacy})
	}
	return o
}

// wrappingOverload is + - * and the signs on integers, cut to the width of the type.
func wrappingOverload(o *Overload, result types.Type) (*Overload, bool) {
	name := o.Name
	switch name {
	case "round", "bround":
		return roundingOverload(o, name), true
	case "+", "-", "*":
		o.DuckFunc = func(args []string, _ []types.Type, t types.Type) string {
			return wrapSQL("(CAST("+args[0]+" AS HUGEINT)"+name+"CAST("+args[1]+" AS HUGEINT))", t)
		}
	case "neg", "negative":
		o.DuckFunc = func(args []string, _ []types.Type, t types.Type) string {
			return wrapSQL("(-CAST("+args[0]+" AS HUGEINT))", t)
		}
	case "abs":
		o.DuckFunc = func(args []string, _ []types.Type, t types.Type) string {
			return wrapSQL("abs(CAST("+args[0]+" AS HUGEINT))", t)
		}
	default:
		return nil, false
	}
	o.Eval = func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
		x, y := big.NewInt(intOf(a[0])), new(big.Int)
		if len(a) > 1 {
			y.SetInt64(intOf(a[1]))
		}
		switch name {
		case "+":
			x.Add(x, y)
		case "-":
			x.Sub(x, y)
		case "*":
			x.Mul(x, y)
		case "abs":
			x.Abs(x)
		default:
			x.Neg(x)
		}
		return types.Cast(types.Dec{Unscaled: x}, types.DecimalOf(types.MaxPrecision, 0), t, types.CastOptions{Mode: types.Legacy})
	}
	return o, true
}

// legacyAggregate is the form of an aggregate that gives NULL for decimals of more than 38 digits, and wraps around
// for integers. Sums of intervals fail in both modes.
func legacyAggregate(row *Overload) *Overload {
	switch row.Name {
	case "sum", "avg", "mean":
	default:
		return row
	}
	o := *row
	switch {
	case row.Duck == integerSum:
		o.Duck = wrappingSum
	case row.Duck == "":
		o.DuckFunc = decimalTotal(row.Name, row.Name == "sum", true).DuckFunc
	}
	return &o
}
