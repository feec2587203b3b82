package sqlerr

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// analysisConditions are the conditions of binding a query: names, grouping, windows, joins, sub-queries and inline tables.
var analysisConditions = []row{
	{"TABLE_OR_VIEW_NOT_FOUND", "42P01"},
	{"UNRESOLVED_COLUMN", "42703"},
	{"UNRESOLVED_USING_COLUMN_FOR_JOIN", "42703"},
	{"FIELD_NOT_FOUND", "42704"},
	{"AMBIGUOUS_REFERENCE", "42704"},
	{"AMBIGUOUS_REFERENCE_TO_FIELDS", "42000"},
	{"AMBIGUOUS_LATERAL_COLUMN_ALIAS", "42702"},
	{"INVALID_EXTRACT_BASE_FIELD_TYPE", "42000"},
	{"INVALID_EXTRACT_FIELD_TYPE", "42000"},
	{"INVALID_TYPED_LITERAL", "42604"},
	{"UNSUPPORTED_TYPED_LITERAL", "0A000"},
	{"CANNOT_PARSE_INTERVAL", "22006"},
	{"UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY", "0A000"},
	{"UNBOUND_SQL_PARAMETER", "42P02"},
	{"CANNOT_RESOLVE_STAR_EXPAND", "42704"},
	{"INVALID_USAGE_OF_STAR_OR_REGEX", "42000"},
	{"INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT", "42000"},
	{"EXCEPT_OVERLAPPING_COLUMNS", "42702"},
	{"MISSING_AGGREGATION", "42803"},
	{"MISSING_GROUP_BY", "42803"},
	{"GROUP_BY_AGGREGATE", "42903"},
	{"GROUP_BY_POS_AGGREGATE", "42903"},
	{"GROUP_BY_POS_OUT_OF_RANGE", "42805"},
	{"ORDER_BY_POS_OUT_OF_RANGE", "42805"},
	{"NESTED_AGGREGATE_FUNCTION", "42607"},
	{"UNRESOLVED_ALL_IN_GROUP_BY", "42803"},
	{"UNSUPPORTED_GROUPING_EXPRESSION", "42K0E"},
	{"GROUPING_COLUMN_MISMATCH", "42803"},
	{"GROUPING_ID_COLUMN_MISMATCH", "42803"},
	{"GROUPING_SIZE_LIMIT_EXCEEDED", "54000"},
	{"INVALID_WHERE_CONDITION", "42903"},
	{"QUALIFY_REQUIRES_WINDOW_FUNCTION", "42903"},
	{"QUALIFY_AGGREGATE_NOT_ALLOWED", "42903"},
	{"STAR_GROUP_BY_POS", "0A000"},
	{"UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E"},
	{"AMBIGUOUS_ALIAS_IN_NESTED_CTE", "42KD0"},
	{"WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", "42601"},
	{"WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "42601"},
	{"WINDOW_FUNCTION_FRAME_NOT_ORDERED", "42601"},
	{"NESTED_WINDOW_FUNCTION", "42P20"},
	{"UNSUPPORTED_EXPR_FOR_WINDOW", "42P20"},
	{"DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "0A000"},
	{"MISSING_WINDOW_SPECIFICATION", "42P20"},
	{"FIXED_WINDOW_FRAME", "42P20"},
	{"JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", "42K0E"},
	{"NUM_COLUMNS_MISMATCH", "42826"},
	{"INCOMPATIBLE_COLUMN_TYPE", "42825"},
	{"ASSIGNMENT_ARITY_MISMATCH", "42802"},
	{"INVALID_LIMIT_LIKE_EXPRESSION", "42K0E"},
	{"INVALID_SUBQUERY_EXPRESSION", "42823"},
	{"INVALID_INLINE_TABLE", "42000"},
	{"DUPLICATED_CTE_NAMES", "42602"},
	{"RECURSIVE_VIEW", "42K0H"},
	{"VIEW_EXCEED_MAX_NESTED_DEPTH", "54K00"},
	{"UNSUPPORTED_FEATURE.VIEW_TIME_ZONE", "0A000"},
	{"INVALID_AGGREGATE_FILTER", "42903"},
	{"MULTI_SOURCES_UNSUPPORTED_FOR_EXPRESSION", "42K0E"},
	{"AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", "42845"},
	{"UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E"},
	{"SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", "0A000"},
	{"NOT_A_CONSTANT_STRING", "42601"},
	{"UNPIVOT_VALUE_DATA_TYPE_MISMATCH", "42K09"},
	{"INCOMPATIBLE_VIEW_SCHEMA_CHANGE", "51024"},
	{"CANNOT_UP_CAST_DATATYPE", "42846"},
}

// quoteText wraps an expression's text or a type's name in double quotes, as Spark's parameters show them.
func quoteText(s string) string { return `"` + s + `"` }

// ordinal is the English ordinal of a position from 1, in words as far as Spark spells them.
func ordinal(i int) string {
	words := []string{"zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if i < len(words) {
		return words[i]
	}
	switch {
	case i%100 >= 11 && i%100 <= 13:
		return strconv.Itoa(i) + "th"
	case i%10 == 1:
		return strconv.Itoa(i) + "st"
	case i%10 == 2:
		return strconv.Itoa(i) + "nd"
	case i%10 == 3:
		return strconv.Itoa(i) + "rd"
	}
	return strconv.Itoa(i) + "th"
}

// TableOrViewNotFound reports a relation that no catalog has. name is back-quoted as written; near are back-quoted
// names that look alike, best first, and may be empty.
func TableOrViewNotFound(name string, near []string) *Error {
	hint := "Check the spelling and the current catalog and schema, or qualify the name"
	if len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, ", ") + "? If not, check the current catalog and schema, or qualify the name"
	}
	return newError("TABLE_OR_VIEW_NOT_FOUND", []Param{{"relationName", name}, {"proposal", strings.Join(near, ", ")}},
		"There is no table or view %s. %s; DROP … IF EXISTS tolerates a missing one.", name, hint)
}

