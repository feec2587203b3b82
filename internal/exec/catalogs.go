package exec

import (
	"context"
	"errors"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func (r *run) createCatalog(ctx context.Context, n *ast.CreateCatalog) (*Result, error) {
	if err := catalog.ValidateName(catalog.UnityRules, "catalog", n.Name.Name); err != nil {
		return nil, at(err, n.Name)
	}
	c := &catalog.Catalog{Securable: r.securable(n.Name.Name, n.Comment), Rules: catalog.UnityRules}
	if n.Location != nil {
		loc, err := r.location(*n.Location)
		if err != nil {
			return nil, err
		}
		c.Location = loc.String()
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		if _, err := tx.Catalog(c.Name); err == nil {
			if n.IfNotExists {
				return nil
			}
			return sqlerr.CatalogAlreadyExists(ident.Quote(c.Name)).At(n.Name.Span())
		}
		if n.Location == nil {
			main, err := findCatalog(tx, catalog.MainCatalog)
			if err != nil {
				return err
			}
			c.Location = catalog.CatalogLocation(parentOf(main.Location), c.Name, c.ID)
		} else if err := catalog.CheckOverlap(tx, catalog.LocatedManaged, c.Location, c.ID); err != nil {
			return err
		}
		if err := tx.CreateCatalog(c); err != nil {
			return err
		}
		s := &catalog.Schema{Securable: r.securable(catalog.DefaultSchema, nil), CatalogID: c.ID}
		s.Location = catalog.SchemaLocation(c, s.Name, s.ID)
		return tx.CreateSchema(s)
	})
	return none(), err
}

// parentOf is the location above loc.
func parentOf(loc string) string {
	if i := strings.LastIndexByte(strings.TrimRight(loc, "/"), '/'); i > 0 {
		return loc[:i]
	}
	return loc
}

func (r *run) dropCatalog(ctx context.Context, n *ast.DropCatalog) (*Result, error) {
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		c, err := findCatalog(tx, n.Name.Name)
		if err != nil {
			if n.IfExists && errors.Is(err, sqlerr.Condition("CATALOG_NOT_FOUND")) {
				return nil
			}
			return err
		}
		if builtin(c.Name) {
			return sqlerr.PermanentObject("catalog", ident.Quote(c.Name))
		}
		schemas, err := tx.Schemas(c.ID)
		if err != nil {
			return err
		}
		for _, s := range schemas {
			if !n.Cascade {
				if s.Name != catalog.DefaultSchema {
					return sqlerr.CatalogNotEmpty(ident.Quote(c.Name))
				}
				err = r.emptySchema(tx, place{c, s}, false)
				if errors.Is(err, sqlerr.Condition("SCHEMA_NOT_EMPTY")) {
					return sqlerr.CatalogNotEmpty(ident.Quote(c.Name))
				}
			} else {
				err = r.emptySchema(tx, place{c, s}, true)
			}
			if err != nil {
				return err
			}
			if err := tx.DeleteSchema(s.ID); err != nil {
				return err
			}
		}
		return tx.DeleteCatalog(c.ID)
	})
	if err != nil {
		return nil, at(err, n.Name)
	}
	return none(), r.settle(ctx)
}

func builtin(name string) bool {
	switch catalog.FoldCatalog(name) {
	case catalog.MainCatalog, catalog.HiveCatalog, catalog.SystemCatalog:
		return true
	}
	return false
}

func (r *run) alterCatalog(ctx context.Context, n *ast.AlterCatalog) (*Result, error) {
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		c, err := findCatalog(tx, n.Name.Name)
		if err != nil {
			return err
		}
		owner, ok := n.Action.(*ast.SetOwner)
		if !ok {
			return sqlerr.Unsupported("STATEMENT", "this form of ALTER CATALOG").At(n.Action.Span())
		}
		if err := writable(place{catalog: c}); err != nil {
			return err
		}
		c = c.Clone()
		c.Owner = owner.Owner.Name
		r.touch(&c.Securable)
		return tx.UpdateCatalog(c)
	})
	return none(), at(err, n.Name)
}

func (r *run) describeCatalog(ctx context.Context, n *ast.DescribeCatalog) (*Result, error) {
	var rows [][]types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		c, err := findCatalog(tx, n.Name.Name)
		if err != nil {
			return err
		}
		rows = append(rows, []types.Value{"Catalog Name", c.Name}, []types.Value{"Comment", c.Comment}, []types.Value{"Owner", c.Owner})
		if n.Extended {
			rows = append(rows, []types.Value{"Rules", string(c.Rules)}, []types.Value{"Location", c.Location}, []types.Value{"Id", string(c.ID)})
			rows = append(rows, stamps(&c.Securable)...)
		}
		return nil
	})
	return table(stringColumns("info_name", "info_value"), rows), at(err, n.Name)
}

func (r *run) showCatalogs(ctx context.Context, n *ast.ShowCatalogs) (*Result, error) {
	var rows [][]types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		cs, err := tx.Catalogs()
		if err != nil {
			return err
		}
		for _, c := range cs {
			if like(n.Like, c.Name) {
				rows = append(rows, []types.Value{c.Name})
			}
		}
		return nil
	})
	return table(stringColumns("catalog"), rows), err
}
