package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// BindValues binds expressions without columns, as SET VARIABLE and DECLARE have them, into a plan of one row. want[i] is the
// type that the i-th value is cast to; nil keeps its own. The expressions may hold queries.
func BindValues(ctx context.Context, values []ast.Expr, want []*types.Type, env Env) (plan.Node, error) {
	b := newBinder(ctx, env)
	b.defaults = defaultsOf(&ast.Query{})
	p := &plan.Project{Input: &plan.OneRow{}}
	for i, v := range values {
		x, err := b.expr(v, &exprScope{frame: b.top(), scope: &scope{}, clause: "SET VARIABLE"})
		if err != nil {
			return nil, err
		}
		if want[i] != nil {
			if x, err = b.assigned(x, *want[i]); err != nil {
				return nil, at(err, v.Span())
			}
		}
		p.Out, p.Exprs = append(p.Out, b.newColumn(b.columnName(v), x.Type())), append(p.Exprs, x)
	}
	return b.rewrite(p)
}

// BindAssign binds the query of SET VARIABLE (a, b) = (query) and casts its columns to the types wanted. defaults are what
// the word DEFAULT in its rows means for each of them.
func BindAssign(ctx context.Context, q *ast.Query, want []types.Type, defaults []ast.Expr, env Env) (plan.Node, error) {
	b := newBinder(ctx, env)
	if defaults != nil {
		b.defaults = defaultsOf(q)
		b.defaults.value = func(k int, e *ast.DefaultLit, es *exprScope) (expr.Expr, error) {
			if k >= len(defaults) {
				return nil, nil
			}
			return b.foreign(defaults[k], &exprScope{frame: es.frame, scope: &scope{}, clause: "DEFAULT"}, e.Span())
		}
	}
	node, err := b.query(q, b.top())
	if err != nil {
		return nil, err
	}
	out := node.Output()
	if len(out) != len(want) {
		return nil, sqlerr.AssignmentArity(len(out), len(want))
	}
	p := &plan.Project{Input: node}
	for i, c := range out {
		x, err := b.assigned(columnRef(c), want[i])
		if err != nil {
			return nil, at(err, q.Span())
		}
		p.Out, p.Exprs = append(p.Out, b.newColumn(c.Name, want[i])), append(p.Exprs, x)
	}
	return b.rewrite(p)
}

// assigned is x cast to the type of a variable: always by the rules of ANSI, as in Spark.
func (b *binder) assigned(x expr.Expr, t types.Type) (expr.Expr, error) {
	if sameType(x.Type(), t) {
		return x, nil
	}
	return expr.NewCast(x, t, expr.CastANSI)
}
