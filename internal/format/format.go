// Package format is the port to file formats: how a file's schema is found, how its rows are read and written in Spark's
// meaning, and what a Parquet footer tells. Adapters live below it, one directory per format. It imports vocabulary,
// vector and storage.
package format

import (
	"context"
	"io"
	"time"

	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/vector"
)

// Options are the reader options of a table or a read by path, keys in any case ("header", "sep", "mode").
type Options map[string]string

// Settings is what a reader needs of the session.
type Settings struct {
	Zone *time.Location
	// CaseSensitive is spark.sql.caseSensitive: whether file columns match table columns by exact case.
	CaseSensitive bool
	ANSI          bool
	// Warn takes a warning for the user; class is a stable name such as CSV_HEADER_MISMATCH. It may be called from any
	// goroutine and may be nil.
	Warn func(class, message string, params map[string]string)
}

// LeafRange is what one row group tells of one leaf column.
type LeafRange struct {
	// Min and Max are the least and the greatest value; both are nil when every value is NULL. They mean nothing unless
	// Known.
	Min, Max types.Value
	Known    bool
	// Nulls is the number of NULLs, -1 when it is not told.
	Nulls int64
}

// BatchReader yields batches of rows.
type BatchReader interface {
	// Next returns the next batch (at most vector.MaxRows rows, valid until the following call), or nil at the end.
	Next(ctx context.Context) (*vector.Batch, error)
	Close() error
}

// Reader reads the files of a text format.
type Reader interface {
	// Infer returns the schema of the data columns of files: what Spark infers with these options. Files of zero bytes are
	// not given. A problem is a *sqlerr.Error.
	Infer(ctx context.Context, files []storage.File, opts Options, s Settings) ([]types.Field, error)
	// Open reads one file. schema holds all data columns of the table in order (partition columns left out); want
	// are indexes into it, the only columns whose values are needed, in the order the batches hold them. A column that
	// the file lacks is NULL. A value that does not cast follows the option mode (PERMISSIVE by default).
	Open(ctx context.Context, file storage.File, schema []types.Field, want []int, opts Options, s Settings) (BatchReader, error)
	// Check reports unknown or malformed option values as a *sqlerr.Error, before any file is opened. Unknown option
	// names are not errors: Spark ignores them.
	Check(opts Options) error
	// CheckColumns reports a column of a type that files of the format do not hold, as a *sqlerr.Error: a table cannot have
	// it.
	CheckColumns(fields []types.Field) error
}

// Writer writes the files of a text format.
type Writer interface {
	// Encoder returns what turns rows of fields into the bytes of files. A column type that the format cannot hold, a
	// malformed option or a codec that is not available is a *sqlerr.Error. Unknown option names are not errors.
	Encoder(fields []types.Field, opts Options, s Settings) (Encoder, error)
}

// Encoder turns rows into bytes in the files' character set. It is safe for concurrent use.
type Encoder interface {
	// Head is what every file begins with: a byte order mark, a header line, or nothing.
	Head() []byte
	// Append appends row i of b, whose columns are the encoder's fields, with the end of its line.
	Append(dst []byte, b *vector.Batch, i int) []byte
	// Compress returns a writer that puts a file's bytes into w through the codec of the options. Closing it ends the
	// compressed data and leaves w open. What several such writers put into one file, one after the other, reads as one.
	Compress(w io.Writer) (io.WriteCloser, error)
	// Extension is what the name of a file has behind that of its format, so that readers know the codec: .gz, .zst or
	// nothing, as in Spark's names.
	Extension() string
}

// Footer is what a Parquet footer tells.
type Footer struct {
	Rows   int64
	Schema []types.Field // as Spark maps the file's types; see the parquet package for types it refuses
	// Physical describes each leaf for compatibility checks and messages.
	Leaves []Leaf
	// IDs are the field ids of Schema's columns, one for each; nil when the file has none.
	IDs []FieldID
	// NeedsGo, when not empty, says why the engine cannot read the file itself (such as the Hadoop LZ4 codec).
	NeedsGo string
}

// FieldID is the id that a Parquet file gives a column or a member of one; 0 is none.
type FieldID struct {
	ID int32
	// Members are those of a STRUCT's fields, of an ARRAY's element, or of a MAP's key and value.
	Members []FieldID
}

// Leaf is one leaf column of a Parquet file.
type Leaf struct {
	Path     []string
	Physical string // INT32, BYTE_ARRAY, …
	Logical  string // as text, "" for none
}
