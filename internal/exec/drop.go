package exec

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// dropTable drops a table, and a view as well: Spark 4.3 takes views, temporary ones included, in DROP TABLE.
func (r *run) dropTable(ctx context.Context, n *ast.DropTable) (*Result, error) {
	if v, ok := r.s.View(n.Name.Ident()); ok {
		r.s.DropView(v)
		return none(), nil
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.relation(tx, n.Name)
		if err != nil {
			if n.IfExists && errors.Is(err, sqlerr.Condition("TABLE_OR_VIEW_NOT_FOUND")) {
				return nil
			}
			return err
		}
		if err := writable(rel.place); err != nil {
			return at(err, n.Name)
		}
		return r.deleteTable(tx, rel)
	})
	if err != nil {
		return nil, err
	}
	return none(), r.settle(ctx)
}

// deleteTable removes a table or view from the catalog and notes what is to be done with its directories.
func (r *run) deleteTable(tx catalog.WriteTx, rel relation) error {
	if rel.table.Kind == catalog.External {
		set, err := tx.Partitions(rel.table.ID, 0)
		if err != nil {
			return err
		}
		if set.Recorded() {
			r.s.Warn("RECORDED_FILES_LEFT", "The files of "+rel.quoted()+" stay below "+rel.table.Location+"/_tarn/data, where only the dropped entries pointed: neither a new table there nor MSCK REPAIR TABLE finds them.", map[string]string{"location": rel.table.Location})
		}
	}
	if err := r.abandon(tx, rel); err != nil {
		return err
	}
	return tx.DeleteTable(rel.table.ID)
}

// abandon notes what becomes of the directories of a managed table that goes: hive_metastore deletes them, custom
// locations of partitions included; elsewhere they stay until VACUUM. External tables keep theirs.
func (r *run) abandon(tx catalog.WriteTx, rel relation) error {
	t := rel.table
	if t.Kind != catalog.Managed {
		return nil
	}
	if rel.catalog.Rules != catalog.HiveRules {
		return tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingVacuum, From: t.Location, At: r.now})
	}
	gone := []string{t.Location}
	if t.Mode == catalog.Log {
		set, err := tx.Partitions(t.ID, 0)
		if err != nil {
			return err
		}
		for i := range set.Len() {
			if _, abs := set.Path(i); abs != "" {
				gone = append(gone, abs)
			}
		}
	}
	for _, loc := range gone {
		if err := tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingDelete, From: loc, At: r.now}); err != nil {
			return err
		}
	}
	return nil
}
