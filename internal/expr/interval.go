package expr

import (
	"math"
	"math/big"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// DuckDB text for the whole days and for the rest of the day-time interval in $2.
const (
	wholeDays = "to_days(CAST($2//86400000000 AS INTEGER))"
	restOfDay = "to_microseconds($2%86400000000)"
)

// intervalOps are + - * / with dates, timestamps and intervals.
func intervalOps() []Overload {
	date, days := types.Of(types.Date), types.IntervalOf(types.FieldDay, types.FieldDay)
	dayTime := types.IntervalOf(types.FieldDay, types.FieldSecond)
	instant := types.Of(types.Timestamp)
	var rows []Overload
	for _, op := range []string{"+", "-"} {
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		rows = append(rows,
			Overload{Name: op, Prepare: kinds(isDate, isSmallInt), Params: []Class{DateOnly, IntNumber}, Returns: date, Duck: "CAST($1 " + op + " $2 AS DATE)", Eval: evalAddDays(sign)},
			Overload{Name: op, Prepare: kinds(isDate, isDaysOnly), Params: two(AnyValue), Returns: date, Duck: "CAST($1 " + op + " CAST($2//86400000000 AS INTEGER) AS DATE)", Eval: evalAddDayTime(sign)},
			Overload{Name: op, Prepare: kinds(isDate, isDayTime), Params: two(AnyValue), Returns: instant, Duck: "sp_instant(CAST($1 AS TIMESTAMP)) " + op + " " + wholeDays + " " + op + " " + restOfDay, Eval: evalAddDayTime(sign)},
			Overload{Name: op, Prepare: kinds(isDate, isYearMonth), Params: two(AnyValue), Returns: date, Duck: "CAST($1 " + op + " to_months($2) AS DATE)", Eval: evalAddMonths(sign)},
			Overload{Name: op, Prepare: kinds(isTimestamp, isDayTime), Params: two(AnyValue), Result: typeOfFirst, Duck: "$1 " + op + " " + wholeDays + " " + op + " " + restOfDay, Eval: evalAddDayTime(sign)},
			Overload{Name: op, Prepare: kinds(isTimestamp, isYearMonth), Params: two(AnyValue), Result: typeOfFirst, Duck: "$1 " + op + " to_months($2)", Eval: evalAddMonths(sign)},
			Overload{Name: op, Prepare: intervalPair, Params: two(AnyInterval), Result: typeOfFirst, Duck: "($1 " + op + " $2)", Eval: evalInterval(op)},
			Overload{Name: op, Prepare: textAndInterval, Params: two(AnyValue), Rewrite: rewriteTextInterval(op)},
		)
	}
	rows = append(rows,
		Overload{Name: "+", Prepare: swapped, Params: two(AnyValue), Rewrite: func(args []Expr) (Expr, error) { return Resolve("+", args, ResolveOptions{}) }},
		Overload{Name: "-", Prepare: datePair, Params: two(AnyValue), Returns: days, Duck: "CAST($1-$2 AS BIGINT)*86400000000", Eval: evalDateDiff},
		Overload{Name: "-", Prepare: timestampPair(types.Timestamp), Params: two(AnyValue), Returns: dayTime, Duck: "epoch_us(CAST($1 AS TIMESTAMP))-epoch_us(CAST($2 AS TIMESTAMP))", Eval: evalTimestampDiff},
		Overload{Name: "-", Prepare: timestampPair(types.TimestampNTZ), Params: two(AnyValue), Returns: dayTime, Duck: "epoch_us($1)-epoch_us($2)", Eval: evalTimestampDiff},
		Overload{Name: "*", Prepare: intervalTimes(false), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalTimesSQL, Eval: evalIntervalTimes},
		Overload{Name: "*", Prepare: intervalTimes(true), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalTimesSQL, Eval: evalIntervalTimes},
		Overload{Name: "/", Prepare: intervalTimes(false), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalDivideSQL, Eval: evalIntervalDivide},
	)
	return rows
}

func isDate(t types.Type) bool      { return t.Kind == types.Date }
func isSmallInt(t types.Type) bool  { return t.Kind.IsIntegral() && t.Kind != types.BigInt }
func isDayTime(t types.Type) bool   { return t.Kind == types.DayTimeInterval }
func isYearMonth(t types.Type) bool { return t.Kind == types.YearMonthInterval }
func isTimestamp(t types.Type) bool { return t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ }

func isDaysOnly(t types.Type) bool {
	return t.Kind == types.DayTimeInterval && t.Scale == types.FieldDay
}

// kinds takes operands of exactly these types; an integer count of days becomes INT.
func kinds(tests ...func(types.Type) bool) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		out := make([]Expr, len(call.args))
		for i, a := range call.args {
			if !tests[i](a.Type()) {
				return nil, errNextRow
			}
			if out[i] = a; a.Type().Kind.IsIntegral() {
				out[i] = implicit(a, types.Of(types.Int))
			}
		}
		return out, nil
	}
}

// swapped is interval + date, and number + date.
func swapped(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	if isTemporal(b.Kind) && (isDayTime(a) || isYearMonth(a) || isSmallInt(a) && isDate(b)) {
		return []Expr{call.args[1], call.args[0]}, nil
	}
	return nil, errNextRow
}

