package bind

import (
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// call binds a function call: a scalar function, an aggregate, or a function over a window.
func (b *binder) call(e *ast.Call, es *exprScope) (expr.Expr, error) {
	name, builtin := functionName(e)
	if !builtin {
		return b.otherFunction(e, e.Name.Ident(), es)
	}
	switch name {
	case "grouping", "grouping_id":
		if es.grouping == nil {
			return nil, sqlerr.UnsupportedGrouping()
		}
		return es.grouping(e)
	case "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack", "json_tuple":
		return nil, sqlerr.Unsupported("GENERATOR", "the row-making function "+name)
	}
	kind, known := expr.Lookup(name)
	if !known {
		return b.otherFunction(e, ident.Name{name}, es)
	}
	if e.Over != nil {
		if kind == expr.Scalar {
			return nil, sqlerr.NotAWindowFunction(b.text(&ast.Call{Name: e.Name, Args: e.Args}))
		}
		return b.windowCall(e, name, es)
	}
	switch kind {
	case expr.WindowOnly:
		return nil, sqlerr.WindowWithoutOver(b.text(e))
	case expr.Agg:
		return b.aggregateCall(e, name, es)
	}
	if e.Distinct || e.Filter != nil || len(e.WithinGroup) > 0 {
		return nil, sqlerr.Unsupported("FUNCTION_MODIFIER", "DISTINCT, FILTER or WITHIN GROUP with the function "+name)
	}
	args, err := b.arguments(e, name, es)
	if err != nil {
		return nil, err
	}
	if name == "struct" && len(args) > 0 {
		name = "named_struct" // arguments has put the names between
	}
	return expr.Resolve(name, args, expr.ResolveOptions{Context: b.env.Context})
}

// functionName is the name looked up among the built-in functions, which may be qualified with system.builtin. It reports
// false for a name in another schema.
func functionName(e *ast.Call) (string, bool) {
	parts := e.Name.Ident()
	if n := len(parts); n > 1 && n <= 3 && ident.Equal(parts[n-2], "builtin") && (n == 2 || ident.Equal(parts[0], "system")) {
		parts = parts[n-1:]
	}
	if len(parts) != 1 {
		return "", false
	}
	return strings.ToLower(parts[0]), true
}

// otherFunction is a call of what is no built-in function: a SQL function, or nothing.
func (b *binder) otherFunction(e *ast.Call, name ident.Name, es *exprScope) (expr.Expr, error) {
	fn, err := b.sqlFunction(e.Name.Ident(), es.frame)
	if err != nil {
		return nil, err
	}
	if fn != nil {
		return b.scalarFunction(fn, e, es)
	}
	if len(name) > 1 {
		return nil, sqlerr.UnresolvedRoutine(strings.Join(name, "."), nil)
	}
	if _, err = expr.Resolve(name[0], nil, expr.ResolveOptions{}); err == nil {
		err = sqlerr.UnresolvedRoutine(name[0], nil)
	}
	return nil, err
}

// arguments binds the arguments of a call. A * stands for all columns in sight.
func (b *binder) arguments(e *ast.Call, name string, es *exprScope) ([]expr.Expr, error) {
	var args []expr.Expr
	for _, a := range e.Args {
		if a.Name != nil {
			return nil, sqlerr.Unsupported("NAMED_ARGUMENTS", "arguments by name (name => value)").At(e.Span())
		}
		if star, ok := a.Expr.(*ast.Star); ok {
			cols, err := b.expandStar(star, es.scope)
			if err != nil {
				return nil, err
			}
			var shown []string
			for _, c := range cols {
				shown = append(shown, c.name)
				if name == "struct" {
					args = append(args, text(c.name))
				}
				args = append(args, c.expr)
			}
			b.texts[star] = join(shown)
			continue
		}
		x, err := b.expr(a.Expr, es)
		if err != nil {
			return nil, err
		}
		if name == "struct" {
			args = append(args, text(fieldName(a, len(args)/2)))
		}
		args = append(args, x)
	}
	return args, nil
}

// aggregateCall binds an aggregate function over the rows of a group.
func (b *binder) aggregateCall(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	switch {
	case es.inAggregate:
		return nil, sqlerr.NestedAggregate()
	case !es.aggregates:
		if args, err := b.arguments(e, name, &exprScope{frame: es.frame, scope: es.scope, clause: es.clause}); err == nil && es.outerOnly(args) {
			return nil, sqlerr.Unsupported("OUTER_AGGREGATE", "an aggregate over the query around a sub-query, as "+b.text(e)+" is here")
		}
		return nil, b.aggregateNotAllowed(e, es)
	}
	return b.aggregateNode(e, name, es)
}

// aggregateNotAllowed says that a clause cannot hold an aggregate.
func (b *binder) aggregateNotAllowed(e *ast.Call, es *exprScope) error {
	shown := b.text(e)
	switch es.clause {
	case "VALUES":
		return sqlerr.InlineTableExpression(shown)
	case "GROUP BY":
		return sqlerr.GroupByAggregate(shown)
	case "WHERE":
		return sqlerr.InvalidWhere(shown, []string{shown})
	case "FILTER":
		return sqlerr.AggregateFilter("CONTAINS_AGGREGATE", shown)
	}
	return sqlerr.ExprNotAllowed(es.clause, shown)
}

// aggregateNode resolves an aggregate whatever stands around it.
func (b *binder) aggregateNode(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	inner := *es
	// The argument of an aggregate over a window may be an aggregate itself, over the rows of the group.
	inner.inAggregate = e.Over == nil
	opts := expr.ResolveOptions{Distinct: e.Distinct, IgnoreNulls: e.IgnoreNulls, Context: b.env.Context}
	if star, ok := soleStar(e); ok && name == "count" && !e.Distinct {
		if len(star.Qualifier) > 0 {
			return nil, sqlerr.StarWithTableInCount(ident.Name(partNames(star.Qualifier)).Quoted())
		}
		opts.Star = true
	}
	var args []expr.Expr
	var err error
	if !opts.Star {
		if args, err = b.arguments(e, name, &inner); err != nil {
			return nil, err
		}
		if name == "count" && len(args) == 0 {
			return nil, sqlerr.CountWithoutArgs()
		}
	}
	if es.outerOnly(args) {
		return nil, sqlerr.OuterAggregate(b.text(e))
	}
	if e.Filter != nil {
		filterScope := *es
		filterScope.aggregates, filterScope.windows, filterScope.clause = false, false, "FILTER"
		if opts.Filter, err = b.condition(e.Filter, &filterScope, func(shown, _ string) *sqlerr.Error {
			return sqlerr.AggregateFilter("NOT_BOOLEAN", shown)
		}); err != nil {
			return nil, err
		}
	}
	for _, item := range e.WithinGroup {
		x, err := b.expr(item.Expr, &inner)
		if err != nil {
			return nil, err
		}
		opts.OrderBy = append(opts.OrderBy, keyFor(item, x))
	}
	if orderedSets[name] && e.Distinct {
		return nil, sqlerr.WithinGroup("DISTINCT_UNSUPPORTED", name)
	}
	if len(opts.OrderBy) == 1 {
		if name, args, err = b.orderedSet(name, args, opts.OrderBy[0]); err != nil {
			return nil, err
		}
		if orderedSets[name] || name == "mode descending" {
			opts.OrderBy = nil
		}
	}
	if e.Distinct && len(opts.OrderBy) > 0 && (name == "listagg" || name == "string_agg") {
		if name, args, err = b.distinctList(name, args, opts.OrderBy); err != nil {
			return nil, err
		}
		opts.OrderBy, opts.Distinct = nil, false
	}
	return expr.Resolve(name, args, opts)
}

// distinctList is listagg(DISTINCT x) WITHIN GROUP (ORDER BY x): the order must be that of the values themselves, which
// are told apart before they become text where the text tells them apart as well.
func (b *binder) distinctList(name string, args []expr.Expr, order []expr.SortKey) (string, []expr.Expr, error) {
	x := args[0]
	if c, ok := x.(*expr.Cast); ok && c.T.Kind == types.String && keyOf(c.Arg) == keyOf(order[0].Expr) {
		x = c.Arg
	}
	if len(order) > 1 || keyOf(x) != keyOf(order[0].Expr) {
		return "", nil, sqlerr.WithinGroup("MISMATCH_WITH_DISTINCT_INPUT", name)
	}
	switch k := x.Type().Kind; {
	case k == types.Float || k == types.Double || k == types.Timestamp:
		return "", nil, sqlerr.WithinGroup("MISMATCH_WITH_DISTINCT_INPUT_UNSAFE_CAST", name)
	case k == types.Binary:
		return "", nil, sqlerr.Unsupported("LISTAGG_DISTINCT_BINARY", "WITHIN GROUP with listagg(DISTINCT …) of BINARY values")
	}
	way := " ascending"
	if order[0].Desc {
		way = " descending"
	}
	out := []expr.Expr{x}
	if len(args) > 1 {
		d, err := expr.Coerce(args[1], types.Of(types.String))
		if err != nil {
			return "", nil, err
		}
		out = append(out, d)
	}
	return name + way, out, nil
}

// orderedSets are the aggregates whose argument stands in WITHIN GROUP.
var orderedSets = map[string]bool{"percentile_cont": true, "percentile_disc": true, "mode": true}

// orderedSet makes an ordinary argument of the key in WITHIN GROUP. A descending percentile is the ascending one from
// the other end.
func (b *binder) orderedSet(name string, args []expr.Expr, key expr.SortKey) (string, []expr.Expr, error) {
	switch {
	case !orderedSets[name]:
		return name, args, nil
	case name == "mode" && len(args) > 0:
		return "", nil, sqlerr.WithinGroup("WRONG_NUM_ORDERINGS", name)
	case name == "mode" && key.Desc:
		return "mode descending", []expr.Expr{key.Expr}, nil
	case name == "mode":
		return name, []expr.Expr{key.Expr, &expr.Literal{Value: true, T: types.Of(types.Boolean)}}, nil
	case key.Desc && len(args) == 1 && name == "percentile_disc":
		return name, []expr.Expr{key.Expr, b.fromTheEnd(args[0])}, nil
	case key.Desc && len(args) == 1:
		one := &expr.Literal{Value: float64(1), T: types.Of(types.Double)}
		rest, err := b.resolve("-", []expr.Expr{one, args[0]})
		if err != nil {
			return "", nil, err
		}
		return name, []expr.Expr{key.Expr, b.foldTree(rest)}, nil
	}
	return name, append([]expr.Expr{key.Expr}, args...), nil
}

// fromTheEnd is the share of a discrete percentile counted from the largest value, as the engine takes it: negated, and
// the whole for none.
func (b *binder) fromTheEnd(share expr.Expr) expr.Expr {
	double := types.Of(types.Double)
	x, err := expr.Coerce(share, double)
	if err != nil {
		return share
	}
	l, ok := b.foldTree(x).(*expr.Literal)
	if !ok {
		return share
	}
	v, ok := l.Value.(float64)
	switch {
	case !ok:
		return l
	case v == 0:
		return &expr.Literal{Value: float64(1), T: double}
	case v < 0 || v > 1:
		return l
	}
	return &expr.Literal{Value: -v, T: double}
}

// outerOnly reports arguments that use columns of an enclosing query and none of this one: the aggregate would belong
// to the enclosing query, which Spark refuses.
func (es *exprScope) outerOnly(args []expr.Expr) bool {
	outer, inner := false, false
	for _, a := range args {
		expr.Walk(a, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Column); ok {
				outer = outer || c.Outer
				inner = inner || !c.Outer
			}
			return true
		})
	}
	return outer && !inner
}

