package scan

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// declaredTree reads a listing table: discovery of its declared levels, then the files of the partitions that are left.
func declaredTree(ctx context.Context, stores *storage.Stores, root storage.Location, opts TreeOptions) (*Tree, error) {
	w, err := declaredWalk(ctx, stores, root, opts)
	if err != nil {
		return nil, err
	}
	found, err := w.run()
	if err != nil {
		return nil, translate(err)
	}
	if found.RootMissing && !opts.MissingOK {
		return nil, sqlerr.PathNotFound(root.String())
	}
	if opts.Lenient {
		found.Columns = opts.Columns
		for level := range found.Levels {
			for i := range found.Levels[level] {
				sp := &found.Levels[level][i]
				sp.Value = lenientValue(opts.Columns[level], sp.Value)
			}
		}
	}
	skipped, err := w.judge(root, opts)
	if err != nil {
		return nil, translate(err)
	}
	dirs := w.sortRows(root, found)
	listing, err := Files(ctx, stores, dirs, opts.files())
	if err != nil {
		return nil, err
	}
	for _, dir := range listing.TooDeep {
		rel, _ := root.Rel(dir)
		skipped = append(skipped, partition.Skip{
			Path: rel, Reason: partition.TooDeep,
			Detail: "a key=value directory below the last partition column is not read",
		})
	}
	found.Skipped = skipped
	return &Tree{Found: *found, Files: listing.Files, Starts: listing.Starts, bare: listing.Bare}, nil
}

// sortRows brings what was found into the order of its paths, which is the same on every machine, and returns the
// locations.
func (w *walk) sortRows(root storage.Location, found *partition.Found) []storage.Location {
	paths := make([]string, found.Len())
	order := make([]int, len(paths))
	var path []byte
	for r := range paths {
		path = w.appendPath(path[:0], len(w.cols)-1, uint32(r))
		paths[r], order[r] = string(path), r
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(paths[a], paths[b]) })
	for level, codes := range found.Codes {
		sorted := make([]uint32, len(codes))
		for i, r := range order {
			sorted[i] = codes[r]
		}
		found.Codes[level] = sorted
	}
	dirs := make([]storage.Location, len(order))
	for i, r := range order {
		dirs[i] = root.Join(paths[r])
	}
	return dirs
}

// declaredWalk prepares the discovery of a listing table. A lenient one takes every value for text at first, since one that
// does not cast must not be skipped but become NULL.
func declaredWalk(ctx context.Context, stores *storage.Stores, root storage.Location, opts TreeOptions) (*walk, error) {
	cols, prune := opts.Columns, opts.Prune
	if opts.Lenient {
		cols = slices.Clone(opts.Columns)
		for i := range cols {
			cols[i].Type = types.Of(types.String)
		}
		if opts.Prune != nil {
			prune = func(level int, v types.Value) bool {
				return opts.Prune(level, lenientValue(opts.Columns[level], v))
			}
		}
	}
	w, err := newWalk(ctx, stores, root, cols, DiscoverOptions{CaseSensitive: opts.CaseSensitive, Prune: prune, Threads: opts.Threads})
	if err != nil {
		return nil, err
	}
	w.emptyFiles = true
	return w, nil
}

// lenientValue is the value of a directory's text in a column, NULL when it does not cast.
func lenientValue(col partition.Column, text types.Value) types.Value {
	s, ok := text.(string)
	if !ok {
		return nil
	}
	v, err := partition.ParseValue(col, s)
	if err != nil {
		return nil
	}
	return v
}

// judge decides about what discovery skipped. Where it holds data it is an error, or with IgnoreInvalid a warning; a
// directory without any file does not exist for a listing.
func (w *walk) judge(root storage.Location, opts TreeOptions) ([]partition.Skip, error) {
	rows := w.skipRows()
	var kept []partition.Skip
	var f faults
	for i, s := range w.skips {
		holds, err := w.holdsData(s)
		switch {
		case err != nil:
			return nil, err
		case s.Reason == partition.LinkLoop, holds && opts.IgnoreInvalid && s.Reason != partition.BadValue:
			kept = append(kept, rows[i])
		case holds:
			f.add(s, root, opts.Columns)
		}
	}
	return kept, f.err(opts.Columns)
}

// holdsData reports whether a skipped name is a file, or a directory with one somewhere below it.
func (w *walk) holdsData(s skip) (bool, error) {
	if !s.isDir {
		return s.Reason == partition.TooShallow, nil // else it is a symbolic link to nothing
	}
	if s.Reason == partition.LinkLoop {
		return false, nil
	}
	return w.holdsFiles(w.rootKey + s.Path + "/")
}

// faults are the data out of place in a listing table, by the error that Spark has for it.
type faults struct {
	structures []string // locations right in the root, where no key says what they could be
	names      []string // locations below keys that are not the table's
	lists      []string // the keys of names
	value      error    // the first value that does not cast, or that is not there
}

func (f *faults) add(s skip, root storage.Location, cols []partition.Column) {
	at := root.Join(s.Path)
	segment := s.Path[strings.LastIndexByte(s.Path, '/')+1:]
	switch keys := keysOf(s); {
	case s.Reason == partition.BadValue || s.Reason == partition.EmptyValue:
		if f.value != nil {
			return
		}
		f.value = sqlerr.EmptyPartitionColumnValue(at.String(), segment)
		if s.Reason == partition.BadValue {
			_, text, _, _ := partition.SplitSegment(segment)
			col := cols[s.level]
			f.value = sqlerr.InvalidPartitionValue(text, col.Type.SQL(), col.Name, at.String())
		}
	case len(keys) > 0:
		if !s.isDir {
			at = at.Parent()
		}
		f.names = append(f.names, at.String())
		f.lists = append(f.lists, strings.Join(keys, ", "))
	default:
		f.structures = append(f.structures, at.String())
	}
}

// err is the gravest of the faults: a directory of another kind before other keys, keys before values.
func (f *faults) err(cols []partition.Column) error {
	switch {
	case len(f.structures) > 0:
		return sqlerr.ConflictingDirectoryStructures(f.structures)
	case len(f.names) > 0:
		wanted := make([]string, len(cols))
		for i, c := range cols {
			wanted[i] = c.Name
		}
		slices.Sort(f.lists)
		lists := append([]string{strings.Join(wanted, ", ")}, slices.Compact(f.lists)...)
		return sqlerr.ConflictingPartitionColumnNames(lists, slices.Compact(f.names))
	}
	return f.value
}

// keysOf are the keys that a skipped path spells.
func keysOf(s skip) []string {
	var keys []string
	segments := strings.Split(s.Path, "/")
	if !s.isDir {
		segments = segments[:len(segments)-1]
	}
	for _, segment := range segments {
		if key, _, _, ok := partition.SplitSegment(segment); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// errFound ends a search that found something.
var errFound = errors.New("found")

// holdsFiles reports whether a directory or one below it holds a file that is not ignored, of any size. Symbolic links
// are not followed.
func (w *walk) holdsFiles(key string) (bool, error) {
	var below []string
	err := w.bucket.ReadDir(w.ctx, key, false, func(e *storage.Entry) error {
		name := string(e.Name)
		switch {
		case partition.Ignored(name) || partition.IsTemporary(name):
		case e.Type == storage.FileEntry:
			return errFound
		case e.Type == storage.DirEntry && !e.Link:
			below = append(below, key+name+"/")
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	if err != nil && !gone(err) {
		return false, err
	}
	for _, sub := range below {
		if holds, err := w.holdsFiles(sub); holds || err != nil {
			return holds, err
		}
	}
	return false, nil
}
