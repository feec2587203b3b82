package sqlerr

var transactionConditions = []row{
	{"REPLACE_WHERE_MISMATCH", "44000"},
	{"TRANSACTION_NOT_FOUND", "42704"},
	{"TRANSACTION_RUNNING", "55006"},
	{"INVALID_TABLE_PROPERTY", "42602"},
	{"SPECIFY_SCHEMA_IS_NOT_ALLOWED", "42601"},
}

// TransactionNotFound reports an id that no transaction has.
func TransactionNotFound(id string) *Error {
	return newError("TRANSACTION_NOT_FOUND", []Param{{"transaction", id}}, "There is no transaction %s. SHOW TRANSACTIONS lists those that there are.", id)
}

// TransactionRunning reports that a transaction cannot be settled since its process still works on it.
func TransactionRunning(id, process string) *Error {
	return newError("TRANSACTION_RUNNING", []Param{{"transaction", id}, {"process", process}},
		"The transaction %s is being worked on by the process %s. Wait until it ends, or end the process.", id, process)
}

// InvalidTableProperty reports a property whose value means nothing. want says what it may be.
func InvalidTableProperty(name, value, want string) *Error {
	return newError("INVALID_TABLE_PROPERTY", []Param{{"property", name}, {"value", value}}, "The value '%s' of %s is not valid. It may be %s.", value, name, want)
}

// SchemaWithAsSelect reports columns with types in CREATE TABLE … AS SELECT, whose columns are those of the query.
func SchemaWithAsSelect() *Error {
	return newError("SPECIFY_SCHEMA_IS_NOT_ALLOWED", nil, "The columns of CREATE TABLE … AS SELECT are those of the query. Leave out the column list, name partition columns without a type, and cast in the query.")
}
