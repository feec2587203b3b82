package javaregex

// class reads a class behind its opening bracket, up to its closing one.
func (p *parser) class() (*class, error) {
	c := &class{fold: p.flags.foldMode()}
	if p.peek() == '^' {
		p.pos++
		c.not = true
	}
	if err := p.members(c, true); err != nil {
		return nil, err
	}
	p.pos++ // the bracket
	return c, nil
}

// members reads the members of c up to the closing bracket, which stays. A bracket at the beginning is a member when
// first is set.
func (p *parser) members(c *class, first bool) error {
	if p.depth++; p.depth > maxNesting {
		return &UnsupportedError{"a pattern of so many nested classes"}
	}
	defer func() { p.depth-- }()
	none := first
	for {
		switch r := p.peek(); {
		case r == end:
			return ErrSyntax
		case r == ']' && !none:
			return nil
		case r == '[':
			p.pos++
			part, err := p.class()
			if err != nil {
				return err
			}
			c.parts = append(c.parts, part)
		case r == '&' && p.at("&&"):
			for p.at("&&") {
				p.pos += 2
			}
			if p.peek() == ']' {
				return nil // nothing on the right
			}
			right := &class{fold: c.fold}
			if err := p.members(right, false); err != nil {
				return err
			}
			if none {
				c.parts = append(c.parts, right) // nothing on the left
			} else {
				c.both = right
			}
			return nil
		default:
			if err := p.member(c); err != nil {
				return err
			}
		}
		none = false
	}
}

// member reads a character, a range or a predefined class.
func (p *parser) member(c *class) error {
	lo, part, err := p.classChar()
	if err != nil {
		return err
	}
	if part != nil {
		c.parts = append(c.parts, part...)
		return nil
	}
	if p.peek() == '-' && p.pos+1 < len(p.in) {
		next := p.in[p.pos+1]
		switch {
		case next == '[' || next == ']':
			// The minus is a member of its own.
		case next == '&' && p.pos+2 < len(p.in) && p.in[p.pos+2] == '&':
		default:
			p.pos++
			p.peek()
			hi, part, err := p.classChar()
			if err != nil {
				return err
			}
			if part != nil || hi < lo {
				return ErrSyntax
			}
			c.add(lo, hi)
			return nil
		}
	}
	c.add(lo, lo)
	return nil
}

// classChar reads one character, or the classes that an escape stands for.
func (p *parser) classChar() (rune, []*class, error) {
	r := p.raw()
	if r == end {
		return 0, nil, ErrSyntax
	}
	if r != '\\' {
		p.pos++
		return r, nil, nil
	}
	p.pos++
	if p.raw() == end {
		return 0, nil, ErrSyntax
	}
	if p.accept("Q") {
		var parts []*class
		for p.pos < len(p.in) && !p.at(`\E`) {
			one := &class{fold: p.flags.foldMode()}
			one.add(p.in[p.pos], p.in[p.pos])
			parts = append(parts, one)
			p.pos++
		}
		p.accept(`\E`)
		if parts == nil {
			parts = []*class{{}}
		}
		return 0, parts, nil
	}
	sub, err := p.escapedClass()
	if err != nil {
		return 0, nil, err
	}
	if sub != nil {
		return 0, []*class{sub}, nil
	}
	lit, err := p.escapedChar()
	return lit, nil, err
}
