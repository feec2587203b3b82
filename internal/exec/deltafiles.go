package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// deltaRows are rows that become files of a Delta table.
type deltaRows struct {
	schema   protocol.Schema
	metadata *protocol.Metadata
	// bind gives the rows: the data columns in the schema's order, then those partition columns that are not static. It is asked
	// anew when a file that the rows are read from was replaced meanwhile.
	bind func(ctx context.Context) (root plan.Node, ordered bool, err error)
	rels *relations
	// static are the values of partition columns by level; a level beyond them, or one that is not fixed, is in the rows.
	static []types.Value
	fixed  []bool
}

// deltaFiles are files that were written and that no version names yet.
type deltaFiles struct {
	stage   *delta.Stage
	objects []storage.Object
	adds    []*protocol.Add
	rows    int64
	bytes   int64
}

// discard removes the files, when the write has failed.
func (f *deltaFiles) discard(ctx context.Context) {
	f.stage.Discard(ctx, f.objects)
}

// writeDeltaFiles lets the engine write rows into files of a table. No reader sees them before a commit names them.
func (r *run) writeDeltaFiles(ctx context.Context, log *delta.Log, rows deltaRows) (out *deltaFiles, err error) {
	columns := protocol.FileColumns(rows.schema, rows.metadata)
	if len(columns) == 0 {
		return nil, sqlerr.Unsupported("DELTA_WITHOUT_DATA_COLUMNS", "writing a Delta table that has only partition columns")
	}
	out = &deltaFiles{}
	if out.stage, err = log.Stage(ctx, string(catalog.NewID()), r.x.Engine.Scratch); err != nil {
		return nil, err
	}
	defer out.stage.Remove(ctx)
	w := engine.Write{
		Format: "parquet", Options: map[string]string{"compression": deltaCodec(rows.metadata)}, Dir: out.stage.Dir,
		MaxFileBytes: r.s.Conf.Bytes(conf.TargetFileSize), RowGroupBytes: r.s.Conf.Bytes(conf.RowGroupSize),
	}
	mapped := protocol.MappingModeOf(rows.metadata) != protocol.MappingNone
	for _, c := range columns {
		w.Names = append(w.Names, c.Physical)
		if mapped {
			w.Stored = append(w.Stored, storedType(c))
			w.FieldIDs = append(w.FieldIDs, fieldID(c))
		}
	}
	var written *engine.Written
	for restarts := (restarts{}); ; {
		root, ordered, bindErr := rows.bind(ctx)
		if bindErr != nil {
			return nil, bindErr
		}
		written, err = r.stageDelta(ctx, w, root, ordered, rows)
		if !restarts.again(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.placeDelta(ctx, log, rows, written, out); err != nil {
		out.discard(ctx)
		return nil, err
	}
	return out, nil
}

func (r *run) stageDelta(ctx context.Context, w engine.Write, root plan.Node, ordered bool, rows deltaRows) (*engine.Written, error) {
	root = withoutVoid(root, rows)
	inputs, err := r.steadyInputs(ctx, root, rows.rels)
	if err != nil {
		return nil, err
	}
	w.Query, w.Ordered = r.engineQuery(root, inputs, "writing"), ordered
	for i := len(w.Names); i < len(root.Output()); i++ {
		w.Partition = append(w.Partition, i)
	}
	return r.x.Engine.Write(ctx, w)
}

// withoutVoid leaves out the columns of type VOID, which files never have.
func withoutVoid(root plan.Node, rows deltaRows) plan.Node {
	p := &plan.Project{Input: root}
	out := root.Output()
	for _, c := range out {
		if c.Type.Kind != types.Void {
			p.Out, p.Exprs = append(p.Out, c), append(p.Exprs, &expr.Column{ID: c.ID, Name: c.Name, T: c.Type})
		}
	}
	if len(p.Out) == len(out) {
		return root
	}
	return p
}

// placeDelta gives staged files their names below the table's root, and says of each what the log is to hold.
func (r *run) placeDelta(ctx context.Context, log *delta.Log, rows deltaRows, written *engine.Written, out *deltaFiles) error {
	physical := protocol.PhysicalPartitionColumns(rows.schema, rows.metadata)
	suffix := strings.TrimPrefix(codecSuffixes[deltaCodec(rows.metadata)], ".")
	if suffix != "" {
		suffix += "."
	}
	suffix = strings.ReplaceAll(suffix, "zst.", "zstd.")
	placed := make([]delta.Placed, len(written.Files))
	values := make([]protocol.PartitionTexts, len(written.Files))
	for i, f := range written.Files {
		texts, err := r.partitionTexts(rows, f.Partition)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("part-%05d-%s-c000.%sparquet", i, catalog.NewID(), suffix)
		if len(physical) > 0 {
			name = protocol.PartitionDir(physical, texts) + "/" + name
		}
		placed[i] = delta.Placed{Path: f.Path, Name: name}
		for k, p := range physical {
			values[i] = append(values[i], protocol.PartitionText{Column: p, Text: texts[k]})
		}
	}
	var err error
	if out.objects, err = out.stage.Publish(ctx, placed); err != nil {
		return err
	}
	out.adds = make([]*protocol.Add, len(placed))
	err = parallel.Each(ctx, 4, len(placed), func(i int) error {
		stats, err := r.deltaStats(ctx, log.File(out.objects[i]), rows)
		out.adds[i] = &protocol.Add{
			Path: protocol.EncodePath(placed[i].Name), PartitionValues: values[i], Size: out.objects[i].Size,
			ModificationTime: out.objects[i].ModTime.UnixMilli(), DataChange: true, Stats: stats,
		}
		return err
	})
	if err != nil {
		return err
	}
	out.rows = written.Rows
	for _, a := range out.adds {
		out.bytes += a.Size
	}
	return nil
}

// partitionTexts are the partition values of a file as the log holds them, by level.
func (r *run) partitionTexts(rows deltaRows, dynamic []types.Value) ([]string, error) {
	var out []string
	next := 0
	for level, name := range rows.metadata.PartitionColumns {
		i := rows.schema.Find(name)
		if i < 0 {
			return nil, sqlerr.Internal(errors.New("the partition column " + name + " is not in the schema"))
		}
		t := rows.schema.Columns()[i].Type
		var v types.Value
		if level < len(rows.fixed) && rows.fixed[level] {
			v = rows.static[level]
		} else {
			v = dynamic[next]
			next++
		}
		if wall, ok := v.(int64); ok && t.Kind == types.Timestamp {
			v = instant(wall, r.s.Conf.Location())
		}
		out = append(out, protocol.FormatPartitionValue(t, v))
	}
	return out, nil
}

// deltaStats are the statistics of a file that was written.
func (r *run) deltaStats(ctx context.Context, f storage.File, rows deltaRows) (string, error) {
	b := protocol.NewStatsBuilder(rows.schema, rows.metadata)
	var paths [][]string
	var of []types.Type
	b.Leaves(func(path []string, t types.Type) {
		paths, of = append(paths, path), append(of, t)
	})
	err := r.x.Scans.Statistics(ctx, f, paths, of, func(n int64, leaves []format.LeafRange) {
		b.Rows(n)
		for i, l := range leaves {
			b.Bounds(paths[i], l.Min, l.Max, l.Nulls, l.Known)
		}
	})
	return b.JSON(), err
}

// deltaCodec is how a table's files are compressed.
func deltaCodec(m *protocol.Metadata) string {
	if c := strings.ToLower(m.Configuration["delta.parquet.compression.codec"]); c != "" {
		return c
	}
	return "zstd"
}

// storedType is the type of a column in files, which may call the fields of structs otherwise.
func storedType(c protocol.FileColumn) types.Type {
	t := c.Type
	switch t.Kind {
	case types.Struct:
		t.Fields = append([]types.Field(nil), t.Fields...)
		for i, child := range c.Children {
			t.Fields[i].Name, t.Fields[i].Type = child.Physical, storedType(child)
		}
	case types.Array:
		elem := storedType(c.Children[0])
		t.Elem = &elem
	case types.Map:
		key, elem := storedType(c.Children[0]), storedType(c.Children[1])
		t.Key, t.Elem = &key, &elem
	}
	return t
}

func fieldID(c protocol.FileColumn) engine.FieldID {
	id := engine.FieldID{ID: int64(c.ID)}
	for _, child := range c.Children {
		if id.Inside == nil {
			id.Inside = map[string]engine.FieldID{}
		}
		name := child.Physical
		switch c.Type.Kind {
		case types.Array, types.Map:
			name = child.Name
		}
		id.Inside[name] = fieldID(child)
	}
	return id
}
