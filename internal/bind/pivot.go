package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// pivot binds PIVOT: rows are grouped by the columns that it does not mention, and each value gets a column per
// aggregate, computed over the rows that have the value. Where a group has no such row the answer is NULL, also for
// counts.
func (b *binder) pivot(r *ast.Pivot, f *frame, left *scope) (plan.Node, *scope, error) {
	node, s, err := b.relation(r.Input, f, left)
	if err != nil {
		return nil, nil, err
	}
	var keys []column
	mentioned := idSet{}
	for _, c := range r.Columns {
		found, err := b.oneColumn(c, s)
		if err != nil {
			return nil, nil, err
		}
		if found.Type.HasMap() {
			return nil, nil, sqlerr.PivotColumn(ident.Quote(found.Name)).At(c.Span())
		}
		keys = append(keys, found)
		mentioned[found.ID] = true
	}
	sl := &selection{b: b, sel: &ast.Select{At: r.At, GroupBy: &ast.GroupBy{}}, frame: f, scope: s}
	aggs := make([]item, len(r.Aggregates))
	for i, a := range r.Aggregates {
		x, err := b.expr(a.Expr, &exprScope{frame: f, scope: s, clause: "PIVOT", aggregates: true})
		if err != nil {
			return nil, nil, err
		}
		if !exists(x, isAggregate) {
			return nil, nil, sqlerr.Unsupported("PIVOT_WITHOUT_AGGREGATE", "PIVOT over "+b.text(a.Expr)+", which is no aggregate").At(a.Span())
		}
		mentioned.addExpr(x)
		aggs[i] = item{name: b.text(a.Expr), expr: x}
		if len(a.Aliases) > 0 {
			aggs[i].name = a.Aliases[0].Name
		}
	}
	g := &grouping{sl: sl, byKey: map[string]int{}, heads: map[string]bool{}, aggKeys: map[string]plan.Column{}, input: idSet{}, written: true}
	sl.group = g
	out := &scope{parent: f.outer}
	p := &plan.Project{}
	for _, c := range s.visible() {
		if !mentioned[c.ID] {
			g.addKey(columnRef(c.Column))
			out.add(c)
			p.Out, p.Exprs = append(p.Out, c.Column), append(p.Exprs, columnRef(c.Column))
		}
	}
	g.makeOutput()
	for _, v := range r.Values {
		name, cond, err := b.pivotValue(v, keys, s, f)
		if err != nil {
			return nil, nil, err
		}
		for _, a := range aggs {
			x, err := b.overRows(a.expr, cond)
			if err == nil {
				x, err = g.rewrite(x)
			}
			if err != nil {
				return nil, nil, at(err, r.Span())
			}
			full := name
			if len(aggs) > 1 {
				full += "_" + a.name
			}
			c := b.newColumn(full, x.Type())
			p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, x)
			out.add(column{Column: c, origin: c.ID})
		}
	}
	p.Input = g.node(node)
	return b.alias(p, out, r.Alias, r.Span())
}

// oneColumn is the one column of a name.
func (b *binder) oneColumn(name ast.Ident, s *scope) (column, error) {
	found, _ := b.find(s, []string{name.Name})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return column{}, sqlerr.UnresolvedColumn(ident.Quote(name.Name), suggest([]string{name.Name}, s.columns)).At(name.Span())
	}
	var list []string
	for i := range found {
		list = append(list, found[i].quoted())
	}
	return column{}, sqlerr.AmbiguousReference(ident.Quote(name.Name), list).At(name.Span())
}

// pivotValue is a value of the list after IN: what its columns are called, and the condition that a row has it.
func (b *binder) pivotValue(v *ast.SelectItem, keys []column, s *scope, f *frame) (string, expr.Expr, error) {
	x, err := b.expr(v.Expr, &exprScope{frame: f, scope: s, clause: "PIVOT"})
	if err != nil {
		return "", nil, err
	}
	x = b.foldTree(x)
	lit, ok := x.(*expr.Literal)
	if !ok {
		return "", nil, sqlerr.PivotValueNotConstant(b.text(v.Expr)).At(v.Span())
	}
	elems := []expr.Expr{x}
	if len(keys) > 1 {
		if elems, ok = rowElems(x); !ok || len(elems) != len(keys) {
			return "", nil, sqlerr.PivotValueType(b.text(v.Expr), lit.T.String(), pivotType(keys).String()).At(v.Span())
		}
	}
	name := "null"
	if lit.Value != nil {
		name = types.Format(lit.T, lit.Value, b.env.Context.Zone)
	}
	if len(v.Aliases) > 0 {
		name = v.Aliases[0].Name
	}
	var conds []expr.Expr
	for i, k := range keys {
		elem, err := b.castTo(elems[i], k.Type)
		if err != nil {
			return "", nil, sqlerr.PivotValueType(b.text(v.Expr), lit.T.String(), pivotType(keys).String()).At(v.Span())
		}
		c, err := b.resolve("<=>", []expr.Expr{columnRef(k.Column), elem})
		if err != nil {
			return "", nil, at(err, v.Span())
		}
		conds = append(conds, c)
	}
	return name, expr.And(conds...), nil
}

