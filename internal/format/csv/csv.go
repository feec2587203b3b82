// Package csv reads and writes CSV files in Spark's meaning: its dialect, its options, its schema inference and its treatment
// of bad records. It imports the format port and what lies below it, and no other adapter but text.
package csv

import (
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/types"
)

// Reader is the CSV format. The zero Reader is ready to use and safe for concurrent use.
type Reader struct{}

var _ format.Reader = Reader{}

// Check implements format.Reader.
func (Reader) Check(opts format.Options) error {
	_, err := parseOptions(opts, nil)
	return err
}

// CheckColumns implements format.Reader.
func (Reader) CheckColumns(fields []types.Field) error { return checkTypes(fields) }