func intervalPair(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	if a.Kind != b.Kind || !isDayTime(a) && !isYearMonth(a) {
		return nil, errNextRow
	}
	t, _ := commonOf(a, b)
	return []Expr{implicit(call.args[0], t), implicit(call.args[1], t)}, nil
}

// textAndInterval is '2020-01-01' + INTERVAL …: the text is a timestamp, the result text again.
func textAndInterval(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	if a.Kind.IsText() && (isDayTime(b) || isYearMonth(b)) {
		return call.args, nil
	}
	return nil, errNextRow
}

func rewriteTextInterval(op string) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		e, err := Resolve(op, []Expr{implicit(args[0], types.Of(types.Timestamp)), args[1]}, ResolveOptions{})
		if err != nil {
			return nil, err
		}
		return implicit(e, types.Of(types.String)), nil
	}
}

func datePair(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	fits := func(x, y types.Type) bool { return isDate(x) && (isDate(y) || y.Kind.IsText() || y.Kind == types.Void) }
	if !fits(a, b) && !fits(b, a) {
		return nil, errNextRow
	}
	d := types.Of(types.Date)
	return []Expr{implicit(call.args[0], d), implicit(call.args[1], d)}, nil
}

func timestampPair(kind types.Kind) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		a, b := call.args[0].Type(), call.args[1].Type()
		if !isTimestamp(a) && !isTimestamp(b) {
			return nil, errNextRow
		}
		t, ok := CommonType(a, b)
		if !ok || t.Kind != kind {
			return nil, errNextRow
		}
		return []Expr{implicit(call.args[0], t), implicit(call.args[1], t)}, nil
	}
}

// intervalTimes takes an interval and a number (with swap a number and an interval), the number as BIGINT, DECIMAL or
// DOUBLE.
func intervalTimes(swap bool) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		a, b := call.args[0], call.args[1]
		if swap {
			a, b = b, a
		}
		k := b.Type().Kind
		if !isDayTime(a.Type()) && !isYearMonth(a.Type()) || !k.IsNumeric() && !k.IsText() {
			return nil, errNextRow
		}
		switch {
		case k.IsIntegral():
			b = implicit(b, types.Of(types.BigInt))
		case k != types.Decimal:
			b = implicit(b, types.Of(types.Double))
		}
		return []Expr{a, b}, nil
	}
}

// wholeInterval is the full interval type of the first argument's family.
func wholeInterval(args []Expr) (types.Type, error) {
	if args[0].Type().Kind == types.YearMonthInterval {
		return types.IntervalOf(types.FieldYear, types.FieldMonth), nil
	}
	return types.IntervalOf(types.FieldDay, types.FieldSecond), nil
}

func intervalTimesSQL(args []string, argTypes []types.Type, result types.Type) string {
	a, b, t := wrapArg(args, 0), wrapArg(args, 1), DuckType(result)
	switch argTypes[1].Kind {
	case types.BigInt:
		return "CAST(CAST(" + a + " AS BIGINT) * " + b + " AS " + t + ")"
	case types.Decimal:
		return "CAST(round(CAST(" + a + " AS DECIMAL(20,0)) * CAST(" + b + " AS DECIMAL(18," + itoa(min(argTypes[1].Scale, 9)) + "))) AS " + t + ")"
	}
	return "CASE WHEN isfinite(" + a + "*" + b + ") OR " + a + " IS NULL OR " + b + " IS NULL THEN CAST(round(" + a + " * " + b + ") AS " + t + ") ELSE " + raise("ARITHMETIC_OVERFLOW") + " END"
}

func intervalDivideSQL(args []string, argTypes []types.Type, result types.Type) string {
	a, b, t := wrapArg(args, 0), wrapArg(args, 1), DuckType(result)
	zero := "CASE WHEN " + b + "=0 AND " + a + " IS NOT NULL THEN " + raise("INTERVAL_DIVIDED_BY_ZERO") + " ELSE "
	if argTypes[1].Kind == types.BigInt {
		return zero + "CAST(sp_half_up(CAST(" + a + " AS HUGEINT),CAST(" + b + " AS HUGEINT)) AS " + t + ") END"
	}
	return zero + "CAST(round(" + a + "/CAST(" + b + " AS DOUBLE)) AS " + t + ") END"
}

func intervalValue(n *big.Int, t types.Type) (types.Value, error) {
	if !n.IsInt64() || t.Kind == types.YearMonthInterval && (n.Int64() > math.MaxInt32 || n.Int64() < math.MinInt32) {
		return nil, sqlerr.IntervalOverflow()
	}
	return n.Int64(), nil
}

func evalInterval(op string) EvalFunc {
	return func(_ *Context, args []types.Value, _ []types.Type, result types.Type) (types.Value, error) {
		a, b := big.NewInt(intOf(args[0])), big.NewInt(intOf(args[1]))
		if op == "+" {
			return intervalValue(a.Add(a, b), result)
		}
		return intervalValue(a.Sub(a, b), result)
	}
}