// pivotType is the type of what PIVOT compares its values with: of its column, or of a row of its columns.
func pivotType(keys []column) types.Type {
	if len(keys) == 1 {
		return keys[0].Type
	}
	t := types.Type{Kind: types.Struct}
	for _, k := range keys {
		t.Fields = append(t.Fields, types.Field{Name: k.Name, Type: k.Type})
	}
	return t
}

// overRows is e with its aggregates over the rows that satisfy cond alone, and NULL when there are none.
func (b *binder) overRows(e, cond expr.Expr) (expr.Expr, error) {
	x := mapExpr(e, func(x expr.Expr) (expr.Expr, bool) {
		a, ok := x.(*expr.Aggregate)
		if !ok {
			return nil, false
		}
		c := *a
		c.Filter = expr.And(cond, a.Filter)
		return &c, true
	}, nil)
	count, err := expr.Resolve("count", nil, expr.ResolveOptions{Star: true, Filter: cond, Context: b.env.Context})
	if err != nil {
		return nil, err
	}
	some, err := b.resolve(">", []expr.Expr{count, &expr.Literal{Value: int64(0), T: types.Of(types.BigInt)}})
	if err != nil {
		return nil, err
	}
	return expr.NewCase(nil, []expr.Expr{some}, []expr.Expr{x}, nil)
}

// unpivot binds UNPIVOT: each row becomes one row per set of columns, with the set's name and its values.
func (b *binder) unpivot(r *ast.Unpivot, f *frame, left *scope) (plan.Node, *scope, error) {
	node, s, err := b.relation(r.Input, f, left)
	if err != nil {
		return nil, nil, err
	}
	mentioned := idSet{}
	cells := make([][]expr.Expr, len(r.Values)) // [value][set]
	sets := &plan.Values{Out: []plan.Column{b.newColumn("set", types.Of(types.Int)), b.newColumn(r.Name.Name, types.Of(types.String))}}
	for i, set := range r.Sets {
		if len(set.Columns) != len(r.Values) {
			return nil, nil, sqlerr.UnpivotSize(join(partNames(r.Values))).At(r.Span())
		}
		var parts []string
		for j, name := range set.Columns {
			x, err := b.columnRef(&ast.ColumnRef{At: name.At, Parts: name.Parts}, &exprScope{frame: f, scope: s, clause: "UNPIVOT"})
			if err != nil {
				return nil, nil, at(err, name.Span())
			}
			if _, plain := x.(*expr.Column); !plain {
				return nil, nil, sqlerr.UnpivotColumns(name.Ident().String()).At(name.Span())
			}
			mentioned.addExpr(x)
			cells[j] = append(cells[j], x)
			parts = append(parts, name.Ident().Last())
		}
		label := strings.Join(parts, "_")
		if set.Alias != nil {
			label = set.Alias.Name
		}
		sets.Rows = append(sets.Rows, []expr.Expr{&expr.Literal{Value: int64(i), T: types.Of(types.Int)}, text(label)})
	}
	p := &plan.Project{Input: &plan.Join{Kind: plan.CrossJoin, Left: node, Right: sets}}
	out := &scope{parent: f.outer}
	put := func(c column, e expr.Expr) {
		p.Out, p.Exprs = append(p.Out, c.Column), append(p.Exprs, e)
		out.add(c)
	}
	for _, c := range s.visible() {
		if !mentioned[c.ID] {
			put(c, columnRef(c.Column))
		}
	}
	put(column{Column: sets.Out[1], origin: sets.Out[1].ID}, columnRef(sets.Out[1]))
	var present []expr.Expr
	for j, v := range r.Values {
		x, err := b.pickSet(cells[j], sets.Out[0])
		if err != nil {
			return nil, nil, at(err, r.Span())
		}
		c := b.newColumn(v.Name, x.Type())
		put(column{Column: c, origin: c.ID}, x)
		there, err := b.resolve("isnotnull", []expr.Expr{columnRef(c)})
		if err != nil {
			return nil, nil, at(err, r.Span())
		}
		present = append(present, there)
	}
	var top plan.Node = p
	if !r.IncludeNulls {
		// What drops rows of NULLs refers to the values by name.
		for _, v := range r.Values {
			if _, err := b.oneColumn(v, out); err != nil {
				return nil, nil, err
			}
		}
		top = &plan.Filter{Input: p, Cond: expr.Or(present...)}
	}
	return b.alias(top, out, r.Alias, r.Span())
}

// pickSet is the cell of the set that a row is about. Text and other types do not mix here.
func (b *binder) pickSet(cells []expr.Expr, set plan.Column) (expr.Expr, error) {
	unified, _, ok := expr.Unify(cells...)
	var list []string
	for _, c := range cells {
		ok = ok && c.Type().Kind.IsText() == cells[0].Type().Kind.IsText()
		list = append(list, `"`+c.Type().SQL()+`" (`+expr.Print(c)+")")
	}
	if !ok {
		return nil, sqlerr.UnpivotTypes(join(list))
	}
	var whens []expr.Expr
	for i := range unified {
		w, err := b.resolve("=", []expr.Expr{columnRef(set), &expr.Literal{Value: int64(i), T: types.Of(types.Int)}})
		if err != nil {
			return nil, err
		}
		whens = append(whens, w)
	}
	return expr.NewCase(nil, whens, unified, nil)
}
