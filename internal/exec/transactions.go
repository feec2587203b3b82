package exec

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// maxEnded bounds how many ended transactions SHOW TRANSACTIONS lists.
const maxEnded = 100

// showTransactions lists the writes that are under way or stuck, then the most recent ones that ended.
func (r *run) showTransactions(ctx context.Context, n *ast.ShowTransactions) (*Result, error) {
	var id catalog.ID
	if !n.Table.IsZero() {
		rel, err := r.readTable(ctx, n.Table, "SHOW TRANSACTIONS")
		if err != nil {
			return nil, err
		}
		id = rel.table.ID
	}
	var txns []*catalog.Txn
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		txns, err = tx.Txns(id, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.SliceStable(txns, func(a, b int) bool {
		if fa, fb := txns[a].State.Finished(), txns[b].State.Finished(); fa != fb {
			return fb
		}
		return txns[a].ID > txns[b].ID
	})
	cols := append(stringColumns("id", "table", "state"), plan.Column{Name: "since", Type: types.Of(types.Timestamp)})
	cols = append(cols, stringColumns("owner", "operation", "reason", "what_to_do")...)
	rows := [][]types.Value{}
	ended := 0
	for _, t := range txns {
		if t.State.Finished() {
			if ended++; ended > maxEnded {
				break
			}
		}
		rows = append(rows, []types.Value{t.ID, t.TableName, string(t.State), t.Changed.UnixMicro(), t.Actor, t.Operation, orNull(t.Reason), r.advice(t)})
	}
	return table(cols, rows), nil
}

// advice says what a person can do about a transaction.
func (r *run) advice(t *catalog.Txn) types.Value {
	switch {
	case t.State.Finished():
		return nil
	case t.State == catalog.TxnStuck && t.Version > 0:
		return "It has committed; old files are not put aside yet. Look at the reason, then run: tarn recover " + t.ID + " --forward"
	case t.State == catalog.TxnStuck:
		return "Look at the reason, then run: tarn recover " + t.ID + " --forward (finish it), --back (undo it) or --accept (take the files as they are)"
	}
	alive, err := r.x.Writes.Processes.Alive(t.Process)
	switch {
	case err != nil:
		return "Whether its process still runs is not known: " + err.Error()
	case alive:
		return "It is running."
	}
	return "Its process is gone. Run: tarn recover"
}

// vacuum deletes files that commits took out of a table and whose grace has passed.
func (r *run) vacuum(ctx context.Context, n *ast.Vacuum) (*Result, error) {
	retain := time.Duration(-1)
	if n.Hours != "" {
		hours, err := strconv.ParseFloat(n.Hours, 64)
		if err != nil || hours > maxRetention {
			return nil, sqlerr.InvalidTableProperty("RETAIN", n.Hours, "a number of hours from 0 to 87600").At(n.Span())
		}
		retain = time.Duration(hours * float64(time.Hour))
	}
	var tables []relation
	var schema place
	if n.Schema.IsZero() {
		if t, ok, err := r.deltaTargetOf(ctx, n.Table, "VACUUM"); ok {
			if err != nil {
				return nil, err
			}
			return r.vacuumDelta(ctx, n, t, retain)
		}
		rel, err := r.readTable(ctx, n.Table, "VACUUM")
		if err != nil {
			if root, ok := r.writtenPath(n.Table.Ident()); ok {
				return r.vacuumPath(ctx, n, root, retain)
			}
			return nil, err
		}
		tables = append(tables, rel)
	} else {
		catalogName, name, err := r.schemaName(n.Schema)
		if err != nil {
			return nil, err
		}
		err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
			p, err := findSchema(tx, catalogName, name)
			if err != nil {
				return at(err, n.Schema)
			}
			schema = p
			ts, err := tx.Tables(p.schema.ID)
			for _, t := range ts {
				if t.Kind != catalog.View {
					tables = append(tables, relation{p, t})
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	rows := [][]types.Value{}
	for _, rel := range tables {
		if err := writable(rel.place); err != nil {
			return nil, at(err, n.Table)
		}
		if rel.table.Format == deltaFormat {
			more, err := r.vacuumEntry(ctx, rel, retain, n)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
			continue
		}
		gone, err := r.x.Writes.Vacuum(ctx, rel.table, retain, n.DryRun)
		if err != nil {
			return nil, err
		}
		rows = append(rows, vacuumed(gone)...)
	}
	if schema.schema != nil {
		dropped, err := r.vacuumDropped(ctx, schema, retain, n.DryRun)
		if err != nil {
			return nil, err
		}
		rows = append(rows, dropped...)
	}
	return table(vacuumColumns(), rows), nil
}

func vacuumColumns() []plan.Column {
	cols := append(stringColumns("location"), longColumn("bytes"))
	return append(cols, stringColumns("reason", "transaction")...)
}

func vacuumed(gone []write.Vacuumed) [][]types.Value {
	rows := [][]types.Value{}
	for _, v := range gone {
		rows = append(rows, []types.Value{v.Location, v.Bytes, v.Why, orNull(v.Txn)})
	}
	return rows
}

// vacuumPath deletes what writes by path took out of a directory. One that a table has is the table's to look after.
func (r *run) vacuumPath(ctx context.Context, n *ast.Vacuum, root storage.Location, retain time.Duration) (*Result, error) {
	owners, err := r.x.TablesAt(ctx, root.String())
	if err != nil {
		return nil, err
	}
	if len(owners) > 0 {
		return nil, sqlerr.Unsupported("VACUUM_PATH", "VACUUM by path of the location of "+owners[0]+": name the table").At(n.Table.Span())
	}
	gone, err := r.x.Writes.VacuumPath(ctx, root, retain, n.DryRun)
	if err != nil {
		return nil, err
	}
	return table(vacuumColumns(), vacuumed(gone)), nil
}

// writtenPath is the directory that a name such as parquet.`/data/x` means.
func (r *run) writtenPath(name ident.Name) (storage.Location, bool) {
	if len(name) != 2 {
		return storage.Location{}, false
	}
	switch strings.ToLower(name[0]) {
	case "parquet", "csv", "json":
	default:
		return storage.Location{}, false
	}
	root, err := r.location(name[1])
	return root, err == nil
}

// droppedGrace is how long the files of a dropped managed table are kept.
const droppedGrace = 7 * 24 * time.Hour

// vacuumDropped removes the directories of managed tables that were dropped from a schema.
func (r *run) vacuumDropped(ctx context.Context, p place, retain time.Duration, dry bool) ([][]types.Value, error) {
	if retain < 0 {
		retain = droppedGrace
	}
	var todo []catalog.Pending
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		todo, err = tx.Pendings()
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	users := &users{known: map[catalog.ID]registered{}}
	for _, d := range todo {
		if d.Kind != pendingVacuum || !catalog.Contains(p.schema.Location, d.From) {
			continue
		}
		clones, err := r.clonesOfDropped(ctx, d.From)
		if err != nil {
			return rows, err
		}
		if d.At.Add(retain).After(r.now) || clones {
			rows = append(rows, []types.Value{d.From, nil, "KEPT", nil})
			continue
		}
		if !dry {
			gone := d
			gone.Kind = pendingDelete
			if err := r.settleOne(ctx, gone, users); err != nil {
				return rows, err
			}
			if err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error { return tx.DeletePending(d.ID) }); err != nil {
				return rows, err
			}
		}
		rows = append(rows, []types.Value{d.From, nil, "DROPPED", nil})
	}
	return rows, nil
}
