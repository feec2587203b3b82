// Package catalog holds the nouns of a catalog (catalogs, schemas, tables, volumes, external locations, history, writes), the
// rules that bind them (names, overlap), and the Store port that keeps them. It imports vocabulary and storage's
// locations; stores are adapters below it.
package catalog

import (
	"slices"
	"time"

	"github.com/tarnlake/tarn/internal/ident"
	"github.com/tarnlake/tarn/internal/types"
)

// ID identifies a securable for life; names can change. It is a UUID in text form.
type ID string

// Securable is what everything in the catalog has.
type Securable struct {
	ID        ID
	Name      string // spelling kept; unique without regard to case within its parent
	Owner     string
	Comment   string
	CreatedAt time.Time // UTC
	CreatedBy string
	UpdatedAt time.Time // UTC
	UpdatedBy string
}

// Rules says which engine's rules a catalog follows.
type Rules string

// The rules a catalog may follow.
const (
	UnityRules  Rules = "unity"  // locations may not overlap; partitions lie inside their table
	HiveRules   Rules = "hive"   // hive_metastore: registered partitions, locations anywhere
	SystemRules Rules = "system" // read-only views of the catalog itself
)

// Catalog is the top namespace.
type Catalog struct {
	Securable
	Rules    Rules
	Location string // root of managed storage, absolute URI
}

// Schema is the second namespace.
type Schema struct {
	Securable
	CatalogID  ID
	Location   string // where managed tables are made, absolute URI
	Properties map[string]string
}

// TableKind tells managed, external and view apart.
type TableKind string

// The kinds of table.
const (
	Managed  TableKind = "MANAGED"
	External TableKind = "EXTERNAL"
	View     TableKind = "VIEW"
)

// PartitionMode says how the partitions of a table are known.
type PartitionMode string

// The ways to know partitions.
const (
	Unpartitioned PartitionMode = ""
	Listing       PartitionMode = "listing" // each query lists the tree
	Log           PartitionMode = "log"     // only registered partitions count
)

// Table is a table or a view.
type Table struct {
	Securable
	SchemaID ID
	Kind     TableKind
	Format   string // parquet, orc, csv, json, …; "" for a view
	Location string // absolute URI
	// Columns are all columns, partition columns last, in level order.
	Columns []types.Field
	// Partition names the partition columns, outermost level first.
	Partition  []string
	Mode       PartitionMode
	Options    map[string]string
	Properties map[string]string
	// Version counts commits to the table; it is what optimistic checks compare.
	Version int64
	// ViewText, ViewCatalog and ViewSchema define a view: its query and the names current when it was made.
	ViewText, ViewCatalog, ViewSchema string
	// InferPartitions marks a hive_metastore table declared without PARTITIONED BY: keys are inferred when read.
	InferPartitions bool
}

// DataColumns are the columns that files hold.
func (t *Table) DataColumns() []types.Field {
	keys := t.Keys()
	out := make([]types.Field, 0, len(t.Columns)-len(keys))
	for i, c := range t.Columns {
		if !slices.Contains(keys, i) {
			out = append(out, c)
		}
	}
	return out
}

// PartitionColumns are the columns that directory names hold.
func (t *Table) PartitionColumns() []types.Field {
	keys := t.Keys()
	out := make([]types.Field, len(keys))
	for i, k := range keys {
		out[i] = t.Columns[k]
	}
	return out
}

// Keys are the places of the partition columns in Columns, outermost level first. They are the last ones, in that order, but
// for tables whose own log says otherwise.
func (t *Table) Keys() []int {
	out := make([]int, 0, len(t.Partition))
	for _, name := range t.Partition {
		if i := slices.IndexFunc(t.Columns, func(c types.Field) bool { return ident.Equal(c.Name, name) }); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// Volume is a named location for files that are no table.
type Volume struct {
	Securable
	SchemaID ID
	Kind     TableKind // Managed or External
	Location string
}

// ExternalLocation is a named root inside which tables and volumes may be made.
type ExternalLocation struct {
	Securable
	URL string
}

// Commit is one row of a table's history.
type Commit struct {
	Version   int64
	At        time.Time
	Actor     string
	Operation string // CREATE TABLE, MSCK REPAIR TABLE, …
	Statement string
	// Added, Dropped and Changed count partitions.
	Added, Dropped, Changed int64
	// Parameters are shown by DESCRIBE HISTORY.
	Parameters map[string]string
}

// Pending is work on directories that a commit decided and that is done after it, at least once: deleting or moving
// managed data of hive_metastore. Doing it again changes nothing.
type Pending struct {
	ID       ID
	Kind     string // one of those that package exec gives a meaning to: delete, empty, rename, vacuum
	From, To string // absolute URIs
	At       time.Time
}
