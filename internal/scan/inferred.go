package scan

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// inferredTree reads paths whose partition columns follow from the names of the directories.
type inferredTree struct {
	ctx    context.Context
	stores *storage.Stores
	roots  []storage.Location
	opts   TreeOptions

	leaves  []treeLeaf
	skipped []partition.Skip
	parsed  map[string]segment // by directory name
}

// segment is a directory name that was taken apart.
type segment struct {
	key, text string // unescaped
	raw       string // the value as on storage, from which types are inferred
	isKey     bool   // it has the form key=value
	problem   partition.Reason
}

// treeLeaf is a directory that holds files, or a file that was given as a root.
type treeLeaf struct {
	bucket *storage.Bucket
	root   int
	isRoot bool   // the directory that was given, or the one that holds the given file
	key    string // of the directory: "" or ending with '/'
	files  []storage.Object

	segments []string // names of the form key=value, outermost first
	base     string   // key of the directory that the segments count from
	hidden   bool     // scratch space between base and leaf
}

func (t *inferredTree) read() (*Tree, error) {
	t.parsed = map[string]segment{}
	for i := range t.roots {
		if err := t.list(i); err != nil {
			return nil, translate(err)
		}
	}
	if t.opts.Recursive {
		return t.flat(func(*treeLeaf) bool { return true }), nil
	}
	if err := t.checkBasePath(); err != nil {
		return nil, translate(err)
	}
	partitioned := false
	for i := range t.leaves {
		l := &t.leaves[i]
		if err := t.parse(l); err != nil {
			return nil, err
		}
		partitioned = partitioned || len(l.segments) > 0
	}
	if !partitioned {
		tree := t.flat(func(l *treeLeaf) bool { return l.isRoot })
		tree.Found.Skipped = t.skipped
		return tree, nil
	}
	if err := t.checkStructure(); err != nil {
		return nil, err
	}
	if err := t.checkNames(); err != nil {
		return nil, err
	}
	return t.partitioned()
}

// list lists one root.
func (t *inferredTree) list(i int) error {
	root := t.roots[i]
	bucket, key, err := t.stores.Open(root)
	if err != nil {
		return err
	}
	if key != "" {
		o, err := bucket.Stat(t.ctx, key)
		if err == nil {
			return t.file(i, bucket, o)
		}
		if !gone(err) && storage.KindOf(err) != storage.IsADirectory {
			return err
		}
	}
	switch _, err := bucket.Stat(t.ctx, root.DirKey()); {
	case gone(err) && t.opts.MissingOK:
		return nil
	case gone(err):
		return sqlerr.PathNotFound(root.String())
	case err != nil:
		return err
	}
	w := treeWalk{ctx: t.ctx, bucket: bucket, files: t.opts.files()}
	if err := w.run(root.DirKey()); err != nil {
		return err
	}
	for _, leaf := range w.leaves {
		t.leaves = append(t.leaves, treeLeaf{bucket: bucket, root: i, isRoot: leaf.key == root.DirKey(), key: leaf.key, files: leaf.files})
	}
	return nil
}

// file takes a root that is a file. Its directory is its base: it has no partition columns unless basePath says so.
func (t *inferredTree) file(i int, bucket *storage.Bucket, o storage.Object) error {
	parent, name := splitKey(o.Key)
	if partition.Ignored(name) {
		return nil
	}
	leaf := treeLeaf{bucket: bucket, root: i, isRoot: true, key: parent}
	if o.Size > 0 && t.opts.View.shows(o.Key, name) {
		leaf.files = []storage.Object{o}
	}
	t.leaves = append(t.leaves, leaf)
	return nil
}

// flat is the tree without partition columns, of the leaves that are wanted.
func (t *inferredTree) flat(want func(*treeLeaf) bool) *Tree {
	tree := &Tree{}
	for i := range t.leaves {
		if l := &t.leaves[i]; want(l) {
			tree.add(l)
		}
	}
	tree.Starts = []int{0, len(tree.Files)}
	return tree
}

func (t *Tree) add(l *treeLeaf) {
	for _, o := range l.files {
		t.Files = append(t.Files, storage.File{Bucket: l.bucket, Object: o})
	}
}

func (t *inferredTree) checkBasePath() error {
	base := t.opts.BasePath
	if base.IsZero() {
		return nil
	}
	bucket, _, err := t.stores.Open(base)
	if err != nil {
		return err
	}
	switch _, err := bucket.Stat(t.ctx, base.DirKey()); storage.KindOf(err) {
	case storage.NotFound:
		return sqlerr.InvalidBasePath(base.String(), "nothing is there")
	case storage.NotADirectory:
		return sqlerr.InvalidBasePath(base.String(), "that is not a directory")
	default:
		if err != nil {
			return err
		}
	}
	for _, root := range t.roots {
		if !base.Contains(root) {
			return sqlerr.InvalidBasePath(base.String(), "the path "+root.String()+" does not lie below it")
		}
	}
	return nil
}

