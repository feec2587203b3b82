package bind

import (
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// call binds a function call: a scalar function, an aggregate, or a function over a window.
func (b *binder) call(e *ast.Call, es *exprScope) (expr.Expr, error) {
	name, builtin := functionName(e)
	if !builtin {
		return b.otherFunction(e, e.Name.Ident(), es)
	}
	switch name {
	case "grouping", "grouping_id":
		if es.grouping == nil {
			return nil, sqlerr.UnsupportedGrouping()
		}
		return es.grouping(e)
	}
	if expr.IsGenerator(name) {
		return nil, b.misplacedGenerator(e, es)
	}
	if name == rowNumber && (!es.windows || es.inAggregate || es.inWindow) {
		return nil, errRowNumber()
	}
	kind, known := expr.Lookup(name)
	if !known {
		if tableFunctions[name] {
			return nil, sqlerr.NotAScalarFunction(ident.Quote(name))
		}
		return b.otherFunction(e, ident.Name{name}, es)
	}
	if named, err := b.arranged(e, name); err != nil {
		return nil, err
	} else if named != e {
		x, err := b.call(named, es)
		if err == nil {
			b.texts[e] = b.text(named)
		}
		return x, err
	}
	if expr.IsHigherOrder(name) || hasLambda(e) {
		if x, err := b.higherOrder(e, name, es); x != nil || err != nil {
			return x, err
		}
	}
	if e.Over != nil {
		if kind == expr.Scalar {
			if len(e.WithinGroup) > 0 {
				return nil, sqlerr.FunctionSyntax(name, "WITHIN GROUP (ORDER BY ...)")
			}
			return nil, sqlerr.NotAWindowFunction(b.text(&ast.Call{Name: e.Name, Args: e.Args}))
		}
		return b.windowCall(e, name, es)
	}
	switch kind {
	case expr.WindowOnly:
		if err := expr.CheckCount(name, len(e.Args)); err != nil {
			return nil, err
		}
		return nil, sqlerr.WindowWithoutOver(b.text(e))
	case expr.Agg:
		return b.aggregateCall(e, name, es)
	}
	if err := modifierError(e, name); err != nil {
		return nil, err
	}
	args, err := b.arguments(e, name, es)
	if err != nil {
		return nil, err
	}
	b.noteOverload(e, name, args)
	if namesArguments(name) && len(args) > 0 {
		// arguments has put the names between
		name = map[string]string{"struct": "named_struct", "arrays_zip": "arrays_zip named"}[name]
	}
	return expr.Resolve(name, args, expr.ResolveOptions{Context: b.env.Context})
}

// modifierError refuses the clauses that belong to aggregate functions behind another one.
func modifierError(e *ast.Call, name string) error {
	switch {
	case e.Distinct:
		return sqlerr.FunctionSyntax(name, "DISTINCT").At(e.Span())
	case e.Filter != nil:
		return sqlerr.FunctionSyntax(name, "FILTER CLAUSE").At(e.Span())
	case len(e.WithinGroup) > 0:
		return sqlerr.FunctionSyntax(name, "WITHIN GROUP (ORDER BY ...)").At(e.Span())
	case e.IgnoreNulls:
		return sqlerr.FunctionSyntax(name, "IGNORE NULLS").At(e.Span())
	}
	return nil
}

// functionName is the name looked up among the built-in functions, which may be qualified with system.builtin. It reports
// false for a name in another schema.
func functionName(e *ast.Call) (string, bool) {
	parts := e.Name.Ident()
	if n := len(parts); n > 1 && n <= 3 && ident.Equal(parts[n-2], "builtin") && (n == 2 || ident.Equal(parts[0], "system")) {
		parts = parts[n-1:]
	}
	if len(parts) != 1 {
		return "", false
	}
	return strings.ToLower(parts[0]), true
}

// otherFunction is a call of what is no built-in function: a SQL function, or nothing.
func (b *binder) otherFunction(e *ast.Call, name ident.Name, es *exprScope) (expr.Expr, error) {
	fn, err := b.sqlFunction(e.Name.Ident(), es.frame)
	if err != nil {
		return nil, err
	}
	if fn != nil {
		return b.scalarFunction(fn, e, es)
	}
	if len(name) > 1 {
		return nil, sqlerr.UnresolvedRoutine(strings.Join(name, "."), nil)
	}
	if _, err = expr.Resolve(name[0], nil, expr.ResolveOptions{}); err == nil {
		err = sqlerr.UnresolvedRoutine(name[0], nil)
	}
	return nil, err
}

// namesArguments tells the functions whose result has fields that are called as the arguments are.
func namesArguments(name string) bool { return name == "struct" || name == "arrays_zip" }

// argumentName is the name of the field that argument i becomes.
func argumentName(function string, a ast.Arg, i int) string {
	name := fieldName(a, i)
	if function == "arrays_zip" && name == columnNumber(i+1) {
		return itoa(i)
	}
	return name
}

// arguments binds the arguments of a call. A * stands for all columns in sight.
func (b *binder) arguments(e *ast.Call, name string, es *exprScope) ([]expr.Expr, error) {
	var args []expr.Expr
	for _, a := range e.Args {
		if cols, ok, err := b.several(a.Expr, es); ok {
			if err != nil {
				return nil, err
			}
			var shown []string
			for _, c := range cols {
				shown = append(shown, c.name)
				if namesArguments(name) {
					args = append(args, text(c.name))
				}
				args = append(args, c.expr)
			}
			b.texts[a.Expr] = join(shown)
			continue
		}
		x, err := b.expr(a.Expr, es)
		if err != nil {
			return nil, err
		}
		if namesArguments(name) {
			args = append(args, text(argumentName(name, a, len(args)/2)))
		}
		args = append(args, x)
	}
	return args, nil
}

// aggregateCall binds an aggregate function over the rows of a group.
func (b *binder) aggregateCall(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	switch {
	case es.inAggregate:
		return nil, sqlerr.NestedAggregate()
	case !es.aggregates:
		args, err := b.arguments(e, name, &exprScope{frame: es.frame, scope: es.scope, clause: es.clause})
		outer, inner := outerAndInner(args)
		switch {
		case err != nil || !outer:
		case inner:
			return nil, sqlerr.MixedAggregate(b.text(e))
		case es.frame.around != nil && es.frame.around.outerAggregate != nil:
			return b.outerAggregate(e, name, es.frame.around)
		}
		return nil, b.aggregateNotAllowed(e, es)
	}
	return b.aggregateNode(e, name, es)
}

// aggregateNotAllowed says that a clause cannot hold an aggregate.
func (b *binder) aggregateNotAllowed(e *ast.Call, es *exprScope) error {
	shown := b.text(e)
	switch es.clause {
	case "VALUES":
		return sqlerr.InlineTableExpression(shown)
	case "GROUP BY":
		return sqlerr.GroupByAggregate(shown)
	case "WHERE":
		return sqlerr.InvalidWhere(shown, []string{shown})
	case "FILTER":
		return sqlerr.AggregateFilter("CONTAINS_AGGREGATE", shown)
	}
	return sqlerr.ExprNotAllowed(es.clause, shown)
}

// aggregateNode resolves an aggregate whatever stands around it.
func (b *binder) aggregateNode(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	inner := *es
	// The argument of an aggregate over a window may be an aggregate itself, over the rows of the group.
	inner.inAggregate = e.Over == nil
	opts := expr.ResolveOptions{Distinct: e.Distinct, IgnoreNulls: e.IgnoreNulls, Context: b.env.Context}
	if star, ok := soleStar(e); ok && name == "count" && !e.Distinct {
		if len(star.Qualifier) > 0 && !b.env.CountTableStar {
			return nil, sqlerr.StarWithTableInCount(ident.Name(partNames(star.Qualifier)).Quoted())
		}
		opts.Star = len(star.Qualifier) == 0
	}
	var args []expr.Expr
	var err error
	if !opts.Star {
		if args, err = b.arguments(e, name, &inner); err != nil {
			return nil, err
		}
		if name == "count" && len(args) == 0 {
			if !b.env.CountWithoutArgs {
				return nil, sqlerr.CountWithoutArgs()
			}
			// It counts the rows in which none of its no arguments is NULL, of which Spark finds none.
			args = []expr.Expr{&expr.Literal{T: types.Of(types.Int)}}
		}
	}
	switch outer, inner := outerAndInner(args); {
	case outer && inner && e.Over == nil:
		return nil, sqlerr.MixedAggregate(b.text(e))
	case outer && !inner:
		return nil, sqlerr.OuterAggregate(b.text(e))
	}
	if e.Over == nil && slices.ContainsFunc(args, random) {
		return nil, sqlerr.RandomAggregate(b.text(e))
	}
	if e.Filter != nil {
		filterScope := *es
		filterScope.aggregates, filterScope.windows, filterScope.clause = false, false, "FILTER"
		if opts.Filter, err = b.condition(e.Filter, &filterScope, func(shown, _ string) *sqlerr.Error {
			return sqlerr.AggregateFilter("NOT_BOOLEAN", shown)
		}); err != nil {
			var known *sqlerr.Error
			if errors.As(err, &known) && known.Condition == "SEED_EXPRESSION_IS_UNFOLDABLE" {
				// What a filter may hold is looked at before what its functions take.
				err = sqlerr.AggregateFilter("NON_DETERMINISTIC", b.text(e.Filter))
			}
			return nil, err
		}
		if volatile(opts.Filter) {
			return nil, sqlerr.AggregateFilter("NON_DETERMINISTIC", b.text(e.Filter))
		}
	}
	name, args, err = b.within(e, name, args, &inner, &opts)
	if err != nil {
		return nil, err
	}
	return expr.Resolve(name, args, opts)
}

// outerAggregate is an aggregate over columns of the enclosing query alone, in a sub-query of its HAVING: it belongs to that
// query.
func (b *binder) outerAggregate(e *ast.Call, name string, around *exprScope) (expr.Expr, error) {
	x, err := b.aggregateNode(e, name, around)
	if err != nil {
		return nil, err
	}
	a, ok := x.(*expr.Aggregate)
	if !ok {
		return nil, b.aggregateNotAllowed(e, around)
	}
	return around.outerAggregate(a), nil
}

// outerAndInner tells whether arguments use columns of an enclosing query, and of this one.
func outerAndInner(args []expr.Expr) (outer, inner bool) {
	for _, a := range args {
		expr.Walk(a, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Column); ok {
				outer = outer || c.Outer
				inner = inner || !c.Outer
			}
			return true
		})
	}
	return outer, inner
}

func soleStar(e *ast.Call) (*ast.Star, bool) {
	if len(e.Args) != 1 {
		return nil, false
	}
	s, ok := e.Args[0].Expr.(*ast.Star)
	return s, ok
}

const rowNumber = "monotonically_increasing_id"

// errRowNumber refuses a number of the row where the rows have none yet.
func errRowNumber() *sqlerr.Error {
	return sqlerr.Unsupported("ROW_NUMBERS", rowNumber+" outside a SELECT list. Number the rows in a sub-query")
}

// isRowNumber reports a call of monotonically_increasing_id.
func isRowNumber(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && c.Fn.Name == rowNumber
}
