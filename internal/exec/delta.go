package exec

import (
	"context"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/migrate"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/session"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// deltaFormat is the format of tables whose log is the truth: the catalog keeps a copy of their columns.
const deltaFormat = "delta"

// deltaLog is the log of the table at a location.
func (r *run) deltaLog(location string) (*delta.Log, error) {
	root, err := storage.ParseLocation(location, "")
	if err != nil {
		return nil, err
	}
	return r.x.Deltas.Open(root)
}

// deltaSnapshot is a Delta table of the catalog as its log has it now.
func (r *run) deltaSnapshot(ctx context.Context, t *catalog.Table) (*delta.Snapshot, error) {
	log, err := r.deltaLog(t.Location)
	if err != nil {
		return nil, err
	}
	return log.Snapshot(ctx, delta.At{})
}

// travelTo says which version of a Delta table is meant.
func travelTo(at bind.TimeTravel) (delta.At, error) {
	if at.Micros != nil {
		return delta.AtTime(*at.Micros), nil
	}
	v, err := strconv.ParseInt(strings.TrimSpace(at.Version), 10, 64)
	if err != nil || v < 0 {
		return delta.At{}, sqlerr.DeltaInvalidVersion(at.Version)
	}
	return delta.AtVersion(v), nil
}

// deltaTable is a Delta table of the catalog, at a version.
func (q *relations) deltaTable(ctx context.Context, found relation, at delta.At) (*bind.Relation, error) {
	log, err := q.run.deltaLog(found.table.Location)
	if err != nil {
		return nil, err
	}
	snap, err := log.Snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	rel, err := q.deltaRelation(ctx, snap, found.fullName().String(), found.table)
	return &bind.Relation{Name: found.fullName(), Scan: rel}, err
}

// deltaRelation reads a Delta table: its columns and partition columns are those of the log. t is nil for a read by path.
func (q *relations) deltaRelation(ctx context.Context, snap *delta.Snapshot, name string, t *catalog.Table) (*plan.Relation, error) {
	if len(snap.Schema.Fields) == 0 && !q.columnless {
		return nil, sqlerr.DeltaWithoutColumns(name)
	}
	columns, err := q.run.withMissing(ctx, snap.Schema.Columns())
	if err != nil {
		return nil, err
	}
	rel := &plan.Relation{
		Table: t, Format: deltaFormat, Paths: []string{snap.Log.Root().String()}, Schema: columns, Partition: deltaPartition(snap),
		Counted: true, Statistics: true, Version: strconv.FormatInt(snap.Version, 10),
	}
	q.sources[rel] = &scan.Source{
		Name: name, Kind: scan.FromDelta, Roots: []storage.Location{snap.Log.Root()}, Format: "parquet", Columns: columns, Partition: columnsNamed(columns, rel.Partition), Delta: snap,
	}
	return rel, nil
}

// deltaPartition names the partition columns as the schema spells them.
func deltaPartition(snap *delta.Snapshot) []string {
	var out []string
	for _, name := range snap.Metadata.PartitionColumns {
		if i := snap.Schema.Find(name); i >= 0 {
			name = snap.Schema.Fields[i].Name
		}
		out = append(out, name)
	}
	return out
}

func columnsNamed(columns []types.Field, names []string) []partition.Column {
	var out []partition.Column
	for _, name := range names {
		for _, c := range columns {
			if c.Name == name {
				out = append(out, partition.Column{Name: c.Name, Type: c.Type})
			}
		}
	}
	return out
}

// versionSuffix is the end of a path that says which version of a Delta table is read.
var versionSuffix = regexp.MustCompile(`^(.*)@(?:[vV](\d+)|(\d{17}))$`)

// cutVersion takes @v7 or @20240101000000000 off a path. The moment is one of the session's zone, in milliseconds.
func (r *run) cutVersion(path string) (rest string, at bind.TimeTravel, ok bool) {
	m := versionSuffix.FindStringSubmatch(path)
	if m == nil {
		return path, at, false
	}
	if m[2] != "" {
		return m[1], bind.TimeTravel{Version: m[2]}, true
	}
	d := m[3]
	micros, ok := types.ParseTimestamp(d[:4]+"-"+d[4:6]+"-"+d[6:8]+" "+d[8:10]+":"+d[10:12]+":"+d[12:14]+"."+d[14:], r.s.Conf.Location())
	return m[1], bind.TimeTravel{Micros: &micros}, ok
}

// deltaPath is delta.`path`, which may end in a version.
func (q *relations) deltaPath(ctx context.Context, path string, travel *bind.TimeTravel) (*bind.Relation, error) {
	if strings.TrimSpace(path) == "" {
		return nil, sqlerr.EmptyLocation()
	}
	log, at, err := q.run.deltaAt(ctx, path, travel)
	if err != nil {
		return nil, err
	}
	snap, err := log.Snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	rel, err := q.deltaRelation(ctx, snap, "delta.`"+log.Root().String()+"`", nil)
	if err != nil {
		return nil, err
	}
	q.seen = append(q.seen, session.Seen{Path: rel.Paths[0]})
	return &bind.Relation{Scan: rel}, nil
}

// deltaView is a temporary view USING delta OPTIONS (path '…'), with versionAsOf or timestampAsOf if they are given.
func (q *relations) deltaView(ctx context.Context, v *session.TempView) (*plan.Relation, error) {
	o := format.Options(v.Options)
	path, _ := o.Get("path")
	var travel *bind.TimeTravel
	if version, ok := o.Get("versionAsOf"); ok {
		travel = &bind.TimeTravel{Version: version}
	}
	if text, ok := o.Get("timestampAsOf"); ok {
		micros, isTime := types.ParseTimestamp(text, q.run.s.Conf.Location())
		switch {
		case travel != nil:
			return nil, sqlerr.DeltaTwoTravels()
		case !isTime:
			return nil, sqlerr.TimeTravelExpression("INPUT", text)
		}
		travel = &bind.TimeTravel{Micros: &micros}
	}
	rel, err := q.deltaPath(ctx, path, travel)
	if err != nil {
		return nil, err
	}
	return rel.Scan, nil
}

// deltaAt finds the Delta table of a path and the version that is meant. A directory whose name only looks as if it ended in a version
// is taken as it is.
func (r *run) deltaAt(ctx context.Context, path string, travel *bind.TimeTravel) (*delta.Log, delta.At, error) {
	log, err := r.existingLog(ctx, path)
	rest, fromPath, versioned := r.cutVersion(path)
	if err != nil && versioned {
		if travel != nil {
			return nil, delta.At{}, sqlerr.DeltaTwoTravels()
		}
		if log, err = r.existingLog(ctx, rest); err == nil {
			travel = &fromPath
		}
	}
	if err != nil || travel == nil {
		return log, delta.At{}, err
	}
	at, err := travelTo(*travel)
	return log, at, err
}

// existingLog is the log at a path. There must be one: PATH_NOT_FOUND when nothing is there at all, DELTA_TABLE_NOT_FOUND else.
func (r *run) existingLog(ctx context.Context, path string) (*delta.Log, error) {
	loc, err := r.location(path)
	if err != nil {
		return nil, err
	}
	log, err := r.x.Deltas.Open(loc)
	if err != nil {
		return nil, err
	}
	there, err := log.Exists(ctx)
	if err != nil || there {
		return log, err
	}
	if any, err := r.exists(ctx, loc.String()); err == nil && !any {
		return nil, sqlerr.PathNotFound(loc.String())
	}
	return nil, sqlerr.DeltaTableNotFound(ident.Quote(loc.String()))
}

// AsOf implements bind.Relations.
func (q *relations) AsOf(ctx context.Context, name ident.Name, ns bind.Namespace, travel bind.TimeTravel) (*bind.Relation, error) {
	refused := sqlerr.TimeTravel(complete(name, ns).Quoted())
	if _, ok := q.run.s.View(name); ok {
		return nil, sqlerr.TimeTravel(name.Quoted())
	}
	var found relation
	err := q.run.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		found, err = lookup(tx, complete(name, ns), name)
		return err
	})
	if isNotFound(err) {
		if isDeltaPath(name) {
			return q.deltaPathOrPartition(ctx, name[1], &travel)
		}
		rel, err := q.Relation(ctx, name, ns)
		if rel == nil || err != nil {
			return nil, err
		}
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	if found.table.Format != deltaFormat {
		return nil, refused
	}
	at, err := travelTo(travel)
	if err != nil {
		return nil, err
	}
	return q.deltaTable(ctx, found, at)
}

