package duckdb

// Break makes the engine believe that its database is unusable, as after a fatal error of DuckDB.
func Break(e *Engine) {
	e.mu.Lock()
	db := e.db
	e.mu.Unlock()
	db.markBroken()
}
