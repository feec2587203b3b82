package scan

import (
	"context"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// deltaTable is what reading the files of a Delta table takes beyond a Source.
type deltaTable struct {
	src  *Source
	snap *delta.Snapshot
	mode protocol.MappingMode
	// physical are the names of the partition columns in the log.
	physical []string
	// columns are the data columns as files name them when they are found by name; nil when those are the table's names.
	columns []types.Field
	// fields are the data columns as the log describes them, and at is the index among them of each column, -1 for a partition
	// column.
	fields []protocol.Field
	at     []int
}

func newDeltaTable(src *Source) *deltaTable {
	d := &deltaTable{src: src, snap: src.Delta, mode: protocol.MappingModeOf(src.Delta.Metadata), at: make([]int, len(src.Columns))}
	for _, p := range src.Partition {
		name := p.Name
		if i := src.Delta.Schema.Find(name); i >= 0 {
			name = src.Delta.Schema.Fields[i].PhysicalName(d.mode)
		}
		d.physical = append(d.physical, name)
	}
	for i, f := range src.Delta.Schema.Fields {
		d.at[i] = -1
		if src.partitionOf(i) >= 0 {
			continue
		}
		d.at[i] = len(d.fields)
		d.fields = append(d.fields, f)
		if d.mode != protocol.MappingNone {
			c := src.Columns[i]
			c.Name, c.Type = f.PhysicalName(d.mode), physicalNames(c.Type, f.Type, d.mode)
			d.columns = append(d.columns, c)
		}
	}
	return d
}

// physicalNames is a type whose struct members have the names that they have in files.
func physicalNames(t types.Type, p protocol.Type, mode protocol.MappingMode) types.Type {
	switch t.Kind {
	case types.Array:
		elem := physicalNames(*t.Elem, *p.Elem, mode)
		t.Elem = &elem
	case types.Map:
		key, elem := physicalNames(*t.Key, *p.Key, mode), physicalNames(*t.Elem, *p.Elem, mode)
		t.Key, t.Elem = &key, &elem
	case types.Struct:
		fields := append([]types.Field(nil), t.Fields...)
		for i := range fields {
			fields[i].Name = p.Fields[i].PhysicalName(mode)
			fields[i].Type = physicalNames(fields[i].Type, p.Fields[i].Type, mode)
		}
		t.Fields = fields
	}
	return t
}

// deltaGroups are the files of a Delta table that a scan's predicates leave, by their partition values.
func (sc *Scanner) deltaGroups(ctx context.Context, n *plan.Scan, src *Source, s Settings) ([]group, Looked, error) {
	r := sc.deltaReader(ctx, n, src, s)
	skip := protocol.NewSkipper(src.Delta.State, statisticsOf(n, s.Context), s.Context.Zone)
	looked := Looked{AllFiles: src.Delta.NumFiles(), Delta: true}
	for add := range src.Delta.AddsOf(r.wants) {
		if err := ctx.Err(); err != nil {
			return nil, looked, err
		}
		g, err := r.groupOf(add.PartitionValues)
		if err != nil {
			return nil, looked, err
		}
		if g < 0 || n.Changed && src.Confined != nil && !src.Confined[add.Path] {
			continue
		}
		if len(n.Skip) > 0 {
			if keep, err := skip.Keep(add); err != nil || !keep {
				if err != nil {
					return nil, looked, err
				}
				continue
			}
		}
		if err := r.add(&r.groups[g], add); err != nil {
			return nil, looked, err
		}
	}
	var left []group
	for _, g := range r.groups {
		if len(g.files) > 0 {
			left = append(left, g)
		}
	}
	looked.Known, looked.Selected = len(r.index), len(left)
	return left, looked, nil
}

// deltaCounts sums up the rows of each group by the log alone, without a look at where its files lie. ok is false when statistics
// do not tell, or when some files of a partition are left out.
func (sc *Scanner) deltaCounts(ctx context.Context, n *plan.Scan, src *Source, s Settings) (groups []group, rows []int64, looked Looked, ok bool, err error) {
	if len(n.Skip) > 0 || n.Changed {
		return nil, nil, looked, false, nil
	}
	r := sc.deltaReader(ctx, n, src, s)
	for values, count := range src.Delta.Rows() {
		g, err := r.groupOf(values)
		switch {
		case err != nil:
			return nil, nil, looked, false, err
		case g < 0:
			continue
		case count < 0:
			return nil, nil, looked, false, nil
		}
		for g >= len(rows) {
			rows = append(rows, 0)
		}
		rows[g] += count
	}
	looked = Looked{Known: len(r.index), Selected: len(r.groups), AllFiles: src.Delta.NumFiles(), Delta: true}
	return r.groups, rows, looked, true, ctx.Err()
}

func (sc *Scanner) deltaReader(ctx context.Context, n *plan.Scan, src *Source, s Settings) *deltaReader {
	return &deltaReader{
		deltaTable: newDeltaTable(src), sc: sc, ctx: ctx, ids: columnIDs(n, src), prune: n.Prune, settings: s, index: map[string]int{}, known: map[*protocol.PartitionText]int{},
		values: make([]map[string]types.Value, len(src.Partition)),
	}
}

// DeltaMatches tells of a file of a Delta table whether a scan would read it: its partition values and statistics do not
// rule it out. A commit that rests on the scan asks it of files that others have added meanwhile.
func (sc *Scanner) DeltaMatches(ctx context.Context, n *plan.Scan, src *Source, s Settings) func(*protocol.Add) (bool, error) {
	r := sc.deltaReader(ctx, n, src, s)
	skip := protocol.NewSkipper(src.Delta.State, statisticsOf(n, s.Context), s.Context.Zone)
	return func(add *protocol.Add) (bool, error) {
		g, err := r.groupOf(add.PartitionValues)
		if err != nil || g < 0 {
			return false, err
		}
		if len(n.Skip) == 0 {
			return true, nil
		}
		return skip.Keep(add)
	}
}

// deltaReader puts files into groups.
type deltaReader struct {
	*deltaTable
	sc       *Scanner
	ctx      context.Context
	ids      []expr.ColumnID
	prune    []expr.Expr
	settings Settings
	groups   []group
	index    map[string]int                  // by the texts of the partition values; -1 when the predicates rule them out
	known    map[*protocol.PartitionText]int // the same by where the texts begin: most files of a partition share them
	values   []map[string]types.Value        // by partition column and text
	key      []byte
}

// wants reports whether the files with some partition values are looked at: the predicates do not rule them out, or groupOf fails.
func (r *deltaReader) wants(texts protocol.PartitionTexts) bool {
	g, err := r.groupOf(texts)
	return err != nil || g >= 0
}

// groupOf is the group of a file's partition values, -1 when the predicates rule it out.
func (r *deltaReader) groupOf(texts protocol.PartitionTexts) (int, error) {
	if len(texts) == 0 {
		return r.groupOfTexts(texts)
	}
	if g, ok := r.known[&texts[0]]; ok {
		return g, nil
	}
	g, err := r.groupOfTexts(texts)
	if err == nil {
		r.known[&texts[0]] = g
	}
	return g, err
}

func (r *deltaReader) groupOfTexts(texts protocol.PartitionTexts) (int, error) {
	r.key = r.key[:0]
	for _, name := range r.physical {
		text := texts.Get(name)
		r.key = append(append(r.key, text...), 0)
	}
	if g, ok := r.index[string(r.key)]; ok {
		return g, nil
	}
	values := make(partition.Values, len(r.physical))
	for k, name := range r.physical {
		text := texts.Get(name)
		v, ok := r.values[k][text]
		if !ok {
			var err error
			col := r.src.Partition[k]
			if v, err = protocol.ParsePartitionValue(col.Name, col.Type, text, r.settings.Context.Zone); err != nil {
				return 0, err
			}
			if r.values[k] == nil {
				r.values[k] = map[string]types.Value{}
			}
			r.values[k][text] = v
		}
		values[k] = v
	}
	g := len(r.groups)
	if r.keeps(values) {
		r.groups = append(r.groups, group{values: values})
	} else {
		g = -1
	}
	r.index[string(r.key)] = g
	return g, nil
}

// keeps evaluates the predicates over partition columns. One that fails to evaluate keeps the files: the engine raises the error
// when it meets a row.
func (r *deltaReader) keeps(values partition.Values) bool {
	for _, c := range r.prune {
		v, err := expr.Eval(c, r.settings.Context, func(id expr.ColumnID) types.Value {
			for k, known := range r.ids {
				if known == id {
					return values[k]
				}
			}
			return nil
		})
		if err == nil && v != true {
			return false
		}
	}
	return true
}

// add puts a file into its group.
func (r *deltaReader) add(g *group, add *protocol.Add) error {
	f, err := r.sc.deltaFile(r.ctx, r.snap, add)
	if err != nil {
		return err
	}
	facts := fileFacts{name: add.Path, rows: -1}
	if n, ok := add.LiveRows(); ok {
		facts.rows = n
	}
	if dv := add.DeletionVector; dv != nil {
		facts.deleted = dv.Cardinality
		facts.mask = &vectorMask{snap: r.snap, vector: dv}
	}
	g.files, g.facts = append(g.files, f), append(g.facts, facts)
	return nil
}

// deltaFile is a file of the log. It is not looked at, its size and time are those of the log, unless its path has escapes: some
// old writers forgot to escape the percent signs of partition directories, so that the text of the log is the name itself.
func (sc *Scanner) deltaFile(ctx context.Context, snap *delta.Snapshot, add *protocol.Add) (storage.File, error) {
	loc, err := snap.Resolve(add.Path)
	if err != nil {
		return storage.File{}, err
	}
	bucket, _, err := sc.stores.Open(loc)
	if err != nil {
		return storage.File{}, translate(err)
	}
	key := loc.Key()
	if strings.Contains(add.Path, "%") && !protocol.IsAbsolutePath(add.Path) {
		if there, err := bucket.Exists(ctx, key); err == nil && !there {
			raw := snap.Log.Root().Join(add.Path).Key()
			if there, err := bucket.Exists(ctx, raw); err == nil && there {
				key = raw
			}
		}
	}
	return storage.File{Bucket: bucket, Object: storage.Object{Key: key, Size: add.Size, ModTime: time.UnixMilli(add.ModificationTime)}}, nil
}

// vectorMask leaves out the rows that a deletion vector names. The vector is read when the first rows are asked for.
type vectorMask struct {
	snap   *delta.Snapshot
	vector *protocol.DeletionVector
}

// Mask implements engine.RowMask.
func (m *vectorMask) Mask(ctx context.Context, rows []int64, keep []bool) error {
	v, err := m.snap.Vector(ctx, m.vector)
	if err != nil {
		return err
	}
	for i, r := range rows {
		keep[i] = !v.Contains(uint64(r))
	}
	return nil
}

// missingName stands for a column that a file does not have: no file has a column of such a name.
const missingName = "\x01"

// fileColumns are the data columns of a table as one file names them. With mapping by id the footer tells; a file whose columns have
// no ids cannot be read then.
func (d *deltaTable) fileColumns(location string, f *shape) ([]types.Field, error) {
	if d.mode != protocol.MappingID {
		return d.columns, nil
	}
	if f.footer.IDs == nil && len(f.footer.Schema) > 0 && len(d.fields) > 0 {
		return nil, sqlerr.ReadFile(location, "its columns have no field ids, by which the columns of the Delta table are found (delta.columnMapping.mode is id)", nil)
	}
	out := make([]types.Field, len(d.fields))
	for i, want := range d.fields {
		out[i] = d.columns[i]
		out[i].Name, out[i].Type = byID(want, d.columns[i].Type, f.footer.Schema, f.footer.IDs)
	}
	return out, nil
}

// byID finds a column or member among those of a file by its id: its name there, and its type with the names of its members.
func byID(want protocol.Field, t types.Type, in []types.Field, ids []format.FieldID) (string, types.Type) {
	id, ok := want.ColumnID()
	for i := range in {
		if ok && i < len(ids) && int64(ids[i].ID) == id {
			return in[i].Name, membersByID(t, want.Type, in[i].Type, ids[i])
		}
	}
	return missingName + strings.ToLower(want.Name), t
}

func membersByID(t types.Type, want protocol.Type, got types.Type, ids format.FieldID) types.Type {
	if t.Kind != got.Kind || len(ids.Members) == 0 {
		return t
	}
	switch t.Kind {
	case types.Array:
		elem := membersByID(*t.Elem, *want.Elem, *got.Elem, ids.Members[0])
		t.Elem = &elem
	case types.Map:
		if len(ids.Members) == 2 {
			key, elem := membersByID(*t.Key, *want.Key, *got.Key, ids.Members[0]), membersByID(*t.Elem, *want.Elem, *got.Elem, ids.Members[1])
			t.Key, t.Elem = &key, &elem
		}
	case types.Struct:
		fields := append([]types.Field(nil), t.Fields...)
		for i := range fields {
			fields[i].Name, fields[i].Type = byID(want.Fields[i], fields[i].Type, got.Fields, ids.Members)
		}
		t.Fields = fields
	}
	return t
}
