package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// properties reads (key = value, …).
func (p *parser) properties() []ast.Property {
	p.lparen()
	var out []ast.Property
	seen := map[string]bool{}
	for {
		start := p.cur().Start
		pr := ast.Property{Key: p.propertyKey()}
		p.acceptKind(token.Equal)
		pr.Value = p.propertyValue()
		pr.HasValue = true
		pr.At = p.since(start)
		if seen[pr.Key] && p.err == nil {
			p.fail(sqlerr.DuplicateKey(pr.Key), pr.Span())
		}
		seen[pr.Key] = true
		out = append(out, pr)
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	p.rparen()
	return out
}

// propertyKey reads a string, or words with dots.
func (p *parser) propertyKey() string {
	if t := p.cur(); isString(t) { // one string only: the next one is the value
		p.advance()
		return decodeString(p.text(t), t.Kind)
	}
	parts := []string{p.ident().Name}
	for p.acceptKind(token.Dot) {
		parts = append(parts, p.ident().Name)
	}
	return strings.Join(parts, ".")
}

func (p *parser) propertyValue() string {
	t := p.cur()
	switch {
	case isString(t):
		return p.stringValue()
	case t.IsNumber():
		return p.text(p.advance())
	case t.Kind == token.Minus && p.peek(1).IsNumber():
		p.advance()
		return "-" + p.text(p.advance())
	case t.Keyword == token.TRUE || t.Keyword == token.FALSE:
		return strings.ToLower(p.text(p.advance()))
	}
	p.syntax("Expected a value: a string, a number, true or false.")
	return ""
}

// propertyKeys reads ('a', b.c).
func (p *parser) propertyKeys() []string {
	p.lparen()
	out := []string{p.propertyKey()}
	for p.acceptKind(token.Comma) {
		out = append(out, p.propertyKey())
	}
	p.rparen()
	return out
}

// specMode says what the keys of a partition spec may have.
type specMode uint8

const (
	specValues  specMode = iota // every key = constant
	specInsert                  // keys may stand alone
	specCompare                 // every key with a comparison
)

// partitionSpec reads PARTITION (…).
func (p *parser) partitionSpec(mode specMode) *ast.PartitionSpec {
	start := p.cur().Start
	p.expect(token.PARTITION)
	return p.partitionParens(int(start), mode)
}

// optionalSpec reads PARTITION (…) if it comes next.
func (p *parser) optionalSpec(mode specMode) *ast.PartitionSpec {
	if !p.is(token.PARTITION) {
		return nil
	}
	return p.partitionSpec(mode)
}

func (p *parser) partitionParens(start int, mode specMode) *ast.PartitionSpec {
	p.lparen()
	spec := &ast.PartitionSpec{}
	p.partitionItems(spec, mode)
	p.rparen()
	spec.At = p.from(start)
	return spec
}

func (p *parser) partitionItems(spec *ast.PartitionSpec, mode specMode) {
	seen := map[string]string{} // folded key to its first operator
	for {
		it := p.partitionItem(mode)
		if p.err != nil {
			return
		}
		key := ident.Fold(it.Name.Name)
		// Two bounds of one key are a range; anything else twice is a mistake.
		if op, dup := seen[key]; dup && (op == "=" || it.Op == "=" || op == "" || it.Op == "") {
			p.fail(sqlerr.DuplicateKey(key), it.Span())
			return
		}
		seen[key] = it.Op
		spec.Items = append(spec.Items, it)
		if !p.acceptKind(token.Comma) {
			return
		}
	}
}

func (p *parser) partitionItem(mode specMode) *ast.PartitionItem {
	start := p.cur().Start
	it := &ast.PartitionItem{Name: p.ident()}
	switch t := p.cur(); {
	case t.Kind == token.Equal:
		p.advance()
		it.Op = "="
		it.Values = []ast.Constant{p.constant()}
	case t.Kind == token.Comma || t.Kind == token.RParen || t.Kind == token.EOF:
		if mode != specInsert && p.err == nil && t.Kind != token.EOF {
			p.fail(sqlerr.EmptyPartitionValue(it.Name.Name), it.Name.Span())
		}
	case mode == specCompare:
		p.comparison(it)
	default:
		p.syntax("Expected = and a value.")
	}
	it.At = p.since(start)
	return it
}

// comparison reads the comparison of a key in DROP PARTITION.
func (p *parser) comparison(it *ast.PartitionItem) {
	switch t := p.cur(); t.Kind {
	case token.NullEqual, token.NotEqual, token.Less, token.LessEqual, token.Greater, token.GreaterEqual:
		it.Op, _, _ = p.operator()
		p.advance()
		it.Values = []ast.Constant{p.constant()}
		return
	}
	not := ""
	if p.accept(token.NOT) {
		not = "NOT "
	}
	switch {
	case p.accept(token.LIKE):
		it.Op = not + "LIKE"
		it.Values = []ast.Constant{p.constant()}
	case p.accept(token.BETWEEN):
		it.Op = not + "BETWEEN"
		lo := p.constant()
		p.expect(token.AND)
		it.Values = []ast.Constant{lo, p.constant()}
	case p.accept(token.IN):
		it.Op = not + "IN"
		p.lparen()
		it.Values = append(it.Values, p.constant())
		for p.acceptKind(token.Comma) {
			it.Values = append(it.Values, p.constant())
		}
		p.rparen()
	default:
		p.syntax("Expected a comparison.")
	}
}

// constant reads a literal or a parameter marker.
func (p *parser) constant() ast.Constant {
	t := p.cur()
	c := ast.Constant{Expr: &ast.NullLit{}}
	switch {
	case t.Keyword == token.DEFAULT:
		p.fail(sqlerr.DefaultInPartition(), tokenSpan(t))
		return c
	case isString(t), t.IsNumber(), t.Kind == token.Question, t.Kind == token.Colon,
		t.Keyword == token.NULL, t.Keyword == token.TRUE, t.Keyword == token.FALSE:
		c.Expr = p.primary()
	case t.Kind == token.Minus && p.peek(1).IsNumber():
		p.advance()
		c.Expr = p.numberLit(&t)
	case t.Kind == token.Word && (isString(p.peek(1)) || t.Keyword == token.INTERVAL && p.intervalStarts()):
		if t.Keyword == token.INTERVAL {
			c.Expr = p.interval()
		} else if e, ok := p.typedLit(); ok {
			c.Expr = e
		} else {
			p.syntax("Expected a literal.")
		}
	default:
		p.syntax("Expected a literal.")
		return c
	}
	c.At = p.since(t.Start)
	switch e := c.Expr.(type) {
	case *ast.NullLit:
		c.Null = true
	case *ast.StringLit:
		c.Text = e.Value
	case *ast.TypedLit:
		c.Text = e.Text
	case *ast.BinaryLit:
		c.Text = string(e.Value)
	case *ast.NumberLit:
		c.Text = e.Text
	case *ast.BoolLit:
		c.Text = p.text(t)
	case *ast.IntervalLit:
		c.Text = p.src[c.Start:c.Stop]
	}
	return c
}
