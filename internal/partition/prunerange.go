package partition

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// comparison reads an operator that is a range of codes: op, and what its negation is over values that are not NULL.
func comparison(name string) (op, negated Op, ok bool) {
	switch name {
	case "=", "==":
		return Eq, Ne, true
	case "!=", "<>":
		return Ne, Eq, true
	case "<":
		return Lt, Ge, true
	case "<=":
		return Le, Gt, true
	case ">":
		return Gt, Le, true
	case ">=":
		return Ge, Lt, true
	}
	return 0, 0, false
}

func mirrored(op Op) Op {
	switch op {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return op
}

// markRange marks, without evaluating anything per value, the codes for which a comparison of the column with a constant
// comes out as want. It declines all that is not such a comparison with the order that the codes have.
func (p *pruner) markRange(e expr.Expr, want bool, col int, hits []bool) bool {
	switch n := e.(type) {
	case *expr.Call:
		op, negated, ok := comparison(n.Fn.Name)
		if !ok || len(n.Args) != 2 {
			return false
		}
		if !want {
			op = negated
		}
		if p.isColumn(n.Args[0], col) {
			return p.markConstant(n.Args[1], op, col, hits)
		}
		return p.isColumn(n.Args[1], col) && p.markConstant(n.Args[0], mirrored(op), col, hits)
	case *expr.In:
		if !p.isColumn(n.Arg, col) || p.cols[col].Type.Kind == types.Timestamp {
			return false
		}
		return p.markIn(n.List, want, col, hits)
	}
	return false
}

// markIn marks the codes that are in a list of constants, or those that are not.
func (p *pruner) markIn(list []expr.Expr, want bool, col int, hits []bool) bool {
	in := hits
	if !want {
		in = make([]bool, len(hits))
	}
	values := make([]types.Value, 0, len(list))
	for _, e := range list {
		v, ok := p.constant(e, col)
		if !ok {
			return false
		}
		values = append(values, v)
	}
	for _, v := range values {
		if code, exact := p.domains[col].seek(keyOf(p.cols[col].Type, v)); exact {
			in[code] = true
		}
	}
	if !want {
		for c := 1; c < len(hits); c++ {
			hits[c] = hits[c] || !in[c]
		}
	}
	return true
}

func (p *pruner) markConstant(e expr.Expr, op Op, col int, hits []bool) bool {
	v, ok := p.constant(e, col)
	if !ok {
		return false
	}
	d := &p.domains[col]
	if p.cols[col].Type.Kind != types.Timestamp {
		hitRange(d, p.cols[col].Type, op, v, hits)
		return true
	}
	// Instants do not quite keep the order of wall-clock times: clocks are set back.
	instant, _ := v.(int64)
	for i, local := range d.nums {
		if compares(types.FromLocal(local, p.ctx.Zone), op, instant) {
			hits[i+1] = true
		}
	}
	return true
}

func compares(a int64, op Op, b int64) bool {
	switch op {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt:
		return a < b
	case Le:
		return a <= b
	case Gt:
		return a > b
	}
	return a >= b
}

// isColumn reports whether e is the column, as it is or widened to a type of the same order.
func (p *pruner) isColumn(e expr.Expr, col int) bool {
	t := p.cols[col].Type
	if c, ok := e.(*expr.Cast); ok {
		from, to := t.Kind, c.T.Kind
		if !(from.IsIntegral() && to.IsIntegral() && from <= to || from == types.Float && to == types.Double ||
			from == types.Varchar && to == types.String) {
			return false
		}
		e = c.Arg
	}
	c, ok := e.(*expr.Column)
	return ok && p.column(c.ID) == col && t.Kind != types.Char && c.T.Kind == t.Kind
}

// constant is the value of an expression without columns, when it is not NULL and compares with the column as keys do.
func (p *pruner) constant(e expr.Expr, col int) (types.Value, bool) {
	t, of := p.cols[col].Type, e.Type()
	same := types.Equal(t, of) || t.Kind.IsIntegral() && of.Kind.IsIntegral() ||
		t.Kind == types.Float && of.Kind == types.Double || t.Kind == types.Varchar && of.Kind == types.String
	if !same || len(expr.Columns(e)) > 0 {
		return nil, false
	}
	v, err := expr.Eval(e, p.ctx, nil)
	return v, err == nil && v != nil
}
