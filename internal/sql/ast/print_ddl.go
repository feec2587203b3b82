package ast

import (
	"strings"

	"github.com/tarnlake/tarn/internal/ident"
)

// statement prints the statements that are no queries.
func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *CreateTable:
		p.createTable(s)
	case *CreateTableLike:
		p.createTableLike(s)
	case *CreateView:
		p.createView(s)
	case *CreateTempViewUsing:
		p.tempView(s)
	case *DropTable:
		p.drop("TABLE", s.IfExists, s.Name)
		p.when(s.Purge, " PURGE")
	case *UndropTable:
		p.optName("UNDROP TABLE ", s.Name)
	case *DropView:
		p.drop("VIEW", s.IfExists, s.Name)
	case *AlterTable:
		p.alter("TABLE", s.Name, s.Action)
	case *AlterView:
		p.alter("VIEW", s.Name, s.Action)
	case *Unsupported:
		p.put(s.Text)
	default:
		p.namespace(s)
	}
}

// nameOf makes a name of one part.
func nameOf(i Ident) Name { return Name{Parts: []Ident{i}} }

func (p *printer) drop(kind string, ifExists bool, n Name) {
	p.put("DROP ", kind, " ")
	p.when(ifExists, "IF EXISTS ")
	p.name(n)
}

func (p *printer) alter(kind string, n Name, a Action) {
	p.put("ALTER ", kind, " ")
	p.name(n)
	p.put(" ")
	p.action(a)
}

func (p *printer) create(kind string, ifNotExists bool, n Name) {
	p.put("CREATE ", kind, " ")
	p.when(ifNotExists, "IF NOT EXISTS ")
	p.name(n)
}

// namespace prints the statements about catalogs, schemas, volumes and external locations.
func (p *printer) namespace(s Statement) {
	switch s := s.(type) {
	case *CreateCatalog:
		p.create("CATALOG", s.IfNotExists, nameOf(s.Name))
		p.optStr(" COMMENT ", s.Comment)
		p.optStr(" MANAGED LOCATION ", s.Location)
		p.properties(" OPTIONS", s.Properties)
	case *DropCatalog:
		p.drop("CATALOG", s.IfExists, nameOf(s.Name))
		p.when(s.Cascade, " CASCADE")
	case *AlterCatalog:
		p.alter("CATALOG", nameOf(s.Name), s.Action)
	case *CreateSchema:
		p.create("SCHEMA", s.IfNotExists, s.Name)
		p.optStr(" COMMENT ", s.Comment)
		if s.Managed {
			p.optStr(" MANAGED LOCATION ", s.Location)
		} else {
			p.optStr(" LOCATION ", s.Location)
		}
		p.properties(" WITH DBPROPERTIES", s.Properties)
	case *DropSchema:
		p.drop("SCHEMA", s.IfExists, s.Name)
		p.when(s.Cascade, " CASCADE")
	case *AlterSchema:
		p.alter("SCHEMA", s.Name, s.Action)
	case *Use:
		p.put("USE ")
		p.when(s.SchemaOnly, "SCHEMA ")
		p.name(s.Name)
	case *UseCatalog:
		p.optName("SET CATALOG ", s.Name)
	case *CreateVolume:
		kind := "VOLUME"
		if s.External {
			kind = "EXTERNAL VOLUME"
		}
		p.create(kind, s.IfNotExists, s.Name)
		p.optStr(" LOCATION ", s.Location)
		p.optStr(" COMMENT ", s.Comment)
	case *AlterVolume:
		p.alter("VOLUME", s.Name, s.Action)
	case *DropVolume:
		p.drop("VOLUME", s.IfExists, s.Name)
	case *CreateExternalLocation:
		p.create("EXTERNAL LOCATION", s.IfNotExists, nameOf(s.Name))
		p.put(" URL ")
		p.str(s.URL)
		if s.Credential != nil {
			p.put(" WITH (CREDENTIAL ")
			p.ident(*s.Credential)
			p.put(")")
		}
		p.optStr(" COMMENT ", s.Comment)
	case *AlterExternalLocation:
		p.alter("EXTERNAL LOCATION", nameOf(s.Name), s.Action)
	case *DropExternalLocation:
		p.drop("EXTERNAL LOCATION", s.IfExists, nameOf(s.Name))
		p.when(s.Force, " FORCE")
	case *CommentOn:
		p.put("COMMENT ON ", s.Kind, " ")
		p.name(s.Name)
		p.put(" IS ")
		if s.Comment == nil {
			p.put("NULL")
		} else {
			p.str(*s.Comment)
		}
	default:
		p.show(s)
	}
}

