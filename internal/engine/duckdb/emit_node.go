package duckdb

import (
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// longValues is the number of cells from which a VALUES list is handed over as a source instead of as text.
const longValues = 1000

func (s *query) filter(n *plan.Filter) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.limit != "" || b.offset != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	for _, c := range conjuncts(n.Cond) {
		text, err := s.condition(c)
		if err != nil {
			return nil, err
		}
		b.where = append(b.where, text)
	}
	return b, nil
}

func (s *query) project(n *plan.Project) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	var list strings.Builder
	for i, e := range n.Exprs {
		text, err := s.expr(e)
		if err != nil {
			return nil, err
		}
		item(&list, text, n.Out[i])
	}
	b.list = list.String()
	if b.list == "" {
		b.list = "1"
	}
	return b, nil
}

// item adds text AS column to a SELECT list.
func item(list *strings.Builder, text string, c plan.Column) {
	if list.Len() > 0 {
		list.WriteByte(',')
	}
	list.WriteString(text)
	if name := columnName(c.ID); text != name {
		list.WriteString(" AS " + name)
	}
}

func (s *query) sort(n *plan.Sort) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.list != "" || b.group != "" || b.limit != "" || b.offset != "" || b.unique || b.set != "" {
		b = b.wrap()
	}
	b.order, err = s.sortKeys(varying(n.Keys))
	return b, err
}

// varying are the keys that are no constants: those order nothing, and DuckDB refuses them.
func varying(keys []expr.SortKey) []expr.SortKey {
	return slices.DeleteFunc(slices.Clone(keys), func(k expr.SortKey) bool {
		_, constant := k.Expr.(*expr.Literal)
		return constant
	})
}

func (s *query) sortKeys(keys []expr.SortKey) (string, error) {
	var out strings.Builder
	for i, k := range keys {
		text, err := s.expr(k.Expr)
		if err != nil {
			return "", err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		// A bare number would be taken for the position of a column.
		out.WriteString("(" + expr.OrderKeySQL(text, k.Expr.Type()) + ")")
		if k.Desc {
			out.WriteString(" DESC")
		} else {
			out.WriteString(" ASC")
		}
		if k.NullsFirst {
			out.WriteString(" NULLS FIRST")
		} else {
			out.WriteString(" NULLS LAST")
		}
	}
	return out.String(), nil
}

func (s *query) limit(n *plan.Limit) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if b.limit != "" || b.offset != "" {
		b = b.wrap()
	}
	if n.Count != nil {
		if b.limit, err = s.expr(n.Count); err != nil {
			return nil, err
		}
	}
	if n.Offset != nil {
		b.offset, err = s.expr(n.Offset)
	}
	return b, err
}

func (s *query) distinct(n *plan.Distinct) (*block, error) {
	b, err := s.node(n.Input)
	if err != nil {
		return nil, err
	}
	if !b.plain() {
		b = b.wrap()
	}
	for _, c := range n.Output() {
		if err := groupable(c.Type); err != nil {
			return nil, err
		}
	}
	b.unique = true
	b.list = normalizedList(n.Output(), n.Output())
	return b, nil
}

// normalizedList selects columns as others, each in the one form of its equals: DuckDB keeps of -0.0 and 0.0 what came
// first, Spark shows 0.0.
func normalizedList(cols, as []plan.Column) string {
	var list strings.Builder
	for i, c := range cols {
		item(&list, normalized(columnName(c.ID), c.Type), as[i])
	}
	if list.Len() == 0 {
		return "1"
	}
	return list.String()
}

