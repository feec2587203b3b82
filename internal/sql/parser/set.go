package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// set reads SET. Keys and values are raw text, since they follow no grammar.
func (p *parser) set() ast.Statement {
	first := p.i
	start := p.advance().Start
	switch {
	case p.is(token.CATALOG) && (p.nameFollows() || isString(p.peek(1))):
		p.advance()
		n := p.nameOrString()
		return &ast.UseCatalog{At: p.since(start), Name: n}
	case p.isSeq(token.TIME, token.ZONE):
		return p.setTimeZone(start)
	case p.isAny(token.VAR, token.VARIABLE) && (p.nameFollows() || p.peek(1).Kind == token.LParen):
		return p.setVariable(start)
	}
	s := &ast.Set{}
	at := tokenSpan(p.toks[first])
	at.End = len(p.src)
	text := strings.TrimSpace(strings.TrimRight(p.rawRest(first), "; \t\r\n"))
	s.At = p.since(start)
	switch {
	case text == "":
		s.List = true
		return s
	case strings.EqualFold(text, "-v"):
		s.List, s.Verbose = true, true
		return s
	}
	key, rest, ok := settingKey(text)
	rest = strings.TrimSpace(rest)
	if !ok || rest != "" && rest[0] != '=' {
		p.fail(sqlerr.InvalidSetSyntax(), at)
		return s
	}
	s.Key = key
	if rest == "" {
		return s
	}
	s.HasValue = true
	s.Value = strings.TrimSpace(rest[1:])
	if n := len(s.Value); n >= 2 && s.Value[0] == '`' && s.Value[n-1] == '`' {
		s.Value = strings.ReplaceAll(s.Value[1:n-1], "``", "`")
	} else if strings.Contains(s.Value, ";") {
		p.fail(sqlerr.InvalidSetSyntax(), at)
	}
	return s
}

// rawRest is the source text behind the i-th token, up to the end.
func (p *parser) rawRest(i int) string {
	from := p.toks[i].End
	p.i = len(p.toks) - 1
	return p.src[from:]
}

// settingKey takes a key off the front of text: letters, digits and ._:- or anything in back quotes.
func settingKey(text string) (key, rest string, ok bool) {
	if text[0] == '`' {
		for i := 1; i < len(text); i++ {
			if text[i] != '`' {
				continue
			}
			if i+1 < len(text) && text[i+1] == '`' {
				i++
				continue
			}
			return strings.ReplaceAll(text[1:i], "``", "`"), text[i+1:], i > 1
		}
		return "", "", false
	}
	i := 0
	for i < len(text) && isKeyByte(text[i]) {
		i++
	}
	return text[:i], text[i:], i > 0
}

func isKeyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._:-", c) >= 0
}

func (p *parser) setTimeZone(start int32) ast.Statement {
	p.expect(token.TIME, token.ZONE)
	s := &ast.SetTimeZone{}
	switch {
	case p.accept(token.LOCAL):
		s.Local = true
	case p.is(token.INTERVAL):
		s.Interval = p.interval()
	case isString(p.cur()):
		s.Zone = p.stringValue()
	default:
		p.syntax("Expected LOCAL, a zone in quotes, or an interval.")
	}
	s.At = p.since(start)
	return s
}

// reset reads RESET [key].
func (p *parser) reset() ast.Statement {
	first := p.i
	start := p.advance().Start
	text := strings.TrimSpace(strings.TrimRight(p.rawRest(first), "; \t\r\n"))
	r := &ast.Reset{At: p.since(start)}
	if text == "" {
		return r
	}
	key, rest, ok := settingKey(text)
	if !ok || strings.TrimSpace(rest) != "" {
		at := tokenSpan(p.toks[first])
		at.End = len(p.src)
		p.fail(sqlerr.InvalidResetFormat(), at)
	}
	r.Key = key
	return r
}
