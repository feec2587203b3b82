package write

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Job is one write on its way. It is used by one goroutine; Commit or Abort ends it.
type Job struct {
	w      *Writer
	target Target
	scope  Scope
	txn    *catalog.Txn
	plan   *plan
	bucket *storage.Bucket
	stage  storage.Location
	ended  bool
	// create, when set, makes or replaces the table in the transaction that commits.
	create func(tx catalog.WriteTx) (*catalog.Table, error)
}

// Begin starts a write. commit is the history row that it will make; Operation and Statement are shown by SHOW TRANSACTIONS
// meanwhile.
func (w *Writer) Begin(ctx context.Context, target Target, scope Scope, commit catalog.Commit) (*Job, error) {
	bucket, _, err := w.Stores.Open(target.Root)
	if err != nil {
		return nil, err
	}
	if !bucket.CanMove() {
		return nil, sqlerr.Unsupported("STORAGE", "writing to "+target.Root.Scheme()+" locations")
	}
	process, err := w.Processes.Name()
	if err != nil {
		return nil, err
	}
	t := &catalog.Txn{
		ID: newTxn(w.Now()), TableName: target.Name, Location: target.Root.String(), Operation: commit.Operation, Statement: commit.Statement,
		Actor: commit.Actor, Process: process, State: catalog.TxnWriting, Strategy: string(target.Layout),
	}
	if target.Table != nil {
		t.Table, t.BaseVersion = target.Table.ID, target.Table.Version
	}
	j := &Job{w: w, target: target, scope: scope, txn: t, bucket: bucket}
	j.plan = &plan{Layout: target.Layout, Root: target.Root.String(), Registered: target.Registered, Kind: scope.Kind, NewRoot: target.NewRoot, Tree: target.Tree, Commit: commit, Grace: int64(target.Grace.Seconds())}
	j.stage = target.Root.Join(ownDir + "/" + wipDir + "/" + t.ID)
	if !target.Staging.IsZero() {
		if !target.Staging.SameStore(target.Root) {
			return nil, sqlerr.InvalidLocation(target.Staging.String(), "tarn.staging.root has to be on the same store as "+target.Root.String())
		}
		j.stage = target.Staging.Join(t.ID)
	}
	j.plan.Staging = j.stage.String()
	data, err := encodePlan(j.plan) // so far it tells where the staging is
	if err != nil {
		return nil, err
	}
	w.hold(t.ID)
	err = w.Store.Write(ctx, func(tx catalog.WriteTx) error {
		if err := tx.AddTxn(t); err != nil {
			return err
		}
		return tx.SetTxnPlan(t.ID, data)
	})
	if err != nil && !j.happened(ctx, t) {
		w.release(t.ID)
		return nil, err
	}
	w.point("begun")
	return j, nil
}

// ID is the transaction's name.
func (j *Job) ID() string { return j.txn.ID }

// Creates makes the commit create or replace the table: make runs inside the transaction that commits, before the
// partitions are changed.
func (j *Job) Creates(create func(tx catalog.WriteTx) (*catalog.Table, error)) {
	j.create = create
	j.plan.Creates = true
}

// Loads notes the files that COPY INTO loads with this commit.
func (j *Job) Loads(loads []catalog.Load) {
	for i := range loads {
		loads[i].Txn = j.txn.ID
	}
	j.plan.Loads = loads
}

// Stage makes the directory that the engine writes into, and returns its path on this machine.
func (j *Job) Stage(ctx context.Context) (string, error) {
	if err := j.bucket.EnsureDir(ctx, j.stage.DirKey()); err != nil {
		return "", j.translate(err)
	}
	path, ok := j.bucket.LocalPath(strings.TrimSuffix(j.stage.DirKey(), "/"))
	if !ok {
		return "", sqlerr.Unsupported("STORAGE", "writing to "+j.stage.Scheme()+" locations")
	}
	j.w.point("staging")
	return path, nil
}

// Select narrows the scope by what was written, which only the caller knows.
func (j *Job) Select(selects func(partition.Values) (bool, error)) { j.scope.Selects = selects }

// Restage empties the staging directory, for a statement that starts over.
func (j *Job) Restage(ctx context.Context) error {
	if err := j.bucket.Delete(ctx, j.stage.DirKey()); err != nil {
		return err
	}
	return j.bucket.EnsureDir(ctx, j.stage.DirKey())
}

