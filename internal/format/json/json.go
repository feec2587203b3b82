// Package json reads and writes JSON files in Spark's meaning: lines or whole documents, its options, its schema inference and
// its treatment of bad records. It imports the format port and what lies below it, and no other adapter but text.
package json

import (
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/types"
)

// Reader is the JSON format. The zero Reader is ready to use and safe for concurrent use.
type Reader struct{}

var _ format.Reader = Reader{}

// Check implements format.Reader.
func (Reader) Check(opts format.Options) error {
	_, err := parseOptions(opts, nil)
	return err
}

// CheckColumns implements format.Reader.
func (Reader) CheckColumns(fields []types.Field) error {
	for _, f := range fields {
		if err := checkTypes(f.Name, f.Type, false); err != nil {
			return err
		}
	}
	return nil
}
