package delta

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// State is what a log adds up to at one version. It is immutable, and newer versions share what did not change.
type State struct {
	Version  int64
	Protocol *Protocol
	Metadata *Metadata
	Schema   Schema
	// InCommitTimestamp is that of the version's own commit, in milliseconds since the epoch; nil when it has none, or when
	// the state was made from a checkpoint of that very version, which does not keep it.
	InCommitTimestamp *int64

	txns    map[string]*Txn
	domains map[string]*Domain
	adds    fileSet
	bytes   int64
	removed bool
}

// Removed is false only when none of the files that the state was made of has a removal: then it has no tombstones.
func (s *State) Removed() bool { return s.removed }

// Adds are the live files, those of the checkpoint first. Most are unpacked for each iteration: two iterations give equal additions,
// not the same ones.
func (s *State) Adds() iter.Seq[*Add] { return s.adds.all() }

// AddsOf are the live files of partitions that are wanted. Only those are unpacked.
func (s *State) AddsOf(want func(PartitionTexts) bool) iter.Seq[*Add] {
	return s.adds.those(want, false)
}

// Rows are the partition values of the live files with the number of their rows, -1 where statistics do not tell. Statistics are read
// once for all versions that share a file.
func (s *State) Rows() iter.Seq2[PartitionTexts, int64] {
	return s.adds.counted(func(a *Add) int64 {
		if n, ok := a.LiveRows(); ok {
			return n
		}
		return -1
	})
}

// vectors are the deletion vectors of the live files.
func (s *State) vectors() iter.Seq[*DeletionVector] {
	return func(yield func(*DeletionVector) bool) {
		for a := range s.adds.those(func(PartitionTexts) bool { return true }, true) {
			if !yield(a.DeletionVector) {
				return
			}
		}
	}
}

// NumFiles is the number of live files, and SizeInBytes their size.
func (s *State) NumFiles() int { return s.adds.len() }

// SizeInBytes is the size of all live files.
func (s *State) SizeInBytes() int64 { return s.bytes }

// Find looks up a live file.
func (s *State) Find(k FileKey) (*Add, bool) { return s.adds.find(k) }

// Txn is the progress of an application; nil when it never wrote.
func (s *State) Txn(appID string) *Txn { return s.txns[appID] }

// Txns are all applications' progress, sorted by id.
func (s *State) Txns() []*Txn {
	return slices.SortedFunc(maps.Values(s.txns), func(a, b *Txn) int { return cmp.Compare(a.AppID, b.AppID) })
}

// Domain is the configuration of a domain; nil when it has none or lost it.
func (s *State) Domain(name string) *Domain {
	if d := s.domains[name]; d != nil && !d.Removed {
		return d
	}
	return nil
}

// Domains are the live domains, sorted by name.
func (s *State) Domains() []*Domain {
	out := make([]*Domain, 0, len(s.domains))
	for _, d := range s.domains {
		if !d.Removed {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b *Domain) int { return cmp.Compare(a.Domain, b.Domain) })
	return out
}

// WithInCommitTimestamp is the state with the timestamp of its version's commit, which callers found in the commit's file
// when the state came from a checkpoint of that version. Without it, the next commit could go back in time.
func (s *State) WithInCommitTimestamp(at int64) *State {
	out := *s
	out.InCommitTimestamp = &at
	return &out
}

// Replay collects actions newest first and makes a State of them.
type Replay struct {
	version    int64
	began      bool // a commit was taken
	protocol   *Protocol
	metadata   *Metadata
	ict        *int64
	txns       map[string]*Txn
	domains    map[string]*Domain
	seen       map[FileKey]bool
	adds       []*Add // newest first until State
	checkpoint []*packedFiles
	removed    bool
}

// NewReplay begins the state of a version. What was removed is none of it: VACUUM and checkpoints, which need that, ask Tombstones.
func NewReplay(version int64) *Replay {
	return &Replay{version: version, txns: map[string]*Txn{}, domains: map[string]*Domain{}, seen: map[FileKey]bool{}}
}

