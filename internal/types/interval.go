package types

import (
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Interval is a value of the calendar INTERVAL type, whose three parts have no fixed ratio.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// FormatYearMonth writes months as the interval type with these first and last fields prints:
// INTERVAL '1-2' YEAR TO MONTH.
func FormatYearMonth(months int64, start, end int) string {
	sign, n := "", months
	if n < 0 {
		sign, n = "-", -n
	}
	var body string
	switch {
	case start == FieldMonth:
		body = strconv.FormatInt(n, 10)
	case end == FieldYear:
		body = strconv.FormatInt(n/12, 10)
	default:
		body = strconv.FormatInt(n/12, 10) + "-" + strconv.FormatInt(n%12, 10)
	}
	return "INTERVAL '" + sign + body + "' " + fieldRange(start, end)
}

// FormatDayTime writes microseconds as the interval type with these first and last fields prints:
// INTERVAL '1 02:03:04.5' DAY TO SECOND.
func FormatDayTime(micros int64, start, end int) string {
	b := []byte("INTERVAL '")
	n := uint64(micros)
	if micros < 0 {
		b = append(b, '-')
		n = -n
	}
	units := [...]uint64{FieldDay: MicrosPerDay, FieldHour: MicrosPerHour, FieldMinute: MicrosPerMinute, FieldSecond: MicrosPerSecond}
	for f := max(start, FieldDay); f <= min(end, FieldSecond); f++ {
		q := n / units[f]
		n %= units[f]
		if f > start {
			b = append(b, map[int]byte{FieldHour: ' ', FieldMinute: ':', FieldSecond: ':'}[f])
		}
		if f == FieldDay {
			b = strconv.AppendUint(b, q, 10)
		} else {
			b = appendPadded(b, int64(q), 2)
		}
		if f == FieldSecond && n != 0 {
			b = append(b, '.')
			b = appendPadded(b, int64(n), 6)
			for b[len(b)-1] == '0' {
				b = b[:len(b)-1]
			}
		}
	}
	return string(append(b, "' "+fieldRange(start, end)...))
}

// FormatCalendar writes a calendar interval as `1 years 2 months 3 days 4 hours 5 minutes 6.7 seconds`.
func FormatCalendar(v Interval) string {
	var parts []string
	add := func(n int64, unit string) {
		if n != 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+" "+unit)
		}
	}
	add(int64(v.Months/12), "years")
	add(int64(v.Months%12), "months")
	add(int64(v.Days), "days")
	add(v.Micros/MicrosPerHour, "hours")
	add(v.Micros/MicrosPerMinute%60, "minutes")
	if rest := v.Micros % MicrosPerMinute; rest != 0 {
		s := NewDec(rest, 6).String()
		parts = append(parts, strings.TrimRight(strings.TrimRight(s, "0"), ".")+" seconds")
	}
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " ")
}

func fieldRange(start, end int) string {
	s := strings.ToUpper(fieldName(start))
	if end != start {
		s += " TO " + strings.ToUpper(fieldName(end))
	}
	return s
}

// ParseInterval reads the text of an interval of a year-month or day-time type: what stands between the quotes of
// its literal, or the whole literal as CAST AS STRING writes it. The value is in months or microseconds.
func ParseInterval(text string, t Type) (int64, bool) {
	s := trimControls(text)
	outer := 1
	if rest, sign, ok := cutWord(s, "INTERVAL"); ok {
		outer = sign
		i := strings.LastIndexByte(rest, '\'')
		if i < 1 || rest[0] != '\'' {
			return 0, false
		}
		if !strings.EqualFold(strings.Join(strings.Fields(rest[i+1:]), " "), fieldRange(t.Precision, t.Scale)) {
			return 0, false
		}
		s = trimControls(rest[1:i])
	}
	v, ok := ParseIntervalBody(s, t.Precision, t.Scale)
	return int64(outer) * v, ok
}

// cutWord takes an optional sign and the word off the start of s.
func cutWord(s, word string) (rest string, sign int, ok bool) {
	if len(s) < len(word) || !strings.EqualFold(s[:len(word)], word) {
		return s, 1, false
	}
	s = strings.TrimLeft(s[len(word):], " ")
	sign = 1
	if strings.HasPrefix(s, "-'") {
		return s[1:], -1, true
	}
	return strings.TrimPrefix(s, "+"), sign, true
}

