package sqlerr

import (
	"strconv"
	"strings"
)

var functionConditions = []row{
	{"UNRESOLVED_ROUTINE", "42883"},
	{"WRONG_NUM_ARGS", "42605"},
	{"DIVIDE_BY_ZERO", "22012"},
	{"REMAINDER_BY_ZERO", "22012"},
	{"INTERVAL_DIVIDED_BY_ZERO", "22012"},
	{"ARITHMETIC_OVERFLOW", "22003"},
	{"BINARY_ARITHMETIC_OVERFLOW", "22003"},
	{"INTERVAL_ARITHMETIC_OVERFLOW", "22015"},
	{"INVALID_ARRAY_INDEX", "22003"},
	{"INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "22003"},
	{"INVALID_INDEX_OF_ZERO", "22003"},
	{"DATETIME_OVERFLOW", "22008"},
	{"DATETIME_FIELD_OUT_OF_BOUNDS", "22023"},
	{"INVALID_FRACTION_OF_SECOND", "22023"},
	{"ILLEGAL_DAY_OF_WEEK", "22009"},
	{"CANNOT_PARSE_TIMESTAMP", "22007"},
	{"CANNOT_PARSE_TIME", "22010"},
	{"SECOND_FUNCTION_ARGUMENT_NOT_INTEGER", "22023"},
	{"INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION", "22006"},
	{"INVALID_TIMEZONE", "22009"},
	{"INVALID_DATETIME_PATTERN", "22007"},
	{"INCONSISTENT_BEHAVIOR_CROSS_VERSION", "42K0B"},
	{"INVALID_FORMAT", "42601"},
	{"INVALID_ESC", "42604"},
	{"INVALID_REGEXP_REPLACE", "22023"},
	{"INVALID_EXTRACT_FIELD", "42601"},
	{"DUPLICATED_MAP_KEY", "23505"},
	{"NULL_MAP_KEY", "2200E"},
	{"USER_RAISED_EXCEPTION", "P0001"},
	{"COLLECTION_SIZE_LIMIT_EXCEEDED", "54000"},
	{"MALFORMED_CHARACTER_CODING", "22000"},
	{"CONVERSION_INVALID_INPUT", "22018"},
	{"CANNOT_DECODE_URL", "22546"},
	{"INVALID_UTF8_STRING", "22029"},
	{"COMPARATOR_RETURNS_NULL", "22004"},
	{"SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000"},
	{"INVALID_URL", "22P02"},
	{"INVALID_WITHIN_GROUP_EXPRESSION", "42K0K"},
	{"INVALID_BITMAP_POSITION", "22003"},
	{"NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION", "22003"},
	{"UNSUPPORTED_TIME_TYPE", "0A000"},
	{"NON_FOLDABLE_ARGUMENT", "42K08"},
	{"SEED_EXPRESSION_IS_UNFOLDABLE", "42K08"},
	{"UNEXPECTED_INPUT_TYPE", "42K09"},
	{"INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", "42601"},
}

// UnresolvedRoutine reports a function that does not exist. near are names of functions that look alike.
func UnresolvedRoutine(name string, near []string) *Error {
	tail := " Check its spelling."
	if len(near) > 0 {
		tail = " Did you mean " + strings.Join(near, ", ") + "?"
	}
	return newError("UNRESOLVED_ROUTINE", []Param{{"routineName", "`" + name + "`"}, {"searchPath", "[`system`.`builtin`, `system`.`session`]"}},
		"There is no function %s.%s", name, tail)
}

// WrongNumArgs reports a call with a number of arguments that no form of the function takes; expected is a number or
// a list such as "[1, 2]" or "> 0".
func WrongNumArgs(name, expected string, actual int) *Error {
	return newError("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
		[]Param{{"functionName", "`" + name + "`"}, {"expectedNum", expected}, {"actualNum", strconv.Itoa(actual)}},
		"The function %s takes %s arguments, not %d.", name, expected, actual)
}

// UnexpectedInputType reports an argument of a type that the function does not take. sql is the call, param its
// number from 1, required and actual are SQL names of types, input the argument as SQL.
func UnexpectedInputType(sql string, param int, required, input, actual string) *Error {
	names := [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}
	pos := strconv.Itoa(param)
	if param >= 1 && param <= len(names) {
		pos = names[param-1]
	}
	return newError("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
		[]Param{{"sqlExpr", quoted(sql)}, {"paramIndex", pos}, {"requiredType", required}, {"inputSql", quoted(input)}, {"inputType", quoted(actual)}},
		"In %s, the %s argument must be %s, but %s is %s.", quoted(sql), pos, required, quoted(input), quoted(actual))
}

// BinaryOpDiffTypes reports an operator between types that have no common type.
func BinaryOpDiffTypes(sql, left, right string) *Error {
	return newError("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
		[]Param{{"sqlExpr", quoted(sql)}, {"left", quoted(left)}, {"right", quoted(right)}},
		"In %s, the types %s and %s do not go together. Cast one side.", quoted(sql), quoted(left), quoted(right))
}

// BinaryOpWrongType reports an operator on a type that it does not work on.
func BinaryOpWrongType(sql, required, actual string) *Error {
	return newError("DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
		[]Param{{"sqlExpr", quoted(sql)}, {"inputType", required}, {"actualDataType", quoted(actual)}},
		"In %s, the operands must be %s, not %s.", quoted(sql), required, quoted(actual))
}

// DataDiffTypes reports arguments that must share one type and do not. dataType lists their SQL names.
func DataDiffTypes(sql, function string, dataTypes []string) *Error {
	list := "[" + quoted(strings.Join(dataTypes, `", "`)) + "]"
	return newError("DATATYPE_MISMATCH.DATA_DIFF_TYPES",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}, {"dataType", list}},
		"In %s, all values must have one type, but they have %s.", quoted(sql), list)
}

