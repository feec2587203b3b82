package engine

import "github.com/tarnlake/tarn/internal/types"

// Write is a query whose rows become files.
type Write struct {
	// Query's Root yields the columns of the files in their order, with those that Partition names among them. The values
	// have the types of the columns already: nothing is cast or checked.
	Query
	// Partition are indexes into Root.Output() of the dynamic partition columns, outermost first. They are not in the
	// files; each combination of their values gets files of its own.
	Partition []int
	// Names are the names of the other columns in the files.
	Names []string
	// Stored, when not nil, holds for each name the type of the column in the files: that of the rows but for the names of
	// struct fields. Only Parquet files can have it.
	Stored []types.Type
	// FieldIDs, when not nil, holds for each name the ids of the column in the files. Only Parquet files have ids.
	FieldIDs []FieldID
	// Format is parquet, csv or json.
	Format string
	// Options are the writer options of the table or the statement, with Spark's names in any case. The engine and the
	// formats take from them what they know and ignore the rest.
	Options map[string]string
	// Dir is an existing private directory of this machine. The names below it are the engine's own; callers use what
	// Written tells.
	Dir string
	// Ordered keeps the order of Root's rows within each partition: in each file, and over the files of a partition in
	// the order of Written.
	Ordered bool
	// MaxFileBytes is the size of a file above which the next one is begun; 0 is no limit. Parquet files of dynamic
	// partitions are not split.
	MaxFileBytes int64
	// RowGroupRows and RowGroupBytes are targets for the row groups of Parquet files; bytes are estimated from the types
	// of the columns. 0 leaves the engine's own; rows go before bytes.
	RowGroupRows, RowGroupBytes int64
	// NewPartition is called once for each combination of partition values before its rows are written, in no order and
	// from any goroutine, one call at a time. Its error ends the statement and is returned as it is. It may be nil. A
	// combination may be told although the query, run again from the start because of its many partitions, does not
	// yield it a second time.
	NewPartition func(values []types.Value) error
}

// Written tells what a write made. A query without rows makes no file.
type Written struct {
	Rows  int64
	Files []WrittenFile
}

// WrittenFile is one file. Its row count is exact.
type WrittenFile struct {
	Path string
	// Partition holds a value for each column of Write.Partition in the canonical form of package partition: NULL for ''
	// and for the literal text of the NULL partition, 0.0 for -0.0, CHAR padded, a TIMESTAMP as the wall-clock
	// microseconds of the session's zone. It is nil without dynamic partition columns.
	Partition   []types.Value
	Rows, Bytes int64
}

// FieldID is the id of a column in the schema of a Parquet file, and those of what is inside it: fields of a struct by their
// names in the file, the "element" of an array, the "key" and "value" of a map. 0 is none.
type FieldID struct {
	ID     int64
	Inside map[string]FieldID
}
