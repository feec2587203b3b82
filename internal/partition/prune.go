package partition

import (
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// Prune selects the rows for which every conjunct is true. ids[c] is the column id that stands for partition column c in the
// conjuncts. A row for which a conjunct fails to evaluate stays selected: the engine raises the error when a row
// of data meets it. The error here is only of a conjunct that is no expression over partition columns that Go can evaluate.
//
// An expression over one column is evaluated once per distinct value and the codes are scanned; AND, OR and NOT over
// several columns combine such parts as bits; anything else is evaluated once per distinct combination.
func (s *Set) Prune(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return prune(s.grid(), conjuncts, ids, ctx, false)
}

// Where is Prune for statements that act on the partitions themselves (repair, drop): a failed evaluation is the error,
// except for rows that another conjunct excludes.
func (s *Set) Where(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return prune(s.grid(), conjuncts, ids, ctx, true)
}

// Prune selects the leaves for which every conjunct is true; see Set.Prune.
func (f *Found) Prune(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return prune(f.grid(), conjuncts, ids, ctx, false)
}

// Where selects the leaves for which every conjunct is true; see Set.Where.
func (f *Found) Where(conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context) (*Selection, error) {
	return prune(f.grid(), conjuncts, ids, ctx, true)
}

func prune(g *grid, conjuncts []expr.Expr, ids []expr.ColumnID, ctx *expr.Context, strict bool) (*Selection, error) {
	p := &pruner{grid: g, ids: ids, ctx: ctx}
	for _, e := range conjuncts {
		if !expr.CanEval(e) {
			return nil, errNotPrunable
		}
		for _, id := range expr.Columns(e) {
			if p.column(id) < 0 {
				return nil, errNotPrunable
			}
		}
	}
	var out *Selection // nil is all rows
	for _, e := range leadingFirst(p, conjuncts) {
		out = p.may(e, true, out)
	}
	if out == nil {
		out = fullSelection(g.n)
	}
	if p.failed && strict {
		return p.exact(conjuncts, out)
	}
	return out, nil
}

type pruneError string

func (e pruneError) Error() string { return string(e) }

const errNotPrunable = pruneError("the expression is not one over partition columns")

// leadingFirst puts conjuncts over the first column first: they cost a binary search, and the others skip what they exclude.
func leadingFirst(p *pruner, conjuncts []expr.Expr) []expr.Expr {
	var first, rest []expr.Expr
	for _, e := range conjuncts {
		if cols := p.columns(e); len(cols) == 1 && cols[0] == 0 {
			first = append(first, e)
		} else {
			rest = append(rest, e)
		}
	}
	return append(first, rest...)
}

// pruner evaluates predicates over a grid.
type pruner struct {
	*grid
	ids    []expr.ColumnID
	ctx    *expr.Context
	failed bool // some evaluation ended in an error
}

func (p *pruner) column(id expr.ColumnID) int {
	for c, x := range p.ids {
		if x == id && c < len(p.cols) {
			return c
		}
	}
	return -1
}

// columns lists the partition columns that e uses.
func (p *pruner) columns(e expr.Expr) []int {
	var out []int
	seen := uint64(0)
	for _, id := range expr.Columns(e) {
		if c := p.column(id); c >= 0 && (c > 63 || seen>>c&1 == 0) {
			seen |= 1 << (c & 63)
			out = append(out, c)
		}
	}
	return out
}

// may selects, of the rows in mask (nil for all), those for which e may come out as want: it does, or its evaluation fails. Asking for
// true and for false separately is what keeps three-valued logic right: a NULL is in neither.
func (p *pruner) may(e expr.Expr, want bool, mask *Selection) *Selection {
	cols := p.columns(e)
	switch len(cols) {
	case 0:
		if p.holds(e, nil, want) {
			return mask
		}
		return newSelection(p.n)
	case 1:
		return p.rows(cols[0], p.hits(e, want, cols[0]), mask)
	}
	if call, ok := e.(*expr.Call); ok {
		switch {
		case call.Fn.Name == "not" && len(call.Args) == 1:
			return p.may(call.Args[0], !want, mask)
		case call.Fn.Name == "and" || call.Fn.Name == "or":
			if (call.Fn.Name == "and") == want {
				for _, part := range p.grouped(call) {
					mask = p.may(part, want, mask)
				}
				return mask
			}
			out, left := newSelection(p.n), fullSelection(p.n)
			if mask != nil {
				left = mask.clone()
			}
			for _, part := range p.grouped(call) {
				for w, bits := range p.may(part, want, left).words {
					out.words[w] |= bits
					left.words[w] &^= bits
				}
			}
			return out
		}
	}
	return p.combinations(e, want, cols, mask)
}

// grouped is the operands of a chain of one operator; those over one column are joined per column, so that a long chain
// costs one scan per column.
func (p *pruner) grouped(call *expr.Call) []expr.Expr {
	var operands []expr.Expr
	stack := []expr.Expr{call}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c, ok := e.(*expr.Call); ok && c.Fn.Name == call.Fn.Name {
			for i := len(c.Args) - 1; i >= 0; i-- {
				stack = append(stack, c.Args[i])
			}
			continue
		}
		operands = append(operands, e)
	}
	single := make([][]expr.Expr, len(p.cols))
	var out []expr.Expr
	for _, e := range operands {
		if cols := p.columns(e); len(cols) == 1 {
			single[cols[0]] = append(single[cols[0]], e)
		} else {
			out = append(out, e)
		}
	}
	var parts []expr.Expr
	for _, es := range single {
		switch {
		case len(es) == 0:
		case call.Fn.Name == "and":
			parts = append(parts, expr.And(es...))
		default:
			parts = append(parts, expr.Or(es...))
		}
	}
	return append(parts, out...)
}

