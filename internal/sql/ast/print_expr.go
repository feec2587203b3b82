package ast

import (
	"encoding/hex"
	"strings"
)

// How tightly an expression binds, from loose to tight.
const (
	precLambda = iota
	precOr
	precAnd
	precNot
	precPredicate
	precComparison
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precAdd
	precMultiply
	precUnary
	precPrimary
)

// binaryPrec is the precedence of a binary operator.
func binaryPrec(op string) int {
	switch op {
	case "|":
		return precBitOr
	case "^":
		return precBitXor
	case "&":
		return precBitAnd
	case "<<", ">>", ">>>":
		return precShift
	case "+", "-", "||":
		return precAdd
	case "*", "/", "%", "DIV":
		return precMultiply
	}
	return precComparison
}

func precOf(e Expr) int {
	switch e := e.(type) {
	case *Lambda:
		return precLambda
	case *Logical:
		if e.Or {
			return precOr
		}
		return precAnd
	case *Not:
		return precNot
	case *IsNull, *IsBool, *IsDistinct, *Between, *In, *InQuery, *Like, *LikeQuantified:
		return precPredicate
	case *Binary:
		return binaryPrec(e.Op)
	case *Unary:
		return precUnary
	}
	return precPrimary
}

// expr prints e, in parentheses when it binds less tightly than lowest.
func (p *printer) expr(e Expr, lowest int) {
	if precOf(e) < lowest {
		p.put("(")
		p.bare(e)
		p.put(")")
		return
	}
	p.bare(e)
}

func (p *printer) exprs(es []Expr) { p.each(len(es), ", ", func(i int) { p.expr(es[i], 0) }) }

// bare prints e without parentheses around it.
func (p *printer) bare(e Expr) {
	switch e := e.(type) {
	case *Unary:
		p.unary(e)
	case *Not:
		p.put("NOT ")
		p.expr(e.X, precNot)
	case *Logical:
		word, prec := " AND ", precAnd
		if e.Or {
			word, prec = " OR ", precOr
		}
		p.each(len(e.Args), word, func(i int) { p.expr(e.Args[i], prec+1) })
	case *Binary:
		p.binary(e)
	case *IsNull, *IsBool, *IsDistinct, *Between, *In, *InQuery, *Like, *LikeQuantified:
		p.predicate(e)
	case *Call:
		p.call(e)
	case *Lambda:
		if len(e.Params) == 1 {
			p.ident(e.Params[0])
		} else {
			p.put("(")
			p.idents(e.Params)
			p.put(")")
		}
		p.put(" -> ")
		p.expr(e.Body, 0)
	default:
		p.literal(e)
	}
}

// binary prints a chain that leans to the left without recursing once per link.
func (p *printer) binary(e *Binary) {
	prec := binaryPrec(e.Op)
	chain := []*Binary{e}
	left := e.L
	for {
		b, ok := left.(*Binary)
		if !ok || binaryPrec(b.Op) != prec {
			break
		}
		chain = append(chain, b)
		left = b.L
	}
	p.expr(left, prec)
	for i := len(chain) - 1; i >= 0; i-- {
		p.put(" ", chain[i].Op, " ")
		p.expr(chain[i].R, prec+1)
	}
}

// unary prints a sign so that it neither begins a comment nor becomes part of a number.
func (p *printer) unary(e *Unary) {
	p.put(e.Op)
	switch x := e.X.(type) {
	case *Unary:
		p.put(" ")
	default:
		if first := leftmost(x); first != nil {
			if _, ok := first.(*NumberLit); ok {
				p.put("(")
				p.bare(e.X)
				p.put(")")
				return
			}
		}
	}
	p.expr(e.X, precUnary)
}

// leftmost is the operand that the text of a postfix expression begins with.
func leftmost(e Expr) Expr {
	for {
		switch x := e.(type) {
		case *Subscript:
			e = x.X
		default:
			return e
		}
	}
}

