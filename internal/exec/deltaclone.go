package exec

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// cloneSource is what a clone is made of: a Delta table at a version, or Parquet files as if they were one.
type cloneSource struct {
	name string
	// version is -1 for files without a log.
	version  int64
	snap     *delta.Snapshot // nil for files without a log
	metadata *protocol.Metadata
	schema   protocol.Schema
	protocol *protocol.Protocol
	// adds name files by absolute paths.
	adds []*protocol.Add
	size int64
}

// planClone finds the source of a clone and where it goes; done tells that the table exists and stays.
func (r *run) planClone(ctx context.Context, n *ast.Clone) (d *newDelta, src *cloneSource, done bool, err error) {
	create := &ast.CreateTable{
		At: n.At, Replace: n.Replace, MustExist: n.MustExist, IfNotExists: n.IfNotExists, Name: n.Table, Location: n.Location, Properties: n.Properties,
	}
	if isDeltaPath(n.Table.Ident()) {
		if n.Location != nil {
			return nil, nil, false, sqlerr.CloneAmbiguousTarget(n.Table.Ident().Quoted(), *n.Location).At(n.Table.Span())
		}
		return nil, nil, false, sqlerr.Unsupported("CLONE_TO_PATH", "a clone to a path: give it a name and a LOCATION").At(n.Table.Span())
	}
	full, err := r.qualify(n.Table)
	if err != nil {
		return nil, nil, false, err
	}
	if done, err := r.mayCreate(ctx, create, full); done || err != nil {
		return nil, nil, done, err
	}
	if src, err = r.cloneSource(ctx, n); err != nil {
		return nil, nil, false, err
	}
	t := &catalog.Table{Securable: r.securable(full[2], nil), Kind: catalog.External, Format: deltaFormat}
	loc, err := r.tableLocation(create, t)
	if err != nil {
		return nil, nil, false, err
	}
	d = &newDelta{run: r, stmt: create, full: full, t: t}
	return d, src, false, d.place(ctx, loc)
}

// cloneTable runs CREATE TABLE … CLONE.
func (r *run) cloneTable(ctx context.Context, n *ast.Clone) (*Result, error) {
	d, src, there, err := r.planClone(ctx, n)
	if there || err != nil {
		return none(), err
	}
	if d.base != nil && src.snap != nil && d.log.Root().String() == src.snap.Log.Root().String() {
		// A table cloned onto itself stays as it is.
		return cloneRow(src, cloned{}), nil
	}
	if d.base == nil && n.Deep {
		if err := d.log.Claim(ctx); err != nil {
			return nil, err
		}
		defer d.log.Release(ctx)
	}
	c, done, err := d.cloneChange(ctx, n, src)
	if err != nil {
		return nil, err
	}
	target := &deltaTarget{name: d.full.Quoted(), log: d.log, snap: d.base, rels: newRelations(r), silent: d.silent}
	made, err := r.commitDelta(ctx, target, c)
	if err != nil {
		return nil, err
	}
	fromLog(d.t, made.Snapshot)
	r.x.Deltas.Reached("delta-entry")
	if err := r.writeTable(ctx, d.stmt, d.full, d.t); err != nil {
		return nil, err
	}
	return cloneRow(src, done), nil
}

