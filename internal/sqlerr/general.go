package sqlerr

var general = []row{
	{"INTERNAL_ERROR", "XX000"},
	{"OPERATION_CANCELED", "HY008"},
	{"UNSUPPORTED_FEATURE", "0A000"},
	{"INVALID_PARAMETER_VALUE", "22023"},
}

// Internal wraps a failure that nothing translated: a bug of Tarn.
func Internal(cause error) *Error {
	e := newError("INTERNAL_ERROR", nil, "%s. This is a bug in Tarn: please report it with the statement.", describe(cause))
	e.Cause = cause
	return e
}

func describe(err error) string {
	if err == nil {
		return "unknown failure"
	}
	return err.Error()
}

// Canceled reports that the user or a deadline ended the statement.
func Canceled() *Error { return newError("OPERATION_CANCELED", nil, "The statement was canceled.") }

// CanceledAfterCommit reports that a statement was ended while its answer was printed: what it did is done.
func CanceledAfterCommit() *Error {
	return newError("OPERATION_CANCELED", nil, "The statement was canceled while its answer was printed. Its changes are committed.")
}

// Unsupported reports a feature that Tarn lacks: sub names the sub-condition (such as TABLE_FORMAT) and what says
// what was asked for, in words that stand alone.
func Unsupported(sub, what string) *Error {
	return newError(Condition("UNSUPPORTED_FEATURE."+sub), []Param{{"feature", what}}, "Tarn does not support %s.", what)
}
