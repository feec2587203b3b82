package expr

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// localMicros is the wall clock of a DATE, TIMESTAMP or TIMESTAMP_NTZ.
func localMicros(v types.Value, t types.Type, ctx *Context) int64 {
	switch t.Kind {
	case types.Date:
		return intOf(v) * types.MicrosPerDay
	case types.Timestamp:
		return types.ToLocal(intOf(v), ctx.Zone)
	}
	return intOf(v)
}

// dayOf is the day number of a wall clock.
func dayOf(local int64) int64 { return types.FloorDiv(local, types.MicrosPerDay) }

// isoDay is 1 for Monday to 7 for Sunday.
func isoDay(days int64) int64 { return (days+3)%7 + 1 + 7*boolInt((days+3)%7 < 0) }

// isoWeek is the ISO 8601 year and week of a day.
func isoWeek(days int64) (year, week int64) {
	thursday := days - isoDay(days) + 4
	y, _, _ := types.DateOf(thursday)
	return y, (thursday-types.DaysOf(y, 1, 1))/7 + 1
}

// datePart computes a field of a day.
type datePart func(days int64) int64

func yearOf(d int64) int64 { y, _, _ := types.DateOf(d); return y }

func monthOf(d int64) int64 { _, m, _ := types.DateOf(d); return int64(m) }

func dayOfMonth(d int64) int64 { _, _, n := types.DateOf(d); return int64(n) }

