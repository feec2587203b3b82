package bind

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/types"
)

func autoName(e ast.Expr) string { return (&binder{}).columnName(e) }

// columnName is the name of an item without an alias: a column keeps its own, also through a cast; anything else is
// called as it looks.
func (b *binder) columnName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ColumnRef:
		if t, ok := b.texts[e]; ok && strings.HasSuffix(t, "()") {
			return t
		}
		return e.Parts[len(e.Parts)-1].Name
	case *ast.Cast:
		if ref, ok := e.X.(*ast.ColumnRef); ok && !strings.Contains(b.text(ref), ".") {
			return b.columnName(ref)
		}
	case *ast.Field:
		if _, ok := e.X.(*ast.ColumnRef); ok {
			return e.Name.Name
		}
	}
	return b.text(e)
}

// text shows an expression as Spark does in column names and messages: operators in parentheses, strings without
// quotes, functions by the name that they print.
func (b *binder) text(e ast.Expr) string {
	var p namePrinter
	p.b = b
	p.expr(e)
	return p.String()
}

// namePrinter collects the text of an expression.
type namePrinter struct {
	strings.Builder
	b *binder
}

func (p *namePrinter) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *namePrinter) list(es []ast.Expr) {
	for i, e := range es {
		if i > 0 {
			p.put(", ")
		}
		p.expr(e)
	}
}

func (p *namePrinter) infix(l ast.Expr, op string, r ast.Expr) {
	p.put("(")
	p.expr(l)
	p.put(" ", op, " ")
	p.expr(r)
	p.put(")")
}

// not opens "(NOT " when not is set and returns what closes it.
func (p *namePrinter) not(not bool) func() {
	if !not {
		return func() {}
	}
	p.put("(NOT ")
	return func() { p.put(")") }
}

func (p *namePrinter) expr(e ast.Expr) {
	if t, ok := p.b.texts[e]; ok {
		p.put(t)
		return
	}
	switch e := e.(type) {
	case *ast.ColumnRef:
		p.put(joinParts(e.Parts))
	case *ast.Star:
		if len(e.Qualifier) > 0 {
			p.put(joinParts(e.Qualifier), ".")
		}
		p.put("*")
	case *ast.NullLit:
		p.put("NULL")
	case *ast.DefaultLit:
		p.put("DEFAULT")
	case *ast.BoolLit:
		p.put(map[bool]string{true: "true", false: "false"}[e.Value])
	case *ast.StringLit:
		p.put(e.Value)
	case *ast.NumberLit:
		p.put(types.Format(e.Type, e.Value, nil))
	case *ast.BinaryLit:
		p.put("X'", strings.ToUpper(hex.EncodeToString([]byte(e.Value))), "'")
	case *ast.TypedLit, *ast.IntervalLit:
		p.constant(e)
	case *ast.Unit:
		p.put(e.Name)
	case *ast.Param:
		if e.Name == "" {
			p.put("?")
		} else {
			p.put(":", e.Name)
		}
	case *ast.Unary:
		if e.Op == "~" {
			p.put("~")
			p.expr(e.X)
			return
		}
		p.put("(", e.Op, " ")
		p.expr(e.X)
		p.put(")")
	case *ast.Not:
		p.put("(NOT ")
		p.expr(e.X)
		p.put(")")
	case *ast.Logical:
		op := " AND "
		if e.Or {
			op = " OR "
		}
		p.put(strings.Repeat("(", len(e.Args)-1))
		for i, a := range e.Args {
			if i > 0 {
				p.put(op)
			}
			p.expr(a)
			if i > 0 {
				p.put(")")
			}
		}
	case *ast.Binary:
		p.binary(e)
	case *ast.IsNull:
		p.put("(")
		p.expr(e.X)
		p.put(map[bool]string{false: " IS NULL)", true: " IS NOT NULL)"}[e.Not])
	case *ast.IsBool:
		p.isBool(e)
	case *ast.IsDistinct:
		done := p.not(!e.Not)
		p.infix(e.L, "<=>", e.R)
		done()
	case *ast.Between:
		done := p.not(e.Not)
		p.put("between(")
		p.list([]ast.Expr{e.X, e.Lo, e.Hi})
		p.put(")")
		done()
	case *ast.In:
		done := p.not(e.Not)
		p.put("(")
		p.expr(e.X)
		p.put(" IN (")
		p.list(e.List)
		p.put("))")
		done()
	case *ast.InQuery:
		done := p.not(e.Not)
		p.put("(")
		p.expr(e.X)
		p.put(" IN (listquery()))")
		done()
	case *ast.Like:
		p.like(e)
	case *ast.LikeQuantified:
		name := "like"
		if e.Not {
			name = "notlike"
		}
		name += map[bool]string{true: "all(", false: "any("}[e.All]
		p.put(name)
		if e.Op == "ILIKE" {
			p.put("lower(")
			p.expr(e.X)
			p.put(")")
		} else {
			p.expr(e.X)
		}
		p.put(")")
	case *ast.Exists:
		p.put("exists()")
	case *ast.Subquery:
		p.put("scalarsubquery()")
	case *ast.Row:
		p.put("named_struct(")
		for i, a := range e.Elems {
			if i > 0 {
				p.put(", ")
			}
			p.put(fieldName(a, i), ", ")
			p.expr(a.Expr)
		}
		p.put(")")
	case *ast.Call:
		p.call(e)
	case *ast.Case:
		p.caseExpr(e)
	case *ast.Cast:
		p.cast(e)
	case *ast.Extract:
		p.put("extract(", e.Field, " FROM ")
		p.expr(e.X)
		p.put(")")
	case *ast.Trim:
		p.put("TRIM(", e.Where, " ")
		if e.Chars != nil {
			p.expr(e.Chars)
			p.put(" ")
		}
		p.put("FROM ")
		p.expr(e.X)
		p.put(")")
	case *ast.Subscript:
		p.expr(e.X)
		p.put("[")
		p.expr(e.Index)
		p.put("]")
	case *ast.Field:
		p.expr(e.X)
		p.put(".", e.Name.Name)
	case *ast.Lambda:
		p.put("lambdafunction(")
		p.expr(e.Body)
		for range e.Params {
			p.put(", namedlambdavariable()")
		}
		p.put(")")
	case nil:
		p.put("NULL")
	default:
		p.put(e.String())
	}
}

