package sqlerr

import "strings"

var fileConditions = []row{
	{"FAILED_READ_FILE", "KD001"},
	{"FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", "KD001"},
	{"CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION", "56038"},
	{"WRITE_FAILED", "58030"},
	{"WRITE_FAILED.NO_SPACE", "53100"},
	{"FILE_CHANGED_WHILE_READING", "58030"},
	{"FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", "KD001"},
	{"MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "22023"},
	{"MALFORMED_CSV_RECORD", "KD000"},
	{"INVALID_CORRUPT_RECORD_TYPE", "42804"},
	{"INVALID_DELIMITER_VALUE.EMPTY_STRING", "42602"},
	{"INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH", "42602"},
	{"INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER", "42602"},
	{"INVALID_PARAMETER_VALUE.CHARSET", "22023"},
	{"INVALID_LINE_SEPARATOR", "22023"},
	{"OPTION_VALUE_EXCEEDS_ONE_CHARACTER", "22023"},
	{"PARQUET_TYPE_ILLEGAL", "42846"},
	{"PARQUET_TYPE_NOT_SUPPORTED", "42846"},
	{"PARQUET_TYPE_NOT_RECOGNIZED", "42846"},
	{"UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", "0A000"},
	{"UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN", "0A000"},
	{"CANNOT_MERGE_SCHEMAS", "42KD9"},
	{"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", "42K0B"},
}

// ReadFile reports that the data of a file could not be read: damaged, in a codec Tarn lacks, or refused by the
// option mode = FAILFAST. why is a sentence without its full stop.
func ReadFile(location, why string, cause error) *Error {
	e := newError("FAILED_READ_FILE.NO_HINT", []Param{{"path", location}, {"reason", why}},
		"File %s cannot be read: %s.%s", location, why, permit(why))
	e.Cause = cause
	return e
}

// permit is the advice for a file or directory that the user may not read; why is the system's reason.
func permit(why string) string {
	if strings.HasSuffix(why, "permission denied") {
		return " Give this user permission to read it, or move it out of the table."
	}
	return ""
}

// FileChanged reports a file that was truncated or written while it was read, so that its rows are neither the old nor the
// new ones.
func FileChanged(location string, cause error) *Error {
	e := newError("FILE_CHANGED_WHILE_READING", []Param{{"path", location}},
		"The file %s was changed in place while the statement read it. Run the statement again; writers should rename finished files into place.", location)
	e.Cause = cause
	return e
}

// ReadFooter reports a file that is not Parquet, or whose footer is damaged or encrypted.
func ReadFooter(location, why string, cause error) *Error {
	e := newError("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", []Param{{"path", location}, {"reason", why}},
		"The Parquet footer of %s cannot be read: %s. Remove the file from the table's directory, or write it again.", location, why)
	e.Cause = cause
	return e
}

// ParquetColumnMismatch reports a column whose type in the file cannot be read as the table's; the types are
// the table's Spark type and the file's Parquet type.
func ParquetColumnMismatch(location, column, want, got string) *Error {
	return newError("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
		[]Param{{"path", location}, {"column", column}, {"expectedType", want}, {"actualType", got}},
		"Column %s of file %s holds %s, which cannot be read as the table's type %s: change the column's type or rewrite the file.", column, location, got, want)
}

// MalformedRecord reports a record that cannot be parsed while inferring a schema with mode = FAILFAST.
func MalformedRecord(location, record string) *Error {
	return newError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
		[]Param{{"badRecord", record}, {"failFastMode", "FAILFAST"}, {"path", location}},
		"File %s has a record that cannot be parsed, and mode is FAILFAST: %s. Use mode PERMISSIVE to read it as NULL.", location, record)
}

// MalformedCSV reports a CSV record that breaks a limit such as maxColumns.
func MalformedCSV(location, record, why string) *Error {
	return newError("MALFORMED_CSV_RECORD", []Param{{"badRecord", record}, {"path", location}},
		"File %s has a malformed CSV record (%s): %s", location, why, record)
}

// CorruptRecordType reports a corrupt-record column that is not a nullable STRING; got is its type in SQL.
func CorruptRecordType(column, got string) *Error {
	return newError("INVALID_CORRUPT_RECORD_TYPE", []Param{{"columnName", quoteName(column)}, {"actualType", `"` + got + `"`}},
		"Column %s takes the text of malformed records, so it must be a nullable STRING, not %s.", quoteName(column), got)
}

// OnlyCorruptRecord reports a query that reads nothing but the corrupt-record column, whose content depends on which
// other columns are read.
func OnlyCorruptRecord(column string) *Error {
	return newError("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN", []Param{{"columnName", quoteName(column)}},
		"A query of raw CSV or JSON files must read more than the column of malformed records, %s: add a column to the query.", quoteName(column))
}

// DelimiterEmpty reports an empty sep option.
func DelimiterEmpty() *Error {
	return newError("INVALID_DELIMITER_VALUE.EMPTY_STRING", nil, "The option sep must not be empty.")
}