// baseKey is the key of the directory at which the parsing of a leaf's path ends.
func (t *inferredTree) baseKey(l *treeLeaf) string {
	if !t.opts.BasePath.IsZero() {
		return t.opts.BasePath.DirKey()
	}
	if l.isRoot {
		return l.key
	}
	return t.roots[l.root].DirKey()
}

// parse reads a leaf's path upwards: plain names below the last key=value are sub-directories of the partition; a plain name
// above one ends the partitions there.
func (t *inferredTree) parse(l *treeLeaf) error {
	base := t.baseKey(l)
	l.base = base
	at := l.key
	for at != base && at != "" {
		parent, name := splitKey(at)
		if partition.IsTemporary(name) {
			l.hidden, l.segments = true, nil
			return nil
		}
		s := t.segment(name)
		if s.isKey {
			if s.problem != "" {
				return t.invalid(l, at, name, s)
			}
			l.segments = append(l.segments, name)
		} else if len(l.segments) > 0 {
			l.base = at
			break
		}
		at = parent
	}
	slices.Reverse(l.segments)
	return nil
}

func (t *inferredTree) segment(name string) segment {
	if s, ok := t.parsed[name]; ok {
		return s
	}
	var s segment
	s.key, s.text, s.raw, s.isKey = partition.SplitSegment(name)
	switch {
	case !s.isKey:
	case s.key == "":
		s.problem = partition.WrongColumn
	case s.raw == "":
		s.problem = partition.EmptyValue
	case !utf8.ValidString(s.key) || !utf8.ValidString(s.text):
		s.problem = partition.BadName
	}
	t.parsed[name] = s
	return s
}

// invalid handles a key=value name that can be no partition: an error, or with IgnoreInvalid a leaf that is skipped.
func (t *inferredTree) invalid(l *treeLeaf, key, name string, s segment) error {
	dir := l.bucket.Location(key).String()
	if t.opts.IgnoreInvalid {
		t.skip(l, s.problem, "the directory "+name+" spells no partition")
		l.hidden, l.segments = true, nil
		return nil
	}
	switch s.problem {
	case partition.EmptyValue:
		return sqlerr.EmptyPartitionColumnValue(dir, name)
	case partition.WrongColumn:
		return sqlerr.EmptyPartitionColumnName(dir, name)
	default:
		return sqlerr.InvalidPartitionValue(strings.ToValidUTF8(s.text, "\uFFFD"), "STRING", strings.ToValidUTF8(s.key, "\uFFFD"), dir)
	}
}

func (t *inferredTree) skip(l *treeLeaf, reason partition.Reason, detail string) {
	loc := l.bucket.Location(l.key)
	path := loc.String()
	if len(t.roots) == 1 {
		if rel, ok := t.roots[0].Rel(loc); ok {
			path = rel
		}
	}
	t.skipped = append(t.skipped, partition.Skip{Path: path, Reason: reason, Detail: capDetail(detail)})
}

// checkStructure sees to it that all partitions count from one directory and that no data lies beside them.
func (t *inferredTree) checkStructure() error {
	bases := map[string]int{}
	for i := range t.leaves {
		if l := &t.leaves[i]; len(l.segments) > 0 {
			bases[l.bucket.Location(l.base).String()]++
		}
	}
	usual, most := "", 0
	for base, n := range bases {
		if n > most || n == most && base < usual {
			usual, most = base, n
		}
	}
	var fault []string
	kept := t.leaves[:0]
	for _, l := range t.leaves {
		switch {
		case l.hidden:
			continue
		case len(l.segments) > 0:
			if base := l.bucket.Location(l.base).String(); base != usual && !t.opts.IgnoreInvalid {
				fault = append(fault, base)
			}
			kept = append(kept, l)
			continue
		case l.isRoot && len(l.files) == 0 && l.key == l.base:
			continue // files of zero bytes beside the partitions lose nobody any data
		case t.opts.IgnoreInvalid:
			t.skip(&l, partition.NotAPartition, "data lies beside the partition directories")
		case l.isRoot && len(l.files) > 0:
			fault = append(fault, l.bucket.Location(l.files[0].Key).String())
		default:
			fault = append(fault, l.bucket.Location(l.key).String())
		}
	}
	t.leaves = kept
	if len(fault) == 0 {
		return nil
	}
	slices.Sort(fault)
	return sqlerr.ConflictingDirectoryStructures(append(slices.Compact(fault), usual))
}

// sameKey compares two keys by the session's rule.
func (t *inferredTree) sameKey(a, b string) bool {
	return a == b || !t.opts.CaseSensitive && strings.EqualFold(a, b)
}

// checkNames sees to it that every leaf has the same keys in the same order, none of them twice.
func (t *inferredTree) checkNames() error {
	if len(t.leaves) == 0 {
		return nil
	}
	first := t.leaves[0].segments
	for i := range t.leaves {
		if !slices.EqualFunc(first, t.leaves[i].segments, func(a, b string) bool {
			return t.sameKey(t.parsed[a].key, t.parsed[b].key)
		}) {
			return t.conflictingNames()
		}
	}
	for i := range first {
		for j := range i {
			if t.sameKey(t.parsed[first[i]].key, t.parsed[first[j]].key) {
				return sqlerr.ColumnAlreadyExists(t.parsed[first[i]].key)
			}
		}
	}
	return nil
}

