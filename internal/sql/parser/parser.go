// Package parser reads Spark SQL, with Tarn's additions, into the trees of package ast: a hand-written recursive
// descent with one function per production, and precedence climbing for expressions.
//
// It is pure: no catalog, no settings, no clock. It must not import anything of Tarn but the packages of the
// vocabulary below it.
package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

const (
	// maxDepth bounds the nesting of expressions, queries and types, so that hostile text cannot exhaust the stack of
	// the parser or of a walk over its tree.
	maxDepth = 1000
	// maxChain bounds chains that lean to the left (a + b + c …), whose tree is as deep as they are long. AND and OR
	// are flat and have no bound.
	maxChain = 20_000
	// maxQueries bounds chains of UNION, EXCEPT and INTERSECT: the engine's work to plan them grows with their square,
	// in time (14 s) and memory (1.4 GB) alike.
	maxQueries = 4000
)

// Parse reads one statement. Trailing semicolons are allowed. Errors are *sqlerr.Error with the place in sql.
func Parse(sql string) (ast.Statement, error) {
	p, err := newParser(sql)
	if err != nil {
		return nil, err
	}
	if p.statementsEnd() {
		return nil, sqlerr.EmptyStatement()
	}
	st := p.statement()
	p.end()
	return result(p, st)
}

// Parsed is a statement, and what in it has to be replaced before it means what its author meant.
type Parsed struct {
	Statement ast.Statement
	// Start is where the statement begins, behind comments.
	Start int
	// Markers are the parameter markers in the order of the text, those in the place of a string included: the statement
	// holds an *ast.Param, or an empty string, for each.
	Markers []*ast.Param
	// Computed tells that some name is IDENTIFIER(expr): a Name with Computed, or a call of identifier for a column.
	Computed bool
}

// ParseStatement is Parse, and tells what has to be replaced in the statement.
func ParseStatement(sql string) (Parsed, error) {
	p, err := newParser(sql)
	if err != nil {
		return Parsed{}, err
	}
	if p.statementsEnd() {
		return Parsed{}, sqlerr.EmptyStatement()
	}
	start := int(p.cur().Start)
	st := p.statement()
	p.end()
	return result(p, Parsed{Statement: st, Start: start, Markers: p.markers, Computed: p.computed})
}

// ParseExpr reads one expression and nothing else.
func ParseExpr(text string) (ast.Expr, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	e := p.expr()
	p.wholeText()
	return result(p, e)
}

// ParseType reads a data type, such as "struct<a: int, b: array<string>>".
func ParseType(text string) (types.Type, error) {
	p, err := newParser(text)
	if err != nil {
		return types.Type{}, err
	}
	t := p.dataType()
	p.wholeText()
	return result(p, t)
}

// ParseName reads a possibly qualified name, such as "main.default.`my table`".
func ParseName(text string) (ast.Name, error) {
	p, err := newParser(text)
	if err != nil {
		return ast.Name{}, err
	}
	n := p.name()
	p.wholeText()
	return result(p, n)
}

// ParseColumns reads a list of columns as CREATE TABLE has it between its parentheses, such as "hh INT, dt DATE".
func ParseColumns(text string) ([]*ast.ColumnDef, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	cols := []*ast.ColumnDef{p.columnDef(plainColumn)}
	for p.acceptKind(token.Comma) {
		cols = append(cols, p.columnDef(plainColumn))
	}
	p.wholeText()
	return result(p, cols)
}

// result gives v, or the zero value and the first error.
func result[T any](p *parser, v T) (T, error) {
	if p.err != nil {
		var zero T
		return zero, p.err
	}
	return v, nil
}

// parser reads tokens. Its first error ends the reading: every later look at the text sees its end, so productions
// need not check for errors, only return nodes that are not nil.
type parser struct {
	src    string
	toks   []token.Token
	i      int
	depth  int
	params int // ? markers seen
	err    *sqlerr.Error
	// markers are the parameter markers read, computed tells of IDENTIFIER(expr): see Parsed.
	markers  []*ast.Param
	computed bool

	idents   slab[ast.Ident]
	columns  slab[ast.ColumnRef]
	numbers  slab[ast.NumberLit]
	strings  slab[ast.StringLit]
	binaries slab[ast.Binary]
	exprList slab[ast.Expr]
	args     slab[ast.Arg]
	rows     slab[ast.Row]
	pending  []ast.Arg // elements of the rows and calls being read, innermost last
}

func newParser(sql string) (*parser, error) {
	if len(sql) > token.MaxText {
		return nil, sqlerr.TooComplex("its length in bytes", token.MaxText)
	}
	p := &parser{src: sql}
	p.toks = token.Lex(sql, make([]token.Token, 0, len(sql)/3+8))
	if n := len(p.toks); n > 1 && p.toks[n-2].Kind == token.UnclosedComment {
		t := p.toks[n-2]
		return nil, sqlerr.UnclosedComment().At(sqlerr.Span{Start: int(t.Start), End: int(t.End)})
	}
	return p, nil
}

// cur is the token to read next.
func (p *parser) cur() token.Token { return p.toks[p.i] }