// DelimiterBackslash reports a sep option that is one backslash, which begins an escape.
func DelimiterBackslash() *Error {
	return newError("INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH", nil, `The option sep cannot be a single backslash: write it as \\.`)
}

// DelimiterEscape reports an escape in the sep option that has no meaning.
func DelimiterEscape(text string) *Error {
	return newError("INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER", []Param{{"str", text}},
		`The option sep has the unknown escape %s; known are \t \b \f \r \n \\ \" \' \0.`, text)
}

// OptionTooLong reports an option that must be one character.
func OptionTooLong(option, value string) *Error {
	return newError("OPTION_VALUE_EXCEEDS_ONE_CHARACTER", []Param{{"paramName", option}, {"actualValue", value}},
		"The option %s must be one character, not '%s'.", option, value)
}

// OptionValue reports a reader option whose value has no meaning; allowed says what may stand there.
func OptionValue(option, value, allowed string) *Error {
	return newError("INVALID_PARAMETER_VALUE", []Param{{"parameter", option}, {"value", value}},
		"The option %s cannot be '%s': it must be %s.", option, value, allowed)
}

// OptionCharset reports an unknown character set.
func OptionCharset(option, value string) *Error {
	return newError("INVALID_PARAMETER_VALUE.CHARSET", []Param{{"parameter", option}, {"charset", value}},
		"The option %s names the unknown character set '%s'; known are iso-8859-1, us-ascii, utf-8, utf-16, utf-16be, utf-16le, utf-32 and others of IANA's list.", option, value)
}

// FileType reports a column type that a file format cannot hold; format is such as CSV and typ the type in SQL.
func FileType(format, column, typ string) *Error {
	return newError("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
		[]Param{{"columnName", quoteName(column)}, {"columnType", `"` + typ + `"`}, {"format", format}},
		"%s files cannot hold values of type %s (column %s).", format, typ, quoteName(column))
}

// ParquetTypeIllegal reports a Parquet type that stands for no Spark type.
func ParquetTypeIllegal(location, column, parquetType string) *Error {
	return newError("PARQUET_TYPE_ILLEGAL", []Param{{"parquetType", parquetType}, {"path", location}, {"column", column}},
		"Column %s of %s has the Parquet type %s, which stands for no SQL type.", column, location, parquetType)
}

// ParquetTypeNotSupported reports a Parquet type that Tarn does not read.
func ParquetTypeNotSupported(location, column, parquetType string) *Error {
	return newError("PARQUET_TYPE_NOT_SUPPORTED", []Param{{"parquetType", parquetType}, {"path", location}, {"column", column}},
		"Column %s of %s has the Parquet type %s, which is not supported.", column, location, parquetType)
}

// MergeSchemas reports files whose schemas cannot be merged.
func MergeSchemas(location, column, left, right string) *Error {
	return newError("CANNOT_MERGE_SCHEMAS", []Param{{"path", location}, {"column", column}, {"left", left}, {"right", right}},
		"The schema of %s cannot be merged with those before it: column %s is %s there and %s before.", location, column, right, left)
}

// DatetimePattern reports an unusable datetime pattern.
func DatetimePattern(pattern, why string) *Error {
	return newError("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", []Param{{"pattern", "'" + pattern + "'"}},
		"The datetime pattern '%s' is not one that can be used: %s.", pattern, why)
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// LineSeparatorEmpty reports an empty lineSep option.
func LineSeparatorEmpty() *Error {
	return newError("INVALID_LINE_SEPARATOR.EMPTY", nil, "The option lineSep must not be empty.")
}

// LineSeparatorLength reports a lineSep option that is too long for the file's format.
func LineSeparatorLength(value string) *Error {
	return newError("INVALID_LINE_SEPARATOR.LENGTH", []Param{{"lineSep", value}},
		`The option lineSep must be one character or \r\n when multiLine is true, not '%s'.`, value)
}

// CodecNotAvailable reports a compression codec that a format's writer does not have.
func CodecNotAvailable(codec string, have []string) *Error {
	return newError("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
		[]Param{{"codecName", codec}, {"availableCodecs", strings.Join(have, ", ")}},
		"The codec %s is not available. Available are %s.", codec, strings.Join(have, ", "))
}

// WriteFailed reports that files could not be written; cause is what the system said.
func WriteFailed(dir string, cause error) *Error {
	e := newError("WRITE_FAILED", []Param{{"path", dir}}, "Files below %s cannot be written: %s. Nothing was changed.", dir, describe(cause))
	e.Cause = cause
	return e
}

// WriteNoSpace reports a full disk.
func WriteNoSpace(dir string, cause error) *Error {
	e := newError("WRITE_FAILED.NO_SPACE", []Param{{"path", dir}},
		"The disk that holds %s is full. Nothing was changed; free some space and run the statement again.", dir)
	e.Cause = cause
	return e
}
