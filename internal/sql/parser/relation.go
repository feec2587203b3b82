package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// fromClause reads FROM with its comma list and lateral views.
func (p *parser) fromClause(s *ast.Select) {
	p.advance()
	s.From = append(s.From, p.relation())
	for p.acceptKind(token.Comma) {
		s.From = append(s.From, p.relation())
	}
	for p.isSeq(token.LATERAL, token.VIEW) {
		s.LateralViews = append(s.LateralViews, p.lateralView())
	}
	if p.isAny(token.PIVOT, token.UNPIVOT) && len(s.LateralViews) > 0 {
		p.fail(sqlerr.LateralViewWithPivot(p.upperText(p.cur())), tokenSpan(p.cur()))
	}
	if p.isAny(token.PIVOT, token.UNPIVOT) && len(s.From) > 1 {
		p.fail(sqlerr.Unsupported("PIVOT_AFTER_COMMA_JOIN", "PIVOT over relations joined by commas: use JOIN"), tokenSpan(p.cur()))
	}
}

// relation reads one element of FROM with its joins and pivots.
func (p *parser) relation() ast.Relation {
	if !p.enter() {
		return &ast.TableRef{}
	}
	defer p.leave()
	left := p.relationPrimary()
	chain := 0
	for p.chained(&chain) {
		switch {
		case p.is(token.PIVOT) && p.peek(1).Kind == token.LParen:
			left = p.pivot(left)
		case p.is(token.UNPIVOT):
			left = p.unpivot(left)
		default:
			j, ok := p.join(left)
			if !ok {
				return left
			}
			left = j
		}
	}
	return left
}

// join reads a join behind left; ok is false when none follows.
func (p *parser) join(left ast.Relation) (j *ast.Join, ok bool) {
	j = &ast.Join{L: left}
	j.Natural = p.accept(token.NATURAL)
	typed := true
	switch {
	case p.accept(token.INNER):
	case p.accept(token.CROSS):
		j.Kind = ast.CrossJoin
	case p.is(token.LEFT):
		p.advance()
		switch {
		case p.accept(token.SEMI):
			j.Kind = ast.SemiJoin
		case p.accept(token.ANTI):
			j.Kind = ast.AntiJoin
		default:
			p.accept(token.OUTER)
			j.Kind = ast.LeftJoin
		}
	case p.accept(token.RIGHT):
		p.accept(token.OUTER)
		j.Kind = ast.RightJoin
	case p.accept(token.FULL):
		p.accept(token.OUTER)
		j.Kind = ast.FullJoin
	case p.accept(token.SEMI):
		j.Kind = ast.SemiJoin
	case p.accept(token.ANTI):
		j.Kind = ast.AntiJoin
	default:
		typed = j.Natural
	}
	if !typed && !p.is(token.JOIN) {
		return nil, false
	}
	joinAt := p.cur()
	p.expect(token.JOIN)
	lateral := p.cur()
	j.R = p.relationPrimary()
	if lateral.Keyword == token.LATERAL {
		switch {
		case j.Natural:
			p.fail(sqlerr.IncompatibleJoinTypes("LATERAL", "NATURAL"), tokenSpan(lateral))
		case p.is(token.USING):
			p.fail(sqlerr.Unsupported("LATERAL_JOIN_USING", "a lateral join with USING: use ON"), tokenSpan(p.cur()))
		}
	}
	switch {
	case p.accept(token.ON):
		if j.Natural {
			p.syntaxAt(p.peek(-1), "A natural join has no condition.")
		}
		j.On = p.expr()
	case p.is(token.USING) && !j.Natural:
		p.advance()
		j.Using = p.identList()
	case p.nearestFollows():
		j.Nearest = p.nearest()
	}
	if j.Natural && j.Kind == ast.CrossJoin {
		p.fail(sqlerr.IncompatibleJoinTypes("NATURAL", "CROSS"), tokenSpan(joinAt))
	}
	j.At = p.from(left.Pos())
	return j, true
}

// nearestFollows reports APPROX NEAREST or EXACT NEAREST.
func (p *parser) nearestFollows() bool {
	return (p.isText(0, "APPROX") || p.isText(0, "EXACT")) && p.isText(1, "NEAREST")
}

