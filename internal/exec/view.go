package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func quoteIdent(n ast.Ident) string { return ident.Quote(n.Name) }

func (r *run) createView(ctx context.Context, n *ast.CreateView) (*Result, error) {
	if n.Temporary {
		return r.createTempView(ctx, n)
	}
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	node, rels, err := r.bindQuery(ctx, n.Query)
	if err != nil {
		return nil, err
	}
	if rels.tempView != "" {
		return nil, sqlerr.TempObject("VIEW", full.Quoted(), "VIEW", ident.Quote(rels.tempView)).At(n.Name.Span())
	}
	if err := rels.noTemporary("VIEW", full); err != nil {
		return nil, at(err, n.Name)
	}
	out, err := outputFields(node)
	if err != nil {
		return nil, err
	}
	fields, err := viewFields(n, out, full)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return at(err, n.Name)
		}
		if err := writable(p); err != nil {
			return at(err, n.Name)
		}
		if err := catalog.ValidateName(p.catalog.Rules, "view", full[2]); err != nil {
			return at(err, n.Name)
		}
		v := &catalog.Table{
			Securable: r.securable(full[2], n.Comment), SchemaID: p.schema.ID, Kind: catalog.View, Columns: fields, Properties: properties(n.Properties),
			ViewText: n.Text, ViewCatalog: r.s.Catalog, ViewSchema: r.s.Schema, Options: r.viewOptions(n, node.Output()),
		}
		old, err := tx.Table(p.schema.ID, full[2])
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			if err := tx.CreateTable(v); err != nil {
				return err
			}
			return tx.AddCommit(v, r.commit("CREATE VIEW"))
		case err != nil:
			return err
		case n.IfNotExists:
			return nil
		case !n.Replace:
			return sqlerr.TableAlreadyExists(p.name(old.Name).Quoted()).At(n.Name.Span())
		case old.Kind != catalog.View:
			return sqlerr.ExpectViewNotTable(p.name(old.Name).Quoted(), "CREATE OR REPLACE VIEW").At(n.Name.Span())
		}
		if rels.reads(old.ID) {
			return sqlerr.RecursiveView(p.name(old.Name).Quoted(), []string{p.name(old.Name).Quoted(), p.name(old.Name).Quoted()}).At(n.Name.Span())
		}
		v.Securable, v.Version = old.Securable, old.Version
		if n.Comment != nil {
			v.Comment = *n.Comment
		}
		return r.saveTable(tx, v, "CREATE OR REPLACE VIEW")
	})
	return none(), err
}

func (r *run) viewOptions(n *ast.CreateView, out []plan.Column) map[string]string {
	var names ident.Name
	for _, c := range out {
		names = append(names, c.Name)
	}
	o := map[string]string{catalog.ViewColumnsOption: names.Quoted()}
	if n.SchemaMode != "" && n.SchemaMode != compensation {
		o[catalog.ViewModeOption] = n.SchemaMode
	}
	if len(n.Columns) > 0 {
		o[catalog.ViewNamedOption] = "true"
	}
	for name, value := range r.s.Conf.Captured() {
		o[catalog.ViewSettingPrefix+name] = value
	}
	return o
}

// The modes of WITH SCHEMA.
const (
	compensation  = "COMPENSATION"
	binding       = "BINDING"
	typeEvolution = "TYPE EVOLUTION"
	evolution     = "EVOLUTION"
)

// schemaMode is how a view follows its query.
func schemaMode(v *catalog.Table) string {
	if m := v.Options[catalog.ViewModeOption]; m != "" {
		return m
	}
	return compensation
}

// withQuerySchema gives an evolving view the columns that it has now. A view whose query fails keeps those that it had.
func (r *run) withQuerySchema(ctx context.Context, rel relation) relation {
	mode := schemaMode(rel.table)
	if rel.table.Kind != catalog.View || mode != typeEvolution && mode != evolution {
		return rel
	}
	q, err := parser.Parse("SELECT * FROM " + rel.fullName().Quoted())
	if err != nil {
		return rel
	}
	query, ok := q.(*ast.Query)
	if !ok {
		return rel
	}
	node, _, err := r.bindQuery(ctx, query)
	if err != nil {
		return rel
	}
	now, err := outputFields(node)
	if err != nil {
		return rel
	}
	v := rel.table.Clone()
	for i := range now {
		if rel.table.Options[catalog.ViewNamedOption] != "" && i < len(v.Columns) {
			now[i].Comment, now[i].HasComment = v.Columns[i].Comment, v.Columns[i].HasComment
		}
	}
	v.Columns = now
	if rel.table.Options[catalog.ViewNamedOption] == "" {
		var names ident.Name
		for _, f := range now {
			names = append(names, f.Name)
		}
		v.Options[catalog.ViewColumnsOption] = names.Quoted()
	}
	rel.table = v
	return rel
}

