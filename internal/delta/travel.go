package delta

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/types"
)

// At says which version of a table is meant. The zero At is the latest.
//
// A version that the log cannot make any more, or never had, is DELTA_VERSION_NOT_FOUND. A time is that of the last commit at
// or before it: DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION before the first commit that is left, and
// DELTA_TIMESTAMP_GREATER_THAN_COMMIT after the last, as in Delta.
type At struct {
	kind  atKind
	value int64
}

type atKind uint8

const (
	atLatest atKind = iota
	atVersion
	atTime
)

// AtVersion is a version by its number.
func AtVersion(v int64) At { return At{atVersion, v} }

// AtTime is the version of a moment, in microseconds since the epoch.
func AtTime(micros int64) At { return At{atTime, micros} }

func (a At) isLatest() bool { return a.kind == atLatest }

// Properties of tables whose commits carry their own time.
const (
	timestampsEnabled   = "delta.enableInCommitTimestamps"
	timestampsSince     = "delta.inCommitTimestampEnablementVersion"
	timestampsSinceTime = "delta.inCommitTimestampEnablementTimestamp"
)

// timestamped reports whether commits carry their own time.
func timestamped(m *protocol.Metadata) bool {
	return strings.EqualFold(m.Configuration[timestampsEnabled], "true")
}

// resolve finds the version that is meant.
func (l *Log) resolve(ctx context.Context, all *listing, at At) (int64, error) {
	earliest, latest, _ := protocol.Versions(all.files)
	if at.kind == atVersion {
		if at.value < earliest || at.value > latest {
			return 0, sqlerr.DeltaVersionNotFound(at.value, earliest, latest)
		}
		return at.value, nil
	}
	times, err := l.times(ctx, all)
	if err != nil {
		return 0, err
	}
	times = slices.DeleteFunc(times, func(c commitTime) bool { return c.version < earliest })
	if len(times) == 0 {
		return 0, sqlerr.DeltaLogNotFound(l.root.Join(protocol.LogDir).String(), latest, -1)
	}
	millis := types.FloorDiv(at.value, 1000)
	i := sort.Search(len(times), func(i int) bool { return times[i].at > millis })
	text := func(ms int64) string { return types.FormatTimestampNTZ(ms * 1000) }
	switch {
	case i == 0:
		return 0, sqlerr.DeltaTimestampTooEarly(text(millis), text(times[0].at))
	case i == len(times) && millis > times[i-1].at:
		return 0, sqlerr.DeltaTimestampTooLate(text(millis), text(times[i-1].at))
	}
	return times[i-1].version, nil
}

// commitTime is when a version was committed, in milliseconds since the epoch.
type commitTime struct{ version, at int64 }

// times are those of all commits that are left, oldest first. Without in-commit timestamps they are the times of the files, moved
// so that each comes after the one before, as Delta does.
func (l *Log) times(ctx context.Context, all *listing) ([]commitTime, error) {
	out := make([]commitTime, 0, len(all.commits))
	for v, e := range all.commits {
		out = append(out, commitTime{v, e.Modified})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].version < out[j].version })
	own, err := l.ownTimesFrom(ctx, out)
	if err != nil {
		return nil, err
	}
	for i := 1; i < own; i++ {
		if out[i].at <= out[i-1].at {
			out[i].at = out[i-1].at + 1
		}
	}
	for i := own; i < len(out); i++ {
		info, err := l.commitInfo(ctx, out[i].version)
		if err != nil {
			return nil, err
		}
		if info != nil && info.InCommitTimestamp != nil {
			out[i].at = *info.InCommitTimestamp
		}
	}
	return out, nil
}

// ownTimesFrom is the index of the first commit that carries its own time.
func (l *Log) ownTimesFrom(ctx context.Context, commits []commitTime) (int, error) {
	now, err := l.latest(ctx)
	if err != nil {
		return 0, err
	}
	if !timestamped(now.Metadata) {
		return len(commits), nil
	}
	since, err := strconv.ParseInt(now.Metadata.Configuration[timestampsSince], 10, 64)
	if err != nil {
		return 0, nil // the table had them from its beginning
	}
	return sort.Search(len(commits), func(i int) bool { return commits[i].version >= since }), nil
}

// commitInfo is what a commit says of itself, nil when it says nothing.
func (l *Log) commitInfo(ctx context.Context, version int64) (*protocol.CommitInfo, error) {
	name := protocol.CommitName(version)
	data, _, err := l.bucket.ReadAll(ctx, l.dir+name)
	if err != nil {
		return nil, failure(err)
	}
	var info *protocol.CommitInfo
	err = protocol.EachAction(l.where(name), data, func(a protocol.Action) error {
		if a.CommitInfo != nil {
			info = a.CommitInfo
			return errFound
		}
		return nil
	})
	if err == errFound { //nolint:errorlint // it is handed back as it is
		err = nil
	}
	return info, err
}
