package ast

// Pattern is the pattern of a SHOW statement ([LIKE] 'p'); a nil *Pattern means none.
type Pattern struct {
	At
	Text string
}

// ShowMounts is SHOW MOUNTS.
type ShowMounts struct {
	At
	Like *Pattern
}

// ShowCatalogs is SHOW CATALOGS.
type ShowCatalogs struct {
	At
	Like *Pattern
}

// ShowSchemas is SHOW SCHEMAS, DATABASES or NAMESPACES.
type ShowSchemas struct {
	At
	In   Name
	Like *Pattern
}

// ShowTables is SHOW TABLES.
type ShowTables struct {
	At
	In   Name
	Like *Pattern
}

// ShowTableExtended is SHOW TABLE EXTENDED [IN ns] LIKE 'p' [PARTITION (…)].
type ShowTableExtended struct {
	At
	In   Name
	Like *Pattern
	Spec *PartitionSpec
}

// ShowViews is SHOW VIEWS.
type ShowViews struct {
	At
	In   Name
	Like *Pattern
}

// ShowVolumes is SHOW VOLUMES.
type ShowVolumes struct {
	At
	In   Name
	Like *Pattern
}

// ShowExternalLocations is SHOW EXTERNAL LOCATIONS.
type ShowExternalLocations struct {
	At
	Like *Pattern
}

// ShowFunctions is SHOW [USER | SYSTEM | ALL] FUNCTIONS [IN ns] [LIKE 'p'].
type ShowFunctions struct {
	At
	Scope string // USER, SYSTEM, ALL or ""
	In    Name
	Like  *Pattern
}

// ShowColumns is SHOW COLUMNS {IN | FROM} t [{IN | FROM} schema].
type ShowColumns struct {
	At
	Table Name
	In    Name
}

// ShowPartitions is SHOW PARTITIONS t [PARTITION (…)] [VERSION | TIMESTAMP AS OF …].
type ShowPartitions struct {
	At
	Table Name
	Spec  *PartitionSpec
	AsOf  *AsOf
}

// ShowCreateTable is SHOW CREATE TABLE t [AS SERDE].
type ShowCreateTable struct {
	At
	Table   Name
	AsSerde bool
}

// ShowTblProperties is SHOW TBLPROPERTIES t [('k')]. Key is nil for all.
type ShowTblProperties struct {
	At
	Table Name
	Key   *string
}

// ShowDrift is SHOW DRIFT t [PARTITION (…) | WHERE …].
type ShowDrift struct {
	At
	Table Name
	Spec  *PartitionSpec
	Where Expr
}

// ShowCurrent is SHOW CURRENT NAMESPACE (or SCHEMA, DATABASE).
type ShowCurrent struct{ At }

// ShowTransactions is SHOW TRANSACTIONS [IN t].
type ShowTransactions struct {
	At
	Table Name
}

// DescribeTable is DESCRIBE [TABLE] [EXTENDED | FORMATTED] t [PARTITION (…)] [column] [AS JSON].
type DescribeTable struct {
	At
	Table    Name
	Extended bool // FORMATTED is the same
	Spec     *PartitionSpec
	Column   Name // the zero Name when none was given
	AsJSON   bool
}

// DescribeQuery is DESCRIBE [QUERY] query.
type DescribeQuery struct {
	At
	Query *Query
}

// DescribeHistory is DESCRIBE HISTORY t [LIMIT n]. Limit is nil for all.
type DescribeHistory struct {
	At
	Table Name
	Limit Expr
}

// DescribeDetail is DESCRIBE DETAIL t.
type DescribeDetail struct {
	At
	Table Name
}

// DescribeFunction is DESCRIBE FUNCTION [EXTENDED] f. An operator such as + or between is a name of one part.
type DescribeFunction struct {
	At
	Name     Name
	Extended bool
}
