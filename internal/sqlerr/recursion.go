package sqlerr

import "strconv"

// recursionConditions are the conditions of recursive common table expressions.
var recursionConditions = []row{
	{"INVALID_RECURSIVE_CTE", "42836"},
	{"INVALID_RECURSIVE_REFERENCE", "42836"},
	{"UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE", "42836"},
	{"RECURSION_LEVEL_LIMIT_EXCEEDED", "42836"},
	{"RECURSION_ROW_LIMIT_EXCEEDED", "42836"},
	{"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", "42825"},
}

// InvalidRecursiveCTE reports a common table expression that refers to itself and is not an anchor UNION ALL a step.
func InvalidRecursiveCTE(name string) *Error {
	return newError("INVALID_RECURSIVE_CTE", []Param{{"cteName", name}},
		"The recursive query %s must be an anchor that does not refer to it, UNION ALL a step that does, without ORDER BY or LIMIT of the whole.", name)
}

// UnionInRecursiveCTE reports UNION, which drops duplicates, between anchor and step.
func UnionInRecursiveCTE() *Error {
	return newError("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE", nil, "Only UNION ALL can stand between the anchor and the step of a recursive query, not UNION.")
}

// RecursivePlace reports a reference of a step to itself where the rows of one step do not tell the answer.
func RecursivePlace(name string) *Error {
	return newError("INVALID_RECURSIVE_REFERENCE.PLACE", nil,
		"The step of a recursive query refers to %s inside an aggregation, a window, an ordering, or the side of an outer, semi or anti join that may lack rows.", name)
}

// RecursionLevels reports a recursive query that does not end within its number of steps.
func RecursionLevels(limit int64) *Error {
	return newError("RECURSION_LEVEL_LIMIT_EXCEEDED", []Param{{"levelLimit", strconv.FormatInt(limit, 10)}},
		"The recursive query does not end within %d steps. Give it a condition that ends it, say MAX RECURSION LEVEL, or set spark.sql.cteRecursionLevelLimit.", limit)
}

// RecursionRows reports a recursive query that makes too many rows.
func RecursionRows(limit int64) *Error {
	return newError("RECURSION_ROW_LIMIT_EXCEEDED", []Param{{"rowLimit", strconv.FormatInt(limit, 10)}},
		"The recursive query makes %d rows or more. Limit its rows, or set spark.sql.cteRecursionRowLimit.", limit)
}

// RecursionTypes reports a step whose column does not fit the type of the anchor's.
func RecursionTypes(anchor, step string) *Error {
	return newError("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", []Param{{"left", quoteText(anchor)}, {"right", quoteText(step)}},
		"The anchor of a recursive query gives a column of type %s, where the step gives %s. Cast one of them.", anchor, step)
}
