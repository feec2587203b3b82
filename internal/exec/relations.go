package exec

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sql/parser"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// relations says what the names of one statement mean. What it answered once it answers again, so that a statement sees one
// version of each table.
type relations struct {
	run     *run
	known   map[string]*bind.Relation
	sources map[*plan.Relation]*scan.Source
	logs    []relation // log tables that were read, for the drift warning
	views   map[catalog.ID]bool
	temps   map[*session.TempView]bool // temporary views that were read
	// tempView is the name of a temporary view that was read, if any.
	tempView string
	// variable and function are the names of a session variable and of a temporary function that were used, if any.
	variable, function string
	// functions are the SQL functions that were looked up, by the name that was looked up; dataFunction tells of one that is
	// declared to read tables.
	functions map[string]*bind.Function
	// seen is what was read besides tables, for a copy that is made of it. raw is the key of the entry of the cache that is
	// being filled, and so not read itself.
	seen         []session.Seen
	raw          string
	dataFunction bool
	// given are relations of this statement alone.
	given map[string]*bind.Relation
	// columnless tells that the statement takes Delta tables that have no columns yet: it changes or clones one.
	columnless bool
	// tables are the definitions behind sources.
	tables map[*scan.Source]*catalog.Table
}

func newRelations(r *run) *relations {
	return &relations{run: r, tables: map[*scan.Source]*catalog.Table{}, known: map[string]*bind.Relation{}, sources: map[*plan.Relation]*scan.Source{}, views: map[catalog.ID]bool{}, temps: map[*session.TempView]bool{}}
}

// reads reports whether a view took part.
func (q *relations) reads(view catalog.ID) bool { return q.views[view] }

// source is where the rows of a relation come from.
func (q *relations) source(rel *plan.Relation) (*scan.Source, error) {
	s, ok := q.sources[rel]
	if !ok {
		return nil, fmt.Errorf("a scan of %s has no source", rel.Format)
	}
	return s, nil
}

// Relation implements bind.Relations.
func (q *relations) Relation(ctx context.Context, name ident.Name, ns bind.Namespace) (*bind.Relation, error) {
	if q.known == nil {
		return nil, nil
	}
	if len(name) == 1 && q.given[name[0]] != nil {
		return q.given[name[0]], nil
	}
	key := ns.Catalog + "\x00" + ns.Schema + "\x00" + name.Quoted()
	if rel, ok := q.known[key]; ok {
		return rel, nil
	}
	rel, err := q.find(ctx, name, ns)
	if err == nil && rel != nil {
		q.known[key] = rel
	}
	return rel, err
}

func (q *relations) find(ctx context.Context, name ident.Name, ns bind.Namespace) (*bind.Relation, error) {
	if v, ok := q.run.s.View(name); ok {
		q.tempView = v.Name
		q.temps[v] = true
		if rel, err := q.cached(ctx, temporaryCacheKey(v), tempName(v.Name, v.Global)); rel != nil || err != nil {
			return rel, err
		}
		q.seen = append(q.seen, session.Seen{View: v})
		return q.temporary(ctx, v)
	}
	full := complete(name, ns)
	if rel, err := q.system(ctx, full); rel != nil || err != nil {
		return rel, err
	}
	var found relation
	var set *partition.Set
	var view *scan.Visibility
	err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if found, err = lookup(tx, full, name); err != nil {
			return err
		}
		set, view, err = snapshot(tx, found.table)
		return err
	})
	if isNotFound(err) {
		if len(name) == 2 {
			return q.byPath(ctx, name)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := q.run.gate(found); err != nil {
		return nil, err
	}
	if found.table.Format == deltaFormat {
		return q.deltaTable(ctx, found, delta.At{})
	}
	if rel, err := q.cached(ctx, string(found.table.ID), found.fullName()); rel != nil || err != nil {
		return rel, err
	}
	if found.table.Kind == catalog.View {
		q.seen = append(q.seen, session.Seen{Table: string(found.table.ID), Version: found.table.Version})
		return q.view(found)
	}
	return q.table(ctx, found, set, view)
}

// snapshot is what a reader of a table needs beside its definition: the registered partitions, and the writes that are under
// way.
func snapshot(tx catalog.ReadTx, t *catalog.Table) (*partition.Set, *scan.Visibility, error) {
	if t.Kind == catalog.View {
		return nil, nil, nil
	}
	set, err := tx.Partitions(t.ID, 0)
	if err != nil {
		return nil, nil, err
	}
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, nil, err
	}
	view, err := write.Visible(tx, t.ID, root)
	return set, view, err
}

