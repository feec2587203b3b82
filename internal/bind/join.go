package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

var joinKinds = map[ast.JoinKind]plan.JoinKind{
	ast.InnerJoin: plan.InnerJoin, ast.CrossJoin: plan.CrossJoin, ast.LeftJoin: plan.LeftJoin,
	ast.RightJoin: plan.RightJoin, ast.FullJoin: plan.FullJoin, ast.SemiJoin: plan.SemiJoin, ast.AntiJoin: plan.AntiJoin,
}

// join binds a join. Chains lean to the left and are walked in a loop.
func (b *binder) join(r *ast.Join, f *frame, outerLeft *scope) (plan.Node, *scope, error) {
	chain := joinChain(r)
	node, s, err := b.relation(chain[len(chain)-1].L, f, outerLeft)
	if err != nil {
		return nil, nil, err
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if node, s, err = b.joinOne(chain[i], node, s, f); err != nil {
			return nil, nil, err
		}
	}
	return node, s, nil
}

// joinChain lists the joins of a chain, the last one first; a relation that is no join has none.
func joinChain(r ast.Relation) []*ast.Join {
	var chain []*ast.Join
	for {
		j, ok := r.(*ast.Join)
		if !ok {
			return chain
		}
		chain = append(chain, j)
		r = j.L
	}
}

func (b *binder) joinOne(r *ast.Join, left plan.Node, ls *scope, f *frame) (plan.Node, *scope, error) {
	right, rs, err := b.relation(r.R, f, ls)
	if err != nil {
		return nil, nil, err
	}
	if r.Nearest != nil {
		return b.nearestJoin(r, left, ls, right, rs, f)
	}
	n := &plan.Join{Kind: joinKinds[r.Kind], Left: left, Right: right, Lateral: isLateral(r.R)}
	both := &scope{parent: f.outer}
	both.add(ls.columns...)
	both.add(rs.columns...)
	using := r.Using
	if r.Natural {
		using = b.commonNames(ls, rs)
	}
	if len(using) > 0 {
		return b.usingJoin(r, n, using, ls, rs, f)
	}
	if _, never := lateralKinds[r.Kind]; never {
		if err := b.checkLateral(n, r, r.R); err != nil {
			return nil, nil, err
		}
	}
	if r.On != nil {
		n.Cond, err = b.condition(r.On, &exprScope{frame: f, scope: both, clause: "Join"}, sqlerr.JoinConditionNotBoolean)
		if err != nil {
			return nil, nil, err
		}
		if err := checkJoinQueries(n.Cond, ls, rs); err != nil {
			return nil, nil, at(err, r.On.Span())
		}
		if n.Kind == plan.CrossJoin {
			n.Kind = plan.InnerJoin
		}
	} else if n.Kind == plan.InnerJoin {
		n.Kind = plan.CrossJoin
	}
	if err := b.checkLateral(n, r, r.R); err != nil {
		return nil, nil, err
	}
	if n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin {
		return n, &scope{parent: f.outer, columns: ls.columns}, nil
	}
	return n, both, nil
}

// checkJoinQueries refuses sub-queries in a join's condition that Spark cannot compute on one side of it: a value that depends on
// a row, and IN or EXISTS that depend on the rows of both sides.
func checkJoinQueries(cond expr.Expr, ls, rs *scope) error {
	if !exists(cond, isSubquery) {
		return nil
	}
	left, right := idSet{}, idSet{}
	for _, c := range ls.columns {
		left[c.ID] = true
	}
	for _, c := range rs.columns {
		right[c.ID] = true
	}
	var bad error
	expr.Walk(cond, func(x expr.Expr) bool {
		q, ok := x.(*expr.Subquery)
		if !ok || bad != nil {
			return bad == nil
		}
		uses := freeOf(q)
		l, r := uses.meets(left), uses.meets(right)
		if (l || r) && q.Arg != nil {
			uses.addExpr(q.Arg)
			l, r = uses.meets(left), uses.meets(right)
		}
		switch {
		case q.Kind == expr.ScalarSubquery && (l || r):
			bad = sqlerr.SubqueryPlace("UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY", "a sub-query that uses columns of the query around it cannot be part of a join's condition")
		case l && r:
			bad = sqlerr.SubqueryPlace("UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION", "IN or EXISTS in a join's condition uses columns of both sides")
		}
		return bad == nil
	})
	return bad
}

