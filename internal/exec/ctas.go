package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// columnsOfQuery gives a table the columns of the query that makes it, the partition columns last, and returns the query's rows.
func (r *run) columnsOfQuery(ctx context.Context, n *ast.CreateTable, t *catalog.Table, full ident.Name) (rowSource, error) {
	if n.HasColumns || len(n.PartitionColumns) > 0 {
		return nil, sqlerr.SchemaWithAsSelect().At(n.Name.Span())
	}
	columns, rows, err := r.asSelect(ctx, n.Query, n.PartitionNames, full.Quoted())
	if err != nil {
		return nil, err
	}
	t.Columns, t.InferPartitions = columns, t.Kind == catalog.External && len(n.PartitionNames) == 0
	for _, f := range columns[len(columns)-len(n.PartitionNames):] {
		t.Partition = append(t.Partition, f.Name)
	}
	return rows, nil
}

// createAsSelect writes the rows of a query and makes or replaces the table in the transaction that commits them.
func (r *run) createAsSelect(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table, rows rowSource) (*Result, error) {
	in, err := r.planCreate(ctx, n, full, t, rows)
	if err != nil {
		return nil, err
	}
	res, err := r.runInsertion(ctx, in)
	if err != nil {
		return nil, err
	}
	return res, r.settle(ctx)
}

// planCreate prepares CREATE [OR REPLACE] TABLE … AS SELECT, or the replacement of a managed table by an empty one, which has
// no rows.
func (r *run) planCreate(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table, rows rowSource) (*insertion, error) {
	var p place
	var old *catalog.Table
	var oldSet *partition.Set
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		if p, err = findSchema(tx, full[0], full[1]); err != nil {
			return at(err, n.Name)
		}
		if old, err = tx.Table(p.schema.ID, full[2]); errors.Is(err, catalog.ErrNotFound) {
			old = nil
			return nil
		} else if err != nil {
			return err
		}
		oldSet, err = tx.Partitions(old.ID, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := catalog.ValidateName(p.catalog.Rules, "table", t.Name); err != nil {
		return nil, at(err, n.Name)
	}
	if t.Mode, err = r.modeOf(p, t); err != nil {
		return nil, at(err, n.Name)
	}
	var version int64
	if old != nil {
		t.ID, version = old.ID, old.Version
	}
	t.Version = version
	if t.Kind == catalog.Managed {
		t.Location = catalog.ManagedLocation(p.catalog.Rules, p.schema, t.Name, t.ID)
		if old != nil && old.Kind == catalog.Managed {
			t.Location = old.Location
		}
	}
	target, err := r.targetOf(p, t, partition.NewSet(t.PartitionLayout()))
	if err != nil {
		return nil, at(err, n.Name)
	}
	if err := r.freshPlace(ctx, n, p, t, old, &target); err != nil {
		return nil, err
	}
	if old != nil && old.Location == t.Location {
		if target.Layout == write.InPlace {
			target.Tree = true
		} else {
			target.Replaced = oldSet
		}
	}
	operation := "CREATE TABLE AS SELECT"
	if n.Replace {
		operation = "CREATE OR REPLACE TABLE AS SELECT"
	}
	in := &insertion{
		silent: silent(p), replaces: old != nil, operation: operation, target: target, scope: write.Scope{Kind: write.Append}, isFixed: make([]bool, len(t.Partition)), static: make([]types.Value, len(t.Partition)),
		format: t.Format, options: r.writerOptions(t.Format, t.Options), data: t.DataColumns(),
	}
	in.create = func(tx catalog.WriteTx) (*catalog.Table, error) {
		made, err := r.settleTable(ctx, tx, n, full, t)
		if err != nil {
			return nil, err
		}
		if made.table == nil || made.table.ID != t.ID || made.table.Location != t.Location || made.replaced && made.table.Version != version+1 {
			return nil, sqlerr.ConcurrentWriteConflict(target.Name, "the table was made or changed by another statement", nil)
		}
		return made.table, nil
	}
	in.source = rows
	return in, nil
}

// freshPlace refuses to make a table over files that are there: CREATE TABLE … AS SELECT would mix its rows with theirs.
func (r *run) freshPlace(ctx context.Context, n *ast.CreateTable, p place, t, old *catalog.Table, target *write.Target) error {
	if old != nil && old.Location == t.Location {
		return nil
	}
	if p.catalog.Rules == catalog.UnityRules && t.Kind == catalog.External {
		err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			except := []catalog.ID{t.ID}
			return catalog.CheckOverlap(tx, catalog.LocatedTable, t.Location, except...)
		})
		if err != nil {
			return at(err, n.LocationAt)
		}
	}
	taken, err := r.holdsAnything(ctx, t.Location)
	if err != nil {
		return err
	}
	switch {
	case taken && t.Kind == catalog.External && n.Replace:
		target.Tree = true
	case taken && old != nil && t.Kind == catalog.Managed && p.catalog.Rules == catalog.UnityRules:
		// The directory carries this table's id: what lies there is of its own earlier versions, waiting for VACUUM.
	case taken && t.Kind == catalog.External:
		return sqlerr.LocationNotEmpty(target.Name, "'"+t.Location+"'").At(n.Name.Span())
	case taken:
		return sqlerr.LocationAlreadyExists(target.Name, "'"+t.Location+"'").At(n.Name.Span())
	default:
		target.NewRoot = true
	}
	return nil
}

// replacesManaged reports whether a CREATE OR REPLACE without a query replaces a managed table by a managed one, so that
// what the table held has to be put aside.
func (r *run) replacesManaged(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table) (bool, error) {
	if !n.Replace || t.Kind != catalog.Managed {
		return false, nil
	}
	managed := false
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return at(err, n.Name)
		}
		old, err := tx.Table(p.schema.ID, full[2])
		if err == nil {
			managed = old.Kind == catalog.Managed
		} else if !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		return nil
	})
	return managed, err
}

// replaceManaged replaces a managed table by an empty one.
func (r *run) replaceManaged(ctx context.Context, n *ast.CreateTable, full ident.Name, t *catalog.Table) (*Result, error) {
	in, err := r.planCreate(ctx, n, full, t, nil)
	if err != nil {
		return nil, err
	}
	in.operation = "CREATE OR REPLACE TABLE"
	if _, err := r.commitFiles(ctx, in); err != nil {
		return nil, err
	}
	return none(), r.makeDir(ctx, t.Location)
}

// commitFiles commits a write that adds no rows.
func (r *run) commitFiles(ctx context.Context, in *insertion) (write.Result, error) {
	job, err := r.x.Writes.Begin(ctx, in.target, in.scope, r.commit(in.operation))
	if err != nil {
		return write.Result{}, err
	}
	defer job.Abort(ctx)
	if in.create != nil {
		job.Creates(in.create)
	}
	return r.commitJob(ctx, job, nil)
}

// asSelect binds a query whose columns are those of the target.
func (r *run) asSelect(ctx context.Context, q *ast.Query, keys []ast.Ident, name string) (columns []types.Field, rows rowSource, err error) {
	rows, err = begun(ctx, func(ctx context.Context) (*boundRows, error) {
		rels := newRelations(r)
		made, err := bind.BindCreateAs(ctx, q, keys, name, r.bindEnv(rels))
		if err != nil {
			return nil, err
		}
		columns = made.Columns
		return &boundRows{&bind.Insert{Root: made.Root, Ordered: made.Ordered}, rels}, nil
	})
	return columns, rows, err
}
