// Package write commits what statements wrote, so that no crash loses data and no reader of the catalog sees half a job.
//
// A write is a transaction with a name that no other ever has (a ULID). Its files are staged where no reader looks, under
// names that carry the transaction; a plan of everything that is going to change is kept in the catalog before the first
// change that anybody can see; one catalog transaction is the commit point; old files go after it, into a trash, and are
// deleted by VACUUM when their grace has passed. Each step can be repeated, so a process that dies anywhere leaves a
// transaction that another one undoes or finishes (Recover).
//
//	WRITING    the engine writes staged files                            undone by deleting the staging
//	PREPARED   the plan is kept; sealed directories are being filled     undone: nothing refers to them
//	COMMITTING in place: files appear at their final names, hidden from  undone by deleting these names, unless
//	           Tarn's readers by the transaction in their name           a directory was exchanged: then finished
//	COMMITTED  the commit point has passed                               finished: old files are retired
//	DONE, ABORTED, and STUCK when the storage shows what no step explains: a person decides
//
// It owns the states, the plan, conflicts between writers, recovery and VACUUM. It must not import a parser, the session, an
// engine or an adapter.
package write

import (
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/scan"
	"github.com/tarnlake/tarn/internal/storage"
)

// Processes tells which processes are alive.
type Processes interface {
	// Name is this process's own name, unique for ever. A process has one Writer, or one name for each.
	Name() (string, error)
	// Alive reports whether the process of that name still runs.
	Alive(name string) (bool, error)
}

// Writer commits writes. It is safe for concurrent use; its fields are set once.
type Writer struct {
	Store     catalog.Store
	Stores    *storage.Stores
	Processes Processes
	// Lists reads the lists of files that commits recorded.
	Lists *FileLists
	// Now is the clock.
	Now func() time.Time
	// Point is called at each named point of a commit, for tests that kill the process there; nil for none.
	Point func(name string)

	mu sync.Mutex
	// held are the transactions that a job of this process works on: the others of its name are left over from a failure, and
	// recovery may have them.
	held map[string]bool
	// forgot is when ended transactions were last looked through.
	forgot time.Time
}

// hold notes that a job of this process works on a transaction.
func (w *Writer) hold(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		w.held = map[string]bool{}
	}
	w.held[id] = true
}

func (w *Writer) release(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, id)
}

