package exec

import (
	"context"
	"errors"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/scan"
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

// location reads a LOCATION clause: a URI, an absolute path, one relative to the working directory, or a name of DBFS or of a
// mount, of which the place is taken.
func (r *run) location(text string) (storage.Location, error) {
	if strings.TrimSpace(text) == "" {
		return storage.Location{}, sqlerr.EmptyLocation()
	}
	loc, err := storage.ParseLocation(r.resolved(text), "file:"+r.s.WorkDir)
	if err != nil {
		return loc, scan.StorageFailure(err)
	}
	return loc, nil
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

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// commentOnColumn is ALTER TABLE t ALTER COLUMN c COMMENT.
func (r *run) commentOnColumn(ctx context.Context, n *ast.CommentOn, comment string) (*Result, error) {
	last := len(n.Name.Parts) - 1
	if last < 1 {
		return nil, sqlerr.Syntax("'"+n.Name.String()+"'", "A column is named with its table: table.column.").At(n.Name.Span())
	}
	table, column := n.Name, n.Name
	table.Parts, column.Parts = n.Name.Parts[:last], n.Name.Parts[last:]
	change := &ast.ColumnChange{At: n.At, Column: column, Comment: &comment}
	return r.alterTable(ctx, &ast.AlterTable{At: n.At, Name: table, Action: &ast.AlterColumns{At: n.At, Changes: []*ast.ColumnChange{change}}})
}

func (r *run) commentOn(ctx context.Context, n *ast.CommentOn) (*Result, error) {
	comment := ""
	if n.Comment != nil {
		comment = *n.Comment
	}
	if n.Kind == "COLUMN" {
		return r.commentOnColumn(ctx, n, comment)
	}
	if n.Kind == "TABLE" {
		set := &ast.SetProperties{At: n.At, Properties: []ast.Property{{Key: "comment", Value: comment}}}
		if res, ok, err := r.alterDelta(ctx, n.Name, set); ok {
			return res, err
		}
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
			if err := writable(place{catalog: c}); err != nil {
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
			if err := writable(p); err != nil {
				return err
			}
			s := p.schema.Clone()
			s.Comment = comment
			r.touch(&s.Securable)
			return tx.UpdateSchema(s)
		case "VOLUME":
			_, v, err := r.volume(tx, n.Name)
			if err != nil {
				return err
			}
			v = v.Clone()
			v.Comment = comment
			r.touch(&v.Securable)
			if err := tx.DeleteVolume(v.ID); err != nil {
				return err
			}
			return tx.CreateVolume(v) // the same one, with its id
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
