package scan

import (
	"context"

	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// TreeOptions says how a tree of files is read.
type TreeOptions struct {
	// Columns are the declared partition columns of a listing table, one per level of directories. Without them the columns
	// are inferred from the directories' names.
	Columns []partition.Column
	// Schema, when the columns are inferred, gives those keys that it names their type and spelling (a schema that the
	// user stated).
	Schema []types.Field
	// Infer says how the types of the other keys are found.
	Infer partition.InferOptions
	// BasePath is the directory above which nothing is a partition (the option basePath); the zero Location means the
	// roots themselves. Declared columns count from the root in any case.
	BasePath storage.Location
	// Recursive reads every file below the roots and looks for no partitions (the option recursiveFileLookup).
	Recursive bool
	// Lenient reads a value that does not cast as NULL (spark.sql.sources.validatePartitionColumns=false).
	Lenient bool
	// IgnoreInvalid skips directories that fit no partition (spark.sql.files.ignoreInvalidPartitionPaths).
	IgnoreInvalid bool
	// CaseSensitive tells keys apart that differ in case only (spark.sql.caseSensitive).
	CaseSensitive bool
	// Glob takes the roots for patterns where they hold a pattern's characters, as for paths in a query.
	Glob bool
	// MissingOK reads a root that does not exist as empty, as for the location of a table.
	MissingOK bool
	// Prune, with declared columns, says whether a directory of this level and value is wanted: see DiscoverOptions.
	Prune func(level int, v types.Value) bool
	// View is that of FileOptions.
	View *Visibility
	// Threads is how many directories are read at once; 0 means one per processor.
	Threads int
}

func (o *TreeOptions) files() FileOptions {
	return FileOptions{View: o.View, Threads: o.Threads}
}

// Tree is what a read of some paths, or of a listing table, finds.
type Tree struct {
	// Found holds the partition columns and, as columns of codes, one row per partition directory. Several rows may stand
	// for one value (hh=7 and hh=07). Found.Skipped are directories that were left out, which a query should warn
	// about: those below the last level (TOO_DEEP), and those that IgnoreInvalid let pass. Paths are relative to the
	// root; with several roots they are whole locations.
	Found partition.Found
	// Files are all data files, ordered by row; the files of row r are Files[Starts[r]:Starts[r+1]]. Without partition
	// columns there is one row.
	Files  []storage.File
	Starts []int

	bare []int // rows without any file, ascending
}

// Len is the number of rows of files: partitions, or 1 without partition columns.
func (t *Tree) Len() int { return len(t.Starts) - 1 }

// Of are the files of row r.
func (t *Tree) Of(r int) []storage.File { return t.Files[t.Starts[r]:t.Starts[r+1]] }

// Value is the value of a row in the partition column of a level.
func (t *Tree) Value(r, level int) types.Value {
	return t.Found.Levels[level][t.Found.Codes[level][r]].Value
}

// ReadTree finds the files below some paths and the partitions that their directories spell, by Spark's rules.
//
// With opts.Columns there is one root, the table's: levels are listed one by one and pruned before anything below is looked
// at, and a partition directory's plain sub-directories are read. Without, everything below the roots is listed and the
// columns follow from the names of the directories that hold files; when none is key=value, only the files right in the roots
// are read.
//
// Errors name the directories at fault: PATH_NOT_FOUND, CONFLICTING_DIRECTORY_STRUCTURES, CONFLICTING_PARTITION_COLUMN_NAMES,
// EMPTY_PARTITION_COLUMN_VALUE, INVALID_PARTITION_VALUE, COLUMN_ALREADY_EXISTS, FAILED_READ_FILE.
func ReadTree(ctx context.Context, stores *storage.Stores, roots []storage.Location, opts TreeOptions) (*Tree, error) {
	if opts.Glob {
		var all []storage.Location
		for _, root := range roots {
			matches, err := Glob(ctx, stores, root)
			if err != nil {
				return nil, err
			}
			all = append(all, matches...)
		}
		roots = all
	}
	if opts.Columns != nil && len(roots) == 1 {
		return declaredTree(ctx, stores, roots[0], opts)
	}
	t := &inferredTree{ctx: ctx, stores: stores, roots: roots, opts: opts}
	return t.read()
}

// partitions is what was found, less the directories that hold no file: to a listing they are no partitions. One that holds
// files of zero bytes only is, though it has no rows.
func (t *Tree) partitions() *partition.Found {
	if len(t.bare) == 0 {
		return &t.Found
	}
	found := t.Found
	found.Codes = make([][]uint32, len(t.Found.Codes))
	bare := t.bare
	for r := range t.Len() {
		if len(bare) > 0 && bare[0] == r {
			bare = bare[1:]
			continue
		}
		for level := range found.Codes {
			found.Codes[level] = append(found.Codes[level], t.Found.Codes[level][r])
		}
	}
	return &found
}
