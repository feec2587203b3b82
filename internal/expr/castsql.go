package expr

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/types"
)

// raise is a DuckDB call that fails with a condition; details are texts of SQL expressions for the parameters, in the
// order of the condition's constructor in sqlerr. See sqlerr.FromEngine.
func raise(condition string, details ...string) string {
	s := "error('[" + condition + "]'"
	for i, d := range details {
		if i > 0 {
			s += "||chr(31)"
		}
		s += "||" + d
	}
	return s + ")"
}

// fail is what a cast does with a value that does not cast: raise in ANSI mode, else NULL.
func fail(mode CastMode, condition string, details ...string) string {
	if mode != CastANSI {
		return "NULL"
	}
	return raise(condition, details...)
}

// TodayVariable is a variable of the engine's connection, a DATE: the day on which the statement started, in the session's zone.
// SQL that CastSQL makes may read it.
const TodayVariable = "tarn_today"

const todaySQL = "CAST(getvariable('" + TodayVariable + "') AS DATE)"

// CastSQL is the DuckDB text of CAST(arg AS to), arg being of type from, with Spark's meaning in the mode. It may
// call the macros of Macros and the functions of GoFunctions.
func CastSQL(arg string, from, to types.Type, mode CastMode) string {
	if DuckType(from) == DuckType(to) && (from.Kind == to.Kind && !from.Kind.IsNested() || from.Kind.IsText() && to.Kind.IsText()) {
		if from.Kind != types.DayTimeInterval && from.Kind != types.YearMonthInterval && from.Kind != types.Time {
			return arg
		}
	}
	if from.Kind == types.Void {
		// The value is NULL, but it may be one that raises an error when it is looked at.
		return "CAST(" + arg + " AS " + DuckType(to) + ")"
	}
	a := wrapArg([]string{arg}, 0)
	mode = types.ModeOf(from, to, mode)
	switch {
	case to.Kind.IsText():
		if mode == CastLegacy && from.Kind == types.Decimal {
			return "tarn_decimal_legacy_text(CAST(" + a + " AS VARCHAR))"
		}
		return textSQL(a, from)
	case from.Kind.IsText():
		return fromTextSQL(a, to, mode)
	case to.Kind.IsNested():
		return nestedSQL(a, from, to, mode)
	}
	switch to.Kind {
	case types.Boolean:
		if from.Kind == types.Timestamp {
			return "epoch_us(" + a + ")<>0"
		}
		return "(" + a + "<>0)"
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		return toIntegerSQL(a, from, to, mode)
	case types.Float, types.Double:
		return toFloatSQL(a, from, to)
	case types.Decimal:
		return toDecimalSQL(a, from, to, mode)
	case types.Date:
		return "CAST(" + a + " AS DATE)"
	case types.Timestamp, types.TimestampNTZ:
		return toTimestampSQL(a, from, to, mode)
	case types.Time:
		return toTimeSQL(a, from, to)
	case types.YearMonthInterval, types.DayTimeInterval:
		return toIntervalSQL(a, from, to, mode)
	case types.Binary:
		if from.Kind.IsIntegral() {
			width := map[types.Kind]int{types.TinyInt: 2, types.SmallInt: 4, types.Int: 8, types.BigInt: 16}[from.Kind]
			return "unhex(right(lpad(hex(CAST(" + a + " AS BIGINT)),16,'0')," + strconv.Itoa(width) + "))"
		}
	}
	return "CAST(" + a + " AS " + DuckType(to) + ")"
}

