package expr

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// aggregateFunctions are count, sum, avg, min, max, first, last, the collectors and the boolean and bit aggregates.
// Their templates are described at AggregateSQL.
func aggregateFunctions() []Overload {
	long, boolean, text := types.Of(types.BigInt), types.Of(types.Boolean), types.Of(types.String)
	rows := []Overload{
		{Name: "count", Kind: Agg, Params: one(AnyValue), Variadic: true, Optional: 1, Returns: long, DuckFunc: countSQL},
		{Name: "count_if", Kind: Agg, Params: one(BooleanOnly), Returns: long, Duck: "count($DCASE WHEN $1 THEN 1 END)$F$W"},
	}
	for name, call := range map[string]string{"sum": "sum", "avg": "avg", "mean": "avg", "try_sum": "sum", "try_avg": "avg"} {
		rows = append(rows, totals(name, call)...)
	}
	for name, by := range map[string]string{"min": "arg_min", "max": "arg_max"} {
		rows = append(rows, Overload{
			Name: name, Kind: Agg, Params: one(AnyValue), Prepare: orderedArg, Result: typeOfFirst,
			DuckFunc: func(args []string, argTypes []types.Type, _ types.Type) string {
				if argTypes[0].Kind.IsNested() {
					return by + "($1, " + OrderKeySQL(wrapArg(args, 0), argTypes[0]) + ")$N$W"
				}
				return name + "($1)$F$W"
			},
		})
	}
	for name, duck := range map[string]string{"bool_and": "bool_and", "every": "bool_and", "bool_or": "bool_or", "any": "bool_or", "some": "bool_or"} {
		rows = append(rows, Overload{Name: name, Kind: Agg, Params: one(BooleanOnly), Returns: boolean, Duck: duck + "($1)$F$W"})
	}
	for _, name := range []string{"bit_and", "bit_or", "bit_xor"} {
		rows = append(rows, Overload{Name: name, Kind: Agg, Params: one(Integral), Prepare: wholeNumber, Result: typeOfFirst, Duck: name + "($D$1)$F$W"})
	}
	// Windows have first_value where groups have first. "first ignore nulls" is what first(x) IGNORE NULLS and
	// first(x, true) resolve to.
	for _, name := range []string{"first", "first_value", "any_value", "last", "last_value"} {
		way := "first"
		if name[0] == 'l' {
			way = "last"
		}
		keep := Overload{Name: name, Kind: Agg, Params: one(AnyValue), Result: typeOfFirst, DuckFunc: endSQL(way, false)}
		skip := Overload{Name: name + " ignore nulls", Kind: Agg, Params: []Class{AnyValue, AnyValue}, Optional: 1, Result: typeOfFirst, DuckFunc: endSQL(way, true)}
		flagged := skip
		flagged.Name, flagged.Optional, flagged.Prepare = name, 0, ignoreFlag(true)
		unflagged := keep
		unflagged.Params, unflagged.Prepare = []Class{AnyValue, AnyValue}, ignoreFlag(false)
		rows = append(rows, keep, skip, flagged, unflagged)
	}
	rows = append(rows, topFunctions()...)
	for _, name := range []string{"listagg", "string_agg"} {
		rows = append(rows, binaryLists(name)...)
		for _, way := range []string{"ascending", "descending"} {
			rows = append(rows, Overload{Name: name + " " + way, Kind: Agg, Params: []Class{AnyValue, Text}, Optional: 1, Returns: text, DuckFunc: sortedListSQL(way)})
		}
		rows = append(rows,
			Overload{Name: name, Kind: Agg, Params: one(Text), Returns: text, Duck: "string_agg($D$1,''$O)$F$W"},
			Overload{Name: name, Kind: Agg, Params: two(Text), Prepare: constantDelimiter, Returns: text, Duck: "string_agg($D$1,coalesce($2,'')$O)$F$W"})
	}
	return rows
}

func arrayOfFirst(args []Expr) (types.Type, error) { return types.ArrayOf(plain(args[0].Type())), nil }

// countSQL counts rows, values that are not NULL, or rows where none of several is.
func countSQL(args []string, _ []types.Type, _ types.Type) string {
	switch len(args) {
	case 0:
		return "count(*)$F$W"
	case 1:
		return "count($D$1)$F$W"
	}
	cond, fields := "", ""
	for i, a := range args {
		if i > 0 {
			cond, fields = cond+" AND ", fields+", "
		}
		cond += wrapArg([]string{a}, 0) + " IS NOT NULL"
		fields += "'f" + itoa(i) + "': " + a
	}
	// A DuckDB struct is never NULL itself, so a row with any NULL is made NULL first.
	return "count($DCASE WHEN " + cond + " THEN {" + fields + "} END)$F$W"
}