// UnresolvedColumn reports a name that is no column in sight. name is back-quoted; near are back-quoted columns in
// order of likeness, and may be empty.
func UnresolvedColumn(name string, near []string) *Error {
	if len(near) == 0 {
		return newError("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", []Param{{"objectName", name}},
			"There is no column, variable or parameter named %s here.", name)
	}
	list := strings.Join(near, ", ")
	return newError("UNRESOLVED_COLUMN.WITH_SUGGESTION", []Param{{"objectName", name}, {"proposal", list}},
		"There is no column, variable or parameter named %s here. Did you mean one of these? %s.", name, list)
}

// UnresolvedUsingColumn reports a USING column that one side of the join ("left" or "right") lacks.
func UnresolvedUsingColumn(column, side string, have []string) *Error {
	list := strings.Join(have, ", ")
	return newError("UNRESOLVED_USING_COLUMN_FOR_JOIN", []Param{{"colName", column}, {"side", side}, {"suggestion", list}},
		"USING names the column %s, which the %s side of the join does not have. It has: %s.", column, side, list)
}

// FieldNotFound reports a STRUCT without the field. Both are back-quoted.
func FieldNotFound(field string, have []string) *Error {
	list := strings.Join(have, ", ")
	return newError("FIELD_NOT_FOUND", []Param{{"fieldName", field}, {"fields", list}},
		"The struct has no field %s. It has: %s.", field, list)
}

// AmbiguousReference reports a name that fits several columns.
func AmbiguousReference(name string, candidates []string) *Error {
	list := "[" + strings.Join(candidates, ", ") + "]"
	return newError("AMBIGUOUS_REFERENCE", []Param{{"name", name}, {"referenceNames", list}},
		"The name %s could mean any of %s. Qualify it with the table's name or alias.", name, list)
}

// AmbiguousFields reports a STRUCT with several fields of one name.
func AmbiguousFields(field string, count int) *Error {
	return newError("AMBIGUOUS_REFERENCE_TO_FIELDS", []Param{{"field", field}, {"count", strconv.Itoa(count)}},
		"The struct has %d fields named %s, so the name does not say which.", count, field)
}

// AmbiguousLateralAlias reports an alias that several earlier items of the select list carry.
func AmbiguousLateralAlias(name string, count int) *Error {
	return newError("AMBIGUOUS_LATERAL_COLUMN_ALIAS", []Param{{"name", name}, {"n", strconv.Itoa(count)}},
		"The alias %s is given to %d items of this select list, so a later item cannot refer to it.", name, count)
}

