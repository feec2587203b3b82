package duckdb

import (
	"fmt"
	"path/filepath"
	"runtime/cgo"
	"strconv"
	"strings"
	"sync"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/tarnlake/tarn/internal/expr"
	"github.com/tarnlake/tarn/internal/sqlerr"
)

// maxIdle is how many connections are kept for reuse. A connection costs little memory and 0.1 ms to make.
const maxIdle = 4

// settings hold for the whole database.
//
// Extensions are neither installed nor loaded, and with external access off DuckDB refuses the network and LOAD. The
// one allowed directory is the root: a statement may read any file that its plan lists, and which files those are is
// decided before (the list can't be known when the database opens, and DuckDB fixes it from then on). No text of a user
// ever reaches DuckDB as SQL, and every path it is given is literal (see links.go).
//
// The optimizer that makes a self-join of an aggregate over PARTITION BY is off: it would scan twice, and a Go source hands
// out each of its rows once.
//
// The optimizer that makes sum(x) + c*count(x) of sum(x + c) is off too: it would lose the overflow of x + c.
//
// A COPY into partitions keeps the files of all of them open: one that it had to close is not continued but followed by
// another.
const settings = "SET disabled_optimizers='window_self_join,sum_rewriter';SET allowed_directories=['/'];SET enable_external_access=false;" +
	"SET partitioned_write_max_open_files=" + maxOpenFiles

// sessionSettings are set on each connection: DuckDB keeps them per connection. The binder's long chains are written
// as balanced trees; what is deep nonetheless (a query that nests thousands of parentheses) has to fail as an error
// and not as a stack overflow.
const sessionSettings = "SET max_expression_depth=" + maxDepth +
	";SET enable_progress_bar=true;SET enable_progress_bar_print=false;SET progress_bar_time=0"

// maxDepth is the deepest expression tree that DuckDB takes; its planner recurses on the stack.
const maxDepth = "2500"

// database is one DuckDB instance with its connections. It outlives the Engine's use of it until its last query ends.
type database struct {
	temp    *tempDir
	dir     string // temp's path; private; spilled data and links
	sources *registry[*sourceEntry]
	writes  *registry[*rowWrite]
	masks   *registry[*masks]
	handle  cgo.Handle // of sources, for callbacks
	formats expr.TextFormats

	defining sync.Mutex
	defined  bool // macros and Go functions are known

	mu      sync.Mutex
	db      bindings.Database
	memory  int64 // the limit in force
	initial int64
	idle    []*conn
	busy    map[*conn]struct{}
	broken  bool
	retired bool
}

func openDatabase(cfg Config) (*database, error) {
	base := cfg.TempDir
	if isPattern(base) {
		base = "" // the names of links must be literal themselves
	}
	temp, err := newTempDir(base)
	if err != nil {
		return nil, sqlerr.EngineStart(err)
	}
	dir := temp.path
	var c bindings.Config
	if bindings.CreateConfig(&c) == bindings.StateError {
		temp.remove()
		return nil, sqlerr.EngineStart(fmt.Errorf("no configuration"))
	}
	defer bindings.DestroyConfig(&c)
	options := map[string]string{
		"threads":                      strconv.Itoa(cfg.Threads),
		"temp_directory":               filepath.Join(dir, "spill"),
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
		"allow_community_extensions":   "false",
	}
	if cfg.MemoryLimit > 0 {
		options["memory_limit"] = bytesText(cfg.MemoryLimit)
	}
	for k, v := range options {
		if bindings.SetConfig(c, k, v) == bindings.StateError {
			temp.remove()
			return nil, sqlerr.EngineStart(fmt.Errorf("setting %s=%s was refused", k, v))
		}
	}
	d := &database{dir: dir, formats: cfg.Formats, temp: temp, sources: newRegistry[*sourceEntry](), writes: newRegistry[*rowWrite](), masks: newRegistry[*masks](), initial: cfg.MemoryLimit, memory: cfg.MemoryLimit, busy: map[*conn]struct{}{}}
	var msg string
	if bindings.OpenExt(":memory:", &d.db, c, &msg) == bindings.StateError {
		temp.remove()
		return nil, sqlerr.EngineStart(fmt.Errorf("%s", msg))
	}
	d.handle = cgo.NewHandle(d.sources)
	first, err := d.newConn()
	if err == nil {
		err = first.exec(settings)
	}
	if err == nil {
		err = registerSource(first.c, d.handle, cfg.Threads)
	}
	if err != nil {
		d.retire(true)
		return nil, sqlerr.EngineStart(err)
	}
	d.idle = append(d.idle, first)
	return d, nil
}

// bytesText is a size as DuckDB's settings take it.
func bytesText(n int64) string {
	const kib = 1024
	return strconv.FormatInt((n+kib-1)/kib, 10) + "KiB"
}

func (d *database) newConn() (*conn, error) {
	c := &conn{db: d}
	if bindings.Connect(d.db, &c.c) == bindings.StateError {
		return nil, fmt.Errorf("no connection")
	}
	if err := c.exec(sessionSettings); err != nil {
		bindings.Disconnect(&c.c)
		return nil, err
	}
	return c, nil
}