const (
	// integerSum is a sum of integers that fails when it leaves BIGINT, wrappingSum one that keeps its low 64 bits.
	integerSum  = "CAST(sum($D$1)$F$W AS BIGINT)"
	wrappingSum = "CAST(((sum($D$1)$F$W + 9223372036854775808) % 18446744073709551616 + 18446744073709551616) % 18446744073709551616 - 9223372036854775808 AS BIGINT)"
)

// totals are the overloads of sum and avg.
func totals(name, call string) []Overload {
	long, double := types.Of(types.BigInt), types.Of(types.Double)
	try := name[0] == 't'
	intervalSum := "CASE WHEN sum($D$1)$F$W IS NOT NULL AND TRY_CAST(sum($D$1)$F$W AS $T) IS NULL THEN error(" + DuckString(sqlerr.EngineText(sqlerr.IntervalSumOverflow())) + ") ELSE TRY_CAST(sum($D$1)$F$W AS $T) END"
	only := func(test func(types.Type) bool) func(*callSite) ([]Expr, error) {
		return func(c *callSite) ([]Expr, error) {
			if !test(c.args[0].Type()) {
				return nil, errNextRow
			}
			return c.args, nil
		}
	}
	sum := call == "sum"
	numbers := Overload{Name: name, Kind: Agg, Params: one(DoubleNumber), Returns: double, Duck: call + "($D$1)$F$W"}
	numbers.Prepare = func(c *callSite) ([]Expr, error) {
		t := c.args[0].Type()
		if t.Kind == types.Timestamp {
			return []Expr{&Cast{Arg: c.args[0], T: double}}, nil // seconds
		}
		if !t.Kind.IsNumeric() && !t.Kind.IsText() && t.Kind != types.Void {
			return nil, sqlerr.UnexpectedInputType(c.sql(), 1, `"NUMERIC" or "ANSI INTERVAL"`, Print(c.args[0]), t.SQL())
		}
		return []Expr{implicit(c.args[0], double)}, nil
	}
	integers := Overload{Name: name, Kind: Agg, Params: one(Integral), Prepare: only(func(t types.Type) bool { return t.Kind.IsIntegral() }), Returns: long, Duck: integerSum}
	if try {
		integers.Duck = "TRY_" + integerSum
	}
	if !sum {
		// Spark adds doubles; DuckDB would add integers exactly.
		integers.Returns, integers.Duck = double, "avg($DCAST($1 AS DOUBLE))$F$W"
	}
	decimals := decimalTotal(name, sum, try)
	intervals := Overload{Name: name, Kind: Agg, Params: one(AnyInterval), Prepare: only(func(t types.Type) bool { return isDayTime(t) || isYearMonth(t) }), Result: typeOfFirst, Duck: intervalSum}
	if try {
		intervals.Duck = "TRY_CAST(sum($D$1)$F$W AS $T)"
	}
	if !sum {
		intervals.Result = wholeInterval
		// The sum must fit the type of an interval.
		intervals.Duck = "CAST(sp_half_up(CAST(" + intervals.Duck + " AS HUGEINT),nullif(count($D$1)$F$W,0)) AS $T)"
	}
	return []Overload{butNotExact(numbers), integers, decimals, intervals}
}

// wideDecimal is the precision from which a sum of few decimals may leave DuckDB's 128 bits, which it cannot try.
const wideDecimal = 36

