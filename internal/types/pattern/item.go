package pattern

type item struct{}

// Error says why a pattern is not one of Spark's.
type Error struct {
	Pattern string
	Reason  string // in words
}

// Error implements error.
func (e *Error) Error() string { return "datetime pattern '" + e.Pattern + "': " + e.Reason }
