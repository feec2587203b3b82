package sqlerr

import (
	"fmt"
	"strconv"
	"strings"
)

var writeConditions = []row{
	{"INSERT_COLUMN_ARITY_MISMATCH", "21S01"},
	{"INSERT_PARTITION_COLUMN_ARITY_MISMATCH", "21S01"},
	{"STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST", "42713"},
	{"DEFAULT_PLACEMENT_INVALID", "42608"},
	{"INCOMPATIBLE_DATA_FOR_TABLE", "KD000"},
	{"CAST_OVERFLOW_IN_TABLE_INSERT", "22003"},
	{"CANNOT_TRUNCATE_EXTERNAL_TABLE", "0A000"},
	{"PARTITION_NAME_TOO_LONG", "22001"},
	{"PARTITION_NAME_NUL", "22023"},
	{"REPLACE_WHERE_MISMATCH", "44000"},
	{"PATH_KEYS_MISMATCH", "22023"},
	{"TRANSACTION_STUCK", "55000"},
}

func list(names []string) string { return strings.Join(names, ", ") }

// InsertArity reports a query with another number of columns than the INSERT writes. table is the quoted name; columns
// and data are the quoted names of the columns to be written and of the query's.
func InsertArity(table string, columns, data []string) *Error {
	c, few := Condition("INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"), "more columns"
	if len(data) < len(columns) {
		c, few = "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "fewer columns"
	}
	return newError(c, []Param{{"tableName", table}, {"tableColumns", list(columns)}, {"dataColumns", list(data)}},
		"The data for %s has %s (%s) than there are to write (%s).", table, few, list(data), list(columns))
}

// InsertPartitionArity is InsertArity for an INSERT whose PARTITION clause gives values: static are those keys, and
// columns are all of the table.
func InsertPartitionArity(table string, columns, data, static []string) *Error {
	return newError("INSERT_PARTITION_COLUMN_ARITY_MISMATCH",
		[]Param{{"tableName", table}, {"tableColumns", list(columns)}, {"dataColumns", list(data)}, {"staticPartCols", list(static)}},
		"The data for %s has %d columns (%s). The table's are %s; PARTITION gives %s already, so the query supplies the other %d.",
		table, len(data), list(data), list(columns), list(static), len(columns)-len(static))
}

// StaticPartitionInColumnList reports a column that has a value in the PARTITION clause and is listed to get one from
// the query too.
func StaticPartitionInColumnList(column string) *Error {
	return newError("STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST", []Param{{"staticName", column}},
		"The column %s has its value in the PARTITION clause. Take it out of the column list, or write it there without a value.", column)
}

// InsertPartitionsMissing reports a PARTITION clause of INSERT that names some of a table's partition columns and not
// the others.
func InsertPartitionsMissing(table string, keys, columns []string) *Error {
	return invalidPartitionSpec(fmt.Sprintf("The PARTITION clause names (%s), but the partition columns of %s are (%s). Name all of them, those that the query gives without a value.",
		list(keys), table, list(columns)))
}

// StaticAfterDynamic reports a PARTITION clause that gives a value to a column below one that the query gives.
func StaticAfterDynamic(static, dynamic string, columns []string) *Error {
	return invalidPartitionSpec(fmt.Sprintf("%s has a value and %s, which comes before it in (%s), has none. Partition columns with values come first in the table's order.",
		static, dynamic, list(columns)))
}

// DefaultPlacement reports DEFAULT as a part of an expression, or outside the rows and select list of an INSERT.
func DefaultPlacement() *Error {
	return newError("DEFAULT_PLACEMENT_INVALID", nil,
		"DEFAULT stands alone in a row of VALUES, or in the select list that an INSERT writes; it is no part of an expression.")
}

func incompatible(sub, table string, params []Param, format string, args ...any) *Error {
	return newError(Condition("INCOMPATIBLE_DATA_FOR_TABLE."+sub), append([]Param{{"tableName", table}}, params...),
		"The data cannot be written to %s: %s", table, fmt.Sprintf(format, args...))
}

// CannotSafelyCast reports a value whose type the store assignment policy does not let into a column. column is its
// quoted path, such as `s`.`a` or `arr`.`element`; source and target are SQL names of types.
func CannotSafelyCast(table, column, source, target string) *Error {
	return incompatible("CANNOT_SAFELY_CAST", table, []Param{{"colName", column}, {"srcType", quoted(source)}, {"targetType", quoted(target)}},
		"%s is %s and does not take %s. Write an explicit CAST if that is what is meant.", column, quoted(target), quoted(source))
}

// ExtraColumns reports columns of the data that an INSERT BY NAME has no column for.
func ExtraColumns(table string, columns []string) *Error {
	return incompatible("EXTRA_COLUMNS", table, []Param{{"extraColumns", list(columns)}}, "no column takes %s.", list(columns))
}

// ExtraStructFields reports fields of a STRUCT in the data that the column's type lacks.
func ExtraStructFields(table, column string, fields []string) *Error {
	return incompatible("EXTRA_STRUCT_FIELDS", table, []Param{{"colName", column}, {"extraFields", list(fields)}},
		"the struct %s has no fields %s.", column, list(fields))
}

