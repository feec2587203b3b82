package ast

// show prints SHOW and DESCRIBE.
func (p *printer) show(s Statement) {
	switch s := s.(type) {
	case *ShowCatalogs:
		p.put("SHOW CATALOGS")
		p.like(s.Like)
	case *ShowMounts:
		p.put("SHOW MOUNTS")
		p.like(s.Like)
	case *ShowSchemas:
		p.list("SCHEMAS", s.In, s.Like)
	case *ShowTables:
		p.list("TABLES", s.In, s.Like)
	case *ShowViews:
		p.list("VIEWS", s.In, s.Like)
	case *ShowVolumes:
		p.list("VOLUMES", s.In, s.Like)
	case *ShowTableExtended:
		p.list("TABLE EXTENDED", s.In, s.Like)
		p.optSpec(s.Spec)
	case *ShowExternalLocations:
		p.put("SHOW EXTERNAL LOCATIONS")
		p.like(s.Like)
	case *ShowFunctions:
		kind := "FUNCTIONS"
		if s.Scope != "" {
			kind = s.Scope + " FUNCTIONS"
		}
		p.list(kind, s.In, s.Like)
	case *ShowColumns:
		p.optName("SHOW COLUMNS IN ", s.Table)
		p.optName(" IN ", s.In)
	case *ShowPartitions:
		p.optName("SHOW PARTITIONS ", s.Table)
		p.optSpec(s.Spec)
		p.optAsOf(s.AsOf)
	case *ShowCreateTable:
		p.optName("SHOW CREATE TABLE ", s.Table)
		p.when(s.AsSerde, " AS SERDE")
	case *ShowTblProperties:
		p.optName("SHOW TBLPROPERTIES ", s.Table)
		if s.Key != nil {
			p.put(" (")
			p.str(*s.Key)
			p.put(")")
		}
	case *ShowDrift:
		p.optName("SHOW DRIFT ", s.Table)
		p.optSpec(s.Spec)
		p.where(s.Where)
	case *ShowCurrent:
		p.put("SHOW CURRENT NAMESPACE")
	case *ShowTransactions:
		p.put("SHOW TRANSACTIONS")
		p.optName(" IN ", s.Table)
	default:
		p.describe(s)
	}
}

func (p *printer) like(l *Pattern) {
	if l != nil {
		p.put(" LIKE ")
		p.str(l.Text)
	}
}

func (p *printer) list(kind string, in Name, like *Pattern) {
	p.put("SHOW ", kind)
	p.optName(" IN ", in)
	p.like(like)
}

func (p *printer) where(e Expr) {
	if e != nil {
		p.put(" WHERE ")
		p.expr(e, 0)
	}
}

func (p *printer) describe(s Statement) {
	extended := func(on bool) string {
		if on {
			return "EXTENDED "
		}
		return ""
	}
	switch s := s.(type) {
	case *DescribeCatalog:
		p.optName("DESCRIBE CATALOG "+extended(s.Extended), nameOf(s.Name))
	case *DescribeSchema:
		p.optName("DESCRIBE SCHEMA "+extended(s.Extended), s.Name)
	case *DescribeVolume:
		p.optName("DESCRIBE VOLUME ", s.Name)
	case *DescribeExternalLocation:
		p.optName("DESCRIBE EXTERNAL LOCATION ", nameOf(s.Name))
	case *DescribeTable:
		p.optName("DESCRIBE TABLE "+extended(s.Extended), s.Table)
		p.optSpec(s.Spec)
		p.optName(" ", s.Column)
		p.when(s.AsJSON, " AS JSON")
	case *DescribeQuery:
		p.put("DESCRIBE QUERY ")
		p.query(s.Query)
	case *DescribeHistory:
		p.optName("DESCRIBE HISTORY ", s.Table)
		if s.Limit != nil {
			p.put(" LIMIT ")
			p.expr(s.Limit, 0)
		}
	case *DescribeDetail:
		p.optName("DESCRIBE DETAIL ", s.Table)
	case *DescribeFunction:
		p.optName("DESCRIBE FUNCTION "+extended(s.Extended), s.Name)
	default:
		p.command(s)
	}
}

// command prints what changes data, keeps tables in order, or is about the session.
func (p *printer) command(s Statement) {
	switch s := s.(type) {
	case *Repair:
		p.repair(s)
	case *Sync:
		p.sync(s)
	case *Restore:
		p.optName("RESTORE TABLE ", s.Table)
		p.put(" TO")
		p.optAsOf(s.AsOf)
	case *RefreshTable:
		p.optName("REFRESH TABLE ", s.Table)
	case *Cache:
		p.cache(s)
	case *RefreshPath:
		p.optStr("REFRESH ", &s.Path)
	case *Truncate:
		p.optName("TRUNCATE TABLE ", s.Table)
		p.optSpec(s.Spec)
	case *Analyze:
		p.analyze(s)
	case *MultiInsert:
		p.put(s.Text)
	case *Insert:
		p.insert(s)
	case *InsertDirectory:
		p.insertDirectory(s)
	case *CopyInto:
		p.copyInto(s)
	case *Vacuum:
		p.optName("VACUUM TABLE ", s.Table)
		p.optName("VACUUM SCHEMA ", s.Schema)
		p.when(s.Hours != "", " RETAIN "+s.Hours+" HOURS")
		p.when(s.DryRun, " DRY RUN")
	case *Explain:
		p.put("EXPLAIN ")
		p.when(s.Mode != "", s.Mode+" ")
		p.node(s.Statement)
	case *ExplainPath:
		p.optStr("EXPLAIN PATH ", &s.URI)
	default:
		p.change(s)
	}
}