// textSQL is CAST(x AS STRING).
func textSQL(a string, from types.Type) string {
	switch from.Kind {
	case types.Binary:
		return "tarn_text(" + a + ")"
	case types.Float:
		return "tarn_float_text(" + a + ")"
	case types.Double:
		return "tarn_double_text(" + a + ")"
	case types.Decimal:
		if from.Precision == from.Scale {
			return "regexp_replace(CAST(" + a + " AS VARCHAR),'^(-?)\\.','\\10.')"
		}
	case types.Date:
		return "sp_date_text(" + a + ")"
	case types.Timestamp:
		return "sp_timestamp_text(CAST(" + a + " AS TIMESTAMP))"
	case types.TimestampNTZ:
		return "sp_timestamp_text(" + a + ")"
	case types.DayTimeInterval:
		return "tarn_interval_text(" + a + "," + strconv.Itoa(from.Precision) + "," + strconv.Itoa(from.Scale) + ")"
	case types.YearMonthInterval:
		return "tarn_interval_text(CAST(" + a + " AS BIGINT)," + strconv.Itoa(from.Precision) + "," + strconv.Itoa(from.Scale) + ")"
	case types.CalendarInterval:
		return "tarn_calendar_text(" + a + ")"
	case types.Array:
		x := lambdaVar(a)
		return "CASE WHEN " + a + " IS NOT NULL THEN '['||coalesce(array_to_string(list_transform(" + a + ", lambda " + x + ": coalesce(" + CastSQL(x, *from.Elem, types.Of(types.String), CastANSI) + ",'null')),', '),'')||']' END"
	case types.Map:
		x := lambdaVar(a)
		k := wrapArg([]string{CastSQL(x+".key", *from.Key, types.Of(types.String), CastANSI)}, 0)
		e := "coalesce(" + CastSQL(x+".value", *from.Elem, types.Of(types.String), CastANSI) + ",'null')"
		return "CASE WHEN " + a + " IS NOT NULL THEN '{'||coalesce(array_to_string(list_transform(map_entries(" + a + "), lambda " + x + ": " + k + "||' -> '||" + e + "),', '),'')||'}' END"
	case types.Struct:
		parts := make([]string, len(from.Fields))
		for i, f := range from.Fields {
			field := "struct_extract(" + a + ", " + DuckString(DuckFieldName(from, i)) + ")"
			parts[i] = "coalesce(" + CastSQL(field, f.Type, types.Of(types.String), CastANSI) + ",'null')"
		}
		return "CASE WHEN " + a + " IS NOT NULL THEN '{'||" + joinParts(parts) + "||'}' END"
	}
	return "CAST(" + a + " AS VARCHAR)"
}

func joinParts(parts []string) string {
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, "||', '||")
}

