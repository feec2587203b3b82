package expr

import (
	"math/big"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// dateUnitFunctions take the name of a unit or field as a constant first argument: timestampadd(unit, n, t),
// timestampdiff(unit, a, b) and their synonyms, date_part(field, t) and extract, whose field the caller passes as text.
func dateUnitFunctions() []Overload {
	var rows []Overload
	three := []Class{AnyValue, AnyValue, AnyValue}
	for _, n := range []string{"timestampadd", "dateadd", "date_add"} {
		rows = append(rows, Overload{Name: n, Params: three, Rewrite: rewriteTimestampAdd})
	}
	for _, n := range []string{"timestampdiff", "datediff", "date_diff"} {
		rows = append(rows, Overload{Name: n, Params: three, Rewrite: rewriteTimestampDiff})
	}
	for _, n := range []string{"date_part", "datepart", "extract"} {
		rows = append(rows, Overload{Name: n, Params: two(AnyValue), Rewrite: rewriteExtract})
	}
	return append(append(rows, intervalFields()...), calendarFields()...)
}

// unitText is the constant unit or field, in upper case.
func unitText(e Expr) (string, error) {
	if l, ok := Fold(e, &Context{ANSI: true}).(*Literal); ok {
		if s, ok := l.Value.(string); ok {
			return strings.ToUpper(s), nil
		}
	}
	return "", sqlerr.NonFoldableInput("extract("+Print(e)+")", "field", e.Type().SQL(), Print(e))
}

// unitSize is the size of a unit in microseconds, or in months.
func unitSize(unit string) (micros, months int64, ok bool) {
	switch strings.TrimSuffix(unit, "S") {
	case "MICROSECOND":
		return 1, 0, true
	case "MILLISECOND":
		return 1000, 0, true
	case "SECOND":
		return types.MicrosPerSecond, 0, true
	case "MINUTE":
		return types.MicrosPerMinute, 0, true
	case "HOUR":
		return types.MicrosPerHour, 0, true
	case "DAY", "DAYOFYEAR":
		return types.MicrosPerDay, 0, true
	case "WEEK":
		return 7 * types.MicrosPerDay, 0, true
	case "MONTH":
		return 0, 1, true
	case "QUARTER":
		return 0, 3, true
	case "YEAR":
		return 0, 12, true
	}
	return 0, 0, false
}

func badUnit(function, unit string) error {
	return sqlerr.InvalidParameter("DATETIME_UNIT", "unit", function, unit, "'"+unit+"' is not a unit of time for "+function+".")
}

// temporalArg is a TIMESTAMP_NTZ as it is, anything else as TIMESTAMP.
func temporalArg(e Expr, function string, position int) (Expr, error) {
	if e.Type().Kind == types.TimestampNTZ {
		return e, nil
	}
	to, _, ok := Instant.fit(e.Type(), isConstant(e))
	if !ok {
		return nil, sqlerr.UnexpectedInputType(function+"(…)", position, Instant.String(), Print(e), e.Type().SQL())
	}
	return implicit(e, to), nil
}

func rewriteTimestampAdd(args []Expr) (Expr, error) {
	unit, err := unitText(args[0])
	if err != nil {
		return nil, err
	}
	micros, months, ok := unitSize(unit)
	if !ok {
		return nil, badUnit("timestampadd", unit)
	}
	t, err := temporalArg(args[2], "timestampadd", 3)
	if err != nil {
		return nil, err
	}
	to, _, ok := LongNumber.fit(args[1].Type(), false)
	if !ok {
		return nil, sqlerr.UnexpectedInputType("timestampadd(…)", 2, LongNumber.String(), Print(args[1]), args[1].Type().SQL())
	}
	n := implicit(args[1], to)
	row := Overload{Name: "timestampadd", Params: []Class{LongNumber, Temporal}, Result: typeOfSecond}
	local := micros >= types.MicrosPerDay
	switch {
	case months > 0:
		row.Duck = "$2 + to_months(CAST($1*" + itoa(int(months)) + " AS INTEGER))"
	case local:
		row.Duck = "$2 + to_days(CAST($1*" + itoa(int(micros/types.MicrosPerDay)) + " AS INTEGER))"
	default:
		row.Duck = "$2 + to_microseconds($1*" + itoa(int(micros)) + ")"
	}
	row.Eval = func(ctx *Context, a []types.Value, ts []types.Type, t types.Type) (types.Value, error) {
		if months > 0 {
			n := intOf(a[0]) * months
			if n != int64(int32(n)) || intOf(a[0]) != int64(int32(intOf(a[0]))) {
				return nil, sqlerr.DatetimeOverflow("")
			}
			return addMonths(intOf(a[1]), n, t.Kind, ctx)
		}
		d := new(big.Int).Mul(big.NewInt(intOf(a[0])), big.NewInt(micros))
		if !d.IsInt64() {
			return nil, sqlerr.DatetimeOverflow("")
		}
		if local {
			return addDayTime(intOf(a[1]), d.Int64(), t.Kind, ctx)
		}
		r := intOf(a[1]) + d.Int64()
		if (r > intOf(a[1])) != (d.Sign() > 0) && d.Sign() != 0 {
			return nil, sqlerr.DatetimeOverflow("")
		}
		return r, nil
	}
	return &Call{Fn: &row, Args: []Expr{n, t}, T: t.Type()}, nil
}

func typeOfSecond(args []Expr) (types.Type, error) { return args[1].Type(), nil }

func rewriteTimestampDiff(args []Expr) (Expr, error) {
	unit, err := unitText(args[0])
	if err != nil {
		return nil, err
	}
	micros, months, ok := unitSize(unit)
	if !ok {
		return nil, badUnit("timestampdiff", unit)
	}
	a, err := temporalArg(args[1], "timestampdiff", 2)
	if err != nil {
		return nil, err
	}
	b, err := temporalArg(args[2], "timestampdiff", 3)
	if err != nil {
		return nil, err
	}
	row := Overload{Name: "timestampdiff", Params: two(Temporal), Returns: types.Of(types.BigInt)}
	if months > 0 {
		row.Duck = "CAST(sp_months_full(CAST($1 AS TIMESTAMP),CAST($2 AS TIMESTAMP))//" + itoa(int(months)) + " AS BIGINT)"
	} else {
		row.Duck = "(epoch_us(CAST($2 AS TIMESTAMP))-epoch_us(CAST($1 AS TIMESTAMP)))//" + itoa(int(micros))
	}
	row.Eval = func(ctx *Context, v []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
		x, y := localMicros(v[0], ts[0], ctx), localMicros(v[1], ts[1], ctx)
		if months == 0 {
			return (y - x) / micros, nil
		}
		return wholeMonths(x, y) / months, nil
	}
	return &Call{Fn: &row, Args: []Expr{a, b}, T: row.Returns}, nil
}

// wholeMonths counts full months from a to b, by java.time's rule.
func wholeMonths(a, b int64) int64 {
	da, db := dayOf(a), dayOf(b)
	ta, tb := a-da*types.MicrosPerDay, b-db*types.MicrosPerDay
	switch {
	case db > da && tb < ta:
		db--
	case db < da && tb > ta:
		db++
	}
	packed := func(d int64) int64 {
		y, m, n := types.DateOf(d)
		return (y*12+int64(m)-1)*32 + int64(n)
	}
	return (packed(db) - packed(da)) / 32
}

// extractField maps the fields of extract to the functions that give them.
func extractField(f string) string {
	switch f {
	case "YEAR", "Y", "YEARS", "YR", "YRS":
		return "year"
	case "YEAROFWEEK":
		return "yearofweek"
	case "QUARTER", "QTR":
		return "quarter"
	case "MONTH", "MON", "MONS", "MONTHS":
		return "month"
	case "WEEK", "W", "WEEKS":
		return "weekofyear"
	case "DAY", "D", "DAYS":
		return "day"
	case "DAYOFWEEK", "DOW":
		return "dayofweek"
	case "DAYOFWEEK_ISO", "DOW_ISO":
		return "dayofweek_iso"
	case "DOY":
		return "dayofyear"
	case "HOUR", "H", "HOURS", "HR", "HRS":
		return "hour"
	case "MINUTE", "M", "MIN", "MINS", "MINUTES":
		return "minute"
	case "SECOND", "S", "SEC", "SECONDS", "SECS":
		return "second"
	}
	return ""
}

func rewriteExtract(args []Expr) (Expr, error) {
	if l, ok := Fold(args[0], &Context{ANSI: true}).(*Literal); ok && l.Value == nil {
		return &Literal{T: types.Of(types.Double)}, nil
	}
	unit, err := unitText(args[0])
	if err != nil {
		return nil, sqlerr.NonFoldableArgument("date_part", "field", "STRING")
	}
	field := extractField(unit)
	t := args[1].Type()
	switch {
	case field == "":
		return nil, sqlerr.UnknownExtractField(unit, Print(args[1]))
	case isCalendar(t):
		if _, known := registry["interval "+field]; !known {
			return nil, sqlerr.UnknownExtractField(unit, Print(args[1]))
		}
		return Resolve("interval "+field, args[1:], ResolveOptions{})
	case t.Kind == types.YearMonthInterval || t.Kind == types.DayTimeInterval:
		ok := map[string]int{"year": types.FieldYear, "month": types.FieldMonth, "day": types.FieldDay, "hour": types.FieldHour, "minute": types.FieldMinute, "second": types.FieldSecond}
		f, known := ok[field]
		if !known || f < t.Precision || f > t.Scale {
			return nil, sqlerr.UnknownExtractField(unit, Print(args[1]))
		}
		return Resolve("interval "+field, args[1:], ResolveOptions{})
	case isTime(t) && field != "hour" && field != "minute" && field != "second":
		return nil, sqlerr.UnknownExtractField(unit, Print(args[1]))
	case field == "second":
		return secondsOf(args[1])
	}
	return Resolve(field, args[1:], ResolveOptions{})
}

// secondsOf is the second with its fraction, DECIMAL(8,6).
func secondsOf(e Expr) (Expr, error) {
	if isTime(e.Type()) {
		row := Overload{
			Name: "seconds", Params: one(TimeOfDay), Returns: types.DecimalOf(8, 6), Duck: "CAST(CAST(epoch_us($1)%60000000 AS DECIMAL(10,0))*0.000001 AS DECIMAL(8,6))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return types.NewDec(intOf(a[0])%types.MicrosPerMinute, 6), nil
			},
		}
		return &Call{Fn: &row, Args: []Expr{e}, T: row.Returns}, nil
	}
	t, err := temporalArg(e, "extract", 2)
	if err != nil {
		return nil, err
	}
	row := Overload{
		Name: "seconds", Params: one(Temporal), Returns: types.DecimalOf(8, 6), Duck: "CAST(CAST(microsecond(CAST($1 AS TIMESTAMP)) AS DECIMAL(10,0))*0.000001 AS DECIMAL(8,6))",
		Eval: func(ctx *Context, a []types.Value, ts []types.Type, _ types.Type) (types.Value, error) {
			v := localMicros(a[0], ts[0], ctx)
			return types.NewDec(v-types.FloorDiv(v, types.MicrosPerMinute)*types.MicrosPerMinute, 6), nil
		},
	}
	return &Call{Fn: &row, Args: []Expr{t}, T: row.Returns}, nil
}