// isDeltaPath reports whether a name is that of a Delta table by its path.
func isDeltaPath(name ident.Name) bool {
	return len(name) == 2 && strings.EqualFold(name[0], deltaFormat)
}

// found is a table or view that a statement which changes nothing names. A Delta table has the columns and properties of its log, and
// may be named by its path.
func (r *run) found(ctx context.Context, n ast.Name) (relation, error) {
	var rel relation
	err := r.x.Store.Read(ctx, func(tx catalog.ReadTx) (err error) {
		rel, err = r.relation(tx, n)
		return err
	})
	if isNotFound(err) && n.Computed == nil && isDeltaPath(n.Ident()) {
		return r.deltaByPath(ctx, n)
	}
	if err != nil {
		return rel, err
	}
	if err := r.gate(rel); err != nil {
		return rel, at(err, n)
	}
	return r.withLog(ctx, rel)
}

// deltaByPath is a Delta table that no catalog knows, as a table.
func (r *run) deltaByPath(ctx context.Context, n ast.Name) (relation, error) {
	path := n.Ident()[1]
	log, err := r.existingLog(ctx, path)
	if err != nil {
		return relation{}, at(sqlerr.DeltaMissing(n.Ident().Quoted()), n)
	}
	t := &catalog.Table{Securable: catalog.Securable{Name: path}, Kind: catalog.External, Format: deltaFormat, Location: log.Root().String()}
	rel := relation{place{&catalog.Catalog{Securable: catalog.Securable{Name: r.s.Catalog}}, &catalog.Schema{Securable: catalog.Securable{Name: deltaFormat}}}, t}
	return r.withLog(ctx, rel)
}