// CreateMapDiffTypes reports the keys or the values of map() that have no common type: part is KEY or VALUE, dataTypes their
// SQL names.
func CreateMapDiffTypes(part, sql string, dataTypes []string) *Error {
	list := "[" + quoted(strings.Join(dataTypes, `", "`)) + "]"
	return newError(Condition("DATATYPE_MISMATCH.CREATE_MAP_"+part+"_DIFF_TYPES"),
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`map`"}, {"dataType", list}},
		"In %s, the %ss must have one type, but they have %s. Cast them.", quoted(sql), strings.ToLower(part), list)
}

// CollectionDiffTypes reports an element or key whose type is not that of the collection: kind is ARRAY or MAP.
func CollectionDiffTypes(kind, sql, function, left, right string) *Error {
	return newError(Condition("DATATYPE_MISMATCH."+kind+"_FUNCTION_DIFF_TYPES"),
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}, {"dataType", kind}, {"leftType", quoted(left)}, {"rightType", quoted(right)}},
		"In %s, %s and %s do not go together.", quoted(sql), quoted(left), quoted(right))
}

// UnorderedType reports a comparison of a type that has no order, such as a MAP.
func UnorderedType(sql, function, typeName string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
		[]Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}, {"dataType", quoted(typeName)}},
		"In %s, values of type %s have no order.", quoted(sql), quoted(typeName))
}

// NonFoldableInput reports an argument that must be a constant.
func NonFoldableInput(sql, param, typeName, input string) *Error {
	return newError("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
		[]Param{{"sqlExpr", quoted(sql)}, {"inputName", "`" + param + "`"}, {"inputType", quoted(typeName)}, {"inputExpr", quoted(input)}},
		"In %s, the argument %s must be a constant, not %s.", quoted(sql), param, quoted(input))
}

// ArgumentOutOfRange reports a constant argument outside the range that the function takes.
func ArgumentOutOfRange(sql, param, valueRange, value string) *Error {
	return newError("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
		[]Param{{"sqlExpr", quoted(sql)}, {"exprName", param}, {"valueRange", valueRange}, {"currentValue", value}},
		"In %s, %s must be in the range %s, not %s.", quoted(sql), param, valueRange, value)
}