// runs reports whether somebody works on a transaction: its process lives and, when that is this one, a job has it.
func (w *Writer) runs(t *catalog.Txn) (bool, error) {
	alive, err := w.Processes.Alive(t.Process)
	if err != nil || !alive {
		return false, err
	}
	own, err := w.Processes.Name()
	if err != nil || own != t.Process {
		return true, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held[t.ID], nil
}

func (w *Writer) point(name string) {
	if w.Point != nil {
		w.Point(name)
	}
}

// Layout says how the files of a table are laid out, which follows from who reads it (the property tarn.readers).
type Layout string

// The layouts.
const (
	// InPlace is for readers that list directories: files go to the directories that the values name.
	InPlace Layout = "listing"
	// Sealed is for readers that follow the locations in the catalog: what replaces a partition is a whole directory below
	// _tarn/data/<txn>, to which the entry moves.
	Sealed Layout = "location"
	// Filesets is for Tarn's readers alone: the catalog names the files of each partition, wherever they are.
	Filesets Layout = "catalog"
)

// Kind says what becomes of the rows that are there.
type Kind string

// The kinds of write.
const (
	Append          Kind = "append"            // they stay
	ReplaceWritten  Kind = "replace written"   // dynamic: they go from the partitions that get a row
	ReplaceMatching Kind = "replace matching"  // static: they go from all partitions in scope
	Empty           Kind = "empty"             // they go; the partitions in scope stay, without rows
	Remove          Kind = "remove partitions" // the partitions in scope go, files and all
)

// Scope says which partitions a write is about.
type Scope struct {
	Kind Kind
	// Matchers are the values of the PARTITION clause; none means every partition. What is written satisfies them.
	Matchers []partition.Matcher
	// Selects narrows the scope further (REPLACE WHERE); nil for no more conditions.
	Selects func(partition.Values) (bool, error)
	// One is the partition that the clause names in full: it is there afterwards even without rows.
	One partition.Values
	// IfNotExists makes the write do nothing when that partition is registered.
	IfNotExists bool
}

// Target is what is written to.
type Target struct {
	// Table is nil for a write by path.
	Table *catalog.Table
	// Name is shown to people: the table's quoted name, or the path.
	Name   string
	Root   storage.Location
	Layout Layout
	// Columns are the partition columns.
	Columns []partition.Column
	// Registered tells that the partitions are those of Set; otherwise directories are listed.
	Registered bool
	Set        *partition.Set
	// Tree makes everything below Root go, whatever the partition columns were (INSERT OVERWRITE DIRECTORY, CREATE OR REPLACE
	// TABLE … AS SELECT of an external table).
	Tree bool
	// Replaced are the partitions of the table that a CREATE OR REPLACE replaces, when the catalog names their files.
	Replaced *partition.Set
	// CaseSensitive is spark.sql.caseSensitive.
	CaseSensitive bool
	// Strategy is the property tarn.inplace.strategy: auto, union or exchange.
	Strategy string
	// Staging, when set, is the directory below which files are staged (tarn.staging.root); otherwise _tarn/wip.
	Staging storage.Location
	// Grace is how long replaced files are kept.
	Grace time.Duration
	// Marker tells whether _SUCCESS is written into Root.
	Marker bool
	// Rate bounds the files that are published a second; 0 for no bound.
	Rate int64
	// NewRoot tells that Root is made by this write, and goes when the write does.
	NewRoot bool
}

// File is one staged file.
type File struct {
	// Name is the file's name below the staging directory, '/'-separated.
	Name string
	// Suffix is how the file's final name ends, such as .zstd.parquet.
	Suffix string
	// Values are the values of its partition, all columns.
	Values partition.Values
	Rows   int64
	Bytes  int64
}

// Result is what a write came to.
type Result struct {
	Txn                string
	Version            int64
	Rows, Files, Bytes int64
	// Added, Replaced, Removed and Untouched count partitions; Untouched is -1 when nobody counted.
	Added, Replaced, Removed, Untouched int64
	// Nothing tells that nothing was to be done, so that there was no commit.
	Nothing bool
	// Left is why something could not be done after the commit point, where a write has happened and cannot fail any more: old
	// files are not put aside, or the marker is not written. Readers of the catalog are not affected, and Recover does it.
	Left error `json:"-"`
}

// The names of directories and files that Tarn makes below a root.
const (
	ownDir     = "_tarn"
	wipDir     = "wip"
	dataDir    = "data"
	swapDir    = "swap"
	trashDir   = "trash"
	markerName = "_SUCCESS"
)

// Visible is what readers of a table, or of the paths below a location, must not see of writes that are under way. table is
// "" for a location of no table.
func Visible(tx catalog.ReadTx, table catalog.ID, root storage.Location) (*scan.Visibility, error) {
	txns, err := tx.Txns("", false)
	if err != nil {
		return nil, err
	}
	v := &scan.Visibility{}
	for _, t := range txns {
		if t.Table != table || table == "" {
			at, err := storage.ParseLocation(t.Location, "")
			if err != nil || !at.Overlaps(root) {
				continue
			}
		}
		if err := hide(tx, v, t); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// hide adds what one unfinished transaction means for readers.
func hide(tx catalog.ReadTx, v *scan.Visibility, t *catalog.Txn) error {
	v.See(t.ID, string(t.State), t.Epoch)
	committed := t.Version > 0
	if !committed {
		v.Hide(t.ID)
	}
	if t.State == catalog.TxnWriting || t.State == catalog.TxnPrepared {
		return nil // nothing has moved yet
	}
	data, err := tx.TxnPlan(t.ID)
	if err != nil {
		return ignoreNotFound(err)
	}
	p, err := decodeReach(data)
	if err != nil {
		return err
	}
	if committed && p.Layout == InPlace {
		for i := range p.Old {
			v.Retire(p.Old[i].key())
		}
	}
	for i := range p.Parts {
		part := &p.Parts[i]
		dir, err := storage.ParseLocation(part.Dir, "")
		if err != nil {
			return err
		}
		if p.Layout == InPlace && (!committed && part.Fresh || committed && part.Action == actRemove) {
			v.Absent(dir.DirKey())
		}
		switch {
		case committed && !part.Swap && p.Layout == InPlace:
			for k := range part.Old {
				v.Retire(part.Old[k].key())
			}
		case !committed && part.Swap:
			v.Swap(dir.DirKey(), part.away(t.ID, swapDir).DirKey())
		}
	}
	return nil
}
