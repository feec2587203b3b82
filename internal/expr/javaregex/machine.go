package javaregex

import (
	"unicode"
	"unicode/utf8"
)

// machine matches a program by trying one way after the other.
type machine struct {
	*program
	text  string
	slots []int
	stack []choice
	last  int // the end of the match before, for \G
	steps int
}

// choice is what to go back to: another way to go on, or the value that a slot had before.
type choice struct {
	pc, pos int // pc < 0: slot -pc-1 was pos
	// least is the position that a run of characters may be cut to, -1 when the choice is none of a run.
	least int
}

// maxSteps bounds the work on one text: some patterns would take longer than anybody waits.
const maxSteps = 50_000_000

func newMachine(p *program, text string) *machine {
	return &machine{program: p, text: text, slots: make([]int, p.slots)}
}

// find returns the first match that begins at byte at or behind.
func (m *machine) find(at int) ([]int, error) {
	for ; ; at++ {
		for i := range m.slots {
			m.slots[i] = -1
		}
		m.stack = m.stack[:0]
		ok, _, err := m.run(0, at)
		if err != nil {
			return nil, err
		}
		if ok {
			return append([]int(nil), m.slots[:m.saves]...), nil
		}
		if at >= len(m.text) {
			return nil, nil
		}
		_, n := utf8.DecodeRuneInString(m.text[at:])
		at += n - 1
	}
}

func (m *machine) set(slot, pos int) {
	m.stack = append(m.stack, choice{pc: -slot - 1, pos: m.slots[slot], least: -1})
	m.slots[slot] = pos
}

// back takes the last choice above base; ok is false when there is none.
func (m *machine) back(base int) (pc, pos int, ok bool) {
	for len(m.stack) > base {
		top := &m.stack[len(m.stack)-1]
		if top.pc < 0 {
			m.slots[-top.pc-1] = top.pos
			m.stack = m.stack[:len(m.stack)-1]
			continue
		}
		if top.least >= 0 && top.pos > top.least {
			_, n := utf8.DecodeLastRuneInString(m.text[:top.pos])
			top.pos -= n
			return top.pc, top.pos, true
		}
		if top.least >= 0 {
			m.stack = m.stack[:len(m.stack)-1]
			continue
		}
		pc, pos = top.pc, top.pos
		m.stack = m.stack[:len(m.stack)-1]
		return pc, pos, true
	}
	return 0, 0, false
}

// settle drops the choices above base, but keeps what slots must be set back to.
func (m *machine) settle(base int) {
	kept := m.stack[:base]
	for _, c := range m.stack[base:] {
		if c.pc < 0 {
			kept = append(kept, c)
		}
	}
	m.stack = kept
}

