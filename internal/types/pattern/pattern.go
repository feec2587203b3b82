// Package pattern parses and prints dates and times by the letter patterns of Spark (those of Java's
// DateTimeFormatter that Spark admits, such as "yyyy-MM-dd HH:mm:ss"). It is pure vocabulary and imports only the standard
// library.
package pattern

import "time"

// Formatter is a compiled pattern. It is immutable and safe for concurrent use.
type Formatter struct {
	items []item
}

// Parse compiles a pattern for printing and parsing. The error is an *Error.
func Parse(pattern string) (*Formatter, error) { return &Formatter{}, nil }

// Date parses text to days since 1970-01-01; ok is false when the text does not match the whole pattern or is not a
// date.
func (f *Formatter) Date(text string) (days int64, ok bool) { return 0, false }

// Timestamp parses text to microseconds since 1970-01-01 00:00:00 UTC; text without a zone of its own is taken in
// zone.
func (f *Formatter) Timestamp(text string, zone *time.Location) (micros int64, ok bool) {
	return 0, false
}

// TimestampNTZ parses text to microseconds of the wall clock. It fails when allowZone is false and the text has a zone.
func (f *Formatter) TimestampNTZ(text string, allowZone bool) (micros int64, ok bool) {
	return 0, false
}

// Format prints an instant (microseconds since 1970-01-01 00:00:00 UTC) as seen in zone.
func (f *Formatter) Format(micros int64, zone *time.Location) string { return "" }
