package types

import (
	"strconv"
	"strings"
)

// Microseconds of the units of time.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour
)

// DaysOf is the day number (days since 1970-01-01, proleptic Gregorian) of a date. Month and day need not be in
// range: day 0 of a month is the last day of the one before.
func DaysOf(year int64, month, day int) int64 {
	y := year
	m := int64(month) - 1
	y += floorDiv(m, 12)
	m = m - floorDiv(m, 12)*12 + 1
	if m <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	mp := m - 3
	if mp < 0 {
		mp += 12
	}
	doy := (153*mp+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// DateOf splits a day number into year, month and day.
func DateOf(days int64) (year int64, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	y := yoe + era*400
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	if month > 12 {
		month -= 12
	}
	if month <= 2 {
		y++
	}
	return y, month, day
}

// DaysInMonth is the length of a month.
func DaysInMonth(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorDiv is a / b rounded down; b is positive.
func FloorDiv(a, b int64) int64 { return floorDiv(a, b) }

// FormatDate writes a day number as yyyy-MM-dd; years beyond 9999 get a plus sign, years before 0 a minus.
func FormatDate(days int64) string {
	y, m, d := DateOf(days)
	return string(appendDate(make([]byte, 0, 12), y, m, d))
}

func appendDate(b []byte, y int64, m, d int) []byte {
	switch {
	case y > 9999:
		b = append(b, '+')
		b = strconv.AppendInt(b, y, 10)
	case y < 0:
		b = append(b, '-')
		b = appendPadded(b, -y, 4)
	default:
		b = appendPadded(b, y, 4)
	}
	b = append(b, '-')
	b = appendPadded(b, int64(m), 2)
	b = append(b, '-')
	return appendPadded(b, int64(d), 2)
}

func appendPadded(b []byte, n int64, width int) []byte {
	s := strconv.FormatInt(n, 10)
	for i := len(s); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, s...)
}

// ParseDate reads a date as Spark's cast does: `[+-]y{4,7}[-m{1,2}[-d{1,2}[( |T)anything]]]`, blanks and control
// characters around it ignored. Missing parts are 1.
func ParseDate(text string) (days int64, ok bool) {
	y, m, d, rest, ok := parseDatePart(trimControls(text))
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != 'T' {
		return 0, false
	}
	return validDays(y, m, d)
}

func validDays(y int64, m, d int) (int64, bool) {
	if m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		return 0, false
	}
	return DaysOf(y, m, d), true
}

// parseDatePart reads the date at the start of s. A rest is only possible after the day.
func parseDatePart(s string) (y int64, m, d int, rest string, ok bool) {
	m, d = 1, 1
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	digits, s := cutDigits(s)
	if len(digits) < 4 || len(digits) > 7 {
		return 0, 0, 0, "", false
	}
	n, _ := strconv.Atoi(digits)
	y = int64(n)
	if neg {
		y = -y
	}
	for _, p := range []*int{&m, &d} {
		if s == "" {
			return y, m, d, "", true
		}
		if s[0] != '-' {
			return 0, 0, 0, "", false
		}
		digits, s = cutDigits(s[1:])
		if len(digits) < 1 || len(digits) > 2 {
			return 0, 0, 0, "", false
		}
		*p, _ = strconv.Atoi(digits)
	}
	return y, m, d, s, true
}

// cutDigits splits the ASCII digits off the start of s.
func cutDigits(s string) (digits, rest string) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}
