package bind

import (
	"slices"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// boundRef is a relation that is bound already: what stands before a pipe operator.
type boundRef struct {
	ast.ParenRef
	node  plan.Node
	scope *scope
}

// pipe binds a query with pipe operators. Unlike the columns of a sub-query those between operators keep their qualifiers.
func (b *binder) pipe(q *ast.Pipe, f *frame) (plan.Node, error) {
	in, err := b.pipeInput(q.Input, f)
	if err != nil {
		return nil, err
	}
	for _, op := range q.Ops {
		in.At = op.At
		node, s, err := b.pipeOp(op, in, f)
		if err != nil {
			return nil, at(err, op.Span())
		}
		s.parent = f.outer
		in = &boundRef{node: node, scope: s}
	}
	return projectColumns(in.node, in.scope.visible()), nil
}

// pipeInput binds what stands before the first operator: FROM alone and TABLE are the relations themselves.
func (b *binder) pipeInput(q ast.QueryBody, f *frame) (*boundRef, error) {
	var list []ast.Relation
	switch q := q.(type) {
	case *ast.TableQuery:
		list = []ast.Relation{&ast.TableRef{At: q.At, Name: q.Name}}
	case *ast.Values:
		list = []ast.Relation{&ast.ValuesRef{At: q.At, Values: q}}
	case *ast.Select:
		if star, ok := q.Items[0].Expr.(*ast.Star); ok && len(q.Items) == 1 && len(star.Qualifier)+len(star.Except) == 0 && len(q.LateralViews) == 0 &&
			q.Where == nil && q.GroupBy == nil && q.Having == nil && q.Qualify == nil && !q.Distinct {
			list = q.From
		}
	}
	if len(list) > 0 {
		node, s, err := b.from(list, f)
		return &boundRef{node: node, scope: s}, err
	}
	node, err := b.body(q, f)
	if err != nil {
		return nil, err
	}
	return &boundRef{node: node, scope: b.outputScope(node, nil, f)}, nil
}

func (b *binder) pipeOp(op *ast.PipeOp, in *boundRef, f *frame) (plan.Node, *scope, error) {
	switch op.Kind {
	case ast.PipeSelect:
		sel := *op.Select
		sel.From = []ast.Relation{in}
		return b.pipeSelect(&sel, in, f)
	case ast.PipeExtend, ast.PipeSet:
		return b.pipeExtend(op, in, f)
	case ast.PipeDrop:
		return b.pipeDrop(op, in)
	case ast.PipeAs:
		return b.alias(in.node, in.scope, &ast.TableAlias{Name: op.Alias}, op.Span())
	case ast.PipeWhere:
		cond, err := b.condition(op.Where, &exprScope{frame: f, scope: in.scope, clause: "WHERE"}, sqlerr.FilterNotBoolean)
		return &plan.Filter{Input: in.node, Cond: cond}, in.scope, err
	case ast.PipeJoin:
		j := *op.Join
		j.L = in
		return b.joinOne(&j, in.node, in.scope, f)
	case ast.PipeSetOp:
		right, err := b.body(op.SetOp.R, f)
		if err != nil {
			return nil, nil, err
		}
		node, err := b.combine(op.SetOp, projectColumns(in.node, in.scope.visible()), right)
		if err != nil {
			return nil, nil, err
		}
		return node, b.outputScope(node, nil, f), nil
	case ast.PipeTail:
		return b.pipeTail(op.Tail, in, f)
	case ast.PipePivot:
		v := *op.Pivot
		v.Input = in
		return b.pivot(&v, f, nil)
	case ast.PipeUnpivot:
		v := *op.Unpivot
		v.Input = in
		return b.unpivot(&v, f, nil)
	case ast.PipeSample:
		node, err := b.sample(op.Sample, in.node, f)
		return node, in.scope, err
	}
	return b.pipeAggregate(op, in, f)
}

// pipeSelect binds a select list over what came before. Columns that it keeps keep their qualifier.
func (b *binder) pipeSelect(sel *ast.Select, in *boundRef, f *frame) (plan.Node, *scope, error) {
	node, _, err := b.selectQuery(sel, &ast.Query{}, nil, f)
	if err != nil {
		return nil, nil, err
	}
	out := b.outputScope(node, nil, f)
	for i := range out.columns {
		c := &out.columns[i]
		for k := range in.scope.columns {
			if from := &in.scope.columns[k]; from.ID == c.origin && b.same(from.Name, c.Name) {
				c.qualifier = from.qualifier
			}
		}
	}
	return node, out, nil
}

// pipeExtend adds columns, or with SET replaces some, one after the other: each may use those before.
func (b *binder) pipeExtend(op *ast.PipeOp, in *boundRef, f *frame) (plan.Node, *scope, error) {
	node, s := in.node, in.scope
	for _, it := range op.Items {
		es := &exprScope{frame: f, scope: s, clause: "Project", aggregates: true, windows: true}
		x, err := b.expr(it.Expr, es)
		if err != nil {
			return nil, nil, err
		}
		if exists(x, isAggregate) {
			return nil, nil, sqlerr.PipeAggregate(b.text(it.Expr), map[ast.PipeKind]string{ast.PipeExtend: "EXTEND", ast.PipeSet: "SET"}[op.Kind]).At(it.Span())
		}
		name := b.columnName(it.Expr)
		if len(it.Aliases) > 0 {
			name = it.Aliases[0].Name
		}
		var c plan.Column
		node, c = b.addColumn(node, name, x)
		next := &scope{parent: s.parent}
		next.add(s.columns...)
		if op.Kind == ast.PipeExtend {
			next.add(column{Column: c, origin: c.ID})
		} else if err := b.replaceColumn(next, it.Aliases[0], c); err != nil {
			return nil, nil, err
		}
		s = next
	}
	return node, s, nil
}

// addColumn computes one more column beside those of node.
func (b *binder) addColumn(node plan.Node, name string, x expr.Expr) (plan.Node, plan.Column) {
	wins := &windowSet{b: b}
	x = wins.rewrite(x)
	p := &plan.Project{}
	for _, c := range node.Output() {
		p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, columnRef(c))
	}
	if len(wins.out) > 0 {
		node = &plan.Windows{Input: node, WinOut: wins.out, Wins: wins.exprs}
	}
	c := b.newColumn(name, x.Type())
	p.Input, p.Out, p.Exprs = node, append(p.Out, c), append(p.Exprs, x)
	return p, c
}

