package expr

import (
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// fullTime is TIME as written without a precision.
func fullTime() types.Type { return types.TimeOf(types.MaxTimePrecision) }

func isTime(t types.Type) bool { return t.Kind == types.Time }

// timeFunctions are about times of day: their fields, making, parsing, cutting and subtracting them.
func timeFunctions() []Overload {
	integer, long, text, clock := types.Of(types.Int), types.Of(types.BigInt), types.Of(types.String), fullTime()
	var rows []Overload
	for _, f := range []struct {
		name      string
		unit, mod int64
	}{{"hour", types.MicrosPerHour, 24}, {"minute", types.MicrosPerMinute, 60}, {"second", types.MicrosPerSecond, 60}} {
		rows = append(rows, Overload{
			Name: f.name, Params: one(TimeOfDay), Prepare: kinds(isTime), Returns: integer, Duck: "CAST(" + f.name + "($1) AS INTEGER)",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return intOf(a[0]) / f.unit % f.mod, nil
			},
		})
	}
	rows = append(rows,
		Overload{
			Name: "make_time", Params: []Class{IntNumber, IntNumber, DecimalNumber}, Returns: clock, Duck: "tarn_make_time($1,$2,CAST(CAST($3 AS DECIMAL(38,6))*1000000 AS BIGINT))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return makeTime(intOf(a[0]), intOf(a[1]), decOf(a[2]).Rescale(6).Unscaled.Int64())
			},
		},
		Overload{Name: "time_trunc", Params: []Class{Text, TimeOfDay}, Result: typeOfSecond, Duck: "sp_time(tarn_time_trunc($1,epoch_us($2)))", Eval: evalTimeTrunc},
		Overload{
			Name: "time_diff", Params: []Class{Text, TimeOfDay, TimeOfDay}, Returns: long, Duck: "tarn_time_diff($1,epoch_us($3)-epoch_us($2))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return timeUnits("time_diff", textOf(a[0]), intOf(a[2])-intOf(a[1]))
			},
		},
		Overload{Name: "time", Params: one(AnyValue), Rewrite: func(args []Expr) (Expr, error) { return NewCast(args[0], clock, CastANSI) }},
		Overload{Name: "current_time", Returns: clock, Eval: evalCurrentTime},
		Overload{Name: "current_time", Params: one(IntNumber), Prepare: timePrecision, Result: currentTimeType, Eval: evalCurrentTime},
	)
	parse := func(name, suffix string, try bool) {
		rows = append(rows,
			Overload{
				Name: name, Params: one(StrictText), Prepare: onlyTexts, Returns: clock, Duck: "tarn_parse_clock" + suffix + "($1,'')",
				Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
					return parseClock(textOf(a[0]), "", try)
				},
			},
			Overload{
				Name: name, Params: two(StrictText), Prepare: onlyTexts, Returns: clock, Duck: "tarn_parse_clock" + suffix + "($1,$2)",
				Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
					return parseClock(textOf(a[0]), textOf(a[1]), try)
				},
			})
	}
	parse("to_time", "", false)
	parse("try_to_time", "_or_null", true)
	from := func(name string, c Class, digits int) {
		rows = append(rows, Overload{
			Name: name, Params: one(c), Prepare: strictNumber(c), Returns: clock, Duck: "tarn_clock(CAST($1 AS VARCHAR)," + itoa(digits) + ")",
			Eval: func(_ *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
				s, err := types.Cast(a[0], ts[0], text, types.CastOptions{})
				if err != nil {
					return nil, err
				}
				return clockOf(textOf(s), digits)
			},
		})
	}
	from("time_from_seconds", Numeric, 6)
	from("time_from_millis", Integral, 3)
	from("time_from_micros", Integral, 0)
	to := func(name string, unit int64) {
		rows = append(rows, Overload{
			Name: name, Params: one(TimeOfDay), Returns: long, Duck: "epoch_us($1)//" + itoa(int(unit)),
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return intOf(a[0]) / unit, nil
			},
		})
	}
	to("time_to_millis", 1000)
	to("time_to_micros", 1)
	return append(rows, Overload{
		Name: "time_to_seconds", Params: one(TimeOfDay), Returns: types.DecimalOf(14, 6), Duck: "CAST(CAST(epoch_us($1) AS DECIMAL(14,0))*0.000001 AS DECIMAL(14,6))",
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return types.NewDec(intOf(a[0]), 6), nil
		},
	})
}

