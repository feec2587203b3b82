package sqlerr

import (
	"strconv"
	"strings"
)

// MissingAggregation reports a column that is neither grouped nor aggregated.
func MissingAggregation(expr string) *Error {
	anyValue := "any_value(" + expr + ")"
	return newError("MISSING_AGGREGATION", []Param{{"expression", quoteText(expr)}, {"expressionAnyValue", quoteText(anyValue)}},
		"%s is neither in GROUP BY nor inside an aggregate function. Add it to GROUP BY, or use %s if any value of the group will do.", expr, anyValue)
}

// MissingGroupBy reports a plain column beside aggregates in a query without GROUP BY.
func MissingGroupBy() *Error {
	return newError("MISSING_GROUP_BY", nil, "The query aggregates all rows into one but also uses a plain column. Add a GROUP BY clause, or aggregate the column.")
}

// GroupByAggregate reports an aggregate function inside GROUP BY.
func GroupByAggregate(expr string) *Error {
	return newError("GROUP_BY_AGGREGATE", []Param{{"sqlExpr", expr}}, "GROUP BY cannot contain an aggregate function, found %s.", expr)
}

// GroupByPosAggregate reports a GROUP BY position that points at an aggregate.
func GroupByPosAggregate(index int, expr string) *Error {
	return newError("GROUP_BY_POS_AGGREGATE", []Param{{"index", strconv.Itoa(index)}, {"aggExpr", expr}},
		"GROUP BY position %d points at %s, which contains an aggregate function.", index, expr)
}

// GroupByPosOutOfRange reports a GROUP BY position outside the select list.
func GroupByPosOutOfRange(index string, size int) *Error {
	return newError("GROUP_BY_POS_OUT_OF_RANGE", []Param{{"index", index}, {"size", strconv.Itoa(size)}},
		"GROUP BY position %s is not in the select list, which has %d item(s).", index, size)
}

// OrderByPosOutOfRange reports an ORDER BY position outside the select list.
func OrderByPosOutOfRange(index string, size int) *Error {
	return newError("ORDER_BY_POS_OUT_OF_RANGE", []Param{{"index", index}, {"size", strconv.Itoa(size)}},
		"ORDER BY position %s is not in the select list, which has %d item(s).", index, size)
}

// NestedAggregate reports an aggregate function inside the arguments of another.
func NestedAggregate() *Error {
	return newError("NESTED_AGGREGATE_FUNCTION", nil, "An aggregate function cannot be an argument of another. Compute the inner one in a sub-query.")
}

// UnresolvedGroupByAll reports GROUP BY ALL over items that mix aggregates with plain columns.
func UnresolvedGroupByAll() *Error {
	return newError("UNRESOLVED_ALL_IN_GROUP_BY", nil, "GROUP BY ALL cannot tell what to group by, because an item mixes aggregates with plain columns. Name the groups.")
}

// UnsupportedGrouping reports grouping() or grouping_id() without GROUPING SETS, CUBE or ROLLUP.
func UnsupportedGrouping() *Error {
	return newError("UNSUPPORTED_GROUPING_EXPRESSION", nil, "grouping() and grouping_id() need GROUPING SETS, CUBE or ROLLUP.")
}

// GroupingMismatch reports grouping(x) where x is no grouping column.
func GroupingMismatch(column, keys string) *Error {
	return newError("GROUPING_COLUMN_MISMATCH", []Param{{"grouping", column}, {"groupingColumns", keys}},
		"grouping(%s): the column is not one of the grouping columns %s.", column, keys)
}

// GroupingIDMismatch reports grouping_id(…) whose arguments are not the grouping columns.
func GroupingIDMismatch(columns, keys string) *Error {
	return newError("GROUPING_ID_COLUMN_MISMATCH", []Param{{"groupingIdColumn", columns}, {"groupByColumns", keys}},
		"grouping_id(%s): the arguments must be the grouping columns %s.", columns, keys)
}

