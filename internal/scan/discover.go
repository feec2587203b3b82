package scan

import (
	"cmp"
	"context"
	"slices"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// DiscoverOptions says how Discover walks. The zero value discovers everything with one worker per processor.
type DiscoverOptions struct {
	// CaseSensitive makes a directory's key match a column in its exact spelling only (spark.sql.caseSensitive).
	CaseSensitive bool
	// Prune, when set, says whether directories with this value at this level (0 is the outermost) are wanted. It is
	// asked once per distinct name, from several goroutines; what it refuses is neither entered nor reported.
	Prune func(level int, v types.Value) bool
	// Threads is how many directories are read at once; 0 means one per processor. Cold disks and remote ones gain from
	// 16 and more.
	Threads int
	// Progress, when set, is told now and then how many directories were read and partitions found so far, by one
	// goroutine at a time.
	Progress func(directories, partitions int)
}

// Discover finds the partition directories of a table below root: it lists the levels above the last column's and never
// opens a partition directory itself. What is no partition comes back as Skipped, sorted by path, with the reason.
//
// A root that does not exist is told by Found.RootMissing. A directory that exists and cannot be read is an error
// (FAILED_READ_FILE), never an absence: a repair that drops entries must not take one for the other. A directory that
// vanishes while the walk runs is absent.
func Discover(ctx context.Context, stores *storage.Stores, root storage.Location, cols []partition.Column, opts DiscoverOptions) (*partition.Found, error) {
	w, err := newWalk(ctx, stores, root, cols, opts)
	if err != nil {
		return nil, err
	}
	found, err := w.run()
	if err != nil {
		return nil, translate(err)
	}
	found.Skipped = w.skipRows()
	return found, nil
}

func newWalk(ctx context.Context, stores *storage.Stores, root storage.Location, cols []partition.Column, opts DiscoverOptions) (*walk, error) {
	bucket, key, err := OpenRoot(stores, root)
	if err != nil {
		return nil, err
	}
	return &walk{
		ctx: ctx, bucket: bucket, rootKey: key, cols: cols, opts: opts,
		layout: partition.NewLayout(cols, opts.CaseSensitive),
	}, nil
}

// walk is one discovery. It goes level by level: the directories of a level are read in parallel, and only a level's end
// joins what the workers found.
type walk struct {
	ctx     context.Context
	bucket  *storage.Bucket
	rootKey string // "" or ending with '/'
	cols    []partition.Column
	layout  *partition.Layout
	opts    DiscoverOptions
	// emptyFiles makes files of zero bytes below the root count as data out of place, as Spark's discovery does.
	emptyFiles bool

	levels []frontier
	skips  []skip
	gauge  gauge
}

// frontier is the directories of one level: directory i is called names[code[i]].Dir and lies in directory parent[i] of the
// level above. The order is the same in every run over an unchanged file system.
type frontier struct {
	names  []partition.Spelling
	code   []uint32
	parent []uint32
}

// skip is a name that is no partition.
type skip struct {
	partition.Skip
	level int
	isDir bool
}

func (w *walk) run() (*partition.Found, error) {
	found := &partition.Found{Columns: w.cols, Levels: make([][]partition.Spelling, len(w.cols)), Codes: make([][]uint32, len(w.cols))}
	for level := range w.cols {
		dirs := 1
		if level > 0 {
			dirs = len(w.levels[level-1].code)
		}
		next, err := w.expand(level, dirs)
		if err != nil {
			if level == 0 && storage.KindOf(err) == storage.NotFound {
				found.RootMissing = true
				return found, nil
			}
			return nil, err
		}
		w.levels = append(w.levels, next)
	}
	w.assemble(found)
	return found, nil
}

// assemble turns the frontiers into columns of codes: one row per directory of the last level.
func (w *walk) assemble(found *partition.Found) {
	last := len(w.levels) - 1
	if last < 0 {
		return
	}
	for l, f := range w.levels {
		found.Levels[l] = f.names
	}
	found.Codes[last] = w.levels[last].code
	at := w.levels[last].parent // of each leaf: its directory in the level that is looked at
	for l := last - 1; l >= 0; l-- {
		column := make([]uint32, len(at))
		up := make([]uint32, len(at))
		f := w.levels[l]
		for r, dir := range at {
			column[r], up[r] = f.code[dir], f.parent[dir]
		}
		found.Codes[l], at = column, up
	}
	for l := range found.Levels {
		found.Levels[l], found.Codes[l] = used(found.Levels[l], found.Codes[l])
	}
}

// used leaves out the spellings that no row has: directories that were pruned, or under which no partition lies. The
// arguments stay as they are.
func used(spellings []partition.Spelling, codes []uint32) ([]partition.Spelling, []uint32) {
	const unseen = ^uint32(0)
	remap := make([]uint32, len(spellings))
	for i := range remap {
		remap[i] = unseen
	}
	kept := 0
	for _, c := range codes {
		if remap[c] == unseen {
			remap[c] = 0
			kept++
		}
	}
	if kept == len(spellings) {
		return spellings, codes
	}
	out := make([]partition.Spelling, 0, kept)
	for i, sp := range spellings {
		if remap[i] != unseen {
			remap[i] = uint32(len(out))
			out = append(out, sp)
		}
	}
	recoded := make([]uint32, len(codes))
	for r, c := range codes {
		recoded[r] = remap[c]
	}
	return out, recoded
}

// appendPath appends the path of directory i of a level, relative to the root and ending with '/'.
func (w *walk) appendPath(dst []byte, level int, i uint32) []byte {
	if level < 0 {
		return dst
	}
	f := &w.levels[level]
	dst = w.appendPath(dst, level-1, f.parent[i])
	return append(append(dst, f.names[f.code[i]].Dir...), '/')
}

// skipRows are the skips as discovery reports them.
func (w *walk) skipRows() []partition.Skip {
	slices.SortFunc(w.skips, func(a, b skip) int { return cmp.Compare(a.Path, b.Path) })
	if len(w.skips) == 0 {
		return nil
	}
	rows := make([]partition.Skip, len(w.skips))
	for i, s := range w.skips {
		rows[i] = s.Skip
		rows[i].Detail = capDetail(s.Detail)
	}
	return rows
}
