// Package expr holds bound scalar expressions: every name is a column with an identity, every node has a type.
// It owns the registry of functions (name, signatures, Spark's meaning, how DuckDB says it, and the Go evaluator),
// implicit casts, evaluation with three-valued logic, and simplification.
//
// It is pure: no I/O and no clock; what depends on the session comes in through Context. It must not import plan,
// catalog, or anything below the ports.
package expr

import (
	"time"

	"github.com/tarnlake/tarn/internal/types"
)

// ColumnID identifies a column within one bound statement. IDs are never reused within a statement.
type ColumnID int

// Expr is a bound expression. Expressions are immutable once built.
type Expr interface {
	// Type is the type of the expression's value.
	Type() types.Type
	isExpr()
}

// Literal is a constant.
type Literal struct {
	Value types.Value
	T     types.Type
}

// Column is a reference to a column of the node's input, or of an enclosing query when Outer is set.
type Column struct {
	ID    ColumnID
	Name  string // as declared; for messages and result headers
	T     types.Type
	Outer bool
}

// Call is a scalar function or operator applied to arguments that already have the types the overload wants.
type Call struct {
	Fn   *Overload
	Args []Expr
	T    types.Type
	// Zone is the zone to compute in instead of the session's, for text of a view or function that was made in another.
	Zone *time.Location
}

// CastMode says what happens to a value that does not cast.
type CastMode = types.CastMode

// The cast modes.
const (
	CastANSI   = types.ANSI   // CAST under ANSI: an error
	CastTry    = types.Try    // TRY_CAST: NULL
	CastLegacy = types.Legacy // CAST with spark.sql.ansi.enabled=false: Hive's rules, NULL or wrap-around
)

// Cast converts Arg to T. Implicit tells casts that the binder added from those the user wrote.
type Cast struct {
	Arg      Expr
	T        types.Type
	Mode     CastMode
	Implicit bool
	Zone     *time.Location // as in Call
}

// Case is CASE WHEN … THEN … ELSE … END; Else nil is NULL. Whens[i] are BOOLEAN, Thens and Else have type T.
type Case struct {
	Whens, Thens []Expr
	Else         Expr
	T            types.Type
}

// In is arg IN (list). All have one type.
type In struct {
	Arg  Expr
	List []Expr
}

// Tuple is (a, b, …), as the left side of IN or a comparison of rows. It is a STRUCT with fields col1, col2, ….
type Tuple struct {
	Elems []Expr
	T     types.Type
}

// GetField is a field of a STRUCT.
type GetField struct {
	Arg     Expr
	Ordinal int
	Name    string
	T       types.Type
}

// SubqueryKind says how a subquery is used.
type SubqueryKind uint8

// The kinds of subquery.
const (
	ScalarSubquery SubqueryKind = iota
	ExistsSubquery
	InSubquery // Arg IN (query)
)

// Subquery is a query used as an expression. Query is a plan.Node; this package only carries it.
type Subquery struct {
	Kind  SubqueryKind
	Arg   Expr // of InSubquery
	Query any
	T     types.Type
}

// Aggregate is an aggregate function over the rows of a group.
type Aggregate struct {
	Fn       *Overload
	Args     []Expr
	Distinct bool
	Filter   Expr // nil for none
	OrderBy  []SortKey
	T        types.Type
}

// Window is a function over a window. Fn is an aggregate or a window function.
type Window struct {
	Fn          *Overload
	Args        []Expr
	Distinct    bool
	IgnoreNulls bool
	Filter      Expr
	Within      []SortKey // ORDER BY of WITHIN GROUP
	PartitionBy []Expr
	OrderBy     []SortKey
	Frame       *Frame // nil for the default frame
	T           types.Type
}

// Frame is a window frame.
type Frame struct {
	Rows       bool // ROWS, else RANGE
	Start, End Bound
}

// Bound is one end of a window frame.
type Bound struct {
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

// SortKey is one key of an ORDER BY. Spark's default puts NULLs first ascending and last descending; the binder
// always fills NullsFirst in.
type SortKey struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool
}

// Type implements Expr.
func (e *Literal) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Column) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Call) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Cast) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Case) Type() types.Type { return e.T }

// Type implements Expr.
func (e *In) Type() types.Type { return types.Of(types.Boolean) }

// Type implements Expr.
func (e *Tuple) Type() types.Type { return e.T }

// Type implements Expr.
func (e *GetField) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Subquery) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Aggregate) Type() types.Type { return e.T }

// Type implements Expr.
func (e *Window) Type() types.Type { return e.T }

func (*Literal) isExpr()   {}
func (*Column) isExpr()    {}
func (*Call) isExpr()      {}
func (*Cast) isExpr()      {}
func (*Case) isExpr()      {}
func (*In) isExpr()        {}
func (*Tuple) isExpr()     {}
func (*GetField) isExpr()  {}
func (*Subquery) isExpr()  {}
func (*Aggregate) isExpr() {}
func (*Window) isExpr()    {}

// Context is what evaluation needs to know of the session.
type Context struct {
	// Formats are what from_json, from_csv and the like are made of; without them these functions are refused.
	Formats TextFormats
	// JavaCharsets and CodingReplaces are the settings of encode and decode of these names.
	JavaCharsets, CodingReplaces bool

	Zone *time.Location
	ANSI bool
	// LastKeyWins is spark.sql.mapKeyDedupPolicy = LAST_WIN: of the values of one key in a new map the last one counts.
	LastKeyWins bool
	// KeepScale lets results of decimal arithmetic keep their scale, and so overflow
	// (spark.sql.decimalOperations.allowPrecisionLoss is false).
	KeepScale bool
	// LegacyInterval makes interval literals and differences of times calendar intervals
	// (spark.sql.legacy.interval.enabled).
	LegacyInterval bool
	// Now is the statement's start: current_date and current_timestamp are constants of a statement.
	Now time.Time
	// User, Catalog and Schema are what current_user(), current_catalog() and current_schema() answer.
	User, Catalog, Schema string
	// InsertBeforeLast is spark.sql.legacy.negativeIndexInArrayInsert: position -1 of array_insert is before the last
	// element instead of behind it.
	InsertBeforeLast bool
}
