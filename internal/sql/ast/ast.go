// Package ast is the syntax tree of Tarn's SQL, which is Spark's with Tarn's additions. Every node knows its place in
// the statement's text as byte offsets, and its String method prints SQL that parses to an equal tree.
//
// The tree says what was written, not what it means: names are unresolved and types of expressions unknown. The
// package is pure and must not import anything of Tarn but ident, types and sqlerr.
package ast

import (
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Node is any node of the tree.
type Node interface {
	// Pos is the byte offset of the node's first byte.
	Pos() int
	// End is the byte offset just behind the node's last byte.
	End() int
	// Span is both.
	Span() sqlerr.Span
	// String prints the node as SQL.
	String() string
}

// At is a node's place in the text; every node embeds it. Trees are compared without it.
type At struct{ Start, Stop int }

// Pos implements Node.
func (a At) Pos() int { return a.Start }

// End implements Node.
func (a At) End() int { return a.Stop }

// Span implements Node.
func (a At) Span() sqlerr.Span { return sqlerr.Span{Start: a.Start, End: a.Stop} }

// Statement is one SQL statement.
type Statement interface {
	Node
	isStatement()
}

// Expr is an unbound expression.
type Expr interface {
	Node
	isExpr()
}

// Ident is one part of a name. Name has its quotes removed; Quoted tells that it had some.
type Ident struct {
	At
	Name   string
	Quoted bool
}

// Name is a possibly qualified name of a catalog, schema, table, volume or function.
//
// Computed is set instead of Parts for IDENTIFIER(expr) whose expr is not a plain string (such as a parameter
// marker); the binder evaluates it and splits the result with parser.ParseName.
type Name struct {
	At
	Parts    []Ident
	Computed Expr
}

// Ident returns the parts without their places.
func (n Name) Ident() ident.Name {
	out := make(ident.Name, len(n.Parts))
	for i, p := range n.Parts {
		out[i] = p.Name
	}
	return out
}

// IsZero reports that no name was written.
func (n Name) IsZero() bool { return len(n.Parts) == 0 && n.Computed == nil }

// Property is one entry of TBLPROPERTIES, DBPROPERTIES or OPTIONS. Numbers and booleans are kept as text, booleans in
// lower case. HasValue tells an empty value from none.
type Property struct {
	At
	Key      string
	Value    string
	HasValue bool
}

// PartitionSpec is PARTITION (…).
type PartitionSpec struct {
	At
	Items []*PartitionItem
}

// PartitionItem is one key of a partition spec.
//
// Op is "" when the key stands alone (a dynamic partition; only INSERT and ANALYZE allow it), "=" in every statement,
// and in ALTER TABLE … DROP PARTITION also "<>", "<", "<=", ">", ">=", "<=>", "LIKE", "NOT LIKE", "IN", "NOT IN",
// "BETWEEN" or "NOT BETWEEN". Values has one constant but for IN (one or more) and BETWEEN (two).
type PartitionItem struct {
	At
	Name   Ident
	Op     string
	Values []Constant
}

// Value is the first constant, or nil when the key has none.
func (p *PartitionItem) Value() *Constant {
	if len(p.Values) == 0 {
		return nil
	}
	return &p.Values[0]
}

// Constant is a literal in a partition spec. Text is what the literal stands for as a partition value's text: the
// decoded text of a string, else the source text (so that an unquoted 05 stays "05"); of a typed literal such as
// DATE '2020-01-01' the text inside the quotes. Null tells the NULL literal from text.
type Constant struct {
	At
	Expr Expr
	Text string
	Null bool
}

// ColumnDef is a column of CREATE TABLE, ADD COLUMNS or REPLACE COLUMNS. Path has several parts only in ALTER TABLE,
// for a field inside a struct. Comment is nil when none was given.
type ColumnDef struct {
	At
	Path        Name
	Type        TypeName
	NotNull     bool
	Default     Expr
	DefaultText string // source text of Default
	// Generated is what GENERATED ALWAYS AS computes the column from, in CREATE TABLE only, and GeneratedText its source text.
	Generated     Expr
	GeneratedText string
	Comment       *string
	Position      *ColumnPosition // ALTER TABLE only
}

// Name is the column's own name, the last part of its path.
func (c *ColumnDef) Name() Ident {
	if len(c.Path.Parts) == 0 {
		return Ident{}
	}
	return c.Path.Parts[len(c.Path.Parts)-1]
}

// ColumnPosition is FIRST, or AFTER a column.
type ColumnPosition struct {
	At
	First bool
	After Ident
}
