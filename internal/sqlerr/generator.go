package sqlerr

import (
	"strconv"
	"strings"
)

// generatorConditions are the conditions of functions that make rows, of lateral joins and
// those by nearness, of TABLESAMPLE and of PIVOT.
var generatorConditions = []row{
	{"UNSUPPORTED_GENERATOR", "42K0E"},
	{"UDTF_ALIAS_NUMBER_MISMATCH", "42802"},
	{"NUM_TABLE_VALUE_ALIASES_MISMATCH", "42826"},
	{"MULTI_ALIAS_WITHOUT_GENERATOR", "42K0E"},
	{"UNRESOLVABLE_TABLE_VALUED_FUNCTION", "42883"},
	{"FAILED_FUNCTION_CALL", "38000"},
	{"INVALID_LATERAL_JOIN_TYPE", "42613"},
	{"NAMED_PARAMETERS_NOT_SUPPORTED", "4274K"},
	{"INVALID_TABLESAMPLE_FRACTION", "22023"},
	{"PIVOT_VALUE_DATA_TYPE_MISMATCH", "42K09"},
	{"NON_LITERAL_PIVOT_VALUES", "42K08"},
	{"INCOMPARABLE_PIVOT_COLUMN", "42818"},
	{"NEAREST_BY_JOIN", "42604"},
	{"NOT_ALLOWED_IN_FROM", "42601"},
	{"UNPIVOT_VALUE_SIZE_MISMATCH", "428C4"},
	{"UNPIVOT_REQUIRES_ATTRIBUTES", "42K0A"},
}

// GeneratorNested reports a generator such as explode inside another expression.
func GeneratorNested(expr string) *Error {
	return newError("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", []Param{{"expression", quoteText(expr)}},
		"A function that makes rows must stand alone in the select list, not inside %s.", expr)
}

// GeneratorOutsideSelect reports a generator in a clause that has no rows to add, such as WHERE.
func GeneratorOutsideSelect(expr, clause string) *Error {
	return newError("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", []Param{{"plan", clause}},
		"%s makes rows, which %s cannot. Use it in the select list, in LATERAL VIEW or in FROM.", expr, clause)
}

// SeveralGenerators reports more than one generator in a select list that aggregates.
func SeveralGenerators(exprs []string) *Error {
	list := quoteText(strings.Join(exprs, `", "`))
	return newError("UNSUPPORTED_GENERATOR.MULTI_GENERATOR", []Param{{"num", strconv.Itoa(len(exprs))}, {"generators", list}},
		"A select list with aggregates can hold one function that makes rows, not %s. Aggregate in a sub-query.", list)
}

// NotAGenerator reports LATERAL VIEW over a function that gives one value.
func NotAGenerator(function string) *Error {
	return newError("UNSUPPORTED_GENERATOR.NOT_GENERATOR", []Param{{"functionName", "`" + function + "`"}, {"classCanonicalName", function}},
		"LATERAL VIEW needs a function that makes rows, such as explode: %s gives one value.", function)
}

// GeneratorAliases reports a wrong number of names after AS for the columns of a generator.
func GeneratorAliases(want int, names []string) *Error {
	return newError("UDTF_ALIAS_NUMBER_MISMATCH", []Param{{"aliasesSize", strconv.Itoa(want)}, {"aliasesNames", strings.Join(names, ",")}},
		"The function makes %d column(s), but AS names %d: %s.", want, len(names), strings.Join(names, ", "))
}

// TableFunctionAliases reports a wrong number of column names for a table-valued function.
func TableFunctionAliases(function string, given, want int) *Error {
	return newError("NUM_TABLE_VALUE_ALIASES_MISMATCH",
		[]Param{{"funcName", "`" + function + "`"}, {"aliasesNum", strconv.Itoa(given)}, {"outColsNum", strconv.Itoa(want)}},
		"%s makes %d column(s), but its alias names %d.", function, want, given)
}

// AliasesWithoutGenerator reports AS (a, b) after something that gives one value.
func AliasesWithoutGenerator(expr string, names []string) *Error {
	return newError("MULTI_ALIAS_WITHOUT_GENERATOR", []Param{{"expr", quoteText(expr)}, {"names", strings.Join(names, ", ")}},
		"%s is one column and cannot have the names %s.", expr, strings.Join(names, ", "))
}

// TableFunctionNotFound reports an unknown table-valued function.
func TableFunctionNotFound(name string) *Error {
	return newError("UNRESOLVABLE_TABLE_VALUED_FUNCTION", []Param{{"name", name}}, "There is no table-valued function %s.", name)
}

// TableFunctionFailed reports constant arguments that a table-valued function cannot work with; why says what is wrong.
func TableFunctionFailed(function, why string) *Error {
	return newError("FAILED_FUNCTION_CALL", []Param{{"funcName", "`" + function + "`"}}, "%s: %s.", function, why)
}

// LateralJoinType reports a kind of join whose right side cannot refer to the left.
func LateralJoinType(kind string) *Error {
	return newError("INVALID_LATERAL_JOIN_TYPE", []Param{{"joinType", kind}},
		"LATERAL cannot be the right side of a %s JOIN: only of inner, cross and left joins.", kind)
}

// StackTypes reports two values of stack that stand in one column and have different types. column counts from 0, left
// and right are positions of arguments from 0.
func StackTypes(sql string, column, left int, leftType string, right int, rightType string) *Error {
	return newError("DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES", []Param{
		{"sqlExpr", quoteText(sql)},
		{"columnIndex", strconv.Itoa(column)},
		{"leftParamIndex", strconv.Itoa(left)},
		{"leftType", quoteText(leftType)},
		{"rightParamIndex", strconv.Itoa(right)},
		{"rightType", quoteText(rightType)},
	},
		"In %s, column %d must have one type, but has %s and %s. Cast the values.", sql, column, leftType, rightType)
}

