// Package exec runs statements: it parses the text, resolves names against the session and the catalog, and hands the
// work to the use case it belongs to (bind and the engine for queries, repair for MSCK, the catalog store for DDL).
// One file holds the statements about one noun.
//
// It sees ports only: stores, formats and the engine are handed in. It must not import an adapter.
package exec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/write"
)

// Executor runs statements of any number of sessions at once. Its fields are set once and not changed.
type Executor struct {
	Store  catalog.Store
	Stores *storage.Stores
	Engine engine.Engine
	Scans  *scan.Scanner
	Writes *write.Writer
	// Mounts say which places dbfs: paths mean; nil for none.
	Mounts *storage.Mounts
	Deltas *delta.Logs
	// Formats are what from_json, from_csv and the like are made of.
	Formats expr.TextFormats
	// Now is the clock.
	Now func() time.Time
	Log *slog.Logger
	// Version is what version() and SHOW say.
	Version string
	// Memory limits the engine's working memory in bytes; 0 for its default.
	Memory int64
	// Progress is told what long work is doing, and given what tells its share done in percent (-1 when unknown), if anything
	// does. It is for a progress line; nil for none.
	Progress func(text string, percent func() float64)
}

// Execute runs one statement. Its failure is a *sqlerr.Error, also when a bug made it panic. The Result must be closed.
func (x *Executor) Execute(ctx context.Context, s *session.Session, text string) (res *Result, err error) {
	s.Begin()
	text = substitute(s, text)
	defer func() {
		if p := recover(); p != nil {
			x.Log.Error("a statement panicked", "statement", text, "panic", p, "stack", string(debug.Stack()))
			res, err = nil, sqlerr.Internal(fmt.Errorf("panic: %v", p))
		}
		if err != nil {
			err = translate(ctx, err)
		}
	}()
	r := &run{x: x, s: s, text: text, now: x.Now().UTC()}
	stmt, err := r.prepare(ctx, text, r.sessionParams(ctx))
	if err == nil {
		res, err = r.statement(ctx, stmt)
		r.afterStatement(ctx, stmt)
	}
	return res, r.place(err)
}

// translate makes any failure a *sqlerr.Error.
func translate(ctx context.Context, err error) error {
	var known *sqlerr.Error
	if errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return canceled(err)
	}
	if t := catalog.Translate(err); t != err { //nolint:errorlint // Translate hands back what it does not know
		return sqlerr.As(t)
	}
	var place *storage.Error
	if errors.As(err, &place) {
		return scan.StorageFailure(place)
	}
	return sqlerr.As(err)
}

func canceled(cause error) error {
	e := sqlerr.Canceled()
	e.Cause = cause
	return e
}

// run is one statement on its way.
type run struct {
	x    *Executor
	s    *session.Session
	text string
	now  time.Time
	// replaced are the places of parameters in the text that was parsed.
	replaced []replaced
	// depth counts EXECUTE IMMEDIATE within one another.
	depth int
}

// statement is the table of contents: each kind of statement and where it is done.
func (r *run) statement(ctx context.Context, stmt ast.Statement) (*Result, error) {
	switch n := stmt.(type) {
	case *ast.Query:
		return r.query(ctx, n)
	case *ast.Explain:
		return r.explain(ctx, n)
	case *ast.ExplainPath:
		return r.explainPath(ctx, n)
	case *ast.Set:
		return r.set(n)
	case *ast.SetTimeZone:
		return r.setTimeZone(n)
	case *ast.Reset:
		return r.reset(n)
	case *ast.Use:
		return r.use(ctx, n)
	case *ast.UseCatalog:
		return r.useCatalog(ctx, n)
	case *ast.CreateCatalog:
		return r.createCatalog(ctx, n)
	case *ast.DropCatalog:
		return r.dropCatalog(ctx, n)
	case *ast.AlterCatalog:
		return r.alterCatalog(ctx, n)
	case *ast.DescribeCatalog:
		return r.describeCatalog(ctx, n)
	case *ast.CreateSchema:
		return r.createSchema(ctx, n)
	case *ast.DropSchema:
		return r.dropSchema(ctx, n)
	case *ast.AlterSchema:
		return r.alterSchema(ctx, n)
	case *ast.DescribeSchema:
		return r.describeSchema(ctx, n)
	case *ast.CommentOn:
		return r.commentOn(ctx, n)
	case *ast.CreateVolume:
		return r.createVolume(ctx, n)
	case *ast.DropVolume:
		return r.dropVolume(ctx, n)
	case *ast.DescribeVolume:
		return r.describeVolume(ctx, n)
	case *ast.CreateExternalLocation:
		return r.createExternalLocation(ctx, n)
	case *ast.DropExternalLocation:
		return r.dropExternalLocation(ctx, n)
	case *ast.DescribeExternalLocation:
		return r.describeExternalLocation(ctx, n)
	case *ast.CreateTable:
		return r.createTable(ctx, n)
	case *ast.CreateTableLike:
		return r.createTableLike(ctx, n)
	case *ast.DropTable:
		return r.dropTable(ctx, n)
	case *ast.CreateView:
		return r.createView(ctx, n)
	case *ast.CreateTempViewUsing:
		return r.createTempViewUsing(ctx, n)
	case *ast.DropView:
		return r.dropView(ctx, n)
	case *ast.AlterView:
		return r.alterView(ctx, n)
	case *ast.AlterTable:
		return r.alterTable(ctx, n)
	case *ast.MultiInsert:
		return r.multiInsert(ctx, n)
	case *ast.Insert:
		return r.insert(ctx, n)
	case *ast.InsertDirectory:
		return r.insertDirectory(ctx, n)
	case *ast.CopyInto:
		return r.copyInto(ctx, n)
	case *ast.Analyze:
		return r.analyze(ctx, n)
	case *ast.Truncate:
		return r.truncate(ctx, n)
	case *ast.Vacuum:
		return r.vacuum(ctx, n)
	case *ast.Restore:
		return r.restore(ctx, n)
	case *ast.Optimize:
		return r.optimize(ctx, n)
	case *ast.Repair:
		return r.repair(ctx, n)
	case *ast.Sync:
		return r.sync(ctx, n)
	case *ast.RefreshTable:
		return r.refreshTable(ctx, n)
	case *ast.Cache:
		return r.cache(ctx, n)
	case *ast.RefreshPath:
		return r.refreshPath(ctx, n)
	case *ast.DescribeTable:
		return r.describeTable(ctx, n)
	case *ast.DescribeQuery:
		return r.describeQuery(ctx, n)
	case *ast.DescribeDetail:
		return r.describeDetail(ctx, n)
	case *ast.DescribeHistory:
		return r.describeHistory(ctx, n)
	default:
		return r.routine(ctx, stmt)
	}
}

