package ast

// pipe prints a query with its operators; in parentheses where it is an operand.
func (p *printer) pipe(q *Pipe, lowest int) {
	if lowest > 0 {
		p.put("(")
		defer p.put(")")
	}
	p.body(q.Input, 0)
	for _, op := range q.Ops {
		p.put(" |> ")
		p.pipeOp(op)
	}
}

func (p *printer) pipeOp(op *PipeOp) {
	items := func(list []*SelectItem) {
		for i, it := range list {
			p.when(i > 0, ", ")
			p.selectItem(it)
		}
	}
	switch op.Kind {
	case PipeSelect:
		p.selectBody(op.Select)
	case PipeExtend:
		p.put("EXTEND ")
		items(op.Items)
	case PipeSet:
		p.put("SET ")
		for i, it := range op.Items {
			p.when(i > 0, ", ")
			p.ident(it.Aliases[0])
			p.put(" = ")
			p.expr(it.Expr, 0)
		}
	case PipeDrop:
		p.put("DROP ")
		for i, n := range op.Names {
			p.when(i > 0, ", ")
			p.name(n)
		}
	case PipeAs:
		p.put("AS ")
		p.ident(op.Alias)
	case PipeWhere:
		p.put("WHERE ")
		p.expr(op.Where, 0)
	case PipeJoin:
		p.relation(op.Join)
	case PipeSetOp:
		p.put(map[SetKind]string{Union: "UNION ", Except: "EXCEPT ", Intersect: "INTERSECT "}[op.SetOp.Kind])
		p.when(op.SetOp.All, "ALL ")
		p.body(op.SetOp.R, 2)
	case PipeTail:
		p.tail(op.Tail)
	case PipePivot:
		p.relation(op.Pivot)
	case PipeUnpivot:
		p.relation(op.Unpivot)
	case PipeSample:
		p.sample(op.Sample)
	case PipeAggregate:
		p.put("AGGREGATE ")
		items(op.Items)
		if len(op.Groups) > 0 {
			p.put(" GROUP BY ")
			items(op.Groups)
		}
	}
}
