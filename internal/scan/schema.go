package scan

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// InferRequest asks for the columns of the files below some paths.
type InferRequest struct {
	Paths   []storage.Location
	Format  string
	Options map[string]string
	// Columns, when not nil, are the columns that a user declared: they are taken as they are, and only the partition
	// columns among (or besides) them are found.
	Columns []types.Field
	// PartitionNames are the partition columns of CREATE TABLE … PARTITIONED BY (names): the directories must spell these, and
	// junk beside them is left for repair to tell. PartitionColumns gives them types.
	PartitionNames   []string
	PartitionColumns []partition.Column
	// MustExist makes a path without files an error, takes glob patterns, and keeps a partition column that files hold too in
	// its place: the rules of a read by path.
	MustExist bool
	Settings  Settings
}

// Inferred is a schema that was found.
type Inferred struct {
	// Columns are all columns, partition columns last (but see InferRequest.MustExist).
	Columns []types.Field
	// Partition names the partition columns, outermost first.
	Partition []string
	// Tree is what was read on the way, nil when PartitionNames were given.
	Tree *Tree
}

// PartitionTypes are the partition columns with their types.
func (in *Inferred) PartitionTypes() []partition.Column {
	var out []partition.Column
	for _, name := range in.Partition {
		for _, f := range in.Columns {
			if f.Name == name {
				out = append(out, partition.Column{Name: name, Type: f.Type})
			}
		}
	}
	return out
}

// Infer finds the columns of files and the partition columns that their directories spell.
func (sc *Scanner) Infer(ctx context.Context, req InferRequest) (*Inferred, error) {
	if len(req.PartitionNames) > 0 {
		return sc.inferNamed(ctx, req)
	}
	opts := format.Options(req.Options)
	base, err := basePath(opts)
	if err != nil {
		return nil, err
	}
	s := req.Settings
	tree, err := ReadTree(ctx, sc.stores, req.Paths, TreeOptions{
		Schema: req.Columns, Infer: partition.InferOptions{Disabled: !s.InferTypes}, BasePath: base, Recursive: opts.Is("recursiveFileLookup"),
		Lenient: !s.Validate, IgnoreInvalid: s.IgnoreInvalid || opts.Is("ignoreInvalidPartitionPaths"), CaseSensitive: s.CaseSensitive,
		Glob: req.MustExist, MissingOK: !req.MustExist, View: s.View,
	})
	if err != nil {
		return nil, err
	}
	in := &Inferred{Tree: tree}
	data := req.Columns
	if data == nil {
		if data, err = sc.dataSchema(ctx, req, tree.Files); err != nil {
			return nil, err
		}
	}
	in.arrange(data, tree.Found.Columns, s.CaseSensitive, req.MustExist)
	return in, nil
}

func basePath(opts format.Options) (storage.Location, error) {
	text, ok := opts.Get("basePath")
	if !ok {
		return storage.Location{}, nil
	}
	return storage.ParseLocation(text, "")
}

// arrange joins data columns and partition columns: the path wins over a file's column of the same name.
func (in *Inferred) arrange(data []types.Field, cols []partition.Column, caseSensitive, inPlace bool) {
	same := func(a, b string) bool { return a == b || !caseSensitive && ident.Equal(a, b) }
	taken := make([]bool, len(cols))
	for _, f := range data {
		level := -1
		for k, c := range cols {
			if same(c.Name, f.Name) {
				level = k
			}
		}
		switch {
		case level < 0:
			in.Columns = append(in.Columns, f)
		case inPlace:
			taken[level] = true
			in.Columns = append(in.Columns, types.Field{Name: cols[level].Name, Type: cols[level].Type, Comment: f.Comment, HasComment: f.HasComment})
		}
	}
	for k, c := range cols {
		in.Partition = append(in.Partition, c.Name)
		if !taken[k] {
			in.Columns = append(in.Columns, types.Field{Name: c.Name, Type: c.Type})
		}
	}
}

// dataSchema is the schema that files themselves tell.
func (sc *Scanner) dataSchema(ctx context.Context, req InferRequest, files []storage.File) ([]types.Field, error) {
	if err := sc.readable(req.Format); err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, sqlerr.UnableToInferSchema(strings.ToUpper(req.Format), req.Paths[0].String())
	}
	if req.Format == "parquet" {
		return sc.parquet.Infer(ctx, files, req.Options, req.Settings.format())
	}
	return sc.readers[req.Format].Infer(ctx, files, req.Options, req.Settings.format())
}

