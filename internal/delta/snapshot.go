package delta

import (
	"context"
	"errors"
	"runtime"
	"strings"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Snapshot is a table at one version. It is immutable.
type Snapshot struct {
	*protocol.State
	Log *Log
	// Modified is when the version was committed, in milliseconds since the epoch: its in-commit timestamp when it has one, else
	// the time of its file; 0 when its commit is gone.
	Modified int64
	// commit is the version's own file; its name is "" when it is gone.
	commit entry
	// witness is the commit, of this version or of one before it, by which a later listing is known to be of the same table; its name
	// is "" when there is none.
	witness entry
}

// Snapshot reads the table at a version. Failures are *sqlerr.Error: DELTA_PATH_DOES_NOT_EXIST when there is no Delta table,
// what protocol.Segments and protocol.Replay say of a log with files missing or damaged or that demands what Tarn lacks, and
// those of time travel (see At).
func (l *Log) Snapshot(ctx context.Context, at At) (*Snapshot, error) {
	if at.isLatest() {
		return l.latest(ctx)
	}
	all, err := l.list(ctx, 0)
	if err != nil {
		return nil, err
	}
	if err := l.there(all); err != nil {
		return nil, err
	}
	version, err := l.resolve(ctx, all, at)
	if err != nil {
		return nil, err
	}
	if s := l.logs.cache.get(l.root.String(), version); s != nil && s.commit == all.commits[version] && s.commit.Name != "" {
		return s, nil
	}
	return l.load(ctx, all, version)
}

// there reports a location without a Delta table.
func (l *Log) there(all *listing) error {
	if _, _, ok := protocol.Versions(all.files); !ok {
		return sqlerr.DeltaPathNotFound(l.name())
	}
	return nil
}

// latest is the newest version: what is remembered, brought up to date, or read anew.
func (l *Log) latest(ctx context.Context) (*Snapshot, error) {
	if old := l.logs.cache.newest(l.root.String()); old != nil {
		s, err := l.advance(ctx, old)
		if s != nil || err != nil {
			return s, err
		}
	}
	from, err := l.hint(ctx)
	if err != nil {
		return nil, err
	}
	part, err := l.list(ctx, from)
	if err != nil {
		return nil, err
	}
	if from > 0 {
		s, err := l.load(ctx, part, protocol.Latest)
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		// The hint names a checkpoint that is gone or damaged: what lies before it may do.
		if part, err = l.list(ctx, 0); err != nil {
			return nil, err
		}
	}
	if err := l.there(part); err != nil {
		return nil, err
	}
	return l.load(ctx, part, protocol.Latest)
}

// maxSteps is how many commits are applied one by one to a snapshot that is remembered; with more of them, starting from a
// checkpoint is faster.
const maxSteps = 500

// advance brings a snapshot up to date by the commits after it. It gives none when that cannot be done: the table was made
// anew meanwhile, or commits in between were cleaned away.
func (l *Log) advance(ctx context.Context, old *Snapshot) (*Snapshot, error) {
	now, err := l.list(ctx, old.Version)
	if err != nil {
		return nil, err
	}
	if old.commit.Name == "" || now.commits[old.Version] != old.commit {
		return nil, nil
	}
	_, newest, ok := protocol.Versions(now.files)
	if !ok || newest-old.Version > maxSteps {
		return nil, nil
	}
	if newest <= old.Version {
		return old, nil
	}
	actions := make([][]protocol.Action, newest-old.Version)
	for v := old.Version + 1; v <= newest; v++ {
		if _, ok := now.commits[v]; !ok {
			return nil, nil
		}
	}
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(actions), func(i int) (err error) {
		actions[i], err = l.actions(ctx, now.commits[old.Version+1+int64(i)].Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	state := old.State
	for i, a := range actions {
		if state, err = state.Apply(l.name(), old.Version+1+int64(i), a); err != nil {
			return nil, err
		}
	}
	return l.keep(ctx, state, now)
}

// keep makes a snapshot of a state and remembers it.
func (l *Log) keep(ctx context.Context, state *protocol.State, all *listing) (*Snapshot, error) {
	s := &Snapshot{State: state, Log: l, commit: all.commits[state.Version], Modified: all.commits[state.Version].Modified}
	if timestamped(state.Metadata) {
		own := state.InCommitTimestamp
		if own == nil && s.commit.Name != "" { // made from a checkpoint of this very version
			info, err := l.commitInfo(ctx, state.Version)
			if err != nil {
				return nil, err
			}
			if info != nil && info.InCommitTimestamp != nil {
				own = info.InCommitTimestamp
				s.State = state.WithInCommitTimestamp(*own) // the next commit comes after it, whatever the clock says
			}
		}
		if own != nil {
			s.Modified = *own
		}
	}
	s.witness = s.commit
	l.logs.cache.put(s)
	return s, nil
}

// load makes a version from the files of a listing. A checkpoint that is damaged or gone is survived by an older one, or by a
// replay from the beginning; what was read and cannot be is refused, wherever it begins.
func (l *Log) load(ctx context.Context, all *listing, version int64) (*Snapshot, error) {
	segments, err := protocol.Segments(l.root.Join(protocol.LogDir).String(), all.files, version)
	if err != nil {
		return nil, err
	}
	var first error
	for _, s := range segments {
		state, err := l.replay(ctx, s)
		if err == nil {
			return l.keep(ctx, state, all)
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || !damaged(err) {
			break
		}
	}
	return nil, first
}

// damaged reports whether an error is about a file that cannot be read or is gone.
func damaged(err error) bool {
	for _, c := range []sqlerr.Condition{"DELTA_CHECKPOINT_MALFORMED", "DELTA_LOG_FILE_MALFORMED", "DELTA_FILE_NOT_FOUND"} {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}

// replay reads the files of a segment and reconciles them.
func (l *Log) replay(ctx context.Context, s protocol.Segment) (*protocol.State, error) {
	r := protocol.NewReplay(s.Version)
	commits := make([][]protocol.Action, len(s.Commits))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(commits), func(i int) (err error) {
		commits[i], err = l.actions(ctx, s.Commits[i].Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	expected := 0
	for _, actions := range commits {
		expected += len(actions)
	}
	r.Expect(expected)
	for i := len(commits) - 1; i >= 0; i-- {
		if err := r.Commit(s.Commits[i].Name, commits[i]); err != nil {
			return nil, err
		}
		commits[i] = nil
	}
	parts, err := l.checkpoint(ctx, s.CheckpointFiles, protocol.PackedFiles)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		r.Checkpoint(p)
	}
	state, err := r.State(l.name())
	if err != nil {
		return nil, err
	}
	return state, protocol.CheckTypeChanges(state.Schema)
}

// actions reads a commit, or a compacted file.
func (l *Log) actions(ctx context.Context, name string) ([]protocol.Action, error) {
	data, _, err := l.bucket.ReadAll(ctx, l.dir+name)
	if err != nil {
		return nil, failure(err)
	}
	return protocol.ParseActions(l.where(name), data)
}

// where is the location of a file of the log, for errors.
func (l *Log) where(name string) string { return l.root.Join(protocol.LogDir).Join(name).String() }

// checkpoint reads the files of a checkpoint and the sidecars that they name.
func (l *Log) checkpoint(ctx context.Context, files []protocol.LogFile, want protocol.Files) ([]*protocol.Checkpoint, error) {
	parts := make([]*protocol.Checkpoint, len(files))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(files), func(i int) (err error) {
		parts[i], err = l.checkpointFile(ctx, l.bucket, l.dir+files[i].Name, want)
		return err
	})
	if err != nil {
		return nil, err
	}
	var sidecars []*protocol.Sidecar
	for _, p := range parts {
		sidecars = append(sidecars, p.Sidecars...)
	}
	more := make([]*protocol.Checkpoint, len(sidecars))
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(sidecars), func(i int) error {
		bucket, key := l.bucket, l.dir+protocol.SidecarDir+"/"+protocol.DecodePath(sidecars[i].Path)
		if protocol.IsAbsolutePath(sidecars[i].Path) {
			loc, err := storage.ParseLocation(protocol.ResolvePath(l.root.String(), sidecars[i].Path), "")
			if err != nil {
				return failure(err)
			}
			if bucket, _, err = l.logs.stores.Open(loc); err != nil {
				return failure(err)
			}
			key = loc.Key()
		}
		var err error
		more[i], err = l.checkpointFile(ctx, bucket, key, want)
		return err
	})
	return append(parts, more...), err
}

func (l *Log) checkpointFile(ctx context.Context, bucket *storage.Bucket, key string, want protocol.Files) (*protocol.Checkpoint, error) {
	where := bucket.Location(key).String()
	if strings.HasSuffix(key, ".json") {
		data, _, err := bucket.ReadAll(ctx, key)
		if err != nil {
			return nil, failure(err)
		}
		return protocol.ParseCheckpointJSON(where, data, want)
	}
	at, err := bucket.OpenAt(ctx, key)
	if err != nil {
		return nil, failure(err)
	}
	c, err := protocol.ReadCheckpoint(where, at, at.Size(), want)
	if closeErr := at.Close(); err == nil && closeErr != nil {
		return nil, failure(closeErr)
	}
	return c, err
}

// Resolve is the location of a file that the log names.
func (s *Snapshot) Resolve(path string) (storage.Location, error) {
	loc, err := storage.ParseLocation(protocol.ResolvePath(s.Log.root.String(), path), "")
	return loc, failure(err)
}
