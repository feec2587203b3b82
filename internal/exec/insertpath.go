package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// insertByPath plans INSERT INTO or OVERWRITE format.`path`. It returns nil when the name is no path.
func (r *run) insertByPath(ctx context.Context, n *ast.Insert) (*insertion, error) {
	name := n.Table.Ident()
	if len(name) != 2 || n.Table.Computed != nil {
		return nil, nil
	}
	format := strings.ToLower(name[0])
	switch format {
	case "parquet", "csv", "json":
	case "orc", "delta", "iceberg", "avro", "text":
		if strings.ContainsAny(name[1], "/:") {
			return nil, sqlerr.Unsupported("TABLE_FORMAT", "writing files of format "+format).At(n.Table.Span())
		}
		return nil, nil
	default:
		return nil, nil
	}
	for _, c := range []struct {
		what string
		set  bool
	}{
		{"PARTITION (…) in a write by path: name the keys with PARTITIONED BY (…)", n.Spec != nil},
		{"REPLACE WHERE in a write by path", n.ReplaceWhere != nil},
		{"REPLACE USING in a write by path", n.ReplaceUsing != nil},
		{"a column list in a write by path, which has no table to give the columns", n.Columns != nil},
	} {
		if c.set {
			return nil, sqlerr.Unsupported("TABLE_CLAUSE", c.what).At(n.Table.Span())
		}
	}
	root, err := r.location(name[1])
	if err != nil {
		return nil, at(err, n.Table)
	}
	in, err := r.pathInsertion(ctx, n.Query, root, format, n.PartitionedBy, n.Options)
	if err == nil {
		err = r.sameKeys(ctx, root, format, n.PartitionedBy)
	}
	if err != nil {
		return nil, at(err, n.Table)
	}
	in.operation = insertOperation(n)
	r.warnPathWrite(ctx, root)
	dynamic, err := r.dynamic(n.Options)
	if err != nil {
		return nil, err
	}
	if n.Overwrite {
		if err := r.checkPathOverwrite(ctx, root); err != nil {
			return nil, at(err, n.Table)
		}
	}
	switch {
	case !n.Overwrite:
		in.scope.Kind = write.Append
	case dynamic && len(in.target.Columns) > 0:
		in.scope.Kind = write.ReplaceWritten
	default:
		in.scope.Kind, in.target.Tree = write.ReplaceMatching, true
	}
	return in, nil
}

// pathInsertion is what every write by path has in common: the columns come from the query.
func (r *run) pathInsertion(ctx context.Context, q *ast.Query, root storage.Location, format string, keys []ast.Ident, options []ast.Property) (*insertion, error) {
	name := format + "." + ident.Quote(root.String())
	columns, rows, err := r.asSelect(ctx, q, keys, name)
	if err != nil {
		return nil, err
	}
	data, parts := columns[:len(columns)-len(keys)], columns[len(columns)-len(keys):]
	target := write.Target{
		Name: name, Root: root, Layout: write.InPlace, CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive),
		Grace: inPlaceGrace, Marker: true, Strategy: "auto", Rate: r.s.Conf.Bytes(conf.PublishRate),
	}
	if staging := r.s.Conf.Text(conf.StagingRoot); staging != "" {
		if target.Staging, err = r.location(staging); err != nil {
			return nil, err
		}
	}
	bucket, _, err := r.x.Stores.Open(root)
	if err != nil {
		return nil, err
	}
	there, err := bucket.Exists(ctx, root.DirKey())
	if err != nil {
		return nil, err
	}
	target.NewRoot = !there
	for _, f := range parts {
		target.Columns = append(target.Columns, partition.Column{Name: f.Name, Type: f.Type})
	}
	if err := r.x.Scans.CheckOptions(format, properties(options)); err != nil {
		return nil, err
	}
	in := &insertion{
		target: target, format: format, data: data, byPath: true, options: r.writerOptions(format, properties(options)),
		static: make([]types.Value, len(parts)), isFixed: make([]bool, len(parts)),
	}
	in.source = rows
	return in, nil
}

// sameKeys refuses keys that differ from those of the directories that are there: what would come of it could not be read.
func (r *run) sameKeys(ctx context.Context, root storage.Location, format string, keys []ast.Ident) error {
	in, err := r.x.Scans.Infer(ctx, scan.InferRequest{Paths: []storage.Location{root}, Format: format, Columns: []types.Field{}, Settings: r.scanSettings()})
	if err != nil {
		return err
	}
	if in.Tree == nil || len(in.Tree.Files) == 0 {
		return nil
	}
	var have, want []string
	for _, c := range in.Tree.Found.Columns {
		have = append(have, c.Name)
	}
	for _, k := range keys {
		want = append(want, k.Name)
	}
	if len(have) == len(want) {
		same := true
		for i := range have {
			same = same && ident.Equal(have[i], want[i])
		}
		if same {
			return nil
		}
	}
	return sqlerr.PathKeysMismatch(strings.Join(want, ", "), strings.Join(have, ", "), root.String())
}

