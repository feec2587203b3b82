package types

import (
	"strconv"
	"strings"
	"time"
)

// offsetAt is the zone's offset from UTC, in seconds, at an instant given in seconds.
func offsetAt(zone *time.Location, sec int64) int64 {
	if zone == nil {
		return 0
	}
	_, off := time.Unix(sec, 0).In(zone).Zone()
	return int64(off)
}

// ToLocal turns an instant into the wall-clock time that the zone shows then, both in microseconds.
func ToLocal(micros int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return micros
	}
	return micros + offsetAt(zone, floorDiv(micros, MicrosPerSecond))*MicrosPerSecond
}

// FromLocal turns a wall-clock time into the instant it names in the zone. A time that a clock change skips moves
// forward by the length of the gap, and one that occurs twice means the earlier instant: java.time's rules.
func FromLocal(local int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return local
	}
	sec := floorDiv(local, MicrosPerSecond)
	before, after := offsetAt(zone, sec-86400), offsetAt(zone, sec+86400)
	hi, lo := max(before, after), min(before, after)
	switch {
	case offsetAt(zone, sec-hi) == hi:
		return local - hi*MicrosPerSecond
	case offsetAt(zone, sec-lo) == lo:
		return local - lo*MicrosPerSecond
	}
	return local - before*MicrosPerSecond
}

