package sqlerr

import "strconv"

// changeConditions are those of statements that change rows of a table: DELETE, UPDATE and MERGE.
var changeConditions = []row{
	{"COLUMN_ALIASES_NOT_ALLOWED", "42601"},
	{"MERGE_WITHOUT_WHEN", "42601"},
	{"MERGE_INSERT_VALUE_COUNT_MISMATCH", "21S01"},
	{"NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", "42613"},
	{"NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION", "42613"},
	{"NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", "42613"},
	{"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE", "21506"},
	{"DELTA_SOURCE_NOT_DETERMINISTIC_IN_MERGE", "21506"},
	{"DELTA_CONFLICT_SET_COLUMN", "42701"},
	{"DELTA_DUPLICATE_COLUMNS_ON_INSERT", "42701"},
	{"DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED", "0AKDC"},
	{"DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "23502"},
	{"DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "23001"},
	{"INVALID_NON_DETERMINISTIC_EXPRESSIONS", "42K0E"},
	{"DELTA_MAX_COMMIT_RETRIES_EXCEEDED", "40000"},
}

// ColumnAliasesNotAllowed reports t AS a (b, c) in a statement that changes t.
func ColumnAliasesNotAllowed(statement string) *Error {
	return newError("COLUMN_ALIASES_NOT_ALLOWED", []Param{{"op", "`" + statement + "`"}},
		"%s takes an alias for its table, but none for its columns.", statement)
}

// MergeWithoutWhen reports a MERGE that does nothing.
func MergeWithoutWhen() *Error {
	return newError("MERGE_WITHOUT_WHEN", nil, "MERGE needs at least one clause WHEN [NOT] MATCHED … THEN ….")
}

// MergeInsertCount reports INSERT (…) VALUES (…) of MERGE with lists of different lengths.
func MergeInsertCount(values, columns int) *Error {
	return newError("MERGE_INSERT_VALUE_COUNT_MISMATCH", []Param{{"actualCount", strconv.Itoa(values)}, {"expectedCount", strconv.Itoa(columns)}},
		"INSERT of a MERGE names %d columns and gives %d values.", columns, values)
}

// MergeClauseOrder reports a clause of MERGE without a condition that is not the last of its kind: MATCHED,
// NOT_MATCHED_BY_TARGET or NOT_MATCHED_BY_SOURCE.
func MergeClauseOrder(kind string) *Error {
	return newError(Condition("NON_LAST_"+kind+"_CLAUSE_OMIT_CONDITION"), nil,
		"This clause takes all rows of its kind, so that the next one of the kind would have none: only the last may stand without AND and a condition.")
}

// MergeSubquery reports a condition of MERGE that holds a sub-query; name says which condition.
func MergeSubquery(name, text string) *Error {
	return newError("DELTA_UNSUPPORTED_SUBQUERY", []Param{{"operation", "the " + name + " condition of MERGE operation"}, {"cond", text}},
		"The %s condition of a MERGE cannot hold a sub-query: %s.", name, text)
}

// MergeNotDeterministic reports a condition of MERGE that holds a random function; name says which condition.
func MergeNotDeterministic(name, text string) *Error {
	return newError("DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED", []Param{{"operation", "the " + name + " condition of MERGE operation"}, {"expression", text}},
		"The %s condition of a MERGE cannot hold a random function: %s.", name, text)
}

// MergeInsertTwice reports a column that the INSERT of a MERGE names twice; it is quoted.
func MergeInsertTwice(column string) *Error {
	return newError("DELTA_DUPLICATE_COLUMNS_ON_INSERT", []Param{{"columnName", column}}, "The INSERT of a MERGE names the column %s twice.", column)
}

// MergeManySources reports a MERGE in which several rows of the source match one row of the target.
func MergeManySources() *Error {
	return newError("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE", []Param{{"usageReference", "MERGE INTO"}},
		"Several rows of the source match one row of the target, and it is not known which of them should change it. Nothing was changed. "+
			"Make the source's rows distinct in the columns of the ON condition, for instance by GROUP BY or by row_number().")
}

// MergeSourceNotDeterministic reports a MERGE whose source may give other rows when it is read again.
func MergeSourceNotDeterministic() *Error {
	return newError("DELTA_SOURCE_NOT_DETERMINISTIC_IN_MERGE", nil,
		"The source of the MERGE holds a random function, and would give other rows each time it is read. Write it to a table first, or CACHE it.")
}

// SetConflict reports an UPDATE or MERGE that assigns one column, or a struct and a field of it, twice; columns are quoted.
func SetConflict(columns string) *Error {
	return newError("DELTA_CONFLICT_SET_COLUMN", []Param{{"columnList", columns}}, "These columns are assigned more than once, or together with a field of theirs: %s.", columns)
}

// NonDeterministic reports a random function in a condition that is computed more than once.
func NonDeterministic(text string) *Error {
	return newError("INVALID_NON_DETERMINISTIC_EXPRESSIONS", []Param{{"sqlExprs", quoteText(text)}},
		"The condition says which rows to change and is computed more than once: it cannot hold a random function, as %s does.", text)
}

// NotNullViolated reports a NULL written to a column that is NOT NULL.
func NotNullViolated(column string) *Error {
	return newError("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", []Param{{"columnName", column}}, "The column %s is NOT NULL, and a row to write has NULL there. Nothing was written.", column)
}

// CheckViolated reports a row for which a CHECK constraint, or the invariant of a column, is not TRUE.
func CheckViolated(name, text string) *Error {
	return newError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", []Param{{"constraintName", name}, {"expression", text}},
		"A row to write does not satisfy the constraint %s (%s). Nothing was written.", name, text)
}

// DeltaMaxAttempts reports a commit that lost every version that it tried to others.
func DeltaMaxAttempts(table string, attempts int) *Error {
	return newError("DELTA_MAX_COMMIT_RETRIES_EXCEEDED", []Param{{"numAttempts", strconv.Itoa(attempts)}, {"table", table}},
		"Others committed to %s each time the statement was about to, %d times. Nothing was changed: run it again.", table, attempts)
}
