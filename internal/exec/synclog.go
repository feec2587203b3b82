package exec

import (
	"context"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/migrate"
)

// deltaLogs answers a migration about Delta tables, whose logs are the truth. It implements migrate.Logs.
type deltaLogs struct{ run *run }

// Definition implements migrate.Logs.
func (d deltaLogs) Definition(ctx context.Context, t *catalog.Table) (migrate.Definition, error) {
	snap, err := d.run.deltaSnapshot(ctx, t)
	if err != nil {
		return migrate.Definition{}, err
	}
	now := t.Clone()
	fromLog(now, snap)
	return migrate.Definition{Columns: now.Columns, Partition: now.Partition, Properties: now.Properties, Comment: now.Comment}, nil
}