// connect takes an idle connection or makes one. memory is the statement's limit in bytes, 0 for the engine's own;
// DuckDB knows one limit for the whole database, so that of the latest statement holds.
func (d *database) connect(memory int64) (*conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retired {
		return nil, sqlerr.Canceled()
	}
	var c *conn
	if n := len(d.idle); n > 0 {
		c, d.idle = d.idle[n-1], d.idle[:n-1]
	} else {
		var err error
		if c, err = d.newConn(); err != nil {
			return nil, sqlerr.EngineStart(err)
		}
	}
	if memory == 0 {
		memory = d.initial
	}
	if memory != d.memory {
		set := "RESET memory_limit"
		if memory > 0 {
			set = "SET memory_limit='" + bytesText(memory) + "'"
		}
		if err := c.exec(set); err != nil {
			bindings.Disconnect(&c.c)
			return nil, translate(err.Error(), nil)
		}
		d.memory = memory
	}
	d.busy[c] = struct{}{}
	return c, nil
}

// define makes the macros and Go functions known that templates call, once for a database: their names begin with
// sp_ or tarn_, and a statement that uses none does not wait for them.
func (d *database) define(c *conn, text string) error {
	if !strings.Contains(text, "sp_") && !strings.Contains(text, "tarn_") {
		return nil
	}
	d.defining.Lock()
	defer d.defining.Unlock()
	if d.defined {
		return nil
	}
	for _, f := range expr.GoFunctions(d.formats) {
		if err := registerGo(c.c, f); err != nil {
			return err
		}
	}
	if err := registerDecimals(c.c); err != nil {
		return err
	}
	if err := registerWrite(c.c, d.writes); err != nil {
		return err
	}
	if err := registerMask(c.c, d.masks); err != nil {
		return err
	}
	if err := c.exec(strings.Join(expr.Macros(), ";")); err != nil {
		return err
	}
	d.defined = true
	return nil
}

func (d *database) isBroken() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.broken
}

// markBroken records that DuckDB declared the whole database unusable.
func (d *database) markBroken() {
	d.mu.Lock()
	d.broken = true
	d.mu.Unlock()
}

// isRetired reports whether the database was taken out of use.
func (d *database) isRetired() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.retired
}

// retire takes the database out of use: it closes when the last query is done. With interrupt, running queries are
// stopped.
func (d *database) retire(interrupt bool) {
	d.mu.Lock()
	d.retired = true
	idle := d.idle
	d.idle = nil
	if interrupt {
		for c := range d.busy {
			bindings.Interrupt(c.c)
		}
	}
	last := len(d.busy) == 0
	d.mu.Unlock()
	for _, c := range idle {
		bindings.Disconnect(&c.c)
	}
	if last {
		d.close()
	}
}

// put takes a connection back. A connection that is not clean is closed instead of kept.
func (d *database) put(c *conn, clean bool) {
	d.mu.Lock()
	delete(d.busy, c)
	keep := clean && !d.retired && !d.broken && len(d.idle) < maxIdle
	if keep {
		d.idle = append(d.idle, c)
	}
	last := d.retired && len(d.busy) == 0
	d.mu.Unlock()
	if !keep {
		bindings.Disconnect(&c.c)
	}
	if last {
		d.close()
	}
}

func (d *database) close() {
	bindings.Close(&d.db)
	if d.handle != 0 {
		d.handle.Delete()
		d.handle = 0
	}
	d.temp.remove()
}

// conn is a connection of one query at a time.
type conn struct {
	db   *database
	c    bindings.Connection
	zone string
	// today is what the variable expr.TodayVariable holds, yyyy-mm-dd.
	today string
}

// exec runs a statement without a result. The error's text is DuckDB's.
func (c *conn) exec(sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c.c, sql, &res) == bindings.StateError {
		return fmt.Errorf("%s", bindings.ResultError(&res))
	}
	return nil
}

// setZone makes z the zone in which the connection shows and splits instants.
func (c *conn) setZone(z *time.Location) error {
	name, ok := zoneName(z)
	if !ok {
		return sqlerr.InvalidTimezone(z.String())
	}
	if c.zone == name {
		return nil
	}
	if err := c.exec("SET TimeZone=" + quote(name)); err != nil {
		return translate(err.Error(), nil)
	}
	c.zone = name
	return nil
}

// setToday sets the day on which a statement started, when its SQL asks for it.
func (c *conn) setToday(text string, now time.Time, zone *time.Location) error {
	if !strings.Contains(text, expr.TodayVariable) {
		return nil
	}
	if zone == nil {
		zone = time.UTC
	}
	today := now.In(zone).Format(time.DateOnly)
	if c.today == today {
		return nil
	}
	if err := c.exec("SET VARIABLE " + expr.TodayVariable + " = DATE " + quote(today)); err != nil {
		return translate(err.Error(), nil)
	}
	c.today = today
	return nil
}

// zoneName is a zone as DuckDB knows it. It reads regions only, so an offset becomes the region that has kept it.
func zoneName(z *time.Location) (name string, ok bool) {
	if z == nil || z == time.UTC {
		return "UTC", true
	}
	name = z.String()
	if strings.Contains(name, "/") {
		return name, true
	}
	winter := time.Date(2024, time.January, 1, 0, 0, 0, 0, z)
	_, offset := winter.Zone()
	if _, summer := winter.AddDate(0, 6, 0).In(z).Zone(); summer != offset {
		return name, true // a region without a slash, such as CET
	}
	if offset%3600 == 0 && offset >= -12*3600 && offset <= 14*3600 {
		return fmt.Sprintf("Etc/GMT%+d", -offset/3600), true
	}
	name, ok = map[int]string{
		19800: "Asia/Kolkata", 16200: "Asia/Kabul", 20700: "Asia/Kathmandu", 23400: "Asia/Yangon", 34200: "Australia/Darwin",
		-34200: "Pacific/Marquesas",
	}[offset]
	return name, ok
}
