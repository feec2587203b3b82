package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
)

// BindOnly binds without rewriting.
func BindOnly(q *ast.Query, env Env) (plan.Node, error) {
	b := newBinder(context.Background(), env)
	return b.query(q, b.top())
}
