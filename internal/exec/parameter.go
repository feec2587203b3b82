package exec

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// replaced is a stretch of a statement's text in whose place a value was put: [at, end) of the new text stands for
// [from, to) of the old one.
type replaced struct{ at, end, from, to int }

// prepare parses a statement. The values of parameters go into the text, so that a marker may stand wherever a literal may, in
// text that the catalog keeps too; then the names that IDENTIFIER(…) computes are found.
func (r *run) prepare(ctx context.Context, text string, params map[string]string) (ast.Statement, error) {
	in, err := parse(ctx, text)
	if err != nil {
		return nil, err
	}
	r.text = text[in.Start:] // the history has no use for the comments before it
	if len(in.Markers) > 0 {
		if text, err = r.putParams(text, in.Markers, params); err != nil {
			return nil, err
		}
		if in, err = parse(ctx, text); err != nil {
			return nil, err
		}
	}
	if in.Computed {
		if err := r.computeNames(ctx, in.Statement); err != nil {
			return nil, err
		}
	}
	return in.Statement, nil
}

// longText is the length in bytes from which parsing a text takes a good part of a second.
const longText = 1 << 20

// parse parses a statement. A long one is left behind when ctx ends.
func parse(ctx context.Context, text string) (parser.Parsed, error) {
	if len(text) < longText {
		return parser.ParseStatement(text)
	}
	type outcome struct {
		in  parser.Parsed
		err error
	}
	o, ended := parallel.Await(ctx, func() (o outcome) {
		o.in, o.err = parser.ParseStatement(text)
		return o
	})
	if !ended {
		return parser.Parsed{}, sqlerr.Canceled()
	}
	return o.in, o.err
}

