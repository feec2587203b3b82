package sqlerr

// SubqueryPlace reports a sub-query that stands where it cannot, or that uses the columns around it in a way that it
// cannot; sub is the rest of the condition's name.
func SubqueryPlace(sub, why string) *Error {
	return newError(Condition("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY."+sub), nil, "This use of a sub-query is refused: %s.", why)
}

// OuterReference reports a column of the query around a sub-query where the sub-query may use its own columns alone.
func OuterReference(expr string) *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE", []Param{{"sqlExprs", quoteText(expr)}},
		"A sub-query cannot group, order or compute a window by %s, which uses a column of the query around it.", expr)
}

// MixedAggregate reports an aggregate in a sub-query over columns of both its own query and the one around it.
func MixedAggregate(expr string) *Error {
	return newError("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES", []Param{{"function", quoteText(expr)}},
		"%s aggregates columns of both the sub-query and the query around it. Aggregate each side on its own.", expr)
}

// AmbiguousNestedCTE reports a name that both an outer and a nested WITH define.
func AmbiguousNestedCTE(name string) *Error {
	return newError("AMBIGUOUS_ALIAS_IN_NESTED_CTE",
		[]Param{{"name", name}, {"config", "spark.sql.legacy.ctePrecedencePolicy"}, {"docroot", "https://spark.apache.org/docs/latest"}},
		"The name %s is defined by a WITH clause and by another one around it. Rename one, or set spark.sql.legacy.ctePrecedencePolicy to CORRECTED, where the inner one is meant.", name)
}
