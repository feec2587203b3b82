package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// show reads SHOW of anything.
func (p *parser) show() ast.Statement {
	first := p.i
	start := p.advance().Start
	t := p.cur()
	switch t.Keyword {
	case token.CATALOGS:
		p.advance()
		like := p.pattern()
		return &ast.ShowCatalogs{At: p.since(start), Like: like}
	case token.SCHEMAS, token.DATABASES, token.NAMESPACES:
		p.advance()
		in, like := p.inLike()
		return &ast.ShowSchemas{At: p.since(start), In: in, Like: like}
	case token.TABLES:
		p.advance()
		in, like := p.inLike()
		return &ast.ShowTables{At: p.since(start), In: in, Like: like}
	case token.VIEWS:
		p.advance()
		in, like := p.inLike()
		return &ast.ShowViews{At: p.since(start), In: in, Like: like}
	case token.VOLUMES:
		p.advance()
		in, like := p.inLike()
		return &ast.ShowVolumes{At: p.since(start), In: in, Like: like}
	case token.TABLE:
		return p.showTableExtended(start)
	case token.EXTERNAL:
		p.expect(token.EXTERNAL, token.LOCATIONS)
		like := p.pattern()
		return &ast.ShowExternalLocations{At: p.since(start), Like: like}
	case token.COLUMNS:
		return p.showColumns(start)
	case token.PARTITIONS:
		p.advance()
		s := &ast.ShowPartitions{Table: p.name()}
		s.Spec = p.optionalSpec(specValues)
		s.AsOf = p.asOf()
		s.At = p.since(start)
		return s
	case token.TBLPROPERTIES:
		p.advance()
		s := &ast.ShowTblProperties{Table: p.name()}
		if p.acceptKind(token.LParen) {
			k := p.propertyKey()
			s.Key = &k
			p.rparen()
		}
		s.At = p.since(start)
		return s
	case token.DRIFT:
		p.advance()
		s := &ast.ShowDrift{Table: p.name()}
		s.Spec = p.optionalSpec(specValues)
		if s.Spec == nil && p.accept(token.WHERE) {
			s.Where = p.expr()
		}
		s.At = p.since(start)
		return s
	case token.CURRENT:
		p.advance()
		if !isSchemaWord(p.cur().Keyword) {
			p.syntax("Expected NAMESPACE.")
		}
		p.advance()
		return &ast.ShowCurrent{At: p.since(start)}
	case token.TRANSACTIONS:
		p.advance()
		s := &ast.ShowTransactions{}
		if p.acceptAny(token.IN, token.FROM) {
			s.Table = p.name()
		}
		s.At = p.since(start)
		return s
	case token.CREATE:
		return p.showCreate(first, start)
	}
	return p.showMore(first, start)
}

// showMore reads SHOW FUNCTIONS, and recognises what Tarn lacks.
func (p *parser) showMore(first int, start int32) ast.Statement {
	t, next := p.cur(), p.peek(1)
	if t.Keyword == token.FUNCTIONS || next.Keyword == token.FUNCTIONS && p.isAny(token.USER, token.SYSTEM, token.ALL) {
		s := &ast.ShowFunctions{}
		if t.Keyword != token.FUNCTIONS {
			s.Scope = p.advance().Keyword.String()
		}
		p.advance()
		if p.acceptAny(token.FROM, token.IN) {
			s.In = p.name()
		}
		if p.accept(token.LIKE) && isName(p.cur()) || isName(p.cur()) {
			p.functionShown(s)
		} else if isString(p.cur()) {
			lit := p.stringLit()
			s.Like = &ast.Pattern{At: lit.At, Text: lit.Value}
		}
		s.At = p.since(start)
		return s
	}
	switch t.Keyword {
	case token.GRANT, token.GRANTS, token.SHARES, token.RECIPIENTS, token.PROVIDERS, token.CONNECTIONS, token.CREDENTIALS,
		token.ROLES, token.PRINCIPALS, token.INDEXES, token.PROCEDURES, token.LOCK:
		return p.unsupportedFrom(first, "SHOW "+t.Keyword.String())
	case token.STORAGE:
		return p.unsupportedFrom(first, "SHOW STORAGE CREDENTIALS")
	}
	switch w := p.upperText(t); w {
	case "MOUNTS":
		p.advance()
		like := p.pattern()
		return &ast.ShowMounts{At: p.since(start), Like: like}
	case "USERS", "GROUPS", "LOCKS", "COMPACTIONS", "VARIABLES", "TAGS":
		return p.unsupportedFrom(first, "SHOW "+w)
	}
	p.syntax("Expected what to show, such as TABLES or PARTITIONS.")
	return &ast.Unsupported{}
}