func (p *printer) createTable(c *CreateTable) {
	switch {
	case c.MustExist:
		p.put("REPLACE TABLE ")
	default:
		p.put("CREATE ")
		p.when(c.Replace, "OR REPLACE ")
		p.when(c.Temporary, "TEMPORARY ")
		p.when(c.External, "EXTERNAL ")
		p.put("TABLE ")
	}
	p.when(c.IfNotExists, "IF NOT EXISTS ")
	p.name(c.Name)
	if c.HasColumns {
		p.put(" (")
		p.columnDefs(c.Columns)
		p.put(")")
	}
	p.using(c.Using)
	p.partitionedBy(c)
	if c.Buckets != nil {
		p.put(" ")
		p.buckets(c.Buckets)
	}
	if c.ClusterBy != nil {
		p.put(" ")
		p.clusterBy(c.ClusterBy)
	}
	p.storage(c.RowFormat, c.StoredAs)
	p.properties(" OPTIONS", c.Options)
	p.optStr(" LOCATION ", c.Location)
	p.optStr(" COMMENT ", c.Comment)
	p.properties(" TBLPROPERTIES", c.Properties)
	if c.Query != nil {
		p.put(" AS ")
		p.query(c.Query)
	}
}

func (p *printer) using(u *Ident) {
	if u != nil {
		p.put(" USING ")
		p.ident(*u)
	}
}

func (p *printer) partitionedBy(c *CreateTable) {
	if !c.Partitioned {
		return
	}
	p.put(" PARTITIONED BY (")
	p.columnDefs(c.PartitionColumns)
	p.idents(c.PartitionNames)
	p.when(len(c.PartitionNames) > 0 && len(c.PartitionTransforms) > 0, ", ")
	p.exprs(c.PartitionTransforms)
	p.put(")")
}

func (p *printer) storage(r *RowFormat, s *StoredAs) {
	if r != nil {
		p.put(" ")
		p.rowFormat(r)
	}
	if s != nil {
		p.put(" ")
		p.storedAs(s)
	}
}

func (p *printer) columnDefs(cs []*ColumnDef) {
	p.each(len(cs), ", ", func(i int) { p.columnDef(cs[i]) })
}

func (p *printer) columnDef(c *ColumnDef) {
	p.name(c.Path)
	p.put(" ", c.Type.T.SQL())
	p.when(c.NotNull, " NOT NULL")
	p.defaultValue(" DEFAULT ", c.Default, c.DefaultText)
	if c.Generated != nil {
		p.defaultValue(" GENERATED ALWAYS AS (", c.Generated, c.GeneratedText)
		p.put(")")
	}
	p.optStr(" COMMENT ", c.Comment)
	if c.Position != nil {
		p.put(" ")
		p.position(c.Position)
	}
}

// defaultValue prints a default as it was written, since the catalog keeps its text.
func (p *printer) defaultValue(clause string, e Expr, text string) {
	if e == nil {
		return
	}
	p.put(clause)
	if text != "" {
		p.put(text)
		return
	}
	p.expr(e, 0)
}

func (p *printer) position(c *ColumnPosition) {
	if c.First {
		p.put("FIRST")
		return
	}
	p.put("AFTER ")
	p.ident(c.After)
}

func (p *printer) buckets(b *Buckets) {
	p.put("CLUSTERED BY")
	p.identList(b.Columns)
	if len(b.Sorted) > 0 {
		p.put(" SORTED BY (")
		p.sorts(b.Sorted)
		p.put(")")
	}
	p.put(" INTO ", b.Count, " BUCKETS")
}

