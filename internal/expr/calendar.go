package expr

import (
	"math"
	"math/big"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Calendar intervals have months, days and microseconds without a fixed ratio between them: they add up part by part and
// have no order.

func isCalendar(t types.Type) bool { return t.Kind == types.CalendarInterval }

func intervalOf(v types.Value) types.Interval { iv, _ := v.(types.Interval); return iv }

// calendarOps are the operators on calendar intervals, alone and with dates, timestamps and numbers.
func calendarOps() []Overload {
	calendar, date := types.Of(types.CalendarInterval), types.Of(types.Date)
	var rows []Overload
	for _, op := range []string{"+", "-"} {
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		rows = append(rows,
			Overload{
				Name: op, Params: two(AnyValue), Prepare: calendarPair, Returns: calendar, Duck: "tarn_calendar_add($1,$2," + itoa(int(sign)) + ")",
				Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
					return addCalendar(intervalOf(a[0]), intervalOf(a[1]), sign)
				},
			},
			Overload{
				Name: op, Params: two(AnyValue), Prepare: kinds(isDate, isCalendar), Returns: date,
				Duck: "CAST($1 " + op + " tarn_whole_days($2) AS DATE)",
				Eval: func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
					iv, err := wholeDaysOf(intervalOf(a[1]))
					if err != nil {
						return nil, err
					}
					return addMonthsToDate(intOf(a[0]), sign*int64(iv.Months)) + sign*int64(iv.Days), nil
				},
			},
			Overload{
				Name: op, Params: two(AnyValue), Prepare: kinds(isTimestamp, isCalendar), Result: typeOfFirst, Duck: "($1 " + op + " $2)",
				Eval: func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
					return moveByCalendar(intOf(a[0]), intervalOf(a[1]), sign, t.Kind, ctx)
				},
			})
	}
	for _, o := range []struct {
		op     string
		divide bool
	}{{"*", false}, {"/", true}} {
		eval := func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return scaleCalendar(intervalOf(a[0]), floatOf(a[1]), o.divide)
		}
		duck := "tarn_calendar_scale($1,$2," + map[bool]string{true: "true", false: "false"}[o.divide] + ")"
		rows = append(rows, Overload{Name: o.op, Params: two(AnyValue), Prepare: calendarTimes(false), Returns: calendar, Duck: duck, Eval: eval})
		if !o.divide {
			rows = append(rows, Overload{Name: o.op, Params: two(AnyValue), Prepare: calendarTimes(true), Returns: calendar, Duck: duck, Eval: eval})
		}
	}
	return append(rows,
		Overload{Name: "neg", Params: one(AnyValue), Prepare: kinds(isCalendar), Returns: calendar, Duck: "tarn_calendar_add(CAST(to_days(0) AS INTERVAL),$1,-1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return addCalendar(types.Interval{}, intervalOf(a[0]), -1)
		}},
		Overload{Name: "pos", Params: one(AnyValue), Prepare: kinds(isCalendar), Returns: calendar, Duck: "$1", Eval: evalSame})
}

// calendarPair takes two calendar intervals, or one beside NULL.
func calendarPair(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	fits := func(x, y types.Type) bool { return isCalendar(x) && (isCalendar(y) || y.Kind == types.Void) }
	if !fits(a, b) && !fits(b, a) {
		return nil, errNextRow
	}
	t := types.Of(types.CalendarInterval)
	return []Expr{implicit(call.args[0], t), implicit(call.args[1], t)}, nil
}

// calendarTimes takes a calendar interval and a number, with swap in the other order, the number as DOUBLE.
func calendarTimes(swap bool) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		a, b := call.args[0], call.args[1]
		if swap {
			a, b = b, a
		}
		k := b.Type().Kind
		if !isCalendar(a.Type()) || !k.IsNumeric() && !k.IsText() && k != types.Void {
			return nil, errNextRow
		}
		return []Expr{a, implicit(b, types.Of(types.Double))}, nil
	}
}

func addCalendar(a, b types.Interval, sign int64) (types.Value, error) {
	months, days := int64(a.Months)+sign*int64(b.Months), int64(a.Days)+sign*int64(b.Days)
	micros := new(big.Int).Add(big.NewInt(a.Micros), new(big.Int).Mul(big.NewInt(sign), big.NewInt(b.Micros)))
	if months != int64(int32(months)) || days != int64(int32(days)) || !micros.IsInt64() {
		return nil, sqlerr.IntervalOverflowTry(map[bool]string{true: "try_add", false: "try_subtract"}[sign > 0])
	}
	return types.Interval{Months: int32(months), Days: int32(days), Micros: micros.Int64()}, nil
}