// cloneSource finds the source and its files.
func (r *run) cloneSource(ctx context.Context, n *ast.Clone) (*cloneSource, error) {
	rels := newRelations(r)
	rels.columnless = true
	name, ns := n.Source.Ident(), bind.Namespace{Catalog: r.s.Catalog, Schema: r.s.Schema}
	var rel *bind.Relation
	var err error
	if n.AsOf != nil {
		travel, bindErr := bind.BindTimeTravel(ctx, n.AsOf, r.bindEnv(rels))
		if bindErr != nil {
			return nil, bindErr
		}
		rel, err = rels.AsOf(ctx, name, ns, travel)
	} else {
		rel, err = rels.Relation(ctx, name, ns)
	}
	switch {
	case err != nil:
		return nil, at(err, n.Source)
	case rel == nil:
		return nil, sqlerr.TableOrViewNotFound(name.Quoted(), nil).At(n.Source.Span())
	case rel.View != nil:
		return nil, sqlerr.CloneSource(name.Quoted(), "a view").At(n.Source.Span())
	case rel.Scan == nil:
		return nil, sqlerr.CloneSource(name.Quoted(), "no table of files").At(n.Source.Span())
	}
	from, err := rels.source(rel.Scan)
	if err != nil {
		return nil, err
	}
	shown := name.String()
	if len(rel.Name) > 0 {
		shown = rel.Name.String()
	}
	if from.Kind == scan.FromDelta {
		return deltaSource(shown, from.Delta)
	}
	if rel.Scan.Format != "parquet" {
		return nil, sqlerr.CloneSource(name.Quoted(), "of the format "+rel.Scan.Format).At(n.Source.Span())
	}
	return r.parquetSource(ctx, shown, rel.Scan, from)
}

func deltaSource(name string, snap *delta.Snapshot) (*cloneSource, error) {
	src := &cloneSource{name: name, version: snap.Version, snap: snap, metadata: snap.Metadata, schema: snap.Schema, protocol: snap.Protocol, size: snap.SizeInBytes()}
	root := snap.Log.Root().String()
	files := make([]protocol.Add, 0, snap.NumFiles())
	src.adds = make([]*protocol.Add, 0, snap.NumFiles())
	for a := range snap.Adds() {
		files = append(files, *a)
		b := &files[len(files)-1]
		if !protocol.IsAbsolutePath(a.Path) {
			b.Path = protocol.EncodePath(protocol.ResolvePath(root, a.Path))
		}
		var err error
		if b.DeletionVector, err = a.DeletionVector.Absolute(root); err != nil {
			return nil, err
		}
		b.DataChange, b.BaseRowID, b.DefaultRowCommitVersion = true, nil, nil
		src.adds = append(src.adds, b)
	}
	return src, nil
}

// parquetSource makes of Parquet files what the log of a Delta table would say of them.
func (r *run) parquetSource(ctx context.Context, name string, rel *plan.Relation, from *scan.Source) (*cloneSource, error) {
	groups, err := r.x.Scans.AllFiles(ctx, rel, from, r.scanSettings())
	if err != nil {
		return nil, err
	}
	src := &cloneSource{name: name, version: -1, schema: protocol.SchemaOf(rel.Schema), protocol: protocol.NewProtocol()}
	src.metadata = &protocol.Metadata{Provider: "parquet", PartitionColumns: rel.Partition, Configuration: map[string]string{}}
	src.metadata = src.metadata.WithSchema(src.schema)
	var files []storage.File
	for _, g := range groups {
		var values protocol.PartitionTexts
		for i, p := range from.Partition {
			v := g.Values[i]
			if wall, ok := v.(int64); ok && p.Type.Kind == types.Timestamp {
				v = instant(wall, r.s.Conf.Location())
			}
			values = append(values, protocol.PartitionText{Column: p.Name, Text: protocol.FormatPartitionValue(p.Type, v)})
		}
		for _, f := range g.Files {
			files = append(files, f)
			src.size += f.Size
			src.adds = append(src.adds, &protocol.Add{
				Path: protocol.EncodePath(f.Location().String()), PartitionValues: values, Size: f.Size, ModificationTime: f.ModTime.UnixMilli(), DataChange: true,
			})
		}
	}
	rows := deltaRows{schema: src.schema, metadata: src.metadata}
	err = parallel.Each(ctx, 4, len(files), func(i int) (err error) {
		src.adds[i].Stats, err = r.deltaStats(ctx, files[i], rows)
		return err
	})
	return src, err
}

// cloned counts what a clone did.
type cloned struct{ removed, removedSize, copied, copiedSize int64 }

