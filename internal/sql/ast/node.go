package ast

// This file is long because every node stands in it twice, with nothing but its kind and its String method.

func (*Query) isStatement()                    {}
func (*CreateCatalog) isStatement()            {}
func (*DropCatalog) isStatement()              {}
func (*DescribeCatalog) isStatement()          {}
func (*AlterCatalog) isStatement()             {}
func (*CreateSchema) isStatement()             {}
func (*DropSchema) isStatement()               {}
func (*DescribeSchema) isStatement()           {}
func (*AlterSchema) isStatement()              {}
func (*Use) isStatement()                      {}
func (*UseCatalog) isStatement()               {}
func (*CreateVolume) isStatement()             {}
func (*AlterVolume) isStatement()              {}
func (*DropVolume) isStatement()               {}
func (*DescribeVolume) isStatement()           {}
func (*CreateExternalLocation) isStatement()   {}
func (*AlterExternalLocation) isStatement()    {}
func (*DropExternalLocation) isStatement()     {}
func (*DescribeExternalLocation) isStatement() {}
func (*CommentOn) isStatement()                {}
func (*CreateTable) isStatement()              {}
func (*CreateTableLike) isStatement()          {}
func (*DropTable) isStatement()                {}
func (*UndropTable) isStatement()              {}
func (*CreateView) isStatement()               {}
func (*CreateTempViewUsing) isStatement()      {}
func (*DropView) isStatement()                 {}
func (*AlterView) isStatement()                {}
func (*AlterTable) isStatement()               {}
func (*ShowCatalogs) isStatement()             {}
func (*ShowSchemas) isStatement()              {}
func (*ShowTables) isStatement()               {}
func (*ShowTableExtended) isStatement()        {}
func (*ShowViews) isStatement()                {}
func (*ShowVolumes) isStatement()              {}
func (*ShowExternalLocations) isStatement()    {}
func (*ShowFunctions) isStatement()            {}
func (*ShowColumns) isStatement()              {}
func (*ShowPartitions) isStatement()           {}
func (*ShowCreateTable) isStatement()          {}
func (*ShowTblProperties) isStatement()        {}
func (*ShowDrift) isStatement()                {}
func (*ShowCurrent) isStatement()              {}
func (*ShowTransactions) isStatement()         {}
func (*DescribeTable) isStatement()            {}
func (*DescribeQuery) isStatement()            {}
func (*DescribeHistory) isStatement()          {}
func (*DescribeDetail) isStatement()           {}
func (*DescribeFunction) isStatement()         {}
func (*Repair) isStatement()                   {}
func (*Sync) isStatement()                     {}
func (*ShowMounts) isStatement()               {}
func (*Restore) isStatement()                  {}
func (*RefreshTable) isStatement()             {}
func (*Cache) isStatement()                    {}
func (*RefreshPath) isStatement()              {}
func (*Truncate) isStatement()                 {}
func (*Analyze) isStatement()                  {}
func (*MultiInsert) isStatement()              {}
func (*Insert) isStatement()                   {}
func (*InsertDirectory) isStatement()          {}
func (*CopyInto) isStatement()                 {}
func (*Vacuum) isStatement()                   {}
func (*Delete) isStatement()                   {}
func (*Update) isStatement()                   {}
func (*Merge) isStatement()                    {}
func (*Optimize) isStatement()                 {}
func (*Clone) isStatement()                    {}
func (*Explain) isStatement()                  {}
func (*ExplainPath) isStatement()              {}
func (*Set) isStatement()                      {}
func (*SetTimeZone) isStatement()              {}
func (*Reset) isStatement()                    {}
func (*DeclareVariable) isStatement()          {}
func (*SetVariable) isStatement()              {}
func (*DropVariable) isStatement()             {}
func (*ExecuteImmediate) isStatement()         {}
func (*CreateFunction) isStatement()           {}
func (*DropFunction) isStatement()             {}
func (*RefreshFunction) isStatement()          {}
func (*Unsupported) isStatement()              {}

func (*ColumnRef) isExpr()      {}
func (*Star) isExpr()           {}
func (*NullLit) isExpr()        {}
func (*BoolLit) isExpr()        {}
func (*DefaultLit) isExpr()     {}
func (*StringLit) isExpr()      {}
func (*NumberLit) isExpr()      {}
func (*BinaryLit) isExpr()      {}
func (*TypedLit) isExpr()       {}
func (*IntervalLit) isExpr()    {}
func (*Param) isExpr()          {}
func (*Unit) isExpr()           {}
func (*Unary) isExpr()          {}
func (*Not) isExpr()            {}
func (*Logical) isExpr()        {}
func (*Binary) isExpr()         {}
func (*IsNull) isExpr()         {}
func (*IsBool) isExpr()         {}
func (*IsDistinct) isExpr()     {}
func (*Between) isExpr()        {}
func (*In) isExpr()             {}
func (*InQuery) isExpr()        {}
func (*Like) isExpr()           {}
func (*LikeQuantified) isExpr() {}
func (*Exists) isExpr()         {}
func (*Subquery) isExpr()       {}
func (*Row) isExpr()            {}
func (*Call) isExpr()           {}
func (*Lambda) isExpr()         {}
func (*Case) isExpr()           {}
func (*Cast) isExpr()           {}
func (*Extract) isExpr()        {}
func (*Trim) isExpr()           {}
func (*Subscript) isExpr()      {}
func (*Field) isExpr()          {}

