package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// createFunction reads CREATE FUNCTION from TEMPORARY or FUNCTION on.
func (p *parser) createFunction(first int, start int32, replace bool) ast.Statement {
	f := &ast.CreateFunction{Replace: replace, Temporary: p.acceptAny(token.TEMPORARY, token.TEMP)}
	p.expect(token.FUNCTION)
	f.IfNotExists = p.ifNotExists()
	f.Name = p.name()
	if p.is(token.AS) {
		return p.unsupportedFrom(first, "CREATE FUNCTION … AS 'class'")
	}
	p.lparen()
	if !p.isKind(token.RParen) {
		f.Params = p.parameters()
	}
	p.rparen()
	if p.isWord("RETURNS") && p.peek(1).Keyword != token.NULL {
		p.advance()
		p.returns(f)
	}
	if !p.characteristics(first, f) {
		return p.unsupportedFrom(first, "CREATE FUNCTION in a language other than SQL")
	}
	if !p.isWord("RETURN") {
		p.syntax("Expected RETURN.")
		return f
	}
	p.advance()
	from := p.cur().Start
	if f.Table && (p.startsQuery(0) || p.queryInParens(0)) || p.startsQuery(0) {
		f.Query = p.query()
	} else {
		f.Body = p.expr()
	}
	f.BodyText = p.textFrom(from)
	f.At = p.since(start)
	return f
}

// parameters reads the parameters of a function.
func (p *parser) parameters() []*ast.ColumnDef {
	out := []*ast.ColumnDef{p.parameter(true)}
	for p.acceptKind(token.Comma) {
		out = append(out, p.parameter(true))
	}
	return out
}

// parameter reads name, type, NOT NULL, DEFAULT (where it may stand) and COMMENT.
func (p *parser) parameter(hasDefault bool) *ast.ColumnDef {
	start := p.cur().Start
	c := &ast.ColumnDef{}
	id := p.ident()
	c.Path = ast.Name{At: id.At, Parts: []ast.Ident{id}}
	c.Type = p.typeName()
	for p.err == nil {
		t := p.cur()
		switch {
		case p.acceptSeq(token.NOT, token.NULL):
			c.NotNull = true
		case hasDefault && p.accept(token.DEFAULT):
			from := p.cur().Start
			c.Default = p.expr()
			c.DefaultText = p.textFrom(from)
		case p.accept(token.COMMENT):
			c.Comment = p.stringPtr()
		case p.is(token.GENERATED):
			p.fail(sqlerr.CreateFunctionSyntax("CREATE_FUNC_WITH_GENERATED_COLUMNS_AS_PARAMETERS", "", "A parameter of a function cannot be generated."), tokenSpan(t))
		case p.isSeq(token.PRIMARY, token.KEY), p.is(token.REFERENCES), p.is(token.CONSTRAINT), p.is(token.UNIQUE), p.is(token.CHECK):
			p.fail(sqlerr.CreateFunctionSyntax("CREATE_FUNC_WITH_COLUMN_CONSTRAINTS", "", "A parameter of a function cannot have a constraint."), tokenSpan(t))
		default:
			c.At = p.since(start)
			return c
		}
	}
	return c
}

func (p *parser) returns(f *ast.CreateFunction) {
	if !p.is(token.TABLE) {
		t := p.typeName()
		f.Returns = &t
		return
	}
	p.advance()
	f.Table = true
	if p.acceptKind(token.LParen) {
		f.Columns = append(f.Columns, p.parameter(false))
		for p.acceptKind(token.Comma) {
			f.Columns = append(f.Columns, p.parameter(false))
		}
		p.rparen()
	}
}

// characteristics reads the clauses before RETURN. It reports false for a language that is not SQL.
func (p *parser) characteristics(first int, f *ast.CreateFunction) bool {
	seen := map[string]bool{}
	once := func(clause string) {
		if seen[clause] {
			at := tokenSpan(p.toks[first])
			at.End = len(p.src)
			p.fail(sqlerr.DuplicateRoutineClause(clause), at)
		}
		seen[clause] = true
	}
	for p.err == nil {
		switch {
		case p.accept(token.LANGUAGE):
			once("LANGUAGE")
			if !p.isWord("SQL") {
				return false
			}
			p.advance()
		case p.isWord("SPECIFIC"):
			once("SPECIFIC")
			p.advance()
			p.ident()
		case p.isWord("DETERMINISTIC"), p.is(token.NOT) && p.upperText(p.peek(1)) == "DETERMINISTIC":
			once("DETERMINISTIC")
			yes := !p.accept(token.NOT)
			f.Deterministic = &yes
			p.advance()
		case p.isWord("CONTAINS"), p.isWord("READS"):
			once("SQL DATA ACCESS")
			f.DataAccess = p.words(map[bool]int{true: 2, false: 3}[p.isWord("CONTAINS")])
		case p.isWord("MODIFIES"), p.upperText(p.cur()) == "NO" && p.upperText(p.peek(1)) == "SQL":
			once("SQL DATA ACCESS")
			p.fail(sqlerr.InvalidRoutineDataAccess(), tokenSpan(p.cur()))
		case p.isWord("RETURNS"), p.isWord("CALLED"):
			once("NULL CALL")
			n := 5 // RETURNS NULL ON NULL INPUT
			if p.isWord("CALLED") {
				n = 4
			}
			p.words(n)
		case p.is(token.COMMENT):
			once("COMMENT")
			p.advance()
			f.Comment = p.stringPtr()
		case p.isWord("SQL") && p.upperText(p.peek(1)) == "SECURITY":
			once("SQL SECURITY")
			p.words(3)
		default:
			return true
		}
	}
	return true
}

// words reads n words and gives them in upper case.
func (p *parser) words(n int) string {
	out := ""
	for i := range n {
		if i > 0 {
			out += " "
		}
		out += p.upperText(p.cur())
		if p.cur().Kind != token.Word {
			p.syntax("")
		}
		p.advance()
	}
	return out
}

// dropRoutine reads DROP [TEMPORARY] FUNCTION and DROP TEMPORARY VARIABLE, or gives nil when something else comes.
func (p *parser) dropRoutine(start int32) ast.Statement {
	temporary := p.isAny(token.TEMPORARY, token.TEMP)
	next := p.cur().Keyword
	if temporary {
		next = p.peek(1).Keyword
	}
	switch {
	case next == token.FUNCTION:
		if temporary {
			p.advance()
		}
		p.advance()
		d := &ast.DropFunction{Temporary: temporary, IfExists: p.ifExists()}
		d.Name = p.name()
		d.At = p.since(start)
		return d
	case temporary && (next == token.VARIABLE || next == token.VAR):
		p.advance()
		p.advance()
		d := &ast.DropVariable{IfExists: p.ifExists()}
		d.Name = p.name()
		d.At = p.since(start)
		return d
	}
	return nil
}
