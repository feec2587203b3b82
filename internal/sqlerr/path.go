package sqlerr

import (
	"fmt"
	"strings"
)

var pathConditions = []row{
	{"PATH_NOT_FOUND", "42K03"},
	{"CONFLICTING_DIRECTORY_STRUCTURES", "KD009"},
	{"CONFLICTING_PARTITION_COLUMN_NAMES", "KD009"},
	{"EMPTY_PARTITION_COLUMN_NAME", "KD009"},
	{"EMPTY_PARTITION_COLUMN_VALUE", "KD009"},
	{"INVALID_PARTITION_VALUE", "42846"},
	{"INVALID_PARAMETER_VALUE.BASE_PATH", "22023"},
	{"INVALID_PARAMETER_VALUE.LOCATION", "22023"},
	{"UNSUPPORTED_FEATURE.LOCATION_SCHEME", "0A000"},
}

// maxNamedPaths is how many directories a message names; the rest are counted.
const maxNamedPaths = 10

func namePaths(paths []string) string {
	shown := paths[:min(len(paths), maxNamedPaths)]
	text := strings.Join(shown, ", ")
	if more := len(paths) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// PathNotFound reports a path to read that does not exist, or a pattern that matches nothing.
func PathNotFound(path string) *Error {
	return newError("PATH_NOT_FOUND", []Param{{"path", path}}, "There is nothing at the path %s. Check its spelling, and that its disk is mounted.", path)
}

// DirectoryUnreadable reports a directory that exists and cannot be listed: why is the store's reason, such as
// "permission denied". What lies below it is unknown, which is never the same as absent.
func DirectoryUnreadable(location, why string, cause error) *Error {
	e := newError("FAILED_READ_FILE.NO_HINT", []Param{{"path", location}}, "The directory %s cannot be listed: %s.%s", location, why, permit(why))
	e.Cause = cause
	return e
}

// ConflictingDirectoryStructures reports data in directories that do not fit one tree of partitions. dirs are the
// directories at fault.
func ConflictingDirectoryStructures(dirs []string) *Error {
	return newError("CONFLICTING_DIRECTORY_STRUCTURES", []Param{{"discoveredBasePaths", namePaths(dirs)}},
		"Data lies in directories that do not fit the table's partition directories: %s. Move them out of the table, read them on their own, "+
			"set the option basePath to the root of the partitions, or skip them with spark.sql.files.ignoreInvalidPartitionPaths=true.", namePaths(dirs))
}

// ConflictingPartitionColumnNames reports directories whose keys are not the same columns in the same order. lists are the
// distinct lists of columns, each as "a, b"; dirs are directories that hold data under each.
func ConflictingPartitionColumnNames(lists, dirs []string) *Error {
	quoted := make([]string, len(lists))
	for i, l := range lists {
		quoted[i] = "(" + l + ")"
	}
	return newError("CONFLICTING_PARTITION_COLUMN_NAMES",
		[]Param{{"distinctPartColLists", namePaths(quoted)}, {"suspiciousPaths", namePaths(dirs)}},
		"Data lies under different partition columns: %s. All of a table's files must lie below the same key=value levels; look at %s.",
		namePaths(quoted), namePaths(dirs))
}

// EmptyPartitionColumnValue reports a directory "key=" that holds data.
func EmptyPartitionColumnValue(directory, segment string) *Error {
	return newError("EMPTY_PARTITION_COLUMN_VALUE", []Param{{"partitionSegment", segment}},
		"The directory %s has no value after '=' in %s. A NULL is spelled __HIVE_DEFAULT_PARTITION__.", directory, segment)
}

// EmptyPartitionColumnName reports a directory "=value" that holds data.
func EmptyPartitionColumnName(directory, segment string) *Error {
	return newError("EMPTY_PARTITION_COLUMN_NAME", []Param{{"partitionSegment", segment}},
		"The directory %s has no column before '=' in %s.", directory, segment)
}

// InvalidPartitionValue reports a directory whose value cannot be cast to its column's type.
func InvalidPartitionValue(value, dataType, column, directory string) *Error {
	return newError("INVALID_PARTITION_VALUE",
		[]Param{{"value", "'" + value + "'"}, {"dataType", `"` + dataType + `"`}, {"columnName", column}, {"directory", directory}},
		"The value '%s' of the partition column %s cannot be cast to \"%s\" (directory %s). Rename the directory, or read such values as NULL with "+
			"spark.sql.sources.validatePartitionColumns=false.", value, column, dataType, directory)
}

// InvalidBasePath reports a basePath option that is no directory above the paths to read.
func InvalidBasePath(basePath, why string) *Error {
	return newError("INVALID_PARAMETER_VALUE.BASE_PATH", []Param{{"basePath", basePath}}, "The option basePath is %s, but %s.", basePath, why)
}

// InvalidLocation reports text that is no location.
func InvalidLocation(text, why string) *Error {
	return newError("INVALID_PARAMETER_VALUE.LOCATION", []Param{{"location", text}}, "'%s' is no location: %s.", text, why)
}

// UnsupportedLocation reports a location in a store that Tarn cannot open.
func UnsupportedLocation(location, scheme string) *Error {
	return newError("UNSUPPORTED_FEATURE.LOCATION_SCHEME", []Param{{"location", location}, {"feature", scheme}},
		"Tarn cannot open %s: it does not support %s locations.", location, scheme)
}
