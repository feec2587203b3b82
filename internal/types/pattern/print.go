package pattern

import (
	"strings"
	"time"
)

func appendItems(b []byte, items []item, t time.Time) []byte {
	for _, it := range items {
		switch it.letter {
		case 0:
			b = append(b, it.text...)
		case '[':
			b = appendItems(b, it.inner, t)
		default:
			b = appendLetter(b, it, t)
		}
	}
	return b
}

func appendLetter(b []byte, it item, t time.Time) []byte {
	switch it.letter {
	case 'G':
		return append(b, era(t, it.count == 4)...)
	case 'y':
		year := int64(t.Year())
		switch {
		case it.count == 2:
			return appendNumber(b, max(year, -year)%100, 2)
		case it.count >= 4 && year >= pow10(it.count):
			b = append(b, '+')
		}
		return appendNumber(b, year, it.count)
	case 'M', 'L':
		switch it.count {
		case 3:
			return append(b, t.Month().String()[:3]...)
		case 4:
			return append(b, t.Month().String()...)
		}
		return appendNumber(b, int64(t.Month()), it.count)
	case 'd':
		return appendNumber(b, int64(t.Day()), it.count)
	case 'D':
		return appendNumber(b, int64(t.YearDay()), it.count)
	case 'E':
		if it.count == 4 {
			return append(b, t.Weekday().String()...)
		}
		return append(b, t.Weekday().String()[:3]...)
	case 'F':
		return appendNumber(b, int64((t.Day()-1)%7+1), 1)
	case 'Q', 'q':
		q := (int64(t.Month()) + 2) / 3
		switch it.count {
		case 3:
			return append(append(b, 'Q'), byte('0'+q))
		case 4:
			return append(b, quarterNames[q-1]...)
		}
		return appendNumber(b, q, it.count)
	case 'g': // the modified Julian day
		local := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
		return appendNumber(b, days(local)+40_587, it.count)
	case 'a':
		if t.Hour() < 12 {
			return append(b, "AM"...)
		}
		return append(b, "PM"...)
	case 'H':
		return appendNumber(b, int64(t.Hour()), it.count)
	case 'k':
		return appendNumber(b, int64((t.Hour()+23)%24+1), it.count)
	case 'K':
		return appendNumber(b, int64(t.Hour()%12), it.count)
	case 'h':
		return appendNumber(b, int64((t.Hour()+11)%12+1), it.count)
	case 'm':
		return appendNumber(b, int64(t.Minute()), it.count)
	case 's':
		return appendNumber(b, int64(t.Second()), it.count)
	case 'S':
		frac := appendNumber(nil, int64(t.Nanosecond()), 9)
		return append(b, frac[:it.count]...)
	}
	return appendZone(b, it, t)
}

func pow10(n int) int64 {
	p := int64(1)
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}

func appendZone(b []byte, it item, t time.Time) []byte {
	name, off := t.Zone()
	switch it.letter {
	case 'V':
		if t.Location() == time.UTC {
			return append(b, "UTC"...)
		}
		return append(b, t.Location().String()...)
	case 'z':
		if it.count == 4 {
			if long, ok := longNames[name]; ok {
				return append(b, long...)
			}
		}
		return append(b, name...)
	case 'O':
		b = append(b, "GMT"...)
		if off == 0 {
			return b
		}
		if it.count == 4 {
			return appendOffset(b, off, true, true, true, true)
		}
		return appendOffset(b, off, false, true, false, true)
	case 'X', 'x':
		if off == 0 && it.letter == 'X' {
			return append(b, 'Z')
		}
		return appendOffset(b, off, true, it.count == 3 || it.count == 5, it.count > 1, it.count > 3)
	}
	switch it.count { // Z
	case 4:
		b = append(b, "GMT"...)
		if off == 0 {
			return b
		}
		return appendOffset(b, off, true, true, true, true)
	case 5:
		if off == 0 {
			return append(b, 'Z')
		}
		return appendOffset(b, off, true, true, true, true)
	}
	return appendOffset(b, off, true, false, true, false)
}

// appendOffset writes ±HH[:]MM[[:]SS]; minutes only when not zero unless asked for, seconds only when not zero and
// asked for.
func appendOffset(b []byte, off int, padHour, colon, minutes, seconds bool) []byte {
	if off < 0 {
		b = append(b, '-')
		off = -off
	} else {
		b = append(b, '+')
	}
	h, m, s := int64(off/3600), int64(off/60%60), int64(off%60)
	if padHour {
		b = appendNumber(b, h, 2)
	} else {
		b = appendNumber(b, h, 1)
	}
	if minutes || m != 0 {
		if colon {
			b = append(b, ':')
		}
		b = appendNumber(b, m, 2)
	}
	if seconds && s != 0 {
		if colon {
			b = append(b, ':')
		}
		b = appendNumber(b, s, 2)
	}
	return b
}

// hasFold reports whether s starts with prefix in any case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