func (p *printer) literal(e Expr) {
	switch e := e.(type) {
	case *NullLit:
		p.put("NULL")
	case *BoolLit:
		if e.Value {
			p.put("TRUE")
		} else {
			p.put("FALSE")
		}
	case *DefaultLit:
		p.put("DEFAULT")
	case *StringLit:
		p.str(e.Value)
	case *NumberLit:
		p.put(e.Text)
	case *BinaryLit:
		p.put("X'", strings.ToUpper(hex.EncodeToString([]byte(e.Value))), "'")
	case *TypedLit:
		p.put(e.Kind, " ")
		p.str(e.Text)
	case *IntervalLit:
		p.interval(e)
	case *Param:
		if e.Name == "" {
			p.put("?")
		} else {
			p.put(":")
			p.ident(Ident{Name: e.Name})
		}
	case *Unit:
		p.put(e.Name)
	case *ColumnRef:
		p.each(len(e.Parts), ".", func(i int) { p.ident(e.Parts[i]) })
	case *Star:
		for _, q := range e.Qualifier {
			p.ident(q)
			p.put(".")
		}
		p.put("*")
		if len(e.Except) > 0 {
			p.put(" EXCEPT (")
			p.names(e.Except)
			p.put(")")
		}
	default:
		p.primary(e)
	}
}

func (p *printer) interval(e *IntervalLit) {
	p.put("INTERVAL ")
	if len(e.Parts) == 0 {
		p.str(e.Text)
		return
	}
	p.each(len(e.Parts), " ", func(i int) {
		p.str(e.Parts[i].Value)
		p.put(" ", e.Parts[i].Unit)
	})
	p.when(e.To != "", " TO "+e.To)
}

func (p *printer) primary(e Expr) {
	switch e := e.(type) {
	case *Exists:
		p.put("EXISTS ")
		p.parenQuery(e.Query)
	case *Subquery:
		p.when(e.Table, "TABLE")
		p.parenQuery(e.Query)
	case *Row:
		p.put("(")
		p.args(e.Elems)
		p.put(")")
	case *Case:
		p.caseExpr(e)
	case *Cast:
		p.when(e.Try, "TRY_")
		p.put("CAST(")
		p.expr(e.X, 0)
		p.put(" AS ", e.Type.T.SQL(), ")")
	case *Extract:
		p.put("EXTRACT(", e.Field, " FROM ")
		p.expr(e.X, 0)
		p.put(")")
	case *Trim:
		p.put("TRIM(", e.Where, " ")
		if e.Chars != nil {
			p.expr(e.Chars, 0)
			p.put(" ")
		}
		p.put("FROM ")
		p.expr(e.X, 0)
		p.put(")")
	case *Subscript:
		p.expr(e.X, precPrimary)
		p.put("[")
		p.expr(e.Index, precComparison)
		p.put("]")
	case *Field:
		p.field(e)
	}
}

// field prints x.name; a name or a word in front of the dot needs parentheses to stay an expression of its own.
func (p *printer) field(e *Field) {
	switch e.X.(type) {
	case *ColumnRef, *NumberLit, *NullLit, *BoolLit, *DefaultLit, *Unit, *Star:
		p.put("(")
		p.bare(e.X)
		p.put(")")
	default:
		p.expr(e.X, precPrimary)
	}
	p.put(".")
	p.ident(e.Name)
}

func (p *printer) caseExpr(e *Case) {
	p.put("CASE")
	if e.Operand != nil {
		p.put(" ")
		p.expr(e.Operand, 0)
	}
	for _, w := range e.Whens {
		p.put(" WHEN ")
		p.expr(w.Cond, 0)
		p.put(" THEN ")
		p.expr(w.Result, 0)
	}
	if e.Else != nil {
		p.put(" ELSE ")
		p.expr(e.Else, 0)
	}
	p.put(" END")
}

