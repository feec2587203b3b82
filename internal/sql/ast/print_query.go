package ast

import "strconv"

func (p *printer) query(q *Query) {
	if q.With != nil {
		p.with(q.With)
		p.put(" ")
	}
	p.body(q.Body, 0)
	p.tail(q)
}

// tail prints orderings and limits.
func (p *printer) tail(q *Query) {
	if len(q.OrderBy) > 0 {
		p.put(" ORDER BY ")
		p.sorts(q.OrderBy)
	}
	if len(q.ClusterBy) > 0 {
		p.put(" CLUSTER BY ")
		p.exprs(q.ClusterBy)
	}
	if len(q.DistributeBy) > 0 {
		p.put(" DISTRIBUTE BY ")
		p.exprs(q.DistributeBy)
	}
	if len(q.SortBy) > 0 {
		p.put(" SORT BY ")
		p.sorts(q.SortBy)
	}
	p.windows(q.Windows)
	if q.LimitAll {
		p.put(" LIMIT ALL")
	}
	if q.Limit != nil {
		p.put(" LIMIT ")
		p.expr(q.Limit, 0)
	}
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.expr(q.Offset, 0)
	}
}

func (p *printer) parenQuery(q *Query) {
	p.put("(")
	p.query(q)
	p.put(")")
}

func (p *printer) with(w *With) {
	p.put("WITH ")
	p.when(w.Recursive, "RECURSIVE ")
	p.each(len(w.CTEs), ", ", func(i int) { p.cte(w.CTEs[i]) })
}

func (p *printer) cte(c *CTE) {
	p.ident(c.Name)
	p.identList(c.Columns)
	if c.MaxLevel != nil {
		p.put(" MAX RECURSION LEVEL ")
		p.expr(c.MaxLevel, precComparison)
	}
	p.put(" AS ")
	p.parenQuery(c.Query)
}

// body prints a query's body; INTERSECT has level 1, the other set operations level 0.
func (p *printer) body(b QueryBody, lowest int) {
	switch b := b.(type) {
	case *Query:
		p.parenQuery(b)
	case *SetOp:
		p.setOp(b, lowest)
	case *Select:
		p.selectBody(b)
	case *Values:
		p.values(b)
	case *TableQuery:
		p.put("TABLE ")
		p.name(b.Name)
	case *Pipe:
		p.pipe(b, lowest)
	}
}

func (s *SetOp) level() int {
	if s.Kind == Intersect {
		return 1
	}
	return 0
}

// setOp prints a chain that leans to the left without recursing once per link.
func (p *printer) setOp(s *SetOp, lowest int) {
	level := s.level()
	if level < lowest {
		p.put("(")
		defer p.put(")")
	}
	chain := []*SetOp{s}
	left := s.L
	for {
		l, ok := left.(*SetOp)
		if !ok || l.level() != level {
			break
		}
		chain = append(chain, l)
		left = l.L
	}
	p.body(left, level)
	for i := len(chain) - 1; i >= 0; i-- {
		p.put([]string{" UNION ", " EXCEPT ", " INTERSECT "}[chain[i].Kind])
		p.when(chain[i].All, "ALL ")
		p.body(chain[i].R, level+1)
	}
}

func (p *printer) selectBody(s *Select) {
	p.put("SELECT ")
	if len(s.Hints) > 0 {
		p.put("/*+ ")
		p.each(len(s.Hints), ", ", func(i int) { p.hint(s.Hints[i]) })
		p.put(" */ ")
	}
	p.when(s.Distinct, "DISTINCT ")
	p.each(len(s.Items), ", ", func(i int) { p.selectItem(s.Items[i]) })
	if len(s.From) > 0 {
		p.put(" FROM ")
		p.each(len(s.From), ", ", func(i int) { p.relation(s.From[i]) })
	}
	for _, v := range s.LateralViews {
		p.put(" ")
		p.lateralView(v)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.expr(s.Where, 0)
	}
	if s.GroupBy != nil {
		p.put(" ")
		p.groupBy(s.GroupBy)
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.expr(s.Having, 0)
	}
	p.windows(s.Windows)
	if s.Qualify != nil {
		p.put(" QUALIFY ")
		p.expr(s.Qualify, 0)
	}
}

func (p *printer) windows(ws []*NamedWindow) {
	if len(ws) > 0 {
		p.put(" WINDOW ")
		p.each(len(ws), ", ", func(i int) { p.namedWindow(ws[i]) })
	}
}

