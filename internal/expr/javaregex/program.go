package javaregex

// program is a pattern for the machine.
type program struct {
	code  []inst
	slots int // places to keep: two for each group, then those of loops
	saves int // how many of them belong to groups
}

type opcode uint8

const (
	opMatch  opcode = iota // the end of the program, or of a part of it
	opChar                 // one character r
	opClass                // one character of class
	opAssert               // a place of kind
	opSplit                // try x, then y
	opJump                 // go on at x
	opSave                 // keep the position in slot x
	opMoved                // go on at y when the position is still that of slot x
	opRef                  // what group x matched
	opLook                 // the part from here on must match, or not; then go on at x
	opBehind               // the same for the text before, of y to z characters
	opAtomic               // the part from here on, once; then go on at x
	opRun                  // y to z characters of class, as many as possible
)

type inst struct {
	op      opcode
	x, y, z int
	r       rune
	fold    foldMode
	class   *class
	kind    assertKind
	not     bool
}

// maxProgram bounds programs: counts are written out.
const maxProgram = 200_000

type compiler struct {
	p   program
	err error
}

func compile(root node, groups int) (*program, error) {
	c := &compiler{}
	c.p.saves = 2 * (groups + 1)
	c.p.slots = c.p.saves
	c.emit(inst{op: opSave, x: 0})
	c.node(root)
	c.emit(inst{op: opSave, x: 1})
	c.emit(inst{op: opMatch})
	if c.err != nil {
		return nil, c.err
	}
	return &c.p, nil
}

func (c *compiler) emit(i inst) int {
	if len(c.p.code) >= maxProgram {
		c.err = &UnsupportedError{"a pattern that repeats so much"}
		return 0
	}
	c.p.code = append(c.p.code, i)
	return len(c.p.code) - 1
}

func (c *compiler) here() int { return len(c.p.code) }

func (c *compiler) node(n node) {
	if c.err != nil {
		return
	}
	switch n := n.(type) {
	case *char:
		c.emit(inst{op: opChar, r: n.r, fold: n.fold})
	case *set:
		c.emit(inst{op: opClass, class: n.class})
	case *sequence:
		for _, x := range n.items {
			c.node(x)
		}
	case *alternation:
		var ends []int
		for i, x := range n.items {
			if i == len(n.items)-1 {
				c.node(x)
				break
			}
			split := c.emit(inst{op: opSplit})
			c.p.code[split].x = c.here()
			c.node(x)
			ends = append(ends, c.emit(inst{op: opJump}))
			c.p.code[split].y = c.here()
		}
		for _, e := range ends {
			c.p.code[e].x = c.here()
		}
	case *group:
		c.emit(inst{op: opSave, x: 2 * n.index})
		c.node(n.body)
		c.emit(inst{op: opSave, x: 2*n.index + 1})
	case *backref:
		c.emit(inst{op: opRef, x: n.index, fold: n.fold})
	case *assertion:
		c.emit(inst{op: opAssert, kind: n.kind})
	case *look:
		i := inst{op: opLook, not: n.not}
		if n.behind {
			i.op = opBehind
			i.y, i.z = width(n.body)
		}
		c.part(i, n.body)
	case *atomic:
		c.part(inst{op: opAtomic}, n.body)
	case *repeat:
		c.repeat(n)
	}
}

// part writes an instruction with a part of its own behind it.
func (c *compiler) part(i inst, body node) {
	at := c.emit(i)
	c.node(body)
	c.emit(inst{op: opMatch})
	if c.err == nil {
		c.p.code[at].x = c.here()
	}
}

func (c *compiler) repeat(n *repeat) {
	if n.kind == possessive {
		c.part(inst{op: opAtomic}, &repeat{n.body, n.least, n.most, greedy})
		return
	}
	if one := single(n.body); one != nil && n.kind == greedy {
		c.emit(inst{op: opRun, y: n.least, z: n.most, class: one})
		return
	}
	for range n.least {
		if c.node(n.body); c.err != nil {
			return
		}
	}
	if n.most < 0 {
		c.loop(n)
		return
	}
	var ends []int
	for range n.most - n.least {
		ends = append(ends, c.split(n.kind))
		if c.node(n.body); c.err != nil {
			return
		}
	}
	for _, e := range ends {
		c.leave(e, n.kind)
	}
}

// split is the choice between once more and going on; leave fills in where to go on.
func (c *compiler) split(kind repeatKind) int {
	s := c.emit(inst{op: opSplit})
	if c.err != nil {
		return 0
	}
	if kind == lazy {
		c.p.code[s].y = c.here()
	} else {
		c.p.code[s].x = c.here()
	}
	return s
}

func (c *compiler) leave(s int, kind repeatKind) {
	if c.err != nil {
		return
	}
	if kind == lazy {
		c.p.code[s].x = c.here()
	} else {
		c.p.code[s].y = c.here()
	}
}

// loop repeats without end. A round that matches nothing is the last.
func (c *compiler) loop(n *repeat) {
	begin := c.here()
	s := c.split(n.kind)
	least, _ := width(n.body)
	if least > 0 {
		c.node(n.body)
		c.emit(inst{op: opJump, x: begin})
		c.leave(s, n.kind)
		return
	}
	slot := c.p.slots
	c.p.slots++
	c.emit(inst{op: opSave, x: slot})
	c.node(n.body)
	moved := c.emit(inst{op: opMoved, x: slot})
	c.emit(inst{op: opJump, x: begin})
	if c.err == nil {
		c.p.code[moved].y = c.here()
	}
	c.leave(s, n.kind)
}

// single is the class of a node that always matches one character, nil for another node.
func single(n node) *class {
	switch n := n.(type) {
	case *set:
		return n.class
	case *char:
		one := &class{fold: n.fold}
		one.add(n.r, n.r)
		return one
	}
	return nil
}
