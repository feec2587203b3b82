package sqlstore

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/tarnlake/tarn/internal/catalog"
)

// Readers gives tests the pool of reading connections.
func (s *Store) Readers() *sql.DB { return s.readers }

// Writer gives tests the writing connection.
func (s *Store) Writer() *sql.DB { return s.writer }

// Raw opens a file past the store.
func Raw(path string) *sql.DB { return pool(path, "rwc", 1, 1) }

// OverlappingSQL is the query of Overlapping.
func OverlappingSQL() string { return overlapping }

// LoadSQL is the query that reads segments.
const LoadSQL = loadSQL

// Format is the format this package writes.
const Format = currentFormat

// Steps are the migrations.
func Steps() (fs.FS, error) { return steps() }

// TxnsSQL is the query of Txns.
func TxnsSQL(table catalog.ID, all bool) string {
	query, _ := txnsQuery(table, all)
	return query
}

// Migrated reports what the file's header says.
func Migrated(ctx context.Context, db *sql.DB) (application, format int64, err error) {
	h, err := readHeader(ctx, db)
	return h.application, h.format, err
}

// Migrate runs migrations of the test's own on a file.
func Migrate(ctx context.Context, path string, steps fs.FS) error {
	s := &Store{path: path, wait: defaultLockTimeout}
	return s.migrate(ctx, steps)
}

// EncodeColumns, DecodeColumns, EncodeZones and DecodeZones are the codecs of columns of the file.
var (
	EncodeColumns = encodeColumns
	DecodeColumns = decodeColumns
	EncodeZones   = encodeZones
	DecodeZones   = decodeZones
)