// InvalidExtractBase reports a field or element taken out of something that has none. base is SQL text, other the type.
func InvalidExtractBase(base, other string) *Error {
	return newError("INVALID_EXTRACT_BASE_FIELD_TYPE", []Param{{"base", quoteText(base)}, {"other", quoteText(other)}},
		"Cannot take a value out of %s: it is %s, and only STRUCT, ARRAY and MAP hold values.", base, other)
}

// InvalidExtractField reports a STRUCT field named by something other than a constant text.
func InvalidExtractField(extraction string) *Error {
	return newError("INVALID_EXTRACT_FIELD_TYPE", []Param{{"extraction", quoteText(extraction)}},
		"A field of a STRUCT is named by a constant text, not by %s.", extraction)
}

// InvalidTypedLiteral reports a typed literal such as DATE'…' whose text is no such value.
func InvalidTypedLiteral(typeName, value string) *Error {
	return newError("INVALID_TYPED_LITERAL", []Param{{"valueType", quoteText(typeName)}, {"value", "'" + value + "'"}},
		"'%s' is not a valid %s literal.", value, typeName)
}

// UnsupportedTypedLiteral reports a literal with an unknown type name before it.
func UnsupportedTypedLiteral(typeName string) *Error {
	const known = `"DATE", "TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP", "INTERVAL", "X"`
	return newError("UNSUPPORTED_TYPED_LITERAL", []Param{{"unsupportedType", quoteText(typeName)}, {"supportedTypes", known}},
		"%s cannot stand before a literal. These can: %s.", typeName, known)
}

// CannotParseInterval reports an interval literal that does not parse.
func CannotParseInterval(text string) *Error {
	return newError("CANNOT_PARSE_INTERVAL", []Param{{"intervalString", "'" + text + "'"}},
		"'%s' is not a valid interval. Write a number and a unit, such as INTERVAL '3' DAY or INTERVAL '1-2' YEAR TO MONTH.", text)
}

// UnboundParameter reports a parameter marker without a value.
func UnboundParameter(name string) *Error {
	return newError("UNBOUND_SQL_PARAMETER", []Param{{"name", name}},
		"The parameter %s has no value. Give it one with --param.", name)
}

// CannotResolveStar reports target.* where target is no relation and no struct in sight.
func CannotResolveStar(target string, columns []string) *Error {
	list := strings.Join(columns, ", ")
	return newError("CANNOT_RESOLVE_STAR_EXPAND", []Param{{"targetString", target}, {"columns", list}},
		"%s.* names no relation or struct here. The columns in sight are: %s.", target, list)
}

// InvalidStar reports a star where none may stand. where names the clause or function.
func InvalidStar(where string) *Error {
	return newError("INVALID_USAGE_OF_STAR_OR_REGEX", []Param{{"elem", "'*'"}, {"prettyName", where}},
		"A '*' cannot be used in %s.", where)
}

// InvalidColumnRegex reports a regular expression over names of columns where one value must stand.
func InvalidColumnRegex(pattern string) *Error {
	return newError("INVALID_USAGE_OF_STAR_OR_REGEX", []Param{{"elem", "regular expression '" + pattern + "'"}, {"prettyName", "expression"}},
		"The regular expression `%s` over names of columns may only stand for itself in a select list or among the arguments of a function: spark.sql.parser.quotedRegexColumnNames is on.", pattern)
}

// ColumnRegex reports a regular expression over names of columns that does not compile.
func ColumnRegex(pattern string) *Error {
	return newError("INVALID_PARAMETER_VALUE.PATTERN", []Param{{"parameter", "`regexp`"}, {"functionName", "`select`"}, {"value", "'" + pattern + "'"}},
		"'%s' is not a regular expression of Java's. Write a name of no other characters than letters, digits and _ without quotes, or turn spark.sql.parser.quotedRegexColumnNames off.", pattern)
}

// StarWithTableInCount reports count(t.*), which counts rows without NULLs elsewhere and is refused by Spark.
func StarWithTableInCount(table string) *Error {
	return newError("INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT", []Param{{"tableName", table}},
		"count(%s.*) is refused because its meaning is unclear. Use count(*), or name the columns.", table)
}

// ExceptOverlap reports a column named twice in * EXCEPT.
func ExceptOverlap(columns []string) *Error {
	list := strings.Join(columns, ", ")
	return newError("EXCEPT_OVERLAPPING_COLUMNS", []Param{{"columns", list}},
		"* EXCEPT names a column more than once: %s.", list)
}

