// Package bind turns a parsed query into a plan: it finds what names mean, gives every expression a type, and rewrites
// the plan so that scans read as few partitions and columns as the query allows.
//
// It owns queries and stand-alone expressions; statements that change something belong to exec and session. It asks
// for relations through an interface and must not import catalog stores, storage, scan or an engine.
package bind

import (
	"context"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/types"
)

// Relations finds what a query reads.
type Relations interface {
	// Relation resolves a name of one to three parts (or format.`path`) as seen from namespace: the current catalog and
	// schema, or those under which a view was made. It returns (nil, nil) when nothing has that name; a failure is a
	// *sqlerr.Error or a port's error. It is asked once per reference; an implementation that wants every reference of
	// a statement to see one version keeps what it answered.
	Relation(ctx context.Context, name ident.Name, namespace Namespace) (*Relation, error)
	// AsOf resolves a name as Relation does, to what it was at an earlier version. What has no versions is
	// UNSUPPORTED_FEATURE.TIME_TRAVEL.
	AsOf(ctx context.Context, name ident.Name, namespace Namespace, at TimeTravel) (*Relation, error)
	// Near lists names of relations that look like name, best first, for messages. It may return none.
	Near(ctx context.Context, name ident.Name, namespace Namespace) []ident.Name
}

// Namespace is where unqualified names are looked up.
type Namespace struct{ Catalog, Schema string }

// TimeTravel says which version is meant: the text of VERSION AS OF, or a moment.
type TimeTravel struct {
	Version string
	// Micros is the moment in microseconds since the epoch; nil when Version counts.
	Micros *int64
}

// Relation is what a name stands for: exactly one of Scan, View and Supplied is set.
type Relation struct {
	// Name is the full name, for qualified column names; empty for a read by path.
	Name     ident.Name
	Scan     *plan.Relation
	View     *View
	Supplied *Supplied
}

// View is a stored query. Columns are the view's columns in order: each takes the query's column at its position,
// under the view's name for it. Columns may be nil, for a temporary view without a column list: the query's own names.
type View struct {
	Query     *ast.Query
	Namespace Namespace // under which the query's names are resolved
	Columns   []types.Field
	// Temporary views see the variables and temporary functions of the session.
	Temporary bool
	// QueryColumns, when as long as Columns, are the names that the query's columns had when the view was made: they are
	// found by name then, so that a table below may gain columns.
	QueryColumns []string
	// Mode says what becomes of columns whose types have changed since.
	Mode ViewMode
	// Under holds the settings under which the view was made and is bound, as in Env; nil for the session's. Its Relations,
	// Routines, Namespace and NoMetadata do not count.
	Under *Env
}

// ViewMode is WITH SCHEMA of a view: how it follows its query when tables below change.
type ViewMode uint8

// The modes. Evolution without declared columns is a View with nil Columns.
const (
	ViewCompensation  ViewMode = iota // values are cast to the view's types
	ViewBinding                       // … where that loses nothing; CANNOT_UP_CAST_DATATYPE otherwise
	ViewTypeEvolution                 // the types are the query's
)

// Supplied is a relation whose rows are known already, such as a table of information_schema.
type Supplied struct {
	Fields []types.Field
	Rows   [][]types.Value
	Label  string // for EXPLAIN
}

// Env is what binding needs of the session.
type Env struct {
	Relations Relations
	// Context is what constants are evaluated with. It must not be nil.
	Context   *expr.Context
	Namespace Namespace
	// CaseSensitive is spark.sql.caseSensitive.
	CaseSensitive bool
	// NoGroupByOrdinal, NoOrderByOrdinal and NoGroupByAlias switch off spark.sql.groupByOrdinal, spark.sql.orderByOrdinal and
	// spark.sql.groupByAliases, which are on by default.
	NoGroupByOrdinal, NoOrderByOrdinal, NoGroupByAlias bool
	// Routines are the session's variables and the SQL functions; nil for none.
	Routines Routines
	// HavingAsWhere is spark.sql.legacy.parser.havingWithoutGroupByAsWhere: HAVING without GROUP BY filters rows.
	HavingAsWhere bool
	// CTEPrecedence is spark.sql.legacy.ctePrecedencePolicy: CORRECTED, EXCEPTION or LEGACY; empty for the first.
	CTEPrecedence string
	// RegexColumns is spark.sql.parser.quotedRegexColumnNames: a quoted name of a select list that is no plain one is a regular
	// expression over names of columns.
	RegexColumns bool
	// SetOpsInOrder is spark.sql.legacy.setopsPrecedence.enabled: INTERSECT binds no tighter than the others.
	SetOpsInOrder bool
	// CountWithoutArgs and CountTableStar allow count() and count(t.*).
	CountWithoutArgs, CountTableStar bool
	// RecursionLevels and RecursionRows bound recursive common table expressions: steps, and rows that steps make. 0 is
	// Spark's default, negative no bound.
	RecursionLevels, RecursionRows int64
	// NoMetadata switches off answering aggregates over partition columns from what is known about partitions
	// (spark.sql.optimizer.metadataOnly = false).
	NoMetadata bool
}

// Bind binds and rewrites a query. Output of the result are the query's columns, named as Spark names them. A failure
// is a *sqlerr.Error with its place in the text (none for text inside a view), or what Relations returned.
func Bind(ctx context.Context, q *ast.Query, env Env) (plan.Node, error) {
	b := newBinder(ctx, env)
	node, err := b.query(q, b.top())
	if err != nil {
		return nil, err
	}
	return b.rewrite(node)
}

// BindExpr binds an expression outside a query over the given columns, such as the predicate of MSCK REPAIR … WHERE or
// a constant (no columns). Constant parts are folded. Aggregate and window functions are refused.
func BindExpr(ctx context.Context, e ast.Expr, columns []plan.Column, env Env) (expr.Expr, error) {
	b := newBinder(ctx, env)
	return b.standalone(e, columns)
}

// Name is the name that Spark gives to a column computed by e when the query gives none, which is also how messages
// show e.
func Name(e ast.Expr) string { return autoName(e) }

// Explain prints a plan as an indented tree, one node a line. note, when not nil, returns text to add to a node's
// line (such as how many partitions and files a scan reads), or "".
func Explain(n plan.Node, note func(plan.Node) string) string { return explain(n, note) }
