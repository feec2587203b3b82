package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// expr reads a boolean expression: OR, then AND, then NOT, then predicates, then operators.
func (p *parser) expr() ast.Expr {
	if !p.enter() {
		return &ast.NullLit{}
	}
	defer p.leave()
	return p.orExpr()
}

func (p *parser) orExpr() ast.Expr {
	first := p.andExpr()
	if !p.is(token.OR) {
		return first
	}
	args := []ast.Expr{first}
	for p.accept(token.OR) {
		args = append(args, p.andExpr())
	}
	return &ast.Logical{At: p.from(first.Pos()), Or: true, Args: args}
}

func (p *parser) andExpr() ast.Expr {
	first := p.notExpr()
	if !p.is(token.AND) {
		return first
	}
	args := []ast.Expr{first}
	for p.accept(token.AND) {
		args = append(args, p.notExpr())
	}
	return &ast.Logical{At: p.from(first.Pos()), Args: args}
}

func (p *parser) notExpr() ast.Expr {
	t := p.cur()
	if !p.isNot() {
		return p.predicate()
	}
	if !p.enter() {
		return &ast.NullLit{}
	}
	defer p.leave()
	p.advance()
	x := p.notExpr()
	return &ast.Not{At: p.since(t.Start), X: x}
}

// isNot reports whether NOT or ! comes next; the two are the same everywhere.
func (p *parser) isNot() bool { return p.is(token.NOT) || p.isKind(token.Bang) }

// predicate reads an operator expression and at most one predicate behind it.
func (p *parser) predicate() ast.Expr {
	x := p.operators(precComparison)
	t := p.cur()
	k, not := t.Keyword, p.isNot()
	if k == token.NoKeyword && !not {
		return x
	}
	if not {
		k = p.peek(1).Keyword
	}
	switch k {
	case token.IS:
		if not {
			return x
		}
		return p.isPredicate(x)
	case token.BETWEEN, token.IN, token.LIKE, token.ILIKE, token.RLIKE, token.REGEXP:
		if not {
			p.advance()
		}
		p.advance()
	default:
		return x
	}
	switch k {
	case token.BETWEEN:
		lo := p.operators(precComparison)
		p.expect(token.AND)
		hi := p.operators(precComparison)
		return &ast.Between{At: p.from(x.Pos()), X: x, Lo: lo, Hi: hi, Not: not}
	case token.IN:
		return p.in(x, not)
	}
	return p.like(x, k, not)
}

func (p *parser) in(x ast.Expr, not bool) ast.Expr {
	p.lparen()
	if p.startsQuery(0) {
		q := p.query()
		p.rparen()
		return &ast.InQuery{At: p.from(x.Pos()), X: x, Query: q, Not: not}
	}
	if p.isKind(token.RParen) {
		p.fail(sqlerr.EmptyIn(), tokenSpan(p.cur()))
	}
	first := p.expr()
	if sub, ok := first.(*ast.Subquery); ok && p.continuesQuery() { // IN ((SELECT 1) UNION (SELECT 2))
		q := p.queryRest(&ast.Query{}, p.setOps(sub.Query, 0), sub.Pos())
		p.rparen()
		return &ast.InQuery{At: p.from(x.Pos()), X: x, Query: q, Not: not}
	}
	list := []ast.Expr{first}
	for p.acceptKind(token.Comma) {
		list = append(list, p.expr())
	}
	p.rparen()
	return &ast.In{At: p.from(x.Pos()), X: x, List: list, Not: not}
}

func (p *parser) like(x ast.Expr, k token.Keyword, not bool) ast.Expr {
	op := k.String()
	if k == token.REGEXP {
		op = "RLIKE"
	}
	if op != "RLIKE" && p.isAny(token.ANY, token.SOME, token.ALL) && p.peek(1).Kind == token.LParen {
		all := p.advance().Keyword == token.ALL
		p.lparen()
		if p.isKind(token.RParen) {
			p.fail(sqlerr.EmptyPatterns(), tokenSpan(p.cur()))
		}
		list := p.exprs()
		p.rparen()
		return &ast.LikeQuantified{At: p.from(x.Pos()), Op: op, All: all, X: x, Patterns: list, Not: not}
	}
	l := &ast.Like{Op: op, X: x, Pattern: p.operators(precComparison), Not: not}
	if op != "RLIKE" && p.accept(token.ESCAPE) {
		esc := p.stringLit()
		if utf8.RuneCountInString(esc.Value) != 1 && p.err == nil {
			p.fail(sqlerr.InvalidEscape(esc.Value), esc.Span())
		}
		l.Escape = esc
	}
	l.At = p.from(x.Pos())
	return l
}

