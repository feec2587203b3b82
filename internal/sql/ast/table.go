package ast

// CreateTable is CREATE TABLE, CREATE OR REPLACE TABLE and REPLACE TABLE, with or without AS query.
//
// Columns is nil and HasColumns false when no list was written: the schema is inferred or the query's. Partitioning
// holds PARTITIONED BY in one of its forms: PartitionNames for (a, b), PartitionColumns for (a INT, b STRING);
// PartitionTransforms has forms such as years(ts), which Tarn refuses.
type CreateTable struct {
	At
	Replace             bool // OR REPLACE, or REPLACE TABLE
	MustExist           bool // REPLACE TABLE without CREATE
	External            bool
	Temporary           bool
	IfNotExists         bool
	Name                Name
	HasColumns          bool
	Columns             []*ColumnDef
	Using               *Ident // nil when not written
	Partitioned         bool   // PARTITIONED BY was written
	PartitionNames      []Ident
	PartitionColumns    []*ColumnDef
	PartitionTransforms []Expr
	Buckets             *Buckets
	ClusterBy           *ClusterBy
	Location            *string
	LocationAt          At
	Options             []Property
	Properties          []Property
	Comment             *string
	RowFormat           *RowFormat
	StoredAs            *StoredAs
	Query               *Query // AS query; nil for none
}

// Buckets is CLUSTERED BY (…) [SORTED BY (…)] INTO n BUCKETS.
type Buckets struct {
	At
	Columns []Ident
	Sorted  []*SortItem
	Count   string
}

// ClusterBy is CLUSTER BY (a, b), CLUSTER BY AUTO or CLUSTER BY NONE.
type ClusterBy struct {
	At
	Columns []Name
	Auto    bool
	None    bool
}

// RowFormat is ROW FORMAT SERDE 's' [WITH SERDEPROPERTIES] or ROW FORMAT DELIMITED …. Delimiters has the words before
// each value, such as "FIELDS TERMINATED BY".
type RowFormat struct {
	At
	Serde      string
	Properties []Property
	Delimiters []Property
}

// StoredAs is STORED AS name, or STORED AS INPUTFORMAT 'i' OUTPUTFORMAT 'o', or STORED BY 'handler'.
type StoredAs struct {
	At
	Format       *Ident
	InputFormat  string
	OutputFormat string
	Handler      string
}

// CreateTableLike is CREATE TABLE a LIKE b with its clauses.
type CreateTableLike struct {
	At
	Name        Name
	IfNotExists bool
	External    bool
	Source      Name
	Using       *Ident
	Location    *string
	Properties  []Property
	StoredAs    *StoredAs
	RowFormat   *RowFormat
}

// DropTable is DROP TABLE.
type DropTable struct {
	At
	Name     Name
	IfExists bool
	Purge    bool
}

// UndropTable is UNDROP TABLE name.
type UndropTable struct {
	At
	Name Name
}

// CreateView is CREATE VIEW. Text is the query's source text, which the catalog keeps.
type CreateView struct {
	At
	Replace     bool
	Global      bool // GLOBAL TEMPORARY
	Temporary   bool
	IfNotExists bool
	Name        Name
	Columns     []ViewColumn
	Comment     *string
	Properties  []Property
	SchemaMode  string // WITH SCHEMA BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION; "" for none
	Query       *Query
	Text        string
}

// ViewColumn is a column of a view with its comment.
type ViewColumn struct {
	At
	Name    Ident
	Comment *string
}

// CreateTempViewUsing is CREATE TEMPORARY VIEW v [(columns)] USING format OPTIONS (…).
type CreateTempViewUsing struct {
	At
	Replace bool
	Global  bool
	Name    Name
	Columns []*ColumnDef
	Using   Ident
	Options []Property
}

// DropView is DROP VIEW.
type DropView struct {
	At
	Name     Name
	IfExists bool
}

// AlterView is ALTER VIEW. Action is *ViewQuery, *ViewSchema, *RenameTo, *SetProperties, *UnsetProperties or *SetOwner.
type AlterView struct {
	At
	Name   Name
	Action Action
}

// AlterTable is ALTER TABLE with one action.
type AlterTable struct {
	At
	Name   Name
	Action Action
}