// FormatTimestampNTZ writes a wall-clock time as yyyy-MM-dd HH:mm:ss with up to six digits of fraction, trailing
// zeros cut.
func FormatTimestampNTZ(micros int64) string {
	days := floorDiv(micros, MicrosPerDay)
	rest := micros - days*MicrosPerDay
	y, m, d := DateOf(days)
	b := appendDate(make([]byte, 0, 26), y, m, d)
	b = append(b, ' ')
	b = appendPadded(b, rest/MicrosPerHour, 2)
	b = append(b, ':')
	b = appendPadded(b, rest/MicrosPerMinute%60, 2)
	b = append(b, ':')
	b = appendPadded(b, rest/MicrosPerSecond%60, 2)
	if frac := rest % MicrosPerSecond; frac != 0 {
		b = append(b, '.')
		b = appendPadded(b, frac, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return string(b)
}

// FormatTimestamp writes an instant as the zone's wall clock shows it.
func FormatTimestamp(micros int64, zone *time.Location) string {
	return FormatTimestampNTZ(ToLocal(micros, zone))
}

// ParseTimestamp reads a timestamp as Spark's cast does, in microseconds since the epoch; text without a zone is
// in the given one. The date may stop after the year or the month; after the day may follow `[ T]h[:m[:s[.digits]]]`
// and, after seconds, a zone.
func ParseTimestamp(text string, zone *time.Location) (micros int64, ok bool) {
	local, own, ok := parseTimestamp(text)
	if !ok {
		return 0, false
	}
	if own != nil {
		zone = own
	}
	return FromLocal(local, zone), true
}

// ParseTimestampNTZ reads a wall-clock time as Spark's cast to TIMESTAMP_NTZ does: a zone is accepted and ignored.
func ParseTimestampNTZ(text string) (micros int64, ok bool) {
	local, _, ok := parseTimestamp(text)
	return local, ok
}

func parseTimestamp(text string) (local int64, zone *time.Location, ok bool) {
	s := trimControls(text)
	y, m, d, rest, ok := parseDatePart(s)
	if !ok {
		return 0, nil, false
	}
	days, ok := validDays(y, m, d)
	// The year range keeps the product within 64 bits; Spark raises beyond it too.
	if !ok || y > 294_247 || y < -290_308 {
		return 0, nil, false
	}
	if rest == "" {
		return days * MicrosPerDay, nil, true
	}
	if rest[0] != ' ' && rest[0] != 'T' {
		return 0, nil, false
	}
	if rest = rest[1:]; rest == "" {
		return days * MicrosPerDay, nil, true
	}
	var parts [3]int64
	var micro int64
	limits := [3]int64{23, 59, 59}
	for i := 0; i < 3; i++ {
		digits, after := cutDigits(rest)
		if len(digits) < 1 || len(digits) > 2 {
			return 0, nil, false
		}
		n, _ := strconv.Atoi(digits)
		if parts[i] = int64(n); parts[i] > limits[i] {
			return 0, nil, false
		}
		rest = after
		if i < 2 {
			if rest == "" {
				break
			}
			if rest[0] != ':' {
				return 0, nil, false
			}
			rest = rest[1:]
			continue
		}
		if rest != "" && rest[0] == '.' {
			digits, rest = cutDigits(rest[1:])
			micro, _ = strconv.ParseInt((digits + "000000")[:6], 10, 64)
		}
		if rest = strings.TrimLeft(rest, " "); rest != "" {
			if zone, ok = ParseZone(rest); !ok {
				return 0, nil, false
			}
		}
	}
	local = days*MicrosPerDay + parts[0]*MicrosPerHour + parts[1]*MicrosPerMinute + parts[2]*MicrosPerSecond + micro
	return local, zone, true
}

// ParseZone finds the zone of a name that Spark knows: Z, an offset such as +2, +02:00, -0530 or +01:02:03 within
// ±18 hours, an offset after UTC, GMT or UT, a region such as Europe/Paris in its own case, or one of Java's short
// names. It reads the machine's zone data for regions.
func ParseZone(name string) (*time.Location, bool) {
	s := strings.TrimSpace(name)
	switch s {
	case "Z", "UTC", "GMT", "UT", "UTC0", "GMT0":
		return time.UTC, true
	case "":
		return nil, false
	case "EST":
		return time.FixedZone(s, -5*3600), true
	case "MST":
		return time.FixedZone(s, -7*3600), true
	case "HST":
		return time.FixedZone(s, -10*3600), true
	case "Local":
		return nil, false // Go's own word
	}
	if short, ok := shortZone(s); ok {
		s = short
	}
	off := s
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if r, ok := strings.CutPrefix(s, prefix); ok {
			off = r
			break
		}
	}
	if off != "" && (off[0] == '+' || off[0] == '-') {
		sec, ok := parseOffset(off)
		if !ok {
			return nil, false
		}
		if sec == 0 {
			return time.UTC, true
		}
		return time.FixedZone(s, sec), true
	}
	// LoadLocation ignores case on some file systems; Spark does not, and no region is spelled in one case only
	// except these.
	if strings.ContainsAny(s, `\. `) || !strings.Contains(s, "/") && s == strings.ToLower(s) || strings.Contains(s, "/") && (s == strings.ToLower(s) || s == strings.ToUpper(s)) && !strings.HasPrefix(s, "Etc/") {
		return nil, false
	}
	loc, err := time.LoadLocation(s)
	return loc, err == nil
}

// shortZone maps Java's three-letter names, which differ from the zone database's.
func shortZone(s string) (string, bool) {
	switch s {
	case "ACT":
		return "Australia/Darwin", true
	case "AET":
		return "Australia/Sydney", true
	case "AGT":
		return "America/Argentina/Buenos_Aires", true
	case "ART":
		return "Africa/Cairo", true
	case "AST":
		return "America/Anchorage", true
	case "BET":
		return "America/Sao_Paulo", true
	case "BST":
		return "Asia/Dhaka", true
	case "CAT":
		return "Africa/Harare", true
	case "CNT":
		return "America/St_Johns", true
	case "CST":
		return "America/Chicago", true
	case "CTT":
		return "Asia/Shanghai", true
	case "EAT":
		return "Africa/Addis_Ababa", true
	case "ECT":
		return "Europe/Paris", true
	case "IET":
		return "America/Indiana/Indianapolis", true
	case "IST":
		return "Asia/Kolkata", true
	case "JST":
		return "Asia/Tokyo", true
	case "MIT":
		return "Pacific/Apia", true
	case "NET":
		return "Asia/Yerevan", true
	case "NST":
		return "Pacific/Auckland", true
	case "PLT":
		return "Asia/Karachi", true
	case "PNT":
		return "America/Phoenix", true
	case "PRT":
		return "America/Puerto_Rico", true
	case "PST":
		return "America/Los_Angeles", true
	case "SST":
		return "Pacific/Guadalcanal", true
	case "VST":
		return "Asia/Ho_Chi_Minh", true
	}
	return "", false
}

// parseOffset reads +h, +hh, +hmm's colon forms and +hhmm[ss], within ±18 hours, in seconds.
func parseOffset(s string) (int, bool) {
	sign := 1
	if s[0] == '-' {
		sign = -1
	}
	s = s[1:]
	var h, m, sec string
	if strings.Contains(s, ":") {
		p := strings.Split(s, ":")
		if len(p) > 3 || len(p[0]) > 2 || len(p[1]) > 2 {
			return 0, false
		}
		h, m = p[0], p[1]
		if len(p) == 3 {
			if sec = p[2]; len(sec) != 2 {
				return 0, false
			}
		}
	} else {
		switch len(s) {
		case 1, 2:
			h = s
		case 4:
			h, m = s[:2], s[2:]
		case 6:
			h, m, sec = s[:2], s[2:4], s[4:]
		default:
			return 0, false
		}
	}
	total := 0
	for i, part := range []string{h, m, sec} {
		if part == "" {
			if i == 0 {
				return 0, false
			}
			continue
		}
		digits, rest := cutDigits(part)
		n, err := strconv.Atoi(digits)
		if rest != "" || err != nil || i > 0 && n > 59 {
			return 0, false
		}
		total = total + n*[]int{3600, 60, 1}[i]
	}
	if total > 18*3600 {
		return 0, false
	}
	return sign * total, true
}
