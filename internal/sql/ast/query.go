package ast

// Query is a whole query: WITH, a body, and what orders and limits its rows. It is a Statement, and a QueryBody when
// it stands in parentheses within a set operation.
type Query struct {
	At
	With         *With
	Body         QueryBody
	OrderBy      []*SortItem
	SortBy       []*SortItem
	DistributeBy []Expr
	ClusterBy    []Expr
	Windows      []*NamedWindow // a WINDOW clause after the ordering; a Select has its own
	Limit        Expr           // nil for none
	LimitAll     bool           // LIMIT ALL, which limits nothing; recursive queries take it as a word about their bounds
	Offset       Expr
}

// QueryBody is what a Query is made of: *Select, *SetOp, *Values, *TableQuery, or *Query in parentheses.
type QueryBody interface {
	Node
	isQueryBody()
}

// With is the WITH clause.
type With struct {
	At
	Recursive bool
	CTEs      []*CTE
}

// CTE is one common table expression.
type CTE struct {
	At
	Name     Ident
	Columns  []Ident
	MaxLevel Expr // MAX RECURSION LEVEL n
	Query    *Query
}

// Select is SELECT … FROM ….
type Select struct {
	At
	Hints        []*Hint
	Distinct     bool
	Items        []*SelectItem
	From         []Relation // a comma list
	LateralViews []*LateralView
	Where        Expr
	GroupBy      *GroupBy
	Having       Expr
	Windows      []*NamedWindow
	Qualify      Expr
}

// Hint is one hint of /*+ … */. Tarn accepts hints and does nothing with them.
type Hint struct {
	At
	Name Ident
	Args []Expr
}

// SelectItem is one expression of a select list. Aliases has several elements only for a generator
// (AS (k, v)).
type SelectItem struct {
	At
	Expr    Expr
	Aliases []Ident
}

// SortItem is one key of an ordering. NullsFirst is nil when not written: NULLs come first ascending and last
// descending then.
type SortItem struct {
	At
	Expr       Expr
	Desc       bool
	NullsFirst *bool
}

// GroupBy is GROUP BY. All is GROUP BY ALL. Given holds the expressions before GROUPING SETS in the older form
// GROUP BY a, b GROUPING SETS (…); WITH ROLLUP and WITH CUBE come as one item.
type GroupBy struct {
	At
	All   bool
	Items []*GroupItem
	Given []Expr
}

// GroupKind is the kind of a GroupItem.
type GroupKind uint8

// The kinds of grouping.
const (
	GroupExpr   GroupKind = iota // Exprs has one element
	GroupSet                     // Exprs has any number; only inside the three below
	GroupRollup                  // Elems
	GroupCube                    // Elems
	GroupSets                    // Elems
)

// GroupItem is one element of GROUP BY. Elems of ROLLUP and CUBE are GroupSets of one or more expressions; those of
// GROUPING SETS may be ROLLUP, CUBE and GROUPING SETS too.
type GroupItem struct {
	At
	Kind  GroupKind
	Exprs []Expr
	Elems []*GroupItem
}

// NamedWindow is one name of a WINDOW clause.
type NamedWindow struct {
	At
	Name Ident
	Spec *WindowSpec
}

// LateralView is LATERAL VIEW [OUTER] f(…) t AS a, b.
type LateralView struct {
	At
	Outer   bool
	Call    *Call
	Table   Ident
	Columns []Ident
}

// SetKind is UNION, EXCEPT or INTERSECT (MINUS and SETMINUS are EXCEPT).
type SetKind uint8

// The set operations.
const (
	Union SetKind = iota
	Except
	Intersect
)

// SetOp combines two queries. Chains lean to the left.
type SetOp struct {
	At
	Kind SetKind
	All  bool
	L, R QueryBody
}

// Values is VALUES (1, 'a'), (2, 'b') or VALUES 1, 2 as a query. Each row has one or more expressions. Alias names the
// inline table.
type Values struct {
	At
	Rows  [][]Expr
	Alias *TableAlias
}

// TableQuery is TABLE t as a query.
type TableQuery struct {
	At
	Name Name
}

// Relation is one thing to read from: *TableRef, *SubqueryRef, *FunctionRef, *ValuesRef, *ParenRef, *Join, *Pivot or
// *Unpivot.
type Relation interface {
	Node
	isRelation()
}

// TableAlias is [AS] t [(a, b)]. Columns is nil when only the name was given, Name empty for AS (a, b).
type TableAlias struct {
	At
	Name    Ident
	Columns []Ident
}

// TableRef is a table, view, CTE or path (parquet.`/p` is a name of two parts).
type TableRef struct {
	At
	Name    Name
	AsOf    *AsOf
	Options []Property // WITH (k = v)
	Sample  *Sample
	Alias   *TableAlias
}

// AsOf is VERSION AS OF v or TIMESTAMP AS OF expr (FOR SYSTEM_VERSION and FOR SYSTEM_TIME are the same).
type AsOf struct {
	At
	Version   string // "" when Timestamp is set
	Timestamp Expr
}

// Sample is TABLESAMPLE. Exactly one of Percent, Rows and Buckets is set; Seed is nil or the number of REPEATABLE.
type Sample struct {
	At
	Percent Expr
	Rows    Expr
	Bytes   string
	Bucket  string // BUCKET x OUT OF y
	OutOf   string
	On      Expr
	Seed    Expr
}

// SubqueryRef is (query) in FROM. Lateral lets it see the relations to its left.
type SubqueryRef struct {
	At
	Lateral bool
	Query   *Query
	Sample  *Sample
	Alias   *TableAlias
}

// FunctionRef is a table-valued function, such as range(10). TABLE arguments are Subquery or Call nodes.
type FunctionRef struct {
	At
	Lateral bool
	Call    *Call
	Alias   *TableAlias
}

// ValuesRef is VALUES … in FROM.
type ValuesRef struct {
	At
	Values *Values // its own Alias is the table's
}

// ParenRef is a relation in parentheses that has an alias or a sample, or is a join; parentheses around anything else
// leave no node.
type ParenRef struct {
	At
	Input  Relation
	Sample *Sample
	Alias  *TableAlias
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of join. An InnerJoin without On and Using is a cross join.
const (
	InnerJoin JoinKind = iota
	CrossJoin
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
)

// Join joins two relations. At most one of Natural, On, Using and Nearest is set.
type Join struct {
	At
	Kind    JoinKind
	Natural bool
	L, R    Relation
	On      Expr
	Using   []Ident
	Nearest *Nearest
}

// Nearest is {APPROX | EXACT} NEAREST [count] BY {DISTANCE | SIMILARITY} expr behind a join: each row on the left goes with
// the Count rows on the right that rank first, by the smallest distance or the greatest similarity.
type Nearest struct {
	At
	Exact      bool
	Count      int64
	Similarity bool
	By         Expr
}

// Pivot is rel PIVOT (aggregates FOR columns IN (values)).
type Pivot struct {
	At
	Input      Relation
	Aggregates []*SelectItem
	Columns    []Ident
	Values     []*SelectItem // one alias at most
	Alias      *TableAlias
}

// Unpivot is rel UNPIVOT [INCLUDE | EXCLUDE NULLS] (values FOR name IN (columns)).
type Unpivot struct {
	At
	Input        Relation
	IncludeNulls bool
	Values       []Ident // several for UNPIVOT ((v1, v2) FOR …)
	Name         Ident
	Sets         []UnpivotSet
	Alias        *TableAlias
}

// UnpivotSet is one column, or set of columns, of UNPIVOT … IN.
type UnpivotSet struct {
	Columns []Name
	Alias   *Ident
}
