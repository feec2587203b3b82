package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// statisticsFunctions are variance, deviation, correlation and the regression aggregates.
func statisticsFunctions() []Overload {
	double, long := types.Of(types.Double), types.Of(types.BigInt)
	var rows []Overload
	single := func(name, duck string) {
		rows = append(rows, Overload{Name: name, Kind: Agg, Params: one(DoubleNumber), Returns: double, Duck: duck})
	}
	pair := func(name, duck string) {
		rows = append(rows, Overload{Name: name, Kind: Agg, Params: two(DoubleNumber), Returns: double, Duck: duck})
	}
	// DuckDB raises on NaN, infinities and squares out of range, where Spark gives NaN; finite values take the native way.
	guarded := func(native, least string) string {
		const big = "1e153" // squares of differences below it are finite
		return "CASE WHEN count($D$1)$F$W < " + least + " THEN NULL WHEN bool_or(NOT isfinite($1))$F$W THEN 'NaN'::DOUBLE" +
			" WHEN max(abs($1))$F$W >= " + big + " THEN CASE WHEN min($1)$F$W = max($1)$F$W THEN 0e0 ELSE 'Infinity'::DOUBLE END" +
			" ELSE " + native + "($DCASE WHEN abs($1) < " + big + " THEN $1 END)$F$W END"
	}
	for _, n := range []string{"stddev", "std", "stddev_samp"} {
		single(n, guarded("stddev_samp", "2"))
	}
	single("stddev_pop", guarded("stddev_pop", "1"))
	for _, n := range []string{"variance", "var_samp"} {
		single(n, guarded("var_samp", "2"))
	}
	single("var_pop", guarded("var_pop", "1"))
	single("skewness", "sp_skewness(sp_moments(list($D$1)$N$W))")
	single("kurtosis", "sp_kurtosis(sp_moments(list($D$1)$N$W))")
	xy := "sp_comoments(list({'x': $1, 'y': $2})$B$W)"
	yx := "sp_comoments(list({'x': $2, 'y': $1})$B$W)"
	x, y := "sp_moments(list($2)$B$W)", "sp_moments(list($1)$B$W)"
	slope := yx + ".ck / CASE WHEN " + x + ".n > 1 THEN nullif(" + x + ".m2, 0) END"
	pair("corr", "sp_corr("+xy+")")
	pair("covar_pop", xy+".ck / nullif("+xy+".n, 0)")
	pair("covar_samp", xy+".ck / nullif(greatest("+xy+".n - 1, 0), 0)")
	rows = append(rows, pairAverage("regr_avgx", 1), pairAverage("regr_avgy", 0))
	pair("regr_avgx", "avg($2)$B$W")
	pair("regr_avgy", "avg($1)$B$W")
	pair("regr_slope", slope)
	pair("regr_intercept", yx+".ya - ("+slope+") * "+yx+".xa")
	pair("regr_r2", "CASE WHEN "+yx+".n < 2 OR "+yx+".xm = 0 THEN NULL WHEN "+yx+".ym = 0 THEN 1e0 ELSE pow(sp_corr("+xy+"), 2) END")
	pair("regr_sxx", x+".m2")
	pair("regr_syy", y+".m2")
	pair("regr_sxy", xy+".ck")
	return append(rows, Overload{Name: "regr_count", Kind: Agg, Params: two(DoubleNumber), Returns: long, Duck: "count(CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN 1 END)$F$W"})
}

// pairAverage is the average of argument i, a decimal, over the pairs without a NULL: a decimal itself.
func pairAverage(name string, i int) Overload {
	avg := decimalTotal("avg", false, false)
	return Overload{
		Name: name, Kind: Agg, Params: two(AnyValue),
		Prepare: func(c *callSite) ([]Expr, error) {
			other := c.args[1-i].Type().Kind
			if c.args[i].Type().Kind != types.Decimal || !other.IsNumeric() && !other.IsText() && other != types.Void {
				return nil, errNextRow
			}
			return c.args, nil
		},
		Result: func(args []Expr) (types.Type, error) { return avg.Result(args[i : i+1]) },
		DuckFunc: func(args []string, ts []types.Type, t types.Type) string {
			value, other := "$1", "$2"
			if i == 1 {
				value, other = other, value
			}
			guarded := "(CASE WHEN " + other + " IS NOT NULL THEN " + value + " END)"
			return strings.ReplaceAll(avg.DuckFunc(args[i:i+1], ts[i:i+1], t), "$1", guarded)
		},
	}
}
