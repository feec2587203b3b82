package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// cte is one common table expression in sight; next is the one defined before it. Each reference binds the query
// anew, so that its columns have IDs of their own, but for a query that is computed once.
type cte struct {
	def  *ast.CTE
	from *frame // what the definition sees
	used bool
	part *plan.Part // once it was referred to, when it is computed once
	next *cte
	// recursive tells that the definition may refer to itself, loop is set while it is bound, and within is the loop whose
	// query defines this one.
	recursive    bool
	loop, within *loop
}

// query binds a query in a frame.
func (b *binder) query(q *ast.Query, f *frame) (plan.Node, error) {
	f, defined, err := b.with(q.With, f)
	if err == nil && f.start {
		within := *f
		within.start = false
		f = &within
	}
	if err != nil {
		return nil, err
	}
	node, err := b.ordered(q, f)
	if err != nil {
		return nil, err
	}
	return node, b.unused(defined)
}

// unused checks the definitions that nothing reads, which must be sound all the same.
func (b *binder) unused(defined []*cte) error {
	for _, c := range defined {
		if !c.used {
			if _, err := b.definition(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// with makes the frame that a WITH clause opens.
func (b *binder) with(w *ast.With, f *frame) (*frame, []*cte, error) {
	if w == nil {
		return f, nil, nil
	}
	inner := *f
	var defined []*cte
	for _, d := range w.CTEs {
		if f.start && b.env.CTEPrecedence == "EXCEPTION" && b.findCTE(f, d.Name.Name) != nil {
			return nil, nil, sqlerr.AmbiguousNestedCTE(ident.Quote(d.Name.Name)).At(d.Name.Span())
		}
		sees := inner
		sees.start = true
		c := &cte{def: d, from: &sees, next: inner.ctes, recursive: w.Recursive}
		inner.ctes = c
		if c.recursive {
			sees.ctes = c
		}
		defined = append(defined, c)
	}
	return &inner, defined, nil
}

// findCTE is the nearest common table expression of a name; under the legacy policy the outermost.
func (b *binder) findCTE(f *frame, name string) *cte {
	var found *cte
	for c := f.ctes; c != nil; c = c.next {
		if !b.same(c.def.Name.Name, name) {
			continue
		}
		if found = c; b.env.CTEPrecedence != "LEGACY" {
			break
		}
	}
	return found
}

// ordered binds a query's body with its ordering and limit.
func (b *binder) ordered(q *ast.Query, f *frame) (plan.Node, error) {
	order := ordering(q)
	var err error
	var node plan.Node
	var keep []column
	if sel, ok := q.Body.(*ast.Select); ok {
		node, keep, err = b.selectQuery(sel, q, order, f)
	} else {
		node, err = b.body(q.Body, f)
		if err == nil {
			err = b.distributeOutput(q.DistributeBy, node, f)
		}
		if err == nil {
			node, err = b.sortOutput(node, order, f)
		}
	}
	if err != nil {
		return nil, err
	}
	if node, err = b.limit(node, q, f); err != nil || keep == nil {
		return node, err
	}
	return projectColumns(node, keep), nil
}

// ordering is what ORDER BY, SORT BY and CLUSTER BY ask for. A total order meets SORT BY's promise of an order within
// partitions; DISTRIBUTE BY promises nothing that one machine does not keep.
func ordering(q *ast.Query) []*ast.SortItem {
	switch {
	case len(q.OrderBy) > 0:
		return q.OrderBy
	case len(q.SortBy) > 0:
		return q.SortBy
	}
	var keys []*ast.SortItem
	for _, e := range q.ClusterBy {
		keys = append(keys, &ast.SortItem{At: ast.At{Start: e.Pos(), Stop: e.End()}, Expr: e})
	}
	return keys
}

// body binds what a query is made of, without its ordering.
func (b *binder) body(q ast.QueryBody, f *frame) (plan.Node, error) {
	switch q := q.(type) {
	case *ast.Select:
		node, _, err := b.selectQuery(q, &ast.Query{}, nil, f)
		return node, err
	case *ast.SetOp:
		return b.setOp(q, f)
	case *ast.Values:
		node, _, err := b.values(q, f)
		return node, err
	case *ast.TableQuery:
		node, s, err := b.relation(&ast.TableRef{At: q.At, Name: q.Name}, f, nil)
		if err != nil {
			return nil, err
		}
		return projectColumns(node, s.visible()), nil
	case *ast.Query:
		return b.query(q, f)
	case *ast.Pipe:
		return b.pipe(q, f)
	}
	return nil, sqlerr.Unsupported("QUERY", "this form of query").At(q.Span())
}

// projectColumns is node with just these columns, in this order. A column that occurs twice gets a new ID, which the
// caller must have given it.
func projectColumns(node plan.Node, cols []column) plan.Node {
	out := node.Output()
	same := len(out) == len(cols)
	p := &plan.Project{Input: node}
	for i, c := range cols {
		same = same && out[i].ID == c.ID && out[i].Name == c.Name
		p.Out = append(p.Out, c.Column)
		p.Exprs = append(p.Exprs, columnRef(c.Column))
	}
	if same {
		return node
	}
	return p
}

var (
	setNames = map[ast.SetKind]string{ast.Union: "UNION", ast.Except: "EXCEPT", ast.Intersect: "INTERSECT"}
	setKinds = map[ast.SetKind]plan.SetKind{ast.Union: plan.Union, ast.Except: plan.Except, ast.Intersect: plan.Intersect}
)

// setOp binds UNION, INTERSECT and EXCEPT: the columns take the first input's names and the types that both can have.
// A chain of set operations leans to the left and is walked in a loop.
func (b *binder) setOp(q *ast.SetOp, f *frame) (plan.Node, error) {
	if b.env.SetOpsInOrder {
		q = inOrder(q)
	}
	chain := []*ast.SetOp{q}
	for {
		l, ok := chain[len(chain)-1].L.(*ast.SetOp)
		if !ok {
			break
		}
		chain = append(chain, l)
	}
	node, err := b.body(chain[len(chain)-1].L, f)
	if err != nil {
		return nil, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		right, err := b.body(chain[i].R, f)
		if err != nil {
			return nil, err
		}
		if node, err = b.combine(chain[i], node, right); err != nil {
			return nil, err
		}
	}
	return node, nil
}

// inOrder is a tree of set operations without parentheses as a chain that leans to the left.
func inOrder(q *ast.SetOp) *ast.SetOp {
	var operands []ast.QueryBody
	var operators []*ast.SetOp
	var list func(ast.QueryBody)
	list = func(x ast.QueryBody) {
		op, ok := x.(*ast.SetOp)
		if !ok {
			operands = append(operands, x)
			return
		}
		list(op.L)
		operators = append(operators, op)
		list(op.R)
	}
	list(q)
	left := operands[0]
	for i, op := range operators {
		left = &ast.SetOp{At: op.At, Kind: op.Kind, All: op.All, L: left, R: operands[i+1]}
	}
	return left.(*ast.SetOp)
}

func (b *binder) combine(q *ast.SetOp, left, right plan.Node) (plan.Node, error) {
	name := setNames[q.Kind]
	if q.All {
		name += " ALL"
	}
	l, r := left.Output(), right.Output()
	if len(l) != len(r) {
		return nil, sqlerr.NumColumnsMismatch(name, len(l), len(r)).At(q.Span())
	}
	want := make([]types.Type, len(l))
	op := &plan.SetOp{Kind: setKinds[q.Kind], All: q.All}
	for i := range l {
		t, ok := expr.CommonTypeIn(b.env.Context, l[i].Type, r[i].Type)
		if !ok {
			return nil, sqlerr.IncompatibleColumnType(name, i+1, l[i].Type.SQL(), r[i].Type.SQL()).At(q.Span())
		}
		if !(q.Kind == ast.Union && q.All) && t.HasMap() {
			return nil, sqlerr.SetOperationOnMap(ident.Quote(l[i].Name), t.SQL()).At(q.Span())
		}
		want[i] = t
		op.Out = append(op.Out, b.newColumn(l[i].Name, t))
	}
	var err error
	if op.Left, err = b.widen(left, want); err != nil {
		return nil, at(err, q.Span())
	}
	if op.Right, err = b.widen(right, want); err != nil {
		return nil, at(err, q.Span())
	}
	return op, nil
}

// widen casts the columns of node to the types wanted.
func (b *binder) widen(node plan.Node, want []types.Type) (plan.Node, error) {
	p := &plan.Project{Input: node}
	same := true
	for i, c := range node.Output() {
		e, err := expr.Coerce(columnRef(c), want[i])
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, e)
		if ref, ok := e.(*expr.Column); ok {
			p.Out = append(p.Out, plan.Column{ID: ref.ID, Name: c.Name, Type: c.Type})
			continue
		}
		same = false
		p.Out = append(p.Out, b.newColumn(c.Name, want[i]))
	}
	if same {
		return node, nil
	}
	return p, nil
}

// values binds an inline table. Its columns are col1, col2, … unless it has an alias with names.
func (b *binder) values(v *ast.Values, f *frame) (plan.Node, *scope, error) {
	width := -1
	var names []ast.Ident
	if v.Alias != nil && len(v.Alias.Columns) > 0 {
		names = v.Alias.Columns
		width = len(names)
	}
	rows := make([][]expr.Expr, len(v.Rows))
	es := &exprScope{frame: f, scope: &scope{parent: f.outer}, clause: "VALUES"}
	for i, r := range v.Rows {
		if width < 0 {
			width = len(r)
		}
		if len(r) != width {
			return nil, nil, sqlerr.InlineTableWidth(width, len(r), i).At(v.Span())
		}
		rows[i] = make([]expr.Expr, len(r))
		for j, e := range r {
			x, err := b.expr(e, es)
			if err != nil {
				return nil, nil, err
			}
			if volatile(x) || exists(x, isOuter) {
				return nil, nil, sqlerr.InlineTableExpression(b.text(e)).At(e.Span())
			}
			rows[i][j] = x
		}
	}
	cols := make([]plan.Column, max(width, 0))
	for j := range cols {
		name := columnNumber(j + 1)
		if names != nil {
			name = names[j].Name
		}
		t := rows[0][j].Type()
		for i := 1; i < len(rows); i++ {
			u := rows[i][j].Type()
			mixed := t.Kind.IsText() != u.Kind.IsText() && t.Kind != types.Void && u.Kind != types.Void
			var ok bool
			// Unlike elsewhere text does not become something else here.
			if t, ok = expr.CommonType(t, u); !ok || mixed {
				return nil, nil, sqlerr.InlineTableTypes(ident.Quote(name)).At(v.Span())
			}
		}
		for i := range rows {
			e, err := expr.Coerce(rows[i][j], t)
			if err != nil {
				return nil, nil, at(err, v.Rows[i][j].Span())
			}
			// A value that does not cast fails when it is evaluated; the statement is refused here, at its place.
			if expr.CanEval(e) && len(expr.Columns(e)) == 0 {
				val, err := expr.Eval(e, b.env.Context, nil)
				if err != nil {
					if isCast(e) && !isCast(rows[i][j]) {
						return nil, nil, sqlerr.InlineTableTypes(ident.Quote(name)).At(v.Span())
					}
					return nil, nil, sqlerr.InlineTableEvaluation(b.text(v.Rows[i][j]), err).At(v.Rows[i][j].Span())
				}
				e = &expr.Literal{Value: val, T: t}
			}
			rows[i][j] = e
		}
		cols[j] = b.newColumn(name, t)
	}
	var qualifier ident.Name
	if v.Alias != nil && v.Alias.Name.Name != "" {
		qualifier = ident.Name{v.Alias.Name.Name}
	}
	s := &scope{parent: f.outer}
	for _, c := range cols {
		s.add(column{Column: c, qualifier: qualifier, origin: c.ID})
	}
	return &plan.Values{Out: cols, Rows: rows}, s, nil
}

func isCast(e expr.Expr) bool { _, ok := e.(*expr.Cast); return ok }

// limit adds LIMIT and OFFSET.
func (b *binder) limit(node plan.Node, q *ast.Query, f *frame) (plan.Node, error) {
	if q.LimitAll && b.loops > 0 && q.Offset == nil {
		return &plan.Limit{Input: node, All: true}, nil
	}
	if q.Limit == nil && q.Offset == nil {
		return node, nil
	}
	count, err := b.limitValue("limit", q.Limit, node, f)
	if err != nil {
		return nil, err
	}
	offset, err := b.limitValue("offset", q.Offset, node, f)
	if err != nil {
		return nil, err
	}
	return &plan.Limit{Input: node, Count: count, Offset: offset}, nil
}

// limitValue is the constant that LIMIT or OFFSET gives: an INT of 0 or more.
func (b *binder) limitValue(name string, e ast.Expr, node plan.Node, f *frame) (expr.Expr, error) {
	if e == nil {
		return nil, nil
	}
	s := &scope{}
	for _, c := range node.Output() {
		s.add(column{Column: c, origin: c.ID})
	}
	x, err := b.expr(e, &exprScope{frame: f, scope: s, clause: name})
	if err != nil {
		return nil, err
	}
	text := b.text(e)
	if !expr.CanEval(x) || len(expr.Columns(x)) > 0 || exists(x, isSubquery) {
		return nil, sqlerr.LimitUnfoldable(name, text).At(e.Span())
	}
	if t := x.Type(); t.Kind != types.Int && t.Kind != types.SmallInt && t.Kind != types.TinyInt {
		return nil, sqlerr.LimitType(name, text, t.SQL()).At(e.Span())
	}
	v, err := expr.Eval(x, b.env.Context, nil)
	if err != nil {
		return nil, at(err, e.Span())
	}
	n, ok := v.(int64)
	switch {
	case !ok:
		return nil, sqlerr.LimitNull(name, text).At(e.Span())
	case n < 0:
		return nil, sqlerr.LimitNegative(name, text, n).At(e.Span())
	}
	return &expr.Literal{Value: n, T: types.Of(types.BigInt)}, nil
}

// sortOutput orders a node whose output columns alone are in sight: a set operation, an inline table, a sub-query.
func (b *binder) sortOutput(node plan.Node, order []*ast.SortItem, f *frame) (plan.Node, error) {
	if len(order) == 0 {
		return node, nil
	}
	s := &scope{parent: f.outer}
	out := node.Output()
	for i, o := range origins(node) {
		s.add(column{Column: out[i], origin: o})
	}
	sort := &plan.Sort{Input: node}
	if found, _ := b.find(s, []string{"all"}); len(order) == 1 && isAll(order[0].Expr) && len(found) == 0 {
		for _, c := range out {
			if !c.Type.IsOrdered() {
				return nil, sqlerr.NotOrderable(c.Name, c.Type.SQL()).At(order[0].Expr.Span())
			}
			sort.Keys = append(sort.Keys, keyFor(order[0], columnRef(c)))
		}
		return sort, nil
	}
	for _, item := range order {
		x, err := b.sortExpr(item, len(out), func(i int) expr.Expr { return columnRef(out[i]) }, &exprScope{frame: f, scope: s, clause: "ORDER BY"})
		if err != nil {
			return nil, err
		}
		sort.Keys = append(sort.Keys, keyFor(item, x))
	}
	return sort, nil
}

// distributeOutput checks DISTRIBUTE BY of a node whose output columns alone are in sight.
func (b *binder) distributeOutput(keys []ast.Expr, node plan.Node, f *frame) error {
	if len(keys) == 0 {
		return nil
	}
	s := &scope{parent: f.outer}
	out := node.Output()
	for i, o := range origins(node) {
		s.add(column{Column: out[i], origin: o})
	}
	for _, e := range keys {
		if _, err := b.expr(e, &exprScope{frame: f, scope: s, clause: "DISTRIBUTE BY"}); err != nil {
			return err
		}
	}
	return nil
}

// sortExpr binds one ordering key: a position in the select list, or an expression.
func (b *binder) sortExpr(item *ast.SortItem, width int, position func(int) expr.Expr, es *exprScope) (expr.Expr, error) {
	var x expr.Expr
	if n, ok := ordinal(item.Expr); ok && !b.env.NoOrderByOrdinal {
		if n < 1 || n > int64(width) {
			return nil, sqlerr.OrderByPosOutOfRange(item.Expr.(*ast.NumberLit).Text, width).At(item.Expr.Span())
		}
		x = position(int(n - 1))
	} else {
		var err error
		if x, err = b.expr(item.Expr, es); err != nil {
			return nil, err
		}
	}
	if !x.Type().IsOrdered() {
		return nil, sqlerr.NotOrderable(b.text(item.Expr), x.Type().SQL()).At(item.Expr.Span())
	}
	return x, nil
}

func keyFor(item *ast.SortItem, e expr.Expr) expr.SortKey {
	k := expr.SortKey{Expr: e, Desc: item.Desc, NullsFirst: !item.Desc}
	if item.NullsFirst != nil {
		k.NullsFirst = *item.NullsFirst
	}
	return k
}

// ordinal is the position that an integer literal in GROUP BY or ORDER BY stands for.
func ordinal(e ast.Expr) (int64, bool) {
	n, ok := e.(*ast.NumberLit)
	if !ok || n.Type.Kind != types.Int {
		return 0, false
	}
	v, ok := n.Value.(int64)
	return v, ok
}

// origins tells which output columns of a node are copies of one another: equal origins are.
func origins(n plan.Node) []expr.ColumnID {
	out := n.Output()
	ids := make([]expr.ColumnID, len(out))
	for i, c := range out {
		ids[i] = c.ID
	}
	for {
		switch x := n.(type) {
		case *plan.Sort:
			n = x.Input
		case *plan.Limit:
			n = x.Input
		case *plan.Distinct:
			n = x.Input
		case *plan.Project:
			for i := range x.Exprs {
				if c, ok := x.Exprs[i].(*expr.Column); ok && !c.Outer {
					ids[i] = c.ID
				}
			}
			return ids
		default:
			return ids
		}
	}
}
