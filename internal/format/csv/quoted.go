package csv

import "bytes"

// slow holds the state of cutting a quoted field character by character. prev is the character before, 0 when it
// has no meaning any more (it was the start, or an escape that is used up).
type slow struct {
	*cutter
	from int // where in scratch the value begins
	prev byte
}

// slowQuoted cuts the quoted field at pos when it has escapes, blanks after it, or quotes inside.
func (c *cutter) slowQuoted() error {
	s := slow{cutter: c, from: len(c.scratch)}
	quoted, skip, err := s.value()
	if err == errEndOfData {
		if !c.eof {
			return errNeedMore
		}
		c.pos, err = len(c.data), nil
	}
	if err != nil {
		return err
	}
	b := c.scratch[s.from:len(c.scratch):len(c.scratch)]
	if !quoted && c.trimRight {
		b = bytes.TrimRightFunc(b, func(r rune) bool { return r <= ' ' })
	}
	switch {
	case skip:
		c.fields = append(c.fields, field{missing: true})
	default:
		c.fields = append(c.fields, field{b: b, empty: len(b) == 0})
	}
	return nil
}

// ended reports whether the data is at an end of the value: a delimiter or a line end.
func (s *slow) ended() bool { return s.atSep(s.pos) || s.atNewline(s.pos) }

// step moves to the next character.
func (s *slow) step() error {
	s.pos++
	if s.pos >= len(s.data) {
		return errEndOfData
	}
	if s.crlf && s.pos+1 >= len(s.data) && s.data[s.pos] == '\r' && !s.eof {
		return errEndOfData
	}
	return nil
}

func (s *slow) put(b ...byte) { s.scratch = append(s.scratch, b...) }

// char is the character at pos, with line ends as the dialect shows them.
func (s *slow) char() byte {
	ch := s.data[s.pos]
	if s.normalize && ch == '\r' {
		if s.crlf {
			if s.pos+1 < len(s.data) && s.data[s.pos+1] == '\n' {
				s.pos++
				return '\n'
			}
			return ch
		}
		if s.newline == '\r' {
			return '\n'
		}
	}
	return ch
}

// value reads what follows the opening quote. quoted is false when the text turned out not to be a quoted value after
// all; skip means that the value is to be dropped.
func (s *slow) value() (quoted, skip bool, err error) {
	if err := s.step(); err != nil {
		if s.eof {
			s.put(s.quote) // a quote that nothing follows is text
		}
		return true, false, err
	}
	for {
		if s.prev == s.quote && (s.data[s.pos] <= ' ' || s.ended()) {
			if s.ended() {
				return true, false, nil
			}
			done, err := s.blanksAfter()
			if done || err != nil {
				return true, false, err
			}
			return s.strayQuote()
		}
		ch := s.data[s.pos]
		switch {
		case ch != s.quote && (ch != s.escape || s.escape == 0):
			if s.prev == s.quote {
				return s.strayQuote()
			}
			if s.escape != 0 && s.prev == s.escape {
				s.put(s.escape)
			} else if s.escapeEscape != 0 && s.prev == s.escapeEscape {
				s.put(s.escapeEscape)
			}
			if s.escapeEscape != 0 && ch == s.escapeEscape {
				s.prev = ch // not put until what follows shows that it escapes nothing
			} else {
				s.put(s.char())
				s.prev = 0
			}
		case ch == s.escape && s.escapeEscape != 0 && s.prev == s.escapeEscape:
			s.put(s.escape)
			s.prev = 0
		case s.escape != 0 && s.prev == s.escape:
			if ch == s.quote {
				s.put(s.quote)
				s.prev = 0
			} else {
				s.put(s.prev)
				s.prev = ch
			}
		case ch == s.quote && s.prev == s.quote:
			s.put(s.quote)
			s.prev = ch
		default:
			s.prev = ch
		}
		if err := s.step(); err != nil {
			return true, false, err
		}
	}
}

// blanksAfter skips blanks after a closing quote. done is true when the value ends there; else the quote was a stray
// one and pos is back at the first blank.
func (s *slow) blanksAfter() (done bool, err error) {
	start := s.pos
	for s.data[s.pos] <= ' ' && !s.ended() {
		if err := s.step(); err != nil {
			return false, err
		}
	}
	if s.ended() {
		return true, nil
	}
	s.pos = start
	return false, nil
}

// strayQuote goes on after a quote that neither ends the value nor is escaped. pos is at the character after it.
func (s *slow) strayQuote() (quoted, skip bool, err error) {
	switch s.stray {
	case raiseError:
		return true, false, errStray
	case skipValue:
		s.scratch = s.scratch[:s.from]
		for !s.ended() {
			if err := s.step(); err != nil {
				return false, true, err
			}
		}
		return false, true, nil
	case stopAtClosingQuote:
		s.put(s.quote)
	case backToDelimiter:
		for {
			i := bytes.Index(s.scratch[s.from:], s.sep)
			if i < 0 {
				break
			}
			b := s.scratch[s.from : s.from+i : s.from+i]
			s.fields = append(s.fields, field{b: b, missing: i == 0})
			s.from += i + len(s.sep)
		}
	default:
		s.put(s.quote)
		s.scratch = append(s.scratch, 0)
		copy(s.scratch[s.from+1:], s.scratch[s.from:])
		s.scratch[s.from] = s.quote
		for !s.ended() {
			s.put(s.data[s.pos])
			if err := s.step(); err != nil {
				return false, false, err
			}
		}
		return false, false, nil
	}
	s.put(s.char())
	s.prev = 0
	return s.value()
}