// UnexpectedNull reports a constant argument that must not be NULL.
func UnexpectedNull(sql, param string) *Error {
	return newError("DATATYPE_MISMATCH.UNEXPECTED_NULL", []Param{{"sqlExpr", quoted(sql)}, {"exprName", param}},
		"In %s, %s must not be NULL.", quoted(sql), param)
}

// InvalidMapKeyType reports a map whose key is a map.
func InvalidMapKeyType(sql, keyType string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"keyType", quoted(keyType)}},
		"In %s, the type %s cannot be the key of a map.", quoted(sql), quoted(keyType))
}

// UnknownExtractField reports a field that extract does not find in the source.
func UnknownExtractField(field, source string) *Error {
	return newError("INVALID_EXTRACT_FIELD", []Param{{"field", "'" + field + "'"}, {"expr", quoted(source)}},
		"There is no field %s to extract from %s.", field, quoted(source))
}

// DivideByZero reports a division by zero.
func DivideByZero() *Error {
	return newError("DIVIDE_BY_ZERO", []Param{{"config", `"spark.sql.ansi.enabled"`}}, "Division by zero. Use try_divide to get NULL instead.")
}

// RemainderByZero reports a remainder by zero.
func RemainderByZero() *Error {
	return newError("REMAINDER_BY_ZERO", []Param{{"config", `"spark.sql.ansi.enabled"`}}, "Remainder by zero. Use try_mod to get NULL instead.")
}

// IntervalDividedByZero reports an interval divided by zero.
func IntervalDividedByZero() *Error {
	return newError("INTERVAL_DIVIDED_BY_ZERO", nil, "An interval was divided by zero. Use try_divide to get NULL instead.")
}

// ArithmeticOverflow reports a result that its type cannot hold: what is the operation in words, alternative the
// function that gives NULL instead, or empty.
func ArithmeticOverflow(what, alternative string) *Error {
	tail := ""
	if alternative != "" {
		tail = " Use " + alternative + " to get NULL instead."
	}
	return newError("ARITHMETIC_OVERFLOW", []Param{{"message", what}, {"alternative", alternative}, {"config", `"spark.sql.ansi.enabled"`}},
		"%s is out of range.%s", orText(what, "The result"), tail)
}

// BinaryArithmeticOverflow reports an overflow of TINYINT or SMALLINT arithmetic.
func BinaryArithmeticOverflow(left, symbol, right string) *Error {
	return newError("BINARY_ARITHMETIC_OVERFLOW", []Param{{"value1", left}, {"symbol", symbol}, {"value2", right}},
		"%s %s %s is out of range.", left, symbol, right)
}

// IntervalOverflow reports interval arithmetic beyond the range.
func IntervalOverflow() *Error {
	return newError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", nil, "The interval is out of range.")
}

// IntervalWithTime reports an interval with hours or less that was added to a date.
func IntervalWithTime() *Error {
	return newError("INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION", nil, "An interval with a time cannot be added to a date. Cast the date to a timestamp first.")
}

// IntervalOverflowTry reports interval arithmetic beyond the range where a function gives NULL instead.
func IntervalOverflowTry(function string) *Error {
	return newError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", []Param{{"functionName", "`" + function + "`"}},
		"The interval is out of range. Use %s to get NULL instead.", orText(function, "a try_ function"))
}

// InvalidArrayIndex reports a[i] outside the array.
func InvalidArrayIndex(index, size string) *Error {
	return newError("INVALID_ARRAY_INDEX", []Param{{"indexValue", index}, {"arraySize", size}},
		"The index %s is outside the array of %s elements. Use get to get NULL instead.", index, size)
}

// InvalidArrayIndexInElementAt reports element_at(a, i) outside the array.
func InvalidArrayIndexInElementAt(index, size string) *Error {
	return newError("INVALID_ARRAY_INDEX_IN_ELEMENT_AT", []Param{{"indexValue", index}, {"arraySize", size}},
		"The index %s is outside the array of %s elements. Use try_element_at to get NULL instead.", index, size)
}