// scaleCalendar multiplies or divides each part; the fraction of a month is lost, that of a day becomes time of 24 hours.
func scaleCalendar(v types.Interval, by float64, divide bool) (types.Value, error) {
	f := func(n float64) float64 { return n * by }
	if divide {
		if by == 0 {
			return nil, sqlerr.IntervalDividedByZero()
		}
		f = func(n float64) float64 { return n / by }
	}
	months, days := f(float64(v.Months)), f(float64(v.Days))
	whole := math.Trunc(days)
	micros := math.Round(f(float64(v.Micros)) + (days-whole)*types.MicrosPerDay)
	if !(math.Abs(months) < 1<<31) || !(math.Abs(whole) < 1<<31) || !(math.Abs(micros) < 1<<63) {
		return nil, sqlerr.IntervalOverflow()
	}
	return types.Interval{Months: int32(months), Days: int32(whole), Micros: int64(micros)}, nil
}

// wholeDaysOf is an interval that a date takes: one without a time.
func wholeDaysOf(v types.Interval) (types.Interval, error) {
	if v.Micros != 0 {
		return v, sqlerr.IntervalWithTime()
	}
	return v, nil
}

// moveByCalendar adds months and days to the wall clock and the rest exactly.
func moveByCalendar(t int64, v types.Interval, sign int64, k types.Kind, ctx *Context) (types.Value, error) {
	if v.Months != 0 {
		moved, err := addMonths(t, sign*int64(v.Months), k, ctx)
		if err != nil {
			return nil, err
		}
		t = intOf(moved)
	}
	moved, err := addDayTime(t, sign*int64(v.Days)*types.MicrosPerDay, k, ctx)
	if err != nil {
		return nil, err
	}
	r := new(big.Int).Add(big.NewInt(intOf(moved)), new(big.Int).Mul(big.NewInt(sign), big.NewInt(v.Micros)))
	if !r.IsInt64() {
		return nil, sqlerr.DatetimeOverflow("")
	}
	return r.Int64(), nil
}

// makeIntervalFunctions are make_interval and try_make_interval.
func makeIntervalFunctions() []Overload {
	var rows []Overload
	classes := []Class{IntNumber, IntNumber, IntNumber, IntNumber, IntNumber, IntNumber, DecimalNumber}
	for _, f := range []struct {
		name, duck string
		try        bool
	}{{"make_interval", "tarn_make_interval", false}, {"try_make_interval", "tarn_try_make_interval", true}} {
		rows = append(rows, Overload{
			Name: f.name, Params: classes, Optional: len(classes), Prepare: orZeros(classes...), Returns: types.Of(types.CalendarInterval),
			Duck: f.duck + "($1,$2,$3,$4,$5,$6,CAST(CAST($7 AS DECIMAL(38,6))*1000000 AS BIGINT))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				args := append(append([]types.Value{}, a[:6]...), decOf(a[6]).Rescale(6).Unscaled.Int64())
				return makeCalendar(args, f.try)
			},
		})
	}
	return rows
}

// makeCalendar makes an interval of years, months, weeks, days, hours, minutes, and microseconds.
func makeCalendar(a []types.Value, try bool) (types.Value, error) {
	months := intOf(a[0])*12 + intOf(a[1])
	days := intOf(a[2])*7 + intOf(a[3])
	micros := new(big.Int).Add(big.NewInt(intOf(a[4])*types.MicrosPerHour), big.NewInt(intOf(a[5])*types.MicrosPerMinute))
	micros.Add(micros, big.NewInt(intOf(a[6])))
	if months != int64(int32(months)) || days != int64(int32(days)) || !micros.IsInt64() {
		if try {
			return nil, nil
		}
		return nil, sqlerr.ArithmeticOverflow("The interval", "try_make_interval")
	}
	return types.Interval{Months: int32(months), Days: int32(days), Micros: micros.Int64()}, nil
}

// calendarFields are the fields of calendar intervals for extract.
func calendarFields() []Overload {
	part := func(name string, ret types.Type, f func(types.Interval) types.Value) Overload {
		return Overload{
			Name: "interval " + name, Params: one(AnyValue), Prepare: kinds(isCalendar), Returns: ret, Duck: "CAST(tarn_calendar_field($1,'" + name + "') AS " + DuckType(ret) + ")",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(intervalOf(a[0])), nil
			},
		}
	}
	number := func(name string) func(types.Interval) types.Value {
		return func(v types.Interval) types.Value { return calendarField(v, name) }
	}
	integer, tiny := types.Of(types.Int), types.Of(types.TinyInt)
	second := part("second", types.DecimalOf(8, 6), func(v types.Interval) types.Value { return types.NewDec(calendarField(v, "second"), 6) })
	second.Duck = "CAST(CAST(tarn_calendar_field($1,'second') AS DECIMAL(10,0))*0.000001 AS DECIMAL(8,6))"
	return []Overload{
		part("year", integer, number("year")), part("month", tiny, number("month")), part("day", integer, number("day")),
		part("hour", tiny, number("hour")), part("minute", tiny, number("minute")), second,
	}
}

