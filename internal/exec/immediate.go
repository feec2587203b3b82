package exec

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxImmediate bounds EXECUTE IMMEDIATE within one another, which a text can do without end.
const maxImmediate = 32

// executeImmediate runs the statement in a text. Its errors have the place of the text.
func (r *run) executeImmediate(ctx context.Context, n *ast.ExecuteImmediate) (*Result, error) {
	if r.depth >= maxImmediate {
		return nil, sqlerr.TooComplex("the depth of EXECUTE IMMEDIATE", maxImmediate).At(n.Span())
	}
	text, err := r.immediateText(ctx, n.Text)
	if err != nil {
		return nil, err
	}
	var vars []*session.Variable
	if len(n.Into) > 0 {
		if vars, err = r.targets(n.Into); err != nil {
			return nil, err
		}
	}
	inner := &run{x: r.x, s: r.s, text: text, now: r.now, depth: r.depth + 1}
	res, err := inner.immediate(ctx, r, n, vars)
	var e *sqlerr.Error
	if errors.As(err, &e) {
		// Its place, if it has one, is one in the text.
		c := *e
		c.Span = n.Text.Span()
		err = &c
	}
	return res, err
}

// immediate runs the statement of an inner run, whose parameters the outer run's USING gives.
func (r *run) immediate(ctx context.Context, outer *run, n *ast.ExecuteImmediate, vars []*session.Variable) (*Result, error) {
	in, err := parser.ParseStatement(r.text)
	if err != nil {
		return nil, err
	}
	if _, isQuery := in.Statement.(*ast.Query); !isQuery && vars != nil {
		return nil, sqlerr.ExecuteIntoNoQuery(strings.ToUpper(r.text))
	}
	params, err := outer.usingParams(ctx, n, in.Markers)
	if err != nil {
		return nil, err
	}
	stmt, err := r.prepare(ctx, r.text, params)
	if err != nil {
		return nil, err
	}
	if vars == nil {
		res, err := r.statement(ctx, stmt)
		r.afterStatement(ctx, stmt)
		return res, err
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return nil, sqlerr.ExecuteIntoNoQuery(r.text)
	}
	node, rels, err := r.bindAssign(ctx, q, vars, nil)
	if err != nil {
		return nil, err
	}
	return none(), r.assignRow(ctx, vars, node, rels)
}

// immediateText is the text of the statement to run.
func (r *run) immediateText(ctx context.Context, e ast.Expr) (string, error) {
	if holdsQuery(e) {
		return "", sqlerr.ParameterExpression(bind.Name(e)).At(e.Span())
	}
	v, err := r.evaluate(ctx, e)
	switch {
	case errors.Is(err, errNotConstant):
		return "", sqlerr.ParameterExpression(bind.Name(e)).At(e.Span())
	case err != nil:
		return "", at(err, e)
	case v.Value == nil && (v.T.Kind.IsText() || v.T.Kind == types.Void):
		name := bind.Name(e)
		if ref, ok := e.(*ast.ColumnRef); ok {
			name = ident.Quote(ref.Parts[len(ref.Parts)-1].Name)
		}
		return "", sqlerr.ExecuteTextNull(name).At(e.Span())
	case !v.T.Kind.IsText():
		return "", sqlerr.ExecuteTextType(v.T.SQL()).At(e.Span())
	}
	text, _ := v.Value.(string)
	return text, nil
}

// usingParams are the arguments of USING for the markers of a statement, as SQL text.
func (r *run) usingParams(ctx context.Context, n *ast.ExecuteImmediate, markers []*ast.Param) (map[string]string, error) {
	named, positional := false, false
	for _, m := range markers {
		named = named || m.Name != ""
		positional = positional || m.Name == ""
	}
	if named && positional {
		return nil, sqlerr.MixedParameters()
	}
	var nameless, aliases []string
	for _, it := range n.Using {
		if len(it.Aliases) == 1 {
			aliases = append(aliases, it.Aliases[0].Name)
		} else if _, isName := it.Expr.(*ast.ColumnRef); !isName {
			nameless = append(nameless, `"`+bind.Name(it.Expr)+`"`)
		}
	}
	if twice, ok := ident.Twice(aliases); ok {
		return nil, sqlerr.DuplicateArgumentAliases([]string{ident.Quote(twice)})
	}
	if named && len(nameless) > 0 {
		return nil, sqlerr.ParametersMustBeNamed(strings.Join(nameless, ", "))
	}
	out := map[string]string{}
	for i, it := range n.Using {
		if holdsQuery(it.Expr) {
			return nil, sqlerr.ParameterExpression(bind.Name(it.Expr)).At(it.Span())
		}
		v, err := r.evaluate(ctx, it.Expr)
		if errors.Is(err, errNotConstant) {
			err = sqlerr.ParameterExpression(bind.Name(it.Expr))
		}
		if err != nil {
			return nil, at(err, it)
		}
		text := sqlText(v.Value, v.T, r.s.Conf.Location())
		out["_"+strconv.Itoa(i)] = text
		switch ref, isName := it.Expr.(*ast.ColumnRef); {
		case len(it.Aliases) == 1:
			out[it.Aliases[0].Name] = text
		case isName:
			out[ref.Parts[len(ref.Parts)-1].Name] = text
		}
	}
	return out, nil
}