// fromTextSQL parses text. Every parser trims, and is strict where DuckDB is lenient.
func fromTextSQL(a string, to types.Type, mode CastMode) string {
	bad := func(name string) string {
		if mode != CastANSI {
			return "NULL"
		}
		return raise("CAST_INVALID_INPUT", a, "'STRING'", "'"+name+"'")
	}
	guard := func(test, value string) string {
		s := "CASE WHEN " + test + " THEN " + value
		if mode == CastANSI {
			s += " WHEN " + a + " IS NOT NULL THEN " + bad(to.SQL())
		}
		return s + " END"
	}
	switch to.Kind {
	case types.Binary:
		return "encode(" + a + ")"
	case types.Boolean:
		return guard("lower(sp_trim("+a+")) IN ('t','true','y','yes','1')", "true WHEN lower(sp_trim("+a+")) IN ('f','false','n','no','0') THEN false")
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		if mode == CastLegacy {
			return "TRY_CAST(CASE WHEN regexp_full_match(sp_trim(" + a + "),'[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)') THEN coalesce(nullif(regexp_extract(sp_trim(" + a + "),'^[+-]?[0-9]*'),''),'0') END AS " + DuckType(to) + ")"
		}
		return guard("TRY_CAST(sp_integer("+a+") AS "+DuckType(to)+") IS NOT NULL", "TRY_CAST(sp_integer("+a+") AS "+DuckType(to)+")")
	case types.Double, types.Float:
		fn := "tarn_text_double(" + a + ")"
		plain := "regexp_full_match(" + a + ",'[+-]?[0-9]+([.][0-9]+)?')"
		if to.Kind == types.Float {
			return "sp_float(" + "CASE WHEN " + plain + " THEN CAST(" + a + " AS DOUBLE) " + fallthroughSQL(a, fn, bad(to.SQL()), mode) + " END)"
		}
		return "CASE WHEN " + plain + " THEN CAST(" + a + " AS DOUBLE) " + fallthroughSQL(a, fn, bad(to.SQL()), mode) + " END"
	case types.Decimal:
		t := DuckType(to)
		text := "CASE WHEN regexp_full_match(sp_trim(" + a + "),'[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?') THEN tarn_text_decimal(" + a + "," + strconv.Itoa(to.Precision) + "," + strconv.Itoa(to.Scale) + ")"
		if mode == CastANSI {
			text += " WHEN " + a + " IS NOT NULL THEN " + bad(to.SQL())
			return "CAST(" + "sp_decimal(" + text + " END," + a + "," + strconv.Itoa(to.Precision) + "," + strconv.Itoa(to.Scale) + ") AS " + t + ")"
		}
		return "CAST(nullif(" + text + " END,'') AS " + t + ")"
	case types.Date:
		return "CASE WHEN regexp_full_match(" + a + ",'[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])') THEN CAST(" + a + " AS DATE) " + fallthroughSQL(a, "tarn_text_date("+a+")", bad("DATE"), mode) + " END"
	case types.Timestamp:
		// The zone's rules for skipped and repeated times are not DuckDB's, so the short way is for UTC alone.
		return "CASE WHEN current_setting('TimeZone')='UTC' AND " + strictTimestamp(a) + " THEN CAST(" + a + " AS TIMESTAMPTZ) " + fallthroughSQL(a, "coalesce(tarn_text_timestamp("+a+",current_setting('TimeZone')),sp_instant("+todaySQL+"+tarn_text_clock("+a+")))", bad("TIMESTAMP"), mode) + " END"
	case types.TimestampNTZ:
		return "CASE WHEN " + strictTimestamp(a) + " THEN CAST(" + a + " AS TIMESTAMP) " + fallthroughSQL(a, "tarn_text_ntz("+a+")", bad("TIMESTAMP_NTZ"), mode) + " END"
	case types.CalendarInterval:
		return "tarn_text_calendar(" + a + ")"
	case types.Time:
		v := "tarn_text_time(" + a + ")"
		if mode == CastANSI {
			v = "CASE WHEN " + a + " IS NOT NULL THEN coalesce(" + v + "," + bad(to.SQL()) + ") END"
		}
		return toTimeSQL(v, fullTime(), to)
	case types.YearMonthInterval, types.DayTimeInterval:
		fn := "tarn_text_interval("
		if mode == CastANSI {
			fn = "tarn_read_interval("
		}
		v := fn + a + "," + strconv.Itoa(to.Precision) + "," + strconv.Itoa(to.Scale) + ")"
		return "CAST(" + v + " AS " + DuckType(to) + ")"
	}
	return "CAST(" + a + " AS " + DuckType(to) + ")"
}

// strictTimestamp tests for the one form that DuckDB reads as Spark does; the day is checked by not reaching 29.
func strictTimestamp(a string) string {
	return "regexp_full_match(" + a + ",'[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?')"
}

// fallthroughSQL is the end of a CASE whose quick way did not match: the Go parser, and an error when that gives NULL.
func fallthroughSQL(a, parser, bad string, mode CastMode) string {
	if mode != CastANSI {
		return "ELSE " + parser
	}
	return "WHEN " + a + " IS NOT NULL THEN coalesce(" + parser + "," + bad + ")"
}