// undo takes back all above base.
func (m *machine) undo(base int) {
	for len(m.stack) > base {
		top := m.stack[len(m.stack)-1]
		if top.pc < 0 {
			m.slots[-top.pc-1] = top.pos
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
}

// run matches the part of the program at pc from pos on. Its choices stay on the stack.
func (m *machine) run(pc, pos int) (ok bool, end int, err error) {
	return m.resume(pc, pos, len(m.stack))
}

// resume goes on at pc, and with the choices above base when that fails.
func (m *machine) resume(pc, pos, base int) (ok bool, end int, err error) {
	for {
		if m.steps++; m.steps > maxSteps {
			return false, 0, ErrTooComplex
		}
		in := &m.code[pc]
		matched := true
		switch in.op {
		case opMatch:
			return true, pos, nil
		case opChar:
			r, n := m.next(pos)
			if matched = n > 0 && (r == in.r || in.fold != exact && sameFolded(in.r, r, in.fold)); matched {
				pos += n
			}
		case opClass:
			r, n := m.next(pos)
			if matched = n > 0 && in.class.has(r); matched {
				pos += n
			}
		case opAssert:
			matched = m.holds(in.kind, pos)
		case opSplit:
			m.stack = append(m.stack, choice{pc: in.y, pos: pos, least: -1})
			pc = in.x
			continue
		case opJump:
			pc = in.x
			continue
		case opSave:
			m.set(in.x, pos)
		case opMoved:
			if m.slots[in.x] == pos {
				pc = in.y
				continue
			}
		case opRef:
			pos, matched = m.reference(in, pos)
		case opRun:
			pos, matched = m.take(in, pc, pos)
		case opLook, opBehind, opAtomic:
			var after int
			if matched, after, err = m.part(in, pc, pos); err != nil {
				return false, 0, err
			}
			if matched {
				pc = in.x
				if in.op == opAtomic {
					pos = after
				}
				continue
			}
		}
		if matched {
			pc++
			continue
		}
		if pc, pos, ok = m.back(base); !ok {
			return false, 0, nil
		}
	}
}

// next is the character at pos and its length in bytes; 0 at the end.
func (m *machine) next(pos int) (rune, int) {
	if pos >= len(m.text) {
		return 0, 0
	}
	if b := m.text[pos]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	return utf8.DecodeRuneInString(m.text[pos:])
}

func (m *machine) before(pos int) (rune, int) {
	if pos <= 0 {
		return 0, 0
	}
	return utf8.DecodeLastRuneInString(m.text[:pos])
}

// take matches as many characters as it can and may give them back one by one.
func (m *machine) take(in *inst, pc, pos int) (end int, ok bool) {
	least, count := pos, 0
	for in.z < 0 || count < in.z {
		r, n := m.next(pos)
		if n == 0 || !in.class.has(r) {
			break
		}
		pos += n
		if count++; count <= in.y {
			least = pos
		}
	}
	m.steps += count / 16
	if count < in.y {
		return pos, false
	}
	if pos > least {
		m.stack = append(m.stack, choice{pc: pc + 1, pos: pos, least: least})
	}
	return pos, true
}

// reference matches the text of a group again.
func (m *machine) reference(in *inst, pos int) (end int, ok bool) {
	if 2*in.x+1 >= m.saves {
		return pos, false
	}
	from, to := m.slots[2*in.x], m.slots[2*in.x+1]
	if from < 0 || to < from {
		return pos, false
	}
	for from < to {
		want, n := m.next(from)
		got, k := m.next(pos)
		if k == 0 || want != got && (in.fold == exact || !sameFolded(want, got, in.fold)) {
			return pos, false
		}
		from, pos = from+n, pos+k
	}
	return pos, true
}

// part matches the part of the program behind pc, for look-around and atomic groups. What it captured stays, its choices do
// not.
func (m *machine) part(in *inst, pc, pos int) (ok bool, end int, err error) {
	base := len(m.stack)
	switch in.op {
	case opBehind:
		from := pos
		for back := 0; back <= in.z && !ok; back++ {
			if back >= in.y {
				if ok, _, err = m.endingAt(pc+1, from, pos); err != nil {
					return false, 0, err
				}
			}
			_, n := m.before(from)
			if n == 0 {
				break
			}
			from -= n
		}
	default:
		if ok, end, err = m.run(pc+1, pos); err != nil {
			return false, 0, err
		}
	}
	if in.not {
		m.undo(base)
		return !ok, pos, nil
	}
	if !ok {
		m.undo(base)
		return false, pos, nil
	}
	m.settle(base)
	return true, end, nil
}

// endingAt matches a part from a position so that it ends at another one.
func (m *machine) endingAt(pc, from, to int) (ok bool, end int, err error) {
	base := len(m.stack)
	ok, end, err = m.run(pc, from)
	for ok && end != to && err == nil {
		// Another way may end there.
		next, pos, more := m.back(base)
		if !more {
			return false, 0, nil
		}
		ok, end, err = m.resume(next, pos, base)
	}
	if !ok {
		m.undo(base)
	}
	return ok, end, err
}

// holds reports whether a place is what an assertion says.
func (m *machine) holds(kind assertKind, pos int) bool {
	s := m.text
	switch kind {
	case textStart:
		return pos == 0
	case textEnd:
		return pos == len(s)
	case lastEnd:
		return pos == m.last
	case finalEnd:
		if pos == len(s) {
			return true
		}
		r, n := m.next(pos)
		if r == '\r' && pos+2 == len(s) && s[pos+1] == '\n' {
			return true
		}
		return pos+n == len(s) && endsLine(r) && !(r == '\n' && pos > 0 && s[pos-1] == '\r')
	case unixFinalEnd:
		return pos == len(s) || pos+1 == len(s) && s[pos] == '\n'
	case lineEnd:
		if pos == len(s) {
			return true
		}
		r, _ := m.next(pos)
		return endsLine(r) && !(r == '\n' && pos > 0 && s[pos-1] == '\r')
	case unixLineEnd:
		return pos == len(s) || s[pos] == '\n'
	case lineStart:
		if pos == len(s) {
			return false
		}
		r, n := m.before(pos)
		return n == 0 || endsLine(r) && !(r == '\r' && s[pos] == '\n')
	case unixLineStart:
		return pos < len(s) && (pos == 0 || s[pos-1] == '\n')
	case wordEdge:
		return m.word(pos, false) != m.word(pos, true)
	case notWordEdge:
		return m.word(pos, false) == m.word(pos, true)
	}
	return false
}

func endsLine(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// word reports whether the character before or behind pos belongs to a word; a mark does when what it marks does.
func (m *machine) word(pos int, behind bool) bool {
	r, n := m.before(pos)
	if behind {
		r, n = m.next(pos)
	} else {
		pos -= n
	}
	for n > 0 && unicode.Is(unicode.Mn, r) {
		r, n = m.before(pos)
		pos -= n
	}
	return n > 0 && isWord(r)
}
