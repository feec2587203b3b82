package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// repair reads [MSCK] REPAIR TABLE.
func (p *parser) repair() ast.Statement {
	start := p.cur().Start
	p.accept(token.MSCK)
	p.expect(token.REPAIR, token.TABLE)
	r := &ast.Repair{Table: p.name()}
	r.Spec = p.optionalSpec(specValues)
	if r.Spec == nil && p.accept(token.WHERE) {
		r.Where = p.expr()
	}
	switch {
	case p.acceptSeq(token.SYNC, token.METADATA):
		r.Mode = ast.RepairSyncMetadata
	case p.isAny(token.ADD, token.DROP, token.SYNC):
		switch p.advance().Keyword {
		case token.ADD:
			r.Mode = ast.RepairAdd
		case token.DROP:
			r.Mode = ast.RepairDrop
		default:
			r.Mode = ast.RepairSync
		}
		p.expect(token.PARTITIONS)
	}
	r.DryRun = p.is(token.DRY)
	if r.DryRun {
		p.expect(token.DRY, token.RUN)
	}
	r.Force = p.accept(token.FORCE)
	r.At = p.since(start)
	return r
}

// sync reads SYNC {SCHEMA | TABLE} target [AS EXTERNAL] FROM source [SET OWNER principal] [DRY RUN].
func (p *parser) sync() ast.Statement {
	start := p.advance().Start
	s := &ast.Sync{}
	switch k := p.cur().Keyword; {
	case isSchemaWord(k):
		s.Schema = true
	case k != token.TABLE:
		p.syntax("Expected SCHEMA or TABLE.")
	}
	p.advance()
	s.Target = p.name()
	if p.accept(token.AS) {
		p.expect(token.EXTERNAL)
		s.AsExternal = true
	}
	p.expect(token.FROM)
	s.Source = p.name()
	if p.accept(token.SET) {
		p.expect(token.OWNER)
		p.accept(token.TO)
		owner := p.ident()
		s.Owner = &owner
	}
	if s.DryRun = p.is(token.DRY); s.DryRun {
		p.expect(token.DRY, token.RUN)
	}
	s.At = p.since(start)
	return s
}

func (p *parser) restore() ast.Statement {
	start := p.advance().Start
	if p.is(token.TABLE) && p.nameFollows() {
		p.advance()
	}
	r := &ast.Restore{Table: p.name()}
	p.accept(token.TO)
	if r.AsOf = p.asOf(); r.AsOf == nil {
		p.syntax("Expected VERSION AS OF or TIMESTAMP AS OF.")
	}
	r.At = p.since(start)
	return r
}

// refresh reads REFRESH [TABLE] t, REFRESH 'path' and REFRESH path.
func (p *parser) refresh() ast.Statement {
	first := p.i
	start := p.advance().Start
	t := p.cur()
	switch {
	case isString(t) && p.endsStatement(1):
		s := p.stringValue()
		return &ast.RefreshPath{At: p.since(start), Path: s}
	case p.is(token.FUNCTION) && p.nameFollows():
		p.advance()
		n := p.name()
		return &ast.RefreshFunction{At: p.since(start), Name: n}
	case p.isAny(token.MATERIALIZED, token.FOREIGN) && p.nameFollows():
		return p.unsupportedFrom(first, "REFRESH "+t.Keyword.String())
	case p.is(token.TABLE) && p.nameFollows():
		p.advance()
		n := p.name()
		return &ast.RefreshTable{At: p.since(start), Table: n}
	case isName(t):
		n := 1
		for p.peek(n).Kind == token.Dot && isName(p.peek(n+1)) {
			n += 2
		}
		if p.endsStatement(n) {
			name := p.name()
			return &ast.RefreshTable{At: p.since(start), Table: name}
		}
	case p.endsStatement(0):
		p.syntax("Expected a table or a path.")
		return &ast.RefreshPath{}
	}
	path := strings.TrimSpace(p.skipRest(t.Start))
	if strings.ContainsAny(path, " \t\r\n'\"") {
		p.fail(sqlerr.Syntax("'"+path+"'", "A path with spaces or quotes goes in quotes."), tokenSpan(t))
	}
	return &ast.RefreshPath{At: p.since(start), Path: path}
}