func toIntegerSQL(a string, from, to types.Type, mode CastMode) string {
	t := DuckType(to)
	lo, hi := types.IntRange(to.Kind)
	overflow := fail(mode, "CAST_OVERFLOW", textSQL(a, from), "'"+from.SQL()+"'", "'"+to.SQL()+"'")
	ranged := func(whole string) string {
		if mode == CastLegacy {
			return wrapSQL("CAST("+whole+" AS HUGEINT)", to)
		}
		return "CASE WHEN " + whole + " BETWEEN " + strconv.FormatInt(lo+boolInt(to.Kind == types.BigInt), 10) + lowFix(to.Kind) + " AND " + strconv.FormatInt(hi, 10) + " THEN CAST(" + whole + " AS " + t + ") WHEN " + a + " IS NOT NULL THEN " + overflow + " END"
	}
	switch from.Kind {
	case types.Boolean:
		return "CAST(" + a + " AS " + t + ")"
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		if to.Kind >= from.Kind {
			return "CAST(" + a + " AS " + t + ")"
		}
		return ranged(a)
	case types.Float, types.Double:
		d := a
		if from.Kind == types.Float {
			d = "CAST(" + a + " AS DOUBLE)"
		}
		if mode == CastLegacy {
			wide := "tarn_double_int(" + d + "," + strconv.FormatBool(to.Kind == types.BigInt) + ")"
			return ranged(wide)
		}
		if to.Kind == types.BigInt {
			return "CASE WHEN trunc(" + d + ")=9223372036854775808::DOUBLE THEN 9223372036854775807 WHEN trunc(" + d + ")>=-9223372036854775808::DOUBLE AND trunc(" + d + ")<9223372036854775808::DOUBLE THEN CAST(trunc(" + d + ") AS BIGINT) WHEN " + a + " IS NOT NULL THEN " + overflow + " END"
		}
		return "CASE WHEN trunc(" + d + ") BETWEEN " + strconv.FormatInt(lo, 10) + " AND " + strconv.FormatInt(hi, 10) + " THEN CAST(trunc(" + d + ") AS " + t + ") WHEN " + a + " IS NOT NULL THEN " + overflow + " END"
	case types.Decimal:
		if from.Scale == 0 {
			return ranged(a)
		}
		return ranged("trunc(" + a + ")")
	case types.Timestamp:
		whole := "sp_floor_div(epoch_us(" + a + "),1000000)"
		if to.Kind == types.BigInt {
			return whole
		}
		return ranged(whole)
	case types.Time:
		return ranged("(epoch_us(" + a + ")//1000000)")
	case types.YearMonthInterval:
		if from.Scale == types.FieldYear {
			return ranged("(" + a + "//12)")
		}
		return ranged(a)
	case types.DayTimeInterval:
		return ranged("(" + a + "//" + strconv.FormatInt(microsOf(from.Scale), 10) + ")")
	}
	return "CAST(" + a + " AS " + t + ")"
}

// wrapSQL cuts a HUGEINT to the width of an integer type, as Java's narrowing does.
func wrapSQL(whole string, to types.Type) string {
	lo, _ := types.IntRange(to.Kind)
	low := "(" + strconv.FormatInt(lo, 10) + ")"
	bits := map[types.Kind]string{types.TinyInt: "256", types.SmallInt: "65536", types.Int: "4294967296", types.BigInt: "18446744073709551616"}[to.Kind]
	return "CAST(((" + whole + "-" + low + ")%" + bits + "+" + bits + ")%" + bits + "+" + low + " AS " + DuckType(to) + ")"
}

