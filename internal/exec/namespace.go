package exec

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// securable fills what a new securable has.
func (r *run) securable(name string, comment *string) catalog.Securable {
	s := catalog.Securable{ID: catalog.NewID(), Name: name, Owner: r.s.User, CreatedAt: r.now, CreatedBy: r.s.User, UpdatedAt: r.now, UpdatedBy: r.s.User}
	if comment != nil {
		s.Comment = *comment
	}
	return s
}

// touch notes who changes a securable, and when.
func (r *run) touch(s *catalog.Securable) { s.UpdatedAt, s.UpdatedBy = r.now, r.s.User }

// location reads a LOCATION clause: a URI, an absolute path, or one relative to the working directory.
func (r *run) location(text string) (storage.Location, error) {
	if strings.TrimSpace(text) == "" {
		return storage.Location{}, sqlerr.EmptyLocation()
	}
	return storage.ParseLocation(text, "file:"+r.s.WorkDir)
}

func (r *run) use(ctx context.Context, n *ast.Use) (*Result, error) {
	name, err := parts(n.Name, 2)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		if len(name) == 2 {
			p, err := findSchema(tx, name[0], name[1])
			if err == nil {
				r.s.Catalog, r.s.Schema = p.catalog.Name, p.schema.Name
			}
			return err
		}
		p, err := findSchema(tx, r.s.Catalog, name[0])
		if err == nil {
			r.s.Schema = p.schema.Name
			return nil
		}
		if n.SchemaOnly || !errors.Is(err, sqlerr.Condition("SCHEMA_NOT_FOUND")) {
			return err
		}
		c, cerr := tx.Catalog(name[0])
		if cerr != nil {
			return err
		}
		r.enter(c)
		return nil
	})
	return none(), at(err, n.Name)
}

// enter makes a catalog current, with its default schema.
func (r *run) enter(c *catalog.Catalog) {
	r.s.Catalog, r.s.Schema = c.Name, catalog.DefaultSchema
	if c.Rules == catalog.SystemRules {
		r.s.Schema = catalog.InformationSchema
	}
}

func (r *run) useCatalog(ctx context.Context, n *ast.UseCatalog) (*Result, error) {
	name, err := parts(n.Name, 1)
	if err != nil {
		return nil, err
	}
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		c, err := findCatalog(tx, name[0])
		if err == nil {
			r.enter(c)
		}
		return err
	})
	return none(), at(err, n.Name)
}

func (r *run) showCurrent(*ast.ShowCurrent) (*Result, error) {
	return table(stringColumns("catalog", "namespace"), [][]types.Value{{r.s.Catalog, r.s.Schema}}), nil
}

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

const stampLayout = "2006-01-02 15:04:05 UTC"

// stamps are the rows that tell who made and changed something.
func stamps(s *catalog.Securable) [][]types.Value {
	return [][]types.Value{
		{"Created At", s.CreatedAt.UTC().Format(stampLayout)},
		{"Created By", s.CreatedBy},
		{"Updated At", s.UpdatedAt.UTC().Format(stampLayout)},
		{"Updated By", s.UpdatedBy},
	}
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

func properties(ps []ast.Property) map[string]string {
	if len(ps) == 0 {
		return nil
	}
	m := make(map[string]string, len(ps))
	for _, p := range ps {
		m[p.Key] = p.Value
	}
	return m
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
			if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingDelete, From: p.schema.Location, At: r.now}); err != nil {
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
	if len(tables)+len(volumes) > 0 && !cascade {
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

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
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

func (r *run) commentOn(ctx context.Context, n *ast.CommentOn) (*Result, error) {
	comment := ""
	if n.Comment != nil {
		comment = *n.Comment
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		switch n.Kind {
		case "CATALOG":
			name, err := parts(n.Name, 1)
			if err != nil {
				return err
			}
			c, err := findCatalog(tx, name[0])
			if err != nil {
				return err
			}
			c = c.Clone()
			c.Comment = comment
			r.touch(&c.Securable)
			return tx.UpdateCatalog(c)
		case "SCHEMA":
			catalogName, name, err := r.schemaName(n.Name)
			if err != nil {
				return err
			}
			p, err := findSchema(tx, catalogName, name)
			if err != nil {
				return err
			}
			s := p.schema.Clone()
			s.Comment = comment
			r.touch(&s.Securable)
			return tx.UpdateSchema(s)
		case "TABLE":
			rel, err := r.relation(tx, n.Name)
			if err != nil {
				return err
			}
			if err := errors.Join(writable(rel.place), r.gate(rel)); err != nil {
				return err
			}
			t := rel.table.Clone()
			t.Comment = comment
			return r.saveTable(tx, t, "COMMENT ON TABLE")
		}
		return sqlerr.Unsupported("STATEMENT", "COMMENT ON "+n.Kind).At(n.Name.Span())
	})
	return none(), at(err, n.Name)
}

// legacyOutput tells whether SHOW statements name their columns as Spark 2 and Databricks do.
func (r *run) legacyOutput() bool { return r.s.Conf.Bool(conf.KeepCommandSchema) }
