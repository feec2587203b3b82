package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// percentileFunctions are the exact percentiles. The rows "… descending" are what WITHIN GROUP (ORDER BY x DESC)
// resolves to: the sorted list read the other way round, which differs from 1 - p in the last digit.
func percentileFunctions() []Overload {
	var rows []Overload
	add := func(name, interpolate, order string) {
		one := Overload{Name: name, Kind: Agg, Params: []Class{AnyValue, AnyValue}, Prepare: shares(false), Result: percentileType}
		one.DuckFunc = func(_ []string, ts []types.Type, t types.Type) string {
			return percentileCast(interpolate+"(list($DCAST($1 AS DOUBLE) ORDER BY CAST($1 AS DOUBLE)"+order+")$N$W,$2)", t)
		}
		several := one
		several.Prepare, several.Result = shares(true), arrayOf(percentileType)
		several.DuckFunc = func(_ []string, ts []types.Type, t types.Type) string {
			each := percentileCast(interpolate+"(l_,p_)", elemOf(t))
			return "CASE WHEN count($1)$F$W>0 AND len($2)>0 THEN list_transform(list_value(list($DCAST($1 AS DOUBLE) ORDER BY CAST($1 AS DOUBLE)" + order + ")$N$W), lambda l_: list_transform($2, lambda p_: " + each + "))[1] END"
		}
		rows = append(rows, one, several)
	}
	add("percentile", "sp_percentile", "")
	for _, name := range []string{"percentile_cont", "percentile_disc"} {
		macro := "sp_percentile"
		if name == "percentile_disc" {
			macro = "sp_percentile_disc"
		}
		add(name, macro, "")
		add(name+" descending", macro, " DESC")
	}
	counted := Overload{Name: "percentile", Kind: Agg, Params: []Class{AnyValue, AnyValue, AnyValue}, Prepare: shares(false), Result: percentileType}
	counted.DuckFunc = func(_ []string, _ []types.Type, t types.Type) string {
		return percentileCast("tarn_percentile(list($DCAST($1 AS DOUBLE))$B$W,list(CAST($3 AS BIGINT))$B$W,[$2])[1]", t)
	}
	countedSeveral := counted
	countedSeveral.Prepare, countedSeveral.Result = shares(true), arrayOf(percentileType)
	countedSeveral.DuckFunc = func(_ []string, _ []types.Type, t types.Type) string {
		return "CASE WHEN len($2)>0 THEN list_transform(tarn_percentile(list($DCAST($1 AS DOUBLE))$B$W,list(CAST($3 AS BIGINT))$B$W,$2), lambda p_: " + percentileCast("p_", elemOf(t)) + ") END"
	}
	median := Overload{Name: "median", Kind: Agg, Params: one(AnyValue), Prepare: shares(false), Result: percentileType}
	median.DuckFunc = func(_ []string, _ []types.Type, t types.Type) string {
		return percentileCast("sp_percentile(list($DCAST($1 AS DOUBLE) ORDER BY CAST($1 AS DOUBLE))$N$W,0.5::DOUBLE)", t)
	}
	return append(rows, counted, countedSeveral, median)
}

// percentileType is DOUBLE for numbers, and an interval of the widest unit range for intervals.
func percentileType(args []Expr) (types.Type, error) {
	switch t := args[0].Type(); {
	case isYearMonth(t), isDayTime(t):
		return wholeInterval(args)
	}
	return types.Of(types.Double), nil
}

func arrayOf(inner func([]Expr) (types.Type, error)) func([]Expr) (types.Type, error) {
	return func(args []Expr) (types.Type, error) {
		t, err := inner(args)
		return types.ArrayOf(t), err
	}
}

// percentileCast cuts a percentile of intervals to whole units.
func percentileCast(text string, t types.Type) string {
	if t.Kind == types.Double {
		return text
	}
	return "CAST(trunc(" + text + ") AS " + DuckType(t) + ")"
}

