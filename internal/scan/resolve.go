package scan

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Looked is what finding the files of a scan came to, for EXPLAIN.
type Looked struct {
	Known    int // partitions, -1 when a listing pruned directories before it counted them
	Selected int
	Files    int
	Bytes    int64
	// Opened counts the files whose footer (or first row) was read to answer, and was not remembered.
	Opened int
	// Summary tells that only what is known about partitions was asked for.
	Summary bool
	// Untold tells that statistics do not answer the query: the rows are read.
	Untold bool
	// Delta tells that a log named the files, and AllFiles how many it has.
	Delta    bool
	AllFiles int
}

// String is the note that EXPLAIN prints.
func (l Looked) String() string {
	if l.Untold {
		return "statistics do not tell it exactly: rows are read"
	}
	text := fmt.Sprintf("partitions: %d", l.Selected)
	if l.Known >= 0 {
		text += fmt.Sprintf(" of %d", l.Known)
	}
	if l.Delta && !l.Summary {
		return text + fmt.Sprintf(", files: %d of %d, bytes: %d", l.Files, l.AllFiles, l.Bytes)
	}
	if l.Summary {
		return text + fmt.Sprintf(", files opened: %d", l.Opened)
	}
	return text + fmt.Sprintf(", files: %d, bytes: %d", l.Files, l.Bytes)
}

// group is the files of one partition with its values; without partition columns there is one group.
type group struct {
	values partition.Values
	files  []storage.File
	facts  []fileFacts // by file; nil when nothing is known of them
}

// factsOf is what is known of the i-th file.
func (g *group) factsOf(i int) fileFacts {
	if g.facts == nil {
		return fileFacts{name: g.files[i].Location().String(), rows: -1}
	}
	return g.facts[i]
}

// Resolve finds the files of a scan and how the engine is to read them.
func (sc *Scanner) Resolve(ctx context.Context, n *plan.Scan, src *Source, s Settings) (engine.Input, Looked, error) {
	if err := sc.readable(src.Format); err != nil {
		return engine.Input{}, Looked{}, err
	}
	s = s.with(src.Options)
	groups, looked, err := sc.groups(ctx, n, src, s)
	if err != nil {
		return engine.Input{}, looked, err
	}
	for _, g := range groups {
		looked.Files += len(g.files)
		for _, f := range g.files {
			looked.Bytes += f.Size
		}
	}
	if src.Format == "parquet" {
		in, err := sc.parquetInput(ctx, n, src, groups, s)
		return in, looked, err
	}
	return engine.Input{Source: newFileSource(sc, n, src, groups, s)}, looked, nil
}

// groups finds the partitions that a scan's predicates leave, with their files.
func (sc *Scanner) groups(ctx context.Context, n *plan.Scan, src *Source, s Settings) ([]group, Looked, error) {
	switch src.Kind {
	case FromLog:
		return sc.registered(ctx, n, src, s)
	case FromListing:
		return sc.listed(ctx, n, src, s)
	case FromDelta:
		return sc.deltaGroups(ctx, n, src, s)
	}
	return sc.byPath(ctx, n, src, s)
}

// columnIDs gives each partition column the id under which the scan's predicates know it.
func columnIDs(n *plan.Scan, src *Source) []expr.ColumnID {
	ids := make([]expr.ColumnID, len(src.Partition))
	for i, field := range n.Fields {
		if k := src.partitionOf(field); k >= 0 {
			ids[k] = n.Out[i].ID
		}
	}
	return ids
}

// registered are the partitions of a log that the predicates leave. Only their directories are listed.
func (sc *Scanner) registered(ctx context.Context, n *plan.Scan, src *Source, s Settings) ([]group, Looked, error) {
	looked := Looked{Known: src.Set.Len()}
	sel, err := src.Set.Prune(n.Prune, columnIDs(n, src), s.Context)
	if err != nil {
		return nil, looked, err
	}
	looked.Selected = sel.Len()
	groups, err := sc.filesOf(ctx, src, sel, s)
	return groups, looked, err
}

