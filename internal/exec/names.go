package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// place is a schema with its catalog.
type place struct {
	catalog *catalog.Catalog
	schema  *catalog.Schema
}

// name is the full name of something in the schema.
func (p place) name(last string) ident.Name {
	return ident.Name{p.catalog.Name, p.schema.Name, last}
}

// relation is a table or view with where it is.
type relation struct {
	place
	table *catalog.Table
}

func (t relation) fullName() ident.Name { return t.place.name(t.table.Name) }
func (t relation) quoted() string       { return t.fullName().Quoted() }

// parts returns the parts of a name, at most max of them.
func parts(n ast.Name, limit int) (ident.Name, error) {
	if n.Computed != nil {
		return nil, sqlerr.Unsupported("IDENTIFIER_CLAUSE", "IDENTIFIER(…) of an expression here").At(n.Span())
	}
	name := n.Ident()
	if len(name) > limit {
		return nil, sqlerr.TooManyNameParts(name.Quoted(), limit).At(n.Span())
	}
	return name, nil
}

// findCatalog looks a catalog up.
func findCatalog(tx catalog.ReadTx, name string) (*catalog.Catalog, error) {
	c, err := tx.Catalog(name)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, sqlerr.CatalogNotFound(ident.Quote(name))
	}
	return c, err
}

// findSchema looks a schema up by its catalog's name and its own.
func findSchema(tx catalog.ReadTx, catalogName, schemaName string) (place, error) {
	c, err := findCatalog(tx, catalogName)
	if err != nil {
		return place{}, err
	}
	s, err := tx.Schema(c.ID, schemaName)
	if errors.Is(err, catalog.ErrNotFound) {
		return place{}, sqlerr.SchemaNotFound(ident.Name{c.Name, schemaName}.Quoted())
	}
	return place{c, s}, err
}

// schemaName resolves the name of a schema as statements about schemas write it: s, or c.s.
func (r *run) schemaName(n ast.Name) (catalogName, schema string, err error) {
	name, err := parts(n, 2)
	if err != nil {
		return "", "", err
	}
	if len(name) == 1 {
		return r.s.Catalog, name[0], nil
	}
	return name[0], name[1], nil
}

// schemaOrCurrent resolves IN ns, or the current schema when it is not written.
func (r *run) schemaOrCurrent(n ast.Name) (catalogName, schema string, err error) {
	if n.IsZero() {
		return r.s.Catalog, r.s.Schema, nil
	}
	return r.schemaName(n)
}

// qualify completes a name of a table, view or volume from the session.
func (r *run) qualify(n ast.Name) (ident.Name, error) {
	name, err := parts(n, 3)
	if err != nil {
		return nil, err
	}
	return r.complete(name), nil
}

func (r *run) complete(name ident.Name) ident.Name {
	switch len(name) {
	case 1:
		return ident.Name{r.s.Catalog, r.s.Schema, name[0]}
	case 2:
		return ident.Name{r.s.Catalog, name[0], name[1]}
	}
	return name
}

// lookup finds a table or view by its full name; what is not there is TABLE_OR_VIEW_NOT_FOUND with the name as written.
func lookup(tx catalog.ReadTx, full ident.Name, written ident.Name) (relation, error) {
	notFound := func() error { return sqlerr.TableOrViewNotFound(written.Quoted(), nil) }
	c, err := tx.Catalog(full[0])
	if errors.Is(err, catalog.ErrNotFound) {
		return relation{}, notFound()
	} else if err != nil {
		return relation{}, err
	}
	s, err := tx.Schema(c.ID, full[1])
	if errors.Is(err, catalog.ErrNotFound) {
		return relation{}, notFound()
	} else if err != nil {
		return relation{}, err
	}
	t, err := tx.Table(s.ID, full[2])
	if errors.Is(err, catalog.ErrNotFound) {
		return relation{}, notFound()
	}
	return relation{place{c, s}, t}, err
}

// relation finds a table or view that a statement names.
func (r *run) relation(tx catalog.ReadTx, n ast.Name) (relation, error) {
	full, err := r.qualify(n)
	if err != nil {
		return relation{}, err
	}
	rel, err := lookup(tx, full, n.Ident())
	if err != nil {
		return relation{}, at(err, n)
	}
	return rel, nil
}

// table finds a table for a statement that takes no views; operation is the statement's name for messages.
func (r *run) table(tx catalog.ReadTx, n ast.Name, operation string) (relation, error) {
	if v, ok := r.s.View(n.Ident()); ok {
		return relation{}, sqlerr.ExpectTableNotView(ident.Name{v.Name}.Quoted(), operation).At(n.Span())
	}
	rel, err := r.relation(tx, n)
	if err != nil {
		return relation{}, err
	}
	if rel.table.Kind == catalog.View {
		return relation{}, sqlerr.ExpectTableNotView(rel.quoted(), operation).At(n.Span())
	}
	return rel, nil
}

// readTable finds a table in a transaction of its own.
func (r *run) readTable(ctx context.Context, n ast.Name, operation string) (relation, error) {
	var rel relation
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		rel, err = r.table(tx, n, operation)
		return err
	})
	if err == nil {
		err = at(r.gate(rel), n)
	}
	return rel, err
}

// gate refuses tables with a partition log to clients that declare a runtime which does not know of them.
func (r *run) gate(rel relation) error {
	if rel.table.Mode != catalog.Log || rel.catalog.Rules == catalog.HiveRules || rel.table.Kind == catalog.Managed {
		return nil
	}
	declared, ok := r.s.Conf.Get(conf.ClientRuntime)
	if !ok {
		return nil
	}
	v, _ := conf.ParseVersion(declared)
	if v[0] < 13 || v[0] == 13 && v[1] < 3 {
		return sqlerr.ClientRuntime(rel.quoted(), declared)
	}
	return nil
}

// writable refuses changes of catalogs that only show things.
func writable(p place) error {
	if p.catalog.Rules == catalog.SystemRules {
		return sqlerr.ReadOnlyCatalog(ident.Quote(p.catalog.Name))
	}
	return nil
}

// at points an error at the name that caused it, unless it has a place.
func at(err error, n interface{ Span() sqlerr.Span }) error {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.At(n.Span())
	}
	return err
}
