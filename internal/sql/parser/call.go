package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// specialCall reads the functions whose arguments have a grammar of their own. The name comes next, and a parenthesis
// behind it. ok is false for every other function.
func (p *parser) specialCall(k token.Keyword) (e ast.Expr, ok bool) {
	switch k {
	case token.CAST, token.TRY_CAST:
		return p.cast(), true
	case token.EXISTS:
		if p.queryInParens(1) {
			start := p.advance().Start
			p.lparen()
			q := p.query()
			p.rparen()
			return &ast.Exists{At: p.since(start), Query: q}, true
		}
	case token.EXTRACT:
		if isName(p.peek(2)) && p.peek(3).Keyword == token.FROM {
			start := p.advance().Start
			p.lparen()
			field := p.upperText(p.advance())
			p.expect(token.FROM)
			x := p.operators(precComparison)
			p.rparen()
			return &ast.Extract{At: p.since(start), Field: field, X: x}, true
		}
	case token.TRIM:
		return p.trim()
	case token.SUBSTR, token.SUBSTRING:
		return p.wordedCall("substring", token.FROM, token.FOR)
	case token.OVERLAY:
		return p.wordedCall("overlay", token.PLACING, token.FROM, token.FOR)
	case token.POSITION:
		return p.wordedCall("locate", token.IN)
	case token.CASE:
		return p.caseExpr(), true
	}
	return nil, false
}

func (p *parser) cast() ast.Expr {
	t := p.advance()
	p.lparen()
	c := &ast.Cast{X: p.expr(), Try: t.Keyword == token.TRY_CAST}
	p.expect(token.AS)
	c.Type = p.typeName()
	p.rparen()
	c.At = p.since(t.Start)
	return c
}

// trim reads TRIM with its words; trim(x) and trim(a, b) are plain calls.
func (p *parser) trim() (ast.Expr, bool) {
	name := p.advance()
	p.lparen()
	if p.plainArgument() {
		return p.callTail(p.callNamed(name, p.text(name)), nil), true
	}
	t := &ast.Trim{Where: "BOTH"}
	worded := p.isAny(token.BOTH, token.LEADING, token.TRAILING) && !p.endsArgument(p.peek(1))
	if worded {
		t.Where = p.advance().Keyword.String()
	}
	if !worded || !p.is(token.FROM) {
		chars := p.arg()
		if !worded && !p.is(token.FROM) {
			return p.callTail(p.callNamed(name, p.text(name)), &chars), true
		}
		t.Chars = chars.Expr
	}
	p.expect(token.FROM)
	t.X = p.expr()
	p.rparen()
	t.At = p.since(name.Start)
	return t, true
}

// plainArgument reports that no word form can follow the parenthesis of a call.
func (p *parser) plainArgument() bool {
	return p.isKind(token.RParen) || p.isAny(token.DISTINCT, token.ALL) && !p.endsArgument(p.peek(1))
}

// endsArgument reports whether t ends a word used as an argument by itself.
func (p *parser) endsArgument(t token.Token) bool {
	return t.Kind == token.RParen || t.Kind == token.Comma || t.Kind == token.Dot
}

// callNamed starts a call whose name is the token t.
func (p *parser) callNamed(t token.Token, name string) *ast.Call {
	at := tokenAt(t)
	return &ast.Call{Name: ast.Name{At: at, Parts: []ast.Ident{{At: at, Name: name}}}}
}

// wordedCall reads f(x WORD y WORD z) as function(x, y, z); the last of several words may be left out. With commas it
// is a plain call.
func (p *parser) wordedCall(function string, words ...token.Keyword) (ast.Expr, bool) {
	t := p.advance()
	p.lparen()
	if p.plainArgument() {
		return p.callTail(p.callNamed(t, p.text(t)), nil), true
	}
	var first ast.Arg
	if words[0] == token.IN { // x IN y must not be read as a predicate
		first.Expr = p.operators(precComparison)
	} else {
		first = p.arg()
	}
	if !p.is(words[0]) {
		return p.callTail(p.callNamed(t, p.text(t)), &first), true
	}
	c := p.callNamed(t, function)
	c.Args = append(c.Args, first)
	for n, w := range words {
		if n == len(words)-1 && n > 0 && !p.is(w) {
			break
		}
		p.expect(w)
		c.Args = append(c.Args, ast.Arg{Expr: p.expr()})
	}
	p.rparen()
	c.At = p.since(t.Start)
	return c, true
}

