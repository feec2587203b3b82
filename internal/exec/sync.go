package exec

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/migrate"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// sync is SYNC SCHEMA and SYNC TABLE: one row a table. Names that mean nothing fail the statement; what is wrong with a table is
// in its row.
func (r *run) sync(ctx context.Context, n *ast.Sync) (*Result, error) {
	req := migrate.Request{
		AsExternal: n.AsExternal || r.s.Conf.Bool(conf.SyncManaged), DryRun: n.DryRun, KeepSource: r.s.Conf.Bool(conf.KeepSyncSource),
		WantLog: r.s.Conf.Bool(conf.PartitionLog), CaseSensitive: r.s.Conf.Bool(conf.CaseSensitive), Actor: r.s.User, Statement: r.text,
	}
	if n.Owner != nil {
		req.Owner = n.Owner.Name
	}
	if n.Schema {
		return r.syncSchema(ctx, n, req)
	}
	if v, ok := r.s.View(n.Source.Ident()); ok {
		return r.syncTempView(n, v.Name)
	}
	var err error
	if req.Source, err = r.qualify(n.Source); err != nil {
		return nil, err
	}
	if req.Target, err = r.qualify(n.Target); err != nil {
		return nil, err
	}
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		if err := syncPlaces(tx, n, req.Source, req.Target); err != nil {
			return err
		}
		_, err := lookup(tx, req.Source, n.Source.Ident())
		return at(err, n.Source)
	})
	if err != nil {
		return nil, err
	}
	row, err := r.x.Syncer(r.s).Sync(ctx, req)
	if err != nil {
		return nil, err
	}
	return syncRows(row), nil
}

// Syncer is what SYNC runs on, in a session.
func (x *Executor) Syncer(s *session.Session) *migrate.Syncer {
	logs := deltaLogs{&run{x: x, s: s, now: x.Now().UTC()}}
	return &migrate.Syncer{Store: x.Store, Stores: x.Stores, Mounts: x.Mounts, Now: x.Now, Point: x.Writes.Point, Logs: logs, Notes: logs}
}

// syncPlaces checks that the source is in a catalog under Hive's rules and the target in one under Unity's.
func syncPlaces(tx catalog.ReadTx, n *ast.Sync, source, target ident.Name) error {
	from, err := findSchema(tx, source[0], source[1])
	if err != nil {
		return at(err, n.Source)
	}
	if from.catalog.Rules != catalog.HiveRules {
		return sqlerr.RequiresHive("SYNC", ident.Quote(from.catalog.Name)).At(n.Source.Span())
	}
	to, err := findSchema(tx, target[0], target[1])
	if err != nil {
		return at(err, n.Target)
	}
	if to.catalog.Rules != catalog.UnityRules {
		return sqlerr.RequiresUnity("SYNC", ident.Quote(to.catalog.Name)).At(n.Target.Span())
	}
	return nil
}

// syncSchema synchronises every table of a schema, by name.
func (r *run) syncSchema(ctx context.Context, n *ast.Sync, req migrate.Request) (*Result, error) {
	fromCatalog, fromSchema, err := r.schemaName(n.Source)
	if err != nil {
		return nil, err
	}
	toCatalog, toSchema, err := r.schemaName(n.Target)
	if err != nil {
		return nil, err
	}
	var names []string
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		if err := syncPlaces(tx, n, ident.Name{fromCatalog, fromSchema}, ident.Name{toCatalog, toSchema}); err != nil {
			return err
		}
		p, err := findSchema(tx, fromCatalog, fromSchema)
		if err != nil {
			return err
		}
		all, err := tx.Tables(p.schema.ID)
		for _, t := range all {
			names = append(names, t.Name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows []migrate.Row
	for i, name := range names {
		r.progress(fmt.Sprintf("SYNC: table %d of %d", i+1, len(names)))
		req.Source, req.Target = ident.Name{fromCatalog, fromSchema, name}, ident.Name{toCatalog, toSchema, name}
		row, err := r.x.Syncer(r.s).Sync(ctx, req)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return syncRows(rows...), nil
}

// syncTempView is the row of a temporary view, which is in no schema.
func (r *run) syncTempView(n *ast.Sync, name string) (*Result, error) {
	target, err := r.qualify(n.Target)
	if err != nil {
		return nil, err
	}
	e := sqlerr.UpgradeTableType(ident.Quote(name), "TEMPORARY VIEW")
	return table(syncColumns(), [][]types.Value{{nil, name, "VIEW", target[0], target[1], target[2], "UNSUPPORTED_TABLE_TYPE", e.Error()}}), nil
}

func syncColumns() []plan.Column {
	return stringColumns("source_schema", "source_name", "source_type", "target_catalog", "target_schema", "target_name", "status_code", "description")
}

func syncRows(rows ...migrate.Row) *Result {
	out := make([][]types.Value, len(rows))
	for i, w := range rows {
		out[i] = []types.Value{w.SourceSchema, w.SourceName, w.SourceType, w.TargetCatalog, w.TargetSchema, w.TargetName, w.Status, w.Description}
	}
	return table(syncColumns(), out)
}
