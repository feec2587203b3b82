package delta

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// CheckpointOptions say what a checkpoint holds.
type CheckpointOptions struct {
	// KeepTxnsAfter is in milliseconds since the epoch: what is older has passed its retention and is left out. A Txn without a
	// time always stays.
	KeepTxnsAfter int64
	// V2 adds the mark of a V2 checkpoint.
	V2 bool
	// Sidecars hold the file actions, which then do not stand in the checkpoint itself; only with V2.
	Sidecars []*Sidecar
}

// CheckpointSummary counts what was written.
type CheckpointSummary struct {
	Actions int64 // rows of the file
	Adds    int64
	Removes int64
}

// UsesV2Checkpoint reports whether checkpoints of the table are to be V2: it supports the feature, and its policy asks
// for them.
func (s *State) UsesV2Checkpoint() bool {
	return s.Protocol.Supports(FeatureV2Checkpoint) && checkpointPolicyV2(s.Metadata, s.Schema)
}

// WriteCheckpoint writes a state and its tombstones, those within their retention, as one Parquet file. Callers give the file its final
// name only after VerifyCheckpoint has read it back: a checkpoint that ends early would hide files from every reader.
func WriteCheckpoint(w io.Writer, s *State, removes []*Remove, opt CheckpointOptions) (CheckpointSummary, error) {
	actions := []Action{{Protocol: s.Protocol}, {Metadata: s.Metadata}}
	for _, t := range s.Txns() {
		if t.LastUpdated == nil || *t.LastUpdated >= opt.KeepTxnsAfter {
			actions = append(actions, Action{Txn: t})
		}
	}
	for _, d := range s.Domains() {
		actions = append(actions, Action{Domain: d})
	}
	if opt.V2 {
		actions = append(actions, Action{CheckpointMetadata: &CheckpointMetadata{Version: s.Version}})
	}
	for _, sidecar := range opt.Sidecars {
		actions = append(actions, Action{Sidecar: sidecar})
	}
	if opt.Sidecars == nil {
		actions = slices.Grow(actions, s.NumFiles()+len(removes))
		for a := range s.Adds() {
			actions = append(actions, Action{Add: a})
		}
		for _, r := range removes {
			actions = append(actions, Action{Remove: r})
		}
	}
	return writeActions(w, actions, checkpointSchema(opt.V2))
}

// WriteSidecar writes file actions as the sidecar of a V2 checkpoint.
func WriteSidecar(w io.Writer, adds []*Add, removes []*Remove) (CheckpointSummary, error) {
	actions := make([]Action, 0, len(adds)+len(removes))
	for _, a := range adds {
		actions = append(actions, Action{Add: a})
	}
	for _, r := range removes {
		actions = append(actions, Action{Remove: r})
	}
	return writeActions(w, actions, sidecarSchema())
}

// VerifyCheckpoint reads a file back and compares its counts with what was to be written. The error is
// DELTA_CHECKPOINT_MALFORMED.
func VerifyCheckpoint(name string, r io.ReaderAt, size int64, want CheckpointSummary) error {
	c, err := ReadCheckpoint(name, r, size, AllFiles)
	if err != nil {
		return err
	}
	got := CheckpointSummary{Adds: int64(len(c.Adds)), Removes: int64(len(c.Removes))}
	got.Actions = got.Adds + got.Removes + int64(len(c.Txns)+len(c.Domains)+len(c.Sidecars))
	for _, has := range []bool{c.Protocol != nil, c.Metadata != nil, c.Mark != nil} {
		if has {
			got.Actions++
		}
	}
	if got != want {
		return sqlerr.DeltaCheckpointMalformed(name, fmt.Sprintf("it has %d actions, of which %d add files; %d and %d were written", got.Actions, got.Adds, want.Actions, want.Adds), nil)
	}
	return nil
}

// rowGroupActions is how many actions go into one row group: few enough that a column of a row group fits in memory.
const rowGroupActions = 100_000

// writeActions writes column by column: rows would be assembled only to be taken apart.
func writeActions(w io.Writer, actions []Action, schema *outSchema) (CheckpointSummary, error) {
	out := parquet.NewGenericWriter[any](w, parquet.NewSchema("spark_schema", schema.root), parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("tarn", "", ""), parquet.DataPageStatistics(false))
	if err := schema.bind(out.Schema()); err != nil {
		return CheckpointSummary{}, err
	}
	e := &emitter{}
	for part := range slices.Chunk(actions, rowGroupActions) {
		columns := out.ColumnWriters()
		for _, leaf := range schema.leaves {
			if err := leaf.write(e, columns[leaf.index], part); err != nil {
				return CheckpointSummary{}, err
			}
		}
		if err := out.Flush(); err != nil {
			return CheckpointSummary{}, err
		}
	}
	if err := out.Close(); err != nil {
		return CheckpointSummary{}, err
	}
	s := CheckpointSummary{Actions: int64(len(actions))}
	for i := range actions {
		switch {
		case actions[i].Add != nil:
			s.Adds++
		case actions[i].Remove != nil:
			s.Removes++
		}
	}
	return s, nil
}

