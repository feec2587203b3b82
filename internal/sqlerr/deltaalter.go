package sqlerr

import "errors"

// deltaAlterConditions are those of ALTER TABLE, RESTORE and OPTIMIZE of Delta tables.
var deltaAlterConditions = []row{
	{"DELTA_ADD_CONSTRAINTS", "0A000"},
	{"FIELD_ALREADY_EXISTS", "42710"},
	{"DELTA_CONSTRAINT_ALREADY_EXISTS", "42710"},
	{"DELTA_CONSTRAINT_DOES_NOT_EXIST", "42704"},
	{"DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", "42K09"},
	{"DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE", "42K09"},
	{"DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", "23512"},
	{"DELTA_NEW_NOT_NULL_VIOLATION", "23512"},
	{"DELTA_FILE_NOT_FOUND_DETAILED", "42K03"},
	{"DELTA_CANNOT_RESTORE_TABLE_VERSION", "22003"},
	{"DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", "22003"},
	{"DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER", "22003"},
	{"DELTA_NON_PARTITION_COLUMN_REFERENCE", "42P10"},
	{"DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", "42621"},
	{"DELTA_OPERATION_NOT_ALLOWED", "0AKDC"},
	{"DELTA_OPERATION_NOT_ALLOWED_DETAIL", "0AKDC"},
	{"DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED", "0AKDC"},
	{"DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN", "0AKDC"},
	{"DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS", "42701"},
	{"DELTA_COLUMN_PATH_NOT_NESTED", "42704"},
	{"DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE", "0AKDC"},
	{"DELTA_SET_LOCATION_SCHEMA_MISMATCH", "42KD7"},
	{"DELTA_UNSUPPORTED_SUBQUERY", "0AKDC"},
	{"DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY", "0AKDC"},
	{"DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE", "0AKDC"},
	{"INVALID_FIELD_NAME", "42000"},
	{"DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", "0AKDC"},
	{"WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED", "0AKDC"},
	{"WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", "0AKDE"},
}

// DeltaConstraintProperty reports SET TBLPROPERTIES of a property that holds a constraint.
func DeltaConstraintProperty(key string) *Error {
	return newError("DELTA_ADD_CONSTRAINTS", []Param{{"property", key}}, "The property %s holds a constraint. Use ALTER TABLE … ADD CONSTRAINT and DROP CONSTRAINT, which look at the rows.", key)
}

// DeltaCommentOnPart reports a comment on the element of an array, or the key or the value of a map.
func DeltaCommentOnPart(path string) *Error {
	return newError("DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY", []Param{{"fieldPath", path}}, "%s is a part of an array or a map, which cannot have a comment. Give it to the column.", path)
}

// DeltaDropPart reports DROP COLUMN of the element of an array, or of the key or the value of a map.
func DeltaDropPart(path string) *Error {
	return newError("DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE", []Param{{"struct", path}}, "%s cannot be dropped: the array or the map around it is made of it. Drop the column, or fields of a struct.", path)
}

// InvalidFieldName reports a field of what has no fields; path is the parent's.
func InvalidFieldName(field, path string) *Error {
	return newError("INVALID_FIELD_NAME", []Param{{"fieldName", field}, {"path", path}}, "There can be no field %s: %s is not a struct.", field, path)
}

// DeltaConstraintExists reports a second constraint of one name; old is the first one's text.
func DeltaConstraintExists(name, old string) *Error {
	return newError("DELTA_CONSTRAINT_ALREADY_EXISTS", []Param{{"constraintName", name}, {"oldConstraint", old}}, "The table has a constraint %s already: %s. Drop it first.", name, old)
}

// DeltaConstraintMissing reports DROP CONSTRAINT of one that is not there.
func DeltaConstraintMissing(name, table string) *Error {
	return newError("DELTA_CONSTRAINT_DOES_NOT_EXIST", []Param{{"constraintName", name}, {"tableName", table}}, "The table %s has no constraint %s. DROP CONSTRAINT IF EXISTS passes over it.", table, name)
}

