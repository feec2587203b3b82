package bind

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// item is one column of a select list. Its expression is over the columns of FROM, with aggregate and window functions
// still inside, until finish takes these out.
type item struct {
	name    string
	aliased bool
	lateral bool // it uses the alias of an earlier item
	expr    expr.Expr
	src     ast.Expr
}

// selection is a SELECT that is being bound.
type selection struct {
	b     *binder
	gens  *generatorItems // nil when no item is a row-making function
	sel   *ast.Select
	frame *frame
	scope *scope
	items []item
	named map[string]*ast.WindowSpec
	// early are volatile items that a later item refers to: they are computed once, below everything else.
	early []item
	// asks are the calls of grouping() and grouping_id(), each standing in expressions as a column that finish replaces.
	asks map[expr.ColumnID]*groupingAsk
	// outside are the aggregates that sub-queries of HAVING take of the groups, each standing in them as a column.
	outside map[expr.ColumnID]*expr.Aggregate
	group   *grouping // nil when rows are not grouped
	// grouped tells that the rows are one group even when no part holds an aggregate.
	grouped bool
	// starred tells that the select list has a *, uses that the item being bound used an earlier one's alias.
	starred, uses bool
}

// selectQuery binds a SELECT together with the ordering of the query around it, which may use what the SELECT does not
// yield. keep, when not nil, are the columns to keep of a node that has more.
func (b *binder) selectQuery(sel *ast.Select, q *ast.Query, order []*ast.SortItem, f *frame) (node plan.Node, keep []column, err error) {
	node, s, err := b.from(sel.From, f)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range sel.LateralViews {
		if node, s, err = b.lateralView(v, node, s, f); err != nil {
			return nil, nil, err
		}
	}
	if sel.Where != nil {
		cond, err := b.condition(sel.Where, &exprScope{frame: f, scope: s, clause: "WHERE"}, sqlerr.FilterNotBoolean)
		if err != nil {
			return nil, nil, err
		}
		node = &plan.Filter{Input: node, Cond: cond}
	}
	if sel.Having != nil && sel.GroupBy == nil && b.env.HavingAsWhere {
		filtered := *sel
		cond, err := b.condition(sel.Having, &exprScope{frame: f, scope: s, clause: "WHERE"}, sqlerr.FilterNotBoolean)
		if err != nil {
			return nil, nil, err
		}
		filtered.Having = nil
		sel, node = &filtered, &plan.Filter{Input: node, Cond: cond}
	}
	sl := &selection{b: b, sel: sel, frame: f, scope: s, named: map[string]*ast.WindowSpec{}, asks: map[expr.ColumnID]*groupingAsk{}}
	for _, list := range [][]*ast.NamedWindow{sel.Windows, q.Windows} {
		for _, w := range list {
			if _, twice := sl.named[b.fold(w.Name.Name)]; twice {
				return nil, nil, sqlerr.RepeatedWindow(w.Name.Name).At(w.Name.Span())
			}
			sl.named[b.fold(w.Name.Name)] = w.Spec
		}
	}
	if err := sl.bindItems(); err != nil {
		return nil, nil, err
	}
	if err := sl.distribute(q.DistributeBy); err != nil {
		return nil, nil, err
	}
	if sl.gens != nil {
		return sl.finishGenerators(node, order)
	}
	return sl.finish(node, order)
}

// distribute checks DISTRIBUTE BY, whose names are those of ORDER BY. One machine has nothing to distribute to.
func (sl *selection) distribute(keys []ast.Expr) error {
	for _, e := range keys {
		es := sl.scopeFor("DISTRIBUTE BY")
		es.aggregates, es.windows = false, false
		es.names, es.near = sl.orderName, sl.outputColumns()
		if _, err := sl.b.expr(e, es); err != nil {
			return err
		}
	}
	return nil
}

// scopeFor is what an expression of the SELECT may use.
func (sl *selection) scopeFor(clause string) *exprScope {
	return &exprScope{
		frame: sl.frame, scope: sl.scope, clause: clause, aggregates: true, windows: true, named: sl.named,
		grouping: func(e *ast.Call) (expr.Expr, error) { return sl.askGrouping(e, clause) },
	}
}

func (sl *selection) bindItems() error {
	if sl.findGenerators() {
		return sl.bindAround()
	}
	for _, it := range sl.sel.Items {
		next, err := sl.bindItem(it, sl.lateralAlias)
		if err != nil {
			return err
		}
		sl.items = append(sl.items, next...)
	}
	return nil
}