func complete(name ident.Name, ns bind.Namespace) ident.Name {
	switch len(name) {
	case 1:
		return ident.Name{ns.Catalog, ns.Schema, name[0]}
	case 2:
		return ident.Name{ns.Catalog, name[0], name[1]}
	}
	return name
}

func (q *relations) temporary(ctx context.Context, v *session.TempView) (*bind.Relation, error) {
	if v.Format != "" {
		rel, err := q.run.fileViewSource(ctx, v, q)
		if err != nil {
			return nil, err
		}
		return &bind.Relation{Name: tempName(v.Name, v.Global), Scan: rel}, nil
	}
	query, err := parseView(v.Text, v.Name)
	if err != nil {
		return nil, err
	}
	return &bind.Relation{Name: tempName(v.Name, v.Global), View: &bind.View{Query: query, Namespace: bind.Namespace{Catalog: v.Catalog, Schema: v.Schema}, Columns: v.Columns, Temporary: true, Under: q.run.madeUnder(v.Settings)}}, nil
}

func parseView(text, name string) (*ast.Query, error) {
	stmt, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	query, ok := stmt.(*ast.Query)
	if !ok {
		return nil, fmt.Errorf("the view %s holds no query", name)
	}
	return query, nil
}

func (q *relations) view(found relation) (*bind.Relation, error) {
	t := found.table
	query, err := parseView(t.ViewText, t.Name)
	if err != nil {
		return nil, err
	}
	q.views[t.ID] = true
	v := &bind.View{Query: query, Namespace: bind.Namespace{Catalog: t.ViewCatalog, Schema: t.ViewSchema}, Columns: t.Columns}
	if !q.run.s.Conf.Bool(conf.CurrentForView) {
		v.Under = q.run.madeUnder(viewSettings(t))
	}
	if names, err := parser.ParseName(t.Options[catalog.ViewColumnsOption]); err == nil {
		v.QueryColumns = names.Ident()
	}
	switch schemaMode(t) {
	case binding:
		v.Mode = bind.ViewBinding
	case typeEvolution:
		v.Mode = bind.ViewTypeEvolution
	case evolution:
		v.Mode = bind.ViewTypeEvolution
		if t.Options[catalog.ViewNamedOption] == "" {
			v.Columns = nil
		}
	}
	return &bind.Relation{Name: found.fullName(), View: v}, nil
}

// table is a catalog table: with its partitions as registered, or to be listed.
func (q *relations) table(ctx context.Context, found relation, set *partition.Set, view *scan.Visibility) (*bind.Relation, error) {
	t := found.table
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, err
	}
	columns, err := q.run.withMissing(ctx, t.Columns)
	if err != nil {
		return nil, err
	}
	rel := &plan.Relation{Table: t, Format: t.Format, Paths: []string{t.Location}, Options: t.Options, Schema: columns, Partition: t.Partition}
	src := &scan.Source{Name: found.fullName().String(), Roots: []storage.Location{root}, Format: t.Format, Options: t.Options, Columns: columns, Partition: partitionColumns(t), Set: set, Kind: scan.FromLog, View: view}
	q.tables[src] = t
	src.Recorded = func(ctx context.Context, rows []int) ([][]storage.File, error) {
		bucket, _, err := q.run.x.Stores.Open(root)
		if err != nil {
			return nil, err
		}
		return q.run.x.Writes.Lists.Of(ctx, bucket, root, src.Set, rows)
	}
	switch {
	case t.Mode == catalog.Listing:
		src.Kind = scan.FromListing
	case t.Mode == catalog.Unpartitioned && set.Len() == 0:
		src.Kind = scan.FromPath
		if t.InferPartitions {
			settings := q.run.scanSettings()
			settings.View = view
			in, err := q.run.x.Scans.Infer(ctx, scan.InferRequest{Paths: src.Roots, Format: t.Format, Options: t.Options, Columns: columns, Settings: settings})
			if err != nil {
				return nil, err
			}
			rel.Schema, rel.Partition = in.Columns, in.Partition
			src.Columns, src.Partition, src.Tree = in.Columns, in.PartitionTypes(), in.Tree
		}
	case t.Mode == catalog.Unpartitioned: // its one entry names its files
		_, _, _, rel.Counted = set.Totals(nil)
	default:
		q.logs = append(q.logs, found)
	}
	q.sources[rel] = src
	return &bind.Relation{Name: found.fullName(), Scan: rel}, nil
}

