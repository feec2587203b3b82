package delta

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
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
	head := opt.head(s)
	return writeActions(w, len(head)+s.NumFiles()+len(removes), func(yield func(Action) bool) {
		for _, a := range head {
			if !yield(a) {
				return
			}
		}
		if opt.Sidecars == nil {
			fileActions(s.Adds(), removes)(yield)
		}
	}, checkpointSchema(opt.V2))
}

// head are the actions of a checkpoint that are not about files.
func (opt CheckpointOptions) head(s *State) []Action {
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
	return actions
}

func fileActions(adds iter.Seq[*Add], removes []*Remove) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for a := range adds {
			if !yield(Action{Add: a}) {
				return
			}
		}
		for _, r := range removes {
			if !yield(Action{Remove: r}) {
				return
			}
		}
	}
}

// WriteSidecar writes file actions as the sidecar of a V2 checkpoint.
func WriteSidecar(w io.Writer, adds []*Add, removes []*Remove) (CheckpointSummary, error) {
	return writeActions(w, len(adds)+len(removes), fileActions(slices.Values(adds), removes), sidecarSchema())
}

const (
	// stepActions is how many actions go into the columns at once: few enough that they stay in a processor's cache meanwhile.
	stepActions = 4096
	// rowGroupActions is how many actions go into one row group: few enough that the columns of a row group fit in memory.
	rowGroupActions = 25 * stepActions
)

// writeActions writes column by column: rows would be assembled only to be taken apart. There are no more than most actions.
func writeActions(w io.Writer, most int, actions iter.Seq[Action], schema *outSchema) (CheckpointSummary, error) {
	var sum CheckpointSummary
	out, err := newFileWriter(w, schema)
	if err != nil {
		return sum, err
	}
	part := make([]Action, 0, min(most, stepActions))
	flush := func() error {
		defer func() { part = part[:0] }()
		return out.add(part)
	}
	for a := range actions {
		sum.Actions++
		switch {
		case a.Add != nil:
			sum.Adds++
		case a.Remove != nil:
			sum.Removes++
		}
		if part = append(part, a); len(part) == stepActions {
			if err := flush(); err != nil {
				return sum, err
			}
		}
	}
	if err := flush(); err != nil {
		return sum, err
	}
	return sum, out.close()
}

// outLeaf is a column of a checkpoint and how an action fills it.
type outLeaf struct {
	path           []string
	maxRep, maxDef int
	typ            format.Type
	// kind is the group at the root that the column belongs to, and there reports whether an action has it.
	kind  string
	there func(a *Action) bool
	emit  func(e *emitter, a *Action)
}

// outSchema is the schema of a checkpoint with its leaves.
type outSchema struct {
	root   parquet.Group
	leaves []*outLeaf
}

// bind finds the leaves' places in the schema and sorts them by these.
func (s *outSchema) bind(schema *parquet.Schema) error {
	at := map[*outLeaf]int{}
	for _, l := range s.leaves {
		found, ok := schema.Lookup(l.path...)
		if !ok {
			return fmt.Errorf("the checkpoint's schema has no column %v", l.path)
		}
		at[l], l.maxRep, l.maxDef, l.typ = found.ColumnIndex, found.MaxRepetitionLevel, found.MaxDefinitionLevel, format.Type(found.Node.Type().Kind())
	}
	if n := len(schema.Columns()); n != len(s.leaves) {
		return fmt.Errorf("the checkpoint's schema has %d columns, and %d are filled", n, len(s.leaves))
	}
	slices.SortFunc(s.leaves, func(a, b *outLeaf) int { return cmp.Compare(at[a], at[b]) })
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

func (g *outGroup) add(l *outLeaf) {
	l.kind, l.there = g.path[0], g.there
	g.schema.leaves = append(g.schema.leaves, l)
}

// leaf adds an optional column; value is called only for actions that have the group. It emits the value, or reports false for null.
func (g *outGroup) leaf(name string, node parquet.Node, value func(e *emitter, a *Action) bool) {
	g.node[name] = parquet.Optional(node)
	own := len(g.path)
	g.add(&outLeaf{path: append(slices.Clone(g.path), name), emit: func(e *emitter, a *Action) {
		d := g.depth(a)
		if d == own && value(e, a) {
			d++
		}
		e.level(0, d)
	}})
}

func (g *outGroup) text(name string, value func(a *Action) string) {
	g.leaf(name, parquet.String(), func(e *emitter, a *Action) bool {
		s := value(a)
		if s == "" {
			return false
		}
		e.text(s)
		return true
	})
}

// always is a text that is written when it is empty too.
func (g *outGroup) always(name string, value func(a *Action) string) {
	g.leaf(name, parquet.String(), func(e *emitter, a *Action) bool {
		e.text(value(a))
		return true
	})
}

func (g *outGroup) long(name string, value func(a *Action) int64) {
	g.leaf(name, parquet.Leaf(parquet.Int64Type), func(e *emitter, a *Action) bool {
		e.long(value(a))
		return true
	})
}

func (g *outGroup) optionalLong(name string, value func(a *Action) *int64) {
	g.leaf(name, parquet.Leaf(parquet.Int64Type), func(e *emitter, a *Action) bool {
		n := value(a)
		if n != nil {
			e.long(*n)
		}
		return n != nil
	})
}

func (g *outGroup) integer(name string, value func(a *Action) *int32) {
	g.leaf(name, parquet.Leaf(parquet.Int32Type), func(e *emitter, a *Action) bool {
		n := value(a)
		if n != nil {
			e.integer(*n)
		}
		return n != nil
	})
}

func (g *outGroup) truth(name string, value func(a *Action) bool) {
	g.leaf(name, parquet.Leaf(parquet.BooleanType), func(e *emitter, a *Action) bool {
		e.truth(value(a))
		return true
	})
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
	g.repeated([]string{name, "key_value", "key"}, func(e *emitter, a *Action) bool {
		p, there := value(a)
		for i := range p {
			e.part(i, p[i].Column, false)
		}
		return there
	})
	g.repeated([]string{name, "key_value", "value"}, func(e *emitter, a *Action) bool {
		p, there := value(a)
		for i := range p {
			e.part(i, p[i].Text, emptyIsNull && p[i].Text == "")
		}
		return there
	})
}

// list adds a list of texts; nil is null.
func (g *outGroup) list(name string, value func(a *Action) []string) {
	g.node[name] = parquet.Optional(parquet.List(parquet.Optional(parquet.String())))
	g.repeated([]string{name, "list", "element"}, func(e *emitter, a *Action) bool {
		values := value(a)
		for i := range values {
			e.part(i, values[i], false)
		}
		return values != nil
	})
}

// repeated adds a column of texts in a map or a list; parts emits them, and reports false for a map or list that is null.
func (g *outGroup) repeated(path []string, parts func(e *emitter, a *Action) bool) {
	own := len(g.path)
	g.add(&outLeaf{path: append(slices.Clone(g.path), path...), emit: func(e *emitter, a *Action) {
		d, before := g.depth(a), len(e.def)
		if d == own && parts(e, a) {
			d++ // the map or list is there
		}
		if len(e.def) == before {
			e.level(0, d)
		}
	}})
}

// textMap is a map of texts in the order of its keys.
func textMap(m map[string]string) PartitionTexts {
	if len(m) == 0 {
		return nil
	}
	out := make(PartitionTexts, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, PartitionText{k, m[k]})
	}
	return out
}
