package bind

import (
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxGroupingKeys is how many bits a grouping id has, maxGroupingSets how many sets CUBE and the like may make.
const (
	maxGroupingKeys = 64
	maxGroupingSets = 1 << 16
)

// grouping is the GROUP BY of a SELECT, with the aggregates that its parts turn out to need.
type grouping struct {
	sl      *selection
	keys    []expr.Expr
	keyOut  []plan.Column
	byKey   map[string]int
	heads   map[string]bool
	sets    [][]int
	written bool // there is a GROUP BY clause
	aggs    []expr.Expr
	aggOut  []plan.Column
	aggKeys map[string]plan.Column
	id      *plan.Column // of the grouping id, when asked for
	input   idSet        // the columns of FROM
}

// isCondition reports whether err has a condition, or a sub-condition of it.
func isCondition(err error, c sqlerr.Condition) bool { return errors.Is(err, c) }

func (g *grouping) isKey(id expr.ColumnID) bool {
	for _, k := range g.keys {
		if c, ok := k.(*expr.Column); ok && c.ID == id {
			return true
		}
	}
	return false
}

// findGroups binds GROUP BY.
func (sl *selection) findGroups() error {
	g := &grouping{sl: sl, byKey: map[string]int{}, heads: map[string]bool{}, aggKeys: map[string]plan.Column{}, input: idSet{}}
	sl.group = g
	for _, c := range sl.scope.columns {
		g.input[c.ID] = true
	}
	by := sl.sel.GroupBy
	if by == nil {
		return nil
	}
	g.written = true
	if by.All {
		// A column or an item of that name is meant, where there is one.
		ref := &ast.ColumnRef{At: by.At, Parts: []ast.Ident{{At: by.At, Name: "all"}}}
		found, _ := sl.b.find(sl.scope, []string{"all"})
		if len(found) != 1 && (sl.b.env.NoGroupByAlias || sl.namedItem(ref) == nil) {
			return g.groupAll(by)
		}
		if _, err := g.bindKey(ref); err != nil {
			return err
		}
		g.makeOutput()
		return nil
	}
	for _, e := range by.Given {
		if _, err := g.bindKey(e); err != nil {
			return err
		}
	}
	sets := [][]int{{}}
	plain := true
	for _, it := range by.Items {
		alternatives, err := g.expand(it)
		if err != nil {
			return err
		}
		plain = plain && it.Kind == ast.GroupExpr
		if len(sets)*len(alternatives) > maxGroupingSets {
			return sqlerr.GroupingSizeLimit(maxGroupingKeys).At(by.Span())
		}
		var next [][]int
		for _, s := range sets {
			for _, a := range alternatives {
				next = append(next, append(append([]int{}, s...), a...))
			}
		}
		sets = next
	}
	if !plain {
		if len(g.keys) > maxGroupingKeys {
			return sqlerr.GroupingSizeLimit(maxGroupingKeys).At(by.Span())
		}
		g.sets = make([][]int, len(sets))
		for i, s := range sets {
			g.sets[i] = unique(s)
		}
	}
	g.makeOutput()
	return nil
}

func unique(s []int) []int {
	seen := map[int]bool{}
	out := []int{}
	for _, i := range s {
		if !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	return out
}

// groupAll groups by the items that hold no aggregate.
func (g *grouping) groupAll(by *ast.GroupBy) error {
	mixed := false
	for _, it := range g.sl.items {
		if !exists(it.expr, isAggregate) {
			if g.sl.asksGrouping(it.expr) {
				return sqlerr.UnsupportedGrouping().At(by.Span())
			}
			if it.lateral {
				return sqlerr.LateralAliasInGroupBy().At(by.Span())
			}
			if !exists(it.expr, isWindow) {
				g.addKey(it.expr)
			}
			continue
		}
		mixed = mixed || g.looseColumn(it.expr)
	}
	if len(g.keys) == 0 && mixed {
		return sqlerr.UnresolvedGroupByAll().At(by.Span())
	}
	g.makeOutput()
	return nil
}

// looseColumn reports a column outside of aggregate functions, also one that a sub-query uses.
func (g *grouping) looseColumn(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			found = found || !x.Outer
		case *expr.Subquery:
			if in, ok := x.Query.(plan.Node); ok {
				for id := range free(in) {
					found = found || g.input[id]
				}
			}
		}
		return !isAggregate(x) && !found
	})
	return found
}

