package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// rule is one rewrite: a pure function over a plan that keeps its output and its answer. Plans of sub-queries were
// rewritten before; a rule leaves them alone.
type rule struct {
	name string
	run  func(*binder, plan.Node) plan.Node
}

// rules are applied once each, in this order: filters must have sunk before scans are pruned by them, and columns must
// have been dropped before it can be seen that a scan needs partition columns alone.
func (b *binder) rules() []rule {
	list := []rule{
		{"inlineLateral", inlineLateral},
		{"foldConstants", foldConstants},
		{"pushFilters", pushFilters},
		{"foldConstants", foldConstants},
		{"pruneScan", pruneScan},
		{"pruneColumns", pruneColumns},
		{"pushLimits", pushLimits},
	}
	if !b.env.NoMetadata {
		list = append(list, rule{"partitionAggregate", partitionAggregate})
	}
	return list
}

// rewrite applies the rules, to the plans of sub-queries first.
func (b *binder) rewrite(n plan.Node) (plan.Node, error) {
	n, err := b.findInputFiles(b.withParts(n))
	if err != nil {
		return nil, err
	}
	n = b.rewriteAll(n)
	if b.ctx.Err() != nil {
		return nil, sqlerr.Canceled()
	}
	return n, nil
}

func (b *binder) rewriteAll(n plan.Node) plan.Node {
	n = mapPlan(n, func(n plan.Node) plan.Node {
		return mapSubqueries(n, b.rewriteAll)
	})
	for _, r := range b.rules() {
		if b.ctx.Err() != nil {
			return n
		}
		n = r.run(b, n)
	}
	return n
}

// foldConstants computes the constant parts of expressions, and drops filters that are TRUE.
func foldConstants(b *binder, n plan.Node) plan.Node {
	return mapPlan(n, func(n plan.Node) plan.Node {
		n = withExprs(n, b.foldTree)
		if f, ok := n.(*plan.Filter); ok && isTrue(f.Cond) {
			return f.Input
		}
		return n
	})
}

func isTrue(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.T.Kind == types.Boolean && l.Value == true
}

// filter puts conditions on top of a node; none leave it as it is.
func filter(n plan.Node, conds []expr.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	return &plan.Filter{Input: n, Cond: expr.And(conds...)}
}
