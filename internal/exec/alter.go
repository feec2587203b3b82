package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// alterTable is the table of contents of ALTER TABLE.
func (r *run) alterTable(ctx context.Context, n *ast.AlterTable) (*Result, error) {
	if res, ok, err := r.alterDelta(ctx, n.Name, n.Action); ok || err != nil {
		return res, err
	}
	switch a := n.Action.(type) {
	case *ast.AddPartitions:
		return r.addPartitions(ctx, n, a)
	case *ast.DropPartitions:
		return r.dropPartitions(ctx, n, a)
	case *ast.RenamePartition:
		return r.renamePartition(ctx, n, a)
	case *ast.SetLocation:
		return r.setLocation(ctx, n, a)
	case *ast.RecoverPartitions:
		return r.recoverPartitions(ctx, n)
	case *ast.RenameTo:
		return r.renameTable(ctx, n, a)
	case *ast.SetProperties:
		return r.alter(ctx, n, "ALTER TABLE ... SET TBLPROPERTIES", func(_ relation, t *catalog.Table) error { return setProperties(t, a) })
	case *ast.SetSerde:
		return r.setSerde(ctx, n, a)
	case *ast.UnsetProperties:
		return r.alter(ctx, n, "ALTER TABLE ... UNSET TBLPROPERTIES", func(_ relation, t *catalog.Table) error { return unsetProperties(t, a) })
	case *ast.SetOwner:
		return r.alter(ctx, n, "ALTER TABLE ... OWNER TO", func(_ relation, t *catalog.Table) error { t.Owner = a.Owner.Name; return nil })
	case *ast.AddColumns:
		return r.alter(ctx, n, "ALTER TABLE ... ADD COLUMNS", func(rel relation, t *catalog.Table) error { return r.addColumns(ctx, rel, t, a) })
	case *ast.RenameColumn:
		return r.alter(ctx, n, "ALTER TABLE ... RENAME COLUMN", func(rel relation, t *catalog.Table) error { return r.renameColumn(rel, t, a) })
	case *ast.AlterColumns:
		return r.alter(ctx, n, "ALTER TABLE ... ALTER COLUMN", func(rel relation, t *catalog.Table) error { return r.alterColumns(ctx, rel, t, a) })
	case *ast.DropColumns:
		return r.refuseOperation(ctx, n, "DROP COLUMN")
	case *ast.ReplaceColumns:
		return r.refuseOperation(ctx, n, "REPLACE COLUMNS")
	case *ast.AddConstraint:
		return r.refuseOperation(ctx, n, "ADD CONSTRAINT")
	case *ast.DropConstraint:
		return r.refuseOperation(ctx, n, "DROP CONSTRAINT")
	case *ast.OtherAction:
		return nil, sqlerr.Unsupported("STATEMENT", "ALTER TABLE … "+a.What).At(a.Span())
	}
	return nil, sqlerr.Unsupported("STATEMENT", "this form of ALTER TABLE").At(n.Action.Span())
}

// alter changes a table's own properties in one commit.
func (r *run) alter(ctx context.Context, n *ast.AlterTable, operation string, change func(rel relation, t *catalog.Table) error) (*Result, error) {
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.table(tx, n.Name, operation)
		if err != nil {
			return err
		}
		if err := errors.Join(writable(rel.place), r.gate(rel)); err != nil {
			return at(err, n.Name)
		}
		if _, owner := n.Action.(*ast.SetOwner); !owner {
			if err := refuseDelta(rel, operation); err != nil {
				return at(err, n.Name)
			}
		}
		t := rel.table.Clone()
		t.KeepStatistics()
		if err := change(rel, t); err != nil {
			return at(err, n.Action)
		}
		if err := mayRelayout(tx, rel, t); err != nil {
			return at(err, n.Action)
		}
		return r.saveTable(tx, t, operation)
	})
	return none(), err
}

// refuseOperation names what tables of files cannot do: the files keep their columns, so a dropped name would come back with
// old values when it is used again.
func (r *run) refuseOperation(ctx context.Context, n *ast.AlterTable, operation string) (*Result, error) {
	rel, err := r.readTable(ctx, n.Name, "ALTER TABLE ... "+operation)
	if err != nil {
		return nil, err
	}
	return nil, sqlerr.TableOperation(rel.quoted(), operation).At(n.Action.Span())
}

// isFixed reports whether a property is decided when a table is made.
func isFixed(key string) bool { return strings.EqualFold(key, logProperty) }

