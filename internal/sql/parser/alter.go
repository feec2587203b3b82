package parser

import (
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/token"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// alter reads ALTER of anything.
func (p *parser) alter() ast.Statement {
	first := p.i
	start := p.advance().Start
	switch k := p.cur().Keyword; {
	case k == token.TABLE:
		p.advance()
		a := &ast.AlterTable{Name: p.name()}
		a.Action = p.tableAction()
		p.unreservedTable(a.Action)
		a.At = p.since(start)
		return a
	case k == token.VIEW:
		p.advance()
		a := &ast.AlterView{Name: p.name()}
		a.Action = p.viewAction()
		p.unreservedTable(a.Action)
		a.At = p.since(start)
		return a
	case isSchemaWord(k):
		p.advance()
		a := &ast.AlterSchema{Name: p.name()}
		a.Action = p.commonAction("Expected SET or UNSET.", false)
		p.unreservedNamespace(a.Action)
		a.At = p.since(start)
		return a
	case k == token.CATALOG:
		p.advance()
		a := &ast.AlterCatalog{Name: p.ident()}
		a.Action = p.commonAction("Expected SET or UNSET.", false)
		a.At = p.since(start)
		return a
	case k == token.VOLUME:
		p.advance()
		a := &ast.AlterVolume{Name: p.name()}
		a.Action = p.commonAction("Expected RENAME TO or OWNER TO.", true)
		a.At = p.since(start)
		return a
	case p.isSeq(token.EXTERNAL, token.LOCATION):
		p.advance()
		p.advance()
		a := &ast.AlterExternalLocation{Name: p.ident()}
		a.Action = p.commonAction("Expected SET, RENAME TO or OWNER TO.", true)
		a.At = p.since(start)
		return a
	}
	if what := p.otherObject("ALTER "); what != "" {
		return p.unsupportedFrom(first, what)
	}
	p.syntax("Expected what to alter, such as TABLE.")
	return &ast.Unsupported{}
}

// other takes the rest of the statement as an action that Tarn lacks.
func (p *parser) other(start int32, what string) ast.Action {
	text := p.skipRest(start)
	return &ast.OtherAction{At: ast.At{Start: int(start), Stop: int(start) + len(text)}, What: what, Text: text}
}

// commonAction reads the actions that many objects share.
func (p *parser) commonAction(hint string, rename bool) ast.Action {
	start := p.cur().Start
	switch {
	case rename && p.acceptSeq(token.RENAME, token.TO):
		n := p.name()
		return &ast.RenameTo{At: p.since(start), Name: n}
	case p.isSeq(token.OWNER, token.TO), p.isSeq(token.SET, token.OWNER):
		return p.setOwner(start)
	case p.is(token.SET):
		p.advance()
		return p.setAction(start, nil)
	case p.is(token.UNSET):
		return p.unsetAction(start)
	}
	p.syntax(hint)
	return &ast.OtherAction{}
}

func (p *parser) setOwner(start int32) ast.Action {
	p.accept(token.SET)
	p.expect(token.OWNER, token.TO)
	o := &ast.SetOwner{}
	if isString(p.cur()) {
		n := p.nameOrString()
		o.Owner = n.Parts[0]
	} else {
		o.Owner = p.ident()
	}
	o.At = p.since(start)
	return o
}

// setAction reads what follows SET; spec is the partition it is about, or nil.
func (p *parser) setAction(start int32, spec *ast.PartitionSpec) ast.Action {
	t := p.cur()
	switch {
	case p.accept(token.LOCATION), p.acceptSeq(token.MANAGED, token.LOCATION):
		s := p.stringValue()
		return &ast.SetLocation{At: p.since(start), Spec: spec, Location: s}
	case p.accept(token.SERDEPROPERTIES):
		return &ast.SetSerde{Spec: spec, Properties: p.properties(), At: p.since(start)}
	case p.accept(token.SERDE):
		s := &ast.SetSerde{Spec: spec, Class: p.stringValue()}
		if p.acceptSeq(token.WITH, token.SERDEPROPERTIES) {
			s.Properties = p.properties()
		}
		s.At = p.since(start)
		return s
	case p.isAny(token.FILEFORMAT, token.SKEWED):
		return p.other(start, "SET "+t.Keyword.String())
	}
	if spec == nil {
		switch {
		case p.acceptAny(token.TBLPROPERTIES, token.DBPROPERTIES, token.PROPERTIES):
			props := p.properties()
			return &ast.SetProperties{At: p.since(start), Properties: props}
		case p.accept(token.URL):
			s := p.stringValue()
			return &ast.SetURL{At: p.since(start), URL: s}
		case p.acceptSeq(token.STORAGE, token.CREDENTIAL):
			c := p.ident()
			return &ast.SetCredential{At: p.since(start), Credential: c}
		case p.isAny(token.SCHEMA, token.ROW, token.COMMENT):
			return p.other(start, "SET "+t.Keyword.String())
		}
		if p.upperText(t) == "TAGS" {
			return p.other(start, "SET TAGS")
		}
	}
	p.syntax("Expected what to set.")
	return &ast.OtherAction{}
}

func (p *parser) unsetAction(start int32) ast.Action {
	p.advance()
	if p.upperText(p.cur()) == "TAGS" {
		return p.other(start, "UNSET TAGS")
	}
	if !p.acceptAny(token.TBLPROPERTIES, token.DBPROPERTIES, token.PROPERTIES) {
		p.syntax("Expected TBLPROPERTIES.")
	}
	u := &ast.UnsetProperties{IfExists: p.ifExists()}
	u.Keys = p.propertyKeys()
	u.At = p.since(start)
	return u
}

func (p *parser) viewAction() ast.Action {
	t := p.cur()
	if p.acceptSeq(token.WITH, token.SCHEMA) {
		v := &ast.ViewSchema{Mode: p.schemaMode()}
		v.At = p.since(t.Start)
		return v
	}
	if p.is(token.AS) || p.startsQuery(0) {
		p.accept(token.AS)
		from := p.cur().Start
		v := &ast.ViewQuery{Query: p.query()}
		v.Text = p.textFrom(from)
		v.At = p.since(t.Start)
		return v
	}
	if k := p.partitionVerb(); k != "" {
		p.fail(sqlerr.InvalidStatement("ALTER VIEW ... "+k+" PARTITION"), tokenSpan(t))
	}
	if p.isSeq(token.WITH, token.SCHEMA) {
		return p.other(t.Start, "WITH SCHEMA")
	}
	return p.commonAction("Expected AS, RENAME TO, SET or UNSET.", true)
}

// partitionVerb is ADD or DROP when the action that comes next is about partitions, else "".
func (p *parser) partitionVerb() string {
	if p.isSeq(token.ADD, token.PARTITION) || p.isSeq(token.ADD, token.IF, token.NOT, token.EXISTS, token.PARTITION) {
		return "ADD"
	}
	if p.isSeq(token.DROP, token.PARTITION) || p.isSeq(token.DROP, token.IF, token.EXISTS, token.PARTITION) {
		return "DROP"
	}
	return ""
}

func (p *parser) tableAction() ast.Action {
	t := p.cur()
	switch t.Keyword {
	case token.ADD:
		return p.addAction()
	case token.DROP:
		return p.dropAction()
	case token.PARTITION:
		return p.partitionAction()
	case token.RECOVER:
		p.expect(token.RECOVER, token.PARTITIONS)
		return &ast.RecoverPartitions{At: p.since(t.Start)}
	case token.RENAME:
		return p.renameAction()
	case token.ALTER, token.CHANGE:
		return p.alterColumns()
	case token.REPLACE:
		p.advance()
		if !p.acceptAny(token.COLUMNS, token.COLUMN) {
			p.syntax("Expected COLUMNS.")
		}
		cols := p.columnsToAdd()
		return &ast.ReplaceColumns{At: p.since(t.Start), Columns: cols}
	case token.EXCHANGE, token.ARCHIVE, token.UNARCHIVE, token.TOUCH:
		p.fail(sqlerr.InvalidStatement("ALTER TABLE "+t.Keyword.String()+" PARTITION"), tokenSpan(t))
	case token.COMPACT, token.CONCATENATE:
		p.fail(sqlerr.InvalidStatement("ALTER TABLE "+t.Keyword.String()), tokenSpan(t))
	case token.CLUSTER:
		return p.other(t.Start, "CLUSTER BY")
	}
	return p.commonAction("Expected an action such as ADD, DROP, RENAME or SET.", false)
}

func (p *parser) addAction() ast.Action {
	t := p.cur()
	if p.partitionVerb() == "ADD" {
		p.advance()
		a := &ast.AddPartitions{IfNotExists: p.ifNotExists()}
		for p.is(token.PARTITION) {
			from := p.cur().Start
			n := ast.NewPartition{Spec: p.partitionSpec(specValues)}
			if p.accept(token.LOCATION) {
				n.Location = p.stringPtr()
			}
			n.At = p.since(from)
			a.Partitions = append(a.Partitions, n)
		}
		a.At = p.since(t.Start)
		return a
	}
	p.advance()
	if p.is(token.CONSTRAINT) && p.peek(2).Keyword == token.CHECK {
		p.advance()
		a := &ast.AddConstraint{Name: p.ident()}
		p.expect(token.CHECK)
		p.lparen()
		from := p.cur().Start
		a.Check = p.expr()
		a.Text = p.textFrom(from)
		p.rparen()
		a.At = p.since(t.Start)
		return a
	}
	if p.isAny(token.CONSTRAINT, token.PRIMARY, token.FOREIGN, token.CHECK, token.UNIQUE) {
		return p.other(t.Start, "ADD CONSTRAINT")
	}
	if !p.acceptAny(token.COLUMNS, token.COLUMN) {
		p.syntax("Expected PARTITION, COLUMN or COLUMNS.")
	}
	cols := p.columnsToAdd()
	return &ast.AddColumns{At: p.since(t.Start), Columns: cols}
}

// columnsToAdd reads columns with their positions, with or without parentheses around the list.
func (p *parser) columnsToAdd() []*ast.ColumnDef {
	paren := p.acceptKind(token.LParen)
	var out []*ast.ColumnDef
	for {
		c := p.columnDef(addedColumn)
		c.Position = p.columnPosition()
		if c.Position != nil && p.is(token.COMMENT) && c.Comment == nil {
			p.advance()
			c.Comment = p.stringPtr()
		}
		c.At = p.from(c.Pos())
		out = append(out, c)
		if !p.acceptKind(token.Comma) {
			break
		}
	}
	if paren {
		p.rparen()
	}
	return out
}

// columnPosition reads FIRST or AFTER c, if one comes next.
func (p *parser) columnPosition() *ast.ColumnPosition {
	t := p.cur()
	switch {
	case p.accept(token.FIRST):
		return &ast.ColumnPosition{At: tokenAt(t), First: true}
	case p.accept(token.AFTER):
		id := p.ident()
		return &ast.ColumnPosition{At: p.since(t.Start), After: id}
	}
	return nil
}

func (p *parser) dropAction() ast.Action {
	t := p.cur()
	if p.partitionVerb() == "DROP" {
		p.advance()
		d := &ast.DropPartitions{IfExists: p.ifExists()}
		d.Specs = append(d.Specs, p.partitionSpec(specCompare))
		for p.acceptKind(token.Comma) {
			d.Specs = append(d.Specs, p.partitionSpec(specCompare))
		}
		switch {
		case p.accept(token.PURGE):
			d.Purge = true
		case p.accept(token.DELETE):
			d.DeleteFiles = true
			p.expectWord("FILES")
		}
		d.At = p.since(t.Start)
		return d
	}
	p.advance()
	if p.accept(token.CONSTRAINT) {
		d := &ast.DropConstraint{IfExists: p.ifExists(), Name: p.ident()}
		d.At = p.since(t.Start)
		return d
	}
	if p.isAny(token.PRIMARY, token.FOREIGN) {
		return p.other(t.Start, "DROP CONSTRAINT")
	}
	if p.isWord("FEATURE") {
		return p.other(t.Start, "DROP FEATURE")
	}
	if !p.acceptAny(token.COLUMN, token.COLUMNS) {
		p.syntax("Expected PARTITION, COLUMN or COLUMNS.")
	}
	d := &ast.DropColumns{IfExists: p.ifExists()}
	if p.acceptKind(token.LParen) {
		d.Columns = p.names()
		p.rparen()
	} else {
		d.Columns = p.names()
	}
	d.At = p.since(t.Start)
	return d
}

// partitionAction reads the actions that begin with PARTITION (…).
func (p *parser) partitionAction() ast.Action {
	t := p.cur()
	spec := p.partitionSpec(specValues)
	switch {
	case p.acceptSeq(token.RENAME, token.TO):
		to := p.partitionSpec(specValues)
		return &ast.RenamePartition{At: p.since(t.Start), From: spec, To: to}
	case p.accept(token.SET):
		return p.setAction(t.Start, spec)
	case p.isAny(token.COMPACT, token.CONCATENATE, token.TOUCH, token.ARCHIVE, token.UNARCHIVE, token.EXCHANGE):
		k := p.cur()
		p.fail(sqlerr.InvalidStatement("ALTER TABLE PARTITION "+k.Keyword.String()), tokenSpan(k))
	case p.isAny(token.CHANGE, token.ALTER):
		return p.other(t.Start, "CHANGE COLUMN of a partition")
	}
	p.syntax("Expected RENAME TO or SET LOCATION.")
	return &ast.OtherAction{}
}

func (p *parser) renameAction() ast.Action {
	start := p.advance().Start
	if p.accept(token.COLUMN) {
		r := &ast.RenameColumn{From: p.name()}
		p.expect(token.TO)
		r.To = p.ident()
		r.At = p.since(start)
		return r
	}
	p.expect(token.TO)
	n := p.name()
	return &ast.RenameTo{At: p.since(start), Name: n}
}

// alterColumns reads ALTER COLUMN a …, b … and CHANGE COLUMN a ….
func (p *parser) alterColumns() ast.Action {
	start := p.advance().Start
	if p.isAny(token.COLUMN, token.COLUMNS) && p.nameFollows() {
		p.advance()
	}
	a := &ast.AlterColumns{Changes: []*ast.ColumnChange{p.columnChange()}}
	for p.acceptKind(token.Comma) {
		a.Changes = append(a.Changes, p.columnChange())
	}
	a.At = p.since(start)
	return a
}

func (p *parser) columnChange() *ast.ColumnChange {
	start := p.cur().Start
	c := &ast.ColumnChange{Column: p.name()}
	t := p.cur()
	yes, no := true, false
	switch {
	case p.accept(token.TYPE):
		ty := p.typeName()
		c.Type = &ty
	case p.is(token.COMMENT):
		p.advance()
		c.Comment = p.stringPtr()
	case p.acceptSeq(token.SET, token.NOT, token.NULL):
		c.NotNull = &yes
	case p.acceptSeq(token.DROP, token.NOT, token.NULL):
		c.NotNull = &no
	case p.acceptSeq(token.SET, token.DEFAULT):
		from := p.cur().Start
		c.Default = p.expr()
		c.DefaultText = p.textFrom(from)
	case p.acceptSeq(token.DROP, token.DEFAULT):
		c.DropDefault = true
	case p.isAny(token.FIRST, token.AFTER):
		c.Position = p.columnPosition()
	case isName(t) && isName(p.peek(1)) && !p.isAny(token.SET, token.DROP):
		// Hive: CHANGE COLUMN old new type [COMMENT 's'] [FIRST | AFTER c]
		id := p.ident()
		c.NewName = &id
		ty := p.typeName()
		c.Type = &ty
		if p.accept(token.COMMENT) {
			c.Comment = p.stringPtr()
		}
		c.Position = p.columnPosition()
	default:
		p.syntax("Expected TYPE, COMMENT, SET, DROP, FIRST or AFTER.")
	}
	c.At = p.since(start)
	return c
}