// expand lists the grouping sets that an element of GROUP BY stands for.
func (g *grouping) expand(it *ast.GroupItem) ([][]int, error) {
	switch it.Kind {
	case ast.GroupExpr, ast.GroupSet:
		set := []int{}
		for _, e := range it.Exprs {
			i, err := g.bindKey(e)
			if err != nil {
				return nil, err
			}
			set = append(set, i)
		}
		return [][]int{set}, nil
	case ast.GroupSets:
		var out [][]int
		for _, e := range it.Elems {
			sets, err := g.expand(e)
			if err != nil {
				return nil, err
			}
			out = append(out, sets...)
		}
		return out, nil
	}
	var parts [][]int
	for _, e := range it.Elems {
		sets, err := g.expand(e)
		if err != nil {
			return nil, err
		}
		if len(sets) != 1 {
			return nil, sqlerr.Unsupported("NESTED_GROUPING", "ROLLUP, CUBE or GROUPING SETS inside ROLLUP or CUBE").At(e.Span())
		}
		parts = append(parts, sets[0])
	}
	var out [][]int
	if it.Kind == ast.GroupRollup {
		for n := len(parts); n >= 0; n-- {
			out = append(out, flatten(parts[:n]))
		}
		return out, nil
	}
	if len(parts) > 16 {
		return nil, sqlerr.GroupingSizeLimit(16).At(it.Span())
	}
	for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
		var pick [][]int
		for i, p := range parts {
			if mask&(1<<(len(parts)-1-i)) != 0 {
				pick = append(pick, p)
			}
		}
		out = append(out, flatten(pick))
	}
	return out, nil
}

