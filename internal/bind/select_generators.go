package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// generatorItems are the row-making functions of a select list.
type generatorItems struct {
	calls map[int]*ast.Call // by the position of the item
	names map[int]string    // of the functions
	// slots are the bound items, by the position of the item that they came from; nil while it is not bound.
	slots [][]item
	// made are the bound functions in the order in which they make rows: a later one may use the columns of earlier ones.
	made []*madeRows
	// columns are what the bound functions add to the names in sight, firstUse the first name that meant one of them.
	columns  scope
	firstUse *ast.ColumnRef
}

// madeRows is one bound row-making function.
type madeRows struct {
	at   int // position of the item
	gen  *expr.Generator
	cols []plan.Column
}

// findGenerators looks for row-making functions that stand alone in the select list.
func (sl *selection) findGenerators() bool {
	g := &generatorItems{calls: map[int]*ast.Call{}, names: map[int]string{}, slots: make([][]item, len(sl.sel.Items))}
	for i, it := range sl.sel.Items {
		call, ok := it.Expr.(*ast.Call)
		if !ok {
			continue
		}
		if name, builtin := functionName(call); builtin && expr.IsGenerator(name) {
			g.calls[i], g.names[i] = call, name
		}
	}
	if len(g.calls) == 0 {
		return false
	}
	sl.gens = g
	return true
}

// bindAround binds a select list with row-making functions. Any item may use the columns that they make, also one that
// stands before them, and one function those of another: what has a name that nothing in sight has waits for them.
func (sl *selection) bindAround() error {
	g := sl.gens
	for left := len(g.slots); left > 0; {
		var first error
		progress := false
		for i, it := range sl.sel.Items {
			if g.slots[i] != nil {
				continue
			}
			sl.items = nil
			for _, s := range g.slots[:i] {
				sl.items = append(sl.items, s...)
			}
			bound, err := sl.bindSlot(i, it)
			switch {
			case err == nil:
				g.slots[i], progress = bound, true
				left--
			case !isCondition(err, "UNRESOLVED_COLUMN"):
				return err
			case first == nil:
				first = err
			}
		}
		if !progress {
			return first
		}
	}
	sl.items = nil
	for _, s := range g.slots {
		sl.items = append(sl.items, s...)
	}
	return nil
}

func (sl *selection) bindSlot(i int, it *ast.SelectItem) ([]item, error) {
	g, b := sl.gens, sl.b
	call := g.calls[i]
	if call == nil {
		return sl.bindItem(it, sl.generatedName)
	}
	es := sl.scopeFor("Project")
	es.lateral = sl.generatedName
	early := len(sl.early)
	gen, err := b.generator(call, g.names[i], es)
	if err != nil {
		return nil, err
	}
	if len(sl.early) > early {
		return nil, sqlerr.Unsupported("LATERAL_COLUMN_ALIAS_OF_VOLATILE", "using the alias of a random value in a function that makes rows").At(it.Span())
	}
	if len(it.Aliases) > 0 && len(it.Aliases) != len(gen.Fields) {
		return nil, sqlerr.GeneratorAliases(len(gen.Fields), partNames(it.Aliases)).At(it.Span())
	}
	m := &madeRows{at: i, gen: gen}
	out := make([]item, len(gen.Fields))
	for k, f := range gen.Fields {
		c := b.newColumn(f.Name, f.Type)
		if len(it.Aliases) > 0 {
			c.Name = it.Aliases[k].Name
		}
		m.cols = append(m.cols, c)
		g.columns.add(column{Column: c, origin: c.ID})
		// Of several names none counts as an alias that another item may be confused with.
		out[k] = item{name: c.Name, aliased: len(it.Aliases) == 1, expr: columnRef(c), src: it.Expr}
	}
	g.made = append(g.made, m)
	return out, nil
}

// generatedName is the alias of an earlier item, or a column that a row-making function makes.
func (sl *selection) generatedName(ref *ast.ColumnRef, inAggregate bool) (expr.Expr, error) {
	g := sl.gens
	x, err := sl.lateralAlias(ref, inAggregate)
	if err != nil {
		return nil, err
	}
	if x == nil {
		found, rest := sl.b.find(&g.columns, partNames(ref.Parts))
		if len(found) == 0 {
			return nil, nil
		}
		if x, err = sl.b.reference(ref, found, rest, false); err != nil {
			return nil, err
		}
	}
	made := idSet{}
	for _, c := range g.columns.columns {
		made[c.ID] = true
	}
	used := idSet{}
	used.addExpr(x)
	for id := range used {
		if made[id] {
			if g.firstUse == nil {
				g.firstUse = ref
			}
			delete(sl.b.texts, ref)
		}
	}
	return x, nil
}

