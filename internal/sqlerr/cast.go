package sqlerr

import "strings"

var castConditions = []row{
	{"CAST_INVALID_INPUT", "22018"},
	{"CAST_OVERFLOW", "22003"},
	{"NUMERIC_VALUE_OUT_OF_RANGE", "22003"},
	{"DATATYPE_MISMATCH", "42K09"},
	{"INVALID_INTERVAL_FORMAT", "22006"},
}

// quoted puts double quotes around the SQL name of a type or expression, as Spark's parameters carry them.
func quoted(s string) string { return `"` + s + `"` }

// CastInvalidInput reports text that does not read as the target type. expression is the value as a SQL literal,
// source and target are SQL names of types.
func CastInvalidInput(expression, source, target string) *Error {
	return newError("CAST_INVALID_INPUT",
		[]Param{{"expression", expression}, {"sourceType", quoted(source)}, {"targetType", quoted(target)}},
		"The value %s of type %s does not read as %s. Correct the value, or use try_cast to get NULL instead.",
		expression, quoted(source), quoted(target))
}

// CastOverflow reports a number that the target type cannot hold.
func CastOverflow(value, source, target string) *Error {
	return newError("CAST_OVERFLOW",
		[]Param{{"value", value}, {"sourceType", quoted(source)}, {"targetType", quoted(target)}},
		"The value %s of type %s is out of the range of %s. Use try_cast to get NULL instead.",
		value, quoted(source), quoted(target))
}

// DecimalOutOfRange reports a number with more digits than a DECIMAL(precision, scale) holds.
func DecimalOutOfRange(value, precision, scale string) *Error {
	return newError("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
		[]Param{{"value", value}, {"precision", precision}, {"scale", scale}},
		"The number %s has more digits than DECIMAL(%s,%s) holds. Use a wider type, or try_cast to get NULL instead.",
		value, precision, scale)
}

// CannotCast reports a cast between types that have none: sub is WITHOUT_SUGGESTION, WITH_CONF_SUGGESTION or
// WITH_FUNC_SUGGESTION. expr is the cast as SQL; source and target are SQL names of types; advice names a function
// when there is one.
func CannotCast(sub, expr, source, target, advice string) *Error {
	params := []Param{{"sqlExpr", quoted(expr)}, {"srcType", quoted(source)}, {"targetType", quoted(target)}}
	tail := "."
	if advice != "" {
		params = append(params, Param{"functionNames", advice})
		tail = "; use " + strings.ReplaceAll(advice, "`", "") + " instead."
	}
	return newError(Condition("DATATYPE_MISMATCH.CAST_"+sub), params, "%s cannot be cast to %s%s", quoted(source), quoted(target), tail)
}

// InvalidIntervalText reports text that is no interval of the target type, whose form is shown. notice is said of
// day-time intervals, for Spark has a switch for them.
func InvalidIntervalText(text, target, form string, notice bool) *Error {
	sub := Condition("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING")
	if notice {
		sub += "_WITH_NOTICE"
	}
	return newError(sub, []Param{{"input", text}, {"typeName", target}, {"supportedFormat", form}},
		"The text '%s' is not an interval of type %s. Write it as %s.", text, quoted(target), orText(form, "its fields say"))
}

// InvalidIntervalFormat reports text that does not read as an interval: sub is the sub-condition of
// INVALID_INTERVAL_FORMAT, detail the part of the text that is wrong.
func InvalidIntervalFormat(sub, text, detail string) *Error {
	why := map[string]string{
		"INPUT_IS_EMPTY": "there is nothing in it", "INVALID_PREFIX": "nothing but INTERVAL and a blank may stand before the first number",
		"MISSING_NUMBER": "a number must follow '" + detail + "'", "UNRECOGNIZED_NUMBER": "'" + detail + "' is no number",
		"INVALID_VALUE": "'" + detail + "' is no number", "INVALID_PRECISION": "'" + detail + "' has more than nine digits of fraction",
		"MISSING_UNIT": "a unit must follow '" + detail + "'", "INVALID_UNIT": "'" + detail + "' is no unit",
		"INVALID_FRACTION": "'" + detail + "' takes no fraction", "ARITHMETIC_EXCEPTION": "a number is out of range",
		"INTERVAL_PARSING": "a number is out of range", "UNSUPPORTED_FROM_TO_EXPRESSION": "no interval goes from " + detail,
		"TIMEZONE_INTERVAL_OUT_OF_RANGE": "a zone is at most 18 hours from UTC, in whole seconds",
	}[sub]
	return newError(Condition("INVALID_INTERVAL_FORMAT."+sub), []Param{{"input", text}, {"detail", detail}},
		"The text '%s' is not an interval: %s.", strings.TrimSpace(text), why)
}

// MixedInterval reports an interval literal with both months and days or times.
func MixedInterval(text string) *Error {
	return newError("INVALID_INTERVAL_FORMAT.MIXED_FIELDS", []Param{{"input", text}},
		"The interval '%s' mixes months with days or times. Write two intervals, or use make_interval.", text)
}
