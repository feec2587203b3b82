package bind

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// orderedSets are the aggregates whose values stand in WITHIN GROUP.
var orderedSets = map[string]bool{"percentile_cont": true, "percentile_disc": true, "mode": true}

// within binds WITHIN GROUP (ORDER BY …) of an aggregate. The values of an ordered-set aggregate become its first
// argument, and its direction a part of its name; listagg keeps the order in opts.
func (b *binder) within(e *ast.Call, name string, args []expr.Expr, es *exprScope, opts *expr.ResolveOptions) (string, []expr.Expr, error) {
	lists := name == "listagg" || name == "string_agg"
	switch n := len(e.WithinGroup); {
	case n > 0 && !lists && !orderedSets[name]:
		return "", nil, sqlerr.FunctionSyntax(name, "WITHIN GROUP (ORDER BY ...)")
	case n == 0 && name == "mode" && len(args) == 0:
		return "", nil, sqlerr.WithinGroup("WITHIN_GROUP_MISSING", name)
	case n == 0 && name == "mode" && e.Distinct:
		return "", nil, sqlerr.WithinGroup("DISTINCT_UNSUPPORTED", name)
	case n == 0 && name != "mode" && orderedSets[name]:
		if len(args) != 1 {
			return "", nil, sqlerr.WrongNumArgs(name, "1", len(args))
		}
		return "", nil, sqlerr.WithinGroup("WITHIN_GROUP_MISSING", name)
	case n == 0:
		return name, args, nil
	}
	var order []expr.SortKey
	for _, item := range e.WithinGroup {
		x, err := b.expr(item.Expr, es)
		if err != nil {
			return "", nil, err
		}
		if x.Type().HasMap() {
			return "", nil, sqlerr.NotOrderable(b.text(item.Expr), x.Type().SQL()).At(item.Span())
		}
		order = append(order, keyFor(item, x))
	}
	switch {
	case orderedSets[name]:
		return orderedSet(e, name, args, order)
	case e.Distinct && len(args) > 0:
		opts.Distinct = false
		return distinctList(name, args, order)
	}
	opts.OrderBy = order
	return name, args, nil
}

// orderedSet makes an ordinary argument of the key in WITHIN GROUP.
func orderedSet(e *ast.Call, name string, args []expr.Expr, order []expr.SortKey) (string, []expr.Expr, error) {
	key := order[0]
	mode := name == "mode"
	switch {
	case !mode && len(args) != 1, mode && len(args) > 1:
		return "", nil, sqlerr.WrongNumArgs(name, map[bool]string{true: "0", false: "1"}[mode], len(args))
	case e.Distinct:
		return "", nil, sqlerr.WithinGroup("DISTINCT_UNSUPPORTED", name)
	case mode && len(args) > 0, len(order) > 1:
		return "", nil, sqlerr.WithinGroup("WRONG_NUM_ORDERINGS", name)
	case mode && key.Desc:
		return "mode descending", []expr.Expr{key.Expr}, nil
	case mode:
		return name, []expr.Expr{key.Expr, &expr.Literal{Value: true, T: types.Of(types.Boolean)}}, nil
	case key.Desc:
		name += " descending"
	}
	return name, []expr.Expr{key.Expr, args[0]}, nil
}

// distinctList is listagg(DISTINCT x) WITHIN GROUP (ORDER BY x): the order must be that of the values themselves, which
// are told apart before they become text where the text tells them apart as well.
func distinctList(name string, args []expr.Expr, order []expr.SortKey) (string, []expr.Expr, error) {
	x := args[0]
	if c, ok := x.(*expr.Cast); ok && c.T.Kind == types.String && keyOf(c.Arg) == keyOf(order[0].Expr) {
		x = c.Arg
	}
	if len(order) > 1 || keyOf(x) != keyOf(order[0].Expr) {
		return "", nil, sqlerr.WithinGroup("MISMATCH_WITH_DISTINCT_INPUT", name)
	}
	if k := x.Type().Kind; k == types.Float || k == types.Double || k == types.Timestamp {
		return "", nil, sqlerr.WithinGroup("MISMATCH_WITH_DISTINCT_INPUT_UNSAFE_CAST", name)
	}
	way := " ascending"
	if order[0].Desc {
		way = " descending"
	}
	return name + way, append([]expr.Expr{x}, args[1:]...), nil
}
