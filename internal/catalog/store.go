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
)

// Store keeps the catalog. Several processes may use one store at once: a write transaction sees all earlier commits.
type Store interface {
	// Read runs fn on a consistent snapshot.
	Read(ctx context.Context, fn func(ReadTx) error) error
	// Write runs fn and commits durably when it returns nil; else nothing changed. fn may run again after a conflict.
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
	ExternalLocations() ([]*ExternalLocation, error)
	ExternalLocation(name string) (*ExternalLocation, error)
	// Overlapping lists what has a location that equals, contains or lies below loc, comparing path segments.
	Overlapping(loc string) ([]Located, error)
	// Partitions is the partition set of a log table at its current version, or at version at when at > 0.
	Partitions(table ID, at int64) (*partition.Set, error)
	// History lists a table's commits, newest first; limit 0 for all.
	History(table ID, limit int) ([]Commit, error)
	Pendings() ([]Pending, error)
}

// WriteTx changes the catalog. Creating a taken name is ErrExists.
type WriteTx interface {
	ReadTx
	CreateCatalog(*Catalog) error
	UpdateCatalog(*Catalog) error
	DeleteCatalog(ID) error // ErrNotEmpty while it holds schemas
	CreateSchema(*Schema) error
	UpdateSchema(*Schema) error
	DeleteSchema(ID) error // ErrNotEmpty while it holds tables or volumes
	CreateTable(*Table) error
	// UpdateTable replaces a table whose version in the store is still t.Version, and adds 1 to it (also in *t).
	UpdateTable(t *Table) error
	DeleteTable(ID) error // its partitions and history too
	CreateVolume(*Volume) error
	DeleteVolume(ID) error
	CreateExternalLocation(*ExternalLocation) error
	DeleteExternalLocation(ID) error
	// ApplyPartitions changes the partitions of table t, whose version in the store must still be t.Version
	// (ErrVersionChanged otherwise), writes the touched segments and the history row c, and adds 1 to the version (also in
	// *t). c.Version, and the counts of c, are filled in.
	ApplyPartitions(t *Table, ch *partition.Changes, c Commit) error
	// ReplacePartitions makes set the whole of the table's partitions, under the same rules.
	ReplacePartitions(t *Table, set *partition.Set, c Commit) error
	// AddCommit writes a history row for a change that touches no partitions, at the table's current version.
	AddCommit(t *Table, c Commit) error
	AddPending(Pending) error
	DeletePending(ID) error
}

// Located is something that has a location.
type Located struct {
	What     string // table, volume, external location, managed storage
	ID       ID
	Name     string // full name
	Location string
}
