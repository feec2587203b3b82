package ast

import "github.com/tarnlake/tarn/internal/types"

// TypeName is a data type as written, resolved to the type it names.
type TypeName struct {
	At
	T types.Type
}

// ColumnRef is a name used as an expression: a column, or a field of one; which parts are what is for the binder to
// find out. Words such as current_date without parentheses are names too: Spark looks for a column first and for the
// function then.
type ColumnRef struct {
	At
	Parts []Ident
}

// Star is * or t.*, with the columns that EXCEPT takes out.
type Star struct {
	At
	Qualifier []Ident
	Except    []Name
}

// NullLit is NULL.
type NullLit struct{ At }

// BoolLit is TRUE or FALSE.
type BoolLit struct {
	At
	Value bool
}

// DefaultLit is the word DEFAULT used as a value (INSERT, UPDATE).
type DefaultLit struct{ At }

// StringLit is a string with its escapes decoded; adjacent strings are joined.
type StringLit struct {
	At
	Value string
}

// NumberLit is a number. Text is the source text with suffix and with a leading minus when one was written before it;
// Type and Value are what it means (see types.Value).
type NumberLit struct {
	At
	Text  string
	Type  types.Type
	Value types.Value
}

// BinaryLit is X'…'.
type BinaryLit struct {
	At
	Value types.Bytes
}

// TypedLit is DATE '…', TIME '…', TIMESTAMP '…', TIMESTAMP_LTZ '…' or TIMESTAMP_NTZ '…'. Kind is the word in upper case. The
// text is checked by the binder, which knows the session's zone.
type TypedLit struct {
	At
	Kind string
	Text string
}

// IntervalLit is an interval literal in one of three forms: INTERVAL '1 day 2 hours' has Text only;
// INTERVAL 1 DAY 2 HOURS has Parts; INTERVAL '1-2' YEAR TO MONTH has one part and To.
type IntervalLit struct {
	At
	Text  string
	Parts []IntervalPart
	To    string // upper case and singular, or ""
}

// IntervalPart is one value with its unit. Value is the text of the number with its sign; Unit is upper case and
// singular (YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, …).
type IntervalPart struct {
	Value string
	Unit  string
}

// Param is a parameter marker: :name, or the Index-th ? (from 0) when Name is "".
type Param struct {
	At
	Name  string
	Index int
}

// Unit is a bare date-time unit as an argument: the first of timestampadd and timestampdiff. Name is upper case.
type Unit struct {
	At
	Name string
}

// Unary is -x, +x or ~x.
type Unary struct {
	At
	Op string
	X  Expr
}

// Not is NOT x.
type Not struct {
	At
	X Expr
}

// Logical is a chain of AND or of OR. Args has two or more elements; long chains stay flat so that no walk recurses
// once per term.
type Logical struct {
	At
	Or   bool
	Args []Expr
}

// Binary is an operator with two sides: = <=> <> < <= > >= (comparisons; == and != are spelled = and <>),
// + - * / % DIV || & | ^ << >> >>>. Chains of one operator lean to the left.
type Binary struct {
	At
	Op    string
	OpPos int // byte offset of the operator
	L, R  Expr
}

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	At
	X   Expr
	Not bool
}

// IsBool is x IS [NOT] TRUE, FALSE or UNKNOWN; Truth is the word in upper case.
type IsBool struct {
	At
	X     Expr
	Truth string
	Not   bool
}

// IsDistinct is l IS [NOT] DISTINCT FROM r.
type IsDistinct struct {
	At
	L, R Expr
	Not  bool
}

// Between is x [NOT] BETWEEN lo AND hi.
type Between struct {
	At
	X, Lo, Hi Expr
	Not       bool
}

// In is x [NOT] IN (list).
type In struct {
	At
	X    Expr
	List []Expr
	Not  bool
}

// InQuery is x [NOT] IN (query). X may be a Row.
type InQuery struct {
	At
	X     Expr
	Query *Query
	Not   bool
}

// Like is x [NOT] LIKE, ILIKE or RLIKE pattern; Op is one of these three words (REGEXP is RLIKE). Escape is nil, or a
// StringLit of one character.
type Like struct {
	At
	Op      string
	X       Expr
	Pattern Expr
	Escape  Expr
	Not     bool
}

// LikeQuantified is x [NOT] LIKE {ANY | ALL} (patterns); SOME is ANY.
type LikeQuantified struct {
	At
	Op       string // LIKE or ILIKE
	All      bool
	X        Expr
	Patterns []Expr
	Not      bool
}

// Exists is EXISTS (query).
type Exists struct {
	At
	Query *Query
}

// Subquery is (query) used as a value, or with Table the argument TABLE(query).
type Subquery struct {
	At
	Query *Query
	Table bool
}

// Row is (a, b, …) with two or more elements. As a value it is a struct with fields col1, col2, …, or named as the
// aliases say.
type Row struct {
	At
	Elems []Arg
}

// Arg is an argument of a function. Name is set for name => value, Alias for value AS alias (struct(…), named rows).
type Arg struct {
	Name  *Ident
	Expr  Expr
	Alias *Ident
}

// Call is a function call. SUBSTRING(x FROM a FOR b), OVERLAY(…) and POSITION(a IN b) are plain calls of substring,
// overlay and position; x COLLATE c is collate(x, 'c'); IDENTIFIER(expr) as a column is a call of identifier unless
// expr is a plain string, which gives a ColumnRef. count(*) has a Star argument.
type Call struct {
	At
	Name         Name
	Distinct     bool
	Args         []Arg
	WithinGroup  []*SortItem
	Filter       Expr
	IgnoreNulls  bool
	RespectNulls bool
	Over         *WindowSpec
}

// WindowSpec is what stands after OVER, or in the WINDOW clause: Ref names another window and stands alone, or is nil.
type WindowSpec struct {
	At
	Ref         *Ident
	PartitionBy []Expr
	OrderBy     []*SortItem
	Frame       *WindowFrame
}

// WindowFrame is ROWS or RANGE with its bounds; Upper is nil when only one bound was given: the frame ends at the
// current row then.
type WindowFrame struct {
	At
	Rows  bool
	Lower FrameBound
	Upper *FrameBound
}

// FrameBound is one end of a frame.
type FrameBound struct {
	At
	Kind   BoundKind
	Offset Expr // of Preceding and Following
}

// BoundKind is the kind of a frame's end.
type BoundKind uint8

// The kinds of frame ends.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Lambda is x -> body or (x, y) -> body.
type Lambda struct {
	At
	Params []Ident
	Body   Expr
}

// Case is CASE [operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	At
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one branch of CASE.
type When struct{ Cond, Result Expr }

// Cast is CAST(x AS t), TRY_CAST(x AS t) or x::t.
type Cast struct {
	At
	X    Expr
	Type TypeName
	Try  bool
}

// Extract is EXTRACT(field FROM x); Field is upper case.
type Extract struct {
	At
	Field string
	X     Expr
}

// Trim is TRIM([BOTH | LEADING | TRAILING] [chars] FROM x). Plain trim(x) is a Call.
type Trim struct {
	At
	Where string // BOTH, LEADING, TRAILING
	Chars Expr   // nil for spaces
	X     Expr
}

// Subscript is x[index].
type Subscript struct {
	At
	X, Index Expr
}

// Field is x.name where x is not a plain name.
type Field struct {
	At
	X    Expr
	Name Ident
}
