package ast

// change prints the statements that change rows of a table, or make one from another's files.
func (p *printer) change(s Statement) {
	switch s := s.(type) {
	case *Delete:
		p.optWith(s.With)
		p.optName("DELETE FROM ", s.Table)
		p.alias(s.Alias)
		p.where(s.Where)
	case *Update:
		p.optWith(s.With)
		p.optName("UPDATE ", s.Table)
		p.alias(s.Alias)
		p.put(" SET ")
		p.assignments(s.Set)
		p.where(s.Where)
	case *Merge:
		p.merge(s)
	case *Optimize:
		p.optName("OPTIMIZE ", s.Table)
		p.where(s.Where)
		if len(s.ZOrder) > 0 {
			p.put(" ZORDER BY (")
			p.names(s.ZOrder)
			p.put(")")
		}
	case *Clone:
		p.clone(s)
	default:
		p.setting(s)
	}
}

// optWith prints WITH … in front of a statement, if there is one.
func (p *printer) optWith(w *With) {
	if w != nil {
		p.with(w)
	}
}

func (p *printer) assignments(list []Assignment) {
	p.each(len(list), ", ", func(i int) {
		p.name(list[i].Column)
		p.put(" = ")
		p.expr(list[i].Value, 0)
	})
}

func (p *printer) merge(m *Merge) {
	p.optWith(m.With)
	p.optName("MERGE INTO ", m.Table)
	p.alias(m.Alias)
	p.put(" USING ")
	p.relation(m.Source)
	p.put(" ON ")
	p.expr(m.On, 0)
	for _, c := range m.Clauses {
		p.put(" WHEN ", [...]string{"MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"}[c.Rows])
		if c.Cond != nil {
			p.put(" AND ")
			p.expr(c.Cond, 0)
		}
		p.put(" THEN ")
		switch c.Action {
		case MergeDelete:
			p.put("DELETE")
		case MergeUpdate:
			p.put("UPDATE SET ")
			p.when(c.Star, "*")
			p.assignments(c.Set)
		case MergeInsert:
			p.put("INSERT ")
			if c.Star {
				p.put("*")
				continue
			}
			if len(c.Columns) > 0 {
				p.put("(")
				p.names(c.Columns)
				p.put(") ")
			}
			p.put("VALUES (")
			p.exprs(c.Values)
			p.put(")")
		}
	}
}

func (p *printer) clone(c *Clone) {
	switch {
	case c.MustExist:
		p.put("REPLACE TABLE ")
	default:
		p.put("CREATE ")
		p.when(c.Replace, "OR REPLACE ")
		p.put("TABLE ")
	}
	p.when(c.IfNotExists, "IF NOT EXISTS ")
	p.name(c.Table)
	if c.Deep {
		p.put(" DEEP CLONE ")
	} else {
		p.put(" SHALLOW CLONE ")
	}
	p.name(c.Source)
	p.optAsOf(c.AsOf)
	p.properties(" TBLPROPERTIES", c.Properties)
	p.optStr(" LOCATION ", c.Location)
}