// calendarField is one field of an interval, or one of its three parts (months, days, micros); the seconds in microseconds. Days count neither into months nor hours, and
// hours not into days beyond the fields' own carries.
func calendarField(v types.Interval, name string) int64 {
	switch name {
	case "months":
		return int64(v.Months)
	case "days":
		return int64(v.Days)
	case "micros":
		return v.Micros
	case "year":
		return int64(v.Months / 12)
	case "month":
		return int64(v.Months % 12)
	case "day":
		return int64(v.Days) + v.Micros/types.MicrosPerDay
	case "hour":
		return v.Micros % types.MicrosPerDay / types.MicrosPerHour
	case "minute":
		return v.Micros % types.MicrosPerHour / types.MicrosPerMinute
	}
	return v.Micros % types.MicrosPerMinute
}

// dateSpan is the calendar interval from one day to another: whole months, then days, all of one sign.
func dateSpan(from, to int64) types.Interval {
	y1, m1, d1 := types.DateOf(from)
	y2, m2, d2 := types.DateOf(to)
	months := (y2*12 + int64(m2)) - (y1*12 + int64(m1))
	days := int64(d2 - d1)
	switch {
	case months > 0 && days < 0:
		months--
		days = to - addMonthsToDate(from, months)
	case months < 0 && days > 0:
		months++
		days -= int64(types.DaysInMonth(y2, m2))
	}
	return types.Interval{Months: int32(months), Days: int32(days)}
}

// legacyDifferences are a - b of dates and timestamps with spark.sql.legacy.interval.enabled; of timestamps the time that
// passed between them.
func legacyDifferences() []Overload {
	calendar := types.Of(types.CalendarInterval)
	only := func(prepare func(*callSite) ([]Expr, error)) func(*callSite) ([]Expr, error) {
		return func(call *callSite) ([]Expr, error) {
			if call.opts.Context == nil || !call.opts.Context.LegacyInterval {
				return nil, errNextRow
			}
			return prepare(call)
		}
	}
	times := func(k types.Kind, duck string) Overload {
		return Overload{
			Name: "-", Params: two(AnyValue), Prepare: only(timestampPair(k)), Returns: calendar, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return types.Interval{Micros: intOf(a[0]) - intOf(a[1])}, nil
			},
		}
	}
	return []Overload{
		{Name: "-", Params: two(AnyValue), Prepare: only(datePair), Returns: calendar, Duck: "tarn_date_span($2,$1)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return dateSpan(intOf(a[1]), intOf(a[0])), nil
		}},
		times(types.Timestamp, "to_microseconds(epoch_us($1)-epoch_us($2))"),
		times(types.TimestampNTZ, "to_microseconds(epoch_us($1)-epoch_us($2))"),
	}
}

// calendarGoFunctions are the GoFunctions on calendar intervals.
func calendarGoFunctions() []GoFunction {
	text, long, integer, double := types.Of(types.String), types.Of(types.BigInt), types.Of(types.Int), types.Of(types.Double)
	boolean, date, calendar := types.Of(types.Boolean), types.Of(types.Date), types.Of(types.CalendarInterval)
	params := func(ts ...types.Type) []types.Type { return ts }
	parts := params(integer, integer, integer, integer, integer, integer, long)
	return []GoFunction{
		{"tarn_calendar_text", params(calendar), text, func(a []types.Value) (types.Value, error) {
			return types.FormatCalendar(intervalOf(a[0])), nil
		}},
		{"tarn_text_calendar", params(text), calendar, func(a []types.Value) (types.Value, error) {
			v, err := types.ParseCalendar(textOf(a[0]))
			if err != nil {
				return nil, nil
			}
			return v, nil
		}},
		{"tarn_calendar_add", params(calendar, calendar, integer), calendar, func(a []types.Value) (types.Value, error) {
			return addCalendar(intervalOf(a[0]), intervalOf(a[1]), intOf(a[2]))
		}},
		{"tarn_calendar_scale", params(calendar, double, boolean), calendar, func(a []types.Value) (types.Value, error) {
			return scaleCalendar(intervalOf(a[0]), floatOf(a[1]), a[2] == true)
		}},
		{"tarn_whole_days", params(calendar), calendar, func(a []types.Value) (types.Value, error) {
			v, err := wholeDaysOf(intervalOf(a[0]))
			if err != nil {
				return nil, err
			}
			return v, nil
		}},
		{"tarn_calendar_field", params(calendar, text), long, func(a []types.Value) (types.Value, error) {
			return calendarField(intervalOf(a[0]), textOf(a[1])), nil
		}},
		{"tarn_date_span", params(date, date), calendar, func(a []types.Value) (types.Value, error) {
			return dateSpan(intOf(a[0]), intOf(a[1])), nil
		}},
		{"tarn_scale_interval", params(long, text, boolean), text, func(a []types.Value) (types.Value, error) {
			return scaleInterval(intOf(a[0]), textOf(a[1]), a[2] == true), nil
		}},
		{"tarn_make_interval", parts, calendar, func(a []types.Value) (types.Value, error) { return makeCalendar(a, false) }},
		{"tarn_try_make_interval", parts, calendar, func(a []types.Value) (types.Value, error) { return makeCalendar(a, true) }},
	}
}