// filesOf finds the files of registered partitions: those that commits recorded, else by listing their directories, with a
// warning for those that are gone or too deep.
func (sc *Scanner) filesOf(ctx context.Context, src *Source, sel *partition.Selection, s Settings) ([]group, error) {
	groups := make([]group, 0, sel.Len())
	var dirs []storage.Location
	var listed, at []int     // rows that are listed, and their groups
	var rows, recorded []int // rows whose files are recorded, and their groups
	for row := range sel.Rows() {
		if src.Set.Content(row).Recorded {
			recorded, rows = append(recorded, len(groups)), append(rows, row)
		} else {
			loc, err := src.rowLocation(row)
			if err != nil {
				return nil, err
			}
			dirs, listed, at = append(dirs, loc), append(listed, row), append(at, len(groups))
		}
		groups = append(groups, group{values: src.Set.Values(row)})
	}
	if len(recorded) > 0 {
		lists, err := src.Recorded(ctx, rows)
		if err != nil {
			return nil, err
		}
		for i, g := range recorded {
			groups[g].files = lists[i]
		}
	}
	if len(dirs) == 0 {
		return groups, nil
	}
	list, err := Files(ctx, sc.stores, dirs, FileOptions{View: src.View, Direct: len(src.Partition) == 0})
	if err != nil {
		return nil, err
	}
	for i, d := range list.Missing {
		if i == maxWarned {
			s.Warn("PARTITION_DIRECTORIES_MISSING", fmt.Sprintf("%d more directories of registered partitions of %s do not exist. Run: MSCK REPAIR TABLE %s DROP PARTITIONS", len(list.Missing)-i, src.Name, src.Name), nil)
			break
		}
		s.Warn("PARTITION_DIRECTORY_MISSING", fmt.Sprintf("The directory %s of a registered partition of %s does not exist, so it gives no rows. Run: MSCK REPAIR TABLE %s DROP PARTITIONS", dirs[d], src.Name, src.Name),
			map[string]string{"location": dirs[d].String(), "partition": src.Set.Spec(listed[d])})
	}
	for i, d := range list.TooDeep {
		if i == maxWarned {
			break
		}
		warnTooDeep(s, d.String())
	}
	for i, g := range at {
		groups[g].files = list.Of(i)
	}
	return groups, nil
}

// maxWarned bounds the warnings of one kind that a scan gives.
const maxWarned = 10

func warnTooDeep(s Settings, where string) {
	s.Warn("TOO_DEEP", "The directory "+where+" lies below the last partition column and is not read.", map[string]string{"location": where})
}

func (s *Source) rowLocation(row int) (storage.Location, error) {
	rel, abs := s.Set.Path(row)
	if abs != "" {
		return storage.ParseLocation(abs, "")
	}
	return s.Roots[0].Join(rel), nil
}

// listed lists a table's tree, leaving out directories at the level where a predicate rules them out.
func (sc *Scanner) listed(ctx context.Context, n *plan.Scan, src *Source, s Settings) ([]group, Looked, error) {
	ids := columnIDs(n, src)
	_, rest := byLevel(n.Prune, ids)
	tree, err := ReadTree(ctx, sc.stores, src.Roots, TreeOptions{
		Columns: src.Partition, Lenient: !s.Validate, IgnoreInvalid: s.IgnoreInvalid, CaseSensitive: s.CaseSensitive, MissingOK: true, View: src.View,
		Prune: LevelFilter(n.Prune, ids, src.Partition, s.Context),
	})
	if err != nil {
		return nil, Looked{}, err
	}
	warnSkipped(tree, src, s)
	groups, err := treeGroups(ctx, tree, src, rest, ids, s)
	if err != nil {
		return nil, Looked{}, err
	}
	known := tree.Len()
	if len(n.Prune) > 0 {
		known = -1
	}
	return groups, Looked{Known: known, Selected: len(groups)}, nil
}

