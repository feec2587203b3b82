package bind

import (
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Spark sorts and filters above the node that computes a select list, and reaches below it only in some ways. What it
// refuses is refused here too, since a query that runs on one engine alone is no favour.

// opaque is a scope of the SELECT in which a name of the select list stands for itself: what is bound in it shows what a
// clause says beyond such names.
func (sl *selection) opaque(clause string) *exprScope {
	es := sl.scopeFor(clause)
	hide := func(x expr.Expr, err error) (expr.Expr, error) {
		if x == nil || err != nil {
			return x, err
		}
		return &expr.Column{ID: sl.b.newID(), Name: "item", T: x.Type(), Outer: true}, nil
	}
	es.names = func(ref *ast.ColumnRef, found []column, in bool) (expr.Expr, error) {
		if clause == "QUALIFY" {
			return nil, nil
		}
		return hide(sl.orderName(ref, found, in))
	}
	es.lateral = func(ref *ast.ColumnRef, in bool) (expr.Expr, error) { return hide(sl.groupAlias(ref, in)) }
	return es
}

// checkOrderAbove refuses ordering keys that ask for aggregates, windows or columns which are gone above the windows of a
// select list.
func (sl *selection) checkOrderAbove(order []*ast.SortItem, grouped bool) error {
	if !slices.ContainsFunc(sl.items, func(it item) bool { return exists(it.expr, isWindow) }) || sl.orderAllOf(order) {
		return nil
	}
	for _, o := range order {
		if _, position := ordinal(o.Expr); position {
			continue
		}
		x, err := sl.b.expr(o.Expr, sl.opaque("Sort"))
		if err != nil {
			return err
		}
		var above []string
		var gone *expr.Column
		expr.Walk(x, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Aggregate:
				above = append(above, expr.Print(x))
			case *expr.Window:
				above = append(above, expr.Print(x))
			case *expr.Column:
				if grouped && gone == nil && !x.Outer && !sl.group.isKey(x.ID) {
					gone = x
				}
			}
			return true
		})
		switch {
		case gone != nil:
			return sl.notInOutput(gone, o.Expr)
		case len(above) > 0:
			return sqlerr.AggregateBesideWindow(above).At(o.Expr.Span())
		}
	}
	return nil
}

// orderAllOf reports ORDER BY ALL.
func (sl *selection) orderAllOf(order []*ast.SortItem) bool {
	return len(order) == 1 && sl.orderAll(order[0])
}

// checkQualify refuses an aggregate that QUALIFY itself computes outside of a window.
func (sl *selection) checkQualify() error {
	x, err := sl.b.expr(sl.sel.Qualify, sl.opaque("QUALIFY"))
	if err != nil {
		return err
	}
	var found expr.Expr
	expr.Walk(x, func(x expr.Expr) bool {
		if isAggregate(x) && found == nil {
			found = x
		}
		return found == nil && !isWindow(x)
	})
	if found != nil {
		return sqlerr.QualifyAggregate(expr.Print(found)).At(sl.sel.Qualify.Span())
	}
	return nil
}

// checkSortQueries refuses sub-queries in an ordering key that Spark computes in a select list or a filter alone.
func checkSortQueries(x expr.Expr, o *ast.SortItem) error {
	var bad error
	expr.Walk(x, func(x expr.Expr) bool {
		q, ok := x.(*expr.Subquery)
		if !ok || bad != nil {
			return bad == nil
		}
		switch {
		case q.Kind != expr.ScalarSubquery:
			bad = sqlerr.SubqueryPlace("UNSUPPORTED_IN_EXISTS_SUBQUERY", "IN or EXISTS with a sub-query cannot be an ordering key")
		case len(freeOf(q)) > 0:
			bad = sqlerr.SubqueryPlace("UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY", "a sub-query that uses columns of the query around it cannot be an ordering key")
		}
		return bad == nil
	})
	return at(bad, o.Expr.Span())
}