func flatten(parts [][]int) []int {
	out := []int{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// bindKey binds one expression of GROUP BY: a position in the select list, an expression over FROM, or an alias.
func (g *grouping) bindKey(e ast.Expr) (int, error) {
	sl := g.sl
	if n, ok := ordinal(e); ok && !sl.b.env.NoGroupByOrdinal {
		if n < 1 || n > int64(len(sl.items)) {
			return 0, sqlerr.GroupByPosOutOfRange(e.(*ast.NumberLit).Text, len(sl.items)).At(e.Span())
		}
		if sl.starred {
			return 0, sqlerr.StarGroupByPosition().At(e.Span())
		}
		x := sl.items[n-1].expr
		switch {
		case sl.items[n-1].lateral:
			return 0, sqlerr.LateralAliasInGroupBy().At(e.Span())
		case exists(x, isAggregate):
			return 0, sqlerr.GroupByPosAggregate(int(n), expr.Print(x)).At(e.Span())
		case sl.asksGrouping(x):
			return 0, sqlerr.UnsupportedGrouping().At(e.Span())
		case exists(x, isWindow):
			return 0, sqlerr.ExprNotAllowed("GROUP BY", expr.Print(x)).At(e.Span())
		}
		return g.addKey(x), nil
	}
	es := &exprScope{frame: sl.frame, scope: sl.scope, clause: "GROUP BY", named: sl.named}
	if !sl.b.env.NoGroupByAlias {
		es.lateral = func(ref *ast.ColumnRef, _ bool) (expr.Expr, error) {
			it := sl.namedItem(ref)
			if it == nil {
				return nil, nil
			}
			x := it.expr
			switch {
			case it.lateral:
				return nil, sqlerr.LateralAliasInGroupBy().At(ref.Span())
			case exists(x, isAggregate):
				return nil, sqlerr.GroupByAggregate(expr.Print(x)).At(ref.Span())
			case sl.asksGrouping(x):
				return nil, sqlerr.UnsupportedGrouping().At(ref.Span())
			case exists(x, isWindow):
				return nil, sqlerr.ExprNotAllowed("GROUP BY", expr.Print(x)).At(ref.Span())
			}
			return x, nil
		}
	}
	x, err := sl.b.expr(e, es)
	if err != nil {
		return 0, err
	}
	if exists(x, isOuter) {
		return 0, sqlerr.OuterReference(sl.b.text(e)).At(e.Span())
	}
	return g.addKey(x), nil
}

func (g *grouping) addKey(x expr.Expr) int {
	k := keyOf(x)
	if i, ok := g.byKey[k]; ok {
		return i
	}
	g.byKey[k] = len(g.keys)
	g.heads[head(x)] = true
	g.keys = append(g.keys, x)
	return len(g.keys) - 1
}

// head is a cheap part of keyOf: expressions with different heads have different keys.
func head(e expr.Expr) string {
	switch n := e.(type) {
	case *expr.Call:
		if n.Fn != nil {
			return n.Fn.Name
		}
	case *expr.Column:
		return "#"
	case *expr.Cast:
		return "cast"
	case *expr.GetField:
		return "field"
	}
	return ""
}

// makeOutput gives the keys their output columns. A plain column keeps its ID, so that what refers to it from inside
// a sub-query stays right; under grouping sets it becomes NULL in some rows and is another column.
func (g *grouping) makeOutput() {
	for i, k := range g.keys {
		if c, ok := k.(*expr.Column); ok {
			o := plan.Column{ID: c.ID, Name: c.Name, Type: c.T}
			if g.sets != nil || c.Outer {
				o.ID = g.sl.b.newID()
			}
			g.keyOut = append(g.keyOut, o)
			continue
		}
		g.keyOut = append(g.keyOut, g.sl.b.newColumn("key"+itoa(i+1), k.Type()))
	}
}

// rewrite turns an expression over FROM into one over the groups: keys and aggregates become columns. What is left
// must not be a column of FROM.
func (g *grouping) rewrite(e expr.Expr) (expr.Expr, error) {
	var failed error
	out := mapExpr(e, func(x expr.Expr) (expr.Expr, bool) {
		if failed != nil {
			return x, true
		}
		if c, ok := x.(*expr.Column); ok {
			if ask := g.sl.asks[c.ID]; ask != nil {
				y, err := g.answer(ask)
				if err != nil {
					failed = err
					return x, true
				}
				return y, true
			}
		}
		if len(g.keys) > 0 && g.heads[head(x)] {
			if i, ok := g.byKey[keyOf(x)]; ok {
				return columnRef(g.keyOut[i]), true
			}
		}
		switch n := x.(type) {
		case *expr.Aggregate:
			if g.sl.asksGrouping(n) {
				failed = sqlerr.UnsupportedGrouping().At(g.sl.sel.Span())
				if g.sets != nil {
					failed = sqlerr.Unsupported("GROUPING_IN_AGGREGATE", "grouping() or grouping_id() inside an aggregate function").At(g.sl.sel.Span())
				}
				return x, true
			}
			return columnRef(g.aggregate(n)), true
		case *expr.Column:
			if !n.Outer {
				failed = g.missing(n)
			}
			return x, true
		}
		return nil, false
	}, func(x expr.Expr) expr.Expr {
		q, ok := x.(*expr.Subquery)
		if !ok || failed != nil {
			return x
		}
		y, err := g.subquery(q)
		if err != nil {
			failed = err
			return x
		}
		return y
	})
	return out, failed
}

// missing is the error for a column that is neither grouped nor aggregated.
func (g *grouping) missing(c *expr.Column) error {
	if !g.written || len(g.keys) == 0 {
		return sqlerr.MissingGroupBy()
	}
	return sqlerr.MissingAggregation(c.Name)
}

// subquery checks that a sub-query uses grouped columns only, and points it at the groups.
func (g *grouping) subquery(q *expr.Subquery) (expr.Expr, error) {
	in, ok := q.Query.(plan.Node)
	if !ok {
		return q, nil
	}
	with := map[expr.ColumnID]expr.Expr{}
	for id := range free(in) {
		if a := g.sl.outside[id]; a != nil {
			with[id] = columnRef(g.aggregate(a))
			continue
		}
		if !g.input[id] {
			continue
		}
		i, ok := g.byKey[keyOf(&expr.Column{ID: id})]
		if !ok {
			return nil, sqlerr.SubqueryNotGrouped(expr.Print(q))
		}
		if g.keyOut[i].ID != id {
			with[id] = columnRef(g.keyOut[i])
		}
	}
	if len(with) == 0 {
		return q, nil
	}
	c := *q
	c.Query = replaceOuter(in, with)
	return &c, nil
}

// aggregate is the output column of an aggregate; equal ones share it.
func (g *grouping) aggregate(a *expr.Aggregate) plan.Column {
	k := keyOf(a)
	if c, ok := g.aggKeys[k]; ok {
		return c
	}
	c := g.sl.b.newColumn("agg"+itoa(len(g.aggs)+1), a.T)
	g.aggKeys[k] = c
	g.aggs, g.aggOut = append(g.aggs, a), append(g.aggOut, c)
	return c
}

// node is the aggregation itself. It must be made after all parts were rewritten.
func (g *grouping) node(input plan.Node) plan.Node {
	return &plan.Aggregate{Input: input, KeyOut: g.keyOut, Keys: g.keys, AggOut: g.aggOut, Aggs: g.aggs, Sets: g.sets, Grouping: g.id}
}

// askGrouping binds grouping(x) and grouping_id(…) to a column that stands for the answer, which depends on a GROUP BY
// that is not bound yet.
func (sl *selection) askGrouping(e *ast.Call, clause string) (expr.Expr, error) {
	above := clause == "HAVING" || clause == "Sort"
	if sl.sel.GroupBy == nil {
		if clause == "HAVING" && len(e.Args) == 1 {
			// HAVING looks at one group then, which has no column.
			return nil, sl.notInOutput(&expr.Column{}, e.Args[0].Expr)
		}
		return nil, sqlerr.UnsupportedGrouping().At(e.Span())
	}
	t := types.Of(types.BigInt)
	if strings.EqualFold(e.Name.Ident().Last(), "grouping") {
		t = types.Of(types.TinyInt)
		if len(e.Args) != 1 {
			return nil, sqlerr.WrongNumArgs("grouping", "1", len(e.Args)).At(e.Span())
		}
	}
	c := sl.b.newColumn("grouping", t)
	sl.asks[c.ID] = &groupingAsk{call: e, above: above}
	return columnRef(c), nil
}

// groupingAsk is a call of grouping() or grouping_id(); above tells that it stands in HAVING or ORDER BY.
type groupingAsk struct {
	call  *ast.Call
	above bool
}

// asksGrouping reports a call of grouping() or grouping_id() inside e.
func (sl *selection) asksGrouping(e expr.Expr) bool {
	return exists(e, func(x expr.Expr) bool {
		c, ok := x.(*expr.Column)
		return ok && sl.asks[c.ID] != nil
	})
}

// answer computes grouping(x), or grouping_id(…), from the bits of the grouping id: the first key's is the highest.
func (g *grouping) answer(ask *groupingAsk) (expr.Expr, error) {
	e := ask.call
	// Above several sets without keys Spark has no grouping id to look at.
	if g.sets == nil || len(g.keys) == 0 && len(g.sets) > 1 && ask.above {
		return nil, sqlerr.UnsupportedGrouping().At(e.Span())
	}
	b := g.sl.b
	if g.id == nil {
		c := b.newColumn("grouping_id", types.Of(types.BigInt))
		g.id = &c
	}
	id := columnRef(*g.id)
	var names, args []string
	for _, k := range g.keys {
		names = append(names, expr.Print(k))
	}
	var at []int
	for _, a := range e.Args {
		args = append(args, b.text(a.Expr))
		x, err := b.expr(a.Expr, &exprScope{frame: g.sl.frame, scope: g.sl.scope, clause: "grouping"})
		if err != nil {
			return nil, err
		}
		i, ok := g.byKey[keyOf(x)]
		if !ok {
			i = -1
		}
		at = append(at, i)
	}
	if strings.EqualFold(e.Name.Ident().Last(), "grouping") {
		if at[0] < 0 {
			return nil, sqlerr.GroupingMismatch(args[0], join(names)).At(e.Span())
		}
		shift := int64(len(g.keys) - 1 - at[0])
		return b.bitOf(id, shift)
	}
	same := len(at) == 0 || len(at) == len(g.keys)
	for i := range at {
		same = same && at[i] == i
	}
	if !same {
		return nil, sqlerr.GroupingIDMismatch(join(args), join(names)).At(e.Span())
	}
	return id, nil
}

// bitOf is one bit of a BIGINT as a TINYINT.
func (b *binder) bitOf(x expr.Expr, shift int64) (expr.Expr, error) {
	shifted, err := b.resolve(">>", []expr.Expr{x, &expr.Literal{Value: shift, T: types.Of(types.Int)}})
	if err != nil {
		return nil, err
	}
	bit, err := b.resolve("&", []expr.Expr{shifted, &expr.Literal{Value: int64(1), T: types.Of(types.BigInt)}})
	if err != nil {
		return nil, err
	}
	return &expr.Cast{Arg: bit, T: types.Of(types.TinyInt), Implicit: true}, nil
}

func join(parts []string) string { return strings.Join(parts, ", ") }
