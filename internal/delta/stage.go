package delta

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarnlake/tarn/internal/parallel"
	"github.com/tarnlake/tarn/internal/storage"
)

// stagingDir holds, below a table's root, the directories in which files are written before they get their names. Its name
// begins with an underscore, so that no reader looks into it. VACUUM removes what is left in it.
const stagingDir = "_tarn_staging"

// Stage is a private directory for the files of one write.
type Stage struct {
	log *Log
	// Dir is its path on this machine.
	Dir string
	key string // of a staging below the table's root; "" for one that is elsewhere
}

// Stage makes the directory in which the files of a write are made. scratch makes one elsewhere, for tables on other
// machines.
func (l *Log) Stage(ctx context.Context, txn string, scratch func() (string, error)) (*Stage, error) {
	key := l.root.Join(stagingDir).Join(txn).DirKey()
	path, ok := l.bucket.LocalPath(strings.TrimSuffix(key, "/"))
	if !ok {
		dir, err := scratch()
		return &Stage{log: l, Dir: dir}, err
	}
	if err := l.bucket.EnsureDir(ctx, key); err != nil {
		return nil, failure(err)
	}
	l.logs.point("delta-staging")
	return &Stage{log: l, Dir: path, key: key}, nil
}

// Placed is a staged file and where it goes: a key below the table's root, without escapes.
type Placed struct{ Path, Name string }

// Publish puts files where the table keeps its files, durably. No version names them yet. It gives what the store says of
// each.
func (s *Stage) Publish(ctx context.Context, files []Placed) ([]storage.Object, error) {
	b, root := s.log.bucket, s.log.root
	out := make([]storage.Object, len(files))
	if s.key != "" && len(files) > 0 {
		keys := make([]string, len(files))
		for i, f := range files {
			rel, err := filepath.Rel(s.Dir, f.Path)
			if err != nil {
				return nil, err
			}
			keys[i] = s.key + filepath.ToSlash(rel)
		}
		if err := b.Sync(ctx, keys, nil); err != nil {
			return nil, failure(err)
		}
		err := parallel.Each(ctx, workers, len(files), func(i int) (err error) {
			dst := root.Join(files[i].Name).Key()
			if err := b.EnsureDir(ctx, dst[:strings.LastIndexByte(dst, '/')+1]); err != nil {
				return err
			}
			if err := b.Rename(ctx, keys[i], dst); err != nil {
				return err
			}
			out[i], err = b.Stat(ctx, dst)
			s.log.logs.point("delta-file-published")
			return err
		})
		s.log.logs.point("delta-published")
		return out, failure(err)
	}
	err := parallel.Each(ctx, workers, len(files), func(i int) error {
		in, err := os.Open(files[i].Path)
		if err != nil {
			return err
		}
		out[i], err = b.Put(ctx, root.Join(files[i].Name).Key(), in, storage.Condition{IfAbsent: true})
		if closeErr := in.Close(); err == nil {
			err = closeErr
		}
		return err
	})
	s.log.logs.point("delta-published")
	return out, failure(err)
}

// workers is how many files are moved at once.
const workers = 8

// Remove drops the directory and what is left in it. It does not fail for a caller whose write is over either way: what it
// cannot remove, VACUUM does later.
func (s *Stage) Remove(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if s.key == "" {
		_ = os.RemoveAll(s.Dir)
		return
	}
	_ = s.log.bucket.Delete(ctx, s.key)
	_ = s.log.bucket.RemoveDir(ctx, s.log.root.Join(stagingDir).DirKey())
}

// Discard removes published files that no version names because their write failed.
func (s *Stage) Discard(ctx context.Context, files []storage.Object) {
	var keys []string
	for _, o := range files {
		if o.Key != "" {
			keys = append(keys, o.Key)
		}
	}
	if len(keys) > 0 {
		_ = s.log.bucket.Delete(context.WithoutCancel(ctx), keys...)
	}
}

// File is the file of the table at a key that Publish gave.
func (l *Log) File(o storage.Object) storage.File { return storage.File{Bucket: l.bucket, Object: o} }

// CopyIn copies a file from anywhere to a name below the table's root, without escapes. A copy that is there already with the
// same size is taken: an earlier attempt has made it.
func (l *Log) CopyIn(ctx context.Context, from storage.Location, name string) (storage.Object, error) {
	source, _, err := l.logs.stores.Open(from)
	if err != nil {
		return storage.Object{}, failure(err)
	}
	key := l.root.Join(name).Key()
	in, what, err := source.Read(ctx, from.Key(), 0, -1)
	if err != nil {
		return storage.Object{}, failure(err)
	}
	o, err := l.bucket.Put(ctx, key, in, storage.Condition{IfAbsent: true})
	if closeErr := in.Close(); err == nil {
		err = closeErr
	}
	l.logs.point("delta-copied")
	if storage.KindOf(err) == storage.AlreadyExists {
		if there, statErr := l.bucket.Stat(ctx, key); statErr == nil && there.Size == what.Size {
			return there, nil
		}
	}
	return o, failure(err)
}

// PutFile writes a file below the table's root.
func (l *Log) PutFile(ctx context.Context, name string, data []byte) error {
	_, err := l.bucket.Put(ctx, l.root.Join(name).Key(), bytes.NewReader(data), storage.Condition{IfAbsent: true})
	return failure(err)
}