// viewFields are the columns of a view: the query's, under the names of the column list when there is one.
func viewFields(n *ast.CreateView, out []types.Field, name ident.Name) ([]types.Field, error) {
	if len(n.Columns) > 0 && len(n.Columns) != len(out) {
		return nil, sqlerr.ViewArityMismatch(name.Quoted(), len(n.Columns), len(out)).At(n.Name.Span())
	}
	fields := make([]types.Field, len(out))
	var names []string
	for i, c := range out {
		fields[i] = c
		if len(n.Columns) > 0 {
			fields[i].Name = n.Columns[i].Name.Name
			if k := n.Columns[i].Comment; k != nil {
				fields[i].Comment, fields[i].HasComment = *k, true
			}
		}
		names = append(names, fields[i].Name)
	}
	if dup, ok := ident.Twice(names); ok {
		return nil, sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(dup))).At(n.Name.Span())
	}
	return fields, nil
}

func (r *run) createTempView(ctx context.Context, n *ast.CreateView) (*Result, error) {
	name, err := parts(n.Name, 2)
	if err != nil {
		return nil, err
	}
	if len(name) == 2 && !(n.Global && ident.Equal(name[0], session.GlobalTemp)) {
		return nil, sqlerr.TempViewQualified(name.Quoted()).At(n.Name.Span())
	}
	node, rels, err := r.bindQuery(ctx, n.Query)
	if err != nil {
		return nil, err
	}
	if n.SchemaMode != "" {
		return nil, temporaryViewSchema(n.Name)
	}
	out, err := outputFields(node)
	if err != nil {
		return nil, err
	}
	fields, err := viewFields(n, out, name)
	if err != nil {
		return nil, err
	}
	if old, taken := r.s.View(tempName(name.Last(), n.Global)); taken && rels.temps[old] {
		own := tempName(old.Name, n.Global).Quoted()
		return nil, sqlerr.RecursiveView(own, []string{own, own}).At(n.Name.Span())
	}
	v := &session.TempView{Name: name.Last(), Text: n.Text, Catalog: r.s.Catalog, Schema: r.s.Schema, Columns: fields, Global: n.Global, Settings: r.s.Conf.Captured()}
	return none(), r.putTempView(v, n.Replace, n.IfNotExists, n.Name)
}

func temporaryViewSchema(view ast.Name) error {
	return sqlerr.Unsupported("TEMPORARY_VIEW_WITH_SCHEMA_BINDING_MODE", "WITH SCHEMA of a temporary view").At(view.Span())
}

// renameTempView gives a temporary view another name. A copy that is kept of it is made anew when it is read.
func (r *run) renameTempView(v *session.TempView, a *ast.RenameTo) error {
	to, from := a.Name.Ident(), tempName(v.Name, v.Global)
	if len(to) > 1 && !(v.Global && len(to) == 2 && ident.Equal(to[0], session.GlobalTemp)) {
		return sqlerr.RenameTempViewWithSchema(from.Quoted(), to.Quoted(), to[:len(to)-1].Quoted()).At(a.Name.Span())
	}
	name := tempName(to.Last(), v.Global)
	if _, taken := r.s.View(name); taken {
		return sqlerr.TableAlreadyExists(name.Quoted()).At(a.Name.Span())
	}
	renamed := *v
	renamed.Name = to.Last()
	r.s.DropView(v)
	r.s.PutView(&renamed)
	if c := r.s.Cache(temporaryCacheKey(v)); c != nil {
		dropCopy(c)
		r.s.DropCache(c)
		r.s.PutCache(&session.Cached{Key: temporaryCacheKey(&renamed), Name: name.String()})
	}
	return nil
}

// alterViewOperation is what messages call an action of ALTER VIEW.
func alterViewOperation(a ast.Action) string {
	switch a.(type) {
	case *ast.RenameTo:
		return "ALTER VIEW ... RENAME TO"
	case *ast.SetProperties:
		return "ALTER VIEW ... SET TBLPROPERTIES"
	case *ast.UnsetProperties:
		return "ALTER VIEW ... UNSET TBLPROPERTIES"
	case *ast.SetOwner:
		return "ALTER VIEW ... OWNER TO"
	case *ast.ViewSchema:
		return "ALTER VIEW ... WITH SCHEMA"
	}
	return "ALTER VIEW"
}

// tempName is the name under which a session finds a temporary view.
func tempName(name string, global bool) ident.Name {
	if global {
		return ident.Name{session.GlobalTemp, name}
	}
	return ident.Name{name}
}

func (r *run) putTempView(v *session.TempView, replace, ifNotExists bool, node ast.Node) error {
	name := tempName(v.Name, v.Global)
	if _, taken := r.s.View(name); taken && !replace {
		if ifNotExists {
			return nil
		}
		return sqlerr.TempViewAlreadyExists(name.Quoted()).At(node.Span())
	}
	r.s.PutView(v)
	return nil
}

