package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/conf"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// logProperty chooses a partition log when a table is made.
const logProperty = "partitionMetadataEnabled"

// createTable makes a table: it decides everything that can be known outside a transaction (format, columns, which may
// need files to be read), then checks and writes in one.
func (r *run) createTable(ctx context.Context, n *ast.CreateTable) (*Result, error) {
	if n.Temporary {
		return nil, sqlerr.Unsupported("STATEMENT", "CREATE TEMPORARY TABLE (use CREATE TEMPORARY VIEW)").At(n.Span())
	}
	if r.makesDeltaPath(n) {
		return r.createDeltaPath(ctx, n)
	}
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	if err := r.checkGenerated(ctx, n, full); err != nil {
		return nil, err
	}
	done, err := r.mayCreate(ctx, n, full)
	if done || err != nil {
		return none(), err
	}
	if isDelta(r.sourceName(n)) {
		return r.createDelta(ctx, n, full)
	}
	t, rows, err := r.draft(ctx, n, full)
	if err != nil {
		return nil, err
	}
	if n.Query != nil {
		return r.createAsSelect(ctx, n, full, t, rows)
	}
	managed, err := r.replacesManaged(ctx, n, full, t)
	if err != nil {
		return nil, err
	}
	if managed {
		return r.replaceManaged(ctx, n, full, t)
	}
	if err := r.writeTable(ctx, n, full, t); err != nil {
		return nil, err
	}
	return none(), nil
}

// mayCreate looks before the files are read whether the statement can succeed at all; done means that there is nothing to
// do. writeTable checks again inside its transaction.
func (r *run) mayCreate(ctx context.Context, n *ast.CreateTable, full ident.Name) (done bool, err error) {
	err = r.x.Store.Read(ctx, func(tx catalog.ReadTx) error {
		p, err := findSchema(tx, full[0], full[1])
		if err != nil {
			return at(err, n.Name)
		}
		if err := writable(p); err != nil {
			return at(err, n.Name)
		}
		done, err = existing(tx, n, p, full)
		return err
	})
	return done, err
}

// existing decides about a name that is taken.
func existing(tx catalog.ReadTx, n *ast.CreateTable, p place, full ident.Name) (done bool, err error) {
	old, err := tx.Table(p.schema.ID, full[2])
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		if n.MustExist {
			return false, sqlerr.TableOrViewNotFound(n.Name.Ident().Quoted(), nil).At(n.Name.Span())
		}
		return false, nil
	case err != nil:
		return false, err
	case n.IfNotExists:
		return true, nil
	case !n.Replace:
		return false, sqlerr.TableAlreadyExists(p.name(old.Name).Quoted()).At(n.Name.Span())
	case old.Kind == catalog.View:
		return false, sqlerr.ExpectTableNotView(p.name(old.Name).Quoted(), "CREATE OR REPLACE TABLE").At(n.Name.Span())
	}
	return false, nil
}

// sourceName is what USING says, or the default; "" for STORED AS.
func (r *run) sourceName(n *ast.CreateTable) string {
	switch {
	case n.Using != nil:
		return n.Using.Name
	case n.StoredAs != nil:
		return ""
	}
	return r.s.Conf.Text(conf.DefaultSource)
}

// isDelta reports whether a format's name means Delta.
func isDelta(name string) bool { return strings.EqualFold(name, deltaFormat) }

// formatOf decides the format: USING, STORED AS, or the default.
func (r *run) formatOf(n *ast.CreateTable) (string, error) {
	name, node := r.s.Conf.Text(conf.DefaultSource), ast.Node(n.Name)
	switch {
	case n.Using != nil:
		name, node = n.Using.Name, n.Using
	case n.StoredAs != nil && n.StoredAs.Format != nil:
		name, node = n.StoredAs.Format.Name, n.StoredAs
	case n.StoredAs != nil:
		return "", sqlerr.Unsupported("TABLE_FORMAT", "STORED AS INPUTFORMAT").At(n.StoredAs.Span())
	}
	if n.RowFormat != nil {
		return "", sqlerr.Unsupported("TABLE_FORMAT", "ROW FORMAT; use USING csv with OPTIONS").At(n.RowFormat.Span())
	}
	if strings.EqualFold(name, "avro") && strings.EqualFold(properties(n.Properties)[logProperty], "true") {
		return "", sqlerr.PartitionLogFormat("avro").At(node.Span())
	}
	return checkFormat(name, node)
}