func soleStar(e *ast.Call) (*ast.Star, bool) {
	if len(e.Args) != 1 {
		return nil, false
	}
	s, ok := e.Args[0].Expr.(*ast.Star)
	return s, ok
}

// windowCall binds a function with OVER.
func (b *binder) windowCall(e *ast.Call, name string, es *exprScope) (expr.Expr, error) {
	if !es.windows {
		switch es.clause {
		case "WHERE", "HAVING":
			return nil, sqlerr.WindowNotAllowed(es.clause)
		case "FILTER":
			return nil, sqlerr.AggregateFilter("CONTAINS_WINDOW_FUNCTION", b.text(e))
		}
		return nil, sqlerr.ExprNotAllowed(es.clause, b.text(e))
	}
	if es.inWindow {
		return nil, sqlerr.NestedWindow()
	}
	inner := *es
	inner.inWindow, inner.inAggregate = true, false
	x, err := b.windowFunction(e, name, &inner)
	if err != nil {
		return nil, err
	}
	spec, err := b.windowSpec(e.Over, es)
	if err != nil {
		return nil, err
	}
	w := *x
	for _, p := range spec.PartitionBy {
		k, err := b.expr(p, &inner)
		if err != nil {
			return nil, err
		}
		w.PartitionBy = append(w.PartitionBy, k)
	}
	for _, item := range spec.OrderBy {
		k, err := b.expr(item.Expr, &inner)
		if err != nil {
			return nil, err
		}
		if hasMap(k.Type()) {
			return nil, sqlerr.NotOrderable(b.text(item.Expr), k.Type().SQL()).At(item.Span())
		}
		w.OrderBy = append(w.OrderBy, keyFor(item, k))
	}
	if w.Distinct {
		return nil, sqlerr.DistinctWindow(b.text(e))
	}
	if needsOrder[name] && len(w.OrderBy) == 0 {
		return nil, sqlerr.WindowNotOrdered(name, b.text(&ast.Call{Name: e.Name, Args: e.Args}))
	}
	if wholeWindow[name] && (len(w.OrderBy) > 0 || spec.Frame != nil) {
		return nil, sqlerr.WindowSpecOfAggregate(name)
	}
	if spec.Frame != nil {
		if ownFrame[name] {
			return nil, sqlerr.FixedFrame(name)
		}
		if w.Frame, err = b.windowFrame(spec, &w, es); err != nil {
			return nil, at(err, spec.Span())
		}
	}
	return &w, nil
}