// bindItem binds one item of the select list; * gives several. lateral finds names that FROM does not have.
func (sl *selection) bindItem(it *ast.SelectItem, lateral func(*ast.ColumnRef, bool) (expr.Expr, error)) ([]item, error) {
	b := sl.b
	es := sl.scopeFor(projectClause)
	if cols, ok, err := b.several(it.Expr, es); ok {
		if err != nil {
			return nil, err
		}
		if len(it.Aliases) > 0 {
			return nil, sqlerr.InvalidStar("expression `alias`").At(it.Span())
		}
		out := make([]item, len(cols))
		for i, c := range cols {
			out[i] = item{name: c.name, expr: c.expr}
		}
		sl.starred = true
		return out, nil
	}
	es.lateral = lateral
	sl.uses = false
	x, err := b.expr(it.Expr, es)
	if err != nil {
		return nil, err
	}
	if len(it.Aliases) > 1 {
		return nil, sqlerr.AliasesWithoutGenerator(b.text(it.Expr), partNames(it.Aliases)).At(it.Span())
	}
	next := item{expr: x, src: it.Expr, lateral: sl.uses}
	if len(it.Aliases) == 1 {
		next.name, next.aliased = it.Aliases[0].Name, true
	} else {
		next.name = b.columnName(it.Expr)
	}
	return []item{next}, nil
}

// projectClause names the select list in messages.
const projectClause = "Project"

// starItem is one column that a * stands for.
type starItem struct {
	name string
	expr expr.Expr
}

// aliasIndex is the item that a name means by its alias, or -1. The rest of the name are fields.
func (sl *selection) aliasIndex(ref *ast.ColumnRef) (int, error) {
	name := ref.Parts[0].Name
	at, count := -1, 0
	for i := range sl.items {
		if sl.items[i].aliased && sl.b.same(sl.items[i].name, name) {
			at = i
			count++
		}
	}
	if count > 1 {
		return -1, sqlerr.AmbiguousLateralAlias(ident.Quote(name), count).At(ref.Span())
	}
	return at, nil
}

// lateralAlias is the alias of an earlier item used in a later one.
func (sl *selection) lateralAlias(ref *ast.ColumnRef, inAggregate bool) (expr.Expr, error) {
	i, err := sl.aliasIndex(ref)
	if i < 0 || err != nil {
		return nil, err
	}
	if inAggregate {
		return nil, sqlerr.LateralAliasInAggregate(ident.Quote(ref.Parts[0].Name), "lateralAliasReference("+ref.Parts[0].Name+")").At(ref.Span())
	}
	it := &sl.items[i]
	if volatile(it.expr) {
		if exists(it.expr, isAggregate) || exists(it.expr, isWindow) {
			return nil, sqlerr.Unsupported("LATERAL_COLUMN_ALIAS_OF_VOLATILE", "using the alias of an aggregate that is random in the same select list").At(ref.Span())
		}
		c := sl.b.newColumn(it.name, it.expr.Type())
		sl.early = append(sl.early, item{name: it.name, expr: it.expr})
		it.expr = columnRef(c)
		sl.scope.add(column{Column: c, hidden: true, origin: c.ID, qualifier: nil})
	}
	sl.uses = true
	sl.b.texts[ref] = "lateralAliasReference(" + joinParts(ref.Parts) + ")"
	return sl.fields(it.expr, ref)
}

// fields takes the fields that follow the first part of a name.
func (sl *selection) fields(x expr.Expr, ref *ast.ColumnRef) (expr.Expr, error) {
	for i, p := range ref.Parts[1:] {
		var err error
		if x, err = sl.b.field(x, p.Name, joinParts(ref.Parts[:i+1])); err != nil {
			return nil, at(err, ref.Span())
		}
	}
	return x, nil
}

func joinParts(parts []ast.Ident) string { return strings.Join(partNames(parts), ".") }

// namedItem is the first item of a name, as GROUP BY takes it: also one that has the name without having been given it.
func (sl *selection) namedItem(ref *ast.ColumnRef) *item {
	name := joinParts(ref.Parts)
	for i := range sl.items {
		if sl.b.same(sl.items[i].name, name) {
			return &sl.items[i]
		}
	}
	return nil
}