// Expect makes room for so many actions about files, which spares the replay of a long log many steps of growth.
func (r *Replay) Expect(files int) {
	if len(r.seen) == 0 {
		r.seen = make(map[FileKey]bool, files)
	}
	r.adds = growTo(r.adds, files)
}

// Commit takes the actions of one commit, or of a compacted file, in the order of the file. Callers hand in the newest
// file first. Within a commit the last word about a thing counts, as in a replay from the front. A compacted file has one
// word about each file; one that has more is not reconciled, which of them counts is unknown, and the error is
// DELTA_LOG_FILE_MALFORMED.
func (r *Replay) Commit(name string, actions []Action) error {
	if ParseLogName(name).Kind == CompactedFile {
		if err := checkCompacted(name, actions); err != nil {
			return err
		}
	}
	newest := !r.began
	r.began = true
	for i := len(actions) - 1; i >= 0; i-- {
		switch a := &actions[i]; {
		case a.Add != nil:
			if k := a.Add.Key(); !r.seen[k] {
				r.seen[k] = true
				r.adds = append(r.adds, a.Add)
			}
		case a.Remove != nil:
			r.seen[a.Remove.Key()] = true
			r.removed = true
		case a.Protocol != nil:
			r.protocol = cmp.Or(r.protocol, a.Protocol)
		case a.Metadata != nil:
			r.metadata = cmp.Or(r.metadata, a.Metadata)
		case a.Txn != nil:
			if r.txns[a.Txn.AppID] == nil {
				r.txns[a.Txn.AppID] = a.Txn
			}
		case a.Domain != nil:
			if r.domains[a.Domain.Domain] == nil {
				r.domains[a.Domain.Domain] = a.Domain
			}
		case a.CommitInfo != nil && newest && r.ict == nil:
			r.ict = a.CommitInfo.InCommitTimestamp
		}
	}
	return nil
}

func checkCompacted(name string, actions []Action) error {
	keys := make(map[FileKey]bool, len(actions))
	for i := range actions {
		var k FileKey
		switch a := &actions[i]; {
		case a.Add != nil:
			k = a.Add.Key()
		case a.Remove != nil:
			k = a.Remove.Key()
		default:
			continue
		}
		if keys[k] {
			return sqlerr.DeltaLogMalformed(name, i+1, "the compaction has two actions for the file "+k.Path)
		}
		keys[k] = true
	}
	return nil
}

// Checkpoint takes one file of the checkpoint, a sidecar included, after all commits. A table's rows do not depend on the order of the files.
func (r *Replay) Checkpoint(c *Checkpoint) {
	r.protocol = cmp.Or(r.protocol, c.Protocol)
	r.metadata = cmp.Or(r.metadata, c.Metadata)
	r.removed = r.removed || c.Removed
	for _, t := range c.Txns {
		if r.txns[t.AppID] == nil {
			r.txns[t.AppID] = t
		}
	}
	for _, d := range c.Domains {
		if r.domains[d.Domain] == nil {
			r.domains[d.Domain] = d
		}
	}
	if c.packed != nil {
		r.checkpoint = append(r.checkpoint, c.packed)
	}
	if len(c.Adds) > 0 {
		r.checkpoint = append(r.checkpoint, packFiles(c.Adds))
	}
}