// NonStringArguments reports arguments that must be text and are not.
func NonStringArguments(sql, function string) *Error {
	return newError("DATATYPE_MISMATCH.NON_STRING_TYPE", []Param{{"sqlExpr", quoteText(sql)}, {"funcName", "`" + function + "`"}},
		"In %s, all arguments must be STRING.", sql)
}

// NamedParametersUnsupported reports name => value for a function whose parameters have no names.
func NamedParametersUnsupported(function string) *Error {
	return newError("NAMED_PARAMETERS_NOT_SUPPORTED", []Param{{"functionName", "`" + function + "`"}},
		"The parameters of %s have no names: give its arguments by position.", function)
}

// SampleFraction reports a TABLESAMPLE of less than nothing or more than all.
func SampleFraction(fraction string) *Error {
	return newError("INVALID_TABLESAMPLE_FRACTION", []Param{{"fraction", fraction}},
		"A sample must be from 0 to 100 percent of the rows: the share %s is not.", fraction)
}

// TableArgument reports TABLE(…) given to a function that takes values.
func TableArgument() *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_TABLE_ARGUMENT", nil,
		"TABLE(…) is an argument of table-valued functions that take tables, of which there are none here.")
}

// TableArgumentParentheses reports TABLE t as an argument, without parentheses around the name.
func TableArgumentParentheses(name string) *Error {
	return newError("INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES", []Param{{"argumentName", name}},
		"A table as an argument stands in parentheses: TABLE(%s).", name)
}

// LateralCondition reports a lateral join whose condition gives a new value each time.
func LateralCondition(cond string) *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.LATERAL_JOIN_CONDITION_NON_DETERMINISTIC", []Param{{"condition", cond}},
		"The condition of a lateral join must be the same for equal rows, which %s is not.", cond)
}

// RandomLateral reports a lateral sub-query that gives new rows each time it is computed, over more than one row.
func RandomLateral() *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.NON_DETERMINISTIC_LATERAL_SUBQUERIES", nil,
		"A lateral sub-query over more than one row must give the same rows each time: compute what is random before it.")
}

// PivotValueType reports a value of PIVOT that does not cast to the type of the pivot's columns.
func PivotValueType(value, valueType, pivotType string) *Error {
	return newError("PIVOT_VALUE_DATA_TYPE_MISMATCH", []Param{{"value", value}, {"valueType", valueType}, {"pivotType", pivotType}},
		"The value %s of PIVOT is %s, but what it is compared with is %s.", value, valueType, pivotType)
}

// PivotValueNotConstant reports a value of PIVOT that is no constant.
func PivotValueNotConstant(expr string) *Error {
	return newError("NON_LITERAL_PIVOT_VALUES", []Param{{"expression", quoteText(expr)}}, "The values of PIVOT must be constants: %s is none.", expr)
}

// PivotColumn reports a column of PIVOT whose values cannot be compared.
func PivotColumn(name string) *Error {
	return newError("INCOMPARABLE_PIVOT_COLUMN", []Param{{"columnName", name}}, "PIVOT cannot be FOR %s: its values have no order.", name)
}

// NearestJoinType reports a kind of join that NEAREST does not go with.
func NearestJoinType(kind string) *Error {
	return newError("NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE", []Param{{"joinType", kind}, {"supported", "'INNER', 'LEFT OUTER'"}},
		"A %s JOIN cannot be by nearness: only inner and left joins can.", kind)
}

// NearestCount reports how many rows NEAREST asks for when that is out of range.
func NearestCount(count, most int64) *Error {
	return newError("NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE",
		[]Param{{"numResults", strconv.FormatInt(count, 10)}, {"min", "1"}, {"max", strconv.FormatInt(most, 10)}},
		"NEAREST takes a number of rows from 1 to %d, not %d.", most, count)
}

// NearestOrder reports a ranking whose values have no order.
func NearestOrder(expr, typeName string) *Error {
	return newError("NEAREST_BY_JOIN.NON_ORDERABLE_RANKING_EXPRESSION", []Param{{"expression", quoteText(expr)}, {"type", quoteText(typeName)}},
		"%s is %s, which has no order to rank by. Rank by a number such as abs(a.x - b.x).", expr, typeName)
}

// LateralViewWithPivot reports PIVOT or UNPIVOT behind LATERAL VIEW.
func LateralViewWithPivot(word string) *Error {
	return newError(Condition("NOT_ALLOWED_IN_FROM.LATERAL_WITH_"+word), nil,
		"%s cannot follow LATERAL VIEW: put what comes before it into a sub-query.", word)
}

// UnpivotSize reports a set of columns in UNPIVOT that is not as long as the list of value names.
func UnpivotSize(names string) *Error {
	return newError("UNPIVOT_VALUE_SIZE_MISMATCH", []Param{{"names", names}}, "Each set of columns in UNPIVOT must be as long as (%s).", names)
}

// UnpivotColumns reports something other than a column in UNPIVOT, such as a field of one.
func UnpivotColumns(expr string) *Error {
	return newError("UNPIVOT_REQUIRES_ATTRIBUTES", []Param{{"given", "value"}, {"empty", "id"}, {"expressions", quoteText(expr)}},
		"UNPIVOT takes columns: %s is none. Make it one in a sub-query.", expr)
}