func (p *printer) namedWindow(w *NamedWindow) {
	p.ident(w.Name)
	p.put(" AS ")
	p.window(w.Spec)
}

func (p *printer) hint(h *Hint) {
	p.ident(h.Name)
	if len(h.Args) > 0 {
		p.put("(")
		p.each(len(h.Args), ", ", func(i int) { p.expr(h.Args[i], precComparison) })
		p.put(")")
	}
}

func (p *printer) selectItem(s *SelectItem) {
	p.expr(s.Expr, 0)
	switch len(s.Aliases) {
	case 0:
	case 1:
		p.put(" AS ")
		p.ident(s.Aliases[0])
	default:
		p.put(" AS")
		p.identList(s.Aliases)
	}
}

func (p *printer) sorts(ss []*SortItem) { p.each(len(ss), ", ", func(i int) { p.sort(ss[i]) }) }

func (p *printer) sort(s *SortItem) {
	p.expr(s.Expr, 0)
	p.when(s.Desc, " DESC")
	if s.NullsFirst != nil {
		if *s.NullsFirst {
			p.put(" NULLS FIRST")
		} else {
			p.put(" NULLS LAST")
		}
	}
}

func (p *printer) groupBy(g *GroupBy) {
	p.put("GROUP BY ")
	if g.All {
		p.put("ALL")
		return
	}
	p.exprs(g.Given)
	p.when(len(g.Given) > 0, " ")
	p.each(len(g.Items), ", ", func(i int) { p.groupItem(g.Items[i]) })
}

func (p *printer) groupItem(g *GroupItem) {
	switch g.Kind {
	case GroupExpr:
		p.exprs(g.Exprs)
		return
	case GroupSet:
		p.put("(")
		p.exprs(g.Exprs)
		p.put(")")
		return
	case GroupRollup:
		p.put("ROLLUP (")
	case GroupCube:
		p.put("CUBE (")
	case GroupSets:
		p.put("GROUPING SETS (")
	}
	p.each(len(g.Elems), ", ", func(i int) { p.groupItem(g.Elems[i]) })
	p.put(")")
}

func (p *printer) values(v *Values) {
	p.put("VALUES ")
	p.each(len(v.Rows), ", ", func(i int) {
		p.put("(")
		p.exprs(v.Rows[i])
		p.put(")")
	})
	p.alias(v.Alias)
}

func (p *printer) alias(a *TableAlias) {
	if a != nil {
		p.put(" AS ")
		p.tableAlias(a)
	}
}

func (p *printer) tableAlias(a *TableAlias) {
	if a.Name.Name == "" && !a.Name.Quoted {
		p.put("(")
		p.idents(a.Columns)
		p.put(")")
		return
	}
	p.ident(a.Name)
	p.identList(a.Columns)
}

func (p *printer) relation(r Relation) {
	switch r := r.(type) {
	case *TableRef:
		p.name(r.Name)
		p.optAsOf(r.AsOf)
		p.properties(" WITH", r.Options)
		p.optSample(r.Sample)
		p.alias(r.Alias)
	case *SubqueryRef:
		p.when(r.Lateral, "LATERAL ")
		p.parenQuery(r.Query)
		p.optSample(r.Sample)
		p.alias(r.Alias)
	case *FunctionRef:
		p.when(r.Lateral, "LATERAL ")
		p.call(r.Call)
		p.alias(r.Alias)
	case *ValuesRef:
		p.values(r.Values)
	case *ParenRef:
		p.put("(")
		p.relation(r.Input)
		p.put(")")
		p.optSample(r.Sample)
		p.alias(r.Alias)
	case *Join:
		p.join(r)
	case *Pivot:
		p.pivot(r)
	case *Unpivot:
		p.unpivot(r)
	}
}

// joinWords are the words before JOIN by kind.
var joinWords = [...]string{
	InnerJoin: "", CrossJoin: "CROSS ", LeftJoin: "LEFT ", RightJoin: "RIGHT ",
	FullJoin: "FULL ", SemiJoin: "LEFT SEMI ", AntiJoin: "LEFT ANTI ",
}

