package duckdb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// longArgument is the length of an argument's text from which a template that repeats it gets it bound to a name
// instead: nested templates would grow exponentially.
const longArgument = 600

func (s *query) call(c *expr.Call) (string, error) {
	if isLogic(c) {
		return s.logic(c)
	}
	if c.Fn.HigherOrder != nil {
		return s.higherOrder(c)
	}
	if c.Fn.Duck == "" && c.Fn.DuckFunc == nil {
		return s.evaluated(c)
	}
	args, err := s.exprs(c.Args)
	if err != nil {
		return "", err
	}
	ts := typesOf(c.Args)
	build := func(a []string) string { return expr.CallSQL(c.Fn, a, ts, c.T) }
	if z, ok := s.elsewhere(c.Zone); ok {
		if _, ok := z.CallSQL(c.Fn, marks(len(args)), ts, c.T); !ok {
			return "", elsewhereUnsaid(c.Fn.Name)
		}
		build = func(a []string) string {
			text, _ := z.CallSQL(c.Fn, a, ts, c.T)
			return text
		}
	}
	text := s.bound(args, build)
	// In a lambda DuckDB knows no columns of an outer query beside its own, and no sub-queries.
	if (s.usesOuter(c) || holdsSubquery(c)) && hasLambda(build(marks(len(args)))) {
		text = s.byName(args, build)
	}
	if slices.ContainsFunc(c.Args, constantNull) {
		// DuckDB takes a function of a constant NULL for a NULL of no type.
		return castTo("("+text+")", c.T), nil
	}
	return shaped("("+text+")", c.T), nil
}

func constantNull(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.Value == nil
}

// evaluated emits a function that has no words in DuckDB: its value, where its arguments are constants.
func (s *query) evaluated(c *expr.Call) (string, error) {
	args := make([]types.Value, len(c.Args))
	null := false
	for i, a := range c.Args {
		l, ok := a.(*expr.Literal)
		if !ok {
			return "", sqlerr.Unsupported("FUNCTION", "the function "+c.Fn.Name+" over columns")
		}
		args[i] = l.Value
		null = null || l.Value == nil
	}
	if c.Fn.Eval == nil || c.Fn.Volatile {
		return "", sqlerr.Unsupported("FUNCTION", "the function "+c.Fn.Name)
	}
	if null && !c.Fn.NullAware {
		return literal(nil, c.T)
	}
	v, err := c.Fn.Eval(s.context().In(c.Zone), args, typesOf(c.Args), c.T)
	if err != nil {
		return "", err
	}
	return literal(v, c.T)
}

func typesOf(list []expr.Expr) []types.Type {
	out := make([]types.Type, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}

// bound fills a template. A long argument that the template repeats is bound to a name first, by a lambda over
// a list of one: then it is written, and evaluated, once.
func (s *query) bound(args []string, build func(args []string) string) string {
	long := false
	for _, a := range args {
		long = long || len(a) > longArgument || strings.Contains(a, "random()") || strings.Contains(a, "uuid()")
	}
	if !long {
		return build(args)
	}
	once := build(args)
	total := 0
	for _, a := range args {
		total += len(a)
	}
	if len(once) < total+longArgument {
		return once
	}
	return s.byName(args, build)
}

// hasLambda reports whether a text has a lambda, or a macro that may be made with one.
func hasLambda(text string) bool {
	return strings.Contains(text, "lambda ") || strings.Contains(text, "sp_")
}

// byName fills a template with the fields of a row that has the arguments.
func (s *query) byName(args []string, build func(args []string) string) string {
	s.lambdas++
	row := "r" + strconv.Itoa(s.lambdas)
	fields, inner := make([]string, len(args)), make([]string, len(args))
	for i, a := range args {
		name := "a" + strconv.Itoa(i+1)
		fields[i] = "'" + name + "':" + a
		inner[i] = "struct_extract(" + row + ",'" + name + "')"
	}
	return "list_transform([{" + strings.Join(fields, ",") + "}],lambda " + row + ":" + build(inner) + ")[1]"
}

// shaped casts the result of a template to the type that Spark gives it. DuckDB drops the cast when nothing is to do.
func shaped(text string, t types.Type) string {
	switch {
	case t.Kind == types.String && strings.Contains(text, "||"), t.Kind != types.Void && hasLambda(text):
		// DuckDB gives the concatenation with a NULL that it can fold no type, also when the NULL has one, and so it is with a
		// function over the elements of a NULL. A macro may hold either.
	case t.Kind == types.Boolean, t.Kind == types.String, t.Kind == types.Void:
		return text
	}
	return castTo(text, t)
}

// raises reports whether evaluating e may end in an error, so that it must not run where Spark would not run it.
func raises(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Literal, *expr.Column, *expr.Variable:
		return false
	case *expr.Lambda:
		return raises(e.Body)
	case *expr.Call:
		if e.Fn.HigherOrder != nil {
			return mayFail(e.Fn.Name) || anyRaises(e.Args)
		}
		return !harmless(e.Fn.Name) && templateRaises(e) || anyRaises(e.Args)
	case *expr.Cast:
		return e.Mode == expr.CastANSI && !widening(e.Arg.Type(), e.T) || raises(e.Arg)
	case *expr.Case:
		return anyRaises(e.Whens) || anyRaises(e.Thens) || e.Else != nil && raises(e.Else)
	case *expr.In:
		return raises(e.Arg) || anyRaises(e.List)
	case *expr.Tuple:
		return anyRaises(e.Elems)
	case *expr.GetField:
		return raises(e.Arg)
	}
	return true
}

// templateRaises reports whether a function itself may fail on some value. Integer and decimal arithmetic overflows
// without a word of it in the text; a Go function may raise anything.
func templateRaises(c *expr.Call) bool {
	floating := c.T.Kind == types.Float || c.T.Kind == types.Double
	if arithmetic(c.Fn.Name) && !floating {
		return true
	}
	text := expr.CallSQL(c.Fn, marks(len(c.Args)), typesOf(c.Args), c.T)
	for _, word := range []string{"error(", "tarn_", "sp_", "CAST("} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// marks are n texts that stand for arguments in a template that is only looked at.
func marks(n int) []string { return slices.Repeat([]string{"a"}, n) }

// mayFail names the higher-order functions that fail by themselves: on a key that is NULL or there already, on a
// comparator without an answer.
func mayFail(name string) bool { return name == "transform_keys" || name == "array_sort" }

func anyRaises(list []expr.Expr) bool {
	for _, e := range list {
		if raises(e) {
			return true
		}
	}
	return false
}

// harmless names operators that never fail on values of their types.
func harmless(name string) bool {
	switch name {
	case "and", "or", "not", "=", "==", "<=>", "<>", "!=", "<", "<=", ">", ">=", "isnull", "isnotnull", "coalesce", "between":
		return true
	}
	return false
}

func arithmetic(name string) bool {
	switch name {
	case "+", "-", "*", "/", "%", "div", "neg", "mod", "pmod", "abs":
		return true
	}
	return false
}

// widening reports casts that can't fail.
func widening(from, to types.Type) bool {
	if types.Equal(from, to) || from.Kind == types.Void {
		return true
	}
	if from.Kind.IsIntegral() {
		return to.Kind.IsIntegral() && to.Kind >= from.Kind || to.Kind == types.Float || to.Kind == types.Double ||
			to.Kind == types.String
	}
	return to.Kind == types.String && !from.Kind.IsNested() || from.Kind == types.Float && to.Kind == types.Double ||
		from.Kind.IsText() && to.Kind == types.String || from.Kind == types.Decimal && to.Kind == types.Double
}
