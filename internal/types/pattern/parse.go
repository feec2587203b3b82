package pattern

import "time"

// parser holds the fields read so far; -1 is a field that the text does not have.
type parser struct {
	text                      string
	year                      int64
	hasYear, yearOfEra, bc    bool
	month, day, yearDay       int64
	hour, clock12, ampm       int64 // hour of day 0-23; hour of half day 0-11
	minute, second, nanosOver int64
	zone                      *time.Location
}

func (p *parser) reset() {
	p.month, p.day, p.yearDay = -1, -1, -1
	p.hour, p.clock12, p.ampm, p.minute, p.second, p.nanosOver = -1, -1, -1, -1, -1, -1
}

func (p *parser) run(items []item, pos int) (int, bool) {
	for i := range items {
		it := &items[i]
		switch it.letter {
		case 0:
			if !hasFold(p.text[pos:], it.text) {
				return pos, false
			}
			pos += len(it.text)
		case '[':
			saved := *p
			if end, ok := p.run(it.inner, pos); ok {
				pos = end
			} else {
				*p = saved
			}
		default:
			end, ok := p.letter(it, pos)
			if !ok {
				return pos, false
			}
			pos = end
		}
	}
	return pos, true
}

// number reads the digits of it at pos.
func (p *parser) number(it *item, pos int) (n int64, end int, ok bool) {
	neg := false
	signed := it.letter == 'y' && it.count != 2 || it.max == forever && it.letter != 'y'
	plus := false
	if signed && pos < len(p.text) && (p.text[pos] == '-' || p.text[pos] == '+') {
		neg = p.text[pos] == '-'
		plus = !neg
		if plus && !(it.letter == 'y' && it.count >= 4) {
			return 0, pos, false // Java takes a plus sign only where it would print one
		}
		pos++
	}
	end = pos
	for end < len(p.text) && end-pos < forever+it.reserve && p.text[end] >= '0' && p.text[end] <= '9' {
		end++
	}
	digits := end - pos
	if it.reserve > 0 {
		digits = max(digits-it.reserve, it.min)
	}
	digits = min(digits, it.max, end-pos)
	if digits < it.min || digits > 18 {
		return 0, pos, false
	}
	if it.letter == 'y' && it.count >= 4 && !neg {
		// A sign must show exactly when there are more digits than the pattern's.
		if plus != (digits > it.count) {
			return 0, pos, false
		}
	}
	for _, c := range []byte(p.text[pos : pos+digits]) {
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, pos + digits, true
}

func (p *parser) letter(it *item, pos int) (end int, ok bool) {
	if it.max > 0 {
		return p.numeric(it, pos)
	}
	rest := p.text[pos:]
	switch it.letter {
	case 'G':
		for _, name := range [...]string{"Anno Domini", "AD", "Before Christ", "BC"} {
			if (len(name) > 2) == (it.count == 4) && hasFold(rest, name) {
				p.yearOfEra, p.bc = true, name[0] == 'B'
				return pos + len(name), true
			}
		}
		return pos, false
	case 'M', 'L':
		for m := time.January; m <= time.December; m++ {
			name := m.String()
			if it.count == 3 {
				name = name[:3]
			}
			if hasFold(rest, name) {
				return pos + len(name), set(&p.month, int64(m))
			}
		}
		return pos, false
	case 'a':
		switch {
		case hasFold(rest, "AM"):
			p.ampm = 0
		case hasFold(rest, "PM"):
			p.ampm = 1
		default:
			return pos, false
		}
		return pos + 2, true
	}
	return p.zoneText(it, pos)
}

func (p *parser) numeric(it *item, pos int) (end int, ok bool) {
	n, end, ok := p.number(it, pos)
	if !ok {
		return pos, false
	}
	within := func(field *int64, lo, hi int64) bool { return n >= lo && n <= hi && set(field, n) }
	switch it.letter {
	case 'y':
		if it.count == 2 {
			n += 2000
		}
		if n > 999_999_999 || n < -999_999_999 || p.hasYear && p.year != n {
			return pos, false
		}
		p.year, p.hasYear = n, true
		return end, true
	case 'M', 'L':
		ok = within(&p.month, 1, 12)
	case 'd':
		ok = within(&p.day, 1, 31)
	case 'D':
		ok = within(&p.yearDay, 1, 366)
	case 'H':
		ok = within(&p.hour, 0, 23)
	case 'k':
		ok = n >= 1 && n <= 24 && set(&p.hour, n%24)
	case 'h':
		ok = n >= 1 && n <= 12 && set(&p.clock12, n%12)
	case 'K':
		ok = within(&p.clock12, 0, 11)
	case 'm':
		ok = within(&p.minute, 0, 59)
	case 's':
		ok = within(&p.second, 0, 59)
	case 'S':
		for i := end - pos; i < 9; i++ {
			n *= 10
		}
		ok = set(&p.nanosOver, n)
	}
	return end, ok
}

// set stores a field; a field that the text has twice must say the same both times.
func set(field *int64, n int64) bool {
	if *field >= 0 && *field != n {
		return false
	}
	*field = n
	return true
}

func (p *parser) resolve() (Time, bool) {
	year := int64(1970)
	if p.hasYear {
		year = p.year
		if p.yearOfEra {
			if year < 1 {
				return Time{}, false
			}
			if p.bc {
				year = 1 - year
			}
		}
	}
	var t Time
	if p.yearDay >= 0 {
		date := time.Date(int(year), 1, int(p.yearDay), 0, 0, 0, 0, time.UTC)
		if int64(date.Year()) != year || p.month >= 0 && int64(date.Month()) != p.month || p.day >= 0 && int64(date.Day()) != p.day {
			return Time{}, false
		}
		t.Days = days(date)
	} else {
		month, day := max(p.month, 1), max(p.day, 1)
		if p.month < 0 {
			month = 1
		}
		date := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
		if int64(date.Day()) != day {
			return Time{}, false
		}
		t.Days = days(date)
	}
	hour := p.hour
	switch {
	case hour >= 0 && p.ampm >= 0 && p.ampm != hour/12, hour >= 0 && p.clock12 >= 0 && p.clock12 != hour%12:
		return Time{}, false
	case hour < 0 && p.clock12 >= 0:
		hour = p.clock12 + 12*max(p.ampm, 0)
	case hour < 0:
		hour = 12 * max(p.ampm, 0)
		if p.ampm > 0 {
			hour = 12
		}
	}
	t.Micros = ((max(hour, 0)*60+max(p.minute, 0))*60+max(p.second, 0))*1_000_000 + max(p.nanosOver, 0)/1000
	t.Zone = p.zone
	return t, true
}

func days(midnight time.Time) int64 {
	sec := midnight.Unix()
	d := sec / 86400
	if sec%86400 < 0 {
		d--
	}
	return d
}