// refresh looks whether writers have moved files of what was read since it was looked up, and brings the sources up to date if
// so. A table whose definition has changed meanwhile is read as it was.
func (q *relations) refresh(ctx context.Context) (steady bool, err error) {
	steady = true
	var again []*scan.Source // whose tree is to be read anew
	err = q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		for src, t := range q.tables {
			if src.Kind == scan.FromLog && src.Set.Len() > 0 {
				if _, _, _, all := src.Set.Totals(nil); all {
					continue // its files are named by the catalog, and stay until VACUUM
				}
			}
			now, err := tx.TableByID(t.ID)
			if errors.Is(err, catalog.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			set, view, err := snapshot(tx, now)
			if err != nil {
				return err
			}
			if now.Version == t.Version && view.Same(src.View) {
				continue
			}
			steady = false
			q.tables[src] = now
			src.View = view
			if catalog.SameLayout(src.Set.Columns(), set.Columns()) {
				src.Set = set
			}
			if src.Tree != nil {
				again = append(again, src)
			}
		}
		return nil
	})
	for _, src := range again {
		if err != nil {
			break
		}
		settings := q.run.scanSettings()
		settings.View = src.View
		var in *scan.Inferred
		in, err = q.run.x.Scans.Infer(ctx, scan.InferRequest{Paths: src.Roots, Format: src.Format, Options: src.Options, Columns: q.tables[src].Columns, Settings: settings})
		if err == nil && len(in.Partition) == len(src.Partition) {
			src.Tree = in.Tree
		}
	}
	return steady, err
}

// byPath is a read by path: parquet.`/data/x`.
func (q *relations) byPath(ctx context.Context, name ident.Name) (*bind.Relation, error) {
	switch strings.ToLower(name[0]) {
	case "parquet", "csv", "json", "orc":
	case deltaFormat:
		return q.deltaPathOrPartition(ctx, name[1], nil)
	case "iceberg", "avro", "text", "binaryfile":
		if strings.ContainsAny(name[1], "/:") {
			return nil, sqlerr.Unsupported("TABLE_FORMAT", "the format "+strings.ToLower(name[0])+" (it reads parquet, csv and json)")
		}
		return nil, nil
	default:
		return nil, nil
	}
	if strings.TrimSpace(name[1]) == "" {
		return nil, sqlerr.EmptyLocation()
	}
	rel, err := q.files(ctx, strings.ToLower(name[0]), []string{name[1]}, nil, nil)
	if err != nil {
		return nil, err
	}
	q.run.warnDelta(ctx, rel.Paths[0])
	q.run.warnLogTable(ctx, rel.Paths[0])
	return &bind.Relation{Scan: rel}, nil
}

