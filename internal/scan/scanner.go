package scan

import (
	"context"

	"github.com/tarnlake/tarn/internal/delta"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Parquet is what a Scanner needs of the Parquet format.
type Parquet interface {
	// ReadFooter checks a file and reads its footer; every failure is a *sqlerr.Error that names the file.
	ReadFooter(ctx context.Context, file storage.File) (format.Footer, error)
	// Infer is the schema of files: the first one's, or with the option mergeSchema that of all.
	Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error)
	// Compatible reports whether a file's columns may be read as the given ones.
	Compatible(location string, f format.Footer, schema []types.Field, s format.Settings) error
	// Statistics reads what the row groups of a file tell of leaves, which are given by their paths and types.
	Statistics(ctx context.Context, file storage.File, paths [][]string, of []types.Type, fn func(rows int64, leaves []format.LeafRange)) error
	// OpenRows reads a file that the engine cannot.
	OpenRows(ctx context.Context, file storage.File, schema []types.Field, want []int, s format.Settings) (format.BatchReader, error)
}

// Scanner finds what a query reads: the partitions that its predicates leave, their files, and what is known about
// the files without reading them. It is safe for concurrent use.
type Scanner struct {
	stores  *storage.Stores
	parquet Parquet
	readers map[string]format.Reader
	footers *footerCache
}

// NewScanner makes a Scanner over stores; readers are the text formats by name.
func NewScanner(stores *storage.Stores, parquet Parquet, readers map[string]format.Reader) *Scanner {
	return &Scanner{stores: stores, parquet: parquet, readers: readers, footers: newFooterCache()}
}

// Settings is what looking at files needs of the session.
type Settings struct {
	Context       *expr.Context
	CaseSensitive bool
	// InferTypes is spark.sql.sources.partitionColumnTypeInference.enabled, Validate …validatePartitionColumns, IgnoreInvalid
	// spark.sql.files.ignoreInvalidPartitionPaths, IgnoreMissing spark.sql.files.ignoreMissingFiles.
	InferTypes, Validate, IgnoreInvalid, IgnoreMissing bool
	// View hides files of writes that are under way, for reads whose Source is not made yet.
	View *Visibility
	// Warn takes warnings for the user; it may be called from any goroutine.
	Warn func(class, message string, params map[string]string)
}

// with adds what a table's or a read's own options say: they reach as far as the settings of the same names.
func (s Settings) with(options map[string]string) Settings {
	o := format.Options(options)
	s.IgnoreInvalid = s.IgnoreInvalid || o.Is("ignoreInvalidPartitionPaths")
	s.IgnoreMissing = s.IgnoreMissing || o.Is("ignoreMissingFiles")
	return s
}

func (s Settings) format() format.Settings {
	return format.Settings{Zone: s.Context.Zone, CaseSensitive: s.CaseSensitive, ANSI: s.Context.ANSI, Warn: s.Warn}
}

// SourceKind says how the partitions of a Source are known.
type SourceKind uint8

// The kinds of source.
const (
	FromPath    SourceKind = iota // a tree of files that was read when the columns were inferred, or is read now
	FromLog                       // registered partitions
	FromListing                   // declared partition columns, listed by each query
	FromDelta                     // the log of a Delta table names the files
)

// Source is where the rows of one relation come from. A statement makes one for each relation that it names, so that all
// its scans see the same partitions.
type Source struct {
	Name   string // for messages
	Kind   SourceKind
	Roots  []storage.Location
	Format string
	// Options are the format's reader options.
	Options map[string]string
	// Columns are all columns, in the relation's order; Partition are those whose values directories hold.
	Columns   []types.Field
	Partition []partition.Column
	Set       *partition.Set  // of FromLog
	Tree      *Tree           // of FromPath, when it has been read
	Delta     *delta.Snapshot // of FromDelta
	// Confined, when not nil, names the only files that scans with Changed set read, by their paths in the log.
	Confined map[string]bool
	// View hides files of writes that are under way.
	View *Visibility
	// Recorded lists the files of rows of Set whose content commits have recorded.
	Recorded func(ctx context.Context, rows []int) ([][]storage.File, error)
}

// partitionOf is the level of a column, or -1 for one that files hold.
func (s *Source) partitionOf(field int) int {
	if field < 0 {
		return -1
	}
	for k, c := range s.Partition {
		if s.Columns[field].Name == c.Name {
			return k
		}
	}
	return -1
}

// dataColumns are the columns that files hold, and for each column of the source its index among them (-1 for
// partition columns).
func (s *Source) dataColumns() ([]types.Field, []int) {
	var data []types.Field
	at := make([]int, len(s.Columns))
	for i := range s.Columns {
		at[i] = -1
		if s.partitionOf(i) < 0 {
			at[i] = len(data)
			data = append(data, s.Columns[i])
		}
	}
	return data, at
}

// instants gives the partition values of a group as expressions see them.
func (s *Source) instants(values partition.Values, ctx *expr.Context) partition.Values {
	if s.Kind == FromDelta {
		return values // they are instants already
	}
	out := make(partition.Values, len(values))
	for k, v := range values {
		out[k] = Instant(s.Partition[k].Type, v, ctx)
	}
	return out
}

// readable refuses formats whose files this version cannot read.
func (sc *Scanner) readable(formatName string) error {
	if _, ok := sc.readers[formatName]; ok || formatName == "parquet" {
		return nil
	}
	return sqlerr.Unsupported("TABLE_FORMAT", "reading files of format "+formatName)
}

// StorageFailure gives a failure to look at storage its condition.
func StorageFailure(err error) *sqlerr.Error { return sqlerr.As(translate(err)) }

// Instant is a partition value as expressions see it: TIMESTAMP values are kept as wall-clock time and mean that time in the
// session's zone.
func Instant(t types.Type, v types.Value, ctx *expr.Context) types.Value {
	if t.Kind != types.Timestamp || v == nil {
		return v
	}
	return types.FromLocal(v.(int64), ctx.Zone)
}

// Statistics reads from a Parquet file what its row groups tell of leaves: see Parquet.Statistics.
func (sc *Scanner) Statistics(ctx context.Context, file storage.File, paths [][]string, of []types.Type, fn func(rows int64, leaves []format.LeafRange)) error {
	return sc.parquet.Statistics(ctx, file, paths, of, fn)
}
