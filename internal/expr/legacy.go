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
		o.Eval = orNullWithoutANSI(fn.Eval)
	}
	if fn.Volatile || fn.Duck == "" && fn.DuckFunc == nil {
		return &o
	}
	o.Duck = ""
	o.DuckFunc = func(args []string, argTypes []types.Type, result types.Type) string {
		// The text is made with placeholders, so that only the function's own errors become NULL.
		marks := make([]string, len(args))
		for i := range marks {
			marks[i] = "$" + itoa(i+1)
			if _, ok := literalOf(args[i]); ok || len(args) > 9 {
				marks[i] = args[i]
			}
		}
		return fill(withoutErrors(CallSQL(fn, marks, argTypes, result)), args, argTypes, result, nil)
	}
	return &o
}

// withoutErrors replaces each error(…) in a text by NULL, and helpers that raise by those that do not.
func withoutErrors(s string) string {
	s = strings.NewReplacer("tarn_parse_time", "tarn_try_parse_time", "tarn_decimal_op(", "tarn_try_decimal_op(",
		"sp_element_at(", "sp_try_element_at(").Replace(s)
	for from := 0; ; {
		i := strings.Index(s[from:], "error('[")
		if i < 0 {
			return s
		}
		if i += from; alwaysFails(s[i+len("error('["):]) {
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

// alwaysFails reports whether a condition, with which the text begins, is raised in either mode.
func alwaysFails(condition string) bool {
	for _, c := range []string{
		"NULL_MAP_KEY", "DUPLICATED_MAP_KEY", "INVALID_INDEX_OF_ZERO", "COLLECTION_SIZE_LIMIT_EXCEEDED", "INVALID_PARAMETER_VALUE",
		"COMPARATOR_RETURNS_NULL", "USER_RAISED_EXCEPTION", "INTERVAL_DIVIDED_BY_ZERO", "INTERVAL_ARITHMETIC_OVERFLOW",
	} {
		if strings.HasPrefix(condition, c) {
			return true
		}
	}
	return false
}

// orNullWithoutANSI is orNull for the failures that are NULL without ANSI mode.
func orNullWithoutANSI(f EvalFunc) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		v, err := f(ctx, args, argTypes, result)
		if err != nil && !alwaysFails(string(sqlerr.As(err).Condition)) {
			return nil, nil
		}
		return v, err
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

// wrappingOverload is + - * and the signs on integers, cut to the width of the type.
func wrappingOverload(o *Overload, result types.Type) (*Overload, bool) {
	name := o.Name
	switch name {
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