// DeltaConstraintUses reports a change of a column that constraints mention; operation is what was to be done.
func DeltaConstraintUses(operation, column, constraints string) *Error {
	return newError("DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", []Param{{"operation", operation}, {"columnName", column}, {"constraints", constraints}},
		"Cannot %s column %s, which these constraints are about: %s. Drop them first.", operation, column, constraints)
}

// DeltaGeneratedUses reports a change of a column that generated columns are computed from.
func DeltaGeneratedUses(operation, column, columns string) *Error {
	return newError("DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE", []Param{{"operation", operation}, {"columnName", column}, {"generatedColumns", columns}},
		"Cannot %s column %s, which these generated columns are computed from: %s.", operation, column, columns)
}

// DeltaNewCheckViolated reports a new constraint that rows of the table break.
func DeltaNewCheckViolated(rows, table, check string) *Error {
	return newError("DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", []Param{{"numRows", rows}, {"tableName", table}, {"checkConstraint", check}},
		"The constraint (%s) was not added: %s rows of %s do not satisfy it.", check, rows, table)
}

// DeltaNewNotNullViolated reports SET NOT NULL of a column that holds NULL.
func DeltaNewNotNullViolated(rows, table, column string) *Error {
	return newError("DELTA_NEW_NOT_NULL_VIOLATION", []Param{{"numRows", rows}, {"tableName", table}, {"colName", column}},
		"The column %s cannot be NOT NULL: it is NULL in %s rows of %s.", column, rows, table)
}

// DeltaCheckNotBoolean reports a constraint that is no condition.
func DeltaCheckNotBoolean(name, check string) *Error {
	return newError("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", []Param{{"name", name}, {"expr", check}}, "The constraint %s is no condition: %s is not of type BOOLEAN.", name, check)
}

// DeltaNotAllowed reports an operation that Delta tables do not have.
func DeltaNotAllowed(operation string) *Error {
	return newError("DELTA_OPERATION_NOT_ALLOWED", []Param{{"operation", operation}}, "Delta tables do not have %s.", operation)
}

// DeltaNoBuckets reports CREATE TABLE of a Delta table in buckets.
func DeltaNoBuckets(table string) *Error {
	return newError("DELTA_OPERATION_NOT_ALLOWED_DETAIL", []Param{{"operation", "Bucketing"}, {"tableName", table}},
		"Delta tables have no buckets: create %s without CLUSTERED BY … INTO … BUCKETS.", table)
}

// DeltaTruncatePartition reports TRUNCATE TABLE … PARTITION of a Delta table.
func DeltaTruncatePartition(table string) *Error {
	return newError("DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED", nil,
		"TRUNCATE TABLE of the Delta table %s takes no PARTITION. DELETE FROM %s WHERE … removes the rows of some partitions.", table, table)
}

// DeltaStatsOfPartition reports delta.dataSkippingStatsColumns with a partition column, which needs no statistics.
func DeltaStatsOfPartition(column string) *Error {
	return newError("DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN", []Param{{"column", column}},
		"%s is a partition column: its values choose files without statistics. Leave it out of delta.dataSkippingStatsColumns.", column)
}

// DeltaStatsTwice reports delta.dataSkippingStatsColumns that names a column twice.
func DeltaStatsTwice(columns string) *Error {
	return newError("DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS", []Param{{"duplicateColumns", columns}},
		"delta.dataSkippingStatsColumns names %s more than once.", columns)
}

// DeltaStatsOfType reports delta.dataSkippingStatsColumns with a column that can have no bounds.
func DeltaStatsOfType(column, typeName string) *Error {
	return newError("DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE", []Param{{"columnName", column}, {"type", typeName}},
		"Files cannot be chosen by bounds of the column %s, which is %s. Leave it out of delta.dataSkippingStatsColumns.", column, typeName)
}

