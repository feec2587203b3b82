package delta

import (
	"slices"
	"strconv"
	"strings"
)

// Action is one line of a commit: exactly one field is set, or none for a kind that this version of the protocol does not
// have, which readers ignore.
type Action struct {
	CommitInfo         *CommitInfo
	Protocol           *Protocol
	Metadata           *Metadata
	Add                *Add
	Remove             *Remove
	CDC                *CDC
	Txn                *Txn
	Domain             *Domain
	CheckpointMetadata *CheckpointMetadata
	Sidecar            *Sidecar
}

// Protocol says what a client must know to read and to write the table. The feature lists are nil unless the versions are 3
// and 7.
type Protocol struct {
	MinReader, MinWriter           int
	ReaderFeatures, WriterFeatures []string
}

// Metadata describes the table; each one replaces the former wholly.
type Metadata struct {
	ID               string // a UUID that stays for the table's life
	Name             string // "" when there is none
	Description      string // "" when there is none
	Provider         string // of the format: always parquet
	FormatOptions    map[string]string
	SchemaString     string   // see ParseSchema
	PartitionColumns []string // logical names, in the order of the directories
	CreatedTime      *int64   // milliseconds since the epoch
	Configuration    map[string]string
}

// PartitionText is the value that one partition column has in a file, as text; "" is NULL, as the protocol rules.
type PartitionText struct{ Column, Text string }

// PartitionTexts are the partition values of a file by physical column name, sorted by name.
type PartitionTexts []PartitionText

// Get finds a column's text. A missing key is NULL, as the empty text is.
func (p PartitionTexts) Get(column string) string {
	for i := range p {
		if p[i].Column == column {
			return p[i].Text
		}
	}
	return ""
}

// Key tells the values of one file from those of another: equal keys are equal texts. String does not, since a value may be
// the word null, or hold a comma.
func (p PartitionTexts) Key() string {
	var b []byte
	for _, v := range p {
		b = append(strconv.AppendInt(b, int64(len(v.Column)), 10), ':')
		b = append(b, v.Column...)
		b = append(strconv.AppendInt(b, int64(len(v.Text)), 10), ':')
		b = append(b, v.Text...)
	}
	return string(b)
}

// PartitionTextsOf sorts the values of a map.
func PartitionTextsOf(m map[string]string) PartitionTexts {
	out := make(PartitionTexts, 0, len(m))
	for k, v := range m {
		out = append(out, PartitionText{k, v})
	}
	out.sort()
	return out
}

func (p PartitionTexts) sort() {
	slices.SortFunc(p, func(a, b PartitionText) int {
		switch {
		case a.Column < b.Column:
			return -1
		case a.Column > b.Column:
			return 1
		}
		return 0
	})
}

// FileKey is the identity of a logical file: an add and a remove with equal keys are about the same one. The path is the raw
// text of the log, but for the spellings of a local file: file:///a, file:/a and /a are one.
type FileKey struct{ Path, DV string }

func keyOf(path string, dv *DeletionVector) FileKey {
	switch {
	case strings.HasPrefix(path, "/"):
		path = plainFile("file:" + path)
	case strings.HasPrefix(path, "file:"):
		path = plainFile(path)
	}
	return FileKey{path, dv.UniqueID()}
}

// Add puts a logical file into the table, or refreshes what is known about one.
type Add struct {
	Path                    string // a URI, as it stands in the log; see DecodePath
	PartitionValues         PartitionTexts
	Size                    int64 // bytes
	ModificationTime        int64 // milliseconds since the epoch
	DataChange              bool
	Stats                   string // JSON; "" when there are none; see ParseStats
	Tags                    map[string]string
	DeletionVector          *DeletionVector
	BaseRowID               *int64
	DefaultRowCommitVersion *int64
	ClusteringProvider      string
}

// Key is the file's identity.
func (a *Add) Key() FileKey { return keyOf(a.Path, a.DeletionVector) }

// Remove takes a logical file out of the table; it stays in the log as a tombstone until VACUUM may have removed the file.
type Remove struct {
	Path                    string
	DeletionTimestamp       *int64 // milliseconds since the epoch
	DataChange              bool
	ExtendedFileMetadata    bool // partition values and size are present
	PartitionValues         PartitionTexts
	Size                    *int64
	Stats                   string
	Tags                    map[string]string
	DeletionVector          *DeletionVector
	BaseRowID               *int64
	DefaultRowCommitVersion *int64
}

// Key is the file's identity.
func (r *Remove) Key() FileKey { return keyOf(r.Path, r.DeletionVector) }

// RemoveOf is the tombstone of a live file: it repeats the path's text and the deletion vector, without which the keys
// would differ and the file live on. at is in milliseconds since the epoch.
func RemoveOf(a *Add, at int64, dataChange bool) *Remove {
	size := a.Size
	return &Remove{
		Path: a.Path, DeletionTimestamp: &at, DataChange: dataChange, ExtendedFileMetadata: true, PartitionValues: a.PartitionValues,
		Size: &size, Stats: a.Stats, Tags: a.Tags, DeletionVector: a.DeletionVector, BaseRowID: a.BaseRowID, DefaultRowCommitVersion: a.DefaultRowCommitVersion,
	}
}

// CDC names a file of changed rows.
type CDC struct {
	Path            string
	PartitionValues PartitionTexts
	Size            int64
	Tags            map[string]string
}

// Txn is the progress of an application that writes exactly once. The newest one of an application replaces the others, even
// when its version is lower.
type Txn struct {
	AppID       string
	Version     int64
	LastUpdated *int64 // milliseconds since the epoch
}

// Domain is configuration of a feature or of a user, by name. Removed makes it a tombstone.
type Domain struct {
	Domain, Configuration string
	Removed               bool
}

// CheckpointMetadata is the mark of a V2 checkpoint.
type CheckpointMetadata struct {
	Version int64
	Tags    map[string]string
}

// Sidecar names a Parquet file of adds and removes that belongs to a V2 checkpoint.
type Sidecar struct {
	Path             string // a URI below _delta_log/_sidecars
	SizeInBytes      int64
	ModificationTime int64 // milliseconds since the epoch
	Tags             map[string]string
}

// CommitInfo tells who committed what. Every field is optional, and members that are none of these are ignored.
type CommitInfo struct {
	Timestamp         int64  // milliseconds since the epoch; 0 when absent
	InCommitTimestamp *int64 // milliseconds since the epoch
	Operation         string
	// OperationParameters are JSON texts by name, in the order of the log.
	OperationParameters []Parameter
	OperationMetrics    map[string]string
	ReadVersion         *int64
	IsolationLevel      string
	IsBlindAppend       *bool
	EngineInfo          string
	TxnID               string
	UserID              string
	UserName            string
	UserMetadata        *string
	ClusterID           string
	Tags                map[string]string
}

// Parameter is a parameter of an operation: JSON is the text of any JSON value.
type Parameter struct{ Name, JSON string }

// DeletionVector describes where the deleted rows of a file are noted.
type DeletionVector struct {
	StorageType  string // u: a file below the table root by UUID; p: an absolute path; i: inline
	PathOrInline string
	Offset       *int32 // of the size field in the file; absent is 0 for files
	SizeInBytes  int32
	Cardinality  int64
	MaxRowIndex  *int64
}

// UniqueID tells the deletion vectors of one file apart; "" is none.
func (d *DeletionVector) UniqueID() string {
	if d == nil {
		return ""
	}
	id := d.StorageType + d.PathOrInline
	if d.Offset != nil {
		id += "@" + itoa(int64(*d.Offset))
	}
	return id
}
