package bind

import (
	"context"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// Routines finds session variables and SQL functions.
type Routines interface {
	// Variable is the value of a session variable by its own name, or nil when there is none.
	Variable(name string) *expr.Literal
	// Function resolves the name of a SQL function of one to three parts as seen from namespace; temporary ones are looked
	// for only with temporary. It returns (nil, nil) when nothing has that name.
	Function(ctx context.Context, name ident.Name, namespace Namespace, temporary bool) (*Function, error)
}

// Function is a SQL function. Exactly one of Body and Query is set.
type Function struct {
	Name      ident.Name // full; of one part for a temporary function
	Key       string     // what tells functions apart, whatever name they are reached by
	Params    []Parameter
	Table     bool
	Returns   types.Type    // of a scalar function
	Columns   []types.Field // of a table function
	Body      ast.Expr
	Query     *ast.Query
	Namespace Namespace // under which the names of the body are resolved
	Temporary bool
	// ANSI is spark.sql.ansi.enabled under which the body is bound.
	ANSI bool
	// Under holds all settings under which the body is bound, as in View; nil for the session's besides ANSI.
	Under *Env
}

// Parameter is one parameter of a SQL function. Default is nil when a call must give a value.
type Parameter struct {
	Name    string
	Type    types.Type
	Default ast.Expr
}

// shown is the name as Spark shows it in messages and names of columns.
func (fn *Function) shown() string { return strings.Join(fn.Name, ".") }

// functionPath is the functions that are being expanded, innermost first.
type functionPath struct {
	fn   *Function
	next *functionPath
}

// variable is the session variable that a name means, with the fields behind it, or nil. The qualified forms
// session.v and system.session.v go before a variable called session with a field v.
func (b *binder) variable(ref *ast.ColumnRef, f *frame) (expr.Expr, error) {
	if b.env.Routines == nil || f == nil || f.permanent {
		return nil, nil
	}
	parts := partNames(ref.Parts)
	for _, k := range []int{variableAt(parts), 0} {
		v := b.env.Routines.Variable(parts[k])
		if v == nil {
			continue
		}
		b.texts[ref] = "variablereference(system.session." + ident.Fold(parts[k]) + "=" + b.valueText(v) + ")"
		var x expr.Expr = v
		shown := b.texts[ref]
		for _, name := range parts[k+1:] {
			var err error
			if x, err = b.field(x, name, shown); err != nil {
				return nil, err
			}
			shown += "." + name
		}
		b.texts[ref] = shown
		return x, nil
	}
	return nil, nil
}

// variableAt is the place of a variable's own name behind the qualifiers session and system.session.
func variableAt(parts []string) int {
	switch {
	case len(parts) > 2 && ident.Equal(parts[0], "system") && ident.Equal(parts[1], "session"):
		return 2
	case len(parts) > 1 && ident.Equal(parts[0], "session"):
		return 1
	}
	return 0
}

// valueText shows the value of a variable as Spark does.
func (b *binder) valueText(v *expr.Literal) string {
	if v.Value == nil && v.T.Kind != types.Void {
		return "CAST(NULL AS " + v.T.SQL() + ")"
	}
	return types.FormatLiteral(v.T, v.Value, b.env.Context.Zone)
}

// sqlFunction finds the SQL function that a call means, or gives nil.
func (b *binder) sqlFunction(name ident.Name, f *frame) (*Function, error) {
	if b.env.Routines == nil {
		return nil, nil
	}
	return b.env.Routines.Function(b.ctx, name, f.namespace, !f.permanent)
}

// arguments of a SQL function, in the order of its parameters and cast to their types.
func (b *binder) functionArgs(fn *Function, c *ast.Call, es *exprScope, inner *frame) ([]expr.Expr, error) {
	switch {
	case c.Over != nil:
		return nil, sqlerr.FunctionOverWindow(fn.Name.Quoted())
	case c.Distinct:
		return nil, sqlerr.FunctionSyntax(fn.shown(), "DISTINCT")
	case c.Filter != nil:
		return nil, sqlerr.FunctionSyntax(fn.shown(), "FILTER CLAUSE")
	case len(c.WithinGroup) > 0:
		return nil, sqlerr.FunctionSyntax(fn.shown(), "WITHIN GROUP (ORDER BY ...)")
	case c.IgnoreNulls || c.RespectNulls:
		return nil, sqlerr.FunctionSyntax(fn.shown(), "IGNORE NULLS")
	}
	given, err := placeArguments(fn, c)
	if err != nil {
		return nil, err
	}
	out := make([]expr.Expr, len(fn.Params))
	for i, p := range fn.Params {
		var x expr.Expr
		if given[i] != nil {
			x, err = b.expr(given[i], es)
		} else {
			x, err = b.foreign(p.Default, &exprScope{frame: inner, scope: &scope{}, clause: "DEFAULT"}, c.Span())
		}
		if err != nil {
			return nil, err
		}
		if out[i], err = b.castTo(x, p.Type); err != nil {
			return nil, at(err, c.Span())
		}
	}
	return out, nil
}

// castTo is an explicit cast under the session's rules.
func (b *binder) castTo(x expr.Expr, t types.Type) (expr.Expr, error) {
	if sameType(x.Type(), t) {
		return x, nil
	}
	mode := expr.CastANSI
	if !b.env.Context.ANSI {
		mode = expr.CastLegacy
	}
	return expr.NewCast(x, t, mode)
}

func sameType(a, b types.Type) bool { return a.String() == b.String() }

// placeArguments gives each parameter its argument, nil for its default.
func placeArguments(fn *Function, c *ast.Call) ([]ast.Expr, error) {
	n := len(fn.Params)
	wrong := func() error {
		return sqlerr.WrongNumArgs(fn.Name.Quoted(), itoa(n), len(c.Args))
	}
	if len(c.Args) > n {
		return nil, wrong()
	}
	out := make([]ast.Expr, n)
	named := false
	var names []string
	for _, p := range fn.Params {
		names = append(names, ident.Quote(p.Name))
	}
	for i, a := range c.Args {
		if a.Name == nil {
			if named {
				return nil, sqlerr.PositionalAfterNamed(fn.Name.Quoted(), ident.Quote(fn.Params[i].Name))
			}
			out[i] = a.Expr
			continue
		}
		named = true
		k := parameterAt(fn, a.Name.Name)
		switch {
		case k < 0:
			return nil, sqlerr.UnknownParameter(fn.Name.Quoted(), ident.Quote(a.Name.Name), names)
		case out[k] != nil && i > k && c.Args[k].Name == nil:
			return nil, sqlerr.ParameterAssignedTwice("BOTH_POSITIONAL_AND_NAMED", fn.Name.Quoted(), names[k])
		case out[k] != nil:
			return nil, sqlerr.ParameterAssignedTwice("DOUBLE_NAMED_ARGUMENT_REFERENCE", fn.Name.Quoted(), names[k])
		}
		out[k] = a.Expr
	}
	for i, p := range fn.Params {
		switch {
		case out[i] != nil || p.Default != nil:
		case named:
			return nil, sqlerr.RequiredParameter(fn.Name.Quoted(), names[i], itoa(i))
		default:
			return nil, wrong()
		}
	}
	return out, nil
}

func parameterAt(fn *Function, name string) int {
	for i, p := range fn.Params {
		if ident.Equal(p.Name, name) {
			return i
		}
	}
	return -1
}

// enterFunction is the frame of a function's body and the columns that its parameters are there.
func (b *binder) enterFunction(fn *Function, f *frame) (*frame, *scope, error) {
	for p := f.functions; p != nil; p = p.next {
		if p.fn.Key == fn.Key {
			var names []string
			for q := (&functionPath{fn: fn, next: f.functions}); q != nil; q = q.next {
				names = append([]string{q.fn.Name.Quoted()}, names...)
				if q == p {
					break
				}
			}
			return nil, nil, sqlerr.CyclicFunction(names)
		}
	}
	if err := b.expand(); err != nil {
		return nil, nil, err
	}
	inner := &frame{
		namespace: fn.Namespace, views: f.views, functions: &functionPath{fn: fn, next: f.functions},
		permanent: !fn.Temporary,
	}
	params := &scope{parameters: true}
	for _, p := range fn.Params {
		c := b.newColumn(p.Name, p.Type)
		params.add(column{Column: c, qualifier: ident.Name{fn.Name.Last()}, origin: c.ID})
	}
	return inner, params, nil
}

// foreign binds an expression whose text is not the statement's: what it says about places, and how its parts look, stays
// inside.
func (b *binder) foreign(e ast.Expr, es *exprScope, span sqlerr.Span) (expr.Expr, error) {
	done := b.otherText()
	x, err := b.expr(e, es)
	done()
	if err != nil {
		return nil, placeless(err, span)
	}
	return x, nil
}

// otherText sets aside what is known of the statement's own text, until the function that it returns is called.
func (b *binder) otherText() func() {
	texts, defaults := b.texts, b.defaults
	b.texts, b.defaults = map[ast.Expr]string{}, nil
	return func() { b.texts, b.defaults = texts, defaults }
}

// scalarFunction puts the body of a SQL function in the place of its call.
func (b *binder) scalarFunction(fn *Function, c *ast.Call, es *exprScope) (expr.Expr, error) {
	if fn.Table {
		return nil, sqlerr.NotAScalarFunction(fn.Name.Quoted())
	}
	inner, params, err := b.enterFunction(fn, es.frame)
	if err != nil {
		return nil, err
	}
	args, err := b.functionArgs(fn, c, es, inner)
	if err != nil {
		return nil, err
	}
	done := b.underFunction(fn)
	body, err := b.functionBody(fn, inner, params, c.Span())
	if err == nil {
		body, err = b.castTo(body, fn.Returns)
	}
	if err == nil {
		body, err = b.exprMadeIn(done(), body)
	} else {
		done()
	}
	if err != nil {
		return nil, at(err, c.Span())
	}
	if err := fitArguments(fn, params, args, body); err != nil {
		return nil, err
	}
	var shown []string
	for _, a := range c.Args {
		shown = append(shown, b.text(a.Expr))
	}
	b.texts[c] = fn.shown() + "(" + join(shown) + ")"
	return replaceColumns(body, bindings(params, args)), nil
}

func bindings(params *scope, args []expr.Expr) map[expr.ColumnID]expr.Expr {
	with := make(map[expr.ColumnID]expr.Expr, len(args))
	for i, c := range params.columns {
		with[c.ID] = args[i]
	}
	return with
}

// fitArguments refuses arguments that would not be the same value wherever the body uses them.
func fitArguments(fn *Function, params *scope, args []expr.Expr, body expr.Expr) error {
	uses, outside := map[expr.ColumnID]int{}, map[expr.ColumnID]int{}
	columnsOf(body, func(c *expr.Column) { uses[c.ID]++ })
	expr.Walk(body, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok {
			outside[c.ID]++
		}
		return true
	})
	for i, c := range params.columns {
		within := uses[c.ID] > outside[c.ID]
		switch {
		case volatile(args[i]) && (uses[c.ID] > 1 || within):
			return sqlerr.Unsupported("SQL_FUNCTION_ARGUMENT", "a random argument that the SQL function "+fn.shown()+" uses more than once")
		case within && (exists(args[i], isAggregate) || exists(args[i], isWindow)):
			return sqlerr.Unsupported("SQL_FUNCTION_ARGUMENT", "an aggregate or window function as the argument of the SQL function "+fn.shown()+", whose body is a query; compute it in a sub-query")
		}
	}
	return nil
}

