package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// create reads CREATE of anything.
func (p *parser) create() ast.Statement {
	first := p.i
	start := p.advance().Start
	replace := p.acceptSeq(token.OR, token.REPLACE)
	if p.is(token.OR) {
		p.syntax("Expected OR REPLACE.")
	}
	switch k := p.cur().Keyword; {
	case k == token.CATALOG && !replace:
		return p.createCatalog(start)
	case isSchemaWord(k) && !replace:
		return p.createSchema(start)
	case k == token.VOLUME && !replace:
		return p.createVolume(start, false)
	case p.isSeq(token.EXTERNAL, token.VOLUME) && !replace:
		p.advance()
		return p.createVolume(start, true)
	case p.isSeq(token.EXTERNAL, token.LOCATION) && !replace:
		return p.createExternalLocation(start)
	}
	if p.is(token.FUNCTION) || p.isAny(token.TEMPORARY, token.TEMP) && p.peek(1).Keyword == token.FUNCTION {
		return p.createFunction(first, start, replace)
	}
	if what := p.otherObject("CREATE "); what != "" {
		return p.unsupportedFrom(first, what)
	}
	global := p.is(token.GLOBAL)
	if global {
		p.advance()
	}
	temp := p.acceptAny(token.TEMPORARY, token.TEMP)
	if p.is(token.VIEW) {
		if global && !temp {
			p.syntax("Expected TEMPORARY.")
		}
		return p.createView(first, start, replace, global, temp)
	}
	external := p.accept(token.EXTERNAL)
	if !p.is(token.TABLE) || global {
		p.syntax("Expected what to create, such as TABLE.")
		return &ast.Unsupported{}
	}
	p.advance()
	c := &ast.CreateTable{Replace: replace, External: external, Temporary: temp}
	return p.createTable(start, c)
}

// replaceTable reads REPLACE TABLE.
func (p *parser) replaceTable() ast.Statement {
	start := p.advance().Start
	p.expect(token.TABLE)
	return p.createTable(start, &ast.CreateTable{Replace: true, MustExist: true})
}

// createTable reads CREATE TABLE from its name on.
func (p *parser) createTable(start int32, c *ast.CreateTable) ast.Statement {
	if !c.Replace {
		c.IfNotExists = p.ifNotExists()
	}
	c.Name = p.name()
	if p.isAny(token.SHALLOW, token.DEEP, token.CLONE) && (p.is(token.CLONE) || p.peek(1).Keyword == token.CLONE) {
		return p.clone(start, c)
	}
	if p.is(token.LIKE) && !c.Replace {
		return p.createTableLike(start, c)
	}
	if p.isKind(token.LParen) && !p.queryInParens(0) {
		p.advance()
		c.HasColumns = true
		c.Columns = append(c.Columns, p.tableColumn())
		for p.acceptKind(token.Comma) {
			c.Columns = append(c.Columns, p.tableColumn())
		}
		p.rparen()
	}
	clauses := p.cur()
	p.tableClauses(c)
	if p.accept(token.AS) || p.startsQuery(0) || p.queryInParens(0) {
		if len(c.PartitionColumns) > 0 {
			p.fail(sqlerr.InvalidStatement("PARTITIONED BY with types in CREATE TABLE AS SELECT"), p.spanSince(clauses))
		}
		c.Query = p.query()
	}
	c.At = p.since(start)
	return c
}

// tableColumn reads a column of CREATE TABLE; constraints of the table are refused by name.
func (p *parser) tableColumn() *ast.ColumnDef {
	t := p.cur()
	switch {
	case p.isSeq(token.PRIMARY, token.KEY), p.isSeq(token.FOREIGN, token.KEY), p.is(token.CONSTRAINT) && p.nameFollows() &&
		isName(p.peek(2)), p.is(token.CHECK) && p.peek(1).Kind == token.LParen,
		p.is(token.UNIQUE) && p.peek(1).Kind == token.LParen:
		p.fail(sqlerr.Unsupported("TABLE_CONSTRAINT", "constraints of a table"), tokenSpan(t))
	}
	return p.columnDef(createdColumn)
}

// columnPlace is where a column is described, which decides what may follow its type.
type columnPlace uint8

const (
	plainColumn   columnPlace = iota // in a list of columns
	createdColumn                    // in CREATE TABLE: it can be generated
	addedColumn                      // in ALTER TABLE
)