// Check refuses a partition whose directory could not be made. The engine asks it for each combination of values before it
// writes a row of it.
func (j *Job) Check(values partition.Values) error { return CheckNames(j.target.Columns, values) }

// maxName is how long the name of a directory may be in bytes on the file systems that people use.
const maxName = 255

// CheckNames refuses values whose directory names no file system takes: too long ones, and those with a NUL.
func CheckNames(cols []partition.Column, values partition.Values) error {
	for i, c := range cols {
		if name := partition.Segment(c, values[i]); len(name) > maxName {
			return sqlerr.PartitionNameTooLong(c.Name, len(name), maxName)
		} else if strings.IndexByte(name, 0) >= 0 {
			return sqlerr.PartitionNameNul(c.Name)
		}
	}
	return nil
}

// Abort gives the write up: what was staged is deleted. It does not fail for a caller that is failing already: what it
// cannot do, recovery does later. It is a no-op after Commit.
func (j *Job) Abort(ctx context.Context) {
	if j.ended {
		return
	}
	j.ended = true
	defer j.w.release(j.txn.ID)
	_ = j.undo(context.WithoutCancel(ctx), "the statement failed")
}

// undo takes the transaction back. It may be repeated.
func (j *Job) undo(ctx context.Context, why string) error {
	if j.txn.State != catalog.TxnAborting {
		err := j.advance(ctx, catalog.TxnAborting, func(_ catalog.WriteTx, next *catalog.Txn) error {
			next.Reason = why
			return nil
		})
		if err != nil {
			return err
		}
	}
	j.w.point("aborting")
	// First the staged files: what is gone cannot be published any more by a former owner that is slow.
	if err := j.dropOwn(ctx, wipDir); err != nil {
		return err
	}
	j.w.point("staging dropped")
	if err := j.unpublish(ctx); err != nil {
		return err
	}
	// The marker that was put back was staged once more.
	if err := j.dropOwn(ctx, wipDir, dataDir, swapDir); err != nil {
		return err
	}
	if j.plan.NewRoot {
		if err := j.removeEmpty(ctx, j.target.Root, 1); err != nil {
			return err
		}
	}
	j.w.point("undone")
	return j.advance(ctx, catalog.TxnAborted, nil)
}

// advance moves the transaction to a state in one catalog transaction, together with what more does to the catalog and to
// the transaction's row. Somebody else who took the transaction over makes it fail with catalog.ErrTxnChanged.
func (j *Job) advance(ctx context.Context, to catalog.TxnState, more func(tx catalog.WriteTx, next *catalog.Txn) error) error {
	var next catalog.Txn
	err := j.w.Store.Write(ctx, func(tx catalog.WriteTx) error {
		next = *j.txn
		next.State = to
		if more != nil {
			if err := more(tx, &next); err != nil {
				return err
			}
		}
		return tx.UpdateTxn(&next, j.txn.State)
	})
	if err != nil && !j.happened(ctx, &next) {
		return err
	}
	*j.txn = next
	return nil
}

// happened reports whether the catalog holds this transaction as next says, though the answer that it does was lost: a failure
// is no proof that nothing was changed, and nobody but the owner at this epoch makes this change.
func (j *Job) happened(ctx context.Context, next *catalog.Txn) bool {
	found := false
	err := j.w.Store.Read(context.WithoutCancel(ctx), func(tx catalog.ReadTx) error {
		now, err := tx.Txn(next.ID)
		if err != nil {
			return err
		}
		found = now.State == next.State && now.Epoch == next.Epoch && now.Process == next.Process && now.Version == next.Version && now.Changed.Equal(next.Changed)
		return nil
	})
	return err == nil && found
}

// owns fails with catalog.ErrTxnChanged when another process has taken the transaction over: what cannot be repeated
// harmlessly is done only after a look.
func (j *Job) owns(ctx context.Context) error {
	return j.w.Store.Read(ctx, func(tx catalog.ReadTx) error {
		state, epoch, err := tx.TxnOwned(j.txn.ID)
		if err == nil && (epoch != j.txn.Epoch || state != j.txn.State) {
			err = catalog.ErrTxnChanged
		}
		return err
	})
}