// dateFunctions are the fields of dates and times, arithmetic on them, truncation, and numbers from and to the epoch.
func dateFunctions() []Overload {
	integer, long, double, text := types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Double), types.Of(types.String)
	date, instant, local := types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ)
	var rows []Overload
	field := func(name, duck string, f datePart) {
		rows = append(rows, Overload{
			Name: name, Params: one(DateOnly), Returns: integer, Duck: "CAST(" + duck + " AS INTEGER)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(intOf(a[0])), nil
			},
		})
	}
	field("year", "year($1)", yearOf)
	field("quarter", "quarter($1)", func(d int64) int64 { return (monthOf(d) + 2) / 3 })
	field("month", "month($1)", monthOf)
	field("day", "day($1)", dayOfMonth)
	field("dayofmonth", "day($1)", dayOfMonth)
	field("dayofweek", "dayofweek($1)+1", func(d int64) int64 { return isoDay(d)%7 + 1 })
	field("dayofweek_iso", "isodow($1)", isoDay)
	field("weekday", "isodow($1)-1", func(d int64) int64 { return isoDay(d) - 1 })
	field("dayofyear", "dayofyear($1)", func(d int64) int64 { return d - types.DaysOf(yearOf(d), 1, 1) + 1 })
	field("weekofyear", "weekofyear($1)", func(d int64) int64 { _, w := isoWeek(d); return w })
	field("yearofweek", "isoyear($1)", func(d int64) int64 { y, _ := isoWeek(d); return y })
	name := func(fn, duck string, f func(d int64) string) {
		rows = append(rows, Overload{
			Name: fn, Params: one(DateOnly), Returns: text, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(intOf(a[0])), nil
			},
		})
	}
	name("dayname", "dayname($1)[1:3]", func(d int64) string { return time.Weekday(isoDay(d) % 7).String()[:3] })
	name("monthname", "monthname($1)[1:3]", func(d int64) string { return time.Month(monthOf(d)).String()[:3] })
	clock := func(fn string, unit, mod int64) {
		eval := func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			v := localMicros(a[0], ts[0], ctx)
			return (v - dayOf(v)*types.MicrosPerDay) / unit % mod, nil
		}
		duck := "CAST(" + fn + "(CAST($1 AS TIMESTAMP)) AS INTEGER)"
		rows = append(rows,
			Overload{Name: fn, Params: one(Instant), Returns: integer, Duck: duck, Eval: eval},
			Overload{Name: fn, Params: one(LocalTime), Returns: integer, Duck: duck, Eval: eval})
	}
	clock("hour", types.MicrosPerHour, 24)
	clock("minute", types.MicrosPerMinute, 60)
	clock("second", types.MicrosPerSecond, 60)
	add := func(name string, params []Class, ret types.Type, duck string, eval EvalFunc) {
		rows = append(rows, Overload{Name: name, Params: params, Returns: ret, Duck: duck, Eval: eval})
	}
	for _, n := range []string{"date_add", "dateadd"} {
		rows = append(rows, Overload{Name: n, Params: []Class{DateOnly, SmallCount}, Prepare: dayCount, Returns: date, Duck: "CAST($1 + $2 AS DATE)", Eval: evalAddDays(1)})
	}
	rows = append(rows, Overload{Name: "date_sub", Params: []Class{DateOnly, SmallCount}, Prepare: dayCount, Returns: date, Duck: "CAST($1 - $2 AS DATE)", Eval: evalAddDays(-1)})
	for _, n := range []string{"datediff", "date_diff"} {
		add(n, two(DateOnly), integer, "CAST($1 - $2 AS INTEGER)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return intOf(a[0]) - intOf(a[1]), nil
		})
	}
	add("add_months", []Class{DateOnly, IntNumber}, date, "CAST($1 + to_months($2) AS DATE)", evalAddMonths(1))
	months := "CAST(sp_mb(CAST($1 AS TIMESTAMP),CAST($2 AS TIMESTAMP)) AS DOUBLE)"
	add("months_between", two(Instant), double, "round("+months+",8)", evalMonthsBetween)
	add("months_between", []Class{Instant, Instant, BooleanOnly}, double, "CASE WHEN $3 THEN round("+months+",8) WHEN NOT $3 THEN "+months+" END", evalMonthsBetween)
	add("last_day", one(DateOnly), date, "last_day($1)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		y, m, _ := types.DateOf(intOf(a[0]))
		return types.DaysOf(y, m, types.DaysInMonth(y, m)), nil
	})
	rows = append(rows, Overload{Name: "next_day", Params: []Class{DateOnly, Text}, Returns: date, DuckFunc: nextDaySQL, Eval: evalNextDay})
	rows = append(rows,
		Overload{Name: "trunc", Params: []Class{DateOnly, Text}, Returns: date, DuckFunc: truncSQL, Eval: evalTrunc},
		Overload{Name: "date_trunc", Params: []Class{Text, Instant}, Returns: instant, DuckFunc: dateTruncSQL, Eval: evalDateTrunc},
		Overload{Name: "make_date", Params: []Class{IntNumber, IntNumber, IntNumber}, Returns: date, Duck: "tarn_make_date($1,$2,$3)", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return makeDate(intOf(a[0]), intOf(a[1]), intOf(a[2]))
		}})
	rows = append(rows, makeTimestampFunctions()...)
	scaled := func(fn, duck string, unit int64) {
		rows = append(rows, Overload{Name: fn, Params: one(Integral), Prepare: strictNumber(Integral), Returns: instant, Duck: duck, Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			n := intOf(a[0])
			if n > math.MaxInt64/unit || n < math.MinInt64/unit {
				return nil, sqlerr.DatetimeOverflow("The timestamp of " + types.FormatLiteral(types.Of(types.BigInt), n, nil))
			}
			return n * unit, nil
		}})
	}
	scaled("timestamp_millis", "make_timestamptz("+epochSQL("1000")+")", 1000)
	scaled("timestamp_micros", "make_timestamptz(CAST($1 AS BIGINT))", 1)
	scaled("timestamp_seconds", "make_timestamptz("+epochSQL("1000000")+")", 1_000_000)
	rows = append(rows, Overload{Name: "timestamp_seconds", Params: one(Numeric), Prepare: strictNumber(Numeric), Rewrite: secondsToTimestamp})
	since := func(fn, duck string, unit int64) {
		// A TIMESTAMP_NTZ counts from the epoch of its own clock, whatever the zone of the session.
		eval := func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return types.FloorDiv(intOf(a[0]), unit), nil
		}
		rows = append(rows, Overload{Name: fn, Params: one(Instant), Prepare: onlyTimestamp, Returns: long, Duck: duck, Eval: eval})
	}
	since("unix_seconds", "sp_floor_div(epoch_us($1),1000000)", 1_000_000)
	since("unix_millis", "sp_floor_div(epoch_us($1),1000)", 1000)
	since("unix_micros", "epoch_us($1)", 1)
	rows = append(rows, Overload{Name: "unix_date", Params: one(DateOnly), Prepare: onlyKinds(DateOnly, types.Date), Returns: integer, Duck: "CAST($1 - DATE '1970-01-01' AS INTEGER)", Eval: evalSame})
	add("date_from_unix_date", one(IntNumber), date, "CAST(DATE '1970-01-01' + $1 AS DATE)", evalSame)
	rows = append(append(rows, makeIntervalRows()...), makeIntervalFunctions()...)
	for _, z := range []struct {
		name string
		from bool
	}{{"from_utc_timestamp", true}, {"to_utc_timestamp", false}} {
		add(z.name, []Class{Instant, Text}, instant, "tarn_"+z.name+"($1,$2,current_setting('TimeZone'))", func(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return shiftZone(intOf(a[0]), textOf(a[1]), ctx.Zone, z.from)
		})
	}
	add("convert_timezone", []Class{Text, Text, LocalTime}, local, "tarn_convert_timezone($1,$2,$3)", func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		return convertZone(textOf(a[0]), textOf(a[1]), intOf(a[2]))
	})
	rows = append(rows, Overload{Name: "convert_timezone", Params: []Class{Text, LocalTime}, Rewrite: func(args []Expr) (Expr, error) {
		session, err := Resolve("current_timezone", nil, ResolveOptions{})
		if err != nil {
			return nil, err
		}
		return Resolve("convert_timezone", append([]Expr{session}, args...), ResolveOptions{})
	}})
	return append(append(rows, dateUnitFunctions()...), timeFunctions()...)
}