// groupAlias is an alias used in HAVING or QUALIFY where FROM has no such column, or none that is grouped by.
func (sl *selection) groupAlias(ref *ast.ColumnRef, inAggregate bool) (expr.Expr, error) {
	i, err := sl.aliasIndex(ref)
	if isCondition(err, "AMBIGUOUS_LATERAL_COLUMN_ALIAS") {
		n := ident.Quote(ref.Parts[0].Name)
		return nil, sqlerr.AmbiguousReference(n, []string{n, n}).At(ref.Span())
	}
	if i < 0 || err != nil {
		return nil, err
	}
	switch e := sl.items[i].expr; {
	case !inAggregate:
	case exists(e, isWindow):
		return nil, sqlerr.WindowInAggregate().At(ref.Span())
	case exists(e, isAggregate):
		return nil, sqlerr.NestedAggregate().At(ref.Span())
	}
	return sl.fields(sl.items[i].expr, ref)
}

// havingName prefers columns of FROM that are grouped by, then aliases.
func (sl *selection) havingName(ref *ast.ColumnRef, found []column, inAggregate bool) (expr.Expr, error) {
	if inAggregate || len(found) != 1 || sl.group.isKey(found[0].ID) {
		return nil, nil
	}
	if i, err := sl.aliasIndex(ref); i >= 0 && err == nil {
		return sl.fields(sl.items[i].expr, ref)
	}
	return nil, nil
}

// orderName prefers the select list's own names, as ORDER BY does, but not inside aggregate functions.
func (sl *selection) orderName(ref *ast.ColumnRef, found []column, inAggregate bool) (expr.Expr, error) {
	if inAggregate || len(ref.Parts) > 1 && len(found) > 0 {
		return nil, nil
	}
	var x expr.Expr
	for _, it := range sl.items {
		if !sl.b.same(it.name, ref.Parts[0].Name) {
			continue
		}
		if x != nil && keyOf(x) != keyOf(it.expr) {
			if len(found) > 0 {
				return nil, nil // what the select list leaves open, FROM may settle
			}
			// Spark says so rather than that the name is ambiguous.
			n := ident.Quote(it.name)
			return nil, sqlerr.UnresolvedColumn(n, []string{n, n}).At(ref.Span())
		}
		x = it.expr
	}
	if x == nil {
		return nil, nil
	}
	return sl.fields(x, ref)
}

// finish puts grouping, windows, the select list, DISTINCT and the ordering on top of the rows of FROM and WHERE.
func (sl *selection) finish(node plan.Node, order []*ast.SortItem) (plan.Node, []column, error) {
	b := sl.b
	if len(sl.early) > 0 {
		p := &plan.Project{Input: node}
		for _, c := range node.Output() {
			p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, columnRef(c))
		}
		first := len(sl.scope.columns) - len(sl.early)
		for i, e := range sl.early {
			p.Out = append(p.Out, sl.scope.columns[first+i].Column)
			p.Exprs = append(p.Exprs, e.expr)
		}
		node = p
	}
	if err := sl.findGroups(); err != nil {
		return nil, nil, err
	}
	for _, k := range sl.group.keys {
		if exists(k, isRowNumber) {
			return nil, nil, errRowNumber().At(sl.sel.GroupBy.Span())
		}
	}
	var having, qualify expr.Expr
	var err error
	if sl.sel.Having != nil {
		es := sl.scopeFor("HAVING")
		es.windows, es.names, es.outerAggregate = false, sl.havingName, sl.outerAggregate
		es.lateral = func(ref *ast.ColumnRef, in bool) (expr.Expr, error) {
			e, err := sl.groupAlias(ref, in)
			if e != nil && exists(e, isWindow) || isCondition(err, "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE") {
				return nil, nil // windows are computed after HAVING: there is no such column yet
			}
			return e, err
		}
		if having, err = b.havingCondition(sl.sel.Having, es); err != nil {
			return nil, nil, err
		}
	}
	if sl.sel.Qualify != nil {
		if err = sl.checkQualify(); err != nil {
			return nil, nil, err
		}
		es := sl.scopeFor("QUALIFY")
		es.lateral = sl.groupAlias
		if qualify, err = b.condition(sl.sel.Qualify, es, sqlerr.FilterNotBoolean); err != nil {
			return nil, nil, err
		}
	}
	keys, err := sl.orderKeys(order)
	if err != nil {
		return nil, nil, err
	}
	return sl.assemble(node, having, qualify, keys, order)
}

// outerAggregate is the column that stands in a sub-query for an aggregate of the groups.
func (sl *selection) outerAggregate(a *expr.Aggregate) *expr.Column {
	c := sl.b.newColumn("aggregate", a.T)
	if sl.outside == nil {
		sl.outside = map[expr.ColumnID]*expr.Aggregate{}
	}
	sl.outside[c.ID] = a
	return &expr.Column{ID: c.ID, Name: expr.Print(a), T: a.T, Outer: true}
}