// dropOwn removes directories that belong to this transaction alone, whose names carry it, and those above that are empty
// then.
func (j *Job) dropOwn(ctx context.Context, kinds ...string) error {
	bases, err := j.bases()
	if err != nil {
		return err
	}
	drop := func(dir storage.Location) error {
		if err := j.bucket.Delete(ctx, dir.DirKey()); err != nil {
			return err
		}
		return j.removeEmpty(ctx, dir.Parent(), 2)
	}
	for _, base := range bases {
		for _, kind := range kinds {
			if err := drop(base.Join(ownDir + "/" + kind + "/" + j.txn.ID)); err != nil {
				return err
			}
		}
	}
	// A staging directory of one's own is named by the transaction, too.
	if !j.stage.IsZero() && !j.target.Root.Contains(j.stage) && j.stage.Name() == j.txn.ID {
		return j.bucket.Delete(ctx, j.stage.DirKey())
	}
	return nil
}

// bases are the locations below which this transaction has directories of its own.
func (j *Job) bases() ([]storage.Location, error) {
	out := []storage.Location{j.target.Root}
	seen := map[string]bool{j.target.Root.String(): true}
	for i := range j.plan.Parts {
		base := j.plan.Parts[i].Base
		if base == "" || seen[base] {
			continue
		}
		seen[base] = true
		loc, err := storage.ParseLocation(base, "")
		if err != nil {
			return nil, err
		}
		out = append(out, loc)
	}
	return out, nil
}

// removeEmpty removes a directory and up to levels-1 of those above it as long as they are empty.
func (j *Job) removeEmpty(ctx context.Context, dir storage.Location, levels int) error {
	for range levels {
		err := j.bucket.RemoveDir(ctx, dir.DirKey())
		switch storage.KindOf(err) {
		case storage.NotEmpty, storage.NotADirectory, storage.PermissionDenied:
			return nil
		}
		if err != nil {
			return err
		}
		dir = dir.Parent()
	}
	return nil
}

// removeEmptyTree removes the directories below one, and the one itself, as far as they are empty and not in keep. Names that
// readers pass by are left alone.
func (j *Job) removeEmptyTree(ctx context.Context, dir storage.Location, keep map[string]bool) error {
	names, err := j.dirsIn(ctx, dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if partition.Ignored(name) {
			continue
		}
		if err := j.removeEmptyTree(ctx, dir.Join(name), keep); err != nil {
			return err
		}
	}
	if keep[dir.DirKey()] {
		return nil
	}
	return j.removeEmpty(ctx, dir, 1)
}

// dirsIn are the names of the directories right in a directory that may not exist.
func (j *Job) dirsIn(ctx context.Context, dir storage.Location) ([]string, error) {
	if !j.bucket.HasDirs() {
		return nil, nil
	}
	var names []string
	err := j.bucket.ReadDir(ctx, dir.DirKey(), false, func(e *storage.Entry) error {
		if e.Type == storage.DirEntry && !e.Link {
			names = append(names, string(e.Name))
		}
		return nil
	})
	if storage.KindOf(err) == storage.NotFound {
		err = nil
	}
	return names, err
}

// specOf is the canonical spec of a part's values.
func specOf(cols []partition.Column, values []*string) string {
	var b strings.Builder
	for i, c := range cols {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(partition.EscapeName(c.Name))
		b.WriteByte('=')
		if values[i] == nil || *values[i] == "" {
			b.WriteString(partition.DefaultPartition)
		} else {
			b.WriteString(partition.EscapeValue(*values[i]))
		}
	}
	return b.String()
}

// splitSpec cuts a spec into its segments: values are escaped, so a slash is always between two.
func splitSpec(spec string) []string {
	if spec == "" {
		return nil
	}
	return strings.Split(spec, "/")
}

// translate gives a failure to write its condition.
func (j *Job) translate(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, catalog.ErrNotFound) {
		return sqlerr.ConcurrentWriteConflict(j.target.Name, "the table is gone", nil)
	}
	var known *sqlerr.Error
	var place *storage.Error
	if errors.As(err, &known) || !errors.As(err, &place) {
		return err
	}
	if place.Kind == storage.NoSpace {
		return sqlerr.WriteNoSpace(place.Where, err)
	}
	return sqlerr.WriteFailed(place.Where, err)
}

func (j *Job) stuck(why string, args ...any) error {
	return sqlerr.TransactionStuck(j.txn.ID, j.target.Name, fmt.Sprintf(why, args...))
}
