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

// InvalidIntervalText reports text that is no interval of the target type.
func InvalidIntervalText(text, target string) *Error {
	return newError("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING",
		[]Param{{"input", text}, {"intervalStr", target}}, "The text '%s' is not an interval of type %s.", text, quoted(target))
}