// MissingStructFields reports a STRUCT in the data with fewer fields than the column's type.
func MissingStructFields(table, column string, fields []string) *Error {
	return incompatible("STRUCT_MISSING_FIELDS", table, []Param{{"colName", column}, {"missingFields", list(fields)}},
		"the struct %s lacks the fields %s.", column, list(fields))
}

// CannotFindData reports a field of a column's STRUCT that the data written by name does not have.
func CannotFindData(table, column string) *Error {
	return incompatible("CANNOT_FIND_DATA", table, []Param{{"colName", column}}, "nothing in it is named %s.", column)
}

// AmbiguousDataColumn reports data to be written by name that has one name twice.
func AmbiguousDataColumn(table, column string) *Error {
	return incompatible("AMBIGUOUS_COLUMN_NAME", table, []Param{{"colName", column}}, "it has the name %s more than once.", column)
}

// CastOverflowInInsert reports a number that the column it is written to cannot hold. column is its quoted path; source
// and target are SQL names of types.
func CastOverflowInInsert(source, target, column string) *Error {
	return newError("CAST_OVERFLOW_IN_TABLE_INSERT",
		[]Param{{"sourceType", quoted(source)}, {"targetType", quoted(target)}, {"columnName", column}},
		"A number of type %s is out of the range of the column %s, which is %s. Use try_cast to write NULL instead.", quoted(source), column, quoted(target))
}

// CannotTruncateExternal reports TRUNCATE of an external table, whose files are not the catalog's to delete.
func CannotTruncateExternal(table string) *Error {
	return newError("CANNOT_TRUNCATE_EXTERNAL_TABLE", []Param{{"tableName", table}},
		"%s is an external table, and TRUNCATE is for managed ones. INSERT OVERWRITE with a query without rows replaces its files.", table)
}

// PartitionNameTooLong reports a partition value whose directory name would be longer than storage takes. column is
// the partition column's quoted name, length that of the name in bytes after escaping, limit the most there may be.
func PartitionNameTooLong(column string, length, limit int) *Error {
	return newError("PARTITION_NAME_TOO_LONG",
		[]Param{{"columnName", column}, {"length", strconv.Itoa(length)}, {"limit", strconv.Itoa(limit)}},
		"A value of the partition column %s is too long: its directory name would have %d bytes after escaping, and at most %d are possible.", column, length, limit)
}

// PartitionNameNul reports a partition value with a zero byte, which Spark's escaping leaves as it is and no directory name
// can hold.
func PartitionNameNul(column string) *Error {
	return newError("PARTITION_NAME_NUL", []Param{{"columnName", column}},
		"A value of the partition column %s has a zero byte, and the names of directories can hold none. Take it out of the value, or partition by another column.", column)
}

// ConcurrentWriteConflict reports a write that lost against another statement: nothing of it was kept. why says who was
// first; partitions are canonical specs, "*" for a range of them.
func ConcurrentWriteConflict(table, why string, partitions []string) *Error {
	const most = 5
	shown := list(partitions[:min(most, len(partitions))])
	if more := len(partitions) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	where := ""
	if shown != "" && shown != "*" {
		where = " (" + shown + ")"
	}
	return newError("CONCURRENT_WRITE_CONFLICT", []Param{{"tableName", table}, {"reason", why}, {"partitions", shown}},
		"The write to %s%s was not committed: %s. Nothing of this statement was kept; run it once more.", table, where, why)
}

// TransactionStuck reports a transaction that neither went through nor could be undone. Readers are not affected.
func TransactionStuck(id, table, why string) *Error {
	return newError("TRANSACTION_STUCK", []Param{{"transaction", id}, {"tableName", table}, {"reason", why}},
		"The transaction %s on %s is unfinished: %s. `tarn recover %s` settles it, with --forward, --back or --accept.", id, table, why, id)
}

// SnapshotExpired reports a version whose files are gone: VACUUM removed them after their grace had passed.
func SnapshotExpired(table, version string) *Error {
	return newError("SNAPSHOT_EXPIRED", []Param{{"tableName", table}, {"version", version}},
		"The files of version %s of %s were removed after their grace had passed.", version, table)
}

// ReplaceWhereMismatch reports a row that INSERT … REPLACE WHERE would write outside of what it replaces: running the
// statement again would not replace that row, but add it once more.
func ReplaceWhereMismatch(predicate string) *Error {
	return newError("REPLACE_WHERE_MISMATCH", []Param{{"predicate", predicate}},
		"The query gives a row for which %s does not hold. REPLACE WHERE writes only rows that the next run would replace.", predicate)
}

// PathKeysMismatch reports a write by path whose keys are not those of the directories that are there: what would come of it
// could not be read back. None is written as such.
func PathKeysMismatch(wanted, found, location string) *Error {
	return newError("PATH_KEYS_MISMATCH", []Param{{"keys", wanted}, {"found", found}, {"location", location}},
		"The statement partitions by %s, and the directories at %s are partitioned by %s: the result could not be read. Say PARTITIONED BY as the directories are, or write elsewhere.", keyNames(wanted), location, keyNames(found))
}

func keyNames(list string) string {
	if list == "" {
		return "no keys"
	}
	return "(" + list + ")"
}