// GroupingSizeLimit reports more grouping columns than a grouping id has bits.
func GroupingSizeLimit(max int) *Error {
	return newError("GROUPING_SIZE_LIMIT_EXCEEDED", []Param{{"maxSize", strconv.Itoa(max)}},
		"GROUPING SETS, CUBE and ROLLUP take at most %d grouping columns.", max)
}

// InvalidWhere reports an aggregate function in WHERE.
func InvalidWhere(condition string, found []string) *Error {
	list := strings.Join(found, ", ")
	return newError("INVALID_WHERE_CONDITION", []Param{{"condition", quoteText(condition)}, {"expressionList", list}},
		"WHERE looks at single rows and cannot contain %s. Use HAVING, or aggregate in a sub-query.", list)
}

// QualifyWithoutWindow reports QUALIFY in a query without window functions.
func QualifyWithoutWindow() *Error {
	return newError("QUALIFY_REQUIRES_WINDOW_FUNCTION", nil, "QUALIFY filters by window functions, but neither it nor the select list has one. Use WHERE.")
}

// WindowNotAllowed reports a window function in a clause that is computed before windows are.
func WindowNotAllowed(clause string) *Error {
	return newError("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", []Param{{"clauseName", clause}},
		"A window function cannot be used in %s. Use QUALIFY, or compute it in a sub-query.", clause)
}

// WindowInAggregate reports a window function in the argument of an aggregate function; Spark has no condition for it.
func WindowInAggregate() *Error {
	return newError("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", []Param{{"clauseName", "AGGREGATE FUNCTION"}},
		"A window function cannot be an argument of an aggregate function. Compute the window function in a sub-query.")
}

// WindowWithoutOver reports a window function that lacks its OVER clause.
func WindowWithoutOver(function string) *Error {
	return newError("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", []Param{{"funcName", quoteText(function)}},
		"%s is a window function and needs an OVER clause.", function)
}

// WindowNotOrdered reports a ranking function whose window has no ORDER BY.
func WindowNotOrdered(name, expr string) *Error {
	return newError("WINDOW_FUNCTION_FRAME_NOT_ORDERED", []Param{{"wf_name", name}, {"wf_expr", expr}},
		"%s needs an ordered window: add ORDER BY inside OVER.", expr)
}

// NestedWindow reports a window function inside another.
func NestedWindow() *Error {
	return newError("NESTED_WINDOW_FUNCTION", nil, "A window function cannot be an argument of another. Compute the inner one in a sub-query.")
}

// NotAWindowFunction reports OVER after a function that is no window or aggregate function.
func NotAWindowFunction(expr string) *Error {
	return newError("UNSUPPORTED_EXPR_FOR_WINDOW", []Param{{"sqlExpr", quoteText(expr)}}, "%s cannot be used with OVER: it is neither an aggregate nor a window function.", expr)
}

// DistinctWindow reports DISTINCT inside a window function.
func DistinctWindow(expr string) *Error {
	return newError("DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", []Param{{"windowExpr", quoteText(expr)}}, "A window function cannot be DISTINCT: %s.", expr)
}

// MissingWindow reports OVER name where no WINDOW clause defines the name.
func MissingWindow(name string) *Error {
	return newError("MISSING_WINDOW_SPECIFICATION", []Param{{"windowName", name}}, "No WINDOW clause defines the window %s.", name)
}

// FixedFrame reports a frame given to a function that has its own, such as lag.
func FixedFrame(name string) *Error {
	return newError("FIXED_WINDOW_FRAME", []Param{{"funcName", name}}, "%s has a frame of its own: leave ROWS or RANGE out.", name)
}

// FrameBounds reports a frame whose start lies after its end.
func FrameBounds(frame string) *Error {
	return newError("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", []Param{{"comparison", "less than or equal"}, {"sqlExpr", quoteText(frame)}},
		"The window frame %s ends before it starts.", frame)
}