// cast shows a cast. One to a nested type is not shown, and the lengths of CHAR and VARCHAR are not.
func (p *namePrinter) cast(e *ast.Cast) {
	t := e.Type.T.SQL()
	switch e.Type.T.Kind {
	case types.Array, types.Map, types.Struct:
		p.expr(e.X)
		return
	case types.Char, types.Varchar:
		t = types.Of(types.String).SQL()
	}
	p.put(map[bool]string{true: "TRY_CAST(", false: "CAST("}[e.Try])
	p.expr(e.X)
	p.put(" AS ", t, ")")
}

// constant shows a typed literal by its value.
func (p *namePrinter) constant(e ast.Expr) {
	b := p.b
	if b.env.Context == nil {
		b = newBinder(context.Background(), Env{})
	}
	x, err := b.literal(e)
	lit, ok := x.(*expr.Literal)
	if err != nil || !ok {
		p.put(e.String())
		return
	}
	p.put(types.FormatLiteral(lit.T, lit.Value, b.env.Context.Zone))
}

// binary shows a chain of operators, which leans to the left, in a loop.
func (p *namePrinter) binary(e *ast.Binary) {
	chain := []*ast.Binary{e}
	for {
		l, ok := chain[len(chain)-1].L.(*ast.Binary)
		if _, noted := p.b.texts[l]; !ok || noted {
			break
		}
		chain = append(chain, l)
	}
	for _, n := range chain {
		switch n.Op {
		case "<>":
			p.put("(NOT (")
		case "||":
			p.put("concat(")
		default:
			p.put("(")
		}
	}
	p.expr(chain[len(chain)-1].L)
	for i := len(chain) - 1; i >= 0; i-- {
		n := chain[i]
		switch n.Op {
		case "<>":
			p.put(" = ")
			p.expr(n.R)
			p.put("))")
		case "||":
			p.put(", ")
			p.expr(n.R)
			p.put(")")
		default:
			p.put(" ", strings.ToLower(n.Op), " ")
			p.expr(n.R)
			p.put(")")
		}
	}
}

func (p *namePrinter) isBool(e *ast.IsBool) {
	if e.Truth == "UNKNOWN" {
		p.put("(")
		p.expr(e.X)
		p.put(map[bool]string{false: " IS NULL)", true: " IS NOT NULL)"}[e.Not])
		return
	}
	done := p.not(e.Not)
	p.put("(")
	p.expr(e.X)
	p.put(" <=> ", strings.ToLower(e.Truth), ")")
	done()
}

func (p *namePrinter) like(e *ast.Like) {
	done := p.not(e.Not)
	switch e.Op {
	case "LIKE":
		p.expr(e.X)
		p.put(" LIKE ")
		p.expr(e.Pattern)
		if s, ok := e.Escape.(*ast.StringLit); ok && s.Value != `\` {
			p.put(" ESCAPE '", s.Value, "'")
		}
	default:
		p.put(map[string]string{"ILIKE": "ilike(", "RLIKE": "RLIKE("}[e.Op])
		p.list([]ast.Expr{e.X, e.Pattern})
		p.put(")")
	}
	done()
}

func (p *namePrinter) caseExpr(e *ast.Case) {
	p.put("CASE")
	for _, w := range e.Whens {
		p.put(" WHEN ")
		if e.Operand != nil {
			p.infix(e.Operand, "=", w.Cond)
		} else {
			p.expr(w.Cond)
		}
		p.put(" THEN ")
		p.expr(w.Result)
	}
	if e.Else != nil {
		p.put(" ELSE ")
		p.expr(e.Else)
	}
	p.put(" END")
}