func (s *query) setOp(n *plan.SetOp) (*block, error) {
	if n.Kind != plan.Union || !n.All {
		for _, c := range n.Output() {
			if err := groupable(c.Type); err != nil {
				return nil, err
			}
		}
	}
	word := map[plan.SetKind]string{plan.Union: "UNION", plan.Intersect: "INTERSECT", plan.Except: "EXCEPT"}[n.Kind]
	if n.All {
		word += " ALL"
	}
	sides := []plan.Node{n.Left, n.Right}
	if n.Kind == plan.Union {
		sides = s.unionSides(n)
	}
	texts := make([]string, len(sides))
	for i, side := range sides {
		b, err := s.node(side)
		if err != nil {
			return nil, err
		}
		if b.list != "" || !b.plain() {
			b = b.wrap()
		}
		if n.All {
			var list strings.Builder
			for k, c := range side.Output() {
				item(&list, columnName(c.ID), n.Out[k])
			}
			b.list = list.String()
		} else {
			b.list = normalizedList(side.Output(), n.Out)
		}
		if b.list == "" {
			b.list = "1"
		}
		texts[i] = "(" + b.text() + ")"
	}
	return &block{set: balanced(texts, " "+word+" ")}, nil
}

// unionSides flattens a chain of unions of one kind, so that a thousand of them nest ten deep.
func (s *query) unionSides(n *plan.SetOp) []plan.Node {
	var out []plan.Node
	stack := []plan.Node{n.Right, n.Left}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if u, ok := top.(*plan.SetOp); ok && u.Kind == plan.Union && u.All == n.All {
			stack = append(stack, u.Right, u.Left)
			continue
		}
		out = append(out, top)
	}
	return out
}

// balanced joins texts by an associative operator as a balanced tree of parentheses.
func balanced(texts []string, op string) string {
	if len(texts) <= 8 {
		return strings.Join(texts, op)
	}
	half := len(texts) / 2
	return "(" + balanced(texts[:half], op) + ")" + op + "(" + balanced(texts[half:], op) + ")"
}

// numbers emits the table function range. DuckDB refuses a step away from the end, where Spark has no rows.
func (s *query) numbers(n *plan.Range) *block {
	if n.Step > 0 && n.Start >= n.End || n.Step < 0 && n.Start <= n.End || n.Step == 0 {
		return s.nothing([]plan.Column{n.Out})
	}
	args := make([]string, 3)
	for i, v := range []int64{n.Start, n.End, n.Step} {
		args[i] = intLiteral(v, n.Out.Type)
	}
	return &block{from: "range(" + strings.Join(args, ",") + ") AS r(" + columnName(n.Out.ID) + ")"}
}

// valuesNode emits literal rows: as text, or as a source where that would be long.
func (s *query) valuesNode(n *plan.Values) (*block, error) {
	if len(n.Rows) == 0 || len(n.Out) == 0 {
		return s.fixed(n.Out, make([][]types.Value, len(n.Rows))), nil
	}
	if len(n.Rows)*len(n.Out) >= longValues {
		if rows, ok := literalRows(n.Rows); ok {
			return s.fixed(n.Out, rows), nil
		}
	}
	var b strings.Builder
	b.WriteString("(VALUES ")
	for i, row := range n.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for k, e := range row {
			text, err := s.expr(e)
			if err != nil {
				return nil, err
			}
			if k > 0 {
				b.WriteByte(',')
			}
			if e.Type().Kind == types.Void {
				text = castTo(text, n.Out[k].Type)
			}
			b.WriteString(text)
		}
		b.WriteByte(')')
	}
	b.WriteString(") AS v(" + names(n.Out) + ")")
	return &block{from: b.String()}, nil
}

// literalRows are the values of rows that hold nothing but literals.
func literalRows(rows [][]expr.Expr) ([][]types.Value, bool) {
	out := make([][]types.Value, len(rows))
	for i, row := range rows {
		out[i] = make([]types.Value, len(row))
		for k, e := range row {
			l, ok := e.(*expr.Literal)
			if !ok {
				return nil, false
			}
			out[i][k] = l.Value
		}
	}
	return out, true
}

// fixed emits rows that are at hand as a source.
func (s *query) fixed(cols []plan.Column, rows [][]types.Value) *block {
	return s.sourceBlock(&sourceEntry{query: s, source: &fixedSource{cols: cols, rows: rows}, cols: cols, ordered: true})
}
