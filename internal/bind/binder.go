package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// binder is the state of binding one statement.
type binder struct {
	ctx    context.Context
	env    Env
	lastID expr.ColumnID
}

func newBinder(ctx context.Context, env Env) *binder { return &binder{ctx: ctx, env: env} }

func (b *binder) query(q *ast.Query, outer *scope) (plan.Node, error) {
	return nil, sqlerr.Unsupported("QUERY", "queries").At(q.Span())
}

func (b *binder) rewrite(n plan.Node) (plan.Node, error) { return n, nil }

func (b *binder) standalone(e ast.Expr, columns []plan.Column) (expr.Expr, error) {
	return nil, sqlerr.Unsupported("QUERY", "expressions").At(e.Span())
}

func autoName(e ast.Expr) string { return e.String() }

func explain(n plan.Node, note func(plan.Node) string) string { return "" }

// scope is what names mean at one place of a query.
type scope struct{ parent *scope }