// onlyTimestamp takes a TIMESTAMP with or without a zone: no date, and no text.
func onlyTimestamp(call *callSite) ([]Expr, error) {
	a := call.args[0]
	switch a.Type().Kind {
	case types.Timestamp, types.TimestampNTZ:
		return call.args, nil
	case types.Void:
		return []Expr{implicit(a, types.Of(types.Timestamp))}, nil
	}
	return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `("TIMESTAMP" or "TIMESTAMP_NTZ")`, Print(a), a.Type().SQL())
}

// dayCount takes a date and a number of days; text for the latter is cast, without ANSI only where it is a constant
// integer.
func dayCount(call *callSite) ([]Expr, error) {
	out := make([]Expr, 2)
	for i, c := range []Class{DateOnly, SmallCount} {
		a := call.args[i]
		to, _, ok := c.fit(a.Type(), isConstant(a))
		if !ok || i == 1 && call.legacy() && a.Type().Kind.IsText() && !isConstant(a) {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, c.String(), Print(a), a.Type().SQL())
		}
		if l, isLiteral := a.(*Literal); i == 1 && call.legacy() && isLiteral && a.Type().Kind.IsText() {
			if _, ok := types.ParseInteger(textOf(l.Value), types.Int, types.ANSI); !ok && l.Value != nil {
				return nil, sqlerr.SecondArgumentNotInteger(call.name)
			}
		}
		out[i] = implicit(a, to)
	}
	return out, nil
}