// InvalidIndexOfZero reports index 0 where elements count from 1.
func InvalidIndexOfZero() *Error {
	return newError("INVALID_INDEX_OF_ZERO", nil, "The index 0 names no element: elements count from 1, or from -1 at the end.")
}

// DatetimeOverflow reports a date or timestamp beyond its range.
func DatetimeOverflow(operation string) *Error {
	return newError("DATETIME_OVERFLOW", []Param{{"operation", operation}}, "%s is out of the range of dates and times.", orText(operation, "The result"))
}

// DatetimeFieldOutOfBounds reports a part of a date or time that does not exist, such as month 13.
func DatetimeFieldOutOfBounds(what string) *Error {
	return newError("DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", []Param{{"rangeMessage", what}}, "%s.", orText(what, "A part of the date or time is out of range"))
}

// InvalidFractionOfSecond reports a fraction on second 60.
func InvalidFractionOfSecond(seconds string) *Error {
	return newError("INVALID_FRACTION_OF_SECOND", []Param{{"secAndMicros", seconds}}, "Seconds must be from 0 to 59.999999 or exactly 60, not %s.", orText(seconds, "more"))
}

// IllegalDayOfWeek reports a name that is no day of the week.
func IllegalDayOfWeek(name string) *Error {
	return newError("ILLEGAL_DAY_OF_WEEK", []Param{{"string", name}}, "'%s' is not a day of the week.", name)
}

// CannotParseTimestamp reports text that does not match the pattern.
func CannotParseTimestamp(text, pattern string) *Error {
	return newError("CANNOT_PARSE_TIMESTAMP", []Param{{"func", "`try_to_timestamp`"}, {"message", text}},
		"The text '%s' does not match the pattern '%s'. Use try_to_timestamp to get NULL instead.", text, pattern)
}

// CannotParseTime reports text that is no time of day of the pattern.
func CannotParseTime(text, pattern string) *Error {
	return newError("CANNOT_PARSE_TIME", []Param{{"input", "'" + text + "'"}, {"format", "'" + pattern + "'"}},
		"The text '%s' does not match the pattern '%s'. Use try_to_time to get NULL instead.", text, pattern)
}

// SecondArgumentNotInteger reports text that is no number of days.
func SecondArgumentNotInteger(function string) *Error {
	return newError("SECOND_FUNCTION_ARGUMENT_NOT_INTEGER", []Param{{"functionName", "`" + function + "`"}},
		"The second argument of %s must be an integer.", function)
}

// InvalidTimezone reports a name that is no time zone.
func InvalidTimezone(name string) *Error {
	return newError("INVALID_TIMEZONE", []Param{{"timeZone", name}}, "'%s' is not a time zone. Use a region such as Europe/Paris or an offset such as +02:00.", name)
}

// InvalidDatetimePattern reports a pattern letter that has no meaning; sub is the sub-condition.
func InvalidDatetimePattern(sub, pattern, reason string) *Error {
	return newError(Condition("INVALID_DATETIME_PATTERN."+sub), []Param{{"pattern", pattern}}, "The datetime pattern '%s' is not valid: %s.", pattern, reason)
}

// InvalidRegex reports a regular expression that does not compile.
func InvalidRegex(function, pattern string) *Error {
	return newError("INVALID_PARAMETER_VALUE.PATTERN", []Param{{"parameter", "`regexp`"}, {"functionName", "`" + function + "`"}, {"value", "'" + pattern + "'"}},
		"'%s' is not a regular expression.", pattern)
}

// RegexGroupIndex reports a group that the expression does not have.
func RegexGroupIndex(function, count, index string) *Error {
	return newError("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX", []Param{{"parameter", "`idx`"}, {"functionName", "`" + function + "`"}, {"groupCount", count}, {"groupIndex", index}},
		"The regular expression has %s groups, so there is no group %s.", count, index)
}

// BadEscape reports an escape character in the middle or at the end of a LIKE pattern: sub is ESC_IN_THE_MIDDLE or
// ESC_AT_THE_END.
func BadEscape(sub, pattern string) *Error {
	return newError(Condition("INVALID_FORMAT."+sub), []Param{{"format", "'" + pattern + "'"}},
		"In the pattern '%s', the escape character must stand before %%, _ or itself.", pattern)
}

