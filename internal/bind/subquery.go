package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// inner binds a query that stands in an expression and may refer to the columns around it.
func (b *binder) inner(q *ast.Query, es *exprScope) (plan.Node, error) {
	f := *es.frame
	f.outer, f.start, f.around = es.scope, true, es
	node, err := b.query(q, &f)
	if err == nil {
		err = checkOuterSides(node)
	}
	return node, at(err, q.Span())
}

// checkOuterSides refuses columns of an enclosing query below the side of a join that may lack rows: there they cannot be
// taken out of the sub-query.
func checkOuterSides(n plan.Node) error {
	var bad error
	mapPlan(n, func(n plan.Node) plan.Node {
		j, ok := n.(*plan.Join)
		if !ok || bad != nil {
			return n
		}
		var sides []plan.Node
		switch j.Kind {
		case plan.LeftJoin, plan.SemiJoin, plan.AntiJoin:
			sides = []plan.Node{j.Right}
		case plan.RightJoin:
			sides = []plan.Node{j.Left}
		case plan.FullJoin:
			sides = []plan.Node{j.Left, j.Right}
		}
		own := outputSet(j.Left)
		for _, side := range sides {
			for id := range free(side) {
				if !own[id] {
					bad = sqlerr.SubqueryPlace("ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED", "it uses a column of the query around it on the side of a join that may lack rows")
				}
			}
		}
		return n
	})
	return bad
}

// scalarQuery is (query) as a value: one column, at most one row. No row is NULL; several are an error when it runs.
func (b *binder) scalarQuery(e *ast.Subquery, es *exprScope) (expr.Expr, error) {
	node, err := b.inner(e.Query, es)
	if err != nil {
		return nil, err
	}
	out := node.Output()
	if len(out) != 1 {
		return nil, sqlerr.ScalarSubqueryColumns(len(out))
	}
	x := &expr.Subquery{Kind: expr.ScalarSubquery, Query: node, T: out[0].Type}
	b.noteOuter(e, "scalarsubquery(", ")", node)
	return x, nil
}

func (b *binder) existsQuery(e *ast.Exists, es *exprScope) (expr.Expr, error) {
	node, err := b.inner(e.Query, es)
	if err != nil {
		return nil, err
	}
	b.noteOuter(e, "exists(", ")", node)
	return &expr.Subquery{Kind: expr.ExistsSubquery, Query: node, T: types.Of(types.Boolean)}, nil
}

// inQuery is x IN (query), where x may be a row of as many values as the query has columns.
func (b *binder) inQuery(e *ast.InQuery, es *exprScope) (expr.Expr, error) {
	arg, err := b.expr(e.X, es)
	if err != nil {
		return nil, err
	}
	node, err := b.inner(e.Query, es)
	if err != nil {
		return nil, err
	}
	left := []expr.Expr{arg}
	t, isRow := arg.(*expr.Tuple)
	if isRow {
		left = t.Elems
	}
	right := node.Output()
	if len(left) != len(right) {
		var l, r []string
		for _, x := range left {
			l = append(l, expr.Print(x))
		}
		for _, c := range right {
			r = append(r, c.Name)
		}
		return nil, sqlerr.InSubqueryLength(b.text(e), l, r)
	}
	want := make([]types.Type, len(left))
	args := make([]expr.Expr, len(left))
	for i := range left {
		common, ok := expr.CommonType(left[i].Type(), right[i].Type)
		if !ok {
			return nil, sqlerr.InSubqueryTypes(b.text(e), left[i].Type().SQL(), right[i].Type.SQL())
		}
		want[i] = common
		if args[i], err = expr.Coerce(left[i], common); err != nil {
			return nil, err
		}
	}
	if node, err = b.widen(node, want); err != nil {
		return nil, err
	}
	arg = args[0]
	if isRow {
		arg = expr.NewTuple(args)
	}
	return b.negate(&expr.Subquery{Kind: expr.InSubquery, Arg: arg, Query: node, T: types.Of(types.Boolean)}, e.Not, nil)
}

// noteOuter notes how Spark shows a sub-query: by the outer columns it uses.
func (b *binder) noteOuter(e ast.Expr, lead, tail string, node plan.Node) {
	inside := idSet{}
	var names []string
	seen := idSet{}
	mapPlan(node, func(n plan.Node) plan.Node { inside.addAll(n.Output()); return n })
	planColumns(node, func(c *expr.Column) {
		if c.Outer && !inside[c.ID] && !seen[c.ID] {
			seen[c.ID] = true
			names = append(names, c.Name)
		}
	})
	b.texts[e] = lead + join(names) + tail
}

// freeOf are the columns of enclosing queries that the query of a sub-query expression refers to.
func freeOf(q *expr.Subquery) idSet {
	if n, ok := q.Query.(plan.Node); ok {
		return free(n)
	}
	return nil
}

// free are the columns of enclosing queries that a plan refers to.
func free(node plan.Node) idSet {
	inside, out := idSet{}, idSet{}
	var scan func(plan.Node)
	scan = func(n plan.Node) {
		mapPlan(n, func(n plan.Node) plan.Node {
			inside.addAll(n.Output())
			return mapSubqueries(n, func(q plan.Node) plan.Node { scan(q); return q })
		})
	}
	scan(node)
	planColumns(node, func(c *expr.Column) { out[c.ID] = true })
	for id := range out {
		if inside[id] {
			delete(out, id)
		}
	}
	return out
}