// FilterNotBoolean reports a WHERE, HAVING or QUALIFY condition that is not BOOLEAN.
func FilterNotBoolean(expr, typeName string) *Error {
	return newError("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
		[]Param{{"sqlExpr", quoteText(expr)}, {"filter", quoteText(expr)}, {"type", quoteText(typeName)}},
		"A condition must be BOOLEAN, but %s is %s.", expr, typeName)
}

// JoinConditionNotBoolean reports an ON condition that is not BOOLEAN.
func JoinConditionNotBoolean(expr, typeName string) *Error {
	return newError("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", []Param{{"joinCondition", quoteText(expr)}, {"conditionType", quoteText(typeName)}},
		"A join condition must be BOOLEAN, but %s is %s.", expr, typeName)
}

// InSubqueryLength reports IN (query) whose sides have different numbers of columns.
func InSubqueryLength(expr string, left, right []string) *Error {
	quote := func(s []string) string {
		q := make([]string, len(s))
		for i := range s {
			q[i] = quoteText(s[i])
		}
		return strings.Join(q, ", ")
	}
	return newError("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", []Param{
		{"sqlExpr", quoteText(expr)},
		{"leftLength", strconv.Itoa(len(left))},
		{"leftColumns", quote(left)},
		{"rightLength", strconv.Itoa(len(right))},
		{"rightColumns", quote(right)},
	},
		"The left side of IN has %d column(s), but the sub-query has %d.", len(left), len(right))
}

// InSubqueryTypes reports IN (query) whose sides have no common type.
func InSubqueryTypes(expr, left, right string) *Error {
	return newError("DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", []Param{
		{"sqlExpr", quoteText(expr)},
		{"leftType", quoteText(left)},
		{"rightType", quoteText(right)},
	},
		"The two sides of IN cannot be compared: %s against %s.", left, right)
}

// NotOrderable reports an ORDER BY key of a type without an order.
func NotOrderable(expr, typeName string) *Error {
	return newError("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", []Param{{"functionName", "`sortorder`"}, {"dataType", quoteText(typeName)}, {"sqlExpr", quoteText(expr)}},
		"Cannot order by %s: values of type %s have no order.", expr, typeName)
}

// SetOperationOnMap reports DISTINCT or a set operation over a MAP column, which has no equality.
func SetOperationOnMap(column, typeName string) *Error {
	return newError("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE", []Param{{"colName", column}, {"dataType", quoteText(typeName)}},
		"DISTINCT and set operations compare rows, but the column %s is %s, which cannot be compared.", column, typeName)
}

// NumColumnsMismatch reports a set operation over inputs of different widths.
func NumColumnsMismatch(operator string, first, second int) *Error {
	return newError("NUM_COLUMNS_MISMATCH", []Param{
		{"operator", operator},
		{"firstNumColumns", strconv.Itoa(first)},
		{"invalidOrdinalNum", ordinal(2)},
		{"invalidNumColumns", strconv.Itoa(second)},
	},
		"%s needs inputs of equal width: the first has %d column(s), the second %d.", operator, first, second)
}

// IncompatibleColumnType reports a set operation over columns without a common type. column counts from 1.
func IncompatibleColumnType(operator string, column int, first, second string) *Error {
	return newError("INCOMPATIBLE_COLUMN_TYPE", []Param{
		{"operator", operator},
		{"columnOrdinalNumber", ordinal(column)},
		{"tableOrdinalNumber", ordinal(2)},
		{"dataType1", quoteText(second)},
		{"dataType2", quoteText(first)},
		{"hint", ""},
	},
		"%s: the %s column is %s in the first input but %s in the second, and these have no common type.", operator, ordinal(column), first, second)
}

// ArityMismatch reports a list of column names that does not fit the number of columns.
func ArityMismatch(names, columns int) *Error {
	return newError("ASSIGNMENT_ARITY_MISMATCH", []Param{{"numExpr", strconv.Itoa(names)}, {"numTarget", strconv.Itoa(columns)}},
		"%d column name(s) are given for %d column(s).", names, columns)
}

// LimitType reports a LIMIT or OFFSET (name) that is no INT.
func LimitType(name, expr, typeName string) *Error {
	return newError("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", []Param{{"name", name}, {"expr", quoteText(expr)}, {"dataType", quoteText(typeName)}},
		"The %s must be an INT, but %s is %s.", name, expr, typeName)
}

