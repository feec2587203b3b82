package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// connector opens connections to one file, each with the pragmas we rely on. They are set here rather than in the data
// source name because the name's options are the driver's own, and a pragma that fails there may pass unnoticed.
type connector struct {
	dsn     string
	pragmas []string
	wrap    func(*sqlite3.SQLiteConn) driver.Conn
}

// pragmas of every connection. Commits are on disk when they return (FULL: WAL alone would survive a crash of the
// process but not of the machine). The busy handler of SQLite sleeps without looking at contexts, so it gets a
// short time only, and waiting longer is done in Go.
var pragmas = []string{
	"PRAGMA busy_timeout = 20",
	"PRAGMA synchronous = FULL",
	"PRAGMA foreign_keys = ON",
}

// dataSource names the file for the driver. mode is SQLite's: rw, or rwc to create the file.
func dataSource(path, mode string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	// One goroutine at a time uses a connection, so the driver need not lock it; statements are prepared once.
	u.RawQuery = "mode=" + mode + "&_mutex=no&_stmt_cache_size=128"
	return u.String()
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, err
	}
	sc := conn.(*sqlite3.SQLiteConn)
	for _, p := range c.pragmas {
		if _, err := sc.ExecContext(context.WithoutCancel(ctx), p, nil); err != nil {
			sc.Close()
			return nil, err
		}
	}
	if c.wrap != nil {
		return c.wrap(sc), nil
	}
	return sc, nil
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// pool opens a pool of at most most connections to the file, and keeps idle of them when nobody uses them.
func pool(path, mode string, most, idle int) *sql.DB {
	db := sql.OpenDB(&connector{dsn: dataSource(path, mode), pragmas: pragmas})
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(idle)
	return db
}
