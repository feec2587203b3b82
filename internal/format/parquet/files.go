package parquet

import (
	"context"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Files is this package's functions as a value, for callers that see the format through an interface.
type Files struct{}

// ReadFooter is the function of that name.
func (Files) ReadFooter(ctx context.Context, file storage.File) (format.Footer, error) {
	return ReadFooter(ctx, file)
}

// Infer is the function of that name.
func (Files) Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	return Infer(ctx, files, opts, s)
}

// Compatible is the function of that name.
func (Files) Compatible(location string, f format.Footer, schema []types.Field, s format.Settings) error {
	return Compatible(location, f, schema, s)
}

// OpenRows is the function of that name.
func (Files) OpenRows(ctx context.Context, file storage.File, schema []types.Field, want []int, s format.Settings) (format.BatchReader, error) {
	return OpenRows(ctx, file, schema, want, s)
}

// Statistics is the function of that name.
func (Files) Statistics(ctx context.Context, file storage.File, paths [][]string, of []types.Type, fn func(rows int64, leaves []format.LeafRange)) error {
	return Statistics(ctx, file, paths, of, fn)
}