// outLeaf is a column of a checkpoint and how an action fills it.
type outLeaf struct {
	path  []string
	index int
	// there reports whether an action is of the kind that the column is about.
	there func(a *Action) bool
	emit  func(e *emitter, a *Action)
}

// emitter collects the values of one column.
type emitter struct {
	index  int
	maxDef int
	values []parquet.Value
	nulls  []parquet.Value // by level: most of what a checkpoint holds
	bytes  []byte          // what the texts among the values are parts of
}

// begin makes the emitter that of a column with as many levels at most.
func (e *emitter) begin(index, levels int) {
	e.index, e.maxDef, e.nulls = index, levels, e.nulls[:0]
	for def := range levels + 1 {
		e.nulls = append(e.nulls, parquet.NullValue().Level(0, def, index))
	}
}

// none is a null whose first missing group is at a level: 0 when the action is of another kind.
func (e *emitter) none(def int) { e.values = append(e.values, e.nulls[def]) }

// text is a value that holds a copy of a text.
func (e *emitter) text(s string) parquet.Value {
	start := len(e.bytes)
	e.bytes = append(e.bytes, s...)
	return parquet.ByteArrayValue(e.bytes[start:])
}

func (e *emitter) put(v parquet.Value, rep int) {
	e.values = append(e.values, v.Level(rep, e.maxDef, e.index))
}

// texts emits the parts of a repeated column; def is the level of a group that is there but has none.
func (e *emitter) texts(def int, values func(yield func(s string, null bool) bool)) {
	rep := 0
	for s, null := range values {
		if null {
			e.values = append(e.values, parquet.NullValue().Level(rep, e.maxDef-1, e.index))
		} else {
			e.put(e.text(s), rep)
		}
		rep = 1
	}
	if rep == 0 {
		e.none(def)
	}
}

func (l *outLeaf) write(e *emitter, w *parquet.ColumnWriter, actions []Action) error {
	const rows = 4096
	e.begin(l.index, len(l.path))
	for part := range slices.Chunk(actions, rows) {
		e.values, e.bytes = e.values[:0], e.bytes[:0]
		for i := range part {
			if !l.there(&part[i]) {
				e.none(0)
				continue
			}
			l.emit(e, &part[i])
		}
		if _, err := w.WriteRowValues(e.values); err != nil {
			return err
		}
	}
	return nil
}

// outSchema is the schema of a checkpoint with its leaves.
type outSchema struct {
	root   parquet.Group
	leaves []*outLeaf
}

func (s *outSchema) bind(schema *parquet.Schema) error {
	for _, l := range s.leaves {
		found, ok := schema.Lookup(l.path...)
		if !ok {
			return fmt.Errorf("the checkpoint's schema has no column %v", l.path)
		}
		l.index = found.ColumnIndex
	}
	if n := len(schema.Columns()); n != len(s.leaves) {
		return fmt.Errorf("the checkpoint's schema has %d columns, and %d are filled", n, len(s.leaves))
	}
	return nil
}

// outGroup is an optional group of the schema; there reports whether an action has it, which is one level of definition.
type outGroup struct {
	schema *outSchema
	node   parquet.Group
	path   []string
	there  func(a *Action) bool
	// depth is the level of the deepest group that an action has, of those on the path: len(path) when it has them all.
	depth func(a *Action) int
}

func (s *outSchema) group(name string, there func(a *Action) bool) *outGroup {
	node := parquet.Group{}
	s.root[name] = parquet.Optional(node)
	return &outGroup{schema: s, node: node, path: []string{name}, there: there, depth: func(a *Action) int {
		if there(a) {
			return 1
		}
		return 0
	}}
}

func (g *outGroup) group(name string, there func(a *Action) bool) *outGroup {
	node := parquet.Group{}
	g.node[name] = parquet.Optional(node)
	own := len(g.path)
	return &outGroup{schema: g.schema, node: node, path: append(slices.Clone(g.path), name), there: g.there, depth: func(a *Action) int {
		d := g.depth(a)
		if d == own && there(a) {
			d++
		}
		return d
	}}
}

