package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// generator binds a call of a row-making function.
func (b *binder) generator(e *ast.Call, name string, es *exprScope) (*expr.Generator, error) {
	if e.Over != nil {
		return nil, sqlerr.GeneratorNested(b.text(e)).At(e.Span())
	}
	if err := modifierError(e, name); err != nil {
		return nil, err
	}
	named, err := b.arranged(e, name)
	if err != nil {
		return nil, at(err, e.Span())
	}
	for i, a := range named.Args {
		if sub, ok := a.Expr.(*ast.Subquery); ok && sub.Table {
			t, err := b.tableArgument(sub, es)
			if err != nil {
				return nil, err
			}
			shown := "functiontablesubqueryargumentexpression()"
			return nil, sqlerr.UnexpectedInputType(name+"("+shown+")", i+1, `("ARRAY" or "MAP")`, shown, t.SQL()).At(e.Span())
		}
	}
	args, err := b.arguments(named, name, es)
	if err != nil {
		return nil, err
	}
	g, err := expr.ResolveGenerator(name, args, expr.ResolveOptions{Context: b.env.Context})
	if err != nil {
		return nil, at(err, e.Span())
	}
	return g, nil
}

// tableArgument is the type that a TABLE argument has as a value: a struct of its columns.
func (b *binder) tableArgument(e *ast.Subquery, es *exprScope) (types.Type, error) {
	node, err := b.inner(e.Query, es)
	if err != nil {
		return types.Type{}, err
	}
	t := types.Type{Kind: types.Struct}
	for _, c := range node.Output() {
		t.Fields = append(t.Fields, types.Field{Name: c.Name, Type: c.Type})
	}
	return t, nil
}

// misplacedGenerator is the error for a row-making function inside an expression.
func (b *binder) misplacedGenerator(e *ast.Call, es *exprScope) error {
	shown := b.text(e)
	switch {
	case es.clause == "VALUES":
		return sqlerr.InlineTableExpression(shown)
	case es.clause == "Project" || es.clause == "Generate" || es.inAggregate || es.inWindow:
		return sqlerr.GeneratorNested(shown)
	}
	return sqlerr.GeneratorOutsideSelect(shown, es.clause)
}

// passing is a projection that hands all columns of node on, to add others to.
func passing(node plan.Node) *plan.Project {
	p := &plan.Project{Input: node}
	for _, c := range node.Output() {
		p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, columnRef(c))
	}
	return p
}

// unfold makes the rows of a generator beside the columns of node. It gives the generator's columns, called by names, or
// as the function calls them when there are none.
func (b *binder) unfold(node plan.Node, g *expr.Generator, names []string) (plan.Node, []plan.Column, error) {
	cols := make([]plan.Column, len(g.Fields))
	for i, f := range g.Fields {
		cols[i] = b.newColumn(f.Name, f.Type)
		if len(names) > 0 {
			cols[i].Name = names[i]
		}
	}
	switch {
	case len(g.Rows) == 1:
		p := passing(node)
		p.Out, p.Exprs = append(p.Out, cols...), append(p.Exprs, g.Rows[0]...)
		return p, cols, nil
	case len(g.Rows) > 1:
		u := &plan.Unnest{Input: node, Out: cols}
		for j := range cols {
			column := make([]expr.Expr, len(g.Rows))
			for i := range g.Rows {
				column[i] = g.Rows[i][j]
			}
			list, err := b.resolve("array", column)
			if err != nil {
				return nil, nil, err
			}
			u.Lists = append(u.Lists, list)
		}
		return u, cols, nil
	}
	node, err := b.unfoldSource(node, g, cols)
	return node, cols, err
}

// unfoldSource takes an ARRAY or MAP apart. What is looked at more than once is computed once before.
func (b *binder) unfoldSource(node plan.Node, g *expr.Generator, cols []plan.Column) (plan.Node, error) {
	source := g.Source
	isMap := source.Type().Kind == types.Map
	if _, simple := source.(*expr.Column); !simple && (isMap || g.Position || g.Outer) {
		p := passing(node)
		c := b.newColumn(g.Name, source.Type())
		p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, source)
		node, source = p, columnRef(c)
	}
	u := &plan.Unnest{Input: node, Outer: g.Outer}
	rest := cols
	if g.Position {
		u.Position, rest = &cols[0], cols[1:]
	}
	switch {
	case g.Inline:
		s := b.newColumn(g.Name, *source.Type().Elem)
		u.Lists, u.Out = []expr.Expr{source}, []plan.Column{s}
		p := passing(u)
		for i, c := range rest {
			p.Out = append(p.Out, c)
			p.Exprs = append(p.Exprs, &expr.GetField{Arg: columnRef(s), Ordinal: i, Name: g.Fields[i].Name, T: c.Type})
		}
		return p, nil
	case isMap:
		for _, part := range []string{"map_keys", "map_values"} {
			list, err := b.resolve(part, []expr.Expr{source})
			if err != nil {
				return nil, err
			}
			u.Lists = append(u.Lists, list)
		}
	default:
		u.Lists = []expr.Expr{source}
	}
	u.Out = rest
	return u, nil
}

// lateralView binds one LATERAL VIEW over the rows of node, whose columns s has.
func (b *binder) lateralView(v *ast.LateralView, node plan.Node, s *scope, f *frame) (plan.Node, *scope, error) {
	es := &exprScope{frame: f, scope: s, clause: "Generate"}
	name, builtin := functionName(v.Call)
	if !builtin || !expr.IsGenerator(name) {
		if _, known := expr.Lookup(name); builtin && known {
			return nil, nil, sqlerr.NotAGenerator(name).At(v.Call.Span())
		}
		return nil, nil, sqlerr.RoutineNotFound(v.Call.Name.Ident().Quoted()).At(v.Call.Span())
	}
	g, err := b.generator(v.Call, name, es)
	if err != nil {
		return nil, nil, err
	}
	g.Outer = g.Outer || v.Outer
	names := partNames(v.Columns)
	if len(names) > 0 && len(names) != len(g.Fields) {
		return nil, nil, sqlerr.GeneratorAliases(len(g.Fields), names).At(v.Span())
	}
	node, cols, err := b.unfold(node, g, names)
	if err != nil {
		return nil, nil, at(err, v.Span())
	}
	out := &scope{parent: s.parent}
	out.add(s.columns...)
	var qualifier ident.Name
	if v.Table.Name != "" {
		qualifier = ident.Name{v.Table.Name}
	}
	for _, c := range cols {
		out.add(column{Column: c, qualifier: qualifier, origin: c.ID})
	}
	return node, out, nil
}
