package parser

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// pipes reads the operators that follow a query, each after |>.
func (p *parser) pipes(body ast.QueryBody) ast.QueryBody {
	if !p.isKind(token.PipeGreater) {
		return body
	}
	out := &ast.Pipe{Input: body}
	chain := 0
	for p.isKind(token.PipeGreater) && p.chained(&chain) {
		p.advance()
		start := p.cur().Start
		op := &ast.PipeOp{}
		p.pipeOp(op)
		op.At = p.since(start)
		out.Ops = append(out.Ops, op)
	}
	out.At = p.from(body.Pos())
	return out
}

func (p *parser) pipeOp(op *ast.PipeOp) {
	word := func(w string) bool { return p.cur().Kind != token.QuotedName && strings.EqualFold(p.text(p.cur()), w) }
	switch {
	case p.is(token.SELECT):
		op.Kind = ast.PipeSelect
		op.Select, _ = p.selectBody(&ast.Select{}).(*ast.Select)
	case word("EXTEND"):
		op.Kind = ast.PipeExtend
		p.advance()
		op.Items = p.pipeItems()
	case p.accept(token.SET):
		op.Kind = ast.PipeSet
		for {
			op.Items = append(op.Items, p.pipeAssignment())
			if !p.acceptKind(token.Comma) {
				break
			}
		}
	case p.accept(token.DROP):
		op.Kind, op.Names = ast.PipeDrop, p.names()
	case p.accept(token.AS):
		op.Kind, op.Alias = ast.PipeAs, p.ident()
	case p.accept(token.WHERE):
		op.Kind, op.Where = ast.PipeWhere, p.expr()
		if p.is(token.WINDOW) {
			p.fail(sqlerr.PipeWhereWindow(), tokenSpan(p.cur()))
		}
	case p.is(token.PIVOT):
		op.Kind = ast.PipePivot
		if v, ok := p.pivot(&ast.ParenRef{}).(*ast.Pivot); ok {
			v.Input = nil
			op.Pivot = v
		}
	case p.is(token.UNPIVOT):
		op.Kind = ast.PipeUnpivot
		if v, ok := p.unpivot(&ast.ParenRef{}).(*ast.Unpivot); ok {
			v.Input = nil
			op.Unpivot = v
		}
	case p.is(token.TABLESAMPLE):
		op.Kind, op.Sample = ast.PipeSample, p.sample()
	case word("AGGREGATE"):
		p.pipeAggregate(op)
	case p.isAny(token.UNION, token.EXCEPT, token.MINUS, token.SETMINUS, token.INTERSECT):
		p.pipeSetOp(op)
	case p.isAny(token.ORDER, token.SORT, token.CLUSTER, token.DISTRIBUTE, token.LIMIT, token.OFFSET):
		p.pipeTail(op)
	default:
		j, ok := p.join(&ast.ParenRef{})
		if !ok {
			p.syntax("Expected a pipe operator.")
			return
		}
		j.L = nil
		op.Kind, op.Join = ast.PipeJoin, j
	}
}

func (p *parser) pipeItems() []*ast.SelectItem {
	out := []*ast.SelectItem{p.selectItem()}
	for p.acceptKind(token.Comma) {
		out = append(out, p.selectItem())
	}
	return out
}

// pipeAssignment reads column = value.
func (p *parser) pipeAssignment() *ast.SelectItem {
	start := p.cur().Start
	name := p.ident()
	if p.isKind(token.Dot) {
		p.fail(sqlerr.InvalidStatement("SET of a field or of a qualified column in a pipe"), tokenSpan(p.cur()))
	}
	p.expectKind(token.Equal, "=")
	it := &ast.SelectItem{Expr: p.expr(), Aliases: []ast.Ident{name}}
	it.At = p.since(start)
	return it
}

func (p *parser) pipeSetOp(op *ast.PipeOp) {
	op.Kind, op.SetOp = ast.PipeSetOp, &ast.SetOp{Kind: ast.Except}
	switch {
	case p.is(token.UNION):
		op.SetOp.Kind = ast.Union
	case p.is(token.INTERSECT):
		op.SetOp.Kind = ast.Intersect
	}
	p.advance()
	if op.SetOp.All = p.accept(token.ALL); !op.SetOp.All {
		p.accept(token.DISTINCT)
	}
	op.SetOp.R = p.queryPrimary()
}

// pipeTail reads an ordering or a limit: one of them.
func (p *parser) pipeTail(op *ast.PipeOp) {
	at := p.cur()
	op.Kind, op.Tail = ast.PipeTail, &ast.Query{}
	p.queryTail(op.Tail)
	if q := op.Tail; len(q.OrderBy)+len(q.SortBy)+len(q.ClusterBy)+len(q.DistributeBy) > 0 && (q.Limit != nil || q.LimitAll || q.Offset != nil) {
		p.fail(sqlerr.PipeClauses(), p.spanSince(at))
	}
}

// pipeAggregate reads AGGREGATE [items] [GROUP BY items].
func (p *parser) pipeAggregate(op *ast.PipeOp) {
	at := p.advance()
	op.Kind = ast.PipeAggregate
	grouped := p.isSeq(token.GROUP, token.BY)
	if !grouped && (p.cur().Kind == token.EOF || p.isKind(token.Semicolon) || p.isKind(token.RParen) || p.isKind(token.PipeGreater)) {
		p.fail(sqlerr.InvalidStatement("AGGREGATE of nothing"), tokenSpan(at))
		return
	}
	if !grouped {
		op.Items = p.pipeItems()
	}
	if !p.acceptSeq(token.GROUP, token.BY) {
		return
	}
	op.Groups = p.pipeItems()
	if p.isSeq(token.GROUPING, token.SETS) || p.is(token.WITH) {
		p.fail(sqlerr.PipeAggregateCase("GROUPING SETS"), tokenSpan(p.cur()))
	}
	for _, g := range op.Groups {
		switch e := g.Expr.(type) {
		case *ast.Call:
			if n := strings.ToUpper(e.Name.Ident().Last()); n == "ROLLUP" || n == "CUBE" {
				p.fail(sqlerr.PipeAggregateCase(n), e.Span())
			}
		case *ast.ColumnRef:
			if len(op.Groups) == 1 && len(e.Parts) == 1 && !e.Parts[0].Quoted && strings.EqualFold(e.Parts[0].Name, "all") {
				p.fail(sqlerr.PipeAggregateCase("GROUP BY ALL"), e.Span())
			}
		}
	}
}