// leaf adds an optional column; value is called only for actions that have the group, and gives ok false for null.
func (g *outGroup) leaf(name string, node parquet.Node, value func(e *emitter, a *Action) (v parquet.Value, ok bool)) {
	g.node[name] = parquet.Optional(node)
	own := len(g.path)
	g.schema.leaves = append(g.schema.leaves, &outLeaf{path: append(slices.Clone(g.path), name), there: g.there, emit: func(e *emitter, a *Action) {
		d := g.depth(a)
		if d < own {
			e.none(d)
			return
		}
		if v, ok := value(e, a); ok {
			e.values = append(e.values, v.Level(0, own+1, e.index))
		} else {
			e.none(own)
		}
	}})
}

func (g *outGroup) text(name string, value func(a *Action) string) {
	g.leaf(name, parquet.String(), func(e *emitter, a *Action) (parquet.Value, bool) {
		s := value(a)
		return e.text(s), s != ""
	})
}

// always is a text that is written when it is empty too.
func (g *outGroup) always(name string, value func(a *Action) string) {
	g.leaf(name, parquet.String(), func(e *emitter, a *Action) (parquet.Value, bool) { return e.text(value(a)), true })
}

func (g *outGroup) long(name string, value func(a *Action) int64) {
	g.leaf(name, parquet.Leaf(parquet.Int64Type), func(_ *emitter, a *Action) (parquet.Value, bool) { return parquet.Int64Value(value(a)), true })
}

func (g *outGroup) optionalLong(name string, value func(a *Action) *int64) {
	g.leaf(name, parquet.Leaf(parquet.Int64Type), func(_ *emitter, a *Action) (parquet.Value, bool) {
		n := value(a)
		if n == nil {
			return parquet.Value{}, false
		}
		return parquet.Int64Value(*n), true
	})
}

func (g *outGroup) integer(name string, value func(a *Action) *int32) {
	g.leaf(name, parquet.Leaf(parquet.Int32Type), func(_ *emitter, a *Action) (parquet.Value, bool) {
		n := value(a)
		if n == nil {
			return parquet.Value{}, false
		}
		return parquet.Int32Value(*n), true
	})
}

func (g *outGroup) truth(name string, value func(a *Action) bool) {
	g.leaf(name, parquet.Leaf(parquet.BooleanType), func(_ *emitter, a *Action) (parquet.Value, bool) { return parquet.BooleanValue(value(a)), true })
}

// values adds the map of partition values, in which the empty text is NULL. there is false for a map that is null.
func (g *outGroup) values(name string, value func(a *Action) (p PartitionTexts, there bool)) {
	g.mapOf(name, true, value)
}

// entries adds a map of texts; nil is null unless the map must be there.
func (g *outGroup) entries(name string, must bool, value func(a *Action) map[string]string) {
	g.mapOf(name, false, func(a *Action) (PartitionTexts, bool) {
		m := value(a)
		return textMap(m), must || m != nil
	})
}

func (g *outGroup) mapOf(name string, emptyIsNull bool, value func(a *Action) (p PartitionTexts, there bool)) {
	g.node[name] = parquet.Optional(parquet.Map(parquet.String(), parquet.Optional(parquet.String())))
	own := len(g.path)
	for _, part := range []string{"key", "value"} {
		// Levels: the groups of the path, the map, its entries, and the value, which may be null.
		full := own + 2
		if part == "value" {
			full++
		}
		g.schema.leaves = append(g.schema.leaves, &outLeaf{path: append(slices.Clone(g.path), name, "key_value", part), there: g.there, emit: func(e *emitter, a *Action) {
			d := g.depth(a)
			if d < own {
				e.none(d)
				return
			}
			p, there := value(a)
			if !there {
				e.none(own)
				return
			}
			e.maxDef = full
			e.texts(own+1, func(yield func(string, bool) bool) {
				for _, v := range p {
					if part == "key" && !yield(v.Column, false) || part == "value" && !yield(v.Text, emptyIsNull && v.Text == "") {
						return
					}
				}
			})
		}})
	}
}

// list adds a list of texts; nil is null.
func (g *outGroup) list(name string, value func(a *Action) []string) {
	g.node[name] = parquet.Optional(parquet.List(parquet.Optional(parquet.String())))
	own := len(g.path)
	g.schema.leaves = append(g.schema.leaves, &outLeaf{path: append(slices.Clone(g.path), name, "list", "element"), there: g.there, emit: func(e *emitter, a *Action) {
		d := g.depth(a)
		if d < own {
			e.none(d)
			return
		}
		values := value(a)
		if values == nil {
			e.none(own)
			return
		}
		e.maxDef = own + 3
		e.texts(own+1, func(yield func(string, bool) bool) {
			for _, v := range values {
				if !yield(v, false) {
					return
				}
			}
		})
	}})
}

// textMap is a map of texts in the order of its keys.
func textMap(m map[string]string) PartitionTexts {
	out := make(PartitionTexts, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, PartitionText{k, m[k]})
	}
	return out
}
