package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// approxFunctions are the approximate aggregates: approx_count_distinct as Spark estimates it, and percentiles that are
// exact, which keeps the error they promise.
func approxFunctions() []Overload {
	rows := []Overload{
		{Name: "approx_count_distinct", Kind: Agg, Params: []Class{AnyValue, AnyValue}, Optional: 1, Prepare: relativeError, Returns: types.Of(types.BigInt), DuckFunc: approxCountSQL},
	}
	for _, name := range []string{"approx_percentile", "percentile_approx"} {
		rows = append(rows,
			Overload{Name: name, Kind: Agg, Params: []Class{AnyValue, AnyValue, AnyValue}, Optional: 1, Prepare: approxShares(false), Result: typeOfFirst, Duck: "quantile_disc($D$1,$2)$F$W"},
			Overload{Name: name, Kind: Agg, Params: []Class{AnyValue, AnyValue, AnyValue}, Optional: 1, Prepare: approxShares(true), Result: arrayOfFirst, Duck: "quantile_disc($D$1,$2)$F$W"})
	}
	return rows
}

// relativeError checks the largest error of approx_count_distinct, a constant above zero and not above 0.39.
func relativeError(c *callSite) ([]Expr, error) {
	if c.args[0].Type().HasMap() {
		return nil, sqlerr.HashOfMap(c.sql(), c.name)
	}
	if len(c.args) < 2 {
		return c.args, nil
	}
	e := c.args[1]
	if k := e.Type().Kind; !isConstant(e) || k != types.Double && k != types.Decimal {
		return nil, sqlerr.NonFoldableInput(c.sql(), "relativeSD", "DOUBLE", Print(e))
	}
	l, ok := Fold(implicit(e, types.Of(types.Double)), c.context()).(*Literal)
	if f := 0.0; !ok || l.Value == nil || floatOf(l.Value) <= f || floatOf(l.Value) > 0.39 {
		return nil, sqlerr.ArgumentOutOfRange(c.sql(), "relativeSD", "(0.0, 0.39]", Print(e))
	}
	return []Expr{c.args[0], intLiteral(int64(hllPrecision(floatOf(l.Value))))}, nil
}

// approxShares checks the arguments of approx_percentile: a value with an order of its own, a constant share or
// (several) an array of them, and the accuracy, which an exact answer does not need.
func approxShares(several bool) func(*callSite) ([]Expr, error) {
	return func(c *callSite) ([]Expr, error) {
		x := c.args[0]
		if t := x.Type(); t.Kind.IsText() || t.Kind == types.Void {
			x = implicit(x, types.Of(types.Double))
		} else if !t.Kind.IsNumeric() && !isTemporal(t.Kind) && !isDayTime(t) && !isYearMonth(t) {
			return nil, sqlerr.UnexpectedInputType(c.sql(), 1, `("NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`, Print(x), t.SQL())
		}
		if several != (c.args[1].Type().Kind == types.Array) {
			return nil, errNextRow
		}
		p, err := constantShares(c, 1)
		if err != nil {
			return nil, err
		}
		if len(c.args) > 2 {
			if err := accuracy(c); err != nil {
				return nil, err
			}
		}
		return []Expr{x, p}, nil
	}
}

// accuracy checks the third argument, a constant from 1 to 2147483647.
func accuracy(c *callSite) error {
	a := c.args[2]
	if k := a.Type().Kind; !k.IsIntegral() && k != types.Void {
		return sqlerr.UnexpectedInputType(c.sql(), 3, `"INTEGRAL"`, Print(a), a.Type().SQL())
	}
	if !isConstant(a) {
		return sqlerr.NonFoldableInput(c.sql(), "accuracy", a.Type().SQL(), Print(a))
	}
	l, ok := Fold(a, c.context()).(*Literal)
	switch {
	case !ok || l.Value == nil:
		return sqlerr.UnexpectedNull(c.sql(), "accuracy")
	case intOf(l.Value) < 1 || intOf(l.Value) > 1<<31-1:
		return sqlerr.ArgumentOutOfRange(c.sql(), "accuracy", "(0, 2147483647]", Print(l))
	}
	return nil
}