// windowFunction resolves the function before OVER. An aggregate becomes a window function of the same meaning.
func (b *binder) windowFunction(e *ast.Call, name string, es *exprScope) (*expr.Window, error) {
	x, err := b.aggregateNode(e, name, es)
	if err != nil {
		return nil, at(err, e.Span())
	}
	switch n := x.(type) {
	case *expr.Window:
		w := *n
		w.IgnoreNulls = w.IgnoreNulls || e.IgnoreNulls
		return &w, nil
	case *expr.Aggregate:
		if len(n.OrderBy) > 0 {
			return nil, sqlerr.Unsupported("WINDOW_WITHIN_GROUP", "WITHIN GROUP with OVER").At(e.Span())
		}
		return &expr.Window{Fn: n.Fn, Args: n.Args, Distinct: n.Distinct, IgnoreNulls: e.IgnoreNulls, Filter: n.Filter, T: n.T}, nil
	}
	return nil, sqlerr.NotAWindowFunction(b.text(e)).At(e.Span())
}

// needsOrder are the functions that need an ordered window, ownFrame those that have a frame of their own.
var (
	needsOrder = map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true, "ntile": true, "lag": true, "lead": true}
	ownFrame   = needsOrder
	// wholeWindow are the aggregates with an order of their own, whose windows have none.
	wholeWindow = map[string]bool{"median": true, "percentile_cont": true, "percentile_disc": true}
)

