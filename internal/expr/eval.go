package expr

import (
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// CanEval reports whether Eval can compute e: no sub-query, aggregate, window, column of an enclosing query, volatile
// function or function that only the engine knows.
func CanEval(e Expr) bool {
	can := true
	Walk(e, func(x Expr) bool {
		switch n := x.(type) {
		case *Subquery, *Aggregate, *Window, *Lambda, *Variable:
			can = false
		case *Column:
			can = can && !n.Outer
		case *Call:
			can = can && n.Fn.Eval != nil && !n.Fn.Volatile
		}
		return can
	})
	return can
}

// Eval computes e in Go with Spark's meaning. row gives the value of a column. The caller made sure of CanEval; an
// expression that cannot be evaluated is an INTERNAL_ERROR.
func Eval(e Expr, ctx *Context, row func(ColumnID) types.Value) (types.Value, error) {
	switch n := e.(type) {
	case *Literal:
		return n.Value, nil
	case *Column:
		if row == nil {
			return nil, sqlerr.Internal(errNoRow)
		}
		return row(n.ID), nil
	case *Cast:
		v, err := Eval(n.Arg, ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		return types.Cast(v, n.Arg.Type(), n.T, castOptions(n, ctx.In(n.Zone)))
	case *Case:
		for i, w := range n.Whens {
			c, err := Eval(w, ctx, row)
			if err != nil {
				return nil, err
			}
			if c == true {
				return Eval(n.Thens[i], ctx, row)
			}
		}
		if n.Else == nil {
			return nil, nil
		}
		return Eval(n.Else, ctx, row)
	case *In:
		return evalIn(n, ctx, row)
	case *Tuple:
		return evalAll(n.Elems, ctx, row)
	case *GetField:
		v, err := Eval(n.Arg, ctx, row)
		if err != nil {
			return nil, err
		}
		if fields, ok := v.([]types.Value); ok && n.Ordinal < len(fields) {
			return fields[n.Ordinal], nil
		}
		return nil, nil
	case *Call:
		return evalCall(n, ctx, row)
	}
	return nil, sqlerr.Internal(errNotEvaluable)
}

// castOptions are what a cast depends on; only text that becomes a timestamp needs the current date.
func castOptions(n *Cast, ctx *Context) types.CastOptions {
	opt := types.CastOptions{Zone: ctx.Zone, Mode: n.Mode}
	if n.T.Kind == types.Timestamp && n.Arg.Type().Kind.IsText() {
		today := dayOf(types.ToLocal(ctx.Now.UnixMicro(), ctx.Zone))
		opt.Today = &today
	}
	return opt
}

type evalError string

func (e evalError) Error() string { return string(e) }

const (
	errNoRow        = evalError("a column was evaluated without a row")
	errNotEvaluable = evalError("an expression that only the engine can compute was evaluated")
)

func evalAll(es []Expr, ctx *Context, row func(ColumnID) types.Value) ([]types.Value, error) {
	out := make([]types.Value, len(es))
	for i, x := range es {
		v, err := Eval(x, ctx, row)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// evalIn is three-valued: no match but a NULL somewhere is NULL. Evaluation stops at the first match.
func evalIn(n *In, ctx *Context, row func(ColumnID) types.Value) (types.Value, error) {
	arg, err := Eval(n.Arg, ctx, row)
	if err != nil || arg == nil {
		return nil, err
	}
	t := n.Arg.Type()
	unknown := false
	for _, x := range n.List {
		v, err := Eval(x, ctx, row)
		if err != nil {
			return nil, err
		}
		switch {
		case v == nil:
			unknown = true
		case types.Compare(t, arg, v) == 0:
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

func evalCall(n *Call, ctx *Context, row func(ColumnID) types.Value) (types.Value, error) {
	switch n.Fn.Name {
	case "and", "or":
		return evalLogic(n, ctx, row)
	case "coalesce", "nvl", "ifnull":
		for _, a := range n.Args {
			v, err := Eval(a, ctx, row)
			if err != nil || v != nil {
				return v, err
			}
		}
		return nil, nil
	}
	if n.Fn.Eval == nil {
		// A constant to Spark, and to the engine; but what asks here needs its value before the query runs.
		return nil, sqlerr.Unsupported("CONSTANT", n.Fn.Name+" in a constant that must be known before the query runs. Write its value")
	}
	args := make([]types.Value, len(n.Args))
	argTypes := make([]types.Type, len(n.Args))
	for i, a := range n.Args {
		v, err := Eval(a, ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil && !n.Fn.NullAware {
			return nil, nil
		}
		args[i], argTypes[i] = v, a.Type()
	}
	return n.Fn.Eval(ctx.In(n.Zone), args, argTypes, n.T)
}

// evalLogic is AND and OR: the right side is only looked at when the left does not decide.
func evalLogic(n *Call, ctx *Context, row func(ColumnID) types.Value) (types.Value, error) {
	decides := n.Fn.Name == "or"
	unknown := false
	for _, a := range n.Args {
		v, err := Eval(a, ctx, row)
		if err != nil {
			return nil, err
		}
		switch {
		case v == nil:
			unknown = true
		case v == decides:
			return decides, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return !decides, nil
}

// Fold replaces the constant parts of e by literals, so that current_date and the like become what they are for this
// statement. What fails stays as it is: whether it is ever evaluated is for the row to decide. AND, OR and CASE with a
// constant that decides are cut short.
func Fold(e Expr, ctx *Context) Expr {
	return Transform(e, func(x Expr) Expr { return foldNode(x, ctx) })
}

func foldNode(x Expr, ctx *Context) Expr {
	switch n := x.(type) {
	case nil, *Literal, *Column, *Subquery, *Aggregate, *Window, *Lambda, *Variable:
		return x
	case *Cast:
		if l, ok := n.Arg.(*Literal); ok {
			if s, isText := l.Value.(string); isText && ctx != nil {
				if v, special := specialDate(s, n.T.Kind, ctx.In(n.Zone)); special {
					return &Literal{Value: v, T: n.T}
				}
			}
		}
	case *Case:
		if folded := foldCase(n); folded != x {
			return folded
		}
	case *GetField:
		if taken := foldExtract(x); taken != x {
			return taken
		}
	case *Call:
		if taken := foldExtract(x); taken != x {
			return taken
		}
		if n.Fn.Name == "and" || n.Fn.Name == "or" {
			if folded := foldLogic(n); folded != x {
				return folded
			}
		}
	}
	for _, c := range children(x) {
		if _, ok := c.(*Literal); !ok {
			return x
		}
	}
	if ctx == nil || !CanEval(x) {
		return x
	}
	if n, ok := x.(*Call); ok && n.Fn.NullFolds && slices.ContainsFunc(n.Args, func(a Expr) bool { return a.(*Literal).Value == nil }) {
		return &Literal{T: x.Type()}
	}
	v, err := Eval(x, ctx, nil)
	if err != nil {
		return x
	}
	return &Literal{Value: v, T: x.Type()}
}

// foldLogic drops constants that do not decide and stops at one that does. Only what stands after a deciding constant
// is dropped: what stands before it would have been evaluated and might fail.
func foldLogic(n *Call) Expr {
	decides := n.Fn.Name == "or"
	if l, ok := n.Args[0].(*Literal); ok {
		if l.Value == decides {
			return l
		}
		if l.Value == !decides {
			return n.Args[1]
		}
	}
	if l, ok := n.Args[1].(*Literal); ok && l.Value == !decides {
		return n.Args[0]
	}
	return n
}

// foldCase drops branches that are never taken and everything after one that always is.
func foldCase(n *Case) Expr {
	c := Case{T: n.T, Else: n.Else}
	for i, w := range n.Whens {
		l, ok := w.(*Literal)
		if !ok {
			c.Whens, c.Thens = append(c.Whens, w), append(c.Thens, n.Thens[i])
			continue
		}
		if l.Value == true {
			c.Else = n.Thens[i]
			break
		}
	}
	switch {
	case len(c.Whens) == len(n.Whens):
		return n
	case len(c.Whens) > 0:
		return &c
	case c.Else == nil:
		return &Literal{T: n.T}
	}
	return c.Else
}
