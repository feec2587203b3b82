package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/bind"
	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/delta"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sql/ast"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

var (
	textList = types.ArrayOf(types.Of(types.String))
	textMap  = types.MapOf(types.Of(types.String), types.Of(types.String))
)

func textStruct(names ...string) types.Type {
	var fields []types.Field
	for _, n := range names {
		fields = append(fields, types.Field{Name: n, Type: types.Of(types.String)})
	}
	return types.StructOf(fields...)
}

// detailColumns are those of DESCRIBE DETAIL, as Delta has them.
var detailColumns = []plan.Column{
	{Name: "format", Type: types.Of(types.String)},
	{Name: "id", Type: types.Of(types.String)},
	{Name: "name", Type: types.Of(types.String)},
	{Name: "description", Type: types.Of(types.String)},
	{Name: "location", Type: types.Of(types.String)},
	{Name: "createdAt", Type: types.Of(types.Timestamp)},
	{Name: "lastModified", Type: types.Of(types.Timestamp)},
	{Name: "partitionColumns", Type: textList},
	{Name: "clusteringColumns", Type: textList},
	{Name: "numFiles", Type: types.Of(types.BigInt)},
	{Name: "sizeInBytes", Type: types.Of(types.BigInt)},
	{Name: "properties", Type: textMap},
	{Name: "minReaderVersion", Type: types.Of(types.Int)},
	{Name: "minWriterVersion", Type: types.Of(types.Int)},
	{Name: "tableFeatures", Type: textList},
}

// historyColumns are those of DESCRIBE HISTORY of a Delta table.
var historyColumns = []plan.Column{
	{Name: "version", Type: types.Of(types.BigInt)},
	{Name: "timestamp", Type: types.Of(types.Timestamp)},
	{Name: "userId", Type: types.Of(types.String)},
	{Name: "userName", Type: types.Of(types.String)},
	{Name: "operation", Type: types.Of(types.String)},
	{Name: "operationParameters", Type: textMap},
	{Name: "job", Type: textStruct("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType")},
	{Name: "notebook", Type: textStruct("notebookId")},
	{Name: "clusterId", Type: types.Of(types.String)},
	{Name: "readVersion", Type: types.Of(types.BigInt)},
	{Name: "isolationLevel", Type: types.Of(types.String)},
	{Name: "isBlindAppend", Type: types.Of(types.Boolean)},
	{Name: "operationMetrics", Type: textMap},
	{Name: "userMetadata", Type: types.Of(types.String)},
	{Name: "engineInfo", Type: types.Of(types.String)},
}

// describeDetail is DESCRIBE DETAIL: of a Delta table what its log says, of others what the catalog knows.
func (r *run) describeDetail(ctx context.Context, n *ast.DescribeDetail) (*Result, error) {
	rel, err := r.deltaOperand(ctx, n.Table, "DESCRIBE DETAIL")
	if err != nil {
		return nil, err
	}
	t := rel.table
	if t.Format != deltaFormat {
		return table(detailColumns, [][]types.Value{{
			t.Format, nil, rel.fullName().String(), t.Comment, t.Location, t.CreatedAt.UnixMicro(), nil, listOf(t.Partition), nil, nil, nil, mapOf(redact(t.OwnProperties())), nil, nil, nil,
		}}), nil
	}
	snap, err := r.deltaSnapshot(ctx, t)
	if err != nil {
		return nil, err
	}
	var name, description, created types.Value
	if t.ID != "" {
		name = rel.fullName().String()
	}
	if snap.Metadata.Description != "" {
		description = snap.Metadata.Description
	}
	if at := snap.Metadata.CreatedTime; at != nil {
		created = *at * 1000
	}
	features := snap.Protocol.Features()
	slices.Sort(features)
	return table(detailColumns, [][]types.Value{{
		deltaFormat, snap.Metadata.ID, name, description, t.Location, created, snap.Modified * 1000, listOf(t.Partition), listOf(clusteringOf(snap)),
		int64(snap.NumFiles()), snap.SizeInBytes(), mapOf(redact(snap.Metadata.Configuration)), int64(snap.Protocol.MinReader), int64(snap.Protocol.MinWriter), listOf(features),
	}}), nil
}