// windowSpec follows names to the window's definition.
func (b *binder) windowSpec(s *ast.WindowSpec, es *exprScope) (*ast.WindowSpec, error) {
	first := s
	for hops := 0; s.Ref != nil; hops++ {
		next, ok := es.named[b.fold(s.Ref.Name)]
		if !ok || hops > len(es.named) {
			return nil, sqlerr.MissingWindow(s.Ref.Name).At(s.Ref.Span())
		}
		s = next
	}
	if s != first {
		b.specs[first] = s
	}
	return s, nil
}

// windowFrame binds ROWS or RANGE.
func (b *binder) windowFrame(spec *ast.WindowSpec, w *expr.Window, es *exprScope) (*expr.Frame, error) {
	f := spec.Frame
	out := &expr.Frame{Rows: f.Rows}
	end := ast.FrameBound{Kind: ast.CurrentRow}
	if f.Upper != nil {
		end = *f.Upper
	}
	hasOffset := f.Lower.Offset != nil || end.Offset != nil
	if !f.Rows && len(w.OrderBy) == 0 && (hasOffset || f.Lower.Kind != ast.UnboundedPreceding || end.Kind != ast.UnboundedFollowing) {
		return nil, sqlerr.RangeFrameWithoutOrder(windowText(b, spec, "", nil))
	}
	if !f.Rows && hasOffset && len(w.OrderBy) > 1 {
		var keys []string
		for _, k := range spec.OrderBy {
			keys = append(keys, b.text(k.Expr))
		}
		return nil, sqlerr.RangeFrameMultiOrder(windowText(b, spec, "", nil), strings.Join(keys, ", "))
	}
	var err error
	if out.Start, err = b.frameBound(f.Lower, f.Rows, w, es, "lower"); err != nil {
		return nil, err
	}
	if out.End, err = b.frameBound(end, f.Rows, w, es, "upper"); err != nil {
		return nil, err
	}
	if b.reversed(out) {
		return nil, sqlerr.FrameBounds(frameText(b, f))
	}
	return out, nil
}

