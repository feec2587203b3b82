package write_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/catalog/memstore"
	"github.com/tarnlake/tarn/internal/catalog/sqlstore"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/storage/faulty"
	"github.com/tarnlake/tarn/internal/storage/local"
	"github.com/tarnlake/tarn/internal/types"
	"github.com/tarnlake/tarn/internal/write"
)

// long makes the enumerations whole: without it a sample of each is run.
var long = os.Getenv("TARN_LONG_TESTS") != ""

// shape is a kind of table, by what the catalog knows of its files.
type shape struct {
	name        string
	mode        catalog.PartitionMode
	layout      write.Layout
	partitioned bool
	registered  bool
	byPath      bool
	custom      bool // one partition lies outside of the table
}

func (s shape) inPlace() bool { return s.layout == write.InPlace }

var (
	plainInPlace = shape{name: "unpartitioned in place", layout: write.InPlace}
	listing      = shape{name: "listing", mode: catalog.Listing, layout: write.InPlace, partitioned: true}
	logInPlace   = shape{name: "log in place", mode: catalog.Log, layout: write.InPlace, partitioned: true, registered: true}
	hiveCustom   = shape{name: "log with a partition elsewhere", mode: catalog.Log, layout: write.InPlace, partitioned: true, registered: true, custom: true}
	sealed       = shape{name: "sealed", mode: catalog.Log, layout: write.Sealed, partitioned: true, registered: true}
	sealedCustom = shape{name: "sealed with a partition elsewhere", mode: catalog.Log, layout: write.Sealed, partitioned: true, registered: true, custom: true}
	filesets     = shape{name: "file sets", mode: catalog.Log, layout: write.Filesets, partitioned: true, registered: true}
	byPath       = shape{name: "by path", layout: write.InPlace, partitioned: true, byPath: true}
	plainSealed  = shape{name: "unpartitioned sealed", layout: write.Sealed, registered: true}
)

var shapes = []shape{plainInPlace, listing, logInPlace, hiveCustom, sealed, sealedCustom, filesets, byPath, plainSealed}

// processes knows which of a test's processes live.
type processes struct {
	mu    sync.Mutex
	alive map[string]bool
}

type process struct {
	all  *processes
	name string
}

func (p process) Name() (string, error) { return p.name, nil }

func (p process) Alive(name string) (bool, error) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	return p.all.alive[name], nil
}

func (p *processes) set(name string, alive bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alive[name] = alive
}

// world is a lake with one table, and the processes that come and go.
type world struct {
	t     testing.TB
	dir   string
	store catalog.Store
	shape shape
	root  storage.Location
	// elsewhere is the directory of the partition outside of the table.
	elsewhere storage.Location
	schema    catalog.ID
	table     catalog.ID
	procs     *processes
	born      int
	strategy  string
	now       atomic.Int64 // added to the clock, nanoseconds
}

// clock is real time and what a test adds to it.
func (w *world) clock() time.Time { return time.Now().Add(time.Duration(w.now.Load())) }

var columns = []partition.Column{{Name: "a", Type: types.Of(types.Int)}, {Name: "b", Type: types.Of(types.String)}}