// functionBody binds the body of a scalar function over its parameters.
func (b *binder) functionBody(fn *Function, f *frame, params *scope, span sqlerr.Span) (expr.Expr, error) {
	// A parameter is found like a column of a query around: functions without parentheses go before it.
	es := &exprScope{frame: f, scope: &scope{parent: params}, near: params.columns, clause: "the body of a function"}
	switch {
	case fn.Body != nil:
		if sub, ok := fn.Body.(*ast.Subquery); ok {
			if e := plainItem(sub.Query); e != nil {
				return b.foreign(e, es, span)
			}
		}
		return b.foreign(fn.Body, es, span)
	case plainItem(fn.Query) != nil:
		return b.foreign(plainItem(fn.Query), es, span)
	}
	return b.foreign(&ast.Subquery{At: fn.Query.At, Query: fn.Query}, es, span)
}

// plainItem is e of a query that is SELECT e and nothing else: it is e itself. Aggregates make a query of it.
func plainItem(q *ast.Query) ast.Expr {
	sel, ok := q.Body.(*ast.Select)
	if !ok || q.With != nil || q.Limit != nil || q.Offset != nil || len(q.OrderBy)+len(q.SortBy)+len(q.ClusterBy)+len(q.DistributeBy)+len(q.Windows) > 0 {
		return nil
	}
	if len(sel.From)+len(sel.LateralViews)+len(sel.Windows) > 0 || sel.Where != nil || sel.GroupBy != nil || sel.Having != nil || sel.Qualify != nil || sel.Distinct || len(sel.Items) != 1 || len(sel.Items[0].Aliases) > 1 {
		return nil
	}
	e := sel.Items[0].Expr
	plain := true
	_ = ast.Rewrite(&ast.Query{Body: &ast.Select{Items: []*ast.SelectItem{{Expr: e}}}}, nil, func(x ast.Expr) (ast.Expr, error) {
		switch x := x.(type) {
		case *ast.Star:
			plain = false
		case *ast.Call:
			kind, known := expr.Lookup(x.Name.Ident().String())
			plain = plain && x.Over == nil && (!known || kind == expr.Scalar) && !expr.IsGenerator(x.Name.Ident().String())
		}
		return x, nil
	})
	if !plain {
		return nil
	}
	return e
}