func evalIntervalTimes(_ *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
	n := big.NewInt(intOf(args[0]))
	switch argTypes[1].Kind {
	case types.BigInt:
		return intervalValue(n.Mul(n, big.NewInt(intOf(args[1]))), result)
	case types.Decimal:
		d := decOf(args[1])
		return intervalValue(types.RoundQuo(n.Mul(n, d.Unscaled), types.Pow10(d.Scale)), result)
	}
	return intervalFloat(float64(n.Int64())*floatOf(args[1]), result)
}

// intervalFloat rounds a computed interval to whole units, halves away from zero.
func intervalFloat(f float64, t types.Type) (types.Value, error) {
	f = math.Round(f)
	if math.IsNaN(f) || f >= 1<<63 || f < -1<<63 {
		return nil, sqlerr.ArithmeticOverflow("The interval", "")
	}
	return intervalValue(big.NewInt(int64(f)), t)
}

func evalIntervalDivide(_ *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
	n := big.NewInt(intOf(args[0]))
	switch argTypes[1].Kind {
	case types.BigInt:
		d := intOf(args[1])
		if d == 0 {
			return nil, sqlerr.IntervalDividedByZero()
		}
		return intervalValue(types.RoundQuo(n, big.NewInt(d)), result)
	case types.Decimal:
		d := decOf(args[1])
		if d.Sign() == 0 {
			return nil, sqlerr.IntervalDividedByZero()
		}
		return intervalValue(types.RoundQuo(n.Mul(n, types.Pow10(d.Scale)), d.Unscaled), result)
	}
	f := floatOf(args[1])
	if f == 0 {
		return nil, sqlerr.IntervalDividedByZero()
	}
	return intervalFloat(float64(n.Int64())/f, result)
}

// evalAddDays wraps around like Spark's 32-bit day numbers do.
func evalAddDays(sign int64) EvalFunc {
	return func(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return int64(int32(intOf(args[0]) + sign*intOf(args[1]))), nil
	}
}

func evalAddDayTime(sign int64) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, result types.Type) (types.Value, error) {
		t, n := intOf(args[0]), sign*intOf(args[1])
		if result.Kind == types.Date {
			return t + n/types.MicrosPerDay, nil
		}
		if argTypes[0].Kind == types.Date {
			t = types.FromLocal(t*types.MicrosPerDay, ctx.Zone)
		}
		return addDayTime(t, n, result.Kind, ctx)
	}
}

// addDayTime adds whole days to the wall clock and the rest exactly.
func addDayTime(t, n int64, k types.Kind, ctx *Context) (types.Value, error) {
	days := n / types.MicrosPerDay * types.MicrosPerDay
	rest := n - days
	if k == types.Timestamp {
		t = types.ToLocal(t, ctx.Zone)
	}
	r := t + days
	if (t^r)&(days^r) < 0 {
		return nil, sqlerr.DatetimeOverflow("")
	}
	if k == types.Timestamp {
		r = types.FromLocal(r, ctx.Zone)
	}
	if s := r + rest; (r^s)&(rest^s) >= 0 {
		return s, nil
	}
	return nil, sqlerr.DatetimeOverflow("")
}

func evalAddMonths(sign int64) EvalFunc {
	return func(ctx *Context, args []types.Value, argTypes []types.Type, _ types.Type) (types.Value, error) {
		return addMonths(intOf(args[0]), sign*intOf(args[1]), argTypes[0].Kind, ctx), nil
	}
}

// addMonths keeps the day of the month, or the last one of a shorter month, and the time of the wall clock.
func addMonths(v, months int64, k types.Kind, ctx *Context) int64 {
	if k == types.Date {
		return addMonthsToDate(v, months)
	}
	if k == types.Timestamp {
		v = types.ToLocal(v, ctx.Zone)
	}
	days := types.FloorDiv(v, types.MicrosPerDay)
	r := addMonthsToDate(days, months)*types.MicrosPerDay + v - days*types.MicrosPerDay
	if k == types.Timestamp {
		return types.FromLocal(r, ctx.Zone)
	}
	return r
}

func addMonthsToDate(days, months int64) int64 {
	y, m, d := types.DateOf(days)
	total := y*12 + int64(m-1) + months
	y = types.FloorDiv(total, 12)
	m = int(total-y*12) + 1
	return types.DaysOf(y, m, min(d, types.DaysInMonth(y, m)))
}

func evalDateDiff(_ *Context, args []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return (intOf(args[0]) - intOf(args[1])) * types.MicrosPerDay, nil
}

// evalTimestampDiff subtracts wall clocks: a day with a clock change still has 24 hours.
func evalTimestampDiff(ctx *Context, args []types.Value, argTypes []types.Type, _ types.Type) (types.Value, error) {
	a, b := intOf(args[0]), intOf(args[1])
	if argTypes[0].Kind == types.Timestamp {
		a, b = types.ToLocal(a, ctx.Zone), types.ToLocal(b, ctx.Zone)
	}
	return a - b, nil
}

func decimalNeg(d types.Dec) *big.Int { return new(big.Int).Neg(d.Unscaled) }