// checkFormat returns the format that a name means, if Tarn has it. ORC tables can be kept and repaired, though not read.
func checkFormat(name string, node ast.Node) (string, error) {
	switch f := strings.ToLower(name); f {
	case "parquet", "csv", "json", "orc":
		return f, nil
	case "org.apache.spark.sql.parquet", "org.apache.spark.sql.execution.datasources.parquet":
		return "parquet", nil
	case "org.apache.spark.sql.json":
		return "json", nil
	case "com.databricks.spark.csv":
		return "csv", nil
	case "delta", "iceberg", "hudi", "avro", "text", "jdbc", "binaryfile", "xml", "kafka", "hive", "textfile", "sequencefile", "rcfile":
		return "", sqlerr.Unsupported("TABLE_FORMAT", "the format "+f+" (it reads parquet, csv and json)").At(node.Span())
	}
	return "", sqlerr.DataSourceNotFound(name).At(node.Span())
}

// draft decides what the table will be, and which rows come into it. Its ID, and the location of a managed table, are settled
// when it is written.
func (r *run) draft(ctx context.Context, n *ast.CreateTable, full ident.Name) (t *catalog.Table, rows rowSource, err error) {
	if n.ClusterBy != nil && !n.ClusterBy.None {
		return nil, nil, sqlerr.Unsupported("TABLE_CLAUSE", "CLUSTER BY").At(n.ClusterBy.Span())
	}
	if len(n.PartitionTransforms) > 0 {
		return nil, nil, sqlerr.Unsupported("TABLE_CLAUSE", "partition transforms; partition by columns").At(n.PartitionTransforms[0].Span())
	}
	format, err := r.formatOf(n)
	if err != nil {
		return nil, nil, err
	}
	t = &catalog.Table{
		Securable: r.securable(full[2], n.Comment), Kind: catalog.Managed, Format: format,
		Options: r.resolvedOptions(properties(n.Options)), Properties: properties(n.Properties),
	}
	loc, err := r.tableLocation(n, t)
	if err != nil {
		return nil, nil, err
	}
	if loc != nil {
		t.Kind, t.Location = catalog.External, loc.String()
	} else if n.External {
		return nil, nil, sqlerr.ExternalWithoutLocation().At(n.Span())
	}
	if err := r.x.Scans.CheckOptions(format, t.Options); err != nil {
		return nil, nil, err
	}
	for _, name := range r.x.Scans.UnknownOptions(format, t.Options) {
		r.s.Warn("UNKNOWN_OPTION", "The option "+name+" is unknown to the format "+format+" and does nothing. Check its spelling.", map[string]string{"option": name, "format": format})
	}
	if n.Query != nil {
		rows, err = r.columnsOfQuery(ctx, n, t, full)
	} else {
		err = r.columns(ctx, n, t, full, loc)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := r.x.Scans.CheckColumns(format, t.DataColumns()); err != nil {
		return nil, nil, at(err, n.Name)
	}
	return t, rows, r.setBuckets(n, t, full)
}

// tableLocation is LOCATION, or the option path, which means the same.
func (r *run) tableLocation(n *ast.CreateTable, t *catalog.Table) (*storage.Location, error) {
	text := n.Location
	for k, v := range t.Options {
		if strings.EqualFold(k, "path") {
			if text != nil {
				return nil, sqlerr.DuplicateLocation().At(n.LocationAt.Span())
			}
			text = &v
			delete(t.Options, k)
			break
		}
	}
	if text == nil {
		return nil, nil
	}
	loc, err := r.location(*text)
	if err != nil {
		return nil, at(err, n.LocationAt)
	}
	return &loc, nil
}

// modeOf decides how the partitions of a new table are known. The property beats the setting, and cannot be had where
// no log is possible.
func (r *run) modeOf(p place, t *catalog.Table) (catalog.PartitionMode, error) {
	wanted, explicit := false, false
	for k, v := range t.Properties {
		if strings.EqualFold(k, logProperty) {
			explicit, wanted = true, strings.EqualFold(strings.TrimSpace(v), "true")
		}
	}
	if t.Format == deltaFormat {
		return catalog.Unpartitioned, nil // its log knows
	}
	if len(t.Partition) == 0 {
		if explicit && wanted && p.catalog.Rules == catalog.UnityRules {
			return "", sqlerr.PartitionLogFormat(t.Format + ", unpartitioned")
		}
		return catalog.Unpartitioned, nil
	}
	if t.Kind == catalog.Managed || p.catalog.Rules == catalog.HiveRules {
		return catalog.Log, nil
	}
	if !explicit {
		wanted = r.s.Conf.Bool(conf.PartitionLog)
	}
	if wanted {
		return catalog.Log, nil
	}
	return catalog.Listing, nil
}

// settled is a table that a transaction made or replaced.
type settled struct {
	table    *catalog.Table
	place    place
	replaced bool
}

// writeTable commits a new table, or the replacement of one.
func (r *run) writeTable(ctx context.Context, n *ast.CreateTable, full ident.Name, draft *catalog.Table) error {
	var made settled
	err := r.x.Store.Write(ctx, func(tx catalog.WriteTx) (err error) {
		if made, err = r.settleTable(ctx, tx, n, full, draft); err != nil || made.table == nil || made.replaced {
			return err
		}
		return tx.AddCommit(made.table, r.commit("CREATE TABLE"))
	})
	if err != nil || made.table == nil {
		return err
	}
	if made.table.Kind == catalog.Managed {
		if err := r.makeDir(ctx, made.table.Location); err != nil {
			return err
		}
	}
	if made.replaced && made.table.Mode == catalog.Log {
		return r.warnAwaiting(ctx, relation{made.place, made.table})
	}
	return r.settle(ctx)
}

// settleTable makes or replaces a table inside a transaction. A table that is there with IF NOT EXISTS gives none. A draft
// that has a location already (its files are being written) keeps it.
func (r *run) settleTable(ctx context.Context, tx catalog.WriteTx, n *ast.CreateTable, full ident.Name, draft *catalog.Table) (settled, error) {
	t := draft.Clone()
	p, err := findSchema(tx, full[0], full[1])
	if err != nil {
		return settled{}, at(err, n.Name)
	}
	if err := catalog.ValidateName(p.catalog.Rules, "table", t.Name); err != nil {
		return settled{}, at(err, n.Name)
	}
	done, err := existing(tx, n, p, full)
	if done || err != nil {
		return settled{}, err
	}
	if t.Mode, err = r.modeOf(p, t); err != nil {
		return settled{}, at(err, n.Name)
	}
	if len(t.Partition) > 0 && format.Options(t.Options).Is("recursiveFileLookup") {
		return settled{}, at(sqlerr.Unsupported("TABLE_CLAUSE", "the option recursiveFileLookup of a partitioned table, since it reads all files below the location as one partition. Leave out the option or PARTITIONED BY"), n.Name)
	}
	if err := checkWriteProperties(p, t); err != nil {
		return settled{}, at(err, n.Name)
	}
	t.SchemaID = p.schema.ID
	old, err := tx.Table(p.schema.ID, t.Name)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return settled{}, err
	}
	replaced := err == nil
	except := []catalog.ID{t.ID}
	if replaced {
		// A replacement is the same table to those who hold grants on it or read its history.
		t.Securable = old.Securable
		t.Version = old.Version
		t.Comment = ""
		if n.Comment != nil {
			t.Comment = *n.Comment
		}
		r.touch(&t.Securable)
		except = append(except, old.ID)
		if old.Kind != catalog.Managed || t.Kind != catalog.Managed {
			if err := r.abandon(tx, relation{p, old}); err != nil {
				return settled{}, err
			}
		}
	}
	if draft.Kind != catalog.Managed || draft.Location == "" {
		if err := r.settlePlace(ctx, tx, p, t, except); err != nil {
			if n.LocationAt == (ast.At{}) {
				return settled{}, at(err, n.Name)
			}
			return settled{}, at(err, n.LocationAt)
		}
	}
	if replaced {
		operation := "CREATE OR REPLACE TABLE"
		if n.Query != nil {
			operation += " AS SELECT"
		}
		err = tx.ReplaceTable(t, r.commit(operation))
	} else {
		err = tx.CreateTable(t)
	}
	return settled{t, p, replaced}, err
}

