package catalog

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/partition"
)

// Failures that stores report.
var (
	// ErrNotFound: no such securable.
	ErrNotFound = errors.New("not found")
	// ErrExists: the name is taken.
	ErrExists = errors.New("already exists")
	// ErrNotEmpty: a schema or catalog still holds something.
	ErrNotEmpty = errors.New("not empty")
	// ErrVersionChanged: somebody else committed to the table first.
	ErrVersionChanged = errors.New("the table changed")
	// ErrTxnChanged: another process took the transaction over or moved it on.
	ErrTxnChanged = errors.New("the transaction changed")
)

// Store keeps the catalog. Several processes may use one store at once: a write transaction sees all earlier commits.
type Store interface {
	// Read runs fn on a consistent snapshot.
	Read(ctx context.Context, fn func(ReadTx) error) error
	// Write runs fn and commits durably when it returns nil; else nothing changed. fn may run again after a conflict. It
	// must not call Write itself.
	Write(ctx context.Context, fn func(WriteTx) error) error
	Close() error
}

// ReadTx reads one snapshot. Names compare without case. Lists are sorted by name. What is not there is ErrNotFound.
type ReadTx interface {
	Catalogs() ([]*Catalog, error)
	Catalog(name string) (*Catalog, error)
	Schemas(catalog ID) ([]*Schema, error)
	Schema(catalog ID, name string) (*Schema, error)
	SchemaByID(id ID) (*Schema, error)
	CatalogByID(id ID) (*Catalog, error)
	Tables(schema ID) ([]*Table, error)
	Table(schema ID, name string) (*Table, error)
	TableByID(id ID) (*Table, error)
	Volumes(schema ID) ([]*Volume, error)
	Volume(schema ID, name string) (*Volume, error)
	Functions(schema ID) ([]*Function, error)
	Function(schema ID, name string) (*Function, error)
	FunctionByID(id ID) (*Function, error)
	ExternalLocations() ([]*ExternalLocation, error)
	ExternalLocation(name string) (*ExternalLocation, error)
	// Overlapping lists what has a location that equals, contains or lies below loc, comparing path segments, in all
	// catalogs, ordered by location, then kind, then name.
	Overlapping(loc string) ([]Located, error)
	// Partitions is the partition set of a table at its current version, or at version at when at > 0; ErrNotFound when the
	// table has not had that version. The set's columns are the partition columns of that version. A table whose
	// partitions nobody registered has an empty set.
	Partitions(table ID, at int64) (*partition.Set, error)
	// History lists a table's commits, newest first; limit 0 for all.
	History(table ID, limit int) ([]Commit, error)
	Pendings() ([]Pending, error)
	Txn(id string) (*Txn, error)
	// TxnOwned tells the state and the epoch of a transaction. It reads nothing else of it, which may be large.
	TxnOwned(id string) (TxnState, int64, error)
	// Txns lists transactions by ascending ID: those of a table, or with table "" those of every table and path. Unless all,
	// finished ones are left out. A table that does not exist has those that outlived it.
	Txns(table ID, all bool) ([]*Txn, error)
	// TxnPlan is the plan of a transaction; ErrNotFound when it has none.
	TxnPlan(id string) ([]byte, error)
	// Fileset is the bytes of a file set.
	Fileset(id int64) ([]byte, error)
	// Filesets lists the numbers of a table's file sets, ascending.
	Filesets(table ID) ([]int64, error)
	// Retired lists what commits took out of a table, by ascending transaction; with table "" of every table and path.
	Retired(table ID) ([]Retired, error)
	// Loads lists the files that COPY INTO loaded into a table, by path.
	Loads(table ID) ([]Load, error)
}

