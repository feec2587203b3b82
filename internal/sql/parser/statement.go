package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
)

// statement reads one statement.
func (p *parser) statement() ast.Statement {
	t := p.cur()
	switch t.Keyword {
	case token.SELECT, token.VALUES, token.TABLE, token.MAP, token.REDUCE:
		return p.query()
	case token.FROM:
		return p.fromStatement(nil)
	case token.WITH:
		return p.withStatement()
	case token.CREATE:
		return p.create()
	case token.REPLACE:
		return p.replaceTable()
	case token.DROP:
		return p.drop()
	case token.ALTER:
		return p.alter()
	case token.SHOW:
		return p.show()
	case token.DESC, token.DESCRIBE:
		return p.describe()
	case token.USE:
		return p.use()
	case token.SET:
		return p.set()
	case token.RESET:
		return p.reset()
	case token.EXPLAIN:
		return p.explain()
	case token.INSERT, token.DELETE, token.UPDATE, token.MERGE:
		return p.dml(nil)
	case token.COMMENT:
		return p.commentOn()
	}
	return p.maintenance(t)
}

// maintenance reads the statements that keep tables in order, and those that Tarn only recognises.
func (p *parser) maintenance(t token.Token) ast.Statement {
	switch t.Keyword {
	case token.MSCK, token.REPAIR:
		return p.repair()
	case token.SYNC:
		return p.sync()
	case token.RESTORE:
		return p.restore()
	case token.REFRESH:
		return p.refresh()
	case token.CACHE, token.UNCACHE, token.CLEAR:
		return p.cache()
	case token.TRUNCATE:
		return p.truncate()
	case token.ANALYZE:
		return p.analyze()
	case token.UNDROP:
		return p.undrop()
	case token.COPY:
		return p.copyInto()
	case token.VACUUM:
		return p.vacuum()
	case token.OPTIMIZE:
		return p.optimize()
	case token.DECLARE:
		return p.declareVariable()
	case token.EXECUTE:
		return p.executeImmediate()
	}
	if t.Kind == token.LParen && p.queryInParens(0) {
		return p.query()
	}
	if what := p.unsupportedWords(t); what != "" {
		return p.unsupportedFrom(p.i, what)
	}
	p.syntax("Expected a statement.")
	return &ast.Unsupported{}
}

// unsupportedWords names a statement that Tarn recognises by its first words but lacks, or is "".
func (p *parser) unsupportedWords(t token.Token) string {
	next := p.peek(1)
	switch t.Keyword {
	case token.LOAD:
		return "LOAD DATA"
	case token.BEGIN:
		return "BEGIN … END"
	case token.START:
		return "START TRANSACTION"
	case token.ADD, token.LIST:
		if isName(next) {
			return t.Keyword.String() + " " + p.upperText(next)
		}
	case token.GRANT, token.REVOKE, token.CALL, token.LOCK,
		token.UNLOCK, token.REORG, token.EXPORT, token.IMPORT, token.FSCK, token.CONVERT, token.GENERATE, token.COMMIT,
		token.ROLLBACK, token.KILL, token.PREPARE:
		return t.Keyword.String()
	}
	return ""
}

// unsupportedFrom takes the rest of a statement that begins at the i-th token.
func (p *parser) unsupportedFrom(i int, what string) ast.Statement {
	start := p.toks[i].Start
	if p.err == nil {
		p.i = i
	}
	text := p.skipRest(start)
	return &ast.Unsupported{At: ast.At{Start: int(start), Stop: int(start) + len(text)}, What: what, Text: text}
}

// withStatement reads WITH … in front of a query or of a change of data.
func (p *parser) withStatement() ast.Statement {
	start := int(p.cur().Start)
	w := p.with()
	switch p.cur().Keyword {
	case token.INSERT, token.DELETE, token.UPDATE, token.MERGE:
		return p.dml(w)
	case token.FROM:
		return p.fromStatement(w)
	}
	return p.queryRest(&ast.Query{With: w}, p.setOps(nil, 0), start)
}

// ifNotExists reads IF NOT EXISTS.
func (p *parser) ifNotExists() bool { return p.acceptSeq(token.IF, token.NOT, token.EXISTS) }

// ifExists reads IF EXISTS.
func (p *parser) ifExists() bool { return p.acceptSeq(token.IF, token.EXISTS) }

// isSchemaWord reports whether k is one of the words for a schema.
func isSchemaWord(k token.Keyword) bool {
	return k == token.SCHEMA || k == token.DATABASE || k == token.NAMESPACE
}

// nameFollows reports whether the token behind the next one begins a name: the next word is a keyword then, not a name
// itself.
func (p *parser) nameFollows() bool { return isName(p.peek(1)) }

func (p *parser) explain() ast.Statement {
	start := p.advance().Start
	if p.is(token.PATH) && isString(p.peek(1)) {
		p.advance()
		uri := p.stringValue()
		return &ast.ExplainPath{At: p.since(start), URI: uri}
	}
	e := &ast.Explain{}
	if p.isAny(token.EXTENDED, token.FORMATTED, token.CODEGEN, token.COST) {
		e.Mode = p.advance().Keyword.String()
	}
	if !p.enter() {
		e.Statement = &ast.Unsupported{}
		return e
	}
	defer p.leave()
	e.Statement = p.statement()
	e.At = p.since(start)
	return e
}

func (p *parser) commentOn() ast.Statement {
	start := p.cur().Start
	p.expect(token.COMMENT, token.ON)
	c := &ast.CommentOn{}
	switch k := p.cur().Keyword; {
	case isSchemaWord(k):
		c.Kind = "SCHEMA"
	case k == token.TABLE, k == token.CATALOG, k == token.VOLUME, k == token.COLUMN:
		c.Kind = k.String()
	default:
		p.syntax("Expected CATALOG, SCHEMA, TABLE, VOLUME or COLUMN.")
	}
	p.advance()
	c.Name = p.name()
	p.expect(token.IS)
	if !p.accept(token.NULL) {
		c.Comment = p.stringPtr()
	}
	c.At = p.since(start)
	return c
}

// fromStatement reads a statement that begins with FROM …, or with WITH … FROM …: a query, or an INSERT of one.
func (p *parser) fromStatement(with *ast.With) ast.Statement {
	begin := p.cur().Start
	start := begin
	if with != nil {
		start = int32(with.Pos())
	}
	from := &ast.Select{}
	p.fromClause(from)
	if p.accept(token.INSERT) {
		return p.inserts(start, insertSource{with: with, from: from})
	}
	return p.queryRest(&ast.Query{With: with}, p.setOps(p.fromRest(from, begin), 0), int(start))
}