// isText reports whether the n-th token from here is a word that is no keyword of the grammar.
func (p *parser) isText(n int, word string) bool {
	t := p.peek(n)
	return t.Kind == token.Word && strings.EqualFold(p.text(t), word)
}

// nearest reads the ranking of a join by nearness.
func (p *parser) nearest() *ast.Nearest {
	t := p.advance()
	n := &ast.Nearest{Exact: strings.EqualFold(p.text(t), "EXACT"), Count: 1}
	p.advance()
	if p.isKind(token.Integer) {
		count, ok := p.numberLit(nil).Value.(int64)
		if !ok {
			count = -1
		}
		n.Count = count
	}
	p.expect(token.BY)
	switch {
	case p.isText(0, "SIMILARITY"):
		n.Similarity = true
	case !p.isText(0, "DISTANCE"):
		p.syntax("Expected DISTANCE or SIMILARITY.")
	}
	p.advance()
	n.By = p.expr()
	n.At = p.since(t.Start)
	return n
}

// relationPrimary reads a table, a query, a function, an inline table, or a relation in parentheses.
func (p *parser) relationPrimary() ast.Relation {
	t := p.cur()
	lateral := p.is(token.LATERAL) && p.peek(1).Keyword != token.VIEW
	if lateral {
		p.advance()
	}
	switch {
	case p.isKind(token.LParen):
		return p.parenRelation(t.Start, lateral)
	case p.is(token.VALUES) && p.startsQuery(0):
		v := p.values()
		return &ast.ValuesRef{At: v.At, Values: v}
	}
	n := p.tableName()
	if p.isKind(token.LParen) {
		f := &ast.FunctionRef{Lateral: lateral, Call: &ast.Call{Name: n}}
		p.lparen()
		p.callArgs(f.Call, nil)
		f.Call.At = p.from(n.Pos())
		f.Alias = p.tableAlias()
		f.At = p.since(t.Start)
		return f
	}
	if lateral {
		p.syntaxAt(t, "LATERAL stands before a query or a table function.")
	}
	r := &ast.TableRef{Name: n}
	r.AsOf = p.asOf()
	if p.is(token.WITH) && p.peek(1).Kind == token.LParen {
		p.advance()
		r.Options = p.properties()
	}
	r.Sample = p.sample()
	r.Alias = p.tableAlias()
	r.At = p.since(t.Start)
	return r
}

// tableName reads the name of a relation.
func (p *parser) tableName() ast.Name {
	t := p.cur()
	if !isName(t) || t.Keyword.IsStrict() {
		p.syntax("")
	}
	return p.name()
}

// parenRelation reads what stands in parentheses in FROM.
func (p *parser) parenRelation(start int32, lateral bool) ast.Relation {
	p.advance()
	if p.startsQuery(0) {
		q := p.query()
		p.rparen()
		return p.subqueryTail(q, start, lateral)
	}
	inner := p.relation()
	if sub, ok := inner.(*ast.SubqueryRef); ok && sub.Alias == nil && sub.Sample == nil && !sub.Lateral && p.continuesQuery() {
		q := p.queryRest(&ast.Query{}, p.setOps(sub.Query, 0), sub.Pos())
		p.rparen()
		return p.subqueryTail(q, start, lateral)
	}
	p.rparen()
	if lateral {
		if sub, ok := inner.(*ast.SubqueryRef); ok && sub.Alias == nil {
			return p.subqueryTail(sub.Query, start, true)
		}
		p.syntaxAt(p.peek(-1), "LATERAL stands before a query or a table function.")
	}
	sample, alias := p.sample(), p.tableAlias()
	if sample == nil && alias == nil {
		if _, ok := inner.(*ast.Join); ok {
			// Without its parentheses the join would take in what stands before it in a comma list.
			return &ast.ParenRef{At: p.since(start), Input: inner}
		}
		return inner
	}
	if sub, ok := inner.(*ast.SubqueryRef); ok && sub.Alias == nil && sub.Sample == nil && !sub.Lateral {
		sub.Sample, sub.Alias, sub.At = sample, alias, p.since(start)
		return sub
	}
	return &ast.ParenRef{At: p.since(start), Input: inner, Sample: sample, Alias: alias}
}

