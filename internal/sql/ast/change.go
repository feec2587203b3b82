package ast

// Delete is [WITH …] DELETE FROM t [alias] [WHERE …].
type Delete struct {
	At
	With  *With
	Table Name
	Alias *TableAlias
	Where Expr
}

// Update is [WITH …] UPDATE t [alias] SET … [WHERE …].
type Update struct {
	At
	With  *With
	Table Name
	Alias *TableAlias
	Set   []Assignment
	Where Expr
}

// Assignment is column = value; Column may name a field of a struct.
type Assignment struct {
	At
	Column Name
	Value  Expr
}

// Merge is [WITH …] MERGE INTO t [alias] USING source ON condition WHEN …. Clauses are in the order of the text.
type Merge struct {
	At
	Evolve  bool // WITH SCHEMA EVOLUTION
	With    *With
	Table   Name
	Alias   *TableAlias
	Source  Relation
	On      Expr
	Clauses []*MergeClause
}

// MergeRows says which rows a clause of MERGE is about.
type MergeRows uint8

// The kinds of rows.
const (
	Matched            MergeRows = iota // rows of the target with a row of the source
	NotMatched                          // rows of the source without a row of the target: NOT MATCHED [BY TARGET]
	NotMatchedBySource                  // rows of the target without a row of the source
)

// MergeAction is what a clause of MERGE does with its rows.
type MergeAction uint8

// The actions. MergeInsert is for NotMatched rows alone, the others for those of the target.
const (
	MergeDelete MergeAction = iota
	MergeUpdate
	MergeInsert
)

// MergeClause is WHEN … [AND condition] THEN action. Star is UPDATE SET * and INSERT *; otherwise Set are the assignments of
// an UPDATE, and Columns and Values those of an INSERT.
type MergeClause struct {
	At
	Rows    MergeRows
	Cond    Expr
	Action  MergeAction
	Star    bool
	Set     []Assignment
	Columns []Name
	Values  []Expr
}

// Optimize is OPTIMIZE t [WHERE …] [ZORDER BY (a, b)].
type Optimize struct {
	At
	Table  Name
	Where  Expr
	ZOrder []Name
}

// Clone is CREATE [OR REPLACE] TABLE [IF NOT EXISTS] t [SHALLOW | DEEP] CLONE source [VERSION | TIMESTAMP AS OF …]
// [TBLPROPERTIES (…)] [LOCATION 'path'], and REPLACE TABLE, which has MustExist. Deep is the meaning without either word.
type Clone struct {
	At
	Replace     bool
	MustExist   bool
	IfNotExists bool
	Table       Name
	Deep        bool
	Source      Name
	AsOf        *AsOf
	Properties  []Property
	Location    *string
}
