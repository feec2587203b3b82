package sqlerr

import "strconv"

var deltaWriteConditions = []row{
	{"DELTA_PROTOCOL_CHANGED", "2D521"},
	{"DELTA_METADATA_CHANGED", "2D521"},
	{"DELTA_CONCURRENT_TRANSACTION", "2D521"},
	{"DELTA_CONCURRENT_APPEND", "2D521"},
	{"DELTA_CONCURRENT_DELETE_READ", "2D521"},
	{"DELTA_CONCURRENT_DELETE_DELETE", "2D521"},
	{"DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR", "42601"},
	{"DELTA_CANNOT_MODIFY_APPEND_ONLY", "42809"},
	{"DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS", "22000"},
	{"DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS", "2D521"},
	{"DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", "0AKDC"},
	{"DELTA_UNSUPPORTED_RENAME_COLUMN", "0AKDC"},
	{"DELTA_UNSUPPORTED_DROP_COLUMN", "0AKDC"},
	{"DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", "0AKDC"},
	{"DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", "42K05"},
	{"DELTA_DUPLICATE_COLUMNS_FOUND", "42711"},
	{"DELTA_ADD_COLUMN_PARENT_NOT_STRUCT", "42KD3"},
	{"DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", "42703"},
	{"DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "56038"},
	{"DELTA_UNKNOWN_CONFIGURATION", "F0000"},
	{"DELTA_UNSUPPORTED_DATA_TYPES", "0AKDC"},
	{"DELTA_INVALID_INTERVAL", "22006"},
	{"DELTA_INVALID_ISOLATION_LEVEL", "25000"},
	{"DELTA_CAST_OVERFLOW_IN_TABLE_WRITE", "22003"},
	{"DELTA_INSERT_COLUMN_ARITY_MISMATCH", "42802"},
	{"DELTA_INSERT_COLUMN_MISMATCH", "42802"},
	{"DELTA_METADATA_MISMATCH", "42KDG"},
	{"DELTA_NESTED_NOT_NULL_CONSTRAINT", "0AKDC"},
	{"DELTA_REPLACE_WHERE_MISMATCH", "44000"},
	{"DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION", "42846"},
	{"DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE", "0A000"},
	{"DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION", "0AKDC"},
	{"DELTA_PROTOCOL_PROPERTY_NOT_INT", "42K06"},
}

// retry is the advice of all conflicts.
const retry = "Nothing of this statement was kept; run it once more."

func conflict(c Condition, table string, version int64, params []Param, what string) *Error {
	v := strconv.FormatInt(version, 10)
	params = append([]Param{{"tableName", table}, {"version", v}}, params...)
	return newError(c, params, "Another commit to the Delta table %s, version %s, came first: %s. %s", table, v, what, retry)
}

// by names the operation that won; it may not be known.
func by(operation string) string {
	if operation == "" {
		return "it"
	}
	return operation
}

// DeltaProtocolChanged reports a commit that lost against one that changed the table's protocol.
func DeltaProtocolChanged(table string, version int64, operation string) *Error {
	return conflict("DELTA_PROTOCOL_CHANGED", table, version, []Param{{"operation", operation}}, by(operation)+" changed the table's protocol")
}

// DeltaMetadataChanged reports a commit that lost against one that changed the table's schema or properties.
func DeltaMetadataChanged(table string, version int64, operation string) *Error {
	return conflict("DELTA_METADATA_CHANGED", table, version, []Param{{"operation", operation}}, by(operation)+" changed the table's schema or properties")
}

// DeltaConcurrentTransaction reports two commits of the same thing that exists once: an application's progress, or a domain.
func DeltaConcurrentTransaction(table string, version int64, what string) *Error {
	return conflict("DELTA_CONCURRENT_TRANSACTION", table, version, nil, what+" was written by both")
}

// DeltaConcurrentAppend reports a commit whose reads would have had files that another added meanwhile; partition is "" when
// there is none to name.
func DeltaConcurrentAppend(table string, version int64, operation, partition string) *Error {
	c, where := hint("DELTA_CONCURRENT_APPEND", partition)
	return conflict(c, table, version, []Param{{"operation", operation}, {"partitionValues", partition}}, by(operation)+" added data"+where+" that this statement should have read")
}

// DeltaConcurrentDeleteRead reports a commit whose files another removed after they were read.
func DeltaConcurrentDeleteRead(table string, version int64, operation, partition string) *Error {
	c, where := hint("DELTA_CONCURRENT_DELETE_READ", partition)
	return conflict(c, table, version, []Param{{"operation", operation}, {"partitionValues", partition}}, by(operation)+" removed data"+where+" that this statement read")
}

// DeltaConcurrentDeleteDelete reports two commits that remove one file.
func DeltaConcurrentDeleteDelete(table string, version int64, operation, partition string) *Error {
	c, where := hint("DELTA_CONCURRENT_DELETE_DELETE", partition)
	return conflict(c, table, version, []Param{{"operation", operation}, {"partitionValues", partition}}, by(operation)+" removed data"+where+" that this statement removes too")
}

func hint(c Condition, partition string) (Condition, string) {
	if partition == "" {
		return c + ".WITHOUT_HINT", ""
	}
	return c + ".WITH_PARTITION_HINT", " in the partition " + partition
}

// DeltaDuplicateDomain reports a commit that sets one domain twice.
func DeltaDuplicateDomain(domain string) *Error {
	return newError("DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR", []Param{{"domainName", domain}}, "One commit sets the domain %s twice.", domain)
}

// DeltaAppendOnly reports a change or removal of rows in a table that takes appends alone.
func DeltaAppendOnly() *Error {
	return newError("DELTA_CANNOT_MODIFY_APPEND_ONLY", []Param{{"config", "delta.appendOnly"}},
		"The Delta table takes appends only. To change or remove rows, run ALTER TABLE … SET TBLPROPERTIES ('delta.appendOnly' = 'false') first.")
}

// DeltaRowIDsWithoutStats reports a file without a row count that is to be added to a table with row tracking.
func DeltaRowIDsWithoutStats() *Error {
	return newError("DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS", nil, "The Delta table tracks its rows, and a file to be added does not say how many it has.")
}

// DeltaVectorWithoutRows reports a file some of whose rows are to be deleted and whose number of rows the log does not have.
func DeltaVectorWithoutRows(path string) *Error {
	return newError("DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS", []Param{{"path", path}},
		"Rows of the file %s cannot be marked as deleted: the log does not say how many it has. Rewrite the file, by OPTIMIZE or an overwrite.", path)
}

// DeltaVectorMalformed reports a deletion vector that is in no form of the protocol.
func DeltaVectorMalformed(place, why string, cause error) *Error {
	e := newError("DELTA_DELETION_VECTOR_MALFORMED", []Param{{"path", place}, {"reason", why}}, "The deletion vector %s cannot be read: %s.", place, why)
	e.Cause = cause
	return e
}

// DeltaMappingMode reports a change of the column mapping mode that the protocol does not have.
func DeltaMappingMode(from, to string) *Error {
	return newError("DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", []Param{{"oldMode", from}, {"newMode", to}},
		"The column mapping of a Delta table cannot be changed from '%s' to '%s'; only from 'none' to 'name'.", from, to)
}

// DeltaRenameColumn reports a rename in a table without column mapping.
func DeltaRenameColumn(column string) *Error {
	return newError("DELTA_UNSUPPORTED_RENAME_COLUMN", []Param{{"columnName", column}},
		"The column %s of the Delta table cannot be renamed: its files know it by that name. SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name') makes renaming possible.", column)
}

// DeltaDropColumn reports a drop in a table without column mapping.
func DeltaDropColumn(column string) *Error {
	return newError("DELTA_UNSUPPORTED_DROP_COLUMN", []Param{{"columnName", column}},
		"The column %s of the Delta table cannot be dropped: its files know it by that name. SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name') makes dropping possible.", column)
}

// DeltaDropPartitionColumn reports a drop of a partition column.
func DeltaDropPartitionColumn(column string) *Error {
	return newError("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", []Param{{"columnList", column}}, "The column %s cannot be dropped: the Delta table is partitioned by it.", column)
}

// DeltaColumnCharacters reports column names that data files cannot have without column mapping.
func DeltaColumnCharacters(columns []string) *Error {
	return newError("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", []Param{{"invalidColumnNames", list(columns)}},
		"The column names %s have characters among ' ,;{}()\\n\\t=', which need column mapping: SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name'), or choose other names.", list(columns))
}

// DeltaDuplicateColumns reports names that differ in case at most.
func DeltaDuplicateColumns(column string) *Error {
	return newError("DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE", []Param{{"duplicateCols", column}}, "The Delta table would have the column %s twice.", column)
}

// DeltaParentNotStruct reports a column that is to be added below one that has no fields.
func DeltaParentNotStruct(column, parent string) *Error {
	return newError("DELTA_ADD_COLUMN_PARENT_NOT_STRUCT", []Param{{"columnName", column}, {"other", parent}}, "The column %s cannot be added below %s, which is no struct.", column, parent)
}

// DeltaColumnNotFound reports a column that the table's schema does not have.
func DeltaColumnNotFound(column, schema string) *Error {
	return newError("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", []Param{{"columnName", column}, {"tableSchema", schema}}, "The Delta table has no column %s; it has %s.", column, schema)
}

// DeltaCastOverflow reports a number that UPDATE or MERGE would store and that the column cannot hold. column is its quoted
// path; source and target are SQL names of types.
func DeltaCastOverflow(source, target, column string) *Error {
	return newError("DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
		[]Param{{"sourceType", quoted(source)}, {"targetType", quoted(target)}, {"columnName", column}},
		"A number of type %s is out of the range of the column %s, which is %s. Use try_cast to write NULL instead.", quoted(source), column, quoted(target))
}

// DeltaInsertArity reports an INSERT whose query has fewer columns than the Delta table. columns and data are quoted names.
func DeltaInsertArity(table string, columns, data []string) *Error {
	return newError("DELTA_INSERT_COLUMN_ARITY_MISMATCH",
		[]Param{{"tableName", table}, {"columnName", "not enough data columns"}, {"numColumns", strconv.Itoa(len(columns))}, {"insertColumns", strconv.Itoa(len(data))}},
		"The data for %s has fewer columns (%s) than the table (%s). Name the columns to write in a list, or supply all.", table, list(data), list(columns))
}

// DeltaInsertStructArity reports a struct with fewer fields than that of the column, which is a quoted path.
func DeltaInsertStructArity(table, column string, fields, data int) *Error {
	f, d := strconv.Itoa(fields), strconv.Itoa(data)
	return newError("DELTA_INSERT_COLUMN_ARITY_MISMATCH",
		[]Param{{"tableName", table}, {"columnName", "not enough nested fields in " + column}, {"numColumns", f}, {"insertColumns", d}},
		"The data for %s has %s fields in the struct %s, whose column has %s.", table, d, column, f)
}

// DeltaInsertMissing reports an INSERT without a value for a column that is NOT NULL.
func DeltaInsertMissing(column string) *Error {
	return newError("DELTA_INSERT_COLUMN_MISMATCH", []Param{{"columnName", column}},
		"The INSERT gives no value for the column %s, which is NOT NULL and has no default.", column)
}

// DeltaExtraColumns reports data with columns, or fields of structs, that the Delta table does not have. All are quoted names.
func DeltaExtraColumns(table string, extra []string) *Error {
	return newError("DELTA_METADATA_MISMATCH", []Param{{"tableName", table}, {"extraColumns", list(extra)}},
		"The data for %s has columns that the table does not: %s. Add them by ALTER TABLE … ADD COLUMNS, or leave them out.", table, list(extra))
}

// DeltaStructMismatch reports a struct that UPDATE or MERGE would store in a column with other fields; column is its quoted path.
func DeltaStructMismatch(column, from, to string) *Error {
	return newError("DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION", []Param{{"columnName", column}, {"fromCatalog", from}, {"toCatalog", to}},
		"A value of the type %s cannot be stored in %s, which is %s: all fields must be there, and no others.", from, column, to)
}

// DeltaNestedField reports SET of something inside an array or a map.
func DeltaNestedField(column, typ string) *Error {
	return newError("DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE", []Param{{"columnName", column}, {"dataType", typ}},
		"%s cannot be assigned: it is inside of %s, and only columns and fields of structs can. Assign the whole column.", column, typ)
}

// DeltaNestedInsert reports a field of a column in the INSERT of a MERGE.
func DeltaNestedInsert(column string) *Error {
	return newError("DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION", []Param{{"operation", "the INSERT clause of MERGE"}, {"fieldName", column}},
		"The INSERT of a MERGE names the field %s. It takes whole columns: give the struct.", column)
}

// DeltaNestedNotNull reports NOT NULL inside an array or a map; what is "element type", "key type" or "value type".
func DeltaNestedNotNull(what, column string) *Error {
	return newError("DELTA_NESTED_NOT_NULL_CONSTRAINT", []Param{{"nestType", what}, {"parent", column}},
		"The %s of the column %s has a field that is NOT NULL, which Delta keeps for columns and fields of structs alone. Leave NOT NULL out.", what, column)
}

// DeltaReplaceWhereMismatch is ReplaceWhereMismatch for a Delta table.
func DeltaReplaceWhereMismatch(predicate string) *Error {
	return newError("DELTA_REPLACE_WHERE_MISMATCH", []Param{{"replaceWhere", predicate}},
		"The query gives a row for which %s does not hold. REPLACE WHERE writes only rows that the next run would replace.", predicate)
}

// DeltaUnknownFeatureProperty reports a property delta.feature.… of a feature that Tarn does not know or cannot take on.
func DeltaUnknownFeatureProperty(features []string) *Error {
	return newError("DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", []Param{{"unsupported", list(features)}}, "Tarn cannot give a Delta table the features %s.", list(features))
}

// DeltaDataTypes reports columns of types that Delta tables do not have; each is a name and a type.
func DeltaDataTypes(table string, columns []string) *Error {
	return newError("DELTA_UNSUPPORTED_DATA_TYPES", []Param{{"dataTypeList", list(columns)}},
		"The Delta table %s cannot have columns of these types: %s.", table, list(columns))
}

// DeltaUnknownProperty reports a property delta.… that Delta does not have: what it was meant to do would not happen.
func DeltaUnknownProperty(key string) *Error {
	return newError("DELTA_UNKNOWN_CONFIGURATION", []Param{{"config", key}},
		"There is no property %s of Delta tables. Is it misspelled? Properties of your own go under another prefix than delta.", key)
}

// DeltaInterval reports a property that is a length of time and has another value.
func DeltaInterval(key, value string) *Error {
	return newError("DELTA_INVALID_INTERVAL", []Param{{"interval", value}, {"property", key}},
		"The value '%s' of %s is no length of time such as 'interval 7 days'. Months and years have no fixed length and are not taken.", value, key)
}

// DeltaIsolation reports an isolation level that there is not.
func DeltaIsolation(value string) *Error {
	return newError("DELTA_INVALID_ISOLATION_LEVEL", []Param{{"isolationLevel", value}},
		"'%s' is no isolation level. delta.isolationLevel may be Serializable or WriteSerializable.", value)
}

// DeltaVersionProperty reports a protocol version in a table's properties that is no number in range.
func DeltaVersionProperty(key, value string) *Error {
	return newError("DELTA_PROTOCOL_PROPERTY_NOT_INT", []Param{{"key", key}, {"value", value}}, "The property %s must be a version of the protocol, not '%s'.", key, value)
}
