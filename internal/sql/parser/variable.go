package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// declareVariable reads DECLARE [OR REPLACE] [VARIABLE] a, b [type] [{DEFAULT | =} expr].
func (p *parser) declareVariable() ast.Statement {
	start := p.advance().Start
	d := &ast.DeclareVariable{Replace: p.acceptSeq(token.OR, token.REPLACE)}
	if p.isAny(token.VARIABLE, token.VAR) && p.nameFollows() {
		p.advance()
	}
	if p.isSeq(token.IF, token.NOT, token.EXISTS) {
		p.syntaxAt(p.peek(2), "DECLARE has OR REPLACE, and no IF NOT EXISTS.")
	}
	d.Names = p.names()
	if !p.endsStatement(0) && !p.is(token.DEFAULT) && !p.isOperator("=") {
		t := p.typeName()
		d.Type = &t
	}
	if p.accept(token.DEFAULT) || p.acceptEquals() {
		from := p.cur().Start
		d.Default = p.expr()
		d.DefaultText = p.textFrom(from)
	}
	d.At = p.since(start)
	if d.Type == nil && d.Default == nil && p.err == nil {
		p.fail(sqlerr.VariableTypeOrDefault(), d.At.Span())
	}
	return d
}

// isOperator reports whether the next token is spelled like this.
func (p *parser) isOperator(spelled string) bool { return p.text(p.cur()) == spelled }

func (p *parser) acceptEquals() bool {
	if !p.isOperator("=") {
		return false
	}
	p.advance()
	return true
}

// setVariable reads SET VARIABLE behind SET.
func (p *parser) setVariable(start int32) ast.Statement {
	p.advance()
	s := &ast.SetVariable{}
	if p.isKind(token.LParen) {
		if p.peek(1).Kind == token.RParen {
			p.fail(sqlerr.InvalidSetSyntax(), sqlerr.Span{Start: int(start), End: len(p.src)})
			return s
		}
		p.advance()
		s.Targets = p.names()
		p.rparen()
		if !p.acceptEquals() {
			p.syntax("Expected =.")
		}
		p.lparen()
		s.Query = p.query()
		p.rparen()
		s.At = p.since(start)
		return s
	}
	for {
		s.Targets = append(s.Targets, p.name())
		if !p.acceptEquals() {
			p.syntax("Expected =.")
		}
		s.Values = append(s.Values, p.expr())
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	s.At = p.since(start)
	return s
}

// executeImmediate reads EXECUTE IMMEDIATE text [INTO a, b] [USING x AS name, …].
func (p *parser) executeImmediate() ast.Statement {
	start := p.advance().Start
	p.expect(token.IMMEDIATE)
	e := &ast.ExecuteImmediate{Text: p.expr()}
	if p.accept(token.INTO) {
		e.Into = p.names()
	}
	if p.accept(token.USING) {
		paren := p.isKind(token.LParen) && p.closesAtEnd()
		if paren {
			p.advance()
		}
		e.Using = append(e.Using, p.usingItem())
		for p.acceptKind(token.Comma) {
			e.Using = append(e.Using, p.usingItem())
		}
		if paren {
			p.rparen()
		}
	}
	e.At = p.since(start)
	return e
}

// usingItem reads one argument of USING, with or without a name.
func (p *parser) usingItem() *ast.SelectItem {
	start := p.cur().Start
	it := &ast.SelectItem{Expr: p.expr()}
	if p.accept(token.AS) || isName(p.cur()) {
		it.Aliases = []ast.Ident{p.ident()}
	}
	it.At = p.since(start)
	return it
}

// closesAtEnd reports whether the parenthesis that comes next holds all that is left of the statement, and no query.
func (p *parser) closesAtEnd() bool {
	if p.queryInParens(0) {
		return false
	}
	depth := 0
	for n := 0; ; n++ {
		switch p.peek(n).Kind {
		case token.LParen:
			depth++
		case token.RParen:
			if depth--; depth == 0 {
				return p.endsStatement(n + 1)
			}
		case token.EOF:
			return false
		}
	}
}
