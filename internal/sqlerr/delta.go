package sqlerr

import (
	"strconv"
	"strings"
)

// deltaConditions are Delta's own, with its SQLSTATEs, but for DELTA_LOG_FILE_MALFORMED and DELTA_CHECKPOINT_MALFORMED,
// where Delta's implementations show the errors of their parsers.
var deltaConditions = []row{
	{"DELTA_UNSUPPORTED_FEATURES_FOR_READ", "56038"},
	{"DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "56038"},
	{"DELTA_INVALID_PROTOCOL_VERSION", "KD004"},
	{"DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE", "KD004"},
	{"DELTA_VERSIONS_NOT_CONTIGUOUS", "KD00C"},
	{"DELTA_LOG_FILE_NOT_FOUND", "42K03"},
	{"DELTA_TRUNCATED_TRANSACTION_LOG", "42K03"},
	{"DELTA_VERSION_NOT_FOUND", "22003"},
	{"DELTA_STATE_RECOVER_ERROR", "XXKDS"},
	{"DELTA_LOG_FILE_MALFORMED", "XXKDS"},
	{"DELTA_CHECKPOINT_MALFORMED", "XXKDS"},
	{"DELTA_PARTITION_COLUMN_CAST_FAILED", "22525"},
	{"DELTA_PARSING_UNSUPPORTED_DATA_TYPE", "KD009"},
	{"DELTA_DUPLICATE_ACTIONS_FOUND", "2D521"},
	{"DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH", "XXKDS"},
	{"DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", "XXKDS"},
	{"DELTA_DELETION_VECTOR_SIZE_MISMATCH", "XXKDS"},
	{"DELTA_DELETION_VECTOR_MALFORMED", "XXKDS"},
	{"DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA", "0AKDC"},
}

// DeltaUnsupportedRead reports a Delta table that demands features of its readers which Tarn lacks; table is a name or a
// location.
func DeltaUnsupportedRead(table string, features []string) *Error {
	return newError("DELTA_UNSUPPORTED_FEATURES_FOR_READ", []Param{{"tableNameOrPath", table}, {"unsupported", strings.Join(features, ", ")}},
		"The Delta table %s cannot be read: it demands %s, which Tarn does not have. Read it with an engine that does, or drop the feature there.", table, strings.Join(features, ", "))
}

// DeltaUnsupportedWrite reports a Delta table that demands features of its writers which Tarn lacks.
func DeltaUnsupportedWrite(table string, features []string) *Error {
	return newError("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", []Param{{"tableNameOrPath", table}, {"unsupported", strings.Join(features, ", ")}},
		"The Delta table %s cannot be written: it demands %s, which Tarn does not have. Reading it may be possible; write it with an engine that has the feature, or drop the feature there.", table, strings.Join(features, ", "))
}

// DeltaProtocolVersion reports a Delta table whose protocol versions are above those that Tarn knows, which are the highest
// given here.
func DeltaProtocolVersion(table string, reader, writer, maxReader, maxWriter int) *Error {
	return newError("DELTA_INVALID_PROTOCOL_VERSION",
		[]Param{{"tableNameOrPath", table}, {"readerRequired", strconv.Itoa(reader)}, {"writerRequired", strconv.Itoa(writer)}, {"supportedReaders", "1 to " + strconv.Itoa(maxReader)}, {"supportedWriters", "1 to " + strconv.Itoa(maxWriter)}},
		"The Delta table %s has reader version %d and writer version %d; Tarn knows readers up to %d and writers up to %d.", table, reader, writer, maxReader, maxWriter)
}

// DeltaReaderNeedsWriter reports a protocol that has reader features (version 3) but a writer version below 7.
func DeltaReaderNeedsWriter(table string, writer int) *Error {
	return newError("DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE", []Param{{"tableNameOrPath", table}, {"writerVersion", strconv.Itoa(writer)}},
		"The protocol of the Delta table %s lists features for readers, but its writer version is %d; it must be 7.", table, writer)
}

// DeltaGap reports commits that are missing between others. versions are those that are there.
func DeltaGap(before, after, wanted int64) *Error {
	a, b, v := strconv.FormatInt(before, 10), strconv.FormatInt(after, 10), strconv.FormatInt(wanted, 10)
	return newError("DELTA_VERSIONS_NOT_CONTIGUOUS", []Param{{"startVersion", a}, {"endVersion", b}, {"versionToLoad", v}},
		"Version %s of the Delta table cannot be made: its log has no commits between versions %s and %s. Bring the missing files back, or read a version before the gap.", v, a, b)
}

// DeltaLogNotFound reports that the files which a version needs are not in the log; checkpoint is -1 when there is none.
func DeltaLogNotFound(log string, version, checkpoint int64) *Error {
	v, c := strconv.FormatInt(version, 10), strconv.FormatInt(checkpoint, 10)
	return newError("DELTA_LOG_FILE_NOT_FOUND", []Param{{"version", v}, {"checkpointVersion", c}, {"logPath", log}},
		"Version %s cannot be made from the log %s: files of it are missing.", v, log)
}

// DeltaTruncated reports a version whose commits were cleaned away without a checkpoint that covers it.
func DeltaTruncated(log string, version int64) *Error {
	v := strconv.FormatInt(version, 10)
	return newError("DELTA_TRUNCATED_TRANSACTION_LOG", []Param{{"path", log}, {"version", v}},
		"Version %s cannot be made from the log %s: its beginning was removed and no checkpoint covers it.", v, log)
}

// DeltaVersionNotFound reports a version that the table does not have, or no longer has.
func DeltaVersionNotFound(version, earliest, latest int64) *Error {
	v, e, l := strconv.FormatInt(version, 10), strconv.FormatInt(earliest, 10), strconv.FormatInt(latest, 10)
	return newError("DELTA_VERSION_NOT_FOUND", []Param{{"userVersion", v}, {"earliest", e}, {"latest", l}},
		"The Delta table has no version %s; there are versions %s to %s.", v, e, l)
}

// DeltaStateRecover reports a version whose log lacks what every version has: what is protocol or metadata.
func DeltaStateRecover(what string, version int64) *Error {
	v := strconv.FormatInt(version, 10)
	return newError("DELTA_STATE_RECOVER_ERROR", []Param{{"operation", what}, {"version", v}},
		"The log of the Delta table has no %s for version %s. Were files of _delta_log removed?", what, v)
}

// DeltaLogMalformed reports a file of the log that cannot be parsed; line counts from 1.
func DeltaLogMalformed(file string, line int, why string) *Error {
	return newError("DELTA_LOG_FILE_MALFORMED", []Param{{"path", file}, {"line", strconv.Itoa(line)}, {"reason", why}},
		"Line %d of the Delta log file %s cannot be read: %s.", line, file, why)
}

// DeltaSchemaMalformed reports a table whose schema in the log is no schema.
func DeltaSchemaMalformed(table, why string) *Error {
	return newError("DELTA_LOG_FILE_MALFORMED", []Param{{"path", table}, {"reason", why}}, "The log of the Delta table %s has a schema that cannot be read: %s.", table, why)
}

// DeltaCheckpointMalformed reports a checkpoint, or a sidecar of one, that cannot be read.
func DeltaCheckpointMalformed(file, why string, cause error) *Error {
	e := newError("DELTA_CHECKPOINT_MALFORMED", []Param{{"path", file}, {"reason", why}},
		"The Delta checkpoint %s cannot be read: %s.", file, why)
	e.Cause = cause
	return e
}

// DeltaPartitionCast reports a partition value in the log that does not have the column's type.
func DeltaPartitionCast(column, value, typ string) *Error {
	return newError("DELTA_PARTITION_COLUMN_CAST_FAILED", []Param{{"value", value}, {"dataType", typ}, {"columnName", column}},
		"The log of the Delta table gives the partition column %s the value '%s', which is no %s.", column, value, typ)
}

// DeltaUnsupportedType reports a type in a table's schema that Tarn does not know.
func DeltaUnsupportedType(typ string) *Error {
	return newError("DELTA_PARSING_UNSUPPORTED_DATA_TYPE", []Param{{"dataType", typ}},
		"The schema of the Delta table has the type %s, which Tarn does not know.", typ)
}

// DeltaDuplicateActions reports a commit that says two things about one file.
func DeltaDuplicateActions(kind, path, other string) *Error {
	return newError("DELTA_DUPLICATE_ACTIONS_FOUND", []Param{{"actionType", kind}, {"path", path}, {"conflictingPath", other}},
		"One commit has two actions (%s) for the file %s; the other is %s.", kind, path, other)
}

// DeltaVectorChecksum reports a deletion vector whose bytes are damaged; place says where it is stored.
func DeltaVectorChecksum(place string) *Error {
	return newError("DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", []Param{{"path", place}}, "The deletion vector %s is damaged: its checksum is another one.", place)
}

// DeltaVectorSize reports a deletion vector that has another length than the log says, or is cut short.
func DeltaVectorSize(place string) *Error {
	return newError("DELTA_DELETION_VECTOR_SIZE_MISMATCH", []Param{{"path", place}}, "The deletion vector %s does not have the length that the log gives.", place)
}

// DeltaVectorCardinality reports a deletion vector with another number of rows than the log says.
func DeltaVectorCardinality(place string, want, got int64) *Error {
	w, g := strconv.FormatInt(want, 10), strconv.FormatInt(got, 10)
	return newError("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH", []Param{{"path", place}, {"expected", w}, {"actual", g}},
		"The deletion vector %s has %s rows; the log says %s.", place, g, w)
}

// DeltaTypeChange reports a column whose type was changed in a way that old files cannot be read after.
func DeltaTypeChange(field, from, to string) *Error {
	return newError("DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA", []Param{{"fieldName", field}, {"fromType", from}, {"toType", to}},
		"The Delta table cannot be used: the type of %s was changed from %s to %s, which Tarn does not know how to read.", field, from, to)
}