// withLog is a relation whose columns, partition columns and properties are those of its log, when it is a Delta table.
func (r *run) withLog(ctx context.Context, rel relation) (relation, error) {
	if rel.table.Format != deltaFormat {
		return rel, nil
	}
	snap, err := r.deltaSnapshot(ctx, rel.table)
	if err != nil {
		return rel, err
	}
	t := rel.table.Clone()
	fromLog(t, snap)
	rel.table = t
	return rel, nil
}

// fromLog copies what the catalog keeps of a Delta table from its log. The links between a table and the one that it was upgraded to are
// properties of the catalog's tables: those that a migration could not write into the log, or was told not to, stay.
func fromLog(t *catalog.Table, snap *delta.Snapshot) {
	t.Columns, t.Partition = snap.Schema.Columns(), deltaPartition(snap)
	t.Properties = withLinks(t, snap.Metadata.Configuration)
	if snap.Metadata.Description != "" {
		t.Comment = snap.Metadata.Description
	}
}

// withLinks are the properties of a log together with the links that the catalog alone has.
func withLinks(t *catalog.Table, log map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range t.Properties {
		if migrate.IsLink(k) {
			out[k] = v
		}
	}
	maps.Copy(out, log)
	return out
}

// deltaProperties are a Delta table's properties as SHOW TBLPROPERTIES and DESCRIBE EXTENDED show them: those of the log, the links
// that the catalog has, and what the protocol demands.
func deltaProperties(t *catalog.Table, snap *delta.Snapshot) map[string]string {
	out := withLinks(t, snap.Metadata.Configuration)
	out["delta.minReaderVersion"] = strconv.Itoa(snap.Protocol.MinReader)
	out["delta.minWriterVersion"] = strconv.Itoa(snap.Protocol.MinWriter)
	if snap.Protocol.MinWriter >= 7 {
		for _, f := range snap.Protocol.Features() {
			out["delta.feature."+f] = "supported"
		}
	}
	return out
}

// warnDelta tells when a read by path goes around the log of a Delta table: it sees files that the table no longer has.
func (r *run) warnDelta(ctx context.Context, location string) {
	log, err := r.deltaLog(location)
	if err != nil {
		return
	}
	if there, err := log.Exists(ctx); err == nil && there {
		r.s.Warn("PATH_IN_DELTA_TABLE", "The path "+location+" is a Delta table: this read sees every file in it, those that were deleted from the table too. Read delta.`"+location+"` instead.", map[string]string{"location": location})
	}
}

// refuseDelta refuses a statement that Delta tables do not have, or that Tarn does not have for them.
func refuseDelta(rel relation, operation string) error {
	if rel.table.Format != deltaFormat {
		return nil
	}
	return sqlerr.Unsupported("TABLE_FORMAT", operation+" of a Delta table")
}