// State ends the replay. Without protocol or metadata the error is DELTA_STATE_RECOVER_ERROR; a protocol that cannot be
// read gives the errors of CheckRead, before anything else of the table is looked at. table is its name or location.
func (r *Replay) State(table string) (*State, error) {
	if r.protocol == nil {
		return nil, sqlerr.DeltaStateRecover("protocol", r.version)
	}
	if err := CheckRead(table, r.protocol); err != nil {
		return nil, err
	}
	if r.metadata == nil {
		return nil, sqlerr.DeltaStateRecover("metadata", r.version)
	}
	schema, err := schemaOf(table, r.protocol, r.metadata)
	if err != nil {
		return nil, err
	}
	slices.Reverse(r.adds)
	adds := fileSet{base: baseOf(r.checkpoint)}
	away := adds.without(r.seen)
	if len(r.adds) > 0 {
		adds.base = adds.base.plus(r.adds)
		adds.dead = adds.dead.upTo(adds.base.len())
	}
	s := &State{
		Version: r.version, Protocol: r.protocol, Metadata: r.metadata, Schema: schema, InCommitTimestamp: r.ict,
		txns: r.txns, domains: r.domains, adds: adds, removed: r.removed,
	}
	for _, p := range adds.base.parts {
		s.bytes += p.bytes
	}
	s.bytes -= away
	return s, nil
}

func schemaOf(table string, p *Protocol, m *Metadata) (Schema, error) {
	schema, err := ParseSchema(m.SchemaString)
	if err == nil && (p.Supports(FeatureTypeWidening) || p.Supports(FeatureTypeWidening+"-preview")) {
		err = CheckTypeChanges(schema)
	}
	if err != nil {
		if bad, ok := err.(malformed); ok {
			return Schema{}, sqlerr.DeltaSchemaMalformed(table, string(bad))
		}
		return Schema{}, err
	}
	return schema, nil
}

// Apply is the state after one more commit, whose version must be the next one. s stays as it is. The errors are those of
// Replay.State.
func (s *State) Apply(table string, version int64, actions []Action) (*State, error) {
	if version != s.Version+1 {
		return nil, sqlerr.DeltaGap(s.Version, version, version)
	}
	out := *s
	out.Version, out.InCommitTimestamp = version, nil
	last := map[FileKey]int{}
	for i := range actions {
		switch a := &actions[i]; {
		case a.Add != nil:
			last[a.Add.Key()] = i
		case a.Remove != nil:
			last[a.Remove.Key()] = i
			out.removed = true
		case a.Protocol != nil:
			out.Protocol = a.Protocol
		case a.Metadata != nil:
			out.Metadata = a.Metadata
		case a.Txn != nil:
			out.txns = set(out.txns, s.txns, a.Txn.AppID, a.Txn)
		case a.Domain != nil:
			out.domains = set(out.domains, s.domains, a.Domain.Domain, a.Domain)
		case a.CommitInfo != nil:
			out.InCommitTimestamp = a.CommitInfo.InCommitTimestamp
		}
	}
	if out.Protocol != s.Protocol {
		if err := CheckRead(table, out.Protocol); err != nil {
			return nil, err
		}
	}
	if out.Metadata != s.Metadata || out.Protocol != s.Protocol {
		schema, err := schemaOf(table, out.Protocol, out.Metadata)
		if err != nil {
			return nil, err
		}
		out.Schema = schema
	}
	var put []*Add
	var drop []FileKey
	for i := range actions {
		switch a := &actions[i]; {
		case a.Add != nil && last[a.Add.Key()] == i:
			put = append(put, a.Add)
			out.bytes += a.Add.Size - s.sizeOf(a.Add.Key())
		case a.Remove != nil && last[a.Remove.Key()] == i:
			k := a.Remove.Key()
			drop = append(drop, k)
			out.bytes -= s.sizeOf(k)
		}
	}
	out.adds = s.adds.change(drop, put)
	return &out, nil
}

func (s *State) sizeOf(k FileKey) int64 {
	if a, ok := s.adds.find(k); ok {
		return a.Size
	}
	return 0
}

// set puts an entry into a copy of a map that is shared, copying it once.
func set[V any](m, shared map[string]V, key string, v V) map[string]V {
	if len(m) == len(shared) {
		m = maps.Clone(m)
	}
	if m == nil {
		m = map[string]V{}
	}
	m[key] = v
	return m
}