// havingCondition binds HAVING. Unlike WHERE it casts what is not BOOLEAN.
func (b *binder) havingCondition(e ast.Expr, es *exprScope) (expr.Expr, error) {
	x, err := b.expr(e, es)
	if err != nil || x.Type().Kind == types.Boolean {
		return x, err
	}
	mode := expr.CastANSI
	if !b.env.Context.ANSI {
		mode = expr.CastLegacy
	}
	x, err = expr.NewCast(x, types.Of(types.Boolean), mode)
	return x, at(err, e.Span())
}

// orderKeys binds ORDER BY over the columns of FROM, aliases replaced by what they stand for.
func (sl *selection) orderKeys(order []*ast.SortItem) ([]expr.SortKey, error) {
	var out []expr.SortKey
	if len(order) == 1 && sl.orderAll(order[0]) {
		for _, it := range sl.items {
			out = append(out, keyFor(order[0], it.expr))
		}
		return out, nil
	}
	for _, o := range order {
		es := sl.scopeFor("Sort")
		es.windows, es.names = true, sl.orderName
		es.near = sl.outputColumns()
		x, err := sl.b.sortExpr(o, len(sl.items), func(i int) expr.Expr { return sl.items[i].expr }, es)
		if err != nil {
			return nil, err
		}
		out = append(out, keyFor(o, x))
	}
	return out, nil
}

// orderAll reports ORDER BY ALL.
func (sl *selection) orderAll(o *ast.SortItem) bool {
	if !isAll(o.Expr) {
		return false
	}
	ref := o.Expr.(*ast.ColumnRef)
	found, _ := sl.b.find(sl.scope, []string{ref.Parts[0].Name})
	x, err := sl.orderName(ref, nil, false)
	return len(found) == 0 && x == nil && err == nil
}

// isAll reports the bare word ALL.
func isAll(e ast.Expr) bool {
	ref, ok := e.(*ast.ColumnRef)
	return ok && len(ref.Parts) == 1 && !ref.Parts[0].Quoted && strings.EqualFold(ref.Parts[0].Name, "all")
}

// outputColumns are the select list's columns as a message suggests them.
func (sl *selection) outputColumns() []column {
	out := make([]column, len(sl.items))
	for i, it := range sl.items {
		out[i] = column{Column: plan.Column{Name: it.name}}
	}
	return out
}

// assemble builds the nodes from bound parts.
func (sl *selection) assemble(node plan.Node, having, qualify expr.Expr, keys []expr.SortKey, order []*ast.SortItem) (plan.Node, []column, error) {
	b := sl.b
	// Every part is rewritten over the groups first, then over the windows.
	parts := make([]*expr.Expr, 0, len(sl.items)+len(keys)+2)
	for i := range sl.items {
		parts = append(parts, &sl.items[i].expr)
	}
	for i := range keys {
		parts = append(parts, &keys[i].Expr)
	}
	if qualify != nil {
		parts = append(parts, &qualify)
	}
	needGroup := sl.sel.GroupBy != nil || having != nil || sl.grouped
	for _, p := range parts {
		if p != &qualify {
			needGroup = needGroup || exists(*p, isAggregate)
		}
	}
	if err := sl.checkOrderAbove(order, needGroup); err != nil {
		return nil, nil, err
	}
	if needGroup {
		if having != nil {
			parts = append(parts, &having)
		}
		g := sl.group
		if len(sl.early) > 0 {
			return nil, nil, sqlerr.Unsupported("LATERAL_COLUMN_ALIAS_OF_VOLATILE", "using the alias of a random value in the same select list as aggregates").At(sl.sel.Span())
		}
		for i, p := range parts {
			x, err := g.rewrite(*p)
			if err != nil {
				if isCondition(err, "MISSING_AGGREGATION") || isCondition(err, "MISSING_GROUP_BY") {
					if k := i - len(sl.items); k >= 0 && k < len(keys) {
						err = sl.notInOutput(*p, order[min(k, len(order)-1)].Expr)
					} else if p == &having {
						err = sl.notInOutput(*p, sl.sel.Having)
					}
				}
				return nil, nil, sl.atPart(err, i, order)
			}
			*p = x
		}
		node = g.node(node)
		if having != nil {
			node = &plan.Filter{Input: node, Cond: having}
		}
	} else if len(sl.asks) > 0 {
		return nil, nil, sqlerr.UnsupportedGrouping().At(sl.sel.Span())
	} else if qualify != nil && exists(qualify, isAggregate) {
		// QUALIFY does not make groups of the rows.
		return nil, nil, sqlerr.MissingGroupBy().At(sl.sel.Qualify.Span())
	}
	wins := &windowSet{b: b}
	for _, p := range parts {
		if p != &having {
			*p = wins.rewrite(*p)
		}
	}
	for _, w := range wins.exprs {
		win := w.(*expr.Window)
		keys := slices.Clone(win.PartitionBy)
		for _, k := range win.OrderBy {
			keys = append(keys, k.Expr)
		}
		for _, k := range keys {
			if exists(k, isOuter) {
				return nil, nil, sqlerr.OuterReference(expr.Print(k)).At(sl.sel.Span())
			}
		}
	}
	if len(wins.out) > 0 {
		node = &plan.Windows{Input: node, WinOut: wins.out, Wins: wins.exprs}
	}
	if qualify != nil {
		if len(wins.out) == 0 {
			return nil, nil, sqlerr.QualifyWithoutWindow().At(sl.sel.Qualify.Span())
		}
		node = &plan.Filter{Input: node, Cond: qualify}
	}
	return sl.project(node, keys, order)
}

