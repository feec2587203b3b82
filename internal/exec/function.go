package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// routine is a SQL function as it was made: the tree of its statement, and what the binder needs of it.
type routine struct {
	def *ast.CreateFunction
	fn  *bind.Function
	// stored is the function of the catalog; nil for a temporary one.
	stored *catalog.Function
}

// Function implements bind.Routines.
func (q *relations) Function(ctx context.Context, name ident.Name, ns bind.Namespace, temporary bool) (*bind.Function, error) {
	key := fmt.Sprint(ns.Catalog, "\x00", ns.Schema, "\x00", name.Quoted(), temporary)
	if fn, ok := q.functions[key]; ok {
		return fn, nil
	}
	found, err := q.run.findFunction(ctx, name, ns, temporary)
	if err != nil || found == nil {
		return nil, err
	}
	if q.functions == nil {
		q.functions = map[string]*bind.Function{}
	}
	q.functions[key] = found.fn
	if found.fn.Temporary {
		q.function = found.fn.Name.Last()
		q.seen = append(q.seen, session.Seen{Function: q.run.s.Function(q.function)})
	} else {
		q.seen = append(q.seen, session.Seen{Stored: string(found.stored.ID), Text: found.stored.Text})
	}
	q.dataFunction = q.dataFunction || found.def.DataAccess == "READS SQL DATA"
	return found.fn, nil
}

// temporaryName is the own name of a temporary function that a name may mean: f, session.f or system.session.f.
func temporaryName(name ident.Name) (string, bool) {
	last := len(name) - 1
	ok := last == 0 || last == 1 && ident.Equal(name[0], "session") ||
		last == 2 && ident.Equal(name[0], "system") && ident.Equal(name[1], "session")
	return name.Last(), ok
}

func temporaryKey(name string) string { return "session." + ident.Fold(name) }

// findFunction looks a SQL function up, a temporary one first; nil when there is none.
func (r *run) findFunction(ctx context.Context, name ident.Name, ns bind.Namespace, temporary bool) (*routine, error) {
	if own, ok := temporaryName(name); ok && temporary {
		if f := r.s.Function(own); f != nil {
			out, err := r.parseFunction(ctx, f.Text)
			if err != nil {
				return nil, err
			}
			out.fn.Name, out.fn.Key, out.fn.Temporary, out.fn.ANSI = ident.Name{f.Name}, temporaryKey(f.Name), true, f.ANSI
			out.fn.Namespace = bind.Namespace{Catalog: f.Catalog, Schema: f.Schema}
			out.fn.Returns, out.fn.Columns = f.Returns, f.Columns
			out.fn.Under = r.madeUnder(f.Settings)
			return out, nil
		}
	}
	if len(name) > 3 {
		return nil, nil
	}
	full := complete(name, ns)
	var stored *catalog.Function
	var p place
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		p, stored, err = storedFunction(tx, full)
		return err
	})
	if err != nil || stored == nil {
		return nil, err
	}
	out, err := r.parseFunction(ctx, stored.Text)
	if err != nil {
		return nil, err
	}
	out.stored = stored
	// The catalog is shown by the name that the session knows it by.
	out.fn.Name, out.fn.Key, out.fn.ANSI = ident.Name{full[0], p.schema.Name, stored.Name}, string(stored.ID), stored.ANSI
	out.fn.Namespace = bind.Namespace{Catalog: stored.AtCatalog, Schema: stored.AtSchema}
	if stored.Table {
		out.fn.Columns = stored.Returns
	} else if len(stored.Returns) == 1 {
		out.fn.Returns = stored.Returns[0].Type
	}
	return out, nil
}

// storedFunction is the function of a full name, or nil when there is none.
func storedFunction(tx catalog.ReadTx, full ident.Name) (place, *catalog.Function, error) {
	p, err := findSchema(tx, full[0], full[1])
	if errors.Is(err, sqlerr.Condition("CATALOG_NOT_FOUND")) || errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
		return p, nil, nil
	}
	if err != nil {
		return p, nil, err
	}
	f, err := tx.Function(p.schema.ID, full[2])
	if errors.Is(err, catalog.ErrNotFound) {
		return p, nil, nil
	}
	return p, f, err
}

