package ast

// DeclareVariable is DECLARE [OR REPLACE] [VARIABLE] a, b [type] [{DEFAULT | =} expr]. Type or Default is set, or both.
type DeclareVariable struct {
	At
	Replace     bool
	Names       []Name
	Type        *TypeName
	Default     Expr
	DefaultText string // source text of Default
}

// SetVariable is SET VARIABLE a = x, b = y, or SET VARIABLE (a, b) = (query): Query is set in place of Values then.
type SetVariable struct {
	At
	Targets []Name
	Values  []Expr
	Query   *Query
}

// DropVariable is DROP TEMPORARY VARIABLE [IF EXISTS] a.
type DropVariable struct {
	At
	Name     Name
	IfExists bool
}

// ExecuteImmediate is EXECUTE IMMEDIATE text [INTO a, b] [USING x [AS name], …].
type ExecuteImmediate struct {
	At
	Text  Expr
	Into  []Name
	Using []*SelectItem
}

// CreateFunction is CREATE [OR REPLACE] [TEMPORARY] FUNCTION [IF NOT EXISTS] f(…) [RETURNS …] … RETURN body. Exactly one of
// Body and Query is set. Returns is nil for a table function, and when the type is that of the body.
type CreateFunction struct {
	At
	Replace, Temporary, IfNotExists bool
	Name                            Name
	Params                          []*ColumnDef
	Returns                         *TypeName
	Table                           bool         // RETURNS TABLE
	Columns                         []*ColumnDef // of RETURNS TABLE (…); nil for those of the query
	Deterministic                   *bool
	DataAccess                      string // CONTAINS SQL, READS SQL DATA or ""
	Comment                         *string
	Body                            Expr
	Query                           *Query
	BodyText                        string // source text of Body or Query
}

// DropFunction is DROP [TEMPORARY] FUNCTION [IF EXISTS] f.
type DropFunction struct {
	At
	Temporary, IfExists bool
	Name                Name
}

// RefreshFunction is REFRESH FUNCTION f.
type RefreshFunction struct {
	At
	Name Name
}
