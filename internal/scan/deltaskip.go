package scan

import (
	"github.com/tarnlake/tarn/internal/expr"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// predicates says a scan's conditions in the words in which statistics are asked, all of them joined by AND.
type predicates struct {
	names map[expr.ColumnID]string
	types map[expr.ColumnID]types.Type
	ctx   *expr.Context
}

// statisticsOf is the condition under which a file of a scan may hold rows that the query wants.
func statisticsOf(n *plan.Scan, ctx *expr.Context) protocol.Predicate {
	p := &predicates{names: map[expr.ColumnID]string{}, types: map[expr.ColumnID]types.Type{}, ctx: ctx}
	for i, c := range n.Out {
		if f := n.Fields[i]; f >= 0 {
			p.names[c.ID], p.types[c.ID] = n.Relation.Schema[f].Name, n.Relation.Schema[f].Type
		}
	}
	var parts []protocol.Predicate
	for _, e := range n.Skip {
		parts = append(parts, p.of(e))
	}
	return protocol.And(parts...)
}

// comparisons are the operators by name, and what they are with their sides changed.
var comparisons = map[string][2]protocol.Op{
	"=": {protocol.Eq, protocol.Eq}, "==": {protocol.Eq, protocol.Eq}, "!=": {protocol.Ne, protocol.Ne}, "<>": {protocol.Ne, protocol.Ne},
	"<": {protocol.Lt, protocol.Gt}, "<=": {protocol.Le, protocol.Ge}, ">": {protocol.Gt, protocol.Lt}, ">=": {protocol.Ge, protocol.Le},
	"<=>": {protocol.SafeEq, protocol.SafeEq}, "is not distinct from": {protocol.SafeEq, protocol.SafeEq}, "equal_null": {protocol.SafeEq, protocol.SafeEq},
}

func (p *predicates) of(e expr.Expr) protocol.Predicate {
	switch n := e.(type) {
	case *expr.Literal:
		// A condition that is false or NULL for every row: no column needs to be asked.
		if n.Value != true && n.T.Kind == types.Boolean || n.Value == nil {
			return protocol.Not(protocol.And())
		}
	case *expr.Column:
		if path, t, ok := p.path(n); ok && t.Kind == types.Boolean {
			return protocol.Compare(path, protocol.Eq, true)
		}
	case *expr.In:
		path, t, ok := p.path(n.Arg)
		if !ok {
			break
		}
		var list []types.Value
		for _, x := range n.List {
			v, ok := p.value(x, n.Arg.Type(), t)
			if !ok {
				return protocol.Unknown()
			}
			list = append(list, v)
		}
		return protocol.In(path, list)
	case *expr.Call:
		return p.call(n)
	}
	return protocol.Unknown()
}

func (p *predicates) call(n *expr.Call) protocol.Predicate {
	if ops, ok := comparisons[n.Fn.Name]; ok && len(n.Args) == 2 {
		for side := range 2 {
			path, t, ok := p.path(n.Args[side])
			if !ok {
				continue
			}
			if v, ok := p.value(n.Args[1-side], n.Args[side].Type(), t); ok {
				return protocol.Compare(path, ops[side], v)
			}
		}
		return protocol.Unknown()
	}
	switch n.Fn.Name {
	case "and":
		return protocol.And(p.of(n.Args[0]), p.of(n.Args[1]))
	case "or":
		return protocol.Or(p.of(n.Args[0]), p.of(n.Args[1]))
	case "not", "!":
		return protocol.Not(p.of(n.Args[0]))
	case "isnull", "isnotnull":
		if path, _, ok := p.path(n.Args[0]); ok {
			if n.Fn.Name == "isnull" {
				return protocol.IsNull(path)
			}
			return protocol.Not(protocol.IsNull(path))
		}
	case "startswith":
		path, t, ok := p.path(n.Args[0])
		if text, isText := literalOf(n.Args[1]).(string); ok && isText && t.Kind.IsText() && len(n.Args) == 2 {
			return protocol.StartsWith(path, text)
		}
	}
	return protocol.Unknown()
}

// path is the column, or the field of a struct, that an expression is, below casts that keep every value and their order.
func (p *predicates) path(e expr.Expr) ([]string, types.Type, bool) {
	switch n := e.(type) {
	case *expr.Column:
		name, ok := p.names[n.ID]
		return []string{name}, p.types[n.ID], ok && !n.Outer
	case *expr.GetField:
		path, t, ok := p.path(n.Arg)
		if !ok || t.Kind != types.Struct || n.Ordinal < 0 || n.Ordinal >= len(t.Fields) {
			return nil, t, false
		}
		f := t.Fields[n.Ordinal]
		return append(path, f.Name), f.Type, true
	case *expr.Cast:
		path, t, ok := p.path(n.Arg)
		return path, t, ok && widens(t, n.T)
	}
	return nil, types.Type{}, false
}

// widens reports whether a cast keeps values and their order.
func widens(from, to types.Type) bool {
	switch {
	case types.Equal(from, to):
		return true
	case from.Kind.IsIntegral():
		return to.Kind.IsIntegral() && to.Kind > from.Kind || to.Kind == types.Decimal && to.Precision-to.Scale >= 19
	case from.Kind == types.Decimal:
		return to.Kind == types.Decimal && to.Scale >= from.Scale && to.Precision-to.Scale >= from.Precision-from.Scale
	case from.Kind == types.Float:
		return to.Kind == types.Double
	case from.Kind.IsText():
		return to.Kind == types.String
	}
	return false
}

func literalOf(e expr.Expr) types.Value {
	if l, ok := e.(*expr.Literal); ok {
		return l.Value
	}
	return nil
}

// value is a constant as a value of the column's type t; from is the type in which both are compared. One that the column's type
// does not have is refused: a comparison with the next value it has would be needed.
func (p *predicates) value(e expr.Expr, from, t types.Type) (types.Value, bool) {
	l, ok := e.(*expr.Literal)
	if !ok {
		return nil, false
	}
	if l.Value == nil {
		return nil, true
	}
	if t.Kind == types.Char || !types.Equal(l.T, from) && !(l.T.Kind.IsText() && from.Kind.IsText()) {
		return nil, false
	}
	if types.Equal(from, t) || from.Kind.IsText() && t.Kind.IsText() {
		return l.Value, true
	}
	opt := types.CastOptions{Zone: p.ctx.Zone, Mode: types.Try}
	v, err := types.Cast(l.Value, from, t, opt)
	if err != nil || v == nil {
		return nil, false
	}
	back, err := types.Cast(v, t, from, opt)
	if err != nil || back == nil || types.Compare(from, back, l.Value) != 0 {
		return nil, false
	}
	return v, true
}
