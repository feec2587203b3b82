package delta

import (
	"context"
	"runtime"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
)

// Tombstones are the files that were removed from the table, at a time or after it, and that it does not hold again, oldest
// first. Only VACUUM and checkpoints need them: they are read from the log each time, its removals alone, and not remembered. The
// errors are those of Logs.Snapshot.
func (s *Snapshot) Tombstones(ctx context.Context, since time.Time) ([]*protocol.Remove, error) {
	_, removes, err := s.withTombstones(ctx, since)
	return removes, err
}

// withTombstones is Tombstones, and the snapshot that they belong to: s, or what the log now says of its version when the table was
// made anew meanwhile. Additions of one table and removals of another would make a checkpoint that is of neither.
func (s *Snapshot) withTombstones(ctx context.Context, since time.Time) (*Snapshot, []*protocol.Remove, error) {
	l := s.Log
	all, err := l.list(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if s.witness.Name != "" && all.commits[protocol.ParseLogName(s.witness.Name).Version] != s.witness {
		if s, err = l.load(ctx, all, s.Version); err != nil {
			return nil, nil, err
		}
	}
	if !s.Removed() {
		return s, nil, nil
	}
	segments, err := protocol.Segments(l.where(""), all.files, s.Version)
	if err != nil {
		return nil, nil, err
	}
	var first error
	for _, segment := range segments {
		t, err := l.tombstones(ctx, segment)
		if err == nil {
			return s, t.Of(s.State, since.UnixMilli()), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, nil, first
}

// tombstones reads the removals in the files of a segment.
func (l *Log) tombstones(ctx context.Context, s protocol.Segment) (*protocol.Tombstones, error) {
	commits := make([][]*protocol.Remove, len(s.Commits))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(commits), func(i int) error {
		name := s.Commits[i].Name
		data, _, err := l.bucket.ReadAll(ctx, l.dir+name)
		if err != nil {
			return failure(err)
		}
		commits[i], err = protocol.ParseRemoves(l.where(name), data)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := &protocol.Tombstones{}
	for i := len(commits) - 1; i >= 0; i-- {
		t.Commit(commits[i])
	}
	parts, err := l.checkpoint(ctx, s.CheckpointFiles, protocol.RemovedFiles)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		t.Checkpoint(p)
	}
	return t, nil
}