func (*Query) isQueryBody()      {}
func (*Select) isQueryBody()     {}
func (*SetOp) isQueryBody()      {}
func (*Values) isQueryBody()     {}
func (*TableQuery) isQueryBody() {}

func (*TableRef) isRelation()    {}
func (*SubqueryRef) isRelation() {}
func (*FunctionRef) isRelation() {}
func (*ValuesRef) isRelation()   {}
func (*ParenRef) isRelation()    {}
func (*Join) isRelation()        {}
func (*Pivot) isRelation()       {}
func (*Unpivot) isRelation()     {}

func (*AddPartitions) isAction()     {}
func (*DropPartitions) isAction()    {}
func (*RenamePartition) isAction()   {}
func (*SetLocation) isAction()       {}
func (*RecoverPartitions) isAction() {}
func (*RenameTo) isAction()          {}
func (*SetProperties) isAction()     {}
func (*SetSerde) isAction()          {}
func (*UnsetProperties) isAction()   {}
func (*SetOwner) isAction()          {}
func (*SetURL) isAction()            {}
func (*SetCredential) isAction()     {}
func (*AddColumns) isAction()        {}
func (*ReplaceColumns) isAction()    {}
func (*DropColumns) isAction()       {}
func (*RenameColumn) isAction()      {}
func (*AlterColumns) isAction()      {}
func (*AddConstraint) isAction()     {}
func (*DropConstraint) isAction()    {}
func (*ViewQuery) isAction()         {}
func (*ViewSchema) isAction()        {}
func (*OtherAction) isAction()       {}

// String prints the node as SQL.
func (n *Query) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateCatalog) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropCatalog) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeCatalog) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterCatalog) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateSchema) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropSchema) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeSchema) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterSchema) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Use) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *UseCatalog) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateVolume) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterVolume) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropVolume) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeVolume) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateExternalLocation) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterExternalLocation) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropExternalLocation) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeExternalLocation) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CommentOn) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateTableLike) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *UndropTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateView) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateTempViewUsing) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropView) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterView) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowCatalogs) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowSchemas) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowTables) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowTableExtended) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowViews) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowVolumes) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowExternalLocations) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowFunctions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowColumns) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowPartitions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowCreateTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowTblProperties) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowDrift) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowCurrent) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowTransactions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeTable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeQuery) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeHistory) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeDetail) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DescribeFunction) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Repair) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Sync) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ShowMounts) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Restore) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RefreshTable) String() string { return sqlText(n) }
func (n *Cache) String() string        { return sqlText(n) }

// String prints the node as SQL.
func (n *RefreshPath) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Truncate) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Analyze) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *MultiInsert) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Insert) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *InsertDirectory) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CopyInto) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Vacuum) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Delete) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Update) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Merge) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Optimize) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Clone) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Explain) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ExplainPath) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Set) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetTimeZone) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Reset) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DeclareVariable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetVariable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropVariable) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ExecuteImmediate) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CreateFunction) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropFunction) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RefreshFunction) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Unsupported) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ColumnRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Star) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *NullLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *BoolLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DefaultLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *StringLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *NumberLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *BinaryLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *TypedLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *IntervalLit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Param) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Unit) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Unary) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Not) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Logical) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Binary) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *IsNull) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *IsBool) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *IsDistinct) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Between) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *In) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *InQuery) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Like) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *LikeQuantified) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Exists) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Subquery) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Row) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Call) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Lambda) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Case) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Cast) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Extract) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Trim) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Subscript) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Field) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Select) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetOp) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Values) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *TableQuery) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *TableRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SubqueryRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *FunctionRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ValuesRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ParenRef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Join) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Pivot) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Unpivot) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AddPartitions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropPartitions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RenamePartition) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetLocation) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RecoverPartitions) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RenameTo) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetProperties) String() string { return sqlText(n) }

// String implements Node.
func (n *SetSerde) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *UnsetProperties) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetOwner) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetURL) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SetCredential) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AddColumns) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ReplaceColumns) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropColumns) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RenameColumn) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AlterColumns) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AddConstraint) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *DropConstraint) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ViewQuery) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ViewSchema) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *OtherAction) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *PartitionSpec) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *PartitionItem) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ColumnDef) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ColumnPosition) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *With) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *CTE) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Hint) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SelectItem) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *SortItem) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *GroupBy) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *GroupItem) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *NamedWindow) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *WindowSpec) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *WindowFrame) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *FrameBound) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *LateralView) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *TableAlias) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *AsOf) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Sample) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Buckets) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ClusterBy) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *RowFormat) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *StoredAs) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *ColumnChange) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n *Pattern) String() string { return sqlText(n) }

// String prints the node as SQL.
func (n Name) String() string { return sqlText(&n) }

// String prints the node as SQL.
func (n Ident) String() string { return sqlText(&n) }

// String prints the node as SQL.
func (n TypeName) String() string { return sqlText(&n) }

// String prints the node as SQL.
func (n Constant) String() string { return sqlText(&n) }

// String prints the node as SQL.
func (n Property) String() string { return sqlText(&n) }
