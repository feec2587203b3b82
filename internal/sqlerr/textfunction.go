package sqlerr

// textFunctionConditions are the conditions of functions that read and write text by a format, an option or a schema.
var textFunctionConditions = []row{
	{"INVALID_ESCAPE_CHAR", "42604"},
	{"UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", "0A000"},
	{"INVALID_SCHEMA", "42K07"},
	{"INVALID_OPTIONS", "42K06"},
	{"PARSE_MODE_UNSUPPORTED", "42601"},
}

// BadNumberFormat reports a number format of to_number and to_char that is not well formed: sub is the sub-condition of
// INVALID_FORMAT.
func BadNumberFormat(sub, format string) *Error {
	why := map[string]string{
		"EMPTY":                          "it is empty",
		"WRONG_NUM_DIGIT":                "it needs at least one digit, 0 or 9",
		"CUR_MUST_BEFORE_DIGIT":          "the currency sign must stand before the digits",
		"CUR_MUST_BEFORE_DEC":            "the currency sign must stand before the decimal point",
		"THOUSANDS_SEPS_MUST_BEFORE_DEC": "separators of thousands must stand before the decimal point",
		"CONT_THOUSANDS_SEPS":            "a separator of thousands needs digits on both sides",
		"WRONG_NUM_TOKEN":                "an element occurs twice that may occur once",
		"UNEXPECTED_TOKEN":               "an element is unknown or in the wrong place; the order is [MI|S] [$] [0|9|G|,]… [.|D] [0|9]… [PR|MI|S]",
	}[sub]
	return newError(Condition("INVALID_FORMAT."+sub), []Param{{"format", "'" + format + "'"}}, "The number format '%s' is not valid: %s.", format, why)
}

// NumberFormatMismatch reports text that does not have a number format.
func NumberFormatMismatch(text, format string) *Error {
	return newError("INVALID_FORMAT.MISMATCH_INPUT", []Param{{"inputType", `"STRING"`}, {"input", text}, {"format", format}},
		"The text '%s' does not have the format '%s'. Use try_to_number to get NULL instead.", text, format)
}

// InvalidArgumentValue reports a constant argument that is none of the values that the function takes.
func InvalidArgumentValue(sql, name, required, value string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_ARG_VALUE",
		[]Param{{"sqlExpr", quoted(sql)}, {"inputName", name}, {"requireType", required}, {"inputValue", "'" + value + "'"}},
		"In %s, %s must be %s, not '%s'.", quoted(sql), name, required, value)
}

// SchemaNotText reports the schema of from_json or from_csv that is no constant text.
func SchemaNotText(input string) *Error {
	return newError("INVALID_SCHEMA.NON_STRING_LITERAL", []Param{{"inputSchema", quoted(input)}},
		"The schema must be a constant text such as 'a INT, b STRING', not %s.", quoted(input))
}

// SchemaNotStruct reports the schema of from_csv that is no list of columns.
func SchemaNotStruct(input, typeName string) *Error {
	return newError("INVALID_SCHEMA.NON_STRUCT_TYPE", []Param{{"inputSchema", quoted(input)}, {"dataType", quoted(typeName)}},
		"The schema must be a list of columns such as 'a INT, b STRING', not %s.", quoted(typeName))
}

// OptionsNotMap reports options that are not a constant call of map().
func OptionsNotMap() *Error {
	return newError("INVALID_OPTIONS.NON_MAP_FUNCTION", nil, "Options must be written as map('name', 'value', …).")
}

// OptionsNotText reports options whose names or values are not text.
func OptionsNotText(mapType string) *Error {
	return newError("INVALID_OPTIONS.NON_STRING_TYPE", []Param{{"mapType", quoted(mapType)}}, "The names and values of options must be text, but the map is %s.", mapType)
}

// ParseModeUnsupported reports a mode that from_json and from_csv do not have.
func ParseModeUnsupported(function, mode string) *Error {
	return newError("PARSE_MODE_UNSUPPORTED", []Param{{"funcName", "`" + function + "`"}, {"mode", mode}},
		"The function %s does not have the mode %s. Use PERMISSIVE or FAILFAST.", function, mode)
}

// MalformedText reports a text given to a function in the mode FAILFAST that does not have the schema.
func MalformedText(text string) *Error {
	return newError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", []Param{{"badRecord", text}, {"failFastMode", "FAILFAST"}},
		"The text %s does not have the schema. Use the mode PERMISSIVE to get NULL instead.", text)
}

// SchemaOfMalformed reports a text whose schema cannot be told.
func SchemaOfMalformed(function, text string) *Error {
	return newError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", []Param{{"badRecord", text}, {"failFastMode", "FAILFAST"}},
		"The text '%s' given to %s is malformed, so it has no schema.", text, function)
}

// CharOrVarcharAsString reports CHAR or VARCHAR where a value cannot have a length.
func CharOrVarcharAsString() *Error {
	return newError("UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", nil, "CHAR and VARCHAR are types of table columns only. Use STRING here.")
}

// InvalidJSONMapKey reports a schema with a MAP whose keys are not text, which members of JSON always are.
func InvalidJSONMapKey(sql, schema string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_JSON_MAP_KEY_TYPE", []Param{{"sqlExpr", quoted(sql)}, {"schema", quoted(schema)}},
		"In %s, the keys of a MAP in the schema must be STRING, but it is %s.", quoted(sql), quoted(schema))
}

// InputSizeNotOne reports an argument that must be one character.
func InputSizeNotOne(sql, param string) *Error {
	return newError("DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE", []Param{{"sqlExpr", quoted(sql)}, {"exprName", param}},
		"In %s, the argument %s must be one character.", quoted(sql), param)
}

// InvalidEscapeCharacter reports the escape of the function like that is not one character.
func InvalidEscapeCharacter(sql string) *Error {
	return newError("INVALID_ESCAPE_CHAR", []Param{{"sqlExpr", quoted(sql)}}, "The escape must be one character, not %s.", quoted(sql))
}
