package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// lambdaScope holds the parameters of a lambda; outer are those of the lambda around it.
type lambdaScope struct {
	params []*expr.Variable
	outer  *lambdaScope
}

// lambdaVariable is the parameter that a name means: that of the innermost lambda. A name means a parameter before it means
// anything else, whatever follows after a dot.
func (b *binder) lambdaVariable(s *lambdaScope, name string) *expr.Variable {
	for ; s != nil; s = s.outer {
		for _, p := range s.params {
			if b.same(p.Name, name) {
				return p
			}
		}
	}
	return nil
}

// variableRef is a use of a parameter, or of a field inside it.
func (b *binder) variableRef(ref *ast.ColumnRef, v *expr.Variable, fields []string) (expr.Expr, error) {
	shown := "namedlambdavariable()"
	var x expr.Expr = v
	for _, name := range fields {
		var err error
		if x, err = b.field(x, name, shown); err != nil {
			return nil, err
		}
		shown = fieldText(shown, name, x)
	}
	b.texts[ref] = shown
	return x, nil
}

func hasLambda(e *ast.Call) bool {
	for _, a := range e.Args {
		if _, ok := a.Expr.(*ast.Lambda); ok {
			return true
		}
	}
	return false
}

// higherOrder binds a call that takes lambdas. It returns nothing for what other code is to bind or refuse: a form of the
// function without lambdas, as array_sort has one.
func (b *binder) higherOrder(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	places := expr.LambdaPlaces(name, len(e.Args))
	if len(places) == 0 {
		switch {
		case !hasLambda(e):
			return nil, nil
		case expr.IsHigherOrder(name):
			for i, a := range e.Args {
				if _, ok := a.Expr.(*ast.Lambda); ok && expr.Takes(name, len(e.Args)) {
					return nil, sqlerr.MisplacedLambda(name, i+1).At(a.Expr.Span())
				}
			}
			return nil, expr.WrongCount(name, len(e.Args))
		}
		return nil, sqlerr.NotHigherOrder(name)
	}
	if e.Distinct || e.Filter != nil || e.IgnoreNulls || len(e.WithinGroup) > 0 || e.Over != nil {
		return nil, nil // which is refused as for any other function
	}
	takesLambda := map[int]bool{}
	for _, i := range places {
		takesLambda[i] = true
	}
	args := make([]expr.Expr, len(e.Args))
	for i, a := range e.Args {
		_, isLambda := a.Expr.(*ast.Lambda)
		switch {
		case takesLambda[i]:
			continue
		case isLambda:
			return nil, sqlerr.MisplacedLambda(name, i+1).At(a.Expr.Span())
		}
		x, err := b.expr(a.Expr, es)
		if err != nil {
			return nil, err
		}
		args[i] = x
	}
	shapes, err := expr.LambdaShapes(name, args, b.env.Context)
	if err != nil {
		return nil, err
	}
	for _, s := range shapes {
		if args[s.Place], err = b.lambda(e.Args[s.Place].Expr, s, es); err != nil {
			return nil, err
		}
	}
	x, err := b.resolve(name, args)
	if err == nil && exists(x, isSubquery) {
		err = sqlerr.LambdaSubquery()
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// lambda binds the function argument of a higher-order function. Any other expression in its place is a function that
// looks at none of its parameters.
func (b *binder) lambda(e ast.Expr, shape expr.LambdaShape, es *exprScope) (expr.Expr, error) {
	l, ok := e.(*ast.Lambda)
	if !ok {
		body, err := b.expr(e, es)
		if err != nil {
			return nil, err
		}
		out := &expr.Lambda{Body: body}
		shown := "lambdafunction(" + b.text(e)
		for _, t := range shape.Params[:shape.Least] {
			out.Params = append(out.Params, &expr.Variable{ID: b.newID(), Name: "x", T: t})
			shown += ", namedlambdavariable()"
		}
		b.texts[e] = shown + ")"
		return out, nil
	}
	if n := len(l.Params); n > len(shape.Params) || n < shape.Least {
		want := len(shape.Params)
		if n > want {
			want = shape.Least
		}
		return nil, sqlerr.LambdaArgsMismatch(n, want).At(l.Span())
	}
	inner := *es
	inner.lambda = &lambdaScope{outer: es.lambda}
	out := &expr.Lambda{}
	for i, p := range l.Params {
		for _, other := range l.Params[:i] {
			if b.same(other.Name, p.Name) {
				return nil, sqlerr.LambdaDuplicateNames(quotedParams(l.Params)).At(l.Span())
			}
		}
		out.Params = append(out.Params, &expr.Variable{ID: b.newID(), Name: p.Name, T: shape.Params[i]})
	}
	inner.lambda.params = out.Params
	var err error
	if out.Body, err = b.expr(l.Body, &inner); err != nil {
		return nil, err
	}
	if exists(out.Body, func(x expr.Expr) bool { return (isAggregate(x) || isWindow(x)) && expr.FreeVariables(x) }) {
		return nil, sqlerr.Unsupported("AGGREGATE_OF_LAMBDA_VARIABLE", "an aggregate or window function over a parameter of a lambda").At(l.Span())
	}
	return out, nil
}

func quotedParams(params []ast.Ident) string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = ident.Quote(strings.ToLower(p.Name))
	}
	return join(out)
}
