package write

import (
	"context"
	"fmt"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
)

// copyOver copies the staged files of partitions that lie on another file system than the staging, since nothing can be moved
// there: to a staging directory beside the partition. The plan is kept before, so that recovery knows of these directories.
func (p *preparer) copyOver(ctx context.Context) error {
	j := p.j
	if len(j.plan.Parts) == 0 {
		return nil
	}
	from, err := j.device(ctx, j.stage)
	if err != nil || from == 0 {
		return err // a store without devices moves within itself
	}
	home, err := j.device(ctx, j.target.Root)
	if err != nil {
		return err
	}
	var apart []*part
	for i := range j.plan.Parts {
		part := &j.plan.Parts[i]
		if part.Action == actRemove && j.target.Layout != InPlace {
			continue
		}
		to, err := j.device(ctx, part.dir())
		if err != nil {
			return err
		}
		if to != home && part.Base == j.plan.Root {
			part.Base, part.Rel = part.Dir, "" // behind a symbolic link
		}
		if to != from && len(part.New) > 0 {
			part.Copied = true
			apart = append(apart, part)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	data, err := encodePlan(j.plan)
	if err != nil {
		return err
	}
	if err := j.advance(ctx, j.txn.State, func(tx catalog.WriteTx, _ *catalog.Txn) error { return tx.SetTxnPlan(j.txn.ID, data) }); err != nil {
		return err
	}
	for _, part := range apart {
		err := parallel.Each(ctx, workers(), len(part.New), func(i int) error { return j.copyFile(ctx, part, &part.New[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies one staged file, durably, and makes the copy the one that is moved later.
func (j *Job) copyFile(ctx context.Context, p *part, f *added) error {
	body, _, err := j.bucket.Read(ctx, j.stage.Join(f.Staged).Key(), 0, -1)
	if err != nil {
		return err
	}
	o, err := j.bucket.Put(ctx, j.src(p, f), body, storage.Condition{})
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if o.Size != f.Size {
		return fmt.Errorf("the copy %s has %d bytes, %d were written", o.Key, o.Size, f.Size)
	}
	f.ID, f.ETag, f.ModTime = o.ID, etagOf(o), o.ModTime.UnixNano()
	j.w.point("file copied")
	return nil
}

// device is the number of the file system that a directory is on, or would be on when it was made; 0 where stores have none.
func (j *Job) device(ctx context.Context, dir storage.Location) (uint64, error) {
	for {
		o, err := j.bucket.Stat(ctx, dir.DirKey())
		if err == nil {
			return o.ID.Device, nil
		}
		if kind := storage.KindOf(err); kind != storage.NotFound && kind != storage.NotADirectory || dir.Key() == "" {
			return 0, err
		}
		dir = dir.Parent()
	}
}