func fixedProperty() error {
	return sqlerr.PropertyFixed(logProperty, "Use CREATE OR REPLACE TABLE with the property; it keeps the files, grants and history.")
}

func setProperties(t *catalog.Table, a *ast.SetProperties) error {
	if t.Properties == nil {
		t.Properties = map[string]string{}
	}
	for _, p := range a.Properties {
		if isFixed(p.Key) {
			return fixedProperty()
		}
		if strings.EqualFold(p.Key, "comment") {
			t.Comment = p.Value
			continue
		}
		t.Properties[p.Key] = p.Value
	}
	return nil
}

// setSerde is SET SERDEPROPERTIES, which adds options of the table's files: every table has a format of Spark's own, and so
// no class of Hive's that reads it.
func (r *run) setSerde(ctx context.Context, n *ast.AlterTable, a *ast.SetSerde) (*Result, error) {
	const operation = "ALTER TABLE ... SET [SERDE|SERDEPROPERTIES]"
	return r.alter(ctx, n, operation, func(rel relation, t *catalog.Table) error {
		switch {
		case a.Spec != nil:
			return sqlerr.Unsupported("ALTER_PARTITION_SERDE", "SET SERDE and SET SERDEPROPERTIES of one partition")
		case a.Class != "":
			return sqlerr.Unsupported("ALTER_TABLE_SERDE_FOR_DATASOURCE_TABLE", "SET SERDE for table "+rel.quoted()+", which is of a format of Spark's own")
		}
		if t.Options == nil {
			t.Options = map[string]string{}
		}
		for _, p := range a.Properties {
			for k := range t.Options {
				if strings.EqualFold(k, p.Key) {
					delete(t.Options, k)
				}
			}
			t.Options[p.Key] = p.Value
		}
		return nil
	})
}

// unsetProperties removes properties; those that are not set are passed over, with or without IF EXISTS, as Spark 4.3 does.
func unsetProperties(t *catalog.Table, a *ast.UnsetProperties) error {
	for _, k := range a.Keys {
		if isFixed(k) {
			return fixedProperty()
		}
	}
	for _, k := range a.Keys {
		if strings.EqualFold(k, "comment") {
			t.Comment = ""
		}
		delete(t.Properties, k)
	}
	return nil
}

func (r *run) column(fields []types.Field, name ident.Name) (int, error) {
	if len(name) == 1 {
		for i, f := range fields {
			if r.sameColumn(f.Name, name[0]) {
				return i, nil
			}
		}
	}
	near := make([]string, len(fields))
	for i, f := range fields {
		near[i] = ident.Quote(f.Name)
	}
	return -1, sqlerr.UnresolvedColumn(name.Quoted(), near)
}

func isPartitionColumn(t *catalog.Table, i int) bool { return slices.Contains(t.Keys(), i) }

func (r *run) addColumns(ctx context.Context, rel relation, t *catalog.Table, a *ast.AddColumns) error {
	fresh, err := r.declared(ctx, "ALTER TABLE", a.Columns)
	if err != nil {
		return err
	}
	if err := r.x.Scans.CheckColumns(t.Format, fresh); err != nil {
		return at(err, a.Columns[0])
	}
	end := len(t.Columns) - len(t.Partition)
	for i, f := range fresh {
		if len(a.Columns[i].Path.Parts) > 1 {
			return sqlerr.Unsupported("STATEMENT", "adding a field to a struct").At(a.Columns[i].Span())
		}
		if _, err := r.column(t.Columns, ident.Name{f.Name}); err == nil {
			return sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(f.Name))).At(a.Columns[i].Span())
		}
		to := end
		if p := a.Columns[i].Position; p != nil {
			if to, err = r.position(t, p); err != nil {
				return err
			}
		}
		t.Columns = slices.Insert(t.Columns, to, f)
		end++
	}
	return nil
}

// readByPosition reports whether the columns of a table's files have no names.
func readByPosition(t *catalog.Table) bool {
	return t.Format == "csv" && !format.Options(t.Options).Is("header")
}

// position is where FIRST or AFTER puts a column. Files are read by name (CSV without a header by position), and
// partition columns stay last.
func (r *run) position(t *catalog.Table, p *ast.ColumnPosition) (int, error) {
	if readByPosition(t) {
		r.s.Warn("COLUMNS_MOVED", "The CSV files of this table have no header, so their columns are read by position: in files written before, each value is now that of the column that has its place.", nil)
	}
	if p.First {
		return 0, nil
	}
	i, err := r.column(t.Columns, ident.Name{p.After.Name})
	if err != nil {
		return 0, at(err, p)
	}
	return min(i+1, len(t.Columns)-len(t.Partition)), nil
}