func evalMonthsBetween(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	x, y := types.ToLocal(intOf(a[0]), ctx.Zone), types.ToLocal(intOf(a[1]), ctx.Zone)
	dx, dy := dayOf(x), dayOf(y)
	y1, m1, d1 := types.DateOf(dx)
	y2, m2, d2 := types.DateOf(dy)
	whole := float64((y1-y2)*12 + int64(m1-m2))
	if d1 == d2 || d1 == types.DaysInMonth(y1, m1) && d2 == types.DaysInMonth(y2, m2) {
		return whole, nil
	}
	secX := types.FloorDiv(x, types.MicrosPerSecond) - dx*86400
	secY := types.FloorDiv(y, types.MicrosPerSecond) - dy*86400
	r := whole + float64(int64(d1-d2)*86400+secX-secY)/(31*86400)
	if len(a) < 3 || a[2] == true {
		r = roundFloat("round", r, 8)
	}
	return r, nil
}

// dayNumber is 1 for Monday to 7 for Sunday, by a name of two, three or all letters in any case.
func dayNumber(name string) (int64, bool) {
	for i, full := range []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"} {
		if n := strings.ToUpper(name); n == full || n == full[:3] || n == full[:2] {
			return int64(i + 1), true
		}
	}
	return 0, false
}

func nextDaySQL(args []string, _ []types.Type, _ types.Type) string {
	d, n := wrapArg(args, 0), wrapArg(args, 1)
	s := "CASE"
	for i, full := range []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"} {
		s += " WHEN upper(" + n + ") IN ('" + full + "','" + full[:3] + "','" + full[:2] + "') THEN " + itoa(i+1)
	}
	s += " WHEN " + n + " IS NOT NULL AND " + d + " IS NOT NULL THEN " + raise("ILLEGAL_DAY_OF_WEEK", n) + " END"
	return "CAST(" + d + " + CAST((" + s + " - isodow(" + d + ") + 6) % 7 + 1 AS INTEGER) AS DATE)"
}

func evalNextDay(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	n, ok := dayNumber(textOf(a[1]))
	if !ok {
		return nil, sqlerr.IllegalDayOfWeek(textOf(a[1]))
	}
	d := intOf(a[0])
	return d + (n-isoDay(d)+6)%7 + 1, nil
}

// truncUnit is the canonical name of a unit of trunc and date_trunc, empty when there is none.
func truncUnit(s string) string {
	switch u := strings.ToUpper(s); u {
	case "YEAR", "YYYY", "YY":
		return "year"
	case "MONTH", "MON", "MM":
		return "month"
	case "DAY", "DD":
		return "day"
	case "QUARTER", "WEEK", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND":
		return strings.ToLower(u)
	}
	return ""
}

// unitCase makes a CASE over the units that a text argument may name; a literal needs none.
func unitCase(unit string, units []string, value func(unit string) string, none string) string {
	if text, ok := literalOf(unit); ok {
		u := truncUnit(text)
		for _, x := range units {
			if x == u {
				return value(u)
			}
		}
		return none
	}
	spell := map[string]string{"year": "'YEAR','YYYY','YY'", "month": "'MONTH','MON','MM'", "day": "'DAY','DD'"}
	s := "CASE"
	for _, u := range units {
		names, ok := spell[u]
		if !ok {
			names = "'" + strings.ToUpper(u) + "'"
		}
		s += " WHEN upper(" + unit + ") IN (" + names + ") THEN " + value(u)
	}
	return s + " END"
}

// literalOf is the text of an argument that is a plain string literal.
func literalOf(arg string) (string, bool) {
	if len(arg) < 2 || arg[0] != '\'' || arg[len(arg)-1] != '\'' {
		return "", false
	}
	body := arg[1 : len(arg)-1]
	if strings.Contains(strings.ReplaceAll(body, "''", ""), "'") {
		return "", false
	}
	return strings.ReplaceAll(body, "''", "'"), true
}

func truncSQL(args []string, _ []types.Type, _ types.Type) string {
	d := wrapArg(args, 0)
	return unitCase(args[1], []string{"year", "quarter", "month", "week"}, func(u string) string {
		return "CAST(date_trunc('" + u + "'," + d + ") AS DATE)"
	}, "CAST(NULL AS DATE)")
}

