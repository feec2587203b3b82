package sqlerr

import "strconv"

// deltaReadConditions are those of finding and reading Delta tables, with Delta's SQLSTATEs. DELTA_FILE_NOT_FOUND is for files of the
// log, where Delta shows the error of its file system.
var deltaReadConditions = []row{
	{"DELTA_PATH_DOES_NOT_EXIST", "42K03"},
	{"DELTA_FILE_NOT_FOUND", "42K03"},
	{"DELTA_TIMESTAMP_GREATER_THAN_COMMIT", "42816"},
	{"DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", "42816"},
	{"DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE", "42604"},
	{"DELTA_TABLE_NOT_FOUND", "42P01"},
	{"DELTA_MISSING_DELTA_TABLE", "42P01"},
	{"DELTA_INVALID_PARTITION_PATH", "22KD1"},
	{"DELTA_NON_PARTITION_COLUMN_SPECIFIED", "42P10"},
	{"DELTA_READ_TABLE_WITHOUT_COLUMNS", "428GU"},
	{"DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", "42601"},
	{"DELTA_CREATE_TABLE_SCHEME_MISMATCH", "42KD7"},
	{"DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING", "42KD7"},
	{"DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY", "42KD7"},
	{"DELTA_SCHEMA_NOT_PROVIDED", "42908"},
	{"DELTA_EMPTY_DATA", "428GU"},
	{"DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG", "42K03"},
	{"DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE", "42809"},
	{"DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN", "42P10"},
	{"DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS", "42613"},
	{"NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "0A000"},
	{"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "42K0E"},
	{"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC", "42K0E"},
	{"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.UNEVALUABLE", "42K0E"},
}

// DeltaPathNotFound reports a location where no Delta table is.
func DeltaPathNotFound(path string) *Error {
	return newError("DELTA_PATH_DOES_NOT_EXIST", []Param{{"path", path}},
		"There is no Delta table at %s: it does not exist, or it has no directory _delta_log with a commit in it.", path)
}

// DeltaPartitionPath reports a path below a Delta table that is not made of column=value names; fragment is what lies below the root.
func DeltaPartitionPath(fragment string) *Error {
	return newError("DELTA_INVALID_PARTITION_PATH", []Param{{"path", fragment}},
		"A path below a Delta table names a partition, as in p=1/q=x, and %s does not. Read the table itself, with a WHERE clause.", fragment)
}

// DeltaNonPartitionPath reports a path below a Delta table with the name of something that is no partition column.
func DeltaNonPartitionPath(column, fragment string) *Error {
	return newError("DELTA_NON_PARTITION_COLUMN_SPECIFIED", []Param{{"columnList", column}, {"fragment", fragment}},
		"The path %s below a Delta table names %s, which is no partition column of it. Read the table itself, with a WHERE clause.", fragment, column)
}

// DeltaFileMissing reports a file of a Delta log that was there when the log was listed, or that the log names.
func DeltaFileMissing(path string) *Error {
	return newError("DELTA_FILE_NOT_FOUND", []Param{{"path", path}}, "The Delta log needs the file %s, which does not exist. Was it removed?", path)
}

// DeltaTimestampTooEarly reports a time before the first version that is left; both are texts in UTC.
func DeltaTimestampTooEarly(asked, first string) *Error {
	return newError("DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", []Param{{"userTimestamp", asked}, {"commitTs", first}, {"timestampString", first}},
		"The Delta table has no version of %s UTC: the earliest that is left is of %s UTC.", asked, first)
}

// DeltaTimestampTooLate reports a time after the last version; both are texts in UTC.
func DeltaTimestampTooLate(asked, last string) *Error {
	return newError("DELTA_TIMESTAMP_GREATER_THAN_COMMIT", []Param{{"providedTimestamp", asked}, {"lastCommitTimestamp", last}, {"maximumTimestamp", last}},
		"The time %s UTC is after the latest version of the Delta table, which is of %s UTC. Leave out TIMESTAMP AS OF to read the latest.", asked, last)
}

// DeltaInvalidVersion reports a version that is no number.
func DeltaInvalidVersion(version string) *Error {
	return newError("DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE", []Param{{"timeTravelKey", "versionAsOf"}}, "%s is no version: versions of Delta tables are numbers from 0.", strconv.Quote(version))
}

// DeltaTableNotFound reports a directory that is no Delta table; table is quoted.
func DeltaTableNotFound(table string) *Error {
	return newError("DELTA_TABLE_NOT_FOUND", []Param{{"tableName", table}}, "There is no Delta table %s: it has no directory _delta_log with a commit in it. Is it the root of the table?", table)
}

// DeltaMissing reports a path of a statement about Delta tables where none is; table is quoted.
func DeltaMissing(table string) *Error {
	return newError("DELTA_MISSING_DELTA_TABLE", []Param{{"tableName", table}}, "%s is not a Delta table: there is no directory _delta_log with a commit in it.", table)
}

// DeltaWithoutColumns reports a query of a Delta table that was made without columns and never written.
func DeltaWithoutColumns(table string) *Error {
	return newError("DELTA_READ_TABLE_WITHOUT_COLUMNS", []Param{{"tableName", table}}, "The Delta table %s has no columns yet, so there is nothing to read. ALTER TABLE … ADD COLUMNS, COPY INTO with mergeSchema and writes WITH SCHEMA EVOLUTION bring them.", table)
}

// DeltaLocationNotEmpty reports CREATE TABLE with columns at a location that holds something else.
func DeltaLocationNotEmpty(table, location string) *Error {
	return newError("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", []Param{{"tableId", table}, {"tableLocation", location}},
		"The Delta table %s cannot be made at %s, which is not empty and not a Delta table.", table, location)
}

// TimeTravel reports a relation that keeps no versions; name is quoted.
func TimeTravel(name string) *Error {
	return newError("UNSUPPORTED_FEATURE.TIME_TRAVEL", []Param{{"relationId", name}}, "%s has no earlier versions to read: only Delta tables do.", name)
}

// TimeTravelExpression reports an expression after TIMESTAMP AS OF that gives no moment; sub is INPUT, NON_DETERMINISTIC or
// UNEVALUABLE.
func TimeTravelExpression(sub, text string) *Error {
	why := map[string]string{"INPUT": "it cannot be cast to a TIMESTAMP", "NON_DETERMINISTIC": "it may give another value each time", "UNEVALUABLE": "it is no constant"}[sub]
	return newError(Condition("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR."+sub), []Param{{"expr", quoteText(text)}}, "The expression %s does not say to which time to go back: %s.", text, why)
}

// DeltaSchemaMismatch reports CREATE TABLE over a Delta table with other columns than it has; all are texts.
func DeltaSchemaMismatch(path, specified, existing, differences string) *Error {
	return newError("DELTA_CREATE_TABLE_SCHEME_MISMATCH", []Param{{"path", path}, {"specifiedSchema", specified}, {"existingSchema", existing}, {"schemaDifferences", differences}},
		"The Delta table at %s has other columns than the statement declares: %s. Leave the columns out to keep those of the table.", path, differences)
}

// DeltaPartitioningMismatch reports CREATE TABLE over a Delta table with another PARTITIONED BY than it has.
func DeltaPartitioningMismatch(path, specified, existing string) *Error {
	return newError("DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING", []Param{{"path", path}, {"specifiedColumns", specified}, {"existingColumns", existing}},
		"The Delta table at %s is partitioned by (%s), not by (%s) as the statement says.", path, existing, specified)
}

// DeltaPropertyMismatch reports CREATE TABLE over a Delta table with other properties than it has.
func DeltaPropertyMismatch(path, specified, existing string) *Error {
	return newError("DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY", []Param{{"path", path}, {"specifiedProperties", specified}, {"existingProperties", existing}},
		"The Delta table at %s has the properties (%s), not (%s) as the statement says. Leave TBLPROPERTIES out, or change them by ALTER TABLE afterwards.", path, existing, specified)
}

// DeltaSchemaNotProvided reports REPLACE TABLE of a Delta table without columns and without a query.
func DeltaSchemaNotProvided() *Error {
	return newError("DELTA_SCHEMA_NOT_PROVIDED", nil, "REPLACE TABLE needs the columns of the table, or AS and a query that has them.")
}

// DeltaEmptyData reports CREATE TABLE AS of a query without columns.
func DeltaEmptyData() *Error {
	return newError("DELTA_EMPTY_DATA", nil, "The query that the Delta table would be made of has no columns.")
}

// DeltaWithoutLog reports CREATE TABLE at a location that holds files but no Delta log.
func DeltaWithoutLog(table, path, log string) *Error {
	return newError("DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG", []Param{{"tableName", table}, {"path", path}, {"logPath", log}},
		"%s holds files, but no Delta log at %s, so no Delta table %s can be made of it. Is it the root of the table, and were the files written as Delta?", path, log, table)
}

// DeltaNotPartitioned reports SHOW PARTITIONS of a Delta table without partition columns.
func DeltaNotPartitioned(table string) *Error {
	return newError("DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE", []Param{{"tableName", table}}, "SHOW PARTITIONS needs a table with partition columns, and %s has none.", table)
}

// DeltaNotPartitionColumn reports a column in the PARTITION clause of SHOW PARTITIONS that is no partition column.
func DeltaNotPartitionColumn(columns string) *Error {
	return newError("DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN", []Param{{"badCols", columns}}, "SHOW PARTITIONS … PARTITION names %s, by which the table is not partitioned.", columns)
}

// DeltaTwoTravels reports a path that ends in a version while the statement has AS OF as well.
func DeltaTwoTravels() *Error {
	return newError("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS", nil, "The version to read is given twice, at the end of the path and by AS OF.")
}

// PartitionManagementOfDelta reports a statement about single partitions of a Delta table; table is quoted.
func PartitionManagementOfDelta(table, operation string) *Error {
	return newError("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED", []Param{{"name", table}},
		"%s is not possible for %s: the log of a Delta table knows its partitions. DELETE and INSERT change them, SHOW PARTITIONS lists them.", operation, table)
}

// DeltaNeedsNoRepair reports MSCK REPAIR TABLE … PARTITIONS, or what means the same, of a Delta table; table is quoted.
func DeltaNeedsNoRepair(table, operation string) *Error {
	return newError("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", []Param{{"cmd", operation}},
		"%s is not supported for %s: the log of a Delta table knows its partitions, and directories mean nothing to it. MSCK REPAIR TABLE … SYNC METADATA brings the catalog in line with the log.", operation, table)
}
