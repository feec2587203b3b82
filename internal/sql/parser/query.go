package parser

import (
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// startsQuery reports whether the token n places ahead begins a query rather than an expression or a name.
func (p *parser) startsQuery(n int) bool {
	next := p.peek(n + 1)
	if p.peek(n).Keyword == token.SELECT && (p.callsPattern(n+1) || next.Keyword == token.NOT && p.callsPattern(n+2)) {
		return true // SELECT like(a, b)
	}
	switch next.Keyword {
	case token.OR, token.AND, token.IS, token.IN, token.LIKE, token.ILIKE, token.RLIKE, token.REGEXP, token.BETWEEN, token.DIV,
		token.AS:
		return false // (values OR x): a column of that name
	case token.NOT:
		switch p.peek(n + 2).Keyword {
		case token.IN, token.LIKE, token.ILIKE, token.RLIKE, token.REGEXP, token.BETWEEN:
			return false // (values NOT LIKE x)
		}
	}
	switch p.peek(n).Keyword {
	case token.SELECT:
		switch next.Kind {
		case token.RParen, token.Comma, token.Dot, token.EOF, token.Semicolon, token.LBracket:
			return false
		}
		return true
	case token.WITH, token.TABLE:
		return isName(next)
	case token.VALUES:
		return next.Kind == token.LParen || isName(next) || isString(next) || next.IsNumber()
	case token.FROM:
		return isName(next) || next.Kind == token.LParen
	}
	return false
}

// callsPattern reports whether the token n places ahead is an operator on patterns that is called like a function.
func (p *parser) callsPattern(n int) bool {
	switch p.peek(n).Keyword {
	case token.LIKE, token.ILIKE, token.RLIKE, token.REGEXP:
		return p.peek(n+1).Kind == token.LParen
	}
	return false
}

// queryInParens reports whether the token n places ahead opens parentheses around a query.
func (p *parser) queryInParens(n int) bool {
	if p.peek(n).Kind != token.LParen {
		return false
	}
	for p.peek(n).Kind == token.LParen {
		n++
	}
	return p.startsQuery(n)
}

// beginsQueryTail reports whether a word can continue a query behind its last relation or expression.
func (p *parser) beginsQueryTail(k token.Keyword) bool {
	next := p.peek(1)
	switch k {
	case token.UNION, token.EXCEPT, token.INTERSECT, token.MINUS, token.SETMINUS, token.FROM, token.WHERE, token.HAVING:
		return true
	case token.QUALIFY, token.LIMIT, token.OFFSET:
		if next.Keyword == token.FROM { // SELECT a limit FROM t
			return false
		}
		return next.Kind != token.EOF && next.Kind != token.Comma && next.Kind != token.RParen && next.Kind != token.Semicolon
	case token.GROUP, token.ORDER, token.SORT, token.CLUSTER, token.DISTRIBUTE:
		return next.Keyword == token.BY
	case token.LATERAL:
		return next.Keyword == token.VIEW
	case token.INSERT: // FROM t INSERT … SELECT a INSERT …
		return next.Keyword == token.INTO || next.Keyword == token.OVERWRITE
	case token.WINDOW:
		return isName(next) && p.peek(2).Keyword == token.AS
	}
	return false
}

// continuesQuery reports whether a set operation or an ordering follows a query in parentheses.
func (p *parser) continuesQuery() bool {
	switch p.cur().Keyword {
	case token.FROM, token.WHERE, token.HAVING, token.QUALIFY, token.GROUP, token.LATERAL:
		return false
	}
	return p.beginsQueryTail(p.cur().Keyword)
}

// query reads a whole query.
func (p *parser) query() *ast.Query {
	start := int(p.cur().Start)
	if !p.enter() {
		return &ast.Query{Body: &ast.Select{}}
	}
	defer p.leave()
	q := &ast.Query{}
	if p.is(token.WITH) {
		q.With = p.with()
	}
	return p.queryRest(q, p.setOps(nil, 0), start)
}

// queryRest reads what follows the body of a query.
func (p *parser) queryRest(q *ast.Query, body ast.QueryBody, start int) *ast.Query {
	body = p.pipes(body)
	q.Body = body
	tail := p.queryTail(q)
	q.At = p.from(start)
	if inner, ok := body.(*ast.Query); ok && q.With == nil && !tail {
		return inner // parentheses around a whole query mean nothing
	}
	return q
}

// queryTail reads orderings and limits, and tells whether there were any.
func (p *parser) queryTail(q *ast.Query) bool {
	begin := p.i
	orderings := p.cur()
	if p.acceptSeq(token.ORDER, token.BY) {
		q.OrderBy = p.sortItems()
	}
	if p.acceptSeq(token.CLUSTER, token.BY) {
		q.ClusterBy = p.exprs()
	}
	if p.acceptSeq(token.DISTRIBUTE, token.BY) {
		q.DistributeBy = p.exprs()
	}
	if p.acceptSeq(token.SORT, token.BY) {
		q.SortBy = p.sortItems()
	}
	n := 0
	for _, has := range []bool{q.OrderBy != nil, q.ClusterBy != nil, q.DistributeBy != nil || q.SortBy != nil} {
		if has {
			n++
		}
	}
	if n > 1 {
		p.fail(sqlerr.ConflictingOrderings(), p.spanSince(orderings))
	}
	if p.is(token.WINDOW) {
		q.Windows = p.namedWindows()
	}
	if p.accept(token.LIMIT) {
		if p.is(token.ALL) && !p.continuesExpr(p.peek(1)) {
			p.advance()
			q.LimitAll = true
		} else {
			q.Limit = p.expr()
		}
	}
	if p.accept(token.OFFSET) {
		q.Offset = p.expr()
	}
	return p.i != begin
}

// continuesExpr reports whether t goes on with an expression whose first token was a word, here ALL.
func (p *parser) continuesExpr(t token.Token) bool {
	return t.Kind == token.Dot || t.Kind == token.LParen || t.Kind == token.Plus || t.Kind == token.Minus
}

func (p *parser) with() *ast.With {
	start := p.advance().Start
	w := &ast.With{}
	if p.is(token.RECURSIVE) && isName(p.peek(1)) && p.peek(1).Keyword != token.AS {
		p.advance()
		w.Recursive = true
	}
	seen := map[string]bool{}
	for {
		c := p.cte()
		if key := ident.Fold(c.Name.Name); seen[key] && p.err == nil {
			p.fail(sqlerr.DuplicateCTE(ident.Quote(key)), c.Name.Span())
		} else {
			seen[key] = true
		}
		w.CTEs = append(w.CTEs, c)
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	w.At = p.since(start)
	return w
}

func (p *parser) cte() *ast.CTE {
	start := p.cur().Start
	c := &ast.CTE{Name: p.ident()}
	if p.isKind(token.LParen) && !p.startsQuery(1) {
		c.Columns = p.identList()
	}
	if p.acceptSeq(token.MAX, token.RECURSION, token.LEVEL) {
		c.MaxLevel = p.operators(precComparison)
	}
	p.accept(token.AS)
	p.lparen()
	c.Query = p.query()
	p.rparen()
	c.At = p.since(start)
	return c
}

// setOps reads a chain of set operations. INTERSECT (level 1) binds tighter than the others (level 0). left is what
// was read already, or nil.
func (p *parser) setOps(left ast.QueryBody, level int) ast.QueryBody {
	if level > 1 {
		if left != nil {
			return left
		}
		return p.queryPrimary()
	}
	left = p.setOps(left, level+1)
	chain := 0
	for {
		var kind ast.SetKind
		switch {
		case level == 0 && p.is(token.UNION):
			kind = ast.Union
		case level == 0 && p.isAny(token.EXCEPT, token.MINUS, token.SETMINUS):
			kind = ast.Except
		case level == 1 && p.is(token.INTERSECT):
			kind = ast.Intersect
		default:
			return left
		}
		if chain++; chain > maxQueries {
			p.fail(sqlerr.TooComplex("the number of queries in a chain of set operations", maxQueries), tokenSpan(p.cur()))
			return left
		}
		p.advance()
		all := p.accept(token.ALL)
		if !all {
			p.accept(token.DISTINCT)
		}
		right := p.setOps(nil, level+1)
		left = &ast.SetOp{At: p.from(left.Pos()), Kind: kind, All: all, L: left, R: right}
	}
}

// queryPrimary reads one operand of a set operation.
func (p *parser) queryPrimary() ast.QueryBody {
	t := p.cur()
	if t.Kind == token.LParen {
		p.advance()
		q := p.query()
		p.rparen()
		q.At = p.since(t.Start)
		return q
	}
	switch t.Keyword {
	case token.SELECT:
		return p.selectBody(nil)
	case token.FROM:
		return p.fromFirst()
	case token.VALUES:
		return p.values()
	case token.TABLE:
		p.advance()
		n := p.name()
		return &ast.TableQuery{At: p.since(t.Start), Name: n}
	case token.MAP, token.REDUCE:
		p.fail(sqlerr.Unsupported("TRANSFORM", "the query form "+t.Keyword.String()), tokenSpan(t))
	}
	p.syntax("Expected a query.")
	return &ast.Select{}
}

// fromFirst reads FROM … SELECT …, which means SELECT … FROM ….
func (p *parser) fromFirst() ast.QueryBody {
	start := p.cur().Start
	s := &ast.Select{}
	p.fromClause(s)
	return p.fromRest(s, start)
}

// fromRest reads what follows FROM … in a query; start is where FROM stands.
func (p *parser) fromRest(s *ast.Select, start int32) ast.QueryBody {
	switch {
	case p.is(token.SELECT):
		return p.selectBody(s)
	default: // FROM t alone reads all of t
		s.Items = []*ast.SelectItem{{At: p.since(start), Expr: &ast.Star{At: p.since(start)}}}
	}
	s.At = p.since(start)
	return s
}

// selectBody reads SELECT and its clauses; from holds the FROM clause when it came first.
func (p *parser) selectBody(from *ast.Select) ast.QueryBody {
	start := p.advance().Start
	s := &ast.Select{}
	if from != nil {
		s = from
		if len(s.From) > 0 {
			start = min(start, int32(s.From[0].Pos()))
		}
	}
	for p.isKind(token.HintStart) {
		s.Hints = append(s.Hints, p.hints()...)
	}
	if p.is(token.TRANSFORM) && p.peek(1).Kind == token.LParen {
		p.transform()
	}
	if p.is(token.DISTINCT) {
		p.advance()
		s.Distinct = true
	} else if p.is(token.ALL) && !p.endsArgument(p.peek(1)) && !p.peek(1).Keyword.IsStrict() && p.peek(1).Keyword != token.FROM {
		p.advance()
	}
	s.Items = append(s.Items, p.selectItem())
	for p.acceptKind(token.Comma) {
		if p.is(token.FROM) && (isName(p.peek(1)) || p.peek(1).Kind == token.LParen) {
			p.fail(sqlerr.TrailingComma(), tokenSpan(p.peek(-1)))
			break
		}
		s.Items = append(s.Items, p.selectItem())
	}
	if from == nil && p.is(token.FROM) {
		p.fromClause(s)
	}
	for p.isSeq(token.LATERAL, token.VIEW) {
		s.LateralViews = append(s.LateralViews, p.lateralView())
	}
	if p.accept(token.WHERE) {
		s.Where = p.expr()
	}
	if p.isSeq(token.GROUP, token.BY) {
		s.GroupBy = p.groupBy()
	}
	if p.accept(token.HAVING) {
		s.Having = p.expr()
	}
	if p.is(token.WINDOW) {
		s.Windows = p.namedWindows()
	}
	if p.accept(token.QUALIFY) {
		s.Qualify = p.expr()
		if p.is(token.WINDOW) && s.Windows == nil {
			s.Windows = p.namedWindows()
		}
	}
	s.At = p.since(start)
	return s
}

// transform tells SELECT TRANSFORM (…) USING 'script' from a call of the function transform.
func (p *parser) transform() {
	depth := 0
	for n := 1; ; n++ {
		switch p.peek(n).Kind {
		case token.LParen:
			depth++
		case token.RParen:
			depth--
		case token.EOF:
			return
		}
		if depth > 0 {
			continue
		}
		if k := p.peek(n + 1).Keyword; k == token.USING || k == token.ROW && p.peek(n+2).Keyword == token.FORMAT {
			p.fail(sqlerr.Unsupported("TRANSFORM", "SELECT TRANSFORM with a script"), tokenSpan(p.cur()))
		}
		return
	}
}

// hints reads /*+ a, b(x) */.
func (p *parser) hints() []*ast.Hint {
	p.advance()
	var out []*ast.Hint
	for !p.isKind(token.HintEnd) && !p.isKind(token.EOF) {
		h := &ast.Hint{Name: p.ident()}
		if p.acceptKind(token.LParen) {
			for !p.isKind(token.RParen) && !p.isKind(token.EOF) {
				h.Args = append(h.Args, p.operators(precComparison))
				if !p.acceptKind(token.Comma) {
					break
				}
			}
			p.rparen()
		}
		h.At = p.from(h.Name.Pos())
		out = append(out, h)
		p.acceptKind(token.Comma)
	}
	p.expectKind(token.HintEnd, "*/")
	return out
}

// selectItem reads an expression with its alias.
func (p *parser) selectItem() *ast.SelectItem {
	start := p.cur().Start
	s := &ast.SelectItem{Expr: p.expr()}
	switch {
	case p.accept(token.AS):
		if p.isKind(token.LParen) {
			s.Aliases = p.identList()
		} else {
			s.Aliases = []ast.Ident{p.ident()}
		}
	case isName(p.cur()) && !p.beginsQueryTail(p.cur().Keyword):
		s.Aliases = []ast.Ident{p.ident()}
	}
	s.At = p.since(start)
	return s
}

func (p *parser) sortItems() []*ast.SortItem {
	var out []*ast.SortItem
	for {
		start := p.cur().Start
		s := &ast.SortItem{Expr: p.expr()}
		switch {
		case p.accept(token.DESC):
			s.Desc = true
		default:
			p.accept(token.ASC)
		}
		if p.accept(token.NULLS) {
			first := p.is(token.FIRST)
			if !p.acceptAny(token.FIRST, token.LAST) {
				p.syntax("Expected FIRST or LAST.")
			}
			s.NullsFirst = &first
		}
		s.At = p.since(start)
		out = append(out, s)
		if !p.acceptKind(token.Comma) {
			return out
		}
	}
}

func (p *parser) groupBy() *ast.GroupBy {
	start := p.cur().Start
	p.expect(token.GROUP, token.BY)
	g := &ast.GroupBy{}
	if p.is(token.ALL) && p.peek(1).Kind != token.Comma && !p.continuesExpr(p.peek(1)) {
		p.advance()
		g.All = true
		g.At = p.since(start)
		return g
	}
	g.Items = append(g.Items, p.groupItem(false))
	for p.acceptKind(token.Comma) {
		g.Items = append(g.Items, p.groupItem(false))
	}
	switch {
	case p.isSeq(token.WITH, token.ROLLUP), p.isSeq(token.WITH, token.CUBE):
		kind := ast.GroupRollup
		if p.peek(1).Keyword == token.CUBE {
			kind = ast.GroupCube
		}
		whole := &ast.GroupItem{Kind: kind}
		for _, it := range g.Items {
			whole.Elems = append(whole.Elems, &ast.GroupItem{At: it.At, Kind: ast.GroupSet, Exprs: it.Exprs})
		}
		p.advance()
		p.advance()
		whole.At = p.from(g.Items[0].Pos())
		g.Items = []*ast.GroupItem{whole}
	case p.isSeq(token.GROUPING, token.SETS):
		for _, it := range g.Items {
			g.Given = append(g.Given, it.Exprs...)
		}
		g.Items = []*ast.GroupItem{p.groupItem(false)}
	}
	g.At = p.since(start)
	return g
}

// groupItem reads one element of GROUP BY; inside is set within GROUPING SETS, where parentheses make a set.
func (p *parser) groupItem(inside bool) *ast.GroupItem {
	start := p.cur().Start
	g := &ast.GroupItem{}
	if !p.enter() {
		return g
	}
	defer p.leave()
	switch {
	case p.is(token.ROLLUP) && p.peek(1).Kind == token.LParen:
		g.Kind = ast.GroupRollup
	case p.is(token.CUBE) && p.peek(1).Kind == token.LParen:
		g.Kind = ast.GroupCube
	case p.isSeq(token.GROUPING, token.SETS):
		p.advance()
		g.Kind = ast.GroupSets
	default:
		g.Exprs = p.groupSet(inside)
		if inside {
			g.Kind = ast.GroupSet
		}
		g.At = p.since(start)
		return g
	}
	p.advance()
	p.lparen()
	sets := g.Kind == ast.GroupSets
	for {
		if sets {
			g.Elems = append(g.Elems, p.groupItem(true))
		} else {
			s := p.cur().Start
			exprs := p.groupSet(true)
			if len(exprs) == 0 {
				p.fail(sqlerr.InvalidStatement("an empty set within ROLLUP or CUBE"), tokenSpan(p.peek(-1)))
			}
			g.Elems = append(g.Elems, &ast.GroupItem{At: p.since(s), Kind: ast.GroupSet, Exprs: exprs})
		}
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	g.At = p.since(start)
	return g
}

// groupSet reads an expression, or where sets are allowed the expressions of a set in parentheses.
func (p *parser) groupSet(sets bool) []ast.Expr {
	if sets && p.isKind(token.LParen) && p.peek(1).Kind == token.RParen {
		p.advance()
		p.advance()
		return nil
	}
	e := p.expr()
	if row, ok := e.(*ast.Row); ok && sets {
		out := make([]ast.Expr, len(row.Elems))
		for i, el := range row.Elems {
			out[i] = el.Expr
		}
		return out
	}
	return []ast.Expr{e}
}

func (p *parser) namedWindows() []*ast.NamedWindow {
	p.advance()
	var out []*ast.NamedWindow
	for {
		start := p.cur().Start
		w := &ast.NamedWindow{Name: p.ident()}
		p.expect(token.AS)
		w.Spec = p.windowSpec()
		w.At = p.since(start)
		out = append(out, w)
		if !p.acceptKind(token.Comma) {
			return out
		}
	}
}

// values reads an inline table with its alias.
func (p *parser) values() *ast.Values {
	start := p.advance().Start
	v := &ast.Values{}
	for {
		e := p.expr()
		if row, ok := e.(*ast.Row); ok {
			exprs := p.exprList.take(len(row.Elems))
			for i, el := range row.Elems {
				exprs[i] = el.Expr
			}
			v.Rows = append(v.Rows, exprs)
		} else {
			exprs := p.exprList.take(1)
			exprs[0] = e
			v.Rows = append(v.Rows, exprs)
		}
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	v.Alias = p.tableAlias()
	v.At = p.since(start)
	return v
}