// settlePlace decides the location of a managed table and checks that of an external one.
func (r *run) settlePlace(ctx context.Context, tx catalog.WriteTx, p place, t *catalog.Table, except []catalog.ID) error {
	if t.Kind == catalog.Managed {
		t.Location = catalog.ManagedLocation(p.catalog.Rules, p.schema, t.Name, t.ID)
		if p.catalog.Rules != catalog.HiveRules {
			return nil
		}
		taken, err := r.holdsAnything(ctx, t.Location)
		if err == nil && taken {
			err = sqlerr.LocationAlreadyExists(p.name(t.Name).Quoted(), "'"+t.Location+"'")
		}
		return err
	}
	if p.catalog.Rules == catalog.HiveRules {
		return nil
	}
	return catalog.CheckOverlap(tx, catalog.LocatedTable, t.Location, except...)
}

// holdsAnything reports whether a directory has an entry, hidden ones included.
func (r *run) holdsAnything(ctx context.Context, location string) (bool, error) {
	bucket, key, err := r.directory(location)
	if err != nil {
		return false, err
	}
	for _, err := range bucket.List(ctx, key, "", false) {
		if storage.KindOf(err) == storage.NotFound {
			return false, nil
		}
		return err == nil, err
	}
	return false, nil
}

// exists reports whether there is a directory at a location, even an empty one: nothing can be renamed to it.
func (r *run) exists(ctx context.Context, location string) (bool, error) {
	bucket, key, err := r.directory(location)
	if err != nil {
		return false, err
	}
	return bucket.Exists(ctx, key)
}