func (p *parser) isPredicate(x ast.Expr) ast.Expr {
	p.advance()
	not := p.isNot()
	if not {
		p.advance()
	}
	switch {
	case p.accept(token.NULL):
		return &ast.IsNull{At: p.from(x.Pos()), X: x, Not: not}
	case p.isAny(token.TRUE, token.FALSE, token.UNKNOWN):
		truth := p.advance().Keyword.String()
		return &ast.IsBool{At: p.from(x.Pos()), X: x, Truth: truth, Not: not}
	case p.is(token.DISTINCT):
		p.expect(token.DISTINCT, token.FROM)
		r := p.operators(precComparison)
		return &ast.IsDistinct{At: p.from(x.Pos()), L: x, R: r, Not: not}
	}
	p.syntax("Expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM.")
	return x
}

// The precedence of operators, from loose to tight.
const (
	precComparison = iota + 1
	precOr
	precXor
	precAnd
	precShift
	precAdd
	precMultiply
)

// operator is the operator that comes next, with its precedence and number of tokens; precedence 0 means none.
func (p *parser) operator() (op string, prec, n int) {
	t := p.cur()
	switch t.Kind {
	case token.Equal:
		return "=", precComparison, 1
	case token.NullEqual:
		return "<=>", precComparison, 1
	case token.NotEqual:
		return "<>", precComparison, 1
	case token.Less:
		return "<", precComparison, 1
	case token.LessEqual:
		return "<=", precComparison, 1
	case token.GreaterEqual:
		return ">=", precComparison, 1
	case token.Greater:
		if a := p.peek(1); a.Kind == token.Greater && a.Start == t.End {
			if b := p.peek(2); b.Kind == token.Greater && b.Start == a.End {
				return ">>>", precShift, 3
			}
			return ">>", precShift, 2
		}
		return ">", precComparison, 1
	case token.Pipe:
		return "|", precOr, 1
	case token.Caret:
		return "^", precXor, 1
	case token.Amp:
		return "&", precAnd, 1
	case token.ShiftLeft:
		return "<<", precShift, 1
	case token.Plus:
		return "+", precAdd, 1
	case token.Minus:
		return "-", precAdd, 1
	case token.PipePipe:
		return "||", precAdd, 1
	case token.Star:
		return "*", precMultiply, 1
	case token.Slash:
		return "/", precMultiply, 1
	case token.Percent:
		return "%", precMultiply, 1
	case token.Word:
		if t.Keyword == token.DIV {
			return "DIV", precMultiply, 1
		}
	}
	return "", 0, 0
}

// operators reads a chain of operators that bind at least as tightly as lowest; all of them lean to the left.
func (p *parser) operators(lowest int) ast.Expr {
	left := p.unary()
	chain := 0
	for {
		op, prec, n := p.operator()
		if prec < lowest || prec == 0 || !p.chained(&chain) {
			return left
		}
		pos := int(p.cur().Start)
		for range n {
			p.advance()
		}
		right := p.operators(prec + 1)
		left = p.binaries.put(ast.Binary{At: p.from(left.Pos()), Op: op, OpPos: pos, L: left, R: right})
	}
}

func (p *parser) unary() ast.Expr {
	t := p.cur()
	var op string
	switch t.Kind {
	case token.Minus:
		if p.peek(1).IsNumber() {
			p.advance()
			return p.postfix(p.numberLit(&t))
		}
		op = "-"
	case token.Plus:
		op = "+"
	case token.Tilde:
		op = "~"
	default:
		return p.postfix(p.primary())
	}
	if !p.enter() {
		return &ast.NullLit{}
	}
	defer p.leave()
	p.advance()
	x := p.unary()
	return &ast.Unary{At: p.since(t.Start), Op: op, X: x}
}

// postfix reads subscripts, fields and :: casts.
func (p *parser) postfix(x ast.Expr) ast.Expr {
	chain := 0
	for {
		switch {
		case p.isKind(token.LBracket):
			p.advance()
			index := p.operators(precComparison)
			p.expectKind(token.RBracket, "]")
			x = &ast.Subscript{At: p.from(x.Pos()), X: x, Index: index}
		case p.isKind(token.Dot):
			p.advance()
			name := p.ident()
			x = &ast.Field{At: p.from(x.Pos()), X: x, Name: name}
		case p.isKind(token.DoubleColon):
			p.advance()
			t := p.typeName()
			x = &ast.Cast{At: p.from(x.Pos()), X: x, Type: t}
		case p.is(token.COLLATE) && isName(p.peek(1)):
			x = p.collate(x)
		case p.isKind(token.Colon) && isName(p.peek(1)):
			p.fail(sqlerr.Unsupported("SEMI_STRUCTURED_EXTRACT", "paths into VARIANT (a:b)"), tokenSpan(p.cur()))
		default:
			return x
		}
		if !p.chained(&chain) {
			return x
		}
	}
}