// shares checks the arguments of a percentile: a number or interval, a constant share or (several) an array of
// them, and how often each value counts.
func shares(several bool) func(*callSite) ([]Expr, error) {
	return func(c *callSite) ([]Expr, error) {
		x := c.args[0]
		switch t := x.Type(); {
		case isYearMonth(t), isDayTime(t):
		case t.Kind.IsNumeric(), t.Kind.IsText(), t.Kind == types.Void:
			x = implicit(x, types.Of(types.Double))
		case isTemporal(t.Kind):
			return nil, sqlerr.PercentileOfTime(c.sql(), Print(x), t.SQL())
		default:
			return nil, sqlerr.UnexpectedInputType(c.sql(), 1, `("NUMERIC" or "ANSI INTERVAL")`, Print(x), t.SQL())
		}
		if len(c.args) == 1 {
			return []Expr{x}, nil
		}
		if several != (c.args[1].Type().Kind == types.Array) {
			return nil, errNextRow
		}
		p, err := constantShares(c, 1)
		if err != nil {
			return nil, err
		}
		out := []Expr{x, p}
		if len(c.args) > 2 {
			f := c.args[2]
			if k := f.Type().Kind; !k.IsIntegral() && k != types.Void {
				return nil, sqlerr.UnexpectedInputType(c.sql(), 3, Integral.String(), Print(f), f.Type().SQL())
			}
			out = append(out, implicit(f, types.Of(types.BigInt)))
		}
		return out, nil
	}
}

// constantShares reads argument i, a constant share from 0 to 1 or an array of them, as DOUBLE.
func constantShares(c *callSite, i int) (Expr, error) {
	p := c.args[i]
	double := types.Of(types.Double)
	to, required := double, DoubleNumber.String()
	elem := p.Type()
	if p.Type().Kind == types.Array {
		to, elem = types.ArrayOf(double), elemOf(p.Type())
	}
	if _, _, ok := DoubleNumber.fit(elem, true); !ok {
		return nil, sqlerr.UnexpectedInputType(c.sql(), i+1, `(`+required+` or "ARRAY<DOUBLE>")`, Print(p), p.Type().SQL())
	}
	if !isConstant(p) {
		return nil, sqlerr.NonFoldableInput(c.sql(), "percentage", to.SQL(), Print(p))
	}
	folded, err := foldConstant(implicit(p, to), c.context())
	if err != nil {
		return nil, err
	}
	l, ok := folded.(*Literal)
	if !ok {
		return nil, sqlerr.NonFoldableInput(c.sql(), "percentage", to.SQL(), Print(p))
	}
	if l.Value == nil {
		return nil, sqlerr.UnexpectedNull(c.sql(), "percentage")
	}
	list := []types.Value{l.Value}
	if to.Kind == types.Array {
		list = listOf(l.Value)
	}
	shown, outside := make([]string, len(list)), false
	for k, v := range list {
		if v == nil {
			return nil, sqlerr.UnexpectedInputType(c.sql(), i+1, `(`+required+` or "ARRAY<DOUBLE>")`, Print(p), p.Type().SQL())
		}
		f := floatOf(v)
		shown[k] = types.FormatDouble(f)
		outside = outside || !(f >= 0 && f <= 1)
	}
	if outside {
		return nil, sqlerr.ArgumentOutOfRange(c.sql(), "percentage", "[0.0, 1.0]", strings.Join(shown, ","))
	}
	return l, nil
}

// foldConstant is the value of a constant, or why it has none.
func foldConstant(e Expr, ctx *Context) (Expr, error) {
	folded := Fold(e, ctx)
	if _, ok := folded.(*Literal); ok {
		return folded, nil
	}
	v, err := Eval(folded, ctx, nil)
	if err != nil {
		return nil, err
	}
	return &Literal{Value: v, T: e.Type()}, nil
}

// elemOf is the type of the elements of an ARRAY, and any other type itself.
func elemOf(t types.Type) types.Type {
	if t.Elem != nil {
		return *t.Elem
	}
	return t
}