func (r *run) createTempViewUsing(ctx context.Context, n *ast.CreateTempViewUsing) (*Result, error) {
	name, err := parts(n.Name, 1)
	if err != nil {
		return nil, err
	}
	format := deltaFormat
	if !isDelta(n.Using.Name) {
		if format, err = checkFormat(n.Using.Name, n.Using); err != nil {
			return nil, err
		}
	} else if len(n.Columns) > 0 {
		return nil, sqlerr.Unsupported("TABLE_CLAUSE", "columns of a view USING delta: its log has them").At(n.Span())
	}
	fields, err := r.declared(ctx, "CREATE TEMPORARY VIEW", n.Columns)
	if err != nil {
		return nil, err
	}
	v := &session.TempView{Name: name[0], Global: n.Global, Format: format, Options: properties(n.Options), Columns: fields, Catalog: r.s.Catalog, Schema: r.s.Schema}
	if _, err := r.tempViewFields(ctx, v); err != nil {
		return nil, at(err, n)
	}
	return none(), r.putTempView(v, n.Replace, false, n.Name)
}

// tempViewFields are the columns of a temporary view.
func (r *run) tempViewFields(ctx context.Context, v *session.TempView) ([]types.Field, error) {
	if v.Format == "" {
		return v.Columns, nil
	}
	rel, err := r.fileView(ctx, v)
	if err != nil {
		return nil, err
	}
	return rel.Schema, nil
}

func (r *run) dropView(ctx context.Context, n *ast.DropView) (*Result, error) {
	if v, ok := r.s.View(n.Name.Ident()); ok {
		r.s.DropView(v)
		return none(), nil
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.relation(tx, n.Name)
		if isNotFound(err) {
			if n.IfExists {
				return nil
			}
			return err
		} else if err != nil {
			return err
		}
		if rel.table.Kind != catalog.View {
			return sqlerr.WrongCommand("DROP VIEW", "VIEW", rel.quoted(), string(rel.table.Kind), "DROP TABLE").At(n.Name.Span())
		}
		return tx.DeleteTable(rel.table.ID)
	})
	return none(), err
}

func (r *run) alterView(ctx context.Context, n *ast.AlterView) (*Result, error) {
	if q, ok := n.Action.(*ast.ViewQuery); ok {
		if v, temp := r.s.View(n.Name.Ident()); temp {
			create := &ast.CreateView{At: n.At, Name: n.Name, Temporary: true, Global: v.Global, Replace: true, Query: q.Query, Text: q.Text}
			return r.createTempView(ctx, create)
		}
		mode := ""
		if err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			rel, err := r.relation(tx, n.Name)
			switch {
			case err != nil:
				return err
			case rel.table.Kind != catalog.View:
				return sqlerr.ExpectViewNotTable(rel.quoted(), "ALTER VIEW ... AS").At(n.Name.Span())
			}
			mode = schemaMode(rel.table)
			return nil
		}); err != nil {
			return nil, err
		}
		return r.createView(ctx, &ast.CreateView{At: n.At, Name: n.Name, Replace: true, SchemaMode: mode, Query: q.Query, Text: q.Text})
	}
	operation := alterViewOperation(n.Action)
	if v, temp := r.s.View(n.Name.Ident()); temp {
		switch a := n.Action.(type) {
		case *ast.RenameTo:
			return none(), r.renameTempView(v, a)
		case *ast.ViewSchema:
			return nil, temporaryViewSchema(n.Name)
		}
		return nil, sqlerr.ExpectPermanentView(tempName(v.Name, v.Global).Quoted(), operation).At(n.Name.Span())
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.relation(tx, n.Name)
		if err != nil {
			return err
		}
		if rel.table.Kind != catalog.View {
			if _, ok := n.Action.(*ast.ViewSchema); ok {
				return sqlerr.ExpectViewNotTable(rel.quoted(), operation).At(n.Name.Span())
			}
			return sqlerr.UseAlterTable(rel.quoted(), operation).At(n.Name.Span())
		}
		v := rel.table.Clone()
		switch a := n.Action.(type) {
		case *ast.RenameTo:
			return r.renameIn(ctx, tx, rel, a, operation)
		case *ast.SetProperties:
			err = setProperties(v, a)
		case *ast.UnsetProperties:
			err = unsetProperties(v, a)
		case *ast.SetOwner:
			v.Owner = a.Owner.Name
		case *ast.ViewSchema:
			delete(v.Options, catalog.ViewModeOption)
			if a.Mode != compensation {
				if v.Options == nil { // a view of the first format
					v.Options = map[string]string{}
				}
				v.Options[catalog.ViewModeOption] = a.Mode
			}
		default:
			err = sqlerr.Unsupported("STATEMENT", "this form of ALTER VIEW").At(a.Span())
		}
		if err != nil {
			return at(err, n.Action)
		}
		return r.saveTable(tx, v, "ALTER VIEW")
	})
	return none(), err
}
