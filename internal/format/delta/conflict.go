package delta

import (
	"strings"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// Isolation is how much of what others commit meanwhile a commit must have seen.
type Isolation uint8

// The isolation levels.
const (
	WriteSerializable Isolation = iota // appends of others that read nothing do not count
	Serializable
	SnapshotIsolation // for commits that change no data
)

// String is the level's word in a commitInfo.
func (i Isolation) String() string {
	return [...]string{"WriteSerializable", "Serializable", "SnapshotIsolation"}[i]
}

// IsolationOf is the level of a table, which its property delta.isolationLevel may set, for a commit.
func IsolationOf(m *Metadata, c *Commit) Isolation {
	switch {
	case c.Metadata == nil && c.Protocol == nil && !c.ChangesData():
		return SnapshotIsolation
	case strings.EqualFold(m.Configuration["delta.isolationLevel"], "Serializable"):
		return Serializable
	}
	return WriteSerializable
}

// Reads is what a commit rests on.
type Reads struct {
	// WholeTable is set by what read, or depends on, every file there was.
	WholeTable bool
	// Files are the paths of the files that were read, or that a condition selected; see FileKey.
	Files map[string]bool
	// Matches reports whether a file would have been read had it been there: by partition values and statistics. nil is a
	// commit that read nothing but what Files says.
	Matches func(*Add) (bool, error)
	// Apps are the applications whose Txn was asked for.
	Apps map[string]bool
}

// Blind reports whether nothing was read.
func (r Reads) Blind() bool { return !r.WholeTable && len(r.Files) == 0 && r.Matches == nil }

// Winner is a commit that took the version one wanted.
type Winner struct {
	Version int64
	Actions []Action
}

// Conflict checks a commit against one that came first, in the order of Spark. nil means that the commit may be tried again
// as the next version. base is the state that was read, table its name or location. The errors are DELTA_PROTOCOL_CHANGED,
// DELTA_METADATA_CHANGED, DELTA_CONCURRENT_TRANSACTION, DELTA_CONCURRENT_APPEND, DELTA_CONCURRENT_DELETE_READ,
// DELTA_CONCURRENT_DELETE_DELETE, and those of CheckWrite.
func Conflict(table string, base *State, c *Commit, reads Reads, level Isolation, w Winner) error {
	s := summarize(w)
	metadata := base.Metadata
	if s.protocol != nil {
		if c.Protocol != nil || drops(base.Protocol, s.protocol) {
			return sqlerr.DeltaProtocolChanged(table, w.Version, s.operation)
		}
		if err := CheckWrite(table, s.protocol, metadata, base.Schema); err != nil {
			return err
		}
	}
	if s.metadata != nil && (c.Metadata != nil || !sameMetadata(metadata, s.metadata)) {
		return sqlerr.DeltaMetadataChanged(table, w.Version, s.operation)
	}
	for _, d := range c.Domains {
		if s.domains[d.Domain] && d.Domain != rowTrackingDomain {
			return sqlerr.DeltaConcurrentTransaction(table, w.Version, "the domain "+d.Domain)
		}
	}
	for _, t := range c.Txns {
		if s.apps[t.AppID] {
			return sqlerr.DeltaConcurrentTransaction(table, w.Version, "the application "+t.AppID)
		}
	}
	for app := range reads.Apps {
		if s.apps[app] {
			return sqlerr.DeltaConcurrentTransaction(table, w.Version, "the application "+app)
		}
	}
	if err := appended(table, c, reads, level, w, s); err != nil {
		return err
	}
	return deleted(table, c, reads, w, s)
}

// summary is what matters of a winner.
type summary struct {
	operation string
	blind     bool
	protocol  *Protocol
	metadata  *Metadata
	domains   map[string]bool
	apps      map[string]bool
	adds      []*Add
	removes   []*Remove
}

func summarize(w Winner) summary {
	s := summary{domains: map[string]bool{}, apps: map[string]bool{}}
	for i := range w.Actions {
		switch a := &w.Actions[i]; {
		case a.CommitInfo != nil:
			s.operation = a.CommitInfo.Operation
			s.blind = a.CommitInfo.IsBlindAppend != nil && *a.CommitInfo.IsBlindAppend
		case a.Protocol != nil:
			s.protocol = a.Protocol
		case a.Metadata != nil:
			s.metadata = a.Metadata
		case a.Domain != nil:
			s.domains[a.Domain.Domain] = true
		case a.Txn != nil:
			s.apps[a.Txn.AppID] = true
		case a.Add != nil:
			s.adds = append(s.adds, a.Add)
		case a.Remove != nil:
			s.removes = append(s.removes, a.Remove)
		}
	}
	return s
}

// drops reports whether a protocol lacks a feature that the other had.
func drops(before, after *Protocol) bool {
	for _, name := range before.Features() {
		if !after.Supports(name) {
			return true
		}
	}
	return false
}

// sameMetadata reports whether a metadata action changes nothing.
func sameMetadata(a, b *Metadata) bool {
	return string(Action{Metadata: a}.AppendJSON(nil)) == string(Action{Metadata: b}.AppendJSON(nil))
}

// appended looks for files of the winner that should have been read.
func appended(table string, c *Commit, reads Reads, level Isolation, w Winner, s summary) error {
	switch {
	case level == SnapshotIsolation:
		return nil
	case level == WriteSerializable && s.blind && c.Metadata == nil:
		return nil
	}
	for _, a := range s.adds {
		hit := reads.WholeTable
		if !hit && reads.Matches != nil {
			var err error
			if hit, err = reads.Matches(a); err != nil {
				return err
			}
		}
		if hit {
			return sqlerr.DeltaConcurrentAppend(table, w.Version, s.operation, a.PartitionValues.String())
		}
	}
	return nil
}

// deleted looks for files that the winner removed and that were read, or are removed here too.
func deleted(table string, c *Commit, reads Reads, w Winner, s summary) error {
	mine := make(map[string]bool, len(c.Removes))
	for _, r := range c.Removes {
		mine[r.Key().Path] = true
	}
	for _, r := range s.removes {
		if reads.WholeTable || reads.Files[r.Key().Path] {
			return sqlerr.DeltaConcurrentDeleteRead(table, w.Version, s.operation, r.PartitionValues.String())
		}
	}
	for _, r := range s.removes {
		if mine[r.Key().Path] {
			return sqlerr.DeltaConcurrentDeleteDelete(table, w.Version, s.operation, r.PartitionValues.String())
		}
	}
	return nil
}

// String is the values as messages show them: [p=1, q=null]; "" for an unpartitioned file.
func (p PartitionTexts) String() string {
	if len(p) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range p {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.Column)
		b.WriteByte('=')
		if v.Text == "" {
			b.WriteString("null")
		} else {
			b.WriteString(v.Text)
		}
	}
	b.WriteByte(']')
	return b.String()
}