// LimitNegative reports a negative LIMIT or OFFSET.
func LimitNegative(name, expr string, v int64) *Error {
	return newError("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", []Param{{"name", name}, {"expr", quoteText(expr)}, {"v", strconv.FormatInt(v, 10)}},
		"The %s must be 0 or more, but is %d.", name, v)
}

// LimitNull reports a NULL LIMIT or OFFSET.
func LimitNull(name, expr string) *Error {
	return newError("INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL", []Param{{"name", name}, {"expr", quoteText(expr)}}, "The %s must not be NULL.", name)
}

// LimitUnfoldable reports a LIMIT or OFFSET that is not constant.
func LimitUnfoldable(name, expr string) *Error {
	return newError("INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE", []Param{{"name", name}, {"expr", quoteText(expr)}},
		"The %s must be a constant, but %s is not.", name, expr)
}

// ScalarSubqueryColumns reports a scalar sub-query with several columns.
func ScalarSubqueryColumns(n int) *Error {
	return newError("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN", []Param{{"number", strconv.Itoa(n)}},
		"A sub-query used as a value must have one column, but this one has %d.", n)
}

// InlineTableWidth reports a row of VALUES (counted from 0) of the wrong length.
func InlineTableWidth(expected, actual, row int) *Error {
	return newError("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", []Param{
		{"expectedNumCols", strconv.Itoa(expected)},
		{"actualNumCols", strconv.Itoa(actual)},
		{"rowIndex", strconv.Itoa(row)},
	},
		"VALUES: %d column(s) are expected, but row %d has %d.", expected, row, actual)
}

// InlineTableTypes reports a column of VALUES without a common type.
func InlineTableTypes(column string) *Error {
	return newError("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", []Param{{"colName", column}},
		"VALUES: the values of column %s have no common type.", column)
}

// InlineTableExpression reports an expression in VALUES that has no value by itself, such as an aggregate.
func InlineTableExpression(expr string) *Error {
	return newError("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE", []Param{{"expr", quoteText(expr)}},
		"VALUES cannot contain %s: it has no value of its own.", expr)
}

// InlineTableEvaluation reports an expression in VALUES whose value cannot be computed; why says what is wrong with it.
func InlineTableEvaluation(expr string, why error) *Error {
	text := why.Error()
	var known *Error
	if errors.As(why, &known) {
		text = known.Message
	}
	e := newError("INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION", []Param{{"sqlExpr", quoteText(expr)}},
		"VALUES: %s cannot be computed. %s", expr, text)
	e.Cause = why
	return e
}

// DuplicateCTE reports a WITH clause that defines a name twice.
func DuplicateCTE(names string) *Error {
	return newError("DUPLICATED_CTE_NAMES", []Param{{"duplicateNames", names}}, "WITH defines %s more than once.", names)
}

// RecursiveView reports a view whose definition reaches itself. path lists the names on the way.
func RecursiveView(name string, path []string) *Error {
	list := strings.Join(path, " -> ")
	return newError("RECURSIVE_VIEW", []Param{{"viewIdent", name}, {"newPath", list}}, "The view %s is defined by itself: %s.", name, list)
}

// ViewTooDeep reports views nested beyond the limit.
func ViewTooDeep(name string, max int) *Error {
	return newError("VIEW_EXCEED_MAX_NESTED_DEPTH", []Param{{"viewName", name}, {"maxNestedDepth", fmt.Sprint(max)}},
		"The view %s lies %d views deep, which is the limit. Define it by fewer layers.", name, max)
}

// LateralAliasInAggregate reports an alias of the select list used inside an aggregate function.
func LateralAliasInAggregate(alias, aggregate string) *Error {
	return newError("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC", []Param{{"lca", alias}, {"aggFunc", quoteText(aggregate)}},
		"The alias %s of this select list cannot be used inside the aggregate function %s. Repeat its expression, or use a sub-query.", alias, aggregate)
}

// AggregateFilter reports a FILTER clause that is not BOOLEAN or holds what it cannot: sub is the sub-condition.
func AggregateFilter(sub, filter string) *Error {
	return newError(Condition("INVALID_AGGREGATE_FILTER."+sub), []Param{{"filterExpr", quoteText(filter)}},
		"FILTER needs a BOOLEAN condition over single rows, without aggregate, window and random functions: %s is none.", filter)
}