// FrameBoundType reports a frame offset that is no number or interval that fits.
func FrameBoundType(bound, exprType, expected string) *Error {
	return newError("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
		[]Param{{"location", bound}, {"exprType", quoteText(exprType)}, {"expectedType", expected}},
		"The %s bound of the window frame is %s, but must be %s.", bound, exprType, expected)
}

// FrameBoundOrder reports a frame that begins at UNBOUNDED FOLLOWING or ends at UNBOUNDED PRECEDING.
func FrameBoundOrder(frame string) *Error {
	return newError("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND", []Param{{"sqlExpr", quoteText(frame)}},
		"The window frame %s begins behind all rows or ends before all of them.", frame)
}

// FrameBoundTypes reports offsets of two types in one frame.
func FrameBoundTypes(frame, lower, upper string) *Error {
	return newError("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES",
		[]Param{{"lowerType", quoteText(lower)}, {"upperType", quoteText(upper)}, {"sqlExpr", quoteText(frame)}},
		"The bounds of the window frame %s have two types, %s and %s. Write both in one.", frame, lower, upper)
}

// RangeFrameType reports a RANGE frame whose offset cannot be added to the key.
func RangeFrameType(window, key, offset string) *Error {
	return newError("DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
		[]Param{{"orderSpecType", quoteText(key)}, {"valueBoundaryType", quoteText(offset)}, {"sqlExpr", quoteText(window)}},
		"A RANGE frame over a key of type %s cannot have an offset of type %s.", key, offset)
}

// RangeFrameMultiOrder reports a RANGE frame with an offset over several ordering keys.
func RangeFrameMultiOrder(window, order string) *Error {
	return newError("DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", []Param{{"orderSpec", order}, {"sqlExpr", quoteText(window)}},
		"A RANGE frame with an offset needs exactly one ORDER BY key, not %s.", order)
}

// RangeFrameWithoutOrder reports a RANGE frame in a window that is not ordered.
func RangeFrameWithoutOrder(window string) *Error {
	return newError("DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", []Param{{"sqlExpr", quoteText(window)}},
		"A RANGE frame needs an ORDER BY key: %s has none.", window)
}

// InvalidFrameBound reports a frame offset that is not constant.
func InvalidFrameBound() *Error {
	return newError("INVALID_SQL_SYNTAX.INVALID_WINDOW_FRAME_BOUND", nil, "The offset of a window frame must be a constant.")
}

// QualifyAggregate reports an aggregate function in QUALIFY of a query that groups nothing.
func QualifyAggregate(expr string) *Error {
	return newError("QUALIFY_AGGREGATE_NOT_ALLOWED", []Param{{"aggregateExpr", quoteText(expr)}},
		"QUALIFY of a query that does not group cannot contain the aggregate function %s. Use it over a window, or in a sub-query.", expr)
}

// StarGroupByPosition reports a position in GROUP BY of a select list with *.
func StarGroupByPosition() *Error {
	return newError("STAR_GROUP_BY_POS", nil, "GROUP BY cannot use positions when the select list has a star. Name the columns.")
}

// LateralAliasInGroupBy reports a key of GROUP BY that is an alias made of another alias of the same select list.
func LateralAliasInGroupBy() *Error {
	return newError("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GROUP_BY", nil,
		"A GROUP BY key, named by its alias or by ALL, uses another alias of the same select list. Write the expression out.")
}

// AggregateBesideWindow reports an aggregate that an ordering asks for in a query that computes window functions over groups.
func AggregateBesideWindow(exprs []string) *Error {
	for i := range exprs {
		exprs[i] = quoteText(exprs[i])
	}
	list := strings.Join(exprs, ", ")
	return newError("UNSUPPORTED_EXPR_FOR_OPERATOR", []Param{{"invalidExprSqls", list}},
		"ORDER BY cannot compute %s above window functions over groups. Put it into the select list and order by its alias.", list)
}