// commonNames are the names that both sides of a NATURAL join have, in the left side's order; as often as both have them.
func (b *binder) commonNames(ls, rs *scope) []ast.Ident {
	left := map[string]int{}
	for _, c := range rs.visible() {
		left[b.fold(c.Name)]++
	}
	var out []ast.Ident
	for _, c := range ls.visible() {
		if k := b.fold(c.Name); left[k] > 0 {
			left[k]--
			out = append(out, ast.Ident{Name: c.Name})
		}
	}
	return out
}

// usingJoin joins on columns of equal name. They come first and once: the left side's value, the right side's in a
// right join, whichever is there in a full join. The other one stays reachable by its qualified name.
func (b *binder) usingJoin(r *ast.Join, n *plan.Join, using []ast.Ident, ls, rs *scope, f *frame) (plan.Node, *scope, error) {
	out := &scope{parent: f.outer}
	var conds []expr.Expr
	var hidden, merged []column
	var mergedExprs []expr.Expr
	used := idSet{}
	for _, name := range using {
		l, err := b.usingColumn(name, ls, "left", r)
		if err != nil {
			return nil, nil, err
		}
		rc, err := b.usingColumn(name, rs, "right", r)
		if err != nil {
			return nil, nil, err
		}
		eq, err := b.resolve("=", []expr.Expr{columnRef(l.Column), columnRef(rc.Column)})
		if err != nil {
			return nil, nil, at(err, r.Span())
		}
		conds = append(conds, eq)
		used[l.ID], used[rc.ID] = true, true
		switch n.Kind {
		case plan.FullJoin:
			e, err := b.resolve("coalesce", []expr.Expr{columnRef(l.Column), columnRef(rc.Column)})
			if err != nil {
				return nil, nil, at(err, r.Span())
			}
			c := b.newColumn(l.Name, e.Type())
			merged = append(merged, column{Column: c, origin: c.ID})
			mergedExprs = append(mergedExprs, e)
			l.hidden, rc.hidden = true, true
			hidden = append(hidden, l, rc)
			out.add(merged[len(merged)-1])
		case plan.RightJoin:
			out.add(rc)
			l.hidden = true
			hidden = append(hidden, l)
		default:
			out.add(l)
			rc.hidden = true
			hidden = append(hidden, rc)
		}
	}
	n.Cond = expr.And(conds...)
	if n.Kind == plan.CrossJoin {
		n.Kind = plan.InnerJoin
	}
	if n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin {
		semi := &scope{parent: f.outer}
		for _, c := range out.columns {
			semi.add(c)
		}
		for _, c := range ls.columns {
			if !used[c.ID] || c.hidden {
				semi.add(c)
			}
		}
		return n, semi, nil
	}
	for _, s := range []*scope{ls, rs} {
		for _, c := range s.columns {
			if !used[c.ID] || c.hidden {
				out.add(c)
			}
		}
	}
	out.add(hidden...)
	if len(merged) == 0 {
		return n, out, nil
	}
	p := &plan.Project{Input: n}
	for _, c := range n.Output() {
		p.Out = append(p.Out, c)
		p.Exprs = append(p.Exprs, columnRef(c))
	}
	for i, c := range merged {
		p.Out = append(p.Out, c.Column)
		p.Exprs = append(p.Exprs, mergedExprs[i])
	}
	return p, out, nil
}

func (b *binder) usingColumn(name ast.Ident, s *scope, side string, r *ast.Join) (column, error) {
	found, _ := b.find(s, []string{name.Name})
	span := name.Span()
	if span == (sqlerr.Span{}) {
		span = r.Span()
	}
	switch {
	case len(found) == 1 || len(found) > 0 && r.Natural:
		return found[0], nil
	case len(found) == 0:
		return column{}, sqlerr.UnresolvedUsingColumn(ident.Quote(name.Name), side, suggestAll(s)).At(span)
	}
	var list []string
	for i := range found {
		list = append(list, found[i].quoted())
	}
	return column{}, sqlerr.AmbiguousReference(ident.Quote(name.Name), list).At(span)
}
