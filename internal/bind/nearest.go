package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxNearest is how many rows a join by nearness may give for each row on its left, as in Spark.
const maxNearest = 100_000

// nearestJoin binds a join by nearness as a lateral one: for each row on the left, the first rows on the right in the order
// of the ranking. Rows whose ranking is NULL are near nothing. APPROX and EXACT give the same.
func (b *binder) nearestJoin(r *ast.Join, left plan.Node, ls *scope, right plan.Node, rs *scope, f *frame) (plan.Node, *scope, error) {
	near := r.Nearest
	kind, refused := lateralKinds[r.Kind]
	switch {
	case r.Kind == ast.CrossJoin:
		kind, refused = "CROSS", true
	case isLateral(r.R):
		return nil, nil, sqlerr.Unsupported("NEAREST_BY_LATERAL", "NEAREST BY over a lateral relation").At(near.Span())
	}
	if refused {
		return nil, nil, sqlerr.NearestJoinType(kind).At(near.Span())
	}
	if near.Count < 1 || near.Count > maxNearest {
		return nil, nil, sqlerr.NearestCount(near.Count, maxNearest).At(near.Span())
	}
	both := &scope{parent: f.outer}
	both.add(ls.columns...)
	both.add(rs.columns...)
	by, err := b.expr(near.By, &exprScope{frame: f, scope: both, clause: "NearestByJoin"})
	if err != nil {
		return nil, nil, err
	}
	if by.Type().HasMap() {
		return nil, nil, sqlerr.NearestOrder(b.text(near.By), by.Type().SQL()).At(near.By.Span())
	}
	theirs := outputSet(left)
	by = mapExpr(by, nil, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok && theirs[c.ID] {
			return &expr.Column{ID: c.ID, Name: c.Name, T: c.T, Outer: true}
		}
		return x
	})
	ranked := passing(right)
	rank := b.newColumn("rank", by.Type())
	ranked.Out, ranked.Exprs = append(ranked.Out, rank), append(ranked.Exprs, by)
	known, err := b.resolve("isnotnull", []expr.Expr{columnRef(rank)})
	if err != nil {
		return nil, nil, at(err, near.Span())
	}
	first := &plan.Limit{
		Input: &plan.Sort{
			Input: &plan.Filter{Input: ranked, Cond: known},
			Keys:  []expr.SortKey{{Expr: columnRef(rank), Desc: near.Similarity}},
		},
		Count: &expr.Literal{Value: near.Count, T: types.Of(types.BigInt)},
	}
	n := &plan.Join{Kind: joinKinds[r.Kind], Left: left, Lateral: true, Right: projectColumns(first, allColumns(right))}
	if n.Kind == plan.InnerJoin {
		n.Kind = plan.CrossJoin
	}
	return n, both, nil
}

// allColumns are the output columns of a node as a projection takes them.
func allColumns(n plan.Node) []column {
	var out []column
	for _, c := range n.Output() {
		out = append(out, column{Column: c})
	}
	return out
}
