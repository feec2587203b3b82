package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
)

// readTx reads through one connection that is inside a transaction.
type readTx struct {
	ctx  context.Context
	conn *sql.Conn
	st   *Store
	// fresh are the partition sets that this transaction made, by snapshot id: nobody else may see them yet. It is nil in a
	// transaction that only reads.
	fresh map[int64]cached
	// broken is the first failure after which SQLite may have rolled back by itself. Statements after it would
	// commit on their own, so there are none.
	broken error
}

// scanner is a row to be scanned.
type scanner interface{ Scan(dest ...any) error }

// note remembers a failure that ends the transaction, and passes it on.
func (tx *readTx) note(err error) error {
	if err != nil && !errors.Is(err, sql.ErrNoRows) && constraint(err, catalog.ErrNotFound) == err && tx.broken == nil {
		tx.broken = err
	}
	return err
}

// exec runs a statement that changes something and returns how many rows it changed.
func (tx *readTx) exec(query string, args ...any) (int64, error) {
	if tx.broken != nil {
		return 0, tx.broken
	}
	res, err := tx.conn.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, tx.note(err)
	}
	return res.RowsAffected()
}

// insert runs an INSERT and returns the number of the new row.
func (tx *readTx) insert(query string, args ...any) (int64, error) {
	if tx.broken != nil {
		return 0, tx.broken
	}
	res, err := tx.conn.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, tx.note(err)
	}
	return res.LastInsertId()
}

// one reads the only row of a query; no row is catalog.ErrNotFound.
func one[T any](tx *readTx, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var none T
	if tx.broken != nil {
		return none, tx.broken
	}
	v, err := scan(tx.conn.QueryRowContext(tx.ctx, query, args...))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return none, catalog.ErrNotFound
	case err != nil:
		return none, tx.note(err)
	}
	return v, nil
}

// all reads every row of a query.
func all[T any](tx *readTx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	if tx.broken != nil {
		return nil, tx.broken
	}
	rows, err := tx.conn.QueryContext(tx.ctx, query, args...)
	if err != nil {
		return nil, tx.note(err)
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, tx.note(err)
		}
		out = append(out, v)
	}
	return out, tx.note(rows.Err())
}

// toMicros and fromMicros are how times are kept: microseconds since 1970-01-01 00:00:00 UTC.
func toMicros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

// securableColumns are the columns that every securable has, in the order of securableArgs and of securable.dest.
const securableColumns = "id, name, owner, comment, created_at, created_by, updated_at, updated_by"

// securable scans what every securable has.
type securable struct{ created, updated int64 }

func (s *securable) dest(to *catalog.Securable) []any {
	return []any{&to.ID, &to.Name, &to.Owner, &to.Comment, &s.created, &to.CreatedBy, &s.updated, &to.UpdatedBy}
}

func (s *securable) finish(to *catalog.Securable) {
	to.CreatedAt, to.UpdatedAt = fromMicros(s.created), fromMicros(s.updated)
}

func securableArgs(s *catalog.Securable) []any {
	return []any{string(s.ID), s.Name, s.Owner, s.Comment, toMicros(s.CreatedAt), s.CreatedBy, toMicros(s.UpdatedAt), s.UpdatedBy}
}

// locKey is what loc_key holds: NULL for what has no location.
func locKey(location string) any {
	if location == "" {
		return nil
	}
	return catalog.LocationKey(location)
}
