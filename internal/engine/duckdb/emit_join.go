package duckdb

import (
	"strconv"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

func (s *query) join(n *plan.Join) (*block, error) {
	left, err := s.node(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := s.node(n.Right)
	if err != nil {
		return nil, err
	}
	if n.Lateral && n.Kind == plan.LeftJoin && n.Cond != nil {
		if right, err = s.conditioned(right, n.Cond); err != nil {
			return nil, err
		}
		plain := *n
		plain.Cond = nil
		n = &plain
	}
	cond, err := s.hoisted(n, &left, &right)
	if err != nil {
		return nil, err
	}
	if n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin {
		if correlated(n) {
			return s.existence(n, cond, left, right)
		}
	}
	cond = s.carried(n, cond, &left)
	l := left.source()
	if left.from == "" && left.plain() {
		l = "(SELECT 1)"
	}
	r := right.operand()
	if n.Lateral {
		r = "LATERAL (" + right.text() + ")"
	}
	kind, conditional := joinWord(n)
	if n.Kind == plan.SemiJoin || n.Kind == plan.AntiJoin {
		// SEMI and ANTI are no reserved words: after a table function they would be read as its alias.
		l = "(FROM " + l + ") AS outer_side"
	}
	on := ""
	if conditional {
		on = " ON true"
		if cond != nil {
			text, err := s.condition(cond)
			if err != nil {
				return nil, err
			}
			on = " ON " + text
		}
	}
	return &block{from: l + kind + r + on, joined: true}, nil
}

// conditioned is the right side of a lateral left join with the join's condition inside, where it sees the left side all
// the same: DuckDB takes little else than comparisons as the condition of such a join.
func (s *query) conditioned(right *block, cond expr.Expr) (*block, error) {
	b := right.wrap()
	for _, c := range conjuncts(cond) {
		text, err := s.condition(c)
		if err != nil {
			return nil, err
		}
		b.where = append(b.where, text)
	}
	return b, nil
}

// existence is a SEMI or ANTI join within a correlated sub-query as the condition that a match exists: DuckDB does not
// flatten these joins.
func (s *query) existence(n *plan.Join, cond expr.Expr, left, right *block) (*block, error) {
	l := left
	if !l.plain() || l.from == "" {
		l = l.wrap()
	}
	match := &block{list: "1", from: right.operand()}
	for _, c := range conjuncts(cond) {
		text, err := s.condition(c)
		if err != nil {
			return nil, err
		}
		match.where = append(match.where, text)
	}
	word := "EXISTS("
	if n.Kind == plan.AntiJoin {
		word = "NOT EXISTS("
	}
	return &block{from: l.from, joined: l.joined, where: []string{"(" + word + match.text() + "))"}}, nil
}

// carried is the condition of an outer join whose references to columns of an enclosing query became columns of the left
// side: DuckDB takes such references in the ON of inner joins only.
func (s *query) carried(n *plan.Join, cond expr.Expr, left **block) expr.Expr {
	if cond == nil || n.Kind == plan.InnerJoin || n.Kind == plan.CrossJoin {
		return cond
	}
	list := ""
	seen := map[expr.ColumnID]*expr.Column{}
	out := expr.Transform(cond, func(e expr.Expr) expr.Expr {
		c, ok := e.(*expr.Column)
		if !ok || !c.Outer {
			return e
		}
		if seen[c.ID] == nil {
			s.hoists++
			seen[c.ID] = &expr.Column{ID: expr.ColumnID(-s.hoists), Name: c.Name, T: c.T}
			list += "," + columnName(c.ID) + " AS " + columnName(seen[c.ID].ID)
		}
		return seen[c.ID]
	})
	if list != "" {
		*left = &block{from: (*left).operand(), list: "*" + list}
	}
	return out
}

// joinWord is the SQL of a join kind and whether it takes a condition.
func joinWord(n *plan.Join) (word string, conditional bool) {
	switch n.Kind {
	case plan.LeftJoin:
		return " LEFT JOIN ", true
	case plan.RightJoin:
		return " RIGHT JOIN ", true
	case plan.FullJoin:
		return " FULL JOIN ", true
	case plan.SemiJoin:
		return " SEMI JOIN ", true
	case plan.AntiJoin:
		return " ANTI JOIN ", true
	}
	if n.Cond == nil {
		return " CROSS JOIN ", false
	}
	return " JOIN ", true
}

// hoisted is the condition of a join without sub-queries, which DuckDB refuses in the ON of an outer join: each becomes
// a column of the side that it looks at.
func (s *query) hoisted(n *plan.Join, left, right **block) (expr.Expr, error) {
	if n.Cond == nil || !holdsSubquery(n.Cond) {
		return n.Cond, nil
	}
	h := hoist{left: idsOf(n.Left), right: idsOf(n.Right), next: s.hoists}
	cond := expr.Transform(n.Cond, h.replace)
	s.hoists = h.next
	if h.both {
		if n.Kind == plan.InnerJoin || n.Kind == plan.CrossJoin {
			return n.Cond, nil // DuckDB takes these
		}
		return nil, sqlerr.Unsupported("SUBQUERY", "a sub-query over both sides in the condition of an outer join")
	}
	for _, x := range h.found {
		if x.dropped {
			continue
		}
		text, err := s.expr(x.e)
		if err != nil {
			return nil, err
		}
		side := left
		if x.right {
			side = right
		}
		*side = &block{from: (*side).operand(), list: "*," + text + " AS " + columnName(x.id)}
	}
	return cond, nil
}

// hoist takes sub-queries out of a join's condition.
type hoist struct {
	left, right map[expr.ColumnID]bool
	next        int
	found       []*hoistedQuery
	both        bool
}

// hoistedQuery is a sub-query that became a column of one side.
type hoistedQuery struct {
	id      expr.ColumnID
	e       expr.Expr
	right   bool
	dropped bool
}

// replace is called for inner expressions first.
func (h *hoist) replace(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Subquery:
		return h.column(x)
	case *expr.Call:
		// NOT of IN (query) is never NULL, so it is hoisted as a whole.
		if x.Fn.Name != "not" || len(x.Args) != 1 {
			return e
		}
		col, ok := x.Args[0].(*expr.Column)
		if !ok {
			return e
		}
		for _, f := range h.found {
			if sub, ok := f.e.(*expr.Subquery); ok && f.id == col.ID && sub.Kind == expr.InSubquery {
				f.dropped = true
				return h.column(&expr.Call{Fn: x.Fn, Args: []expr.Expr{sub}, T: x.T})
			}
		}
	}
	return e
}

// column is the column that stands for a sub-query from now on.
func (h *hoist) column(e expr.Expr) expr.Expr {
	usesLeft, usesRight := false, false
	for id := range referred(e) {
		usesLeft = usesLeft || h.left[id]
		usesRight = usesRight || h.right[id]
	}
	h.both = h.both || usesLeft && usesRight
	h.next++
	x := &hoistedQuery{id: expr.ColumnID(-h.next), e: e, right: usesRight}
	h.found = append(h.found, x)
	return &expr.Column{ID: x.id, Name: "query " + strconv.Itoa(h.next), T: e.Type()}
}

func holdsSubquery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if _, ok := x.(*expr.Subquery); ok {
			found = true
		}
		return !found
	})
	return found
}

func idsOf(n plan.Node) map[expr.ColumnID]bool {
	out := map[expr.ColumnID]bool{}
	for _, c := range n.Output() {
		out[c.ID] = true
	}
	return out
}

// referred are the columns that an expression uses, within its sub-queries too.
func referred(e expr.Expr) map[expr.ColumnID]bool {
	out := map[expr.ColumnID]bool{}
	var visit func(expr.Expr)
	visit = func(e expr.Expr) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Column:
				out[x.ID] = true
			case *expr.Subquery:
				if q, ok := x.Query.(plan.Node); ok {
					_ = plan.Walk(q, func(n plan.Node) error {
						for _, inner := range plan.Exprs(n) {
							visit(inner)
						}
						return nil
					})
				}
			}
			return true
		})
	}
	visit(e)
	return out
}