// byPath uses the tree that was read when the columns were inferred, or reads it.
func (sc *Scanner) byPath(ctx context.Context, n *plan.Scan, src *Source, s Settings) ([]group, Looked, error) {
	tree := src.Tree
	if tree == nil && format.Options(src.Options).Is("recursiveFileLookup") {
		all, err := ReadTree(ctx, sc.stores, src.Roots, TreeOptions{Recursive: true, MissingOK: true, View: src.View})
		if err != nil {
			return nil, Looked{}, err
		}
		return []group{{files: all.Files}}, Looked{Known: 1, Selected: 1}, nil
	}
	if tree == nil {
		list, err := Files(ctx, sc.stores, src.Roots, FileOptions{Direct: len(src.Partition) == 0, View: src.View})
		if err != nil {
			return nil, Looked{}, err
		}
		return []group{{files: list.Files}}, Looked{Known: 1, Selected: 1}, nil
	}
	warnSkipped(tree, src, s)
	groups, err := treeGroups(ctx, tree, src, n.Prune, columnIDs(n, src), s)
	if err != nil {
		return nil, Looked{}, err
	}
	return groups, Looked{Known: tree.Len(), Selected: len(groups)}, nil
}

func warnSkipped(tree *Tree, src *Source, s Settings) {
	for i, skip := range tree.Found.Skipped {
		if i == maxWarned {
			break
		}
		where := skip.Path
		if len(src.Roots) == 1 {
			where = src.Roots[0].Join(skip.Path).String()
		}
		if skip.Reason == partition.TooDeep {
			warnTooDeep(s, where)
			continue
		}
		s.Warn(string(skip.Reason), fmt.Sprintf("%s is not read: %s.", where, skip.Detail), map[string]string{"location": where})
	}
}

// treeGroups are the rows of a tree that the conjuncts leave. A row for which one fails to evaluate stays: the engine
// raises the error when it meets a row of data.
func treeGroups(ctx context.Context, tree *Tree, src *Source, conjuncts []expr.Expr, ids []expr.ColumnID, s Settings) ([]group, error) {
	groups := make([]group, 0, tree.Len())
	for row := range tree.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values := make(partition.Values, len(src.Partition))
		for k := range values {
			values[k] = tree.Value(row, k)
		}
		keep := true
		for _, c := range conjuncts {
			v, err := expr.Eval(c, s.Context, func(id expr.ColumnID) types.Value {
				for k, known := range ids {
					if known == id {
						return Instant(src.Partition[k].Type, values[k], s.Context)
					}
				}
				return nil
			})
			keep = keep && (err != nil || v == true)
		}
		if keep {
			groups = append(groups, group{values: values, files: tree.Of(row)})
		}
	}
	return groups, nil
}

// byLevel splits conjuncts into those over one partition column, by its level, and the rest.
func byLevel(conjuncts []expr.Expr, ids []expr.ColumnID) (levels [][]expr.Expr, rest []expr.Expr) {
	levels = make([][]expr.Expr, len(ids))
	for _, c := range conjuncts {
		cols := expr.Columns(c)
		level := -1
		if len(cols) == 1 {
			for k, id := range ids {
				if id == cols[0] {
					level = k
				}
			}
		}
		if level < 0 {
			rest = append(rest, c)
			continue
		}
		levels[level] = append(levels[level], c)
	}
	return levels, rest
}

// LevelFilter tells which directories of a level the conjuncts leave, as DiscoverOptions.Prune wants it: those over that
// level's column alone decide. ids give each column its id in the conjuncts. A conjunct that fails to evaluate keeps the
// directory.
func LevelFilter(conjuncts []expr.Expr, ids []expr.ColumnID, cols []partition.Column, ctx *expr.Context) func(level int, v types.Value) bool {
	levels, _ := byLevel(conjuncts, ids)
	return func(level int, v types.Value) bool { return keeps(levels[level], ids, level, cols[level].Type, v, ctx) }
}