// holds evaluates e with the values that row gives.
func (p *pruner) holds(e expr.Expr, row func(col int) types.Value, want bool) bool {
	v, err := expr.Eval(e, p.ctx, func(id expr.ColumnID) types.Value { return row(p.column(id)) })
	if err != nil {
		p.failed = true
		return true
	}
	b, ok := v.(bool)
	return ok && b == want
}

// read is the value of a code as expressions see it: a TIMESTAMP is the instant of its wall-clock time in the session's
// zone.
func (p *pruner) read(col int, code uint32) types.Value {
	v := p.value(col, code)
	if p.cols[col].Type.Kind == types.Timestamp {
		if local, ok := v.(int64); ok {
			return types.FromLocal(local, p.ctx.Zone)
		}
	}
	return v
}

// hits marks the codes of a column for which e, which uses no other column, may come out as want.
func (p *pruner) hits(e expr.Expr, want bool, col int) []bool {
	hits := make([]bool, p.sizes[col])
	p.mark(e, want, col, hits)
	return hits
}

// mark adds marks to hits.
func (p *pruner) mark(e expr.Expr, want bool, col int, hits []bool) {
	if call, ok := e.(*expr.Call); ok && p.domains != nil {
		switch call.Fn.Name {
		case "not":
			p.mark(call.Args[0], !want, col, hits)
			return
		case "and", "or":
			if (call.Fn.Name == "or") == want {
				for _, a := range call.Args {
					p.mark(a, want, col, hits)
				}
				return
			}
			var all []bool
			for _, a := range call.Args {
				h := p.hits(a, want, col)
				if all == nil {
					all = h
					continue
				}
				for i := range all {
					all[i] = all[i] && h[i]
				}
			}
			for i, h := range all {
				hits[i] = hits[i] || h
			}
			return
		}
	}
	if p.domains != nil && p.markRange(e, want, col, hits) {
		return
	}
	var code uint32
	row := func(int) types.Value { return p.read(col, code) }
	for c := range hits {
		if code = uint32(c); !hits[c] {
			hits[c] = p.holds(e, row, want)
		}
	}
}

// exact evaluates the conjuncts row by row, in their order, and stops at the first that fails.
func (p *pruner) exact(conjuncts []expr.Expr, rows *Selection) (*Selection, error) {
	out := rows.clone()
	for i := range rows.Rows() {
		for _, e := range conjuncts {
			v, err := expr.Eval(e, p.ctx, func(id expr.ColumnID) types.Value {
				c := p.column(id)
				return p.read(c, p.codes[c].at(i))
			})
			if err != nil {
				return nil, err
			}
			if v != true {
				out.clear(i)
				break
			}
		}
	}
	return out, nil
}