// ParseIntervalBody reads `[+-]y-m`, `[+-]d h:m:s.f` or the part of it that the fields from start to end name. Fields
// after the first are limited as clocks are; the first is not.
func ParseIntervalBody(s string, start, end int) (int64, bool) {
	neg := false
	if s = trimControls(s); s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	var total uint64
	units := [...]uint64{FieldYear: 12, FieldMonth: 1, FieldDay: MicrosPerDay, FieldHour: MicrosPerHour, FieldMinute: MicrosPerMinute, FieldSecond: MicrosPerSecond}
	limits := [...]uint64{FieldMonth: 11, FieldHour: 23, FieldMinute: 59, FieldSecond: 59}
	if start < 0 || end > FieldSecond {
		return 0, false
	}
	for f := start; f <= end; f++ {
		if f > start {
			sep := map[int]string{FieldMonth: "-", FieldHour: " ", FieldMinute: ":", FieldSecond: ":"}[f]
			rest, ok := strings.CutPrefix(s, sep)
			if !ok {
				return 0, false
			}
			if s = rest; sep == " " {
				s = strings.TrimLeft(s, " ")
			}
		}
		digits, rest := cutDigits(s)
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || f > start && (len(digits) > 2 || n > limits[f]) || n > (1<<63)/units[f] {
			return 0, false
		}
		s = rest
		total += n * units[f]
		if f == FieldSecond && strings.HasPrefix(s, ".") {
			digits, s = cutDigits(s[1:])
			if len(digits) > 9 {
				return 0, false
			}
			frac, _ := strconv.ParseUint((digits + "000000")[:6], 10, 64)
			total += frac
		}
		if total > 1<<63 {
			return 0, false
		}
	}
	if s != "" || total == 1<<63 && !neg {
		return 0, false
	}
	if end <= FieldMonth && total > 1<<31-1 && (!neg || total > 1<<31) {
		return 0, false
	}
	if neg {
		return -int64(total), true
	}
	return int64(total), true
}

// ReadInterval is ParseInterval with the reason when the text is no interval of the type: INVALID_INTERVAL_FORMAT.
// UNMATCHED_FORMAT_STRING[_WITH_NOTICE] for another form, INTERVAL_PARSING for a number that is out of range.
func ReadInterval(text string, t Type) (int64, error) {
	if n, ok := ParseInterval(text, t); ok {
		return n, nil
	}
	if intervalForm(text, t) {
		return 0, sqlerr.InvalidIntervalFormat("INTERVAL_PARSING", text, "")
	}
	return 0, sqlerr.InvalidIntervalText(text, t.SQL(), intervalExample(t), t.Kind == DayTimeInterval)
}

// intervalForm reports whether the text has the fields and separators of the type, whatever the numbers are.
func intervalForm(text string, t Type) bool {
	s := strings.TrimLeft(trimControls(text), "+-")
	for f := t.Precision; f <= t.Scale; f++ {
		digits, rest := cutDigits(s)
		if digits == "" {
			return false
		}
		if s = rest; f < t.Scale {
			want := map[int]byte{FieldYear: '-', FieldDay: ' ', FieldHour: ':', FieldMinute: ':'}[f]
			if s == "" || s[0] != want {
				return false
			}
			s = s[1:]
		}
	}
	return s == ""
}

// intervalExample is the form of an interval type's text, for messages.
func intervalExample(t Type) string {
	words := [...]string{"y", "-m", "d", " h", ":m", ":s.n"}
	form := "[+|-]"
	for f := max(t.Precision, FieldYear); f <= min(t.Scale, FieldSecond); f++ {
		form += strings.TrimLeft(words[f], map[bool]string{true: "-: "}[f == t.Precision])
	}
	return form
}

// FormatOffset writes an offset from UTC as +hh:mm, with seconds when it has some.
func FormatOffset(seconds int64) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	b := appendPadded([]byte(sign), seconds/3600, 2)
	b = appendPadded(append(b, ':'), seconds/60%60, 2)
	if s := seconds % 60; s != 0 {
		b = appendPadded(append(b, ':'), s, 2)
	}
	return string(b)
}
