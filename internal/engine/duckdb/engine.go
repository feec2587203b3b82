// Package duckdb runs bound queries on an embedded DuckDB: it says a plan as one SQL text, streams the rows back as
// batches or writes them into files, and lets Go sources take part in a plan as table functions. It is the only package that
// knows DuckDB.
//
// Files: read.go and write.go move vectors, emit_*.go say plans, source.go reads from Go, and copy_*.go write files. Parquet
// files are DuckDB's, by COPY; the lines of text formats come from a format.Encoder that runs on DuckDB's threads, and Go puts
// them into files. DuckDB never sees a partition value as a name: a function in Go maps each combination of values to a
// number, and the numbers name the directories of a COPY.
//
// It must not import bind, scan or any other use case, nor another adapter. What DuckDB says in words never reaches a
// user: errors.go turns it into conditions.
package duckdb

import (
	"context"
	"os"
	"runtime"
	"sync"

	"github.com/tarnlake/tarn/internal/engine"
	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/format"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Config says how the engine may use the machine. The zero Config is usable.
type Config struct {
	// Threads is the number of worker threads; 0 means one per CPU.
	Threads int
	// MemoryLimit in bytes bounds what operators hold before they spill; 0 leaves DuckDB's default, 80 % of the machine.
	MemoryLimit int64
	// Writers are the text formats that Write knows, by their names. Parquet is DuckDB's own.
	Writers map[string]format.Writer
	// Formats are what from_json, from_csv and the like are made of.
	Formats expr.TextFormats
	// TempDir is where private directories for spilled data are made. "" is the operating system's temporary directory.
	TempDir string
}

// Engine implements engine.Engine on DuckDB. The database inside is opened by the first query, and opened anew
// after an error that leaves it unusable.
type Engine struct {
	cfg Config

	mu     sync.Mutex
	db     *database
	closed bool
	// scratch holds the directories of Scratch. It is not a database's: one that breaks is replaced.
	scratch *tempDir
}

var _ engine.Engine = (*Engine)(nil)

// Open returns an engine. It does not start DuckDB: a command that runs no query pays nothing for it.
func Open(cfg Config) (*Engine, error) {
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.NumCPU()
	}
	return &Engine{cfg: cfg}, nil
}

// Close ends the engine. Queries that still run are interrupted; their Rows must be closed too.
func (e *Engine) Close() error {
	e.mu.Lock()
	db, scratch := e.db, e.scratch
	e.db, e.scratch, e.closed = nil, nil, true
	e.mu.Unlock()
	if db != nil {
		db.retire(true)
	}
	if scratch != nil {
		scratch.remove()
	}
	return nil
}

// Scratch implements engine.Engine. What a killed process left is removed when another one makes its first directory.
func (e *Engine) Scratch() (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return "", sqlerr.Canceled()
	}
	if e.scratch == nil {
		t, err := newTempDir(e.cfg.TempDir)
		if err != nil {
			return "", err
		}
		e.scratch = t
	}
	return os.MkdirTemp(e.scratch.path, "scratch-")
}

// Query implements engine.Engine.
func (e *Engine) Query(ctx context.Context, q engine.Query) (engine.Rows, error) {
	if ctx.Err() != nil {
		return nil, sqlerr.Canceled()
	}
	c, err := e.acquire(q.MemoryLimit)
	if err != nil {
		return nil, err
	}
	return escorted(ctx, c, q)
}

// acquire returns a connection for one query, to be given back with conn.release.
func (e *Engine) acquire(memory int64) (*conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, sqlerr.Canceled()
	}
	if e.db != nil && e.db.isBroken() {
		e.db.retire(false)
		e.db = nil
	}
	if e.db == nil {
		db, err := openDatabase(e.cfg)
		if err != nil {
			return nil, err
		}
		e.db = db
	}
	return e.db.connect(memory)
}
