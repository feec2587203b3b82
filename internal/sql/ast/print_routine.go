package ast

// routine prints the statements about variables and functions, and those that are not other kinds.
func (p *printer) routine(s Statement) {
	switch s := s.(type) {
	case *DeclareVariable:
		p.put("DECLARE ")
		p.when(s.Replace, "OR REPLACE ")
		p.put("VARIABLE ")
		p.names(s.Names)
		if s.Type != nil {
			p.put(" ", s.Type.T.SQL())
		}
		p.defaultValue(" DEFAULT ", s.Default, s.DefaultText)
	case *SetVariable:
		p.put("SET VARIABLE ")
		if s.Query != nil {
			p.put("(")
			p.names(s.Targets)
			p.put(") = (")
			p.query(s.Query)
			p.put(")")
			return
		}
		p.each(len(s.Targets), ", ", func(i int) {
			p.name(s.Targets[i])
			p.put(" = ")
			p.expr(s.Values[i], 0)
		})
	case *DropVariable:
		p.drop("TEMPORARY VARIABLE", s.IfExists, s.Name)
	case *ExecuteImmediate:
		p.put("EXECUTE IMMEDIATE ")
		p.expr(s.Text, 0)
		if len(s.Into) > 0 {
			p.put(" INTO ")
			p.names(s.Into)
		}
		if len(s.Using) > 0 {
			p.put(" USING ")
			p.each(len(s.Using), ", ", func(i int) { p.selectItem(s.Using[i]) })
		}
	case *CreateFunction:
		p.createFunction(s)
	case *DropFunction:
		kind := "FUNCTION"
		if s.Temporary {
			kind = "TEMPORARY FUNCTION"
		}
		p.drop(kind, s.IfExists, s.Name)
	case *RefreshFunction:
		p.optName("REFRESH FUNCTION ", s.Name)
	}
}

func (p *printer) createFunction(f *CreateFunction) {
	p.put("CREATE ")
	p.when(f.Replace, "OR REPLACE ")
	p.when(f.Temporary, "TEMPORARY ")
	p.put("FUNCTION ")
	p.when(f.IfNotExists, "IF NOT EXISTS ")
	p.name(f.Name)
	p.put("(")
	p.columnDefs(f.Params)
	p.put(")")
	switch {
	case f.Table:
		p.put(" RETURNS TABLE")
		if f.Columns != nil {
			p.put(" (")
			p.columnDefs(f.Columns)
			p.put(")")
		}
	case f.Returns != nil:
		p.put(" RETURNS ", f.Returns.T.SQL())
	}
	if f.Deterministic != nil {
		p.put(map[bool]string{true: " DETERMINISTIC", false: " NOT DETERMINISTIC"}[*f.Deterministic])
	}
	p.when(f.DataAccess != "", " "+f.DataAccess)
	p.optStr(" COMMENT ", f.Comment)
	p.put(" RETURN ")
	switch {
	case f.BodyText != "":
		p.put(f.BodyText)
	case f.Query != nil:
		p.query(f.Query)
	default:
		p.expr(f.Body, 0)
	}
}
