// Package plan holds bound queries: trees of typed nodes over catalog nouns. A plan is a value, printable and already
// legal; it contains no algorithms. Names are gone: a column is its expr.ColumnID, unique in the statement.
//
// It imports vocabulary and catalog, never bind, scan or an engine.
package plan

import (
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/types"
)

// Column is one output column of a node.
type Column struct {
	ID   expr.ColumnID
	Name string // for headers and messages
	Type types.Type
}

// Node is a relational operator.
type Node interface {
	// Output lists the columns that the node yields, in order.
	Output() []Column
}

// Relation is what a Scan reads: a catalog table, or a path when Table is nil.
type Relation struct {
	Table *catalog.Table
	// Format is the file format: parquet, csv, json, orc.
	Format string
	// Paths are the roots to list: the table's location, or the paths of a read by path.
	Paths   []string
	Options map[string]string
	// Schema holds all columns, partition columns included. Partition names the partition columns, in level order;
	// columns named in it get their value from the directory.
	Schema    []types.Field
	Partition []string
	// Cached is the name of the table or view that the files are a copy of, for EXPLAIN; "" when they are no copy.
	Cached string
	// Counted tells that commits have recorded the files and rows of a table without partition columns.
	Counted bool
	// Statistics tells that limits of columns are known by file.
	Statistics bool
	// Version is the version of a Delta table that is read, for EXPLAIN and to tell it from others; "" for other relations.
	Version string
}

// What Scan.Fields says of a column that is not one of the relation's but tells where a row comes from. Both together name a
// row: statements that change rows of files ask for them.
const (
	// FileField is the name of the row's file, a STRING: of a Delta table the path as its log has it, else the location.
	FileField = -1
	// RowField is the row's number in its file, a BIGINT: from 0, in the order of the file, deleted rows counted. Only
	// Parquet files have it.
	RowField = -2
	// URIField is the URI of the row's file, a STRING, in Java's escapes and with an empty authority when it has none:
	// file:///data/a%20b.csv. BlockStartField and BlockLengthField, BIGINTs, are the part of the file that the row was read with: all
	// of it.
	URIField         = -3
	BlockStartField  = -4
	BlockLengthField = -5
)

// Scan reads the rows of one relation. Out is the subset of the relation's columns that the query needs; Fields[i]
// is the index into Relation.Schema of Out[i], or one of those above.
type Scan struct {
	Relation *Relation
	Out      []Column
	Fields   []int
	// Prune are conjuncts over partition columns alone, each evaluable in Go. They say which partitions are read;
	// they stay in the Filter above as well unless the binder proved them exact.
	Prune []expr.Expr
	// Skip are the conjuncts of the Filter above, over any columns of Out: a file of which statistics say that one of them is true
	// for no row need not be read. Only relations whose Statistics is set have them.
	Skip []expr.Expr
	// Alias is the name the query uses, for EXPLAIN.
	Alias string
	// Changed tells that the rows are those that a DELETE, UPDATE or MERGE changes: when these are copied, the scan is
	// confined to the files to replace.
	Changed bool
}

// OneRow yields a single row without columns: SELECT without FROM.
type OneRow struct{}

// Values yields literal rows.
type Values struct {
	Out  []Column
	Rows [][]expr.Expr
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

// Project computes Exprs[i] as Out[i].
type Project struct {
	Input Node
	Out   []Column
	Exprs []expr.Expr
}

// Aggregate groups by Keys and computes Aggs for each group: the output is the keys, then the aggregates. With no
// Keys it yields exactly one row. Sets, when not nil, are GROUPING SETS: each lists indexes into Keys, and Grouping, when
// not 0, is an extra output column holding Spark's grouping_id bit mask.
type Aggregate struct {
	Input    Node
	KeyOut   []Column
	Keys     []expr.Expr
	AggOut   []Column
	Aggs     []expr.Expr // each an *expr.Aggregate
	Sets     [][]int
	Grouping *Column
}

// Windows computes window functions beside the input's columns: the output is the input's, then WinOut.
type Windows struct {
	Input  Node
	WinOut []Column
	Wins   []expr.Expr // each an *expr.Window
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of join.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	SemiJoin
	AntiJoin
)

// Join combines two inputs. The output of semi and anti joins is the left input's. Lateral lets Right refer to Left.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	Cond        expr.Expr // nil for a cross join
	Lateral     bool
}

// Sort orders the rows.
type Sort struct {
	Input Node
	Keys  []expr.SortKey
}

// Limit keeps Count rows after skipping Offset; a nil Count keeps all. All is LIMIT ALL, until a rewrite takes it out.
type Limit struct {
	Input  Node
	Count  expr.Expr
	Offset expr.Expr
	All    bool
}

// Distinct drops duplicate rows.
type Distinct struct{ Input Node }

// SetKind is the kind of a set operation.
type SetKind uint8

// The set operations.
const (
	Union SetKind = iota
	Intersect
	Except
)

// SetOp combines two inputs of equal arity and types by position.
type SetOp struct {
	Kind        SetKind
	All         bool
	Left, Right Node
	Out         []Column
}

// Supplied yields rows that the use case computes before the engine runs (partition metadata, information_schema,
// a cached result). Rows are given to the engine beside the plan, keyed by the node.
type Supplied struct {
	Out  []Column
	Rows [][]types.Value
	// Label says in EXPLAIN what it stands for.
	Label string
}

// Output implements Node.
func (n *Scan) Output() []Column { return n.Out }

// Output implements Node.
func (n *OneRow) Output() []Column { return nil }

// Output implements Node.
func (n *Values) Output() []Column { return n.Out }

// Output implements Node.
func (n *Filter) Output() []Column { return n.Input.Output() }

// Output implements Node.
func (n *Project) Output() []Column { return n.Out }

// Output implements Node.
func (n *Aggregate) Output() []Column {
	out := append(append([]Column(nil), n.KeyOut...), n.AggOut...)
	if n.Grouping != nil {
		out = append(out, *n.Grouping)
	}
	return out
}

// Output implements Node.
func (n *Windows) Output() []Column {
	return append(append([]Column(nil), n.Input.Output()...), n.WinOut...)
}

// Output implements Node.
func (n *Join) Output() []Column {
	if n.Kind == SemiJoin || n.Kind == AntiJoin {
		return n.Left.Output()
	}
	return append(append([]Column(nil), n.Left.Output()...), n.Right.Output()...)
}

// Output implements Node.
func (n *Sort) Output() []Column { return n.Input.Output() }

// Output implements Node.
func (n *Limit) Output() []Column { return n.Input.Output() }

// Output implements Node.
func (n *Distinct) Output() []Column { return n.Input.Output() }

// Output implements Node.
func (n *SetOp) Output() []Column { return n.Out }

// Output implements Node.
func (n *Supplied) Output() []Column { return n.Out }