// onlyTexts takes text and NULL only.
func onlyTexts(call *callSite) ([]Expr, error) {
	out := make([]Expr, len(call.args))
	for i, a := range call.args {
		if k := a.Type().Kind; !k.IsText() && k != types.Void {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, Text.String(), Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, types.Of(types.String))
	}
	return out, nil
}

// onlyKinds takes one argument of these kinds, or NULL, for a class that fits more.
func onlyKinds(c Class, kinds ...types.Kind) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		a := call.args[0]
		to, _, ok := c.fit(a.Type(), false)
		if k := a.Type().Kind; !ok || k != types.Void && !slices.Contains(kinds, k) {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, c.String(), Print(a), a.Type().SQL())
		}
		return []Expr{implicit(a, to)}, nil
	}
}

// strictNumber takes numbers of the class, and no text.
func strictNumber(c Class) func(*callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		a := call.args[0]
		k := a.Type().Kind
		if k == types.Void {
			return []Expr{implicit(a, types.Of(types.BigInt))}, nil
		}
		if !k.IsNumeric() || c == Integral && !k.IsIntegral() {
			return nil, sqlerr.UnexpectedInputType(call.sql(), 1, c.String(), Print(a), a.Type().SQL())
		}
		if k == types.Float {
			a = implicit(a, types.Of(types.Double))
		}
		return []Expr{a}, nil
	}
}

// makeTime is the time of day of a clock's parts; micros are those of the second.
func makeTime(hour, minute, micros int64) (types.Value, error) {
	second := types.FloorDiv(micros, types.MicrosPerSecond)
	switch {
	case hour < 0 || hour > 23:
		return nil, sqlerr.DatetimeFieldOutOfBounds("The hour must be from 0 to 23, not " + itoa(int(hour)))
	case minute < 0 || minute > 59:
		return nil, sqlerr.DatetimeFieldOutOfBounds("The minute must be from 0 to 59, not " + itoa(int(minute)))
	case second < 0 || second > 59:
		return nil, sqlerr.DatetimeFieldOutOfBounds("The second must be from 0 to 59, not " + itoa(int(second)))
	}
	return hour*types.MicrosPerHour + minute*types.MicrosPerMinute + micros, nil
}

// clockUnit is the length in microseconds of a unit that time_trunc and time_diff know.
func clockUnit(function, unit string) (int64, error) {
	switch strings.ToUpper(unit) {
	case "HOUR":
		return types.MicrosPerHour, nil
	case "MINUTE":
		return types.MicrosPerMinute, nil
	case "SECOND":
		return types.MicrosPerSecond, nil
	case "MILLISECOND":
		return 1000, nil
	case "MICROSECOND":
		return 1, nil
	}
	return 0, sqlerr.InvalidParameter("TIME_UNIT", "unit", function, unit, "'"+unit+"' is not a unit of "+function+", which takes HOUR, MINUTE, SECOND, MILLISECOND and MICROSECOND.")
}

// timeUnits is how many whole units a number of microseconds holds.
func timeUnits(function, unit string, micros int64) (types.Value, error) {
	u, err := clockUnit(function, unit)
	if err != nil {
		return nil, err
	}
	return micros / u, nil
}

func timeTrunc(unit string, micros int64) (types.Value, error) {
	u, err := clockUnit("time_trunc", unit)
	if err != nil {
		return nil, err
	}
	return micros / u * u, nil
}

func evalTimeTrunc(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
	return timeTrunc(textOf(a[0]), intOf(a[1]))
}