// collate reads x COLLATE name as collate(x, 'name').
func (p *parser) collate(x ast.Expr) ast.Expr {
	t := p.advance()
	n := p.name()
	c := p.callNamed(t, "collate")
	c.Args = []ast.Arg{{Expr: x}, {Expr: &ast.StringLit{At: n.At, Value: n.Ident().String()}}}
	c.At = p.from(x.Pos())
	return c
}

// exprs reads a comma list of expressions.
func (p *parser) exprs() []ast.Expr {
	out := []ast.Expr{p.expr()}
	for p.acceptKind(token.Comma) {
		out = append(out, p.expr())
	}
	return out
}

// primary reads what operators work on.
func (p *parser) primary() ast.Expr {
	t := p.cur()
	switch t.Kind {
	case token.Word:
		return p.wordPrimary()
	case token.QuotedName:
		if p.peek(1).Kind == token.Arrow {
			return p.lambda()
		}
		return p.nameOrCall()
	case token.String, token.RawString:
		return p.stringLit()
	case token.Integer, token.Decimal, token.Exponent, token.Suffixed:
		return p.numberLit(nil)
	case token.LParen:
		return p.parenthesized()
	case token.Star:
		p.advance()
		return p.starEnd(&ast.Star{}, t.Start)
	case token.Question, token.Colon:
		if p.isMarker() {
			m := p.marker()
			if isString(p.cur()) || p.isMarker() {
				// Adjacent strings are one, also when some of them are parameters.
				return p.stringsFrom(t.Start, "")
			}
			return m
		}
	}
	p.syntax("")
	return &ast.NullLit{At: tokenAt(t)}
}

// wordPrimary reads an expression that begins with a word.
func (p *parser) wordPrimary() ast.Expr {
	t := p.cur()
	next := p.peek(1)
	if isString(next) {
		if e, ok := p.typedLit(); ok {
			return e
		}
	}
	if next.Kind == token.LParen {
		if e, ok := p.specialCall(t.Keyword); ok {
			return e
		}
		return p.nameOrCall()
	}
	if next.Kind == token.Arrow {
		return p.lambda()
	}
	if next.Kind == token.Dot {
		return p.nameOrCall()
	}
	switch t.Keyword {
	case token.NULL:
		p.advance()
		return &ast.NullLit{At: tokenAt(t)}
	case token.TRUE, token.FALSE:
		p.advance()
		return &ast.BoolLit{At: tokenAt(t), Value: t.Keyword == token.TRUE}
	case token.DEFAULT:
		p.advance()
		return &ast.DefaultLit{At: tokenAt(t)}
	case token.CASE:
		return p.caseExpr()
	case token.INTERVAL:
		if p.intervalStarts() {
			return p.interval()
		}
	}
	return p.nameOrCall()
}

// starEnd reads EXCEPT (…) behind a star.
func (p *parser) starEnd(s *ast.Star, start int32) ast.Expr {
	if p.is(token.EXCEPT) && p.peek(1).Kind == token.LParen && !p.startsQuery(2) && p.peek(2).Kind != token.LParen {
		p.advance()
		p.lparen()
		s.Except = p.names()
		p.rparen()
	}
	s.At = p.since(start)
	return s
}

// nameOrCall reads a column, a star with a qualifier, or a call.
func (p *parser) nameOrCall() ast.Expr {
	start := p.cur().Start
	if p.is(token.IDENTIFIER) && p.peek(1).Kind == token.LParen {
		n := p.computedName()
		p.computed = p.computed || n.Computed != nil
		if p.isKind(token.LParen) {
			return p.call(n)
		}
		if n.Computed == nil {
			return &ast.ColumnRef{At: n.At, Parts: n.Parts}
		}
		return &ast.Call{
			At: n.At, Name: ast.Name{At: n.At, Parts: []ast.Ident{{At: n.At, Name: "identifier"}}},
			Args: []ast.Arg{{Expr: n.Computed}},
		}
	}
	parts := p.idents.take(1)
	parts[0] = p.ident()
	for p.isKind(token.Dot) {
		switch next := p.peek(1); {
		case isName(next):
			p.advance()
			parts = append(parts, p.ident())
			continue
		case next.Kind == token.Star:
			p.advance()
			p.advance()
			return p.starEnd(&ast.Star{Qualifier: parts}, start)
		}
		p.advance()
		p.syntax("Expected a name.")
	}
	if p.isKind(token.LParen) {
		return p.call(ast.Name{At: p.since(start), Parts: parts})
	}
	return p.columns.put(ast.ColumnRef{At: p.since(start), Parts: parts})
}

