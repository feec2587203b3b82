package duckdb

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// maxNesting is how deep expressions may nest. DuckDB's parser ends at about three times that many parentheses, and
// its planner recurses on the stack of a thread; chains of AND and OR count once.
const maxNesting = 600

// expr emits a value. The text is atomic: it can stand as an operand of anything.
func (s *query) expr(e expr.Expr) (string, error) {
	if s.depth++; s.depth > maxNesting {
		return "", sqlerr.TooComplex("the nesting of its expressions", maxNesting)
	}
	defer func() { s.depth-- }()
	switch e := e.(type) {
	case *expr.Literal:
		return literal(e.Value, e.T)
	case *expr.Column:
		if text, carried := s.variables[e.ID]; carried {
			return text, nil
		}
		return columnName(e.ID), nil
	case *expr.Variable:
		text, ok := s.variables[e.ID]
		if !ok {
			return "", internal("the variable %s stands outside its lambda", e.Name)
		}
		return text, nil
	case *expr.Call:
		if sub, negated := inSubquery(e); negated && sub != nil {
			text, err := s.inQuery(sub, true)
			return "coalesce(" + text + ",false)", err
		}
		return s.call(e)
	case *expr.Cast:
		arg, err := s.expr(e.Arg)
		if err != nil {
			return "", err
		}
		from := e.Arg.Type()
		if z, ok := s.elsewhere(e.Zone); ok {
			if _, ok := z.CastSQL(arg, from, e.T, e.Mode); !ok {
				return "", elsewhereUnsaid("CAST of " + from.SQL() + " AS " + e.T.SQL())
			}
			return s.bound([]string{arg}, func(a []string) string {
				text, _ := z.CastSQL(a[0], from, e.T, e.Mode)
				return "(" + text + ")"
			}), nil
		}
		return s.bound([]string{arg}, func(a []string) string {
			return "(" + expr.CastSQL(a[0], from, e.T, e.Mode) + ")"
		}), nil
	case *expr.Case:
		return s.caseOf(e)
	case *expr.In:
		return s.in(e)
	case *expr.Tuple:
		return s.tuple(e)
	case *expr.GetField:
		arg, err := s.expr(e.Arg)
		return "struct_extract_at(" + arg + "," + strconv.Itoa(e.Ordinal+1) + ")", err
	case *expr.Subquery:
		if e.Kind != expr.InSubquery {
			return s.subquery(e)
		}
		text, err := s.inQuery(e, false)
		if err != nil {
			return "", err
		}
		// As a value IN (query) and its negation are never NULL in Spark, which makes a join of them that asks whether a
		// match exists.
		return "coalesce(" + text + ",false)", nil
	case *expr.Aggregate, *expr.Window:
		return "", internal("an aggregate or window stands outside its operator")
	}
	return "", internal("the engine has no word for a %T", e)
}

