package bind

import (
	"errors"
	"strings"
	"unicode"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

var intervalFields = map[string]int{
	"YEAR": types.FieldYear, "MONTH": types.FieldMonth, "DAY": types.FieldDay,
	"HOUR": types.FieldHour, "MINUTE": types.FieldMinute, "SECOND": types.FieldSecond,
}

// unitField is the field of an interval type that a unit of a literal counts for.
var unitField = map[string]int{
	"YEAR": types.FieldYear, "MONTH": types.FieldMonth,
	"WEEK": types.FieldDay, "DAY": types.FieldDay, "HOUR": types.FieldHour, "MINUTE": types.FieldMinute,
	"SECOND": types.FieldSecond, "MILLISECOND": types.FieldSecond, "MICROSECOND": types.FieldSecond,
}

// intervalLiteral binds an interval in each of its forms: INTERVAL '1' DAY, INTERVAL 1 DAY 2 HOURS,
// INTERVAL '1-2' YEAR TO MONTH and INTERVAL '1 day 2 hours'. With spark.sql.legacy.interval.enabled all are calendar
// intervals.
func (b *binder) intervalLiteral(e *ast.IntervalLit) (expr.Expr, error) {
	legacy := b.env.Context.LegacyInterval
	switch {
	case e.To != "" && len(e.Parts) == 1:
		return rangedInterval(e, legacy)
	case len(e.Parts) == 0:
		v, err := types.ParseCalendar(e.Text)
		if err != nil {
			return nil, sqlerr.InvalidTypedLiteral("INTERVAL", e.Text)
		}
		return unitsInterval(v, unitWords(e.Text), e.Text, legacy)
	}
	var text strings.Builder
	units := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		if strings.ContainsFunc(p.Value, unicode.IsLetter) {
			return nil, sqlerr.CannotParseInterval(p.Value + " " + p.Unit)
		}
		text.WriteString(" " + p.Value + " " + strings.ToLower(p.Unit))
		units[i] = p.Unit
	}
	v, err := types.ParseCalendar(text.String())
	if err != nil {
		return nil, err
	}
	return unitsInterval(v, units, strings.TrimSpace(text.String()), legacy)
}

// rangedInterval reads INTERVAL '…' first TO last.
func rangedInterval(e *ast.IntervalLit, legacy bool) (expr.Expr, error) {
	p := e.Parts[0]
	start, ok := intervalFields[p.Unit]
	end, ok2 := intervalFields[e.To]
	if !ok || !ok2 || start >= end || (start <= types.FieldMonth) != (end <= types.FieldMonth) {
		return nil, sqlerr.InvalidIntervalFormat("UNSUPPORTED_FROM_TO_EXPRESSION", p.Value, p.Unit+" TO "+e.To)
	}
	t := types.IntervalOf(start, end)
	v, err := types.ReadInterval(p.Value, t)
	if err != nil {
		return nil, err
	}
	if !legacy {
		return &expr.Literal{Value: v, T: t}, nil
	}
	var iv types.Interval
	if t.Kind == types.YearMonthInterval {
		iv.Months = int32(v)
	} else {
		days := v / types.MicrosPerDay
		iv.Days, iv.Micros = int32(days), v-days*types.MicrosPerDay
	}
	return calendarLiteral(iv), nil
}

// unitWords are the units in the text of a literal, upper case and singular.
func unitWords(text string) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		w = strings.TrimSuffix(strings.ToUpper(w), "S")
		if w != "INTERVAL" && !strings.ContainsFunc(w, func(r rune) bool { return r < 'A' || r > 'Z' }) {
			out = append(out, w)
		}
	}
	return out
}

// unitsInterval gives an interval the type that its units ask for.
func unitsInterval(v types.Interval, units []string, text string, legacy bool) (expr.Expr, error) {
	if legacy {
		return calendarLiteral(v), nil
	}
	lo, hi := types.FieldSecond, types.FieldYear
	for _, u := range units {
		f, ok := unitField[u]
		if !ok {
			return nil, sqlerr.CannotParseInterval(text)
		}
		lo, hi = min(lo, f), max(hi, f)
	}
	switch {
	case lo <= types.FieldMonth && hi > types.FieldMonth:
		return nil, sqlerr.MixedInterval(text)
	case hi <= types.FieldMonth:
		return &expr.Literal{Value: int64(v.Months), T: types.IntervalOf(lo, hi)}, nil
	}
	micros, ok := v.DayTimeMicros()
	if !ok {
		return nil, sqlerr.IntervalOverflow()
	}
	return &expr.Literal{Value: micros, T: types.IntervalOf(lo, hi)}, nil
}

func calendarLiteral(v types.Interval) *expr.Literal {
	return &expr.Literal{Value: v, T: types.Of(types.CalendarInterval)}
}

// intervalSeconds is the length of the interval of SET TIME ZONE, in seconds; false when it has months, a fraction of
// a second or more than 18 hours.
func intervalSeconds(e *ast.IntervalLit) (seconds int64, err error) {
	b := &binder{env: Env{Context: &expr.Context{ANSI: true, LegacyInterval: true}}}
	x, err := b.intervalLiteral(e)
	if err != nil {
		return 0, err
	}
	l, _ := x.(*expr.Literal)
	if l == nil {
		return 0, sqlerr.Internal(errors.New("an interval that is no constant"))
	}
	v, _ := l.Value.(types.Interval)
	const limit = 18 * types.MicrosPerHour
	if v.Months != 0 || v.Days != 0 || v.Micros > limit || v.Micros < -limit || v.Micros%types.MicrosPerSecond != 0 {
		return 0, sqlerr.InvalidIntervalFormat("TIMEZONE_INTERVAL_OUT_OF_RANGE", strings.TrimSpace(e.String()), "")
	}
	return v.Micros / types.MicrosPerSecond, nil
}

// ZoneOffset is the offset from UTC that the interval of SET TIME ZONE means, such as +02:00.
func ZoneOffset(e *ast.IntervalLit) (string, error) {
	seconds, err := intervalSeconds(e)
	if err != nil {
		return "", err
	}
	return types.FormatOffset(seconds), nil
}