// putParams puts the values of parameters in the place of their markers.
func (r *run) putParams(text string, markers []*ast.Param, params map[string]string) (string, error) {
	var b strings.Builder
	last := 0
	for _, m := range markers {
		name := m.Name
		if name == "" {
			name = "_" + strconv.Itoa(m.Index)
		}
		value, ok := params[name]
		if !ok {
			return "", sqlerr.UnboundParameter(name).At(m.Span())
		}
		b.WriteString(text[last:m.Pos()])
		if strings.HasPrefix(value, "-") {
			b.WriteByte(' ') // two minus signs begin a comment
		}
		at := b.Len()
		b.WriteString(value)
		r.replaced = append(r.replaced, replaced{at: at, end: b.Len(), from: m.Pos(), to: m.End()})
		last = m.End()
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

// place turns the place of an error in the text with values into one in the text that was given.
func (r *run) place(err error) error {
	var e *sqlerr.Error
	if len(r.replaced) == 0 || !errors.As(err, &e) || e.Span == (sqlerr.Span{}) {
		return err
	}
	c := *e
	c.Span = sqlerr.Span{Start: r.original(e.Span.Start, false), End: r.original(e.Span.End, true)}
	return &c
}

func (r *run) original(offset int, end bool) int {
	shift := 0
	for _, p := range r.replaced {
		if offset < p.at || offset == p.at && end {
			break
		}
		if offset < p.end || offset == p.end && end {
			if end {
				return p.to
			}
			return p.from
		}
		shift = p.to - p.end
	}
	return offset + shift
}

// sessionParams are the parameters that the session was started with, as SQL text. A value that is no SQL constant is taken as
// text, so that --param name=paris needs no quotes.
func (r *run) sessionParams(ctx context.Context) map[string]string {
	out := make(map[string]string, len(r.s.Params))
	for name, text := range r.s.Params {
		out[name] = ast.QuoteString(text)
		e, err := parser.ParseExpr(text)
		if err != nil {
			continue
		}
		if _, err := bind.BindExpr(ctx, e, nil, bind.Env{Context: r.context()}); err != nil {
			continue
		}
		switch e.(type) {
		case *ast.NumberLit, *ast.StringLit, *ast.BoolLit, *ast.NullLit, *ast.TypedLit, *ast.BinaryLit, *ast.IntervalLit:
			out[name] = text
		case *ast.Binary: // 2024-01-01 is meant as a text
		default:
			out[name] = "(" + text + ")"
		}
	}
	return out
}

// computeNames evaluates IDENTIFIER(expr) wherever it names something.
func (r *run) computeNames(ctx context.Context, stmt ast.Statement) error {
	name := func(n *ast.Name) error {
		if n.Computed == nil {
			return nil
		}
		parts, err := r.computed(ctx, n.Computed)
		if err != nil {
			return err
		}
		n.Parts, n.Computed = parts, nil
		return nil
	}
	column := func(e ast.Expr) (ast.Expr, error) {
		c, ok := e.(*ast.Call)
		if !ok || len(c.Name.Parts) != 1 || c.Name.Parts[0].Quoted || c.Name.Parts[0].Name != "identifier" || len(c.Args) != 1 {
			return e, nil
		}
		parts, err := r.computed(ctx, c.Args[0].Expr)
		if err != nil {
			return nil, err
		}
		return &ast.ColumnRef{At: c.At, Parts: parts}, nil
	}
	return ast.Rewrite(stmt, name, column)
}

// computed is the name that IDENTIFIER(e) stands for: e must be a text that is known before the statement runs.
func (r *run) computed(ctx context.Context, e ast.Expr) ([]ast.Ident, error) {
	wrong := func(why, typeName string) error {
		return sqlerr.NotConstantString(why, "IDENTIFIER", bind.Name(e), typeName).At(e.Span())
	}
	if holdsQuery(e) {
		return nil, wrong("NOT_CONSTANT", "")
	}
	v, err := r.evaluate(ctx, e)
	switch {
	case errors.Is(err, sqlerr.Condition("UNRESOLVED_COLUMN")), errors.Is(err, errNotConstant):
		return nil, wrong("NOT_CONSTANT", "")
	case err != nil:
		return nil, at(err, e)
	case v.T.Kind != types.Void && !v.T.Kind.IsText():
		return nil, wrong("WRONG_TYPE", v.T.String())
	case v.Value == nil:
		return nil, wrong("NULL", "")
	}
	text, _ := v.Value.(string)
	if text == "" {
		return nil, sqlerr.EmptyStatement().At(e.Span())
	}
	n, err := parser.ParseName(text)
	if err != nil {
		known := *sqlerr.As(err)
		known.Span = e.Span()
		return nil, &known
	}
	for i := range n.Parts {
		n.Parts[i].At, n.Parts[i].Quoted = ast.At{Start: e.Pos(), Stop: e.End()}, true
	}
	return n.Parts, nil
}

// holdsQuery reports a query somewhere in an expression.
func holdsQuery(e ast.Expr) bool {
	found := false
	_ = ast.Rewrite(&ast.Row{Elems: []ast.Arg{{Expr: e}}}, nil, func(x ast.Expr) (ast.Expr, error) {
		switch x.(type) {
		case *ast.Subquery, *ast.Exists, *ast.InQuery:
			found = true
		}
		return x, nil
	})
	return found
}

var errNotConstant = errors.New("the expression is not constant")

// evaluate computes an expression without columns and queries. It fails with errNotConstant when it is random.
func (r *run) evaluate(ctx context.Context, e ast.Expr) (*expr.Literal, error) {
	bound, err := bind.BindExpr(ctx, e, nil, r.bindEnv(nil))
	if err != nil {
		return nil, err
	}
	if l, ok := bound.(*expr.Literal); ok {
		return l, nil
	}
	constant := true
	expr.Walk(bound, func(x expr.Expr) bool {
		c, ok := x.(*expr.Call)
		constant = constant && !(ok && c.Fn.Volatile)
		return constant
	})
	if !constant {
		return nil, errNotConstant
	}
	row, err := r.values(ctx, []ast.Expr{e}, []*types.Type{nil})
	if err != nil {
		return nil, err
	}
	return row[0], nil
}

// sqlText is a value as SQL text that parses to it.
func sqlText(v types.Value, t types.Type, zone *time.Location) string {
	cast := func(text string) string { return "CAST(" + text + " AS " + t.SQL() + ")" }
	if v == nil {
		if t.Kind == types.Void {
			return "NULL"
		}
		return cast("NULL")
	}
	switch x := v.(type) {
	case float64:
		if t.Kind == types.Float && !math.IsNaN(x) && !math.IsInf(x, 0) {
			return types.Format(t, v, zone) + "F"
		}
	case []types.MapEntry:
		var args []string
		for _, e := range x {
			args = append(args, sqlText(e.Key, *t.Key, zone), sqlText(e.Value, *t.Elem, zone))
		}
		return cast("map(" + strings.Join(args, ", ") + ")")
	case []types.Value:
		var args []string
		for i, y := range x {
			if t.Kind == types.Struct {
				args = append(args, ast.QuoteString(t.Fields[i].Name), sqlText(y, t.Fields[i].Type, zone))
				continue
			}
			args = append(args, sqlText(y, *t.Elem, zone))
		}
		if t.Kind == types.Struct {
			return "named_struct(" + strings.Join(args, ", ") + ")"
		}
		return cast("array(" + strings.Join(args, ", ") + ")")
	case string:
		return ast.QuoteString(x)
	}
	return types.FormatLiteral(t, v, zone)
}

// variableName is a name as messages about variables show it.
func variableName(name string) string {
	return ident.Name{"system", "session", ident.Fold(name)}.Quoted()
}