// columnDef reads name, type, and what may follow them.
func (p *parser) columnDef(place columnPlace) *ast.ColumnDef {
	start := p.cur().Start
	c := &ast.ColumnDef{Path: p.name()}
	c.Type = p.typeName()
	seen := clauses{}
	once := func(what string, at token.Token) {
		if place != plainColumn && seen[what] {
			p.fail(sqlerr.DuplicateDescriptor(place == createdColumn, c.Path.String(), what), tokenSpan(at))
		}
		seen.once(p, what, at)
	}
	for {
		t := p.cur()
		switch {
		case p.acceptSeq(token.NOT, token.NULL):
			once("NOT NULL", t)
			c.NotNull = true
		case p.accept(token.DEFAULT):
			once("DEFAULT", t)
			from := p.cur().Start
			c.Default = p.expr()
			c.DefaultText = p.textFrom(from)
		case p.accept(token.COMMENT):
			once("COMMENT", t)
			c.Comment = p.stringPtr()
		case place == createdColumn && p.accept(token.GENERATED):
			once("GENERATED ALWAYS AS", t)
			p.generated(c, t)
		case p.isSeq(token.PRIMARY, token.KEY), p.is(token.REFERENCES), p.is(token.CONSTRAINT), p.is(token.UNIQUE),
			p.is(token.CHECK):
			p.fail(sqlerr.Unsupported("TABLE_CONSTRAINT", "constraints of a column"), tokenSpan(t))
		default:
			c.At = p.since(start)
			return c
		}
	}
}

// generated reads what follows GENERATED, the token first.
func (p *parser) generated(c *ast.ColumnDef, first token.Token) {
	byDefault := p.acceptSeq(token.BY, token.DEFAULT)
	if !byDefault {
		p.expect(token.ALWAYS)
	}
	p.expect(token.AS)
	if byDefault || p.isWord("IDENTITY") {
		if !p.acceptWord("IDENTITY") {
			p.syntax("Expected IDENTITY.")
			return
		}
		p.fail(sqlerr.Unsupported("IDENTITY_COLUMN", "identity columns"), tokenSpan(first))
		return
	}
	p.lparen()
	from := p.cur().Start
	c.Generated = p.expr()
	c.GeneratedText = p.textFrom(from)
	p.rparen()
}

// textFrom is the source text from start to the last token read.
func (p *parser) textFrom(start int32) string {
	at := p.since(start)
	return p.src[at.Start:at.Stop]
}

// tableClauses reads the clauses of CREATE TABLE in any order.
func (p *parser) tableClauses(c *ast.CreateTable) {
	seen := clauses{}
	for p.err == nil {
		t := p.cur()
		switch {
		case p.accept(token.USING):
			seen.once(p, "USING", t)
			f := p.formatName()
			c.Using = &f
		case p.acceptSeq(token.PARTITIONED, token.BY):
			seen.once(p, "PARTITIONED BY", t)
			p.partitionedBy(c)
		case p.is(token.CLUSTERED):
			seen.once(p, "CLUSTERED BY", t)
			c.Buckets = p.buckets()
		case p.isSeq(token.CLUSTER, token.BY):
			seen.once(p, "CLUSTER BY", t)
			c.ClusterBy = p.clusterBy()
		case p.accept(token.LOCATION):
			seen.once(p, "LOCATION", t)
			s := p.stringLit()
			c.Location, c.LocationAt = &s.Value, s.At
		case p.accept(token.OPTIONS):
			seen.once(p, "OPTIONS", t)
			c.Options = p.tableProperties()
		case p.accept(token.TBLPROPERTIES):
			seen.once(p, "TBLPROPERTIES", t)
			c.Properties = p.tableProperties()
		case p.accept(token.COMMENT):
			seen.once(p, "COMMENT", t)
			c.Comment = p.stringPtr()
		case p.isSeq(token.ROW, token.FORMAT):
			seen.once(p, "ROW FORMAT", t)
			c.RowFormat = p.rowFormat()
		case p.is(token.STORED):
			seen.once(p, "STORED AS/BY", t)
			c.StoredAs = p.storedAs()
		case p.is(token.SKEWED), p.isSeq(token.DEFAULT, token.COLLATION):
			p.fail(sqlerr.Unsupported("TABLE_CLAUSE", "the clause "+p.upperText(t)), tokenSpan(t))
		default:
			return
		}
	}
}