// parseFunction reads the text of a function.
func (r *run) parseFunction(ctx context.Context, text string) (*routine, error) {
	in, err := parser.ParseStatement(text)
	if err != nil {
		return nil, err
	}
	if in.Computed {
		if err := r.computeNames(ctx, in.Statement); err != nil {
			return nil, err
		}
	}
	def, ok := in.Statement.(*ast.CreateFunction)
	if !ok {
		return nil, fmt.Errorf("the text of a function is another statement: %s", text)
	}
	return &routine{def: def, fn: functionOf(def)}, nil
}

// functionOf is a definition as the binder takes it.
func functionOf(n *ast.CreateFunction) *bind.Function {
	fn := &bind.Function{Table: n.Table, Body: n.Body, Query: n.Query, ANSI: true}
	for _, p := range n.Params {
		fn.Params = append(fn.Params, bind.Parameter{Name: p.Name().Name, Type: p.Type.T, Default: p.Default})
	}
	if n.Returns != nil {
		fn.Returns = n.Returns.T
	}
	for _, c := range n.Columns {
		f := types.Field{Name: c.Name().Name, Type: c.Type.T}
		if c.Comment != nil {
			f.Comment, f.HasComment = *c.Comment, true
		}
		fn.Columns = append(fn.Columns, f)
	}
	return fn
}

func (r *run) createFunction(ctx context.Context, n *ast.CreateFunction) (*Result, error) {
	if err := r.checkFunction(n); err != nil {
		return nil, err
	}
	fn := functionOf(n)
	fn.Namespace, fn.ANSI, fn.Temporary = bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema}, r.s.Conf.Bool(conf.ANSI), n.Temporary
	var full ident.Name
	if n.Temporary {
		name, ok := temporaryName(n.Name.Ident())
		if !ok {
			parts := n.Name.Ident()
			return nil, sqlerr.TempQualifier("FUNCTION", ident.Quote(parts.Last()), parts[:len(parts)-1].Quoted()).At(n.Name.Span())
		}
		fn.Name, fn.Key = ident.Name{name}, temporaryKey(name)
	} else {
		var err error
		if full, err = r.qualify(n.Name); err != nil {
			return nil, err
		}
		fn.Name = full
		old, err := r.findFunction(ctx, full, bind.Namespace{}, false)
		if err != nil {
			return nil, err
		}
		if old != nil {
			fn.Key = old.fn.Key
		}
	}
	rels := newRelations(r)
	made, err := bind.BindFunction(ctx, fn, n.Returns != nil, r.bindEnv(rels))
	if err != nil {
		return nil, at(err, n.Name)
	}
	if !n.Temporary {
		if rels.tempView != "" {
			return nil, sqlerr.TempObject("FUNCTION", full.Quoted(), "VIEW", ident.Quote(rels.tempView)).At(n.Name.Span())
		}
		if err := rels.noTemporary("FUNCTION", full); err != nil {
			return nil, at(err, n.Name)
		}
	}
	if n.DataAccess == "CONTAINS SQL" && (len(rels.known) > 0 || rels.dataFunction) {
		return nil, sqlerr.FunctionDataAccess().At(n.Span())
	}
	text := n.String()
	if n.Temporary {
		if r.s.Function(fn.Name[0]) != nil && !n.Replace {
			return nil, sqlerr.RoutineAlreadyExists(fn.Name.Quoted()).At(n.Name.Span())
		}
		r.s.PutFunction(&session.Function{
			Name: fn.Name[0], Text: text, Catalog: r.s.Catalog, Schema: r.s.Schema, Table: n.Table, ANSI: fn.ANSI, Returns: made.Returns, Columns: made.Columns,
			Settings: r.s.Conf.Captured(),
		})
		return none(), nil
	}
	stored := &catalog.Function{Text: text, AtCatalog: r.s.Catalog, AtSchema: r.s.Schema, Table: n.Table, ANSI: fn.ANSI, Returns: made.Columns}
	if !n.Table {
		stored.Returns = []types.Field{{Name: "result", Type: made.Returns}}
	}
	stored.Securable = r.securable(full[2], n.Comment)
	return none(), at(r.storeFunction(ctx, n, full, stored), n.Name)
}