// unitCall turns dateadd(DAY, n, ts) and its like into timestampadd and timestampdiff with a Unit: with three arguments
// the first is a unit, not a column.
func (p *parser) unitCall(c *ast.Call) {
	var function string
	switch strings.ToLower(c.Name.Parts[0].Name) {
	case "dateadd", "date_add", "timestampadd":
		function = "timestampadd"
	case "datediff", "date_diff", "timestampdiff", "timediff":
		function = "timestampdiff"
	default:
		return
	}
	if s, ok := c.Args[0].Expr.(*ast.StringLit); ok {
		p.fail(sqlerr.DatetimeUnit(c.Name.Parts[0].Name, s.Value), s.Span())
		return
	}
	ref, ok := c.Args[0].Expr.(*ast.ColumnRef)
	if !ok || len(ref.Parts) != 1 || ref.Parts[0].Quoted || unitOf(ref.Parts[0].Name) == "" {
		return
	}
	c.Name.Parts[0].Name = function
	c.Args[0].Expr = &ast.Unit{At: ref.At, Name: unitOf(ref.Parts[0].Name)}
}

// call reads the arguments of a function and what may follow them.
func (p *parser) call(name ast.Name) ast.Expr {
	c := &ast.Call{Name: name}
	p.lparen()
	return p.callTail(c, nil)
}

// callArgs reads the arguments of a call and the parenthesis behind them; first is the first one if it was read.
func (p *parser) callArgs(c *ast.Call, first *ast.Arg) {
	base := len(p.pending)
	if first != nil {
		p.pending = append(p.pending, *first)
		p.nulls(c)
	} else if !p.isKind(token.RParen) {
		if p.is(token.DISTINCT) && !p.endsArgument(p.peek(1)) {
			p.advance()
			c.Distinct = true
		} else if p.is(token.ALL) && !p.endsArgument(p.peek(1)) {
			p.advance()
		}
		a := p.arg()
		p.pending = append(p.pending, a)
		p.nulls(c)
	}
	for len(p.pending) > base && p.acceptKind(token.Comma) {
		a := p.arg()
		p.pending = append(p.pending, a)
		p.nulls(c)
	}
	if len(p.pending) > base {
		c.Args = p.takePending(base)
	}
	p.rparen()
}

// callTail reads a call from its first argument on, or from behind it when first is given, with what may follow.
func (p *parser) callTail(c *ast.Call, first *ast.Arg) ast.Expr {
	p.callArgs(c, first)
	if p.is(token.WITHIN) && p.peek(1).Keyword == token.GROUP {
		p.expect(token.WITHIN, token.GROUP)
		p.lparen()
		p.expect(token.ORDER, token.BY)
		c.WithinGroup = p.sortItems()
		p.rparen()
	}
	if p.is(token.FILTER) && p.peek(1).Kind == token.LParen {
		p.advance()
		p.lparen()
		p.expect(token.WHERE)
		c.Filter = p.expr()
		p.rparen()
	}
	p.nulls(c)
	if p.is(token.OVER) && (p.peek(1).Kind == token.LParen || isName(p.peek(1))) {
		p.advance()
		c.Over = p.windowSpec()
	}
	if len(c.Args) == 3 && len(c.Name.Parts) == 1 && !c.Name.Parts[0].Quoted {
		p.unitCall(c)
	}
	c.At = p.from(c.Name.Pos())
	return c
}

// nulls reads IGNORE NULLS or RESPECT NULLS.
func (p *parser) nulls(c *ast.Call) {
	switch {
	case p.acceptSeq(token.IGNORE, token.NULLS):
		c.IgnoreNulls = true
	case p.acceptSeq(token.RESPECT, token.NULLS):
		c.RespectNulls = true
	}
}

