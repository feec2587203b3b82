package memstore

import (
	"maps"
	"slices"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
)

// state is everything at one moment. A published state never changes, nor does what it points to.
type state struct {
	catalogs  map[catalog.ID]*catalog.Catalog
	schemas   map[catalog.ID]*catalog.Schema
	tables    map[catalog.ID]*catalog.Table
	volumes   map[catalog.ID]*catalog.Volume
	functions map[catalog.ID]*catalog.Function
	externals map[catalog.ID]*catalog.ExternalLocation
	// partitions of a table, oldest first; each holds from its version to that of the next.
	partitions map[catalog.ID][]version
	history    map[catalog.ID][]catalog.Commit // oldest first
	pendings   []catalog.Pending               // in the order they were added
	txns       map[string]*catalog.Txn
	plans      map[string][]byte
	filesets   map[int64]fileset
	// lastFileset is the number given last.
	lastFileset int64
	retired     map[string]catalog.Retired    // by transaction
	loads       map[catalog.ID][]catalog.Load // of a table, by path
}

// version is the partition set that a table has from a version on.
type version struct {
	from int64
	set  *partition.Set
}

func newState() *state {
	return &state{
		catalogs:   map[catalog.ID]*catalog.Catalog{},
		schemas:    map[catalog.ID]*catalog.Schema{},
		tables:     map[catalog.ID]*catalog.Table{},
		volumes:    map[catalog.ID]*catalog.Volume{},
		functions:  map[catalog.ID]*catalog.Function{},
		externals:  map[catalog.ID]*catalog.ExternalLocation{},
		partitions: map[catalog.ID][]version{},
		history:    map[catalog.ID][]catalog.Commit{},
		txns:       map[string]*catalog.Txn{},
		plans:      map[string][]byte{},
		filesets:   map[int64]fileset{},
		retired:    map[string]catalog.Retired{},
		loads:      map[catalog.ID][]catalog.Load{},
	}
}

// clone copies the maps; what they hold is shared, and writers replace it rather than change it.
func (s *state) clone() *state {
	return &state{
		catalogs:   maps.Clone(s.catalogs),
		schemas:    maps.Clone(s.schemas),
		tables:     maps.Clone(s.tables),
		volumes:    maps.Clone(s.volumes),
		functions:  maps.Clone(s.functions),
		externals:  maps.Clone(s.externals),
		partitions: maps.Clone(s.partitions),
		history:    maps.Clone(s.history),
		pendings:   slices.Clone(s.pendings),
		txns:       maps.Clone(s.txns),
		plans:      maps.Clone(s.plans),
		filesets:   maps.Clone(s.filesets),
		retired:    maps.Clone(s.retired),
		loads:      maps.Clone(s.loads),

		lastFileset: s.lastFileset,
	}
}