// functionShown reads the name of a function in the place of a pattern, which may say the schema too.
func (p *parser) functionShown(s *ast.ShowFunctions) {
	n := p.name()
	last := len(n.Parts) - 1
	if last < 0 {
		return
	}
	s.Like = &ast.Pattern{At: n.Parts[last].At, Text: n.Parts[last].Name}
	if last > 0 {
		s.In = ast.Name{At: n.At, Parts: n.Parts[:last]}
	}
}

// inLike reads [{FROM | IN} name] [[LIKE] 'pattern'].
func (p *parser) inLike() (ast.Name, *ast.Pattern) {
	var in ast.Name
	if p.acceptAny(token.FROM, token.IN) {
		in = p.name()
	}
	return in, p.pattern()
}

// pattern reads [LIKE] 'pattern', or gives nil.
func (p *parser) pattern() *ast.Pattern {
	if !p.accept(token.LIKE) && !isString(p.cur()) {
		return nil
	}
	s := p.stringLit()
	return &ast.Pattern{At: s.At, Text: s.Value}
}

func (p *parser) showTableExtended(start int32) ast.Statement {
	p.expect(token.TABLE, token.EXTENDED)
	s := &ast.ShowTableExtended{}
	if p.acceptAny(token.FROM, token.IN) {
		s.In = p.name()
	}
	if !p.is(token.LIKE) {
		p.syntax("Expected LIKE and a pattern.")
	}
	s.Like = p.pattern()
	s.Spec = p.optionalSpec(specValues)
	s.At = p.since(start)
	return s
}

func (p *parser) showColumns(start int32) ast.Statement {
	p.advance()
	if !p.acceptAny(token.FROM, token.IN) {
		p.syntax("Expected FROM or IN.")
	}
	s := &ast.ShowColumns{Table: p.name()}
	if p.acceptAny(token.FROM, token.IN) {
		s.In = p.name()
	}
	s.At = p.since(start)
	return s
}

func (p *parser) showCreate(first int, start int32) ast.Statement {
	p.advance()
	if !p.is(token.TABLE) && p.nameFollows() {
		if k := p.cur().Keyword; isSchemaWord(k) || k == token.VIEW || k == token.CATALOG || k == token.FUNCTION {
			return p.unsupportedFrom(first, "SHOW CREATE "+k.String())
		}
	}
	p.expect(token.TABLE)
	s := &ast.ShowCreateTable{Table: p.name()}
	s.AsSerde = p.acceptSeq(token.AS, token.SERDE)
	s.At = p.since(start)
	return s
}