// timePrecision takes a constant number of digits of current_time.
func timePrecision(call *callSite) ([]Expr, error) {
	a := call.args[0]
	if k := a.Type().Kind; !k.IsIntegral() && !k.IsText() {
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, Integral.String(), Print(a), a.Type().SQL())
	}
	if !isConstant(a) {
		return nil, sqlerr.NonFoldableInput(call.sql(), "precision", "INT", Print(a))
	}
	if l, ok := a.(*Literal); ok && a.Type().Kind.IsText() {
		if _, err := types.Cast(l.Value, l.T, types.Of(types.Int), types.CastOptions{}); err != nil {
			return nil, err
		}
	}
	folded, ok := Fold(implicit(a, types.Of(types.Int)), &Context{ANSI: true}).(*Literal)
	if !ok {
		return nil, sqlerr.NonFoldableInput(call.sql(), "precision", "INT", Print(a))
	}
	if p := intOf(folded.Value); folded.Value == nil || p < 0 || p > types.MaxTimePrecision {
		return nil, sqlerr.ArgumentOutOfRange(call.sql(), "precision", "[0, 6]", Print(folded))
	}
	return []Expr{folded}, nil
}

func currentTimeType(args []Expr) (types.Type, error) {
	l, _ := args[0].(*Literal)
	if l == nil {
		return types.Type{}, sqlerr.Internal(errNotEvaluable)
	}
	return types.TimeOf(int(intOf(l.Value))), nil
}

func evalCurrentTime(ctx *Context, _ []types.Value, _ []types.Type, t types.Type) (types.Value, error) {
	local := types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone)
	return types.TruncTime(local-dayOf(local)*types.MicrosPerDay, t.Precision), nil
}

// clockPattern is how messages name the form that to_time reads without a pattern.
const clockPattern = "HH:mm:ss.SSSSSS"

// parseClock reads a time of day by a pattern, or as CAST does when the pattern is empty.
func parseClock(s, p string, try bool) (types.Value, error) {
	if p == "" {
		n, ok := types.ParseTime(s)
		switch {
		case ok:
			return n, nil
		case try:
			return nil, nil
		}
		return nil, sqlerr.CannotParseTime(s, clockPattern)
	}
	v, err := parseTime(s, p, nil, types.Of(types.TimestampNTZ))
	switch {
	case err == nil:
		local := intOf(v)
		return local - dayOf(local)*types.MicrosPerDay, nil
	case try:
		return nil, nil
	case errors.Is(err, sqlerr.Condition("CANNOT_PARSE_TIMESTAMP")):
		return nil, sqlerr.CannotParseTime(s, p)
	}
	return nil, err
}

// clockOf is the time of day so many units after midnight, a unit having the given digits of microseconds.
func clockOf(number string, digits int) (types.Value, error) {
	d, ok := types.ParseDec(number)
	if ok {
		d.Scale -= digits
		n := d.Trunc()
		if n.Sign() >= 0 && n.IsInt64() && n.Int64() < types.MicrosPerDay && d.Sign() >= 0 {
			return n.Int64(), nil
		}
	}
	return nil, sqlerr.DatetimeFieldOutOfBounds("A time of day must be from 00:00:00 to 23:59:59.999999; " + number + " is outside")
}

// timeOnToday is a time of day as a timestamp: that time of the current day.
func timeOnToday(e Expr, to types.Type) Expr {
	today := &Call{Fn: registry["current_date"][0], T: types.Of(types.Date)}
	row := &Overload{
		Name: "today_at", Params: []Class{DateOnly, TimeOfDay}, Returns: types.Of(types.TimestampNTZ), Duck: "($1+$2)",
		Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return intOf(a[0])*types.MicrosPerDay + intOf(a[1]), nil
		},
	}
	return implicit(&Call{Fn: row, Args: []Expr{today, e}, T: row.Returns}, to)
}

// timeOps are + and - of times of day with intervals, and their differences.
func timeOps() []Overload {
	span := types.IntervalOf(types.FieldHour, types.FieldSecond)
	var rows []Overload
	for _, op := range []string{"+", "-"} {
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		rows = append(rows, Overload{
			Name: op, Params: two(AnyValue), Prepare: timeAndInterval, Result: movedTimeType,
			Duck: "tarn_move_time(epoch_us($1),$2," + itoa(int(sign)) + ")",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return moveTime(intOf(a[0]), intOf(a[1]), sign)
			},
		})
	}
	return append(rows,
		Overload{Name: "+", Params: two(AnyValue), Prepare: timeSwapped, Rewrite: func(args []Expr) (Expr, error) { return Resolve("+", args, ResolveOptions{}) }},
		Overload{Name: "-", Params: two(AnyValue), Prepare: timePair, Returns: span, Duck: "(epoch_us($1)-epoch_us($2))", Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
			return intOf(a[0]) - intOf(a[1]), nil
		}})
}

