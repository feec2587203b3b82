package bind

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// binder is the state of binding one statement.
type binder struct {
	ctx    context.Context
	env    Env
	lastID expr.ColumnID
	// texts holds how Spark shows an expression where that cannot be told from its syntax (a name that turned out to be
	// a field of a column, a sum that turned out to be a date's).
	texts map[ast.Expr]string
	// defaults are set while the query of an INSERT is bound.
	defaults *insertDefaults
	// expanded is how often a definition was put in the place of its name.
	expanded int
	// loops is how many recursive queries were bound.
	loops plan.LoopID
	// parts are the common table expressions that are computed once.
	parts []plan.Part
	// specs holds the window that OVER name refers to.
	specs map[*ast.WindowSpec]*ast.WindowSpec
}

// frame is what a query sees from outside: the enclosing query, the common table expressions and where names live.
type frame struct {
	outer     *scope
	ctes      *cte
	namespace Namespace
	views     *viewPath
	functions *functionPath
	// permanent tells that the text belongs to the catalog: it sees neither variables nor temporary functions.
	permanent bool
	// around is where the sub-query that is bound stands in an expression of the enclosing query.
	around *exprScope
	// start tells that the query to be bound is the whole of a common table expression or of a sub-query in an expression.
	start bool
}

func newBinder(ctx context.Context, env Env) *binder {
	if env.Context == nil {
		env.Context = &expr.Context{ANSI: true}
	}
	return &binder{ctx: ctx, env: env, texts: map[ast.Expr]string{}, specs: map[*ast.WindowSpec]*ast.WindowSpec{}}
}

// maxExpanded bounds how often common table expressions, views and SQL functions are put in the place of their names. When each of
// a chain of them names the one before twice, a short text means more than any machine can plan.
const maxExpanded = 4000

// expand counts one more.
func (b *binder) expand() error {
	if b.expanded++; b.expanded > maxExpanded {
		return sqlerr.TooComplex("how often its common table expressions, views and SQL functions are named, those within one another included,", maxExpanded)
	}
	return nil
}

func (b *binder) top() *frame { return &frame{namespace: b.env.Namespace} }

func (b *binder) newID() expr.ColumnID {
	b.lastID++
	return b.lastID
}

func (b *binder) newColumn(name string, t types.Type) plan.Column {
	return plan.Column{ID: b.newID(), Name: name, Type: t}
}

// fold is the form under which the session compares names.
func (b *binder) fold(name string) string {
	if b.env.CaseSensitive {
		return name
	}
	return ident.Fold(name)
}

func (b *binder) same(x, y string) bool {
	if b.env.CaseSensitive {
		return x == y
	}
	return ident.Equal(x, y)
}

// at gives err a place, unless it has one or is no *sqlerr.Error.
func at(err error, span sqlerr.Span) error {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.At(span)
	}
	return err
}

// standalone binds an expression over given columns, without a query around it.
func (b *binder) standalone(e ast.Expr, columns []plan.Column) (expr.Expr, error) {
	s := &scope{}
	for _, c := range columns {
		s.add(column{Column: c, origin: c.ID})
		b.lastID = max(b.lastID, c.ID)
	}
	out, err := b.expr(e, &exprScope{frame: b.top(), scope: s, clause: "a stand-alone expression"})
	if err != nil {
		return nil, err
	}
	return b.foldTree(out), nil
}

func columnRef(c plan.Column) *expr.Column {
	return &expr.Column{ID: c.ID, Name: c.Name, T: c.Type}
}