// replaceColumn puts c where the column of a name stands in a scope.
func (b *binder) replaceColumn(s *scope, name ast.Ident, c plan.Column) error {
	found := false
	for i := range s.columns {
		if !s.columns[i].hidden && b.same(s.columns[i].Name, name.Name) {
			s.columns[i] = column{Column: c, origin: c.ID}
			found = true
		}
	}
	s.byName = nil
	if !found {
		return sqlerr.UnresolvedColumn(ident.Quote(name.Name), suggest([]string{name.Name}, s.columns)).At(name.Span())
	}
	return nil
}

// pipeDrop takes columns out, or fields out of structs.
func (b *binder) pipeDrop(op *ast.PipeOp, in *boundRef) (plan.Node, *scope, error) {
	star := &ast.Star{At: op.At, Except: op.Names}
	cols := in.scope.visible()
	items := make([]starItem, len(cols))
	for i, c := range cols {
		items[i] = starItem{name: c.Name, expr: columnRef(c.Column)}
	}
	kept, err := b.starExcept(star, items, cols)
	if err != nil {
		return nil, nil, err
	}
	node, out := in.node, &scope{parent: in.scope.parent}
	for _, k := range kept {
		ref, whole := k.expr.(*expr.Column)
		if !whole {
			var c plan.Column
			node, c = b.addColumn(node, k.name, k.expr)
			out.add(column{Column: c, origin: c.ID})
			continue
		}
		at := slices.IndexFunc(cols, func(c column) bool { return c.ID == ref.ID })
		out.add(cols[at])
	}
	for _, c := range in.scope.columns {
		if c.hidden {
			out.add(c)
		}
	}
	return node, out, nil
}

// pipeTail orders and limits the rows.
func (b *binder) pipeTail(q *ast.Query, in *boundRef, f *frame) (plan.Node, *scope, error) {
	node := in.node
	es := &exprScope{frame: f, scope: in.scope, clause: "Sort"}
	cols := in.scope.visible()
	for _, e := range q.DistributeBy {
		if _, err := b.expr(e, es); err != nil {
			return nil, nil, err
		}
	}
	if order := ordering(q); len(order) > 0 {
		sort := &plan.Sort{Input: node}
		for _, o := range order {
			x, err := b.sortExpr(o, len(cols), func(i int) expr.Expr { return columnRef(cols[i].Column) }, es)
			if err != nil {
				return nil, nil, err
			}
			sort.Keys = append(sort.Keys, keyFor(o, x))
		}
		node = sort
	}
	node, err := b.limit(node, q, f)
	return node, in.scope, err
}

// pipeAggregate groups: the answer has the groups' columns, then the aggregates'.
func (b *binder) pipeAggregate(op *ast.PipeOp, in *boundRef, f *frame) (plan.Node, *scope, error) {
	sel := &ast.Select{At: op.At, From: []ast.Relation{in}}
	if len(op.Groups) > 0 {
		sel.GroupBy = &ast.GroupBy{At: op.At}
	}
	cols := in.scope.visible()
	for _, g := range op.Groups {
		it := *g
		if n, ok := ordinal(it.Expr); ok {
			if n < 1 || n > int64(len(cols)) {
				return nil, nil, sqlerr.GroupByPosOutOfRange(it.Expr.(*ast.NumberLit).Text, len(cols)).At(it.Span())
			}
			it.Expr = &ast.ColumnRef{At: it.At, Parts: []ast.Ident{{At: it.At, Name: cols[n-1].Name}}}
		}
		sel.Items = append(sel.Items, &it)
		sel.GroupBy.Items = append(sel.GroupBy.Items, &ast.GroupItem{At: it.At, Kind: ast.GroupExpr, Exprs: []ast.Expr{it.Expr}})
	}
	for _, it := range op.Items {
		x, err := b.expr(it.Expr, &exprScope{
			frame: f, scope: in.scope, clause: "Project", aggregates: true, windows: true,
			grouping: func(*ast.Call) (expr.Expr, error) { return nil, sqlerr.PipeAggregateCase("grouping()") },
		})
		switch {
		case err != nil:
			return nil, nil, err
		case exists(x, isWindow):
			return nil, nil, sqlerr.PipeAggregateCase("a window function").At(it.Span())
		case !exists(x, isAggregate):
			return nil, nil, sqlerr.PipeNoAggregate(b.text(it.Expr)).At(it.Span())
		}
		sel.Items = append(sel.Items, it)
	}
	if len(op.Items) == 0 && len(op.Groups) == 0 {
		sel.Items = []*ast.SelectItem{{At: op.At, Expr: &ast.NumberLit{At: op.At, Text: "1", Value: int64(1), Type: types.Of(types.Int)}}}
	}
	return b.pipeSelect(sel, in, f)
}
