package delta

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// VerifyCheckpoint reads a file back, each page of it, and compares its counts with what was to be written. The error is
// DELTA_CHECKPOINT_MALFORMED.
func VerifyCheckpoint(name string, r io.ReaderAt, size int64, want CheckpointSummary) error {
	var got CheckpointSummary
	err := eachRowGroup(name, r, size, func(_ *parquet.Column, rows parquet.RowGroup) error {
		return got.count(rows)
	})
	if err != nil {
		return err
	}
	if got != want {
		return sqlerr.DeltaCheckpointMalformed(name, fmt.Sprintf("it has %d actions, of which %d add files; %d and %d were written", got.Actions, got.Adds, want.Actions, want.Adds), nil)
	}
	return nil
}

// marks are the columns that have a value for each action of their kind.
var marks = []string{"add.path", "remove.path", "protocol.minReaderVersion", "metaData.id", "txn.appId", "domainMetadata.domain", "checkpointMetadata.version", "sidecar.path"}

// count adds the actions of a row group. Every column must have its rows.
func (s *CheckpointSummary) count(rows parquet.RowGroup) error {
	values := map[string]int64{}
	chunks := rows.ColumnChunks()
	for i, path := range rows.Schema().Columns() {
		n, err := countValues(chunks[i], rows.NumRows())
		if err != nil {
			return err
		}
		values[strings.Join(path, ".")] = n
	}
	for _, column := range marks {
		s.Actions += values[column]
	}
	s.Adds += values["add.path"]
	s.Removes += values["remove.path"]
	return nil
}

// countValues decodes the pages of a column, which must have so many rows, and counts the values that are not null.
func countValues(chunk parquet.ColumnChunk, rows int64) (values int64, err error) {
	pages := chunk.Pages()
	defer func() { _ = pages.Close() }()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		rows -= page.NumRows()
		values += page.NumValues() - page.NumNulls()
		parquet.Release(page)
	}
	if rows != 0 {
		return 0, errPages
	}
	return values, nil
}