func cloneRow(src *cloneSource, c cloned) *Result {
	names := []string{"source_table_size", "source_num_of_files", "num_removed_files", "num_copied_files", "removed_files_size", "copied_files_size"}
	var cols []plan.Column
	for _, n := range names {
		cols = append(cols, longColumn(n))
	}
	return table(cols, [][]types.Value{{src.size, int64(len(src.adds)), c.removed, c.copied, c.removedSize, c.copiedSize}})
}

// cloneChange is the commit that makes the clone. The files of a deep one are copied first.
func (d *newDelta) cloneChange(ctx context.Context, n *ast.Clone, src *cloneSource) (*delta.Change, cloned, error) {
	var done cloned
	wishes, err := protocol.SplitProperties(properties(n.Properties))
	if err != nil {
		return nil, done, err
	}
	now := d.now.UnixMilli()
	m := *src.metadata
	m.ID, m.CreatedTime, m.Name, m.Description = string(catalog.NewID()), &now, "", ""
	p := src.protocol
	if d.base != nil {
		m.ID, m.Name, m.Description = d.base.Metadata.ID, d.base.Metadata.Name, d.base.Metadata.Description
		p = p.With(d.base.Protocol.Features()...)
	}
	m = *m.Without("io.unitycatalog.tableId", "delta.coordinatedCommits.commitCoordinator-preview", "delta.coordinatedCommits.commitCoordinatorConf-preview", "delta.coordinatedCommits.tableConf-preview")
	from, to := protocol.MappingModeOf(src.metadata), protocol.MappingModeOf(m.With(wishes.Properties))
	if from != to {
		return nil, done, sqlerr.DeltaMappingMode(from.String(), to.String())
	}
	delete(wishes.Properties, protocol.PropertyMaxColumnID)
	m = *m.With(wishes.Properties)
	p = p.Raise(wishes, &m, src.schema)
	if err := protocol.CheckClone(d.full.Quoted(), p, &m, src.schema); err != nil {
		return nil, done, at(err, n.Table)
	}
	c := &delta.Change{Once: true}
	c.Metadata, c.Reads.WholeTable = &m, true
	if d.base == nil || !p.Equal(d.base.Protocol) {
		c.Protocol = p
	}
	d.cloneDomains(c, src)
	adds := src.adds
	if n.Deep {
		if adds, err = d.copyFiles(ctx, src, &done); err != nil {
			return nil, done, err
		}
	}
	if err := d.difference(c, adds, &done); err != nil {
		return nil, done, err
	}
	c.Info = d.deltaInfo("CLONE", []protocol.Parameter{protocol.TextParameter("source", src.name), protocol.LongParameter("sourceVersion", src.version)}, map[string]string{
		"sourceTableSize": decimal(src.size), "sourceNumOfFiles": decimal(int64(len(src.adds))), "numRemovedFiles": decimal(done.removed),
		"numCopiedFiles": decimal(done.copied), "removedFilesSize": decimal(done.removedSize), "copiedFilesSize": decimal(done.copiedSize),
	})
	return c, done, nil
}

// cloneDomains copies the clustering of the source, and takes away what the table had that the source has not.
func (d *newDelta) cloneDomains(c *delta.Change, src *cloneSource) {
	const clustering = "delta.clustering"
	if src.snap != nil {
		if of := src.snap.Domain(clustering); of != nil {
			c.Domains = append(c.Domains, &protocol.Domain{Domain: clustering, Configuration: of.Configuration})
		}
	}
	if d.base == nil {
		return
	}
	for _, old := range d.base.Domains() {
		if old.Domain != "delta.rowTracking" && !slices.ContainsFunc(c.Domains, func(x *protocol.Domain) bool { return x.Domain == old.Domain }) {
			c.Domains = append(c.Domains, &protocol.Domain{Domain: old.Domain, Configuration: old.Configuration, Removed: true})
		}
	}
}

