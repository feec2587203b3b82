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
	rows := append(calendarOps(), legacyDifferences()...)
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
			Overload{Name: op, Prepare: intervalPair, Params: two(AnyInterval), Result: typeOfFirst, DuckFunc: intervalSumSQL(op, raise("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "'"+tryNames[op]+"'")), Try: intervalSumSQL(op, "NULL"), Eval: orOverflow(evalInterval(op), tryNames[op])},
			Overload{Name: op, Prepare: textAndInterval, Params: two(AnyValue), Rewrite: rewriteTextInterval(op)},
		)
	}
	rows = append(rows,
		Overload{Name: "+", Prepare: swapped, Params: two(AnyValue), Rewrite: func(args []Expr) (Expr, error) { return Resolve("+", args, ResolveOptions{}) }},
		Overload{Name: "-", Prepare: datePair, Params: two(AnyValue), Returns: days, Duck: "CAST($1-$2 AS BIGINT)*86400000000", Eval: evalDateDiff},
		Overload{Name: "-", Prepare: timestampPair(types.Timestamp), Params: two(AnyValue), Returns: dayTime, Duck: "epoch_us(CAST($1 AS TIMESTAMP))-epoch_us(CAST($2 AS TIMESTAMP))", Eval: evalTimestampDiff},
		Overload{Name: "-", Prepare: timestampPair(types.TimestampNTZ), Params: two(AnyValue), Returns: dayTime, Duck: "epoch_us($1)-epoch_us($2)", Eval: evalTimestampDiff},
		Overload{Name: "*", Prepare: intervalTimes(false), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalTimesSQL(false), Try: intervalTimesSQL(true), Eval: evalIntervalTimes},
		Overload{Name: "*", Prepare: intervalTimes(true), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalTimesSQL(false), Try: intervalTimesSQL(true), Eval: evalIntervalTimes},
		Overload{Name: "/", Prepare: intervalTimes(false), Params: two(AnyValue), Result: wholeInterval, DuckFunc: intervalDivideSQL(false), Try: intervalDivideSQL(true), Eval: orOverflow(evalIntervalDivide, "try_divide")},
		Overload{Name: "div", Prepare: intervalRatio, Params: two(AnyInterval), Returns: types.Of(types.BigInt), DuckFunc: intervalRatioSQL, Eval: evalIntervalRatio},
	)
	return append(rows, timeOps()...)
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
	if (isTemporal(b.Kind) || b.Kind.IsText()) && (isDayTime(a) || isCalendar(a)) || isTemporal(b.Kind) && isYearMonth(a) || isSmallInt(a) && isDate(b) {
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
	if a.Kind.IsText() && (isDayTime(b) || isCalendar(b)) {
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
	if b.Kind.IsText() {
		if err := textOperand(call); err != nil {
			return nil, err
		}
	}
	d := types.Of(types.Date)
	return []Expr{implicit(call.args[0], d), implicit(call.args[1], d)}, nil
}

// textOperand refuses text beside a date or timestamp where ANSI rules do not cast it.
func textOperand(call *callSite) error {
	if call.legacy() {
		for i, a := range call.args {
			if a.Type().Kind.IsText() {
				return sqlerr.UnexpectedInputType(call.sql(), i+1, Temporal.String(), Print(a), a.Type().SQL())
			}
		}
	}
	return nil
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
		if err := textOperand(call); err != nil {
			return nil, err
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

// tryNames are the functions that give NULL where an operator on intervals overflows.
var tryNames = map[string]string{"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide"}

func intervalSumSQL(op, failure string) func([]string, []types.Type, types.Type) string {
	return func(args []string, _ []types.Type, result types.Type) string {
		return fitted("(CAST("+wrapArg(args, 0)+" AS HUGEINT)"+op+wrapArg(args, 1)+")", DuckType(result), failure)
	}
}

// overflowFailure is what an operator on intervals does with a result that is out of range.
func overflowFailure(try bool, condition string, details ...string) string {
	if try {
		return "NULL"
	}
	return raise(condition, details...)
}

func intervalTimesSQL(try bool) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		failure := overflowFailure(try, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
		switch argTypes[1].Kind {
		case types.BigInt:
			return fitted("(CAST("+a+" AS HUGEINT)*"+b+")", DuckType(result), failure)
		case types.Decimal:
			return fitted("tarn_scale_interval(CAST("+a+" AS BIGINT),CAST("+b+" AS VARCHAR),false)", DuckType(result), failure)
		}
		return fitted("round("+a+"*"+b+")", DuckType(result), failure)
	}
}

func intervalDivideSQL(try bool) func([]string, []types.Type, types.Type) string {
	return func(args []string, argTypes []types.Type, result types.Type) string {
		a, b := wrapArg(args, 0), wrapArg(args, 1)
		zero := "CASE WHEN " + b + "=0 AND " + a + " IS NOT NULL THEN " + overflowFailure(try, "INTERVAL_DIVIDED_BY_ZERO") + " ELSE "
		failure := overflowFailure(try, "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "'try_divide'")
		switch argTypes[1].Kind {
		case types.BigInt:
			return zero + fitted("sp_half_up(CAST("+a+" AS HUGEINT),CAST("+b+" AS HUGEINT))", DuckType(result), failure) + " END"
		case types.Decimal:
			return zero + fitted("tarn_scale_interval(CAST("+a+" AS BIGINT),CAST("+b+" AS VARCHAR),true)", DuckType(result), failure) + " END"
		}
		return zero + fitted("round("+a+"/CAST("+b+" AS DOUBLE))", DuckType(result), failure) + " END"
	}
}

// scaleInterval multiplies an interval by a decimal, or divides it, and rounds half up: as text, for it may be larger
// than an interval.
func scaleInterval(n int64, number string, divide bool) types.Value {
	d, ok := types.ParseDec(number)
	if !ok {
		return nil
	}
	a, b := new(big.Int).Mul(big.NewInt(n), d.Unscaled), types.Pow10(d.Scale)
	if divide {
		if d.Sign() == 0 {
			return nil
		}
		a, b = new(big.Int).Mul(big.NewInt(n), types.Pow10(d.Scale)), d.Unscaled
	}
	return types.RoundQuo(a, b).String()
}

// intervalRatio takes two intervals of one family, or one beside NULL, for div.
func intervalRatio(call *callSite) ([]Expr, error) {
	a, b := call.args[0], call.args[1]
	switch {
	case (isDayTime(a.Type()) || isYearMonth(a.Type())) && (a.Type().Kind == b.Type().Kind || b.Type().Kind == types.Void):
	case (isDayTime(b.Type()) || isYearMonth(b.Type())) && a.Type().Kind == types.Void:
	default:
		return nil, errNextRow
	}
	t, _ := commonOf(a.Type(), b.Type())
	return []Expr{implicit(a, t), implicit(b, t)}, nil
}

func intervalRatioSQL(args []string, _ []types.Type, _ types.Type) string {
	a, b := wrapArg(args, 0), wrapArg(args, 1)
	return "CASE WHEN " + b + "=0 AND " + a + " IS NOT NULL THEN " + raise("DIVIDE_BY_ZERO") + " WHEN " + b + "=-1 AND " + a + "=-9223372036854775807-1 THEN " + raise("ARITHMETIC_OVERFLOW") + " ELSE CAST(" + a + " AS BIGINT)//" + b + " END"
}

func evalIntervalRatio(_ *Context, args []types.Value, _ []types.Type, result types.Type) (types.Value, error) {
	return integerOp("div", intOf(args[0]), intOf(args[1]), result)
}

func negateIntervalSQL(args []string, _ []types.Type, result types.Type) string {
	return fitted("(-CAST("+wrapArg(args, 0)+" AS HUGEINT))", DuckType(result), raise("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"))
}

func evalNegateInterval(_ *Context, args []types.Value, _ []types.Type, result types.Type) (types.Value, error) {
	return intervalValue(new(big.Int).Neg(big.NewInt(intOf(args[0]))), result)
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
		return nil, sqlerr.IntervalOverflow()
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
		return addMonths(intOf(args[0]), sign*intOf(args[1]), argTypes[0].Kind, ctx)
	}
}

// addMonths keeps the day of the month, or the last one of a shorter month, and the time of the wall clock.
func addMonths(v, months int64, k types.Kind, ctx *Context) (types.Value, error) {
	if k == types.Date {
		return addMonthsToDate(v, months), nil
	}
	if k == types.Timestamp {
		v = types.ToLocal(v, ctx.Zone)
	}
	days := types.FloorDiv(v, types.MicrosPerDay)
	moved := addMonthsToDate(days, months)
	if moved > lastDay || moved < -lastDay {
		return nil, sqlerr.DatetimeOverflow("")
	}
	r := moved*types.MicrosPerDay + v - days*types.MicrosPerDay
	if k == types.Timestamp {
		return types.FromLocal(r, ctx.Zone), nil
	}
	return r, nil
}

// lastDay is the last day whose every instant fits a timestamp, whatever the zone.
const lastDay = math.MaxInt64/types.MicrosPerDay - 1

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
