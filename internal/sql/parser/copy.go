package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// isWord reports whether the next token is a word that only one statement knows, and that is no keyword for that reason.
func (p *parser) isWord(word string) bool {
	t := p.cur()
	return t.Kind == token.Word && strings.EqualFold(p.text(t), word)
}

func (p *parser) acceptWord(word string) bool {
	if !p.isWord(word) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expectWord(word string) {
	if !p.acceptWord(word) {
		p.syntax("Expected " + word + ".")
	}
}

// copyInto reads COPY INTO. Its clauses come in the order of the documentation.
func (p *parser) copyInto() ast.Statement {
	start := p.cur().Start
	p.expect(token.COPY, token.INTO)
	c := &ast.CopyInto{}
	if p.is(token.TABLE) && p.nameFollows() && p.peek(1).Keyword != token.FROM {
		p.advance()
	}
	c.Table = p.name()
	switch {
	case p.accept(token.BY):
		p.expectWord("POSITION")
		c.ByPosition = true
	case p.isKind(token.LParen):
		c.Columns = p.identList()
	}
	p.expect(token.FROM)
	format := p.copySource(c)
	if p.accept(token.FILEFORMAT) {
		p.expectKind(token.Equal, "=")
		t := p.cur()
		c.Format = p.formatName()
		if format != nil && !strings.EqualFold(format.Name, c.Format.Name) {
			p.syntaxAt(t, "The source is written as "+format.Name+"; FILEFORMAT must say the same.")
		}
	} else if format == nil {
		p.syntax("Expected FILEFORMAT = and the format of the files.")
	} else {
		c.Format = *format
	}
	if t := p.cur(); p.isWord("VALIDATE") {
		p.fail(sqlerr.Unsupported("COPY_INTO_VALIDATE", "COPY INTO … VALIDATE"), tokenSpan(t))
	}
	p.copyFiles(c)
	if p.acceptWord("FORMAT_OPTIONS") {
		c.FormatOptions = p.properties()
	}
	if p.acceptWord("COPY_OPTIONS") {
		c.CopyOptions = p.properties()
	}
	c.At = p.since(start)
	return c
}

// copySource reads what COPY INTO reads from. It returns the format of format.`path`, else nil.
func (p *parser) copySource(c *ast.CopyInto) *ast.Ident {
	query := p.acceptKind(token.LParen)
	if query {
		p.expect(token.SELECT)
		c.Items = []*ast.SelectItem{p.selectItem()}
		for p.acceptKind(token.Comma) {
			c.Items = append(c.Items, p.selectItem())
		}
		p.expect(token.FROM)
	}
	var format *ast.Ident
	t := p.cur()
	if isString(t) {
		c.Path = p.stringValue()
	} else if n := p.name(); p.err == nil {
		if len(n.Parts) != 2 {
			p.syntaxAt(t, "Expected a path: a string, or format.`path`.")
			return nil
		}
		format, c.Path = &n.Parts[0], n.Parts[1].Name
	}
	c.PathAt = p.since(t.Start)
	if w := p.cur(); p.is(token.WITH) {
		p.fail(sqlerr.Unsupported("COPY_INTO_CREDENTIAL", "credentials in COPY INTO"), tokenSpan(w))
	}
	if query {
		p.rparen()
	}
	return format
}

// copyFiles reads FILES = ('a', …) or PATTERN = 'glob'.
func (p *parser) copyFiles(c *ast.CopyInto) {
	switch {
	case p.acceptWord("FILES"):
		p.expectKind(token.Equal, "=")
		p.lparen()
		c.Files = []string{p.oneString()}
		for p.acceptKind(token.Comma) {
			c.Files = append(c.Files, p.oneString())
		}
		p.rparen()
	case p.acceptWord("PATTERN"):
		p.expectKind(token.Equal, "=")
		s := p.oneString()
		c.Pattern = &s
	}
}

// oneString reads a string, and not the ones that follow it: a comma forgotten between two file names must not make
// one name of them.
func (p *parser) oneString() string {
	t := p.cur()
	if !isString(t) {
		p.syntax("Expected a string.")
		return ""
	}
	p.advance()
	return decodeString(p.text(t), t.Kind)
}

// vacuum reads VACUUM of a table or a schema.
func (p *parser) vacuum() ast.Statement {
	start := p.advance().Start
	v := &ast.Vacuum{}
	switch {
	case isSchemaWord(p.cur().Keyword) && p.nameFollows() && !p.vacuumClause(1):
		p.advance()
		v.Schema = p.name()
	default:
		if p.is(token.TABLE) && p.nameFollows() && !p.vacuumClause(1) {
			p.advance()
		}
		v.Table = p.deltaName()
	}
	p.acceptWord("FULL") // as it is without the word
	if p.acceptWord("RETAIN") {
		t := p.cur()
		if t.Kind != token.Integer && t.Kind != token.Decimal || strings.Trim(p.text(t), "0123456789.") != "" {
			p.syntax("Expected a number of hours.")
		} else {
			v.Hours = p.text(p.advance())
		}
		if !p.acceptWord("HOUR") {
			p.expectWord("HOURS")
		}
	}
	if v.DryRun = p.is(token.DRY); v.DryRun {
		p.expect(token.DRY, token.RUN)
	}
	v.At = p.since(start)
	return v
}

// vacuumClause reports whether the n-th token ahead begins a clause of VACUUM, so that what stands before it is a name.
func (p *parser) vacuumClause(n int) bool {
	t, next := p.peek(n), p.peek(n+1)
	return p.upperText(t) == "RETAIN" && next.IsNumber() || t.Keyword == token.DRY && next.Keyword == token.RUN
}