// cache reads CACHE [LAZY] TABLE t [OPTIONS (…)] [[AS] query], UNCACHE TABLE [IF EXISTS] t and CLEAR CACHE.
func (p *parser) cache() ast.Statement {
	t := p.cur()
	c := &ast.Cache{Verb: t.Keyword.String()}
	p.advance()
	if t.Keyword == token.CLEAR {
		p.expect(token.CACHE)
		c.At = p.since(t.Start)
		return c
	}
	if t.Keyword == token.CACHE && p.upperText(p.cur()) == "LAZY" {
		c.Lazy = true
		p.advance()
	}
	p.expect(token.TABLE)
	c.IfExists = t.Keyword == token.UNCACHE && p.acceptSeq(token.IF, token.EXISTS)
	c.Table = p.name()
	if t.Keyword == token.CACHE {
		if p.accept(token.OPTIONS) {
			c.Options = p.properties()
		}
		if p.accept(token.AS) || p.startsQuery(0) || p.queryInParens(0) {
			from := p.cur().Start
			c.Query = p.query()
			c.Text = p.textFrom(from)
		}
	}
	c.At = p.since(t.Start)
	return c
}

func (p *parser) truncate() ast.Statement {
	start := p.cur().Start
	p.expect(token.TRUNCATE, token.TABLE)
	t := &ast.Truncate{Table: p.name()}
	t.Spec = p.optionalSpec(specValues)
	t.At = p.since(start)
	return t
}

func (p *parser) analyze() ast.Statement {
	start := p.advance().Start
	a := &ast.Analyze{}
	if p.accept(token.TABLES) {
		if p.acceptAny(token.FROM, token.IN) {
			a.In = p.name()
		}
	} else {
		p.expect(token.TABLE)
		a.Table = p.name()
		a.Spec = p.optionalSpec(specInsert)
	}
	p.expect(token.COMPUTE, token.STATISTICS)
	switch {
	case p.accept(token.NOSCAN):
		a.NoScan = true
	case a.Table.IsZero():
	case p.acceptSeq(token.FOR, token.ALL, token.COLUMNS):
		a.AllColumns = true
	case p.acceptSeq(token.FOR, token.COLUMNS):
		a.Columns = append(a.Columns, p.ident())
		for p.acceptKind(token.Comma) {
			a.Columns = append(a.Columns, p.ident())
		}
	case isName(p.cur()):
		p.fail(sqlerr.AnalyzeNotNoScan(p.upperText(p.cur())), tokenSpan(p.cur()))
	}
	a.At = p.since(start)
	return a
}

// insertSource is what of an INSERT's query stands in front of the word INSERT: WITH …, FROM …, both or neither.
type insertSource struct {
	with *ast.With
	from *ast.Select
}

