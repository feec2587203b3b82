package exec

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// cache runs CACHE, UNCACHE and CLEAR CACHE. A copy is Parquet files in the engine's directory for temporary files; later
// statements of the session read it in place of the table or view, as long as nothing that it was made of has changed.
func (r *run) cache(ctx context.Context, n *ast.Cache) (*Result, error) {
	if n.Verb == "CLEAR" {
		for _, c := range r.s.Caches() {
			dropCopy(c)
			r.s.DropCache(c)
		}
		return none(), nil
	}
	if n.Query != nil {
		view := &ast.CreateView{At: n.At, Name: n.Table, Temporary: true, Query: n.Query, Text: n.Text}
		if _, err := r.createTempView(ctx, view); err != nil {
			return nil, err
		}
	}
	key, name, err := r.cacheKey(ctx, n.Table)
	if err != nil {
		if n.IfExists && isNotFound(err) {
			return none(), nil
		}
		return nil, err
	}
	old := r.s.Cache(key)
	if n.Verb == "UNCACHE" {
		if old != nil {
			dropCopy(old)
			r.s.DropCache(old)
		}
		return none(), nil
	}
	if old != nil {
		return none(), nil // as in Spark, it stays as it is
	}
	c := &session.Cached{Key: key, Name: name.String()}
	r.s.PutCache(c)
	if n.Lazy {
		return none(), nil
	}
	if err := r.fill(ctx, c, name, bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema}); err != nil {
		r.s.DropCache(c)
		return nil, at(err, n.Table)
	}
	return none(), nil
}

func temporaryCacheKey(v *session.TempView) string {
	return "view " + tempName(ident.Fold(v.Name), v.Global).Quoted()
}

// cacheKey is what tells the table or view of a name, and its full name.
func (r *run) cacheKey(ctx context.Context, n ast.Name) (string, ident.Name, error) {
	if v, ok := r.s.View(n.Ident()); ok {
		return temporaryCacheKey(v), tempName(v.Name, v.Global), nil
	}
	var rel relation
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		rel, err = r.relation(tx, n)
		return err
	})
	if err != nil {
		return "", nil, err
	}
	return string(rel.table.ID), rel.fullName(), at(r.gate(rel), n)
}

// dropCopy deletes the copy of an entry, which stays: it is made again at the next access.
func dropCopy(c *session.Cached) {
	if c.Dir != "" {
		_ = os.RemoveAll(c.Dir) // what is left goes with the engine's directory
	}
	c.Dir, c.Seen, c.Plain = "", nil, false
}