// parenthesized reads a subquery, a row, a lambda of several parameters, or an expression in parentheses, which leave
// no node.
func (p *parser) parenthesized() ast.Expr {
	start := p.cur().Start
	if p.lambdaStarts() {
		return p.lambda()
	}
	p.advance()
	if p.startsQuery(0) {
		q := p.query()
		p.rparen()
		return &ast.Subquery{At: p.since(start), Query: q}
	}
	if !p.enter() {
		return &ast.NullLit{}
	}
	defer p.leave()
	first := p.rowElem()
	if sub, ok := first.Expr.(*ast.Subquery); ok && first.Alias == nil && p.continuesQuery() {
		// ((SELECT 1) UNION SELECT 2): what looked like a value is the left side of a query.
		q := p.queryRest(&ast.Query{At: sub.At}, p.setOps(sub.Query, 0), sub.Pos())
		p.rparen()
		return &ast.Subquery{At: p.since(start), Query: q}
	}
	if !p.isKind(token.Comma) {
		if first.Alias != nil {
			p.syntax("")
		}
		p.rparen()
		return first.Expr
	}
	base := len(p.pending)
	p.pending = append(p.pending, first)
	for p.acceptKind(token.Comma) {
		elem := p.rowElem()
		p.pending = append(p.pending, elem)
	}
	p.rparen()
	return p.rows.put(ast.Row{At: p.since(start), Elems: p.takePending(base)})
}

// takePending moves the pending arguments from base on into a slice of their own.
func (p *parser) takePending(base int) []ast.Arg {
	out := p.args.take(len(p.pending) - base)
	copy(out, p.pending[base:])
	clear(p.pending[base:])
	p.pending = p.pending[:base]
	return out
}

// rowElem reads an element of a row with its alias.
func (p *parser) rowElem() ast.Arg {
	a := ast.Arg{Expr: p.expr()}
	if p.accept(token.AS) {
		id := p.ident()
		a.Alias = &id
	} else if t := p.cur(); isName(t) && !p.beginsQueryTail(t.Keyword) {
		id := p.ident()
		a.Alias = &id
	}
	return a
}

// lambdaStarts reports whether (a, b, …) -> comes next.
func (p *parser) lambdaStarts() bool {
	n := 1
	for isName(p.peek(n)) {
		switch p.peek(n + 1).Kind {
		case token.Comma:
			n += 2
		case token.RParen:
			// A single parameter has no parentheses.
			return n > 1 && p.peek(n+2).Kind == token.Arrow
		default:
			return false
		}
	}
	return false
}

func (p *parser) lambda() ast.Expr {
	start := p.cur().Start
	l := &ast.Lambda{}
	if p.acceptKind(token.LParen) {
		l.Params = append(l.Params, p.ident())
		for p.acceptKind(token.Comma) {
			l.Params = append(l.Params, p.ident())
		}
		p.rparen()
	} else {
		l.Params = append(l.Params, p.ident())
	}
	p.expectKind(token.Arrow, "->")
	l.Body = p.expr()
	l.At = p.since(start)
	return l
}

func (p *parser) caseExpr() ast.Expr {
	start := p.advance().Start
	c := &ast.Case{}
	if !p.is(token.WHEN) {
		c.Operand = p.expr()
	}
	if !p.is(token.WHEN) {
		p.syntax("Expected WHEN.")
	}
	for p.accept(token.WHEN) {
		w := ast.When{Cond: p.expr()}
		p.expect(token.THEN)
		w.Result = p.expr()
		c.Whens = append(c.Whens, w)
	}
	if p.accept(token.ELSE) {
		c.Else = p.expr()
	}
	p.expect(token.END)
	c.At = p.since(start)
	return c
}

// upperText is a token's text in upper case.
func (p *parser) upperText(t token.Token) string { return strings.ToUpper(p.text(t)) }