// directory opens the store of an absolute location; key is the location's there.
func (r *run) directory(location string) (bucket *storage.Bucket, key string, err error) {
	loc, err := storage.ParseLocation(location, "")
	if err != nil {
		return nil, "", err
	}
	bucket, _, err = r.x.Stores.Open(loc)
	return bucket, loc.DirKey(), err
}

// commit is a history row for what the statement does.
func (r *run) commit(operation string) catalog.Commit {
	return catalog.Commit{At: r.now, Actor: r.s.User, Operation: operation, Statement: r.text}
}

// saveTable commits a change of a table's own properties.
func (r *run) saveTable(tx catalog.WriteTx, t *catalog.Table, operation string) error {
	r.touch(&t.Securable)
	if err := tx.UpdateTable(t); err != nil {
		return err
	}
	return tx.AddCommit(t, r.commit(operation))
}

// warnAwaiting says how many directories a replaced table's empty log leaves out.
func (r *run) warnAwaiting(ctx context.Context, rel relation) error {
	found, err := r.discover(ctx, rel)
	if err != nil {
		return err
	}
	if n := found.Len(); n > 0 {
		r.s.Warn("PARTITIONS_AWAIT_REPAIR", fmt.Sprintf("%d partition directories below %s are not registered yet. Run: MSCK REPAIR TABLE %s SYNC PARTITIONS", n, rel.table.Location, rel.fullName()),
			map[string]string{"tableName": rel.quoted(), "directories": fmt.Sprint(n)})
	}
	return nil
}

func (r *run) createTableLike(ctx context.Context, n *ast.CreateTableLike) (*Result, error) {
	src, err := r.likeSource(ctx, n)
	if err != nil {
		return nil, err
	}
	if format := src.table.Format; n.Using == nil && format == deltaFormat || n.Using != nil && isDelta(n.Using.Name) {
		return r.createDeltaLike(ctx, n, src)
	}
	create := &ast.CreateTable{At: n.At, Name: n.Name, IfNotExists: n.IfNotExists, External: n.External, Location: n.Location, Properties: n.Properties, HasColumns: true}
	full, err := r.qualify(n.Name)
	if err != nil {
		return nil, err
	}
	done, err := r.mayCreate(ctx, create, full)
	if done || err != nil {
		return none(), err
	}
	t := src.table.Clone()
	for i := range t.Columns {
		t.Columns[i].Generated = "" // nobody would compute it
	}
	t.Securable = r.securable(full[2], nil)
	t.Kind, t.Location, t.Version, t.Properties, t.Mode = catalog.Managed, "", 0, properties(n.Properties), catalog.Unpartitioned
	if n.Using != nil {
		if t.Format, err = checkFormat(n.Using.Name, n.Using); err != nil {
			return nil, err
		}
	}
	if n.Location != nil {
		loc, err := r.location(*n.Location)
		if err != nil {
			return nil, at(err, n)
		}
		t.Kind, t.Location = catalog.External, loc.String()
	}
	return none(), r.writeTable(ctx, create, full, t)
}
