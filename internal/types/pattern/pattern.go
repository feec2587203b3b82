// Package pattern parses and prints dates and times by the letter patterns of Spark: those of Java's
// DateTimeFormatter that Spark admits, such as "yyyy-MM-dd HH:mm:ss", with English names. It is pure vocabulary, imports
// only the standard library, and knows no session: callers say which zone a time without one belongs to.
package pattern

import (
	"strconv"
	"time"
)

// Formatter is a compiled pattern. It is immutable and safe for concurrent use.
type Formatter struct {
	pattern string
	items   []item
	noParse string // why the pattern can only print, "" when it can parse too
}

// Error says why a pattern is not one of Spark's.
type Error struct {
	Pattern string
	Reason  string // in words
}

// Error implements error.
func (e *Error) Error() string { return "datetime pattern '" + e.Pattern + "': " + e.Reason }

// Parse compiles a pattern for printing and parsing. The error is an *Error: Spark refuses week-based letters, letters
// that Java keeps for itself, and some that are too long.
func Parse(pattern string) (*Formatter, error) {
	c := compiler{pattern: pattern}
	items, err := c.sequence(0)
	if err != nil {
		return nil, err
	}
	reserve(items)
	return &Formatter{pattern: pattern, items: items, noParse: c.noParse}, nil
}

// String is the pattern's text.
func (f *Formatter) String() string { return f.pattern }

// CanParse returns an *Error when the pattern has letters that Spark only prints (E, F, Q, q), or only Tarn (g), else nil.
func (f *Formatter) CanParse() error {
	if f.noParse == "" {
		return nil
	}
	return &Error{f.pattern, f.noParse}
}

// DateLetter is the first letter that a time of day has no value for, such as y or z, "" when there is none.
func (f *Formatter) DateLetter() string { return dateLetter(f.items) }

func dateLetter(items []item) string {
	for _, it := range items {
		switch it.letter {
		case 0, 'H', 'h', 'k', 'K', 'm', 's', 'S', 'a':
		case '[':
			if l := dateLetter(it.inner); l != "" {
				return l
			}
		default:
			return string(it.letter)
		}
	}
	return ""
}

// Time is what a text says.
type Time struct {
	Days   int64 // since 1970-01-01, proleptic Gregorian
	Micros int64 // of the day; digits beyond microseconds are cut
	// Zone is the zone or offset in the text, nil when it has none. The caller resolves the wall clock in it.
	Zone *time.Location
}

// Local is the wall-clock time in microseconds since 1970-01-01 00:00:00. ok is false when it does not fit 64 bits.
func (t Time) Local() (micros int64, ok bool) {
	const day = 86_400_000_000
	if t.Days > 106_751_990 || t.Days < -106_751_990 {
		return 0, false
	}
	return t.Days*day + t.Micros, true
}

// Parse reads text, all of which the pattern must match. What the pattern does not say is 1970-01-01 00:00:00, as in
// Spark. Names match in any case; numbers must have the digits that the pattern asks for.
func (f *Formatter) Parse(text string) (Time, bool) {
	if f.noParse != "" {
		return Time{}, false
	}
	p := parser{text: text}
	p.reset()
	pos, ok := p.run(f.items, 0)
	if !ok || pos != len(text) {
		return Time{}, false
	}
	return p.resolve()
}

// Format prints an instant (microseconds since 1970-01-01 00:00:00 UTC) as seen in zone; a nil zone is UTC.
func (f *Formatter) Format(micros int64, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	sec := micros / 1_000_000
	rest := micros % 1_000_000
	if rest < 0 {
		sec, rest = sec-1, rest+1_000_000
	}
	t := time.Unix(sec, rest*1000).In(zone)
	return string(appendItems(make([]byte, 0, 32), f.items, t))
}

// FormatDate prints a date (days since 1970-01-01); times of day are zero.
func (f *Formatter) FormatDate(days int64) string {
	return f.Format(days*86_400_000_000, time.UTC)
}

func appendNumber(b []byte, n int64, width int) []byte {
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	var tmp [20]byte
	s := strconv.AppendInt(tmp[:0], n, 10)
	for i := len(s); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, s...)
}
