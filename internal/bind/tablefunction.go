package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// tableRoutine binds a call of a SQL function in FROM. left is what stands to its left, for LATERAL.
func (b *binder) tableRoutine(fn *Function, r *ast.FunctionRef, f *frame, left *scope) (plan.Node, *scope, error) {
	if !fn.Table {
		return nil, nil, sqlerr.NotATableFunction(fn.Name.Quoted()).At(r.Call.Span())
	}
	inner, params, err := b.enterFunction(fn, f)
	if err != nil {
		return nil, nil, at(err, r.Call.Span())
	}
	// What the arguments refer to lies outside of the function's own query.
	around := &scope{parent: f.outer}
	if r.Lateral && left != nil {
		around = &scope{parent: &scope{parent: f.outer, columns: left.columns}}
	}
	args, err := b.functionArgs(fn, r.Call, &exprScope{frame: f, scope: around, clause: "a table function"}, inner)
	if err != nil {
		return nil, nil, at(err, r.Call.Span())
	}
	for _, a := range args {
		if volatile(a) {
			return nil, nil, sqlerr.Unsupported("SQL_FUNCTION_ARGUMENT", "a random argument of the SQL function "+fn.shown()).At(r.Call.Span())
		}
	}
	node, err := b.tableBody(fn, inner, params, r.Call.Span())
	if err != nil {
		return nil, nil, err
	}
	node = replaceOuter(node, bindings(params, args))
	return b.alias(node, b.outputScope(node, ident.Name{fn.Name.Last()}, f), r.Alias, r.Span())
}

// tableBody binds the query of a table function over its parameters, with the columns that it declares.
func (b *binder) tableBody(fn *Function, f *frame, params *scope, span sqlerr.Span) (plan.Node, error) {
	inner := *f
	inner.outer = params
	under := b.underFunction(fn)
	node, err := b.tableQuery(fn, &inner, span)
	if m := under(); err == nil {
		node, err = b.madeIn(m, node)
	}
	return node, at(err, span)
}

// tableQuery is tableBody once the settings are the function's.
func (b *binder) tableQuery(fn *Function, f *frame, span sqlerr.Span) (plan.Node, error) {
	done := b.otherText()
	node, err := b.query(fn.Query, f)
	done()
	if err != nil {
		return nil, placeless(err, span)
	}
	out := node.Output()
	if len(fn.Columns) == 0 {
		return node, nil
	}
	if len(out) != len(fn.Columns) {
		return nil, sqlerr.BadFunction("RETURN_COLUMN_COUNT_MISMATCH", fn.shown(), "it declares "+itoa(len(fn.Columns))+" columns, and its query gives "+itoa(len(out))+".").At(span)
	}
	p := &plan.Project{Input: node}
	for i, c := range out {
		e, err := b.castTo(columnRef(c), fn.Columns[i].Type)
		if err != nil {
			return nil, placeless(err, span)
		}
		p.Out, p.Exprs = append(p.Out, b.newColumn(fn.Columns[i].Name, fn.Columns[i].Type)), append(p.Exprs, e)
	}
	return p, nil
}

// Made is what binding the definition of a function found out.
type Made struct {
	// Returns is the type of a scalar function, Columns are those of a table function.
	Returns types.Type
	Columns []types.Field
}

// BindFunction checks a definition: that the body and the defaults are legal and fit what the function declares. A type
// that fn leaves out is the body's.
func BindFunction(ctx context.Context, fn *Function, declared bool, env Env) (Made, error) {
	b := newBinder(ctx, env)
	inner, params, err := b.enterFunction(fn, b.top())
	if err != nil {
		return Made{}, err
	}
	inner.permanent = false // so that a temporary object can be named in the refusal of it
	for _, p := range fn.Params {
		if p.Default == nil {
			continue
		}
		x, err := b.expr(p.Default, &exprScope{frame: inner, scope: &scope{}, clause: "DEFAULT"})
		if err != nil {
			return Made{}, err
		}
		if exists(x, isSubquery) {
			return Made{}, sqlerr.BadFunction("NOT_A_VALID_DEFAULT_EXPRESSION", fn.Name.Last(), "the default of "+ident.Quote(p.Name)+" holds a query.").At(p.Default.Span())
		}
		if _, err := b.castTo(x, p.Type); err != nil {
			return Made{}, at(err, p.Default.Span())
		}
	}
	if fn.Table {
		node, err := b.tableBody(fn, inner, params, sqlerr.Span{})
		if err != nil {
			return Made{}, err
		}
		var made Made
		var names []string
		for _, c := range node.Output() {
			made.Columns = append(made.Columns, types.Field{Name: c.Name, Type: c.Type})
			names = append(names, c.Name)
		}
		if name, twice := ident.Twice(names); twice {
			return Made{}, sqlerr.DuplicateReturnColumns(fn.Name.Last(), ident.Quote(ident.Fold(name)))
		}
		return made, nil
	}
	body, err := b.functionBody(fn, inner, params, sqlerr.Span{})
	if err != nil {
		return Made{}, complexBody(fn, err)
	}
	if !declared {
		return Made{Returns: body.Type()}, nil
	}
	if _, err := b.castTo(body, fn.Returns); err != nil {
		return Made{}, err
	}
	return Made{Returns: fn.Returns}, nil
}

// complexBody turns the refusal of an aggregate, a window or a row-making function in a body that is an expression into what
// Spark says.
func complexBody(fn *Function, err error) error {
	found := false
	if fn.Body != nil {
		_ = ast.Rewrite(&ast.Row{Elems: []ast.Arg{{Expr: fn.Body}}}, nil, func(x ast.Expr) (ast.Expr, error) {
			if c, ok := x.(*ast.Call); ok {
				kind, known := expr.Lookup(c.Name.Ident().String())
				found = found || c.Over != nil || known && kind != expr.Scalar || expr.IsGenerator(c.Name.Ident().String())
			}
			return x, nil
		})
		if _, query := fn.Body.(*ast.Subquery); query {
			found = false
		}
	}
	if !found || !isCondition(err, "UNSUPPORTED_EXPR_FOR_OPERATOR") && !isCondition(err, "UNSUPPORTED_FEATURE") && !isCondition(err, "UNSUPPORTED_GENERATOR") {
		return err
	}
	return sqlerr.BadFunction("CANNOT_CONTAIN_COMPLEX_FUNCTIONS", fn.Name.Last(), "its body holds an aggregate, window or row-making function. Write a query: RETURN SELECT ….")
}