// routine runs the statements about variables and functions.
func (r *run) routine(ctx context.Context, stmt ast.Statement) (*Result, error) {
	switch n := stmt.(type) {
	case *ast.DeclareVariable:
		return r.declareVariable(ctx, n)
	case *ast.SetVariable:
		return r.setVariable(ctx, n)
	case *ast.DropVariable:
		return r.dropVariable(n)
	case *ast.ExecuteImmediate:
		return r.executeImmediate(ctx, n)
	case *ast.CreateFunction:
		return r.createFunction(ctx, n)
	case *ast.DropFunction:
		return r.dropFunction(ctx, n)
	case *ast.RefreshFunction:
		return r.refreshFunction(ctx, n)
	case *ast.DescribeFunction:
		return r.describeFunction(ctx, n)
	default:
		return r.show(ctx, stmt)
	}
}

// show runs the statements that list things, and names those that Tarn lacks.
func (r *run) show(ctx context.Context, stmt ast.Statement) (*Result, error) {
	switch n := stmt.(type) {
	case *ast.ShowCatalogs:
		return r.showCatalogs(ctx, n)
	case *ast.ShowMounts:
		return r.showMounts(n)
	case *ast.ShowSchemas:
		return r.showSchemas(ctx, n)
	case *ast.ShowTables:
		return r.showTables(ctx, n)
	case *ast.ShowTableExtended:
		return r.showTableExtended(ctx, n)
	case *ast.ShowViews:
		return r.showViews(ctx, n)
	case *ast.ShowVolumes:
		return r.showVolumes(ctx, n)
	case *ast.ShowExternalLocations:
		return r.showExternalLocations(ctx, n)
	case *ast.ShowColumns:
		return r.showColumns(ctx, n)
	case *ast.ShowPartitions:
		return r.showPartitions(ctx, n)
	case *ast.ShowCreateTable:
		return r.showCreateTable(ctx, n)
	case *ast.ShowTblProperties:
		return r.showTblProperties(ctx, n)
	case *ast.ShowDrift:
		return r.showDrift(ctx, n)
	case *ast.ShowTransactions:
		return r.showTransactions(ctx, n)
	case *ast.ShowCurrent:
		return r.showCurrent(n)
	case *ast.ShowFunctions:
		return r.showFunctions(ctx, n)
	case *ast.Delete:
		return r.deleteRows(ctx, n)
	case *ast.Update:
		return r.updateRows(ctx, n)
	case *ast.Merge:
		return r.mergeRows(ctx, n)
	case *ast.Clone:
		return r.cloneTable(ctx, n)
	case *ast.Unsupported:
		return nil, sqlerr.Unsupported("STATEMENT", n.What).At(n.Span())
	}
	return nil, sqlerr.Unsupported("STATEMENT", statementName(stmt)).At(stmt.Span())
}

// statementName names a statement that is parsed but not run by this version.
func statementName(stmt ast.Statement) string {
	switch stmt.(type) {
	case *ast.UndropTable:
		return "UNDROP TABLE"
	case *ast.AlterVolume:
		return "ALTER VOLUME"
	case *ast.AlterExternalLocation:
		return "ALTER EXTERNAL LOCATION"
	}
	return "this statement"
}

// context is what expressions need to know: of the session, and what functions are made of.
func (r *run) context() *expr.Context {
	c := r.settings()
	c.Formats = r.x.Formats
	c.JavaCharsets, c.CodingReplaces = r.s.Conf.Bool(conf.JavaCharsets), r.s.Conf.Bool(conf.CodingReplaces)
	return c
}

// settings are those of the session.
func (r *run) settings() *expr.Context {
	return &expr.Context{
		Zone: r.s.Conf.Location(), ANSI: r.s.Conf.Bool(conf.ANSI), KeepScale: !r.s.Conf.Bool(conf.DecimalLoss), LegacyInterval: r.s.Conf.Bool(conf.LegacyInterval), Now: r.now,
		User: r.s.User, Catalog: r.s.Catalog, Schema: r.s.Schema,
		LastKeyWins:      strings.EqualFold(r.s.Conf.Text(conf.MapKeyDedup), "LAST_WIN"),
		InsertBeforeLast: r.s.Conf.Bool(conf.NegativeArrayInsert),
	}
}

// progress tells what the statement is doing now.
func (r *run) progress(text string) { r.working(text, nil) }

// working is progress with what tells the share done in percent.
func (r *run) working(text string, percent func() float64) {
	if r.x.Progress != nil {
		r.x.Progress(text, percent)
	}
}