// files is a relation over paths, with its columns inferred unless they are given.
func (q *relations) files(ctx context.Context, format string, paths []string, columns []types.Field, options map[string]string) (*plan.Relation, error) {
	var roots []storage.Location
	var texts []string
	for _, p := range paths {
		loc, err := q.run.location(p)
		if err != nil {
			return nil, err
		}
		roots, texts = append(roots, loc), append(texts, loc.String())
	}
	options = q.run.resolvedOptions(options)
	settings := q.run.scanSettings()
	err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if len(roots) == 1 {
			settings.View, err = write.Visible(tx, "", roots[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	in, err := q.run.x.Scans.Infer(ctx, scan.InferRequest{Paths: roots, Format: format, Options: options, Columns: columns, MustExist: true, Settings: settings})
	if err != nil {
		return nil, err
	}
	rel := &plan.Relation{Format: format, Paths: texts, Options: options, Schema: in.Columns, Partition: in.Partition}
	for _, t := range texts {
		q.seen = append(q.seen, session.Seen{Path: t})
	}
	q.sources[rel] = &scan.Source{Name: format + ".`" + texts[0] + "`", Roots: roots, Format: format, Options: options, Columns: in.Columns, Partition: in.PartitionTypes(), Kind: scan.FromPath, Tree: in.Tree}
	return rel, nil
}

// fileView is the relation of a temporary view over files.
func (r *run) fileView(ctx context.Context, v *session.TempView) (*plan.Relation, error) {
	return r.fileViewSource(ctx, v, newRelations(r))
}

func (r *run) fileViewSource(ctx context.Context, v *session.TempView, q *relations) (*plan.Relation, error) {
	if v.Format == deltaFormat {
		return q.deltaView(ctx, v)
	}
	options := map[string]string{}
	var paths []string
	for k, o := range v.Options {
		if strings.EqualFold(k, "path") {
			paths = append(paths, o)
			continue
		}
		options[k] = o
	}
	if len(paths) == 0 && len(v.Columns) > 0 {
		// It has columns and no files, so no rows.
		rel := &plan.Relation{Format: v.Format, Options: options, Schema: v.Columns}
		q.sources[rel] = &scan.Source{Name: ident.Quote(v.Name), Format: v.Format, Options: options, Columns: v.Columns, Kind: scan.FromPath}
		return rel, nil
	}
	if len(paths) == 0 {
		return nil, sqlerr.UnableToInferSchema(strings.ToUpper(v.Format), "no path: give it in OPTIONS (path '…')")
	}
	return q.files(ctx, v.Format, paths, v.Columns, options)
}

// Near implements bind.Relations: tables of the schema, and temporary views, whose names are alike.
func (q *relations) Near(ctx context.Context, name ident.Name, ns bind.Namespace) []ident.Name {
	full := complete(name, ns)
	var out []ident.Name
	err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return err
		}
		ts, err := tx.Tables(p.schema.ID)
		for _, t := range ts {
			out = append(out, p.name(t.Name))
		}
		return err
	})
	if err != nil {
		out = nil
	}
	for _, v := range q.run.s.Views(false) {
		out = append(out, ident.Name{v.Name})
	}
	sort.SliceStable(out, func(i, j int) bool {
		return ident.Distance(out[i].Last(), name.Last()) < ident.Distance(out[j].Last(), name.Last())
	})
	return out[:min(len(out), 5)]
}

// warnDrift tells when the root of a table with a log holds directories that the log does not know.
func (r *run) warnDrift(ctx context.Context, q *relations) {
	if !r.s.Conf.Bool(conf.WarnUnregistered) {
		return
	}
	for rel, src := range q.sources {
		if src.Kind != scan.FromLog || rel.Table.Kind != catalog.External {
			continue
		}
		n, err := r.x.Scans.Unregistered(ctx, src, r.scanSettings())
		if err != nil || n == 0 {
			continue // the check is a courtesy: it must not fail a query that can be answered
		}
		what := "holds directories that its partition log does not know"
		if src.Set.Len() == 0 {
			what = "has no registered partitions, but its location holds directories"
		}
		r.s.Warn("UNREGISTERED_DIRECTORIES", fmt.Sprintf("The table %s %s (%d at the first level): their rows are not in the answer. Run: MSCK REPAIR TABLE %s SYNC PARTITIONS", src.Name, what, n, src.Name),
			map[string]string{"tableName": src.Name, "directories": fmt.Sprint(n)})
	}
}

// warnLogTable tells when a read by path goes around a table's partition log.
func (r *run) warnLogTable(ctx context.Context, location string) {
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		near, err := tx.Overlapping(location)
		if err != nil {
			return err
		}
		for _, l := range near {
			if l.What != catalog.LocatedTable || !catalog.Contains(l.Location, location) {
				continue
			}
			t, err := tx.TableByID(l.ID)
			if err != nil {
				return err
			}
			if t.Mode == catalog.Log {
				r.s.Warn("PATH_IN_LOG_TABLE", fmt.Sprintf("The path lies in table %s, which keeps a partition log: this read sees every directory, registered or not.", l.Name), map[string]string{"tableName": l.Name})
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		r.x.Log.Warn("look for log tables over a path", "error", err)
	}
}