// intervalFields are the fields of intervals; their names with a blank cannot be called from SQL.
func intervalFields() []Overload {
	part := func(name string, c Class, ret types.Type, duck string, f func(int64) int64) Overload {
		return Overload{
			Name: "interval " + name, Params: one(c), Returns: ret, Duck: duck,
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return f(intOf(a[0])), nil
			},
		}
	}
	integer, tiny := types.Of(types.Int), types.Of(types.TinyInt)
	return []Overload{
		part("year", YearMonth, integer, "CAST($1//12 AS INTEGER)", func(n int64) int64 { return n / 12 }),
		part("month", YearMonth, tiny, "CAST($1%12 AS TINYINT)", func(n int64) int64 { return n % 12 }),
		part("day", DayTime, integer, "CAST($1//86400000000 AS INTEGER)", func(n int64) int64 { return n / types.MicrosPerDay }),
		part("hour", DayTime, tiny, "CAST($1//3600000000%24 AS TINYINT)", func(n int64) int64 { return n / types.MicrosPerHour % 24 }),
		part("minute", DayTime, tiny, "CAST($1//60000000%60 AS TINYINT)", func(n int64) int64 { return n / types.MicrosPerMinute % 60 }),
		{
			Name: "interval second", Params: one(DayTime), Returns: types.DecimalOf(8, 6), Duck: "CAST(CAST($1%60000000 AS DECIMAL(10,0))*0.000001 AS DECIMAL(8,6))",
			Eval: func(_ *Context, a []types.Value, _ []types.Type, _ types.Type) (types.Value, error) {
				return types.NewDec(intOf(a[0])%types.MicrosPerMinute, 6), nil
			},
		},
	}
}