func (r *run) renameColumn(rel relation, t *catalog.Table, a *ast.RenameColumn) error {
	if rel.catalog.Rules == catalog.HiveRules {
		return sqlerr.TableOperation(rel.quoted(), "RENAME COLUMN")
	}
	i, err := r.column(t.Columns, a.From.Ident())
	if err != nil {
		return at(err, a.From)
	}
	if isPartitionColumn(t, i) {
		return sqlerr.CannotAlterPartitionColumn(rel.quoted(), ident.Quote(t.Columns[i].Name))
	}
	if k, err := r.column(t.Columns, ident.Name{a.To.Name}); err == nil && k != i {
		return sqlerr.ColumnAlreadyExists(ident.Quote(ident.Fold(a.To.Name))).At(a.To.Span())
	}
	if !readByPosition(t) {
		r.s.Warn("COLUMN_RENAMED", "Files are read by column name: those written before hold "+ident.Quote(t.Columns[i].Name)+", so "+ident.Quote(a.To.Name)+" reads as NULL from them.", nil)
	}
	t.Columns[i].Name = a.To.Name
	return nil
}

func (r *run) alterColumns(ctx context.Context, rel relation, t *catalog.Table, a *ast.AlterColumns) error {
	for _, c := range a.Changes {
		i, err := r.column(t.Columns, c.Column.Ident())
		if err != nil {
			return at(err, c.Column)
		}
		if isPartitionColumn(t, i) {
			return sqlerr.CannotAlterPartitionColumn(rel.quoted(), ident.Quote(t.Columns[i].Name)).At(c.Span())
		}
		f := &t.Columns[i]
		if c.Type != nil && !types.Equal(c.Type.T, f.Type) {
			if !widens(f.Type, c.Type.T) {
				return sqlerr.NotSupportedChangeColumn(rel.quoted(), ident.Quote(f.Name), quoteType(f.Type), ident.Quote(f.Name), quoteType(c.Type.T)).At(c.Span())
			}
			f.Type = c.Type.T
		}
		if c.DropDefault {
			f.Default = ""
		}
		if c.Default != nil {
			if err := r.setDefault(ctx, "ALTER TABLE", f, c.Default, c.DefaultText, false); err != nil {
				return err
			}
		}
		if c.NewName != nil && !r.sameColumn(c.NewName.Name, f.Name) {
			if err := r.renameColumn(rel, t, &ast.RenameColumn{At: c.At, From: c.Column, To: *c.NewName}); err != nil {
				return err
			}
		}
		if c.Comment != nil {
			f.Comment, f.HasComment = *c.Comment, true
		}
		if c.NotNull != nil {
			f.NotNull = *c.NotNull
		}
		if c.Position != nil {
			if rel.catalog.Rules == catalog.HiveRules {
				return sqlerr.TableOperation(rel.quoted(), "ALTER COLUMN ... FIRST | AFTER").At(c.Position.Span())
			}
			moved := *f
			t.Columns = slices.Delete(t.Columns, i, i+1)
			to, err := r.position(t, c.Position)
			if err != nil {
				return err
			}
			t.Columns = slices.Insert(t.Columns, to, moved)
		}
	}
	return nil
}

// widens reports whether files written with one type can be read as another without losing a value.
func widens(from, to types.Type) bool {
	rank := map[types.Kind]int{types.TinyInt: 1, types.SmallInt: 2, types.Int: 3, types.BigInt: 4}
	switch {
	case rank[from.Kind] > 0 && rank[to.Kind] > rank[from.Kind]:
		return true
	case from.Kind == types.Float && to.Kind == types.Double:
		return true
	case from.Kind == types.Decimal && to.Kind == types.Decimal:
		return to.Scale == from.Scale && to.Precision >= from.Precision
	case from.Kind.IsText() && to.Kind == types.String:
		return true
	case from.Kind == types.Varchar && to.Kind == types.Varchar:
		return to.Precision >= from.Precision
	}
	return false
}