func keeps(conjuncts []expr.Expr, ids []expr.ColumnID, level int, t types.Type, v types.Value, ctx *expr.Context) bool {
	for _, c := range conjuncts {
		got, err := expr.Eval(c, ctx, func(id expr.ColumnID) types.Value {
			if id == ids[level] {
				return Instant(t, v, ctx)
			}
			return nil
		})
		if err == nil && got != true {
			return false
		}
	}
	return true
}

// parquetInput looks at every footer before the engine opens a file: a file that is broken, encrypted or of another type is
// an error that names it, and one that the engine cannot read goes through Tarn's own reader.
func (sc *Scanner) parquetInput(ctx context.Context, n *plan.Scan, src *Source, groups []group, s Settings) (engine.Input, error) {
	var files []storage.File
	var owner []int
	var facts []fileFacts
	for g := range groups {
		for i, f := range groups[g].files {
			files, owner, facts = append(files, f), append(owner, g), append(facts, groups[g].factsOf(i))
		}
	}
	foots, err := sc.footersOf(ctx, files, s)
	if err != nil {
		return engine.Input{}, err
	}
	known := map[*shape]*reading{}
	reader := newShapeReader(n, src)
	needsGo := false
	for i, f := range foots {
		if f.shape == nil || known[f.shape] != nil {
			continue // gone since it was listed, and the session goes on without it; or looked at
		}
		if known[f.shape], err = reader.read(sc, files[i].Location().String(), f.shape, s); err != nil {
			return engine.Input{}, err
		}
		needsGo = needsGo || f.shape.footer.NeedsGo != ""
	}
	if needsGo {
		return engine.Input{Source: newFileSource(sc, n, src, groups, s)}, nil
	}
	in := engine.Input{Parquet: make([]engine.ParquetFile, 0, len(files))}
	values := make([][]types.Value, len(groups))
	for i, f := range files {
		rows := foots[i].rows - facts[i].deleted
		if foots[i].shape == nil || rows <= 0 {
			continue
		}
		path, ok := f.LocalPath()
		if !ok {
			return engine.Input{}, sqlerr.Unsupported("STORAGE", "reading files of "+f.Location().Scheme())
		}
		g := owner[i]
		if values[g] == nil {
			values[g] = outputValues(n, src, groups[g].values, s.Context)
		}
		how := known[foots[i].shape]
		in.Parquet = append(in.Parquet, engine.ParquetFile{
			Path: path, Rows: rows, Name: facts[i].name, URI: f.Location().JavaURI(), Size: f.Size, Partition: values[g],
			Stored: how.stored, Names: how.names, Mask: facts[i].mask, Exact: how.exact,
		})
	}
	return in, nil
}

// outputValues are the values of a scan's partition columns for one partition, in the scan's order.
func outputValues(n *plan.Scan, src *Source, values partition.Values, ctx *expr.Context) []types.Value {
	out := []types.Value{}
	values = src.instants(values, ctx)
	for _, field := range n.Fields {
		if k := src.partitionOf(field); k >= 0 {
			out = append(out, values[k])
		}
	}
	return out
}

// PartitionFiles are the files of one partition with its values; without partition columns there is one of them.
type PartitionFiles struct {
	Values partition.Values
	Files  []storage.File
}

// AllFiles lists the files of a relation by partition, for those who take over the files themselves.
func (sc *Scanner) AllFiles(ctx context.Context, rel *plan.Relation, src *Source, s Settings) ([]PartitionFiles, error) {
	groups, _, err := sc.groups(ctx, &plan.Scan{Relation: rel}, src, s.with(src.Options))
	out := make([]PartitionFiles, len(groups))
	for i, g := range groups {
		out[i] = PartitionFiles{g.values, g.files}
	}
	return out, err
}
