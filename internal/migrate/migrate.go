// Package migrate is the way from a catalog under Hive's rules into one under Unity's. It owns SYNC (which tables can be
// registered where they are, what the new table is, what changes when it runs again), the inventory of what a legacy
// catalog holds, the way that each thing takes, the order and the new names of views, and the report.
//
// It sees the catalog, storage, the parser and scan's discovery. What must run as a statement it hands to its caller. It must not
// import bind, exec or an engine.
package migrate

import (
	"context"
	"strings"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/storage"
	"github.com/tarnlake/tarn/internal/types"
)

// The properties that link the two tables.
const (
	// UpgradedTo is on the source: where the table went, as catalog.schema.table.
	UpgradedTo = "upgraded_to"
	// UpgradedFrom is on the target: where it came from.
	UpgradedFrom = "upgraded_from"
	// syncedVersion is on a target of SYNC: the version of the source that it was made from. It tells whether the source has changed
	// since, and which partitions the source has dropped, as opposed to those that the target got by itself.
	syncedVersion = "upgraded_from_version"
	// logProperty asks for a partition log.
	logProperty = "partitionMetadataEnabled"
	// readersProperty is how a table is laid out, which the new table decides by itself.
	readersProperty = "tarn.readers"
)

// IsLink reports whether a property is one of those that link the two tables. They are the catalog's: a table with a log of its own keeps
// those that the log does not have.
func IsLink(name string) bool {
	return name == UpgradedTo || name == UpgradedFrom || name == syncedVersion
}

// Definition is what a table's own log says about it.
type Definition struct {
	Columns    []types.Field // partition columns last
	Partition  []string
	Properties map[string]string
	Comment    string
	Version    int64 // of the log
	// ReadOnly tells that the log demands something of those who write to it that Tarn does not have.
	ReadOnly bool
}

// Logs reads tables that describe themselves: those with a transaction log in their directory, such as Delta's, of which the
// catalog holds a copy that may lag behind.
type Logs interface {
	// Definition is what the log of t says now.
	Definition(ctx context.Context, t *catalog.Table) (Definition, error)
	// ChangedSince reports whether the rows or columns of t may have changed since a version of its log.
	ChangedSince(ctx context.Context, t *catalog.Table, version int64) (bool, error)
}

// Notes writes into the logs of tables that describe themselves.
type Notes interface {
	// SetProperties adds properties to what the log says of t.
	SetProperties(ctx context.Context, t *catalog.Table, properties map[string]string) error
}

// hasLog reports whether tables of a format have a log of their own, which knows their partitions, too.
func hasLog(format string) bool { return strings.EqualFold(format, "delta") }

// Syncer makes tables of a Unity-style catalog that point at the files of legacy ones.
type Syncer struct {
	Store  catalog.Store
	Stores *storage.Stores
	Mounts *storage.Mounts
	// Logs may be nil: what the catalog says of a table with a log counts then.
	Logs Logs
	// Notes may be nil: the catalog keeps the link of a table with a log then, as it does for others.
	Notes Notes
	Now   func() time.Time
	// Point is called at named points of a migration, for tests that end the process there; nil for none.
	Point func(name string)
}

// Request is one table to synchronise. Names are full.
type Request struct {
	Source, Target ident.Name
	// AsExternal takes managed tables, too.
	AsExternal bool
	// Owner of the target; "" leaves it to the catalog, or as it is.
	Owner  string
	DryRun bool
	// KeepSource writes nothing to the source.
	KeepSource bool
	// KeepOthers leaves an external table of the target's name alone that lies elsewhere and is nobody's image.
	KeepOthers bool
	// WantLog gives a new partitioned target a partition log in any case.
	WantLog bool
	// NewSchema, of a dry run, takes the target's schema for an empty one that will be made.
	NewSchema bool
	// CaseSensitive compares column names with case when directories are listed.
	CaseSensitive bool
	// Actor and Statement go into the history.
	Actor, Statement string
}

// Row is what came of one table: a row of SYNC's answer.
type Row struct {
	SourceSchema, SourceName, SourceType    string
	TargetCatalog, TargetSchema, TargetName string
	Status, Description                     string
	// Changed tells that something was written, or would be.
	Changed bool
}

// The statuses of success.
const (
	Success       = "SUCCESS"
	DryRunSuccess = "DRY_RUN_SUCCESS"
)

// OK reports whether the table is, or would be, there.
func (r Row) OK() bool { return r.Status == Success || r.Status == DryRunSuccess }

func (s *Syncer) point(name string) {
	if s.Point != nil {
		s.Point(name)
	}
}