// describe reads DESCRIBE of anything.
func (p *parser) describe() ast.Statement {
	first := p.i
	start := p.advance().Start
	switch k := p.cur().Keyword; {
	case k == token.FUNCTION && (p.nameFollows() || !p.endsStatement(1) && p.peek(1).Kind != token.Dot):
		return p.describeFunction(start)
	case !p.nameFollows() && !((k == token.DETAIL || k == token.HISTORY) && isString(p.peek(1))):
	case k == token.CATALOG:
		p.advance()
		d := &ast.DescribeCatalog{Extended: p.extended()}
		d.Name = p.ident()
		d.At = p.since(start)
		return d
	case isSchemaWord(k):
		p.advance()
		d := &ast.DescribeSchema{Extended: p.extended()}
		d.Name = p.name()
		d.At = p.since(start)
		return d
	case k == token.VOLUME:
		p.advance()
		n := p.name()
		return &ast.DescribeVolume{At: p.since(start), Name: n}
	case p.isSeq(token.EXTERNAL, token.LOCATION) && isName(p.peek(2)):
		p.advance()
		p.advance()
		id := p.ident()
		return &ast.DescribeExternalLocation{At: p.since(start), Name: id}
	case k == token.HISTORY:
		p.advance()
		d := &ast.DescribeHistory{Table: p.deltaName()}
		if p.accept(token.LIMIT) {
			d.Limit = p.expr()
		}
		d.At = p.since(start)
		return d
	case k == token.DETAIL:
		p.advance()
		n := p.deltaName()
		return &ast.DescribeDetail{At: p.since(start), Table: n}
	case k == token.STORAGE, k == token.SHARE, k == token.RECIPIENT, k == token.PROVIDER, k == token.CONNECTION,
		k == token.CREDENTIAL, k == token.PROCEDURE:
		return p.unsupportedFrom(first, "DESCRIBE "+k.String())
	}
	if p.is(token.QUERY) && (p.peek(1).Kind == token.LParen || p.startsQuery(1)) {
		p.advance()
		q := p.query()
		return &ast.DescribeQuery{At: p.since(start), Query: q}
	}
	if !p.is(token.TABLE) && p.startsQuery(0) || p.queryInParens(0) {
		q := p.query()
		return &ast.DescribeQuery{At: p.since(start), Query: q}
	}
	return p.describeTable(start)
}

// endsStatement reports whether the token n places ahead ends the statement.
func (p *parser) endsStatement(n int) bool {
	k := p.peek(n).Kind
	return k == token.EOF || k == token.Semicolon
}

// extended reads EXTENDED when a name follows it.
func (p *parser) extended() bool {
	if p.is(token.EXTENDED) && p.nameFollows() {
		p.advance()
		return true
	}
	return false
}

func (p *parser) describeTable(start int32) ast.Statement {
	if p.is(token.TABLE) && p.nameFollows() {
		p.advance()
	}
	d := &ast.DescribeTable{}
	if p.isAny(token.EXTENDED, token.FORMATTED) && p.nameFollows() && p.peek(1).Keyword != token.PARTITION {
		p.advance()
		d.Extended = true
	}
	d.Table = p.name()
	if p.is(token.PARTITION) && p.peek(1).Kind == token.LParen {
		d.Spec = p.partitionSpec(specValues)
	}
	if isName(p.cur()) && !p.isSeq(token.AS, token.JSON) {
		if d.Spec != nil {
			p.fail(sqlerr.Unsupported("DESC_TABLE_COLUMN_PARTITION", "DESCRIBE of a column of one partition"), tokenSpan(p.cur()))
		}
		d.Column = p.name()
	}
	if at := p.cur(); p.acceptSeq(token.AS, token.JSON) {
		d.AsJSON = true
		switch {
		case !d.Column.IsZero():
			p.fail(sqlerr.Unsupported("DESC_TABLE_COLUMN_JSON", "DESCRIBE of a column AS JSON"), tokenSpan(at))
		case !d.Extended:
			p.fail(sqlerr.DescribeJSONNotExtended(), tokenSpan(at))
		}
	}
	d.At = p.since(start)
	return d
}

func (p *parser) describeFunction(start int32) ast.Statement {
	p.advance()
	d := &ast.DescribeFunction{}
	if p.is(token.EXTENDED) && !p.endsStatement(1) {
		p.advance()
		d.Extended = true
	}
	t := p.cur()
	switch {
	case isString(t):
		d.Name = p.nameOrString()
	case isName(t):
		d.Name = p.name()
	case t.Kind == token.EOF, t.Kind == token.Semicolon, t.Kind == token.Illegal:
		p.syntax("Expected a function.")
	default: // an operator, such as + or ==
		for !p.endsStatement(0) {
			p.advance()
		}
		at := p.since(t.Start)
		d.Name = ast.Name{At: at, Parts: []ast.Ident{{At: at, Name: p.src[at.Start:at.Stop], Quoted: true}}}
	}
	d.At = p.since(start)
	return d
}