// inserts reads one or more INSERT … SELECT … behind a common FROM, from behind the first word INSERT.
func (p *parser) inserts(start int32, source insertSource) ast.Statement {
	var all []ast.Statement
	for {
		// Each SELECT is completed in a copy of its own; what it is over is shared.
		from := *source.from
		all = append(all, p.insert(start, insertSource{with: source.with, from: &from}))
		if !p.accept(token.INSERT) {
			break
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	m := &ast.MultiInsert{At: p.since(start), Inserts: all}
	m.Text = p.src[m.Start:m.Stop]
	return m
}

// schemaEvolution reads WITH SCHEMA EVOLUTION, if it is there.
func (p *parser) schemaEvolution() bool {
	if !p.isSeq(token.WITH, token.SCHEMA) {
		return false
	}
	p.expect(token.WITH)
	p.expect(token.SCHEMA)
	p.expect(token.EVOLUTION)
	return true
}

// insert reads INSERT from behind its first word.
func (p *parser) insert(start int32, source insertSource) ast.Statement {
	evolve := p.schemaEvolution()
	i := &ast.Insert{Evolve: evolve, Overwrite: p.accept(token.OVERWRITE)}
	if i.Overwrite && (p.is(token.DIRECTORY) || p.isSeq(token.LOCAL, token.DIRECTORY)) {
		return p.insertDirectory(start, source)
	}
	if !i.Overwrite {
		p.expect(token.INTO)
	}
	if p.is(token.TABLE) && p.nameFollows() {
		p.advance()
	}
	i.Table = p.name()
	if p.is(token.WITH) && p.peek(1).Kind == token.LParen {
		p.advance()
		i.Options = p.properties()
	}
	if p.acceptSeq(token.PARTITIONED, token.BY) {
		i.PartitionedBy = p.identList()
	}
	p.insertTarget(i)
	i.Query = p.insertQuery(source)
	i.At = p.since(start)
	return i
}

// insertTarget reads what stands between the table and the query.
func (p *parser) insertTarget(i *ast.Insert) {
	i.Spec = p.optionalSpec(specInsert)
	if at := p.cur(); p.ifNotExists() {
		i.IfNotExists = true
		p.checkIfNotExists(i, at)
	}
	switch {
	case p.acceptSeq(token.BY, token.NAME):
		i.ByName = true
	case p.isKind(token.LParen) && !p.queryInParens(0):
		i.Columns = p.identList()
	}
	if !p.is(token.REPLACE) || i.Overwrite {
		return
	}
	p.advance()
	switch {
	case p.accept(token.WHERE):
		i.ReplaceWhere = p.expr()
	case p.accept(token.USING):
		i.ReplaceUsing = p.identList()
	case p.is(token.ON):
		p.fail(sqlerr.Unsupported("INSERT_REPLACE_ON", "INSERT … REPLACE ON"), tokenSpan(p.cur()))
	default:
		p.syntax("Expected WHERE or USING.")
	}
}

// checkIfNotExists refuses IF NOT EXISTS where it means nothing: without OVERWRITE, and with partitions that only the
// rows will tell.
func (p *parser) checkIfNotExists(i *ast.Insert, at token.Token) {
	if !i.Overwrite {
		p.fail(sqlerr.InvalidStatement("INSERT INTO ... IF NOT EXISTS"), tokenSpan(at))
		return
	}
	if i.Spec == nil {
		p.syntaxAt(at, "IF NOT EXISTS stands behind PARTITION (…).")
		return
	}
	var dynamic []string
	for _, it := range i.Spec.Items {
		if it.Op == "" {
			dynamic = append(dynamic, it.Name.Name)
		}
	}
	if len(dynamic) > 0 {
		p.fail(sqlerr.InvalidStatement("INSERT OVERWRITE ... IF NOT EXISTS with dynamic partitions: "+
			strings.Join(dynamic, ", ")), tokenSpan(at))
	}
}

// insertQuery reads the rows to write, and puts before them what stood in front of the statement.
func (p *parser) insertQuery(source insertSource) *ast.Query {
	if source.from != nil {
		return p.insertedFrom(source)
	}
	q := p.query()
	if source.with == nil {
		return q
	}
	if q.With == nil {
		q.With = source.with
		return q
	}
	return &ast.Query{At: q.At, With: source.with, Body: q}
}

// insertedFrom reads the SELECT of FROM … INSERT … SELECT …, which means INSERT … SELECT … FROM ….
func (p *parser) insertedFrom(source insertSource) *ast.Query {
	start := int(p.cur().Start)
	q := &ast.Query{With: source.with}
	if !p.is(token.SELECT) {
		p.syntax("Expected SELECT.")
		return q
	}
	return p.queryRest(q, p.selectBody(source.from), start)
}

func (p *parser) insertDirectory(start int32, source insertSource) ast.Statement {
	i := &ast.InsertDirectory{Local: p.accept(token.LOCAL)}
	p.expect(token.DIRECTORY)
	if isString(p.cur()) {
		i.Path = p.stringPtr()
	}
	switch {
	case p.accept(token.USING):
		f := p.formatName()
		i.Using = &f
		if p.accept(token.OPTIONS) {
			i.Options = p.properties()
		}
	default:
		if p.isSeq(token.ROW, token.FORMAT) {
			i.RowFormat = p.rowFormat()
		}
		if p.is(token.STORED) {
			i.StoredAs = p.storedAs()
		}
	}
	i.Query = p.insertQuery(source)
	i.At = p.since(start)
	return i
}