// moveTime adds an interval to a time of day, which must stay within its day.
func moveTime(t, micros, sign int64) (types.Value, error) {
	if r := t + sign*micros; micros >= -types.MicrosPerDay && micros <= types.MicrosPerDay && r >= 0 && r < types.MicrosPerDay {
		return r, nil
	}
	return nil, sqlerr.DatetimeOverflow("The time " + types.FormatTime(t) + " with the interval")
}

// timeAndInterval takes a time of day and a day-time interval; NULL stands for the latter.
func timeAndInterval(call *callSite) ([]Expr, error) {
	a, b := call.args[0], call.args[1]
	if !isTime(a.Type()) {
		return nil, errNextRow
	}
	switch t := b.Type(); {
	case isDayTime(t):
		return call.args, nil
	case t.Kind == types.Void && call.name == "+":
		return []Expr{a, implicit(b, types.IntervalOf(types.FieldDay, types.FieldSecond))}, nil
	}
	return nil, errNextRow
}

func timeSwapped(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	if isTime(b) && (isDayTime(a) || a.Kind == types.Void) {
		return []Expr{call.args[1], call.args[0]}, nil
	}
	return nil, errNextRow
}

// movedTimeType keeps the precision, unless the interval may have a fraction of a second.
func movedTimeType(args []Expr) (types.Type, error) {
	t := args[0].Type()
	if args[1].Type().Scale == types.FieldSecond {
		t = fullTime()
	}
	return t, nil
}

// timePair takes two times of day, one of which may be text or NULL.
func timePair(call *callSite) ([]Expr, error) {
	a, b := call.args[0].Type(), call.args[1].Type()
	fits := func(x, y types.Type) bool { return isTime(x) && (isTime(y) || y.Kind.IsText() || y.Kind == types.Void) }
	switch {
	case fits(a, b) || fits(b, a):
		return []Expr{implicit(call.args[0], fullTime()), implicit(call.args[1], fullTime())}, nil
	case isTime(a) && isTemporal(b.Kind):
		return nil, sqlerr.UnexpectedInputType(call.sql(), 1, `"TIMESTAMP"`, Print(call.args[0]), a.SQL())
	case isTime(b) && isTemporal(a.Kind):
		return nil, sqlerr.UnexpectedInputType(call.sql(), 2, `"TIMESTAMP"`, Print(call.args[1]), b.SQL())
	}
	return nil, errNextRow
}

// timeGoFunctions are the GoFunctions on times of day; a time goes in as microseconds since midnight.
func timeGoFunctions() []GoFunction {
	text, long, integer, clock := types.Of(types.String), types.Of(types.BigInt), types.Of(types.Int), fullTime()
	params := func(ts ...types.Type) []types.Type { return ts }
	parse := func(name string, try bool) GoFunction {
		return GoFunction{name, params(text, text), clock, func(a []types.Value) (types.Value, error) {
			return parseClock(textOf(a[0]), textOf(a[1]), try)
		}}
	}
	return []GoFunction{
		parse("tarn_parse_clock", false), parse("tarn_parse_clock_or_null", true),
		{"tarn_make_time", params(integer, integer, long), clock, func(a []types.Value) (types.Value, error) {
			return makeTime(intOf(a[0]), intOf(a[1]), intOf(a[2]))
		}},
		{"tarn_time_trunc", params(text, long), long, func(a []types.Value) (types.Value, error) {
			return timeTrunc(textOf(a[0]), intOf(a[1]))
		}},
		{"tarn_time_diff", params(text, long), long, func(a []types.Value) (types.Value, error) {
			return timeUnits("time_diff", textOf(a[0]), intOf(a[1]))
		}},
		{"tarn_clock", params(text, integer), clock, func(a []types.Value) (types.Value, error) {
			return clockOf(textOf(a[0]), int(intOf(a[1])))
		}},
		{"tarn_move_time", params(long, long, integer), clock, func(a []types.Value) (types.Value, error) {
			return moveTime(intOf(a[0]), intOf(a[1]), intOf(a[2]))
		}},
	}
}
