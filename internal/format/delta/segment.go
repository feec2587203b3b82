package delta

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// LogFile is one entry of a listing of the log.
type LogFile struct {
	Name     string // without the directory
	Size     int64  // bytes
	Modified int64  // milliseconds since the epoch
}

// Segment is the files of which one version is made: a checkpoint, or none, and what came after it.
type Segment struct {
	Version int64
	// Checkpoint is the version of the checkpoint; -1 when the log is replayed from its beginning.
	Checkpoint int64
	// CheckpointFiles is one file, or the parts in order. Sidecars are named inside of it.
	CheckpointFiles []LogFile
	// Commits are the files after the checkpoint, oldest first. A compacted file may stand for several commits.
	Commits []LogFile
	// Checksum is the version's checksum file; its name is "" when there is none.
	Checksum LogFile
}

// Latest asks Segments for the newest version.
const Latest = int64(-1)

// Segments finds the files that make up a version in a listing of _delta_log, whose order does not matter and whose
// unknown names are ignored. The first segment starts at the newest complete checkpoint that is not above the version;
// the others are what to try when one of its files turns out to be damaged, the last one a replay from the beginning when its
// commits are there. log is the log's location, for errors: DELTA_VERSIONS_NOT_CONTIGUOUS for a gap,
// DELTA_TRUNCATED_TRANSACTION_LOG when the commits that are left do not reach back far enough, DELTA_VERSION_NOT_FOUND
// for a version that was never there, DELTA_LOG_FILE_NOT_FOUND for an empty log.
func Segments(log string, files []LogFile, version int64) ([]Segment, error) {
	l := sortLog(files)
	if l.latest < 0 {
		return nil, sqlerr.DeltaLogNotFound(log, max(version, 0), -1)
	}
	if version < 0 {
		version = l.latest
	}
	if version > l.latest {
		return nil, sqlerr.DeltaVersionNotFound(version, l.earliest(), l.latest)
	}
	var out []Segment
	var fault error
	for _, c := range l.checkpoints {
		if c.version > version {
			continue
		}
		s := Segment{Version: version, Checkpoint: c.version, CheckpointFiles: c.files, Checksum: l.checksums[version]}
		if out, fault = l.add(out, s); fault != nil {
			// An older checkpoint does not help: the gap is above this one.
			break
		}
	}
	if fault == nil {
		var err error
		if out, err = l.add(out, Segment{Version: version, Checkpoint: -1, Checksum: l.checksums[version]}); err != nil && len(out) == 0 {
			fault = err
			if _, ok := l.commits[0]; !ok {
				if version < l.earliest() {
					fault = sqlerr.DeltaVersionNotFound(version, l.earliest(), l.latest)
				} else {
					fault = sqlerr.DeltaTruncated(log, version)
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fault
	}
	return out, nil
}

// add appends a segment with its commits; and once more without compacted files, for the case that one of those is damaged.
func (l *sortedLog) add(out []Segment, s Segment) ([]Segment, error) {
	commits, err := l.commitsFrom(s.Checkpoint+1, s.Version, true)
	if err != nil {
		return out, err
	}
	s.Commits = commits
	out = append(out, s)
	if int64(len(commits)) < s.Version-s.Checkpoint {
		if commits, err = l.commitsFrom(s.Checkpoint+1, s.Version, false); err == nil {
			s.Commits = commits
			out = append(out, s)
		}
	}
	return out, nil
}

// sortedLog is a listing by kind.
type sortedLog struct {
	commits     map[int64]LogFile
	checksums   map[int64]LogFile
	compacted   map[int64][]compacted // by first version, longest first
	checkpoints []checkpointFiles     // complete ones, in the order in which to try them
	latest      int64                 // -1 when there is neither commit nor checkpoint
}

type compacted struct {
	last int64
	file LogFile
}

type checkpointFiles struct {
	version int64
	kind    LogKind
	files   []LogFile
}

func sortLog(files []LogFile) *sortedLog {
	l := &sortedLog{commits: map[int64]LogFile{}, checksums: map[int64]LogFile{}, compacted: map[int64][]compacted{}, latest: -1}
	type set struct {
		version int64
		parts   int
	}
	parts := map[set]map[int]LogFile{}
	for _, f := range files {
		n := ParseLogName(f.Name)
		switch n.Kind {
		case CommitFile:
			l.commits[n.Version] = f
			l.latest = max(l.latest, n.Version)
		case ChecksumFile:
			l.checksums[n.Version] = f
		case CompactedFile:
			l.compacted[n.Version] = append(l.compacted[n.Version], compacted{n.Last, f})
		case ClassicCheckpoint, UUIDCheckpointParquet, UUIDCheckpointJSON:
			l.checkpoints = append(l.checkpoints, checkpointFiles{n.Version, n.Kind, []LogFile{f}})
		case MultiPartCheckpoint:
			key := set{n.Version, n.Parts}
			if parts[key] == nil {
				parts[key] = map[int]LogFile{}
			}
			parts[key][n.Part] = f
		}
	}
	for key, have := range parts {
		// The names allow parts 1 to n only, so that n different ones are all of them.
		if len(have) != key.parts {
			continue
		}
		c := checkpointFiles{version: key.version, kind: MultiPartCheckpoint}
		for i := 1; i <= key.parts; i++ {
			c.files = append(c.files, have[i])
		}
		l.checkpoints = append(l.checkpoints, c)
	}
	// Newest first; of one version the single files before the parts, and then by name, so that every reader takes the same.
	slices.SortFunc(l.checkpoints, func(a, b checkpointFiles) int {
		return cmp.Or(-cmp.Compare(a.version, b.version), cmp.Compare(rank(a.kind), rank(b.kind)), cmp.Compare(len(a.files), len(b.files)), -cmp.Compare(a.files[0].Name, b.files[0].Name))
	})
	if len(l.checkpoints) > 0 {
		l.latest = max(l.latest, l.checkpoints[0].version)
	}
	for _, c := range l.compacted {
		slices.SortFunc(c, func(a, b compacted) int { return -cmp.Compare(a.last, b.last) })
	}
	return l
}

// rank orders checkpoints of one version by how many readers know their kind.
func rank(k LogKind) int {
	switch k {
	case ClassicCheckpoint:
		return 0
	case UUIDCheckpointParquet:
		return 1
	case UUIDCheckpointJSON:
		return 2
	}
	return 3
}

// earliest is the first version that can be made: that of commit 0, or of the oldest checkpoint.
func (l *sortedLog) earliest() int64 {
	if _, ok := l.commits[0]; ok {
		return 0
	}
	if n := len(l.checkpoints); n > 0 {
		return l.checkpoints[n-1].version
	}
	return slices.Min(slices.Collect(maps.Keys(l.commits)))
}

// commitsFrom collects the commits of a range, compacted files in their place where they fit when short is set.
func (l *sortedLog) commitsFrom(first, last int64, short bool) ([]LogFile, error) {
	var out []LogFile
	for v := first; v <= last; {
		next := v
		for _, c := range l.compacted[v] {
			if short && c.last <= last {
				out = append(out, c.file)
				next = c.last + 1
				break
			}
		}
		if next == v {
			f, ok := l.commits[v]
			if !ok {
				return nil, l.gap(v, last)
			}
			out = append(out, f)
			next++
		}
		v = next
	}
	return out, nil
}

// gap names the versions around a missing one.
func (l *sortedLog) gap(missing, wanted int64) error {
	after := int64(-1)
	for v := range l.commits {
		if v > missing && (after < 0 || v < after) {
			after = v
		}
	}
	if after < 0 {
		after = wanted
	}
	return sqlerr.DeltaGap(missing-1, after, wanted)
}

// Versions are the versions that a listing can make, the earliest and the latest; ok is false for an empty log. A gap
// between them is not looked for.
func Versions(files []LogFile) (earliest, latest int64, ok bool) {
	l := sortLog(files)
	if l.latest < 0 {
		return 0, 0, false
	}
	return l.earliest(), l.latest, true
}