// decimalTotal is sum or avg of decimals; try gives NULL where the sum has more than 38 digits.
func decimalTotal(name string, sum, try bool) Overload {
	o := Overload{Name: name, Kind: Agg, Params: one(Numeric)}
	o.Prepare = func(c *callSite) ([]Expr, error) {
		if c.args[0].Type().Kind != types.Decimal {
			return nil, errNextRow
		}
		return c.args, nil
	}
	o.Result = func(args []Expr) (types.Type, error) {
		t := args[0].Type()
		if sum {
			return types.DecimalOf(min(38, t.Precision+10), t.Scale), nil
		}
		return types.DecimalOf(min(38, t.Precision+4), min(38, t.Scale+4)), nil
	}
	o.DuckFunc = func(_ []string, ts []types.Type, t types.Type) string {
		way := ""
		if try {
			way = "try_"
		}
		if sum && t.Precision < types.MaxPrecision {
			return strings.ToUpper(way) + "CAST(sum($D$1)$F$W AS $T)"
		}
		total := "sum($D$1)$F$W"
		switch {
		case try && ts[0].Precision >= wideDecimal:
			total = "CAST(tarn_try_decimal_list_sum(list($DCAST($1 AS VARCHAR))$N$W) AS " + DuckType(types.DecimalOf(types.MaxPrecision, ts[0].Scale)) + ")"
		case sum || ts[0].Precision+10 >= types.MaxPrecision:
			// DuckDB gives 39 digits where 38 are allowed, without an error.
			total = "sp_" + way + "decimal_sum(" + total + "," + mostDecimal(types.DecimalOf(types.MaxPrecision, ts[0].Scale)) + ")"
		}
		if sum {
			return "CAST(" + total + " AS $T)"
		}
		quotient := DecimalOp
		if try {
			quotient = TryDecimalOp
		}
		return decimalCall(quotient, "/", []string{total, "nullif(count($D$1)$F$W,0)"}, t)
	}
	return o
}

// mostDecimal is the greatest value of a decimal type, as DuckDB reads it.
func mostDecimal(t types.Type) string {
	nines := strings.Repeat("9", t.Precision)
	if t.Scale == 0 {
		return "CAST(" + nines + " AS " + DuckType(t) + ")"
	}
	return "CAST('" + nines[:t.Precision-t.Scale] + "." + nines[:t.Scale] + "' AS " + DuckType(t) + ")"
}

// butNotExact leaves integers, decimals and intervals to their own rows.
func butNotExact(o Overload) Overload {
	inner := o.Prepare
	o.Prepare = func(c *callSite) ([]Expr, error) {
		k := c.args[0].Type().Kind
		if k.IsIntegral() || k == types.Decimal || k == types.DayTimeInterval || k == types.YearMonthInterval {
			return nil, errNextRow
		}
		return inner(c)
	}
	return o
}

func constantDelimiter(call *callSite) ([]Expr, error) {
	if a, d := call.args[0].Type(), call.args[1].Type(); d.Kind == types.Binary || a.Kind == types.Binary && d.Kind != types.Void {
		return nil, sqlerr.DataDiffTypes(call.sql(), call.name, typeNames(call.args))
	}
	if !isConstant(call.args[1]) {
		return nil, sqlerr.NonFoldableInput(call.sql(), "delimiter", "STRING", Print(call.args[1]))
	}
	out := make([]Expr, 2)
	for i, a := range call.args {
		to, _, ok := Text.fit(a.Type(), true)
		if !ok {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, Text.String(), Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, to)
	}
	var err error
	out[1], err = known(call, out[1])
	return out, err
}

// known is the value of a constant that the engine must have before it runs: one that fails, fails the statement even when
// there is no row, as in Spark.
func known(call *callSite, e Expr) (Expr, error) {
	v, err := Eval(e, call.context(), nil)
	if err != nil {
		return nil, err
	}
	return &Literal{Value: v, T: e.Type()}, nil
}

// wholeNumber takes an integer of any width, and no text.
func wholeNumber(c *callSite) ([]Expr, error) {
	switch t := c.args[0].Type(); {
	case t.Kind.IsIntegral():
		return c.args, nil
	case t.Kind == types.Void:
		return []Expr{implicit(c.args[0], types.Of(types.Int))}, nil
	default:
		return nil, sqlerr.UnexpectedInputType(c.sql(), 1, Integral.String(), Print(c.args[0]), t.SQL())
	}
}

func orderedArg(call *callSite) ([]Expr, error) {
	if t := call.args[0].Type(); !t.IsOrdered() {
		return nil, sqlerr.UnorderedType(call.sql(), call.name, t.SQL())
	}
	return call.args, nil
}

// endSQL is the first or last value of a group, or of a frame.
func endSQL(way string, ignoreNulls bool) func([]string, []types.Type, types.Type) string {
	return func([]string, []types.Type, types.Type) string {
		if ignoreNulls {
			return way + "($1$O)$N$W"
		}
		return way + "($1$O)$F$W"
	}
}

// ignoreFlag takes the second argument of first(x, true), a constant, and drops it when it says what the row does.
func ignoreFlag(want bool) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		l, ok := call.args[1].(*Literal)
		if !ok || l.T.Kind != types.Boolean {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 2, `"BOOLEAN"`, Print(call.args[1]), call.args[1].Type().SQL())
		}
		if (l.Value == true) != want {
			return nil, errNextRow
		}
		return call.args[:1], nil
	}
}
