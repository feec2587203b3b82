package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"

	"github.com/tarnlake/tarn/internal/catalog"
)

// Numbers in the file's header. They change what other processes believe about the file: see docs/format/catalog.md.
const (
	// applicationID is "Tarn" in ASCII.
	applicationID = 0x5461726e
	// currentFormat is the number of the newest migration; each migration sets user_version to its own number.
	currentFormat = 3
)

//go:embed migrations/sqlite/*.sql
var migrations embed.FS

// steps are the migrations, each a file whose name begins with its number.
func steps() (fs.FS, error) { return fs.Sub(migrations, "migrations/sqlite") }

// header is what the file says about itself.
type header struct{ application, format int64 }

// queryer is what both a connection and a pool can do.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readHeader(ctx context.Context, q queryer) (header, error) {
	var h header
	if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&h.format); err != nil {
		return h, err
	}
	return h, q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&h.application)
}

// inspect decides what to do with a file: nothing (current), migrate it (older), or refuse it.
func (s *Store) inspect(ctx context.Context, q queryer) (migrate bool, err error) {
	h, err := readHeader(ctx, q)
	if err != nil {
		return false, s.failure(err)
	}
	switch {
	case h.application == applicationID && h.format == currentFormat:
		return false, nil
	case h.application == applicationID && h.format > currentFormat:
		return false, s.checkNewer(ctx, q, h.format, "min_reader")
	case h.application == applicationID:
		return true, nil
	}
	var objects int64
	if err := q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return false, s.failure(err)
	}
	if h.application != 0 || objects > 0 {
		return false, &catalog.StoreError{Kind: catalog.ErrNotCatalog, Path: s.path, Err: errors.New("it is an SQLite database of another program")}
	}
	return true, nil
}

// checkNewer decides whether this Tarn may use (key min_reader) or change (min_writer) a file of a newer format: the
// file says which formats a program has to understand for either.
func (s *Store) checkNewer(ctx context.Context, q queryer, format int64, key string) error {
	var needed int64
	err := q.QueryRowContext(ctx, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", key).Scan(&needed)
	if kindOf(err) != nil && kindOf(err) != catalog.ErrCorrupt {
		return s.failure(err)
	}
	if err != nil || needed > currentFormat {
		return &catalog.StoreError{Kind: catalog.ErrNewer, Path: s.path, Format: int(format), Supported: currentFormat, Err: err}
	}
	return nil
}

// migrate brings the file to the current format in one transaction that locks out everybody else: it is done wholly or
// not at all, and processes that start together do it once. steps are the migrations.
func (s *Store) migrate(ctx context.Context, steps fs.FS) error {
	held := &heldConn{}
	db := sql.OpenDB(&connector{
		dsn: dataSource(s.path, "rwc"),
		// Changing the mode of the log is not possible within a transaction. The mode stays with the file.
		pragmas: append([]string{"PRAGMA busy_timeout = 20", "PRAGMA journal_mode = WAL"}, pragmas...),
		wrap:    func(c *sqlite3.SQLiteConn) driver.Conn { held.SQLiteConn = c; return held },
	})
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return errors.Join(err, conn.Close())
	}
	again, err := s.inspect(ctx, conn)
	if closeErr := conn.Close(); err == nil {
		err = closeErr // gives the connection, with its transaction, back to the pool
	}
	if err != nil || !again {
		return err // closing the pool ends the transaction
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, steps, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the catalog's migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrating the catalog: %w", err)
	}
	_, err = db.ExecContext(context.WithoutCancel(ctx), "COMMIT")
	return err
}

// heldConn is a connection that is inside a transaction all along: the transactions of the migration tool become
// savepoints in it.
type heldConn struct{ *sqlite3.SQLiteConn }

// ResetSession keeps the pool from touching the open transaction.
func (c *heldConn) ResetSession(context.Context) error { return nil }

// BeginTx implements driver.ConnBeginTx.
func (c *heldConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	_, err := c.ExecContext(ctx, "SAVEPOINT migration", nil)
	return savepoint{c}, err
}

type savepoint struct{ c *heldConn }

// Commit implements driver.Tx.
func (s savepoint) Commit() error {
	_, err := s.c.ExecContext(context.Background(), "RELEASE migration", nil)
	return err
}

// Rollback implements driver.Tx.
func (s savepoint) Rollback() error {
	_, err := s.c.ExecContext(context.Background(), "ROLLBACK TO migration; RELEASE migration", nil)
	return err
}
