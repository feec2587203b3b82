package sqlerr

// deltaCloneConditions are those of CLONE, OPTIMIZE and VACUUM of Delta tables.
var deltaCloneConditions = []row{
	{"DELTA_CLONE_UNSUPPORTED_SOURCE", "0AKDC"},
	{"DELTA_CLONE_AMBIGUOUS_TARGET", "42613"},
	{"DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS", "22000"},
	{"DELTA_UNSUPPORTED_NON_EMPTY_CLONE", "0AKDC"},
	{"DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "22003"},
}

// CloneSource reports a clone of something that is neither a Delta table nor Parquet files.
func CloneSource(name, format string) *Error {
	return newError("DELTA_CLONE_UNSUPPORTED_SOURCE", []Param{{"name", name}, {"format", format}},
		"%s cannot be cloned, as it is %s: a clone is made of a Delta table or of Parquet files.", name, format)
}

// CloneAmbiguousTarget reports a clone to delta.`path` that has a LOCATION as well.
func CloneAmbiguousTarget(path, location string) *Error {
	return newError("DELTA_CLONE_AMBIGUOUS_TARGET", []Param{{"externalLocation", location}, {"targetIdentifier", path}},
		"The clone is to go to %s and to LOCATION '%s': leave one of them out.", path, location)
}

// VacuumRetention reports RETAIN with less than the time for which the table's deleted files are to stay; both in hours.
func VacuumRetention(hours, least string) *Error {
	return newError("DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", []Param{{"hours", hours}, {"minimum", least}},
		"VACUUM … RETAIN %s HOURS would delete files that running queries, time travel and writers under way may need: the table keeps them for %s hours. "+
			"If you know that nobody does, SET spark.databricks.delta.retentionDurationCheck.enabled = false first.", hours, least)
}