// difference adds the files that the table lacks and removes those that the source has not. A file of both stays.
func (d *newDelta) difference(c *delta.Change, adds []*protocol.Add, done *cloned) error {
	if d.base == nil {
		c.Adds = adds
		return nil
	}
	type key struct{ path, vector string }
	have := map[key]*protocol.Add{}
	root := d.log.Root().String()
	of := func(a *protocol.Add) (key, error) {
		vector, err := a.DeletionVector.Absolute(root)
		if err != nil || vector == nil {
			return key{protocol.ResolvePath(root, a.Path), ""}, err
		}
		return key{protocol.ResolvePath(root, a.Path), vector.UniqueID()}, nil
	}
	for a := range d.base.Adds() {
		k, err := of(a)
		if err != nil {
			return err
		}
		have[k] = a
	}
	for _, a := range adds {
		k, err := of(a)
		if err != nil {
			return err
		}
		if have[k] != nil {
			delete(have, k)
			continue
		}
		c.Adds = append(c.Adds, a)
	}
	for _, a := range have {
		c.Removes = append(c.Removes, protocol.RemoveOf(a, d.now.UnixMilli(), true))
		done.removed, done.removedSize = done.removed+1, done.removedSize+a.Size
	}
	slices.SortFunc(c.Removes, func(a, b *protocol.Remove) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// sourceTag tells of a file of a deep clone which file of the source it is a copy of: its location, size and time.
const sourceTag = "tarn.cloneSource"

// copyFiles copies the source's data files below the table's root, but for those that an earlier clone has copied, and gives
// the adds of the copies. Deletion vectors are written anew.
func (d *newDelta) copyFiles(ctx context.Context, src *cloneSource, done *cloned) ([]*protocol.Add, error) {
	have := map[string]*protocol.Add{}
	if d.base != nil {
		for a := range d.base.Adds() {
			if tag := a.Tags[sourceTag]; tag != "" {
				have[tag] = a
			}
		}
	}
	out := make([]*protocol.Add, len(src.adds))
	vectors := protocol.NewVectorFile(newUUID())
	hasVectors := false
	var todo []int
	for i, a := range src.adds {
		b := *a
		location := protocol.DecodePath(a.Path)
		tag := location + "|" + decimal(a.Size) + "|" + decimal(a.ModificationTime)
		b.Tags = map[string]string{sourceTag: tag}
		if a.DeletionVector != nil {
			rows, err := src.snap.Vector(ctx, a.DeletionVector)
			if err != nil {
				return nil, err
			}
			if b.DeletionVector, err = vectors.Add(rows); err != nil {
				return nil, err
			}
			hasVectors = true
		}
		if old := have[tag]; old != nil {
			b.Path = old.Path
			if a.DeletionVector == nil && old.DeletionVector == nil {
				b = *old
			}
			out[i] = &b
			continue
		}
		name := location[strings.LastIndexByte(location, '/')+1:]
		if src.snap != nil {
			if rest, ok := strings.CutPrefix(location, src.snap.Log.Root().String()+"/"); ok {
				name = rest
			} else {
				name = string(catalog.NewID()) + "-" + name
			}
		} else {
			name = string(catalog.NewID()) + "-" + name
		}
		b.Path = protocol.EncodePath(name)
		out[i] = &b
		todo = append(todo, i)
		done.copied, done.copiedSize = done.copied+1, done.copiedSize+a.Size
	}
	err := parallel.Each(ctx, 8, len(todo), func(k int) error {
		i := todo[k]
		from, err := storage.ParseLocation(protocol.DecodePath(src.adds[i].Path), "")
		if err != nil {
			return err
		}
		o, err := d.log.CopyIn(ctx, from, protocol.DecodePath(out[i].Path))
		if err == nil {
			out[i].Size, out[i].ModificationTime = o.Size, o.ModTime.UnixMilli()
		}
		return err
	})
	if err == nil && hasVectors {
		err = d.log.PutFile(ctx, vectors.Name(), vectors.Bytes())
	}
	return out, err
}

// newUUID is a random UUID in its binary form.
func newUUID() (id [16]byte) {
	text := strings.ReplaceAll(string(catalog.NewID()), "-", "")
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		panic(err) // an id that NewID made is hexadecimal
	}
	return id
}