// Action is what an ALTER statement does.
type Action interface {
	Node
	isAction()
}

// AddPartitions is ADD [IF NOT EXISTS] PARTITION (…) [LOCATION 's'] ….
type AddPartitions struct {
	At
	IfNotExists bool
	Partitions  []NewPartition
}

// NewPartition is one partition to add; Location is nil for the default one.
type NewPartition struct {
	At
	Spec     *PartitionSpec
	Location *string
}

// DropPartitions is DROP [IF EXISTS] PARTITION (…), …. [PURGE | DELETE FILES]. At most one of Purge and DeleteFiles is
// set.
type DropPartitions struct {
	At
	IfExists    bool
	Specs       []*PartitionSpec
	Purge       bool
	DeleteFiles bool
}

// RenamePartition is PARTITION (…) RENAME TO PARTITION (…).
type RenamePartition struct {
	At
	From, To *PartitionSpec
}

// SetLocation is [PARTITION (…)] SET LOCATION 's'. Spec is nil for the table itself.
type SetLocation struct {
	At
	Spec     *PartitionSpec
	Location string
}

// RecoverPartitions is RECOVER PARTITIONS.
type RecoverPartitions struct{ At }

// RenameTo is RENAME TO name.
type RenameTo struct {
	At
	Name Name
}

// SetProperties is SET TBLPROPERTIES, DBPROPERTIES or PROPERTIES.
type SetProperties struct {
	At
	Properties []Property
}

// SetSerde is [PARTITION (…)] SET SERDE 'class' [WITH SERDEPROPERTIES (…)] and SET SERDEPROPERTIES (…), whose Class is empty.
type SetSerde struct {
	At
	Spec       *PartitionSpec
	Class      string
	Properties []Property
}

// UnsetProperties is UNSET TBLPROPERTIES.
type UnsetProperties struct {
	At
	IfExists bool
	Keys     []string
}

// SetOwner is [SET] OWNER TO principal.
type SetOwner struct {
	At
	Owner Ident
}

// SetURL is SET URL 's' of an external location.
type SetURL struct {
	At
	URL string
}

// SetCredential is SET STORAGE CREDENTIAL c of an external location.
type SetCredential struct {
	At
	Credential Ident
}

// AddColumns is ADD COLUMN or ADD COLUMNS.
type AddColumns struct {
	At
	Columns []*ColumnDef
}

// ReplaceColumns is REPLACE COLUMNS.
type ReplaceColumns struct {
	At
	Columns []*ColumnDef
}

// DropColumns is DROP COLUMN or DROP COLUMNS.
type DropColumns struct {
	At
	IfExists bool
	Columns  []Name
}

// RenameColumn is RENAME COLUMN a TO b.
type RenameColumn struct {
	At
	From Name
	To   Ident
}

// AlterColumns is ALTER COLUMN and CHANGE COLUMN, one or more (ALTER COLUMN a …, b …).
type AlterColumns struct {
	At
	Changes []*ColumnChange
}

// ColumnChange is the change of one column; fields that are nil stay as they are.
type ColumnChange struct {
	At
	Column      Name
	NewName     *Ident // Hive's CHANGE COLUMN old new type
	Type        *TypeName
	Comment     *string
	NotNull     *bool // SET NOT NULL and DROP NOT NULL
	Position    *ColumnPosition
	Default     Expr
	DefaultText string
	DropDefault bool
}

// AddConstraint is ADD CONSTRAINT name CHECK (condition). Text is the condition's source text.
type AddConstraint struct {
	At
	Name  Ident
	Check Expr
	Text  string
}

// DropConstraint is DROP CONSTRAINT [IF EXISTS] name.
type DropConstraint struct {
	At
	IfExists bool
	Name     Ident
}

// ViewSchema is ALTER VIEW v WITH SCHEMA mode; the modes are those of CreateView.
type ViewSchema struct {
	At
	Mode string
}

// ViewQuery is ALTER VIEW v AS query.
type ViewQuery struct {
	At
	Query *Query
	Text  string
}

// OtherAction is an action that Tarn recognises but lacks; What names it, such as "SET SERDE". Text is the action's
// source text.
type OtherAction struct {
	At
	What string
	Text string
}