// scratch is a new directory, in memory where the machine has such a file system: these tests move files by the hundred
// thousand, and prove nothing about disks.
func scratch(t testing.TB) string {
	t.Helper()
	if os.Getenv("TMPDIR") == "" {
		if dir, err := os.MkdirTemp("/dev/shm", "tarn-write-"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newWorld makes a lake with an empty table.
func newWorld(t testing.TB, s shape) *world {
	t.Helper()
	return newWorldIn(t, s, scratch(t), false)
}

func newWorldIn(t testing.TB, s shape, dir string, sql bool) *world {
	t.Helper()
	w := &world{t: t, dir: dir, shape: s, procs: &processes{alive: map[string]bool{}}, strategy: "auto"}
	if sql {
		st := must(sqlstore.Open(t.Context(), filepath.Join(dir, "catalog.db"), sqlstore.Options{Actor: "ann", Now: w.clock}))(t)
		t.Cleanup(func() { check(t, st.Close()) })
		w.store = st
	} else {
		w.store = memstore.New(memstore.Options{Actor: "ann", Now: w.clock})
	}
	w.root = must(storage.ParseLocation(filepath.Join(dir, "lake", "t"), ""))(t)
	w.elsewhere = must(storage.ParseLocation(filepath.Join(dir, "elsewhere", "p"), ""))(t)
	check(t, os.MkdirAll(w.path(w.root), 0o755))
	err := w.store.Write(t.Context(), func(tx catalog.WriteTx) error {
		c := &catalog.Catalog{Securable: catalog.Securable{Name: "main"}, Rules: catalog.UnityRules, Location: "file:" + dir + "/managed"}
		if err := tx.CreateCatalog(c); err != nil {
			return err
		}
		sc := &catalog.Schema{Securable: catalog.Securable{Name: "s"}, CatalogID: c.ID, Location: "file:" + dir + "/managed/s"}
		if err := tx.CreateSchema(sc); err != nil {
			return err
		}
		w.schema = sc.ID
		if s.byPath {
			return nil
		}
		tab := w.definition("t")
		if err := tx.CreateTable(tab); err != nil {
			return err
		}
		w.table = tab.ID
		return nil
	})
	check(t, err)
	return w
}

// definition is the table of the world's shape.
func (w *world) definition(name string) *catalog.Table {
	tab := &catalog.Table{
		Securable: catalog.Securable{Name: name}, SchemaID: w.schema, Kind: catalog.External, Format: "csv", Location: w.root.String(), Mode: w.shape.mode,
		Columns: []types.Field{{Name: "row", Type: types.Of(types.String)}},
	}
	if w.shape.partitioned {
		for _, c := range columns {
			tab.Columns = append(tab.Columns, types.Field{Name: c.Name, Type: c.Type})
			tab.Partition = append(tab.Partition, c.Name)
		}
	}
	return tab
}

func (w *world) path(loc storage.Location) string { return loc.Path() }

func (w *world) cols() []partition.Column {
	if w.shape.partitioned {
		return columns
	}
	return []partition.Column{}
}

// seed fills the table: by writes where commits name the files, else by hand, as other programs do.
func (w *world) seed(parts map[string][]string) {
	w.t.Helper()
	switch {
	case w.shape.layout == write.InPlace || w.shape.custom:
		ch := &partition.Changes{}
		for spec, rows := range parts {
			dir := w.root.Join(spec)
			e := partition.AddEntry{Values: valuesOf(w.t, spec)}
			if w.shape.custom && spec == elsewhereSpec {
				dir = w.elsewhere
				e.Place.Location = dir.String()
			}
			check(w.t, os.MkdirAll(w.path(dir), 0o755))
			for i, row := range rows {
				check(w.t, os.WriteFile(filepath.Join(w.path(dir), fmt.Sprintf("foreign-%d.csv", i)), []byte(row+"\n"), 0o644))
			}
			ch.Put(e)
		}
		if w.shape.registered {
			check(w.t, w.store.Write(w.t.Context(), func(tx catalog.WriteTx) error {
				tab, err := tx.TableByID(w.table)
				if err != nil {
					return err
				}
				return tx.ApplyPartitions(tab, ch, catalog.Commit{Operation: "MSCK REPAIR TABLE"})
			}))
		}
		if w.shape.inPlace() {
			check(w.t, os.WriteFile(filepath.Join(w.path(w.root), "_SUCCESS"), []byte(`{"jobId":"old"}`), 0o644))
		}
	default:
		l := w.start(nil)
		// Row by row, so that entries have several file sets.
		for more := 0; ; more++ {
			some := map[string][]string{}
			for spec, rows := range parts {
				if more < len(rows) {
					some[spec] = rows[more : more+1]
				}
			}
			if len(some) == 0 {
				break
			}
			must(l.run(statement{kind: write.Append, rows: some}))(w.t)
		}
		l.stop()
	}
}

const elsewhereSpec = "a=3/b=z"

// seeded are the rows that most tests begin with.
func seeded(s shape) map[string][]string {
	if !s.partitioned {
		return map[string][]string{"": {"o1", "o2", "o3"}}
	}
	m := map[string][]string{"a=1/b=x": {"o1", "o2"}, "a=1/b=y": {"o3"}, "a=2/b=x": {"o4", "o5"}, "a=2/b=__HIVE_DEFAULT_PARTITION__": {"o6"}}
	if s.custom {
		m[elsewhereSpec] = []string{"o7", "o8"}
	}
	return m
}

func valuesOf(t testing.TB, spec string) partition.Values {
	t.Helper()
	if spec == "" {
		return partition.Values{}
	}
	var out partition.Values
	for i, seg := range strings.Split(spec, "/") {
		_, text, _, ok := partition.SplitSegment(seg)
		if !ok {
			t.Fatalf("the spec %q", spec)
		}
		out = append(out, must(partition.ParseValue(columns[i], text))(t))
	}
	return out
}

// faults is what goes wrong in a process.
type faults struct {
	disk    faulty.Plan
	catalog func(n int, write bool) faulty.Fault
	point   func(name string, n int) (crash bool)
	// cancel ends the statement, as Ctrl-C does, at a point ("published#1") or an operation on storage ("operation 4").
	cancel func(place string) bool
}

// life is one process: it dies when a fault says so, and from then on nothing that it does has an effect.
type life struct {
	w      *world
	name   string
	faults faults
	disk   *faulty.Store
	stores *storage.Stores
	writer *write.Writer
	dead   atomic.Bool
	ctx    context.Context // of the statements
	cancel context.CancelFunc

	mu     sync.Mutex
	txs    int
	passed map[string]int
	points []string
}

var errDead = errors.New("the process is dead")

// errLost is the answer to a catalog transaction whose answer was lost.
var errLost = errors.New("the answer was lost")

// start begins a process.
func (w *world) start(f *faults) *life {
	w.born++
	l := &life{w: w, name: fmt.Sprintf("process-%d", w.born), passed: map[string]int{}}
	if f != nil {
		l.faults = *f
	}
	l.ctx, l.cancel = context.WithCancel(w.t.Context())
	w.t.Cleanup(l.cancel)
	w.procs.set(l.name, true)
	driver := must(local.Open(storage.Location{}))(w.t)
	l.disk = faulty.New(driver, func(op, key string, n int) faulty.Fault {
		if l.dead.Load() {
			return faulty.CrashBefore
		}
		l.canceledAt(fmt.Sprintf("operation %d", n))
		if l.faults.disk == nil {
			return faulty.None
		}
		f := l.faults.disk(op, key, n)
		if f == faulty.CrashBefore || f == faulty.CrashAfter {
			l.dead.Store(true)
		}
		return f
	})
	l.stores = storage.NewStores(map[string]storage.Factory{"file": l.disk.Open})
	st := &catalogOf{l}
	l.writer = &write.Writer{
		Store: st, Stores: l.stores, Processes: process{w.procs, l.name}, Lists: &write.FileLists{Store: st}, Now: w.clock, Point: l.point,
	}
	return l
}

// sleeper begins a process that stops at a point, with all that it does on other goroutines, until it is woken.
func (w *world) sleeper(at func(name string, n int) bool) (l *life, sleeps <-chan struct{}, wake func()) {
	asleep, awake := make(chan struct{}), make(chan struct{})
	l = w.start(nil)
	l.faults.point = func(name string, n int) bool {
		if at(name, n) {
			release := l.disk.Hold()
			close(asleep)
			<-awake
			release()
		}
		return false
	}
	return l, asleep, func() { close(awake) }
}

// stop ends a process.
func (l *life) stop() {
	l.dead.Store(true)
	l.w.procs.set(l.name, false)
}

func (l *life) canceledAt(place string) {
	if l.faults.cancel != nil && l.faults.cancel(place) {
		l.cancel()
	}
}

func (l *life) point(name string) {
	l.mu.Lock()
	l.passed[name]++
	n := l.passed[name]
	l.points = append(l.points, fmt.Sprintf("%s#%d", name, n))
	l.mu.Unlock()
	l.canceledAt(fmt.Sprintf("%s#%d", name, n))
	if l.faults.point != nil && !l.dead.Load() && l.faults.point(name, n) {
		l.dead.Store(true)
	}
}

// catalogOf is the catalog as a process sees it.
type catalogOf struct{ l *life }

func (c *catalogOf) fault(write bool) faulty.Fault {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.l.dead.Load() {
		return faulty.CrashBefore
	}
	c.l.txs++
	if c.l.faults.catalog == nil {
		return faulty.None
	}
	f := c.l.faults.catalog(c.l.txs, write)
	if f == faulty.CrashBefore || f == faulty.CrashAfter {
		c.l.dead.Store(true)
	}
	return f
}

func (c *catalogOf) do(write bool, apply func() error) error {
	f := c.fault(write)
	switch f {
	case faulty.FailBefore:
		return faulty.ErrInjected
	case faulty.CrashBefore:
		return errDead
	}
	err := apply()
	switch {
	case f == faulty.CrashAfter:
		return errDead
	case f == faulty.FailAfter && err == nil:
		return errLost
	}
	return err
}

func (c *catalogOf) Read(ctx context.Context, fn func(catalog.ReadTx) error) error {
	return c.do(false, func() error { return c.l.w.store.Read(ctx, fn) })
}

func (c *catalogOf) Write(ctx context.Context, fn func(catalog.WriteTx) error) error {
	return c.do(true, func() error {
		return c.l.w.store.Write(ctx, func(tx catalog.WriteTx) error {
			err := fn(tx)
			if err == nil && c.l.dead.Load() {
				return errDead // it died inside the transaction
			}
			return err
		})
	})
}

func (c *catalogOf) Close() error { return nil }

// statement is one write.
type statement struct {
	name        string
	kind        write.Kind
	matchers    []partition.Matcher
	selects     func(spec string) bool
	one         string // spec, for the PARTITION clause that names one partition in full
	isOne       bool
	ifNotExists bool
	tree        bool
	rows        map[string][]string // by spec
	filesEach   int                 // files a partition; 0 is 1
	// mixed tells that staged directories hold files of several partitions; the engine makes one for each.
	mixed bool
}

// target is what the statement writes to, as the catalog has it now.
func (l *life) target(s statement) (write.Target, error) {
	w := l.w
	out := write.Target{
		Name: "main.s.t", Root: w.root, Layout: w.shape.layout, Columns: w.cols(), Registered: w.shape.registered, Strategy: w.strategy, Grace: time.Hour,
		Marker: w.shape.inPlace(), Tree: s.tree,
	}
	if w.shape.byPath {
		return out, nil
	}
	err := l.writer.Store.Read(w.t.Context(), func(tx catalog.ReadTx) (err error) {
		if out.Table, err = tx.TableByID(w.table); err != nil {
			return err
		}
		if out.Registered {
			out.Set, err = tx.Partitions(w.table, 0)
		}
		return err
	})
	return out, err
}

func (s statement) scope(t testing.TB, cols []partition.Column) write.Scope {
	sc := write.Scope{Kind: s.kind, Matchers: s.matchers, IfNotExists: s.ifNotExists}
	if s.isOne {
		sc.One = valuesOf(t, s.one)
		for i, v := range sc.One {
			sc.Matchers = append(sc.Matchers, partition.Matcher{Col: i, Value: v})
		}
	}
	if s.selects != nil {
		sc.Selects = func(v partition.Values) (bool, error) { return s.selects(partition.SpecText(cols, v)), nil }
	}
	return sc
}

// run is what package exec does: begin, stage, commit.
func (l *life) run(s statement) (write.Result, error) {
	target, err := l.target(s)
	if err != nil {
		return write.Result{}, err
	}
	return l.runOn(s, target)
}

func (l *life) runOn(s statement, target write.Target) (write.Result, error) {
	ctx := l.ctx
	job, err := l.writer.Begin(ctx, target, s.scope(l.w.t, target.Columns), catalog.Commit{Operation: "INSERT", Statement: s.name})
	if err != nil {
		return write.Result{}, err
	}
	defer job.Abort(ctx)
	files, err := l.stage(job, s)
	if err != nil {
		return write.Result{}, err
	}
	return job.Commit(ctx, files)
}

// stage is the engine: it writes small files.
func (l *life) stage(job *write.Job, s statement) ([]write.File, error) {
	if len(s.rows) == 0 {
		return nil, nil
	}
	dir, err := job.Stage(l.ctx)
	if err != nil {
		return nil, err
	}
	if l.dead.Load() {
		return nil, errDead
	}
	var files []write.File
	for i, spec := range sortedKeys(s.rows) {
		rows := s.rows[spec]
		each := max(1, s.filesEach)
		for f := range each {
			var text strings.Builder
			n := 0
			for i := f; i < len(rows); i += each {
				text.WriteString(rows[i] + "\n")
				n++
			}
			if n == 0 {
				continue
			}
			name := fmt.Sprintf("k=%d/f%d.csv", i, f)
			if s.mixed {
				name = fmt.Sprintf("d%d/f%d.csv", len(files)%2, len(files))
			}
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
				return nil, err
			}
			files = append(files, write.File{Name: name, Suffix: ".csv", Values: valuesOf(l.w.t, spec), Rows: int64(n), Bytes: int64(text.Len())})
		}
	}
	return files, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// answer is the rows of each partition, sorted; a partition without rows has an empty list.
type answer map[string][]string

func (a answer) add(spec string, rows ...string) {
	list := append(a[spec], rows...)
	if list == nil {
		list = []string{}
	}
	slices.Sort(list)
	a[spec] = list
}

func (a answer) clone() answer {
	out := answer{}
	for k, v := range a {
		out[k] = append([]string{}, v...)
	}
	return out
}

func (a answer) String() string {
	var b strings.Builder
	for _, k := range sortedKeys(a) {
		fmt.Fprintf(&b, "  %s: %s\n", k, strings.Join(a[k], " "))
	}
	return b.String()
}

func same(a, b answer) bool { return a.String() == b.String() }

// rows leaves out the partitions without any.
func (a answer) rows() answer {
	out := answer{}
	for k, v := range a {
		if len(v) > 0 {
			out[k] = v
		}
	}
	return out
}

// inode identifies a file.
type inode struct {
	path    string
	size    int64
	modTime time.Time
}

// files are the files below a directory, by their number.
func files(t testing.TB, dir string) map[uint64]inode {
	t.Helper()
	out := map[uint64]inode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[info.Sys().(*syscall.Stat_t).Ino] = inode{path, info.Size(), info.ModTime()}
		return nil
	})
	check(t, err)
	return out
}

// tree lists all below a directory, one path a line.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			rel += "/"
		}
		fmt.Fprintln(&b, "  "+rel)
		return nil
	})
	if !errors.Is(err, fs.ErrNotExist) {
		check(t, err)
	}
	return b.String()
}