// inferNamed finds the columns of a table whose partition columns are named. The directories are discovered as a repair
// would, without opening one that is a partition; only as many are then listed as it takes to find a data file.
func (sc *Scanner) inferNamed(ctx context.Context, req InferRequest) (*Inferred, error) {
	cols := make([]partition.Column, len(req.PartitionNames))
	for i, name := range req.PartitionNames {
		cols[i] = partition.Column{Name: name, Type: types.Of(types.String)}
	}
	root, s := req.Paths[0], req.Settings
	found, err := Discover(ctx, sc.stores, root, cols, DiscoverOptions{CaseSensitive: s.CaseSensitive})
	if err != nil {
		return nil, err
	}
	if found.Len() == 0 {
		return nil, sc.mismatch(ctx, req, found)
	}
	if req.PartitionColumns != nil {
		cols = req.PartitionColumns
	} else {
		for level := range cols {
			if cols[level].Type, err = sc.levelType(ctx, root, found, level, s); err != nil {
				return nil, err
			}
		}
	}
	files, err := sc.sampleFiles(ctx, req, root, found)
	if err != nil {
		return nil, err
	}
	data, err := sc.dataSchema(ctx, req, files)
	if err != nil {
		return nil, err
	}
	in := &Inferred{}
	in.arrange(data, cols, s.CaseSensitive, false)
	return in, nil
}

// maxOdd is how many odd directory names of a level are looked into before they decide its type.
const maxOdd = 16

// levelType infers the type of a level from the names of its directories. A directory without files does not count, as for a
// listing; since looking into each would be slow, only those are looked into whose names alone keep the level from having
// a type other than STRING.
func (sc *Scanner) levelType(ctx context.Context, root storage.Location, found *partition.Found, level int, s Settings) (types.Type, error) {
	opts := partition.InferOptions{Disabled: !s.InferTypes}
	var all, usual []string
	odd := map[uint32]bool{}
	for code, sp := range found.Levels[level] {
		_, _, raw, ok := partition.SplitSegment(sp.Dir)
		if !ok {
			continue
		}
		all = append(all, raw)
		if partition.InferOne(raw, opts).Kind == types.String {
			odd[uint32(code)] = true
		} else {
			usual = append(usual, raw)
		}
	}
	t := partition.Infer(all, opts)
	narrow := partition.Infer(usual, opts)
	if t.Kind != types.String || narrow.Kind == types.String || len(odd) > maxOdd {
		return t, nil
	}
	var dirs []storage.Location
	for leaf, code := range found.Codes[level] {
		if odd[code] {
			dirs = append(dirs, root.Join(found.Path(leaf)))
		}
	}
	list, err := Files(ctx, sc.stores, dirs, FileOptions{View: s.View})
	if err != nil || len(list.Bare) < len(dirs) {
		return t, err
	}
	return narrow, nil
}

// mismatch explains why no directory fits the named partition columns: there is nothing, or the keys are others.
func (sc *Scanner) mismatch(ctx context.Context, req InferRequest, found *partition.Found) error {
	root := req.Paths[0]
	if found.RootMissing {
		return sqlerr.UnableToInferSchema(strings.ToUpper(req.Format), root.String())
	}
	tree, err := ReadTree(ctx, sc.stores, req.Paths, TreeOptions{Infer: partition.InferOptions{}, CaseSensitive: req.Settings.CaseSensitive, MissingOK: true, View: req.Settings.View})
	if err != nil {
		return err
	}
	if len(tree.Files) == 0 {
		return sqlerr.UnableToInferSchema(strings.ToUpper(req.Format), root.String())
	}
	var keys []string
	for _, c := range tree.Found.Columns {
		keys = append(keys, c.Name)
	}
	return sqlerr.PartitionColumnsMismatch(strings.Join(req.PartitionNames, ", "), strings.Join(keys, ", "), root.String())
}

// sampleBatch is how many partition directories are listed at a time while looking for a data file to infer from.
const sampleBatch = 64