// formatName reads a format's name; dots (of a class name) are kept.
func (p *parser) formatName() ast.Ident {
	n := p.name()
	if len(n.Parts) == 1 {
		return n.Parts[0]
	}
	return ast.Ident{At: n.At, Name: strings.Join(n.Ident(), "."), Quoted: true}
}

// partitionedBy reads both forms of PARTITIONED BY: names, or columns with types.
func (p *parser) partitionedBy(c *ast.CreateTable) {
	open := p.cur()
	c.Partitioned = true
	p.lparen()
	for {
		switch next := p.peek(1); {
		case next.Kind == token.Comma || next.Kind == token.RParen:
			c.PartitionNames = append(c.PartitionNames, p.ident())
		case next.Kind == token.LParen || next.Kind == token.Dot:
			c.PartitionTransforms = append(c.PartitionTransforms, p.operators(precComparison))
		default:
			c.PartitionColumns = append(c.PartitionColumns, p.columnDef(plainColumn))
		}
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	if len(c.PartitionColumns) > 0 && len(c.PartitionNames)+len(c.PartitionTransforms) > 0 {
		p.fail(sqlerr.InvalidStatement("PARTITIONED BY with both names of columns and columns with types"), p.spanSince(open))
	}
}

func (p *parser) buckets() *ast.Buckets {
	start := p.cur().Start
	p.expect(token.CLUSTERED, token.BY)
	b := &ast.Buckets{Columns: p.identList()}
	if p.acceptSeq(token.SORTED, token.BY) {
		p.lparen()
		b.Sorted = p.sortItems()
		p.rparen()
	}
	p.expect(token.INTO)
	b.Count = p.text(p.cur())
	p.expectKind(token.Integer, "a number")
	p.expect(token.BUCKETS)
	b.At = p.since(start)
	return b
}

func (p *parser) clusterBy() *ast.ClusterBy {
	start := p.cur().Start
	p.expect(token.CLUSTER, token.BY)
	b := &ast.ClusterBy{}
	switch {
	case p.accept(token.AUTO):
		b.Auto = true
	case p.accept(token.NONE):
		b.None = true
	default:
		p.lparen()
		b.Columns = p.names()
		p.rparen()
	}
	b.At = p.since(start)
	return b
}

func (p *parser) rowFormat() *ast.RowFormat {
	start := p.cur().Start
	p.expect(token.ROW, token.FORMAT)
	r := &ast.RowFormat{}
	if p.accept(token.SERDE) {
		r.Serde = p.stringValue()
		if p.acceptSeq(token.WITH, token.SERDEPROPERTIES) {
			r.Properties = p.properties()
		}
		r.At = p.since(start)
		return r
	}
	p.expect(token.DELIMITED)
	for {
		from := p.cur().Start
		switch {
		case p.acceptSeq(token.FIELDS, token.TERMINATED, token.BY), p.acceptSeq(token.ESCAPED, token.BY),
			p.acceptSeq(token.COLLECTION, token.ITEMS, token.TERMINATED, token.BY),
			p.acceptSeq(token.MAP, token.KEYS, token.TERMINATED, token.BY), p.acceptSeq(token.LINES, token.TERMINATED, token.BY),
			p.acceptSeq(token.NULL, token.DEFINED, token.AS):
			words := strings.Join(strings.Fields(strings.ToUpper(p.textFrom(from))), " ")
			v := p.stringValue()
			r.Delimiters = append(r.Delimiters, ast.Property{At: p.since(from), Key: words, Value: v, HasValue: true})
		default:
			r.At = p.since(start)
			return r
		}
	}
}

func (p *parser) storedAs() *ast.StoredAs {
	start := p.advance().Start
	s := &ast.StoredAs{}
	switch {
	case p.accept(token.BY):
		s.Handler = p.stringValue()
		if p.acceptSeq(token.WITH, token.SERDEPROPERTIES) {
			p.properties()
		}
	case p.acceptSeq(token.AS, token.INPUTFORMAT):
		s.InputFormat = p.stringValue()
		p.expect(token.OUTPUTFORMAT)
		s.OutputFormat = p.stringValue()
	default:
		p.expect(token.AS)
		f := p.ident()
		s.Format = &f
	}
	s.At = p.since(start)
	return s
}

func (p *parser) createTableLike(start int32, c *ast.CreateTable) ast.Statement {
	p.expect(token.LIKE)
	l := &ast.CreateTableLike{Name: c.Name, IfNotExists: c.IfNotExists, External: c.External, Source: p.name()}
	clauses := &ast.CreateTable{}
	at := p.cur()
	p.tableClauses(clauses)
	if clauses.Partitioned || clauses.Buckets != nil || clauses.ClusterBy != nil || clauses.Options != nil ||
		clauses.Comment != nil {
		p.syntaxAt(at, "CREATE TABLE LIKE takes USING, LOCATION, ROW FORMAT, STORED AS and TBLPROPERTIES only.")
	}
	l.Using, l.Location, l.Properties = clauses.Using, clauses.Location, clauses.Properties
	l.StoredAs, l.RowFormat = clauses.StoredAs, clauses.RowFormat
	l.At = p.since(start)
	return l
}

// createView reads CREATE VIEW from VIEW on.
func (p *parser) createView(first int, start int32, replace, global, temp bool) ast.Statement {
	p.advance()
	v := &ast.CreateView{Replace: replace, Global: global, Temporary: temp, IfNotExists: p.ifNotExists()}
	v.Name = p.name()
	if v.Replace && v.IfNotExists && p.err == nil {
		p.fail(sqlerr.ViewIfNotExistsAndReplace(v.Name.String()), v.Name.Span())
	}
	if temp && (p.is(token.USING) || p.isKind(token.LParen) && p.typedColumns()) {
		return p.tempViewUsing(start, v)
	}
	if p.acceptKind(token.LParen) {
		for {
			from := p.cur().Start
			c := ast.ViewColumn{Name: p.ident()}
			if p.accept(token.COMMENT) {
				c.Comment = p.stringPtr()
			}
			c.At = p.since(from)
			v.Columns = append(v.Columns, c)
			if !p.acceptKind(token.Comma) {
				break
			}
		}
		p.rparen()
	}
	seen := clauses{}
	for {
		t := p.cur()
		switch {
		case p.accept(token.COMMENT):
			seen.once(p, "COMMENT", t)
			v.Comment = p.stringPtr()
		case p.accept(token.TBLPROPERTIES):
			seen.once(p, "TBLPROPERTIES", t)
			v.Properties = p.properties()
		case p.acceptSeq(token.WITH, token.SCHEMA):
			seen.once(p, "WITH SCHEMA", t)
			v.SchemaMode = p.schemaMode()
		case p.is(token.PARTITIONED), p.is(token.WITH), p.is(token.LANGUAGE), p.is(token.DEFAULT):
			return p.unsupportedFrom(first, "CREATE VIEW with "+p.upperText(t))
		default:
			p.expect(token.AS)
			from := p.cur().Start
			v.Query = p.query()
			v.Text = p.textFrom(from)
			v.At = p.since(start)
			return v
		}
	}
}

// schemaMode reads what follows WITH SCHEMA.
func (p *parser) schemaMode() string {
	switch {
	case p.accept(token.BINDING):
		return "BINDING"
	case p.accept(token.COMPENSATION):
		return "COMPENSATION"
	case p.acceptSeq(token.TYPE, token.EVOLUTION):
		return "TYPE EVOLUTION"
	case p.accept(token.EVOLUTION):
		return "EVOLUTION"
	}
	p.syntax("Expected BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION.")
	return ""
}

// typedColumns reports whether the list in parentheses that comes next gives types to its columns.
func (p *parser) typedColumns() bool {
	k := p.peek(2)
	return isName(p.peek(1)) && isName(k) && k.Keyword != token.COMMENT
}

func (p *parser) tempViewUsing(start int32, v *ast.CreateView) ast.Statement {
	c := &ast.CreateTempViewUsing{Replace: v.Replace, Global: v.Global, Name: v.Name}
	if v.IfNotExists {
		p.syntax("A temporary view cannot be created with IF NOT EXISTS.")
	}
	if p.acceptKind(token.LParen) {
		c.Columns = append(c.Columns, p.columnDef(plainColumn))
		for p.acceptKind(token.Comma) {
			c.Columns = append(c.Columns, p.columnDef(plainColumn))
		}
		p.rparen()
	}
	p.expect(token.USING)
	c.Using = p.formatName()
	if p.accept(token.OPTIONS) {
		c.Options = p.properties()
	}
	c.At = p.since(start)
	return c
}
