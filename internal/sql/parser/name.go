package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// isName reports whether the token can be a part of a name. No word is reserved.
func isName(t token.Token) bool { return t.Kind == token.Word || t.Kind == token.QuotedName }

// ident reads one part of a name.
func (p *parser) ident() ast.Ident {
	t := p.cur()
	if !isName(t) {
		p.syntax("Expected a name.")
		return ast.Ident{At: tokenAt(t)}
	}
	if t.Keyword == token.IDENTIFIER && p.peek(1).Kind == token.LParen && (isString(p.peek(2)) || p.peek(2).Kind == token.Question || p.peek(2).Kind == token.Colon) {
		return p.quotedIdent()
	}
	p.advance()
	return p.identOf(t)
}

// quotedIdent reads IDENTIFIER('name') as one part of a name.
func (p *parser) quotedIdent() ast.Ident {
	start := p.advance().Start
	p.lparen()
	s := p.stringLit()
	p.rparen()
	id := ast.Ident{At: p.since(start), Name: s.Value, Quoted: true}
	if len(p.markers) > 0 && p.markers[len(p.markers)-1].Pos() >= int(start) {
		return id // its text is not known yet
	}
	inner, err := ParseName(s.Value)
	switch {
	case err != nil:
		p.fail(sqlerr.As(err).At(s.Span()), s.Span())
	case len(inner.Parts) != 1:
		p.fail(sqlerr.TooManyNameParts(inner.Ident().Quoted(), 1), s.Span())
	default:
		id.Name = inner.Parts[0].Name
	}
	return id
}

func (p *parser) identOf(t token.Token) ast.Ident {
	text := p.text(t)
	if t.Kind == token.QuotedName {
		return ast.Ident{At: tokenAt(t), Name: strings.ReplaceAll(text[1:len(text)-1], "``", "`"), Quoted: true}
	}
	if !isASCII(text) {
		p.fail(sqlerr.InvalidIdentifier(text), tokenSpan(t))
	}
	return ast.Ident{At: tokenAt(t), Name: text}
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// strictIdent reads a name that is not one of the words that can begin a join.
func (p *parser) strictIdent() ast.Ident {
	if p.cur().Keyword.IsStrict() {
		p.syntax("Expected a name.")
	}
	return p.ident()
}

// deltaName reads the name of a table, or the path of a Delta table as a text, which means what delta.`path` does.
func (p *parser) deltaName() ast.Name {
	if !isString(p.cur()) {
		return p.name()
	}
	start := p.cur().Start
	path := p.stringValue()
	at := p.since(start)
	return ast.Name{At: at, Parts: []ast.Ident{{At: at, Name: "delta"}, {At: at, Name: path, Quoted: true}}}
}

// name reads a possibly qualified name, or IDENTIFIER('…').
func (p *parser) name() ast.Name {
	t := p.cur()
	var n ast.Name
	if t.Keyword == token.IDENTIFIER && p.peek(1).Kind == token.LParen {
		if n = p.computedName(); n.Computed != nil {
			p.computed = true
			return n
		}
	} else {
		n.Parts = p.idents.take(1)
		n.Parts[0] = p.namePart()
	}
	for p.isKind(token.Dot) && isName(p.peek(1)) {
		p.advance()
		n.Parts = append(n.Parts, p.namePart())
	}
	if p.isKind(token.Dot) {
		p.advance()
		p.syntax("Expected a name.")
	}
	n.At = p.since(t.Start)
	return n
}

// namePart is ident where a hyphen cannot be a minus: my-table gets an error that says so.
func (p *parser) namePart() ast.Ident {
	t := p.cur()
	id := p.ident()
	if m := p.cur(); t.Kind == token.Word && m.Kind == token.Minus && m.Start == t.End && p.err == nil {
		end := p.i
		for end+1 < len(p.toks) && p.toks[end].Start == p.toks[end-1].End &&
			(p.toks[end].Kind == token.Minus || p.toks[end].Kind == token.Word || p.toks[end].Kind == token.Integer) {
			end++
		}
		last := p.toks[end-1].End
		p.fail(sqlerr.InvalidIdentifier(p.src[t.Start:last]), sqlerr.Span{Start: int(t.Start), End: int(last)})
	}
	return id
}

// computedName reads IDENTIFIER(expr). A plain string is split here.
func (p *parser) computedName() ast.Name {
	start := p.advance().Start
	p.lparen()
	e := p.expr()
	p.rparen()
	n := ast.Name{At: p.since(start)}
	s, ok := e.(*ast.StringLit)
	if !ok {
		n.Computed = e
		return n
	}
	if len(p.markers) > 0 && p.markers[len(p.markers)-1].Pos() >= int(start) {
		n.Parts = []ast.Ident{{At: s.At, Quoted: true}} // its text is not known yet
		return n
	}
	if s.Value == "" {
		p.fail(sqlerr.EmptyStatement(), s.Span())
		return n
	}
	inner, err := ParseName(s.Value)
	if err != nil {
		p.fail(sqlerr.As(err).At(s.Span()), s.Span())
		return n
	}
	for _, part := range inner.Parts {
		part.At = s.At
		part.Quoted = true
		n.Parts = append(n.Parts, part)
	}
	n.Computed = inner.Computed
	return n
}

// identList reads (a, b, …) with at least one name.
func (p *parser) identList() []ast.Ident {
	p.lparen()
	out := []ast.Ident{p.ident()}
	for p.acceptKind(token.Comma) {
		out = append(out, p.ident())
	}
	p.rparen()
	return out
}

// names reads a comma list of qualified names.
func (p *parser) names() []ast.Name {
	out := []ast.Name{p.name()}
	for p.acceptKind(token.Comma) {
		out = append(out, p.name())
	}
	return out
}
