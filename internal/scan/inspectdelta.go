package scan

import (
	"context"

	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// inspectDelta is what the log says of a directory that is a Delta table; nil when it is none.
func (sc *Scanner) inspectDelta(ctx context.Context, root storage.Location, s Settings) (*Inspection, error) {
	log, err := delta.NewLogs(sc.stores).Open(root)
	if err != nil {
		return nil, err
	}
	if there, err := log.Exists(ctx); err != nil || !there {
		return nil, err
	}
	snap, err := log.Snapshot(ctx, delta.At{})
	if err != nil {
		return nil, err
	}
	in := &Inspection{Root: root, Format: "delta", Files: snap.NumFiles(), Bytes: snap.SizeInBytes(), Options: map[string]string{}}
	columns := snap.Schema.Columns()
	var data, keys []types.Field
	for _, name := range snap.Metadata.PartitionColumns {
		if i := snap.Schema.Find(name); i >= 0 {
			keys = append(keys, columns[i])
		}
	}
	for _, c := range columns {
		if fieldNamed(keys, c.Name) < 0 {
			data = append(data, c)
		}
	}
	in.Columns = append(data, keys...)
	src := &Source{Name: root.String(), Kind: FromDelta, Roots: []storage.Location{root}, Format: "parquet", Columns: columns, Delta: snap}
	for _, k := range keys {
		src.Partition = append(src.Partition, partition.Column{Name: k.Name, Type: k.Type})
	}
	in.Partition = src.Partition
	groups, _, err := sc.deltaGroups(ctx, &plan.Scan{Relation: &plan.Relation{}}, src, s)
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		in.Partitions = len(groups)
	}
	for k := range keys {
		seen := map[string]bool{}
		for _, g := range groups {
			seen[types.Format(keys[k].Type, g.values[k], s.Context.Zone)] = true
		}
		in.Distinct = append(in.Distinct, len(seen))
	}
	for _, g := range groups {
		for _, f := range g.facts {
			if f.rows < 0 {
				in.Rows = -1
				return in, nil
			}
			in.Rows += f.rows
		}
	}
	return in, nil
}

func fieldNamed(fields []types.Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	return -1
}