func (p *parser) subqueryTail(q *ast.Query, start int32, lateral bool) ast.Relation {
	s := &ast.SubqueryRef{Lateral: lateral, Query: q}
	s.Sample = p.sample()
	s.Alias = p.tableAlias()
	s.At = p.since(start)
	return s
}

// tableAlias reads [AS] t [(a, b)], or gives nil.
func (p *parser) tableAlias() *ast.TableAlias {
	start := p.cur().Start
	a := &ast.TableAlias{}
	as := p.accept(token.AS)
	switch {
	case as && p.isKind(token.LParen):
	case as || p.aliasFollows():
		a.Name = p.strictIdent()
	default:
		return nil
	}
	if p.isKind(token.LParen) {
		a.Columns = p.identList()
	}
	a.At = p.since(start)
	return a
}

// nameAlias reads [AS] t, or gives nil.
func (p *parser) nameAlias() *ast.TableAlias {
	a := p.tableAlias()
	if a != nil && (len(a.Columns) > 0 || a.Name.Name == "") {
		p.syntaxAt(p.peek(-1), "Only a name may stand here.")
	}
	return a
}

// aliasFollows reports whether the next word is an alias without AS, not the beginning of a clause.
func (p *parser) aliasFollows() bool {
	t := p.cur()
	if !isName(t) || t.Keyword.IsStrict() || p.beginsQueryTail(t.Keyword) || p.nearestFollows() {
		return false
	}
	next := p.peek(1)
	switch t.Keyword {
	case token.PIVOT:
		return next.Kind != token.LParen
	case token.UNPIVOT:
		return next.Kind != token.LParen && next.Keyword != token.INCLUDE && next.Keyword != token.EXCLUDE
	case token.TABLESAMPLE:
		return next.Kind != token.LParen
	case token.SELECT: // FROM t SELECT a
		return false
	case token.INSERT: // FROM t INSERT INTO u SELECT a
		return next.Keyword != token.INTO && next.Keyword != token.OVERWRITE
	case token.SET: // UPDATE t SET
		return !isName(next)
	case token.WHEN:
		return false
	}
	return true
}

// asOf reads VERSION AS OF and TIMESTAMP AS OF, or gives nil.
func (p *parser) asOf() *ast.AsOf {
	t := p.cur()
	n := 0
	if t.Keyword == token.FOR {
		n = 1
	}
	k := p.peek(n).Keyword
	version := k == token.VERSION || k == token.SYSTEM_VERSION
	if !version && k != token.TIMESTAMP && k != token.SYSTEM_TIME {
		return nil
	}
	if p.peek(n+1).Keyword != token.AS || p.peek(n+2).Keyword != token.OF {
		return nil
	}
	for range n + 3 {
		p.advance()
	}
	a := &ast.AsOf{}
	switch {
	case !version:
		a.Timestamp = p.operators(precComparison)
	case isString(p.cur()):
		a.Version = p.stringValue()
	case p.isKind(token.Integer):
		a.Version = p.text(p.advance())
	default:
		p.syntax("Expected a version.")
	}
	a.At = p.since(t.Start)
	return a
}

// sample reads TABLESAMPLE, or gives nil.
func (p *parser) sample() *ast.Sample {
	if !p.is(token.TABLESAMPLE) || p.peek(1).Kind != token.LParen {
		return nil
	}
	start := p.advance().Start
	p.lparen()
	s := &ast.Sample{}
	switch {
	case p.accept(token.BUCKET):
		s.Bucket = p.text(p.advance())
		p.expect(token.OUT, token.OF)
		s.OutOf = p.text(p.cur())
		p.expectKind(token.Integer, "a number")
		if p.accept(token.ON) {
			s.On = p.expr()
		}
	case p.isKind(token.Word) && p.peek(1).Kind == token.RParen && p.peek(1).Start > 0 && !isPlainWord(p.text(p.cur())):
		s.Bytes = p.text(p.advance())
	default:
		e := p.operators(precComparison)
		switch {
		case p.is(token.PERCENT) && plainNumber(e):
			p.advance()
			s.Percent = e
		case p.accept(token.ROWS):
			s.Rows = e
		default:
			p.syntax("Expected PERCENT or ROWS.")
		}
	}
	p.rparen()
	if p.is(token.REPEATABLE) && p.peek(1).Kind == token.LParen {
		p.advance()
		p.lparen()
		if !p.isKind(token.Integer) {
			p.syntax("Expected a number.")
		} else {
			s.Seed = p.numberLit(nil)
		}
		p.rparen()
	}
	s.At = p.since(start)
	return s
}

