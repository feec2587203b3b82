package expr

import (
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Lambda is an argument of a higher-order function: Body computed from values of Params. Its type is that of the body.
type Lambda struct {
	Params []*Variable
	Body   Expr
}

// Variable is a parameter of a lambda, used in its body. IDs are drawn from those of columns.
type Variable struct {
	ID   ColumnID
	Name string // as declared; it names the field when the variable is made part of a STRUCT
	T    types.Type
}

// Type implements Expr.
func (e *Lambda) Type() types.Type { return e.Body.Type() }

// Type implements Expr.
func (e *Variable) Type() types.Type { return e.T }

func (*Lambda) isExpr()   {}
func (*Variable) isExpr() {}

// HigherOrder is what the row of a function that takes lambdas holds besides the rest. The row's Prepare and Result are
// made from it.
type HigherOrder struct {
	// Functions are the places of the lambdas among the arguments.
	Functions []int
	// Prepare casts the ordinary arguments of a call, where the places of functions are nil, and gives the types of each
	// function's parameters. Least is how many of these a lambda must name; 0 stands for all.
	Prepare func(call *callSite) (args []Expr, params [][]types.Type, err error)
	Least   int
	// Check looks at what the bodies yield, and casts them. It may be nil.
	Check func(call *callSite, args []Expr, bodies []Expr) error
	// Duck is how DuckDB says it.
	Duck func(c *HigherOrderText) string
}

// HigherOrderText is what the text of a higher-order function is made of.
type HigherOrderText struct {
	// Args are the texts of the ordinary arguments, Types the types of all arguments, Result that of the call. The
	// texts are names or the like: they may be used any number of times.
	Args   []string
	Types  []types.Type
	Result types.Type
	// Params is how many parameters each lambda names.
	Params []int
	// Apply is the body of a lambda, counted from 0, with texts in place of its parameters.
	Apply func(lambda int, values ...string) string
	// Raises reports whether the body of a lambda may end in an error, so that it must not run where Spark would not
	// run it.
	Raises func(lambda int) bool
	// Carry makes the body of a lambda read what it uses from outside, columns and variables, from fields of the struct
	// that row names. values are these fields as ", 'name': value …", for where such structs are made; nulls the same with
	// NULL in each.
	Carry func(lambda int, row string) (values, nulls string)
	// Fresh makes a name that nothing else has.
	Fresh func() string
}

// LambdaShape is what a lambda at one place of a call may be.
type LambdaShape struct {
	Place int
	// Params are the types of the parameters that the function hands over; a lambda names them all, or at least Least.
	Params []types.Type
	Least  int
}

// IsHigherOrder reports whether some form of a function takes lambdas.
func IsHigherOrder(name string) bool {
	for _, o := range registry[name] {
		if o.HigherOrder != nil {
			return true
		}
	}
	return false
}

// LambdaPlaces are the places of the lambdas in a call with n arguments; none when no form of the function takes lambdas
// there.
func LambdaPlaces(name string, n int) []int {
	if o := higherOrder(name, n); o != nil {
		return o.HigherOrder.Functions
	}
	return nil
}

// LambdaShapes tells what the lambdas of a call get, after its ordinary arguments; args holds these, and nil at the
// places of the lambdas. The errors are those of arguments that do not fit.
func LambdaShapes(name string, args []Expr, ctx *Context) ([]LambdaShape, error) {
	o := higherOrder(name, len(args))
	call := &callSite{name: name, args: args, opts: ResolveOptions{Context: ctx}}
	_, params, err := o.HigherOrder.Prepare(call)
	if err != nil {
		return nil, err
	}
	out := make([]LambdaShape, len(params))
	for i, p := range params {
		least := o.HigherOrder.Least
		if least == 0 {
			least = len(p)
		}
		out[i] = LambdaShape{Place: o.HigherOrder.Functions[i], Params: p, Least: least}
	}
	return out, nil
}

// Takes reports whether some form of a function has n arguments.
func Takes(name string, n int) bool {
	for _, o := range registry[name] {
		if o.takes(n) {
			return true
		}
	}
	return false
}

// WrongCount is the error of a call with a number of arguments that no form of a function has.
func WrongCount(name string, n int) error {
	return sqlerr.WrongNumArgs(name, expectedCount(registry[name]), n)
}

func higherOrder(name string, n int) *Overload {
	for _, o := range registry[name] {
		if o.HigherOrder != nil && len(o.Params) == n {
			return o
		}
	}
	return nil
}

// prepareLambdas is the Prepare of every higher-order row.
func prepareLambdas(h *HigherOrder) func(call *callSite) ([]Expr, error) {
	return func(call *callSite) ([]Expr, error) {
		lambdas := make([]*Lambda, len(h.Functions))
		plain := append([]Expr{}, call.args...)
		for i, place := range h.Functions {
			l, ok := call.args[place].(*Lambda)
			if !ok {
				return nil, sqlerr.Internal(errNoLambda)
			}
			lambdas[i], plain[place] = l, nil
		}
		args, params, err := h.Prepare(&callSite{name: call.name, args: plain, opts: call.opts})
		if err != nil {
			return nil, err
		}
		bodies := make([]Expr, len(lambdas))
		for i, l := range lambdas {
			if len(l.Params) > len(params[i]) {
				return nil, sqlerr.LambdaArgsMismatch(len(l.Params), len(params[i]))
			}
			bodies[i] = l.Body
		}
		if h.Check != nil {
			if err := h.Check(call, args, bodies); err != nil {
				return nil, err
			}
		}
		out := append([]Expr{}, args...)
		for i, place := range h.Functions {
			if out[place] = lambdas[i]; bodies[i] != lambdas[i].Body {
				out[place] = &Lambda{Params: lambdas[i].Params, Body: bodies[i]}
			}
		}
		return out, nil
	}
}

const errNoLambda = evalError("an ordinary argument stands where a higher-order function takes a lambda")

// FreeVariables reports whether e uses a variable of a lambda around it.
func FreeVariables(e Expr) bool {
	bound, free := map[ColumnID]bool{}, false
	Walk(e, func(x Expr) bool {
		switch n := x.(type) {
		case *Lambda:
			for _, p := range n.Params {
				bound[p.ID] = true
			}
		case *Variable:
			free = free || !bound[n.ID]
		}
		return !free
	})
	return free
}

// EachField is a field of every STRUCT of an array, as array.field: a lambda of its own. id must be new.
func EachField(array Expr, ordinal int, name string, id ColumnID) Expr {
	elem := *array.Type().Elem
	v := &Variable{ID: id, Name: "x", T: elem}
	t := elem.Fields[ordinal].Type
	body := &GetField{Arg: v, Ordinal: ordinal, Name: name, T: t}
	return &Call{Fn: registry["transform"][0], Args: []Expr{array, &Lambda{Params: []*Variable{v}, Body: body}}, T: types.ArrayOf(t)}
}