func (s *query) exprs(list []expr.Expr) ([]string, error) {
	out := make([]string, len(list))
	for i, e := range list {
		var err error
		if out[i], err = s.expr(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// condition emits a conjunct of WHERE or ON, where NULL counts as false and DuckDB evaluates AND and OR lazily.
func (s *query) condition(e expr.Expr) (string, error) {
	if sub, negated := inSubquery(e); sub != nil {
		return s.inQuery(sub, negated)
	}
	c, ok := e.(*expr.Call)
	if !ok || !isLogic(c) {
		return s.expr(e)
	}
	operands := parts(c)
	texts := make([]string, len(operands))
	for i, p := range operands {
		var err error
		if inner, ok := p.(*expr.Call); ok && isLogic(inner) {
			texts[i], err = s.lazy(inner)
		} else {
			texts[i], err = s.expr(p)
		}
		if err != nil {
			return "", err
		}
	}
	return "(" + balanced(texts, " "+strings.ToUpper(c.Fn.Name)+" ") + ")", nil
}

// lazy emits AND and OR below a condition, where sub-queries are values again.
func (s *query) lazy(c *expr.Call) (string, error) {
	operands := parts(c)
	texts := make([]string, len(operands))
	for i, p := range operands {
		var err error
		if inner, ok := p.(*expr.Call); ok && isLogic(inner) {
			texts[i], err = s.lazy(inner)
		} else {
			texts[i], err = s.expr(p)
		}
		if err != nil {
			return "", err
		}
	}
	return "(" + balanced(texts, " "+strings.ToUpper(c.Fn.Name)+" ") + ")", nil
}

// inSubquery tells x IN (query) and its negation.
func inSubquery(e expr.Expr) (sub *expr.Subquery, negated bool) {
	if c, ok := e.(*expr.Call); ok && c.Fn.Name == "not" && len(c.Args) == 1 {
		e, negated = c.Args[0], true
	}
	sub, _ = e.(*expr.Subquery)
	if sub != nil && sub.Kind != expr.InSubquery {
		sub = nil
	}
	return sub, negated
}

// isLogic reports whether a call is AND or OR.
func isLogic(c *expr.Call) bool { return (c.Fn.Name == "and" || c.Fn.Name == "or") && len(c.Args) == 2 }

// chain flattens a tree of one associative operator, in order.
func chain(e expr.Expr, op string) []expr.Expr {
	var out []expr.Expr
	stack := []expr.Expr{e}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c, ok := top.(*expr.Call); ok && c.Fn.Name == op && len(c.Args) == 2 {
			stack = append(stack, c.Args[1], c.Args[0])
			continue
		}
		out = append(out, top)
	}
	return out
}

// parts are the operands of a chain of AND or OR. In a long OR, comparisons of one column with constants become one
// IN: DuckDB's optimizer needs seconds for ten thousand comparisons.
func parts(c *expr.Call) []expr.Expr {
	list := chain(c, c.Fn.Name)
	if c.Fn.Name != "or" || len(list) < longOr {
		return list
	}
	lists := map[expr.ColumnID]*expr.In{}
	var out []expr.Expr
	for _, e := range list {
		col, value := equality(e)
		if col == nil {
			out = append(out, e)
			continue
		}
		in := lists[col.ID]
		if in == nil {
			in = &expr.In{Arg: col}
			lists[col.ID] = in
			out = append(out, in)
		}
		in.List = append(in.List, value)
	}
	return out
}

// longOr is the number of operands from which an OR is looked at for comparisons with constants.
const longOr = 32

// equality tells column = constant, for types whose equality is that of their representation.
func equality(e expr.Expr) (*expr.Column, *expr.Literal) {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) != 2 || c.Fn.Name != "=" && c.Fn.Name != "==" {
		return nil, nil
	}
	col, isColumn := c.Args[0].(*expr.Column)
	value, isLiteral := c.Args[1].(*expr.Literal)
	if !isColumn || !isLiteral || value.Value == nil || !types.Equal(col.T, value.T) {
		return nil, nil
	}
	if k := col.T.Kind; !k.IsIntegral() && k != types.String && k != types.Date {
		return nil, nil
	}
	return col, value
}

// conjuncts splits a condition at its top-level ANDs.
func conjuncts(e expr.Expr) []expr.Expr {
	if e == nil {
		return nil
	}
	return chain(e, "and")
}

// logic emits AND or OR as a value. DuckDB evaluates both sides of it there; Spark stops at the first that decides,
// which shows when the other raises an error. So what may raise goes into a CASE.
func (s *query) logic(c *expr.Call) (string, error) {
	operands := parts(c)
	texts, err := s.exprs(operands)
	if err != nil {
		return "", err
	}
	eager := make([]bool, len(operands))
	for i, p := range operands {
		eager[i] = !raises(p)
	}
	return "(" + guarded(texts, eager, c.Fn.Name == "and") + ")", nil
}

// guarded joins the parts of an AND or OR so that a part which is not eager is evaluated only when those before leave
// the result open. Halving keeps the text small: what comes before is written twice at each level.
func guarded(texts []string, eager []bool, and bool) string {
	word := " OR "
	if and {
		word = " AND "
	}
	if !slices.Contains(eager[1:], false) {
		return balanced(texts, word)
	}
	half := len(texts) / 2
	left := guarded(texts[:half], eager[:half], and)
	right := guarded(texts[half:], eager[half:], and)
	if !slices.Contains(eager[half:], false) {
		return "(" + left + ")" + word + "(" + right + ")"
	}
	if and {
		return "CASE WHEN NOT (" + left + ") THEN false ELSE ((" + left + ") AND (" + right + ")) END"
	}
	return "CASE WHEN (" + left + ") THEN true ELSE ((" + left + ") OR (" + right + ")) END"
}

func (s *query) caseOf(e *expr.Case) (string, error) {
	var b strings.Builder
	b.WriteString("(CASE")
	for i := range e.Whens {
		when, err := s.expr(e.Whens[i])
		if err != nil {
			return "", err
		}
		then, err := s.branch(e.Thens[i], e.T)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHEN " + when + " THEN " + then)
	}
	if e.Else != nil {
		text, err := s.branch(e.Else, e.T)
		if err != nil {
			return "", err
		}
		b.WriteString(" ELSE " + text)
	}
	b.WriteString(" END)")
	return b.String(), nil
}

// branch is a result of a CASE, where an untyped NULL takes the type of the whole.
func (s *query) branch(e expr.Expr, t types.Type) (string, error) {
	text, err := s.expr(e)
	if e.Type().Kind == types.Void && t.Kind != types.Void {
		text = castTo(text, t)
	}
	return text, err
}

func (s *query) in(e *expr.In) (string, error) {
	arg, err := s.expr(e.Arg)
	if err != nil {
		return "", err
	}
	list, err := s.exprs(e.List)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "(CASE WHEN " + arg + " IS NOT NULL THEN false END)", nil
	}
	return "(" + arg + " IN (" + strings.Join(list, ",") + "))", nil
}