// sampleFiles lists partitions until some hold data files. Text formats infer from all files, as Spark does; of Parquet one
// is enough, unless schemas are to be merged.
func (sc *Scanner) sampleFiles(ctx context.Context, req InferRequest, root storage.Location, found *partition.Found) ([]storage.File, error) {
	order := make([]int, found.Len())
	dirs := make([]string, found.Len())
	for i := range order {
		order[i] = i
		parts := make([]string, len(found.Codes))
		for level, codes := range found.Codes {
			parts[level] = found.Levels[level][codes[i]].Dir
		}
		dirs[i] = strings.Join(parts, "/")
	}
	sort.Slice(order, func(a, b int) bool { return dirs[order[a]] < dirs[order[b]] })
	all := req.Format != "parquet" || format.Options(req.Options).Is("mergeSchema")
	var files []storage.File
	var deep []storage.Location
	for start := 0; start < len(order); start += sampleBatch {
		var locs []storage.Location
		for _, i := range order[start:min(start+sampleBatch, len(order))] {
			locs = append(locs, root.Join(dirs[i]))
		}
		list, err := Files(ctx, sc.stores, locs, FileOptions{View: req.Settings.View})
		if err != nil {
			return nil, err
		}
		files, deep = append(files, list.Files...), append(deep, list.TooDeep...)
		if len(files) > 0 && !all {
			break
		}
	}
	if len(files) == 0 && len(deep) > 0 {
		rel, _ := root.Rel(deep[0])
		var keys []string
		for dir := range strings.SplitSeq(rel, "/") {
			if key, _, _, ok := partition.SplitSegment(dir); ok {
				keys = append(keys, key)
			}
		}
		return nil, sqlerr.PartitionColumnsMismatch(strings.Join(req.PartitionNames, ", "), strings.Join(keys, ", "), root.String())
	}
	return files, nil
}

// ListPartitions is the partition set of a listing table as its directories are now: those that hold files.
func (sc *Scanner) ListPartitions(ctx context.Context, t *catalog.Table, s Settings) (*partition.Set, error) {
	s = s.with(t.Options)
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, err
	}
	var cols []partition.Column
	for _, f := range t.PartitionColumns() {
		cols = append(cols, partition.Column{Name: f.Name, Type: f.Type})
	}
	tree, err := ReadTree(ctx, sc.stores, []storage.Location{root}, TreeOptions{Columns: cols, Lenient: !s.Validate, IgnoreInvalid: s.IgnoreInvalid, CaseSensitive: s.CaseSensitive, MissingOK: true, View: s.View})
	if err != nil {
		return nil, err
	}
	known := partition.NewSet(cols)
	return known.Apply(partition.Diff(known, tree.partitions(), partition.DiffOptions{Mode: partition.SyncMode, Root: root.String()}).Changes, 0)
}

// Unregistered counts the directories at the first level of a table with a partition log whose value the log has nowhere, and
// which no entry of another value has for its own either (an external partition that was renamed keeps its directory).
func (sc *Scanner) Unregistered(ctx context.Context, src *Source, s Settings) (int, error) {
	t := src.Partition[0].Type
	known := src.Set.Distinct(0, src.Set.All())
	if len(known) > 0 && known[0] == nil {
		known = known[1:]
	}
	null := src.Set.Match([]partition.Matcher{{Col: 0, Op: partition.Eq}}).Len() > 0
	drift, err := Drifted(ctx, sc.stores, src.Roots[0], src.Partition, s.CaseSensitive, func(v types.Value) bool {
		if v == nil {
			return null
		}
		i := sort.Search(len(known), func(i int) bool { return types.Compare(t, known[i], v) >= 0 })
		return i < len(known) && types.Compare(t, known[i], v) == 0
	})
	if err != nil {
		return 0, fmt.Errorf("compare the first level: %w", err)
	}
	if drift.Unknown == 0 {
		return 0, nil
	}
	claimed := map[string]bool{}
	for row := range src.Set.Len() {
		if src.Set.Canonical(row) {
			continue
		}
		rel, abs := src.Set.Path(row)
		if abs != "" {
			loc, err := storage.ParseLocation(abs, "")
			if err != nil {
				continue // a location that cannot be read claims nothing
			}
			rel, _ = src.Roots[0].Rel(loc)
		}
		dir, _, _ := strings.Cut(rel, "/")
		claimed[dir] = true
	}
	n := 0
	for _, dir := range drift.Dirs {
		if !claimed[dir] {
			n++
		}
	}
	return n, nil
}
