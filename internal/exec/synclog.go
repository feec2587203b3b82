package exec

import (
	"context"
	"maps"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/migrate"
)

// deltaLogs answers a migration about Delta tables, whose logs are the truth. It implements migrate.Logs and
// migrate.Notes.
type deltaLogs struct{ run *run }

// Definition implements migrate.Logs.
func (d deltaLogs) Definition(ctx context.Context, t *catalog.Table) (migrate.Definition, error) {
	snap, err := d.run.deltaSnapshot(ctx, t)
	if err != nil {
		return migrate.Definition{}, err
	}
	now := t.Clone()
	fromLog(now, snap)
	return migrate.Definition{
		Columns: now.Columns, Partition: now.Partition, Properties: maps.Clone(snap.Metadata.Configuration), Comment: now.Comment, Version: snap.Version,
		ReadOnly: protocol.CheckAnnotate(t.Name, snap.Protocol) != nil,
	}, nil
}

// ChangedSince implements migrate.Logs.
func (d deltaLogs) ChangedSince(ctx context.Context, t *catalog.Table, version int64) (bool, error) {
	snap, err := d.run.deltaSnapshot(ctx, t)
	if err != nil {
		return false, err
	}
	return snap.ChangedSince(ctx, version)
}

// SetProperties implements migrate.Notes.
func (d deltaLogs) SetProperties(ctx context.Context, t *catalog.Table, properties map[string]string) error {
	snap, err := d.run.deltaSnapshot(ctx, t)
	if err != nil {
		return err
	}
	if err := protocol.CheckAnnotate(t.Name, snap.Protocol); err != nil {
		return err
	}
	c := &delta.Change{}
	c.Metadata = snap.Metadata.With(properties)
	c.Info = d.run.deltaInfo("SET TBLPROPERTIES", []protocol.Parameter{protocol.TextParameter("properties", propertiesJSON(properties))}, nil)
	_, err = d.run.commitDelta(ctx, &deltaTarget{name: t.Name, log: snap.Log, snap: snap, rels: newRelations(d.run), table: t}, c)
	return err
}