// finishGenerators puts the row-making functions below the rest of the SELECT, or above its groups when it has any.
func (sl *selection) finishGenerators(node plan.Node, order []*ast.SortItem) (plan.Node, []column, error) {
	g := sl.gens
	sl.grouped = sl.sel.GroupBy != nil || sl.sel.Having != nil
	for _, it := range sl.items {
		sl.grouped = sl.grouped || exists(it.expr, isAggregate)
	}
	for _, m := range g.made {
		for _, in := range m.inputs() {
			sl.grouped = sl.grouped || exists(*in.expr, isAggregate)
			if exists(*in.expr, isWindow) {
				return nil, nil, sqlerr.Unsupported("GENERATOR_OVER_WINDOW", "a window function inside "+m.gen.Name).At(g.calls[m.at].Span())
			}
		}
	}
	if sl.grouped {
		return sl.aboveGroups(node, order)
	}
	for _, m := range g.made {
		var err error
		if node, err = m.on(sl.b, node); err != nil {
			return nil, nil, at(err, g.calls[m.at].Span())
		}
	}
	return sl.finish(node, order)
}

// on makes the rows of a function beside the columns of node, in the columns that names already refer to.
func (m *madeRows) on(b *binder, node plan.Node) (plan.Node, error) {
	node, cols, err := b.unfold(node, m.gen, nil)
	if err != nil {
		return nil, err
	}
	p := &plan.Project{Input: node}
	as := map[expr.ColumnID]plan.Column{}
	for i, c := range cols {
		as[c.ID] = m.cols[i]
	}
	for _, c := range node.Output() {
		out := c
		if to, ok := as[c.ID]; ok {
			out = to
		}
		p.Out, p.Exprs = append(p.Out, out), append(p.Exprs, columnRef(c))
	}
	return p, nil
}

// generatorInput is an expression that a row-making function computes its rows from, and the position of its argument.
type generatorInput struct {
	expr *expr.Expr
	arg  int
}

// inputs are the expressions that a row-making function computes its rows from, constants left out.
func (m *madeRows) inputs() []generatorInput {
	var out []generatorInput
	add := func(e *expr.Expr, arg int) {
		if !isConstantExpr(*e) {
			out = append(out, generatorInput{e, arg})
		}
	}
	if m.gen.Source != nil {
		add(&m.gen.Source, 0)
	}
	for i, row := range m.gen.Rows {
		for j := range row {
			add(&row[j], 1+i*len(row)+j)
		}
	}
	return out
}

func isConstantExpr(e expr.Expr) bool {
	return expr.CanEval(e) && len(expr.Columns(e)) == 0 && !volatile(e) && !exists(e, isSubquery)
}

// aboveGroups binds a select list that aggregates and holds one row-making function: the function's inputs take its place
// among the items while rows are grouped, and HAVING and ORDER BY see what the whole select list gives.
func (sl *selection) aboveGroups(node plan.Node, order []*ast.SortItem) (plan.Node, []column, error) {
	g, b := sl.gens, sl.b
	if len(g.made) > 1 {
		var shown []string
		for _, m := range g.made {
			shown = append(shown, b.text(g.calls[m.at]))
		}
		return nil, nil, sqlerr.SeveralGenerators(shown).At(sl.sel.Span())
	}
	if ref := g.firstUse; ref != nil {
		return nil, nil, sqlerr.UnresolvedColumn(ident.Name(partNames(ref.Parts)).Quoted(), suggest(partNames(ref.Parts), sl.scope.columns)).At(ref.Span())
	}
	if sl.sel.Qualify != nil {
		return nil, nil, sqlerr.Unsupported("QUALIFY_WITH_GENERATOR", "QUALIFY over aggregates and a function that makes rows").At(sl.sel.Qualify.Span())
	}
	m := g.made[0]
	inputs := m.inputs()
	sl.items = nil
	first := 0
	for i, s := range g.slots {
		if i != m.at {
			sl.items = append(sl.items, s...)
			continue
		}
		first = len(sl.items)
		for _, in := range inputs {
			sl.items = append(sl.items, item{name: "_gen_input_" + itoa(in.arg), aliased: true, expr: *in.expr, src: g.calls[i]})
		}
	}
	inner := *sl.sel
	inner.Having, inner.Distinct = nil, false
	outer := sl.sel
	sl.sel = &inner
	node, keep, err := sl.finish(node, nil)
	if err != nil {
		return nil, nil, err
	}
	below := node.Output()
	if keep != nil {
		below = below[:len(keep)]
	}
	for k, in := range inputs {
		*in.expr = columnRef(below[first+k])
	}
	if node, err = m.on(b, node); err != nil {
		return nil, nil, at(err, g.calls[m.at].Span())
	}
	p := &plan.Project{Input: node}
	for i := range below {
		if i == first {
			p.Out = append(p.Out, m.cols...)
		}
		if i < first || i >= first+len(inputs) {
			p.Out = append(p.Out, below[i])
		}
	}
	if first == len(below) {
		p.Out = append(p.Out, m.cols...)
	}
	for _, c := range p.Out {
		p.Exprs = append(p.Exprs, columnRef(c))
	}
	node = p
	if outer.Having != nil {
		s := b.outputScope(node, nil, sl.frame)
		cond, err := b.condition(outer.Having, &exprScope{frame: sl.frame, scope: s, clause: "HAVING"}, sqlerr.FilterNotBoolean)
		if err != nil {
			return nil, nil, err
		}
		node = &plan.Filter{Input: node, Cond: cond}
	}
	if outer.Distinct {
		node = &plan.Distinct{Input: node}
	}
	node, err = b.sortOutput(node, order, sl.frame)
	return node, nil, err
}
