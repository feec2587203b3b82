package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// dml reads INSERT, DELETE, UPDATE and MERGE; with is the WITH clause in front of them, or nil.
func (p *parser) dml(with *ast.With) ast.Statement {
	start := p.cur().Start
	if with != nil {
		start = int32(with.Pos())
	}
	switch t := p.advance(); t.Keyword {
	case token.INSERT:
		return p.insert(start, insertSource{with: with})
	case token.DELETE:
		p.expect(token.FROM)
		d := &ast.Delete{With: with, Table: p.name()}
		d.Alias = p.changedAlias("DELETE")
		if p.accept(token.WHERE) {
			d.Where = p.expr()
		}
		d.At = p.since(start)
		return d
	case token.MERGE:
		return p.merge(start, with)
	}
	u := &ast.Update{With: with, Table: p.name()}
	u.Alias = p.changedAlias("UPDATE")
	p.expect(token.SET)
	u.Set = p.assignments()
	if p.accept(token.WHERE) {
		u.Where = p.expr()
	}
	u.At = p.since(start)
	return u
}

// changedAlias reads the alias of a table whose rows are changed: its columns keep their names.
func (p *parser) changedAlias(what string) *ast.TableAlias {
	t := p.cur()
	a := p.tableAlias()
	if a != nil && len(a.Columns) > 0 {
		p.fail(sqlerr.ColumnAliasesNotAllowed(what), p.spanSince(t))
	}
	return a
}

func (p *parser) assignments() []ast.Assignment {
	var out []ast.Assignment
	for {
		from := p.cur().Start
		a := ast.Assignment{Column: p.name()}
		p.expectKind(token.Equal, "=")
		a.Value = p.expr()
		a.At = p.since(from)
		out = append(out, a)
		if !p.acceptKind(token.Comma) {
			return out
		}
	}
}

// merge reads MERGE from behind its first word.
func (p *parser) merge(start int32, with *ast.With) ast.Statement {
	evolve := p.schemaEvolution()
	p.expect(token.INTO)
	m := &ast.Merge{Evolve: evolve, With: with, Table: p.name()}
	m.Alias = p.changedAlias("MERGE")
	p.expect(token.USING)
	m.Source = p.relationPrimary()
	p.expect(token.ON)
	m.On = p.expr()
	for p.is(token.WHEN) {
		m.Clauses = append(m.Clauses, p.mergeClause())
	}
	m.At = p.since(start)
	p.checkMerge(m)
	return m
}

func (p *parser) mergeClause() *ast.MergeClause {
	start := p.advance().Start
	c := &ast.MergeClause{}
	if p.accept(token.NOT) {
		c.Rows = ast.NotMatched
	}
	p.expectWord("MATCHED")
	if c.Rows == ast.NotMatched && p.accept(token.BY) {
		if p.acceptWord("SOURCE") {
			c.Rows = ast.NotMatchedBySource
		} else {
			p.expect(token.TARGET)
		}
	}
	if p.accept(token.AND) {
		c.Cond = p.expr()
	}
	p.expect(token.THEN)
	switch {
	case c.Rows == ast.NotMatched:
		p.expect(token.INSERT)
		c.Action = ast.MergeInsert
		p.mergeInsert(c)
	case p.accept(token.DELETE):
		c.Action = ast.MergeDelete
	default:
		p.expect(token.UPDATE)
		p.expect(token.SET)
		c.Action = ast.MergeUpdate
		if c.Rows == ast.Matched && p.acceptKind(token.Star) {
			c.Star = true
		} else {
			c.Set = p.assignments()
		}
	}
	c.At = p.since(start)
	return c
}

// mergeInsert reads what stands behind the word INSERT.
func (p *parser) mergeInsert(c *ast.MergeClause) {
	if p.acceptKind(token.Star) {
		c.Star = true
		return
	}
	p.lparen()
	c.Columns = append(c.Columns, p.name())
	for p.acceptKind(token.Comma) {
		c.Columns = append(c.Columns, p.name())
	}
	p.rparen()
	at := p.cur()
	p.expect(token.VALUES)
	p.lparen()
	c.Values = append(c.Values, p.expr())
	for p.acceptKind(token.Comma) {
		c.Values = append(c.Values, p.expr())
	}
	p.rparen()
	if len(c.Columns) != len(c.Values) {
		p.fail(sqlerr.MergeInsertCount(len(c.Values), len(c.Columns)), p.spanSince(at))
	}
}

// checkMerge refuses a MERGE without clauses, and a clause behind one of its kind that takes all rows.
func (p *parser) checkMerge(m *ast.Merge) {
	if len(m.Clauses) == 0 {
		p.fail(sqlerr.MergeWithoutWhen(), m.Span())
	}
	var all [3]*ast.MergeClause
	for _, c := range m.Clauses {
		if before := all[c.Rows]; before != nil {
			p.fail(sqlerr.MergeClauseOrder([...]string{"MATCHED", "NOT_MATCHED_BY_TARGET", "NOT_MATCHED_BY_SOURCE"}[c.Rows]), before.Span())
			return
		}
		if c.Cond == nil {
			all[c.Rows] = c
		}
	}
}

// clone reads CREATE TABLE … CLONE from behind the target's name.
func (p *parser) clone(start int32, t *ast.CreateTable) ast.Statement {
	c := &ast.Clone{Replace: t.Replace, MustExist: t.MustExist, IfNotExists: t.IfNotExists, Table: t.Name, Deep: true}
	if p.accept(token.SHALLOW) {
		c.Deep = false
	} else {
		p.accept(token.DEEP)
	}
	p.expect(token.CLONE)
	c.Source = p.name()
	c.AsOf = p.asOf()
	seen := clauses{}
	for {
		t := p.cur()
		switch {
		case p.accept(token.TBLPROPERTIES):
			seen.once(p, "TBLPROPERTIES", t)
			c.Properties = p.tableProperties()
		case p.accept(token.LOCATION):
			seen.once(p, "LOCATION", t)
			c.Location = p.stringPtr()
		default:
			c.At = p.since(start)
			return c
		}
	}
}

func (p *parser) optimize() ast.Statement {
	start := p.advance().Start
	o := &ast.Optimize{Table: p.deltaName()}
	if p.accept(token.WHERE) {
		o.Where = p.expr()
	}
	if p.isWord("ZORDER") {
		p.advance()
		p.expect(token.BY)
		parens := p.acceptKind(token.LParen)
		o.ZOrder = append(o.ZOrder, p.name())
		for p.acceptKind(token.Comma) {
			o.ZOrder = append(o.ZOrder, p.name())
		}
		if parens {
			p.rparen()
		}
	}
	o.At = p.since(start)
	return o
}
