package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
)

// arranged is a call with its arguments in the order of the function's parameters and without their names. A call that
// needs no change is given back as it is.
func (b *binder) arranged(e *ast.Call, function string) (*ast.Call, error) {
	names := make([]string, len(e.Args))
	given := false
	for i, a := range e.Args {
		if a.Name != nil {
			names[i], given = a.Name.Name, true
		}
	}
	params := expr.Parameters(function)
	if !given && params == nil {
		return e, nil
	}
	order, err := expr.Arrange(function, names)
	if err != nil {
		return nil, err
	}
	if !given {
		return e, nil
	}
	out := *e
	out.Args = make([]ast.Arg, len(order))
	for i, from := range order {
		if from >= 0 {
			out.Args[i] = ast.Arg{Expr: e.Args[from].Expr}
			continue
		}
		out.Args[i] = ast.Arg{Expr: defaultArgument(e.At, params[i].Default)}
	}
	return &out, nil
}

// defaultArgument writes the default of a parameter as the argument that would have said it.
func defaultArgument(place ast.At, e expr.Expr) ast.Expr {
	if l, ok := e.(*expr.Literal); ok {
		if s, ok := l.Value.(string); ok {
			return &ast.StringLit{At: place, Value: s}
		}
	}
	return &ast.NullLit{At: place}
}