func (b *binder) frameBound(x ast.FrameBound, rows bool, w *expr.Window, es *exprScope, where string) (expr.Bound, error) {
	out := expr.Bound{Kind: expr.BoundKind(x.Kind)}
	if x.Offset == nil {
		return out, nil
	}
	constant := &exprScope{frame: es.frame, scope: es.scope, clause: "a window frame"}
	e, err := b.expr(x.Offset, constant)
	if err != nil {
		return out, err
	}
	e = b.foldTree(e)
	lit, ok := e.(*expr.Literal)
	if !ok {
		return out, sqlerr.InvalidFrameBound().At(x.Span())
	}
	k := lit.T.Kind
	if rows {
		if !k.IsIntegral() || k == types.BigInt {
			return out, sqlerr.FrameBoundType(where, lit.T.SQL(), "INT").At(x.Span())
		}
		out.Offset = &expr.Literal{Value: lit.Value, T: types.Of(types.BigInt)}
		return out, nil
	}
	if len(w.OrderBy) == 1 {
		key := w.OrderBy[0].Expr.Type()
		isInterval := k == types.YearMonthInterval || k == types.DayTimeInterval
		isTime := key.Kind == types.Timestamp || key.Kind == types.TimestampNTZ || key.Kind == types.Date
		switch {
		case key.Kind.IsNumeric() && k.IsNumeric():
			if e, err = expr.Coerce(e, key); err != nil {
				return out, err
			}
		case isTime && isInterval, key.Kind == types.Date && k.IsIntegral():
		default:
			return out, sqlerr.FrameBoundType(where, lit.T.SQL(), key.SQL()).At(x.Span())
		}
	}
	out.Offset = b.foldTree(e)
	return out, nil
}

// reversed reports a frame that ends before it starts, as far as its constants tell.
func (b *binder) reversed(f *expr.Frame) bool {
	rank := func(x expr.Bound) int {
		switch x.Kind {
		case expr.UnboundedPreceding:
			return 0
		case expr.Preceding:
			return 1
		case expr.CurrentRow:
			return 2
		case expr.Following:
			return 3
		}
		return 4
	}
	s, e := rank(f.Start), rank(f.End)
	if s != e {
		return s > e
	}
	x, ok := f.Start.Offset.(*expr.Literal)
	y, ok2 := f.End.Offset.(*expr.Literal)
	if !ok || !ok2 || x.Value == nil || y.Value == nil || x.T.Kind != y.T.Kind {
		return false
	}
	c := types.Compare(x.T, x.Value, y.Value)
	if f.Start.Kind == expr.Preceding {
		return c < 0
	}
	return c > 0
}