// cached is the copy of a table or view, made now when there is none or it is stale; nil when it is not cached.
func (q *relations) cached(ctx context.Context, key string, name ident.Name) (*bind.Relation, error) {
	c := q.run.s.Cache(key)
	if c == nil || q.raw == key {
		return nil, nil
	}
	fresh := false
	if c.Dir != "" || c.Plain {
		err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
			fresh, err = q.run.fresh(tx, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if !fresh {
		dropCopy(c)
		if err := q.run.fill(ctx, c, name, bind.Namespace{Catalog: q.run.s.Catalog, Schema: q.run.s.Schema}); err != nil {
			return nil, err
		}
	}
	if c.Plain {
		return nil, nil
	}
	q.seen = append(q.seen, c.Seen...)
	loc, err := storage.ParseLocation(c.Dir, "/")
	if err != nil {
		return nil, err
	}
	rel := &plan.Relation{Format: "parquet", Paths: []string{loc.String()}, Schema: c.Columns, Cached: c.Name}
	q.sources[rel] = &scan.Source{Name: c.Name, Roots: []storage.Location{loc}, Format: "parquet", Columns: c.Columns, Kind: scan.FromPath}
	return &bind.Relation{Name: name, Scan: rel}, nil
}

// fresh reports whether everything that a copy was made of is as it was then.
func (r *run) fresh(tx catalog.ReadTx, c *session.Cached) (bool, error) {
	for _, s := range c.Seen {
		ok := true
		switch {
		case s.Table != "":
			t, err := tx.TableByID(catalog.ID(s.Table))
			if err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return false, err
			}
			ok = err == nil && t.Version == s.Version
		case s.Stored != "":
			ok = r.sameFunction(tx, s)
		case s.View != nil:
			now, found := r.s.View(tempName(s.View.Name, s.View.Global))
			ok = found && now == s.View
		case s.Variable != nil:
			ok = r.s.Variable(s.Variable.Name) == s.Variable
		case s.Function != nil:
			ok = r.s.Function(s.Function.Name) == s.Function
		case s.Settings != "":
			ok = s.Settings == r.cacheSettings()
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}

func (r *run) sameFunction(tx catalog.ReadTx, s session.Seen) bool {
	f, err := tx.FunctionByID(catalog.ID(s.Stored))
	return err == nil && f.Text == s.Text
}

// cacheSettings are the settings under which a query may have other rows.
func (r *run) cacheSettings() string {
	c := r.s.Conf
	return fmt.Sprint(c.Bool(conf.ANSI), c.Bool(conf.CaseSensitive), c.Location(), r.s.Catalog, r.s.Schema)
}

// fill makes the copy of an entry.
func (r *run) fill(ctx context.Context, c *session.Cached, name ident.Name, ns bind.Namespace) error {
	rels := newRelations(r)
	rels.raw = c.Key
	n := ast.Name{}
	for _, p := range name {
		n.Parts = append(n.Parts, ast.Ident{Name: p, Quoted: true})
	}
	env := r.bindEnv(rels)
	env.Namespace = ns
	node, err := bind.Bind(ctx, &ast.Query{Body: &ast.TableQuery{Name: n}}, env)
	if err != nil {
		return err
	}
	inputs, err := r.steadyInputs(ctx, node, rels)
	if err != nil {
		return err
	}
	r.warnDrift(ctx, rels)
	var columns []types.Field
	w := engine.Write{Query: r.engineQuery(node, inputs, "copying "+c.Name), Format: "parquet"}
	for _, col := range node.Output() {
		columns = append(columns, types.Field{Name: col.Name, Type: col.Type})
		w.Names = append(w.Names, col.Name)
		c.Plain = c.Plain || !copies(col.Type)
	}
	if !c.Plain {
		dir, err := r.x.Engine.Scratch()
		if err != nil {
			return err
		}
		w.Dir = dir
		if _, err := r.x.Engine.Write(ctx, w); err != nil {
			_ = os.RemoveAll(dir) // what is left goes with the engine's directory
			return err
		}
		c.Dir, c.Columns = dir, columns
	} else {
		r.s.Warn("NOT_CACHED", "The table or view "+c.Name+" has a column of a type that a copy cannot hold: it is read anew each time.", map[string]string{"tableName": c.Name})
	}
	c.Seen = append(rels.seen, session.Seen{Settings: r.cacheSettings()})
	for _, t := range rels.tables {
		c.Seen = append(c.Seen, session.Seen{Table: string(t.ID), Version: t.Version})
	}
	return nil
}

// copies reports whether Parquet files hold values of a type as they are.
func copies(t types.Type) bool {
	return !t.Holds(func(p types.Type) bool {
		switch p.Kind {
		case types.Void, types.CalendarInterval, types.YearMonthInterval, types.DayTimeInterval, types.Variant:
			return true
		case types.Struct:
			return len(p.Fields) == 0
		}
		return false
	})
}

// forget deletes the copies that were made of something that depends reports.
func (r *run) forget(depends func(session.Seen) bool) {
	for _, c := range r.s.Caches() {
		for _, s := range c.Seen {
			if depends(s) {
				dropCopy(c)
				break
			}
		}
	}
}

// afterStatement drops what a statement has made useless: copies of files that were read by path when it may have written
// files, copies of tables when it wrote by path, which may be a table's and changes no version, and entries of tables that are
// gone.
func (r *run) afterStatement(ctx context.Context, stmt ast.Statement) {
	if len(r.s.Caches()) == 0 {
		return
	}
	switch n := stmt.(type) {
	case *ast.MultiInsert:
		for _, part := range n.Inserts {
			r.afterStatement(ctx, part)
		}
	case *ast.Insert:
		_, byPath := r.writtenPath(n.Table.Ident())
		r.forget(func(s session.Seen) bool { return s.Path != "" || s.Table != "" && byPath })
	case *ast.InsertDirectory:
		r.forget(func(s session.Seen) bool { return s.Path != "" || s.Table != "" })
	case *ast.CopyInto:
		r.forget(func(s session.Seen) bool { return s.Path != "" })
	case *ast.DropTable, *ast.DropView, *ast.DropSchema, *ast.DropCatalog:
		_ = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error { // a courtesy: the next access finds out as well
			for _, c := range r.s.Caches() {
				gone := false
				for _, s := range c.Seen {
					if s.Table == c.Key {
						_, err := tx.TableByID(catalog.ID(s.Table))
						gone = gone || errors.Is(err, catalog.ErrNotFound)
					}
					if s.View != nil && temporaryCacheKey(s.View) == c.Key {
						now, found := r.s.View(tempName(s.View.Name, s.View.Global))
						gone = gone || !found || now != s.View
					}
				}
				if gone {
					dropCopy(c)
					r.s.DropCache(c)
				}
			}
			return nil
		})
	}
}

// refreshTable forgets the copies that were made of a table or view.
func (r *run) refreshTable(ctx context.Context, n *ast.RefreshTable) (*Result, error) {
	key, _, err := r.cacheKey(ctx, n.Table)
	if err != nil {
		if _, systemErr := r.fieldsOf(ctx, n.Table); systemErr == nil {
			err = nil // a table of information_schema
		}
		return none(), err
	}
	if c := r.s.Cache(key); c != nil {
		dropCopy(c)
	}
	r.forget(func(s session.Seen) bool { return s.Table == key || s.View != nil && temporaryCacheKey(s.View) == key })
	return none(), nil
}

// refreshPath forgets the copies that were made of files below a path.
func (r *run) refreshPath(ctx context.Context, n *ast.RefreshPath) (*Result, error) {
	loc, err := r.location(n.Path)
	if err != nil {
		return nil, at(err, n)
	}
	below := map[string]bool{}
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		near, err := tx.Overlapping(loc.String())
		for _, l := range near {
			below[string(l.ID)] = l.What == catalog.LocatedTable
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.forget(func(s session.Seen) bool {
		return s.Table != "" && below[s.Table] || s.Path != "" && (catalog.Contains(loc.String(), s.Path) || catalog.Contains(s.Path, loc.String()))
	})
	return none(), nil
}
