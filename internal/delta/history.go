package delta

import (
	"context"
	"errors"
	"runtime"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
)

// errFound ends a walk over the actions of a commit.
var errFound = errors.New("found")

// Commit is one row of a table's history.
type Commit struct {
	Version int64
	// At is when it was committed, in milliseconds since the epoch.
	At int64
	// Info is what the commit says of itself; nil when it says nothing.
	Info *protocol.CommitInfo
}

// History are the commits that are left in the log, newest first; a limit above 0 bounds their number.
func (l *Log) History(ctx context.Context, limit int) ([]Commit, error) {
	all, err := l.list(ctx, 0)
	if err != nil {
		return nil, err
	}
	if err := l.there(all); err != nil {
		return nil, err
	}
	times, err := l.times(ctx, all)
	if err != nil {
		return nil, err
	}
	if limit > 0 && len(times) > limit {
		times = times[len(times)-limit:]
	}
	out := make([]Commit, len(times))
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(times), func(i int) error {
		t := times[len(times)-1-i]
		info, err := l.commitInfo(ctx, t.version)
		out[i] = Commit{Version: t.version, At: t.at, Info: info}
		return err
	})
	return out, err
}

// Created is when the table's first version was committed that its metadata knows, in milliseconds since the epoch; 0 when
// it does not say.
func (s *Snapshot) Created() int64 {
	if s.Metadata.CreatedTime == nil {
		return 0
	}
	return *s.Metadata.CreatedTime
}

// ChangedSince reports whether rows or columns have changed since an earlier version: not by commits that only set properties, or
// rewrote files without changing rows. A commit that is gone from the log may have done anything, and so may have one of a version that
// is newer than this one: the table was made anew then.
func (s *Snapshot) ChangedSince(ctx context.Context, version int64) (bool, error) {
	if version > s.Version {
		return true, nil
	}
	for v := version + 1; v <= s.Version; v++ {
		name := protocol.CommitName(v)
		data, _, err := s.Log.bucket.ReadAll(ctx, s.Log.dir+name)
		if absent(err) {
			return true, nil
		} else if err != nil {
			return false, failure(err)
		}
		actions, err := protocol.ParseActions(s.Log.where(name), data)
		if err != nil {
			return false, err
		}
		if changesTable(actions) {
			return true, nil
		}
	}
	return false, nil
}

func changesTable(actions []protocol.Action) bool {
	described, onlyProperties := false, false
	for _, a := range actions {
		switch {
		case a.Add != nil && a.Add.DataChange, a.Remove != nil && a.Remove.DataChange:
			return true
		case a.Metadata != nil:
			described = true
		case a.CommitInfo != nil:
			onlyProperties = a.CommitInfo.Operation == "SET TBLPROPERTIES" || a.CommitInfo.Operation == "UNSET TBLPROPERTIES"
		}
	}
	return described && !onlyProperties
}
