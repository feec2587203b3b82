// Package partition knows everything about Hive-style partitions that can be known without touching a disk.
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
