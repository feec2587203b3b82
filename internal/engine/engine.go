// Package engine is the port to the query engine: what a use case hands it (a plan, and the inputs of the plan's
// scans) and what comes back (batches of rows). It imports vocabulary, vector, format and plan.
package engine

import (
	"context"
	"time"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/plan"
	"github.com/tarnlake/tarn/internal/types"
)

// Engine runs bound queries. It is safe for concurrent use.
type Engine interface {
	// Query starts a query and returns its rows as they come. A failure of the statement is a *sqlerr.Error. Canceling ctx
	// ends the query within a second.
	Query(ctx context.Context, q Query) (Rows, error)
	// Write runs a query and writes its rows into files of a private directory. It returns when the files are complete
	// and closed (not synced). A failure is a *sqlerr.Error, or the error of NewPartition as it is; then the directory may
	// hold anything, and no file in it is open. Canceling ctx ends the write within a second; when the engine takes longer to
	// hear of it, files of the directory may be open until then, and it removes the directory when it does.
	Write(ctx context.Context, w Write) (*Written, error)
	// Scratch makes a private directory of this machine for files that nobody needs when the engine is closed, which removes it.
	Scratch() (string, error)
	Close() error
}

// Query is a plan with everything outside it that it needs.
type Query struct {
	Root   plan.Node
	Inputs map[*plan.Scan]Input
	// Zone is the session's time zone. User, Catalog, Schema and Now are what the functions of those names answer.
	Zone                  *time.Location
	ANSI                  bool
	Now                   time.Time
	User, Catalog, Schema string
	// MemoryLimit in bytes; 0 for the engine's default.
	MemoryLimit int64
	// Opened, when not nil, is told the number of files that the scans were given.
	Opened func(files int)
	// Started, when not nil, is given what tells the share done in percent, -1 when unknown, once the engine begins to work.
	// That may be called from any goroutine, also after the query has ended.
	Started func(percent func() float64)
}

// Input is the files of one scan, after pruning. Exactly one of Parquet and Source is used.
type Input struct {
	// Parquet are local files that the engine reads itself, with the scan's column types: a column that a file lacks
	// is NULL, and names match without case. The caller has looked at every footer.
	Parquet []ParquetFile
	// Source yields batches whose columns are the scan's output columns, partition columns included.
	Source Source
}

// ParquetFile is a local Parquet file and the values of the partition columns for its rows.
type ParquetFile struct {
	Path string
	// Rows is the number of rows that the footer tells; joins are ordered by it. 0 when it is not known.
	Rows int64
	// Partition holds a value for each output column of the scan that is a partition column, in the scan's order.
	Partition []types.Value
	// Name is what the scan's file column (plan.FileField) says for the rows of the file.
	Name string
	// URI and Size are what plan.URIField and plan.BlockLengthField say.
	URI  string
	Size int64
	// Stored tells where reading a column with the scan's type would be wrong, because the engine converts by its own
	// rules or because members of structs have other names in the file: it maps the index into Out to the type in the file,
	// which has the shape of the scan's type and differs in its leaves and in the names of its fields. TIMESTAMP_NTZ stands for
	// INT96 and for INT64 not adjusted to UTC: Spark takes their microseconds as they are, the engine would take them for the
	// session zone's wall clock. BINARY under STRING is BYTE_ARRAY without annotation, STRING under BINARY the opposite. Widened
	// numbers are not listed.
	Stored map[int]types.Type
	// Names maps the index into Out to the name of the column in the file where that is not the relation's; names of struct
	// members are those of Stored. nil when there are none.
	Names map[int]string
	// Exact tells that the file has every column of the scan that is no partition column, in the scan's type, which is not
	// nested, and under the relation's name for it in any case, which is of printable ASCII and that of no other column. The
	// engine may then bind such a file by itself and so learn what its values are like.
	Exact bool
	// Mask leaves out deleted rows; nil when there are none.
	Mask RowMask
}

// RowMask tells which rows of a file count. It is safe for concurrent use.
type RowMask interface {
	// Mask sets keep[i] to whether the row with the number rows[i] (from 0, in the order of the file) counts. Both have the
	// same length, at most vector.MaxRows. An error ends the query.
	Mask(ctx context.Context, rows []int64, keep []bool) error
}

// Says is what one of the fields of plan that tell of a row's file says of it; nil for another field.
func (f *ParquetFile) Says(field int) types.Value {
	switch field {
	case plan.FileField:
		return f.Name
	case plan.URIField:
		return f.URI
	case plan.BlockStartField:
		return int64(0)
	case plan.BlockLengthField:
		return f.Size
	}
	return nil
}

// Source opens readers over the rows of a scan. Parallel readers share the work: each row comes from exactly one.
type Source interface {
	// Open returns a reader that takes tasks (files) from the source until none is left. The engine may open several.
	// cols are indexes into the scan's Out: the only columns whose values are read, in that order. It is never called after
	// the query ended.
	Open(ctx context.Context, cols []int) (format.BatchReader, error)
	// Rewind makes every row come again. No reader is open when it is called.
	Rewind()
	// Rows estimates the number of rows, or -1.
	Rows() int64
}

// Rows is a running query. It is used by one goroutine at a time.
type Rows interface {
	Columns() []plan.Column
	// Next returns the next batch, valid until the following call, or nil at the end.
	Next(ctx context.Context) (*Batch, error)
	Close() error
}