// InvalidEscape reports an ESCAPE that is not one character.
func InvalidEscape(text string) *Error {
	return newError("INVALID_ESC", []Param{{"invalidEscape", text}}, "ESCAPE must be one character, not '%s'.", text)
}

// DuplicatedMapKey reports a key that a map would hold twice.
func DuplicatedMapKey(key string) *Error {
	return newError("DUPLICATED_MAP_KEY", []Param{{"key", key}, {"mapKeyDedupPolicy", `"spark.sql.mapKeyDedupPolicy"`}}, "The key %s occurs twice in one map.", orText(key, "of an entry"))
}

// NullMapKey reports NULL as the key of a map.
func NullMapKey() *Error {
	return newError("NULL_MAP_KEY", nil, "NULL cannot be the key of a map.")
}

// UserRaised is what raise_error and assert_true raise.
func UserRaised(message string) *Error {
	return newError("USER_RAISED_EXCEPTION", []Param{{"errorMessage", message}}, "%s", message)
}

// InvalidParameter reports an argument value that the function refuses: sub is the sub-condition of
// INVALID_PARAMETER_VALUE, why says what was wrong and what to do.
func InvalidParameter(sub, parameter, function, value, why string) *Error {
	return newError(Condition("INVALID_PARAMETER_VALUE."+sub),
		[]Param{{"parameter", "`" + parameter + "`"}, {"functionName", "`" + function + "`"}, {"value", value}}, "%s", orText(why, "An argument has a value that the function does not take."))
}

// CollectionTooLarge reports an array beyond the size that an array may have.
func CollectionTooLarge(count, function string) *Error {
	return newError("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
		[]Param{{"numberOfElements", count}, {"functionName", "`" + function + "`"}, {"maxRoundedArrayLength", "2147483632"}},
		"%s would make an array of more than 2147483632 elements.", function)
}

// ResultTooLarge reports a function that would put more elements into an array than one may have.
func ResultTooLarge(count, function string) *Error {
	return newError("COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION",
		[]Param{{"numberOfElements", count}, {"functionName", "`" + function + "`"}, {"maxRoundedArrayLength", "2147483632"}},
		"%s would make an array of %s elements; 2147483632 is the limit.", function, count)
}

// MalformedCharacters reports bytes that are no text in the named encoding.
func MalformedCharacters(function, charset string) *Error {
	return newError("MALFORMED_CHARACTER_CODING", []Param{{"function", "`" + function + "`"}, {"charset", charset}},
		"The value given to %s is not text in %s.", function, charset)
}

// ConversionInvalidInput reports text that a conversion function such as unbase64 cannot read.
func ConversionInvalidInput(text, format, target string) *Error {
	return newError("CONVERSION_INVALID_INPUT", []Param{{"str", "'" + text + "'"}, {"fmt", "'" + format + "'"}, {"targetType", quoted(target)}},
		"'%s' is not %s text.", text, format)
}

