package types

import (
	"strconv"
	"strings"
)

// FormatTime writes a time of day in microseconds as HH:mm:ss with up to six digits of fraction, trailing zeros cut.
func FormatTime(micros int64) string {
	b := appendPadded(make([]byte, 0, 15), micros/MicrosPerHour, 2)
	b = append(b, ':')
	b = appendPadded(b, micros/MicrosPerMinute%60, 2)
	b = append(b, ':')
	b = appendPadded(b, micros/MicrosPerSecond%60, 2)
	if frac := micros % MicrosPerSecond; frac != 0 {
		b = append(b, '.')
		b = appendPadded(b, frac, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return string(b)
}

// ParseTime reads a time of day as Spark's cast does, in microseconds: `[T]h:m[:s[.digits]]`, one or two digits each, of
// a clock of 24 hours, or of 12 when AM or PM follows. Digits of the fraction after the sixth are cut.
func ParseTime(text string) (micros int64, ok bool) {
	s := trimControls(text)
	half := ""
	if n := len(s); n >= 2 {
		if word := strings.ToUpper(s[n-2:]); word == "AM" || word == "PM" {
			half, s = word, strings.TrimRight(s[:n-2], " ")
		}
	}
	s = strings.TrimPrefix(s, "T")
	var parts [3]int64
	limits := [3]int64{23, 59, 59}
	for i := range parts {
		digits, rest := cutDigits(s)
		if len(digits) < 1 || len(digits) > 2 {
			return 0, false
		}
		n, _ := strconv.Atoi(digits)
		if parts[i] = int64(n); parts[i] > limits[i] {
			return 0, false
		}
		if s = rest; i == 2 || i == 1 && s == "" {
			break
		}
		if s == "" || s[0] != ':' {
			return 0, false
		}
		s = s[1:]
	}
	var frac int64
	if s != "" && s[0] == '.' {
		digits, rest := cutDigits(s[1:])
		frac, _ = strconv.ParseInt((digits + "000000")[:6], 10, 64)
		s = rest
	}
	if s != "" {
		return 0, false
	}
	if half != "" {
		if parts[0] < 1 || parts[0] > 12 {
			return 0, false
		}
		if parts[0] %= 12; half == "PM" {
			parts[0] += 12
		}
	}
	return parts[0]*MicrosPerHour + parts[1]*MicrosPerMinute + parts[2]*MicrosPerSecond + frac, true
}

// ParseClock is ParseTime of a clock of 24 hours alone.
func ParseClock(text string) (micros int64, ok bool) {
	if s := trimControls(text); s == "" || s[len(s)-1]|32 == 'm' {
		return 0, false
	}
	return ParseTime(text)
}

// TruncTime cuts a time of day to the digits of a precision.
func TruncTime(micros int64, precision int) int64 {
	unit := TimeUnit(precision)
	return micros / unit * unit
}

// TimeUnit is the microseconds between two neighbouring values of TIME(precision).
func TimeUnit(precision int) int64 {
	unit := int64(1)
	for p := precision; p < MaxTimePrecision; p++ {
		unit *= 10
	}
	return unit
}

// castToTime casts to a time of day. Timestamps give the time of their wall clock.
func castToTime(v Value, from, to Type, opt CastOptions) (Value, error) {
	n := asInt(v)
	switch {
	case from.Kind.IsText():
		parsed, ok := ParseTime(asText(v))
		if !ok {
			return nil, invalidInput(v, from, to, opt)
		}
		n = parsed
	case from.Kind == Timestamp:
		n = ToLocal(n, opt.Zone)
		n -= floorDiv(n, MicrosPerDay) * MicrosPerDay
	case from.Kind == TimestampNTZ:
		n -= floorDiv(n, MicrosPerDay) * MicrosPerDay
	}
	return TruncTime(n, to.Precision), nil
}