func (p *printer) clusterBy(b *ClusterBy) {
	p.put("CLUSTER BY ")
	switch {
	case b.Auto:
		p.put("AUTO")
	case b.None:
		p.put("NONE")
	default:
		p.put("(")
		p.names(b.Columns)
		p.put(")")
	}
}

func (p *printer) rowFormat(r *RowFormat) {
	if len(r.Delimiters) == 0 && (r.Serde != "" || len(r.Properties) > 0) {
		p.put("ROW FORMAT SERDE ")
		p.str(r.Serde)
		p.properties(" WITH SERDEPROPERTIES", r.Properties)
		return
	}
	p.put("ROW FORMAT DELIMITED")
	for _, d := range r.Delimiters {
		p.put(" ", d.Key, " ")
		p.str(d.Value)
	}
}

func (p *printer) storedAs(s *StoredAs) {
	switch {
	case s.Format != nil:
		p.put("STORED AS ")
		p.ident(*s.Format)
	case s.Handler != "":
		p.put("STORED BY ")
		p.str(s.Handler)
	default:
		p.put("STORED AS INPUTFORMAT ")
		p.str(s.InputFormat)
		p.put(" OUTPUTFORMAT ")
		p.str(s.OutputFormat)
	}
}

func (p *printer) createTableLike(c *CreateTableLike) {
	p.put("CREATE ")
	p.when(c.External, "EXTERNAL ")
	p.put("TABLE ")
	p.when(c.IfNotExists, "IF NOT EXISTS ")
	p.name(c.Name)
	p.optName(" LIKE ", c.Source)
	p.using(c.Using)
	p.storage(c.RowFormat, c.StoredAs)
	p.optStr(" LOCATION ", c.Location)
	p.properties(" TBLPROPERTIES", c.Properties)
}

func (p *printer) createView(v *CreateView) {
	p.put("CREATE ")
	p.when(v.Replace, "OR REPLACE ")
	p.when(v.Global, "GLOBAL ")
	p.when(v.Temporary, "TEMPORARY ")
	p.put("VIEW ")
	p.when(v.IfNotExists, "IF NOT EXISTS ")
	p.name(v.Name)
	if len(v.Columns) > 0 {
		p.put(" (")
		p.each(len(v.Columns), ", ", func(i int) {
			p.ident(v.Columns[i].Name)
			p.optStr(" COMMENT ", v.Columns[i].Comment)
		})
		p.put(")")
	}
	p.optStr(" COMMENT ", v.Comment)
	p.properties(" TBLPROPERTIES", v.Properties)
	p.when(v.SchemaMode != "", " WITH SCHEMA "+v.SchemaMode)
	p.put(" AS ")
	p.sourceQuery(v.Query, v.Text)
}

// sourceQuery prints a view's query as it was written, since the catalog keeps its text.
func (p *printer) sourceQuery(q *Query, text string) {
	if text != "" {
		p.put(text)
		return
	}
	p.query(q)
}

func (p *printer) tempView(v *CreateTempViewUsing) {
	p.put("CREATE ")
	p.when(v.Replace, "OR REPLACE ")
	p.when(v.Global, "GLOBAL ")
	p.put("TEMPORARY VIEW ")
	p.name(v.Name)
	if len(v.Columns) > 0 {
		p.put(" (")
		p.columnDefs(v.Columns)
		p.put(")")
	}
	p.using(&v.Using)
	p.properties(" OPTIONS", v.Options)
}