// conflictingNames names the directories of each list of keys, the rarest first: they are likely the ones at fault.
func (t *inferredTree) conflictingNames() error {
	type group struct {
		list string
		dirs []string
	}
	byList := map[string]*group{}
	var groups []*group
	for i := range t.leaves {
		l := &t.leaves[i]
		keys := make([]string, len(l.segments))
		for i, s := range l.segments {
			keys[i] = t.parsed[s].key
		}
		list := strings.Join(keys, ", ")
		folded := list
		if !t.opts.CaseSensitive {
			folded = strings.ToLower(list)
		}
		g := byList[folded]
		if g == nil {
			g = &group{list: list}
			byList[folded] = g
			groups = append(groups, g)
		}
		g.dirs = append(g.dirs, l.bucket.Location(l.key).String())
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(len(a.dirs), len(b.dirs)), cmp.Compare(a.list, b.list))
	})
	var lists, dirs []string
	for _, g := range groups {
		lists = append(lists, g.list)
		dirs = append(dirs, g.dirs[:min(3, len(g.dirs))]...)
	}
	return sqlerr.ConflictingPartitionColumnNames(lists, dirs)
}

// partitioned builds the tree of leaves that agree.
func (t *inferredTree) partitioned() (*Tree, error) {
	slices.SortStableFunc(t.leaves, func(a, b treeLeaf) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.key, b.key))
	})
	tree := &Tree{}
	tree.Found.Skipped = t.skipped
	levels := 0
	if len(t.leaves) > 0 {
		levels = len(t.leaves[0].segments)
	}
	codes := make([]map[string]uint32, levels)
	for i := range codes {
		codes[i] = map[string]uint32{}
	}
	tree.Found.Levels = make([][]partition.Spelling, levels)
	tree.Found.Codes = make([][]uint32, levels)
	row := make([]uint32, levels)
	rows := 0
	for i := range t.leaves {
		l := &t.leaves[i]
		same := rows > 0 && l.root == t.leaves[i-1].root
		for level, name := range l.segments {
			code, known := codes[level][name]
			if !known {
				code = uint32(len(codes[level]))
				codes[level][name] = code
				tree.Found.Levels[level] = append(tree.Found.Levels[level], partition.Spelling{Dir: name})
			}
			same = same && row[level] == code
			row[level] = code
		}
		if !same { // a plain sub-directory belongs to the row of the partition before it
			rows++
			tree.Starts = append(tree.Starts, len(tree.Files))
			for level, code := range row {
				tree.Found.Codes[level] = append(tree.Found.Codes[level], code)
			}
		}
		tree.add(l)
	}
	tree.Starts = append(tree.Starts, len(tree.Files))
	for level := range levels {
		col, err := t.column(tree.Found.Levels[level], level)
		if err != nil {
			return nil, err
		}
		tree.Found.Columns = append(tree.Found.Columns, col)
	}
	return tree, nil
}

// column finds the column of a level and gives its spellings their values.
func (t *inferredTree) column(spellings []partition.Spelling, level int) (partition.Column, error) {
	names := map[string]int{}
	texts, raws := make([]string, len(spellings)), make([]string, len(spellings))
	for i, sp := range spellings {
		s := t.parsed[sp.Dir]
		names[s.key]++
		texts[i], raws[i] = s.text, s.raw
	}
	var col partition.Column
	for name, n := range names { // keys that differ in case are one column: the usual spelling names it
		if best := names[col.Name]; n > best || n == best && name > col.Name {
			col.Name = name
		}
	}
	declared := slices.IndexFunc(t.opts.Schema, func(f types.Field) bool { return t.sameKey(f.Name, col.Name) })
	if declared >= 0 {
		col = partition.Column{Name: t.opts.Schema[declared].Name, Type: t.opts.Schema[declared].Type}
	} else {
		col.Type = partition.Infer(raws, t.opts.Infer)
	}
	for i := range spellings {
		v, err := partition.ParseValue(col, texts[i])
		if err != nil {
			if !t.opts.Lenient {
				return col, sqlerr.InvalidPartitionValue(texts[i], col.Type.SQL(), col.Name, t.dirOf(spellings[i].Dir, level))
			}
			v = nil
		}
		spellings[i].Value = v
	}
	return col, nil
}

// dirOf is the location of the first partition directory that has this name at a level.
func (t *inferredTree) dirOf(name string, level int) string {
	for i := range t.leaves {
		if l := &t.leaves[i]; l.segments[level] == name {
			loc := l.bucket.Location(l.key)
			for !loc.Equal(loc.Parent()) && loc.Name() != name {
				loc = loc.Parent()
			}
			return loc.String()
		}
	}
	return name
}