// peek is the token n places ahead; beyond the end it is EOF.
func (p *parser) peek(n int) token.Token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) advance() token.Token {
	t := p.toks[p.i]
	if p.i < len(p.toks)-1 {
		p.i++
	}
	return t
}

func (p *parser) text(t token.Token) string { return p.src[t.Start:t.End] }

// is reports whether the next token is the keyword k.
func (p *parser) is(k token.Keyword) bool { return p.toks[p.i].Keyword == k }

func (p *parser) isKind(k token.Kind) bool { return p.toks[p.i].Kind == k }

// isSeq reports whether the next tokens are these keywords.
func (p *parser) isSeq(ks ...token.Keyword) bool {
	for n, k := range ks {
		if p.peek(n).Keyword != k {
			return false
		}
	}
	return true
}

// isAny reports whether the next token is one of the keywords.
func (p *parser) isAny(ks ...token.Keyword) bool {
	c := p.cur().Keyword
	if c == token.NoKeyword {
		return false
	}
	for _, k := range ks {
		if c == k {
			return true
		}
	}
	return false
}

func (p *parser) accept(k token.Keyword) bool {
	if !p.is(k) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) acceptAny(ks ...token.Keyword) bool {
	if !p.isAny(ks...) {
		return false
	}
	p.advance()
	return true
}

// acceptSeq reads the keywords if all of them come next.
func (p *parser) acceptSeq(ks ...token.Keyword) bool {
	if !p.isSeq(ks...) {
		return false
	}
	for range ks {
		p.advance()
	}
	return true
}

func (p *parser) acceptKind(k token.Kind) bool {
	if !p.isKind(k) {
		return false
	}
	p.advance()
	return true
}

// expect reads the keywords in turn, or fails at the first other token.
func (p *parser) expect(ks ...token.Keyword) {
	for _, k := range ks {
		if !p.accept(k) {
			p.syntax("Expected " + k.String() + ".")
			return
		}
	}
}

func (p *parser) expectKind(k token.Kind, spelled string) {
	if !p.acceptKind(k) {
		p.syntax("Expected " + spelled + ".")
	}
}

func (p *parser) lparen() { p.expectKind(token.LParen, "(") }
func (p *parser) rparen() { p.expectKind(token.RParen, ")") }

// fail keeps the first error and moves to the end of the text.
func (p *parser) fail(e *sqlerr.Error, at sqlerr.Span) {
	if p.err == nil {
		p.err = e.At(at)
	}
	p.i = len(p.toks) - 1
}

// syntax fails at the next token.
func (p *parser) syntax(hint string) { p.syntaxAt(p.cur(), hint) }

func (p *parser) syntaxAt(t token.Token, hint string) {
	found := "end of input"
	if t.Kind != token.EOF {
		found = "'" + p.text(t) + "'"
	}
	if t.Kind == token.Illegal && strings.IndexByte("'\"`", p.src[t.Start]) >= 0 {
		hint = "What this quote opens is never closed: close it, or remove the quote."
	}
	p.fail(sqlerr.Syntax(found, hint), tokenSpan(t))
}

func tokenSpan(t token.Token) sqlerr.Span { return sqlerr.Span{Start: int(t.Start), End: int(t.End)} }

// since is the place from start to the end of the last token read.
func (p *parser) since(start int32) ast.At {
	end := start
	if p.i > 0 {
		end = p.toks[p.i-1].End
	}
	if end < start {
		end = start
	}
	return ast.At{Start: int(start), Stop: int(end)}
}

// from is since for a start that a node holds.
func (p *parser) from(start int) ast.At { return p.since(int32(start)) }

// tokenAt is the place of one token.
func tokenAt(t token.Token) ast.At { return ast.At{Start: int(t.Start), Stop: int(t.End)} }

// enter counts a level of nesting; every enter that returns true is matched by leave.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.fail(sqlerr.TooComplex("its nesting depth", maxDepth), tokenSpan(p.cur()))
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// chained counts one more link of a chain that leans to the left.
func (p *parser) chained(n *int) bool {
	*n++
	if *n > maxChain {
		p.fail(sqlerr.TooComplex("the length of a chain of operators", maxChain), tokenSpan(p.cur()))
		return false
	}
	return true
}

// statementsEnd reads semicolons and tells whether nothing else is left.
func (p *parser) statementsEnd() bool {
	for p.acceptKind(token.Semicolon) {
	}
	return p.isKind(token.EOF)
}

// end fails unless only semicolons are left.
func (p *parser) end() {
	if p.err != nil || p.statementsEnd() {
		return
	}
	if p.isKind(token.PipeGreater) {
		p.fail(sqlerr.Unsupported("SQL_PIPE_SYNTAX", "pipe operators (|>)"), tokenSpan(p.cur()))
	}
	p.syntax("")
}

// wholeText fails unless everything was read, semicolons too.
func (p *parser) wholeText() {
	if p.err == nil && !p.isKind(token.EOF) {
		p.syntax("")
	}
}

// skipRest moves to the end of the text, for statements that are recognised but not read. It gives the text from
// start without trailing semicolons.
func (p *parser) skipRest(start int32) string {
	end := start
	for !p.isKind(token.EOF) {
		if t := p.advance(); t.Kind != token.Semicolon {
			end = t.End
		}
	}
	return p.src[start:end]
}