// isPlainWord reports whether a word begins with a letter (100M does not).
func isPlainWord(s string) bool { return s != "" && (s[0] < '0' || s[0] > '9') }

// plainNumber reports a number of digits, with a point or without, and with a sign or without.
func plainNumber(e ast.Expr) bool {
	n, ok := e.(*ast.NumberLit)
	return ok && strings.Trim(n.Text, "-0123456789.") == ""
}

func (p *parser) lateralView() *ast.LateralView {
	start := p.cur().Start
	p.expect(token.LATERAL, token.VIEW)
	v := &ast.LateralView{Outer: p.is(token.OUTER) && isName(p.peek(1))}
	if v.Outer {
		p.advance()
	}
	name := p.name()
	v.Call = &ast.Call{Name: name}
	p.lparen()
	p.callArgs(v.Call, nil)
	for _, a := range v.Call.Args {
		if a.Name != nil {
			p.fail(sqlerr.Syntax("'=>'", "The arguments of LATERAL VIEW have no names."), sqlerr.Span{Start: int(a.Name.Pos()), End: int(a.Name.End())})
		}
	}
	v.Call.At = p.from(name.Pos())
	if isName(p.cur()) && !p.is(token.AS) && !p.beginsQueryTail(p.cur().Keyword) {
		v.Table = p.ident()
	}
	hasAs := p.accept(token.AS)
	if hasAs || isName(p.cur()) && !p.cur().Keyword.IsStrict() && !p.beginsQueryTail(p.cur().Keyword) {
		v.Columns = append(v.Columns, p.ident())
		for p.isKind(token.Comma) && isName(p.peek(1)) {
			p.advance()
			v.Columns = append(v.Columns, p.ident())
		}
	}
	v.At = p.since(start)
	return v
}

func (p *parser) pivot(input ast.Relation) ast.Relation {
	p.advance()
	p.lparen()
	v := &ast.Pivot{Input: input}
	for {
		v.Aggregates = append(v.Aggregates, p.pivotItem())
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.expect(token.FOR)
	if p.isKind(token.LParen) {
		v.Columns = p.identList()
	} else {
		v.Columns = []ast.Ident{p.ident()}
	}
	p.expect(token.IN)
	p.lparen()
	for {
		v.Values = append(v.Values, p.pivotItem())
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	p.rparen()
	v.Alias = p.nameAlias()
	v.At = p.from(input.Pos())
	return v
}

// pivotItem reads an expression with an alias; FOR ends it.
func (p *parser) pivotItem() *ast.SelectItem {
	start := p.cur().Start
	s := &ast.SelectItem{Expr: p.expr()}
	if p.accept(token.AS) || isName(p.cur()) && !p.is(token.FOR) {
		s.Aliases = []ast.Ident{p.ident()}
	}
	s.At = p.since(start)
	return s
}

func (p *parser) unpivot(input ast.Relation) ast.Relation {
	p.advance()
	u := &ast.Unpivot{Input: input}
	if p.isAny(token.INCLUDE, token.EXCLUDE) {
		u.IncludeNulls = p.advance().Keyword == token.INCLUDE
		p.expect(token.NULLS)
	}
	p.lparen()
	several := p.isKind(token.LParen)
	if several {
		u.Values = p.identList()
	} else {
		u.Values = []ast.Ident{p.ident()}
	}
	p.expect(token.FOR)
	u.Name = p.ident()
	p.expect(token.IN)
	p.lparen()
	for {
		set := ast.UnpivotSet{}
		if several != p.isKind(token.LParen) {
			p.syntax("Columns stand in parentheses as the values' names do.")
		}
		if p.acceptKind(token.LParen) {
			set.Columns = p.names()
			p.rparen()
		} else {
			set.Columns = []ast.Name{p.name()}
		}
		if p.accept(token.AS) || isName(p.cur()) {
			id := p.ident()
			set.Alias = &id
		}
		u.Sets = append(u.Sets, set)
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	p.rparen()
	u.Alias = p.nameAlias()
	u.At = p.from(input.Pos())
	return u
}
