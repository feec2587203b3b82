package sqlerr

import (
	"fmt"
	"strings"
)

var partitionConditions = []row{
	{"PARTITIONS_NOT_FOUND", "428FT"},
	{"PARTITIONS_ALREADY_EXIST", "428FT"},
	{"INVALID_PARTITION_SPEC", "42601"},
	{"NON_PARTITION_COLUMN", "42000"},
	{"EXCEED_LIMIT_LENGTH", "54006"},
}

// PartitionsNotFound reports partitions that a table does not have. Each of partitions is a clause
// PARTITION (`a` = 1), or the quoted name of a key that is no partition column; table is the quoted name.
func PartitionsNotFound(partitions []string, table string) *Error {
	list := strings.Join(partitions, ", ")
	return newError("PARTITIONS_NOT_FOUND", []Param{{"partitionList", list}, {"tableName", table}},
		"Table %s has no %s. SHOW PARTITIONS lists those it has; DROP IF EXISTS passes over missing ones.", table, list)
}

// NoPartitionColumn reports a key of a PARTITION clause that is no partition column of the table, whose partition columns are
// columns; names are quoted. Spark has the condition of a missing partition for it.
func NoPartitionColumn(key, table string, columns []string) *Error {
	has := "The table has none."
	if len(columns) > 0 {
		has = "They are " + strings.Join(columns, ", ") + "."
	}
	return newError("PARTITIONS_NOT_FOUND", []Param{{"partitionList", key}, {"tableName", table}},
		"%s is not a partition column of table %s. %s", key, table, has)
}

// NonPartitionColumn reports a key of the PARTITION clause of an INSERT into a Delta table that is no partition column; names are
// quoted.
func NonPartitionColumn(key, table string) *Error {
	return newError("NON_PARTITION_COLUMN", []Param{{"columnName", key}, {"tableName", table}},
		"The PARTITION clause names %s, by which %s is not partitioned.", key, table)
}

// PartitionsAlreadyExist reports partitions that a table has already; the arguments are those of PartitionsNotFound.
func PartitionsAlreadyExist(partitions []string, table string) *Error {
	list := strings.Join(partitions, ", ")
	return newError("PARTITIONS_ALREADY_EXIST", []Param{{"partitionList", list}, {"tableName", table}},
		"Table %s has %s already. Choose other values, drop it first, or use IF NOT EXISTS to keep it.", table, list)
}

// PartitionSpecNotPrefix reports a spec that leaves out a partition column before one that it has.
func PartitionSpecNotPrefix(missing string, table string) *Error {
	return invalidPartitionSpec("The columns with values must be the first partition columns of table " + table + ": " + missing + " is missing.")
}

func invalidPartitionSpec(details string) *Error {
	return newError("INVALID_PARTITION_SPEC", []Param{{"details", details}}, "The partition spec is not valid. %s", details)
}

// EmptySpecValue reports ” as a partition value; spec is the spec as written, such as [a=1, b=].
func EmptySpecValue(spec string) *Error {
	return invalidPartitionSpec(fmt.Sprintf("The spec (%s) contains an empty partition column value. Use NULL for the partition of missing values.", spec))
}

// IncompletePartitionSpec reports a spec that lacks keys where all are needed.
func IncompletePartitionSpec(keys, columns []string, table string) *Error {
	return invalidPartitionSpec(fmt.Sprintf("The spec (%s) must have a value for each of (%s), the partition columns of table %s.",
		strings.Join(keys, ", "), strings.Join(columns, ", "), table))
}

// CharLengthExceeded reports text longer than its CHAR or VARCHAR type allows.
func CharLengthExceeded(limit int) *Error {
	return newError("EXCEED_LIMIT_LENGTH", []Param{{"limit", fmt.Sprint(limit)}},
		"The text is longer than the %d characters that its CHAR or VARCHAR type holds.", limit)
}
