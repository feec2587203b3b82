package pattern

import "time"

// zoneText reads a zone or an offset in the form that the letters ask for.
func (p *parser) zoneText(it *item, pos int) (end int, ok bool) {
	rest := p.text[pos:]
	switch it.letter {
	case 'X', 'x':
		if it.letter == 'X' && hasFold(rest, "Z") {
			return pos + 1, p.setZone(time.UTC)
		}
		return p.offset(pos, it.count == 3 || it.count == 5, it.count > 1, it.count > 3)
	case 'Z':
		switch it.count {
		case 4:
			return p.gmtOffset(pos)
		case 5:
			if hasFold(rest, "Z") {
				return pos + 1, p.setZone(time.UTC)
			}
			return p.offset(pos, true, true, true)
		}
		return p.offset(pos, false, true, false)
	case 'O':
		return p.gmtOffset(pos)
	}
	if it.letter == 'z' && it.count == 4 {
		for short, long := range longNames {
			if hasFold(rest, long) {
				zone, ok := zoneByName(short)
				return pos + len(long), ok && p.setZone(zone)
			}
		}
	}
	// z and V take names and IDs; IDs may be an offset too.
	n := 0
	for n < len(rest) && isZoneChar(rest[n], n) {
		n++
	}
	for ; n > 0; n-- {
		if zone, ok := zoneByName(rest[:n]); ok {
			if e, ok := p.after(pos+n, rest[:n]); ok {
				return e, true
			}
			return pos + n, p.setZone(zone)
		}
	}
	if it.letter == 'V' || it.letter == 'z' {
		return p.offset(pos, true, true, true)
	}
	return pos, false
}

// after reads the offset that may follow UTC, GMT and UT.
func (p *parser) after(pos int, name string) (end int, ok bool) {
	if name != "UTC" && name != "GMT" && name != "UT" {
		return pos, false
	}
	if pos+2 >= len(p.text) || p.text[pos+2] < '0' || p.text[pos+2] > '9' {
		return pos, false // an ID's offset has two digits of hours
	}
	return p.offset(pos, true, false, true)
}

func isZoneChar(c byte, at int) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || at > 0 && (c >= '0' && c <= '9' || c == '/' || c == '_' || c == '-' || c == '+')
}

// gmtOffset reads GMT, GMT+8, GMT+08:00.
func (p *parser) gmtOffset(pos int) (end int, ok bool) {
	if !hasFold(p.text[pos:], "GMT") {
		return pos, false
	}
	pos += 3
	if pos >= len(p.text) || p.text[pos] != '+' && p.text[pos] != '-' {
		return pos, p.setZone(time.UTC)
	}
	return p.offset(pos, true, false, false)
}

// offset reads ±H[H][:]MM[[:]SS].
func (p *parser) offset(pos int, colon, minutes, seconds bool) (end int, ok bool) {
	if pos >= len(p.text) || p.text[pos] != '+' && p.text[pos] != '-' {
		return pos, false
	}
	sign := 1
	if p.text[pos] == '-' {
		sign = -1
	}
	pos++
	h, pos, ok := p.two(pos)
	if !ok {
		return pos, false
	}
	total := h * 3600
	m, next, ok := p.part(pos, colon)
	switch {
	case ok:
		total += m * 60
		pos = next
		if seconds {
			if s, next, ok := p.part(pos, colon); ok {
				total += s
				pos = next
			}
		}
	case minutes:
		return pos, false
	}
	if total > 18*3600 {
		return pos, false
	}
	return pos, p.setZone(time.FixedZone("", sign*total))
}

func (p *parser) part(pos int, colon bool) (n, end int, ok bool) {
	if colon {
		if pos >= len(p.text) || p.text[pos] != ':' {
			return 0, pos, false
		}
		pos++
	}
	n, end, ok = p.two(pos)
	return n, end, ok && end-pos == 2 && n < 60
}

// two reads two digits, or one when no other follows.
func (p *parser) two(pos int) (n, end int, ok bool) {
	end = pos
	for end < len(p.text) && end < pos+2 && p.text[end] >= '0' && p.text[end] <= '9' {
		n = n*10 + int(p.text[end]-'0')
		end++
	}
	return n, end, end > pos
}

func (p *parser) setZone(z *time.Location) bool {
	if p.zone != nil && p.zone.String() != z.String() {
		return false
	}
	p.zone = z
	return true
}