func orText(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

// ScalarSubqueryTooManyRows reports a scalar sub-query that gave more than one row.
func ScalarSubqueryTooManyRows() *Error {
	return newError("SCALAR_SUBQUERY_TOO_MANY_ROWS", nil, "A sub-query used as a value gave more than one row. Limit it to one row, or aggregate it.")
}

// CannotDecodeURL reports text with broken percent escapes.
func CannotDecodeURL(text string) *Error {
	return newError("CANNOT_DECODE_URL", []Param{{"url", text}}, "'%s' has a broken %% escape. Use try_url_decode to get NULL instead.", text)
}

// CrossVersionPattern reports a pattern letter that older versions of Spark knew and Spark 3 and later refuse: sub is
// DATETIME_PATTERN_RECOGNITION or DATETIME_WEEK_BASED_PATTERN.
func CrossVersionPattern(sub, pattern, letters string) *Error {
	return newError(Condition("INCONSISTENT_BEHAVIOR_CROSS_VERSION."+sub), []Param{{"pattern", "'" + pattern + "'"}, {"c", letters}},
		"The letters '%s' in the datetime pattern '%s' are not supported.", letters, pattern)
}

// InvalidReplacement reports the replacement of a regular expression that names a group that does not exist.
func InvalidReplacement(replacement string) *Error {
	return newError("INVALID_REGEXP_REPLACE", []Param{{"replacement", replacement}},
		"The replacement '%s' refers to a group that the regular expression does not have. Write \\$ for a dollar sign.", replacement)
}

// SequenceTypes reports bounds of sequence that are neither integers nor dates and timestamps.
func SequenceTypes(sql, start, stop string) *Error {
	return newError("DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES", []Param{{"sqlExpr", quoted(sql)}, {"functionName", "`sequence`"}, {"startType", quoted(start)}, {"stepType", quoted(stop)}},
		"In %s, the bounds must both be integers, or both dates or timestamps with an interval as step, not %s and %s.", quoted(sql), quoted(start), quoted(stop))
}

// UnsupportedInputType reports an argument of a type that the function cannot take although it is a value.
func UnsupportedInputType(sql, typeName string) *Error {
	return newError("DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"dataType", quoted(typeName)}},
		"%s does not take values of type %s.", quoted(sql), quoted(typeName))
}

// InvalidURL reports text that is no URL.
func InvalidURL(text string) *Error {
	return newError("INVALID_URL", []Param{{"url", text}}, "'%s' is not a URL. Use try_parse_url to get NULL instead.", text)
}

// HashOfMap reports a MAP given to a hash function: equal maps may list their entries in different orders.
func HashOfMap(sql, function string) *Error {
	return newError("DATATYPE_MISMATCH.HASH_MAP_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"functionName", "`" + function + "`"}},
		"In %s, a MAP cannot be hashed.", quoted(sql))
}

// InvalidUTF8 reports bytes that are no UTF-8 text.
func InvalidUTF8(bytes string) *Error {
	const digits = "0123456789ABCDEF"
	shown := make([]byte, 0, 4*min(len(bytes), 32))
	for i := 0; i < len(bytes) && i < 32; i++ {
		shown = append(shown, '\\', 'x', digits[bytes[i]>>4], digits[bytes[i]&15])
	}
	return newError("INVALID_UTF8_STRING", []Param{{"str", string(shown)}}, "The bytes %s are not UTF-8 text. Use make_valid_utf8 to replace what is wrong.", string(shown))
}

// InvalidJSONSchema reports a type that cannot be the root of JSON text.
func InvalidJSONSchema(sql, typeName string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_JSON_SCHEMA", []Param{{"sqlExpr", quoted(sql)}, {"schema", quoted(typeName)}},
		"In %s, the value must be a STRUCT, ARRAY or MAP, not %s.", quoted(sql), quoted(typeName))
}

// WithinGroup reports a WITHIN GROUP that an aggregate cannot have: sub is the sub-condition.
func WithinGroup(sub, function string) *Error {
	why := map[string]string{
		"WITHIN_GROUP_MISSING":                     "its values stand in WITHIN GROUP (ORDER BY …), which is missing",
		"DISTINCT_UNSUPPORTED":                     "DISTINCT goes with no order here. Leave DISTINCT out",
		"WRONG_NUM_ORDERINGS":                      "the values stand either in the parentheses or in WITHIN GROUP, and there once. Leave one out",
		"MISMATCH_WITH_DISTINCT_INPUT":             "with DISTINCT, the order must be by the value itself",
		"MISMATCH_WITH_DISTINCT_INPUT_UNSAFE_CAST": "with DISTINCT, a value whose text may be that of another cannot be the order. Cast it to STRING in both places",
	}[sub]
	return newError(Condition("INVALID_WITHIN_GROUP_EXPRESSION."+sub), []Param{{"funcName", "`" + function + "`"}},
		"The WITHIN GROUP of %s is not possible: %s.", function, why)
}

// RepeatedWindow reports a WINDOW clause that defines a name twice.
func RepeatedWindow(name string) *Error {
	return newError("INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION", []Param{{"windowName", "`" + name + "`"}},
		"The window %s is defined twice. Give one of the two another name.", name)
}

