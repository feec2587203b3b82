package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// clauses tells which clauses a statement has had, since each may stand once.
type clauses map[string]bool

// once fails when the clause was there before. at is the clause's first token.
func (c clauses) once(p *parser, clause string, at token.Token) {
	if c[clause] {
		p.fail(sqlerr.DuplicateClauses(clause), tokenSpan(at))
	}
	c[clause] = true
}

func (p *parser) createCatalog(start int32) ast.Statement {
	p.expect(token.CATALOG)
	c := &ast.CreateCatalog{IfNotExists: p.ifNotExists()}
	c.Name = p.ident()
	seen := clauses{}
	for {
		t := p.cur()
		switch {
		case p.accept(token.COMMENT):
			seen.once(p, "COMMENT", t)
			c.Comment = p.stringPtr()
		case p.acceptSeq(token.MANAGED, token.LOCATION):
			seen.once(p, "LOCATION", t)
			c.Location = p.stringPtr()
		case p.acceptAny(token.DBPROPERTIES, token.OPTIONS), p.acceptSeq(token.WITH, token.DBPROPERTIES):
			seen.once(p, "OPTIONS", t)
			c.Properties = p.properties()
		default:
			c.At = p.since(start)
			return c
		}
	}
}

func (p *parser) createSchema(start int32) ast.Statement {
	p.advance()
	c := &ast.CreateSchema{IfNotExists: p.ifNotExists()}
	c.Name = p.name()
	seen := clauses{}
	for {
		t := p.cur()
		switch {
		case p.accept(token.COMMENT):
			seen.once(p, "COMMENT", t)
			c.Comment = p.stringPtr()
		case p.is(token.LOCATION), p.isSeq(token.MANAGED, token.LOCATION):
			seen.once(p, "LOCATION", t)
			c.Managed = p.accept(token.MANAGED)
			p.advance()
			c.Location = p.stringPtr()
		case p.isSeq(token.WITH, token.DBPROPERTIES), p.isSeq(token.WITH, token.PROPERTIES):
			seen.once(p, "WITH PROPERTIES", t)
			p.advance()
			p.advance()
			c.Properties = p.namespaceProperties()
		case p.isSeq(token.DEFAULT, token.COLLATION):
			p.fail(sqlerr.Unsupported("COLLATION", "default collations"), tokenSpan(t))
		default:
			c.At = p.since(start)
			return c
		}
	}
}

func (p *parser) createVolume(start int32, external bool) ast.Statement {
	p.expect(token.VOLUME)
	v := &ast.CreateVolume{External: external, IfNotExists: p.ifNotExists()}
	v.Name = p.name()
	seen := clauses{}
	for {
		t := p.cur()
		switch {
		case p.accept(token.COMMENT):
			seen.once(p, "COMMENT", t)
			v.Comment = p.stringPtr()
		case p.accept(token.LOCATION):
			seen.once(p, "LOCATION", t)
			v.Location = p.stringPtr()
		default:
			v.At = p.since(start)
			return v
		}
	}
}

func (p *parser) createExternalLocation(start int32) ast.Statement {
	p.expect(token.EXTERNAL, token.LOCATION)
	l := &ast.CreateExternalLocation{IfNotExists: p.ifNotExists()}
	l.Name = p.ident()
	p.expect(token.URL)
	l.URL = p.stringValue()
	if p.accept(token.WITH) {
		p.lparen()
		p.accept(token.STORAGE)
		p.expect(token.CREDENTIAL)
		c := p.ident()
		l.Credential = &c
		p.rparen()
	}
	if p.accept(token.COMMENT) {
		l.Comment = p.stringPtr()
	}
	l.At = p.since(start)
	return l
}