// deltaOperand is what DESCRIBE DETAIL and DESCRIBE HISTORY are about: a table by name, or a Delta table by delta.`path` or 'path'.
func (r *run) deltaOperand(ctx context.Context, n ast.Name, operation string) (relation, error) {
	name := n.Ident()
	if len(name) == 1 && strings.Contains(name[0], "/") {
		n.Parts = append([]ast.Ident{{At: n.At, Name: deltaFormat}}, n.Parts...)
		return r.deltaByPath(ctx, n)
	}
	if v, ok := r.s.View(name); ok {
		return relation{}, sqlerr.ExpectTableNotView(ident.Name{v.Name}.Quoted(), operation).At(n.Span())
	}
	rel, err := r.found(ctx, n)
	if err == nil && rel.table.Kind == catalog.View {
		err = sqlerr.ExpectTableNotView(rel.quoted(), operation).At(n.Span())
	}
	return rel, err
}

func listOf(texts []string) types.Value {
	out := make([]types.Value, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

func mapOf(m map[string]string) types.Value {
	out := []types.MapEntry{}
	for _, k := range sortedKeys(m) {
		out = append(out, types.MapEntry{Key: k, Value: m[k]})
	}
	return out
}

// clusteringOf names the columns by which a table is clustered, as the schema spells them.
func clusteringOf(snap *delta.Snapshot) []string {
	d := snap.Domain("delta.clustering")
	if d == nil {
		return nil
	}
	var out []string
	var domain struct {
		Columns []json.RawMessage `json:"clusteringColumns"`
	}
	if json.Unmarshal([]byte(d.Configuration), &domain) != nil {
		return nil
	}
	for _, raw := range domain.Columns {
		var path []string
		if json.Unmarshal(raw, &path) != nil {
			path = make([]string, 1)
			if json.Unmarshal(raw, &path[0]) != nil {
				return nil
			}
		}
		out = append(out, strings.Join(logicalPath(snap, path), "."))
	}
	return out
}

// logicalPath spells a path of physical names as the schema does.
func logicalPath(snap *delta.Snapshot, physical []string) []string {
	mode := protocol.MappingModeOf(snap.Metadata)
	out := slices.Clone(physical)
	fields := snap.Schema.Fields
	for i, name := range physical {
		k := slices.IndexFunc(fields, func(f protocol.Field) bool { return f.PhysicalName(mode) == name })
		if k < 0 {
			break
		}
		out[i], fields = fields[k].Name, fields[k].Type.Fields
	}
	return out
}

// deltaHistory is DESCRIBE HISTORY of a Delta table.
func (r *run) deltaHistory(ctx context.Context, rel relation, limit int) (*Result, error) {
	log, err := r.deltaLog(rel.table.Location)
	if err != nil {
		return nil, err
	}
	commits, err := log.History(ctx, limit)
	if err != nil {
		return nil, err
	}
	var rows [][]types.Value
	for _, c := range commits {
		row := make([]types.Value, len(historyColumns))
		row[0], row[1] = c.Version, c.At*1000
		if i := c.Info; i != nil {
			row[2], row[3], row[4] = optional(i.UserID), optional(i.UserName), optional(i.Operation)
			row[5], row[8] = parametersOf(i.OperationParameters), optional(i.ClusterID)
			if i.ReadVersion != nil {
				row[9] = *i.ReadVersion
			}
			row[10] = optional(i.IsolationLevel)
			if i.IsBlindAppend != nil {
				row[11] = *i.IsBlindAppend
			}
			row[12] = mapOf(i.OperationMetrics)
			if i.OperationMetrics == nil {
				row[12] = nil
			}
			if i.UserMetadata != nil {
				row[13] = *i.UserMetadata
			}
			row[14] = optional(i.EngineInfo)
		}
		rows = append(rows, row)
	}
	return table(historyColumns, rows), nil
}

func optional(s string) types.Value {
	if s == "" {
		return nil
	}
	return s
}

// parametersOf shows texts as they are, and other JSON values as JSON.
func parametersOf(list []protocol.Parameter) types.Value {
	if list == nil {
		return nil
	}
	out := []types.MapEntry{}
	for _, p := range list {
		var v types.Value
		var text *string
		if json.Unmarshal([]byte(p.JSON), &text) != nil {
			v = p.JSON
		} else if text != nil {
			v = *text
		}
		out = append(out, types.MapEntry{Key: p.Name, Value: v})
	}
	return out
}

// deltaPartitions is SHOW PARTITIONS of a Delta table: a column for each partition column, a row for each combination of values that a
// file has.
func (r *run) deltaPartitions(ctx context.Context, n *ast.ShowPartitions, rel relation) (*Result, error) {
	if len(rel.table.Partition) == 0 {
		return nil, sqlerr.DeltaNotPartitioned(rel.quoted()).At(n.Table.Span())
	}
	log, err := r.deltaLog(rel.table.Location)
	if err != nil {
		return nil, err
	}
	at, err := r.deltaVersion(ctx, n.AsOf)
	if err != nil {
		return nil, err
	}
	snap, err := log.Snapshot(ctx, at)
	if err != nil {
		return nil, err
	}
	cols := columnsNamed(snap.Schema.Columns(), deltaPartition(snap))
	keep, err := r.deltaSpec(ctx, n, rel, cols)
	if err != nil {
		return nil, err
	}
	physical := protocol.PhysicalPartitionColumns(snap.Schema, snap.Metadata)
	seen := map[string]bool{}
	var rows [][]types.Value
	for add := range snap.Adds() {
		row := make([]types.Value, len(cols))
		var key strings.Builder
		for k, c := range cols {
			v, err := protocol.ParsePartitionValue(c.Name, c.Type, add.PartitionValues.Get(physical[k]), r.s.Conf.Location())
			if err != nil {
				return nil, err
			}
			row[k] = v
			if v != nil {
				key.WriteString("=" + types.Format(c.Type, v, r.s.Conf.Location()))
			}
			key.WriteByte(0)
		}
		if seen[key.String()] || !keep(row) {
			continue
		}
		seen[key.String()] = true
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b []types.Value) int {
		for k, c := range cols {
			if o := compareNullable(c.Type, a[k], b[k]); o != 0 {
				return o
			}
		}
		return 0
	})
	out := make([]plan.Column, len(cols))
	for k, c := range cols {
		out[k] = plan.Column{Name: c.Name, Type: c.Type}
	}
	return table(out, rows), nil
}

// compareNullable orders values, NULL first.
func compareNullable(t types.Type, a, b types.Value) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	}
	return types.Compare(t, a, b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// deltaSpec is the PARTITION clause of SHOW PARTITIONS as a test of a row.
func (r *run) deltaSpec(ctx context.Context, n *ast.ShowPartitions, rel relation, cols []partition.Column) (func([]types.Value) bool, error) {
	if n.Spec == nil {
		return func([]types.Value) bool { return true }, nil
	}
	for _, item := range n.Spec.Items {
		if !slices.ContainsFunc(cols, func(c partition.Column) bool { return r.sameColumn(c.Name, item.Name.Name) }) {
			return nil, sqlerr.DeltaNotPartitionColumn("[" + item.Name.Name + "]").At(n.Spec.Span())
		}
	}
	spec, err := r.spec(ctx, rel, n.Spec, true)
	if err != nil {
		return nil, err
	}
	return func(row []types.Value) bool {
		for _, m := range spec.Matchers {
			v, t := row[m.Col], cols[m.Col].Type
			if micros, ok := v.(int64); ok && t.Kind == types.Timestamp {
				v = types.ToLocal(micros, r.s.Conf.Location()) // as specs have it
			}
			if !m.Matches(t, v) {
				return false
			}
		}
		return true
	}, nil
}

// deltaVersion is the version that VERSION AS OF or TIMESTAMP AS OF of a statement means.
func (r *run) deltaVersion(ctx context.Context, n *ast.AsOf) (delta.At, error) {
	if n == nil {
		return delta.At{}, nil
	}
	travel := bind.TimeTravel{Version: n.Version}
	if n.Timestamp != nil {
		v, err := r.constant(ctx, n.Timestamp, types.Of(types.Timestamp))
		if err != nil {
			return delta.At{}, err
		}
		micros, ok := v.(int64)
		if !ok {
			return delta.At{}, sqlerr.TimeTravelExpression("INPUT", "NULL").At(n.Span())
		}
		travel.Micros = &micros
	}
	at, err := travelTo(travel)
	return at, err
}
