package ast

import (
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
)

// printer collects the SQL text of a tree. Expressions get parentheses only where the grammar needs them.
type printer struct{ strings.Builder }

// sqlText prints one node.
func sqlText(n Node) string {
	var p printer
	p.node(n)
	return p.Builder.String()
}

// node prints any node.
func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *Query:
		p.query(n)
	case Expr:
		p.expr(n, 0)
	case Relation:
		p.relation(n)
	case QueryBody:
		p.body(n, 0)
	case Action:
		p.action(n)
	case Statement:
		p.statement(n)
	default:
		p.part(n)
	}
}

// part prints the nodes that stand inside others.
func (p *printer) part(n Node) {
	switch n := n.(type) {
	case *Ident:
		p.ident(*n)
	case *Name:
		p.name(*n)
	case *TypeName:
		p.put(n.T.SQL())
	case *Property:
		p.property(*n)
	case *PartitionSpec:
		p.spec(n)
	case *PartitionItem:
		p.partitionItem(n)
	case *Constant:
		p.constant(*n)
	case *ColumnDef:
		p.columnDef(n)
	case *ColumnPosition:
		p.position(n)
	case *ColumnChange:
		p.columnChange(n)
	case *Pattern:
		p.str(n.Text)
	case *Buckets:
		p.buckets(n)
	case *ClusterBy:
		p.clusterBy(n)
	case *RowFormat:
		p.rowFormat(n)
	case *StoredAs:
		p.storedAs(n)
	default:
		p.queryPart(n)
	}
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// when prints s if cond holds.
func (p *printer) when(cond bool, s string) {
	if cond {
		p.WriteString(s)
	}
}

// each prints n things with separators.
func (p *printer) each(n int, sep string, one func(i int)) {
	for i := range n {
		if i > 0 {
			p.WriteString(sep)
		}
		one(i)
	}
}

// str prints a string literal.
func (p *printer) str(s string) { p.WriteString(QuoteString(s)) }

// QuoteString is s as a string literal.
func QuoteString(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// optStr prints a clause with a string, if there is one.
func (p *printer) optStr(clause string, s *string) {
	if s != nil {
		p.put(clause)
		p.str(*s)
	}
}

func (p *printer) ident(i Ident) {
	if i.Quoted || !isWord(i.Name) {
		p.put(ident.Quote(i.Name))
		return
	}
	p.put(i.Name)
}

// isWord reports whether s can stand as a name without quotes.
func isWord(s string) bool {
	letters := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters = true
		default:
			return false
		}
	}
	return letters
}

func (p *printer) idents(ids []Ident) { p.each(len(ids), ", ", func(i int) { p.ident(ids[i]) }) }

// identList prints names in parentheses, if there are any.
func (p *printer) identList(ids []Ident) {
	if len(ids) > 0 {
		p.put(" (")
		p.idents(ids)
		p.put(")")
	}
}

func (p *printer) name(n Name) {
	if n.Computed != nil {
		p.put("IDENTIFIER(")
		p.expr(n.Computed, 0)
		p.put(")")
		return
	}
	p.each(len(n.Parts), ".", func(i int) { p.ident(n.Parts[i]) })
}

func (p *printer) names(ns []Name) { p.each(len(ns), ", ", func(i int) { p.name(ns[i]) }) }

// optName prints a clause with a name, if there is one.
func (p *printer) optName(clause string, n Name) {
	if !n.IsZero() {
		p.put(clause)
		p.name(n)
	}
}

func (p *printer) property(pr Property) {
	p.str(pr.Key)
	if pr.HasValue {
		p.put(" = ")
		p.str(pr.Value)
	}
}

// properties prints a clause with properties, if there are any.
func (p *printer) properties(clause string, props []Property) {
	if len(props) > 0 {
		p.put(clause, " (")
		p.each(len(props), ", ", func(i int) { p.property(props[i]) })
		p.put(")")
	}
}

func (p *printer) spec(s *PartitionSpec) {
	p.put("PARTITION (")
	p.each(len(s.Items), ", ", func(i int) { p.partitionItem(s.Items[i]) })
	p.put(")")
}

// optSpec prints a spec behind a space, if there is one.
func (p *printer) optSpec(s *PartitionSpec) {
	if s != nil {
		p.put(" ")
		p.spec(s)
	}
}

func (p *printer) partitionItem(it *PartitionItem) {
	p.ident(it.Name)
	if it.Op == "" || len(it.Values) == 0 {
		return
	}
	p.put(" ", it.Op, " ")
	switch it.Op {
	case "IN", "NOT IN":
		p.put("(")
		p.each(len(it.Values), ", ", func(i int) { p.constant(it.Values[i]) })
		p.put(")")
	default:
		p.each(len(it.Values), " AND ", func(i int) { p.constant(it.Values[i]) })
	}
}

func (p *printer) constant(c Constant) {
	switch c.Expr.(type) {
	case *BoolLit, *IntervalLit:
		p.put(c.Text)
	default:
		p.expr(c.Expr, precPrimary)
	}
}