// arg reads one argument: name => value, value AS alias, a table, or a plain expression.
func (p *parser) arg() ast.Arg {
	if isName(p.cur()) && p.peek(1).Kind == token.FatArrow {
		id := p.ident()
		p.advance()
		return ast.Arg{Name: &id, Expr: p.argValue()}
	}
	a := ast.Arg{Expr: p.argValue()}
	if p.accept(token.AS) {
		id := p.ident()
		a.Alias = &id
	}
	return a
}

// argValue reads an argument's value. TABLE t and TABLE(t) give a table, as a subquery that reads it.
func (p *parser) argValue() ast.Expr {
	if !p.is(token.TABLE) || !(isName(p.peek(1)) || p.peek(1).Kind == token.LParen) {
		return p.expr()
	}
	start := p.advance().Start
	paren := p.acceptKind(token.LParen)
	var q *ast.Query
	if paren && p.startsQuery(0) {
		q = p.query()
	} else {
		n := p.name()
		if !paren {
			p.fail(sqlerr.TableArgumentParentheses(n.Ident().Quoted()), sqlerr.Span{Start: int(start), End: int(n.End())})
		}
		q = &ast.Query{At: n.At, Body: &ast.TableQuery{At: n.At, Name: n}}
	}
	if paren {
		p.rparen()
	}
	return &ast.Subquery{At: p.since(start), Query: q, Table: true}
}

// windowSpec reads what stands behind OVER: a window's name, or a window in parentheses.
func (p *parser) windowSpec() *ast.WindowSpec {
	start := p.cur().Start
	w := &ast.WindowSpec{}
	if !p.isKind(token.LParen) {
		id := p.ident()
		w.Ref = &id
		w.At = p.since(start)
		return w
	}
	p.advance()
	if isName(p.cur()) && p.peek(1).Kind == token.RParen {
		id := p.ident()
		w.Ref = &id
		p.rparen()
		w.At = p.since(start)
		return w
	}
	if p.acceptSeq(token.PARTITION, token.BY) || p.acceptSeq(token.DISTRIBUTE, token.BY) ||
		p.acceptSeq(token.CLUSTER, token.BY) {
		w.PartitionBy = p.exprs()
	}
	if p.acceptSeq(token.ORDER, token.BY) || p.acceptSeq(token.SORT, token.BY) {
		w.OrderBy = p.sortItems()
	}
	if p.isAny(token.ROWS, token.RANGE) {
		w.Frame = p.windowFrame()
	}
	p.rparen()
	w.At = p.since(start)
	return w
}

func (p *parser) windowFrame() *ast.WindowFrame {
	t := p.advance()
	f := &ast.WindowFrame{Rows: t.Keyword == token.ROWS}
	if p.accept(token.BETWEEN) {
		f.Lower = p.frameBound()
		p.expect(token.AND)
		end := p.frameBound()
		f.Upper = &end
	} else {
		f.Lower = p.frameBound()
	}
	f.At = p.since(t.Start)
	return f
}

func (p *parser) frameBound() ast.FrameBound {
	start := p.cur().Start
	b := ast.FrameBound{}
	switch {
	case p.acceptSeq(token.UNBOUNDED, token.PRECEDING):
		b.Kind = ast.UnboundedPreceding
	case p.acceptSeq(token.UNBOUNDED, token.FOLLOWING):
		b.Kind = ast.UnboundedFollowing
	case p.acceptSeq(token.CURRENT, token.ROW):
		b.Kind = ast.CurrentRow
	default:
		b.Offset = p.expr()
		switch {
		case p.accept(token.PRECEDING):
			b.Kind = ast.Preceding
		case p.accept(token.FOLLOWING):
			b.Kind = ast.Following
		default:
			p.syntax("Expected PRECEDING or FOLLOWING.")
		}
	}
	b.At = p.since(start)
	return b
}