// WindowSpecOfAggregate reports ORDER BY or a frame in the window of an aggregate that has an order of its own.
func WindowSpecOfAggregate(function string) *Error {
	return newError("INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", []Param{{"aggFunc", "`" + function + "`"}},
		"The window of %s can have PARTITION BY only: leave out its ORDER BY and frame.", function)
}

// NegativeFrequency reports a row that percentile should count fewer than zero times.
func NegativeFrequency(value string) *Error {
	return newError("NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION", []Param{{"exprName", quoted("frequency")}, {"negativeValue", value + "L"}},
		"percentile cannot count a value %s times. The frequency must be zero or more.", value)
}

// FunctionSyntax reports a clause of aggregates with a function that has none: function as called, syntax the clause.
func FunctionSyntax(function, syntax string) *Error {
	return newError("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX", []Param{{"prettyName", "`" + function + "`"}, {"syntax", quoted(syntax)}},
		"%s cannot be used with the function %s. Leave it out.", syntax, function)
}

// UnfoldableSeed reports a random number generator whose seed is not a constant.
func UnfoldableSeed(seed, sql string) *Error {
	return newError("SEED_EXPRESSION_IS_UNFOLDABLE", []Param{{"seedExpr", quoted(seed)}, {"exprWithSeed", quoted(sql)}}, "The seed %s of %s must be a constant.", quoted(seed), quoted(sql))
}

// NonFoldableArgument reports an argument that decides which function is meant, and so must be a constant.
func NonFoldableArgument(function, param, typeName string) *Error {
	return newError("NON_FOLDABLE_ARGUMENT", []Param{{"funcName", "`" + function + "`"}, {"paramName", "`" + param + "`"}, {"paramType", quoted(typeName)}},
		"The argument %s of %s must be a constant of type %s.", param, function, typeName)
}

// ArgumentType reports a constant argument of the wrong type, one that decides which function is meant.
func ArgumentType(function string, param int, required, input, actual string) *Error {
	return newError("UNEXPECTED_INPUT_TYPE",
		[]Param{{"functionName", "`" + function + "`"}, {"paramIndex", ordinal(param)}, {"requiredType", quoted(required)}, {"inputSql", quoted(input)}, {"inputType", quoted(actual)}},
		"The %s argument of %s must be %s, but %s is %s.", ordinal(param), function, quoted(required), quoted(input), quoted(actual))
}

// BitmapPosition reports a bit that a bitmap does not have.
func BitmapPosition(position string) *Error {
	return newError("INVALID_BITMAP_POSITION", []Param{{"bitPosition", position}, {"bitmapNumBytes", "4096"}, {"bitmapNumBits", "32768"}},
		"A bitmap has the bits 0 to 32767, not %s. Take the position from bitmap_bit_position and group by bitmap_bucket_number.", position)
}

// BooleanParameter reports an argument that must be TRUE or FALSE.
func BooleanParameter(function, parameter, value string) *Error {
	return newError("INVALID_PARAMETER_VALUE.BOOLEAN", []Param{{"parameter", "`" + parameter + "`"}, {"functionName", "`" + function + "`"}, {"invalidValue", quoted(value)}},
		"The argument %s of %s must be TRUE or FALSE, not %s.", parameter, function, value)
}

// PercentileOfTime reports a percentile of dates or timestamps, which Spark takes for the type TIME that it lacks.
func PercentileOfTime(sql, input, typeName string) *Error {
	return newError("UNSUPPORTED_TIME_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"inputSql", quoted(input)}, {"inputType", quoted(typeName)}},
		"In %s, the values must be numbers or intervals, but %s is %s. Cast them, or use approx_percentile, which takes them.", quoted(sql), quoted(input), quoted(typeName))
}

// IntervalSumOverflow reports a sum of intervals that no interval holds.
func IntervalSumOverflow() *Error {
	return newError("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", []Param{{"functionName", "`try_sum`"}},
		"The sum of the intervals is out of range. Use try_sum to get NULL instead.")
}
