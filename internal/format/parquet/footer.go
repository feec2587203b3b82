// Package parquet looks at Parquet files before any engine does: footers, the Spark schema they stand for, which
// of their types may be read as which table type, and a reader of its own for files the engine cannot read. It imports the
// format port and what lies below it, and no other adapter.
package parquet

import (
	"context"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// ReadFooter reads and checks the footer of file. Every failure is a *sqlerr.Error that names the file: not Parquet,
// truncated, encrypted, damaged, or of a type Spark has no equal for.
func ReadFooter(ctx context.Context, file storage.File) (format.Footer, error) {
	return format.Footer{}, nil
}

// Compatible reports whether the columns of a file may be read as the table's columns, matched by name. The error is a
// *sqlerr.Error naming file and column.
func Compatible(location string, f format.Footer, schema []types.Field, s format.Settings) error {
	return nil
}

// Infer returns the schema of files: the first file's, or with the option mergeSchema that of all merged.
func Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	return nil, nil
}

// OpenRows reads one file without the engine; the arguments are those of format.Reader.Open.
func OpenRows(ctx context.Context, file storage.File, schema []types.Field, want []int, s format.Settings) (format.BatchReader, error) {
	return nil, nil
}