// renameTable gives a table another name within its schema, or in another schema of its catalog. The directory of a
// managed table of hive_metastore moves along, after the commit.
func (r *run) renameTable(ctx context.Context, n *ast.AlterTable, a *ast.RenameTo) (*Result, error) {
	if v, ok := r.s.View(n.Name.Ident()); ok { // as in Spark, the name of no table is meant
		return none(), r.renameTempView(v, a)
	}
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) error {
		rel, err := r.relation(tx, n.Name)
		if err != nil {
			return err
		}
		if rel.table.Kind == catalog.View {
			return sqlerr.ExpectTableNotView(rel.quoted(), "ALTER TABLE ... RENAME TO").At(n.Name.Span())
		}
		return r.renameIn(ctx, tx, rel, a, "ALTER TABLE ... RENAME TO")
	})
	if err != nil {
		return nil, err
	}
	return none(), r.settle(ctx)
}

func (r *run) renameIn(ctx context.Context, tx catalog.WriteTx, rel relation, a *ast.RenameTo, operation string) error {
	if err := errors.Join(writable(rel.place), r.gate(rel)); err != nil {
		return at(err, a)
	}
	name, err := parts(a.Name, 3)
	if err != nil {
		return err
	}
	to := rel.place
	switch len(name) {
	case 2:
		to, err = findSchema(tx, rel.catalog.Name, name[0])
	case 3:
		to, err = findSchema(tx, name[0], name[1])
	}
	if err != nil {
		return at(err, a.Name)
	}
	if to.catalog.ID != rel.catalog.ID {
		return sqlerr.RenameAcrossSchemas(strings.ToLower(string(rel.table.Kind)) + " table").At(a.Name.Span())
	}
	if err := catalog.ValidateName(to.catalog.Rules, "table", name.Last()); err != nil {
		return at(err, a.Name)
	}
	if other, err := tx.Table(to.schema.ID, name.Last()); err == nil && other.ID != rel.table.ID {
		return sqlerr.TableAlreadyExists(to.name(other.Name).Quoted()).At(a.Name.Span())
	}
	t := rel.table.Clone()
	t.Name, t.SchemaID = name.Last(), to.schema.ID
	if t.Kind == catalog.Managed && rel.catalog.Rules == catalog.HiveRules {
		if err := r.moveManaged(ctx, tx, rel, to, t); err != nil {
			return at(err, a.Name)
		}
	}
	return r.saveTable(tx, t, operation)
}

// moveManaged points a managed table at the directory of its new name; the files follow after the commit, those of partitions
// with a place of their own below the table included. A table that SET LOCATION has put elsewhere stays there.
func (r *run) moveManaged(ctx context.Context, tx catalog.WriteTx, rel relation, to place, t *catalog.Table) error {
	own := catalog.ManagedLocation(rel.catalog.Rules, rel.schema, rel.table.Name, t.ID)
	target := catalog.ManagedLocation(to.catalog.Rules, to.schema, t.Name, t.ID)
	if target == rel.table.Location || catalog.LocationKey(own) != catalog.LocationKey(rel.table.Location) {
		return nil
	}
	taken, err := r.exists(ctx, target)
	if err != nil {
		return err
	}
	if taken {
		return sqlerr.LocationAlreadyExists(to.name(t.Name).Quoted(), "'"+target+"'")
	}
	if err := r.rebase(tx, rel, t, target, "ALTER TABLE ... RENAME TO"); err != nil {
		return err
	}
	t.Location = target
	if err := write.Moved(tx, rel.table, rel.quoted(), target); err != nil {
		return err
	}
	return tx.AddPending(catalog.Pending{ID: catalog.NewID(), Kind: pendingRename, From: rel.table.Location, To: target, At: r.now})
}

// rebase moves the entries of a table's log that name a whole location below the table along with it; all others are
// relative to the table.
func (r *run) rebase(tx catalog.WriteTx, rel relation, t *catalog.Table, target, operation string) error {
	if t.Mode != catalog.Log {
		return nil
	}
	set, err := currentSet(tx, rel)
	if err != nil {
		return err
	}
	from, err := storage.ParseLocation(rel.table.Location, "")
	if err != nil {
		return err
	}
	to, err := storage.ParseLocation(target, "")
	if err != nil {
		return err
	}
	ch := &partition.Changes{}
	for i := range set.Len() {
		_, abs := set.Path(i)
		if abs == "" {
			continue
		}
		loc, err := storage.ParseLocation(abs, "")
		if err != nil {
			return err
		}
		if below, inside := from.Rel(loc); inside {
			ch.Relocate(partition.RelocateEntry{Values: set.Values(i), Place: partition.Place{Location: to.Join(below).String()}})
		}
	}
	if ch.Empty() {
		return nil
	}
	return tx.ApplyPartitions(t, ch, r.commit(operation))
}
