package duckdb

import "testing"

// Break makes the engine believe that its database is unusable, as after a fatal error of DuckDB.
func Break(e *Engine) {
	e.mu.Lock()
	db := e.db
	e.mu.Unlock()
	db.markBroken()
}

// OpenPlain opens a DuckDB beside the engine, with two threads, and returns what runs statements in it.
func OpenPlain(t testing.TB) func(sql string) {
	t.Helper()
	db, err := openDatabase(Config{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.connect(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.put(c, true)
		db.retire(false)
	})
	return func(sql string) {
		t.Helper()
		if err := c.exec(sql); err != nil {
			t.Fatal(err)
		}
	}
}
