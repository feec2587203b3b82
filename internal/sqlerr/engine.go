package sqlerr

var engineConditions = []row{
	{"UNABLE_TO_ACQUIRE_MEMORY", "53200"},
	{"FAILED_READ_FILE.FILE_NOT_EXIST", "KD001"},
}

// OutOfMemory reports that an operator needed more memory than the engine may use and could not spill.
func OutOfMemory() *Error {
	return newError("UNABLE_TO_ACQUIRE_MEMORY", nil,
		"The statement needs more memory than the engine may use. Raise the limit with --memory, or make room in the temporary directory.")
}

// FileNotExist reports a file that was listed and is gone when read.
func FileNotExist(path string) *Error {
	return newError("FAILED_READ_FILE.FILE_NOT_EXIST", []Param{{"path", path}},
		"The file %s does not exist any more. It was removed after the table was listed; run the statement again.", path)
}

// EngineStart reports that the query engine could not be started; cause says why.
func EngineStart(cause error) *Error {
	e := newError("INTERNAL_ERROR", nil, "The query engine could not be started. Check that the temporary directory is writable.")
	e.Cause = cause
	return e
}

// EngineFailure reports an error of the query engine that has no condition of its own. What the engine said is the
// cause, for the log: its words are about SQL that the user never wrote.
func EngineFailure(cause error) *Error {
	e := newError("INTERNAL_ERROR", nil, "The query engine failed. This is a bug in Tarn: please report it with the statement.")
	e.Cause = cause
	return e
}
