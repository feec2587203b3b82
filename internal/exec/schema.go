package exec

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

func (r *run) createSchema(ctx context.Context, n *ast.CreateSchema) (*Result, error) {
	catalogName, name, err := r.schemaName(n.Name)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		c, err := findCatalog(tx, catalogName)
		if err != nil {
			return err
		}
		if err := writable(place{catalog: c}); err != nil {
			return err
		}
		if err := catalog.ValidateName(c.Rules, "schema", name); err != nil {
			return err
		}
		full := ident.Name{c.Name, name}
		if _, err := tx.Schema(c.ID, name); err == nil || ident.Equal(name, catalog.InformationSchema) {
			if n.IfNotExists {
				return nil
			}
			return sqlerr.SchemaAlreadyExists(full.Quoted())
		}
		s := &catalog.Schema{Securable: r.securable(name, n.Comment), CatalogID: c.ID, Properties: properties(n.Properties)}
		if n.Location != nil {
			loc, err := r.location(*n.Location)
			if err != nil {
				return err
			}
			s.Location = loc.String()
			if c.Rules == catalog.UnityRules {
				if err := catalog.CheckOverlap(tx, catalog.LocatedManaged, s.Location, s.ID, c.ID); err != nil {
					return err
				}
			}
		} else {
			s.Location = catalog.SchemaLocation(c, name, s.ID)
		}
		return tx.CreateSchema(s)
	})
	return none(), at(err, n.Name)
}

func (r *run) dropSchema(ctx context.Context, n *ast.DropSchema) (*Result, error) {
	catalogName, name, err := r.schemaName(n.Name)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		p, err := findSchema(tx, catalogName, name)
		if err != nil {
			if n.IfExists && errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
				return nil
			}
			return err
		}
		if err := writable(p); err != nil {
			return err
		}
		if p.catalog.Rules == catalog.HiveRules && ident.Equal(p.schema.Name, catalog.DefaultSchema) {
			return sqlerr.PermanentObject("schema", ident.Name{p.catalog.Name, p.schema.Name}.Quoted())
		}
		if err := r.emptySchema(tx, p, n.Cascade); err != nil {
			return err
		}
		if p.catalog.Rules == catalog.HiveRules {
			// The directories of its managed tables go each by itself. What else lies there is not the catalog's to delete.
			if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingEmpty, From: p.schema.Location, At: r.now}); err != nil {
				return err
			}
		}
		return tx.DeleteSchema(p.schema.ID)
	})
	if err != nil {
		return nil, at(err, n.Name)
	}
	return none(), r.settle(ctx)
}

// emptySchema drops what a schema holds, or refuses when it holds something and cascade is false.
func (r *run) emptySchema(tx catalog.WriteTx, p place, cascade bool) error {
	tables, err := tx.Tables(p.schema.ID)
	if err != nil {
		return err
	}
	volumes, err := tx.Volumes(p.schema.ID)
	if err != nil {
		return err
	}
	functions, err := tx.Functions(p.schema.ID)
	if err != nil {
		return err
	}
	for _, f := range functions {
		if !cascade {
			break
		}
		if err := tx.DeleteFunction(f.ID); err != nil {
			return err
		}
	}
	if len(tables)+len(volumes)+len(functions) > 0 && !cascade {
		return sqlerr.SchemaNotEmpty(ident.Name{p.catalog.Name, p.schema.Name}.Quoted())
	}
	for _, t := range tables {
		if err := r.deleteTable(tx, relation{p, t}); err != nil {
			return err
		}
	}
	for _, v := range volumes {
		if err := tx.DeleteVolume(v.ID); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) alterSchema(ctx context.Context, n *ast.AlterSchema) (*Result, error) {
	catalogName, name, err := r.schemaName(n.Name)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		p, err := findSchema(tx, catalogName, name)
		if err != nil {
			return err
		}
		if err := writable(p); err != nil {
			return err
		}
		s := p.schema.Clone()
		switch a := n.Action.(type) {
		case *ast.SetOwner:
			s.Owner = a.Owner.Name
		case *ast.SetProperties:
			if s.Properties == nil {
				s.Properties = map[string]string{}
			}
			for _, kv := range a.Properties {
				s.Properties[kv.Key] = kv.Value
			}
		case *ast.UnsetProperties:
			for _, k := range a.Keys {
				delete(s.Properties, k)
			}
		case *ast.SetLocation:
			loc, err := r.location(a.Location)
			if err != nil {
				return err
			}
			s.Location = loc.String()
			if p.catalog.Rules == catalog.UnityRules {
				if err := catalog.CheckOverlap(tx, catalog.LocatedManaged, s.Location, s.ID, p.catalog.ID); err != nil {
					return err
				}
			}
		default:
			return sqlerr.Unsupported("STATEMENT", "this form of ALTER SCHEMA").At(n.Action.Span())
		}
		r.touch(&s.Securable)
		return tx.UpdateSchema(s)
	})
	return none(), at(err, n.Name)
}

func (r *run) describeSchema(ctx context.Context, n *ast.DescribeSchema) (*Result, error) {
	catalogName, name, err := r.schemaName(n.Name)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, catalogName, name)
		if err != nil {
			return err
		}
		s := p.schema
		rows = append(rows, []types.Value{"Catalog Name", p.catalog.Name}, []types.Value{"Namespace Name", s.Name},
			[]types.Value{"Comment", s.Comment}, []types.Value{"Location", s.Location}, []types.Value{"Owner", s.Owner})
		if n.Extended {
			rows = append(rows, []types.Value{"Properties", propertyText(s.Properties)}, []types.Value{"Id", string(s.ID)})
			rows = append(rows, stamps(&s.Securable)...)
		}
		return nil
	})
	return table(stringColumns("info_name", "info_value"), rows), at(err, n.Name)
}

// propertyText is ((k,v), (k,v)), sorted, as Spark shows the properties of a schema.
func propertyText(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	var out []string
	for _, k := range sortedKeys(m) {
		out = append(out, fmt.Sprintf("(%s,%s)", k, m[k]))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (r *run) showSchemas(ctx context.Context, n *ast.ShowSchemas) (*Result, error) {
	var rows [][]types.Value
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		catalogName := r.s.Catalog
		if !n.In.IsZero() {
			name, err := parts(n.In, 2)
			if err != nil {
				return err
			}
			catalogName = name[0]
			if _, err := tx.Catalog(catalogName); err != nil {
				// IN takes a catalog; a name that is none is looked for as a schema, as Spark's session catalog does.
				if len(name) == 2 {
					return sqlerr.CatalogNotFound(ident.Quote(name[0]))
				}
				return sqlerr.SchemaNotFound(ident.Name{r.s.Catalog, name[0]}.Quoted()).At(n.In.Span())
			}
		}
		c, err := findCatalog(tx, catalogName)
		if err != nil {
			return err
		}
		names := []string{catalog.InformationSchema}
		ss, err := tx.Schemas(c.ID)
		if err != nil {
			return err
		}
		if c.Rules != catalog.UnityRules {
			names = nil
		}
		for _, s := range ss {
			names = append(names, s.Name)
		}
		sort.Slice(names, func(i, j int) bool { return ident.Fold(names[i]) < ident.Fold(names[j]) })
		for _, s := range names {
			if like(n.Like, s) {
				rows = append(rows, []types.Value{ident.QuoteIfNeeded(s)})
			}
		}
		return nil
	})
	column := "namespace"
	if r.legacyOutput() {
		column = "databaseName"
	}
	return table(stringColumns(column), rows), err
}
