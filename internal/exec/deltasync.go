package exec

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// syncMetadata is MSCK REPAIR TABLE … SYNC METADATA: what the catalog keeps of a Delta table becomes what its log says, after writes
// by clients that do not know the catalog. The rows of the answer say what changed.
func (r *run) syncMetadata(ctx context.Context, n *ast.Repair) (*Result, error) {
	rel, err := r.readTable(ctx, n.Table, "MSCK REPAIR TABLE ... SYNC METADATA")
	if err != nil {
		return nil, err
	}
	if rel.table.Format != deltaFormat {
		return nil, sqlerr.Unsupported("SYNC_METADATA", "SYNC METADATA, which is for Delta tables. The partitions of this one are repaired by MSCK REPAIR TABLE … SYNC PARTITIONS").At(n.Span())
	}
	if err := writable(rel.place); err != nil {
		return nil, at(err, n.Table)
	}
	log, err := r.deltaLog(rel.table.Location)
	if err != nil {
		return nil, err
	}
	log.Forget() // whoever asks for this does not trust what is remembered
	snap, err := log.Snapshot(ctx, delta.At{})
	if err != nil {
		return nil, at(err, n.Table)
	}
	var rows [][]types.Value
	change := func(tx catalog.ReadTx) (*catalog.Table, error) {
		old, err := tx.TableByID(rel.table.ID)
		if err != nil {
			return nil, err
		}
		t := old.Clone()
		fromLog(t, snap)
		rows = metadataChanges(old, t)
		now := logStatistics(snap)
		if was, ok := old.Statistics(); !ok || was != now {
			row := []types.Value{"statistics", nil, nil, statisticsText(now)}
			if ok {
				row[2] = statisticsText(was)
			}
			rows = append(rows, row)
		}
		t.SetStatistics(now)
		return t, nil
	}
	if n.DryRun {
		err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			_, err := change(tx)
			return err
		})
	} else {
		err = r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
			t, err := change(tx)
			if err != nil || len(rows) == 0 {
				return err
			}
			r.touch(&t.Securable)
			return tx.UpdateTable(t)
		})
	}
	if err != nil {
		return nil, at(err, n.Table)
	}
	if len(rows) == 0 {
		r.s.Warn("NOTHING_TO_REPAIR", "The catalog knows of "+rel.quoted()+" what version "+decimal(snap.Version)+" of its log says.", map[string]string{"tableName": rel.quoted()})
	}
	return table(stringColumns("what", "name", "before", "after"), append([][]types.Value{}, rows...)), nil
}

// metadataChanges are the rows that say how the catalog's copy changes.
func metadataChanges(old, t *catalog.Table) [][]types.Value {
	var rows [][]types.Value
	row := func(what, name, before, after string) {
		rows = append(rows, []types.Value{what, orNull(name), orNull(before), orNull(after)})
	}
	text := func(f types.Field) string {
		s := f.Type.SQL()
		if f.NotNull {
			s += " NOT NULL"
		}
		if f.Default != "" {
			s += " DEFAULT " + f.Default
		}
		if f.Generated != "" {
			s += " GENERATED ALWAYS AS (" + f.Generated + ")"
		}
		if f.HasComment {
			s += " COMMENT " + quoteSQL(f.Comment)
		}
		return s
	}
	of := func(fields []types.Field) (map[string]string, []string) {
		out, names := map[string]string{}, []string{}
		for _, f := range fields {
			out[f.Name], names = text(f), append(names, f.Name)
		}
		return out, names
	}
	had, oldNames := of(old.Columns)
	has, names := of(t.Columns)
	for _, name := range oldNames {
		if _, ok := has[name]; !ok {
			row("column", name, had[name], "")
		}
	}
	for _, name := range names {
		if had[name] != has[name] {
			row("column", name, had[name], has[name])
		}
	}
	if len(rows) == 0 && !slices.Equal(oldNames, names) {
		row("column order", "", strings.Join(oldNames, ", "), strings.Join(names, ", "))
	}
	if !slices.Equal(old.Partition, t.Partition) {
		row("partition columns", "", strings.Join(old.Partition, ", "), strings.Join(t.Partition, ", "))
	}
	before, after := old.OwnProperties(), t.OwnProperties()
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if before[k] != after[k] {
			row("property", k, before[k], after[k])
		}
	}
	if old.Comment != t.Comment {
		row("comment", "", old.Comment, t.Comment)
	}
	return rows
}

// logStatistics is what a log says of how large its table is.
func logStatistics(snap *delta.Snapshot) catalog.Statistics {
	s := catalog.Statistics{Bytes: snap.SizeInBytes()}
	for _, n := range snap.Rows() {
		if n < 0 {
			s.Rows = -1
			break
		}
		s.Rows += n
	}
	return s
}