// checkPathOverwrite refuses to replace what lies below a directory that holds tables, volumes or managed storage: the
// statement names none of them, and managed storage usually has the catalog itself beside it. A directory that is a
// table, or lies in one, is a matter of that table's readers: warnPathWrite tells.
func (r *run) checkPathOverwrite(ctx context.Context, root storage.Location) error {
	places := []storage.Location{root}
	if behind, ok := r.behindLinks(root); ok {
		places = append(places, behind)
	}
	return r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		for _, place := range places {
			key := catalog.LocationKey(place.String())
			near, err := tx.Overlapping(place.String())
			if err != nil {
				return err
			}
			for _, l := range near {
				other := catalog.LocationKey(l.Location)
				if l.What == catalog.LocatedExternal || !catalog.Contains(key, other) || other == key && l.What != catalog.LocatedManaged {
					continue
				}
				return sqlerr.LocationOverlap("overwrite", root.String(), l.What, l.Name, l.Location)
			}
		}
		return nil
	})
}

// behindLinks is the directory that a path of this machine leads to, when symbolic links lead to another one.
func (r *run) behindLinks(root storage.Location) (storage.Location, bool) {
	bucket, _, err := r.x.Stores.Open(root)
	if err != nil {
		return storage.Location{}, false
	}
	path, ok := bucket.LocalPath(strings.TrimSuffix(root.DirKey(), "/"))
	if !ok {
		return storage.Location{}, false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return storage.Location{}, false // what is not there yet holds nothing
	}
	behind, err := r.location(real)
	return behind, err == nil
}

// warnPathWrite tells when a write by path goes around a table's partition log.
func (r *run) warnPathWrite(ctx context.Context, root storage.Location) {
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		near, err := tx.Overlapping(root.String())
		if err != nil {
			return err
		}
		for _, l := range near {
			if l.What != catalog.LocatedTable {
				continue
			}
			t, err := tx.TableByID(l.ID)
			if err != nil {
				return err
			}
			if t.Mode == catalog.Log || t.Kind == catalog.Managed {
				r.s.Warn("PATH_IN_LOG_TABLE", fmt.Sprintf("The path lies in table %s, which keeps a partition log: what this statement writes is not registered. Write to the table by its name, or run MSCK REPAIR TABLE afterwards.", l.Name), map[string]string{"tableName": l.Name})
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		r.x.Log.Warn("look for log tables over a path", "error", err)
	}
}

// insertDirectory runs INSERT OVERWRITE DIRECTORY: what is below the directory goes, and the rows of the query come.
func (r *run) insertDirectory(ctx context.Context, n *ast.InsertDirectory) (*Result, error) {
	in, err := r.planDirectory(ctx, n)
	if err != nil {
		return nil, err
	}
	in.silent = r.s.Catalog == catalog.HiveCatalog
	return r.runInsertion(ctx, in)
}

func (r *run) planDirectory(ctx context.Context, n *ast.InsertDirectory) (*insertion, error) {
	format := ""
	switch {
	case n.Using != nil:
		format = n.Using.Name
	case n.StoredAs != nil && n.StoredAs.Format != nil:
		format = n.StoredAs.Format.Name
	case n.RowFormat != nil || n.StoredAs != nil:
		return nil, sqlerr.Unsupported("TABLE_FORMAT", "ROW FORMAT and STORED AS of INSERT OVERWRITE DIRECTORY; write USING parquet, csv or json").At(n.Span())
	default:
		return nil, sqlerr.Unsupported("TABLE_FORMAT", "INSERT OVERWRITE DIRECTORY without a format; write USING parquet, csv or json").At(n.Span())
	}
	format, err := checkFormat(format, n)
	if err != nil {
		return nil, err
	}
	if format == "orc" {
		return nil, sqlerr.Unsupported("TABLE_FORMAT", "writing files of format orc").At(n.Span())
	}
	path, ok := "", false
	if n.Path != nil {
		path, ok = *n.Path, true
	}
	if text, has := option(n.Options, "path"); has {
		if ok {
			return nil, sqlerr.DuplicateLocation().At(n.Span())
		}
		path, ok = text, true
	}
	if !ok || strings.TrimSpace(path) == "" {
		return nil, sqlerr.EmptyLocation().At(n.Span())
	}
	if n.Local && strings.HasPrefix(path, "/") {
		path = "file:" + path // LOCAL says that the path is this machine's, whatever mounts there are
	}
	root, err := r.location(path)
	if err != nil {
		return nil, at(err, n)
	}
	if err := r.checkPathOverwrite(ctx, root); err != nil {
		return nil, at(err, n)
	}
	in, err := r.pathInsertion(ctx, n.Query, root, format, nil, n.Options)
	if err != nil {
		return nil, at(err, n)
	}
	in.operation = "INSERT OVERWRITE DIRECTORY"
	in.scope.Kind, in.target.Tree = write.ReplaceMatching, true
	r.warnPathWrite(ctx, root)
	return in, nil
}
