package expr

import (
	"errors"
	"time"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// makeTimestampFunctions are make_timestamp and its kin: of the parts of a clock, or of a date and a time of day, each
// with a zone where the result is an instant. The try_ forms give NULL for parts that make no time.
func makeTimestampFunctions() []Overload {
	var rows []Overload
	for _, f := range []struct {
		name string
		kind types.Kind
	}{{"make_timestamp", types.Timestamp}, {"make_timestamp_ltz", types.Timestamp}, {"make_timestamp_ntz", types.TimestampNTZ}} {
		for _, try := range []bool{false, true} {
			name := f.name
			if try {
				name = "try_" + name
			}
			rows = append(rows, timestampOfParts(name, types.Of(f.kind), try)...)
			rows = append(rows, timestampOfDay(name, types.Of(f.kind))...)
		}
	}
	return rows
}

// timestampOfParts are the signatures year, month, day, hour, minute, second[, zone].
func timestampOfParts(name string, ret types.Type, try bool) []Overload {
	parts := []Class{IntNumber, IntNumber, IntNumber, IntNumber, IntNumber, DecimalNumber}
	ltz := ret.Kind == types.Timestamp
	eval := func(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		zone := ""
		if len(a) > 6 {
			zone = textOf(a[6])
		}
		v, err := makeTimestamp(a, zone, ctx.Zone, ltz)
		if err != nil && try && !errors.Is(err, sqlerr.Condition("INVALID_TIMEZONE")) {
			return nil, nil
		}
		return v, err
	}
	call := "tarn_make_timestamp($1,$2,$3,$4,$5,CAST($6 AS DOUBLE))"
	if try {
		call = "tarn_try_make_timestamp($1,$2,$3,$4,$5,CAST($6 AS DOUBLE))"
	}
	withZone := "tarn_in_zone(" + call + ",$7)"
	if ltz {
		call = "sp_instant(" + call + ")"
	}
	rows := []Overload{{Name: name, Params: parts, Returns: ret, Duck: call, Eval: eval}}
	if ltz {
		rows = append(rows, Overload{Name: name, Params: append(append([]Class{}, parts...), Text), Returns: ret, Duck: withZone, Eval: eval})
	}
	return rows
}

// timestampOfDay are the signatures date[, time[, zone]].
func timestampOfDay(name string, ret types.Type) []Overload {
	ltz := ret.Kind == types.Timestamp
	eval := func(ctx *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
		local := intOf(a[0]) * types.MicrosPerDay
		if len(a) > 1 {
			local += intOf(a[1])
		}
		if !ltz {
			return local, nil
		}
		zone := ctx.Zone
		if len(a) > 2 {
			z, ok := types.ParseZone(textOf(a[2]))
			if !ok {
				return nil, sqlerr.InvalidTimezone(textOf(a[2]))
			}
			zone = z
		}
		return types.FromLocal(local, zone), nil
	}
	row := func(duck string, classes ...Class) Overload {
		return Overload{Name: name, Params: classes, Prepare: dayAndTime, Returns: ret, Duck: duck, Eval: eval}
	}
	if !ltz {
		return []Overload{row("($1+$2)", DateOnly, TimeOfDay)}
	}
	rows := []Overload{
		row("sp_instant($1+$2)", DateOnly, TimeOfDay),
		row("tarn_in_zone($1+$2,$3)", DateOnly, TimeOfDay, Text),
	}
	if name == "make_timestamp" || name == "try_make_timestamp" {
		rows = append(rows, row("sp_instant(CAST($1 AS TIMESTAMP))", DateOnly))
	}
	return rows
}

// dayAndTime takes a DATE, a TIME and the name of a zone as they are.
func dayAndTime(call *callSite) ([]Expr, error) {
	out := make([]Expr, len(call.args))
	for i, a := range call.args {
		k := a.Type().Kind
		fits, to, class := false, types.Of(types.Date), DateOnly
		switch i {
		case 0:
			fits = k == types.Date
		case 1:
			fits, class = k == types.Time, TimeOfDay
			if to = a.Type(); k == types.Void {
				to = fullTime()
			}
		default:
			fits, to, class = k.IsText(), types.Of(types.String), Text
		}
		if !fits && k != types.Void {
			return nil, sqlerr.UnexpectedInputType(call.sql(), i+1, class.String(), Print(a), a.Type().SQL())
		}
		out[i] = implicit(a, to)
	}
	return out, nil
}

// makeTimestamp builds a timestamp of parts; second 60 without a fraction rolls over.
func makeTimestamp(a []types.Value, zoneName string, session *time.Location, ltz bool) (types.Value, error) {
	local, err := makeLocal(intOf(a[0]), intOf(a[1]), intOf(a[2]), intOf(a[3]), intOf(a[4]), decOf(a[5]).Rescale(6).Unscaled.Int64())
	if err != nil || !ltz {
		return local, err
	}
	if zoneName != "" {
		zone, ok := types.ParseZone(zoneName)
		if !ok {
			return nil, sqlerr.InvalidTimezone(zoneName)
		}
		session = zone
	}
	return types.FromLocal(intOf(local), session), nil
}

func makeLocal(y, m, d, hour, minute, micros int64) (types.Value, error) {
	days, err := makeDate(y, m, d)
	if err != nil {
		return nil, err
	}
	switch {
	case hour < 0 || hour > 23:
		return nil, sqlerr.DatetimeFieldOutOfBounds("The hour must be from 0 to 23, not " + itoa(int(hour)))
	case minute < 0 || minute > 59:
		return nil, sqlerr.DatetimeFieldOutOfBounds("The minute must be from 0 to 59, not " + itoa(int(minute)))
	case micros > 60*types.MicrosPerSecond && micros < 61*types.MicrosPerSecond:
		return nil, sqlerr.InvalidFractionOfSecond(types.NewDec(micros, 6).String())
	case micros < 0 || micros > 60*types.MicrosPerSecond:
		return nil, sqlerr.DatetimeFieldOutOfBounds("Seconds must be from 0 to 60, not " + types.NewDec(micros, 6).String())
	}
	return intOf(days)*types.MicrosPerDay + hour*types.MicrosPerHour + minute*types.MicrosPerMinute + micros, nil
}