// drop reads DROP of anything.
func (p *parser) drop() ast.Statement {
	first := p.i
	start := p.advance().Start
	t := p.cur()
	switch k := t.Keyword; {
	case k == token.CATALOG:
		p.advance()
		d := &ast.DropCatalog{IfExists: p.ifExists()}
		d.Name = p.ident()
		d.Cascade = p.cascade()
		d.At = p.since(start)
		return d
	case isSchemaWord(k):
		p.advance()
		d := &ast.DropSchema{IfExists: p.ifExists()}
		d.Name = p.name()
		d.Cascade = p.cascade()
		d.At = p.since(start)
		return d
	case k == token.TABLE:
		p.advance()
		d := &ast.DropTable{IfExists: p.ifExists()}
		d.Name = p.name()
		d.Purge = p.accept(token.PURGE)
		d.At = p.since(start)
		return d
	case k == token.VIEW:
		p.advance()
		d := &ast.DropView{IfExists: p.ifExists()}
		d.Name = p.name()
		d.At = p.since(start)
		return d
	case k == token.VOLUME:
		p.advance()
		d := &ast.DropVolume{IfExists: p.ifExists()}
		d.Name = p.name()
		d.At = p.since(start)
		return d
	case p.isSeq(token.EXTERNAL, token.LOCATION):
		p.advance()
		p.advance()
		d := &ast.DropExternalLocation{IfExists: p.ifExists()}
		d.Name = p.ident()
		d.Force = p.accept(token.FORCE)
		d.At = p.since(start)
		return d
	}
	if d := p.dropRoutine(start); d != nil {
		return d
	}
	if what := p.otherObject("DROP "); what != "" {
		return p.unsupportedFrom(first, what)
	}
	p.syntax("Expected what to drop, such as TABLE.")
	return &ast.Unsupported{}
}

// cascade reads CASCADE or RESTRICT.
func (p *parser) cascade() bool {
	if p.accept(token.CASCADE) {
		return true
	}
	p.accept(token.RESTRICT)
	return false
}

// otherObject names the kind of object that comes next, when Tarn knows it but lacks it: verb and kind, or "".
func (p *parser) otherObject(verb string) string {
	n := 0
	for k := p.peek(n).Keyword; k == token.TEMPORARY || k == token.TEMP || k == token.GLOBAL; k = p.peek(n).Keyword {
		n++
	}
	switch k := p.peek(n).Keyword; k {
	case token.PROCEDURE, token.SHARE, token.RECIPIENT, token.PROVIDER,
		token.CONNECTION, token.ROLE, token.INDEX, token.POLICY, token.CREDENTIAL:
		return verb + k.String()
	case token.MATERIALIZED:
		return verb + "MATERIALIZED VIEW"
	case token.STORAGE:
		return verb + "STORAGE CREDENTIAL"
	case token.FOREIGN:
		return verb + "FOREIGN CATALOG"
	}
	if p.upperText(p.peek(n)) == "STREAMING" {
		return verb + "STREAMING TABLE"
	}
	return ""
}

// use reads USE.
func (p *parser) use() ast.Statement {
	start := p.advance().Start
	if p.is(token.CATALOG) && (p.nameFollows() || isString(p.peek(1))) {
		p.advance()
		n := p.nameOrString()
		return &ast.UseCatalog{At: p.since(start), Name: n}
	}
	u := &ast.Use{}
	if isSchemaWord(p.cur().Keyword) && p.nameFollows() {
		p.advance()
		u.SchemaOnly = true
	}
	u.Name = p.name()
	u.At = p.since(start)
	return u
}

// nameOrString reads a name, or a string that is one.
func (p *parser) nameOrString() ast.Name {
	if !isString(p.cur()) {
		return p.name()
	}
	s := p.stringLit()
	return ast.Name{At: s.At, Parts: []ast.Ident{{At: s.At, Name: s.Value, Quoted: true}}}
}

func (p *parser) undrop() ast.Statement {
	start := p.cur().Start
	p.expect(token.UNDROP, token.TABLE)
	n := p.name()
	return &ast.UndropTable{At: p.since(start), Name: n}
}
