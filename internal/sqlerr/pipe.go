package sqlerr

// pipeConditions are the conditions of pipe operators (|>).
var pipeConditions = []row{
	{"PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", "0A000"},
	{"PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION", "0A000"},
	{"MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS", "42000"},
	{"NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE", "42601"},
}

// PipeAggregate reports an aggregate function in a pipe operator that computes row by row.
func PipeAggregate(expr, clause string) *Error {
	return newError("PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", []Param{{"expr", quoteText(expr)}, {"clause", clause}},
		"The pipe operator %s cannot contain the aggregate function %s. Use |> AGGREGATE.", clause, expr)
}

// PipeNoAggregate reports an item of |> AGGREGATE that aggregates nothing.
func PipeNoAggregate(expr string) *Error {
	return newError("PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION", []Param{{"expr", quoteText(expr)}},
		"%s in |> AGGREGATE contains no aggregate function. To group by it, move it behind GROUP BY.", expr)
}

// PipeAggregateCase reports a form of grouping that |> AGGREGATE lacks.
func PipeAggregateCase(what string) *Error {
	return newError("UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE", []Param{{"case", what}},
		"|> AGGREGATE does not take %s.", what)
}

// PipeClauses reports an ordering and a limit in one pipe operator.
func PipeClauses() *Error {
	return newError("MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS", []Param{{"clause1", "ORDER BY"}, {"clause2", "LIMIT"}},
		"An ordering and a limit cannot stand in one pipe operator. Put |> between them.")
}

// PipeWhereWindow reports |> WHERE with a WINDOW clause.
func PipeWhereWindow() *Error {
	return newError("NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE", nil, "|> WHERE takes no WINDOW clause. Compute the window with |> EXTEND first.")
}
