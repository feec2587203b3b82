package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// windowCall binds a function with OVER.
func (b *binder) windowCall(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	if !es.windows {
		switch es.clause {
		case "WHERE", "HAVING":
			return nil, sqlerr.WindowNotAllowed(es.clause)
		case "FILTER":
			return nil, sqlerr.AggregateFilter("CONTAINS_WINDOW_FUNCTION", b.text(e))
		}
		return nil, sqlerr.ExprNotAllowed(es.clause, b.text(e))
	}
	switch {
	case es.inWindow:
		return nil, sqlerr.NestedWindow()
	case es.inAggregate:
		return nil, sqlerr.WindowInAggregate()
	}
	inner := *es
	inner.inWindow, inner.inAggregate = true, false
	x, err := b.windowFunction(e, name, &inner)
	if err != nil {
		return nil, err
	}
	spec, err := b.windowSpec(e.Over, es)
	if err != nil {
		return nil, err
	}
	w := *x
	for _, p := range spec.PartitionBy {
		k, err := b.expr(p, &inner)
		if err != nil {
			return nil, err
		}
		w.PartitionBy = append(w.PartitionBy, k)
	}
	for _, item := range spec.OrderBy {
		k, err := b.expr(item.Expr, &inner)
		if err != nil {
			return nil, err
		}
		if !k.Type().IsOrdered() {
			return nil, sqlerr.NotOrderable(b.text(item.Expr), k.Type().SQL()).At(item.Span())
		}
		w.OrderBy = append(w.OrderBy, keyFor(item, k))
	}
	if w.Distinct {
		return nil, sqlerr.DistinctWindow(b.text(e))
	}
	if (needsOrder[name] || name == "nth_value") && len(w.OrderBy) == 0 {
		return nil, sqlerr.WindowNotOrdered(name, b.text(&ast.Call{Name: e.Name, Args: e.Args}))
	}
	if (wholeWindow[name] || len(w.Within) > 0) && (len(w.OrderBy) > 0 || spec.Frame != nil) {
		return nil, sqlerr.WindowSpecOfAggregate(name)
	}
	if spec.Frame != nil {
		if ownFrame[name] {
			if !isOwnFrame(name, spec.Frame) {
				return nil, sqlerr.FixedFrame(name)
			}
			return &w, nil
		}
		if w.Frame, err = b.windowFrame(spec, &w, es); err != nil {
			return nil, at(err, spec.Span())
		}
	}
	return &w, nil
}

// windowFunction resolves the function before OVER. An aggregate becomes a window function of the same meaning.
func (b *binder) windowFunction(e *ast.Call, name string, es *exprScope) (*expr.Window, error) {
	x, err := b.aggregateNode(e, name, es)
	if err != nil {
		return nil, at(err, e.Span())
	}
	if err := windowClauses(e, name, x); err != nil {
		return nil, at(err, e.Span())
	}
	switch n := x.(type) {
	case *expr.Window:
		w := *n
		w.IgnoreNulls = w.IgnoreNulls || e.IgnoreNulls
		return &w, nil
	case *expr.Aggregate:
		return &expr.Window{Fn: n.Fn, Args: n.Args, Distinct: n.Distinct, IgnoreNulls: e.IgnoreNulls, Filter: n.Filter, Within: n.OrderBy, T: n.T}, nil
	}
	return nil, sqlerr.NotAWindowFunction(b.text(e)).At(e.Span())
}

// windowClauses refuses the clauses that a function over a window does not have.
func windowClauses(e *ast.Call, name string, x expr.Expr) error {
	if _, only := x.(*expr.Window); only {
		switch {
		case e.Distinct:
			return sqlerr.FunctionSyntax(name, "DISTINCT")
		case e.Filter != nil:
			return sqlerr.FunctionSyntax(name, "FILTER CLAUSE")
		}
	}
	if e.IgnoreNulls && !skipsNulls[name] {
		return sqlerr.FunctionSyntax(name, "IGNORE NULLS")
	}
	return nil
}

// skipsNulls are the functions that take IGNORE NULLS.
var skipsNulls = map[string]bool{
	"first": true, "first_value": true, "last": true, "last_value": true, "any_value": true, "nth_value": true, "lag": true, "lead": true,
	"array_agg": true, "collect_list": true, "collect_set": true,
}

// needsOrder are the functions that need an ordered window, ownFrame those that have a frame of their own.
var (
	needsOrder = map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true, "ntile": true, "lag": true, "lead": true}
	ownFrame   = needsOrder
	// wholeWindow are the aggregates with an order of their own, whose windows have none.
	wholeWindow = map[string]bool{"median": true, "percentile_cont": true, "percentile_disc": true}
)

// isOwnFrame reports whether a frame is the one that the function has anyway: from the first row to this one, by rows, and by values
// for cume_dist. lag and lead take none.
func isOwnFrame(name string, f *ast.WindowFrame) bool {
	ends := f.Lower.Kind == ast.UnboundedPreceding && (f.Upper == nil || f.Upper.Kind == ast.CurrentRow)
	return ends && f.Rows == (name != "cume_dist") && name != "lag" && name != "lead"
}

// windowSpec follows names to the window's definition.
func (b *binder) windowSpec(s *ast.WindowSpec, es *exprScope) (*ast.WindowSpec, error) {
	first := s
	for hops := 0; s.Ref != nil; hops++ {
		next, ok := es.named[b.fold(s.Ref.Name)]
		if !ok || hops > len(es.named) {
			return nil, sqlerr.MissingWindow(s.Ref.Name).At(s.Ref.Span())
		}
		s = next
	}
	if s != first {
		b.specs[first] = s
	}
	return s, nil
}

// windowSet collects the window functions of a SELECT, each once.
type windowSet struct {
	b     *binder
	out   []plan.Column
	exprs []expr.Expr
	byKey map[string]plan.Column
}

// rewrite replaces the window functions in e by the columns that hold their values.
func (w *windowSet) rewrite(e expr.Expr) expr.Expr {
	return mapExpr(e, func(x expr.Expr) (expr.Expr, bool) {
		if !isWindow(x) {
			return nil, false
		}
		k := keyOf(x)
		c, ok := w.byKey[k]
		if !ok {
			if w.byKey == nil {
				w.byKey = map[string]plan.Column{}
			}
			c = w.b.newColumn("window"+itoa(len(w.out)+1), x.Type())
			w.byKey[k] = c
			w.out, w.exprs = append(w.out, c), append(w.exprs, x)
		}
		return columnRef(c), true
	}, nil)
}