func (p *printer) join(j *Join) {
	p.relation(j.L)
	p.put(" ")
	p.when(j.Natural, "NATURAL ")
	p.put(joinWords[j.Kind], "JOIN ")
	switch j.R.(type) {
	case *Join, *Pivot, *Unpivot:
		p.put("(")
		p.relation(j.R)
		p.put(")")
	default:
		p.relation(j.R)
	}
	if j.On != nil {
		p.put(" ON ")
		p.expr(j.On, 0)
	}
	if len(j.Using) > 0 {
		p.put(" USING")
		p.identList(j.Using)
	}
	if n := j.Nearest; n != nil {
		p.put(map[bool]string{true: " EXACT", false: " APPROX"}[n.Exact], " NEAREST ", strconv.FormatInt(n.Count, 10), " BY ",
			map[bool]string{true: "SIMILARITY ", false: "DISTANCE "}[n.Similarity])
		p.expr(n.By, 0)
	}
}

func (p *printer) optAsOf(a *AsOf) {
	if a != nil {
		p.put(" ")
		p.asOf(a)
	}
}

func (p *printer) asOf(a *AsOf) {
	if a.Timestamp != nil {
		p.put("TIMESTAMP AS OF ")
		p.expr(a.Timestamp, precComparison)
		return
	}
	p.put("VERSION AS OF ")
	p.str(a.Version)
}

func (p *printer) optSample(s *Sample) {
	if s != nil {
		p.put(" ")
		p.sample(s)
	}
}

func (p *printer) sample(s *Sample) {
	p.put("TABLESAMPLE (")
	switch {
	case s.Percent != nil:
		p.expr(s.Percent, precComparison)
		p.put(" PERCENT")
	case s.Rows != nil:
		p.expr(s.Rows, precComparison)
		p.put(" ROWS")
	case s.Bytes != "":
		p.put(s.Bytes)
	default:
		p.put("BUCKET ", s.Bucket, " OUT OF ", s.OutOf)
		if s.On != nil {
			p.put(" ON ")
			p.expr(s.On, 0)
		}
	}
	p.put(")")
	if s.Seed != nil {
		p.put(" REPEATABLE (")
		p.expr(s.Seed, 0)
		p.put(")")
	}
}

func (p *printer) lateralView(v *LateralView) {
	p.put("LATERAL VIEW ")
	p.when(v.Outer, "OUTER ")
	p.call(v.Call)
	if v.Table.Name != "" || v.Table.Quoted {
		p.put(" ")
		p.ident(v.Table)
	}
	if len(v.Columns) > 0 {
		p.put(" AS ")
		p.idents(v.Columns)
	}
}

func (p *printer) pivot(v *Pivot) {
	p.relation(v.Input)
	p.put(" PIVOT (")
	p.each(len(v.Aggregates), ", ", func(i int) { p.selectItem(v.Aggregates[i]) })
	p.put(" FOR")
	p.identList(v.Columns)
	p.put(" IN (")
	p.each(len(v.Values), ", ", func(i int) { p.selectItem(v.Values[i]) })
	p.put("))")
	p.alias(v.Alias)
}

func (p *printer) unpivot(u *Unpivot) {
	p.relation(u.Input)
	p.put(" UNPIVOT ")
	p.when(u.IncludeNulls, "INCLUDE NULLS ")
	p.put("((")
	p.idents(u.Values)
	p.put(") FOR ")
	p.ident(u.Name)
	p.put(" IN (")
	p.each(len(u.Sets), ", ", func(i int) {
		s := u.Sets[i]
		p.put("(")
		p.names(s.Columns)
		p.put(")")
		if s.Alias != nil {
			p.put(" AS ")
			p.ident(*s.Alias)
		}
	})
	p.put("))")
	p.alias(u.Alias)
}

// queryPart prints the parts of queries.
func (p *printer) queryPart(n Node) {
	switch n := n.(type) {
	case *PipeOp:
		p.pipeOp(n)
	case *With:
		p.with(n)
	case *CTE:
		p.cte(n)
	case *Hint:
		p.hint(n)
	case *SelectItem:
		p.selectItem(n)
	case *SortItem:
		p.sort(n)
	case *GroupBy:
		p.groupBy(n)
	case *GroupItem:
		p.groupItem(n)
	case *NamedWindow:
		p.namedWindow(n)
	case *WindowSpec:
		p.window(n)
	case *WindowFrame:
		p.frame(n)
	case *FrameBound:
		p.bound(*n)
	case *LateralView:
		p.lateralView(n)
	case *TableAlias:
		p.tableAlias(n)
	case *AsOf:
		p.asOf(n)
	case *Sample:
		p.sample(n)
	}
}