func (s *query) tuple(e *expr.Tuple) (string, error) {
	texts, err := s.exprs(e.Elems)
	if err != nil {
		return "", err
	}
	for i, t := range texts {
		texts[i] = expr.DuckIdent(expr.DuckFieldName(e.T, i)) + ":" + t
	}
	return "{" + strings.Join(texts, ",") + "}", nil
}

// inQuery emits x IN (query) or its negation, with SQL's NULL where it matters: negated, NULL is not true. DuckDB
// refuses a row IN a query that refers to outer columns, and takes rows for unknown that differ in one column and have a
// NULL in another; both ask for a row that is equal or, negated, for one that is not certainly different.
func (s *query) inQuery(e *expr.Subquery, negated bool) (string, error) {
	n, isNode := e.Query.(plan.Node)
	if isNode {
		if elems := constantRow(e.Arg, len(n.Output())); elems != nil {
			sub := *e
			sub.Arg = elems
			e = &sub
		}
	}
	row, ok := e.Arg.(*expr.Tuple)
	if !ok || !isNode || !negated && !correlated(n) || len(row.Elems) != len(n.Output()) {
		text, err := s.subquery(e)
		if negated {
			text = "(NOT " + text + ")"
		}
		return text, err
	}
	args, err := s.exprs(row.Elems)
	if err != nil {
		return "", err
	}
	b, err := s.listed(n)
	if err != nil {
		return "", err
	}
	word, ending := "EXISTS", ""
	if negated {
		word, ending = "NOT EXISTS", " IS DISTINCT FROM false"
	}
	for i, c := range n.Output() {
		args[i] = "(" + args[i] + "=" + columnName(c.ID) + ")" + ending
	}
	return "(" + word + "(SELECT 1 FROM (" + b.text() + ") AS q WHERE " + strings.Join(args, " AND ") + "))", nil
}

// constantRow is a row of constants, which folding made one constant, as the row of as many columns as a query has; nil
// when it is none.
func constantRow(e expr.Expr, columns int) *expr.Tuple {
	l, ok := e.(*expr.Literal)
	if !ok || l.T.Kind != types.Struct || columns < 2 || len(l.T.Fields) != columns {
		return nil
	}
	values, _ := l.Value.([]types.Value)
	row := &expr.Tuple{Elems: make([]expr.Expr, columns), T: l.T}
	for i, f := range l.T.Fields {
		x := &expr.Literal{T: f.Type}
		if i < len(values) {
			x.Value = values[i]
		}
		row.Elems[i] = x
	}
	return row
}

// correlated reports whether a query refers to columns of one around it.
func correlated(n plan.Node) bool {
	found := errors.New("found")
	return plan.Walk(n, func(n plan.Node) error {
		for _, e := range plan.Exprs(n) {
			outer := false
			expr.Walk(e, func(x expr.Expr) bool {
				c, ok := x.(*expr.Column)
				outer = outer || ok && c.Outer
				return !outer
			})
			if outer {
				return found
			}
		}
		return nil
	}) != nil
}

// subquery emits a query inside an expression. IN keeps SQL's NULL.
func (s *query) subquery(e *expr.Subquery) (string, error) {
	n, ok := e.Query.(plan.Node)
	if !ok {
		return "", internal("a sub-query holds a %T", e.Query)
	}
	b, err := s.listed(n)
	if err != nil {
		return "", err
	}
	text := "(" + b.text() + ")"
	switch e.Kind {
	case expr.ExistsSubquery:
		return "EXISTS" + text, nil
	case expr.InSubquery:
		arg, err := s.inArg(e.Arg)
		return "(" + arg + " IN " + text + ")", err
	}
	return text, nil
}

// inArg is the left side of IN (query): several columns as a row.
func (s *query) inArg(e expr.Expr) (string, error) {
	t, ok := e.(*expr.Tuple)
	if !ok {
		return s.expr(e)
	}
	texts, err := s.exprs(t.Elems)
	return "(" + strings.Join(texts, ",") + ")", err
}