func (p *printer) setting(s Statement) {
	switch s := s.(type) {
	case *Set:
		p.put("SET")
		switch {
		case s.Verbose:
			p.put(" -v")
		case !s.List:
			p.put(" ", settingText(s.Key, "._:-"))
			p.when(s.HasValue, " = "+settingText(s.Value, "._:-/ ,"))
		}
	case *SetTimeZone:
		p.put("SET TIME ZONE ")
		switch {
		case s.Local:
			p.put("LOCAL")
		case s.Interval != nil:
			p.interval(s.Interval)
		default:
			p.str(s.Zone)
		}
	case *Reset:
		p.put("RESET")
		p.when(s.Key != "", " "+settingText(s.Key, "._:-"))
	default:
		p.routine(s)
	}
}

func (p *printer) repair(r *Repair) {
	p.optName("MSCK REPAIR TABLE ", r.Table)
	p.optSpec(r.Spec)
	p.where(r.Where)
	switch r.Mode {
	case RepairAdd:
		p.put(" ADD PARTITIONS")
	case RepairDrop:
		p.put(" DROP PARTITIONS")
	case RepairSync:
		p.put(" SYNC PARTITIONS")
	case RepairSyncMetadata:
		p.put(" SYNC METADATA")
	}
	p.when(r.DryRun, " DRY RUN")
	p.when(r.Force, " FORCE")
}

func (p *printer) sync(s *Sync) {
	if s.Schema {
		p.optName("SYNC SCHEMA ", s.Target)
	} else {
		p.optName("SYNC TABLE ", s.Target)
	}
	p.when(s.AsExternal, " AS EXTERNAL")
	p.optName(" FROM ", s.Source)
	if s.Owner != nil {
		p.put(" SET OWNER ")
		p.ident(*s.Owner)
	}
	p.when(s.DryRun, " DRY RUN")
}

func (p *printer) analyze(a *Analyze) {
	if a.Table.IsZero() {
		p.put("ANALYZE TABLES")
		p.optName(" IN ", a.In)
	} else {
		p.optName("ANALYZE TABLE ", a.Table)
		p.optSpec(a.Spec)
	}
	p.put(" COMPUTE STATISTICS")
	p.when(a.NoScan, " NOSCAN")
	p.when(a.AllColumns, " FOR ALL COLUMNS")
	if len(a.Columns) > 0 {
		p.put(" FOR COLUMNS ")
		p.idents(a.Columns)
	}
}

func (p *printer) insert(s *Insert) {
	if s.Overwrite {
		p.put("INSERT OVERWRITE TABLE ")
	} else {
		p.put("INSERT INTO TABLE ")
	}
	p.name(s.Table)
	p.properties(" WITH", s.Options)
	if len(s.PartitionedBy) > 0 {
		p.put(" PARTITIONED BY")
		p.identList(s.PartitionedBy)
	}
	p.optSpec(s.Spec)
	p.when(s.IfNotExists, " IF NOT EXISTS")
	p.when(s.ByName, " BY NAME")
	p.identList(s.Columns)
	if s.ReplaceWhere != nil {
		p.put(" REPLACE WHERE ")
		p.expr(s.ReplaceWhere, 0)
	}
	if len(s.ReplaceUsing) > 0 {
		p.put(" REPLACE USING")
		p.identList(s.ReplaceUsing)
	}
	p.put(" ")
	p.query(s.Query)
}

func (p *printer) insertDirectory(s *InsertDirectory) {
	p.put("INSERT OVERWRITE ")
	p.when(s.Local, "LOCAL ")
	p.put("DIRECTORY")
	p.optStr(" ", s.Path)
	p.using(s.Using)
	p.properties(" OPTIONS", s.Options)
	p.storage(s.RowFormat, s.StoredAs)
	p.put(" ")
	p.query(s.Query)
}

func (p *printer) copyInto(s *CopyInto) {
	p.put("COPY INTO ")
	p.name(s.Table)
	p.when(s.ByPosition, " BY POSITION")
	p.identList(s.Columns)
	p.put(" FROM ")
	if s.Items != nil {
		p.put("(SELECT ")
		p.each(len(s.Items), ", ", func(i int) { p.selectItem(s.Items[i]) })
		p.put(" FROM ")
	}
	p.str(s.Path)
	p.when(s.Items != nil, ")")
	p.put(" FILEFORMAT = ")
	p.ident(s.Format)
	if len(s.Files) > 0 {
		p.put(" FILES = (")
		p.each(len(s.Files), ", ", func(i int) { p.str(s.Files[i]) })
		p.put(")")
	}
	p.optStr(" PATTERN = ", s.Pattern)
	p.properties(" FORMAT_OPTIONS", s.FormatOptions)
	p.properties(" COPY_OPTIONS", s.CopyOptions)
}

func (p *printer) cache(s *Cache) {
	switch {
	case s.Verb == "CLEAR":
		p.put("CLEAR CACHE")
	case s.IfExists:
		p.optName("UNCACHE TABLE IF EXISTS ", s.Table)
	case s.Lazy:
		p.optName("CACHE LAZY TABLE ", s.Table)
	default:
		p.optName(s.Verb+" TABLE ", s.Table)
	}
	p.properties(" OPTIONS", s.Options)
	if s.Query != nil {
		p.put(" AS ")
		p.sourceQuery(s.Query, s.Text)
	}
}