// RandomAggregate reports an aggregate over values that are new each time they are computed.
func RandomAggregate(aggregate string) *Error {
	return newError("AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", []Param{{"sqlExpr", quoteText(aggregate)}},
		"%s is an aggregate over what has a new value each time it is computed. Compute it in a sub-query.", aggregate)
}

// MultiSources reports a function that says which file a row is from, over rows of several tables.
func MultiSources(expr string) *Error {
	return newError("MULTI_SOURCES_UNSUPPORTED_FOR_EXPRESSION", []Param{{"expr", quoteText(expr)}},
		"%s cannot tell which of several tables is meant. Call it in a sub-query over one of them.", expr)
}

// ExprNotAllowed reports an aggregate or window function in a clause that cannot hold it.
func ExprNotAllowed(clause, expr string) *Error {
	return newError("UNSUPPORTED_EXPR_FOR_OPERATOR", []Param{{"operator", clause}, {"invalidExprSqls", quoteText(expr)}},
		"%s cannot be used in %s. Compute it in a sub-query.", expr, clause)
}

// SubqueryNotGrouped reports a correlated sub-query in an aggregating query that uses columns which are not grouped.
func SubqueryNotGrouped(expr string) *Error {
	return newError("SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", []Param{{"sqlExpr", quoteText(expr)}},
		"The sub-query %s refers to a column of the query around it that is neither grouped nor aggregated.", expr)
}

// ViewTimeZone reports what a view or SQL function computes by the time zone in which it was made, where the session has
// another and Tarn has no words for it.
func ViewTimeZone(what string) *Error {
	return newError("UNSUPPORTED_FEATURE.VIEW_TIME_ZONE", []Param{{"feature", what}},
		"%s in a view or SQL function that was made under another spark.sql.session.timeZone is not supported. SET TIME ZONE to that one, or make the view again under this one.", what)
}

// ViewChanged reports a view whose query no longer has the columns that the view declares.
func ViewChanged(view string, want, have int) *Error {
	return newError("INCOMPATIBLE_VIEW_SCHEMA_CHANGE", []Param{{"viewName", view}, {"expectedNum", strconv.Itoa(want)}, {"actualCols", strconv.Itoa(have)}},
		"The view %s has %d column(s), but its query now yields %d. Define the view again.", view, want, have)
}

// CannotUpCast reports a column whose values might not fit the type that a view WITH SCHEMA BINDING gives it.
func CannotUpCast(column, from, to string) *Error {
	return newError("CANNOT_UP_CAST_DATATYPE", []Param{{"expression", column}, {"sourceType", from}, {"targetType", to}},
		"The column %s is %s now, which may not fit %s, its type in the view. Define the view again, or WITH SCHEMA COMPENSATION or TYPE EVOLUTION.", column, from, to)
}

// ViewColumnChanged reports a view whose query no longer has a column, or has it more or less often than when it was made.
func ViewColumnChanged(view, column string, want, have int) *Error {
	return newError("INCOMPATIBLE_VIEW_SCHEMA_CHANGE", []Param{{"viewName", view}, {"colName", column}, {"expectedNum", strconv.Itoa(want)}, {"actualCols", strconv.Itoa(have)}},
		"The query of view %s had %d column(s) named %s when the view was made, and has %d now. Define the view again.", view, want, column, have)
}

// OuterAggregate reports an aggregate in a sub-query over columns of the query around it only.
func OuterAggregate(expr string) *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE", []Param{{"sqlExprs", quoteText(expr)}},
		"%s aggregates only columns of the query around the sub-query. Aggregate them there.", expr)
}

// CountWithoutArgs reports count().
func CountWithoutArgs() *Error {
	return newError("WRONG_NUM_ARGS.WITH_SUGGESTION", []Param{{"functionName", "`count`"}, {"expectedNum", "> 0"}, {"actualNum", "0"}},
		"The function count needs an argument: write count(*) to count rows.")
}

// UnpivotTypes reports columns of UNPIVOT without a common type. types lists them with their columns.
func UnpivotTypes(types string) *Error {
	return newError("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", []Param{{"types", types}},
		"UNPIVOT puts columns of these types into one, and they have no common type: %s.", types)
}