func dateTruncSQL(args []string, _ []types.Type, _ types.Type) string {
	t := wrapArg(args, 1)
	units := []string{"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"}
	return unitCase(args[0], units, func(u string) string { return "date_trunc('" + u + "'," + t + ")" }, "CAST(NULL AS TIMESTAMPTZ)")
}

func truncDay(days int64, unit string) int64 {
	y, m, _ := types.DateOf(days)
	switch unit {
	case "year":
		return types.DaysOf(y, 1, 1)
	case "quarter":
		return types.DaysOf(y, (m-1)/3*3+1, 1)
	case "month":
		return types.DaysOf(y, m, 1)
	case "week":
		return days - isoDay(days) + 1
	}
	return days
}

func evalTrunc(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	switch u := truncUnit(textOf(a[1])); u {
	case "year", "quarter", "month", "week":
		return truncDay(intOf(a[0]), u), nil
	}
	return nil, nil
}

func evalDateTrunc(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	t := intOf(a[1])
	unit := truncUnit(textOf(a[0]))
	step := map[string]int64{"microsecond": 1, "millisecond": 1000, "second": types.MicrosPerSecond, "minute": types.MicrosPerMinute}[unit]
	switch {
	case unit == "":
		return nil, nil
	case step > 0:
		return types.FloorDiv(t, step) * step, nil
	}
	local := types.ToLocal(t, ctx.Zone)
	if unit == "hour" {
		// The hour is cut off the instant: a repeated hour stays the one it was.
		return t - (local - types.FloorDiv(local, types.MicrosPerHour)*types.MicrosPerHour), nil
	}
	return types.FromLocal(truncDay(dayOf(local), unit)*types.MicrosPerDay, ctx.Zone), nil
}

// dayTimeSQL adds the parts up in 128 bits, so that Spark's own error can be raised.
func dayTimeSQL(args []string, ts []types.Type, t types.Type) string {
	sum := "(CAST($1 AS HUGEINT)*86400000000+CAST($2 AS HUGEINT)*3600000000+CAST($3 AS HUGEINT)*60000000+CAST(CAST($4 AS DECIMAL(38,6))*1000000 AS HUGEINT))"
	return fill("CASE WHEN TRY_CAST("+sum+" AS BIGINT) IS NOT NULL THEN TRY_CAST("+sum+" AS BIGINT) WHEN "+sum+" IS NOT NULL THEN "+raise("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")+" END", args, ts, t, nil)
}

// epochSQL is a count of units in microseconds, or DATETIME_OVERFLOW.
func epochSQL(unit string) string {
	return fitted("(CAST($1 AS HUGEINT)*"+unit+")", "BIGINT", raise("DATETIME_OVERFLOW"))
}

// secondsToTimestamp is timestamp_seconds of a DOUBLE, whose digits beyond microseconds are cut, or of a DECIMAL, which
// must not have any.
func secondsToTimestamp(args []Expr) (Expr, error) {
	instant := types.Of(types.Timestamp)
	if args[0].Type().Kind != types.Decimal || args[0].Type().Scale <= 6 {
		return NewCast(args[0], instant, CastANSI)
	}
	bad := sqlerr.DatetimeOverflow("A fraction of a microsecond in timestamp_seconds")
	row := &Overload{
		Name: "timestamp_seconds", Params: one(Numeric), Returns: types.DecimalOf(types.MaxPrecision, 6),
		DuckFunc: func(a []string, _ []types.Type, t types.Type) string {
			x := wrapArg(a, 0)
			return "CASE WHEN CAST(" + x + " AS " + DuckType(t) + ")=" + x + " THEN CAST(" + x + " AS " + DuckType(t) + ") WHEN " + x + " IS NOT NULL THEN error(" + DuckString(sqlerr.EngineText(bad)) + ") END"
		},
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			d := decOf(a[0])
			r := d.Rescale(6)
			if r.Cmp(d) != 0 {
				return nil, bad
			}
			return r, nil
		},
	}
	return NewCast(&Call{Fn: row, Args: args, T: row.Returns}, instant, CastANSI)
}