func (p *printer) predicate(e Expr) {
	operand := func(x Expr) { p.expr(x, precComparison) }
	not := func(n bool) { p.when(n, " NOT") }
	switch e := e.(type) {
	case *IsNull:
		operand(e.X)
		p.put(" IS")
		not(e.Not)
		p.put(" NULL")
	case *IsBool:
		operand(e.X)
		p.put(" IS")
		not(e.Not)
		p.put(" ", e.Truth)
	case *IsDistinct:
		operand(e.L)
		p.put(" IS")
		not(e.Not)
		p.put(" DISTINCT FROM ")
		operand(e.R)
	case *Between:
		operand(e.X)
		not(e.Not)
		p.put(" BETWEEN ")
		operand(e.Lo)
		p.put(" AND ")
		operand(e.Hi)
	case *In:
		operand(e.X)
		not(e.Not)
		p.put(" IN (")
		p.exprs(e.List)
		p.put(")")
	case *InQuery:
		operand(e.X)
		not(e.Not)
		p.put(" IN ")
		p.parenQuery(e.Query)
	case *Like:
		operand(e.X)
		not(e.Not)
		p.put(" ", e.Op, " ")
		operand(e.Pattern)
		if e.Escape != nil {
			p.put(" ESCAPE ")
			operand(e.Escape)
		}
	case *LikeQuantified:
		operand(e.X)
		not(e.Not)
		p.put(" ", e.Op)
		if e.All {
			p.put(" ALL (")
		} else {
			p.put(" ANY (")
		}
		p.exprs(e.Patterns)
		p.put(")")
	}
}

func (p *printer) args(as []Arg) {
	p.each(len(as), ", ", func(i int) {
		a := as[i]
		if a.Name != nil {
			p.ident(*a.Name)
			p.put(" => ")
		}
		p.expr(a.Expr, 0)
		if a.Alias != nil {
			p.put(" AS ")
			p.ident(*a.Alias)
		}
	})
}

func (p *printer) call(e *Call) {
	p.name(e.Name)
	p.put("(")
	p.when(e.Distinct, "DISTINCT ")
	p.args(e.Args)
	p.put(")")
	if len(e.WithinGroup) > 0 {
		p.put(" WITHIN GROUP (ORDER BY ")
		p.sorts(e.WithinGroup)
		p.put(")")
	}
	if e.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(e.Filter, 0)
		p.put(")")
	}
	p.when(e.IgnoreNulls, " IGNORE NULLS")
	p.when(e.RespectNulls, " RESPECT NULLS")
	if e.Over != nil {
		p.put(" OVER ")
		p.window(e.Over)
	}
}

func (p *printer) window(w *WindowSpec) {
	if w.Ref != nil {
		p.ident(*w.Ref)
		return
	}
	p.put("(")
	sep := ""
	if len(w.PartitionBy) > 0 {
		p.put("PARTITION BY ")
		p.exprs(w.PartitionBy)
		sep = " "
	}
	if len(w.OrderBy) > 0 {
		p.put(sep, "ORDER BY ")
		p.sorts(w.OrderBy)
		sep = " "
	}
	if w.Frame != nil {
		p.put(sep)
		p.frame(w.Frame)
	}
	p.put(")")
}

func (p *printer) frame(f *WindowFrame) {
	if f.Rows {
		p.put("ROWS ")
	} else {
		p.put("RANGE ")
	}
	if f.Upper == nil {
		p.bound(f.Lower)
		return
	}
	p.put("BETWEEN ")
	p.bound(f.Lower)
	p.put(" AND ")
	p.bound(*f.Upper)
}

func (p *printer) bound(b FrameBound) {
	switch b.Kind {
	case UnboundedPreceding:
		p.put("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		p.put("UNBOUNDED FOLLOWING")
	case CurrentRow:
		p.put("CURRENT ROW")
	case Preceding:
		p.expr(b.Offset, precNot)
		p.put(" PRECEDING")
	case Following:
		p.expr(b.Offset, precNot)
		p.put(" FOLLOWING")
	}
}
