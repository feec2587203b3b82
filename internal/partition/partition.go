// Package partition knows everything about Hive-style partitions that can be known without touching a disk: how a value
// becomes a directory's name and back (codec, value, layout), which types names suggest (infer), what a PARTITION clause
// means (spec), all partitions of a table as codes (set), which of them a predicate can exclude (prune), what must change in the
// log when the directories have changed (diff), what commits recorded of the files (content, fileset), and how all this is stored
// (segment, fileset; the bytes are described in docs/format/partition-segment.md and docs/format/fileset.md).
//
//	value       spec text     directory                      read back
//	NULL        dt=NULL       dt=__HIVE_DEFAULT_PARTITION__  NULL
//	''          refused       dt=__HIVE_DEFAULT_PARTITION__  NULL: storage cannot tell the two
//	'a/b'       dt='a/b'      dt=a%2Fb                       'a/b'
//	'a b'       dt='a b'      dt=a b                         'a b': a space is not escaped
//	INT 7       hh=07         hh=7                           7; a directory hh=07 is the same partition
//
// Identity is the typed value; the spelling on storage is kept beside it. A directory's text becomes a value or a reason why not: one
// bad name is one skipped directory, never a table that cannot be read.
//
// The package is pure: it imports types, expr, sqlerr and the standard library, and no context, os or clock.
package partition

import "github.com/tarnlake/tarn/internal/types"

// Column is a partition column: a level of the directory tree.
type Column struct {
	Name string // as declared
	Type types.Type
}

// Values are the values of one partition, one per column, as types.Value says; TIMESTAMP values are held as
// TIMESTAMP_NTZ ones (wall clock), and are read in the session's zone. They have the form that identity compares: see
// Canonical.
type Values []types.Value

// Spelling is one directory name of a level and the value it stands for.
type Spelling struct {
	Dir   string // the directory's own name as on storage, such as "month=01" or "Month=a%2Fb"
	Value types.Value
}

// Found is what discovery saw below a table's location, as columns of codes: leaf r lies in the directory
// Levels[0][Codes[0][r]].Dir + "/" + Levels[1][Codes[1][r]].Dir + ….
type Found struct {
	Columns []Column
	Levels  [][]Spelling // distinct spellings of each level, in any order
	Codes   [][]uint32   // Codes[level][leaf]
	Skipped []Skip
	// RootMissing tells that the root itself does not exist.
	RootMissing bool
}

// Len is the number of leaves.
func (f *Found) Len() int {
	if len(f.Codes) == 0 {
		return 0
	}
	return len(f.Codes[0])
}

// Skip is a directory (or file) that is no partition, and why.
type Skip struct {
	Path   string // relative to the table's location
	Reason Reason
	Detail string
}

// Reason says why an action was taken or a name was skipped. The list is closed; docs/repair.md explains each.
type Reason string

// The reasons.
const (
	NotAPartition  Reason = "NOT_A_PARTITION"
	WrongColumn    Reason = "WRONG_COLUMN"
	EmptyValue     Reason = "EMPTY_VALUE"
	BadValue       Reason = "BAD_VALUE"
	DuplicateValue Reason = "DUPLICATE_VALUE"
	TooDeep        Reason = "TOO_DEEP"
	TooShallow     Reason = "TOO_SHALLOW"
	Claimed        Reason = "CLAIMED"
	LinkLoop       Reason = "LINK_LOOP"
	BadName        Reason = "BAD_NAME"
	Missing        Reason = "MISSING"
	New            Reason = "NEW"
	Listed         Reason = "LISTED"
)
