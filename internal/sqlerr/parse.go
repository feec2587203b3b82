package sqlerr

// parseConditions are what the parser raises: text that is no statement, and statements that are wrong whatever the
// catalog holds.
var parseConditions = []row{
	{"PARSE_SYNTAX_ERROR", "42601"},
	{"PARSE_EMPTY_STATEMENT", "42617"},
	{"UNCLOSED_BRACKETED_COMMENT", "42601"},
	{"FAILED_TO_PARSE_TOO_COMPLEX", "54001"},
	{"INVALID_IDENTIFIER", "42602"},
	{"INVALID_NUMERIC_LITERAL_RANGE", "22003"},
	{"DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "22003"},
	{"UNSUPPORTED_DATATYPE", "0A000"},
	{"UNSUPPORTED_TIME_PRECISION", "0A001"},
	{"DATATYPE_MISSING_SIZE", "42K01"},
	{"INCOMPLETE_TYPE_DEFINITION", "42K01"},
	{"INVALID_SQL_SYNTAX", "42000"},
	{"DUPLICATE_KEY", "23505"},
	{"REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", "42601"},
	{"INVALID_STATEMENT_OR_CLAUSE", "42601"},
	{"DUPLICATE_CLAUSES", "42614"},
	{"CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "42710"},
	{"ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "42710"},
	{"TRAILING_COMMA_IN_SELECT", "42601"},
	{"DECIMAL_SCALE_EXCEEDS_PRECISION", "22003"},
	{"INCOMPATIBLE_JOIN_TYPES", "42613"},
	{"CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE", "42601"},
	{"DESCRIBE_JSON_NOT_EXTENDED", "0A000"},
	{"INVALID_SET_SYNTAX", "42000"},
	{"INVALID_RESET_COMMAND_FORMAT", "42000"},
	{"UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", "0A000"},
	{"UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", "0A000"},
	{"UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", "0A000"},
}

// Syntax reports text that is no SQL, at the token that cannot stand where it does: found is that token in single
// quotes, or "end of input". hint is a sentence that says what could stand there, or "".
func Syntax(found, hint string) *Error {
	e := newError("PARSE_SYNTAX_ERROR", []Param{{"error", found}, {"hint", hint}}, "Syntax error at or near %s.", found)
	if hint != "" {
		e.Message += " " + hint
	}
	return e
}

// EmptyStatement reports text without a statement.
func EmptyStatement() *Error {
	return newError("PARSE_EMPTY_STATEMENT", nil, "There is no statement in the text: write one.")
}

// UnclosedComment reports a bracketed comment that runs to the end of the text.
func UnclosedComment() *Error {
	return newError("UNCLOSED_BRACKETED_COMMENT", nil, "A comment begins with /* and never ends: close it with */.")
}

// TooComplex reports a statement that is nested deeper than limit levels, or longer than the parser takes.
func TooComplex(what string, limit int) *Error {
	return newError("FAILED_TO_PARSE_TOO_COMPLEX", nil,
		"The statement is too complex to parse: %s exceeds %d. Split it into smaller ones.", what, limit)
}

// InvalidIdentifier reports a name that must stand in back quotes.
func InvalidIdentifier(name string) *Error {
	return newError("INVALID_IDENTIFIER", []Param{{"ident", name}},
		"The name %s is not a plain identifier: write it in back quotes, as in `%s`.", name, name)
}

// NumericLiteralRange reports a number that its type cannot hold; text is the number without its suffix.
func NumericLiteralRange(text, lowest, highest, typeName string) *Error {
	return newError("INVALID_NUMERIC_LITERAL_RANGE",
		[]Param{{"rawStrippedQualifier", text}, {"minValue", lowest}, {"maxValue", highest}, {"typeName", typeName}},
		"The number %s does not fit into %s, which goes from %s to %s.", text, typeName, lowest, highest)
}

// DecimalPrecision reports a DECIMAL, as a type or a number, of more digits than Spark's 38.
func DecimalPrecision(precision, highest string) *Error {
	return newError("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
		[]Param{{"precision", precision}, {"maxPrecision", highest}},
		"A decimal of %s digits is too long: %s is the most.", precision, highest)
}

// UnsupportedDatatype reports the name of a type that does not exist.
func UnsupportedDatatype(typeName string) *Error {
	return newError("UNSUPPORTED_DATATYPE", []Param{{"typeName", typeName}},
		"There is no data type %s: check its spelling and its parameters.", typeName)
}

// UnsupportedTimePrecision reports TIME with a precision that it does not have.
func UnsupportedTimePrecision(typeName string) *Error {
	return newError("UNSUPPORTED_TIME_PRECISION", []Param{{"type", typeName}},
		"%s has a precision that Tarn does not have: TIME(0) to TIME(6).", typeName)
}

// DatatypeMissingSize reports CHAR or VARCHAR without a length.
func DatatypeMissingSize(typeName string) *Error {
	return newError("DATATYPE_MISSING_SIZE", []Param{{"type", typeName}},
		"The type %s needs a length: write a number in parentheses behind it.", typeName)
}

// IncompleteType reports ARRAY, MAP or STRUCT without the types inside; kind is that word.
func IncompleteType(kind, example string) *Error {
	return newError(Condition("INCOMPLETE_TYPE_DEFINITION."+kind), nil,
		"The type %s lacks the types inside it: write %s, for example.", kind, example)
}

// EmptyPartitionValue reports a partition key without a value where one is needed.
func EmptyPartitionValue(key string) *Error {
	return newError("INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE", []Param{{"partKey", quoteName(key)}},
		"The partition key %s has no value: write %s = value.", quoteName(key), key)
}

// DuplicateKey reports a key that stands twice in a partition spec or a list of properties.
func DuplicateKey(key string) *Error {
	return newError("DUPLICATE_KEY", []Param{{"keyColumn", quoteName(key)}},
		"The key %s is given more than once: give it once.", quoteName(key))
}

// DefaultInPartition reports DEFAULT as the value of a partition key.
func DefaultInPartition() *Error {
	return newError("REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", nil,
		"DEFAULT cannot be the value of a partition key: write the value.")
}

// InvalidStatement reports a statement or clause that the grammar knows and that is never allowed.
func InvalidStatement(operation string) *Error {
	return newError("INVALID_STATEMENT_OR_CLAUSE", []Param{{"operation", operation}},
		"The statement or clause is not allowed: %s.", operation)
}

// DuplicateClauses reports a clause that a statement has twice.
func DuplicateClauses(clause string) *Error {
	return newError("DUPLICATE_CLAUSES", []Param{{"clauseName", clause}},
		"The statement has more than one %s clause: keep one.", clause)
}

// DuplicateDescriptor reports a column that is described in one way, such as COMMENT, more than once, in CREATE TABLE or in ALTER
// TABLE.
func DuplicateDescriptor(create bool, column, option string) *Error {
	condition := Condition("ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE")
	if create {
		condition = "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE"
	}
	return newError(condition, []Param{{"columnName", column}, {"optionName", option}}, "The column %s has %s more than once: keep one.", column, option)
}

// TrailingComma reports a select list that ends with a comma.
func TrailingComma() *Error {
	return newError("TRAILING_COMMA_IN_SELECT", nil, "The select list ends with a comma: remove it.")
}

// InvalidSetSyntax reports a SET that has none of its forms.
func InvalidSetSyntax() *Error {
	return newError("INVALID_SET_SYNTAX", nil,
		"SET takes the forms SET, SET -v, SET key and SET key=value; a key with other characters than letters, digits, "+
			"dots, colons, dashes and underscores goes in back quotes, and so does a value with a semicolon.")
}

// InvalidResetFormat reports a RESET that has none of its forms.
func InvalidResetFormat() *Error {
	return newError("INVALID_RESET_COMMAND_FORMAT", nil,
		"RESET takes the forms RESET and RESET key; a key with special characters goes in back quotes.")
}

// ConflictingOrderings reports ORDER BY, SORT BY, DISTRIBUTE BY and CLUSTER BY that cannot stand together.
func ConflictingOrderings() *Error {
	return newError("UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES", nil,
		"ORDER BY, SORT BY, DISTRIBUTE BY and CLUSTER BY cannot be combined (only DISTRIBUTE BY with SORT BY): keep one.")
}

// ReservedTableProperty reports a key that no list of a table's or view's properties may have: instead is what to do.
func ReservedTableProperty(key, instead string) *Error {
	return newError("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", []Param{{"property", key}, {"msg", instead}},
		"%s is a reserved table property: %s.", key, instead)
}

// ReservedNamespaceProperty reports a key that no list of a schema's properties may have: instead is what to do.
func ReservedNamespaceProperty(key, instead string) *Error {
	return newError("UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", []Param{{"property", key}, {"msg", instead}},
		"%s is a reserved schema property: %s.", key, instead)
}

// EmptyIn reports IN () without a value.
func EmptyIn() *Error {
	return newError("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", nil, "IN needs at least one value between its parentheses.")
}

// EmptyPatterns reports LIKE ANY () or LIKE ALL () without a pattern.
func EmptyPatterns() *Error {
	return newError("INVALID_SQL_SYNTAX.EMPTY_QUANTIFIED_PATTERN", nil, "LIKE ANY and LIKE ALL need at least one pattern.")
}

// DescribeJSONNotExtended reports DESCRIBE … AS JSON without EXTENDED.
func DescribeJSONNotExtended() *Error {
	return newError("DESCRIBE_JSON_NOT_EXTENDED", nil, "DESCRIBE … AS JSON needs EXTENDED: write DESCRIBE EXTENDED … AS JSON.")
}

// DecimalScale reports a DECIMAL type with more digits behind the point than digits.
func DecimalScale(scale, precision string) *Error {
	return newError("DECIMAL_SCALE_EXCEEDS_PRECISION", []Param{{"scale", scale}, {"precision", precision}},
		"A decimal of %s digits cannot have %s of them behind the point: lower the scale.", precision, scale)
}

// IncompatibleJoinTypes reports two words of a join that contradict each other.
func IncompatibleJoinTypes(first, second string) *Error {
	return newError("INCOMPATIBLE_JOIN_TYPES", []Param{{"joinType1", first}, {"joinType2", second}},
		"A join cannot be both %s and %s: keep one.", first, second)
}

// DatetimeUnit reports a unit in quotes where a function takes a bare word.
func DatetimeUnit(function, value string) *Error {
	return newError("INVALID_PARAMETER_VALUE.DATETIME_UNIT",
		[]Param{{"functionName", quoteName(function)}, {"parameter", "`unit`"}, {"invalidValue", "'" + value + "'"}},
		"The unit of %s is a word without quotes, such as DAY or MONTH, not '%s'.", function, value)
}

// ViewIfNotExistsAndReplace reports CREATE OR REPLACE VIEW IF NOT EXISTS.
func ViewIfNotExistsAndReplace(name string) *Error {
	return newError("CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE", []Param{{"viewName", name}},
		"CREATE VIEW %s has both OR REPLACE and IF NOT EXISTS: keep one.", name)
}