// lowFix spells the least BIGINT, which DuckDB does not read as one literal after a minus.
func lowFix(k types.Kind) string {
	if k == types.BigInt {
		return "-1"
	}
	return ""
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func microsOf(field int) int64 {
	switch field {
	case types.FieldDay:
		return types.MicrosPerDay
	case types.FieldHour:
		return types.MicrosPerHour
	case types.FieldMinute:
		return types.MicrosPerMinute
	}
	return types.MicrosPerSecond
}

func toFloatSQL(a string, from, to types.Type) string {
	if from.Kind == types.Timestamp {
		a = "(CAST(epoch_us(" + a + ") AS DOUBLE)/1000000)"
	}
	if to.Kind == types.Float && (from.Kind == types.Double || from.Kind == types.Timestamp || from.Kind == types.Decimal) {
		return "sp_float(CAST(" + a + " AS DOUBLE))"
	}
	return "CAST(" + a + " AS " + DuckType(to) + ")"
}

func toDecimalSQL(a string, from, to types.Type, mode CastMode) string {
	t := DuckType(to)
	guard := func(value string) string {
		bad := fail(mode, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", textSQL(a, from), "'"+strconv.Itoa(to.Precision)+"'", "'"+strconv.Itoa(to.Scale)+"'")
		s := "CASE WHEN TRY_CAST(" + value + " AS " + t + ") IS NOT NULL THEN TRY_CAST(" + value + " AS " + t + ")"
		if mode == CastANSI {
			s += " WHEN " + a + " IS NOT NULL THEN " + bad
		}
		return s + " END"
	}
	switch from.Kind {
	case types.Boolean:
		return guard("CAST(" + a + " AS INTEGER)")
	case types.Float, types.Double:
		d := a
		if from.Kind == types.Float {
			d = "CAST(" + a + " AS DOUBLE)"
		}
		text := "tarn_double_decimal(" + d + "," + strconv.Itoa(to.Precision) + "," + strconv.Itoa(to.Scale) + ")"
		s := "CASE WHEN isfinite(" + d + ") THEN coalesce(CAST(nullif(" + text + ",'') AS " + t + ")"
		if mode == CastANSI {
			s += "," + raise("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", textSQL(a, from), "'"+strconv.Itoa(to.Precision)+"'", "'"+strconv.Itoa(to.Scale)+"'")
		}
		return s + ") END"
	case types.Decimal:
		if to.Precision-to.Scale >= from.Precision-from.Scale && to.Scale >= from.Scale {
			return "CAST(" + a + " AS " + t + ")"
		}
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		if need := asDecimalType(from); to.Precision-to.Scale >= need.Precision {
			return "CAST(" + a + " AS " + t + ")"
		}
	case types.Timestamp, types.Time:
		return guard("(CAST(epoch_us(" + a + ") AS DECIMAL(20,0))*0.000001)")
	case types.YearMonthInterval:
		if from.Scale == types.FieldYear {
			return guard("(" + a + "//12)")
		}
	case types.DayTimeInterval:
		if from.Scale == types.FieldSecond {
			return guard("(CAST(" + a + " AS DECIMAL(20,0))*0.000001)")
		}
		return guard("(" + a + "//" + strconv.FormatInt(microsOf(from.Scale), 10) + ")")
	}
	return guard(a)
}

func toTimestampSQL(a string, from, to types.Type, mode CastMode) string {
	switch from.Kind {
	case types.Date:
		if to.Kind == types.TimestampNTZ {
			return "CAST(" + a + " AS TIMESTAMP)"
		}
		return "sp_instant(CAST(" + a + " AS TIMESTAMP))"
	case types.TimestampNTZ:
		return "sp_instant(" + a + ")"
	case types.Timestamp:
		return "CAST(" + a + " AS TIMESTAMP)"
	case types.Boolean:
		return "make_timestamptz(CAST(" + a + " AS BIGINT))"
	case types.Float, types.Double:
		d := "CAST(" + a + " AS DOUBLE)"
		s := "CASE WHEN isfinite(" + d + ") AND abs(" + d + ")<9e12 THEN make_timestamptz(CAST(trunc(" + d + "*1000000) AS BIGINT))"
		if mode == CastANSI {
			s += " WHEN " + a + " IS NOT NULL THEN CASE WHEN isfinite(" + d + ") THEN " + raise("CAST_OVERFLOW", textSQL(a, from), "'"+from.SQL()+"'", "'TIMESTAMP'") + " ELSE " + raise("CAST_INVALID_INPUT", textSQL(a, from), "'"+from.SQL()+"'", "'TIMESTAMP'") + " END"
		}
		return s + " END"
	case types.Decimal:
		return "make_timestamptz(CAST(trunc(CAST(" + a + " AS DECIMAL(38," + strconv.Itoa(min(from.Scale, 12)) + "))*1000000) AS BIGINT))"
	}
	return "make_timestamptz(CAST(" + a + " AS BIGINT)*1000000)"
}

// toTimeSQL is a time of day, cut to the digits of the precision. Timestamps give that of their wall clock.
func toTimeSQL(a string, from, to types.Type) string {
	if from.Kind == types.Time && from.Precision <= to.Precision {
		return a
	}
	switch from.Kind {
	case types.Timestamp:
		a = "CAST(CAST(" + a + " AS TIMESTAMP) AS TIME)"
	case types.TimestampNTZ:
		a = "CAST(" + a + " AS TIME)"
	}
	if to.Precision == types.MaxTimePrecision {
		return a
	}
	unit := strconv.FormatInt(types.TimeUnit(to.Precision), 10)
	return "sp_time(epoch_us(" + a + ")//" + unit + "*" + unit + ")"
}

func toIntervalSQL(a string, from, to types.Type, mode CastMode) string {
	t := DuckType(to)
	unit := int64(1)
	if to.Kind == types.DayTimeInterval {
		unit = microsOf(to.Scale)
	} else if to.Scale == types.FieldYear {
		unit = 12
	}
	u := strconv.FormatInt(unit, 10)
	guard := func(value string) string {
		return "CASE WHEN TRY_CAST(" + value + " AS " + t + ") IS NOT NULL THEN TRY_CAST(" + value + " AS " + t + ") WHEN " + a + " IS NOT NULL THEN " + fail(mode, "CAST_OVERFLOW", textSQL(a, from), "'"+from.SQL()+"'", "'"+to.SQL()+"'") + " END"
	}
	switch from.Kind {
	case types.DayTimeInterval, types.YearMonthInterval:
		if to.Scale == types.FieldSecond || to.Scale == types.FieldMonth {
			return a
		}
		return "CAST(" + a + "//" + u + "*" + u + " AS " + t + ")"
	case types.Decimal:
		return guard("round(CAST(" + a + " AS DECIMAL(38," + strconv.Itoa(min(from.Scale, 12)) + "))*" + u + ")")
	}
	return guard("CAST(" + a + " AS HUGEINT)*" + u)
}

// nestedSQL casts collections element by element; structs by position.
func nestedSQL(a string, from, to types.Type, mode CastMode) string {
	switch {
	case to.Kind == types.Array && from.Elem != nil:
		if from.Elem.Kind == types.Void || types.Equal(from, to) {
			return "CAST(" + a + " AS " + DuckType(to) + ")"
		}
		x := lambdaVar(a)
		return "list_transform(" + a + ", lambda " + x + ": " + CastSQL(x, *from.Elem, *to.Elem, mode) + ")"
	case to.Kind == types.Map && from.Elem != nil:
		if from.Key.Kind == types.Void || types.Equal(from, to) {
			return "CAST(" + a + " AS " + DuckType(to) + ")"
		}
		x := lambdaVar(a)
		return "CASE WHEN " + a + " IS NOT NULL THEN MAP(list_transform(map_keys(" + a + "), lambda " + x + ": " + CastSQL(x, *from.Key, *to.Key, mode) + "), list_transform(map_values(" + a + "), lambda " + x + ": " + CastSQL(x, *from.Elem, *to.Elem, mode) + ")) END"
	}
	parts := make([]string, len(to.Fields))
	for i := range to.Fields {
		field := "struct_extract(" + a + ", " + DuckString(DuckFieldName(from, i)) + ")"
		parts[i] = DuckIdent(DuckFieldName(to, i)) + ": " + CastSQL(field, from.Fields[i].Type, to.Fields[i].Type, mode)
	}
	return "CASE WHEN " + a + " IS NOT NULL THEN {" + strings.Join(parts, ", ") + "} END"
}

// lambdaVar is a name for a lambda's variable that the text does not use yet.
func lambdaVar(text string) string {
	for i := 0; ; i++ {
		if v := "x" + strconv.Itoa(i) + "_"; !strings.Contains(text, v) {
			return v
		}
	}
}
