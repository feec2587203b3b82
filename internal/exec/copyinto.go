package exec

import (
	"context"
	"path"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// copyInto loads files into a table, each of them once: what a commit loaded is remembered by path, size and time, so that the
// statement may be repeated.
func (r *run) copyInto(ctx context.Context, n *ast.CopyInto) (*Result, error) {
	if t, ok, err := r.deltaTargetOf(ctx, n.Table, "COPY INTO"); ok {
		if err != nil {
			return nil, err
		}
		return r.copyDelta(ctx, n, t)
	}
	in, skipped, err := r.planCopy(ctx, n)
	if err != nil {
		return nil, err
	}
	if in == nil {
		return copied(0, 0, skipped), nil
	}
	res, err := r.stageAndCommit(ctx, in)
	if err != nil {
		return nil, err
	}
	return copied(res.Rows, len(in.loads), skipped), nil
}

// copied is the answer of COPY INTO.
func copied(rows int64, loaded int, skipped int64) *Result {
	cols := []plan.Column{longColumn("num_affected_rows"), longColumn("num_inserted_rows"), longColumn("num_loaded_files"), longColumn("num_skipped_files")}
	return table(cols, [][]types.Value{{rows, rows, int64(loaded), skipped}})
}

// copyOption reports whether a COPY_OPTIONS entry is on.
func copyOption(n *ast.CopyInto, name string) bool {
	v, ok := option(n.CopyOptions, name)
	return ok && strings.EqualFold(v, "true")
}

// copyOptions refuses entries of COPY_OPTIONS that Tarn lacks; tables of the given kind may be able to take new columns.
func copyOptions(n *ast.CopyInto, evolves bool) error {
	for _, o := range n.CopyOptions {
		switch {
		case strings.EqualFold(o.Key, "force"):
		case strings.EqualFold(o.Key, "mergeSchema") && (evolves || !strings.EqualFold(o.Value, "true")):
		case strings.EqualFold(o.Key, "mergeSchema"):
			return sqlerr.Unsupported("COPY_OPTION", "the option mergeSchema of COPY INTO for a table that is not a Delta table").At(n.Span())
		default:
			return sqlerr.Unsupported("COPY_OPTION", "the option "+o.Key+" of COPY INTO").At(n.Span())
		}
	}
	return nil
}

// planCopy finds the files to load. There is no insertion when all of them have been loaded before.
func (r *run) planCopy(ctx context.Context, n *ast.CopyInto) (in *insertion, skipped int64, err error) {
	const operation = "COPY INTO"
	if err := copyOptions(n, false); err != nil {
		return nil, 0, err
	}
	rel, err := r.readTable(ctx, n.Table, operation)
	if err != nil {
		return nil, 0, err
	}
	if err := writable(rel.place); err != nil {
		return nil, 0, at(err, n.Table)
	}
	format, err := checkFormat(n.Format.Name, n.Format)
	if err != nil {
		return nil, 0, err
	}
	files, err := r.copySource(ctx, n, format)
	if err != nil {
		return nil, 0, err
	}
	known := map[string]catalog.Load{}
	if !copyOption(n, "force") {
		err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			loads, err := tx.Loads(rel.table.ID)
			for _, l := range loads {
				known[l.Path] = l
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	var loads []catalog.Load
	var paths []string
	for _, f := range files {
		l := catalog.Load{Path: f.Location().String(), Size: f.Size, ModTime: f.ModTime.UTC()}
		if old, ok := known[l.Path]; ok && old.Size == l.Size && old.ModTime.UnixMicro() == l.ModTime.UnixMicro() {
			skipped++
			continue
		}
		loads, paths = append(loads, l), append(paths, l.Path)
	}
	if len(loads) == 0 {
		return nil, skipped, nil
	}
	target, err := r.writeTarget(ctx, rel)
	if err != nil {
		return nil, 0, at(err, n.Table)
	}
	in = &insertion{
		operation: operation, target: target, scope: write.Scope{Kind: write.Append}, format: rel.table.Format, data: rel.table.DataColumns(),
		options: r.writerOptions(rel.table.Format, rel.table.Options), isFixed: make([]bool, len(rel.table.Partition)), static: make([]types.Value, len(rel.table.Partition)), loads: loads,
	}
	in.source = func(ctx context.Context) (*boundRows, error) {
		rels := newRelations(r)
		bound, err := r.bindCopy(ctx, n, rels, insertTarget(rel), format, paths)
		return &boundRows{bound, rels}, err
	}
	return in, skipped, nil
}

// copySource lists the files that the statement is about: those that it names, or all below the path whose name fits the
// pattern.
func (r *run) copySource(ctx context.Context, n *ast.CopyInto, format string) ([]storage.File, error) {
	root, err := r.location(n.Path)
	if err != nil {
		return nil, at(err, n.PathAt)
	}
	var roots []storage.Location
	for _, f := range n.Files {
		roots = append(roots, root.Join(f))
	}
	if len(n.Files) == 0 {
		roots = []storage.Location{root}
	}
	tree, err := scan.ReadTree(ctx, r.x.Stores, roots, scan.TreeOptions{Recursive: true, Glob: len(n.Files) == 0})
	if err != nil {
		return nil, at(err, n.PathAt)
	}
	files := tree.Files
	if n.Pattern != nil {
		if _, err := path.Match(*n.Pattern, ""); err != nil {
			return nil, sqlerr.InvalidLocation(*n.Pattern, "the pattern is not valid: "+err.Error()).At(n.Span())
		}
		var fit []storage.File
		for _, f := range files {
			rel, _ := root.Rel(f.Location())
			whole, err := path.Match(*n.Pattern, rel)
			if err != nil {
				return nil, err
			}
			last, err := path.Match(*n.Pattern, f.Name())
			if err != nil {
				return nil, err
			}
			if whole || last {
				fit = append(fit, f)
			}
		}
		files = fit
	}
	sort.Slice(files, func(a, b int) bool { return files[a].Key < files[b].Key })
	return files, nil
}

// copiedName is what the query over the files calls them; no name of a user has this form.
const copiedName = "\x00copied"

// copiedRows is SELECT items FROM the files, and how they match the table: by name unless the statement says otherwise.
func (r *run) copiedRows(ctx context.Context, n *ast.CopyInto, rels *relations, target bind.InsertTarget, format string, paths []string) (*ast.Query, bind.Into, error) {
	options := map[string]string{}
	for k, v := range properties(n.FormatOptions) {
		options[k] = v
	}
	if _, set := option(n.FormatOptions, "basePath"); !set && len(n.Files) == 0 && n.Pattern == nil {
		// Directories of the form key=value below the path hold columns, although the files are named one by one.
		if root, err := r.location(n.Path); err == nil && r.isDirectory(ctx, root) {
			options["basePath"] = root.String()
		}
	}
	var columns []types.Field
	if format != "parquet" && n.Items == nil && !strings.EqualFold(options["inferSchema"], "true") && !strings.EqualFold(options["header"], "true") && format == "csv" {
		columns = target.Columns // without a header the columns have no names but those of the table
	}
	found, err := rels.files(ctx, format, paths, columns, options)
	if err != nil {
		return nil, bind.Into{}, at(err, n.PathAt)
	}
	rels.supply(copiedName, &bind.Relation{Scan: found})
	into := bind.Into{Columns: n.Columns, ByName: n.Columns == nil && !n.ByPosition && columns == nil, Policy: r.storeAssignment()}
	if target.Delta {
		into.Policy = r.deltaAssignment()
	}
	return copyQuery(n, found.Schema, target.Columns), into, nil
}

// bindCopy binds the rows of the files as those of the table.
func (r *run) bindCopy(ctx context.Context, n *ast.CopyInto, rels *relations, target bind.InsertTarget, format string, paths []string) (*bind.Insert, error) {
	query, into, err := r.copiedRows(ctx, n, rels, target, format, paths)
	if err != nil {
		return nil, err
	}
	bound, err := bind.BindQueryInto(ctx, query, target, into, r.bindEnv(rels))
	return bound, at(err, n)
}

// isDirectory reports whether a directory is at a location.
func (r *run) isDirectory(ctx context.Context, loc storage.Location) bool {
	bucket, _, err := r.x.Stores.Open(loc)
	if err != nil {
		return false
	}
	there, err := bucket.Exists(ctx, loc.DirKey())
	return there && err == nil
}

// supply gives a name of this statement alone a meaning.
func (q *relations) supply(name string, rel *bind.Relation) {
	q.given = map[string]*bind.Relation{name: rel}
}

// copyQuery is SELECT items FROM the files. Text files hold text: a column of theirs that the table has in another type is cast,
// so that a value that does not fit is an error and not NULL.
func copyQuery(n *ast.CopyInto, have, want []types.Field) *ast.Query {
	items := n.Items
	if items == nil {
		for _, f := range have {
			var e ast.Expr = &ast.ColumnRef{At: n.PathAt, Parts: nameOf(n.PathAt, f.Name).Parts}
			for _, c := range want {
				if ident.Equal(c.Name, f.Name) && f.Type.Kind == types.String && !c.Type.Kind.IsText() && !c.Type.Kind.IsNested() {
					e = &ast.Cast{At: n.PathAt, X: e, Type: ast.TypeName{At: n.PathAt, T: c.Type}}
				}
			}
			items = append(items, &ast.SelectItem{At: n.PathAt, Expr: e, Aliases: []ast.Ident{{At: n.PathAt, Name: f.Name}}})
		}
	}
	from := &ast.TableRef{At: n.PathAt, Name: nameOf(n.PathAt, copiedName)}
	return &ast.Query{At: n.At, Body: &ast.Select{At: n.At, Items: items, From: []ast.Relation{from}}}
}

func nameOf(at ast.At, name string) ast.Name {
	return ast.Name{At: at, Parts: []ast.Ident{{At: at, Name: name}}}
}