// storeFunction adds a function to the catalog, or puts it in the place of one.
func (r *run) storeFunction(ctx context.Context, n *ast.CreateFunction, full ident.Name, f *catalog.Function) error {
	return r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return err
		}
		if err := writable(p); err != nil {
			return err
		}
		if err := catalog.ValidateName(p.catalog.Rules, "function", full[2]); err != nil {
			return err
		}
		f.SchemaID = p.schema.ID
		old, err := tx.Function(p.schema.ID, full[2])
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			return tx.CreateFunction(f)
		case err != nil:
			return err
		case n.IfNotExists:
			return nil
		case !n.Replace:
			return sqlerr.RoutineAlreadyExists(p.name(old.Name).Quoted())
		}
		// It stays the same securable, with its owner.
		f.ID, f.Owner, f.CreatedAt, f.CreatedBy = old.ID, old.Owner, old.CreatedAt, old.CreatedBy
		if err := tx.DeleteFunction(old.ID); err != nil {
			return err
		}
		return tx.CreateFunction(f)
	})
}

// checkFunction refuses definitions that are wrong whatever their body means.
func (r *run) checkFunction(n *ast.CreateFunction) error {
	own := n.Name.Ident().Last()
	switch {
	case n.Replace && n.IfNotExists:
		return sqlerr.CreateFunctionSyntax("CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE", own, "CREATE FUNCTION has both OR REPLACE and IF NOT EXISTS: keep one.").At(n.Name.Span())
	case n.Temporary && n.IfNotExists:
		return sqlerr.CreateFunctionSyntax("CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS", own, "CREATE TEMPORARY FUNCTION has no IF NOT EXISTS: use OR REPLACE.").At(n.Name.Span())
	}
	names, all := columnNames(n.Params), append(append([]*ast.ColumnDef{}, n.Params...), n.Columns...)
	if twice, ok := ident.Twice(names); ok {
		return sqlerr.DuplicateParameterNames(own, ident.Quote(ident.Fold(twice))).At(n.Name.Span())
	}
	if twice, ok := ident.Twice(columnNames(n.Columns)); ok {
		return sqlerr.DuplicateReturnColumns(own, ident.Quote(ident.Fold(twice))).At(n.Name.Span())
	}
	if n.Returns != nil && n.Returns.T.HasLength() {
		return sqlerr.CharAsString().At(n.Returns.Span())
	}
	for _, c := range all {
		if c.NotNull {
			return sqlerr.BadFunction("NOT_NULL_ON_FUNCTION_PARAMETERS", own, "a parameter or column cannot be NOT NULL.").At(c.Span())
		}
		if c.Type.T.HasLength() {
			return sqlerr.CharAsString().At(c.Span())
		}
	}
	for i := 1; i < len(n.Params); i++ {
		if n.Params[i].Default == nil && n.Params[i-1].Default != nil {
			return sqlerr.BadFunction("NOT_A_VALID_DEFAULT_PARAMETER_POSITION", own, "the parameter "+ident.Quote(names[i])+" needs a default, because the one before it has one.").At(n.Params[i].Span())
		}
	}
	if n.Table && n.Query == nil {
		return sqlerr.BadFunction("SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY", own, "what a table function returns is a query.").At(n.Body.Span())
	}
	return nil
}

func columnNames(cs []*ast.ColumnDef) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Name().Name)
	}
	return out
}

func (r *run) dropFunction(ctx context.Context, n *ast.DropFunction) (*Result, error) {
	if n.Temporary {
		parts := n.Name.Ident()
		name, ok := temporaryName(parts)
		if !ok {
			return nil, sqlerr.TempQualifier("FUNCTION", ident.Quote(parts.Last()), parts[:len(parts)-1].Quoted()).At(n.Name.Span())
		}
		f := r.s.Function(name)
		switch {
		case f != nil:
			r.s.DropFunction(f)
		case !n.IfExists:
			return nil, sqlerr.RoutineNotFound(parts.Quoted()).At(n.Name.Span())
		}
		return none(), nil
	}
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	if written := n.Name.Ident(); expr.IsFunction(builtinName(written)) {
		return nil, sqlerr.BuiltinFunction(written.Quoted()).At(n.Name.Span())
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		_, f, err := storedFunction(tx, full)
		switch {
		case err != nil:
			return err
		case f != nil:
			return tx.DeleteFunction(f.ID)
		case n.IfExists:
			return nil
		}
		return sqlerr.RoutineNotFound(full.Quoted())
	})
	return none(), at(err, n.Name)
}

// refreshFunction checks that a function exists: each statement reads it anew.
func (r *run) refreshFunction(ctx context.Context, n *ast.RefreshFunction) (*Result, error) {
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	found, err := r.findFunction(ctx, full, bind.Namespace{}, false)
	if err == nil && found == nil {
		err = sqlerr.RoutineNotFound(full.Quoted()).At(n.Name.Span())
	}
	return none(), err
}