// DeltaNotNested reports a name with a field of a column that is no struct.
func DeltaNotNested(column, typeName, field string) *Error {
	return newError("DELTA_COLUMN_PATH_NOT_NESTED", []Param{{"columnPath", column}, {"other", typeName}, {"column", field}},
		"%s is %s, so it has no field %s.", column, typeName, field)
}

// DeltaSetLocationSchema reports SET LOCATION to a table with other columns.
func DeltaSetLocationSchema(original, destination string) *Error {
	return newError("DELTA_SET_LOCATION_SCHEMA_MISMATCH", []Param{{"original", original}, {"destination", destination}},
		"The new location holds a Delta table with other columns: the table has %s, the location %s.", original, destination)
}

// DeltaChangeColumn reports a change of a column that its files do not allow; both are a column's type and nullability.
func DeltaChangeColumn(column, from, to, advice string) *Error {
	return newError("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", []Param{{"fieldPath", column}, {"oldField", from}, {"newField", to}},
		"The column %s cannot be changed from %s to %s.%s", column, from, to, advice)
}

// FieldAlreadyExists reports a column that is to be added, or named so, when there is one; operation is add or rename.
func FieldAlreadyExists(operation, field, table string) *Error {
	return newError("FIELD_ALREADY_EXISTS", []Param{{"op", operation}, {"fieldNames", field}, {"struct", table}}, "Cannot %s column %s: %s has one of that name.", operation, field, table)
}

// DeltaAddWithDefault reports ADD COLUMN with a DEFAULT, which old rows would need too.
func DeltaAddWithDefault() *Error {
	return newError("WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED", nil,
		"A column cannot be added to a Delta table with a DEFAULT. Add it, and then ALTER COLUMN … SET DEFAULT, which is for rows to come.")
}

// DeltaDefaultsOff reports a DEFAULT in a table without the feature.
func DeltaDefaultsOff(statement string) *Error {
	return newError("WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", []Param{{"commandType", statement}},
		"%s gives a column a DEFAULT, which needs a feature of the Delta table: SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported') first.", statement)
}

// DeltaCannotRestore is what RESTORE makes of the error of a version or a time that the table does not have; another error stays.
func DeltaCannotRestore(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	names := map[Condition]Condition{
		"DELTA_VERSION_NOT_FOUND":                       "DELTA_CANNOT_RESTORE_TABLE_VERSION",
		"DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION": "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER",
		"DELTA_TIMESTAMP_GREATER_THAN_COMMIT":           "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER",
	}
	if name, ok := names[e.Condition]; ok {
		return newError(name, e.Params, "The table cannot be restored. %s", e.Message)
	}
	return err
}

// DeltaRestoreMissing reports RESTORE to a version of which files were deleted; first is one of them.
func DeltaRestoreMissing(table string, version int64, files, first string) *Error {
	return newError("DELTA_FILE_NOT_FOUND_DETAILED", []Param{{"filePath", first}, {"faqPath", ""}},
		"%s cannot be restored to version %d: %s of its files are gone, which VACUUM or somebody has deleted, among them %s. Restore a later version.", table, version, files, first)
}

// DeltaNotPartitionReference reports a predicate of OPTIMIZE over other columns than those of the partitioning.
func DeltaNotPartitionReference(column, partition string) *Error {
	return newError("DELTA_NON_PARTITION_COLUMN_REFERENCE", []Param{{"columnName", column}, {"columnList", partition}},
		"The predicate may be about partition columns alone, which are [%s]; %s is none.", partition, column)
}

// DeltaSubquery reports a sub-query where a condition must be about one row of the table alone.
func DeltaSubquery(operation, condition string) *Error {
	return newError("DELTA_UNSUPPORTED_SUBQUERY", []Param{{"operation", operation}, {"cond", condition}}, "The %s holds a sub-query (%s); it can be about the columns of a row alone.", operation, condition)
}
