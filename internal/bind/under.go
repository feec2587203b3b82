package bind

import (
	"time"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// made is what the text of a view or function was bound under: its zone, where that is not the one of the text around, and
// how many parts there were before.
type made struct {
	zone  *time.Location
	parts int
}

// under sets the settings to those under which a view was made, until the function that it returns is called. What a map
// does with a key that comes twice is decided when rows are made: it stays the session's.
func (b *binder) under(settings *Env) func() made {
	old := b.env
	m := made{parts: len(b.parts)}
	if settings != nil {
		now := *settings
		now.Relations, now.Routines, now.Namespace, now.NoMetadata = old.Relations, old.Routines, old.Namespace, old.NoMetadata
		c := *settings.Context
		c.LastKeyWins = old.Context.LastKeyWins
		now.Context = &c
		b.env = now
		if zoneKey(c.Zone) != zoneKey(old.Context.Zone) {
			m.zone = c.Zone
		}
	}
	return func() made {
		b.env = old
		return m
	}
}

// underFunction is under for a SQL function.
func (b *binder) underFunction(fn *Function) func() made {
	if fn.Under != nil {
		return b.under(fn.Under)
	}
	env := b.env
	c := *env.Context
	c.ANSI = fn.ANSI
	env.Context = &c
	return b.under(&env)
}

// madeIn gives a plan, and the parts that were made with it, the zone of its text.
func (b *binder) madeIn(m made, n plan.Node) (plan.Node, error) {
	if m.zone == nil {
		return n, nil
	}
	for i := m.parts; i < len(b.parts); i++ {
		q, err := nodeIn(m.zone, b.parts[i].Query)
		if err != nil {
			return nil, err
		}
		b.parts[i].Query = q
	}
	return nodeIn(m.zone, n)
}

// exprMadeIn is madeIn for an expression.
func (b *binder) exprMadeIn(m made, e expr.Expr) (expr.Expr, error) {
	if m.zone == nil {
		return e, nil
	}
	n, err := b.madeIn(m, &plan.Project{Input: &plan.Supplied{}, Exprs: []expr.Expr{e}, Out: []plan.Column{{Type: e.Type()}}})
	if err != nil {
		return nil, err
	}
	return n.(*plan.Project).Exprs[0], nil
}

func nodeIn(zone *time.Location, n plan.Node) (plan.Node, error) {
	var err error
	var in func(plan.Node) plan.Node
	in = func(n plan.Node) plan.Node {
		return mapPlan(n, func(n plan.Node) plan.Node {
			n = mapSubqueries(n, in)
			return withExprs(n, func(e expr.Expr) expr.Expr {
				if bad := unzoned(e); bad != "" && err == nil {
					err = sqlerr.ViewTimeZone(bad)
				}
				return expr.InZone(e, zone)
			})
		})
	}
	n = in(n)
	return n, err
}

// unzoned names an aggregate or window of an expression that only goes by the session's zone.
func unzoned(e expr.Expr) string {
	bad := ""
	expr.Walk(e, func(x expr.Expr) bool {
		switch n := x.(type) {
		case *expr.Aggregate:
			if expr.AggregateNeedsZone(n.Fn, typesOf(n.Args)) {
				bad = n.Fn.Name
			}
		case *expr.Window:
			if f := n.Frame; f != nil && !f.Rows && (f.Start.Offset != nil || f.End.Offset != nil) && len(n.OrderBy) == 1 && n.OrderBy[0].Expr.Type().Kind == types.Timestamp {
				bad = "A window frame of intervals before or after a TIMESTAMP"
			}
		}
		return true
	})
	return bad
}

func typesOf(list []expr.Expr) []types.Type {
	out := make([]types.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}