// orZeros takes arguments of the classes; those left out at the end are zero.
func orZeros(classes ...Class) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		out := make([]Expr, len(classes))
		for i, c := range classes {
			e := intLiteral(0)
			if i < len(call.args) {
				e = call.args[i]
			}
			to, _, ok := c.fit(e.Type(), isConstant(e))
			if !ok {
				return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, c.String(), Print(e), e.Type().SQL())
			}
			out[i] = implicit(e, to)
		}
		return out, nil
	}
}

// makeIntervalRows are make_dt_interval and make_ym_interval, whose missing parts are zero.
func makeIntervalRows() []Overload {
	dayTime := []Class{IntNumber, IntNumber, IntNumber, DecimalNumber}
	return []Overload{
		{
			Name: "make_dt_interval", Params: dayTime, Optional: 4, Prepare: orZeros(dayTime...), Returns: types.IntervalOf(types.FieldDay, types.FieldSecond),
			DuckFunc: dayTimeSQL,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
				sum := new(big.Int).Mul(big.NewInt(intOf(a[0])), big.NewInt(types.MicrosPerDay))
				sum.Add(sum, big.NewInt(intOf(a[1])*types.MicrosPerHour+intOf(a[2])*types.MicrosPerMinute))
				return intervalValue(sum.Add(sum, decOf(a[3]).Rescale(6).Unscaled), t)
			},
		},
		{
			Name: "make_ym_interval", Params: two(IntNumber), Optional: 2, Prepare: orZeros(IntNumber, IntNumber), Returns: types.IntervalOf(types.FieldYear, types.FieldMonth), Duck: "CASE WHEN CAST($1 AS BIGINT)*12+$2 BETWEEN -2147483648 AND 2147483647 THEN CAST(CAST($1 AS BIGINT)*12+$2 AS INTEGER) WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN " + raise("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION") + " END",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
				return intervalValue(big.NewInt(intOf(a[0])*12+intOf(a[1])), t)
			},
		},
	}
}

func makeDate(y, m, d int64) (types.Value, error) {
	if y < -999_999_999 || y > 999_999_999 {
		return nil, sqlerr.DatetimeFieldOutOfBounds("The year must be from -999999999 to 999999999, not " + itoa(int(y)))
	}
	if m < 1 || m > 12 {
		return nil, sqlerr.DatetimeFieldOutOfBounds("The month must be from 1 to 12, not " + itoa(int(m)))
	}
	if d < 1 || d > int64(types.DaysInMonth(y, int(m))) {
		return nil, sqlerr.DatetimeFieldOutOfBounds("There is no day " + itoa(int(d)) + " in " + types.FormatDate(types.DaysOf(y, int(m), 1))[:7])
	}
	days := types.DaysOf(y, int(m), int(d))
	if days > math.MaxInt32 || days < math.MinInt32 {
		return nil, sqlerr.ArithmeticOverflow("The date", "")
	}
	return days, nil
}

// shiftZone is from_utc_timestamp (the wall clock of a zone, given that of UTC) or to_utc_timestamp, both read and shown
// in the session's zone.
func shiftZone(t int64, name string, session *time.Location, from bool) (types.Value, error) {
	zone, ok := types.ParseZone(name)
	if !ok {
		return nil, sqlerr.InvalidTimezone(name)
	}
	local := types.ToLocal(t, session)
	if from {
		return types.FromLocal(types.ToLocal(local, zone), session), nil
	}
	return types.FromLocal(types.FromLocal(local, zone), session), nil
}

func convertZone(from, to string, local int64) (types.Value, error) {
	a, ok := types.ParseZone(from)
	if !ok {
		return nil, sqlerr.InvalidTimezone(from)
	}
	b, ok := types.ParseZone(to)
	if !ok {
		return nil, sqlerr.InvalidTimezone(to)
	}
	return types.ToLocal(types.FromLocal(local, a), b), nil
}