// action prints what an ALTER statement does.
func (p *printer) action(a Action) {
	switch a := a.(type) {
	case *AddPartitions:
		p.put("ADD")
		p.when(a.IfNotExists, " IF NOT EXISTS")
		for _, n := range a.Partitions {
			p.optSpec(n.Spec)
			p.optStr(" LOCATION ", n.Location)
		}
	case *DropPartitions:
		p.put("DROP ")
		p.when(a.IfExists, "IF EXISTS ")
		p.each(len(a.Specs), ", ", func(i int) { p.spec(a.Specs[i]) })
		p.when(a.Purge, " PURGE")
		p.when(a.DeleteFiles, " DELETE FILES")
	case *RenamePartition:
		p.spec(a.From)
		p.put(" RENAME TO ")
		p.spec(a.To)
	case *SetLocation:
		if a.Spec != nil {
			p.spec(a.Spec)
			p.put(" ")
		}
		p.optStr("SET LOCATION ", &a.Location)
	case *RecoverPartitions:
		p.put("RECOVER PARTITIONS")
	case *RenameTo:
		p.optName("RENAME TO ", a.Name)
	case *SetProperties:
		p.properties("SET TBLPROPERTIES", a.Properties)
	case *SetSerde:
		if a.Spec != nil {
			p.spec(a.Spec)
			p.put(" ")
		}
		if a.Class != "" {
			p.put("SET SERDE ")
			p.str(a.Class)
			if len(a.Properties) > 0 {
				p.properties(" WITH SERDEPROPERTIES", a.Properties)
			}
			return
		}
		p.properties("SET SERDEPROPERTIES", a.Properties)
	case *UnsetProperties:
		p.put("UNSET TBLPROPERTIES ")
		p.when(a.IfExists, "IF EXISTS ")
		p.put("(")
		p.each(len(a.Keys), ", ", func(i int) { p.str(a.Keys[i]) })
		p.put(")")
	case *SetOwner:
		p.put("OWNER TO ")
		p.ident(a.Owner)
	case *SetURL:
		p.optStr("SET URL ", &a.URL)
	case *SetCredential:
		p.put("SET STORAGE CREDENTIAL ")
		p.ident(a.Credential)
	case *ViewSchema:
		p.put("WITH SCHEMA " + a.Mode)
	case *ViewQuery:
		p.put("AS ")
		p.sourceQuery(a.Query, a.Text)
	case *OtherAction:
		p.put(a.Text)
	default:
		p.columnAction(a)
	}
}

func (p *printer) columnAction(a Action) {
	switch a := a.(type) {
	case *AddColumns:
		p.put("ADD COLUMNS (")
		p.columnDefs(a.Columns)
		p.put(")")
	case *ReplaceColumns:
		p.put("REPLACE COLUMNS (")
		p.columnDefs(a.Columns)
		p.put(")")
	case *DropColumns:
		p.put("DROP COLUMNS ")
		p.when(a.IfExists, "IF EXISTS ")
		p.put("(")
		p.names(a.Columns)
		p.put(")")
	case *AddConstraint:
		p.put("ADD CONSTRAINT ")
		p.ident(a.Name)
		p.put(" CHECK (" + a.Text + ")")
	case *DropConstraint:
		p.put("DROP CONSTRAINT ")
		p.when(a.IfExists, "IF EXISTS ")
		p.ident(a.Name)
	case *RenameColumn:
		p.optName("RENAME COLUMN ", a.From)
		p.put(" TO ")
		p.ident(a.To)
	case *AlterColumns:
		p.put("ALTER COLUMN ")
		p.each(len(a.Changes), ", ", func(i int) { p.columnChange(a.Changes[i]) })
	}
}

func (p *printer) columnChange(c *ColumnChange) {
	p.name(c.Column)
	switch {
	case c.NewName != nil:
		p.put(" ")
		p.ident(*c.NewName)
		p.put(" ", c.Type.T.SQL())
		p.optStr(" COMMENT ", c.Comment)
	case c.Type != nil:
		p.put(" TYPE ", c.Type.T.SQL())
	case c.Comment != nil:
		p.optStr(" COMMENT ", c.Comment)
	case c.NotNull != nil:
		if *c.NotNull {
			p.put(" SET NOT NULL")
		} else {
			p.put(" DROP NOT NULL")
		}
	case c.DropDefault:
		p.put(" DROP DEFAULT")
	}
	p.defaultValue(" SET DEFAULT ", c.Default, c.DefaultText)
	if c.Position != nil {
		p.put(" ")
		p.position(c.Position)
	}
}

// settingText quotes a key or value of SET unless it is plain.
func settingText(s, plain string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0) {
			return ident.Quote(s)
		}
	}
	return s
}