// atPart gives an error about the i-th part its place: that of the item, or of the ordering key.
func (sl *selection) atPart(err error, i int, order []*ast.SortItem) error {
	switch {
	case i < len(sl.items) && sl.items[i].src != nil:
		return at(err, sl.items[i].src.Span())
	case i >= len(sl.items) && i-len(sl.items) < len(order):
		return at(err, order[i-len(sl.items)].Expr.Span())
	}
	return at(err, sl.sel.Span())
}

// notInOutput is the error for an ordering key or a HAVING that uses a column which the rows at hand no longer have.
func (sl *selection) notInOutput(e expr.Expr, src ast.Expr) error {
	name := firstColumn(e)
	if ref, ok := src.(*ast.ColumnRef); ok {
		return sqlerr.UnresolvedColumn(ident.Name(partNames(ref.Parts)).Quoted(), suggest(partNames(ref.Parts), sl.outputColumns())).At(ref.Span())
	}
	return sqlerr.UnresolvedColumn(ident.Quote(name), suggest([]string{name}, sl.outputColumns())).At(src.Span())
}

// firstColumn is the name of the first column that e refers to.
func firstColumn(e expr.Expr) string {
	name := ""
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok && name == "" {
			name = c.Name
		}
		return name == ""
	})
	return name
}

// project computes the select list, drops duplicates and orders.
func (sl *selection) project(node plan.Node, keys []expr.SortKey, order []*ast.SortItem) (plan.Node, []column, error) {
	b := sl.b
	p := &plan.Project{Input: node}
	byKey := map[string]plan.Column{}
	taken := idSet{}
	add := func(name string, e expr.Expr) plan.Column {
		c := plan.Column{Name: name, Type: e.Type()}
		if ref, ok := e.(*expr.Column); ok && !ref.Outer && !taken[ref.ID] {
			c.ID = ref.ID
		} else {
			c.ID = b.newID()
		}
		taken[c.ID] = true
		p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, e)
		if k := keyOf(e); byKey[k].ID == 0 {
			byKey[k] = c
		}
		return c
	}
	for _, it := range sl.items {
		add(it.name, it.expr)
	}
	width := len(p.Out)
	for i, k := range keys {
		c, ok := byKey[keyOf(k.Expr)]
		if !ok {
			if sl.sel.Distinct {
				return nil, nil, sl.notInOutput(k.Expr, order[min(i, len(order)-1)].Expr)
			}
			if err := checkSortQueries(k.Expr, order[min(i, len(order)-1)]); err != nil {
				return nil, nil, err
			}
			if exists(k.Expr, isOuter) {
				return nil, nil, sqlerr.OuterReference(expr.Print(k.Expr)).At(order[min(i, len(order)-1)].Expr.Span())
			}
			name := "sort" + itoa(i+1)
			if ref, bare := k.Expr.(*expr.Column); bare {
				name = ref.Name
			}
			c = add(name, k.Expr)
		}
		keys[i].Expr = columnRef(c)
	}
	var out plan.Node = p
	if sl.sel.Distinct {
		for _, c := range p.Out {
			if c.Type.HasMap() {
				return nil, nil, sqlerr.SetOperationOnMap(ident.Quote(c.Name), c.Type.SQL()).At(sl.sel.Span())
			}
		}
		out = &plan.Distinct{Input: p}
	}
	if len(keys) > 0 {
		out = &plan.Sort{Input: out, Keys: keys}
	}
	if width == len(p.Out) {
		return out, nil, nil
	}
	keep := make([]column, width)
	for i := range keep {
		keep[i] = column{Column: p.Out[i]}
	}
	return out, keep, nil
}
