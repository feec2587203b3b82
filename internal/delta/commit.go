package delta

import (
	"bytes"
	"context"
	"fmt"
	"time"

	protocol "github.com/tarnlake/tarn/internal/format/delta"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// maxAttempts bounds how often a commit is tried as the next version after losing one to others.
const maxAttempts = 10_000

// Change is a commit to be made, and what it rests on.
type Change struct {
	// Base is the snapshot that was read; nil makes the table.
	Base *Snapshot
	protocol.Commit
	Reads protocol.Reads
	// Once refuses to be tried again when another writer takes the version: the change replaces what the table is.
	Once bool
}

// Committed is a version that was made.
type Committed struct {
	*Snapshot
	// Left is what went wrong after the commit, in checkpoints and the like: the version is there all the same.
	Left error
}

// Commit makes a change the next version. A version is a file that is created if it is absent, so that one writer gets it;
// a writer that loses checks what the winner did, and tries the version after that unless the two cannot live together.
// The commit's Info.TxnID must be set and unique: by it a writer knows its own commit again when a store says that a
// creation failed which has succeeded.
//
// Errors are those of protocol.Conflict and protocol.CheckWrite, DELTA_PROTOCOL_CHANGED for a table that was made by another
// writer meanwhile, and failures of the store.
func (l *Log) Commit(ctx context.Context, c *Change) (*Committed, error) {
	var base *protocol.State
	if c.Base != nil {
		base = c.Base.State
	}
	read := base
	for range maxAttempts {
		next := int64(0)
		if base != nil {
			next = base.Version + 1
		}
		actions, data, err := c.Encode(base, l.logs.Now().UnixMilli())
		if err != nil {
			return nil, err
		}
		l.logs.point("delta-commit")
		won, err := l.create(ctx, next, data, c.Info.TxnID)
		if err != nil {
			return nil, err
		}
		if won {
			l.logs.point("delta-committed")
			return l.committed(ctx, c, base, next, actions)
		}
		if base == nil || c.Once {
			return nil, sqlerr.DeltaProtocolChanged(l.name(), next, "another write")
		}
		theirs, err := l.actions(ctx, protocol.CommitName(next))
		if err != nil {
			return nil, err
		}
		w := protocol.Winner{Version: next, Actions: theirs}
		if err := protocol.Conflict(l.name(), read, &c.Commit, c.Reads, protocol.IsolationOf(read.Metadata, &c.Commit), w); err != nil {
			return nil, err
		}
		if base, err = base.Apply(l.name(), next, theirs); err != nil {
			return nil, err
		}
	}
	return nil, sqlerr.DeltaMaxAttempts(l.name(), maxAttempts)
}

// create writes a commit's file if there is none. won is false when another writer has the version.
func (l *Log) create(ctx context.Context, version int64, data []byte, txn string) (won bool, err error) {
	key := l.dir + protocol.CommitName(version)
	_, err = l.bucket.Put(ctx, key, bytes.NewReader(data), storage.Condition{IfAbsent: true})
	if err == nil {
		return true, nil
	}
	// A store may report as a failure what has succeeded: a retry of its own library finds the file of the first try.
	ours, readErr := l.isOurs(context.WithoutCancel(ctx), version, txn)
	switch {
	case readErr == nil:
		return ours, nil
	case absent(readErr):
		return false, failure(err)
	}
	return false, failure(fmt.Errorf("%w; whether version %d was committed could not be found out: %w", err, version, readErr))
}

// isOurs reports whether the commit of a version carries our mark.
func (l *Log) isOurs(ctx context.Context, version int64, txn string) (bool, error) {
	name := protocol.CommitName(version)
	data, _, err := l.bucket.ReadAll(ctx, l.dir+name)
	if err != nil {
		return false, err
	}
	actions, err := protocol.ParseActions(l.where(name), data)
	if err != nil {
		return false, err
	}
	for i := range actions {
		if info := actions[i].CommitInfo; info != nil {
			return txn != "" && info.TxnID == txn, nil
		}
	}
	return false, nil
}

// committed does what follows a commit. The version is there whatever fails here.
func (l *Log) committed(ctx context.Context, c *Change, base *protocol.State, version int64, actions []protocol.Action) (*Committed, error) {
	ctx = context.WithoutCancel(ctx)
	state, err := l.after(base, version, actions)
	if err != nil {
		return nil, err
	}
	out := &Committed{Snapshot: &Snapshot{State: state, Log: l}}
	if c.Base != nil {
		out.witness = c.Base.witness
	}
	if state.InCommitTimestamp != nil && timestamped(state.Metadata) {
		out.Modified = *state.InCommitTimestamp
	} else if o, err := l.bucket.Stat(ctx, l.dir+protocol.CommitName(version)); err == nil {
		out.Modified = o.ModTime.UnixMilli()
	}
	_, err = l.bucket.Put(ctx, l.dir+protocol.ChecksumName(version), bytes.NewReader(protocol.ChecksumOf(state, c.Info.TxnID).JSON()), storage.Condition{IfAbsent: true})
	if err != nil && storage.KindOf(err) != storage.AlreadyExists {
		out.Left = failure(err)
	}
	if n := checkpointInterval(state.Metadata); version > 0 && version%n == 0 {
		if err := out.Checkpoint(ctx); err != nil {
			out.Left = err
		} else if err := out.cleanUp(ctx); err != nil {
			out.Left = err
		}
	}
	return out, nil
}

// after is the state that a commit makes.
func (l *Log) after(base *protocol.State, version int64, actions []protocol.Action) (*protocol.State, error) {
	if base != nil {
		return base.Apply(l.name(), version, actions)
	}
	r := protocol.NewReplay(version)
	r.Expect(len(actions))
	if err := r.Commit(protocol.CommitName(version), actions); err != nil {
		return nil, err
	}
	return r.State(l.name())
}

// day is a length of time that properties are given in.
const day = 24 * time.Hour

// The properties that say how long what a table no longer needs is kept.
const (
	PropertyLogRetention  = "delta.logRetentionDuration"
	PropertyFileRetention = "delta.deletedFileRetentionDuration"
)

// LogRetention is how long commits stay in the log, by delta.logRetentionDuration.
func LogRetention(m *protocol.Metadata) time.Duration {
	return interval(m, PropertyLogRetention, 30*day)
}

// FileRetention is how long removed files are kept, by delta.deletedFileRetentionDuration.
func FileRetention(m *protocol.Metadata) time.Duration {
	return interval(m, PropertyFileRetention, 7*day)
}
