package delta

import (
	"strings"
)

// LogDir is the directory of the log below the table's root, and SidecarDir that of the sidecars below the log.
const (
	LogDir           = "_delta_log"
	SidecarDir       = "_sidecars"
	LastCheckpoint   = "_last_checkpoint"
	ChangeDataDir    = "_change_data"
	StagedCommitsDir = "_staged_commits"
)

// LogKind is what a file of the log is.
type LogKind uint8

// The kinds of log files.
const (
	UnknownLogFile        LogKind = iota // to be ignored
	CommitFile                           // <v>.json
	ClassicCheckpoint                    // <v>.checkpoint.parquet
	MultiPartCheckpoint                  // <v>.checkpoint.<o>.<p>.parquet
	UUIDCheckpointParquet                // <v>.checkpoint.<uuid>.parquet
	UUIDCheckpointJSON                   // <v>.checkpoint.<uuid>.json
	CompactedFile                        // <x>.<y>.compacted.json
	ChecksumFile                         // <v>.crc
)

// LogName is the name of a file in the log, taken apart.
type LogName struct {
	Kind    LogKind
	Version int64
	// Last is the last version of a compacted file.
	Last int64
	// Part of Parts, counted from 1, in a multi-part checkpoint.
	Part, Parts int
	// UUID of a V2 checkpoint.
	UUID string
}

// IsCheckpoint reports whether the file is a checkpoint or a part of one.
func (n LogName) IsCheckpoint() bool {
	return n.Kind >= ClassicCheckpoint && n.Kind <= UUIDCheckpointJSON
}

// ParseLogName takes apart the name of a file directly below _delta_log. Names that the protocol does not have are of kind
// UnknownLogFile.
func ParseLogName(name string) LogName {
	version, rest, ok := cutNumber(name, versionDigits)
	if !ok {
		return LogName{}
	}
	switch {
	case rest == ".json":
		return LogName{Kind: CommitFile, Version: version}
	case rest == ".crc":
		return LogName{Kind: ChecksumFile, Version: version}
	case rest == ".checkpoint.parquet":
		return LogName{Kind: ClassicCheckpoint, Version: version}
	}
	if after, ok := strings.CutPrefix(rest, ".checkpoint."); ok {
		return parseCheckpointName(version, after)
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		if last, end, ok := cutNumber(after, versionDigits); ok && end == ".compacted.json" && last > version {
			return LogName{Kind: CompactedFile, Version: version, Last: last}
		}
	}
	return LogName{}
}

// parseCheckpointName reads what stands after "<v>.checkpoint.".
func parseCheckpointName(version int64, rest string) LogName {
	if part, after, ok := cutNumber(rest, partDigits); ok && strings.HasPrefix(after, ".") {
		if parts, end, ok := cutNumber(after[1:], partDigits); ok && end == ".parquet" {
			if part < 1 || part > parts || parts > 1<<31-1 {
				return LogName{}
			}
			return LogName{Kind: MultiPartCheckpoint, Version: version, Part: int(part), Parts: int(parts)}
		}
	}
	if id, ok := strings.CutSuffix(rest, ".parquet"); ok && isUUID(id) {
		return LogName{Kind: UUIDCheckpointParquet, Version: version, UUID: id}
	}
	if id, ok := strings.CutSuffix(rest, ".json"); ok && isUUID(id) {
		return LogName{Kind: UUIDCheckpointJSON, Version: version, UUID: id}
	}
	return LogName{}
}

// Digits of the numbers in names.
const (
	versionDigits = 20
	partDigits    = 10
)

// cutNumber takes a number of exactly so many digits from the front.
func cutNumber(s string, digits int) (n int64, rest string, ok bool) {
	if len(s) < digits {
		return 0, "", false
	}
	for i := range digits {
		c := s[i]
		if c < '0' || c > '9' || n > (1<<63-1-int64(c-'0'))/10 {
			return 0, "", false
		}
		n = n*10 + int64(c-'0')
	}
	return n, s[digits:], true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F'):
			return false
		}
	}
	return true
}

func padded(n int64, digits int) string {
	s := itoa(n)
	if len(s) >= digits {
		return s
	}
	return strings.Repeat("0", digits-len(s)) + s
}

// VersionPrefix is what the names of all files of a version begin with. A listing that starts there finds it and all later ones.
func VersionPrefix(version int64) string { return padded(version, versionDigits) }

// CommitName is the name of a commit.
func CommitName(version int64) string { return VersionPrefix(version) + ".json" }

// ChecksumName is the name of a version's checksum.
func ChecksumName(version int64) string { return VersionPrefix(version) + ".crc" }

// ClassicCheckpointName is the name of a checkpoint in one file that every reader knows.
func ClassicCheckpointName(version int64) string {
	return VersionPrefix(version) + ".checkpoint.parquet"
}

// UUIDCheckpointName is the name of a V2 checkpoint in Parquet.
func UUIDCheckpointName(version int64, uuid string) string {
	return VersionPrefix(version) + ".checkpoint." + uuid + ".parquet"
}

// MultiPartCheckpointName is the name of one part of a checkpoint.
func MultiPartCheckpointName(version int64, part, parts int) string {
	return VersionPrefix(version) + ".checkpoint." + padded(int64(part), partDigits) + "." + padded(int64(parts), partDigits) + ".parquet"
}

// CompactedName is the name of a compaction of versions first to last.
func CompactedName(first, last int64) string {
	return VersionPrefix(first) + "." + VersionPrefix(last) + ".compacted.json"
}

// String is the file's name.
func (n LogName) String() string {
	switch n.Kind {
	case CommitFile:
		return CommitName(n.Version)
	case ClassicCheckpoint:
		return ClassicCheckpointName(n.Version)
	case MultiPartCheckpoint:
		return MultiPartCheckpointName(n.Version, n.Part, n.Parts)
	case UUIDCheckpointParquet:
		return UUIDCheckpointName(n.Version, n.UUID)
	case UUIDCheckpointJSON:
		return VersionPrefix(n.Version) + ".checkpoint." + n.UUID + ".json"
	case CompactedFile:
		return CompactedName(n.Version, n.Last)
	case ChecksumFile:
		return ChecksumName(n.Version)
	}
	return ""
}