// WriteTx changes the catalog and reads its own changes. A taken name is ErrExists, when creating and when renaming.
//
// Create methods fill in what is empty in their argument: ID, Owner, and who created and updated it when. Update methods
// set who updated it when; the rest is replaced by what the caller gives, in the row with that ID. Arguments are copied:
// changing them later changes nothing. Owner and actor are the store's actor.
type WriteTx interface {
	ReadTx
	CreateCatalog(*Catalog) error
	UpdateCatalog(*Catalog) error
	DeleteCatalog(ID) error // ErrNotEmpty while it holds schemas
	CreateSchema(*Schema) error
	UpdateSchema(*Schema) error
	DeleteSchema(ID) error // ErrNotEmpty while it holds tables, volumes or functions
	// CreateTable adds a table at version 1, also in *t. A log table begins with no partitions.
	CreateTable(*Table) error
	// UpdateTable replaces a table whose version in the store is still t.Version (ErrVersionChanged otherwise), and adds 1
	// to it (also in *t). It may rename the table and move it to another schema. A change of the names or types of the
	// partition columns empties the partitions: the old ones stay readable at the versions before.
	UpdateTable(t *Table) error
	// ReplaceTable is UpdateTable that also empties the table's partitions, forgets its loads, and writes the history row c: all
	// at one new version. Older versions stay readable.
	ReplaceTable(t *Table, c Commit) error
	// DeleteTable deletes a table with its partitions, history, file sets, loads and finished transactions. Its retired files and
	// unfinished transactions stay, so that VACUUM and recovery find them.
	DeleteTable(ID) error
	CreateVolume(*Volume) error
	DeleteVolume(ID) error
	CreateFunction(*Function) error
	DeleteFunction(ID) error
	CreateExternalLocation(*ExternalLocation) error
	DeleteExternalLocation(ID) error
	// ApplyPartitions changes the partitions of table t, whose version in the store must still be t.Version
	// (ErrVersionChanged otherwise), writes the touched segments and the history row c, and adds 1 to the version (also in
	// *t). The row's version and counts are filled in, and time and actor when they are empty. The rest of t is not written.
	ApplyPartitions(t *Table, ch *partition.Changes, c Commit) error
	// ReplacePartitions makes set the whole of the table's partitions, under the same rules.
	ReplacePartitions(t *Table, set *partition.Set, c Commit) error
	// AddCommit writes a history row for a change that touches no partitions, at the table's current version. A version may
	// have several rows.
	AddCommit(t *Table, c Commit) error
	AddPending(Pending) error
	DeletePending(ID) error
	// AddTxn adds a transaction at epoch 1, also in *t, and fills in its times and actor when they are empty.
	AddTxn(*Txn) error
	// UpdateTxn replaces the transaction with t's ID whose state is still from and whose epoch is still t.Epoch (ErrTxnChanged
	// otherwise), and sets Changed (also in *t).
	UpdateTxn(t *Txn, from TxnState) error
	// TakeTxn makes process the one that works on the transaction with t's ID whose epoch is still t.Epoch (ErrTxnChanged
	// otherwise), and adds 1 to the epoch: later updates by the process before fail. It sets Changed, and all three in *t; the
	// rest of t is not written.
	TakeTxn(t *Txn, process string) error
	// SetTxnPlan stores the plan of a transaction, in place of one it may have.
	SetTxnPlan(id string, plan []byte) error
	DeleteTxn(id string) error // its plan too
	// AddFileset stores a file set that the transaction txn wrote into a table, and returns its number, which is never used twice.
	AddFileset(table ID, txn string, b []byte) (int64, error)
	// DeleteFilesets deletes file sets of a table. Numbers that are not there are passed over.
	DeleteFilesets(table ID, ids ...int64) error
	// AddRetired notes what a transaction took out of a table: once per transaction (ErrExists). At is filled in when it is empty.
	AddRetired(Retired) error
	DeleteRetired(txn string) error
	// AddLoads notes files that COPY INTO loaded. One of a path that is there replaces it.
	AddLoads(table ID, loads []Load) error
}

// Located is something that has a location.
type Located struct {
	What string // one of the Located constants
	ID   ID     // of the table, volume or external location; of the catalog or schema for managed storage
	Name string // full name, quoted where it needs it
	// Rules are those of the catalog it belongs to; UnityRules for an external location, which belongs to none.
	Rules    Rules
	Location string
}
